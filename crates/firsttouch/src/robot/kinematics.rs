//! A robot between two configurations: the pose and velocity of every link at any time, and bounds of both.
//!
//! Every joint moves at a constant rate in its own coordinate, so the transform of joint `i` in its parent's frame is
//! `p(t) = o + e + f t` and `R(t) = O Rot(axis, α + ω t) E`, with `O` and `o` the joint's origin.
//! 1. *Position.* Rodrigues' formula makes `R(t) = M_0 + cos(α + ω t) M_1 + sin(α + ω t) M_2` with constant matrices;
//!    the transforms are multiplied from the root outwards. The poses of an instant are cached, because many pairs of
//!    links need the same instant.
//! 2. *Velocity*, along the way: `Ω_i = Ω_p + R_p O axis ω`, `v_i = v_p + Ω_p × (x_i − x_p) + R_p f`.
//! 3. *Bounds.* With `W` a bound of `|Ω|`, `S` of `|v|`, `D` of `|Ω'|`, `A` of `|v'|`, and `ℓ` of the length of `p(t)`
//!    (a norm of a linear function: the larger of its end values), for a link whose parent has `W_p`, `S_p`, `D_p`,
//!    `A_p`:
//!    - the axis turns with the parent, so `|Ω'| <= D_p + W_p |ω|` and `W = W_p + |ω|`;
//!    - the `k`-th derivative of the rotation matrix is at most `W^k` in norm: for one joint it is `|ω|^k`, and for a
//!      product, by Leibniz' rule, at most `Σ (k over m) W_p^m |ω|^(k−m) = (W_p + |ω|)^k`;
//!    - the link's origin is at `x_p + R_p p`, whose first derivative is at most `S_p + W_p ℓ + |f|`, whose second
//!      `A_p + W_p² ℓ + 2 W_p |f|` (`p` is linear, with `|p'| = |f|`), and whose third `J_p + W_p³ ℓ + 3 W_p² |f|`.
//!
//!    A point of link `i` at distance `r` from its origin moves at most at `S_i + W_i r`, accelerates at most by
//!    `A_i + W_i² r`, and that changes at most by `J_i + W_i³ r`.
//!
//! Two links of one robot may be observed from their last common ancestor, or from one another. Then all quantities
//! above are taken in the frame of the observing link, and the motion of the other links cancels. On the way from a
//! link inwards the joints come in the opposite order. The observed frame turns first, with `W = W_p + |ω|`, and the
//! way to its parent's origin is added after that.
//!
//! # Error
//! The matrix of a joint has the error `ERROR` and the error of its angle; its position has the error of its slide.
//! Both may be large compared with the result: the multiple and the offset of a mimic joint can cancel, and so can a
//! slide and an origin, or a slide at both ends. So the errors are carried along as lengths and angles, not relative to
//! the result. The error of a rate is twice the error of the ends. Along a chain, with the errors `e_R`, `e_p`, `e_Ω`,
//! `e_v` of the parent's computed rotation, position and velocities, and `δ` and `σ` for the joint's own angle and
//! slide:
//! - the rotations' errors add up; the position is off by `e_p + e_R ℓ + σ` and the rounding of a sum as large as the
//!   distance from the world's origin;
//! - `Ω` by `e_Ω + e_R |ω| + 2δ`, and `v` by `e_v + e_Ω ℓ + W_p (e_R ℓ + σ) + e_R |f| + 2σ`, each with a few roundings
//!   of its terms.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 3.2 and 6. Eq. 10 bounds the speed; the bound of the acceleration,
//! which makes the second-order rule of advancement possible, is not in the paper.

use std::cell::RefCell;
use std::ops::Index;
use std::sync::Arc;

use smallvec::SmallVec;

use super::drive::Drive;
use super::instants::Cache;
use super::joint::{JointKind, LinkJoint};
use super::joint_motion::{Bounds, JointMotion, Rates, RelativeRates};
use super::link_motion::LinkMotion;
use super::model::Robot;
use super::trajectory::SegmentCourse;
use crate::error::{Error, Result, bounded};
use crate::motion::{JointPiece, Pose, PoseAt, PoseError, Velocity};
use crate::numerics::rounding::UNIT;
use crate::numerics::{Enclosure, EnclosureTransform, Window};

