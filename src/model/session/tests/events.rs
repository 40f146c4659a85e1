//! Arbitrary events: whole sessions in good order, and anything at all. Floats are finite, as every event's are.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::option::of as maybe;
use proptest::prelude::*;
use proptest::sample::select;

use crate::model::event::{
    Author, Bound, Cohort, ErrorKind, Event, Gap, Host, Judged, Limit, Note, NoteLevel, Outcome, Phase, PlanChange, Proof, Reading, RequestKey,
    Sample, SessionStarted, SettingApplied, SettingProved, Stamped, StepEnd, StepId, StepPlanned, Tick, TickRow, TotalFigure,
};
use crate::model::histogram::Histogram;
use crate::model::plan::{
    Apply, Comparison, Design, Experiment, Guard, LoadModel, LoadPlan, MeasureRule, Objective, Order, Plan, Quantity, RequestBody, RequestPlan,
    Scenario, ScenarioStep, Setting, Slo, SourceKind, SourcePlan, TargetPlan, Think, Values, Verify,
};
use crate::model::signal::{Signal, Value};
use crate::model::template::Template;
use crate::model::units::{Elapsed, Rate, Span};
use crate::model::verdict::{CurvePoint, Derived, Kind, MeanError, ModelFigures, Next, PoolVerdict, Remark, SCHEMA, ValueFigures};

/// A small plan as a profile would give it: one pool of three values, closed load.
pub(crate) fn plan() -> Plan {
    let request = RequestPlan {
        name: "GET /".into(),
        headers: BTreeMap::from([("Accept".to_owned(), Template::parse("*/*"))]),
        body: Some(RequestBody::Json(serde_json::json!({"n": 1, "x": "{pool}"}))),
        expect_status: vec![200, 404],
        ..RequestPlan::new("GET", "/{feed.id}")
    };
    Plan {
        name: "checkout: pool size".into(),
        target: TargetPlan {
            url: "http://127.0.0.1:8080".into(),
            instances: Vec::new(),
            allow: vec!["127.0.0.1".into()],
            ready: None,
            process: None,
        },
        settings: vec![Setting {
            name: "pool".into(),
            values: vec![30.0, 50.0, 100.0],
            range: (30.0, 100.0),
            apply: Apply::Http { method: "POST".into(), path: Template::parse("/admin/pool"), headers: BTreeMap::new(), body: None },
            verify: Some(Verify { signal: Signal::PoolMax, of: None }),
            restore: Some(10.0),
        }],
        experiment: Experiment {
            design: Design::Grid,
            order: Order::Blocked,
            repeats: 2,
            refine: 2,
            warmup: Span::from_secs(20),
            measure: MeasureRule { min: Span::from_secs(60), max: Span::from_secs(180), precision: 0.01 },
            drain: Span::from_secs(10),
            settle_max: Span::from_secs(45),
            tick: Span::from_secs(1),
            seed: 7,
        },
        load: LoadPlan::new(LoadModel::Closed { users: 200 }, Span::from_secs(10)),
        scenarios: vec![Scenario {
            weight: 80.0,
            think: Some(Think::Between(Span::from_secs(3), Span::from_secs(8))),
            ..Scenario::new("browse".into(), vec![ScenarioStep::of(request)])
        }],
        sources: vec![SourcePlan {
            name: "app".into(),
            kind: SourceKind::Prometheus { url: "http://127.0.0.1:8080/actuator/prometheus".into(), dialects: Vec::new(), select: BTreeMap::new() },
            every: Span::from_secs(1),
        }],
        objective: Objective {
            slo: vec![Slo { quantity: Quantity::Percentile(0.95), comparison: Comparison::Below, bound: 0.8, text: "p95 < 800ms".into() }],
            failure_cost: None,
        },
        thresholds: Vec::new(),
        guards: vec![Guard {
            watch: "failed".into(),
            comparison: Comparison::Above,
            bound: 0.5,
            holds: Span::from_secs(10),
            text: "> 50% for 10s".into(),
        }],
        profile_text: "name = \"checkout: pool size\"\n".into(),
    }
}

