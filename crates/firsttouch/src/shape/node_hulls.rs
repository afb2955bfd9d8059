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

/// What is below a node.
pub enum Below {
    Children([u32; 2]),
    Triangle(u32),
}

impl NodeHulls {
    /// For a tree in which children come after their parents.
    pub fn new(
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        count: usize,
        below: impl Fn(u32) -> Below,
    ) -> NodeHulls {
        let mut hulls = NodeHulls { ranges: vec![[0, 0]; count], corners: Vec::with_capacity(3 * count) };
        // The sorted indices of the corners; empty if there are too many.
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); count];
        for index in (0..count as u32).rev() {
            let list = match below(index) {
                Below::Triangle(t) => {
                    let mut list = triangles[t as usize].to_vec();
                    list.sort_unstable();
                    list.dedup();
                    list
                }
                Below::Children(children) => {
                    let [first, second] = children.map(|child| std::mem::take(&mut lists[child as usize]));
                    if first.is_empty() || second.is_empty() {
                        continue;
                    }
                    on_hull(vertices, merged(&first, &second))
                }
            };
            if list.len() <= MOST_CORNERS {
                let first = hulls.corners.len() as u32;
                hulls.corners.extend(list.chunks(4).map(|four| FourCorners::new(vertices, four)));
                hulls.ranges[index as usize] = [first, hulls.corners.len() as u32];
                lists[index as usize] = list;
            }
        }
        hulls
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
fn merged(first: &[u32], second: &[u32]) -> Vec<u32> {
    let mut list = Vec::with_capacity(first.len() + second.len());
    let (mut i, mut j) = (0, 0);
    while i < first.len() && j < second.len() {
        let (p, q) = (first[i], second[j]);
        list.push(p.min(q));
        i += usize::from(p <= q);
        j += usize::from(q <= p);
    }
    list.extend_from_slice(&first[i..]);
    list.extend_from_slice(&second[j..]);
    list
}

/// Returns the corners that are on their convex hull, if there are too many. A short list is returned unchanged:
/// scanning all of it is fast.
fn on_hull(vertices: &[DVec3], list: Vec<u32>) -> Vec<u32> {
    if list.len() <= MOST_CORNERS {
        return list;
    }
    let points: Vec<DVec3> = list.iter().map(|&v| vertices[v as usize]).collect();
    match Hull::new(&points) {
        Ok(hull) => hull.vertex_ids().iter().map(|&i| list[i as usize]).collect(),
        Err(_) => list,
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
