//! Paths as trajectories: within their limits in exact arithmetic, at rest at both ends, and free by an independent
//! judge.

use crate::random;

use dashu_ratio::RBig;
use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot, Trajectory};
use firsttouch::motion::{Motion, Pose};
use firsttouch::planning::{
    MotionLimits, Outcome, PlanControl, PlanOptions, TimedOutcome, TimedPlan, plan, timed,
};
use firsttouch::shape::{Cuboid, Sphere};
use firsttouch::{Answer, Body, Error, Interrupt, Options};
use glam::{DVec3, dvec3};
use random::Random;

/// Slides one after another, the last with a ball. The first three are along x, y and z, and so on.
fn slider(count: usize, radius: f64) -> Robot {
    let ball = LinkPart { shape: Sphere::new(radius).unwrap().into(), pose: Pose::IDENTITY };
    let mut links = vec![("link0".to_string(), vec![])];
    let mut joints = Vec::new();
    for k in 0..count {
        let parts = if k + 1 == count { vec![ball.clone()] } else { vec![] };
        links.push((format!("link{}", k + 1), parts));
        joints.push(Joint {
            name: format!("slide{k}"),
            parent: format!("link{k}"),
            child: format!("link{}", k + 1),
            origin: Pose::IDENTITY,
            kind: JointKind::Prismatic { axis: [DVec3::X, DVec3::Y, DVec3::Z][k % 3] },
            limits: Some([-10.0, 10.0]),
            mimic: None,
        });
    }
    Robot::new("slider", links, joints).unwrap()
}

fn at(at: DVec3) -> Pose {
    Pose::from_translation(at).unwrap()
}

fn post(name: &str, radius: f64, center: DVec3) -> Body {
    Body::new(name, Sphere::new(radius).unwrap(), Motion::fixed(at(center)))
}

/// A ball of radius 1/2 in the plane.
fn plane(obstacles: Vec<Body>) -> Checker {
    Checker::new(slider(2, 0.5), Pose::IDENTITY, obstacles).unwrap()
}

fn proven(outcome: TimedOutcome) -> TimedPlan {
    match outcome {
        TimedOutcome::Proven(timed) => timed,
        other => panic!("{other:?}"),
    }
}

/// East and north, 4 each.
const ANGLE: [[f64; 2]; 3] = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0]];

fn path(points: &[[f64; 2]]) -> Vec<Vec<f64>> {
    points.iter().map(|point| point.to_vec()).collect()
}

fn unit() -> MotionLimits {
    MotionLimits::new(vec![1.0; 2], vec![1.0; 2])
}

/// Returns the position of the ball at a time in seconds.
fn position(timed: &TimedPlan, time: f64) -> DVec3 {
    let k = timed.times[1..timed.times.len() - 1].partition_point(|&end| end <= time);
    let h = timed.times[k + 1] - timed.times[k];
    let s = (time - timed.times[k]) / h;
    let joint = |j: usize| {
        let [q0, q1] = [k, k + 1].map(|k| timed.waypoints[k][j]);
        let [m0, m1] = [k, k + 1].map(|k| timed.velocities[k][j] * h);
        let (a, b) = (q1 - q0, m0 + m1);
        q0 + s * (m0 + s * (3.0 * a - m0 - b + s * (b - 2.0 * a)))
    };
    dvec3(joint(0), joint(1), 0.0)
}

/// Returns the least distance to a point that moves, sampled.
fn sampled(timed: &TimedPlan, center: impl Fn(f64) -> DVec3) -> f64 {
    let duration = timed.duration();
    let times = (0..=20_000).map(|k| duration * f64::from(k) / 20_000.0);
    times.map(|time| position(timed, time).distance(center(time))).fold(f64::INFINITY, f64::min)
}

fn exact(x: f64) -> RBig {
    RBig::try_from(x).unwrap()
}

fn size(x: &RBig) -> RBig {
    if *x < RBig::ZERO { -x } else { x.clone() }
}

