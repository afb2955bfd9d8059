//! Many moving ellipsoids against many: the first touch between two groups, with most pairs dismissed in a few
//! operations.
//!
//! Each pair goes through these tests, until one proves it free:
//! 1. *Moving balls.* The centres' paths lie in the convex hulls of their control points. A direction proves the pair
//!    free if along it every control point of one path is farther from every control point of the other than both
//!    longest semi-axes together. For paths on straight lines the direction is that of the closest approach, and the
//!    test is exact.
//! 2. *A separating direction* is that of the last query of the pair, or else the common normal at the start. With the
//!    separations `s_0` and `s_1` along it at both ends of the time and `A` a bound of the acceleration of any two
//!    points relative to each other, the pair is free if `sqrt(A / 2) <= sqrt(s_0) + sqrt(s_1)`: rule 2 of
//!    `advancement` with a direction that does not turn.
//! 3. *The CCD equation*, up to the earliest touch known so far. The contribution of an ellipsoid is computed once, on
//!    first use.
//!
//! The pairs left after 1 go through the queue of `advancement`, the earliest bound on contact first.
//!
//! **Guarantee.** The guarantee of a pair.
//!
//! **Departures.** In the paper the plane moves with one ellipsoid, and an equation gives the other's distance from it.
//! A direction at rest with a bound of second order needs no equation and dismisses about as many pairs.
//!
//! Reference: Choi, Chang, Wang, Kim, Elber 2009, Sec. 4.1.

use std::sync::OnceLock;

use glam::DVec3;
use smallvec::{SmallVec, smallvec};

use super::characteristic::Terms;
use super::equation::Equation;
use super::pair::{MovingEllipsoid, advance_from, factors, separation_at};
use super::shoot::FirstContact;
use super::stationary::{ContactPoint, contact_at};
use super::track::Track;
use crate::advancement::{Limits, PieceTouch, Queue, Separation, Step, Verdict};
use crate::motion::{Motion, PoseAt, RigidMotion};
use crate::numerics::Window;
use crate::numerics::bound::{largest_upper, lower_min, smallest_lower, upper_max};
use crate::numerics::rounding::UNIT;
use crate::shape::{Convex, Ellipsoid};

/// Moving ellipsoids, prepared.
///
/// ```
/// use firsttouch::advancement::{Limits, Verdict};
/// use firsttouch::ellipsoid::{Directions, Group, GroupStats, MemberTouch};
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Ellipsoid;
/// use glam::DVec3;
/// let ball = Ellipsoid::new(DVec3::ONE)?;
/// let at = |x: f64| Pose::from_translation(DVec3::X * x);
/// let moving = Group::new([(ball, Motion::rational(at(-10.0)?, at(10.0)?))]);
/// let resting = Group::new([(ball, Motion::fixed(at(5.0)?)), (ball, Motion::fixed(at(0.0)?))]);
/// let limits = Limits::default();
/// let (mut directions, mut stats) = (Directions::default(), GroupStats::default());
/// let Verdict::Touch(MemberTouch { t, members, .. }) = moving.first_touch(&resting, &limits, &mut directions, &mut stats)
///     else { panic!() };
/// assert!(members == [0, 1] && t <= 0.4 && t > 0.4 - 1e-12);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug)]
pub struct Group {
    members: Vec<Member>,
}

/// A moving ellipsoid. Its cached values follow from its shape and its motion, and hold for all options.
#[derive(Debug)]
struct Member {
    outline: Outline,
    motion: Motion,
    track: OnceLock<Option<Track>>,
}

/// The data of a moving ellipsoid for the first two tests.
#[derive(Debug)]
struct Outline {
    shape: Ellipsoid,
    reach: f64,
    /// The poses at the start and at the end.
    poses: [PoseAt; 2],
    /// A bound of the error of an extent at one of the poses.
    error: f64,
    acceleration: f64,
    /// The control points: the path of the centre is in their convex hull, up to `path_error`.
    path: SmallVec<[DVec3; 2]>,
    path_error: f64,
    /// The largest distance of a control point from the world's origin.
    path_size: f64,
}

/// The directions along which pairs were last separate, for the next query: consecutive frames are similar. A direction
/// claims nothing: it is only tried first.
#[derive(Debug, Clone, Default)]
pub struct Directions(Vec<Option<DVec3>>);

