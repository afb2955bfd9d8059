//! Every operation on coefficients that are known up to an error, against the same operation in rational numbers: the
//! true coefficients are as far off as they may be.

use super::*;
use dashu_ratio::RBig;

fn exact(x: f64) -> RBig {
    RBig::try_from(x).unwrap()
}

fn draw(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// A polynomial in one variable, and true coefficients at the ends of their errors.
struct Known {
    coefficients: Coefficients,
    truth: Vec<RBig>,
}

fn known(state: &mut u64, degree: usize, error: f64) -> Known {
    let values: Numbers = (0..=degree).map(|_| 0.7 * draw(state)).collect();
    let errors: Numbers = (0..=degree).map(|_| draw(state).abs() * error).collect();
    let truth = values
        .iter()
        .zip(&errors)
        .map(|(v, e)| if draw(state) > 0.0 { exact(*v) + exact(*e) } else { exact(*v) - exact(*e) })
        .collect();
    Known { coefficients: Coefficients { values, errors }, truth }
}

/// Counts coefficients, those that need more than 0.7 of their error, and those whose value is not exact.
#[derive(Default)]
struct Seen {
    all: usize,
    close: usize,
    inexact: usize,
}

impl Seen {
    fn check(&mut self, computed: &Coefficients, truth: &[RBig], what: &str) {
        assert_eq!(computed.values.len(), truth.len());
        for ((value, error), truth) in computed.values.iter().zip(&computed.errors).zip(truth) {
            let off = exact(*value) - truth;
            let off = if off < RBig::ZERO { -off } else { off };
            assert!(off <= exact(*error), "{what}: {value} is off by more than {error:e}");
            self.all += 1;
            self.close += usize::from(off > exact(*error) * exact(0.7));
            self.inexact += usize::from(off > RBig::ZERO);
        }
    }
}

fn of_one((value, error): (f64, f64)) -> Coefficients {
    Coefficients { values: Numbers::from_slice(&[value]), errors: Numbers::from_slice(&[error]) }
}

fn choose(n: usize, k: usize) -> RBig {
    (0..k).fold(RBig::ONE, |product, i| product * RBig::from(n - i) / RBig::from(i + 1))
}

/// Returns the coefficients before and after `t`, by de Casteljau's triangle.
fn split(c: &[RBig], t: &RBig) -> [Vec<RBig>; 2] {
    let (mut row, mut before, mut after) = (c.to_vec(), Vec::new(), Vec::new());
    while let (Some(first), Some(last)) = (row.first().cloned(), row.last().cloned()) {
        before.push(first);
        after.push(last);
        row = row.windows(2).map(|pair| &pair[0] * (RBig::ONE - t) + &pair[1] * t).collect();
    }
    after.reverse();
    [before, after]
}

#[test]
fn operations_keep_the_true_coefficients() {
    let mut state = 41;
    for error in [0.0, 0.25, 1e-15] {
        let mut seen: [Seen; 7] = Default::default();
        for case in 0..300 {
            let (m, n) = (1 + case % 5, 1 + case / 5 % 4);
            let p = known(&mut state, m, error);
            // The other one may be exact: each side carries its own error.
            let q = known(&mut state, n, if case % 3 == 0 { 0.0 } else { error });
            let factor = 3.0 * draw(&mut state);
            let truth: Vec<RBig> = p.truth.iter().map(|c| c * exact(factor)).collect();
            seen[0].check(&p.coefficients.scaled(factor), &truth, "scaled");

            let same = known(&mut state, m, if case % 3 == 1 { 0.0 } else { error });
            for sign in [1.0, -1.0] {
                let truth: Vec<RBig> =
                    p.truth.iter().zip(&same.truth).map(|(a, b)| a + exact(sign) * b).collect();
                seen[1].check(&p.coefficients.combined(&same.coefficients, sign), &truth, "combined");
            }

            let coefficient = |k: usize| {
                (0..=m).filter(|&i| k >= i && k - i <= n).fold(RBig::ZERO, |sum, i| {
                    sum + choose(m, i) * choose(n, k - i) / choose(m + n, k) * &p.truth[i] * &q.truth[k - i]
                })
            };
            let truth: Vec<RBig> = (0..=m + n).map(coefficient).collect();
            seen[2].check(&p.coefficients.product(&q.coefficients), &truth, "product");
            seen[2].check(&q.coefficients.product(&p.coefficients), &truth, "product");

            let t = 0.5 * (1.0 + draw(&mut state));
            let [before, after] = split(&p.truth, &exact(t));
            let (first, second) = p.coefficients.split(Weights::at(t));
            seen[3].check(&first, &before, "split before");
            seen[3].check(&second, &after, "split after");
            let value = after[0].clone();
            seen[4].check(
                &of_one(p.coefficients.value_by_averages(t)),
                std::slice::from_ref(&value),
                "value by averages",
            );
            seen[5].check(&of_one(p.coefficients.value_at(t)), &[value], "value");

            let truth: Vec<RBig> =
                p.truth.windows(2).map(|pair| RBig::from(m) * (&pair[1] - &pair[0])).collect();
            seen[6].check(&p.coefficients.derivative(), &truth, "derivative");

            // The range contains all coefficients.
            let (low, high) = p.coefficients.range();
            for ((value, error), truth) in
                p.coefficients.values.iter().zip(&p.coefficients.errors).zip(&p.truth)
            {
                assert!(exact(low) <= *truth && *truth <= exact(high));
                assert!(exact(low) <= exact(*value) - exact(*error));
                assert!(exact(high) >= exact(*value) + exact(*error));
            }
        }
        for (k, seen) in seen.iter().enumerate() {
            assert!(
                3 * seen.inexact > seen.all,
                "operation {k}, error {error}: {} of {}",
                seen.inexact,
                seen.all
            );
            if error == 0.25 && k != 2 {
                assert!(
                    20 * seen.close > seen.all,
                    "operation {k}: {} of {} are close",
                    seen.close,
                    seen.all
                );
            }
        }
    }
}

#[test]
fn a_sign_is_beyond_the_error() {
    let known = |values: &[f64], error: f64| Coefficients {
        values: Numbers::from_slice(values),
        errors: values.iter().map(|_| error).collect(),
    };
    assert_eq!(known(&[1.0, 0.5], 0.25).sign(), Some(Sign::Positive));
    assert_eq!(known(&[-1.0, -0.5], 0.25).sign(), Some(Sign::Negative));
    for error in [0.5, 0.75, f64::NAN, f64::INFINITY] {
        assert_eq!(known(&[1.0, 0.5], error).sign(), None);
        assert_eq!(known(&[-1.0, -0.5], error).sign(), None);
    }
    assert_eq!(known(&[1.0, f64::NAN], 0.0).sign(), None);
    assert_eq!(known(&[1.0], f64::NAN).range(), (f64::NEG_INFINITY, f64::INFINITY));
}

/// Weights that underflow: the error covers the loss.
#[test]
fn products_that_underflow_keep_the_true_coefficients() {
    let exactly = |values: &[f64]| Coefficients::exact(Numbers::from_slice(values));
    let product = exactly(&[1e-200, 3e-200]).product(&exactly(&[1e-200, -2e-200]));
    for (value, error) in product.values.iter().zip(&product.errors) {
        assert!(value.abs() < 1e-300 && *error >= 1e-300);
    }
    assert!(exactly(&[1e-200]).scaled(1e-200).errors[0] >= 1e-300);
}

/// Coefficients with errors: the polynomial that is lower everywhere has its root earlier, the one that is higher has
/// it later. The bracket contains both.
#[test]
fn the_first_root_is_bracketed_for_every_polynomial_within_the_errors() {
    use crate::numerics::bernstein::{Bernstein, FirstRoot};
    let mut state = 43;
    let mut isolated = 0;
    for case in 0..800 {
        let degree = 1 + case % 7;
        // From plus to minus once: nearly a line, or in jumps, where the slope at the root tells little about the
        // neighbourhood.
        let last_plus = (case / 7) % degree;
        let values: Numbers = if case % 3 == 0 {
            (0..=degree).map(|k| (0.5 - k as f64 / degree as f64) * 2.0).collect()
        } else {
            (0..=degree)
                .map(|k| (0.1 + draw(&mut state).abs()) * if k <= last_plus { 1.0 } else { -1.0 })
                .collect()
        };
        let smallest = values.iter().fold(1.0_f64, |least, v| least.min(v.abs()));
        let error = [0.9 * smallest, 0.3 * smallest, 1e-6, 1e-12][case % 4];
        let sign = if case % 2 == 0 { 1.0 } else { -1.0 };
        let values: Numbers = values.iter().map(|v| sign * v).collect();
        let errors: Numbers = values.iter().map(|_| error).collect();
        let at = |off: f64, t: f64| {
            let c: Vec<RBig> = values.iter().map(|v| exact(sign) * exact(*v) + exact(off)).collect();
            split(&c, &exact(t))[1][0].clone()
        };
        let coefficients = Coefficients { values: values.clone(), errors };
        let FirstRoot::Isolated { lo, hi } = Bernstein(coefficients).first_root(1e-9) else { continue };
        assert!(at(-error, lo) >= RBig::ZERO, "{values:?} ± {error}: a root before {lo}");
        assert!(at(error, hi) <= RBig::ZERO, "{values:?} ± {error}: no root up to {hi}");
        isolated += 1;
    }
    assert!(isolated > 300, "{isolated}");
}
