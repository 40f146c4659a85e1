//! Users or arrivals, and loads that are swept.

use super::{LEAST, plan, refusals};
use crate::model::plan::{Apply, LoadModel};
use crate::model::units::Rate;

fn loaded(load: &str) -> String {
    LEAST.replace("users = 5", load)
}

#[test]
fn the_model_follows_from_the_keys() {
    let open = LoadModel::Open { rate: Rate::per_second(80.0), max_users: 10_000 };
    assert_eq!(plan(&loaded("rate = \"4800/m\"")).load.model, open);
    assert_eq!(
        plan(&loaded("rate = \"80/s\"\nmodel = \"open\"\nmax_users = 500")).load.model,
        LoadModel::Open { rate: Rate::per_second(80.0), max_users: 500 }
    );
    assert_eq!(plan(&loaded("users = 3\nmodel = \"closed\"")).load.model, LoadModel::Closed { users: 3 });
}

#[test]
fn a_swept_load_begins_with_its_first_value() {
    let rates = plan(&format!("{}[settings.\"load.rate\"]\nvalues = [\"20/s\", \"2400/m\"]\n", loaded("model = \"open\"")));
    assert_eq!(rates.load.model, LoadModel::Open { rate: Rate::per_second(20.0), max_users: 10_000 });
    assert_eq!((rates.settings[0].values.as_slice(), &rates.settings[0].apply), ([20.0, 40.0].as_slice(), &Apply::Load));
    assert_eq!(rates.settings[0].range, (20.0, 40.0));
    let users = plan(&format!("{}[settings.\"load.users\"]\nvalues = [8, 4]\n", loaded("model = \"closed\"")));
    assert_eq!(users.load.model, LoadModel::Closed { users: 8 });
    assert_eq!(users.settings[0].range, (4.0, 8.0));
}

#[test]
fn halves_of_both_models_are_refused() {
    assert_eq!(
        refusals(&loaded("model = \"open\"\nusers = 5")),
        ["`load.model`: an open load without `rate`", "`load.users`: belongs to the closed model, and the load is open",]
    );
    assert_eq!(
        refusals(&loaded("model = \"closed\"\nmax_users = 5")),
        ["`load.model`: a closed load without `users`", "`load.max_users`: belongs to the open model, and the load is closed",]
    );
    assert_eq!(refusals(&loaded("timeout = \"1s\"")), ["`load`: a closed load without `users`"]);
    assert_eq!(
        refusals(&loaded("rate = \"0/s\"\nmax_users = 0\ntimeout = \"0s\"")),
        ["`load.rate`: `0/s` is no load", "`load.max_users`: `0` users are no load", "`load.timeout`: a request that may take no time",]
    );
}

#[test]
fn what_is_swept_must_be_of_the_model() {
    let users = "[settings.\"load.users\"]\nvalues = [5, 2.5, 0]\n";
    assert_eq!(
        refusals(&format!("{}{users}", loaded("rate = \"80/s\""))),
        [
            "`settings.\"load.users\"`: users are swept, and the load is open",
            "`settings.\"load.users\".values`: `2.5` users can not be had",
            "`settings.\"load.users\".values`: `0` is no value for this setting",
        ]
    );
    let rates = "[settings.\"load.rate\"]\nvalues = [\"5/s\"]\nrestore = \"5/s\"\n";
    assert_eq!(
        refusals(&format!("{LEAST}{rates}")),
        [
            "`settings.\"load.rate\"`: a rate is swept, and the load is closed",
            "`settings.\"load.rate\".restore`: the load itself is what changes: there is nothing to do at the target",
        ]
    );
    assert_eq!(
        refusals(&format!("{LEAST}[settings.\"load.user\"]\nvalues = [5]\napply = {{ command = [\"a\", \"{{load.user}}\"] }}\n")),
        ["`settings.\"load.user\"`: `load.user` can not be swept"]
    );
}
