//! Robots: kinematics, bounds and the first touch, against independent formulas and dense sampling.

use crate::random;

use firsttouch::articulated::comparison::{
    Bounds, check_step_by_boxes, first_touch_by_bisection, swept_boxes,
};
use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Mimic, Robot, RobotMotion};
use firsttouch::motion::{Motion, Pose, RigidMotion};
use firsttouch::numerics::{Interval, TaylorModel, Window};
use firsttouch::shape::{Cuboid, Mesh, Shape};
use firsttouch::{Answer, Body, Options};
use glam::{DAffine3, DQuat, DVec3};
use random::Random;

/// The description of a robot, for the independent formulas.
struct Described {
    robot: Robot,
    joints: Vec<Joint>,
    half: Vec<DVec3>,
    offset: Vec<Pose>,
}

/// Returns a random tree of box-shaped links; `branching` of 1 is a chain.
fn random_robot(random: &mut Random, links: usize, branching: usize, every_kind: bool) -> Described {
    let (mut described, mut joints, mut half, mut offset) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for i in 0..links {
        let size = DVec3::new(random.range(0.05, 0.2), random.range(0.05, 0.2), random.range(0.1, 0.4));
        let pose = if i % 3 == 0 { Pose::IDENTITY } else { random.pose(0.1) };
        let part = LinkPart { shape: Cuboid::new(2.0 * size).unwrap().into(), pose };
        described.push((format!("link{i}"), vec![part]));
        half.push(size);
        offset.push(pose);
        if i > 0 {
            let parent =
                if branching == 1 { i - 1 } else { i - 1 - (random.next() % branching as u64) as usize % i };
            let axis = random.vector(1.0) + DVec3::splat(1e-3);
            let kind = match random.next() % if every_kind { 8 } else { 5 } {
                0..=3 => JointKind::Revolute { axis },
                4 => JointKind::Prismatic { axis },
                5 => JointKind::Fixed,
                6 => JointKind::Planar { normal: axis },
                _ => JointKind::Floating,
            };
            let follows = joints.iter().rev().find_map(|joint: &Joint| match (joint.kind, kind) {
                (JointKind::Revolute { .. }, JointKind::Revolute { .. }) if joint.mimic.is_none() => {
                    Some(Mimic { joint: joint.name.clone(), multiplier: -0.5, offset: 0.2 })
                }
                _ => None,
            });
            joints.push(Joint {
                name: format!("joint{i}"),
                parent: format!("link{parent}"),
                child: format!("link{i}"),
                origin: random.pose(0.6),
                kind,
                limits: None,
                mimic: if i % 7 == 6 { follows } else { None },
            });
        }
    }
    let robot = Robot::new("random", described, joints.clone()).unwrap();
    Described { robot, joints, half, offset }
}

fn random_configuration(random: &mut Random, robot: &Robot) -> Vec<f64> {
    robot.variables().iter().map(|v| random.range(-1.5, 1.5) + v.zero).collect()
}

