//! The first root of a polynomial in `[0, 1]`, isolated with proof.
//!
//! Choose the sign so that `p(0) > 0`. Keep a list of intervals from left to right, `[0, 1]` at first. Take the
//! leftmost, `[a, b]`, with the Bernstein coefficients of `p` on it:
//! 1. If all are positive, there is no root in it. Continue with the next interval; after the last there is no root at
//!    all.
//! 2. If there is exactly one sign change, from positive to negative, there is exactly one root in `(a, b)` (Descartes'
//!    rule). Run Newton's iteration, kept inside its bracket, without regard to rounding. Then step to both sides until
//!    the signs of `p`, this time with proven errors, are plus and minus. Because there is only one root, plus at `lo`
//!    proves that there is none before.
//! 3. If the interval is as short as the tolerance, report that there may be a root in it.
//! 4. Otherwise cut it near the middle, but not exactly there: contacts often happen at halves and quarters, and if a
//!    root is exactly at the cut neither side has a certain sign there.
//!
//! **Guarantee.** Never past the first root. An interval is dropped only by (1), and (2) drops only parts with a proven
//! sign. Coefficients whose sign is uncertain prevent (1) and (2), and never cause them. The ends of the intervals are
//! `f64` numbers, taken as exact; the proportion in which a cut divides its interval is rounded, and that rounding is
//! included in the errors of the pieces.
//!
//! Reference: G. E. Collins and A. G. Akritas, "Polynomial real root isolation using Descartes' rule of signs",
//! 1976; J. M. Lane and R. F. Riesenfeld, "Bounds on a polynomial", 1981.

use super::bernstein::Bernstein;
use super::binomial::binomials;
use super::coefficients::{Numbers, Weights};
use super::portable::power;
use smallvec::SmallVec;
use std::borrow::Cow;

/// The proven result of the search for the first root of a polynomial in `[0, 1]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FirstRoot {
    /// There is no root in `[0, 1]`.
    None,
    /// There is no root in `[0, lo)` and at least one in `[lo, hi]`.
    Isolated {
        /// Not after the first root.
        lo: f64,
        /// Not before the first root.
        hi: f64,
    },
    /// There is no root in `[0, lo)`. There may be one in `[lo, hi]`, which is no longer than the tolerance. The errors
    /// leave it open: the polynomial touches zero there, or nearly, or is zero.
    Suspect {
        /// Not after the first root.
        lo: f64,
        /// The place to continue if this is not accepted as a root.
        hi: f64,
    },
}

/// Shorter intervals are not cut: there must be numbers between the ends.
const SHORTEST: f64 = 1.0 / (1u64 << 50) as f64;

/// The position of a cut, as a fraction of the interval.
const CUT: f64 = 0.4871;

/// The polynomial on an interval.
struct Piece<'a> {
    polynomial: Cow<'a, Bernstein>,
    start: f64,
    end: f64,
}

impl Bernstein {
    /// Returns the first root in `[0, 1]`. A tolerance below 2^-50 counts as 2^-50. It limits the search for a root
    /// without a proven sign change; a root with one is isolated as closely as rounding permits.
    ///
    /// ```
    /// use firsttouch::numerics::bernstein::{Bernstein, FirstRoot};
    /// let touching = Bernstein::from_coefficients(&[1.0, -1.0, 1.0])?; // (1 - 2t)^2
    /// let FirstRoot::Suspect { lo, hi } = touching.first_root(1e-6) else { panic!() };
    /// assert!(lo <= 0.5 && hi - lo <= 1e-6 && lo > 0.5 - 2e-6);
    /// let above = Bernstein::from_coefficients(&[1.0, -0.999, 1.0])?;
    /// assert_eq!(above.first_root(1e-6), FirstRoot::None);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn first_root(&self, tolerance: f64) -> FirstRoot {
        let tolerance = if tolerance > SHORTEST { tolerance.min(1.0) } else { SHORTEST }; // not a bound: a resolution
        let (first, error) = (self.coefficients()[0], self.errors()[0]);
        let sign = if first > error {
            1.0
        } else if -first > error {
            -1.0
        } else if first == 0.0 && error == 0.0 {
            return FirstRoot::Isolated { lo: 0.0, hi: 0.0 };
        } else {
            return FirstRoot::Suspect { lo: 0.0, hi: tolerance };
        };

        let whole = Piece { polynomial: Cow::Borrowed(self), start: 0.0, end: 1.0 };
        let mut pieces: SmallVec<[Piece<'_>; 4]> = SmallVec::new();
        pieces.push(whole);
        while let Some(piece) = pieces.pop() {
            let Piece { start, end, .. } = piece;
            let (last, error) = piece.last(sign);
            match piece.polynomial.sign_changes() {
                Some(0) if last > error => continue,
                // Positive up to the end, where it is exactly zero.
                Some(0) if last == 0.0 && error == 0.0 => return FirstRoot::Isolated { lo: end, hi: end },
                Some(1) if -last > error => return piece.only_root(self, sign),
                _ if end - start > tolerance => {
                    let (before, after) = piece.cut();
                    pieces.push(after);
                    pieces.push(before);
                }
                // It was positive at 0 and is negative here.
                _ if -last > error => return FirstRoot::Isolated { lo: start, hi: end },
                _ => return FirstRoot::Suspect { lo: start, hi: end },
            }
        }
        FirstRoot::None
    }
}

