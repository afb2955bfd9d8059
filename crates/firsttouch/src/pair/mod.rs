//! The vocabulary of the engines: what a pair is made of, within which limits it is looked at, what is proven of it.
//!
//! Engines take two [`Side`]s and [`Limits`] and return a [`Verdict`]. They know nothing of scenes, bodies and robots.

mod limits;
pub mod piece;
mod side;
mod touch;
mod verdict;
mod work;

pub use limits::Limits;
pub use side::Side;
pub use touch::PairTouch;
pub use verdict::Verdict;
pub use work::{ContactTests, TreeStats};
