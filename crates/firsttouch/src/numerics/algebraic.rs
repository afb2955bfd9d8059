//! Real roots of integer polynomials of degree at most three, compared and tested exactly, without isolating them.
//!
//! **Problem.** Decide the sign of a quadratic `q` at a real root `α` of a cubic `f`, zero included.
//!
//! 1. A root is named by its rank among the distinct real roots of a polynomial without multiple roots. A cubic with a
//!    multiple root has only rational roots (`δ = −Q / 2P` twice and `γ = (aQ − bP) / aP`, with the Hessian
//!    coefficients below). Each of these is represented as the root of a linear polynomial.
//! 2. The position of a real number `x` among the roots of `f` follows from the signs of `f`, `f'` and `f''` at `x`
//!    alone (Thom's lemma: these signs distinguish the roots of `f`). No bracket is needed, so two roots closer
//!    together than any two `f64` are as easy as any others.
//! 3. The sign of `q` at `α` follows from the positions of the roots `β` of `q` among the roots of `f`: reduce `f`,
//!    `f'` and `f''` modulo `q` to a linear `r₁β + r₀` and take the sign of `u ± v√D` by squaring.
//! 4. A bracket of two `f64` is a filter for step 3 and gives the reported time, see [`super::located`]. Signs that are
//!    far from zero are decided without either, and so is the sign of a discriminant far from zero, see `rough`.
//!
//! **Guarantee.** Every sign and every comparison is exact. With coefficients of `q` of 2w bits and of `f` of 3w bits
//! no intermediate value exceeds 20w bits.
//!
//! Reference: M. Coste, M.-F. Roy, Thom's lemma, the coding of real algebraic numbers and the computation of the
//! topology of semi-algebraic sets, 1988.

use std::borrow::Cow;
use std::cmp::Ordering;

use smallvec::SmallVec;

#[cfg(feature = "internals")]
use super::located::Located;
use super::located::{Bracket, Candidate, approximate_roots};
use super::rough::Rough;
use super::wide::{Int, odd_and_exponent};

/// A polynomial of degree at most 3; entry `i` is the coefficient of `t^i`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Poly {
    /// The coefficients, the constant one first.
    pub c: [Int; 4],
}

impl Poly {
    /// Creates a quadratic.
    pub fn quadratic(c0: Int, c1: Int, c2: Int) -> Poly {
        Poly { c: [c0, c1, c2, Int::ZERO] }
    }

    /// Creates a linear polynomial.
    pub fn linear(c0: Int, c1: Int) -> Poly {
        Poly { c: [c0, c1, Int::ZERO, Int::ZERO] }
    }

    /// Returns the degree; 0 for constants, including zero.
    #[inline]
    pub fn degree(&self) -> usize {
        if !self.c[3].is_zero() {
            3
        } else if !self.c[2].is_zero() {
            2
        } else if !self.c[1].is_zero() {
            1
        } else {
            0
        }
    }

    /// Returns true if every coefficient is zero.
    pub fn is_zero(&self) -> bool {
        self.c.iter().all(Int::is_zero)
    }

    /// Returns the sign at an `f64` in `[0, 1]`.
    ///
    /// With `t = m / 2^s`, the value times `2^{ns}` is `((c₃m + c₂2^s)m + c₁2^{2s})m + c₀2^{3s}`.
    pub fn sign_at(&self, t: f64) -> Ordering {
        sign_at_f64(&self.c, t)
    }

    /// Returns the value at an `f64`, divided by the same power of two as in [`Poly::approximate`], with a relative
    /// error below 2^-52 and an absolute one below 1e-300; and its exact sign.
    pub(super) fn approximate_value(&self, t: f64) -> (f64, Ordering) {
        let (value, shift) = value_at_f64(&self.c, t);
        (value.approximate(shift + self.bits()), value.sign())
    }

    fn bits(&self) -> u32 {
        let [c0, c1, c2, c3] = &self.c;
        c0.bits().max(c1.bits()).max(c2.bits().max(c3.bits())) // not a bound: a shift
    }

    fn derivative(&self) -> Poly {
        Poly { c: [self.c[1].clone(), self.c[2].scaled(2), self.c[3].scaled(3), Int::ZERO] }
    }

    fn second_derivative(&self) -> Poly {
        Poly::linear(self.c[2].scaled(2), self.c[3].scaled(6))
    }

