//! Articulated robots: trees of links that move by their joints.

mod checker;
mod clearance;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod comparison;
mod culling;
mod outline;
pub(crate) mod part_pairs;
mod path;
mod query;
mod roots;
mod safe_scale;
mod separation;
mod sieve;

pub use crate::gradient::StepGradient;
pub use crate::robot::{
    Joint, JointKind, Link, LinkMotion, LinkPart, Mimic, Robot, RobotMotion, RobotStep, Variable,
};
pub use checker::{Checker, StepReport};
#[cfg(not(feature = "internals"))]
pub(crate) use culling::Culling;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use culling::Culling;
pub(crate) use culling::{PartBox, part_boxes, swept_boxes};
pub use path::{PathReport, SegmentDone};
pub(crate) use query::obstacle_side;
pub(crate) use safe_scale::reach as shape_reach;
