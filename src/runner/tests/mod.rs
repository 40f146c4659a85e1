//! The runner against doubles of its ports, in virtual time.

mod doubles;
mod line;

use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::*;
use crate::control::testkit;
use crate::model::event::{Event, Phase, Proof, StepEnd};
use crate::model::plan::{Abort, Comparison, Guard, LoadModel, SourceKind, SourcePlan, Threshold};
use crate::model::session::StepStatus;
use crate::model::units::Span;
use crate::model::verdict::Kind;
use doubles::{FakeEngine, FakeScraper, FakeTarget, Manner, World, open, world};

fn plan(values: &[f64]) -> Plan {
    let mut plan = testkit::plan(values, 1);
    plan.experiment.order = crate::model::plan::Order::Listed;
    let kind = SourceKind::Prometheus { url: String::new(), dialects: vec![], select: std::collections::BTreeMap::new() };
    plan.sources = vec![SourcePlan { name: "app".into(), kind, every: Span::from_secs(1) }];
    plan
}

struct Wired {
    plan: Plan,
    parts: Parts,
    commands: UnboundedSender<Command>,
    events: UnboundedReceiver<Stamped>,
}

fn wire(world: &Arc<Mutex<World>>, plan: Plan) -> Wired {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let (reports_tx, reports) = unbounded_channel();
    let (commands, commands_rx) = unbounded_channel();
    let (events_tx, events) = unbounded_channel();
    let parts = Parts {
        engine: Box::new(FakeEngine::new(world.clone(), clock.clone(), reports_tx)),
        clock,
        reports,
        target: Box::new(FakeTarget(world.clone())),
        scrapers: vec![Box::new(FakeScraper(world.clone()))],
        consumers: vec![events_tx],
        commands: commands_rx,
        recorder_failed: None,
        judge: Judge { verdict: |_| None, precise: |_, _, _| false },
        secrets: Vec::new(),
        head: Head::default(),
        fault: None,
    };
    Wired { plan, parts, commands, events }
}

async fn run_to_end(world: &Arc<Mutex<World>>, plan: Plan) -> RunEnd {
    let wired = wire(world, plan);
    run(wired.plan, wired.parts).await
}

fn ends(session: &Session) -> Vec<StepStatus> {
    session.steps().iter().map(crate::model::session::StepState::status).collect()
}

const DONE: StepStatus = StepStatus::Ended(StepEnd::Completed);

#[tokio::test(start_paused = true)]
async fn a_sweep_runs_proves_and_puts_back() {
    let world = world();
    let end = run_to_end(&world, plan(&[20.0, 5.0, 30.0])).await;
    assert_eq!((end.outcome, end.restored, end.cause), (Outcome::Completed, Some(true), None));
    assert_eq!(ends(&end.session), [DONE; 3]);
    assert_eq!(open(&world).applied, [20.0, 5.0, 30.0, 10.0], "each value, then what it was before");
    for step in end.session.steps() {
        let phases: Vec<Phase> = step.phases().iter().map(|p| p.phase).collect();
        assert_eq!(phases, [Phase::Settle, Phase::WarmUp, Phase::Measure, Phase::Drain]);
        assert_eq!(step.proofs()[0].proof, Proof::Acted);
        assert!(step.measured_counts().0 >= 2000, "{:?}", step.measured_counts());
    }
}

#[tokio::test(start_paused = true)]
async fn settling_happens_under_a_share_of_the_load() {
    let world = world();
    run_to_end(&world, plan(&[20.0])).await;
    let drives = open(&world).drives.clone();
    assert_eq!(drives[0].0, LoadModel::Closed { users: 3 });
    assert!(drives.iter().filter(|d| d.1.phase != Phase::Settle).all(|d| d.0 == LoadModel::Closed { users: 10 }));
}

#[tokio::test(start_paused = true)]
async fn measuring_ends_as_soon_as_it_is_precise() {
    let world = world();
    let mut wired = wire(&world, plan(&[20.0]));
    wired.parts.judge.precise = |_, _, _| true;
    let end = run(wired.plan, wired.parts).await;
    let span = end.session.steps()[0].measured().unwrap();
    let length = span.to.unwrap().since(span.from);
    assert!(length >= Span::from_secs(4) && length < Span::from_secs(6), "{length}");
}

