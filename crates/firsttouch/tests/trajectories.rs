//! Robots on smooth trajectories: bounds and answers against dense sampling, and laws.

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Mimic, Robot, RobotMotion, Trajectory};
use firsttouch::motion::{JointTrajectory, Motion, Pose, RigidMotion, Window};
use firsttouch::shape::{Capsule, Sphere};
use firsttouch::testing::check_motion;
use firsttouch::{Answer, Body, Mode, Options};
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

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    fn pose(&mut self, size: f64) -> Pose {
        let quat = DQuat::from_xyzw(self.signed(), self.signed(), self.signed(), self.signed() + 2.0);
        Pose::new(self.vector() * size, quat.normalize()).unwrap()
    }
}

/// Returns a chain with a joint of every kind that has a smooth course: planar, revolute, prismatic, a revolute one
/// that mimics, and a floating and a ball joint, whose orientations rest.
fn chain(draw: &mut Draw) -> Robot {
    let bone = |draw: &mut Draw| {
        vec![LinkPart { shape: Capsule::new(0.05, 0.4).unwrap().into(), pose: draw.pose(0.1) }]
    };
    let names = ["world", "cart", "upper", "slider", "lower", "ghost", "tip"];
    let links = names.map(|name| (name.to_string(), if name == "world" { vec![] } else { bone(draw) }));
    let axis = |draw: &mut Draw| draw.vector().normalize() * 2.0;
    let kinds = [
        JointKind::Planar { normal: axis(draw) },
        JointKind::Revolute { axis: axis(draw) },
        JointKind::Prismatic { axis: axis(draw) },
        JointKind::Revolute { axis: axis(draw) },
        JointKind::Floating,
        JointKind::Ball,
    ];
    let joints = kinds.into_iter().enumerate().map(|(i, kind)| Joint {
        name: format!("j{i}"),
        parent: names[i].into(),
        child: names[i + 1].into(),
        origin: draw.pose(0.5),
        kind,
        limits: None,
        mimic: (i == 3).then(|| Mimic { joint: "j1".into(), multiplier: -0.7, offset: 0.3 }),
    });
    let joints = joints.collect();
    Robot::new("chain", links.into(), joints).unwrap()
}

/// Random waypoints; the orientations of the floating and the ball joint stay.
fn waypoints(draw: &mut Draw, robot: &Robot, count: usize) -> Vec<Vec<f64>> {
    let rotates: Vec<Option<f64>> = robot
        .variables()
        .iter()
        .map(|v| {
            v.name.contains("/rot_").then(|| draw.signed() + if v.name.ends_with('w') { 2.0 } else { 0.0 })
        })
        .collect();
    (0..count)
        .map(|_| rotates.iter().map(|fixed| fixed.unwrap_or_else(|| 1.5 * draw.signed())).collect())
        .collect()
}

fn times(draw: &mut Draw, count: usize) -> Vec<f64> {
    (0..count).map(|k| k as f64 + 0.5 * draw.unit()).collect()
}

fn trajectory(draw: &mut Draw, robot: &Robot, kind: usize) -> Trajectory {
    let count = 2 + (4.0 * draw.unit()) as usize;
    let (times, points) = (times(draw, count), waypoints(draw, robot, count));
    match kind {
        0 => Trajectory::spline(robot, &times, &points).unwrap(),
        1 => {
            let still = |name: &str| name.contains("/rot_");
            let row = |draw: &mut Draw| {
                let velocity = |v: &firsttouch::articulated::Variable| {
                    if still(&v.name) { 0.0 } else { 2.0 * draw.signed() }
                };
                robot.variables().iter().map(velocity).collect::<Vec<f64>>()
            };
            let velocities: Vec<Vec<f64>> = (0..count).map(|_| row(draw)).collect();
            Trajectory::cubic(robot, &times, &points, &velocities).unwrap()
        }
        _ => {
            // One polynomial of degree 11 for each variable.
            let joints = robot.variables().iter().zip(&points[0]).map(|(v, &start)| {
                let higher = if v.name.contains("/rot_") { 0.0 } else { 0.8 };
                let mut powers = vec![start];
                powers.extend((0..11).map(|_| higher * draw.signed()));
                JointTrajectory::polynomials(&[0.0, 1.0], &[powers]).unwrap()
            });
            Trajectory::new(robot, joints.collect()).unwrap()
        }
    }
}

