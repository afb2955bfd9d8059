//! Signed integers of any size that are stored on the stack while they are small.
//!
//! The exact stage of the elementary tests scales the `f64` coordinates of one query to a common power of two and
//! then works with integers only: sums, differences and products, and their signs. Coordinates of ordinary data need
//! 50 to 110 bits, the coefficients of the coplanarity cubic three times that, and only the closed forms for common
//! roots go beyond a thousand bits.
//!
//! 1. A number that fits an `i128` is stored as one. Any other is a sign and a magnitude, least significant limb
//!    first, without leading zero limbs. The form is unique, so equality is that of the representations.
//! 2. Up to [`INLINE`] limbs are stored inside the value, more on the heap. No operation can overflow, so a bit bound
//!    matters only for speed, not for correctness.
//! 3. Products use the schoolbook method: at these sizes no other method pays off.
//!
//! **Guarantee.** Every operation is exact. [`Int::approximate`] is the only one that rounds, and its error is
//! documented.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::portable::power_of_two;

/// The number of limbs kept without an allocation: 8 × 64 = 512 bits, more than the cubic of coordinates with a
/// spread of 150 bits. A larger number costs more in copying than it saves in allocations.
const INLINE: usize = 8;

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
pub struct Int(Form);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    Small(i128),
    /// Only for magnitudes of 2^127 and more.
    Large {
        negative: bool,
        limbs: Limbs,
    },
}

use Form::{Large, Small};

impl Int {
    /// Zero.
    pub const ZERO: Int = Int(Small(0));

    /// Returns `value · 2^shift`.
    #[inline]
    pub fn shifted(value: i64, shift: u32) -> Int {
        if shift <= 63 { Int(Small((value as i128) << shift)) } else { Int(Small(value as i128)).shl(shift) }
    }

    /// Creates a number below 2^127 in magnitude, as products of two `i64` and short sums of them are.
    #[inline]
    pub(crate) fn from_product(value: i128) -> Int {
        debug_assert!(value != i128::MIN);
        Int(Small(value))
    }

    /// Returns `x · 2^-exponent` for a finite `x` for which that is an integer, see [`common_exponent`].
    #[inline]
    pub fn scaled_from(x: f64, exponent: i32) -> Int {
        let (odd, e) = odd_and_exponent(x);
        if odd == 0 { Int::ZERO } else { Int::shifted(odd, (e - exponent).max(0) as u32) } // not a bound: a shift
    }

    /// Compares the number with zero.
    #[inline]
    pub fn sign(&self) -> Ordering {
        match &self.0 {
            Small(x) => x.cmp(&0),
            Large { negative: true, .. } => Ordering::Less,
            Large { .. } => Ordering::Greater,
        }
    }

    /// Returns true if the number is zero.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0))
    }

    /// Returns the number of bits of the magnitude; 0 for zero.
    #[inline]
    pub fn bits(&self) -> u32 {
        match &self.0 {
            Small(x) => small_bits(*x),
            Large { limbs, .. } => {
                limbs.len() as u32 * 64 - limbs.last().map_or(0, |top| top.leading_zeros())
            }
        }
    }

    /// Returns the number with the opposite sign.
    pub fn negated(self) -> Int {
        match self.0 {
            // The smallest i128 is −2^127, whose opposite is large: magnitudes of 2^127 never are small (see
            // `from_limbs`).
            Small(x) => Int(Small(-x)),
            Large { negative, limbs } => Int(Large { negative: !negative, limbs }),
        }
    }

    /// Returns `self · 2^shift`.
    #[inline]
    pub fn shl(&self, shift: u32) -> Int {
        if let Small(x) = self.0
            && (x == 0 || small_bits(x) + shift <= 127)
        {
            return if x == 0 { Int::ZERO } else { Int(Small(x << shift)) };
        }
        self.shl_large(shift)
    }

    fn shl_large(&self, shift: u32) -> Int {
        let mut buffer = [0; 2];
        let (negative, source) = self.view(&mut buffer);
        let (skip, bits) = ((shift / 64) as usize, shift % 64);
        let mut limbs = zeros(source.len() + skip + 1);
        let out = &mut limbs[skip..];
        if bits == 0 {
            out[..source.len()].copy_from_slice(source);
        } else {
            let mut carry = 0;
            for (slot, &limb) in out.iter_mut().zip(source) {
                *slot = (limb << bits) | carry;
                carry = limb >> (64 - bits);
            }
            out[source.len()] = carry;
        }
        from_limbs(negative, limbs)
    }

    /// Returns `self · factor`.
    #[inline]
    pub fn scaled(&self, factor: i64) -> Int {
        self * &Int(Small(factor as i128))
    }

    /// Returns `self²`.
    pub fn square(&self) -> Int {
        self * self
    }

    /// Returns `self / 2^shift` as an `f64`. The relative error is below 2^-52 (the magnitude is cut to its leading 64
    /// to 128 bits, whose halves and sum are rounded once each), if the result is neither subnormal nor infinite. A
    /// result below the smallest subnormal is 0.
    #[inline]
    pub fn approximate(&self, shift: u32) -> f64 {
        match &self.0 {
            Small(x) => {
                // Two conversions of 64 bits are much faster than one of 128.
                let magnitude = x.unsigned_abs();
                let leading = (magnitude >> 64) as u64 as f64 * power_of_two(64) + magnitude as u64 as f64;
                let magnitude = scale_by_power_of_two(leading, -(shift as i64));
                if *x < 0 { -magnitude } else { magnitude }
            }
            Large { negative, limbs } => {
                let n = limbs.len();
                let leading = limbs[n - 1] as f64 + limbs[n - 2] as f64 * power_of_two(-64);
                let magnitude = scale_by_power_of_two(leading, (n as i64 - 1) * 64 - shift as i64);
                if *negative { -magnitude } else { magnitude }
            }
        }
    }

    /// Returns sign and limbs; `buffer` holds those of a small number.
    #[inline]
    fn view<'a>(&'a self, buffer: &'a mut [u64; 2]) -> (bool, &'a [u64]) {
        match &self.0 {
            Small(x) => {
                let magnitude = x.unsigned_abs();
                *buffer = [magnitude as u64, (magnitude >> 64) as u64];
                let n = if buffer[1] != 0 {
                    2
                } else if buffer[0] != 0 {
                    1
                } else {
                    0
                };
                (*x < 0, &buffer[..n])
            }
            Large { negative, limbs } => (*negative, limbs),
        }
    }
}

