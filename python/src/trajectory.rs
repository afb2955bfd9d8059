//! Ways of robots over time.

use firsttouch::articulated::{Robot, Trajectory};
use firsttouch::motion::JointTrajectory;
use firsttouch_io::{CourseFile, Files, Interpolation, WaypointPath, Waypoints, configurations};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::convert::{file_refused, refused};
use super::robot::RawRobot;

/// A trajectory of the core.
#[pyclass(frozen, name = "Trajectory", module = "firsttouch._core")]
pub(crate) struct RawTrajectory(pub(crate) Trajectory);

#[pymethods]
impl RawTrajectory {
    /// From waypoints with times from 0 to the duration; without times it takes the whole duration. Without a duration
    /// its times are a clock of their own. `pieces` has the coefficients of each piece and joint, that of the constant
    /// first, for polynomials.
    #[new]
    fn new(
        robot: &RawRobot,
        interpolation: &str,
        times: Option<Vec<f64>>,
        waypoints: Vec<Vec<f64>>,
        velocities: Option<Vec<Vec<f64>>>,
        pieces: Option<Vec<Vec<Vec<f64>>>>,
        duration: Option<f64>,
    ) -> PyResult<RawTrajectory> {
        let robot: &Robot = &robot.0;
        let count = pieces.as_ref().map_or(waypoints.len(), |pieces| pieces.len() + 1);
        let equal: Vec<f64> = (0..count).map(|k| k as f64).collect();
        let on = times.as_deref().unwrap_or(&equal);
        let made = match (interpolation, &velocities, &pieces) {
            ("linear", None, None) => Trajectory::linear(robot, on, &waypoints),
            ("spline", None, None) => Trajectory::spline(robot, on, &waypoints),
            ("cubic", Some(velocities), None) => Trajectory::cubic(robot, on, &waypoints, velocities),
            ("polynomials", None, Some(pieces)) => polynomials(robot, on, pieces),
            _ => {
                let text = "interpolation must be \"linear\", \"spline\", or \"cubic\" with velocities";
                return Err(PyValueError::new_err(text));
            }
        };
        let made = made.map_err(refused)?;
        let (Some(&[first, .., last]), Some(duration)) = (times.as_deref(), duration) else {
            return Ok(RawTrajectory(made));
        };
        if !(first >= 0.0 && last <= duration) {
            let text = format!("times must be between 0 and {duration}, but go from {first} to {last}");
            return Err(PyValueError::new_err(text));
        }
        let end = if last == duration { 1.0 } else { last / duration };
        made.on_clock(first / duration, end).map(RawTrajectory).map_err(refused)
    }

    /// The values of all joints at a time of the clock from 0 to 1, up to rounding.
    fn at(&self, t: f64) -> Vec<f64> {
        let [start, end] = [self.0.span(0)[0], self.0.span(self.0.segments() - 1)[1]];
        self.0.at(((t - start) / (end - start)).clamp(0.0, 1.0))
    }

    /// The time of each segment on the clock from 0 to 1.
    #[getter]
    fn spans(&self) -> Vec<(f64, f64)> {
        (0..self.0.segments()).map(|k| self.0.span(k).into()).collect()
    }

    /// The number of segments.
    #[getter]
    fn segments(&self) -> usize {
        self.0.segments()
    }
}

fn polynomials(robot: &Robot, times: &[f64], pieces: &[Vec<Vec<f64>>]) -> firsttouch::Result<Trajectory> {
    let of_joint = |k: usize| -> Vec<Vec<f64>> {
        pieces.iter().map(|joints| joints.get(k).cloned().unwrap_or_default()).collect()
    };
    let joints = (0..robot.variables().len()).map(|k| JointTrajectory::polynomials(times, &of_joint(k)));
    Trajectory::new(robot, joints.collect::<firsttouch::Result<_>>()?)
}

/// Returns the values from which the Python layer makes the trajectory of a scene file.
pub(crate) fn describe(
    described: &Bound<'_, PyDict>,
    files: &Files,
    course: &CourseFile,
    urdf: &std::path::Path,
    robot: &Robot,
) -> PyResult<()> {
    let robot_file = files.read_robot_file(urdf).map_err(file_refused)?;
    let waypoints = files.read_waypoints(&course.file, &robot_file).map_err(file_refused)?;
    let rows = configurations(robot, &waypoints, &course.file).map_err(file_refused)?;
    let (Some(path), Some(rows)) = (waypoints.paths.first(), rows.first()) else {
        return Err(PyValueError::new_err("there is no path in the file"));
    };
    let word = match course.interpolation {
        _ if path.polynomials.is_some() => "polynomials",
        Interpolation::Linear => "linear",
        Interpolation::Cubic => "cubic",
        Interpolation::Spline => "spline",
    };
    described.set_item("interpolation", word)?;
    described.set_item("times", &path.times)?;
    described.set_item("waypoints", rows)?;
    let velocities = path.velocities.as_ref().filter(|_| word == "cubic");
    described.set_item("velocities", velocities.map(|given| of_variables(robot, &waypoints, given)))?;
    described.set_item("coefficients", coefficients(robot, &waypoints, path))
}

/// Rows of columns of a file as rows of variables of the robot; zero for those without a column.
fn of_variables(robot: &Robot, waypoints: &Waypoints, rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let columns: Vec<Option<usize>> = waypoints.joints.iter().map(|joint| robot.variable(joint)).collect();
    let spread = |row: &Vec<f64>| {
        let mut all = vec![0.0; robot.variables().len()];
        for (column, &value) in columns.iter().zip(row) {
            if let Some(column) = column {
                all[*column] = value;
            }
        }
        all
    };
    rows.iter().map(spread).collect()
}

/// The coefficients of each piece and variable; those without a column stay where they are.
fn coefficients(robot: &Robot, waypoints: &Waypoints, path: &WaypointPath) -> Option<Vec<Vec<Vec<f64>>>> {
    let pieces = path.polynomials.as_ref()?;
    let of_piece = |piece: &Vec<Vec<f64>>| {
        let mut all: Vec<Vec<f64>> = robot.zero().into_iter().map(|value| vec![value]).collect();
        for (joint, given) in waypoints.joints.iter().zip(piece) {
            if let Some(variable) = robot.variable(joint) {
                all[variable].clone_from(given);
            }
        }
        all
    };
    Some(pieces.iter().map(of_piece).collect())
}
