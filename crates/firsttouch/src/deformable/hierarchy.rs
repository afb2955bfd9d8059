//! The tree over a deforming mesh: the features of each leaf. Its volumes are in `fit`.
//!
//! **Problem.** Group features that are close to each other, each in exactly one leaf, fast enough to repeat whenever a
//! deformation has made the tree useless.
//!
//! 1. Carriers (triangles, loose edges, loose points) are split at the median of their centres, along the widest axis,
//!    until a leaf has a few. All leaves are at the same depth, so the tree needs no pointers: node k has the children
//!    2k and 2k + 1, and leaf i is node `leaves + i`. Axes along the surface may be added (`surface_order`).
//! 2. In the order of the leaves, a vertex or an edge belongs to the first carrier that uses it: the representative
//!    triangles of Curtis, Tamstorf and Manocha. Every vertex, edge and face is thus in one leaf, and every pair is
//!    visited once.
//! 3. Vertices are renumbered in that order, so that neighbouring leaves read neighbouring memory.
//! 4. Sides of faces are linked with the sides across them (`links`), for the contours of patches (`normal_cones`).
//!
//! Leaves of several carriers are used instead of separate trees of vertices, edges and faces: this needs one traversal
//! instead of two and fewer nodes, and the innermost loops run over short arrays. Measured with `deform` of the
//! benchmarks, swept boxes, one thread, in milliseconds, for one tree and separate ones. All pairs of cloth-ball take
//! 149 and 153, of armadillo-rollers 67 and 70, of generated cloth 82 and 94, of generated balls 127 and 134. Building
//! takes 28 and 40, 5 and 8, 20 and 40, 25 and 53; only for the one tree does this include deriving the edges.
//!
//! Reference: Tang, Kim and Manocha 2010, Sec. III B and VI (feature-based hierarchy).

use glam::DVec3;

use super::links::Links;
use super::surface_order::{Distances, WEIGHT};
use crate::parallel;

/// A face: the user's index, and its vertices by the tree's indices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Face {
    pub(crate) id: u32,
    pub(crate) vertices: [u32; 3],
}

/// An edge: its vertices by the tree's indices. The vertex with the smaller user index comes first. The number of the
/// edge follows from the user's indices of both (`edges`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Edge {
    pub(crate) vertices: [u32; 2],
}

/// The element of the mesh to which a feature belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carrier {
    Triangle(u32),
    Edge(u32),
    Point(u32),
}

/// The connectivity given by the user. It never changes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Topology {
    pub(crate) vertices: usize,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) loose_edges: Vec<[u32; 2]>,
    pub(crate) loose_points: Vec<u32>,
}

impl Topology {
    fn carriers(&self) -> usize {
        self.triangles.len() + self.loose_edges.len() + self.loose_points.len()
    }

    pub(crate) fn carrier(&self, index: u32) -> Carrier {
        let (triangles, edges) = (self.triangles.len() as u32, self.loose_edges.len() as u32);
        if index < triangles {
            Carrier::Triangle(index)
        } else if index < triangles + edges {
            Carrier::Edge(index - triangles)
        } else {
            Carrier::Point(index - triangles - edges)
        }
    }

    /// Returns the vertices of a carrier, some repeated.
    #[inline]
    fn corners(&self, index: u32) -> [u32; 3] {
        match self.carrier(index) {
            Carrier::Triangle(i) => self.triangles[i as usize],
            Carrier::Edge(i) => {
                let [a, b] = self.loose_edges[i as usize];
                [a, b, b]
            }
            Carrier::Point(i) => [self.loose_points[i as usize]; 3],
        }
    }
}

/// The tree. Features are in the order of the leaves.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tree {
    /// The number of leaves, a power of two.
    pub(crate) leaves: usize,
    /// The features of leaf i are `start[i]..start[i + 1]`.
    pub(crate) vertex_start: Vec<u32>,
    pub(crate) edge_start: Vec<u32>,
    pub(crate) face_start: Vec<u32>,
    /// The user's index of each vertex; the last ones belong to no feature.
    pub(crate) vertex_id: Vec<u32>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) faces: Vec<Face>,
    /// The side across each side of each face: the side, as 3 × face + k, of the one other face that has it in the
    /// opposite direction, or [`NONE`], or [`MANY`]. Side k goes from corner k to the next.
    pub(crate) across: Vec<[u32; 3]>,
    /// The number of carriers, including loose edges and points.
    carriers: usize,
    /// The first carrier, by the user's indices, of each vertex and edge: the part that a touch names. It does not
    /// depend on the order of the leaves, which comes from earlier frames.
    pub(crate) vertex_carrier: Vec<u32>,
    pub(crate) edge_carrier: Vec<u32>,
}

