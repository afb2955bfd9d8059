//! Tests if a direction separates two coarse solids over a window of time.
//!
//! # The method
//! The second of two solids is seen from the frame of the first, which is at rest there. The pair is free in a window
//! if there is a direction `n` such that all of the second solid stays beyond the first one's extent along `n`. For a
//! point `x(t)` let `f = n · x`, known at the beginning, in the middle and at the end of the window, which is `2h`
//! long. The parabola `q` through the three values differs from `f` by at most
//! `max |f'''| |τ (τ² − h²)| / 6 <= J h³ / (9 √3)`. On either half of the window `q` is at least the lesser of its ends
//! there, minus `q'' h² / 8 = (f_0 − 2 f_1 + f_2) / 8` if that is positive. So
//! ```text
//! f >= min(f_0, f_1, f_2) − max(0, f_0 − 2 f_1 + f_2) / 8 − J h³ / (9 √3)
//! ```
//! with `J = J_link + (W³ + C) |x|` from `kinematics` and `drive`. The right-hand side is a concave function of the
//! point (the `f_k` are linear, `|x|` is convex), so over a solid it is least at a corner: all corners are tested, each
//! with its own reach. The error is of third order in the window: for an arm that turns by a radian it is a few percent
//! of the arm's length, in half the window less than one percent.
//!
//! The directions are tried in this order:
//! 1. The direction out of the first solid's box towards the second one's centre, or the one that separated them in the
//!    window before.
//! 2. The first direction of GJK along which the solids are far enough apart in the middle of the window. GJK starts
//!    there with the direction of rule 1.
//! 3. The direction between the closest points.
//!
//! # Guarantee
//! Rigorous. Computed poses have the errors that `kinematics` states, heights have 64 roundings of the sizes involved
//! (as in `convex`). An error `e` of the three values changes the bound by at most `e + 4 e / 8`; `2 e` is taken, which
//! also covers the rounding of the middle.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 5: there Taylor models of order 3 enclose whole links.

use glam::{DMat3, DVec3};

use crate::distance::gjk::{Gjk, Progress};
use crate::distance::rounded_hull::RoundedHull;
use crate::motion::PoseAt;
use crate::numerics::bound::largest_upper;
use crate::numerics::rounding::UNIT;
use crate::robot::LinkBounds;
use crate::shape::Convex;

/// `1 / (9 √3)`, rounded up.
const CUBIC: f64 = 0.064_150_03;

const HERE: PoseAt = PoseAt { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

/// The result of a test.
pub(super) enum Finding {
    /// The solids are apart in the whole window.
    Free,
    /// The solids are apart in the middle, along this direction.
    Apart(DVec3),
    /// The solids were not found to be apart in the middle.
    Close,
}

/// A link in a window, as seen from another one or from the world: its poses at the beginning, in the middle and at the
/// end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) poses: [PoseAt; 3],
    pub(super) link_bounds: LinkBounds,
    /// The largest coordinate of the translations; infinite if one is NaN.
    pub(super) size: f64,
}

impl Placed {
    /// Returns a link that is not placed yet.
    #[inline]
    pub(super) fn nowhere(link_bounds: LinkBounds) -> Placed {
        Placed { poses: [HERE; 3], link_bounds, size: 0.0 }
    }

    pub(super) fn new(poses: [PoseAt; 3], link_bounds: LinkBounds) -> Placed {
        let mut placed = Placed { poses, link_bounds, size: 0.0 };
        placed.measure();
        placed
    }

    /// Sets `size` for other poses.
    #[inline]
    pub(super) fn measure(&mut self) {
        let [first, middle, last] = self.poses.each_ref().map(|pose| pose.translation.abs());
        let coordinates = [first.x, first.y, first.z, middle.x, middle.y, middle.z, last.x, last.y, last.z];
        self.size = largest_upper(coordinates);
    }
}

