//! Two convex pieces that touch at the start: the time during which they rest on each other, slide or roll without
//! pressing deeper.
//!
//! # The problem
//! Let `s_n(t)` be the separation along the unit vector `n` (see [`advance`]), and `σ(t)` the largest `s_n(t)` over all
//! `n`: the distance of two pieces that are apart, and minus the depth of their overlap otherwise. At the start the
//! pieces touch. Find a time up to which `σ(t) >= σ_0 − tolerance`. Here `σ_0` is the separation at the start along the
//! direction that [`Resting::contact_normal`] finds, the least deep direction of its search.
//!
//! # The method
//! Let `floor` be an upper bound of `σ_0`, less the tolerance. For any `n`, `s_n >= floor` is enough. From a time `t`
//! with `m = s_n(t) − floor > 0`:
//! 1. *First order.* If the pieces close in along `n` at most at the speed `μ` during a window of length `h`, and
//!    `μ h < m`, then the whole window is proven.
//! 2. *Second order.* Rule 2 of [`advance`], with a direction that stays: it is enough that
//!    `h sqrt(A / 2) <= sqrt(m) + sqrt(m_1)`, with `m_1` at the end of the window and `A` a bound of the relative
//!    acceleration.
//! 3. If less than a tenth of the tolerance is left along `n`, the search looks for another direction. Each window has
//!    its own direction and proves `σ >= floor`, and so do the windows together. If there is no such direction, the
//!    contact has become deeper: the pieces touch.
//! 4. If the pieces are proven to be farther apart than `min_separation + tolerance` at the end of a window, the
//!    contact has ended. From then on [`advance`] looks for the next one.
//! 5. *No jumps.* A flat or thin piece is never deep in another one: with a new direction in every window it could pass
//!    through a sheet to the other side. If that is possible, a direction may only *turn* into the next one. At the
//!    instant of the change, all directions `n = c_1 n_1 + c_2 n_2` on the arc between the two, `c_1, c_2 >= 0`, must
//!    also prove `s_n >= floor`. Since `s` is the minimum of a linear function of `n`, `s_n >= c_1 s_1 + c_2 s_2`. With
//!    the angle `φ` between the two at most a right angle, `|n| = 1` means `c_1² + c_2² + 2 c_1 c_2 cos φ = 1`, so
//!    `1 <= c_1 + c_2 <= 1 / cos(φ / 2)` and `c_1² + c_2² <= 1`. So along the whole arc the separation is at least
//!    `min(s_1, s_2)` if that is not negative, and otherwise the larger of `min(s_1, s_2) / cos(φ / 2)` and
//!    `−|(min(s_1, 0), min(s_2, 0))|`. If this is not enough, the arc is halved, with the separation along the
//!    direction in its middle. The directions are then a continuous function of time (run through the arcs at the
//!    instants of the changes): the pieces stay on their sides of a plane that moves continuously, to within `floor`.
//!
//! Rule 5 is for the hulls of parts of surfaces ([`rest_of_hulls`]), and for solids that are not deeper than the
//! tolerance at the start. Two solids that overlap deeply at the start may come out on any side: for these only the
//! depth itself counts.
//!
//! In a window the separation along `n` falls by at most about `m`, for either rule. So a piece that jumps up and lands
//! on the same spot within one window has risen by at most `m`: a piece that rises farther is seen to part.
//!
//! # Guarantee
//! Two statements hold before the returned time. Up to some time `σ >= σ_0 − tolerance`, with rule 5 along a direction
//! that changes continuously. From then on the pieces are farther apart than `min_separation`. A contact that deepens
//! by the tolerance is never reported late.

use glam::DVec3;

use super::conservative::{
    Approach, POLL_EVERY, PieceTouch, Separation, advance, proves_free, separation_at_start,
};
use crate::numerics::Window;
use crate::numerics::bound::{exceeds, upper_max};
use crate::pair::{Limits, Verdict};

/// The requirements of [`advance_resting`] beyond those of [`advance`].
pub trait Resting: Approach {
    /// Returns an upper bound of the separation along the unit vector `n` at `t`.
    fn separation_at_most(&mut self, n: DVec3, t: f64) -> f64;

