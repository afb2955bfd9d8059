//! The fast equation of the interpolant against exact arithmetic, and against the general one.

use dashu_ratio::Relaxed;
use glam::DQuat;

use super::*;
use crate::ellipsoid::characteristic::{Factors, Ring, Terms};
use crate::ellipsoid::chord::products;
use crate::ellipsoid::{FirstContact, Track};
use crate::motion::{Motion, Pose, Rational};
use crate::shape::Ellipsoid;

struct Random(u64);

impl Random {
    /// Returns a number between −1 and 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }

    fn pose(&mut self, size: f64) -> Pose {
        let q = DQuat::from_xyzw(self.unit(), self.unit(), self.unit(), self.unit());
        Pose::new(self.vector() * size, q).unwrap()
    }

    fn ellipsoid(&mut self) -> Ellipsoid {
        Ellipsoid::new(self.vector().abs() * 2.0 + 0.05).unwrap()
    }

    /// Returns one rigid ellipsoid, or one that becomes another.
    fn interpolant(&mut self, size: f64, is_rigid: bool) -> AffineInterpolant {
        let first = self.ellipsoid();
        let last = if is_rigid { first } else { self.ellipsoid() };
        AffineInterpolant::to(&first, self.pose(size), &last, self.pose(size)).unwrap()
    }
}

fn exact(x: f64) -> Relaxed {
    Relaxed::try_from(x).unwrap()
}

/// Returns `S`, adjugate and determinant times `e`, `e` itself, and the centre, at `t` and without rounding.
fn instant(motion: &AffineInterpolant, t: f64) -> (Relaxed, Factors<Relaxed>, [Relaxed; 3]) {
    let between = |a: f64, b: f64| exact(a).plus(&exact(t).times(&exact(b).minus(&exact(a))));
    let (b, c) = (motion.matrices(), motion.centers());
    let inverse: Sym3<Relaxed> = [0, 1, 2, 3, 4, 5].map(|k| between(b[0][k], b[1][k]));
    let s: Sym3<Relaxed> =
        MIX.map(|([i, j], [k, l])| inverse[i].times(&inverse[j]).minus(&inverse[k].times(&inverse[l])));
    let e = [0, 5, 4].map(|k| inverse[k].times(&s[k])).into_iter().reduce(|x, y| x.plus(&y)).unwrap();
    let over = |m: &Sym3<Relaxed>| m.each_ref().map(|x| x / &e);
    let factors = Factors { s: over(&s), adj: over(&inverse), det: &Relaxed::ONE / &e };
    (e, factors, [0, 1, 2].map(|k| between(c[0][k], c[1][k])))
}

/// The claimed errors are at least the true errors, for two interpolants and for one with an ellipsoid at rest: the
/// identity is exact.
#[test]
fn errors_against_exact_arithmetic() {
    let mut random = Random(5);
    let mut worst = 0.0_f64;
    for case in 0..60 {
        let size = if case % 3 == 0 { 100.0 } else { 2.0 };
        let a = random.interpolant(size, case % 2 == 0);
        let b = random.interpolant(size, case % 4 < 2);
        let equation =
            LinearInverse::equation(&LinearInverse::interpolant(&a), &LinearInverse::interpolant(&b));
        for t in [0.0, 0.125, 0.3, 0.77, 1.0] {
            let ((e_a, f_a, c_a), (e_b, f_b, c_b)) = (instant(&a, t), instant(&b, t));
            let d = [0, 1, 2].map(|k| c_b[k].minus(&c_a[k]));
            let denominator = e_a.times(&e_b);
            let truth = Terms::new(&f_a, &f_b, &d).coefficients().map(|c| c.times(&denominator));
            let (c, errors, _) = equation.at(t);
            for row in 0..5 {
                let off = exact(c[row]).minus(&truth[row]).to_f64_fast().abs();
                assert!(off <= errors[row], "row {row} at {t}: off by {off:e}, not {:e}", errors[row]);
                worst = worst.max(off / errors[row]);
            }
        }
    }
    // The bounds are also not too wide.
    assert!(worst > 1e-4, "{worst}");
}

