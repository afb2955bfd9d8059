//! Rigorous sine and cosine: enclosures for every finite argument.
//!
//! **Problem.** The accuracy of a platform's `sin` is not documented and differs between platforms; a proven bound
//! needs its own implementation.
//!
//! **Method.**
//! 1. Reduce: `x = k pi/2 + r` with `|r| <= 0.7854`, where `r = hi + lo` up to a known error.
//!    - `|x| <= 2^20` (Cody and Waite): `pi/2` is cut into four parts of 33 bits, so that `k` times a part is
//!      exact (20 + 33 bits), and the subtractions are two-sums, whose errors are kept.
//!    - Larger (Payne and Hanek): `x = m 2^e` with a 53-bit integer `m`. Of `2/pi`, the bits that give multiples of 4
//!      in `m 2^e (2/pi)` are skipped and the next 192 are multiplied by `m` in integers modulo `2^192`; the
//!      remaining bits contribute less than `2^-137`.
//! 2. Compute sine and cosine of `r` from their Taylor polynomials (terms up to `r^17` and `r^16`), with the leading
//!    term kept apart so that only the small correction is rounded.
//! 3. One explicit bound covers the polynomial's remainder, every rounding and the error of `r`. It is added and
//!    subtracted, the sums rounded outwards, and the quadrant `k mod 4` selects sine or cosine and the sign.
//! 4. A wide argument takes the hull of both ends and 1 or -1 for each multiple of `pi/2` that may be inside.
//!
//! **Guarantee.** The exact value is inside, for every finite argument; any other argument gives `[-1, 1]`. The
//! enclosure of a single number is at most 4 units in the last place wide, also next to the zeros.
//!
//! References: W. J. Cody, W. Waite, "Software Manual for the Elementary Functions" (1980), ch. 8; M. H. Payne,
//! R. N. Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsletter 18 (1983).

use super::error_free::{two_product, two_sum};
use super::interval::Interval;

/// Returns enclosures of `sin x` and `cos x`; `[-1, 1]` twice if `x` is infinite or NaN.
///
/// ```
/// let (sin, cos) = firsttouch::numerics::sin_cos_enclosed(0.5);
/// assert!(sin.contains(0.479425538604203) && sin.width() < 1e-15);
/// assert!(cos.contains(0.8775825618903728) && cos.width() < 1e-15);
/// ```
pub fn sin_cos_enclosed(x: f64) -> (Interval, Interval) {
    if x.is_finite() { evaluate(&reduce(x)) } else { (Interval::UNIT, Interval::UNIT) }
}

/// Returns `sin x` and `cos x` for a finite `x`, each with a relative error of at most 8 unit roundoffs: one end of
/// an enclosure that is at most 4 units in the last place wide.
///
/// ```
/// let (s, c) = firsttouch::numerics::sin_cos(std::f64::consts::FRAC_PI_6);
/// assert!((s - 0.5).abs() < 1e-15 && (c - 0.75_f64.sqrt()).abs() < 1e-15);
/// ```
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    let (sin, cos) = evaluate(&reduce(x));
    (sin.lo(), cos.lo())
}

/// The number of lanes of [`sin_cos_lanes`].
pub(crate) const LANES: usize = 4;

/// Returns [`sin_cos`] of several numbers, with the same bits. Inlined into a function that is compiled for vector
/// instructions, it takes the time of one number.
#[allow(clippy::needless_range_loop, reason = "the same lane of several arrays")]
#[inline(always)]
pub(crate) fn sin_cos_lanes(x: &[f64; LANES]) -> ([f64; LANES], [f64; LANES]) {
    let (mut sin, mut cos) = ([0.0; LANES], [0.0; LANES]);
    let mut is_usual = true;
    for i in 0..LANES {
        let CodyWaite { bits, hi, lo, error, .. } = cody_waite(x[i]);
        // Each comparison with a NaN is false.
        is_usual &= (x[i].abs() <= CODY_WAITE_MAX) & (hi.abs() >= SMALL);
        // The same swap and signs as in `evaluate`.
        // All are finite, so `if` has the bits of `max` and `min`, in fewer instructions.
        let within = |[low, high]: [f64; 2]| {
            [if low > -1.0 { low } else { -1.0 }, if high < 1.0 { high } else { 1.0 }]
        };
        let (sine, cosine) = polynomials(hi, lo, error);
        let ([sin_lo, sin_hi], [cos_lo, cos_hi]) = (within(sine), within(cosine));
        let is_odd = bits & 1 != 0;
        let [s_lo, s_hi] = [if is_odd { cos_lo } else { sin_lo }, if is_odd { cos_hi } else { sin_hi }];
        let [c_lo, c_hi] = [if is_odd { sin_lo } else { cos_lo }, if is_odd { sin_hi } else { cos_hi }];
        sin[i] = if bits & 2 != 0 { -s_hi } else { s_lo };
        cos[i] = if bits.wrapping_add(1) & 2 != 0 { -c_hi } else { c_lo };
    }
    if !is_usual {
        for i in 0..LANES {
            (sin[i], cos[i]) = sin_cos(x[i]);
        }
    }
    (sin, cos)
}