/// The head of a session of [`plan`].
pub(crate) fn head() -> SessionStarted {
    SessionStarted {
        plan: plan(),
        version: "0.1.0".into(),
        judge: "pool-judge/1".into(),
        host: Host { os: Some("Linux 6.1".into()), cores: Some(2), memory_bytes: Some(8 << 30) },
        started_at: "2026-11-30T14:03:12+09:00[Asia/Seoul]".into(),
    }
}

/// Any finite float, odd ones often.
pub(crate) fn finite() -> BoxedStrategy<f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |f| f.is_finite()),
        (0_u32..100_000).prop_map(f64::from),
        select(vec![0.0, 0.1, 1.0 / 3.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, 9_007_199_254_740_993.0]),
    ]
    .boxed()
}

fn text() -> BoxedStrategy<String> {
    prop_oneof![
        select(vec!["", "app", "GET /", "it's \"quoted\"; DROP TABLE event", "=1+1", "결제 🚢", "a\u{1b}[31m\nb|c", "nul\0inside"])
            .prop_map(str::to_owned),
        "[a-zA-Z0-9 ._/-]{0,12}",
    ]
    .boxed()
}

fn step() -> BoxedStrategy<StepId> {
    (0_u32..5).prop_map(StepId).boxed()
}

fn phase() -> BoxedStrategy<Phase> {
    select(vec![Phase::Settle, Phase::WarmUp, Phase::Measure, Phase::Drain]).boxed()
}

fn elapsed() -> BoxedStrategy<Elapsed> {
    prop_oneof![9 => (0_u64..200_000_000).prop_map(Elapsed), 1 => any::<u64>().prop_map(Elapsed)].boxed()
}

fn values() -> BoxedStrategy<Values> {
    btree_map(text(), finite(), 0..3).prop_map(Values).boxed()
}

/// A histogram as an engine would fill it, empty ones often.
pub(crate) fn histogram() -> BoxedStrategy<Histogram> {
    prop_oneof![
        1 => Just(Histogram::default()),
        3 => vec((0_u64..700_000_000, 1_u64..2000), 1..12).prop_map(|counts| {
            let mut h = Histogram::default();
            for (us, n) in counts {
                h.record_n(us, n);
            }
            h
        }),
    ]
    .boxed()
}

fn error_kind() -> BoxedStrategy<ErrorKind> {
    select(vec![
        ErrorKind::Refused,
        ErrorKind::ConnectTimeout,
        ErrorKind::Dns,
        ErrorKind::Tls,
        ErrorKind::Timeout,
        ErrorKind::Reset,
        ErrorKind::StaleConnection,
        ErrorKind::LocalPorts,
        ErrorKind::Status,
        ErrorKind::Check,
        ErrorKind::BadAnswer,
        ErrorKind::Unfinished,
    ])
    .boxed()
}

fn key() -> BoxedStrategy<RequestKey> {
    (select(vec!["browse", "buy"]), text(), btree_map(text(), text(), 0..2), maybe(text()))
        .prop_map(|(scenario, name, tags, load_phase)| RequestKey { scenario: scenario.to_owned(), name, tags, load_phase })
        .boxed()
}

fn row() -> BoxedStrategy<TickRow> {
    let slot = prop_oneof![20 => 0_u64..300, 1 => any::<u64>()];
    let cohort = (step(), phase(), slot).prop_map(|(step, phase, slot)| Cohort { step, phase, slot });
    let counts = (prop_oneof![5 => 0_u64..9, 1 => any::<u64>()], prop_oneof![5 => 0_u64..9, 1 => any::<u64>()], 0_u64..9, 0_u64..100_000);
    let failed = btree_map(error_kind(), prop_oneof![20 => 0_u64..50, 1 => any::<u64>()], 0..3);
    (key(), cohort, failed, counts, histogram(), histogram(), histogram(), histogram(), histogram())
        .prop_map(
            |(key, cohort, failed, (stale, checks_passed, checks_failed, bytes), latency, failed_latency, service_time, send_lag, connect_wait)| {
                TickRow {
                    key,
                    cohort,
                    failed,
                    stale,
                    checks_passed,
                    checks_failed,
                    bytes,
                    latency,
                    failed_latency,
                    service_time,
                    send_lag,
                    connect_wait,
                }
            },
        )
        .boxed()
}

