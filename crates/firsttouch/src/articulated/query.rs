//! One query of a checker: a robot that moves from one configuration to another, or stands in one.
//!
//! 1. *Pairs at rest.* Parts that do not move relative to each other, and are not known to be apart.
//! 2. *Windows.* The sieve goes through windows of time and hands over the pairs of parts that may touch in them.
//! 3. *Exact stage.* The pairs of a window go through one queue of the tree engine, up to the earliest touch found so
//!    far.
//!
//! For the first touch, the earliest window comes first. For any touch, the longest window does, and a pair that
//! overlaps in the middle of a window is tested there before anything else, until one such test has failed. For the
//! touching steps of a walk that saves 40 percent of the instructions (67.9 to 39.4 million for 48 steps). A free step
//! costs one test more than the first touch (1.7 percent on a walk, less than one in the other scenes of the ratios).
//! Before such a touch is returned, contacts at the start are searched for, unless a window that begins at the start is
//! proven free: a robot that overlaps at the start is never reported as free up to a later time.
//!
//! Guarantee: that of the tree engine; the sieve is rigorous. `free_until` of an answer to "any" is the beginning of
//! the earliest window that is not proven free.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::checker::{Checker, StepReport};
use super::outline::Candidate;
use super::sieve::{Sieve, Sieved, Span};
use crate::answer::{Answer, Touch};
use crate::body::Body;
use crate::control::Watch;
use crate::narrow::{Dispatched, Pieces};
use crate::numerics::bound::lower_min;
use crate::options::{Mode, Options};
use crate::pair::{Limits, PairTouch, Verdict};
use crate::robot::{LinkMotion, RobotMotion};
use crate::tree::TreeStats;
use crate::world::part_pairs::{LinkShape, PartPair, PartSide, first_touch};

/// Pairs are handed to the exact stage in batches of this size, so that its memory is bounded.
const BATCH: usize = 4_096;

/// One query, and its results so far.
pub(super) struct Query<'a> {
    checker: &'a Checker,
    motion: &'a RobotMotion<'a>,
    options: &'a Options,
    work: TreeStats,
    close: u64,
    windows: [u64; 2],
    touch: Option<Touch>,
    /// The time at which the first pair ran out of steps, and its bodies.
    undecided: Option<(f64, [usize; 2])>,
    /// The time before which everything but the touch is proven free.
    proven: f64,
    /// True if a pair was tested in the middle of a window. If the first such test finds no touch, further ones rarely
    /// do.
    has_tried: bool,
    watch: Watch,
}

