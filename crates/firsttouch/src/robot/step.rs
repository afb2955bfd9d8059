//! A robot that moves from one configuration to another, as a body of a scene.

use std::sync::Arc;

use super::kinematics::{Kinematics, Prepared, RobotMotion};
use super::model::{LinkPart, Robot};
use crate::error::Result;
use crate::motion::{JointPiece, Pose};

/// A robot with its base at rest. Every joint moves at a constant rate from one configuration to another, or by the
/// polynomials of a segment of a [`Trajectory`](super::Trajectory).
///
/// ```
/// use firsttouch::articulated::{Joint, JointKind, Robot, RobotStep};
/// use firsttouch::motion::Pose;
/// use glam::DVec3;
/// let joint = Joint {
///     name: "shoulder".into(),
///     parent: "base".into(),
///     child: "arm".into(),
///     origin: Pose::IDENTITY,
///     kind: JointKind::Revolute { axis: DVec3::Z },
///     limits: None,
///     mimic: None,
/// };
/// let robot = Robot::new("crane", vec![("base".into(), vec![]), ("arm".into(), vec![])], vec![joint])?;
/// let step = RobotStep::new(robot, Pose::IDENTITY, vec![0.0], vec![1.0])?;
/// assert_eq!(step.to(), [1.0]);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RobotStep {
    robot: Arc<Robot>,
    base: Pose,
    from: Vec<f64>,
    to: Vec<f64>,
    /// The polynomials of all variables, if they do not move at constant rates.
    pieces: Option<Arc<[JointPiece]>>,
    kinematics: Arc<Kinematics>,
}

impl RobotStep {
    /// Creates the step. Returns an error for configurations of the wrong length, numbers that are not finite, and
    /// floating joints without an orientation.
    pub fn new(robot: impl Into<Arc<Robot>>, base: Pose, from: Vec<f64>, to: Vec<f64>) -> Result<RobotStep> {
        let robot = robot.into();
        let kinematics = Arc::new(Kinematics::new(&robot, base, &from, &to)?);
        Ok(RobotStep { robot, base, from, to, pieces: None, kinematics })
    }

    /// Returns a step whose variables are polynomials of time; see [`Trajectory`](super::Trajectory).
    pub(super) fn driven(robot: Arc<Robot>, base: Pose, pieces: Vec<JointPiece>) -> Result<RobotStep> {
        let [from, to] = [0.0, 1.0].map(|t| pieces.iter().map(|piece| piece.at(t)).collect::<Vec<f64>>());
        [&from, &to].into_iter().try_for_each(|end| robot.validate(end))?;
        let kinematics = Arc::new(Prepared::new(&robot).driven(&robot, base, &pieces)?);
        Ok(RobotStep { robot, base, from, to, pieces: Some(pieces.into()), kinematics })
    }

    /// Returns the step during a part of its time, over the time from 0 to 1. On the clock the whole step takes the
    /// time `whole`, and the part takes the time `span`, which must be within it. Returns an error if this cuts the
    /// motion of a ball or floating joint that changes its orientation.
    pub(crate) fn during(&self, whole: [f64; 2], span: [f64; 2]) -> Result<RobotStep> {
        if whole == span {
            return Ok(self.clone());
        }
        let width = whole[1] - whole[0];
        let [start, end] = span.map(|t| ((t - whole[0]) / width).clamp(0.0, 1.0));
        self.with_pieces(|piece| Ok(piece.during(start, end)))
    }

    /// Returns the robot at rest in its configuration at a time of the step.
    pub(crate) fn resting_at(&self, t: f64) -> Result<RobotStep> {
        match (&self.pieces, t) {
            (None, 0.0) => self.between(&self.from, &self.from),
            (None, 1.0) => self.between(&self.to, &self.to),
            _ => self.with_pieces(|piece| piece.resting_at(t)),
        }
    }

    pub(crate) fn between(&self, from: &[f64], to: &[f64]) -> Result<RobotStep> {
        RobotStep::new(Arc::clone(&self.robot), self.base, from.to_vec(), to.to_vec())
    }

    /// Returns a step whose variables are computed from those of this step.
    fn with_pieces(&self, change: impl Fn(&JointPiece) -> Result<JointPiece>) -> Result<RobotStep> {
        let pieces: Vec<JointPiece> = match &self.pieces {
            Some(pieces) => pieces.iter().map(change).collect::<Result<_>>()?,
            None => {
                let ends = self.from.iter().zip(&self.to);
                ends.map(|(from, to)| change(&JointPiece::linear(*from, *to)?)).collect::<Result<_>>()?
            }
        };
        RobotStep::driven(Arc::clone(&self.robot), self.base, pieces)
    }

    /// Returns the robot.
    pub fn robot(&self) -> &Robot {
        &self.robot
    }

    /// Returns the pose of its base.
    pub fn base(&self) -> Pose {
        self.base
    }

    /// Returns the configuration at time 0.
    pub fn from(&self) -> &[f64] {
        &self.from
    }

    /// Returns the configuration at time 1.
    pub fn to(&self) -> &[f64] {
        &self.to
    }

    /// Returns the polynomials of all variables, if they do not move at constant rates.
    pub(crate) fn pieces(&self) -> Option<&[JointPiece]> {
        self.pieces.as_deref()
    }

    /// Returns the configuration at a time, up to rounding; `None` if all variables move at constant rates.
    pub(crate) fn driven_at(&self, t: f64) -> Option<Vec<f64>> {
        Some(self.pieces.as_ref()?.iter().map(|piece| piece.at(t)).collect())
    }

    /// Attaches a shape to a link; see [`Robot::hold`].
    pub(crate) fn hold(
        &mut self,
        link: &str,
        name: &str,
        part: LinkPart,
        touch_links: &[&str],
    ) -> Result<usize> {
        let held = Arc::make_mut(&mut self.robot).hold(link, name, part, touch_links)?;
        self.kinematics = Arc::new(match &self.pieces {
            None => Kinematics::new(&self.robot, self.base, &self.from, &self.to)?,
            Some(pieces) => Prepared::new(&self.robot).driven(&self.robot, self.base, pieces)?,
        });
        Ok(held)
    }

    /// Returns the motion of every link. The kinematics were computed when the step was created, so this call is cheap.
    pub fn motion(&self) -> RobotMotion<'_> {
        RobotMotion::of(&self.robot, Arc::clone(&self.kinematics))
    }
}
