//! Joints: their description, the same resolved to indices, and back.

use std::collections::HashMap;

use glam::{DQuat, DVec3};

use super::model::Robot;
use crate::error::{Error, Result, bounded, bounded_vector};
use crate::motion::Pose;
use crate::numerics::rounding::UNIT;

/// The description of a joint from one link to another. [`Robot::new`](super::Robot::new) checks it.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// The name of the joint.
    pub name: String,
    /// The name of the parent link.
    pub parent: String,
    /// The name of the child link, which the joint carries.
    pub child: String,
    /// The pose of the joint's frame in the parent's frame.
    pub origin: Pose,
    /// The kind of motion.
    pub kind: JointKind,
    /// The range of its variable, if it is limited.
    pub limits: Option<[f64; 2]>,
    /// The rule by which this joint follows another, if it does.
    pub mimic: Option<Mimic>,
}

/// The kind of motion of a joint. Axes are in the joint's frame and need not have unit length.
///
/// ```
/// use firsttouch::articulated::{Joint, JointKind, Robot};
/// use firsttouch::motion::Pose;
/// // A planar joint has three variables, a floating one seven: a translation and a quaternion.
/// for (kind, count) in [(JointKind::Planar { normal: glam::DVec3::Z }, 3), (JointKind::Floating, 7)] {
///     let joint = Joint {
///         name: "j".into(),
///         parent: "world".into(),
///         child: "body".into(),
///         origin: Pose::IDENTITY,
///         kind,
///         limits: None,
///         mimic: None,
///     };
///     let links = ["world", "body"].map(|name| (name.to_string(), vec![]));
///     assert_eq!(Robot::new("r", links.into(), vec![joint])?.variables().len(), count);
/// }
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum JointKind {
    /// The joint does not move.
    Fixed,
    /// The joint turns about an axis; its variable is the angle.
    Revolute {
        /// The axis of the rotation.
        axis: DVec3,
    },
    /// The joint slides along an axis; its variable is the distance.
    Prismatic {
        /// The direction of the slide.
        axis: DVec3,
    },
    /// The joint slides by `x` and `y` in the plane across the normal, and turns about the normal.
    Planar {
        /// The normal of the plane.
        normal: DVec3,
    },
    /// The joint can take any pose. Between two poses the motion is `linear`.
    Floating,
    /// The joint turns in any way about its origin. Its variables are a quaternion, which need not have unit length.
    /// Between two orientations it turns the shorter way, at a constant rate about one axis.
    Ball,
}

/// The rule of a joint that follows another: `value = multiplier · (value of the other joint) + offset`.
#[derive(Debug, Clone, PartialEq)]
pub struct Mimic {
    /// The name of the joint that is followed.
    pub joint: String,
    /// The factor of the other joint's value.
    pub multiplier: f64,
    /// The offset that is added.
    pub offset: f64,
}

/// One number of a configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// The joint's name; for planar joints followed by `/x`, `/y`, `/theta`, for floating ones by `/trans_x`, ...,
    /// `/rot_w`, for ball joints by `/rot_x`, ..., `/rot_w`.
    pub name: String,
    /// The range it should stay in.
    pub limits: Option<[f64; 2]>,
    /// The value in [`Robot::zero`].
    pub zero: f64,
    /// The largest speed, per second, if the description of the robot limits it: see [`Robot::limit_velocity`].
    pub velocity: Option<f64>,
}

impl JointKind {
    /// Returns the position of the first number of the quaternion among the variables of a joint that has one.
    pub(crate) fn quaternion(&self) -> Option<usize> {
        match self {
            JointKind::Floating => Some(3),
            JointKind::Ball => Some(0),
            JointKind::Fixed
            | JointKind::Revolute { .. }
            | JointKind::Prismatic { .. }
            | JointKind::Planar { .. } => None,
        }
    }
}

/// A joint whose links and variables are resolved to indices.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LinkJoint {
    pub(crate) name: String,
    pub(crate) parent: usize,
    pub(crate) origin: Pose,
    pub(crate) kind: JointKind,
    /// The index of its first variable, and the factor and offset to apply: `(1, 0)` unless it mimics.
    pub(crate) variable: usize,
    pub(crate) scale: (f64, f64),
}

impl Joint {
    pub(super) fn variables(&self) -> Vec<Variable> {
        let one = |suffix: &str, limits: Option<[f64; 2]>, zero: f64| Variable {
            name: format!("{}{suffix}", self.name),
            limits,
            zero,
            velocity: None,
        };
        match self.kind {
            JointKind::Fixed => Vec::new(),
            JointKind::Revolute { .. } | JointKind::Prismatic { .. } => vec![one("", self.limits, 0.0)],
            JointKind::Planar { .. } => ["/x", "/y", "/theta"].map(|suffix| one(suffix, None, 0.0)).into(),
            JointKind::Ball => {
                let mut variables: Vec<Variable> =
                    ["/rot_x", "/rot_y", "/rot_z"].map(|suffix| one(suffix, None, 0.0)).into();
                variables.push(one("/rot_w", None, 1.0));
                variables
            }
            JointKind::Floating => {
                let names = ["/trans_x", "/trans_y", "/trans_z", "/rot_x", "/rot_y", "/rot_z"];
                let mut variables: Vec<Variable> = names.map(|suffix| one(suffix, None, 0.0)).into();
                variables.push(one("/rot_w", None, 1.0));
                variables
            }
        }
    }

