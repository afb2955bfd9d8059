//! Articulated robots: trees of links that move by their joints.

mod all_pairs;
mod certify;
mod checker;
mod joint_cells;
mod least;
mod link_pairs;
mod obstacle_tree;
mod outline;
mod pairs;
mod path;
mod phases;
mod query;
mod questions;
mod roots;
mod scans;
mod separation;
mod sieve;
mod trajectory;
mod version;
pub(crate) mod windows;
mod world;

pub use crate::gradient::{CourseGradient, StepGradient};
pub use crate::robot::{
    Joint, JointKind, Link, LinkMotion, LinkPart, Mimic, Robot, RobotMotion, RobotPath, RobotStep,
    Trajectory, Variable,
};
pub use crate::world::Grasp;
pub(crate) use checker::RobotPair;
pub use checker::{Checker, StepReport};
pub use link_pairs::{LinkPair, PairFinding, SurveyOptions};
pub use path::{PathPair, PathReport, SegmentDone};
pub use phases::Phase;
pub(crate) use query::obstacle_side;
pub use version::Version;
