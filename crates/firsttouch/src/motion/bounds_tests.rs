//! Poses, velocities and accelerations of every kind of motion against exact arithmetic.
//!
//! At rational times the position of a straight motion is rational, and so are the entries of the rotation of a
//! quaternion of any length. At its ends every motion is at its placements.

use super::*;
use dashu_ratio::RBig;
use glam::{DMat3, DQuat};

fn exact(x: f64) -> RBig {
    RBig::try_from(x).unwrap()
}

fn draw(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn vector(state: &mut u64) -> DVec3 {
    DVec3::new(draw(state), draw(state), draw(state))
}

fn quaternion(state: &mut u64) -> DQuat {
    DQuat::from_xyzw(draw(state), draw(state), draw(state), draw(state))
}

/// Returns the matrix of a quaternion of any length, by columns.
fn rotation([x, y, z, w]: [RBig; 4]) -> [[RBig; 3]; 3] {
    let norm = &x * &x + &y * &y + &z * &z + &w * &w;
    let two = RBig::from(2);
    let one = |a: &RBig, b: &RBig| RBig::ONE - &two * (a * a + b * b) / &norm;
    let off = |a: RBig, b: RBig| &two * (a + b) / &norm;
    [
        [one(&y, &z), off(&x * &y, &w * &z), off(&x * &z, -(&w * &y))],
        [off(&x * &y, -(&w * &z)), one(&x, &z), off(&y * &z, &w * &x)],
        [off(&x * &z, &w * &y), off(&y * &z, -(&w * &x)), one(&x, &y)],
    ]
}

/// Returns the square of the distance of a computed vector from an exact one.
fn off(computed: DVec3, exactly: &[RBig; 3]) -> RBig {
    (0..3).fold(RBig::ZERO, |sum, k| {
        let d = exact(computed[k]) - &exactly[k];
        sum + &d * &d
    })
}

fn within(computed: DVec3, exactly: &[RBig; 3], error: f64) -> bool {
    off(computed, exactly) <= exact(error) * exact(error)
}

/// Returns true if no column is off by more than the error, which bounds the spectral norm.
fn is_rotated(computed: &DMat3, exactly: &[[RBig; 3]; 3], error: f64) -> bool {
    (0..3).all(|k| within(computed.col(k), &exactly[k], error))
}

fn vector_of(v: DVec3) -> [RBig; 3] {
    v.to_array().map(exact)
}

/// Returns a motion of every kind between two placements.
fn kinds(from: Pose, to: Pose) -> [Motion; 4] {
    [
        Motion::linear(from, to),
        Motion::screw(from, to),
        Motion::contact_screw(from, to),
        Motion::rational(from, to),
    ]
}

/// Returns two placements: with a large rotation, with none, far away.
fn placements(state: &mut u64, case: usize) -> [Pose; 2] {
    // From far to near, and the other way: the difference of two places is less accurate than either.
    let sizes = [[1.0, 1.0], [1e3, 1e-3], [1e-3, 1.0]][case % 3];
    let first = quaternion(state);
    let second = if case.is_multiple_of(4) { first } else { quaternion(state) };
    // From no rotation, about a coordinate axis: few operations are rounded.
    let plain = DQuat::from_xyzw(0.0, 0.0, draw(state), draw(state));
    let [first, second] = if case % 8 == 1 { [DQuat::IDENTITY, plain] } else { [first, second] };
    [(first, sizes[0]), (second, sizes[1])].map(|(q, size)| Pose::new(vector(state) * size, q).unwrap())
}

#[test]
fn every_motion_is_at_its_placements_within_its_error() {
    let mut state = 1;
    let mut inexact = [[0; 2]; 5];
    for case in 0..1000 {
        let [from, to] = placements(&mut state, case);
        let still = [Motion::fixed(from)];
        for (kind, motion) in kinds(from, to).iter().chain(&still).enumerate() {
            let error = motion.pose_error();
            for (t, pose) in [(0.0, from), (1.0, if kind == 4 { from } else { to })] {
                let now = motion.pose_at(t);
                let place = vector_of(pose.translation());
                let turned = rotation(pose.rotation().to_array().map(exact));
                assert!(within(now.translation, &place, error.translation), "{case} {motion:?} at {t}");
                assert!(is_rotated(&now.rotation, &turned, error.rotation), "{case} {motion:?} at {t}");
                inexact[kind][0] += usize::from(!within(now.translation, &place, 0.0));
                inexact[kind][1] += usize::from(!is_rotated(&now.rotation, &turned, 0.0));
                // The enclosure over one instant contains the same pose.
                let enclosure = motion.enclosure(Window::between(t, t));
                for k in 0..3 {
                    let contains =
                        |x: Interval, value: &RBig| exact(x.lo()) <= *value && *value <= exact(x.hi());
                    assert!(
                        contains(enclosure.translation.0[k].range(), &place[k]),
                        "{case} {motion:?} at {t}"
                    );
                    for (column, exactly) in turned.iter().enumerate() {
                        let entry = enclosure.rotation.0[k][column].range();
                        assert!(contains(entry, &exactly[k]), "{case} {motion:?} at {t}");
                    }
                }
            }
        }
    }
    // Motions with an exact end are few.
    assert!(inexact[..3].iter().all(|[moved, _]| *moved > 300), "{inexact:?}");
    assert!(inexact.iter().all(|[_, turned]| *turned > 900), "{inexact:?}");
}

/// Halfway, and at other rational times, of the motions whose positions are rational there.
#[test]
fn straight_and_rational_motions_are_within_their_error_at_all_times() {
    let mut state = 2;
    let mut inexact = [0; 3];
    for case in 0..1000 {
        let [from, to] = placements(&mut state, case);
        let t = [0.5, 0.3, 0.7, 0.99][case % 4];
        let (p, q) = (vector_of(from.translation()), vector_of(to.translation()));
        let place = [0, 1, 2].map(|k| &p[k] + (&q[k] - &p[k]) * exact(t));
        let [linear, _, _, rational] = kinds(from, to);
        for (kind, motion) in [&linear, &rational].into_iter().enumerate() {
            let now = motion.pose_at(t).translation;
            assert!(within(now, &place, motion.pose_error().translation), "{case} {motion:?} at {t}");
            inexact[kind] += usize::from(!within(now, &place, 0.0));
            // The velocity of the origin is the difference.
            let bounds = motion.velocity_bounds(Window::between(t, t));
            let velocity = [0, 1, 2].map(|k| &q[k] - &p[k]);
            assert!(within(bounds.center.origin, &velocity, bounds.origin_radius), "{case} {motion:?}");
        }
        // The quaternion between the two, the shorter way, of any length.
        let (a, b) = (from.rotation(), to.rotation());
        let b = if steady_rotation::dot_is_negative(a, b) { -b } else { b };
        let between = [0, 1, 2, 3].map(|k| {
            let (a, b) = (exact(a.to_array()[k]), exact(b.to_array()[k]));
            &a + (b - &a) * exact(t)
        });
        let turned = rotation(between);
        let now = rational.pose_at(t).rotation;
        assert!(is_rotated(&now, &turned, rational.pose_error().rotation), "{case} {rational:?} at {t}");
        inexact[2] += usize::from(!is_rotated(&now, &turned, 0.0));
    }
    assert!(inexact.iter().all(|count| *count > 300), "{inexact:?}");
}

/// Without a rotation a screw is a straight motion, whose velocity is rational.
#[test]
fn velocities_of_screws_without_a_rotation_are_within_their_radius() {
    let mut state = 3;
    let mut inexact = [0; 2];
    for case in 0..500 {
        let turn = quaternion(&mut state);
        let [from, to] = [0; 2].map(|_| Pose::new(vector(&mut state), turn).unwrap());
        let velocity = [0, 1, 2].map(|k| exact(to.translation()[k]) - exact(from.translation()[k]));
        for (kind, motion) in [Motion::screw(from, to), Motion::contact_screw(from, to)].iter().enumerate() {
            for window in [Window::between(0.0, 1.0), Window::between(0.25, 0.5)] {
                let bounds = motion.velocity_bounds(window);
                assert!(within(bounds.center.origin, &velocity, bounds.origin_radius), "{case} {motion:?}");
                inexact[kind] += usize::from(!within(bounds.center.origin, &velocity, 0.0));
            }
        }
    }
    assert!(inexact.iter().all(|count| *count > 200), "{inexact:?}");
}

/// A rotation of about 1e-9: the quotient of the quaternions is off by as much as its rounding, a part in ten million.
/// The exact rotation vector is twice the vector part, up to its third power.
#[test]
fn rates_of_small_turns_are_within_their_radius() {
    let mut state = 4;
    let mut inexact = [0; 2];
    for case in 0..500 {
        let a = quaternion(&mut state).normalize();
        let small = vector(&mut state) * 1e-9;
        let b = DQuat::from_xyzw(small.x, small.y, small.z, 1.0) * a;
        let [from, to] = [a, b].map(|q| Pose::new(vector(&mut state), q).unwrap());
        let [p, q] = [from, to].map(|pose| pose.rotation().to_array().map(exact));
        // The vector part of q p*, and its length, over the real part.
        let real = (0..4).fold(RBig::ZERO, |sum, k| sum + &p[k] * &q[k]);
        let part = |i: usize, j: usize, k: usize| {
            (&q[i] * &p[3] - &q[3] * &p[i] - (&q[j] * &p[k] - &q[k] * &p[j])) * RBig::from(2) / &real
        };
        let rate = [part(0, 1, 2), part(1, 2, 0), part(2, 0, 1)];
        let square = rate.iter().fold(RBig::ZERO, |sum, x| sum + x * x);
        for motion in &kinds(from, to)[..3] {
            let bounds = motion.velocity_bounds(Window::between(0.0, 1.0));
            assert!(within(bounds.center.angular, &rate, bounds.angular_radius + 1e-24), "{case} {motion:?}");
            inexact[0] += usize::from(!within(bounds.center.angular, &rate, 1e-20));
            // A point at distance 1 from the origin: its acceleration towards it, less the second order.
            let acceleration = motion.acceleration(1.0, Window::between(0.0, 1.0));
            let least = &square * (RBig::ONE - exact(1e-15));
            assert!(exact(acceleration) >= least, "{case} {motion:?}: {acceleration}");
            let computed = bounds.center.angular.length_squared();
            inexact[1] += usize::from(exact(computed) < least);
        }
    }
    assert!(inexact[0] > 1000 && inexact[1] > 300, "{inexact:?}");
}

/// Differences of positions never exceed the bounds: of points of all kinds of motions, along all directions, in all
/// windows.
#[test]
fn differences_of_positions_are_within_the_bounds() {
    let mut state = 5;
    let mut close = [0; 2];
    let quarter = DQuat::from_xyzw(0.0, 0.0, 0.5, 0.5);
    let polynomial = |state: &mut u64| {
        let quat = [[1.0, 0.0, 0.0, 0.0], [0.1, draw(state), draw(state), draw(state)], [0.0, 0.0, 0.5, 0.5]];
        let xyz = [0; 3].map(|_| (vector(state) * 2.0).to_array());
        let weight = [1.0, draw(state), 0.3];
        Motion::from(Rational::from_power_basis(&quat, &xyz, &weight).expect("no root"))
    };
    for case in 0..300 {
        let from = Pose::new(vector(&mut state), quaternion(&mut state)).unwrap();
        let axis = vector(&mut state) * [0.3, 2.0, 20.0, 1e-4][case / 5 % 4];
        let turn = DQuat::from_xyzw(axis.x, axis.y, axis.z, 1.0);
        let turn = if case % 7 == 0 { quarter } else { turn };
        let to = Pose::new(vector(&mut state) * 3.0, turn * from.rotation()).unwrap();
        let [linear, screw, contact, rational] = kinds(from, to);
        let motions = [linear, screw, contact, rational, polynomial(&mut state)];
        let motion = &motions[case % 5];
        let (point, n) = (vector(&mut state).normalize(), vector(&mut state).normalize());
        let at = |t: f64| motion.pose_at(t).apply(point);
        for (t0, t1) in [(0.0, 1.0), (0.0, 0.5), (0.5, 1.0), (0.2, 0.3), (0.45, 0.55), (0.05, 0.06)] {
            let window = Window::new(t0, t1).unwrap();
            let (speed, acceleration) =
                (motion.speed_along(n, 1.0, window), motion.acceleration(1.0, window));
            let bounds = motion.velocity_bounds(window);
            let enclosure = motion.enclosure(window).apply(point).range();
            let h = (t1 - t0) / 64.0;
            for k in 0..64 {
                let t = t0 + f64::from(k) * h;
                let quotient = (at(t + h) - at(t)) / h;
                assert!(
                    quotient.dot(n) <= speed + 1e-9,
                    "{case} {t}: {} > {speed}: {motion:?}",
                    quotient.dot(n)
                );
                close[0] += usize::from(quotient.dot(n) > 0.7 * speed);
                let origin = |t: f64| motion.pose_at(t).translation;
                let of_origin = (origin(t + h) - origin(t)) / h;
                let stray = (of_origin - bounds.center.origin).length();
                assert!(stray <= bounds.origin_radius + 1e-9, "{case} {t}: {stray}: {motion:?}");
                let turning = (motion.velocity_at(t).angular - bounds.center.angular).length();
                assert!(turning <= bounds.angular_radius + 1e-9, "{case} {t}: {turning}: {motion:?}");
                for (range, x) in enclosure.iter().zip(at(t).to_array()) {
                    assert!(range.lo() <= x + 1e-12 && x <= range.hi() + 1e-12, "{case} {t}: {motion:?}");
                }
                if k > 0 {
                    let second = (at(t + h) - 2.0 * at(t) + at(t - h)).length() / (h * h);
                    let rounding = 1e-14 / (h * h);
                    assert!(
                        second <= acceleration + rounding,
                        "{case} {t}: {second} > {acceleration}: {motion:?}"
                    );
                    close[1] += usize::from(second > 0.7 * acceleration && second > 10.0 * rounding);
                }
            }
        }
    }
    assert!(close[0] > 1000 && close[1] > 1000, "{close:?}");
}

/// A quaternion of length 1e-4 halfway: its rotation is ten thousand times less accurate than its coefficients.
#[test]
fn a_short_quaternion_is_inaccurate() {
    let mut state = 6;
    let mut large = 0;
    for case in 0..200 {
        let small = vector(&mut state) * 1e-4;
        let slope = vector(&mut state) * 1e-4;
        let w = [1.0 + 0.1 * draw(&mut state), -2.0 + 0.1 * draw(&mut state)];
        let quat = [[w[0], small.x, small.y, small.z], [w[1], slope.x, slope.y, slope.z]];
        let Ok(motion) = Rational::from_power_basis(&quat, &[], &[]) else { continue };
        for k in -4..=4 {
            let t = -w[0] / w[1] + f64::from(k) * 2e-5;
            let at = |k: usize| exact(quat[0][k]) + exact(quat[1][k]) * exact(t);
            let turned = rotation([at(1), at(2), at(3), at(0)]);
            let (now, error) = (motion.pose_at(t).rotation, motion.pose_error().rotation);
            assert!(is_rotated(&now, &turned, error), "{case} at {t}: {quat:?}");
            large += usize::from(!is_rotated(&now, &turned, 2.0 * steady_rotation::START_ERROR));
        }
    }
    assert!(large > 100, "{large}");
}

/// The default methods of a motion, with errors of a size that can be seen.
#[test]
fn default_bounds_include_all_errors() {
    use hostile::Hostile;
    let mut state = 7;
    for case in 0..600 {
        let small =
            |state: &mut u64, kind: usize| if case % 6 == kind { 0.3 * vector(state) } else { DVec3::ZERO };
        let motion = Hostile {
            start: vector(&mut state),
            velocity: small(&mut state, 0) * 5.0,
            acceleration: small(&mut state, 1) * 5.0,
            spin: small(&mut state, 2) * 5.0,
            moved: small(&mut state, 3),
            turned: small(&mut state, 4),
            ..Hostile::default()
        };
        // A turn whose rate seems to be zero.
        let spin = small(&mut state, 5) * 5.0;
        let motion = Hostile { spin: motion.spin + spin, spin_off: -spin, ..motion };
        let (point, n) = (vector(&mut state).normalize(), vector(&mut state).normalize());
        let window = Window::between(0.25, 0.75);
        let box_of = motion.enclosure(window).apply(point).range();
        let speed = motion.speed_along(n, 1.0, window);
        for k in 0..=20 {
            let t = 0.25 + 0.025 * f64::from(k);
            let at = motion.exact(t).apply(point);
            for (range, x) in box_of.iter().zip(at.to_array()) {
                assert!(range.lo() <= x + 1e-12 && x <= range.hi() + 1e-12, "{case} at {t}: {motion:?}");
            }
            let h = 1e-5;
            let rate =
                (motion.exact(t + h).apply(point) - motion.exact(t - h).apply(point)).dot(n) / (2.0 * h);
            assert!(rate <= speed + 1e-7, "{case} at {t}: {rate} > {speed}: {motion:?}");
        }
    }
}

/// A velocity that is known exactly: the bound along a direction is not below the exact product.
#[test]
fn the_speed_along_a_direction_is_rounded_up() {
    struct Straight(DVec3);
    impl RigidMotion for Straight {
        fn pose_at(&self, t: f64) -> PoseAt {
            PoseAt { rotation: DMat3::IDENTITY, translation: self.0 * t }
        }
        fn pose_error(&self) -> PoseError {
            PoseError { rotation: 0.0, translation: 4.0 * UNIT * self.0.length() }
        }
        fn velocity_bounds(&self, _window: Window) -> VelocityBounds {
            let center = Velocity { origin: self.0, angular: DVec3::ZERO };
            VelocityBounds { center, origin_radius: 0.0, angular_radius: 0.0 }
        }
        fn acceleration(&self, _reach: f64, _window: Window) -> f64 {
            0.0
        }
    }
    let mut state = 8;
    let mut inexact = 0;
    for _ in 0..2000 {
        let (v, n) = (vector(&mut state), vector(&mut state).normalize());
        let truth = (0..3).fold(RBig::ZERO, |sum, k| sum + exact(v[k]) * exact(n[k]));
        let bound = Straight(v).speed_along(n, 0.0, Window::between(0.0, 1.0));
        assert!(exact(bound) >= truth, "{v} {n}");
        inexact += usize::from(exact(v.dot(n)) < truth);
    }
    assert!(inexact > 500, "{inexact}");
}

/// A velocity of few bits that is rounded: 2^-60 less 1000. Its product with the time is exact, so its own error must
/// be in the enclosure.
#[test]
fn the_velocity_of_a_straight_motion_is_rounded() {
    let place = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
    let end = 2f64.powi(-60);
    let motion = Motion::linear(place(1000.0), place(end));
    for t in [0.5, 1.0] {
        let range = motion.enclosure(Window::between(t, t)).translation.0[0].range();
        let truth = exact(1000.0) + (exact(end) - exact(1000.0)) * exact(t);
        assert!(exact(range.lo()) <= truth && truth <= exact(range.hi()), "{range:?} at {t}");
    }
}

/// The exact path of a screw is within the error of the pose of the path that its formulas describe: the enclosure has
/// room for it.
#[test]
fn the_enclosure_of_a_screw_has_room_for_the_error_of_its_axis() {
    let mut state = 9;
    for case in 0..200 {
        let [from, to] = placements(&mut state, case);
        for motion in [Motion::screw(from, to), Motion::contact_screw(from, to)] {
            let error = motion.pose_error();
            for t in [0.0, 0.3, 1.0] {
                let enclosure = motion.enclosure(Window::between(t, t));
                let width = |x: &TaylorModel| x.range().width();
                assert!(
                    enclosure.translation.0.iter().all(|x| width(x) >= 2.0 * error.translation),
                    "{case}"
                );
            }
        }
    }
}

/// A linear motion with the speeds of the trait.
struct WithoutShortcuts<'a>(&'a Linear);

