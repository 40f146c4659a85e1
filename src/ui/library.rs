//! The list at home as the filter leaves it.

use super::message::LibraryEntry;
use super::state::State;

impl State {
    /// The lines at home that the filter lets through.
    pub(super) fn visible_entries(&self) -> impl Iterator<Item = &LibraryEntry> {
        let wanted = self.home.filter.to_lowercase();
        self.home.entries.iter().flatten().filter(move |e| wanted.is_empty() || words_of(e).to_lowercase().contains(&wanted))
    }

    /// The selected line.
    #[must_use]
    pub(super) fn selected_entry(&self) -> Option<&LibraryEntry> {
        self.visible_entries().nth(self.home.selected)
    }
}

/// What a filter looks through.
fn words_of(entry: &LibraryEntry) -> String {
    match entry {
        LibraryEntry::Demo { preset, about } => format!("demo {preset} {about}"),
        LibraryEntry::Profile { path, name, about } => {
            format!("{} {} {about}", path.display(), name.as_ref().map_or_else(String::as_str, String::as_str))
        }
        LibraryEntry::Recording(r) => {
            format!("{} {} {} {} {}", r.path.display(), r.name, r.target, r.date, r.answer.as_deref().unwrap_or_default())
        }
    }
}
