//! The corners of sixteen features of one kind, side by side: which of them share a vertex with another feature, and which edges are certainly
//! apart from another edge.
//!
//! The problem: most pairs of features whose volumes overlap, in two leaves that touch each other, share a vertex or are proven apart by one
//! direction ([`advancement`](super::advancement)). Look at them one by one only where neither holds.
//!
//! 1. A feature shares a vertex with one of the sixteen if an index of one is an index of the other ([`IndexLanes`]).
//! 2. Edges have twice the centres of the swept volumes of their ends too, coordinate by coordinate ([`EndLanes`]). The direction is the one of
//!    [`edge_edge_boxes`](super::advancement::edge_edge_boxes), and so are all operations. Only the bound differs: it is that of all features of both
//!    leaves ([`Fit::bound`](super::fit::Fit::bound)), so that it is computed once for two leaves. Faces are looked at one by one: there are five
//!    times as many pairs of edges.
//!
//! Guarantee: a bit of [`EndLanes::apart`] is a proof, by the derivation of `edge_edge_boxes`: that needs bounds of the largest side and of the
//! largest centre of its four volumes, and the largest ones of two leaves are such bounds. Bits of unused places mean nothing.
//!
//! All levels of vector instructions compute the same bits: nothing is fused, and a minimum of NaN is never used.

use fearless_simd::{Simd, f32x16, mask32x16, prelude::*, u32x16};
use glam::{Mat4, Vec4};

use super::advancement::{GROWTH, TINY_HEIGHT};

/// The number of features side by side: one AVX-512 register of `f32`.
pub(super) const LANES: usize = 16;

/// The tree's indices of the corners of sixteen features, corner by corner.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndexLanes<const K: usize>([[u32; LANES]; K]);

impl<const K: usize> IndexLanes<K> {
    pub(super) const UNUSED: IndexLanes<K> = IndexLanes([[u32::MAX; LANES]; K]);

    #[inline(always)]
    pub(super) fn put(&mut self, i: usize, vertices: [u32; K]) {
        for (own, vertex) in self.0.iter_mut().zip(vertices) {
            own[i] = vertex;
        }
    }

    /// Returns the vertices of one feature.
    #[inline(always)]
    pub(super) fn at(&self, i: usize) -> [u32; K] {
        self.0.each_ref().map(|own| own[i])
    }

    /// Returns which features share a vertex with one that has these.
    #[inline(always)]
    pub(super) fn sharing<S: Simd, const L: usize>(&self, simd: S, vertices: [u32; L]) -> mask32x16<S> {
        let mut shared = mask32x16::splat(simd, false);
        for own in &self.0 {
            let own = u32x16::from_slice(simd, own);
            for vertex in vertices {
                shared |= own.simd_eq(u32x16::splat(simd, vertex));
            }
        }
        shared
    }
}

/// Twice the centres of the ends of sixteen edges, by end and coordinate.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndLanes([[[f32; LANES]; 3]; 2]);

impl EndLanes {
    pub(super) const UNUSED: EndLanes = EndLanes([[[f32::NAN; LANES]; 3]; 2]);

    /// Puts four edges into the places from `first` on, a multiple of four.
    #[inline(always)]
    pub(super) fn put_four(&mut self, first: usize, ends: [[Vec4; 2]; 4]) {
        for (k, own) in self.0.iter_mut().enumerate() {
            let [a, b, c, d] = ends.map(|ends| ends[k]);
            let places = Mat4::from_cols(a, b, c, d).transpose();
            for (axis, along) in own.iter_mut().enumerate() {
                along[first..first + 4].copy_from_slice(places.col(axis).as_ref());
            }
        }
    }

    /// Returns the ends of one edge.
    #[inline(always)]
    pub(super) fn at(&self, i: usize) -> [[f32; 3]; 2] {
        self.0.each_ref().map(|end| end.each_ref().map(|along| along[i]))
    }

    /// Returns a bit for each edge that is certainly apart from the one with these ends, as of
    /// [`edge_edge_boxes`](super::advancement::edge_edge_boxes).
    #[inline(always)]
    pub(super) fn apart<S: Simd>(&self, simd: S, ends: [[f32; 3]; 2], bound: [f32; 3]) -> u32 {
        let splat = |x: f32| f32x16::splat(simd, x);
        let [base, end] = ends.map(|end| end.map(splat));
        let own = |k: usize| self.0[k].each_ref().map(|along| f32x16::from_slice(simd, along));
        let (b, c, d) = (minus(end, base), minus(own(0), base), minus(own(1), base));
        let n = cross(b, minus(d, c));
        let (b, c, d) = (dot(n, b), dot(n, c), dot(n, d));
        let (above, below) = (c.min(d) - b.max(splat(0.0)), b.min(splat(0.0)) - c.max(d));
        let gap = above.max(below);
        let size = dot(n.map(|x| x.abs()), bound.map(splat));
        let is_wide =
            gap.simd_gt(size * splat(GROWTH) + splat(TINY_HEIGHT)) & gap.simd_lt(splat(f32::INFINITY));
        // A minimum or a maximum may have dropped a NaN height: then nothing is proven.
        let are_known = ((b + c) + d).abs().simd_lt(splat(f32::INFINITY));
        (is_wide & are_known).to_bitmask() as u32
    }
}

