//! Polynomials in time with big-integer coefficients, and the dyadic times at which they are evaluated.
//!
//! This module never rounds. A time is `numerator / 2^exponent`, so every f64 in `[0, 1]` is one; the sign of a
//! polynomial of degree n at such a time is the sign of the integer `2^(n·exponent) p(t)`.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use dashu_int::IBig;
use dashu_int::ops::{BitTest, Gcd};

/// The number `numerator / 2^exponent`.
#[derive(Debug, Clone)]
pub(crate) struct Dyadic {
    pub(crate) numerator: IBig,
    pub(crate) exponent: usize,
}

impl Dyadic {
    pub(crate) fn zero() -> Dyadic {
        Dyadic { numerator: IBig::ZERO, exponent: 0 }
    }

    /// Returns the exact value of a finite f64.
    pub(crate) fn from_f64(value: f64) -> Dyadic {
        let (mantissa, exponent) = mantissa_and_exponent(value);
        if exponent >= 0 {
            Dyadic { numerator: IBig::from(mantissa) << exponent as usize, exponent: 0 }
        } else {
            Dyadic { numerator: IBig::from(mantissa), exponent: -exponent as usize }
        }
    }

    pub(crate) fn add(&self, other: &Dyadic) -> Dyadic {
        let (a, b, exponent) = self.aligned(other);
        Dyadic { numerator: a + b, exponent }
    }

    pub(crate) fn compare(&self, other: &Dyadic) -> Ordering {
        let (a, b, _) = self.aligned(other);
        a.cmp(&b)
    }

    fn aligned(&self, other: &Dyadic) -> (IBig, IBig, usize) {
        let exponent = self.exponent.max(other.exponent);
        let shifted = |d: &Dyadic| &d.numerator << (exponent - d.exponent);
        (shifted(self), shifted(other), exponent)
    }
}

/// `value = mantissa · 2^exponent` with an odd mantissa (or 0, 0).
pub(crate) fn mantissa_and_exponent(value: f64) -> (i64, i32) {
    assert!(value.is_finite());
    let bits = value.to_bits();
    let biased = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (magnitude, exponent) =
        if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    if magnitude == 0 {
        return (0, 0);
    }
    let zeros = magnitude.trailing_zeros();
    let mantissa = magnitude >> zeros;
    (if value < 0.0 { -mantissa } else { mantissa }, exponent + zeros as i32)
}

/// Returns all values times one power of two that makes them integers.
pub(crate) fn common_integers(values: &[f64]) -> Vec<IBig> {
    let parts: Vec<_> = values.iter().map(|&v| mantissa_and_exponent(v)).collect();
    let lowest = parts.iter().filter(|p| p.0 != 0).map(|p| p.1).min().unwrap_or(0);
    parts
        .iter()
        .map(|&(m, e)| if m == 0 { IBig::ZERO } else { IBig::from(m) << (e - lowest) as usize })
        .collect()
}

