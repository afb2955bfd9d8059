//! Taylor models: a function of time as a cubic polynomial and a proven remainder.
//!
//! **Problem.** Enclose functions of time such as `cos(w t + p) x + sin(w t + p) y` over a window `[t0, t1]`.
//! Intervals forget that both terms depend on the same `t`; a Taylor model keeps the dependence up to order 3.
//!
//! **Method.**
//! 1. A [`Window`] has a midpoint `m` and a half-width `h`, both floating-point numbers, such that
//!    `s = (t - m)/h`, taken exactly, is in `[-1, 1]` for every `t` in the window.
//! 2. A [`TaylorModel`] is `c0 + c1 s + c2 s^2 + c3 s^3` and a radius `r`: `|f(t) - P(s)| <= r`.
//! 3. Sums and products are those of polynomials. The terms of a product beyond degree 3 are economised: a power is
//!    replaced by its Chebyshev equivalent of lower degree, and the difference is added to the radius,
//!    ```text
//!    s^4 = s^2 - 1/8 + T4/8        s^5 = 5/4 s^3 - 5/16 s + T5/16        |Tn| <= 1 on [-1, 1]
//!    s^6 = 3/2 s^4 - 9/16 s^2 + 1/32 + T6/32     s^7 = 7/4 s^5 - 7/8 s^3 + 7/64 s + T7/64
//!    ```
//! 4. The range is that of the cubic between its critical points, plus or minus the radius.
//!
//! **Guarantee.** The radius contains all parts that were left out: truncated terms, the width of interval
//! coefficients, and the rounding of every coefficient. Overflow leads to the unknown model (infinite radius), never to
//! a wrong one. Models over different windows must not be mixed. A model does not record its window, because that would
//! double the size of a matrix, so this is not checked.
//!
//! **Departures from the paper.** It expands in `t - m` and bounds the remainder by an interval. The scaled `s` makes
//! products independent of the window. Economising leaves 1/4 of the width of a term of degree 4 and 1/16 of degree 5
//! (the ranges of the powers are `[0, 1]` and `[-1, 1]`), and then a symmetric remainder is as tight as an interval.
//! Terms of sine and cosine are used up to degree 7 before they are economised.
//!
//! **Rounding.** `u = 2^-53`. Radii are sums and products of non-negative numbers, computed to nearest in at most
//! 40 operations and then multiplied by `1 + 2^-46`; underflow is covered by `TINY`.
//!
//! Reference: X. Zhang, S. Redon, M. Lee, Y. J. Kim, "Continuous collision detection for articulated models using
//! Taylor models and temporal culling", ACM TOG 26(3) (2007), Sec. 5.1. Eq. 5 lacks its powers `(t - m)^i`.

use std::ops::{Add, Mul, Neg, Sub};

use super::bound::{exceeds, lower_min, upper_max, upper_or_zero};
use super::error_free::two_sum;
use super::interval::{Interval, add_down, add_up};
use super::sin_cos::sin_cos_enclosed;
use crate::error::{Error, Result, finite};

/// A time span, with the scaled variable `s` in `[-1, 1]` in which Taylor models are written.
///
/// ```
/// let window = firsttouch::numerics::Window::new(0.25, 0.75).unwrap();
/// assert_eq!((window.mid(), window.half_width()), (0.5, 0.25));
/// assert!(firsttouch::numerics::Window::new(1.0, 0.0).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    t0: f64,
    t1: f64,
    mid: f64,
    half_width: f64,
}

impl Window {
    /// Creates the window `[t0, t1]`. Returns an error for NaN, infinities and `t0 > t1`.
    pub fn new(t0: f64, t1: f64) -> Result<Window> {
        let t0 = finite(|| "window start".into(), t0)?;
        let t1 = finite(|| "window end".into(), t1)?;
        if t0 > t1 {
            let (what, expected) = ("window end".into(), "at or after its start");
            return Err(Error::OutOfRange { what, expected, value: t1 });
        }
        Ok(Window::between(t0, t1))
    }

    /// Creates the window from `t0` to `t1`, for ends that are known to be finite and in order.
    #[inline]
    pub(crate) fn between(t0: f64, t1: f64) -> Window {
        debug_assert!(t0.is_finite() && t1.is_finite() && t0 <= t1, "[{t0}, {t1}] is not a window");
        let span = Interval::from_bounds(t0, t1);
        Window { t0, t1, mid: span.mid(), half_width: span.radius() }
    }

    /// Returns the first time.
    pub fn t0(&self) -> f64 {
        self.t0
    }

    /// Returns the last time.
    pub fn t1(&self) -> f64 {
        self.t1
    }

    /// Returns the time at which `s` is 0.
    pub fn mid(&self) -> f64 {
        self.mid
    }

    /// Returns an upper bound of `|t - mid|`: the time from `s = 0` to `s = 1`.
    pub fn half_width(&self) -> f64 {
        self.half_width
    }

