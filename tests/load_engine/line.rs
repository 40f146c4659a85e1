//! Time lines on real threads and sockets: two workers share populations without loss, and a line begins anew each time it is driven.

use std::collections::BTreeMap;

use plimsoll::model::plan::{LoadModel, LoadPhase, Passes, Plan, Population, Segment, Think, TimeLine, Values};
use plimsoll::model::units::{Rate, Span};
use plimsoll::ports::{Engine, EngineError};

use super::rig::{MEASURE, Rig, get, pause, plan, scenario, step};
use super::server::Server;

fn ms(n: u64) -> Span {
    Span::from_millis(n)
}

fn population(name: &str, segments: Vec<Segment>) -> Population {
    Population { name: name.to_owned(), scenarios: vec![name.to_owned()], passes: Passes::Times(1), max_users: 1000, segments }
}

/// Arrivals, guests who stay for two passes, and closed users; in two phases and a time behind them.
fn a_plan(server: &Server) -> Plan {
    let people = ["arrivals", "guests", "users"];
    let scenarios = people.map(|name| {
        let mut s = scenario(vec![step(get(&format!("/{name}")))]);
        name.clone_into(&mut s.name);
        s.think = Some(Think::Fixed(ms(50)));
        s
    });
    let rate = Segment::Rate { from: Rate::per_second(0.0), to: Rate::per_second(200.0), over: ms(500) };
    let mut guests =
        population("guests", vec![Segment::Nothing { over: ms(200) }, Segment::AtOnce { users: 9 }, Segment::Ramp { users: 6, over: ms(300) }]);
    guests.passes = Passes::Times(2);
    let users = population("users", vec![Segment::Users { from: 0, to: 8, over: ms(300) }, Segment::Users { from: 8, to: 8, over: ms(400) }]);
    let phase = |name: &str, length| LoadPhase { name: name.to_owned(), length: ms(length) };
    let mut plan = plan(&server.url(), scenarios.to_vec());
    plan.load.model = LoadModel::Line;
    plan.load.line = Some(TimeLine {
        phases: vec![phase("first", 250), phase("second", 250)],
        populations: vec![population("arrivals", vec![rate]), guests, users],
    });
    plan
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_brings_whom_it_says_and_begins_anew_when_driven_again() {
    let server = Server::start().await;
    let mut rig = Rig::new(&a_plan(&server), 2).await;
    for turn in 1..=2 {
        rig.engine.drive(LoadModel::Line, MEASURE, &Values::default()).await.unwrap();
        pause(900).await;
        rig.drain().await;
        assert_eq!((server.count("/arrivals"), server.count("/guests")), (50 * turn, 30 * turn), "turn {turn}");
    }
    let held = server.total();
    pause(150).await;
    assert_eq!(server.total(), held);
    let said = rig.close().await;
    assert_eq!((said.sent(), said.finished()), (server.total(), server.total()));
    let planned: f64 = said.ticks.iter().filter_map(|t| t.planned).sum();
    assert!((planned - 130.0).abs() < 0.5, "arrivals and guests, twice; users are not planned: {planned}");
    assert!(said.ticks.iter().any(|t| t.users >= 8) && said.ticks.last().unwrap().users == 0);
    let phases = said.rows().fold(BTreeMap::new(), |mut all: BTreeMap<_, u64>, row| {
        *all.entry((row.key.name.clone(), row.key.load_phase.clone())).or_default() += row.finished();
        all
    });
    let of = |name: &str, phase: Option<&str>| phases.get(&(name.to_owned(), phase.map(str::to_owned))).copied().unwrap_or(0);
    // The rate rises evenly, so a quarter of the arrivals lie in the first half: 12 or 13 of 50, each turn.
    assert!((24..=26).contains(&of("/arrivals", Some("first"))), "{phases:?}");
    assert_eq!(of("/arrivals", Some("first")) + of("/arrivals", Some("second")), 100, "{phases:?}");
    assert!(of("/users", None) > 0, "what begins behind the phases has none: {phases:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_that_is_not_in_the_plan_can_not_be_followed() {
    let server = Server::start().await;
    let mut rig = Rig::new(&plan(&server.url(), vec![scenario(vec![step(get("/"))])]), 1).await;
    let refused = rig.engine.drive(LoadModel::Line, MEASURE, &Values::default()).await;
    assert!(matches!(&refused, Err(EngineError::Unsupported { what }) if what.contains("time line")), "{refused:?}");
    rig.close().await;
}
