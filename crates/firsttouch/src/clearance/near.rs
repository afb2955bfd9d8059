//! All places and times at which composites are within a distance of each other, not only the nearest.
//!
//! This is the search for the least distance, with a level instead of the current least upper bound. No instant lowers
//! the level. Every window of every pair of leaves is divided until
//! 1. its lower bound is above the level, or
//! 2. at an instant at one of its ends the leaves are within the level, the window is short, and the normal barely
//!    turns in it.
//!
//! **Guarantee.** If the search is complete, every time at which two leaves are within the level is in a window of the
//! second kind, so within [`SHORT`] of a returned instant of these leaves.

use super::leaf::Span;
use super::{Question, Search, SidePair, bounded};
use crate::advancement::angle_between;
use crate::control::Watch;
use crate::numerics::bound::lower_or_zero;
use crate::pair::TreeStats;
use crate::tree::LeafTouch;
use crate::tree::composite::Composite;
use crate::tree::inside::contained;

/// The longest windows of the second kind, and the largest turn of the normal in one, in radians.
const SHORT: f64 = 2e-3;

/// The most instants of one pair, which end the search: they differ, or are too many to compare.
const MOST: usize = 2000;

/// The number of evaluated instants per pair. Volumes are a thousand times as many.
const BUDGET: usize = 4000;

/// Places and times within a level.
pub(crate) struct NearInstants {
    /// Instants at which leaves are within the level, each with its pair.
    pub(crate) instants: Vec<(usize, LeafTouch)>,
    /// True if these are all places and times, up to short windows.
    pub(crate) is_complete: bool,
}

/// Returns the places and times at which the pairs are within their levels during the span. `level` receives the pair;
/// distances are measured to a thousandth of `resolution`. After an interrupt the result is not complete.
pub(crate) fn near_instants<C: Composite + Copy>(
    pairs: &[SidePair<'_, C>],
    span: [f64; 2],
    level: impl Fn(usize) -> f64,
    resolution: f64,
    watch: Watch,
) -> NearInstants {
    let bounded = bounded(pairs, span);
    let pairs = bounded.as_deref().unwrap_or(pairs);
    let mut near = NearInstants { instants: Vec::new(), is_complete: true };
    for pair in 0..pairs.len() {
        if watch.is_raised() {
            near.is_complete = false;
            break;
        }
        if let Some(inside) = contained(&pairs[pair].sides, span[0]) {
            near.instants.push((pair, inside));
            continue;
        }
        let level = lower_or_zero(level(pair)).next_up();
        let question = Question {
            span,
            tolerance: 1e-3 * resolution,
            known_upper: level,
            max_iterations: BUDGET,
            least_budget: 0,
            watch,
            is_any_enough: false,
        };
        let mut stats = TreeStats::default();
        let mut search = Search::new(&pairs[pair..=pair], &question, &mut stats);
        search.near = Some(Vec::new());
        let roots = search.roots(&[(0, span)]);
        let left = search.run(roots);
        near.is_complete &= level - left <= question.tolerance;
        near.instants.extend(search.near.into_iter().flatten().map(|touch| (pair, touch)));
    }
    near
}

impl<C: Composite + Copy> Search<'_, '_, C> {
    /// Returns true if a window is of the second kind of the header, in a search for all near places.
    pub(super) fn is_near(&self, span: &Span) -> bool {
        let Span { window: [from, to], ends: [first, last], .. } = span;
        self.near.is_some()
            && (first.upper <= self.upper || last.upper <= self.upper)
            && to - from <= SHORT
            && angle_between(first.normal, last.normal) <= SHORT
    }

    /// Returns true if a search for all near places has found too many.
    pub(super) fn is_crowded(&self) -> bool {
        self.near.as_ref().is_some_and(|near| near.len() >= MOST)
    }
}
