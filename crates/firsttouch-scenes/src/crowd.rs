//! A crowd: any number of rigid bodies and of robots in one scene, at one density.
//!
//! Bodies start in the cells of a grid and drift by a fraction of a cell while they tumble; robots of six links stand
//! in cells of their own and swing their arms. With more bodies the grid grows, and the number of neighbours of each
//! body stays the same. A cost that grows faster than the number of bodies is therefore due to the method.

use std::sync::Arc;

use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot, RobotStep};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid, Ellipsoid, Mesh, Shape, Sphere};
use firsttouch::{Body, Result, Scene};
use glam::DVec3;

use crate::random::Random;
use crate::shapes::potato;

/// Returns a scene of `bodies` rigid bodies, one in four of them a mesh of 500 triangles, and `robots` robots. With
/// `spread` 1 some bodies touch; with 3 none of them do.
///
/// ```
/// let scene = firsttouch_scenes::crowd::crowd(50, 2, 1.0, 1)?;
/// assert_eq!(scene.bodies().len(), 52);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn crowd(bodies: usize, robots: usize, spread: f64, seed: u64) -> Result<Scene> {
    let mut random = Random::new(seed);
    let mesh: Arc<Mesh> = Arc::new(potato(500, 1)?);
    // The hull is built when it is first used. Build it now, so that no query includes it.
    mesh.hull();
    let side = ((bodies + robots) as f64).cbrt().ceil() as usize;
    let cell = 3.0 * spread;
    let place = |i: usize| {
        let at = DVec3::new((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64);
        cell * at
    };
    let mut scene = Scene::default();
    let arm = Arc::new(arm()?);
    for i in 0..bodies + robots {
        let at = place(i);
        // Robots are spread evenly among the bodies.
        if robots > 0 && i * robots / (bodies + robots) != (i + 1) * robots / (bodies + robots) {
            let from: Vec<f64> = arm.variables().iter().map(|_| random.between(-0.6, 0.6)).collect();
            let to: Vec<f64> = from.iter().map(|value| value + random.between(-0.5, 0.5)).collect();
            let step = RobotStep::new(Arc::clone(&arm), Pose::from_translation(at)?, from, to)?;
            scene.add(Body::robot(format!("robot{i:05}"), step))?;
            continue;
        }
        let from = Pose::new(at, random.orientation())?;
        let drift = random.vector(0.35 * cell);
        let to = Pose::new(at + drift, random.orientation())?;
        let shape: Shape = match i % 4 {
            0 => Cuboid::new(DVec3::new(1.2, 1.0, 0.8))?.into(),
            1 => Sphere::new(0.6)?.into(),
            2 => Shape::Mesh(Arc::clone(&mesh)),
            _ if i % 8 == 3 => Capsule::new(0.3, 0.8)?.into(),
            _ => Ellipsoid::new(DVec3::new(0.8, 0.6, 0.5))?.into(),
        };
        scene.add(Body::new(format!("body{i:05}"), shape, Motion::linear(from, to)))?;
    }
    Ok(scene)
}

/// Returns a robot of a base and five links in a row, bent upwards.
fn arm() -> Result<Robot> {
    let mut links = vec![(
        "base".to_string(),
        vec![LinkPart { shape: Cuboid::new(DVec3::splat(0.4))?.into(), pose: Pose::IDENTITY }],
    )];
    let mut joints = Vec::new();
    for i in 0..5 {
        let name = format!("link{i}");
        let shape = Capsule::new(0.08, 0.2)?.into();
        links.push((name.clone(), vec![LinkPart { shape, pose: Pose::from_translation(DVec3::Z * 0.2)? }]));
        joints.push(Joint {
            name: format!("joint{i}"),
            parent: if i == 0 { "base".into() } else { format!("link{}", i - 1) },
            child: name,
            origin: Pose::from_translation(DVec3::Z * if i == 0 { 0.3 } else { 0.42 })?,
            kind: JointKind::Revolute { axis: if i % 2 == 0 { DVec3::X } else { DVec3::Y } },
            limits: None,
            mimic: None,
        });
    }
    Robot::new("arm", links, joints)
}
