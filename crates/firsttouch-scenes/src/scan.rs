//! A scanned workshop: points on the surfaces of a floor, two walls and twenty boxes, as a depth camera on a mast would
//! leave them.
//!
//! Points are spread over the surfaces by area, with a noise of a millimetre across them, from a seeded generator. The
//! points were taken from the boxes: [`boxes`] returns them as solids, so that both can answer the same query.

use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot, RobotStep};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid, PointCloud};
use firsttouch::{Body, Result, Scene};
use glam::DVec3;

use crate::random::Random;

/// The number of boxes, with the floor and the walls.
pub const BOXES: usize = 20;

/// The radius of a point.
pub const RADIUS: f64 = 0.005;

/// Returns the boxes of the workshop: their centres and sides. The first three are the floor and two walls; no box is
/// within 0.35 of the vertical axis, where a robot stands.
pub fn boxes(seed: u64) -> Vec<(DVec3, DVec3)> {
    let mut random = Random::new(seed);
    let mut all = vec![
        (DVec3::new(0.0, 0.0, -0.55), DVec3::new(6.0, 6.0, 0.1)),
        (DVec3::new(0.0, 2.5, 1.0), DVec3::new(6.0, 0.1, 3.0)),
        (DVec3::new(-2.5, 0.0, 1.0), DVec3::new(0.1, 6.0, 3.0)),
    ];
    while all.len() < BOXES {
        let sides = DVec3::new(random.between(0.1, 0.6), random.between(0.1, 0.6), random.between(0.1, 0.5));
        let angle = random.between(0.0, std::f64::consts::TAU);
        let away = random.between(1.3, 2.0);
        all.push((DVec3::new(away * angle.cos(), away * angle.sin(), random.between(-0.4, 1.0)), sides));
    }
    all
}

/// Points on the surfaces of boxes.
pub fn points(boxes: &[(DVec3, DVec3)], count: usize, seed: u64) -> Vec<DVec3> {
    let mut random = Random::new(seed);
    let area = |sides: &DVec3| 2.0 * (sides.x * sides.y + sides.y * sides.z + sides.z * sides.x);
    let total: f64 = boxes.iter().map(|(_, sides)| area(sides)).sum();
    let mut all = Vec::with_capacity(count);
    let mut left = 0.0;
    for (center, sides) in boxes {
        left += count as f64 * area(sides) / total;
        while left >= 1.0 {
            left -= 1.0;
            // Choose a face by its area, then a place on it.
            let faces = [sides.y * sides.z, sides.z * sides.x, sides.x * sides.y];
            let mut drawn = random.between(0.0, faces.iter().sum());
            let mut axis = 0;
            while axis < 2 && drawn > faces[axis] {
                drawn -= faces[axis];
                axis += 1;
            }
            let mut at =
                DVec3::new(random.between(-0.5, 0.5), random.between(-0.5, 0.5), random.between(-0.5, 0.5));
            at[axis] = 0.5_f64.copysign(random.between(-1.0, 1.0));
            let mut point = *center + *sides * at;
            point[axis] += random.between(-1e-3, 1e-3);
            all.push(point);
        }
    }
    all
}

/// Returns a scan of `count` points, and an arm of three capsules that sweeps through the workshop until it touches a
/// box of it.
///
/// ```
/// let scene = firsttouch_scenes::scan::workshop(2_000)?;
/// assert!(scene.check(&firsttouch::Options::default())?.answer.touch().is_some());
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn workshop(count: usize) -> Result<Scene> {
    let mut scene = Scene::default();
    let cloud = PointCloud::new(points(&boxes(16), count, 1), RADIUS)?;
    scene.add(Body::new("scan", cloud, Motion::AT_REST))?;
    scene.add(Body::robot(
        "arm",
        RobotStep::new(arm()?, Pose::IDENTITY, vec![0.0, 0.4, 0.8], vec![6.0, 1.5, 0.3])?,
    ))?;
    Ok(scene)
}

/// Returns the same workshop as solid boxes.
pub fn solid_workshop(seed: u64) -> Result<Vec<Body>> {
    let body = |(k, (center, sides)): (usize, (DVec3, DVec3))| {
        Ok(Body::new(format!("box{k}"), Cuboid::new(sides)?, Motion::fixed(Pose::from_translation(center)?)))
    };
    boxes(seed).into_iter().enumerate().map(body).collect()
}

fn arm() -> Result<Robot> {
    let part = |radius: f64, length: f64| -> Result<Vec<LinkPart>> {
        let pose = Pose::from_translation(DVec3::Z * (0.5 * length))?;
        Ok(vec![LinkPart { shape: Capsule::new(radius, length)?.into(), pose }])
    };
    let joint = |name: &str, parent: &str, child: &str, z: f64, axis: DVec3| -> Result<Joint> {
        Ok(Joint {
            name: name.into(),
            parent: parent.into(),
            child: child.into(),
            origin: Pose::from_translation(DVec3::Z * z)?,
            kind: JointKind::Revolute { axis },
            limits: None,
            mimic: None,
        })
    };
    let links = vec![
        ("mast".to_string(), vec![]),
        ("shoulder".to_string(), part(0.08, 0.3)?),
        ("upper arm".to_string(), part(0.06, 0.7)?),
        ("lower arm".to_string(), part(0.05, 0.7)?),
    ];
    let joints = vec![
        joint("turn", "mast", "shoulder", 0.0, DVec3::Z)?,
        joint("lift", "shoulder", "upper arm", 0.35, DVec3::Y)?,
        joint("elbow", "upper arm", "lower arm", 0.75, DVec3::Y)?,
    ];
    Robot::new("arm", links, joints)
}
