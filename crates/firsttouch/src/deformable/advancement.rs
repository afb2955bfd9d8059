//! One step of local advancement of feature pairs, as a filter in front of the exact test.
//!
//! The problem: prove that most pairs whose volumes overlap stay apart during `[0, window]`, in a few nanoseconds
//! each.
//!
//! Take any direction n. A point p of a feature moves linearly, so its height `n·p` does too. If the heights of all
//! points of one feature are above those of all points of the other at both ends of the window, they are above
//! throughout, and so are all convex combinations: the features are apart. n is the normal of the face, or of both
//! edges, at time 0, because features that are about to touch appear edge-on along it.
//! 1. No height changes by more than `|n|₁` times the largest displacement of any vertex, and a difference of two
//!    heights by no more than twice that. A gap at time 0 that is wider than this change within the window is a
//!    proof, from the positions at time 0 alone.
//! 2. Lemmas 2 and 3: the heights at the end of the window, where each point has its own velocity.
//!
//! Guarantee: `true` is a proof. A rounded n is as good as any other direction.
//!
//! Rounding, u = 2^-53. Heights are relative to one of the points. Let D bound the components of all differences of
//! points of the mesh, in either frame. A difference has a relative error of u; the product and the sums add 3u. So a
//! height is off by 4u |n|₁ D, an interpolated one by (4 + 10 + 6)u |n|₁ D, and a difference of two such heights by
//! twice that and 2u more. 64u |n|₁ D covers it. Underflow (coordinates are at most 1e60) stays below [`TINY`].
//!
//! Departures from the paper: it divides the distance by the largest speed. Here each point has its own speed, and
//! the window replaces the division. The direction is the normal instead of the direction between the closest points:
//! it is cheaper, and where it fails the exact test follows anyway.
//!
//! Reference: Tang, Kim and Manocha 2010, Sec. V, Lemmas 2 and 3.

use glam::DVec3;

use crate::numerics::bound::upper_or_zero;

const U: f64 = f64::EPSILON / 2.0;
const TINY: f64 = 1e-180;

/// Bounds on how far features can move towards each other.
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

    /// Returns whether a vertex and a face (its corners) are certainly apart during `[0, window]`. `end` returns the
    /// positions at time 1 and is called only if they are needed.
    #[inline(always)]
    pub(crate) fn vertex_face(&self, t0: &[DVec3; 4], end: impl Fn() -> [DVec3; 4], window: f64) -> bool {
        let base = t0[1];
        let (v, e, f) = (t0[0] - base, t0[2] - base, t0[3] - base);
        let n = e.cross(f);
        let start = [n.dot(v), 0.0, n.dot(e), n.dot(f)];
        self.apart(n, base, start, end, window, |h| ((h[0], h[0]), ends([h[1], h[2], h[3]])))
    }

    /// Like [`vertex_face`](Reach::vertex_face), for two edges.
    #[inline(always)]
    pub(crate) fn edge_edge(&self, t0: &[DVec3; 4], end: impl Fn() -> [DVec3; 4], window: f64) -> bool {
        let base = t0[0];
        let (b, c, d) = (t0[1] - base, t0[2] - base, t0[3] - base);
        let n = b.cross(d - c);
        let start = [0.0, n.dot(b), n.dot(c), n.dot(d)];
        self.apart(n, base, start, end, window, |h| {
            ((least(h[0], h[1]), most(h[0], h[1])), (least(h[2], h[3]), most(h[2], h[3])))
        })
    }

    /// `spans` holds the smallest and the largest height of each feature.
    #[inline(always)]
    fn apart(
        &self,
        n: DVec3,
        base: DVec3,
        start: [f64; 4],
        end: impl Fn() -> [DVec3; 4],
        window: f64,
        spans: impl Fn([f64; 4]) -> ((f64, f64), (f64, f64)),
    ) -> bool {
        let gaps = |h: [f64; 4]| {
            let (a, b) = spans(h);
            (b.0 - a.1, a.0 - b.1)
        };
        let length = n.abs().element_sum() * (1.0 + 1e-12);
        let slack = length * (self.rounding + self.separation) + TINY;
        let (above, below) = gaps(start);
        let gap = most(above, below);
        if gap > slack + length * (window * self.speed) {
            return true;
        }
        if gap <= slack {
            return false;
        }
        let t1 = end();
        let at_end = |i: usize| start[i] + (n.dot(t1[i] - base) - start[i]) * window;
        let (above_then, below_then) = gaps([at_end(0), at_end(1), at_end(2), at_end(3)]);
        if above > slack { above_then > slack } else { below_then > slack }
    }
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
        let at = |z: f64| [dvec3(0.25, 0.25, z), face[0], face[1], face[2]];
        let (t0, t1) = (at(1.0), at(-3.0));
        let reach = Reach::new(&t0, &t1, dvec3(1.0, 1.0, 4.0));
        // The vertex arrives at 1/4. The first step counts twice its speed, 8, and does not need the end positions.
        assert!(reach.vertex_face(&t0, || panic!("asked"), 0.124));
        assert!(reach.vertex_face(&t0, || t1, 0.249) && !reach.vertex_face(&t0, || t1, 0.251));
        let kept = reach.with_separation(0.5);
        assert!(kept.vertex_face(&t0, || t1, 0.124) && !kept.vertex_face(&t0, || t1, 0.126));
    }

    #[test]
    fn crossing_edges_by_hand() {
        let at =
            |z: f64| [dvec3(-1.0, 0.0, z), dvec3(1.0, 0.0, z), dvec3(0.0, -1.0, 0.0), dvec3(0.0, 1.0, 0.0)];
        let (t0, t1) = (at(1.0), at(-1.0));
        let reach = Reach::new(&t0, &t1, dvec3(2.0, 2.0, 2.0));
        assert!(reach.edge_edge(&t0, || t1, 0.499) && !reach.edge_edge(&t0, || t1, 0.501));
        let swapped = |p: [DVec3; 4]| [p[2], p[3], p[0], p[1]];
        assert!(reach.edge_edge(&swapped(t0), || swapped(t1), 0.499));
        assert!(!reach.edge_edge(&swapped(t0), || swapped(t1), 0.501));
    }
}
