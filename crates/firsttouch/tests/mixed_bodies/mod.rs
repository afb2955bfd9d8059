//! Random bodies of every kind, and their pieces and distances at an instant, for the tests of mixed scenes.

use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot, RobotStep};
use firsttouch::deformable::Deformable;
use firsttouch::distance::gjk::Gjk;
use firsttouch::motion::{Affine, Motion, Pose, PoseAt, RigidMotion};
use firsttouch::shape::{Capsule, Convex, Cuboid, Ellipsoid, Hull, Mesh, Shape, Sphere, Triangle};
use firsttouch::{Body, BodyKind, Scene};
use glam::{DMat3, DQuat, DVec3};

use crate::random::Random;

impl Random {
    pub(crate) fn pose_near(&mut self, at: DVec3, spread: f64) -> Pose {
        Pose::new(at + self.vector(spread), self.rotation()).unwrap()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Solid,
    Ellipsoid,
    Affine,
    Mesh,
    Robot,
    Held,
    Deforming,
}

pub(crate) const KINDS: [Kind; 7] =
    [Kind::Solid, Kind::Ellipsoid, Kind::Affine, Kind::Mesh, Kind::Robot, Kind::Held, Kind::Deforming];

/// Returns a bumpy closed surface of 8 n² triangles about the origin.
pub(crate) fn lump(random: &mut Random, n: usize, size: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
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

pub(crate) fn mesh(random: &mut Random, size: f64) -> Mesh {
    let (vertices, triangles) = lump(random, 2, size);
    Mesh::new(vertices, triangles).unwrap()
}

pub(crate) fn solid(random: &mut Random, size: f64) -> Shape {
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

pub(crate) fn motion(random: &mut Random, from: DVec3, to: DVec3) -> Motion {
    let (from, to) = (random.pose_near(from, 0.5), random.pose_near(to, 0.5));
    match random.next() % 5 {
        0 => Motion::linear(from, to),
        1 => Motion::screw(from, to),
        2 => Motion::contact_screw(from, to),
        3 => Motion::rational(from, to),
        _ => Motion::fixed(from),
    }
}

pub(crate) fn joint(name: &str, parent: &str, child: &str, origin: DVec3, kind: JointKind) -> Joint {
    let origin = Pose::from_translation(origin).unwrap();
    let (name, parent, child) = (name.into(), parent.into(), child.into());
    Joint { name, parent, child, origin, kind, limits: None, mimic: None }
}

/// Returns a floating base with an arm of two links, one of them a mesh.
pub(crate) fn robot(random: &mut Random, from: DVec3, to: DVec3, bare: bool) -> RobotStep {
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
        let pose = random.pose_near(at, 0.3);
        let (p, q) = (pose.translation(), pose.rotation());
        let mut values = vec![p.x, p.y, p.z, q.x, q.y, q.z, q.w];
        values.extend([random.range(-2.0, 2.0), random.range(-2.0, 2.0), random.range(-0.2, 0.2)]);
        values
    };
    let (from, to) = (configuration(from), configuration(to));
    RobotStep::new(robot, Pose::IDENTITY, from, to).unwrap()
}

pub(crate) fn deforming(random: &mut Random, from: DVec3, to: DVec3) -> Deformable {
    let (vertices, triangles) = lump(random, 2, 0.7);
    let turned = |q: DQuat, at: DVec3, stretch: f64| {
        vertices.iter().map(|&v| q * (v * DVec3::new(stretch, 1.0, 1.0 / stretch)) + at).collect::<Vec<_>>()
    };
    // A small rotation and a stretch: the surface does not pass through itself on the way.
    let (q, axis) = (random.rotation(), random.vector(1.0));
    let next = DQuat::from_scaled_axis(0.3 * axis) * q;
    Deformable::new(turned(q, from, 1.0), turned(next, to, random.range(0.8, 1.3)), triangles, vec![], vec![])
        .unwrap()
}

/// Adds a body of a kind that moves approximately from one place to another.
pub(crate) fn add(scene: &mut Scene, random: &mut Random, name: &str, kind: Kind, from: DVec3, to: DVec3) {
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
            // Another test checks its own links.
            scene.allow(name, name).unwrap();
        }
        Kind::Held => {
            let holder = format!("holder of {name}");
            scene.add(Body::robot(&holder, robot(random, from, to, true))).unwrap();
            let shape: Shape =
                if random.next().is_multiple_of(2) { mesh(random, 0.7).into() } else { solid(random, 0.8) };
            let pose = random.pose_near(DVec3::ZERO, 0.2);
            scene.attach(name, shape, &holder, "hand", pose, &[]).unwrap();
        }
        Kind::Deforming => {
            scene.add(Body::deforming(name, deforming(random, from, to))).unwrap();
            scene.allow(name, name).unwrap();
        }
    }
}

/// A placed convex piece.
pub(crate) struct Cell {
    shape: Shape,
    triangle: Option<Triangle>,
    pub(crate) pose: PoseAt,
}

impl Cell {
    pub(crate) fn convex(&self) -> &dyn Convex {
        match &self.triangle {
            Some(triangle) => triangle,
            None => self.shape.as_convex().unwrap(),
        }
    }
}

pub(crate) fn cells_of(shape: &Shape, pose: PoseAt) -> Vec<Cell> {
    match shape {
        Shape::Mesh(mesh) => (0..mesh.triangles().len() as u32)
            .map(|i| Cell { shape: shape.clone(), triangle: Some(mesh.triangle(i)), pose })
            .collect(),
        _ => vec![Cell { shape: shape.clone(), triangle: None, pose }],
    }
}

/// Returns the pieces of a body at a time.
pub(crate) fn cells(scene: &Scene, body: usize, t: f64) -> Vec<Cell> {
    match scene.bodies()[body].kind() {
        BodyKind::Rigid { shape, motion } => cells_of(shape, motion.pose_at(t)),
        // The unit ball, in a pose that is not a rotation.
        BodyKind::Affine(ellipsoid) => {
            let (matrix, center) = ellipsoid.at(t);
            let pose = PoseAt { rotation: matrix, translation: center };
            // Its core is the ellipsoid and not a point, so that it is not treated as a ball.
            vec![Cell { shape: Ellipsoid::new(DVec3::ONE).unwrap().into(), triangle: None, pose }]
        }
        BodyKind::Deforming(tree) => {
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
        BodyKind::Robot(step) => {
            let motion = step.motion();
            let links = step.robot().links().iter().enumerate();
            links
                .filter(|(link, _)| {
                    !scene.bodies().iter().any(|b| matches!(b.kind(), BodyKind::Attached { robot, link: l } if *robot == body && l == link))
                })
                .flat_map(|(link, described)| {
                    let motion = &motion;
                    described.parts().iter().enumerate().flat_map(move |(part, LinkPart { shape, .. })| {
                        cells_of(shape, motion.part(link, part).pose_at(t))
                    })
                })
                .collect()
        }
        BodyKind::Attached { robot, link } => {
            let BodyKind::Robot(step) = scene.bodies()[*robot].kind() else { panic!("it is a robot") };
            let motion = step.motion();
            cells_of(&step.robot().links()[*link].parts()[0].shape, motion.part(*link, 0).pose_at(t))
        }
        _ => unreachable!("no scene here has a body of another kind"),
    }
}

pub(crate) fn distance(a: &[Cell], b: &[Cell]) -> f64 {
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
