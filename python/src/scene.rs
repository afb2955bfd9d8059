//! Scenes.

use std::sync::{Arc, Mutex, PoisonError};

use firsttouch::articulated::RobotStep;
use firsttouch::deformable::Deformable;
use firsttouch::glam::DVec3;
use firsttouch::motion::Affine;
use firsttouch::{Body, BodyKind, Control, Scene, first_touch as core_first_touch};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;

use super::answer::RawAnswer;
use super::convert::{PoseNumbers, indices, points, pose, refused};
use super::motion::RawMotion;
use super::options::{OptionValues, options, options_over};
use super::robot::RawRobot;
use super::shape::{RawShape, pieces};
use super::supervise::supervised;

/// A scene of the core. A query works on the scene as it was when it began: what changes it meanwhile makes a copy.
#[pyclass(frozen, name = "Scene", module = "firsttouch._core")]
pub(crate) struct RawScene(Mutex<Arc<Scene>>);

#[pymethods]
impl RawScene {
    #[new]
    fn new() -> RawScene {
        RawScene(Mutex::default())
    }

    fn add(&self, name: String, shape: &RawShape, motion: &RawMotion) -> PyResult<()> {
        self.push(Body::new(name, shape.0.clone(), motion.0.clone()))
    }

    fn add_affine(
        &self,
        name: String,
        semi_axes: [f64; 3],
        linear: Vec<[f64; 9]>,
        xyz: Vec<[f64; 3]>,
        weight: Vec<f64>,
    ) -> PyResult<()> {
        let motion = Affine::from_power_basis(DVec3::from_array(semi_axes), &linear, &xyz, &weight);
        self.push(Body::affine(name, motion.map_err(refused)?))
    }

    fn add_robot(
        &self,
        py: Python<'_>,
        name: String,
        robot: &RawRobot,
        q0: Vec<f64>,
        q1: Vec<f64>,
        base: PoseNumbers,
    ) -> PyResult<()> {
        let (robot, base) = (Arc::clone(&robot.0), pose(base)?);
        let body = py.detach(|| Ok(Body::robot(name, RobotStep::new(robot, base, q0, q1)?)));
        self.push(body.map_err(refused)?)
    }

    #[allow(clippy::too_many_arguments)]
    fn add_deforming(
        &self,
        py: Python<'_>,
        name: String,
        frame0: PyReadonlyArray2<'_, f64>,
        frame1: PyReadonlyArray2<'_, f64>,
        faces: PyReadonlyArray2<'_, i64>,
        edges: PyReadonlyArray2<'_, i64>,
        loose_points: Vec<u32>,
    ) -> PyResult<()> {
        let frames = [points(&frame0, "frame 0")?, points(&frame1, "frame 1")?];
        let (faces, edges) = (indices(&faces, "face")?, indices(&edges, "edge")?);
        let body = py.detach(|| {
            let [frame0, frame1] = frames;
            Ok(Body::deforming(name, Deformable::new(frame0, frame1, faces, edges, loose_points)?))
        });
        self.push(body.map_err(refused)?)
    }

    fn attach(
        &self,
        name: &str,
        shape: &RawShape,
        robot: &str,
        link: &str,
        at: PoseNumbers,
        touch_links: Vec<String>,
    ) -> PyResult<()> {
        let (shape, at) = (shape.0.clone(), pose(at)?);
        let touch_links: Vec<&str> = touch_links.iter().map(String::as_str).collect();
        self.change(|scene| scene.attach(name, shape, robot, link, at, &touch_links).map(drop))
    }

    fn set_motion(&self, name: &str, motion: &RawMotion) -> PyResult<()> {
        self.change(|scene| scene.set_motion(name, motion.0.clone()))
    }

    fn set_shape(&self, name: &str, shape: &RawShape) -> PyResult<()> {
        self.change(|scene| scene.replace_shape(name, shape.0.clone()))
    }

    fn remove(&self, name: &str) -> PyResult<()> {
        self.change(|scene| scene.remove(name).map(drop))
    }

    fn allow(&self, a: &str, b: &str) -> PyResult<()> {
        self.change(|scene| scene.allow(a, b))
    }

    fn keep_apart(&self, a: &str, b: &str, min_separation: f64) -> PyResult<()> {
        self.change(|scene| scene.keep_apart(a, b, min_separation))
    }

    /// Times, `t_max` among them, run from 0 to the duration.
    fn check(&self, py: Python<'_>, values: OptionValues, duration: f64) -> PyResult<RawAnswer> {
        let t_max = values.3;
        let mut options = options_over(values, duration)?;
        let scene = self.shared();
        let report = if is_small(&scene) {
            // Starting threads would take longer than the work. The answer does not depend on their number.
            options.threads = 1;
            py.detach(|| scene.check(&options))
        } else {
            supervised(py, |interrupt| {
                scene.check_with(&options, &Control { interrupt: Some(interrupt), progress: None })
            })?
        };
        RawAnswer::of_scene(py, report.map_err(refused)?.over(duration), t_max, &scene)
    }
}

impl RawScene {
    /// The scene as it is now.
    pub(crate) fn shared(&self) -> Arc<Scene> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, body: Body) -> PyResult<()> {
        self.change(|scene| scene.add(body).map(drop))
    }

    fn change(&self, change: impl FnOnce(&mut Scene) -> firsttouch::Result<()>) -> PyResult<()> {
        let mut scene = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut scene)).map_err(refused)
    }
}

/// Pieces of all bodies together below which a check takes no more than a few milliseconds.
const FEW_PIECES: usize = 256;

/// Whether a check is certainly short.
fn is_small(scene: &Scene) -> bool {
    if scene.bodies().len() > FEW_PIECES {
        return false;
    }
    let mut total = 0;
    scene.bodies().iter().all(|body| {
        total += match body.kind() {
            BodyKind::Rigid { shape, .. } => pieces(shape),
            BodyKind::Affine(_) => 1,
            _ => FEW_PIECES + 1,
        };
        total <= FEW_PIECES
    })
}

/// The first touch of two shapes in motion.
#[pyfunction]
pub(crate) fn first_touch(
    py: Python<'_>,
    shape_a: &RawShape,
    motion_a: &RawMotion,
    shape_b: &RawShape,
    motion_b: &RawMotion,
    values: OptionValues,
) -> PyResult<RawAnswer> {
    let options = options(values)?;
    let sides = [(&shape_a.0, &motion_a.0), (&shape_b.0, &motion_b.0)];
    if sides.iter().map(|(shape, _)| pieces(shape)).sum::<usize>() <= FEW_PIECES {
        let answer = py.detach(|| core_first_touch(sides[0], sides[1], &options));
        return Ok(RawAnswer::of_two(answer.map_err(refused)?, options.t_max));
    }
    // The same answer from a scene of these two bodies, which can be interrupted.
    let mut scene = Scene::default();
    for (name, (shape, motion)) in ["a", "b"].into_iter().zip(sides) {
        scene.add(Body::new(name, shape.clone(), motion.clone())).map_err(refused)?;
    }
    let report = supervised(py, |interrupt| {
        scene.check_with(&options, &Control { interrupt: Some(interrupt), progress: None })
    })?;
    Ok(RawAnswer::of_two(report.map_err(refused)?.answer, options.t_max))
}
