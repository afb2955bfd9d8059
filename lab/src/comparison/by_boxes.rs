//! A step of a robot checked by boxes over the whole of it, to compare bounds with: pairs of parts whose boxes overlap
//! go to the exact stage.
//!
//! 1. [`Bounds::Chord`]: both ends of the step and a bound of the acceleration.
//! 2. [`Bounds::Taylor`]: Taylor models of every joint's motion, composed along the chain, as in the paper.
//! 3. [`Bounds::Interval`]: the same with plain intervals, which loosen exponentially with the depth of the chain.
//!
//! Guarantee: all boxes contain the parts that move in them; the exact stage is that of the library.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 5.

use firsttouch::articulated::{Checker, LinkMotion, RobotMotion};
use firsttouch::broad::{Aabb, one_chord_box, swept_box};
use firsttouch::narrow::{self, Subject};
use firsttouch::numerics::{Enclosure, Interval, TaylorModel, Window};
use firsttouch::pair::NeededGap;
use firsttouch::{Answer, Limits, Mode, Options, Result, TreeStats, Verdict};

use super::cell::{Cell, CellPart, Compared, Pair};

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
) -> Result<Compared> {
    let limits = Limits::new(options)?;
    let motion = RobotMotion::new(checker.robot(), checker.base(), from, to)?;
    let cell = Cell::of(checker, "culling by boxes")?;
    let apart = NeededGap::at_start(options).value();
    let window = Window::new(0.0, options.t_max)?;
    let boxes = boxes_of(&motion, &cell.parts, window, bounds);
    let boxes: Vec<Aabb> = boxes.into_iter().map(|bounds| bounds.inflated(apart)).collect();
    let close = cell.close_pairs(&boxes);
    let mut work = TreeStats::default();
    let answer = match exactly(&cell, &motion, &close, &limits, options.mode, &mut work) {
        // Any touch, unless something touches at the start.
        Answer::Touch(touch) if options.mode == Mode::Any => {
            let at_start = limits.within(0.0, 0.0)?;
            let mut later = touch;
            later.free_until = 0.0;
            let first = exactly(&cell, &motion, &close, &at_start, options.mode, &mut work);
            if first.touch().is_some() { first } else { Answer::Touch(later) }
        }
        answer => answer,
    };
    Ok(Compared { answer, pairs: cell.pairs(), close_pairs: close.len() as u64, work })
}

/// Returns a box for each part of the robot, in the order of links and parts, that the part never leaves on the way
/// from one configuration to another.
pub fn swept_boxes(checker: &Checker, [from, to]: [&[f64]; 2], bounds: Bounds) -> Result<Vec<Aabb>> {
    let motion = RobotMotion::new(checker.robot(), checker.base(), from, to)?;
    let mut parts = Cell::of(checker, "culling by boxes")?.parts;
    parts.sort_unstable_by_key(|part| (part.link, part.part));
    Ok(boxes_of(&motion, &parts, Window::new(0.0, 1.0)?, bounds))
}

pub(super) fn boxes_of(
    motion: &RobotMotion<'_>,
    parts: &[CellPart],
    window: Window,
    bounds: Bounds,
) -> Vec<Aabb> {
    match bounds {
        Bounds::Chord => {
            let swept = |part: &CellPart| {
                one_chord_box(&motion.part(part.link, part.part), part.center, part.half, window)
            };
            parts.iter().map(swept).collect()
        }
        Bounds::Taylor => enclosed_boxes::<TaylorModel>(motion, parts, window),
        Bounds::Interval => enclosed_boxes::<Interval>(motion, parts, window),
    }
}

fn enclosed_boxes<E: Enclosure>(motion: &RobotMotion<'_>, parts: &[CellPart], window: Window) -> Vec<Aabb> {
    let enclosures = motion.enclosures::<E>(window);
    let swept = |part: &CellPart| {
        swept_box(&enclosures[motion.part_frame(part.link, part.part)], part.center, part.half)
    };
    parts.iter().map(swept).collect()
}

/// The exact stage of the library for some pairs.
fn exactly(
    cell: &Cell<'_>,
    motion: &RobotMotion<'_>,
    close: &[Pair],
    limits: &Limits,
    mode: Mode,
    work: &mut TreeStats,
) -> Answer {
    let motions: Vec<[Option<LinkMotion<'_>>; 2]> =
        close.iter().map(|&pair| cell.motions(motion, pair, cell.base_of(pair))).collect();
    let pairs: Vec<[Subject<'_>; 2]> =
        close.iter().zip(&motions).map(|(&pair, motions)| cell.subjects(pair, motions)).collect();
    if pairs.is_empty() {
        return Answer::Free;
    }
    let found = narrow::first_touch(&pairs, limits, mode == Mode::Any, work);
    let pair = close[found.pair];
    match found.verdict {
        Verdict::Free => Answer::Free,
        Verdict::Undecided { free_until } => Answer::Undecided { free_until, bodies: Cell::bodies(pair) },
        Verdict::Touch(mut touch) => {
            if let Some(base) = cell.base_of(pair) {
                let frame = motion.link_pose(base, touch.toi);
                touch.points = touch.points.map(|point| frame.apply(point));
                touch.normal = frame.rotation * touch.normal;
            }
            let touch = cell.touch(touch, pair);
            if touch.toi == 0.0 { Answer::TouchingAtStart(touch) } else { Answer::Touch(touch) }
        }
    }
}
