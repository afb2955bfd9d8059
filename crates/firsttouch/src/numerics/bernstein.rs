//! Polynomials in one variable on `[0, 1]`, in Bernstein form, with a proven error for every coefficient.
//!
//! ```text
//! p(t) = Σ_i c_i C(n, i) (1 - t)^(n-i) t^i
//! ```
//! The graph lies in the convex hull of the points `(i/n, c_i)`. Coefficients of one sign therefore prove that there
//! is no root (`sign`), and the number of sign changes bounds the number of roots with the same parity (Descartes;
//! `sign_changes`). The form is also well conditioned: products and subdivisions are averages.
//!
//! **Guarantee.** The true coefficients are within [`Bernstein::errors`] of [`Bernstein::coefficients`]. Every
//! operation preserves this, including its own rounding; the derivation is in `coefficients`. Build polynomials of high
//! degree by products of polynomials of low degree. Conversion from the power basis is available too, with a valid
//! error bound, which is large at high degree.
//!
//! If an operation overflows, the errors are infinite or NaN, and no sign is certain any more.
//!
//! Reference: R. T. Farouki and V. T. Rajan, "On the numerical condition of polynomials in Bernstein form", 1987;
//! "Algorithms for polynomials in Bernstein form", 1988.

pub use super::coefficients::Sign;
use super::coefficients::{Coefficients, Numbers, Weights};
#[cfg(feature = "internals")]
pub use super::first_root::FirstRoot;
use crate::error::{Error, Result, finite};

/// A polynomial on `[0, 1]` with enclosed Bernstein coefficients.
///
/// ```
/// use firsttouch::numerics::bernstein::{Bernstein, FirstRoot, Sign};
///
/// let p = Bernstein::from_coefficients(&[1.0, -1.0])?; // 1 - 2t
/// let square = p.product(&p);
/// assert_eq!(square.coefficients(), [1.0, -1.0, 1.0]);
/// assert_eq!(p.sign_changes(), Some(1));
/// let shifted = square.sum(&Bernstein::from_coefficients(&[2.0])?); // 2 + (1 - 2t)^2
/// assert_eq!(shifted.sign(), Some(Sign::Positive));
/// let FirstRoot::Isolated { lo, hi } = p.first_root(1e-9) else { panic!() };
/// assert!(lo <= 0.5 && 0.5 <= hi && hi - lo < 1e-14);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bernstein(pub(super) Coefficients);

impl Bernstein {
    /// Creates a polynomial with exactly these coefficients.
    pub fn from_coefficients(coefficients: &[f64]) -> Result<Bernstein> {
        Ok(Bernstein(checked(coefficients)?))
    }

    /// Creates a polynomial whose coefficients are within `errors` of these.
    ///
    /// ```
    /// use firsttouch::numerics::bernstein::Bernstein;
    /// let p = Bernstein::with_errors(&[1.0, 1e-9], &[0.0, 1e-8])?;
    /// assert_eq!(p.sign(), None); // the second might be negative
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn with_errors(coefficients: &[f64], errors: &[f64]) -> Result<Bernstein> {
        Ok(Bernstein(with_checked_errors(checked(coefficients)?, errors)?))
    }

