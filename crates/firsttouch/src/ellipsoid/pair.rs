//! The first touch of two moving ellipsoids: by algebra while it proves, then by advancement.
//!
//! 0. Moving balls and a separating direction, the first two tests of `group`, dismiss most pairs of a scene.
//! 1. If both motions are rational (or at rest) and the minimum separation is zero, the CCD equation and Bézier shoots
//!    decide. They prove "free" without any tolerance.
//! 2. At the time where the shoots stop, two points bound the gap from above. There is one on each ellipsoid, on the
//!    line from the centre to the contact point of `characteristic`; the bound includes their rounding. The gap is zero
//!    only if an overlap is proven. Within the tolerance it is a touch, and the time before it is proven free. A pass
//!    that cannot be distinguished from a contact also ends here.
//! 3. Otherwise conservative advancement continues from the time reached, in coordinates about the pair if it is far
//!    from the origin. This happens for axes so different that f64 proves nothing, a long grazing pass, another kind of
//!    motion, and a minimum separation.
//!
//! **Guarantee.** The same as for every engine; see the crate's contract.

use std::cmp::Ordering;

use glam::DVec3;

use super::characteristic::{Factors, Terms};
use super::equation::Equation;
use super::group::{PreparedEllipsoid, is_dismissed};
use super::intervals::Overlap;
use super::shoot::FirstContact;
use super::stationary::{ContactPoint, contact_at, spectral, unit_of};
use super::track::Track;
use crate::advancement::{Limits, PieceTouch, Separation, Verdict, advance};
use crate::convex::{ConvexPair, Moving};
use crate::motion::{Motion, PoseAt, Rational, RigidMotion};
use crate::numerics::bernstein::Bernstein;
use crate::numerics::bound::{upper_max, upper_or_zero};
use crate::numerics::rounding::UNIT;
use crate::shape::{Convex, Ellipsoid};

/// One side of the pair.
pub type MovingEllipsoid<'a> = Moving<'a, &'a Ellipsoid, Motion>;

/// Returns the first touch of two moving ellipsoids within the limits.
///
/// ```
/// use firsttouch::advancement::{Limits, PieceTouch, Verdict};
/// use firsttouch::ellipsoid::{self, MovingEllipsoid};
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Ellipsoid;
/// use glam::DVec3;
/// let egg = Ellipsoid::new(DVec3::new(2.0, 1.0, 1.0))?;
/// let at = |y: f64| Pose::from_translation(DVec3::Y * y);
/// let moving = Motion::rational(at(-9.0)?, at(11.0)?);
/// let resting = Motion::fixed(Pose::IDENTITY);
/// let (a, b) = (MovingEllipsoid { shape: &egg, motion: &moving }, MovingEllipsoid { shape: &egg, motion: &resting });
/// let found = ellipsoid::first_touch(a, b, &Limits::default(), &mut 0);
/// let Verdict::Touch(PieceTouch { t, separation }) = found else { panic!() };
/// assert!(t <= 0.35 && t > 0.35 - 1e-12); // at y = −2
/// assert!((separation.normal - DVec3::Y).length() < 1e-9);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn first_touch(
    a: MovingEllipsoid<'_>,
    b: MovingEllipsoid<'_>,
    limits: &Limits,
    iterations: &mut u64,
) -> Verdict<PieceTouch> {
    first_touch_of(&PreparedEllipsoid::new(a), &PreparedEllipsoid::new(b), limits, iterations)
}

/// Like [`first_touch`], for ellipsoids that have many partners.
pub(crate) fn first_touch_of(
    a: &PreparedEllipsoid<'_>,
    b: &PreparedEllipsoid<'_>,
    limits: &Limits,
    iterations: &mut u64,
) -> Verdict<PieceTouch> {
    // The rounding of the equation depends on the order of the sides; the answer must not.
    if !in_order(a, b) {
        return in_given_order(b, a, limits, iterations).map(PieceTouch::swapped);
    }
    in_given_order(a, b, limits, iterations)
}

