//! The `f64` stages: the times at which the four points are coplanar, and the signs that decide if the features meet
//! then.
//!
//! **Problem.** Decide contact in `f64` wherever rounding allows a proof, and return "unknown" where it does not.
//!
//! 1. Compute the cubic of coplanarity in Bernstein form over `[0, t_max]`, with a bound of its rounding error. If
//!    all coefficients are beyond the bound with one sign, the points are never coplanar: free.
//! 2. Compute the faces (see `pair`), quadratic in each component. At a contact all faces are nonnegative multiples
//!    of one vector, so two faces with opposite strict signs in one component throughout: free. If all coefficients of
//!    the cubic are within its error, features that meet at time 0 are found by the predicates at rest.
//! 3. Bisect the time span from the left. Discard a piece by 1 or 2. A piece with strict opposite signs of the cubic at
//!    its ends and one sign variation holds exactly one root: shrink it to the root as far as rounding allows, and test
//!    the faces over that sliver. If all have one strict sign in one component, they touch. With opposite signs there
//!    is no contact at this root. In any other case, or without progress, the result is unknown, and the exact stage
//!    decides.
//! 4. Refine a touch by one interval Newton step from a value of the cubic in double-double arithmetic.
//!
//! **Guarantee.** `Free` and `Touch` are proofs, and `Touch` brackets the first contact within a few ulps.
//!
//! Rounding, with u = 2^-53 and second-order terms covered by rounding the constants up. Write ρu|d| for the error of
//! a difference at either end of the span, with |d| the larger magnitude of its two ends, per component. At time 0
//! and 1 it is one subtraction, ρ = 1. For t_max < 1 the end is `d₀ + t (d₁ − d₀)`: the inputs u, subtraction and
//! product 2u each (|d₁ − d₀| ≤ 2|d|), the sum u: ρ = 6.
//! - A face coefficient `aᵢbⱼ − aⱼbᵢ` (the middle one: half the sum of two such): inputs 2ρ, product 1, difference 1,
//!   sum 1, so (2ρ + 3)u S with S = |aᵢ||bⱼ| + |aⱼ||bᵢ|. Restricting it to a subinterval by blossoming: weights with
//!   relative errors of at most 4u that sum to 1, a product and two sums, 7u S. The bound itself 3u: (2ρ + 14)u S.
//! - A coefficient of the cubic, `Σ cₖ nₖ` of such: (2ρ + 3) + ρ + 1 and two sums; the inner ones combine two of
//!   these and divide by 3, 2 more; the bound itself 3: (3ρ + 12)u P with P = Σ |cₖ| Sₖ.
//! - Halving a piece averages three times, 3u P; a piece is at most six halvings deep, and an evaluation at a time
//!   costs no more than 12u P. So 24u P more for all steps after step 1.
//! - Underflow: a product is off by at most 2^-1075, which later factors of at most 4e60 each (the coordinates are
//!   bounded) raise to less than [`TINY_CUBIC`] and [`TINY_FACE`].

use std::cmp::Ordering;

use glam::DVec3;

use crate::numerics::bound::{exceeds, lower_min, upper_max};
use crate::numerics::double_double::DoubleDouble;
use crate::numerics::located::Bracket;

use super::Stage;
use super::pair::Pair;

const U: f64 = f64::EPSILON / 2.0;
pub(super) const TINY_CUBIC: f64 = 1e-190;
pub(super) const TINY_FACE: f64 = 1e-250;
/// The most pieces that are examined; with more, the exact stage is cheaper.
const PIECES: usize = 14;
/// The width of the narrowest piece: six halvings, as counted above.
const NARROWEST: f64 = 1.0 / 64.0;

/// The result that `f64` can prove.
pub(crate) enum Verdict {
    Free(Stage),
    Touch(Bracket),
    Unknown,
}

