//! Signs of determinants and dot products of `f64` points, and the intersection tests at rest built on them, all exact.
//!
//! **Problem.** Decide on which side a point lies, whether three points are collinear, or whether two triangles at rest
//! touch, exactly for the given numbers and without a tolerance.
//!
//! 1. Evaluate in `f64`, with a bound of the rounding error. A value beyond its bound has the right sign.
//! 2. Otherwise, if points or coordinates are the same, the value may be 0 for that reason alone. Meshes that touch
//!    have many such points, and the cost of comparisons is negligible beside the next step.
//! 3. Otherwise scale the coordinates to integers ([`common_exponent`]) and evaluate exactly.
//! 4. The tests are case analyses over such signs and cover every degeneracy: repeated points, zero-area triangles,
//!    collinear and coplanar positions. All sets are closed: touching at a corner counts.
//!
//! **Guarantee.** Exact for all finite input. Overflow makes the filter fail (its comparisons with infinities and NaN
//! are false), and an absolute term covers underflow, so both only cost time. Input that is not finite gives an
//! unspecified answer, but no panic.
//!
//! **Rounding.** u = 2^-53. A difference of two inputs carries a relative error u (and is exact when it underflows), a
//! product or sum one more each. The constants below count these. Each is then raised to leave room for the
//! second-order terms and for the rounding of the bound itself.
//!
//! Reference: J. R. Shewchuk, Adaptive precision floating-point arithmetic and fast robust geometric predicates, 1997
//! (the filters; the exact part differs: integers instead of expansions, which also makes underflow harmless).

use std::cmp::Ordering;

use glam::{DVec2, DVec3};

use super::coplanar;
use super::wide::{Int, common_exponent};

const U: f64 = f64::EPSILON / 2.0;
/// More than the rounding errors of all products of two factors that underflow (each is at most 2^-1075).
const TINY: f64 = f64::MIN_POSITIVE;

/// Returns the sign of `(a − c) × (b − c)`: greater if a, b, c turn counterclockwise.
///
/// ```
/// use firsttouch::numerics::predicates::orient2d;
/// use glam::DVec2;
/// // On the line y = x up to one ulp.
/// let (a, b) = (DVec2::new(0.1, 0.1), DVec2::new(0.3, 0.3));
/// assert!(orient2d(a, b, DVec2::new(0.2, 0.2)).is_eq());
/// assert!(orient2d(a, b, DVec2::new(0.2, 0.2_f64.next_up())).is_gt());
/// ```
pub fn orient2d(a: DVec2, b: DVec2, c: DVec2) -> Ordering {
    let left = (a.x - c.x) * (b.y - c.y);
    let right = (a.y - c.y) * (b.x - c.x);
    let value = left - right;
    // Each product 3u, the difference u.
    filtered(value, 5.0 * U * (left.abs() + right.abs()) + TINY).unwrap_or_else(|| {
        let no_left = a.x == c.x || b.y == c.y;
        if a == b || no_left && (a.y == c.y || b.x == c.x) {
            return Ordering::Equal;
        }
        let [ax, ay, bx, by, cx, cy] = integers([a.x, a.y, b.x, b.y, c.x, c.y]);
        (&(&(&ax - &cx) * &(&by - &cy)) - &(&(&ay - &cy) * &(&bx - &cx))).sign()
    })
}

