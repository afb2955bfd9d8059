//! The convex hulls of the small nodes of a tree over triangles, as points that span them: their corners, and
//! possibly more.
//!
//! 1. From the leaves up, the corners of a node are those of its two children, each once. If that makes more than
//!    `MOST_CORNERS`, those inside the convex hull are dropped, by exact predicates. (Doing so everywhere takes
//!    five times as long and saves little.)
//! 2. A node that still has too many corners has no hull, nor has any node above it: a support function over so many
//!    corners costs more than it saves, and large nodes are opened anyway.
//!
//! The support function is the largest product with any corner. It is exact except for rounding. It is also faster
//! than walking from corner to corner, which can stop early in floating point and then proves nothing.

use fearless_simd::{Level, Simd, dispatch};
use glam::DVec3;

use super::hull::Hull;
use crate::numerics::bound::upper_if_known;

/// The most corners of a node's hull. Measured: every doubling from 8 to 64 saves a tenth to a quarter of the query
/// time; 128 saves another twentieth, and costs a quarter more to build.
pub(super) const MOST_CORNERS: usize = 64;

/// The corners of all small nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeHulls {
    /// For each node its part of `corners`, which may be empty.
    ranges: Vec<[u32; 2]>,
    corners: Vec<FourCorners>,
}

impl NodeHulls {
    /// Takes the corners, and the range of them for each node.
    pub fn new(ranges: Vec<[u32; 2]>, built: HullsBelow) -> NodeHulls {
        NodeHulls { ranges, corners: built.corners }
    }

    /// Returns the largest `direction · x` over the hull of a node, if it has one, up to 5 roundings.
    #[inline]
    pub fn extent(&self, node: u32, direction: DVec3) -> Option<f64> {
        let [first, end] = self.ranges[node as usize];
        if first == end {
            return None;
        }
        let corners = &self.corners[first as usize..end as usize];
        // For few corners, the choice of the instructions costs more than they save.
        let highest = if corners.len() < 4 {
            highest(corners, direction)
        } else {
            dispatch!(Level::new(), simd => highest_of_many(simd, corners, direction))
        };
        Some(upper_if_known(highest))
    }
}

/// Hulls while they are built, from the leaves up: each node comes after its first and then its second child.
#[derive(Debug, Default)]
pub struct HullsBelow {
    corners: Vec<FourCorners>,
    /// The sorted indices of the corners of each node that waits for its parent; none if there are too many.
    waiting: Vec<u32>,
    /// Where each of these lists begins.
    starts: Vec<usize>,
    both: Vec<u32>,
}

impl HullsBelow {
    /// With room for the corners of a tree over so many triangles.
    pub fn with_room_for(triangles: usize) -> HullsBelow {
        HullsBelow { corners: Vec::with_capacity(6 * triangles), ..HullsBelow::default() }
    }

    /// Adds a leaf. Returns the range of its corners.
    pub fn add_triangle(&mut self, vertices: &[DVec3], triangle: [u32; 3]) -> [u32; 2] {
        self.both.clear();
        self.both.extend(triangle);
        self.both.sort_unstable();
        self.both.dedup();
        self.keep(vertices)
    }

    /// Adds the parent of the last two nodes that wait for one. Returns the range of its corners, which is empty if there are too many.
    pub fn add_parent(&mut self, vertices: &[DVec3]) -> [u32; 2] {
        let second = self.starts.pop().unwrap_or(0);
        let first = self.starts.pop().unwrap_or(0);
        let lists = [&self.waiting[first..second], &self.waiting[second..]];
        let is_known = lists.iter().all(|list| !list.is_empty());
        self.both.clear();
        if is_known {
            merge(lists, &mut self.both);
            leave_hull(vertices, &mut self.both);
        }
        self.waiting.truncate(first);
        if is_known && self.both.len() <= MOST_CORNERS {
            return self.keep(vertices);
        }
        self.starts.push(first);
        [0, 0]
    }

    fn keep(&mut self, vertices: &[DVec3]) -> [u32; 2] {
        self.starts.push(self.waiting.len());
        self.waiting.extend_from_slice(&self.both);
        let from = self.corners.len() as u32;
        self.corners.extend(self.both.chunks(4).map(|four| FourCorners::new(vertices, four)));
        [from, self.corners.len() as u32]
    }

    /// Adds everything that was built elsewhere, after all that is here. Returns by how much its ranges move.
    pub fn append(&mut self, built: HullsBelow) -> u32 {
        let (moved, waiting) = (self.corners.len() as u32, self.waiting.len());
        self.corners.extend(built.corners);
        self.starts.extend(built.starts.iter().map(|start| start + waiting));
        self.waiting.extend(built.waiting);
        moved
    }
}

