//! Two parts that may touch: the one form of a pair in scenes, checkers and simulations.
//!
//! 1. A side is a body that moves in one piece, or a part of a robot's link.
//! 2. Both sides of a pair are in one frame: that of the last common ancestor if they belong to one robot, or else the
//!    world's.
//! 3. Each pair has its own separation. Pairs with one separation share a queue of the dispatcher.
//! 4. [`PartPair::subjects`] is the input of the dispatcher and [`PartPair::sides`] that of the tree engine. The result
//!    is in the frame of the pair; [`PartPair::describe`] takes it to the world and names the parts.

use smallvec::SmallVec;

use crate::clearance::SidePair;
use crate::narrow::{self, Dispatched, Engine, Pieces, Side, Subject};
use crate::numerics::bound::lower_min;
use crate::pair::{Limits, PairTouch, TreeStats, Verdict};
use crate::robot::{LinkMotion, RobotMotion};

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
    /// A part of a link, or of a body attached to it.
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
    /// The distance below which the two touch.
    pub(crate) separation: f64,
}

impl PartPair<'_> {
    /// Returns the pair in the form that the dispatcher takes.
    pub(crate) fn subjects(&self) -> [Subject<'_>; 2] {
        [self.sides[0].subject(), self.sides[1].subject()]
    }

    /// Returns the pair in the form that the tree engine takes.
    pub(crate) fn sides(&self) -> [Side<'_>; 2] {
        self.subjects().map(|subject| subject.side())
    }

    /// Returns the pair in the form that questions about distances take.
    pub(crate) fn side_pair(&self) -> SidePair<'_, Pieces<'_>> {
        SidePair { sides: self.sides(), with_itself: false, separation: self.separation }
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

/// Finds the first touch of the pairs, each with its own separation. With `any`, the touch need not be the first. The
/// separation of `limits` plays no part.
pub(crate) fn first_touch(
    pairs: &[PartPair<'_>],
    limits: &Limits,
    any: bool,
    work: &mut TreeStats,
) -> Dispatched {
    let nothing = Dispatched { verdict: Verdict::Free, pair: 0, engine: Engine::Trees };
    let Some(separation) = pairs.first().map(|pair| pair.separation) else { return nothing };
    if pairs.iter().all(|pair| pair.separation == separation) {
        return in_one_queue(pairs, &Limits { min_separation: separation, ..*limits }, any, work);
    }
    let mut separations: Vec<f64> = Vec::new();
    for pair in pairs {
        if !separations.contains(&pair.separation) {
            separations.push(pair.separation);
        }
    }
    // All queues up to now are proven free before this time, except for the touch itself.
    let mut proven = limits.t_end;
    let mut first = nothing;
    for (k, separation) in separations.iter().enumerate() {
        let own: Vec<usize> = (0..pairs.len()).filter(|&i| pairs[i].separation == *separation).collect();
        let of_queue: Vec<PartPair<'_>> = own.iter().map(|&i| pairs[i]).collect();
        // A pair that ran out of steps says nothing about a touch of another pair.
        let t_end = if any { limits.t_end } else { proven };
        let limits = Limits { min_separation: *separation, t_end, ..*limits };
        let found = in_one_queue(&of_queue, &limits, any, work);
        let found = Dispatched { pair: own[found.pair], ..found };
        match (&found.verdict, &first.verdict) {
            (Verdict::Free, _) => {}
            (Verdict::Touch(touch), _) if any => {
                // The queues that are left are not proven free beyond the start.
                let is_last = k + 1 == separations.len();
                proven = if is_last { lower_min(proven, touch.free_until) } else { limits.t_start };
                let verdict = found.verdict.map(|touch| PairTouch { free_until: proven, ..touch });
                return Dispatched { verdict, ..found };
            }
            (Verdict::Undecided { free_until }, Verdict::Undecided { free_until: known })
                if known <= free_until => {}
            // Its time is not after `proven`: the queue ended there. Of equal times the touch counts.
            (Verdict::Undecided { free_until }, Verdict::Touch(touch)) if touch.toi <= *free_until => {}
            (Verdict::Touch(touch), Verdict::Touch(known)) if known.toi <= touch.toi => {}
            (Verdict::Undecided { free_until }, _) => {
                (proven, first) = (lower_min(proven, *free_until), found)
            }
            (Verdict::Touch(touch), _) => (proven, first) = (lower_min(proven, touch.toi), found),
        }
        if !any && proven <= limits.t_start {
            break;
        }
    }
    first
}

/// Finds the first touch of pairs that keep the separation of the limits.
fn in_one_queue(pairs: &[PartPair<'_>], limits: &Limits, any: bool, work: &mut TreeStats) -> Dispatched {
    let subjects: SmallVec<[[Subject<'_>; 2]; 1]> = pairs.iter().map(PartPair::subjects).collect();
    let Dispatched { verdict, pair, engine } = narrow::first_touch(&subjects, limits, any, work);
    let verdict = verdict.map(|mut touch| {
        pairs[pair].describe(&mut touch);
        touch
    });
    Dispatched { verdict, pair, engine }
}
