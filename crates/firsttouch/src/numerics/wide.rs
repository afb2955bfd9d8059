//! Signed integers of any size that live on the stack while they are small.
//!
//! The exact stage of the elementary tests scales the `f64` coordinates of one query to a common power of two and
//! then works with integers only: sums, differences and products, and their signs. Coordinates of ordinary
//! data need 50 to 110 bits, the coefficients of the coplanarity cubic three times that, and only the closed
//! forms for common roots go beyond a thousand bits.
//!
//! 1. Sign and magnitude, least significant limb first, no leading zero limbs; zero has no limbs.
//! 2. Up to [`INLINE`] limbs lie inside the value, more spill to the heap. Nothing can overflow, so no proof
//!    of a bit bound is needed for correctness, only for speed.
//! 3. Schoolbook products: at these sizes nothing else pays.
//!
//! Guarantee: every operation is exact. [`Int::approximate`] is the only one that rounds, and says by how much.

use std::cmp::Ordering;

use smallvec::SmallVec;

/// Limbs kept without an allocation: 12 × 64 = 768 bits, twice the cubic of coordinates with a spread of 110 bits.
const INLINE: usize = 12;

type Limbs = SmallVec<[u64; INLINE]>;

/// An exact signed integer.
///
/// ```
/// use firsttouch::numerics::Int;
/// let a = Int::shifted(3, 200); // 3 · 2^200
/// let b = Int::shifted(-1, 200);
/// assert_eq!(&(&a + &b) - &Int::shifted(1, 201), Int::ZERO);
/// assert!((&a * &b).sign().is_lt());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Int {
    negative: bool,
    limbs: Limbs,
}

impl Int {
    /// Zero.
    pub const ZERO: Int = Int { negative: false, limbs: SmallVec::new_const() };

    /// `value · 2^shift`.
    #[inline]
    pub fn shifted(value: i64, shift: u32) -> Int {
        if value == 0 {
            return Int::ZERO;
        }
        let (skip, bits) = ((shift / 64) as usize, shift % 64);
        let wide = (value.unsigned_abs() as u128) << bits;
        let mut limbs = Limbs::new();
        limbs.resize(skip, 0);
        limbs.push(wide as u64);
        if wide >> 64 != 0 {
            limbs.push((wide >> 64) as u64);
        }
        let mut out = Int { negative: value < 0, limbs };
        out.trim();
        out
    }

