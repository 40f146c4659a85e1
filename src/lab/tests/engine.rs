//! The engine's rules, each in virtual time.

use super::simulate::route;
use crate::lab::contention::Contention;
use crate::lab::demand::Work;
use crate::lab::engine::{Engine, Outcome, Route};
use crate::lab::presets;
use crate::lab::settings::{Behaviour, Settings};
use crate::lab::station::Nanos;

const MS: Nanos = 1_000_000;

/// A service of simple numbers: ten milliseconds a request, no spread, no contention, one connection and many threads.
fn simple() -> Settings {
    Settings {
        pool_max: 1,
        pool_connection_timeout_ms: 25.0,
        db_law: Contention::Usl { sigma: 0.0, kappa: 0.0 },
        db_demand_ms: 10.0,
        demand_cv: 0.0,
        ..presets::find("plateau").unwrap().service
    }
}

fn engine(settings: Settings) -> Engine<u32> {
    Engine::new(settings, 1)
}

/// What ended by `until`, with the moment of each.
fn ends(engine: &mut Engine<u32>, until: Nanos) -> Vec<(Nanos, u32, Outcome)> {
    let mut ends = Vec::new();
    while let Some(due) = engine.due().filter(|&due| due <= until) {
        engine.run_to(due);
        ends.extend(engine.take_ended().into_iter().map(|ended| (due, ended.token, ended.outcome)));
    }
    engine.run_to(until);
    ends
}

fn arrive(engine: &mut Engine<u32>, tokens: std::ops::Range<u32>) {
    tokens.for_each(|token| engine.arrive(route(), token).unwrap());
}

#[test]
fn one_connection_serves_in_the_order_of_arrival() {
    let mut engine = engine(simple());
    arrive(&mut engine, 0..2);
    let ends = ends(&mut engine, 100 * MS);
    assert_eq!(ends, [(10 * MS, 0, Outcome::Served), (20 * MS, 1, Outcome::Served)]);
    assert_eq!(engine.meters.acquire.sum, 10 * MS);
    assert_eq!((engine.meters.usage.count, engine.meters.usage.sum), (2, 20 * MS));
}

#[test]
fn patience_ends_with_the_words_of_hikari() {
    let mut engine = engine(simple());
    arrive(&mut engine, 0..5);
    let ends = ends(&mut engine, 25 * MS);
    let message = "HikariPool-1 - Connection is not available, request timed out after 25ms \
                   (total=1, active=1, idle=0, waiting=1)";
    assert_eq!(ends[2], (25 * MS, 3, Outcome::NoConnection(message.into())));
    assert_eq!(engine.meters.timeouts, 2);
    // Three were lent a connection, two waited in vain: all five count as acquisitions.
    assert_eq!(engine.meters.acquire.count, 5);
    assert_eq!(engine.meters.acquire.sum, (10 + 20 + 25 + 25) * MS);
}

#[test]
fn a_late_caller_sees_everything_at_its_own_moment() {
    let mut late = engine(simple());
    arrive(&mut late, 0..2);
    late.run_to(1_000 * MS);
    assert_eq!(late.meters.acquire.sum, 10 * MS, "not a second");
    assert_eq!(late.take_ended().len(), 2);
}

#[test]
fn sessions_slow_each_other_down_while_they_are_together() {
    let shared = Settings { pool_max: 2, db_law: Contention::Usl { sigma: 1.0, kappa: 0.0 }, ..simple() };
    let mut engine = engine(shared);
    arrive(&mut engine, 0..1);
    engine.run_to(5 * MS);
    arrive(&mut engine, 1..2);
    // Half done when the second comes: both at half speed until 15, then the second alone for its other half.
    let ends = ends(&mut engine, 100 * MS);
    assert_eq!(ends, [(15 * MS, 0, Outcome::Served), (20 * MS, 1, Outcome::Served)]);
}

#[test]
fn requests_beyond_the_threads_wait_and_beyond_the_queue_are_refused() {
    let narrow = Settings { threads_max: 2, accept_count: 1, ..simple() };
    let mut engine = engine(narrow);
    arrive(&mut engine, 0..3);
    assert_eq!(engine.arrive(route(), 3), Err(3));
    assert_eq!(engine.threads(), (2, 2));
    let ends = ends(&mut engine, 100 * MS);
    assert_eq!(ends.len(), 3);
    // The third began when the first had ended: its time before a thread is not in the service's own timer.
    let timer = engine.meters.requests.values().next().unwrap();
    assert_eq!(timer.sum, (10 + 20 + 20) * MS);
}

#[test]
fn threads_added_take_those_who_wait() {
    let narrow = Settings { threads_max: 1, pool_max: 4, ..simple() };
    let mut engine = engine(narrow.clone());
    arrive(&mut engine, 0..3);
    assert_eq!(engine.threads().0, 1);
    engine.change(Settings { threads_max: 3, ..narrow });
    assert_eq!(engine.threads().0, 3);
    assert_eq!(ends(&mut engine, 10 * MS).len(), 3);
}

