//! Two parts that may touch: the one form of a pair in scenes, checkers and simulations.
//!
//! 1. A side is a body that moves in one piece, or a part of a robot's link.
//! 2. Both sides of a pair are in one frame: that of the last common ancestor if they belong to one robot, or else the world's.
//! 3. [`PartPair::subjects`] is the input of the dispatcher and [`PartPair::sides`] that of the tree engine. The result is
//!    in the frame of the pair; [`PartPair::describe`] takes it to the world and names the parts.

use crate::narrow::{Pieces, Side, Subject, in_pieces, touch_of_leaves};
use crate::pair::{Limits, PairTouch, Verdict};
use crate::robot::{LinkMotion, RobotMotion};
use crate::tree::{self as tree_engine, TreeStats};

/// A shape of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkShape {
    pub(crate) link: u32,
    pub(crate) shape: u32,
}

/// One side of a pair.
#[derive(Clone, Copy)]
pub(crate) enum PartSide<'a> {
    /// A body that moves in one piece.
    Whole(Subject<'a>),
    /// A part of a link, or of what the link holds.
    Link {
        pieces: Pieces<'a>,
        motion: LinkMotion<'a>,
        /// The part to report; `None` for a held body that is reported by its own parts.
        label: Option<LinkShape>,
    },
}

impl PartSide<'_> {
    fn subject(&self) -> Subject<'_> {
        match self {
            PartSide::Whole(subject) => *subject,
            PartSide::Link { pieces, motion, .. } => Subject::Link { pieces: *pieces, motion },
        }
    }

    fn label(&self) -> Option<LinkShape> {
        match self {
            PartSide::Whole(_) => None,
            PartSide::Link { label, .. } => *label,
        }
    }
}

/// Two parts that may touch.
#[derive(Clone, Copy)]
pub(crate) struct PartPair<'a> {
    pub(crate) sides: [PartSide<'a>; 2],
    /// The robot's frame that both are in; `None` for the world's.
    pub(crate) frame: Option<(&'a RobotMotion<'a>, usize)>,
}

impl PartPair<'_> {
    /// The pair in the form that the dispatcher takes.
    pub(crate) fn subjects(&self) -> [Subject<'_>; 2] {
        [self.sides[0].subject(), self.sides[1].subject()]
    }

    /// The pair in the form that the tree engine takes.
    pub(crate) fn sides(&self) -> [Side<'_>; 2] {
        self.subjects().map(|subject| subject.side())
    }

    /// Names the parts of a touch of this pair, and takes it from the frame of the pair to the world.
    pub(crate) fn describe(&self, touch: &mut PairTouch) {
        for (side, part) in self.sides.iter().zip(&mut touch.parts) {
            if let Some(LinkShape { link, shape }) = side.label() {
                *part = part.of_link(link, shape);
            }
        }
        if let Some((motion, frame)) = self.frame {
            let frame = motion.link_pose(frame, touch.toi);
            touch.points = touch.points.map(|point| frame.apply(point));
            touch.normal = frame.rotation * touch.normal;
        }
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
    // Links do not jump in a step.
    let kinks = pairs.iter().flat_map(|pair| &pair.sides).filter_map(|side| match side {
        PartSide::Whole(subject) => Some(subject.kinks()),
        PartSide::Link { .. } => None,
    });
    let mut which = 0;
    let verdict = in_pieces(kinks.flatten(), limits, |limits| {
        let found = tree_engine::first_touch(&sides, limits, any, work);
        which = found.pair;
        found.verdict
    });
    let verdict = verdict.map(|leaves| {
        let mut touch = touch_of_leaves(&sides[which], &leaves);
        pairs[which].describe(&mut touch);
        touch
    });
    (verdict, which)
}
