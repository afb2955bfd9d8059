//! The CCD equation of two moving ellipsoids: `F(u, t)` as a polynomial of degree 4 in `u` with polynomials of time for
//! coefficients.
//!
//! **`F(u, t) > 0` for some `u` in `(0, 1)` if and only if the two are separate at `t`.** `F` is the characteristic
//! quartic of `characteristic` at time `t`, times the common denominator, which is positive. It is kept as
//! ```text
//! F(u, t) = Σ_i u^i (1 − u)^(4−i) g_i(t),     g_i(t) = Σ_j g_ij B_j(t),
//! ```
//! with one error bound for all coefficients of a row, from `form`.
//!
//! # Degree
//! The determinant of the 4 by 4 matrices of the paper carries a high power of the denominators of the two motions in
//! all its terms. The form used here never has it, because `S` and its adjugate have the same denominator and the
//! determinant of `S` has none. With the notation of `track` and the centres over `w = w_A w_B`, the common denominator
//! is `w² e_A e_B`.
//!
//! | motions | paper | here |
//! |---|---|---|
//! | linear quaternions and origins on both sides (boxing) | 28 | 10 |
//! | one joint, two, three joints against something fixed (arm) | 32, 64, 96 | 8, 16, 24 |
//! | Example 1: degree 2 rotations, degree 3 translations on both sides | 34 | 14 |
//! | degree 4 affine on both sides (Example 2) | 48 | 24 |
//! | the affine interpolant against something fixed | 6 | 5 |
//!
//! Against a fixed ellipsoid, or one at rest relative to a common base, the degree is lower automatically. Links of one
//! arm are best described from their lowest common ancestor ([`Rational::inverse`] and [`Rational::after`] create
//! relative motions).
//!
//! [`Rational::inverse`]: crate::motion::Rational::inverse
//! [`Rational::after`]: crate::motion::Rational::after
//!
//! Reference: Choi, Chang, Wang, Kim, Elber 2009, Sec. 3.1.

use super::characteristic::{MIX, Sym3, Terms};
use super::chord::Chord;
use super::form::{Form, Forms, Numbers};
use super::linear_inverse::{AtRest, LinearInverse};
use super::track::{ENTRIES, General, Kind, Track};
use crate::numerics::rounding::UNIT;

/// `F(u, t)` in Bernstein form over a span of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Equation {
    pub(super) degree: usize,
    /// `g_0 .. g_4`, the coefficients of each in the Bernstein basis.
    pub(super) rows: [Numbers; 5],
    /// A bound of the error of any coefficient of a row.
    pub(super) errors: [f64; 5],
    /// The largest coefficient of each row.
    pub(super) sizes: [f64; 5],
    /// `p_1` and `p_2` of `det Q`, which only serve to find the best `u`; no proof uses them.
    pub(super) inner: [Numbers; 2],
}

impl Equation {
    /// Returns the equation of two moving ellipsoids.
    pub fn new(a: &Track, b: &Track) -> Equation {
        match (&a.0, &b.0) {
            (Kind::Chord(a, ..), Kind::Chord(b, ..)) if a.unit == b.unit => Chord::equation(a, b),
            (Kind::LinearInverse(a, _), Kind::LinearInverse(b, _)) => LinearInverse::equation(a, b),
            (Kind::AtRest(a, _), Kind::LinearInverse(b, _)) => AtRest::equation(a, b),
            (Kind::LinearInverse(a, _), Kind::AtRest(b, _)) => AtRest::equation(b, a).exchanged(),
            _ => Equation::general(&a.to_general(), &b.to_general()),
        }
    }

