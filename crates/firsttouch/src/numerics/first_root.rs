//! The first root of a polynomial in `[0, 1]`, isolated with proof.
//!
//! Turn the sign so that `p(0) > 0`. Keep a list of intervals from left to right, `[0, 1]` at first. Take the
//! leftmost, `[a, b]`, with the Bernstein coefficients of `p` on it:
//! 1. All positive: no root here. On to the next interval; after the last there is no root at all.
//! 2. Exactly one sign change, from positive to negative: exactly one root in `(a, b)` (Descartes' rule). Run
//!    Newton's iteration, kept inside its bracket, without minding rounding. Then step off to both sides until the
//!    signs of `p` there, this time with proven errors, are plus and minus. Because there is only one root,
//!    plus at `lo` proves that there is none before.
//! 3. As short as the tolerance: this is where it may be.
//! 4. Otherwise cut it near the middle, but not in it: contacts like to happen at halves and quarters, and with a
//!    root just at the cut neither side has a certain sign there.
//!
//! Guarantee: never past the first root. An interval is left behind only by (1), and (2) leaves behind only what has
//! a proven sign. Coefficients whose sign the errors do not tell prevent (1) and (2), never cause them. The ends
//! of the intervals are numbers of `f64`, taken as exact; the proportion in which a cut divides its
//! interval is rounded, and that rounding is among the errors of the pieces.
//!
//! Reference: G. E. Collins and A. G. Akritas, "Polynomial real root isolation using Descartes' rule of signs",
//! 1976; J. M. Lane and R. F. Riesenfeld, "Bounds on a polynomial", 1981.

use super::bernstein::Bernstein;
use super::bernstein_grid::{Axis, Weights};
use smallvec::{SmallVec, smallvec};

/// Where a polynomial first becomes zero in `[0, 1]`, as far as it could be proven.
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
    /// There is no root in `[0, lo)`. Whether there is one in `[lo, hi]`, which is no longer than the tolerance, the
    /// errors do not tell: the polynomial touches zero there, or nearly, or is zero.
    Suspect {
        /// Not after the first root.
        lo: f64,
        /// Where to look on if this is not taken for a root.
        hi: f64,
    },
}

/// Below this an interval is not cut any more: there must be numbers between its ends.
const SHORTEST: f64 = 1.0 / (1u64 << 50) as f64;

/// Where an interval is cut, as a part of its length.
const CUT: f64 = 0.4871;

/// The polynomial on an interval.
struct Piece {
    polynomial: Bernstein,
    start: f64,
    end: f64,
}

impl Bernstein {
    /// The first root in `[0, 1]`. A tolerance below 2^-50 counts as 2^-50. It says when to give up on a root that
    /// has no proven sign change; one that has is isolated as closely as rounding permits.
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
        let tolerance = if tolerance > SHORTEST { tolerance.min(1.0) } else { SHORTEST };
        let (first, error) = (self.coefficients()[0], self.errors()[0]);
        let polynomial = if first > error {
            self.clone()
        } else if -first > error {
            self.negated()
        } else if first == 0.0 && error == 0.0 {
            return FirstRoot::Isolated { lo: 0.0, hi: 0.0 };
        } else {
            return FirstRoot::Suspect { lo: 0.0, hi: tolerance };
        };

