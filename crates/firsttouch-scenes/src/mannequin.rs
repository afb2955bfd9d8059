//! A mannequin of 15 links that walks over a chessboard, or exercises.
//!
//! The mannequin is 1.8 high, its links bumpy limbs, a head with a nose and eye sockets, hands with fingers, feet with
//! an arch: none is convex. Hips, shoulders, spine, neck, wrists and ankles are ball joints, knees and elbows are
//! hinges; the pelvis floats. x is forward, y to the left, z up.
//!
//! Both motions are key-framed without regard to collisions, as in the paper: feet run into chessmen and into each
//! other, hands into feet.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 8.1 and Figure 8. The paper's mannequin, its gait and its exercises
//! come from an animation package; these have its number of links and of triangles.

use std::f64::consts::{PI, TAU};

use firsttouch::Result;
use firsttouch::articulated::{JointKind, Robot, RobotMotion};
use firsttouch::motion::Pose;
use firsttouch::shape::{Mesh, Shape};
use glam::{DQuat, DVec3, dvec3};

use crate::chessboard;
use crate::play::{Posture, RobotScenario, joint, part};
use crate::surface::{Surface, cells};

/// The number of triangles of the paper's mannequin.
pub const TRIANGLES: usize = 20_000;

/// A link: its name, its parent, the joint in the parent's frame, and its share of the triangles.
const LINKS: [(&str, &str, DVec3, f64); 15] = [
    ("pelvis", "ground", DVec3::ZERO, 0.08),
    ("chest", "pelvis", dvec3(0.0, 0.0, 0.12), 0.11),
    ("head", "chest", dvec3(0.0, 0.0, 0.40), 0.13),
    ("left upper arm", "chest", dvec3(0.0, 0.24, 0.32), 0.05),
    ("left forearm", "left upper arm", dvec3(0.0, 0.0, -0.29), 0.05),
    ("left hand", "left forearm", dvec3(0.0, 0.0, -0.26), 0.075),
    ("right upper arm", "chest", dvec3(0.0, -0.24, 0.32), 0.05),
    ("right forearm", "right upper arm", dvec3(0.0, 0.0, -0.29), 0.05),
    ("right hand", "right forearm", dvec3(0.0, 0.0, -0.26), 0.075),
    ("left thigh", "pelvis", dvec3(0.0, 0.11, -0.06), 0.06),
    ("left shin", "left thigh", dvec3(0.0, 0.0, -0.43), 0.06),
    ("left foot", "left shin", dvec3(0.0, 0.0, -0.42), 0.045),
    ("right thigh", "pelvis", dvec3(0.0, -0.11, -0.06), 0.06),
    ("right shin", "right thigh", dvec3(0.0, 0.0, -0.43), 0.06),
    ("right foot", "right shin", dvec3(0.0, 0.0, -0.42), 0.045),
];

/// Returns the mannequin, hanging on the link "ground" by its pelvis, with about `triangles` triangles.
///
/// ```
/// let robot = firsttouch_scenes::mannequin::mannequin(2_000)?;
/// // 15 links and the ground; 6 numbers and a quaternion for the pelvis, 4 hinges, 10 ball joints.
/// assert_eq!(robot.links().len(), 16);
/// assert_eq!(robot.variables().len(), 7 + 4 + 10 * 7);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn mannequin(triangles: usize) -> Result<Robot> {
    let (mut links, mut joints) = (vec![("ground".to_string(), vec![])], Vec::new());
    for (name, parent, at, share) in LINKS {
        let triangles = share * triangles as f64;
        links.push((name.to_string(), vec![part(link_mesh(name, triangles)?)]));
        let hinge = JointKind::Revolute { axis: DVec3::Y };
        let kind =
            if name.ends_with("shin") || name.ends_with("forearm") { hinge } else { JointKind::Floating };
        joints.push(joint(name, parent, name, at, kind)?);
    }
    Robot::new("mannequin", links, joints)
}

/// The height of the pelvis above the soles of [`hinged`] when all its joints are at zero.
pub const STANDING_HEIGHT: f64 = 1.01;

