//! Pairs of composites (meshes, convex solids), each in any rigid motion: advancement over pairs of tree nodes, all pairs
//! in one queue.
//!
//! # The method
//! A queue holds pairs of nodes, one of each side, by a proven lower bound of the time at which they come within
//! `min_separation`. The earliest is taken out.
//! 1. *Two leaves*: two convex pieces. Advancement starts from the bound and finds their first touch, or proves that
//!    there is none before `t_min`.
//! 2. *Otherwise* the larger node is replaced by its children, and each new pair is *advanced by one step* from the time
//!    `t` of the bound:
//!    - The separation `s` along a direction `n` is bounded from below by the volumes' support functions. Several
//!      directions are tried (out of each volume towards the other's centre, between the centres, and the one that
//!      served the parent) and the best kept: whatever `n` is, it is a bound, so no closest-point search is needed.
//!    - How fast the two close in along `n` *at* `t` is bounded by the same support functions: a point at `R x` from its
//!      body's origin has `x' · n = p' · n + (R x) · (n × ω)`, which is largest over the node where the support
//!      function of the direction `Rᵀ (n × ω)` says. Let `μ` be the bound for both together and `a` a bound of how fast
//!      that changes, the accelerations of both. Then the separation at `t + h` is at least `s − μ h − a h² / 2`,
//!      and the step is the positive root. Each pair has its own direction and its own bound, and small nodes have sharp
//!      ones.
//!    - If the volumes overlap, the step is 0 and the pair waits for its turn to be opened.
//!
//! Pairs that are far apart get a late bound from large nodes and are never opened; time culls what space cannot.
//!
//! # Guarantee
//! Conservative, by the header of `advancement`. Errors of the separation are those of `convex_convex`, with the reach of
//! the node; speeds are enlarged by the error of the velocities and a few roundings.
//!
//! # Departures
//! CATCH advances by the distance of the whole models, which needs every pair of pieces to be visited at each step (see
//! the first of the three traps in the papers' own reduction to convex pieces). Here every pair of nodes advances by
//! itself.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 3.4 and 7.

use glam::DVec3;
use smallvec::SmallVec;

use super::composite::{Composite, Pieces};
use super::convex_convex::{ConvexPair, Moving};
use crate::advancement::{Limits, Outcome, Queue, Separation, Step, advance};
use crate::motion::{PoseAt, PoseError, RigidMotion};
use crate::numerics::Window;
use crate::numerics::rounding::UNIT;

/// One side of a pair: pieces under a hierarchy, and how they move.
#[derive(Clone, Copy)]
pub struct Mover<'a> {
    /// The pieces.
    pub pieces: Pieces<'a>,
    /// How they move.
    pub motion: &'a dyn RigidMotion,
}

/// The first touch of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeafTouch {
    /// When.
    pub t: f64,
    /// Which of the pairs given.
    pub pair: usize,
    /// The leaves that touch.
    pub leaves: [u32; 2],
    /// How they are placed then.
    pub separation: Separation,
}

/// What was proven of the pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TreeOutcome {
    /// Farther apart than `min_separation` throughout.
    Free,
    /// The first touch.
    Touch(LeafTouch),
    /// A pair of pieces ran out of steps.
    Undecided {
        /// Free up to here.
        free_until: f64,
        /// Which of the pairs given.
        pair: usize,
    },
}

/// How much work a query took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TreeStats {
    /// Pairs of volumes that were bounded.
    pub volume_pairs: u64,
    /// Pairs of pieces that were advanced.
    pub piece_pairs: u64,
    /// Advancement steps of pairs of pieces.
    pub iterations: u64,
}

impl std::ops::AddAssign for TreeStats {
    fn add_assign(&mut self, other: TreeStats) {
        self.volume_pairs += other.volume_pairs;
        self.piece_pairs += other.piece_pairs;
        self.iterations += other.iterations;
    }
}