#[test]
fn a_raised_maximum_is_filled_one_connection_after_the_other() {
    let slow = Settings { pool_connect_ms: 2.0, ..simple() };
    let mut engine = engine(slow.clone());
    engine.change(Settings { pool_max: 4, ..slow });
    engine.run_to(3 * MS);
    assert_eq!(engine.pool.total(), 2);
    engine.run_to(50 * MS);
    assert_eq!(engine.pool.total(), 4);
    assert_eq!(engine.meters.creation.count, 4);
}

#[test]
fn a_lowered_maximum_acts_within_one_hold_or_not_at_all() {
    for (behaviour, total) in [(Behaviour::Evict, 2), (Behaviour::Keep, 8), (Behaviour::Echo, 8)] {
        let wide = Settings { pool_max: 8, behaviour, ..simple() };
        let mut engine = engine(wide.clone());
        arrive(&mut engine, 0..20);
        engine.change(Settings { pool_max: 2, ..wide });
        assert_eq!(engine.pool.told_max(), 2);
        engine.run_to(10 * MS);
        assert_eq!(engine.pool.total(), total, "{behaviour:?}");
        assert_eq!(engine.pool.in_use(), total, "{behaviour:?}: those who wait are served by what there is");
    }
}

#[test]
fn a_new_law_acts_on_those_at_work() {
    let mut engine = engine(simple());
    arrive(&mut engine, 0..1);
    engine.run_to(5 * MS);
    let doubled = Settings { db_demand_ms: 20.0, ..simple() };
    engine.change(doubled);
    arrive(&mut engine, 1..2);
    let ends = ends(&mut engine, 100 * MS);
    assert_eq!(ends[0].0, 10 * MS, "the demand it came with");
    assert_eq!(ends[1].0, 30 * MS, "the new demand");
}

#[test]
fn the_cores_of_the_service_are_shared_and_metered() {
    let computing = Settings { pool_max: 10, cpu_cores: 1.0, cpu_outside_ms: 3.0, cpu_inside_ms: 2.0, ..simple() };
    let mut engine = engine(computing);
    arrive(&mut engine, 0..2);
    engine.run_to(5 * MS);
    assert_eq!(engine.pool.in_use(), 0, "two share a core for six milliseconds");
    engine.run_to(7 * MS);
    assert_eq!((engine.pool.in_use(), engine.database_sessions()), (2, 2));
    engine.run_to(17 * MS);
    assert_eq!((engine.pool.in_use(), engine.database_sessions()), (2, 0), "idle in transaction");
    let ends = ends(&mut engine, 20 * MS);
    assert_eq!(ends.iter().map(|end| end.0).collect::<Vec<_>>(), [20 * MS, 20 * MS]);
    let used = engine.modelled_cpu().unwrap().used_s;
    assert!((used - 0.010).abs() < 1e-9, "{used}");
}

#[test]
fn nothing_is_left_when_everyone_has_gone() {
    let mut engine = engine(simple());
    arrive(&mut engine, 0..40);
    let ends = ends(&mut engine, 1_000 * MS);
    assert_eq!(ends.len(), 40);
    assert_eq!(engine.threads().0, 0);
    assert_eq!((engine.pool.in_use(), engine.pool.pending(), engine.database_sessions()), (0, 0, 0));
    assert_eq!(engine.due(), None);
}

/// A route with ten milliseconds of work and twenty more with the connection held.
fn held() -> Route {
    Route { work: Work { held_ms: Some((20.0, 20.0)), ..Work::USUAL }, status: 201, ..route() }
}

#[test]
fn a_wait_for_another_service_keeps_the_connection_and_leaves_the_database_free() {
    let mut engine = engine(simple());
    engine.arrive(held(), 0).unwrap();
    engine.run_to(15 * MS);
    assert_eq!((engine.pool.in_use(), engine.database_sessions()), (1, 0));
    assert_eq!(ends(&mut engine, 100 * MS), [(30 * MS, 0, Outcome::Served)]);
    assert_eq!(engine.meters.usage.sum, 30 * MS);
    let statuses: Vec<u16> = engine.meters.requests.keys().map(|key| key.status).collect();
    assert_eq!(statuses, [201], "counted as it is answered");
}

#[test]
fn work_of_its_own_takes_a_connection_but_no_thread_and_is_no_request() {
    let mut engine = engine(Settings { threads_max: 1, ..simple() });
    engine.background(Work::times(2.0), 7);
    assert_eq!((engine.threads().0, engine.pool.in_use()), (0, 1));
    engine.arrive(route(), 0).unwrap();
    assert_eq!(ends(&mut engine, 100 * MS), [(20 * MS, 7, Outcome::Served), (30 * MS, 0, Outcome::Served)]);
    assert_eq!(engine.meters.requests.values().map(|timer| timer.count).sum::<u64>(), 1);
    assert_eq!(engine.meters.usage.count, 2);
}

#[test]
fn work_of_its_own_gives_up_as_others_do() {
    let mut engine = engine(simple());
    arrive(&mut engine, 0..5);
    engine.background(Work::USUAL, 9);
    let ends = ends(&mut engine, 25 * MS);
    assert!(matches!(ends.last(), Some((at, 9, Outcome::NoConnection(_))) if *at == 25 * MS), "{ends:?}");
    assert_eq!(engine.threads().0, 1, "one request is still at work");
}
