//! An arm of 14 moving links, each a mesh of a few hundred triangles, among 50 obstacles: boxes, and meshes of a
//! thousand triangles.

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Mesh, Shape};
use firsttouch::{Body, Result};
use glam::{DQuat, DVec3};

/// The links of the arm; all but the first one move.
pub const LINKS: usize = 15;

/// The obstacles.
pub const OBSTACLES: usize = 50;

/// Returns the arm among its obstacles.
pub fn checker() -> Result<Checker> {
    let obstacles = (0..OBSTACLES).map(obstacle).collect::<Result<Vec<Body>>>()?;
    Checker::new(robot()?, Pose::IDENTITY, obstacles)
}

/// Returns a number in [−1, 1], the same every time.
fn number(k: usize) -> f64 {
    let mut z = (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ z >> 31) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Returns a configuration of the arm.
pub fn configuration(k: usize) -> Vec<f64> {
    (0..LINKS - 1).map(|joint| 0.35 * number(100 + 20 * k + joint)).collect()
}

/// Returns a pose beside the arm.
pub fn place(k: usize) -> Result<Pose> {
    let turn = DQuat::from_rotation_z(number(4 * k));
    Pose::new(DVec3::new(1.5 + number(4 * k + 1), 1.2, number(4 * k + 2)), turn)
}

/// Boxes and bumpy balls beside the arm.
pub fn obstacle(k: usize) -> Result<Body> {
    let shape: Shape = if k.is_multiple_of(2) {
        Cuboid::new(DVec3::new(0.3, 0.2, 0.15))?.into()
    } else {
        bumpy_ball(0.12, 24, k)?.into()
    };
    let side = if k.is_multiple_of(4) { 1.0 } else { -1.0 };
    let at =
        DVec3::new(4.2 * k as f64 / OBSTACLES as f64, side * (0.9 + 0.3 * number(k)), 0.4 * number(900 + k));
    Ok(Body::new(format!("obstacle{k}"), shape, Motion::fixed(Pose::from_translation(at)?)))
}

fn bumpy_ball(radius: f64, rings: usize, seed: usize) -> Result<Mesh> {
    let turn = std::f64::consts::TAU / rings as f64;
    let mut vertices = Vec::new();
    for i in 0..=rings / 2 {
        for j in 0..rings {
            let (theta, phi) = (turn * i as f64, turn * j as f64);
            let bump = radius * (1.0 + 0.15 * number(seed + 31 * i + j));
            vertices.push(bump * DVec3::new(theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()));
        }
    }
    let at = |i: usize, j: usize| (i * rings + j % rings) as u32;
    let mut triangles = Vec::new();
    for i in 0..rings / 2 {
        for j in 0..rings {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    Mesh::new(vertices, triangles)
}

/// Returns bumpy balls in a row, each turning about an axis across the row.
pub fn robot() -> Result<Robot> {
    let (mut links, mut joints) = (Vec::new(), Vec::new());
    for i in 0..LINKS {
        let shape: Shape = bumpy_ball(0.1, 16, 1_000 * i)?.into();
        links.push((
            format!("link{i}"),
            vec![LinkPart { shape, pose: Pose::from_translation(DVec3::X * 0.15)? }],
        ));
        if i > 0 {
            joints.push(Joint {
                name: format!("joint{i}"),
                parent: format!("link{}", i - 1),
                child: format!("link{i}"),
                origin: Pose::from_translation(DVec3::X * 0.3)?,
                kind: JointKind::Revolute { axis: if i % 2 == 0 { DVec3::Z } else { DVec3::Y } },
                limits: None,
                mimic: None,
            });
        }
    }
    Robot::new("arm", links, joints)
}
