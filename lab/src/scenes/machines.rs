//! Robots of many links for the benchmarks: a mobile manipulator with a gripper among furniture, and a humanoid against
//! itself.
//!
//! 1. *Mobile manipulator.* A base that drives in the plane on two wheels, a torso that lifts, a head that pans and
//!    tilts, an arm of seven joints, and a gripper of two fingers: 15 moving links. A table, a shelf and the things on
//!    them are in its way.
//! 2. *Humanoid.* Legs of six joints, a waist of three, arms of seven, and a head: 30 moving links. Hips, shoulders,
//!    wrists and ankles have several joints close together. Therefore many pairs of links are always close.
//!
//! All links are bumpy meshes. Links that touch in the posture at rest are allowed to touch, as an SRDF file would say.
//! Segments are made like those of public sets: they start near that posture, in a random direction of the joint space,
//! 0.1 to 2 radians long. Of ten segments, nine start free of contact and six also end free.

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Cylinder, Mesh, Shape, Sphere};
use firsttouch::{Answer, Body, Mode, Options, Result};
use glam::{DQuat, DVec3, dvec3};

use crate::scenes::play::{joint, part};
use crate::scenes::random::Random;
use crate::scenes::surface::{Surface, cells};

/// A robot, its obstacles, and segments from one configuration to another.
#[derive(Debug, Clone)]
pub struct MachineProblem {
    /// The robot among its obstacles.
    pub checker: Checker,
    /// The segments.
    pub segments: Vec<[Vec<f64>; 2]>,
}

/// Returns the mobile manipulator among furniture, with `count` segments.
///
/// ```
/// let problem = firsttouch_lab::scenes::machines::mobile_manipulator(2)?;
/// let moving = problem.checker.robot().links().len() - 2; // the ground and the palm are not moved by a joint of their own
/// assert_eq!((moving, problem.segments.len()), (15, 2));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn mobile_manipulator(count: usize) -> Result<MachineProblem> {
    let robot = mobile_robot()?;
    let mut rest = robot.zero();
    for (name, value) in [
        ("shoulder pan", 0.6),
        ("shoulder lift", -0.4),
        ("elbow flex", 1.2),
        ("wrist flex", 0.7),
        ("left finger", 0.02),
        ("right finger", 0.02),
    ] {
        rest[robot.variable(name).expect("a joint of the robot")] = value;
    }
    problem(robot, furniture()?, &rest, count, 11)
}

/// Returns the humanoid, with `count` segments.
///
/// ```
/// let problem = firsttouch_lab::scenes::machines::humanoid(2)?;
/// assert_eq!((problem.checker.robot().variables().len(), problem.segments.len()), (30, 2));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn humanoid(count: usize) -> Result<MachineProblem> {
    let robot = humanoid_robot()?;
    let mut rest = robot.zero();
    for side in ["left", "right"] {
        let out = if side == "left" { 1.0 } else { -1.0 };
        for (name, value) in [
            ("hip pitch", -0.3),
            ("knee", 0.6),
            ("ankle pitch", -0.3),
            ("shoulder pitch", -0.2),
            ("elbow", -0.8),
        ] {
            rest[robot.variable(&format!("{side} {name}")).expect("a joint of the robot")] = value;
        }
        rest[robot.variable(&format!("{side} shoulder roll")).expect("a joint of the robot")] = 0.3 * out;
        rest[robot.variable(&format!("{side} hip roll")).expect("a joint of the robot")] = 0.08 * out;
    }
    problem(robot, Vec::new(), &rest, count, 12)
}

/// The links of a robot under construction.
struct Assembly {
    links: Vec<(String, Vec<LinkPart>)>,
    joints: Vec<Joint>,
}

impl Assembly {
    fn new(root: &str, parts: Vec<LinkPart>) -> Assembly {
        Assembly { links: vec![(root.into(), parts)], joints: Vec::new() }
    }

    /// Adds a link, and the joint of the same name that carries it.
    fn add(
        &mut self,
        name: &str,
        parent: &str,
        at: DVec3,
        (kind, limits): (JointKind, Option<[f64; 2]>),
        mesh: Mesh,
    ) -> Result<()> {
        self.links.push((name.into(), vec![part(mesh)]));
        self.joints.push(Joint { limits, ..joint(name, parent, name, at, kind)? });
        Ok(())
    }
}

fn turns(axis: DVec3, limits: [f64; 2]) -> (JointKind, Option<[f64; 2]>) {
    (JointKind::Revolute { axis }, Some(limits))
}

fn slides(axis: DVec3, limits: [f64; 2]) -> (JointKind, Option<[f64; 2]>) {
    (JointKind::Prismatic { axis }, Some(limits))
}

