//! Turns, paths, splines and motions in moving frames in queries: against dense sampling with bodies of every kind, and
//! the laws that relate them to each other.

use crate::mixed_bodies;
use crate::random;

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

use firsttouch::motion::{By, Leg, Motion, Path, Pose, RigidMotion, Spline, Turn, Window};
use firsttouch::shape::{Cuboid, Ellipsoid, Shape, Sphere};
use firsttouch::{Answer, Body, Mode, Options, Scene, Start, first_touch};
use glam::{DMat3, DQuat, DVec3};
use mixed_bodies::{KINDS, Kind, add, cells, distance, mesh, solid};
use random::Random;

const MOTIONS: [&str; 4] = ["turn", "path", "spline", "within"];

/// Returns a motion of one kind from about one place to about another.
fn motion(random: &mut Random, kind: &str, from: DVec3, to: DVec3) -> Motion {
    match kind {
        "turn" => {
            // About an axis somewhere between the two, by up to two turns.
            let pose = random.pose_near(from, 0.5);
            let center = 0.5 * (from + to) + random.vector(0.5);
            let axis = DVec3::Z + random.vector(0.5);
            Motion::turn(pose, axis, center, random.range(-2.0, 2.0) * TAU).unwrap()
        }
        "path" => {
            let start = random.pose_near(from, 0.5);
            let middle = random.pose_near(from.lerp(to, 0.4), 0.5);
            let turn = By::Turn {
                axis: random.vector(1.0),
                point: middle.translation() + random.vector(0.5),
                angle: random.range(-4.0, 4.0),
            };
            let legs = [
                Leg { until: 1.0, by: By::Screw(middle) },
                Leg { until: 1.0 + random.range(0.1, 0.9), by: turn },
                Leg { until: 2.2, by: By::Hold },
                Leg { until: 3.5, by: By::Linear(random.pose_near(to, 0.5)) },
            ];
            Path::new(start, &legs, 3.5 + random.range(0.0, 1.0)).unwrap().into()
        }
        "spline" => {
            let frames: Vec<(f64, Pose)> = (0..4)
                .map(|k| {
                    let part = f64::from(k) / 3.0;
                    (part + random.range(0.0, 0.2), random.pose_near(from.lerp(to, part), 0.5))
                })
                .collect();
            Spline::new(&frames).unwrap().into()
        }
        _ => {
            let turn = random.range(-3.0, 3.0);
            let frame = Motion::turn(
                random.pose_near(DVec3::ZERO, 0.3),
                random.vector(1.0),
                random.vector(1.0),
                turn,
            );
            let kind = ["turn", "path", "spline"][(random.next() % 3) as usize];
            let inner = motion(random, kind, from, to);
            inner.within(&frame.unwrap())
        }
    }
}

fn shape(random: &mut Random, n: usize) -> Shape {
    match n % 3 {
        0 => solid(random, 0.6),
        1 => Ellipsoid::new(DVec3::new(0.5, 0.3, 0.4)).unwrap().into(),
        _ => mesh(random, 0.6).into(),
    }
}

/// No body is closer than the separation before `free_until`, and the gap is within the tolerance at the touch.
fn judge(scene: &Scene, other: usize, answer: &Answer, options: &Options, what: &str) {
    let at = |t: f64| distance(&cells(scene, 0, t), &cells(scene, other, t));
    let free_until = answer.free_until(1.0);
    let count = 60;
    for i in 0..count {
        let t = f64::from(i) / f64::from(count);
        if t < free_until || *answer == Answer::Free {
            let d = at(t) - options.min_separation;
            assert!(d > 1e-12, "{what}: at {t} they are {d} apart, but {answer:?}");
        }
    }
    if let Some(touch) = answer.touch() {
        let gap = at(touch.toi) - options.min_separation;
        assert!(gap <= options.tolerance * (1.0 + 1e-6), "{what}: gap {gap} at {}", touch.toi);
    }
    assert!(!matches!(answer, Answer::Undecided { .. }), "{what}: {answer:?}");
}

