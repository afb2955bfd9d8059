//! Robots on whole trajectories in scenes: answers against samples and against the single segments, and several robots
//! on one clock.

use firsttouch::articulated::{
    Checker, Grasp, Joint, JointKind, LinkPart, Robot, RobotPath, RobotStep, Trajectory,
};
use firsttouch::motion::{JointTrajectory, Motion, Pose, RigidMotion};
use firsttouch::shape::{Capsule, Sphere};
use firsttouch::{Answer, Body, Mode, MotionGradient, Options, Scene, Start};
use glam::{DQuat, DVec3};

struct Draw(u64);

impl Draw {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    fn pose(&mut self, size: f64) -> Pose {
        let quat = DQuat::from_xyzw(self.signed(), self.signed(), self.signed(), self.signed() + 2.0);
        let at = DVec3::new(self.signed(), self.signed(), self.signed());
        Pose::new(at * size, quat.normalize()).unwrap()
    }
}

fn joint(name: &str, parent: &str, child: &str, origin: Pose, kind: JointKind) -> Joint {
    let (name, parent, child) = (name.into(), parent.into(), child.into());
    Joint { name, parent, child, origin, kind, limits: None, mimic: None }
}

/// Three joints and three bones, which are capsules of radius 0.05 and length 0.4 along z. The bones may touch each
/// other.
fn arm(draw: &mut Draw) -> Robot {
    let names = ["base", "upper", "slider", "lower"];
    let bone = || vec![LinkPart { shape: Capsule::new(0.05, 0.4).unwrap().into(), pose: Pose::IDENTITY }];
    let links = names.map(|name| (name.to_string(), if name == "base" { vec![] } else { bone() }));
    let kinds = [
        JointKind::Revolute { axis: DVec3::new(1.0, 0.5, 0.0) },
        JointKind::Prismatic { axis: DVec3::X },
        JointKind::Revolute { axis: DVec3::Y },
    ];
    let joints = kinds.into_iter().enumerate();
    let joints =
        joints.map(|(i, kind)| joint(&format!("j{i}"), names[i], names[i + 1], draw.pose(0.5), kind));
    let mut robot = Robot::new("arm", links.into(), joints.collect()).unwrap();
    for (a, b) in [(1, 2), (1, 3), (2, 3)] {
        robot.allow(names[a], names[b]).unwrap();
    }
    robot
}

fn trajectory(draw: &mut Draw, robot: &Robot, kind: usize) -> Trajectory {
    let count = 3 + (4.0 * draw.unit()) as usize;
    let times: Vec<f64> = (0..count).map(|k| k as f64 + 0.5 * draw.unit()).collect();
    let mut row = |size: f64| (0..3).map(|_| size * draw.signed()).collect::<Vec<f64>>();
    let points: Vec<Vec<f64>> = (0..count).map(|_| row(1.5)).collect();
    match kind {
        0 => Trajectory::linear(robot, &times, &points).unwrap(),
        1 => Trajectory::spline(robot, &times, &points).unwrap(),
        2 => {
            let velocities: Vec<Vec<f64>> = (0..count).map(|_| row(1.0)).collect();
            Trajectory::cubic(robot, &times, &points, &velocities).unwrap()
        }
        _ => {
            // Two polynomials of degree 7 or 11 that meet, for each joint.
            let size = if count.is_multiple_of(2) { 8 } else { 12 };
            let joints = (0..3).map(|k| {
                let first: Vec<f64> = (0..size).map(|i| points[i % count][k] * 0.4).collect();
                let end: f64 = first.iter().rev().fold(0.0, |sum, c| sum * 0.75 + c);
                let second: Vec<f64> =
                    (0..size).map(|i| if i == 0 { end } else { points[i % count][k] * 0.2 }).collect();
                JointTrajectory::polynomials(&[0.0, 0.75, 1.5], &[first, second]).unwrap()
            });
            Trajectory::new(robot, joints.collect()).unwrap()
        }
    }
}

