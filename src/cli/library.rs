//! What the home screen lists: presets of the demo, profiles of the working folder, recordings of the data folder.

use std::path::{Path, PathBuf};

use super::off_thread;
use super::paths::data_folder;
use super::run::{folder_of, read_profile_text};
use crate::lab::presets;
use crate::model::plan::Plan;
use crate::store;
use crate::ui::{LibraryEntry, RecordingEntry};

/// Folders in which profiles are looked for.
const PROFILE_FOLDERS: [&str; 2] = [".", "profiles"];

/// Everything there is to run or to look at.
pub(super) async fn library() -> Vec<LibraryEntry> {
    let mut all: Vec<LibraryEntry> =
        presets::all().iter().map(|p| LibraryEntry::Demo { preset: p.name.to_owned(), about: p.description.to_owned() }).collect();
    all.extend(PROFILE_FOLDERS.iter().flat_map(|folder| profiles(Path::new(folder))));
    if let Ok(folder) = data_folder() {
        all.extend(recordings(&folder).await);
    }
    all
}

/// The TOML files of a folder that look like profiles.
fn profiles(folder: &Path) -> Vec<LibraryEntry> {
    let Ok(read) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = read.filter_map(Result::ok).map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    paths.sort();
    paths.into_iter().filter_map(|path| profile(&path)).collect()
}

fn profile(path: &Path) -> Option<LibraryEntry> {
    let text = std::fs::read_to_string(path).ok()?;
    if !text.contains("[target]") {
        return None;
    }
    let shown = path.display().to_string();
    let (name, about) = match read_profile_text(&text, &shown, folder_of(path)) {
        Ok(profile) => (Ok(profile.recorded.name.clone()), about(&profile.recorded)),
        Err(error) => (Err(error.to_string().lines().next().unwrap_or_default().to_owned()), String::new()),
    };
    Some(LibraryEntry::Profile { path: path.to_path_buf(), name, about })
}

fn about(plan: &Plan) -> String {
    let swept: Vec<String> = plan.swept().map(|s| format!("{} {:?}", s.name, s.values)).collect();
    format!("{}  {}", plan.target.url, swept.join("  "))
}

async fn recordings(folder: &Path) -> Vec<LibraryEntry> {
    let folder = folder.to_path_buf();
    let listed = off_thread(move || async move { store::list(&folder).await }).await;
    let listed = listed.ok().and_then(Result::ok).unwrap_or_default();
    listed.into_iter().filter_map(|l| Some(recording(l.path, l.summary.ok()?))).collect()
}

fn recording(path: PathBuf, s: store::Summary) -> LibraryEntry {
    let answer = s.verdict.as_ref().and_then(|(_, setting, value)| value.map(|v| format!("{} {v}", setting.as_deref().unwrap_or("value"))));
    LibraryEntry::Recording(RecordingEntry {
        path,
        name: s.name,
        target: s.target,
        date: s.started_at.chars().take(16).collect::<String>().replace('T', " "),
        verdict: s.verdict.map(|v| v.0),
        answer,
        outcome: s.outcome,
        losses: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_profiles_are_listed_with_their_first_error_and_other_toml_is_not() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.toml"), "[target]\nurl = 5\n").unwrap();
        std::fs::write(folder.path().join("Cargo.toml"), "[package]\nname = \"x\"\n").unwrap();
        let found = profiles(folder.path());
        assert_eq!(found.len(), 1);
        assert!(matches!(&found[0], LibraryEntry::Profile { name: Err(e), .. } if e.contains("a.toml")), "{found:?}");
    }
}
