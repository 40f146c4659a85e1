//! The result in the form of `JUnit`, for build servers: each threshold a test case, the verdict another. A function of the fold; times are
//! those of the session.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::thresholds::{ThresholdLine, threshold_lines};
use super::{text, words};
use crate::model::session::Session;
use crate::model::text::clean;

/// The report of a session; `name` is the recording's.
#[must_use]
pub fn junit(session: &Session, name: &str) -> String {
    let title = session.plan().map_or_else(|| clean(name), |p| clean(&p.name));
    let mut report = Report::new(title);
    report.set_time(session.now().since(crate::model::units::Elapsed::ZERO).duration());
    let mut thresholds = TestSuite::new("thresholds");
    thresholds.add_test_cases(threshold_lines(session).iter().map(threshold));
    if !thresholds.test_cases.is_empty() {
        report.add_test_suite(thresholds);
    }
    let mut verdict_suite = TestSuite::new("verdict");
    verdict_suite.add_test_case(verdict(session));
    report.add_test_suite(verdict_suite);
    // Writing XML into memory can only fail on text that is no XML; such characters were taken out before.
    report.to_string().unwrap_or_default()
}

fn threshold(line: &ThresholdLine) -> TestCase {
    let said = format!("{}: {} (it is {})", line.result, line.pass, line.value);
    case(format!("{} {}", line.metric, line.pass), "thresholds", if line.ok { Ok(said) } else { Err(said) })
}

/// An answer passes, a refusal fails, and where nothing is swept there is nothing to judge.
fn verdict(session: &Session) -> TestCase {
    let Some(judged) = session.judged().last() else {
        let mut status = TestCaseStatus::skipped();
        status.set_message(format!("nothing was judged; {}", text::ending(session)));
        return named("verdict".to_owned(), "verdict", status);
    };
    let answer = words::answer(&judged.verdict);
    let met = judged.verdict.verdict.is_answer() && !judged.verdict.has_flag("slo_unmet");
    case("verdict".to_owned(), "verdict", if met { Ok(answer) } else { Err(answer) })
}

fn case(name: String, class: &str, outcome: Result<String, String>) -> TestCase {
    match outcome {
        Ok(said) => {
            let mut case = named(name, class, TestCaseStatus::success());
            case.set_system_out(said);
            case
        }
        Err(why) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(why);
            named(name, class, status)
        }
    }
}

fn named(name: String, class: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(format!("plimsoll.{class}"));
    case
}
