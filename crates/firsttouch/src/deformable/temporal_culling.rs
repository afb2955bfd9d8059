//! Temporal culling: it finds the earliest touch with tests that stop at the earliest known touch.
//!
//! **Problem.** One of a hundred thousand candidates touches first. Find it without deciding the times of the others.
//!
//! 1. A few leaves from all over the mesh are searched with all leaves close to them, so that a good touch is known
//!    early. The earliest known touch is the end of the *window*; no test reaches beyond it. At first only the
//!    beginning of the step is searched ([`BEGINNING`]), whose volumes cost less. If there is a touch, the volumes of
//!    the whole step are not needed.
//! 2. The remaining work is pairs of nodes in the shared queue ([`Queue`]), each with the time before which their
//!    moving volumes do not overlap. They are processed in that order, and never opened if the bound is past the
//!    window.
//! 3. Between rounds of the queue the threads share the window. After it has shrunk much, the volumes are computed
//!    again for it, so most of the search costs little more than a search for features that overlap at rest. The
//!    patches that cannot touch themselves (`normal_cones`) are computed once, for the window after step 1.
//!
//! **Guarantee.** The smallest event by (time, features), the same for any number of threads: samples, tasks and rounds
//! are fixed. A reported time may be 2^-50 before the exact one, so bounds are lowered by more than that ([`EARLY`]): a
//! pair that could be reported as early as the earliest known touch is still opened.
//!
//! **Departures from the paper.** It sorts pairs by their bounds. In a mesh nearly all pairs of neighbours overlap at
//! the start and have the bound 0; for these the queue processes nodes in smaller and smaller strides. Nodes have 32
//! leaves: with 16 the queue costs 5 % of the time on cloth-ball, and 64 gain nothing more. With 32 it takes as long as
//! rounds over all leaves without bounds or queue (79 and 80 ms, one thread).
//!
//! Reference: Tang, Kim and Manocha 2010, Sec. VI (global time of contact); Zhang, Redon, Lee and Kim 2007, Sec. 7.1.

use std::cell::Cell;

use crate::advancement::{Queue, Step};
use crate::numerics::bound::lower_min;
use crate::options::Mode;

use super::derived::Derived;
use super::event::Event;
use super::feature_pairs::{FeaturePairs, Spare};
use super::fit::Fit;
use super::normal_cones::Patches;
use super::query::{BEGINNING, EARLY, Found, Query};
use super::report::DeformStats;
use super::search::Search;
use super::traversal::{leaves_below, leaves_near};
use super::volume::entry;
use crate::parallel;

/// The number of leaves below a node of a task.
const TASK: usize = 32;

/// The most nodes that form tasks. If all of them overlap, the queue holds 8 million pairs, or 200 MB.
const MOST_NODES: usize = 4096;

/// The strides of the leaves that are searched first.
const SAMPLES: [usize; 2] = [512, 64];

/// Returns the earliest event, or (mode `Any`) the first touch found, and the proven free time of all other pairs.
/// `whole` returns the volumes over the searched time; it is called only if they are needed. `beginning` is the field
/// of [`Deformable::beginning`](super::Deformable).
pub(super) fn first<'f, const N: usize>(
    query: &Query<'_>,
    beginning: &'f Derived<Fit<N>>,
    whole: impl FnOnce() -> &'f Fit<N>,
    stats: &mut DeformStats,
) -> Found {
    let leaves = query.mesh.tree.leaves;
    let below = leaves.min(TASK).max(leaves / MOST_NODES);
    let spare = Spare::new();
    let (mut best, mut undecided) = (None, f64::INFINITY);
    let mut early = None;
    if looks_early(query) {
        let fit = query.mesh.beginning_of_step(beginning, query.parallel);
        let short = Query { until: BEGINNING, ..*query };
        let mut progress = Progress::new(&short, fit, None, (&spare, stats));
        progress.sample();
        if progress.is_cut {
            return progress.found(0.0);
        }
        (best, undecided) = (progress.best, progress.undecided);
        // Every touch that could be reported as early as this event is within the beginning.
        if query.window(&best) <= BEGINNING {
            early = Some(fit);
        }
    }
    let fit = early.unwrap_or_else(whole);
    let mut progress = Progress::new(query, fit, best, (&spare, stats));
    progress.undecided = undecided;
    let any = query.options.mode == Mode::Any;
    if early.is_none() {
        progress.sample();
        if any && progress.touched() || progress.is_cut {
            return progress.found(0.0);
        }
    }
    progress.narrow();
    let window = query.window(&progress.best);
    let patches = query.patches(window, progress.stats);
    let queue = tasks(progress.fit(), below);
    // No pair touches before the bound of the first unfinished task, except the pairs found.
    let mut proven = query.until;
    let is_cut = Cell::new(false);
    queue.first_in_rounds(
        window,
        |_| any || is_cut.get(),
        |tasks, _, bounds| {
            let mut steps = progress
                .work(&tasks, |search, near, fit, task| nodes(search, near, fit, &patches, below, *task));
            if let Some(task) = progress.unfinished {
                proven = bounds[task];
            }
            if progress.is_cut {
                // A sufficient event ends the queue.
                is_cut.set(true);
                steps.fill(Step::Event { t: 0.0, what: () });
            }
            steps
        },
    );
    progress.found(proven)
}