    /// Returns the window as an interval of time.
    pub fn span(&self) -> Interval {
        Interval::from_bounds(self.t0, self.t1)
    }

    /// Returns an enclosure of `s = (t - mid) / half_width`; `None` if `t` is outside the window.
    ///
    /// ```
    /// let window = firsttouch::numerics::Window::new(1.0, 3.0).unwrap();
    /// assert_eq!(window.scaled(2.5).unwrap().mid(), 0.5);
    /// assert!(window.scaled(3.5).is_none());
    /// ```
    pub fn scaled(&self, t: f64) -> Option<Interval> {
        if !self.span().contains(t) {
            None
        } else if self.half_width == 0.0 {
            Some(Interval::ZERO)
        } else {
            ((Interval::point(t) - self.mid) / self.half_width).intersect(Interval::UNIT)
        }
    }
}

/// `c0 + c1 s + c2 s^2 + c3 s^3 ± r` over a [`Window`].
///
/// ```
/// use firsttouch::numerics::{Interval, TaylorModel, Window};
/// // t (1 - t) over [0, 1] is in [0, 1/4]; interval arithmetic only yields [0, 1].
/// let window = Window::new(0.0, 1.0).unwrap();
/// let t = TaylorModel::affine(Interval::ZERO, Interval::ONE, &window);
/// let one_minus_t = TaylorModel::affine(Interval::ONE, -Interval::ONE, &window);
/// let range = (t * one_minus_t).range();
/// assert!(range.lo() > -1e-14 && (range.hi() - 0.25).abs() < 1e-14);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaylorModel {
    c: [f64; 4],
    r: f64,
}

impl TaylorModel {
    /// Exactly zero.
    pub const ZERO: TaylorModel = TaylorModel { c: [0.0; 4], r: 0.0 };
    /// The unknown function: an infinite radius.
    pub const UNKNOWN: TaylorModel = TaylorModel { c: [0.0; 4], r: f64::INFINITY };

    /// Returns a constant.
    ///
    /// ```
    /// use firsttouch::numerics::{Interval, TaylorModel};
    /// assert_eq!(TaylorModel::constant(Interval::ONE).range(), Interval::ONE);
    /// ```
    #[inline]
    pub fn constant(value: Interval) -> TaylorModel {
        TaylorModel::checked([value.mid(), 0.0, 0.0, 0.0], value.radius())
    }

    /// Returns `a + b t`.
    ///
    /// ```
    /// use firsttouch::numerics::{Interval, TaylorModel, Window};
    /// let window = Window::new(0.0, 2.0).unwrap();
    /// let line = TaylorModel::affine(Interval::ONE, Interval::point(3.0), &window);
    /// assert_eq!(line.range(), Interval::new(1.0, 7.0).unwrap());
    /// ```
    pub fn affine(a: Interval, b: Interval, window: &Window) -> TaylorModel {
        let (c0, c1) = (a + b * window.mid, b * window.half_width);
        TaylorModel::checked([c0.mid(), c1.mid(), 0.0, 0.0], add_up(c0.radius(), c1.radius()))
    }

    /// Returns `sin(phi + w t)` and `cos(phi + w t)`.
    ///
    /// ```
    /// use firsttouch::numerics::{Interval, TaylorModel, Window};
    /// let window = Window::new(0.0, 1.0).unwrap();
    /// let (sin, cos) = TaylorModel::sin_cos_affine(Interval::ZERO, Interval::ONE, &window);
    /// // The identity holds up to the remainders; intervals would give [0.29, 1.71].
    /// let one = (sin * sin + cos * cos).range();
    /// assert!(one.contains(1.0) && one.width() < 0.01);
    /// ```
    pub fn sin_cos_affine(phi: Interval, w: Interval, window: &Window) -> (TaylorModel, TaylorModel) {
        sin_cos_affine(phi, w, window)
    }

    /// Returns the coefficients of `1, s, s^2, s^3`.
    pub fn coefficients(&self) -> [f64; 4] {
        self.c
    }

    /// Returns the radius of the remainder.
    pub fn radius(&self) -> f64 {
        self.r
    }

    /// Returns the value at time `t`; [`Interval::ENTIRE`] for a `t` outside the window.
    ///
    /// ```
    /// use firsttouch::numerics::{Interval, TaylorModel, Window};
    /// let window = Window::new(0.0, 2.0).unwrap();
    /// let line = TaylorModel::affine(Interval::ONE, Interval::point(3.0), &window);
    /// assert_eq!(line.eval(1.5, &window), Interval::point(5.5));
    /// ```
    pub fn eval(&self, t: f64, window: &Window) -> Interval {
        match window.scaled(t) {
            Some(s) if self.r < f64::INFINITY => {
                let [c0, c1, c2, c3] = self.c;
                ((s * c3 + c2) * s + c1) * s + c0 + Interval::symmetric(self.r)
            }
            _ => Interval::ENTIRE,
        }
    }