/// One interval of load with up to four rows.
pub(crate) fn tick() -> BoxedStrategy<Tick> {
    let counts = (prop_oneof![9 => 0_u64..500, 1 => any::<u64>()], 0_u64..9, 0_u64..500, 0_u64..500);
    (select(vec!["local", "far"]), 0_u64..12, elapsed(), elapsed(), maybe(finite()), counts, histogram(), vec(row(), 0..4))
        .prop_map(|(source, number, from, to, planned, (sent, dropped, in_flight, users), iterations, rows)| Tick {
            source: source.to_owned(),
            number,
            from,
            to,
            planned,
            sent,
            dropped,
            in_flight,
            users,
            iterations,
            rows,
        })
        .boxed()
}

fn reading() -> BoxedStrategy<Reading> {
    let value = prop_oneof![
        finite().prop_map(Value::Gauge),
        finite().prop_map(Value::Counter),
        (finite(), finite()).prop_map(|(sum, count)| Value::Timer { sum, count }),
    ];
    (select(Signal::ALL.to_vec()), maybe(text()), value).prop_map(|(signal, of, value)| Reading { signal, of, value }).boxed()
}

fn sample() -> BoxedStrategy<Sample> {
    (select(vec!["app", "db"]), maybe(text()), elapsed(), elapsed(), vec(reading(), 0..6))
        .prop_map(|(source, instance, asked, answered, readings)| Sample { source: source.to_owned(), instance, asked, answered, readings })
        .boxed()
}

fn remark() -> BoxedStrategy<Remark> {
    (text(), text()).prop_map(|(code, text)| Remark { code, text }).boxed()
}

fn figures() -> BoxedStrategy<ValueFigures> {
    let loss = maybe((finite(), maybe(finite())).prop_map(|(mean, se)| MeanError { mean, se }));
    (finite(), 0_u32..9, 0_u64..1_000_000, loss, vec(maybe(finite()), 15), maybe((finite(), finite())), maybe(text()), maybe(text()))
        .prop_map(|(value, runs, requests, loss_s, f, p95_95, bottleneck, short)| ValueFigures {
            value,
            runs,
            requests,
            loss_s,
            p50_s: f[0],
            p95_s: f[1],
            p95_95,
            p99_s: f[2],
            rate: f[3],
            failed: f[4],
            wait_s: f[5],
            hold_s: f[6],
            active: f[7],
            pending: f[8],
            threads_busy: f[9],
            threads_full: f[10],
            dwait_s: f[11],
            dhold_s: f[12],
            bottleneck,
            short,
        })
        .boxed()
}

fn curve_point() -> BoxedStrategy<CurvePoint> {
    (finite(), finite(), finite(), finite()).prop_map(|(value, loss_s, low_s, high_s)| CurvePoint { value, loss_s, low_s, high_s }).boxed()
}

fn next() -> BoxedStrategy<Next> {
    (finite(), 0_u32..9, text(), btree_map(text(), finite(), 0..2)).prop_map(|(value, runs, why, values)| Next { value, runs, why, values }).boxed()
}

/// Any verdict.
pub(crate) fn verdict() -> BoxedStrategy<PoolVerdict> {
    let kind = select(vec![
        Kind::Recommend,
        Kind::Repeat,
        Kind::EdgeHigh,
        Kind::EdgeLow,
        Kind::Underloaded,
        Kind::ThreadBound,
        Kind::Overloaded,
        Kind::GeneratorBound,
        Kind::Invalid,
    ]);
    let pair = || maybe((finite(), finite()));
    let texts = (maybe(text()), maybe(text()), vec(remark(), 0..3), vec(remark(), 0..3), vec(text(), 0..2));
    let several = (btree_map(text(), finite(), 0..2), btree_map(text(), (finite(), finite()), 0..2));
    let model = maybe((maybe(finite()), maybe(finite()), maybe(finite()), pair()).prop_map(|(sigma, kappa, peak, peak_90)| ModelFigures {
        sigma,
        kappa,
        peak,
        peak_90,
    }));
    let derived = (maybe(any::<u32>()), maybe(finite()), maybe(any::<u32>()), maybe(finite())).prop_map(
        |(threads, connection_timeout_s, bulkhead, sustainable_rate)| Derived { threads, connection_timeout_s, bulkhead, sustainable_rate },
    );
    let numbers = (maybe(finite()), pair(), pair(), maybe(finite()), maybe(finite()));
    let tables = (maybe(next()), vec(figures(), 0..3), vec(curve_point(), 0..3));
    (kind, texts, numbers, several, tables, model, derived)
        .prop_map(
            |(
                verdict,
                (case, setting, reasons, flags, indifferent),
                (value, zone, best, regret, unconstrained),
                (values, zones),
                (next, steps, curve),
                model,
                derived,
            )| {
                PoolVerdict {
                    schema: SCHEMA.to_owned(),
                    case,
                    verdict,
                    setting,
                    value,
                    zone,
                    best_interval_90: best,
                    expected_regret: regret,
                    unconstrained,
                    values,
                    zones,
                    indifferent,
                    next,
                    reasons,
                    flags,
                    steps,
                    curve,
                    model,
                    derived,
                }
            },
        )
        .boxed()
}

