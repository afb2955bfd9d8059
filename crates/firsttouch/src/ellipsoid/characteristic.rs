//! The characteristic quartic of two ellipsoids, in the form that needs no inverse matrix.
//!
//! Two ellipsoids with centres `a`, `b` are `{a + L_A y}` and `{b + L_B y}` for `|y| <= 1`. With `S = L L^T`,
//! `d = b − a`, `v = 1 − u` and `Q(u) = u S_A + v S_B` put
//! ```text
//! G(u) = u v d^T adj(Q) d − det Q.
//! ```
//! **The ellipsoids are separate if and only if `G(u) > 0` for some `u` in `(0, 1)`, and touch if and only if the
//! maximum is zero.**
//!
//! # Derivation
//! The condition of the paper is on `F(u) = det((u − 1) A − u B)`, where `X^T A X = 0` is the surface. The inverse of
//! the matrix of an ellipsoid is the matrix of its tangent planes, `A* = [S_A − a a^T, −a; −a^T, −1]`, which needs no
//! division. From `(u − 1) A − u B = A ((u − 1) B* − u A*) B`, and because `det A` and `det B` are both negative, `F`
//! has the sign of `det(u A* + v B*)`. The Schur complement of the last entry, `−1`, is `Q − u v d d^T`, so this
//! determinant is `−det(Q − u v d d^T) = u v d^T adj(Q) d − det Q`.
//!
//! Expanded, with `mix` the polar form of the adjugate (`adj(X + Y) = adj X + mix(X, Y) + adj Y`),
//! ```text
//! G = u v (α u² + β u v + γ v²) − (u + v) (p3 u³ + p2 u² v + p1 u v² + p0 v³)
//! α = d^T adj(S_A) d      p3 = det S_A      p2 = tr(adj(S_A) S_B)
//! γ = d^T adj(S_B) d      p0 = det S_B      p1 = tr(S_A adj(S_B))      β = d^T mix(S_A, S_B) d
//! ```
//! Each is linear or quadratic in the quantities of one side. For a rigid motion `S = R D² R^T` and
//! `adj S = det(D²) R D⁻² R^T` have the same denominator, so the degree in time stays far below that of the paper: see
//! `equation`.
//!
//! # The ratio
//! `f(u) = u v d^T Q⁻¹ d = 1 + G / det Q` is the least value over all `x` of `v q_A(x) + u q_B(x)`, with
//! `q_A(x) = (x − a)^T S_A⁻¹ (x − a)`: a minimum of functions that are linear in `u`, hence concave. It has one maximum
//! in `(0, 1)`, and the root of the maximum is the factor by which both ellipsoids must be scaled about their centres
//! to touch. The minimum is attained at `x = a + u S_A Q⁻¹ d`, and the common normal there is `Q⁻¹ d`: the contact
//! point of Theorem 2.
//!
//! References: Choi, Chang, Wang, Kim, Elber 2009, Sec. 2, Theorems 1 and 2, Appendix A; J. W. Perram and M. S.
//! Wertheim, "Statistical mechanics of hard ellipsoids", J. Comput. Phys. 58 (1985), for the ratio.

use crate::numerics::rounding::{TINY, UNIT};

/// A symmetric matrix: xx, yy, zz, yz, xz, xy.
pub(crate) type Sym3<T> = [T; 6];

/// The operations that the formulas need. They are evaluated in f64 and in exact arithmetic.
pub(crate) trait Ring: Clone {
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
}

impl Ring for f64 {
    #[inline]
    fn plus(&self, other: &f64) -> f64 {
        self + other
    }
    #[inline]
    fn minus(&self, other: &f64) -> f64 {
        self - other
    }
    #[inline]
    fn times(&self, other: &f64) -> f64 {
        self * other
    }
}

/// `S`, its adjugate and its determinant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Factors<T> {
    pub(crate) s: Sym3<T>,
    pub(crate) adj: Sym3<T>,
    pub(crate) det: T,
}

/// The seven numbers of the header.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Terms<T> {
    pub(crate) alpha: T,
    pub(crate) beta: T,
    pub(crate) gamma: T,
    pub(crate) p: [T; 4],
}

