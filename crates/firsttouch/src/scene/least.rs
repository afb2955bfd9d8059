//! The search for the least distance in a scene.
//!
//! 1. *A first upper bound.* The parts whose boxes in the middle of the time are closest to each other are measured at
//!    three instants.
//! 2. *Broad phase.* Pairs of parts whose boxes over the whole time are farther apart than this upper bound are
//!    dropped.
//! 3. All others go through one search (`clearance`). It bounds each pair once by the volumes around both parts; a pair
//!    that is farther apart than the upper bound is dropped.

use super::pairs::{ScenePair, ScenePairs};
use crate::questions::{LeastPairs, LeastSearch, Pairs};

/// With fewer parts than this, no first upper bound is searched for: there is little to drop.
const FEW_PARTS: usize = 6;

/// At most `MEASURED_FIRST` pairs are measured for a first upper bound. They are chosen from the pairs of each part
/// with its next `NEIGHBOURS` parts along each axis.
const MEASURED_FIRST: usize = 3;
const NEIGHBOURS: usize = 4;

impl LeastPairs for ScenePairs<'_> {
    fn search_least(&self, search: &mut LeastSearch<'_, Self>) {
        let [from, to] = search.question().span;
        let middle = 0.5 * (from + to);
        if self.parts().len() >= FEW_PARTS {
            let instants = |pair| [from, middle, to].map(|t| (pair, [t, t]));
            let windows: Vec<_> = self.likely_closest(middle).into_iter().flat_map(instants).collect();
            search.measure_with(&windows, search.question());
        }
        search.measure_all(self.within([from, to], search.upper()));
    }
}

impl ScenePairs<'_> {
    /// Returns a few pairs of parts whose boxes are closest at an instant. Not a bound: steers.
    fn likely_closest(&self, t: f64) -> Vec<ScenePair> {
        let boxes = self.boxes([t, t]);
        let center = |p: usize| 0.5 * (boxes[p].low + boxes[p].high);
        let rank = |p: usize| self.rank(p);
        // Along each axis the neighbours in the order of the centres.
        let mut guesses: Vec<(f64, [usize; 2])> = Vec::new();
        for axis in 0..3 {
            let mut order: Vec<usize> = (0..boxes.len()).collect();
            order.sort_by(|&p, &q| center(p)[axis].total_cmp(&center(q)[axis]).then(rank(p).cmp(&rank(q))));
            for (place, &p) in order.iter().enumerate() {
                for &q in order[place + 1..].iter().take(NEIGHBOURS) {
                    let gap = (boxes[q].low - boxes[p].high).max(boxes[p].low - boxes[q].high); // not a bound: steers
                    guesses.push((gap.max_element(), if rank(p) <= rank(q) { [p, q] } else { [q, p] }));
                }
            }
        }
        guesses.sort_by(|x, y| x.0.total_cmp(&y.0).then_with(|| x.1.map(rank).cmp(&y.1.map(rank))));
        guesses.dedup();
        guesses.into_iter().filter_map(|(_, pair)| self.checked(pair)).take(MEASURED_FIRST).collect()
    }
}