#[tokio::test(start_paused = true)]
async fn a_pool_that_keeps_its_surplus_is_refused_and_the_run_goes_on() {
    let world = world();
    open(&world).manner = Manner::Keeps;
    let end = run_to_end(&world, plan(&[20.0, 5.0, 30.0])).await;
    assert_eq!(ends(&end.session), [DONE, StepStatus::Ended(StepEnd::Refused), DONE]);
    let why = &end.session.steps()[1].ended().unwrap().1;
    assert!(why.contains("softEvictConnections"), "{why}");
    assert_eq!((end.outcome, end.cause), (Outcome::Completed, Some(Cause::Unreachable)), "exit code 3 all the same");
}

#[tokio::test(start_paused = true)]
async fn an_echo_is_refused() {
    let world = world();
    open(&world).manner = Manner::Echoes;
    let end = run_to_end(&world, plan(&[20.0])).await;
    assert_eq!(end.session.steps()[0].proofs()[0].proof, Proof::Refuted);
    assert!(!end.session.steps()[0].counts());
    assert!(end.session.steps()[0].ended().unwrap().1.contains("does not act"));
}

#[tokio::test(start_paused = true)]
async fn a_refused_value_is_skipped_with_its_reason() {
    let world = world();
    open(&world).refuses = vec![5.0];
    let end = run_to_end(&world, plan(&[20.0, 5.0])).await;
    assert_eq!(ends(&end.session), [DONE, StepStatus::Ended(StepEnd::Refused)]);
    assert_eq!(end.restored, Some(true));
}

#[tokio::test(start_paused = true)]
async fn putting_back_that_fails_is_shouted_with_the_way_by_hand() {
    let world = world();
    open(&world).refuses = vec![10.0];
    let end = run_to_end(&world, plan(&[20.0])).await;
    assert_eq!((end.restored, end.cause), (Some(false), Some(Cause::Unreachable)));
    assert!(end.session.log().iter().any(|l| l.text.contains("NOT put back") && l.text.contains("curl -d 10")));
}

#[tokio::test(start_paused = true)]
async fn a_silent_source_at_the_start_changes_nothing() {
    let world = world();
    open(&world).silent = true;
    let end = run_to_end(&world, plan(&[20.0])).await;
    assert_eq!((end.outcome, end.cause, end.restored), (Outcome::Failed, Some(Cause::Unreachable), Some(true)));
    assert!(open(&world).applied.is_empty());
    assert!(end.reason.contains("404"), "{}", end.reason);
}

#[tokio::test(start_paused = true)]
async fn a_target_that_never_gets_ready_ends_it() {
    let world = world();
    (open(&world).alive, open(&world).revives) = (false, false);
    let end = run_to_end(&world, plan(&[20.0])).await;
    assert_eq!((end.outcome, end.cause), (Outcome::Failed, Some(Cause::Unreachable)));
}

#[tokio::test(start_paused = true)]
async fn a_target_that_dies_in_a_step_is_waited_for_and_the_step_repeated() {
    let world = world();
    open(&world).dies_at = Some(5.0);
    let end = run_to_end(&world, plan(&[20.0, 5.0, 30.0])).await;
    let void = StepStatus::Ended(StepEnd::Void);
    assert_eq!(ends(&end.session), [DONE, void, DONE, DONE]);
    assert_eq!(end.outcome, Outcome::Completed);
    let values: Vec<_> = end.session.steps().iter().map(|s| s.planned().values.get("pool").unwrap()).collect();
    assert_eq!(values, [20.0, 5.0, 30.0, 5.0], "planned last, run at once");
}

#[tokio::test(start_paused = true)]
async fn a_target_that_dies_for_good_fails_the_run() {
    let world = world();
    (open(&world).dies_at, open(&world).revives) = (Some(20.0), false);
    let end = run_to_end(&world, plan(&[20.0, 5.0])).await;
    assert_eq!((end.outcome, end.cause), (Outcome::Failed, Some(Cause::Unreachable)));
    assert_eq!(ends(&end.session)[0], StepStatus::Ended(StepEnd::Void));
}