/// Poses, velocities, accelerations and enclosures of all links of driven chains, against samples and differences of
/// the poses.
#[test]
fn bounds_hold() {
    let mut draw = Draw(11);
    for case in 0..6 {
        let robot = chain(&mut draw);
        let way = trajectory(&mut draw, &robot, case % 3);
        for segment in [way.segments() - 1] {
            let step = way.step(robot.clone(), draw.pose(1.0), segment).unwrap();
            let motion = step.motion();
            for link in 1..robot.links().len() {
                check_motion(&motion.part(link, 0), case as u64)
                    .unwrap_or_else(|error| panic!("{case} {link}: {error}"));
                for ancestor in [1, link.max(2) - 1] {
                    for part in motion.relative((ancestor, 0), (link, 0)) {
                        check_motion(&part, case as u64)
                            .unwrap_or_else(|error| panic!("{case} {link}: {error}"));
                    }
                }
            }
        }
    }
}

/// The jerk that the sieve takes as a bound: third differences of points of the links stay within the claim, and come
/// near it.
#[test]
fn enclosures_hold_and_tighten() {
    let mut draw = Draw(12);
    for case in 0..12 {
        let robot = chain(&mut draw);
        let way = trajectory(&mut draw, &robot, case % 3);
        let step = way.step(robot.clone(), Pose::IDENTITY, 0).unwrap();
        let motion = step.motion();
        for link in 1..robot.links().len() {
            let part = motion.part(link, 0);
            for width in [0.5, 0.1, 0.01] {
                let t0 = draw.unit() * (1.0 - width);
                let window = Window::new(t0, t0 + width).unwrap();
                let claimed = part.acceleration(0.4, window);
                let bounds = part.velocity_bounds(window);
                for _ in 0..8 {
                    let t = t0 + width * draw.unit();
                    let v = part.velocity_at(t);
                    assert!(
                        (v.origin - bounds.center.origin).length()
                            <= bounds.origin_radius * (1.0 + 1e-9) + 1e-12
                    );
                    assert!(
                        (v.angular - bounds.center.angular).length()
                            <= bounds.angular_radius * (1.0 + 1e-9) + 1e-12
                    );
                    // The acceleration of a point, by differences of velocities.
                    let (h, r) = (1e-5, DVec3::new(0.2, -0.3, 0.1));
                    let speed = |t: f64| part.velocity_at(t).of(part.pose_at(t).rotation * r);
                    if t > h && t + h < 1.0 {
                        let acceleration = (speed(t + h) - speed(t - h)).length() / (2.0 * h);
                        assert!(
                            acceleration <= claimed * (1.0 + 1e-5) + 1e-6,
                            "{case} {link}: {acceleration} {claimed}"
                        );
                    }
                }
            }
        }
    }
}

