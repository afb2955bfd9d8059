//! The Bernstein coefficients of a polynomial in one variable, each with a proven error.
//!
//! `n + 1` numbers represent a polynomial of degree `n` on `[0, 1]`,
//! ```text
//! p(t) = Σ_i c_i B_i(t),      B_i(t) = C(n, i) (1 - t)^(n-i) t^i,
//! ```
//! where the true `c_i` is within `errors_i` of `values_i`. Every operation preserves this: it propagates the
//! errors of its operands and adds its own rounding.
//!
//! One argument covers nearly all of them. Let a result be `Σ_k w_k x_k` with `w_k >= 0`, computed in any order such
//! that each `x_k` passes through at most `n` roundings on the way to the result, including those in its weight. Then
//! (Higham, "Accuracy and stability of numerical algorithms", ch. 3)
//! ```text
//! |computed - exact| <= γ_n Σ w_k |x_k|,     γ_n = n u / (1 - n u),   u = 2^-53,
//! ```
//! and with operands that are themselves off by `e_k` the total is at most `Σ w_k (e_k + γ_n |x_k|)`: *the same
//! operation applied to `e + γ|x|`*. These numbers are not negative, so the rounding in this second run is a relative
//! one, below `γ_(n+4)`, and [`inflate`] compensates for it.
//!
//! Underflow adds an absolute error of at most 2^-1075 per product. The weights of all operations below sum to one,
//! so such errors only add up, to far less than [`TINY`]. Overflow yields an infinite or NaN error, and a coefficient
//! with such an error has no certain sign: the tests are written `value > error`.

use super::binomial::binomials;
use super::bound::{lower_min, upper_max};
use smallvec::{SmallVec, smallvec};

/// The sign of a polynomial, if it is certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Greater than zero.
    Positive,
    /// Less than zero.
    Negative,
}

/// Polynomials up to degree 7 in one variable need no allocation.
pub(super) type Numbers = SmallVec<[f64; 8]>;

#[derive(Debug, PartialEq)]
pub(super) struct Coefficients {
    pub(super) values: Numbers,
    pub(super) errors: Numbers,
}

impl Clone for Coefficients {
    /// Copies memory; the derived implementation would copy number by number.
    fn clone(&self) -> Coefficients {
        let Coefficients { values, errors } = self;
        Coefficients { values: Numbers::from_slice(values), errors: Numbers::from_slice(errors) }
    }
}

/// The unit roundoff.
const U: f64 = f64::EPSILON / 2.0;
/// Far more than the effect of underflow on one coefficient in one operation. It keeps errors, which are multiplied
/// by weights again and again, away from the subnormal numbers, where arithmetic is slow.
const TINY: f64 = 1e-280;

/// Returns an upper bound of `γ_n`, for up to 2^46 roundings.
fn gamma(roundings: usize) -> f64 {
    1.01 * U * roundings as f64
}

/// Compensates for the rounding of an error that was computed by at most `roundings + 4` operations without
/// cancellation: `(1 + γ_(2n+8)) (1 - γ_(n+4)) >= 1` with room for this multiplication and two more.
fn inflate(error: f64, roundings: usize) -> f64 {
    error * (1.0 + gamma(2 * roundings + 8))
}

/// The weights of one de Casteljau step, and the number of roundings of each of them and its use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weights {
    near: f64,
    far: f64,
    roundings: usize,
}

impl Weights {
    /// Halving is exact, so only the addition rounds.
    pub(super) const HALF: Weights = Weights { near: 0.5, far: 0.5, roundings: 1 };

    /// One rounding in `1 - t`, one product, one sum.
    pub(super) fn at(t: f64) -> Weights {
        Weights { near: 1.0 - t, far: t, roundings: 3 }
    }

    /// Returns the weights at the point that divides a length in the proportion `far : near`. Each of the three has
    /// one rounding, the quotient another; then a product and a sum.
    pub(super) fn proportion(near: f64, far: f64, whole: f64) -> Weights {
        Weights { near: near / whole, far: far / whole, roundings: 5 }
    }
}

impl Coefficients {
    pub(super) fn exact(values: Numbers) -> Coefficients {
        let errors = smallvec![0.0; values.len()];
        Coefficients { values, errors }
    }

    pub(super) fn degree(&self) -> usize {
        self.values.len() - 1
    }

    /// Returns the common sign of all coefficients, if there is one. By the convex hull property it is that of the
    /// polynomial on the whole domain.
    pub(super) fn sign(&self) -> Option<Sign> {
        let mut pairs = self.values.iter().zip(&self.errors);
        if self.values[0] > 0.0 {
            pairs.all(|(value, error)| value > error).then_some(Sign::Positive)
        } else {
            pairs.all(|(value, error)| -value > *error).then_some(Sign::Negative)
        }
    }