    /// Returns the range over the window: that of the cubic, up to rounding, plus or minus the radius.
    ///
    /// ```
    /// use firsttouch::numerics::{Interval, TaylorModel, Window};
    /// let window = Window::new(-1.0, 1.0).unwrap();
    /// let t = TaylorModel::affine(Interval::ZERO, Interval::ONE, &window);
    /// let range = (t * t).range();
    /// assert!(range.lo() > -1e-14 && range.hi() < 1.0 + 1e-14);
    /// ```
    pub fn range(&self) -> Interval {
        if self.r < f64::INFINITY {
            cubic_range(self.c) + Interval::symmetric(self.r)
        } else {
            Interval::ENTIRE
        }
    }

    /// Returns the model times a constant.
    ///
    /// ```
    /// use firsttouch::numerics::{Interval, TaylorModel};
    /// let minus_two = TaylorModel::constant(Interval::ONE).scale(-2.0).range();
    /// assert!(minus_two.contains(-2.0) && minus_two.width() < 1e-14);
    /// ```
    #[inline]
    pub fn scale(&self, factor: f64) -> TaylorModel {
        if factor == 1.0 {
            *self
        } else if factor == -1.0 {
            -*self
        } else if factor == 0.0 && self.r < f64::INFINITY || self.is_zero() && factor.is_finite() {
            TaylorModel::ZERO
        } else {
            let c = self.c.map(|c| c * factor);
            // Each product costs u of itself: 2^-53 of the sum, doubled.
            TaylorModel::checked(c, (self.r * factor.abs() + mass(&c) * f64::EPSILON + TINY) * UP)
        }
    }

    /// Returns the model times a constant that is known up to an interval.
    ///
    /// ```
    /// use firsttouch::numerics::{Interval, TaylorModel};
    /// let two = TaylorModel::constant(Interval::point(2.0));
    /// assert!(two.scale_by(Interval::UNIT).range().encloses(&Interval::new(-2.0, 2.0).unwrap()));
    /// ```
    #[inline]
    pub fn scale_by(&self, factor: Interval) -> TaylorModel {
        let radius = factor.radius();
        let scaled = self.scale(factor.mid());
        if radius == 0.0 || self.is_zero() {
            scaled
        } else {
            TaylorModel::checked(scaled.c, (scaled.r + radius * (magnitude(&self.c) + self.r) + TINY) * UP)
        }
    }

    #[inline]
    fn is_zero(&self) -> bool {
        self.c == [0.0; 4] && self.r == 0.0
    }

    /// Creates the model with these numbers, or the unknown one if any of them overflowed. An intermediate overflow
    /// is detected too: an infinity stays one, or becomes NaN, in sums and products.
    #[inline]
    fn checked(c: [f64; 4], r: f64) -> TaylorModel {
        if mass(&c) + r < f64::INFINITY { TaylorModel { c, r } } else { TaylorModel::UNKNOWN }
    }
}

impl Neg for TaylorModel {
    type Output = TaylorModel;
    #[inline]
    fn neg(self) -> TaylorModel {
        TaylorModel { c: self.c.map(|c| -c), r: self.r }
    }
}

impl Add for TaylorModel {
    type Output = TaylorModel;
    /// The errors of the four sums are known exactly and are added to the radius.
    #[inline]
    fn add(self, other: TaylorModel) -> TaylorModel {
        let mut c = [0.0; 4];
        let mut error = 0.0;
        for (c, (&a, &b)) in c.iter_mut().zip(self.c.iter().zip(&other.c)) {
            let (sum, e) = two_sum(a, b);
            *c = sum;
            error += e.abs();
        }
        let r = self.r + other.r + error;
        // Sums of exact models stay exact: the only radius that needs no rounding up is zero (a sum of
        // non-negative numbers is zero only if all of them are).
        TaylorModel::checked(c, r * UP)
    }
}

impl Sub for TaylorModel {
    type Output = TaylorModel;
    #[inline]
    fn sub(self, other: TaylorModel) -> TaylorModel {
        self + -other
    }
}