/// The first touch of any of the pairs within the limits. With `any`, a touch that need not be the first.
pub fn first_touch(
    pairs: &[[Mover<'_>; 2]],
    limits: &Limits,
    any: bool,
    stats: &mut TreeStats,
) -> TreeOutcome {
    let mut search = Search { pairs, limits: *limits, stats, instant: None };
    let mut queue = Queue::default();
    for pair in (0..pairs.len() as u32).rev() {
        for (lower, candidate) in search.bounded(limits.t_start, limits.t_end, pair, [[0, 0]], DVec3::ZERO) {
            queue.push(lower, candidate);
        }
    }
    let first = queue.first(limits.t_end, any, |candidate, t_min| search.work_on(candidate, t_min));
    match first.event {
        None => TreeOutcome::Free,
        Some((_, Ok(touch))) => TreeOutcome::Touch(touch),
        Some((free_until, Err(OutOfSteps { pair }))) => TreeOutcome::Undecided { free_until, pair },
    }
}

/// A pair of nodes with the time up to which it is free, and the direction that served it best so far.
#[derive(Debug, Clone, Copy)]
struct NodePair {
    t: f64,
    normal: DVec3,
    pair: u32,
    nodes: [u32; 2],
}

/// A pair of pieces ran out of steps.
struct OutOfSteps {
    pair: usize,
}

type NodeStep = Step<NodePair, Result<LeafTouch, OutOfSteps>>;

struct Search<'a> {
    pairs: &'a [[Mover<'a>; 2]],
    limits: Limits,
    stats: &'a mut TreeStats,
    instant: Option<Instant>,
}

/// Everything about an instant that does not depend on the nodes.
#[derive(Debug, Clone, Copy)]
struct Instant {
    t: f64,
    pair: u32,
    poses: [PoseAt; 2],
    /// The velocity of the first origin relative to the second, and the angular velocities.
    origin: DVec3,
    angular: [DVec3; 2],
    /// The window that is left.
    left: Window,
    /// The part of the separation's error that is proportional to each node's reach, and the rest.
    error_per_reach: [f64; 2],
    error: f64,
    /// The same for the closing speed.
    speed_error_per_reach: [f64; 2],
    speed_error: f64,
}

