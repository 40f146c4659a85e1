//! Files that are no recording, or not one this version can read, are refused in words a person can act on.

use std::path::Path;

use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

use super::{record, session};
use crate::model::event::Event;
use crate::ports::StoreError;
use crate::store::open::wal_of;
use crate::store::{SqliteRecorder, read, summary};

async fn change(path: &Path, sql: &'static str) {
    let mut conn = SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(path).create_if_missing(true)).await.unwrap();
    sqlx::raw_sql(sql).execute(&mut conn).await.unwrap();
    conn.close().await.unwrap();
}

#[tokio::test]
async fn an_existing_file_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plim");
    std::fs::write(&path, "precious").unwrap();
    let error = SqliteRecorder::create(&path).await.err().unwrap();
    assert!(matches!(error, StoreError::Exists { .. }), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
    let orphan = folder.path().join("b.plim");
    std::fs::write(wal_of(&orphan), "changes of a file that is gone").unwrap();
    assert!(matches!(SqliteRecorder::create(&orphan).await.err().unwrap(), StoreError::Exists { .. }));
}

#[tokio::test]
async fn what_is_no_recording_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.db");
    change(&other, "CREATE TABLE t (a)").await;
    let cases: [(&str, Option<&[u8]>, &str); 4] = [
        ("empty", Some(b""), "it is empty"),
        ("text", Some(b"not a database at all"), "no SQLite database"),
        ("other.db", None, "something else"),
        (".", None, "a folder"),
    ];
    for (name, content, expected) in cases {
        let path = folder.path().join(name);
        if let Some(content) = content {
            std::fs::write(&path, content).unwrap();
        }
        let error = read(&path).await.unwrap_err();
        assert!(matches!(&error, StoreError::Foreign { why, .. } if why.contains(expected)), "{name}: {error}");
    }
    let missing = read(&folder.path().join("missing.plim")).await.unwrap_err();
    assert!(matches!(missing, StoreError::Read { .. }), "{missing}");
}

#[tokio::test]
async fn a_cut_or_damaged_file_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plim");
    record(&path, &session()).await;
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let error = read(&path).await.unwrap_err();
    assert!(error.to_string().contains("its end is missing"), "{error}");
    let mut damaged = whole.clone();
    for byte in damaged.iter_mut().skip(4096) {
        *byte = 0x5a;
    }
    std::fs::write(&path, &damaged).unwrap();
    let error = read(&path).await.unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
}

#[tokio::test]
async fn a_newer_schema_is_not_guessed_at() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plim");
    record(&path, &session()).await;
    change(&path, "PRAGMA user_version = 99").await;
    let error = read(&path).await.unwrap_err();
    assert!(error.to_string().contains("later version (schema 99"), "{error}");
    assert_eq!(summary(&path).await.unwrap_err(), error);
}

#[tokio::test]
async fn later_kinds_and_names_are_skipped_and_show_as_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plim");
    record(&path, &session()).await;
    change(
        &path,
        "INSERT INTO event VALUES (9, 1, 'teleported', NULL, '{\"kind\":\"teleported\",\"to\":\"mars\"}');
         UPDATE outcome SET phase = 'launch' WHERE seq = 3;
         UPDATE series SET signal = 'pool.mood' WHERE signal = 'pool.pending';",
    )
    .await;
    let events = read(&path).await.unwrap();
    assert_eq!((&events[9].event, &events[3].event), (&Event::Unknown, &Event::Unknown));
    assert_eq!(events[5], session()[5]);
    assert!(matches!(&events[4].event, Event::Sample(s) if s.readings.len() == 1));
}

#[tokio::test]
async fn a_broken_histogram_is_an_error_not_a_guess() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plim");
    record(&path, &session()).await;
    change(&path, "UPDATE outcome SET latency = x'00112233'").await;
    let error = read(&path).await.unwrap_err();
    assert!(error.to_string().contains("HdrHistogram"), "{error}");
}

#[tokio::test]
async fn a_recording_of_the_first_schema_is_read_without_being_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plim");
    record(&path, &session()).await;
    change(&path, "ALTER TABLE outcome DROP COLUMN stale; PRAGMA user_version = 1").await;
    let before = std::fs::read(&path).unwrap();
    assert_eq!(read(&path).await.unwrap(), session());
    assert_eq!(std::fs::read(&path).unwrap(), before);
}
