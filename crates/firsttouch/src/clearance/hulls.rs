//! Two bodies by their convex hulls over a window: rule 2 of the header of the folder.
//!
//! The hulls contain the bodies, so a lower bound of the distance of the hulls also holds for the bodies. An upper
//! bound does not: the bodies are measured at the instant at which the hulls are closest. If the bodies are farther
//! apart than the hulls by more than the tolerance, a hull fills in a gap there, and the trees take the window. Bounds
//! of volumes along one direction lose `A w² / 8` to a window of length `w`, for every pair of nodes. So the window is
//! first divided until this loss is less than the gap that the hull fills in.
//!
//! Usually the hulls fill in no gap at their closest points. So the least distance of the hulls is found first, as if
//! it were that of the bodies, and the bodies are measured once, at that time. The windows are treated as above only if
//! the bodies are farther apart there.

use glam::DVec3;
use smallvec::{SmallVec, smallvec};

use super::leaf::{End, MotionBounds, Span, bounded, instant_to_divide_at};
use super::{Candidate, Next, Question, Search, SidePair, UNKNOWN};
use crate::advancement::{Approach, Separation};
use crate::convex::{ConvexPair, Moving};
use crate::numerics::bound::{lower_min, lower_or_zero, upper_max};
use crate::pair::{Side, TreeStats};
use crate::tree::LeafTouch;
use crate::tree::composite::{Composite, Volume};

/// The number of instants that are evaluated in a row before the pair goes back into the queue. There are few pairs of
/// hulls, and a new search for their closest points costs as much as several continued ones.
const ROUND: usize = 48;

/// The first leaves are measured to this part of the distance of the hulls.
const FIRST_LEAVES: f64 = 0.02;

/// The length below which windows are left to the trees, even if they cost more than the gap that the hulls fill in.
const SHORT: f64 = 1e-3;

/// The evaluated instant at which the hulls are closest.
struct Closest {
    t: f64,
    end: End,
}

impl Closest {
    /// Returns the end of a window at which the hulls are closer.
    fn of(window: &[f64; 2], ends: &[End; 2]) -> Closest {
        let k = usize::from(ends[0].upper > ends[1].upper);
        Closest { t: window[k], end: ends[k] }
    }
}

/// The most leaves of each side that are measured at the closest points of the hulls. A point inside a triangle is in
/// one leaf, a point on an edge in two.
const FEW_LEAVES: usize = 2;

/// A point counts as inside a volume if its distance outside is at most this part of the volume's size. Not a bound:
/// steers.
const INSIDE: f64 = 1e-7;

/// Returns some leaves whose volumes contain a point at an instant. Not a bound: steers.
fn leaves_around<C: Composite>(side: &Side<'_, C>, t: f64, point: DVec3) -> SmallVec<[u32; FEW_LEAVES]> {
    let pieces = &side.pieces;
    let point = side.motion.pose_at(t).to_body(point);
    let near = INSIDE * pieces.volume(0).size();
    let contains = |node: u32| pieces.volume(node).way_out_at(point, t).length() <= near;
    let mut leaves = SmallVec::new();
    let mut open: SmallVec<[u32; 32]> = smallvec![0];
    while let Some(node) = open.pop() {
        if !contains(node) {
            continue;
        }
        match pieces.children(node) {
            Some(children) => open.extend(children),
            None => leaves.push(node),
        }
        if leaves.len() == FEW_LEAVES {
            break;
        }
    }
    leaves
}

/// Returns true if both sides have hulls, and one of them is not convex itself.
pub(super) fn are_useful<C: Composite>(pair: &SidePair<'_, C>) -> bool {
    let SidePair { sides: [a, b], with_itself, .. } = pair;
    let has_tree = a.pieces.children(0).is_some() || b.pieces.children(0).is_some();
    has_tree && !with_itself && a.pieces.hull().is_some() && b.pieces.hull().is_some()
}

