//! Real algebraic numbers in `[0, 1]`: isolated by Sturm's theorem, compared and substituted exactly.
//!
//! A root is either a known dyadic number or the only root of a square-free polynomial in an open dyadic cell
//! `(k, k + 1) / 2^e` whose ends are not roots, so that halving the cell needs one sign. Signs of other polynomials
//! at the root come from an enclosure over the cell. If that does not decide, a common divisor shows whether the
//! value is zero, and if not, the cell shrinks until the enclosure decides.

use std::cmp::Ordering;

use dashu_int::IBig;

use super::polynomial::{Dyadic, Poly};

/// A real algebraic number in `[0, 1]`.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    /// Square-free, and zero at the root and nowhere else in the cell. Not used for an exact root.
    poly: Poly,
    /// The root itself if `exact`, else the lower end of the cell.
    lo: Dyadic,
    exact: bool,
    /// The sign of `poly` at the lower end of the cell.
    sign_lo: i32,
}

impl Root {
    /// Returns the number itself.
    pub(crate) fn at(time: Dyadic) -> Root {
        Root { poly: Poly::constant(IBig::ZERO), lo: time, exact: true, sign_lo: 0 }
    }

    /// Returns the interval `[lo, hi]` in which the root is known to lie.
    pub(crate) fn interval(&self) -> (Dyadic, Dyadic) {
        let hi = Dyadic { numerator: self.hi(), exponent: self.lo.exponent };
        (self.lo.clone(), hi)
    }

    /// Halves the interval until it is at most `2^-bits` wide.
    pub(crate) fn narrow(&mut self, bits: usize) {
        while !self.exact && self.lo.exponent < bits {
            self.halve();
        }
    }

    /// Compares the root with `time`.
    pub(crate) fn compare(&self, time: &Dyadic) -> Ordering {
        if self.exact {
            return self.lo.compare(time);
        }
        let (lo, hi) = self.interval();
        if time.compare(&lo).is_le() {
            return Ordering::Greater;
        }
        if time.compare(&hi).is_ge() {
            return Ordering::Less;
        }
        match self.poly.sign_at(time) {
            0 => Ordering::Equal,
            s if s == self.sign_lo => Ordering::Greater,
            _ => Ordering::Less,
        }
    }

    /// Returns the order of two roots.
    pub(crate) fn compare_root(&mut self, other: &mut Root) -> Ordering {
        if other.exact {
            return self.compare(&other.lo);
        }
        if self.exact {
            return other.compare(&self.lo).reverse();
        }
        // Equal if and only if the other's polynomial vanishes here and the other's cell contains this root.
        if self.sign(&other.poly.clone()) == 0 {
            let (lo, hi) = other.interval();
            return match (self.compare(&lo), self.compare(&hi)) {
                (Ordering::Greater, Ordering::Less) => Ordering::Equal,
                (Ordering::Greater, _) => Ordering::Greater,
                _ => Ordering::Less,
            };
        }
        loop {
            let (lo, hi) = other.interval();
            if self.compare(&lo).is_le() {
                return Ordering::Less;
            }
            if self.compare(&hi).is_ge() {
                return Ordering::Greater;
            }
            other.halve();
            if other.exact {
                return self.compare(&other.lo);
            }
        }
    }

    /// Returns the sign of another polynomial at the root.
    pub(crate) fn sign(&mut self, q: &Poly) -> i32 {
        let mut known_not_zero = false;
        let mut steps = 6;
        loop {
            if self.exact {
                return q.sign_at(&self.lo);
            }
            if let Some(s) = q.sign_over(&self.lo.numerator, &self.hi(), self.lo.exponent) {
                return s;
            }
            if !known_not_zero && self.lo.exponent >= 6 {
                let common = self.poly.gcd(q);
                let (lo, hi) = self.interval();
                // It divides `poly`: no root at the ends of the cell, at most one inside.
                let sign_lo = common.sign_at(&lo);
                if sign_lo != common.sign_at(&hi) {
                    self.poly = common;
                    self.sign_lo = sign_lo;
                    return 0;
                }
                known_not_zero = true;
            }
            for _ in 0..steps {
                self.halve();
            }
            steps = steps * 3 / 2;
        }
    }

