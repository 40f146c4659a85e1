//! Everything that was queued comes back exactly, however the session ended.

use proptest::prelude::*;
use tokio::sync::mpsc::unbounded_channel;

use super::{killed, note, record, session, stamped, tick};
use crate::model::event::{Event, Stamped};
use crate::model::session::Session;
use crate::model::session::tests::events::stream;
use crate::ports::{Recorder as _, StoreError};
use crate::store::open::{create, wal_of};
use crate::store::write::Writer;
use crate::store::{SqliteRecorder, read, read_in_parts};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Equality that also tells 0 from -0.
fn to_the_bit(events: &[Stamped]) -> Vec<String> {
    events.iter().filter(|e| matches!(e.event, Event::Tick(_) | Event::Sample(_))).map(|e| format!("{e:?}")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_event_comes_back_equal_and_folds_to_the_same_session(events in stream(40)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.plim");
        let back = runtime().block_on(async {
            record(&path, &events).await;
            read(&path).await.unwrap()
        });
        prop_assert_eq!(&back, &events);
        prop_assert_eq!(to_the_bit(&back), to_the_bit(&events));
        prop_assert_eq!(Session::of(&back), Session::of(&events));
    }

    #[test]
    fn what_a_killed_writer_committed_comes_back(events in stream(20)) {
        let folder = tempfile::tempdir().unwrap();
        let back = runtime().block_on(async {
            let dead = killed(folder.path(), &events).await;
            read(&dead).await.unwrap()
        });
        prop_assert_eq!(back, events);
    }
}

#[tokio::test]
async fn a_closed_recording_is_a_single_file_in_folders_made_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/folders/a.plim");
    record(&path, &session()).await;
    let names: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["a.plim"]);
}

#[tokio::test]
async fn reading_changes_nothing_not_even_of_a_recording_under_way() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plim");
    let mut writer = Writer::new(create(&path).await.unwrap());
    writer.commit(&session()[..4]).await.unwrap();
    let before = (std::fs::read(&path).unwrap(), std::fs::read(wal_of(&path)).unwrap());
    assert_eq!(read(&path).await.unwrap(), session()[..4]);
    assert_eq!((std::fs::read(&path).unwrap(), std::fs::read(wal_of(&path)).unwrap()), before);
    writer.commit(&session()[4..]).await.unwrap();
    assert_eq!(read(&path).await.unwrap(), session());
    writer.close().await.unwrap();

    let dead = killed(folder.path(), &session()).await;
    let before = (std::fs::read(&dead).unwrap(), std::fs::read(wal_of(&dead)).unwrap());
    assert_eq!(read(&dead).await.unwrap(), session());
    assert_eq!((std::fs::read(&dead).unwrap(), std::fs::read(wal_of(&dead)).unwrap()), before);
}

#[tokio::test]
async fn a_recorder_that_is_dropped_has_written_what_was_queued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plim");
    let recorder = SqliteRecorder::create(&path).await.unwrap();
    let queue = recorder.queue();
    for event in session() {
        queue.send(event).unwrap();
    }
    drop(recorder);
    assert!(queue.send(stamped(vec![note("late")])[0].clone()).is_err(), "a sender learns that it is over");
    assert_eq!(read(&path).await.unwrap(), session());
}

#[tokio::test]
async fn a_full_disk_is_told_and_the_last_commit_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plim");
    let mut conn = create(&path).await.unwrap();
    sqlx::query("PRAGMA max_page_count = 60").execute(&mut conn).await.unwrap();
    let mut writer = Writer::new(conn);
    writer.commit(&session()[..3]).await.unwrap();
    let mut recorder = SqliteRecorder::start(&path, writer).unwrap();
    let queue = recorder.queue();
    for seq in 3..3000 {
        let _ = queue.send(Stamped { seq, at: crate::model::units::Elapsed(seq), event: tick(seq) });
    }
    let failure = recorder.failed().await;
    assert!(matches!(&failure, StoreError::Write { why, .. } if why.contains("full")), "{failure}");
    assert_eq!(Box::new(recorder).close().await, Err(failure));
    assert!(queue.is_closed());
    let kept = read(&path).await.unwrap();
    assert_eq!(kept, session()[..3]);
}

#[tokio::test]
async fn a_repeated_number_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plim");
    let mut events = stamped(vec![note("a"), note("b")]);
    events.push(events[0].clone());
    record(&path, &events).await;
    assert_eq!(read(&path).await.unwrap(), events[..2]);
}

#[tokio::test]
async fn parts_add_up_to_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.plim");
    let events = stamped((0..950).map(|n| if n % 3 == 0 { tick(n) } else { note("x") }).collect());
    record(&path, &events).await;
    let (to, mut parts) = unbounded_channel();
    read_in_parts(&path, to).await.unwrap();
    let first = parts.recv().await.unwrap();
    assert_eq!(first.len(), 64);
    let mut all = first;
    while let Some(part) = parts.recv().await {
        all.extend(part);
    }
    assert_eq!(all, events);
}