#[test]
fn every_motion_against_every_kind_of_body() {
    let mut random = Random(1601);
    let mut hits: BTreeMap<(&str, Kind), [usize; 2]> = BTreeMap::new();
    for kind in MOTIONS {
        for other in KINDS {
            for n in 0..30 {
                let (start, end) = (DVec3::new(-2.0, 0.0, 0.0), DVec3::new(0.9, 0.0, 0.0));
                let mut scene = Scene::default();
                let body = Body::new("left", shape(&mut random, n), motion(&mut random, kind, start, end));
                scene.add(body).unwrap();
                let aside =
                    DVec3::Y * if n % 2 == 0 { random.range(0.0, 0.6) } else { random.range(0.5, 4.5) };
                add(&mut scene, &mut random, "right", other, -start + aside, -end + aside);
                let min_separation = if n % 3 == 0 { 0.05 } else { 0.0 };
                let options = Options { min_separation, ..Options::default() };
                let what = format!("{kind} and {other:?}, {n}");
                let answer = scene.check(&options).unwrap().answer;
                judge(&scene, scene.index_of("right").unwrap(), &answer, &options, &what);
                hits.entry((kind, other)).or_default()[usize::from(answer != Answer::Free)] += 1;
                if n % 4 == 0 {
                    let any = scene.check(&Options { mode: Mode::Any, ..options }).unwrap().answer;
                    assert_eq!(any == Answer::Free, answer == Answer::Free, "{what}");
                }
            }
        }
    }
    for (pair, [misses, hits]) in hits {
        assert!(misses >= 2 && hits >= 2, "{pair:?}: {misses} free, {hits} touching");
    }
}

#[test]
fn every_motion_against_every_other() {
    let mut random = Random(1602);
    let mut hits = [0, 0];
    for one in MOTIONS {
        for other in MOTIONS {
            for n in 0..12 {
                let (start, end) = (DVec3::new(-2.0, 0.0, 0.0), DVec3::new(0.9, 0.0, 0.0));
                let aside =
                    DVec3::Y * if n % 2 == 0 { random.range(0.0, 0.6) } else { random.range(0.5, 4.0) };
                let mut scene = Scene::default();
                let left = motion(&mut random, one, start, end);
                let right = motion(&mut random, other, -start + aside, -end + aside);
                scene.add(Body::new("left", shape(&mut random, n), left)).unwrap();
                scene.add(Body::new("right", shape(&mut random, n / 3), right)).unwrap();
                let options = Options::default();
                let answer = scene.check(&options).unwrap().answer;
                judge(&scene, 1, &answer, &options, &format!("{one} and {other}, {n}"));
                hits[usize::from(answer != Answer::Free)] += 1;
                // If there is no touch at the start, leaving out such contacts changes nothing. Then time is not cut at
                // kinks.
                if !matches!(answer, Answer::TouchingAtStart(_)) {
                    let ignoring = Options { start: Start::Ignore, ..options };
                    let other = scene.check(&ignoring).unwrap().answer;
                    let what = format!("{one} and {other:?}, {n}: {answer:?}");
                    assert!((other.free_until(1.0) - answer.free_until(1.0)).abs() < 1e-4, "{what}");
                }
            }
        }
    }
    assert!(hits[0] > 40 && hits[1] > 40, "{hits:?}");
}

fn toi(answer: &Answer) -> Option<f64> {
    answer.touch().map(|touch| touch.toi)
}

/// Touch times of two queries that should agree: both within the tolerance of the same contact. The speed of approach
/// decides how far apart in time they may be; a grazing contact makes it small.
fn assert_same(a: &Answer, b: &Answer, what: &str) {
    match (toi(a), toi(b)) {
        (None, None) => {}
        (Some(a), Some(b)) => assert!((a - b).abs() < 1e-4, "{what}: {a} and {b}"),
        _ => panic!("{what}: {a:?} and {b:?}"),
    }
}