/// Returns all times at which two moving ellipsoids touch or overlap; all times between the intervals are proven
/// separate. `None` if a motion is not rational.
///
/// ```
/// use firsttouch::ellipsoid::{self, MovingEllipsoid};
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Ellipsoid;
/// use glam::DVec3;
/// let ball = Ellipsoid::new(DVec3::ONE)?;
/// let at = |x: f64| Pose::from_translation(DVec3::X * x);
/// let (moving, resting) = (Motion::rational(at(-10.0)?, at(10.0)?), Motion::fixed(Pose::IDENTITY));
/// let (a, b) = (MovingEllipsoid { shape: &ball, motion: &moving }, MovingEllipsoid { shape: &ball, motion: &resting });
/// let overlaps = ellipsoid::overlap_intervals(a, b).unwrap();
/// assert_eq!(overlaps.len(), 1);
/// assert!((overlaps[0].start[0] - 0.4).abs() < 1e-9 && (overlaps[0].end[1] - 0.6).abs() < 1e-9);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn overlap_intervals(a: MovingEllipsoid<'_>, b: MovingEllipsoid<'_>) -> Option<Vec<Overlap>> {
    let (track_a, track_b) = (Track::new(a.shape, a.motion)?, Track::new(b.shape, b.motion)?);
    Some(Equation::new(&track_a, &track_b).overlap_intervals())
}

/// Returns the point and the normal of the contact at a time of contact, for example an end of an [`Overlap`]; in plain
/// f64. See [`ContactPoint`] for other times. `None` if the centres coincide.
///
/// ```
/// use firsttouch::ellipsoid::{self, MovingEllipsoid};
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Ellipsoid;
/// use glam::DVec3;
/// let ball = Ellipsoid::new(DVec3::ONE)?;
/// let at = |x: f64| Pose::from_translation(DVec3::X * x);
/// let (moving, resting) = (Motion::rational(at(-4.0)?, at(0.0)?), Motion::fixed(Pose::IDENTITY));
/// let (a, b) = (MovingEllipsoid { shape: &ball, motion: &moving }, MovingEllipsoid { shape: &ball, motion: &resting });
/// let contact = ellipsoid::contact_at_time(a, b, 0.5).unwrap();
/// assert!((contact.point + DVec3::X).length() < 1e-12 && (contact.normal - DVec3::X).length() < 1e-12);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn contact_at_time(a: MovingEllipsoid<'_>, b: MovingEllipsoid<'_>, t: f64) -> Option<ContactPoint> {
    contact_for(a, b, &[a.motion.pose_at(t), b.motion.pose_at(t)], None)
}

/// Returns the contact point for `u`, or for the best one, in plain f64. The unit of length is a power of two in which
/// products of lengths neither overflow nor underflow.
fn contact_for(
    a: MovingEllipsoid<'_>,
    b: MovingEllipsoid<'_>,
    poses: &[PoseAt; 2],
    u: Option<f64>,
) -> Option<ContactPoint> {
    let unit = unit_of(upper_max(a.shape.reach(), b.shape.reach()));
    let d = (poses[1].translation - poses[0].translation) / unit;
    let axes = [a, b].map(|side| side.shape.semi_axes() / unit);
    let u = u.unwrap_or_else(|| {
        let (fa, fb) = (factors(axes[0], &poses[0]), factors(axes[1], &poses[1]));
        Terms::new(&fa, &fb, &d.to_array()).best_u(0.5)
    });
    let s = [0, 1].map(|k| spectral(&poses[k].rotation, axes[k] * axes[k]));
    let contact = contact_at(u, DVec3::ZERO, &s[0], &s[1], d)?;
    Some(ContactPoint { point: poses[0].translation + contact.point * unit, ..contact })
}

/// Returns `S`, its adjugate and its determinant in a pose, in plain f64.
pub(super) fn factors(semi_axes: DVec3, pose: &PoseAt) -> Factors<f64> {
    let squares = semi_axes * semi_axes;
    let pairs = DVec3::new(squares.y * squares.z, squares.x * squares.z, squares.x * squares.y);
    let rotation = &pose.rotation;
    Factors { s: spectral(rotation, squares), adj: spectral(rotation, pairs), det: squares.x * pairs.x }
}

