//! The point of a simplex that is closest to the origin, with its barycentric coordinates.
//!
//! The simplex has one to four points. The answer keeps only the points with nonzero weight, in the order given. The
//! arithmetic is plain `f64`: [`weights`] are those of a convex combination (not negative, adding up to 1 within a few
//! roundings). This is the only claim. [`Closest::point`] is an estimate of that combination, used to steer the search.
//! For a triangle it is the foot of the perpendicular, whose direction is accurate to rounding even where the weighted
//! sum would cancel. For a triangle that is nearly a line it may be closer to the origin than any point of the
//! triangle.
//!
//! Regions are distinguished by the signs of the dot products of edges with the corners, as in Ericson, *Real-Time
//! Collision Detection*, Sec. 5.1.

use glam::DVec3;

/// The closest point, and the given points that span it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Closest {
    pub(super) point: DVec3,
    /// Bit `i` is set if point `i` has nonzero weight. All four bits are set if the origin is inside the tetrahedron.
    pub(super) kept: u8,
}

/// [`Closest::kept`] if the origin is inside the tetrahedron.
pub(super) const INSIDE: u8 = 0b1111;

impl Closest {
    #[inline(always)]
    fn corner(w: &[DVec3; 4], i: usize) -> Closest {
        Closest { point: w[i], kept: 1 << i }
    }

    /// Returns the point `(1 - s) w[i] + s w[j]`.
    ///
    /// The sum cancels near the origin. The rounding errors of the corners remain in it and tilt the direction: by 1e-7
    /// at a distance of 1e-9. The direction must be perpendicular to the edge, so the edge component is removed a
    /// second time.
    #[inline(always)]
    fn edge(w: &[DVec3; 4], i: usize, j: usize, s: f64) -> Closest {
        let along = w[j] - w[i];
        let point = w[i] + along * s;
        let point = point - along * (point.dot(along) / along.length_squared());
        Closest { point, kept: 1 << i | 1 << j }
    }
}

/// Returns the point of the simplex of the first `count` points that is closest to the origin. With `outside` the
/// origin is known to be outside, even if a tetrahedron that is too flat for its rounding suggests otherwise.
#[inline(always)]
pub(super) fn closest_to_origin(w: &[DVec3; 4], count: usize, outside: bool) -> Closest {
    match count {
        1 => Closest::corner(w, 0),
        2 => segment(w, 0, 1),
        3 => triangle(w, 0, 1, 2),
        _ => tetrahedron(w, outside),
    }
}

/// Returns the weights of the point closest to the origin in the span of the first `count` points, all of which have
/// nonzero weight.
#[inline(always)]
pub(super) fn weights(w: &[DVec3; 4], count: usize) -> [f64; 4] {
    match count {
        1 => [1.0, 0.0, 0.0, 0.0],
        2 => {
            let along = w[1] - w[0];
            let s = (-w[0].dot(along) / along.length_squared()).clamp(0.0, 1.0);
            // Two coincident points have the quotient 0 / 0.
            if s.is_nan() { [1.0, 0.0, 0.0, 0.0] } else { [1.0 - s, s, 0.0, 0.0] }
        }
        3 => {
            // Solves `a + v ab + u ac = foot` by cross products with the edges. In a sliver of height h, the weights
            // are accurate to the rounding of the corners over h. One refinement step on the residual moves the
            // weighted sum to the foot. The quotients of the determinants in `triangle` would be off by the rounding
            // over h².
            let (a, ab, ac) = (w[0], w[1] - w[0], w[2] - w[0]);
            let normal = ab.cross(ac);
            let scale = 1.0 / normal.length_squared();
            let foot = normal * (normal.dot(a) * scale);
            let solve = |off: DVec3| (off.cross(ac).dot(normal) * scale, ab.cross(off).dot(normal) * scale);
            let (v, u) = solve(foot - a);
            let (dv, du) = solve(foot - (a + ab * v + ac * u));
            let v = (v + dv).clamp(0.0, 1.0);
            // A triangle without area has no unique weights. (`clamp` panics if a bound is NaN.)
            if v.is_nan() || (u + du).is_nan() {
                return [1.0, 0.0, 0.0, 0.0];
            }
            let u = (u + du).clamp(0.0, 1.0 - v);
            [1.0 - v - u, v, u, 0.0]
        }
        _ => {
            // The weight of a corner is the volume that the origin spans with the opposite face.
            let volume = |i: usize, j: usize, k: usize| w[i].dot(w[j].cross(w[k])).abs();
            let volumes = [volume(1, 2, 3), volume(0, 2, 3), volume(0, 1, 3), volume(0, 1, 2)];
            let sum: f64 = volumes.iter().sum();
            if sum > 0.0 { volumes.map(|volume| volume / sum) } else { [1.0, 0.0, 0.0, 0.0] }
        }
    }
}

