//! Functions with the same bits on every machine: arc tangent, cube root, integer powers, small rotations.
//!
//! **Problem.** The standard library takes these functions from the platform, whose last bits differ: glibc, musl,
//! macOS and wasm give different arc tangents. An answer that uses one of them then depends on the machine.
//!
//! **Method.** Only `+ - * /`, `sqrt` and [`sin_cos`](super::sin_cos) are used, each of which IEEE 754 or this crate
//! defines to the bit.
//! 1. Arc tangent of `y / x` for `0 <= y <= x`: for `y < x / 128` its Taylor polynomial. Otherwise a guess `g` that is
//!    right to 0.004, and `atan(y / x) = g + atan(r)` with `r = (y cos g - x sin g) / (x cos g + y sin g)`, by the same
//!    polynomial. Other quadrants are mirrored.
//! 2. Cube root: a guess from the exponent, and five steps of Newton's method.
//! 3. Powers: repeated squaring, from the lowest bit of the exponent.
//!
//! **Guarantee.** [`atan2`] is within `32 u` of the exact value, relative to it; the comment inside counts the
//! roundings. [`cube_root`] is within `8 u` for results that are normal numbers, and [`power`] within `n u` to first
//! order.
//!
//! `clippy.toml` of this crate refuses the functions of the platform.

use glam::{DQuat, DVec3};

use super::sin_cos;

/// Returns the angle of the point `(x, y)`, from `-π` to `π`, as [`f64::atan2`] does; NaN if a coordinate is infinite
/// or NaN.
///
/// ```
/// # use firsttouch::numerics::atan2;
/// assert!((atan2(1.0, 1.0) - std::f64::consts::FRAC_PI_4).abs() < 1e-15);
/// assert_eq!(atan2(0.0, -2.0), std::f64::consts::PI);
/// ```
pub fn atan2(y: f64, x: f64) -> f64 {
    use std::f64::consts::{FRAC_PI_2, PI};
    if !(y.is_finite() && x.is_finite()) {
        return f64::NAN;
    }
    let (high, wide) = (y.abs(), x.abs());
    // Mirrored results are at least π/4 and keep the absolute error, so that the relative one grows by three roundings
    // at most.
    let acute = if high <= wide { octant(high, wide) } else { FRAC_PI_2 - octant(wide, high) };
    let upper = if x.is_sign_negative() { PI - acute } else { acute };
    upper.copysign(y)
}

/// Returns the arc tangent of a finite number.
pub(crate) fn atan(x: f64) -> f64 {
    atan2(x, 1.0)
}

/// Returns the arc tangent of `y / x` for `0 <= y <= x`; 0 for `0 / 0`.
///
/// Below the limit: one rounding of the quotient and those of [`series`], `4u`. Above it: sine and cosine have `8u`
/// each, so `y cos g` and `x sin g` have `9u`. The two are nearly equal, and their difference is off by `19u x sin g`;
/// divided by `hypot(x, y)` that is at most `19u sin g`, with `sin g <= 1.01 g'` where `g'` is the exact angle. The
/// error of `r` itself (a dozen roundings of at most 0.004) is `u` more, and the sum rounds once: `22u`.
fn octant(y: f64, x: f64) -> f64 {
    const SMALL: f64 = 1.0 / 128.0;
    if y == 0.0 {
        return 0.0;
    }
    if y < x * SMALL {
        return series(y / x);
    }
    // Powers of two: exact, and neither products nor sums overflow or underflow.
    let scale = if x > 1e200 {
        power_of_two(-600)
    } else if x < 1e-200 {
        power_of_two(600)
    } else {
        1.0
    };
    let (x, y) = (x * scale, y * scale);
    let t = y / x;
    let guess = t * (std::f64::consts::FRAC_PI_4 + 0.273 * (1.0 - t));
    let (sine, cosine) = sin_cos(guess);
    guess + series((y * cosine - x * sine) / (x * cosine + y * sine))
}

/// Returns the arc tangent of `|r| <= 1/128`. The terms left out are below `r⁹/9 < 2^-59 r`.
fn series(r: f64) -> f64 {
    let z = r * r;
    r + r * (z * (-1.0 / 3.0 + z * (0.2 - z * (1.0 / 7.0))))
}

/// Returns the tangent of a finite number.
pub(crate) fn tangent(x: f64) -> f64 {
    let (sine, cosine) = sin_cos(x);
    sine / cosine
}

/// Returns the cube root of a finite number.
pub(crate) fn cube_root(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    // Numbers that are not normal are scaled by 2^162, their roots by 2^-54.
    const UP: f64 = power_of_two(162);
    const DOWN: f64 = power_of_two(-54);
    let is_small = x.abs() < f64::MIN_POSITIVE;
    let size = if is_small { x.abs() * UP } else { x.abs() };
    // A third of the biased exponent and mantissa, with two thirds of the bias added: within 6 % of the root. Newton's
    // method squares the error in each step: 4e-3, 2e-5, 3e-10, 1e-19.
    let mut root = f64::from_bits(size.to_bits() / 3 + 0x2a9f_5555_5555_5555);
    for _ in 0..5 {
        root = (2.0 * root + size / (root * root)) / 3.0;
    }
    (if is_small { root * DOWN } else { root }).copysign(x)
}

/// Returns `x^n`.
pub(crate) fn power(x: f64, n: i32) -> f64 {
    let (mut square, mut left, mut product) = (x, n.unsigned_abs(), 1.0);
    loop {
        if left & 1 == 1 {
            product *= square;
        }
        left >>= 1;
        if left == 0 {
            return if n < 0 { 1.0 / product } else { product };
        }
        square *= square;
    }
}