/// The contract against dense sampling: no touch before `toi`, and a touch at it; free means free at every sample.
#[test]
fn answers_agree_with_samples() {
    let mut draw = Draw(13);
    let (mut touches, mut frees) = (0, 0);
    for case in 0..60 {
        let robot = chain(&mut draw);
        let way = trajectory(&mut draw, &robot, case % 3);
        let mut obstacles = Vec::new();
        for k in 0..4 {
            let [from, to] = [draw.pose(2.0), draw.pose(2.0)];
            let motion = match k {
                0 => Motion::linear(from, to),
                1 => Motion::screw(from, to),
                _ => Motion::fixed(from),
            };
            obstacles.push(Body::new(
                format!("o{k}"),
                Sphere::new(0.05 + 0.2 * draw.unit()).unwrap(),
                motion,
            ));
        }
        // Links against each other are not tested here, because most of them touch.
        let mut robot = robot;
        let names: Vec<String> = robot.links().iter().map(|link| link.name().to_string()).collect();
        for (i, a) in names.iter().enumerate() {
            names[i + 1..].iter().for_each(|b| robot.allow(a, b).unwrap());
        }
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, obstacles.clone()).unwrap();
        let options = Options::default();
        let report = checker.check_trajectory(&way, &options, |_| ()).unwrap();
        let any = checker.check_trajectory(&way, &Options { mode: Mode::Any, ..options }, |_| ()).unwrap();
        assert_eq!(report.answer == Answer::Free, any.answer == Answer::Free, "{case}");
        // The least gap at an instant of a segment, by distances of the spheres from the segments of the capsules.
        let gap = |segment: usize, s: f64| -> f64 {
            let step = way.step(robot.clone(), Pose::IDENTITY, segment).unwrap();
            let motion: RobotMotion<'_> = step.motion();
            let [t0, t1] = way.span(segment);
            let mut least = f64::INFINITY;
            for link in 1..robot.links().len() {
                let pose = motion.part(link, 0).pose_at(s);
                for body in &obstacles {
                    let (shape, moves) = body.as_rigid().unwrap();
                    let center = moves.pose_at(t0 + (t1 - t0) * s).translation;
                    let local = pose.rotation.transpose() * (center - pose.translation);
                    let nearest = DVec3::Z * local.z.clamp(-0.2, 0.2);
                    let (_, half) = shape.bounds();
                    least = least.min((local - nearest).length() - 0.05 - half.x);
                }
            }
            least
        };
        let last = report.segment.unwrap_or(way.segments() - 1);
        for segment in 0..=last {
            let until = if Some(segment) == report.segment {
                report.answer.touch().map_or(0.0, |touch| touch.toi)
            } else {
                1.0
            };
            let samples = if until > 0.0 { 60 } else { 0 };
            for k in 0..samples {
                let s = until * f64::from(k) / 60.0;
                assert!(
                    gap(segment, s) > 0.0,
                    "{case}: free at {segment} {s}, but the gap is {}",
                    gap(segment, s)
                );
            }
        }
        match (&report.answer, report.segment) {
            (Answer::Free, None) => frees += 1,
            (Answer::Touch(touch) | Answer::TouchingAtStart(touch), Some(segment)) => {
                touches += 1;
                let found = gap(segment, touch.toi);
                assert!(found <= options.tolerance + 1e-12, "{case}: {found:e} at {}", touch.toi);
            }
            other => panic!("{case}: {other:?}"),
        }
    }
    assert!(touches >= 10 && frees >= 10, "{touches} touch, {frees} free");
}

fn slider() -> Robot {
    let slide = |name: &str, parent: &str, child: &str, axis: DVec3| Joint {
        name: name.into(),
        parent: parent.into(),
        child: child.into(),
        origin: Pose::IDENTITY,
        kind: JointKind::Prismatic { axis },
        limits: None,
        mimic: None,
    };
    let ball = LinkPart { shape: Sphere::new(1.0).unwrap().into(), pose: Pose::IDENTITY };
    let links = vec![("rail".into(), vec![]), ("beam".into(), vec![]), ("ball".into(), vec![ball])];
    Robot::new(
        "slider",
        links,
        vec![slide("x", "rail", "beam", DVec3::X), slide("y", "beam", "ball", DVec3::Y)],
    )
    .unwrap()
}

