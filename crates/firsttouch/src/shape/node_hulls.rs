//! The convex hulls of the small nodes of a tree over triangles, as points that span them: their corners, and
//! possibly more.
//!
//! 1. From the leaves up, the corners of a node are those of its two children, each once. If these are more than
//!    `MOST_CORNERS`, exact predicates drop those inside the convex hull. (Doing so everywhere takes five times as long
//!    and saves little.)
//! 2. A node that still has too many corners has no hull, and neither has any node above it: a support function over
//!    that many corners costs more than it saves, and large nodes are opened anyway.
//!
//! The support function is the largest product with any corner. It is exact except for rounding. It is also faster than
//! a walk from corner to corner, which can stop early in floating point and then proves nothing.

use fearless_simd::{Level, Simd, dispatch};
use glam::DVec3;

use super::hull::Hull;
use super::many_corners::distinct_vertices;
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

    /// Returns the hull of a node, if it has one.
    #[inline]
    pub fn hull(&self, node: u32) -> Option<CornerSpan<'_>> {
        let [first, end] = self.ranges[node as usize];
        (first != end).then(|| CornerSpan(&self.corners[first as usize..end as usize]))
    }
}

/// The hull of one node, with the indices of its corners, which its parent needs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NodeHull {
    /// The indices of the corners, sorted.
    ids: Box<[u32]>,
    corners: Box<[FourCorners]>,
}

impl NodeHull {
    fn new(vertices: &[DVec3], ids: &[u32]) -> NodeHull {
        let corners = ids.chunks(4).map(|four| FourCorners::new(vertices, four)).collect();
        NodeHull { ids: ids.into(), corners }
    }

    /// Returns the hull of a node with these triangles, if they have few vertices: all of these. `None` leaves the
    /// question open.
    pub(super) fn of_triangles(
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        members: &[u32],
    ) -> Option<NodeHull> {
        let ids = distinct_vertices(vertices.len(), triangles, members);
        (ids.len() <= MOST_CORNERS).then(|| NodeHull::new(vertices, &ids))
    }

    /// Returns the hull of a node with these children; `None` if it has too many corners.
    pub(super) fn of_parent(vertices: &[DVec3], children: [&NodeHull; 2]) -> Option<NodeHull> {
        let mut ids = Vec::new();
        merge(children.map(|child| &child.ids[..]), &mut ids);
        leave_hull(vertices, &mut ids);
        (ids.len() <= MOST_CORNERS).then(|| NodeHull::new(vertices, &ids))
    }

    #[inline]
    pub(super) fn span(&self) -> CornerSpan<'_> {
        CornerSpan(&self.corners)
    }
}

/// The points that span the hull of a node.
#[derive(Debug, Clone, Copy)]
pub struct CornerSpan<'a>(&'a [FourCorners]);

impl CornerSpan<'_> {
    /// Returns the largest `direction · x` over the hull, up to 5 roundings.
    #[inline]
    pub fn extent(&self, direction: DVec3) -> f64 {
        upper_if_known(highest_corner(self.0, direction))
    }
}

/// Hulls while they are built, from the leaves up: each node comes after its first and then its second child.
#[derive(Debug, Default)]
pub struct HullsBelow {
    corners: Vec<FourCorners>,
    /// The sorted indices of the corners of each node that waits for its parent; none if there are too many.
    waiting: Vec<u32>,
    /// The beginning of each of these lists.
    starts: Vec<usize>,
    both: Vec<u32>,
}

impl HullsBelow {
    /// Creates an empty list with room for the corners of a tree over this number of triangles.
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

    /// Adds the parent of the last two nodes that wait for one. Returns the range of its corners, which is empty if
    /// there are too many.
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

    /// Returns the hull of the node that was added last, if it has few corners.
    pub(super) fn last_hull(&self, vertices: &[DVec3]) -> Option<NodeHull> {
        let ids = &self.waiting[self.starts.last().copied().unwrap_or(0)..];
        (!ids.is_empty()).then(|| NodeHull::new(vertices, ids))
    }
}

