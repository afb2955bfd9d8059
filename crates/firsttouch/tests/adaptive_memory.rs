//! The memory of a simulation from step to step: the answers stay those of the checker, which remembers nothing, and
//! bodies that rest or are far away cost nothing.

use crate::random;

use std::f64::consts::PI;

use firsttouch::adaptive::{Moved, Simulated};
use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cylinder, Mesh, Shape, Sphere};
use firsttouch::{Answer, Body, Options, Part};
use glam::{DQuat, DVec3, dvec3};
use random::Random;

/// Returns a ball of 2 · 12 · 7 triangles.
fn ball(radius: f64) -> Shape {
    const AROUND: u32 = 12;
    const RINGS: u32 = 7;
    let mut vertices = vec![dvec3(0.0, 0.0, -radius), dvec3(0.0, 0.0, radius)];
    for ring in 1..=RINGS {
        let v = PI * f64::from(ring) / f64::from(RINGS + 1);
        for i in 0..AROUND {
            let u = 2.0 * PI * f64::from(i) / f64::from(AROUND);
            vertices.push(radius * dvec3(v.sin() * u.cos(), v.sin() * u.sin(), -v.cos()));
        }
    }
    let at = |ring: u32, i: u32| 2 + ring * AROUND + i % AROUND;
    let mut triangles = Vec::new();
    for i in 0..AROUND {
        triangles.push([0, at(0, i + 1), at(0, i)]);
        triangles.push([1, at(RINGS - 1, i), at(RINGS - 1, i + 1)]);
        for ring in 1..RINGS {
            triangles.push([at(ring - 1, i), at(ring - 1, i + 1), at(ring, i)]);
            triangles.push([at(ring, i), at(ring - 1, i + 1), at(ring, i + 1)]);
        }
    }
    Mesh::new(vertices, triangles).unwrap().into()
}

/// Returns a floating ball with two arms of three balls each, whose last joints slide.
fn figure() -> Robot {
    let part = |radius: f64| vec![LinkPart { shape: ball(radius), pose: Pose::IDENTITY }];
    let mut links = vec![("world".to_string(), vec![]), ("body".to_string(), part(0.3))];
    let joint = |child: String, parent: String, at: DVec3, kind: JointKind| Joint {
        name: format!("{child} joint"),
        parent,
        child,
        origin: Pose::from_translation(at).unwrap(),
        kind,
        limits: None,
        mimic: None,
    };
    let mut joints = vec![joint("body".into(), "world".into(), DVec3::ZERO, JointKind::Floating)];
    for (arm, side) in [("left", 1.0), ("right", -1.0)] {
        for i in 0..3 {
            let child = format!("{arm}{i}");
            let parent = if i == 0 { "body".to_string() } else { format!("{arm}{}", i - 1) };
            let kind = match i {
                0 => JointKind::Revolute { axis: DVec3::Z },
                1 => JointKind::Revolute { axis: DVec3::Y },
                _ => JointKind::Prismatic { axis: DVec3::X },
            };
            joints.push(joint(child.clone(), parent, dvec3(0.5 * side, 0.0, 0.1), kind));
            links.push((child, part(0.15)));
        }
    }
    Robot::new("figure", links, joints).unwrap()
}

fn obstacles() -> Vec<Body> {
    let at = [dvec3(1.2, 0.9, 0.0), dvec3(-1.2, 0.8, 0.4), dvec3(0.1, -1.0, -0.2), dvec3(0.0, 0.2, 1.4)];
    let body = |(i, &at): (usize, &DVec3)| {
        let motion = Motion::fixed(Pose::from_translation(at).unwrap());
        Body::new(format!("ball{i}"), ball(0.3), motion)
    };
    at.iter().enumerate().map(body).collect()
}

