//! Robots of a scene that are checked with proofs from earlier segments of their paths: the answers are those of scenes
//! without such proofs.

use crate::random;

use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot, RobotPath, Trajectory};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid, Sphere};
use firsttouch::{Answer, Ask, Body, Control, Error, Interrupt, Mode, Options, Scene};
use glam::DVec3;
use random::Random;

const LINKS: usize = 8;

/// Returns a chain of capsules of length 1, each of which turns about another axis.
fn chain() -> Robot {
    let part = |length: f64| {
        let shape = Capsule::new(0.1, length).unwrap().into();
        LinkPart { shape, pose: Pose::from_translation(DVec3::Z * 0.5).unwrap() }
    };
    let links = (0..LINKS).map(|i| (format!("link{i}"), vec![part(0.7)])).collect();
    let joint = |i: usize| Joint {
        name: format!("joint{i}"),
        parent: format!("link{}", i - 1),
        child: format!("link{i}"),
        origin: Pose::from_translation(DVec3::Z).unwrap(),
        kind: JointKind::Revolute { axis: [DVec3::X, DVec3::Y][i % 2] },
        limits: None,
        mimic: None,
    };
    Robot::new("chain", links, (1..LINKS).map(joint).collect()).unwrap()
}

/// Waypoints of which each moves a few joints, some of them none.
fn path(random: &mut Random, robot: &Robot) -> Trajectory {
    let mut at = robot.zero();
    let mut waypoints = vec![at.clone()];
    for _ in 0..12 {
        for value in &mut at {
            if random.range(0.0, 1.0) < 0.3 {
                *value += random.range(-0.6, 0.6);
            }
        }
        waypoints.push(at.clone());
    }
    let times: Vec<f64> = (0..waypoints.len()).map(|k| k as f64).collect();
    // Some begin late or end early.
    let (start, end) = (random.range(-0.1, 0.1), random.range(0.9, 1.1));
    Trajectory::linear(robot, &times, &waypoints).unwrap().on_clock(start.max(0.0), end.min(1.0)).unwrap()
}

/// Returns a scene with one or two chains among balls. Some of the balls move, and some have their own settings.
/// `apart` is added to all separations.
fn scene(seed: u64, is_adaptive: bool, apart: f64) -> Scene {
    let random = &mut Random(seed);
    let mut scene = Scene::default();
    let robot = chain();
    for (name, x) in [("arm", 0.0), ("other", 7.0)].into_iter().take(1 + usize::from(seed.is_multiple_of(3)))
    {
        let base = Pose::from_translation(DVec3::X * x).unwrap();
        let mut along = RobotPath::new(robot.clone(), base, path(random, &robot)).unwrap();
        if is_adaptive {
            along = along.adaptive().unwrap();
        }
        scene.add(Body::robot_along(name, along)).unwrap();
    }
    for i in 0..8 {
        let place = |random: &mut Random| {
            let direction = random.vector(1.0).normalize_or(DVec3::X);
            Pose::from_translation(direction * random.range(3.0, 7.0) + DVec3::Z * 1.5).unwrap()
        };
        let motion = match i {
            0 if seed.is_multiple_of(2) => Motion::linear(place(random), place(random)),
            _ => Motion::fixed(place(random)),
        };
        // Names before and after those of the robots.
        let name = format!("{}{i}", if i % 2 == 0 { "a" } else { "z" });
        scene.add(Body::new(name, Sphere::new(random.range(0.2, 0.8)).unwrap(), motion)).unwrap();
    }
    scene
        .add(Body::new("floor", Cuboid::new(DVec3::new(30.0, 30.0, 1.0)).unwrap(), {
            Motion::fixed(Pose::from_translation(DVec3::Z * -5.5).unwrap())
        }))
        .unwrap();
    scene.allow("arm", "z1").unwrap();
    scene.keep_apart("arm", "a2", 0.2 + apart).unwrap();
    if seed.is_multiple_of(5) {
        scene.keep_apart("arm", "arm", 0.05 + apart).unwrap();
    }
    if !seed.is_multiple_of(4) {
        scene.leave_out_resting(true);
    }
    scene
}

/// Of 120 paths the times of the first touch are within the bounds that the usual check proves with a tolerance that is
/// ten thousand times smaller.
#[test]
fn answers_of_adaptive_robots() {
    let (mut free, mut touch, mut at_start) = (0, 0, 0);
    for seed in 0..120 {
        let options = Options { tolerance: 1e-5, min_separation: 0.01, ..Options::default() };
        let report = scene(seed, true, 0.0).check(&options).unwrap();
        let until = |apart: f64| {
            let options =
                Options { tolerance: 1e-9, min_separation: options.min_separation + apart, ..options };
            scene(seed, false, apart).check(&options).unwrap().answer.free_until(1.0)
        };
        let (latest, earliest) = (until(0.0), until(options.tolerance));
        let ours = report.answer.free_until(1.0);
        assert!(ours <= latest + 1e-6 && ours >= earliest - 1e-9, "{seed}: {ours}, {earliest} to {latest}");
        match &report.answer {
            Answer::Free => free += 1,
            Answer::Touch(found) => {
                touch += 1;
                assert!(found.bodies[0] <= found.bodies[1], "{seed}: {:?}", found.bodies);
                assert_ne!(found.bodies, [0, scene(seed, false, 0.0).index_of("z1").unwrap()], "{seed}");
            }
            Answer::TouchingAtStart(_) => at_start += 1,
            Answer::Undecided { .. } => panic!("{seed}: undecided"),
        }
        let usual = scene(seed, false, 0.0).check(&options).unwrap();
        if usual.answer == Answer::Free && report.answer == Answer::Free {
            assert_eq!(report.stats.pairs, usual.stats.pairs, "{seed}");
            assert_eq!(report.stats.resting, usual.stats.resting, "{seed}");
            assert_eq!(report.stats.allowed, usual.stats.allowed, "{seed}");
        }
        let any = scene(seed, true, 0.0).check(&Options { mode: Mode::Any, ..options }).unwrap();
        assert_eq!(any.answer.touch().is_some(), report.answer.touch().is_some(), "{seed}");
        assert!(any.answer.free_until(1.0) <= latest + 1e-6, "{seed}: {:?}", any.answer);
    }
    println!("{free} free, {touch} touch, {at_start} at the start");
    assert!(free > 10 && touch > 25, "{free} free, {touch} touch");
}

/// A check that is stopped is undecided, also if only simulations examine pairs.
#[test]
fn an_interrupt_stops_an_adaptive_robot() {
    let interrupt = Interrupt::default();
    interrupt.raise();
    let control = Control { interrupt: Some(&interrupt), progress: None };
    let answer = scene(1, true, 0.0).check(Ask::from(&Options::default()).control(&control)).unwrap().answer;
    assert!(matches!(answer, Answer::Undecided { free_until: 0.0, .. }), "{answer:?}");
}

#[test]
fn smooth_trajectories_are_refused() {
    let robot = chain();
    let waypoints = vec![robot.zero(); 3];
    let smooth = Trajectory::spline(&robot, &[0.0, 1.0, 2.0], &waypoints).unwrap();
    let path = RobotPath::new(robot, Pose::IDENTITY, smooth).unwrap();
    assert!(matches!(path.adaptive(), Err(Error::Unsupported { .. })));
}
