//! Two bodies by their convex hulls over a window: rule 2 of the header of the folder.
//!
//! The hulls contain the bodies, so a lower bound of the distance of the hulls is one of the bodies. An upper bound is not: where the
//! hulls are closest, the bodies are measured at that instant. If they are farther apart than the hulls by more than the tolerance, a
//! hull fills in something there, and the window is left to the trees.

use smallvec::{SmallVec, smallvec};

use super::leaf::{End, ROUND, Span, bounded, instant_to_divide_at};
use super::{Candidate, Next, Question, Search, SidePair, least_distance_in};
use crate::advancement::Approach;
use crate::convex::{ConvexPair, Moving};
use crate::numerics::Window;
use crate::pair::TreeStats;
use crate::tree::composite::Composite;

/// Whether both sides have hulls, and one of them is not convex itself.
pub(super) fn are_useful<C: Composite>(pair: &SidePair<'_, C>) -> bool {
    let SidePair { sides: [a, b], with_itself } = pair;
    let has_tree = a.pieces.children(0).is_some() || b.pieces.children(0).is_some();
    has_tree && !with_itself && a.pieces.hull().is_some() && b.pieces.hull().is_some()
}

impl<C: Composite + Copy> Search<'_, '_, C> {
    /// The hulls in a window: divides it a few times. Returns what is left.
    pub(super) fn hulls(&mut self, candidate: Candidate) -> Next {
        let mut next = Next::new();
        let pairs = self.pairs;
        let SidePair { sides: [a, b], .. } = &pairs[candidate.pair as usize];
        let (Some(hull_a), Some(hull_b)) = (a.pieces.hull(), b.pieces.hull()) else {
            self.keep(Candidate { by_hulls: false, ends: None, ..candidate }, &mut next);
            return next;
        };
        let mut approach = ConvexPair::new(
            Moving { shape: hull_a, motion: a.motion },
            Moving { shape: hull_b, motion: b.motion },
            f64::INFINITY,
            self.question.tolerance,
        );
        let [from, to] = candidate.window;
        let ends = match candidate.ends {
            Some(ends) => {
                // Makes the end of the window the current instant.
                approach.separation_along(ends[1].normal, to);
                ends
            }
            None => [from, to].map(|t| self.hulls_at(&mut approach, t)),
        };
        let bounds = approach.relative_bounds(Window::between(from, to));
        let mut spans: SmallVec<[Span; 16]> =
            smallvec![bounded(&mut approach, candidate.window, ends, &bounds)];
        for _ in 0..ROUND {
            if self.is_spent() {
                break;
            }
            let least = spans.iter().enumerate().min_by(|x, y| x.1.bound.lower.total_cmp(&y.1.bound.lower));
            let Some((place, span)) = least else { break };
            if self.is_enough(span.bound.lower) {
                break;
            }
            let (nearest, t) = if span.ends[0].upper <= span.ends[1].upper {
                (span.ends[0], span.window[0])
            } else {
                (span.ends[1], span.window[1])
            };
            // Infinity less infinity is NaN: nothing is known yet, and anything is closer.
            let is_closer = |upper: f64, tolerance: f64| {
                let gained = upper - nearest.upper;
                gained > tolerance || gained.is_nan()
            };
            if is_closer(self.upper, self.question.tolerance) {
                self.measure_at(candidate.pair, t);
            }
            let is_filled_in = is_closer(self.upper, self.question.tolerance);
            let middle =
                if is_filled_in { None } else { instant_to_divide_at(span, self.question.tolerance) };
            let Span { window, ends: [first, last], bound } = spans.swap_remove(place);
            let Some(t) = middle else {
                let lower = if bound.lower > candidate.lower { bound.lower } else { candidate.lower };
                let trees = Candidate { lower, window, by_hulls: false, ends: None, ..candidate };
                self.keep(trees, &mut next);
                continue;
            };
            let middle = self.hulls_at(&mut approach, t);
            spans.push(bounded(&mut approach, [window[0], t], [first, middle], &bounds));
            spans.push(bounded(&mut approach, [t, window[1]], [middle, last], &bounds));
        }
        for Span { window, ends, bound } in spans {
            let lower = if bound.lower > candidate.lower { bound.lower } else { candidate.lower };
            self.push(Candidate { lower, window, ends: Some(ends), ..candidate }, &mut next);
        }
        next
    }

    fn hulls_at(&mut self, approach: &mut impl Approach, t: f64) -> End {
        self.evaluations += 1;
        self.stats.iterations += 1;
        approach.separation(t).into()
    }

    /// Measures the bodies of a pair at an instant: lowers the upper bound if they are closer.
    fn measure_at(&mut self, pair: u32, t: f64) {
        let question = Question { span: [t, t], known_upper: self.upper, ..self.question };
        let only = &self.pairs[pair as usize..=pair as usize];
        let mut stats = TreeStats::default();
        let found = least_distance_in(only, &[(0, [t, t])], &question, &mut stats);
        self.evaluations += stats.iterations;
        self.volumes += stats.volume_pairs;
        self.stats.iterations += stats.iterations;
        self.stats.volume_pairs += stats.volume_pairs;
        self.stats.piece_pairs += stats.piece_pairs;
        if let Some((_, touch)) = found.nearest {
            self.found(pair, touch.leaves, t, touch.separation);
        }
    }
}
