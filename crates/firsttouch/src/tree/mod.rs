//! The tree engine: first touch of composites (meshes, convex solids, deforming meshes), each in any rigid motion, by
//! advancement over pairs of tree nodes, all in one queue.
//!
//! # The method
//! A queue holds pairs of nodes, one of each side, ordered by a proven lower bound of the time at which they come
//! within `min_separation`. The earliest pair is taken out.
//! 0. *Two whole meshes*: their convex hulls are advanced first. Most pairs of links of a robot are free because
//!    their hulls are, and otherwise the time at which the hulls touch is a lower bound. This rule is skipped if the
//!    hulls have many corners.
//! 1. *Two leaves*: two convex pieces. Advancement starts from the bound and finds their first touch, or proves that
//!    there is none before `t_min`.
//! 2. *Otherwise* the larger node is replaced by its children, and each new pair is *advanced by one step* from the time
//!    `t` of the bound:
//!    - The separation `s` along a direction `n` is bounded from below by the support functions of the volumes. This
//!      is a bound for any `n`, so no closest-point search is needed. The directions tried are the best one of the
//!      parent and those out of each volume towards the other's centre, which for flat boxes are their normals. The
//!      search stops as soon as one proves the pair free up to `t_min`; otherwise the one with the longest step is
//!      kept. More directions (between the centres, between the points that alternating projection finds) save up to
//!      a tenth of the pairs and cost more than that: measured.
//!    - The closing speed of the two along `n` *at* `t` is bounded by the same support functions: a point at `R x`
//!      from its body's origin has `x' · n = p' · n + (R x) · (n × ω)`, whose maximum over the node is the support
//!      function along `Rᵀ (n × ω)`. Let `μ` be the bound for both sides together and `a` an upper bound of their
//!      relative acceleration. Then the separation at `t + h` is at least `s − μ h − a h² / 2`, and the step is the
//!      positive root. Each pair has its own direction and its own bound, and small nodes have sharp ones. If `a` is
//!      infinite (a velocity jumps), the step is `s` over a bound of the closing speed in the whole remaining window.
//!      If a side deforms, its support function changes with time by itself: its rate is added to `μ`, and its second
//!      derivative to `a`.
//!    - If the volumes overlap, the step is 0 and the pair waits in the queue to be opened.
//!    - At the end of the time the separation alone decides. A query of a single instant needs no velocities.
//!
//! Pairs that are far apart get a late bound from large nodes and are never opened: time culls pairs that space
//! cannot.
//!
//! # Contacts at the start
//! With `Start::Ignore`, two leaves that touch at the start are followed by `advance_resting`, if one of them is solid. Other pairs of leaves are treated as
//! usual. The bounds of the nodes hold for both: what is free needs no look at its start. Two surfaces are followed as a whole, in `surfaces`.
//!
//! # Guarantee
//! Conservative, by the header of `advancement`. All quantities of an instant are transformed into the frame of the
//! first side: for the exact rotations `A`, `B` and a vector `n` of that frame, the direction in the world is `A n`,
//! and the separation along it `n · Aᵀ(c_B − c_A) − h_A(n) − h_B(−(AᵀB)ᵀ n)`. With computed rotations that are off by
//! `e_A` and `e_B`, the first support function has no error of the pose at all, `AᵀB` is off by `e_A + e_B` and `9u`
//! for the product, and the offset by `e_A |c_B − c_A|`. The rest are the roundings of `convex`: `46u` of the reach,
//! including the product, where `64u` are taken. The same holds for the velocities and `n × ω`; there `ω` is rotated
//! once more, which counts `e_A` twice. The deformation rate of a side is evaluated along a direction with the same
//! error as that of its support function.
//!
//! # Departures
//! CATCH advances by the distance of the whole models, which visits every pair of pieces at each step. Here every
//! pair of nodes advances by itself.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 3.4 and 7.

pub mod composite;
mod deforming_pair;
pub(crate) mod inside;
mod surfaces;
pub(crate) mod unbounded;

pub use crate::pair::TreeStats;

use glam::{DMat3, DVec3};
use smallvec::{SmallVec, smallvec};