/// Sixteen thousand short steps in a row, up to the touch or a part of the way, with jumps to other values, separations
/// that change and slides that go farther than ever before. Each answer is within the bounds that the checker proves
/// with a tolerance that is ten thousand times smaller. Many of the pairs that are near each other are proven by
/// remembered distances.
#[test]
fn short_steps_have_the_answers_of_the_checker() {
    let (mut touches, mut at_start, mut jumps) = (0, 0, 0);
    let (mut near, mut close) = (0, 0);
    for seed in 0..8 {
        let mut random = Random(seed);
        let robot = figure();
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, obstacles()).unwrap();
        let mut start = robot.zero();
        start[..3].copy_from_slice(&random.vector(0.05).to_array());
        let mut simulated =
            Simulated::new(robot.clone(), Pose::IDENTITY, obstacles(), start.clone()).unwrap();
        let mut pace: Vec<f64> = Vec::new();
        let mut goes_back = false;
        for step in 0..2000 {
            let what = format!("seed {seed}, step {step}");
            let state = simulated.configuration().to_vec();
            let mut from = state.clone();
            if goes_back || step % 50 == 49 {
                // Back to the start, or moved slightly.
                jumps += 1;
                from = if goes_back { start.clone() } else { from };
                from[7] += 1e-4;
                goes_back = false;
            }
            if step % 25 == 0 {
                // The joints that move for the next steps: often few of them.
                let some = random.range(0.0, 1.0);
                let amount = |i: usize, random: &mut Random| {
                    let is_moving = random.range(0.0, 1.0) < some;
                    // The orientation of the floating joint is 3 to 6.
                    if is_moving && !(3..7).contains(&i) { random.range(-0.04, 0.04) } else { 0.0 }
                };
                pace = (0..from.len()).map(|i| amount(i, &mut random)).collect();
            }
            let to: Vec<f64> = from.iter().zip(&pace).map(|(from, pace)| from + pace).collect();
            let moved: Vec<Moved> = (0..to.len())
                .filter(|&i| to[i] != from[i] || from[i] != state[i])
                .map(|variable| Moved { variable, from: from[variable], to: to[variable] })
                .collect();
            let separation = [0.0, 0.002, 0.002, 0.01][step / 7 % 4];
            let options = Options { min_separation: separation, tolerance: 1e-5, ..Options::default() };
            let report = simulated.step(&moved, &options).unwrap();
            near += report.near_pairs;
            close += report.close_pairs;
            // The touch is not after the gap reaches the separation, and not before the gap is within the tolerance of
            // it.
            let free_until = |separation: f64| {
                let options = Options { min_separation: separation, tolerance: 1e-9, ..options };
                checker.check_step(&from, &to, &options).unwrap().answer.free_until(1.0)
            };
            let (latest, earliest) = (free_until(separation), free_until(separation + options.tolerance));
            let ours = report.answer.free_until(1.0);
            assert!(ours <= latest + 1e-5, "{what}: {:?}, at most {latest}", report.answer);
            assert!(ours >= earliest - 1e-9, "{what}: {:?}, at least {earliest}", report.answer);
            let until = match &report.answer {
                Answer::Free if step % 3 == 1 => 0.6,
                Answer::Free => 1.0,
                Answer::TouchingAtStart(_) => {
                    at_start += 1;
                    // The step passes through any obstacles, and soon returns to the start.
                    goes_back = step % 3 != 0;
                    1.0
                }
                answer => {
                    touches += 1;
                    pace = pace.iter().map(|pace| -0.7 * pace).collect();
                    // The time is slightly before the touch, so that the next step does not begin in contact.
                    0.9 * answer.free_until(1.0)
                }
            };
            simulated.accept(until).unwrap();
        }
    }
    println!(
        "{touches} touches, {at_start} at the start, {jumps} jumps; {close} of {near} near pairs checked"
    );
    assert!(touches > 100 && at_start > 20 && jumps > 50, "{touches}, {at_start}, {jumps}");
    assert!(4 * close < 3 * near, "{close} of {near}");
}

