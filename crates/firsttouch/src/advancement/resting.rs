//! Two convex pieces that touch at the start: how long they rest on each other, slide or roll without pressing deeper.
//!
//! # The problem
//! Let `s_n(t)` be the separation along the unit vector `n` (see [`advance`]), and `σ(t)` the largest of them over all `n`: the
//! distance of two pieces that are apart, and minus the depth of their overlap otherwise. At the start the pieces touch. Find a
//! time up to which `σ(t) >= σ_0 − tolerance`, where `σ_0` is the separation at the start along the direction that
//! [`Resting::contact_normal`] finds, the least deep one as far as the search goes.
//!
//! # The method
//! Let `floor` be an upper bound of `σ_0`, less the tolerance. For any `n`, `s_n >= floor` is enough. From a time `t` with
//! `m = s_n(t) − floor > 0`:
//! 1. *First order.* If nothing closes in along `n` faster than `μ` during a window of length `h`, and `μ h < m`, then all of
//!    it is proven.
//! 2. *Second order.* Rule 2 of [`advance`], with a direction that stays: it is enough that `h sqrt(A / 2) <= sqrt(m) + sqrt(m_1)`,
//!    with `m_1` at the end of the window and `A` a bound of the relative acceleration.
//! 3. Where less than a tenth of the tolerance is left along `n`, another direction is looked for. Each window has a direction of its own, and
//!    proves `σ >= floor`; so the windows together do. If there is none, the contact has become deeper: the pieces touch.
//! 4. Where a window ends and the pieces are proven to be farther apart than `min_separation + tolerance`, the contact has ended. From then on
//!    it is [`advance`] that looks for the next one.
//!
//! In a window the separation along `n` falls by no more than about `m`, whichever rule proves it. A piece that jumps up and
//! lands on the same spot within one window has thus risen by no more than that: what rises farther is seen to part.
//!
//! # Guarantee
//! Before the time returned: up to some time `σ >= σ_0 − tolerance`, and from then on the pieces are farther apart than `min_separation`. A
//! contact that deepens by the tolerance is never reported late.
//!
//! Triangles have no inside. One that lies in the plane of another at the start may leave it to either side.

use glam::DVec3;

use super::conservative::{Approach, POLL_EVERY, PieceTouch, Separation, advance, proves_free};
use crate::numerics::Window;
use crate::numerics::bound::exceeds;
use crate::pair::{Limits, Verdict};

/// What [`advance_resting`] needs to know beyond what [`advance`] does.
pub trait Resting: Approach {
    /// An upper bound of the separation along the unit vector `n` at `t`.
    fn separation_at_most(&mut self, n: DVec3, t: f64) -> f64;

    /// A unit vector along which the separation at `t` is large, best the largest. `hint` is one to try. Any direction is
    /// valid; with a bad one less can be proven.
    fn contact_normal(&mut self, t: f64, hint: DVec3) -> DVec3;
}

/// Less than this part of the tolerance is too little to go on with.
const LITTLE: f64 = 0.1;

/// Whether the pieces are within `min_separation + tolerance` at the start.
pub fn touches_at_start(pair: &mut impl Approach, limits: &Limits) -> bool {
    pair.separation(limits.t_start).upper <= limits.min_separation + limits.tolerance
}

/// The first touch within the limits, in which a contact at `t_start` is left out while it does not deepen by more than the tolerance. Pieces
/// that do not touch at the start are known to be free up to `free_until`.
pub fn advance_resting(
    pair: &mut impl Resting,
    limits: &Limits,
    free_until: f64,
    iterations: &mut u64,
) -> Verdict<PieceTouch> {
    let Limits { t_start, t_end, min_separation, tolerance, max_iterations, watch, .. } = *limits;
    let touching = min_separation + tolerance;
    let mut now = pair.separation(t_start);
    // A bound that is NaN is none: then `advance` is undecided.
    let touches = now.upper <= touching;
    if !touches {
        return advance(pair, &Limits { t_start: free_until, ..*limits }, iterations);
    }
    let mut normal = pair.contact_normal(t_start, now.normal);
    let floor = (pair.separation_at_most(normal, t_start) - tolerance).next_up();
    // Rounded down.
    let beyond = |separation: f64| (separation - floor).next_down();
    let mut t = t_start;
    let mut longest = t_end - t_start;
    for count in 1..=max_iterations {
        *iterations += 1;
        if count % POLL_EVERY == 0 && watch.is_raised() {
            return Verdict::Undecided { free_until: t };
        }
        if t > t_start && exceeds(now.lower, touching) {
            return advance(pair, &Limits { t_start: t, ..*limits }, iterations);
        }
        let mut margin = beyond(pair.separation_along(normal, t));
        if !exceeds(margin, LITTLE * tolerance) {
            let other = pair.contact_normal(t, now.normal);
            let better = beyond(pair.separation_along(other, t));
            // Twice as much, so that two directions do not take turns over steps that become ever shorter.
            if !exceeds(better, 2.0 * LITTLE * tolerance) {
                return ended(t, normal, now, touching);
            }
            (normal, margin) = (other, better);
        }
        if t >= t_end {
            return Verdict::Free;
        }
        let speed = pair.closing_speed(normal, Window::between(t, t_end));
        if speed <= 0.0 {
            return Verdict::Free;
        }
        let certain = (t + margin / speed * (1.0 - 4.0 * f64::EPSILON)).next_down();
        if certain >= t_end {
            return Verdict::Free;
        }
        // A speed that is NaN proves nothing: no step is certain.
        let certain = if certain > t { certain } else { t };
        let mut step = longest.min(t_end - t); // not a bound: a guess
        let next = loop {
            let end = if step >= t_end - t { t_end } else { t + step };
            if !exceeds(end, certain) {
                break certain;
            }
            if is_proven(pair, normal, margin, &beyond, t, end) {
                break end;
            }
            step *= 0.5;
        };
        if next <= t {
            return ended(t, normal, now, touching);
        }
        longest = 4.0 * (next - t);
        t = next;
        now = pair.separation(t);
    }
    Verdict::Undecided { free_until: t }
}

/// Rules 1 and 2 of the header for the window from `t` to `end`.
fn is_proven(
    pair: &mut impl Resting,
    normal: DVec3,
    margin: f64,
    beyond: &impl Fn(f64) -> f64,
    t: f64,
    end: f64,
) -> bool {
    let window = Window::between(t, end);
    // Two roundings in the product, one in the difference of the times.
    let falls = pair.closing_speed(normal, window) * (end - t) * (1.0 + 8.0 * f64::EPSILON);
    if exceeds(margin, falls) {
        return true;
    }
    let then = beyond(pair.separation_along(normal, end));
    // Also rounded up, for the difference of the times.
    let h = (end - t) * (1.0 + 2.0 * f64::EPSILON);
    proves_free(margin, then, 0.0, &pair.relative_bounds(window), h)
}

/// Nothing more can be proven: the pieces touch, if they are near enough.
fn ended(t: f64, normal: DVec3, now: Separation, touching: f64) -> Verdict<PieceTouch> {
    if now.upper <= touching {
        Verdict::Touch(PieceTouch { t, separation: Separation { normal, ..now } })
    } else {
        Verdict::Undecided { free_until: t }
    }
}

#[cfg(test)]
#[path = "resting_tests.rs"]
mod tests;