fn in_given_order(
    a: &PreparedEllipsoid<'_>,
    b: &PreparedEllipsoid<'_>,
    limits: &Limits,
    iterations: &mut u64,
) -> Verdict<PieceTouch> {
    let mut limits = *limits;
    if is_dismissed(a, b, &limits) {
        return Verdict::Free;
    }
    let tracks =
        if limits.min_separation == 0.0 && limits.t_start == 0.0 { a.track().zip(b.track()) } else { None };
    let (a, b) = (a.moving(), b.moving());
    if let Some((track_a, track_b)) = tracks {
        *iterations += 1;
        match Equation::new(track_a, track_b).first_contact(limits.t_end) {
            FirstContact::None => return Verdict::Free,
            FirstContact::At { t, u, overlap } => {
                let separation = separation_at(a, b, t, u, overlap);
                if separation.upper <= limits.tolerance {
                    return Verdict::Touch(PieceTouch { t, separation });
                }
                limits.t_start = t;
            }
        }
    }
    advance_from(a, b, &limits, iterations)
}

/// Runs advancement, in coordinates about the pair if that makes its rounding smaller. Far from the origin the rounding
/// of a position may be larger than the tolerance, while the difference of two positions is as exact as their
/// coefficients.
pub(super) fn advance_from(
    a: MovingEllipsoid<'_>,
    b: MovingEllipsoid<'_>,
    limits: &Limits,
    iterations: &mut u64,
) -> Verdict<PieceTouch> {
    let go = |a: MovingEllipsoid<'_>, b: MovingEllipsoid<'_>, iterations: &mut u64| {
        advance(&mut ConvexPair::new(a, b, limits.min_separation, limits.tolerance), limits, iterations)
    };
    // An ellipsoid at rest stays exact if it is moved to the origin.
    let middle = match (a.motion, b.motion) {
        (_, Motion::Fixed(pose)) => pose.at().translation,
        _ => a.motion.pose_at(limits.t_start).translation,
    };
    let is_far = middle.abs().max_element() > FAR * (a.shape.reach() + b.shape.reach());
    let near = |motion: &Motion| if is_far { moved_back(motion, middle) } else { None };
    let (Some(motion_a), Some(motion_b)) = (near(a.motion), near(b.motion)) else {
        return go(a, b, iterations);
    };
    let (a, b) = (Moving { motion: &motion_a, ..a }, Moving { motion: &motion_b, ..b });
    match go(a, b, iterations) {
        Verdict::Touch(PieceTouch { t, separation }) => {
            let points = separation.points.map(|point| point + middle);
            Verdict::Touch(PieceTouch { t, separation: Separation { points, ..separation } })
        }
        other => other,
    }
}

/// The distance from the origin, in units of the pair's size, beyond which the pair is moved to local coordinates. A
/// nearer pair gains too little.
const FAR: f64 = 64.0;

/// Returns the motion about another origin: `x / w − c = (x − c w) / w`, with the rounding in the errors of the
/// coefficients. `None` for motions for which that would not be exact, or might not be.
fn moved_back(motion: &Motion, origin: DVec3) -> Option<Motion> {
    match motion {
        Motion::Fixed(pose) => {
            let place = pose.at().translation;
            let translation = place - origin;
            // The difference is exact if both numbers are found again from it: a rounding error is a multiple of the
            // smaller unit in the last place of the two, and that number would come out different.
            let is_exact = translation + origin == place && place - translation == origin;
            is_exact.then_some(Motion::Fixed(pose.moved_to(translation)))
        }
        Motion::Rational(motion) => {
            let weight = motion.weight();
            let is_one = weight.coefficients() == [1.0] && weight.errors() == [0.0];
            let xyz = [0, 1, 2].map(|k| {
                let x = &motion.xyz()[k];
                // The same number of coefficients as the other: elevating a constant, or multiplying it by one, would
                // count roundings of its size, which this code must avoid.
                let constant = smallvec::SmallVec::<[f64; 4]>::from_elem(origin[k], x.coefficients().len());
                match Bernstein::from_coefficients(&constant) {
                    Ok(constant) if is_one => x.difference(&constant),
                    _ => x.difference(&weight.scaled(origin[k])),
                }
            });
            let moved = Rational::new(motion.quaternion().clone(), xyz, motion.weight().clone()).ok()?;
            Some(Motion::Rational(moved.into()))
        }
        _ => None,
    }
}

