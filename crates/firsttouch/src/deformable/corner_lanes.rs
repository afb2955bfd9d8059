//! The corners of sixteen features of one kind, side by side. They tell which features share a vertex with another one,
//! and which edges or faces are certainly apart from an edge.
//!
//! **Problem.** Most pairs of features whose volumes overlap, in two leaves that touch each other, share a vertex or
//! are proven apart by one direction ([`advancement`](super::advancement)). Examine pairs one by one only if neither
//! holds.
//!
//! 1. A feature shares a vertex with one of the sixteen if an index of one is an index of the other ([`IndexLanes`]).
//! 2. Edges also have twice the centres of the swept volumes of their ends, coordinate by coordinate ([`CenterLanes`]).
//!    The direction and all operations are those of [`edge_edge_boxes`](super::advancement::edge_edge_boxes). Only the
//!    bound differs: it holds for all features of both leaves ([`Fit::bound`](super::fit::Fit::bound)), so it is
//!    computed once for two leaves. Pairs of a vertex and a face are examined one by one: there are five times as many
//!    pairs of edges.
//! 3. Faces have these centres for an edge that may cross them (`crossings`). The first direction is the normal of the
//!    face: both ends of the edge are on one side. The others are normal to the edge and to one side of the face: the
//!    edge passes beside that side.
//!
//! **Guarantee.** A bit of `apart` is a proof, by the derivation of
//! [`vertex_face_boxes`](super::advancement::vertex_face_boxes). It holds for all directions, for heights relative to
//! any of the points, and for five points as for four. It needs bounds of the largest side and of the largest centre of
//! the volumes; the largest values of two leaves are such bounds. Bits of unused places are arbitrary.
//!
//! All levels of vector instructions compute the same bits: no operation is fused, and a minimum of NaN is never used.

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

    /// Returns a bit for each feature that shares a vertex with a feature that has these vertices.
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

/// Twice the centres of the corners of sixteen features, by corner and coordinate.
#[derive(Debug, Clone, Copy)]
pub(super) struct CenterLanes<const K: usize>([[[f32; LANES]; 3]; K]);

impl<const K: usize> CenterLanes<K> {
    pub(super) const UNUSED: CenterLanes<K> = CenterLanes([[[f32::NAN; LANES]; 3]; K]);

    /// Puts four features into the places from `first` on, a multiple of four.
    #[inline(always)]
    pub(super) fn put_four(&mut self, first: usize, corners: [[Vec4; K]; 4]) {
        for (k, own) in self.0.iter_mut().enumerate() {
            let [a, b, c, d] = corners.map(|corners| corners[k]);
            let places = Mat4::from_cols(a, b, c, d).transpose();
            for (axis, along) in own.iter_mut().enumerate() {
                along[first..first + 4].copy_from_slice(places.col(axis).as_ref());
            }
        }
    }

    /// Returns the corners of one feature.
    #[inline(always)]
    pub(super) fn at(&self, i: usize) -> [[f32; 3]; K] {
        self.0.each_ref().map(|corner| corner.each_ref().map(|along| along[i]))
    }

    #[inline(always)]
    fn corner<S: Simd>(&self, simd: S, k: usize) -> Lanes<S> {
        self.0[k].each_ref().map(|along| f32x16::from_slice(simd, along))
    }
}

impl CenterLanes<2> {
    /// Returns a bit for each edge that is certainly apart from the edge with these ends, by
    /// [`edge_edge_boxes`](super::advancement::edge_edge_boxes).
    #[inline(always)]
    pub(super) fn apart<S: Simd>(&self, simd: S, ends: [[f32; 3]; 2], bound: [f32; 3]) -> u32 {
        let (base, end) = (everywhere(simd, ends[0]), everywhere(simd, ends[1]));
        let zero = f32x16::splat(simd, 0.0);
        let (b, c, d) =
            (minus(end, base), minus(self.corner(simd, 0), base), minus(self.corner(simd, 1), base));
        let n = cross(b, minus(d, c));
        let (b, c, d) = (dot(n, b), dot(n, c), dot(n, d));
        let (above, below) = (c.min(d) - b.max(zero), b.min(zero) - c.max(d));
        (is_wide(simd, above.max(below), n, bound) & are_known((b + c) + d)).to_bitmask() as u32
    }
}

