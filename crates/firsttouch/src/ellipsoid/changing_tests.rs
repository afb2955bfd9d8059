use glam::DQuat;

use super::super::overlaps::overlaps;
use super::*;
use crate::advancement::{Limits, PieceTouch, Verdict, advance};
use crate::convex::{ConvexPair, Moving};
use crate::motion::{Motion, Pose};
use crate::options::Options;
use crate::shape::Ellipsoid;

/// A splitmix64 generator.
struct Random(u64);

impl Random {
    fn range(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * (((z ^ z >> 31) >> 11) as f64 / (1_u64 << 53) as f64)
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.range(-size, size), self.range(-size, size), self.range(-size, size))
    }

    fn affine(&mut self) -> Affine {
        loop {
            let axes = DVec3::new(self.range(0.2, 1.5), self.range(0.2, 1.5), self.range(0.2, 1.5));
            let mut linear = vec![[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]];
            for _ in 0..3 {
                linear.push([0; 9].map(|_| self.range(-0.4, 0.4)));
            }
            let xyz: Vec<[f64; 3]> = (0..4).map(|_| self.vector(2.0).to_array()).collect();
            let weight = [self.range(1.0, 2.0), self.range(-0.5, 1.0), self.range(-0.3, 0.3)];
            if let Ok(affine) = Affine::from_power_basis(axes, &linear, &xyz, &weight) {
                return affine;
            }
        }
    }
}

/// Checks that every sampled point, velocity and acceleration is within the bounds, over windows of all sizes, and that
/// the bounds are close.
fn check(changing: &ChangingEllipsoid, place: &dyn Fn(DVec3, f64) -> DVec3, random: &mut Random) -> f64 {
    let t0 = random.range(0.01, 0.9);
    let t1 = t0 + random.range(0.0, 0.99 - t0) * if random.range(0.0, 1.0) < 0.5 { 1.0 } else { 0.05 };
    let window = Window::new(t0, t1).unwrap();
    let n = random.vector(1.0).normalize();
    let (along, speed) = (changing.speed_along(n, window), changing.speed(window));
    let (most_acceleration, reach, swept) =
        (changing.acceleration(window), changing.reach(window), changing.swept_box(window));
    let mut fastest = f64::NEG_INFINITY;
    for k in 0..=8 {
        let t = t0 + (t1 - t0) * f64::from(k) / 8.0;
        let extent = changing.extent(n, t);
        let mut farthest = f64::NEG_INFINITY;
        for _ in 0..30 {
            let y = random.vector(1.0).normalize_or_zero();
            let x = place(y, t);
            farthest = farthest.max(n.dot(x));
            assert!(n.dot(x) <= extent + 1e-12, "extent {extent} at {t}");
            assert!(x.length() <= reach + 1e-12);
            assert!(x.cmple(swept.high + 1e-12).all() && x.cmpge(swept.low - 1e-12).all());
            // Central differences, off by h² times the third derivative and by rounding over h.
            let h = 1e-4;
            let (before, after) = (place(y, t - h), place(y, t + h));
            let velocity = (after - before) / (2.0 * h);
            let acceleration = (after - 2.0 * x + before) / (h * h);
            fastest = fastest.max(n.dot(velocity));
            assert!(
                n.dot(velocity) <= along + 1e-5 * (1.0 + most_acceleration),
                "{} > {along}",
                n.dot(velocity)
            );
            assert!(velocity.length() <= speed + 1e-5 * (1.0 + most_acceleration));
            assert!(
                acceleration.length() <= most_acceleration * (1.0 + 1e-3) + 1e-4 * (1.0 + most_acceleration),
                "{acceleration} {most_acceleration}"
            );
        }
        let top = changing.at(t).support(n);
        assert!((n.dot(top) - extent).abs() < 1e-9, "support {} extent {extent}", n.dot(top));
    }
    // The excess of the speed bound over the samples, relative to the change that the window allows.
    (along - fastest) / (speed + (t1 - t0) * most_acceleration)
}

