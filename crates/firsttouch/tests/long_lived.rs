//! Long-lived scenes: bodies that move, change and are removed, shared shapes, and queries that are interrupted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use firsttouch::articulated::{Robot, RobotStep};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Mesh, Shape, Sphere};
use firsttouch::{Answer, Ask, Body, Control, Interrupt, Mode, Options, Progress, Report, Scene};
use glam::{DVec3, dvec3};

fn at(x: f64, y: f64) -> Pose {
    Pose::from_translation(dvec3(x, y, 0.0)).unwrap()
}

fn ball(name: impl Into<String>, motion: Motion) -> Body {
    Body::new(name, Sphere::new(0.5).unwrap(), motion)
}

/// Returns a row of balls at rest along x, and balls that fall onto some of them at different times.
fn row(order: impl Iterator<Item = usize>) -> Scene {
    let mut scene = Scene::default();
    for k in order {
        let x = 3.0 * k as f64;
        scene.add(ball(format!("resting {k}"), Motion::fixed(at(x, 0.0)))).unwrap();
        if k % 5 == 0 {
            let falling = Motion::linear(at(x, 3.0 + 0.1 * k as f64), at(x, 0.0));
            scene.add(ball(format!("falling {k}"), falling)).unwrap();
        }
    }
    scene
}

fn answers(scene: &Scene) -> Vec<Report> {
    [Mode::First, Mode::Any, Mode::All]
        .map(|mode| scene.check(&Options { mode, ..Options::default() }).unwrap())
        .into()
}

/// The time to add bodies grew with the square of their number: every name was compared with all earlier ones. This
/// many would take minutes that way.
#[test]
fn many_bodies_are_added_by_name() {
    let mut scene = Scene::default();
    for k in 0..100_000 {
        scene.add(ball(format!("body {k}"), Motion::fixed(Pose::IDENTITY))).unwrap();
    }
    assert_eq!(scene.index_of("body 77777"), Some(77_777));
    assert!(scene.add(ball("body 5", Motion::fixed(Pose::IDENTITY))).is_err());
}

/// A few names are compared one after the other, and many are in a table. A scene may grow and shrink over the limit
/// between the two: every name leads to its body all the time, and a scene equals one that was made at once.
#[test]
fn names_are_found_while_a_scene_grows_and_shrinks() {
    let mut scene = Scene::default();
    let add = |scene: &mut Scene, k: usize| scene.add(ball(format!("{k}"), Motion::fixed(at(0.0, 0.0))));
    let are_found = |scene: &Scene| {
        scene.bodies().iter().enumerate().all(|(k, body)| scene.index_of(body.name()) == Some(k))
    };
    for k in 0..20 {
        add(&mut scene, k).unwrap();
        assert!(are_found(&scene) && scene.index_of("none").is_none());
        assert!(add(&mut scene, k / 2).is_err());
    }
    for k in (0..20).filter(|k| k % 4 != 0) {
        scene.remove(&k.to_string()).unwrap();
        assert!(are_found(&scene) && scene.index_of(&k.to_string()).is_none());
    }
    let mut at_once = Scene::default();
    for k in (0..20).step_by(4) {
        add(&mut at_once, k).unwrap();
    }
    assert_eq!(scene, at_once);
    for k in (0..20).filter(|k| k % 4 != 0) {
        add(&mut scene, k).unwrap();
        assert!(are_found(&scene));
    }
}

/// A changed scene answers like one that is built from scratch.
#[test]
fn a_changed_scene_answers_as_a_new_one() {
    let mut scene = row(0..40);
    scene.allow("falling 5", "resting 5").unwrap();
    scene.keep_apart("falling 10", "resting 10", 0.25).unwrap();
    // At first everything is elsewhere and different, then as above.
    for k in 0..40 {
        scene.set_pose(&format!("resting {k}"), at(-1000.0 - 3.0 * k as f64, 0.0)).unwrap();
        scene.replace_shape(&format!("resting {k}"), Cuboid::new(DVec3::ONE).unwrap()).unwrap();
    }
    assert!(answers(&scene).iter().all(|report| report.answer == Answer::Free));
    for k in 0..40 {
        scene.set_motion(&format!("resting {k}"), Motion::fixed(at(3.0 * k as f64, 0.0))).unwrap();
        scene.replace_shape(&format!("resting {k}"), Sphere::new(0.5).unwrap()).unwrap();
    }
    let mut expected = row(0..40);
    expected.allow("falling 5", "resting 5").unwrap();
    expected.keep_apart("falling 10", "resting 10", 0.25).unwrap();
    assert_eq!(scene, expected);
    assert_eq!(answers(&scene), answers(&expected));
}

