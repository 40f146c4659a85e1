//! Time lines in virtual time: who comes, when, under which key, and who stays.

use super::*;
use crate::model::plan::{Arrivals, LoadPhase, Passes, Population, Scenario, ScenarioStep, Segment, TimeLine};

fn secs(s: u64) -> Span {
    Span::from_secs(s)
}

fn rate(from: f64, to: f64, over: u64) -> Segment {
    Segment::Rate { from: Rate::per_second(from), to: Rate::per_second(to), over: secs(over) }
}

fn people(segments: Vec<Segment>) -> Population {
    Population { name: "people".to_owned(), scenarios: Vec::new(), passes: Passes::Times(1), max_users: 10_000, segments }
}

fn plan(populations: Vec<Population>) -> Plan {
    let mut plan = testkit::plan("http://127.0.0.1:1");
    plan.load.model = LoadModel::Line;
    plan.load.line = Some(TimeLine { phases: Vec::new(), populations });
    plan
}

impl Rig {
    fn follow(&self) {
        let crowds = self.worker.job.line.as_ref().unwrap().crowds.len();
        self.worker.desk.follow(crowds, MEASURE, self.worker.now());
    }
}

/// Follows the plan's line from its begin for so long; what each tenth of a second held.
async fn followed(plan: &Plan, service: &Service, length: u64) -> Vec<Part> {
    let rig = Rig::new(plan, service);
    rig.follow();
    sleep(seconds(length)).await;
    rig.worker.desk.hold();
    sleep(seconds(2)).await;
    rig.end().await
}

