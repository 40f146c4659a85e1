//! How the requests of a plan travel, as far as the workers need it.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::model::plan::{HttpPlan, Plan};
use crate::model::units::Span;

/// How requests travel.
#[derive(Debug)]
pub(crate) struct Travel {
    /// As the plan says.
    pub(crate) http: HttpPlan,
    /// The longest a connection may take to be made; none: as long as the request.
    pub(crate) connect_timeout: Option<Span>,
    /// Hosts beside this machine that requests may be sent to.
    pub(crate) allow: Vec<String>,
    /// Whether it was said why a connection could not be made.
    said: AtomicBool,
}

impl Travel {
    /// Of a plan.
    pub(crate) fn of(plan: &Plan) -> Self {
        Self {
            http: plan.load.http.clone(),
            connect_timeout: plan.load.connect_timeout,
            allow: plan.target.allow.clone(),
            said: AtomicBool::new(false),
        }
    }

    /// Whether it is now, for the first time, to be said why a connection could not be made.
    pub(crate) fn is_first_miss(&self) -> bool {
        !self.said.swap(true, Ordering::Relaxed)
    }
}
