//! Robot models: links, joints, their kinematics, and a step from one configuration to another.

mod attached;
mod drive;
mod few_balls;
mod instants;
mod joint;
mod joint_motion;
mod kinematics;
mod link_motion;
mod model;
mod part_boxes;
mod path;
mod pose_lanes;
mod step;
mod trajectory;

pub(crate) use joint::LinkJoint;
pub use joint::{Joint, JointKind, Mimic, Variable};
pub(crate) use joint_motion::{JointMotion, plane_axes};
pub use kinematics::RobotMotion;
pub(crate) use kinematics::{Frame, LinkBounds, Prepared};
pub use link_motion::LinkMotion;
pub use model::{Link, LinkPart, Robot};
pub(crate) use part_boxes::{PartBox, part_boxes, swept_boxes};
pub use path::RobotPath;
pub use step::RobotStep;
pub use trajectory::Trajectory;
