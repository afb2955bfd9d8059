//! Arithmetic that never lies: every result is a proven enclosure or an exact sign.

pub mod bernstein;
pub mod bernstein2;
mod bernstein_grid;
mod binomial;
mod first_root;