/// Steps 1 to 4 of the header.
pub(crate) fn decide<P: Pair>(q: &P, t_max: f64) -> Verdict {
    let ends = Differences::new(q, t_max);
    let (cubic, normal) = Cubic::new::<P>(&ends);
    if one_sign(&cubic.b, cubic.error) {
        return Verdict::Free(Stage::Bernstein);
    }
    let faces = Faces::new::<P>(&ends, normal);
    if faces.side(None) == Side::Outside {
        return Verdict::Free(Stage::Bernstein);
    }
    // If the points may be coplanar at all times, there is no root to isolate.
    let is_flat = cubic.b.iter().all(|b| !exceeds(b.abs(), cubic.error));
    if is_flat && P::meet_at_rest(q.t0()) {
        return Verdict::Touch(Bracket { lo: 0.0, hi: 0.0 });
    }
    isolate(q, t_max, &cubic, &faces)
}

/// The differences at time 0 and at `t_max`, and the larger magnitude of the two.
struct Differences {
    start: [DVec3; 5],
    end: [DVec3; 5],
    size: [DVec3; 5],
    /// ρ of the header.
    input: f64,
}

impl Differences {
    #[inline]
    fn new<P: Pair>(q: &P, t_max: f64) -> Differences {
        let (t0, t1) = (q.t0(), q.t1());
        let zero = [DVec3::ZERO; 5];
        let mut out =
            Differences { start: zero, end: zero, size: zero, input: if t_max == 1.0 { 1.0 } else { 6.0 } };
        for (n, (i, j)) in P::DIFFERENCES[..if P::FACES == 3 { 3 } else { 5 }].iter().enumerate() {
            out.start[n] = t0[*i] - t0[*j];
            out.end[n] = t1[*i] - t1[*j];
            out.size[n] = out.start[n].abs().max(out.end[n].abs());
            if t_max != 1.0 {
                out.end[n] = out.start[n] + (out.end[n] - out.start[n]) * t_max;
            }
        }
        out
    }

    /// Returns the Bernstein coefficients of the cross product of two differences, and S.
    #[inline]
    fn cross(&self, (a, b): (usize, usize)) -> ([DVec3; 3], DVec3) {
        let (a0, a1, b0, b1) = (self.start[a], self.end[a], self.start[b], self.end[b]);
        let (p, q) = (self.size[a], self.size[b]);
        let size = DVec3::new(p.y * q.z + p.z * q.y, p.z * q.x + p.x * q.z, p.x * q.y + p.y * q.x);
        ([a0.cross(b0), (a0.cross(b1) + a1.cross(b0)) * 0.5, a1.cross(b1)], size)
    }
}

/// The cubic over the span, with error bounds.
struct Cubic {
    b: [f64; 4],
    /// The error of the coefficients.
    error: f64,
    /// The error of the coefficients of a piece, and of a value.
    piece_error: f64,
    /// P of the header.
    size: f64,
}

impl Cubic {
    #[inline]
    fn new<P: Pair>(ends: &Differences) -> (Cubic, ([DVec3; 3], DVec3)) {
        let (n, s) = ends.cross(P::NORMAL);
        let (c0, c1) = (ends.start[P::THIRD], ends.end[P::THIRD]);
        let b = [
            c0.dot(n[0]),
            (c1.dot(n[0]) + 2.0 * c0.dot(n[1])) / 3.0,
            (2.0 * c1.dot(n[1]) + c0.dot(n[2])) / 3.0,
            c1.dot(n[2]),
        ];
        let size = ends.size[P::THIRD].dot(s);
        let unit = U * size;
        let error = (3.0 * ends.input + 12.0) * unit + TINY_CUBIC;
        (Cubic { b, error, piece_error: error + 24.0 * unit, size }, (n, s))
    }

    fn value(&self, s: f64) -> f64 {
        let r = 1.0 - s;
        let b = &self.b;
        r * r * (r * b[0] + 3.0 * s * b[1]) + s * s * (3.0 * r * b[2] + s * b[3])
    }

