//! Vectors, rotations and elementary functions of about 30 digits, for references that round a million times less than
//! the code under test.

use firsttouch::numerics::double_double::DoubleDouble;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number of about 30 digits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Wide(DoubleDouble);

impl From<f64> for Wide {
    fn from(x: f64) -> Wide {
        Wide(x.into())
    }
}

impl Add for Wide {
    type Output = Wide;
    fn add(self, other: Wide) -> Wide {
        Wide(self.0.plus(other.0))
    }
}

impl Sub for Wide {
    type Output = Wide;
    fn sub(self, other: Wide) -> Wide {
        Wide(self.0.minus(other.0))
    }
}

impl Mul for Wide {
    type Output = Wide;
    fn mul(self, other: Wide) -> Wide {
        Wide(self.0.times(other.0))
    }
}

impl Mul<f64> for Wide {
    type Output = Wide;
    fn mul(self, other: f64) -> Wide {
        Wide(self.0.scaled(other))
    }
}

impl Neg for Wide {
    type Output = Wide;
    fn neg(self) -> Wide {
        Wide(self.0.scaled(-1.0))
    }
}

impl Div for Wide {
    type Output = Wide;
    /// Each step of the long division adds 50 bits.
    fn div(self, other: Wide) -> Wide {
        let mut quotient = Wide::from(0.0);
        let mut rest = self;
        for _ in 0..3 {
            let digit = Wide::from(rest.f64() / other.f64());
            quotient = quotient + digit;
            rest = rest - digit * other;
        }
        quotient
    }
}

impl Wide {
    /// Rounded.
    pub(crate) fn f64(self) -> f64 {
        self.0.high
    }

    pub(crate) fn sqrt(self) -> Wide {
        if self.f64() <= 0.0 {
            return Wide::from(0.0);
        }
        let mut root = Wide::from(self.f64().sqrt());
        for _ in 0..2 {
            root = (root + self / root) * 0.5;
        }
        root
    }

    /// Sine and cosine: a series for a small part of the angle, doubled.
    pub(crate) fn sin_cos(self) -> (Wide, Wide) {
        let mut halvings = 0;
        let mut x = self;
        while x.f64().abs() > 0.05 {
            x = x * 0.5;
            halvings += 1;
        }
        // sin x and 1 − cos x, which does not lose digits when doubled.
        let square = x * x;
        let (mut sine, mut rest) = (Wide::from(0.0), Wide::from(0.0));
        let mut term = x;
        for k in 1..14 {
            sine = sine + term;
            term = -(term * square) / Wide::from(f64::from(2 * k * (2 * k + 1)));
        }
        let mut term = square * 0.5;
        for k in 1..14 {
            rest = rest + term;
            term = -(term * square) / Wide::from(f64::from((2 * k + 1) * (2 * k + 2)));
        }
        for _ in 0..halvings {
            let cosine = Wide::from(1.0) - rest;
            // 1 − cos 2x = 2 sin² x.
            (sine, rest) = (sine * cosine * 2.0, sine * sine * 2.0);
        }
        (sine, Wide::from(1.0) - rest)
    }
}

/// A vector.
pub(crate) type Vec3 = [Wide; 3];
/// A matrix, by rows.
pub(crate) type Mat3 = [[Wide; 3]; 3];

pub(crate) fn vector(v: glam::DVec3) -> Vec3 {
    v.to_array().map(Wide::from)
}

pub(crate) fn add(a: Vec3, b: Vec3) -> Vec3 {
    [0, 1, 2].map(|i| a[i] + b[i])
}

pub(crate) fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [0, 1, 2].map(|i| a[i] - b[i])
}

pub(crate) fn scale(a: Vec3, by: Wide) -> Vec3 {
    a.map(|x| x * by)
}

pub(crate) fn dot(a: Vec3, b: Vec3) -> Wide {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn unit(a: Vec3) -> Vec3 {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}

pub(crate) fn times(a: &Mat3, b: &Mat3) -> Mat3 {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j]))
}

pub(crate) fn apply(a: &Mat3, v: Vec3) -> Vec3 {
    a.map(|row| dot(row, v))
}

pub(crate) fn transpose(a: &Mat3) -> Mat3 {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| a[j][i]))
}

/// Returns the rotation by a rotation vector.
pub(crate) fn exponential(vector: Vec3) -> Mat3 {
    let angle = dot(vector, vector).sqrt();
    if angle.f64() == 0.0 {
        return rotation(vector, Wide::from(0.0));
    }
    rotation(unit(vector), angle)
}

/// Returns the rotation by an angle about a unit vector, by Rodrigues' formula.
pub(crate) fn rotation(axis: Vec3, angle: Wide) -> Mat3 {
    let (sine, cosine) = angle.sin_cos();
    let column = |k: usize| {
        let e = [0, 1, 2].map(|i| Wide::from(if i == k { 1.0 } else { 0.0 }));
        let turned = add(scale(e, cosine), scale(cross(axis, e), sine));
        add(turned, scale(axis, dot(axis, e) * (Wide::from(1.0) - cosine)))
    };
    transpose(&[column(0), column(1), column(2)])
}

/// A quaternion: w, x, y, z.
pub(crate) type Quat = [Wide; 4];

/// Returns a pose's quaternion, scaled to unit length.
pub(crate) fn quaternion(q: glam::DQuat) -> Quat {
    let q = [q.w, q.x, q.y, q.z].map(Wide::from);
    let length = q.iter().fold(Wide::from(0.0), |sum, &x| sum + x * x).sqrt();
    q.map(|x| x / length)
}

pub(crate) fn matrix([w, x, y, z]: Quat) -> Mat3 {
    let v = [x, y, z];
    let mut entries = [[Wide::from(0.0); 3]; 3];
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        entries[i][i] = w * w + v[i] * v[i] - v[j] * v[j] - v[k] * v[k];
        entries[i][j] = (v[i] * v[j] - w * v[k]) * 2.0;
        entries[j][i] = (v[i] * v[j] + w * v[k]) * 2.0;
    }
    entries
}

/// Returns the rotation vector from one orientation to another, the shorter way.
pub(crate) fn logarithm(from: Quat, to: Quat) -> Vec3 {
    let [a, b, c, d] = to;
    let [w, x, y, z] = [from[0], -from[1], -from[2], -from[3]];
    let mut quotient = [
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ];
    if quotient[0].f64() < 0.0 {
        quotient = quotient.map(|x| -x);
    }
    let [w, x, y, z] = quotient;
    let along = [x, y, z];
    let sine = dot(along, along).sqrt();
    if sine.f64() == 0.0 {
        return along;
    }
    // A guess and two steps of Newton's rule for the half angle: sin(φ − φ_0) = sin φ cos φ_0 − cos φ sin φ_0.
    let mut half = Wide::from(sine.f64().atan2(w.f64()));
    for _ in 0..2 {
        let (s, c) = half.sin_cos();
        half = half + (sine * c - w * s);
    }
    scale(along, half * 2.0 / sine)
}
