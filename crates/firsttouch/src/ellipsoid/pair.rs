//! The first touch of two moving ellipsoids: algebra as far as it proves, advancement beyond.
//!
//! 1. Both motions rational (or at rest) and nothing to keep apart by: the CCD equation and Bézier shoots. Free is proven
//!    without any tolerance.
//! 2. Where the shoots stop, the gap is bounded from above by two points, one on each ellipsoid, on the line from each centre to
//!    the contact point of `characteristic`. Within the tolerance it is a touch; the time before it is proven free. A pass that
//!    cannot be told from a contact ends here too.
//! 3. Otherwise (axes so different that f64 proves nothing, a long grazing pass, another kind of motion, a minimum separation)
//!    conservative advancement goes on from the time reached.
//!
//! Guarantee: that of every engine; see the crate's contract.

use std::cmp::Ordering;

use glam::DVec3;

use super::characteristic::{Factors, Terms};
use super::equation::Equation;
use super::intervals::Overlap;
use super::shoot::FirstContact;
use super::stationary::{ContactPoint, contact_at, spectral};
use super::track::Track;
use crate::advancement::{Limits, PieceTouch, Separation, Verdict, advance};
use crate::convex::{ConvexPair, Moving};
use crate::motion::{Motion, PoseAt, RigidMotion};
use crate::numerics::rounding::UNIT;
use crate::shape::{Convex, Ellipsoid};

/// One side.
pub type MovingEllipsoid<'a> = Moving<'a, &'a Ellipsoid, Motion>;

/// The first touch of two moving ellipsoids within the limits.
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
    // The rounding of the equation depends on which comes first; the answer must not.
    if !in_order(&a, &b) {
        return in_given_order(b, a, limits, iterations).map(PieceTouch::swapped);
    }
    in_given_order(a, b, limits, iterations)
}

/// All times at which two moving ellipsoids touch or overlap; everything between the intervals is proven separate. `None` if a
/// motion is not rational.
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

/// The point and the normal of the contact at a time of contact, for example an end of an [`Overlap`]; in plain f64. See
/// [`ContactPoint`] for other times. `None` where the centres coincide.
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
    let poses = [a.motion.pose_at(t), b.motion.pose_at(t)];
    let d = poses[1].translation - poses[0].translation;
    let (fa, fb) = (factors(a.shape, &poses[0]), factors(b.shape, &poses[1]));
    let u = Terms::new(&fa, &fb, &d.to_array()).best_u(0.5);
    contact_at(u, poses[0].translation, &fa.s, &fb.s, d)
}

/// `S`, its adjugate and its determinant in a pose, in plain f64.
pub(super) fn factors(shape: &Ellipsoid, pose: &PoseAt) -> Factors<f64> {
    let squares = shape.semi_axes() * shape.semi_axes();
    let pairs = DVec3::new(squares.y * squares.z, squares.x * squares.z, squares.x * squares.y);
    let rotation = &pose.rotation;
    Factors { s: spectral(rotation, squares), adj: spectral(rotation, pairs), det: squares.x * pairs.x }
}

fn in_given_order(
    a: MovingEllipsoid<'_>,
    b: MovingEllipsoid<'_>,
    limits: &Limits,
    iterations: &mut u64,
) -> Verdict<PieceTouch> {
    let mut limits = *limits;
    if limits.min_separation == 0.0
        && limits.t_start == 0.0
        && let (Some(track_a), Some(track_b)) = (Track::new(a.shape, a.motion), Track::new(b.shape, b.motion))
    {
        *iterations += 1;
        match Equation::new(&track_a, &track_b).first_contact(limits.t_end) {
            FirstContact::None => return Verdict::Free,
            FirstContact::At { t, u, .. } => {
                let separation = separation_at(a, b, t, u);
                if separation.upper <= limits.tolerance {
                    return Verdict::Touch(PieceTouch { t, separation });
                }
                limits.t_start = t;
            }
        }
    }
    advance(&mut ConvexPair::new(a, b, limits.min_separation, limits.tolerance), &limits, iterations)
}

/// The distance at `t`, bounded from above by two points near the contact point for `u`.
pub(super) fn separation_at(a: MovingEllipsoid<'_>, b: MovingEllipsoid<'_>, t: f64, u: f64) -> Separation {
    let poses = [a.motion.pose_at(t), b.motion.pose_at(t)];
    let d = poses[1].translation - poses[0].translation;
    let s = |side: &MovingEllipsoid<'_>, pose: &PoseAt| {
        let axes = side.shape.semi_axes();
        spectral(&pose.rotation, axes * axes)
    };
    let contact = contact_at(u, poses[0].translation, &s(&a, &poses[0]), &s(&b, &poses[1]), d);
    let (point, normal) = match contact {
        Some(contact) if contact.point.is_finite() => (contact.point, contact.normal),
        // No direction: the centres coincide, and are common points.
        _ => (poses[0].translation, DVec3::X),
    };
    let points = [on_or_in(&a, &poses[0], point), on_or_in(&b, &poses[1], point)];
    // As in `convex_convex`: the errors of the poses, and 64 units of everything else.
    let error_of = |side: &MovingEllipsoid<'_>, pose: &PoseAt| {
        let (error, reach) = (side.motion.pose_error(), side.shape.reach());
        (error.rotation + 64.0 * UNIT) * reach
            + error.translation
            + 128.0 * UNIT * pose.translation.abs().max_element()
    };
    let error = (error_of(&a, &poses[0]) + error_of(&b, &poses[1])) * (1.0 + 8.0 * UNIT);
    let extent =
        |side: &MovingEllipsoid<'_>, pose: &PoseAt, n: DVec3| side.shape.extent(pose.direction_to_body(n));
    let lower = normal.dot(d) - extent(&a, &poses[0], normal) - extent(&b, &poses[1], -normal) - error;
    let distance = (points[1] - points[0]).length();
    // Inside both, the two points are one, and no error of theirs keeps the solids apart.
    let upper = if points[0] == points[1] { 0.0 } else { distance + error };
    Separation { lower, upper, normal, points }
}

/// The point itself where it is in the ellipsoid; else where the line from the centre to it leaves the ellipsoid.
fn on_or_in(side: &MovingEllipsoid<'_>, pose: &PoseAt, point: DVec3) -> DVec3 {
    let axes = side.shape.semi_axes();
    let scaled = pose.to_body(point) / axes;
    let length = scaled.length();
    if length <= 1.0 { point } else { pose.apply(axes * (scaled / length)) }
}

/// Which of two goes first, by what they are and not by how they are given.
fn in_order(a: &MovingEllipsoid<'_>, b: &MovingEllipsoid<'_>) -> bool {
    let compare =
        |x: DVec3, y: DVec3| x.x.total_cmp(&y.x).then(x.y.total_cmp(&y.y)).then(x.z.total_cmp(&y.z));
    let place = |t: f64| {
        let (p, q) = (a.motion.pose_at(t), b.motion.pose_at(t));
        compare(p.translation, q.translation)
            .then_with(|| compare(p.rotation.x_axis, q.rotation.x_axis))
            .then_with(|| compare(p.rotation.y_axis, q.rotation.y_axis))
    };
    compare(a.shape.semi_axes(), b.shape.semi_axes()).then_with(|| place(0.0)).then_with(|| place(1.0))
        != Ordering::Greater
}