    /// Converts from the coefficients of `1, t, t^2, ...`: `c_i = Σ_k C(i, k) / C(n, k) a_k`.
    ///
    /// ```
    /// use firsttouch::numerics::bernstein::Bernstein;
    /// let p = Bernstein::from_power_basis(&[0.0, 0.0, 1.0])?; // t^2
    /// assert_eq!(p.coefficients(), [0.0, 0.0, 1.0]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn from_power_basis(powers: &[f64]) -> Result<Bernstein> {
        let powers = checked(powers)?.values;
        // t^k as a polynomial of degree k has the single coefficient 1 at the end; the sum elevates degrees as
        // needed.
        let mut sum = Coefficients::exact(Numbers::from_slice(&powers[..1]));
        for k in 1..powers.len() {
            let mut power: Numbers = smallvec::smallvec![0.0; k + 1];
            power[k] = powers[k];
            sum = sum.combined(&Coefficients::exact(power), 1.0);
        }
        Ok(Bernstein(sum))
    }

    /// Returns the degree of the form; that of the polynomial may be lower.
    pub fn degree(&self) -> usize {
        self.0.degree()
    }

    /// Returns the coefficients, each off by at most its error. The first and the last are the values at 0 and 1.
    pub fn coefficients(&self) -> &[f64] {
        &self.0.values
    }

    /// Returns upper bounds of the errors of [`Bernstein::coefficients`].
    pub fn errors(&self) -> &[f64] {
        &self.0.errors
    }

    /// Returns lower and upper bounds of the polynomial on `[0, 1]`.
    ///
    /// ```
    /// use firsttouch::numerics::bernstein::Bernstein;
    /// let (low, high) = Bernstein::from_coefficients(&[1.0, 3.0])?.range();
    /// assert!((low - 1.0).abs() < 1e-15 && (high - 3.0).abs() < 1e-15);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn range(&self) -> (f64, f64) {
        self.0.range()
    }

    /// Returns the value at `t`, clamped to `[0, 1]`, and a bound of its error.
    ///
    /// ```
    /// use firsttouch::numerics::bernstein::Bernstein;
    /// let (value, error) = Bernstein::from_coefficients(&[0.0, 0.0, 1.0])?.eval(0.25); // t^2
    /// assert!((value - 0.0625).abs() <= error && error < 1e-15);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn eval(&self, t: f64) -> (f64, f64) {
        self.0.value_at(t)
    }

    /// Returns the sum; the lower degree is elevated.
    pub fn sum(&self, other: &Bernstein) -> Bernstein {
        Bernstein(self.0.combined(&other.0, 1.0))
    }

    /// Returns the difference; the lower degree is elevated.
    pub fn difference(&self, other: &Bernstein) -> Bernstein {
        Bernstein(self.0.combined(&other.0, -1.0))
    }

    /// Returns the polynomial times an exact number.
    pub fn scaled(&self, factor: f64) -> Bernstein {
        Bernstein(self.0.scaled(factor))
    }

    /// Returns the polynomial with the opposite sign, without rounding.
    pub fn negated(&self) -> Bernstein {
        Bernstein(self.0.clone().negated())
    }

    /// Returns the product; the degrees add up.
    pub fn product(&self, other: &Bernstein) -> Bernstein {
        Bernstein(self.0.product(&other.0))
    }

    /// Returns the same polynomial written with a higher degree; unchanged if it already has that degree.
    ///
    /// ```
    /// use firsttouch::numerics::bernstein::Bernstein;
    /// let line = Bernstein::from_coefficients(&[0.0, 2.0])?;
    /// assert_eq!(line.elevated(2).coefficients(), [0.0, 1.0, 2.0]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn elevated(&self, degree: usize) -> Bernstein {
        Bernstein(self.0.elevated(degree))
    }

    /// Returns the derivative, one degree lower (that of a constant is the constant zero).
    ///
    /// ```
    /// use firsttouch::numerics::bernstein::Bernstein;
    /// let square = Bernstein::from_coefficients(&[0.0, 0.0, 1.0])?;
    /// assert_eq!(square.derivative().coefficients(), [0.0, 2.0]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn derivative(&self) -> Bernstein {
        Bernstein(self.0.derivative())
    }

    /// Returns the polynomial with time reversed, `p(1 - t)`, without rounding.
    pub fn reversed(&self) -> Bernstein {
        let mut reversed = self.0.clone();
        reversed.values.reverse();
        reversed.errors.reverse();
        Bernstein(reversed)
    }

    /// Returns the polynomial on `[0, t]` and on `[t, 1]`, both mapped to `[0, 1]`.
    ///
    /// ```
    /// use firsttouch::numerics::bernstein::Bernstein;
    /// let (before, after) = Bernstein::from_coefficients(&[0.0, 0.0, 1.0])?.subdivide(0.5);
    /// assert_eq!(before.coefficients(), [0.0, 0.0, 0.25]);
    /// assert_eq!(after.coefficients(), [0.25, 0.5, 1.0]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn subdivide(&self, t: f64) -> (Bernstein, Bernstein) {
        let (before, after) = self.0.split(cut(t));
        (Bernstein(before), Bernstein(after))
    }

    /// Returns the polynomial on `[a, b]`, mapped to `[0, 1]`; both ends are clamped to `[0, 1]`.
    ///
    /// ```
    /// use firsttouch::numerics::bernstein::Bernstein;
    /// let middle = Bernstein::from_coefficients(&[0.0, 1.0])?.restrict(0.25, 0.75);
    /// assert!((middle.coefficients()[0] - 0.25).abs() <= middle.errors()[0]);
    /// assert!((middle.coefficients()[1] - 0.75).abs() <= middle.errors()[1]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn restrict(&self, a: f64, b: f64) -> Bernstein {
        Bernstein(self.0.restricted(a, b))
    }

    /// Returns the sign on all of `[0, 1]`, if the coefficients prove it.
    pub fn sign(&self) -> Option<Sign> {
        self.0.sign()
    }

    /// Returns the number of sign changes in the coefficients, ignoring zeros, if it is the same for all coefficients
    /// within the errors. It is the number of roots inside `(0, 1)`, counted with multiplicity, plus zero or an even
    /// number.
    ///
    /// ```
    /// use firsttouch::numerics::bernstein::Bernstein;
    /// let p = Bernstein::with_errors(&[1.0, 0.0, -1.0], &[0.0, 0.1, 0.0])?;
    /// assert_eq!(p.sign_changes(), Some(1)); // whatever the middle one is
    /// let p = Bernstein::with_errors(&[1.0, 0.0, 1.0], &[0.0, 0.1, 0.0])?;
    /// assert_eq!(p.sign_changes(), None); // none or two
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn sign_changes(&self) -> Option<usize> {
        let mut changes = 0;
        let mut last = None;
        let mut unknown = 0;
        for (&value, &error) in self.0.values.iter().zip(&self.0.errors) {
            let sign = if value > error {
                Sign::Positive
            } else if -value > error {
                Sign::Negative
            } else if value == 0.0 && error == 0.0 {
                continue;
            } else {
                unknown += 1;
                continue;
            };
            match (last, unknown) {
                (Some(last), 0) => changes += usize::from(sign != last),
                (None, 0) => {}
                // One unknown sign between opposite signs does not matter. One between equal signs, or two in a row,
                // do.
                (Some(last), 1) if sign != last => changes += 1,
                _ => return None,
            }
            (last, unknown) = (Some(sign), 0);
        }
        (unknown == 0).then_some(changes)
    }
}