type Lanes<S> = [f32x16<S>; 3];

#[inline(always)]
fn minus<S: Simd>(a: Lanes<S>, b: Lanes<S>) -> Lanes<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn cross<S: Simd>(a: Lanes<S>, b: Lanes<S>) -> Lanes<S> {
    [a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]]
}

#[inline(always)]
fn dot<S: Simd>(a: Lanes<S>, b: Lanes<S>) -> f32x16<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deformable::advancement::bound_of;
    use crate::deformable::volume::{Bounds, Dop, Frame, Volume};
    use crate::elementary::{EdgeEdge, Limits, Verdict, edge_edge};
    use fearless_simd::{Level, dispatch};
    use glam::{DVec3, Vec3A, dvec3};

    fn proven(level: Level, lanes: &EndLanes, ends: [[f32; 3]; 2], bound: [f32; 3]) -> u32 {
        dispatch!(level, simd => lanes.apart(simd, ends, bound))
    }

    /// What the lanes prove, against the exact test: edges of many sizes, some nearly flat, some with an end so far away that heights overflow, and the bound
    /// of all of them.
    #[test]
    fn edges_that_are_proven_apart_do_not_touch() {
        let mut state = 19_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let (mut seen, mut apart) = (0, 0);
        for round in 0..4_000 {
            let size = [1.0, 1e-2, 1e-4, 1e-12][round % 4];
            let motion = size * [1e-3, 1.0, 3.0][round % 3];
            // Nearly flat edges are apart by little more than the rounding, or by less.
            let flat = dvec3(1.0, 1.0, [1.0, 1e-3, 1e-6][round % 7 % 3]);
            let mut point = |scale: f64| dvec3(unit(), unit(), unit()) * flat * scale;
            // The first edge is compared with the others.
            let mut t0: [DVec3; 34] = std::array::from_fn(|_| point(size));
            let mut t1 = t0.map(|p| p + point(motion));
            if round % 11 == 0 {
                (t0[3], t1[3]) = (t0[3] * 1e25, t1[3] * 1e25);
            }
            let far = [DVec3::splat([1.0, 1e3][round % 2]), DVec3::splat(-1.0)];
            let scene = [t0.to_vec(), t0.to_vec(), far.to_vec()].concat();
            let frame = Frame::<1>::new(&Bounds::new(&scene, &t1), 0.0, Dop::Eight);
            let volumes: [Volume<1>; 34] = std::array::from_fn(|i| {
                let [start, end] = frame.pair(t0[i], t1[i], 1.0);
                start.union(&end)
            });
            let (mut side, mut center) = (Vec3A::ZERO, Vec3A::ZERO);
            for volume in &volumes {
                side = side.max(volume.high_corner() - volume.low_corner());
                center = center.max((volume.low_corner() + volume.high_corner()).abs());
            }
            let bound = bound_of(side, center).to_array();
            let middle = |i: usize| volumes[i].low[0] + volumes[i].high[0];
            let mut lanes = EndLanes::UNUSED;
            for four in 0..4 {
                let ends = |i: usize| [middle(8 * four + 2 * i + 2), middle(8 * four + 2 * i + 3)];
                lanes.put_four(4 * four, [ends(0), ends(1), ends(2), ends(3)]);
            }
            assert_eq!(lanes.at(5)[1], middle(13).truncate().to_array());
            let row = [0, 1].map(|i| middle(i).truncate().to_array());
            let bits = proven(Level::new(), &lanes, row, bound);
            assert_eq!(bits, proven(Level::baseline(), &lanes, row, bound));
            for i in 0..16 {
                let at = |t: &[DVec3; 34]| [t[0], t[1], t[2 * i + 2], t[2 * i + 3]];
                let pair = EdgeEdge { t0: at(&t0), t1: at(&t1) };
                let touches = edge_edge(&pair, &Limits::default()).outcome != Verdict::Free;
                let is_apart = bits >> i & 1 == 1;
                assert!(!(touches && is_apart), "{round} {i} {pair:?}");
                seen += u32::from(touches);
                apart += u32::from(is_apart);
            }
        }
        assert!(seen > 1_000 && apart > 10_000, "{seen} {apart}");
    }

    /// An edge shares a vertex with those that have one of its ends at either of theirs.
    #[test]
    fn shared_vertices_by_hand() {
        let mut lanes = IndexLanes::<2>::UNUSED;
        for (i, edge) in [[0, 1], [1, 2], [2, 0], [3, 4], [4, 3], [5, 1]].into_iter().enumerate() {
            lanes.put(i, edge);
        }
        let sharing = |vertices: [u32; 2]| dispatch!(Level::new(), simd => lanes.sharing(simd, vertices).to_bitmask() as u32);
        assert_eq!(sharing([1, 7]), 0b100011);
        assert_eq!(sharing([7, 1]), 0b100011);
        assert_eq!(sharing([3, 2]), 0b011110);
        assert_eq!(sharing([8, 9]), 0);
    }
}