    /// Returns a unit vector along which the separation at `t` is large, ideally the largest. `hint` is a direction to
    /// try. Any direction is valid; a poor one proves less.
    fn contact_normal(&mut self, t: f64, hint: DVec3) -> DVec3;
}

/// The part of the tolerance below which a margin is too small to continue.
const LITTLE: f64 = 0.1;

/// The number of halvings of the arc between two directions.
const HALVINGS: u32 = 4;

/// Returns true if the pieces are within `min_separation + tolerance` at the start.
pub fn touches_at_start(pair: &mut impl Approach, limits: &Limits) -> bool {
    separation_at_start(pair, limits).upper <= limits.touching()
}

/// The number of halvings in the search for the end of a rest.
const HALVINGS_OF_REST: u32 = 50;

/// The course of a contact at the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rest {
    /// The contact does not deepen by more than the tolerance up to the end.
    Lasting,
    /// The contact does not deepen by more than the tolerance until `t`. Then the pieces are farther apart than
    /// `min_separation + tolerance`.
    Parted {
        /// The time.
        t: f64,
    },
    /// The contact does not deepen by more than the tolerance until `t`; after `t` there is no proof.
    Deeper {
        /// The time.
        t: f64,
        /// The direction up to that time.
        normal: DVec3,
    },
    /// The contact does not deepen by more than the tolerance until `t`, when the steps ran out.
    OutOfSteps {
        /// The time.
        t: f64,
    },
}

impl Rest {
    /// Returns the one that proves more.
    fn or(self, other: Rest) -> Rest {
        let proven = |rest: &Rest| match *rest {
            Rest::Lasting => (2, 0.0),
            Rest::Parted { t } => (1, t),
            Rest::Deeper { t, .. } | Rest::OutOfSteps { t } => (0, t),
        };
        if proven(&other) > proven(&self) { other } else { self }
    }
}

/// A contact to follow: the direction at the start, the separation that must remain, and a flag for rule 5 of the
/// header.
struct Contact {
    normal: DVec3,
    floor: f64,
    continuous: bool,
}

/// Returns the first touch within the limits, but leaves out a contact at `t_start` while it does not deepen by more
/// than the tolerance. Pieces that do not touch at the start are known to be free up to `free_until`.
pub fn advance_resting(
    pair: &mut impl Resting,
    limits: &Limits,
    free_until: f64,
    iterations: &mut u64,
) -> Verdict<PieceTouch> {
    let Limits { t_start, tolerance, .. } = *limits;
    let touching = limits.touching();
    let now = separation_at_start(pair, limits);
    // With a NaN bound there is no touch here, and `advance` is undecided.
    let touches = now.upper <= touching;
    if !touches {
        return advance(pair, &Limits { t_start: free_until, ..*limits }, iterations);
    }
    let normal = pair.contact_normal(t_start, now.normal);
    let floor = (pair.separation_at_most(normal, t_start) - tolerance).next_up();
    let is_deep = floor < -2.0 * tolerance;
    match follow(pair, limits, &Contact { normal, floor, continuous: !is_deep }, iterations) {
        Rest::Lasting => Verdict::Free,
        Rest::Parted { t } => advance(pair, &Limits { t_start: t, ..*limits }, iterations),
        Rest::Deeper { t, normal } => {
            let now = pair.separation(t);
            // The pieces touch if they are near enough.
            if now.upper <= touching {
                Verdict::Touch(PieceTouch { t, separation: Separation { normal, ..now } })
            } else {
                Verdict::Undecided { free_until: t }
            }
        }
        Rest::OutOfSteps { t } => Verdict::Undecided { free_until: t },
    }
}