/// Asserts in fractions that the cubics through the rows keep the limits.
#[track_caller]
fn assert_within(timed: &TimedPlan, limits: &MotionLimits) {
    let two = || RBig::from(2);
    for k in 1..timed.times.len() {
        let h = exact(timed.times[k]) - exact(timed.times[k - 1]);
        assert!(h > RBig::ZERO);
        for j in 0..limits.velocity.len() {
            let [q0, q1] = [k - 1, k].map(|k| exact(timed.waypoints[k][j]));
            let [v0, v1] = [k - 1, k].map(|k| exact(timed.velocities[k][j]));
            // The cubic in powers of the time since the piece began.
            let slope = (q1 - q0) / &h;
            let c2 = (RBig::from(3) * &slope - two() * &v0 - &v1) / &h;
            let c3 = (&v0 + &v1 - two() * &slope) / (&h * &h);
            let velocity = |t: &RBig| &v0 + two() * &c2 * t + RBig::from(3) * &c3 * t * t;
            let acceleration = |t: &RBig| two() * &c2 + RBig::from(6) * &c3 * t;
            let mut times = vec![RBig::ZERO, h.clone()];
            if c3 != RBig::ZERO {
                let top = -&c2 / (RBig::from(3) * &c3);
                if top > RBig::ZERO && top < h {
                    times.push(top);
                }
            }
            for time in &times {
                assert!(size(&velocity(time)) <= exact(limits.velocity[j]), "velocity of {j} in {k}");
                assert!(
                    size(&acceleration(time)) <= exact(limits.acceleration[j]),
                    "acceleration of {j} in {k}"
                );
            }
            if let Some(jerk) = &limits.jerk {
                assert!(size(&(RBig::from(6) * &c3)) <= exact(jerk[j]), "jerk of {j} in {k}");
            }
        }
    }
}

#[track_caller]
fn assert_rests_at_ends(timed: &TimedPlan, waypoints: &[Vec<f64>]) {
    assert_eq!((timed.times[0], timed.waypoints.first()), (0.0, waypoints.first()));
    assert_eq!(timed.waypoints.last(), waypoints.last());
    for end in [timed.velocities.first(), timed.velocities.last()] {
        assert!(end.unwrap().iter().all(|&velocity| velocity == 0.0));
    }
}

/// Paths of all sizes: with waypoints that are nearly the same or nearly in line, that turn back, and joints that do
/// not move.
#[test]
fn limits_hold_exactly() {
    let mut random = Random(7);
    let (mut faster, mut total, mut cuts) = (0, 0, 0);
    for case in 0..300 {
        let count = 1 + case % 7;
        let checker = Checker::new(slider(count, 0.1), Pose::IDENTITY, vec![]).unwrap();
        let scale = [1.0, 1e-6, 3.0][case % 3];
        let draw = |random: &mut Random, scale: f64| -> Vec<f64> {
            (0..count).map(|_| scale * random.range(-1.0, 1.0)).collect()
        };
        let mut waypoints = vec![draw(&mut random, scale)];
        for k in 0..1 + case % 9 {
            let last = waypoints.last().unwrap().clone();
            let step = match (case + k) % 6 {
                0 if k > 0 => waypoints[k - 1].iter().zip(&last).map(|(a, b)| 0.3 * (a - b)).collect(),
                1 if k > 0 => waypoints[k - 1].iter().zip(&last).map(|(a, b)| 0.7 * (b - a)).collect(),
                2 => draw(&mut random, scale * 1e-7),
                4 if case % 4 == 0 => draw(&mut random, scale * 1e-4),
                3 => (0..count).map(|j| if j == k % count { scale } else { 0.0 }).collect(),
                _ => draw(&mut random, scale),
            };
            waypoints.push(last.iter().zip(&step).map(|(a, b)| a + b).collect());
        }
        let limit =
            |random: &mut Random, low: f64, high: f64| (0..count).map(|_| random.range(low, high)).collect();
        let mut limits = MotionLimits::new(limit(&mut random, 0.5, 3.0), limit(&mut random, 1.0, 20.0));
        if case % 2 == 1 {
            limits.jerk = Some(limit(&mut random, 100.0, 9000.0));
        }
        let moved = waypoints[1..].iter().any(|waypoint| *waypoint != waypoints[0]);
        if !moved {
            continue;
        }
        let found = proven(timed(&checker, &waypoints, &limits, &Options::default()).unwrap());
        assert_within(&found, &limits);
        assert_rests_at_ends(&found, &waypoints);
        let again = proven(timed(&checker, &waypoints, &limits, &Options::default()).unwrap());
        assert_eq!(found, again);
        // With a stop at every waypoint it takes longer, but for the roundings of short pieces.
        let stops: f64 = waypoints
            .windows(2)
            .filter(|edge| edge[0] != edge[1])
            .map(|edge| proven(timed(&checker, edge, &limits, &Options::default()).unwrap()).duration())
            .sum();
        assert!(found.duration() <= stops * (1.0 + 1e-3), "{case}: {} instead of {stops}", found.duration());
        total += 1;
        faster += usize::from(found.duration() < 0.9 * stops);
        cuts += usize::from(found.stops == 0);
    }
    assert!(total > 250 && faster > 150 && cuts > 250, "{total} {faster} {cuts}");
}

