//! A common point of a segment and a triangle at rest.
//!
//! **Problem.** A segment and a triangle are known to touch ([`crate::numerics::predicates::segment_triangle_touch`]).
//! Compute a common point, also if they lie in one plane or on one line, so that the height of the segment above the
//! plane gives no information.
//!
//! 1. An end of the segment on the triangle, or a corner of the triangle on the segment, is such a point exactly.
//! 2. Otherwise the segment crosses the plane of the triangle, or a side of it within the plane. With n and m the
//!    heights of its ends above that plane (or side), of opposite sign, the point is `p + (q − p) n / (n − m)`,
//!    evaluated in integers.
//!
//! **Guarantee.** The exact common point, each coordinate rounded with a relative error of at most 2^-50.

use glam::DVec3;

use crate::numerics::portable::power_of_two;
use crate::numerics::predicates::{point_in_triangle, point_on_segment, segments_touch};
use crate::numerics::{Int, common_exponent};

/// Returns a common point of a segment and a triangle that touch.
pub(crate) fn common_point([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> DVec3 {
    let triangle = [a, b, c];
    if let Some(end) = [p, q].into_iter().find(|end| point_in_triangle(*end, triangle)) {
        return end;
    }
    if let Some(corner) = triangle.into_iter().find(|corner| point_on_segment(*corner, p, q)) {
        return corner;
    }
    let exponent = common_exponent([p, q, a, b, c].iter().flat_map(|v| v.to_array()));
    let [p_int, q_int, a_int, b_int, c_int] =
        [p, q, a, b, c].map(|v| v.to_array().map(|x| Int::scaled_from(x, exponent)));
    let heights = |normal: &[Int; 3], base: &[Int; 3]| {
        (dot(normal, &minus(&p_int, base)), dot(normal, &minus(&q_int, base)))
    };
    let normal = cross(&minus(&b_int, &a_int), &minus(&c_int, &a_int));
    let (mut n, mut m) = heights(&normal, &a_int);
    if n.is_zero() && m.is_zero() {
        // In one plane: the heights above the first side that the segment crosses, as components of
        // `side × (p − corner)`.
        let sides = [(a, b, &a_int, &b_int), (b, c, &b_int, &c_int), (c, a, &c_int, &a_int)];
        let Some((.., from, to)) =
            sides.into_iter().find(|(from, to, ..)| segments_touch([p, q], [*from, *to]))
        else {
            return p;
        };
        let side = minus(to, from);
        let (of_p, of_q) = (cross(&side, &minus(&p_int, from)), cross(&side, &minus(&q_int, from)));
        let Some((height_p, height_q)) = of_p.into_iter().zip(of_q).find(|(n, m)| n.sign() != m.sign())
        else {
            return p;
        };
        (n, m) = (height_p, height_q);
    }
    let whole = &n - &m;
    let along = minus(&q_int, &p_int);
    let at = |k: usize| ratio(&(&(&p_int[k] * &whole) + &(&along[k] * &n)), &whole, exponent);
    DVec3::new(at(0), at(1), at(2))
}

/// Returns `2^exponent · n / m`.
fn ratio(n: &Int, m: &Int, exponent: i32) -> f64 {
    let (shift_n, shift_m) = (n.bits().saturating_sub(64), m.bits().saturating_sub(64));
    let power = shift_n as i32 - shift_m as i32 + exponent;
    // In two steps, so that each power of two is in the range of f64.
    n.approximate(shift_n) / m.approximate(shift_m)
        * power_of_two(power / 2)
        * power_of_two(power - power / 2)
}

fn minus(a: &[Int; 3], b: &[Int; 3]) -> [Int; 3] {
    [&a[0] - &b[0], &a[1] - &b[1], &a[2] - &b[2]]
}

fn dot(a: &[Int; 3], b: &[Int; 3]) -> Int {
    &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2])
}

fn cross(a: &[Int; 3], b: &[Int; 3]) -> [Int; 3] {
    let minor = |i: usize, j: usize| &(&a[i] * &b[j]) - &(&a[j] * &b[i]);
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    const TRIANGLE: [DVec3; 3] = [dvec3(0.0, 0.0, 0.0), dvec3(4.0, 0.0, 0.0), dvec3(0.0, 4.0, 0.0)];

    #[test]
    fn by_hand() {
        let check = |p: DVec3, q: DVec3, expected: DVec3| {
            assert_eq!(common_point([p, q], TRIANGLE), expected, "{p} {q}");
        };
        // Through the plane, at a third of the way.
        check(dvec3(1.0, 1.0, 1.0), dvec3(1.0, 1.0, -2.0), dvec3(1.0, 1.0, 0.0));
        // In the plane: an end inside; across both legs; along a leg, which contains the origin.
        check(dvec3(-10.0, 1.0, 0.0), dvec3(1.0, 1.0, 0.0), dvec3(1.0, 1.0, 0.0));
        check(dvec3(-1.0, 2.0, 0.0), dvec3(2.0, -1.0, 0.0), dvec3(1.0, 0.0, 0.0));
        check(dvec3(-1.0, 0.0, 0.0), dvec3(9.0, 0.0, 0.0), dvec3(0.0, 0.0, 0.0));
        // A long segment with coarse coordinates.
        check(dvec3(1.0, 1.0, 3e40), dvec3(1.0, 1.0, -1e40), dvec3(1.0, 1.0, 0.0));
    }

    #[test]
    fn a_triangle_without_area() {
        let line = [dvec3(0.0, -1.0, 0.0), dvec3(0.0, 3.0, 0.0), dvec3(0.0, 1.0, 0.0)];
        assert_eq!(common_point([dvec3(-1.0, 0.5, 0.0), dvec3(1.0, 0.5, 0.0)], line), dvec3(0.0, 0.5, 0.0));
    }
}
