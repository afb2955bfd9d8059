//! The volumes of the tree for a time span, in two layers.
//!
//! **Problem.** Bound every feature and every node of the tree over `[0, window]`, repeatedly as the mesh moves and as
//! a query narrows its window.
//!
//! 1. Each vertex gets the volume that it sweeps. The volumes of edges and faces, unions of two and three, are not
//!    stored but computed when two leaves meet (`leaf_block`): they would take half of the memory of a mesh, and most
//!    of the time of a fit.
//! 2. Leaves are unions of their features, nodes of their children. All of these are swept volumes.
//! 3. In the lower layer, below the switch height, nodes also carry the pair of volumes at times 0 and `window`. The
//!    pair bounds the earliest time at which two nodes meet, and it separates nodes that move together. Vertices also
//!    carry such pairs; those of edges and faces are computed from them on use. Above the lower layer there are only
//!    swept volumes: near the root the pairs almost always overlap, and they take twice the memory.
//!
//! **Guarantee.** The volumes contain their features under all rounding (`volume`).
//!
//! **Departures from the paper.** Its upper layer replaces pairs by swept volumes. Here the lower layer has both,
//! because the swept test is the cheaper of the two and comes first. For a very short window no pairs are computed,
//! because features move little in it.
//!
//! Reference: Tang, Kim and Manocha 2010, Sec. VI, Fig. 5.

use std::sync::atomic::{AtomicU64, Ordering};

use glam::{DVec3, Vec3A};

use super::advancement::bound_of;
use super::hierarchy::Tree;
use super::volume::{Frame, Volume};
use crate::parallel;

/// All volumes for one window.
#[derive(Debug, Clone)]
pub(crate) struct Fit<const N: usize> {
    /// The identity of these volumes. A copy has the same identity and the same volumes.
    id: u64,
    /// The end of the span `[0, window]`.
    pub(crate) window: f64,
    /// The swept volumes of vertices. Those of edges and faces are unions of these, computed on use.
    pub(crate) vertices: Vec<Volume<N>>,
    /// The swept volumes by node; entry 0 is unused.
    pub(crate) nodes: Vec<Volume<N>>,
    /// The longest sides of the swept volumes of the vertices of each leaf's features.
    pub(crate) widest: Vec<Vec3A>,
    /// The volumes of the lower layer at times 0 and `window`. Node k has entry `k − first_moving`.
    pub(crate) moving: Vec<[Volume<N>; 2]>,
    pub(crate) first_moving: usize,
    /// The volumes of vertices at times 0 and `window`; those of edges and faces are computed from them on use. Empty
    /// without a lower layer.
    pub(crate) vertex_pairs: Vec<[Volume<N>; 2]>,
    /// True if there is a lower layer and features move by a large part of their size, so that swept volumes overlap
    /// many others.
    pub(crate) sweeps_far: bool,
}

/// The factor by which the swept volumes of leaves must be larger than those at time 0 if features move far; a leaf is
/// a few features wide. At a factor of 1.04 (calm cloth), comparing the volumes at both ends costs a third more
/// instructions than comparing swept volumes first; at 1.6 (generated balls), it costs a quarter less.
const FAR: f64 = 1.2;

impl<const N: usize> Fit<N> {
    /// Computes the volumes over `[0, window]`, for a tree whose vertices are at these positions.
    pub(crate) fn new(
        tree: &Tree,
        (t0, t1): (&[DVec3], &[DVec3]),
        frame: &Frame<N>,
        window: f64,
        switch_height: u32,
        parallel: bool,
    ) -> Fit<N> {
        let count = tree.used_vertices();
        let empty = Volume::EMPTY;
        let pair = |v: usize| frame.pair(t0[v], t1[v], window);
        let (vertex_pairs, vertices) = if switch_height > 0 {
            let pairs = parallel::table(parallel, count, pair);
            let swept = parallel::table(parallel, count, |v| pairs[v][0].union(&pairs[v][1]));
            (pairs, swept)
        } else {
            let swept = |v: usize| {
                let [start, end] = pair(v);
                start.union(&end)
            };
            (Vec::new(), parallel::table(parallel, count, swept))
        };
        let leaves = tree.leaves;
        let mut nodes = vec![empty; 2 * leaves];
        let mut widest = vec![Vec3A::ZERO; leaves];
        parallel::fill_two(parallel, (&mut nodes[leaves..], &mut widest), |leaf| {
            let (mut all, mut widest) = (empty, Vec3A::ZERO);
            tree.vertices_of_leaf(leaf, |v| {
                all = all.union(&vertices[v]);
                widest = widest.max(vertices[v].high_corner() - vertices[v].low_corner()); // not a bound: finite volumes
            });
            (all, widest)
        });
        for k in (1..leaves).rev() {
            nodes[k] = nodes[2 * k].union(&nodes[2 * k + 1]);
        }
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut fit = Fit {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            window,
            vertices,
            nodes,
            widest,
            moving: Vec::new(),
            first_moving: usize::MAX,
            vertex_pairs,
            sweeps_far: false,
        };
        if switch_height > 0 {
            fit.add_moving_nodes(tree, switch_height, parallel);
        }
        fit
    }

