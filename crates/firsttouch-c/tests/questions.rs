//! The least distance, contacts, overlaps, derivatives and motions of all kinds through C++: the same as from Rust, bit
//! for bit.

use crate::{compiling, programs};

use std::fmt::Write as _;
use std::sync::Arc;

use firsttouch::articulated::Checker;
use firsttouch::deformable::Deformable;
use firsttouch::motion::{By, Leg, Motion, Path, Pose, Spline};
use firsttouch::shape::{
    Cone, Cuboid, HalfSpace, HeightField, Mesh, Octree, OctreeCell, PointCloud, Shape, SolidMesh, Sphere,
};
use firsttouch::{
    Answer, Body, Clearance, ContactPoint, Degenerate, Gradient, MotionGradient, Options, Scene, first_touch,
};
use glam::{DVec2, DVec3};

use compiling::{compiled, output, testdata};
use programs::{write_answer, write_numbers as numbers};

#[test]
fn answers_in_cpp_are_those_of_rust() {
    let Some(program) = compiled("questions.cpp", "questions_cpp") else { return };
    let mut expected = String::new();
    falling(&mut expected);
    motions(&mut expected);
    deforming(&mut expected);
    shapes(&mut expected);
    robots(&mut expected);
    let found = output(&program);
    for (index, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "line {}", index + 1);
    }
    assert_eq!(found.lines().count(), expected.lines().count());
}

fn clearance(text: &mut String, label: &str, found: &Clearance, segment: usize) {
    let [a, b] = found.bodies;
    write!(text, "{label} {}.{segment}.{a}.{b}", u32::from(found.is_tight)).unwrap();
    numbers(text, [found.lower, found.upper, found.t]);
    for vector in [found.points[0], found.points[1], found.normal] {
        numbers(text, vector.to_array());
    }
    text.push('\n');
}

fn contact(text: &mut String, contact: &ContactPoint) {
    write!(text, "contact {}.{}", contact.bodies[0], contact.bodies[1]).unwrap();
    for vector in [contact.points[0], contact.points[1], contact.normal] {
        numbers(text, vector.to_array());
    }
    numbers(text, [contact.gap]);
    text.push('\n');
}

fn number_of(degenerate: Option<Degenerate>) -> u32 {
    match degenerate {
        None => 0,
        Some(Degenerate::AtStart) => 1,
        Some(Degenerate::Grazing) => 2,
        Some(Degenerate::SeveralFeatures) => 3,
        Some(other) => panic!("{other:?} has no number"),
    }
}

