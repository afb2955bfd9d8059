//! Attacks on derivatives of times of contact and of least distances: derivatives without a flag agree with one-sided
//! differences from both sides.
//!
//! [`run`] makes `rounds` scenes from a seed and panics with the story at the first derivative that is wrong. Half of
//! the scenes lie aligned with the axes, where faces are parallel, edges meet corners, and distances stay constant. The
//! parameters are the poses at both ends of rigid bodies, the configurations of robots, the vertices of deforming
//! meshes, and the place of a body before a robot takes it up.

use std::f64::consts::FRAC_PI_2;

use firsttouch::articulated::{
    Checker, Grasp, Joint, JointKind, LinkPart, Robot, RobotPath, RobotStep, Trajectory,
};
use firsttouch::deformable::Deformable;
use firsttouch::motion::{Affine, Motion, Pose};
use firsttouch::shape::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Hull, Mesh, Shape, SolidMesh, Sphere};
use firsttouch::{Answer, Body, Gradient, MotionGradient, Options, PoseGradient, Scene};
use glam::{DQuat, DVec3};

use crate::random::Random;

/// Counts of the scenes by outcome. The first number counts scenes in general position, the second aligned ones.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Counts {
    pub(crate) scenes: [usize; 2],
    pub(crate) contacts: [usize; 2],
    pub(crate) flagged_contacts: [usize; 2],
    pub(crate) distances: [usize; 2],
    pub(crate) flagged_distances: [usize; 2],
    /// Derivatives that were compared with two differences.
    pub(crate) compared: usize,
    /// Differences for which the budget ran out.
    pub(crate) undecided: usize,
    /// Derivatives that agree to a thousandth.
    pub(crate) precise: usize,
    pub(crate) robots: usize,
    pub(crate) held: usize,
    pub(crate) deforming: usize,
    pub(crate) checkers: usize,
}

/// The promised accuracy, as a part of the largest change of the answer by a parameter of the kind.
const ACCURACY: f64 = 0.011;

const EXACT: Options = Options { tolerance: 1e-12, ..Options::DEFAULT };

/// Attacks `rounds` times.
pub(crate) fn run(seed: u64, rounds: usize) -> Counts {
    let mut counts = Counts::default();
    for round in 0..rounds {
        let mut random = Random(seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(round as u64));
        let name = format!("seed {seed}, round {round}");
        let is_aligned = round % 2 == 1;
        counts.scenes[usize::from(is_aligned)] += 1;
        let world = world(&mut random, is_aligned);
        contact(&world, &mut random, &mut counts, is_aligned, &name);
        distance(&world, &mut random, &mut counts, is_aligned, &name);
    }
    counts
}

/// The compared number of an answer.
enum Value {
    Known(f64),
    /// The budget was spent.
    Undecided,
    None,
}

type Ends = [(DVec3, DQuat); 2];

/// A body with the numbers that define it.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone)]
enum Item {
    Fixed(Shape, (DVec3, DQuat)),
    Linear(Shape, Ends),
    Screw(Shape, Ends),
    Deforming([Vec<DVec3>; 2], Vec<[u32; 3]>),
    Affine(Affine),
    Robot(Robot, [Vec<f64>; 2]),
    Path(Robot, Vec<Vec<f64>>),
    /// On the last link of body 0.
    Attached(Shape, (DVec3, DQuat)),
    /// Taken up by the last link of body 0 at the first waypoint inside.
    Held(Shape, (DVec3, DQuat)),
}

/// One number that defines a body.
#[derive(Debug, Clone, Copy)]
enum By {
    /// The pose at the start, at the end, or both: the place along an axis, or a turn about one.
    Pose(usize, [bool; 2], usize),
    Joint(usize, usize, usize),
    /// All waypoints.
    Course(usize, usize),
    Vertex(usize, u32, usize, usize),
}

fn moved((place, rotation): (DVec3, DQuat), parameter: usize, by: f64) -> (DVec3, DQuat) {
    if parameter < 3 {
        (place + DVec3::AXES[parameter] * by, rotation)
    } else {
        (place, DQuat::from_scaled_axis(DVec3::AXES[parameter - 3] * by) * rotation)
    }
}

