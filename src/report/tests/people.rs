//! What people read: progress lines, the result, the Markdown summary.

use super::{session, story, verdict};
use crate::model::event::{Event, Gap, Stamped};
use crate::model::session::Session;
use crate::model::session::tests::events::plan;
use crate::model::units::Elapsed;
use crate::model::verdict::Kind;
use crate::report::{answer, headline, markdown, plan_text, progress_line, session_text, text_verdict};

fn lines(events: &[Stamped]) -> String {
    let mut session = Session::new();
    let mut out = Vec::new();
    for event in events {
        session.apply(event);
        out.extend(progress_line(event, &session));
    }
    out.join("\n")
}

#[test]
fn a_run_tells_what_it_does_line_by_line() {
    insta::assert_snapshot!(lines(&story()));
}

#[test]
fn a_source_that_stays_silent_is_told_once() {
    let mut events = story()[..4].to_vec();
    for n in 4..7 {
        let gap = Gap { source: "app".into(), instance: None, asked: Elapsed(n), reason: "no answer within 1s".into() };
        events.push(Stamped { seq: n, at: Elapsed(n), event: Event::Gap(gap) });
    }
    let text = lines(&events);
    assert_eq!(text.matches("metrics of app are silent").count(), 1, "{text}");
    assert!(text.contains("warning: metrics"), "{text}");
}

#[test]
fn the_plan_is_told_before_it_is_run() {
    insta::assert_snapshot!(plan_text(&plan()));
}

#[test]
fn a_result_is_an_answer_with_its_certainty_its_reasons_and_its_table() {
    insta::assert_snapshot!(session_text(&session()));
}

#[test]
fn a_summary_holds_everything_a_reader_needs() {
    insta::assert_snapshot!(markdown(&session(), "checkout-1"));
}

#[test]
fn a_demo_is_repeated_by_the_demo() {
    let mut events = story();
    if let Some(Event::SessionStarted(head)) = events.first_mut().map(|e| &mut e.event) {
        head.plan.name = "demo: ticketing".into();
    }
    let text = markdown(&Session::of(&events), "n");
    assert!(text.contains("plimsoll demo --preset ticketing --seed 7\n"), "{text}");
}

#[test]
fn every_kind_of_verdict_has_its_sentence() {
    let kinds = [
        Kind::Recommend,
        Kind::Repeat,
        Kind::EdgeHigh,
        Kind::EdgeLow,
        Kind::Underloaded,
        Kind::ThreadBound,
        Kind::Overloaded,
        Kind::GeneratorBound,
        Kind::Invalid,
    ];
    let all: Vec<String> = kinds.iter().map(|k| format!("{}: {}", headline(*k), answer(&verdict(*k)))).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn a_verdict_without_figures_is_still_one() {
    let mut bare = verdict(Kind::Invalid);
    (bare.value, bare.zone, bare.best_interval_90, bare.expected_regret, bare.next) = (None, None, None, None, None);
    (bare.steps, bare.reasons, bare.flags, bare.derived) = (Vec::new(), Vec::new(), Vec::new(), crate::model::verdict::Derived::default());
    assert_eq!(text_verdict(&bare), "no answer  These data can not be judged.\ndoubt      none");
}

#[test]
fn a_session_cut_off_says_so() {
    let cut = Session::of(&story()[..60]);
    let text = session_text(&cut);
    assert!(text.contains("not ended") && text.contains("unknown"), "{text}");
    assert!(markdown(&cut, "cut").contains("cut off in measure"), "{}", markdown(&cut, "cut"));
    assert!(markdown(&Session::new(), "empty").contains("No step was planned"));
}