fn gradient(text: &mut String, label: &str, gradient: &Gradient) {
    write!(text, "{label} {}", number_of(gradient.degenerate)).unwrap();
    for body in &gradient.bodies {
        match body {
            MotionGradient::Poses { from, to } => {
                for vector in [from.translation, from.rotation, to.translation, to.rotation] {
                    numbers(text, vector.to_array());
                }
            }
            _ => numbers(text, [0.0; 12]),
        }
    }
    for body in &gradient.bodies {
        let MotionGradient::Vertices(vertices) = body else { continue };
        for vertex in vertices {
            write!(text, " {}", vertex.vertex).unwrap();
            numbers(text, vertex.from.to_array().into_iter().chain(vertex.to.to_array()));
        }
    }
    text.push('\n');
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn cuboid(x: f64, y: f64, z: f64) -> Cuboid {
    Cuboid::new(DVec3::new(x, y, z)).unwrap()
}

fn falling(text: &mut String) {
    let options = Options::default();
    let mut scene = Scene::default();
    let path = Motion::linear(at(0.3, 0.0, 3.0), at(0.3, 0.0, -5.0));
    scene.add(Body::new("cube", cuboid(2.0, 2.0, 2.0), path)).unwrap();
    scene.add(Body::new("floor", cuboid(9.0, 9.0, 1.0), Motion::fixed(at(0.0, 0.0, -0.5)))).unwrap();
    let answer = scene.check(&options).unwrap().answer;
    let touch = answer.touch().expect("it falls onto the floor");
    let contacts = scene.contacts(touch.toi, &options).unwrap();
    assert_eq!(contacts.len(), 4);
    contacts.iter().for_each(|found| contact(text, found));
    for overlap in scene.overlaps("cube", "floor", &options).unwrap() {
        let certain = overlap.kind == firsttouch::ellipsoid::OverlapKind::Overlap;
        write!(text, "overlap {}", u32::from(certain)).unwrap();
        numbers(text, overlap.start.into_iter().chain(overlap.end));
        text.push('\n');
    }
    clearance(text, "least", &scene.clearance(&options).unwrap().unwrap(), 0);
    clearance(text, "start", &scene.distance_at(0.0, &options).unwrap().unwrap(), 0);
    gradient(text, "toi", &scene.toi_gradient(touch, &options).unwrap());
}

fn motions(text: &mut String) {
    let options = Options::default();
    let from = at(2.0, 0.0, 0.0);
    let turn = Motion::turn(from, DVec3::Z, DVec3::X * 0.25, 7.0).unwrap();
    let legs = [
        Leg { until: 1.0, by: By::Linear(at(2.0, 1.0, 0.0)) },
        Leg { until: 2.0, by: By::Hold },
        Leg { until: 4.0, by: By::Turn { axis: DVec3::Z, point: DVec3::ZERO, angle: 2.5 } },
    ];
    let path: Motion = Path::new(from, &legs, 4.0).unwrap().into();
    let keyframes = [(0.0, from), (1.0, at(2.0, 2.0, 0.0)), (3.0, at(-2.0, 2.0, 0.0))];
    let spline: Motion = Spline::new(&keyframes).unwrap().into();
    let within = spline.within(&turn);
    for motion in [turn, path, spline, within] {
        let mut scene = Scene::default();
        scene.add(Body::new("moving", cuboid(0.5, 0.6, 0.7), motion)).unwrap();
        scene.add(Body::new("ball", Sphere::new(0.75).unwrap(), Motion::fixed(Pose::IDENTITY))).unwrap();
        let found = scene.clearance(&options).unwrap().unwrap();
        clearance(text, "motion", &found, 0);
        gradient(text, "least", &scene.clearance_gradient(&found));
    }
}

fn deforming(text: &mut String) {
    let options = Options::default();
    let corners = [[-1.0, -1.0, 3.0], [2.0, -1.0, 3.5], [0.0, 2.0, 4.0]];
    let loose = [[5.0, -1.0, 3.0], [5.0, 1.0, 3.25], [9.0, 0.1, 3.0]];
    let t0: Vec<DVec3> = corners.into_iter().chain(loose).map(DVec3::from_array).collect();
    let t1 = t0.iter().map(|at| *at - DVec3::Z * 5.0).collect();
    let sheet = Deformable::new(t0, t1, vec![[0, 1, 2]], vec![[3, 4]], vec![5]).unwrap();
    for (x, vertices) in [(0.0, 3), (5.0, 2), (9.0, 1)] {
        let mut scene = Scene::default();
        scene.add(Body::deforming("sheet", sheet.clone())).unwrap();
        let rising = Motion::linear(at(x, 0.2, 0.0), at(x, 0.2, 0.5));
        scene.add(Body::new("ball", Sphere::new(1.0).unwrap(), rising)).unwrap();
        let answer = scene.check(&options).unwrap().answer;
        let found = scene.toi_gradient(answer.touch().expect("it falls onto the ball"), &options).unwrap();
        let is_complete =
            |body: &MotionGradient| matches!(body, MotionGradient::Vertices(all) if all.len() == vertices);
        assert!(found.degenerate.is_none() && found.bodies.iter().any(is_complete), "{found:?}");
        gradient(text, "toi", &found);
        scene.set_pose("ball", at(x, 0.2, -5.0)).unwrap();
        let found = scene.clearance(&options).unwrap().unwrap();
        gradient(text, "least", &scene.clearance_gradient(&found));
    }
}

fn shapes(text: &mut String) {
    let corners = [[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]];
    let corners = corners.map(DVec3::from_array).to_vec();
    let faces = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let cells = vec![OctreeCell { key: [-1, -1, 0], level: 0 }, OctreeCell { key: [0, 0, -2], level: 1 }];
    let heights = vec![0.1, 0.4, 0.2, 0.3, 0.9, -0.2];
    let all: [Shape; 7] = [
        Cone::new(1.5, 2.0).unwrap().into(),
        HalfSpace::new(DVec3::new(0.1, 0.2, 2.0), 0.3).unwrap().into(),
        SolidMesh::new(Mesh::new(corners.clone(), faces).unwrap()).unwrap().into(),
        PointCloud::new(corners, 0.2).unwrap().into(),
        Octree::new(0.5, cells).unwrap().into(),
        HeightField::new(3, 2, DVec2::new(3.0, 4.0), heights).unwrap().into(),
        Shape::compound(vec![Arc::new(Cone::new(1.0, 1.0).unwrap()), Arc::new(Sphere::new(0.25).unwrap())])
            .unwrap(),
    ];
    let (ball, falling) =
        (Sphere::new(0.5).unwrap().into(), Motion::linear(at(0.1, 0.2, 5.0), at(0.0, 0.0, 0.0)));
    for shape in all {
        let answer = first_touch((&ball, &falling), (&shape, &Motion::AT_REST), &Options::default()).unwrap();
        assert!(matches!(answer, Answer::Touch(_)), "{}: {answer:?}", shape.kind());
        write_answer(text, "shape", &answer, 1.0);
    }
}

fn robots(text: &mut String) {
    let options = Options::default();
    let file = |name: &str| testdata().join("robots").join(name);
    let (robot, _) = firsttouch_io::read_robot(&file("plain.urdf"), Some(&file("plain.srdf"))).unwrap();
    let post = Body::new("post", cuboid(0.3, 0.3, 3.0), Motion::fixed(at(0.0, 0.0, 3.2)));
    let checker = Checker::new(robot, Pose::IDENTITY, vec![post]).unwrap();
    let (from, to) = ([-2.0, 0.2], [2.0, 0.5]);
    let path = [vec![-2.0, 0.2], vec![-1.5, 0.3], vec![-1.0, 0.25]];
    let found = checker.clearance(&path, &options).unwrap().unwrap();
    clearance(text, "path", &found.clearance, found.segment);
    clearance(text, "state", &checker.distance(&from, &options).unwrap().unwrap(), 0);
    let mut step = |label: &str, value: f64, from: &[f64], to: &[f64], degenerate: Option<Degenerate>| {
        write!(text, "{label} {}", number_of(degenerate)).unwrap();
        numbers(text, [value].into_iter().chain(from.iter().copied()).chain(to.iter().copied()));
        text.push('\n');
    };
    let touch = checker.toi_gradient(&from, &to, &options).unwrap().expect("it hits the post");
    step("toi", touch.toi, &touch.from, &touch.to, touch.degenerate);
    let found = checker.clearance(&path[..2], &options).unwrap().unwrap().clearance;
    let least = checker.clearance_gradient(&path[0], &path[1], &found).unwrap();
    let [MotionGradient::Joints { from: by_from, to: by_to }, _] = &least.bodies else { panic!("a robot") };
    step("least", found.upper, by_from, by_to, least.degenerate);
    for found in checker.contacts(&from, &to, touch.toi, &options).unwrap() {
        contact(text, &found);
    }
    // The arm may touch the post. Separations and paddings are the same in both ways to make a checker. A separation
    // between two obstacles, which no checker can keep, is refused.
    text.push_str("allowed 0\nrules 1\nrefused 1\n");
}