/// Returns the placements of the links, by textbook formulas and the platform's sine and cosine, by name.
fn placed(described: &Described, base: Pose, from: &[f64], to: &[f64], t: f64) -> Vec<DAffine3> {
    let affine = |pose: &Pose| DAffine3::from_rotation_translation(pose.rotation(), pose.translation());
    let robot = &described.robot;
    let mut places: Vec<Option<DAffine3>> = vec![None; robot.links().len()];
    places[0] = Some(affine(&base));
    for link in 1..places.len() {
        let name = robot.links()[link].name();
        let joint = described.joints.iter().find(|joint| joint.child == name).unwrap();
        let parent = robot.links().iter().position(|l| l.name() == joint.parent).unwrap();
        let value = |suffix: &str| {
            let (name, scale, shift) = match &joint.mimic {
                Some(mimic) => (mimic.joint.clone(), mimic.multiplier, mimic.offset),
                None => (format!("{}{suffix}", joint.name), 1.0, 0.0),
            };
            let i = robot.variable(&name).unwrap();
            [from[i] * scale + shift, to[i] * scale + shift]
        };
        let lerp = |[a, b]: [f64; 2]| a + (b - a) * t;
        let local = match joint.kind {
            JointKind::Fixed => DAffine3::IDENTITY,
            JointKind::Revolute { axis } => DAffine3::from_axis_angle(axis.normalize(), lerp(value(""))),
            JointKind::Prismatic { axis } => DAffine3::from_translation(axis.normalize() * lerp(value(""))),
            JointKind::Planar { normal } => {
                let normal = normal.normalize();
                let x = if normal.z.abs() > 0.9 { DVec3::X } else { DVec3::Z };
                let x = (x - normal * x.dot(normal)).normalize();
                let shift = x * lerp(value("/x")) + normal.cross(x) * lerp(value("/y"));
                DAffine3::from_translation(shift) * DAffine3::from_axis_angle(normal, lerp(value("/theta")))
            }
            JointKind::Floating => {
                let end = |k: usize| {
                    let v = |suffix: &str| value(suffix)[k];
                    let q = DQuat::from_xyzw(v("/rot_x"), v("/rot_y"), v("/rot_z"), v("/rot_w")).normalize();
                    (DVec3::new(v("/trans_x"), v("/trans_y"), v("/trans_z")), q)
                };
                let ((p0, q0), (p1, q1)) = (end(0), end(1));
                DAffine3::from_rotation_translation(q0.slerp(q1, t), p0.lerp(p1, t))
            }
            _ => unreachable!("no robot here has a joint of another kind"),
        };
        places[link] = Some(places[parent].unwrap() * affine(&joint.origin) * local);
    }
    places.into_iter().map(Option::unwrap).collect()
}

/// Returns the index of a link in the description.
fn described_index(robot: &Robot, link: usize) -> usize {
    robot.links()[link].name()[4..].parse().unwrap()
}

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

/// Sampled speeds, accelerations and third derivatives of points never exceed the bounds, in the world and relative to another link.
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

/// Corners of the parts never leave the swept boxes, however these are computed; prints the width of each by depth.
#[test]
fn swept_boxes_contain_the_parts() {
    println!(
        "depth   chord  Taylor  interval   (mean widest side of the last link's box / of its sampled path)"
    );
    for depth in [1_usize, 2, 4, 7, 10, 15, 20] {
        let mut widths = [0.0; 3];
        let count = 30;
        for seed in 0..count {
            let mut random = Random(5_000 + 100 * depth as u64 + seed);
            let described = random_robot(&mut random, depth + 1, 1, false);
            let robot = &described.robot;
            let from = random_configuration(&mut random, robot);
            let to: Vec<f64> = from.iter().map(|q| q + random.range(-0.3, 0.3)).collect();
            let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            let checker = Checker::new(robot.clone(), Pose::IDENTITY, vec![]).unwrap();
            let ways = [Bounds::Chord, Bounds::Taylor, Bounds::Interval]
                .map(|bounds| swept_boxes(&checker, [&from, &to], bounds).unwrap());
            assert_eq!(ways[0], checker.swept_boxes(&from, &to).unwrap());
            for i in 0..=50 {
                let t = f64::from(i) / 50.0;
                for (link, place) in placed(&described, Pose::IDENTITY, &from, &to, t).into_iter().enumerate()
                {
                    let index = described_index(robot, link);
                    let offset = &described.offset[index];
                    for corner in 0..8 {
                        let side = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
                        let x = described.half[index] * DVec3::new(side(0), side(1), side(2));
                        let x = place.transform_point3(offset.at().apply(x));
                        for boxes in &ways {
                            let bounds = boxes[link].inflated(1e-11);
                            assert!(
                                x.cmpge(bounds.low).all() && x.cmple(bounds.high).all(),
                                "depth {depth} seed {seed}"
                            );
                        }
                        if link == depth {
                            (low, high) = (low.min(x), high.max(x));
                        }
                    }
                }
            }
            for (width, boxes) in widths.iter_mut().zip(&ways) {
                *width += (boxes[depth].high - boxes[depth].low).max_element() / (high - low).max_element();
            }
        }
        let [chord, taylor, interval] = widths.map(|width| width / count as f64);
        println!("{depth:5} {chord:7.2} {taylor:7.2} {interval:9.2}");
        assert!(taylor <= 1.6 && (depth < 4 || taylor < interval), "depth {depth}: {taylor} {interval}");
    }
}

