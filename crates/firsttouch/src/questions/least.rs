//! The least distance of a world over a span of time.
//!
//! A world chooses the order of the search ([`LeastPairs`]): it hands over the pairs that are likely the closest first,
//! and leaves out pairs that are proven to be farther apart than the known upper bound. The search itself is here. It
//! measures the pairs in their windows of time (`clearance`), and keeps both bounds, the nearest parts and their place.
//!
//! # Guarantee
//! Pairs that a world does not hand over are proven to be farther apart than an upper bound of the least distance. All
//! others are bounded by the search. So the lower bound is the least one of the measurements, or the upper bound if
//! that is less.

use super::{Measured, Pairs};
use crate::clearance::{
    Clearance, LeastDistance, Question, SidePair, least_distance as of_whole_span, least_distance_in,
};
use crate::narrow::{Pieces, touch_of_leaves};
use crate::numerics::bound::lower_min;
use crate::pair::{PairTouch, TreeStats};

/// A world whose least distance can be searched.
pub(crate) trait LeastPairs: Pairs {
    /// Hands all pairs to the search, except pairs that are proven to be farther apart than its upper bound.
    fn search_least(&self, search: &mut LeastSearch<'_, Self>)
    where
        Self: Sized;
}

/// The nearest parts, and the bodies that they belong to.
pub(crate) struct Nearest<Q> {
    pub(crate) touch: PairTouch,
    pub(crate) pair: Q,
    pub(crate) bodies: [usize; 2],
}

/// Proven bounds of the least distance.
pub(crate) struct Least<Q> {
    /// Everything that is checked is at least this far apart; infinite if no pair is.
    pub(crate) lower: f64,
    /// The place of the least upper bound; `None` if everything is farther apart than the bound that was known before.
    pub(crate) nearest: Option<Nearest<Q>>,
}

impl<Q> Least<Q> {
    /// Returns the same as an answer; `None` if there is no pair.
    pub(crate) fn clearance(self, tolerance: f64) -> Option<Clearance> {
        let Nearest { touch, bodies, .. } = self.nearest?;
        Some(Clearance::new(self.lower, touch, bodies, tolerance))
    }
}

/// Searches the least distance of a world.
pub(crate) fn least<P: LeastPairs>(world: &P, question: &Question) -> Least<P::Pair> {
    let upper = question.known_upper;
    let mut search = LeastSearch { world, question, upper, nearest: None, lower: f64::INFINITY };
    world.search_least(&mut search);
    Least { lower: lower_min(search.lower, search.upper), nearest: search.nearest }
}

/// A search for the least distance, and its results so far.
pub(crate) struct LeastSearch<'a, P: Pairs> {
    world: &'a P,
    question: &'a Question,
    /// The least upper bound that is known.
    upper: f64,
    /// The place where it was found; `None` if it was known before.
    nearest: Option<Nearest<P::Pair>>,
    /// Everything that was measured is at least this far apart.
    lower: f64,
}

impl<'a, P: Pairs> LeastSearch<'a, P> {
    /// Returns the question.
    pub(crate) fn question(&self) -> &'a Question {
        self.question
    }

    /// Returns the least upper bound that is known.
    pub(crate) fn upper(&self) -> f64 {
        self.upper
    }

    /// Returns the nearest pair so far.
    pub(crate) fn nearest(&self) -> Option<&P::Pair> {
        self.nearest.as_ref().map(|nearest| &nearest.pair)
    }

    /// Measures pairs over the whole span. Their distances are bounded.
    pub(crate) fn measure_all(&mut self, pairs: Vec<P::Pair>) {
        let question = Question { known_upper: self.upper, ..*self.question };
        let lower = self.found(pairs, |sides| of_whole_span(sides, &question, &mut TreeStats::default()));
        self.bound(lower);
    }

    /// Measures pairs in their windows. Their distances are bounded.
    pub(crate) fn measure(&mut self, windows: &[(P::Pair, [f64; 2])]) {
        let lower = self.measure_with(windows, self.question);
        self.bound(lower);
    }

    /// Measures pairs in their windows, to find upper bounds. Returns a lower bound of their distances.
    pub(crate) fn measure_with(&mut self, windows: &[(P::Pair, [f64; 2])], question: &Question) -> f64 {
        let question = Question { known_upper: self.upper, ..*question };
        let places: Vec<(usize, [f64; 2])> =
            windows.iter().enumerate().map(|(place, (_, window))| (place, *window)).collect();
        let pairs = windows.iter().map(|(pair, _)| *pair).collect();
        self.found(pairs, |sides| least_distance_in(sides, &places, &question, &mut TreeStats::default()))
    }

    /// Takes a lower bound of the distances of some pairs.
    pub(crate) fn bound(&mut self, lower: f64) {
        self.lower = lower_min(self.lower, lower);
    }

    /// Returns true if no smaller distance is left to find, or the question is interrupted: then 0 is all that is
    /// proven.
    pub(crate) fn is_done(&mut self) -> bool {
        if self.question.watch.is_raised() || self.upper <= self.question.tolerance {
            self.lower = 0.0;
            return true;
        }
        false
    }

    /// Runs a search over the sides of pairs, and takes the upper bound that it finds. Returns its lower bound.
    fn found(
        &mut self,
        pairs: Vec<P::Pair>,
        search: impl FnOnce(&[SidePair<'_, Pieces<'_>>]) -> LeastDistance,
    ) -> f64 {
        let measured = Measured::new(self.world, pairs, 0.0);
        let sides = measured.sides();
        let LeastDistance { lower, nearest } = search(&sides);
        if let Some((pair, leaves)) = nearest {
            let touch = measured.described(pair, touch_of_leaves(&sides[pair].sides, &leaves));
            self.upper = touch.gap;
            self.nearest = Some(Nearest { touch, pair: *measured.pair(pair), bodies: measured.bodies(pair) });
        }
        lower
    }
}