use crate::advancement::{
    Limits, PieceTouch, Queue, Separation, Step, Verdict, advance, advance_resting, round_instant,
    touches_at_start,
};
use crate::answer::Feature;
use crate::convex::{ConvexPair, Moving};
use crate::motion::{PoseAt, Velocity, VelocityBounds};
use crate::numerics::Window;
use crate::numerics::bound::{exceeds, lower_min, lower_or_zero};
use crate::numerics::rounding::{TINY_LENGTH, UNIT};
use crate::options::Start;
use crate::pair::Side;
use composite::{AnyPiece, Composite};
use surfaces::{Groups, proven};

/// Of two bodies, so many pairs of leaves may touch at the start where these are left out; with more, the answer is undecided. A million
/// would be followed for minutes.
const MOST_RESTING: usize = 100_000;

/// A velocity of which nothing is known.
const UNKNOWN: VelocityBounds = VelocityBounds {
    center: Velocity { origin: DVec3::ZERO, angular: DVec3::ZERO },
    origin_radius: f64::INFINITY,
    angular_radius: f64::INFINITY,
};

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
    let mut search =
        Search { pairs, limits: *limits, stats, instant: None, resting: 0, cover: Cover::All, ends: None };
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
    /// The roots of both trees.
    pub(crate) const fn roots(pair: u32) -> StartNodes {
        StartNodes { pair, nodes: [0, 0], normal: DVec3::ZERO }
    }
}

/// Where a search ended: a place to begin from in a step like the one that was searched.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ends {
    /// The pairs of nodes at which it ended, each with the last direction that was good for it. Together they cover what the search began with.
    pub nodes: Vec<StartNodes>,
    /// The pairs whose convex hulls touch after the start only: from the roots, such a search begins at that time.
    pub late_hulls: Vec<u32>,
}

/// Returns the first touch of any of the pairs within the limits, of those pieces that are under some pair of nodes of `starts`. Contacts at
/// the start are reported.
///
/// Adds to `ends` where the search ended. Nothing is added if the insides of solid meshes decide.
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
    let mut search = Search { pairs, limits, stats, instant: None, resting: 0, cover: Cover::All, ends };
    search.first_of(starts.iter().rev().copied(), any)
}

/// What is decided by the insides of solid meshes at the start; see `inside`. `None` if nothing is inside of one.
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
                let (instant, resting, cover, ends) = (None, 0, Cover::All, None);
                let mut search = Search { pairs, limits: at_start, stats, instant, resting, cover, ends };
                match search.first([0], true).verdict {
                    Verdict::Free => Verdict::Free,
                    Verdict::Touch(_) | Verdict::Undecided { .. } => Verdict::Undecided { free_until: t },
                }
            }
        };
        if !verdict.is_free() {
            return Some(PairsVerdict { verdict, pair });
        }
    }
    None
}

/// A pair of nodes with the time up to which it is free, and its best direction so far, in the frame of the first
/// side.
#[derive(Debug, Clone, Copy)]
struct NodePair {
    t: f64,
    normal: DVec3,
    pair: u32,
    nodes: [u32; 2],
    /// Whether the convex hulls have already been advanced.
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
    /// How many pairs of leaves touch at the start, if these are left out.
    resting: usize,
    cover: Cover<'a>,
    /// Where the search ends, if that is asked for.
    ends: Option<&'a mut Ends>,
}