/// Returns the mannequin for planners: the pelvis slides and turns in the plane of the ground, and every other joint is
/// a hinge that bends forwards and backwards.
///
/// ```
/// let robot = firsttouch_scenes::mannequin::hinged("first", 2_000)?;
/// assert_eq!(robot.variables().len(), 3 + 14);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn hinged(robot: &str, triangles: usize) -> Result<Robot> {
    let (mut links, mut joints) = (vec![("ground".to_string(), vec![])], Vec::new());
    for (name, parent, at, share) in LINKS {
        links.push((name.to_string(), vec![part(link_mesh(name, share * triangles as f64)?)]));
        let (kind, limits) = match name.trim_start_matches("left ").trim_start_matches("right ") {
            "pelvis" => (JointKind::Planar { normal: DVec3::Z }, None),
            "chest" | "head" | "foot" => (JointKind::Revolute { axis: DVec3::Y }, Some([-0.1, 0.1])),
            "forearm" => (JointKind::Revolute { axis: DVec3::Y }, Some([-1.5, 0.0])),
            "shin" => (JointKind::Revolute { axis: DVec3::Y }, Some([0.0, 0.3])),
            "thigh" => (JointKind::Revolute { axis: DVec3::Y }, Some([-0.2, 0.1])),
            _ => (JointKind::Revolute { axis: DVec3::Y }, Some([-1.0, 0.6])),
        };
        joints.push(firsttouch::articulated::Joint { limits, ..joint(name, parent, name, at, kind)? });
    }
    Robot::new(robot, links, joints)
}

fn link_mesh(name: &str, triangles: f64) -> Result<Mesh> {
    let surface = match name.trim_start_matches("left ").trim_start_matches("right ") {
        "pelvis" => torso(triangles, [-0.10, 0.10], [0.10, 0.17], 0.10),
        "chest" => torso(triangles, [0.02, 0.38], [0.11, 0.18], 0.16),
        "head" => head(triangles),
        "upper arm" => limb(triangles, 0.27, 0.05, 0.04),
        "forearm" => limb(triangles, 0.235, 0.042, 0.03),
        "hand" => hand(triangles),
        "thigh" => limb(triangles, 0.41, 0.085, 0.055),
        "shin" => limb(triangles, 0.395, 0.055, 0.04),
        _ => foot(triangles),
    };
    surface.mesh()
}

/// Returns a limb that hangs from its joint: rounded ends, a belly, and grooves between three muscles.
fn limb(triangles: f64, length: f64, upper: f64, lower: f64) -> Surface {
    let (around, along) = cells(triangles, 0.7);
    let mut surface = Surface::default();
    surface.revolved(around, along, |u, v| {
        // Denser towards the ends, where the limb is round.
        let s = 0.5 * (1.0 - (v * PI).cos());
        let (bottom, top) = (-length, upper);
        let z = bottom + (top - bottom) * s;
        let plain = lower + (upper - lower) * s;
        let muscles = 1.0 + 0.16 * (s * PI).sin() + 0.09 * (3.0 * u * TAU).cos() * (s * TAU).sin();
        let from_end = (z - bottom).min(top - z).min(plain);
        let cap = (1.0 - (1.0 - from_end / plain).powi(2)).max(0.0).sqrt();
        (plain * muscles * cap, z)
    });
    surface
}

/// Returns a trunk between two heights: elliptic, with a hollow in front and along the spine.
fn torso(triangles: f64, [low, high]: [f64; 2], half: [f64; 2], hollow: f64) -> Surface {
    let (around, along) = cells(triangles, 1.6);
    let mut surface = Surface::default();
    surface.revolved(around, along, |u, v| {
        let s = 0.5 * (1.0 - (v * PI).cos());
        let cap = (1.0 - (2.0 * s - 1.0).powi(6)).max(0.0).sqrt();
        let grooves = 1.0 - hollow * ((2.0 * u * TAU).cos().max(0.0)).powi(3) * (s * PI).sin();
        (cap * grooves * (0.9 + 0.1 * s), low + (high - low) * s)
    });
    surface.moved(|p| dvec3(p.x * half[0], p.y * half[1], p.z))
}

