//! A real root with a bracket of two `f64` around it, and the signs that the bracket decides.
//!
//! **Problem.** Find the sign of a quadratic at a root, exactly, but at the cost of `f64` if that is enough.
//!
//! 1. Bracket the root between two `f64` at most 2^-52 apart. The ends are placed by exact comparisons, so the bracket
//!    is valid even for an ill-conditioned root; approximate roots only save comparisons.
//! 2. Evaluate the quadratic in `f64` over the bracket. If the value is beyond its error, it decides; this fails only
//!    if the root of the quadratic is within about 2^-50.
//! 3. One Newton step from the lower end t: the exact value f(t), divided by f' in `f64`, gives the root as `t + δ`
//!    with an error of about 2^-46 |δ|, a hundred bits in all. With the exact value q(t) and q' in `f64` that decides
//!    unless the two roots agree to some 2^-95.
//! 4. A quadratic that divides f has only roots of f, and the bracket holds only one: if q changes sign over it, q
//!    vanishes at the root. Contacts on an edge or a corner of features that slide in a plane are of this kind.
//! 5. Otherwise use the closed forms of [`super::algebraic`].
//!
//! **Guarantee.** Every sign is exact; steps 2 and 3 only answer beyond their error bounds, derived at each.

use std::cell::OnceCell;
use std::cmp::Ordering;

use smallvec::SmallVec;

use super::algebraic::{Poly, RealRoot};
use super::portable::power_of_two;
use super::rough::Rough;

/// Two times around a root: `lo ≤ root ≤ hi`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// At most the root.
    pub lo: f64,
    /// At least the root.
    pub hi: f64,
}

/// A root that is located only if its rough position does not decide.
#[derive(Debug, Clone)]
pub(crate) struct Candidate<'a> {
    pub(super) root: RealRoot<'a>,
    pub(super) around: Bracket,
    pub(super) guesses: SmallVec<[f64; 4]>,
    /// An interval that holds this root and no other one of its polynomial.
    pub(super) rough: Option<Bracket>,
}

impl<'a> Candidate<'a> {
    /// Returns the root with a narrow bracket.
    pub(crate) fn locate(&self) -> Located<'a> {
        Located::new(self.root, self.around, &self.guesses)
    }

    /// Returns a number that is at most the root.
    pub(crate) fn at_least(&self) -> f64 {
        self.rough.map_or(self.around.lo, |rough| rough.lo)
    }

    /// Returns the sign of `q`, of degree at most 2, at the root if the rough position decides it.
    pub(crate) fn rough_sign_of(&self, q: &Poly) -> Option<Ordering> {
        self.root.sign_of_itself(q).or_else(|| Rough::new(q.approximate()).sign_over(&self.rough?))
    }
}

/// A root and a bracket around it.
///
/// ```
/// use firsttouch::numerics::{Int, algebraic::{Poly, RealRoots}};
/// let n = |v| Int::shifted(v, 0);
/// let f = Poly { c: [n(-1), n(0), n(2), n(0)] }; // 2t² − 1
/// let roots = RealRoots::of(&f);
/// let root = roots.up_to(1.0).next().unwrap(); // 1/√2
/// assert!(root.bracket.lo < 0.70710678118654757 && root.bracket.hi > 0.70710678118654746);
/// assert!(root.sign_of(&Poly::quadratic(n(-2), n(0), n(4))).is_eq());
/// ```
#[derive(Debug, Clone)]
pub struct Located<'a> {
    /// The root.
    pub root: RealRoot<'a>,
    /// The bracket around the root, as narrow as `f64` allows with little effort: at most 2^-52 wide.
    pub bracket: Bracket,
    /// A time at which the polynomial was evaluated during the search, and its value at that time.
    known: Option<(f64, f64)>,
    newton: OnceCell<Option<Newton>>,
}

/// The root is `bracket.lo + step`, up to `error`.
#[derive(Debug, Clone, Copy)]
struct Newton {
    step: f64,
    error: f64,
}