/// The contract against dense sampling, the same answer as that of a checker along the same trajectory, and bit for bit
/// that of the segments as separate scenes.
#[test]
fn as_the_segments_by_themselves() {
    let mut draw = Draw(71);
    let (mut touches, mut frees) = (0, 0);
    for case in 0..60 {
        let robot = arm(&mut draw);
        let way = trajectory(&mut draw, &robot, case % 4);
        let mut balls: Vec<(f64, Motion)> = Vec::new();
        for k in 0..4 {
            let [from, to] = [draw.pose(1.6), draw.pose(1.6)];
            let motion = match k {
                0 => Motion::linear(from, to),
                1 => Motion::screw(from, to),
                _ => Motion::fixed(from),
            };
            balls.push((0.05 + 0.1 * draw.unit(), motion));
        }
        let bodies = |part: &dyn Fn(&Motion) -> Motion| -> Vec<Body> {
            let ball = |(k, (radius, motion)): (usize, &(f64, Motion))| {
                Body::new(format!("o{k}"), Sphere::new(*radius).unwrap(), part(motion))
            };
            balls.iter().enumerate().map(ball).collect()
        };
        let scene_of = |robot: Body, others: Vec<Body>| {
            let mut scene = Scene::default();
            scene.add(robot).unwrap();
            for body in others {
                scene.add(body).unwrap();
            }
            for i in 0..4 {
                (i + 1..4).for_each(|j| scene.allow(&format!("o{i}"), &format!("o{j}")).unwrap());
            }
            scene
        };
        let path = RobotPath::new(robot.clone(), Pose::IDENTITY, way.clone()).unwrap();
        let scene = scene_of(Body::robot_along("arm", path), bodies(&Motion::clone));
        let options = Options::default();
        let answer = scene.check(&options).unwrap().answer;
        let any = scene.check(&Options { mode: Mode::Any, ..options }).unwrap().answer;
        assert_eq!(answer == Answer::Free, any == Answer::Free, "{case}");

        // The segments, each as a scene over its own time.
        let mut expected = Answer::Free;
        for segment in 0..way.segments() {
            let [start, end] = way.span(segment);
            let step = way.step(robot.clone(), Pose::IDENTITY, segment).unwrap();
            let at_rest = |motion: &Motion| matches!(motion, Motion::Fixed(_));
            let part = |motion: &Motion| {
                if at_rest(motion) { motion.clone() } else { motion.during(start, end).unwrap() }
            };
            let alone = scene_of(Body::robot("arm", step), bodies(&part)).check(&options).unwrap().answer;
            if let Some(touch) = alone.touch() {
                let toi = start + (end - start) * touch.toi;
                let found = answer.touch().expect("the whole touches where a segment does");
                assert!(found.toi <= toi && found.toi > toi - 1e-12, "{case}: {} {toi}", found.toi);
                assert_eq!((found.points, found.parts, found.gap), (touch.points, touch.parts, touch.gap));
                expected = answer.clone();
                break;
            }
        }
        assert_eq!(answer, expected, "{case}");
        // A checker along the same trajectory.
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, bodies(&Motion::clone)).unwrap();
        let report = checker.check_trajectory(&way, &options, |_| ()).unwrap();
        assert_eq!(report.answer == Answer::Free, answer == Answer::Free, "{case}");

        let gap = |t: f64| -> f64 {
            let segment = (0..way.segments() - 1).find(|&k| t < way.span(k)[1]).unwrap_or(way.segments() - 1);
            let [t0, t1] = way.span(segment);
            let step = way.step(robot.clone(), Pose::IDENTITY, segment).unwrap();
            let motion = step.motion();
            let mut least = f64::INFINITY;
            for link in 1..4 {
                let pose = motion.part(link, 0).pose_at(((t - t0) / (t1 - t0)).clamp(0.0, 1.0));
                for (radius, moves) in &balls {
                    let center = moves.pose_at(t).translation;
                    let local = pose.rotation.transpose() * (center - pose.translation);
                    let nearest = DVec3::Z * local.z.clamp(-0.2, 0.2);
                    least = least.min((local - nearest).length() - 0.05 - radius);
                }
            }
            least
        };
        let until = answer.free_until(1.0);
        let samples = if until > 0.0 { 200 } else { 0 };
        for k in 0..samples {
            let t = until * f64::from(k) / 200.0;
            assert!(gap(t) > 0.0, "{case}: free at {t}, but the gap is {}", gap(t));
        }
        match answer.touch() {
            None => frees += 1,
            Some(touch) => {
                touches += 1;
                assert!(gap(touch.toi) <= options.tolerance + 1e-12, "{case}: {}", gap(touch.toi));
            }
        }
    }
    assert!(touches >= 10 && frees >= 10, "{touches} touch, {frees} free");
}

