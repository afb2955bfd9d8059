//! Local advancement: the first time two features come within `min_separation`, never late.
//!
//! **Problem.** For a distance s > 0, find the first time at which the gap between the features is at most s.
//!
//! 1. At time t take the closest points and the unit direction n from the first feature to the second. The features
//!    lie on two sides of a slab perpendicular to n, whose thickness is a lower bound of the distance.
//! 2. If the distance is at most `s + tolerance`: touch at t.
//! 3. Each difference of a point of the second and a point of the first feature moves linearly. Along n it reaches s
//!    at a time known in closed form, or never. Until the earliest of these times, every such difference stays at
//!    least s along n, and so do all convex combinations: advance to it. If it is beyond `t_max`: free.
//! 4. Repeat until the budget is spent: undecided, free until t.
//!
//! **Guarantee.** Never late, no contact missed. At a touch the gap is at most `s + tolerance`.
//!
//! **Scale.** All coordinates are first multiplied by one power of two that makes the largest one about 1, because
//! lengths of 1e-170 would have squares of 0. For the same reason, n is normalised from a vector scaled by its own
//! largest component. Coordinates far smaller than the largest may underflow by this; [`TINY`] on each difference and
//! on s covers it.
//!
//! **Rounding.** Let D be a difference at 0 and 1, and m the sum over its components of the larger magnitudes.
//! `n·(d₀ + t(d₁ − d₀))` is computed with an error of at most (6 + 1 + 2)u m for the difference at t (see
//! `coplanarity`), the product and two sums, as |nₖ| ≤ 1 + 4u; raised to 16u m. The speed `n·(d₁ − d₀)` has an error of
//! at most (2·2 + 3)u m, also raised to 16u m. The length of n, at most 1 + 4u, matters only as a factor on s, which is
//! enlarged. Both errors are applied on the safe side. The upper bound of the distance adds the error of four rounded
//! positions.
//!
//! **Departure from the paper.** Lemmas 2 and 3 divide the smallest distance by the largest speed. Here each difference
//! has its own distance and its own speed; the resulting time is never earlier and often later. In both, a difference
//! that does not close (mu ≤ 0 in the paper) never arrives.
//!
//! Reference: Tang, Kim and Manocha 2010, Sec. V B, Lemmas 2 and 3.

use glam::DVec3;

use super::contact::{UnitSize, closest_points, positions};
use super::pair::Pair;
use super::{Contact, Limits, Verdict};
use crate::numerics::bound::{largest_upper, lower_min, lower_or_zero};
use crate::numerics::rounding::TINY;

const U: f64 = f64::EPSILON / 2.0;

/// Returns the first time within `min_separation`, up to `tolerance`.
pub(crate) fn advance<P: Pair>(q: &P, p: &Limits) -> Verdict<Contact> {
    let unit = UnitSize::new(q.t0().iter().chain(q.t1()));
    let scaled = |points: &[DVec3; 4]| points.map(|point| point * unit.down);
    let q = &P::new(scaled(q.t0()), scaled(q.t1()));
    let separation = p.min_separation * unit.down;
    let reach = separation + lower_or_zero(p.tolerance) * unit.down;
    advance_at_unit_size(q, p, separation, reach)
        .map(|contact| Contact { point: contact.point * unit.up, ..contact })
}

/// Like [`advance`], for coordinates of at most 2 in size, and lengths in the same unit.
fn advance_at_unit_size<P: Pair>(q: &P, p: &Limits, separation: f64, reach: f64) -> Verdict<Contact> {
    let t_max = p.t_end;
    let differences = Differences::new(q);
    // Positions are rounded relative to the coordinates themselves, not to their differences.
    let extent = |k: usize| largest_upper(q.t0().iter().chain(q.t1()).map(|x| x[k].abs()));
    let position_error = 32.0 * U * (extent(0) + extent(1) + extent(2));
    let mut t = 0.0;
    for _ in 0..p.max_iterations {
        let points = positions(q, t);
        let touching = closest_points::<P>(&points);
        let between = touching.b - touching.a;
        let (distance, n) = length_and_direction(between);
        // Upper bound of the distance at t. A distance of zero has no direction. It is a touch for every s > 0, unless
        // the coordinates are too coarse to tell, which the next lines detect.
        let upper = distance * (1.0 + 4.0 * f64::EPSILON) + position_error;
        if upper <= reach {
            let normal = if distance > 0.0 { n } else { DVec3::Z };
            let point = touching.a + between * 0.5;
            return Verdict::Touch(Contact {
                toi: t,
                toi_upper: t,
                point,
                parameters: touching.parameters,
                normal,
            });
        }
        let Some(next) = differences.safe_until(n, t, separation) else { return Verdict::Free };
        if next > t_max {
            return Verdict::Free;
        }
        if next <= t {
            return Verdict::Undecided { free_until: t };
        }
        t = next;
    }
    Verdict::Undecided { free_until: t }
}

