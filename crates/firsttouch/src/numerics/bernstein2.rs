//! Polynomials in two variables on the unit square, in Bernstein form, with a proven error for every coefficient.
//!
//! ```text
//! p(u, v) = Σ_ij c_ij C(m, i) (1 - u)^(m-i) u^i  C(n, j) (1 - v)^(n-j) v^j
//! ```
//! The coefficients are stored row by row: `c_ij` at `i (n + 1) + j`. Row `i` is a polynomial in `v`, column `j` one
//! in `u`.
//!
//! Guarantee: as for one variable, the true coefficients are within [`Bernstein2::errors`] of
//! [`Bernstein2::coefficients`], and every operation preserves this; the derivation is in `bernstein_grid`, which
//! both share.

use super::bernstein::{Bernstein, Sign, checked_grid, cut, with_checked_errors};
use super::bernstein_grid::{Axis, Grid};
use crate::error::{Error, Result};

/// A polynomial on the unit square with enclosed Bernstein coefficients.
///
/// ```
/// use firsttouch::numerics::bernstein2::Bernstein2;
///
/// let u = Bernstein2::from_coefficients(1, 0, &[0.0, 1.0])?;
/// let v = Bernstein2::from_coefficients(0, 1, &[0.0, 1.0])?;
/// let p = u.product(&v).sum(&u); // uv + u
/// assert_eq!(p.degrees(), (1, 1));
/// assert_eq!(p.coefficients(), [0.0, 0.0, 1.0, 2.0]);
/// let (value, error) = p.eval(0.5, 0.5);
/// assert!((value - 0.75).abs() <= error);
/// assert_eq!(p.at_v(1.0).coefficients(), [0.0, 2.0]); // 2u
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bernstein2(Grid);

impl Bernstein2 {
    /// Creates a polynomial of degrees `m` in `u` and `n` in `v` with exactly these `(m + 1)(n + 1)` coefficients,
    /// row by row.
    pub fn from_coefficients(m: usize, n: usize, coefficients: &[f64]) -> Result<Bernstein2> {
        let expected = m.checked_add(1).zip(n.checked_add(1)).and_then(|(rows, cols)| rows.checked_mul(cols));
        if expected != Some(coefficients.len()) {
            return Err(Error::OutOfRange {
                what: format!("number of Bernstein coefficients of degrees {m} and {n}"),
                expected: "(m + 1) (n + 1)",
                value: coefficients.len() as f64,
            });
        }
        Ok(Bernstein2(checked_grid(m + 1, n + 1, coefficients)?))
    }

    /// Creates a polynomial whose coefficients are within `errors` of these.
    pub fn with_errors(m: usize, n: usize, coefficients: &[f64], errors: &[f64]) -> Result<Bernstein2> {
        let exact = Bernstein2::from_coefficients(m, n, coefficients)?;
        Ok(Bernstein2(with_checked_errors(exact.0, errors)?))
    }

    /// Creates a polynomial in `u` that does not depend on `v`.
    pub fn in_u(polynomial: &Bernstein) -> Bernstein2 {
        let Grid { cols, values, errors, .. } = polynomial.0.clone();
        Bernstein2(Grid { rows: cols, cols: 1, values, errors })
    }

