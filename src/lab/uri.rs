//! The `uri` label of a request: the template of its path, as Spring gives it, and only so many different ones.
//!
//! Imports nothing of the product; pure.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// More different paths than this are counted together: labels made of user input must not grow without end.
const MOST: usize = 64;

/// Hands out one shared label for each template.
#[derive(Debug, Default)]
pub(super) struct Templates {
    known: Mutex<HashMap<String, Arc<str>>>,
}

impl Templates {
    /// The label for a path.
    pub(super) fn of(&self, path: &str) -> Arc<str> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(label) = known.get(path) {
            return Arc::clone(label);
        }
        if path.split('/').any(is_id) {
            let template = template(path);
            return Self::shared(&mut known, template);
        }
        Self::shared(&mut known, path.to_owned())
    }

    fn shared(known: &mut HashMap<String, Arc<str>>, label: String) -> Arc<str> {
        if let Some(shared) = known.get(&label) {
            return Arc::clone(shared);
        }
        if known.len() >= MOST {
            return Arc::from("/**");
        }
        let shared: Arc<str> = Arc::from(label.as_str());
        known.insert(label, Arc::clone(&shared));
        shared
    }
}

/// A segment that begins with a digit names one thing out of many.
fn is_id(segment: &str) -> bool {
    segment.starts_with(|first: char| first.is_ascii_digit())
}

fn template(path: &str) -> String {
    path.split('/').map(|segment| if is_id(segment) { "{id}" } else { segment }).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_a_path_are_one_template() {
        let templates = Templates::default();
        assert_eq!(&*templates.of("/api/tickets/17/seats/4"), "/api/tickets/{id}/seats/{id}");
        assert!(Arc::ptr_eq(&templates.of("/api/tickets/18"), &templates.of("/api/tickets/19")));
        assert_eq!(&*templates.of("/api/tickets"), "/api/tickets");
        assert_eq!(&*templates.of("/"), "/");
    }

    #[test]
    fn labels_do_not_grow_without_end() {
        let templates = Templates::default();
        let labels: std::collections::BTreeSet<_> = (0..1_000).map(|n| templates.of(&format!("/api/x{n}"))).collect();
        assert!(labels.len() <= MOST + 1, "{}", labels.len());
        assert_eq!(&*templates.of("/api/another"), "/**");
    }
}
