//! A fast form of the CCD equation of the most common motion: quaternions and origins interpolated linearly on both
//! sides.
//!
//! The polynomials are those of `track` and `equation`, of fixed degrees: 4 for `S` and its adjugate, 10 for the
//! equation. So every product is unrolled, and the errors are bounded in advance instead of along the way. This keeps a
//! pair of two frames of an animation at a few microseconds.
//!
//! # Error
//! All bounds are for coefficients in the Bernstein basis; products of polynomials are then bounded by products of
//! bounds. `u` is the unit roundoff, `m` the larger length of the two quaternions, `s` and `t` the largest squares of
//! one and of two semi-axes.
//! - An entry of `N`, the matrix times `|q|²`, is a sum of at most 8 products and at most `m²`: off by at most
//!   `10u m²`.
//! - `S = Σ a_k² N_ik N_jk`: 13 roundings of `3 s m⁴`, and `2·10u m² · 3 m² s` from `N`: `100u s m⁴`. The adjugate has
//!   two more roundings in its weights: `110u t m⁴`.
//! - `E` is off by `10u m²`, so `E²` by `26u m⁴`.
//! - `d` has one rounding in each coordinate; its products are off by 5 roundings, and the sum of the sizes of all nine
//!   is at most `3 |d|²`.
//! - A sum of products of two of the above has, for each coefficient, one addition per term of the shorter factor and
//!   per product: 18 for `α`, 20 for an entry of `mix` and 18 for `β`, 30 for `p_1` and `p_2`, at most 5 for each
//!   multiplication with `E²`.
//!
//! [`coefficient_errors`] counts these generously and adds a quarter, for the last sums, the division by binomials, and
//! the rounding of the bounds.

use glam::DVec3;

use super::characteristic::{MIX, Sym3};
use super::equation::Equation;
use super::form::Numbers;
use super::stationary::unit_of;
use crate::motion::Rational;
use crate::numerics::bernstein::Bernstein;
use crate::numerics::bound::{largest_upper, upper_max};
use crate::numerics::rounding::UNIT;

/// The coefficients of a linear polynomial, times binomials.
pub(super) type Line = [f64; 2];
pub(super) type Quadratic = [f64; 3];
pub(super) type Cubic = [f64; 4];
type Quartic = [f64; 5];

/// A side whose quaternion and centre are linear in time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chord {
    s: Sym3<Quartic>,
    adj: Sym3<Quartic>,
    denominator: Quartic,
    det: f64,
    quat: [Line; 4],
    center: [Line; 3],
    /// The unit of length.
    pub(super) unit: f64,
    bounds: Bounds,
}

/// Upper bounds of the sizes of the entries of `S`, of the adjugate and of `E²`, and of their errors.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bounds {
    s: f64,
    t: f64,
    e: f64,
    s_error: f64,
    t_error: f64,
    e_error: f64,
}