    fn slope(&self, s: f64) -> f64 {
        let r = 1.0 - s;
        let b = &self.b;
        3.0 * (r * r * (b[1] - b[0]) + 2.0 * r * s * (b[2] - b[1]) + s * s * (b[3] - b[2]))
    }

    /// Returns bounds of the slope over `[lo, hi]`: its Bernstein coefficients on that interval, widened. A
    /// difference of coefficients is off by 2 `error` + 2u P, restriction adds 7u of at most 2P; all times 3.
    fn slope_range(&self, lo: f64, hi: f64) -> (f64, f64) {
        let b = &self.b;
        let d = [b[1] - b[0], b[2] - b[1], b[3] - b[2]];
        let e = [blossom(&d, lo, lo), blossom(&d, lo, hi), blossom(&d, hi, hi)].map(|x| 3.0 * x);
        let margin = 3.0 * (2.0 * self.error + 16.0 * U * self.size);
        let widen = 4.0 * U * (e[0].abs() + e[1].abs() + e[2].abs()) + margin;
        (lower_min(lower_min(e[0], e[1]), e[2]) - widen, upper_max(upper_max(e[0], e[1]), e[2]) + widen)
    }
}

fn blossom(q: &[f64; 3], s: f64, t: f64) -> f64 {
    let (r, v) = (1.0 - s, 1.0 - t);
    r * v * q[0] + (s * v + t * r) * q[1] + s * t * q[2]
}

/// All faces, and the error bound of each component.
struct Faces {
    q: [[DVec3; 3]; 4],
    error: [DVec3; 4],
    count: usize,
}

/// The position of the features over a span, from the signs of the faces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// In contact if the points are coplanar.
    Inside,
    /// Not in contact.
    Outside,
    Unknown,
}

impl Faces {
    #[inline]
    fn new<P: Pair>(ends: &Differences, normal: ([DVec3; 3], DVec3)) -> Faces {
        let mut out = Faces { q: [[DVec3::ZERO; 3]; 4], error: [DVec3::ZERO; 4], count: P::FACES };
        let factor = (2.0 * ends.input + 14.0) * U;
        for n in 0..P::FACES {
            let (q, size) = if P::CROSS[n] == P::NORMAL { normal } else { ends.cross(P::CROSS[n]) };
            out.q[n] = q;
            out.error[n] = size * factor + DVec3::splat(TINY_FACE);
        }
        out
    }

    /// Returns the result of the signs over `[lo, hi]`, or over the whole span.
    #[inline]
    fn side(&self, span: Option<(f64, f64)>) -> Side {
        let mut any_positive = 0u32;
        let mut any_negative = 0u32;
        let mut all_positive = 7u32;
        let mut all_negative = 7u32;
        for (q, error) in self.q[..self.count].iter().zip(&self.error) {
            let [a, b, c] = match span {
                None => *q,
                Some((s, t)) => {
                    let (r, v) = (1.0 - s, 1.0 - t);
                    [
                        q[0] * (r * r) + q[1] * (2.0 * s * r) + q[2] * (s * s),
                        q[0] * (r * v) + q[1] * (s * v + t * r) + q[2] * (s * t),
                        q[0] * (v * v) + q[1] * (2.0 * t * v) + q[2] * (t * t),
                    ]
                }
            };
            let positive = a.min(b).min(c).cmpgt(*error).bitmask();
            let negative = a.max(b).max(c).cmplt(-*error).bitmask();
            any_positive |= positive;
            any_negative |= negative;
            all_positive &= positive;
            all_negative &= negative;
        }
        if any_positive & any_negative != 0 {
            Side::Outside
        } else if all_positive | all_negative != 0 {
            Side::Inside
        } else {
            Side::Unknown
        }
    }
}

/// Returns true if all coefficients have one strict sign.
#[inline]
fn one_sign(b: &[f64; 4], error: f64) -> bool {
    let low = b[0].min(b[1]).min(b[2].min(b[3]));
    let high = b[0].max(b[1]).max(b[2].max(b[3]));
    low > error || high < -error
}

