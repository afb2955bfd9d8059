//! Attacks on least distances over time: two bodies of any shape, in scenes and on robots.
//!
//! [`run`] makes `rounds` pairs from a seed and panics with the story at the first broken promise. A lower bound is
//! refuted by any upper bound at an instant. It is compared with upper bounds at random instants, and at ever closer
//! instants around the best of them. First touches judge both bounds, and are judged by them. With the lower bound as
//! separation no answer may be closer, and with more than the upper bound as separation no answer may be free beyond
//! its time. Sizes go from 1e-60 to 1e60, places are up to 1e8 sizes away, budgets go from one step on.

use firsttouch::adaptive::{Moved, Simulated};
use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{
    Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, HeightField, Hull, Mesh, PointCloud, Shape,
    SolidMesh, Sphere,
};
use firsttouch::{Body, Options, Scene};
use glam::{DVec2, DVec3};

use crate::random::Random;

/// Counts of the pairs by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) pairs: usize,
    pub(crate) apart: usize,
    pub(crate) overlapping: usize,
    pub(crate) tight: usize,
    /// Upper bounds at instants that were compared with a lower bound.
    pub(crate) instants: usize,
    /// Least distances whose time lies inside the span.
    pub(crate) inside: usize,
    /// First touches that judged a bound.
    pub(crate) touches: usize,
    pub(crate) robots: usize,
}

/// Attacks `rounds` times.
pub(crate) fn run(seed: u64, rounds: usize) -> Counts {
    let mut counts = Counts::default();
    for round in 0..rounds {
        let mut random = Random(seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(round as u64));
        let name = format!("seed {seed}, round {round}");
        counts.pairs += 1;
        if random.index(4) == 0 {
            robot(&mut random, &mut counts, &name)
        } else {
            pair(&mut random, &mut counts, &name)
        }
    }
    counts
}

fn pick(random: &mut Random, values: &[f64]) -> f64 {
    values[random.index(values.len())]
}

/// Returns a closed surface around an axis, with dents, and thin if its size across is small.
fn spindle(random: &mut Random, size: f64, across: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (rings, around) = (2 + random.index(4), 3 + random.index(6));
    let mut vertices = vec![DVec3::Z * -size, DVec3::Z * size];
    for i in 0..rings {
        let z = size * (2.0 * (i as f64 + 1.0) / (rings as f64 + 1.0) - 1.0);
        for j in 0..around {
            let (sin, cos) = (std::f64::consts::TAU * j as f64 / around as f64).sin_cos();
            vertices
                .push(DVec3::new(across * cos, across * sin, 0.0) * random.range(0.2, 1.0) + DVec3::Z * z);
        }
    }
    let at = |i: usize, j: usize| (2 + i * around + j % around) as u32;
    let mut triangles = Vec::new();
    for j in 0..around {
        triangles.push([0, at(0, j + 1), at(0, j)]);
        triangles.push([1, at(rings - 1, j), at(rings - 1, j + 1)]);
        for i in 1..rings {
            triangles.push([at(i - 1, j), at(i - 1, j + 1), at(i, j + 1)]);
            triangles.push([at(i - 1, j), at(i, j + 1), at(i, j)]);
        }
    }
    (vertices, triangles)
}

fn shape(random: &mut Random, size: f64) -> Shape {
    let side = |random: &mut Random| size * pick(random, &[1.0, 0.7, 0.3, 1e-3]);
    match random.index(12) {
        0 => Sphere::new(side(random)).unwrap().into(),
        1 => Capsule::new(side(random), size).unwrap().into(),
        2 => Cuboid::new(DVec3::new(size, side(random), side(random))).unwrap().into(),
        3 => Cylinder::new(side(random), size).unwrap().into(),
        4 => Cone::new(size, side(random)).unwrap().into(),
        5 => Ellipsoid::new(DVec3::new(size, side(random), side(random))).unwrap().into(),
        6 => Hull::new(&[(); 9].map(|()| random.vector(size))).unwrap().into(),
        7 | 8 => {
            let across = side(random);
            let (vertices, triangles) = spindle(random, size, across);
            Mesh::new(vertices, triangles).unwrap().into()
        }
        9 => {
            let across = side(random);
            let (vertices, triangles) = spindle(random, size, across);
            SolidMesh::new(Mesh::new(vertices, triangles).unwrap()).unwrap().into()
        }
        10 => {
            let points = (0..1 + random.index(40)).map(|_| random.vector(size)).collect();
            PointCloud::new(points, side(random) * 0.2).unwrap().into()
        }
        _ => {
            let heights = (0..12).map(|_| random.range(0.0, size)).collect();
            HeightField::new(4, 3, DVec2::new(2.0 * size, size), heights).unwrap().into()
        }
    }
}

