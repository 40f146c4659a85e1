//! Parts that screens are made of. Each draws figures it is handed into an area it is handed; none knows a session.

pub mod gauge;
pub mod panel;
pub mod plot;
pub mod scale;
pub mod table;