/// A path of two legs is two queries, one for each leg, the second only if the first is free.
#[test]
fn a_path_of_two_legs_is_two_queries() {
    let mut random = Random(1603);
    let mut found = [0, 0, 0];
    for n in 0..120 {
        let [a, b, c] = [-2.0, 0.3, 2.0].map(|x| random.pose_near(DVec3::X * x, 0.7));
        let by = |to: Pose| if n % 2 == 0 { By::Linear(to) } else { By::Screw(to) };
        let single = |from: Pose, to: Pose| {
            if n % 2 == 0 { Motion::linear(from, to) } else { Motion::screw(from, to) }
        };
        let legs = [Leg { until: 3.0, by: by(b) }, Leg { until: 4.0, by: by(c) }];
        let path = Motion::from(Path::new(a, &legs, 4.0).unwrap());
        let (moving, resting) = (shape(&mut random, n), shape(&mut random, n / 3));
        let rest = Motion::fixed(random.pose_near(DVec3::new(0.6, 1.2, 0.0), 0.5));
        let query =
            |motion: &Motion| first_touch((&moving, motion), (&resting, &rest), &Options::default()).unwrap();
        let whole = query(&path);
        let (first, second) = (query(&single(a, b)), query(&single(b, c)));
        let expected = match (toi(&first), toi(&second)) {
            (Some(t), _) => Some(0.75 * t),
            (None, Some(t)) => Some(0.75 + 0.25 * t),
            (None, None) => None,
        };
        match (toi(&whole), expected) {
            (None, None) => found[0] += 1,
            (Some(t), Some(expected)) => {
                assert!((t - expected).abs() < 1e-4, "{n}: {t} and {expected}");
                found[if t < 0.75 { 1 } else { 2 }] += 1;
            }
            _ => panic!("{n}: {whole:?}, but {first:?} and {second:?}"),
        }
    }
    assert!(found.iter().all(|&count| count > 10), "free, in the first, in the second: {found:?}");
}

/// A full turn is two halves, one after the other.
#[test]
fn a_full_turn_is_two_half_turns() {
    let mut random = Random(1604);
    let mut found = [0, 0, 0];
    for n in 0..120 {
        let (from, axis) = (random.pose_near(DVec3::X * 1.5, 0.4), DVec3::Z + random.vector(0.4));
        let point = random.vector(0.3);
        let whole = Motion::turn(from, axis, point, TAU).unwrap();
        let half = By::Turn { axis, point, angle: PI };
        let legs = [Leg { until: 0.5, by: half.clone() }, Leg { until: 1.0, by: half }];
        let halves = Motion::from(Path::new(from, &legs, 1.0).unwrap());
        let (moving, resting) = (shape(&mut random, n), shape(&mut random, n / 3));
        // Somewhere on the way, or beside it.
        let (sine, cosine) = random.range(1.0, TAU - 1.0).sin_cos();
        let rest = Motion::fixed(random.pose_near(DVec3::new(cosine, sine, 0.0) * 1.6, 1.0));
        let query =
            |motion: &Motion| first_touch((&moving, motion), (&resting, &rest), &Options::default()).unwrap();
        let (one, two) = (query(&whole), query(&halves));
        assert_same(&one, &two, &format!("{n}"));
        found[toi(&one).map_or(0, |t| if t < 0.5 { 1 } else { 2 })] += 1;
    }
    assert!(
        found[0] > 10 && found[1] > 10 && found[2] > 3,
        "free, in the first half, in the second: {found:?}"
    );
}

/// A spline through equal steps is the linear motion, in position and in orientation, also of a body that turns by more
/// than half a turn.
#[test]
fn a_spline_through_equal_steps_is_linear() {
    let mut random = Random(1605);
    for _ in 0..50 {
        let (from, step) = (random.pose_near(DVec3::ZERO, 2.0), random.vector(1.0));
        let axis = random.vector(1.0).normalize();
        let angle = random.range(0.0, 1.0);
        let frame = |k: f64| {
            let q = DQuat::from_axis_angle(axis, angle * k) * from.rotation();
            Pose::new(from.translation() + step * k, q).unwrap()
        };
        let frames: Vec<_> = (0..5).map(|k| (f64::from(k) * 0.7, frame(f64::from(k)))).collect();
        let spline = Spline::new(&frames).unwrap();
        let linear = if 4.0 * angle < 3.0 { Motion::linear(frame(0.0), frame(4.0)) } else { continue };
        for k in 0..=50 {
            let t = f64::from(k) / 50.0;
            let (a, b) = (spline.pose_at(t), linear.pose_at(t));
            assert!((a.translation - b.translation).length() < 1e-13);
            assert!((a.rotation - b.rotation).abs_diff_eq(DMat3::ZERO, 1e-13), "{t}");
        }
        let window = Window::new(0.0, 1.0).unwrap();
        let bounds = spline.velocity_bounds(window);
        assert!(bounds.origin_radius < 1e-11 && bounds.angular_radius < 1e-11 * (1.0 + angle), "{bounds:?}");
    }
}

