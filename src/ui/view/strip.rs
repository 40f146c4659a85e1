//! The plan as a strip: each step by its value and how it went, block by block.
//!
//! ```text
//! block 1  100 ✓  30 ✓  200 ✓  ▶150 ▒▒▒▒░░  50 ·   block 2  50 ·  200 ·  30 ·  150 ·  100 ·   then up to 4 chosen
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::model::event::StepEnd;
use crate::model::session::{Session, StepState, StepStatus};
use crate::ui::look::{Look, Tone};
use crate::ui::reading::{estimate, label};
use crate::ui::state::State;
use crate::ui::text::{put, put_all, width};
use crate::ui::widget::panel::Frame;

/// Steps of blocks from here on were chosen by the judge or a person.
const CHOSEN_FROM: u32 = 99;
/// Cells of the running step's progress.
const PROGRESS: usize = 6;

type Pieces = Vec<(String, Style)>;
/// Each a block's name, or a step with its symbol: shown whole or not at all.
type Groups = Vec<Pieces>;

/// Draws the strip: framed where there are three lines, bare on one.
pub(super) fn render(state: &State, look: Look, area: Rect, buf: &mut Buffer) {
    let area = if area.height >= 3 { Frame::named("plan", false).render(look, area, buf) } else { area };
    let (groups, current) = groups(state.shown(), look);
    let room = usize::from(area.width);
    let first = first_shown(&groups, current, room);
    let mut x = area.x;
    if first > 0 {
        x = put(buf, area, x, area.y, "‹ ", look.style(Tone::Dim));
    }
    put_all(buf, area, x, area.y, &groups.get(first..).unwrap_or_default().concat());
}

/// The first piece shown, so that the current step and what comes next are in sight.
fn first_shown(groups: &Groups, current: usize, room: usize) -> usize {
    let cells = |group: &Pieces| group.iter().map(|p| width(&p.0)).sum::<usize>();
    let all: usize = groups.iter().map(cells).sum();
    if all <= room {
        return 0;
    }
    let mut used = 0;
    let mut first = current;
    while let Some(before) = first.checked_sub(1) {
        used += groups.get(before).map_or(0, cells);
        if used > room / 2 {
            break;
        }
        first = before;
    }
    first
}

/// The groups, and which of them is the current step.
fn groups(session: &Session, look: Look) -> (Groups, usize) {
    let mut steps: Vec<&StepState> = session.steps().iter().collect();
    steps.sort_by_key(|s| s.planned().order);
    let current = session.current().map(|s| s.planned().step);
    let mut out: Groups = Vec::new();
    let (mut at, mut block) = (0, None);
    for step in steps {
        let mine = step.planned().block;
        if block.map(heading) != Some(heading(mine)) {
            out.push(vec![(format!(" {}  ", heading(mine)), look.style(Tone::Dim))]);
            block = Some(mine);
        }
        let running = Some(step.planned().step) == current;
        if running || (step.ended().is_some() && current.is_none()) {
            at = out.len();
        }
        out.push(piece(session, step, running, look));
    }
    out.extend(still_open(session).map(|n| vec![(format!("  then up to {n} chosen"), look.style(Tone::Dim))]));
    (out, at)
}

/// How many further steps the judge may still choose.
fn still_open(session: &Session) -> Option<u32> {
    let refine = session.plan()?.experiment.refine;
    let chosen = session.steps().iter().filter(|s| s.planned().block >= CHOSEN_FROM).count();
    let open = refine.saturating_sub(u32::try_from(chosen).unwrap_or(u32::MAX));
    (open > 0 && session.ended().is_none()).then_some(open)
}

fn heading(block: u32) -> String {
    if block >= CHOSEN_FROM { "chosen".to_owned() } else { format!("block {}", u64::from(block) + 1) }
}

fn piece(session: &Session, step: &StepState, running: bool, look: Look) -> Pieces {
    let name = label::short(session, step);
    if running {
        let share = estimate::step_share(session).unwrap_or(0.0);
        return vec![(format!("▶{name} {}  ", progress(share)), look.style(Tone::Focus))];
    }
    let (symbol, tone) = match step.status() {
        StepStatus::Planned => ('·', Tone::Dim),
        StepStatus::Running(_) => ('▶', Tone::Focus),
        StepStatus::Ended(_) if step.excluded().is_some() => ('⤼', Tone::Dim),
        StepStatus::Ended(StepEnd::Completed) => ('✓', Tone::Good),
        StepStatus::Ended(StepEnd::Skipped | StepEnd::Interrupted) => ('⤼', Tone::Warn),
        StepStatus::Ended(StepEnd::Refused | StepEnd::Void | StepEnd::Guard | StepEnd::Failed) => ('✗', Tone::Bad),
    };
    let text = if tone == Tone::Dim { Tone::Dim } else { Tone::Text };
    vec![(format!("{name} "), look.style(text)), (format!("{symbol}  "), look.style(tone))]
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of six")]
fn progress(share: f64) -> String {
    let full = (share.clamp(0.0, 1.0) * PROGRESS as f64).round() as usize;
    format!("{}{}", "▒".repeat(full), "░".repeat(PROGRESS - full))
}
