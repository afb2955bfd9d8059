//! A fast form of the CCD equation of the interpolant of Appendix D: the inverse matrix `B = S⁻¹` and the centre are
//! linear in time, or at rest.
//!
//! The polynomials are those of `track` and `equation`, of fixed degrees, as in `chord` for rigid motions: every
//! product is unrolled, and the errors are bounded in advance. With `e` the determinant of `B`,
//! ```text
//! S = adj B / e (degrees 2 and 3),     adj S = B / e (degree 1),     det S = 1 / e,
//! ```
//! so the equation of two such sides has degree 6. A side at rest has constants instead of these polynomials, `e = 1`,
//! and its own `det S`; with it the degree is 5.
//!
//! # Error
//! As in `chord`: bounds are for Bernstein coefficients, and products of polynomials are bounded by products of bounds.
//! `u` is the unit roundoff; `s`, `t` and `e` are bounds of the entries of `S`, of `adj S` and of the denominator.
//! - *Interpolant.* `B` is exact. An entry of `adj B` is a difference of two products of lines: a coefficient has at
//!   most 4 terms, and a term at most 4 roundings: `8u` times the sizes of both products. `e` sums three products
//!   of a line and a quadratic: at most 6 terms in a coefficient and 6 roundings: `18u b s`, and `3 b` times the error
//!   of `s`.
//! - *At rest.* The rotation matrix is off by `r` in each entry, and its entries are at most one. An entry of `S` is a
//!   sum of three products of three factors, one of them the rounded square of a semi-axis: 5 roundings of `3 s`, and
//!   `3 s · 2.1 r`. The adjugate has two roundings more.
//! - `d` has one rounding in a coordinate; its products are off by 5 roundings, and the sum of the sizes of all nine is
//!   at most `3 |d|²`.
//! - *Sums.* These are the roundings from a term to a coefficient. `d^T adj(S) d` has 18, and 4 for its multiplication
//!   with `e`. An entry of `mix` has 13, and `β` has 19. `p_1` and `p_2` have 13, and 4 for their elevation. The
//!   elevation of `e` has 4, and the determinant at rest has 6. With a side at rest there are fewer.
//!
//! [`coefficient_errors`] counts these generously and adds a quarter, for the last sums, the division by binomials, and
//! the rounding of the bounds. Sizes are between 2^-40 and 2^40, so an underflow is far below one rounding of the rows;
//! [`UNDERFLOW`] covers it if a factor is larger.
//!
//! Reference: Choi, Chang, Wang, Kim, Elber 2009, Appendix D.

use glam::{DMat3, DVec3};

use super::characteristic::{MIX, Sym3};
use super::chord::{Cubic, Line, Quadratic, UNDERFLOW, add_product};
use super::equation::Equation;
use super::form::Numbers;
use super::track::ENTRIES;
use crate::motion::AffineInterpolant;
use crate::numerics::bound::{largest_upper, upper_max};
use crate::numerics::rounding::UNIT;

/// A side whose inverse matrix and centre are linear in time. The coefficients are times binomials.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LinearInverse {
    /// The numerators of `adj S` and `S`, and their denominator `e`.
    adj: Sym3<Line>,
    s: Sym3<Quadratic>,
    denominator: Cubic,
    center: [Line; 3],
    bounds: Bounds,
}

/// A side at rest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AtRest {
    adj: Sym3<f64>,
    s: Sym3<f64>,
    det: f64,
    center: [f64; 3],
    bounds: Bounds,
}

/// Upper bounds of the sizes of the entries of `S`, of the adjugate and of `e`, and of their errors.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bounds {
    s: f64,
    t: f64,
    e: f64,
    s_error: f64,
    t_error: f64,
    e_error: f64,
}