fn started() -> BoxedStrategy<Event> {
    (text(), finite(), any::<u64>(), 1_u64..5_000_000)
        .prop_map(|(name, weight, seed, tick_us)| {
            let mut head = head();
            head.plan.name = name;
            head.plan.experiment.seed = seed;
            head.plan.experiment.tick = Span::from_micros(tick_us);
            if let Some(s) = head.plan.scenarios.first_mut() {
                s.weight = weight;
            }
            Event::SessionStarted(Box::new(head))
        })
        .boxed()
}

fn plan_change() -> BoxedStrategy<PlanChange> {
    prop_oneof![
        Just(PlanChange::Pause),
        Just(PlanChange::GoOn),
        Just(PlanChange::Stop),
        step().prop_map(|step| PlanChange::Skip { step }),
        step().prop_map(|step| PlanChange::Repeat { step }),
        values().prop_map(|values| PlanChange::Add { values }),
        (0_u32..900).prop_map(|users| PlanChange::Load { load: LoadModel::Closed { users } }),
        (0_u32..90_000, 1_u32..900)
            .prop_map(|(r, max_users)| PlanChange::Load { load: LoadModel::Open { rate: Rate::per_second(f64::from(r) / 7.0), max_users } }),
    ]
    .boxed()
}

fn settings() -> BoxedStrategy<Event> {
    let proof = select(vec![Proof::Acted, Proof::Unexercised, Proof::Refuted, Proof::Unverified]);
    prop_oneof![
        (maybe(step()), text(), finite(), maybe(text()), text(), any::<bool>()).prop_map(|(step, setting, value, instance, how, restore)| {
            Event::SettingApplied(SettingApplied { step, setting, value, instance, how, restore })
        }),
        (maybe(step()), text(), proof, maybe(finite()), text()).prop_map(|(step, setting, proof, seen, text)| Event::SettingProved(SettingProved {
            step,
            setting,
            proof,
            seen,
            text
        })),
    ]
    .boxed()
}

fn steps() -> BoxedStrategy<Event> {
    let end =
        select(vec![StepEnd::Completed, StepEnd::Skipped, StepEnd::Refused, StepEnd::Void, StepEnd::Guard, StepEnd::Interrupted, StepEnd::Failed]);
    let total = (text(), text(), finite(), text(), maybe(text()), text()).prop_map(|(metric, statistic, value, unit, name, source)| TotalFigure {
        metric,
        statistic,
        value,
        unit,
        name,
        source,
    });
    prop_oneof![
        (step(), values(), 0_u32..3, 0_u32..9).prop_map(|(step, values, block, order)| Event::StepPlanned(StepPlanned {
            step,
            values,
            block,
            order
        })),
        (step(), end, text()).prop_map(|(step, end, reason)| Event::StepEnded { step, end, reason }),
        (step(), phase()).prop_map(|(step, phase)| Event::PhaseChanged { step, phase }),
        (step(), text()).prop_map(|(step, why)| Event::StepExcluded { step, why }),
        (step(), text()).prop_map(|(step, why)| Event::StepIncluded { step, why }),
        (step(), vec(total, 0..3)).prop_map(|(step, figures)| Event::Totals { step, figures }),
    ]
    .boxed()
}