/// Returns the largest height of any corner; `-inf` if all are NaN.
#[inline(always)]
fn highest_corner(corners: &[FourCorners], direction: DVec3) -> f64 {
    let DVec3 { x, y, z } = direction;
    // For few corners, the choice of the instruction level costs more than the instructions save.
    if corners.len() < 4 { highest(corners, [x, y, z]) } else { highest_of_many(corners, x, y, z) }
}

/// Returns the same height for many corners. The direction comes in registers, as for `NodeVolume`.
#[inline(never)]
fn highest_of_many(corners: &[FourCorners], x: f64, y: f64, z: f64) -> f64 {
    dispatch!(Level::new(), simd => highest_at_level(simd, corners, [x, y, z]))
}

#[inline(always)]
fn highest(corners: &[FourCorners], [x, y, z]: [f64; 3]) -> f64 {
    let mut most = [f64::NEG_INFINITY; 4];
    for four in corners {
        for (i, most) in most.iter_mut().enumerate() {
            let height = four.x[i] * x + four.y[i] * y + four.z[i] * z;
            // `if` instead of `f64::max` compiles to one instruction, because it need not treat NaN separately.
            *most = if height > *most { height } else { *most };
        }
    }
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    larger(larger(most[0], most[2]), larger(most[1], most[3]))
}

/// Like [`highest`], compiled for every level of vector instructions. All levels compute the same bits: no operation is
/// reordered or fused.
#[inline(always)]
fn highest_at_level<S: Simd>(_: S, corners: &[FourCorners], direction: [f64; 3]) -> f64 {
    highest(corners, direction)
}

/// Four corners stored by coordinate, for vector instructions. Missing corners repeat the last one.
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

