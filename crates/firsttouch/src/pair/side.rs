//! One side of a pair.

use crate::motion::RigidMotion;

/// One side of a pair: convex pieces under a hierarchy, and their motion.
///
/// The pieces may be any [`Composite`](crate::tree::composite::Composite). If all sides of a query are of one kind,
/// the engine is compiled for it.
#[derive(Clone, Copy)]
pub struct Side<'a, C> {
    /// The pieces.
    pub pieces: C,
    /// Their motion.
    pub motion: &'a dyn RigidMotion,
}