/// The largest height of any corner; `-inf` if all are NaN.
#[inline(always)]
fn highest(corners: &[FourCorners], direction: DVec3) -> f64 {
    let mut most = [f64::NEG_INFINITY; 4];
    for four in corners {
        for (i, most) in most.iter_mut().enumerate() {
            let height = four.x[i] * direction.x + four.y[i] * direction.y + four.z[i] * direction.z;
            // `if` instead of `f64::max` compiles to one instruction, because it need not treat NaN separately.
            *most = if height > *most { height } else { *most };
        }
    }
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    larger(larger(most[0], most[2]), larger(most[1], most[3]))
}

/// The same, compiled for every level of vector instructions. All of them compute the same bits: nothing is reordered or fused.
#[inline(always)]
fn highest_of_many<S: Simd>(_: S, corners: &[FourCorners], direction: DVec3) -> f64 {
    highest(corners, direction)
}

/// Four corners stored by coordinate, for vector instructions. Missing ones repeat the last.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FourCorners {
    x: [f64; 4],
    y: [f64; 4],
    z: [f64; 4],
}

impl FourCorners {
    fn new(vertices: &[DVec3], list: &[u32]) -> FourCorners {
        let lane = |i: usize| vertices[list[i.min(list.len() - 1)] as usize];
        FourCorners {
            x: std::array::from_fn(|i| lane(i).x),
            y: std::array::from_fn(|i| lane(i).y),
            z: std::array::from_fn(|i| lane(i).z),
        }
    }
}

/// Merges two sorted lists into one, without repetitions.
fn merge([first, second]: [&[u32]; 2], list: &mut Vec<u32>) {
    let (mut i, mut j) = (0, 0);
    while i < first.len() && j < second.len() {
        let (p, q) = (first[i], second[j]);
        list.push(p.min(q));
        i += usize::from(p <= q);
        j += usize::from(q <= p);
    }
    list.extend_from_slice(&first[i..]);
    list.extend_from_slice(&second[j..]);
}

/// Leaves the corners that are on their convex hull, if there are too many. A short list stays: scanning all of it is fast.
fn leave_hull(vertices: &[DVec3], list: &mut Vec<u32>) {
    if list.len() <= MOST_CORNERS {
        return;
    }
    let points: Vec<DVec3> = list.iter().map(|&v| vertices[v as usize]).collect();
    if let Ok(extreme) = Hull::extreme_points(&points) {
        *list = extreme.into_iter().map(|i| list[i as usize]).collect();
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::MOST_CORNERS;
    use crate::shape::Mesh;
    use crate::shape::convex::EXTENT_ERROR;

    /// A ring with a bumpy tube: convex outside, saddles inside.
    fn ring(along: u32, around: u32, bumps: f64) -> Mesh {
        let mut vertices = Vec::new();
        for i in 0..along {
            let u = 2.0 * std::f64::consts::PI * f64::from(i) / f64::from(along);
            let radius = 0.35 + bumps * (5.0 * u).sin();
            for k in 0..around {
                let v = 2.0 * std::f64::consts::PI * f64::from(k) / f64::from(around);
                let out = 1.0 + radius * v.cos();
                vertices.push(DVec3::new(out * u.cos(), out * u.sin(), radius * v.sin()));
            }
        }
        let at = |i: u32, k: u32| (i % along) * around + k % around;
        let mut triangles = Vec::new();
        for i in 0..along {
            for k in 0..around {
                triangles.push([at(i, k), at(i + 1, k), at(i + 1, k + 1)]);
                triangles.push([at(i, k), at(i + 1, k + 1), at(i, k + 1)]);
            }
        }
        Mesh::new(vertices, triangles).unwrap()
    }

    /// The tree of a mesh: hulls below, boxes above, and each contains every corner of its node.
    #[test]
    fn every_node_of_a_mesh_bounds_its_triangles() {
        let mesh = ring(40, 24, 0.05);
        let tree = mesh.tree();
        let mut exact = 0;
        for index in 0..tree.len() as u32 {
            let (mut below, mut open) = (Vec::new(), vec![index]);
            while let Some(next) = open.pop() {
                match tree.node(next).children() {
                    Some(children) => open.extend(children),
                    None => below.extend(mesh.triangles()[tree.node(next).triangle() as usize]),
                }
            }
            let volume = &tree.node(index).volume;
            let mut is_exact = true;
            for k in 0..12 {
                let angle = f64::from(k) * 2.4;
                let direction = DVec3::new(angle.cos(), angle.sin(), f64::from(k) / 6.0 - 1.0);
                let extent = tree.extent(index, direction);
                let heights = below.iter().map(|&v| mesh.vertices()[v as usize].dot(direction));
                let highest = heights.fold(f64::NEG_INFINITY, f64::max);
                let error = EXTENT_ERROR * direction.length() * volume.reach;
                assert!(highest <= extent + error);
                is_exact &= extent <= highest + error;
            }
            below.sort_unstable();
            below.dedup();
            assert!(is_exact || below.len() > MOST_CORNERS, "node {index} of {} corners", below.len());
            exact += u32::from(is_exact);
        }
        assert!(exact > 1800 && (exact as usize) < tree.len(), "{exact} of {}", tree.len());
    }
}
