//! Pairs of shapes in motion: every solid against every other, and surfaces against solids and each other.

use std::sync::Arc;

use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{
    Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Hull, PointCloud, Shape, SolidMesh, Sphere,
};
use firsttouch::{Answer, Body, Mode, Options, Scene, Start};
use glam::DVec3;

use super::{Pin, compare};
use crate::scenes::random::Random;
use crate::scenes::shapes::{box_surface, potato, sphere, teapot, torus};

/// Returns a motion of each kind between two poses.
fn motions(from: Pose, to: Pose) -> Vec<(&'static str, Motion)> {
    let axis = DVec3::new(0.3, -0.2, 0.9);
    vec![
        ("linear", Motion::linear(from, to)),
        ("screw", Motion::screw(from, to)),
        ("turn", Motion::turn(from, axis, DVec3::X * 0.5, 2.0).unwrap()),
        ("rational", Motion::rational(from, to)),
    ]
}

fn pose(random: &mut Random, away: f64) -> Pose {
    let direction = random.vector(1.0).normalize_or(DVec3::X);
    Pose::new(direction * away, random.orientation().normalize()).unwrap()
}

#[test]
fn solids() {
    let solids: Vec<(&str, Shape)> = vec![
        ("box", Cuboid::new(DVec3::new(1.0, 0.7, 0.4)).unwrap().into()),
        ("sphere", Sphere::new(0.5).unwrap().into()),
        ("capsule", Capsule::new(0.25, 0.8).unwrap().into()),
        ("cylinder", Cylinder::new(0.4, 0.9).unwrap().into()),
        ("cone", Cone::new(0.5, 0.9).unwrap().into()),
        ("ellipsoid", Ellipsoid::new(DVec3::new(0.7, 0.4, 0.3)).unwrap().into()),
        ("hull", Hull::new(potato(60, 3).unwrap().vertices()).unwrap().into()),
    ];
    pairs("solids", &solids, &solids, 3);
}

#[test]
fn surfaces() {
    let solid = SolidMesh::new(sphere(320).unwrap()).unwrap();
    let cloud: Vec<DVec3> = potato(400, 9).unwrap().vertices().to_vec();
    let surfaces: Vec<(&str, Shape)> = vec![
        ("potato", potato(600, 5).unwrap().into()),
        ("teapot", teapot(800).unwrap().into()),
        ("torus", torus(0.6, 0.2, 400).unwrap().into()),
        ("box surface", box_surface(DVec3::new(0.9, 0.6, 0.5)).unwrap().into()),
        ("solid mesh", Shape::SolidMesh(Arc::new(solid))),
        ("cloud", Shape::PointCloud(Arc::new(PointCloud::new(cloud, 0.02).unwrap()))),
    ];
    let mut others = surfaces.clone();
    others.push(("box", Cuboid::new(DVec3::new(1.0, 0.7, 0.4)).unwrap().into()));
    others.push(("cylinder", Cylinder::new(0.4, 0.9).unwrap().into()));
    others.push(("half-space", HalfSpace::new(DVec3::Z, -0.2).unwrap().into()));
    pairs("surfaces", &surfaces, &others, 1);
}

/// Returns every pair with a random motion of each kind. Most of them meet.
fn pairs(set: &str, all: &[(&str, Shape)], others: &[(&str, Shape)], rounds: usize) {
    let mut random = Random::new(32);
    let mut pins = Vec::new();
    let (mut touches, mut free) = (0, 0);
    for round in 0..rounds {
        for (k, (name_a, a)) in all.iter().enumerate() {
            for (name_b, b) in &others[k.min(others.len() - 1)..] {
                let (from, to) = (pose(&mut random, 3.0), pose(&mut random, 1.0));
                for (motion_name, motion) in motions(from, to) {
                    let rest = if *name_b == "half-space" { Pose::IDENTITY } else { pose(&mut random, 0.3) };
                    let mut scene = Scene::default();
                    scene.add(Body::new("a", a.clone(), motion)).unwrap();
                    scene.add(Body::new("b", b.clone(), Motion::fixed(rest))).unwrap();
                    for (mode_name, mode, start) in [
                        ("first", Mode::First, Start::Report),
                        ("any", Mode::Any, Start::Report),
                        ("ignoring", Mode::First, Start::Ignore),
                    ] {
                        let options = Options { mode, start, tolerance: 1e-5, ..Options::default() };
                        let Ok(report) = scene.check(&options) else { continue };
                        touches += usize::from(matches!(report.answer, Answer::Touch(_)));
                        free += usize::from(report.answer == Answer::Free);
                        let counters = format!(
                            "{} {} {}",
                            report.stats.volume_pairs, report.stats.piece_pairs, report.stats.iterations
                        );
                        let name = format!("{name_a}, {name_b}, {motion_name} {round} {mode_name}");
                        pins.push(Pin::of_answer(name, &report.answer, &["a", "b"], counters));
                    }
                }
            }
        }
    }
    assert!(touches > 50 && free > 20, "{set}: {touches} touches, {free} free");
    compare(set, &pins);
}