impl<'a> Query<'a> {
    pub(super) fn new(checker: &'a Checker, motion: &'a RobotMotion<'a>, options: &'a Options) -> Query<'a> {
        Query {
            checker,
            motion,
            options,
            work: TreeStats::default(),
            close: 0,
            windows: [0, 0],
            touch: None,
            undecided: None,
            proven: options.t_max,
            has_tried: false,
            watch: Watch::NONE,
        }
    }

    /// Returns the same query, which may be interrupted.
    pub(super) fn watched(self, watch: Watch) -> Query<'a> {
        Query { watch, ..self }
    }

    /// Returns the sieve of the query.
    pub(super) fn sieve(&self) -> Sieve<'a> {
        let [own, all] = self.checker.needed_gaps(self.options);
        let mut sieve = Sieve::new(self.checker.surroundings(), self.motion, all.value());
        sieve.own_separation = own.value();
        sieve.watch = self.watch;
        sieve
    }

    /// Returns true if the query is interrupted. If it is, pairs that are not finished are only proven free up to
    /// `free_until`.
    fn is_cut(&mut self, free_until: impl FnOnce() -> f64) -> bool {
        if !self.watch.is_raised() {
            return false;
        }
        self.cut(free_until());
        true
    }

    /// Ends the query: pairs that are not finished are only proven free up to a time.
    pub(super) fn cut(&mut self, free_until: f64) {
        if self.undecided.is_none_or(|(known, _)| free_until < known) {
            self.undecided = Some((free_until, [0, 0]));
        }
    }

    /// Returns the report for the whole step.
    pub(super) fn step(mut self) -> StepReport {
        self.by_windows();
        self.report()
    }

    /// Returns the report for the start.
    pub(super) fn state(mut self) -> StepReport {
        let mut sieve = self.sieve();
        self.at_start(&mut sieve);
        self.windows[1] = sieve.tests;
        self.report()
    }

    pub(super) fn report(self) -> StepReport {
        let Query { checker, options, work, close, windows, touch, undecided, proven, .. } = self;
        let answer = match (touch, undecided) {
            (None, None) => Answer::Free,
            (None, Some((free_until, bodies))) => Answer::Undecided { free_until, bodies },
            (Some(touch), Some((free_until, bodies)))
                if options.mode != Mode::Any && free_until < touch.toi =>
            {
                Answer::Undecided { free_until, bodies }
            }
            (Some(touch), _) if touch.toi == 0.0 => {
                Answer::TouchingAtStart(Touch { free_until: 0.0, ..touch })
            }
            (Some(touch), undecided) => {
                let spent = undecided.map_or(f64::INFINITY, |(t, _)| t);
                let free_until = if options.mode == Mode::Any {
                    lower_min(lower_min(proven, spent), touch.toi)
                } else {
                    touch.toi
                };
                Answer::Touch(Touch { free_until, ..touch })
            }
        };
        let by_pair = Vec::new();
        StepReport { answer, pairs: checker.pairs(), close_pairs: close, windows, work, by_pair }
    }

    fn is_any(&self) -> bool {
        self.options.mode == Mode::Any
    }

    /// Returns the distance at which any parts are skipped: parts within the tolerance at the start count as touching
    /// then.
    pub(super) fn apart(&self) -> f64 {
        self.checker.needed_gaps(self.options)[1].value()
    }

    /// Returns the end of the time that is still relevant.
    fn horizon(&self) -> f64 {
        let touch = self.touch.as_ref().map_or(f64::INFINITY, |touch| touch.toi);
        // A pair that ran out of steps says nothing about a touch of another pair.
        let undecided = self.undecided.filter(|_| !self.is_any()).map_or(f64::INFINITY, |(t, _)| t);
        if undecided < touch { undecided } else { touch }
    }

    /// Tests the pairs that the sieve lets through, window by window.
    fn by_windows(&mut self) {
        let t_max = self.options.t_max;
        let at_rest = self.checker.at_rest(self.apart());
        self.exactly(&at_rest, [0.0, t_max]);
        if self.horizon() == 0.0 {
            self.proven = 0.0;
            return;
        }
        let mut sieve = self.sieve();
        if self.is_any() && self.touch.is_some() {
            self.proven = 0.0;
            self.or_at_start(|query| query.at_start(&mut sieve));
        } else {
            sieve.batches([0.0, t_max], |sieve, span, is_last| self.window_by_window(sieve, span, is_last));
        }
        self.windows[1] = sieve.tests;
    }

    /// Replaces a known later touch by a touch at the start, if there is one.
    fn or_at_start(&mut self, look: impl FnOnce(&mut Self)) {
        let later = self.touch.take();
        if later.as_ref().is_some_and(|touch| touch.toi > 0.0) {
            look(self);
        }
        self.touch = self.touch.take().or(later);
    }

    /// Works on one batch of pairs, in a window and its halves. Breaks when nothing is left to find.
    fn window_by_window(&mut self, sieve: &mut Sieve<'_>, span: Span, is_last: bool) -> ControlFlow<()> {
        let any = self.is_any();
        let mut open = VecDeque::from([span]);
        while let Some(span) = if any { open.pop_front() } else { open.pop_back() } {
            let t = span.t;
            let earliest = || open.iter().fold(t[0], |earliest, span| lower_min(earliest, span.t[0]));
            if self.is_cut(|| if is_last { earliest() } else { 0.0 }) {
                return ControlFlow::Break(());
            }
            if self.horizon() <= t[0] {
                continue;
            }
            self.windows[0] += 1;
            let Sieved { close, halves } = sieve.sift(span, |candidate, middle| {
                any && !self.has_tried && {
                    self.exactly(&[candidate], [middle, middle]);
                    self.has_tried = true;
                    self.touch.is_some()
                }
            });
            self.exactly(&close, t);
            if any && self.touch.is_some() {
                let unproven = || open.iter().chain(halves.iter().flatten());
                let earliest = unproven()
                    .fold(t[0], |earliest, span| if span.t[0] < earliest { span.t[0] } else { earliest });
                self.proven = if is_last { earliest } else { 0.0 };
                if self.proven == 0.0 {
                    // Of the last batch, only the pairs that are not proven free at the start are tested there.
                    let at_start: Vec<Span> = unproven().filter(|span| span.t[0] == 0.0).cloned().collect();
                    self.or_at_start(|query| match is_last {
                        true => query.rest_at_start(sieve, if t[0] == 0.0 { &close } else { &[] }, at_start),
                        false => query.at_start(sieve),
                    });
                }
                return ControlFlow::Break(());
            }
            if let Some([early, late]) = halves {
                if any {
                    open.extend([early, late]);
                } else {
                    open.extend([late, early]);
                }
            }
        }
        if self.horizon() == 0.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Tests everything at the start.
    fn at_start(&mut self, sieve: &mut Sieve<'_>) {
        let at_rest = self.checker.at_rest(self.apart());
        self.exactly(&at_rest, [0.0, 0.0]);
        if self.touch.is_some() {
            return;
        }
        sieve.batches([0.0, 0.0], |sieve, span, _| {
            self.rest_at_start(sieve, &[], vec![span]);
            if self.touch.is_some() || self.is_cut(|| 0.0) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
    }

    /// Tests pairs of parts, and the remaining pairs of spans that begin at 0, at the start.
    fn rest_at_start(&mut self, sieve: &mut Sieve<'_>, close: &[Candidate], spans: Vec<Span>) {
        self.exactly(close, [0.0, 0.0]);
        for span in spans {
            if self.touch.is_some() || self.is_cut(|| 0.0) {
                return;
            }
            self.windows[0] += 1;
            let Sieved { close, .. } = sieve.sift(span.at_start(), |_, _| false);
            self.exactly(&close, [0.0, 0.0]);
        }
    }

    /// Runs the exact stage for some pairs in a span of time.
    pub(super) fn exactly(&mut self, close: &[Candidate], [t_start, t_end]: [f64; 2]) {
        for batch in close.chunks(BATCH) {
            if self.is_cut(|| t_start) {
                return;
            }
            let horizon = self.horizon();
            let t_end = if horizon < t_end { horizon } else { t_end };
            let is_known = self.touch.as_ref().is_some_and(|touch| self.is_any() || touch.toi <= t_start);
            if is_known || t_end < t_start {
                return;
            }
            self.exact_batch(batch, [t_start, t_end]);
        }
    }

    fn exact_batch(&mut self, close: &[Candidate], [t_start, t_end]: [f64; 2]) {
        self.close += close.len() as u64;
        let limits = Limits { t_start, t_end, watch: self.watch, ..Limits::of_valid(self.options) };
        let pairs: Vec<PartPair<'_>> = close
            .iter()
            .map(|candidate| self.checker.part_pair(self.motion, candidate, self.options.min_separation))
            .collect();
        let Dispatched { verdict, pair, .. } = first_touch(&pairs, &limits, self.is_any(), &mut self.work);
        match verdict {
            Verdict::Free => {}
            Verdict::Undecided { free_until } => {
                if self.undecided.is_none_or(|(known, _)| free_until < known) {
                    self.undecided = Some((free_until, bodies(&close[pair])));
                }
            }
            Verdict::Touch(touch) => {
                if self.touch.as_ref().is_none_or(|known| touch.toi < known.toi) {
                    let touch = self.checker.in_order_of_links(touch, &close[pair]);
                    self.touch = Some(touch.between(bodies(&close[pair])));
                }
            }
        }
    }
}

pub(super) fn bodies(candidate: &Candidate) -> [usize; 2] {
    match candidate {
        Candidate::Obstacle(_, obstacle) => [0, 1 + obstacle],
        Candidate::Own(_, _) => [0, 0],
    }
}

impl Checker {
    /// Returns two parts with their motions: in the world for an obstacle, otherwise relative to the last common
    /// ancestor of their links. `min_separation` is that of pairs without one of their own.
    pub(super) fn part_pair<'a>(
        &'a self,
        motion: &'a RobotMotion<'a>,
        candidate: &Candidate,
        min_separation: f64,
    ) -> PartPair<'a> {
        let separation = self.separation_of(candidate, min_separation);
        match *candidate {
            Candidate::Obstacle(i, k) => {
                let part = self.parts()[i];
                let moves = motion.part(part.link, part.part);
                let sides = [self.part_side(i, moves), obstacle_side(self.obstacle(k))];
                PartPair { sides, frame: None, separation }
            }
            Candidate::Own(i, j) => {
                let [a, b] = [i, j].map(|i| self.parts()[i]);
                let base = self.robot().common_ancestor(a.link, b.link);
                let [of_a, of_b] =
                    [a, b].map(|p| motion.frame_in(motion.part_frame(p.link, p.part), Some(base)));
                let sides = [self.part_side(i, of_a), self.part_side(j, of_b)];
                PartPair { sides, frame: Some((motion, base)), separation }
            }
        }
    }

    fn part_side<'a>(&'a self, part: usize, motion: LinkMotion<'a>) -> PartSide<'a> {
        let part = self.parts()[part];
        let pieces = Pieces::of(&self.robot().links()[part.link].parts()[part.part].shape);
        let label = Some(LinkShape { link: part.link as u32, shape: part.part as u32 });
        PartSide::Link { pieces, motion, label }
    }

    /// Orders the sides of a touch by link index. Pairs are processed in the order of names, but answers use indices.
    pub(super) fn in_order_of_links(&self, touch: PairTouch, candidate: &Candidate) -> PairTouch {
        if self.is_swapped(candidate) { touch.swapped() } else { touch }
    }
}

/// Returns an obstacle as a side of a pair, in the world.
pub(crate) fn obstacle_side(body: &Body) -> PartSide<'_> {
    PartSide::Whole(body.as_subject().expect("the constructor refuses robots"))
}
