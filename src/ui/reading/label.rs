//! How steps and settings are called on the screens.

use crate::model::plan::{Plan, Values};
use crate::model::session::{Session, StepState};
use crate::ui::number;

/// The settings that are swept; if none is, the first one.
#[must_use]
pub(crate) fn swept(plan: Option<&Plan>) -> Vec<&str> {
    let Some(plan) = plan else { return Vec::new() };
    let swept: Vec<&str> = plan.swept().map(|s| s.name.as_str()).collect();
    if swept.is_empty() { plan.settings.first().map(|s| s.name.as_str()).into_iter().collect() } else { swept }
}

/// A step in the fewest words: the values of what is swept (`150`, `150×200`).
#[must_use]
pub(crate) fn short(session: &Session, step: &StepState) -> String {
    let values = &step.planned().values;
    let parts: Vec<String> = swept(session.plan()).into_iter().filter_map(|n| values.get(n)).map(number::setting).collect();
    if parts.is_empty() { format!("step {}", step.planned().step) } else { parts.join("×") }
}

/// Values with their names, what is swept and what is held: `pool 150`, `threads 200`.
#[must_use]
pub(crate) fn parted(session: &Session, values: &Values) -> (String, String) {
    let first = swept(session.plan());
    let write = |names: &mut dyn Iterator<Item = &str>| {
        let parts: Vec<String> = names.filter_map(|n| values.get(n).map(|v| format!("{n} {}", number::setting(v)))).collect();
        parts.join("  ")
    };
    let held = write(&mut values.0.keys().map(String::as_str).filter(|n| !first.contains(n)));
    (write(&mut first.iter().copied()), held)
}

/// The name of the setting on the curve's axis: the judge's, or the first swept.
#[must_use]
pub(crate) fn axis(session: &Session) -> String {
    let judged = session.judged().last().and_then(|j| j.verdict.setting.clone());
    judged.or_else(|| swept(session.plan()).first().map(|s| (*s).to_owned())).unwrap_or_else(|| "setting".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testkit;

    #[test]
    fn a_step_is_called_by_what_is_swept() {
        let session = Session::of(testkit::sweep().iter());
        let step = session.steps().first().unwrap();
        assert_eq!(short(&session, step), "100");
        assert_eq!(parted(&session, &step.planned().values), ("pool 100".to_owned(), "threads 200".to_owned()));
        assert_eq!(axis(&session), "pool");
    }

    #[test]
    fn without_a_plan_there_are_numbers() {
        let session = Session::of(testkit::headless_step().iter());
        assert_eq!(short(&session, session.steps().first().unwrap()), "step 1");
        assert_eq!(axis(&session), "setting");
    }
}
