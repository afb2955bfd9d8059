//! The first touch of every pair of bodies on one motion of a robot: mode "all" of a checker.
//!
//! 1. All pairs share one pass of the sieve, window by window in the order of time.
//! 2. Every pair of bodies has a [`Query`] of its own: its first touch ends the work on this pair, and on no other.
//! 3. The answer is the earliest one of all pairs. Of equal ones, obstacles come first, in the order of their names.
//!
//! Guarantee: that of a query, for each pair. After an interrupt, a pair is proven free up to the beginning of the
//! earliest window that was not searched.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::checker::{Checker, StepReport};
use super::outline::Candidate;
use super::query::{Query, bodies};
use super::sieve::{Sieved, Span};
use crate::answer::Answer;
use crate::control::Watch;
use crate::numerics::bound::lower_min;
use crate::options::Options;
use crate::robot::RobotMotion;
use crate::tree::TreeStats;
use crate::world::PairReport;

/// The search for the first touches of all pairs of bodies, and its results so far.
pub(super) struct AllPairs<'a> {
    checker: &'a Checker,
    motion: &'a RobotMotion<'a>,
    options: &'a Options,
    watch: Watch,
    /// The queries of the pairs that may touch.
    queries: BTreeMap<[usize; 2], Query<'a>>,
    windows: [u64; 2],
    /// After an interrupt: no pair touches before this time, except for the touches that its query has found.
    stopped: Option<f64>,
}

impl<'a> AllPairs<'a> {
    pub(super) fn new(
        checker: &'a Checker,
        motion: &'a RobotMotion<'a>,
        options: &'a Options,
        watch: Watch,
    ) -> AllPairs<'a> {
        let (queries, windows) = (BTreeMap::new(), [0, 0]);
        AllPairs { checker, motion, options, watch, queries, windows, stopped: None }
    }

    /// Returns the report for the time from 0 to `end`.
    pub(super) fn report(mut self, end: f64) -> StepReport {
        let query = self.query();
        let at_rest = self.checker.at_rest(query.apart());
        self.exactly(at_rest, [0.0, end]);
        let mut sieve = query.sieve();
        sieve.batches([0.0, end], |sieve, span, is_last| {
            // The earlier half of a window comes before the later one.
            let mut open: Vec<Span> = vec![span];
            while let Some(span) = open.pop() {
                let t = span.t;
                if self.watch.is_raised() {
                    let earliest = open.iter().fold(t[0], |earliest, span| lower_min(earliest, span.t[0]));
                    self.stopped = Some(if is_last { earliest } else { 0.0 });
                    return ControlFlow::Break(());
                }
                self.windows[0] += 1;
                let Sieved { close, halves } = sieve.sift(span, |_, _| false);
                self.exactly(close, t);
                if let Some([early, late]) = halves {
                    open.extend([late, early]);
                }
            }
            ControlFlow::Continue(())
        });
        self.windows[1] = sieve.tests;
        self.finished()
    }

    fn query(&self) -> Query<'a> {
        Query::new(self.checker, self.motion, self.options).watched(self.watch)
    }

    /// Runs the exact stage for some pairs of parts in a span of time, for each pair of bodies by itself.
    fn exactly(&mut self, mut close: Vec<Candidate>, span: [f64; 2]) {
        // Stable: the parts of two bodies stay in their order.
        close.sort_by_key(bodies);
        for of_pair in close.chunk_by(|x, y| bodies(x) == bodies(y)) {
            let new = self.query();
            let query = self.queries.entry(bodies(&of_pair[0])).or_insert(new);
            query.exactly(of_pair, span);
        }
    }

    fn finished(self) -> StepReport {
        let AllPairs { checker, queries, windows, stopped, .. } = self;
        let (mut work, mut close_pairs) = (TreeStats::default(), 0);
        let mut by_pair = Vec::new();
        for (bodies, mut query) in queries {
            if let Some(free_until) = stopped {
                query.cut(free_until);
            }
            let StepReport { answer, close_pairs: close, work: of_pair, .. } = query.report();
            work += of_pair;
            close_pairs += close;
            let answer = match answer {
                Answer::Undecided { free_until, .. } => Answer::Undecided { free_until, bodies },
                answer => answer,
            };
            if answer != Answer::Free {
                by_pair.push(PairReport { bodies, answer, overlaps: None });
            }
        }
        let t = |pair: &&PairReport| pair.answer.free_until(f64::INFINITY);
        let name = |pair: &&PairReport| {
            let obstacle = pair.bodies[1].checked_sub(1).map(|k| checker.obstacle(k).name());
            (obstacle.is_none(), obstacle)
        };
        let earliest =
            by_pair.iter().min_by(|x, y| t(x).total_cmp(&t(y)).then_with(|| name(x).cmp(&name(y))));
        let answer = match (earliest.map(|pair| &pair.answer), stopped) {
            // No touch is earlier than this one, so the pairs that were not searched do not matter.
            (Some(answer @ Answer::TouchingAtStart(_)), _) => answer.clone(),
            (earliest, Some(stopped)) => {
                let known = earliest.map_or(stopped, |answer| answer.free_until(stopped));
                Answer::Undecided { free_until: lower_min(stopped, known), bodies: [0, 0] }
            }
            (Some(answer), None) => answer.clone(),
            (None, None) => Answer::Free,
        };
        StepReport { answer, pairs: checker.pairs(), close_pairs, windows, work, by_pair }
    }
}
