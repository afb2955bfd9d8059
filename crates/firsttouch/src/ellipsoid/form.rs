//! Polynomials of time for the construction of the CCD equation: fast products, one error bound for all coefficients.
//!
//! A polynomial of degree `n` is kept as `Σ c'_i t^i (1 − t)^(n−i)`: Bernstein coefficients times binomials. In these a
//! product is a plain convolution, and elevation by `k` is a product with `(t + (1 − t))^k`; there is no division
//! before the end. The numbers of all polynomials of one computation lie one after the other in a [`Forms`], and a
//! [`Form`] holds a place in it.
//!
//! # Error
//! A [`Form`] knows that `|c'_i| <= C(n, i) size` and that the true `c'_i` is within `C(n, i) error`. Products of such
//! bounds are bounds of the product, because `Σ_(i+j=k) C(m, i) C(n, j) = C(m + n, k)`: two numbers stand for all
//! coefficients, and the arithmetic runs on plain numbers. A sum `Σ f_l a_l b_l` with at most `r` roundings on the way
//! from any term to the result is off by at most `γ_r Σ |f_l| size(a_l) size(b_l)` plus the propagated errors of the
//! factors. Compared with an error per coefficient (`numerics::bernstein`) this is many times as fast, and looser for a
//! polynomial that is much smaller at one place than at another. Pairs that this cannot decide go to another engine.
//!
//! Overflow leads to infinite or NaN sizes and errors, which prove nothing.

use smallvec::SmallVec;

use crate::numerics::bernstein::Bernstein;
use crate::numerics::binomial::binomials;
use crate::numerics::bound::{largest_upper, upper_max};
use crate::numerics::rounding::UNIT;

/// Numbers of up to degree 11 need no allocation: two linear quaternions and linear paths make degree 10.
pub(crate) type Numbers = SmallVec<[f64; 12]>;

/// More than the effect of underflow on one sum.
const TINY: f64 = 1e-290;

/// Returns an upper bound of `γ_n`.
#[inline]
fn gamma(roundings: usize) -> f64 {
    1.01 * UNIT * roundings as f64
}

/// A polynomial on `[0, 1]` with bounds, somewhere in a [`Forms`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Form {
    start: u32,
    len: u32,
    size: f64,
    error: f64,
}

impl Form {
    /// The number one, the first in every [`Forms`].
    pub(crate) const ONE: Form = Form { start: 0, len: 1, size: 1.0, error: 0.0 };
    /// The number zero, the second in every [`Forms`].
    pub(crate) const ZERO: Form = Form { start: 1, len: 1, size: 0.0, error: 0.0 };

    #[inline]
    pub(crate) fn degree(&self) -> usize {
        self.len as usize - 1
    }

    #[inline]
    fn range(&self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }

    /// Returns the same form after a move of its numbers.
    pub(crate) fn moved(self, by: usize) -> Form {
        let is_shared = self == Form::ONE || self == Form::ZERO;
        if is_shared { self } else { Form { start: self.start + by as u32, ..self } }
    }
}

/// The numbers of many polynomials.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Forms {
    numbers: Vec<f64>,
}

/// `factor · a · b`; the factor is taken as exact.
pub(crate) type Term = (f64, Form, Form);

impl Forms {
    pub(crate) fn with_capacity(numbers: usize) -> Forms {
        let mut forms = Forms { numbers: Vec::with_capacity(numbers) };
        forms.numbers.extend([1.0, 0.0]);
        forms
    }

    /// Copies all numbers of another. Returns the distance of the move, for [`Form::moved`] of its forms.
    pub(crate) fn append(&mut self, other: &Forms) -> usize {
        let by = self.numbers.len();
        self.numbers.extend_from_slice(&other.numbers);
        by
    }

    /// Returns the number of numbers.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns a number with an error.
    pub(crate) fn constant(&mut self, value: f64, error: f64) -> Form {
        let start = self.numbers.len() as u32;
        self.numbers.push(value);
        Form { start, len: 1, size: value.abs() + error, error }
    }

    /// Returns a polynomial times a power of two, which is exact but for underflow.
    pub(crate) fn bernstein_scaled(&mut self, p: &Bernstein, factor: f64) -> Form {
        let form = self.bernstein(p);
        self.scaled(form, factor)
    }

    /// Returns a form times a power of two, which is exact but for underflow.
    pub(crate) fn scaled(&mut self, form: Form, factor: f64) -> Form {
        if factor == 1.0 {
            return form;
        }
        let start = self.numbers.len() as u32;
        self.numbers.extend_from_within(form.range());
        self.numbers[start as usize..].iter_mut().for_each(|c| *c *= factor);
        Form { start, size: form.size * factor + TINY, error: form.error * factor + TINY, ..form }
    }

    pub(crate) fn bernstein(&mut self, p: &Bernstein) -> Form {
        match (p.coefficients(), p.errors()) {
            ([1.0], [0.0]) => return Form::ONE,
            ([0.0], [0.0]) => return Form::ZERO,
            _ => {}
        }
        let start = self.numbers.len() as u32;
        let (binomials, roundings) = binomials(p.degree());
        self.numbers.extend(p.coefficients().iter().zip(binomials.iter()).map(|(c, b)| c * b));
        let largest = largest_upper(p.coefficients().iter().map(|c| c.abs()));
        let error = largest_upper(p.errors().iter().copied());
        let rounding = if p.degree() <= 1 { 0.0 } else { gamma(roundings + 1) * largest };
        Form {
            start,
            len: p.coefficients().len() as u32,
            size: (largest + error) * (1.0 + gamma(8)),
            error: (error + rounding) * (1.0 + gamma(4)),
        }
    }

