//! Articulated robots: trees of links that move by their joints.

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
pub use kinematics::{LinkMotion, RobotMotion};
pub use robot::{Joint, JointKind, Link, LinkPart, Mimic, Robot, Variable};
pub use step::RobotStep;
