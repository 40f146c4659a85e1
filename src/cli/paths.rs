//! Where recordings live: the user's data folder, unless a path says otherwise. Running from a clone leaves the clone clean.

use std::path::{Path, PathBuf};

use super::exit::{CliError, Exit};

/// The ending of a recording's name.
pub(super) const ENDING: &str = "plim";

/// The folder of a person's own recordings.
pub(super) fn data_folder() -> Result<PathBuf, CliError> {
    let folders = directories::ProjectDirs::from("", "", "plimsoll");
    let folder = folders.map(|f| f.data_dir().to_path_buf());
    folder.ok_or_else(|| CliError::new(Exit::Internal, "there is no data folder: no home is known").hint("name the recording with -o FILE"))
}

/// A new recording's path: as asked, or a name of the data folder made from the session's name and its start.
pub(super) fn new_recording(asked: Option<&Path>, name: &str, wall: &str) -> Result<PathBuf, CliError> {
    if let Some(path) = asked {
        if path.exists() {
            return Err(
                CliError::usage(format!("{} is there already", path.display())).hint("give -o another name; recordings are never overwritten")
            );
        }
        return Ok(path.to_path_buf());
    }
    let folder = data_folder()?;
    let stem = format!("{}-{}", stamp(wall), slug(name));
    let numbered = (1_u32..).map(|n| folder.join(if n == 1 { format!("{stem}.{ENDING}") } else { format!("{stem}-{n}.{ENDING}") }));
    numbered.into_iter().find(|p| !p.exists()).ok_or_else(|| CliError::new(Exit::Internal, "no free name for the recording"))
}

/// A recording by its path or by its name in the data folder.
pub(super) fn recording(asked: &Path) -> Result<PathBuf, CliError> {
    let mut tried = vec![asked.to_path_buf()];
    if asked.components().count() == 1
        && let Ok(folder) = data_folder()
    {
        tried.push(folder.join(asked));
        tried.push(folder.join(format!("{}.{ENDING}", asked.display())));
    }
    match tried.iter().find(|p| p.is_file()) {
        Some(found) => Ok(found.clone()),
        None => Err(CliError::usage(format!("there is no recording {}", asked.display())).hint("`plimsoll list` shows those of the data folder")),
    }
}

/// `2026-11-30T14:03:12+09:00[…]` as `20261130-140312`.
fn stamp(wall: &str) -> String {
    let digits: Vec<char> = wall.chars().take(19).filter(char::is_ascii_digit).collect();
    let (day, time) = digits.split_at(digits.len().min(8));
    format!("{}-{}", day.iter().collect::<String>(), time.iter().collect::<String>())
}

/// A name as part of a file name.
fn slug(name: &str) -> String {
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let joined: String = words.join("-").chars().take(40).collect();
    if joined.is_empty() { "session".to_owned() } else { joined }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_time_and_title() {
        assert_eq!(stamp("2026-11-30T14:03:12+09:00[Asia/Seoul]"), "20261130-140312");
        assert_eq!(slug("checkout: pool size"), "checkout-pool-size");
        assert_eq!(slug("../../etc"), "etc");
        assert_eq!(slug("결제 풀"), "결제-풀");
        assert_eq!(slug("///"), "session");
    }

    #[test]
    fn a_recording_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.plim");
        std::fs::write(&path, b"x").unwrap();
        assert_eq!(new_recording(Some(&path), "n", "w").unwrap_err().exit, Exit::Usage);
        assert_eq!(recording(&path).unwrap(), path);
        assert!(recording(&folder.path().join("b.plim")).is_err());
    }
}
