//! One step of local advancement of feature pairs, as a filter in front of the exact test.
//!
//! **Problem.** Prove that most pairs whose volumes overlap stay apart during `[0, window]`, in a few nanoseconds each.
//!
//! Take any direction n. A point p of a feature moves linearly, and so does its height `n·p`. Suppose that every point
//! of one feature is higher than every point of the other at both ends of the window. Then this holds throughout, and
//! also for all convex combinations: the features are apart. n is the normal of the face, or of both edges, at time 0,
//! because features that are about to touch are thin along it.
//! 1. No height changes by more than `|n|₁` times the largest displacement of any vertex, and a difference of two
//!    heights by no more than twice that. A gap at time 0 that is wider than this change within the window is a proof,
//!    which needs only the positions at time 0.
//! 2. Lemmas 2 and 3: the heights at the end of the window, where each point has its own velocity.
//! 3. Features beside each other in a smooth surface are thin along the normal, and are never apart along it. They are
//!    apart along a direction within the surface: normal to one of the edges, or to a side of the face. These
//!    directions are taken in the middle of the window, so that a turning surface has turned only half as far at either
//!    end. If they prove nothing, they are tried for either half of the window, a few times. With a separation this
//!    step is left out, because the answer may then depend on the pairs that reach the test with a budget.
//!
//! **Guarantee.** `true` is a proof. The proof holds for a rounded n, as for any direction.
//!
//! Rounding, u = 2^-53. Heights are relative to one of the points. Let D bound the components of all differences of
//! points of the mesh, in either frame. A difference has a relative error of u; the product and the sums add 3u. So a
//! height is off by 4u |n|₁ D, an interpolated one by (4 + 10 + 6)u |n|₁ D, and a difference of two such heights by
//! twice that and 2u more. 64u |n|₁ D covers it. Underflow (coordinates are at most 1e60) stays below [`TINY`].
//!
//! **Departures from the paper.** It divides the distance by the largest speed. Here each point has its own speed, and
//! the window replaces the division. The direction is the normal instead of the direction between the closest points:
//! it is cheaper, and if it fails, the exact test follows anyway.
//!
//! Reference: Tang, Kim and Manocha 2010, Sec. V, Lemmas 2 and 3.

use glam::{DVec3, Vec3A};

use crate::numerics::bound::upper_or_zero;

use super::volume::Volume;

const U: f64 = f64::EPSILON / 2.0;
const TINY: f64 = 1e-180;
/// More than the sum of all roundings of subnormal numbers in the heights of [`vertex_face_boxes`].
pub(super) const TINY_HEIGHT: f32 = 1e-36;
/// Covers the rounding of a bound and of the sides in it, see [`vertex_face_boxes`].
pub(super) const GROWTH: f32 = 1.0 + 1.0 / 1_048_576.0;

/// Returns true if a vertex and a face, whose corners stay within these swept volumes, are certainly apart. This is the
/// same proof for all points that move within the boxes, in `f32`.
///
/// For each direction n: a point of a box with the centre c and half the sides h has a height between `n·c − |n|·h` and
/// `n·c + |n|·h`. So the features are apart along n if the heights of the centres are apart by more than twice the
/// largest `|n|·h`. n is the normal of the centres; the proof holds for a rounded n.
///
/// Rounding, u = 2^-24, component by component. All values are in twice the unit of the volumes, so the sums and
/// differences of the bounds are centres c and half sides h. A centre is off by u|c|. A difference of two centres, of
/// size up to 2|c|, is off by (2 + 2)u|c|, where |c| is the largest of all. A height is off by 3u times 2|n||c| more,
/// 10u|n||c| in all, and a difference of two heights by twice that and 4u|n||c| of its own. 32u|n||c| covers it, and
/// 2^-20 of the bound covers the bound's own rounding and that of h. Underflow is below [`TINY_HEIGHT`]. A height that
/// overflows proves nothing ([`are_known`]).
#[inline(always)]
pub(crate) fn vertex_face_boxes<const N: usize>(volumes: [&Volume<N>; 4]) -> bool {
    let (centers, bound) = centers_and_bound(volumes);
    let base = centers[1];
    let (v, e, f) = (centers[0] - base, centers[2] - base, centers[3] - base);
    let n = e.cross(f);
    let (v, e, f) = (n.dot(v), n.dot(e), n.dot(f));
    let (low, high) = (least32(least32(e, f), 0.0), most32(most32(e, f), 0.0));
    are_known([v, e, f, 0.0]) && is_wide(most32(v - high, low - v), n, bound)
}

