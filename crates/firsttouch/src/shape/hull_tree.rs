//! A hierarchy of convex hulls over the triangles of a mesh, built on its convex patches.
//!
//! 1. The leaves of the upper part are the patches of `decomposition`, those of the lower part, below each patch, its triangles. What
//!    touches is decided on triangles; a patch is as closely bounded by its hull as by anything convex.
//! 2. Both parts are divided at the median along the longest axis of an oriented box, the upper one by patches, weighted by
//!    their triangles.
//! 3. A node's volume is the convex hull of its triangles, as its corners: the hull of the corners of its two children. Its
//!    support function is the largest product with any of them, so it needs no faces and no walking from corner to corner (which in floating
//!    point can stop early, and proves nothing). Hulls with more than [`MOST_CORNERS`] corners are replaced by an oriented box around them:
//!    with every corner the support function costs more, and large nodes are opened anyway.
//! 4. The box also gives the directions to try, and says which of two nodes is the larger.
//!
//! Guarantee: as for [`ObbTree`](super::ObbTree), with hulls decided by exact predicates.
//!
//! # Against oriented boxes
//! Measured with the engine of `narrow::tree_tree`, means of pairs of volumes, pairs of triangles and time (`bench --bin hulls`):
//!
//! MEASURED
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 4; S. A. Ehmann and M. C. Lin 2001, Sec. 4.

use glam::DVec3;

use super::decomposition::convex_patches;
use super::hull::Hull;
use super::mesh::Mesh;
use super::obb_tree::Obb;

/// The most corners of a hull that is a node's volume.
pub const MOST_CORNERS: usize = 32;

/// The hierarchy. Node 0 is the root.
///
/// ```
/// use firsttouch::shape::{HullTree, Mesh};
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
    corners: Vec<Four>,
    patches: usize,
}

/// A node: its volume, and either two children or a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HullNode {
    /// A box around its hull.
    pub bounds: Obb,
    /// Its corners, four at a time; none if it has too many.
    corners: [u32; 2],
    /// The index of the first of its two children, which are neighbours; 0, the root, for a leaf.
    children: u32,
    /// The triangle of a leaf.
    triangle: u32,
}

impl HullNode {
    /// The two children of an inner node.
    #[inline]
    pub fn children(&self) -> Option<[u32; 2]> {
        if self.children == 0 { None } else { Some([self.children, self.children + 1]) }
    }

    /// The triangle of a leaf.
    #[inline]
    pub fn triangle(&self) -> u32 {
        self.triangle
    }

    /// Whether its volume is its hull; else it is the box around that.
    pub fn is_hull(&self) -> bool {
        self.corners[0] < self.corners[1]
    }
}

/// Four corners by coordinate, for instructions that work on several numbers. Missing ones repeat the last.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Four {
    x: [f64; 4],
    y: [f64; 4],
    z: [f64; 4],
}

impl HullTree {
    /// The tree over a mesh.
    pub fn new(mesh: &Mesh) -> HullTree {
        let patches = convex_patches(mesh);
        let count = patches.len();
        let mut tree = HullTree { nodes: Vec::new(), corners: Vec::new(), patches: count };
        tree.divide(mesh, patches);
        tree.enclose(mesh);
        tree
    }

    /// A node.
    #[inline]
    pub fn node(&self, index: u32) -> &HullNode {
        &self.nodes[index as usize]
    }

    /// How many nodes there are: twice the triangles, less one.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: a mesh has at least one triangle.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many convex patches the surface has.
    pub fn patches(&self) -> usize {
        self.patches
    }

    /// An upper bound of `direction · x` over a node, for a direction of any length, up to
    /// [`EXTENT_ERROR`](super::convex::EXTENT_ERROR)` · |direction|` times the node's reach.
    #[inline]
    pub fn extent(&self, node: u32, direction: DVec3) -> f64 {
        let node = self.node(node);
        let [first, end] = node.corners;
        if first == end {
            return node.bounds.extent(direction);
        }
        let mut most = [f64::NEG_INFINITY; 4];
        for four in &self.corners[first as usize..end as usize] {
            for (i, most) in most.iter_mut().enumerate() {
                let height = four.x[i] * direction.x + four.y[i] * direction.y + four.z[i] * direction.z;
                *most = if height > *most { height } else { *most };
            }
        }
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        larger(larger(most[0], most[2]), larger(most[1], most[3]))
    }

