//! A robot between two configurations: the pose and velocity of every link at any time, and bounds of both.
//!
//! Every joint moves at a constant rate in its own coordinate, so the transform of joint `i` in its parent's frame is
//! `p(t) = o + e + f t` and `R(t) = O Rot(axis, α + ω t) E`, with `O` and `o` the joint's origin.
//! 1. *Position.* Rodrigues' formula makes `R(t) = M_0 + cos(α + ω t) M_1 + sin(α + ω t) M_2` with constant matrices; the transforms are
//!    multiplied from the root outwards. The poses of an instant are cached, because many pairs of links need the same instant.
//! 2. *Velocity*, along the way: `Ω_i = Ω_p + R_p O axis ω`, `v_i = v_p + Ω_p × (x_i − x_p) + R_p f`.
//! 3. *Bounds.* With `W` a bound of `|Ω|`, `S` of `|v|`, `D` of `|Ω'|`, `A` of `|v'|`, and `ℓ` of the length of `p(t)` (a norm of
//!    a linear function: the larger of its ends), for a link whose parent has `W_p`, `S_p`, `D_p`, `A_p`:
//!    - the axis turns with the parent, so `|Ω'| <= D_p + W_p |ω|` and `W = W_p + |ω|`;
//!    - the `k`-th derivative of the rotation matrix is at most `W^k` in norm: that of one joint's is `|ω|^k`, and by Leibniz'
//!      rule that of a product is at most `Σ (k over m) W_p^m |ω|^(k−m) = (W_p + |ω|)^k`;
//!    - the link's origin is at `x_p + R_p p`, whose first derivative is at most `S_p + W_p ℓ + |f|`, whose second
//!      `A_p + W_p² ℓ + 2 W_p |f|` (`p` is linear, with `|p'| = |f|`), and whose third `J_p + W_p³ ℓ + 3 W_p² |f|`.
//!
//!    A point of link `i` at distance `r` from its origin moves at most at `S_i + W_i r`, accelerates at most by
//!    `A_i + W_i² r`, and that changes at most by `J_i + W_i³ r`.
//!
//! Two links of one robot move relative to their last common ancestor, or to one another: everything above is then taken in that link's
//! frame, and the motion of the rest of the robot cancels. From a link inwards the joints come in the opposite order: the frame seen turns
//! first, with `W = W_p + |ω|`, and the way to its parent's origin is added after that.
//!
//! # Error
//! The matrix of a joint has the error `ERROR` and the error of its angle; its position has the error of its slide. Both may be large
//! compared with the result: the multiple and the offset of a mimic joint can cancel, and so can a slide and an origin, or a slide at both
//! ends. So the errors are carried along as lengths and angles, not relative to the result. The error of a rate is twice the error of the
//! ends. Along a chain, with the errors `e_R`, `e_p`, `e_Ω`, `e_v` of the parent's computed rotation, position and velocities, and `δ` and
//! `σ` for the joint's own angle and slide:
//! - the rotations' errors add up; the position is off by `e_p + e_R ℓ + σ` and the rounding of a sum as large as the distance
//!   from the world's origin;
//! - `Ω` by `e_Ω + e_R |ω| + 2δ`, and `v` by `e_v + e_Ω ℓ + W_p (e_R ℓ + σ) + e_R |f| + 2σ`, each with a few roundings of its terms.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 3.2 and 6. Eq. 10 bounds the speed; the bound of the acceleration, which
//! makes the second-order rule of advancement possible, is not in the paper.

use std::cell::RefCell;
use std::sync::Arc;

use glam::{DMat3, DVec3};
use smallvec::SmallVec;

use super::model::{JointKind, LinkJoint, Robot};
use crate::error::{Error, Result, bounded};
use crate::motion::{Pose, PoseAt, PoseError, RigidMotion, Velocity, VelocityBounds};
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::UNIT;
use crate::numerics::{
    Enclosure, EnclosureMat3, EnclosureTransform, EnclosureVec3, Interval, IntervalVec3, TaylorTransform,
    Window, sin_cos,
};

/// A bound of the error of one joint's matrix, multiplied onto its parent's, for a given angle: three constant matrices of products of
/// rotations (`3 · 32u`), sine and cosine (`16u`), their combination (`8u`) and the product (`9u`).
const ERROR: f64 = 160.0 * UNIT;

