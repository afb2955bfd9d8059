//! The least distance, contacts, overlaps, derivatives and motions of all kinds through C++: the same as from Rust, bit for bit.

use crate::compiling;

use std::fmt::Write as _;

use firsttouch::articulated::Checker;
use firsttouch::motion::{By, Leg, Motion, Path, Pose, Spline};
use firsttouch::shape::{Cuboid, Sphere};
use firsttouch::{Body, Clearance, ContactPoint, Degenerate, Gradient, MotionGradient, Options, Scene};
use glam::DVec3;

use compiling::{compiled, output, testdata};

#[test]
fn answers_in_cpp_are_those_of_rust() {
    let Some(program) = compiled("questions.cpp", "questions_cpp") else { return };
    let mut expected = String::new();
    falling(&mut expected);
    motions(&mut expected);
    robots(&mut expected);
    let found = output(&program);
    for (index, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "line {}", index + 1);
    }
    assert_eq!(found.lines().count(), expected.lines().count());
}

fn numbers(text: &mut String, numbers: impl IntoIterator<Item = f64>) {
    numbers.into_iter().for_each(|number| write!(text, " {:016x}", number.to_bits()).unwrap());
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
    // The arm may touch the post; a separation that no checker keeps is refused, in both ways to make one.
    text.push_str("allowed 0\nrefused 2\n");
}
