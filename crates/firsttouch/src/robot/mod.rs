//! Robot models: links, joints, their kinematics, and a step from one configuration to another.

mod joints;
mod kinematics;
mod model;
mod step;

pub(crate) use kinematics::{Frame, JointMotion, LinkBounds, Prepared};
pub use kinematics::{LinkMotion, RobotMotion};
pub(crate) use model::LinkJoint;
pub use model::{Joint, JointKind, Link, LinkPart, Mimic, Robot, Variable};
pub use step::RobotStep;
