//! `plimsoll load URL`: one step of load at one address, by the same engine and runner as an experiment. Nothing is set, nothing is judged.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::time::Duration;

use reqwest::Url;
use tokio::sync::mpsc::unbounded_channel;

use super::args::{Common, LoadArgs};
use super::exit::{CliError, Exit};
use super::paths::new_recording;
use super::print::{err, out};
use super::run::{exit_of, told_recording};
use super::screen::{self, Opening};
use super::stop::stop_signal;
use super::wire::{Form, Launch, end_of, start};
use crate::control::Command;
use crate::load::LocalEngine;
use crate::model::event::Outcome;
use crate::model::plan::{
    Design, Experiment, HttpPlan, HttpVersion, LoadModel, LoadPlan, MeasureRule, Objective, Order, Plan, RequestBody, RequestPlan, Scenario,
    ScenarioStep, TargetPlan, TlsPlan,
};
use crate::model::session::{LogLevel, Session};
use crate::model::template::Template;
use crate::model::units::Span;
use crate::profile::{self, Profile};
use crate::report;
use crate::runner::RunEnd;

/// Users without a word about them.
const USERS: u32 = 50;
/// Length without a word about it.
const LENGTH: Span = Span::from_secs(10);
/// Requests in flight under open load without a word about them.
const IN_FLIGHT: u32 = 10_000;
/// The longest wait for an answer without a word about it.
const TIMEOUT: Span = Span::from_secs(60);
/// How long the address may take to take a connection before anything is sent.
const CONNECT: Duration = Duration::from_secs(5);
/// Headers whose values are kept out of recordings, also when they were typed.
const SECRET: [&str; 6] = ["authorization", "proxy-authorization", "cookie", "x-api-key", "x-auth-token", "x-csrf-token"];

/// Runs it: with the live screen on a terminal, headless elsewhere or when asked.
pub(super) async fn run(args: &LoadArgs, common: &Common) -> Result<Exit, CliError> {
    let on_screen = !args.headless && !args.json && std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    let profile = plan(args)?;
    let recording = args.output.as_deref().map(|path| new_recording(Some(path), "load", "")).transpose()?;
    reachable(&profile.plan.target.url).await?;
    let launch = Launch { profile, files: std::path::PathBuf::from("."), recording, lab: None, form: Form::Load };
    if on_screen { screen::show(Opening::Run(Box::new(launch)), common).await } else { headless(launch, args.json, common.ascii).await }
}

async fn headless(launch: Launch, json: bool, ascii: bool) -> Result<Exit, CliError> {
    let (watcher, mut events) = unbounded_channel();
    err(&format!("load: {}", report::load_line(&launch.profile.recorded)));
    let running = start(launch, vec![watcher]).await?;
    let printer = tokio::spawn(async move {
        let (mut session, mut told) = (Session::new(), 0);
        while let Some(event) = events.recv().await {
            session.apply(&event);
            for line in session.log().iter().skip(told).filter(|l| l.level >= LogLevel::Warning) {
                err(&format!("{}  {}", line.at, line.text));
            }
            told = session.log().len();
        }
    });
    let commands = running.commands.clone();
    let stopper = tokio::spawn(async move {
        stop_signal().await;
        let _gone = commands.send(Command::Stop);
    });
    let recording = running.recording.clone();
    let end = end_of(running).await?;
    stopper.abort();
    let _ = printer.await;
    print_end(&end, json, ascii);
    told_recording(recording.as_deref());
    Ok(exit_of(&end))
}

/// Prints what the load showed.
pub(super) fn print_end(end: &RunEnd, json: bool, ascii: bool) {
    if end.outcome != Outcome::Completed {
        err(&format!("plimsoll: {}: {}", end.outcome.name(), end.reason));
    }
    let workers = LocalEngine::usual_workers();
    if json { out(&report::load_summary(&end.session, workers).to_string()) } else { out(&report::load_text(&end.session, workers, ascii)) }
}

/// Whether somebody takes a connection there.
async fn reachable(origin: &str) -> Result<(), CliError> {
    let url = address(origin)?;
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let port = url.port_or_known_default().unwrap_or(80);
    let why = match tokio::time::timeout(CONNECT, tokio::net::TcpStream::connect((host.as_str(), port))).await {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(error)) => error.to_string(),
        Err(_late) => format!("no connection within {} s", CONNECT.as_secs()),
    };
    Err(CliError::new(Exit::Unreachable, format!("connecting to {host}:{port}: {why}")).hint("is the service running there?"))
}