    /// Returns the coefficients divided by a common power of two, so that the largest has a magnitude in [1/2, 1];
    /// each has a relative error below 2^-52.
    pub fn approximate(&self) -> [f64; 4] {
        let bits = self.bits();
        let [c0, c1, c2, c3] = &self.c;
        [c0.approximate(bits), c1.approximate(bits), c2.approximate(bits), c3.approximate(bits)]
    }
}

fn sign_at_f64(c: &[Int], t: f64) -> Ordering {
    value_at_f64(c, t).0.sign()
}

/// Returns the value of a polynomial at an `f64` as `n / 2^shift`.
fn value_at_f64(c: &[Int], t: f64) -> (Int, u32) {
    let (m, e) = odd_and_exponent(t);
    if m == 0 {
        return (c[0].clone(), 0);
    }
    if e > 0 {
        // This case occurs only for |t| of 2 and more, which no caller uses; it is correct nevertheless.
        let m = Int::shifted(m, e as u32);
        let mut sum = Int::ZERO;
        for coefficient in c.iter().rev() {
            sum = &(&sum * &m) + coefficient;
        }
        return (sum, 0);
    }
    let step = (-e) as u32;
    let mut shift = 0;
    let mut sum = Int::ZERO;
    for coefficient in c.iter().rev() {
        if sum.is_zero() {
            // The sum is zero so far: the powers of 2 can start here, which keeps low degrees cheap.
            sum = coefficient.clone();
            shift = 0;
            continue;
        }
        shift += step;
        let product = if m == 1 { sum } else { sum.scaled(m) };
        sum = &product + &coefficient.shl(shift);
    }
    (sum, shift)
}

/// Returns the sign of `c₀d³ + c₁nd² + …` for a rational `n/d`, `d > 0`, homogenised to the degree of the polynomial.
fn sign_at_ratio(c: &[Int], n: &Int, d: &Int) -> Ordering {
    let mut sum = Int::ZERO;
    let mut power = Int::shifted(1, 0);
    for coefficient in c.iter().rev() {
        if sum.is_zero() {
            sum = coefficient.clone();
            power = Int::shifted(1, 0);
            continue;
        }
        power = &power * d;
        sum = &(&sum * n) + &(coefficient * &power);
    }
    sum.sign()
}

/// The distinct real roots of a polynomial.
///
/// ```
/// use firsttouch::numerics::{Int, algebraic::{Poly, RealRoots}};
/// let n = |v| Int::shifted(v, 0);
/// let f = Poly { c: [n(-1), n(0), n(2), n(0)] }; // 2t² − 1
/// let roots = RealRoots::of(&f);
/// let larger = roots.iter().nth(1).unwrap();
/// assert!(larger.compare(0.7071).is_gt() && larger.compare(0.7072).is_lt()); // 1/√2
/// // 4t² − 2 vanishes at that root, t − 1 is negative.
/// assert!(larger.sign_of(&Poly::quadratic(n(-2), n(0), n(4))).is_eq());
/// assert!(larger.sign_of(&Poly::linear(n(-1), n(1))).is_lt());
/// ```
#[derive(Debug, Clone)]
pub struct RealRoots<'a> {
    families: SmallVec<[Family<'a>; 1]>,
}

/// A polynomial without multiple roots and the number of its real roots.
#[derive(Debug, Clone)]
struct Family<'a> {
    poly: Cow<'a, Poly>,
    degree: usize,
    count: usize,
    lead: Ordering,
    /// f' and f'', if there is more than one root.
    derivatives: Option<([Int; 3], [Int; 2])>,
}

/// One of the [`RealRoots`].
#[derive(Debug, Clone, Copy)]
pub struct RealRoot<'a> {
    family: &'a Family<'a>,
    /// The rank of the root, counted from the left.
    rank: usize,
}