/// Returns the time during which two hulls stay on their sides of a plane that moves continuously (rule 5 of the
/// header). Each is the hull of a part of a surface, and stays on its side to within the separation `least` at the
/// start less the tolerance. `least` is at least the separation of the hulls at the start along any direction. `hints`
/// are directions to try at the start.
///
/// 1. The direction at the start is the best one found.
/// 2. If the opposite one is equally good, up to rounding, the hulls lie in one plane. They do not determine the side,
///    and `tie` decides.
/// 3. For any directions: while no point of one hull has moved by more than the tolerance relative to any point of the
///    other, the contact is not deeper by more than the tolerance.
pub fn rest_of_hulls(
    pair: &mut impl Resting,
    hints: &[DVec3],
    least: f64,
    tie: Tie,
    limits: &Limits,
    iterations: &mut u64,
) -> Rest {
    let Limits { t_start, tolerance, .. } = *limits;
    let normal = direction_at_start(pair, hints, t_start);
    let at_most = pair.separation_at_most(normal, t_start);
    let floor = (upper_max(least, at_most) - tolerance).next_up();
    // NaN is no tie: then the code below proves nothing.
    let is_tie = pair.separation_at_most(-normal, t_start) >= pair.separation_along(normal, t_start);
    let sides = match tie {
        _ if !is_tie => [Some(normal), None],
        Tie::Either => [Some(normal), Some(-normal)],
        Tie::Along(n) => [Some(if normal.dot(n) < 0.0 { -normal } else { normal }), None],
        Tie::Unknown => [None, None],
    };
    let mut rest = Rest::Deeper { t: t_start, normal };
    for normal in sides.into_iter().flatten() {
        rest = rest.or(follow(pair, limits, &Contact { normal, floor, continuous: true }, iterations));
        if matches!(rest, Rest::Lasting | Rest::Parted { .. }) {
            return rest;
        }
    }
    rest.or(while_near(pair, limits, normal))
}

/// The side that counts if two hulls lie in one plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tie {
    /// Either side: no other evidence decides it.
    Either,
    /// The second hull is on this side of the first.
    Along(DVec3),
    /// There is one side, but it is unknown, so neither may be assumed.
    Unknown,
}

/// Returns a direction along which the separation at `t` is large. `hints` are directions to try.
pub fn direction_at_start(pair: &mut impl Resting, hints: &[DVec3], t: f64) -> DVec3 {
    let mut best = (f64::NEG_INFINITY, pair.separation(t).normal);
    for &hint in hints {
        let separation = pair.separation_along(hint, t);
        if separation > best.0 {
            best = (separation, hint);
        }
    }
    pair.contact_normal(t, best.1)
}

/// Rule 3 of [`rest_of_hulls`]: follows the contact while no point moves by more than the tolerance.
fn while_near(pair: &mut impl Resting, limits: &Limits, normal: DVec3) -> Rest {
    let Limits { t_start, t_end, tolerance, .. } = *limits;
    pair.separation_along(normal, t_start); // bounds are computed at an instant in the window
    let rest = end_of_rest(pair, t_start, t_end);
    let mut step = t_end - rest;
    loop {
        let end = if step >= t_end - rest { t_end } else { rest + step };
        if end <= rest && t_end > rest {
            return Rest::Deeper { t: rest, normal };
        }
        // Two roundings in the product, one in the difference of the times. The window may begin before `rest`, while
        // the pieces still rest.
        let speed = pair.relative_bounds(Window::between(t_start, end)).speed;
        let moved = speed * (end - rest) * (1.0 + 8.0 * f64::EPSILON);
        if exceeds(tolerance, moved) {
            return if end >= t_end { Rest::Lasting } else { Rest::Deeper { t: end, normal } };
        }
        step *= 0.5;
    }
}

/// Returns a time up to which the pieces do not move relative to each other, found by bisection. So a touch is not
/// reported at a time at which both still rest.
fn end_of_rest(pair: &impl Resting, t_start: f64, t_end: f64) -> f64 {
    let (mut rest, mut step) = (t_start, t_end - t_start);
    for _ in 0..HALVINGS_OF_REST {
        step *= 0.5;
        if pair.relative_bounds(Window::between(t_start, rest + step)).speed == 0.0 {
            rest += step;
        }
    }
    rest
}

