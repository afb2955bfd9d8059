//! Every kind of body against every other in one scene, against dense sampling; and one geometry expressed in two
//! kinds.

use crate::mixed_bodies;
use crate::random;

use std::collections::BTreeMap;

use firsttouch::articulated::{JointKind, LinkPart, Robot, RobotStep};
use firsttouch::deformable::Deformable;
use firsttouch::motion::{Motion, Pose, PoseAt, RigidMotion};
use firsttouch::shape::{Ellipsoid, Mesh, Shape, Sphere};
use firsttouch::{Answer, Body, BodyKind, Mode, Options, Scene};
use glam::{DMat3, DQuat, DVec3};
use mixed_bodies::{KINDS, Kind, add, cells, cells_of, distance, joint, lump, mesh, robot, solid};
use random::Random;

/// Checks an answer about two bodies against samples.
fn judge(scene: &Scene, [a, b]: [usize; 2], answer: &Answer, options: &Options, samples: usize, what: &str) {
    let at = |t: f64| distance(&cells(scene, a, t), &cells(scene, b, t));
    let free_until = answer.free_until(options.t_max);
    for i in 0..samples {
        let t = options.t_max * i as f64 / samples as f64;
        if t < free_until || *answer == Answer::Free {
            let d = at(t) - options.min_separation;
            assert!(d > 1e-12, "{what}: at {t} they are {d} apart, but {answer:?}");
        }
    }
    if let Some(touch) = answer.touch() {
        let gap = at(touch.toi) - options.min_separation;
        assert!(gap <= options.tolerance * (1.0 + 1e-6), "{what}: gap {gap} at {}", touch.toi);
        assert!((touch.normal.length() - 1.0).abs() < 1e-9, "{what}: {touch:?}");
        assert!(
            touch.points[0].distance(touch.points[1]) <= touch.gap + options.min_separation + 1e-9,
            "{what}: {touch:?}"
        );
    }
    assert!(!matches!(answer, Answer::Undecided { .. }), "{what}: {answer:?}");
}

#[test]
fn every_kind_against_every_other() {
    let mut random = Random(2010);
    let mut hits: BTreeMap<(Kind, Kind), [usize; 2]> = BTreeMap::new();
    let count = 24;
    for (i, &one) in KINDS.iter().enumerate() {
        for &other in &KINDS[i..] {
            for n in 0..count {
                let mut scene = Scene::default();
                let (start, end) = (DVec3::new(-1.8, 0.0, 0.0), DVec3::new(0.7, 0.0, 0.0));
                add(&mut scene, &mut random, "left", one, start, end);
                let aside = DVec3::Y * random.range(0.0, 3.4);
                add(&mut scene, &mut random, "right", other, -start, -end + aside);
                let bodies = ["left", "right"].map(|name| scene.index_of(name).unwrap());
                let min_separation = if n % 3 == 0 { 0.05 } else { 0.0 };
                let options = Options { min_separation, ..Options::default() };
                let report = scene.check(&options).unwrap();
                let what = format!("{one:?} and {other:?}, {n}");
                judge(&scene, bodies, &report.answer, &options, 40, &what);
                let counts = hits.entry((one, other)).or_default();
                counts[usize::from(report.answer != Answer::Free)] += 1;
                if let Some(touch) = report.answer.touch() {
                    assert_eq!(touch.bodies, bodies, "{what}");
                }
                // Any, all, and the other order of bodies give the same result.
                if n % 4 == 0 {
                    let any = scene.check(&Options { mode: Mode::Any, ..options }).unwrap().answer;
                    assert_eq!(any == Answer::Free, report.answer == Answer::Free, "{what}");
                    let all = scene.check(&Options { mode: Mode::All, ..options }).unwrap();
                    assert_eq!(all.answer, report.answer, "{what}");
                    assert_eq!(all.pairs.len(), usize::from(report.answer != Answer::Free), "{what}");
                }
            }
        }
    }
    let (mut free, mut touching) = (0, 0);
    for (pair, [misses, hits]) in hits {
        assert!(misses >= 2 && hits >= 2, "{pair:?}: {misses} free, {hits} touching");
        (free, touching) = (free + misses, touching + hits);
    }
    println!("{free} free, {touching} touching");
}

