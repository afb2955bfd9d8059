//! Sine and cosine of angles up to one turn and a bit, with a proven error: the platform's come with none.
//!
//! 1. `k = round(x / (π/2))`, at most 5 in size, and `r = x − k P1 − k P2`, with `P1` the leading 33 bits of `π/2`.
//!    For `k = 0` this is exact. Otherwise `|x| > π/4`, `k P1` is exact (36 bits), and `x − k P1` is a multiple of
//!    `2^-53` below 1 in size, so it is exact too; `k P2` is below `2^-31`, so the rounding of the second
//!    difference dominates: `|error of r| <= 0.8 u`, `u` being the unit roundoff.
//! 2. Taylor polynomials on `|r| <= 0.786`: the first terms left out are `r^19/19! < 1e-19` and
//!    `r^20/20! < 1e-20`.
//! 3. Rounding: the sine ends in `r + r³ p` with `|r³ p| < 0.09`: at most `0.4 u` for the sum (a result below 0.71)
//!    and `0.3 u` for the second term. The cosine ends in `(1 − r²/2) + r⁴ q`: `0.31 u`, twice `0.5 u`, and `0.1 u`
//!    for the last term.
//!
//! For `0 <= x <= π/2` the sine is also good to `5 u` *relative* to its value: for `k = 0` the argument is exact and
//! the errors above scale with `r`; for `k = 1` the value is at least 0.7.
//!
//! With the error of `r`, both are within `2.5 u` of the exact value; [`SIN_COS_ERROR`] is `3 u`.

use super::rounding::UNIT;

/// How far each result of [`sin_cos`] can be from the exact value.
pub const SIN_COS_ERROR: f64 = 3.0 * UNIT;

/// The leading 33 bits of π/2.
const P1: f64 = 1.570_796_326_734_125_6;
/// π/2 − P1, rounded.
const P2: f64 = 6.077_100_506_506_192e-11;

/// The sine and the cosine of `x`, each within [`SIN_COS_ERROR`], for `|x| <= 8`.
///
/// ```
/// let (s, c) = firsttouch::numerics::sine::sin_cos(std::f64::consts::FRAC_PI_6);
/// assert!((s - 0.5).abs() < 1e-15 && (c - 0.75_f64.sqrt()).abs() < 1e-15);
/// ```
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    debug_assert!(x.abs() <= 8.0, "the argument reduction is proven for |x| <= 8 only");
    // Adding and subtracting 1.5 · 2^52 rounds to an integer, without a call.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let k = (x * std::f64::consts::FRAC_2_PI + ROUND) - ROUND;
    let r = (x - k * P1) - k * P2;
    let q = r * r;
    let mut p = 1.0 / 355_687_428_096_000.0;
    for c in [
        -1.0 / 1_307_674_368_000.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 39_916_800.0,
        1.0 / 362_880.0,
        -1.0 / 5_040.0,
        1.0 / 120.0,
        -1.0 / 6.0,
    ] {
        p = p * q + c;
    }
    let sine = r + r * q * p;
    let mut p = -1.0 / 6_402_373_705_728_000.0;
    for c in [
        1.0 / 20_922_789_888_000.0,
        -1.0 / 87_178_291_200.0,
        1.0 / 479_001_600.0,
        -1.0 / 3_628_800.0,
        1.0 / 40_320.0,
        -1.0 / 720.0,
        1.0 / 24.0,
    ] {
        p = p * q + c;
    }
    let cosine = (1.0 - 0.5 * q) + q * q * p;
    match (k as i32) & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_ratio::RBig;

    /// An exact enclosure of the sine by its alternating series, at a rational argument.
    fn exact_sine(x: f64, cosine: bool) -> (RBig, RBig) {
        let x = RBig::try_from(x).unwrap();
        let q = &x * &x;
        let mut term = if cosine { RBig::ONE } else { x };
        let mut sum = term.clone();
        // For |x| <= 8 the terms fall from n = 4 on; 60 of them leave less than 1e-100.
        for n in 1..60_u32 {
            let m = if cosine { (2 * n - 1) * (2 * n) } else { (2 * n) * (2 * n + 1) };
            term = -(term * &q) / RBig::from(m);
            sum += &term;
        }
        let slack = RBig::from_parts(1.into(), dashu_int::UBig::from(10_u8).pow(90));
        (&sum - &slack, &sum + &slack)
    }

    #[test]
    fn p1_and_p2_are_what_they_say() {
        assert_eq!(P1.to_bits() & ((1 << 20) - 1), 0, "P1 has 33 bits");
        assert!((P1 + P2 - std::f64::consts::FRAC_PI_2).abs() <= f64::EPSILON);
        // sin(P1 + P2 - π/2) = -cos(P1 + P2): both parts together are π/2 to 2^-80.
        let (lo, hi) = {
            let x = RBig::try_from(P1).unwrap() + RBig::try_from(P2).unwrap();
            let q = &x * &x;
            let mut term = RBig::ONE;
            let mut sum = term.clone();
            for n in 1..40_u32 {
                term = -(term * &q) / RBig::from((2 * n - 1) * (2 * n));
                sum += &term;
            }
            (sum.clone(), sum)
        };
        let bound = RBig::from_parts(1.into(), dashu_int::UBig::from(2_u8).pow(80));
        assert!(lo > -bound.clone() && hi < bound);
    }

    #[test]
    fn within_the_stated_error() {
        let error = RBig::try_from(SIN_COS_ERROR).unwrap();
        let mut state = 7_u64;
        let mut worst = 0.0_f64;
        let near = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0].map(|k| k * std::f64::consts::PI);
        for i in 0..3_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let unit = (state >> 11) as f64 / (1_u64 << 53) as f64;
            let x = match i % 4 {
                0 => 16.0 * unit - 8.0,
                1 => unit * 1e-3,
                2 => near[i % 7] + (unit - 0.5) * 1e-9,
                _ => near[i % 7] + (unit - 0.5) * 1e-15,
            };
            let (s, c) = sin_cos(x);
            for (value, cosine) in [(s, false), (c, true)] {
                let (lo, hi) = exact_sine(x, cosine);
                let value = RBig::try_from(value).unwrap();
                assert!(&value + &error >= lo && &value - &error <= hi, "x = {x:e}");
                worst = worst.max((&value - &lo).to_f64().value().abs() / UNIT);
            }
        }
        assert!(worst > 0.3, "the check must be able to see errors: {worst}");
    }
}
