//! Two convex pieces over a window, to third order: from the poses at its ends and in its middle.
//!
//! # The method
//! Let `n_0` and `n_2` be unit directions at the two ends of a window of length `w`, and let
//! `n(σ) = (1 − σ) n_0 + σ n_2`, which is never longer than 1. For two points of the pieces at `r = b − a` put
//! `g = n · r`. Its third derivative is `3 n' · r'' + n · r'''`, so with `c = |n_2 − n_0|` and bounds `A` and `J` of
//! `|r''|` and `|r'''|` it differs from the parabola through its values `g_0`, `g_1`, `g_2` at both ends and in the
//! middle by at most
//!
//! ```text
//! E = (3 A c / w + J) (w / 2)³ / (9 √3)
//! ```
//!
//! On the first half of the window the parabola has the Bernstein coefficients `g_0`, `g_1 + (g_0 − g_2) / 4`, `g_1`,
//! and on the second half `g_1`, `g_1 + (g_2 − g_0) / 4`, `g_2`. Each is linear in each of the two points, so two
//! support functions give its least value over both pieces. A parabola whose coefficients are not larger than those of
//! another is nowhere above it. So the parabolas with the least coefficients, minus `E`, are below `g` for every two
//! points.
//!
//! If that bound `D` is not negative, neither is `g`, and the distance is at least `g / |n|`. Because
//! `|n|² = 1 − c² σ (1 − σ)` and `1 / √(1 − x) >= 1 + x / 2`, that is at least `g + D c² σ (1 − σ) / 2`. The second
//! term is a parabola again: its coefficients on the two halves are `0, κ, κ` and `κ, κ, 0` with `κ = D c² / 8`. They
//! are added, and the least value is taken again. Without them a direction that turns by an angle `θ` would cost
//! `θ² / 8` of the distance.
//!
//! # The gain
//! The bound of second order loses `A w² / 8` to a window, where `A` is that of the points farthest from the axis. This
//! bound loses `E`. If the closest points of a piece with the radius of curvature `ρ` move over its surface, it also
//! loses `ρ ω² w² / 64`. So windows are several times longer.
//!
//! # Guarantee
//! The coefficients are lower bounds (`ConvexPair::least_combination`, and the separations at the ends). The middle is
//! rounded: it is off by at most `u` of the size of the times, and `g` changes at a rate of at most `|r'| + c |r| / w`.
//! `n` may be longer than 1 by `4u`.

use super::leaf::{End, MotionBounds};
use super::window::{WindowBound, second_order};
use crate::convex::{ConvexPair, Term};
use crate::motion::RigidMotion;
use crate::numerics::bound::{lower_min, lower_or_zero};
use crate::numerics::portable::cube_root;
use crate::numerics::rounding::UNIT;
use crate::pair::piece::Piece;

/// `1 / (9 √3)`, rounded up, over 8.
const CUBIC: f64 = 0.064_150_03 / 8.0;

/// The shortest window: in shorter ones the rounding of the middle would matter, and the bound of second order is good
/// enough.
const SHORTEST: f64 = 1e-6;

/// The largest miss of the wanted value, in tolerances, for which a bound is still worth its cost: it gives the place
/// to divide the window.
const FAILING: f64 = 16.0;

/// The least part of a window on either side of its division.
const THINNEST: f64 = 0.1;

