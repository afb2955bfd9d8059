//! Robots: kinematics, bounds and the first touch, against independent formulas and dense sampling.

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot, RobotMotion};
use firsttouch::motion::{Motion, Pose, RigidMotion};
use firsttouch::numerics::Window;
use firsttouch::shape::Cuboid;
use firsttouch::{Answer, Body, Options};
use glam::{DAffine3, DVec3};

use crate::box_robots::{
    Problem, boxes_overlap, described_index, each_corner, placed, problem, random_configuration, random_robot,
};
use crate::random::Random;

#[test]
fn kinematics_by_textbook_formulas() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let links = 2 + (seed % 20) as usize;
        let described = random_robot(&mut random, links, 1 + (seed % 3) as usize, true);
        let robot = &described.robot;
        let (from, to) = (random_configuration(&mut random, robot), random_configuration(&mut random, robot));
        let base = random.pose(1.0);
        let motion = RobotMotion::new(robot, base, &from, &to).unwrap();
        for t in [0.0, 0.3, 0.71, 1.0] {
            for (link, place) in placed(&described, base, &from, &to, t).into_iter().enumerate() {
                let pose = motion.link_pose(link, t);
                let point = DVec3::new(0.3, -0.2, 0.5);
                let off = (pose.apply(point) - place.transform_point3(point)).length();
                assert!(off < 1e-11, "seed {seed} link {link} t {t}: off by {off}");
            }
        }
    }
}

/// Sampled speeds, accelerations and third derivatives of points never exceed the bounds, in the world and relative to
/// another link.
#[test]
fn motion_bounds_hold() {
    let (mut tightest, mut tightest_jerk) = (f64::INFINITY, f64::INFINITY);
    for seed in 0..150 {
        let mut random = Random(1_000 + seed);
        let links = 2 + (seed % 19) as usize;
        let described = random_robot(&mut random, links, 1 + (seed % 2) as usize, true);
        let robot = &described.robot;
        let (from, to) = (random_configuration(&mut random, robot), random_configuration(&mut random, robot));
        let motion = RobotMotion::new(robot, Pose::IDENTITY, &from, &to).unwrap();
        for _ in 0..20 {
            let (a, b) = ((random.next() as usize) % links, (random.next() as usize) % links);
            let moves = if a == b { motion.part(a, 0) } else { motion.relative((a, 0), (b, 0))[0] };
            let reach = random.range(0.0, 1.0);
            let point = random.vector(1.0).normalize_or_zero() * reach;
            let n = random.vector(1.0).normalize();
            let (mut t0, mut t1) = (random.range(0.0, 1.0), random.range(0.0, 1.0));
            if t0 > t1 {
                (t0, t1) = (t1, t0);
            }
            let window = Window::new(t0, t1).unwrap();
            let (speed, acceleration) =
                (moves.speed_along(n, reach, window), moves.acceleration(reach, window));
            let at = |t: f64| moves.pose_at(t).apply(point);
            for _ in 0..20 {
                let t = random.range(t0, t1);
                let h = 1e-4;
                let velocity = (at(t + h) - at(t - h)) / (2.0 * h);
                let measured = (at(t + h) - 2.0 * at(t) + at(t - h)) / (h * h);
                // Differences are off by h² / 6 times the third derivative, and by rounding over h².
                let slack = 1e-5 * (1.0 + acceleration);
                assert!(velocity.dot(n) <= speed + slack, "seed {seed}: {} > {speed}", velocity.dot(n));
                assert!(measured.length() <= acceleration * (1.0 + 1e-3) + 1e-5, "seed {seed}");
                let bounds = moves.velocity_bounds(window);
                let now = moves.velocity_at(t);
                assert!((now.origin - bounds.center.origin).length() <= bounds.origin_radius + 1e-12);
                assert!((now.angular - bounds.center.angular).length() <= bounds.angular_radius + 1e-12);
                // Here differences are longer, because their rounding is divided by h³.
                let (h, jerk) = (1e-3, moves.jerk(reach, window));
                let third = at(t + 1.5 * h) - at(t - 1.5 * h) - 3.0 * (at(t + 0.5 * h) - at(t - 0.5 * h));
                let third = third.length() / (h * h * h);
                assert!(third <= jerk * (1.0 + 1e-3) + 1e-3, "seed {seed}: {third} > {jerk}");
                if jerk > 0.1 {
                    tightest_jerk = tightest_jerk.min(jerk / third.max(1e-3));
                }
                if acceleration > 0.1 {
                    tightest = tightest.min(acceleration / measured.length().max(1e-3));
                }
            }
        }
    }
    assert!(tightest < 1.5, "the bound is never nearly attained: {tightest}");
    assert!(
        tightest_jerk < 1.5,
        "the bound of the third derivative is never nearly attained: {tightest_jerk}"
    );
}

