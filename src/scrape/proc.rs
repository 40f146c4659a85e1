//! What Linux tells about this machine in small text files, where `sysinfo` has no figure. The reading of the texts is
//! apart from the opening of the files, so that it can be tested anywhere; elsewhere every figure is simply unknown.

/// Files this process has open.
pub(super) fn open_files() -> Option<usize> {
    let entries = std::fs::read_dir("/proc/self/fd").ok()?;
    // The directory itself is one of them while it is being counted.
    Some(entries.count().saturating_sub(1))
}

/// TCP sockets of this machine that hold a local port, those in TIME-WAIT too. A connection within the machine counts
/// with both its ends.
pub(super) fn ports_in_use() -> Option<u64> {
    let four = std::fs::read_to_string("/proc/net/sockstat").ok()?;
    let six = std::fs::read_to_string("/proc/net/sockstat6").unwrap_or_default();
    Some(figure(&four, "TCP:", "inuse")? + figure(&four, "TCP:", "tw")? + figure(&six, "TCP6:", "inuse").unwrap_or(0))
}

/// The number behind `key` in the line that begins with `head`.
fn figure(text: &str, head: &str, key: &str) -> Option<u64> {
    let mut words = text.lines().find_map(|line| line.strip_prefix(head))?.split_ascii_whitespace();
    words.by_ref().find(|word| *word == key)?;
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "sockets: used 512\nTCP: inuse 31 orphan 0 tw 12 alloc 40 mem 9\nUDP: inuse 2 mem 0\n";

    #[test]
    fn figures_are_found_by_line_and_word() {
        assert_eq!(figure(TEXT, "TCP:", "inuse"), Some(31));
        assert_eq!(figure(TEXT, "TCP:", "tw"), Some(12));
        assert_eq!(figure(TEXT, "UDP:", "inuse"), Some(2));
    }

    #[test]
    fn what_is_not_there_is_unknown() {
        assert_eq!(figure(TEXT, "TCP6:", "inuse"), None);
        assert_eq!(figure(TEXT, "TCP:", "ghosts"), None);
        assert_eq!(figure("TCP: inuse", "TCP:", "inuse"), None);
        assert_eq!(figure("TCP: inuse many", "TCP:", "inuse"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_more_is_seen() {
        let files: Vec<_> = (0..50).map(|_| std::fs::File::open("/proc/self/status").unwrap()).collect();
        assert!(open_files().unwrap() >= files.len());
        assert!(ports_in_use().is_some());
    }
}
