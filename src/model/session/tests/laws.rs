//! Each law of the fold, tried on arbitrary streams.

use proptest::prelude::*;

use super::events::{chaos, stream};
use crate::model::event::{Event, Phase, RequestKey, Stamped, StepId, Tick};
use crate::model::histogram::Histogram;
use crate::model::session::{Anomaly, MOST_SLICES, Session};

fn config() -> ProptestConfig {
    ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() }
}

/// A session without the numbers that count events: what is left is what can be seen.
fn visible(session: &Session) -> Session {
    Session { revision: 0, next_seq: 0, ..session.clone() }
}

/// Everything a screen asks of a session; it must not panic whatever the session holds.
fn draw(session: &Session) -> usize {
    let flow = session.flow();
    let steps = session.steps().iter().map(|s| {
        let figures = (s.status(), s.measured(), s.latency().quantile(0.95), s.failed(), s.counts(), s.phase());
        format!("{figures:?}").len() + s.measured_slots().map(|(_, f)| f.mean_s().map_or(0, |_| 1)).sum::<usize>()
    });
    let series = session.series().values().map(|t| t.rates().len() + t.timer_means().len());
    format!("{flow:?}").len() + steps.sum::<usize>() + series.sum::<usize>() + session.log().len()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn total_any_events_in_any_order_leave_a_state_that_can_be_drawn(events in chaos(30)) {
        let session = Session::of(&events);
        prop_assert!(draw(&session) > 0);
        prop_assert!(session.revision() <= events.len() as u64);
    }

    #[test]
    fn total_also_when_a_good_stream_is_cut_doubled_and_shuffled(events in stream(30).prop_flat_map(|events| {
        let doubled: Vec<Stamped> = events.iter().chain(&events).cloned().collect();
        let most = doubled.len();
        (Just(doubled).prop_shuffle(), 0..=most)
    })) {
        let (shuffled, cut) = events;
        let broken: Vec<Stamped> = (0..).zip(shuffled.into_iter().skip(cut)).map(|(seq, e)| Stamped { seq, ..e }).collect();
        prop_assert!(draw(&Session::of(&broken)) > 0);
    }

    #[test]
    fn pure_the_same_events_give_the_same_session(events in stream(30)) {
        prop_assert_eq!(Session::of(&events), Session::of(&events));
    }

    #[test]
    fn every_prefix_can_be_drawn_and_gone_on_from(events in stream(25), cut in any::<prop::sample::Index>()) {
        let at = cut.index(events.len() + 1);
        let mut session = Session::of(&events[..at]);
        prop_assert!(draw(&session) > 0);
        for event in &events[at..] {
            session.apply(event);
        }
        prop_assert_eq!(session, Session::of(&events));
    }

    #[test]
    fn live_equals_replay_through_the_written_form(events in stream(25)) {
        let text = serde_json::to_string(&events).unwrap();
        let back: Vec<Stamped> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(Session::of(&back), Session::of(&events));
    }

    #[test]
    fn the_revision_moves_exactly_when_something_visible_did(events in prop_oneof![stream(30), chaos(30)]) {
        let mut session = Session::new();
        for event in &events {
            let before = session.clone();
            session.apply(event);
            let moved = session.revision() != before.revision();
            prop_assert_eq!(moved, visible(&session) != visible(&before), "{:?}", event);
            prop_assert!(session.revision() >= before.revision());
        }
    }

    #[test]
    fn an_event_seen_twice_changes_nothing(events in stream(30)) {
        let once = Session::of(&events);
        let mut twice = once.clone();
        for event in &events {
            twice.apply(event);
        }
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn slices_are_few_ordered_and_add_up_to_the_whole(events in stream(40)) {
        let session = Session::of(&events);
        for step in session.steps() {
            let mut all = Histogram::default();
            for (key, figures) in step.names() {
                prop_assert!(figures.slices.len() <= MOST_SLICES);
                prop_assert!(figures.slices.windows(2).all(|w| w[0].to_slot <= w[1].from_slot));
                let whole = rows(&events, step.planned().step, key);
                prop_assert_eq!(figures.latency(), whole.clone());
                all.merge(&whole);
            }
            prop_assert_eq!(step.latency(), all);
        }
    }

    #[test]
    fn a_missing_event_is_counted(events in stream(12), cut in any::<prop::sample::Index>()) {
        prop_assume!(events.len() > 1);
        let mut holed = events.clone();
        holed.remove(cut.index(events.len() - 1));
        let missing = |events: &[Stamped]| Session::of(events).anomalies().get(&Anomaly::MissingEvents).copied();
        prop_assert_eq!((missing(&holed), missing(&events)), (Some(1), None));
    }
}

/// The successes of the measure phase of one request in one step, merged from the ticks the fold took: each number of a source once,
/// of steps planned by then.
fn rows(events: &[Stamped], step: StepId, key: &RequestKey) -> Histogram {
    let (mut seen, mut planned, mut all) = (std::collections::BTreeSet::new(), false, Histogram::default());
    for stamped in events {
        match &stamped.event {
            Event::StepPlanned(p) if p.step == step => planned = true,
            Event::Tick(tick) if seen.insert((tick.source.clone(), tick.number)) && planned => {
                merge_measured(tick, step, key, &mut all);
            }
            _ => {}
        }
    }
    all
}

fn merge_measured(tick: &Tick, step: StepId, key: &RequestKey, into: &mut Histogram) {
    for row in tick.rows.iter().filter(|r| r.cohort.step == step && r.cohort.phase == Phase::Measure && &r.key == key) {
        into.merge(&row.latency);
    }
}
