//! Mode `All`: the first touch of every pair, in rounds of bounded memory.
//!
//! 1. The leaves are divided into pieces. A thread tests the pairs of a piece with all later leaves. It omits the step
//!    of local advancement, because over the whole time span the first stages of the exact test are as effective.
//! 2. A piece that has found [`FULL`] pairs stops, passes them on, and continues from there in the next round.
//! 3. The events of a round are counted and passed to the caller in the order of the pieces, which is the same for any
//!    number of threads.

use std::ops::ControlFlow;

use crate::control::Progress;

use super::event::{Event, Kind};
use super::feature_pairs::{FeaturePairs, Spare};
use super::fit::Fit;
use super::normal_cones::Patches;
use super::query::{Found, Query};
use super::report::{DeformReport, Start};
use super::search::Search;
use super::traversal::leaves_near;
use crate::parallel;

/// The number of leaves that one thread processes at a time.
const PIECE: usize = 16;

/// The number of pieces in a round of mode `All`: enough for many threads.
const ROUND: usize = 128;

/// The number of pairs after which a piece is interrupted. With 128 pieces in a round and 128 bytes per pair, this is
/// 64 MiB.
const FULL: usize = 4096;

/// Receives the events of mode `All`.
pub(super) type Visit<'a> = &'a mut (dyn FnMut(Event) -> ControlFlow<()> + Send);

impl Query<'_> {
    /// Runs mode `All`, in rounds.
    pub(super) fn all<const N: usize>(
        &self,
        fit: &Fit<N>,
        report: &mut DeformReport,
        visit: Visit<'_>,
    ) -> Found {
        // Every touch names its features.
        self.mesh.edge_numbers();
        let patches = self.patches(self.options.t_max, &mut report.stats);
        let leaves = self.mesh.tree.leaves;
        let spare = Spare::new();
        let mut begun = 0;
        let mut round: Vec<Piece> = Vec::new();
        let (mut first, mut ignored) = (None::<Event>, 0);
        loop {
            while round.len() < ROUND && begun < leaves {
                let end = (begun + PIECE).min(leaves);
                round.push(Piece { leaf: begun, end, done: 0 });
                begun = end;
            }
            if round.is_empty() {
                return Found { event: first, free_until: self.options.t_max, is_cut: false };
            }
            if let Some(call) = self.progress {
                let open: usize = round.iter().map(|piece| piece.end - piece.leaf).sum();
                call(Progress { done: (begun - open) as u64, pairs: leaves as u64 });
            }
            let near = || FeaturePairs::new((&self.mesh.tree, fit), &spare);
            let found = parallel::map_with(self.parallel, &round, near, |near, piece| {
                let mut search = Search::new(self, None);
                let rest = search.piece(near, fit, &patches, *piece);
                (search.events, search.ignored, search.stats, rest, search.is_cut)
            });
            round.clear();
            let (mut is_cut, mut is_enough) = (false, false);
            for (events, left_out, work, rest, was_cut) in found {
                report.stats += work;
                ignored += left_out;
                report.ignored_at_start = (self.start == Start::Ignore).then_some(ignored);
                round.extend(rest);
                is_cut |= was_cut;
                for event in events {
                    if first.is_none_or(|first| event.order(&first).is_lt()) {
                        first = Some(event);
                    }
                    if !is_enough {
                        match (event.contact, event.kind) {
                            (None, _) => {}
                            (Some(_), Kind::VertexFace) => report.vf_touching += 1,
                            (Some(_), Kind::EdgeEdge) => report.ee_touching += 1,
                        }
                        is_enough = visit(event).is_break();
                    }
                }
            }
            if is_cut || is_enough {
                return Found { event: first, free_until: 0.0, is_cut: true };
            }
        }
    }

    /// Sorts the events of mode `All` into the report. An interrupt ends it, and then the lists are not complete.
    pub(super) fn list(&self, events: &[Event], report: &mut DeformReport) {
        if self.watch.is_raised() {
            return;
        }
        // Keys are sorted instead of events, which are many times larger.
        type Key = (Kind, [[u32; 2]; 2], u32);
        let mut order: Vec<Key> =
            events.iter().zip(0..).map(|(event, place)| (event.kind, event.keys, place)).collect();
        order.sort_unstable();
        let event = |&(_, _, place): &Key| &events[place as usize];
        let undecided = order.iter().map(event).filter(|event| event.contact.is_none());
        report.undecided = undecided.map(|event| (event.features(self.mesh), event.time)).collect();
        let touch = |key: &Key| {
            let event = event(key);
            event.contact.filter(|_| !self.watch.is_raised()).map(|contact| self.touch(event, &contact))
        };
        if report.undecided.is_empty() {
            report.touches = parallel::map(self.parallel, &order, touch).into_iter().flatten().collect();
        } else {
            report.touches = order.iter().filter_map(touch).collect();
        }
    }
}

/// Leaves whose pairs remain to be visited. The first `done` partners of the first leaf are already visited.
#[derive(Debug, Clone, Copy)]
struct Piece {
    leaf: usize,
    end: usize,
    done: usize,
}

impl Search<'_, '_> {
    /// Tests the pairs of a piece, in mode `All`. Returns the rest of the piece if it is interrupted.
    fn piece<const N: usize>(
        &mut self,
        near: &mut FeaturePairs<'_, N>,
        fit: &Fit<N>,
        patches: &Patches,
        piece: Piece,
    ) -> Option<Piece> {
        let mut done = piece.done;
        for leaf in piece.leaf..piece.end {
            let mut visited = 0;
            leaves_near(
                fit,
                patches,
                (1, leaf),
                self,
                |search| if search.events.len() < FULL { search.window } else { -1.0 },
                |search, other| {
                    visited += 1;
                    // The traversal is the same as before, so partners come in the same order.
                    if visited > done {
                        search.pair(near, fit, leaf, other);
                    }
                },
            );
            if self.is_cut {
                return None;
            }
            if self.events.len() >= FULL {
                return Some(Piece { leaf, done: visited, ..piece });
            }
            done = 0;
        }
        None
    }
}