/// Tests two solids in a window that is `2 half` long. The second solid is placed as seen from the first. The direction
/// `inherited`, unless it is zero, is one that separated the solids before.
pub(super) fn test(
    [a, b]: [&RoundedHull; 2],
    placed: &Placed,
    half: f64,
    min_separation: f64,
    inherited: DVec3,
) -> Finding {
    let window = Separation::new(a, b, placed, half, min_separation);
    if !window.is_worth_it() {
        // Half the window has an eighth of the error.
        return Finding::Apart(inherited);
    }
    let guess = if inherited == DVec3::ZERO { window.way_out() } else { Some(inherited) };
    if guess.is_some_and(|n| window.separates(n)) {
        return Finding::Free;
    }
    let margins = a.margin() + b.margin() + min_separation;
    let accuracy = |distance: f64| (0.05 * (distance - margins)).max(1e-3 * margins); // not a bound: when to stop
    // The search ends at once if the cores are closer than the margins, or if a direction on the way separates the
    // solids. Only one such direction is tried: trying all costs more than it saves.
    let (mut is_free, mut is_tried) = (false, false);
    let found = Gjk::default().closest_points_unless(
        a,
        b,
        &[HERE, placed.poses[1]],
        accuracy,
        guess.unwrap_or(DVec3::ZERO),
        |progress| {
            let Progress { direction, distance, proven } = *progress;
            if !is_tried && proven > window.needed + a.margin() + b.margin() {
                is_tried = true;
                is_free = window.separates(direction);
            }
            is_free || distance <= margins
        },
    );
    if is_free {
        return Finding::Free;
    }
    // Cores that are closer than the margins are not separated by any direction.
    if (found.points[1] - found.points[0]).length() > margins {
        if window.separates(found.normal) { Finding::Free } else { Finding::Apart(found.normal) }
    } else {
        Finding::Close
    }
}

/// Returns a lower bound of the distance of two solids at an instant, the second in this pose as seen from the first:
/// their separation along the direction between the closest points.
pub(super) fn distance(solids: [&RoundedHull; 2], pose: &PoseAt, link_bounds: &LinkBounds) -> f64 {
    distance_up_to(f64::INFINITY, DVec3::ZERO, solids, pose, link_bounds)
}

/// Like [`distance`], along another direction as soon as it shows that the solids are farther apart than `enough`. The
/// search begins with the direction `towards`, unless that is zero.
pub(super) fn distance_up_to(
    enough: f64,
    towards: DVec3,
    [a, b]: [&RoundedHull; 2],
    pose: &PoseAt,
    link_bounds: &LinkBounds,
) -> f64 {
    let margins = a.margin() + b.margin();
    let accuracy = |distance: f64| (0.05 * (distance - margins)).max(1e-3 * margins); // not a bound: when to stop
    let is_enough = |progress: &Progress| progress.proven - margins > enough;
    let n = Gjk::default().closest_points_unless(a, b, &[HERE, *pose], accuracy, towards, is_enough).normal;
    // As in a window, with three times the same pose.
    let placed = Placed::new([*pose; 3], *link_bounds);
    let off = 2.0 * error(&placed, b.reach()) + 64.0 * UNIT * a.reach();
    let apart = n.dot(pose.translation) - b.extent(pose.direction_to_body(-n)) - a.extent(n) - off;
    // A direction that is NaN proves nothing.
    if apart.is_nan() { f64::NEG_INFINITY } else { apart - 16.0 * UNIT * apart.abs() }
}

/// Returns an upper bound of the distance of a point, `reach` away from its link's origin, from the parabola.
pub(super) fn stray(link_bounds: &LinkBounds, reach: f64, half: f64) -> f64 {
    // In this order no underflow matters, and an overflow gives infinity, never infinity times zero.
    let angle = link_bounds.turning * half;
    let turned = angle * angle * (angle * reach);
    let twisted = link_bounds.twist * half * half * (half * reach);
    CUBIC * (link_bounds.jerk * half * half * half + turned + twisted) * (1.0 + 32.0 * UNIT)
}

/// Returns the error of a height of such a point.
#[inline]
pub(super) fn error(placed: &Placed, reach: f64) -> f64 {
    let error = placed.link_bounds.error;
    (error.rotation + 64.0 * UNIT) * reach + error.translation + 128.0 * UNIT * placed.size
}

/// A pair of solids in a window, the second as seen from the first.
struct Separation<'a> {
    a: &'a RoundedHull,
    b: &'a RoundedHull,
    poses: &'a [PoseAt; 3],
    /// The stray of the second one's origin from its parabola, and the additional stray of a point at distance 1 from
    /// it.
    stray: [f64; 2],
    /// The distance that must be left between the two.
    needed: f64,
}