    /// The tree's structure, from the root down; volumes come later.
    fn divide(&mut self, mesh: &Mesh, patches: Vec<Vec<u32>>) {
        let node = HullNode { bounds: Obb::at(DVec3::ZERO), corners: [0, 0], children: 0, triangle: 0 };
        let centroid = |t: u32| mesh.triangle(t).corners().iter().sum::<DVec3>() / 3.0;
        let single = |t: u32| Group { centroid: centroid(t), triangles: vec![t] };
        let group = |triangles: Vec<u32>| {
            let centroid = triangles.iter().map(|&t| centroid(t)).sum::<DVec3>() / triangles.len() as f64;
            Group { centroid, triangles }
        };
        self.nodes.push(node);
        // No recursion, so no input can exhaust the stack.
        let mut open: Vec<(usize, Vec<Group>)> = vec![(0, patches.into_iter().map(group).collect())];
        while let Some((index, mut groups)) = open.pop() {
            if let [only] = &groups[..] {
                if let [triangle] = only.triangles[..] {
                    self.nodes[index].triangle = triangle;
                    continue;
                }
                groups = only.triangles.iter().map(|&t| single(t)).collect();
            }
            let corners = groups.iter().flat_map(|group| &group.triangles);
            let axis = Obb::around(corners.flat_map(|&t| *mesh.triangle(t).corners()), 0.0).axes.x_axis;
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
            let first = self.nodes.len();
            self.nodes[index].children = first as u32;
            self.nodes.extend([node, node]);
            open.push((first + 1, second));
            open.push((first, groups));
        }
    }

    /// The volumes, from the leaves up: children come after their parents.
    fn enclose(&mut self, mesh: &Mesh) {
        let scale = mesh.tree().node(0).volume.reach;
        let mut hulls: Vec<Vec<DVec3>> = vec![Vec::new(); self.nodes.len()];
        for index in (0..self.nodes.len()).rev() {
            let node = self.nodes[index];
            let corners = match node.children() {
                None => mesh.triangle(node.triangle).corners().to_vec(),
                Some([first, second]) => {
                    let mut both = std::mem::take(&mut hulls[first as usize]);
                    both.append(&mut hulls[second as usize]);
                    extreme(both)
                }
            };
            self.nodes[index].bounds = Obb::around(corners.iter().copied(), scale);
            if corners.len() <= MOST_CORNERS {
                let first = self.corners.len() as u32;
                self.corners.extend(corners.chunks(4).map(Four::new));
                self.nodes[index].corners = [first, self.corners.len() as u32];
            }
            hulls[index] = corners;
        }
    }
}

/// A patch or a triangle, while the tree is built.
struct Group {
    centroid: DVec3,
    triangles: Vec<u32>,
}

/// The corners of the convex hull of points.
fn extreme(mut points: Vec<DVec3>) -> Vec<DVec3> {
    // Of a few triangles nearly all corners are on the hull; it is enough to have each once.
    if points.len() <= 8 {
        points.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z)));
        points.dedup();
        return points;
    }
    match Hull::new(&points) {
        Ok(hull) => hull.vertices().to_vec(),
        Err(_) => points,
    }
}

impl Four {
    fn new(corners: &[DVec3]) -> Four {
        let lane = |i: usize| corners[i.min(corners.len() - 1)];
        Four {
            x: std::array::from_fn(|i| lane(i).x),
            y: std::array::from_fn(|i| lane(i).y),
            z: std::array::from_fn(|i| lane(i).z),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::decomposition::tests::ring;
    use super::*;
    use crate::shape::convex::EXTENT_ERROR;

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
                assert!(!node.is_hull() || extent <= exact + error, "a hull is exact");
            }
        }
        assert!(leaves.iter().all(|&times| times == 1));
    }
}
