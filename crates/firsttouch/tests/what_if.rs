//! The depth of two overlapping bodies, and the safe change of a goal: compared with moving the bodies and checking
//! again.

#[allow(dead_code)]
use crate::mixed_bodies;
use crate::random;

use firsttouch::articulated::{Checker, JointKind, LinkPart, Robot};
use firsttouch::deformable::Deformable;
use firsttouch::motion::{Motion, Pose, RigidMotion};
use firsttouch::shape::{Capsule, Cuboid, Sphere};
use firsttouch::{Answer, Body, GoalChange, Options, Scene};
use glam::{DQuat, DVec3};
use mixed_bodies::{joint, mesh, solid};
use random::Random;

/// Moving the second body by the bound takes the two apart. For solids, moving it by a little less along the same
/// direction does not.
#[test]
fn the_depth_takes_bodies_apart() {
    let mut random = Random(71);
    let mut deep = 0;
    for n in 0..60 {
        let is_solid = n % 3 > 0;
        let shape =
            |random: &mut Random| if is_solid { solid(random, 1.0) } else { mesh(random, 1.0).into() };
        let shapes = [shape(&mut random), shape(&mut random)];
        let places = [random.pose_near(DVec3::ZERO, 0.3), random.pose_near(DVec3::ZERO, 0.5)];
        let distance = |by: DVec3| {
            let mut scene = Scene::default();
            scene.add(Body::new("a", shapes[0].clone(), Motion::fixed(places[0]))).unwrap();
            let moved = Pose::new(places[1].translation() + by, places[1].rotation()).unwrap();
            scene.add(Body::new("b", shapes[1].clone(), Motion::fixed(moved))).unwrap();
            (
                scene.distance_at(0.0, &Options::default()).unwrap().unwrap(),
                scene.penetration_at("a", "b", 0.0).unwrap(),
            )
        };
        let (apart, depth) = distance(DVec3::ZERO);
        if apart.lower > 0.0 {
            assert!(!is_solid || depth.upper == 0.0, "{n}: {apart:?}, {depth:?}");
            continue;
        }
        deep += 1;
        let (after, _) = distance(depth.normal * (depth.upper + 1e-9));
        assert!(after.lower > 0.0, "{n}: {depth:?}, {after:?}");
        if is_solid {
            assert!(depth.lower <= depth.upper && depth.upper - depth.lower < 1e-6, "{n}: {depth:?}");
        }
        // No direction of a fine grid needs less.
        let steps = 12;
        for k in 0..steps * steps * 2 {
            let (u, v) =
                (f64::from(k % steps) / f64::from(steps), f64::from(k / steps) / f64::from(2 * steps));
            let (a, b) = ((1.0 - 2.0 * u).acos(), v * std::f64::consts::TAU);
            let along = DVec3::new(a.sin() * b.cos(), a.sin() * b.sin(), a.cos());
            if is_solid && depth.lower > 1e-6 {
                let (still, _) = distance(along * (depth.lower - 1e-9));
                assert!(still.upper < 1e-9, "{n}: {along}, {depth:?}, {still:?}");
            }
        }
        if is_solid && depth.upper > 1e-6 {
            let (before, _) = distance(depth.normal * (depth.upper - 1e-7));
            assert!(before.upper < 1e-9, "{n}: {depth:?}, {before:?}");
        }
    }
    assert!(deep >= 30, "{deep}");
}

/// Two cubes of side 2 that overlap by 0.3 along x: the exact depth is 0.3.
#[test]
fn the_depth_of_two_cubes() {
    let cube = |name: &str, x: f64| {
        let at = Pose::from_translation(DVec3::new(x, 0.4, 0.1)).unwrap();
        Body::new(name, Cuboid::new(DVec3::splat(2.0)).unwrap(), Motion::fixed(at))
    };
    let mut scene = Scene::default();
    scene.add(cube("a", 0.0)).unwrap();
    scene.add(cube("b", 1.7)).unwrap();
    let depth = scene.penetration_at("a", "b", 0.0).unwrap();
    assert!(
        depth.upper >= 0.3 && depth.upper < 0.3 + 1e-9 && (depth.normal - DVec3::X).length() < 1e-9,
        "{depth:?}"
    );
}

