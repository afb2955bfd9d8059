//! The search for the least distance of a robot from its obstacles and from itself, on one motion.
//!
//! # The method
//! 1. *A first pair.* Coarse solids around the parts are compared where their boxes are closest: at the beginning, in
//!    the middle or at the end. The pair that overlaps most is measured at that instant. The closest of the pairs that
//!    are apart is searched over the whole time (`clearance`): most often it is the closest of all, and its least
//!    distance excludes nearly all others.
//! 2. *Pairs at rest* are measured once, unless they are known to be farther apart.
//! 3. *Windows.* The sieve goes through windows of time, with the upper bound as the separation to be kept: a pair that
//!    it proves free is farther apart than that. The pair of rule 1 is left out if its search ended: its least distance
//!    is known. Two parts that are close in the middle of a window are measured there, which lowers the upper bound for
//!    everything that follows.
//! 4. *Exact stage.* The remaining pairs, each in its windows, go through the same search: first the nearest known pair
//!    by itself, then all others in one queue.
//!
//! # Guarantee
//! Pairs that are dropped in rules 2 and 3 are proven to be farther apart than an upper bound of the least distance.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use glam::DVec3;

use super::outline::Candidate;
use super::pairs::CheckerPairs;
use super::separation;
use super::sieve::{Sieve, Sieved, Span, Surroundings};
use crate::clearance::Question;
use crate::motion::PoseAt;
use crate::numerics::bound::upper_max;
use crate::questions::{LeastPairs, LeastSearch};
use crate::robot::LinkBounds;
use crate::shape::Convex;

type Search<'s, 'a> = LeastSearch<'s, CheckerPairs<'a>>;

impl LeastPairs for CheckerPairs<'_> {
    fn search_least(&self, search: &mut LeastSearch<'_, Self>) {
        let searched = self.first_pair(search);
        self.pairs_at_rest(search);
        self.windows(search, searched);
    }
}

/// Pairs to begin with.
struct LikelyClosest {
    /// The pair whose solids overlap most, and the instant. The parts inside may still be far apart.
    overlapping: Option<(Candidate, f64)>,
    /// The pair whose solids are closest, among those whose solids are apart.
    apart: Option<Candidate>,
}

/// The first pair is chosen from at most `MOST_COMPARED` pairs by their boxes, and from at most `MOST_SOLIDS` of these
/// by their solids.
const MOST_COMPARED: usize = 5_000;
const MOST_SOLIDS: usize = 32;

/// The most instants in the search of the first pair. A pair that needs more is left to the exact stage.
const FIRST_ITERATIONS: usize = 128;

/// Close pairs go to the exact stage in windows that were halved at least `DEPTHS[0]` times, all others in windows that
/// were halved `DEPTHS[1]` times.
const DEPTHS: [u32; 2] = [3, 5];

/// Pairs that are close in the middle of a window are measured there if it was halved less often than this.
const TRIED: u32 = 2;

