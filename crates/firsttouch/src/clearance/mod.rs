//! The least distance of composites (meshes, convex solids, deforming meshes) over a span of time, by branch and bound
//! over windows of time and pairs of tree nodes.
//!
//! # The method
//! A queue holds pairs of nodes, each with a window of time and a proven lower bound of the distance in that window.
//! The search knows the smallest upper bound that was evaluated at an instant. The candidate with the least lower bound
//! is taken out.
//! 1. If its bound is within the tolerance of the known upper bound, so are all other bounds: the search ends.
//! 2. *Two whole bodies* that are not convex: their convex hulls are bounded in time as in rule 3 (`hulls`). Most
//!    bodies that stay apart have hulls that stay apart. At the time at which the hulls are closest, the bodies
//!    themselves are measured. First come the leaves around the closest points of the hulls, then the trees, starting
//!    with the direction between the hulls, along which most nodes are farther apart than the closest ones. If the
//!    bodies are farther apart than the hulls, the window is divided until it costs less than that difference. Then the
//!    trees take it.
//! 3. *Two leaves*: two convex pieces. Their closest points at the ends of the window give upper bounds, and a lower
//!    bound of second order over the window (`window`), or one of third order (`third_order`). The window is divided
//!    where the lower bound is attained, a few times in a row, and the remaining windows go back into the queue
//!    (`leaf`).
//! 4. *Otherwise* the volumes are bounded: the separation along a constant direction at both ends of the window, by
//!    support functions, with the bound of second order in between. If the bound loses more to the length of the window
//!    than to the size of the volumes, the window is halved; otherwise the larger node is opened. A candidate whose
//!    bound is within the tolerance of the known upper bound, or above it, is dropped.
//!
//! # Guarantee
//! `lower` is at most the exact least distance, and `upper` is at least that distance. Each is proven by itself, for
//! any budget. The search ends with `upper − lower <= tolerance` unless the budget is spent or rounding hides the
//! distance. Errors are those of `convex`: the pose of each side, `64u` of every reach, and `128u` of the sizes of the
//! translations.
//!
//! # Departures
//! Lower bounds in time are the second-order rule of `advancement`, solved for the distance instead of for the step.
//! The division of a window where its bound is attained is the rule of Piyavskii and Shubert, here with parabolas
//! instead of lines.
//!
//! References: Piyavskii 1972; Breiman and Cutler 1993 (bounds of second order).

mod answer;
mod hulls;
mod leaf;
mod near;
mod sharing;
mod third_order;
mod volumes;
mod window;

pub use answer::{Clearance, PathClearance};
pub(crate) use near::near_instants;

use glam::DVec3;
use smallvec::{SmallVec, smallvec};

use crate::advancement::{Queue, Replacements, Separation, Step};
use crate::control::Watch;
use crate::motion::jumps;
use crate::numerics::bound::{lower_min, lower_or_zero};
use crate::options::Options;
use crate::pair::{Side, TreeStats};
use crate::tree::LeafTouch;
use crate::tree::composite::{AnyPiece, Composite, Volume};
use crate::tree::inside::contained;
use crate::tree::unbounded::{bounded_sides, is_unbounded};

use leaf::End;
use volumes::Ends;

/// Two sides whose distance is searched.
#[derive(Clone, Copy)]
pub(crate) struct SidePair<'a, C> {
    pub(crate) sides: [Side<'a, C>; 2],
    /// True if both are the same deforming mesh: then features that share a vertex do not count.
    pub(crate) with_itself: bool,
    /// The distance below which the two touch. The least distance does not depend on it.
    pub(crate) separation: f64,
}

/// The question of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Question {
    /// The span of time.
    pub(crate) span: [f64; 2],
    /// The largest difference of the two bounds.
    pub(crate) tolerance: f64,
    /// An upper bound that is already known; infinite if there is none.
    pub(crate) known_upper: f64,
    /// The number of evaluated instants per pair of sides.
    pub(crate) max_iterations: usize,
    /// The least budget of evaluated instants for all pairs together. A search of a single pair needs more than the
    /// mean pair of many: two surfaces that slide along each other at a constant distance have thousands of closest
    /// triangles.
    pub(crate) least_budget: usize,
    pub(crate) watch: Watch,
    /// True if the search ends with the first distance that is less than the known upper bound.
    pub(crate) is_any_enough: bool,
}