/// Returns `2^n`; 0 or infinity beyond the range of f64.
pub(crate) const fn power_of_two(n: i32) -> f64 {
    f64::from_bits(match n {
        1024.. => 0x7ff << 52,
        -1022..=1023 => ((n + 1023) as u64) << 52,
        -1074..=-1023 => 1 << (n + 1074),
        _ => 0,
    })
}

/// Returns the greatest power of two that is at most a positive normal number; 0 for one that is not normal.
pub(crate) fn power_of_two_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & (0x7ff << 52))
}

/// Returns the unit quaternion of the rotation about a vector by its length.
pub(crate) fn rotation_by(turn: DVec3) -> DQuat {
    let angle = turn.length();
    if angle == 0.0 {
        return DQuat::IDENTITY;
    }
    let (sine, cosine) = sin_cos(0.5 * angle);
    let axis = turn * (sine / angle);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cosine)
}

/// Returns the angle between two orientations, from 0 to π, both unit quaternions up to rounding.
pub(crate) fn rotation_between(a: DQuat, b: DQuat) -> f64 {
    let quotient = b * a.conjugate();
    2.0 * atan2(DVec3::new(quotient.x, quotient.y, quotient.z).length(), quotient.w.abs())
}

#[cfg(test)]
mod tests {
    use super::super::sin_cos_enclosed;
    use super::*;

    fn draw(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The proof is by enclosed sines: `y cos(a) - x sin(a)` has the sign of `angle - a` next to the angle.
    #[test]
    fn arc_tangents_are_within_their_bound() {
        let mut state = 3;
        let u = 0.5 * f64::EPSILON;
        let mut tight = 0;
        for case in 0..200_000 {
            let size = 10_f64.powf(300.0 * (draw(&mut state) - 0.5));
            let ratio = match case % 3 {
                0 => draw(&mut state),
                1 => 10_f64.powf(-20.0 * draw(&mut state)),
                _ => 1.0 - 1e-9 * draw(&mut state),
            };
            let (y, x) = if case % 2 == 0 { (size * ratio, size) } else { (size, size * ratio) };
            let angle = atan2(y, x);
            let side = |a: f64| {
                let (sine, cosine) = sin_cos_enclosed(a);
                use super::super::Interval;
                Interval::point(y / size) * cosine - Interval::point(x / size) * sine
            };
            // The quotients by `size` have a rounding each, so that the angle may be off by another 2u of itself.
            let room = 34.0 * u * angle;
            assert!(
                side(angle - room).hi() > 0.0 && side(angle + room).lo() < 0.0,
                "atan2({y:e}, {x:e}) = {angle:e}"
            );
            tight += usize::from((angle - y.atan2(x)).abs() <= 4.0 * u * angle);
            assert!((atan2(-y, -x) - (angle - std::f64::consts::PI)).abs() <= 40.0 * u * 3.2);
        }
        assert!(tight > 150_000, "most are much closer: {tight}");
        assert_eq!((atan2(0.0, 1.0), atan2(-0.0, 1.0).to_bits()), (0.0, (-0.0_f64).to_bits()));
        assert_eq!(
            (atan2(1.0, 0.0), atan2(-1.0, 0.0)),
            (std::f64::consts::FRAC_PI_2, -std::f64::consts::FRAC_PI_2)
        );
        assert_eq!(atan2(0.0, 0.0), 0.0);
        for y in [5e-324, 1e-310, 1e-300, 1e300, f64::MAX] {
            assert!((atan2(y, y) - std::f64::consts::FRAC_PI_4).abs() <= 1e-15, "{y:e}");
        }
        assert!(atan2(f64::NAN, 1.0).is_nan() && atan2(1.0, f64::INFINITY).is_nan());
        assert!((atan(-1.0) + std::f64::consts::FRAC_PI_4).abs() <= 1e-15);
    }

    #[test]
    fn cube_roots_and_powers() {
        let mut state = 5;
        for _ in 0..100_000 {
            let x = (draw(&mut state) - 0.5) * 10_f64.powf(600.0 * (draw(&mut state) - 0.5));
            assert!((cube_root(x) - x.cbrt()).abs() <= 8.0 * f64::EPSILON * x.abs().cbrt(), "{x:e}");
            let n = (draw(&mut state) * 21.0) as i32 - 10;
            let (base, n) = (0.5 + draw(&mut state), n);
            assert!((power(base, n) / base.powi(n) - 1.0).abs() <= 16.0 * f64::EPSILON, "{base}^{n}");
        }
        assert_eq!((cube_root(0.0), cube_root(-8.0), cube_root(5e-324).to_bits() > 0), (0.0, -2.0, true));
        assert_eq!((power(3.0, 0), power(2.0, -3), power(3.0, 5)), (1.0, 0.125, 243.0));
        for n in -1080..1030 {
            assert_eq!(power_of_two(n), 2_f64.powi(n / 2) * 2_f64.powi(n - n / 2), "2^{n}");
        }
        assert_eq!((power_of_two_below(3.9), power_of_two_below(4.0)), (2.0, 4.0));
    }

    #[test]
    fn rotations_and_their_angles() {
        let mut state = 7;
        for _ in 0..10_000 {
            let mut vector = || DVec3::new(draw(&mut state), draw(&mut state), draw(&mut state)) * 2.0 - 1.0;
            let (turn, from) = (vector(), rotation_by(vector() * 3.0));
            assert!((rotation_by(turn) - DQuat::from_scaled_axis(turn)).length() < 1e-15);
            assert!((rotation_between(from, rotation_by(turn) * from) - turn.length()).abs() < 2e-15);
        }
        assert_eq!(rotation_by(DVec3::ZERO), DQuat::IDENTITY);
    }
}