/// The products whose difference is each entry of `mix`: `(plus, minus)`, as indices into the two matrices.
pub(crate) const MIX: [([usize; 2], [usize; 2]); 6] = [
    ([1, 2], [3, 3]),
    ([0, 2], [4, 4]),
    ([0, 1], [5, 5]),
    ([5, 4], [0, 3]),
    ([5, 3], [1, 4]),
    ([4, 3], [2, 5]),
];

impl<T: Ring> Terms<T> {
    #[inline]
    pub(crate) fn new(a: &Factors<T>, b: &Factors<T>, d: &[T; 3]) -> Terms<T> {
        let pair = |i: usize, j: usize| d[i].times(&d[j]);
        let dd = [pair(0, 0), pair(1, 1), pair(2, 2), pair(1, 2), pair(0, 2), pair(0, 1)];
        // Off the diagonal, `i = j` in a difference of products stands for twice the single product.
        let mix = MIX.map(|([i, j], [k, l])| {
            let cross = |i: usize, j: usize| a.s[i].times(&b.s[j]).plus(&b.s[i].times(&a.s[j]));
            cross(i, j).minus(&cross(k, l))
        });
        Terms {
            alpha: inner(&a.adj, &dd),
            beta: inner(&mix, &dd),
            gamma: inner(&b.adj, &dd),
            p: [b.det.clone(), inner(&a.s, &b.adj), inner(&a.adj, &b.s), a.det.clone()],
        }
    }

    /// Returns the coefficients of `u^i v^(4 − i)` in `G`.
    #[inline]
    pub(crate) fn coefficients(&self) -> [T; 5] {
        let [p0, p1, p2, p3] = &self.p;
        let zero = p0.minus(p0);
        [
            zero.minus(p0),
            self.gamma.minus(&p1.plus(p0)),
            self.beta.minus(&p2.plus(p1)),
            self.alpha.minus(&p3.plus(p2)),
            zero.minus(p3),
        ]
    }
}

/// Returns the trace of the product of two symmetric matrices.
#[inline]
fn inner<T: Ring>(x: &Sym3<T>, y: &Sym3<T>) -> T {
    let diagonal = x[0].times(&y[0]).plus(&x[1].times(&y[1])).plus(&x[2].times(&y[2]));
    let off = x[3].times(&y[3]).plus(&x[4].times(&y[4])).plus(&x[5].times(&y[5]));
    diagonal.plus(&off).plus(&off)
}

/// The most steps of the search for the maximum. Newton's iteration needs about four.
const MAX_STEPS: usize = 40;

impl Terms<f64> {
    /// Returns the terms that belong to the coefficients of `G` and the two inner ones of `det Q`.
    #[inline]
    pub(crate) fn from_coefficients(c: &[f64; 5], p1: f64, p2: f64) -> Terms<f64> {
        let (p0, p3) = (-c[0], -c[4]);
        Terms { alpha: c[3] + p3 + p2, beta: c[2] + p2 + p1, gamma: c[1] + p1 + p0, p: [p0, p1, p2, p3] }
    }

    /// Returns `f(u)`.
    pub(crate) fn ratio(&self, u: f64) -> f64 {
        let Terms { alpha, beta, gamma, p: [p0, p1, p2, p3] } = *self;
        let v = 1.0 - u;
        let det = ((p3 * u + p2 * v) * u + p1 * v * v) * u + p0 * v * v * v;
        u * v * (alpha * u * u + beta * u * v + gamma * v * v) / det
    }