/// Returns a bumpy rod of about `triangles` triangles around the line between two points.
fn rod(from: DVec3, to: DVec3, radius: f64, triangles: f64) -> Result<Mesh> {
    let length = (to - from).length();
    let (around, along) = cells(triangles, 1.0);
    let mut surface = Surface::default();
    surface.revolved(around, along, |u, v| {
        let z = -radius + (length + 2.0 * radius) * v;
        let from_end = (z + radius).min(length + radius - z).min(radius);
        let cap = (1.0 - (1.0 - from_end / radius).powi(2)).max(0.0).sqrt();
        let bumps = 1.0 - 0.08 * (3.0 * std::f64::consts::TAU * u).cos() * (9.0 * v).sin().powi(2);
        (radius * cap * bumps, z)
    });
    let turned = DQuat::from_rotation_arc(DVec3::Z, (to - from).normalize());
    surface.moved(|p| from + turned * p).mesh()
}

fn block(low: DVec3, high: DVec3, cells: u32) -> Result<Mesh> {
    let mut surface = Surface::default();
    surface.panelled_box(low, high, cells, 2, 0.004);
    surface.mesh()
}

fn mobile_robot() -> Result<Robot> {
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    let mut robot = Assembly::new("ground", Vec::new());
    let plane = (JointKind::Planar { normal: z }, None);
    robot.add(
        "base",
        "ground",
        z * 0.05,
        plane,
        block(dvec3(-0.28, -0.25, 0.0), dvec3(0.28, 0.25, 0.3), 5)?,
    )?;
    for (name, side) in [("left wheel", 1.0), ("right wheel", -1.0)] {
        let wheel = rod(y * (-0.01 * side), y * (0.01 * side), 0.045, 200.0)?;
        robot.add(name, "base", dvec3(0.0, 0.31 * side, 0.02), turns(y, [-50.0, 50.0]), wheel)?;
    }
    let torso = block(dvec3(-0.1, -0.12, 0.0), dvec3(0.06, 0.12, 0.55), 5)?;
    robot.add("torso", "base", dvec3(-0.1, 0.0, 0.32), slides(z, [0.0, 0.35]), torso)?;
    robot.add(
        "head pan",
        "torso",
        dvec3(-0.02, 0.0, 0.62),
        turns(z, [-1.5, 1.5]),
        rod(DVec3::ZERO, z * 0.06, 0.05, 200.0)?,
    )?;
    let head = block(dvec3(-0.05, -0.1, -0.03), dvec3(0.07, 0.1, 0.06), 4)?;
    robot.add("head tilt", "head pan", dvec3(0.05, 0.0, 0.16), turns(y, [-0.7, 1.4]), head)?;
    let r = 0.055;
    let arm = [
        ("shoulder pan", "torso", dvec3(0.14, 0.0, 0.4), z, [-1.6, 1.6], x * 0.06, r),
        ("shoulder lift", "shoulder pan", dvec3(0.12, 0.0, 0.05), y, [-1.2, 1.5], x * 0.16, r),
        ("upper arm roll", "shoulder lift", x * 0.22, x, [-3.1, 3.1], x * 0.09, r),
        ("elbow flex", "upper arm roll", x * 0.15, y, [-2.2, 2.2], x * 0.13, 0.05),
        ("forearm roll", "elbow flex", x * 0.2, x, [-3.1, 3.1], x * 0.08, 0.05),
        ("wrist flex", "forearm roll", x * 0.13, y, [-2.1, 2.1], x * 0.08, 0.05),
        ("wrist roll", "wrist flex", x * 0.14, x, [-3.1, 3.1], x * 0.02, 0.045),
    ];
    for (name, parent, at, axis, limits, along, radius) in arm {
        robot.add(name, parent, at, turns(axis, limits), rod(DVec3::ZERO, along, radius, 400.0)?)?;
    }
    let palm = block(dvec3(0.0, -0.06, -0.03), dvec3(0.06, 0.06, 0.03), 4)?;
    robot.add("palm", "wrist roll", x * 0.09, (JointKind::Fixed, None), palm)?;
    for (name, side) in [("left finger", 1.0), ("right finger", -1.0)] {
        let (low, high) = (dvec3(0.0, -0.006, -0.01), dvec3(0.06, 0.006, 0.01));
        let finger = block(low, high, 3)?;
        robot.add(name, "palm", dvec3(0.07, 0.012 * side, 0.0), slides(y * side, [0.0, 0.05]), finger)?;
    }
    Robot::new("mobile manipulator", robot.links, robot.joints)
}