/// A second to accelerate, 3 seconds, a second to turn from east to north, 3 seconds, and a second to brake.
#[test]
fn least_times() {
    let free = plane(vec![]);
    let found = proven(timed(&free, &path(&ANGLE), &unit(), &Options::default()).unwrap());
    assert!(found.duration() >= 9.0 && found.duration() < 9.0 + 1e-6, "{}", found.duration());
    assert_eq!((found.times.len(), found.stops), (6, 0));
    // The parabola takes half a metre of each edge, and is nearest to the corner in the middle.
    assert!((position(&found, found.duration() / 2.0) - dvec3(3.875, 0.125, 0.0)).length() < 1e-6);
    // A limit of jerk of 10 makes it 2 / 10 seconds longer.
    let limits = {
        let mut limits = unit();
        limits.jerk = Some(vec![10.0; 2]);
        limits
    };
    let found = proven(timed(&free, &path(&ANGLE), &limits, &Options::default()).unwrap());
    assert!(found.duration() >= 9.2 && found.duration() < 9.2 + 1e-6, "{}", found.duration());
    assert_within(&found, &limits);
    // A waypoint on the way changes nothing, and neither does one that is given twice.
    let more = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [4.0, 0.0], [4.0, 4.0]];
    let found = proven(timed(&free, &path(&more), &unit(), &Options::default()).unwrap());
    assert!(found.duration() >= 9.0 && found.duration() < 9.0 + 1e-6, "{}", found.duration());
}

/// Fast joints cut the corner widely, and touch a post beside it. They cut it less until they do not.
#[test]
fn a_blend_that_touches_is_made_tighter() {
    let fast = MotionLimits::new(vec![10.0; 2], vec![2.0; 2]);
    let wide = proven(timed(&plane(vec![]), &path(&ANGLE), &fast, &Options::default()).unwrap());
    let center = dvec3(2.9, 1.1, 0.0);
    assert!(sampled(&wide, |_| center) < 0.9);
    let checker = plane(vec![post("post", 0.5, center)]);
    let tight = proven(timed(&checker, &path(&ANGLE), &fast, &Options::default()).unwrap());
    assert!(sampled(&tight, |_| center) > 1.0);
    assert_eq!(tight.stops, 0);
    assert!(tight.checks > tight.times.len() - 1 && tight.duration() > wide.duration());
    assert_within(&tight, &fast);
    // The checker proves the returned trajectory, and the rows build it again.
    let report = checker.check_trajectory(&tight.trajectory, &Options::default(), |_| ()).unwrap();
    assert_eq!(report.answer, Answer::Free);
    let again =
        Trajectory::cubic(checker.robot(), &tight.times, &tight.waypoints, &tight.velocities).unwrap();
    assert_eq!(again, tight.trajectory);
    // The separation to keep counts: the edges pass the post at a distance of 1.1 of the centres.
    let options = Options { min_separation: 0.0999, ..Options::default() };
    let found = proven(timed(&checker, &path(&ANGLE), &fast, &options).unwrap());
    assert!(sampled(&found, |_| center) > 1.0999 && found.duration() >= tight.duration());
    let options = Options { min_separation: 0.11, ..Options::default() };
    let outcome = timed(&checker, &path(&ANGLE), &fast, &options).unwrap();
    let TimedOutcome::NotProven { answer: Answer::Touch(_), time, is_interrupted: false, .. } = outcome
    else {
        panic!("{outcome:?}")
    };
    // It comes within 0.11 of the post before it reaches x = 2.9, from rest at an acceleration of 2 on half of the way.
    assert!(time > 1.0 && time < 2.0, "{time}");
}