    pub(super) fn resolve(
        self,
        parent: usize,
        first_variable: &HashMap<String, usize>,
        variables: &[Variable],
    ) -> Result<LinkJoint> {
        if let JointKind::Revolute { axis }
        | JointKind::Prismatic { axis }
        | JointKind::Planar { normal: axis } = self.kind
        {
            bounded_vector(|| format!("joint \"{}\" axis", self.name), axis)?;
            // Such an axis is far from overflow and underflow when it is normalised.
            if !(1e-100..1e100).contains(&axis.length()) {
                return Err(Error::OutOfRange {
                    what: format!("joint \"{}\" axis length", self.name),
                    expected: "positive",
                    value: axis.length(),
                });
            }
        }
        let (variable, scale) = match &self.mimic {
            _ if self.kind == JointKind::Fixed => (0, (1.0, 0.0)),
            None => (first_variable[&self.name], (1.0, 0.0)),
            Some(_)
                if matches!(self.kind, JointKind::Planar { .. } | JointKind::Floating | JointKind::Ball) =>
            {
                return Err(Error::Unsupported {
                    what: format!("joints of several variables that mimic another, here \"{}\"", self.name),
                });
            }
            Some(mimic) => {
                bounded(|| format!("joint \"{}\" mimic multiplier", self.name), mimic.multiplier)?;
                bounded(|| format!("joint \"{}\" mimic offset", self.name), mimic.offset)?;
                let variable = first_variable.get(&mimic.joint).copied();
                let variable = variable.filter(|&v| variables.get(v).is_some_and(|v| v.name == mimic.joint));
                let unknown =
                    || Error::UnknownName { name: format!("{} (followed by {})", mimic.joint, self.name) };
                (variable.ok_or_else(unknown)?, (mimic.multiplier, mimic.offset))
            }
        };
        Ok(LinkJoint { name: self.name, parent, origin: self.origin, kind: self.kind, variable, scale })
    }
}

impl LinkJoint {
    /// Returns the value of a joint with one variable.
    pub(crate) fn value(&self, configuration: &[f64]) -> f64 {
        configuration[self.variable] * self.scale.0 + self.scale.1
    }

    /// Returns a bound of the error of [`LinkJoint::value`]: for a joint that mimics, a product and a sum, which may
    /// cancel.
    pub(crate) fn value_error(&self, configuration: &[f64]) -> f64 {
        let (multiplier, offset) = self.scale;
        let is_exact = multiplier == 1.0 && offset == 0.0;
        let size = (configuration[self.variable] * multiplier).abs() + offset.abs();
        if is_exact { 0.0 } else { 4.0 * UNIT * size }
    }

    /// Returns the pose of a floating or ball joint.
    pub(crate) fn placement(&self, configuration: &[f64]) -> Result<Pose> {
        if self.kind == JointKind::Ball {
            let q = &configuration[self.variable..self.variable + 4];
            return Pose::new(DVec3::ZERO, DQuat::from_xyzw(q[0], q[1], q[2], q[3]));
        }
        let q = &configuration[self.variable..self.variable + 7];
        Pose::new(DVec3::new(q[0], q[1], q[2]), DQuat::from_xyzw(q[3], q[4], q[5], q[6]))
    }
}

impl Robot {
    /// Returns the joint that carries a link, in the form that [`Robot::new`] takes; `None` for the root. A joint that
    /// mimics another has the limits of the other joint. [`Robot::new`] with the links and joints of a robot, in their
    /// order, builds the same robot again, except for its attached bodies, its allowed pairs and its limits of
    /// velocity.
    ///
    /// ```
    /// use firsttouch::articulated::{Joint, JointKind, Mimic, Robot};
    /// use firsttouch::motion::Pose;
    /// use glam::DVec3;
    /// let finger = |name: &str, mimic: Option<Mimic>| Joint {
    ///     name: format!("{name}_joint"),
    ///     parent: "hand".into(),
    ///     child: name.into(),
    ///     origin: Pose::IDENTITY,
    ///     kind: JointKind::Prismatic { axis: DVec3::Y },
    ///     limits: Some([0.0, 0.04]),
    ///     mimic,
    /// };
    /// let follows = Mimic { joint: "left_joint".into(), multiplier: -1.0, offset: 0.0 };
    /// let joints = vec![finger("left", None), finger("right", Some(follows))];
    /// let links = ["hand", "left", "right"].map(|name| (name.to_string(), vec![]));
    /// let robot = Robot::new("gripper", links.into(), joints.clone())?;
    /// assert_eq!(robot.joint_of(0), None);
    /// assert_eq!(robot.joint_of(1).as_ref(), Some(&joints[0]));
    /// assert_eq!(robot.joint_of(2).as_ref(), Some(&joints[1]));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn joint_of(&self, link: usize) -> Option<Joint> {
        let child = self.links().get(link)?;
        let joint = child.joint()?;
        let has_one_variable = matches!(joint.kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. });
        let variable = if has_one_variable { self.variables().get(joint.variable) } else { None };
        let leader = variable.filter(|variable| variable.name != joint.name);
        let (multiplier, offset) = joint.scale;
        Some(Joint {
            name: joint.name.clone(),
            parent: self.links()[joint.parent].name().into(),
            child: child.name().into(),
            origin: joint.origin,
            kind: joint.kind,
            limits: variable.and_then(|variable| variable.limits),
            mimic: leader.map(|leader| Mimic { joint: leader.name.clone(), multiplier, offset }),
        })
    }
}
