//! Random robots of boxes with their description, and textbook formulas for where their links are.

use firsttouch::Body;
use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Mimic, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Mesh, Shape};
use glam::{DAffine3, DQuat, DVec3};

use super::random::Random;

/// The description of a robot, for the independent formulas.
pub(super) struct Described {
    pub(super) robot: Robot,
    pub(super) joints: Vec<Joint>,
    pub(super) half: Vec<DVec3>,
    pub(super) offset: Vec<Pose>,
}

/// Returns a random tree of box-shaped links; `branching` of 1 is a chain.
pub(super) fn random_robot(
    random: &mut Random,
    links: usize,
    branching: usize,
    every_kind: bool,
) -> Described {
    let (mut described, mut joints, mut half, mut offset) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for i in 0..links {
        let size = DVec3::new(random.range(0.05, 0.2), random.range(0.05, 0.2), random.range(0.1, 0.4));
        let pose = if i % 3 == 0 { Pose::IDENTITY } else { random.pose(0.1) };
        let part = LinkPart { shape: Cuboid::new(2.0 * size).unwrap().into(), pose };
        described.push((format!("link{i}"), vec![part]));
        half.push(size);
        offset.push(pose);
        if i > 0 {
            let parent =
                if branching == 1 { i - 1 } else { i - 1 - (random.next() % branching as u64) as usize % i };
            let axis = random.vector(1.0) + DVec3::splat(1e-3);
            let kind = match random.next() % if every_kind { 8 } else { 5 } {
                0..=3 => JointKind::Revolute { axis },
                4 => JointKind::Prismatic { axis },
                5 => JointKind::Fixed,
                6 => JointKind::Planar { normal: axis },
                _ => JointKind::Floating,
            };
            let follows = joints.iter().rev().find_map(|joint: &Joint| match (joint.kind, kind) {
                (JointKind::Revolute { .. }, JointKind::Revolute { .. }) if joint.mimic.is_none() => {
                    Some(Mimic { joint: joint.name.clone(), multiplier: -0.5, offset: 0.2 })
                }
                _ => None,
            });
            joints.push(Joint {
                name: format!("joint{i}"),
                parent: format!("link{parent}"),
                child: format!("link{i}"),
                origin: random.pose(0.6),
                kind,
                limits: None,
                mimic: if i % 7 == 6 { follows } else { None },
            });
        }
    }
    let robot = Robot::new("random", described, joints.clone()).unwrap();
    Described { robot, joints, half, offset }
}

pub(super) fn random_configuration(random: &mut Random, robot: &Robot) -> Vec<f64> {
    robot.variables().iter().map(|v| random.range(-1.5, 1.5) + v.zero).collect()
}

/// Returns the placements of the links, by textbook formulas and the platform's sine and cosine, by name.
pub(super) fn placed(described: &Described, base: Pose, from: &[f64], to: &[f64], t: f64) -> Vec<DAffine3> {
    let affine = |pose: &Pose| DAffine3::from_rotation_translation(pose.rotation(), pose.translation());
    let robot = &described.robot;
    let mut places: Vec<Option<DAffine3>> = vec![None; robot.links().len()];
    places[0] = Some(affine(&base));
    for link in 1..places.len() {
        let name = robot.links()[link].name();
        let joint = described.joints.iter().find(|joint| joint.child == name).unwrap();
        let parent = robot.links().iter().position(|l| l.name() == joint.parent).unwrap();
        let value = |suffix: &str| {
            let (name, scale, shift) = match &joint.mimic {
                Some(mimic) => (mimic.joint.clone(), mimic.multiplier, mimic.offset),
                None => (format!("{}{suffix}", joint.name), 1.0, 0.0),
            };
            let i = robot.variable(&name).unwrap();
            [from[i] * scale + shift, to[i] * scale + shift]
        };
        let lerp = |[a, b]: [f64; 2]| a + (b - a) * t;
        let local = match joint.kind {
            JointKind::Fixed => DAffine3::IDENTITY,
            JointKind::Revolute { axis } => DAffine3::from_axis_angle(axis.normalize(), lerp(value(""))),
            JointKind::Prismatic { axis } => DAffine3::from_translation(axis.normalize() * lerp(value(""))),
            JointKind::Planar { normal } => {
                let normal = normal.normalize();
                let x = if normal.z.abs() > 0.9 { DVec3::X } else { DVec3::Z };
                let x = (x - normal * x.dot(normal)).normalize();
                let shift = x * lerp(value("/x")) + normal.cross(x) * lerp(value("/y"));
                DAffine3::from_translation(shift) * DAffine3::from_axis_angle(normal, lerp(value("/theta")))
            }
            JointKind::Floating => {
                let end = |k: usize| {
                    let v = |suffix: &str| value(suffix)[k];
                    let q = DQuat::from_xyzw(v("/rot_x"), v("/rot_y"), v("/rot_z"), v("/rot_w")).normalize();
                    (DVec3::new(v("/trans_x"), v("/trans_y"), v("/trans_z")), q)
                };
                let ((p0, q0), (p1, q1)) = (end(0), end(1));
                DAffine3::from_rotation_translation(q0.slerp(q1, t), p0.lerp(p1, t))
            }
            _ => unreachable!("no robot here has a joint of another kind"),
        };
        places[link] = Some(places[parent].unwrap() * affine(&joint.origin) * local);
    }
    places.into_iter().map(Option::unwrap).collect()
}