/// Step 3 of the header.
fn isolate<P: Pair>(q: &P, t_max: f64, cubic: &Cubic, faces: &Faces) -> Verdict {
    let error = cubic.piece_error;
    // The waiting right halves: one for each halving on the way to the current piece.
    let mut waiting = [(0.0, 0.0, [0.0; 4]); 8];
    waiting[0] = (0.0, 1.0, cubic.b);
    let mut count = 1;
    for _ in 0..PIECES {
        if count == 0 {
            return Verdict::Free(Stage::Float);
        }
        count -= 1;
        let (s0, s1, b) = waiting[count];
        if one_sign(&b, error) || faces.side(Some((s0, s1))) == Side::Outside {
            continue;
        }
        let (first, last) = (certain(b[0], error), certain(b[3], error));
        // There may be a root at an end, and the faces do not prove "outside" at that time: no halving changes this.
        if first.is_none() && faces.side(Some((s0, s0))) != Side::Outside
            || last.is_none() && faces.side(Some((s1, s1))) != Side::Outside
        {
            return Verdict::Unknown;
        }
        if let (Some(first), Some(last)) = (first, last) {
            // There is certainly one sign variation: three would need the first inner coefficient to have the sign of
            // the last one and the second that of the first.
            let single = certain(b[1], error) == Some(first) || certain(b[2], error) == Some(last);
            if first != last && single {
                let Some((lo, hi, root)) = sliver(cubic, (s0, s1), last) else { return Verdict::Unknown };
                match faces.side(Some((lo, hi))) {
                    Side::Outside => continue,
                    Side::Unknown => return Verdict::Unknown,
                    Side::Inside => {
                        return refine(q, t_max, cubic, (lo, hi, root))
                            .map_or(Verdict::Unknown, Verdict::Touch);
                    }
                }
            }
        }
        if s1 - s0 <= NARROWEST {
            return Verdict::Unknown;
        }
        let middle = 0.5 * (s0 + s1);
        let (left, right) = halves(&b);
        waiting[count] = (middle, s1, right);
        waiting[count + 1] = (s0, middle, left);
        count += 2;
    }
    if count == 0 { Verdict::Free(Stage::Float) } else { Verdict::Unknown }
}

pub(super) fn certain(x: f64, error: f64) -> Option<Ordering> {
    if x > error {
        Some(Ordering::Greater)
    } else if x < -error {
        Some(Ordering::Less)
    } else {
        None
    }
}

/// Returns the halves of a cubic, by de Casteljau's algorithm at the middle.
fn halves(b: &[f64; 4]) -> ([f64; 4], [f64; 4]) {
    let (p, q, r) = (0.5 * (b[0] + b[1]), 0.5 * (b[1] + b[2]), 0.5 * (b[2] + b[3]));
    let (x, y) = (0.5 * (p + q), 0.5 * (q + r));
    let m = 0.5 * (x + y);
    ([b[0], p, x, m], [m, y, r, b[3]])
}

/// Returns the single root of the cubic in `(s0, s1)`, and two times around it at which its sign is certain.
fn sliver(cubic: &Cubic, (s0, s1): (f64, f64), last: Ordering) -> Option<(f64, f64, f64)> {
    let rising = last.is_gt();
    let (mut l, mut r) = (s0, s1);
    let (fl, fr) = (cubic.value(l), cubic.value(r));
    let mut s = l - fl * (r - l) / (fr - fl);
    let mut slope = cubic.slope(s);
    for _ in 0..50 {
        if !(s > l && s < r) {
            s = 0.5 * (l + r);
        }
        let f = cubic.value(s);
        if (f > 0.0) == rising {
            r = s
        } else {
            l = s
        }
        slope = cubic.slope(s);
        let next = s - f / slope;
        let done = (next - s).abs() <= 4.0 * f64::EPSILON * s;
        s = next;
        if done || r - l <= f64::EPSILON * r {
            break;
        }
    }
    // At this distance the computed cubic is twice as large as its possible error.
    let mut reach = 2.0 * cubic.piece_error / slope.abs() + 2.0 * f64::EPSILON;
    for _ in 0..3 {
        let (lo, hi) = ((s - reach).max(s0), (s + reach).min(s1));
        let left = lo == s0 || certain(cubic.value(lo), cubic.piece_error) == Some(last.reverse());
        let right = hi == s1 || certain(cubic.value(hi), cubic.piece_error) == Some(last);
        if left && right && lo < hi {
            return Some((lo, hi, s));
        }
        reach *= 8.0;
    }
    None
}