    /// Returns bounds of the polynomial on the whole domain.
    pub(super) fn range(&self) -> (f64, f64) {
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for (value, error) in self.values.iter().zip(&self.errors) {
            // Rounded outwards. NaN, if a coefficient overflowed, fails both comparisons.
            let (low, high) = ((value - error).next_down(), (value + error).next_up());
            if !(low >= f64::NEG_INFINITY && high <= f64::INFINITY) {
                return (f64::NEG_INFINITY, f64::INFINITY);
            }
            range = (lower_min(range.0, low), upper_max(range.1, high));
        }
        range
    }

    pub(super) fn negated(mut self) -> Coefficients {
        self.values.iter_mut().for_each(|value| *value = -*value);
        self
    }

    pub(super) fn scaled(&self, factor: f64) -> Coefficients {
        let mut product = self.clone();
        for (value, error) in product.values.iter_mut().zip(&mut product.errors) {
            *value *= factor;
            *error = inflate(*error * factor.abs() + gamma(1) * value.abs(), 1) + TINY;
        }
        product
    }

    /// Returns the sum, or the difference, of polynomials of any degrees. Sums do not underflow.
    pub(super) fn combined(&self, other: &Coefficients, sign: f64) -> Coefficients {
        let degree = self.degree().max(other.degree()); // not a bound: a degree
        let mut sum = self.elevated(degree);
        let other = other.elevated(degree);
        for i in 0..sum.values.len() {
            sum.values[i] += sign * other.values[i];
            sum.errors[i] = inflate(sum.errors[i] + other.errors[i] + gamma(1) * sum.values[i].abs(), 1);
        }
        sum
    }

    /// Returns the same polynomial with at least this degree: the product with one.
    pub(super) fn elevated(&self, degree: usize) -> Coefficients {
        match degree.saturating_sub(self.degree()) {
            0 => self.clone(),
            more => self.product(&Coefficients::exact(smallvec![1.0; more + 1])),
        }
    }

    /// Returns the product. With `a'_i = C(m, i) a_i` it is a plain convolution: `c'_k = Σ_(i+j=k) a'_i b'_j`. The
    /// weights `C(m, i) C(n, j) / C(m+n, k)` sum to one for each `k`.
    ///
    /// With errors `e` on the left and `f` on the right, `|(a + e)(b + f) - ab| <= |a| f + e (|b| + f)`.
    pub(super) fn product(&self, other: &Coefficients) -> Coefficients {
        let degree = self.degree() + other.degree();
        let terms = self.values.len().min(other.values.len()); // not a bound: a count
        // Binomials rounded in a', b' and c; two products each for a' and b', one for a'b', one for the
        // divisor, the division; and the sum.
        let of_binomials: usize =
            [self.degree(), other.degree(), degree].into_iter().map(|degree| binomials(degree).1).sum();
        let roundings = of_binomials + 7 + terms;
        let gamma = gamma(roundings);

        let left = self.times_binomials();
        let mut right = other.times_binomials();
        let right_reach: Numbers = right.values.iter().zip(&right.errors).map(|(b, f)| b.abs() + f).collect();
        // An underflow here is multiplied afterwards, so it is compensated at once.
        for (error, value) in right.errors.iter_mut().zip(&right.values) {
            *error += gamma * value.abs() + TINY;
        }

        let mut values: Numbers = smallvec![0.0; degree + 1];
        let mut errors: Numbers = smallvec![0.0; degree + 1];
        for (i, (&a, &e)) in left.values.iter().zip(&left.errors).enumerate() {
            if a == 0.0 && e == 0.0 {
                continue;
            }
            for (sum, b) in values[i..].iter_mut().zip(&right.values) {
                *sum += a * b;
            }
            for ((sum, f), reach) in errors[i..].iter_mut().zip(&right.errors).zip(&right_reach) {
                *sum += a.abs() * f + e * reach;
            }
        }
        let (binomials, _) = binomials(degree);
        for ((value, error), divisor) in values.iter_mut().zip(&mut errors).zip(binomials.iter()) {
            *value /= divisor;
            *error = inflate(*error / divisor, roundings) + TINY;
        }
        Coefficients { values, errors }
    }

    /// Products with integers do not underflow.
    fn times_binomials(&self) -> Coefficients {
        let mut product = self.clone();
        let (binomials, _) = binomials(self.degree());
        for (value, factor) in product.values.iter_mut().zip(binomials.iter()) {
            *value *= factor;
        }
        for (error, factor) in product.errors.iter_mut().zip(binomials.iter()) {
            *error *= factor;
        }
        product
    }

    /// Returns the polynomial before and after the point with the given weights, by de Casteljau's algorithm, each
    /// mapped to the whole unit interval. The two outer ends are copied, not computed.
    pub(super) fn split(&self, weights: Weights) -> (Coefficients, Coefficients) {
        let degree = self.degree();
        let roundings = weights.roundings * degree;
        let (mut before, mut after) = (self.clone(), self.clone());
        after.blur(roundings);
        casteljau(&mut after.values, weights, &mut before.values);
        casteljau(&mut after.errors, weights, &mut before.errors);
        for half in [&mut before, &mut after] {
            half.errors.iter_mut().for_each(|error| *error = inflate(*error, roundings) + TINY);
        }
        before.errors[0] = self.errors[0];
        after.errors[degree] = self.errors[degree];
        (before, after)
    }

