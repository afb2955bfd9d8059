//! Closest points of a vertex and a triangle, and of two segments, at rest.
//!
//! **Problem.** Find the pair of closest points, also for triangles without area and segments without length.
//!
//! 1. Solve for the interior optimum (the foot of the perpendicular, the common perpendicular).
//! 2. If it lies inside and rounding does not make it doubtful, it is the answer.
//! 3. Otherwise the optimum lies on the boundary: the best of the edges, or of the ends against the other segment.
//!
//! **Guarantee.** The weights are feasible (in [0, 1]; of sum 1 up to rounding), so the distance between the points is
//! never below the true distance, except for the rounding of the points themselves. It is not a certified lower bound:
//! engines that need a bound project on the direction between the points (see [`super::edge_edge`] with
//! `min_separation`).

use glam::DVec3;

/// A pair of closest points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// On the first feature.
    pub a: DVec3,
    /// On the second feature.
    pub b: DVec3,
    /// Vertex/triangle: the weights of the corners. Segments: the parameter on each, then 0.
    pub parameters: [f64; 3],
}

impl Closest {
    fn distance_squared(&self) -> f64 {
        self.a.distance_squared(self.b)
    }
}

/// Returns the closest point to `p` on the triangle.
///
/// ```
/// use firsttouch::elementary::closest::vertex_triangle;
/// use glam::dvec3;
/// let t = [dvec3(0.0, 0.0, 0.0), dvec3(4.0, 0.0, 0.0), dvec3(0.0, 4.0, 0.0)];
/// let c = vertex_triangle(dvec3(1.0, 2.0, 7.0), t);
/// assert_eq!((c.b, c.parameters), (dvec3(1.0, 2.0, 0.0), [0.25, 0.25, 0.5]));
/// ```
pub fn vertex_triangle(p: DVec3, [f0, f1, f2]: [DVec3; 3]) -> Closest {
    let (e1, e2, d) = (f1 - f0, f2 - f0, p - f0);
    let n = e1.cross(e2);
    let area = n.length_squared();
    if area > 0.0 {
        let w1 = d.cross(e2).dot(n) / area;
        let w2 = e1.cross(d).dot(n) / area;
        let w0 = 1.0 - w1 - w2;
        if w0 >= 0.0 && w1 >= 0.0 && w2 >= 0.0 {
            let inside = Closest { a: p, b: f0 + e1 * w1 + e2 * w2, parameters: [w0, w1, w2] };
            // The normal of a sliver may consist of rounding errors; then an edge is closer.
            if area > 1e-16 * e1.length_squared() * e2.length_squared() {
                return inside;
            }
            return nearest(std::iter::once(inside).chain(boundary(p, [f0, f1, f2])));
        }
    }
    nearest(boundary(p, [f0, f1, f2]))
}

fn boundary(p: DVec3, f: [DVec3; 3]) -> impl Iterator<Item = Closest> {
    (0..3).map(move |i| {
        let j = (i + 1) % 3;
        let s = parameter(p, f[i], f[j]);
        let mut parameters = [0.0; 3];
        parameters[i] = 1.0 - s;
        parameters[j] = s;
        Closest { a: p, b: between(f[i], f[j], s), parameters }
    })
}

/// Returns the closest points of the segments `a` and `b`.
///
/// ```
/// use firsttouch::elementary::closest::segment_segment;
/// use glam::dvec3;
/// let a = [dvec3(-1.0, 0.0, 0.0), dvec3(3.0, 0.0, 0.0)];
/// let b = [dvec3(0.0, -1.0, 5.0), dvec3(0.0, 1.0, 5.0)];
/// assert_eq!(segment_segment(a, b).parameters, [0.25, 0.5, 0.0]);
/// ```
pub fn segment_segment(a: [DVec3; 2], b: [DVec3; 2]) -> Closest {
    let (da, db, w) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
    let n = da.cross(db);
    let area = n.length_squared();
    let make = |s: f64, r: f64| Closest {
        a: between(a[0], a[1], s),
        b: between(b[0], b[1], r),
        parameters: [s, r, 0.0],
    };
    let ends = || {
        let (s0, s1) = (parameter(b[0], a[0], a[1]), parameter(b[1], a[0], a[1]));
        let (r0, r1) = (parameter(a[0], b[0], b[1]), parameter(a[1], b[0], b[1]));
        [make(s0, 0.0), make(s1, 1.0), make(0.0, r0), make(1.0, r1)]
    };
    if area > 0.0 {
        let s = w.cross(db).dot(n) / area;
        let r = w.cross(da).dot(n) / area;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&r) {
            if area > 1e-16 * da.length_squared() * db.length_squared() {
                return make(s, r);
            }
            return nearest(std::iter::once(make(s, r)).chain(ends()));
        }
    }
    nearest(ends().into_iter())
}

/// Returns the nearest of at least one candidate.
fn nearest(mut candidates: impl Iterator<Item = Closest>) -> Closest {
    let none = Closest { a: DVec3::ZERO, b: DVec3::ZERO, parameters: [1.0, 0.0, 0.0] };
    let mut best = candidates.next().unwrap_or(none);
    for c in candidates {
        if c.distance_squared() < best.distance_squared() {
            best = c;
        }
    }
    best
}

/// Returns the parameter of the point of the segment closest to `p`; 0 for a segment without length.
fn parameter(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let d = b - a;
    let length = d.length_squared();
    if length > 0.0 { ((p - a).dot(d) / length).clamp(0.0, 1.0) } else { 0.0 }
}

/// Interpolates from the nearer end, which reproduces both ends exactly.
fn between(a: DVec3, b: DVec3, s: f64) -> DVec3 {
    if s <= 0.5 { a + (b - a) * s } else { b - (b - a) * (1.0 - s) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        // A coarse grid, so that degenerate triangles and parallel segments occur.
        ((*state >> 33) % 5) as f64
    }

    fn point(state: &mut u64) -> DVec3 {
        DVec3::new(draw(state), draw(state), draw(state))
    }

    /// The optimality condition of a convex problem: no corner of either feature is ahead along the direction between
    /// the closest points.
    #[test]
    fn results_are_optimal() {
        let mut state = 9;
        for _ in 0..20_000 {
            let p = [0; 4].map(|_| point(&mut state));
            let c = vertex_triangle(p[0], [p[1], p[2], p[3]]);
            let n = c.b - c.a;
            assert!(c.parameters.iter().all(|w| (0.0..=1.0).contains(w)));
            for corner in &p[1..] {
                assert!((*corner - c.b).dot(n) >= -1e-9, "{p:?}");
            }
            let c = segment_segment([p[0], p[1]], [p[2], p[3]]);
            let n = c.b - c.a;
            for i in 0..2 {
                assert!((p[2 + i] - c.b).dot(n) >= -1e-9 && (p[i] - c.a).dot(n) <= 1e-9, "{p:?}");
            }
        }
    }
}