/// Returns the index of a link in the description.
pub(super) fn described_index(robot: &Robot, link: usize) -> usize {
    robot.links()[link].name()[4..].parse().unwrap()
}

/// Returns whether two boxes overlap with room to spare, by the separating-axis test.
pub(super) fn boxes_overlap(a: (&DAffine3, DVec3), b: (&DAffine3, DVec3)) -> bool {
    let axes = |m: &DAffine3| [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis];
    let (of_a, of_b) = (axes(a.0), axes(b.0));
    let mut candidates: Vec<DVec3> = of_a.into_iter().chain(of_b).collect();
    candidates.extend(of_a.iter().flat_map(|x| of_b.iter().map(move |y| x.cross(*y))));
    let extent =
        |axes: [DVec3; 3], half: DVec3, n: DVec3| (0..3).map(|k| half[k] * axes[k].dot(n).abs()).sum::<f64>();
    candidates.into_iter().filter_map(DVec3::try_normalize).all(|n| {
        let distance = (b.0.translation - a.0.translation).dot(n).abs();
        distance < extent(of_a, a.1, n) + extent(of_b, b.1, n) - 1e-9
    })
}

pub(super) fn box_mesh(half: DVec3) -> Shape {
    let corners = (0..8).map(|i| {
        let side = |bit: i32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half * DVec3::new(side(0), side(1), side(2))
    });
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new(corners.collect(), triangles).unwrap().into()
}

/// A robot of boxes on its way among boxes at rest.
pub(super) struct Problem {
    pub(super) described: Described,
    pub(super) from: Vec<f64>,
    pub(super) to: Vec<f64>,
    /// Their poses and half sizes.
    pub(super) obstacles: Vec<(Pose, DVec3)>,
    pub(super) checker: Checker,
}

/// Returns one of 600 problems or more, about half of which touch.
pub(super) fn problem(seed: u64) -> Problem {
    let mut random = Random(20_000 + seed);
    let links = 2 + (seed % 8) as usize;
    let mut described = random_robot(&mut random, links, 1 + (seed % 2) as usize, true);
    // Every other robot has links of triangles: surfaces, which a box inside them does not touch. The obstacles
    // are therefore too large to fit inside.
    if seed.is_multiple_of(2) {
        let parts = (0..links).map(|i| {
            let part = LinkPart { shape: box_mesh(described.half[i]), pose: described.offset[i] };
            (format!("link{i}"), vec![part])
        });
        described.robot = Robot::new("surfaces", parts.collect(), described.joints.clone()).unwrap();
    }
    let from = random_configuration(&mut random, &described.robot);
    let to: Vec<f64> = from.iter().map(|q| q + random.range(-1.0, 1.0)).collect();
    let obstacles: Vec<(Pose, DVec3)> =
        (0..3).map(|_| (random.pose(2.5), DVec3::splat(random.range(0.45, 0.5)))).collect();
    let bodies = obstacles.iter().enumerate().map(|(k, (pose, half))| {
        Body::new(format!("obstacle{k}"), Cuboid::new(2.0 * *half).unwrap(), Motion::fixed(*pose))
    });
    let checker = Checker::new(described.robot.clone(), Pose::IDENTITY, bodies.collect()).unwrap();
    Problem { described, from, to, obstacles, checker }
}

/// Visits the corners of all parts on the way from one configuration to another: the time, the link, and the corner in
/// the frame of its part and in the world.
pub(super) fn each_corner(
    described: &Described,
    [from, to]: [&[f64]; 2],
    instants: u32,
    mut visit: impl FnMut(f64, usize, [DVec3; 2]),
) {
    for i in 0..=instants {
        let t = f64::from(i) / f64::from(instants);
        for (link, place) in placed(described, Pose::IDENTITY, from, to, t).into_iter().enumerate() {
            let index = described_index(&described.robot, link);
            let (half, offset) = (described.half[index], &described.offset[index]);
            for corner in 0..8 {
                let side = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
                let local = half * DVec3::new(side(0), side(1), side(2));
                visit(t, link, [local, place.transform_point3(offset.at().apply(local))]);
            }
        }
    }
}