fn motion(random: &mut Random, away: DVec3, size: f64, spread: f64) -> Motion {
    let place =
        |random: &mut Random| Pose::new(away + random.vector(spread * size), random.rotation()).unwrap();
    let (from, to) = (place(random), place(random));
    match random.index(6) {
        0 => Motion::linear(from, to),
        1 => Motion::screw(from, to),
        2 => Motion::contact_screw(from, to),
        3 => Motion::rational(from, to),
        4 => {
            let axis = random.vector(1.0) + DVec3::splat(1e-3);
            Motion::turn(from, axis, away + random.vector(size), random.range(-20.0, 20.0)).unwrap()
        }
        _ => Motion::fixed(from),
    }
}

fn options(random: &mut Random, size: f64) -> Options {
    Options {
        tolerance: size * pick(random, &[1e-2, 1e-4, 1e-6, 1e-9]),
        max_iterations: [1, 2, 5, 40, 1000, 1000][random.index(6)],
        t_max: pick(random, &[1.0, 1.0, 0.7]),
        ..Options::default()
    }
}

/// Two bodies in a scene.
fn pair(random: &mut Random, counts: &mut Counts, name: &str) {
    let size = pick(random, &[1.0, 1.0, 1.0, 1e-60, 1e-6, 1e6, 1e60]);
    let far = size * pick(random, &[0.0, 0.0, 1.0, 1e4, 1e8]);
    let away = random.vector(far);
    let spread = pick(random, &[0.3, 1.0, 3.0, 10.0]);
    let mut scene = Scene::default();
    let first = shape(random, size);
    scene.add(Body::new("one", first, motion(random, away, size, spread))).unwrap();
    if random.index(10) == 0 {
        let normal = random.vector(1.0) + DVec3::splat(1e-3);
        let at = Pose::from_translation(away).unwrap();
        let offset = random.range(-spread, 0.5) * size;
        scene.add(Body::new("other", HalfSpace::new(normal, offset).unwrap(), Motion::fixed(at))).unwrap();
    } else {
        let small = size * pick(random, &[1.0, 0.3, 1e-3]);
        let second = shape(random, small);
        scene.add(Body::new("other", second, motion(random, away, size, spread))).unwrap();
    }
    let options = options(random, size);
    let found = scene.clearance(&options).expect("valid options").expect("there is a pair");
    let story = || {
        let kinds: Vec<String> = scene.bodies().iter().map(|body| format!("{:?}", body.as_rigid())).collect();
        format!("{name} {options:?}: {found:?} of {}", kinds.join(" and "))
    };
    assert!(found.lower >= 0.0 && found.lower <= found.upper && found.upper.is_finite(), "{}", story());
    assert!((0.0..=options.t_max).contains(&found.t), "{}", story());
    counts.apart += usize::from(found.lower > 0.0);
    counts.overlapping += usize::from(found.upper == 0.0);
    counts.tight += usize::from(found.is_tight);
    counts.inside += usize::from(found.t > 0.0 && found.t < options.t_max);
    let at = |t: f64| scene.distance_at(t, &Options::default()).expect("a time").expect("there is a pair");
    compare(random, counts, &options, (found.lower, found.t), |t| at(t).upper, &story);
    // The upper bound is not below the distance at its time.
    assert!(at(found.t).lower <= found.upper, "{:?}: {}", at(found.t), story());
    let separated = |min_separation: f64| {
        let steps = Options { min_separation, max_iterations: 2000, t_max: options.t_max, ..options };
        scene.check(&steps).expect("valid options").answer
    };
    touches(counts, &found, separated, &story);
}

/// Compares a lower bound with upper bounds at instants.
fn compare(
    random: &mut Random,
    counts: &mut Counts,
    options: &Options,
    (lower, t): (f64, f64),
    upper_at: impl Fn(f64) -> f64,
    story: &dyn Fn() -> String,
) {
    let mut best = (f64::INFINITY, t);
    let mut width = options.t_max;
    for k in 0..24 {
        let t = match k {
            0 => t,
            1..=11 => random.range(0.0, options.t_max),
            _ => (best.1 + random.range(-width, width)).clamp(0.0, options.t_max),
        };
        let upper = upper_at(t);
        counts.instants += 1;
        assert!(lower <= upper, "{lower:e}, but {upper:e} at {t}: {}", story());
        if upper < best.0 {
            best = (upper, t);
        } else if k > 11 {
            width *= 0.5;
        }
    }
}

