//! Intervals of real numbers, rounded outwards, and vectors and matrices of them.
//!
//! Each operation of IEEE 754 returns the f64 next to the exact result, so the exact result is between the
//! neighbours of that f64. An interval with a bound that is no number is the whole line, which proves nothing.

use std::f64::consts::FRAC_PI_2;
use std::ops::{Add, Mul, Neg, Sub};

/// All real numbers from `lo` to `hi`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

/// A vector that is somewhere in a box.
pub(crate) type Vector = [Interval; 3];

/// A matrix, by rows.
pub(crate) type Matrix = [Vector; 3];

/// Returns an f64 that is larger than the exact result whose rounding is `x`.
pub(crate) fn up(x: f64) -> f64 {
    x.next_up()
}

fn outwards(lo: f64, hi: f64) -> Interval {
    if lo.is_nan() || hi.is_nan() {
        return Interval { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
    }
    Interval { lo: lo.next_down(), hi: hi.next_up() }
}

impl Interval {
    pub(crate) const ZERO: Interval = Interval { lo: 0.0, hi: 0.0 };
    pub(crate) const ONE: Interval = Interval { lo: 1.0, hi: 1.0 };

    /// The number itself.
    pub(crate) fn of(x: f64) -> Interval {
        Interval { lo: x, hi: x }
    }

    /// The largest size of a number in it.
    pub(crate) fn size(self) -> f64 {
        f64::max(self.hi, -self.lo)
    }

    /// A number in it, and an upper bound of the distance to any other.
    pub(crate) fn center(self) -> (f64, f64) {
        let center = 0.5 * self.lo + 0.5 * self.hi;
        (center, up(f64::max(self.hi - center, center - self.lo)))
    }

    /// The quotient. It is the whole line if the divisor is not positive.
    pub(crate) fn over(self, divisor: Interval) -> Interval {
        if divisor.lo.is_nan() || divisor.lo <= 0.0 {
            return outwards(f64::NAN, f64::NAN);
        }
        let lo = self.lo / if self.lo < 0.0 { divisor.lo } else { divisor.hi };
        let hi = self.hi / if self.hi < 0.0 { divisor.hi } else { divisor.lo };
        outwards(lo, hi)
    }

    /// The square root of its part that is not negative.
    pub(crate) fn sqrt(self) -> Interval {
        let root = outwards(f64::max(self.lo, 0.0).sqrt(), f64::max(self.hi, 0.0).sqrt());
        Interval { lo: f64::max(root.lo, 0.0), hi: root.hi }
    }

    /// Sine and cosine.
    ///
    /// 1. Both change by no more than the angle does, so those of the centre are enough.
    /// 2. The nearest multiple `k π/2` is subtracted from the centre.
    /// 3. For `|r| < 1`, `sin r = r (1 − r²/(2·3) (1 − r²/(4·5) (1 − ..)))`. Each bracket is the sum of an
    ///    alternating series with decreasing terms that begins with 1, so it is between 0 and 1. So is the innermost
    ///    one, where the formula ends. The same holds for `cos r = 1 − r²/(1·2) (1 − r²/(3·4) (..))`.
    pub(crate) fn sin_cos(self) -> (Interval, Interval) {
        let (center, radius) = self.center();
        if center.is_nan() || center.abs() > 1e6 {
            let any = Interval { lo: -1.0, hi: 1.0 };
            return (any, any);
        }
        let half_pi = Interval { lo: FRAC_PI_2, hi: FRAC_PI_2.next_up() };
        let k = (center / FRAC_PI_2).round();
        let r = Interval::of(center) - Interval::of(k) * half_pi;
        let square = r * r;
        let series = |first: u32| {
            let mut bracket = Interval { lo: 0.0, hi: 1.0 };
            for n in (0..11).rev() {
                let divisor = f64::from((2 * n + first) * (2 * n + first + 1));
                bracket = Interval::ONE - square.over(Interval::of(divisor)) * bracket;
            }
            bracket
        };
        let (sine, cosine) = (r * series(2), series(1));
        let (sine, cosine) = match (k as i64).rem_euclid(4) {
            0 => (sine, cosine),
            1 => (cosine, -sine),
            2 => (-sine, -cosine),
            _ => (-cosine, sine),
        };
        let widened = Interval { lo: -radius, hi: radius };
        (sine + widened, cosine + widened)
    }
}

impl Add for Interval {
    type Output = Interval;
    fn add(self, other: Interval) -> Interval {
        outwards(self.lo + other.lo, self.hi + other.hi)
    }
}

impl Neg for Interval {
    type Output = Interval;
    fn neg(self) -> Interval {
        Interval { lo: -self.hi, hi: -self.lo }
    }
}

impl Sub for Interval {
    type Output = Interval;
    fn sub(self, other: Interval) -> Interval {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Interval;
    fn mul(self, other: Interval) -> Interval {
        let [a, b] = [self.lo * other.lo, self.lo * other.hi];
        let [c, d] = [self.hi * other.lo, self.hi * other.hi];
        if a.is_nan() || b.is_nan() || c.is_nan() || d.is_nan() {
            return outwards(f64::NAN, f64::NAN);
        }
        outwards(f64::min(f64::min(a, b), f64::min(c, d)), f64::max(f64::max(a, b), f64::max(c, d)))
    }
}

/// The numbers of a list as intervals.
pub(crate) fn exact<const N: usize>(numbers: [f64; N]) -> [Interval; N] {
    numbers.map(Interval::of)
}

/// The sum of the products of two lists.
pub(crate) fn dot(a: &[Interval], b: &[Interval]) -> Interval {
    a.iter().zip(b).fold(Interval::ZERO, |sum, (x, y)| sum + *x * *y)
}

/// The Euclidean length of a list.
pub(crate) fn length(a: &[Interval]) -> Interval {
    dot(a, a).sqrt()
}

/// An upper bound of the length.
pub(crate) fn longest(a: &[Interval]) -> f64 {
    length(a).hi
}

pub(crate) fn plus(a: &Vector, b: &Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// The product of a matrix and a vector.
pub(crate) fn times(m: &Matrix, v: &Vector) -> Vector {
    m.map(|row| dot(&row, v))
}

/// The product of the transposed matrix and a vector.
pub(crate) fn transposed_times(m: &Matrix, v: &Vector) -> Vector {
    [0, 1, 2].map(|k| dot(&[m[0][k], m[1][k], m[2][k]], v))
}

pub(crate) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    a.map(|row| transposed_times(b, &row))
}

pub(crate) const IDENTITY: Matrix = {
    let (o, i) = (Interval::ZERO, Interval::ONE);
    [[i, o, o], [o, i, o], [o, o, i]]
};

/// The unit vector along a direction that is not zero.
pub(crate) fn unit(direction: [f64; 3]) -> Result<Vector, String> {
    let largest = direction.iter().fold(0.0, |largest, x| f64::max(largest, x.abs()));
    // Scaled, so that no square underflows.
    let scaled = exact(direction).map(|x| x.over(Interval::of(largest)));
    let length = length(&scaled);
    if length.lo > 0.5 { Ok(scaled.map(|x| x.over(length))) } else { Err("a direction is zero".into()) }
}

/// The rotation by a quaternion `w, x, y, z` of any length: the formula for unit length, divided by the square of
/// the length.
pub(crate) fn rotation(q: &[Interval]) -> Matrix {
    let [w, x, y, z] = [q[0], q[1], q[2], q[3]];
    let two = Interval::of(2.0);
    let square = dot(q, q);
    let across = |a: Interval, b: Interval| Interval::ONE - (two * (a * a + b * b)).over(square);
    let mixed = |a: Interval, b: Interval, c: Interval| (two * (a * b + w * c)).over(square);
    [
        [across(y, z), mixed(x, y, -z), mixed(x, z, y)],
        [mixed(x, y, z), across(x, z), mixed(y, z, -x)],
        [mixed(x, z, -y), mixed(y, z, x), across(x, y)],
    ]
}

/// The rotation about a unit vector: `cos I + sin [u] + (1 − cos) u uᵀ`.
pub(crate) fn turn(u: &Vector, angle: Interval) -> Matrix {
    let (s, c) = angle.sin_cos();
    let rest = Interval::ONE - c;
    let cross = [[Interval::ZERO, -u[2], u[1]], [u[2], Interval::ZERO, -u[0]], [-u[1], u[0], Interval::ZERO]];
    [0, 1, 2].map(|i| {
        [0, 1, 2].map(|k| {
            let diagonal = if i == k { c } else { Interval::ZERO };
            diagonal + s * cross[i][k] + rest * u[i] * u[k]
        })
    })
}