impl Mul for TaylorModel {
    type Output = TaylorModel;
    /// `(P + p)(Q + q) = PQ + pQ + qP + pq`, with `|p| <= self.r` and `|q| <= other.r`.
    ///
    /// Rounding of `PQ`: each coefficient `d_k` sums at most 4 products (`4u` of the sum of their absolute values).
    /// Economising multiplies `d_4, d_5, d_6` into the others with weights that add up to at most 2.3, through at most
    /// 4 more operations. The truncated terms are off by less than `u`. So the error is at most
    /// `((4 + 4) 2.3 + 1) u < 2^-48` of the sum of all `|a_i b_j|`, which is the product of the masses.
    #[inline]
    fn mul(self, other: TaylorModel) -> TaylorModel {
        if self.is_zero() && other.r < f64::INFINITY || other.is_zero() && self.r < f64::INFINITY {
            return TaylorModel::ZERO;
        }
        let (a, b) = (&self.c, &other.c);
        let d4 = a[1] * b[3] + a[2] * b[2] + a[3] * b[1];
        let d5 = a[2] * b[3] + a[3] * b[2];
        let d6 = a[3] * b[3];
        let t4 = d4 + 1.5 * d6;
        let c = [
            a[0] * b[0] - 0.125 * t4 + 0.03125 * d6,
            a[0] * b[1] + a[1] * b[0] - 0.3125 * d5,
            a[0] * b[2] + a[1] * b[1] + a[2] * b[0] + t4 - 0.5625 * d6,
            a[0] * b[3] + a[1] * b[2] + a[2] * b[1] + a[3] * b[0] + 1.25 * d5,
        ];
        let truncated = 0.125 * t4.abs() + 0.0625 * d5.abs() + 0.03125 * d6.abs();
        let rounding = mass(a) * mass(b) * 3.6e-15 + TINY; // 2^-48
        let carried = self.r * (magnitude(b) + other.r) + other.r * magnitude(a);
        TaylorModel::checked(c, (truncated + rounding + carried) * UP)
    }
}

/// Covers the rounding of a radius: at most 40 operations with a relative error of `2^-53` each.
const UP: f64 = 1.0 + 1.0 / (1u64 << 46) as f64;

/// Covers underflow: a hundred products that each lose at most `2^-1074`. It is far above that, so that no radius is
/// ever subnormal, which is slow; and far below any length.
const TINY: f64 = 1e-290;

/// Returns the sum of the absolute values of the coefficients.
#[inline]
fn mass(c: &[f64; 4]) -> f64 {
    (c[0].abs() + c[1].abs()) + (c[2].abs() + c[3].abs())
}

/// Returns an upper bound, up to rounding, of `|P|` on `[-1, 1]`: the even and the odd part are linear in `s^2`, the
/// latter times `s`.
#[inline]
fn magnitude(c: &[f64; 4]) -> f64 {
    let part = |a: f64, b: f64| upper_max(a.abs(), (a + b).abs());
    part(c[0], c[2]) + part(c[1], c[3])
}

/// Returns an interval that contains the cubic's values on `[-1, 1]`.
///
/// Split `[-1, 1]` near the critical points, as computed by the square root, or at the inflection if there are none.
/// Between two neighbours `p < q` the cubic is monotone, or nearly: let `v` be the smaller of `max P'` and `max -P'`
/// over `[p, q]`, or 0. If it is the latter, `P(s) + v s` increases, so `P(s) <= P(q) + v (q - s)` and
/// `P(s) >= P(p) - v (s - p)`; the former case is symmetric. So the values are between those at the ends, plus or minus
/// `v (q - p)`. This holds for any split; a good one makes `v` vanish.
///
/// The extremes of `P'` over a piece: where it is convex (`c3 >= 0`) its maximum is at an end. Its minimum is below
/// both ends by no more than `w (q - p)`, by the argument above one derivative higher; `w` vanishes unless the
/// inflection is inside. For `c3 < 0` the two change places. `P''` is linear.
fn cubic_range(c: [f64; 4]) -> Interval {
    let [c0, c1, c2, c3] = c;
    let point = Interval::point;
    let (even, odd) = (point(c0) + point(c2), point(c1) + point(c3));
    let ends = (even + odd).hull(even - odd);
    // Monotone: |P'| >= |c1| - 2|c2| - 3|c3|, with a margin for its own rounding.
    if c1.abs() >= (2.0 * c2.abs() + 3.0 * c3.abs()) * (1.0 + 8.0 * f64::EPSILON) {
        return if c1 == 0.0 { point(c0) } else { ends };
    }
    let mass = mass(&c);
    // This includes NaN.
    if !exceeds(1e300, mass) {
        return Interval::symmetric(mass * UP);
    }
    // P' = c1 + 2 c2 s + 3 c3 s^2. The root without cancellation first, the other from the product of both.
    // Infinities and NaN (c3 = 0) become a border.
    let discriminant = c2 * c2 - 3.0 * c1 * c3;
    let (a, b) = if discriminant > 0.0 {
        let sum = -(c2 + discriminant.sqrt().copysign(c2));
        (sum / (3.0 * c3), c1 / sum)
    } else {
        (-c2 / (3.0 * c3), 1.0)
    };
    let border = |s: f64| if s > -1.0 { s.min(1.0) } else { -1.0 }; // not a bound: where to split
    let (a, b) = (border(a), border(b));

    // Rounding at |s| <= 1, with A the mass: P takes 6 operations on at most A (6u A), P' 5 on at most 3A,
    // P'' 3 on at most 6A (18u A). TINY covers underflow.
    let (value_error, slope_error) = (8.0 * 1.2e-16 * mass + TINY, 32.0 * 1.2e-16 * mass + TINY);
    let at = |s: f64| {
        let value = ((c3 * s + c2) * s + c1) * s + c0;
        (value, (3.0 * c3 * s + 2.0 * c2) * s + c1, 6.0 * c3 * s + 2.0 * c2)
    };
    // No value below is NaN: the mass is less than 1e300, and 6 times that is finite.
    let (mut lo, mut hi) = (ends.lo(), ends.hi());
    let (mut p, mut start) = (-1.0, at(-1.0));
    for q in [a.min(b), a.max(b), 1.0] {
        if q == p {
            continue;
        }
        let (end, length) = (at(q), q - p);
        let (bend_min, bend_max) = (start.2.min(end.2) - slope_error, start.2.max(end.2) + slope_error); // not a bound: finite
        let bow = upper_or_zero(if bend_max < -bend_min { bend_max } else { -bend_min }) * length * UP;
        let (below, above) = if c3 >= 0.0 { (bow, 0.0) } else { (0.0, bow) };
        let slope_min = start.1.min(end.1) - (slope_error + below); // not a bound: finite
        let slope_max = start.1.max(end.1) + (slope_error + above); // not a bound: finite
        let steepest = upper_or_zero(if slope_max < -slope_min { slope_max } else { -slope_min });
        let margin = (value_error + steepest * length) * UP;
        lo = lower_min(lo, add_down(start.0.min(end.0), -margin)); // not a bound: finite
        hi = upper_max(hi, add_up(start.0.max(end.0), margin)); // not a bound: finite
        (p, start) = (q, end);
    }
    Interval::from_bounds(lo, hi)
}