/// The factor that rounds bounds up: no expression has more than two dozen roundings.
pub(super) const UP: f64 = 1.0 + 32.0 * UNIT;

/// All frames, the motion of each in its parent's frame, and the bounds of that motion: the data of a step that do not
/// depend on the query. The links' frames come first, then one frame for each part that is not in its link's own frame.
///
/// Every number of a frame depends only on the chain from the root to it. So the bits of an answer do not depend on the
/// order of links or of attached bodies.
#[derive(Debug, PartialEq)]
pub(crate) struct Kinematics {
    pub(super) frames: Frames,
    /// The frames of the parts, link by link.
    part_frames: Arc<[usize]>,
    /// The index in `part_frames` of each link's first part.
    first_part: Arc<[usize]>,
    /// The bounds of the links' frames. Those of the parts' frames are computed on use, because few of them are needed.
    bounds: Vec<Bounds>,
    /// The bounds of the links' own motions.
    rates: Vec<Rates>,
    /// The polynomials that drive each frame, up to the last link that has some; empty at constant rates.
    pub(super) drives: Vec<Option<Drive>>,
}

/// The data that all motions of a robot share, for all configurations: the frames, and the matrices of every joint.
/// Computing them costs more than the remaining work of a motion.
#[derive(Debug, Clone)]
pub(crate) struct Prepared {
    /// The frames at zero. Those of fixed joints and of parts are complete.
    frames: Arc<[Frame]>,
    /// The index of each frame among those that differ between motions; [`SHARED`] for the others.
    slots: Arc<[u32]>,
    /// The frames that differ between motions, in order.
    own: Arc<[Frame]>,
    part_frames: Arc<[usize]>,
    first_part: Arc<[usize]>,
}

/// A robot's motion from one configuration to another: every joint moves at a constant rate, or by polynomials.
///
/// It caches the poses of the instants queried last, which follow from the motion and the instant. So it belongs to one
/// thread. Creating another one from the same step is cheap.
#[derive(Debug)]
pub struct RobotMotion<'a> {
    robot: &'a Robot,
    pub(super) kinematics: Arc<Kinematics>,
    cache: RefCell<Cache>,
}

/// A frame and its motion in its parent's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame {
    /// The parent's index; a root's parent is the base, at rest.
    pub(crate) parent: Option<usize>,
    pub(crate) moves: JointMotion,
}

/// The frames of a motion. All motions of a robot share the frames of fixed joints and of parts: copying them would
/// cost as much as all other work for a motion.
#[derive(Debug, PartialEq)]
pub(super) struct Frames {
    shared: Arc<[Frame]>,
    slots: Arc<[u32]>,
    own: Vec<Frame>,
}

/// The slot of a shared frame.
const SHARED: u32 = u32::MAX;

impl Index<usize> for Frames {
    type Output = Frame;

    #[inline]
    fn index(&self, frame: usize) -> &Frame {
        match self.slots[frame] {
            SHARED => &self.shared[frame],
            slot => &self.own[slot as usize],
        }
    }
}

/// Bounds of a link's motion as seen from another frame: `W`, `J` and `C` of the headers here and in `drive`, and the
/// errors of its computed poses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LinkBounds {
    pub(crate) turning: f64,
    pub(crate) jerk: f64,
    pub(crate) twist: f64,
    pub(crate) error: PoseError,
}

impl LinkBounds {
    pub(crate) const AT_REST: LinkBounds = LinkBounds {
        turning: 0.0,
        jerk: 0.0,
        twist: 0.0,
        error: PoseError { rotation: 0.0, translation: 0.0 },
    };
}

