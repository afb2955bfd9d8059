//! The tree engine: first touch of composites (meshes, convex solids, deforming meshes), each in any rigid motion, by
//! advancement over pairs of tree nodes, all in one queue.
//!
//! # The method
//! A queue holds pairs of nodes, one of each side, ordered by a proven lower bound of the time at which they come
//! within `min_separation`. The earliest pair is taken out.
//! 0. *Two whole meshes*: their convex hulls are advanced first. Most pairs of links of a robot are free because their
//!    hulls are free. Otherwise the time at which the hulls touch is a lower bound. This rule is skipped if the hulls
//!    have many corners.
//! 1. *Two leaves*: two convex pieces. Advancement starts from the bound and finds their first touch, or proves that
//!    there is none before `t_min`.
//! 2. *Otherwise* the larger node is replaced by its children, and each new pair is *advanced by one step* from the
//!    time `t` of the bound:
//!    - `step` bounds the time that they stay apart, from the support functions of the volumes along a few directions.
//!    - If the volumes overlap, the step is 0 and the pair waits in the queue to be opened.
//!    - At the end of the time the separation alone decides. A query of a single instant needs no velocities.
//!
//! 3. *A pair that takes long*, a mesh that turns about an axis and one at rest, is tested as a whole by circles about
//!    the axis: `coaxial`.
//!
//! Pairs that are far apart get a late bound from large nodes and are never opened: time culls pairs that space cannot
//! cull.
//!
//! # Contacts at the start
//! With `Start::Ignore`, two leaves that touch at the start are followed by `advance_resting`, if one of them is solid.
//! Other pairs of leaves are treated as usual. The bounds of the nodes hold for both: a free pair needs no test at its
//! start. Two surfaces are followed as a whole, in `surfaces`.
//!
//! # Guarantee
//! Conservative, by the headers of `advancement`, of `step` and of `coaxial`.
//!
//! # Departures
//! CATCH advances by the distance of the whole models, which visits every pair of pieces at each step. Here every
//! pair of nodes advances by itself.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 3.4 and 7.

mod coaxial;
pub mod composite;
mod deforming_pair;
pub(crate) mod inside;
mod step;
mod surfaces;
pub(crate) mod unbounded;

pub use crate::pair::TreeStats;

use glam::DVec3;
use smallvec::{SmallVec, smallvec};

use crate::advancement::{
    Limits, PieceTouch, Queue, Replacements, Separation, Step, Verdict, advance, advance_resting,
    round_instant, touches_at_start,
};
use crate::answer::Feature;
use crate::convex::{ConvexPair, Moving};
use crate::numerics::bound::{exceeds, lower_min};
use crate::options::Start;
use crate::pair::Side;
use composite::{AnyPiece, Composite, Volume};
use step::{Inherited, Instant};
use surfaces::{Groups, proven};

/// The most pairs of leaves of two bodies that may touch at the start if these contacts are left out; with more, the
/// answer is undecided. Following a million would take minutes.
const MOST_RESTING: usize = 100_000;

/// The first touch of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeafTouch {
    /// The time of the touch.
    pub t: f64,
    /// All pairs are farther apart than `min_separation` before this time: `t`, or less in a search for any touch.
    pub free_until: f64,
    /// The leaves that touch.
    pub leaves: [u32; 2],
    /// Their separation at that time.
    pub separation: Separation,
    /// The features that touch, if they were decided exactly.
    pub features: Option<[Feature; 2]>,
}

/// The verdict about several pairs together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairsVerdict {
    /// The verdict.
    pub verdict: Verdict<LeafTouch>,
    /// The index of the pair that touches or ran out of steps; 0 if all are free.
    pub pair: usize,
}

