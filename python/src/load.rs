//! Scene files: the scene of the core, and the descriptions of its bodies for the Python layer.
//!
//! The files are read and checked as the command does it, and the scene is built once. The bodies come back one by one
//! beside it, so that a scene from a file is like one that was put together in Python: it can be changed and pickled,
//! and does not need its files any more.

use std::path::PathBuf;

use firsttouch::articulated::Robot;
use firsttouch::glam::{DQuat, DVec3};
use firsttouch::motion::{By, Leg, Pose};
use firsttouch::shape::Shape;
use firsttouch::{Scene, Start};
use firsttouch_io::{
    BodyFile, BodyKind, Files, LegFile, MotionFile, PairFile, SceneFile, ShapeFile, TurnFile,
    leave_out_resting, path_legs,
};
use numpy::IntoPyArray;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::convert::{file_refused, indices_array, points_array, pose_numbers, raw_pose, refused};
use super::motion::{LegNumbers, RawMotion};
use super::robot::RawRobot;
use super::scene::RawScene;
use super::shape::RawShape;
use super::trajectory;

/// A dictionary with the keys `scene`, `duration`, `bodies`, `options`, `leaves_out_resting`, `allow`, `pairs` and
/// `warnings`. Each body is a dictionary with its `name` and `kind`, and what its kind needs. `allow` and `pairs` have
/// the names of all pairs that they stand for.
#[pyfunction]
pub(crate) fn load_scene<'py>(py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyDict>> {
    let files = Files::default();
    let read = py.detach(|| {
        let file = files.read_scene(&path)?;
        let (scene, warnings) = files.build_scene(&file, &path)?;
        Ok((file, scene, warnings))
    });
    let (file, mut scene, warnings) = read.map_err(file_refused)?;
    // The planes of an MJCF model stand around its robot. No body of the file is one of them.
    let is_of_file = |body: &&firsttouch::Body| file.bodies.iter().any(|of_file| of_file.name == body.name());
    if let Some(standing) = scene.bodies().iter().find(|body| !is_of_file(body)) {
        return Err(PyOSError::new_err(format!(
            "{}: \"{}\" is a plane of an MJCF model, which this package does not take: give it as a half_space of the scene",
            path.display(),
            standing.name()
        )));
    }
    let duration = file.duration.unwrap_or(1.0);
    let bodies = file.bodies.iter().map(|body| describe(py, &files, body, &scene, duration));
    let loaded = PyDict::new(py);
    loaded.set_item("duration", duration)?;
    loaded.set_item("bodies", bodies.collect::<PyResult<Vec<_>>>()?)?;
    loaded.set_item("options", options(py, &file)?)?;
    let named = |[a, b]: &[String; 2]| {
        let pairs = scene.pairs_named(a, b).map_err(refused)?;
        Ok(pairs.into_iter().map(|[a, b]| (a, b)).collect::<Vec<_>>())
    };
    let allowed = file.allow.iter().map(named).collect::<PyResult<Vec<_>>>()?;
    loaded.set_item("allow", allowed.concat())?;
    let apart = |pair: &PairFile| Ok((named(&pair.bodies)?, pair.min_separation, pair.by_contact));
    loaded.set_item("pairs", file.pairs.iter().map(apart).collect::<PyResult<Vec<_>>>()?)?;
    loaded.set_item("warnings", warnings.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    loaded.set_item("leaves_out_resting", leave_out_resting(&mut scene))?;
    loaded.set_item("scene", Py::new(py, RawScene::from(scene))?)?;
    Ok(loaded)
}

/// Returns the options that the file sets, and no others.
fn options<'py>(py: Python<'py>, file: &SceneFile) -> PyResult<Bound<'py, PyDict>> {
    let set = PyDict::new(py);
    for (name, value) in
        [("tolerance", file.tolerance), ("min_separation", file.min_separation), ("t_max", file.t_max)]
    {
        if let Some(value) = value {
            set.set_item(name, value)?;
        }
    }
    if let Some(start) = file.start {
        set.set_item("start", if start == Start::Ignore { "ignore" } else { "report" })?;
    }
    Ok(set)
}

