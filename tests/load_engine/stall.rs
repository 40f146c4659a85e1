//! A server that answers in 5 ms and stands still for 2 s once in 20 s, under 1,000 arrivals a second: the percentiles from the intended
//! start are those that were computed arrival by arrival.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use plimsoll::model::units::Span;

use super::rig::{Rig, get, pause, plan, scenario, step};

const TAKES_MS: f64 = 5.0;
const STALL_MS: (f64, f64) = (8_000.0, 10_000.0);
const LENGTH_MS: u64 = 20_000;

/// The latency in seconds that a share `q` of all arrivals stays below: each is answered when it is done, or when the stall ends.
fn computed(q: f64) -> f64 {
    let answered = |ready: f64| if (STALL_MS.0..STALL_MS.1).contains(&ready) { STALL_MS.1 } else { ready };
    let mut all: Vec<f64> = (0..LENGTH_MS).map(|k| k as f64 + 0.5).map(|due| answered(due + TAKES_MS) - due).collect();
    all.sort_by(f64::total_cmp);
    let below = |n: &usize| (*n as f64) < all.len() as f64 * q;
    all[(0..all.len()).filter(below).count() - 1] / 1e3
}

async fn answer(mut stream: TcpStream, begin: Instant) {
    let mut buffer = [0; 1024];
    let at = |ms: f64| begin + Duration::from_secs_f64(ms / 1e3);
    while stream.read(&mut buffer).await.is_ok_and(|n| n > 0) {
        tokio::time::sleep(Duration::from_secs_f64(TAKES_MS / 1e3)).await;
        if (at(STALL_MS.0)..at(STALL_MS.1)).contains(&Instant::now()) {
            tokio::time::sleep_until(at(STALL_MS.1)).await;
        }
        if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await.is_err() {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stall_is_measured_as_long_as_it_was() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let mut plan = plan(&url, vec![scenario(vec![step(get("/"))])]);
    plan.load.timeout = Span::from_secs(60);
    let mut rig = Rig::new(&plan, 1).await;
    let begin = Instant::now();
    let serving = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            stream.set_nodelay(true).unwrap();
            tokio::spawn(answer(stream, begin));
        }
    });
    rig.open(1000.0, 10_000).await;
    pause(LENGTH_MS).await;
    rig.drain().await;
    let said = rig.close().await;
    serving.abort();

    assert_eq!(said.ticks.iter().map(|t| t.dropped).sum::<u64>(), 0);
    let (latency, from_send) = (said.merged(|r| &r.latency), said.merged(|r| &r.service_time));
    assert!((19_900..=20_100).contains(&latency.count()) && said.failed().is_empty(), "{} {:?}", latency.count(), said.failed());
    let p99 = |h: &plimsoll::model::histogram::Histogram| h.quantile(0.99).unwrap().as_secs_f64();
    let (intended, sent, right) = (p99(&latency), p99(&from_send), computed(0.99));
    let said = format!("p99 from the intended start {intended:.3} s, from the send {sent:.3} s, computed {right:.3} s");
    assert!((intended - right).abs() <= 0.05 * right, "{said}");
    assert!(sent <= intended * 1.001 && sent > 0.9 * right, "there are users enough, so nothing waits before it is sent: {said}");
    let p50 = latency.quantile(0.5).unwrap();
    assert!(p50 < Span::from_millis(100), "half of the arrivals are far from the stall: {p50}");
}
