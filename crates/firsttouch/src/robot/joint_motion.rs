//! The motion of one joint at a constant rate, with its contribution to the bounds and errors of its parent.
//!
//! The header of `kinematics` derives both, in the symbols used here.

use glam::{DMat3, DVec3};

use super::joint::{JointKind, LinkJoint};
use super::kinematics::UP;
use crate::error::{Result, bounded};
use crate::motion::{Pose, PoseAt, PoseError};
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::UNIT;
use crate::numerics::{
    Enclosure, EnclosureMat3, EnclosureTransform, EnclosureVec3, Interval, IntervalVec3, Window, sin_cos,
};

/// A bound of the error of one joint's matrix, multiplied onto its parent's, for a given angle: three constant matrices
/// of products of rotations (`3 · 32u`), sine and cosine (`16u`), their combination (`8u`) and the product (`9u`).
const ERROR: f64 = 160.0 * UNIT;

/// The error of the entries of a joint's or a pose's matrix (`36u` in norm, see `motion::turn`), and the error that the
/// directions of a normalised axis add.
pub(super) const OUTER_ERROR: f64 = 64.0 * UNIT;

/// The motion of one joint; see the header for the symbols.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct JointMotion {
    /// `O axis`, in the parent's frame.
    pub(super) axis: DVec3,
    angle: f64,
    pub(super) rate: f64,
    pub(super) constant: DMat3,
    pub(super) cosine: DMat3,
    pub(super) sine: DMat3,
    pub(super) start: DVec3,
    pub(super) slide: DVec3,
    /// Bounds of the errors of the angle and the position, at any time, before their own evaluation.
    angle_error: f64,
    pub(super) slide_error: f64,
    /// The parts, for enclosures: `O`, the axis in the joint's frame, and `E`.
    pub(super) outer: DMat3,
    pub(super) joint_axis: DVec3,
    pub(super) inner: DMat3,
}

/// Upper bounds of a joint's own motion in its parent's frame, and of the errors of its computed poses and rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rates {
    /// The length of the translation.
    pub(super) length: f64,
    /// The derivatives of the angle, from the first to the third.
    pub(super) rate: f64,
    pub(super) rate_change: f64,
    pub(super) rate_jerk: f64,
    /// The derivatives of the translation.
    pub(super) slide: f64,
    pub(super) slide_change: f64,
    pub(super) slide_jerk: f64,
    pub(super) rotation_error: f64,
    pub(super) slide_error: f64,
    pub(super) rate_error: f64,
    pub(super) slide_rate_error: f64,
}

/// The motion of a frame as seen from another one: `W`, `B`, `C` and `J` of the headers of `kinematics` and `drive`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RelativeRates {
    pub(super) turning: f64,
    pub(super) turning_acceleration: f64,
    pub(super) twist: f64,
    pub(super) jerk: f64,
}

impl RelativeRates {
    /// Takes the bounds from the parent's frame of a joint to the child's, as seen from the parent's side.
    #[inline]
    pub(super) fn outwards(&mut self, joint: &Rates) {
        self.jerk = self.shifted(joint);
        self.turn(joint);
    }

    /// Takes the bounds from the child's frame of a joint to the parent's, as seen from the child's side.
    #[inline]
    pub(super) fn inwards(&mut self, joint: &Rates) {
        self.turn(joint);
        self.jerk = self.shifted(joint);
    }

    #[inline]
    fn turn(&mut self, joint: &Rates) {
        self.turning = (self.turning + joint.rate) * UP;
        self.twist = (self.twist
            + 3.0 * (self.turning_acceleration * joint.rate + self.turning * joint.rate_change)
            + joint.rate_jerk)
            * UP;
        self.turning_acceleration = (self.turning_acceleration + joint.rate_change) * UP;
    }

    /// Returns `J` at the other end of the joint's translation.
    #[inline]
    fn shifted(&self, joint: &Rates) -> f64 {
        let &RelativeRates { turning, turning_acceleration, twist, jerk } = self;
        let steady = turning * turning * (turning * joint.length + 3.0 * joint.slide);
        let changing = twist * joint.length
            + 3.0 * (turning_acceleration * joint.slide + turning * joint.slide_change)
            + joint.slide_jerk;
        (jerk + steady + changing) * UP
    }
}

/// The bounds of a frame's motion; see the header.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Bounds {
    /// `W`, `D`.
    pub(super) turning: f64,
    pub(super) turning_change: f64,
    /// `S`, `A`, `J`.
    pub(super) speed: f64,
    pub(super) acceleration: f64,
    pub(super) jerk: f64,
    /// `B`, `C`: zero at constant rates.
    pub(super) turning_acceleration: f64,
    pub(super) twist: f64,
    /// Upper bounds of the distance from the world's origin, and from the origin of its root.
    pub(super) distance: f64,
    pub(super) arm: f64,
    /// The errors of the computed pose.
    pub(super) rotation_error: f64,
    pub(super) translation_error: f64,
    /// The errors of the computed velocities `Ω` and `v`.
    pub(super) turning_error: f64,
    pub(super) speed_error: f64,
}

