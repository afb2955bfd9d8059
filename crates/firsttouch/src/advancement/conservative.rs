//! The first time two convex pieces come within a distance, by conservative advancement with a proof of second order.
//!
//! # The problem
//! Two convex pieces move. At any time `t` their distance can be computed, with the direction `n` in which it is
//! attained. Find a time up to which they certainly stay farther apart than `min_separation`, and at which they are
//! within `min_separation + tolerance`; or prove that there is none.
//!
//! # The method
//! Let `s_n(t)` be the separation along `n`: the least `n · b` over the second piece minus the largest `n · a` over the
//! first. For every unit vector `n`, `s_n` is a lower bound of the distance. From a time `t` with separation `s_0`
//! beyond `min_separation`:
//! 1. *First order* (Mirtich; CATCH Eq. 4). If the pieces close in along `n` at most at the speed `μ` during the rest
//!    of the window, then all is free up to `t + s_0 / μ`, and up to the end if `μ <= 0`.
//! 2. *Second order.* Let the direction turn from `n_0` at `t` to `n_1` at `t + h` on a great circle at the constant
//!    rate `ν`, and let `s_0`, `s_1` be the separations beyond `min_separation` along them at the two ends. For a pair
//!    of points at `r = b − a` put `g = n · r`. Then `g'' = n'' · r + 2 n' · r' + n · r''`, with `|n'| = ν`,
//!    `|n''| = ν²`, so `|g''| <= A = ν² |r| + 2 ν |r'| + |r''|`. A function with `|g''| <= A` stays above its chord
//!    minus `A h² σ (1 − σ) / 2`, where `σ` runs from 0 to 1 over the step; the chord is at least
//!    `(1 − σ) s_0 + σ s_1`. And `(1 − σ) s_0 + σ s_1 >= K σ (1 − σ)` for all `σ` in `[0, 1]` exactly if
//!    `sqrt(K) <= sqrt(s_0) + sqrt(s_1)`. So **the whole step is free if `h sqrt(A / 2) <= sqrt(s_0) + sqrt(s_1)`**.
//!    The bound concerns every pair of points of the two pieces, so it holds for their minimum, the separation itself.
//! 3. The step is chosen to land where the distance will be `min_separation + 0.8 tolerance`, by Newton's rule with the
//!    closing speed of the two closest points, and shortened until it is proven. The step of rule 1 is always proven.
//!
//! Near a contact rule 2 allows steps of about `sqrt(s_0)` where rule 1 allows `s_0`. So the place of the contact
//! limits the step, not the proof, and the iteration converges like Newton's. Grazing passes at a distance `d` take
//! steps of `sqrt(d)` instead of `d`.
//!
//! # Guarantee
//! Conservative: if the distances of [`Approach`] are rounded down and its bounds are rounded up, then every time
//! before the returned one is free. The arithmetic of the rules themselves is rounded against the step.
//!
//! # Departures
//! Rule 2 is not in the cited literature. It costs one more evaluation per step and saves most steps. With
//! [`RelativeBounds::NONE`] the loop is plain conservative advancement.
//!
//! References: Mirtich 1996; Zhang, Redon, Lee, Kim 2007, Sec. 3.4, Eq. 4.

use glam::DVec3;

use crate::numerics::Window;
use crate::numerics::bound::exceeds;
use crate::numerics::rounding::TINY;
use crate::pair::{Limits, Verdict};

/// Two convex pieces in relative motion, as seen by advancement.
pub trait Approach {
    /// Returns the distance at `t`, bounded from both sides.
    fn separation(&mut self, t: f64) -> Separation;

    /// Returns the distance at `t`, bounded closely enough to tell on which side of `threshold` it lies, unless
    /// rounding prevents that. Any bounds of the distance are valid.
    fn separation_against(&mut self, t: f64, _threshold: f64) -> Separation {
        self.separation(t)
    }

    /// Returns a lower bound of the separation along the unit vector `n` at `t`; negative when the pieces overlap along
    /// it.
    fn separation_along(&mut self, n: DVec3, t: f64) -> f64;

    /// Returns an upper bound of the speed at which the pieces close in along the unit vector `n`, from the first to
    /// the second, during the window. Negative when they certainly recede.
    fn closing_speed(&self, n: DVec3, window: Window) -> f64;

    /// Returns upper bounds for any two points, one of each piece, during the window.
    fn relative_bounds(&self, window: Window) -> RelativeBounds;

    /// Returns the time at which a step of a given length ends. It may shorten the step to end at an instant whose
    /// poses are known.
    #[inline]
    fn land(&self, t: f64, step: f64) -> f64 {
        t + step
    }