    #[inline]
    pub(crate) fn product(&mut self, a: Form, b: Form) -> Form {
        if a == Form::ONE {
            return b;
        }
        if b == Form::ONE {
            return a;
        }
        self.sum(&[(1.0, a, b)])
    }

    /// Returns the product with a power.
    pub(crate) fn times_power(&mut self, a: Form, base: Form, exponent: usize) -> Form {
        (0..exponent).fold(a, |product, _| self.product(product, base))
    }

    /// Returns the sum of products, of the highest degree among them; the others are elevated.
    #[inline]
    pub(crate) fn sum(&mut self, terms: &[Term]) -> Form {
        let degree = terms.iter().map(|(_, a, b)| a.degree() + b.degree()).max().unwrap_or(0);
        self.sum_of_degree(degree, terms)
    }

    /// Returns the sum of products, elevated to a degree that is at least as high as theirs.
    pub(crate) fn sum_of_degree(&mut self, degree: usize, terms: &[Term]) -> Form {
        if terms.iter().any(|&(_, a, b)| a.degree() + b.degree() < degree && a.size * b.size > 0.0) {
            let elevated: SmallVec<[Term; 8]> = terms
                .iter()
                .map(|&(factor, a, b)| {
                    let missing = degree - a.degree() - b.degree();
                    let is_needed = missing > 0 && a.size * b.size > 0.0;
                    (factor, if is_needed { self.elevated(a, missing) } else { a }, b)
                })
                .collect();
            return self.plain_sum(degree, &elevated);
        }
        self.plain_sum(degree, terms)
    }

    /// Returns the sum of products that all have this degree, or are zero.
    fn plain_sum(&mut self, degree: usize, terms: &[Term]) -> Form {
        let start = self.numbers.len();
        self.numbers.resize(start + degree + 1, 0.0);
        let (old, new) = self.numbers.split_at_mut(start);
        let (mut size, mut inherited, mut additions) = (0.0, 0.0, 0);
        for &(factor, a, b) in terms {
            if a.size * b.size == 0.0 {
                continue;
            }
            let (short, long) = if a.len <= b.len { (a, b) } else { (b, a) };
            convolve(factor, &old[short.range()], &old[long.range()], new);
            let factor = factor.abs();
            size += factor * a.size * b.size;
            inherited += factor * (a.size * b.error + a.error * b.size);
            additions += short.len as usize;
        }
        // The factor, the product, and the additions; the rounding of the bounds themselves.
        let error = (inherited + gamma(additions + 2) * size) * (1.0 + gamma(64)) + TINY;
        let largest = largest_unscaled(new);
        // A sum that overflowed has no size.
        let size = (largest + error) * (1.0 + gamma(2 * degree + 8));
        Form { start: start as u32, len: degree as u32 + 1, size, error }
    }

    /// Returns the product with `(t + (1 − t))^k`.
    fn elevated(&mut self, a: Form, by: usize) -> Form {
        let (row, roundings) = binomials(by);
        let start = self.numbers.len() as u32;
        self.numbers.extend_from_slice(&row);
        let ones = Form { start, len: by as u32 + 1, size: 1.0 + gamma(roundings), error: gamma(roundings) };
        self.plain_sum(a.degree() + by, &[(1.0, a, ones)])
    }

    /// Returns the coefficients in the Bernstein basis, the bound of their error, and the largest of them.
    pub(crate) fn to_bernstein(&self, form: Form) -> (Numbers, f64, f64) {
        let (binomials, roundings) = binomials(form.degree());
        let mut largest = 0.0_f64;
        let unscaled = self.numbers[form.range()].iter().zip(binomials.iter()).map(|(c, b)| {
            let c = c / b;
            largest = upper_max(largest, c.abs());
            c
        });
        let numbers: Numbers = unscaled.collect();
        (numbers, (form.error + gamma(roundings + 1) * largest) * (1.0 + gamma(8)), largest)
    }
}

/// Returns the largest `|c'_i| / C(n, i)`, up to a few roundings; infinite after an overflow.
#[inline]
fn largest_unscaled(numbers: &[f64]) -> f64 {
    let (binomials, _) = binomials(numbers.len() - 1);
    largest_upper(numbers.iter().zip(binomials.iter()).map(|(c, b)| c.abs() / b))
}

/// Adds `factor · a · b` to `sum`. The lengths that come from two linear quaternions are unrolled.
#[inline]
fn convolve(factor: f64, a: &[f64], b: &[f64], sum: &mut [f64]) {
    match (a.len(), b.len()) {
        (2, 2) => convolve_fixed::<2, 2>(factor, a, b, sum),
        (3, 3) => convolve_fixed::<3, 3>(factor, a, b, sum),
        (3, 5) => convolve_fixed::<3, 5>(factor, a, b, sum),
        (3, 9) => convolve_fixed::<3, 9>(factor, a, b, sum),
        (5, 5) => convolve_fixed::<5, 5>(factor, a, b, sum),
        (5, 7) => convolve_fixed::<5, 7>(factor, a, b, sum),
        _ => {
            for (i, &x) in a.iter().enumerate() {
                let x = factor * x;
                for (sum, y) in sum[i..].iter_mut().zip(b) {
                    *sum += x * y;
                }
            }
        }
    }
}

#[inline]
fn convolve_fixed<const M: usize, const N: usize>(factor: f64, a: &[f64], b: &[f64], sum: &mut [f64]) {
    let (Ok(a), Ok(b)) = (<&[f64; M]>::try_from(a), <&[f64; N]>::try_from(b)) else { return };
    for (i, &x) in a.iter().enumerate() {
        let x = factor * x;
        let Some(part) = sum.get_mut(i..i + N) else { return };
        for j in 0..N {
            part[j] += x * b[j];
        }
    }
}