impl Prepared {
    pub(crate) fn new(robot: &Robot) -> Prepared {
        let mut frames = Vec::with_capacity(robot.links().len() + robot.placed_parts());
        for link in robot.links() {
            frames.push(match link.joint() {
                // The base's pose is set for each motion.
                None => Frame { parent: None, moves: JointMotion::still(Pose::IDENTITY) },
                Some(joint) => Frame { parent: Some(joint.parent), moves: JointMotion::at_zero(joint) },
            });
        }
        let mut first_part = Vec::with_capacity(robot.links().len());
        let mut part_frames = Vec::new();
        for (i, link) in robot.links().iter().enumerate() {
            first_part.push(part_frames.len());
            for part in link.parts() {
                if part.pose == Pose::IDENTITY {
                    part_frames.push(i);
                } else {
                    frames.push(Frame { parent: Some(i), moves: JointMotion::still(part.pose) });
                    part_frames.push(frames.len() - 1);
                }
            }
        }
        let mut own = 0;
        let mut slot_of = |i: usize| {
            let is_fixed = |joint: &LinkJoint| joint.kind == JointKind::Fixed;
            let is_shared = robot.links().get(i).is_none_or(|link| link.joint().is_some_and(is_fixed));
            if is_shared {
                return SHARED;
            }
            own += 1;
            own - 1
        };
        let slots: Arc<[u32]> = (0..frames.len()).map(&mut slot_of).collect();
        let is_own = |(_, slot): &(&Frame, &u32)| **slot != SHARED;
        let own = frames.iter().zip(slots.iter()).filter(is_own).map(|(frame, _)| *frame).collect();
        Prepared {
            frames: frames.into(),
            slots,
            own,
            part_frames: part_frames.into(),
            first_part: first_part.into(),
        }
    }

    /// Returns the motion of the robot that these data were prepared from. Its base is at rest at `base`.
    fn motion(&self, robot: &Robot, base: Pose, from: &[f64], to: &[f64]) -> Result<Kinematics> {
        for (which, configuration) in [("from", from), ("to", to)] {
            if configuration.len() != robot.variables().len() {
                return Err(Error::OutOfRange {
                    what: format!("number of joint values in the \"{which}\" configuration"),
                    expected: "one per variable of the robot",
                    value: configuration.len() as f64,
                });
            }
            for (variable, &value) in robot.variables().iter().zip(configuration) {
                bounded(|| format!("joint \"{}\" in the \"{which}\" configuration", variable.name), value)?;
            }
        }
        let is_own = |(i, _): &(usize, _)| self.slots[*i] != SHARED;
        let links = robot.links().iter().enumerate().filter(is_own);
        let mut own = self.own.to_vec();
        for (frame, (_, link)) in own.iter_mut().zip(links) {
            match link.joint() {
                None => frame.moves = JointMotion::still(base),
                Some(joint) => frame.moves.set_in_motion(joint, from, to)?,
            }
        }
        Ok(self.kinematics(own, Vec::new()))
    }

    /// Returns the motion of the robot whose variables are polynomials of time, one for each.
    pub(super) fn driven(&self, robot: &Robot, base: Pose, pieces: &[JointPiece]) -> Result<Kinematics> {
        if pieces.len() != robot.variables().len() {
            return Err(Error::OutOfRange {
                what: "number of joints of a trajectory".into(),
                expected: "one per variable of the robot",
                value: pieces.len() as f64,
            });
        }
        let mut own = Vec::with_capacity(robot.links().len());
        let mut drives = Vec::with_capacity(robot.links().len());
        for (i, link) in robot.links().iter().enumerate() {
            // A fixed joint has no drive.
            if self.slots[i] == SHARED {
                drives.push(None);
                continue;
            }
            let (moves, drive) = match link.joint() {
                None => (JointMotion::still(base), None),
                Some(joint) => Drive::of(joint, pieces)?,
            };
            own.push(Frame { moves, ..self.frames[i] });
            drives.push(drive);
        }
        Ok(self.kinematics(own, drives))
    }

    fn kinematics(&self, own: Vec<Frame>, drives: Vec<Option<Drive>>) -> Kinematics {
        let frames = Frames { shared: Arc::clone(&self.frames), slots: Arc::clone(&self.slots), own };
        let (rates, bounds) = bounds_of(&frames, self.first_part.len(), &drives);
        let (part_frames, first_part) = (Arc::clone(&self.part_frames), Arc::clone(&self.first_part));
        Kinematics { frames, part_frames, first_part, bounds, rates, drives }
    }
}

impl Kinematics {
    /// Computes the motion of a robot whose base is at rest at `base`.
    pub(crate) fn new(robot: &Robot, base: Pose, from: &[f64], to: &[f64]) -> Result<Kinematics> {
        Prepared::new(robot).motion(robot, base, from, to)
    }

    /// Returns the number of frames whose poses are cached: those of the links. The other frames hang on these.
    #[inline]
    pub(super) fn kept(&self) -> usize {
        self.bounds.len()
    }