/// Returns the scene with one number changed.
fn scene_of(world: &[Item], change: Option<(By, f64)>) -> Scene {
    let mut scene = Scene::default();
    let name = |k: usize| format!("body {k}");
    for (k, item) in world.iter().enumerate() {
        let changed = |end: usize, pose: (DVec3, DQuat)| match change {
            Some((By::Pose(body, ends, parameter), by)) if body == k && ends[end] => {
                moved(pose, parameter, by)
            }
            _ => pose,
        };
        let both = |ends: &Ends| [0, 1].map(|end| changed(end, ends[end]));
        let pose = |(place, rotation): (DVec3, DQuat)| Pose::new(place, rotation).unwrap();
        match item {
            Item::Fixed(shape, at) | Item::Held(shape, at) => {
                let motion = Motion::fixed(pose(changed(0, *at)));
                scene.add(Body::new(name(k), shape.clone(), motion)).unwrap();
            }
            Item::Linear(shape, ends) => {
                let [from, to] = both(ends).map(pose);
                scene.add(Body::new(name(k), shape.clone(), Motion::linear(from, to))).unwrap();
            }
            Item::Screw(shape, ends) => {
                let [from, to] = both(ends).map(pose);
                scene.add(Body::new(name(k), shape.clone(), Motion::screw(from, to))).unwrap();
            }
            Item::Deforming(frames, triangles) => {
                let mut frames = frames.clone();
                if let Some((By::Vertex(body, vertex, end, axis), by)) = change
                    && body == k
                {
                    frames[end][vertex as usize][axis] += by;
                }
                let [from, to] = frames;
                let mesh = Deformable::new(from, to, triangles.clone(), vec![], vec![]).unwrap();
                scene.add(Body::deforming(name(k), mesh)).unwrap();
                scene.allow(&name(k), &name(k)).unwrap();
            }
            Item::Affine(motion) => {
                scene.add(Body::affine(name(k), motion.clone())).unwrap();
            }
            Item::Robot(robot, ends) => {
                let mut ends = ends.clone();
                if let Some((By::Joint(body, end, joint), by)) = change
                    && body == k
                {
                    ends[end][joint] += by;
                }
                let [from, to] = ends;
                let step = RobotStep::new(robot.clone(), Pose::IDENTITY, from, to).unwrap();
                scene.add(Body::robot(name(k), step)).unwrap();
            }
            Item::Path(robot, waypoints) => {
                let mut waypoints = waypoints.clone();
                if let Some((By::Course(body, joint), by)) = change
                    && body == k
                {
                    waypoints.iter_mut().for_each(|values| values[joint] += by);
                }
                let times: Vec<f64> = (0..waypoints.len()).map(|k| k as f64).collect();
                let way = Trajectory::linear(robot, &times, &waypoints).unwrap();
                let path = RobotPath::new(robot.clone(), Pose::IDENTITY, way).unwrap();
                scene.add(Body::robot_along(name(k), path)).unwrap();
            }
            Item::Attached(shape, at) => {
                scene.attach(&name(k), shape.clone(), &name(0), "hand", pose(*at), &[]).unwrap();
            }
        }
        if matches!(item, Item::Held(..)) {
            let (body, touch_links) = (name(k), vec!["arm".into()]);
            let grasp = Grasp { body, link: "hand".into(), from: 1, touch_links, ..Grasp::default() };
            scene.grasp(&name(0), grasp).unwrap();
        }
    }
    scene
}

/// Returns a shape about the origin, of a size of about 1.
fn shape(random: &mut Random, is_aligned: bool) -> Shape {
    let side = |random: &mut Random| {
        if is_aligned { [0.5, 1.0, 1.0, 2.0][random.index(4)] } else { random.range(0.3, 1.2) }
    };
    let points = |random: &mut Random| -> Vec<DVec3> { (0..9).map(|_| random.vector(0.6)).collect() };
    let corners = |half: DVec3| -> Vec<DVec3> {
        (0..8)
            .map(|k| {
                half * DVec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64).map(|x| 2.0 * x - 1.0)
            })
            .collect()
    };
    let half = 0.5 * DVec3::new(side(random), side(random), side(random));
    let box_faces = || -> Vec<[u32; 3]> {
        vec![
            [0, 2, 1],
            [1, 2, 3],
            [4, 5, 6],
            [5, 7, 6],
            [0, 1, 4],
            [1, 5, 4],
            [2, 6, 3],
            [3, 6, 7],
            [0, 4, 2],
            [2, 4, 6],
            [1, 3, 5],
            [3, 7, 5],
        ]
    };
    match random.index(11) {
        0 => Sphere::new(0.5 * side(random)).unwrap().into(),
        1 => Capsule::new(0.25 * side(random), side(random)).unwrap().into(),
        2 | 3 => Cuboid::new(2.0 * half).unwrap().into(),
        4 => Cylinder::new(0.5 * side(random), side(random)).unwrap().into(),
        5 | 6 => Cone::new(0.5 * side(random), side(random)).unwrap().into(),
        7 => Ellipsoid::new(half).unwrap().into(),
        8 => Hull::new(&if is_aligned { corners(half) } else { points(random) }).unwrap().into(),
        9 => Mesh::new(corners(half), box_faces()).unwrap().into(),
        _ => SolidMesh::new(Mesh::new(corners(half), box_faces()).unwrap()).unwrap().into(),
    }
}