/// Returns true if a search of the beginning of the step comes first.
fn looks_early(query: &Query<'_>) -> bool {
    let is_longer = query.until > BEGINNING && query.separation() == 0.0;
    query.options.mode == Mode::First && is_longer && query.mesh.looks_early()
}

/// A task of one thread: two nodes, or a node and itself.
type Task = [u32; 2];

/// Returns all pairs of nodes with this many leaves below, each with a lower bound of its first touch.
fn tasks<const N: usize>(fit: &Fit<N>, below: usize) -> Queue<Task> {
    let count = fit.nodes.len() / 2 / below;
    let moving = fit.moving_nodes(below);
    let bits = count.ilog2();
    let mut queue = Queue::default();
    // Of equal bounds, the last pushed is processed first, so the pushes traverse the mesh in smaller and smaller
    // strides.
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
                // A reported time may be slightly before the exact one.
                queue.push(enter * fit.window - EARLY, [a as u32, node as u32]);
            }
        }
    }
    queue
}

/// Tests the pairs of two nodes with `below` leaves each.
fn nodes<const N: usize>(
    search: &mut Search<'_, '_>,
    near: &mut FeaturePairs<'_, N>,
    fit: &Fit<N>,
    patches: &Patches,
    below: usize,
    [a, b]: Task,
) {
    let first = a as usize * below - search.query.mesh.tree.leaves;
    let root = b as usize;
    for leaf in first..first + below {
        if search.window < 0.0 {
            return;
        }
        let visit = |search: &mut Search<'_, '_>, other: usize| search.pair(near, fit, leaf, other);
        if a == b {
            leaves_near(fit, patches, (root, leaf), search, |search| search.window, visit);
        } else if !patches.holds(leaf, root) {
            leaves_below(fit, (root, leaf), search, |search| search.window, visit);
        }
    }
}

/// The state of the search for the first touch between rounds.
struct Progress<'a, 'q, 's, const N: usize> {
    query: &'a Query<'q>,
    fit: &'a Fit<N>,
    narrowed: Option<Fit<N>>,
    best: Option<Event>,
    /// The time up to which pairs whose budget ran out are free.
    undecided: f64,
    /// True if an interrupt ended the search.
    is_cut: bool,
    /// The first item of a round whose search ended early, because of a sufficient touch or an interrupt.
    unfinished: Option<usize>,
    spare: &'a Spare<N>,
    stats: &'s mut DeformStats,
}

