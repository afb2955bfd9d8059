//! Certified root isolation: the places where a polynomial of degree at most 3 may be near zero.
//!
//! **Problem.** Given a cubic `P` and a band `e >= 0`, enclose `{ x in [0, end] : |P(x)| <= e }` in few, narrow
//! intervals. The band covers the uncertainty of the coefficients and the distance that counts as a contact.
//!
//! **Method.**
//! 1. `[0, end]` is split near the roots of `P'`, as computed with a plain square root.
//! 2. Between two neighbours `p < q` the cubic is monotone, or nearly. Let `v` be the smaller of `max P'` and `max −P'`
//!    over the piece, or 0. One of `P(x) ± v x` is monotone, so `P` deviates from monotony by at most `m = v (q − p)`.
//!    This holds for any split; a good one makes `v` vanish up to rounding.
//! 3. Let `top = e + m +` the rounding of an evaluation. If the ends of a piece are both above `top`, or both below
//!    `−top`, the whole piece is outside the band. Otherwise take a point at which `P` was *evaluated* to be beyond
//!    `top`, on the side on which it starts: the part before it is outside. The same holds for the part after such a
//!    point at the end. Newton's iteration, safeguarded by bisection, finds such points close to the band. The proof is
//!    the evaluation, not the iteration.
//!
//! **Guarantee.** Rigorous for the given coefficients. Returns at most three disjoint intervals, in order. A
//! polynomial that stays within its band everywhere yields all of `[0, end]`.
//!
//! **Departures.** The paper uses Cardano's formulas, which have no bound of their own rounding and lose half of the
//! digits at double roots, that is, in grazing contacts.
//!
//! Reference: Redon, Kheddar, Coquillart 2001, Sec. 2.

use smallvec::SmallVec;

use crate::numerics::bound::{lower_min, upper_max, upper_or_zero};
use crate::numerics::rounding::{TINY, UNIT};

/// Returns the parts of `[0, end]` in which `|c0 + c1 x + c2 x² + c3 x³|` may be at most `band`. At their ends the
/// cubic is beyond the band by at most about `slack`.
///
/// ```
/// use firsttouch::contact::cubic::near_zero;
/// // (x − 1/4) (x − 1/2) (x + 1) has two roots in [0, 1].
/// let parts = near_zero(&[0.125, -0.625, 0.25, 1.0], 1e-12, 1e-12, 1.0);
/// assert_eq!(parts.len(), 2);
/// assert!(parts[0][0] < 0.25 && 0.25 < parts[0][1] && parts[0][1] - parts[0][0] < 1e-10);
/// ```
pub fn near_zero(c: &[f64; 4], band: f64, slack: f64, end: f64) -> SmallVec<[[f64; 2]; 3]> {
    let [c0, c1, c2, c3] = *c;
    let mass = c0.abs() + (c1.abs() + (c2.abs() + c3.abs() * end) * end) * end;
    // Horner: six roundings of at most the mass. Its derivative: five of at most three times that, per `end`.
    let value_error = 8.0 * UNIT * mass + TINY;
    let slope_error = |length: f64| 32.0 * UNIT * mass / end * length + TINY;

    let mut parts: SmallVec<[[f64; 2]; 3]> = SmallVec::new();
    if end <= 0.0 {
        if c0.is_nan() || c0.abs() <= band {
            parts.push([0.0, 0.0]);
        }
        return parts;
    }
    if !(mass < f64::INFINITY && band < f64::INFINITY) {
        // Overflow, or an unbounded error: the cubic may be in the band anywhere.
        parts.push([0.0, end]);
        return parts;
    }
    let slope = |x: f64| (3.0 * c3 * x + 2.0 * c2) * x + c1;
    let mut start = (0.0, c0);
    for finish in splits(c, end) {
        let finish = (finish, value(c, finish));
        let length = finish.0 - start.0;
        let m = {
            let (s, f) = (slope(start.0), slope(finish.0));
            // The extremum of the slope, if it lies inside.
            let vertex = -c2 / (3.0 * c3);
            let v = if vertex > start.0 && vertex < finish.0 { slope(vertex) } else { s };
            let (steepest, falling) = (upper_max(upper_max(s, f), v), -lower_min(lower_min(s, f), v));
            let violation = upper_or_zero(if steepest < falling { steepest } else { falling });
            violation * length + slope_error(length)
        };
        let top = (band + m + value_error) * (1.0 + 8.0 * UNIT);
        // NaN counts as in the band.
        let (starts_out, finishes_out) = (start.1.abs() > top, finish.1.abs() > top);
        let stays_out = starts_out && finishes_out && (start.1 > 0.0) == (finish.1 > 0.0);
        if !stays_out {
            // Usually there is a root inside; from the root, both boundaries are one step away.
            let (mut out, mut back) = (start, finish);
            if starts_out && finishes_out {
                let (root, reach) = root(c, start, finish.0, top, slack);
                let (before, after) = (root - reach, root + reach);
                let (value_before, value_after) = (value(c, before), value(c, after));
                if before > start.0 && value_before.abs() > top && (value_before > 0.0) == (start.1 > 0.0) {
                    out = (before, value_before);
                }
                if after < finish.0 && value_after.abs() > top && (value_after > 0.0) == (finish.1 > 0.0) {
                    back = (after, value_after);
                }
            }
            let from = if starts_out { boundary(c, out, back.0, top, slack) } else { start.0 };
            let to = if finishes_out { boundary(c, back, from, top, slack) } else { finish.0 };
            // Rounding may let boundaries found from both sides pass each other.
            let to = to.max(from); // not a bound: finite times
            match parts.last_mut() {
                Some(last) if last[1] >= from => last[1] = to,
                _ => parts.push([from, to]),
            }
        }
        start = finish;
    }
    parts
}