/// Which pairs of leaves are looked at.
#[derive(Clone, Copy)]
enum Cover<'a> {
    All,
    /// All, which touched at the start and have parted since.
    AllAfterContact,
    /// All that are in no group.
    Except(&'a Groups),
    /// Those of one group, which has parted since the start.
    Only(&'a Groups, u32),
}

/// The pairs of nodes that replace a pair: the larger node's children with the other node. `None` for two leaves.
#[inline]
fn opened<C: Composite>(a: &C, b: &C, [node_a, node_b]: [u32; 2]) -> Option<[[u32; 2]; 2]> {
    match (a.children(node_a), b.children(node_b)) {
        (None, None) => None,
        (Some(children), None) => Some(children.map(|child| [child, node_b])),
        (None, Some(children)) => Some(children.map(|child| [node_a, child])),
        (Some(of_a), Some(of_b)) => Some(if a.size(node_a) >= b.size(node_b) {
            of_a.map(|child| [child, node_b])
        } else {
            of_b.map(|child| [node_a, child])
        }),
    }
}

/// All quantities of an instant that do not depend on the nodes, in the frame of the first side.
#[derive(Debug, Clone, Copy)]
struct Instant {
    t: f64,
    pair: u32,
    /// The rotation of the first side, whose frame everything else is in, and the pose of the second side.
    frame: DMat3,
    other: PoseAt,
    /// The velocity of the first origin relative to the second, and the angular velocities.
    origin: DVec3,
    angular: [DVec3; 2],
    /// The remaining window.
    left: Window,
    /// The part of the separation's error that is proportional to each node's reach, and the rest.
    error_per_reach: [f64; 2],
    error: f64,
    /// The same for the closing speed.
    speed_error_per_reach: [f64; 2],
    speed_error: f64,
}

impl<C: Composite + Copy> Search<'_, C> {
    /// The first touch of these pairs.
    fn first(&mut self, pairs: impl IntoIterator<Item = u32>, any: bool) -> PairsVerdict {
        self.first_of(pairs.into_iter().map(StartNodes::roots), any)
    }

    /// The first touch of what is under these nodes.
    fn first_of(&mut self, starts: impl IntoIterator<Item = StartNodes>, any: bool) -> PairsVerdict {
        let Limits { t_start, t_end, .. } = self.limits;
        let mut queue = Queue::default();
        let mut begun: Option<Instant> = None;
        for StartNodes { pair, nodes, normal } in starts {
            // Hulls are those of whole bodies.
            let is_inside = nodes != [0, 0];
            let instant = match begun {
                Some(instant) if instant.pair == pair => instant,
                _ => self.instant_at(t_start, pair),
            };
            if let Some((lower, candidate)) = self.bounded_at(&instant, t_end, nodes, normal, is_inside) {
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

    /// The first touch of all pairs, with contacts at the start left out: two surfaces that touch then are each a question of its own, and all
    /// others follow.
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
                // Of two touches at the same time the one that was settled first counts.
                let free_until = lower_min(touch.free_until, known);
                let verdict = settled.verdict.map(|settled| LeafTouch { free_until, ..settled });
                PairsVerdict { verdict, ..settled }
            }
            Verdict::Undecided { .. } | Verdict::Touch(_) => first,
        }
    }

    /// The same search within other limits.
    fn with<'b>(&'b mut self, limits: Limits, cover: Cover<'b>) -> Search<'b, C> {
        Search { pairs: self.pairs, limits, stats: self.stats, instant: None, resting: 0, cover, ends: None }
    }

    fn work_on(&mut self, candidate: NodePair, t_min: f64) -> NodeStep {
        let NodePair { t, normal, pair, nodes: [node_a, node_b], hulls_done } = candidate;
        if self.limits.watch.is_raised() {
            self.end_at(pair, [node_a, node_b], normal);
            // It is the earliest of all that are left.
            return Step::Event { t, what: PairEvent { pair, touch: None } };
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

    /// The search looks at nothing under these nodes, or decides about them here.
    #[inline]
    fn end_at(&mut self, pair: u32, nodes: [u32; 2], normal: DVec3) {
        if let Some(ends) = &mut self.ends {
            ends.nodes.push(StartNodes { pair, nodes, normal });
        }
    }

    /// Advances pairs of nodes that are free up to `t` by one step each; drops those that are free up to `t_min`.
    fn bounded<const N: usize>(
        &mut self,
        t: f64,
        t_min: f64,
        pair: u32,
        nodes: [[u32; 2]; N],
        inherited: DVec3,
        hulls_done: bool,
    ) -> SmallVec<[(f64, NodePair); 4]> {
        let instant = self.instant_at(t, pair);
        let mut next = SmallVec::new();
        for nodes in nodes {
            next.extend(self.bounded_at(&instant, t_min, nodes, inherited, hulls_done));
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
        inherited: DVec3,
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
        // The hulls need not be followed closely to their contact: a thousandth of their size is close enough. The
        // bound is valid for any tolerance.
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
                // The error of the pose may exceed rounding; directions must have unit length.
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
            // The exact tests look at all times from 0 on, when these touched.
            (AnyPiece::Deforming(moving_a), AnyPiece::Deforming(moving_b)) if !after_contact => {
                self.stats.iterations += 1;
                match deforming_pair::first_touch(moving_a, moving_b, &limits) {
                    Verdict::Free => (Verdict::Free, None),
                    Verdict::Touch((touch, features)) => (Verdict::Touch(touch), Some(features)),
                    Verdict::Undecided { free_until } => (Verdict::Undecided { free_until }, None),
                }
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

    /// Whether two leaves touch at the start.
    fn rests(&self, pair: u32, leaves: [u32; 2]) -> bool {
        let [a, b] = &self.pairs[pair as usize];
        let piece_a = Moving { shape: a.pieces.piece(leaves[0]), motion: a.motion };
        let piece_b = Moving { shape: b.pieces.piece(leaves[1]), motion: b.motion };
        let Limits { min_separation, tolerance, .. } = self.limits;
        touches_at_start(&mut ConvexPair::new(piece_a, piece_b, min_separation, tolerance), &self.limits)
    }

    /// Rule 2 of the header: how long the two nodes certainly stay apart, and along which direction that was found. Longer
    /// than `enough` is not asked for.
    fn step(
        &mut self,
        now: &Instant,
        [node_a, node_b]: [u32; 2],
        inherited: DVec3,
        enough: f64,
    ) -> (f64, DVec3) {
        self.stats.volume_pairs += 1;
        let [Side { pieces: a, motion: motion_a }, Side { pieces: b, motion: motion_b }] =
            &self.pairs[now.pair as usize];
        let other = &now.other;
        let reach = [a.reach(node_a), b.reach(node_b)];
        let error = now.error + now.error_per_reach[0] * reach[0] + now.error_per_reach[1] * reach[1];
        let nearest = error + self.limits.min_separation;
        let speed_error = now.speed_error
            + now.speed_error_per_reach[0] * reach[0]
            + now.speed_error_per_reach[1] * reach[1];
        // A rotation moves only the cores; see the header of `convex`.
        let turning = [a.core_reach(node_a), b.core_reach(node_b)];
        let acceleration = if enough > 0.0 {
            motion_a.acceleration(turning[0], now.left)
                + motion_b.acceleration(turning[1], now.left)
                + (a.extent_acceleration(node_a) + b.extent_acceleration(node_b))
        } else {
            f64::INFINITY
        };

        // At the start, pieces within the tolerance touch as well, and must not be skipped.
        let needed = if now.t == 0.0 { self.limits.tolerance } else { 0.0 };
        let free_for = |n: DVec3| {
            let n_b = other.direction_to_body(-n);
            let h_a = a.extent_at(node_a, n, now.t);
            let h_b = b.extent_at(node_b, n_b, now.t);
            let margin = n.dot(other.translation) - (h_a + h_b) - nearest;
            // Not large enough, or NaN: nothing is proven.
            if !exceeds(margin, needed) {
                return 0.0;
            }
            // Later times are outside the query.
            if enough <= 0.0 {
                return f64::INFINITY;
            }
            let [off_a, off_b] = now.error_per_reach;
            let extent_speed =
                a.extent_speed(node_a, n, off_a, now.t) + b.extent_speed(node_b, n_b, off_b, now.t);
            // A velocity jumps, or a bound could not be computed.
            if !exceeds(f64::INFINITY, acceleration) {
                let n = now.frame * n;
                let speed = motion_a.speed_along(n, turning[0], now.left)
                    + motion_b.speed_along(-n, turning[1], now.left)
                    + extent_speed
                    + (a.extent_acceleration(node_a) + b.extent_acceleration(node_b))
                        * 2.0
                        * now.left.half_width();
                // The error of the rotation adds to that of the direction once more.
                let speed = speed + speed_error;
                return if speed <= 0.0 {
                    f64::INFINITY
                } else {
                    // A speed that is NaN, or two infinities, prove nothing.
                    lower_or_zero(margin / speed * (1.0 - 8.0 * UNIT))
                };
            }
            let (m_a, m_b) = (n.cross(now.angular[0]), n.cross(now.angular[1]));
            let closing = n.dot(now.origin)
                + a.core_extent(node_a, m_a)
                + b.core_extent(node_b, other.direction_to_body(-m_b))
                + extent_speed
                + speed_error;
            // The positive root of s = μ h + a h² / 2, in the form that does not cancel for the sign of μ. With a = 0
            // and μ <= 0 there is none, and the pair never touches.
            let root = (closing * closing + 2.0 * acceleration * margin).sqrt();
            // NaN or overflow: nothing is proven.
            if !root.is_finite() {
                return 0.0;
            }
            // About ten roundings, none of which cancels.
            if closing > 0.0 {
                2.0 * margin / (closing + root) * (1.0 - 32.0 * UNIT)
            } else if acceleration > 0.0 {
                (root - closing) / acceleration * (1.0 - 32.0 * UNIT)
            } else {
                f64::INFINITY
            }
        };

        let by_inherited = if inherited == DVec3::ZERO { 0.0 } else { free_for(inherited) };
        if by_inherited > enough {
            return (by_inherited, inherited);
        }
        let out_of_a = a.way_out_at(node_a, other.apply(b.center_at(node_b, now.t)), now.t);
        let out_of_b =
            other.rotation * b.way_out_at(node_b, other.to_body(a.center_at(node_a, now.t)), now.t);
        let mut best = (by_inherited, inherited);
        for way in [out_of_a, -out_of_b] {
            if let Some(n) = way.try_normalize() {
                let step = free_for(n);
                if step > best.0 || best.1 == DVec3::ZERO {
                    best = (step, n);
                    if step > enough {
                        break;
                    }
                }
            }
        }
        best
    }

    fn instant_at(&mut self, t: f64, pair: u32) -> Instant {
        if let Some(instant) = self.instant
            && instant.t == t
            && instant.pair == pair
        {
            return instant;
        }
        let [a, b] = self.pairs[pair as usize].map(|side| side.motion);
        let (pose_a, pose_b) = (a.pose_at(t), b.pose_at(t));
        let (error_a, error_b) = (a.pose_error(), b.pose_error());
        // At the end of the time, steps need no velocities, because later times are outside the query. Infinite radii would prove nothing.
        let velocities = if t < self.limits.t_end {
            let now = Window::between(t, t);
            [a.velocity_bounds(now), b.velocity_bounds(now)]
        } else {
            [UNKNOWN; 2]
        };
        let to_a = pose_a.rotation.transpose();
        let turning = error_a.rotation + error_b.rotation;
        // The largest coordinates of the origins; their distance is at most sqrt(3) times the sum.
        let size = pose_a.translation.abs().max_element() + pose_b.translation.abs().max_element();
        let origins = velocities.map(|v| v.center.origin.length()).iter().sum::<f64>();
        let instant = Instant {
            t,
            pair,
            frame: pose_a.rotation,
            other: PoseAt {
                rotation: to_a * pose_b.rotation,
                translation: to_a * (pose_b.translation - pose_a.translation),
            },
            origin: to_a * (velocities[0].center.origin - velocities[1].center.origin),
            angular: velocities.map(|v| to_a * v.center.angular),
            left: Window::between(t, self.limits.t_end.max(t)), // not a bound: both are times
            error_per_reach: [64.0 * UNIT, turning * (1.0 + 16.0 * UNIT) + 64.0 * UNIT],
            error: error_a.translation
                + error_b.translation
                + (2.0 * error_a.rotation + 128.0 * UNIT) * size
                + 8.0 * TINY_LENGTH,
            speed_error_per_reach: velocities
                .map(|v| v.angular_radius + v.center.angular.length() * (64.0 * UNIT + 2.0 * turning)),
            speed_error: velocities[0].origin_radius
                + velocities[1].origin_radius
                + (error_a.rotation + 32.0 * UNIT) * origins,
        };
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
