//! Articulated-body dynamics in which only some of the joints are simulated at a time.
//!
//! - [`linkage`]: links and joints with masses; `articulated_body`: how they answer to forces and impulses.
//! - [`simulation`]: forces, time steps, the choice of the active joints, contacts.
//!
//! Plain f64: these are the numbers of a simulation, not of a proof. What is proven, by whoever answers for the first touch of a
//! step, is that nothing penetrates anything.

mod articulated_body;
pub mod linkage;
pub mod simulation;
mod spatial;
#[cfg(test)]
mod tests;

pub use linkage::Linkage;
pub use simulation::{FirstTouch, Setup, Simulation, Spring, StepRecord, StepReport};
