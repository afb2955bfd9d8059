//! Division at the median: the one rule that all hierarchies share.
//!
//! Members are ordered by a key and, where keys are equal, by their numbers. So a hierarchy does not depend on the
//! order in which its members were given to the selection, and two runs build the same tree.
//!
//! The trees differ in the data of a node, because engines prove with these data:
//!
//! - `shape::obb_tree`, with `node_hulls`: an oriented box, or a hull of few corners, around triangles at rest.
//!   Advancement needs support functions along any direction.
//! - `shape::sphere_tree`: a ball, and the label of one primitive, around vertices, edges and faces. CONTACT has
//!   polynomials of the screw angle only for balls.
//! - `shape::compound`: a box and two reaches, around convex pieces of a user. The pieces are few, and not triangles.
//! - `shape::{point_cloud, octree, height_field}`: two corners, integers or a rectangle, around points, cells or a part
//!   of a grid. With millions of members, a node has at most 56 bytes; the last two are divided by their cells and
//!   grid.
//! - `distance::mesh_cuts`: a solid of at most 32 corners around cut polygons of a mesh. The sieve of robots tests few
//!   and large solids; it cuts long triangles in the middle of the box.
//! - `broad::box_tree`: a box around boxes of bodies or obstacles. It lives for one query, or is refitted, with leaves
//!   of eight.
//! - `deformable::hierarchy`: a k-DOP, refitted for each frame, around features of a deforming mesh. It outlives its
//!   positions: a complete binary tree in a flat array, with integer keys.
//! - `adaptive::assembly`: links joined by a joint. Its order is that of the joints, because transforms are shared
//!   along it.
//! - `adaptive::culling`: a box around boxes of obstacles. It is descended together with the assembly tree.

use std::cmp::Ordering;

use glam::DVec3;

/// Reorders the members so that those with the smaller keys come first, and returns the two halves; of an odd number
/// the second has one more. There must be at least one member.
pub(crate) fn halves<M>(members: &mut [M], key: impl Fn(&M) -> (f64, usize)) -> (&mut [M], &mut [M]) {
    divided(members, members.len() / 2, key)
}

/// Like [`halves`], with `middle` members in the first part, which must be fewer than all.
pub(crate) fn divided<M>(
    members: &mut [M],
    middle: usize,
    key: impl Fn(&M) -> (f64, usize),
) -> (&mut [M], &mut [M]) {
    let order = |a: &M, b: &M| -> Ordering {
        let (a, b) = (key(a), key(b));
        a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
    };
    members.select_nth_unstable_by(middle, order);
    members.split_at_mut(middle)
}

/// Returns the axis of the longest side; of equal ones the first.
#[inline]
pub(crate) fn longest(sides: DVec3) -> usize {
    (1..3).fold(0, |best, axis| if sides[axis] > sides[best] { axis } else { best })
}

/// Builds a binary tree over the members, depth first and without recursion: no input can exhaust the stack. Node 0 is
/// the root, and the two children of a node have consecutive numbers.
///
/// `divide` is called once for every node, with its number, its members and the number that its first child would have.
/// It creates the node. It returns the number of members in the first child, which it must order to the front, or
/// `None` for a leaf.
pub(crate) fn grow<M>(members: &mut [M], mut divide: impl FnMut(usize, &mut [M], usize) -> Option<usize>) {
    let mut next = 1;
    let mut open = vec![(0, 0..members.len())];
    while let Some((node, range)) = open.pop() {
        let Some(count) = divide(node, &mut members[range.clone()], next) else { continue };
        let split = range.start + count;
        open.push((next + 1, split..range.end));
        open.push((next, range.start..split));
        next += 2;
    }
}
