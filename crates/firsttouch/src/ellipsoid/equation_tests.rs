//! The coefficients of the CCD equation against exact arithmetic: the claimed errors bound the true ones.

use dashu_ratio::Relaxed;
use glam::{DQuat, DVec3};

use super::*;
use crate::ellipsoid::characteristic::{Factors, Ring};
use crate::motion::{Pose, Rational};
use crate::shape::Ellipsoid;

type Rows = [[Relaxed; 3]; 3];

struct Random(u64);

impl Random {
    /// Returns a number between −1 and 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn exact(x: f64) -> Relaxed {
    Relaxed::try_from(x).unwrap()
}

/// One side at an instant: quaternion, centre times weight, weight.
struct Instant {
    axes: DVec3,
    q: [Relaxed; 4],
    x: [Relaxed; 3],
    w: Relaxed,
}

impl Instant {
    /// Returns `|q|⁴`, and `S`, adjugate and determinant.
    fn factors(&self) -> (Relaxed, Factors<Relaxed>) {
        let [w, x, y, z] = &self.q;
        let v = [x, y, z];
        let square = |a: &Relaxed| a.times(a);
        let length = [w, x, y, z].iter().map(|c| square(c)).reduce(|a, b| a.plus(&b)).unwrap();
        let mut n: Rows = Default::default();
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let double = |a: Relaxed| a.plus(&a);
            n[i][i] = square(w).plus(&square(v[i])).minus(&square(v[j])).minus(&square(v[k]));
            n[i][j] = double(v[i].times(v[j]).minus(&w.times(v[k])));
            n[j][i] = double(v[i].times(v[j]).plus(&w.times(v[k])));
        }
        let e = square(&length);
        let squares = self.axes.to_array().map(|a| square(&exact(a)));
        let pairs = [(1, 2), (0, 2), (0, 1)].map(|(i, j): (usize, usize)| squares[i].times(&squares[j]));
        let matrix = |weights: &[Relaxed; 3]| {
            ENTRIES.map(|(i, j)| {
                let term = |k: usize| weights[k].times(&n[i][k]).times(&n[j][k]);
                &term(0).plus(&term(1)).plus(&term(2)) / &e
            })
        };
        let det = squares[0].times(&pairs[0]);
        (e.clone(), Factors { s: matrix(&squares), adj: matrix(&pairs), det })
    }
}

/// Returns the rows at `t`, without rounding, over the same common denominator.
fn exact_rows(a: &Instant, b: &Instant) -> [Relaxed; 5] {
    let ((e_a, f_a), (e_b, f_b)) = (a.factors(), b.factors());
    let d = [0, 1, 2].map(|k| &(&b.x[k] / &b.w) - &(&a.x[k] / &a.w));
    let w = a.w.times(&b.w);
    let denominator = w.times(&w).times(&e_a).times(&e_b);
    Terms::new(&f_a, &f_b, &d).coefficients().map(|c| c.times(&denominator))
}

fn check(equation: &Equation, t: f64, a: &Instant, b: &Instant) -> f64 {
    let (c, errors, _) = equation.at(t);
    let mut worst = 0.0_f64;
    for (row, truth) in exact_rows(a, b).iter().enumerate() {
        let off = exact(c[row]).minus(truth);
        let off = off.to_f64_fast().abs();
        assert!(off <= errors[row], "row {row} at {t}: off by {off:e}, not {:e}", errors[row]);
        worst = worst.max(off / errors[row]);
    }
    worst
}

#[test]
fn linear_interpolation_against_exact_arithmetic() {
    let mut random = Random(1);
    let mut worst = 0.0_f64;
    for i in 0..60 {
        let size = if i % 3 == 0 { 100.0 } else { 2.0 };
        let mut side = || {
            let mut pose = || {
                let q = DQuat::from_xyzw(random.unit(), random.unit(), random.unit(), random.unit());
                Pose::new(DVec3::new(random.unit(), random.unit(), random.unit()) * size, q).unwrap()
            };
            let (from, to) = (pose(), pose());
            let axes = DVec3::new(random.unit(), random.unit(), random.unit()).abs() + 0.01;
            (axes, Rational::between(from, to))
        };
        let (a, b) = (side(), side());
        let track = |side: &(DVec3, Rational)| Track::rational(&Ellipsoid::new(side.0).unwrap(), &side.1);
        let (track_a, track_b) = (track(&a), track(&b));
        let quick = Equation::new(&track_a, &track_b);
        let general = Equation::general(&track_a.to_general(), &track_b.to_general());
        for t in [0.0, 0.125, 0.3, 0.77, 1.0] {
            let instant = |side: &(DVec3, Rational)| {
                let value = |p: &crate::numerics::bernstein::Bernstein| {
                    let c = p.coefficients();
                    let (first, last) = (exact(c[0]), exact(c[c.len() - 1]));
                    first.plus(&exact(t).times(&last.minus(&first)))
                };
                let (q, x) = (side.1.quaternion().each_ref(), side.1.xyz().each_ref());
                Instant { axes: side.0, q: q.map(value), x: x.map(value), w: Relaxed::ONE }
            };
            let (at_a, at_b) = (instant(&a), instant(&b));
            worst = worst.max(check(&quick, t, &at_a, &at_b)).max(check(&general, t, &at_a, &at_b));
        }
    }
    // The bounds are also not too wide.
    assert!(worst > 1e-4, "{worst}");
}

#[test]
fn higher_degrees_against_exact_arithmetic() {
    let mut random = Random(2);
    for degree in [1, 2, 3, 5] {
        let mut side = || loop {
            let quat: Vec<[f64; 4]> = (0..=degree).map(|_| [0; 4].map(|_| random.unit())).collect();
            let xyz: Vec<[f64; 3]> = (0..=degree).map(|_| [0; 3].map(|_| 3.0 * random.unit())).collect();
            let weight = vec![1.0, 0.5 * random.unit()];
            let axes = DVec3::new(random.unit(), random.unit(), random.unit()).abs() + 0.1;
            if let Ok(motion) = Rational::from_power_basis(&quat, &xyz, &weight) {
                break (axes, motion, quat, xyz, weight);
            }
        };
        let (a, b) = (side(), side());
        let tracks = [&a, &b].map(|side| Track::rational(&Ellipsoid::new(side.0).unwrap(), &side.1));
        let equation = Equation::new(&tracks[0], &tracks[1]);
        assert_eq!(equation.degree(), 8 * degree + 2 * (degree + 1));
        for t in [0.0, 0.3, 0.77, 1.0] {
            let horner = |coefficients: &mut dyn DoubleEndedIterator<Item = f64>| {
                coefficients.rev().fold(Relaxed::ZERO, |sum, c| sum.times(&exact(t)).plus(&exact(c)))
            };
            let instants = [&a, &b].map(|(axes, _, quat, xyz, weight)| Instant {
                axes: *axes,
                q: [0, 1, 2, 3].map(|k| horner(&mut quat.iter().map(|row| row[k]))),
                x: [0, 1, 2].map(|k| horner(&mut xyz.iter().map(|row| row[k]))),
                w: horner(&mut weight.iter().copied()),
            });
            check(&equation, t, &instants[0], &instants[1]);
        }
    }
}
