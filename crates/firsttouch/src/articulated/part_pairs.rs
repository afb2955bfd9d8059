//! Pairs of parts, of which at least one belongs to a robot: into the tree engine, and back with labels and world coordinates.
//!
//! Both sides of a pair are in one frame: that of the last link that both hang on if they are of one robot, or else the
//! world's. What the engine finds is in this frame; [`PartPair::describe`] takes it to the world and names the parts. Scenes,
//! checkers and simulations all come this way.

use crate::advancement::Limits;
use crate::answer::{Part, Touch};
use crate::articulated::kinematics::{LinkMotion, RobotMotion};
use crate::motion::RigidMotion;
use crate::narrow::composite::Pieces;
use crate::narrow::touch_of_leaves;
use crate::narrow::tree_tree::{self, Mover, TreeOutcome, TreeStats};

/// A shape of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkShape {
    pub(crate) link: u32,
    pub(crate) shape: u32,
}

/// How a side moves.
#[derive(Clone, Copy)]
pub(crate) enum PartMotion<'a> {
    /// As a part of a robot.
    Link(LinkMotion<'a>),
    /// By itself.
    Body(&'a dyn RigidMotion),
}

/// One side of a pair.
#[derive(Clone, Copy)]
pub(crate) struct PartSide<'a> {
    pub(crate) pieces: Pieces<'a>,
    pub(crate) motion: PartMotion<'a>,
    /// The part that it is called by, if it is one of a robot's.
    pub(crate) label: Option<LinkShape>,
}

/// Two parts that may touch.
#[derive(Clone, Copy)]
pub(crate) struct PartPair<'a> {
    pub(crate) sides: [PartSide<'a>; 2],
    /// The frame of a robot that both are in, unless that is the world's.
    pub(crate) frame: Option<(&'a RobotMotion<'a>, usize)>,
}

impl PartPair<'_> {
    /// The pair as the tree engine takes it.
    pub(crate) fn movers(&self) -> [Mover<'_>; 2] {
        let mover = |side: usize| {
            let PartSide { pieces, motion, .. } = &self.sides[side];
            let motion: &dyn RigidMotion = match motion {
                PartMotion::Link(motion) => motion,
                PartMotion::Body(motion) => *motion,
            };
            Mover { pieces: *pieces, motion }
        };
        [mover(0), mover(1)]
    }

    /// Names the parts of a touch of this pair, and takes it from the frame of the pair to the world.
    pub(crate) fn describe(&self, touch: &mut Touch) {
        for (side, part) in self.sides.iter().zip(&mut touch.parts) {
            if let Some(LinkShape { link, .. }) = side.label {
                *part = Part::Link(link);
            }
        }
        if let Some((motion, frame)) = self.frame {
            let frame = motion.link_pose(frame, touch.toi);
            touch.points = touch.points.map(|point| frame.apply(point));
            touch.normal = frame.rotation * touch.normal;
        }
    }
}

/// What was found of some pairs.
pub(crate) enum PairsFound {
    Free,
    /// A touch of this pair. Its bodies are for the caller to name.
    Touch(usize, Touch),
    /// This pair ran out of steps.
    Undecided {
        pair: usize,
        free_until: f64,
    },
}

/// The first touch of pairs, all of them through one queue of the tree engine; with `any`, a touch that need not be the first.
pub(crate) fn first_touch(
    pairs: &[PartPair<'_>],
    limits: &Limits,
    any: bool,
    work: &mut TreeStats,
) -> PairsFound {
    let movers: Vec<[Mover<'_>; 2]> = pairs.iter().map(PartPair::movers).collect();
    match tree_tree::first_touch(&movers, limits, any, work) {
        TreeOutcome::Free => PairsFound::Free,
        TreeOutcome::Undecided { free_until, pair } => PairsFound::Undecided { pair, free_until },
        TreeOutcome::Touch(found) => {
            let mut touch = touch_of_leaves(&movers[found.pair], &found);
            pairs[found.pair].describe(&mut touch);
            PairsFound::Touch(found.pair, touch)
        }
    }
}