/// Returns a head on its neck, with a nose, two eye sockets and ears.
fn head(triangles: f64) -> Surface {
    let mut surface = Surface::default();
    let (around, along) = cells(0.15 * triangles, 1.5);
    surface.revolved(around, along, |_, v| {
        (0.055 * (1.0 - (2.0 * v - 1.0).powi(8)).max(0.0).sqrt(), -0.02 + 0.1 * v)
    });
    let (around, along) = cells(0.85 * triangles, 2.0);
    let mut skull = Surface::default();
    skull.revolved(around, along, |u, v| {
        let angle = v * PI;
        let azimuth = (u + 0.5).fract() * TAU - PI;
        let bump = |at: f64, height: f64, width: f64| {
            (-((azimuth - at).powi(2) + (angle - height).powi(2)) / (width * width)).exp()
        };
        let features = 0.22 * bump(0.0, 1.5, 0.16) - 0.12 * (bump(0.4, 1.8, 0.22) + bump(-0.4, 1.8, 0.22))
            + 0.15 * (bump(1.6, 1.6, 0.2) + bump(-1.6, 1.6, 0.2))
            - 0.06 * bump(0.0, 1.15, 0.2);
        let radius = 1.0 + features;
        (radius * angle.sin(), -radius * angle.cos())
    });
    let skull = skull.moved(|p| dvec3(p.x * 0.1, p.y * 0.08, p.z * 0.125 + 0.17));
    surface.add(&skull, &Pose::IDENTITY);
    surface
}

/// Returns a palm with four fingers, slightly spread, and a thumb in front.
fn hand(triangles: f64) -> Surface {
    let mut surface = Surface::default();
    let (around, along) = cells(0.3 * triangles, 1.2);
    surface.revolved(around, along, |_, v| {
        let s = 0.5 * (1.0 - (v * PI).cos());
        ((1.0 - (2.0 * s - 1.0).powi(4)).max(0.0).sqrt(), -0.095 + 0.095 * s)
    });
    surface = surface.moved(|p| dvec3(p.x * 0.04, p.y * 0.017, p.z));
    for k in 0..5 {
        let finger = limb(0.14 * triangles, 0.068, 0.009, 0.006);
        let thumb = k == 4;
        let (at, spread) = if thumb {
            (dvec3(0.036, 0.0, -0.035), 0.7)
        } else {
            let side = f64::from(k) - 1.5;
            (dvec3(0.02 * side, 0.0, -0.09), 0.08 * side)
        };
        let turned = DQuat::from_rotation_y(-spread);
        surface.add(&finger.moved(|p| at + turned * p), &Pose::IDENTITY);
    }
    surface
}

/// Returns a foot with its sole 0.09 below the ankle, flat except for the arch.
fn foot(triangles: f64) -> Surface {
    let (around, along) = cells(triangles, 1.4);
    let mut surface = Surface::default();
    surface.revolved(around, along, |_, v| ((v * PI).sin(), -(v * PI).cos()));
    surface.moved(|p| {
        // The z axis of the ball becomes the length of the foot.
        let x = 0.065 + 0.135 * p.z;
        let y = 0.045 * p.x * (1.0 + 0.25 * p.z);
        let top = -0.035 - 0.035 * p.z;
        let arch = 0.018 * (-((x - 0.06) / 0.05).powi(2)).exp();
        let z = if p.y > 0.0 { -0.07 + (top + 0.07 + 0.05 * (1.0 - p.z)) * p.y } else { -0.07 + 0.06 * p.y };
        dvec3(x, y, z.max(-0.09 + arch))
    })
}

/// A posture of the mannequin. Angles of ball joints are pitch (forward is positive for the trunk and for limbs), roll
/// (to the outside for limbs) and yaw (to the left); pairs are left and right.
#[derive(Debug, Clone, Copy, Default)]
struct Stance {
    pelvis: DVec3,
    spine: DVec3,
    neck: DVec3,
    shoulders: [DVec3; 2],
    elbows: [f64; 2],
    hips: [DVec3; 2],
    knees: [f64; 2],
    ankles: [f64; 2],
}