/// Returns the first touch of any of the pairs within the limits. With `any`, the touch need not be the first.
pub fn first_touch<C: Composite + Copy>(
    pairs: &[[Side<'_, C>; 2]],
    limits: &Limits,
    any: bool,
    stats: &mut TreeStats,
) -> PairsVerdict {
    let bounded = unbounded::bounded(pairs, [limits.t_start, limits.t_end]);
    let pairs = bounded.as_deref().unwrap_or(pairs);
    if let Some(decided) = solids_at_start(pairs, limits, stats) {
        return decided;
    }
    let mut search = Search::new(pairs, *limits, stats);
    let all = 0..pairs.len() as u32;
    match limits.start {
        Start::Report => search.first(all.rev(), any),
        Start::Ignore => search.first_after_surfaces(any),
    }
}

/// A pair of nodes at which a search begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartNodes {
    /// The index of the pair of sides.
    pub pair: u32,
    /// The nodes.
    pub nodes: [u32; 2],
    /// A direction to try first, in the frame of the first side; zero if there is none.
    pub normal: DVec3,
}

impl StartNodes {
    /// Returns the roots of both trees.
    pub(crate) const fn roots(pair: u32) -> StartNodes {
        StartNodes { pair, nodes: [0, 0], normal: DVec3::ZERO }
    }
}

/// The ends of a search, from which a search of a similar step can begin.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ends {
    /// The pairs of nodes at which the search ended, each with its last good direction. Together they cover the start
    /// nodes of the search.
    pub nodes: Vec<StartNodes>,
    /// The pairs whose convex hulls touch only after the start: from the roots, the search of such a pair begins at
    /// that time.
    pub late_hulls: Vec<u32>,
}