#[tokio::test(start_paused = true)]
async fn a_guard_stops_the_step_and_the_run() {
    let world = world();
    open(&world).fails = true;
    let mut plan = plan(&[20.0, 5.0]);
    let guard = Guard { watch: "failed".into(), comparison: Comparison::Above, bound: 0.5, holds: Span::from_secs(2), text: "> 50% for 2s".into() };
    plan.guards = vec![guard];
    let end = run_to_end(&world, plan).await;
    assert_eq!((end.outcome, end.cause, end.restored), (Outcome::Guard, Some(Cause::Guard), Some(true)));
    assert_eq!(ends(&end.session), [StepStatus::Ended(StepEnd::Guard), StepStatus::Planned]);
}

#[tokio::test(start_paused = true)]
async fn a_crossed_threshold_ends_the_run_once_enough_was_measured() {
    let world = world();
    let mut plan = plan(&[20.0, 5.0]);
    let abort = Some(Abort { after: Span::from_secs(2) });
    plan.thresholds = vec![Threshold { abort, ..Threshold::new("http_req_duration", "p(95) < 10ms") }];
    let end = run_to_end(&world, plan).await;
    assert_eq!((end.outcome, end.cause, end.restored), (Outcome::Guard, Some(Cause::Guard), Some(true)));
    assert_eq!(ends(&end.session), [StepStatus::Ended(StepEnd::Guard), StepStatus::Planned]);
    let measured = end.session.steps()[0].measured().unwrap();
    let length = measured.to.unwrap().since(measured.from);
    assert!(length >= Span::from_secs(2) && length < Span::from_secs(4), "{length}");
    assert!(end.session.log().iter().any(|l| l.text.contains("`p(95) < 10ms` is crossed, it reads 20ms")), "{:?}", end.session.log());
    let standing = crate::analysis::thresholds(&end.session);
    assert!(!standing[0].ok && standing[0].value.is_some(), "the step that was cut off still counts");
}

#[tokio::test(start_paused = true)]
async fn a_load_of_so_many_passes_ends_with_them() {
    let world = world();
    let mut plan = plan(&[20.0]);
    plan.settings.clear();
    plan.experiment.warmup = Span::ZERO;
    plan.experiment.measure = crate::model::plan::MeasureRule { min: Span::ZERO, max: Span::from_secs(3600), precision: 0.0 };
    plan.load.passes = Some(1200);
    let end = run_to_end(&world, plan).await;
    assert_eq!((end.outcome, ends(&end.session)), (Outcome::Completed, vec![DONE]));
    let step = &end.session.steps()[0];
    assert!((1200..=2000).contains(&step.iterations().count()), "500 a second: {}", step.iterations().count());
    let phases: Vec<Phase> = step.phases().iter().map(|p| p.phase).collect();
    assert_eq!(phases, [Phase::Measure, Phase::Drain], "no warm-up of no length");
    assert!(step.ended().unwrap().1.contains("all passes are done"));
}

#[tokio::test(start_paused = true)]
async fn a_saturated_generator_marks_its_steps() {
    let world = world();
    open(&world).saturated = true;
    let mut wired = wire(&world, plan(&[20.0]));
    let end = run(wired.plan, wired.parts).await;
    let why = end.session.steps()[0].generator_bound().unwrap();
    assert!(why.contains("busy 97% of the time"), "{why}");
    let mut live = Session::new();
    let mut measured = None;
    let mut shown = None;
    while let Ok(event) = wired.events.try_recv() {
        live.apply(&event);
        if matches!(event.event, Event::PhaseChanged { phase: Phase::Settle, .. }) {
            measured = Some(event.at);
        }
        if live.generator_limit().is_some() && shown.is_none() {
            shown = Some(event.at);
        }
    }
    assert!(shown.unwrap().since(measured.unwrap()) <= Span::from_secs(3), "{shown:?} of {measured:?}");
    let calm = run_to_end(&self::world(), plan(&[20.0])).await;
    assert_eq!(calm.session.steps()[0].generator_bound(), None);
}

#[tokio::test(start_paused = true)]
async fn stopping_puts_back_and_ends_in_order() {
    let world = world();
    let wired = wire(&world, plan(&[20.0, 5.0]));
    let (commands, mut events) = (wired.commands, wired.events);
    let running = tokio::spawn(run(wired.plan, wired.parts));
    while let Some(event) = events.recv().await {
        if matches!(event.event, Event::PhaseChanged { phase: Phase::Measure, .. }) {
            commands.send(Command::Stop).unwrap();
            break;
        }
    }
    let end = running.await.unwrap();
    assert_eq!((end.outcome, end.cause, end.restored), (Outcome::Interrupted, Some(Cause::Interrupted), Some(true)));
    assert_eq!(ends(&end.session)[0], StepStatus::Ended(StepEnd::Interrupted));
    assert_eq!(open(&world).applied, [20.0, 10.0]);
}