/// Returns a ball of radius 1 on a rail along x.
fn slider(name: &str) -> Robot {
    let ball = LinkPart { shape: Sphere::new(1.0).unwrap().into(), pose: Pose::IDENTITY };
    let slide = joint("x", "rail", "ball", Pose::IDENTITY, JointKind::Prismatic { axis: DVec3::X });
    Robot::new(name, vec![("rail".into(), vec![]), ("ball".into(), vec![ball])], vec![slide]).unwrap()
}

fn along(name: &str, way: Trajectory) -> Body {
    Body::robot_along(name, RobotPath::new(slider(name), Pose::IDENTITY, way).unwrap())
}

fn post(name: &str, x: f64) -> Body {
    let there = Motion::fixed(Pose::from_translation(DVec3::X * x).unwrap());
    Body::new(name, Sphere::new(1.0).unwrap(), there)
}

/// Robots with waypoints at different times, one of them on a spline, and one between two configurations, against
/// samples.
#[test]
fn several_robots_on_one_clock() {
    let mut draw = Draw(72);
    let (mut touches, mut frees) = (0, 0);
    for case in 0..80 {
        let robots: Vec<Robot> = (0..3).map(|k| slider(&format!("r{k}"))).collect();
        let mut way = |robot: &Robot, count: usize, center: f64, is_spline: bool| {
            let times: Vec<f64> = (0..count).map(|k| k as f64 + 0.7 * draw.unit()).collect();
            let points: Vec<Vec<f64>> = (0..count).map(|_| vec![center + 2.2 * draw.signed()]).collect();
            match is_spline {
                true => Trajectory::spline(robot, &times, &points).unwrap(),
                false => Trajectory::linear(robot, &times, &points).unwrap(),
            }
        };
        let first = way(&robots[0], 4, -4.0, true).on_clock(0.1, 0.8).unwrap();
        let second = way(&robots[1], 3, 0.0, false);
        let ends = [4.0 + 2.2 * draw.signed(), 4.0 + 2.2 * draw.signed()];
        let third = RobotStep::new(robots[2].clone(), Pose::IDENTITY, vec![ends[0]], vec![ends[1]]).unwrap();
        let mut scene = Scene::default();
        scene.add(along("r0", first.clone())).unwrap();
        scene.add(along("r1", second.clone())).unwrap();
        scene.add(Body::robot("r2", third)).unwrap();
        let options = Options::default();
        let gap = |t: f64| {
            let early = ((t - 0.1) / 0.7).clamp(0.0, 1.0);
            let at = [first.at(early)[0], second.at(t)[0], ends[0] + (ends[1] - ends[0]) * t];
            [(0, 1), (1, 2), (0, 2)].map(|(i, j)| (at[i] - at[j]).abs() - 2.0).into_iter().fold(9.0, f64::min)
        };
        let answer = scene.check(&options).unwrap().answer;
        let until = answer.free_until(1.0);
        // At the start they may touch already.
        let samples = if until > 0.0 { 400 } else { 0 };
        for k in 0..samples {
            let t = until * f64::from(k) / 401.0;
            assert!(gap(t) > 0.0, "{case}: {t} {}", gap(t));
        }
        match answer.touch() {
            Some(touch) => {
                touches += 1;
                assert!(gap(touch.toi) <= 1e-6 + 1e-12, "{case}: {}", gap(touch.toi));
            }
            None => frees += 1,
        }
        // The least distance is that of the samples, up to their steps.
        let clearance = scene.clearance(&options).unwrap().unwrap();
        let sampled = (0..=2000).map(|k| gap(f64::from(k) / 2000.0)).fold(9.0, f64::min);
        let sampled = if sampled < 0.0 { 0.0 } else { sampled };
        assert!(clearance.lower <= sampled + 1e-12, "{case}: {} {sampled}", clearance.lower);
        assert!(clearance.upper > sampled - 0.02, "{case}: {} {sampled}", clearance.upper);
        assert!(clearance.is_tight && gap(clearance.t).max(0.0) <= clearance.upper + 1e-9, "{case}");
    }
    assert!(touches >= 15 && frees >= 15, "{touches} touch, {frees} free");
}