impl<'a> Separation<'a> {
    fn new(
        a: &'a RoundedHull,
        b: &'a RoundedHull,
        placed: &'a Placed,
        half: f64,
        min_separation: f64,
    ) -> Separation<'a> {
        let Placed { poses, link_bounds, .. } = placed;
        let origin = stray(link_bounds, 0.0, half);
        let turning = stray(&LinkBounds { jerk: 0.0, ..*link_bounds }, 1.0, half);
        // The extent of the first solid has an error of `64u` of its reach in total.
        let off = 2.0 * error(placed, b.reach()) + 64.0 * UNIT * a.reach();
        let needed = (min_separation + off + origin) * (1.0 + 16.0 * UNIT);
        Separation { a, b, poses, stray: [origin, turning], needed }
    }

    /// Returns true if the error is small enough for a test to have a chance.
    fn is_worth_it(&self) -> bool {
        let (center, _) = self.b.bounds();
        let stray = self.stray[0] + self.stray[1] * (center.length() + self.b.radius());
        // This is `false` for NaN.
        stray < 2.0 * self.b.radius().max(self.a.radius()) // not a bound: whether to try
    }

    /// Returns true if all of the second solid stays beyond the first one's extent along `n`: the rule of the header.
    fn separates(&self, n: DVec3) -> bool {
        let [first, middle, last] = self.poses;
        let along = [first.direction_to_body(n), middle.direction_to_body(n), last.direction_to_body(n)];
        let offset = [n.dot(first.translation), n.dot(middle.translation), n.dot(last.translation)];
        self.b.lowest(&along, &offset, self.stray[1]) - self.a.extent(n) > self.needed
    }

    /// Returns the direction out of the first solid's box towards the second one's centre in the middle of the window.
    fn way_out(&self) -> Option<DVec3> {
        let (center, half) = self.a.bounds();
        let from = self.poses[1].apply(self.b.bounds().0) - center;
        (from - from.clamp(-half, half)).try_normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::rounded_hull::Ball;
    use crate::motion::PoseError;

    /// Takes a point on a circle whose angle is `w τ + c τ³ / 6`. Compares the stray of its height from the parabola
    /// through three instants, by samples, with the bound from the rates of the angle. Either term alone is needed: the
    /// cube of the rate, and the third derivative of the angle.
    #[test]
    fn a_point_strays_no_farther_than_its_rates_allow() {
        let reach = 2.0;
        for (w, c, half) in
            [(0.0, 1.0, 0.1), (0.0, 6.0, 0.3), (1.0, 0.0, 0.5), (1.0, 0.5, 0.4), (3.0, 0.0, 0.7)]
        {
            let rates = LinkBounds {
                turning: w + 0.5 * c * half * half,
                // `C` bounds the terms that the angle's own derivatives add to the cube of the rate: θ''' and 3 θ' θ''.
                twist: c + 3.0 * (w + 0.5 * c * half * half) * c * half,
                jerk: 0.0,
                error: PoseError { rotation: 0.0, translation: 0.0 },
            };
            let most = (0..12).fold(0.0_f64, |most, k| {
                let phase = f64::from(k) * std::f64::consts::TAU / 12.0;
                let f = |t: f64| reach * (phase + w * t + c * t * t * t / 6.0).cos();
                let (f_0, f_1, f_2) = (f(-half), f(0.0), f(half));
                let parabola = |t: f64| {
                    let s = t / half;
                    f_1 + 0.5 * (f_2 - f_0) * s + 0.5 * (f_0 - 2.0 * f_1 + f_2) * s * s
                };
                let times = (0..=200).map(|k| half * (f64::from(k) / 100.0 - 1.0));
                times.map(|t| (f(t) - parabola(t)).abs()).fold(most, f64::max)
            });
            let allowed = stray(&rates, reach, half);
            assert!(most <= allowed && most > 0.2 * allowed, "{w} {c} {half}: {most:e} of {allowed:e}");
        }
    }

    /// A pose with a NaN or infinite coordinate proves nothing.
    #[test]
    fn nan_is_no_distance() {
        let ball = RoundedHull::new(&[Ball { center: DVec3::ZERO, radius: 1.0 }], 8, 0.0);
        let at = |translation: DVec3| PoseAt { translation, ..HERE };
        let of = |pose: PoseAt| distance([&ball, &ball], &pose, &LinkBounds::AT_REST);
        let apart = of(at(DVec3::X * 5.0));
        assert!(apart <= 3.0 && apart > 3.0 - 1e-12, "{apart}");
        for bad in [at(DVec3::NAN), at(DVec3::new(f64::INFINITY, f64::NAN, 0.0)), at(DVec3::INFINITY)] {
            assert_eq!(of(bad), f64::NEG_INFINITY);
        }
        let turned = PoseAt { rotation: DMat3::NAN, translation: DVec3::X * 5.0 };
        assert_eq!(of(turned), f64::NEG_INFINITY);
    }
}