impl Chord {
    /// Returns an ellipsoid with these semi-axes in a unit of length, which is a power of two. `None` if the quaternion
    /// or the centre is not linear, or the weight not one.
    pub(super) fn new(semi_axes: DVec3, unit: f64, motion: &Rational) -> Option<Chord> {
        let line = |p: &Bernstein| -> Option<Line> {
            let is_exact = p.errors().iter().all(|&e| e == 0.0);
            match p.coefficients() {
                [c] if is_exact => Some([*c, *c]),
                [a, b] if is_exact => Some([*a, *b]),
                _ => None,
            }
        };
        let quat = motion.quaternion();
        if line(motion.weight())? != [1.0; 2] || quat.iter().all(|q| q.degree() == 0) {
            return None;
        }
        let mut q = [line(&quat[0])?, line(&quat[1])?, line(&quat[2])?, line(&quat[3])?];
        // The rotation does not depend on the length of the quaternion, but products of its coefficients may underflow.
        let quat_unit = unit_of(largest_upper(q.iter().flatten().map(|c| c.abs())));
        if quat_unit != 1.0 {
            q.iter_mut().flatten().for_each(|c| *c /= quat_unit);
        }
        let xyz = motion.xyz();
        let mut center = [line(&xyz[0])?, line(&xyz[1])?, line(&xyz[2])?];
        if unit != 1.0 {
            center.iter_mut().flatten().for_each(|c| *c /= unit);
        }

        let product = |i: usize, j: usize| -> Quadratic {
            let (a, b) = (&q[i], &q[j]);
            [a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[1] * b[1]]
        };
        let [ww, xx, yy, zz] = [0, 1, 2, 3].map(|k| product(k, k));
        let [xy, xz, yz] = [product(1, 2), product(1, 3), product(2, 3)];
        let [wx, wy, wz] = [product(0, 1), product(0, 2), product(0, 3)];
        let each = |f: &dyn Fn(usize) -> f64| -> Quadratic { [f(0), f(1), f(2)] };
        let n: [[Quadratic; 3]; 3] = [
            [
                each(&|i| ww[i] + xx[i] - yy[i] - zz[i]),
                each(&|i| 2.0 * (xy[i] - wz[i])),
                each(&|i| 2.0 * (xz[i] + wy[i])),
            ],
            [
                each(&|i| 2.0 * (xy[i] + wz[i])),
                each(&|i| ww[i] - xx[i] + yy[i] - zz[i]),
                each(&|i| 2.0 * (yz[i] - wx[i])),
            ],
            [
                each(&|i| 2.0 * (xz[i] - wy[i])),
                each(&|i| 2.0 * (yz[i] + wx[i])),
                each(&|i| ww[i] - xx[i] - yy[i] + zz[i]),
            ],
        ];
        let length = each(&|i| ww[i] + xx[i] + yy[i] + zz[i]);
        let mut denominator = [0.0; 5];
        add_product(&mut denominator, 1.0, &length, &length);

        let squares = semi_axes * semi_axes;
        let pairs = DVec3::new(squares.y * squares.z, squares.x * squares.z, squares.x * squares.y);
        let (mut s, mut adj) = ([[0.0; 5]; 6], [[0.0; 5]; 6]);
        for (entry, (i, j)) in super::track::ENTRIES.into_iter().enumerate() {
            for k in 0..3 {
                let mut term = [0.0; 5];
                add_product(&mut term, 1.0, &n[i][k], &n[j][k]);
                for l in 0..5 {
                    s[entry][l] += squares[k] * term[l];
                    adj[entry][l] += pairs[k] * term[l];
                }
            }
        }
        let square = |k: usize| q[0][k] * q[0][k] + q[1][k] * q[1][k] + q[2][k] * q[2][k] + q[3][k] * q[3][k];
        let m2 = upper_max(square(0), square(1));
        let m4 = m2 * m2 * (1.0 + 32.0 * UNIT);
        let (largest, larger) = (squares.max_element(), pairs.max_element());
        let s_error = 104.0 * UNIT * largest * m4 + UNDERFLOW;
        let t_error = 114.0 * UNIT * larger * m4 + UNDERFLOW;
        let e_error = 28.0 * UNIT * m4;
        let bounds = Bounds {
            // On the diagonal `S` is positive. Off the diagonal the blossom is not larger than on it; here its own
            // coefficients bound it.
            s: largest_of(&s) + s_error,
            t: largest_of(&adj) + t_error,
            e: m4 + e_error,
            s_error,
            t_error,
            e_error,
        };
        Some(Chord { s, adj, denominator, det: squares.x * pairs.x, quat: q, center, unit, bounds })
    }

    /// Returns the quaternion, the centre and its weight, for the general form.
    pub(super) fn polynomials(&self) -> ([Bernstein; 4], [Bernstein; 3], Bernstein) {
        let form = |c: &[f64]| Bernstein::from_coefficients(c).expect("they come from finite polynomials");
        (self.quat.each_ref().map(|q| form(q)), self.center.each_ref().map(|c| form(c)), form(&[1.0]))
    }

