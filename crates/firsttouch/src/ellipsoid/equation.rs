//! The CCD equation of two moving ellipsoids: `F(u, t)` as a polynomial of degree 4 in `u` with polynomials of time for
//! coefficients.
//!
//! **`F(u, t) > 0` for some `u` in `(0, 1)` if and only if the two are separate at `t`.** `F` is the characteristic quartic of
//! `characteristic` at time `t`, times the common denominator, which is positive. It is kept as
//! ```text
//! F(u, t) = Σ_i u^i (1 − u)^(4−i) g_i(t),     g_i(t) = Σ_j g_ij B_j(t),
//! ```
//! with one bound per row for the errors of all its coefficients, from `form`.
//!
//! # Degree
//! The determinant of the 4 by 4 matrices of the paper carries a high power of the denominators of the two motions in all its
//! terms. The form used here never puts it in, since `S` and its adjugate are over the same denominator and the determinant of
//! `S` over none: with the notation of `track` and the centres over `w = w_A w_B` the common denominator is `w² e_A e_B`.
//!
//! | motions | paper | here |
//! |---|---|---|
//! | linear quaternions and origins on both sides (boxing) | 28 | 10 |
//! | one joint, two, three joints against something fixed (arm) | 32, 64, 96 | 8, 16, 24 |
//! | Example 1: degree 2 rotations, degree 3 translations on both sides | 34 | 14 |
//! | degree 4 affine on both sides (Example 2) | 48 | 24 |
//! | the affine interpolant against something fixed | 6 | 5 |
//!
//! Against something fixed, or at rest relative to a common base, the degree is lower by itself; links of one arm are best
//! described from their lowest common ancestor ([`Rational::inverse`] and [`Rational::after`] make relative motions).
//!
//! [`Rational::inverse`]: crate::motion::Rational::inverse
//! [`Rational::after`]: crate::motion::Rational::after
//!
//! Reference: Choi, Chang, Wang, Kim, Elber 2009, Sec. 3.1.

use super::characteristic::{MIX, Sym3, Terms};
use super::form::{Form, Numbers, Sum};
use super::track::Track;
use crate::numerics::rounding::UNIT;

/// `F(u, t)` in Bernstein form over a span of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Equation {
    pub(super) degree: usize,
    /// `g_0 .. g_4`, the coefficients of each in the Bernstein basis.
    pub(super) rows: [Numbers; 5],
    /// How far any coefficient of a row may be off.
    pub(super) errors: [f64; 5],
    /// The largest coefficient of each row.
    pub(super) sizes: [f64; 5],
    /// `p_1` and `p_2` of `det Q`, to find the best `u` with; nothing is proven with them.
    pub(super) inner: [Numbers; 2],
}

impl Equation {
    /// The equation of two moving ellipsoids.
    pub fn new(a: &Track, b: &Track) -> Equation {
        // w d = x_B w_A − x_A w_B.
        let d = [0, 1, 2].map(|k| {
            if a.weight.is_one() && b.weight.is_one() {
                let mut sum = Sum::new(a.center[k].degree().max(b.center[k].degree()));
                sum.add_form(1.0, &b.center[k]);
                sum.add_form(-1.0, &a.center[k]);
                return sum.finish();
            }
            let (wa, wb) = (&a.weight, &b.weight);
            let degrees = [b.center[k].degree() + wa.degree(), a.center[k].degree() + wb.degree()];
            let mut sum = Sum::new(degrees[0].max(degrees[1]));
            sum.add(1.0, &b.center[k], wa);
            sum.add(-1.0, &a.center[k], wb);
            sum.finish()
        });
        let pairs = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];
        let dd = pairs.map(|(i, j)| d[i].product(&d[j]));
        let mix = MIX.map(|(plus, minus)| {
            let terms = [(1.0, plus), (-1.0, minus)];
            let products = terms.iter().flat_map(|&(sign, [i, j])| [(sign, i, j), (sign, j, i)]);
            let degree = products.clone().map(|(_, i, j)| a.s[i].degree() + b.s[j].degree()).max();
            let mut sum = Sum::new(degree.unwrap_or(0));
            for (sign, i, j) in products {
                sum.add(sign, &a.s[i], &b.s[j]);
            }
            sum.finish()
        });