/// Returns the sign of `(a − d) · ((b − d) × (c − d))`.
///
/// ```
/// use firsttouch::numerics::predicates::orient3d;
/// use glam::DVec3;
/// assert!(orient3d(DVec3::X, DVec3::Y, DVec3::Z, DVec3::ZERO).is_gt());
/// assert!(orient3d(DVec3::X, DVec3::Y, DVec3::new(0.25, 0.75, 0.0), DVec3::ZERO).is_eq());
/// ```
pub fn orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Ordering {
    let (ad, bd, cd) = (a - d, b - d, c - d);
    let value = ad.dot(bd.cross(cd));
    let (p, q, r) = (ad.abs(), bd.abs(), cd.abs());
    let permanent =
        p.x * (q.y * r.z + q.z * r.y) + p.y * (q.z * r.x + q.x * r.z) + p.z * (q.x * r.y + q.y * r.x);
    // Three differences 3u, two products 2u, the difference inside u, two sums 2u: 8u.
    let bound = 10.0 * U * permanent + TINY * (1.0 + p.x + p.y + p.z);
    filtered(value, bound).unwrap_or_else(|| {
        let is_flat = |k: usize| a[k] == d[k] && b[k] == d[k] && c[k] == d[k];
        if a == d || b == d || c == d || a == b || b == c || c == a || (0..3).any(is_flat) {
            return Ordering::Equal;
        }
        let [a, b, c, d] = points([a, b, c, d]);
        let (ad, bd, cd) = (minus(&a, &d), minus(&b, &d), minus(&c, &d));
        let minor = |i: usize, j: usize| &(&bd[i] * &cd[j]) - &(&bd[j] * &cd[i]);
        (&(&(&ad[0] * &minor(1, 2)) + &(&ad[1] * &minor(2, 0))) + &(&ad[2] * &minor(0, 1))).sign()
    })
}

/// Returns the sign of `(a − o) · (b − o)`.
///
/// ```
/// use firsttouch::numerics::predicates::dot_sign;
/// use glam::DVec3;
/// assert!(dot_sign(DVec3::X, DVec3::Y, DVec3::ZERO).is_eq());
/// assert!(dot_sign(DVec3::X, -DVec3::X, DVec3::ZERO).is_lt());
/// ```
pub fn dot_sign(a: DVec3, b: DVec3, o: DVec3) -> Ordering {
    let (p, q) = (a - o, b - o);
    // Differences 2u, product u, two sums 2u.
    filtered(p.dot(q), 7.0 * U * p.abs().dot(q.abs()) + TINY).unwrap_or_else(|| {
        if (0..3).all(|k| a[k] == o[k] || b[k] == o[k]) {
            return Ordering::Equal;
        }
        let [a, b, o] = points([a, b, o]);
        dot(&minus(&a, &o), &minus(&b, &o)).sign()
    })
}

/// Returns true if three points lie on one line (repeated points do).
///
/// ```
/// use firsttouch::numerics::predicates::collinear;
/// use glam::DVec3;
/// assert!(collinear(DVec3::ZERO, DVec3::splat(0.1), DVec3::splat(0.7)));
/// assert!(!collinear(DVec3::ZERO, DVec3::X, DVec3::new(2.0, 1e-300, 0.0)));
/// ```
pub fn collinear(a: DVec3, b: DVec3, c: DVec3) -> bool {
    (0..3).all(|axis| cross_sign(a, b, c, axis).is_eq())
}

/// Returns true if `p` lies on the closed segment from `a` to `b`.
///
/// ```
/// use firsttouch::numerics::predicates::point_on_segment;
/// use glam::DVec3;
/// assert!(point_on_segment(DVec3::splat(0.1), DVec3::ZERO, DVec3::splat(0.1)));
/// assert!(!point_on_segment(DVec3::splat(0.1_f64.next_up()), DVec3::ZERO, DVec3::splat(0.1)));
/// ```
pub fn point_on_segment(p: DVec3, a: DVec3, b: DVec3) -> bool {
    collinear(a, b, p) && dot_sign(a, b, p).is_le()
}

/// Returns true if `p` lies on the closed triangle, which may have no area.
///
/// ```
/// use firsttouch::numerics::predicates::point_in_triangle;
/// use glam::DVec3;
/// let t = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// assert!(point_in_triangle(DVec3::new(0.5, 0.5, 0.0), t));
/// assert!(!point_in_triangle(DVec3::new(0.5, 0.5_f64.next_up(), 0.0), t));
/// ```
pub fn point_in_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    if orient3d(a, b, c, p).is_ne() {
        return false;
    }
    let next = [b, c, a];
    let corner = [a, b, c];
    coplanar::point_on_triangle(
        |i, axis| cross_sign(corner[i], next[i], p, axis),
        |i| dot_sign(corner[i], next[i], p),
    )
}