impl Stance {
    const STANDING: Stance = Stance {
        pelvis: DVec3::ZERO,
        spine: DVec3::ZERO,
        neck: DVec3::ZERO,
        shoulders: [dvec3(0.0, 0.14, 0.0); 2],
        elbows: [0.15; 2],
        hips: [dvec3(0.0, 0.03, 0.0); 2],
        knees: [0.05; 2],
        ankles: [0.0; 2],
    };

    fn between(&self, other: &Stance, s: f64) -> Stance {
        let turn = |a: DVec3, b: DVec3| a.lerp(b, s);
        let angle = |a: f64, b: f64| a + (b - a) * s;
        let both = |a: [DVec3; 2], b: [DVec3; 2]| [turn(a[0], b[0]), turn(a[1], b[1])];
        let hinges = |a: [f64; 2], b: [f64; 2]| [angle(a[0], b[0]), angle(a[1], b[1])];
        Stance {
            pelvis: turn(self.pelvis, other.pelvis),
            spine: turn(self.spine, other.spine),
            neck: turn(self.neck, other.neck),
            shoulders: both(self.shoulders, other.shoulders),
            elbows: hinges(self.elbows, other.elbows),
            hips: both(self.hips, other.hips),
            knees: hinges(self.knees, other.knees),
            ankles: hinges(self.ankles, other.ankles),
        }
    }

    /// Returns the configuration with the pelvis over a point of the ground, at the height at which the lower foot is
    /// `clearance` above the ground.
    fn on_ground(&self, robot: &Robot, at: DVec3, heading: f64, clearance: f64) -> Result<Vec<f64>> {
        let trunk = |angles: DVec3| {
            DQuat::from_rotation_z(angles.z)
                * DQuat::from_rotation_y(angles.x)
                * DQuat::from_rotation_x(angles.y)
        };
        // A limb points down, so forward is a turn the other way round. For the left limb, outside is to the left.
        let limb = |angles: DVec3, side: f64| {
            DQuat::from_rotation_z(side * angles.z)
                * DQuat::from_rotation_x(side * angles.y)
                * DQuat::from_rotation_y(-angles.x)
        };
        let mut posture = Posture::new(robot);
        posture.turn("chest", trunk(self.spine));
        posture.turn("head", trunk(self.neck));
        for (k, (name, side)) in [("left", 1.0), ("right", -1.0)].into_iter().enumerate() {
            posture.turn(&format!("{name} upper arm"), limb(self.shoulders[k], side));
            posture.set(&format!("{name} forearm"), -self.elbows[k]);
            posture.turn(&format!("{name} thigh"), limb(self.hips[k], side));
            posture.set(&format!("{name} shin"), self.knees[k]);
            // The foot's own angle is the angle of its toes above the ground, as long as the leg moves straight ahead.
            let level = self.hips[k].x - self.knees[k] - self.pelvis.x;
            posture.turn(
                &format!("{name} foot"),
                limb(dvec3(self.ankles[k] - level, -self.hips[k].y, 0.0), side),
            );
        }
        let turned = DQuat::from_rotation_z(heading) * trunk(self.pelvis);
        posture.place("pelvis", at, turned);
        let lowest = lowest_point(robot, &posture.values)?;
        posture.place("pelvis", at + DVec3::Z * (clearance - lowest), turned);
        Ok(posture.values)
    }
}

/// Returns the height of the lowest vertex of the feet.
fn lowest_point(robot: &Robot, configuration: &[f64]) -> Result<f64> {
    let motion = RobotMotion::new(robot, Pose::IDENTITY, configuration, configuration)?;
    let mut lowest = f64::INFINITY;
    for (i, link) in robot.links().iter().enumerate().filter(|(_, link)| link.name().ends_with("foot")) {
        let at = motion.link_pose(i, 0.0);
        for part in link.parts() {
            if let Shape::Mesh(mesh) = &part.shape {
                lowest = mesh.vertices().iter().fold(lowest, |z, &v| z.min(at.apply(v).z));
            }
        }
    }
    Ok(lowest)
}

