//! Arithmetic that never lies: every result is a proven enclosure or an exact sign.

pub mod algebraic;
pub(crate) mod coplanar;
pub mod double_double;
pub mod located;
pub mod predicates;
mod wide;

pub use wide::{Int, common_exponent};
