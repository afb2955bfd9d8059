//! Signs that `f64` decides relative to the size of the terms: of discriminants, and over intervals around roots.
//!
//! **Problem.** Most roots of a polynomial with integer coefficients do not matter, because some other polynomial has
//! the wrong sign there by far. Find out which ones without integers, also for a root that is tiny beside 1, where an
//! error relative to the largest coefficient decides nothing.
//!
//! 1. Polish a guess with Newton's method until it stays where it is, relative to itself.
//! 2. Around it, take two times at which the sign of the polynomial is certain. Between opposite signs there is a root.
//!    The caller knows the number of roots: the same number of disjoint intervals hold one each.
//! 3. A polynomial whose value at one end exceeds its rounding error and its change over the interval has one sign
//!    there.
//!
//! **Guarantee.** A returned sign or interval is proven; `None` claims nothing.
//!
//! Rounding, with u = 2^-53 and second-order terms covered by rounding the constants up. Coefficients have a relative
//! error of 2u ([`super::algebraic::Poly::approximate`]) and a magnitude of at most 1, times lie in [0, 1]. Horner's
//! rule at degree n has 2n roundings of parts of `M = Σ |cᵢ| tⁱ`: the value is off by (2n + 2)u M, and M itself by as
//! much of itself. 10u M covers both for n = 3. [`TINY`] covers underflow: at most 2^-1074 for each of some twenty
//! operations, times factors of at most 100.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::located::{Bracket, approximate_roots, beyond};

const U: f64 = f64::EPSILON / 2.0;
const TINY: f64 = 1e-300;

/// A polynomial of degree at most 3 in `f64`, with a bound of the error of each coefficient; entry `i` belongs to
/// `t^i`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rough {
    pub(crate) c: [f64; 4],
    /// Bounds of the errors of the coefficients and, per coefficient, of the roundings when a value is computed: at
    /// least 8u of the coefficient more than its own error. The first one also covers underflow.
    pub(crate) error: [f64; 4],
}

impl Rough {
    /// Takes coefficients of at most 1 in magnitude with a relative error of 2u.
    #[inline]
    pub(super) fn new(c: [f64; 4]) -> Rough {
        let [c0, c1, c2, c3] = c.map(|x| 10.0 * U * x.abs());
        Rough { c, error: [c0 + TINY, c1, c2, c3] }
    }

    /// Returns the value and the bound of its error.
    #[inline]
    fn value(&self, t: f64) -> (f64, f64) {
        let horner = |c: &[f64; 4]| ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
        (horner(&self.c), horner(&self.error))
    }

    #[inline]
    fn sign_at(&self, t: f64) -> Option<Ordering> {
        let (value, error) = self.value(t);
        beyond(value, error)
    }

    /// Steps 1 and 2 of the header.
    fn span(&self, guess: f64) -> Option<Bracket> {
        let c = &self.c;
        let slope = |t: f64| (3.0 * c[3] * t + 2.0 * c[2]) * t + c[1];
        let mut t = guess;
        let mut step = 0.0;
        for _ in 0..12 {
            step = self.value(t).0 / slope(t);
            t -= step;
            if step.is_nan() || step.abs() <= 1e-14 * t.abs() {
                break;
            }
        }
        let mut reach = 2.0 * self.value(t).1 / slope(t).abs() + step.abs() + 4.0 * U * t;
        for _ in 0..3 {
            // The roundings here do not matter: the signs are tested at these very numbers. NaN is not positive.
            let (lo, hi) = (t - reach, t + reach);
            if !(lo > 0.0 && hi < 1.0) {
                return None;
            }
            if let (Some(left), Some(right)) = (self.sign_at(lo), self.sign_at(hi))
                && left != right
            {
                return Some(Bracket { lo, hi });
            }
            reach *= 8.0;
        }
        None
    }

