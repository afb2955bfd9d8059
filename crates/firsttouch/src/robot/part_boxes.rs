//! The boxes of a robot's parts: in the frames of their links, and in the world as boxes that they never leave during a
//! step.
//!
//! Two parts whose boxes in the world do not overlap cannot touch. A box in the world comes from the poses at both ends
//! of the step and a bound of the acceleration (`broad::chords`): the exact stage needs both poses anyway.

use glam::DVec3;

use super::{LinkPart, Robot, RobotMotion};
use crate::broad::{Aabb, one_chord_box};
use crate::motion::Pose;
use crate::numerics::Window;

/// A part of a robot, and the box around it in its own frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PartBox {
    pub(crate) link: usize,
    pub(crate) part: usize,
    pub(crate) center: DVec3,
    pub(crate) half: DVec3,
    /// The pose of the part's frame in that of its link.
    pub(crate) pose: Pose,
}

impl PartBox {
    /// Returns the parts of one link, in their order.
    pub(crate) fn of_link(robot: &Robot, link: usize) -> impl Iterator<Item = PartBox> + '_ {
        robot.links()[link].parts().iter().enumerate().map(move |(part, LinkPart { shape, pose })| {
            let (center, half) = shape.bounds();
            PartBox { link, part, center, half, pose: *pose }
        })
    }
}

/// Returns the parts of a robot, in the order in which they are processed. The order does not depend on the order in
/// which links were described or attached.
pub(crate) fn part_boxes(robot: &Robot) -> Vec<PartBox> {
    robot.links_in_order().into_iter().flat_map(|link| PartBox::of_link(robot, link)).collect()
}

/// Returns the box that each part never leaves during the window.
pub(crate) fn swept_boxes(motion: &RobotMotion<'_>, parts: &[PartBox], window: Window) -> Vec<Aabb> {
    let swept =
        |part: &PartBox| one_chord_box(&motion.part(part.link, part.part), part.center, part.half, window);
    parts.iter().map(swept).collect()
}
