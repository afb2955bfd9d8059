//! Shapes with an inside, without an end, or of many small pieces: laws that relate each to a shape it is equal to, and
//! each of them against every kind of body, against dense sampling.

#[allow(dead_code)]
use crate::mixed_bodies;
use crate::random;

use std::collections::BTreeMap;

use firsttouch::articulated::{Checker, LinkPart, Robot, RobotStep};
use firsttouch::deformable::Deformable;
use firsttouch::motion::{Motion, Pose, PoseAt, RigidMotion};
use firsttouch::shape::{
    Compound, Cone, Cuboid, HalfSpace, HeightField, Hull, Mesh, Octree, OctreeCell, PointCloud, Shape,
    SolidMesh, Sphere,
};
use firsttouch::{Answer, Body, BodyKind, Error, Mode, Options, Part, Scene, Start, first_touch};
use glam::{DQuat, DVec2, DVec3};
use mixed_bodies::{Cell, KINDS, add, cells, cells_of, distance, motion, robot, solid};
use random::Random;

/// Returns the corners and faces of a box, outwards.
fn box_faces(center: DVec3, half: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let corner = |k: u32| {
        let side = |bit: u32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        center + half * DVec3::new(side(0), side(1), side(2))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

fn joined(parts: &[(Vec<DVec3>, Vec<[u32; 3]>)]) -> Mesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (of_part, faces) in parts {
        let first = vertices.len() as u32;
        vertices.extend(of_part);
        triangles.extend(faces.iter().map(|face| face.map(|v| v + first)));
    }
    Mesh::new(vertices, triangles).unwrap()
}

fn at(translation: DVec3) -> Pose {
    Pose::from_translation(translation).unwrap()
}

/// A shape, and the convex pieces that it consists of.
struct Sample {
    shape: Shape,
    pieces: Vec<(Shape, Pose)>,
}

impl Sample {
    fn cells_at(&self, pose: PoseAt) -> Vec<Cell> {
        let place = |own: &Pose| {
            let PoseAt { rotation, translation } = own.at();
            PoseAt { rotation: pose.rotation * rotation, translation: pose.apply(translation) }
        };
        self.pieces.iter().flat_map(|(shape, own)| cells_of(shape, place(own))).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Family {
    Cone,
    HalfSpace,
    SolidMesh,
    Compound,
    Cloud,
    Octree,
    HeightField,
}

const FAMILIES: [Family; 7] = [
    Family::Cone,
    Family::HalfSpace,
    Family::SolidMesh,
    Family::Compound,
    Family::Cloud,
    Family::Octree,
    Family::HeightField,
];

fn sample(random: &mut Random, family: Family) -> Sample {
    match family {
        Family::Cone => {
            let shape: Shape = Cone::new(random.range(0.2, 0.7), random.range(0.4, 1.2)).unwrap().into();
            Sample { pieces: vec![(shape.clone(), Pose::IDENTITY)], shape }
        }
        Family::HalfSpace => {
            // Its surface is 0.5 above the origin of the frame. A block of 80 stands for it.
            let normal = random.vector(1.0) + DVec3::splat(1e-3);
            let turned = DQuat::from_rotation_arc(DVec3::Z, normal.normalize());
            let block = Pose::new(turned * (DVec3::Z * -39.5), turned).unwrap();
            let pieces = vec![(Cuboid::new(DVec3::splat(80.0)).unwrap().into(), block)];
            Sample { shape: HalfSpace::new(normal, 0.5).unwrap().into(), pieces }
        }
        Family::SolidMesh => {
            // Two boxes that overlap: a mesh that crosses itself.
            let boxes = [0.0, 0.4].map(|x| {
                let half = DVec3::new(random.range(0.2, 0.4), random.range(0.2, 0.7), 0.3);
                (DVec3::X * x + random.vector(0.05), half)
            });
            let mesh = joined(&boxes.map(|(center, half)| box_faces(center, half)));
            let piece =
                |(center, half): (DVec3, DVec3)| (Cuboid::new(2.0 * half).unwrap().into(), at(center));
            Sample { shape: SolidMesh::new(mesh).unwrap().into(), pieces: boxes.map(piece).to_vec() }
        }
        Family::Compound => {
            let pieces: Vec<(Shape, Pose)> =
                (0..3).map(|_| (solid(random, 0.5), random.pose_near(DVec3::ZERO, 0.5))).collect();
            let placed: Vec<_> =
                pieces.iter().map(|(shape, p)| (shape.clone(), p.rotation(), p.translation())).collect();
            Sample { shape: Shape::compound_of(&placed).unwrap(), pieces }
        }
        Family::Cloud => {
            let points: Vec<DVec3> = (0..12).map(|_| random.vector(0.7)).collect();
            let piece = |&p: &DVec3| (Sphere::new(0.15).unwrap().into(), at(p));
            let pieces = points.iter().map(piece).collect();
            Sample { shape: PointCloud::new(points, 0.15).unwrap().into(), pieces }
        }
        Family::Octree => {
            let mut draw = || OctreeCell {
                key: [0; 3].map(|_| 2 * ((random.next() % 6) as i32 - 3)),
                level: (random.next() % 2) as u8,
            };
            let cells = (0..8).map(|_| draw()).collect();
            let tree = Octree::new(0.13, cells).unwrap();
            let piece = |k: usize| {
                let (center, half) = tree.cell_box(k);
                (Cuboid::new(2.0 * half).unwrap().into(), at(center))
            };
            let pieces = (0..tree.cells().len()).map(piece).collect();
            Sample { shape: tree.into(), pieces }
        }
        Family::HeightField => {
            let heights = (0..12).map(|_| random.range(-0.3, 0.3)).collect();
            let field = HeightField::new(4, 3, DVec2::new(1.6, 1.3), heights).unwrap();
            let pieces = vec![(field.to_mesh().into(), Pose::IDENTITY)];
            Sample { shape: field.into(), pieces }
        }
    }
}

/// Compares an answer with samples of the distance.
fn judge(answer: &Answer, at: &dyn Fn(f64) -> f64, options: &Options, samples: usize, what: &str) {
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
    }
    assert!(!matches!(answer, Answer::Undecided { .. }), "{what}: {answer:?}");
}

#[test]
fn every_shape_against_every_kind_of_body() {
    let mut random = Random(16);
    let mut hits: BTreeMap<Family, [usize; 2]> = BTreeMap::new();
    for family in FAMILIES {
        for kind in KINDS {
            for n in 0..8 {
                let one = sample(&mut random, family);
                let mut scene = Scene::default();
                let (start, end) = (DVec3::new(-1.8, 0.0, 0.0), DVec3::new(0.7, 0.0, 0.0));
                let path = motion(&mut random, start, end);
                scene.add(Body::new("left", one.shape.clone(), path)).unwrap();
                let aside = DVec3::Y * random.range(0.0, 3.4);
                add(&mut scene, &mut random, "right", kind, -start, -end + aside);
                let bodies = ["left", "right"].map(|name| scene.index_of(name).unwrap());
                let min_separation = if n % 3 == 0 { 0.05 } else { 0.0 };
                let options = Options { min_separation, ..Options::default() };
                let answer = scene.check(&options).unwrap().answer;
                let what = format!("{family:?} and {kind:?}, {n}");
                let BodyKind::Rigid { motion, .. } = scene.bodies()[bodies[0]].kind() else { panic!() };
                let at = |t: f64| distance(&one.cells_at(motion.pose_at(t)), &cells(&scene, bodies[1], t));
                judge(&answer, &at, &options, 24, &what);
                hits.entry(family).or_default()[usize::from(answer != Answer::Free)] += 1;
                if n % 4 == 0 {
                    let any = scene.check(&Options { mode: Mode::Any, ..options }).unwrap().answer;
                    assert_eq!(any == Answer::Free, answer == Answer::Free, "{what}");
                    // The clearance of a scene that touches is 0; that of any other scene is at most every sample.
                    let clearance =
                        scene.clearance(&Options { tolerance: 1e-3, ..options }).unwrap().unwrap();
                    let least = (0..24).map(|i| at(f64::from(i) / 24.0)).fold(f64::INFINITY, f64::min);
                    assert!(clearance.lower <= least.max(0.0) + 1e-12, "{what}: {clearance:?} {least}");
                    if answer != Answer::Free {
                        assert!(clearance.lower <= min_separation + 1e-5, "{what}: {clearance:?}");
                    }
                }
            }
        }
    }
    for (family, [free, touching]) in hits {
        assert!(free >= 3 && touching >= 10, "{family:?}: {free} free, {touching} touching");
    }
}

#[test]
fn every_shape_against_every_other() {
    let mut random = Random(17);
    let (mut free, mut touching) = (0, 0);
    for (i, &one) in FAMILIES.iter().enumerate() {
        for &other in &FAMILIES[i..] {
            if [one, other] == [Family::HalfSpace; 2] {
                continue;
            }
            for n in 0..6 {
                let samples = [one, other].map(|family| sample(&mut random, family));
                let aside = DVec3::Y * random.range(0.0, 3.4);
                let (start, end) = (DVec3::new(-1.8, 0.0, 0.0), DVec3::new(0.7, 0.0, 0.0));
                let motions = [motion(&mut random, start, end), motion(&mut random, -start, -end + aside)];
                let options = Options::default();
                let [a, b] = &samples;
                let answer = first_touch((&a.shape, &motions[0]), (&b.shape, &motions[1]), &options).unwrap();
                let what = format!("{one:?} and {other:?}, {n}");
                let at =
                    |t: f64| distance(&a.cells_at(motions[0].pose_at(t)), &b.cells_at(motions[1].pose_at(t)));
                judge(&answer, &at, &options, 24, &what);
                let swapped =
                    first_touch((&b.shape, &motions[1]), (&a.shape, &motions[0]), &options).unwrap();
                assert_eq!(swapped == Answer::Free, answer == Answer::Free, "{what}");
                if answer == Answer::Free { free += 1 } else { touching += 1 }
            }
        }
    }
    assert!(free > 30 && touching > 50, "{free} free, {touching} touching");
}

/// A checker and a scene give the same answers, with each shape as an obstacle and as a held body.
#[test]
fn a_robot_among_and_with_every_shape() {
    let mut random = Random(18);
    let (mut free, mut touching) = (0, 0);
    for family in FAMILIES {
        for n in 0..10 {
            let one = sample(&mut random, family);
            let step = robot(&mut random, DVec3::new(-2.0, 0.0, 0.0), DVec3::new(0.5, 0.0, 0.0), false);
            let aside = random.range(0.0, 1.5);
            let pose = random.pose_near(DVec3::new(1.3, aside, 0.0), 0.3);
            let obstacle = Body::new("obstacle", one.shape.clone(), Motion::fixed(pose));
            let mut scene = Scene::default();
            scene.add(Body::robot("arm", step.clone())).unwrap();
            scene.allow("arm", "arm").unwrap();
            scene.add(obstacle.clone()).unwrap();
            let options = Options::default();
            let expected = scene.check(&options).unwrap().answer;
            let what = format!("{family:?} {n}");
            let cells_there = one.cells_at(pose.at());
            judge(&expected, &|t: f64| distance(&cells(&scene, 0, t), &cells_there), &options, 24, &what);

            let mut alone = step.robot().clone();
            let names: Vec<String> = alone.links().iter().map(|link| link.name().to_string()).collect();
            for (i, a) in names.iter().enumerate() {
                for b in &names[i + 1..] {
                    alone.allow(a, b).unwrap();
                }
            }
            let checker = Checker::new(alone, Pose::IDENTITY, vec![obstacle]).unwrap();
            let answer = checker.check_step(step.from(), step.to(), &options).unwrap().answer;
            assert_eq!(answer == Answer::Free, expected == Answer::Free, "{what}: {answer:?} {expected:?}");
            if let (Some(a), Some(b)) = (answer.touch(), expected.touch()) {
                assert!((a.toi - b.toi).abs() < 1e-5, "{what}: {} {}", a.toi, b.toi);
            }
            if answer == Answer::Free { free += 1 } else { touching += 1 }
        }
        // Held by the hand of another robot, against a ball.
        if family == Family::HalfSpace {
            continue;
        }
        for n in 0..6 {
            let one = sample(&mut random, family);
            let step = robot(&mut random, DVec3::new(-2.0, 0.0, 0.0), DVec3::new(0.5, 0.0, 0.0), true);
            let mut scene = Scene::default();
            scene.add(Body::robot("arm", step)).unwrap();
            scene.attach("part", one.shape.clone(), "arm", "hand", Pose::IDENTITY, &[]).unwrap();
            let place = at(DVec3::new(0.5, random.range(0.0, 1.5), 0.0));
            scene.add(Body::new("ball", Sphere::new(0.8).unwrap(), Motion::fixed(place))).unwrap();
            let options = Options::default();
            let answer = scene.check(&options).unwrap().answer;
            let BodyKind::Robot(step) = scene.bodies()[0].kind() else { panic!() };
            let motion = step.motion();
            let link = step.robot().link("part").unwrap();
            let held = |t: f64| one.cells_at(motion.part(link, 0).pose_at(t));
            let gap = |t: f64| distance(&held(t), &cells(&scene, 2, t));
            judge(&answer, &gap, &options, 24, &format!("{family:?} held, {n}"));
            if answer == Answer::Free { free += 1 } else { touching += 1 }
        }
    }
    assert!(free > 15 && touching > 30, "{free} free, {touching} touching");
}

/// Both touch, at about the same time, or both do not.
fn assert_same(a: &Answer, b: &Answer, what: &str) {
    match (a, b) {
        (Answer::Free, Answer::Free) | (Answer::TouchingAtStart(_), Answer::TouchingAtStart(_)) => {}
        (Answer::Touch(x), Answer::Touch(y)) => {
            assert!((x.toi - y.toi).abs() < 2e-5, "{what}: {} and {}", x.toi, y.toi);
        }
        _ => panic!("{what}: {a:?} and {b:?}"),
    }
}

/// Each shape replaces an equal one, against the same other shape in the same motions.
#[test]
fn equal_shapes_have_equal_answers() {
    let mut random = Random(19);
    let mut counts: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for n in 0..60 {
        let half = DVec3::new(random.range(0.2, 0.8), random.range(0.2, 0.8), random.range(0.2, 0.8));
        let cuboid: Shape = Cuboid::new(2.0 * half).unwrap().into();
        let (corners, faces) = box_faces(DVec3::ZERO, half);
        let solid_box = SolidMesh::new(Mesh::new(corners, faces).unwrap()).unwrap();
        let ball: Shape = Sphere::new(half.x).unwrap().into();
        let point = PointCloud::new(vec![DVec3::ZERO], half.x).unwrap();
        let field =
            HeightField::new(5, 4, DVec2::new(1.5, 1.5), (0..20).map(|_| random.range(-0.4, 0.4)).collect())
                .unwrap();
        let cells =
            (0..7).map(|_| OctreeCell { key: [0; 3].map(|_| (random.next() % 7) as i32 - 3), level: 0 });
        let tree = Octree::new(0.2, cells.collect()).unwrap();
        let boxes: Vec<(Shape, DQuat, DVec3)> = (0..tree.cells().len())
            .map(|k| {
                let (center, half) = tree.cell_box(k);
                (Cuboid::new(2.0 * half).unwrap().into(), DQuat::IDENTITY, center)
            })
            .collect();
        let one =
            |shape: &Shape| Shape::compound_of(&[(shape.clone(), DQuat::IDENTITY, DVec3::ZERO)]).unwrap();
        let cone: Shape = Cone::new(half.x, half.y).unwrap().into();
        let floor: Shape = HalfSpace::new(DVec3::Z, half.z - 1.6).unwrap().into();
        let block =
            (Cuboid::new(DVec3::splat(100.0)).unwrap().into(), DQuat::IDENTITY, DVec3::Z * (half.z - 51.6));
        let laws = [
            (cuboid.clone(), solid_box.into(), "a solid box as a mesh is the box"),
            (cuboid.clone(), one(&cuboid), "a compound of one is the one"),
            (cone.clone(), one(&cone), "a compound of a cone is the cone"),
            (ball, point.into(), "a cloud of one point is a ball"),
            (Shape::compound_of(&boxes).unwrap(), tree.into(), "an octree is its boxes"),
            (field.to_mesh().into(), field.into(), "a height field is its triangles"),
            (Shape::compound_of(&[block]).unwrap(), floor, "a half-space is a large block"),
        ];
        // Every third starts near or inside.
        let far = if n % 3 == 0 { 0.4 } else { 2.0 };
        let path = motion(&mut random, DVec3::X * -far, DVec3::X * 0.2);
        let aside = random.range(0.0, 3.0);
        let other_path = motion(&mut random, DVec3::X * far, DVec3::Y * aside);
        let other = solid(&mut random, if n % 2 == 0 { 0.8 } else { 0.15 });
        for (known, new, what) in laws {
            let check = |shape: &Shape| {
                first_touch((shape, &path), (&other, &other_path), &Options::default()).unwrap()
            };
            let (expected, answer) = (check(&known), check(&new));
            assert_same(&expected, &answer, &format!("{what}, {n}"));
            let kind = match answer {
                Answer::Free => 0,
                Answer::TouchingAtStart(_) => 1,
                _ => 2,
            };
            *counts.entry((kind, what)).or_default() += 1;
        }
    }
    // Each law was tried on free pairs, on pairs that touch and on pairs that touch at the start.
    assert!(counts.len() >= 20 && counts.values().all(|&count| count >= 2), "{counts:?}");
}

/// A body inside a closed mesh was free before meshes could be solids. It touches at the start, for every kind of body,
/// on either side, and for every motion; a body in a hole of the mesh does not.
#[test]
fn what_is_inside_touches_at_the_start() {
    let (corners, faces) = box_faces(DVec3::ZERO, DVec3::splat(2.0));
    let (hole_corners, hole_faces) = box_faces(DVec3::ZERO, DVec3::splat(1.5));
    let hole_faces: Vec<[u32; 3]> = hole_faces.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let full: Shape = SolidMesh::new(joined(&[(corners.clone(), faces.clone())])).unwrap().into();
    let hollow: Shape =
        SolidMesh::new(joined(&[(corners, faces), (hole_corners, hole_faces)])).unwrap().into();
    let mut random = Random(5);
    let surface = mixed_bodies::mesh(&mut random, 0.4);
    let closed = SolidMesh::new(joined(&[box_faces(DVec3::ZERO, DVec3::splat(0.3))])).unwrap();
    let inner: Vec<Shape> = vec![
        Sphere::new(0.3).unwrap().into(),
        surface.into(),
        closed.into(),
        PointCloud::new(vec![DVec3::X * 0.1, DVec3::X * 50.0], 0.05).unwrap().into(),
        Octree::new(0.1, vec![OctreeCell { key: [1, 2, 3], level: 0 }]).unwrap().into(),
        HeightField::new(2, 2, DVec2::ONE, vec![0.1; 4]).unwrap().into(),
        Shape::compound_of(&[
            (Sphere::new(0.1).unwrap().into(), DQuat::IDENTITY, DVec3::X * 40.0),
            (Cone::new(0.1, 0.3).unwrap().into(), DQuat::IDENTITY, DVec3::ZERO),
        ])
        .unwrap(),
    ];
    let rest = Motion::AT_REST;
    let small = Motion::linear(Pose::IDENTITY, at(DVec3::X * 0.2));
    for shape in &inner {
        for path in [&rest, &small] {
            for sides in [[(&full, &rest), (shape, path)], [(shape, path), (&full, &rest)]] {
                let answer = first_touch(sides[0], sides[1], &Options::default()).unwrap();
                assert!(matches!(answer, Answer::TouchingAtStart(_)), "{}: {answer:?}", shape.kind());
            }
            let answer = first_touch((&hollow, &rest), (shape, path), &Options::default()).unwrap();
            assert_eq!(answer, Answer::Free, "{}", shape.kind());
        }
        // With contacts at the start left out, its depth cannot be followed.
        let ignore = Options { start: Start::Ignore, ..Options::default() };
        let answer = first_touch((&full, &rest), (shape, &small), &ignore).unwrap();
        assert_eq!(answer.free_until(1.0), 0.0, "{}", shape.kind());
        assert!(matches!(answer, Answer::Undecided { .. }), "{}", shape.kind());
    }
    // Out of the hole, into the wall.
    let ball = &inner[0];
    let out = Motion::linear(Pose::IDENTITY, at(DVec3::X * 4.0));
    let Answer::Touch(touch) = first_touch((&hollow, &rest), (ball, &out), &Options::default()).unwrap()
    else {
        panic!("it touches")
    };
    assert!(touch.toi <= 0.3 && touch.toi > 0.3 - 1e-6);

    // A cloth, an ellipsoid that changes and a robot's link inside.
    let frame = |x: f64| vec![DVec3::X * x, DVec3::new(x, 0.2, 0.0), DVec3::new(x, 0.0, 0.2)];
    let cloth = Deformable::new(frame(0.1), frame(0.3), vec![[0, 1, 2]], vec![], vec![]).unwrap();
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let growing =
        firsttouch::motion::Affine::from_power_basis(DVec3::splat(0.2), &[unit, unit], &[], &[]).unwrap();
    let part = LinkPart { shape: ball.clone(), pose: Pose::IDENTITY };
    let arm = Robot::new("arm", vec![("base".into(), vec![part])], vec![]).unwrap();
    let step = RobotStep::new(arm.clone(), Pose::IDENTITY, vec![], vec![]).unwrap();
    for body in [Body::deforming("x", cloth), Body::affine("x", growing), Body::robot("x", step)] {
        let kind = body.kind_name();
        let mut scene = Scene::default();
        scene.add(body).unwrap();
        scene.add(Body::new("solid", full.clone(), rest.clone())).unwrap();
        let answer = scene.check(&Options::default()).unwrap().answer;
        assert!(matches!(answer, Answer::TouchingAtStart(_)), "{kind}: {answer:?}");
        let clearance = scene.clearance(&Options::default()).unwrap().unwrap();
        assert_eq!((clearance.lower, clearance.upper), (0.0, 0.0), "{kind}");
    }
    let checker = Checker::new(arm, Pose::IDENTITY, vec![Body::new("solid", full, rest)]).unwrap();
    let answer = checker.check_step(&[], &[], &Options::default()).unwrap().answer;
    assert!(matches!(answer, Answer::TouchingAtStart(_)), "{answer:?}");
}

#[test]
fn bad_shapes_are_refused() {
    let text = |error: Error| error.to_string();
    assert_eq!(text(Cone::new(0.0, 1.0).unwrap_err()), "cone radius must be positive, but is 0");
    assert!(HalfSpace::new(DVec3::ZERO, 0.0).is_err() && HalfSpace::new(DVec3::Z, f64::NAN).is_err());
    assert_eq!(text(PointCloud::new(vec![], 1.0).unwrap_err()), "point cloud is empty");
    assert!(text(PointCloud::new(vec![DVec3::NAN], 1.0).unwrap_err()).starts_with("point 0 of a cloud x"));
    assert!(PointCloud::new(vec![DVec3::ZERO], 0.0).is_err());
    assert!(Octree::new(0.1, vec![]).is_err() && Octree::new(-1.0, vec![]).is_err());
    let far = OctreeCell { key: [1 << 20, 0, 0], level: 0 };
    assert!(text(Octree::new(0.1, vec![far]).unwrap_err()).starts_with("key of cell 0 of an octree"));
    let field = |columns, heights| HeightField::new(columns, 2, DVec2::ONE, heights);
    assert!(field(1, vec![0.0; 2]).is_err() && field(2, vec![0.0; 3]).is_err());
    assert!(field(2, vec![0.0, 0.0, f64::INFINITY, 0.0]).is_err());
    let floor: Shape = HalfSpace::new(DVec3::Z, 0.0).unwrap().into();
    let refused = Shape::compound_of(&[(floor.clone(), DQuat::IDENTITY, DVec3::ZERO)]).unwrap_err();
    assert!(text(refused).contains("a half_space as a piece of a compound"));
    let part = LinkPart { shape: floor.clone(), pose: Pose::IDENTITY };
    let refused = Robot::new("arm", vec![("base".into(), vec![part])], vec![]).unwrap_err();
    assert_eq!(text(refused), "not supported: a half_space as a part of \"base\"");
    let rest = &Motion::AT_REST;
    assert!(first_touch((&floor, rest), (&floor, rest), &Options::default()).is_err());
}

/// Two half-spaces of a scene, a floor and a wall, are not a pair.
#[test]
fn a_floor_and_a_wall_are_not_checked() {
    let mut scene = Scene::default();
    scene.add(Body::new("floor", HalfSpace::new(DVec3::Z, 0.0).unwrap(), Motion::AT_REST)).unwrap();
    scene.add(Body::new("wall", HalfSpace::new(DVec3::X, -3.0).unwrap(), Motion::AT_REST)).unwrap();
    let path = Motion::linear(at(DVec3::Z * 2.0), at(DVec3::new(-8.0, 0.0, 2.0)));
    scene.add(Body::new("ball", Sphere::new(1.0).unwrap(), path)).unwrap();
    let Answer::Touch(touch) = scene.check(&Options::default()).unwrap().answer else { panic!("the wall") };
    assert_eq!((touch.bodies, touch.parts), ([1, 2], [Part::Solid; 2]));
    assert!(touch.toi <= 0.25 && touch.toi > 0.25 - 1e-6);
}

/// A half-space that moves towards another could close on it, and no engine decides that: it is an error, never "free".
/// A user who allows the pair knows that it is left out.
#[test]
fn a_half_space_that_moves_beside_another_is_refused() {
    let mut scene = Scene::default();
    let half_space = |normal| HalfSpace::new(normal, 0.0).unwrap();
    scene.add(Body::new("floor", half_space(DVec3::Z), Motion::AT_REST)).unwrap();
    let sinking = Motion::linear(at(DVec3::Z * 2.0), at(DVec3::NEG_Z));
    scene.add(Body::new("press", half_space(DVec3::NEG_Z), sinking)).unwrap();
    let options = Options::default();
    let refused = "not supported: the half-space \"press\" that moves beside the half-space \"floor\"; allow the pair to leave it out";
    assert_eq!(scene.check(&options).unwrap_err().to_string(), refused);
    assert_eq!(scene.clearance(&options).unwrap_err().to_string(), refused);
    assert_eq!(scene.overlaps("floor", "press", &options).unwrap_err().to_string(), refused);
    scene.allow("press", "floor").unwrap();
    assert_eq!(scene.check(&options).unwrap().answer, Answer::Free);
    scene.add(Body::new("wall", half_space(DVec3::X), Motion::AT_REST)).unwrap();
    assert!(scene.check(&options).is_err(), "also beside every other");
}

/// A half-space that turns, against a ball far from its axis: the ball is at rest, and the plane sweeps over it.
#[test]
fn a_half_space_that_turns() {
    let door: Shape = HalfSpace::new(DVec3::Z, 0.0).unwrap().into();
    let ball: Shape = Sphere::new(1.0).unwrap().into();
    let place = Motion::fixed(at(DVec3::new(20.0, 0.0, 15.0)));
    let turn = Motion::turn(Pose::IDENTITY, DVec3::NEG_Y, DVec3::ZERO, 1.0).unwrap();
    let Answer::Touch(touch) = first_touch((&door, &turn), (&ball, &place), &Options::default()).unwrap()
    else {
        panic!("it touches")
    };
    // The centre is at an angle of atan(15 / 20), 25 from the axis.
    let toi = (15.0_f64 / 20.0).atan() - (1.0_f64 / 25.0).asin();
    assert!(touch.toi <= toi && touch.toi > toi - 1e-6, "{} {toi}", touch.toi);
}

/// The pieces of a compound keep their order.
#[test]
fn a_compound_names_its_pieces() {
    let balls: Vec<(Shape, DQuat, DVec3)> = (0..4)
        .map(|k| (Sphere::new(0.5).unwrap().into(), DQuat::IDENTITY, DVec3::X * f64::from(3 * k)))
        .collect();
    let Shape::Compound(compound) = Shape::compound_of(&balls).unwrap() else { panic!("a compound") };
    let compound: &Compound = &compound;
    assert_eq!(compound.len(), 4);
    let hull = Hull::new(&[DVec3::X, DVec3::Y, DVec3::Z]).unwrap();
    let shape = Shape::compound_of(&[(hull.into(), DQuat::IDENTITY, DVec3::Z)]).unwrap();
    assert!((shape.bounds().0 - DVec3::new(0.5, 0.5, 1.5)).length() < 1e-12);
}