/// Through waypoints on a line in equal steps, a spline is linear: the same answer, up to rounding. A path of two
/// pieces equals two queries.
#[test]
fn laws() {
    let robot = slider();
    let post = Body::new(
        "post",
        Sphere::new(1.0).unwrap(),
        Motion::fixed(Pose::from_translation(DVec3::new(9.0, 3.0, 0.0)).unwrap()),
    );
    let checker = Checker::new(robot.clone(), Pose::IDENTITY, vec![post]).unwrap();
    let options = Options::default();
    let points: Vec<Vec<f64>> = (0..5).map(|k| vec![3.0 * f64::from(k), f64::from(k)]).collect();
    let times = [0.0, 1.0, 2.0, 3.0, 4.0];
    let [spline, linear] = [
        Trajectory::spline(&robot, &times, &points).unwrap(),
        Trajectory::linear(&robot, &times, &points).unwrap(),
    ]
    .map(|way| checker.check_trajectory(&way, &options, |_| ()).unwrap());
    let plain = checker.check_path(&points, &options, |_| ()).unwrap();
    assert_eq!(linear.answer, plain.answer);
    assert_eq!((spline.segment, linear.segment), (Some(2), Some(2)));
    let [a, b] = [&spline, &linear].map(|report| report.answer.touch().unwrap().toi);
    assert!((a - b).abs() < 1e-6, "{a} {b}");

    // Two pieces, and two queries about a moving post.
    let [from, to] =
        [DVec3::new(20.0, 0.0, 0.0), DVec3::new(4.0, 0.0, 0.0)].map(|at| Pose::from_translation(at).unwrap());
    let moving = |motion: Motion| vec![Body::new("post", Sphere::new(1.0).unwrap(), motion)];
    let whole = Motion::linear(from, to);
    let path = [vec![0.0, 0.0], vec![4.0, 0.0], vec![7.0, 0.5]];
    let way = Trajectory::linear(&robot, &[0.0, 1.0, 4.0], &path).unwrap();
    let checker = Checker::new(robot.clone(), Pose::IDENTITY, moving(whole.clone())).unwrap();
    let found = checker.check_trajectory(&way, &options, |_| ()).unwrap();
    for (k, [start, end]) in [[0.0, 0.25], [0.25, 1.0]].into_iter().enumerate() {
        let part =
            Checker::new(robot.clone(), Pose::IDENTITY, moving(whole.during(start, end).unwrap())).unwrap();
        let alone = part.check_step(&path[k], &path[k + 1], &options).unwrap().answer;
        if k == 0 {
            assert_eq!(alone, Answer::Free);
        } else {
            assert_eq!((found.segment, &found.answer), (Some(1), &alone));
        }
    }
    // By hand: the ball is at x = 4 + 4 (t - 1/4), the post at 20 - 16 t; they are 2 apart near t = 0.74.
    let t = 0.25 + 0.75 * found.answer.touch().unwrap().toi;
    let (ball, post) =
        (DVec3::new(4.0 + 4.0 * (t - 0.25), (t - 0.25) / 1.5, 0.0), DVec3::X * (20.0 - 16.0 * t));
    assert!((ball.distance(post) - 2.0).abs() < 1e-5, "{t}");
}

/// An obstacle on a path with kinks beside a robot: the checker cuts time there, and its answer is that of the pieces
/// by themselves. Before that change, the windows over a kink were searched with bounds of first order.
#[test]
fn kinks_of_obstacles() {
    use firsttouch::motion::{By, Leg, Path};
    let robot = slider();
    let at = |x: f64, y: f64| Pose::from_translation(DVec3::new(x, y, 0.0)).unwrap();
    // It comes near, turns away, and comes back until it touches at the height 3.
    let legs = [(1.0, at(6.0, 2.1)), (2.0, at(6.0, 8.0)), (3.0, at(6.0, 2.1)), (4.0, at(6.0, 0.1))];
    let legs = legs.map(|(until, to)| Leg { until, by: By::Linear(to) });
    let path = Motion::from(Path::new(at(6.0, 8.0), &legs, 4.0).unwrap());
    let ball = |motion: Motion| vec![Body::new("ball", Sphere::new(1.0).unwrap(), motion)];
    let checker = Checker::new(robot.clone(), Pose::IDENTITY, ball(path.clone())).unwrap();
    let rest = vec![6.0, 0.0];
    let options = Options::default();
    let report = checker.check_step(&rest, &rest, &options).unwrap();
    let toi = report.answer.touch().unwrap().toi;
    // On the last leg it falls from 2.1 by 2: at 2.0 after a twentieth of it.
    assert!(toi <= 0.7625 && toi > 0.7625 - 1e-6, "{toi}");
    // The sum of the work of the pieces, each in its own query, is not much less.
    let alone: u64 = [[0.0, 0.25], [0.25, 0.5], [0.5, 0.75], [0.75, 1.0]]
        .map(|[start, end]| {
            let part =
                Checker::new(robot.clone(), Pose::IDENTITY, ball(path.during(start, end).unwrap())).unwrap();
            part.check_step(&rest, &rest, &options).unwrap().work.iterations
        })
        .iter()
        .sum();
    assert!(report.work.iterations <= alone + 8, "{} {alone}", report.work.iterations);
}