/// Step 4 of the header: returns the root within a few ulps, or `None` if rounding prevents it.
///
/// Mean value theorem: with `t` near the root α and slope values over the sliver in `[d₀, d₁]`, which does not contain
/// 0, `α = t − f(t)/d` for some d in `[d₀, d₁]`. f(t) is computed in double-double, whose operations are off by 8u². A
/// difference at t is `d₀ + t (d₁ − d₀)` with exact d₀, d₁ of magnitude at most m: 8·2m for the subtraction, 8·2m for
/// the product, 8·3m for the sum, 56u²m. A product of two takes 112 + 8, the difference in the cross product 8 more,
/// the third factor 56 + 8 more, two sums 16 more: 208u² P, raised to 256. Rounding f(t) to one `f64` adds u|f(t)|.
fn refine<P: Pair>(q: &P, t_max: f64, cubic: &Cubic, (lo, hi, root): (f64, f64, f64)) -> Option<Bracket> {
    let t = (root * t_max).min(1.0); // not a bound: any time near the root will do
    // t may fall outside the sliver by the rounding of the product: widen the range of the slope to cover it.
    let pad = 4.0 * f64::EPSILON;
    let (d0, d1) = cubic.slope_range((lo.min(root) - pad).max(0.0), (hi.max(root) + pad).min(1.0)); // not a bound: finite
    if d0 <= 0.0 && d1 >= 0.0 {
        return None;
    }
    let value = value_at(q, t);
    let error = 256.0 * U * U * cubic.size + 2.0 * U * value.abs() + TINY_CUBIC;
    // The slope per unit of t is the slope per unit of s over t_max. The quotients have an error of a few u each.
    let quotients = [(value - error) / d0, (value - error) / d1, (value + error) / d0, (value + error) / d1];
    let mut least = f64::INFINITY;
    let mut most = f64::NEG_INFINITY;
    for c in quotients {
        let c = c * t_max;
        let slack = 8.0 * U * c.abs();
        least = lower_min(least, c - slack);
        most = upper_max(most, c + slack);
    }
    let bracket = Bracket { lo: (t - most).next_down().max(0.0), hi: (t - least).next_up().min(t_max) }; // not a bound: NaN becomes an end
    (bracket.hi - bracket.lo <= 4.0 * f64::EPSILON).then_some(bracket)
}

/// Returns the cubic at time t, computed in double-double arithmetic and rounded to `f64` at the end.
fn value_at<P: Pair>(q: &P, t: f64) -> f64 {
    let (t0, t1) = (q.t0(), q.t1());
    let at = |index: usize| {
        let (i, j) = P::DIFFERENCES[index];
        [0, 1, 2].map(|k| {
            let start = DoubleDouble::difference(t0[i][k], t0[j][k]);
            let end = DoubleDouble::difference(t1[i][k], t1[j][k]);
            start.plus(end.minus(start).scaled(t))
        })
    };
    let (a, b, c) = (at(P::NORMAL.0), at(P::NORMAL.1), at(P::THIRD));
    let minor = |i: usize, j: usize| a[i].times(b[j]).minus(a[j].times(b[i]));
    c[0].times(minor(1, 2)).plus(c[1].times(minor(2, 0))).plus(c[2].times(minor(0, 1))).high
}

#[cfg(test)]
#[path = "coplanarity_tests.rs"]
mod tests;