/// Follows a contact from the start, by the rules of the header.
fn follow(pair: &mut impl Resting, limits: &Limits, contact: &Contact, iterations: &mut u64) -> Rest {
    let Limits { t_start, t_end, min_separation, tolerance, max_iterations, watch, .. } = *limits;
    let Contact { mut normal, floor, continuous } = *contact;
    let touching = min_separation + tolerance;
    let mut now = pair.separation(t_start);
    // Rounded down.
    let beyond = |separation: f64| (separation - floor).next_down();
    let mut t = t_start;
    let mut longest = t_end - t_start;
    for count in 1..=max_iterations {
        *iterations += 1;
        if count % POLL_EVERY == 0 && watch.is_raised() {
            return Rest::OutOfSteps { t };
        }
        let along = pair.separation_along(normal, t);
        // The window before has proven that the separation along `normal` is at least `floor`.
        let from = (normal, if along > floor { along } else { floor });
        // The pieces are apart, and on the right side: a thin piece may also be apart on the other side.
        if t > t_start
            && exceeds(now.lower, touching)
            && (!continuous || can_turn(pair, t, from, (now.normal, now.lower), floor, HALVINGS))
        {
            return Rest::Parted { t };
        }
        let mut margin = beyond(along);
        if !exceeds(margin, LITTLE * tolerance) {
            let other = pair.contact_normal(t, now.normal);
            let along_other = pair.separation_along(other, t);
            let better = beyond(along_other);
            // Twice as much, so that two directions do not alternate over shorter and shorter steps.
            if !exceeds(better, 2.0 * LITTLE * tolerance) {
                return Rest::Deeper { t, normal };
            }
            if continuous && t > t_start && !can_turn(pair, t, from, (other, along_other), floor, HALVINGS) {
                return Rest::Deeper { t, normal };
            }
            (normal, margin) = (other, better);
        }
        if t >= t_end {
            return Rest::Lasting;
        }
        let speed = pair.closing_speed(normal, Window::between(t, t_end));
        if speed <= 0.0 {
            return Rest::Lasting;
        }
        // This uses the whole margin, up to the end. A step that ends earlier leaves some margin, so that the direction
        // can turn there.
        let certain = (t + margin / speed * (1.0 - 4.0 * f64::EPSILON)).next_down();
        if certain >= t_end {
            return Rest::Lasting;
        }
        let certain = t + (1.0 - LITTLE) * (certain - t);
        // A speed that is NaN proves nothing: no step is certain.
        let certain = if certain > t { certain } else { t };
        let mut step = longest.min(t_end - t); // not a bound: a guess
        let next = loop {
            let end = if step >= t_end - t { t_end } else { t + step };
            if !exceeds(end, certain) {
                break certain;
            }
            if is_proven(pair, normal, margin, &beyond, t, end)
                && exceeds(beyond(pair.separation_along(normal, end)), 0.5 * LITTLE * tolerance)
            {
                break end;
            }
            step *= 0.5;
        };
        if next <= t {
            return Rest::Deeper { t, normal };
        }
        longest = 4.0 * (next - t);
        t = next;
        now = pair.separation(t);
    }
    Rest::OutOfSteps { t }
}

/// Rule 5 of the header: returns true if the direction may turn from the first to the second at `t`. Each has its
/// separation.
fn can_turn(
    pair: &mut impl Resting,
    t: f64,
    (n_1, s_1): (DVec3, f64),
    (n_2, s_2): (DVec3, f64),
    floor: f64,
    halvings: u32,
) -> bool {
    let cosine = n_1.dot(n_2);
    // The directions have unit length up to a few roundings: the test for at most a right angle leaves some room.
    if cosine > 1e-9 {
        let low = s_1.min(s_2); // not a bound: both are separations, and NaN fails below
        let between = if low >= 0.0 {
            low * (1.0 - 32.0 * f64::EPSILON)
        } else {
            let by_angle = low / (0.5 * (1.0 + cosine).min(2.0)).sqrt(); // not a bound: a cosine is at most 1
            // `hypot` of those of `s_1`, `s_2` that are below 0. Divided by the larger, nothing underflows.
            let other = s_1.max(s_2).min(0.0) / low; // not a bound: part of one
            let by_length = low * (1.0 + other * other).sqrt();
            by_angle.max(by_length) * (1.0 + 32.0 * f64::EPSILON) // not a bound: the larger of two lower bounds
        };
        // The separations at the ends may be the floor itself.
        if between >= floor && !s_1.is_nan() && !s_2.is_nan() {
            return true;
        }
    }
    let Some(middle) = (n_1 + n_2).try_normalize() else { return false };
    if halvings == 0 {
        return false;
    }
    let s = pair.separation_along(middle, t);
    exceeds(s, floor)
        && can_turn(pair, t, (n_1, s_1), (middle, s), floor, halvings - 1)
        && can_turn(pair, t, (middle, s), (n_2, s_2), floor, halvings - 1)
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

#[cfg(test)]
#[path = "resting_tests.rs"]
mod tests;
