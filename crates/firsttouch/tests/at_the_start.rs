//! "Touching at the start" has one rule for all engines: `Options::touching`. A gap of at most
//! `min_separation + tolerance` at time 0 is a touch at the start, also if the two part from there, and a larger one is
//! none. If an engine decides exactly, the tolerance is not part of the rule.

use crate::random;

use std::collections::BTreeMap;

use firsttouch::adaptive::{Moved, Simulated};
use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot, RobotStep};
use firsttouch::deformable::{Deformable, Start as DeformStart};
use firsttouch::ellipsoid::{Directions, Group, GroupStats};
use firsttouch::motion::{AffineInterpolant, ContactScrew, Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid, Ellipsoid, Hull, Mesh, Shape, SolidMesh, Sphere};
use firsttouch::{
    Answer, Body, Limits, Mode, Options, Scene, ScrewPair, ScrewPairOptions, Verdict, first_touch,
};
use glam::{DQuat, DVec3, dvec3};
use random::Random;

/// The upper of the two bodies. Its lowest point is at the origin of its frame turned by `turn`, above a wall whose top
/// is at z = 0.
struct Upper {
    shape: Shape,
    turn: DQuat,
    /// Returns how far it reaches below its origin.
    below: f64,
}

fn octahedron() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let corners = vec![
        DVec3::X * 0.4,
        DVec3::Y * 0.3,
        DVec3::X * -0.4,
        DVec3::Y * -0.3,
        DVec3::Z * 0.5,
        DVec3::Z * -0.5,
    ];
    let mut triangles = Vec::new();
    for i in 0..4 {
        let (a, b) = (i, (i + 1) % 4);
        triangles.push([a, b, 4]);
        triangles.push([b, a, 5]);
    }
    (corners, triangles)
}

fn box_mesh(half: DVec3) -> Mesh {
    let corner =
        |i: u32| half * DVec3::from_array([0, 1, 2].map(|k| if i >> k & 1 == 1 { 1.0 } else { -1.0 }));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    Mesh::new((0..8).map(corner).collect(), triangles).unwrap()
}

fn uppers(random: &mut Random) -> Vec<Upper> {
    let turn = random.rotation();
    // The direction down, seen from the body.
    let down = turn.inverse() * -DVec3::Z;
    let (corners, triangles) = octahedron();
    let of_corners =
        |corners: &[DVec3]| corners.iter().map(|p| p.dot(down)).fold(f64::NEG_INFINITY, f64::max);
    let below_octahedron = of_corners(&corners);
    let axes = dvec3(0.7, 0.4, 0.3);
    let half = dvec3(0.3, 0.5, 0.4);
    let mesh = Mesh::new(corners.clone(), triangles).unwrap();
    let all: Vec<(Shape, f64)> = vec![
        (Sphere::new(0.5).unwrap().into(), 0.5),
        (Ellipsoid::new(axes).unwrap().into(), (axes * down).length()),
        (Cuboid::new(2.0 * half).unwrap().into(), (half * down.abs()).element_sum()),
        (Capsule::new(0.2, 0.8).unwrap().into(), 0.2 + 0.4 * down.z.abs()),
        (Hull::new(&corners).unwrap().into(), below_octahedron),
        (mesh.clone().into(), below_octahedron),
        (SolidMesh::new(mesh).unwrap().into(), below_octahedron),
    ];
    all.into_iter().map(|(shape, below)| Upper { shape, turn, below }).collect()
}

/// The motion of the upper body from its place, in multiples of a unit.
const WAYS: [(&str, DVec3); 4] = [
    ("rests", DVec3::ZERO),
    ("goes up", DVec3::new(0.0, 0.0, 2.0)),
    ("slides", DVec3::new(1.0, 0.3, 0.0)),
    ("goes down", DVec3::new(0.0, 0.0, -1.0)),
];

