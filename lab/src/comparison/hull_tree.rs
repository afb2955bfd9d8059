//! A hierarchy of convex hulls over the triangles of a mesh, built on its convex patches.
//!
//! 1. The leaves of the upper part are the patches of `decomposition`; those of the lower part, below each patch, are
//!    its triangles. Contacts are decided on triangles, and the hull of a patch bounds it as closely as any convex
//!    set can.
//! 2. Both parts are split at the median along the longest axis of an oriented box, the upper one by patches,
//!    weighted by their triangles.
//! 3. The volume of a node is the convex hull of its triangles if that has few corners (`node_hulls`), otherwise an
//!    oriented box.
//! 4. The box also provides the directions to try, and decides which of two nodes is the larger.
//!
//! Guarantee: as for [`ObbTree`](firsttouch::shape::ObbTree), with hulls decided by exact predicates.
//!
//! # Against oriented boxes
//! Measured with the engine of `tree` (`bench --bin hulls`): means of pairs of volumes, pairs of triangles, and the
//! time relative to boxes alone.
//!
//! | | boxes alone | boxes, small nodes as hulls | hulls over patches |
//! |---|---|---|---|
//! | links of a Panda in flight (3,472 triangles) | 642, 37, 1 | 153, 7, 0.42 | 154, 7, 0.42 |
//! | links of a UR5 in flight (104,185) | 1459, 67, 1 | 433, 19, 0.42 | 381, 15, 0.34 |
//! | bunnies (6,966) | 840, 29, 1 | 272, 8, 0.49 | 275, 7, 0.48 |
//! | bunnies (69,451) | 1174, 33, 1 | 462, 7, 0.49 | 582, 5, 0.63 |
//! | potato and ring (1,004) | 867, 50, 1 | 214, 10, 0.38 | 304, 10, 0.52 |
//! | potato and ring (7,924) | 1428, 54, 1 | 417, 11, 0.46 | 840, 12, 0.88 |
//! | potato and ring (63,950) | 2100, 71, 1 | 975, 17, 0.53 | 3881, 16, 2.4 |
//!
//! The hulls save more than the patches do. On the flat and round faces of machine parts, patches are large and make
//! the better tree; on saddles they are strips, whose unions are loose. The tree of a mesh therefore has boxes above
//! and hulls below ([`ObbTree::extent`](super::ObbTree::extent)), which is better than boxes alone everywhere and
//! takes half the time of this one to build.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 4; S. A. Ehmann and M. C. Lin 2001, Sec. 4.

use glam::DVec3;

use super::decomposition::convex_patches;
use firsttouch::shape::node_hulls::{HullsBelow, NodeHulls};
use firsttouch::shape::{Mesh, Obb};

/// The hierarchy. Node 0 is the root.
///
/// ```
/// use firsttouch::shape::Mesh;
/// use firsttouch_lab::comparison::HullTree;
/// use glam::DVec3;
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE];
/// let tree = HullTree::new(&Mesh::new(corners, vec![[0, 1, 2], [1, 2, 3]])?);
/// assert_eq!((tree.len(), tree.patches()), (3, 1));
/// assert_eq!(tree.extent(0, DVec3::Z), 1.0); // a hull of four points, not a box around them
/// assert_eq!(tree.extent(0, DVec3::new(1.0, 1.0, -1.0)), 1.0);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct HullTree {
    nodes: Vec<HullNode>,
    hulls: NodeHulls,
    patches: usize,
}

/// A node: its volume, and either two children or a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HullNode {
    /// A box around its hull.
    pub bounds: Obb,
    /// The index of the first of its two consecutive children; 0, the root, for a leaf.
    children: u32,
    /// The triangle of a leaf.
    triangle: u32,
}

impl HullNode {
    /// Returns the two children of an inner node.
    #[inline]
    pub fn children(&self) -> Option<[u32; 2]> {
        if self.children == 0 { None } else { Some([self.children, self.children + 1]) }
    }

    /// Returns the triangle of a leaf.
    #[inline]
    pub fn triangle(&self) -> u32 {
        self.triangle
    }
}

impl HullTree {
    /// Builds the tree over the convex patches of a mesh.
    pub fn new(mesh: &Mesh) -> HullTree {
        let patches = convex_patches(mesh);
        let count = patches.len();
        let nodes = divided(mesh, patches);
        // Every node after its first and its second child: the reverse of parent, second, first.
        let (mut order, mut open) = (Vec::with_capacity(nodes.len()), vec![0]);
        while let Some(index) = open.pop() {
            order.push(index);
            open.extend(nodes[index as usize].children().into_iter().flatten());
        }
        let (mut ranges, mut hulls) =
            (vec![[0, 0]; nodes.len()], HullsBelow::with_room_for(mesh.triangles().len()));
        for &index in order.iter().rev() {
            let node = &nodes[index as usize];
            ranges[index as usize] = match node.children() {
                Some(_) => hulls.add_parent(mesh.vertices()),
                None => hulls.add_triangle(mesh.vertices(), mesh.triangles()[node.triangle as usize]),
            };
        }
        HullTree { nodes, hulls: NodeHulls::new(ranges, hulls), patches: count }
    }

