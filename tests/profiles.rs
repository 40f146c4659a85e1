//! Profiles as people meet them: every shipped one reads, every broken one gets exactly its message. A case is a pair of files in
//! `tests/profiles/broken`, so that adding one needs no Rust; `PROFILES_BLESS=1` writes the messages anew, to be read before they
//! are kept.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use plimsoll::lab::PresetLoad;
use plimsoll::model::plan::{Apply, LoadModel, LoadPlan, Plan, Scenario, Segment, Think};
use plimsoll::model::rows::Rows;
use plimsoll::model::units::Span;
use plimsoll::profile::{self, ProfileErrors, Source};
use plimsoll::prometheus;
use proptest::prelude::*;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn files(name: &str, ending: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder(name)).unwrap().map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|x| x == ending)).collect();
    found.sort();
    found
}

fn parse(name: &str, text: &str) -> Result<Plan, ProfileErrors> {
    let env = |name: &str| (name == "TOKEN").then(|| "s3cr3t-t0ken".to_owned());
    let file = |name: &str| {
        let beside = ["profiles", "tests/profiles/broken"].map(|place| fs::read(folder(place).join(name)));
        beside.into_iter().find_map(Result::ok).ok_or_else(|| "there is no such file".to_owned())
    };
    profile::parse(text, &Source { name, env: &env, files: &file, dialects: &prometheus::known() })
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn every_shipped_profile_reads() {
    let shipped = files("profiles", "toml");
    assert!(!shipped.is_empty());
    for path in shipped {
        let plan = parse(&name_of(&path), &fs::read_to_string(&path).unwrap()).unwrap_or_else(|e| panic!("{e}"));
        assert!(!plan.settings.is_empty() && !plan.scenarios.is_empty(), "{}", path.display());
    }
}

#[test]
fn every_broken_profile_gets_its_message() {
    let cases = files("tests/profiles/broken", "toml");
    assert!(cases.len() >= 10);
    for path in &cases {
        let errors = parse(&name_of(path), &fs::read_to_string(path).unwrap()).expect_err(&format!("{} is not broken", path.display()));
        let expected = path.with_extension("expected");
        if std::env::var_os("PROFILES_BLESS").is_some() {
            fs::write(&expected, format!("{errors}\n")).unwrap();
        }
        let wanted = fs::read_to_string(&expected).unwrap_or_else(|_| panic!("{} is missing; the message is\n{errors}", expected.display()));
        assert_eq!(errors.to_string().trim_end(), wanted.trim_end(), "{}", path.display());
        assert!(errors.errors().iter().all(|e| e.hint.is_some()), "{}: an error without a hint", path.display());
    }
    assert_eq!(cases.len(), files("tests/profiles/broken", "expected").len(), "a message without its profile");
}

#[test]
fn the_shipped_spring_boot_profiles_differ_in_how_the_pool_is_changed() {
    let read = |name: &str| parse(name, &fs::read_to_string(folder("profiles").join(name)).unwrap()).unwrap();
    let (http, restart) = (read("spring-boot-http.toml"), read("spring-boot-restart.toml"));
    assert_eq!(http.load.model, LoadModel::Closed { users: 120 });
    let pool = http.setting("pool").unwrap();
    assert_eq!(pool.values, [4.0, 8.0, 16.0, 32.0, 64.0, 96.0]);
    assert!(matches!(&pool.apply, Apply::Http { method, path, .. } if method == "POST" && path.to_string() == "/admin/settings"));
    assert!(http.target.process.is_none());

    let restarted = restart.setting("pool").unwrap();
    assert_eq!((&restarted.apply, restarted.restore), (&Apply::Restart, Some(10.0)));
    assert!(restart.target.process.as_ref().is_some_and(|p| p.env.iter().any(|(name, _)| name == "SPRING_DATASOURCE_HIKARI_MAXIMUM_POOL_SIZE")));
    assert_eq!((&restarted.values, &restart.scenarios, &restart.sources), (&pool.values, &http.scenarios, &http.sources));
}

#[test]
fn the_shipped_lab_profile_is_the_labs_own_preset() {
    let plan = parse("x.toml", &fs::read_to_string(folder("profiles/lab.toml")).unwrap()).unwrap();
    let preset = plimsoll::lab::presets::find("ticketing").unwrap();
    assert_eq!(plan.setting("pool").unwrap().values, preset.values.map(f64::from));
    let PresetLoad::Closed { users, think } = preset.load else { panic!("{:?}", preset.load) };
    assert_eq!(plan.load, LoadPlan::new(LoadModel::Closed { users }, preset.timeout.into()));
    assert_eq!(plan.scenarios[0].think, Some(Think::Between(think.0.into(), think.1.into())));
    assert_eq!(plan.scenarios[0].steps[0].request().unwrap().path.to_string(), preset.path);
    let (e, lengths) = (&plan.experiment, preset.lengths);
    assert_eq!(
        (e.tick, e.warmup, e.drain, e.settle_max),
        (lengths.tick.into(), lengths.warmup.into(), lengths.drain.into(), lengths.settle_max.into())
    );
    assert_eq!((e.measure.min, e.measure.max), (lengths.measure_min.into(), lengths.measure_max.into()));
    assert_eq!((e.repeats, e.refine), (preset.repeats, preset.refine));
    assert_eq!(plan.objective.slo.iter().map(|s| s.text.as_str()).collect::<Vec<_>>(), preset.slo);
}

#[test]
fn the_readmes_load_reads() {
    let readme = fs::read_to_string(folder("README.md")).unwrap();
    let example = readme.split("## Writing a load").nth(1).and_then(|rest| rest.split("```toml\n").nth(1)).and_then(|rest| rest.split("```").next());
    let plan = parse("readme.toml", example.unwrap()).unwrap_or_else(|e| panic!("{e}"));
    let line = plan.load.line.unwrap();
    assert_eq!((line.phases.len(), line.length()), (2, Span::from_secs(150)));
    assert_eq!(plan.thresholds.len(), 1);
    for page in readme.split("](").filter_map(|rest| rest.split(')').next()).filter(|link| link.starts_with("assets/docs/")) {
        assert!(folder(page).exists(), "{page}");
    }
}

#[test]
fn the_shipped_flows_are_the_published_ones() {
    let shipped = |name: &str| parse(name, &fs::read_to_string(folder("profiles").join(name)).unwrap()).unwrap();
    let purchase = shipped("purchase-flow.toml");
    let line = purchase.load.line.unwrap();
    let rates: Vec<f64> =
        line.populations[0].segments.iter().filter_map(|s| if let Segment::Rate { to, .. } = s { Some(to.as_per_second()) } else { None }).collect();
    assert_eq!((rates.as_slice(), line.populations[0].max_users, purchase.load.prestart), ([30.0, 50.0, 70.0, 100.0, 0.0].as_slice(), 500, 50));
    assert_eq!(line.length(), line.phases[0].length);
    let phases = shipped("four-phase.toml");
    let line = phases.load.line.unwrap();
    let names: Vec<&str> = line.phases.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["baseline", "batch", "spike", "cooldown"]);
    assert!(line.populations.iter().all(|p| p.length() <= Span::from_secs(35 * 60)));
    let rows = Rows::csv(&fs::read(folder("profiles/accounts.csv")).unwrap()).unwrap();
    assert_eq!((rows.rows.len(), rows.columns.len()), (19, 3));
    let sync: Vec<_> = phases.scenarios.iter().flat_map(Scenario::requests).filter(|r| r.name.starts_with("sync")).collect();
    assert!(sync.len() == 2 && sync.iter().all(|r| r.expect_status == [202, 409]));
}