/// Returns -1, 0 or 1.
pub(crate) fn sign(value: &IBig) -> i32 {
    match value.cmp(&IBig::ZERO) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// Coefficients in ascending powers, the last one not zero; no coefficients at all for the zero polynomial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Poly(Vec<IBig>);

impl Poly {
    pub(crate) fn new(mut coefficients: Vec<IBig>) -> Poly {
        while coefficients.last().is_some_and(IBig::is_zero) {
            coefficients.pop();
        }
        Poly(coefficients)
    }

    pub(crate) fn constant(value: IBig) -> Poly {
        Poly::new(vec![value])
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the degree; 0 for constants and for the zero polynomial.
    pub(crate) fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    pub(crate) fn negated(&self) -> Poly {
        Poly(self.0.iter().map(|c| -c).collect())
    }

    pub(crate) fn derivative(&self) -> Poly {
        Poly::new(self.0.iter().enumerate().skip(1).map(|(i, c)| c * IBig::from(i)).collect())
    }

    /// Returns the sign of p(t).
    pub(crate) fn sign_at(&self, t: &Dyadic) -> i32 {
        let mut rest = self.0.iter().rev();
        let Some(leading) = rest.next() else { return 0 };
        let mut value = leading.clone();
        let mut shift = 0;
        for c in rest {
            shift += t.exponent;
            value *= &t.numerator;
            if !c.is_zero() {
                value += c << shift;
            }
        }
        sign(&value)
    }

    /// Returns the sign of p on all of `[lo, hi] / 2^exponent`, 0 <= lo <= hi, if a coarse enclosure proves it.
    ///
    /// A term `c t^i` with c > 0 grows with t >= 0, and one with c < 0 falls. So the sum of the smallest values of all
    /// terms is a lower bound of p, and the sum of the largest values is an upper bound.
    pub(crate) fn sign_over(&self, lo: &IBig, hi: &IBig, exponent: usize) -> Option<i32> {
        let degree = self.degree();
        let (mut lower, mut upper) = (IBig::ZERO, IBig::ZERO);
        let (mut lo_power, mut hi_power) = (IBig::ONE, IBig::ONE);
        for (i, c) in self.0.iter().enumerate() {
            if !c.is_zero() {
                let at_lo = (c * &lo_power) << (exponent * (degree - i));
                let at_hi = (c * &hi_power) << (exponent * (degree - i));
                let (smallest, largest) = if sign(c) > 0 { (at_lo, at_hi) } else { (at_hi, at_lo) };
                lower += smallest;
                upper += largest;
            }
            if i < degree {
                lo_power *= lo;
                hi_power *= hi;
            }
        }
        match (sign(&lower), sign(&upper)) {
            (1, _) => Some(1),
            (_, -1) => Some(-1),
            (0, 0) => Some(0),
            _ => None,
        }
    }

    /// Divides by the greatest common divisor of the coefficients; the signs stay.
    pub(crate) fn primitive(mut self) -> Poly {
        let mut content = IBig::ZERO;
        for c in &self.0 {
            content = if content.is_zero() { c.clone() } else { IBig::from((&content).gcd(c)) };
            if content == IBig::ONE {
                return self;
            }
        }
        if sign(&content) < 0 {
            content = -content;
        }
        if content > IBig::ONE {
            for c in &mut self.0 {
                *c = &*c / &content;
            }
        }
        self
    }

    /// Returns a positive multiple of the quotient and of the remainder of `self` by `divisor`.
    ///
    /// Each step multiplies the rest by |leading coefficient|, so there are no fractions and no sign changes.
    fn pseudo_divide(&self, divisor: &Poly) -> (Poly, Poly) {
        let mut rest = self.0.clone();
        let n = divisor.degree();
        let leading = divisor.0.last().expect("not divided by zero");
        let (magnitude, flip) =
            if sign(leading) < 0 { (-leading, IBig::NEG_ONE) } else { (leading.clone(), IBig::ONE) };
        let mut quotient = vec![IBig::ZERO; (self.0.len()).saturating_sub(n)];
        while rest.len() > n && !rest.is_empty() {
            let top = rest.pop().expect("not empty") * &flip;
            let shift = rest.len() - n;
            for c in rest.iter_mut() {
                *c *= &magnitude;
            }
            for q in quotient.iter_mut() {
                *q *= &magnitude;
            }
            for (i, d) in divisor.0[..n].iter().enumerate() {
                rest[shift + i] -= &top * d;
            }
            quotient[shift] = top;
        }
        (Poly::new(quotient), Poly::new(rest))
    }

    /// Returns a positive multiple of the remainder, kept small.
    pub(crate) fn remainder(&self, divisor: &Poly) -> Poly {
        let rest = self.pseudo_divide(divisor).1;
        // A common factor is worth computing only once the numbers are long.
        if rest.0.iter().any(|c| c.bit_len() > 120) { rest.primitive() } else { rest }
    }

    /// Returns a non-zero multiple of the quotient, for a divisor that divides exactly.
    pub(crate) fn quotient(&self, divisor: &Poly) -> Poly {
        let (quotient, rest) = self.pseudo_divide(divisor);
        assert!(rest.is_zero(), "the division was to be exact");
        quotient.primitive()
    }

    /// Returns a greatest common divisor, up to a constant factor. `gcd(p, 0) = p`.
    pub(crate) fn gcd(&self, other: &Poly) -> Poly {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            if b.degree() == 0 {
                return Poly::constant(IBig::ONE);
            }
            let rest = a.remainder(&b);
            a = std::mem::replace(&mut b, rest);
        }
        a.primitive()
    }
}

impl Add for &Poly {
    type Output = Poly;
    fn add(self, other: &Poly) -> Poly {
        let (long, short) = if self.0.len() < other.0.len() { (other, self) } else { (self, other) };
        let mut sum = long.0.clone();
        for (s, c) in sum.iter_mut().zip(&short.0) {
            *s += c;
        }
        Poly::new(sum)
    }
}

impl Sub for &Poly {
    type Output = Poly;
    fn sub(self, other: &Poly) -> Poly {
        let mut difference = self.0.clone();
        difference.resize(self.0.len().max(other.0.len()), IBig::ZERO);
        for (d, c) in difference.iter_mut().zip(&other.0) {
            *d -= c;
        }
        Poly::new(difference)
    }
}

impl Mul for &Poly {
    type Output = Poly;
    fn mul(self, other: &Poly) -> Poly {
        if self.is_zero() || other.is_zero() {
            return Poly(Vec::new());
        }
        let mut product = vec![IBig::ZERO; self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Poly::new(product)
    }
}

/// A vector whose coordinates are polynomials in time.
#[derive(Debug, Clone)]
pub(crate) struct Vector(pub(crate) [Poly; 3]);

impl Vector {
    pub(crate) fn minus(&self, other: &Vector) -> Vector {
        Vector(std::array::from_fn(|i| &self.0[i] - &other.0[i]))
    }

    pub(crate) fn dot(&self, other: &Vector) -> Poly {
        let products: [Poly; 3] = std::array::from_fn(|i| &self.0[i] * &other.0[i]);
        &(&products[0] + &products[1]) + &products[2]
    }

    pub(crate) fn cross(&self, other: &Vector) -> Vector {
        Vector(std::array::from_fn(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            &(&self.0[j] * &other.0[k]) - &(&self.0[k] * &other.0[j])
        }))
    }
}