    /// Returns the last link that moves in its parent's frame. The sieve needs no other link after it.
    #[inline]
    pub(super) fn last_moving(&self) -> usize {
        let links = &self.frames.slots[..self.kept()];
        links.iter().rposition(|&slot| slot != SHARED).unwrap_or(0)
    }

    /// Returns the link that the frame of a part hangs on; `None` for the frame of a link.
    #[inline]
    pub(super) fn link_of_part(&self, frame: usize) -> Option<usize> {
        if frame < self.kept() { None } else { self.frames[frame].parent }
    }

    /// Returns the bounds of a frame.
    #[inline]
    pub(super) fn bounds(&self, frame: usize) -> Bounds {
        match self.bounds.get(frame) {
            Some(bounds) => *bounds,
            None => {
                let parent = self.frames[frame].parent.map(|parent| &self.bounds[parent]);
                self.rates(frame).bounds(parent.unwrap_or(&Bounds::default()))
            }
        }
    }

    /// Returns upper bounds of the own motion of a frame.
    #[inline]
    fn rates(&self, frame: usize) -> Rates {
        match self.rates.get(frame) {
            Some(rates) => *rates,
            None => rates_of(&self.frames[frame].moves, drive_of(&self.drives, frame)),
        }
    }

    /// Returns an enclosure of a frame in its parent's.
    pub(super) fn enclosure<E: Enclosure>(&self, frame: usize, window: Window) -> EnclosureTransform<E> {
        let moves = &self.frames[frame].moves;
        match drive_of(&self.drives, frame) {
            None => moves.enclosure(window),
            Some(drive) => drive.enclosure(moves, window),
        }
    }
}

/// Returns the drive of a frame, if it does not move at a constant rate.
#[inline]
pub(super) fn drive_of(drives: &[Option<Drive>], frame: usize) -> Option<&Drive> {
    drives.get(frame).and_then(Option::as_ref)
}

#[inline]
fn rates_of(moves: &JointMotion, drive: Option<&Drive>) -> Rates {
    match drive {
        None => moves.rates_bounds(),
        Some(drive) => drive.rates(moves),
    }
}

impl<'a> RobotMotion<'a> {
    /// Creates the motion of a robot whose base is at rest at `base`.
    pub fn new(robot: &'a Robot, base: Pose, from: &[f64], to: &[f64]) -> Result<RobotMotion<'a>> {
        Ok(RobotMotion::of(robot, Arc::new(Kinematics::new(robot, base, from, to)?)))
    }

    /// Creates the motion from the data prepared for this robot.
    pub(crate) fn prepared(
        robot: &'a Robot,
        prepared: &Prepared,
        base: Pose,
        from: &[f64],
        to: &[f64],
    ) -> Result<RobotMotion<'a>> {
        Ok(RobotMotion::of(robot, Arc::new(prepared.motion(robot, base, from, to)?)))
    }