/// The number of pairs that each test dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupStats {
    /// All pairs.
    pub pairs: u64,
    /// Pairs whose balls stay apart.
    pub balls_apart: u64,
    /// Pairs with a separating direction.
    pub directions: u64,
    /// Pairs that overlap at the start.
    pub at_start: u64,
    /// Pairs whose CCD equation was solved.
    pub equations: u64,
    /// Pairs dropped because a touch earlier than their bound was found.
    pub later: u64,
}

/// The earliest touch of two groups.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct MemberTouch {
    /// The time.
    pub t: f64,
    /// The indices of the two members.
    pub members: [usize; 2],
    /// Their distance at that time.
    pub separation: Separation,
}

impl Group {
    /// Prepares moving ellipsoids.
    pub fn new(members: impl IntoIterator<Item = (Ellipsoid, Motion)>) -> Group {
        Group { members: members.into_iter().map(|(shape, motion)| Member::new(shape, motion)).collect() }
    }

    /// Returns the first touch of a member of this group with one of the other.
    pub fn first_touch(
        &self,
        other: &Group,
        limits: &Limits,
        directions: &mut Directions,
        stats: &mut GroupStats,
    ) -> Verdict<MemberTouch> {
        let columns = other.members.len();
        directions.0.resize(self.members.len() * columns, None);
        stats.pairs += (self.members.len() * columns) as u64;
        let mut queue = Queue::default();
        for (i, a) in self.members.iter().enumerate() {
            for (j, b) in other.members.iter().enumerate() {
                let keep = dismissing_gap([&a.motion, &b.motion], limits);
                match earliest_contact(&a.outline, &b.outline, keep) {
                    Some(lower) if lower <= limits.t_end => queue.push(lower, [i, j]),
                    _ => stats.balls_apart += 1,
                }
            }
        }
        let first = queue.first(
            limits.t_end,
            |_| false,
            |[i, j], t_min| {
                let limits = Limits { t_end: t_min, ..*limits };
                let direction = &mut directions.0[i * columns + j];
                match pair(&self.members[i], &other.members[j], &limits, direction, stats) {
                    Verdict::Free => Step::Free::<[usize; 2], _>,
                    Verdict::Touch(PieceTouch { t, separation }) => {
                        Step::Event { t, what: (Some(separation), [i, j]) }
                    }
                    Verdict::Undecided { free_until } => Step::Event { t: free_until, what: (None, [i, j]) },
                }
            },
        );
        stats.later += first.dropped;
        match first.event {
            None => Verdict::Free,
            Some((t, (Some(separation), members))) => Verdict::Touch(MemberTouch { t, members, separation }),
            Some((free_until, (None, _))) => Verdict::Undecided { free_until },
        }
    }
}

/// A moving ellipsoid with the data that all its pairs share: its outline, and its contribution to equations, computed
/// on first use. A scene keeps one for each of its ellipsoids during a query, so its pairs cost no more than those of a
/// group.
#[derive(Debug)]
pub(crate) struct PreparedEllipsoid<'a> {
    moving: MovingEllipsoid<'a>,
    outline: Outline,
    track: OnceLock<Option<Track>>,
}

impl<'a> PreparedEllipsoid<'a> {
    pub(crate) fn new(moving: MovingEllipsoid<'a>) -> PreparedEllipsoid<'a> {
        let outline = Outline::new(*moving.shape, moving.motion);
        PreparedEllipsoid { moving, outline, track: OnceLock::new() }
    }

    pub(crate) fn moving(&self) -> MovingEllipsoid<'a> {
        self.moving
    }

    /// Returns the poses at time 0 and at time 1.
    pub(super) fn poses(&self) -> &[PoseAt; 2] {
        &self.outline.poses
    }

    pub(super) fn track(&self) -> Option<&Track> {
        self.track.get_or_init(|| Track::new(self.moving.shape, self.moving.motion)).as_ref()
    }
}

/// Returns true if balls or a separating direction prove a pair free: steps 1 and 2 of the header, for a single pair.
/// They cost a small part of the cost of the equation, and dismiss most pairs of a scene whose boxes overlap.
pub(super) fn is_dismissed(a: &PreparedEllipsoid<'_>, b: &PreparedEllipsoid<'_>, limits: &Limits) -> bool {
    let keep = dismissing_gap([a.moving.motion, b.moving.motion], limits);
    let (a, b) = (&a.outline, &b.outline);
    // A time that is NaN dismisses nothing.
    if earliest_contact(a, b, keep).is_none_or(|lower| lower > limits.t_end) {
        return true;
    }
    let contact = at_start(a, b).1;
    contact.is_some_and(|contact| contact.ratio > 1.0 && is_free_along(a, b, contact.normal, keep))
}

