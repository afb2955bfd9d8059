//! Articulated robots: trees of links that move by their joints.

mod checker;
mod clearance;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod comparison;
mod culling;
mod gradient;
mod joints;
mod kinematics;
mod outline;
pub(crate) mod part_pairs;
mod path;
mod query;
mod robot;
mod safe_scale;
mod sieve;
mod step;

pub use checker::{Checker, StepReport};
#[cfg(not(feature = "internals"))]
pub(crate) use culling::Culling;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use culling::Culling;
pub(crate) use culling::{PartBox, part_boxes, swept_boxes};
pub use gradient::StepGradient;
pub(crate) use kinematics::{Frame, JointMotion};
pub use kinematics::{LinkMotion, RobotMotion};
pub use path::{PathReport, SegmentDone};
pub(crate) use query::obstacle_side;
pub(crate) use robot::LinkJoint;
pub use robot::{Joint, JointKind, Link, LinkPart, Mimic, Robot, Variable};
pub(crate) use safe_scale::reach as shape_reach;
pub use step::RobotStep;