/// Returns the value at `x`.
#[inline]
pub(super) fn value(c: &[f64; 4], x: f64) -> f64 {
    ((c[3] * x + c[2]) * x + c[1]) * x + c[0]
}

/// Returns the roots of the derivative in `(0, end)`, in order and up to rounding, followed by `end`.
fn splits(c: &[f64; 4], end: f64) -> SmallVec<[f64; 3]> {
    let [_, c1, c2, c3] = *c;
    let mut splits = SmallVec::new();
    let discriminant = c2 * c2 - 3.0 * c1 * c3;
    if discriminant >= 0.0 {
        // The root without cancellation first, the other from the product of both. NaN (0 / 0) is not a root.
        let sum = -(c2 + discriminant.sqrt().copysign(c2));
        let (a, b) = (sum / (3.0 * c3), c1 / sum);
        for x in [if a < b { a } else { b }, if a < b { b } else { a }] {
            if x > 0.0 && x < end && splits.last().is_none_or(|&last| x > last) {
                splits.push(x);
            }
        }
    }
    splits.push(end);
    splits
}

/// Returns an estimate of the root between `start` and `finish`, at which the cubic has different signs, and an
/// estimate of the distance at which it is beyond `top` by a part of `slack`.
fn root(c: &[f64; 4], start: (f64, f64), finish: f64, top: f64, slack: f64) -> (f64, f64) {
    let sign = start.1.signum();
    let (mut low, mut high) = (start.0, finish);
    let mut x = 0.5 * (low + high);
    for _ in 0..64 {
        let (y, slope) = (value(c, x), (3.0 * c[3] * x + 2.0 * c[2]) * x + c[1]);
        if y.abs() <= 0.25 * slack {
            return (x, (top + 0.5 * slack) / slope.abs());
        }
        if sign * y > 0.0 {
            low = x
        } else {
            high = x
        }
        let newton = x - y / slope;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if next == x {
            break;
        }
        x = next;
    }
    (x, 0.0)
}