/// Returns the gap beyond which a pair is dismissed: the separation if the exact equation decides. Otherwise a pair
/// within the tolerance touches at the start ([`Options::touching`](crate::Options::touching)), and must not be
/// dismissed.
fn dismissing_gap(motions: [&Motion; 2], limits: &Limits) -> f64 {
    let is_exact = limits.min_separation == 0.0 && motions.into_iter().all(Track::is_for);
    if is_exact || limits.t_start > 0.0 { limits.min_separation } else { limits.touching() }
}

/// Returns the place of the best `u` at the start, and the contact point for it.
fn at_start(a: &Outline, b: &Outline) -> (f64, Option<ContactPoint>) {
    let d = b.poses[0].translation - a.poses[0].translation;
    let (fa, fb) = (factors(a.shape.semi_axes(), &a.poses[0]), factors(b.shape.semi_axes(), &b.poses[0]));
    let u = Terms::new(&fa, &fb, &d.to_array()).best_u(b.reach / (a.reach + b.reach));
    (u, contact_at(u, a.poses[0].translation, &fa.s, &fb.s, d))
}

impl Member {
    fn new(shape: Ellipsoid, motion: Motion) -> Member {
        Member { outline: Outline::new(shape, &motion), motion, track: OnceLock::new() }
    }

    fn moving(&self) -> MovingEllipsoid<'_> {
        MovingEllipsoid { shape: &self.outline.shape, motion: &self.motion }
    }

    fn track(&self) -> Option<&Track> {
        self.track.get_or_init(|| Track::new(&self.outline.shape, &self.motion)).as_ref()
    }
}

impl Outline {
    fn new(shape: Ellipsoid, motion: &Motion) -> Outline {
        let poses = [motion.pose_at(0.0), motion.pose_at(1.0)];
        let reach = shape.reach();
        let pose_error = motion.pose_error();
        let size = |pose: &PoseAt| pose.translation.abs().max_element();
        // As in `convex`.
        let error = (pose_error.rotation + 64.0 * UNIT) * reach
            + pose_error.translation
            + 128.0 * UNIT * upper_max(size(&poses[0]), size(&poses[1]));
        let acceleration = motion.acceleration(reach, Window::between(0.0, 1.0));
        let (path, path_error) = control_points(motion, &poses);
        let path_size = largest_upper(path.iter().map(|p| p.length_squared())).sqrt();
        Outline { shape, reach, poses, error, acceleration, path, path_error, path_size }
    }

    #[inline]
    fn extent(&self, pose: &PoseAt, n: DVec3) -> f64 {
        (self.shape.semi_axes() * pose.direction_to_body(n)).length()
    }
}

/// Returns points whose convex hull contains the path of the origin, and a bound of their error.
fn control_points(motion: &Motion, poses: &[PoseAt; 2]) -> (SmallVec<[DVec3; 2]>, f64) {
    let [start, end] = poses.map(|pose| pose.translation);
    let error = motion.pose_error().translation;
    match motion {
        Motion::Fixed(_) => (smallvec![start], error),
        Motion::Linear(_) => (smallvec![start, end], error),
        Motion::Rational(motion) => {
            let degree = motion.xyz().iter().map(|x| x.degree()).fold(motion.weight().degree(), usize::max);
            let is_plain = motion.weight().degree() == 0;
            if is_plain && degree <= 1 {
                return (smallvec![start, end], error);
            }
            let weight = motion.weight().elevated(degree);
            let x = motion.xyz().each_ref().map(|x| x.elevated(degree));
            let mut points = SmallVec::new();
            let mut off = error;
            for (k, (&w, &ew)) in weight.coefficients().iter().zip(weight.errors()).enumerate() {
                let point =
                    DVec3::new(x[0].coefficients()[k], x[1].coefficients()[k], x[2].coefficients()[k]) / w;
                let ex = x[0].errors()[k] + x[1].errors()[k] + x[2].errors()[k];
                // A weight without a certain sign, or close to zero, does not bound the point.
                let reliable = w > 2.0 * ew && point.is_finite();
                let e = if reliable { 2.0 * (ex + point.length() * ew) / w } else { f64::INFINITY };
                off = upper_max(off, e + 8.0 * UNIT * point.length());
                points.push(if reliable { point } else { DVec3::ZERO });
            }
            (points, off)
        }
        // Points around the middle, at the largest distance that the screw can reach.
        _ => {
            let bounds = motion.velocity_bounds(Window::between(0.0, 1.0));
            let speed = bounds.center.origin.length() + bounds.origin_radius;
            (smallvec![start, end], error + 0.51 * speed)
        }
    }
}