/// A ball with a radius of 1e-5 goes around the corner of a box at a distance of 2e-6: there is no room for a blend,
/// and it stops.
#[test]
fn a_blend_that_does_not_fit_is_a_stop() {
    let gap = 1.2e-5;
    let center = dvec3(4.0 - gap - 1.0, gap + 1.0, 0.0);
    let block = Body::new("block", Cuboid::new(DVec3::splat(2.0)).unwrap(), Motion::fixed(at(center)));
    let checker = Checker::new(slider(2, 1e-5), Pose::IDENTITY, vec![block]).unwrap();
    for jerk in [None, Some(vec![50.0; 2])] {
        let limits = {
            let mut limits = unit();
            limits.jerk.clone_from(&jerk);
            limits
        };
        let found = proven(timed(&checker, &path(&ANGLE), &limits, &Options::default()).unwrap());
        assert_eq!(found.stops, 1);
        assert!(found.waypoints.contains(&vec![4.0, 0.0]));
        // Each half takes 5 seconds, and 2 / 50 with the limit of jerk.
        let duration = 10.0 + jerk.as_ref().map_or(0.0, |_| 0.08);
        assert!((found.duration() - duration).abs() < 1e-6, "{}", found.duration());
        assert_within(&found, &limits);
        assert_rests_at_ends(&found, &path(&ANGLE));
    }
}

/// A spline through the waypoints of a proven path dips below the first edge and touches a post there. Ours is free.
#[test]
fn a_spline_through_the_waypoints_touches_and_ours_does_not() {
    let center = dvec3(3.2, -1.1, 0.0);
    let checker = plane(vec![post("post", 0.5, center)]);
    let waypoints = path(&ANGLE);
    assert_eq!(checker.check_path(&waypoints, &Options::default(), |_| ()).unwrap().answer, Answer::Free);
    let spline = Trajectory::spline(checker.robot(), &[0.0, 4.0, 8.0], &waypoints).unwrap();
    let report = checker.check_trajectory(&spline, &Options::default(), |_| ()).unwrap();
    assert!(matches!(report.answer, Answer::Touch(_)));
    let found = proven(timed(&checker, &waypoints, &unit(), &Options::default()).unwrap());
    assert!(sampled(&found, |_| center) > 1.0);
    assert!(found.duration() < 9.0 + 1e-6);
}

/// A ball goes through the corner of the path, on the clock of the robot.
#[test]
fn obstacles_move_on_the_same_clock() {
    let from_to = |from: DVec3, to: DVec3| {
        Body::new("cart", Sphere::new(0.5).unwrap(), Motion::linear(at(from), at(to)))
    };
    let limits = {
        let mut limits = unit();
        limits.clock = Some(10.0);
        limits
    };
    // It is at the corner at the time 1.
    let (from, to) = (dvec3(4.0, -1.0, 0.0), dvec3(4.0, 9.0, 0.0));
    let checker = plane(vec![from_to(from, to)]);
    let found = proven(timed(&checker, &path(&ANGLE), &limits, &Options::default()).unwrap());
    assert!(sampled(&found, |time| from.lerp(to, time / 10.0)) > 1.0);
    assert!((found.trajectory.span(found.times.len() - 2)[1] - 0.9).abs() < 1e-6);
    assert_within(&found, &limits);
    // Three metres behind, it meets the robot at the corner, also if that stops there.
    let late = plane(vec![from_to(from - DVec3::Y * 3.0, to - DVec3::Y * 3.0)]);
    let outcome = timed(&late, &path(&ANGLE), &limits, &Options::default()).unwrap();
    let TimedOutcome::NotProven { answer: Answer::Touch(_), time, .. } = outcome else {
        panic!("{outcome:?}")
    };
    assert!(time > 2.0 && time < 5.0, "{time}");
    // A cart near the inner side of the corner that only a wide turn touches, at the time at which the robot is there.
    let fast = {
        let mut fast = MotionLimits::new(vec![10.0; 2], vec![2.0; 2]);
        fast.clock = Some(10.0);
        fast
    };
    let (from, to) = (dvec3(2.9, 1.31, 0.0), dvec3(2.9, 0.31, 0.0));
    let beside = plane(vec![from_to(from, to)]);
    let wide = proven(timed(&plane(vec![]), &path(&ANGLE), &fast, &Options::default()).unwrap());
    assert!(sampled(&wide, |time| from.lerp(to, time / 10.0)) < 1.0);
    let found = proven(timed(&beside, &path(&ANGLE), &fast, &Options::default()).unwrap());
    assert!(sampled(&found, |time| from.lerp(to, time / 10.0)) > 1.0);
    assert!(found.duration() > wide.duration());
    // Limits must have a clock, and it must not end before the robot does.
    let no_clock = timed(&checker, &path(&ANGLE), &unit(), &Options::default());
    assert!(matches!(no_clock, Err(Error::Unsupported { what }) if what.contains("\"cart\"")));
    let short = {
        let mut short = unit();
        short.clock = Some(8.0);
        short
    };
    let short = timed(&checker, &path(&ANGLE), &short, &Options::default());
    assert!(matches!(short, Err(Error::OutOfRange { value, .. }) if value > 9.0 && value < 9.1));
}