/// The answers, by engine.
#[derive(Default)]
struct Seen(BTreeMap<&'static str, [usize; 2]>);

impl Seen {
    /// Returns an engine's answer if the gap at the start is `at` times the largest gap that counts as touching then.
    fn judge(&mut self, engine: &'static str, at: f64, way: &str, answer: &Answer, what: &str) {
        let is_at_start = matches!(answer, Answer::TouchingAtStart(_));
        assert_eq!(is_at_start, at <= 1.0, "{engine}, {way}, {at} of what touches, {what}: {answer:?}");
        if at > 1.0 && way != "goes down" {
            assert_eq!(*answer, Answer::Free, "{engine}, {way}, {at}, {what}");
        }
        self.0.entry(engine).or_default()[usize::from(is_at_start)] += 1;
    }
}

fn slide(kind: JointKind, child: &str) -> Joint {
    Joint {
        name: format!("to {child}"),
        parent: "base".into(),
        child: child.into(),
        origin: Pose::IDENTITY,
        kind,
        limits: None,
        mimic: None,
    }
}

/// Gaps at the start, in every engine that measures and in all kinds of motion: between the separation and the largest
/// touching gap, and beyond it. Some answers were "free" in the upper tenth of the band, where others touched. The
/// distance was known only to a tenth of the tolerance, and the direction in which a search began decided the side.
#[test]
fn a_gap_in_the_band_touches_at_the_start_in_every_engine() {
    let mut seen = Seen::default();
    let mut random = Random(20);
    for round in 0..40 {
        let tolerance = [1e-2, 1e-3, 1e-6][round % 3];
        let min_separation = if round % 2 == 0 { 0.0 } else { 0.05 };
        let mode = if round % 4 == 3 { Mode::Any } else { Mode::First };
        let options = Options { min_separation, tolerance, mode, ..Options::default() };
        let share = [0.02, 0.5, 0.9, 0.93, 0.99, 0.9999, 1.0001, 1.01, 1.06, 3.0][random.index(10)];
        // Fractions of the tolerance, beyond the separation.
        let gap = min_separation + share * tolerance;
        let at = gap / options.touching();
        // The whole scene is turned and moved.
        let (turned, moved) = (random.rotation(), random.vector(3.0));
        let place = |p: DVec3, turn: DQuat| Pose::new(moved + turned * p, turned * turn).unwrap();
        let wall = Motion::fixed(place(DVec3::Z * -1.0, DQuat::IDENTITY));
        let half = dvec3(4.0, 4.0, 1.0);
        let walls: [Shape; 3] = [
            Cuboid::new(2.0 * half).unwrap().into(),
            box_mesh(half).into(),
            SolidMesh::new(box_mesh(half)).unwrap().into(),
        ];
        for Upper { shape, turn, below } in uppers(&mut random) {
            let start = random.vector(0.5) * dvec3(1.0, 1.0, 0.0) + DVec3::Z * (gap + below);
            for (way, by) in WAYS {
                let (from, to) = (place(start, turn), place(start + by, turn));
                let motion = Motion::linear(from, to);
                for wall_shape in &walls {
                    let what = format!("round {round}, {shape:?} on {wall_shape:?}");
                    let kind = match (&shape, wall_shape) {
                        (Shape::Mesh(_) | Shape::SolidMesh(_), _)
                        | (_, Shape::Mesh(_) | Shape::SolidMesh(_)) => "trees",
                        _ => "convex",
                    };
                    let answer = first_touch((&shape, &motion), (wall_shape, &wall), &options).unwrap();
                    seen.judge(kind, at, way, &answer, &what);
                    let other = Body::new("wall", wall_shape.clone(), wall.clone());
                    let mut scene = Scene::default();
                    scene.add(Body::new("upper", shape.clone(), motion.clone())).unwrap();
                    scene.add(other.clone()).unwrap();
                    seen.judge("scene", at, way, &scene.check(&options).unwrap().answer, &what);

                    // The same on a robot that follows the motion, and on one whose base it is fixed to.
                    let axis = if by == DVec3::ZERO { DVec3::X } else { by };
                    let part = LinkPart { shape: shape.clone(), pose: Pose::new(start, turn).unwrap() };
                    let empty = LinkPart {
                        shape: Sphere::new(0.1).unwrap().into(),
                        pose: Pose::from_translation(DVec3::Z * 30.0).unwrap(),
                    };
                    let frame = place(DVec3::ZERO, DQuat::IDENTITY);
                    let goal = by.length();
                    let (on_base, on_cart) = if way == "rests" { (part, empty) } else { (empty, part) };
                    let links = vec![("base".into(), vec![on_base]), ("cart".into(), vec![on_cart])];
                    let robot =
                        Robot::new("r", links, vec![slide(JointKind::Prismatic { axis }, "cart")]).unwrap();
                    let checker = Checker::new(robot.clone(), frame, vec![other.clone()]).unwrap();
                    seen.judge(
                        "checker",
                        at,
                        way,
                        &checker.check_step(&[0.0], &[goal], &options).unwrap().answer,
                        &what,
                    );
                    let state = checker.check_state(&[0.0], &options).unwrap().answer;
                    seen.judge("state", at, "rests", &state, &what);
                    let step = RobotStep::new(robot.clone(), frame, vec![0.0], vec![goal]).unwrap();
                    let mut scene = Scene::default();
                    scene.add(Body::robot("r", step)).unwrap();
                    scene.add(other.clone()).unwrap();
                    seen.judge("robot", at, way, &scene.check(&options).unwrap().answer, &what);
                    let mut simulated = Simulated::new(robot, frame, vec![other], vec![0.0]).unwrap();
                    let moved = [Moved { variable: 0, from: 0.0, to: goal }];
                    let answer = simulated.step(&moved, &options).unwrap().answer;
                    seen.judge("simulated", at, way, &answer, &what);
                    // Once more, with the remembered distances.
                    let answer = simulated.step(&moved, &options).unwrap().answer;
                    seen.judge("simulated again", at, way, &answer, &what);
                }
                // Balls, whose bounding balls give as much as they do.
                if let Shape::Sphere(_) = &shape {
                    let ball = Shape::from(Sphere::new(1.0).unwrap());
                    let below = Motion::fixed(place(dvec3(start.x, start.y, -1.0), DQuat::IDENTITY));
                    let answer = first_touch((&shape, &motion), (&ball, &below), &options).unwrap();
                    let way = if way == "slides" { "goes up" } else { way };
                    seen.judge("balls", at, way, &answer, &format!("round {round}"));
                    let mut scene = Scene::default();
                    scene.add(Body::new("upper", shape.clone(), motion.clone())).unwrap();
                    scene.add(Body::new("lower", ball, below)).unwrap();
                    let answer = scene.check(&options).unwrap().answer;
                    seen.judge("balls in a scene", at, way, &answer, &format!("round {round}"));
                }
                // CONTACT takes meshes and contact screws.
                if let (Shape::Mesh(mesh), Shape::Mesh(wall)) = (&shape, &walls[1]) {
                    let pair =
                        ScrewPair::new(mesh.clone(), wall.clone(), ScrewPairOptions::default()).unwrap();
                    let motion = ContactScrew::new(from, to);
                    let at_rest = place(DVec3::Z * -1.0, DQuat::IDENTITY);
                    let answer = pair.check(&motion, at_rest, &options).unwrap();
                    seen.judge("screw pair", at, way, &answer, &format!("round {round}"));
                }
                // The same corners as a deforming mesh, on a wall that does not deform.
                if let Shape::Mesh(mesh) = &shape {
                    let frames = [from, to]
                        .map(|pose| mesh.vertices().iter().map(|p| pose.at().apply(*p)).collect::<Vec<_>>());
                    let [t0, t1] = frames;
                    let cloth = Deformable::new(t0, t1, mesh.triangles().to_vec(), vec![], vec![]).unwrap();
                    let mut scene = Scene::default();
                    scene.add(Body::deforming("cloth", cloth)).unwrap();
                    scene.add(Body::new("wall", walls[0].clone(), wall.clone())).unwrap();
                    scene.allow("cloth", "cloth").unwrap();
                    let answer = scene.check(&options).unwrap().answer;
                    seen.judge("deforming on solid", at, way, &answer, &format!("round {round}"));
                }
                // An ellipsoid that changes its shape.
                if let Shape::Ellipsoid(ellipsoid) = &shape {
                    let motion = AffineInterpolant::between(ellipsoid, from, to).unwrap();
                    let mut scene = Scene::default();
                    scene.add(Body::interpolant("upper", motion).unwrap()).unwrap();
                    scene.add(Body::new("wall", walls[1].clone(), wall.clone())).unwrap();
                    let answer = scene.check(&options).unwrap().answer;
                    seen.judge("affine on mesh", at, way, &answer, &format!("round {round}"));
                }
            }
        }
    }
    println!("{:?}", seen.0);
    assert_eq!(seen.0.len(), 13);
    for (engine, [not, at_start]) in seen.0 {
        assert!(not > 20 && at_start > 20, "{engine}: {not} and {at_start}");
    }
}

/// Two ellipsoids by algebra, and the features of deforming meshes, are exact without a separation, so the tolerance is
/// not part of the rule. With a separation they measure, as all other engines do.
#[test]
fn where_the_decision_is_exact_the_tolerance_is_no_part_of_it() {
    let mut seen = Seen::default();
    let mut random = Random(21);
    for round in 0..200 {
        let tolerance = [1e-2, 1e-3, 1e-6][round % 3];
        let min_separation = if round % 2 == 0 { 0.0 } else { 0.05 };
        let options = Options { min_separation, tolerance, ..Options::default() };
        let share = [0.02, 0.5, 0.9, 0.93, 0.99, 0.9999, 1.0001, 1.01, 1.06, 3.0][random.index(10)];
        let gap = min_separation + share * tolerance;
        let is_exact = min_separation == 0.0;
        let at = if is_exact { f64::INFINITY } else { gap / options.touching() };
        let engine = |exact, measured| if is_exact { exact } else { measured };
        let (turned, moved) = (random.rotation(), random.vector(3.0));
        let place = |p: DVec3| Pose::new(moved + turned * p, turned).unwrap();
        for (way, by) in WAYS {
            let start = DVec3::Z * (gap + 0.3 + 1.0);
            let by = if way == "slides" { by * 0.1 } else { by };
            let egg: Shape = Ellipsoid::new(dvec3(0.7, 0.4, 0.3)).unwrap().into();
            let other: Shape = Ellipsoid::new(dvec3(3.0, 2.0, 1.0)).unwrap().into();
            let motion = Motion::rational(place(start), place(start + by));
            let fixed = Motion::fixed(place(DVec3::ZERO));
            let answer = first_touch((&egg, &motion), (&other, &fixed), &options).unwrap();
            let what = format!("round {round}");
            if way != "slides" {
                seen.judge(engine("ellipsoids by algebra", "ellipsoids"), at, way, &answer, &what);
                // There is no algebra for this motion.
                let motion = Motion::linear(place(start), place(start + by));
                let answer = first_touch((&egg, &motion), (&other, &fixed), &options).unwrap();
                seen.judge("ellipsoids, not rational", gap / options.touching(), way, &answer, &what);
                let member = |shape: &Shape, motion: &Motion| match shape {
                    Shape::Ellipsoid(shape) => (*shape, motion.clone()),
                    _ => unreachable!("they are ellipsoids"),
                };
                let groups = [Group::new([member(&egg, &motion)]), Group::new([member(&other, &fixed)])];
                let limits = Limits::new(&options).unwrap();
                let (mut directions, mut stats) = (Directions::default(), GroupStats::default());
                for _ in 0..2 {
                    let found = groups[0].first_touch(&groups[1], &limits, &mut directions, &mut stats);
                    let is_at_start = matches!(found, Verdict::Touch(touch) if touch.t == 0.0);
                    assert_eq!(is_at_start, gap <= options.touching(), "{what}, {way}: {found:?}");
                }
            }
            // A point above a triangle, both of one deforming mesh.
            let frame = |by: DVec3| {
                let corners = [
                    dvec3(0.0, 0.0, 0.0),
                    dvec3(4.0, 0.0, 0.0),
                    dvec3(0.0, 4.0, 0.0),
                    dvec3(0.5, 0.5, gap) + by,
                ];
                corners.map(|p| place(p).translation()).to_vec()
            };
            let mesh =
                Deformable::new(frame(DVec3::ZERO), frame(by), vec![[0, 1, 2]], vec![], vec![3]).unwrap();
            let answer = mesh.check(&options, DeformStart::Report).unwrap().answer;
            seen.judge(engine("deforming, exact", "deforming"), at, way, &answer, &what);
            // The same as two meshes.
            let [t0, t1] = [frame(DVec3::ZERO), frame(by)];
            let face =
                Deformable::new(t0[..3].to_vec(), t1[..3].to_vec(), vec![[0, 1, 2]], vec![], vec![]).unwrap();
            let point = Deformable::new(t0[3..].to_vec(), t1[3..].to_vec(), vec![], vec![], vec![0]).unwrap();
            let mut scene = Scene::default();
            scene.add(Body::deforming("face", face)).unwrap();
            scene.add(Body::deforming("point", point)).unwrap();
            let answer = scene.check(&options).unwrap().answer;
            seen.judge(engine("two deforming, exact", "two deforming"), at, way, &answer, &what);
        }
    }
    println!("{:?}", seen.0);
    for engine in ["ellipsoids by algebra", "deforming, exact", "two deforming, exact"] {
        assert!(seen.0[engine][0] > 100, "{engine}: {:?}", seen.0);
    }
    for engine in ["ellipsoids", "ellipsoids, not rational", "deforming", "two deforming"] {
        let [not, at_start] = seen.0[engine];
        assert!(not > 50 && at_start > 50, "{engine}: {:?}", seen.0);
    }
}