impl LinearInverse {
    /// Returns the interpolant. Its sizes must allow the unit of length one.
    pub(super) fn interpolant(motion: &AffineInterpolant) -> LinearInverse {
        let (b, c) = (motion.matrices(), motion.centers());
        let adj: Sym3<Line> = [0, 1, 2, 3, 4, 5].map(|k| [b[0][k], b[1][k]]);
        let s: Sym3<Quadratic> = MIX.map(|([i, j], [k, l])| {
            let mut entry = [0.0; 3];
            add_product(&mut entry, 1.0, &adj[i], &adj[j]);
            add_product(&mut entry, -1.0, &adj[k], &adj[l]);
            entry
        });
        let mut denominator = [0.0; 4];
        for k in [0, 5, 4] {
            add_product(&mut denominator, 1.0, &adj[k], &s[k]);
        }
        // Bounds of each entry: the entries of a long ellipsoid differ by orders of magnitude.
        let sizes = adj.map(|[a, b]| upper_max(a.abs(), b.abs()));
        let s_errors =
            MIX.map(|([i, j], [k, l])| 10.0 * UNIT * (sizes[i] * sizes[j] + sizes[k] * sizes[l]) + UNDERFLOW);
        let s_size = |k: usize| {
            let [a, b, c] = s[k].map(f64::abs);
            largest_upper([a, 0.5 * b, c]) + s_errors[k]
        };
        let e_error =
            [0, 5, 4].map(|k| sizes[k] * (s_errors[k] + 20.0 * UNIT * s_size(k))).iter().sum::<f64>();
        let e_error = e_error * (1.0 + 8.0 * UNIT) + UNDERFLOW;
        let (t, s_error) = (largest_upper(sizes), largest_upper(s_errors));
        let largest_s = largest_upper([0, 1, 2, 3, 4, 5].map(s_size));
        let [e0, e1, e2, e3] = denominator.map(f64::abs);
        let e = largest_upper([e0, e1 / 3.0, e2 / 3.0, e3]) * (1.0 + 4.0 * UNIT) + e_error;
        let center = [0, 1, 2].map(|k| [c[0][k], c[1][k]]);
        let bounds = Bounds { s: largest_s, t, e, s_error, t_error: UNDERFLOW, e_error };
        LinearInverse { adj, s, denominator, center, bounds }
    }

    /// Returns the equation of two such sides.
    pub(super) fn equation(a: &LinearInverse, b: &LinearInverse) -> Equation {
        let d = [0, 1, 2].map(|k| [0, 1].map(|i| b.center[k][i] - a.center[k][i]));
        let dd = ENTRIES.map(|(i, j)| {
            let (x, y) = (&d[i], &d[j]);
            [x[0] * y[0], x[0] * y[1] + x[1] * y[0], x[1] * y[1]]
        });
        let [mut alpha_part, mut gamma_part, mut p1_part, mut p2_part] = [[0.0; 4]; 4];
        let mut beta = [0.0; 7];
        for (k, ([i, j], [l, m])) in MIX.into_iter().enumerate() {
            let twice = if k < 3 { 1.0 } else { 2.0 };
            add_product(&mut alpha_part, twice, &dd[k], &a.adj[k]);
            add_product(&mut gamma_part, twice, &dd[k], &b.adj[k]);
            add_product(&mut p2_part, twice, &a.adj[k], &b.s[k]);
            add_product(&mut p1_part, twice, &a.s[k], &b.adj[k]);
            let mut mix = [0.0; 5];
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
        // Elevated by three.
        let ones = [1.0, 3.0, 3.0, 1.0];
        let [mut alpha, mut gamma, mut p0, mut p1, mut p2, mut p3] = [[0.0; 7]; 6];
        add_product(&mut alpha, 1.0, &b.denominator, &alpha_part);
        add_product(&mut gamma, 1.0, &a.denominator, &gamma_part);
        add_product(&mut p0, 1.0, &ones, &a.denominator);
        add_product(&mut p1, 1.0, &ones, &p1_part);
        add_product(&mut p2, 1.0, &ones, &p2_part);
        add_product(&mut p3, 1.0, &ones, &b.denominator);

        let length = |k: usize| d[0][k] * d[0][k] + d[1][k] * d[1][k] + d[2][k] * d[2][k];
        let errors = coefficient_errors([&a.bounds, &b.bounds], [1.0; 2], upper_max(length(0), length(1)));
        equation_of([alpha, beta, gamma], [p0, p1, p2, p3], &BINOMIALS_6, errors)
    }
}

impl AtRest {
    /// Returns an ellipsoid with these semi-axes in the unit of length one. Its rotation matrix is off by `error` in
    /// each entry.
    pub(super) fn new(semi_axes: DVec3, rotation: DMat3, error: f64, center: DVec3) -> AtRest {
        let squares = semi_axes * semi_axes;
        let pairs = DVec3::new(squares.y * squares.z, squares.x * squares.z, squares.x * squares.y);
        let row = |i: usize| DVec3::new(rotation.x_axis[i], rotation.y_axis[i], rotation.z_axis[i]);
        let entries = |weights: DVec3| ENTRIES.map(|(i, j)| (weights * row(i)).dot(row(j)));
        let (s, adj) = (entries(squares), entries(pairs));
        // The rows of a rotation have length one, even after rounding.
        let (largest, larger) = (1.5 * squares.max_element(), 1.5 * pairs.max_element());
        let s_error = largest * (32.0 * UNIT + 8.0 * error) + UNDERFLOW;
        let t_error = larger * (48.0 * UNIT + 8.0 * error) + UNDERFLOW;
        let size = |entries: &Sym3<f64>, error: f64| largest_upper(entries.iter().map(|x| x.abs())) + error;
        let (s_size, t) = (size(&s, s_error), size(&adj, t_error));
        let bounds = Bounds { s: s_size, t, e: 1.0, s_error, t_error, e_error: 0.0 };
        AtRest { adj, s, det: squares.x * pairs.x, center: center.to_array(), bounds }
    }