fn describe<'py>(
    py: Python<'py>,
    files: &Files,
    body: &BodyFile,
    scene: &Scene,
    duration: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let built = scene.index_of(&body.name).map(|index| scene.bodies()[index].kind());
    let described = PyDict::new(py);
    described.set_item("name", &body.name)?;
    match (&body.kind, built) {
        (
            BodyKind::Rigid {
                shape: ShapeFile::Ellipsoid { semi_axes },
                motion: MotionFile::Affine { linear, xyz, weight },
            },
            _,
        ) => {
            described.set_item("kind", "affine")?;
            described.set_item("semi_axes", semi_axes.to_array())?;
            described.set_item("linear", linear)?;
            described.set_item("xyz", xyz.iter().map(|v| v.to_array()).collect::<Vec<_>>())?;
            described.set_item("weight", weight)?;
        }
        (
            BodyKind::Rigid {
                shape: ShapeFile::Ellipsoid { semi_axes: first },
                motion: MotionFile::Interpolant { from, to, semi_axes: last },
            },
            _,
        ) => {
            described.set_item("kind", "interpolant")?;
            described.set_item("semi_axes", [first.to_array(), last.unwrap_or(*first).to_array()])?;
            described.set_item("from", raw_pose(from))?;
            described.set_item("to", raw_pose(to))?;
        }
        (
            BodyKind::Rigid { motion: file, shape: of_file },
            Some(firsttouch::BodyKind::Rigid { shape, motion }),
        ) => {
            described.set_item("kind", "rigid")?;
            described.set_item("shape", described_shape(py, files, body, of_file, shape)?)?;
            described.set_item("motion", Py::new(py, RawMotion(motion.clone()))?)?;
            described.set_item("recipe", recipe(py, file, duration)?)?;
            described.set_item("parent", &body.parent)?;
        }
        (
            BodyKind::Attached { attach, shape: of_file },
            Some(firsttouch::BodyKind::Attached { robot, link }),
        ) => {
            let robot = scene.bodies()[*robot].as_robot().ok_or_else(|| unknown(body))?;
            described.set_item("kind", "attached")?;
            let shape = &robot.links()[*link].parts()[0].shape;
            described.set_item("shape", described_shape(py, files, body, of_file, shape)?)?;
            described.set_item("robot", &attach.robot)?;
            described.set_item("link", &attach.link)?;
            described.set_item("pose", raw_pose(&attach.pose))?;
            described.set_item("touch_links", &attach.touch_links)?;
        }
        // It is taken up on the way.
        (BodyKind::Attached { attach, shape: of_file }, Some(firsttouch::BodyKind::Rigid { shape, .. })) => {
            described.set_item("kind", "grasped")?;
            described.set_item("shape", described_shape(py, files, body, of_file, shape)?)?;
            described.set_item("robot", &attach.robot)?;
            described.set_item("link", &attach.link)?;
            described.set_item("pose", raw_pose(&attach.pose))?;
            described.set_item("touch_links", &attach.touch_links)?;
            let held = attach.held.as_ref().ok_or_else(|| unknown(body))?;
            described.set_item("at", held.at)?;
            described.set_item("release", held.release)?;
        }
        (BodyKind::Deformable { from, to }, _) => {
            let [a, b] = files.read_frames(from, to).map_err(file_refused)?;
            described.set_item("kind", "deforming")?;
            described.set_item("frame0", points_array(py, &a.positions))?;
            described.set_item("frame1", points_array(py, &b.positions))?;
            described.set_item("faces", indices_array(py, &a.triangles))?;
            described.set_item("edges", indices_array(py, &a.edges))?;
            described.set_item("points", a.points.into_pyarray(py))?;
        }
        (BodyKind::Robot { .. }, Some(firsttouch::BodyKind::Robot(step))) => {
            described.set_item("kind", "robot")?;
            described.set_item("robot", Py::new(py, RawRobot(bare(step.robot()).into()))?)?;
            described.set_item("base", pose_numbers(&step.base()))?;
            described.set_item("q0", step.from())?;
            described.set_item("q1", step.to())?;
        }
        (BodyKind::Robot { urdf, path: Some(course), .. }, Some(firsttouch::BodyKind::RobotPath(path))) => {
            let robot = bare(path.robot());
            described.set_item("kind", "robot_path")?;
            described.set_item("base", pose_numbers(&path.base()))?;
            described.set_item("adaptive", course.adaptive)?;
            trajectory::describe(&described, files, course, urdf, &robot)?;
            described.set_item("robot", Py::new(py, RawRobot(robot.into()))?)?;
        }
        _ => return Err(unknown(body)),
    }
    Ok(described)
}