/// The error of the entries of a joint's or a pose's matrix (`36u` in norm, see `motion::turn`), and as much as the directions of a
/// normalised axis add.
const OUTER_ERROR: f64 = 64.0 * UNIT;

/// Bounds are rounded up by this factor: none of the expressions has more than two dozen roundings.
const UP: f64 = 1.0 + 32.0 * UNIT;

/// All frames, the motion of each in its parent's frame, and the bounds of that motion: everything about a step that does not depend on the
/// query. The links' frames come first, then one frame for each part that is not in its link's own frame.
///
/// Every number of a frame depends only on the chain from the root to it. So the bits of an answer depend neither on the order of links nor
/// on that of attached bodies.
#[derive(Debug, PartialEq)]
pub(crate) struct Kinematics {
    frames: Vec<Frame>,
    /// The frames of the parts, link by link.
    part_frames: Arc<[usize]>,
    /// The index in `part_frames` of each link's first part.
    first_part: Arc<[usize]>,
    bounds: Vec<Bounds>,
}

/// The data that all motions of a robot share, for all configurations: the frames, and the matrices of every joint. Computing them costs
/// more than all the rest of a motion.
#[derive(Debug, Clone)]
pub(crate) struct Prepared {
    /// The frames at zero. Those of fixed joints and of parts are complete.
    frames: Vec<Frame>,
    part_frames: Arc<[usize]>,
    first_part: Arc<[usize]>,
}

/// A robot's motion from one configuration to another, every joint at a constant rate.
///
/// It caches the poses of the instants queried last, so it belongs to one thread. Creating another one from the same step is cheap.
#[derive(Debug)]
pub struct RobotMotion<'a> {
    robot: &'a Robot,
    kinematics: Arc<Kinematics>,
    cache: RefCell<Cache>,
}

/// A frame and its motion in its parent's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame {
    /// The parent's index; a root's parent is the base, at rest.
    pub(crate) parent: Option<usize>,
    pub(crate) moves: JointMotion,
}

/// The motion of one joint; see the header for the symbols.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct JointMotion {
    /// `O axis`, in the parent's frame.
    axis: DVec3,
    angle: f64,
    rate: f64,
    constant: DMat3,
    cosine: DMat3,
    sine: DMat3,
    start: DVec3,
    slide: DVec3,
    /// Bounds of the errors of the angle and the position, at any time, before their own evaluation.
    angle_error: f64,
    slide_error: f64,
    /// The parts, for enclosures: `O`, the axis in the joint's frame, and `E`.
    outer: DMat3,
    joint_axis: DVec3,
    inner: DMat3,
}

/// The bounds of a frame's motion; see the header.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Bounds {
    /// `W`, `D`.
    turning: f64,
    turning_change: f64,
    /// `S`, `A`, `J`.
    speed: f64,
    acceleration: f64,
    jerk: f64,
    /// Upper bounds of the distance from the world's origin, and from the origin of its root.
    distance: f64,
    arm: f64,
    /// The errors of the computed pose.
    rotation_error: f64,
    translation_error: f64,
    /// The errors of the computed velocities `Ω` and `v`.
    turning_error: f64,
    speed_error: f64,
}

/// Bounds of a link's motion as seen from another frame: `W` and `J` of the header, and the errors of its computed poses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LinkBounds {
    pub(crate) turning: f64,
    pub(crate) jerk: f64,
    pub(crate) error: PoseError,
}

impl LinkBounds {
    pub(crate) const AT_REST: LinkBounds =
        LinkBounds { turning: 0.0, jerk: 0.0, error: PoseError { rotation: 0.0, translation: 0.0 } };
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
        Prepared { frames, part_frames: part_frames.into(), first_part: first_part.into() }
    }

    /// Returns the motion of the robot that this was prepared from. Its base is at rest at `base`.
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
        let mut frames = self.frames.clone();
        for (link, frame) in robot.links().iter().zip(&mut frames) {
            match link.joint() {
                None => frame.moves = JointMotion::still(base),
                Some(joint) => frame.moves.set_in_motion(joint, from, to)?,
            }
        }
        let bounds = bounds_of(&frames);
        let (part_frames, first_part) = (Arc::clone(&self.part_frames), Arc::clone(&self.first_part));
        Ok(Kinematics { frames, part_frames, first_part, bounds })
    }
}