    /// Step 3 of the header.
    fn add_moving_nodes(&mut self, tree: &Tree, switch_height: u32, parallel: bool) {
        let leaves = tree.leaves;
        let empty = [Volume::EMPTY; 2];
        let top = switch_height.min(leaves.trailing_zeros() + 1);
        let first = leaves >> (top - 1);
        let mut moving = vec![empty; 2 * leaves - first];
        parallel::fill(parallel, &mut moving[leaves - first..], |leaf| {
            let mut pair = empty;
            tree.vertices_of_leaf(leaf, |v| pair = Volume::union_of_pairs(&pair, &self.vertex_pairs[v]));
            pair
        });
        for k in (first..leaves).rev() {
            moving[k - first] = Volume::union_of_pairs(&moving[2 * k - first], &moving[2 * k + 1 - first]);
        }
        let at_rest: f64 = moving[leaves - first..].iter().map(|pair| pair[0].size()).sum();
        self.sweeps_far = self.size() > FAR * at_rest;
        self.moving = moving;
        self.first_moving = first;
    }

    /// Returns the identity of these volumes.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Returns true if there is a lower layer.
    #[inline]
    pub(crate) fn is_moving(&self) -> bool {
        !self.vertex_pairs.is_empty()
    }

    /// Returns the volumes of a leaf at times 0 and `window` if features move far; otherwise its swept volume twice.
    #[inline]
    pub(crate) fn around_leaf(&self, leaf: usize) -> [&Volume<N>; 2] {
        let node = self.nodes.len() / 2 + leaf;
        if self.sweeps_far {
            self.moving[node - self.first_moving].each_ref()
        } else {
            [&self.nodes[node]; 2]
        }
    }

    /// Returns the bound of `advancement` for all features of two leaves. Twice the centre of a volume is no larger
    /// than twice a bound of the volume around it.
    #[inline]
    pub(crate) fn bound(&self, a: usize, b: usize) -> [f32; 3] {
        let leaves = self.nodes.len() / 2;
        let center = |leaf: usize| {
            let around = &self.nodes[leaves + leaf];
            around.low_corner().abs().max(around.high_corner().abs()) // not a bound: finite volumes
        };
        let side = self.widest[a].max(self.widest[b]); // not a bound: as above
        bound_of(side, center(a).max(center(b)) * 2.0).to_array() // not a bound: as above
    }

    /// Returns the pairs of volumes of all nodes with this many leaves below; empty without a lower layer.
    pub(crate) fn moving_nodes(&self, leaves: usize) -> Vec<[Volume<N>; 2]> {
        if self.moving.is_empty() {
            return vec![];
        }
        let of_leaves = &self.moving[self.nodes.len() / 2 - self.first_moving..];
        let union = |below: &[[Volume<N>; 2]]| {
            below.iter().fold([Volume::EMPTY; 2], |all, pair| Volume::union_of_pairs(&all, pair))
        };
        of_leaves.chunks(leaves).map(union).collect()
    }

    /// Returns the total size of the leaves. It grows as the tree degrades.
    pub(crate) fn size(&self) -> f64 {
        self.nodes[self.nodes.len() / 2..].iter().map(Volume::size).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        let volumes = self.vertices.capacity() + self.nodes.capacity();
        let pairs = self.moving.capacity() + self.vertex_pairs.capacity();
        (volumes + 2 * pairs) * size_of::<Volume<N>>() + self.widest.capacity() * size_of::<Vec3A>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deformable::mesh::Deformable;
    use glam::dvec3;

    /// The bound of two leaves is at least the bound of any of their features.
    #[test]
    fn the_bound_of_leaves_holds_for_all_of_their_vertices() {
        let mut state = 31_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut point = |scale: f64| dvec3(unit(), unit(), unit()) * scale;
        // Some triangles move far and others do not; one is an outlier.
        let t0: Vec<DVec3> = (0..1500).map(|i| point(if i == 7 { 1e9 } else { 2.0 })).collect();
        let t1: Vec<DVec3> =
            t0.iter().enumerate().map(|(i, p)| *p + point([0.0, 1e-3, 0.5][i % 3])).collect();
        let triangles = (0..500).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = Deformable::new(t0, t1, triangles, vec![], vec![]).unwrap();
        let fit = mesh.fit::<1>(1.0, 0.0, false);
        let bound_of_leaf = |leaf: usize| {
            let (mut side, mut center) = (Vec3A::ZERO, Vec3A::ZERO);
            mesh.tree.vertices_of_leaf(leaf, |v| {
                let (low, high) = (fit.vertices[v].low_corner(), fit.vertices[v].high_corner());
                (side, center) = (side.max(high - low), center.max((low + high).abs()));
            });
            (side, center)
        };
        let leaves = mesh.tree.leaves;
        let mut pairs = 0;
        for a in 0..leaves {
            for b in 0..leaves {
                let ((side, center), (other_side, other_center)) = (bound_of_leaf(a), bound_of_leaf(b));
                let needed = bound_of(side.max(other_side), center.max(other_center));
                let bound = Vec3A::from_array(fit.bound(a, b));
                assert!(bound.cmpge(needed).all(), "{a} {b}: {bound} {needed}");
                // It is also not much larger.
                assert!(bound.cmple(bound_of(side.max(other_side), Vec3A::splat(1e30))).all());
                pairs += 1;
            }
        }
        assert!(pairs > 500, "{pairs}");
    }
}