/// Returns the weights of a cut at `t`. In the middle the weights are exact.
fn cut(t: f64) -> Weights {
    if t == 0.5 { Weights::HALF } else { Weights::at(t.clamp(0.0, 1.0)) }
}

/// Refuses an empty list, and coefficients that are not finite.
#[inline]
fn checked(coefficients: &[f64]) -> Result<Coefficients> {
    if coefficients.is_empty() {
        return Err(Error::Empty { what: "list of Bernstein coefficients".into() });
    }
    for (i, &value) in coefficients.iter().enumerate() {
        finite(|| format!("Bernstein coefficient {i}"), value)?;
    }
    Ok(Coefficients::exact(Numbers::from_slice(coefficients)))
}

/// Returns an error for errors that are not finite or negative, or whose number differs from that of the coefficients.
fn with_checked_errors(mut checked: Coefficients, errors: &[f64]) -> Result<Coefficients> {
    if errors.len() != checked.values.len() {
        return Err(Error::OutOfRange {
            what: "number of Bernstein coefficient errors".into(),
            expected: "the number of coefficients",
            value: errors.len() as f64,
        });
    }
    for (i, &value) in errors.iter().enumerate() {
        let what = || format!("error of Bernstein coefficient {i}");
        finite(what, value)?;
        if value < 0.0 {
            return Err(Error::OutOfRange { what: what(), expected: "zero or more", value });
        }
    }
    checked.errors = Numbers::from_slice(errors);
    Ok(checked)
}

#[cfg(test)]
#[path = "bernstein_tests.rs"]
pub(super) mod tests;