impl Kinematics {
    /// Computes the motion of a robot whose base is at rest at `base`.
    pub(crate) fn new(robot: &Robot, base: Pose, from: &[f64], to: &[f64]) -> Result<Kinematics> {
        Prepared::new(robot).motion(robot, base, from, to)
    }
}

impl<'a> RobotMotion<'a> {
    /// Creates the motion of a robot whose base is at rest at `base`.
    pub fn new(robot: &'a Robot, base: Pose, from: &[f64], to: &[f64]) -> Result<RobotMotion<'a>> {
        Ok(RobotMotion::of(robot, Arc::new(Kinematics::new(robot, base, from, to)?)))
    }

    /// Creates the motion from the data that was prepared for this robot.
    pub(crate) fn prepared(
        robot: &'a Robot,
        prepared: &Prepared,
        base: Pose,
        from: &[f64],
        to: &[f64],
    ) -> Result<RobotMotion<'a>> {
        Ok(RobotMotion::of(robot, Arc::new(prepared.motion(robot, base, from, to)?)))
    }

    /// Creates the motion from kinematics that were computed before, for this robot.
    pub(crate) fn of(robot: &'a Robot, kinematics: Arc<Kinematics>) -> RobotMotion<'a> {
        RobotMotion { robot, kinematics, cache: RefCell::default() }
    }

    /// Creates the motion of frames that are not one per link, for example rigid groups of links. Every parent comes before its children.
    pub(crate) fn of_frames(robot: &'a Robot, frames: Vec<Frame>) -> RobotMotion<'a> {
        let bounds = bounds_of(&frames);
        let none: Arc<[usize]> = Arc::default();
        let kinematics = Kinematics { frames, part_frames: Arc::clone(&none), first_part: none, bounds };
        RobotMotion::of(robot, Arc::new(kinematics))
    }

    /// Returns the motion of a frame in that of one of its ancestors, or in the world if `base` is `None`.
    pub(crate) fn frame_in(&self, frame: usize, base: Option<usize>) -> LinkMotion<'_> {
        let bounds = match base {
            None => self.kinematics.bounds[frame],
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

    /// The bounds of a frame's motion in the frame of one of its ancestors.
    fn bounds_relative(&self, frame: usize, base: usize) -> Bounds {
        let way = self.way(frame, Some(base));
        way.into_iter().fold(Bounds::default(), |parent, i| self.kinematics.frames[i].moves.bounds(&parent))
    }

    /// The frames on the way from `base` (exclusive; from the root if `None`) to `frame`.
    fn way(&self, frame: usize, base: Option<usize>) -> SmallVec<[usize; 16]> {
        let up = std::iter::successors(Some(frame), |&i| self.kinematics.frames[i].parent);
        let mut way: SmallVec<[usize; 16]> = up.take_while(|&i| Some(i) != base).collect();
        way.reverse();
        way
    }

    /// A frame at an instant.
    #[inline]
    fn pose(&self, t: f64, frame: usize) -> PoseAt {
        self.cache.borrow_mut().pose(t, frame, &self.kinematics.frames)
    }

    /// The velocity of a frame at an instant.
    #[inline]
    fn velocity(&self, t: f64, frame: usize) -> Velocity {
        self.cache.borrow_mut().velocity(t, frame, &self.kinematics.frames)
    }

    /// The bounds of a link's motion as seen from another link, or from the world.
    pub(crate) fn link_bounds(&self, link: usize, from: Option<usize>) -> LinkBounds {
        let Some(from) = from else {
            let Bounds { turning, jerk, rotation_error, translation_error, .. } =
                self.kinematics.bounds[link];
            let error = PoseError { rotation: rotation_error, translation: translation_error };
            return LinkBounds { turning, jerk, error };
        };
        let base = self.robot.common_ancestor(link, from);
        let (mut turning, mut jerk) = (0.0, 0.0);
        for &frame in self.way(from, Some(base)).iter().rev() {
            self.kinematics.frames[frame].moves.inwards(&mut turning, &mut jerk);
        }
        for frame in self.way(link, Some(base)) {
            self.kinematics.frames[frame].moves.outwards(&mut turning, &mut jerk);
        }
        LinkBounds { turning, jerk, error: self.error_between(link, from) }
    }

    /// The pose of a frame at `t` as seen from another frame, or from the world.
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

    /// The error of a pose as seen from another frame. Both poses were computed in the world, with their errors there, and then combined.
    fn error_between(&self, frame: usize, base: usize) -> PoseError {
        let [frame, base] = [frame, base].map(|i| &self.kinematics.bounds[i]);
        PoseError {
            rotation: frame.rotation_error + base.rotation_error + 32.0 * UNIT,
            translation: frame.translation_error
                + base.translation_error
                + (2.0 * base.rotation_error + 32.0 * UNIT) * (frame.arm + base.arm) * UP,
        }
    }

    /// Returns enclosures of all frames over a window, as Taylor models or as plain intervals.
    #[doc(hidden)]
    pub fn enclosures<E: Enclosure>(&self, window: Window) -> Vec<EnclosureTransform<E>> {
        let mut enclosures: Vec<EnclosureTransform<E>> = Vec::with_capacity(self.kinematics.frames.len());
        for Frame { parent, moves } in &self.kinematics.frames {
            let local = moves.enclosure(window);
            let placed = match parent {
                Some(parent) => enclosures[*parent].compose(&local),
                None => local,
            };
            enclosures.push(placed);
        }
        enclosures
    }

    /// Returns the frame of a part, an index into [`RobotMotion::enclosures`].
    pub fn part_frame(&self, link: usize, part: usize) -> usize {
        self.kinematics.part_frames[self.kinematics.first_part[link] + part]
    }
}

/// The bounds of every frame.
fn bounds_of(frames: &[Frame]) -> Vec<Bounds> {
    let mut bounds: Vec<Bounds> = Vec::with_capacity(frames.len());
    for Frame { parent, moves } in frames {
        bounds.push(match parent {
            Some(parent) => moves.bounds(&bounds[*parent]),
            None => Bounds { arm: 0.0, ..moves.bounds(&Bounds::default()) },
        });
    }
    bounds
}

impl JointMotion {
    pub(crate) fn still(pose: Pose) -> JointMotion {
        let PoseAt { rotation, translation } = pose.at();
        JointMotion::in_parts(rotation, translation, DVec3::Z, DMat3::IDENTITY).turned([0.0, 0.0])
    }

    /// A joint at rest at a pose that is itself computed, with its error.
    pub(crate) fn resting_at(pose: PoseAt, error: PoseError) -> JointMotion {
        let PoseAt { rotation, translation } = pose;
        let still =
            JointMotion::in_parts(rotation, translation, DVec3::Z, DMat3::IDENTITY).turned([0.0, 0.0]);
        JointMotion { angle_error: error.rotation, slide_error: error.translation, ..still }
    }

    /// The transform at `t`, with its error.
    pub(crate) fn placed_at(&self, t: f64) -> (PoseAt, PoseError) {
        let pose = self.at(t);
        // The slide is scaled, and added to the origin with it: no more than four roundings of terms of this size.
        let size = self.start.length() + self.slide.length();
        let translation = self.slide_error + 8.0 * UNIT * size;
        (pose, PoseError { rotation: self.rotation_error(), translation })
    }

    /// Upper bounds of the angular velocity and of the velocity in the parent's frame; none at rest.
    pub(crate) fn rates(&self) -> Option<(f64, f64)> {
        if self.rate == 0.0 && self.slide == DVec3::ZERO {
            return None;
        }
        let bounds = self.bounds(&Bounds::default());
        Some((bounds.turning, bounds.speed))
    }

    pub(crate) fn of(joint: &LinkJoint, from: &[f64], to: &[f64]) -> Result<JointMotion> {
        let mut moves = JointMotion::at_zero(joint);
        moves.set_in_motion(joint, from, to)?;
        Ok(moves)
    }

    /// The part of a joint's motion that does not depend on configurations: all of it for a fixed joint. The matrices of a turning joint
    /// are not multiplied yet.
    fn at_zero(joint: &LinkJoint) -> JointMotion {
        let PoseAt { rotation: outer, translation } = joint.origin.at();
        let parts = |axis: DVec3| JointMotion::in_parts(outer, translation, axis, DMat3::IDENTITY);
        match joint.kind {
            JointKind::Fixed | JointKind::Prismatic { .. } | JointKind::Floating => {
                parts(DVec3::Z).turned([0.0, 0.0])
            }
            JointKind::Revolute { axis } => parts(axis.normalize()),
            JointKind::Planar { normal } => parts(normal.normalize()),
        }
    }

    /// Completes the result of [`JointMotion::at_zero`].
    fn set_in_motion(&mut self, joint: &LinkJoint, from: &[f64], to: &[f64]) -> Result<()> {
        // A multiple of another joint's variable may be arbitrarily large: the powers of such rates overflow.
        let value = || -> Result<[f64; 2]> {
            let named = || format!("value of joint \"{}\"", joint.name);
            Ok([bounded(named, joint.value(from))?, bounded(named, joint.value(to))?])
        };
        let value_error = || upper_max(joint.value_error(from), joint.value_error(to));
        let at = |k: usize| [from[joint.variable + k], to[joint.variable + k]];
        match joint.kind {
            JointKind::Fixed => {}
            JointKind::Revolute { .. } => {
                self.turn(value()?);
                self.angle_error = value_error();
            }
            JointKind::Prismatic { axis } => {
                let axis = axis.normalize();
                self.shift(value()?.map(|distance| axis * distance));
                self.slide_error += value_error();
            }
            JointKind::Planar { .. } => {
                let (x, y) = plane_axes(self.joint_axis);
                self.shift([0, 1].map(|end| x * at(0)[end] + y * at(1)[end]));
                self.turn(at(2));
            }
            JointKind::Floating => {
                let (start, end) = (joint.placement(from)?, joint.placement(to)?);
                let turn = crate::motion::SteadyRotation::between(start.rotation(), end.rotation());
                let PoseAt { rotation: outer, translation } = joint.origin.at();
                *self = JointMotion::in_parts(outer, translation, turn.axis(), turn.start());
                self.shift([start.translation(), end.translation()]);
                self.turn([0.0, turn.angle()]);
                // The error of the rotation vector: the axis of a small turn is not well known, but the turn is.
                self.angle_error = turn.error();
            }
        }
        Ok(())
    }

    /// A joint that neither turns nor slides yet, with the factors of its matrix.
    fn in_parts(outer: DMat3, translation: DVec3, axis: DVec3, inner: DMat3) -> JointMotion {
        let along = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        let across = DMat3::IDENTITY - along;
        let turned = DMat3::from_cols(axis.cross(DVec3::X), axis.cross(DVec3::Y), axis.cross(DVec3::Z));
        let mut parts = JointMotion {
            axis: outer * axis,
            angle: 0.0,
            rate: 0.0,
            constant: outer * along * inner,
            cosine: outer * across * inner,
            sine: outer * turned * inner,
            start: translation,
            slide: DVec3::ZERO,
            angle_error: 0.0,
            slide_error: 0.0,
            outer,
            joint_axis: axis,
            inner,
        };
        parts.shift([DVec3::ZERO; 2]);
        parts
    }

    fn turned(mut self, angle: [f64; 2]) -> JointMotion {
        self.turn(angle);
        self
    }

    /// Sets a joint in motion that turns from one angle to another.
    fn turn(&mut self, angle: [f64; 2]) {
        (self.angle, self.rate) = (angle[0], angle[1] - angle[0]);
        if self.rate == 0.0 {
            // Nothing turns: the matrix is computed once.
            let (s, c) = sin_cos(angle[0]);
            self.constant = self.constant + self.cosine * c + self.sine * s;
            (self.cosine, self.sine) = (DMat3::ZERO, DMat3::ZERO);
        }
    }

    /// Sets a joint at its origin in motion that slides from one place to another, both in the joint's frame.
    fn shift(&mut self, slide: [DVec3; 2]) {
        self.start += self.outer * slide[0];
        self.slide = self.outer * (slide[1] - slide[0]);
        // The axes of a plane have an error of up to 64u (they are computed by a projection that leaves at least 0.4 of a unit vector),
        // `outer` has 40u, and the products and sums have 16 roundings.
        self.slide_error = 160.0 * UNIT * upper_max(slide[0].length(), slide[1].length());
    }

    /// The transform in the parent's frame.
    #[inline]
    fn at(&self, t: f64) -> PoseAt {
        let rotation = if self.rate == 0.0 {
            self.constant
        } else {
            let (s, c) = sin_cos(self.angle + self.rate * t);
            self.constant + self.cosine * c + self.sine * s
        };
        PoseAt { rotation, translation: self.translation_at(t) }
    }

    #[inline]
    fn translation_at(&self, t: f64) -> DVec3 {
        self.start + self.slide * t
    }

    /// The own error of the transform's rotation: its rounding and the error of the angle.
    fn rotation_error(&self) -> f64 {
        ERROR + 8.0 * UNIT * (self.angle.abs() + self.rate.abs()) + self.angle_error
    }

    /// An upper bound of the length of the transform's translation.
    pub(crate) fn length(&self) -> f64 {
        upper_max(self.start.length(), (self.start + self.slide).length()) * UP + self.slide_error
    }

    /// The bounds of a frame with this motion in a parent with these bounds.
    fn bounds(&self, parent: &Bounds) -> Bounds {
        let length = self.length();
        // Apart from the errors of the ends, the rates are single rounded differences along an axis of unit length.
        let (rate_error, slide_rate_error) = (2.0 * self.angle_error, 2.0 * self.slide_error);
        let rate = self.turn_rate();
        let slide = self.slide.length() * UP + slide_rate_error;
        let centripetal = parent.turning * parent.turning;
        // The translation, and the axis and the slide, as turned into the world by the computed rotation of the parent; the last two
        // already have the error of `outer`.
        let distance = (parent.distance + length) * UP;
        let arm_error =
            (parent.rotation_error + self.rotation_error() + 32.0 * UNIT) * length + self.slide_error;
        let turned = parent.rotation_error + 96.0 * UNIT;
        let turning = (parent.turning + rate) * UP;
        let speed = (parent.speed + parent.turning * length + slide) * UP;
        Bounds {
            turning,
            turning_change: (parent.turning_change + parent.turning * rate) * UP,
            speed,
            acceleration: (parent.acceleration + centripetal * length + 2.0 * parent.turning * slide) * UP,
            jerk: self.shifted(parent.turning, parent.jerk),
            distance,
            arm: (parent.arm + length) * UP,
            rotation_error: (parent.rotation_error + self.rotation_error()) * UP,
            translation_error: (parent.translation_error + arm_error + 4.0 * UNIT * distance) * UP,
            turning_error: (parent.turning_error + turned * rate + rate_error + 4.0 * UNIT * turning) * UP,
            speed_error: (parent.speed_error
                + parent.turning_error * length
                + (parent.turning + parent.turning_error) * arm_error
                + turned * slide
                + slide_rate_error
                + 8.0 * UNIT * speed)
                * UP,
        }
    }

    /// Takes `W` and `J` from the parent's frame to this one, as seen from the parent's side.
    fn outwards(&self, turning: &mut f64, jerk: &mut f64) {
        *jerk = self.shifted(*turning, *jerk);
        *turning = (*turning + self.turn_rate()) * UP;
    }

    /// Takes `W` and `J` from this frame to its parent's, as seen from this side.
    fn inwards(&self, turning: &mut f64, jerk: &mut f64) {
        *turning = (*turning + self.turn_rate()) * UP;
        *jerk = self.shifted(*turning, *jerk);
    }

    /// `J` at the other end of the joint's translation, in a frame that turns at most at `turning`.
    fn shifted(&self, turning: f64, jerk: f64) -> f64 {
        let slide = self.slide.length() * UP + 2.0 * self.slide_error;
        (jerk + turning * turning * (turning * self.length() + 3.0 * slide)) * UP
    }

    /// An upper bound of the rate at which the joint turns.
    fn turn_rate(&self) -> f64 {
        self.rate.abs() * UP + 2.0 * self.angle_error
    }

    pub(crate) fn enclosure<E: Enclosure>(&self, window: Window) -> EnclosureTransform<E> {
        let around = |matrix: &DMat3, error: f64| {
            let entry = |row: usize, column: usize| {
                E::constant(Interval::point(matrix.col(column)[row]) + Interval::symmetric(error))
            };
            EnclosureMat3([0, 1, 2].map(|row| [0, 1, 2].map(|column| entry(row, column))))
        };
        let rotation = if self.rate == 0.0 {
            around(&self.constant, self.rotation_error())
        } else {
            let axis = IntervalVec3::unit(self.joint_axis).expect("the axis is normalised");
            let angle = Interval::point(self.angle) + Interval::symmetric(4.0 * UNIT * self.angle.abs());
            let rate = Interval::point(self.rate) + Interval::symmetric(4.0 * UNIT * self.rate.abs());
            let turn = EnclosureMat3::rotation(axis, angle, rate, &window);
            let turned =
                if self.outer == DMat3::IDENTITY { turn } else { around(&self.outer, OUTER_ERROR) * turn };
            // A turn with the error of a small rotation is the same as an exact turn that starts from an orientation with that error.
            let is_exact = self.inner == DMat3::IDENTITY
                && self.angle_error == 0.0
                && self.joint_axis.abs().max_element() == 1.0;
            if is_exact { turned } else { turned * around(&self.inner, OUTER_ERROR + self.angle_error) }
        };
        let size = self.start.length() + self.slide.length();
        let off = Interval::symmetric(64.0 * UNIT * size + 2.0 * self.slide_error);
        let path = |k: usize| {
            E::affine(Interval::point(self.start[k]) + off, Interval::point(self.slide[k]) + off, &window)
        };
        EnclosureTransform { rotation, translation: EnclosureVec3([path(0), path(1), path(2)]) }
    }
}

/// Two axes that span the plane across a normal: x and y for the normal z.
fn plane_axes(normal: DVec3) -> (DVec3, DVec3) {
    let x = if normal.z.abs() > 0.9 { DVec3::X } else { DVec3::Z };
    let x = (x - normal * x.dot(normal)).normalize();
    (x, normal.cross(x))
}

/// The instants queried lately. Parents come before their children, so for a link only the frames up to its own are placed: its descendants
/// are not needed. Velocities are computed only where they are queried: the sieve needs none.
#[derive(Debug, Clone, Default)]
struct Cache {
    slots: Vec<Instant>,
}

/// The frames at an instant, as far as they were needed.
#[derive(Debug, Clone)]
struct Instant {
    t: f64,
    poses: Vec<PoseAt>,
    velocities: Vec<Velocity>,
}

/// More instants than a query usually needs; a power of two.
const SLOTS: usize = 64;

impl Cache {
    #[inline]
    fn instant(&mut self, t: f64) -> &mut Instant {
        if self.slots.is_empty() {
            let never = || Instant { t: f64::NAN, poses: Vec::new(), velocities: Vec::new() };
            self.slots.resize_with(SLOTS, never);
        }
        // Times differ in their leading bits; multiplying spreads them over the slots.
        let slot = (t.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize % SLOTS;
        let instant = &mut self.slots[slot];
        if instant.t != t {
            instant.t = t;
            instant.poses.clear();
            instant.velocities.clear();
        }
        instant
    }

    #[inline]
    fn pose(&mut self, t: f64, frame: usize, frames: &[Frame]) -> PoseAt {
        let instant = self.instant(t);
        if instant.poses.len() <= frame {
            instant.place(frame, frames);
        }
        instant.poses[frame]
    }

    #[inline]
    fn velocity(&mut self, t: f64, frame: usize, frames: &[Frame]) -> Velocity {
        let instant = self.instant(t);
        if instant.velocities.len() <= frame {
            instant.place_velocities(frame, frames);
        }
        instant.velocities[frame]
    }
}

impl Instant {
    /// Places the frames up to `last`, starting from the first one that is not placed yet.
    fn place(&mut self, last: usize, frames: &[Frame]) {
        let Instant { t, poses, .. } = self;
        // Other frames of the same instant will be needed soon.
        poses.reserve(frames.len() - poses.len());
        for Frame { parent, moves } in &frames[poses.len()..=last] {
            let local = moves.at(*t);
            let placement = match parent.map(|parent| &poses[parent]) {
                None => local,
                Some(pose) => PoseAt {
                    rotation: pose.rotation * local.rotation,
                    translation: pose.rotation * local.translation + pose.translation,
                },
            };
            poses.push(placement);
        }
    }

    /// Computes the velocities of the frames up to `last`, in the same way.
    fn place_velocities(&mut self, last: usize, frames: &[Frame]) {
        if self.poses.len() <= last {
            self.place(last, frames);
        }
        let Instant { t, poses, velocities } = self;
        velocities.reserve(frames.len() - velocities.len());
        for Frame { parent, moves } in &frames[velocities.len()..=last] {
            let placement = match parent.map(|parent| (&poses[parent], &velocities[parent])) {
                None => Velocity::default(),
                Some((pose, velocity)) => {
                    let arm = pose.rotation * moves.translation_at(*t);
                    Velocity {
                        origin: velocity.of(arm) + pose.rotation * moves.slide,
                        angular: velocity.angular + pose.rotation * (moves.axis * moves.rate),
                    }
                }
            };
            velocities.push(placement);
        }
    }
}

/// The motion of a part of a robot, in the world or in the frame of another link.
#[derive(Debug, Clone, Copy)]
pub struct LinkMotion<'a> {
    robot: &'a RobotMotion<'a>,
    frame: usize,
    bounds: Bounds,
    base: Option<usize>,
}

impl LinkMotion<'_> {
    /// An upper bound of the speed of any point within `reach` of its origin.
    pub(crate) fn fastest(&self, reach: f64) -> f64 {
        (self.bounds.speed + self.bounds.turning * reach) * (1.0 + 16.0 * UNIT)
    }
}

impl RigidMotion for LinkMotion<'_> {
    fn pose_at(&self, t: f64) -> PoseAt {
        self.robot.pose_between(self.frame, self.base, t)
    }

    fn pose_error(&self) -> PoseError {
        match self.base {
            None => {
                PoseError { rotation: self.bounds.rotation_error, translation: self.bounds.translation_error }
            }
            Some(base) => self.robot.error_between(self.frame, base),
        }
    }

    fn velocity_at(&self, t: f64) -> Velocity {
        let velocity = self.robot.velocity(t, self.frame);
        match self.base {
            None => velocity,
            Some(base) => {
                let of_base = self.robot.velocity(t, base);
                let (pose, base) = (self.robot.pose(t, self.frame), self.robot.pose(t, base));
                let along = velocity.origin - of_base.of(pose.translation - base.translation);
                Velocity {
                    origin: base.direction_to_body(along),
                    angular: base.direction_to_body(velocity.angular - of_base.angular),
                }
            }
        }
    }

    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        // At the middle the velocity is the computed one, up to its error.
        let of_frame = &self.robot.kinematics.bounds[self.frame];
        let (origin_error, angular_error) = match self.base {
            None => (of_frame.speed_error, of_frame.turning_error),
            // v = R_bᵀ (v_i − v_b − Ω_b × (x_i − x_b)), and likewise Ω: the errors of the parts, and those of the product.
            Some(base) => {
                let base = &self.robot.kinematics.bounds[base];
                let size = of_frame.arm + base.arm;
                let turned = base.rotation_error + 32.0 * UNIT;
                let arm_error = of_frame.translation_error + base.translation_error;
                let origin = of_frame.speed_error
                    + base.speed_error
                    + base.turning_error * size
                    + (base.turning + base.turning_error) * arm_error
                    + turned * (of_frame.speed + base.speed + base.turning * size);
                let angular =
                    of_frame.turning_error + base.turning_error + turned * (of_frame.turning + base.turning);
                (origin, angular)
            }
        };
        let half = window.half_width();
        VelocityBounds {
            center: self.velocity_at(window.mid()),
            origin_radius: (self.bounds.acceleration * half + origin_error) * UP,
            angular_radius: (self.bounds.turning_change * half + angular_error) * UP,
        }
    }

    fn acceleration(&self, reach: f64, _window: Window) -> f64 {
        let Bounds { turning, acceleration, .. } = self.bounds;
        (acceleration + turning * turning * reach) * (1.0 + 16.0 * UNIT)
    }

    fn speed_along(&self, n: DVec3, reach: f64, window: Window) -> f64 {
        let bounds = self.velocity_bounds(window);
        let Velocity { origin, angular } = bounds.center;
        let lever = n.cross(angular).length() + bounds.angular_radius;
        let rounding = 16.0 * UNIT * (origin.length() + (angular.length() + bounds.angular_radius) * reach);
        let directed = origin.dot(n) + bounds.origin_radius + lever * reach + rounding;
        // Over a long window the bound of the speed in all directions may be less. Each of the two bounds holds.
        directed.min((self.bounds.speed + self.bounds.turning * reach) * (1.0 + 16.0 * UNIT)) // not a bound: NaN gives way to the other
    }

    fn enclosure(&self, window: Window) -> TaylorTransform {
        let way = self.robot.way(self.frame, self.base);
        way.into_iter().fold(TaylorTransform::identity(), |parent, i| {
            parent.compose(&self.robot.kinematics.frames[i].moves.enclosure(window))
        })
    }
}
