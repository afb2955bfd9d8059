//! The vocabulary of the engines: the sides of a pair, the limits of a query, and its verdict.
//!
//! Engines take two [`Side`]s and [`Limits`] and return a [`Verdict`]. They do not depend on scenes, bodies or
//! robots.

mod gap;
mod limits;
pub mod piece;
mod side;
mod touch;
mod verdict;
mod work;

pub use gap::{NeededGap, ProvenGap};
pub use limits::Limits;
pub use side::Side;
pub use touch::PairTouch;
pub use verdict::Verdict;
pub use work::{ContactTests, TreeStats};