impl<'a> RealRoots<'a> {
    /// Returns the distinct real roots of `f`; none for a constant. Roots of one polynomial are in ascending order,
    /// but if `f` has a multiple root, the double one comes before the simple one.
    pub fn of(f: &'a Poly) -> RealRoots<'a> {
        let mut families = SmallVec::new();
        let mut add = |poly: Cow<'a, Poly>, degree, count| families.push(Family::new(poly, degree, count));
        let degree = f.degree();
        match degree {
            0 => {}
            1 => add(Cow::Borrowed(f), 1, 1),
            2 => {
                let [c, b, a, _] = &f.c;
                let sign = Rough::new(f.approximate())
                    .quadratic_discriminant()
                    .unwrap_or_else(|| (&b.square() - &(a * c).scaled(4)).sign());
                match sign {
                    Ordering::Less => {}
                    Ordering::Equal => add(Cow::Owned(f.derivative()), 1, 1),
                    Ordering::Greater => add(Cow::Borrowed(f), 2, 2),
                }
            }
            _ => {
                // With P = b² − 3ac, Q = bc − 9ad, R = c² − 3bd, three times the discriminant is 4PR − Q². The
                // remainder of f by f' is, up to a factor, 2Pt + Q: its root is the double root if the discriminant
                // vanishes.
                let [d, c, b, a] = &f.c;
                let hessian = || {
                    let p = &b.square() - &(a * c).scaled(3);
                    let q = &(b * c) - &(a * d).scaled(9);
                    let r = &c.square() - &(b * d).scaled(3);
                    (p, q, r)
                };
                let sign = Rough::new(f.approximate()).cubic_discriminant().unwrap_or_else(|| {
                    let (p, q, r) = hessian();
                    (&(&p * &r).scaled(4) - &q.square()).sign()
                });
                match sign {
                    Ordering::Less => add(Cow::Borrowed(f), 3, 1),
                    Ordering::Greater => add(Cow::Borrowed(f), 3, 3),
                    Ordering::Equal => {
                        let (p, q, _) = hessian();
                        if p.is_zero() {
                            add(Cow::Owned(f.second_derivative()), 1, 1);
                        } else {
                            add(Cow::Owned(Poly::linear(q.clone(), p.scaled(2))), 1, 1);
                            add(Cow::Owned(Poly::linear(&(b * &p) - &(a * &q), a * &p)), 1, 1);
                        }
                    }
                }
            }
        }
        RealRoots { families }
    }

    /// Returns the roots in `(0, end]`, `end` at most 1, each with a bracket.
    #[cfg(feature = "internals")]
    pub fn up_to(&self, end: f64) -> impl Iterator<Item = Located<'_>> {
        self.candidates(end).map(|candidate| candidate.locate())
    }

    /// Returns the roots in `(0, end]`, `end` at most 1, each to be located when that is needed.
    pub(crate) fn candidates(&self, end: f64) -> impl Iterator<Item = Candidate<'_>> {
        self.families.iter().flat_map(move |family| {
            let (below, at_zero) = family.position(family.poly.c[0].sign(), |c| c[0].sign());
            let (before_end, at_end) = family.position(family.poly.sign_at(end), |c| sign_at_f64(c, end));
            let ranks = below + at_zero as usize..before_end + at_end as usize;
            let first = ranks.start;
            let (guesses, rough) = if ranks.is_empty() {
                Default::default()
            } else {
                let c = family.poly.approximate();
                let guesses = approximate_roots(&c, end);
                let rough = if at_end { None } else { Rough::new(c).spans_near(end, ranks.len(), &guesses) };
                (guesses, rough)
            };
            // There are as many guesses as roots, so there is one for each.
            let matched = guesses.len() == ranks.len();
            ranks.map(move |rank| {
                let k = rank - first;
                let lo = if at_end && rank == before_end { end } else { 0.0 };
                Candidate {
                    root: RealRoot { family, rank },
                    around: Bracket { lo, hi: end },
                    guesses: if matched { guesses[k..k + 1].into() } else { guesses.clone() },
                    rough: rough.as_ref().map(|spans| spans[k]),
                }
            })
        })
    }

    /// Returns an iterator over the roots.
    #[cfg(feature = "internals")]
    pub fn iter(&self) -> impl Iterator<Item = RealRoot<'_>> {
        self.families.iter().flat_map(|family| (0..family.count).map(move |rank| RealRoot { family, rank }))
    }
}