impl<'a, 'q, 's, const N: usize> Progress<'a, 'q, 's, N> {
    fn new(
        query: &'a Query<'q>,
        fit: &'a Fit<N>,
        best: Option<Event>,
        (spare, stats): (&'a Spare<N>, &'s mut DeformStats),
    ) -> Progress<'a, 'q, 's, N> {
        let undecided = f64::INFINITY;
        Progress {
            query,
            fit,
            narrowed: None,
            best,
            undecided,
            is_cut: false,
            unfinished: None,
            spare,
            stats,
        }
    }

    /// Step 1 of the header.
    fn sample(&mut self) {
        let leaves = self.query.mesh.tree.leaves;
        for stride in SAMPLES.into_iter().filter(|stride| *stride < leaves) {
            let sample: Vec<u32> = (0..leaves as u32).step_by(stride).collect();
            let pieces: Vec<&[u32]> = sample.chunks(4).collect();
            self.work(&pieces, |search, near, fit, leaves| {
                search.leaves(near, fit, &Patches::none(), leaves);
            });
            if self.query.options.mode == Mode::Any && self.touched() || self.is_cut {
                return;
            }
        }
    }

    fn fit(&self) -> &Fit<N> {
        self.narrowed.as_ref().unwrap_or(self.fit)
    }

    /// Computes the volumes again for the window, if that is worth its cost.
    fn narrow(&mut self) {
        let (window, fitted) = (self.query.window(&self.best), self.fit().window);
        // Computing the volumes again pays only if it removes a large part of the motion from them.
        if window < 0.25 * fitted && fitted > BEGINNING {
            self.narrowed = Some(self.query.mesh.fit(window, self.query.separation(), self.query.parallel));
        }
    }

    /// Returns the result if all other pairs are free up to `proven`.
    fn found(&self, proven: f64) -> Found {
        let free_until = lower_min(proven, self.undecided);
        Found { event: self.best, free_until, is_cut: self.is_cut }
    }

    fn touched(&self) -> bool {
        self.best.is_some_and(|event| event.contact.is_some())
    }

    /// Calls `search` for every item. Returns true for each item that found an earlier event.
    fn work<I: Sync>(
        &mut self,
        items: &[I],
        search: impl Fn(&mut Search<'_, '_>, &mut FeaturePairs<'_, N>, &Fit<N>, &I) + Sync + Send,
    ) -> Vec<Step<Task, ()>> {
        self.narrow();
        let Progress { query, best, .. } = *self;
        let fit = self.fit();
        let near = || FeaturePairs::new((&query.mesh.tree, fit), self.spare);
        let found = parallel::map_with(query.parallel, items, near, |near, item| {
            let mut own = Search::new(query, best);
            search(&mut own, near, fit, item);
            (own.best, own.stats, own.undecided, own.is_cut)
        });
        let any = query.options.mode == Mode::Any;
        let mut steps = Vec::with_capacity(found.len());
        for (item, (event, work, undecided, is_cut)) in found.into_iter().enumerate() {
            *self.stats += work;
            if is_cut || any && event.is_some_and(|event| event.contact.is_some()) {
                self.unfinished = self.unfinished.or(Some(item));
            }
            self.undecided = lower_min(self.undecided, undecided);
            self.is_cut |= is_cut;
            // Mode `Any`: the first item that found a touch.
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

#[cfg(test)]
mod tests {
    use crate::answer::Answer;
    use crate::deformable::{Deformable, Start};
    use crate::options::{Mode, Options};
    use glam::{DVec3, dvec3};

    /// Returns small triangles on a grid, far from each other, and above some of them another triangle that reaches it
    /// at its own time.
    fn falling(times: &[f64]) -> Deformable {
        const SIDE: usize = 192;
        let triangle = |i: usize, z: f64| {
            let (x, y) = (2.0 * (i % SIDE) as f64, 2.0 * (i / SIDE) as f64);
            [dvec3(x, y, z), dvec3(x + 1.0, y, z), dvec3(x, y + 1.0, z)]
        };
        // Every triangle bends a little, so that its volumes move.
        let mut t0: Vec<DVec3> = (0..SIDE * SIDE).flat_map(|i| triangle(i, 0.0)).collect();
        let mut t1: Vec<DVec3> = (0..SIDE * SIDE).flat_map(|i| triangle(i, 0.1 * (i % 3) as f64)).collect();
        for (k, time) in times.iter().enumerate() {
            // A triangle that does not bend, a different one each time.
            let place = 3 * ((k * 1_601 + 1) % (SIDE * SIDE / 3));
            t0.extend(triangle(place, 0.5));
            t1.extend(triangle(place, 0.5 - 0.5 / time));
        }
        let triangles = (0..t0.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        Deformable::new(t0, t1, triangles, vec![], vec![]).unwrap()
    }

    /// The first touch is the earliest of all touches, in the beginning of the step, past it, or beside its end. This
    /// holds also if the search finds no touch in the beginning. Only touches in the beginning are found without the
    /// volumes of the whole step.
    #[test]
    fn a_look_at_the_beginning_changes_no_answer() {
        let end = 1.0 / 64.0;
        let many = |first: f64| (0..1500).map(|k| first * (1.0 + k as f64 / 1500.0)).collect::<Vec<_>>();
        let cases = [
            many(1e-4),
            many(0.6 * end),
            many(end * (1.0 - 1e-3)),
            many(end),
            many(end * (1.0 + 1e-3)),
            many(0.3),
            vec![1e-3],
            vec![0.9, 0.01, 0.5],
            vec![2.0],
        ];
        let mut early = 0;
        for times in cases {
            let ask = |mesh: &Deformable, mode: Mode, threads: usize| {
                let options = Options { mode, threads, ..Options::default() };
                mesh.check(&options, Start::Report).unwrap()
            };
            let mesh = falling(&times);
            assert!(mesh.looks_early());
            let first = ask(&mesh, Mode::First, 1);
            let is_early = mesh.fitted.one.known().is_none();
            early += usize::from(is_early);
            let least = times.iter().copied().fold(2.0, f64::min);
            assert!(!is_early || least < end, "{least}");
            assert!(is_early || times.len() < 1500 || least > 0.9 * end, "{least}");
            assert_eq!(first, ask(&falling(&times), Mode::First, 2));
            // The same query again, when the volumes of the whole step may be known, and by all touches.
            let all = ask(&mesh, Mode::All, 1);
            assert_eq!(first.answer, all.answer);
            assert_eq!(first, ask(&mesh, Mode::First, 1));
            let any = ask(&mesh, Mode::Any, 1).answer;
            assert_eq!(any == Answer::Free, least > 1.0);
            match first.answer {
                Answer::Touch(touch) => {
                    assert!((touch.toi - least).abs() < 0.1 * least, "{} {least}", touch.toi)
                }
                answer => assert!(answer == Answer::Free && least > 1.0, "{answer:?}"),
            }
        }
        assert!(early >= 2, "{early}");
    }

    /// A queried mesh is equal to one that was not queried.
    #[test]
    fn a_query_does_not_change_the_mesh() {
        let mesh = falling(&[0.5]);
        let copy = mesh.clone();
        let before = mesh.bytes();
        mesh.check(&Options::default(), Start::Ignore).unwrap();
        assert!(mesh.bytes() > before && mesh == copy);
        let edges = mesh.edges().len();
        assert_eq!((edges, mesh.edge_number(edges - 1) < edges as u32), (copy.edges().len(), true));
    }
}
