//! The point of a simplex that is closest to the origin, with its barycentric coordinates.
//!
//! One to four points; the answer keeps only the points that carry weight, in the order given. Plain f64: the weights are
//! those of a convex combination, not negative and adding up to 1 within a few roundings, and nothing more is claimed.
//! `point` is a guess of that combination. For a triangle it is the foot of the perpendicular, whose direction is good to
//! rounding even where the weighted sum would cancel; for a triangle that is nearly a line it may be nearer than any
//! point of it.
//!
//! Regions are told apart by the signs of the dot products of edges with the corners, as in Ericson, *Real-Time
//! Collision Detection*, Sec. 5.1.

use glam::DVec3;

/// Which of the given points carry weight, and how much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Closest {
    pub(super) point: DVec3,
    pub(super) indices: [usize; 4],
    pub(super) weights: [f64; 4],
    /// How many points carry weight; 4 when the origin is inside the tetrahedron.
    pub(super) count: usize,
}

impl Closest {
    fn corner(w: &[DVec3], i: usize) -> Closest {
        Closest { point: w[i], indices: [i, 0, 0, 0], weights: [1.0, 0.0, 0.0, 0.0], count: 1 }
    }

    /// At `(1 - s) w[i] + s w[j]`.
    ///
    /// The sum cancels near the origin and leaves an error of the size of the corners' rounding in it, which tilts the
    /// direction: by 1e-7 at a distance of 1e-9. What matters is that the direction is square to the edge, so it is made
    /// so once more.
    #[inline]
    fn edge(w: &[DVec3], i: usize, j: usize, s: f64) -> Closest {
        let along = w[j] - w[i];
        let point = w[i] + along * s;
        let point = point - along * (point.dot(along) / along.length_squared());
        Closest { point, indices: [i, j, 0, 0], weights: [1.0 - s, s, 0.0, 0.0], count: 2 }
    }
}

/// The point closest to the origin. With `outside` the origin is known to be outside, whatever a tetrahedron that is too
/// flat for its rounding may say.
#[inline]
pub(super) fn closest_to_origin(w: &[DVec3], outside: bool) -> Closest {
    match w.len() {
        1 => Closest::corner(w, 0),
        2 => segment(w, 0, 1),
        3 => triangle(w, 0, 1, 2),
        _ => tetrahedron(w, outside),
    }
}

fn segment(w: &[DVec3], i: usize, j: usize) -> Closest {
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

fn triangle(w: &[DVec3], i: usize, j: usize, k: usize) -> Closest {
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
    // From `a + v ab + u ac = point` by cross products with the edges. In a sliver of height h the weights are good to
    // the corners' rounding over h, and once more applied to what is left over they put the sum where the point is. The
    // quotients of the determinants above would be off by the rounding over h².
    let solve = |off: DVec3| (off.cross(ac).dot(normal) * scale, ab.cross(off).dot(normal) * scale);
    let (v, u) = solve(point - a);
    let (dv, du) = solve(point - (a + ab * v + ac * u));
    let v = (v + dv).clamp(0.0, 1.0);
    let u = (u + du).clamp(0.0, 1.0 - v);
    Closest { point, indices: [i, j, k, 0], weights: [1.0 - v - u, v, u, 0.0], count: 3 }
}

fn tetrahedron(w: &[DVec3], outside: bool) -> Closest {
    let mut best: Option<Closest> = None;
    let mut volumes = [0.0; 4];
    for [i, j, k, opposite] in [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]] {
        let normal = (w[j] - w[i]).cross(w[k] - w[i]);
        let origin_side = -normal.dot(w[i]);
        let inner_side = normal.dot(w[opposite] - w[i]);
        // The origin is beyond this face, or the tetrahedron is too flat to tell.
        if origin_side * inner_side < 0.0 || inner_side == 0.0 {
            let candidate = triangle(w, i, j, k);
            if best.is_none_or(|b| candidate.point.length_squared() < b.point.length_squared()) {
                best = Some(candidate);
            }
        }
        // The corner's share of the origin is the volume that the origin spans with the face across.
        volumes[opposite] = (origin_side / inner_side).clamp(0.0, 1.0);
    }
    if best.is_none() && outside {
        let faces = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]].map(|[i, j, k]| triangle(w, i, j, k));
        best = faces.into_iter().min_by(|a, b| a.point.length_squared().total_cmp(&b.point.length_squared()));
    }
    best.unwrap_or_else(|| {
        let sum: f64 = volumes.iter().sum();
        let weights = if sum > 0.0 { volumes.map(|volume| volume / sum) } else { [1.0, 0.0, 0.0, 0.0] };
        Closest { point: DVec3::ZERO, indices: [0, 1, 2, 3], weights, count: 4 }
    })
}