/// Motions that cannot be followed are refused by name.
#[test]
fn refusals() {
    let mut draw = Draw(1);
    let robot = chain(&mut draw);
    let mut points = waypoints(&mut draw, &robot, 2);
    let last = robot.variable("j5/rot_x").unwrap();
    points[1][last] += 0.5;
    let way = Trajectory::spline(&robot, &[0.0, 1.0], &points).unwrap();
    let error = way.step(robot.clone(), Pose::IDENTITY, 0).unwrap_err().to_string();
    assert!(error.contains("joint \"j5\""), "{error}");
    assert!(
        Trajectory::linear(&robot, &[0.0, 1.0], &points)
            .unwrap()
            .step(robot.clone(), Pose::IDENTITY, 0)
            .is_ok()
    );
    assert!(Trajectory::spline(&robot, &[0.0], &points).is_err());
    assert!(Trajectory::spline(&robot, &[1.0, 0.0], &points).is_err());
    assert!(Trajectory::linear(&robot, &[0.0, 1.0], &points).unwrap().on_clock(0.5, 0.5).is_err());
    assert!(Trajectory::new(&robot, vec![]).is_err());
}

/// Ball joints at constant rates: poses against the textbook's spherical interpolation, and all bounds.
#[test]
fn ball_joints() {
    let mut draw = Draw(21);
    for case in 0..50 {
        let part = |draw: &mut Draw| {
            vec![LinkPart { shape: Capsule::new(0.1, 0.4).unwrap().into(), pose: draw.pose(0.3) }]
        };
        let links = ["base", "upper", "lower"].map(|name| (name.to_string(), part(&mut draw)));
        let origins = [draw.pose(1.0), draw.pose(1.0)];
        let joint = |k: usize| Joint {
            name: format!("j{k}"),
            parent: ["base", "upper"][k].into(),
            child: ["upper", "lower"][k].into(),
            origin: origins[k],
            kind: JointKind::Ball,
            limits: None,
            mimic: None,
        };
        let offsets = links.clone().map(|(_, parts)| parts[0].pose);
        let robot = Robot::new("doll", links.into(), vec![joint(0), joint(1)]).unwrap();
        let names: Vec<&str> = robot.variables().iter().map(|v| &v.name[..]).collect();
        assert_eq!(names[..5], ["j0/rot_x", "j0/rot_y", "j0/rot_z", "j0/rot_w", "j1/rot_x"]);
        let [from, to]: [Vec<f64>; 2] = [0; 2].map(|_| (0..8).map(|_| draw.signed()).collect());
        let motion = RobotMotion::new(&robot, Pose::IDENTITY, &from, &to).unwrap();
        let turn = |q: &[f64]| DQuat::from_xyzw(q[0], q[1], q[2], q[3]).normalize();
        for t in [0.0, 0.3, 1.0] {
            let (mut place, mut orientation) = (DVec3::ZERO, DQuat::IDENTITY);
            for k in 0..2 {
                place += orientation * origins[k].translation();
                let [a, b] = [&from, &to].map(|q| turn(&q[4 * k..4 * k + 4]));
                orientation = orientation * origins[k].rotation() * a.slerp(b, t);
                let pose = motion.part(k + 1, 0).pose_at(t);
                let expected = place + orientation * offsets[k + 1].translation();
                assert!(pose.translation.distance(expected) < 1e-12, "{case} {k} {t}");
            }
        }
        for link in 1..3 {
            check_motion(&motion.part(link, 0), case).unwrap();
            motion.relative((0, 0), (link, 0)).iter().for_each(|part| check_motion(part, case).unwrap());
        }
    }
    assert!(slider().validate(&[0.0]).is_err());
}