/// A hand lies on a ball within the tolerance: a touch at the start of every step, for any other motion. The touching
/// pair is known, and the bodies near the two are not measured again.
#[test]
fn what_touches_and_rests_is_not_proven_again() {
    let robot = figure();
    let mut start = robot.zero();
    // The body is in the middle, and the last link of the right arm slides out.
    let (slide, turn) = (robot.variable("right2 joint").unwrap(), robot.variable("left0 joint").unwrap());
    start[slide] = 0.0;
    let tip = dvec3(-1.5, 0.0, 0.3);
    let post = Body::new(
        "post",
        ball(0.15),
        Motion::fixed(Pose::from_translation(tip - DVec3::Z * (0.3 + 5e-7)).unwrap()),
    );
    let checker = Checker::new(robot.clone(), Pose::IDENTITY, vec![post.clone()]).unwrap();
    let mut simulated = Simulated::new(robot, Pose::IDENTITY, vec![post], start).unwrap();
    let options = Options::default();
    for step in 0..20 {
        let from = simulated.configuration().to_vec();
        let mut to = from.clone();
        to[turn] += 1e-3;
        let moved = [Moved { variable: turn, from: from[turn], to: to[turn] }];
        let report = simulated.step(&moved, &options).unwrap();
        let expected = checker.check_step(&from, &to, &options).unwrap().answer;
        let (Answer::TouchingAtStart(ours), Answer::TouchingAtStart(theirs)) = (&report.answer, &expected)
        else {
            panic!("step {step}: {:?}, {expected:?}", report.answer)
        };
        // Two poles touch: the choice among the triangles there is arbitrary.
        let link = |touch: &firsttouch::Touch| match touch.parts[0] {
            Part::Link { link, .. } => link,
            other => panic!("{other:?}"),
        };
        assert_eq!((ours.bodies, link(ours)), (theirs.bodies, link(theirs)));
        // A front is opened step by step.
        if step > 10 {
            // One pair of bodies, and of its triangles only those at the two poles, twelve at each; no distance is
            // measured.
            assert!(report.close_pairs <= 1, "step {step}: {}", report.close_pairs);
            assert!(report.work.volume_pairs <= 12 * 12, "step {step}: {report:?}");
            assert_eq!(report.measured, 0, "step {step}");
        }
        simulated.accept(1.0).unwrap();
    }
}

/// Balls of radius 1 on rails along x, one every 10 along y.
fn rails(count: usize) -> Robot {
    let ball = LinkPart { shape: Sphere::new(1.0).unwrap().into(), pose: Pose::IDENTITY };
    let mut links = vec![("world".to_string(), vec![])];
    let mut joints = Vec::new();
    for i in 0..count {
        links.push((format!("ball{i}"), vec![ball.clone()]));
        joints.push(Joint {
            name: format!("rail{i}"),
            parent: "world".into(),
            child: format!("ball{i}"),
            origin: Pose::from_translation(DVec3::Y * if i == 0 { 0.0 } else { 10.0 * (i - 1) as f64 })
                .unwrap(),
            kind: JointKind::Prismatic { axis: DVec3::X },
            limits: None,
            mimic: None,
        });
    }
    Robot::new("rails", links, joints).unwrap()
}

/// A step is checked for a quarter of its time, in which a ball goes from 0 to 4: far from another ball at 10, so free.
/// The state is then taken to a later time of the step, where the two overlap. There was no proof for that time, so the
/// joint must not count as checked when it rests.
#[test]
fn a_state_past_the_time_of_a_query_is_not_proven() {
    let options = Options::default();
    let mut simulated = Simulated::new(rails(2), Pose::IDENTITY, vec![], vec![0.0, 10.0]).unwrap();
    let moved = [Moved { variable: 0, from: 0.0, to: 16.0 }];
    let quarter = Options { t_max: 0.25, ..options };
    assert_eq!(simulated.step(&moved, &quarter).unwrap().answer, Answer::Free);
    simulated.accept(0.6).unwrap();
    let still = simulated.step(&[], &options).unwrap().answer;
    assert!(matches!(still, Answer::TouchingAtStart(_)), "{still:?}");
}