/// Compares both bounds with first touches.
fn touches(
    counts: &mut Counts,
    found: &firsttouch::Clearance,
    separated: impl Fn(f64) -> firsttouch::Answer,
    story: &dyn Fn() -> String,
) {
    let of_lower = separated(found.lower * (1.0 - 1e-9));
    if let Some(touch) = of_lower.touch() {
        counts.touches += 1;
        assert!(found.lower <= touch.gap, "{touch:?}: {}", story());
    }
    let of_upper = separated(found.upper * (1.0 + 1e-9));
    counts.touches += usize::from(of_upper.touch().is_some());
    assert!(of_upper.free_until(1.0) <= found.t, "{of_upper:?}: {}", story());
}

/// Returns an arm of three joints with shapes on its links, among obstacles.
fn robot(random: &mut Random, counts: &mut Counts, name: &str) {
    let size = pick(random, &[1.0, 1.0, 1e-6, 1e6]);
    let far = size * pick(random, &[0.0, 1.0, 1e6]);
    let away = random.vector(far);
    let mut links = vec![("link0".to_string(), vec![])];
    let mut joints = Vec::new();
    for i in 1..4 {
        let own = size * pick(random, &[0.5, 0.2, 0.05]);
        let parts = (0..1 + random.index(2)).map(|_| LinkPart {
            shape: shape(random, own),
            pose: Pose::new(random.vector(0.3 * size), random.rotation()).unwrap(),
        });
        links.push((format!("link{i}"), parts.collect()));
        let axis = random.vector(1.0) + DVec3::splat(1e-3);
        joints.push(Joint {
            name: format!("joint{i}"),
            parent: format!("link{}", i - 1),
            child: format!("link{i}"),
            origin: Pose::new(random.vector(size), random.rotation()).unwrap(),
            kind: if random.index(4) == 0 {
                JointKind::Prismatic { axis }
            } else {
                JointKind::Revolute { axis }
            },
            limits: None,
            mimic: None,
        });
    }
    let robot = Robot::new("arm", links, joints.clone()).unwrap();
    let value = |random: &mut Random, joint: &Joint| {
        random.range(-2.0, 2.0) * if matches!(joint.kind, JointKind::Prismatic { .. }) { size } else { 1.0 }
    };
    let mut configuration = || -> Vec<f64> { joints.iter().map(|joint| value(random, joint)).collect() };
    let (from, to) = (configuration(), configuration());
    let obstacles = (0..1 + random.index(3)).map(|k| {
        let pose = Pose::new(away + random.vector(3.0 * size), random.rotation()).unwrap();
        Body::new(format!("obstacle{k}"), shape(random, 0.5 * size), Motion::fixed(pose))
    });
    let obstacles: Vec<Body> = obstacles.collect();
    let base = Pose::new(away, random.rotation()).unwrap();
    let simulated =
        Simulated::new(robot.clone(), base, obstacles.clone(), from.clone()).expect("obstacles at rest");
    let checker = Checker::new(robot, base, obstacles).expect("obstacles at rest");
    let options = Options { t_max: 1.0, ..options(random, size) };
    let found = checker.clearance(&[from.clone(), to.clone()], &options).expect("valid values");
    let found = found.expect("there is a pair").clearance;
    let story = || format!("{name} {options:?}: {found:?}");
    assert!(found.lower >= 0.0 && found.lower <= found.upper && found.upper.is_finite(), "{}", story());
    counts.robots += 1;
    counts.apart += usize::from(found.lower > 0.0);
    counts.overlapping += usize::from(found.upper == 0.0);
    counts.tight += usize::from(found.is_tight);
    counts.inside += usize::from(found.t > 0.0 && found.t < options.t_max);
    let at = |t: f64| {
        let found = checker.distance_at(&from, &to, t, &Options::default());
        found.expect("a time").expect("there is a pair")
    };
    compare(random, counts, &options, (found.lower, found.t), |t| at(t).upper, &story);
    assert!(at(found.t).lower <= found.upper, "{:?}: {}", at(found.t), story());
    let separated = |min_separation: f64| {
        let steps = Options { min_separation, max_iterations: 2000, ..options };
        checker.check_step(&from, &to, &steps).expect("valid values").answer
    };
    touches(counts, &found, separated, &story);
    let values = from.iter().zip(&to).enumerate();
    let moved: Vec<Moved> = values.map(|(variable, (&from, &to))| Moved { variable, from, to }).collect();
    let simulated = |min_separation: f64| {
        let steps = Options { min_separation, max_iterations: 2000, ..options };
        simulated.clone().step(&moved, &steps).expect("valid values").answer
    };
    touches(counts, &found, simulated, &story);
}
