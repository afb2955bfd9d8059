//! Articulated robots: trees of links that move by their joints.

mod checker;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod comparison;
mod culling;
mod joints;
mod kinematics;
mod outline;
pub(crate) mod part_pairs;
mod path;
mod query;
mod robot;
mod sieve;
mod step;

pub use checker::{Checker, StepReport};
#[cfg(not(feature = "internals"))]
pub(crate) use culling::Culling;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use culling::Culling;
pub(crate) use culling::{PartBox, part_boxes, swept_boxes};
pub(crate) use kinematics::{Frame, JointMotion};
pub use kinematics::{LinkMotion, RobotMotion};
pub use path::{PathReport, SegmentDone};
pub(crate) use query::obstacle_side;
pub(crate) use robot::LinkJoint;
pub use robot::{Joint, JointKind, Link, LinkPart, Mimic, Robot, Variable};
pub use step::RobotStep;