    /// Returns the place of the largest `f`, by Newton's iteration on its derivative, kept inside a bracket. This
    /// proves nothing: a poor `u` only makes a proof fail.
    pub(crate) fn best_u(&self, start: f64) -> f64 {
        let Terms { alpha, beta, gamma, p: [p0, p1, p2, p3] } = *self;
        let mut u = if start > 0.0 && start < 1.0 { start } else { 0.5 };
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..MAX_STEPS {
            let v = 1.0 - u;
            let q = alpha * u * u + beta * u * v + gamma * v * v;
            let q1 = 2.0 * (alpha * u - gamma * v) + beta * (v - u);
            let (n, n1) = (u * v * q, (v - u) * q + u * v * q1);
            let n2 = 2.0 * ((v - u) * q1 - q + u * v * (alpha - beta + gamma));
            let d = ((p3 * u + p2 * v) * u + p1 * v * v) * u + p0 * v * v * v;
            let d1 = (3.0 * p3 - p2) * u * u + 2.0 * (p2 - p1) * u * v + (p1 - 3.0 * p0) * v * v;
            let d2 = 6.0 * (p3 * u + p0 * v) + p2 * (2.0 * v - 4.0 * u) + p1 * (2.0 * u - 4.0 * v);
            // f' has the sign of n1 d − n d1; the derivative of that is n2 d − n d2.
            let slope = n1 * d - n * d1;
            if slope > 0.0 {
                low = u;
            } else if slope < 0.0 {
                high = u;
            } else {
                break;
            }
            let step = slope / (n2 * d - n * d2);
            let next = u - step;
            // The error after a step is of the order of its square. Such a step is taken even if it ends on the
            // bracket.
            if step.abs() <= 1e-7 * u.min(v) {
                // not a bound: when to stop
                u = next;
                break;
            }
            u = if low < next && next < high { next } else { 0.5 * (low + high) };
        }
        u
    }
}

/// The proven sign of a quartic whose coefficients are enclosed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Proof {
    /// Positive at this `u`.
    Positive(f64),
    /// Negative on all of `[0, 1]`; the largest value is near this `u`.
    Negative(f64),
    /// The errors are too large to decide.
    Unknown(f64),
}

/// Returns the sign of the maximum of `Σ c_i u^i v^(4−i)`, whose true coefficients are within `errors` of `c`.
#[inline]
pub(crate) fn sign_of_maximum(terms: &Terms<f64>, c: &[f64; 5], errors: &[f64; 5], start: f64) -> Proof {
    if is_positive_at(c, errors, start) {
        return Proof::Positive(start);
    }
    let u = terms.best_u(start);
    if is_positive_at(c, errors, u) {
        Proof::Positive(u)
    } else if is_negative(c, errors, u) {
        Proof::Negative(u)
    } else {
        Proof::Unknown(u)
    }
}

/// Returns true if the quartic is certainly positive at `u`.
#[inline]
pub(crate) fn is_positive_at(c: &[f64; 5], errors: &[f64; 5], u: f64) -> bool {
    let weights = monomials(u);
    let mut value = 0.0;
    let mut error = 0.0;
    for i in 0..5 {
        value += c[i] * weights[i];
        // A weight has at most 7 roundings, including `1 − u` four times; the product and the sum have 5 more.
        error += (errors[i] + 16.0 * UNIT * c[i].abs()) * weights[i];
    }
    value > error * (1.0 + 32.0 * UNIT) + TINY
}

/// Returns `u^i (1 − u)^(4−i)`.
#[inline]
pub(crate) fn monomials(u: f64) -> [f64; 5] {
    let v = 1.0 - u;
    let (uu, vv) = (u * u, v * v);
    [vv * vv, vv * v * u, vv * uu, v * u * uu, uu * uu]
}

/// Returns true if the quartic is certainly negative on all of `[0, 1]`: its Bernstein coefficients are negative, at
/// once or on both sides of `u`.
pub(crate) fn is_negative(c: &[f64; 5], errors: &[f64; 5], u: f64) -> bool {
    // If only one of the two sides is below, the proof fails.
    let below = |values: &[f64; 5], errors: &[f64; 5]| (0..5).all(|i| -values[i] > errors[i]);
    if below(c, errors) {
        return true;
    }
    const BINOMIALS: [f64; 5] = [1.0, 4.0, 6.0, 4.0, 1.0];
    let v = 1.0 - u;
    let mut values = [0, 1, 2, 3, 4].map(|i| c[i] / BINOMIALS[i]);
    // The division and 3 roundings in each of four levels of de Casteljau's algorithm, and the same for the errors.
    let mut spread = [0, 1, 2, 3, 4]
        .map(|i| (errors[i] / BINOMIALS[i] + 16.0 * UNIT * values[i].abs()) * (1.0 + 32.0 * UNIT) + TINY);
    let (mut left, mut left_spread) = (values, spread);
    for level in 1..5 {
        for i in 0..5 - level {
            values[i] = v * values[i] + u * values[i + 1];
            spread[i] = v * spread[i] + u * spread[i + 1];
        }
        left[level] = values[0];
        left_spread[level] = spread[0];
    }
    below(&left, &left_spread) && below(&values, &spread)
}