    /// Creates the motion of a segment of a trajectory from the data prepared for this robot.
    pub(crate) fn along(
        robot: &'a Robot,
        prepared: &Prepared,
        base: Pose,
        course: &SegmentCourse<'_>,
    ) -> Result<RobotMotion<'a>> {
        match course {
            SegmentCourse::Linear(from, to) => RobotMotion::prepared(robot, prepared, base, from, to),
            SegmentCourse::Smooth(pieces) => {
                Ok(RobotMotion::of(robot, Arc::new(prepared.driven(robot, base, pieces)?)))
            }
        }
    }

    /// Creates the motion from kinematics computed earlier for this robot.
    pub(crate) fn of(robot: &'a Robot, kinematics: Arc<Kinematics>) -> RobotMotion<'a> {
        RobotMotion { robot, kinematics, cache: RefCell::default() }
    }

    /// Creates the motion of frames that are not one per link, for example rigid groups of links. Every parent comes
    /// before its children.
    pub(crate) fn of_frames(robot: &'a Robot, frames: Vec<Frame>) -> RobotMotion<'a> {
        let slots = (0..frames.len() as u32).collect();
        let count = frames.len();
        let frames = Frames { shared: Arc::default(), slots, own: frames };
        let ((rates, bounds), drives) = (bounds_of(&frames, count, &[]), Vec::new());
        let none: Arc<[usize]> = Arc::default();
        let kinematics =
            Kinematics { frames, part_frames: Arc::clone(&none), first_part: none, bounds, rates, drives };
        RobotMotion::of(robot, Arc::new(kinematics))
    }

    /// Returns the motion of a frame in the frame of one of its ancestors, or in the world if `base` is `None`.
    #[doc(hidden)]
    pub fn frame_in(&self, frame: usize, base: Option<usize>) -> LinkMotion<'_> {
        let bounds = match base {
            None => self.kinematics.bounds(frame),
            Some(base) => self.bounds_relative(frame, base),
        };
        LinkMotion { robot: self, frame, bounds, base }
    }

    /// Returns the robot.
    pub fn robot(&self) -> &'a Robot {
        self.robot
    }

    /// Returns the frame of a link at `t`.
    pub fn link_pose(&self, link: usize, t: f64) -> PoseAt {
        self.pose(t, link)
    }

    /// Returns the motion of a part of a link in the world.
    pub fn part(&self, link: usize, part: usize) -> LinkMotion<'_> {
        self.frame_in(self.part_frame(link, part), None)
    }

    /// Returns the motions of two parts relative to the last common ancestor of their links.
    pub fn relative(&self, a: (usize, usize), b: (usize, usize)) -> [LinkMotion<'_>; 2] {
        let base = self.robot.common_ancestor(a.0, b.0);
        [a, b].map(|(link, part)| self.frame_in(self.part_frame(link, part), Some(base)))
    }

    /// Returns the bounds of a frame's motion in the frame of one of its ancestors.
    fn bounds_relative(&self, frame: usize, base: usize) -> Bounds {
        let way = self.way(frame, Some(base));
        way.into_iter().fold(Bounds::default(), |parent, i| self.kinematics.rates(i).bounds(&parent))
    }

    /// Returns the frames on the way from `base` (exclusive; from the root if `None`) to `frame`.
    pub(super) fn way(&self, frame: usize, base: Option<usize>) -> SmallVec<[usize; 16]> {
        let up = std::iter::successors(Some(frame), |&i| self.kinematics.frames[i].parent);
        let mut way: SmallVec<[usize; 16]> = up.take_while(|&i| Some(i) != base).collect();
        way.reverse();
        way
    }

    /// Returns a frame at an instant.
    #[inline]
    pub(super) fn pose(&self, t: f64, frame: usize) -> PoseAt {
        self.cache.borrow_mut().pose(t, frame, &self.kinematics)
    }

    /// Writes the poses of a link at three instants.
    #[inline]
    pub(crate) fn place(&self, t: &[f64; 3], link: usize, poses: &mut [PoseAt; 3]) {
        self.cache.borrow_mut().poses(t, link, &self.kinematics, poses);
    }

    /// Returns a link at three instants.
    pub(crate) fn poses(&self, t: &[f64; 3], link: usize) -> [PoseAt; 3] {
        let nowhere = PoseAt { rotation: glam::DMat3::IDENTITY, translation: glam::DVec3::ZERO };
        let mut poses = [nowhere; 3];
        self.place(t, link, &mut poses);
        poses
    }

    /// Returns the angles at two times of the turning joint that carries a link, and a bound of their errors; `None` if
    /// it does not turn at a constant rate.
    #[inline]
    pub(crate) fn turn(&self, link: usize, t: [f64; 2]) -> Option<([f64; 2], f64)> {
        let moves = &self.kinematics.frames[link].moves;
        let is_steady = drive_of(&self.kinematics.drives, link).is_none();
        is_steady.then(|| (t.map(|t| moves.angle_at(t)), moves.angle_error()))
    }

    /// Returns the velocity of a frame at an instant.
    #[inline]
    pub(super) fn velocity(&self, t: f64, frame: usize) -> Velocity {
        self.cache.borrow_mut().velocity(t, frame, &self.kinematics)
    }

    /// Returns the bounds of a link's motion as seen from another link, or from the world.
    pub(crate) fn link_bounds(&self, link: usize, from: Option<usize>) -> LinkBounds {
        let Some(from) = from else {
            let Bounds { turning, jerk, twist, rotation_error, translation_error, .. } =
                self.kinematics.bounds(link);
            let error = PoseError { rotation: rotation_error, translation: translation_error };
            return LinkBounds { turning, jerk, twist, error };
        };
        self.bounds_between(link, from, Some(self.robot.common_ancestor(link, from)))
    }

    /// Returns the bounds of a frame's motion as seen from another frame. Both hang on the frame `base`, or on the
    /// world.
    pub(crate) fn bounds_between(&self, frame: usize, from: usize, base: Option<usize>) -> LinkBounds {
        let mut seen = RelativeRates::default();
        let up = std::iter::successors(Some(from), |&i| self.kinematics.frames[i].parent);
        for inner in up.take_while(|&i| Some(i) != base) {
            seen.inwards(&self.kinematics.rates(inner));
        }
        for inner in self.way(frame, base) {
            seen.outwards(&self.kinematics.rates(inner));
        }
        let RelativeRates { turning, jerk, twist, .. } = seen;
        let error = match base {
            Some(_) => self.error_between(frame, from),
            // Frames of different roots may be far from each other, although each is close to its own root.
            None => self.error_of_relative(frame, from, |bounds| bounds.distance),
        };
        LinkBounds { turning, jerk, twist, error }
    }

    /// Returns the last frame that two frames hang on; `None` for the world.
    pub(crate) fn common_frame(&self, a: usize, b: usize) -> Option<usize> {
        let (mut a, mut b) = (Some(a), Some(b));
        // A parent has the lower index, and the world comes before all.
        while a != b {
            let later = if a > b { &mut a } else { &mut b };
            *later = later.and_then(|frame| self.kinematics.frames[frame].parent);
        }
        a
    }

    /// Returns the pose of a frame at `t` as seen from another frame, or from the world.
    pub(crate) fn pose_between(&self, frame: usize, base: Option<usize>, t: f64) -> PoseAt {
        let pose = self.pose(t, frame);
        match base {
            None => pose,
            Some(base) => {
                let base = self.pose(t, base);
                PoseAt {
                    rotation: base.rotation.transpose() * pose.rotation,
                    translation: base.to_body(pose.translation),
                }
            }
        }
    }

    /// Returns the error of a pose as seen from another frame of the same root. Both poses were computed in the world,
    /// with their errors there, and then combined.
    pub(super) fn error_between(&self, frame: usize, base: usize) -> PoseError {
        self.error_of_relative(frame, base, |bounds| bounds.arm)
    }

    /// Returns that error; `reach` of both frames together is at least their distance from each other.
    fn error_of_relative(&self, frame: usize, base: usize, reach: impl Fn(&Bounds) -> f64) -> PoseError {
        let [frame, base] = [frame, base].map(|i| self.kinematics.bounds(i));
        PoseError {
            rotation: frame.rotation_error + base.rotation_error + 32.0 * UNIT,
            translation: frame.translation_error
                + base.translation_error
                + (2.0 * base.rotation_error + 32.0 * UNIT) * (reach(&frame) + reach(&base)) * UP,
        }
    }

    /// Returns enclosures of all frames over a window, as Taylor models or as plain intervals.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn enclosures<E: Enclosure>(&self, window: Window) -> Vec<EnclosureTransform<E>> {
        let count = self.kinematics.frames.slots.len();
        let mut enclosures: Vec<EnclosureTransform<E>> = Vec::with_capacity(count);
        for i in 0..count {
            let local = self.kinematics.enclosure(i, window);
            let placed = match self.kinematics.frames[i].parent {
                Some(parent) => enclosures[parent].compose(&local),
                None => local,
            };
            enclosures.push(placed);
        }
        enclosures
    }

    /// Returns the index of the frame of a part.
    pub fn part_frame(&self, link: usize, part: usize) -> usize {
        self.kinematics.part_frames[self.kinematics.first_part[link] + part]
    }
}

/// Returns the bounds of the first `count` frames, of their own motions and of all together.
fn bounds_of(frames: &Frames, count: usize, drives: &[Option<Drive>]) -> (Vec<Rates>, Vec<Bounds>) {
    let (mut all, mut bounds): (Vec<Rates>, Vec<Bounds>) =
        (Vec::with_capacity(count), Vec::with_capacity(count));
    for i in 0..count {
        let Frame { parent, moves } = &frames[i];
        let rates = rates_of(moves, drive_of(drives, i));
        bounds.push(match parent {
            Some(parent) => rates.bounds(&bounds[*parent]),
            None => Bounds { arm: 0.0, ..rates.bounds(&Bounds::default()) },
        });
        all.push(rates);
    }
    (all, bounds)
}