    /// Returns the equation of a side at rest, the first, and an interpolant.
    pub(super) fn equation(a: &AtRest, b: &LinearInverse) -> Equation {
        let d = [0, 1, 2].map(|k| [0, 1].map(|i| b.center[k][i] - a.center[k]));
        let dd = ENTRIES.map(|(i, j)| {
            let (x, y) = (&d[i], &d[j]);
            [x[0] * y[0], x[0] * y[1] + x[1] * y[0], x[1] * y[1]]
        });
        let (mut alpha_part, mut gamma_part, mut beta_part) = ([0.0; 3], [0.0; 4], [0.0; 5]);
        let (mut p1_part, mut p2_part) = ([0.0; 2], [0.0; 3]);
        for (k, ([i, j], [l, m])) in MIX.into_iter().enumerate() {
            let twice = if k < 3 { 1.0 } else { 2.0 };
            add_product(&mut alpha_part, twice * a.adj[k], &[1.0], &dd[k]);
            add_product(&mut gamma_part, twice, &b.adj[k], &dd[k]);
            add_product(&mut p2_part, twice * a.adj[k], &[1.0], &b.s[k]);
            add_product(&mut p1_part, twice * a.s[k], &[1.0], &b.adj[k]);
            let mut mix = [0.0; 3];
            add_product(&mut mix, a.s[i], &[1.0], &b.s[j]);
            add_product(&mut mix, a.s[j], &[1.0], &b.s[i]);
            add_product(&mut mix, -a.s[l], &[1.0], &b.s[m]);
            add_product(&mut mix, -a.s[m], &[1.0], &b.s[l]);
            add_product(&mut beta_part, twice, &dd[k], &mix);
        }
        let [mut alpha, mut beta, mut gamma, mut p1, mut p2, mut p3] = [[0.0; 6]; 6];
        add_product(&mut alpha, 1.0, &b.denominator, &alpha_part);
        // Elevated to degree 5.
        add_product(&mut beta, 1.0, &[1.0, 1.0], &beta_part);
        add_product(&mut gamma, 1.0, &[1.0, 2.0, 1.0], &gamma_part);
        add_product(&mut p1, 1.0, &[1.0, 4.0, 6.0, 4.0, 1.0], &p1_part);
        add_product(&mut p2, 1.0, &[1.0, 3.0, 3.0, 1.0], &p2_part);
        add_product(&mut p3, a.det, &[1.0, 2.0, 1.0], &b.denominator);
        let length = |k: usize| d[0][k] * d[0][k] + d[1][k] * d[1][k] + d[2][k] * d[2][k];
        let errors =
            coefficient_errors([&a.bounds, &b.bounds], [a.det, 1.0], upper_max(length(0), length(1)));
        // `e` of the side at rest, and the numerator of the other determinant, are one.
        equation_of([alpha, beta, gamma], [BINOMIALS_5, p1, p2, p3], &BINOMIALS_5, errors)
    }
}

impl Equation {
    /// Returns the same equation with the two sides exchanged: `u` becomes `1 − u`.
    pub(super) fn exchanged(mut self) -> Equation {
        self.rows.reverse();
        self.errors.reverse();
        self.sizes.reverse();
        self.inner.reverse();
        self
    }
}

/// Returns the equation from the terms of `characteristic`, all of one degree and times binomials.
fn equation_of<const K: usize>(
    [alpha, beta, gamma]: [[f64; K]; 3],
    [p0, p1, p2, p3]: [[f64; K]; 4],
    binomials: &[f64; K],
    errors: [f64; 5],
) -> Equation {
    let row = |f: &dyn Fn(usize) -> f64| -> Numbers {
        let mut row = [0.0; K];
        for (i, c) in row.iter_mut().enumerate() {
            *c = f(i) / binomials[i];
        }
        Numbers::from_slice(&row)
    };
    let rows = [
        row(&|i| -p0[i]),
        row(&|i| gamma[i] - (p1[i] + p0[i])),
        row(&|i| beta[i] - (p2[i] + p1[i])),
        row(&|i| alpha[i] - (p3[i] + p2[i])),
        row(&|i| -p3[i]),
    ];
    let inner = [row(&|i| p1[i]), row(&|i| p2[i])];
    let sizes = rows.each_ref().map(|row| largest_upper(row.iter().map(|c| c.abs())));
    Equation { degree: K - 1, rows, errors, sizes, inner }
}

const BINOMIALS_5: [f64; 6] = [1.0, 5.0, 10.0, 10.0, 5.0, 1.0];
const BINOMIALS_6: [f64; 7] = [1.0, 6.0, 15.0, 20.0, 15.0, 6.0, 1.0];

/// Returns bounds of the errors of the rows; see the header. `square` is the largest of `|d|²` at both ends.
fn coefficient_errors([x, y]: [&Bounds; 2], [det_a, det_b]: [f64; 2], square: f64) -> [f64; 5] {
    let d = 3.0 * square * (1.0 + 16.0 * UNIT);
    let alpha = d * ((x.t_error + 26.0 * UNIT * x.t) * y.e + x.t * (y.e_error + 8.0 * UNIT * y.e));
    let gamma = d * ((y.t_error + 26.0 * UNIT * y.t) * x.e + y.t * (x.e_error + 8.0 * UNIT * x.e));
    let s_errors = x.s * y.s_error + x.s_error * y.s + x.s_error * y.s_error;
    let beta = 4.0 * d * (s_errors + 52.0 * UNIT * x.s * y.s + UNDERFLOW);
    let p2 = 9.0 * (x.t * y.s_error + x.t_error * y.s + x.t_error * y.s_error + 40.0 * UNIT * x.t * y.s);
    let p1 = 9.0 * (x.s * y.t_error + x.s_error * y.t + x.s_error * y.t_error + 40.0 * UNIT * x.s * y.t);
    let (p0, p3) = (det_b * (x.e_error + 24.0 * UNIT * x.e), det_a * (y.e_error + 24.0 * UNIT * y.e));
    [p0, gamma + p1 + p0, beta + p1 + p2, alpha + p2 + p3, p3].map(|error| 1.25 * error + UNDERFLOW)
}

#[cfg(test)]
#[path = "linear_inverse_tests.rs"]
mod tests;
