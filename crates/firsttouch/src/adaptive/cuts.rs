//! The nodes at which the search through the trees of two bodies ended. The search of the next step begins there.
//!
//! Two bodies that are near each other over many steps are searched in each of them: from the roots down to the nodes
//! that a direction proves apart, and to the leaves that touch or nearly do. The pairs of nodes at which a search ends
//! form a *cut*: every pair of pieces is under one of them. In the next step the two have moved little, so that the
//! search would end at nearly the same nodes, along nearly the same directions. A search that begins at the cut leaves
//! out all nodes above it, which are about as many as the nodes in it, and the convex hulls of whole bodies. For each
//! pair of nodes it tries only the direction that proved the pair apart last.
//!
//! A cut only becomes finer. So it is made again from the roots once in a while, and when it has grown to more pairs
//! than a search from the roots visits. Where the hulls of the two touch after the start only, a search from the roots
//! begins at that time; such pairs have no cut.
//!
//! **Guarantee.** A cut states nothing: it only says where a search begins. It covers all pieces of the two bodies,
//! however they have moved since, and every proof is made by the search.
//!
//! Reference: fronts of pairs of nodes that are kept from step to step are those of Ehmann and Lin 2001 and of Li and
//! Chen 1998, there for distances and overlaps at instants.

use crate::narrow::Side;
use crate::tree::StartNodes;
use crate::tree::composite::{Composite, Volume};

/// Number of searches that begin at a cut before it is made again. With 4 and with 16 the scenes of the paper cost 2 to
/// 10 % more instructions in single rows.
const MOST_USES: u32 = 8;

/// A cut serves two bodies that travel no farther in a step than this part of the smaller one's size. After a longer
/// way other nodes are next to each other. Measured: without a limit the pendulum with all its joints costs half as
/// much again, with a fifth of this one the falling man 5 % more.
const FARTHEST: f64 = 0.25;

/// The result that is kept of the search of two bodies. An empty cut is the pair of roots.
#[derive(Debug, Clone, Default)]
pub(super) struct Cut {
    /// The index of the pair is not used.
    nodes: Vec<StartNodes>,
    /// The number of pairs of nodes at which the last search from the roots ended.
    from_roots: usize,
    /// Number of searches that have begun here.
    uses: u32,
}

impl Cut {
    /// Returns true if a search of two bodies may begin at a cut in a step of this travel. A travel that is NaN is too
    /// long.
    pub(super) fn serves(sides: &[Side<'_>; 2], travel: f64) -> bool {
        let [a, b] = sides.each_ref().map(|side| side.pieces.volume(0).size());
        travel <= FARTHEST * a.min(b) // not a bound: it steers
    }

    /// Adds the pairs of nodes at which the next search begins, and returns whether these are the roots.
    pub(super) fn begin(&self, pair: u32, starts: &mut Vec<StartNodes>) -> bool {
        // A search from the roots looks at two pairs of nodes for each at which it ends, less one.
        let count = self.nodes.len();
        let is_kept = count > 1 && count < 2 * self.from_roots && self.uses < MOST_USES;
        if is_kept {
            starts.extend(self.nodes.iter().map(|&start| StartNodes { pair, ..start }));
        } else {
            // A cut of one pair is that of the roots, with the direction that was good for them.
            let root = self.nodes.first().filter(|_| self.nodes.len() == 1);
            starts.push(root.map_or(StartNodes::roots(pair), |&root| StartNodes { pair, ..root }));
        }
        !is_kept
    }

    /// Clears the cut after a search. [`Cut::add`] then adds the pairs of nodes at which the search ended.
    pub(super) fn renew(&mut self, from_roots: bool) {
        self.nodes.clear();
        (self.uses, self.from_roots) = if from_roots { (0, 0) } else { (self.uses + 1, self.from_roots) };
    }

    pub(super) fn add(&mut self, end: StartNodes) {
        self.nodes.push(end);
        if self.uses == 0 {
            self.from_roots += 1;
        }
    }
}