    /// Returns the equation of two such sides in the same unit of length.
    pub(super) fn equation(a: &Chord, b: &Chord) -> Equation {
        let d = [0, 1, 2].map(|k| [0, 1].map(|i| b.center[k][i] - a.center[k][i]));
        let dd = super::track::ENTRIES.map(|(i, j)| {
            let (x, y) = (&d[i], &d[j]);
            [x[0] * y[0], x[0] * y[1] + x[1] * y[0], x[1] * y[1]]
        });
        let mut alpha_part = [0.0; 7];
        let mut gamma_part = [0.0; 7];
        let mut beta = [0.0; 11];
        let (mut p1_part, mut p2_part) = ([0.0; 9], [0.0; 9]);
        for (k, ([i, j], [l, m])) in MIX.into_iter().enumerate() {
            let twice = if k < 3 { 1.0 } else { 2.0 };
            add_product(&mut alpha_part, twice, &dd[k], &a.adj[k]);
            add_product(&mut gamma_part, twice, &dd[k], &b.adj[k]);
            add_product(&mut p2_part, twice, &a.adj[k], &b.s[k]);
            add_product(&mut p1_part, twice, &a.s[k], &b.adj[k]);
            let mut mix = [0.0; 9];
            add_product(&mut mix, 1.0, &a.s[i], &b.s[j]);
            add_product(&mut mix, 1.0, &a.s[j], &b.s[i]);
            if l == m {
                add_product(&mut mix, -2.0, &a.s[l], &b.s[l]);
            } else {
                add_product(&mut mix, -1.0, &a.s[l], &b.s[m]);
                add_product(&mut mix, -1.0, &a.s[m], &b.s[l]);
            }
            add_product(&mut beta, twice, &dd[k], &mix);
        }
        // Elevated by two.
        let ones = [1.0, 2.0, 1.0];
        let mut both = [0.0; 9];
        add_product(&mut both, 1.0, &a.denominator, &b.denominator);
        let [mut alpha, mut gamma, mut p1, mut p2, mut det] = [[0.0; 11]; 5];
        add_product(&mut alpha, 1.0, &b.denominator, &alpha_part);
        add_product(&mut gamma, 1.0, &a.denominator, &gamma_part);
        add_product(&mut p1, 1.0, &ones, &p1_part);
        add_product(&mut p2, 1.0, &ones, &p2_part);
        add_product(&mut det, 1.0, &ones, &both);

        let row = |f: &dyn Fn(usize) -> f64| -> Numbers {
            let mut row = [0.0; 11];
            for (i, c) in row.iter_mut().enumerate() {
                *c = f(i) / BINOMIALS_10[i];
            }
            Numbers::from_slice(&row)
        };
        let rows = [
            row(&|i| -b.det * det[i]),
            row(&|i| gamma[i] - (p1[i] + b.det * det[i])),
            row(&|i| beta[i] - (p2[i] + p1[i])),
            row(&|i| alpha[i] - (a.det * det[i] + p2[i])),
            row(&|i| -a.det * det[i]),
        ];
        let inner = [row(&|i| p1[i]), row(&|i| p2[i])];
        let length = |k: usize| d[0][k] * d[0][k] + d[1][k] * d[1][k] + d[2][k] * d[2][k];
        let errors = coefficient_errors(a, b, upper_max(length(0), length(1)));
        let sizes = rows.each_ref().map(|row| largest_upper(row.iter().map(|c| c.abs())));
        Equation { degree: 10, rows, errors, sizes, inner }
    }
}

/// More than the effect of underflow on one coefficient.
pub(super) const UNDERFLOW: f64 = 1e-300;

const BINOMIALS_10: [f64; 11] = [1.0, 10.0, 45.0, 120.0, 210.0, 252.0, 210.0, 120.0, 45.0, 10.0, 1.0];

