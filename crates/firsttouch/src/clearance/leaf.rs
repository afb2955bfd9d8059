//! Two convex pieces over a window: rule 3 of the header of the folder.
//!
//! The closest points at both ends of the window give separations `s_0`, `s_1` along directions `n_0`, `n_1`. Three
//! bounds of second order hold: along `n_0` at all times, along `n_1` at all times, and along a direction that turns
//! from one to the other. The best bound counts. If the motions bound their third derivatives, the bound of third order
//! replaces the first two (`third_order`).
//!
//! They need bounds of the speed over the window, and shorter windows have better bounds. So the bounds are computed
//! again for a window that is much shorter than theirs.

use glam::DVec3;
use smallvec::{SmallVec, smallvec};

use super::third_order::third_order;
use super::window::{WindowBound, first_order, second_order};
use super::{Candidate, Next, Search, sharing};
use crate::advancement::{Approach, RelativeBounds, Separation, angle_between};
use crate::convex::{ConvexPair, Moving};
use crate::motion::RigidMotion;
use crate::numerics::Window;
use crate::numerics::bound::lower_min;
use crate::numerics::rounding::UNIT;
use crate::pair::piece::Piece;
use crate::tree::composite::Composite;

/// The number of instants that are evaluated in a row before the pair goes back into the queue. With one, every search
/// for the closest points would be a new one.
pub(super) const ROUND: usize = 12;

/// The number of parts of a window. It is divided at multiples of one part, so that pairs share the poses of the
/// instants.
const GRID: f64 = 16.0;

/// The least number of these parts on either side of a division.
const THINNEST: f64 = 6.0;

/// The largest turn of a direction that is bounded without the distance of the points: that rule needs less than half a
/// turn.
const WIDEST: f64 = 3.0;

/// The length below which windows are not divided.
const SHORTEST: f64 = 1e-13;

/// The known distance of two pieces at an instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct End {
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) normal: DVec3,
}

impl From<Separation> for End {
    fn from(found: Separation) -> End {
        End { lower: found.lower, upper: found.upper, normal: found.normal }
    }
}

pub(super) struct Span {
    pub(super) window: [f64; 2],
    pub(super) ends: [End; 2],
    pub(super) bound: WindowBound,
    /// The bounds of the motion in the window.
    pub(super) bounds: MotionBounds,
}

/// Bounds of the relative motion, and their window.
#[derive(Clone, Copy)]
pub(super) struct MotionBounds {
    window: [f64; 2],
    pub(super) bounds: RelativeBounds,
    /// A bound of the third derivative; infinite if there is none.
    pub(super) jerk: f64,
}

/// Bounds are computed again for a window that is shorter than this part of their own window.
const MUCH_SHORTER: f64 = 0.3;

impl MotionBounds {
    /// Returns the bounds in a window. The current instant must lie in it.
    pub(super) fn new<A, MA, B, MB>(approach: &ConvexPair<'_, A, MA, B, MB>, window: [f64; 2]) -> MotionBounds
    where
        A: Piece,
        MA: RigidMotion + ?Sized,
        B: Piece,
        MB: RigidMotion + ?Sized,
    {
        let within = Window::between(window[0], window[1]);
        MotionBounds { window, bounds: approach.relative_bounds(within), jerk: approach.jerk(within) }
    }

    /// Returns these bounds, or better ones if the window is much shorter. It must be a part of the window of these
    /// bounds, and must contain the current instant.
    pub(super) fn within<A, MA, B, MB>(
        &self,
        approach: &ConvexPair<'_, A, MA, B, MB>,
        window: [f64; 2],
    ) -> MotionBounds
    where
        A: Piece,
        MA: RigidMotion + ?Sized,
        B: Piece,
        MB: RigidMotion + ?Sized,
    {
        let is_shorter = window[1] - window[0] < MUCH_SHORTER * (self.window[1] - self.window[0]);
        // Infinite bounds stay infinite.
        if is_shorter && self.bounds.acceleration.is_finite() {
            MotionBounds::new(approach, window)
        } else {
            *self
        }
    }
}

impl<C: Composite + Copy> Search<'_, '_, C> {
    /// Bounds two leaves in a window and divides it a few times. Returns the remaining windows.
    pub(super) fn leaves(&mut self, candidate: Candidate) -> Next {
        let mut next = Next::new();
        if candidate.features == 0 && self.pairs[candidate.pair as usize].with_itself {
            // Leaves of one mesh may share vertices: then only some of their features count.
            let [a, b] = &self.pairs[candidate.pair as usize].sides;
            let [leaf_a, leaf_b] = candidate.nodes;
            if leaf_a == leaf_b {
                return next;
            }
            let sharing = sharing::feature_pairs(&a.pieces.piece(leaf_a), &b.pieces.piece(leaf_b));
            if let Some(parts) = sharing {
                for features in 1..=parts.len() as u8 {
                    self.push(Candidate { features, ..candidate }, &mut next);
                }
                return next;
            }
        }
        self.divide(&candidate, &mut next);
        next
    }