    /// Returns the speed at which the two closest points approach each other at `t`. This is a guess that steers the
    /// search, not a bound.
    fn closing_guess(&self, separation: &Separation, t: f64) -> f64;

    /// Returns the rate at which the direction between the closest points may turn. This is a guess that steers the
    /// search, not a bound.
    fn turning_guess(&self) -> f64 {
        0.0
    }
}

/// The distance of two pieces at an instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// A proven lower bound of the distance, attained along `normal`. It is not positive if no positive bound is
    /// proven.
    pub lower: f64,
    /// A proven upper bound of the distance; 0 when the pieces overlap.
    pub upper: f64,
    /// A unit vector, up to rounding, from the first piece to the second.
    pub normal: DVec3,
    /// The closest points found, in world coordinates.
    pub points: [DVec3; 2],
}

/// Bounds over a window for any two points, one of each piece.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelativeBounds {
    /// Upper bound of their distance.
    pub distance: f64,
    /// Upper bound of their relative speed.
    pub speed: f64,
    /// Upper bound of their relative acceleration.
    pub acceleration: f64,
}

impl RelativeBounds {
    /// The unknown bounds, with which advancement falls back to its first-order rule.
    pub const NONE: RelativeBounds =
        RelativeBounds { distance: f64::INFINITY, speed: f64::INFINITY, acceleration: f64::INFINITY };
}

/// Two pieces that touch: farther apart than `min_separation` on `[t_start, t)`, and within the tolerance at `t`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PieceTouch {
    /// The time of the touch.
    pub t: f64,
    /// The distance at that time.
    pub separation: Separation,
}

impl PieceTouch {
    /// Returns the same touch seen from the other side.
    pub fn swapped(self) -> PieceTouch {
        let Separation { lower, upper, normal, points: [a, b] } = self.separation;
        PieceTouch { separation: Separation { lower, upper, normal: -normal, points: [b, a] }, ..self }
    }
}

/// Returns the distance at the beginning of a search. At time 0 it decides if the two touch at the start
/// ([`Options::touching`]). A distance that is bounded only to a part of the tolerance may not decide that, and the
/// answer would depend on the direction in which the search began.
///
/// [`Options::touching`]: crate::Options::touching
#[inline]
pub(super) fn separation_at_start(pair: &mut impl Approach, limits: &Limits) -> Separation {
    let (t, touching) = (limits.t_start, limits.touching());
    let now = pair.separation(t);
    // A bound that is NaN is no better the second time.
    if t == 0.0 && now.lower <= touching && now.upper > touching {
        return pair.separation_against(t, touching);
    }
    now
}

/// The number of steps between two tests for an interrupt; most pairs take fewer.
pub(super) const POLL_EVERY: usize = 16;