impl<'a> Piece<'a> {
    /// Returns the value at the end, times the sign of the polynomial at 0.
    fn last(&self, sign: f64) -> (f64, f64) {
        let degree = self.polynomial.degree();
        (sign * self.polynomial.coefficients()[degree], self.polynomial.errors()[degree])
    }

    fn cut(&self) -> (Piece<'a>, Piece<'a>) {
        let Piece { start, end, .. } = *self;
        let middle = start + CUT * (end - start);
        let weights = Weights::proportion(end - middle, middle - start, end - start);
        let (before, after) = self.polynomial.0.split(weights);
        let piece = |half, start, end| Piece { polynomial: Cow::Owned(Bernstein(half)), start, end };
        (piece(before, start, middle), piece(after, middle, end))
    }

    /// Returns the root of a piece that has exactly one. The piece times `sign` starts above and ends below zero.
    fn only_root(&self, whole: &Bernstein, sign: f64) -> FirstRoot {
        let Piece { start, end, .. } = *self;
        let width = end - start;
        let (root, slope) = newton(self.polynomial.coefficients(), sign);
        let centre = start + width * root;
        let (value, error) = whole.eval(centre);
        // The distance at which a straight line would exceed the error by a factor of two.
        let margin = 2.0 * width * (value.abs() + error) / slope;
        let margin = if margin < width { margin } else { width };
        let first_step = margin.max(f64::EPSILON * centre).max(f64::MIN_POSITIVE); // not a bound: where to look

        // The ends of the piece are already proven, so the loops always end.
        let is_proven = |t: f64, sign: f64| {
            let (value, error) = whole.eval(t);
            sign * value > error
        };
        let (mut lo, mut step) = (centre - first_step, first_step);
        while lo > start && !is_proven(lo, sign) {
            step *= 4.0;
            lo = centre - step;
        }
        let (mut hi, mut step) = (centre + first_step, first_step);
        while hi < end && !is_proven(hi, -sign) {
            step *= 4.0;
            hi = centre + step;
        }
        FirstRoot::Isolated { lo: lo.max(start), hi: hi.min(end) } // not a bound: NaN becomes an end
    }
}

/// Newton's iteration converges in about five rounds or not at all; in the second case the bracket is halved.
const MAX_ROUNDS: usize = 60;
/// After this many rounds a test for mere noise is worth its cost.
const QUICK_ROUNDS: usize = 8;

/// Returns the only root, and the magnitude of the slope at it, as accurately as floating point allows. The
/// coefficients times `sign` go from plus to minus.
///
/// `p(s) = (1 - s)^n h(x)` with `h(x) = Σ C(n, i) c_i x^i` and `x = s / (1 - s)`: the root of `h` is computed by
/// Horner's rule in linear time. If it is beyond `x = 1`, the coefficients are reversed and `x` is its inverse. At
/// the root `p'(s) = (1 - s)^(n-2) h'(x)`.
fn newton(coefficients: &[f64], sign: f64) -> (f64, f64) {
    let degree = coefficients.len() - 1;
    let (binomials, _) = binomials(degree);
    let mut powers: Numbers = coefficients.iter().zip(binomials.iter()).map(|(c, b)| sign * c * b).collect();
    let is_late = powers.iter().sum::<f64>() > 0.0;
    if is_late {
        // After the reversal it would go from minus to plus.
        powers.reverse();
        powers.iter_mut().for_each(|c| *c = -*c);
    }
    let noise = |x: f64| f64::EPSILON * powers.iter().rev().fold(0.0, |sum: f64, c| sum * x + c.abs());

    // Start at the zero of the control polygon.
    let i = coefficients.iter().rposition(|&c| sign * c > 0.0).unwrap_or(0);
    let fall = coefficients[i] - coefficients[i + 1];
    let s = (i as f64 + coefficients[i] / fall) / degree as f64;
    let x = if is_late { (1.0 - s) / s } else { s / (1.0 - s) };
    let mut x = if x < 1.0 { x } else { 0.5 };

    let mut slope = -1.0;
    let (mut low, mut high) = (0.0, 1.0);
    for round in 0..MAX_ROUNDS {
        let mut value = powers[degree];
        slope = 0.0;
        for &c in powers[..degree].iter().rev() {
            slope = slope * x + value;
            value = value * x + c;
        }
        let step = value / slope;
        if step.abs() <= 2.0 * f64::EPSILON * x || (round >= QUICK_ROUNDS && value.abs() <= noise(x)) {
            break;
        }
        if value > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let next = x - step;
        x = if low < next && next < high { next } else { 0.5 * (low + high) };
    }
    let near = 1.0 / (1.0 + x);
    let slope = slope.abs() * power(near, degree as i32 - 2);
    (if is_late { near } else { x * near }, slope)
}