/// Returns whether two boxes overlap with room to spare, by the separating-axis test.
fn boxes_overlap(a: (&DAffine3, DVec3), b: (&DAffine3, DVec3)) -> bool {
    let axes = |m: &DAffine3| [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis];
    let (of_a, of_b) = (axes(a.0), axes(b.0));
    let mut candidates: Vec<DVec3> = of_a.into_iter().chain(of_b).collect();
    candidates.extend(of_a.iter().flat_map(|x| of_b.iter().map(move |y| x.cross(*y))));
    let extent =
        |axes: [DVec3; 3], half: DVec3, n: DVec3| (0..3).map(|k| half[k] * axes[k].dot(n).abs()).sum::<f64>();
    candidates.into_iter().filter_map(DVec3::try_normalize).all(|n| {
        let distance = (b.0.translation - a.0.translation).dot(n).abs();
        distance < extent(of_a, a.1, n) + extent(of_b, b.1, n) - 1e-9
    })
}

fn box_mesh(half: DVec3) -> Shape {
    let corners = (0..8).map(|i| {
        let side = |bit: i32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half * DVec3::new(side(0), side(1), side(2))
    });
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new(corners.collect(), triangles).unwrap().into()
}

/// Robots of boxes among boxes: never a miss, never late; the same with culling of every kind; `any` agrees.
#[test]
fn first_touch_against_sampling() {
    let (mut touches, mut own, count) = (0, 0, 600);
    for seed in 0..count {
        let mut random = Random(20_000 + seed);
        let links = 2 + (seed % 8) as usize;
        let mut described = random_robot(&mut random, links, 1 + (seed % 2) as usize, true);
        // Every other robot has links of triangles: surfaces, which a box inside them does not touch. The obstacles
        // are therefore too large to fit inside.
        if seed % 2 == 0 {
            let parts = (0..links).map(|i| {
                let part = LinkPart { shape: box_mesh(described.half[i]), pose: described.offset[i] };
                (format!("link{i}"), vec![part])
            });
            described.robot = Robot::new("surfaces", parts.collect(), described.joints.clone()).unwrap();
        }
        let robot = &described.robot;
        let from = random_configuration(&mut random, robot);
        let to: Vec<f64> = from.iter().map(|q| q + random.range(-1.0, 1.0)).collect();
        let obstacles: Vec<(Pose, DVec3)> =
            (0..3).map(|_| (random.pose(2.5), DVec3::splat(random.range(0.45, 0.5)))).collect();
        let bodies = obstacles.iter().enumerate().map(|(k, (pose, half))| {
            Body::new(format!("obstacle{k}"), Cuboid::new(2.0 * *half).unwrap(), Motion::fixed(*pose))
        });
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, bodies.collect()).unwrap();
        let options = Options::default();
        let report = checker.check_step(&from, &to, &options).unwrap();
        let answer = &report.answer;
        assert!(!matches!(answer, Answer::Undecided { .. }), "seed {seed}");
        // All pairs are advanced from time 0, whatever boxes are used. Windows start and end elsewhere, which moves
        // the time within the tolerance.
        let by =
            |bounds: Bounds| check_step_by_boxes(&checker, [&from, &to], &options, bounds).unwrap().answer;
        let by_chords = by(Bounds::Chord);
        for bounds in [Bounds::Taylor, Bounds::Interval] {
            assert_eq!(by(bounds).free_until(1.0), by_chords.free_until(1.0), "seed {seed} {bounds:?}");
        }
        assert_eq!(by_chords == Answer::Free, *answer == Answer::Free, "seed {seed}");
        let apart = by_chords.free_until(1.0) - answer.free_until(1.0);
        assert!(apart.abs() < 1e-3, "seed {seed}: {apart}");
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

/// Plain intervals and bisection of time find the same touches: the robots of the test above, with the same answers
/// within the tolerance. Neither is a miss nor late, as far as the two can check each other.
#[test]
fn bisection_agrees_with_advancement() {
    let (mut touches, mut own, mut at_start, mut grazing, count) = (0, 0, 0, 0, 300);
    let options = Options { tolerance: 1e-4, ..Options::default() };
    for seed in 0..count {
        let mut random = Random(30_000 + seed);
        let links = 2 + (seed % 6) as usize;
        let mut described = random_robot(&mut random, links, 1 + (seed % 2) as usize, true);
        if seed % 2 == 0 {
            let parts = (0..links).map(|i| {
                let part = LinkPart { shape: box_mesh(described.half[i]), pose: described.offset[i] };
                (format!("link{i}"), vec![part])
            });
            described.robot = Robot::new("surfaces", parts.collect(), described.joints.clone()).unwrap();
        }
        let robot = &described.robot;
        let from = random_configuration(&mut random, robot);
        let to: Vec<f64> = from.iter().map(|q| q + random.range(-0.8, 0.8)).collect();
        let bodies = (0..3).map(|k| {
            let shape = Cuboid::new(DVec3::splat(random.range(0.6, 1.0))).unwrap();
            let (start, end) = (random.pose(2.5), random.pose(2.5));
            let motion = if k == 0 { Motion::linear(start, end) } else { Motion::fixed(start) };
            Body::new(format!("obstacle{k}"), shape, motion)
        });
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, bodies.collect()).unwrap();
        let quick = checker.check_step(&from, &to, &options).unwrap().answer;
        let slow = first_touch_by_bisection(&checker, &from, &to, &options).unwrap();
        // Only pairs that culling did not remove need windows.
        assert_eq!(slow.work.iterations > 0, slow.close_pairs > 0);
        let (t_quick, t_slow) = (quick.free_until(1.0), slow.answer.free_until(1.0));
        match (&quick, &slow.answer) {
            (Answer::Free, Answer::Free) => {}
            (Answer::TouchingAtStart(_), Answer::TouchingAtStart(_)) => at_start += 1,
            (Answer::Touch(a), Answer::Touch(b)) => {
                touches += 1;
                own += usize::from(b.bodies == [0, 0]);
                assert!(a.gap <= options.tolerance && b.gap <= options.tolerance);
                // Each is free until the time it reports, and the other one is within the tolerance at its own time.
                // If the approach is slower than a hundredth of a unit per unit of time, the times may differ by a
                // hundredth.
                grazing += usize::from((t_quick - t_slow).abs() > 1e-3);
                assert!((t_quick - t_slow).abs() < 1e-2, "seed {seed}: {t_quick} {t_slow}");
            }
            _ => panic!("seed {seed}: {quick:?} and {:?}", slow.answer),
        }
    }
    let rate = touches as f64 / count as f64;
    assert!(
        (0.1..0.8).contains(&rate) && own > 5,
        "hit rate {rate}, {own} with itself, {at_start} at the start"
    );
    assert!(grazing <= 3, "{grazing}");
}

