//! A step checked by boxes over the whole of it, to compare bounds with: pairs of parts whose boxes overlap go to the exact stage.
//!
//! 1. [`Bounds::Chord`]: both ends of the step and a bound of the acceleration.
//! 2. [`Bounds::Taylor`]: Taylor models of every joint's motion, composed along the chain. What the paper does.
//! 3. [`Bounds::Interval`]: the same with plain intervals, which loosen exponentially with the depth of the chain.
//!
//! Guarantee: all boxes contain what moves in them; the exact stage is that of the library.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 5.

use glam::DVec3;

use crate::articulated::checker::{Checker, StepReport};
use crate::articulated::outline::Candidate;
use crate::articulated::query::Query;
use crate::articulated::sieve::Surroundings;
use crate::broad::{Aabb, overlapping_pairs, swept_box};
use crate::error::Result;
use crate::numerics::{Interval, TaylorModel, Window};
use crate::options::Options;
use crate::robot::{self, PartBox, RobotMotion};

/// The method that encloses the paths of a robot's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounds {
    /// Chords, and bounds of the acceleration.
    Chord,
    /// Taylor models of third order.
    Taylor,
    /// Plain interval arithmetic.
    Interval,
}

/// Returns the first touch on the way from one configuration to another, after culling by these bounds.
pub fn check_step_by_boxes(
    checker: &Checker,
    [from, to]: [&[f64]; 2],
    options: &Options,
    bounds: Bounds,
) -> Result<StepReport> {
    options.validate_reporting_start("a check of a robot")?;
    let motion = checker.motion(from, to)?;
    let apart = checker.needed_gaps(options)[1].value();
    let window = Window::between(0.0, options.t_max);
    let boxes = boxes_of(&motion, checker.parts(), window, bounds);
    let boxes: Vec<Aabb> = boxes.into_iter().map(|bounds| bounds.inflated(apart)).collect();
    Ok(Query::new(checker, &motion, options).of_pairs(&close_pairs(checker, &boxes)))
}

/// Returns a box for each part of the robot, in the order of links and parts, that the part never leaves on the way from one
/// configuration to another.
pub fn swept_boxes(checker: &Checker, [from, to]: [&[f64]; 2], bounds: Bounds) -> Result<Vec<Aabb>> {
    let motion = checker.motion(from, to)?;
    let mut parts = checker.parts().to_vec();
    parts.sort_unstable_by_key(|part| (part.link, part.part));
    Ok(boxes_of(&motion, &parts, Window::between(0.0, 1.0), bounds))
}

pub(super) fn boxes_of(
    motion: &RobotMotion<'_>,
    parts: &[PartBox],
    window: Window,
    bounds: Bounds,
) -> Vec<Aabb> {
    let frame = |part: &PartBox| motion.part_frame(part.link, part.part);
    match bounds {
        Bounds::Chord => robot::swept_boxes(motion, parts, window),
        Bounds::Taylor => {
            let enclosures = motion.enclosures::<TaylorModel>(window);
            let swept = |part: &PartBox| swept_box(&enclosures[frame(part)], part.center, part.half);
            parts.iter().map(swept).collect()
        }
        Bounds::Interval => {
            let enclosures = motion.enclosures::<Interval>(window);
            let swept = |part: &PartBox| swept_box(&enclosures[frame(part)], part.center, part.half);
            parts.iter().map(swept).collect()
        }
    }
}

/// The pairs that are checked and whose boxes overlap: with obstacles first, in the order of names.
pub(super) fn close_pairs(checker: &Checker, boxes: &[Aabb]) -> Vec<Candidate> {
    let whole = Window::between(0.0, 1.0);
    let Surroundings { outline, obstacles, by_name, .. } = checker.surroundings();
    let parts = boxes.len();
    let nowhere = Aabb { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
    let swept = by_name.iter().map(|&k| obstacles[k as usize].body.swept_box(whole).unwrap_or(nowhere));
    let all: Vec<Aabb> = boxes.iter().copied().chain(swept).collect();
    let (mut close, mut own) = (Vec::new(), Vec::new());
    for [i, j] in overlapping_pairs(&all) {
        if i >= parts {
            continue;
        }
        if j >= parts {
            let k = by_name[j - parts] as usize;
            if obstacles[k].is_checked(outline, i) {
                close.push(Candidate::Obstacle(i, k));
            }
        } else {
            let (a, b) = (checker.parts()[i].link, checker.parts()[j].link);
            if a != b && !checker.robot().is_allowed(a, b) {
                own.push(Candidate::Own(i, j));
            }
        }
    }
    close.append(&mut own);
    close
}