fn furniture() -> Result<Vec<Body>> {
    let mut bodies: Vec<Body> = Vec::new();
    let mut add = |shape: Shape, at: DVec3| -> Result<()> {
        let name = format!("obstacle {:02}", bodies.len());
        bodies.push(Body::new(name, shape, Motion::fixed(Pose::from_translation(at)?)));
        Ok(())
    };
    // A table with things on it.
    add(Cuboid::new(dvec3(0.4, 0.7, 0.02))?.into(), dvec3(1.1, 0.0, 0.72))?;
    for (x, y) in [(0.75, -0.65), (0.75, 0.65), (1.45, -0.65), (1.45, 0.65)] {
        add(Cuboid::new(dvec3(0.03, 0.03, 0.35))?.into(), dvec3(x, y, 0.35))?;
    }
    add(Cylinder::new(0.04, 0.2)?.into(), dvec3(0.95, 0.3, 0.84))?;
    add(Cylinder::new(0.05, 0.12)?.into(), dvec3(1.0, -0.25, 0.8))?;
    add(Sphere::new(0.06)?.into(), dvec3(0.9, 0.05, 0.8))?;
    add(Cuboid::new(dvec3(0.1, 0.08, 0.12))?.into(), dvec3(1.2, -0.45, 0.86))?;
    // A shelf at its left.
    for k in 0..4 {
        add(Cuboid::new(dvec3(0.4, 0.15, 0.012))?.into(), dvec3(0.2, 1.0, 0.3 + 0.35 * f64::from(k)))?;
    }
    for side in [-1.0, 1.0] {
        add(Cuboid::new(dvec3(0.012, 0.15, 0.75))?.into(), dvec3(0.2 + 0.41 * side, 1.0, 0.75))?;
    }
    add(Cuboid::new(dvec3(0.06, 0.1, 0.1))?.into(), dvec3(0.1, 1.0, 0.77))?;
    add(Cylinder::new(0.05, 0.2)?.into(), dvec3(0.4, 0.95, 1.12))?;
    // A wall behind it, and the floor.
    add(Cuboid::new(dvec3(0.05, 3.0, 1.5))?.into(), dvec3(-1.2, 0.0, 1.5))?;
    add(Cuboid::new(dvec3(3.0, 3.0, 0.05))?.into(), dvec3(0.0, 0.0, -0.06))?;
    Ok(bodies)
}

fn humanoid_robot() -> Result<Robot> {
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    let pelvis = block(dvec3(-0.07, -0.09, -0.05), dvec3(0.07, 0.09, 0.05), 4)?;
    let mut robot = Assembly::new("pelvis", vec![part(pelvis)]);
    let still = DVec3::ZERO;
    robot.add(
        "waist yaw",
        "pelvis",
        z * 0.07,
        turns(z, [-1.5, 1.5]),
        rod(z * 0.01, z * 0.03, 0.05, 250.0)?,
    )?;
    robot.add(
        "waist roll",
        "waist yaw",
        z * 0.07,
        turns(x, [-0.4, 0.4]),
        rod(z * 0.03, z * 0.05, 0.05, 250.0)?,
    )?;
    let chest = block(dvec3(-0.09, -0.13, 0.06), dvec3(0.09, 0.13, 0.34), 6)?;
    robot.add("waist pitch", "waist roll", z * 0.06, turns(y, [-0.5, 0.5]), chest)?;
    robot.add(
        "head",
        "waist pitch",
        z * 0.38,
        turns(z, [-1.2, 1.2]),
        rod(z * 0.03, z * 0.12, 0.075, 500.0)?,
    )?;
    for (side, s) in [("left", 1.0), ("right", -1.0)] {
        let named = |name: &str| format!("{side} {name}");
        let outside = |angles: [f64; 2]| if s > 0.0 { angles } else { [-angles[1], -angles[0]] };
        let leg = [
            (
                "hip pitch",
                "pelvis",
                dvec3(0.0, 0.11 * s, -0.03),
                y,
                [-2.0, 1.5],
                [still, y * (0.02 * s)],
                0.05,
            ),
            (
                "hip roll",
                "hip pitch",
                dvec3(0.0, 0.03 * s, -0.09),
                x,
                outside([-0.3, 1.2]),
                [still, z * -0.02],
                0.045,
            ),
            ("hip yaw", "hip roll", z * -0.07, z, [-1.0, 1.0], [z * -0.03, z * -0.17], 0.055),
            ("knee", "hip yaw", z * -0.28, y, [0.0, 2.3], [z * -0.02, z * -0.25], 0.045),
            ("ankle pitch", "knee", z * -0.32, y, [-0.8, 0.5], [z * -0.005, z * 0.005], 0.03),
        ];
        let arm = [
            (
                "shoulder pitch",
                "waist pitch",
                dvec3(0.0, 0.18 * s, 0.28),
                y,
                [-2.8, 1.5],
                [still, y * (0.01 * s)],
                0.045,
            ),
            (
                "shoulder roll",
                "shoulder pitch",
                dvec3(0.0, 0.05 * s, -0.02),
                x,
                outside([-0.2, 2.0]),
                [z * -0.04, z * -0.05],
                0.045,
            ),
            ("shoulder yaw", "shoulder roll", z * -0.12, z, [-1.5, 1.5], [z * -0.02, z * -0.09], 0.04),
            ("elbow", "shoulder yaw", z * -0.14, y, [-2.2, 0.1], [z * -0.02, z * -0.08], 0.038),
            ("wrist roll", "elbow", z * -0.14, z, [-1.8, 1.8], [z * -0.02, z * -0.06], 0.035),
            ("wrist pitch", "wrist roll", z * -0.09, y, [-1.2, 1.2], [z * -0.03, z * -0.04], 0.033),
            ("hand", "wrist pitch", z * -0.07, z, [-1.2, 1.2], [z * -0.03, z * -0.11], 0.03),
        ];
        for (name, parent, at, axis, limits, [from, to], radius) in leg.into_iter().chain(arm) {
            let parent =
                if matches!(parent, "pelvis" | "waist pitch") { parent.into() } else { named(parent) };
            // A rod without length is a ball.
            let to = if from == to { from + z * 1e-3 } else { to };
            robot.add(&named(name), &parent, at, turns(axis, limits), rod(from, to, radius, 400.0)?)?;
        }
        let foot = block(dvec3(-0.05, -0.035, -0.05), dvec3(0.13, 0.035, -0.02), 5)?;
        let ankle = named("ankle pitch");
        robot.add(&named("ankle roll"), &ankle, z * -0.02, turns(x, [-0.3, 0.3]), foot)?;
    }
    Robot::new("humanoid", robot.links, robot.joints)
}