impl Search<'_> {
    fn work_on(&mut self, candidate: NodePair, t_min: f64) -> NodeStep {
        let NodePair { t, normal, pair, nodes: [node_a, node_b] } = candidate;
        let [a, b] = self.pairs[pair as usize].map(|side| side.pieces);
        let children = match (a.children(node_a), b.children(node_b)) {
            (None, None) => return self.advance_pieces(t, pair, [node_a, node_b], t_min),
            (Some(children), None) => children.map(|child| [child, node_b]),
            (None, Some(children)) => children.map(|child| [node_a, child]),
            (Some(of_a), Some(of_b)) => {
                if a.size(node_a) >= b.size(node_b) {
                    of_a.map(|child| [child, node_b])
                } else {
                    of_b.map(|child| [node_a, child])
                }
            }
        };
        Step::Push(self.bounded(t, t_min, pair, children, normal))
    }

    /// Pairs of nodes that are free up to `t`, each advanced by one step; those that are free up to `t_min` are left out.
    fn bounded<const N: usize>(
        &mut self,
        t: f64,
        t_min: f64,
        pair: u32,
        nodes: [[u32; 2]; N],
        inherited: DVec3,
    ) -> SmallVec<[(f64, NodePair); 4]> {
        let instant = self.instant_at(t, pair);
        let mut next = SmallVec::new();
        for nodes in nodes {
            let (step, normal) = self.step(&instant, nodes, inherited);
            let later = (t + step).next_down().max(t);
            if later <= t_min {
                next.push((later, NodePair { t: later, normal, pair, nodes }));
            }
        }
        next
    }

    /// Rule 1 of the header.
    fn advance_pieces(&mut self, t: f64, pair: u32, leaves: [u32; 2], t_min: f64) -> NodeStep {
        self.stats.piece_pairs += 1;
        let [a, b] = &self.pairs[pair as usize];
        let (piece_a, piece_b) = (a.pieces.piece(leaves[0]), b.pieces.piece(leaves[1]));
        let mut pieces = ConvexPair::new(
            Moving { shape: piece_a.as_convex(), motion: a.motion },
            Moving { shape: piece_b.as_convex(), motion: b.motion },
            self.limits.min_separation,
            self.limits.tolerance,
        );
        let limits = Limits { t_start: t, t_end: t_min, ..self.limits };
        let pair = pair as usize;
        match advance(&mut pieces, &limits, &mut self.stats.iterations) {
            Outcome::Free => Step::Free,
            Outcome::Touch { t, separation } => {
                Step::Event { t, what: Ok(LeafTouch { t, pair, leaves, separation }) }
            }
            Outcome::Undecided { free_until } => {
                Step::Event { t: free_until, what: Err(OutOfSteps { pair }) }
            }
        }
    }

    /// Rule 2 of the header: how long the two nodes certainly stay apart, and along which direction that was found.
    fn step(&mut self, now: &Instant, [node_a, node_b]: [u32; 2], inherited: DVec3) -> (f64, DVec3) {
        self.stats.volume_pairs += 1;
        let [Mover { pieces: a, motion: motion_a }, Mover { pieces: b, motion: motion_b }] =
            &self.pairs[now.pair as usize];
        let [pose_a, pose_b] = &now.poses;
        let (center_a, center_b) = (pose_a.apply(a.center(node_a)), pose_b.apply(b.center(node_b)));
        let offset = pose_b.translation - pose_a.translation;
        let reach = [a.reach(node_a), b.reach(node_b)];
        let error = now.error + now.error_per_reach[0] * reach[0] + now.error_per_reach[1] * reach[1];

        let mut best = f64::NEG_INFINITY;
        let mut normal = inherited;
        let mut consider = |n: DVec3| {
            let h_a = a.extent(node_a, pose_a.direction_to_body(n));
            let h_b = b.extent(node_b, pose_b.direction_to_body(-n));
            let separation = n.dot(offset) - (h_a + h_b);
            if separation > best {
                (best, normal) = (separation, n);
            }
        };
        if inherited != DVec3::ZERO {
            consider(inherited);
        }
        let out_of_a = pose_a.rotation * a.way_out(node_a, pose_a.to_body(center_b));
        let out_of_b = pose_b.rotation * b.way_out(node_b, pose_b.to_body(center_a));
        for way in [out_of_a, -out_of_b, center_b - center_a] {
            if let Some(n) = way.try_normalize() {
                consider(n);
            }
        }
        let margin = best - error - self.limits.min_separation;
        if margin <= 0.0 {
            return (0.0, normal);
        }

        let (m_a, m_b) = (normal.cross(now.angular[0]), normal.cross(now.angular[1]));
        let closing = normal.dot(now.origin)
            + a.extent(node_a, pose_a.direction_to_body(m_a))
            + b.extent(node_b, pose_b.direction_to_body(-m_b))
            + now.speed_error
            + now.speed_error_per_reach[0] * reach[0]
            + now.speed_error_per_reach[1] * reach[1];
        let bend = motion_a.acceleration(reach[0], now.left) + motion_b.acceleration(reach[1], now.left);
        // The positive root of s = μ h + a h² / 2, in the form that does not cancel for the sign of μ; with a = 0 and
        // μ <= 0 there is none, and the quotient is infinite.
        let root = (closing * closing + 2.0 * bend * margin).sqrt();
        let step = if closing > 0.0 { 2.0 * margin / (closing + root) } else { (root - closing) / bend };
        // About ten roundings, none of which cancels.
        (if step.is_nan() { f64::INFINITY } else { step * (1.0 - 32.0 * UNIT) }, normal)
    }

    fn instant_at(&mut self, t: f64, pair: u32) -> Instant {
        if let Some(instant) = self.instant
            && instant.t == t
            && instant.pair == pair
        {
            return instant;
        }
        let [a, b] = self.pairs[pair as usize].map(|side| side.motion);
        let poses = [a.pose_at(t), b.pose_at(t)];
        let errors = [a.pose_error(), b.pose_error()];
        let now = Window::between(t, t);
        let velocities = [a.velocity_bounds(now), b.velocity_bounds(now)];
        let size = poses[0].translation.abs().max_element() + poses[1].translation.abs().max_element();
        let origins = velocities.map(|v| v.center.origin.length()).iter().sum::<f64>();
        let instant = Instant {
            t,
            pair,
            poses,
            origin: velocities[0].center.origin - velocities[1].center.origin,
            angular: velocities.map(|v| v.center.angular),
            left: Window::between(t, self.limits.t_end.max(t)),
            error_per_reach: errors.map(|e: PoseError| e.rotation + 64.0 * UNIT),
            error: errors[0].translation + errors[1].translation + 128.0 * UNIT * size,
            speed_error_per_reach: velocities.map(|v| {
                v.angular_radius
                    + (v.center.angular.length())
                        * (64.0 * UNIT + 2.0 * errors[0].rotation.max(errors[1].rotation))
            }),
            speed_error: velocities[0].origin_radius + velocities[1].origin_radius + 16.0 * UNIT * origins,
        };
        self.instant = Some(instant);
        instant
    }
}
