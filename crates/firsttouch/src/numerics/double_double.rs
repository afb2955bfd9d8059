//! Numbers of about 106 bits as the unevaluated sum of two `f64`.
//!
//! **Problem.** Evaluate a determinant of differences with a relative error far below an ulp, so that one Newton step
//! from an `f64` guess lands within an ulp of the root. Exact integers would work as well, at several times the cost.
//!
//! 1. `two_sum` and `two_product` return a rounded result and its exact error (Knuth; Dekker and Veltkamp: without a
//!    fused multiply-add, which the plain x86-64 target lacks).
//! 2. Sums and products of pairs keep the leading error term and drop smaller terms.
//!
//! Guarantee, with u = 2^-53: without overflow and underflow, `a + b` is off by at most 8u² (|a| + |b|), `a · b` by at
//! most 8u² |ab|. The sum: both low parts together and the error of the rounded high sum are at most u (|a| + |b|)
//! each. Adding the low parts loses u² of that, adding the error 2u². The last step, exact only where the high sum is
//! not the smaller term, loses 4u². The product: the dropped product of low parts u², and six roundings of terms of
//! size u.
//!
//! Reference: M. Joldes, J.-M. Muller, V. Popescu, Tight and rigorous error bounds for basic building blocks of
//! double-word arithmetic, 2017.

use super::error_free::{two_product, two_sum};

/// `high + low`, with `|low|` at most half an ulp of `high`.
///
/// ```
/// use firsttouch::numerics::double_double::DoubleDouble;
/// let d = DoubleDouble::difference(1.0, 1e-20); // exact
/// assert_eq!((d.high, d.low), (1.0, -1e-20));
/// let e = d.plus(DoubleDouble::from(-1.0));
/// assert_eq!(e.high, -1e-20);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DoubleDouble {
    /// The number rounded to `f64`.
    pub high: f64,
    /// The rounding error.
    pub low: f64,
}

impl From<f64> for DoubleDouble {
    fn from(high: f64) -> Self {
        DoubleDouble { high, low: 0.0 }
    }
}

impl DoubleDouble {
    /// Returns `a − b`, exactly.
    #[inline]
    pub fn difference(a: f64, b: f64) -> DoubleDouble {
        let (high, low) = two_sum(a, -b);
        DoubleDouble { high, low }
    }

    /// Returns `self + other`.
    #[inline]
    pub fn plus(self, other: DoubleDouble) -> DoubleDouble {
        let (sum, error) = two_sum(self.high, other.high);
        renormalised(sum, error + (self.low + other.low))
    }

    /// Returns `self − other`.
    #[inline]
    pub fn minus(self, other: DoubleDouble) -> DoubleDouble {
        self.plus(DoubleDouble { high: -other.high, low: -other.low })
    }

    /// Returns `self · other`.
    #[inline]
    pub fn times(self, other: DoubleDouble) -> DoubleDouble {
        let (product, error) = two_product(self.high, other.high);
        renormalised(product, error + (self.high * other.low + self.low * other.high))
    }

    /// Returns `self · factor`.
    #[inline]
    pub fn scaled(self, factor: f64) -> DoubleDouble {
        let (product, error) = two_product(self.high, factor);
        renormalised(product, error + self.low * factor)
    }
}

#[inline]
fn renormalised(high: f64, low: f64) -> DoubleDouble {
    let sum = high + low;
    DoubleDouble { high: sum, low: low - (sum - high) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_ratio::RBig;

    fn exact(x: DoubleDouble) -> RBig {
        RBig::try_from(x.high).unwrap() + RBig::try_from(x.low).unwrap()
    }

    #[test]
    fn errors_stay_within_the_stated_bounds() {
        let mut state = 1u64;
        let mut draw = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let mantissa = (state >> 11) as f64 / 2f64.powi(52) - 1.0;
            mantissa * 2f64.powi(((state >> 5) % 40) as i32 - 20)
        };
        let u2 = RBig::try_from(2f64.powi(-106)).unwrap();
        let abs = |x: RBig| if x < RBig::ZERO { -x } else { x };
        for _ in 0..5000 {
            let a = DoubleDouble::difference(draw(), draw() * 1e-9);
            let b = DoubleDouble::difference(draw(), draw() * 1e-12);
            let (ea, eb) = (exact(a), exact(b));
            let sum_bound = RBig::from(8) * &u2 * (abs(ea.clone()) + abs(eb.clone()));
            assert!(abs(exact(a.plus(b)) - (&ea + &eb)) <= sum_bound);
            assert!(abs(exact(a.minus(b)) - (&ea - &eb)) <= sum_bound);
            assert!(abs(exact(a.times(b)) - &ea * &eb) <= RBig::from(8) * &u2 * abs(&ea * &eb));
            let f = draw();
            let ef = RBig::try_from(f).unwrap();
            assert!(abs(exact(a.scaled(f)) - &ea * &ef) <= RBig::from(8) * &u2 * abs(&ea * &ef));
        }
    }
}
