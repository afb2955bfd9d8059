//! Articulated robots: trees of links that move by their joints.

mod bisection;
mod checker;
mod culling;
mod kinematics;
mod outline;
mod robot;
mod sieve;
mod step;

pub use checker::{Checker, StepReport};
pub use culling::Culling;
pub(crate) use culling::{PartBox, part_boxes, swept_boxes};
pub(crate) use kinematics::{Frame, JointMotion};
pub use kinematics::{LinkMotion, RobotMotion};
pub(crate) use robot::LinkJoint;
pub use robot::{Joint, JointKind, Link, LinkPart, Mimic, Robot, Variable};
pub use step::RobotStep;