impl RigidMotion for WithoutShortcuts<'_> {
    fn pose_at(&self, t: f64) -> PoseAt {
        self.0.pose_at(t)
    }
    fn pose_error(&self) -> PoseError {
        self.0.pose_error()
    }
    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        self.0.velocity_bounds(window)
    }
    fn acceleration(&self, reach: f64, window: Window) -> f64 {
        self.0.acceleration(reach, window)
    }
}

/// Cached values, and values computed for two motions at a time, change no bit.
#[test]
fn shortcuts_of_linear_motions_change_no_bit() {
    let state = &mut 17;
    let bits = |poses: [PoseAt; 2]| {
        poses.map(|pose| {
            (pose.rotation.to_cols_array().map(f64::to_bits), pose.translation.to_array().map(f64::to_bits))
        })
    };
    for case in 0..3000 {
        let mut motion = |turns: bool| {
            let from = Pose::new(vector(state), quaternion(state)).unwrap();
            let turned = if turns { quaternion(state) } else { from.rotation() };
            Linear::new(from, Pose::new(vector(state), turned).unwrap())
        };
        let [a, b] = [motion(case % 7 != 0), motion(case % 5 != 0)];
        for t in [0.0, 0.5 + 0.5 * draw(state), 1.0] {
            assert_eq!(
                bits(Linear::both_at([&a, &b], t)),
                bits([a.pose_at(t), b.pose_at(t)]),
                "{a:?} {b:?} {t}"
            );
        }
        let (n, window) = (vector(state).normalize(), Window::between(0.0, 1.0));
        for reach in [0.0, 2.0 + draw(state)] {
            let expected = WithoutShortcuts(&a).speed_along(n, reach, window);
            assert_eq!(a.speed_along(n, reach, window).to_bits(), expected.to_bits(), "{a:?} {n} {reach}");
        }
    }
}

/// A quarter turn about an axis: a point on a circle has the second and the third derivative of a circle.
#[test]
fn derivatives_of_a_quarter_turn() {
    let angle = std::f64::consts::FRAC_PI_2;
    let to = Pose::new(DVec3::X, DQuat::from_rotation_z(angle)).unwrap();
    let (motion, window) = (Linear::new(Pose::IDENTITY, to), Window::between(0.0, 1.0));
    let reach = 3.0;
    let is_tight = |bound: f64, exact: f64| bound >= exact && bound <= exact * (1.0 + 1e-9);
    assert!(is_tight(motion.acceleration(reach, window), angle.powi(2) * reach));
    assert!(is_tight(motion.jerk(reach, window), angle.powi(3) * reach));
}