    /// Creates a polynomial in `v` that does not depend on `u`.
    ///
    /// ```
    /// use firsttouch::numerics::{bernstein::Bernstein, bernstein2::Bernstein2};
    /// let line = Bernstein::from_coefficients(&[2.0, 3.0])?;
    /// assert_eq!(Bernstein2::in_v(&line).degrees(), (0, 1));
    /// assert_eq!(Bernstein2::in_u(&line).degrees(), (1, 0));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn in_v(polynomial: &Bernstein) -> Bernstein2 {
        Bernstein2(polynomial.0.clone())
    }

    /// Returns the degrees of the form in `u` and in `v`.
    pub fn degrees(&self) -> (usize, usize) {
        (self.0.rows - 1, self.0.cols - 1)
    }

    /// Returns the coefficients row by row, each off by at most its error.
    pub fn coefficients(&self) -> &[f64] {
        &self.0.values
    }

    /// Returns upper bounds of the errors of [`Bernstein2::coefficients`].
    pub fn errors(&self) -> &[f64] {
        &self.0.errors
    }

    /// Returns the sign on the whole square, if the coefficients prove it.
    pub fn sign(&self) -> Option<Sign> {
        self.0.sign()
    }

    /// Returns lower and upper bounds of the polynomial on the square.
    pub fn range(&self) -> (f64, f64) {
        self.0.range()
    }

    /// Returns the value at a point, clamped to the square, and a bound of its error.
    pub fn eval(&self, u: f64, v: f64) -> (f64, f64) {
        self.at_u(u).eval(v)
    }

    /// Returns the polynomial in `v` at a fixed `u`, clamped to `[0, 1]`.
    pub fn at_u(&self, u: f64) -> Bernstein {
        Bernstein(self.0.evaluated(Axis::U, u))
    }

    /// Returns the polynomial in `u` at a fixed `v`, clamped to `[0, 1]`.
    pub fn at_v(&self, v: f64) -> Bernstein {
        upright(self.0.evaluated(Axis::V, v))
    }

    /// Returns row `i`, the coefficient of `B_i(u)`: a polynomial in `v`. `None` past the last.
    ///
    /// ```
    /// use firsttouch::numerics::bernstein2::Bernstein2;
    /// let p = Bernstein2::from_coefficients(1, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// assert_eq!(p.row(1).unwrap().coefficients(), [4.0, 5.0, 6.0]);
    /// assert_eq!(p.column(1).unwrap().coefficients(), [2.0, 5.0]);
    /// assert!(p.row(2).is_none());
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn row(&self, i: usize) -> Option<Bernstein> {
        (i < self.0.rows).then(|| Bernstein(self.0.slice(Axis::U, i)))
    }

    /// Returns column `j`, the coefficient of `B_j(v)`: a polynomial in `u`. `None` past the last.
    pub fn column(&self, j: usize) -> Option<Bernstein> {
        (j < self.0.cols).then(|| upright(self.0.slice(Axis::V, j)))
    }

    /// Returns the sum; lower degrees are elevated.
    pub fn sum(&self, other: &Bernstein2) -> Bernstein2 {
        Bernstein2(self.0.combined(&other.0, 1.0))
    }

    /// Returns the difference; lower degrees are elevated.
    pub fn difference(&self, other: &Bernstein2) -> Bernstein2 {
        Bernstein2(self.0.combined(&other.0, -1.0))
    }

    /// Returns the polynomial times an exact number.
    pub fn scaled(&self, factor: f64) -> Bernstein2 {
        Bernstein2(self.0.scaled(factor))
    }

    /// Returns the polynomial with the opposite sign, without rounding.
    pub fn negated(&self) -> Bernstein2 {
        Bernstein2(self.0.clone().negated())
    }

    /// Returns the product; the degrees add up.
    pub fn product(&self, other: &Bernstein2) -> Bernstein2 {
        Bernstein2(self.0.product(&other.0))
    }

    /// Returns the same polynomial written with degrees of at least `m` and `n`.
    pub fn elevated(&self, m: usize, n: usize) -> Bernstein2 {
        Bernstein2(self.0.elevated(m + 1, n + 1))
    }

    /// Returns the partial derivative in `u`.
    ///
    /// ```
    /// use firsttouch::numerics::bernstein2::Bernstein2;
    /// let p = Bernstein2::from_coefficients(1, 1, &[0.0, 0.0, 0.0, 1.0])?; // uv
    /// assert_eq!(p.derivative_u().coefficients(), [0.0, 1.0]); // v
    /// assert_eq!(p.derivative_v().degrees(), (1, 0)); // u
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn derivative_u(&self) -> Bernstein2 {
        Bernstein2(self.0.derivative(Axis::U))
    }

    /// Returns the partial derivative in `v`.
    pub fn derivative_v(&self) -> Bernstein2 {
        Bernstein2(self.0.derivative(Axis::V))
    }

    /// Returns the polynomial before and after `u = t`, both mapped to the unit square.
    pub fn subdivide_u(&self, t: f64) -> (Bernstein2, Bernstein2) {
        let (before, after) = self.0.split(Axis::U, cut(t));
        (Bernstein2(before), Bernstein2(after))
    }

    /// Returns the polynomial before and after `v = t`, both mapped to the unit square.
    ///
    /// ```
    /// use firsttouch::numerics::bernstein2::Bernstein2;
    /// let p = Bernstein2::from_coefficients(1, 1, &[0.0, 0.0, 0.0, 1.0])?; // uv
    /// let (before, after) = p.subdivide_v(0.5);
    /// assert_eq!(before.coefficients(), [0.0, 0.0, 0.0, 0.5]);
    /// assert_eq!(after.coefficients(), [0.0, 0.0, 0.5, 1.0]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn subdivide_v(&self, t: f64) -> (Bernstein2, Bernstein2) {
        let (before, after) = self.0.split(Axis::V, cut(t));
        (Bernstein2(before), Bernstein2(after))
    }

    /// Returns the polynomial on `a <= u <= b`, mapped to the unit square; both ends are clamped to `[0, 1]`.
    pub fn restrict_u(&self, a: f64, b: f64) -> Bernstein2 {
        Bernstein2(self.0.restricted(Axis::U, a, b))
    }

    /// Returns the polynomial on `a <= v <= b`, mapped to the unit square; both ends are clamped to `[0, 1]`.
    pub fn restrict_v(&self, a: f64, b: f64) -> Bernstein2 {
        Bernstein2(self.0.restricted(Axis::V, a, b))
    }
}

/// Converts a grid of one column into a polynomial in one variable, which is a grid of one row.
fn upright(column: Grid) -> Bernstein {
    Bernstein(Grid { rows: 1, cols: column.rows, ..column })
}

#[cfg(test)]
#[path = "bernstein2_tests.rs"]
mod tests;