impl<'a> Family<'a> {
    fn new(poly: Cow<'a, Poly>, degree: usize, count: usize) -> Family<'a> {
        let lead = poly.c[degree].sign();
        let derivatives = (count > 1).then(|| {
            let [_, b, c, d] = &poly.c;
            ([b.clone(), c.scaled(2), d.scaled(3)], [c.scaled(2), d.scaled(6)])
        });
        Family { poly, degree, count, lead, derivatives }
    }

    /// Returns the number of roots strictly below a number, and true if it is itself a root, from the signs of the
    /// polynomial and its derivatives at it.
    ///
    /// For a cubic with positive lead and roots α₁ < α₂ < α₃, let c₁ < c₂ be the critical points and m the
    /// inflection point: α₁ < c₁ < α₂ < c₂ < α₃ and c₁ < m < c₂. Left of α₁: f < 0, f' > 0, f'' < 0. In (α₂, α₃):
    /// f < 0, and f' > 0 only right of c₂, where f'' > 0. So for f < 0 the condition `f' > 0 and f'' < 0`
    /// distinguishes the two. For f > 0 it is mirrored. At a root, f' < 0 means α₂, and f'' distinguishes α₁ from
    /// α₃.
    fn position(&self, f: Ordering, sign: impl Fn(&[Int]) -> Ordering) -> (usize, bool) {
        let lead = self.lead;
        let f = times(lead, f);
        let Some((first, second)) = &self.derivatives else { return (f.is_gt() as usize, f.is_eq()) };
        let first = times(lead, sign(first));
        let below = if self.count == 2 {
            match f {
                Ordering::Less => 1,
                _ if first.is_lt() => 0,
                Ordering::Equal => 1,
                Ordering::Greater => 2,
            }
        } else {
            let second = || times(lead, sign(second));
            match f {
                Ordering::Less if first.is_gt() && second().is_lt() => 0,
                Ordering::Less => 2,
                Ordering::Greater if first.is_gt() && second().is_gt() => 3,
                Ordering::Greater => 1,
                Ordering::Equal if first.is_lt() => 1,
                Ordering::Equal if second().is_lt() => 0,
                Ordering::Equal => 2,
            }
        };
        (below, f.is_eq())
    }
}

impl RealRoot<'_> {
    /// Returns the order of the root and the `f64` in `[0, 1]`.
    pub fn compare(&self, t: f64) -> Ordering {
        self.compare_given(t, self.family.poly.sign_at(t))
    }

    /// Like [`compare`](RealRoot::compare), with the known sign of the polynomial at `t`.
    pub(super) fn compare_given(&self, t: f64, f: Ordering) -> Ordering {
        self.place(f, |c| sign_at_f64(c, t)).reverse()
    }

    /// Returns the exact sign of `q`, of degree at most 2, at the root, by closed forms. [`super::located::Located`]
    /// is faster if the sign is easy to decide.
    pub fn sign_of(&self, q: &Poly) -> Ordering {
        debug_assert!(q.degree() <= 2);
        let degree = q.degree();
        if let Some(sign) = self.sign_of_itself(q) {
            return sign;
        }
        if self.family.degree == 1 {
            let (n, d) = ratio(&self.family.poly.c[0], &self.family.poly.c[1]);
            return sign_at_ratio(&q.c, &n, &d);
        }
        let [c, b, a, _] = &q.c;
        if degree == 1 {
            // Above its root a linear polynomial has the sign of its slope.
            let (n, d) = ratio(c, b);
            return times(b.sign(), self.compare_ratio(&n, &d));
        }
        let discriminant = &b.square() - &(a * c).scaled(4);
        match discriminant.sign() {
            Ordering::Less => a.sign(),
            Ordering::Equal => {
                let (n, d) = ratio(b, &a.scaled(2));
                let side = self.compare_ratio(&n, &d);
                if side.is_eq() { Ordering::Equal } else { a.sign() }
            }
            Ordering::Greater => {
                let below = self.compare_quadratic(q, &discriminant, false);
                if below.is_le() {
                    return if below.is_eq() { Ordering::Equal } else { a.sign() };
                }
                times(a.sign(), self.compare_quadratic(q, &discriminant, true))
            }
        }
    }

    /// Returns the sign of `q` at the root if `q` is constant or the polynomial of the root.
    #[inline]
    pub(super) fn sign_of_itself(&self, q: &Poly) -> Option<Ordering> {
        if q.degree() == 0 {
            Some(q.c[0].sign())
        } else {
            (*q == *self.family.poly).then_some(Ordering::Equal)
        }
    }

    /// Returns true if the quadratic `q` divides the polynomial of this root.
    pub(super) fn has_factor(&self, q: &Poly) -> bool {
        let [c, b, a, _] = &q.c;
        let (r0, r1) = if a.is_zero() { return false } else { remainder(&self.family.poly.c, c, b, a) };
        r0.is_zero() && r1.is_zero()
    }

    /// Returns the polynomial of this root.
    pub(super) fn poly(&self) -> &Poly {
        &self.family.poly
    }

    /// Compares the root with `n / d`, `d > 0`.
    fn compare_ratio(&self, n: &Int, d: &Int) -> Ordering {
        let sign = |c: &[Int]| sign_at_ratio(c, n, d);
        self.place(sign(&self.family.poly.c), sign).reverse()
    }