/// No other face has this side.
pub(crate) const NONE: u32 = u32::MAX;
/// Another face has this side in the same direction, or several other faces have it.
pub(crate) const MANY: u32 = u32::MAX - 1;

/// The smallest number of carriers in a leaf, if the mesh has that number.
const LEAF: usize = 8;

/// More than the largest number of features of one kind in a leaf: a leaf has less than 2 [`LEAF`] carriers, rounded
/// up, of three features each.
pub(crate) const MOST_FEATURES: usize = 64;
const _: () = assert!(3 * 2 * LEAF <= MOST_FEATURES);

impl Tree {
    /// Builds the tree over carriers in this order, with its vertices and faces but without its edges, which
    /// [`Tree::link`] adds. Also returns the tree's index of each vertex, or [`NONE`].
    pub(crate) fn new(topology: &Topology, order: &[u32], leaves: usize, parallel: bool) -> (Tree, Vec<u32>) {
        let carriers = order.len();
        let mut vertex_start = Vec::with_capacity(leaves + 1);
        let mut vertex_id = Vec::with_capacity(topology.vertices);
        let mut vertex_carrier = Vec::with_capacity(topology.vertices);
        let mut own_vertex = vec![NONE; topology.vertices];
        for leaf in 0..leaves {
            vertex_start.push(vertex_id.len() as u32);
            for &carrier in &order[bounds(leaf, leaves, carriers)] {
                for v in topology.corners(carrier) {
                    let own = &mut own_vertex[v as usize];
                    if *own == NONE {
                        *own = vertex_id.len() as u32;
                        vertex_id.push(v);
                        vertex_carrier.push(carrier);
                    } else {
                        keep_first(&mut vertex_carrier[*own as usize], carrier);
                    }
                }
            }
        }
        vertex_start.push(vertex_id.len() as u32);
        // Vertices without a feature keep a place, so that whole frames can be copied.
        vertex_id.extend((0..topology.vertices as u32).filter(|&v| own_vertex[v as usize] == NONE));
        let face =
            |id: u32| Face { id, vertices: topology.triangles[id as usize].map(|v| own_vertex[v as usize]) };
        let is_triangle = |carrier: &u32| (*carrier as usize) < topology.triangles.len();
        let faces: Vec<Face> = if carriers == topology.triangles.len() {
            parallel::table(parallel, carriers, |i| face(order[i]))
        } else {
            order.iter().copied().filter(is_triangle).map(face).collect()
        };
        let mut face_start = Vec::with_capacity(leaves + 1);
        let mut count = 0;
        for leaf in 0..leaves {
            face_start.push(count);
            count += order[bounds(leaf, leaves, carriers)].iter().filter(|c| is_triangle(c)).count() as u32;
        }
        face_start.push(count);
        let tree = Tree {
            leaves,
            vertex_start,
            edge_start: vec![],
            face_start,
            vertex_id,
            edges: vec![],
            faces,
            across: vec![],
            carriers,
            vertex_carrier,
            edge_carrier: vec![],
        };
        (tree, own_vertex)
    }

    /// Adds the edges.
    pub(crate) fn link(&mut self, links: Links) {
        let Links { edge_start, edges, edge_carrier, across } = links;
        (self.edge_start, self.edges, self.edge_carrier, self.across) =
            (edge_start, edges, edge_carrier, across);
    }

    /// Returns true if all carriers are triangles.
    pub(crate) fn is_of_triangles(&self) -> bool {
        self.faces.len() == self.carriers
    }

    /// Calls `visit` for the vertices of all features of a leaf, some repeatedly.
    #[inline]
    pub(crate) fn vertices_of_leaf(&self, leaf: usize, mut visit: impl FnMut(usize)) {
        let range = |start: &[u32]| start[leaf] as usize..start[leaf + 1] as usize;
        let faces = &self.faces[range(&self.face_start)];
        faces.iter().flat_map(|face| face.vertices).for_each(|v| visit(v as usize));
        // The vertices and edges of a leaf belong to its carriers, which are faces in most leaves.
        if self.has_loose(leaf) {
            range(&self.vertex_start).for_each(&mut visit);
            let edges = &self.edges[range(&self.edge_start)];
            edges.iter().flat_map(|edge| edge.vertices).for_each(|v| visit(v as usize));
        }
    }

