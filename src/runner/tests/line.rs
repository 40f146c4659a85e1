//! Steps whose load is a time line: measured over exactly that line, with nothing sent before it.

use super::*;
use crate::model::plan::{Passes, Population, Segment, TimeLine};

/// A line of 37 seconds.
fn along_a_line(values: &[f64]) -> Plan {
    let mut plan = plan(values);
    let segments = vec![Segment::AtOnce { users: 5 }, Segment::Nothing { over: Span::from_secs(37) }];
    let people = Population { name: "people".into(), scenarios: vec![], passes: Passes::Forever, max_users: 10, segments };
    plan.load.model = LoadModel::Line;
    plan.load.line = Some(TimeLine { phases: vec![], populations: vec![people] });
    plan
}

#[tokio::test(start_paused = true)]
async fn a_time_line_is_measured_whole_and_alone() {
    let world = world();
    let mut wired = wire(&world, along_a_line(&[20.0, 5.0]));
    wired.parts.judge.precise = |_, _, _| panic!("a time line is not asked how precise it is");
    let end = run(wired.plan, wired.parts).await;
    assert_eq!((end.outcome, end.restored), (Outcome::Completed, Some(true)));
    assert_eq!(ends(&end.session), [DONE; 2]);
    for step in end.session.steps() {
        let phases: Vec<Phase> = step.phases().iter().map(|p| p.phase).collect();
        assert_eq!(phases, [Phase::Settle, Phase::Measure, Phase::Drain]);
        let span = step.measured().unwrap();
        let length = span.to.unwrap().since(span.from);
        assert!(length >= Span::from_secs(37) && length < Span::from_millis(37_050), "{length}");
        assert_eq!(step.ended().unwrap().1, "measured its time line of 37.0 s");
        assert_eq!(step.proofs()[0].proof, Proof::Acted, "read back without load, seen to be reached under the line");
    }
    let drives = open(&world).drives.clone();
    assert_eq!(drives.iter().map(|d| (d.0, d.1.phase)).collect::<Vec<_>>(), [(LoadModel::Line, Phase::Measure); 2], "driven once a step");
    assert_eq!(open(&world).applied, [20.0, 5.0, 10.0]);
}

#[tokio::test(start_paused = true)]
async fn a_setting_that_does_not_read_back_refuses_the_line() {
    let world = world();
    open(&world).manner = Manner::Keeps;
    let end = run_to_end(&world, along_a_line(&[20.0, 5.0])).await;
    assert_eq!(ends(&end.session), [DONE, StepStatus::Ended(StepEnd::Refused)]);
    assert_eq!(open(&world).drives.len(), 1, "the second line is never followed");
}

#[tokio::test(start_paused = true)]
async fn a_line_without_settings_begins_at_once() {
    let world = world();
    let mut plan = along_a_line(&[]);
    plan.settings.clear();
    let end = run_to_end(&world, plan).await;
    let phases: Vec<Phase> = end.session.steps()[0].phases().iter().map(|p| p.phase).collect();
    assert_eq!(phases, [Phase::Measure, Phase::Drain]);
}
