//! Settings put into effect by a program: an argument list, no shell, so that a value can never become a command. Its
//! output is read and the end of it kept; it has a time-out, after which it and its children are ended.

use std::process::Stdio;

use tokio::process::Command;

use super::signal;
use super::tail::Tail;
use crate::model::units::Span;
use crate::ports::TargetError;

/// How long output is waited for after the program itself has ended: a child of it may keep the pipe open for ever.
const AFTERWARDS: Span = Span::from_millis(500);

/// Runs a program to its end; `what` says what for.
pub(super) async fn run(what: &str, words: &[String], within: Span) -> Result<(), TargetError> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(TargetError::Refused { doing: what.to_owned(), answer: "the command has no program".to_owned() });
    };
    let doing = format!("{what}: running `{program}`");
    let refuse = |answer: String| TargetError::Refused { doing: doing.clone(), answer };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = signal::own_group(&mut command).spawn().map_err(|error| refuse(format!("{error}; is the program installed and on the PATH?")))?;
    let group = child.id();
    let tail = Tail::default();
    let readers = [tail.follow(child.stdout.take(), None), tail.follow(child.stderr.take(), None)];
    let ended = tokio::time::timeout(within.duration(), child.wait()).await;
    if ended.is_err() {
        signal::end(&mut child, group).await;
    }
    let _ = tokio::time::timeout(AFTERWARDS.duration(), futures::future::join_all(readers)).await;
    let said = match tail.last_words() {
        words if words.is_empty() => String::new(),
        words => format!("; it said: \"{words}\""),
    };
    match ended {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(refuse(format!("{status}{said}"))),
        Ok(Err(error)) => Err(refuse(error.to_string())),
        Err(_late) => Err(refuse(format!("not done within {within}, ended{said}"))),
    }
}

/// Words as a person may paste them into a shell.
pub(super) fn quoted(words: &[String]) -> String {
    let plain = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c));
    let quote = |word: &String| {
        if plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        let words = ["a", "b c", "it's", "", "$HOME", "x=1"].map(str::to_owned);
        assert_eq!(quoted(&words), r"a 'b c' 'it'\''s' '' '$HOME' x=1");
    }

    #[cfg(unix)]
    mod unix {
        use super::super::*;

        fn shell(script: &str) -> Vec<String> {
            ["/bin/sh", "-c", script].map(str::to_owned).to_vec()
        }

        async fn failure(words: &[String]) -> String {
            run("setting pool to 5", words, Span::from_secs(20)).await.unwrap_err().to_string()
        }

        #[tokio::test]
        async fn success_is_silent_and_failure_tells_its_last_words() {
            assert_eq!(run("x", &shell("echo fine"), Span::from_secs(20)).await, Ok(()));
            let text = failure(&shell("echo starting; echo 'no such deploy' >&2; exit 3")).await;
            assert!(text.starts_with("setting pool to 5: running `/bin/sh`: refused (exit status: 3"), "{text}");
            assert!(text.contains("no such deploy"), "{text}");
        }

        #[tokio::test]
        async fn what_can_not_be_started_is_said() {
            let text = failure(&["/no/such/program".to_owned()]).await;
            assert!(text.contains("is the program installed"), "{text}");
            assert!(failure(&[]).await.contains("no program"));
        }

        #[tokio::test]
        async fn a_value_is_never_a_command() {
            let folder = tempfile::tempdir().unwrap();
            let bait = folder.path().join("bait");
            let words = ["/bin/echo".to_owned(), format!("$(touch {0}); touch {0}", bait.display())];
            assert_eq!(run("x", &words, Span::from_secs(20)).await, Ok(()));
            assert!(!bait.exists());
        }

        #[tokio::test]
        async fn a_program_without_end_is_ended_with_its_children() {
            let error = run("x", &shell("echo waiting; sleep 600 & wait"), Span::from_millis(100)).await;
            let text = error.unwrap_err().to_string();
            assert!(text.contains("not done within 100ms, ended; it said: \"waiting\""), "{text}");
        }

        #[tokio::test]
        async fn a_child_that_keeps_the_pipe_does_not_hold_up() {
            let folder = tempfile::tempdir().unwrap();
            let pid = folder.path().join("pid");
            let words = shell(&format!("sleep 30 & echo $! > {}", pid.display()));
            let patience = std::time::Duration::from_secs(20);
            let done = tokio::time::timeout(patience, run("x", &words, Span::from_secs(20))).await;
            let child = std::fs::read_to_string(&pid).unwrap().trim().to_owned();
            run("x", &["kill".to_owned(), child], Span::from_secs(20)).await.unwrap();
            assert_eq!(done, Ok(Ok(())));
        }
    }
}
