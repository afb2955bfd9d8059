//! Accelerations of screws with a rotation so small that the computed axis is inaccurate.

use dashu_ratio::RBig;
use firsttouch::motion::{Motion, Pose, RigidMotion};
use firsttouch::numerics::Window;
use glam::{DQuat, DVec3};

fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// The acceleration of the origin is `ω × v`, with `v` the displacement up to first order: for a displacement along
/// the computed axis it is the error of that axis.
#[test]
fn the_axis_of_a_small_turn_is_not_known() {
    let exact = |x: f64| RBig::try_from(x).unwrap();
    let mut state = 9;
    let whole = Window::new(0.0, 1.0).unwrap();
    for angle in [1e-12, 1e-10, 1e-8] {
        for _ in 0..50 {
            let mut unit = || DVec3::from_array([0; 3].map(|_| random(&mut state))).normalize();
            let half = unit() * (0.5 * angle);
            let first = unit();
            let from = Pose::new(DVec3::ZERO, DQuat::from_xyzw(first.x, first.y, first.z, 0.5)).unwrap();
            let turned = DQuat::from_xyzw(half.x, half.y, half.z, 1.0) * from.rotation();
            let at_rest = Pose::new(DVec3::ZERO, turned).unwrap();
            let axis = Motion::screw(from, at_rest).velocity_at(0.0).angular.normalize();
            let to = Pose::new(axis, turned).unwrap();
            let (a, b) = (from.rotation().to_array().map(exact), to.rotation().to_array().map(exact));
            let minor = |i: usize, j: usize| &a[i] * &b[j] - &a[j] * &b[i];
            let turn =
                [(0, 1, 2), (1, 2, 0), (2, 0, 1)].map(|(k, i, j)| (minor(3, k) + minor(i, j)) * exact(2.0));
            let shift = axis.to_array().map(exact);
            let cross = [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &turn[i] * &shift[j] - &turn[j] * &shift[i]);
            let acceleration = DVec3::from_array(cross.map(|x| x.to_f64().value())).length();
            // Up to second order in the angle.
            let least = acceleration - angle * angle;
            for motion in [Motion::screw(from, to), Motion::contact_screw(from, to)] {
                let bound = motion.acceleration(0.0, whole);
                assert!(bound >= least, "{} by {angle}: {acceleration} > {bound}", motion.kind());
            }
        }
    }
}

/// The direction of half a turn of a `rational` motion is decided by the exact product of the quaternions, as for the
/// others.
#[test]
fn half_a_turn_of_a_rational_motion() {
    let exact = |x: f64| RBig::try_from(x).unwrap();
    let mut state = 10;
    let mut wrong = 0;
    for _ in 0..2000 {
        let q = [0; 4].map(|_| random(&mut state));
        let from = Pose::new(DVec3::ZERO, DQuat::from_array(q)).unwrap();
        let [x, y, z, w] = from.rotation().to_array();
        let to = Pose::new(DVec3::ZERO, DQuat::from_xyzw(-y, x, -w, z + 1e-17 * random(&mut state))).unwrap();
        let (a, b) = (from.rotation(), to.rotation());
        let dot =
            a.to_array().into_iter().zip(b.to_array()).fold(RBig::ZERO, |s, (x, y)| s + exact(x) * exact(y));
        if dot == RBig::ZERO {
            continue;
        }
        let flip = if dot < RBig::ZERO { -1.0 } else { 1.0 };
        let middle = Motion::rational(from, to).pose_at(0.5).rotation;
        let expected = glam::DMat3::from_quat((a + b * flip).normalize());
        assert!((middle - expected).to_cols_array().iter().all(|e| e.abs() < 1e-12), "{a} {b}");
        wrong += usize::from((a.dot(b) < 0.0) != (dot < RBig::ZERO));
    }
    assert!(wrong > 10, "the cases are too easy: {wrong}");
}