#[tokio::test(start_paused = true)]
async fn skipping_goes_on_with_the_next() {
    let world = world();
    let wired = wire(&world, plan(&[20.0, 5.0]));
    let (commands, mut events) = (wired.commands, wired.events);
    let running = tokio::spawn(run(wired.plan, wired.parts));
    let mut skipped = false;
    while let Some(event) = events.recv().await {
        if !skipped && matches!(event.event, Event::PhaseChanged { phase: Phase::WarmUp, .. }) {
            commands.send(Command::SkipStep).unwrap();
            commands.send(Command::Mark("here".into())).unwrap();
            skipped = true;
        }
    }
    let end = running.await.unwrap();
    assert_eq!(ends(&end.session), [StepStatus::Ended(StepEnd::Skipped), DONE]);
    assert!(end.session.log().iter().any(|l| l.text == "here"));
}

#[tokio::test(start_paused = true)]
async fn a_pause_holds_between_steps() {
    let world = world();
    let wired = wire(&world, plan(&[20.0, 5.0]));
    let (commands, mut events) = (wired.commands, wired.events);
    commands.send(Command::Pause).unwrap();
    let running = tokio::spawn(run(wired.plan, wired.parts));
    let mut session = Session::new();
    while session.now() < crate::model::units::Elapsed(60_000_000) {
        session.apply(&events.recv().await.unwrap());
    }
    assert!(session.paused() && session.current().is_none(), "nothing runs in the first minute");
    commands.send(Command::GoOn).unwrap();
    assert_eq!(ends(&running.await.unwrap().session), [DONE, DONE]);
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_middle_of_a_step_ends_in_order() {
    let world = world();
    let mut wired = wire(&world, plan(&[20.0]));
    wired.parts.fault = Some(Fault::PanicInMeasure);
    let end = run(wired.plan, wired.parts).await;
    assert_eq!((end.outcome, end.cause, end.restored), (Outcome::Failed, Some(Cause::Internal), Some(true)));
    assert!(end.reason.contains("injected"), "{}", end.reason);
    assert_eq!(open(&world).applied, [20.0, 10.0]);
}

#[tokio::test(start_paused = true)]
async fn a_full_disk_ends_in_order() {
    let world = world();
    let mut wired = wire(&world, plan(&[20.0, 5.0]));
    let (fail, failed) = oneshot::channel();
    wired.parts.recorder_failed = Some(failed);
    let running = tokio::spawn(run(wired.plan, wired.parts));
    tokio::time::sleep(std::time::Duration::from_secs(6)).await;
    fail.send(StoreError::Write { path: "x.plim".into(), why: "disk full".into() }).unwrap();
    let end = running.await.unwrap();
    assert_eq!((end.outcome, end.cause, end.restored), (Outcome::Failed, Some(Cause::Internal), Some(true)));
    assert!(end.reason.contains("disk full"));
}

#[tokio::test(start_paused = true)]
async fn the_judge_chooses_further_steps_within_the_budget() {
    let world = world();
    let mut wired = wire(&world, plan(&[20.0, 5.0]));
    wired.parts.judge.verdict = |_| Some(testkit::verdict(Kind::Recommend, Some(12.0)));
    let end = run(wired.plan, wired.parts).await;
    let values: Vec<_> = end.session.steps().iter().map(|s| s.planned().values.get("pool").unwrap()).collect();
    assert_eq!(values, [20.0, 5.0, 12.0, 12.0], "a budget of two");
    assert_eq!(end.session.judged().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn what_consumers_saw_folds_to_the_same_session() {
    let world = world();
    let mut wired = wire(&world, plan(&[20.0, 5.0]));
    let end = run(wired.plan, wired.parts).await;
    let mut seen = Session::new();
    while let Ok(event) = wired.events.try_recv() {
        seen.apply(&event);
    }
    assert_eq!(seen, end.session);
}