/// Returns a lower bound of the time at which the balls around the two touch; `None` if they never touch.
#[inline]
fn earliest_contact(a: &Outline, b: &Outline, min_separation: f64) -> Option<f64> {
    let distance = a.reach + b.reach + min_separation + (a.path_error + b.path_error);
    let (p0, q0) = (a.path[0], b.path[0]);
    let (p1, q1) = (a.path[a.path.len() - 1], b.path[b.path.len() - 1]);
    let (d0, d1) = (q0 - p0, q1 - p1);
    // The closest point of the chord to the origin.
    let step = d1 - d0;
    let along = -d0.dot(step);
    let closest = if along > 0.0 { d0 + step * (along / step.length_squared()).min(1.0) } else { d0 }; // not a bound: any direction will do
    let square = closest.length_squared();
    let rounding = 64.0 * UNIT * (a.path_size + b.path_size);
    let is_straight = a.path.len() <= 2 && b.path.len() <= 2;
    if square > distance * distance {
        // The pair is free if both ends of the chord, or all control points, are on the far side of a plane at this
        // distance.
        let length = square.sqrt();
        let least = if is_straight {
            lower_min(d0.dot(closest), d1.dot(closest))
        } else {
            let far = a.path.iter().map(|p| p.dot(closest)).fold(f64::NEG_INFINITY, upper_max);
            smallest_lower(b.path.iter().map(|q| q.dot(closest))) - far
        };
        if least > (distance + rounding) * length * (1.0 + 16.0 * UNIT) {
            return None;
        }
    }
    if !is_straight {
        return Some(0.0);
    }
    let gap = d0.length() - distance - rounding;
    let time = gap / step.length() * (1.0 - 16.0 * UNIT);
    Some(if time > 0.0 { time } else { 0.0 })
}

fn pair(
    a: &Member,
    b: &Member,
    limits: &Limits,
    direction: &mut Option<DVec3>,
    stats: &mut GroupStats,
) -> Verdict<PieceTouch> {
    let keep = dismissing_gap([&a.motion, &b.motion], limits);
    if let Some(n) = *direction
        && is_free_along(&a.outline, &b.outline, n, keep)
    {
        stats.directions += 1;
        return Verdict::Free;
    }
    let (u, contact) = at_start(&a.outline, &b.outline);
    if let Some(contact) = contact {
        if contact.ratio > 1.0 {
            *direction = Some(contact.normal);
            if is_free_along(&a.outline, &b.outline, contact.normal, keep) {
                stats.directions += 1;
                return Verdict::Free;
            }
        } else {
            let separation = separation_at(a.moving(), b.moving(), 0.0, u, false);
            if separation.upper <= limits.touching() {
                stats.at_start += 1;
                return Verdict::Touch(PieceTouch { t: 0.0, separation });
            }
        }
    }
    stats.equations += 1;
    let mut limits = *limits;
    if limits.min_separation == 0.0
        && let (Some(track_a), Some(track_b)) = (a.track(), b.track())
    {
        match Equation::new(track_a, track_b).first_contact(limits.t_end) {
            FirstContact::None => return Verdict::Free,
            FirstContact::At { t, u, overlap } => {
                let separation = separation_at(a.moving(), b.moving(), t, u, overlap);
                if separation.upper <= limits.tolerance {
                    return Verdict::Touch(PieceTouch { t, separation });
                }
                limits.t_start = t;
            }
        }
    }
    advance_from(a.moving(), b.moving(), &limits, &mut 0)
}

/// Returns true if the pair is free at all times along a direction that does not turn.
#[inline]
fn is_free_along(a: &Outline, b: &Outline, n: DVec3, min_separation: f64) -> bool {
    let separation = |k: usize| {
        n.dot(b.poses[k].translation - a.poses[k].translation)
            - (a.extent(&a.poses[k], n) + b.extent(&b.poses[k], n))
            - (min_separation + a.error + b.error)
    };
    let s_0 = separation(0);
    s_0 > 0.0 && {
        let s_1 = separation(1);
        let roots = s_0.sqrt() + s_1.sqrt();
        s_1 > 0.0 && 0.5 * (a.acceleration + b.acceleration) * (1.0 + 64.0 * UNIT) <= roots * roots
    }
}