impl<C: Composite + Copy> Search<'_, '_, C> {
    /// Bounds the hulls in a window and divides it a few times. Returns the remaining windows.
    pub(super) fn hulls(&mut self, candidate: Candidate) -> Next {
        let mut next = Next::new();
        let pairs = self.pairs;
        let SidePair { sides: [a, b], .. } = &pairs[candidate.pair as usize];
        let (Some(hull_a), Some(hull_b)) = (a.pieces.hull(), b.pieces.hull()) else {
            self.keep(Candidate { by_hulls: false, ends: UNKNOWN, ..candidate }, &mut next);
            return next;
        };
        let mut approach = ConvexPair::new(
            Moving { shape: hull_a, motion: a.motion },
            Moving { shape: hull_b, motion: b.motion },
            f64::INFINITY,
            self.question.tolerance,
        );
        let [from, to] = candidate.window;
        let ends = match self.known_at(&candidate) {
            Some(ends) => {
                // Makes the end of the window the current instant.
                approach.separation_along(ends[1].normal, to);
                ends
            }
            None => [from, to].map(|t| self.hulls_at(&mut approach, t)),
        };
        let bounds = MotionBounds::new(&approach, candidate.window);
        let mut closest = Closest::of(&candidate.window, &ends);
        // Hulls that overlap claim nothing about the bodies in them.
        let mut is_hollow = closest.end.upper <= self.question.tolerance;
        let wanted = self.wanted(is_hollow, &closest);
        let mut spans: SmallVec<[Span; 16]> = smallvec![bounded(
            &mut approach,
            candidate.window,
            ends,
            &bounds,
            wanted,
            self.question.tolerance
        )];
        let mut measured: SmallVec<[f64; 8]> = SmallVec::new();
        for _ in 0..ROUND {
            if self.is_spent() {
                break;
            }
            let least = spans.iter().enumerate().min_by(|x, y| x.1.bound.lower.total_cmp(&y.1.bound.lower));
            let Some((place, span)) = least else { break };
            if self.is_enough(span.bound.lower) {
                break;
            }
            if !is_hollow && closest.end.upper - span.bound.lower <= self.question.tolerance {
                // The least distance of the hulls is now known.
                let Closest { t, end } = closest;
                self.measure_leaves_around(candidate.pair, t, approach.separation(t).points);
                if !self.is_enough(span.bound.lower) {
                    self.measure_at(candidate.pair, t, &end, self.question.tolerance);
                }
                measured.push(t);
                is_hollow = true;
                continue;
            }
            let Closest { t, end: nearest } = Closest::of(&span.window, &span.ends);
            // If the window costs the trees more than the known gap that the hulls fill in, a shorter window comes
            // first. Infinity less infinity is NaN: there is no bound yet, and any pair is closer.
            let width = span.window[1] - span.window[0];
            let loss = 0.125 * span.bounds.bounds.acceleration * width * width;
            let is_short = width < SHORT || !loss.is_finite();
            let tolerance = self.question.tolerance;
            let may_fill_in = |upper: f64| {
                let gained = upper - nearest.upper;
                let is_closer = gained > tolerance || gained.is_nan();
                is_closer && (is_short || gained.is_nan() || loss <= 0.5 * gained)
            };
            let mut is_filled_in = is_hollow && may_fill_in(self.upper);
            if is_filled_in && !measured.contains(&t) {
                measured.push(t);
                // The leaves that were closest at another instant are often closest here.
                self.measure_nearest_leaves(candidate.pair, t);
                is_filled_in = may_fill_in(self.upper);
                if is_filled_in {
                    // Without an upper bound yet, two leaves that are nearly the closest are enough: they are also
                    // measured at other instants.
                    let coarse = if self.upper == f64::INFINITY { FIRST_LEAVES * nearest.upper } else { 0.0 };
                    self.measure_at(candidate.pair, t, &nearest, upper_max(coarse, self.question.tolerance));
                    is_filled_in = may_fill_in(self.upper);
                }
            }
            let middle =
                if is_filled_in { None } else { instant_to_divide_at(span, self.question.tolerance) };
            let Span { window, ends: [first, last], bound, bounds } = spans.swap_remove(place);
            let Some(t) = middle else {
                let lower = if bound.lower > candidate.lower { bound.lower } else { candidate.lower };
                let normal = nearest.normal;
                let trees = Candidate { lower, window, normal, by_hulls: false, ends: UNKNOWN, ..candidate };
                self.keep(trees, &mut next);
                continue;
            };
            let middle = self.hulls_at(&mut approach, t);
            if middle.upper < closest.end.upper {
                closest = Closest { t, end: middle };
                is_hollow |= middle.upper <= self.question.tolerance;
            }
            let bounds = bounds.within(&approach, window);
            let wanted = self.wanted(is_hollow, &closest);
            spans.push(bounded(
                &mut approach,
                [window[0], t],
                [first, middle],
                &bounds,
                wanted,
                self.question.tolerance,
            ));
            spans.push(bounded(
                &mut approach,
                [t, window[1]],
                [middle, last],
                &bounds,
                wanted,
                self.question.tolerance,
            ));
        }
        for Span { window, ends, bound, .. } in spans {
            let lower = if bound.lower > candidate.lower { bound.lower } else { candidate.lower };
            if self.is_enough(lower) {
                self.dropped = lower_min(self.dropped, lower);
                continue;
            }
            let ends = self.remember(ends);
            self.push(Candidate { lower, window, ends, ..candidate }, &mut next);
        }
        next
    }

    /// Returns the value above which bounds are good enough: a measured pair is closer, or likely will be. Not a bound:
    /// steers.
    fn wanted(&self, is_hollow: bool, closest: &Closest) -> f64 {
        let is_closer = !is_hollow && closest.end.upper < self.upper;
        (if is_closer { closest.end.upper } else { self.upper }) - self.question.tolerance
    }