/// Allows the links that touch at rest, and makes segments around that posture.
fn problem(
    mut robot: Robot,
    obstacles: Vec<Body>,
    rest: &[f64],
    count: usize,
    seed: u64,
) -> Result<MachineProblem> {
    let any = Options { mode: Mode::Any, ..Options::default() };
    // Each round allows one pair more.
    loop {
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, Vec::new())?;
        let answer = checker.check_state(rest, &any)?.answer;
        let Some(touch) = answer.touch() else { break };
        let links = touch.parts.map(|part| part.link().expect("the robot is alone"));
        let [a, b] = links.map(|link| robot.links()[link].name().to_string());
        robot.allow(&a, &b)?;
    }
    let checker = Checker::new(robot, Pose::IDENTITY, obstacles)?;
    let limits: Vec<[f64; 2]> =
        checker.robot().variables().iter().map(|variable| variable.limits.unwrap_or([-1.0, 1.0])).collect();
    let clipped = |values: Vec<f64>| -> Vec<f64> {
        values.iter().zip(&limits).map(|(value, [low, high])| value.clamp(*low, *high)).collect()
    };
    let is_free = |values: &[f64]| {
        Ok::<bool, firsttouch::Error>(checker.check_state(values, &any)?.answer == Answer::Free)
    };
    let mut random = Random::new(seed);
    let mut segments = Vec::with_capacity(count);
    for k in 0..count {
        let (start_free, end_free) = (k % 10 < 9, k % 10 < 6);
        let mut segment = Vec::new();
        // If many tries find no free end, the last one is taken.
        for _ in 0..100 {
            let noise = |value: &f64| value + random.between(-0.3, 0.3);
            let from = clipped(rest.iter().map(noise).collect());
            let direction: Vec<f64> = from.iter().map(|_| random.between(-1.0, 1.0)).collect();
            let norm = direction.iter().map(|d| d * d).sum::<f64>().sqrt();
            let length = random.between(0.1, 2.0) / norm;
            let to = clipped(from.iter().zip(&direction).map(|(value, d)| value + length * d).collect());
            let is_taken = (!start_free || is_free(&from)?) && (!end_free || is_free(&to)?);
            segment = vec![from, to];
            if is_taken {
                break;
            }
        }
        let [from, to] = segment.try_into().expect("two ends");
        segments.push([from, to]);
    }
    Ok(MachineProblem { checker, segments })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Most segments are free, as the edges of a roadmap are, and some touch. Many pairs of the humanoid are near each
    /// other.
    #[test]
    fn some_segments_touch() {
        for (name, problem) in
            [("mobile", mobile_manipulator(60).unwrap()), ("humanoid", humanoid(60).unwrap())]
        {
            let any = Options { mode: Mode::Any, ..Options::default() };
            let mut counts = [0, 0];
            for [from, to] in &problem.segments {
                let answer = problem.checker.check_step(from, to, &any).unwrap().answer;
                assert!(!matches!(answer, Answer::Undecided { .. }), "{name}");
                counts[usize::from(answer == Answer::Free)] += 1;
            }
            assert!(counts[1] > 25 && counts[0] > 3, "{name}: {counts:?}");
        }
    }
}
