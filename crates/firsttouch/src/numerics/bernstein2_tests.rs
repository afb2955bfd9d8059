//! Every operation in two variables against exact rationals.

use super::super::bernstein::tests::{Exact, Random, rational};
use super::*;
use dashu_ratio::RBig;

/// The exact counterpart: rows of exact polynomials in `v`.
#[derive(Clone)]
struct Exact2 {
    rows: Vec<Exact>,
}

impl Exact2 {
    fn new(p: &Bernstein2) -> Exact2 {
        let (_, n) = p.degrees();
        Exact2 { rows: p.coefficients().chunks(n + 1).map(Exact::new).collect() }
    }

    fn product(&self, other: &Exact2) -> Exact2 {
        let (m, n) = (self.rows.len() - 1, other.rows.len() - 1);
        let cols = self.rows[0].0.len() + other.rows[0].0.len() - 1;
        let mut rows = vec![Exact(vec![RBig::ZERO; cols]); m + n + 1];
        for i in 0..=m {
            for j in 0..=n {
                let weight = Exact::binomial(m, i) * Exact::binomial(n, j) / Exact::binomial(m + n, i + j);
                let product = self.rows[i].product(&other.rows[j]);
                for (sum, term) in rows[i + j].0.iter_mut().zip(product.0) {
                    *sum += term * &weight;
                }
            }
        }
        Exact2 { rows }
    }

    fn eval(&self, u: f64, v: f64) -> RBig {
        Exact(self.rows.iter().map(|row| row.eval(v)).collect()).eval(u)
    }

    fn assert_encloses(&self, p: &Bernstein2) {
        let all: Vec<RBig> = self.rows.iter().flat_map(|row| row.0.clone()).collect();
        Exact(all).assert_within(p.coefficients(), p.errors());
    }
}

fn draw(random: &mut Random, m: usize, n: usize) -> Bernstein2 {
    Bernstein2::from_coefficients(m, n, &random.numbers((m + 1) * (n + 1))).unwrap()
}

/// Asserts that `p` encloses the exact value at a point.
fn assert_value(p: &Bernstein2, u: f64, v: f64, exact: &RBig) {
    let (value, error) = p.eval(u, v);
    Exact(vec![exact.clone()]).assert_within(&[value], &[error]);
    Exact(vec![exact.clone()]).assert_within(&[p.at_v(v).eval(u).0], &[p.at_v(v).eval(u).1]);
}

#[test]
fn products_enclose_the_exact_result() {
    let mut random = Random(11);
    for (m1, n1, m2, n2) in [(0, 0, 0, 0), (1, 2, 3, 1), (2, 5, 2, 4), (0, 3, 4, 0), (2, 12, 2, 12)].repeat(4)
    {
        let (p, q) = (draw(&mut random, m1, n1), draw(&mut random, m2, n2));
        let product = p.product(&q);
        assert_eq!(product.degrees(), (m1 + m2, n1 + n2));
        let exact = Exact2::new(&p).product(&Exact2::new(&q));
        exact.assert_encloses(&product);
        // Once more, with errors on one side.
        exact.product(&Exact2::new(&q)).assert_encloses(&product.product(&q));
    }
}

#[test]
fn degree_four_by_ninety_six() {
    // Positive factors keep a small relative error in every coefficient, however much their sizes differ.
    let mut random = Random(12);
    let mut p = Bernstein2::from_coefficients(0, 0, &[1.0]).unwrap();
    for i in 0..48 {
        let rows = 1 + usize::from(i % 12 == 0);
        let numbers: Vec<f64> = (0..3 * rows).map(|_| 0.01 + random.unit()).collect();
        p = p.product(&Bernstein2::from_coefficients(rows - 1, 2, &numbers).unwrap());
    }
    assert_eq!(p.degrees(), (4, 96));
    assert_eq!(p.sign(), Some(Sign::Positive));
    assert!(p.coefficients().iter().zip(p.errors()).all(|(c, e)| *e < 1e-11 * c));
}