        // Over the common denominator w² e_A^m e_B^n.
        let ([sa, ta, da], [sb, tb, db]) = (a.powers, b.powers);
        let (m, n) = (sa.max(ta).max(da), sb.max(tb).max(db));
        let (ea, eb) = (&a.denominator, &b.denominator);
        let over = |form: Form, of_a: usize, of_b: usize| form.times_power(ea, m - of_a).times_power(eb, n - of_b);
        let weight = match (a.weight.is_one(), b.weight.is_one()) {
            (true, true) => a.weight.clone(),
            (false, true) => a.weight.clone(),
            (true, false) => b.weight.clone(),
            (false, false) => a.weight.product(&b.weight),
        };
        let with_weight = |form: Form| form.times_power(&weight, 2);
        let alpha = over(inner(&a.adj, &dd), ta, 0);
        let beta = over(inner(&mix, &dd), sa, sb);
        let gamma = over(inner(&b.adj, &dd), 0, tb);
        let p3 = with_weight(over(a.det.clone(), da, 0));
        let p2 = with_weight(over(inner(&a.adj, &b.s), ta, sb));
        let p1 = with_weight(over(inner(&a.s, &b.adj), sa, tb));
        let p0 = with_weight(over(b.det.clone(), 0, db));

        let degree = [&alpha, &beta, &gamma, &p0, &p1, &p2, &p3].iter().map(|f| f.degree()).max().unwrap_or(0);
        let row = |plus: Option<&Form>, minus: &[&Form]| {
            let mut sum = Sum::new(degree);
            if let Some(plus) = plus {
                sum.add_form(1.0, plus);
            }
            for form in minus {
                sum.add_form(-1.0, form);
            }
            sum.finish().into_bernstein(degree)
        };
        let (g0, e0) = row(None, &[&p0]);
        let (g1, e1) = row(Some(&gamma), &[&p1, &p0]);
        let (g2, e2) = row(Some(&beta), &[&p2, &p1]);
        let (g3, e3) = row(Some(&alpha), &[&p3, &p2]);
        let (g4, e4) = row(None, &[&p3]);
        let inner = [p1.into_bernstein(degree).0, p2.into_bernstein(degree).0];
        let rows = [g0, g1, g2, g3, g4];
        let sizes = rows.each_ref().map(|row| row.iter().fold(0.0_f64, |m, c| m.max(c.abs())));
        Equation { degree, rows, errors: [e0, e1, e2, e3, e4], sizes, inner }
    }

    /// The degree in time.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The coefficients of `u^i (1 − u)^(4−i)` at `t`, bounds of their errors, and the terms behind them.
    #[inline]
    pub(super) fn at(&self, t: f64) -> ([f64; 5], [f64; 5], Terms<f64>) {
        let basis = basis(self.degree, t);
        let value = |row: &Numbers| row.iter().zip(&basis).map(|(c, b)| c * b).sum::<f64>();
        let c = self.rows.each_ref().map(value);
        // Roundings: two a factor in a basis function, as many as the degree for a binomial beyond the table, then a
        // product and the sums. A power that underflows costs less than 1e-200 of a coefficient, which is nothing
        // beside the last factor below: the error of a row is at least one rounding of its largest coefficient.
        let gamma = 1.01 * UNIT * (5 * self.degree + 8) as f64;
        let mut errors = self.errors;
        for (error, row) in errors.iter_mut().zip(&self.rows) {
            let size = row.iter().zip(&basis).map(|(c, b)| c.abs() * b).sum::<f64>();
            *error = (*error + gamma * size) * (1.0 + 2.0 * gamma);
        }
        let terms = Terms::from_coefficients(&c, value(&self.inner[0]), value(&self.inner[1]));
        (c, errors, terms)
    }
}

/// The Bernstein basis at `t`.
pub(super) fn basis(degree: usize, t: f64) -> Numbers {
    let s = 1.0 - t;
    let (binomials, _) = crate::numerics::binomial::binomials(degree);
    let mut basis = Numbers::from_slice(&binomials);
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
    basis
}

/// The trace of the product of two symmetric matrices.
fn inner(x: &Sym3<Form>, y: &Sym3<Form>) -> Form {
    let degree = (0..6).map(|k| x[k].degree() + y[k].degree()).max().unwrap_or(0);
    let mut sum = Sum::new(degree);
    for k in 0..6 {
        sum.add(if k < 3 { 1.0 } else { 2.0 }, &x[k], &y[k]);
    }
    sum.finish()
}