/// Removing a body keeps the names, the allowed pairs and the separations of all others.
#[test]
fn a_body_is_removed() {
    let mut scene = row(0..40);
    scene.allow("falling 5", "resting 5").unwrap();
    scene.keep_apart("falling 10", "resting 10", 0.25).unwrap();
    for k in [39, 0, 7, 20] {
        assert_eq!(scene.remove(&format!("resting {k}")).unwrap().name(), format!("resting {k}"));
    }
    assert!(scene.remove("resting 7").is_err());
    let mut expected = Scene::default();
    for body in row(0..40).bodies() {
        if !["resting 39", "resting 0", "resting 7", "resting 20"].contains(&body.name()) {
            expected.add(body.clone()).unwrap();
        }
    }
    expected.allow("falling 5", "resting 5").unwrap();
    expected.keep_apart("falling 10", "resting 10", 0.25).unwrap();
    assert_eq!(scene, expected);
    assert_eq!(answers(&scene), answers(&expected));
    assert!(scene.check(&Options::default()).unwrap().answer.touch().is_some());
    for (place, body) in scene.bodies().iter().enumerate() {
        assert_eq!(scene.index_of(body.name()), Some(place));
    }
}

/// Removing 1,000 of 32,000 bodies used to take seconds: every index in the scene was written again each time. Now
/// settings of pairs are kept by numbers that never change. After many random changes a scene must equal one that is
/// built at once from the remaining bodies. This covers its names, its settings, the robot that holds a body, its
/// answers and the order of its pairs.
#[test]
fn a_scene_after_many_changes_equals_a_new_one() {
    use std::collections::{BTreeMap, BTreeSet};
    let mut state = 7_u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    let body = |k: usize| {
        let x = 0.35 * (k % 17) as f64;
        ball(
            format!("body {k}"),
            Motion::linear(at(x, 0.2 * (k % 5) as f64), at(x, 3.0 - 0.1 * (k % 23) as f64)),
        )
    };
    let add_robot = |scene: &mut Scene| {
        let robot = Robot::new("stand", vec![("foot".into(), vec![])], vec![]).unwrap();
        let step = RobotStep::new(robot, at(2.0, 2.0), vec![], vec![]).unwrap();
        scene.add(Body::robot("stand", step)).unwrap();
        scene.attach("lamp", Sphere::new(0.2).unwrap(), "stand", "foot", Pose::IDENTITY, &[]).unwrap();
    };
    let key = |a: usize, b: usize| [a.min(b), a.max(b)];
    let mut scene = Scene::default();
    let mut present: Vec<usize> = Vec::new();
    let mut allowed: BTreeSet<[usize; 2]> = BTreeSet::new();
    let mut separations: BTreeMap<[usize; 2], f64> = BTreeMap::new();
    let (mut next, mut touching, mut robot_at) = (0, 0, None);
    for round in 0..600 {
        if round == 100 {
            add_robot(&mut scene);
            robot_at = Some(present.len());
        }
        // Grows to a few dozen, shrinks to a few, and grows again.
        let grows = if round % 200 < 100 { 70 } else { 30 };
        if present.len() < 2 || below(100) < grows {
            scene.add(body(next)).unwrap();
            present.push(next);
            next += 1;
        } else {
            let place = below(present.len());
            let gone = present.remove(place);
            assert_eq!(scene.remove(&format!("body {gone}")).unwrap(), body(gone));
            allowed.retain(|pair| !pair.contains(&gone));
            separations.retain(|pair, _| !pair.contains(&gone));
            robot_at = robot_at.map(|at| if place < at { at - 1 } else { at });
        }
        let (a, b) = (present[below(present.len())], present[below(present.len())]);
        if below(2) == 0 {
            scene.allow(&format!("body {a}"), &format!("body {b}")).unwrap();
            allowed.insert(key(a, b));
        } else {
            scene
                .keep_apart(&format!("body {b}"), &format!("body {a}"), 0.01 * round as f64 / 600.0)
                .unwrap();
            separations.insert(key(a, b), 0.01 * round as f64 / 600.0);
        }
        if round % 20 != 0 {
            continue;
        }
        let mut new = Scene::default();
        for (place, &k) in present.iter().enumerate() {
            if robot_at == Some(place) {
                add_robot(&mut new);
            }
            new.add(body(k)).unwrap();
        }
        if robot_at == Some(present.len()) {
            add_robot(&mut new);
        }
        for [a, b] in &allowed {
            new.allow(&format!("body {a}"), &format!("body {b}")).unwrap();
        }
        for ([a, b], separation) in &separations {
            new.keep_apart(&format!("body {a}"), &format!("body {b}"), *separation).unwrap();
        }
        assert_eq!(scene, new);
        assert_eq!(answers(&scene), answers(&new));
        touching += usize::from(scene.check(&Options::default()).unwrap().answer != Answer::Free);
        if robot_at.is_some() {
            assert!(scene.remove("stand").is_err() && scene.remove("lamp").is_err());
        }
    }
    assert!(touching >= 10, "touching in {touching} of 30 scenes");
}