#[inline]
fn small_bits(x: i128) -> u32 {
    128 - x.unsigned_abs().leading_zeros()
}

#[inline]
fn zeros(n: usize) -> Limbs {
    if n <= INLINE { Limbs::from_buf_and_len([0; INLINE], n) } else { Limbs::from_vec(vec![0; n]) }
}

/// Returns the unique form of a sign and a magnitude with any number of leading zeros: small below 2^127.
#[inline]
fn from_limbs(negative: bool, mut limbs: Limbs) -> Int {
    while limbs.last() == Some(&0) {
        limbs.pop();
    }
    let magnitude = match limbs[..] {
        [] => 0,
        [low] => low as u128,
        [low, high] if high >> 63 == 0 => (high as u128) << 64 | low as u128,
        _ => return Int(Large { negative, limbs }),
    };
    Int(Small(if negative { -(magnitude as i128) } else { magnitude as i128 }))
}

/// Returns `value · 2^exponent` for any exponent, in two steps if one power of two would not fit.
#[inline]
fn scale_by_power_of_two(value: f64, exponent: i64) -> f64 {
    let exponent = exponent.clamp(-2000, 2000) as i32;
    let half = exponent / 2;
    value * power_of_two(half) * power_of_two(exponent - half)
}

fn compare(a: &[u64], b: &[u64]) -> Ordering {
    if a.len() != b.len() {
        return a.len().cmp(&b.len());
    }
    let different = (0..a.len()).rev().find(|&i| a[i] != b[i]);
    different.map_or(Ordering::Equal, |i| a[i].cmp(&b[i]))
}

/// Returns |a| + |b|; |a| must be at least as long.
#[inline]
fn add_magnitudes(a: &[u64], b: &[u64]) -> Limbs {
    let mut limbs = zeros(a.len() + 1);
    let out: &mut [u64] = &mut limbs;
    let mut carry = false;
    let (low, high) = a.split_at(b.len());
    for i in 0..b.len() {
        let (sum, over1) = low[i].overflowing_add(b[i]);
        let (sum, over2) = sum.overflowing_add(carry as u64);
        out[i] = sum;
        carry = over1 | over2;
    }
    let out = &mut out[b.len()..];
    for i in 0..high.len() {
        (out[i], carry) = high[i].overflowing_add(carry as u64);
    }
    out[high.len()] = carry as u64;
    limbs
}

/// Returns |a| − |b| for |a| ≥ |b|.
#[inline]
fn subtract_magnitudes(a: &[u64], b: &[u64]) -> Limbs {
    let mut limbs = zeros(a.len());
    let out: &mut [u64] = &mut limbs;
    let mut borrow = false;
    let (low, high) = a.split_at(b.len());
    for i in 0..b.len() {
        let (difference, under1) = low[i].overflowing_sub(b[i]);
        let (difference, under2) = difference.overflowing_sub(borrow as u64);
        out[i] = difference;
        borrow = under1 | under2;
    }
    let out = &mut out[b.len()..];
    for i in 0..high.len() {
        (out[i], borrow) = high[i].overflowing_sub(borrow as u64);
    }
    limbs
}

