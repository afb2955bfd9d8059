//! Local advancement of feature pairs: one step of it, as a filter in front of the exact test.
//!
//! The problem: of the pairs whose volumes overlap, prove most to be apart during `[0, window]` for a few nanoseconds each.
//!
//! Take any direction n. A point p of a feature moves linearly, so its height `n·p` does. If the heights of all points of one
//! feature stay above those of all points of the other, at both ends of the window, then they do so throughout, and so
//! do all convex combinations: the features are apart. n is the normal of the face, or of both edges, at time 0, along which
//! features that are about to touch are seen edge on.
//! 1. No height changes by more than `|n|₁` times the largest displacement of any vertex, two together by twice that. A gap at
//!    time 0 wider than what this allows within the window is a proof, from the positions at time 0 alone.
//! 2. Lemmas 2 and 3: the heights at the end of the window, each point with its own velocity.
//!
//! Guarantee: `true` is a proof. A rounded n is as good as any other direction.
//!
//! Rounding, u = 2^-53. Heights are taken relative to one of the points. Let D bound the components of all differences of
//! points of the mesh, at either frame. A difference is off by u relative to itself, product and sums add 3u: a height is off
//! by 4u |n|₁ D, one interpolated between two by (4 + 10 + 6)u |n|₁ D, a difference of two such by twice that and 2u
//! more. 64u |n|₁ D covers it. Underflow (coordinates are at most 1e60) stays below [`TINY`].
//!
//! Departures from the paper: it divides the distance by the largest speed; here each point has its own speed, and the
//! window takes the place of the division. The direction is the normal and not that between the closest points: it is
//! cheaper, and where it fails the exact test is not far behind.
//!
//! Reference: Tang, Kim and Manocha 2010, Sec. V, Lemmas 2 and 3.

use glam::DVec3;

use crate::numerics::bound::upper_or_zero;

const U: f64 = f64::EPSILON / 2.0;
const TINY: f64 = 1e-180;

/// How far features can come towards each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reach {
    /// Twice the largest component of a displacement over the step, rounded up.
    speed: f64,
    /// 64u D of the header, rounded up.
    rounding: f64,
    /// Rounded up.
    separation: f64,
}

impl Reach {
    /// For a mesh with these frames, in a box with these sides.
    pub(crate) fn new(t0: &[DVec3], t1: &[DVec3], sides: DVec3) -> Reach {
        let largest = t0.iter().zip(t1).fold(DVec3::ZERO, |most, (a, b)| most.max((*b - *a).abs())); // not a bound: finite points
        Reach {
            speed: 2.0 * largest.max_element() * (1.0 + 1e-12),
            rounding: 64.0 * U * sides.max_element() * (1.0 + 1e-12),
            separation: 0.0,
        }
    }

    /// The same for features that are to stay this far apart.
    pub(crate) fn with_separation(self, separation: f64) -> Reach {
        Reach { separation: upper_or_zero(separation) * (1.0 + 1e-12), ..self }
    }

    /// Whether a vertex and a face (its corners) are certainly apart during `[0, window]`; `end` is asked for the
    /// positions at time 1 if need be.
    #[inline(always)]
    pub(crate) fn vertex_face(&self, t0: &[DVec3; 4], end: impl Fn() -> [DVec3; 4], window: f64) -> bool {
        let base = t0[1];
        let (v, e, f) = (t0[0] - base, t0[2] - base, t0[3] - base);
        let n = e.cross(f);
        let start = [n.dot(v), 0.0, n.dot(e), n.dot(f)];
        self.apart(n, base, start, end, window, |h| ((h[0], h[0]), ends([h[1], h[2], h[3]])))
    }

    /// The same for two edges.
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

    /// `spans`: the least and largest height of either feature.
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

// One instruction each; `f64::min` and `max` take several to treat NaN as missing.
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
        // It arrives at 1/4. The first step counts with twice its speed, 8, and does not ask for the end.
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