/// Many bodies of one shape share it.
#[test]
fn shapes_are_shared() {
    let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    let mesh = Arc::new(mesh);
    let mut scene = Scene::default();
    for k in 0..1000 {
        let pose = at(3.0 * f64::from(k), 0.0);
        scene.add(Body::new(format!("{k}"), Arc::clone(&mesh), Motion::fixed(pose))).unwrap();
    }
    let copy = scene.clone();
    assert_eq!(Arc::strong_count(&mesh), 2001);
    let Some((Shape::Mesh(shared), _)) = copy.bodies()[7].as_rigid() else { panic!("it is a mesh") };
    assert!(Arc::ptr_eq(shared, &mesh));
}

/// An interrupted query returns the proof up to then: nothing if it had not started, and never more than the truth.
#[test]
fn an_interrupted_query_is_undecided() {
    // Long rods: the balls around them overlap from the start, so no pair is known to be later than another.
    let mut scene = row(0..200);
    let names: Vec<String> = scene.bodies().iter().map(|body| body.name().into()).collect();
    for name in names {
        scene.replace_shape(&name, Cuboid::new(dvec3(0.2, 0.2, 40.0)).unwrap()).unwrap();
    }
    let first = scene.check(&Options::default()).unwrap().answer;
    // The first falls from y = 3, and touches at y = 0.2.
    let exact = 2.8 / 3.0;
    assert!(first.touch().is_some_and(|touch| touch.toi <= exact && touch.toi > exact - 1e-6));
    let mut stopped = 0;
    for mode in [Mode::First, Mode::Any, Mode::All] {
        for after in [0, 1, 3, 9] {
            let (interrupt, rounds) = (Interrupt::default(), AtomicU64::new(0));
            let progress = |Progress { done, pairs, .. }: Progress| {
                assert!(done <= pairs);
                if rounds.fetch_add(1, Ordering::Relaxed) + 1 >= after {
                    interrupt.raise();
                }
            };
            if after == 0 {
                interrupt.raise();
            }
            let control = Control { interrupt: Some(&interrupt), progress: Some(&progress) };
            let answer = scene
                .check(Ask::from(&Options { mode, ..Options::default() }).control(&control))
                .unwrap()
                .answer;
            assert!(answer.free_until(1.0) <= exact, "{mode:?} {after}: {answer:?}");
            stopped += usize::from(matches!(answer, Answer::Undecided { .. }));
            assert!(after > 0 || matches!(answer, Answer::Undecided { .. }), "{mode:?}: {answer:?}");
        }
    }
    assert!(stopped >= 4, "{stopped}");
    let untouched = scene.check(Ask::from(&Options::default()).control(&Control::default())).unwrap().answer;
    assert_eq!(untouched, first);
}

