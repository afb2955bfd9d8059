//! Ellipsoids in rational motions, in exact arithmetic, with certificates that can be checked by hand. A common point
//! proves that they touch, a plane between them that they do not. The characteristic quartic is used only to guess the
//! certificates.

use dashu_ratio::Relaxed;
use firsttouch::ellipsoid::Posed;
use firsttouch::motion::Pose;
use glam::{DMat3, DQuat, DVec3};

pub(crate) type Vector = [Relaxed; 3];

/// Returns the exact value of a finite number.
pub(crate) fn exact(x: f64) -> Relaxed {
    Relaxed::try_from(x).expect("a finite number")
}

pub(crate) fn rounded(x: &Relaxed) -> f64 {
    x.to_f64().value()
}

pub(crate) fn vector(v: DVec3) -> Vector {
    v.to_array().map(exact)
}

fn dot(a: &Vector, b: &Vector) -> Relaxed {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn minus(a: &Vector, b: &Vector) -> Vector {
    [&a[0] - &b[0], &a[1] - &b[1], &a[2] - &b[2]]
}

/// A moving ellipsoid: coefficients of `1, t, t², ...`.
pub(crate) struct Side {
    axes: DVec3,
    turn: Turn,
    xyz: Vec<Vector>,
    weight: Vec<Relaxed>,
}

enum Turn {
    /// A quaternion that need not have unit length: w, x, y, z.
    Quat(Vec<[Relaxed; 4]>),
    /// A matrix, row by row, over the weight.
    Linear(Vec<[Relaxed; 9]>),
}

impl Side {
    /// Interpolates quaternion and origin linearly, the shorter way.
    pub(crate) fn between(axes: DVec3, from: Pose, to: Pose) -> Side {
        let numbers = |q: DQuat| [q.w, q.x, q.y, q.z].map(exact);
        let (q0, mut q1) = (numbers(from.rotation()), numbers(to.rotation()));
        let cosine = (0..4).fold(Relaxed::ZERO, |sum, k| sum + &q0[k] * &q1[k]);
        if cosine < Relaxed::ZERO {
            q1 = q1.map(|c| -c);
        }
        let step = [0, 1, 2, 3].map(|k| &q1[k] - &q0[k]);
        let (x0, x1) = (vector(from.translation()), vector(to.translation()));
        let shift = minus(&x1, &x0);
        Side { axes, turn: Turn::Quat(vec![q0, step]), xyz: vec![x0, shift], weight: vec![Relaxed::ONE] }
    }

    /// Like `Rational::from_power_basis`, without a rotation.
    pub(crate) fn translated(axes: DVec3, xyz: &[[f64; 3]], weight: &[f64]) -> Side {
        let still = [Relaxed::ONE, Relaxed::ZERO, Relaxed::ZERO, Relaxed::ZERO];
        let weight =
            if weight.is_empty() { vec![Relaxed::ONE] } else { weight.iter().copied().map(exact).collect() };
        let xyz = xyz.iter().map(|row| row.map(exact)).collect();
        Side { axes, turn: Turn::Quat(vec![still]), xyz, weight }
    }

    /// Like `Affine::from_power_basis`.
    pub(crate) fn affine(axes: DVec3, linear: &[[f64; 9]], xyz: &[[f64; 3]], weight: &[f64]) -> Side {
        let linear = linear.iter().map(|row| row.map(exact)).collect();
        Side { turn: Turn::Linear(linear), ..Side::translated(axes, xyz, weight) }
    }

    pub(crate) fn at(&self, t: f64) -> Placed {
        let t = exact(t);
        let horner =
            |numbers: Vec<&Relaxed>| numbers.iter().rev().fold(Relaxed::ZERO, |sum, c| sum * &t + *c);
        let weight = horner(self.weight.iter().collect());
        let center = [0, 1, 2].map(|k| horner(self.xyz.iter().map(|row| &row[k]).collect()) / &weight);
        match &self.turn {
            Turn::Quat(quat) => {
                let q = [0, 1, 2, 3].map(|k| horner(quat.iter().map(|row| &row[k]).collect()));
                Placed::new(self.axes, &q, center)
            }
            Turn::Linear(linear) => {
                let axes = vector(self.axes);
                let entry = |i: usize, j: usize| {
                    horner(linear.iter().map(|row| &row[3 * i + j]).collect()) * &axes[j] / &weight
                };
                Placed::affine([0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j))), center)
            }
        }
    }
}

/// An ellipsoid at an instant: `{c + M y}`, `|y| <= 1`.
pub(crate) struct Placed {
    /// The rows of `M` and of its inverse.
    rows: [Vector; 3],
    inverse: [Vector; 3],
    center: Vector,
}