    /// Less, equal or greater than zero.
    #[inline]
    pub fn sign(&self) -> Ordering {
        if self.limbs.is_empty() {
            Ordering::Equal
        } else if self.negative {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    }

    /// Whether it is zero.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    /// The number of bits of the magnitude; 0 for zero.
    pub fn bits(&self) -> u32 {
        match self.limbs.last() {
            None => 0,
            Some(top) => self.limbs.len() as u32 * 64 - top.leading_zeros(),
        }
    }

    /// The same magnitude with the other sign.
    pub fn negated(mut self) -> Int {
        self.negative = !self.negative && !self.limbs.is_empty();
        self
    }

    /// `self · 2^shift`.
    pub fn shl(&self, shift: u32) -> Int {
        if self.is_zero() || shift == 0 {
            return self.clone();
        }
        let (skip, bits) = ((shift / 64) as usize, shift % 64);
        let mut limbs = Limbs::new();
        limbs.resize(skip, 0);
        if bits == 0 {
            limbs.extend_from_slice(&self.limbs);
        } else {
            let mut carry = 0;
            for &limb in &self.limbs {
                limbs.push((limb << bits) | carry);
                carry = limb >> (64 - bits);
            }
            if carry != 0 {
                limbs.push(carry);
            }
        }
        Int { negative: self.negative, limbs }
    }

    /// `self · factor`.
    #[inline]
    pub fn scaled(&self, factor: i64) -> Int {
        if self.is_zero() || factor == 0 {
            return Int::ZERO;
        }
        let magnitude = factor.unsigned_abs() as u128;
        let mut limbs = Limbs::new();
        let mut carry = 0u128;
        for &limb in &self.limbs {
            let sum = limb as u128 * magnitude + carry;
            limbs.push(sum as u64);
            carry = sum >> 64;
        }
        if carry != 0 {
            limbs.push(carry as u64);
        }
        Int { negative: self.negative != (factor < 0), limbs }
    }

    /// `self² `.
    pub fn square(&self) -> Int {
        self * self
    }

    /// `self / 2^shift` as an `f64`. The relative error is below 2^-52 (the magnitude is cut to its leading 64 to
    /// 128 bits, then rounded twice), as long as the result is neither subnormal nor infinite; a result below the
    /// smallest subnormal is 0.
    pub fn approximate(&self, shift: u32) -> f64 {
        let n = self.limbs.len();
        if n == 0 {
            return 0.0;
        }
        let high = self.limbs[n - 1] as f64;
        let low = if n > 1 { self.limbs[n - 2] as f64 } else { 0.0 };
        let exponent = (n as i64 - 1) * 64 - shift as i64;
        let magnitude = scale_by_power_of_two(high + low * 2f64.powi(-64), exponent);
        if self.negative { -magnitude } else { magnitude }
    }

    fn trim(&mut self) {
        while self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
        if self.limbs.is_empty() {
            self.negative = false;
        }
    }
}

/// `value · 2^exponent` for any exponent, in two exact steps where one power of two would not fit.
fn scale_by_power_of_two(value: f64, exponent: i64) -> f64 {
    let exponent = exponent.clamp(-2200, 2000) as i32;
    let half = exponent / 2;
    value * 2f64.powi(half) * 2f64.powi(exponent - half)
}

fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

/// |a| + |b| with |a| at least as long.
#[inline]
fn add_magnitudes(a: &[u64], b: &[u64]) -> Limbs {
    let mut out = Limbs::new();
    let mut carry = false;
    for (i, &limb) in a.iter().enumerate() {
        let other = if i < b.len() { b[i] } else { 0 };
        let (sum, over1) = limb.overflowing_add(other);
        let (sum, over2) = sum.overflowing_add(carry as u64);
        out.push(sum);
        carry = over1 | over2;
    }
    if carry {
        out.push(1);
    }
    out
}

/// |a| − |b| for |a| ≥ |b|.
#[inline]
fn subtract_magnitudes(a: &[u64], b: &[u64]) -> Limbs {
    let mut out = Limbs::new();
    let mut borrow = false;
    for (i, &limb) in a.iter().enumerate() {
        let other = if i < b.len() { b[i] } else { 0 };
        let (difference, under1) = limb.overflowing_sub(other);
        let (difference, under2) = difference.overflowing_sub(borrow as u64);
        out.push(difference);
        borrow = under1 | under2;
    }
    out
}

#[inline]
fn signed_sum(a: &Int, b: &Int, flip_b: bool) -> Int {
    let b_negative = b.negative != flip_b;
    if a.is_zero() {
        return Int { negative: b_negative && !b.is_zero(), limbs: b.limbs.clone() };
    }
    if b.is_zero() {
        return a.clone();
    }
    if a.negative == b_negative {
        let (long, short) = if a.limbs.len() >= b.limbs.len() { (a, b) } else { (b, a) };
        return Int { negative: a.negative, limbs: add_magnitudes(&long.limbs, &short.limbs) };
    }
    let mut out = match compare(&a.limbs, &b.limbs) {
        Ordering::Equal => return Int::ZERO,
        Ordering::Greater => Int { negative: a.negative, limbs: subtract_magnitudes(&a.limbs, &b.limbs) },
        Ordering::Less => Int { negative: b_negative, limbs: subtract_magnitudes(&b.limbs, &a.limbs) },
    };
    out.trim();
    out
}

impl std::ops::Add for &Int {
    type Output = Int;
    #[inline]
    fn add(self, other: &Int) -> Int {
        signed_sum(self, other, false)
    }
}

impl std::ops::Sub for &Int {
    type Output = Int;
    #[inline]
    fn sub(self, other: &Int) -> Int {
        signed_sum(self, other, true)
    }
}

impl std::ops::Mul for &Int {
    type Output = Int;
    #[inline]
    fn mul(self, other: &Int) -> Int {
        let (a, b): (&[u64], &[u64]) = (&self.limbs, &other.limbs);
        if a.is_empty() || b.is_empty() {
            return Int::ZERO;
        }
        let mut limbs = Limbs::new();
        limbs.resize(a.len() + b.len(), 0);
        let out: &mut [u64] = &mut limbs;
        for (i, &x) in a.iter().enumerate() {
            let mut carry = 0u128;
            for (slot, &y) in out[i..].iter_mut().zip(b) {
                let sum = x as u128 * y as u128 + *slot as u128 + carry;
                *slot = sum as u64;
                carry = sum >> 64;
            }
            out[i + b.len()] = carry as u64;
        }
        let mut product = Int { negative: self.negative != other.negative, limbs };
        product.trim();
        product
    }
}

/// The integers `x · 2^-exponent` for finite `x`, with the largest exponent for which all are integers.
///
/// Every finite `f64` is `m · 2^e` with an odd integer `m`; the common exponent is the smallest `e` among the
/// numbers that are not zero (0 when all are).
///
/// ```
/// use firsttouch::numerics::{Int, common_scale};
/// let mut out = Vec::new();
/// let exponent = common_scale(&[0.75, -2.0, 0.0], |n| out.push(n)); // 3/4 = 3 · 2^-2
/// assert_eq!(exponent, -2);
/// assert_eq!(out, [Int::shifted(3, 0), Int::shifted(-8, 0), Int::ZERO]);
/// ```
pub fn common_scale(values: &[f64], mut each: impl FnMut(Int)) -> i32 {
    let exponent = values.iter().filter(|x| **x != 0.0).map(|&x| odd_and_exponent(x).1).min().unwrap_or(0);
    for &x in values {
        let (odd, e) = odd_and_exponent(x);
        each(if odd == 0 { Int::ZERO } else { Int::shifted(odd, (e - exponent) as u32) });
    }
    exponent
}

/// `x = odd · 2^exponent` exactly; (0, 0) for zero.
#[inline]
pub(crate) fn odd_and_exponent(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let field = ((bits >> 52) & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | (1 << 52), field - 1075) };
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros();
    let odd = (mantissa >> zeros) as i64;
    (if bits >> 63 != 0 { -odd } else { odd }, exponent + zeros as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_int::IBig;

    fn big(x: &Int) -> IBig {
        let mut sum = IBig::ZERO;
        for &limb in x.limbs.iter().rev() {
            sum = (sum << 64) + IBig::from(limb);
        }
        if x.negative { -sum } else { sum }
    }

    /// Random integers of 0 to 20 limbs, with runs of zeros and ones, so that carries travel far.
    fn draw(state: &mut u64) -> Int {
        let mut next = || {
            *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            *state >> 20
        };
        let n = next() % 20;
        let mut limbs = Limbs::new();
        for _ in 0..n {
            limbs.push(match next() % 4 {
                0 => 0,
                1 => u64::MAX,
                _ => next().wrapping_mul(0x9e3779b97f4a7c15),
            });
        }
        let mut out = Int { negative: next() % 2 == 0, limbs };
        out.trim();
        out
    }

    #[test]
    fn agrees_with_a_general_big_integer() {
        let mut state = 7;
        for _ in 0..20_000 {
            let (a, b) = (draw(&mut state), draw(&mut state));
            assert_eq!(big(&(&a + &b)), big(&a) + big(&b));
            assert_eq!(big(&(&a - &b)), big(&a) - big(&b));
            assert_eq!(big(&(&a * &b)), big(&a) * big(&b));
            let shift = (state >> 50) as u32 % 200;
            assert_eq!(big(&a.shl(shift)), big(&a) << shift as usize);
            assert_eq!(big(&a.scaled(-((state >> 9) as i64))), big(&a) * IBig::from(-((state >> 9) as i64)));
            assert_eq!(a.sign(), big(&a).cmp(&IBig::ZERO));
            assert_eq!((&a - &a), Int::ZERO);
        }
    }

    #[test]
    fn every_f64_becomes_an_exact_integer() {
        for x in [1.0, -0.1, 5e-324, f64::MIN_POSITIVE, 1e60, -3.5e-310, f64::MAX] {
            let (odd, e) = odd_and_exponent(x);
            assert_eq!(odd % 2, if x > 0.0 { 1 } else { -1 });
            let back = Int::shifted(odd, (e + 1074) as u32).approximate(1074);
            assert_eq!(back, x);
        }
        assert_eq!(odd_and_exponent(-0.0), (0, 0));
    }

    #[test]
    fn approximation_is_within_its_bound() {
        let mut state = 3;
        for _ in 0..2000 {
            let a = draw(&mut state);
            if a.is_zero() {
                continue;
            }
            let approx = a.approximate(a.bits());
            assert!((0.4999..=1.0).contains(&approx.abs()));
            // |approx · 2^200 − a · 2^(200 − bits)| ≤ 2^-52 · 2^200, compared as integers.
            let (odd, e) = odd_and_exponent(approx);
            let left = big(&Int::shifted(odd, 0)) << (e + 2000) as usize;
            let right = big(&a) << (2000 - a.bits()) as usize;
            let difference = if left > right { left - right } else { right - left };
            assert!(difference < (IBig::ONE << (2000 - 52)));
        }
    }
}