/// Every pair of these overlaps. All pairs used to be listed several times before the first was checked, in more than a
/// gigabyte.
#[test]
fn a_crowd_in_one_place_fits_in_memory() {
    let mut scene = Scene::default();
    for k in 0..1500 {
        scene.add(ball(format!("{k}"), Motion::fixed(at(1e-4 * f64::from(k), 0.0)))).unwrap();
    }
    let report = scene.check(&Options { mode: Mode::Any, ..Options::default() }).unwrap();
    assert!(matches!(report.answer, Answer::TouchingAtStart(_)));
    assert_eq!((report.stats.pairs, report.stats.advanced), (1500 * 1499 / 2, 1));
}

/// An arm has a foot in the floor and a hand that comes down to it. Only the hand touches, in every query, as one step
/// or along a path, and also after other bodies are removed. Without its robot or its floor the setting is gone too.
#[test]
fn a_link_that_may_touch_a_body() {
    use firsttouch::articulated::{Joint, JointKind, LinkPart, RobotPath, Trajectory};
    use firsttouch::shape::HalfSpace;
    let part = || vec![LinkPart { shape: Sphere::new(1.0).unwrap().into(), pose: Pose::IDENTITY }];
    let lift = Joint {
        name: "lift".into(),
        parent: "foot".into(),
        child: "hand".into(),
        origin: Pose::from_translation(DVec3::Z * 5.0).unwrap(),
        kind: JointKind::Prismatic { axis: DVec3::Z },
        limits: None,
        mimic: None,
    };
    let robot =
        Robot::new("arm", vec![("foot".into(), part()), ("hand".into(), part())], vec![lift]).unwrap();
    // From z = 5 to z = -3: the hand touches at z = 1, halfway.
    let step = RobotStep::new(robot.clone(), Pose::IDENTITY, vec![0.0], vec![-8.0]).unwrap();
    let way = Trajectory::linear(&robot, &[0.0, 1.0, 4.0], &[vec![0.0], vec![-2.0], vec![-8.0]]).unwrap();
    let along = RobotPath::new(robot, Pose::IDENTITY, way).unwrap();
    let options = Options::default();
    for arm in [Body::robot("arm", step), Body::robot_along("arm", along)] {
        let floor = || Body::new("floor", HalfSpace::new(DVec3::Z, 0.0).unwrap(), Motion::AT_REST);
        let mut scene = Scene::default();
        scene.add(ball("first", Motion::fixed(at(50.0, 0.0)))).unwrap();
        scene.add(arm.clone()).unwrap();
        scene.add(ball("second", Motion::fixed(at(60.0, 0.0)))).unwrap();
        scene.add(floor()).unwrap();
        scene.leave_out_resting(true);
        scene.allow("first", "floor").unwrap();
        scene.allow("second", "floor").unwrap();
        assert!(matches!(scene.check(&options).unwrap().answer, Answer::TouchingAtStart(_)));
        scene.allow_link("arm", "foot", "floor").unwrap();
        for gone in ["", "second", "first"] {
            if !gone.is_empty() {
                scene.remove(gone).unwrap();
            }
            let touch = scene.check(&options).unwrap().answer.touch().unwrap().clone();
            assert!(touch.toi <= 0.5 && touch.toi > 0.5 - 1e-6, "{gone}: {}", touch.toi);
            assert_eq!(scene.contacts(touch.toi, &options).unwrap().len(), 1, "{gone}");
            let distance = scene.distance_at(0.25, &options).unwrap().unwrap();
            assert!(distance.lower <= 2.0 && distance.upper >= 2.0 && distance.upper < 2.0 + 1e-6, "{gone}");
            let overlaps = scene.overlaps("arm", "floor", &options).unwrap();
            assert!(
                overlaps.len() == 1 && overlaps[0].start[0] > 0.49 && overlaps[0].end[1] == 1.0,
                "{gone}"
            );
        }
        let mut other = scene.clone();
        other.remove("floor").unwrap();
        other.add(floor()).unwrap();
        assert!(matches!(other.check(&options).unwrap().answer, Answer::TouchingAtStart(_)));
        assert_ne!(other, scene);
        for (robot, link, body) in
            [("arm", "elbow", "floor"), ("floor", "foot", "arm"), ("arm", "foot", "arm")]
        {
            assert!(scene.allow_link(robot, link, body).is_err());
        }
    }
}