/// A parent at rest at the origin changes nothing at all; one elsewhere moves the whole scene, which leaves the times
/// alone.
#[test]
fn a_parent_at_rest_changes_nothing() {
    let mut random = Random(1606);
    let mut found = [0, 0];
    for n in 0..60 {
        let kind = MOTIONS[n % 4];
        let moving = motion(&mut random, kind, DVec3::X * -2.0, DVec3::X);
        assert_eq!(moving.within(&Motion::AT_REST), moving);
        let aside = random.range(0.0, 2.5);
        let rest = Motion::fixed(random.pose_near(DVec3::new(1.2, aside, 0.0), 0.3));
        let elsewhere = Motion::fixed(random.pose_near(DVec3::ZERO, 3.0));
        let (a, b) = (shape(&mut random, n), shape(&mut random, n / 3));
        let query = |moving: &Motion, rest: &Motion| {
            first_touch((&a, moving), (&b, rest), &Options::default()).unwrap()
        };
        let here = query(&moving, &rest);
        let there = query(&moving.within(&elsewhere), &rest.within(&elsewhere));
        assert_same(&here, &there, kind);
        found[usize::from(toi(&here).is_some())] += 1;
    }
    assert!(found[0] > 10 && found[1] > 10, "{found:?}");
}

/// A wheel rolls: a turn within a frame that moves straight. The point that touches the ground at the start comes back
/// to it after a turn, at the circumference, and its speed there is zero.
#[test]
fn a_wheel_rolls() {
    let radius = 0.5;
    let way = TAU * radius;
    let center = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, radius)).unwrap();
    let hub = Motion::linear(center(0.0), center(way));
    let spin = Motion::turn(Pose::IDENTITY, DVec3::Y, DVec3::ZERO, TAU).unwrap();
    let wheel = spin.within(&hub);
    let foot = |t: f64| wheel.pose_at(t).apply(DVec3::Z * -radius);
    assert!((foot(1.0) - DVec3::X * way).length() < 1e-15);
    assert!((foot(0.5) - DVec3::new(0.5 * way, 0.0, 2.0 * radius)).length() < 1e-15);
    let window = Window::new(0.999, 1.0).unwrap();
    let bounds = wheel.velocity_bounds(window);
    assert!(bounds.center.of(DVec3::Z * -radius).length() < 0.02);
    // The acceleration of every point of the rim is that of a circle; the bound ignores directions and allows no more.
    let acceleration = wheel.acceleration(radius, window);
    assert!((acceleration - TAU * TAU * radius).abs() < 1e-9, "{acceleration}");
}