impl Question {
    /// Returns the question for the whole time of a query.
    pub(crate) fn new(options: &Options) -> Question {
        Question {
            span: [0.0, options.t_max],
            tolerance: options.tolerance,
            known_upper: f64::INFINITY,
            max_iterations: options.max_iterations,
            least_budget: options.max_iterations.saturating_mul(PAIRS_IN_BUDGET),
            watch: Watch::NONE,
            is_any_enough: false,
        }
    }
}

/// The least number of pairs that the budget counts. With 256 and the default of 10,000 instants, an endless search
/// stops after about 3 seconds.
const PAIRS_IN_BUDGET: usize = 256;

/// The proven bounds of the least distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LeastDistance {
    /// The lower bound; infinite if there is no pair to measure.
    pub(crate) lower: f64,
    /// The least upper bound found, with its pair, place and time: its separation is that of two leaves of this pair.
    /// `None` if all pairs are farther apart than the previously known upper bound.
    pub(crate) nearest: Option<(usize, LeafTouch)>,
}

/// Returns the least distance of any of the pairs over the span.
pub(crate) fn least_distance<C: Composite + Copy>(
    pairs: &[SidePair<'_, C>],
    question: &Question,
    stats: &mut TreeStats,
) -> LeastDistance {
    let whole: Vec<(usize, [f64; 2])> = (0..pairs.len()).map(|pair| (pair, question.span)).collect();
    search_windows(pairs, &whole, question, true, stats)
}

/// Like [`least_distance`], for these pairs, each only in its window.
pub(crate) fn least_distance_in<C: Composite + Copy>(
    pairs: &[SidePair<'_, C>],
    windows: &[(usize, [f64; 2])],
    question: &Question,
    stats: &mut TreeStats,
) -> LeastDistance {
    search_windows(pairs, windows, question, false, stats)
}

/// Searches the least distance of pairs in their windows. With `begins_at_ends`, an upper bound is measured first,
/// where the motions begin, end or have a kink.
fn search_windows<C: Composite + Copy>(
    pairs: &[SidePair<'_, C>],
    windows: &[(usize, [f64; 2])],
    question: &Question,
    begins_at_ends: bool,
    stats: &mut TreeStats,
) -> LeastDistance {
    let bounded = bounded(pairs, question.span);
    let pairs = bounded.as_deref().unwrap_or(pairs);
    // A piece inside a solid mesh at the beginning is at distance 0; a piece that comes inside later crosses its
    // surface.
    let inside = |&(k, _): &(usize, [f64; 2])| Some((k, contained(&pairs[k].sides, question.span[0])?));
    if let Some(nearest) = windows.iter().find_map(inside) {
        return LeastDistance { lower: 0.0, nearest: Some(nearest) };
    }
    let mut search = Search::new(pairs, question, stats);
    let roots = search.roots(windows);
    if begins_at_ends {
        search.measure_ends(&roots);
    }
    let left = search.run(roots);
    if search.nearest.is_none() && search.upper == f64::INFINITY {
        // The work ended before any evaluation: any two leaves give an upper bound.
        search.any_leaves();
    }
    search.measure_nearest_again();
    let lower = lower_min(lower_min(left, search.dropped), search.upper);
    LeastDistance { lower: lower_or_zero(lower), nearest: search.nearest }
}

/// Returns the pairs with plates for half-spaces, for a span of time; `None` if there is no half-space.
pub(crate) fn bounded<'a, C: Composite + Copy>(
    pairs: &[SidePair<'a, C>],
    span: [f64; 2],
) -> Option<SmallVec<[SidePair<'a, C>; 1]>> {
    let any = pairs.iter().any(|pair| is_unbounded(&pair.sides));
    let sized = |pair: &SidePair<'a, C>| SidePair { sides: bounded_sides(pair.sides, span), ..*pair };
    any.then(|| pairs.iter().map(sized).collect())
}

/// Two leaves, and the features that count if they share a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CloseLeaves {
    /// The index of the pair.
    pub(crate) pair: usize,
    pub(crate) leaves: [u32; 2],
    features: u8,
}

impl CloseLeaves {
    /// Returns their pieces, or the features of these that count.
    pub(crate) fn pieces<'a, C: Composite>(&self, [a, b]: &'a [Side<'_, C>; 2]) -> [AnyPiece<'a>; 2] {
        let whole = [a.pieces.piece(self.leaves[0]), b.pieces.piece(self.leaves[1])];
        if self.features == 0 {
            return whole;
        }
        let parts = sharing::feature_pairs(&whole[0], &whole[1]);
        parts.and_then(|parts| parts.get(self.features as usize - 1).copied()).unwrap_or(whole)
    }
}

/// Returns all pairs of leaves whose volumes may be within a distance at `t`, in the order of the pairs. `within`
/// receives the pair.
pub(crate) fn leaves_within<C: Composite + Copy>(
    pairs: &[SidePair<'_, C>],
    t: f64,
    within: impl Fn(usize) -> f64,
    watch: Watch,
) -> Vec<CloseLeaves> {
    let mut close = Vec::new();
    for pair in 0..pairs.len() {
        let question = Question {
            span: [t, t],
            tolerance: 0.0,
            known_upper: within(pair).next_up(),
            max_iterations: usize::MAX,
            least_budget: 0,
            watch,
            is_any_enough: false,
        };
        let mut stats = TreeStats::default();
        let mut search = Search::new(&pairs[pair..=pair], &question, &mut stats);
        let mut open: Vec<Candidate> =
            search.roots(&[(0, [t, t])]).into_iter().map(|(_, root)| root).collect();
        while let Some(candidate) = open.pop() {
            if search.is_enough(candidate.lower) {
                continue;
            }
            let SidePair { sides: [a, b], with_itself, .. } = &pairs[pair];
            let [leaf_a, leaf_b] = candidate.nodes;
            if a.pieces.children(leaf_a).is_some() || b.pieces.children(leaf_b).is_some() {
                if let Step::Push(next) = search.work_on(candidate) {
                    open.extend(next.into_iter().rev().map(|(_, next)| next));
                }
                continue;
            }
            let found = CloseLeaves { pair, leaves: candidate.nodes, features: 0 };
            if !with_itself {
                close.push(found);
            } else if leaf_a != leaf_b {
                match sharing::feature_pairs(&a.pieces.piece(leaf_a), &b.pieces.piece(leaf_b)) {
                    None => close.push(found),
                    Some(parts) => {
                        close.extend(
                            (1..=parts.len() as u8).map(|features| CloseLeaves { features, ..found }),
                        );
                    }
                }
            }
        }
    }
    close
}

/// A pair of nodes in a window.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    /// The lower bound of the distance in the window.
    lower: f64,
    pair: u32,
    nodes: [u32; 2],
    /// The features that count of two leaves that share a vertex; see `sharing`.
    features: u8,
    /// True if the convex hulls of both sides represent them.
    by_hulls: bool,
    window: [f64; 2],
    /// The current best direction, in the world; zero if there is none.
    normal: DVec3,
    /// The index in `Search::known` of the known distances at the ends of the window; [`UNKNOWN`] if there are none.
    ends: u32,
    /// The loss of the bound due to the length of the window.
    time_loss: f64,
}

impl Candidate {
    /// Returns the roots of both sides, without any known distance.
    fn new(pair: u32, window: [f64; 2]) -> Candidate {
        Candidate {
            lower: 0.0,
            pair,
            nodes: [0, 0],
            features: 0,
            by_hulls: false,
            window,
            normal: DVec3::ZERO,
            ends: UNKNOWN,
            time_loss: 0.0,
        }
    }
}

/// The number of instants at which pairs are measured before the search begins.
const MOST_ENDS: usize = 64;

/// The index for a window without known distances at its ends.
const UNKNOWN: u32 = u32::MAX;

type Next = Replacements<Candidate>;

struct Search<'a, 'b, C> {
    pairs: &'a [SidePair<'a, C>],
    question: Question,
    /// The current least upper bound.
    upper: f64,
    nearest: Option<(usize, LeafTouch)>,
    /// The least lower bound of the dropped candidates.
    dropped: f64,
    evaluations: u64,
    most_evaluations: u64,
    volumes: u64,
    most_volumes: u64,
    stats: &'b mut TreeStats,
    /// The poses of a pair at the ends of a window.
    ends: Option<Ends>,
    /// The known distances of two leaves, or of two hulls, at the ends of windows. They are stored separately, so that
    /// candidates are small.
    known: Vec<[End; 2]>,
    /// In a search for all near places, the instants at which leaves are within `upper`, which then does not change.
    near: Option<Vec<LeafTouch>>,
}

impl<'a, 'b, C: Composite + Copy> Search<'a, 'b, C> {
    fn new(pairs: &'a [SidePair<'a, C>], question: &Question, stats: &'b mut TreeStats) -> Search<'a, 'b, C> {
        Search {
            pairs,
            question: *question,
            upper: question.known_upper,
            nearest: None,
            dropped: f64::INFINITY,
            evaluations: 0,
            most_evaluations: question
                .max_iterations
                .saturating_mul(pairs.len().max(1)) // not a bound: a count
                .max(question.least_budget) as u64, // not a bound: a count
            most_volumes: question.max_iterations.saturating_mul(1000).saturating_add(pairs.len()) as u64,
            volumes: 0,
            stats,
            ends: None,
            known: Vec::new(),
            near: None,
        }
    }

    /// Stores the known distances at the ends of a window.
    fn remember(&mut self, ends: [End; 2]) -> u32 {
        // A search with more windows than that would have spent its budget long before.
        let place = u32::try_from(self.known.len()).unwrap_or(UNKNOWN);
        if place != UNKNOWN {
            self.known.push(ends);
        }
        place
    }

    /// Returns the known distances at the ends of a candidate's window.
    fn known_at(&self, candidate: &Candidate) -> Option<[End; 2]> {
        self.known.get(candidate.ends as usize).copied()
    }

    /// Returns the pairs over their windows, cut where a velocity jumps. A pair that its bound excludes is dropped.
    fn roots(&mut self, windows: &[(usize, [f64; 2])]) -> Vec<(f64, Candidate)> {
        let mut roots = Vec::with_capacity(windows.len());
        for &(pair, [begin, end]) in windows.iter().rev() {
            let SidePair { sides, with_itself, .. } = &self.pairs[pair];
            let mut cuts: SmallVec<[f64; 4]> = sides.iter().flat_map(|side| jumps(side.motion)).collect();
            cuts.retain(|t| begin < *t && *t < end);
            cuts.push(end);
            cuts.sort_by(f64::total_cmp);
            cuts.dedup();
            let mut from = begin;
            for to in cuts {
                let by_hulls = from < to && hulls::are_useful(&self.pairs[pair]);
                let root = Candidate { by_hulls, ..Candidate::new(pair as u32, [from, to]) };
                let root = if *with_itself {
                    root
                } else {
                    let root = if from == to { self.seen_from_hulls(root) } else { root };
                    if self.is_enough(root.lower) { root } else { self.bounded(root) }
                };
                if self.is_enough(root.lower) {
                    self.dropped = lower_min(self.dropped, root.lower);
                } else {
                    roots.push((root.lower, root));
                }
                from = to;
            }
        }
        roots
    }

    /// Measures pairs at the ends of their windows, for an upper bound to begin with. A motion of several legs is often
    /// closest at the end of a leg, and a search that starts elsewhere wastes work on windows with larger distances.
    fn measure_ends(&mut self, roots: &[(f64, Candidate)]) {
        let Question { known_upper, is_any_enough, .. } = self.question;
        if known_upper < f64::INFINITY || is_any_enough {
            return;
        }
        // A mesh with itself gets its upper bound from the first leaves.
        let two_sided = roots.iter().filter(|(_, root)| !self.pairs[root.pair as usize].with_itself);
        let mut instants: Vec<(u32, f64)> =
            two_sided.flat_map(|(_, root)| root.window.map(|t| (root.pair, t))).collect();
        instants.sort_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)));
        instants.dedup();
        for (pair, t) in instants.into_iter().take(MOST_ENDS) {
            let question =
                Question { span: [t, t], known_upper: self.upper, least_budget: 0, ..self.question };
            let mut search = Search::new(&self.pairs[pair as usize..=pair as usize], &question, self.stats);
            search.run([(0.0, Candidate::new(0, [t, t]))]);
            if let Some((_, touch)) = search.nearest {
                // A distance within the tolerance would end the search before it has a lower bound.
                let upper = touch.separation.upper;
                if upper == 0.0 || upper > self.question.tolerance {
                    self.found(pair, touch.leaves, t, touch.separation);
                }
            }
        }
    }

    /// Works on candidates until the bounds are close enough, or the budget is spent. Returns the least lower bound of
    /// the remaining candidates.
    fn run(&mut self, roots: impl IntoIterator<Item = (f64, Candidate)>) -> f64 {
        let mut queue = Queue::default();
        for (lower, candidate) in roots {
            queue.push(lower, candidate);
        }
        // An event ends the search: its "time" is the least distance that is not yet excluded.
        let first = queue.first(f64::INFINITY, |()| true, |candidate, _| self.work_on(candidate));
        first.event.map_or(f64::INFINITY, |(lower, ())| lower)
    }

    /// Measures the nearest pair again at its instant, as exactly as rounding allows: after the search, other leaves
    /// may be closer there by the tolerance. If the hulls along the direction between the leaves are not closer than
    /// the leaves, no other leaves are closer.
    fn measure_nearest_again(&mut self) {
        let Some((pair, LeafTouch { t, leaves, separation, .. })) = self.nearest else { return };
        let Question { span: [from, to], is_any_enough, .. } = self.question;
        if from == to || is_any_enough || separation.upper == 0.0 || self.pairs[pair].with_itself {
            return;
        }
        let tolerance = self.resolution(pair as u32, t);
        let again = self.leaves_at(pair as u32, leaves, t, tolerance);
        self.found(pair as u32, leaves, t, again);
        let question = Question { span: [t, t], tolerance, known_upper: self.upper, ..self.question };
        let known = self.hulls_along(pair as u32, again.normal, t);
        if known.is_some_and(|lower| self.upper - lower <= tolerance) {
            return;
        }
        let mut search = Search::new(&self.pairs[pair..=pair], &question, self.stats);
        let root = Candidate { normal: again.normal, ..Candidate::new(0, [t, t]) };
        search.run([(0.0, root)]);
        if let Some((_, touch)) = search.nearest {
            self.found(pair as u32, touch.leaves, t, touch.separation);
        }
    }

    /// Evaluates two leaves at the beginning.
    fn any_leaves(&mut self) {
        for pair in 0..self.pairs.len() {
            let SidePair { sides: [a, b], .. } = &self.pairs[pair];
            let mut nodes = [0, 0];
            while let Some([left, _]) = a.pieces.children(nodes[0]) {
                nodes[0] = left;
            }
            while let Some([_, right]) = b.pieces.children(nodes[1]) {
                nodes[1] = right;
            }
            let begin = self.question.span[0];
            let root = Candidate { nodes, ..Candidate::new(pair as u32, [begin, begin]) };
            let dropped = self.dropped;
            let next = self.leaves(root);
            for (_, part) in next {
                self.leaves(part);
            }
            // These two leaves prove nothing about the others.
            self.dropped = dropped;
            if self.nearest.is_some() {
                return;
            }
        }
    }

    /// Returns true if a lower bound ends the search.
    fn is_enough(&self, lower: f64) -> bool {
        self.upper - lower <= self.question.tolerance || self.upper == 0.0
    }

    fn is_spent(&self) -> bool {
        self.evaluations >= self.most_evaluations
            || self.volumes >= self.most_volumes
            || self.question.watch.is_raised()
            || self.is_crowded()
            || (self.question.is_any_enough && self.nearest.is_some())
    }

    fn work_on(&mut self, candidate: Candidate) -> Step<Candidate, ()> {
        if self.is_enough(candidate.lower) || self.is_spent() {
            // It is the least of all remaining bounds.
            return Step::Event { t: candidate.lower, what: () };
        }
        if candidate.by_hulls {
            return Step::Push(self.hulls(candidate));
        }
        let SidePair { sides: [a, b], with_itself, .. } = &self.pairs[candidate.pair as usize];
        let [node_a, node_b] = candidate.nodes;
        let children = [a.pieces.children(node_a), b.pieces.children(node_b)];
        let sizes = [a.pieces.volume(node_a).size(), b.pieces.volume(node_b).size()];
        let opened: SmallVec<[[u32; 2]; 3]> = match children {
            [None, None] => return Step::Push(self.leaves(candidate)),
            [Some([left, right]), Some(_)] if *with_itself && node_a == node_b => {
                smallvec![[left, left], [left, right], [right, right]]
            }
            [Some(_), _] | [_, Some(_)] if self.is_too_long(&candidate, sizes) => {
                return Step::Push(self.halves(candidate));
            }
            [Some(of_a), None] => of_a.iter().map(|&child| [child, node_b]).collect(),
            [None, Some(of_b)] => of_b.iter().map(|&child| [node_a, child]).collect(),
            [Some(of_a), Some(_)] if sizes[0] >= sizes[1] => {
                of_a.iter().map(|&child| [child, node_b]).collect()
            }
            [Some(_), Some(of_b)] => of_b.iter().map(|&child| [node_a, child]).collect(),
        };
        let mut next = Next::new();
        for nodes in opened {
            self.keep(Candidate { nodes, ..candidate }, &mut next);
        }
        Step::Push(next)
    }

    /// Returns true if the length of the window costs more than the size of the volumes. Not a bound: steers.
    fn is_too_long(&self, candidate: &Candidate, sizes: [f64; 2]) -> bool {
        let [from, to] = candidate.window;
        to - from > 1e-3 && candidate.time_loss > 2.0 * (sizes[0] + sizes[1])
    }

    fn halves(&mut self, candidate: Candidate) -> Next {
        let [from, to] = candidate.window;
        let middle = from + 0.5 * (to - from);
        let mut next = Next::new();
        for window in [[from, middle], [middle, to]] {
            self.keep(Candidate { window, ..candidate }, &mut next);
        }
        next
    }

    /// Bounds a candidate, and keeps it unless its bound excludes it.
    fn keep(&mut self, candidate: Candidate, next: &mut Next) {
        let SidePair { with_itself, .. } = &self.pairs[candidate.pair as usize];
        let is_one_node = *with_itself && candidate.nodes[0] == candidate.nodes[1];
        let inherited = candidate.lower;
        let mut candidate = if is_one_node { candidate } else { self.bounded(candidate) };
        if inherited > candidate.lower {
            // The bound of a volume holds for its contents.
            candidate.lower = inherited;
        }
        self.push(candidate, next);
    }

    fn push(&mut self, candidate: Candidate, next: &mut Next) {
        if self.is_enough(candidate.lower) {
            self.dropped = lower_min(self.dropped, candidate.lower);
        } else {
            // Bounds below zero count as equal: the queue then descends one branch, and finds an upper bound soon.
            next.push((lower_or_zero(candidate.lower), candidate));
        }
    }

    /// Takes an upper bound that was evaluated at an instant.
    fn found(&mut self, pair: u32, leaves: [u32; 2], t: f64, separation: Separation) {
        if let Some(near) = &mut self.near {
            if separation.upper <= self.upper {
                near.push(LeafTouch { t, free_until: t, leaves, separation, features: None });
            }
            return;
        }
        let is_better =
            separation.upper < self.upper || (self.nearest.is_none() && separation.upper <= self.upper);
        if is_better {
            self.upper = separation.upper;
            let touch = LeafTouch { t, free_until: t, leaves, separation, features: None };
            self.nearest = Some((pair as usize, touch));
        }
    }
}