/// Returns a point between `outside`, where the cubic is beyond `top`, and `inside`. At the returned point it is also
/// beyond `top`, if possible by no more than `slack`.
fn boundary(c: &[f64; 4], outside: (f64, f64), inside: f64, top: f64, slack: f64) -> f64 {
    let sign = outside.1.signum();
    let (mut good, mut bad) = (outside.0, inside);
    let mut excess = sign * outside.1 - top;
    for _ in 0..64 {
        if excess <= slack {
            break;
        }
        let slope = sign * ((3.0 * c[3] * good + 2.0 * c[2]) * good + c[1]);
        let newton = good - (excess - 0.5 * slack) / slope;
        let middle = 0.5 * (good + bad);
        // Newton's point if it is inside the bracket, otherwise the middle.
        let x = if (newton - good) * (newton - bad) < 0.0 { newton } else { middle };
        if x == good || x == bad {
            break;
        }
        let beyond = sign * value(c, x) - top;
        if beyond >= 0.0 {
            (good, excess) = (x, beyond);
        } else {
            bad = x;
            // Newton's point overshot; the middle is safe progress for the next round.
            let x = 0.5 * (good + bad);
            let beyond = sign * value(c, x) - top;
            if beyond >= 0.0 && x != good {
                (good, excess) = (x, beyond);
            } else {
                bad = x;
            }
        }
    }
    good
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_ratio::RBig;

    fn draw(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A point near zero in exact arithmetic is inside a part, and the parts contain few other points.
    #[test]
    fn parts_hold_every_near_zero_and_little_else() {
        let mut state = 17;
        let (mut with_roots, mut doubles) = (0, 0);
        for case in 0..2000 {
            let end = [1.0, 1e-6, 1.7, 0.3][case % 4];
            let scale = 2f64.powi((draw(&mut state) * 40.0) as i32);
            let mut roots = [0.0; 3].map(|_: f64| draw(&mut state) * 1.5 * end);
            if case % 3 == 0 {
                roots[1] = roots[0]; // a double root
                doubles += 1;
            }
            let [p, q, r] = roots;
            let mut c = [-p * q * r, p * q + q * r + r * p, -(p + q + r), 1.0].map(|c| c * scale);
            match case % 7 {
                1 => c[3] = 0.0,
                2 => (c[3], c[2]) = (0.0, 0.0),
                _ => {}
            }
            let mass = value(&c.map(f64::abs), end);
            let band = mass * [1e-13, 1e-6, 0.0][case % 3];
            let parts = near_zero(&c, band, 1e-12 * mass, end);
            with_roots += usize::from(!parts.is_empty());
            let exact = |x: f64| {
                let exact = |x: f64| RBig::try_from(x).unwrap();
                c.iter().rev().fold(RBig::ZERO, |sum, &c| sum * exact(x) + exact(c))
            };
            let inside = |x: f64| parts.iter().any(|&[from, to]| from <= x && x <= to);
            let near = |x: f64| {
                let (value, band) = (exact(x), RBig::try_from(band).unwrap());
                value.clone() <= band && value >= -band
            };
            let mut last = 0.0_f64;
            for k in 0..=32 {
                let x = end * f64::from(k) / 32.0;
                assert!(!near(x) || inside(x), "{c:?} at {x}: {parts:?}");
                // A change of sign is a root, which a part must contain.
                if k > 0 && (exact(last) > RBig::ZERO) != (exact(x) > RBig::ZERO) {
                    assert!(parts.iter().any(|&[from, to]| from <= x && to >= last), "{c:?}: {parts:?}");
                }
                last = x;
            }
            for x in roots.into_iter().filter(|x| (0.0..=end).contains(x) && case % 7 > 2) {
                let close = 1e-7 * end;
                assert!(parts.iter().any(|&[from, to]| from - close <= x && x <= to + close));
            }
            for &[from, to] in &parts {
                assert!(0.0 <= from && from <= to && to <= end);
                let middle = value(&c, 0.5 * (from + to)).abs();
                assert!(middle <= band + 1e-11 * mass, "{c:?}: {middle} in [{from}, {to}]");
            }
        }
        assert!(with_roots > 1000 && doubles > 500, "{with_roots} {doubles}");
    }

    #[test]
    fn vanishing_and_overflowing_polynomials_are_near_zero_everywhere() {
        for c in [[0.0; 4], [f64::MAX, f64::MAX, 0.0, 0.0], [f64::NAN, 0.0, 0.0, 0.0]] {
            assert_eq!(near_zero(&c, 0.0, 0.0, 1.0).as_slice(), &[[0.0, 1.0]]);
        }
    }
}
