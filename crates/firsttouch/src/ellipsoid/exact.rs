//! The relation of two ellipsoids at rest, in exact arithmetic: Sturm's sequence of the characteristic quartic.
//!
//! This method serves the few pairs that rounded arithmetic cannot decide.
//! 1. Each ellipsoid is `{c + L y / e}`, `|y| <= 1`, with `L`, `c` and `e` computed from the input by sums and
//!    products: all are whole multiples of powers of two. (`e` is the squared length of the quaternion, 1 for an affine
//!    image.)
//! 2. Stretching space by `e_A e_B` removes both denominators: `e_B L_A`, `e_A L_B` and `e_A e_B (b − a)`. The
//!    coefficients of the quartic follow without any division.
//! 3. In `x = u / (1 − u)` the interval `(0, 1)` is the positive half line. The sign changes of Sturm's sequence at
//!    zero and at infinity, which are those of the constant and of the leading coefficients, count the distinct
//!    positive roots: none if the ellipsoids overlap, one (double) if they touch, two if they are separate.
//!
//! The remainders are scaled by squares of leading coefficients instead of divided, which keeps their signs.
//!
//! Reference: Choi, Chang, Wang, Kim, Elber 2009, Sec. 2.2, where the roots are counted in `λ = −1 / x`.

use dashu_int::Sign;
use dashu_ratio::Relaxed;
use glam::{DMat3, DQuat, DVec3};

use super::characteristic::{Factors, Ring, Sym3, Terms};
use super::stationary::Relation;

/// An ellipsoid as it was given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Source {
    /// Semi-axes, turned by the quaternion, which may have any length.
    Rigid { semi_axes: DVec3, rotation: DQuat },
    /// The image of the unit ball under a matrix.
    Affine(DMat3),
}

/// Returns the exact relation.
pub(crate) fn relation(a: (&Source, DVec3), b: (&Source, DVec3)) -> Relation {
    let (linear_a, e_a) = image(a.0);
    let (linear_b, e_b) = image(b.0);
    let both = e_a.times(&e_b);
    let d = [0, 1, 2].map(|k| exact(b.1[k]).minus(&exact(a.1[k])).times(&both));
    let terms = Terms::new(&factors(&linear_a, &e_b), &factors(&linear_b, &e_a), &d);
    match positive_roots(terms.coefficients().to_vec()) {
        0 => Relation::Overlapping,
        1 => Relation::Touching,
        _ => Relation::Separate,
    }
}

/// Returns true if a matrix is regular.
pub(crate) fn is_regular(linear: &DMat3) -> bool {
    let (linear, _) = image(&Source::Affine(*linear));
    let cofactors = cofactors(&linear);
    let det = (0..3).map(|k| linear[0][k].times(&cofactors[0][k])).reduce(|x, y| x.plus(&y));
    det.is_some_and(|det| !det.is_zero())
}

impl Ring for Relaxed {
    fn plus(&self, other: &Relaxed) -> Relaxed {
        self + other
    }
    fn minus(&self, other: &Relaxed) -> Relaxed {
        self - other
    }
    fn times(&self, other: &Relaxed) -> Relaxed {
        self * other
    }
}

/// Returns the exact value of a finite number.
fn exact(x: f64) -> Relaxed {
    Relaxed::try_from(x).unwrap_or(Relaxed::ZERO)
}

type Rows = [[Relaxed; 3]; 3];

/// Returns `L`, by rows, and `e`.
fn image(source: &Source) -> (Rows, Relaxed) {
    match source {
        Source::Affine(linear) => {
            ([0, 1, 2].map(|i| [0, 1, 2].map(|j| exact(linear.col(j)[i]))), Relaxed::ONE)
        }
        Source::Rigid { semi_axes, rotation } => {
            let [x, y, z, w] = rotation.to_array().map(exact);
            let v = [x, y, z];
            let ww = w.times(&w);
            let squares = [0, 1, 2].map(|i| v[i].times(&v[i]));
            let mut rows: Rows = Default::default();
            for i in 0..3 {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                let (product, twist) = (v[i].times(&v[j]), w.times(&v[k]));
                let double = |x: Relaxed| x.plus(&x);
                rows[i][i] = ww.plus(&squares[i]).minus(&squares[j]).minus(&squares[k]);
                rows[i][j] = double(product.minus(&twist));
                rows[j][i] = double(product.plus(&twist));
            }
            let length = squares.iter().fold(ww, |sum, square| sum.plus(square));
            (rows.map(|row| [0, 1, 2].map(|j| row[j].times(&exact(semi_axes[j])))), length)
        }
    }
}

fn factors(linear: &Rows, scale: &Relaxed) -> Factors<Relaxed> {
    let linear = linear.each_ref().map(|row| row.each_ref().map(|x| x.times(scale)));
    let cofactors = cofactors(&linear);
    let dot = |x: &[Relaxed; 3], y: &[Relaxed; 3]| {
        x[0].times(&y[0]).plus(&x[1].times(&y[1])).plus(&x[2].times(&y[2]))
    };
    let gram = |rows: &Rows| -> Sym3<Relaxed> {
        [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)].map(|(i, j)| dot(&rows[i], &rows[j]))
    };
    let det = dot(&linear[0], &cofactors[0]);
    Factors { s: gram(&linear), adj: gram(&cofactors), det: det.times(&det) }
}

fn cofactors(m: &Rows) -> Rows {
    [0, 1, 2].map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        [0, 1, 2].map(|l| {
            let (p, q) = ((l + 1) % 3, (l + 2) % 3);
            m[j][p].times(&m[k][q]).minus(&m[j][q].times(&m[k][p]))
        })
    })
}

/// Returns the number of distinct positive roots of `Σ c_i x^i`, whose constant and leading coefficients are not zero.
fn positive_roots(polynomial: Vec<Relaxed>) -> usize {
    let derivative: Vec<Relaxed> =
        polynomial.iter().enumerate().skip(1).map(|(i, c)| c.times(&Relaxed::from(i as u32))).collect();
    let mut sequence = vec![polynomial, derivative];
    loop {
        let n = sequence.len();
        let remainder = negated_remainder(&sequence[n - 2], &sequence[n - 1]);
        if remainder.is_empty() {
            break;
        }
        sequence.push(remainder);
    }
    let changes = |pick: fn(&Vec<Relaxed>) -> &Relaxed| {
        let signs: Vec<Sign> = sequence.iter().map(pick).filter(|c| !c.is_zero()).map(|c| c.sign()).collect();
        signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
    };
    changes(|p| &p[0]) - changes(|p| &p[p.len() - 1])
}

/// Returns a positive multiple of the negated remainder of `a` by `b`; empty if `b` divides `a`.
fn negated_remainder(a: &[Relaxed], b: &[Relaxed]) -> Vec<Relaxed> {
    let mut rest = a.to_vec();
    let Some(lead) = b.last() else { return Vec::new() };
    let square = lead.times(lead);
    while rest.len() >= b.len() {
        let factor = rest[rest.len() - 1].times(lead);
        let shift = rest.len() - b.len();
        for i in 0..rest.len() {
            rest[i] = rest[i].times(&square);
            if i >= shift {
                rest[i] = rest[i].minus(&factor.times(&b[i - shift]));
            }
        }
        while rest.last().is_some_and(|c| c.is_zero()) {
            rest.pop();
        }
    }
    rest.iter().map(|c| Relaxed::ZERO.minus(c)).collect()
}