/// The mannequin walks a round on a chessboard among 16 chessmen, in `steps` steps of time; see [`chessboard`].
/// `triangles` has the number of triangles of the mannequin, and that of the board with its chessmen.
///
/// ```
/// let scenario = firsttouch_scenes::mannequin::walk([2_000, 10_000], 12)?;
/// assert_eq!((scenario.steps.len(), scenario.obstacles.len()), (12, 17));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn walk(triangles: [usize; 2], steps: usize) -> Result<RobotScenario> {
    let robot = mannequin(triangles[0])?;
    let strides = 12.0;
    let configurations: Vec<Vec<f64>> = (0..=steps)
        .map(|i| {
            let s = i as f64 / steps.max(1) as f64;
            let (sin, cos) = (s * TAU).sin_cos();
            let stance = gait(strides * s, s);
            let heading = s * TAU + PI / 2.0;
            stance.on_ground(&robot, dvec3(cos, sin, 0.0) * ROUND, heading, 0.006)
        })
        .collect::<Result<_>>()?;
    Ok(RobotScenario::key_framed(robot, chessboard::bodies(triangles[1])?, &configurations))
}

/// The radius of the round on the board.
const ROUND: f64 = 2.5;

/// Returns the stance at a time counted in strides. The feet come nearer to each other during the round.
fn gait(strides: f64, round: f64) -> Stance {
    let narrow = -0.05 - 0.05 * (0.5 - 0.5 * (round * TAU).cos());
    let leg = |phase: f64| {
        let (sin, cos) = phase.sin_cos();
        let swing = cos.max(0.0);
        (dvec3(0.08 + 0.36 * sin, narrow, 0.0), 0.12 + 0.75 * swing * swing, -0.15 * swing * (1.0 - sin))
    };
    let arm = |phase: f64| (dvec3(0.32 * phase.sin(), 0.14, 0.0), 0.35 + 0.15 * phase.sin());
    let phase = strides * TAU;
    let (left, right) = (leg(phase), leg(phase + PI));
    let (left_arm, right_arm) = (arm(phase + PI), arm(phase));
    let sway = phase.sin();
    Stance {
        pelvis: dvec3(0.03, 0.02 * phase.cos(), 0.05 * sway),
        spine: dvec3(0.04, -0.02 * phase.cos(), -0.1 * sway),
        neck: dvec3(-0.03, 0.0, 0.05 * sway),
        shoulders: [left_arm.0, right_arm.0],
        elbows: [left_arm.1, right_arm.1],
        hips: [left.0, right.0],
        knees: [left.1, right.1],
        ankles: [left.2, right.2],
    }
}

/// The mannequin exercises, in `steps` steps of time: it jumps with its arms going up, kicks its foot up to its hand,
/// and crosses its arms.
///
/// ```
/// let scenario = firsttouch_scenes::mannequin::exercise(2_000, 12)?;
/// assert_eq!((scenario.steps.len(), scenario.obstacles.len()), (12, 0));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn exercise(triangles: usize, steps: usize) -> Result<RobotScenario> {
    let robot = mannequin(triangles)?;
    let keys = exercise_keys();
    let configurations: Vec<Vec<f64>> = (0..=steps)
        .map(|i| {
            let s = i as f64 / steps.max(1) as f64 * (keys.len() - 1) as f64;
            let key = (s.floor() as usize).min(keys.len() - 2);
            // It is at rest in every key.
            let eased = 0.5 - 0.5 * ((s - key as f64) * PI).cos();
            keys[key].between(&keys[key + 1], eased).on_ground(&robot, DVec3::ZERO, 0.25, 0.006)
        })
        .collect::<Result<_>>()?;
    Ok(RobotScenario::key_framed(robot, Vec::new(), &configurations))
}