#[test]
fn parts_of_one_robot_against_what_it_holds() {
    let mut random = Random(7);
    let mut hits = 0;
    for n in 0..60 {
        let mut scene = Scene::default();
        let step = robot(&mut random, DVec3::ZERO, DVec3::X, false);
        scene.add(Body::robot("arm", step)).unwrap();
        scene.allow("arm", "arm").unwrap();
        let size = random.range(0.3, 0.7);
        let pose = random.pose_near(DVec3::ZERO, 0.2);
        let shape = solid(&mut random, size);
        scene.attach("part", shape, "arm", "hand", pose, &["lower"]).unwrap();
        let options = Options::default();
        let answer = scene.check(&options).unwrap().answer;
        // Sampled without the link that may touch.
        let BodyKind::Robot(step) = scene.bodies()[0].kind() else { panic!() };
        let motion = step.motion();
        let at = |t: f64| {
            let mut others = Vec::new();
            for link in [1, 2] {
                others.extend(cells_of(
                    &step.robot().links()[link].parts()[0].shape,
                    motion.part(link, 0).pose_at(t),
                ));
            }
            distance(&others, &cells(&scene, 1, t))
        };
        for i in 0..60 {
            let t = i as f64 / 60.0;
            assert!(t >= answer.free_until(1.0) || at(t) > 1e-12, "{n}: {answer:?} at {t}");
        }
        if let Some(touch) = answer.touch() {
            hits += 1;
            assert!(at(touch.toi) <= 1.001e-6, "{n}: {} {touch:?}", at(touch.toi));
            assert_eq!(touch.bodies, [0, 1]);
            let sides = [&cells(&scene, 0, touch.toi), &cells(&scene, 1, touch.toi)];
            for (point, side) in touch.points.iter().zip(sides) {
                let dot = Shape::from(Sphere::new(1e-9).unwrap());
                let point = cells_of(&dot, PoseAt { rotation: DMat3::IDENTITY, translation: *point });
                assert!(distance(&point, side) < 1e-6, "{n}: {touch:?}");
            }
        }
    }
    assert!((10..50).contains(&hits), "{hits}");
}

/// A crowd of all kinds: the same bits for any number of threads and any order of the bodies, and the earliest of all
/// pairs.
#[test]
fn a_crowd() {
    let mut random = Random(3);
    for n in 0..6 {
        let mut draws: Vec<(u64, Kind, DVec3, DVec3)> = Vec::new();
        for i in 0..14 {
            let (from, to) = (random.vector(4.0), random.vector(4.0));
            draws.push((random.next(), KINDS[i % KINDS.len()], from, to));
        }
        let build = |order: &[usize]| {
            let mut scene = Scene::default();
            for &i in order {
                let (seed, kind, from, to) = draws[i];
                add(&mut scene, &mut Random(seed), &format!("body{i}"), kind, from, to);
            }
            scene
        };
        let forwards: Vec<usize> = (0..draws.len()).collect();
        let backwards: Vec<usize> = forwards.iter().rev().copied().collect();
        let (scene, mirrored) = (build(&forwards), build(&backwards));
        let options = Options { t_max: 0.2, ..Options::default() };
        let first = scene.check(&options).unwrap();
        for threads in [2, 3] {
            assert_eq!(scene.check(&Options { threads, ..options }).unwrap(), first, "{n}");
        }
        let other = mirrored.check(&options).unwrap().answer;
        assert_eq!(first.answer.free_until(1.0).to_bits(), other.free_until(1.0).to_bits(), "{n}");
        let all = scene.check(&Options { mode: Mode::All, ..options }).unwrap();
        let earliest = all.pairs.iter().map(|pair| pair.answer.free_until(1.0)).fold(f64::INFINITY, f64::min);
        assert_eq!(earliest.min(options.t_max), first.answer.free_until(options.t_max), "{n}");
        let stats = first.stats;
        assert_eq!(stats.pairs, stats.allowed + stats.boxes_apart + stats.advanced + stats.later, "{n}");
    }
}