fn words() -> BoxedStrategy<Event> {
    let outcome = select(vec![Outcome::Completed, Outcome::Interrupted, Outcome::Guard, Outcome::Failed]);
    let author = select(vec![Author::Person, Author::Refinement, Author::Guard, Author::Runner]);
    let level = select(vec![NoteLevel::Mark, NoteLevel::Info, NoteLevel::Warning, NoteLevel::Guard]);
    prop_oneof![
        (text(), text()).prop_map(|(version, at)| Event::SessionResumed { version, at }),
        (plan_change(), author, text()).prop_map(|(what, by, why)| Event::PlanChanged { what, by, why }),
        (level, maybe(step()), text()).prop_map(|(level, step, text)| Event::Note(Note { level, step, text })),
        (outcome, maybe(any::<bool>()), text()).prop_map(|(outcome, restored, reason)| Event::SessionEnded { outcome, restored, reason }),
        (maybe(step()), text(), verdict()).prop_map(|(after, judge, verdict)| Event::Judged(Box::new(Judged { after, judge, verdict }))),
        bound(),
        Just(Event::Unknown),
    ]
    .boxed()
}

fn bound() -> BoxedStrategy<Event> {
    let limit = select(vec![Limit::Cpu, Limit::SendLag, Limit::Ports, Limit::Users, Limit::Other]);
    (maybe(step()), elapsed(), 0_u64..2_000_000, limit, 0.0..100.0)
        .prop_map(|(step, from, length, limit, figure)| {
            let bound = Bound { source: "local".into(), from, to: from.plus(Span::from_micros(length)), limit, figure };
            Event::GeneratorBound { step, bound }
        })
        .boxed()
}

/// Any event.
pub(crate) fn event() -> BoxedStrategy<Event> {
    prop_oneof![
        1 => started(),
        2 => settings(),
        6 => steps(),
        3 => words(),
        6 => tick().prop_map(|t| Event::Tick(Box::new(t))),
        4 => sample().prop_map(|s| Event::Sample(Box::new(s))),
        1 => (select(vec!["app", "db"]), maybe(text()), elapsed(), text())
            .prop_map(|(source, instance, asked, reason)| Event::Gap(Gap { source: source.to_owned(), instance, asked, reason })),
    ]
    .boxed()
}

/// Numbers events without gaps, at times that never run backwards.
pub(crate) fn number(events: impl IntoIterator<Item = (Event, u64)>) -> Vec<Stamped> {
    let mut at = 0;
    let stamp = |(seq, (event, wait)): (u64, (Event, u64))| {
        at += wait;
        Stamped { seq, at: Elapsed(at), event }
    };
    (0..).zip(events).map(stamp).collect()
}

/// A well-numbered stream of any events, most often of a session that began and planned its first steps.
pub(crate) fn stream(most: usize) -> BoxedStrategy<Vec<Stamped>> {
    let begun = (started(), vec(values(), 1..5)).prop_map(|(head, steps)| {
        let planned = (0..).zip(steps).map(|(n, values)| Event::StepPlanned(StepPlanned { step: StepId(n), values, block: 0, order: n }));
        std::iter::once(head).chain(planned).collect()
    });
    let opening = prop_oneof![1 => Just(Vec::new()), 3 => begun];
    (opening, vec((event(), prop_oneof![Just(0), 0_u64..3_000_000]), 0..most))
        .prop_map(|(opening, events)| number(opening.into_iter().map(|e| (e, 1000)).chain(events)))
        .boxed()
}

/// Anything: any numbers, any times, in any order.
pub(crate) fn chaos(most: usize) -> BoxedStrategy<Vec<Stamped>> {
    let seq = prop_oneof![9 => 0_u64..1000, 1 => any::<u64>()];
    (vec((event(), seq, elapsed()), 0..most), any::<bool>())
        .prop_map(|(mut events, sorted)| {
            if sorted {
                events.sort_by_key(|(_, seq, _)| *seq);
            }
            events.into_iter().map(|(event, seq, at)| Stamped { seq, at, event }).collect()
        })
        .boxed()
}
