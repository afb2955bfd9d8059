//! Articulated bodies in adaptive simulation: when `m` of `n` joints move in a step, the cost depends on `m`.
//!
//! A simulator passes the joints that moved. [`Simulated`] finds the first touch, and keeps all data that did not
//! change for the next step. It uses the assembly tree of the 2008 paper (`assembly`) with its four kinds of transforms
//! (`transforms`), bounded over the step by chords, by Taylor models or by intervals ([`Bounding`]).
//!
//! For one robot that moves from one configuration to another, all joints at once, [`articulated`](crate::articulated)
//! does the same without keeping any data between steps.

mod assembly;
mod bounding;
mod chords;
mod culling;
mod cuts;
mod exact;
mod forest;
mod fronts;
mod index_hash;
mod memory;
mod nearby;
mod proofs;
mod simulated;
mod sweeps;
mod transforms;
mod travel;

pub use assembly::AssemblyTree;
pub use bounding::Bounding;
pub use culling::CullingWork;
pub use forest::forest;
pub use simulated::{ClosePair, Moved, Other, Simulated, StepReport};
pub use transforms::Updates;

// For the laboratory and the tests.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use {
    assembly::{Assembly, Place},
    transforms::{JointUpdate, Placed, Transform, Transforms},
};