impl Placed {
    fn new(axes: DVec3, q: &[Relaxed; 4], center: Vector) -> Placed {
        let v = [&q[1], &q[2], &q[3]];
        let square = |x: &Relaxed| x * x;
        let two = |x: Relaxed| &x + &x;
        let mut rows: [Vector; 3] = Default::default();
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            rows[i][i] = square(&q[0]) + square(v[i]) - square(v[j]) - square(v[k]);
            rows[i][j] = two(v[i] * v[j] - &q[0] * v[k]);
            rows[j][i] = two(v[i] * v[j] + &q[0] * v[k]);
        }
        let length = q.iter().fold(Relaxed::ZERO, |sum, x| sum + square(x));
        let axes = vector(axes);
        // The inverse of a rotation is its transpose.
        let inverse = [0, 1, 2].map(|i| [0, 1, 2].map(|j| &rows[j][i] / &length / &axes[i]));
        let rows = [0, 1, 2].map(|i| [0, 1, 2].map(|j| &rows[i][j] * &axes[j] / &length));
        Placed { rows, inverse, center }
    }

    /// Returns the image of the unit ball under a matrix that can be inverted.
    fn affine(rows: [Vector; 3], center: Vector) -> Placed {
        // Cramer's rule: the columns of the inverse are the cross products of the rows over the determinant.
        let cross = |a: &Vector, b: &Vector| {
            [0, 1, 2].map(|k| {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                &a[i] * &b[j] - &a[j] * &b[i]
            })
        };
        let columns = [0, 1, 2].map(|k| cross(&rows[(k + 1) % 3], &rows[(k + 2) % 3]));
        let determinant = dot(&rows[0], &columns[0]);
        let inverse = [0, 1, 2].map(|i| [0, 1, 2].map(|j| &columns[j][i] / &determinant));
        Placed { rows, inverse, center }
    }

    /// Returns a shape at rest.
    pub(crate) fn at_rest(axes: DVec3, pose: &Pose) -> Placed {
        let q = pose.rotation();
        Placed::new(axes, &[q.w, q.x, q.y, q.z].map(exact), vector(pose.translation()))
    }

    /// Returns the position of a point of the body.
    pub(crate) fn place(&self, point: &Vector) -> Vector {
        [0, 1, 2].map(|i| dot(&self.rows[i], point) + &self.center[i])
    }

    /// Returns `(x − c)^T S⁻¹ (x − c)`: at most one inside.
    pub(crate) fn level(&self, point: &Vector) -> Relaxed {
        let d = minus(point, &self.center);
        let y = self.inverse.each_ref().map(|row| dot(row, &d));
        dot(&y, &y)
    }

    /// Returns `n^T S n`, the square of the support function about the centre.
    fn spread(&self, n: &Vector) -> Relaxed {
        let y = [0, 1, 2].map(|k| (0..3).fold(Relaxed::ZERO, |sum, i| sum + &self.rows[i][k] * &n[i]));
        dot(&y, &y)
    }

    fn matrix(&self) -> DMat3 {
        let column = |k: usize| DVec3::from_array([0, 1, 2].map(|i| rounded(&self.rows[i][k])));
        DMat3::from_cols(column(0), column(1), column(2))
    }
}

/// Returns true if a plane with this normal proves that the two are farther apart than a distance.
pub(crate) fn is_apart(a: &Placed, b: &Placed, n: DVec3, distance: f64) -> bool {
    if !n.is_finite() {
        return false;
    }
    // More than the length of `n`, so that the tested distance is not too small.
    let length = exact(n.length() * (1.0 + 1e-15) + 1e-300);
    let n = vector(n);
    let h = dot(&n, &minus(&b.center, &a.center)) - exact(distance) * length;
    let (x, y) = (a.spread(&n), b.spread(&n));
    // h > sqrt(x) + sqrt(y), squared twice.
    let rest = &h * &h - &x - &y;
    h > Relaxed::ZERO && rest > Relaxed::ZERO && &rest * &rest > Relaxed::from(4_u32) * x * y
}

/// Returns the certified answer: `Some(true)` for a common point, `Some(false)` for a plane between, or `None`.
pub(crate) fn touch(a: &Placed, b: &Placed) -> Option<bool> {
    let d = minus(&b.center, &a.center);
    let d_rounded = DVec3::from_array(d.each_ref().map(rounded));
    let (matrix_a, matrix_b) = (a.matrix(), b.matrix());
    // In units of the largest entry, because the guess may overflow or underflow in its own units.
    let size =
        matrix_a.to_cols_array().iter().chain(&matrix_b.to_cols_array()).fold(0.0_f64, |m, x| m.max(x.abs()));
    let posed = |m: DMat3, c: DVec3| {
        Posed::affine(DMat3::from_cols(m.x_axis / size, m.y_axis / size, m.z_axis / size), c / size).ok()
    };
    if d_rounded == DVec3::ZERO {
        return Some(true);
    }
    if !(d_rounded / size).is_finite() || (d_rounded / size).length() > 4.0 {
        let n = d_rounded / d_rounded.abs().max_element();
        return is_apart(a, b, n, 0.0).then_some(false);
    }
    let contact = posed(matrix_a, DVec3::ZERO)?.contact(&posed(matrix_b, d_rounded)?)?;
    if is_apart(a, b, contact.normal, 0.0) {
        return Some(false);
    }
    if !contact.point.is_finite() {
        return None;
    }
    let offset = vector(contact.point * size);
    let point = [0, 1, 2].map(|k| &a.center[k] + &offset[k]);
    (a.level(&point) <= Relaxed::ONE && b.level(&point) <= Relaxed::ONE).then_some(true)
}

/// Returns the direction in which the two are farthest apart, or nearly so.
pub(crate) fn normal(a: &Placed, b: &Placed) -> Option<DVec3> {
    let d = DVec3::from_array(minus(&b.center, &a.center).each_ref().map(rounded));
    let (x, y) = (a.matrix(), b.matrix());
    let size = x.to_cols_array().iter().chain(&y.to_cols_array()).fold(0.0_f64, |m, x| m.max(x.abs()));
    let down = |m: DMat3| DMat3::from_cols(m.x_axis / size, m.y_axis / size, m.z_axis / size);
    Some(Posed::affine(down(x), DVec3::ZERO).ok()?.contact(&Posed::affine(down(y), d / size).ok()?)?.normal)
}
