//! Every key refuses what is of another kind, with its own name and what would be right: a table of what people write by mistake.

use super::{LEAST, attempt, refusals};

/// The least profile with a key of `[load]` in place of its users.
fn load(keys: &str) -> String {
    LEAST.replace("users = 5", keys)
}

/// The least profile with keys of its one step.
fn step(keys: &str) -> String {
    LEAST.replace("get = \"/\"", keys)
}

/// The least profile with keys of its one scenario.
fn scenario(keys: &str) -> String {
    LEAST.replace("name = \"s\"", &format!("name = \"s\"\n{keys}"))
}

/// What is refused first, and the hint of it.
#[track_caller]
fn first(text: &str) -> (String, String) {
    let errors = attempt(text).expect_err("it was read");
    let error = &errors.errors()[0];
    (error.message.clone(), error.hint.clone().unwrap_or_default())
}

#[test]
fn keys_of_the_load() {
    for (keys, said) in [
        ("users = \"5\"", "`load.users`: expected a whole number, found text"),
        ("users = 5.5", "`load.users`: expected a whole number, found a number"),
        ("users = -5", "`load.users`: `-5` is out of bounds"),
        ("users = 5_000_000_000", "`load.users`: `5000000000` is too large"),
        ("users = [5]", "`load.users`: expected a whole number, found a list"),
        ("users = 5\ntimeout = 10", "`load.timeout`: `10` has no unit"),
        ("users = 5\ntimeout = true", "`load.timeout`: expected a time, found true or false"),
        ("users = 5\ntimeout = \"10 apples\"", "`load.timeout`: `10 apples` is not a time"),
        ("rate = 5", "`load.rate`: `5` has no unit"),
        ("rate = { per_second = 5 }", "`load.rate`: expected a rate, found a table"),
        ("rate = \"5/s\"\nprestart = \"50\"", "`load.prestart`: expected a whole number, found text"),
        ("rate = \"5/s\"\narrivals = true", "`load.arrivals`: expected text, found true or false"),
        ("rate = \"5/s\"\nmax_users = \"many\"", "`load.max_users`: expected a whole number, found text"),
        ("model = \"half-open\"", "`load.model`: \"half-open\" is not known here"),
        ("users = 5\nconnect_timeout = 2", "`load.connect_timeout`: `2` has no unit"),
    ] {
        assert_eq!(first(&load(keys)).0, said, "{keys}");
    }
    assert_eq!(refusals("[target]\nurl = \"http://127.0.0.1\"\nload = 5\n[[scenario]]\nname = \"s\"\nstep = []").len(), 2, "load stands in [target]");
}

#[test]
fn keys_of_stages_populations_and_phases() {
    for (keys, said) in [
        ("stage = 5", "`load.stage`: expected a list, found a whole number"),
        ("stage = [5]", "`load.stage`: expected a table, found a whole number"),
        ("stage = [{ to = 5 }]", "`load.stage`: `for` is missing"),
        ("stage = [{ for = \"1m\" }]", "`load.stage`: `to` is missing"),
        ("stage = [{ to = true, for = \"1m\" }]", "`load.stage.to`: expected a rate or a number of users, found true or false"),
        ("stage = [{ to = -1, for = \"1m\" }]", "`load.stage.to`: `-1` is out of bounds"),
        ("stage = [{ to = 5, four = \"1m\" }]", "`load.stage`: `for` is missing"),
        ("population = [{ inject = [] }]", "`load.population`: `name` is missing"),
        ("population = [{ name = \"p\" }]", "`load.population`: `inject` is missing"),
        ("population = [{ name = 5, inject = [] }]", "`load.population.name`: expected text, found a whole number"),
        ("population = [{ name = \"p\", inject = \"ramp\" }]", "`load.population.inject`: expected a list, found text"),
        ("population = [{ name = \"p\", inject = [\"ramp\"] }]", "`load.population.inject`: expected a table, found text"),
        ("population = [{ name = \"p\", inject = [], passes = true }]", "`load.population.passes`: expected a number of passes, found true or false"),
        ("population = [{ name = \"p\", inject = [], passes = {} }]", "`load.population.passes`: `for` is missing"),
        ("population = [{ name = \"p\", inject = [], passes = -1 }]", "`load.population.passes`: `-1` is out of bounds"),
        ("population = [{ name = \"p\", inject = [], scenarios = \"s\" }]", "`load.population.scenarios`: expected a list, found text"),
        (
            "population = [{ name = \"p\", inject = [{ ramp = \"40\", over = \"1m\" }] }]",
            "`load.population.inject.ramp`: expected a whole number, found text",
        ),
        (
            "population = [{ name = \"p\", inject = [{ at_once = 1.5 }] }]",
            "`load.population.inject.at_once`: expected a whole number, found a number",
        ),
        ("population = [{ name = \"p\", inject = [{ nothing = 5 }] }]", "`load.population.inject.nothing`: `5` has no unit"),
        ("population = [{ name = \"p\", inject = [{ users = [1, 2, 3], for = \"1m\" }] }]", "`load.population.inject.users`: expected two, found 3"),
        (
            "population = [{ name = \"p\", inject = [{ users = [1, \"2\"], for = \"1m\" }] }]",
            "`load.population.inject.users`: expected a whole number, found text",
        ),
        ("phase = [{ name = \"a\" }]", "`load.phase`: `for` is missing"),
        ("phase = [{ for = \"1m\" }]", "`load.phase`: `name` is missing"),
        ("phase = { name = \"a\", for = \"1m\" }", "`load.phase`: expected a list, found a table"),
    ] {
        assert_eq!(first(&load(keys)).0, said, "{keys}");
    }
}

