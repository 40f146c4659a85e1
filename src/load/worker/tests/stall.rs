//! A service that stands still for two seconds in twenty: what the latency from the intended start must be can be computed arrival by arrival.

use super::*;

/// The latency of each of `n` arrivals at 1,000 a second that take 5 ms each, where no answer leaves between 8 and 10 s.
fn truth(n: u64) -> Vec<f64> {
    let answered = |due_ms: f64| {
        let ready = due_ms + 5.0;
        if (8000.0..10_000.0).contains(&ready) { 10_000.0 } else { ready }
    };
    let mut waits: Vec<f64> = (0..n).map(|k| k as f64 + 0.5).map(|due| answered(due) - due).collect();
    waits.sort_by(f64::total_cmp);
    waits
}

fn quantile(sorted: &[f64], q: f64) -> f64 {
    let below = |n: &&usize| (**n as f64) < sorted.len() as f64 * q;
    sorted[(0..sorted.len()).filter(|n| below(&n)).count() - 1] / 1e3
}

#[tokio::test(start_paused = true)]
async fn both_latencies_of_a_stall_are_what_was_computed() {
    let service = Service::taking(5);
    let mut plan = testkit::plan("http://127.0.0.1:1");
    plan.load.timeout = Span::from_secs(60);
    let rig = Rig::new(&plan, &service);
    let begin = Instant::now();
    *service.stands_still.lock().unwrap() = (begin + seconds(8), begin + seconds(10));
    rig.drive(open(1000.0));
    // The virtual timer's milliseconds: the last arrival is due half of one before the end.
    sleep(Duration::from_millis(20_001)).await;
    rig.worker.desk.hold();
    sleep(seconds(1)).await;
    let parts = rig.end().await;
    let (latency, service_time) = (merged(&parts, |r| &r.latency), merged(&parts, |r| &r.service_time));
    assert_eq!(latency.count(), 20_000);
    assert_eq!(parts.iter().map(|p| p.dropped).sum::<u64>(), 0);
    assert_eq!(parts.iter().map(|p| p.sent).sum::<u64>(), service.seen.load(Ordering::Relaxed));
    let truth = truth(20_000);
    for q in [0.5, 0.9, 0.95, 0.99, 0.999] {
        let (said, right) = (latency.quantile(q).unwrap().as_secs_f64(), quantile(&truth, q));
        assert!((said - right).abs() <= 0.05 * right + 0.001, "p{}: {said} instead of {right}", q * 100.0);
    }
    // There are users enough that nobody waits for one: from the send the stall looks the same.
    let sent = service_time.quantile(0.99).unwrap().as_secs_f64();
    assert!((sent - quantile(&truth, 0.99)).abs() < 0.05 * 1.8, "{sent}");
}