    /// Returns `count` disjoint intervals in `(0, end)`, in ascending order. The polynomial changes its sign in each.
    pub(crate) fn spans(&self, end: f64, count: usize) -> Option<SmallVec<[Bracket; 3]>> {
        self.spans_near(end, count, &approximate_roots(&self.c, end))
    }

    /// Like [`Rough::spans`], from the given guesses.
    pub(super) fn spans_near(
        &self,
        end: f64,
        count: usize,
        guesses: &[f64],
    ) -> Option<SmallVec<[Bracket; 3]>> {
        if guesses.len() != count {
            return None;
        }
        let mut spans: SmallVec<[Bracket; 3]> = SmallVec::new();
        for &guess in guesses {
            let span = self.span(guess)?;
            let after = spans.last().map_or(0.0, |last| last.hi);
            // The ends are no roots, so that neighbours may share one.
            if !(after <= span.lo && span.hi < end) {
                return None;
            }
            spans.push(span);
        }
        Some(spans)
    }

    /// Returns the sign of `b² − 4ac` for the quadratic `at² + bt + c`.
    pub(super) fn quadratic_discriminant(&self) -> Option<Ordering> {
        let [c, b, a, _] = self.coefficients();
        b.times(b).minus(4.0, a.times(c)).sign()
    }

    /// Returns the sign of `4PR − Q²` with P = b² − 3ac, Q = bc − 9ad, R = c² − 3bd, for the cubic
    /// `at³ + bt² + ct + d`.
    pub(crate) fn cubic_discriminant(&self) -> Option<Ordering> {
        let [d, c, b, a] = self.coefficients();
        let (p, q) = (b.times(b).minus(3.0, a.times(c)), b.times(c).minus(9.0, a.times(d)));
        let r = c.times(c).minus(3.0, b.times(d));
        q.times(q).minus(4.0, p.times(r)).sign().map(Ordering::reverse)
    }

    fn coefficients(&self) -> [Measured; 4] {
        [0, 1, 2, 3].map(|i| Measured { value: self.c[i], error: self.error[i] })
    }

    /// Returns the sign of a quadratic over a whole interval in `(0, 1)`.
    ///
    /// Over the interval it changes by at most `|q'| ≤ 2|a| hi + |b|` times its width, with coefficients as they are
    /// computed; the error at `hi` covers that of the coefficients all over the interval. The width is a rounded
    /// difference and the product rounds a few times: 1e-9 of it covers all that.
    #[inline]
    pub(crate) fn sign_over(&self, span: &Bracket) -> Option<Ordering> {
        let (value, _) = self.value(span.lo);
        let (_, error) = self.value(span.hi);
        let [_, b, a, _] = self.c;
        let change = (2.0 * a.abs() * span.hi + b.abs()) * (span.hi - span.lo) * (1.0 + 1e-9);
        beyond(value, error + change)
    }
}

/// A number and a bound of its error. Each operation adds its own rounding, u of its result, and rounds the bound up by
/// a factor that covers the roundings of the bound, at most five of u each.
#[derive(Debug, Clone, Copy)]
struct Measured {
    value: f64,
    error: f64,
}

impl Measured {
    fn times(self, other: Measured) -> Measured {
        let value = self.value * other.value;
        let error = self.error * (other.value.abs() + other.error) + other.error * self.value.abs();
        Measured { value, error: (error + U * value.abs()) * (1.0 + 8.0 * U) }
    }

    /// Returns `self − factor · other` for a factor from 1 to 9.
    fn minus(self, factor: f64, other: Measured) -> Measured {
        let product = factor * other.value;
        let value = self.value - product;
        let error = self.error + factor * other.error + U * (product.abs() + value.abs());
        Measured { value, error: error * (1.0 + 8.0 * U) }
    }

    /// [`TINY`] covers underflow.
    fn sign(self) -> Option<Ordering> {
        beyond(self.value, self.error + TINY)
    }
}

#[cfg(test)]
#[path = "rough_tests.rs"]
mod tests;