#[test]
fn affine_samples_never_exceed_the_bounds() {
    let mut random = Random(1);
    let mut worst = 0.0_f64;
    for _ in 0..150 {
        let affine = random.affine();
        let place = |y: DVec3, t: f64| {
            let (matrix, center) = affine.at(t);
            matrix * y + center
        };
        worst = worst.max(check(&ChangingEllipsoid::from(affine.clone()), &place, &mut random));
    }
    assert!(worst < 1.0, "{worst}");
}

#[test]
fn interpolant_samples_never_exceed_the_bounds() {
    let mut random = Random(2);
    for _ in 0..150 {
        let axes = DVec3::new(random.range(0.2, 1.5), random.range(0.2, 1.5), random.range(0.2, 1.5));
        let shape = Ellipsoid::new(axes).unwrap();
        let mut pose = || {
            let [x, y, z, w] = [0; 4].map(|_| random.range(-1.0, 1.0));
            Pose::new(random.vector(2.0), DQuat::from_xyzw(x, y, z, w)).unwrap()
        };
        let motion = AffineInterpolant::between(&shape, pose(), pose()).unwrap();
        let changing = ChangingEllipsoid::try_from(motion).unwrap();
        // The paths are those of the map itself; the set is checked against the matrices below.
        let place = |y: DVec3, t: f64| {
            let image = changing.at(t);
            image.matrix * y + image.center
        };
        check(&changing, &place, &mut random);
        for k in 0..=10 {
            let t = f64::from(k) / 10.0;
            let [p, q] = motion.matrices();
            let b: Vec<f64> = (0..6).map(|i| (1.0 - t) * p[i] + t * q[i]).collect();
            let b = DMat3::from_cols(
                DVec3::new(b[0], b[5], b[4]),
                DVec3::new(b[5], b[1], b[3]),
                DVec3::new(b[4], b[3], b[2]),
            );
            let center = motion.centers()[0].lerp(motion.centers()[1], t);
            let n = random.vector(1.0).normalize();
            let exact = n.dot(b.inverse() * n).sqrt() + n.dot(center);
            let extent = changing.extent(n, t);
            assert!(extent >= exact - 1e-13 && extent <= exact + 1e-10, "{extent} {exact}");
        }
    }
}

/// Advancement against the algebra: never later, and at most a tolerance away.
#[test]
fn advancement_finds_what_algebra_finds() {
    let mut random = Random(3);
    let still = Motion::fixed(Pose::IDENTITY);
    let limits = Limits { max_iterations: 1000, ..Limits::default() };
    let (mut touches, mut frees) = (0, 0);
    for _ in 0..80 {
        let (a, b) = (random.affine(), random.affine());
        let found = overlaps(&a, &b, &Options::default()).unwrap();
        let (a, b) = (ChangingEllipsoid::from(a), ChangingEllipsoid::from(b));
        let side = |ellipsoid| Moving { shape: ChangingPiece::new(ellipsoid), motion: &still };
        let mut pair = ConvexPair::new(side(&a), side(&b), 0.0, limits.tolerance);
        match (advance(&mut pair, &limits, &mut 0), found.first()) {
            (Verdict::Touch(PieceTouch { t, separation }), Some(overlap)) => {
                touches += 1;
                assert!(t <= overlap.start[1], "{t} {overlap:?}");
                assert!(separation.upper <= limits.tolerance);
            }
            (Verdict::Touch(PieceTouch { separation, .. }), None) => {
                assert!(separation.upper <= limits.tolerance)
            }
            (Verdict::Free, None) => frees += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(touches > 20 && frees > 10, "{touches} touch, {frees} are free");
}

/// A weight that nearly vanishes: the bounds are large there, and finite.
#[test]
fn small_weights() {
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let affine = Affine::from_power_basis(DVec3::ONE, &[unit], &[], &[1.0, -0.999]).unwrap();
    let changing = ChangingEllipsoid::from(affine);
    let early = Window::new(0.0, 0.1).unwrap();
    let late = Window::new(0.99, 1.0).unwrap();
    assert!(changing.acceleration(early) < 20.0);
    assert!(changing.acceleration(late) >= 1.9e9 && changing.acceleration(late).is_finite());
    assert!(changing.extent(DVec3::X, 1.0) >= 1000.0 - 1e-9);
}