impl CheckerPairs<'_> {
    /// Rule 1 of the header. Returns the pair whose search ended.
    fn first_pair(&self, search: &mut Search<'_, '_>) -> Option<Candidate> {
        if search.upper() < f64::INFINITY {
            return None;
        }
        let question = search.question();
        let LikelyClosest { overlapping, apart } = self.likely_closest(question.span);
        if let Some((candidate, t)) = overlapping {
            measure_at(search, candidate, t);
        }
        let candidate = apart.filter(|_| search.upper() > question.tolerance)?;
        let max_iterations = question.max_iterations.min(FIRST_ITERATIONS); // not a bound: a count
        let question = Question { max_iterations, least_budget: 0, ..*question };
        let lower = search.measure_with(&[(candidate, question.span)], &question);
        // If the budget is spent, the exact stage continues with the pair, in the windows that the sieve leaves.
        let is_found = search.upper() - lower <= question.tolerance;
        if is_found {
            search.bound(lower);
        }
        is_found.then_some(candidate)
    }

    /// Returns the pairs that are likely the closest ones. Each pair is judged by its solids, at that one of three
    /// instants at which its boxes are closest. Not a bound: steers.
    fn likely_closest(&self, [from, to]: [f64; 2]) -> LikelyClosest {
        let instants = [from, 0.5 * (from + to), to];
        let Surroundings { outline, obstacles, .. } = self.checker.surroundings();
        let poses: Vec<[PoseAt; 3]> =
            (0..outline.parts.len()).map(|i| self.motion.poses(&instants, outline.frames[i])).collect();
        let hull = |i: usize| outline.solids[i].whole();
        let boxes: Vec<[[DVec3; 2]; 3]> = (0..outline.parts.len())
            .map(|i| {
                let (center, half) = hull(i).bounds();
                poses[i].map(|pose| [pose.apply(center), pose.box_extent(half)])
            })
            .collect();
        let compared = if from < to { 0..3 } else { 0..1 };
        let mut guesses: Vec<(f64, usize, Candidate)> = Vec::new();
        for candidate in self.checker.measured_pairs().take(MOST_COMPARED) {
            let mut guess = (f64::INFINITY, 0, candidate);
            for k in compared.clone() {
                let [a, b] = match candidate {
                    Candidate::Obstacle(i, obstacle) => {
                        let (center, half) = obstacles[obstacle].solid.whole().bounds();
                        [boxes[i][k], [center, half]]
                    }
                    Candidate::Own(i, j) => [boxes[i][k], boxes[j][k]],
                };
                let gap = (b[0] - a[0]).abs() - a[1] - b[1];
                let outside = gap.max(DVec3::ZERO).length(); // not a bound: steers
                let gap = if outside > 0.0 { outside } else { gap.max_element() };
                if gap < guess.0 {
                    guess = (gap, k, candidate);
                }
            }
            guesses.push(guess);
        }
        // The pair with the closest boxes comes first: it excludes most of the others.
        let closest_boxes = (0..guesses.len()).min_by(|&x, &y| guesses[x].0.total_cmp(&guesses[y].0));
        if let Some(place) = closest_boxes {
            guesses.swap(0, place);
        }
        let mut closest: Option<(f64, Candidate)> = None;
        let mut deepest: Option<(f64, (Candidate, f64))> = None;
        let mut left = MOST_SOLIDS;
        for (gap, k, candidate) in guesses {
            if left == 0 || closest.is_some_and(|(known, _)| gap >= known) {
                continue;
            }
            left -= 1;
            let (solids, pose) = match candidate {
                Candidate::Obstacle(i, obstacle) => {
                    ([obstacles[obstacle].solid.whole(), hull(i)], poses[i][k])
                }
                Candidate::Own(i, j) => {
                    let [a, b] = [&poses[i][k], &poses[j][k]];
                    let rotation = a.rotation.transpose() * b.rotation;
                    ([hull(i), hull(j)], PoseAt { rotation, translation: a.to_body(b.translation) })
                }
            };
            let enough = closest.map_or(f64::INFINITY, |(known, _)| known);
            let towards = pose.apply(solids[1].bounds().0) - solids[0].bounds().0;
            let apart = separation::distance_up_to(enough, towards, solids, &pose, &LinkBounds::AT_REST);
            if apart > 0.0 && closest.is_none_or(|(known, _)| apart < known) {
                closest = Some((apart, candidate));
            } else if apart <= 0.0 && deepest.is_none_or(|(known, _)| apart < known) {
                deepest = Some((apart, (candidate, instants[k])));
            }
        }
        LikelyClosest {
            overlapping: deepest.map(|(_, pair)| pair),
            apart: closest.map(|(_, candidate)| candidate),
        }
    }

    /// Rule 2 of the header.
    fn pairs_at_rest(&self, search: &mut Search<'_, '_>) {
        let span = search.question().span;
        let close = self.checker.at_rest(search.upper());
        exactly(search, &close.into_iter().map(|candidate| (candidate, span)).collect::<Vec<_>>());
    }

    /// Rules 3 and 4 of the header.
    fn windows(&self, search: &mut Search<'_, '_>, searched: Option<Candidate>) {
        let mut sieve = Sieve::new(self.checker.surroundings(), &self.motion, search.upper());
        sieve.watch = search.question().watch;
        sieve.depths = DEPTHS;
        sieve.left_out = searched;
        sieve.batches(search.question().span, |sieve, span, _| {
            let mut close: Vec<(Candidate, [f64; 2])> = Vec::new();
            let mut open: VecDeque<Span> = VecDeque::from([span]);
            while let Some(span) = open.pop_front() {
                if search.is_done() {
                    return ControlFlow::Break(());
                }
                let window = span.t;
                let (mut last, depth) = (None, span.depth());
                (sieve.min_separation, sieve.own_separation) = (search.upper(), search.upper());
                let Sieved { close: found, halves } = sieve.sift(span, |candidate, middle| {
                    // In shorter windows the exact stage finds more.
                    if last != Some(candidate) && depth < TRIED {
                        last = Some(candidate);
                        measure_at(search, candidate, middle);
                    }
                    search.is_done()
                });
                close.extend(found.into_iter().map(|candidate| (candidate, window)));
                open.extend(halves.into_iter().flatten());
            }
            exactly(search, &close);
            if search.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }
}

/// Lowers the upper bound if a pair is closer than it at an instant.
fn measure_at(search: &mut Search<'_, '_>, candidate: Candidate, t: f64) {
    // The bound need not be sharp here: the exact stage sharpens it.
    let tolerance = upper_max(0.02 * search.upper(), search.question().tolerance);
    let question = Question { span: [t, t], tolerance, ..*search.question() };
    search.measure_with(&[(candidate, [t, t])], &question);
}

/// Rule 4 of the header. The nearest known pair comes first: it excludes most of the others.
fn exactly(search: &mut Search<'_, '_>, pairs: &[(Candidate, [f64; 2])]) {
    let nearest = search.nearest().copied();
    let (first, others): (Vec<_>, Vec<_>) =
        pairs.iter().copied().partition(|(candidate, _)| Some(*candidate) == nearest);
    for pairs in [first, others] {
        if !pairs.is_empty() {
            search.measure(&pairs);
        }
    }
}