    /// Returns true if a leaf has carriers that are not triangles.
    pub(crate) fn has_loose(&self, leaf: usize) -> bool {
        if self.is_of_triangles() {
            return false;
        }
        let faces = (self.face_start[leaf + 1] - self.face_start[leaf]) as usize;
        bounds(leaf, self.leaves, self.carriers).len() != faces
    }

    /// Returns the ends of an edge by the user's indices, the smaller one first.
    #[inline]
    pub(crate) fn ends_of(&self, edge: &Edge) -> [u32; 2] {
        edge.vertices.map(|v| self.vertex_id[v as usize])
    }

    /// Returns the number of vertices that belong to features.
    pub(crate) fn used_vertices(&self) -> usize {
        self.vertex_carrier.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        let of = |count: usize, size: usize| count * size;
        of(self.vertex_start.capacity() + self.edge_start.capacity() + self.face_start.capacity(), 4)
            + of(self.vertex_id.capacity() + self.vertex_carrier.capacity() + self.edge_carrier.capacity(), 4)
            + of(self.edges.capacity(), size_of::<Edge>())
            + of(self.faces.capacity(), size_of::<Face>())
            + of(self.across.capacity(), 12)
    }
}

/// Keeps the smaller of two indices of carriers.
#[inline]
pub(super) fn keep_first(known: &mut u32, carrier: u32) {
    if carrier < *known {
        *known = carrier;
    }
}

/// Returns the carriers of a leaf. The sizes of leaves differ by at most one, as with halving.
pub(super) fn bounds(leaf: usize, leaves: usize, carriers: usize) -> std::ops::Range<usize> {
    // The product of two counts of slightly more than 32 bits needs 128 bits.
    let at = |i: usize| (i as u128 * carriers as u128 / leaves as u128) as usize;
    at(leaf)..at(leaf + 1)
}

/// Returns the carriers in the order of the leaves, and the number of leaves. This is step 1 of the header. With
/// distances along the mesh, it is the order of the surface.
pub(crate) fn order(
    topology: &Topology,
    (t0, t1): (&[DVec3], &[DVec3]),
    (center, scale): (DVec3, f64),
    distances: Option<&Distances>,
    parallel: bool,
) -> (Vec<u32>, usize) {
    let carriers = topology.carriers();
    let mut leaves = 1;
    while leaves * 2 * LEAF <= carriers {
        leaves *= 2;
    }
    // Four times a coordinate of the unit cube is below 2^31. Integers are fast to compare.
    const UNIT: f64 = (1u64 << 28) as f64;
    let middle = |i: u32| {
        let [a, b, c] = topology.corners(i).map(|v| {
            let v = v as usize;
            ((t0[v] - center) + (t1[v] - center)) * scale
        });
        let middle = (a.min(b).min(c) + a.max(b).max(c)) * UNIT;
        [middle.x as i32, middle.y as i32, middle.z as i32]
    };
    let Some(distances) = distances else {
        return (halved(carriers, leaves, middle, parallel), leaves);
    };
    let length = |corners: &[u32; 3]| (t0[corners[0] as usize] - t0[corners[1] as usize]).length();
    let mean = topology.triangles.iter().map(length).sum::<f64>() / topology.triangles.len().max(1) as f64;
    let along = WEIGHT * 2.0 * mean * scale * UNIT;
    let with_distances = |i: u32| {
        let [x, y, z] = middle(i);
        let [a, b, c] = topology.corners(i).map(|v| distances[v as usize]);
        // A number that is too large for an integer becomes the largest one.
        let [p, q, r] = [0, 1, 2].map(|k| {
            let (low, high) = (a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k]));
            ((f64::from(low) + f64::from(high)) * along) as i32
        });
        [x, y, z, p, q, r]
    };
    (halved(carriers, leaves, with_distances, parallel), leaves)
}

/// Returns the carriers in the order of the leaves, by their centres along `D` axes.
fn halved<const D: usize>(
    carriers: usize,
    leaves: usize,
    center: impl Fn(u32) -> [i32; D] + Sync,
    parallel: bool,
) -> Vec<u32> {
    let mut centers = parallel::table(parallel, carriers, |i| (center(i as u32), i as u32));
    let mut spare = parallel::table(parallel, carriers, |i| centers[i]);
    halve(&mut centers, &mut spare, 0..leaves, (leaves, carriers), 0, parallel);
    centers.into_iter().map(|(_, i)| i).collect()
}

type Center<const D: usize> = ([i32; D], u32);