#[test]
fn pieces_and_slices_enclose_the_exact_result() {
    let mut random = Random(13);
    for (m, n) in [(0, 0), (1, 0), (0, 4), (1, 1), (3, 2), (4, 9), (2, 6)].repeat(6) {
        let p = draw(&mut random, m, n);
        let exact = Exact2::new(&p);
        for _ in 0..3 {
            // Dyadic, so that the position in the whole is exact.
            let mut dyadic = || random.below(65) as f64 / 64.0;
            let (u, v, cut) = (dyadic(), dyadic(), dyadic());
            assert_value(&p, u, v, &exact.eval(u, v));
            let (before, after) = p.subdivide_u(cut);
            assert_value(&before, u, v, &exact.eval(cut * u, v));
            assert_value(&after, u, v, &exact.eval(cut + (1.0 - cut) * u, v));
            let (before, after) = p.subdivide_v(cut);
            assert_value(&before, u, v, &exact.eval(u, cut * v));
            assert_value(&after, u, v, &exact.eval(u, cut + (1.0 - cut) * v));
            let (a, b) = (u.min(cut), u.max(cut));
            assert_value(&p.restrict_u(a, b), v, v, &exact.eval(a + (b - a) * v, v));
            assert_value(&p.restrict_v(a, b), v, v, &exact.eval(v, a + (b - a) * v));
        }
        for (i, row) in exact.rows.iter().enumerate() {
            row.assert_within(p.row(i).unwrap().coefficients(), p.row(i).unwrap().errors());
        }
        for j in 0..=n {
            let column = Exact(exact.rows.iter().map(|row| row.0[j].clone()).collect());
            column.assert_within(p.column(j).unwrap().coefficients(), p.column(j).unwrap().errors());
        }
        assert!(p.row(m + 1).is_none() && p.column(n + 1).is_none());
    }
}

#[test]
fn sums_and_derivatives() {
    let mut random = Random(14);
    for _ in 0..40 {
        let (p, q) = (draw(&mut random, 2, 3), draw(&mut random, 1, 5));
        let (exact_p, exact_q) = (Exact2::new(&p), Exact2::new(&q));
        let (u, v) = (0.375, 0.8125);
        assert_value(&p.sum(&q), u, v, &(exact_p.eval(u, v) + exact_q.eval(u, v)));
        assert_value(&p.difference(&q), u, v, &(exact_p.eval(u, v) - exact_q.eval(u, v)));
        assert_value(&p.elevated(5, 4), u, v, &exact_p.eval(u, v));
        assert_value(&p.scaled(0.3), u, v, &(exact_p.eval(u, v) * rational(0.3)));
        assert_value(&p.negated(), u, v, &-exact_p.eval(u, v));
        let slope_v =
            |row: &Exact| Exact(row.0.windows(2).map(|c| RBig::from(3) * (&c[1] - &c[0])).collect());
        Exact2 { rows: exact_p.rows.iter().map(slope_v).collect() }.assert_encloses(&p.derivative_v());
        let slope_u = |rows: &[Exact]| {
            Exact(rows[1].0.iter().zip(&rows[0].0).map(|(b, a)| RBig::from(2) * (b - a)).collect())
        };
        Exact2 { rows: exact_p.rows.windows(2).map(slope_u).collect() }.assert_encloses(&p.derivative_u());
    }
    let constant = Bernstein2::from_coefficients(0, 1, &[1.0, 2.0]).unwrap();
    assert_eq!(constant.derivative_u().coefficients(), [0.0, 0.0]);
}

#[test]
fn signs_and_bad_input() {
    let p = Bernstein2::from_coefficients(1, 1, &[-1.0, -2.0, -3.0, -0.5]).unwrap();
    assert_eq!(p.sign(), Some(Sign::Negative));
    assert!(p.range().0 >= -3.1 && p.range().1 <= -0.4);
    assert_eq!(Bernstein2::with_errors(1, 0, &[1.0, 2.0], &[0.0, 3.0]).unwrap().sign(), None);
    assert!(Bernstein2::from_coefficients(1, 1, &[1.0; 3]).is_err());
    assert!(Bernstein2::from_coefficients(usize::MAX, 1, &[1.0; 3]).is_err());
    assert!(Bernstein2::from_coefficients(0, 1, &[1.0, f64::NAN]).is_err());
    assert!(Bernstein2::with_errors(0, 0, &[1.0], &[f64::NAN]).is_err());
}
