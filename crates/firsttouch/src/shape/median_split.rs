//! Division at the median, for hierarchies: the one rule that all of them share.
//!
//! Members are ordered by a key and, where keys are equal, by their numbers. So a hierarchy does not depend on the order in which its
//! members were given to the selection, and two runs build the same tree.
//!
//! The trees differ in what a node stores, because that is what an engine proves with:
//!
//! | tree | over | a node | why it cannot be another one |
//! |---|---|---|---|
//! | `shape::obb_tree`, with `node_hulls` | triangles at rest | an oriented box, or a hull of few corners | advancement needs support functions along any direction |
//! | `shape::sphere_tree` | vertices, edges and faces | a ball, and the label of one primitive | CONTACT has polynomials of the screw angle for balls only |
//! | `shape::compound` | convex pieces of a user | a box, two reaches | pieces are few, and no triangles |
//! | `shape::{point_cloud, octree, height_field}` | points, cells, a grid | two corners, integers, a rectangle | millions of members: at most 56 bytes; the last two are divided by their cells and grid |
//! | `distance::mesh_cuts` | cut polygons of a mesh | a solid of at most 32 corners | the sieve of robots tests few and large solids; it cuts long triangles in the middle of the box |
//! | `broad::box_tree` | boxes of bodies or obstacles | a box | lives for one query, or is refitted; leaves of eight |
//! | `deformable::hierarchy` | features of a deforming mesh | a k-DOP, refitted for each frame | it outlives its positions: a complete binary tree in a flat array, with integer keys |
//! | `adaptive::assembly` | links of a robot | links joined by a joint | its order is that of the joints: transforms are shared along it |
//! | `adaptive::culling` | boxes of obstacles | a box | it is descended together with the assembly tree |

use std::cmp::Ordering;

use glam::DVec3;

/// Reorders the members so that those with the smaller keys come first, and returns the two halves; of an odd number the second has one
/// more. There must be at least one member.
pub(crate) fn halves<M>(members: &mut [M], key: impl Fn(&M) -> (f64, usize)) -> (&mut [M], &mut [M]) {
    divided(members, members.len() / 2, key)
}

/// The same with `middle` members in the first part, which must be fewer than all.
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

/// The axis of the longest side; of equal ones the first.
#[inline]
pub(crate) fn longest(sides: DVec3) -> usize {
    (1..3).fold(0, |best, axis| if sides[axis] > sides[best] { axis } else { best })
}

/// Builds a binary tree over the members, depth first and without recursion: no input can exhaust the stack. Node 0 is the root, and the
/// two children of a node have consecutive numbers.
///
/// `divide` is called once for every node, with its number, its members and the number that its first child would have. It makes the node;
/// it returns the number of members in the first child, which must be ordered to the front, or `None` for a leaf.
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