impl JointMotion {
    pub(crate) fn still(pose: Pose) -> JointMotion {
        let PoseAt { rotation, translation } = pose.at();
        JointMotion::in_parts(rotation, translation, DVec3::Z, DMat3::IDENTITY).turned([0.0, 0.0])
    }

    /// Returns a joint at rest at a pose that is itself computed, with its error.
    pub(crate) fn resting_at(pose: PoseAt, error: PoseError) -> JointMotion {
        let PoseAt { rotation, translation } = pose;
        let still =
            JointMotion::in_parts(rotation, translation, DVec3::Z, DMat3::IDENTITY).turned([0.0, 0.0]);
        JointMotion { angle_error: error.rotation, slide_error: error.translation, ..still }
    }

    /// Returns the transform at `t`, with its error.
    pub(crate) fn placed_at(&self, t: f64) -> (PoseAt, PoseError) {
        let pose = self.at(t);
        // The slide is scaled and added to the origin: at most four roundings of terms of this size.
        let size = self.start.length() + self.slide.length();
        let translation = self.slide_error + 8.0 * UNIT * size;
        (pose, PoseError { rotation: self.rotation_error(), translation })
    }

    /// Returns upper bounds of the angular velocity and of the velocity in the parent's frame, with their errors.
    pub(crate) fn rates(&self) -> (f64, f64) {
        let bounds = self.rates_bounds().bounds(&Bounds::default());
        (bounds.turning, bounds.speed)
    }

    /// Returns true if the computed rates are 0. The exact rates are within the errors of 0.
    pub(crate) fn is_computed_at_rest(&self) -> bool {
        self.rate == 0.0 && self.slide == DVec3::ZERO
    }

    pub(crate) fn of(joint: &LinkJoint, from: &[f64], to: &[f64]) -> Result<JointMotion> {
        let mut moves = JointMotion::at_zero(joint);
        moves.set_in_motion(joint, from, to)?;
        Ok(moves)
    }

    /// Returns the part of a joint's motion that does not depend on configurations: all of it for a fixed joint. The
    /// matrices of a turning joint are not multiplied yet.
    pub(super) fn at_zero(joint: &LinkJoint) -> JointMotion {
        let PoseAt { rotation: outer, translation } = joint.origin.at();
        let parts = |axis: DVec3| JointMotion::in_parts(outer, translation, axis, DMat3::IDENTITY);
        match joint.kind {
            JointKind::Fixed | JointKind::Prismatic { .. } | JointKind::Floating | JointKind::Ball => {
                parts(DVec3::Z).turned([0.0, 0.0])
            }
            JointKind::Revolute { axis } => parts(axis.normalize()),
            JointKind::Planar { normal } => parts(normal.normalize()),
        }
    }

