//! Real arms in real planning scenes: the problems of the shared data beside the checkout.

use std::path::{Path, PathBuf};

use firsttouch::Body;
use firsttouch::articulated::Robot;
use firsttouch_io::{build_scene, read_robot, read_scene, read_urdf, read_waypoints};

type Failure = Box<dyn std::error::Error>;

/// The obstacles of a problem, and the motions of its paths.
pub struct ArmProblem {
    /// The obstacles, at rest.
    pub obstacles: Vec<Body>,
    /// The motions, each from one configuration to another.
    pub motions: Vec<[Vec<f64>; 2]>,
}

/// Returns the folder of a robot in the shared data; `None` if there is no such data.
pub fn folder(robot: &str) -> Option<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/robots").join(robot);
    data.is_dir().then_some(data)
}

/// Returns the robot in a folder, with the pairs of links that its SRDF leaves out.
pub fn robot(folder: &Path) -> Result<Robot, Failure> {
    Ok(read_robot(&urdf(folder)?, Some(&urdf(folder)?.with_extension("srdf")))?.0)
}

/// Returns the problem of a file of waypoints, with the scene file beside it.
pub fn problem(folder: &Path, robot: &Robot, waypoints: &Path) -> Result<ArmProblem, Failure> {
    let scene = waypoints.with_extension("toml");
    let obstacles = build_scene(&read_scene(&scene)?, &scene)?.bodies().to_vec();
    let waypoints = read_waypoints(waypoints, &read_urdf(&urdf(folder)?)?)?;
    let columns: Vec<Option<usize>> = waypoints.joints.iter().map(|joint| robot.variable(joint)).collect();
    let configuration = |row: &Vec<f64>| {
        let mut values = robot.zero();
        for (column, value) in columns.iter().zip(row) {
            if let Some(column) = column {
                values[*column] = *value;
            }
        }
        values
    };
    let mut motions = Vec::new();
    for path in &waypoints.paths {
        let rows: Vec<Vec<f64>> = path.rows.iter().map(configuration).collect();
        motions.extend(rows.windows(2).map(|ends| [ends[0].clone(), ends[1].clone()]));
    }
    Ok(ArmProblem { obstacles, motions })
}

fn urdf(folder: &Path) -> Result<PathBuf, Failure> {
    let name = folder.file_name().ok_or("a folder without a name")?;
    Ok(folder.join(name).with_extension("urdf"))
}
