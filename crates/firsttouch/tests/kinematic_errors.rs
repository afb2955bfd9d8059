//! Bounds of a robot's motion where numbers cancel: the result is small, but its error is not.
//!
//! The exact positions and rates are rational numbers here, computed as such.

use dashu_ratio::RBig;
use firsttouch::articulated::{Joint, JointKind, LinkPart, Mimic, Robot, RobotMotion};
use firsttouch::motion::{Pose, RigidMotion};
use firsttouch::numerics::Window;
use firsttouch::shape::{Shape, Sphere};
use glam::{DQuat, DVec3};

fn exact(x: f64) -> RBig {
    RBig::try_from(x).unwrap()
}

fn joint(k: usize, origin: Pose, kind: JointKind, mimic: Option<Mimic>) -> Joint {
    Joint {
        name: format!("joint {k}"),
        parent: format!("link {k}"),
        child: format!("link {}", k + 1),
        origin,
        kind,
        limits: None,
        mimic,
    }
}

fn chain(joints: Vec<Joint>) -> Robot {
    let ball = || LinkPart { shape: Shape::from(Sphere::new(0.1).unwrap()), pose: Pose::IDENTITY };
    let links = (0..=joints.len()).map(|k| (format!("link {k}"), vec![ball()])).collect();
    Robot::new("chain", links, joints).unwrap()
}

fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// A slide that follows another joint, `0.1 q − 1000`, near zero; and the same with the origin of the joint in place
/// of the offset.
#[test]
fn slides_that_cancel() {
    let mut state = 3;
    let slide = JointKind::Prismatic { axis: DVec3::X };
    let away = Pose::from_translation(DVec3::X * -1000.0).unwrap();
    let turn = JointKind::Revolute { axis: DVec3::X };
    let mimic = |offset: f64| Some(Mimic { joint: "joint 0".into(), multiplier: 0.1, offset });
    for (origin, offset) in [(Pose::IDENTITY, -1000.0), (away, 0.0)] {
        let robot = chain(vec![joint(0, Pose::IDENTITY, turn, None), joint(1, origin, slide, mimic(offset))]);
        for _ in 0..100 {
            let [from, to] = [0, 1].map(|_| 10_000.0 + 1e-3 * random(&mut state));
            let motion = RobotMotion::new(&robot, Pose::IDENTITY, &[from], &[to]).unwrap();
            let part = motion.part(2, 0);
            let place = |q: f64| exact(0.1) * exact(q) - exact(1000.0);
            for (t, q) in [(0.0, from), (1.0, to)] {
                let off = (exact(part.pose_at(t).translation.x) - place(q)).to_f64().value().abs();
                assert!(off <= part.pose_error().translation, "{off} > {:?}", part.pose_error());
            }
            let speed = (place(to) - place(from)).to_f64().value();
            let bounds = part.velocity_bounds(Window::new(0.5, 0.5).unwrap());
            let off = (speed - bounds.center.origin.x).abs();
            assert!(off <= bounds.origin_radius, "{off} > {}", bounds.origin_radius);
            let whole = Window::new(0.0, 1.0).unwrap();
            assert!(part.speed_along(DVec3::X * speed.signum(), 0.0, whole) >= speed.abs());
        }
    }
}

/// A rotation by 1e-9 between two orientations: the axis is known to only 7 digits.
#[test]
fn small_turns_of_a_floating_joint() {
    let mut state = 4;
    let robot = chain(vec![joint(0, Pose::IDENTITY, JointKind::Floating, None)]);
    for _ in 0..100 {
        let mut quaternion = [0.0; 4].map(|_: f64| random(&mut state));
        let mut configuration = || {
            quaternion[0] += 1e-9;
            let q = Pose::new(DVec3::ZERO, DQuat::from_array(quaternion)).unwrap().rotation();
            [0.0, 0.0, 0.0, q.x, q.y, q.z, q.w]
        };
        let (from, to) = (configuration(), configuration());
        let motion = RobotMotion::new(&robot, Pose::IDENTITY, &from, &to).unwrap();
        let stored = |q: [f64; 7]| {
            Pose::new(DVec3::ZERO, DQuat::from_xyzw(q[3], q[4], q[5], q[6])).unwrap().rotation()
        };
        // The rotation vector is twice the vector part of q1 q0*, up to third order and the rounding of both lengths.
        let [a, b] = [from, to].map(|q| stored(q).to_array().map(exact));
        let minor = |i: usize, j: usize| &a[i] * &b[j] - &a[j] * &b[i];
        let rate = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
            .map(|(k, i, j)| (minor(3, k) + minor(i, j)) * exact(2.0))
            .map(|x| x.to_f64().value());
        let bounds = motion.part(1, 0).velocity_bounds(Window::new(0.0, 1.0).unwrap());
        let off = (bounds.center.angular - DVec3::from_array(rate)).length();
        assert!(off <= bounds.angular_radius, "{off} > {}", bounds.angular_radius);
    }
}

/// In the frame of a link that is far out and rotates, everything is small; its position in the world is not.
#[test]
fn relative_motions_far_from_the_origin() {
    let out = Pose::new(DVec3::X, DQuat::from_xyzw(0.1, 0.2, 0.3, 0.4)).unwrap();
    let turn = JointKind::Revolute { axis: DVec3::new(1.0, 2.0, 3.0) };
    let robot = chain((0..3).map(|k| joint(k, out, turn, None)).collect());
    let from = [0.1, 0.2, 0.3];
    let to = [1.1, 0.9, 0.3];
    let near = RobotMotion::new(&robot, Pose::IDENTITY, &from, &to).unwrap();
    let base = Pose::new(DVec3::new(1e8, -2e8, 1.3e8), DQuat::from_xyzw(0.3, 0.1, -0.2, 0.5)).unwrap();
    let far = RobotMotion::new(&robot, base, &from, &to).unwrap();
    let [near, _] = near.relative((3, 0), (1, 0));
    let [far, _] = far.relative((3, 0), (1, 0));
    for k in 0..=16 {
        let t = f64::from(k) / 16.0;
        let now = Window::new(t, t).unwrap();
        let (a, b) = (near.velocity_bounds(now), far.velocity_bounds(now));
        let off = (a.center.origin - b.center.origin).length();
        assert!(off <= a.origin_radius + b.origin_radius, "{off}");
        // Enclosures are also those of the relative motion.
        let place = far.enclosure(now).apply(DVec3::ZERO).range();
        let (pose, error) = (near.pose_at(t), near.pose_error().translation);
        for (range, x) in place.into_iter().zip(pose.translation.to_array()) {
            assert!(range.lo() - error <= x && x <= range.hi() + error, "{x} in {range:?}");
        }
    }
}