/// Planned paths around a post: the plan and its trajectory are free, in time and in space.
#[test]
fn planned_paths() {
    let center = dvec3(0.0, 0.5, 0.0);
    let checker = plane(vec![post("post", 1.5, center)]);
    let mut cuts = 0;
    for seed in 0..20 {
        let options = PlanOptions { seed, ..PlanOptions::default() };
        let outcome = plan(&checker, &[-5.0, 0.0], &[5.0, 0.0], &options, &PlanControl::default()).unwrap();
        let Outcome::Found(plan) = outcome else { panic!("{outcome:?}") };
        let limits = MotionLimits::new(vec![2.0, 1.0], vec![3.0, 5.0]);
        let found = proven(plan.timed(&checker, &limits, &Options::default()).unwrap());
        assert_within(&found, &limits);
        assert_rests_at_ends(&found, &plan.waypoints);
        assert!(sampled(&found, |_| center) > 2.0);
        cuts += plan.waypoints.len() - 2 - found.stops;
    }
    assert!(cuts >= 20, "{cuts}");
}

#[test]
fn what_is_refused() {
    let free = plane(vec![]);
    let ask = |waypoints: &[[f64; 2]], limits: &MotionLimits| {
        timed(&free, &path(waypoints), limits, &Options::default()).unwrap_err().to_string()
    };
    for (limits, says) in [
        (MotionLimits::new(vec![1.0], vec![1.0; 2]), "number of limits of velocity must be one per variable"),
        (MotionLimits::new(vec![1.0; 2], vec![]), "number of limits of acceleration must be"),
        (MotionLimits::new(vec![1.0, 0.0], vec![1.0; 2]), "limit of velocity of variable 1 must be positive"),
        (
            MotionLimits::new(vec![1.0; 2], vec![f64::NAN, 1.0]),
            "limit of acceleration of variable 0 is not finite",
        ),
        (
            {
                let mut limits = unit();
                limits.jerk = Some(vec![-1.0; 2]);
                limits
            },
            "limit of jerk of variable 0 must",
        ),
        (
            {
                let mut limits = unit();
                limits.clock = Some(0.0);
                limits
            },
            "clock of the obstacles must be positive",
        ),
    ] {
        let error = ask(&ANGLE, &limits);
        assert!(error.starts_with(says), "{error}");
    }
    for still in [&[][..], &[[1.0, 2.0]], &[[1.0, 2.0]; 3]] {
        assert!(ask(still, &unit()).contains("does not move"), "{}", ask(still, &unit()));
    }
    assert!(ask(&[[0.0, 0.0], [f64::NAN, 0.0]], &unit()).contains("not finite"));
    // Far out, the waypoints are coarser than the way between them.
    let far = [[1e15, 0.0], [1e15 + 0.125, 0.0], [1e15 + 0.25, 0.5]];
    match timed(&free, &path(&far), &unit(), &Options::default()) {
        Ok(found) => assert_within(&proven(found), &unit()),
        Err(error) => assert!(error.to_string().contains("too short for its limits"), "{error}"),
    }
    // An interrupt ends the proof, and nothing is returned as proven.
    let interrupt = Interrupt::default();
    interrupt.raise();
    let control = firsttouch::Control { interrupt: Some(&interrupt), progress: None };
    let options = Options::default();
    let ask = firsttouch::Ask::from(&options).control(&control);
    let posts = plane(vec![post("post", 0.5, dvec3(2.9, 1.1, 0.0))]);
    let outcome = timed(&posts, &path(&ANGLE), &unit(), ask).unwrap();
    assert!(matches!(outcome, TimedOutcome::NotProven { is_interrupted: true, .. }), "{outcome:?}");
}