/// A door of the width 1 opens by a quarter turn and then slides along the wall. A post stands where only the slide
/// reaches.
#[test]
fn a_door_that_opens_and_slides() {
    let door = Cuboid::new(DVec3::new(1.0, 0.05, 2.0)).unwrap().into();
    let closed = Pose::from_translation(DVec3::X * 0.5).unwrap();
    let (axis, point, angle) = (DVec3::Z, DVec3::ZERO, FRAC_PI_2);
    let open = Turn::new(closed, axis, point, angle).unwrap().end();
    let aside = Pose::new(open.translation() - DVec3::X * 2.0, open.rotation()).unwrap();
    let legs = [
        Leg { until: 1.0, by: By::Turn { axis, point, angle } },
        Leg { until: 3.0, by: By::Linear(aside) },
        Leg { until: 4.0, by: By::Hold },
    ];
    let motion = Motion::from(Path::new(closed, &legs, 4.0).unwrap());
    let post = |x: f64, y: f64| Motion::fixed(Pose::from_translation(DVec3::new(x, y, 0.0)).unwrap());
    let ball = Sphere::new(0.1).unwrap().into();
    let query = |post: &Motion| first_touch((&door, &motion), (&ball, post), &Options::default()).unwrap();
    // Behind the hinge: the door, 0.025 to either side of its plane, meets the ball of radius 0.1 when its plane is
    // 0.125 away, after 0.875 of the slide of 2 in 2 units of time: at 1.875 of 4.
    let Answer::Touch(touch) = query(&post(-1.0, 0.5)) else { panic!() };
    assert!(touch.toi <= 1.875 / 4.0 && touch.toi > 1.875 / 4.0 - 1e-5, "{}", touch.toi);
    // In the way of the turn: at 45 degrees, less the angle under which the ball and half the door are seen.
    let Answer::Touch(touch) = query(&post(0.5, 0.5)) else { panic!() };
    let seen = (0.125_f64 / 0.5_f64.sqrt()).asin();
    let expected = (PI / 4.0 - seen) / FRAC_PI_2 / 4.0;
    assert!(touch.toi <= expected && touch.toi > expected - 1e-5, "{} {expected}", touch.toi);
    // Out of reach of both.
    assert_eq!(query(&post(1.0, 1.0)), Answer::Free);
    assert_eq!(query(&post(-2.7, 0.5)), Answer::Free);
}

/// A full turn written as `rpy = [0, 0, 6.283]` of a linear motion is no motion, and used to be free without a warning.
/// As a `turn` it touches the bodies that the arm sweeps over.
#[test]
fn a_full_turn_touches() {
    let arm: Shape = Cuboid::new(DVec3::new(2.0, 0.1, 0.1)).unwrap().into();
    let start = Pose::from_translation(DVec3::X).unwrap();
    let post = Motion::fixed(Pose::from_translation(DVec3::new(0.0, -1.0, 0.0)).unwrap());
    let ball: Shape = Sphere::new(0.1).unwrap().into();
    let turn = Motion::turn(start, DVec3::Z, DVec3::ZERO, TAU).unwrap();
    let answer = first_touch((&arm, &turn), (&ball, &post), &Options::default()).unwrap();
    let Answer::Touch(touch) = answer else { panic!("{answer:?}") };
    // The side of the arm, 0.05 from its middle, meets the ball 0.15 before three quarters of a turn.
    let expected = 0.75 - 0.15_f64.asin() / TAU;
    assert!(touch.toi <= expected && touch.toi > expected - 1e-5, "{} {expected}", touch.toi);
    // The same backwards, and twice around.
    let back = Motion::turn(start, -DVec3::Z, DVec3::ZERO, 2.0 * TAU).unwrap();
    let Answer::Touch(touch) = first_touch((&arm, &back), (&ball, &post), &Options::default()).unwrap()
    else {
        panic!()
    };
    let expected = (0.25 - 0.15_f64.asin() / TAU) / 2.0;
    assert!(touch.toi <= expected && touch.toi > expected - 1e-5, "{} {expected}", touch.toi);
}

/// Two hundred legs are one query, and the touch on the last of them is found.
#[test]
fn a_long_path_is_one_query() {
    let mut random = Random(1607);
    let ball: Shape = Sphere::new(0.1).unwrap().into();
    let mut legs: Vec<Leg> = (1..200)
        .map(|k| Leg { until: f64::from(k), by: By::Linear(random.pose_near(DVec3::Z * 2.0, 1.0)) })
        .collect();
    legs.push(Leg { until: 200.0, by: By::Linear(Pose::IDENTITY) });
    let path = Motion::from(Path::new(random.pose_near(DVec3::Z * 2.0, 1.0), &legs, 200.0).unwrap());
    assert_eq!(path.kinks().count(), 199);
    let mut scene = Scene::default();
    scene.add(Body::new("ball", ball.clone(), path)).unwrap();
    scene.add(Body::new("goal", ball, Motion::AT_REST)).unwrap();
    let report = scene.check(&Options::default()).unwrap().over(200.0);
    let toi = toi(&report.answer).unwrap();
    assert!(toi > 199.0 && toi < 200.0, "{toi}");
}
