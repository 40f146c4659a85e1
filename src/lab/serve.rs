//! Puts the parts together: a service, its routes, a socket, and an orderly end.
//!
//! Imports the lab's own files only.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::error::LabError;
use super::front::Front;
use super::host::Host;
use super::http::{self, Lab};
use super::service::Service;
use super::settings::Settings;
use super::socket::{Cutter, Door};
use super::uri::Templates;

/// How long answers under way may take once the end is called for; whoever started the lab expects it gone within a second.
const FAREWELL: Duration = Duration::from_millis(300);

/// What a lab is started with.
#[derive(Debug, Clone, PartialEq)]
pub struct LabConfig {
    /// The service as it begins.
    pub settings: Settings,
    /// Seed of the work that requests bring.
    pub seed: u64,
}

/// Serves the lab on `listener` until `until` ends.
///
/// Needs a runtime with I/O and time; one thread is enough and the cheapest. The timekeeper is a thread of its own.
pub async fn serve(config: LabConfig, listener: TcpListener, until: impl Future<Output = ()> + Send + 'static) -> Result<(), LabError> {
    let (service, timekeeper) = Service::start(config.settings.checked()?, config.seed)?;
    let lab = Arc::new(Lab { front: Arc::new(Front { service, templates: Templates::default() }), host: Host::new() });
    let app = http::routes(lab).into_make_service_with_connect_info::<Cutter>();
    let (called, over) = oneshot::channel();
    let end = async move {
        until.await;
        let _nobody_waits = called.send(());
    };
    let serving = axum::serve(Door(listener), app).with_graceful_shutdown(end);
    let served = tokio::select! {
        served = std::future::IntoFuture::into_future(serving) => served,
        () = farewell(over) => Ok(()),
    };
    drop(timekeeper);
    served.map_err(|source| LabError::Socket { doing: "serving", source })
}

async fn farewell(over: oneshot::Receiver<()>) {
    match over.await {
        Ok(()) => tokio::time::sleep(FAREWELL).await,
        Err(_gone) => std::future::pending().await,
    }
}
