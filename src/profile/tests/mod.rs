//! What profiles mean: defaults, compression, secrets, loads, scenarios. Broken ones are in `tests/profiles/broken`.

mod defaults;
mod flows;
mod kinds;
mod lines;
mod loads;
mod overrides;
mod pages;
mod places;
mod samples;
mod scenarios;
mod secrets;
mod sending;
mod settings;
mod wanted;

use super::{Profile, ProfileErrors, Source, read};
use crate::model::plan::Plan;

/// The least a profile can say.
const LEAST: &str = r#"
[target]
url = "http://127.0.0.1:8080"
[load]
users = 5
[[scenario]]
name = "s"
[[scenario.step]]
get = "/"
"#;

fn env(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("s3cr3t".to_owned()),
        "PASSWORD" => Some("pw".to_owned()),
        "BRACED" => Some("a{pool}b".to_owned()),
        "BASE" => Some("http://me:pw@127.0.0.1:9000".to_owned()),
        "WAIT" => Some("5".to_owned()),
        _ => None,
    }
}

/// The files there are beside the profile.
fn file(name: &str) -> Result<Vec<u8>, String> {
    match name {
        "accounts.csv" => Ok(b"username,password,review_id\nann,s3cr3t,1\nbob,pw,2\n".to_vec()),
        "accounts.json" => Ok(br#"[{"username": "ann", "deep": {"id": 1}}]"#.to_vec()),
        "ragged.csv" => Ok(b"a,b\n1\n".to_vec()),
        "photo.jpg" => Ok(vec![0xff, 0xd8]),
        "ca.pem" | "client.pem" | "client-key.pem" => Ok(b"-----BEGIN CERTIFICATE-----\n".to_vec()),
        _ => Err("there is no such file".to_owned()),
    }
}

fn attempt(text: &str) -> Result<Profile, ProfileErrors> {
    read(
        text,
        &Source {
            name: "folder/shop.toml",
            env: &env,
            files: &file,
            dialects: &["hikaricp-micrometer", "tomcat-micrometer", "jvm-micrometer", "spring-http-micrometer", "process"],
        },
    )
}

#[track_caller]
fn plan(text: &str) -> Plan {
    attempt(text).unwrap_or_else(|e| panic!("{e}")).plan
}

/// The least profile with more at its end.
#[track_caller]
fn with(more: &str) -> Plan {
    plan(&format!("{LEAST}{more}"))
}

/// What is wrong with the least profile with more at its end, one message a line.
#[track_caller]
fn refusals(text: &str) -> Vec<String> {
    attempt(text).unwrap_err().errors().iter().map(|e| e.message.clone()).collect()
}