#[test]
fn a_changed_goal_of_a_rigid_body() {
    let mut random = Random(72);
    let (mut limited, mut whole) = (0, 0);
    let options = Options { tolerance: 1e-4, ..Options::default() };
    for n in 0..30 {
        let (shape, wall) = (solid(&mut random, 0.8), solid(&mut random, 1.5));
        let from = (DVec3::new(-2.5, 0.0, 0.0), DQuat::from_scaled_axis(random.vector(0.4)));
        let to = (DVec3::new(-2.0, 1.0, 0.0), DQuat::from_scaled_axis(random.vector(0.4)));
        let (translation, rotation) =
            (DVec3::X * random.range(0.2, 4.0) + random.vector(0.3), random.vector(0.8));
        let scene_of = |scale: f64| {
            let pose = |(at, q): (DVec3, DQuat)| Pose::new(at, q).unwrap();
            let goal = (to.0 + translation * scale, DQuat::from_scaled_axis(rotation * scale) * to.1);
            let mut scene = Scene::default();
            scene.add(Body::new("flying", shape.clone(), Motion::linear(pose(from), pose(goal)))).unwrap();
            scene.add(Body::new("wall", wall.clone(), Motion::fixed(Pose::IDENTITY))).unwrap();
            scene
        };
        let change = GoalChange::Twist { translation, rotation };
        let safe = scene_of(0.0).max_safe_scale("flying", &change, &options).unwrap();
        if !safe.is_free {
            continue;
        }
        // A gap within the tolerance counts as touching: a smaller tolerance separates the two.
        let exact = Options { tolerance: 1e-8, ..options };
        for k in 0..=20 {
            let scale = safe.scale * f64::from(k) / 20.0;
            assert_eq!(
                scene_of(scale).check(&exact).unwrap().answer,
                Answer::Free,
                "{n}: {scale} of {safe:?}"
            );
        }
        if safe.scale < 1.0 {
            let left = safe.clearance.as_ref().unwrap();
            assert!(left.lower <= 2.0 * options.tolerance, "{n}: {safe:?}");
            limited += 1;
        } else {
            whole += 1;
        }
    }
    assert!(limited >= 5 && whole >= 5, "{limited} limited, {whole} whole");
    // A turn by more than half a turn has no shorter way.
    let turn = GoalChange::Twist { translation: DVec3::ZERO, rotation: DVec3::Z * 3.5 };
    let mut scene = Scene::default();
    scene.add(Body::new("ball", Sphere::new(1.0).unwrap(), Motion::fixed(Pose::IDENTITY))).unwrap();
    assert!(scene.max_safe_scale("ball", &turn, &options).is_err());
    assert!(scene.max_safe_scale("ball", &GoalChange::Vertices(vec![]), &options).is_err());
}

#[test]
fn a_changed_goal_of_a_robot_and_of_a_mesh() {
    let capsule = |length: f64| LinkPart {
        shape: Capsule::new(0.1, length).unwrap().into(),
        pose: Pose::from_translation(DVec3::Z * 0.5 * length).unwrap(),
    };
    let links = vec![
        ("base".to_string(), vec![]),
        ("upper".to_string(), vec![capsule(1.0)]),
        ("lower".to_string(), vec![capsule(0.8)]),
    ];
    let joints = vec![
        joint("shoulder", "base", "upper", DVec3::ZERO, JointKind::Revolute { axis: DVec3::Y }),
        joint("elbow", "upper", "lower", DVec3::Z, JointKind::Revolute { axis: DVec3::Y }),
    ];
    let robot = Robot::new("arm", links, joints).unwrap();
    let ball = Body::new(
        "ball",
        Sphere::new(0.3).unwrap(),
        Motion::fixed(Pose::from_translation(DVec3::new(1.5, 0.0, 0.2)).unwrap()),
    );
    let checker = Checker::new(robot, Pose::IDENTITY, vec![ball.clone()]).unwrap();
    let options = Options { tolerance: 1e-4, ..Options::default() };
    let (from, to, change) = ([0.0, 0.0], [0.3, 0.2], [1.2, 0.4]);
    let safe = checker.max_safe_scale(&from, &to, &change, &options).unwrap();
    assert!(safe.is_free && safe.scale > 0.1 && safe.scale < 1.0, "{safe:?}");
    let goal = |scale: f64| [to[0] + scale * change[0], to[1] + scale * change[1]];
    let exact = Options { tolerance: 1e-8, ..options };
    let at = |scale: f64| checker.check_step(&from, &goal(scale), &exact).unwrap().answer;
    for k in 0..=20 {
        assert_eq!(at(safe.scale * f64::from(k) / 20.0), Answer::Free);
    }
    assert_ne!(at(safe.scale + 1e-3), Answer::Free, "{safe:?}");
    assert!(checker.max_safe_scale(&from, &to, &[1.0], &options).is_err());

    // A sheet that sinks onto the ball by at most 2 touches its top, at z = 0.5, after 1.5.
    let frame =
        |z: f64| [DVec3::new(-9.0, -9.0, z), DVec3::new(9.0, -9.0, z), DVec3::new(0.0, 9.0, z)].to_vec();
    let sheet = Deformable::new(frame(2.0), frame(2.0), vec![[0, 1, 2]], vec![], vec![]).unwrap();
    let mut scene = Scene::default();
    scene.add(Body::deforming("sheet", sheet)).unwrap();
    scene.add(ball).unwrap();
    let sinks = GoalChange::Vertices(vec![DVec3::Z * -2.0; 3]);
    let safe = scene.max_safe_scale("sheet", &sinks, &options).unwrap();
    assert!(safe.scale < 0.75 && safe.scale > 0.75 - 1e-4, "{safe:?}");
}

/// At half the way a turn is no larger than at its end: the steps rely on this bound of the displacement.
#[test]
fn a_change_of_the_end_moves_the_way_no_farther() {
    let mut random = Random(5);
    for _ in 0..200 {
        let (q, r) =
            (DQuat::from_scaled_axis(random.vector(0.8)), DQuat::from_scaled_axis(random.vector(0.8)));
        let by = random.vector(0.2);
        let pose = |q: DQuat| Pose::new(DVec3::ZERO, q).unwrap();
        let turned = DQuat::from_scaled_axis(by) * r;
        let ways = [Motion::linear(pose(q), pose(r)), Motion::linear(pose(q), pose(turned))];
        let x = random.vector(1.0);
        for k in 0..=10 {
            let t = f64::from(k) / 10.0;
            let [p, s] = [0, 1].map(|way: usize| ways[way].pose_at(t).rotation * x);
            assert!(p.distance(s) <= by.length() * x.length() + 1e-12);
        }
    }
}