fn halve<const D: usize>(
    centers: &mut [Center<D>],
    spare: &mut [Center<D>],
    range: std::ops::Range<usize>,
    (leaves, count): (usize, usize),
    offset: usize,
    parallel: bool,
) {
    if range.len() < 2 {
        return;
    }
    let middle = range.start + range.len() / 2;
    let split = bounds(middle, leaves, count).start - offset;
    let (mut low, mut high) = ([i32::MAX; D], [i32::MIN; D]);
    for (center, _) in centers.iter() {
        for k in 0..D {
            low[k] = low[k].min(center[k]);
            high[k] = high[k].max(center[k]);
        }
    }
    let extent = |k: usize| high[k] as i64 - low[k] as i64;
    let axis = (1..D).fold(0, |best, k| if extent(k) > extent(best) { k } else { best });
    let undecided = if centers.len() < SORTED_DIRECTLY {
        0..centers.len()
    } else {
        deal(centers, spare, split, axis, (low[axis], high[axis]))
    };
    let start = undecided.start;
    // Ties are broken by index, so that the tree does not depend on how the selection orders equal keys.
    if undecided.contains(&split) {
        centers[undecided]
            .select_nth_unstable_by_key(split - start, |(center, i)| (center[axis] as i64) << 32 | *i as i64);
    }
    let (left, right) = centers.split_at_mut(split);
    let (left_spare, right_spare) = spare.split_at_mut(split);
    let parallel = parallel && count > 2000;
    parallel::join(
        parallel && right.len() > 1000,
        || halve(left, left_spare, range.start..middle, (leaves, count), offset, parallel),
        || halve(right, right_spare, middle..range.end, (leaves, count), offset + split, parallel),
    );
}

/// The number of centres below which they are not dealt into bins first.
const SORTED_DIRECTLY: usize = 256;

/// Reorders the centres. Along the axis, all centres before the returned range are smaller than those in it, and all
/// centres after it are larger. The range holds the place `split`. Two passes without branches do most of the work of a
/// selection.
fn deal<const D: usize>(
    centers: &mut [Center<D>],
    spare: &mut [Center<D>],
    split: usize,
    axis: usize,
    (low, high): (i32, i32),
) -> std::ops::Range<usize> {
    const BINS: usize = 256;
    // The largest difference has less than 33 bits; the bins are powers of two wide.
    let shift = (64 - (high as i64 - low as i64).leading_zeros()).saturating_sub(BINS.ilog2());
    let bin = |center: &Center<D>| (center.0[axis].wrapping_sub(low) as u32 as usize >> shift) & (BINS - 1);
    let mut counts = [0usize; BINS];
    for center in centers.iter() {
        counts[bin(center)] += 1;
    }
    let (mut before, mut chosen) = (0, 0);
    while before + counts[chosen] <= split {
        before += counts[chosen];
        chosen += 1;
    }
    let mut next = [0, before, before + counts[chosen]];
    for center in centers.iter() {
        let bin = bin(center);
        let slot = &mut next[(bin >= chosen) as usize + (bin > chosen) as usize];
        spare[*slot] = *center;
        *slot += 1;
    }
    centers.copy_from_slice(spare);
    before..before + counts[chosen]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dealing into bins divides the centres as a full sort does, for any extent and any number of equal centres.
    #[test]
    fn halves_are_those_of_a_sorted_list() {
        let mut state = 3_u64;
        let mut number = |range: i64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as i64 % (2 * range) - range) as i32
        };
        for (range, count) in [(1, 300), (3, 1000), (100, 600), (1 << 20, 5000), (i32::MAX as i64, 3000)] {
            let mut centers: Vec<Center<3>> = (0..count)
                .map(|i| ([number(range), number(1 + range / 4), number(1 + range / 4)], i as u32))
                .collect();
            if count == 600 {
                // All but two are in one bin.
                centers.iter_mut().for_each(|(center, _)| center[0] = 7);
                (centers[1].0[0], centers[500].0[0]) = (i32::MIN, i32::MAX);
            }
            let mut sorted = centers.clone();
            let mut spare = centers.clone();
            halve(&mut centers, &mut spare, 0..2, (2, count), 0, false);
            sorted.sort_by_key(|(center, i)| (center[0], *i));
            let set = |half: &[Center<3>]| {
                half.iter().map(|(_, i)| *i).collect::<std::collections::BTreeSet<u32>>()
            };
            let split = bounds(1, 2, count).start;
            assert_eq!(set(&centers[..split]), set(&sorted[..split]), "{range} {count}");
        }
    }
}