    /// Returns a node.
    #[inline]
    pub fn node(&self, index: u32) -> &HullNode {
        &self.nodes[index as usize]
    }

    /// Returns the number of nodes: twice the number of triangles, less one.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always returns false: a mesh has at least one triangle.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the number of convex patches of the surface.
    pub fn patches(&self) -> usize {
        self.patches
    }

    /// Returns an upper bound of `direction · x` over a node, for a direction of any length, up to
    /// `EXTENT_ERROR · |direction|` times the node's reach.
    #[inline]
    pub fn extent(&self, node: u32, direction: DVec3) -> f64 {
        let of_box = || self.node(node).bounds.extent(direction);
        self.hulls.hull(node).map_or_else(of_box, |hull| hull.extent(direction))
    }

    /// Returns true if the volume of a node is its hull; otherwise it is the box around it.
    pub fn is_hull(&self, node: u32) -> bool {
        self.hulls.hull(node).is_some()
    }
}

/// Builds the nodes of the tree, from the root down, with their boxes.
fn divided(mesh: &Mesh, patches: Vec<Vec<u32>>) -> Vec<HullNode> {
    let fit = |groups: &[Group]| {
        let triangles = groups.iter().flat_map(|group| &group.triangles);
        let corners: Vec<DVec3> = triangles.flat_map(|&t| *mesh.triangle(t).corners()).collect();
        Obb::around(&corners)
    };
    let node = |groups: &[Group]| HullNode { bounds: fit(groups), children: 0, triangle: 0 };
    let centroid = |t: u32| mesh.triangle(t).corners().iter().sum::<DVec3>() / 3.0;
    let single = |t: u32| Group { centroid: centroid(t), triangles: vec![t] };
    let group = |triangles: Vec<u32>| {
        let centroid = triangles.iter().map(|&t| centroid(t)).sum::<DVec3>() / triangles.len() as f64;
        Group { centroid, triangles }
    };
    let groups: Vec<Group> = patches.into_iter().map(group).collect();
    let mut nodes = vec![node(&groups)];
    // There is no recursion, so no input can exhaust the stack.
    let mut open: Vec<(usize, Vec<Group>)> = vec![(0, groups)];
    while let Some((index, mut groups)) = open.pop() {
        if let [only] = &groups[..] {
            if let [triangle] = only.triangles[..] {
                nodes[index].triangle = triangle;
                continue;
            }
            groups = only.triangles.iter().map(|&t| single(t)).collect();
        }
        let axis = nodes[index].bounds.axes.x_axis;
        groups.sort_by(|p, q| {
            let along = |group: &Group| axis.dot(group.centroid);
            along(p).total_cmp(&along(q)).then(p.triangles[0].cmp(&q.triangles[0]))
        });
        let total: usize = groups.iter().map(|group| group.triangles.len()).sum();
        let mut before = 0;
        let middle = groups.iter().position(|group| {
            before += group.triangles.len();
            2 * before >= total
        });
        let middle = (middle.unwrap_or(0) + 1).min(groups.len() - 1);
        let second = groups.split_off(middle);
        let first = nodes.len();
        nodes[index].children = first as u32;
        nodes.extend([node(&groups), node(&second)]);
        open.push((first + 1, second));
        open.push((first, groups));
    }
    nodes
}

/// A patch or a triangle, while the tree is built.
struct Group {
    centroid: DVec3,
    triangles: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::super::decomposition::tests::ring;
    use super::*;
    use firsttouch::shape::EXTENT_ERROR;

    #[test]
    fn every_node_bounds_its_triangles() {
        let mesh = ring(30, 12, 0.08);
        let tree = HullTree::new(&mesh);
        assert_eq!(tree.len(), 2 * mesh.triangles().len() - 1);
        assert!(tree.patches() < mesh.triangles().len() / 2);
        let mut leaves = vec![0; mesh.triangles().len()];
        for index in 0..tree.len() as u32 {
            let node = tree.node(index);
            if node.children().is_none() {
                leaves[node.triangle() as usize] += 1;
            }
            let (mut below, mut open) = (Vec::new(), vec![index]);
            while let Some(next) = open.pop() {
                match tree.node(next).children() {
                    Some(children) => open.extend(children),
                    None => below.extend(*mesh.triangle(tree.node(next).triangle()).corners()),
                }
            }
            for k in 0..12 {
                let angle = f64::from(k) * 2.4;
                let direction = DVec3::new(angle.cos(), angle.sin(), f64::from(k) / 6.0 - 1.0);
                let extent = tree.extent(index, direction);
                let exact = below.iter().map(|v| v.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
                let error = EXTENT_ERROR * direction.length() * node.bounds.reach;
                assert!(exact <= extent + error && exact <= node.bounds.extent(direction) + error);
                assert!(!tree.is_hull(index) || extent <= exact + error, "a hull is exact");
            }
        }
        assert!(leaves.iter().all(|&times| times == 1));
    }
}
