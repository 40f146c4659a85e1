//! The files a plan's scenarios name, read before the load begins: rows of feeders and bodies. Nothing is read while load runs.

use std::collections::BTreeMap;
use std::path::Path;

use crate::model::plan::{PartContent, Plan, RequestBody, RequestPlan};
use crate::ports::EngineError;

/// What was read, by the name the plan has for it.
#[derive(Debug, Default)]
pub(crate) struct Files(BTreeMap<String, Vec<u8>>);

impl Files {
    /// Reads all of them; names are relative to `folder`. Blocks.
    pub(crate) fn read(plan: &Plan, folder: &Path) -> Result<Self, EngineError> {
        let mut files = Self::default();
        for scenario in &plan.scenarios {
            let of = format!("scenario `{}`", scenario.name);
            if let Some(feeder) = &scenario.feeder {
                files.take(feeder.file.name(), folder, &format!("{of}: feeder"))?;
            }
            for request in scenario.requests() {
                for name in body_files(request) {
                    files.take(name, folder, &format!("{of}: request `{}`: body", request.name))?;
                }
            }
        }
        Ok(files)
    }

    fn take(&mut self, name: &str, folder: &Path, whose: &str) -> Result<(), EngineError> {
        if !self.0.contains_key(name) {
            let path = folder.join(name);
            let bytes = std::fs::read(&path).map_err(|e| EngineError::Unready { what: format!("{whose} {}: {e}", path.display()) })?;
            self.0.insert(name.to_owned(), bytes);
        }
        Ok(())
    }

    /// The bytes of one; empty if it was never read.
    pub(crate) fn get(&self, name: &str) -> &[u8] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Adds one by hand.
    #[cfg(test)]
    pub(crate) fn with(mut self, name: &str, bytes: &[u8]) -> Self {
        self.0.insert(name.to_owned(), bytes.to_vec());
        self
    }
}

fn body_files(request: &RequestPlan) -> Vec<&str> {
    match &request.body {
        Some(RequestBody::File(name)) => vec![name],
        Some(RequestBody::Multipart(parts)) => {
            parts.iter().filter_map(|p| if let PartContent::File(name) = &p.content { Some(name.as_str()) } else { None }).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testkit;
    use super::*;
    use crate::model::plan::{FeedStrategy, Feeder, FeederFile, ScenarioStep};

    fn plan() -> Plan {
        let mut plan = testkit::plan("http://127.0.0.1:1");
        plan.scenarios[0].feeder = Some(Feeder { file: FeederFile::Csv("rows.csv".to_owned()), strategy: FeedStrategy::Circular });
        let mut upload = testkit::get("/upload");
        upload.body = Some(RequestBody::File("body.bin".to_owned()));
        plan.scenarios[0].steps = vec![ScenarioStep::of(upload)];
        plan
    }

    #[test]
    fn files_are_found_beside_the_profile() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("rows.csv"), "a\n1\n").unwrap();
        std::fs::write(folder.path().join("body.bin"), [0, 255]).unwrap();
        let files = Files::read(&plan(), folder.path()).unwrap();
        assert_eq!((files.get("rows.csv"), files.get("body.bin"), files.get("other")), (&b"a\n1\n"[..], &[0, 255][..], &b""[..]));
    }

    #[test]
    fn a_file_that_is_not_there_is_told_with_who_wants_it() {
        let folder = tempfile::tempdir().unwrap();
        let said = Files::read(&plan(), folder.path()).unwrap_err().to_string();
        assert!(said.contains("scenario `s`: feeder") && said.contains("rows.csv"), "{said}");
        std::fs::write(folder.path().join("rows.csv"), "a\n1\n").unwrap();
        let said = Files::read(&plan(), folder.path()).unwrap_err().to_string();
        assert!(said.contains("request `GET /upload`: body") && said.contains("body.bin"), "{said}");
    }
}