#[test]
fn no_depth_makes_it_overflow() {
    for text in [
        format!("guard.{} = 1", vec!["a"; 20_000].join(".")),
        format!("[guard.{}]\nx = \"> 1 for 1s\"", vec!["a"; 20_000].join(".")),
        format!("name = {}1{}", "[".repeat(20_000), "]".repeat(20_000)),
        format!("name = {}1{}", "{ a = ".repeat(20_000), " }".repeat(20_000)),
        format!("[[scenario]]\n[[scenario.step]]\npost = \"/\"\njson.{} = \"{{x}}\"", vec!["a"; 20_000].join(".")),
    ] {
        assert!(!parse("x", &text).unwrap_err().errors().is_empty());
        let _ = profile::apply_override(&text, "load.users=5").map(|t| t.len());
    }
    let deep = format!("{}=5", vec!["a"; 20_000].join("."));
    let _ = profile::apply_override("", &deep);
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(?s).{0,200}") {
        let _ = parse("x", &text).map_err(|e| e.to_string());
    }

    #[test]
    fn no_damage_to_a_real_profile_makes_it_panic(at in 0usize..2500, cut in 0usize..40, put in "[\\[\\]{}\"'=.,#a-z0-9$é\n -]{0,12}") {
        let mut text = fs::read_to_string(folder("profiles/spring-boot-http.toml")).unwrap();
        let start = (0..=at.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap();
        let end = (start..=(start + cut).min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap();
        text.replace_range(start..end, &put);
        if let Err(errors) = parse("x", &text) {
            prop_assert!(!errors.errors().is_empty());
            prop_assert!(!errors.to_string().is_empty());
        }
    }

    #[test]
    fn no_damage_to_a_load_over_time_makes_it_panic(at in 0usize..8000, cut in 0usize..40, put in "[\\[\\]{}\"'=.,#a-z0-9$é\n -]{0,12}") {
        let mut text = fs::read_to_string(folder("profiles/four-phase.toml")).unwrap();
        let start = (0..=at.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap();
        let end = (start..=(start + cut).min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap();
        text.replace_range(start..end, &put);
        if let Err(errors) = parse("x", &text) {
            prop_assert!(errors.errors().iter().all(|e| e.hint.is_some()), "{}", errors);
        }
    }
}
