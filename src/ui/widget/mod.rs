//! Parts that screens are made of. Each draws figures it is handed into an area it is handed; none knows a session.

pub(super) mod gauge;
pub(super) mod panel;
pub(super) mod plot;
pub(super) mod scale;
pub(super) mod table;