#[test]
fn keys_of_sending() {
    for (keys, said) in [
        ("http = 2", "`load.http`: expected a table, found a whole number"),
        ("http = { connections = 5 }", "`load.http.connections`: 5 says not whose the connections are"),
        ("http = { connections = { shared = \"16\" } }", "`load.http.connections.shared`: expected a whole number, found text"),
        ("http = { resolve = 1 }", "`load.http.resolve`: expected text, found a whole number"),
        ("http = { redirects = true }", "`load.http.redirects`: expected a whole number, found true or false"),
        ("http = { keepalive = true }", "`load.http`: unknown key `keepalive`"),
        ("tls = { ca = 5 }", "`load.tls.ca`: expected text, found a whole number"),
        ("tls = { insecure = 1 }", "`load.tls.insecure`: expected true or false, found a whole number"),
        ("tls = true", "`load.tls`: expected a table, found true or false"),
    ] {
        assert_eq!(first(&load(&format!("users = 5\n{keys}"))).0, said, "{keys}");
    }
    assert_eq!(first(&load("users = 5\nhttp = { keepalive = true }")).1, "did you mean `keep_alive`?");
}

#[test]
fn keys_of_scenarios() {
    for (keys, said) in [
        ("weight = \"3\"", "`scenario.weight`: expected a number, found text"),
        ("weight = nan", "`scenario.weight`: `nan` is no number to go by"),
        ("weight = inf", "`scenario.weight`: `inf` is no number to go by"),
        ("think = \"1s\"", "`scenario.think`: expected a table, found text"),
        ("think = { between = [\"1s\"] }", "`scenario.think.between`: expected two, found 1"),
        ("think = { between = \"1s\" }", "`scenario.think.between`: expected a list, found text"),
        ("think = { fixed = 1 }", "`scenario.think.fixed`: `1` has no unit"),
        ("feeder = \"accounts.csv\"", "`scenario.feeder`: expected a table, found text"),
        ("feeder = { csv = 5 }", "`scenario.feeder.csv`: expected text, found a whole number"),
        ("feeder = { cvs = \"a\" }", "`scenario.feeder`: unknown key `cvs`"),
        ("tags = [\"a\"]", "`scenario.tags`: expected a table, found a list"),
        ("tags = { a = 1 }", "`scenario.tags.a`: expected text, found a whole number"),
        ("once = { get = \"/\" }", "`scenario.once`: expected a list, found a table"),
    ] {
        assert_eq!(first(&scenario(keys)).0, said, "{keys}");
    }
}

