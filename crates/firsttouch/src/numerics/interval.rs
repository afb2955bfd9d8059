//! Interval arithmetic: every operation returns an interval that contains the exact result.
//!
//! **Problem.** A proof must not depend on rounded numbers: the exact value must lie between two known ones.
//!
//! **Method.**
//! 1. An [`Interval`] is a closed set of reals `{ x : lo <= x <= hi }`; `lo` may be `-inf`, `hi` may be `+inf`.
//! 2. Each bound is computed in the default rounding mode, to nearest, and moved outwards by one step if it may have
//!    been rounded inwards.
//! 3. A sum is known to be exact if the error term of the two-sum transformation is zero or points inwards; it is
//!    then kept unchanged. Products, quotients and roots are kept unchanged if their factors have at most 26
//!    significant bits, which covers small integers and powers of two. Products with the interval `[0, 0]` are
//!    `[0, 0]`.
//!
//! **Guarantee.** For all reals `x` in `a` and `y` in `b`, `x ∘ y` is in `a ∘ b`, for all magnitudes: overflow turns
//! into an infinite bound, underflow costs one smallest subnormal number, and a divisor that contains zero gives
//! [`Interval::ENTIRE`]. An empty interval cannot be represented. The code relies only on the correctly rounded
//! operations of IEEE 754 (`+ - * /`, square root), never on the accuracy of a mathematical library: sine and cosine
//! are in `sin_cos`. The guarantee would break with a compiler that fuses or reorders floating-point operations (Rust's
//! does not), or with hardware that flushes subnormals to zero.
//!
//! **The step outwards.** With `u = 2^-53` and `eta = 2^-1074`, let `e = fl(fl(u(1 + 2u)|c|) + eta)`. Then `fl(c - e)`
//! is below `c` by at least one floating-point number, for every finite `c`. For `2^k <= |c| < 2^(k+1)` the gap to a
//! neighbour is at most `2^(k-52)`. Rounding is monotone, so `fl(u(1 + 2u)|c|) >= u(1 + 2u)2^k > 2^(k-53)`, more than
//! half the gap, if that is a normal number. Otherwise its rounding loses at most `eta/2`, which `eta` covers. For
//! subnormal `c` the gap is `eta` itself. A value moved by more than half the gap cannot round back. This needs no
//! branch and no integer view of the number.
//!
//! Reference: S. M. Rump, P. Zimmermann, S. Boldo, G. Melquiond, "Computing predecessor and successor in
//! rounding to nearest", BIT 49 (2009), Algorithm 1.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::error_free::two_sum;

/// A closed interval of real numbers, never empty.
///
/// ```
/// use firsttouch::numerics::Interval;
/// let a = Interval::new(1.0, 2.0).unwrap();
/// let b = Interval::new(-3.0, 4.0).unwrap();
/// assert_eq!(a * b, Interval::new(-6.0, 8.0).unwrap());
/// let third = Interval::point(1.0) / Interval::point(3.0);
/// assert!(third.lo() < third.hi() && third.width() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    lo: f64,
    hi: f64,
}

