//! The JVM's families on the lab's page. There is no JVM: the figures follow from the number of requests served, so that heap and collections
//! move as those of a service do; no collection stops the lab.
//!
//! Imports the lab's own files only; pure.

use super::page::{Page, TimerSeconds};

const MIB: f64 = 1_048_576.0;
/// What a request leaves behind, and how much fits before the young generation is collected.
const GARBAGE: f64 = 60_000.0;
const EDEN: f64 = 128.0 * MIB;
const PAUSE_S: f64 = 0.0015;
/// Threads that are there without a request.
const HOUSEHOLD: u32 = 21;

/// Adds the families of memory, collections and threads.
pub(super) fn families(page: &mut Page, served: u64, workers: u32, uptime_s: f64) {
    let garbage = served as f64 * GARBAGE;
    memory(page, garbage);
    collections(page, garbage, uptime_s);
    threads(page, workers);
}

fn memory(page: &mut Page, garbage: f64) {
    let collected = (garbage / EDEN).floor();
    let old = (38.0 + (collected * 0.02) % 64.0) * MIB;
    let areas = [
        ("heap", "G1 Eden Space", garbage - collected * EDEN, -1.0),
        ("heap", "G1 Old Gen", old, 512.0 * MIB),
        ("heap", "G1 Survivor Space", 9.0 * MIB, -1.0),
        ("nonheap", "CodeHeap 'non-nmethods'", 1.4 * MIB, 5.6 * MIB),
        ("nonheap", "Compressed Class Space", 9.7 * MIB, 1024.0 * MIB),
        ("nonheap", "Metaspace", 71.0 * MIB, -1.0),
    ];
    for (area, id, used, max) in areas {
        let labels = [("area", area), ("id", id)];
        page.gauge("jvm_memory_used_bytes", "The amount of used memory", &labels, used.round());
        let max_help = "The maximum amount of memory in bytes that can be used for memory management";
        page.gauge("jvm_memory_max_bytes", max_help, &labels, max);
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small whole number of collections")]
fn collections(page: &mut Page, garbage: f64, uptime_s: f64) {
    let young = (garbage / EDEN).floor();
    let mut pause = |cause, count: f64, each_s: f64| {
        if count > 0.0 {
            let labels = [("action", "end of minor GC"), ("cause", cause), ("gc", "G1 Young Generation")];
            let timer = TimerSeconds { count: count as u64, sum: count * each_s, max: each_s };
            page.timer("jvm_gc_pause_seconds", "Time spent in GC pause", &labels, timer);
        }
    };
    // A cause shows up with its first collection, which may be in the middle of a run.
    pause("G1 Evacuation Pause", young, PAUSE_S);
    pause("Metadata GC Threshold", if uptime_s > 0.5 { 1.0 } else { 0.0 }, 0.004);
}

fn threads(page: &mut Page, workers: u32) {
    let live = f64::from(workers + HOUSEHOLD);
    page.gauge("jvm_threads_live_threads", "The current number of live threads including both daemon and non-daemon threads", &[], live);
    page.gauge("jvm_threads_daemon_threads", "The current number of live daemon threads", &[], live - 4.0);
    page.gauge("jvm_threads_peak_threads", "The peak live thread count since the Java virtual machine started or peak was reset", &[], live);
    let states = [("runnable", 9.0), ("waiting", live - 15.0), ("timed-waiting", 6.0), ("blocked", 0.0), ("new", 0.0), ("terminated", 0.0)];
    for (state, count) in states {
        page.gauge("jvm_threads_states_threads", "The current number of threads", &[("state", state)], count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(served: u64) -> String {
        let mut page = Page::default();
        families(&mut page, served, 10, 1.0);
        page.text()
    }

    #[test]
    fn a_cause_appears_with_its_first_collection() {
        assert!(!text(10).contains("G1 Evacuation Pause"));
        let later = text(10_000);
        assert!(later.contains("cause=\"G1 Evacuation Pause\""), "{later}");
        assert!(later.contains("jvm_gc_pause_seconds_count{"), "{later}");
    }

    #[test]
    fn the_heap_has_a_used_and_a_most() {
        let page = text(100);
        assert!(page.contains("jvm_memory_used_bytes{area=\"heap\",id=\"G1 Eden Space\"} 6000000.0"), "{page}");
        assert!(page.contains("jvm_memory_max_bytes{area=\"heap\",id=\"G1 Old Gen\"} 536870912.0"), "{page}");
    }
}
