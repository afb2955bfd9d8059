//! The least distance over time against brute force over features, which shares no geometry with the library: boxes,
//! polytopes, balls, capsules, meshes, compounds, robots, held bodies, and deforming meshes, in all pairs.

use crate::features;
use crate::random;

use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot, RobotStep};
use firsttouch::deformable::Deformable;
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid, Hull, Mesh, Shape, Sphere};
use firsttouch::{Body, Options, Scene};
use glam::{DMat3, DQuat, DVec3};

use features::{Features, Moves, distance, least_over_time, turned};
use random::Random;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Box,
    Polytope,
    Ball,
    Capsule,
    Mesh,
    Robot,
    Held,
    Deforming,
}

const KINDS: [Kind; 8] = [
    Kind::Box,
    Kind::Polytope,
    Kind::Ball,
    Kind::Capsule,
    Kind::Mesh,
    Kind::Robot,
    Kind::Held,
    Kind::Deforming,
];

/// Returns the corners and faces of a cube from -1 to 1.
fn cube() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let side = |k: u32, bit: u32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
    let corners = (0..8).map(|k| DVec3::new(side(k, 0), side(k, 1), side(k, 2))).collect();
    let squares = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    (corners, squares.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

/// Returns a bumpy surface of 32 triangles with two different poles.
fn lump(random: &mut Random, size: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let rings = 3;
    let around = 6;
    let mut corners = vec![DVec3::Z * size];
    for i in 1..rings {
        for j in 0..around {
            let (a, b) = (f64::from(i) / f64::from(rings), f64::from(j) / f64::from(around));
            let (a, b) = (a * std::f64::consts::PI, b * std::f64::consts::TAU);
            let radius = size * random.range(0.5, 1.0);
            corners.push(radius * DVec3::new(a.sin() * b.cos(), a.sin() * b.sin(), a.cos()));
        }
    }
    corners.push(DVec3::Z * -size);
    let last = corners.len() as u32 - 1;
    let (n, id) = (around as u32, |i: u32, j: u32| 1 + (i - 1) * 6 + j % 6);
    let mut faces = Vec::new();
    for j in 0..n {
        faces.push([0, id(1, j), id(1, j + 1)]);
        for i in 1..rings as u32 - 1 {
            faces.push([id(i, j), id(i + 1, j), id(i + 1, j + 1)]);
            faces.push([id(i, j), id(i + 1, j + 1), id(i, j + 1)]);
        }
        faces.push([last, id(rings as u32 - 1, j), id(rings as u32 - 1, j + 1)]);
    }
    (corners, faces)
}

/// Returns a shape for the library, and the same shape by its features.
fn shape(random: &mut Random, kind: Kind, size: f64) -> (Shape, Features) {
    match kind {
        Kind::Box => {
            let half = size * DVec3::new(0.5, random.range(0.1, 0.5), random.range(0.1, 0.5));
            let (corners, faces) = cube();
            let corners: Vec<DVec3> = corners.iter().map(|&c| c * half).collect();
            (Cuboid::new(2.0 * half).unwrap().into(), Features::surface(&corners, &faces, 0.0, true))
        }
        Kind::Polytope => {
            // An affine image of a cube, an octahedron or a tetrahedron has the same faces.
            let (corners, faces) = match random.next() % 3 {
                0 => cube(),
                1 => {
                    let axes = DVec3::AXES.into_iter().flat_map(|x| [x, -x]).collect();
                    let faces = (0..8).map(|k: u32| [k & 1, 2 + (k >> 1 & 1), 4 + (k >> 2 & 1)]).collect();
                    (axes, faces)
                }
                _ => {
                    let corners = vec![
                        DVec3::ONE,
                        DVec3::new(1.0, -1.0, -1.0),
                        DVec3::new(-1.0, 1.0, -1.0),
                        DVec3::new(-1.0, -1.0, 1.0),
                    ];
                    (corners, vec![[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]])
                }
            };
            let image = DMat3::from_cols(
                DVec3::X * size * 0.5 + random.vector(0.15 * size),
                DVec3::Y * size * 0.5 + random.vector(0.15 * size),
                DVec3::Z * size * 0.4 + random.vector(0.15 * size),
            );
            let corners: Vec<DVec3> = corners.iter().map(|&c| image * c).collect();
            (Hull::new(&corners).unwrap().into(), Features::surface(&corners, &faces, 0.0, true))
        }
        Kind::Ball => {
            let radius = size * random.range(0.2, 0.6);
            (
                Sphere::new(radius).unwrap().into(),
                Features::surface(&[DVec3::ZERO], &[[0, 0, 0]], radius, false),
            )
        }
        Kind::Capsule => {
            let (radius, half) = (size * random.range(0.1, 0.3), size * random.range(0.2, 0.6));
            let ends = [DVec3::Z * -half, DVec3::Z * half];
            (
                Capsule::new(radius, 2.0 * half).unwrap().into(),
                Features::surface(&ends, &[[0, 1, 1]], radius, false),
            )
        }
        _ => {
            let (corners, faces) = lump(random, 0.7 * size);
            let features = Features::surface(&corners, &faces, 0.0, false);
            (Mesh::new(corners, faces).unwrap().into(), features)
        }
    }
}

fn rotation(random: &mut Random) -> DQuat {
    let [x, y, z, w] = [0; 4].map(|_| random.range(-1.0, 1.0));
    DQuat::from_xyzw(x, y, z, w).normalize()
}

/// Returns a motion for the library, and the same motion by its formula.
fn motion(random: &mut Random, from: DVec3, to: DVec3) -> (Motion, Moves) {
    let (from, to) = (from + random.vector(0.4), to + random.vector(0.4));
    let start = rotation(random);
    let first = Pose::new(from, start).unwrap();
    match random.next() % 4 {
        0 => {
            let axis = random.vector(1.0).normalize();
            let point = 0.5 * (from + to) + random.vector(0.3);
            let angle = random.range(-7.0, 7.0);
            (
                Motion::turn(first, axis, point, angle).unwrap(),
                Moves::About { from, start, axis, point, angle },
            )
        }
        1 => (Motion::fixed(first), Moves::Straight { from, to: from, start, turn: DVec3::ZERO }),
        _ => {
            let turn = random.vector(1.0).normalize() * random.range(0.0, 3.0);
            let last = Pose::new(to, DQuat::from_scaled_axis(turn) * start).unwrap();
            (Motion::linear(first, last), Moves::Straight { from, to, start, turn })
        }
    }
}

/// The features of a body at every time.
type At = Box<dyn Fn(f64) -> Features>;

/// Returns the place of a point of the last link of a slide and two hinges, computed by hand.
#[derive(Clone, Copy)]
struct Arm {
    slide: DVec3,
    axes: [DVec3; 2],
    offsets: [DVec3; 2],
    from: [f64; 3],
    to: [f64; 3],
}

impl Arm {
    fn place(&self, link: usize, p: DVec3, t: f64) -> DVec3 {
        let q = [0, 1, 2].map(|k| self.from[k] + (self.to[k] - self.from[k]) * t);
        let mut p = p;
        for k in (0..link).rev() {
            p = self.offsets[k] + turned(p, self.axes[k], q[k + 1]);
        }
        p + self.slide * q[0]
    }
}

fn arm(random: &mut Random, from: DVec3, to: DVec3, shapes: [Option<&Shape>; 3]) -> (RobotStep, Arm) {
    let way = to - from;
    let arm = Arm {
        slide: way.normalize(),
        axes: [random.vector(1.0).normalize(), random.vector(1.0).normalize()],
        offsets: [DVec3::Z * 0.5, DVec3::Z * 0.5 + random.vector(0.1)],
        from: [0.0, random.range(-2.0, 2.0), random.range(-2.0, 2.0)],
        to: [way.length(), random.range(-2.0, 2.0), random.range(-2.0, 2.0)],
    };
    let link = |name: &str, shape: Option<&Shape>| {
        let part = |shape: &Shape| LinkPart { shape: shape.clone(), pose: Pose::IDENTITY };
        (name.to_string(), shape.map(part).into_iter().collect::<Vec<_>>())
    };
    let joint = |name: &str, parent: &str, child: &str, origin: DVec3, kind: JointKind| Joint {
        name: name.into(),
        parent: parent.into(),
        child: child.into(),
        origin: Pose::from_translation(origin).unwrap(),
        kind,
        limits: None,
        mimic: None,
    };
    let links =
        vec![link("rail", None), link("base", shapes[0]), link("upper", shapes[1]), link("lower", shapes[2])];
    let joints = vec![
        joint("slide", "rail", "base", DVec3::ZERO, JointKind::Prismatic { axis: arm.slide }),
        joint("shoulder", "base", "upper", arm.offsets[0], JointKind::Revolute { axis: arm.axes[0] }),
        joint("elbow", "upper", "lower", arm.offsets[1], JointKind::Revolute { axis: arm.axes[1] }),
    ];
    let robot = Robot::new("arm", links, joints).unwrap();
    let base = Pose::from_translation(from).unwrap();
    (RobotStep::new(robot, base, arm.from.to_vec(), arm.to.to_vec()).unwrap(), arm)
}

/// Adds a body of a kind that moves approximately from one place to another, and returns its features over time.
fn add(scene: &mut Scene, random: &mut Random, name: &str, kind: Kind, from: DVec3, to: DVec3) -> At {
    match kind {
        Kind::Robot => {
            let parts = [Kind::Box, Kind::Mesh, Kind::Capsule].map(|kind| shape(random, kind, 0.5));
            let shapes = [0, 1, 2].map(|k| Some(&parts[k].0));
            let (step, arm) = arm(random, from, to, shapes);
            scene.add(Body::robot(name, step)).unwrap();
            // Its links are measured against the other body only.
            scene.allow(name, name).unwrap();
            let parts = parts.map(|(_, features)| features);
            Box::new(move |t| {
                let mut all = Features::default();
                for (link, part) in parts.iter().enumerate() {
                    all.join(part.moved(|p| from + arm.place(link, p, t)));
                }
                all
            })
        }
        Kind::Held => {
            let kind = KINDS[(random.next() % 5) as usize];
            let (held, features) = shape(random, kind, 0.8);
            let (step, arm) = arm(random, from, to, [None; 3]);
            let holder = format!("holder of {name}");
            scene.add(Body::robot(&holder, step)).unwrap();
            let (offset, turn) = (random.vector(0.2), rotation(random));
            let pose = Pose::new(offset, turn).unwrap();
            scene.attach(name, held, &holder, "lower", pose, &[]).unwrap();
            Box::new(move |t| features.moved(|p| from + arm.place(2, offset + turn * p, t)))
        }
        Kind::Deforming => {
            let (corners, faces) = lump(random, 0.6);
            let (from, to) = (from + random.vector(0.3), to + random.vector(0.3));
            let last: Vec<DVec3> = corners.iter().map(|&c| c * 1.2 + random.vector(0.1) + to).collect();
            let first: Vec<DVec3> = corners.iter().map(|&c| c + from).collect();
            let mesh = Deformable::new(first.clone(), last.clone(), faces.clone(), vec![], vec![]).unwrap();
            scene.add(Body::deforming(name, mesh)).unwrap();
            scene.allow(name, name).unwrap();
            Box::new(move |t| {
                let now: Vec<DVec3> = first.iter().zip(&last).map(|(p, q)| *p * (1.0 - t) + *q * t).collect();
                Features::surface(&now, &faces, 0.0, false)
            })
        }
        _ => {
            let (body, features) = shape(random, kind, 0.9);
            let (moves, by_formula) = motion(random, from, to);
            scene.add(Body::new(name, body, moves)).unwrap();
            Box::new(move |t| features.moved(|p| by_formula.place(p, t)))
        }
    }
}

#[test]
fn every_kind_against_every_other() {
    let mut random = Random(20_26);
    let (mut apart, mut inside, mut touching) = (0, 0, 0);
    for (i, &one) in KINDS.iter().enumerate() {
        for &other in &KINDS[i..] {
            for n in 0..4 {
                let mut scene = Scene::default();
                let (start, end) = (DVec3::new(-1.7, 0.0, 0.0), DVec3::new(0.6, 0.0, 0.0));
                let left = add(&mut scene, &mut random, "left", one, start, end);
                let aside = DVec3::Y * random.range(0.3, 3.0);
                let right = add(&mut scene, &mut random, "right", other, -start, -end + aside);
                let tolerance = [1e-6, 1e-4, 1e-9][n % 3];
                let options = Options { tolerance, ..Options::default() };
                let what = format!("{one:?} and {other:?}, {n}");
                let found = scene.clearance(&options).unwrap().unwrap();
                let at = |t: f64| distance(&left(t), &right(t));
                let exact = least_over_time(64, at);
                assert!(found.upper - found.lower <= tolerance && found.is_tight, "{what}: {found:?}");
                assert!(found.lower <= exact + 1e-12, "{what}: {found:?}, sampled {exact}");
                // The samples are refined to 1e-9 in time; a body that turns has parts that move by ten lengths.
                assert!(found.upper >= exact - 2e-8, "{what}: {found:?}, sampled {exact}");
                // At its time the distance of the two is the reported one.
                let there = at(found.t);
                assert!(
                    (there - found.upper).abs() < 1e-9 + if there == 0.0 { tolerance } else { 0.0 },
                    "{what}: {found:?}, {there}"
                );
                for t in [0.0, 0.3, 1.0] {
                    let now = scene.distance_at(t, &options).unwrap().unwrap();
                    let exact = at(t);
                    assert!(
                        now.lower <= exact + 1e-12 && exact <= now.upper + 1e-12,
                        "{what}: {now:?}, {exact}"
                    );
                    // A pair that touches without a provable overlap is known to be close only up to rounding.
                    assert!(now.upper - now.lower < 1e-9, "{what}: {now:?}, {exact}");
                }
                if found.lower > 0.0 {
                    apart += 1;
                    inside += usize::from(found.t > 0.0 && found.t < 1.0);
                } else {
                    touching += 1;
                }
            }
        }
    }
    println!("{apart} apart, {inside} of them least inside, {touching} touching");
    assert!(
        apart >= 70 && inside >= 40 && touching >= 25,
        "{apart} apart, {inside} inside, {touching} touching"
    );
}