fn exercise_keys() -> Vec<Stance> {
    let standing = Stance::STANDING;
    let apart = Stance { shoulders: [dvec3(0.0, 1.6, 0.0); 2], hips: [dvec3(0.0, 0.3, 0.0); 2], ..standing };
    // The hands clap over the head.
    let clap = Stance { shoulders: [dvec3(0.0, 3.5, 0.0); 2], elbows: [0.1; 2], ..apart };
    // The hands are on the knees.
    let squat = Stance {
        hips: [dvec3(1.3, 0.15, 0.0); 2],
        knees: [1.9; 2],
        spine: dvec3(0.45, 0.0, 0.0),
        shoulders: [dvec3(1.1, 0.25, 0.0); 2],
        elbows: [0.2; 2],
        ..standing
    };
    // The right foot comes up to the right hand.
    let kick = Stance {
        hips: [dvec3(0.0, 0.05, 0.0), dvec3(1.5, 0.02, 0.0)],
        knees: [0.1, 0.05],
        ankles: [0.0, 1.5],
        spine: dvec3(1.12, 0.0, 0.0),
        shoulders: [dvec3(-0.3, 0.5, 0.0), dvec3(2.3, 0.0, -0.2)],
        elbows: [0.3, 0.05],
        ..standing
    };
    // The forearms brush past each other before the chest.
    let cross = Stance { shoulders: [dvec3(1.0, 0.0, -0.48); 2], elbows: [0.75, 1.05], ..standing };
    let fold = Stance {
        shoulders: [dvec3(0.9, 0.25, -0.3); 2],
        elbows: [1.3, 1.5],
        hips: [dvec3(0.2, -0.02, 0.0); 2],
        ..standing
    };
    let twist = Stance {
        spine: dvec3(0.3, 0.1, 0.7),
        shoulders: [dvec3(0.3, 1.3, 0.0); 2],
        hips: [dvec3(0.0, 0.25, 0.0); 2],
        ..standing
    };
    vec![
        standing, apart, clap, apart, standing, squat, standing, kick, standing, twist, apart, fold, squat,
        fold, cross, standing,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use firsttouch::{Answer, Options};

    #[test]
    fn the_papers_size() {
        let robot = mannequin(TRIANGLES).unwrap();
        let scenario = RobotScenario::key_framed(robot, vec![], &[]);
        let [triangles, _] = scenario.triangles();
        assert!((19_400..20_600).contains(&triangles), "{triangles}");
        // No link is convex: its hull has fewer vertices than the mesh.
        for link in scenario.robot.links().iter().skip(1) {
            let Shape::Mesh(mesh) = &link.parts()[0].shape else { panic!("a mesh") };
            assert!(mesh.hull().vertices().len() < mesh.vertices().len(), "{}", link.name());
        }
    }

    /// The standing mannequin does not touch itself.
    #[test]
    fn it_stands_free() {
        let robot = mannequin(4_000).unwrap();
        let stance = Stance::STANDING.on_ground(&robot, DVec3::ZERO, 0.3, 0.0).unwrap();
        assert!(lowest_point(&robot, &stance).unwrap().abs() < 1e-12);
        let scenario = RobotScenario::key_framed(robot, vec![], &[stance.clone(), stance]);
        let reports = scenario.check(&Options::default()).unwrap();
        assert_eq!(reports[0].answer, Answer::Free);
    }

    /// Both scenarios are mostly free, but not always.
    #[test]
    fn some_steps_touch() {
        let options = Options { tolerance: 1e-3, ..Options::default() };
        for (name, scenario) in
            [("walk", walk([4_000, 20_000], 250).unwrap()), ("exercise", exercise(4_000, 200).unwrap())]
        {
            let reports = scenario.check(&options).unwrap();
            let free = reports.iter().filter(|report| report.answer == Answer::Free).count();
            let undecided = reports.iter().any(|r| matches!(r.answer, Answer::Undecided { .. }));
            assert!(!undecided && free > reports.len() / 2 && free < reports.len() - 5, "{name}: {free}");
        }
    }
}