/// One geometry, two kinds: a rigid mesh on a straight line as a deforming one, a rigid body as a link, an ellipsoid as
/// a fine mesh.
#[test]
fn the_same_geometry_in_two_kinds() {
    let mut random = Random(11);
    let options = Options { tolerance: 1e-8, ..Options::default() };
    let mut hits = [0; 3];
    for n in 0..40 {
        let (vertices, triangles) = lump(&mut random, 3, 0.8);
        let obstacle = mesh(&mut random, 0.9);
        let (from, to) =
            (DVec3::new(-3.0, random.range(-1.5, 1.5), 0.0), DVec3::new(3.0, random.range(-1.5, 1.5), 0.0));
        let toi = |body: Body| {
            let mut scene = Scene::default();
            scene.add(body).unwrap();
            let post = random_post(&obstacle);
            scene.add(post).unwrap();
            scene.allow("a", "a").unwrap();
            scene.check(&options).unwrap().answer.free_until(2.0)
        };
        let pose = |at: DVec3| Pose::from_translation(at).unwrap();
        let rigid = toi(Body::new(
            "a",
            Mesh::new(vertices.clone(), triangles.clone()).unwrap(),
            Motion::linear(pose(from), pose(to)),
        ));
        let placed = |at: DVec3| vertices.iter().map(|&v| v + at).collect::<Vec<_>>();
        let soft = toi(Body::deforming(
            "a",
            Deformable::new(placed(from), placed(to), triangles.clone(), vec![], vec![]).unwrap(),
        ));
        // Two answers within the tolerance of one contact, approached at a speed of 6 or, on a slope, less.
        assert!((rigid - soft).abs() < 1e-5, "{n}: rigid {rigid}, deforming {soft}");
        hits[0] += usize::from(rigid < 2.0);

        let part = LinkPart {
            shape: Mesh::new(vertices.clone(), triangles.clone()).unwrap().into(),
            pose: Pose::IDENTITY,
        };
        let links = vec![("world".to_string(), vec![]), ("link".to_string(), vec![part])];
        let robot =
            Robot::new("r", links, vec![joint("j", "world", "link", DVec3::ZERO, JointKind::Floating)])
                .unwrap();
        let q = random.rotation();
        let ends = [(from, DQuat::IDENTITY), (to, q)];
        let configuration = |(p, q): (DVec3, DQuat)| vec![p.x, p.y, p.z, q.x, q.y, q.z, q.w];
        let step =
            RobotStep::new(robot, Pose::IDENTITY, configuration(ends[0]), configuration(ends[1])).unwrap();
        let link = toi(Body::robot("a", step));
        let turning = Motion::linear(pose(from), Pose::new(to, q).unwrap());
        let body = toi(Body::new("a", Mesh::new(vertices.clone(), triangles).unwrap(), turning));
        assert!((link - body).abs() < 1e-5, "{n}: link {link}, body {body}");
        hits[1] += usize::from(body < 2.0);
    }
    // The mesh of 32 000 triangles is inside the ellipsoid by at most 4e-4: the touch is later, but not by much.
    for n in 0..6 {
        let axes = DVec3::new(random.range(0.3, 0.9), random.range(0.3, 0.9), random.range(0.3, 0.9));
        let steps = 80;
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for i in 0..=steps {
            for j in 0..2 * steps {
                let (a, b) = (
                    i as f64 / steps as f64 * std::f64::consts::PI,
                    j as f64 / steps as f64 * std::f64::consts::PI,
                );
                vertices.push(axes * DVec3::new(a.sin() * b.cos(), a.sin() * b.sin(), a.cos()));
            }
        }
        let id = |i: usize, j: usize| (i * 2 * steps + j % (2 * steps)) as u32;
        for i in 0..steps {
            for j in 0..2 * steps {
                triangles.push([id(i, j), id(i + 1, j), id(i + 1, j + 1)]);
                triangles.push([id(i, j), id(i + 1, j + 1), id(i, j + 1)]);
            }
        }
        let fine = Mesh::new(vertices, triangles).unwrap();
        let from = DVec3::new(-3.0, random.range(-0.5, 0.5), random.range(-0.5, 0.5));
        let motion =
            Motion::linear(Pose::from_translation(from).unwrap(), Pose::from_translation(-from).unwrap());
        let toi = |shape: Shape| {
            let mut scene = Scene::default();
            scene.add(Body::new("a", shape, motion.clone())).unwrap();
            let post = Ellipsoid::new(DVec3::new(0.5, 0.8, 0.7)).unwrap();
            scene.add(Body::new("b", post, Motion::AT_REST)).unwrap();
            scene.check(&Options::default()).unwrap().answer.free_until(2.0)
        };
        let (egg, mesh) = (toi(Ellipsoid::new(axes).unwrap().into()), toi(fine.into()));
        assert!(egg <= mesh + 1e-6 && mesh - egg < 2e-3, "{n}: ellipsoid {egg}, mesh {mesh}");
        hits[2] += usize::from(egg < 2.0);
    }
    assert!(hits[0] >= 10 && hits[1] >= 10 && hits[2] >= 3, "{hits:?}");
}

fn random_post(obstacle: &Mesh) -> Body {
    Body::new("post", obstacle.clone(), Motion::AT_REST)
}

/// A pair may be kept farther apart than the rest.
#[test]
fn separations_of_pairs() {
    let ball = || Sphere::new(1.0).unwrap();
    let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
    let mut scene = Scene::default();
    scene.add(Body::new("flying", ball(), Motion::linear(at(0.0), at(10.0)))).unwrap();
    scene
        .add(Body::new(
            "near",
            ball(),
            Motion::fixed(Pose::from_translation(DVec3::new(4.0, 2.5, 0.0)).unwrap()),
        ))
        .unwrap();
    scene.add(Body::new("far", ball(), Motion::fixed(at(8.0)))).unwrap();
    let touch = |scene: &Scene| scene.check(&Options::default()).unwrap().answer.touch().unwrap().clone();
    assert_eq!(touch(&scene).bodies, [0, 2]);
    assert!((touch(&scene).toi - 0.6).abs() < 1e-6);
    // The body that it passes at a distance of half a unit now counts: sqrt(3² − 2.5²) before x = 4.
    scene.keep_apart("near", "flying", 1.0).unwrap();
    assert_eq!(touch(&scene).bodies, [0, 1]);
    assert!((touch(&scene).toi - 0.1 * (4.0 - 2.75_f64.sqrt())).abs() < 1e-6);
    assert!(scene.keep_apart("near", "nobody", 1.0).is_err());
    assert!(scene.keep_apart("near", "far", -1.0).is_err());
}