#[inline(always)]
fn segment(w: &[DVec3; 4], i: usize, j: usize) -> Closest {
    let along = w[j] - w[i];
    let s = -w[i].dot(along);
    let length = along.length_squared();
    if s <= 0.0 {
        Closest::corner(w, i)
    } else if s >= length {
        Closest::corner(w, j)
    } else {
        Closest::edge(w, i, j, s / length)
    }
}

#[inline(always)]
fn triangle(w: &[DVec3; 4], i: usize, j: usize, k: usize) -> Closest {
    let (a, b, c) = (w[i], w[j], w[k]);
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return Closest::corner(w, i);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return Closest::corner(w, j);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return Closest::edge(w, i, j, d1 / (d1 - d3));
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return Closest::corner(w, k);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return Closest::edge(w, i, k, d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return Closest::edge(w, j, k, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let normal = ab.cross(ac);
    let scale = 1.0 / normal.length_squared();
    if !scale.is_finite() {
        // A triangle without area: its closest point lies on an edge.
        let shorter = |x: Closest, y: Closest| {
            if y.point.length_squared() < x.point.length_squared() { y } else { x }
        };
        return shorter(shorter(segment(w, i, j), segment(w, i, k)), segment(w, j, k));
    }
    let point = normal * (normal.dot(a) * scale);
    Closest { point, kept: 1 << i | 1 << j | 1 << k }
}

/// The result before any face is examined: at an infinite distance.
const NONE: Closest = Closest { point: DVec3::INFINITY, kept: 1 };

/// Returns the closest point of a tetrahedron. Four volumes decide on which side of each face the origin is; they come
/// from three cross products of the edges at the last point.
#[inline(always)]
fn tetrahedron(w: &[DVec3; 4], outside: bool) -> Closest {
    let apex = w[3];
    let [e0, e1, e2] = [w[0] - apex, w[1] - apex, w[2] - apex];
    let [n0, n1, n2] = [e1.cross(e2), e2.cross(e0), e0.cross(e1)];
    let volume = n0.dot(e0);
    // The volumes of the origin with the faces opposite the points 0, 1 and 2. The remainder is the share of point 3.
    let shares = [-n0.dot(apex), -n1.dot(apex), -n2.dot(apex)];
    let last = volume - (shares[0] + shares[1] + shares[2]);
    let shares = [shares[0], shares[1], shares[2], last];
    // The origin is beyond a face, or the tetrahedron is too flat to tell.
    let beyond = shares.map(|share| share * volume < 0.0 || volume == 0.0);
    if beyond == [false; 4] && !outside {
        return Closest { point: DVec3::ZERO, kept: INSIDE };
    }
    let flat = beyond == [false; 4];
    let mut best = NONE;
    for (face, beyond) in [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]].into_iter().zip(beyond) {
        if beyond || flat {
            let candidate = triangle(w, face[0], face[1], face[2]);
            if candidate.point.length_squared() < best.point.length_squared() {
                best = candidate;
            }
        }
    }
    best
}
