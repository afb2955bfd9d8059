//! Prints the world poses of all geoms of an MJCF model in random configurations, as lines of JSON, to be compared with
//! MuJoCo's own.
//!
//! `tests/mjcf/compare.py` does that: it needs the Python package `mujoco`, so it is run by hand.

use firsttouch::articulated::{JointKind, RobotMotion};
use firsttouch::motion::{Pose, RigidMotion};
use firsttouch_io::{Files, SrdfFile, build_robot};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().ok_or("MODEL.xml is missing")?;
    let count: usize = arguments.next().map_or(Ok(10), |n| n.to_string_lossy().parse())?;
    let files = Files::default();
    let file = files.read_mjcf(path.as_ref())?;
    let meshes = files.read_robot_meshes(&file)?;
    let robot = build_robot(&file, &meshes, &SrdfFile::default())?;
    let mut state = 1_u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for case in 0..count {
        // The first configuration is the one of the model.
        let mut q = robot.zero();
        if case > 0 {
            q.iter_mut().for_each(|value| *value += 2.0 * unit() - 1.0);
            for link in 0..robot.links().len() {
                let Some(joint) = robot.joint_of(link) else { continue };
                if matches!(joint.kind, JointKind::Ball | JointKind::Floating) {
                    let first = robot.variable(&format!("{}/rot_x", joint.name)).ok_or("no quaternion")?;
                    let length = q[first..first + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
                    q[first..first + 4].iter_mut().for_each(|x| *x /= length);
                }
            }
        }
        let motion = RobotMotion::new(&robot, Pose::IDENTITY, &q, &q)?;
        let variables: serde_json::Map<String, serde_json::Value> = robot
            .variables()
            .iter()
            .zip(&q)
            .map(|(variable, &value)| (variable.name.clone(), value.into()))
            .collect();
        let mut geoms = serde_json::Map::new();
        for (l, link) in robot.links().iter().enumerate() {
            let described = file.link(link.name()).ok_or("a link that is not in the file")?;
            for (p, collision) in described.collisions.iter().enumerate() {
                let pose = motion.part(l, p).pose_at(0.0);
                let name = collision.name.clone().ok_or("a geom without a name")?;
                let points = meshes.of_link
                    [file.links.iter().position(|l| l.name == described.name).ok_or("no link")?][p];
                let points: Vec<[f64; 3]> = points.map_or(Vec::new(), |mesh| {
                    let placed = |&v: &glam::DVec3| (pose.rotation * v + pose.translation).to_array();
                    meshes.meshes[mesh].positions.iter().map(placed).collect()
                });
                let value = serde_json::json!({
                    "xyz": pose.translation.to_array(),
                    "rows": pose.rotation.transpose().to_cols_array_2d(),
                    "points": points,
                });
                geoms.insert(name, value);
            }
        }
        println!("{}", serde_json::json!({ "variables": variables, "geoms": geoms }));
    }
    Ok(())
}
