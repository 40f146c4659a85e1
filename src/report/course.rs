//! The load in words: how much of it, its populations over time, and how long a step of it is.

use super::format::{duration, level, share};
use crate::model::plan::{LoadModel, LoadPlan, Passes, Plan, Population, Segment};
use crate::model::text::clean;

/// In one line.
pub(super) fn words(load: &LoadPlan) -> String {
    let at_random = if load.arrivals == crate::model::plan::Arrivals::Poisson { ", at random (Poisson)" } else { "" };
    match (load.model, load.time_line()) {
        (LoadModel::Closed { users }, _) => format!("{users} users, each waiting for its answer (closed load)"),
        (LoadModel::Open { rate, max_users }, _) => {
            let rate = level(rate.as_per_second());
            format!("{rate} arrivals/s whatever the answers (open load){at_random}, at most {max_users} requests in flight")
        }
        (LoadModel::Line, None) => "a time line that is not in the plan".to_owned(),
        (LoadModel::Line, Some(line)) => {
            let people: Vec<String> = line.populations.iter().map(|p| clean(&p.name)).collect();
            let who = if people.len() == 1 { "population" } else { "populations" };
            let phases: Vec<String> = line.phases.iter().map(|p| format!("{} {}", clean(&p.name), duration(p.length))).collect();
            let phases = if phases.is_empty() { String::new() } else { format!("; phases {}", phases.join(", ")) };
            format!("a time line of {} with {who} {}{at_random}{phases}", duration(line.length()), people.join(", "))
        }
    }
}

/// Each population of a time line with when its users come and how long they stay.
pub(super) fn populations(load: &LoadPlan) -> Vec<(String, String)> {
    let all = load.time_line().map(|line| line.populations.as_slice()).unwrap_or_default();
    all.iter().map(|p| (clean(&p.name), population(p))).collect()
}

fn population(p: &Population) -> String {
    let mut parts: Vec<String> = p.segments.iter().map(|s| segment(*s)).collect();
    if p.segments.iter().any(|s| !matches!(s, Segment::Users { .. } | Segment::Nothing { .. })) {
        parts.push(match p.passes {
            Passes::Times(1) => "each for one pass".to_owned(),
            Passes::Times(n) => format!("each for {n} passes"),
            Passes::For(span) => format!("each for {}", duration(span)),
            Passes::Forever => "each to the end".to_owned(),
        });
        parts.push(format!("at most {} at once", p.max_users));
    }
    parts.join(", ")
}

fn segment(segment: Segment) -> String {
    match segment {
        Segment::Ramp { users, over } => format!("{users} over {}", duration(over)),
        Segment::AtOnce { users } => format!("{users} at once"),
        Segment::Rate { from, to, over } if from.as_per_second() + to.as_per_second() <= 0.0 => format!("nobody for {}", duration(over)),
        Segment::Rate { from, to, over } if from == to => format!("{}/s for {}", level(to.as_per_second()), duration(over)),
        Segment::Rate { from, to, over } => format!("{}/s to {}/s in {}", level(from.as_per_second()), level(to.as_per_second()), duration(over)),
        Segment::Nothing { over } => format!("nobody for {}", duration(over)),
        Segment::Users { from, to, over } if from == to => format!("{to} users for {}", duration(over)),
        Segment::Users { from, to, over } => format!("{from} to {to} users in {}", duration(over)),
    }
}

/// What a step is made of, up to its drain.
pub(super) fn lengths(plan: &Plan) -> String {
    let e = &plan.experiment;
    let settle = duration(e.settle_max);
    if let Some(line) = plan.load.time_line() {
        return format!(
            "settle without load up to {settle}, measure the whole time line of {}, drain up to {}",
            duration(line.length()),
            duration(e.drain)
        );
    }
    format!(
        "settle up to {settle}, warm-up {}, measure {} to {} (until the loss is known to {}), drain up to {}",
        duration(e.warmup),
        duration(e.measure.min),
        duration(e.measure.max),
        share(e.measure.precision),
        duration(e.drain)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plan::{LoadPhase, TimeLine};
    use crate::model::units::{Rate, Span};

    fn plan(model: LoadModel) -> LoadPlan {
        LoadPlan::new(model, Span::from_secs(10))
    }

    fn minutes(m: u64) -> Span {
        Span::from_secs(m * 60)
    }

    #[test]
    fn every_model_has_its_words() {
        assert_eq!(words(&plan(LoadModel::Closed { users: 3 })), "3 users, each waiting for its answer (closed load)");
        let mut open = plan(LoadModel::Open { rate: Rate::per_second(80.0), max_users: 9 });
        assert_eq!(words(&open), "80 arrivals/s whatever the answers (open load), at most 9 requests in flight");
        open.arrivals = crate::model::plan::Arrivals::Poisson;
        assert!(words(&open).contains("(open load), at random (Poisson),"), "{}", words(&open));
        assert!(words(&plan(LoadModel::Line)).contains("not in the plan"));
    }

    #[test]
    fn a_time_line_names_its_populations_and_phases() {
        let rate = |v| Rate::per_second(v);
        let people = |name: &str, passes, segments| Population { name: name.into(), scenarios: vec![], passes, max_users: 50, segments };
        let mut load = plan(LoadModel::Line);
        load.line = Some(TimeLine {
            phases: vec![LoadPhase { name: "calm".into(), length: minutes(8) }, LoadPhase { name: "spi\u{1b}[1mke".into(), length: minutes(2) }],
            populations: vec![
                people(
                    "readers",
                    Passes::For(minutes(1)),
                    vec![
                        Segment::Ramp { users: 40, over: minutes(2) },
                        Segment::Nothing { over: minutes(6) },
                        Segment::Rate { from: rate(1.0), to: rate(3.0), over: minutes(2) },
                    ],
                ),
                people("staff", Passes::Times(1), vec![Segment::Users { from: 0, to: 5, over: minutes(1) }]),
                people(
                    "batch",
                    Passes::Times(1),
                    vec![
                        Segment::AtOnce { users: 1 },
                        Segment::Rate { from: rate(0.0), to: rate(0.0), over: minutes(3) },
                        Segment::Rate { from: rate(2.0), to: rate(2.0), over: minutes(1) },
                    ],
                ),
            ],
        });
        assert_eq!(words(&load), "a time line of 10 min with populations readers, staff, batch; phases calm 8 min, spike 2 min");
        let told: Vec<String> = populations(&load).into_iter().map(|(name, text)| format!("{name}: {text}")).collect();
        assert_eq!(
            told,
            [
                "readers: 40 over 2 min, nobody for 6 min, 1/s to 3/s in 2 min, each for 1 min, at most 50 at once",
                "staff: 0 to 5 users in 1 min",
                "batch: 1 at once, nobody for 3 min, 2/s for 1 min, each for one pass, at most 50 at once",
            ]
        );
    }
}
