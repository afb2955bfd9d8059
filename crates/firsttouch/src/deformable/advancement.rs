//! Local advancement of feature pairs: one step of it, as a filter in front of the exact test.
//!
//! The problem: of the pairs whose volumes overlap, prove most to be apart during `[0, window]` for a few nanoseconds each.
//!
//! Take any direction n. A difference D of a point of the second and one of the first feature moves linearly, so `n·D` does;
//! if all four (three for vertex/face) stay on one side of zero, so do all convex combinations, and the features are
//! apart. n is the normal of the face, or of both edges, at time 0, along which the gap is widest where it matters: for two
//! features about to touch. Along it all `n·D` start at one value g.
//! 1. [`Reach::apart_at_start`]: no difference changes by more than twice the largest displacement of any vertex. So
//!    `|g| > |n|₁ · (window · 2 · speed + separation)` proves it, from the positions at time 0 alone.
//! 2. [`Reach::apart`]: Lemmas 2 and 3. Each `n·D` at 0 and at the end of the window, with its own velocity.
//!
//! Guarantee: `true` is a proof. A rounded n is as good as any other direction.
//!
//! Rounding, u = 2^-53. In 1, with m the largest component of the two edge vectors e, f and w that of the vector between the
//! features: a component of the computed n is off by at most (2 + 2)u · 2m² = 8u m², so that `n·e` and `n·f`, zero in
//! exact arithmetic, reach 24u m³ each, and the product `n·w` is computed to within 4u · 6m² · w; in all less than
//! 64u m² (m + w). In 2 a difference is off by u relative to itself, product and sums 3u, the interpolation between the two
//! ends another 4u of the larger: 16u |n|₁ d covers it, d being the larger component of the two ends. Underflow
//! (coordinates are at most 1e60) stays below [`TINY`].
//!
//! Departures from the paper: it divides the distance by the largest speed, here each difference has its own, and the
//! window takes the place of the division. The direction is the normal and not that between the closest points: it is
//! cheaper, and where it fails the exact test is not far behind.
//!
//! Reference: Tang, Kim and Manocha 2010, Sec. V, Lemmas 2 and 3.

use glam::DVec3;

const U: f64 = f64::EPSILON / 2.0;
const TINY: f64 = 1e-180;

/// How far features can come towards each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reach {
    /// Twice the largest component of a displacement over the step, rounded up.
    speed: f64,
    /// Rounded up.
    separation: f64,
}

impl Reach {
    pub(crate) fn new(t0: &[DVec3], t1: &[DVec3], separation: f64) -> Reach {
        let largest = t0.iter().zip(t1).fold(DVec3::ZERO, |most, (a, b)| most.max((*b - *a).abs()));
        Reach {
            speed: 2.0 * largest.max_element() * (1.0 + 1e-12),
            separation: separation.max(0.0) * (1.0 + 1e-12),
        }
    }

    /// The same with another separation.
    pub(crate) fn with_separation(self, separation: f64) -> Reach {
        Reach { separation: separation.max(0.0) * (1.0 + 1e-12), ..self }
    }

    /// Step 1 of the header: edge vectors e and f, w from a point of the first feature to one of the second, at time 0.
    #[inline(always)]
    pub(crate) fn apart_at_start(&self, e: DVec3, f: DVec3, w: DVec3, window: f64) -> bool {
        let n = e.cross(f);
        let gap = n.dot(w).abs();
        let m = e.abs().max(f.abs()).max_element();
        let error = 64.0 * U * m * m * (m + w.abs().max_element()) + TINY;
        let reach = (window * self.speed + self.separation) * (1.0 + 1e-12);
        gap - error > n.abs().element_sum() * reach
    }

    /// Step 2 of the header, for differences of points `i` of the second and `j` of the first feature.
    #[inline(always)]
    pub(crate) fn apart<const K: usize>(
        &self,
        n: DVec3,
        t0: &[DVec3; 4],
        t1: &[DVec3; 4],
        pairs: [(usize, usize); K],
        window: f64,
    ) -> bool {
        let length = n.abs().element_sum();
        let keep = self.separation * length * (1.0 + 1e-12) + TINY;
        let mut above = true;
        let mut below = true;
        for (i, j) in pairs {
            let (d0, d1) = (t0[i] - t0[j], t1[i] - t1[j]);
            let (g0, g1) = (n.dot(d0), n.dot(d1));
            let end = g0 + (g1 - g0) * window;
            let slack = 16.0 * U * length * d0.abs().max(d1.abs()).max_element() + keep;
            above &= g0.min(end) > slack;
            below &= g0.max(end) < -slack;
        }
        above | below
    }
}

/// The differences of a vertex and a face.
pub(crate) const VERTEX_FACE: [(usize, usize); 3] = [(1, 0), (2, 0), (3, 0)];
/// The differences of two edges.
pub(crate) const EDGE_EDGE: [(usize, usize); 4] = [(2, 0), (3, 0), (2, 1), (3, 1)];

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn a_falling_vertex_by_hand() {
        let face = [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0)];
        let at = |z: f64| [dvec3(0.25, 0.25, z), face[0], face[1], face[2]];
        let (t0, t1) = (at(1.0), at(-3.0));
        let reach = Reach::new(&t0, &t1, 0.0);
        let n = (face[1] - face[0]).cross(face[2] - face[0]);
        // It arrives at 1/4; the first step counts with twice its speed, 8.
        let first =
            |window| reach.apart_at_start(face[1] - face[0], face[2] - face[0], t0[0] - face[0], window);
        assert!(first(0.124) && !first(0.126));
        assert!(
            reach.apart(n, &t0, &t1, VERTEX_FACE, 0.249) && !reach.apart(n, &t0, &t1, VERTEX_FACE, 0.251)
        );
        let kept = Reach::new(&t0, &t1, 0.5);
        assert!(kept.apart(n, &t0, &t1, VERTEX_FACE, 0.124) && !kept.apart(n, &t0, &t1, VERTEX_FACE, 0.126));
    }
}