/// A proof with a large separation does not hold any more after a step in which all moves with none. At its end the
/// first two balls are half a unit apart, which is free. With a separation of 1 they touch.
#[test]
fn a_step_proves_its_own_separation_only() {
    let count = 20;
    let mut start = vec![0.0; count];
    start[1] = 40.0;
    let mut simulated = Simulated::new(rails(count), Pose::IDENTITY, vec![], start.clone()).unwrap();
    let apart = Options { min_separation: 1.0, ..Options::default() };
    assert_eq!(simulated.step(&[], &apart).unwrap().answer, Answer::Free);
    simulated.accept(1.0).unwrap();
    let moved: Vec<Moved> = (0..count)
        .map(|variable| {
            let from = start[variable];
            Moved {
                variable,
                from,
                to: if variable == 0 { 37.5 } else { from + if variable == 1 { 0.0 } else { 30.0 } },
            }
        })
        .collect();
    assert_eq!(simulated.step(&moved, &Options::default()).unwrap().answer, Answer::Free);
    simulated.accept(1.0).unwrap();
    let still = simulated.step(&[], &apart).unwrap().answer;
    assert!(matches!(still, Answer::TouchingAtStart(_)), "{still:?}");
}

/// A cylinder and a triangle rest 0.0984 apart, and a ball far away moves. With a separation of 0.05 and a tolerance of
/// 0.05 the pair is within the tolerance: the first step says so, or it says that the pair is free, which proves more
/// than 0.05. The distance used to be remembered as more than 0.1, because the pair does not move. Then the next step,
/// with a separation of 0.0995, was free: a false answer. Now both steps answer as the checker does.
#[test]
fn what_is_within_the_tolerance_is_not_remembered_as_farther() {
    let corners = vec![dvec3(0.45, 0.39, -0.3), dvec3(0.62, -0.63, 0.86), dvec3(-0.5, -0.11, -0.72)];
    let triangle = Mesh::new(corners, vec![[0, 1, 2]]).unwrap();
    let place = Pose::new(dvec3(0.56, -0.31, -1.28), DQuat::from_rotation_z(2.84)).unwrap();
    let obstacles = vec![Body::new("triangle", triangle, Motion::fixed(place))];
    let can = LinkPart { shape: Cylinder::new(0.3, 1.0).unwrap().into(), pose: Pose::IDENTITY };
    let ball = LinkPart { shape: Sphere::new(0.1).unwrap().into(), pose: Pose::IDENTITY };
    let links = vec![("base".into(), vec![can]), ("cart".into(), vec![ball])];
    let rail = Joint {
        name: "rail".into(),
        parent: "base".into(),
        child: "cart".into(),
        origin: Pose::from_translation(DVec3::Z * 50.0).unwrap(),
        kind: JointKind::Prismatic { axis: DVec3::X },
        limits: None,
        mimic: None,
    };
    let robot = Robot::new("robot", links, vec![rail]).unwrap();
    let checker = Checker::new(robot.clone(), Pose::IDENTITY, obstacles.clone()).unwrap();
    let exact = Options { tolerance: 1e-13, ..Options::default() };
    let gap = checker.distance(&[0.0], &exact).unwrap().unwrap();
    assert!(gap.lower > 0.0983 && gap.upper < 0.0985, "{gap:?}");
    let wide = Options { min_separation: 0.05, tolerance: 0.05, ..Options::default() };
    let asked = Options { min_separation: 0.0995, tolerance: 1e-9, ..Options::default() };
    // The gap is slightly more than this separation, and less than with its tolerance: in the upper tenth, where a
    // distance known to a tenth of it decides nothing.
    let narrow = Options { min_separation: 0.05, tolerance: gap.upper - 0.05 + 1e-6, ..Options::default() };
    let mut simulated = Simulated::new(robot, Pose::IDENTITY, obstacles, vec![0.0]).unwrap();
    for (k, options) in [wide, asked, narrow, exact, asked, wide, exact].iter().enumerate() {
        let (from, to) = (0.5 * k as f64, 0.5 * (k + 1) as f64);
        let ours = simulated.step(&[Moved { variable: 0, from, to }], options).unwrap().answer;
        let fresh = checker.check_step(&[from], &[to], options).unwrap().answer;
        let is_at_start = |answer: &Answer| matches!(answer, Answer::TouchingAtStart(_));
        assert_eq!(is_at_start(&ours), is_at_start(&fresh), "step {k}: {ours:?}, {fresh:?}");
        assert_eq!(is_at_start(&ours), *options != exact, "step {k}: {ours:?}");
        simulated.accept(1.0).unwrap();
    }
}