/// Returns enclosures of `{ sin x }` and `{ cos x }` over an interval.
pub(super) fn sin_cos_range(x: Interval) -> (Interval, Interval) {
    if x.lo() == x.hi() {
        return sin_cos_enclosed(x.lo());
    }
    let width = x.width();
    // More than a full turn, or infinite.
    if width > 6.5 {
        return (Interval::UNIT, Interval::UNIT);
    }
    let (start, end) = (reduce(x.lo()), reduce(x.hi()));
    // The quadrant, counted from 0, of each end; in doubt the one that makes the interval longer.
    let first = start.quadrant - i64::from(start.hi <= 2.0 * start.error);
    let last = end.quadrant - i64::from(end.hi < -2.0 * end.error);
    let crossed = if x.mag() <= CODY_WAITE_MAX {
        last - first
    } else if width <= 4.7 {
        // Quadrants are known modulo 4 only; a width below 3 pi/2 crosses at most three of their borders.
        (last - first).rem_euclid(4)
    } else {
        4
    };
    let (sin_start, cos_start) = evaluate(&start);
    let (sin_end, cos_end) = evaluate(&end);
    let (mut sin, mut cos) = (sin_start.hull(sin_end), cos_start.hull(cos_end));
    for border in first + 1..=first + crossed.min(4) {
        // not a bound: a count
        match border.rem_euclid(4) {
            0 => cos = cos.hull(Interval::ONE),
            1 => sin = sin.hull(Interval::ONE),
            2 => cos = cos.hull(-Interval::ONE),
            _ => sin = sin.hull(-Interval::ONE),
        }
    }
    (sin, cos)
}

/// `x = quadrant pi/2 + r`, `|r - (hi + lo)| <= error`, `|lo| <= u|hi|`, `|hi| <= 0.7854`. For a large `x` the
/// quadrant is known modulo 4 only.
struct Reduced {
    quadrant: i64,
    hi: f64,
    lo: f64,
    error: f64,
}

/// Up to here `k` has at most 20 bits: `2^20 * 2/pi < 2^20`.
const CODY_WAITE_MAX: f64 = 1_048_576.0;

/// `pi/2 = PART[0] + PART[1] + PART[2] + PART[3] + tail`, each part of 33 bits and `0 < tail < TAIL`.
const PART: [f64; 4] =
    [1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.478427660348229e-32];
const TAIL: f64 = 2.1e-43;

fn reduce(x: f64) -> Reduced {
    if x.abs() > CODY_WAITE_MAX {
        return reduce_large(x);
    }
    let CodyWaite { k, hi, lo, error, .. } = cody_waite(x);
    if k == 0.0 {
        return Reduced { quadrant: 0, hi: x, lo: 0.0, error: 0.0 };
    }
    Reduced { quadrant: k as i64, hi, lo, error }
}

/// The result of the reduction of a number of at most [`CODY_WAITE_MAX`]. For the quadrant 0, `hi` is that number, and
/// `lo` and the error are zero.
struct CodyWaite {
    /// The quadrant, and an integer that equals it modulo 4.
    k: f64,
    bits: u64,
    hi: f64,
    lo: f64,
    error: f64,
}