#[test]
fn keys_of_steps() {
    for (keys, said) in [
        ("get = 5", "`scenario.step.get`: expected text, found a whole number"),
        ("pause = true", "`scenario.step.pause`: expected a time, found true or false"),
        ("pause = {}", "`scenario.step.pause`: no think time"),
        ("repeat = \"3\"\nstep = [{ get = \"/\" }]", "`scenario.step.repeat`: expected a whole number, found text"),
        ("during = 30\nstep = [{ get = \"/\" }]", "`scenario.step.during`: `30` has no unit"),
        ("choose = { get = \"/\" }", "`scenario.step.choose`: expected a list, found a table"),
        ("choose = [\"/\"]", "`scenario.step.choose`: expected a table, found text"),
        ("step = [{ weight = \"1\", get = \"/\" }]", "`scenario.step.step.weight`: expected a number, found text"),
        ("get = \"/\"\nquery = \"a=b\"", "`scenario.step.query`: expected a table, found text"),
        ("get = \"/\"\nquery = { page = 0 }", "`scenario.step.query.page`: expected text, found a whole number"),
        ("get = \"/\"\nheaders = { X = 1 }", "`scenario.step.headers.X`: expected text, found a whole number"),
        ("post = \"/\"\nform = [\"a\"]", "`scenario.step.form`: expected a table, found a list"),
        ("post = \"/\"\nfile = { name = \"a\" }", "`scenario.step.file`: expected text, found a table"),
        ("post = \"/\"\nmultipart = { name = \"a\" }", "`scenario.step.multipart`: expected a list, found a table"),
        ("post = \"/\"\nmultipart = [{ text = \"a\" }]", "`scenario.step.multipart`: `name` is missing"),
        ("get = \"/\"\ncheck = { is = \"a\" }", "`scenario.step.check`: expected a list, found a table"),
        ("get = \"/\"\ncheck = [{ is = [1] }]", "`scenario.step.check.is`: expected text, found a list"),
        ("get = \"/\"\ncheck = [{ contains = 1 }]", "`scenario.step.check.contains`: expected text, found a whole number"),
        ("get = \"/\"\ncheck = [{ exists = \"yes\" }]", "`scenario.step.check.exists`: expected true or false, found text"),
        ("get = \"/\"\nexpect = 200", "`scenario.step.expect`: expected a table, found a whole number"),
        ("get = \"/\"\nexpect = { status = \"200\" }", "`scenario.step.expect.status`: expected a list, found text"),
        ("get = \"/\"\nexpect = {}", "`scenario.step.expect`: `status` is missing"),
        ("get = \"/\"\nextract = \"json:$.a\"", "`scenario.step.extract`: expected a table, found text"),
        ("get = \"/\"\nextract = { a = 5 }", "`scenario.step.extract.a`: expected text, found a whole number"),
        ("name = \"x\"", "`scenario.step`: no request: which method, which path?"),
    ] {
        assert_eq!(first(&step(keys)).0, said, "{keys}");
    }
}

#[test]
fn hints_show_what_to_write() {
    for (text, hint) in [
        (load("users = \"5\""), "write it without quotes, as 5"),
        (load("rate = 5"), "write a rate with its unit, as \"80/s\" or \"4800/m\""),
        (load("stage = [{ to = \"5\", for = \"1m\" }]"), "write \"5/s\" for arrivals, or a number without quotes for users"),
        (load("stage = [5]"), "write it as [[load.stage]] with to = \"30/s\" and for = \"1m\""),
        (load("population = [{ name = \"p\" }]"), "write it as inject = [ { ramp = 40, over = \"2m\" }, { nothing = \"5m\" } ]"),
        (scenario("feeder = { cvs = \"a\" }"), "known here: csv, json, strategy"),
        (step("get = \"/\"\ncheck = [{ iz = \"a\" }]"), "did you mean `is`?"),
        (step("gett = \"/\""), "write get = \"/path\", or post, put, patch, delete, head, options"),
    ] {
        assert_eq!(first(&text).1, hint, "{text}");
    }
}

#[test]
fn unknown_keys_are_refused_wherever_they_stand() {
    for text in [
        load("users = 5\nuser = 6"),
        load("stage = [{ to = 5, for = \"1m\", form = 6 }]"),
        load("population = [{ name = \"p\", inject = [{ at_once = 1, atonce = 2 }] }]"),
        load("phase = [{ name = \"a\", for = \"1m\", fore = \"1m\" }]\nusers = 5"),
        scenario("weigth = 5"),
        step("get = \"/\"\nheader = { A = \"b\" }"),
        step("pause = \"1s\"\nname = \"rest\""),
        step("repeat = 2\nstep = [{ get = \"/\" }]\nheaders = { A = \"b\" }"),
        step("post = \"/\"\nmultipart = [{ name = \"a\", text = \"b\", mime = \"c/d\" }]"),
    ] {
        let told = refusals(&text);
        assert!(told.iter().any(|message| message.contains("unknown key")), "{text}\n{told:?}");
    }
}

#[test]
fn several_mistakes_are_all_told_in_the_order_of_lines() {
    let text = load("users = \"5\"\ntimeout = 10\nstage = [{ to = 5 }, { for = \"1m\" }]\nhttp = { version = 2 }");
    assert_eq!(
        refusals(&text),
        [
            "`load.users`: expected a whole number, found text",
            "`load.timeout`: `10` has no unit",
            "`load.stage`: `for` is missing",
            "`load.stage`: `to` is missing",
            "`load.http.version`: expected text, found a whole number",
        ]
    );
}