/// Returns the first touch of any of the pairs within the limits, for the pieces below the pairs of nodes of `starts`.
/// Contacts at the start are reported.
///
/// Adds the ends of the search to `ends`. If the insides of solid meshes decide, `ends` stays unchanged.
pub fn first_touch_from<C: Composite + Copy>(
    pairs: &[[Side<'_, C>; 2]],
    starts: &[StartNodes],
    limits: &Limits,
    any: bool,
    ends: Option<&mut Ends>,
    stats: &mut TreeStats,
) -> PairsVerdict {
    let bounded = unbounded::bounded(pairs, [limits.t_start, limits.t_end]);
    let pairs = bounded.as_deref().unwrap_or(pairs);
    let limits = Limits { start: Start::Report, ..*limits };
    if let Some(decided) = solids_at_start(pairs, &limits, stats) {
        return decided;
    }
    let mut search = Search { ends, ..Search::new(pairs, limits, stats) };
    search.first_of(starts.iter().rev().copied(), any)
}

/// Returns the decision by the insides of solid meshes at the start; see `inside`. `None` if no point is inside one.
fn solids_at_start<C: Composite + Copy>(
    pairs: &[[Side<'_, C>; 2]],
    limits: &Limits,
    stats: &mut TreeStats,
) -> Option<PairsVerdict> {
    let t = limits.t_start;
    for (pair, sides) in pairs.iter().enumerate() {
        if sides.iter().all(|side| side.pieces.solid_mesh().is_none()) {
            continue;
        }
        let found = inside::contained(sides, t);
        let verdict = match (found, limits.start) {
            (Some(touch), Start::Report) => Verdict::Touch(touch),
            (Some(_), Start::Ignore) => Verdict::Undecided { free_until: t },
            (None, Start::Report) => Verdict::Free,
            (None, Start::Ignore) => {
                let at_start = Limits { t_end: t, start: Start::Report, ..*limits };
                let pairs = &pairs[pair..=pair];
                let mut search = Search::new(pairs, at_start, stats);
                match search.first([0], true).verdict {
                    Verdict::Free => Verdict::Free,
                    Verdict::Touch(_) | Verdict::Undecided { .. } => Verdict::Undecided { free_until: t },
                }
            }
        };
        if !verdict.is_free() {
            stats.not_followed += u64::from(matches!(verdict, Verdict::Undecided { .. }));
            return Some(PairsVerdict { verdict, pair });
        }
    }
    None
}

/// A pair of nodes with the time up to which it is free, and its current best direction, in the frame of the first
/// side.
#[derive(Debug, Clone, Copy)]
struct NodePair {
    t: f64,
    normal: DVec3,
    pair: u32,
    nodes: [u32; 2],
    /// True if the convex hulls have already been advanced.
    hulls_done: bool,
}

/// Two pieces of a pair touch, or ran out of steps.
struct PairEvent {
    pair: u32,
    touch: Option<LeafTouch>,
}

type NodeStep = Step<NodePair, PairEvent>;

struct Search<'a, C> {
    pairs: &'a [[Side<'a, C>; 2]],
    limits: Limits,
    stats: &'a mut TreeStats,
    instant: Option<Instant>,
    /// The number of pairs of leaves that touch at the start, if these are left out.
    resting: usize,
    cover: Cover<'a>,
    /// The ends of the search, if they are requested.
    ends: Option<&'a mut Ends>,
    /// The number of pairs of nodes taken from the queue.
    visits: u64,
    /// For each pair of sides, true if `coaxial` proved it free; `None` if it was not tried. Empty before the first
    /// trial.
    coaxial: SmallVec<[Option<bool>; 1]>,
}

/// The pairs of leaves that a search examines.
#[derive(Clone, Copy)]
enum Cover<'a> {
    All,
    /// All pairs, which touched at the start and have parted since.
    AllAfterContact,
    /// All pairs that are in no group.
    Except(&'a Groups),
    /// The pairs of one group, which has parted since the start.
    Only(&'a Groups, u32),
}

/// Returns the pairs of nodes that replace a pair: the larger node's children with the other node. `None` for two
/// leaves.
#[inline]
fn opened<C: Composite>(a: &C, b: &C, [node_a, node_b]: [u32; 2]) -> Option<[[u32; 2]; 2]> {
    match (a.children(node_a), b.children(node_b)) {
        (None, None) => None,
        (Some(children), None) => Some(children.map(|child| [child, node_b])),
        (None, Some(children)) => Some(children.map(|child| [node_a, child])),
        (Some(of_a), Some(of_b)) => Some(if a.volume(node_a).size() >= b.volume(node_b).size() {
            of_a.map(|child| [child, node_b])
        } else {
            of_b.map(|child| [node_a, child])
        }),
    }
}

impl<'a, C: Composite + Copy> Search<'a, C> {
    /// Creates a search of all pairs of leaves.
    fn new(pairs: &'a [[Side<'a, C>; 2]], limits: Limits, stats: &'a mut TreeStats) -> Search<'a, C> {
        Search {
            pairs,
            limits,
            stats,
            instant: None,
            resting: 0,
            cover: Cover::All,
            ends: None,
            visits: 0,
            coaxial: SmallVec::new(),
        }
    }

    /// Returns the first touch of these pairs.
    fn first(&mut self, pairs: impl IntoIterator<Item = u32>, any: bool) -> PairsVerdict {
        self.first_of(pairs.into_iter().map(StartNodes::roots), any)
    }

    /// Returns the first touch of the pieces below these nodes.
    fn first_of(&mut self, starts: impl IntoIterator<Item = StartNodes>, any: bool) -> PairsVerdict {
        let Limits { t_start, t_end, .. } = self.limits;
        let mut queue = Queue::default();
        let mut begun: Option<Instant> = None;
        for StartNodes { pair, nodes, normal } in starts {
            // The hulls are those of whole bodies.
            let is_inside = nodes != [0, 0];
            let instant = match begun {
                Some(instant) if instant.pair == pair => instant,
                _ => self.instant_at(t_start, pair),
            };
            if let Some((lower, candidate)) =
                self.bounded_at(&instant, t_end, nodes, &mut Inherited::new(normal), is_inside)
            {
                queue.push(lower, candidate);
            }
            begun = Some(instant);
        }
        // A pair that ran out of steps proves nothing about the others.
        let enough = |event: &PairEvent| any && event.touch.is_some();
        let first = queue.first_leaving(t_end, enough, |candidate, t_min| self.work_on(candidate, t_min));
        if self.ends.is_some() {
            queue
                .into_candidates()
                .for_each(|NodePair { pair, nodes, normal, .. }| self.end_at(pair, nodes, normal));
        }
        let free_until = first.free_until;
        let Some((_, PairEvent { pair, touch })) = first.event else {
            return PairsVerdict { verdict: Verdict::Free, pair: 0 };
        };
        let verdict = match touch {
            Some(touch) => Verdict::Touch(LeafTouch { free_until, ..touch }),
            None => Verdict::Undecided { free_until },
        };
        PairsVerdict { verdict, pair: pair as usize }
    }

    /// Returns the first touch of all pairs, with contacts at the start left out. Two surfaces that touch at the start
    /// are searched separately, and all other pairs follow.
    fn first_after_surfaces(&mut self, any: bool) -> PairsVerdict {
        let mut settled = PairsVerdict { verdict: Verdict::Free, pair: 0 };
        let mut others = Vec::new();
        for pair in 0..self.pairs.len() as u32 {
            let [a, b] = &self.pairs[pair as usize];
            let t_end = self.limits.t_end.min(proven(&settled.verdict)); // not a bound: both are times
            let are_surfaces = a.pieces.is_surface() && b.pieces.is_surface();
            match are_surfaces.then(|| self.surfaces_at_rest(pair, t_end)).flatten() {
                None => others.push(pair),
                Some(verdict) if proven(&verdict) < proven(&settled.verdict) => {
                    settled = PairsVerdict { verdict, pair: pair as usize };
                }
                Some(_) => {}
            }
        }
        others.reverse();
        let known = proven(&settled.verdict);
        let limits = Limits { t_end: self.limits.t_end.min(known), ..self.limits }; // not a bound: both are times
        let first = self.with(limits, Cover::All).first(others, any);
        match first.verdict {
            Verdict::Free => settled,
            Verdict::Undecided { free_until } if known <= free_until => settled,
            Verdict::Touch(touch) if known <= touch.t => {
                // Of two touches at the same time, the one settled first counts.
                let free_until = lower_min(touch.free_until, known);
                let verdict = settled.verdict.map(|settled| LeafTouch { free_until, ..settled });
                PairsVerdict { verdict, ..settled }
            }
            Verdict::Undecided { .. } | Verdict::Touch(_) => first,
        }
    }

    /// Returns a search of the same pairs within other limits.
    fn with<'b>(&'b mut self, limits: Limits, cover: Cover<'b>) -> Search<'b, C> {
        Search { cover, ..Search::new(self.pairs, limits, self.stats) }
    }

    fn work_on(&mut self, candidate: NodePair, t_min: f64) -> NodeStep {
        let NodePair { t, normal, pair, nodes: [node_a, node_b], hulls_done } = candidate;
        if self.limits.watch.is_raised() {
            self.end_at(pair, [node_a, node_b], normal);
            // It is the earliest remaining candidate.
            return Step::Event { t, what: PairEvent { pair, touch: None } };
        }
        self.visits += 1;
        if self.visits > coaxial::LONG_SEARCH && self.is_coaxial(pair) {
            return Step::Free;
        }
        let [a, b] = self.pairs[pair as usize].map(|side| side.pieces);
        let children = opened(&a, &b, [node_a, node_b]);
        if [node_a, node_b] == [0, 0] && (hulls_done || children.is_none()) {
            self.stats.opened += 1;
        }
        let Some(children) = children else {
            self.end_at(pair, [node_a, node_b], normal);
            return self.advance_pieces(t, pair, [node_a, node_b], t_min);
        };
        if !hulls_done {
            return self.advance_hulls(candidate, t_min);
        }
        Step::Push(self.bounded(t, t_min, pair, children, normal, true))
    }

    /// Returns true if rule 3 of the header proves a pair free. It is tried once for each pair.
    fn is_coaxial(&mut self, pair: u32) -> bool {
        self.coaxial.resize(self.pairs.len(), None);
        let (pairs, limits) = (self.pairs, &self.limits);
        // A search that records its ends must record all dropped nodes.
        let has_ends = self.ends.is_some();
        *self.coaxial[pair as usize]
            .get_or_insert_with(|| !has_ends && coaxial::are_apart(&pairs[pair as usize], limits))
    }

    /// Records an end: the search examines no node below these, or decides them here.
    #[inline]
    fn end_at(&mut self, pair: u32, nodes: [u32; 2], normal: DVec3) {
        if let Some(ends) = &mut self.ends {
            ends.nodes.push(StartNodes { pair, nodes, normal });
        }
    }

    /// Advances pairs of nodes that are free up to `t` by one step each, and drops the pairs that are free up to
    /// `t_min`.
    fn bounded<const N: usize>(
        &mut self,
        t: f64,
        t_min: f64,
        pair: u32,
        nodes: [[u32; 2]; N],
        inherited: DVec3,
        hulls_done: bool,
    ) -> Replacements<NodePair> {
        let instant = self.instant_at(t, pair);
        let mut next = Replacements::new();
        let mut inherited = Inherited::new(inherited);
        for nodes in nodes {
            next.extend(self.bounded_at(&instant, t_min, nodes, &mut inherited, hulls_done));
        }
        next
    }

    /// Advances a pair of nodes from an instant by one step; `None` if it is free up to `t_min`.
    #[inline]
    fn bounded_at(
        &mut self,
        instant: &Instant,
        t_min: f64,
        nodes: [u32; 2],
        inherited: &mut Inherited,
        hulls_done: bool,
    ) -> Option<(f64, NodePair)> {
        let Instant { t, pair, .. } = *instant;
        let (step, normal) = self.step(instant, nodes, inherited, t_min - t);
        let later = round_instant(t, step);
        // The pair is dropped only if its bound is certainly later; a NaN bound keeps it.
        if exceeds(later, t_min) {
            self.end_at(pair, nodes, normal);
            return None;
        }
        Some((later, NodePair { t: later, normal, pair, nodes, hulls_done }))
    }

    /// Rule 0 of the header.
    fn advance_hulls(&mut self, candidate: NodePair, t_min: f64) -> NodeStep {
        let [a, b] = &self.pairs[candidate.pair as usize];
        let (Some(hull_a), Some(hull_b)) = (a.pieces.hull(), b.pieces.hull()) else {
            return Step::Push(smallvec![(candidate.t, NodePair { hulls_done: true, ..candidate })]);
        };
        // A thousandth of the hulls' size is close enough to their contact. The bound is valid for any tolerance.
        let near = 1e-3 * hull_a.reach().min(hull_b.reach()); // not a bound: steers
        let tolerance = self.limits.tolerance.max(near); // not a bound: steers
        let mut hulls = ConvexPair::new(
            Moving { shape: hull_a, motion: a.motion },
            Moving { shape: hull_b, motion: b.motion },
            self.limits.min_separation,
            tolerance,
        )
        .at_common_instants();
        let limits =
            Limits { t_start: candidate.t, t_end: t_min, tolerance, max_iterations: 50, ..self.limits };
        let (t, normal) = match advance(&mut hulls, &limits, &mut self.stats.iterations) {
            Verdict::Free => {
                self.end_at(candidate.pair, candidate.nodes, candidate.normal);
                return Step::Free;
            }
            Verdict::Touch(PieceTouch { t, separation }) => {
                let normal = a.motion.pose_at(t).direction_to_body(separation.normal);
                // The error of the pose may exceed rounding, and directions must have unit length.
                (t, normal.normalize_or_zero())
            }
            Verdict::Undecided { free_until } => (free_until, candidate.normal),
        };
        if let Some(ends) = &mut self.ends
            && t > self.limits.t_start
        {
            ends.late_hulls.push(candidate.pair);
        }
        Step::Push(smallvec![(t, NodePair { t, normal, hulls_done: true, ..candidate })])
    }

    /// Rule 1 of the header.
    fn advance_pieces(&mut self, t: f64, pair: u32, leaves: [u32; 2], t_min: f64) -> NodeStep {
        let is_looked_at = match self.cover {
            Cover::All | Cover::AllAfterContact => true,
            Cover::Except(groups) => !groups.covers(None, leaves),
            Cover::Only(groups, group) => groups.covers(Some(group), leaves),
        };
        if !is_looked_at {
            return Step::Free;
        }
        let after_contact = matches!(self.cover, Cover::AllAfterContact | Cover::Only(..));
        self.stats.piece_pairs += 1;
        let [a, b] = &self.pairs[pair as usize];
        let (piece_a, piece_b) = (a.pieces.piece(leaves[0]), b.pieces.piece(leaves[1]));
        let limits = Limits { t_start: t, t_end: t_min, ..self.limits };
        let Limits { min_separation, tolerance, .. } = limits;
        let (verdict, features) = match (&piece_a, &piece_b) {
            _ if self.limits.start == Start::Ignore && self.rests(pair, leaves) => {
                self.resting += 1;
                if self.resting > MOST_RESTING {
                    return Step::Event { t: self.limits.t_start, what: PairEvent { pair, touch: None } };
                }
                let a = Moving { shape: piece_a, motion: a.motion };
                let b = Moving { shape: piece_b, motion: b.motion };
                let mut pieces = ConvexPair::new(a, b, min_separation, tolerance);
                let limits = Limits { t_start: self.limits.t_start, ..limits };
                (advance_resting(&mut pieces, &limits, t, &mut self.stats.iterations), None)
            }
            // The exact tests examine all times from 0 on, when these pieces touched.
            (AnyPiece::Deforming(moving_a), AnyPiece::Deforming(moving_b)) if !after_contact => {
                self.stats.iterations += 1;
                match deforming_pair::first_touch(moving_a, moving_b, &limits) {
                    Verdict::Free => (Verdict::Free, None),
                    Verdict::Touch((touch, features)) => (Verdict::Touch(touch), Some(features)),
                    Verdict::Undecided { free_until } => (Verdict::Undecided { free_until }, None),
                }
            }
            (AnyPiece::Triangle(triangle_a), AnyPiece::Triangle(triangle_b)) => {
                let a = Moving { shape: triangle_a, motion: a.motion };
                let b = Moving { shape: triangle_b, motion: b.motion };
                let mut pieces = ConvexPair::new(a, b, min_separation, tolerance);
                (advance(&mut pieces, &limits, &mut self.stats.iterations), None)
            }
            _ if piece_a.is_rigid() && piece_b.is_rigid() => {
                let a = Moving { shape: piece_a.as_convex(), motion: a.motion };
                let b = Moving { shape: piece_b.as_convex(), motion: b.motion };
                let mut pieces = ConvexPair::new(a, b, min_separation, tolerance);
                (advance(&mut pieces, &limits, &mut self.stats.iterations), None)
            }
            _ => {
                let a = Moving { shape: piece_a, motion: a.motion };
                let b = Moving { shape: piece_b, motion: b.motion };
                let mut pieces = ConvexPair::new(a, b, min_separation, tolerance);
                (advance(&mut pieces, &limits, &mut self.stats.iterations), None)
            }
        };
        match verdict {
            Verdict::Free => Step::Free,
            Verdict::Touch(PieceTouch { t, separation }) => {
                let touch = LeafTouch { t, free_until: t, leaves, separation, features };
                Step::Event { t, what: PairEvent { pair, touch: Some(touch) } }
            }
            Verdict::Undecided { free_until } => {
                Step::Event { t: free_until, what: PairEvent { pair, touch: None } }
            }
        }
    }

    /// Returns true if two leaves touch at the start.
    fn rests(&self, pair: u32, leaves: [u32; 2]) -> bool {
        let [a, b] = &self.pairs[pair as usize];
        let piece_a = Moving { shape: a.pieces.piece(leaves[0]), motion: a.motion };
        let piece_b = Moving { shape: b.pieces.piece(leaves[1]), motion: b.motion };
        let Limits { min_separation, tolerance, .. } = self.limits;
        touches_at_start(&mut ConvexPair::new(piece_a, piece_b, min_separation, tolerance), &self.limits)
    }

    /// Rule 2 of the header: returns the time for which the two nodes certainly stay apart, and the direction that
    /// proves it. The search ends at a time of at least `enough`.
    #[inline]
    fn step(
        &mut self,
        now: &Instant,
        nodes: [u32; 2],
        inherited: &mut Inherited,
        enough: f64,
    ) -> (f64, DVec3) {
        self.stats.volume_pairs += 1;
        let sides = &self.pairs[now.pair as usize];
        now.step(sides, nodes, &self.limits, inherited, enough)
    }

    fn instant_at(&mut self, t: f64, pair: u32) -> Instant {
        if let Some(instant) = self.instant
            && instant.t == t
            && instant.pair == pair
        {
            return instant;
        }
        let motions = self.pairs[pair as usize].map(|side| side.motion);
        let instant = Instant::new(motions, t, self.limits.t_end, pair);
        self.instant = Some(instant);
        instant
    }
}

#[cfg(test)]
#[path = "bounds_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "ends_tests.rs"]
mod ends_tests;