/// Like [`vertex_face_boxes`], for two edges.
#[inline(always)]
pub(crate) fn edge_edge_boxes<const N: usize>(volumes: [&Volume<N>; 4]) -> bool {
    let (centers, bound) = centers_and_bound(volumes);
    let base = centers[0];
    let (b, c, d) = (centers[1] - base, centers[2] - base, centers[3] - base);
    let n = b.cross(d - c);
    let (b, c, d) = (n.dot(b), n.dot(c), n.dot(d));
    let gap = most32(least32(c, d) - most32(b, 0.0), least32(b, 0.0) - most32(c, d));
    are_known([b, c, d, 0.0]) && is_wide(gap, n, bound)
}

/// Returns twice the centres, and the factor of |n| that bounds twice the largest |n|·h and the rounding.
#[inline(always)]
fn centers_and_bound<const N: usize, const K: usize>(volumes: [&Volume<N>; K]) -> ([Vec3A; K], Vec3A) {
    let centers = volumes.map(|volume| volume.low_corner() + volume.high_corner());
    let sides = volumes.map(|volume| volume.high_corner() - volume.low_corner());
    // Halves, which are independent of each other.
    let most = |v: [Vec3A; K]| {
        let of = |part: &[Vec3A]| part.iter().fold(Vec3A::ZERO, |most, v| most.max(*v)); // not a bound: NaN proves nothing
        of(&v[..K / 2]).max(of(&v[K / 2..])) // not a bound: as above
    };
    (centers, bound_of(most(sides), most(centers.map(Vec3A::abs))))
}

/// Returns the factor of |n| that bounds twice the largest |n|·h and the rounding, from the largest sides of all
/// volumes, and the largest of twice their centres, in size.
#[inline(always)]
pub(super) fn bound_of(side: Vec3A, center: Vec3A) -> Vec3A {
    side * 2.0 + center * (32.0 * f32::EPSILON / 2.0)
}

/// Returns true if a gap of heights along n is wider than the bound.
#[inline(always)]
fn is_wide(gap: f32, n: Vec3A, bound: Vec3A) -> bool {
    gap > n.abs().dot(bound) * GROWTH + TINY_HEIGHT && gap < f32::INFINITY
}

/// Returns true if all heights are numbers. If products overflow, a height may be NaN, which a minimum or a maximum
/// would drop: then the other heights alone would seem to be a proof. The sum is NaN or infinite if one of the heights
/// is.
#[inline(always)]
fn are_known(heights: [f32; 4]) -> bool {
    let [a, b, c, d] = heights;
    ((a + b) + (c + d)).abs() < f32::INFINITY
}

