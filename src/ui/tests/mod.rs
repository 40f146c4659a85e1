//! Tests of the screens as a whole.

mod print;