impl CenterLanes<3> {
    /// Returns a bit for each face that is certainly apart from the edge with these ends. Faces outside the wanted
    /// places may have no bit.
    #[inline(always)]
    pub(super) fn apart<S: Simd>(&self, simd: S, ends: [[f32; 3]; 2], bound: [f32; 3], wanted: u32) -> u32 {
        let base = self.corner(simd, 0);
        let (p, q) = (minus(everywhere(simd, ends[0]), base), minus(everywhere(simd, ends[1]), base));
        let (e, f) = (minus(self.corner(simd, 1), base), minus(self.corner(simd, 2), base));
        let along = |n: Lanes<S>| edge_beside_face(simd, n, (p, q), (e, f), bound);
        let on_one_side = along(cross(e, f)).to_bitmask() as u32;
        if wanted & !on_one_side == 0 {
            return on_one_side;
        }
        let edge = minus(q, p);
        let beside = along(cross(e, edge)) | along(cross(f, edge)) | along(cross(minus(f, e), edge));
        on_one_side | beside.to_bitmask() as u32
    }
}

/// Returns the places at which an edge from p to q and a face with a corner at the origin and two at e and f are apart
/// along n.
#[inline(always)]
fn edge_beside_face<S: Simd>(
    simd: S,
    n: Lanes<S>,
    (p, q): (Lanes<S>, Lanes<S>),
    (e, f): (Lanes<S>, Lanes<S>),
    bound: [f32; 3],
) -> mask32x16<S> {
    let zero = f32x16::splat(simd, 0.0);
    let (p, q, e, f) = (dot(n, p), dot(n, q), dot(n, e), dot(n, f));
    let (low, high) = (e.min(f).min(zero), e.max(f).max(zero));
    let (above, below) = (p.min(q) - high, low - p.max(q));
    is_wide(simd, above.max(below), n, bound) & are_known((p + q) + (e + f))
}

/// Returns one point in all places.
#[inline(always)]
fn everywhere<S: Simd>(simd: S, point: [f32; 3]) -> Lanes<S> {
    [f32x16::splat(simd, point[0]), f32x16::splat(simd, point[1]), f32x16::splat(simd, point[2])]
}

/// Returns the places at which a gap of heights along n is wider than the bound.
#[inline(always)]
fn is_wide<S: Simd>(simd: S, gap: f32x16<S>, n: Lanes<S>, bound: [f32; 3]) -> mask32x16<S> {
    let splat = |x: f32| f32x16::splat(simd, x);
    let size = dot(n.map(|x| x.abs()), bound.map(splat));
    gap.simd_gt(size * splat(GROWTH) + splat(TINY_HEIGHT)) & gap.simd_lt(splat(f32::INFINITY))
}