        let whole = Piece { polynomial: polynomial.clone(), start: 0.0, end: 1.0 };
        let mut pieces: SmallVec<[Piece; 2]> = smallvec![whole];
        while let Some(piece) = pieces.pop() {
            let Piece { start, end, .. } = piece;
            let (last, error) = piece.last();
            match piece.polynomial.sign_changes() {
                Some(0) if last > error => continue,
                // Positive up to the end, where it is exactly zero.
                Some(0) if last == 0.0 && error == 0.0 => return FirstRoot::Isolated { lo: end, hi: end },
                Some(1) if -last > error => return piece.only_root(&polynomial),
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

impl Piece {
    fn last(&self) -> (f64, f64) {
        let degree = self.polynomial.degree();
        (self.polynomial.coefficients()[degree], self.polynomial.errors()[degree])
    }

    fn cut(&self) -> (Piece, Piece) {
        let Piece { start, end, .. } = *self;
        let middle = start + CUT * (end - start);
        let weights = Weights::proportion(end - middle, middle - start, end - start);
        let (before, after) = self.polynomial.0.split(Axis::V, weights);
        let piece = |grid, start, end| Piece { polynomial: Bernstein(grid), start, end };
        (piece(before, start, middle), piece(after, middle, end))
    }

    /// The root of a piece that has exactly one, begins above and ends below zero.
    fn only_root(&self, whole: &Bernstein) -> FirstRoot {
        let Piece { start, end, .. } = *self;
        let width = end - start;
        let (root, slope) = self.newton();
        let centre = start + width * root;
        let (value, error) = whole.eval(centre);
        // Where a straight line would have left the error behind, by a factor of two.
        let margin = 2.0 * width * (value.abs() + error) / slope.abs();
        let margin = if margin < width { margin } else { width };
        let first_step = margin.max(f64::EPSILON * centre).max(f64::MIN_POSITIVE);

        // The ends of the piece are proven already. Whatever goes wrong on the way there, the loops end.
        let (mut lo, mut step) = (centre - first_step, first_step);
        while lo > start && !is_positive(whole.eval(lo)) {
            step *= 4.0;
            lo = centre - step;
        }
        let (mut hi, mut step) = (centre + first_step, first_step);
        let is_negative = |(value, error): (f64, f64)| is_positive((-value, error));
        while hi < end && !is_negative(whole.eval(hi)) {
            step *= 4.0;
            hi = centre + step;
        }
        FirstRoot::Isolated { lo: lo.max(start), hi: hi.min(end) }
    }

    /// The root of the piece and the slope there, in the parameter of the piece, to the best of floating point.
    fn newton(&self) -> (f64, f64) {
        let coefficients = self.polynomial.coefficients();
        let degree = (coefficients.len() - 1) as f64;
        let noise = f64::EPSILON * coefficients.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
        // Start where the control polygon crosses zero.
        let i = coefficients.iter().rposition(|&c| c > 0.0).unwrap_or(0);
        let fall = coefficients[i] - coefficients[i + 1];
        let mut s = (i as f64 + coefficients[i] / fall) / degree;
        let mut slope = -fall * degree;
        let (mut low, mut high) = (0.0, 1.0);
        for round in 0..MAX_ROUNDS {
            let value;
            (value, slope) = value_and_slope(coefficients, s);
            let step = value / slope;
            if step.abs() <= 2.0 * f64::EPSILON * s || (round >= QUICK_ROUNDS && value.abs() <= noise) {
                break;
            }
            if value > 0.0 {
                low = s;
            } else {
                high = s;
            }
            let next = s - step;
            s = if low < next && next < high { next } else { 0.5 * (low + high) };
        }
        (s, slope)
    }
}

/// Newton's iteration converges in about five rounds or not at all, and then the bracket is halved.
const MAX_ROUNDS: usize = 60;
/// After so many rounds a value that is mere noise ends it. Not earlier: close to 0 the noise is smaller.
const QUICK_ROUNDS: usize = 8;

fn is_positive((value, error): (f64, f64)) -> bool {
    value > error
}

/// De Casteljau's algorithm without errors; the last two points give the slope.
fn value_and_slope(coefficients: &[f64], s: f64) -> (f64, f64) {
    let degree = coefficients.len() - 1;
    let mut points: SmallVec<[f64; 8]> = SmallVec::from_slice(coefficients);
    for level in 1..degree {
        let points = &mut points[..degree - level + 2];
        for i in 0..degree - level + 1 {
            points[i] = (1.0 - s) * points[i] + s * points[i + 1];
        }
    }
    ((1.0 - s) * points[0] + s * points[1], degree as f64 * (points[1] - points[0]))
}