/// Returns the distance at `t`, bounded from above by two points near the contact point for `u`; zero if the two are
/// known to overlap.
pub(super) fn separation_at(
    a: MovingEllipsoid<'_>,
    b: MovingEllipsoid<'_>,
    t: f64,
    u: f64,
    is_overlapping: bool,
) -> Separation {
    let poses = [a.motion.pose_at(t), b.motion.pose_at(t)];
    let d = poses[1].translation - poses[0].translation;
    let (point, normal) = match contact_for(a, b, &poses, Some(u)) {
        Some(contact) if contact.point.is_finite() => (contact.point, contact.normal),
        // No direction: the centres coincide, and are common points.
        _ => (poses[0].translation, DVec3::X),
    };
    // As in `convex`: the errors of the poses, and 64 units of all other sizes.
    let error_of = |side: &MovingEllipsoid<'_>, pose: &PoseAt| {
        let (error, reach) = (side.motion.pose_error(), side.shape.reach());
        (error.rotation + 64.0 * UNIT) * reach
            + error.translation
            + 128.0 * UNIT * pose.translation.abs().max_element()
    };
    let errors = [error_of(&a, &poses[0]), error_of(&b, &poses[1])];
    let error = (errors[0] + errors[1]) * (1.0 + 8.0 * UNIT);
    let ((on_a, in_a), (on_b, in_b)) =
        (on_or_in(&a, &poses[0], point, errors[0]), on_or_in(&b, &poses[1], point, errors[1]));
    let points = [on_a, on_b];
    let extent =
        |side: &MovingEllipsoid<'_>, pose: &PoseAt, n: DVec3| side.shape.extent(pose.direction_to_body(n));
    let lower = normal.dot(d) - extent(&a, &poses[0], normal) - extent(&b, &poses[1], -normal) - error;
    let distance = (points[1] - points[0]).length();
    // A point that is certainly inside both is common to both. A point that only rounds to the inside of both proves
    // nothing: the solids may be apart by its error.
    let upper = if is_overlapping || (in_a && in_b) { 0.0 } else { upper_or_zero(distance + error) };
    Separation { lower, upper, normal, points }
}

/// Returns the point itself if it is in the ellipsoid, else the point where the line from the centre to it leaves the
/// ellipsoid. The second value is true if the point is certainly inside, given the error of its coordinates in the
/// body's frame.
fn on_or_in(side: &MovingEllipsoid<'_>, pose: &PoseAt, point: DVec3, error: f64) -> (DVec3, bool) {
    let axes = side.shape.semi_axes();
    let scaled = pose.to_body(point) / axes;
    let length = scaled.length();
    // The quotients and the length have five roundings.
    let is_inside = length * (1.0 + 16.0 * UNIT) + error / axes.min_element() * (1.0 + 16.0 * UNIT) < 1.0;
    (if length <= 1.0 { point } else { pose.apply(axes * (scaled / length)) }, is_inside)
}

/// Returns true if the two sides are in the order of their values, which does not depend on the given order.
fn in_order(a: &PreparedEllipsoid<'_>, b: &PreparedEllipsoid<'_>) -> bool {
    let compare =
        |x: DVec3, y: DVec3| x.x.total_cmp(&y.x).then(x.y.total_cmp(&y.y)).then(x.z.total_cmp(&y.z));
    let place = |end: usize| {
        let (p, q) = (&a.poses()[end], &b.poses()[end]);
        compare(p.translation, q.translation)
            .then_with(|| compare(p.rotation.x_axis, q.rotation.x_axis))
            .then_with(|| compare(p.rotation.y_axis, q.rotation.y_axis))
    };
    let axes = [a, b].map(|side| side.moving().shape.semi_axes());
    compare(axes[0], axes[1]).then_with(|| place(0)).then_with(|| place(1)) != Ordering::Greater
}