/// Returns the bound over a window. Returns `None` if the separations at the ends show that it is far below `wanted`,
/// so that it is not worth its cost.
pub(super) fn third_order<A, MA, B, MB>(
    pair: &ConvexPair<'_, A, MA, B, MB>,
    [from, to]: [f64; 2],
    [first, last]: &[End; 2],
    motion: &MotionBounds,
    wanted: f64,
    tolerance: f64,
) -> WindowBound
where
    A: Piece,
    MA: RigidMotion + ?Sized,
    B: Piece,
    MB: RigidMotion + ?Sized,
{
    let width = to - from;
    let bounds = &motion.bounds;
    let chord = (last.normal - first.normal).length() + 8.0 * UNIT;
    let cubic = CUBIC * width * width * (3.0 * bounds.acceleration * chord + motion.jerk * width);
    let middle_off = 4.0 * UNIT * (from.abs() + to.abs()) * (bounds.speed + chord / width * bounds.distance);
    let stray = (cubic + middle_off) * (1.0 + 32.0 * UNIT);
    let slack = lower_min(first.lower, last.lower) - wanted;
    // This is `false` for NaN.
    let may_help = width > SHORTEST && stray < slack + FAILING * tolerance;
    if !may_help {
        return WindowBound::NONE;
    }
    let poses = [from, from + 0.5 * width, to].map(|t| pair.poses_at(t));
    let halfway = (first.normal + last.normal) * 0.5;
    let term = |k: usize, weight: f64| {
        let normal = [first.normal, halfway, last.normal][k];
        Term { weight, normal, poses: poses[k] }
    };
    let middle = pair.least_combination(&[term(1, 1.0)]);
    // The middle itself is the place of the division. This is `false` for NaN, which ends below.
    if middle * (1.0 + 0.125 * chord * chord) - stray < wanted - FAILING * tolerance {
        return WindowBound::NONE;
    }
    let coefficients = [0.25, -0.25]
        .map(|weight| pair.least_combination(&[term(1, 1.0), term(0, weight), term(2, -weight)]));
    let least = |longer: f64| {
        let early = parabola([first.lower, coefficients[0] + longer, middle + longer]);
        let late = parabola([middle + longer, coefficients[1] + longer, last.lower]);
        if early.lower <= late.lower {
            (early.lower, 0.5 * early.place)
        } else {
            (late.lower, 0.5 + 0.5 * late.place)
        }
    };
    let (shorter, _) = least(0.0);
    let shorter = shorter - stray;
    if shorter.is_nan() || shorter < 0.0 {
        return WindowBound::NONE;
    }
    // Rounded down: `chord` has been rounded up by at most `12u`. The two additions above have one rounding each.
    let turned = lower_or_zero(chord - 16.0 * UNIT) * (1.0 - 8.0 * UNIT);
    let longer = 0.125 * shorter * turned * turned * (1.0 - 8.0 * UNIT);
    let (lower, place) = least(longer);
    let lower = lower - stray - 4.0 * UNIT * (middle.abs() + coefficients[0].abs() + coefficients[1].abs());
    let lower = lower * (1.0 - 8.0 * UNIT);
    WindowBound { lower, place: place_to_divide_at(place, slack / stray), is_followed: true }
}

/// Returns the least value of a parabola with these Bernstein coefficients.
fn parabola([x, y, z]: [f64; 3]) -> WindowBound {
    let dip = (x + z) - 2.0 * y;
    let dip = dip + 8.0 * UNIT * (x.abs() + z.abs() + 2.0 * y.abs());
    second_order(x, z, if dip < 0.0 { 0.0 } else { dip })
}