/// Robots of many parts, whose boxes are swept instead of compared all with all: the remaining pairs are the same.
#[test]
fn many_parts_are_swept() {
    let (mut left, mut possible) = (0, 0);
    for seed in 0..6 {
        let mut random = Random(9_000 + seed);
        let joint = |i: usize, origin: Pose| Joint {
            name: format!("joint{i}"),
            parent: "ground".into(),
            child: format!("link{i}"),
            origin,
            kind: JointKind::Revolute { axis: DVec3::new(1.0, 2.0, 3.0) },
            limits: None,
            mimic: None,
        };
        let links = (0..40).map(|i| {
            let part = |random: &mut Random| LinkPart {
                shape: Cuboid::new(DVec3::splat(random.range(0.1, 0.4))).unwrap().into(),
                pose: random.pose(0.4),
            };
            (format!("link{i}"), vec![part(&mut random), part(&mut random)])
        });
        let links: Vec<_> = [("ground".to_string(), vec![])].into_iter().chain(links).collect();
        let joints = (0..40).map(|i| joint(i, random.pose(3.0))).collect();
        let mut robot = Robot::new("many", links, joints).unwrap();
        robot.allow("link3", "link4").unwrap();
        let obstacles = (0..5).map(|k| {
            let shape = Cuboid::new(DVec3::splat(random.range(0.4, 1.2))).unwrap();
            Body::new(format!("obstacle{k}"), shape, Motion::fixed(random.pose(3.0)))
        });
        let obstacles: Vec<Body> = obstacles.collect();
        let checker = Checker::new(robot, Pose::IDENTITY, obstacles.clone()).unwrap();
        let from = random_configuration(&mut random, checker.robot());
        let to: Vec<f64> = from.iter().map(|q| q + random.range(-0.3, 0.3)).collect();
        let report = check_step_by_boxes(&checker, [&from, &to], &Options::default(), Bounds::Chord).unwrap();
        assert!(report.pairs > 2_000, "{}: too few to be swept", report.pairs);

        let boxes: Vec<_> =
            checker.swept_boxes(&from, &to).unwrap().iter().map(|b| b.inflated(0.0)).collect();
        let whole = Window::new(0.0, 1.0).unwrap();
        let around: Vec<_> = obstacles.iter().map(|body| body.swept_box(whole).unwrap()).collect();
        let link_of: Vec<usize> = (0..boxes.len()).map(|i| 1 + i / 2).collect();
        let mut expected = 0;
        for (i, swept) in boxes.iter().enumerate() {
            expected += around.iter().filter(|other| swept.overlaps(other)).count();
            expected += (0..i)
                .filter(|&j| link_of[i] != link_of[j] && !checker.robot().is_allowed(link_of[i], link_of[j]))
                .filter(|&j| swept.overlaps(&boxes[j]))
                .count();
        }
        assert_eq!(report.close_pairs, expected as u64, "seed {seed}");
        left += report.close_pairs;
        possible += report.pairs;
    }
    let rate = left as f64 / possible as f64;
    assert!((0.001..0.2).contains(&rate), "{rate}");
}

