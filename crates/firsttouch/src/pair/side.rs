//! One side of a pair.

use crate::motion::RigidMotion;
use crate::narrow::composite::Pieces;

/// One side of a pair: convex pieces under a hierarchy, and how they move.
///
/// Any [`Composite`](crate::narrow::composite::Composite) will do for the pieces. Where all sides of a query are of one kind the
/// engine is compiled for it.
#[derive(Clone, Copy)]
pub struct Side<'a, C = Pieces<'a>> {
    /// The pieces.
    pub pieces: C,
    /// How they move.
    pub motion: &'a dyn RigidMotion,
}