/// What a figure was in each whole second.
fn per_second(parts: &[Part], figure: impl Fn(&Part) -> u64) -> Vec<u64> {
    parts.chunks(10).map(|second| second.iter().map(&figure).sum()).collect()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of this process alone is a whole number")]
fn planned_in(part: &Part) -> u64 {
    part.planned.unwrap_or(0.0) as u64
}

/// Requests by name and load phase.
fn by_key(job: &Job, parts: &[Part]) -> BTreeMap<(String, Option<String>), u64> {
    let mut out = BTreeMap::new();
    for row in parts.iter().flat_map(|p| &p.rows) {
        let key = &job.keys[row.key];
        *out.entry((key.name.clone(), key.load_phase.clone())).or_default() += row.latency.count();
    }
    out
}

#[tokio::test(start_paused = true)]
async fn ramps_crowds_and_rates_come_second_by_second_as_written() {
    let segments = vec![
        Segment::Ramp { users: 6, over: secs(3) },
        Segment::AtOnce { users: 100 },
        Segment::Nothing { over: secs(2) },
        rate(10.0, 30.0, 4),
        rate(30.0, 0.0, 2),
    ];
    let parts = followed(&plan(vec![people(segments)]), &Service::taking(1), 11).await;
    let planned = per_second(&parts, planned_in);
    // The rate rises by 5 a second and falls by 15: 12.5, 17.5, 22.5, 27.5, 22.5 and 7.5 lie under it, dealt out in whole arrivals.
    assert_eq!(planned[..11], [2, 2, 2, 100, 0, 12, 18, 22, 28, 22, 8]);
    assert_eq!(per_second(&parts, |p| p.sent), planned);
    assert_eq!(planned[11..].iter().sum::<u64>(), 0, "nobody comes behind the line");
}

#[tokio::test(start_paused = true)]
async fn populations_have_their_own_scenarios_times_and_limits() {
    let mut batch = people(vec![Segment::Nothing { over: secs(3) }, Segment::AtOnce { users: 9 }]);
    (batch.name, batch.scenarios, batch.max_users) = ("batch".to_owned(), vec!["batch".to_owned()], 4);
    let mut readers = people(vec![rate(20.0, 20.0, 5)]);
    readers.scenarios = vec!["s".to_owned()];
    let mut plan = plan(vec![readers, batch]);
    plan.scenarios.push(Scenario::new("batch".to_owned(), vec![ScenarioStep::of(testkit::get("/batch"))]));
    let rig = Rig::new(&plan, &Service::taking(300));
    let job = Arc::clone(&rig.worker.job);
    rig.follow();
    sleep(seconds(6)).await;
    let parts = rig.end().await;
    let of = |name: &str| by_key(&job, &parts)[&(name.to_owned(), None)];
    assert_eq!((of("GET /"), of("GET /batch")), (100, 4));
    assert_eq!(per_second(&parts, |p| p.dropped)[..6], [0, 0, 0, 5, 0, 0]);
    assert_eq!(parts.iter().map(planned_in).sum::<u64>(), 109);
}

#[tokio::test(start_paused = true)]
async fn closed_users_go_up_and_down_with_their_line() {
    let segments = vec![
        Segment::Users { from: 0, to: 20, over: secs(4) },
        Segment::Users { from: 20, to: 20, over: secs(2) },
        Segment::Users { from: 20, to: 5, over: secs(3) },
    ];
    let mut plan = plan(vec![people(segments)]);
    plan.scenarios[0].think = Some(Think::Exponential(Span::from_millis(200)));
    let parts = followed(&plan, &Service::taking(1), 9).await;
    let users: Vec<u64> = parts.iter().skip(9).step_by(10).map(|p| p.users).collect();
    // At the ends of the seconds; behind the line's end there is nobody.
    assert_eq!(users, [5, 10, 15, 20, 20, 20, 15, 10, 5, 0, 0]);
    assert!(parts.iter().all(|p| p.planned.is_none()), "closed users are no arrivals");
}

#[tokio::test(start_paused = true)]
async fn users_stay_for_their_passes_for_their_time_or_to_the_end() {
    for (passes, expected) in [(Passes::Times(3), 30), (Passes::For(secs(2)), 40), (Passes::Forever, 200)] {
        let mut crowd = people(vec![Segment::AtOnce { users: 10 }, Segment::Nothing { over: secs(10) }]);
        crowd.passes = passes;
        let mut plan = plan(vec![crowd]);
        plan.scenarios[0].think = Some(Think::Fixed(Span::from_millis(490)));
        let parts = followed(&plan, &Service::taking(10), 10).await;
        let passed: u64 = parts.iter().map(|p| p.iterations.count()).sum();
        // A pass and its pause take half a second and the millisecond that the timer rounds up to.
        assert!(passed <= expected && passed + 10 >= expected, "{passes:?}: {passed}");
        assert_eq!(parts.last().unwrap().users, 0);
        assert_eq!(parts[5].users, 10);
    }
}

#[tokio::test(start_paused = true)]
async fn a_user_that_stays_does_its_once_steps_itself() {
    let mut crowd = people(vec![Segment::Ramp { users: 4, over: secs(8) }]);
    crowd.passes = Passes::Times(2);
    let mut plan = plan(vec![crowd]);
    plan.scenarios[0].once = vec![testkit::get("/login")];
    let rig = Rig::new(&plan, &Service::taking(1));
    let job = Arc::clone(&rig.worker.job);
    rig.follow();
    sleep(seconds(9)).await;
    let counts = by_key(&job, &rig.end().await);
    assert_eq!(counts, [(("GET /".to_owned(), None), 8), (("GET /login".to_owned(), None), 4)].into());
}

#[tokio::test(start_paused = true)]
async fn keys_hold_the_phase_of_the_intended_start() {
    let mut plan = plan(vec![people(vec![rate(10.0, 10.0, 4)])]);
    let phase = |name: &str, s| LoadPhase { name: name.to_owned(), length: secs(s) };
    plan.load.line.as_mut().unwrap().phases = vec![phase("calm", 1), phase("spike", 2)];
    let rig = Rig::new(&plan, &Service::taking(700));
    let job = Arc::clone(&rig.worker.job);
    rig.follow();
    sleep(seconds(5)).await;
    let key = |phase: Option<&str>| ("GET /".to_owned(), phase.map(str::to_owned));
    assert_eq!(by_key(&job, &rig.end().await), [(key(Some("calm")), 10), (key(Some("spike")), 20), (key(None), 10)].into());
}

#[tokio::test(start_paused = true)]
async fn a_line_driven_again_begins_anew_without_its_old_users() {
    let mut crowd = people(vec![Segment::AtOnce { users: 7 }, Segment::Nothing { over: secs(100) }]);
    (crowd.passes, crowd.max_users) = (Passes::Forever, 7);
    let closed = people(vec![Segment::Users { from: 3, to: 3, over: secs(100) }]);
    let mut plan = plan(vec![crowd, closed]);
    plan.scenarios[0].think = Some(Think::Fixed(secs(30)));
    let rig = Rig::new(&plan, &Service::taking(10));
    rig.follow();
    sleep(seconds(5)).await;
    rig.worker.desk.hold();
    sleep(seconds(1)).await;
    rig.follow();
    sleep(seconds(5)).await;
    rig.worker.desk.hold();
    assert_eq!(rig.worker.desk.abandon(), 1);
    sleep(seconds(1)).await;
    rig.drive(LoadModel::Closed { users: 2 });
    sleep(seconds(31)).await;
    let parts = rig.end().await;
    assert_eq!([20, 55, 80, 115, 130].map(|at| parts[at].users), [10, 0, 10, 0, 2]);
    assert_eq!(parts.iter().map(|p| p.dropped).sum::<u64>(), 0, "the second seven find their places");
    assert_eq!(parts[60..110].iter().map(planned_in).sum::<u64>(), 7);
}

#[tokio::test(start_paused = true)]
async fn who_pauses_in_the_middle_of_a_pass_does_not_outlive_its_line() {
    let mut plan = plan(vec![people(vec![Segment::AtOnce { users: 7 }, Segment::Nothing { over: secs(10) }])]);
    let mut first = plan.scenarios[0].steps[0].clone();
    first.think = Some(Think::Fixed(secs(300)));
    plan.scenarios[0].steps = vec![first, ScenarioStep::of(testkit::get("/after"))];
    let rig = Rig::new(&plan, &Service::taking(10));
    let job = Arc::clone(&rig.worker.job);
    rig.follow();
    sleep(seconds(10)).await;
    rig.worker.desk.hold();
    sleep(seconds(1)).await;
    rig.follow();
    sleep(seconds(5)).await;
    let parts = rig.end().await;
    assert_eq!([95, 105, 150].map(|at| parts[at].users), [7, 0, 7]);
    assert_eq!(by_key(&job, &parts), [(("GET /".to_owned(), None), 14)].into());
}

#[tokio::test(start_paused = true)]
async fn a_poisson_load_has_its_mean_and_its_spread() {
    let mut plan = testkit::plan("http://127.0.0.1:1");
    (plan.load.arrivals, plan.load.prestart) = (Arrivals::Poisson, 5);
    let rig = Rig::new(&plan, &Service::taking(1));
    rig.drive(open(50.0));
    sleep(seconds(200)).await;
    let mut planned = per_second(&rig.end().await, planned_in);
    planned.truncate(200);
    let mean = planned.iter().sum::<u64>() as f64 / planned.len() as f64;
    let variance = planned.iter().map(|n| (*n as f64 - mean).powi(2)).sum::<f64>() / (planned.len() - 1) as f64;
    assert!((mean - 50.0).abs() < 1.6, "{mean}");
    assert!((variance - 50.0).abs() < 16.0, "{variance}");
}

#[tokio::test(start_paused = true)]
async fn a_rate_changed_while_it_runs_goes_on_at_once() {
    let rig = Rig::new(&testkit::plan("http://127.0.0.1:1"), &Service::taking(1));
    for hertz in [10.0, 40.0, 20.0] {
        rig.drive(open(hertz));
        sleep(seconds(3)).await;
    }
    let planned = per_second(&rig.end().await, planned_in);
    assert_eq!(planned[..9], [10, 10, 10, 40, 40, 40, 20, 20, 20]);
}
