//! A purchase: a cart, an order of it, a payment that waits for a provider outside with its connection held.
//!
//! Each needs what the one before gave, so a flow that loses it is found out. Imports the lab's own files only; pure but for its counters.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::{Asked, Reply};
use crate::lab::demand::Work;

/// How long the payment provider takes, in milliseconds.
const PROVIDER_MS: (f64, f64) = (300.0, 700.0);

/// How many there have been of each.
#[derive(Debug, Default)]
pub(super) struct Purchases {
    carts: AtomicU64,
    orders: AtomicU64,
    payments: AtomicU64,
}

impl Purchases {
    /// A cart with something in it.
    pub(super) fn cart(&self, _asked: &Asked<'_>) -> Reply {
        Reply::new(201, json!({"cartId": next(&self.carts)}), 1.0)
    }

    /// An order of a cart.
    pub(super) fn order(&self, asked: &Asked<'_>) -> Reply {
        match known(&asked.json(), "cartId", &self.carts) {
            Ok(cart) => Reply::new(201, json!({"orderId": next(&self.orders), "cartId": cart}), 1.0),
            Err(refused) => refused,
        }
    }

    /// The payment of an order.
    pub(super) fn pay(&self, asked: &Asked<'_>) -> Reply {
        match known(&asked.json(), "orderId", &self.orders) {
            Ok(order) => {
                let body = json!({"paymentId": next(&self.payments), "orderId": order, "status": "paid"});
                Reply { status: 201, body, work: Work { held_ms: Some(PROVIDER_MS), ..Work::USUAL } }
            }
            Err(refused) => refused,
        }
    }
}

fn next(counter: &AtomicU64) -> u64 {
    counter.fetch_add(1, Ordering::Relaxed) + 1
}

/// A number that was given out before.
fn known(body: &Value, field: &str, given: &AtomicU64) -> Result<u64, Reply> {
    let Some(number) = body.get(field).and_then(Value::as_u64) else {
        return Err(Reply::refused(400, &format!("{field} is wanted, as a JSON number")));
    };
    if (1..=given.load(Ordering::Relaxed)).contains(&number) { Ok(number) } else { Err(Reply::refused(404, &format!("no such {field}"))) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::asked;
    use super::*;
    use axum::http::HeaderMap;

    #[test]
    fn each_step_needs_what_the_one_before_gave() {
        let (shop, headers) = (Purchases::default(), HeaderMap::new());
        assert_eq!(shop.order(&asked(&headers, r#"{"cartId": 1}"#)).status, 404, "there is no cart yet");
        assert_eq!(shop.cart(&asked(&headers, "")).body["cartId"], 1);
        assert_eq!(shop.order(&asked(&headers, r#"{"cartId": "1"}"#)).status, 400);
        let order = shop.order(&asked(&headers, r#"{"cartId": 1}"#));
        assert_eq!((order.status, &order.body["orderId"]), (201, &json!(1)));
        assert_eq!(shop.pay(&asked(&headers, r#"{"orderId": 2}"#)).status, 404);
        let paid = shop.pay(&asked(&headers, r#"{"orderId": 1}"#));
        assert_eq!((paid.status, &paid.body["status"]), (201, &json!("paid")));
    }

    #[test]
    fn only_the_payment_waits_with_its_connection_held() {
        let (shop, headers) = (Purchases::default(), HeaderMap::new());
        assert_eq!(shop.cart(&asked(&headers, "")).work, Work::USUAL);
        assert_eq!(shop.order(&asked(&headers, r#"{"cartId": 1}"#)).work.held_ms, None);
        assert_eq!(shop.pay(&asked(&headers, r#"{"orderId": 1}"#)).work.held_ms, Some((300.0, 700.0)));
    }
}