fn rotation(random: &mut Random, is_aligned: bool) -> DQuat {
    if !is_aligned {
        return random.rotation();
    }
    let turns = [0, 1].map(|_| random.index(4) as f64 * FRAC_PI_2);
    DQuat::from_rotation_x(turns[0]) * DQuat::from_rotation_z(turns[1])
}

fn place(random: &mut Random, is_aligned: bool, at: DVec3) -> DVec3 {
    if is_aligned { at + (random.vector(1.0) * 2.0).round() * 0.5 } else { at + random.vector(0.7) }
}

/// Returns a triangulated sheet across x.
fn sheet(random: &mut Random, is_aligned: bool) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let bump = if is_aligned { 0.0 } else { 0.3 };
    let at = |k: usize| DVec3::new(0.0, (k % 3) as f64 - 1.0, (k / 3) as f64 - 1.0) * 0.7;
    let vertices = (0..9).map(|k| at(k) + random.vector(bump)).collect();
    let faces = (0..2).flat_map(|i| {
        (0..2).flat_map(move |j| {
            let k = (3 * i + j) as u32;
            [[k, k + 1, k + 4], [k, k + 4, k + 3]]
        })
    });
    (vertices, faces.collect())
}

/// Returns a slide along x, an arm that turns on it, and a hand.
fn arm(random: &mut Random, is_aligned: bool) -> (Robot, Vec<f64>, Vec<f64>) {
    let axis = |random: &mut Random| {
        if is_aligned { DVec3::AXES[random.index(3)] } else { random.vector(1.0) + DVec3::splat(1e-3) }
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
    let part = |random: &mut Random| LinkPart { shape: shape(random, is_aligned), pose: Pose::IDENTITY };
    let links = vec![
        ("world".to_string(), vec![]),
        ("cart".to_string(), vec![]),
        ("arm".to_string(), vec![part(random)]),
        ("hand".to_string(), if random.index(2) == 0 { vec![part(random)] } else { vec![] }),
    ];
    let joints = vec![
        joint("slide", "world", "cart", DVec3::X * -2.5, JointKind::Prismatic { axis: DVec3::X }),
        joint("turn", "cart", "arm", DVec3::ZERO, JointKind::Revolute { axis: axis(random) }),
        joint("wrist", "arm", "hand", DVec3::new(0.5, 1.0, 0.0), JointKind::Revolute { axis: axis(random) }),
    ];
    let robot = Robot::new("arm", links, joints).unwrap();
    let angle = |random: &mut Random| {
        if is_aligned { random.index(3) as f64 * FRAC_PI_2 } else { random.range(-1.0, 1.0) }
    };
    let from = vec![0.0, angle(random), angle(random)];
    let to = vec![if is_aligned { 3.0 } else { random.range(2.0, 4.0) }, angle(random), angle(random)];
    (robot, from, to)
}

/// Makes a cone that moves to a body with edges.
fn cone_and_edges(random: &mut Random, is_aligned: bool) -> Vec<Item> {
    let side = |random: &mut Random| random.range(0.3, 1.2);
    let cone = Cone::new(0.5 * side(random), side(random)).unwrap();
    let points: Vec<DVec3> = (0..9).map(|_| random.vector(0.6)).collect();
    let sides = DVec3::new(side(random), side(random), side(random));
    let other: Shape = match random.index(3) {
        0 => Hull::new(&points).unwrap().into(),
        1 => Cuboid::new(sides).unwrap().into(),
        _ => Cylinder::new(0.5 * sides.x, sides.y).unwrap().into(),
    };
    let mut pose = |at: DVec3| (place(random, is_aligned, at), rotation(random, is_aligned));
    let ends = [pose(DVec3::X * -2.5), pose(DVec3::X * 1.0)];
    vec![Item::Linear(cone.into(), ends), Item::Fixed(other, pose(DVec3::ZERO))]
}

fn world(random: &mut Random, is_aligned: bool) -> Vec<Item> {
    let mut world = Vec::new();
    let pose = |random: &mut Random, at: DVec3| (place(random, is_aligned, at), rotation(random, is_aligned));
    let first = match random.index(14) {
        10 | 11 => 5,
        12 | 13 => return cone_and_edges(random, is_aligned),
        first => first,
    };
    match first {
        0 => {
            let (from, triangles) = sheet(random, is_aligned);
            let (shift, goal) = (DVec3::X * -2.5, place(random, is_aligned, DVec3::X * 0.5));
            let stretch = if is_aligned { 0.0 } else { 0.2 };
            let to = from.iter().map(|&v| v + goal + random.vector(stretch)).collect();
            world.push(Item::Deforming([from.iter().map(|&v| v + shift).collect(), to], triangles));
        }
        1 => {
            let half =
                0.5 * DVec3::new(random.range(0.3, 1.0), random.range(0.3, 1.0), random.range(0.3, 1.0));
            let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
            let change = [0; 9].map(|_| random.range(-0.2, 0.2));
            let (from, to) =
                (place(random, is_aligned, DVec3::X * -2.5), place(random, is_aligned, DVec3::X * 3.5));
            world.push(Item::Affine(
                Affine::from_power_basis(
                    half,
                    &[unit, change],
                    &[from.to_array(), (to - from).to_array()],
                    &[],
                )
                .unwrap(),
            ));
        }
        2..=5 => {
            let (robot, from, to) = arm(random, is_aligned);
            if first < 4 {
                world.push(Item::Robot(robot, [from, to]));
                if first == 3 {
                    let at = (DVec3::X * 1.5, rotation(random, is_aligned));
                    world.push(Item::Attached(shape(random, is_aligned), at));
                }
            } else {
                let middle: Vec<f64> = from.iter().zip(&to).map(|(x, y)| x + 0.4 * (y - x)).collect();
                world.push(Item::Path(robot, vec![from, middle, to]));
                if first == 5 {
                    let at = pose(random, DVec3::new(0.0, 2.2, 0.0));
                    world.push(Item::Held(shape(random, is_aligned), at));
                }
            }
        }
        _ => {
            let start = pose(random, DVec3::X * -2.5);
            let far = if random.index(2) == 0 { 0.5 } else { 2.5 };
            let goal = pose(random, DVec3::X * far);
            // Aligned bodies mostly keep their orientation.
            let goal = if is_aligned && random.index(4) > 0 { (goal.0, start.1) } else { goal };
            let of = shape(random, is_aligned);
            world.push(if first == 6 {
                Item::Screw(of, [start, goal])
            } else {
                Item::Linear(of, [start, goal])
            });
        }
    }
    for k in 0..1 + random.index(2) {
        let away = if random.index(2) == 0 { 0.0 } else { 1.5 };
        let at = pose(random, DVec3::new(0.5, if k == 0 { away } else { -away - 0.5 }, 0.0));
        let of = shape(random, is_aligned);
        let moves = world.len() == 1 && first > 5 && random.index(3) == 0;
        if moves {
            let goal = (place(random, is_aligned, at.0), at.1);
            world.push(Item::Linear(of, [at, goal]));
        } else {
            world.push(Item::Fixed(of, at));
        }
    }
    world
}

/// Returns the derivatives of a gradient, each with its number and with its largest possible value for a unit vector as
/// normal.
fn derivatives(world: &[Item], gradient: &Gradient, bodies: [usize; 2]) -> Vec<(By, f64)> {
    let mut found = Vec::new();
    for side in 0..2 {
        let body = bodies[side];
        if side == 1 && bodies[0] == bodies[1] {
            continue;
        }
        let six = |pose: &PoseGradient| [pose.translation.to_array(), pose.rotation.to_array()].concat();
        match (&world[body], &gradient.bodies[side]) {
            (Item::Fixed(..) | Item::Held(..), MotionGradient::Poses { from, to }) => {
                let both = six(from).into_iter().zip(six(to)).map(|(x, y)| x + y);
                found.extend(both.enumerate().map(|(k, x)| (By::Pose(body, [true, true], k), x)));
            }
            (_, MotionGradient::Poses { from, to }) => {
                found.extend(
                    six(from).into_iter().enumerate().map(|(k, x)| (By::Pose(body, [true, false], k), x)),
                );
                found.extend(
                    six(to).into_iter().enumerate().map(|(k, x)| (By::Pose(body, [false, true], k), x)),
                );
            }
            (_, MotionGradient::Held { pose, .. }) => {
                found.extend(
                    six(pose).into_iter().enumerate().map(|(k, x)| (By::Pose(body, [true, true], k), x)),
                );
            }
            (item, MotionGradient::Joints { from, to }) => {
                // An attached body moves with the robot.
                let robot = if matches!(item, Item::Attached(..)) { 0 } else { body };
                for (end, values) in [from, to].into_iter().enumerate() {
                    found.extend(values.iter().enumerate().map(|(k, &x)| (By::Joint(robot, end, k), x)));
                }
            }
            (_, MotionGradient::Shift(by)) => {
                found.extend(by.iter().enumerate().map(|(k, &x)| (By::Course(body, k), x)));
            }
            (_, MotionGradient::Vertices(corners)) => {
                for corner in corners {
                    for (end, place) in [corner.from, corner.to].into_iter().enumerate() {
                        found.extend(
                            (0..3).map(|axis| (By::Vertex(body, corner.vertex, end, axis), place[axis])),
                        );
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Compares some derivatives with the differences to both sides. `most` is the largest change of the answer by a shift
/// by 1.
fn compare(
    world: &[Item],
    random: &mut Random,
    counts: &mut Counts,
    all: Vec<(By, f64)>,
    (most, step, noise): (f64, f64, f64),
    value: impl Fn(&Scene) -> Value,
    story: &dyn Fn() -> String,
) {
    let Value::Known(here) = value(&scene_of(world, None)) else { return };
    // A turn moves points by up to about the size of a body or of the arm.
    const REACH: f64 = 2.0;
    for _ in 0..3.min(all.len()) {
        let (by, found) = all[random.index(all.len())];
        for side in [1.0, -1.0] {
            let there = match value(&scene_of(world, Some((by, side * step)))) {
                Value::Known(there) => there,
                Value::Undecided => {
                    counts.undecided += 1;
                    continue;
                }
                Value::None => panic!("{by:?}: nothing at {side} {step:e}: {}", story()),
            };
            let exact = (there - here) / (side * step);
            let off = (exact - found).abs();
            assert!(
                off <= ACCURACY * REACH * most + noise,
                "{by:?}: {found}, but to the side {side} {exact}, {most}: {}",
                story()
            );
            counts.precise += usize::from(off <= 1e-3 * most);
            counts.compared += 1;
        }
    }
}

fn count(world: &[Item], counts: &mut Counts, bodies: [usize; 2]) {
    for body in bodies {
        match world[body] {
            Item::Robot(..) | Item::Path(..) | Item::Attached(..) => counts.robots += 1,
            Item::Held(..) => counts.held += 1,
            Item::Deforming(..) => counts.deforming += 1,
            _ => {}
        }
    }
}

fn contact(world: &[Item], random: &mut Random, counts: &mut Counts, is_aligned: bool, name: &str) {
    let scene = scene_of(world, None);
    let Answer::Touch(touch) = scene.check(&EXACT).unwrap().answer else { return };
    counts.contacts[usize::from(is_aligned)] += 1;
    let gradient = scene.toi_gradient(&touch, &EXACT).unwrap();
    if gradient.degenerate.is_some() {
        counts.flagged_contacts[usize::from(is_aligned)] += 1;
        return;
    }
    count(world, counts, touch.bodies);
    // A body at rest gives the closing speed of the two: a shift of it along the normal by 1.
    let speed = gradient.bodies.iter().filter_map(|body| match body {
        MotionGradient::Poses { from, to } => Some((from.translation + to.translation).length()),
        MotionGradient::Held { pose, .. } => Some(pose.translation.length()),
        _ => None,
    });
    let all = derivatives(world, &gradient, touch.bodies);
    let largest = all.iter().map(|(_, x)| x.abs()).fold(0.0, f64::max);
    let most = speed.fold(0.0, f64::max);
    let most = if most > 0.0 { most } else { largest };
    let story = || format!("{name}: contact {touch:?} {gradient:?} of {world:?}");
    let toi = |scene: &Scene| match scene.check(&EXACT).unwrap().answer {
        Answer::Touch(touch) => Value::Known(touch.toi),
        Answer::Undecided { .. } => Value::Undecided,
        _ => Value::None,
    };
    let step = 3e-7;
    compare(world, random, counts, all, (most, step, 4e-12 * most / step), toi, &story);
    checker(world, counts, touch.toi, &gradient, &story);
}

/// Checks that the checker of a robot has the same derivatives.
fn checker(world: &[Item], counts: &mut Counts, toi: f64, gradient: &Gradient, story: &dyn Fn() -> String) {
    let [Item::Robot(robot, [from, to]), rest @ ..] = world else { return };
    if !rest.iter().all(|item| matches!(item, Item::Fixed(..))) {
        return;
    }
    let scene = scene_of(world, None);
    let obstacles = scene.bodies()[1..].to_vec();
    let checker = Checker::new(robot.clone(), Pose::IDENTITY, obstacles).unwrap();
    let ends = [from.clone(), to.clone()];
    let found = checker.toi_gradient(from, to, &EXACT).unwrap();
    let Some(found) = found.filter(|found| (found.toi - toi).abs() < 1e-9) else { return };
    let MotionGradient::Joints { from, to } = &gradient.bodies[0] else { return };
    counts.checkers += 1;
    let most = from.iter().chain(to).map(|x| x.abs()).fold(1.0, f64::max);
    let apart = found.from.iter().zip(from).chain(found.to.iter().zip(to));
    assert!(apart.clone().all(|(x, y)| (x - y).abs() <= 1e-4 * most), "{found:?}: {}", story());
    let way = Trajectory::linear(robot, &[0.0, 1.0], &ends).unwrap();
    let along = checker.toi_gradient_along(&way, &EXACT).unwrap().expect("it touches");
    let both = from.iter().zip(to).map(|(x, y)| x + y);
    let apart = along.shift.iter().zip(both);
    assert!(apart.clone().all(|(x, y)| (x - y).abs() <= 1e-4 * most), "{along:?}: {}", story());
}

fn distance(world: &[Item], random: &mut Random, counts: &mut Counts, is_aligned: bool, name: &str) {
    let scene = scene_of(world, None);
    let least = |scene: &Scene| scene.clearance(&EXACT).unwrap().filter(|found| found.lower > 0.0);
    let Some(clearance) = least(&scene).filter(|found| found.is_tight && found.lower > 0.05) else { return };
    counts.distances[usize::from(is_aligned)] += 1;
    let gradient = scene.clearance_gradient(&clearance);
    if gradient.degenerate.is_some() {
        counts.flagged_distances[usize::from(is_aligned)] += 1;
        return;
    }
    count(world, counts, clearance.bodies);
    let story = || format!("{name}: {clearance:?} {gradient:?} of {world:?}");
    let all = derivatives(world, &gradient, clearance.bodies);
    let step = 2e-8 * clearance.upper.min(1.0);
    let upper = |scene: &Scene| match least(scene) {
        Some(found) if found.is_tight => Value::Known(found.upper),
        _ => Value::Undecided,
    };
    compare(world, random, counts, all, (1.0, step, 4e-12 / step), upper, &story);
    // The checker of a robot has the same derivatives.
    let [Item::Robot(robot, ends), rest @ ..] = world else { return };
    if !rest.iter().all(|item| matches!(item, Item::Fixed(..))) {
        return;
    }
    let checker = Checker::new(robot.clone(), Pose::IDENTITY, scene.bodies()[1..].to_vec()).unwrap();
    let Some(found) = checker.clearance(&ends[..], &EXACT).unwrap() else { return };
    let same = checker.clearance_gradient(&ends[0], &ends[1], &found.clearance).unwrap();
    assert_eq!(same.degenerate, None, "{same:?}: {}", story());
    let (MotionGradient::Joints { from, to }, MotionGradient::Joints { from: x, to: y }) =
        (&gradient.bodies[0], &same.bodies[0])
    else {
        return;
    };
    counts.checkers += 1;
    let mut apart = from.iter().zip(x).chain(to.iter().zip(y));
    assert!(apart.all(|(x, y)| (x - y).abs() <= 1e-4), "{same:?}: {}", story());
}