#[inline(always)]
fn cody_waite(x: f64) -> CodyWaite {
    // Adding and subtracting 1.5 * 2^52 rounds to the nearest integer. The product is off by at most
    // 2^20 * 2^-52 (constant and product, half an ulp each), so |r| <= (1/2 + 2^-32) pi/2 < 0.7854.
    const TO_INTEGER: f64 = 6_755_399_441_055_744.0;
    // The sum is 2^52 + 2^51 + k, so its lowest bits are those of k.
    let shifted = x * std::f64::consts::FRAC_2_PI + TO_INTEGER;
    let k = shifted - TO_INTEGER;
    // Four exact products and three exact subtractions; the remainders are added up, with a rounding of at most u of
    // each of the three sums. The factor 2 covers the rounding of the bound itself.
    let (s1, e1) = two_sum(x, -k * PART[0]);
    let (s2, e2) = two_sum(s1, -k * PART[1]);
    let (s3, e3) = two_sum(s2, -k * PART[2]);
    let (t1, t2) = (e1 + e2, e3 - k * PART[3]);
    let t = t1 + t2;
    let error = (t1.abs() + t2.abs() + t.abs()) * f64::EPSILON + k.abs() * TAIL;
    let (hi, lo) = two_sum(s3, t);
    CodyWaite { k, bits: shifted.to_bits(), hi, lo, error }
}

/// The bits of `2/pi` after the binary point, behind 64 zeros.
const TWO_OVER_PI: [u64; 20] = [
    0x0000_0000_0000_0000,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
];

/// For `|x| >= 2^20`: then `x = ±m 2^e` with `2^52 <= m < 2^53` and `-32 <= e <= 971`.
///
/// Bit `i` of `2/pi` (worth `2^-i`) adds `m 2^(e-i)`, a multiple of 4 for `i <= e - 2`. The window `W` is the
/// integer made of bits `e-1 ..= e+190`, so that `x (2/pi) = ±m W 2^-190` modulo 4, short by less than
/// `m 2^-190 < 2^-137`. In the padded table bit `i` is at position `63 + i`, so the window starts at `e + 62`.
fn reduce_large(x: f64) -> Reduced {
    let bits = x.to_bits();
    let e = ((bits >> 52) & 0x7ff) as usize; // biased: the exponent of m is e - 1075
    let m = (bits & ((1 << 52) - 1)) | (1 << 52);
    let start = e + 62 - 1075;
    let (word, shift) = (start / 64, start % 64);
    // The largest exponent starts the window at bit 1033, in word 16: word + i + 1 <= 19.
    let window = |i: usize| {
        let joined = u128::from(TWO_OVER_PI[word + i]) << 64 | u128::from(TWO_OVER_PI[word + i + 1]);
        (joined >> (64 - shift)) as u64
    };
    // m W modulo 2^192, most significant word first.
    let low = u128::from(m) * u128::from(window(2));
    let middle = u128::from(m) * u128::from(window(1)) + (low >> 64);
    let mut product =
        [m.wrapping_mul(window(0)).wrapping_add((middle >> 64) as u64), middle as u64, low as u64];
    // The integer part is the top two bits. Rounding it to nearest leaves a fraction in [-1/2, 1/2).
    let quadrant = (product[0].wrapping_add(1 << 61) >> 62) as i64;
    product[0] = product[0].wrapping_sub((quadrant as u64) << 62);
    let negative = product[0] >> 63 == 1;
    if negative {
        // The one's complement is the two's complement less one unit of 2^-190, which the error below covers.
        product = product.map(|word| !word);
    }
    // |fraction| as a sum of six exact numbers, large to small; the errors of the sums are added up. Sums
    // grow, so each error is at most u|hi|, and adding five of them costs at most 5u * 5u|hi| < 2^-101 |hi|.
    let (mut hi, mut rest) = (0.0, 0.0);
    let mut unit = 1.0 / (1u64 << 30) as f64; // 2^(160 - 190), the weight of the upper half of the first word
    for word in product {
        for half in [word >> 32, word & 0xffff_ffff] {
            let (sum, e) = two_sum(hi, half as f64 * unit);
            hi = sum;
            rest += e;
            unit /= (1u64 << 32) as f64;
        }
    }
    // r = fraction * pi/2, in double-double. Neglected: the rounding of the two small products and two sums and
    // rest times the low part, each at most 2u^2 of |r|; together with the above less than 2^-98 |r|.
    const PI_2: (f64, f64) = (std::f64::consts::FRAC_PI_2, 6.123233995736766e-17);
    let (product, e) = two_product(hi, PI_2.0);
    let (hi, lo) = two_sum(product, e + (hi * PI_2.1 + rest * PI_2.0));
    let error = hi.abs() * 3.2e-30 + 1.2e-41; // 2^-98, and 2^-137 + 2^-190 times pi/2, rounded up
    let flip = |v: f64| if negative != (x < 0.0) { -v } else { v };
    Reduced { quadrant: if x < 0.0 { -quadrant } else { quadrant }, hi: flip(hi), lo: flip(lo), error }
}

