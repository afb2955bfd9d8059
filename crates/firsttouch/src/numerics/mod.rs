//! Arithmetic that never lies: every result is a proven enclosure or an exact sign.

pub mod rounding;
pub mod sine;
pub mod taylor;