    fn divide(&mut self, candidate: &Candidate, next: &mut Next) {
        let &Candidate { pair, nodes, features, window, .. } = candidate;
        let [a, b] = &self.pairs[pair as usize].sides;
        let mut pieces = [a.pieces.piece(nodes[0]), b.pieces.piece(nodes[1])];
        if features > 0 {
            let parts = sharing::feature_pairs(&pieces[0], &pieces[1]);
            match parts.and_then(|parts| parts.get(features as usize - 1).copied()) {
                Some(part) => pieces = part,
                None => return,
            }
        }
        let known = self.known_at(candidate);
        if known.is_none() {
            self.stats.piece_pairs += 1;
        }
        let [piece_a, piece_b] = pieces;
        let mut approach = ConvexPair::new(
            Moving { shape: piece_a, motion: a.motion },
            Moving { shape: piece_b, motion: b.motion },
            // The closest points must be found to a small part of the tolerance, at any distance.
            f64::INFINITY,
            self.question.tolerance,
        );
        let [from, to] = window;
        let ends = match known {
            Some(ends) => {
                // Makes the end of the window the current instant.
                approach.separation_along(ends[1].normal, to);
                ends
            }
            None => {
                let first = self.evaluate(&mut approach, pair, nodes, from);
                if from == to {
                    self.dropped = lower_min(self.dropped, first.lower);
                    return;
                }
                [first, self.evaluate(&mut approach, pair, nodes, to)]
            }
        };
        let bounds = MotionBounds::new(&approach, window);
        let mut spans: SmallVec<[Span; 16]> = smallvec![bounded(
            &mut approach,
            window,
            ends,
            &bounds,
            self.upper - self.question.tolerance,
            self.question.tolerance
        )];
        for _ in 0..ROUND {
            if self.is_spent() {
                break;
            }
            let least = spans.iter().enumerate().min_by(|x, y| x.1.bound.lower.total_cmp(&y.1.bound.lower));
            let Some((place, span)) = least else { break };
            if self.is_enough(span.bound.lower) {
                break;
            }
            if self.is_near(span) {
                spans.swap_remove(place);
                continue;
            }
            let Some(t) = instant_to_divide_at(span, self.question.tolerance) else {
                let span = spans.swap_remove(place);
                self.dropped = lower_min(self.dropped, span.bound.lower);
                continue;
            };
            let Span { window: [from, to], ends: [first, last], bounds, .. } = spans.swap_remove(place);
            let middle = self.evaluate(&mut approach, pair, nodes, t);
            let bounds = bounds.within(&approach, [from, to]);
            let wanted = self.upper - self.question.tolerance;
            spans.push(bounded(
                &mut approach,
                [from, t],
                [first, middle],
                &bounds,
                wanted,
                self.question.tolerance,
            ));
            spans.push(bounded(
                &mut approach,
                [t, to],
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
            self.push(Candidate { lower, window, ends, ..*candidate }, next);
        }
    }

    fn evaluate(&mut self, approach: &mut impl Approach, pair: u32, leaves: [u32; 2], t: f64) -> End {
        self.evaluations += 1;
        self.stats.iterations += 1;
        let separation = approach.separation(t);
        self.found(pair, leaves, t, separation);
        separation.into()
    }
}

/// Returns a bound over a window: the first one that is above `wanted`, or the best one. The bounds must hold in it,
/// and the current instant must lie in their window.
pub(super) fn bounded<A, MA, B, MB>(
    approach: &mut ConvexPair<'_, A, MA, B, MB>,
    [from, to]: [f64; 2],
    ends: [End; 2],
    motion: &MotionBounds,
    wanted: f64,
    tolerance: f64,
) -> Span
where
    A: Piece,
    MA: RigidMotion + ?Sized,
    B: Piece,
    MB: RigidMotion + ?Sized,
{
    let width = (to - from) * (1.0 + 2.0 * UNIT);
    let [first, last] = &ends;
    let bounds = &motion.bounds;
    let up = 1.0 + 32.0 * UNIT;
    let dip = |turning: f64| 0.5 * (turning + bounds.acceleration * width * width) * up;
    // No comparison with NaN is true.
    let is_below = |lower: f64| lower.is_nan() || wanted.is_nan() || lower <= wanted;
    let straight = if bounds.acceleration == 0.0 { 0.0 } else { dip(0.0) };
    let bound = if straight.is_finite() {
        // The turning direction needs no further extents.
        let angle = angle_between(first.normal, last.normal);
        let turned = 2.0 * angle * bounds.speed * width;
        let mut bound = second_order(first.lower, last.lower, dip(turned));
        // Only a bound that is not negative holds without the term of the distance.
        if !(bound.lower >= 0.0 && angle <= WIDEST) {
            bound = second_order(first.lower, last.lower, dip(turned + angle * angle * bounds.distance));
        }
        if motion.jerk.is_finite() {
            if is_below(bound.lower) {
                bound = bound.or(third_order(approach, [from, to], &ends, motion, wanted, tolerance));
            }
            return Span { window: [from, to], ends, bound, bounds: *motion };
        }
        if is_below(bound.lower) {
            bound =
                bound.or(second_order(first.lower, approach.separation_along(first.normal, to), straight));
        }
        if is_below(bound.lower) {
            bound =
                bound.or(second_order(approach.separation_along(last.normal, from), last.lower, straight));
        }
        bound
    } else {
        let window = Window::between(from, to);
        first_order(first.lower, approach.closing_speed(first.normal, window), width)
    };
    Span { window: [from, to], ends, bound, bounds: *motion }
}

/// Returns the instant at which to divide a window; `None` if a division is of no use. Not a bound: steers.
pub(super) fn instant_to_divide_at(span: &Span, tolerance: f64) -> Option<f64> {
    let Span { window: [from, to], ends: [first, last], bound, .. } = span;
    let width = to - from;
    if width.is_nan() || width < SHORTEST {
        return None;
    }
    // If the window costs almost nothing, the closest points at the ends are not accurate enough, and a division does
    // not improve them.
    let nearest = if first.lower <= last.lower { first } else { last };
    let is_unknown = nearest.upper - nearest.lower > 0.5 * tolerance;
    if is_unknown && lower_min(first.lower, last.lower) - bound.lower < 0.1 * tolerance {
        return None;
    }
    if bound.is_followed {
        let t = from + width * bound.place;
        return (t > *from && t < *to).then_some(t);
    }
    // The instant must not be too close to an end: a long window beside a minimum at its end would be cut into thin
    // slices.
    let place = (bound.place * GRID).round().clamp(THINNEST, GRID - THINNEST) / GRID;
    let t = from + width * place;
    (t > *from && t < *to).then_some(t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{Motion, Pose};
    use crate::shape::{Convex, Cuboid, Sphere};
    use glam::DQuat;

    /// A small ball slides along the upper face of a box that turns a little. The direction between the two turns with
    /// the face while the ball moves across it. So the separation dips between the ends by the product of both. No
    /// bound over the whole time is above the distance at an instant.
    #[test]
    fn a_bound_is_below_every_instant() {
        let (plate, ball) = (Cuboid::new(DVec3::new(0.6, 0.2, 0.6)).unwrap(), Sphere::new(0.01).unwrap());
        let mut dips = 0;
        for round in 0..200 {
            let (turn, across) = (0.02 * f64::from(round % 10 + 1), 0.05 * f64::from(round % 7 - 3));
            let gap = 0.02 * f64::from(round % 5 + 1);
            let at = |x: f64, angle: f64| {
                let normal = DVec3::new(-angle.sin(), angle.cos(), 0.0);
                // The place above the face, which is turned by that angle.
                Pose::from_translation(DVec3::X * x + DVec3::Y * ((0.11 + gap - normal.x * x) / normal.y))
                    .unwrap()
            };
            let turned = |angle: f64| Pose::new(DVec3::ZERO, DQuat::from_rotation_z(angle)).unwrap();
            let (first, last) = (-0.5 * turn, 0.5 * turn);
            let of_plate = Motion::linear(turned(first), turned(last));
            let of_ball = Motion::linear(at(-across, first), at(across, last));
            let mut approach = ConvexPair::new(
                Moving { shape: &plate as &dyn Convex, motion: &of_plate },
                Moving { shape: &ball as &dyn Convex, motion: &of_ball },
                f64::INFINITY,
                1e-9,
            );
            let ends = [0.0, 1.0].map(|t| End::from(approach.separation(t)));
            let bounds = MotionBounds::new(&approach, [0.0, 1.0]);
            let span = bounded(&mut approach, [0.0, 1.0], ends, &bounds, f64::INFINITY, 1e-9);
            let instants = (0..=100).map(|k| approach.separation(f64::from(k) / 100.0).upper);
            let least = instants.fold(f64::INFINITY, f64::min);
            assert!(span.bound.lower <= least, "{round}: {}, but {least}", span.bound.lower);
            dips += usize::from(least < ends[0].lower - 1e-3 && least < ends[1].lower - 1e-3);
        }
        assert!(dips > 30, "{dips}");
    }
}