/// Returns the length of `v` and its direction; the direction is zero if `v` is zero or not finite.
#[inline]
fn length_and_direction(v: DVec3) -> (f64, DVec3) {
    let largest = v.abs().max_element();
    if !(largest > 0.0 && largest.is_finite()) {
        return (largest, DVec3::ZERO);
    }
    let scaled = v / largest;
    let length = scaled.length();
    (largest * length, scaled / length)
}

/// The differences between points of the second and of the first feature.
struct Differences {
    start: [DVec3; 4],
    end: [DVec3; 4],
    /// The sum of the larger magnitudes of the components.
    size: [f64; 4],
    count: usize,
}

impl Differences {
    fn new<P: Pair>(q: &P) -> Differences {
        let mut out =
            Differences { start: [DVec3::ZERO; 4], end: [DVec3::ZERO; 4], size: [0.0; 4], count: 0 };
        for i in 0..P::SPLIT {
            for j in P::SPLIT..4 {
                let n = out.count;
                out.start[n] = q.t0()[j] - q.t0()[i];
                out.end[n] = q.t1()[j] - q.t1()[i];
                out.size[n] = out.start[n].abs().max(out.end[n].abs()).element_sum();
                out.count += 1;
            }
        }
        out
    }

    /// Returns a time up to which the distance certainly stays above `separation`, measured along n from time t; `None`
    /// if it always stays above. The time is at most t if this is not certain even at t.
    fn safe_until(&self, n: DVec3, t: f64, separation: f64) -> Option<f64> {
        let separation = separation * (1.0 + 4.0 * f64::EPSILON) + TINY;
        let mut first = f64::INFINITY;
        for i in 0..self.count {
            let velocity = self.end[i] - self.start[i];
            let error = 16.0 * U * self.size[i] + TINY;
            let gap = n.dot(self.start[i] + velocity * t) - error - separation;
            let closing = error - n.dot(velocity);
            // NaN proves nothing.
            if gap.is_nan() || gap <= 0.0 {
                return Some(t);
            }
            if closing.is_nan() || closing > 0.0 {
                first = lower_min(first, t + gap / closing * (1.0 - 2.0 * f64::EPSILON));
            }
        }
        if first == f64::INFINITY { None } else { Some(first.next_down()) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EdgeEdge, VertexFace};
    use super::*;
    use glam::dvec3;

    fn params(min_separation: f64) -> Limits {
        Limits { min_separation, ..Limits::default() }
    }

    #[test]
    fn a_falling_vertex_stops_at_the_separation() {
        let face = [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0)];
        let at = |z: f64| [dvec3(0.25, 0.25, z), face[0], face[1], face[2]];
        let q = VertexFace::new(at(1.0), at(-1.0)).unwrap();
        let Verdict::Touch(c) = advance(&q, &params(0.25)) else { panic!() };
        // z = 1 − 2t reaches 0.25 at t = 0.375.
        assert!(c.toi <= 0.375 && c.toi > 0.375 - 1e-6);
        assert_eq!(c.normal, dvec3(0.0, 0.0, -1.0));
        let away = VertexFace::new(at(1.0), at(3.0)).unwrap();
        assert_eq!(advance(&away, &params(0.25)), Verdict::Free);
        let near = VertexFace::new(at(0.1), at(3.0)).unwrap();
        let Verdict::Touch(c) = advance(&near, &params(0.25)) else { panic!() };
        assert_eq!(c.toi, 0.0);
    }

    #[test]
    fn passing_edges_keep_their_distance() {
        // Crossed edges slide past each other at a height of 1: free for a separation of 0.9, touch for 1.1.
        let at =
            |x: f64| [dvec3(x, -1.0, 1.0), dvec3(x, 1.0, 1.0), dvec3(-1.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0)];
        let q = EdgeEdge::new(at(-3.0), at(3.0)).unwrap();
        assert_eq!(advance(&q, &params(0.9)), Verdict::Free);
        let Verdict::Touch(c) = advance(&q, &params(1.1)) else { panic!() };
        // Distance to the end (−1, 0, 0): √((x + 1)² + 1) = 1.1 at x = −1 − √0.21.
        let exact = (3.0 - 1.0 - 0.21f64.sqrt()) / 6.0;
        assert!(c.toi <= exact && c.toi > exact - 1e-6, "{} {exact}", c.toi);
    }

    #[test]
    fn a_tolerance_below_the_coordinates_is_undecided_not_wrong() {
        let at = |z: f64| {
            [dvec3(1e12, 0.25, z), dvec3(1e12, 0.0, 0.0), dvec3(1e12 + 1.0, 0.0, 0.0), dvec3(1e12, 1.0, 0.0)]
        };
        let q = VertexFace::new(at(1.0), at(-1.0)).unwrap();
        let outcome = advance(&q, &Limits { min_separation: 0.25, tolerance: 1e-12, ..Limits::default() });
        let Verdict::Undecided { free_until } = outcome else { panic!("{outcome:?}") };
        assert!(free_until <= 0.375 && free_until > 0.374);
    }
}

#[cfg(test)]
#[path = "advancement_tests.rs"]
mod bounds_tests;