    /// Compares the root with the smaller or the larger root of the quadratic `q`, whose discriminant is positive.
    fn compare_quadratic(&self, q: &Poly, discriminant: &Int, larger: bool) -> Ordering {
        // For a < 0, −q has the same roots.
        let flip = q.c[2].sign().is_lt();
        let [c, b, a] = [0, 1, 2].map(|i| if flip { q.c[i].clone().negated() } else { q.c[i].clone() });
        let sign = |f: &[Int]| {
            let (r0, r1) = remainder(f, &c, &b, &a);
            // β = (−b ± √D) / 2a, so 2a (r₁β + r₀) = (2a r₀ − r₁b) ± r₁√D, and a > 0.
            let u = &(&a * &r0).scaled(2) - &(&r1 * &b);
            let v = if larger { r1 } else { r1.negated() };
            sign_with_root(&u, &v, discriminant)
        };
        self.place(sign(&self.family.poly.c), sign).reverse()
    }

    /// Returns the order of a number and this root, given the signs of the polynomial and of any other at that number.
    fn place(&self, f: Ordering, sign: impl Fn(&[Int]) -> Ordering) -> Ordering {
        let (below, is_root) = self.family.position(f, sign);
        if is_root {
            below.cmp(&self.rank)
        } else if below <= self.rank {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    }
}

fn times(a: Ordering, b: Ordering) -> Ordering {
    match a {
        Ordering::Greater => b,
        Ordering::Equal => Ordering::Equal,
        Ordering::Less => b.reverse(),
    }
}

/// Returns the root `−c₀/c₁` as a numerator and a positive denominator.
fn ratio(c0: &Int, c1: &Int) -> (Int, Int) {
    if c1.sign().is_lt() { (c0.clone(), c1.clone().negated()) } else { (c0.clone().negated(), c1.clone()) }
}

/// Returns `f` modulo `at² + bt + c`, `a > 0`, times a positive factor: (constant, slope).
fn remainder(f: &[Int], c: &Int, b: &Int, a: &Int) -> (Int, Int) {
    let zero = Int::ZERO;
    let at = |i: usize| f.get(i).unwrap_or(&zero);
    let (mut e0, mut e1, mut e2) = (at(0).clone(), at(1).clone(), at(2).clone());
    let lead = at(3);
    if !lead.is_zero() {
        (e0, e1, e2) = (&e0 * a, &(&e1 * a) - &(lead * c), &(&e2 * a) - &(lead * b));
    }
    if e2.is_zero() { (e0, e1) } else { (&(&e0 * a) - &(&e2 * c), &(&e1 * a) - &(&e2 * b)) }
}

/// Returns the sign of `u + v√d`, `d > 0`.
fn sign_with_root(u: &Int, v: &Int, d: &Int) -> Ordering {
    match (u.sign(), v.sign()) {
        (s, Ordering::Equal) => s,
        (Ordering::Equal, s) => s,
        (s, r) if s == r => s,
        (s, _) => times(s, (&u.square() - &(&v.square() * d)).sign()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_int::IBig;
    use dashu_ratio::RBig;

    fn n(v: i64) -> Int {
        Int::shifted(v, 0)
    }

    fn poly(c: [i64; 4]) -> Poly {
        Poly { c: c.map(n) }
    }

    /// Returns (pt − q)(rt − s)(at − b), which has three rational roots.
    fn product(factors: [(i64, i64); 3]) -> Poly {
        let [(p, q), (r, s), (a, b)] = factors;
        let quad = [q * s, -(p * s + q * r), p * r];
        poly([-b * quad[0], a * quad[0] - b * quad[1], a * quad[1] - b * quad[2], a * quad[2]])
    }

    #[test]
    fn products_of_linear_factors_have_the_roots_they_were_made_from() {
        let mut state = 5u64;
        let mut draw = |m: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % m
        };
        let mut multiple = 0;
        for _ in 0..20_000 {
            let factors = [0; 3].map(|_| (1 + draw(5) as i64, draw(7) as i64));
            let f = product(factors);
            let mut exact: Vec<RBig> = factors
                .iter()
                .map(|&(p, q)| RBig::from_parts(IBig::from(q), dashu_int::UBig::from(p as u64)))
                .collect();
            exact.sort();
            exact.dedup();
            multiple += (exact.len() < 3) as usize;
            let roots = RealRoots::of(&f);
            let roots: Vec<RealRoot<'_>> = roots.iter().collect();
            assert_eq!(roots.len(), exact.len());
            let q = [draw(9) as i64 - 4, draw(9) as i64 - 4, draw(9) as i64 - 4];
            let quad = poly([q[0], q[1], q[2], 0]);
            let mut got: Vec<Ordering> = Vec::new();
            let mut want: Vec<Ordering> = Vec::new();
            for alpha in &exact {
                let value = RBig::from(q[2]) * alpha * alpha + RBig::from(q[1]) * alpha + RBig::from(q[0]);
                want.push(value.cmp(&RBig::ZERO));
            }
            let mut order: Vec<usize> = (0..roots.len()).collect();
            // Multiple roots: the double one may come after the simple one, so they are sorted by comparison with the
            // exact values.
            order.sort_by(|&i, &j| {
                let rank = |k: usize| {
                    exact.iter().position(|x| {
                        let (num, den) = x.clone().into_parts();
                        let num: i64 = i64::try_from(num).unwrap();
                        let den: u64 = u64::try_from(den).unwrap();
                        roots[k].compare_ratio(&n(num), &n(den as i64)).is_eq()
                    })
                };
                rank(i).unwrap().cmp(&rank(j).unwrap())
            });
            for i in order {
                got.push(roots[i].sign_of(&quad));
                if roots[i].compare(0.0).is_ge() && roots[i].compare(1.0).is_le() {
                    let located = Located::new(
                        roots[i],
                        Bracket { lo: 0.0, hi: 1.0 },
                        &approximate_roots(&f.approximate(), 1.0),
                    );
                    let bracket = located.bracket;
                    assert!(bracket.hi - bracket.lo <= f64::EPSILON);
                    assert!(roots[i].compare(bracket.lo).is_ge() && roots[i].compare(bracket.hi).is_le());
                    assert_eq!(located.sign_of(&quad), *got.last().unwrap());
                }
            }
            assert_eq!(got, want, "{factors:?} {q:?}");
        }
        assert!(multiple > 1000);
    }

    /// Irrational roots shared by f and q: f = q · (linear) has every root of q as a root, and q must be exactly zero
    /// at these.
    #[test]
    fn common_irrational_roots_are_zeros() {
        for q in [[-1, 0, 2], [-1, 1, 1], [1, -5, 5], [-3, 2, 7]] {
            for l in [[-1, 3], [5, 1], [-7, 8]] {
                let f =
                    poly([q[0] * l[0], q[1] * l[0] + q[0] * l[1], q[2] * l[0] + q[1] * l[1], q[2] * l[1]]);
                let roots = RealRoots::of(&f);
                let roots: Vec<RealRoot<'_>> = roots.iter().collect();
                assert_eq!(roots.len(), 3);
                let zero = roots.iter().filter(|r| r.sign_of(&poly([q[0], q[1], q[2], 0])).is_eq());
                assert_eq!(zero.count(), 2);
                let zero = roots.iter().filter(|r| r.sign_of(&poly([l[0], l[1], 0, 0])).is_eq());
                assert_eq!(zero.count(), 1);
            }
        }
    }

    /// Two roots much closer together than neighbouring f64: 2^120 (t − 1/2)² = 1 has them at 1/2 ± 2^-60. With a
    /// third factor (t − 2) the polynomial stays a cubic. The line between them separates them.
    #[test]
    fn roots_closer_than_an_ulp_stay_apart() {
        let quad = [&Int::shifted(1, 118) - &n(1), Int::shifted(-1, 120), Int::shifted(1, 120)];
        let f = Poly {
            c: [
                quad[0].scaled(-2),
                &quad[0] - &quad[1].scaled(2),
                &quad[1] - &quad[2].scaled(2),
                quad[2].clone(),
            ],
        };
        let roots = RealRoots::of(&f);
        let roots: Vec<RealRoot<'_>> = roots.iter().collect();
        assert_eq!(roots.len(), 3);
        let middle = Poly::linear(n(-1), n(2));
        assert!(roots[0].sign_of(&middle).is_lt());
        assert!(roots[1].sign_of(&middle).is_gt());
        for (i, side) in [(0, Ordering::Less), (1, Ordering::Greater)] {
            let located = Located::new(
                roots[i],
                Bracket { lo: 0.0, hi: 1.0 },
                &approximate_roots(&f.approximate(), 1.0),
            );
            let bracket = located.bracket;
            assert!(bracket.lo <= 0.5 && 0.5 <= bracket.hi && bracket.hi - bracket.lo <= f64::EPSILON);
            assert_eq!(roots[i].compare(0.5), side);
            assert_eq!(located.sign_of(&middle), side);
        }
    }
}