/// Advances from `t_start` until the pieces touch, `t_end` is reached, or the steps run out. Counts steps in
/// `iterations`.
pub fn advance(pair: &mut impl Approach, limits: &Limits, iterations: &mut u64) -> Verdict<PieceTouch> {
    let Limits { t_start, t_end, min_separation, tolerance, max_iterations, watch, .. } = *limits;
    // The earliest distance that the tolerance allows: the search for the closest points takes a tenth of it, and so
    // does the landing.
    let aim = min_separation + 0.8 * tolerance;
    let mut t = t_start;
    let mut now = separation_at_start(pair, limits);
    let mut turning = None;
    let mut bounds = RelativeBounds::NONE;
    let mut bounded = f64::INFINITY;
    for count in 1..=max_iterations {
        *iterations += 1;
        if count % POLL_EVERY == 0 && watch.is_raised() {
            return Verdict::Undecided { free_until: t };
        }
        if now.upper <= min_separation + tolerance {
            return Verdict::Touch(PieceTouch { t, separation: now });
        }
        let left = Window::between(t, t_end);
        let margin = now.lower - min_separation;
        // The margin is also NaN if a bound could not be computed.
        if !exceeds(margin, 0.0) {
            // The search for the closest points reached its rounding limit: nothing more can be proven.
            return Verdict::Undecided { free_until: t };
        }
        // A single instant needs no step.
        if t >= t_end {
            return Verdict::Free;
        }
        let speed = pair.closing_speed(now.normal, left);
        if speed <= 0.0 {
            return Verdict::Free;
        }
        // The quotient has two roundings, the sum one.
        let certain = (t + margin / speed * (1.0 - 4.0 * f64::EPSILON)).next_down();
        if certain >= t_end {
            return Verdict::Free;
        }
        // A speed that is NaN proves nothing: no step is certain.
        let certain = if certain > t { certain } else { t };

        // Newton's guess. If the pieces recede at this instant, only the proof limits the step.
        if left.half_width() < 0.5 * bounded {
            // Bounds hold in any part of their window. New bounds are worth their cost once the window is half as long.
            bounds = pair.relative_bounds(left);
            bounded = left.half_width();
        }
        // Most pairs end before they need this.
        let turning = *turning.get_or_insert_with(|| pair.turning_guess());
        let closing = pair.closing_guess(&now, t);
        let newton = if closing > 0.0 { (now.lower - aim) / closing } else { f64::INFINITY };
        // With s_1 about s_0 the proof allows twice sqrt(s_0). A longer step is not worth trying.
        let provable = 2.0 * (2.0 * margin / bounds.acceleration).sqrt();
        let mut step = newton.min(provable).min(t_end - t); // not a bound: a guess
        // If the direction turns as the pieces do, a step longer than this is rarely proven with the new direction,
        // so the search would be wasted.
        let dip = turning * (turning * bounds.distance + 2.0 * bounds.speed) + bounds.acceleration;
        let provable_turning = (2.0 * margin / dip).sqrt();
        let next = loop {
            let t_next = if step >= t_end - t { t_end } else { pair.land(t, step) };
            // This includes NaN.
            if !exceeds(t_next, certain) {
                break (certain, pair.separation(certain));
            }
            let along = pair.separation_along(now.normal, t_next);
            if proves_free(margin, along - min_separation, 0.0, &bounds, t_next - t) {
                break (t_next, pair.separation(t_next));
            }
            if step > provable_turning {
                step = provable_turning.max(0.1 * step); // not a bound: a step to try
                continue;
            }
            let then = pair.separation(t_next);
            let angle = angle_between(now.normal, then.normal);
            if proves_free(margin, then.lower - min_separation, angle, &bounds, t_next - t) {
                break (t_next, then);
            }
            // The step is too long for the proof, or past the contact. In the second case the separation along the
            // old direction indicates where the contact was.
            let shorter = if along < aim { (now.lower - aim) / (now.lower - along) } else { 0.5 };
            step *= shorter.clamp(0.1, 0.7);
        };
        if next.0 <= t {
            // The step is too short to change the time in `f64`.
            return Verdict::Undecided { free_until: t };
        }
        (t, now) = next;
        if t >= t_end {
            return if now.upper <= min_separation + tolerance {
                Verdict::Touch(PieceTouch { t: t_end, separation: now })
            } else {
                Verdict::Free
            };
        }
    }
    Verdict::Undecided { free_until: t }
}

/// Rule 2 of the header: returns true if a step of length `h`, over which the direction turns by `angle`, is free.
/// `s_0` and `s_1` are the separations at its ends, less the distance that counts as touching.
#[inline]
pub(super) fn proves_free(s_0: f64, s_1: f64, angle: f64, bounds: &RelativeBounds, h: f64) -> bool {
    if !(s_0 > 0.0 && s_1 > 0.0) {
        return false;
    }
    // `A h²`, with ν = angle / h. It has about a dozen roundings, all of nonnegative terms. NaN fails the comparison.
    let dip = angle * (angle * bounds.distance + 2.0 * bounds.speed * h) + bounds.acceleration * h * h;
    let roots = s_0.sqrt() + s_1.sqrt();
    0.5 * dip * (1.0 + 64.0 * f64::EPSILON) + TINY <= roots * roots
}

/// Returns an upper bound of the angle between two unit vectors, or infinity if the angle exceeds a right angle.
#[inline]
pub(crate) fn angle_between(a: DVec3, b: DVec3) -> f64 {
    // The chord c is 2 sin(angle / 2). For angles up to a right angle, the arc is at most c (1 + c² / 20 · 1.2). The
    // two vectors have unit length only up to a few roundings, which the last term covers.
    let chord = (b - a).length();
    if chord > 1.4 { f64::INFINITY } else { chord * (1.0 + 0.06 * chord * chord) + 32.0 * f64::EPSILON }
}

/// Returns the end of a step, rounded down to a number with few bits. Different pairs then use common instants, for
/// which the poses are already known. Rounding shortens the step by at most an eighth.
pub fn round_instant(t: f64, step: f64) -> f64 {
    let end = t + step;
    if !(step > 0.0 && end < 2.0) {
        return end.max(t); // not a bound: a guess
    }
    // The power of two at or below the step, divided by 8.
    let grid = f64::from_bits(step.to_bits() & 0x7ff0_0000_0000_0000) * 0.125;
    let rounded = (end / grid).floor() * grid;
    // The sum itself may have been rounded up, so a value that already lies on the grid proves nothing.
    if rounded > t && rounded < end { rounded } else { end.next_down().max(t) } // not a bound: a guess
}

#[cfg(test)]
#[path = "conservative_tests.rs"]
mod tests;
