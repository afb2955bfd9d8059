//! CONTACT: one mesh on a contact screw against one at rest, by polynomials under trees of spheres.
//!
//! **Problem.** The first touch of two triangle soups when one moves by [`ContactScrew`] and the other is at rest.
//!
//! **Method**, for each piece of the motion (one, or two if it turns far):
//! 1. The screw's [`frame`]. Vertices and sphere centres are turned into it when they are first needed, and kept.
//! 2. Both [trees of spheres](crate::shape::sphere_tree) are descended together, the larger sphere first, as long as the
//!    [`spheres`] meet before the current first time.
//! 3. For two leaves, each vertex of one against each face of the other, and each edge against each edge: the first
//!    candidate by [`elementary`] polynomials. A candidate before the current first time is confirmed by advancement of the
//!    two primitives from there to the end of the piece: it finds the time at which they are within the tolerance, or proves
//!    that they never get there.
//! 4. [`Tables`] keep what has been tested from being tested again.
//!
//! **Guarantee.** That of all engines: never a miss, never late, and at the time returned the gap is at most
//! `min_separation + tolerance`. Surfaces that are apart first come near to each other at a vertex and a face or at two
//! edges; that they are apart at the start is checked first, by the other engine. Everything before a candidate is free by
//! algebra, with the uncertainty of the frame added to `min_separation`; from there on, by advancement.
//! The confirmation does not depend on the current first time, so neither the order of the tests nor the tables
//! change the answer.
//!
//! **Departures.** The paper takes the roots as they come out of Cardano's formulas; here they are enclosed, and the
//! contact confirmed. Degenerate equations (sliding, parallel edges), on which the paper is silent, are left to
//! advancement.
//!
//! Reference: Redon, Kheddar, Coquillart, *CONTACT: arbitrary in-between motions for collision detection*, 2001.

pub mod cubic;
pub mod elementary;
pub mod frame;
mod search;
pub mod spheres;
mod tables;

pub use crate::pair::ContactTests;
pub use search::{FaceTouch, first_touch};
pub use tables::Tables;

use crate::motion::{ContactScrew, FixedPose};
use crate::shape::{Mesh, SphereTree};

/// A mesh with its tree of spheres.
#[derive(Debug, Clone, Copy)]
pub struct Covered<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// A tree over it.
    pub tree: &'a SphereTree,
}

impl<'a> Covered<'a> {
    /// A mesh with leaf spheres of about the size of its triangles.
    pub fn natural(mesh: &'a Mesh) -> Covered<'a> {
        Covered { mesh, tree: mesh.spheres() }
    }
}

/// The two sides of a query.
#[derive(Debug, Clone, Copy)]
pub struct ContactPair<'a> {
    /// The moving mesh.
    pub moving: Covered<'a>,
    /// How it moves.
    pub motion: &'a ContactScrew,
    /// The mesh at rest.
    pub resting: Covered<'a>,
    /// Where it rests.
    pub at_rest: FixedPose,
}
