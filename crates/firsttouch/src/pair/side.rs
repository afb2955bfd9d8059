//! One side of a pair.

use crate::motion::RigidMotion;

/// One side of a pair: convex pieces under a hierarchy, and how they move.
///
/// Any [`Composite`](crate::tree::composite::Composite) will do for the pieces. Where all sides of a query are of one kind the
/// engine is compiled for it.
#[derive(Clone, Copy)]
pub struct Side<'a, C> {
    /// The pieces.
    pub pieces: C,
    /// How they move.
    pub motion: &'a dyn RigidMotion,
}
