//! CONTACT: one mesh on a contact screw against one at rest, by polynomials and trees of spheres.
//!
//! **Problem.** Find the first touch of two triangle soups when one moves by [`ContactScrew`] and the other is at
//! rest.
//!
//! **Method**, for each piece of the motion (one, or two if the rotation is large):
//! 1. Set up the screw's [`frame`]. Vertices and sphere centres are transformed into it when they are needed.
//! 2. Both [trees of spheres](crate::shape::sphere_tree) are descended together, the larger sphere first, while the
//!    [`spheres`] meet before the current first time.
//! 3. For two leaves, each vertex of one is tested against each face of the other, and each edge against each edge: the
//!    [`elementary`] polynomials yield the first candidate. Advancement of the two primitives confirms a candidate
//!    before the current first time: from there to the end of the piece, it finds the time at which they are within the
//!    tolerance, or proves that they never are.
//! 4. [`Tables`] prevent repeated tests of the same pair.
//!
//! **Guarantee.** The guarantee of all engines: never a miss, never late, and at the returned time the gap is at most
//! `min_separation + tolerance`. Surfaces that are apart first approach each other at a vertex and a face or at two
//! edges; the tree engine first checks that they are apart at the start. Algebra proves the time before a candidate
//! free, with the uncertainty of the frame added to `min_separation`; advancement proves the time after it. The
//! confirmation does not depend on the current first time, so neither the order of the tests nor the tables change the
//! answer. The decision is not exact: primitives that pass each other within the tolerance touch, as in the tree
//! engine.
//!
//! **Departures.** The paper uses the roots of Cardano's formulas; here they are enclosed, and the contact is
//! confirmed. Degenerate equations (sliding, parallel edges), which the paper does not treat, are left to
//! advancement.
//!
//! Reference: Redon, Kheddar, Coquillart, *CONTACT: arbitrary in-between motions for collision detection*, 2001.

pub mod cubic;
pub mod elementary;
pub mod frame;
mod search;
pub mod spheres;
mod tables;

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
    /// Returns a mesh with leaf spheres of about the size of its triangles. The paper wants leaves of one size for both
    /// meshes (Sec. 4.4); two meshes covered in this way have such leaves only if their triangles have the same size.
    /// See [`SphereTree::for_both`].
    #[cfg(feature = "internals")]
    pub fn natural(mesh: &'a Mesh) -> Covered<'a> {
        Covered { mesh, tree: mesh.spheres() }
    }
}

/// The two sides of a query.
#[derive(Debug, Clone, Copy)]
pub struct ContactPair<'a> {
    /// The moving mesh.
    pub moving: Covered<'a>,
    /// Its motion.
    pub motion: &'a ContactScrew,
    /// The mesh at rest.
    pub resting: Covered<'a>,
    /// Its pose.
    pub at_rest: FixedPose,
}