/// The boxes of long steps, for every kind of joint, in trees and chains of up to 20 links; and the boxes of windows
/// within the step, which bisection uses.
#[test]
fn swept_boxes_of_long_steps() {
    for seed in 0..60 {
        let mut random = Random(7_000 + seed);
        let links = 2 + (seed % 19) as usize;
        let described = random_robot(&mut random, links, 1 + (seed % 3) as usize, true);
        let robot = &described.robot;
        let (from, to) = (random_configuration(&mut random, robot), random_configuration(&mut random, robot));
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, vec![]).unwrap();
        let ways = [Bounds::Chord, Bounds::Taylor, Bounds::Interval]
            .map(|bounds| swept_boxes(&checker, [&from, &to], bounds).unwrap());
        let motion = RobotMotion::new(robot, Pose::IDENTITY, &from, &to).unwrap();
        let (t0, t1) = (random.range(0.0, 0.5), random.range(0.5, 1.0));
        let window = Window::new(t0, t1).unwrap();
        let taylor = motion.enclosures::<TaylorModel>(window);
        let interval = motion.enclosures::<Interval>(window);
        for i in 0..=24 {
            let t = f64::from(i) / 24.0;
            for (link, place) in placed(&described, Pose::IDENTITY, &from, &to, t).into_iter().enumerate() {
                let index = described_index(robot, link);
                let (half, offset) = (described.half[index], &described.offset[index]);
                for corner in 0..8 {
                    let side = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
                    let local = half * DVec3::new(side(0), side(1), side(2));
                    let x = place.transform_point3(offset.at().apply(local));
                    for boxes in &ways {
                        let bounds = boxes[link].inflated(1e-10);
                        assert!(
                            x.cmpge(bounds.low).all() && x.cmple(bounds.high).all(),
                            "seed {seed} link {link} t {t}"
                        );
                    }
                    if (t0..=t1).contains(&t) {
                        let frame = motion.part_frame(link, 0);
                        let ranges =
                            [taylor[frame].apply(local).range(), interval[frame].apply(local).range()];
                        for (range, x) in ranges.into_iter().flat_map(|r| r.into_iter().zip(x.to_array())) {
                            assert!(range.lo() - 1e-10 <= x && x <= range.hi() + 1e-10, "seed {seed}");
                        }
                    }
                }
            }
        }
    }
}
