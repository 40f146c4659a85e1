//! What other tools see: the views; and what the list of recordings shows.

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{Connection as _, Row as _};

use super::{killed, record, session};
use crate::model::event::Outcome;
use crate::model::units::Span;
use crate::model::verdict::Kind;
use crate::store::{list, summary};

#[tokio::test]
async fn the_views_answer_the_usual_questions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plim");
    record(&path, &session()).await;
    let mut conn = SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(&path).read_only(true)).await.unwrap();
    let row = sqlx::query("SELECT step, ended, requests_ok, requests_failed, mean_latency_s, setting_values FROM steps")
        .fetch_one(&mut conn)
        .await
        .unwrap();
    assert_eq!((row.get::<i64, _>(0), row.get::<String, _>(1), row.get::<i64, _>(2), row.get::<i64, _>(3)), (1, "completed".to_owned(), 20, 2));
    assert!((row.get::<f64, _>(4) - 0.04).abs() < 1e-9);
    assert_eq!(row.get::<String, _>(5), r#"{"pool":100.0}"#);
    let rows = sqlx::query("SELECT second, sent, finished_ok, finished_failed FROM requests_by_second").fetch_all(&mut conn).await.unwrap();
    let rows: Vec<[i64; 4]> = rows.iter().map(|r| [r.get(0), r.get(1), r.get(2), r.get(3)]).collect();
    assert_eq!(rows, [[2, 11, 10, 1], [3, 11, 10, 1]]);
    let row = sqlx::query("SELECT at_s, part, value FROM signals WHERE signal = 'pool.pending'").fetch_one(&mut conn).await.unwrap();
    assert_eq!((row.get::<f64, _>(0), row.get::<String, _>(1), row.get::<f64, _>(2)), (2.001, "main".to_owned(), 3.5));
    let row = sqlx::query("SELECT verdict, setting, value, zone_low, zone_high FROM verdict").fetch_one(&mut conn).await.unwrap();
    assert_eq!((row.get::<String, _>(0), row.get::<i64, _>(2), row.get::<i64, _>(4)), ("recommend".to_owned(), 100, 120));
    conn.close().await.unwrap();
}

#[tokio::test]
async fn a_summary_tells_what_a_list_shows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plim");
    record(&path, &session()).await;
    let s = summary(&path).await.unwrap();
    assert_eq!((s.name.as_str(), s.target.as_str()), ("checkout: pool size", "http://127.0.0.1:8080"));
    assert_eq!((s.outcome, s.steps, s.duration), (Some(Outcome::Completed), 1, Span::from_secs(4)));
    assert_eq!(s.verdict, Some((Kind::Recommend, Some("pool".to_owned()), Some(100.0))));
}

#[tokio::test]
async fn a_session_cut_off_has_no_outcome_and_one_that_never_began_no_summary() {
    let folder = tempfile::tempdir().unwrap();
    let dead = killed(folder.path(), &session()[..6]).await;
    let s = summary(&dead).await.unwrap();
    assert_eq!((s.outcome, s.verdict), (None, None));
    let empty = folder.path().join("empty.plim");
    record(&empty, &[]).await;
    assert!(summary(&empty).await.unwrap_err().to_string().contains("never began"));
}

#[tokio::test]
async fn a_folder_is_listed_with_its_broken_files_and_without_others() {
    let folder = tempfile::tempdir().unwrap();
    record(&folder.path().join("a.plim"), &session()).await;
    std::fs::write(folder.path().join("b.plim"), "nonsense").unwrap();
    std::fs::write(folder.path().join("notes.txt"), "x").unwrap();
    let listed = list(folder.path()).await.unwrap();
    let mut found: Vec<_> = listed.iter().map(|l| (l.path.file_name().unwrap().to_str().unwrap(), l.summary.is_ok())).collect();
    found.sort_unstable();
    assert_eq!(found, [("a.plim", true), ("b.plim", false)]);
    assert_eq!(list(&folder.path().join("nowhere")).await.unwrap(), []);
}
