//! The loop itself, driven by a script under a paused clock: when it draws, what it asks for, how it ends.

use std::sync::Arc;
use std::time::Duration;

use futures::stream;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::sleep;

use super::press::{keys, library};
use crate::control::Command;
use crate::model::event::Stamped;
use crate::ui::look::Look;
use crate::ui::message::{Feed, Input, Key, Request, Start, UiEnd};
use crate::ui::testkit;
use crate::ui::{FRAME, run};

/// A screen running in a task, with both ends of its channels.
struct Bench {
    keys: UnboundedSender<Input>,
    feed: UnboundedSender<Feed>,
    asked: UnboundedReceiver<Request>,
    ui: tokio::task::JoinHandle<(UiEnd, String)>,
}

impl Bench {
    fn start(start: Start) -> Self {
        let (keys, mut typed) = unbounded_channel();
        let (feed, news) = unbounded_channel();
        let (requests, asked) = unbounded_channel();
        let ui = tokio::spawn(async move {
            let mut terminal = Terminal::new(TestBackend::new(120, 40)).unwrap();
            let inputs = stream::poll_fn(move |cx| typed.poll_recv(cx));
            let end = run(start, &mut terminal, inputs, news, requests, Look::default()).await.unwrap();
            (end, testkit::text(terminal.backend().buffer()))
        });
        Self { keys, feed, asked, ui }
    }

    fn press(&self, script: &str) {
        for key in keys(script) {
            self.keys.send(Input::Key(key)).unwrap();
        }
    }

    fn play(&self, events: &[Stamped]) {
        for event in events {
            self.feed.send(Feed::Event(event.clone())).unwrap();
        }
    }

    async fn next(&mut self) -> Request {
        tokio::time::timeout(Duration::from_secs(5), self.asked.recv()).await.unwrap().unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn home_lists_and_leaves() {
    let mut bench = Bench::start(Start::Home);
    assert_eq!(bench.next().await, Request::List);
    bench.feed.send(Feed::Library(library())).unwrap();
    sleep(FRAME * 2).await;
    bench.press("q");
    assert_eq!(bench.next().await, Request::Quit);
    let (end, screen) = bench.ui.await.unwrap();
    assert_eq!(end, UiEnd::Quit);
    assert!(screen.contains("결제 서비스"), "{screen}");
}

#[tokio::test(start_paused = true)]
async fn a_run_is_watched_steered_and_stopped() {
    let mut bench = Bench::start(Start::Live);
    let events = testkit::sweep();
    let (first, rest) = events.split_at(200);
    bench.play(first);
    sleep(FRAME * 2).await;
    bench.press("p");
    assert_eq!(bench.next().await, Request::Control(Command::Pause));
    bench.press("qy");
    assert_eq!(bench.next().await, Request::Control(Command::Stop));
    bench.play(rest);
    bench.feed.send(Feed::RunEnded).unwrap();
    assert_eq!(bench.next().await, Request::Quit);
    let (end, screen) = bench.ui.await.unwrap();
    assert_eq!(end, UiEnd::Interrupted);
    assert!(screen.contains("stopping"), "the last frame said what happens: {screen}");
}

#[tokio::test(start_paused = true)]
async fn a_replay_plays_by_itself_at_its_speed() {
    let bench = Bench::start(Start::Replay { speed: 4.0 });
    bench.feed.send(Feed::Recording { name: "a".to_owned(), events: Arc::new(testkit::sweep()) }).unwrap();
    sleep(Duration::from_secs(10)).await;
    bench.press("fq");
    let (end, screen) = bench.ui.await.unwrap();
    assert_eq!(end, UiEnd::Quit);
    let line = screen.lines().find(|l| l.contains("frozen at")).unwrap();
    let at = line.split("frozen at 00:").nth(1).and_then(|t| t.get(..2)).and_then(|t| t.parse::<u32>().ok()).unwrap();
    assert!((38..=40).contains(&at), "ten seconds at 4 times the speed: {line}");
}

#[tokio::test(start_paused = true)]
async fn a_replay_reaches_its_end_and_holds() {
    let bench = Bench::start(Start::Replay { speed: 16.0 });
    bench.feed.send(Feed::Recording { name: "a".to_owned(), events: Arc::new(testkit::sweep()) }).unwrap();
    sleep(Duration::from_secs(20)).await;
    bench.keys.send(Input::Resize).unwrap();
    sleep(FRAME).await;
    drop(bench.keys);
    let (end, screen) = bench.ui.await.unwrap();
    assert_eq!(end, UiEnd::InputGone, "a terminal that is gone ends the screen");
    assert!(screen.contains("the end: v shows the verdict"), "{screen}");
}

#[tokio::test(start_paused = true)]
async fn the_program_may_end_it() {
    let bench = Bench::start(Start::Live);
    bench.feed.send(Feed::Leave).unwrap();
    assert_eq!(bench.ui.await.unwrap().0, UiEnd::Dismissed);
}

#[tokio::test(start_paused = true)]
async fn a_closed_feed_leaves_the_screen_to_the_person() {
    let bench = Bench::start(Start::Live);
    bench.play(&testkit::sweep());
    bench.feed.send(Feed::RunEnded).unwrap();
    drop(bench.feed);
    sleep(Duration::from_secs(60)).await;
    bench.keys.send(Input::Key(Key::Char('q'))).unwrap();
    let (end, screen) = bench.ui.await.unwrap();
    assert_eq!(end, UiEnd::Quit);
    assert!(screen.contains("RECOMMENDED"), "{screen}");
}

#[tokio::test(start_paused = true)]
async fn what_was_said_goes_away_by_itself() {
    let bench = Bench::start(Start::Live);
    bench.feed.send(Feed::Notice("kept in a.plim".to_owned())).unwrap();
    sleep(Duration::from_secs(10)).await;
    bench.feed.send(Feed::Leave).unwrap();
    let (_, screen) = bench.ui.await.unwrap();
    assert!(!screen.contains("a.plim"), "{screen}");
}