/// By hand: a ball on a rail goes from 0 to 8 in the first half of the time, past the cut at a quarter, and back to 4.
/// A post of radius 1 at 5 touches it from x = 3 on: from 3/16 to the end. Another one at 11 is never closer than 1, at
/// half the time.
#[test]
fn questions_across_waypoints() {
    let way = Trajectory::linear(
        &slider("r"),
        &[0.0, 1.0, 2.0, 4.0],
        &[vec![0.0], vec![4.0], vec![8.0], vec![4.0]],
    )
    .unwrap();
    let mut scene = Scene::default();
    scene.add(along("r", way.clone())).unwrap();
    scene.add(post("near", 5.0)).unwrap();
    scene.add(post("far", 11.0)).unwrap();
    let options = Options { mode: Mode::All, ..Options::default() };
    let report = scene.check(&options).unwrap();
    assert_eq!(report.pairs.len(), 1);
    let toi = report.pairs[0].answer.touch().unwrap().toi;
    assert!(toi <= 0.1875 && toi > 0.1875 - 1e-6, "{toi}");
    // The ball passes through the post, across two waypoints. It is beyond it, from x = 7 to 8 and back, from 7/16 to
    // 5/8.
    let overlaps = scene.overlaps("r", "near", &options).unwrap();
    let ends: Vec<[f64; 2]> = overlaps.iter().map(|overlap| [overlap.start[0], overlap.end[1]]).collect();
    assert_eq!(ends.len(), 2, "{ends:?}");
    for (found, exact) in ends.iter().flatten().zip([0.1875, 0.4375, 0.625, 1.0]) {
        assert!((found - exact).abs() < 1e-6, "{ends:?}");
    }
    assert!(ends[0][0] <= 0.1875 && ends[0][1] >= 0.4375 && ends[1][0] <= 0.625 && ends[1][1] == 1.0);
    let contacts = scene.contacts(toi, &options).unwrap();
    assert_eq!(contacts.len(), 1);
    assert!(contacts[0].points[1].distance(DVec3::X * 4.0) < 1e-5);
    scene.remove("near").unwrap();
    let clearance = scene.clearance(&options).unwrap().unwrap();
    assert!(clearance.lower <= 1.0 && clearance.upper >= 1.0 && clearance.is_tight);
    assert!((clearance.t - 0.5).abs() < 1e-6, "{}", clearance.t);
    // At an instant, as exact as in the single segment: at a quarter of the time the second one begins.
    let distance = scene.distance_at(0.25, &options).unwrap().unwrap();
    let mut alone = Scene::default();
    let second = way.step(slider("r"), Pose::IDENTITY, 1).unwrap();
    alone.add(Body::robot("r", second)).unwrap();
    alone.add(post("far", 11.0)).unwrap();
    let expected = alone.distance_at(0.0, &options).unwrap().unwrap();
    assert!(distance.lower <= 5.0 && distance.upper >= 5.0, "{distance:?}");
    assert!(distance.upper - distance.lower <= expected.upper - expected.lower, "{distance:?} {expected:?}");
    // Up to the first waypoint, and no farther.
    scene.set_pose("far", Pose::from_translation(DVec3::X * 6.5).unwrap()).unwrap();
    let toi = scene.check(&options).unwrap().answer.touch().unwrap().toi;
    assert!(toi <= 0.28125 && toi > 0.28125 - 1e-6, "{toi}");
    assert_eq!(scene.check(&Options { t_max: 0.28, ..options }).unwrap().answer, Answer::Free);
}

