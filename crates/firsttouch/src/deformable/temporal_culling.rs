//! Temporal culling: the earliest touch, from tests that look no further than the earliest known so far.
//!
//! The problem: one of a hundred thousand candidates touches first. Find it without deciding when the others do.
//!
//! 1. A few leaves from all over the mesh are searched with all that is near them: the sooner a good touch is known the better.
//!    The earliest known is the end of the *window*, past which nothing is looked at.
//! 2. The rest are pairs of nodes in the shared queue ([`Queue`]), each with the time before which their moving volumes do not
//!    meet. They are taken in that order, and never opened when the bound is past the window.
//! 3. Between rounds of the queue the window is shared and, when it has shrunk much, the volumes are fitted to it, so
//!    that most of the search is hardly more than one for features that overlap at rest. The patches that cannot touch
//!    themselves (`normal_cones`) are made once, for the window after step 1.
//!
//! Guarantee: the least event by (time, features), the same for any number of threads: samples, tasks and rounds are fixed.
//! A reported time may be 2^-50 before the exact one, so bounds are lowered by more than that ([`EARLY`]): what could be
//! reported as early as the earliest known is still opened.
//!
//! Departures from the paper: it sorts pairs by their bounds. In a mesh nearly all pairs of neighbours overlap at the
//! start and have 0 for a bound; of these the queue takes nodes in ever smaller strides. Nodes have 32 leaves: with 16 the
//! queue costs 5 % of the time on cloth-ball, with 64 nothing more is gained, and with 32 it takes as long as rounds over all leaves
//! without bounds or queue (79 and 80 ms, one thread).
//!
//! Reference: Tang, Kim and Manocha 2010, Sec. VI (global time of contact); Zhang, Redon, Lee and Kim 2007, Sec. 7.1.

use crate::advancement::{Queue, Step};
use crate::options::Mode;

use super::fit::Fit;
use super::normal_cones::Patches;
use super::query::{EARLY, Event, Query, Search};
use super::report::DeformStats;
use super::threads;
use super::traversal::{Near, leaves_below, leaves_near};
use super::volume::entry;

/// Leaves below a node of a task.
const TASK: usize = 32;

/// At most so many nodes make tasks: where all of them overlap there are 8 million pairs in the queue, or 200 MB.
const MOST_NODES: usize = 4096;

/// Every so many leaves are looked at first.
const SAMPLES: [usize; 2] = [512, 64];

/// The earliest event, or (mode `Any`) the first that is found.
pub(super) fn first<const N: usize>(
    query: &Query<'_>,
    fit: &Fit<N>,
    stats: &mut DeformStats,
) -> Option<Event> {
    let leaves = query.mesh.tree.leaves;
    let below = leaves.min(TASK).max(leaves / MOST_NODES);
    let mut progress = Progress { query, fit, narrowed: None, best: None, stats };
    let any = query.options.mode == Mode::Any;
    for stride in SAMPLES.into_iter().filter(|stride| *stride < leaves) {
        let sample: Vec<u32> = (0..leaves as u32).step_by(stride).collect();
        let pieces: Vec<&[u32]> = sample.chunks(4).collect();
        progress.work(&pieces, |search, fit, leaves| search.leaves(fit, &Patches::none(), leaves));
        if any && progress.touched() {
            return progress.best;
        }
    }
    progress.narrow();
    let window = query.window(&progress.best);
    let patches = query.patches(window, progress.stats);
    let queue = tasks(progress.fit(), below);
    queue.first_in_rounds(
        window,
        |_| any,
        |tasks, _| progress.work(&tasks, |search, fit, task| nodes(search, fit, &patches, below, *task)),
    );
    progress.best
}

/// What is to be looked at by one thread: two nodes, or one and itself.
type Task = [u32; 2];

