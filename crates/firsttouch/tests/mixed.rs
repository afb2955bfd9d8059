//! Every kind of body against every other in one scene, against dense sampling; and one geometry expressed in two kinds.

mod random;

use std::collections::BTreeMap;

use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot, RobotStep};
use firsttouch::deformable::Deformable;
use firsttouch::distance::gjk::Gjk;
use firsttouch::motion::{Affine, Motion, Pose, PoseAt, RigidMotion};
use firsttouch::shape::{Capsule, Convex, Cuboid, Ellipsoid, Hull, Mesh, Shape, Sphere, Triangle};
use firsttouch::{Answer, Body, Matter, Mode, Options, Scene};
use glam::{DMat3, DQuat, DVec3};
use random::Random;

impl Random {
    fn rotation(&mut self) -> DQuat {
        let [x, y, z, w] = [0; 4].map(|_| self.range(-1.0, 1.0));
        DQuat::from_xyzw(x, y, z, w).normalize()
    }
    fn pose(&mut self, at: DVec3, spread: f64) -> Pose {
        Pose::new(at + self.vector(spread), self.rotation()).unwrap()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Solid,
    Ellipsoid,
    Affine,
    Mesh,
    Robot,
    Held,
    Deforming,
}

const KINDS: [Kind; 7] =
    [Kind::Solid, Kind::Ellipsoid, Kind::Affine, Kind::Mesh, Kind::Robot, Kind::Held, Kind::Deforming];

/// A bumpy closed surface of 8 n² triangles about the origin.
fn lump(random: &mut Random, n: usize, size: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let rings = 2 * n;
    for i in 0..=rings {
        for j in 0..rings {
            let (a, b) = (
                i as f64 / rings as f64 * std::f64::consts::PI,
                j as f64 / rings as f64 * std::f64::consts::TAU,
            );
            let radius = size * random.range(0.6, 1.0);
            vertices.push(radius * DVec3::new(a.sin() * b.cos(), a.sin() * b.sin(), a.cos()));
        }
    }
    let id = |i: usize, j: usize| (i * rings + j % rings) as u32;
    for i in 0..rings {
        for j in 0..rings {
            triangles.push([id(i, j), id(i + 1, j), id(i + 1, j + 1)]);
            triangles.push([id(i, j), id(i + 1, j + 1), id(i, j + 1)]);
        }
    }
    (vertices, triangles)
}

fn mesh(random: &mut Random, size: f64) -> Mesh {
    let (vertices, triangles) = lump(random, 2, size);
    Mesh::new(vertices, triangles).unwrap()
}

fn solid(random: &mut Random, size: f64) -> Shape {
    match random.next() % 4 {
        0 => Cuboid::new(DVec3::new(1.0, random.range(0.3, 1.0), 0.5) * size).unwrap().into(),
        1 => Sphere::new(0.6 * size).unwrap().into(),
        2 => Capsule::new(0.3 * size, 0.8 * size).unwrap().into(),
        _ => {
            let points: Vec<DVec3> = (0..12).map(|_| random.vector(0.8 * size)).collect();
            Hull::new(&points).unwrap().into()
        }
    }
}

fn motion(random: &mut Random, from: DVec3, to: DVec3) -> Motion {
    let (from, to) = (random.pose(from, 0.5), random.pose(to, 0.5));
    match random.next() % 5 {
        0 => Motion::linear(from, to),
        1 => Motion::screw(from, to),
        2 => Motion::contact_screw(from, to),
        3 => Motion::rational(from, to),
        _ => Motion::fixed(from),
    }
}

fn joint(name: &str, parent: &str, child: &str, origin: DVec3, kind: JointKind) -> Joint {
    let origin = Pose::from_translation(origin).unwrap();
    let (name, parent, child) = (name.into(), parent.into(), child.into());
    Joint { name, parent, child, origin, kind, limits: None, mimic: None }
}

/// A floating base with an arm of two links, one of them a mesh.
fn robot(random: &mut Random, from: DVec3, to: DVec3, bare: bool) -> RobotStep {
    let part = |shape: Shape, at: DVec3| LinkPart { shape, pose: Pose::from_translation(at).unwrap() };
    let of = |shape: Shape, at: DVec3| if bare { vec![] } else { vec![part(shape, at)] };
    let links = vec![
        ("world".to_string(), vec![]),
        ("base".to_string(), of(Cuboid::new(DVec3::splat(0.4)).unwrap().into(), DVec3::ZERO)),
        ("upper".to_string(), of(mesh(random, 0.25).into(), DVec3::Z * 0.3)),
        ("lower".to_string(), of(Capsule::new(0.1, 0.4).unwrap().into(), DVec3::Z * 0.3)),
        ("hand".to_string(), vec![]),
    ];
    let axis = |random: &mut Random| random.vector(1.0) + DVec3::splat(1e-3);
    let joints = vec![
        joint("float", "world", "base", DVec3::ZERO, JointKind::Floating),
        joint("shoulder", "base", "upper", DVec3::Z * 0.3, JointKind::Revolute { axis: axis(random) }),
        joint("elbow", "upper", "lower", DVec3::Z * 0.6, JointKind::Revolute { axis: axis(random) }),
        joint("wrist", "lower", "hand", DVec3::Z * 0.3, JointKind::Prismatic { axis: axis(random) }),
    ];
    let robot = Robot::new("random", links, joints).unwrap();
    let mut configuration = |at: DVec3| {
        let pose = random.pose(at, 0.3);
        let (p, q) = (pose.translation(), pose.rotation());
        let mut values = vec![p.x, p.y, p.z, q.x, q.y, q.z, q.w];
        values.extend([random.range(-2.0, 2.0), random.range(-2.0, 2.0), random.range(-0.2, 0.2)]);
        values
    };
    let (from, to) = (configuration(from), configuration(to));
    RobotStep::new(robot, Pose::IDENTITY, from, to).unwrap()
}

fn deforming(random: &mut Random, from: DVec3, to: DVec3) -> Deformable {
    let (vertices, triangles) = lump(random, 2, 0.7);
    let turned = |q: DQuat, at: DVec3, stretch: f64| {
        vertices.iter().map(|&v| q * (v * DVec3::new(stretch, 1.0, 1.0 / stretch)) + at).collect::<Vec<_>>()
    };
    // A small turn and a stretch: the surface does not pass through itself on the way.
    let (q, axis) = (random.rotation(), random.vector(1.0));
    let next = DQuat::from_scaled_axis(0.3 * axis) * q;
    Deformable::new(turned(q, from, 1.0), turned(next, to, random.range(0.8, 1.3)), triangles, vec![], vec![])
        .unwrap()
}

/// Adds a body of a kind that goes about from one place to another.
fn add(scene: &mut Scene, random: &mut Random, name: &str, kind: Kind, from: DVec3, to: DVec3) {
    match kind {
        Kind::Solid => {
            let shape = solid(random, 0.8);
            scene.add(Body::new(name, shape, motion(random, from, to))).unwrap();
        }
        Kind::Ellipsoid => {
            let axes = DVec3::new(random.range(0.2, 0.8), random.range(0.2, 0.8), random.range(0.2, 0.8));
            scene.add(Body::new(name, Ellipsoid::new(axes).unwrap(), motion(random, from, to))).unwrap();
        }
        Kind::Affine => {
            let axes = DVec3::new(random.range(0.2, 0.7), random.range(0.2, 0.7), random.range(0.2, 0.7));
            let turned = DMat3::from_quat(random.rotation()).transpose().to_cols_array();
            let change = [0; 9].map(|_| random.range(-0.25, 0.25));
            let motion = Affine::from_power_basis(
                axes,
                &[turned, change],
                &[from.to_array(), (to - from).to_array()],
                &[1.0, random.range(0.0, 0.3)],
            );
            scene.add(Body::affine(name, motion.unwrap())).unwrap();
        }
        Kind::Mesh => {
            let shape = mesh(random, 0.8);
            scene.add(Body::new(name, shape, motion(random, from, to))).unwrap();
        }
        Kind::Robot => {
            scene.add(Body::robot(name, robot(random, from, to, false))).unwrap();
            // Its own links are another test's.
            scene.allow(name, name).unwrap();
        }
        Kind::Held => {
            let holder = format!("holder of {name}");
            scene.add(Body::robot(&holder, robot(random, from, to, true))).unwrap();
            let shape: Shape =
                if random.next().is_multiple_of(2) { mesh(random, 0.7).into() } else { solid(random, 0.8) };
            let pose = random.pose(DVec3::ZERO, 0.2);
            scene.attach(name, shape, &holder, "hand", pose, &[]).unwrap();
        }
        Kind::Deforming => {
            scene.add(Body::deforming(name, deforming(random, from, to))).unwrap();
            scene.allow(name, name).unwrap();
        }
    }
}

/// A convex piece in its place.
struct Cell {
    shape: Shape,
    triangle: Option<Triangle>,
    pose: PoseAt,
}

impl Cell {
    fn convex(&self) -> &dyn Convex {
        match &self.triangle {
            Some(triangle) => triangle,
            None => self.shape.as_convex().unwrap(),
        }
    }
}

fn cells_of(shape: &Shape, pose: PoseAt) -> Vec<Cell> {
    match shape {
        Shape::Mesh(mesh) => (0..mesh.triangles().len() as u32)
            .map(|i| Cell { shape: shape.clone(), triangle: Some(mesh.triangle(i)), pose })
            .collect(),
        _ => vec![Cell { shape: shape.clone(), triangle: None, pose }],
    }
}

/// The pieces of a body at a time.
fn cells(scene: &Scene, body: usize, t: f64) -> Vec<Cell> {
    match scene.bodies()[body].matter() {
        Matter::Rigid { shape, motion } => cells_of(shape, motion.pose_at(t)),
        // The unit ball, in a pose that is no rotation.
        Matter::Affine(ellipsoid) => {
            let (matrix, center) = ellipsoid.motion().at(t);
            let pose = PoseAt { rotation: matrix, translation: center };
            // Its core is the ellipsoid and not a point, so that it is not taken for a ball.
            vec![Cell { shape: Ellipsoid::new(DVec3::ONE).unwrap().into(), triangle: None, pose }]
        }
        Matter::Deforming(tree) => {
            let (t0, t1) = (tree.mesh().frame(0), tree.mesh().frame(1));
            let at = |v: u32| t0[v as usize].lerp(t1[v as usize], t);
            let pose = PoseAt { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };
            let triangles = tree.mesh().triangles().iter().enumerate();
            triangles
                .map(|(i, ids)| Cell {
                    shape: Sphere::new(1.0).unwrap().into(),
                    triangle: Some(Triangle::new(ids.map(at), *ids, i as u32)),
                    pose,
                })
                .collect()
        }
        Matter::Robot(step) => {
            let motion = step.motion();
            let links = step.robot().links().iter().enumerate();
            links
                .filter(|(link, _)| {
                    !scene.bodies().iter().any(|b| matches!(b.matter(), Matter::Held { robot, link: l } if *robot == body && l == link))
                })
                .flat_map(|(link, described)| {
                    let motion = &motion;
                    described.parts().iter().enumerate().flat_map(move |(part, LinkPart { shape, .. })| {
                        cells_of(shape, motion.part(link, part).pose_at(t))
                    })
                })
                .collect()
        }
        Matter::Held { robot, link } => {
            let Matter::Robot(step) = scene.bodies()[*robot].matter() else { panic!("it is a robot") };
            let motion = step.motion();
            cells_of(&step.robot().links()[*link].parts()[0].shape, motion.part(*link, 0).pose_at(t))
        }
    }
}

fn distance(a: &[Cell], b: &[Cell]) -> f64 {
    let mut best = f64::INFINITY;
    for x in a {
        for y in b {
            let (p, q) = (x.convex(), y.convex());
            // A pose may stretch as well.
            let far = (x.pose.translation - y.pose.translation).length() - 2.0 * (p.reach() + q.reach());
            if far >= best {
                continue;
            }
            let found = Gjk::default().closest_points(p, q, &[x.pose, y.pose], |_| 1e-13);
            best = best.min(found.points[0].distance(found.points[1]) - p.margin() - q.margin());
        }
    }
    best
}

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
                // Any, all, and the other order of bodies say the same.
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
        let pose = random.pose(DVec3::ZERO, 0.2);
        let shape = solid(&mut random, size);
        scene.attach("part", shape, "arm", "hand", pose, &["lower"]).unwrap();
        let options = Options::default();
        let answer = scene.check(&options).unwrap().answer;
        // Sampled without the link that may touch.
        let Matter::Robot(step) = scene.bodies()[0].matter() else { panic!() };
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

/// A crowd of all kinds: the same bits for any number of threads and any order of the bodies, and the earliest of all pairs.
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

/// One geometry, two kinds: a rigid mesh on a straight line as a deforming one, a rigid body as a link, an ellipsoid as a
/// fine mesh.
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
    // The mesh of 32 000 triangles is inside of the ellipsoid by at most 4e-4: later, and not by much.
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
    // The one it passes at a distance of half a unit now counts: sqrt(3² − 2.5²) before x = 4.
    scene.keep_apart("near", "flying", 1.0).unwrap();
    assert_eq!(touch(&scene).bodies, [0, 1]);
    assert!((touch(&scene).toi - 0.1 * (4.0 - 2.75_f64.sqrt())).abs() < 1e-6);
    assert!(scene.keep_apart("near", "nobody", 1.0).is_err());
    assert!(scene.keep_apart("near", "far", -1.0).is_err());
}