fn large_sum(a: &Int, b: &Int, flip_b: bool) -> Int {
    let (mut a_buffer, mut b_buffer) = ([0; 2], [0; 2]);
    let (a_negative, a) = a.view(&mut a_buffer);
    let (b_negative, b) = b.view(&mut b_buffer);
    let b_negative = b_negative != flip_b;
    if a_negative == b_negative {
        let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
        return from_limbs(a_negative, add_magnitudes(long, short));
    }
    if compare(a, b).is_ge() {
        from_limbs(a_negative, subtract_magnitudes(a, b))
    } else {
        from_limbs(b_negative, subtract_magnitudes(b, a))
    }
}

/// Sums of small numbers stay below 2^128 in magnitude; only those below 2^127 are small.
#[inline]
fn small_sum(sum: Option<i128>) -> Option<Int> {
    sum.filter(|x| *x != i128::MIN).map(|x| Int(Small(x)))
}

impl std::ops::Add for &Int {
    type Output = Int;
    #[inline]
    fn add(self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &other.0)
            && let Some(sum) = small_sum(a.checked_add(*b))
        {
            return sum;
        }
        large_sum(self, other, false)
    }
}

impl std::ops::Sub for &Int {
    type Output = Int;
    #[inline]
    fn sub(self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &other.0)
            && let Some(sum) = small_sum(a.checked_sub(*b))
        {
            return sum;
        }
        large_sum(self, other, true)
    }
}

impl std::ops::Mul for &Int {
    type Output = Int;
    #[inline]
    fn mul(self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &other.0) {
            if let (Ok(a), Ok(b)) = (i64::try_from(*a), i64::try_from(*b)) {
                return Int(Small(a as i128 * b as i128));
            }
            if small_bits(*a) + small_bits(*b) <= 127 {
                return Int(Small(a * b));
            }
        }
        large_product(self, other)
    }
}

fn large_product(a: &Int, b: &Int) -> Int {
    let (mut a_buffer, mut b_buffer) = ([0; 2], [0; 2]);
    let (a_negative, a) = a.view(&mut a_buffer);
    let (b_negative, b) = b.view(&mut b_buffer);
    let mut limbs = zeros(a.len() + b.len());
    let out: &mut [u64] = &mut limbs;
    // Few long rows are faster than many short ones.
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    for (i, &x) in short.iter().enumerate() {
        let row = &mut out[i..=i + long.len()];
        let mut carry = 0u64;
        for j in 0..long.len() {
            let sum = x as u128 * long[j] as u128 + row[j] as u128 + carry as u128;
            row[j] = sum as u64;
            carry = (sum >> 64) as u64;
        }
        row[long.len()] = carry;
    }
    from_limbs(a_negative != b_negative, limbs)
}

/// Returns the largest exponent e for which every `x · 2^-e` is an integer.
///
/// Every finite `f64` is `m · 2^e` with an odd integer `m`; the common exponent is the smallest `e` among the nonzero
/// numbers (0 if all are zero). [`Int::scaled_from`] then returns the integers.
///
/// ```
/// use firsttouch::numerics::{Int, common_exponent};
/// let exponent = common_exponent([0.75, -2.0, 0.0]); // 3/4 = 3 · 2^-2
/// assert_eq!(exponent, -2);
/// assert_eq!(Int::scaled_from(0.75, exponent), Int::shifted(3, 0));
/// assert_eq!(Int::scaled_from(-2.0, exponent), Int::shifted(-8, 0));
/// ```
pub fn common_exponent(values: impl IntoIterator<Item = f64>) -> i32 {
    values.into_iter().filter(|x| *x != 0.0).map(|x| odd_and_exponent(x).1).min().unwrap_or(0)
}

/// Returns `odd` and `exponent` with `x = odd · 2^exponent` exactly; (0, 0) for zero.
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
        let mut buffer = [0; 2];
        let (negative, limbs) = x.view(&mut buffer);
        let mut sum = IBig::ZERO;
        for &limb in limbs.iter().rev() {
            sum = (sum << 64) + IBig::from(limb);
        }
        if negative { -sum } else { sum }
    }

    /// Returns a random integer of 0 to 19 limbs, usually few, with runs of zeros and ones, so that carries propagate
    /// far.
    fn draw(state: &mut u64) -> Int {
        let mut next = || {
            *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            *state >> 20
        };
        let n = if next() % 2 == 0 { next() % 4 } else { next() % 20 };
        let mut limbs = Limbs::new();
        for _ in 0..n {
            limbs.push(match next() % 4 {
                0 => 0,
                1 => u64::MAX,
                _ => next().wrapping_mul(0x9e3779b97f4a7c15),
            });
        }
        from_limbs(next() % 2 == 0, limbs)
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
