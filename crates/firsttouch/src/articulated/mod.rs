//! Articulated robots: trees of links that move by their joints.

mod kinematics;
mod robot;

pub use kinematics::{LinkMotion, RobotMotion};
pub use robot::{Joint, JointKind, Link, LinkPart, Mimic, Robot, Variable};
