//! The signals that end a run in order.

/// Returns at the first ctrl-C, SIGTERM or SIGHUP.
pub(super) async fn stop_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let terminate = async {
            match signal(SignalKind::terminate()) {
                Ok(mut s) => s.recv().await,
                Err(_) => std::future::pending().await,
            }
        };
        let hang_up = async {
            match signal(SignalKind::hangup()) {
                Ok(mut s) => s.recv().await,
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate => {}
            _ = hang_up => {}
        }
    }
    #[cfg(not(unix))]
    {
        let _ = tokio::signal::ctrl_c().await;
    }
}