/// Drops the corners inside the convex hull of all, if there are too many. A short list stays: scanning all of it is
/// fast.
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

    use super::{MOST_CORNERS, leave_hull, merge};
    use crate::shape::Mesh;
    use crate::shape::convex::EXTENT_ERROR;
    use crate::shape::hull::Hull;
    use crate::shape::many_corners::has_many_corners;

    /// Returns a ring with a bumpy tube: convex outside, saddles inside.
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
        for index in tree.numbers() {
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
                let extent = tree.volume(index).extent(direction);
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

    /// Returns a square of this many cells a side, with a height at each corner.
    fn terrain(cells: u32, height: impl Fn(f64, f64) -> f64) -> Mesh {
        let at = |i: u32| 2.0 * f64::from(i) / f64::from(cells) - 1.0;
        let corner = |i: u32, k: u32| DVec3::new(at(i), at(k), height(at(i), at(k)));
        let vertices = (0..=cells).flat_map(|i| (0..=cells).map(move |k| (i, k))).map(|(i, k)| corner(i, k));
        let number = |i: u32, k: u32| i * (cells + 1) + k;
        let triangles = (0..cells).flat_map(|i| (0..cells).map(move |k| (i, k))).flat_map(|(i, k)| {
            let [a, b, c, d] = [number(i, k), number(i + 1, k), number(i + 1, k + 1), number(i, k + 1)];
            [[a, b, c], [a, c, d]]
        });
        Mesh::new(vertices.collect(), triangles.collect()).unwrap()
    }

    /// Returns the corners of a node by the rule of the header, from the leaves up; `None` if there are too many.
    fn by_the_rule(mesh: &Mesh, node: u32, hulls: &mut Vec<(u32, Option<Vec<u32>>)>) -> Option<Vec<u32>> {
        let tree = mesh.tree();
        let own = match tree.node(node).children() {
            None => {
                let mut ids = mesh.triangles()[tree.node(node).triangle() as usize].to_vec();
                ids.sort_unstable();
                ids.dedup();
                Some(ids)
            }
            Some(children) => {
                let [first, second] = children.map(|child| by_the_rule(mesh, child, hulls));
                first.zip(second).and_then(|(first, second)| {
                    let mut ids = Vec::new();
                    merge([&first, &second], &mut ids);
                    leave_hull(mesh.vertices(), &mut ids);
                    (ids.len() <= MOST_CORNERS).then_some(ids)
                })
            }
        };
        hulls.push((node, own.clone()));
        own
    }

    /// In every order of building, a node has the hull of the rule, bit for bit: a plate with a bump, a plate with a
    /// saddle, a ball-like bowl, a ring. Large nodes have hulls where the surface is flat, and none where it is round.
    #[test]
    fn hulls_follow_the_rule_in_any_order() {
        let bump = |x: f64, y: f64| (0.2 - (x - 0.4) * (x - 0.4) - y * y).max(0.0);
        let meshes = [
            terrain(48, bump),
            terrain(48, |x, y| x * y * if x > 0.0 { 1.0 } else { 0.0 }),
            terrain(24, |x, y| x * x + y * y),
            ring(40, 24, 0.05),
        ];
        let (mut large_with, mut large_without) = (0, 0);
        for (k, mesh) in meshes.iter().enumerate() {
            let mut hulls = Vec::new();
            by_the_rule(mesh, 0, &mut hulls);
            assert_eq!(hulls.len(), mesh.tree().len());
            // Parents first, leaves first, and neither.
            let orders: [Vec<usize>; 3] = [
                (0..hulls.len()).collect(),
                (0..hulls.len()).rev().collect(),
                (0..hulls.len()).map(|i| i * 7919 % hulls.len()).collect(),
            ];
            for order in orders {
                let fresh = Mesh::new(mesh.vertices().to_vec(), mesh.triangles().to_vec()).unwrap();
                for i in order {
                    let (node, ids) = &hulls[i];
                    let n = DVec3::new(0.3, -0.2 + 0.01 * k as f64, 0.9);
                    let expected = match ids {
                        None => mesh.tree().node(*node).volume.extent(n),
                        Some(ids) => {
                            let height = |&v: &u32| {
                                let p = mesh.vertices()[v as usize];
                                p.x * n.x + p.y * n.y + p.z * n.z
                            };
                            ids.iter().map(height).fold(f64::NEG_INFINITY, f64::max)
                        }
                    };
                    assert_eq!(fresh.tree().volume(*node).extent(n), expected, "mesh {k}, node {node}");
                }
                assert!(fresh.tree() == mesh.tree());
            }
            for (node, ids) in &hulls {
                let mut open = vec![*node];
                let mut below = 0;
                while let Some(next) = open.pop() {
                    below += usize::from(mesh.tree().node(next).children().is_none());
                    open.extend(mesh.tree().node(next).children().into_iter().flatten());
                }
                if below > 256 {
                    *(if ids.is_some() { &mut large_with } else { &mut large_without }) += 1;
                }
            }
        }
        assert!(large_with > 10 && large_without > 10, "{large_with} with, {large_without} without");
    }

    /// A patch that is proven to have many corners has more than [`MOST_CORNERS`]: round, almost flat, folded and
    /// doubled patches.
    #[test]
    fn many_corners_are_proven() {
        let state = &mut 43_u64;
        let mut unit = || {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let (mut proven, mut large) = (0, 0);
        for round in 0..60 {
            let curvature = [1.0, 1e-3, 1e-9, 1e-14, 1e-16, 0.0][round % 6] * (1.0 + unit());
            let fold = [0.0, 0.3][round / 6 % 2];
            let offset = [0.0, 1e4][round / 12 % 2];
            let (tilt, saddle) = (unit(), if round / 24 % 2 == 0 { 1.0 } else { unit() });
            let mesh = terrain(11, |x, y| {
                offset + tilt * x + curvature * (x * x + saddle * y * y) + fold * (x - 0.2).max(0.0)
            });
            let members: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
            let corners = Hull::extreme_points(mesh.vertices()).unwrap().len();
            let is_proven = has_many_corners(mesh.vertices(), mesh.triangles(), &members);
            assert!(!is_proven || corners > MOST_CORNERS, "round {round}: {corners}");
            proven += usize::from(is_proven);
            large += usize::from(corners > MOST_CORNERS);
        }
        assert!(proven >= 10 && large < 58 && proven * 2 > large, "{proven} of {large}");
    }
}
