//! From waypoints to configurations and trajectories of a robot.

use std::path::Path;

use firsttouch::articulated::{Robot, Trajectory};
use firsttouch::motion::JointTrajectory;

use crate::error::{Error, Place, Result, malformed};
use crate::waypoints::{WaypointPath, Waypoints};

/// The motion of a robot between waypoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// Every joint at a constant rate.
    #[default]
    Linear,
    /// Cubics with the velocities of the columns `joint/velocity`.
    Cubic,
    /// The natural cubic spline of each joint.
    Spline,
}

/// Returns the waypoints of each path as configurations of the robot. Joints without a column have their values of
/// [`Robot::zero`]. An error names the line of the configuration; `file` is for messages.
pub fn configurations(robot: &Robot, waypoints: &Waypoints, file: &Path) -> Result<Vec<Vec<Vec<f64>>>> {
    waypoints.paths.iter().map(|path| configurations_of(robot, waypoints, path, file)).collect()
}

fn configurations_of(
    robot: &Robot,
    waypoints: &Waypoints,
    path: &WaypointPath,
    file: &Path,
) -> Result<Vec<Vec<f64>>> {
    let columns = columns(robot, waypoints, file)?;
    let configuration = |(row, &line): (&Vec<f64>, &usize)| {
        let mut values = robot.zero();
        for (&column, &value) in columns.iter().zip(row) {
            values[column] = value;
        }
        let at_line =
            |error: firsttouch::Error| malformed(error.to_string()).at(Place::Line(line)).in_file(file);
        robot.validate(&values).map_err(at_line)?;
        Ok(values)
    };
    path.rows.iter().zip(&path.lines).map(configuration).collect()
}

/// Returns the variable of each column.
fn columns(robot: &Robot, waypoints: &Waypoints, file: &Path) -> Result<Vec<usize>> {
    let column = |joint: &String| {
        let missing = || malformed(format!("\"{joint}\" is not a joint that can move"));
        robot.variable(joint).ok_or_else(|| missing().at(Place::Line(1)).in_file(file))
    };
    waypoints.joints.iter().map(column).collect()
}

/// Returns the paths as trajectories of the robot. Without a column `time` every segment takes the same time. A file of
/// polynomials itself defines the motion of the robot, and allows only [`Interpolation::Linear`], the default. An error
/// names the first line of its path; `file` is for messages.
///
/// ```
/// use firsttouch_io::{Interpolation, SrdfFile, build_robot, build_trajectories, parse_waypoints, read_robot_meshes, read_urdf};
/// let file = read_urdf("../../testdata/robots/plain.urdf".as_ref())?;
/// let robot = build_robot(&file, &read_robot_meshes(&file)?, &SrdfFile::default())?;
/// let waypoints = parse_waypoints(b"time,lift\n0,0.1\n1,0.2\n4,0.1\n", "q.csv", &file)?;
/// let paths = build_trajectories(&robot, &waypoints, Interpolation::Spline, "q.csv".as_ref())?;
/// assert_eq!(paths[0].knots(), [0.0, 0.25, 1.0]);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn build_trajectories(
    robot: &Robot,
    waypoints: &Waypoints,
    interpolation: Interpolation,
    file: &Path,
) -> Result<Vec<Trajectory>> {
    waypoints.paths.iter().map(|path| trajectory(robot, waypoints, path, interpolation, file)).collect()
}

fn trajectory(
    robot: &Robot,
    waypoints: &Waypoints,
    path: &WaypointPath,
    interpolation: Interpolation,
    file: &Path,
) -> Result<Trajectory> {
    let rows = configurations_of(robot, waypoints, path, file)?;
    let fail = |text: String| -> Error {
        malformed(text).at(Place::Line(path.lines.first().copied().unwrap_or(1))).in_file(file)
    };
    if let Some(pieces) = &path.polynomials {
        if interpolation != Interpolation::Linear {
            return Err(fail("the file gives polynomials, so there is nothing to interpolate".into()));
        }
        let columns = columns(robot, waypoints, file)?;
        let times = path.times.as_deref().unwrap_or_default();
        let zero = robot.zero();
        let joint = |variable: usize| {
            let column = columns.iter().position(|&column| column == variable);
            let piece = |piece: &Vec<Vec<f64>>| match column {
                Some(column) => piece[column].clone(),
                None => vec![zero[variable]],
            };
            let named =
                |error: firsttouch::Error| fail(format!("{}: {error}", robot.variables()[variable].name));
            JointTrajectory::polynomials(times, &pieces.iter().map(piece).collect::<Vec<_>>()).map_err(named)
        };
        let joints = (0..zero.len()).map(joint).collect::<Result<Vec<_>>>()?;
        return Trajectory::new(robot, joints).map_err(|error| fail(error.to_string()));
    }
    let equal: Vec<f64> = (0..rows.len()).map(|k| k as f64).collect();
    let times = path.times.as_ref().unwrap_or(&equal);
    let built = match interpolation {
        Interpolation::Linear => Trajectory::linear(robot, times, &rows),
        Interpolation::Spline => Trajectory::spline(robot, times, &rows),
        Interpolation::Cubic => {
            let Some(given) = &path.velocities else {
                return Err(fail("cubic interpolation needs columns JOINT/velocity".into()));
            };
            let columns = columns(robot, waypoints, file)?;
            let velocities: Vec<Vec<f64>> = given
                .iter()
                .map(|row| {
                    let mut all = vec![0.0; robot.variables().len()];
                    columns.iter().zip(row).for_each(|(&column, &velocity)| all[column] = velocity);
                    all
                })
                .collect();
            Trajectory::cubic(robot, times, &rows, &velocities)
        }
    };
    built.map_err(|error| fail(error.to_string()))
}

/// Returns the weight of each waypoint in the configuration at a time. At `t`, from 0 to 1 over the whole path, the
/// value of a joint is the sum of its values at the waypoints times these weights. Velocities of cubics add a term that
/// does not depend on the values.
///
/// ```
/// use firsttouch_io::{Interpolation, waypoint_weights};
/// // A quarter of the way from the first waypoint to the second; by a cubic, 1 - s² (3 - 2 s) and s² (3 - 2 s).
/// assert_eq!(waypoint_weights(&[0.0, 4.0], Interpolation::Linear, 0.25)?, [0.75, 0.25]);
/// assert_eq!(waypoint_weights(&[0.0, 4.0], Interpolation::Cubic, 0.25)?, [0.84375, 0.15625]);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn waypoint_weights(times: &[f64], interpolation: Interpolation, t: f64) -> firsttouch::Result<Vec<f64>> {
    let weight = |k: usize| {
        let values: Vec<f64> = (0..times.len()).map(|i| if i == k { 1.0 } else { 0.0 }).collect();
        let joint = match interpolation {
            Interpolation::Linear => JointTrajectory::linear(times, &values),
            Interpolation::Spline => JointTrajectory::spline(times, &values),
            Interpolation::Cubic => JointTrajectory::cubic(times, &values, &vec![0.0; times.len()]),
        };
        Ok(joint?.at(t))
    };
    (0..times.len()).map(weight).collect()
}