/// Returns true if two closed segments meet; either may be a point.
///
/// ```
/// use firsttouch::numerics::predicates::segments_touch;
/// use glam::DVec3;
/// assert!(segments_touch([DVec3::ZERO, DVec3::X], [DVec3::X, DVec3::ONE]));
/// assert!(!segments_touch([DVec3::ZERO, DVec3::X], [DVec3::Y, DVec3::ONE]));
/// ```
pub fn segments_touch([a0, a1]: [DVec3; 2], [b0, b1]: [DVec3; 2]) -> bool {
    if orient3d(a0, a1, b0, b1).is_ne() {
        return false;
    }
    coplanar::segments_meet(
        |i, axis| match i {
            // O1 = (b0 − a0) × (b1 − a0), O2 = −(b0 − a1) × (b1 − a1), O3 = −(a0 − b0) × (a1 − b0),
            // O4 = (a0 − b1) × (a1 − b1).
            0 => cross_sign(b0, b1, a0, axis),
            1 => cross_sign(b1, b0, a1, axis),
            2 => cross_sign(a1, a0, b0, axis),
            3 => cross_sign(a0, a1, b1, axis),
            _ => cross_of_differences_sign([a0, a1], [b0, b1], axis),
        },
        |i| match i {
            0 => dot_sign(b0, b1, a0),
            1 => dot_sign(b0, b1, a1),
            2 => dot_sign(a0, a1, b0),
            _ => dot_sign(a0, a1, b1),
        },
    )
}