/// A touch that is there when a later segment begins is a touch at the time of the waypoint, not one at the start. Held
/// bodies move along.
#[test]
fn waypoints_and_held_bodies() {
    let robot = slider("r");
    let way = Trajectory::linear(&robot, &[0.0, 1.0, 2.0], &[vec![0.0], vec![3.0], vec![6.0]]).unwrap();
    let mut scene = Scene::default();
    scene.add(along("r", way.clone())).unwrap();
    scene.add(post("post", 5.0)).unwrap();
    let answer = scene.check(&Options::default()).unwrap().answer;
    let Answer::Touch(touch) = answer else { panic!("{answer:?}") };
    assert!(touch.toi <= 0.5 && touch.toi > 0.5 - 1e-6, "{}", touch.toi);
    // A rod of half a unit in front of the ball.
    scene
        .attach(
            "load",
            Sphere::new(0.5).unwrap(),
            "r",
            "ball",
            Pose::from_translation(DVec3::X).unwrap(),
            &[],
        )
        .unwrap();
    let answer = scene.check(&Options::default()).unwrap().answer;
    let Answer::Touch(touch) = answer else { panic!("{answer:?}") };
    assert_eq!(touch.bodies, [1, 2]);
    assert!(touch.toi <= 2.5 / 6.0 && touch.toi > 2.5 / 6.0 - 1e-6, "{}", touch.toi);
    // Contacts at the start cannot be left out of a scene that is cut.
    assert!(scene.check(&Options { start: Start::Ignore, ..Options::default() }).is_err());
    // On the clock the load goes at the speed 6: 1 farther along, it touches 1/6 earlier.
    let gradient = scene.toi_gradient(&touch, &Options::default()).unwrap();
    let [MotionGradient::Poses { from, to }, MotionGradient::Shift(by)] = &gradient.bodies else {
        panic!("{gradient:?}")
    };
    assert!((by[0] + 1.0 / 6.0).abs() < 1e-7, "{by:?}");
    assert!((from.translation.x + to.translation.x - 1.0 / 6.0).abs() < 1e-7, "{gradient:?}");
}