    /// Returns the candidate, over an instant, with the distance of the hulls and the direction between them, if there
    /// are hulls. Along that direction most nodes of the trees are farther apart than the closest nodes.
    pub(super) fn seen_from_hulls(&mut self, candidate: Candidate) -> Candidate {
        let pairs = self.pairs;
        let pair = &pairs[candidate.pair as usize];
        let SidePair { sides: [a, b], .. } = pair;
        let [t, _] = candidate.window;
        match (a.pieces.hull(), b.pieces.hull()) {
            (Some(hull_a), Some(hull_b)) if are_useful(pair) => {
                let mut approach = ConvexPair::new(
                    Moving { shape: hull_a, motion: a.motion },
                    Moving { shape: hull_b, motion: b.motion },
                    f64::INFINITY,
                    self.question.tolerance,
                );
                let End { lower, normal, .. } = self.hulls_at(&mut approach, t);
                let lower = if lower > candidate.lower { lower } else { candidate.lower };
                Candidate { lower, normal, ..candidate }
            }
            _ => candidate,
        }
    }

    fn hulls_at(&mut self, approach: &mut impl Approach, t: f64) -> End {
        self.evaluations += 1;
        self.stats.iterations += 1;
        approach.separation(t).into()
    }

    /// Measures the current nearest leaves at another instant, if they belong to this pair. Lowers the upper bound if
    /// they are closer there.
    fn measure_nearest_leaves(&mut self, pair: u32, t: f64) {
        if let Some((nearest, LeafTouch { leaves, .. })) = self.nearest
            && nearest == pair as usize
        {
            let found = self.leaves_at(pair, leaves, t, self.question.tolerance);
            self.found(pair, leaves, t, found);
        }
    }

    /// Measures the leaves around two points, one on each side, at an instant. Lowers the upper bound if they are
    /// closer.
    fn measure_leaves_around(&mut self, pair: u32, t: f64, points: [DVec3; 2]) {
        let sides = &self.pairs[pair as usize].sides;
        let [leaves_a, leaves_b] = [0, 1].map(|k| leaves_around(&sides[k], t, points[k]));
        for &a in &leaves_a {
            for &b in &leaves_b {
                let found = self.leaves_at(pair, [a, b], t, self.question.tolerance);
                self.found(pair, [a, b], t, found);
            }
        }
    }

    /// Returns the distance of two leaves at an instant, to a small part of the tolerance.
    pub(super) fn leaves_at(&mut self, pair: u32, leaves: [u32; 2], t: f64, tolerance: f64) -> Separation {
        self.evaluations += 1;
        self.stats.iterations += 1;
        let [a, b] = &self.pairs[pair as usize].sides;
        let mut approach = ConvexPair::new(
            Moving { shape: a.pieces.piece(leaves[0]), motion: a.motion },
            Moving { shape: b.pieces.piece(leaves[1]), motion: b.motion },
            f64::INFINITY,
            tolerance,
        );
        approach.separation(t)
    }

    /// Returns a lower bound of the distance of two bodies at an instant: the separation of their hulls along a
    /// direction. `None` if there are no hulls.
    pub(super) fn hulls_along(&mut self, pair: u32, n: DVec3, t: f64) -> Option<f64> {
        let [a, b] = &self.pairs[pair as usize].sides;
        let (hull_a, hull_b) = (a.pieces.hull()?, b.pieces.hull()?);
        let mut approach = ConvexPair::new(
            Moving { shape: hull_a, motion: a.motion },
            Moving { shape: hull_b, motion: b.motion },
            f64::INFINITY,
            self.question.tolerance,
        );
        Some(approach.separation_along(n, t))
    }

    /// Measures the bodies of a pair at an instant, given the distance of their hulls. Lowers the upper bound if they
    /// are closer.
    fn measure_at(&mut self, pair: u32, t: f64, hulls: &End, tolerance: f64) {
        let question = Question { span: [t, t], tolerance, known_upper: self.upper, ..self.question };
        let only = &self.pairs[pair as usize..=pair as usize];
        let mut stats = TreeStats::default();
        let mut search = Search::new(only, &question, &mut stats);
        let root = Candidate::new(0, [t, t]);
        let root = Candidate { lower: hulls.lower, normal: hulls.normal, ..root };
        search.run([(lower_or_zero(root.lower), root)]);
        let nearest = search.nearest;
        self.evaluations += stats.iterations;
        self.volumes += stats.volume_pairs;
        self.stats.iterations += stats.iterations;
        self.stats.volume_pairs += stats.volume_pairs;
        self.stats.piece_pairs += stats.piece_pairs;
        if let Some((_, touch)) = nearest {
            self.found(pair, touch.leaves, t, touch.separation);
        }
    }
}