fn address(text: &str) -> Result<Url, CliError> {
    let wrong = |why: &str| CliError::usage(format!("`{}` is no address to load: {why}", shown(text))).hint("write it as http://127.0.0.1:8080/path");
    if !text.contains("://") {
        return Err(wrong("it does not begin with http:// or https://"));
    }
    let url = Url::parse(text).map_err(|e| wrong(&e.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("only http and https can be spoken here"));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(wrong("it names no host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(CliError::usage("the address holds a user's name or password").hint("send them as -H 'Authorization: Basic ${TOKEN}'"));
    }
    Ok(url)
}

/// An address without its user part and query, which may hold secrets.
fn shown(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    match text.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?.1))) {
        Some((scheme, rest)) => format!("{scheme}://***@{rest}"),
        None => text.to_owned(),
    }
}

/// The plan of one step, to run by and to keep.
fn plan(args: &LoadArgs) -> Result<Profile, CliError> {
    let url = address(&args.url)?;
    let (headers, kept) = headers(&args.headers)?;
    let real = plan_with(args, &url, headers);
    let recorded = plan_with(args, &url, kept);
    Ok(Profile { plan: real, recorded })
}

fn plan_with(args: &LoadArgs, url: &Url, headers: BTreeMap<String, Template>) -> Plan {
    let timeout = args.timeout.unwrap_or(TIMEOUT);
    let request = request(args, url, headers);
    let host = url.host_str().unwrap_or_default().to_owned();
    let mut load = LoadPlan::new(model(args), timeout);
    load.passes = args.requests;
    load.http = http(args);
    Plan {
        name: format!("load {}", shown(url.as_str())),
        target: TargetPlan { url: origin(url), instances: Vec::new(), allow: vec![host], ready: None, process: None },
        settings: Vec::new(),
        experiment: experiment(args, timeout),
        load,
        scenarios: vec![Scenario::new("load".to_owned(), vec![ScenarioStep::of(request)])],
        sources: Vec::new(),
        objective: Objective::default(),
        thresholds: Vec::new(),
        guards: Vec::new(),
        profile_text: String::new(),
    }
}

fn origin(url: &Url) -> String {
    let port = url.port().map_or_else(String::new, |p| format!(":{p}"));
    format!("{}://{}{port}", url.scheme(), url.host_str().unwrap_or_default())
}

fn model(args: &LoadArgs) -> LoadModel {
    match args.rate {
        Some(rate) => LoadModel::Open { rate, max_users: args.max_in_flight.unwrap_or(IN_FLIGHT) },
        None => LoadModel::Closed { users: args.users.unwrap_or(USERS) },
    }
}

fn http(args: &LoadArgs) -> HttpPlan {
    HttpPlan {
        version: if args.http2 { HttpVersion::Http2 } else { HttpVersion::Auto },
        tls: TlsPlan { insecure: args.insecure, ..TlsPlan::default() },
        keep_alive: !args.disable_keepalive,
        ..HttpPlan::default()
    }
}

/// Measured from the first request on, for a time, or until all requests were made.
fn experiment(args: &LoadArgs, timeout: Span) -> Experiment {
    let length = args.duration.unwrap_or(LENGTH);
    let measure = match args.requests {
        Some(_) => MeasureRule { min: Span::from_secs(86_400), max: Span::from_secs(86_400), precision: 0.0 },
        None => MeasureRule { min: length, max: length, precision: 0.0 },
    };
    let tick = if args.requests.is_some() { 50 } else { (length.as_micros() / 20_000).clamp(50, 500) / 10 * 10 };
    Experiment {
        design: Design::Grid,
        order: Order::Listed,
        repeats: 1,
        refine: 0,
        warmup: Span::ZERO,
        measure,
        drain: timeout,
        settle_max: Span::ZERO,
        tick: Span::from_millis(tick),
        seed: 7,
    }
}

fn request(args: &LoadArgs, url: &Url, headers: BTreeMap<String, Template>) -> RequestPlan {
    let method = args.method.as_ref().map_or_else(|| if args.body.is_some() { "POST" } else { "GET" }.to_owned(), |m| m.to_uppercase());
    let query = url.query().map_or_else(String::new, |q| format!("?{q}"));
    let mut request = RequestPlan::new(&method, &literal(&format!("{}{query}", url.path())));
    // The query may hold secrets and makes a long name.
    request.name = format!("{method} {}", url.path());
    request.headers = headers;
    request.body = args.body.as_ref().map(|text| RequestBody::Text(Template::parse(&literal(text))));
    request
}