/// Corners of the parts never leave the swept boxes: of short and of long steps, in chains and trees.
#[test]
fn swept_boxes_contain_the_parts() {
    let mut looked_at = 0;
    for seed in 0..240 {
        let mut random = Random(5_000 + seed);
        let (links, way) = (2 + (seed % 19) as usize, [0.3, 3.0][(seed % 2) as usize]);
        let described = random_robot(&mut random, links, 1 + (seed % 3) as usize, true);
        let robot = &described.robot;
        let from = random_configuration(&mut random, robot);
        let to: Vec<f64> = from.iter().map(|q| q + random.range(-way, way)).collect();
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, vec![]).unwrap();
        let boxes = checker.swept_boxes(&from, &to).unwrap();
        each_corner(&described, [&from, &to], 24, |t, link, [_, x]| {
            let bounds = boxes[link].inflated(1e-10);
            assert!(x.cmpge(bounds.low).all() && x.cmple(bounds.high).all(), "seed {seed} link {link} t {t}");
            looked_at += 1;
        });
    }
    assert!(looked_at > 100_000, "{looked_at}");
}

/// Robots of boxes among boxes: never a miss, never late; `any` agrees.
#[test]
fn first_touch_against_sampling() {
    let (mut touches, mut own, count) = (0, 0, 600);
    for seed in 0..count {
        let Problem { described, from, to, obstacles, checker } = problem(seed);
        let (robot, links) = (&described.robot, described.robot.links().len());
        let options = Options::default();
        let report = checker.check_step(&from, &to, &options).unwrap();
        let answer = &report.answer;
        assert!(!matches!(answer, Answer::Undecided { .. }), "seed {seed}");
        let any = Options { mode: firsttouch::Mode::Any, ..options };
        let any = checker.check_step(&from, &to, &any).unwrap().answer;
        assert_eq!(any == Answer::Free, *answer == Answer::Free, "seed {seed}");

        let free_until = answer.free_until(1.0);
        for i in 0..=200 {
            let t = f64::from(i) / 200.0;
            if t >= free_until && *answer != Answer::Free {
                break;
            }
            let places = placed(&described, Pose::IDENTITY, &from, &to, t);
            let part = |link: usize| {
                let index = described_index(robot, link);
                let offset = &described.offset[index];
                let local = DAffine3::from_rotation_translation(offset.rotation(), offset.translation());
                (places[link] * local, described.half[index])
            };
            for link in 0..links {
                let (place, half) = part(link);
                for (pose, size) in &obstacles {
                    let at = DAffine3::from_rotation_translation(pose.rotation(), pose.translation());
                    assert!(
                        !boxes_overlap((&place, half), (&at, *size)),
                        "seed {seed} t {t}: missed, {answer:?}"
                    );
                }
                for other in 0..link {
                    // Surfaces that contain one another do not touch, so only solids are tested here.
                    if seed % 2 == 1 && !robot.is_allowed(link, other) {
                        let (second, size) = part(other);
                        assert!(
                            !boxes_overlap((&place, half), (&second, size)),
                            "seed {seed} t {t}: {answer:?}"
                        );
                    }
                }
            }
        }
        if let Some(touch) = answer.touch() {
            touches += 1;
            own += usize::from(touch.bodies == [0, 0]);
            assert!(touch.gap <= options.tolerance);
            if touch.gap > 1e-9 {
                assert!(
                    ((touch.points[1] - touch.points[0]).length() - touch.gap).abs() < 1e-8,
                    "seed {seed}"
                );
            }
        }
    }
    let rate = touches as f64 / count as f64;
    assert!((0.2..0.9).contains(&rate) && own > 20, "hit rate {rate}, {own} with itself");
}

/// Far from everything, the work grows no faster than the number of links.
#[test]
fn a_long_chain_far_from_everything() {
    let mut work = Vec::new();
    for links in [10, 20, 40, 80] {
        let joint = |i: usize| Joint {
            name: format!("joint{i}"),
            parent: format!("link{}", i - 1),
            child: format!("link{i}"),
            origin: Pose::from_translation(DVec3::new(0.3, 0.0, 0.0)).unwrap(),
            kind: JointKind::Revolute { axis: DVec3::Z },
            limits: None,
            mimic: None,
        };
        let described = (0..links).map(|i| {
            let part =
                LinkPart { shape: Cuboid::new(DVec3::splat(0.1)).unwrap().into(), pose: Pose::IDENTITY };
            (format!("link{i}"), vec![part])
        });
        let robot = Robot::new("chain", described.collect(), (1..links).map(joint).collect()).unwrap();
        let wall = Body::new(
            "wall",
            Cuboid::new(DVec3::ONE).unwrap(),
            Motion::fixed(Pose::from_translation(DVec3::Y * 99.0).unwrap()),
        );
        let checker = Checker::new(robot, Pose::IDENTITY, vec![wall]).unwrap();
        let zero = checker.robot().zero();
        let to = vec![0.002; zero.len()];
        let report = checker.check_step(&zero, &to, &Options::default()).unwrap();
        assert_eq!(report.answer, Answer::Free);
        work.push(report.close_pairs);
    }
    assert!(work.windows(2).all(|w| w[1] <= 3 * w[0].max(10)), "{work:?}");
}