impl<'a> Located<'a> {
    /// Narrows a bracket inside `[0, 1]` around the root, with guesses of it; bad guesses only cost time.
    pub(super) fn new(root: RealRoot<'a>, around: Bracket, guesses: &[f64]) -> Located<'a> {
        let mut known = None;
        let bracket =
            if around.lo == around.hi { around } else { tightest(&root, around, guesses, &mut known) };
        Located { root, bracket, known, newton: OnceCell::new() }
    }

    /// Returns the exact sign of `q`, of degree at most 2, at the root.
    pub fn sign_of(&self, q: &Poly) -> Ordering {
        if let Some(sign) = self.root.sign_of_itself(q) {
            return sign;
        }
        if self.bracket.lo == self.bracket.hi {
            return q.sign_at(self.bracket.lo);
        }
        sign_over(q, &self.bracket)
            .or_else(|| self.sign_near(q))
            .or_else(|| self.sign_of_factor(q))
            .unwrap_or_else(|| self.root.sign_of(q))
    }

    /// Step 3 of the header.
    ///
    /// Coefficients are at most 1 in magnitude, t in [0, 1], |δ| ≤ 2^-52. q(α) = q(t) + δ (q'(t) + q₂δ). The parts:
    /// q(t) is off by 2^-52 of itself. q'(t), at most 3 in magnitude, is off by 3 · 2^-52 for its coefficients and 4 ·
    /// 3 · 2^-53 for Horner, and dropping q₂δ costs 2^-52: less than 2^-48 together. δ is off by `error`, times at
    /// most 4. The product and the sum round once each: covered by doubling the whole bound. 1e-300 covers underflow.
    fn sign_near(&self, q: &Poly) -> Option<Ordering> {
        let Newton { step, error } = (*self.newton.get_or_init(|| self.newton()))?;
        let [_, b, a, _] = q.approximate();
        let t = self.bracket.lo;
        let (at, _) = q.approximate_value(t);
        let slope = 2.0 * a * t + b;
        let value = at + step * slope;
        let bound =
            2.0 * (power_of_two(-52) * at.abs() + power_of_two(-48) * step.abs() + 4.0 * error) + 1e-300;
        beyond(value, bound)
    }

    /// Step 4 of the header: if a Newton step is possible, f' has no zero in the bracket, so it holds no other root
    /// of f.
    fn sign_of_factor(&self, q: &Poly) -> Option<Ordering> {
        (*self.newton.get_or_init(|| self.newton()))?;
        if !self.root.has_factor(q) {
            return None;
        }
        let (left, right) = (q.sign_at(self.bracket.lo), q.sign_at(self.bracket.hi));
        Some(if left == right { left } else { Ordering::Equal })
    }

    /// δ = −f(t)/f'(ξ) with ξ in the bracket. f' is at most 6 in magnitude. Its coefficients are off by at most 6 ·
    /// 2^-52 together, Horner's four roundings by 4 · 6 · 2^-53, and over the bracket it varies by |f''| ≤ 8 times
    /// 2^-52: less than 2^-46 together. With |f'| of at least 2^-30 that is a relative error of 2^-46 / |f'|, and f(t)
    /// and the quotient add 2^-51. The result is doubled to cover second-order terms.
    fn newton(&self) -> Option<Newton> {
        let f = self.root.poly();
        let [_, c, b, a] = f.approximate();
        let t = self.bracket.lo;
        let slope = (3.0 * a * t + 2.0 * b) * t + c;
        if slope.abs() < power_of_two(-30) {
            return None;
        }
        let value = match self.known {
            Some((known, value)) if known == t => value,
            _ => f.approximate_value(t).0,
        };
        let step = -value / slope;
        let error = 2.0 * step.abs() * (power_of_two(-46) / slope.abs() + power_of_two(-51)) + 1e-300;
        Some(Newton { step, error })
    }
}

pub(super) fn beyond(value: f64, bound: f64) -> Option<Ordering> {
    if value > bound {
        Some(Ordering::Greater)
    } else if value < -bound {
        Some(Ordering::Less)
    } else {
        None
    }
}

/// Returns a pair of `f64` at most 2^-52 apart around a root in `[lo, hi]`, a subset of `[0, 1]`; both are the root
/// itself if the search finds it exactly. The ends are placed by exact comparisons. The last value of the polynomial
/// is kept.
fn tightest(
    root: &RealRoot<'_>,
    around: Bracket,
    guesses: &[f64],
    known: &mut Option<(f64, f64)>,
) -> Bracket {
    let Bracket { lo, hi } = around;
    let mut bracket = around;
    let f = root.poly();
    let c = f.approximate();
    for &guess in guesses {
        // Contact times of artificial scenes are often short fractions: try those first.
        let mut t = (guess * TWO_52).round() / TWO_52;
        let mut step = 0.0;
        // Newton's method with exact values: rounding in the guess does not matter, and one or two steps are nearly
        // always enough.
        for _ in 0..4 {
            t = (t + step).clamp(lo, hi);
            let (value, sign) = f.approximate_value(t);
            *known = Some((t, value));
            step = -value / ((3.0 * c[3] * t + 2.0 * c[2]) * t + c[1]);
            if step.is_nan() || step.abs() <= 0.9 * f64::EPSILON {
                if bracket.lo < t && t < bracket.hi {
                    let place = root.compare_given(t, sign);
                    if tighten(&mut bracket, t, place) {
                        return bracket;
                    }
                }
                break;
            }
        }
        // One end is at t; the other is beyond t + step.
        let probe = t + f64::EPSILON.copysign(step);
        if bracket.lo < probe && probe < bracket.hi && tighten(&mut bracket, probe, root.compare(probe)) {
            return bracket;
        }
        if bracket.hi - bracket.lo <= f64::EPSILON {
            return bracket;
        }
        for reach in [f64::EPSILON / 2.0, 16.0 * f64::EPSILON] {
            for probe in [t + step - reach, t + step + reach] {
                if bracket.lo < probe
                    && probe < bracket.hi
                    && tighten(&mut bracket, probe, root.compare(probe))
                {
                    return bracket;
                }
            }
            if bracket.hi - bracket.lo <= f64::EPSILON {
                return bracket;
            }
        }
    }
    while bracket.hi - bracket.lo > f64::EPSILON {
        let middle = bracket.lo + (bracket.hi - bracket.lo) / 2.0;
        if !(bracket.lo < middle && middle < bracket.hi)
            || tighten(&mut bracket, middle, root.compare(middle))
        {
            break;
        }
    }
    bracket
}

const TWO_52: f64 = 4503599627370496.0;

/// Moves an end of the bracket to `t`, given the order of the root and `t`. Returns true if `t` is the root.
fn tighten(bracket: &mut Bracket, t: f64, root: Ordering) -> bool {
    match root {
        Ordering::Less => bracket.hi = t,
        Ordering::Greater => bracket.lo = t,
        Ordering::Equal => {
            *bracket = Bracket { lo: t, hi: t };
            return true;
        }
    }
    false
}

/// Returns the sign of `q` over the whole bracket, if `f64` decides it.
///
/// The coefficients are at most 1 in magnitude with errors of 2^-52 each, times lie in [0, 1]: errors of the
/// coefficients contribute at most 3 · 2^-52, Horner's four roundings of values up to 3 at most 12 · 2^-53, and over
/// the bracket q varies by at most |q'| ≤ 3 times its width. 2^-48 is more than 16 · 2^-52 ≥ (3 + 6) · 2^-52.
fn sign_over(q: &Poly, bracket: &Bracket) -> Option<Ordering> {
    let [c, b, a, _] = q.approximate();
    let value = (a * bracket.lo + b) * bracket.lo + c;
    let bound = 3.0 * (bracket.hi - bracket.lo) * (1.0 + 1e-9) + power_of_two(-48);
    beyond(value, bound)
}

/// Returns approximate roots in `[0, end]`, in ascending order. Their accuracy affects only the number of exact
/// comparisons.
pub(super) fn approximate_roots(c: &[f64; 4], end: f64) -> SmallVec<[f64; 4]> {
    let (lo, hi) = (0.0, end);
    let value = |t: f64| ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
    let slope = |t: f64| (3.0 * c[3] * t + 2.0 * c[2]) * t + c[1];
    // Break [lo, hi] at the critical points, then search each monotone piece.
    let mut breaks: SmallVec<[f64; 4]> = SmallVec::new();
    breaks.push(lo);
    let (a, b) = (3.0 * c[3], c[2]);
    let root = (b * b - a * c[1]).max(0.0).sqrt(); // not a bound: a guess
    let s = -b - b.signum() * root;
    let (mut first, mut second) = (s / a, c[1] / s);
    if first > second {
        (first, second) = (second, first);
    }
    for t in [first, second] {
        if t > lo && t < hi {
            breaks.push(t);
        }
    }
    breaks.push(hi);
    let mut out = SmallVec::new();
    for pair in breaks.windows(2) {
        let (mut l, mut r) = (pair[0], pair[1]);
        let (fl, fr) = (value(l), value(r));
        if fl * fr > 0.0 {
            // A double root that is just missed or just hit appears at the break itself.
            if fr.abs() < 1e-14 {
                out.push(r);
            }
            continue;
        }
        let rising = fr > fl;
        let mut t = if fr == fl { l } else { l - fl * (r - l) / (fr - fl) };
        for _ in 0..60 {
            let f = value(t);
            if (f > 0.0) == rising {
                r = t
            } else {
                l = t
            }
            let newton = t - f / slope(t);
            let next = if newton > l && newton < r { newton } else { 0.5 * (l + r) };
            let done = (next - t).abs() <= f64::EPSILON;
            t = next;
            if done {
                break;
            }
        }
        out.push(t);
    }
    out
}

#[cfg(test)]
#[path = "located_tests.rs"]
mod tests;