    fn hi(&self) -> IBig {
        if self.exact { self.lo.numerator.clone() } else { &self.lo.numerator + IBig::ONE }
    }

    fn halve(&mut self) {
        if self.exact {
            return;
        }
        let middle =
            Dyadic { numerator: (&self.lo.numerator << 1) + IBig::ONE, exponent: self.lo.exponent + 1 };
        match self.poly.sign_at(&middle) {
            0 => *self = Root::at(middle),
            s if s == self.sign_lo => self.lo = middle,
            _ => self.lo = Dyadic { numerator: middle.numerator - IBig::ONE, exponent: middle.exponent },
        }
    }
}

/// A root, and true if it is a simple one.
#[derive(Debug, Clone)]
pub(crate) struct Isolated {
    pub(crate) root: Root,
    pub(crate) simple: bool,
}

/// Returns the distinct roots in `[0, 1]` of a polynomial that is not identically zero, in ascending order.
pub(crate) fn roots_in_unit_interval(p: &Poly) -> Vec<Isolated> {
    assert!(!p.is_zero(), "every time is a root of the zero polynomial");
    if p.degree() == 0 || p.sign_over(&IBig::ZERO, &IBig::ONE, 0).is_some_and(|s| s != 0) {
        return Vec::new();
    }
    let chain = sturm_chain(p.clone());
    let repeated = chain.last().expect("not empty");
    if repeated.degree() == 0 {
        return isolate(&chain).into_iter().map(|root| Isolated { root, simple: true }).collect();
    }
    let square_free = sturm_chain(p.quotient(&repeated.clone().primitive()));
    isolate(&square_free)
        .into_iter()
        .map(|root| {
            let simple = root.clone().sign(repeated) != 0;
            Isolated { root, simple }
        })
        .collect()
}

/// p, p', and then minus the remainder of each two in turn; the last one is the common divisor of p and p'.
fn sturm_chain(p: Poly) -> Vec<Poly> {
    let derivative = p.derivative();
    let mut chain = vec![p, derivative];
    loop {
        let [.., a, b] = &chain[..] else { unreachable!() };
        if b.degree() == 0 {
            return chain;
        }
        let rest = a.remainder(b).negated();
        if rest.is_zero() {
            return chain;
        }
        chain.push(rest);
    }
}

/// Sturm: the number of sign changes along the chain falls by the number of roots in `(lo, hi]`.
fn isolate(chain: &[Poly]) -> Vec<Root> {
    let p = &chain[0];
    let changes = |t: &Dyadic| {
        let signs = chain.iter().map(|q| q.sign_at(t)).filter(|&s| s != 0);
        signs.fold((0, 0), |(last, n), s| (s, n + usize::from(last == -s))).1
    };
    let one = Dyadic { numerator: IBig::ONE, exponent: 0 };
    let mut roots = Vec::new();
    if p.sign_at(&Dyadic::zero()) == 0 {
        roots.push(Root::at(Dyadic::zero()));
    }
    // Remaining cells, the leftmost on top: lower end, and the sign changes at both ends.
    let mut cells = vec![(Dyadic::zero(), changes(&Dyadic::zero()), changes(&one))];
    while let Some((lo, changes_lo, changes_hi)) = cells.pop() {
        let count = changes_lo - changes_hi;
        if count == 0 {
            continue;
        }
        let hi = Dyadic { numerator: &lo.numerator + IBig::ONE, exponent: lo.exponent };
        if count == 1 {
            if p.sign_at(&hi) == 0 {
                roots.push(Root::at(hi));
                continue;
            }
            let sign_lo = p.sign_at(&lo);
            if sign_lo != 0 {
                roots.push(Root { poly: p.clone(), lo, exact: false, sign_lo });
                continue;
            }
        }
        let left = Dyadic { numerator: &lo.numerator << 1, exponent: lo.exponent + 1 };
        let middle = Dyadic { numerator: &left.numerator + IBig::ONE, exponent: left.exponent };
        let changes_middle = changes(&middle);
        cells.push((middle, changes_middle, changes_hi));
        cells.push((left, changes_lo, changes_middle));
    }
    roots
}