/// Returns the places at which a sum of heights is a number. Otherwise a minimum or a maximum may have dropped a NaN
/// height, and there is no proof.
#[inline(always)]
fn are_known<S: Simd>(sum: f32x16<S>) -> mask32x16<S> {
    sum.abs().simd_lt(f32x16::splat(sum.simd, f32::INFINITY))
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
    use crate::numerics::predicates::segment_triangle_touch;
    use fearless_simd::{Level, dispatch};
    use glam::{DVec3, Vec3A, Vec4, dvec3};

    fn proven(level: Level, lanes: &CenterLanes<2>, ends: [[f32; 3]; 2], bound: [f32; 3]) -> u32 {
        dispatch!(level, simd => lanes.apart(simd, ends, bound))
    }

    /// The proofs of the lanes against the exact test: edges of many sizes, some nearly flat, some with an end at such
    /// a distance that heights overflow, all with one bound.
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
            // Nearly flat edges are apart by slightly more than the rounding, or by less.
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
            let mut lanes = CenterLanes::<2>::UNUSED;
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

    /// Returns the proof of the lanes for the edge of the first two volumes and the face of the others, which is at
    /// this place of sixteen. The other places hold a face far away.
    fn edge_and_face_are_apart(volumes: &[Volume<1>; 5], place: usize) -> bool {
        let (mut side, mut center) = (Vec3A::ZERO, Vec3A::ZERO);
        for volume in volumes {
            side = side.max(volume.high_corner() - volume.low_corner());
            center = center.max((volume.low_corner() + volume.high_corner()).abs());
        }
        let bound = bound_of(side, center).to_array();
        let [p, q, a, b, c] = volumes.each_ref().map(|volume| volume.low[0] + volume.high[0]);
        let mut lanes = CenterLanes::<3>::UNUSED;
        let four = [0, 1, 2, 3].map(|i| if i == place % 4 { [a, b, c] } else { [Vec4::splat(9e9); 3] });
        lanes.put_four(place - place % 4, four);
        let ends = [p, q].map(|end| end.truncate().to_array());
        let bits = [Level::new(), Level::baseline()]
            .map(|level| dispatch!(level, simd => lanes.apart(simd, ends, bound, u32::MAX)));
        assert_eq!(bits[0], bits[1]);
        bits[0] >> place & 1 == 1
    }

    /// An edge and a face whose boxes are apart do not intersect, for features of any size and any flatness.
    #[test]
    fn edges_and_faces_in_boxes_that_are_apart_do_not_intersect() {
        let mut state = 11_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let (mut proven, mut seen) = (0, 0);
        for round in 0..40_000 {
            let size = [1.0, 1e-3, 1e-5, 1e-12, 1e-30][round % 5];
            // Nearly flat features are apart by slightly more than the rounding, or by less.
            let flat = dvec3(1.0, 1.0, [1.0, 1e-4, 1e-7][round % 7 % 3]);
            // In a larger scene the boxes are coarser, and far from its middle the rounding is larger.
            let far = [1.0, 1e3, 1e25][round % 11 % 3];
            let aside = [DVec3::ZERO, dvec3(0.7, -0.8, 0.9)][round % 2] * far;
            let mut points: [DVec3; 5] =
                std::array::from_fn(|_| aside + dvec3(unit(), unit(), unit()) * flat * size);
            if round % 13 == 0 {
                // An end of the edge in the plane of the face, up to rounding.
                points[0] = points[2] + (points[3] - points[2]) * unit() + (points[4] - points[2]) * unit();
            }
            let scene = [points.to_vec(), vec![DVec3::splat(far), DVec3::splat(-far)]].concat();
            let frame = Frame::<1>::new(&Bounds::new(&scene, &scene), 0.0, Dop::Eight);
            let volumes = points.map(|point| frame.pair(point, point, 0.0)[0]);
            let apart = edge_and_face_are_apart(&volumes, round % LANES);
            let [p, q, a, b, c] = points;
            let touch = segment_triangle_touch([p, q], [a, b, c]);
            assert!(!(apart && touch), "{round} {points:?}");
            proven += apart as u32;
            seen += touch as u32;
        }
        // Features smaller than the margin of their boxes have no proof.
        assert!(proven > 4_000 && seen > 10_000, "{proven} {seen}");
    }

    /// An edge that passes through a face far outside of the unit cube, where outliers are. The height of one end
    /// overflows to the difference of two infinities; without that end, the other end alone would seem to prove that
    /// the edge is above the face.
    #[test]
    fn a_height_that_overflows_proves_nothing() {
        let mut overflowing = 0;
        for exponent in 10..60 {
            let s = 2.0_f64.powi(exponent);
            // The face is in the plane x + y = s / 2, around the place where the edges pass through it.
            let face = [dvec3(s, -0.5 * s, -s), dvec3(-0.5 * s, s, -s), dvec3(0.25 * s, 0.25 * s, 2.0 * s)];
            for shift in [0.0, 2.0, 8.0] {
                // One end is almost in the plane and far aside, the other one is next to the face, on its other side.
                let far = dvec3(-shift * s, (shift + 0.4375) * s, 0.0);
                let near = dvec3((0.25 + shift * 0.0625) * s, (0.375 - shift * 0.03125) * s, 0.0);
                for edge in [[far, near], [near, far]] {
                    let points = [edge[0], edge[1], face[0], face[1], face[2]];
                    // All of these coordinates are numbers of f32.
                    let volumes = points.map(|point| {
                        let place = Vec4::new(point.x as f32, point.y as f32, point.z as f32, 0.0);
                        Volume::<1> { low: [place], high: [place] }
                    });
                    let touches = segment_triangle_touch(edge, face);
                    assert!(!(touches && edge_and_face_are_apart(&volumes, 3)), "{s} {edge:?}");
                    let place = |i: usize| (volumes[i].low_corner() - volumes[2].low_corner()) * 2.0;
                    let n = place(3).cross(place(4));
                    overflowing +=
                        u32::from(touches && (n.dot(place(0)).is_nan() || n.dot(place(1)).is_nan()));
                }
            }
        }
        assert!(overflowing > 0);
    }

    /// An edge shares a vertex with every edge that has a common end with it.
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