    /// Returns the equation for motions of any degree.
    pub(super) fn general(a: &General, b: &General) -> Equation {
        let mut forms = Forms::with_capacity(8 * (a.forms.len() + b.forms.len()));
        let (from_a, from_b) = (forms.append(&a.forms), forms.append(&b.forms));
        // Both sides in the larger unit.
        let unit = a.unit.max(b.unit); // not a bound: a unit
        let [(s_a, adj_a, det_a, center_a), (s_b, adj_b, det_b, center_b)] =
            [(a, from_a), (b, from_b)].map(|(side, by)| {
                let scale = side.unit / unit;
                let (two, four) = (scale * scale, (scale * scale) * (scale * scale));
                let mut at = |form: Form, factor: f64| forms.scaled(form.moved(by), factor);
                (
                    side.s.map(|form| at(form, two)),
                    side.adj.map(|form| at(form, four)),
                    at(side.det, four * two),
                    side.center.map(|form| at(form, scale)),
                )
            });
        let (e_a, e_b) = (a.denominator.moved(from_a), b.denominator.moved(from_b));
        let (w_a, w_b) = (a.weight.moved(from_a), b.weight.moved(from_b));

        // w d = x_B w_A − x_A w_B.
        let d = [0, 1, 2].map(|k| forms.sum(&[(1.0, center_b[k], w_a), (-1.0, center_a[k], w_b)]));
        let dd = ENTRIES.map(|(i, j)| forms.product(d[i], d[j]));
        let mix = MIX.map(|([i, j], [k, l])| {
            let (x, y) = (&s_a, &s_b);
            if k == l {
                forms.sum(&[(1.0, x[i], y[j]), (1.0, x[j], y[i]), (-2.0, x[k], y[k])])
            } else {
                forms.sum(&[(1.0, x[i], y[j]), (1.0, x[j], y[i]), (-1.0, x[k], y[l]), (-1.0, x[l], y[k])])
            }
        });

        // Over the common denominator w² e_A^m e_B^n.
        let ([sa, ta, da], [sb, tb, db]) = (a.powers, b.powers);
        let (m, n) = (sa.max(ta).max(da), sb.max(tb).max(db)); // not a bound: degrees
        let w = forms.product(w_a, w_b);
        let w = forms.product(w, w);
        let mut over = |form: Form, of_a: usize, of_b: usize| {
            let form = forms.times_power(form, e_a, m - of_a);
            forms.times_power(form, e_b, n - of_b)
        };
        // The remaining powers of the denominators, computed once.
        let (rest_a, rest_b) = (over(det_a, da, 0), over(det_b, 0, db));
        let alpha = inner(&mut forms, &adj_a, &dd);
        let beta = inner(&mut forms, &mix, &dd);
        let gamma = inner(&mut forms, &adj_b, &dd);
        let p2 = inner(&mut forms, &adj_a, &s_b);
        let p1 = inner(&mut forms, &s_a, &adj_b);
        let mut over = |form: Form, of_a: usize, of_b: usize| {
            let form = forms.times_power(form, e_a, m - of_a);
            forms.times_power(form, e_b, n - of_b)
        };
        let (alpha, beta, gamma) = (over(alpha, ta, 0), over(beta, sa, sb), over(gamma, 0, tb));
        let (p2, p1) = (over(p2, ta, sb), over(p1, sa, tb));
        let [p0, p1, p2, p3] = [rest_b, p1, p2, rest_a].map(|form| forms.product(form, w));

        let degree = [alpha, beta, gamma, p0, p1, p2, p3].iter().map(Form::degree).max().unwrap_or(0);
        let [p0, p1, p2, p3] = [p0, p1, p2, p3].map(|p| forms.sum_of_degree(degree, &[(1.0, p, Form::ONE)]));
        let mut row = |plus: Form, minus: [Form; 2]| {
            forms.sum_of_degree(
                degree,
                &[(1.0, plus, Form::ONE), (-1.0, minus[0], Form::ONE), (-1.0, minus[1], Form::ONE)],
            )
        };
        let rows = [
            row(Form::ZERO, [p0, Form::ZERO]),
            row(gamma, [p1, p0]),
            row(beta, [p2, p1]),
            row(alpha, [p3, p2]),
            row(Form::ZERO, [p3, Form::ZERO]),
        ]
        .map(|form| forms.to_bernstein(form));
        let inner = [p1, p2].map(|form| forms.to_bernstein(form).0);
        let (errors, sizes) = (rows.each_ref().map(|row| row.1), rows.each_ref().map(|row| row.2));
        Equation { degree, rows: rows.map(|row| row.0), errors, sizes, inner }
    }

    /// Returns the degree in time.
    #[cfg(feature = "internals")]
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Returns the coefficients of `u^i (1 − u)^(4−i)` at `t`, bounds of their errors, and the terms behind them.
    #[inline]
    pub(super) fn at(&self, t: f64) -> ([f64; 5], [f64; 5], Terms<f64>) {
        let basis = basis(self.degree, t);
        let value = |row: &Numbers| dot(row, &basis);
        let c = self.rows.each_ref().map(value);
        // Roundings: two for each factor of a basis function, at most the degree for a binomial beyond the table, then
        // a product and the sums. The basis sums to one. A power that underflows costs less than 1e-200 of a
        // coefficient, which is negligible beside the last factor: the error of a row is at least one rounding of its
        // largest coefficient.
        let gamma = 1.01 * UNIT * (5 * self.degree + 8) as f64;
        let mut errors = self.errors;
        for (error, size) in errors.iter_mut().zip(self.sizes) {
            *error = (*error + gamma * size) * (1.0 + 2.0 * gamma);
        }
        let terms = Terms::from_coefficients(&c, value(&self.inner[0]), value(&self.inner[1]));
        (c, errors, terms)
    }
}

#[inline]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Returns the Bernstein basis at `t`.
pub(super) fn basis(degree: usize, t: f64) -> Numbers {
    let s = 1.0 - t;
    let (binomials, _) = crate::numerics::binomial::binomials(degree);
    let mut numbers = Numbers::from_slice(&binomials);
    let basis: &mut [f64] = &mut numbers;
    let mut power = 1.0;
    for b in basis.iter_mut() {
        *b *= power;
        power *= t;
    }
    power = 1.0;
    for b in basis.iter_mut().rev() {
        *b *= power;
        power *= s;
    }
    numbers
}

/// Returns the trace of the product of two symmetric matrices.
fn inner(forms: &mut Forms, x: &Sym3<Form>, y: &Sym3<Form>) -> Form {
    forms.sum(&[0, 1, 2, 3, 4, 5].map(|k| (if k < 3 { 1.0 } else { 2.0 }, x[k], y[k])))
}

#[cfg(test)]
#[path = "equation_tests.rs"]
mod tests;
