//! Pairs of parts, of which at least one belongs to a robot: conversion to the tree engine, and back to labels and world coordinates.
//!
//! Both sides of a pair are in one frame: that of the last common ancestor if they belong to one robot, or else the world's. The engine's
//! result is in this frame; [`PartPair::describe`] takes it to the world and names the parts. Scenes, checkers and simulations all use this
//! module.

use crate::motion::{PoseAt, RigidMotion, jumps};
use crate::narrow::Pieces;
use crate::narrow::Side;
use crate::narrow::touch_of_leaves;
use crate::options::Start;
use crate::pair::{Limits, PairTouch, Verdict};
use crate::robot::{LinkMotion, RobotMotion};
use crate::tree::{self as tree_engine, TreeStats};

/// A shape of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkShape {
    pub(crate) link: u32,
    pub(crate) shape: u32,
}

/// The motion of a side.
#[derive(Clone, Copy)]
pub(crate) enum PartMotion<'a> {
    /// The motion of a part of a robot.
    Link(LinkMotion<'a>),
    /// The motion of any other body.
    Body(&'a dyn RigidMotion),
}

/// One side of a pair.
#[derive(Clone, Copy)]
pub(crate) struct PartSide<'a> {
    pub(crate) pieces: Pieces<'a>,
    pub(crate) motion: PartMotion<'a>,
    /// The part to report, if it belongs to a robot.
    pub(crate) label: Option<LinkShape>,
}

/// Two parts that may touch.
#[derive(Clone, Copy)]
pub(crate) struct PartPair<'a> {
    pub(crate) sides: [PartSide<'a>; 2],
    /// The robot's frame that both are in; `None` for the world's.
    pub(crate) frame: Option<(&'a RobotMotion<'a>, usize)>,
}

impl PartPair<'_> {
    /// The pair in the form that the tree engine takes.
    pub(crate) fn sides(&self) -> [Side<'_>; 2] {
        let side = |side: usize| {
            let PartSide { pieces, motion, .. } = &self.sides[side];
            let motion: &dyn RigidMotion = match motion {
                PartMotion::Link(motion) => motion,
                PartMotion::Body(motion) => *motion,
            };
            Side { pieces: *pieces, motion }
        };
        [side(0), side(1)]
    }

    /// Names the parts of a touch of this pair, and takes it from the frame of the pair to the world.
    pub(crate) fn describe(&self, touch: &mut PairTouch) {
        let [a, b] = &self.sides;
        let frame = self.frame.map(|(motion, frame)| motion.link_pose(frame, touch.toi));
        describe(touch, [a.label, b.label], frame);
    }
}

/// Names the parts of a touch that belong to robots, and takes it to the world from the frame with this pose.
pub(crate) fn describe(touch: &mut PairTouch, labels: [Option<LinkShape>; 2], frame: Option<PoseAt>) {
    for (label, part) in labels.into_iter().zip(&mut touch.parts) {
        if let Some(LinkShape { link, shape }) = label {
            *part = part.of_link(link, shape);
        }
    }
    if let Some(frame) = frame {
        touch.points = touch.points.map(|point| frame.apply(point));
        touch.normal = frame.rotation * touch.normal;
    }
}

/// Finds the first touch of the pairs, with one queue of the tree engine for all of them. With `any`, the touch need not be the first. Also
/// returns which of the pairs touches or ran out of steps.
pub(crate) fn first_touch(
    pairs: &[PartPair<'_>],
    limits: &Limits,
    any: bool,
    work: &mut TreeStats,
) -> (Verdict<PairTouch>, usize) {
    let sides: Vec<[Side<'_>; 2]> = pairs.iter().map(PartPair::sides).collect();
    let found = first_in_pieces(pairs, &sides, limits, any, work);
    let verdict = found.verdict.map(|leaves| {
        let mut touch = touch_of_leaves(&sides[found.pair], &leaves);
        pairs[found.pair].describe(&mut touch);
        touch
    });
    (verdict, found.pair)
}

/// Queries the engine for one piece of time after the other, cut where the velocity of a body jumps. Over a jump the rules of second order
/// prove nothing, and those of first order take many steps; nothing that is proven depends on the cuts. Links do not jump in a step.
fn first_in_pieces(
    pairs: &[PartPair<'_>],
    sides: &[[Side<'_>; 2]],
    limits: &Limits,
    any: bool,
    work: &mut TreeStats,
) -> tree_engine::PairsVerdict {
    let bodies = pairs.iter().flat_map(|pair| &pair.sides).filter_map(|side| match side.motion {
        PartMotion::Body(motion) => Some(motion),
        PartMotion::Link(_) => None,
    });
    let inside = |t: &f64| limits.t_start < *t && *t < limits.t_end;
    let mut cuts: Vec<f64> = bodies.flat_map(jumps).filter(inside).collect();
    // A contact that rests is followed from the start to the end.
    if cuts.is_empty() || limits.start == Start::Ignore {
        return tree_engine::first_touch(sides, limits, any, work);
    }
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    let mut t_start = limits.t_start;
    for t_end in cuts {
        let found = tree_engine::first_touch(sides, &Limits { t_start, t_end, ..*limits }, any, work);
        if !found.verdict.is_free() {
            return found;
        }
        t_start = t_end;
    }
    tree_engine::first_touch(sides, &Limits { t_start, ..*limits }, any, work)
}
