//! Rules for every report: no number without its unit, nothing from outside that acts, too little data said.

use super::{session, story, verdict};
use crate::model::event::{Event, Stamped};
use crate::model::session::Session;
use crate::model::verdict::{Kind, Remark};
use crate::report::{csv_steps, markdown, progress_line, session_text, text_verdict};

/// Cells of a Markdown table whose head does not name what is counted must carry their unit.
#[test]
fn no_figure_in_a_table_stands_without_its_unit() {
    let text = markdown(&session(), "n");
    let counted = ["step", "pool", "runs", "requests", "block", "connections in use", "requests pending", "threads busy"];
    let mut heads: Vec<String> = Vec::new();
    let mut figures = 0;
    for line in text.lines() {
        let cells: Vec<String> = line.split(" | ").map(|c| c.trim_matches(['|', ' ']).replace('\\', "")).collect();
        if !line.starts_with('|') {
            heads.clear();
        } else if heads.is_empty() {
            heads = cells;
        } else if !line.starts_with("| :--") {
            for (head, cell) in heads.iter().zip(&cells).filter(|(h, _)| !counted.contains(&h.as_str())) {
                let bare = cell.ends_with(|c: char| c.is_ascii_digit());
                assert!(!bare || *head == "values", "`{cell}` under `{head}`");
                figures += usize::from(cell.contains(|c: char| c.is_ascii_digit()));
            }
        }
    }
    assert!(figures > 40, "the tables were found: {figures}");
}

#[test]
fn a_value_with_too_few_samples_says_so_everywhere() {
    assert!(text_verdict(&verdict(Kind::Recommend)).contains("* pool 100: 3 batches of 250 requests, 5 are needed"));
    let text = markdown(&session(), "n");
    assert!(text.contains("100\\*") && text.contains("5 are needed"), "{text}");
    assert!(text.contains("too little to count in full"), "the short run is marked");
}

#[test]
fn text_from_outside_can_do_nothing() {
    let evil = "\u{1b}[31mred\u{7} | `x` <script> **b** \n# head =1+1";
    let mut events = story();
    for stamped in &mut events {
        match &mut stamped.event {
            Event::SessionStarted(head) => {
                head.plan.name = evil.to_owned();
                head.plan.target.url = evil.to_owned();
                head.plan.profile_text = format!("name = \"{evil}\"\n````\n");
                head.host.os = Some(evil.to_owned());
            }
            Event::StepEnded { reason, .. } | Event::SessionEnded { reason, .. } => evil.clone_into(reason),
            Event::Judged(judged) => {
                judged.verdict.flags.push(Remark::new("evil", evil));
                judged.verdict.reasons.push(Remark::new("evil", evil));
                judged.verdict.setting = Some(evil.to_owned());
            }
            _ => {}
        }
    }
    let session = Session::of(&events);
    let page = markdown(&session, evil);
    let outside: String = page.split("`````").step_by(2).collect();
    assert!(!outside.contains("<script>") || outside.contains("\\<script\\>"), "{outside}");
    assert!(outside.lines().all(|l| !l.starts_with("# head")));
    assert!(page.contains("`````toml"), "the fence is longer than any inside it");
    let progress: Vec<String> = events.iter().filter_map(|e: &Stamped| progress_line(e, &session)).collect();
    for text in [page, session_text(&session), progress.join("\n"), csv_steps(&session)] {
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{text}");
    }
}

#[test]
fn text_in_a_table_is_no_formula() {
    let mut events = story();
    for stamped in &mut events {
        if let Event::SessionStarted(head) = &mut stamped.event {
            head.plan.settings[0].name = "=cmd|' /C calc'!A0, \"x\"".to_owned();
        }
    }
    let text = csv_steps(&Session::of(&events));
    assert!(text.starts_with("\"'=cmd|' /C calc'!A0, \"\"x\"\"\",repeat,"), "{text}");
}
