//! Polynomials of time while the CCD equation is put together: quick products, one error bound for all coefficients.
//!
//! A polynomial of degree `n` is kept as `Σ c'_i t^i (1 − t)^(n−i)`: Bernstein coefficients times binomials. In these a product is
//! a plain convolution, and elevation by `k` a product with `(t + (1 − t))^k`; no division before the end.
//!
//! # Error
//! A [`Form`] knows that `|c'_i| <= C(n, i) size` and that the true `c'_i` is within `C(n, i) error`. Products of such bounds
//! are bounds of the product, since `Σ_(i+j=k) C(m, i) C(n, j) = C(m + n, k)`: two numbers stand for all coefficients, and the
//! arithmetic runs on plain numbers. A sum `Σ f_l a_l b_l` ([`Sum`]) with at most `r` roundings on the way from any term to the
//! result is off by at most `γ_r Σ |f_l| size(a_l) size(b_l)` plus what the errors of the factors make of it.
//! Compared with an error per coefficient (`numerics::bernstein`) this is some three times as fast, and looser where a polynomial
//! is much smaller in one place than in another; what cannot be proven then goes to another engine.
//!
//! Overflow leads to sizes and errors that are infinite or not numbers, and nothing is proven with those.

use smallvec::{SmallVec, smallvec};

use crate::numerics::bernstein::Bernstein;
use crate::numerics::binomial::binomials;
use crate::numerics::rounding::UNIT;

/// Up to this degree nothing is allocated: two linear quaternions and linear paths make degree 10.
pub(crate) type Numbers = SmallVec<[f64; 12]>;

/// More than underflow can add in one sum.
const TINY: f64 = 1e-290;

/// An upper bound of `γ_n`.
fn gamma(roundings: usize) -> f64 {
    1.01 * UNIT * roundings as f64
}

/// A polynomial on `[0, 1]` with bounds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Form {
    pub(crate) numbers: Numbers,
    size: f64,
    error: f64,
}

impl Form {
    /// A number with an error.
    pub(crate) fn constant(value: f64, error: f64) -> Form {
        Form { numbers: smallvec![value], size: value.abs() + error, error }
    }

    pub(crate) fn from_bernstein(p: &Bernstein) -> Form {
        let (binomials, roundings) = binomials(p.degree());
        let numbers = p.coefficients().iter().zip(binomials.iter()).map(|(c, b)| c * b).collect();
        let largest = p.coefficients().iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        let error = p.errors().iter().fold(0.0_f64, |m, &e| if e <= m { m } else { e });
        let exact = if p.degree() <= 1 { 0.0 } else { gamma(roundings + 1) * largest };
        Form { numbers, size: (largest + error) * (1.0 + gamma(8)), error: error + exact }
    }

    pub(crate) fn degree(&self) -> usize {
        self.numbers.len() - 1
    }

    /// Whether it is exactly the number one.
    pub(crate) fn is_one(&self) -> bool {
        self.numbers[..] == [1.0] && self.error == 0.0
    }

    pub(crate) fn product(&self, other: &Form) -> Form {
        let mut sum = Sum::new(self.degree() + other.degree());
        sum.add(1.0, self, other);
        sum.finish()
    }

    /// The product with a power; itself where that is one.
    pub(crate) fn times_power(self, base: &Form, exponent: usize) -> Form {
        if base.is_one() {
            return self;
        }
        (0..exponent).fold(self, |product, _| product.product(base))
    }

    /// The coefficients in the Bernstein basis, elevated to a degree, and the bound of their error.
    pub(crate) fn into_bernstein(self, degree: usize) -> (Numbers, f64) {
        let mut form = self;
        if form.degree() < degree {
            form = form.product(&Form::ones(degree - form.degree()));
        }
        let (binomials, roundings) = binomials(degree);
        let mut largest = 0.0_f64;
        for (c, b) in form.numbers.iter_mut().zip(binomials.iter()) {
            *c /= b;
            largest = largest.max(c.abs());
        }
        let error = (form.error + gamma(roundings + 1) * largest) * (1.0 + gamma(8));
        (form.numbers, error)
    }

    /// One, as a polynomial of a degree.
    fn ones(degree: usize) -> Form {
        let (binomials, roundings) = binomials(degree);
        Form { numbers: Numbers::from_slice(&binomials), size: 1.0 + gamma(roundings), error: gamma(roundings) }
    }
}

/// A sum of products that is being formed, all of one degree.
#[derive(Debug, Clone)]
pub(crate) struct Sum {
    numbers: Numbers,
    /// `Σ |f| size(a) size(b)`.
    size: f64,
    /// What the errors of the factors amount to.
    inherited: f64,
    additions: usize,
}

impl Sum {
    pub(crate) fn new(degree: usize) -> Sum {
        Sum { numbers: smallvec![0.0; degree + 1], size: 0.0, inherited: 0.0, additions: 0 }
    }

    /// Adds `factor · a · b`, elevated if its degree is lower; the factor is taken as exact.
    #[inline]
    pub(crate) fn add(&mut self, factor: f64, a: &Form, b: &Form) {
        let missing = self.numbers.len() + 1 - a.numbers.len() - b.numbers.len();
        if missing > 0 {
            let elevated = a.product(&Form::ones(missing));
            return self.add_product(factor, &elevated, b);
        }
        self.add_product(factor, a, b);
    }

    #[inline]
    fn add_product(&mut self, factor: f64, a: &Form, b: &Form) {
        let (short, long) = if a.numbers.len() <= b.numbers.len() { (a, b) } else { (b, a) };
        let len = long.numbers.len();
        for (i, &x) in short.numbers.iter().enumerate() {
            let x = factor * x;
            for (sum, y) in self.numbers[i..i + len].iter_mut().zip(&long.numbers[..]) {
                *sum += x * y;
            }
        }
        let factor = factor.abs();
        self.size += factor * a.size * b.size;
        self.inherited += factor * (a.size * b.error + a.error * b.size);
        self.additions += short.numbers.len();
    }

    /// Adds `factor · a`, elevated if its degree is lower.
    pub(crate) fn add_form(&mut self, factor: f64, a: &Form) {
        let missing = self.numbers.len() - a.numbers.len();
        if missing > 0 {
            return self.add_product(factor, a, &Form::ones(missing));
        }
        for (sum, x) in self.numbers.iter_mut().zip(&a.numbers) {
            *sum += factor * x;
        }
        self.size += factor.abs() * a.size;
        self.inherited += factor.abs() * a.error;
        self.additions += 1;
    }

    pub(crate) fn finish(self) -> Form {
        let (binomials, roundings) = binomials(self.numbers.len() - 1);
        // The factor, the product, and the additions; a power of two as factor would not even round.
        let error = (self.inherited + gamma(self.additions + 2) * self.size) * (1.0 + gamma(64)) + TINY;
        let largest = self.numbers.iter().zip(binomials.iter()).fold(0.0_f64, |m, (c, b)| {
            let c = c.abs() / b;
            if c <= m { m } else { c }
        });
        let size = (largest + error) * (1.0 + gamma(2 * roundings + 8));
        Form { numbers: self.numbers, size, error }
    }
}