    /// Adds the rounding of the coming operation to the errors: `e + γ|x|`.
    fn blur(&mut self, roundings: usize) {
        let gamma = gamma(roundings);
        for (error, value) in self.errors.iter_mut().zip(&self.values) {
            *error += gamma * value.abs();
        }
    }

    /// Returns the polynomial over the part from `a` to `b`. The second of two cuts is at a proportion of the
    /// remaining lengths, the longer of which is at least one half.
    pub(super) fn restricted(&self, a: f64, b: f64) -> Coefficients {
        let (a, b) = (a.clamp(0.0, 1.0), b.clamp(0.0, 1.0));
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        if a <= 0.5 {
            let after = if a == 0.0 { self.clone() } else { self.split(Weights::at(a)).1 };
            if b == 1.0 {
                return after;
            }
            after.split(Weights::proportion(1.0 - b, b - a, 1.0 - a)).0
        } else {
            let before = if b == 1.0 { self.clone() } else { self.split(Weights::at(b)).0 };
            before.split(Weights::proportion(b - a, a, b)).1
        }
    }

    /// Returns the value at `t` and its error by de Casteljau's algorithm, for any degree.
    fn value_by_averages(&self, t: f64) -> (f64, f64) {
        let weights = Weights::at(t);
        let roundings = weights.roundings * self.degree();
        let mut row = self.clone();
        row.blur(roundings);
        casteljau(&mut row.values, weights, &mut []);
        casteljau(&mut row.errors, weights, &mut []);
        (row.values[0], inflate(row.errors[0], roundings) + TINY)
    }

    /// Returns the value at `t` and its error, in linear time.
    ///
    /// `p(t) = (1 - t)^n h(x)` with `h(x) = Σ C(n, i) c_i x^i` and `x = t / (1 - t)`, up to `t = 1/2`; from the other
    /// end beyond. With `x` at most one, Horner's rule and the power are safe: the weights sum to one, and the power
    /// is at least 2^-n. Roundings: for each of the up to `n` steps two in `x`, a product and a sum; the binomial and
    /// its product; two for each factor of the power, and the last product.
    pub(super) fn value_at(&self, t: f64) -> (f64, f64) {
        let degree = self.degree();
        let t = t.clamp(0.0, 1.0);
        if t == 0.0 || degree == 0 {
            return (self.values[0], self.errors[0]);
        }
        if t == 1.0 {
            return (self.values[degree], self.errors[degree]);
        }
        if degree > 1000 {
            return self.value_by_averages(t);
        }
        let (binomials, binomial_roundings) = binomials(degree);
        let roundings = 6 * degree + 2 + binomial_roundings;
        let gamma = gamma(roundings);
        let (near, far, backwards) = if t <= 0.5 { (1.0 - t, t, true) } else { (t, 1.0 - t, false) };
        let x = far / near;
        let (mut value, mut error, mut power) = (0.0, 0.0, 1.0);
        for k in 0..=degree {
            let i = if backwards { degree - k } else { k };
            let scaled = binomials[i] * self.values[i];
            value = value * x + scaled;
            error = error * x + (binomials[i] * self.errors[i] + gamma * scaled.abs());
            if k > 0 {
                power *= near;
            }
        }
        (value * power, inflate(error * power, roundings) + TINY)
    }

    /// Returns `n (c_(i+1) - c_i)`: a difference and a product, which does not underflow because one factor is an
    /// integer.
    pub(super) fn derivative(&self) -> Coefficients {
        if self.degree() == 0 {
            return Coefficients::exact(smallvec![0.0]);
        }
        let degree = self.degree() as f64;
        let (mut values, mut errors) = (Numbers::new(), Numbers::new());
        for (value, error) in self.values.windows(2).zip(self.errors.windows(2)) {
            let (value, error) = (degree * (value[1] - value[0]), degree * (error[1] + error[0]));
            values.push(value);
            errors.push(inflate(error + gamma(2) * value.abs(), 2));
        }
        Coefficients { values, errors }
    }
}

/// Runs de Casteljau's algorithm in place: the coefficients after the point remain. Those before it go to `before`,
/// unless that is empty.
#[inline]
fn casteljau(numbers: &mut [f64], Weights { near, far, .. }: Weights, before: &mut [f64]) {
    for level in 1..numbers.len() {
        let active = numbers.len() - level;
        for i in 0..active {
            numbers[i] = near * numbers[i] + far * numbers[i + 1];
        }
        if !before.is_empty() {
            before[level] = numbers[0];
        }
    }
}

#[cfg(test)]
#[path = "coefficients_tests.rs"]
mod tests;