/// `(-1)^i / (2i+1)!` for i = 1 to 8.
const SIN: [f64; 8] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
];
/// `(-1)^i / (2i)!` for i = 2 to 8, and a zero.
const COS: [f64; 8] = [
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
    0.0,
];

/// Returns sine and cosine of `r`, rotated into the quadrant.
///
/// With `z = fl(hi^2) <= 0.6169`, `u = 2^-53`, and second-order terms in the constants' slack:
///
/// *The sums* `S` and `C` over powers of `z` are split into even and odd terms, `A + z B`, which halves the latency
/// of the chain of products. In both, each term is at most `z/20 < 0.031` of the one before. Of the leading term, its
/// coefficient, the addition in `A` and the last one cost `u` each, and `z B` at most `0.032 * 4.1u`: together,
/// relative to a sum of at least 0.969 leading terms, less than `3.3u`.
///
/// *Sine* `= hi + w`, `w = hi z S(z) + lo (1 - z/2)`, `S(0) = -1/6`:
/// - `hi z S(z)`: `z`, the two products and `S` cost `6.3u` of at most `|hi| z/6`, that is `1.05 u |hi| z`;
/// - the remainder `|hi|^19/19!` is at most `0.002 u |hi| z`;
/// - `1 - z/2` for `cos hi` costs `|lo| z^2/24 <= 0.026 u |hi| z`;
/// - adding the two costs `0.17 u |hi| z`;
///
/// in all `1.25 u |hi| z`, and a few `u^2 |hi|` for `lo^2`, the products with `lo` and the last sums before the
/// outward rounding. The code uses `1.45 u |hi| z + 2^-100 |hi|`.
///
/// *Cosine* `= 1 - z/2 + q - d`, `q = z^2 C(z)`, `C(0) = 1/24`, `d = lo hi`, the first difference kept exactly:
/// - `z` for `hi^2` costs `0.5 u z`;
/// - `q`: `7.5u` of at most `z^2/24`, that is `0.313 u z^2`; the remainder `z^9/18!` is at most `0.03 u z`;
/// - `d` for `lo sin hi` costs `|lo hi| z/6 <= 0.167 u z^2`;
/// - three sums of at most `1.05 z^2/24` cost `0.132 u z^2`;
///
/// in all `(0.53 + 0.612 * 0.617) u z < 0.91 u z`. The code uses `u z + 2^-100`.
///
/// Both have slope at most 1 in `r`, so the error of `r` is added unchanged. The absolute term `1e-300` covers
/// underflow in `z` and its products. The last sum is at most `1.025 |v|` and rounded once, which `1.03 u |v|`
/// covers, with less latency than a step outwards that depends on the sum.
fn evaluate(r: &Reduced) -> (Interval, Interval) {
    let hi = r.hi;
    let (sin, cos) = if hi.abs() < SMALL && r.error == 0.0 {
        // Here x = r itself, below 2^-27: |x| (1 - 2^-56) < |sin x| <= |x| and 1 - 2^-55 < cos x <= 1.
        small(hi)
    } else {
        let (sin, cos) = polynomials(hi, r.lo, r.error);
        let within = |[low, high]: [f64; 2]| Interval::from_bounds(low.max(-1.0), high.min(1.0)); // not a bound: finite
        (within(sin), within(cos))
    };
    // Without a branch on the quadrant: swap for odd ones, then apply two signs.
    let (sin, cos) = if r.quadrant & 1 == 0 { (sin, cos) } else { (cos, sin) };
    let turned = |x: Interval, negative: bool| if negative { -x } else { x };
    (turned(sin, r.quadrant & 2 != 0), turned(cos, (r.quadrant + 1) & 2 != 0))
}

/// Below this the sine of a number is the number itself, up to rounding.
const SMALL: f64 = 7.4e-9;

/// Returns the ends of the enclosures of the sine and cosine of `r`, which may be beyond -1 and 1.
#[inline(always)]
fn polynomials(hi: f64, lo: f64, error: f64) -> ([f64; 2], [f64; 2]) {
    let z = hi * hi;
    let y = z * z;
    let sum = |c: &[f64; 8]| {
        (((c[6] * y + c[4]) * y + c[2]) * y + c[0]) + z * (((c[7] * y + c[5]) * y + c[3]) * y + c[1])
    };
    let enclose = |v: f64, rest: f64, rounding: f64| {
        let error = rounding + (error * 1.01 + 1e-300) + v.abs() * 1.144e-16;
        [v + (rest - error), v + (rest + error)]
    };
    let w = hi * z * sum(&SIN) + lo * (1.0 - 0.5 * z);
    let (v, f) = two_sum(hi, w);
    let sin = enclose(v, f, hi.abs() * (z * 1.61e-16 + 7.9e-31));

    let (v, f) = two_sum(1.0, -0.5 * z);
    let cos = enclose(v, f + (y * sum(&COS) - lo * hi), z * 1.1103e-16 + 7.9e-31);
    (sin, cos)
}