/// Returns the place to divide a window whose parabola is least at a given place. At an end, the part next to it must
/// be short, so that the bound loses little more than the available room. Not a bound: steers.
fn place_to_divide_at(place: f64, room: f64) -> f64 {
    if (THINNEST..=1.0 - THINNEST).contains(&place) {
        return place;
    }
    let part = (0.8 * cube_root(room)).clamp(THINNEST, 0.5);
    if place < 0.5 { part } else { 1.0 - part }
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::advancement::Approach;
    use crate::convex::Moving;
    use crate::motion::{Motion, Pose};
    use crate::shape::{Convex, Hull, Sphere};

    /// A generator of numbers from -1 to 1.
    struct Draw(u64);

    impl Draw {
        fn number(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }

        fn vector(&mut self) -> DVec3 {
            DVec3::new(self.number(), self.number(), self.number())
        }

        /// Returns a few points around a center.
        fn hull(&mut self, center: DVec3, size: f64, points: usize) -> Hull {
            let points: Vec<DVec3> = (0..points).map(|_| center + self.vector() * size).collect();
            Hull::new(&points).unwrap()
        }

        fn motion(&mut self, turn: f64, way: f64, near: DVec3) -> Motion {
            let from = DQuat::from_scaled_axis(self.vector() * 3.0);
            let to = DQuat::from_scaled_axis(self.vector().normalize() * turn) * from;
            Motion::linear(Pose::new(near, from).unwrap(), Pose::new(near + self.vector() * way, to).unwrap())
        }
    }

    /// Small bodies far from their axes, and large ones around them, that turn fast and pass each other. No bound is
    /// above a distance at an instant; without the term of the third derivative some would be. And the bound follows
    /// the distance: in most windows it is far better than the bound of second order.
    #[test]
    fn a_bound_is_below_every_instant() {
        let mut draw = Draw(5);
        let (mut bounded, mut needs_stray, mut better) = (0, 0, 0);
        for round in 0..6_000 {
            let size = [1e-3, 0.05, 0.4][round % 3];
            let arms = [draw.vector().normalize(), draw.vector().normalize() * [0.0, 1.0][round % 2]];
            let turns = [[2.5, 0.0], [1.0, 1.5], [0.3, 0.6]][round / 2 % 3];
            let hulls = arms.map(|arm| draw.hull(arm, size, 8));
            let mut motions = turns.map(|turn| draw.motion(turn, 0.2, DVec3::ZERO));
            // The second piece is placed beside the first in the middle of the time.
            let middle = motions[0].pose_at(0.5).apply(arms[0]) - motions[1].pose_at(0.5).apply(arms[1]);
            let beside = draw.vector().normalize() * (3.5 * size + [0.02, 0.3][round / 6 % 2]);
            let Motion::Linear(_) = &motions[1] else { panic!("it is linear") };
            let placed = |t: f64| {
                let pose = motions[1].pose_at(t);
                let rotation = DQuat::from_mat3(&pose.rotation);
                Pose::new(pose.translation + middle + beside, rotation).unwrap()
            };
            let moved = Motion::linear(placed(0.0), placed(1.0));
            motions[1] = moved;
            let mut pair = ConvexPair::new(
                Moving { shape: &hulls[0] as &dyn Convex, motion: &motions[0] },
                Moving { shape: &hulls[1] as &dyn Convex, motion: &motions[1] },
                f64::INFINITY,
                1e-9,
            );
            let width = [1.0, 0.5, 0.2, 0.05][round % 4];
            let from = (0.5 + 0.5 * width * draw.number()) * (1.0 - width);
            let window = [from, from + width];
            let ends = window.map(|t| End::from(pair.separation(t)));
            let motion = MotionBounds::new(&pair, window);
            let found = third_order(&pair, window, &ends, &motion, f64::NEG_INFINITY, 1e-9);
            if found.lower < 0.0 {
                continue;
            }
            bounded += 1;
            let instants = (0..=200).map(|k| pair.separation(from + width * f64::from(k) / 200.0).upper);
            let least = instants.fold(f64::INFINITY, f64::min);
            assert!(found.lower <= least + 1e-9, "{round}: {} but {least}", found.lower);
            // The bound without the errors of third order.
            let chord = (ends[1].normal - ends[0].normal).length();
            let stray =
                CUBIC * width * width * (3.0 * motion.bounds.acceleration * chord + motion.jerk * width);
            needs_stray += usize::from(found.lower + stray > least + 1e-6);
            let dip = 0.5 * motion.bounds.acceleration * width * width;
            let turned = angle_dip(&ends, &motion, width);
            let plain = second_order(ends[0].lower, ends[1].lower, dip + turned).lower;
            better += usize::from(least - found.lower < 0.25 * (least - plain));
        }
        assert!(bounded > 2_000, "{bounded}");
        assert!(needs_stray > 30, "{needs_stray} of {bounded}");
        assert!(better > bounded / 2, "{better} of {bounded}");
    }

    fn angle_dip(ends: &[End; 2], motion: &MotionBounds, width: f64) -> f64 {
        ends[0].normal.angle_between(ends[1].normal) * motion.bounds.speed * width
    }

    /// Two points that pass each other at the distance 1: the direction between them turns by an angle, and the bound
    /// loses only its fourth power.
    #[test]
    fn a_direction_that_turns_costs_next_to_nothing() {
        let point = Hull::new(&[DVec3::ZERO]).unwrap();
        let still = Motion::fixed(Pose::IDENTITY);
        let at = |x: f64| Pose::from_translation(DVec3::new(x, 1.0, 0.0)).unwrap();
        let passing = Motion::linear(at(-0.2), at(0.2));
        let mut pair = ConvexPair::new(
            Moving { shape: &point as &dyn Convex, motion: &still },
            Moving { shape: &point as &dyn Convex, motion: &passing },
            f64::INFINITY,
            1e-9,
        );
        let ends = [0.0, 1.0].map(|t| End::from(pair.separation(t)));
        let motion = MotionBounds::new(&pair, [0.0, 1.0]);
        let found = third_order(&pair, [0.0, 1.0], &ends, &motion, 0.9, 1e-9);
        let angle: f64 = 0.2_f64.atan();
        assert!(found.lower <= 1.0 && found.lower > 1.0 - 0.5 * angle.powi(4), "{found:?}");
        assert!((found.place - 0.5).abs() < 1e-6, "{found:?}");
    }

    /// A ball has a margin, which the rule does not cover, so the rule proves nothing.
    #[test]
    fn a_margin_proves_nothing() {
        let ball = Sphere::new(0.1).unwrap();
        let still = Motion::fixed(Pose::IDENTITY);
        let beside = Motion::fixed(Pose::from_translation(DVec3::X).unwrap());
        let mut pair = ConvexPair::new(
            Moving { shape: &ball as &dyn Convex, motion: &still },
            Moving { shape: &ball as &dyn Convex, motion: &beside },
            f64::INFINITY,
            1e-9,
        );
        let ends = [0.0, 1.0].map(|t| End::from(pair.separation(t)));
        let motion = MotionBounds::new(&pair, [0.0, 1.0]);
        assert_eq!(motion.jerk, f64::INFINITY);
        let found = third_order(&pair, [0.0, 1.0], &ends, &motion, 0.0, 1e-9);
        assert_eq!(found, WindowBound::NONE);
    }
}