/// The fast equation and the general one agree within the sum of their errors, for all coefficients, and so do their
/// first contacts.
#[test]
fn the_same_as_the_general_equation() {
    let mut random = Random(6);
    let (mut free, mut touching) = (0, 0);
    for case in 0..300 {
        let shape = random.ellipsoid();
        let moving = Track::interpolant(&random.interpolant(3.0, case % 2 == 0));
        let other = match case % 3 {
            0 => Track::interpolant(&random.interpolant(3.0, true)),
            _ => Track::new(&shape, &Motion::fixed(random.pose(3.0))).unwrap(),
        };
        let [a, b] = if case % 6 < 3 { [&moving, &other] } else { [&other, &moving] };
        let quick = Equation::new(a, b);
        let general = Equation::general(&a.to_general(), &b.to_general());
        let degree = if case % 3 == 0 { 6 } else { 5 };
        assert_eq!((quick.degree, general.degree), (degree, degree));
        for row in 0..5 {
            let error = quick.errors[row] + general.errors[row];
            // The general form detects a row that is exactly one.
            let most = 1000.0 * (general.errors[row] + UNIT * quick.sizes[row]);
            assert!(quick.errors[row] < most, "{row}: {} {most}", quick.errors[row]);
            for (x, y) in quick.rows[row].iter().zip(&general.rows[row]) {
                assert!((x - y).abs() <= error, "row {row}: {x} {y} {error}");
            }
        }
        match (quick.first_contact(1.0), general.first_contact(1.0)) {
            (FirstContact::None, FirstContact::None) => free += 1,
            (FirstContact::At { t, .. }, FirstContact::At { t: known, .. }) => {
                touching += 1;
                assert!((t - known).abs() < 1e-9, "{case}: {t} {known}");
            }
            (quick, general) => panic!("{case}: {quick:?} {general:?}"),
        }
    }
    assert!(free > 20 && touching > 50, "{free} {touching}");
}

/// Sizes that need another unit of length take the general form, which scales them.
#[test]
fn extreme_sizes_take_the_general_way() {
    for size in [1e-20_f64, 1e20] {
        let ball = [size.powi(-2), size.powi(-2), size.powi(-2), 0.0, 0.0, 0.0];
        let motion =
            |x: f64| AffineInterpolant::new([ball, ball], [DVec3::X * (x * size), DVec3::ZERO]).unwrap();
        let (a, b) = (Track::interpolant(&motion(10.0)), Track::interpolant(&motion(-10.0)));
        let FirstContact::At { t, .. } = Equation::new(&a, &b).first_contact(1.0) else {
            panic!("they meet")
        };
        assert!(t <= 0.9 && t > 0.9 - 1e-9, "{t}");
    }
}

/// The equation of the interpolant takes fewer products than that of rigid motions (Sec. 4.1: 37 % faster). Before it
/// had a fast form, it took 1.5 times as long.
#[test]
fn fewer_products_than_for_rigid_motions() {
    let mut random = Random(8);
    let counted = |work: &dyn Fn() -> Equation| {
        let before = products();
        work();
        products() - before
    };
    for _ in 0..20 {
        let (shape, from, to) = (random.ellipsoid(), random.pose(2.0), random.pose(2.0));
        let rigid = Track::rational(&shape, &Rational::between(from, to));
        let seen = Track::interpolant(&AffineInterpolant::between(&shape, from, to).unwrap());
        let rest = Track::new(&random.ellipsoid(), &Motion::fixed(Pose::IDENTITY)).unwrap();
        let rigid_products = counted(&|| Equation::new(&rigid, &rigid));
        for products in [counted(&|| Equation::new(&rest, &seen)), counted(&|| Equation::new(&seen, &seen))] {
            assert!(products > 50 && 2 * products < rigid_products, "{products} {rigid_products}");
        }
    }
}