fn small(x: f64) -> (Interval, Interval) {
    if x == 0.0 {
        return (Interval::ZERO, Interval::ONE);
    }
    let cos = Interval::from_bounds(1.0_f64.next_down(), 1.0);
    let sin =
        if x > 0.0 { Interval::from_bounds(x.next_down(), x) } else { Interval::from_bounds(x, x.next_up()) };
    (sin, cos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_reductions_agree_where_they_meet() {
        for i in 0..1000 {
            let x = CODY_WAITE_MAX + f64::from(i) * 0.37;
            for x in [x, -x] {
                // By the library call for large arguments, and by hand with the split of x.
                let (sin, cos) = sin_cos_enclosed(x);
                let (a, b) = (
                    sin_cos_enclosed(CODY_WAITE_MAX.copysign(x)),
                    sin_cos_enclosed(x - CODY_WAITE_MAX.copysign(x)),
                );
                assert!(sin.intersect(a.0 * b.1 + a.1 * b.0).is_some(), "sin {x}");
                assert!(cos.intersect(a.1 * b.1 - a.0 * b.0).is_some(), "cos {x}");
                assert!(sin.width() <= 5e-16 && cos.width() <= 5e-16);
            }
        }
    }

    /// Several numbers at once have the bits of one at a time: near multiples of a quarter turn, small, large and zero.
    #[test]
    #[allow(clippy::needless_range_loop, reason = "the same lane of several arrays")]
    fn lanes_change_no_bit() {
        let state = &mut 1_u64;
        let mut unit = move || {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let quarter = std::f64::consts::FRAC_PI_2;
        for round in 0..40_000 {
            let x: [f64; LANES] = std::array::from_fn(|k| match (round + k * 3) % 11 {
                0 => unit() * 1e-9,
                1 => unit() * 1e7,
                2 => quarter * (unit() * 8.0).round(),
                3 => quarter * (unit() * 8.0).round() + unit() * 1e-8,
                4 if round % 5 == 0 => 0.0,
                5 if round % 7 == 0 => -0.0,
                6 => unit() * 100.0,
                _ => unit() * 3.2,
            });
            let (sin, cos) = sin_cos_lanes(&x);
            for k in 0..LANES {
                let (s, c) = sin_cos(x[k]);
                assert_eq!((sin[k].to_bits(), cos[k].to_bits()), (s.to_bits(), c.to_bits()), "{:?}", x[k]);
            }
        }
    }

    #[test]
    fn wide_arguments_catch_their_extrema() {
        let check = |lo: f64, hi: f64, sin: (f64, f64), cos: (f64, f64)| {
            let (s, c) = sin_cos_range(Interval::new(lo, hi).unwrap());
            let near =
                |x: Interval, (lo, hi): (f64, f64)| (x.lo() - lo).abs() < 1e-3 && (x.hi() - hi).abs() < 1e-3;
            assert!(near(s, sin) && near(c, cos), "[{lo}, {hi}]: {s:?} {c:?}");
        };
        check(0.0, 1.0, (0.0, 0.8415), (0.5403, 1.0));
        check(1.0, 2.0, (0.8415, 1.0), (-0.4161, 0.5403));
        check(-1.0, 3.2, (-0.8415, 1.0), (-1.0, 1.0));
        check(-0.8, 3.9, (-0.7174, 1.0), (-1.0, 1.0));
        check(0.1, 6.2, (-1.0, 1.0), (-1.0, 0.9965));
        check(0.1, 6.4, (-1.0, 1.0), (-1.0, 1.0));
        check(f64::MIN, f64::MAX, (-1.0, 1.0), (-1.0, 1.0));
        check(0.0, f64::INFINITY, (-1.0, 1.0), (-1.0, 1.0));
        // Far out, where 1e16 is 2.2474 past a full turn: pi and 3 pi/2 are inside.
        check(1e16, 1e16 + 4.0, (-1.0, 0.7797), (-1.0, 0.9994));
    }
}