/// Returns bounds of the errors of the rows; see the header. `square` is the largest of `|d|²` at both ends.
fn coefficient_errors(a: &Chord, b: &Chord, square: f64) -> [f64; 5] {
    let (x, y) = (&a.bounds, &b.bounds);
    let d = 3.0 * square * (1.0 + 16.0 * UNIT);
    let alpha = d * ((x.t_error + 26.0 * UNIT * x.t) * y.e + x.t * (y.e_error + 8.0 * UNIT * y.e));
    let gamma = d * ((y.t_error + 26.0 * UNIT * y.t) * x.e + y.t * (x.e_error + 8.0 * UNIT * x.e));
    let s_errors = x.s * y.s_error + x.s_error * y.s + x.s_error * y.s_error;
    let beta = 4.0 * d * (s_errors + 52.0 * UNIT * x.s * y.s + UNDERFLOW);
    let p2 = 9.0 * (x.t * y.s_error + x.t_error * y.s + x.t_error * y.s_error + 40.0 * UNIT * x.t * y.s);
    let p1 = 9.0 * (x.s * y.t_error + x.s_error * y.t + x.s_error * y.t_error + 40.0 * UNIT * x.s * y.t);
    let e = x.e * y.e_error + x.e_error * y.e + x.e_error * y.e_error + 24.0 * UNIT * x.e * y.e;
    let (p0, p3) = (b.det * e, a.det * e);
    [p0, gamma + p1 + p0, beta + p1 + p2, alpha + p2 + p3, p3].map(|error| 1.25 * error + UNDERFLOW)
}

/// Returns the largest coefficient of quartics that are given times binomials, rounded up.
fn largest_of(quartics: &Sym3<Quartic>) -> f64 {
    let largest = |q: &Quartic| {
        let [a, b, c, d, e] = q.map(f64::abs);
        largest_upper([a, 0.25 * b, c / 6.0, 0.25 * d, e])
    };
    largest_upper(quartics.iter().map(largest)) * (1.0 + 4.0 * UNIT)
}

#[cfg(test)]
thread_local! {
    static PRODUCTS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Returns the number of products of coefficients computed on this thread.
#[cfg(test)]
pub(super) fn products() -> usize {
    PRODUCTS.with(std::cell::Cell::get)
}

/// Adds `factor · a · b` to a polynomial of the sum of their degrees.
#[inline(always)]
pub(super) fn add_product<const M: usize, const N: usize, const K: usize>(
    sum: &mut [f64; K],
    factor: f64,
    a: &[f64; M],
    b: &[f64; N],
) {
    const { assert!(K == M + N - 1) };
    #[cfg(test)]
    PRODUCTS.with(|count| count.set(count.get() + M * N));
    for i in 0..M {
        let x = factor * a[i];
        for j in 0..N {
            sum[i + j] += x * b[j];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ellipsoid::Track;
    use crate::motion::{Pose, Rational};
    use crate::shape::Ellipsoid;
    use glam::DQuat;

    /// The fast form and the general one agree within the sum of their errors, for all coefficients.
    #[test]
    fn the_same_as_the_general_equation() {
        let mut state = 7_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for _ in 0..200 {
            let mut pose = || {
                let q = DQuat::from_xyzw(unit(), unit(), unit(), unit());
                Pose::new(DVec3::new(unit(), unit(), unit()) * 4.0, q).unwrap()
            };
            let motions = [Rational::between(pose(), pose()), Rational::between(pose(), pose())];
            let mut shape = || Ellipsoid::new(DVec3::new(unit(), unit(), unit()).abs() * 4.0 + 0.1).unwrap();
            let shapes = [shape(), shape()];
            let [a, b] = [0, 1].map(|k| Chord::new(shapes[k].semi_axes(), 1.0, &motions[k]).unwrap());
            let quick = Chord::equation(&a, &b);
            let [a, b] = [0, 1].map(|k| Track::rational(&shapes[k], &motions[k]));
            let general = Equation::general(&a.to_general(), &b.to_general());
            assert_eq!((quick.degree, general.degree), (10, 10));
            for row in 0..5 {
                let error = quick.errors[row] + general.errors[row];
                assert!(quick.errors[row] < 100.0 * general.errors[row], "{row}");
                for (x, y) in quick.rows[row].iter().zip(&general.rows[row]) {
                    assert!((x - y).abs() <= error, "row {row}: {x} {y} {error}");
                }
            }
        }
    }
}