impl Interval {
    /// All real numbers: the value is unknown.
    pub const ENTIRE: Interval = Interval { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
    /// Exactly zero.
    pub const ZERO: Interval = Interval { lo: 0.0, hi: 0.0 };
    /// Exactly one.
    pub const ONE: Interval = Interval { lo: 1.0, hi: 1.0 };
    /// `[-1, 1]`.
    pub const UNIT: Interval = Interval { lo: -1.0, hi: 1.0 };

    /// Returns the interval from `lo` to `hi`. Returns `None` if a bound is NaN, if `lo > hi`, or if both are the
    /// same infinity.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// assert_eq!(Interval::new(1.0, 2.0).unwrap().mid(), 1.5);
    /// assert!(Interval::new(2.0, 1.0).is_none());
    /// assert!(Interval::new(f64::NAN, 1.0).is_none());
    /// ```
    pub fn new(lo: f64, hi: f64) -> Option<Interval> {
        (lo <= hi && lo < f64::INFINITY && hi > f64::NEG_INFINITY).then_some(Interval { lo, hi })
    }

    /// Returns the interval that contains exactly `x`. An infinity stands for a number too large to represent, NaN
    /// for any number.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// assert_eq!(Interval::point(0.5).width(), 0.0);
    /// assert_eq!(Interval::point(f64::INFINITY).lo(), f64::MAX);
    /// ```
    #[inline]
    pub const fn point(x: f64) -> Interval {
        if x.is_nan() {
            Interval::ENTIRE
        } else {
            let (mut lo, mut hi) = (x, x);
            if lo > f64::MAX {
                lo = f64::MAX;
            }
            if hi < f64::MIN {
                hi = f64::MIN;
            }
            Interval { lo, hi }
        }
    }

    /// Returns `[-radius, radius]`; a NaN radius gives [`Interval::ENTIRE`], a negative one counts as positive.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// assert_eq!(Interval::symmetric(2.0), Interval::new(-2.0, 2.0).unwrap());
    /// ```
    #[inline]
    pub fn symmetric(radius: f64) -> Interval {
        if radius.is_nan() { Interval::ENTIRE } else { Interval { lo: -radius.abs(), hi: radius.abs() } }
    }

    /// Creates the interval from bounds that the caller has computed soundly. They must not be NaN.
    #[inline]
    pub(super) fn from_bounds(lo: f64, hi: f64) -> Interval {
        debug_assert!(lo <= hi && lo < f64::INFINITY && hi > f64::NEG_INFINITY, "[{lo}, {hi}]");
        Interval { lo, hi }
    }

    /// Returns the lower bound.
    #[inline]
    pub const fn lo(self) -> f64 {
        self.lo
    }

    /// Returns the upper bound.
    #[inline]
    pub const fn hi(self) -> f64 {
        self.hi
    }

    /// Returns a number inside, close to the middle; always finite.
    ///
    /// ```
    /// assert_eq!(firsttouch::numerics::Interval::new(1.0, 4.0).unwrap().mid(), 2.5);
    /// ```
    #[inline]
    pub fn mid(self) -> f64 {
        if self.lo == self.hi {
            self.lo
        } else if self == Interval::ENTIRE {
            0.0
        } else {
            // Halving first cannot overflow; the clamp covers an infinite bound and a halved subnormal.
            (0.5 * self.lo + 0.5 * self.hi).clamp(f64::MIN, f64::MAX).clamp(self.lo, self.hi)
        }
    }

    /// Returns an upper bound of the distance from [`Interval::mid`] to either end.
    ///
    /// ```
    /// assert_eq!(firsttouch::numerics::Interval::new(1.0, 4.0).unwrap().radius(), 1.5);
    /// ```
    #[inline]
    pub fn radius(self) -> f64 {
        let mid = self.mid();
        add_up(self.hi, -mid).max(add_up(mid, -self.lo))
    }

    /// Returns an upper bound of `hi - lo`.
    ///
    /// ```
    /// assert_eq!(firsttouch::numerics::Interval::new(1.0, 4.0).unwrap().width(), 3.0);
    /// ```
    #[inline]
    pub fn width(self) -> f64 {
        add_up(self.hi, -self.lo)
    }

    /// Returns the largest absolute value.
    ///
    /// ```
    /// assert_eq!(firsttouch::numerics::Interval::new(-3.0, 2.0).unwrap().mag(), 3.0);
    /// ```
    #[inline]
    pub fn mag(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// Returns the smallest absolute value.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// assert_eq!(Interval::new(-3.0, -2.0).unwrap().mig(), 2.0);
    /// assert_eq!(Interval::new(-3.0, 2.0).unwrap().mig(), 0.0);
    /// ```
    #[inline]
    pub fn mig(self) -> f64 {
        if self.lo > 0.0 {
            self.lo
        } else if self.hi < 0.0 {
            -self.hi
        } else {
            0.0
        }
    }

    /// Returns true if `x` is inside; false for NaN and infinities.
    ///
    /// ```
    /// assert!(firsttouch::numerics::Interval::UNIT.contains(-1.0));
    /// ```
    #[inline]
    pub fn contains(self, x: f64) -> bool {
        x.is_finite() && self.lo <= x && x <= self.hi
    }

    /// Returns true if all of `other` is inside.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// assert!(Interval::UNIT.encloses(&Interval::ZERO) && !Interval::ZERO.encloses(&Interval::UNIT));
    /// ```
    #[inline]
    pub fn encloses(&self, other: &Interval) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// Returns the smallest interval around both.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// assert_eq!(Interval::ZERO.hull(Interval::ONE), Interval::new(0.0, 1.0).unwrap());
    /// ```
    #[inline]
    pub fn hull(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Returns the intersection, if it is not empty.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// assert_eq!(Interval::UNIT.intersect(Interval::ONE), Some(Interval::ONE));
    /// assert_eq!(Interval::ZERO.intersect(Interval::ONE), None);
    /// ```
    #[inline]
    pub fn intersect(self, other: Interval) -> Option<Interval> {
        Interval::new(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    /// Returns `{ |x| }`.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// assert_eq!(Interval::new(-3.0, 2.0).unwrap().abs(), Interval::new(0.0, 3.0).unwrap());
    /// ```
    #[inline]
    pub fn abs(self) -> Interval {
        Interval { lo: self.mig(), hi: self.mag() }
    }

    /// Returns `{ min(x, y) }`.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// assert_eq!(Interval::UNIT.min(Interval::ZERO), Interval::new(-1.0, 0.0).unwrap());
    /// ```
    #[inline]
    pub fn min(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.min(other.hi) }
    }

    /// Returns `{ max(x, y) }`.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// assert_eq!(Interval::UNIT.max(Interval::ZERO), Interval::new(0.0, 1.0).unwrap());
    /// ```
    #[inline]
    pub fn max(self, other: Interval) -> Interval {
        Interval { lo: self.lo.max(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Returns `{ x^2 }`, tighter than `x * x` if zero is inside.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// assert_eq!(Interval::new(-3.0, 2.0).unwrap().sqr(), Interval::new(0.0, 9.0).unwrap());
    /// ```
    #[inline]
    pub fn sqr(self) -> Interval {
        let (mig, mag) = (self.mig(), self.mag());
        let (lo, hi) = (mig * mig, mag * mag);
        Interval {
            lo: if mig == 0.0 || short(mig) && unrounded(lo) { lo } else { below(lo).max(0.0) },
            hi: if mag == 0.0 || short(mag) && unrounded(hi) { hi } else { above(hi) },
        }
    }

    /// Returns `{ sqrt(max(x, 0)) }`: numbers below zero count as zero, because the enclosure of a nonnegative
    /// quantity may contain negative numbers.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// assert_eq!(Interval::new(4.0, 9.0).unwrap().sqrt(), Interval::new(2.0, 3.0).unwrap());
    /// assert_eq!(Interval::new(-1e-9, 1.0).unwrap().sqrt(), Interval::new(0.0, 1.0).unwrap());
    /// ```
    #[inline]
    pub fn sqrt(self) -> Interval {
        // The square root is correctly rounded. With at most 26 significant bits its square is exact, and shows if the
        // root is exact; a subnormal radicand is left out because its square could underflow.
        let exact = |x: f64, root: f64| x == 0.0 || unrounded(x) && short(root) && root * root == x;
        let (x_lo, x_hi) = (self.lo.max(0.0), self.hi.max(0.0));
        let (lo, hi) = (x_lo.sqrt(), x_hi.sqrt());
        Interval {
            lo: if exact(x_lo, lo) { lo } else { below(lo).max(0.0) },
            hi: if exact(x_hi, hi) { hi } else { above(hi) },
        }
    }

    /// Returns `{ 1 / x }`; [`Interval::ENTIRE`] if zero is inside.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// assert_eq!(Interval::new(2.0, 4.0).unwrap().recip(), Interval::new(0.25, 0.5).unwrap());
    /// ```
    #[inline]
    pub fn recip(self) -> Interval {
        Interval::ONE / self
    }

    /// Returns `{ sin x }`, for arguments of any size.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// let half = Interval::new(0.0, 3.0).unwrap().sin();
    /// assert!(half.lo() == 0.0 && half.hi() == 1.0);
    /// ```
    pub fn sin(self) -> Interval {
        self.sin_cos().0
    }

    /// Returns `{ cos x }`, for arguments of any size.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// assert_eq!(Interval::ZERO.cos(), Interval::ONE);
    /// ```
    pub fn cos(self) -> Interval {
        self.sin_cos().1
    }

    /// Returns [`Interval::sin`] and [`Interval::cos`] at the cost of one.
    ///
    /// ```
    /// use firsttouch::numerics::Interval;
    /// let (sin, cos) = Interval::new(-1.0, 4.0).unwrap().sin_cos();
    /// assert!(sin.hi() == 1.0 && cos == Interval::UNIT);
    /// ```
    pub fn sin_cos(self) -> (Interval, Interval) {
        super::sin_cos::sin_cos_range(self)
    }

    #[inline]
    fn is_zero(self) -> bool {
        self.lo == 0.0 && self.hi == 0.0
    }

    /// Returns the hull of four products or quotients of bounds. `exact` says that a normal result was not rounded;
    /// `non_negative` and `non_positive` say which signs the operands allow. NaN (`0 * inf`, `inf / inf`) is skipped:
    /// the other bounds cover every limit that it could stand for, `0` and the infinity.
    #[inline]
    fn from_corners(corners: [f64; 4], exact: bool, non_negative: bool, non_positive: bool) -> Interval {
        let lo = corners[0].min(corners[1]).min(corners[2].min(corners[3]));
        let hi = corners[0].max(corners[1]).max(corners[2].max(corners[3]));
        let mut result = Interval {
            lo: if exact && unrounded(lo) { lo } else { below(lo) },
            hi: if exact && unrounded(hi) { hi } else { above(hi) },
        };
        if non_negative {
            result.lo = result.lo.max(0.0);
        }
        if non_positive {
            result.hi = result.hi.min(0.0);
        }
        result
    }
}

impl Neg for Interval {
    type Output = Interval;
    #[inline]
    fn neg(self) -> Interval {
        Interval { lo: -self.hi, hi: -self.lo }
    }
}

impl Add for Interval {
    type Output = Interval;
    #[inline]
    fn add(self, other: Interval) -> Interval {
        Interval { lo: add_down(self.lo, other.lo), hi: add_up(self.hi, other.hi) }
    }
}

impl Sub for Interval {
    type Output = Interval;
    #[inline]
    fn sub(self, other: Interval) -> Interval {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Interval;
    #[inline]
    fn mul(self, other: Interval) -> Interval {
        let (a, b) = (self, other);
        if a.is_zero() || b.is_zero() {
            return Interval::ZERO;
        }
        let exact = short(a.lo) && short(a.hi) && short(b.lo) && short(b.hi);
        Interval::from_corners(
            [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi],
            exact,
            a.lo >= 0.0 && b.lo >= 0.0 || a.hi <= 0.0 && b.hi <= 0.0,
            a.lo >= 0.0 && b.hi <= 0.0 || a.hi <= 0.0 && b.lo >= 0.0,
        )
    }
}

impl Div for Interval {
    type Output = Interval;
    #[inline]
    fn div(self, other: Interval) -> Interval {
        let (a, b) = (self, other);
        if b.lo <= 0.0 && b.hi >= 0.0 {
            return Interval::ENTIRE;
        }
        if a.is_zero() {
            return Interval::ZERO;
        }
        let corners = [a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi];
        // A quotient and a divisor of at most 26 bits each have an exact product, which shows if the quotient is exact.
        let is_exact = |q: f64, x: f64, y: f64| short(q) && short(y) && unrounded(q * y) && q * y == x;
        let exact = is_exact(corners[0], a.lo, b.lo)
            && is_exact(corners[1], a.lo, b.hi)
            && is_exact(corners[2], a.hi, b.lo)
            && is_exact(corners[3], a.hi, b.hi);
        Interval::from_corners(
            corners,
            exact,
            a.lo >= 0.0 && b.lo > 0.0 || a.hi <= 0.0 && b.hi < 0.0,
            a.lo >= 0.0 && b.hi < 0.0 || a.hi <= 0.0 && b.lo > 0.0,
        )
    }
}

macro_rules! with_f64 {
    ($($operator:ident $method:ident),*) => {$(
        impl $operator<f64> for Interval {
            type Output = Interval;
            #[inline]
            fn $method(self, other: f64) -> Interval {
                self.$method(Interval::point(other))
            }
        }
        impl $operator<Interval> for f64 {
            type Output = Interval;
            #[inline]
            fn $method(self, other: Interval) -> Interval {
                Interval::point(self).$method(other)
            }
        }
    )*};
}
with_f64!(Add add, Sub sub, Mul mul, Div div);

/// Returns a lower bound of `a + b`, exact if the sum is known to be. Neither may be `+inf` or NaN.
#[inline]
pub(super) fn add_down(a: f64, b: f64) -> f64 {
    let (s, e) = two_sum(a, b);
    if (0.0..=f64::MAX).contains(&e) { s } else { below(s) }
}

/// Returns an upper bound of `a + b`, exact if the sum is known to be. Neither may be `-inf` or NaN.
#[inline]
pub(super) fn add_up(a: f64, b: f64) -> f64 {
    let (s, e) = two_sum(a, b);
    if (f64::MIN..=0.0).contains(&e) { s } else { above(s) }
}

/// `u(1 + 2u)` with `u = 2^-53`: see the header. With a smaller value, a power of two would round back.
const STEP: f64 = 0.5 * f64::EPSILON * (1.0 + f64::EPSILON);
/// The smallest positive number, `2^-1074`: the absolute error of an underflow.
const ETA: f64 = f64::from_bits(1);

/// Returns at most the number before `c`. `+inf`, the overflow of a finite value, gives the largest number: there the
/// difference is NaN, which `min` skips.
#[inline]
pub(super) fn below(c: f64) -> f64 {
    (c - (STEP * c.abs() + ETA)).min(f64::MAX)
}

/// Returns at least the number after `c`.
#[inline]
pub(super) fn above(c: f64) -> f64 {
    (c + (STEP * c.abs() + ETA)).max(f64::MIN)
}

/// Returns true if `x` has at most 26 significant bits, so that the product of two such numbers is exact unless it
/// overflows or underflows. (A normal number has 53 of them, the first of which is not stored.)
#[inline]
fn short(x: f64) -> bool {
    x.to_bits().trailing_zeros() >= 27
}

/// Returns true if a product of two short numbers with the value `product` is free of overflow and underflow. The
/// smallest normal number is left out: a slightly smaller value may have been rounded up to it.
#[inline]
fn unrounded(product: f64) -> bool {
    product.abs() > f64::MIN_POSITIVE && product.abs() <= f64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(lo: f64, hi: f64) -> Interval {
        Interval::new(lo, hi).unwrap()
    }

    #[test]
    fn the_step_outwards_passes_a_neighbour() {
        let mut checked = 0;
        for exponent in 0..2047u64 {
            for mantissa in [0, 1, 2, 3, (1 << 51) - 1, 1 << 51, (1 << 52) - 2, (1 << 52) - 1] {
                let c = f64::from_bits(exponent << 52 | mantissa);
                for c in [c, -c] {
                    assert!(below(c) <= c.next_down() && above(c) >= c.next_up(), "{c:e}");
                    // At most two numbers further out.
                    assert!(
                        below(c) >= c.next_down().next_down() && above(c) <= c.next_up().next_up(),
                        "{c:e}"
                    );
                    checked += 1;
                }
            }
        }
        assert_eq!(checked, 2047 * 16);
        assert_eq!((below(f64::INFINITY), above(f64::INFINITY)), (f64::MAX, f64::INFINITY));
        assert_eq!((below(f64::NEG_INFINITY), above(f64::NEG_INFINITY)), (f64::NEG_INFINITY, f64::MIN));
    }

    #[test]
    fn infinities_and_zeros() {
        let (inf, max) = (f64::INFINITY, f64::MAX);
        assert_eq!(Interval::ZERO * Interval::ENTIRE, Interval::ZERO);
        assert_eq!(interval(0.0, 1.0) * interval(2.0, inf), interval(0.0, inf));
        assert_eq!(interval(0.0, 1.0) * Interval::ENTIRE, Interval::ENTIRE);
        assert_eq!(interval(1e300, 1e300) * interval(1e300, 1e300), interval(max, inf));
        assert_eq!(Interval::point(max) + Interval::point(max), interval(max, inf));
        assert_eq!(-Interval::point(max) - Interval::point(max), interval(-inf, -max));
        assert_eq!(Interval::ONE / interval(0.0, 1.0), Interval::ENTIRE);
        assert_eq!(Interval::ZERO / Interval::ZERO, Interval::ENTIRE);
        assert_eq!(interval(1.0, inf) / interval(1.0, inf), interval(0.0, inf));
        assert_eq!(Interval::ENTIRE - Interval::ENTIRE, Interval::ENTIRE);
        assert_eq!(interval(-4.0, -1.0).sqrt(), Interval::ZERO);
        assert_eq!(Interval::ENTIRE.sqr(), interval(0.0, inf));
        assert_eq!((Interval::ENTIRE.mid(), Interval::ENTIRE.radius()), (0.0, inf));
        assert!(interval(-inf, 5.0).mid().is_finite() && interval(-max, max).mid() == 0.0);
        assert_eq!(Interval::point(f64::NAN), Interval::ENTIRE);
        assert!(Interval::new(inf, inf).is_none() && Interval::new(-inf, -inf).is_none());
        // The bounds of a product that underflows are not both zero, and lie on the right side of it.
        let tiny = Interval::point(1e-200) * Interval::point(-1e-200);
        assert!(tiny.lo() < 0.0 && tiny.hi() == 0.0);
    }

    #[test]
    fn exact_results_stay_exact() {
        assert_eq!(Interval::point(0.5) + Interval::point(0.25), Interval::point(0.75));
        assert_eq!(Interval::point(0.1) + Interval::ZERO, Interval::point(0.1));
        assert_eq!(Interval::point(3.0) * Interval::point(-7.0), Interval::point(-21.0));
        assert_eq!(Interval::point(21.0) / Interval::point(-7.0), Interval::point(-3.0));
        assert_eq!(Interval::point(1.5).sqr(), Interval::point(2.25));
        assert_ne!(Interval::point(0.1) + Interval::point(0.2), Interval::point(0.1 + 0.2));
    }

    /// Numbers of few bits have exact products, unless these underflow, overflow or have one bit too many.
    #[test]
    fn products_that_only_seem_exact_are_enclosed() {
        use dashu_ratio::RBig;
        let exact = |x: f64| RBig::try_from(x).unwrap();
        let tiny = 2f64.powi(-600);
        let mut rounded = 0;
        let numbers = [
            tiny,
            3.0 * tiny,
            2f64.powi(-480),
            5.0 * 2f64.powi(-594),
            f64::MIN_POSITIVE,
            f64::from_bits(3),
            f64::from_bits(1 << 27),
            67_108_863.0,
            67_108_865.0,
            134_217_729.0,
            268_435_457.0,
            268_435_459.0,
            1e300,
        ];
        for x in numbers {
            for y in numbers {
                for (x, y) in [(x, y), (x, -y), (-x, y), (-x, -y)] {
                    let contains = |range: Interval, value: &RBig| {
                        (range.lo() == f64::NEG_INFINITY || exact(range.lo()) <= *value)
                            && (range.hi() == f64::INFINITY || *value <= exact(range.hi()))
                    };
                    let product = exact(x) * exact(y);
                    assert!(contains(Interval::point(x) * y, &product), "{x:e} * {y:e}");
                    assert!(
                        contains(Interval::point(x).hull(Interval::point(y)) * y, &product),
                        "{x:e} * {y:e}"
                    );
                    let quotient = exact(x) / exact(y);
                    assert!(contains(Interval::point(x) / y, &quotient), "{x:e} / {y:e}");
                    rounded += usize::from(!(x * y).is_finite() || exact(x * y) != product);
                }
            }
            assert!(exact(Interval::point(x).sqr().lo()) <= exact(x) * exact(x), "{x:e}");
        }
        assert!(rounded > 200, "{rounded}");
        assert_eq!(Interval::symmetric(f64::NAN), Interval::ENTIRE);
        assert_eq!(Interval::symmetric(-2.0), interval(-2.0, 2.0));
    }
}