    /// Completes the result of [`JointMotion::at_zero`].
    pub(super) fn set_in_motion(&mut self, joint: &LinkJoint, from: &[f64], to: &[f64]) -> Result<()> {
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
            JointKind::Floating | JointKind::Ball => {
                let (start, end) = (joint.placement(from)?, joint.placement(to)?);
                let turn = crate::motion::SteadyRotation::between(start.rotation(), end.rotation());
                let PoseAt { rotation: outer, translation } = joint.origin.at();
                *self = JointMotion::in_parts(outer, translation, turn.axis(), turn.start());
                self.shift([start.translation(), end.translation()]);
                self.turn([0.0, turn.angle()]);
                // The error of the rotation vector: a small turn has an inaccurate axis, but the turn itself is
                // accurate.
                self.angle_error = turn.error();
            }
        }
        Ok(())
    }

    /// Prepares the result of [`JointMotion::at_zero`] for a [`Drive`](super::drive::Drive).
    pub(super) fn turn_by_angle(&mut self) {
        (self.angle, self.rate) = (0.0, 1.0);
    }

    /// Returns a joint that neither turns nor slides yet, with the factors of its matrix.
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
            // The joint does not turn: the matrix is computed once.
            let (s, c) = sin_cos(angle[0]);
            self.constant = self.constant + self.cosine * c + self.sine * s;
            (self.cosine, self.sine) = (DMat3::ZERO, DMat3::ZERO);
        }
    }

    /// Sets a joint at its origin in motion that slides from one place to another, both in the joint's frame.
    fn shift(&mut self, slide: [DVec3; 2]) {
        self.start += self.outer * slide[0];
        self.slide = self.outer * (slide[1] - slide[0]);
        // The axes of a plane have an error of up to 64u (they are computed by a projection that leaves at least 0.4 of
        // a unit vector), `outer` has 40u, and the products and sums have 16 roundings.
        self.slide_error = 160.0 * UNIT * upper_max(slide[0].length(), slide[1].length());
    }

    /// Returns the transform in the parent's frame.
    #[inline]
    pub(super) fn at(&self, t: f64) -> PoseAt {
        let rotation = if self.rate == 0.0 {
            self.constant
        } else {
            let (s, c) = sin_cos(self.angle_at(t));
            self.constant + self.cosine * c + self.sine * s
        };
        PoseAt { rotation, translation: self.translation_at(t) }
    }

    #[inline]
    pub(super) fn angle_at(&self, t: f64) -> f64 {
        self.angle + self.rate * t
    }

    #[inline]
    pub(super) fn translation_at(&self, t: f64) -> DVec3 {
        self.start + self.slide * t
    }

    /// Returns the own error of the transform's rotation: its rounding and the error of the angle.
    pub(super) fn rotation_error(&self) -> f64 {
        ERROR + self.angle_error()
    }

    /// Returns a bound of the error of [`JointMotion::angle_at`].
    pub(super) fn angle_error(&self) -> f64 {
        8.0 * UNIT * (self.angle.abs() + self.rate.abs()) + self.angle_error
    }

    /// Returns an upper bound of the length of the transform's translation.
    pub(crate) fn length(&self) -> f64 {
        upper_max(self.start.length(), (self.start + self.slide).length()) * UP + self.slide_error
    }

    /// Returns upper bounds of the motion, which is at constant rates.
    #[inline]
    pub(super) fn rates_bounds(&self) -> Rates {
        // Apart from the errors of the ends, the rates are single rounded differences along an axis of unit length.
        let (rate_error, slide_rate_error) = (2.0 * self.angle_error, 2.0 * self.slide_error);
        Rates {
            length: self.length(),
            rate: self.turn_rate(),
            rate_change: 0.0,
            rate_jerk: 0.0,
            slide: self.slide.length() * UP + slide_rate_error,
            slide_change: 0.0,
            slide_jerk: 0.0,
            rotation_error: self.rotation_error(),
            slide_error: self.slide_error,
            rate_error,
            slide_rate_error,
        }
    }

    /// Returns an upper bound of the rate at which the joint turns.
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
            // A turn with the error of a small rotation is the same as an exact turn that starts from an orientation
            // with that error.
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

impl Rates {
    /// Returns the bounds of a frame with this motion in a parent with these bounds.
    pub(super) fn bounds(&self, parent: &Bounds) -> Bounds {
        let &Rates { length, rate, slide, .. } = self;
        let centripetal = parent.turning * parent.turning + parent.turning_acceleration;
        // The translation, and the axis and the slide, as turned into the world by the computed rotation of the parent;
        // the last two already have the error of `outer`.
        let distance = (parent.distance + length) * UP;
        let arm_error =
            (parent.rotation_error + self.rotation_error + 32.0 * UNIT) * length + self.slide_error;
        let turned = parent.rotation_error + 96.0 * UNIT;
        let speed = (parent.speed + parent.turning * length + slide) * UP;
        let &Bounds { turning, turning_acceleration, twist, jerk, .. } = parent;
        let mut seen = RelativeRates { turning, turning_acceleration, twist, jerk };
        seen.outwards(self);
        let RelativeRates { turning, turning_acceleration, twist, jerk } = seen;
        Bounds {
            turning,
            turning_change: (parent.turning_change + parent.turning * rate + self.rate_change) * UP,
            speed,
            acceleration: (parent.acceleration
                + centripetal * length
                + 2.0 * parent.turning * slide
                + self.slide_change)
                * UP,
            jerk,
            turning_acceleration,
            twist,
            distance,
            arm: (parent.arm + length) * UP,
            rotation_error: (parent.rotation_error + self.rotation_error) * UP,
            translation_error: (parent.translation_error + arm_error + 4.0 * UNIT * distance) * UP,
            turning_error: (parent.turning_error + turned * rate + self.rate_error + 4.0 * UNIT * turning)
                * UP,
            speed_error: (parent.speed_error
                + parent.turning_error * length
                + (parent.turning + parent.turning_error) * arm_error
                + turned * slide
                + self.slide_rate_error
                + 8.0 * UNIT * speed)
                * UP,
        }
    }
}

/// Returns two axes that span the plane across a normal: x and y for the normal z.
pub(crate) fn plane_axes(normal: DVec3) -> (DVec3, DVec3) {
    let x = if normal.z.abs() > 0.9 { DVec3::X } else { DVec3::Z };
    let x = (x - normal * x.dot(normal)).normalize();
    (x, normal.cross(x))
}
