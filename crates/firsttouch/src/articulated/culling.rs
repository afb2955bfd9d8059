//! Boxes that the parts of a robot never leave during a step. Only pairs whose boxes overlap can touch.
//!
//! Four ways, all rigorous:
//! - [`Culling::Windows`]: not by boxes over the whole step, but pair by pair in shorter and shorter windows of time; see `sieve`.
//! - [`Culling::Chord`]: a point whose acceleration is at most `a` strays from the chord between its ends by at most
//!   `a T² / 8`. So the union of the boxes at both ends, enlarged by that, contains the path. Two instants, which the
//!   exact stage needs anyway; tight when the step is short.
//! - [`Culling::Taylor`]: third-order Taylor models of every joint's motion, composed along the chain, applied to the eight
//!   corners of the part's box. What the paper does; tight also for long steps.
//! - [`Culling::Interval`]: the same with plain interval arithmetic, for comparison. It loosens exponentially with the
//!   depth of the chain.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 5.

use glam::DVec3;

use crate::broad::{Aabb, swept_box};
use crate::motion::RigidMotion;
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::{UNIT, up};
use crate::numerics::{Interval, TaylorModel, Window};
use crate::robot::RobotMotion;
use crate::robot::{LinkPart, Robot};

/// The method that encloses the paths of a robot's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Culling {
    /// Windows of time, with a separate direction for each pair of parts. Boxes over a whole step are computed as for `Chord`.
    #[default]
    Windows,
    /// Chords, and bounds of the acceleration.
    Chord,
    /// Taylor models of third order.
    Taylor,
    /// Plain interval arithmetic.
    Interval,
}

/// A part of a robot for culling: the box around it in its own frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PartBox {
    pub(crate) link: usize,
    pub(crate) part: usize,
    pub(crate) center: DVec3,
    pub(crate) half: DVec3,
    /// An upper bound of the distance from the part's origin to any point of the box.
    pub(crate) reach: f64,
}

/// The parts of a robot, in the order in which they are processed. It does not depend on the order in which links were described or
/// attached.
pub(crate) fn part_boxes(robot: &Robot) -> Vec<PartBox> {
    let mut boxes = Vec::new();
    for link in robot.links_in_order() {
        for (part, LinkPart { shape, .. }) in robot.links()[link].parts().iter().enumerate() {
            let (center, half) = shape.bounds();
            let reach = up((center.length() + half.length()) * (1.0 + 16.0 * UNIT));
            boxes.push(PartBox { link, part, center, half, reach });
        }
    }
    boxes
}

/// The box that each part never leaves during the window.
pub(crate) fn swept_boxes(
    motion: &RobotMotion<'_>,
    parts: &[PartBox],
    window: Window,
    culling: Culling,
) -> Vec<Aabb> {
    match culling {
        Culling::Windows | Culling::Chord => {
            parts.iter().map(|part| chord_box(motion, part, window)).collect()
        }
        Culling::Taylor => {
            let enclosures = motion.enclosures::<TaylorModel>(window);
            let swept = |part: &PartBox| {
                swept_box(&enclosures[motion.part_frame(part.link, part.part)], part.center, part.half)
            };
            parts.iter().map(swept).collect()
        }
        Culling::Interval => {
            let enclosures = motion.enclosures::<Interval>(window);
            let swept = |part: &PartBox| {
                swept_box(&enclosures[motion.part_frame(part.link, part.part)], part.center, part.half)
            };
            parts.iter().map(swept).collect()
        }
    }
}

fn chord_box(motion: &RobotMotion<'_>, part: &PartBox, window: Window) -> Aabb {
    let moves = motion.part(part.link, part.part);
    let error = moves.pose_error();
    let mut bounds: Option<Aabb> = None;
    let mut size = 0.0_f64;
    for t in [window.t0(), window.t1()] {
        let pose = moves.pose_at(t);
        let center = pose.apply(part.center);
        let extent = pose.box_extent(part.half);
        let at_end = Aabb { low: center - extent, high: center + extent };
        size = upper_max(size, center.abs().max_element() + part.reach);
        bounds = Some(bounds.map_or(at_end, |other| other.union(&at_end)));
    }
    let width = 2.0 * window.half_width();
    let bulge = moves.acceleration(part.reach, window) * width * width / 8.0;
    let off = error.rotation * part.reach + error.translation + 32.0 * UNIT * size;
    let bounds = bounds.expect("there are two ends");
    bounds.inflated(bulge * (1.0 + 8.0 * UNIT) + off)
}
