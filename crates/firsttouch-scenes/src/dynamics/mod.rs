//! Articulated-body dynamics in which only some of the joints are simulated at a time.
//!
//! - [`linkage`]: links and joints with masses; `articulated_body`: their response to forces and impulses.
//! - [`simulation`]: forces, time steps, the choice of the active joints, contacts.
//!
//! The dynamics use plain f64 and prove nothing. The check of every step proves that no bodies penetrate.

mod articulated_body;
pub mod linkage;
pub mod simulation;
mod spatial;
#[cfg(test)]
mod tests;

pub use linkage::Linkage;
pub use simulation::{Choice, FirstTouch, Setup, Simulation, Spring, StepRecord, StepReport};
