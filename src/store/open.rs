//! Opening files: a new one to write, an existing one to read, with a clear word when it is no recording. Never changes a file
//! that is opened to be read.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Executor as _, Row as _};

use super::SCHEMA;
use crate::ports::StoreError;

/// "PLIM", in the field of the file's head that SQLite leaves to applications.
const APPLICATION_ID: i64 = 0x504c_494d;
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("src/store/migrations");

pub(super) fn shown(path: &Path) -> String {
    crate::model::text::clean(&path.display().to_string())
}

pub(super) fn write_error(path: &Path, why: impl std::fmt::Display) -> StoreError {
    StoreError::Write { path: shown(path), why: why.to_string() }
}

pub(super) fn read_error(path: &Path, why: impl std::fmt::Display) -> StoreError {
    StoreError::Read { path: shown(path), why: why.to_string() }
}

fn foreign(path: &Path, why: impl std::fmt::Display) -> StoreError {
    StoreError::Foreign { path: shown(path), why: why.to_string() }
}

/// The file of changes that SQLite keeps beside a database.
pub(super) fn wal_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// Makes a new recording with its schema. An existing file is never touched; folders above it are made.
pub(super) async fn create(path: &Path) -> Result<SqliteConnection, StoreError> {
    if wal_of(path).exists() {
        return Err(StoreError::Exists { path: shown(&wal_of(path)) });
    }
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|e| write_error(path, format!("its folder can not be made ({e})")))?;
    }
    std::fs::File::create_new(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => StoreError::Exists { path: shown(path) },
        _ => write_error(path, e),
    })?;
    let made = prepare(path).await.map_err(|e| write_error(path, e));
    if made.is_err() {
        // The file was made a moment ago by us and holds nothing.
        let _ = std::fs::remove_file(path);
    }
    made
}

/// The schema goes into the file itself before changes go beside it: whatever happens later, the file says what it is.
async fn prepare(path: &Path) -> sqlx::Result<SqliteConnection> {
    let options =
        SqliteConnectOptions::new().filename(path).synchronous(SqliteSynchronous::Normal).foreign_keys(false).busy_timeout(Duration::from_secs(5));
    let mut conn = options.disable_statement_logging().connect().await?;
    MIGRATIONS.run(&mut conn).await?;
    conn.execute("PRAGMA journal_mode = WAL").await?;
    Ok(conn)
}

/// Opens a recording to read it.
pub(super) async fn open(path: &Path) -> Result<SqliteConnection, StoreError> {
    check_head(path)?;
    let mut conn = connect(path).await?;
    let id: i64 = pragma(&mut conn, "PRAGMA application_id").await.map_err(|e| unreadable(path, &e))?;
    if id != APPLICATION_ID {
        return Err(foreign(path, "it is a SQLite database of something else"));
    }
    let version: i64 = pragma(&mut conn, "PRAGMA user_version").await.map_err(|e| unreadable(path, &e))?;
    if version > SCHEMA {
        return Err(read_error(
            path,
            format!("it was written by a later version (schema {version}, this one knows up to {SCHEMA}); a newer plimsoll reads it"),
        ));
    }
    Ok(conn)
}

async fn pragma(conn: &mut SqliteConnection, sql: &'static str) -> sqlx::Result<i64> {
    sqlx::query(sql).fetch_one(conn).await?.try_get(0)
}

/// What can be said without SQLite: whether it is a database at all, and whether its end is missing.
fn check_head(path: &Path) -> Result<(), StoreError> {
    let mut file = std::fs::File::open(path).map_err(|e| read_error(path, e))?;
    let length = file.metadata().map_err(|e| read_error(path, e))?;
    if length.is_dir() {
        return Err(foreign(path, "it is a folder"));
    }
    let mut head = [0_u8; 100];
    let got = read_up_to(&mut file, &mut head).map_err(|e| read_error(path, e))?;
    if got < head.len() || !head.starts_with(MAGIC) {
        return Err(foreign(path, if got == 0 { "it is empty" } else { "it is no SQLite database" }));
    }
    let page_size = match u64::from(u16::from_be_bytes([head[16], head[17]])) {
        1 => 65_536,
        size => size,
    };
    let whole = u64::from(u32::from_be_bytes([head[28], head[29], head[30], head[31]])) * page_size;
    // While changes stand beside the file, its own length may lag behind its head.
    if length.len() < whole && !wal_of(path).exists() {
        return Err(read_error(path, format!("its end is missing ({} of {whole} bytes are there)", length.len())));
    }
    Ok(())
}

fn read_up_to(file: &mut std::fs::File, into: &mut [u8]) -> std::io::Result<usize> {
    let mut got = 0;
    while let Some(rest) = into.get_mut(got..).filter(|r| !r.is_empty()) {
        match file.read(rest)? {
            0 => break,
            n => got += n,
        }
    }
    Ok(got)
}

async fn connect(path: &Path) -> Result<SqliteConnection, StoreError> {
    let options = SqliteConnectOptions::new().filename(path).read_only(true).busy_timeout(Duration::from_secs(5)).disable_statement_logging();
    let opened = options.connect().await;
    match opened {
        Ok(conn) => Ok(conn),
        // A folder that can not be written, and no changes beside the file: it can be read as it stands.
        Err(_) if !wal_of(path).exists() => options.immutable(true).connect().await.map_err(|e| unreadable(path, &e)),
        Err(e) => Err(unreadable(path, &e)),
    }
}

/// In words: a damaged file reads differently from one that can not be reached.
pub(super) fn unreadable(path: &Path, error: &sqlx::Error) -> StoreError {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    match code.as_deref() {
        Some("26") => foreign(path, "it is no SQLite database"),
        Some("11" | "267" | "523" | "779") => read_error(path, "the file is damaged"),
        _ => read_error(path, error),
    }
}