/// The derivative by a shift of the configuration, on trajectories of every kind, against differences of the times of
/// contact of trajectories that are shifted as a whole.
#[test]
fn gradients_on_courses() {
    let mut draw = Draw(74);
    let options = Options { tolerance: 1e-10, ..Options::default() };
    let mut compared = 0;
    for case in 0..90 {
        let robot = arm(&mut draw);
        let seed = draw.0;
        let way = trajectory(&mut draw, &robot, case % 3);
        let balls = (0..4).map(|k| {
            let motion = if k == 0 {
                Motion::linear(draw.pose(1.6), draw.pose(1.6))
            } else {
                Motion::fixed(draw.pose(1.6))
            };
            Body::new(format!("o{k}"), Sphere::new(0.2).unwrap(), motion)
        });
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, balls.collect()).unwrap();
        let Some(found) = checker.toi_gradient_along(&way, &options).unwrap() else { continue };
        if found.degenerate.is_some() || !(0.02..0.98).contains(&found.toi) {
            continue;
        }
        let toi = |variable: usize, by: f64| -> Option<f64> {
            let shifted = shifted_trajectory(&mut Draw(seed), &robot, case % 3, variable, by);
            let report = checker.check_trajectory(&shifted, &options, |_| ()).unwrap();
            (report.segment == Some(found.segment)).then(|| report.answer.touch().unwrap().toi)
        };
        assert_eq!(toi(0, 0.0), Some(found.toi), "{case}");
        for variable in 0..3 {
            let step = 1e-5;
            let Some((after, before)) = toi(variable, step).zip(toi(variable, -step)) else { continue };
            let expected = (after - before) / (2.0 * step);
            let error = (found.shift[variable] - expected).abs();
            // If the contact is nearly a grazing one, the difference is not exact either.
            if expected.abs() < 3.0 {
                assert!(error < 2e-3 * (1.0 + expected.abs()), "{case}: {found:?} {variable} {expected}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 40, "{compared}");
}

/// Returns the trajectory of [`trajectory`] from the same numbers, with one variable shifted everywhere.
fn shifted_trajectory(draw: &mut Draw, robot: &Robot, kind: usize, variable: usize, by: f64) -> Trajectory {
    let count = 3 + (4.0 * draw.unit()) as usize;
    let times: Vec<f64> = (0..count).map(|k| k as f64 + 0.5 * draw.unit()).collect();
    let mut row = |size: f64| (0..3).map(|_| size * draw.signed()).collect::<Vec<f64>>();
    let mut points: Vec<Vec<f64>> = (0..count).map(|_| row(1.5)).collect();
    points.iter_mut().for_each(|point| point[variable] += by);
    match kind {
        0 => Trajectory::linear(robot, &times, &points).unwrap(),
        1 => Trajectory::spline(robot, &times, &points).unwrap(),
        _ => {
            let velocities: Vec<Vec<f64>> = (0..count).map(|_| row(1.0)).collect();
            Trajectory::cubic(robot, &times, &points, &velocities).unwrap()
        }
    }
}

/// All times at which a checker's robot touches an obstacle. A ball of radius 1 goes from x = 0 to 20 and back, past a
/// post at x = 10. It touches the post between x = 8 and x = 12, across a waypoint at x = 10.
#[test]
fn overlaps_of_a_checker() {
    let robot = slider("r");
    let points = [vec![0.0], vec![10.0], vec![20.0], vec![0.0]];
    let way = Trajectory::linear(&robot, &[0.0, 1.0, 2.0, 4.0], &points).unwrap();
    let mut checker =
        Checker::new(robot, Pose::IDENTITY, vec![post("post", 10.0), post("far", 40.0)]).unwrap();
    let times = |checker: &Checker| -> Vec<[f64; 2]> {
        let found = checker.overlaps_along(&way, Some(0), &Options::default()).unwrap();
        found.iter().map(|overlap| [4.0 * overlap.start[0], 4.0 * overlap.end[1]]).collect()
    };
    let close = |found: &[[f64; 2]], exact: &[[f64; 2]]| {
        assert_eq!(found.len(), exact.len(), "{found:?}");
        for (found, exact) in found.iter().zip(exact) {
            assert!(found[0] <= exact[0] && found[0] > exact[0] - 1e-5, "{found:?} {exact:?}");
            assert!(found[1] >= exact[1] && found[1] < exact[1] + 1e-5, "{found:?} {exact:?}");
        }
    };
    close(&times(&checker), &[[0.8, 1.2], [2.8, 3.2]]);
    let none = checker.overlaps_along(&way, Some(1), &Options::default()).unwrap();
    assert!(none.is_empty() && checker.overlaps_along(&way, None, &Options::default()).unwrap().is_empty());
    checker.set_padding(1.0).unwrap();
    close(&times(&checker), &[[0.7, 1.3], [2.7, 3.3]]);
    checker.set_link_padding("ball", 0.5).unwrap();
    close(&times(&checker), &[[0.65, 1.35], [2.65, 3.35]]);
    checker.set_link_padding("ball", 0.0).unwrap();
    checker.allow("ball", "post").unwrap();
    assert!(times(&checker).is_empty());
}

/// Bodies that a robot takes up and puts down in a scene: the same answers as those of the phases of a checker, segment
/// by segment, and the gap at the touch and before it against samples.
#[test]
fn grasps_are_phases() {
    let mut draw = Draw(73);
    let (mut touches, mut of_load, mut frees) = (0, 0, 0);
    for case in 0..160 {
        let robot = arm(&mut draw);
        let count = 4 + case % 3;
        let points: Vec<Vec<f64>> =
            (0..count).map(|_| (0..3).map(|_| 1.2 * draw.signed()).collect()).collect();
        let times: Vec<f64> = (0..count).map(|k| k as f64 + 0.5 * draw.unit()).collect();
        let way = Trajectory::linear(&robot, &times, &points).unwrap();
        let path = RobotPath::new(robot.clone(), Pose::IDENTITY, way.clone()).unwrap();
        let ball = |name: &str, radius: f64, at: Pose| {
            Body::new(name, Sphere::new(radius).unwrap(), Motion::fixed(at))
        };
        let bodies = [
            ball("load", 0.2, draw.pose(1.2)),
            ball("a", 0.2, draw.pose(1.5)),
            ball("b", 0.2, draw.pose(1.5)),
        ];
        let grasp = Grasp {
            body: "load".into(),
            link: "lower".into(),
            touch_links: if case % 2 == 0 { vec!["slider".into()] } else { vec![] },
            may_touch: vec!["a".into()],
            from: case % 3,
            until: (case % 4 > 0).then_some(count - 1 - case % 2),
        };
        let mut scene = Scene::default();
        scene.leave_out_resting(true);
        scene.add(Body::robot_along("arm", path)).unwrap();
        for body in &bodies {
            scene.add(body.clone()).unwrap();
        }
        scene.grasp("arm", grasp.clone()).unwrap();
        assert_eq!(scene.grasps().collect::<Vec<_>>(), [("arm", &grasp)]);
        let options = Options::default();
        let answer = scene.check(&options).unwrap().answer;

        let checker = Checker::new(robot, Pose::IDENTITY, bodies.to_vec()).unwrap();
        let mut expected: Option<f64> = None;
        let mut free_until = 1.0;
        'phases: for phase in checker.phases(&points, &[grasp]).unwrap() {
            for segment in phase.segments.clone() {
                let [q0, q1] = [&points[segment], &points[segment + 1]];
                let found = phase.checker.check_step(q0, q1, &options).unwrap().answer;
                if let Some(touch) = found.touch() {
                    let [start, end] = way.span(segment);
                    expected = Some(start + (end - start) * touch.toi);
                    free_until = start;
                    break 'phases;
                }
            }
        }
        let found = answer.touch().map(|touch| touch.toi);
        assert_eq!(found.is_some(), expected.is_some(), "{case}: {answer:?} {expected:?}");
        let Some((found, expected)) = found.zip(expected) else {
            frees += 1;
            continue;
        };
        assert!((found - expected).abs() < 1e-5, "{case}: {found} {expected}");
        assert!(found >= free_until, "{case}");
        touches += 1;
        let touch = answer.touch().unwrap();
        of_load += usize::from(touch.bodies.contains(&1));
        // The places of the bodies at that time.
        for (side, body) in touch.bodies.into_iter().enumerate().filter(|(_, body)| *body > 0) {
            let center = scene.pose_at(body, touch.toi).unwrap().translation;
            assert!(((touch.points[side] - center).length() - 0.2).abs() < 1e-4, "{case}");
        }
    }
    assert!(
        touches >= 20 && of_load >= 8 && frees >= 15,
        "{touches} touch, {of_load} the load, {frees} free"
    );
}

/// The errors of a scene about grasps, and a body that is taken up twice.
#[test]
fn grasps_one_after_the_other() {
    let robot = slider("r");
    let points = [vec![0.0], vec![4.0], vec![8.0], vec![4.0], vec![12.0]];
    let way = Trajectory::linear(&robot, &[0.0, 1.0, 2.0, 3.0, 4.0], &points).unwrap();
    let mut scene = Scene::default();
    scene.add(along("r", way)).unwrap();
    scene.add(post("load", 4.0)).unwrap();
    scene.add(post("post", 20.0)).unwrap();
    let grasp = |from: usize, until: Option<usize>| Grasp {
        body: "load".into(),
        link: "ball".into(),
        from,
        until,
        ..Grasp::default()
    };
    assert!(scene.grasp("post", grasp(0, None)).is_err());
    assert!(scene.grasp("r", Grasp { link: "foot".into(), ..grasp(0, None) }).is_err());
    assert!(scene.grasp("r", grasp(2, Some(2))).is_err());
    assert!(scene.grasp("r", grasp(2, Some(5))).is_err());
    scene.grasp("r", grasp(1, Some(2))).unwrap();
    assert!(scene.grasp("r", grasp(0, Some(2))).is_err());
    // It is left at x = 8, and is taken along from there when the hand is at x = 4: 4 in front of the hand.
    scene.grasp("r", grasp(3, None)).unwrap();
    let x = |t: f64| scene.pose_at(1, t).unwrap().translation.x;
    assert_eq!([x(0.1), x(0.25), x(0.5), x(0.6), x(1.0)], [4.0, 4.0, 8.0, 8.0, 16.0]);
    assert_eq!(scene.check(&Options::default()).unwrap().answer, Answer::Free);
    scene.set_pose("post", Pose::from_translation(DVec3::X * 16.0).unwrap()).unwrap();
    let answer = scene.check(&Options::default()).unwrap().answer;
    let touch = answer.touch().expect("the load comes to x = 14");
    assert!(touch.bodies == [1, 2] && touch.toi <= 0.9375 && touch.toi > 0.9375 - 1e-6, "{touch:?}");
    assert!(scene.remove("load").is_err() && scene.remove("r").is_err());
    scene.set_motion("load", Motion::linear(Pose::IDENTITY, Pose::IDENTITY)).unwrap();
    assert!(scene.check(&Options::default()).is_err());
}

/// A load rests at x = 4 until a hand far away takes it, and a ball passes there from y = -10 to y = 10, near it at t =
/// 0.5. The load may touch that ball while it is held. The answer was free although the ball ran into the load before
/// it was taken up.
#[test]
fn what_may_touch_a_load_may_do_so_while_it_is_held() {
    let answer = |from: usize, until: Option<usize>| {
        let robot = slider("r");
        let way = Trajectory::linear(&robot, &[0.0, 1.0, 2.0], &[vec![-20.0], vec![-20.0], vec![-20.0]]);
        let mut scene = Scene::default();
        scene.add(along("r", way.unwrap())).unwrap();
        scene.add(post("load", 4.0)).unwrap();
        // It rests beside the load and overlaps it all the time.
        scene.add(post("table", 4.5)).unwrap();
        let at = |y: f64| Pose::from_translation(DVec3::new(3.0, y, 0.0)).unwrap();
        let passing = Motion::linear(at(-10.0), at(10.0));
        scene.add(Body::new("passing", Sphere::new(1.0).unwrap(), passing)).unwrap();
        scene.allow("table", "passing").unwrap();
        let may_touch = vec!["passing".into(), "table".into()];
        let (body, link) = ("load".into(), "ball".into());
        scene.grasp("r", Grasp { body, link, may_touch, from, until, ..Grasp::default() }).unwrap();
        scene.check(&Options::default()).unwrap().answer
    };
    // At x = 3 it is within 2 of x = 4 from y = -√3 on.
    let toi = 0.5 - 3.0_f64.sqrt() / 20.0;
    let touch = answer(1, None);
    let touch = touch.touch().expect("the ball runs into the load at rest");
    assert!(touch.bodies == [1, 3] && touch.toi <= toi && touch.toi > toi - 1e-6, "{touch:?}");
    assert_eq!(answer(0, None), Answer::Free);
    let touch = answer(0, Some(1));
    let touch = touch.touch().expect("the load is left where the ball is");
    assert!(touch.bodies == [1, 3] && touch.toi == 0.5, "{touch:?}");
}