#[inline(always)]
fn least32(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn most32(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The number of times that the window is halved to find directions ([`Reach::beside`]). More halvings cost more for
/// features that touch.
const HALVINGS: u32 = 3;

/// Bounds of the motion of features towards each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reach {
    /// Twice the largest component of a displacement over the step, rounded up.
    speed: f64,
    /// 64u D of the header, rounded up.
    rounding: f64,
    /// The separation to keep, rounded up.
    separation: f64,
}

impl Reach {
    /// Creates the bounds for a mesh with these frames, in a box with these sides.
    pub(crate) fn new(t0: &[DVec3], t1: &[DVec3], sides: DVec3) -> Reach {
        let largest = t0.iter().zip(t1).fold(DVec3::ZERO, |most, (a, b)| most.max((*b - *a).abs())); // not a bound: finite points
        Reach {
            speed: 2.0 * largest.max_element() * (1.0 + 1e-12),
            rounding: 64.0 * U * sides.max_element() * (1.0 + 1e-12),
            separation: 0.0,
        }
    }

    /// Returns the same bounds for features that must stay this far apart.
    pub(crate) fn with_separation(self, separation: f64) -> Reach {
        Reach { separation: upper_or_zero(separation) * (1.0 + 1e-12), ..self }
    }

    /// Returns true if a vertex and a face (its corners) are certainly apart during `[0, window]`. `end` returns the
    /// positions at time 1 and is called only if they are needed.
    #[inline(always)]
    pub(crate) fn vertex_face(&self, t0: &[DVec3; 4], end: impl Fn() -> [DVec3; 4], window: f64) -> bool {
        let base = t0[1];
        let (v, e, f) = (t0[0] - base, t0[2] - base, t0[3] - base);
        let n = e.cross(f);
        let start = [n.dot(v), 0.0, n.dot(e), n.dot(f)];
        if self.apart_soon(n, start, window, vertex_and_face) {
            return true;
        }
        let t1 = end();
        self.apart(n, (t0, &t1), (0.0, window), vertex_and_face)
            || (self.separation == 0.0 && self.vertex_beside_face(t0, &t1, window))
    }

    /// Like [`vertex_face`](Reach::vertex_face), for two edges.
    #[inline(always)]
    pub(crate) fn edge_edge(&self, t0: &[DVec3; 4], end: impl Fn() -> [DVec3; 4], window: f64) -> bool {
        let base = t0[0];
        let (b, c, d) = (t0[1] - base, t0[2] - base, t0[3] - base);
        let n = b.cross(d - c);
        let start = [0.0, n.dot(b), n.dot(c), n.dot(d)];
        if self.apart_soon(n, start, window, two_edges) {
            return true;
        }
        let t1 = end();
        self.apart(n, (t0, &t1), (0.0, window), two_edges)
            || (self.separation == 0.0 && self.edges_beside(t0, &t1, window))
    }

    /// Step 3 of the header.
    #[inline(never)]
    fn vertex_beside_face(&self, t0: &[DVec3; 4], t1: &[DVec3; 4], window: f64) -> bool {
        let sides = |[_, a, b, c]: [DVec3; 4]| [b - a, c - b, a - c];
        self.beside(t0, t1, window, sides, vertex_and_face)
    }

    /// Step 3 of the header, for two edges.
    #[inline(never)]
    fn edges_beside(&self, t0: &[DVec3; 4], t1: &[DVec3; 4], window: f64) -> bool {
        let sides = |[a, b, c, d]: [DVec3; 4]| [b - a, d - c];
        self.beside(t0, t1, window, sides, two_edges)
    }

    /// Proves the window piece by piece. The first two sides span the plane of the features.
    #[inline(always)]
    fn beside<const K: usize>(
        &self,
        t0: &[DVec3; 4],
        t1: &[DVec3; 4],
        window: f64,
        sides: impl Fn([DVec3; 4]) -> [DVec3; K],
        spans: impl Fn([f64; 4]) -> Spans,
    ) -> bool {
        // The ends of the remaining pieces, the next piece last, and the number of halvings for each.
        let mut left = [(window, 0); HALVINGS as usize + 1];
        let mut count = 1;
        let mut from = 0.0;
        while count > 0 {
            let (to, halvings) = left[count - 1];
            let middle = 0.5 * (from + to);
            // Rounded sides, which only choose directions.
            let sides = sides(std::array::from_fn(|i| t0[i] + (t1[i] - t0[i]) * middle));
            let n = sides[0].cross(sides[1]);
            let apart = |n: DVec3| self.apart(n, (t0, t1), (from, to), &spans);
            if apart(n) || sides.into_iter().any(|side| apart(n.cross(side))) {
                from = to;
                count -= 1;
            } else if halvings == HALVINGS {
                return false;
            } else {
                left[count - 1].1 = halvings + 1;
                left[count] = (middle, halvings + 1);
                count += 1;
            }
        }
        true
    }

    /// Step 1 of the header.
    #[inline(always)]
    fn apart_soon(&self, n: DVec3, start: [f64; 4], window: f64, spans: impl Fn([f64; 4]) -> Spans) -> bool {
        let (a, b) = spans(start);
        let length = n.abs().element_sum() * (1.0 + 1e-12);
        let slack = length * (self.rounding + self.separation) + TINY;
        most(b.0 - a.1, a.0 - b.1) > slack + length * (window * self.speed)
    }

    /// Step 2 of the header, for a part of the window.
    #[inline(always)]
    fn apart(
        &self,
        n: DVec3,
        (t0, t1): (&[DVec3; 4], &[DVec3; 4]),
        (from, to): (f64, f64),
        spans: impl Fn([f64; 4]) -> Spans,
    ) -> bool {
        let length = n.abs().element_sum() * (1.0 + 1e-12);
        let slack = length * (self.rounding + self.separation) + TINY;
        let base = t0[0];
        let start = t0.map(|p| n.dot(p - base));
        let end = t1.map(|p| n.dot(p - base));
        let gaps = |t: f64| {
            let (a, b) = spans(std::array::from_fn(|i| start[i] + (end[i] - start[i]) * t));
            (b.0 - a.1, a.0 - b.1)
        };
        let ((above, below), (above_then, below_then)) = (gaps(from), gaps(to));
        (above > slack && above_then > slack) || (below > slack && below_then > slack)
    }
}

/// The smallest and the largest height of the first feature, and of the second one.
type Spans = ((f64, f64), (f64, f64));

#[inline(always)]
fn vertex_and_face(h: [f64; 4]) -> Spans {
    ((h[0], h[0]), ends([h[1], h[2], h[3]]))
}

#[inline(always)]
fn two_edges(h: [f64; 4]) -> Spans {
    ((least(h[0], h[1]), most(h[0], h[1])), (least(h[2], h[3]), most(h[2], h[3])))
}

#[inline(always)]
fn ends([a, b, c]: [f64; 3]) -> (f64, f64) {
    (least(least(a, b), c), most(most(a, b), c))
}

// These take one instruction each; `f64::min` and `max` take several, to treat NaN as missing.
#[inline(always)]
fn least(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn most(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn a_falling_vertex_by_hand() {
        let face = [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0)];
        // From above, and from below.
        for side in [1.0, -1.0] {
            let at = |z: f64| [dvec3(0.25, 0.25, side * z), face[0], face[1], face[2]];
            let (t0, t1) = (at(1.0), at(-3.0));
            let reach = Reach::new(&t0, &t1, dvec3(1.0, 1.0, 4.0));
            // The vertex arrives at 1/4. The first step counts twice its speed, 8, and does not need the end positions.
            assert!(reach.vertex_face(&t0, || panic!("asked"), 0.124));
            assert!(reach.vertex_face(&t0, || t1, 0.249) && !reach.vertex_face(&t0, || t1, 0.251));
            let kept = reach.with_separation(0.5);
            assert!(kept.vertex_face(&t0, || t1, 0.124) && !kept.vertex_face(&t0, || t1, 0.126));
        }
    }

    /// Both move by the largest displacement, towards each other: the first step, which counts that displacement twice,
    /// is as near to the contact as the second.
    #[test]
    fn a_vertex_and_a_face_that_meet_by_hand() {
        let at = |v: f64, f: f64| {
            [dvec3(0.25, 0.25, v), dvec3(0.0, 0.0, f), dvec3(1.0, 0.0, f), dvec3(0.0, 1.0, f)]
        };
        let (t0, t1) = (at(1.0, 0.0), at(-1.0, 2.0));
        let reach = Reach::new(&t0, &t1, dvec3(1.0, 1.0, 3.0));
        assert!(reach.vertex_face(&t0, || panic!("asked"), 0.249) && !reach.vertex_face(&t0, || t1, 0.251));
        let kept = reach.with_separation(0.5);
        assert!(kept.vertex_face(&t0, || panic!("asked"), 0.124) && !kept.vertex_face(&t0, || t1, 0.126));
    }

    #[test]
    fn crossing_edges_by_hand() {
        let at =
            |z: f64| [dvec3(-1.0, 0.0, z), dvec3(1.0, 0.0, z), dvec3(0.0, -1.0, 0.0), dvec3(0.0, 1.0, 0.0)];
        // From above, and from below.
        for (t0, t1) in [(at(1.0), at(-1.0)), (at(-1.0), at(1.0))] {
            let reach = Reach::new(&t0, &t1, dvec3(2.0, 2.0, 2.0));
            assert!(reach.edge_edge(&t0, || t1, 0.499) && !reach.edge_edge(&t0, || t1, 0.501));
            let swapped = |p: [DVec3; 4]| [p[2], p[3], p[0], p[1]];
            assert!(reach.edge_edge(&swapped(t0), || swapped(t1), 0.499));
            assert!(!reach.edge_edge(&swapped(t0), || swapped(t1), 0.501));
        }
    }

    /// A plane that turns by 80 degrees: features beside each other in it are apart along a direction within the plane
    /// of half time. They are not apart along any direction of time 0 (the sides of the face are upright after 40
    /// degrees, but not after 80).
    #[test]
    fn features_beside_each_other_in_a_turning_plane() {
        let turned = |points: [[f64; 2]; 4], angle: f64| {
            let (sin, cos) = angle.to_radians().sin_cos();
            points.map(|[x, y]| dvec3(x * cos - y * sin, x * sin + y * cos, 0.0))
        };
        // Two edges that form a T without touching, and a vertex beside the corner of a face.
        let edges = [[-1.0, 0.0], [1.0, 0.0], [0.0, 0.1], [0.0, 1.0]];
        let face = [[0.6, 0.6], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        let lifted = |mut points: [DVec3; 4]| {
            // Nearly in one plane.
            points[0].z += 1e-3;
            points[3].z -= 1e-3;
            points
        };
        for angle in [0.0, 20.0, 80.0] {
            let [t0, t1] = [0.0, angle].map(|angle| lifted(turned(edges, angle)));
            let reach = Reach::new(&t0, &t1, DVec3::splat(4.0));
            assert!(reach.edge_edge(&t0, || t1, 1.0), "{angle}");
            let [t0, t1] = [0.0, angle].map(|angle| lifted(turned(face, angle)));
            let reach = Reach::new(&t0, &t1, DVec3::splat(4.0));
            assert!(reach.vertex_face(&t0, || t1, 1.0), "{angle}");
        }
        // Features moved into each other are not apart.
        let t0 = turned(edges, 0.0);
        let t1 = turned([[-1.0, 0.2], [1.0, 0.2], [0.0, 0.1], [0.0, 1.0]], 0.0);
        assert!(!Reach::new(&t0, &t1, DVec3::splat(4.0)).edge_edge(&t0, || t1, 1.0));
        let t0 = turned(face, 0.0);
        let t1 = turned([[0.4, 0.4], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 0.0);
        assert!(!Reach::new(&t0, &t1, DVec3::splat(4.0)).vertex_face(&t0, || t1, 1.0));
    }

    /// The proofs of the steps against the exact test: features of many sizes that move by less than their size or by
    /// more, some nearly flat.
    #[test]
    fn features_that_are_proven_apart_do_not_touch() {
        let mut state = 23_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let (mut proven, mut seen) = ([0; 2], 0);
        for round in 0..40_000 {
            let size = [1.0, 1e-3, 1e-12, 1e30, 1e59][round % 5];
            let motion = size * [0.0, 1e-4, 0.1, 1.0][round % 4];
            let flat = dvec3(1.0, 1.0, [1.0, 1e-4, 1e-12, 0.0][round % 7 % 4]);
            let window = [1.0, 0.5, 0.037][round % 3];
            let mut point = |scale: f64| dvec3(unit(), unit(), unit()) * flat * scale;
            let common = point(motion * 100.0);
            let t0: [DVec3; 4] = std::array::from_fn(|_| point(size));
            let t1 = t0.map(|p| p + common + point(motion));
            let all = [t0, t1].concat();
            let low = all.iter().fold(DVec3::INFINITY, |low, p| low.min(*p));
            let high = all.iter().fold(DVec3::NEG_INFINITY, |high, p| high.max(*p));
            let reach = Reach::new(&t0, &t1, high - low);
            let limits = crate::elementary::Limits { t_end: window, ..Default::default() };
            let vertex_face = crate::elementary::VertexFace { t0, t1 };
            let edge_edge = crate::elementary::EdgeEdge { t0, t1 };
            let touches = [
                crate::elementary::vertex_face(&vertex_face, &limits).outcome
                    != crate::elementary::Verdict::Free,
                crate::elementary::edge_edge(&edge_edge, &limits).outcome != crate::elementary::Verdict::Free,
            ];
            let apart = [reach.vertex_face(&t0, || t1, window), reach.edge_edge(&t0, || t1, window)];
            for k in 0..2 {
                assert!(!(apart[k] && touches[k]), "{round} {t0:?} {t1:?}");
                proven[k] += apart[k] as u32;
                seen += touches[k] as u32;
            }
        }
        assert!(proven[0] > 35_000 && proven[1] > 35_000 && seen > 2_000, "{proven:?} {seen}");
    }

    /// The proofs of the boxes against the exact test: features of many sizes, some nearly flat, some with a vertex at
    /// such a distance that heights overflow.
    #[test]
    fn features_in_boxes_that_are_apart_do_not_touch() {
        use crate::deformable::volume::{Bounds, Dop, Frame};
        let mut state = 7_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let (mut proven, mut seen) = ([0; 2], 0);
        for round in 0..20_000 {
            let size = [1.0, 1e-3, 1e-12, 1e-30][round % 4];
            let motion = size * [0.0, 1e-4, 1.0][round % 3];
            // Nearly flat features are apart by slightly more than the rounding, or by less.
            let flat = dvec3(1.0, 1.0, [1.0, 1e-4, 1e-7][round % 7 % 3]);
            // In a larger scene the boxes are coarser.
            let far = [1.0, 1e3, 1e25][round % 5 % 3];
            let mut point = |scale: f64| dvec3(unit(), unit(), unit()) * flat * scale;
            let mut t0: [DVec3; 4] = std::array::from_fn(|_| point(size));
            let mut t1 = t0.map(|p| p + point(motion));
            let scene = if round % 11 == 0 {
                // One outlier among many.
                (t0[3], t1[3]) = (t0[3] * 1e25, t1[3] * 1e25);
                [t0[..3].repeat(30), t0.to_vec()].concat()
            } else {
                [t0, [DVec3::splat(far); 4], [DVec3::splat(-far); 4]].concat()
            };
            let bounds = Bounds::new(&scene, &[scene.clone(), t1.to_vec()].concat());
            let frame = Frame::<1>::new(&bounds, 0.0, Dop::Eight);
            let volumes: [Volume<1>; 4] = std::array::from_fn(|i| {
                let [start, end] = frame.pair(t0[i], t1[i], 1.0);
                start.union(&end)
            });
            let refs = volumes.each_ref();
            let limits = crate::elementary::Limits::default();
            let vertex_face = crate::elementary::VertexFace { t0, t1 };
            let edge_edge = crate::elementary::EdgeEdge { t0, t1 };
            let touches = [
                crate::elementary::vertex_face(&vertex_face, &limits).outcome
                    != crate::elementary::Verdict::Free,
                crate::elementary::edge_edge(&edge_edge, &limits).outcome != crate::elementary::Verdict::Free,
            ];
            for (k, apart) in [vertex_face_boxes(refs), edge_edge_boxes(refs)].into_iter().enumerate() {
                assert!(!(apart && touches[k]), "{round} {t0:?} {t1:?}");
                proven[k] += apart as u32;
                seen += touches[k] as u32;
            }
        }
        assert!(proven[0] > 1000 && proven[1] > 1000 && seen > 200, "{proven:?} {seen}");
    }
}