/// Text in which no placeholder begins.
fn literal(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

type Headers = BTreeMap<String, Template>;

/// The headers to send and those to keep: `${NAME}` from the environment, and never a value that is a secret.
fn headers(typed: &[String]) -> Result<(Headers, Headers), CliError> {
    let (mut sent, mut kept) = (BTreeMap::new(), BTreeMap::new());
    for line in typed {
        let hint = "write it as -H 'Accept: application/json'";
        let (name, value) = line.split_once(':').ok_or_else(|| CliError::usage("a header without a colon").hint(hint))?;
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)) {
            return Err(CliError::usage(format!("`{name}` is no name of a header")).hint(hint));
        }
        let filled = profile::with_variables(value, super::run::secret).map_err(|missing| {
            CliError::usage(format!("header {name}: the environment has no {}", missing.join(", "))).hint("set it, or write the value itself")
        })?;
        if filled.chars().any(|c| c.is_control() && c != '\t') {
            return Err(CliError::usage(format!("header {name}: its value has a character that no header may have")).hint(hint));
        }
        let hidden = SECRET.contains(&name.to_ascii_lowercase().as_str()) && filled == value;
        kept.insert(name.to_owned(), Template::parse(&literal(if hidden { "***" } else { value })));
        sent.insert(name.to_owned(), Template::parse(&literal(&filled)));
    }
    Ok((sent, kept))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::super::args::{Cli, Command as Parsed};
    use super::*;
    use crate::model::units::Rate;

    fn args(typed: &str) -> LoadArgs {
        let all = ["plimsoll", "load"].into_iter().chain(typed.split_whitespace());
        match Cli::try_parse_from(all).unwrap().command {
            Some(Parsed::Load(args)) => *args,
            other => panic!("{other:?}"),
        }
    }

    fn planned(typed: &str) -> Plan {
        plan(&args(typed)).unwrap().plan
    }

    #[test]
    fn fifty_users_for_ten_seconds_unless_told_otherwise() {
        let p = planned("http://h/a/b?x=1");
        assert_eq!(p.load.model, LoadModel::Closed { users: 50 });
        assert_eq!((p.experiment.measure.min, p.experiment.measure.max), (LENGTH, LENGTH));
        assert_eq!((p.load.timeout, p.load.passes, p.target.url.as_str()), (TIMEOUT, None, "http://h"));
        assert_eq!(p.target.allow, ["h"], "the typed host is the allowed one");
        let request = p.scenarios[0].requests().next().unwrap().clone();
        assert_eq!((request.name.as_str(), request.path.fill(|_| None).as_str()), ("GET /a/b", "/a/b?x=1"));
    }

    #[test]
    fn bare_numbers_are_seconds_and_per_second() {
        let p = planned("https://[::1]:8443/ -r 1000 -d 90 -t 2 --max-in-flight 7 --http2 --insecure --disable-keepalive");
        assert_eq!(p.load.model, LoadModel::Open { rate: Rate::per_second(1000.0), max_users: 7 });
        assert_eq!((p.experiment.measure.max, p.load.timeout), (Span::from_secs(90), Span::from_secs(2)));
        assert_eq!((p.load.http.version, p.load.http.tls.insecure, p.load.http.keep_alive), (HttpVersion::Http2, true, false));
        assert_eq!(p.target.url, "https://[::1]:8443");
        assert_eq!(planned("http://h -r 60/m -n 5").load.passes, Some(5));
        for wrong in ["-d 1m -n 5", "-c 1 -r 5", "-c 1 --max-in-flight 5", "-d 0", "-r 0", "-c 0", "-n 0", "-r fast", "-t 5x"] {
            let typed = format!("plimsoll load http://h {wrong}");
            assert!(Cli::try_parse_from(typed.split_whitespace()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn braces_are_text_and_a_body_makes_it_a_post() {
        let p = planned("http://h/{x} -b {\"a\":\"{b}\"}");
        let request = p.scenarios[0].requests().next().unwrap().clone();
        assert_eq!(request.method, "POST");
        let Some(RequestBody::Text(body)) = request.body else { panic!("a text") };
        assert!(body.is_plain() && request.path.is_plain());
        assert_eq!(body.fill(|_| None), "{\"a\":\"{b}\"}");
    }

    #[test]
    fn secrets_of_headers_are_sent_and_not_kept() {
        let typed = ["Authorization: Bearer abc", "X-Home: ${PATH}", "Accept: */*"].map(str::to_owned);
        let (sent, kept) = headers(&typed).unwrap();
        let text = |all: &Headers, name: &str| all[name].fill(|_| None);
        assert_eq!((text(&sent, "Authorization"), text(&kept, "Authorization")), ("Bearer abc".to_owned(), "***".to_owned()));
        assert_eq!(text(&sent, "X-Home"), std::env::var("PATH").unwrap());
        assert_eq!((text(&kept, "X-Home"), text(&kept, "Accept")), ("${PATH}".to_owned(), "*/*".to_owned()));
        for wrong in ["no colon", "bad name: x", "X: ${PLIMSOLL_NO_SUCH_VARIABLE}"] {
            assert_eq!(headers(&[wrong.to_owned()]).unwrap_err().exit, Exit::Usage, "{wrong}");
        }
    }

    #[test]
    fn addresses_are_http_and_hold_no_secret() {
        for wrong in ["h:80", "ftp://h/", "http://", "http://u:p@h/"] {
            let error = address(wrong).unwrap_err();
            assert!(error.exit == Exit::Usage && !error.to_string().contains("u:p"), "{error}");
        }
        assert_eq!(shown("http://u:p@h/a?token=1"), "http://***@h/a");
    }
}