/// Returns a shape, or its parts where the Python layer cannot get them back from the shape: the normal of a half-space
/// as it is given, and the pieces of a compound with their poses.
fn described_shape<'py>(
    py: Python<'py>,
    files: &Files,
    body: &BodyFile,
    file: &ShapeFile,
    built: &Shape,
) -> PyResult<Bound<'py, PyAny>> {
    match file {
        ShapeFile::HalfSpace { normal, offset } => {
            Ok(("half_space", normal.to_array(), *offset).into_pyobject(py)?.into_any())
        }
        ShapeFile::Compound { pieces } => {
            // Each piece is built as if it were a body.
            let piece = |(number, (shape, _)): (usize, &(ShapeFile, firsttouch_io::Pose))| {
                let motion =
                    MotionFile::Fixed(firsttouch_io::Pose { xyz: DVec3::ZERO, quat: DQuat::IDENTITY });
                let kind = BodyKind::Rigid { shape: shape.clone(), motion };
                BodyFile { name: number.to_string(), line: body.line, kind, parent: None }
            };
            let bodies = pieces.iter().enumerate().map(piece).collect();
            let apart = SceneFile { bodies, ..SceneFile::default() };
            let (scene, _) = files.build_scene(&apart, &body.name).map_err(file_refused)?;
            let mut list = Vec::with_capacity(pieces.len());
            for (built, (_, pose)) in scene.bodies().iter().zip(pieces) {
                let (shape, _) = built.as_rigid().ok_or_else(|| unknown(body))?;
                list.push((Py::new(py, RawShape(shape.clone()))?, raw_pose(pose)));
            }
            Ok(("compound", list).into_pyobject(py)?.into_any())
        }
        _ => Ok(Bound::new(py, RawShape(built.clone()))?.into_any()),
    }
}

fn unknown(body: &BodyFile) -> PyErr {
    PyOSError::new_err(format!(
        "line {}: body \"{}\" is of a kind that this package does not know",
        body.line, body.name
    ))
}

/// Returns the robot without the objects that it holds.
fn bare(robot: &Robot) -> Robot {
    let mut bare = robot.clone();
    // A later attached link may hang on an earlier one, so the last is released first.
    for link in (0..robot.links().len()).rev().filter(|&link| robot.is_attached(link)) {
        // It is attached, and nothing is attached to it any more: it can be released.
        let released = bare.release(robot.links()[link].name());
        debug_assert!(released.is_ok());
    }
    bare
}

/// Returns the kind of a motion of a file, and the arguments of its class, or `None` for kinds that are not known here.
fn recipe<'py>(
    py: Python<'py>,
    file: &MotionFile,
    duration: f64,
) -> PyResult<Option<(&'static str, Bound<'py, PyTuple>)>> {
    let between = |from, to| (raw_pose(from), raw_pose(to)).into_pyobject(py);
    #[allow(unreachable_patterns)]
    Ok(Some(match file {
        MotionFile::Fixed(at) => ("fixed", (raw_pose(at),).into_pyobject(py)?),
        MotionFile::Linear { from, to } => ("linear", between(from, to)?),
        MotionFile::Screw { from, to } => ("screw", between(from, to)?),
        MotionFile::ContactScrew { from, to } => ("contact_screw", between(from, to)?),
        MotionFile::Rational { quat, xyz, weight } => {
            let xyz: Vec<[f64; 3]> = xyz.iter().map(|v| v.to_array()).collect();
            ("rational", (quat.clone(), xyz, weight.clone()).into_pyobject(py)?)
        }
        MotionFile::Turn { from, turn } => ("turn", (raw_pose(from), turn_numbers(turn)).into_pyobject(py)?),
        MotionFile::Path { from, start, legs } => {
            let legs = leg_numbers(from, *start, legs).map_err(refused)?;
            ("path", (raw_pose(from), legs, duration).into_pyobject(py)?)
        }
        MotionFile::Spline { keyframes } => {
            let keyframes: Vec<_> = keyframes.iter().map(|(t, at)| (*t, raw_pose(at))).collect();
            ("spline", (keyframes, duration).into_pyobject(py)?)
        }
        _ => return Ok(None),
    }))
}

/// Axis, point and angle.
fn turn_numbers(turn: &TurnFile) -> Vec<f64> {
    [&turn.axis.to_array()[..], &turn.point.to_array(), &[turn.angle]].concat()
}

/// The legs of a path, with whole poses.
fn leg_numbers(
    from: &firsttouch_io::Pose,
    start: f64,
    legs: &[LegFile],
) -> firsttouch::Result<Vec<LegNumbers>> {
    let legs = path_legs(Pose::new(from.xyz, from.quat)?, start, legs)?;
    let numbers = |Leg { until, by }: Leg| {
        let (word, values) = match by {
            By::Hold => ("hold", Vec::new()),
            By::Linear(at) => ("linear", pose_numbers(&at).to_vec()),
            By::Screw(at) => ("screw", pose_numbers(&at).to_vec()),
            By::Turn { axis, point, angle } => ("turn", turn_numbers(&TurnFile { axis, point, angle })),
            _ => return Err(firsttouch::Error::Unsupported { what: "a leg of this kind".into() }),
        };
        Ok((until, word.to_string(), values))
    };
    legs.into_iter().map(numbers).collect()
}