/// All pairs of nodes with this many leaves below, each with a lower bound of its first touch.
fn tasks<const N: usize>(fit: &Fit<N>, below: usize) -> Queue<Task> {
    let count = fit.nodes.len() / 2 / below;
    let moving = fit.moving_nodes(below);
    let bits = count.ilog2();
    let mut queue = Queue::default();
    // The last to be pushed is worked on first, of those with the same bound: go through the mesh in ever smaller strides.
    for place in (0..count).rev() {
        let a = count + if bits == 0 { 0 } else { place.reverse_bits() >> (usize::BITS - bits) };
        let mut stack = vec![1usize];
        while let Some(node) = stack.pop() {
            let last = ((node + 1) << (bits - node.ilog2())) - 1;
            if last < a || !fit.nodes[a].overlaps(&fit.nodes[node]) {
                continue;
            }
            if node < count {
                stack.extend([2 * node, 2 * node + 1]);
                continue;
            }
            let enter = if node == a || moving.is_empty() {
                Some(0.0)
            } else {
                entry(&moving[a - count], &moving[node - count])
            };
            if let Some(enter) = enter {
                // A reported time may be a little before the exact one.
                queue.push(enter * fit.window - EARLY, [a as u32, node as u32]);
            }
        }
    }
    queue
}

/// The pairs of two nodes with `below` leaves each.
fn nodes<const N: usize>(
    search: &mut Search<'_, '_>,
    fit: &Fit<N>,
    patches: &Patches,
    below: usize,
    [a, b]: Task,
) {
    let mut near = Near::<N>::new();
    let first = a as usize * below - search.query.mesh.tree.leaves;
    let root = b as usize;
    for leaf in first..first + below {
        if search.window < 0.0 {
            return;
        }
        let visit = |search: &mut Search<'_, '_>, other: usize| search.pair(&mut near, fit, leaf, other);
        if a == b {
            leaves_near(fit, patches, (root, leaf), search, |search| search.window, visit);
        } else if !patches.holds(leaf, root) {
            leaves_below(fit, (root, leaf), search, |search| search.window, visit);
        }
    }
}

/// The search for the first touch, between rounds.
struct Progress<'a, 'q, 's, const N: usize> {
    query: &'a Query<'q>,
    fit: &'a Fit<N>,
    narrowed: Option<Fit<N>>,
    best: Option<Event>,
    stats: &'s mut DeformStats,
}

impl<const N: usize> Progress<'_, '_, '_, N> {
    fn fit(&self) -> &Fit<N> {
        self.narrowed.as_ref().unwrap_or(self.fit)
    }

    /// Fits the volumes to the window, if that is worth it.
    fn narrow(&mut self) {
        let (window, fitted) = (self.query.window(&self.best), self.fit().window);
        // Half a step's worth of motion in the volumes is worth a fit; less is not.
        if window < 0.25 * fitted && fitted > 0.01 {
            self.narrowed = Some(self.query.mesh.fit(window, self.query.separation(), self.query.parallel));
        }
    }

    fn touched(&self) -> bool {
        self.best.is_some_and(|event| event.contact.is_some())
    }

    /// Does `search` for every item, and says of each whether it has led to something earlier.
    fn work<I: Sync>(
        &mut self,
        items: &[I],
        search: impl Fn(&mut Search<'_, '_>, &Fit<N>, &I) + Sync + Send,
    ) -> Vec<Step<Task, ()>> {
        self.narrow();
        let Progress { query, best, .. } = *self;
        let fit = self.fit();
        let found = threads::map(query.parallel, items, |item| {
            let mut own = Search::new(query, best);
            search(&mut own, fit, item);
            (own.best, own.stats)
        });
        let any = query.options.mode == Mode::Any;
        let mut steps = Vec::with_capacity(found.len());
        for (event, work) in found {
            *self.stats += work;
            // Any: the first item that has found a touch.
            let done = any && self.touched();
            let earlier = event.filter(|event| {
                let touch = any && event.contact.is_some();
                !done && self.best.is_none_or(|best| touch || event.order(&best).is_lt())
            });
            self.best = earlier.or(self.best);
            steps.push(match earlier {
                Some(event) if !any || event.contact.is_some() => Step::Event { t: event.time, what: () },
                _ => Step::Free,
            });
        }
        steps
    }
}