/// Let `a` and `b` be the midpoints of `phi + w m` and `w h`. Sine and cosine have slope at most 1, so replacing the
/// intervals by their midpoints costs at most the sum of the two radii. Then, with `S = sin a`, `C = cos a`,
/// ```text
/// sin(a + b s) = S cos(b s) + C sin(b s)        cos(a + b s) = C cos(b s) - S sin(b s)
/// cos(b s) = 1 - b^2/2 s^2 + b^4/24 s^4 - b^6/720 s^6 + [0, b^8/40320]
/// sin(b s) = b s - b^3/6 s^3 + b^5/120 s^5 - b^7/5040 s^7 ± |b|^9/362880
/// ```
/// for every real `b` (the series alternates, and integrating `cos <= 1` repeatedly yields the bounds). The terms of
/// degree 4 to 7 are economised as in the header. If the result is worse than `0 ± 1`, that is returned.
///
/// Rounding of the economised coefficients: each is a sum of at most 4 terms, with at most 12 roundings in a term
/// (`b^7/5040`, its rounded constants counted) and weights of at most 3.8 in all (degree 7): `(12 + 4) 3.8 u < 2^-47`
/// of the sum of the absolute terms. The leading terms `1` and `b s` only pass two subtractions: `4u`.
fn sin_cos_affine(phi: Interval, w: Interval, window: &Window) -> (TaylorModel, TaylorModel) {
    let (angle, half_turn) = (phi + w * window.mid, w * window.half_width);
    let (a, b) = (angle.mid(), half_turn.mid());
    let spread = add_up(angle.radius(), half_turn.radius());
    let (sin_a, cos_a) = sin_cos_enclosed(a);

    let b2 = b * b;
    let d2 = b2 * 0.5;
    let d3 = b * b2 * (1.0 / 6.0);
    let d4 = b2 * b2 * (1.0 / 24.0);
    let d5 = d4 * b * (1.0 / 5.0);
    let d6 = d4 * b2 * (1.0 / 30.0);
    let d7 = d5 * b2 * (1.0 / 42.0);
    let t4 = d4 - 1.5 * d6;
    let t5 = d5 - 1.75 * d7;
    let even = (1.0 - 0.125 * t4 - 0.03125 * d6, t4 + 0.5625 * d6 - d2);
    let odd = (b - 0.3125 * t5 - 0.109375 * d7, 1.25 * t5 + 0.875 * d7 - d3);
    let even_error =
        0.125 * t4.abs() + 0.03125 * d6 + d6 * b2 * (1.0 / 56.0) + 4.5e-16 + 7.2e-15 * (d2 + d4 + d6);
    let odd_error = 0.0625 * t5.abs()
        + 0.015625 * d7.abs()
        + d7.abs() * b2 * (1.0 / 72.0)
        + 4.5e-16 * b.abs()
        + 7.2e-15 * (d3.abs() + d5.abs() + d7.abs())
        + TINY;

    // p cos(b s) + q sin(b s); |cos(b s)|, |sin(b s)| <= 1 carry the radii of p and q.
    let combine = |p: Interval, q: Interval| {
        let (pc, qc) = (p.mid(), q.mid());
        let c = [pc * even.0, qc * odd.0, pc * even.1, qc * odd.1];
        let truncated = pc.abs() * even_error + qc.abs() * odd_error;
        let r = spread + p.radius() + q.radius() + truncated + f64::EPSILON * mass(&c) + TINY;
        if r * UP < 1.0 { TaylorModel::checked(c, r * UP) } else { TaylorModel { c: [0.0; 4], r: 1.0 } }
    };
    if b == 0.0 && spread == 0.0 {
        (TaylorModel::constant(sin_a), TaylorModel::constant(cos_a))
    } else {
        (combine(sin_a, cos_a), combine(cos_a, -sin_a))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_ratio::RBig;

    fn exact(x: f64) -> RBig {
        RBig::try_from(x).unwrap()
    }

    /// Returns the cubic at `s`, in rationals.
    fn at(c: &[f64; 4], s: f64) -> RBig {
        let s = exact(s);
        c.iter().rev().fold(RBig::ZERO, |sum, &c| sum * &s + exact(c))
    }

    /// Returns a number in [-1, 1], from a multiplicative generator.
    fn draw(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    #[test]
    fn range_of_a_cubic_is_sound_and_tight() {
        let mut state = 7;
        for case in 0..2000 {
            // The sizes of the coefficients range from equal to very different, with zeros.
            let mut c = [0.0; 4].map(|_: f64| {
                let exponent = if case % 2 == 0 { 0 } else { (draw(&mut state) * 60.0) as i32 };
                draw(&mut state) * 2f64.powi(exponent)
            });
            if case % 5 == 0 {
                c[case / 5 % 4] = 0.0;
            }
            // A double critical point: P' = 3 (s - p)^2.
            if case % 7 == 0 {
                let p = draw(&mut state);
                c = [c[0], 3.0 * p * p, -3.0 * p, 1.0];
            }
            let range = cubic_range(c);
            let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
            for i in 0..=256 {
                let s = f64::from(i) / 128.0 - 1.0;
                let value = at(&c, s);
                assert!(exact(range.lo()) <= value && value <= exact(range.hi()), "{c:?} at {s}");
                let value = value.to_f64().value();
                (lo, hi) = (lo.min(value), hi.max(value));
            }
            // Between two samples a cubic deviates by at most P''/8 times the squared step.
            let slack = 6.0 * mass(&c) / 8.0 / 128.0 / 128.0 + 1e-13 * mass(&c);
            assert!(lo - range.lo() <= slack && range.hi() - hi <= slack, "{c:?}: {range:?} [{lo}, {hi}]");
        }
    }

    /// Near the largest number the derivative overflows, and an infinite slope at one end of a piece and NaN at the
    /// other seemed monotone.
    #[test]
    fn range_of_a_huge_cubic() {
        for c in
            [[0.0, -0.79e308, 0.0, 1e308], [0.0, 1e308, -0.5e308, -0.2e308], [1e300, -2e300, 1e300, 2e300]]
        {
            let range = cubic_range(c);
            for i in 0..=256 {
                let value = at(&c, f64::from(i) / 128.0 - 1.0);
                assert!(exact(range.lo()) <= value && value <= exact(range.hi()), "{c:?} {range:?}");
            }
        }
    }

    #[test]
    fn arithmetic_of_models_is_exact_up_to_the_radius() {
        let mut state = 11;
        for case in 0..3000 {
            let model = |state: &mut u64| {
                let scale = [1.0, 1e-200, 1e150, 1e-3][case % 4];
                TaylorModel::checked([0.0; 4].map(|_: f64| draw(state) * scale), 0.0)
            };
            let (f, g) = (model(&mut state), model(&mut state));
            let factor = draw(&mut state) * 3.0;
            let (product, sum, scaled) = (f * g, f + g, f.scale(factor));
            for _ in 0..4 {
                let s = draw(&mut state);
                let (p, q) = (at(&f.c, s), at(&g.c, s));
                let check = |model: &TaylorModel, value: RBig| {
                    let distance = at(&model.c, s) - value;
                    let r = exact(model.r);
                    assert!(distance <= r && distance >= -r, "{model:?} at {s}");
                };
                check(&product, &p * &q);
                check(&sum, &p + &q);
                check(&scaled, p * exact(factor));
            }
        }
    }

    #[test]
    fn overflow_is_unknown_and_never_wrong() {
        let huge = TaylorModel::constant(Interval::point(1e300));
        assert_eq!(huge * huge, TaylorModel::UNKNOWN);
        assert_eq!(TaylorModel::UNKNOWN * TaylorModel::ZERO, TaylorModel::UNKNOWN);
        assert_eq!(TaylorModel::UNKNOWN.range(), Interval::ENTIRE);
        assert_eq!((huge + huge.scale(1e9)).range(), Interval::ENTIRE);
        let window = Window::new(-1e308, 1e308).unwrap();
        let (sin, _) = TaylorModel::sin_cos_affine(Interval::ONE, Interval::ONE, &window);
        assert_eq!(sin.range(), Interval::UNIT);
        let (sin, cos) = TaylorModel::sin_cos_affine(Interval::ENTIRE, Interval::ONE, &window);
        assert_eq!((sin.range(), cos.range()), (Interval::UNIT, Interval::UNIT));
        assert_eq!(TaylorModel::affine(Interval::ZERO, Interval::point(1e10), &window), TaylorModel::UNKNOWN);
    }

    #[test]
    fn a_window_of_one_instant() {
        let window = Window::new(0.3, 0.3).unwrap();
        assert_eq!((window.mid(), window.half_width()), (0.3, 0.0));
        let (sin, cos) = TaylorModel::sin_cos_affine(Interval::ZERO, Interval::ONE, &window);
        let (sin_t, cos_t) = sin_cos_enclosed(0.3);
        assert!(sin.range().encloses(&sin_t) && cos.range().encloses(&cos_t));
        assert!(sin.range().width() < 1e-14 && cos.eval(0.3, &window).width() < 1e-14);
    }

    /// Squares of coefficients of 1e200 overflow and those of 1e-200 underflow: the range is then split at the wrong
    /// places, and the margins must cover that.
    #[test]
    fn range_of_a_cubic_is_sound_where_it_is_split_badly() {
        let mut state = 19;
        let mut beyond_ends = 0;
        for case in 0..500 {
            let scale = [1e200, 1e-200, 1e155, 1e-155, 1.0][case % 5];
            let mut c = [0.0; 4].map(|_: f64| draw(&mut state));
            // Both critical points inside, close together or far apart.
            if case % 2 == 0 {
                let (p, q) = (draw(&mut state), draw(&mut state) * [1.0, 1e-4, 1e-8][case / 2 % 3]);
                let (p, q) = (0.9 * p, 0.9 * p + q);
                // Or both in the same half, and the first of them higher than the end.
                let high = 0.1 + 0.5 * p.abs();
                let low = high + (1.0 - high) * (0.75 + 0.2 * draw(&mut state).abs());
                let (p, q) = if case % 4 == 0 { (high, low) } else { (p, q) };
                c = [c[0] * 1e-3, p * q, -0.5 * (p + q), 1.0 / 3.0];
            }
            let c = c.map(|c| c * scale);
            let range = cubic_range(c);
            let mut is_beyond = false;
            let ends = [at(&c, -1.0), at(&c, 1.0)];
            for i in 0..=64 {
                let s = f64::from(i) / 32.0 - 1.0;
                let value = at(&c, s);
                assert!(exact(range.lo()) <= value && value <= exact(range.hi()), "{c:?} at {s}");
                is_beyond |= ends.iter().all(|end| value > *end) || ends.iter().all(|end| value < *end);
            }
            // At the critical points themselves, as closely as `f64` can tell.
            if case % 2 == 0 && scale == 1.0 {
                for s in [c[1], -c[2]] {
                    let value = at(&c, s);
                    assert!(exact(range.lo()) <= value && value <= exact(range.hi()), "{c:?} at {s}");
                }
            }
            beyond_ends += usize::from(is_beyond);
        }
        assert!(beyond_ends > 150, "{beyond_ends}");
    }

    /// A function within its radius of the polynomial, at its worst: all operations keep it.
    #[test]
    fn radii_are_carried_through_all_operations() {
        let mut state = 23;
        let window = Window::new(0.25, 1.5).unwrap();
        let mut attained = [0; 4];
        for case in 0..400 {
            let mut model = |r: f64| TaylorModel::checked([0.0; 4].map(|_: f64| draw(&mut state)), r);
            // One of the two may be known exactly, or be mostly radius.
            let (r, q) = [(0.5, 0.0), (0.0, 0.5), (0.25, 0.5), (3.0, 2.0)][case % 4];
            let (f, g) = (model(r), model(q));
            let [a, b] = [draw(&mut state), draw(&mut state)];
            let factor = Interval::new(a.min(b), a.max(b)).unwrap();
            let (sum, product, scaled, scaled_by) = (f + g, f * g, f.scale(a), f.scale_by(factor));
            let line = TaylorModel::affine(factor, Interval::new(-0.5, 0.75).unwrap(), &window);
            for s in [-1.0, 1.0, draw(&mut state), draw(&mut state)] {
                let inside = |model: &TaylorModel, value: RBig, which: usize, attained: &mut [usize; 4]| {
                    let distance = at(&model.c, s) - value;
                    let distance = if distance < RBig::ZERO { -distance } else { distance };
                    assert!(distance <= exact(model.r), "case {case}, operation {which}: {model:?} at {s}");
                    attained[which] += usize::from(distance > exact(model.r) * exact(0.7));
                };
                for (x, y) in [(r, q), (r, -q), (-r, q), (-r, -q)] {
                    let (f, g) = (at(&f.c, s) + exact(x), at(&g.c, s) + exact(y));
                    inside(&sum, &f + &g, 0, &mut attained);
                    inside(&product, &f * &g, 1, &mut attained);
                    inside(&scaled, &f * exact(a), 2, &mut attained);
                    inside(&scaled_by, &f * exact(a), 3, &mut attained);
                    inside(&scaled_by, &f * exact(b), 3, &mut attained);
                }
                // The range contains the polynomial and its radius.
                let (range, value) = (f.range(), at(&f.c, s));
                assert!(exact(range.lo()) <= &value - exact(r) && value + exact(r) <= exact(range.hi()));
                // A line with coefficients that are known up to an interval.
                let t = window.mid() + s * window.half_width();
                for (a, b) in [(a.min(b), -0.5), (a.max(b), 0.75), (a, 0.75), (b, -0.5)] {
                    let value = exact(a) + exact(b) * exact(t);
                    let off = at(&line.c, s) - value;
                    let off = if off < RBig::ZERO { -off } else { off };
                    assert!(off <= exact(line.r * (1.0 + 1e-12)), "{line:?} at {s}");
                }
            }
            let t = window.mid();
            let value = f.eval(t, &window);
            assert!(value.lo() <= f.c[0] - r && f.c[0] + r <= value.hi());
        }
        assert!(attained.iter().all(|&n| n > 100), "{attained:?}");
    }

    /// A product of two lines truncates nothing: its radius is rounding alone.
    #[test]
    fn products_of_lines_are_exact_up_to_rounding() {
        let mut state = 31;
        let mut inexact = 0;
        for _ in 0..1000 {
            let [a, b, c, d] = [0; 4].map(|_| draw(&mut state));
            let line = |a: f64, b: f64| TaylorModel::checked([a, b, 0.0, 0.0], 0.0);
            let product = line(a, b) * line(c, d);
            for s in [-1.0, 1.0, draw(&mut state)] {
                let off =
                    at(&product.c, s) - (exact(a) + exact(b) * exact(s)) * (exact(c) + exact(d) * exact(s));
                inexact += usize::from(off != RBig::ZERO);
                let off = if off < RBig::ZERO { -off } else { off };
                assert!(off <= exact(product.r) && product.r < 1e-13, "{a} {b} {c} {d} at {s}");
            }
        }
        assert!(inexact > 2000, "{inexact}");
    }

    #[test]
    fn range_of_a_cubic_near_overflow_is_sound() {
        let mut state = 37;
        for _ in 0..200 {
            let c = [0.0; 4].map(|_: f64| draw(&mut state) * 4e307);
            let range = cubic_range(c);
            for i in 0..=16 {
                let value = at(&c, f64::from(i) / 8.0 - 1.0);
                assert!(range.lo() == f64::NEG_INFINITY || exact(range.lo()) <= value, "{c:?}");
                assert!(range.hi() == f64::INFINITY || value <= exact(range.hi()), "{c:?}");
            }
        }
    }

    /// Sine and cosine of angles that are known up to an interval, over up to a full turn: the truncated terms and the
    /// spread of the angle are attained somewhere.
    #[test]
    fn sine_and_cosine_stay_within_their_radius() {
        let mut state = 29;
        let window = Window::new(-1.0, 1.0).unwrap();
        let mut attained = 0;
        for case in 0..900 {
            let wide = |state: &mut u64, middle: f64, size: f64| {
                let radius = draw(state).abs() * size;
                Interval::new(middle - radius, middle + radius).unwrap()
            };
            let spreads = [(0.0, 0.0), (0.2, 0.0), (0.0, 0.2)][case % 3];
            let (a, b) = (draw(&mut state) * 4.0, draw(&mut state) * [0.3, 1.0, 2.2][case / 3 % 3]);
            let (phi, w) = (wide(&mut state, a, spreads.0), wide(&mut state, b, spreads.1));
            let (sin, cos) = TaylorModel::sin_cos_affine(phi, w, &window);
            for i in 0..=32 {
                let s = f64::from(i) / 16.0 - 1.0;
                for angle in [
                    phi.lo() + w.lo() * s,
                    phi.lo() + w.hi() * s,
                    phi.hi() + w.lo() * s,
                    phi.hi() + w.hi() * s,
                ] {
                    let (exact_sin, exact_cos) = sin_cos_enclosed(angle);
                    for (model, exactly) in [(&sin, exact_sin), (&cos, exact_cos)] {
                        let [c0, c1, c2, c3] = model.c;
                        let off = (((c3 * s + c2) * s + c1) * s + c0 - exactly.mid()).abs();
                        assert!(off <= model.r + 1e-14, "{phi:?} {w:?} at {s}: {off} > {}", model.r);
                        attained += usize::from(off > 0.8 * model.r && model.r > 1e-12);
                    }
                }
            }
        }
        assert!(attained > 300, "{attained}");
    }
}