/// Returns true if a closed segment and a closed triangle meet; both may be degenerate.
///
/// ```
/// use firsttouch::numerics::predicates::segment_triangle_touch;
/// use glam::DVec3;
/// let t = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// assert!(segment_triangle_touch([DVec3::new(0.25, 0.25, -1.0), DVec3::new(0.25, 0.25, 0.0)], t));
/// assert!(!segment_triangle_touch([DVec3::new(0.25, 0.25, -1.0), DVec3::new(0.25, 0.25, -1e-300)], t));
/// ```
pub fn segment_triangle_touch([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let (side_p, side_q) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
    match (side_p, side_q) {
        // In the plane, or the triangle has no area: an end lies on the triangle, or an edge is crossed.
        (Ordering::Equal, Ordering::Equal) => {
            point_in_triangle(p, [a, b, c])
                || point_in_triangle(q, [a, b, c])
                || [[a, b], [b, c], [c, a]].into_iter().any(|edge| segments_touch([p, q], edge))
        }
        (Ordering::Equal, _) => point_in_triangle(p, [a, b, c]),
        (_, Ordering::Equal) => point_in_triangle(q, [a, b, c]),
        _ if side_p == side_q => false,
        // The line crosses the plane of a triangle with area in one point, between p and q.
        _ => {
            let sides = [orient3d(a, b, p, q), orient3d(b, c, p, q), orient3d(c, a, p, q)];
            sides.iter().all(|s| s.is_ge()) || sides.iter().all(|s| s.is_le())
        }
    }
}

/// Returns the sign of one component of `(a − o) × (b − o)`.
fn cross_sign(a: DVec3, b: DVec3, o: DVec3, axis: usize) -> Ordering {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    orient2d(DVec2::new(a[i], a[j]), DVec2::new(b[i], b[j]), DVec2::new(o[i], o[j]))
}

/// Returns the sign of one component of `(a1 − a0) × (b1 − b0)`.
fn cross_of_differences_sign(a: [DVec3; 2], b: [DVec3; 2], axis: usize) -> Ordering {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let (da, db) = (a[1] - a[0], b[1] - b[0]);
    let (left, right) = (da[i] * db[j], da[j] * db[i]);
    filtered(left - right, 5.0 * U * (left.abs() + right.abs()) + TINY).unwrap_or_else(|| {
        let none = |i: usize, j: usize| a[0][i] == a[1][i] || b[0][j] == b[1][j];
        if none(i, j) && none(j, i) {
            return Ordering::Equal;
        }
        let [a0, a1, b0, b1] = points([a[0], a[1], b[0], b[1]]);
        let (da, db) = (minus(&a1, &a0), minus(&b1, &b0));
        (&(&da[i] * &db[j]) - &(&da[j] * &db[i])).sign()
    })
}

fn filtered(value: f64, bound: f64) -> Option<Ordering> {
    if value > bound {
        Some(Ordering::Greater)
    } else if value < -bound {
        Some(Ordering::Less)
    } else {
        None
    }
}

fn integers<const N: usize>(values: [f64; N]) -> [Int; N] {
    let exponent = common_exponent(values);
    values.map(|x| Int::scaled_from(x, exponent))
}

fn points<const N: usize>(points: [DVec3; N]) -> [[Int; 3]; N] {
    let exponent = common_exponent(points.iter().flat_map(|p| p.to_array()));
    points.map(|p| p.to_array().map(|x| Int::scaled_from(x, exponent)))
}

fn minus(a: &[Int; 3], b: &[Int; 3]) -> [Int; 3] {
    [&a[0] - &b[0], &a[1] - &b[1], &a[2] - &b[2]]
}

fn dot(a: &[Int; 3], b: &[Int; 3]) -> Int {
    &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_ratio::RBig;

    fn rational(x: f64) -> RBig {
        RBig::try_from(x).unwrap()
    }

    fn draw(state: &mut u64, kind: u64) -> f64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let r = *state >> 33;
        match kind {
            0 => (r % 4) as f64,
            1 => 1.0 + (r % 3) as f64 * f64::EPSILON,
            2 => ((r % 3) as f64) * 1e-200 + (r % 5) as f64,
            _ => (r as f64 / 2f64.powi(31) - 0.5) * 1e3,
        }
    }

    #[test]
    fn orientations_agree_with_rationals() {
        let mut state = 11;
        let mut zeros = 0;
        for round in 0..20_000u64 {
            let mut p = [DVec3::ZERO; 4];
            for v in &mut p {
                *v = DVec3::from_array([0; 3].map(|_| draw(&mut state, round % 4)));
            }
            let r = p.map(|v| v.to_array().map(rational));
            let d = |i: usize, k: usize| &r[i][k] - &r[3][k];
            let minor = |i: usize, j: usize| d(1, i) * d(2, j) - d(1, j) * d(2, i);
            let exact = d(0, 0) * minor(1, 2) + d(0, 1) * minor(2, 0) + d(0, 2) * minor(0, 1);
            assert_eq!(orient3d(p[0], p[1], p[2], p[3]), exact.cmp(&RBig::ZERO));
            zeros += (exact == RBig::ZERO) as usize;
            let e = |i: usize, k: usize| &r[i][k] - &r[2][k];
            let exact = e(0, 0) * e(1, 1) - e(0, 1) * e(1, 0);
            assert_eq!(orient2d(p[0].truncate(), p[1].truncate(), p[2].truncate()), exact.cmp(&RBig::ZERO));
            let exact = d(0, 0) * d(1, 0) + d(0, 1) * d(1, 1) + d(0, 2) * d(1, 2);
            assert_eq!(dot_sign(p[0], p[1], p[3]), exact.cmp(&RBig::ZERO));
        }
        assert!(zeros > 2000);
    }

    /// Returns true if two closed triangles at rest have a point in common; either may have no area.
    ///
    /// If they do, an edge of one meets the other: where the planes cross, the common segment ends on an edge of one of
    /// them; in one plane, either edges cross or one triangle contains the other, edges and all.
    fn triangles_touch(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
        let sides = |t: [DVec3; 3], o: [DVec3; 3]| {
            let s = o.map(|p| orient3d(t[0], t[1], t[2], p));
            s[0] == s[1] && s[1] == s[2] && s[0].is_ne()
        };
        if sides(a, b) || sides(b, a) {
            return false;
        }
        let edges = |t: [DVec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        edges(a).into_iter().any(|e| segment_triangle_touch(e, b))
            || edges(b).into_iter().any(|e| segment_triangle_touch(e, a))
    }

    /// Triangles on a small integer grid, against a search over the plane of rationals: two triangles touch iff the
    /// difference set contains 0, decided here by an exact linear feasibility over all vertex/edge candidate points.
    #[test]
    fn triangles_agree_with_a_search_over_candidate_points() {
        let mut state = 23;
        let (mut yes, mut no) = (0, 0);
        for _ in 0..3000 {
            let mut t = || [DVec3::ZERO; 3].map(|_| DVec3::from_array([0; 3].map(|_| draw(&mut state, 0))));
            let (a, b) = (t(), t());
            let got = triangles_touch(a, b);
            assert_eq!(got, triangles_touch(b, a));
            assert_eq!(got, triangles_touch([a[2], a[0], a[1]], [b[1], b[0], b[2]]));
            let closest = minimum_distance_squared(a, b);
            // Grid coordinates are at most 3: triangles that do not touch are at least 1e-3 apart (the squared distance
            // is a rational with a denominator below 1e6).
            assert_eq!(got, closest < 1e-9, "{a:?} {b:?} {closest}");
            if got { yes += 1 } else { no += 1 }
        }
        assert!(yes > 300 && no > 300);
    }

    /// Returns the squared distance of two triangles.
    fn minimum_distance_squared(a: [DVec3; 3], b: [DVec3; 3]) -> f64 {
        // Distances between triangles are attained at vertex/triangle or edge/edge pairs, or are zero by crossing.
        let mut best = f64::INFINITY;
        let seg = |p: [DVec3; 2], q: [DVec3; 2]| {
            let mut least = f64::INFINITY;
            let (d1, d2, r) = (p[1] - p[0], q[1] - q[0], p[0] - q[0]);
            let clamp = |x: f64| if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 };
            let (a, e, f, c, b) = (d1.dot(d1), d2.dot(d2), d2.dot(r), d1.dot(r), d1.dot(d2));
            let s0 = clamp((b * f - c * e) / (a * e - b * b));
            for s in [0.0, 1.0, s0] {
                let t = clamp((b * s + f) / e);
                let s = clamp((b * t - c) / a);
                least = least.min((p[0] + d1 * s - q[0] - d2 * t).length_squared());
            }
            least
        };
        for i in 0..3 {
            for j in 0..3 {
                best = best.min(seg([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]));
            }
        }
        for (t, o) in [(a, b), (b, a)] {
            let n = (t[1] - t[0]).cross(t[2] - t[0]);
            for j in 0..3 {
                let (p, q) = (o[j], o[(j + 1) % 3]);
                let (hp, hq) = (n.dot(p - t[0]), n.dot(q - t[0]));
                let mut feet = vec![p - n * hp / n.length_squared()];
                if hp * hq <= 0.0 && hp != hq {
                    feet.push(p + (q - p) * (hp / (hp - hq)));
                }
                for (k, x) in feet.into_iter().enumerate() {
                    let inside = (0..3).all(|i| (t[(i + 1) % 3] - t[i]).cross(x - t[i]).dot(n) >= -1e-12);
                    if n.length_squared() > 0.0 && inside {
                        let height = if k == 0 { hp * hp / n.length_squared() } else { 0.0 };
                        best = best.min(height);
                    }
                }
            }
        }
        best
    }
}

#[cfg(test)]
#[path = "predicates_tests.rs"]
mod bounds_tests;
