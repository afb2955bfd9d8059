//! Scenes.

use std::sync::{Arc, Mutex, PoisonError};

use firsttouch::articulated::{Grasp, RobotPath, RobotStep};
use firsttouch::deformable::Deformable;
use firsttouch::glam::DVec3;
use firsttouch::motion::{Affine, AffineInterpolant, Motion};
use firsttouch::shape::Ellipsoid;
use firsttouch::{Ask, Body, BodyKind, GoalChange, Scene, first_touch as core_first_touch};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::answer::{OverlapTuple, RawAnswer, overlap_tuple};
use super::certificate::RawCertificate;
use super::convert::{PoseNumbers, homogeneous, indices, points, pose, refused};
use super::motion::RawMotion;
use super::options::{OptionValues, down, options, options_over, unit_time};
use super::questions;
use super::robot::RawRobot;
use super::screw_pair::contact_options;
use super::shape::{RawShape, pieces};
use super::supervise::{begun_here, control, listening, supervised};
use super::trajectory::RawTrajectory;

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

    fn add_interpolant(
        &self,
        name: String,
        semi_axes: [[f64; 3]; 2],
        at: PoseNumbers,
        to: PoseNumbers,
    ) -> PyResult<()> {
        let [first, last] = semi_axes.map(|axes| Ellipsoid::new(DVec3::from_array(axes)).map_err(refused));
        let motion = AffineInterpolant::to(&first?, pose(at)?, &last?, pose(to)?).map_err(refused)?;
        self.push(Body::interpolant(name, motion).map_err(refused)?)
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

    fn add_robot_path(
        &self,
        py: Python<'_>,
        name: String,
        robot: &RawRobot,
        way: &RawTrajectory,
        base: PoseNumbers,
        adaptive: bool,
    ) -> PyResult<()> {
        let (robot, base, way) = (Arc::clone(&robot.0), pose(base)?, way.0.clone());
        let body = py.detach(|| {
            let path = RobotPath::new(robot, base, way)?;
            Ok(Body::robot_along(name, if adaptive { path.adaptive()? } else { path }))
        });
        self.push(body.map_err(refused)?)
    }

    /// A rigid body at rest, which a robot on a path takes up at a waypoint and puts down at another.
    #[allow(clippy::too_many_arguments)]
    fn grasp(
        &self,
        name: &str,
        shape: &RawShape,
        robot: &str,
        link: String,
        at: PoseNumbers,
        touch_links: Vec<String>,
        taken: usize,
        until: Option<usize>,
    ) -> PyResult<()> {
        let body = Body::new(name, shape.0.clone(), Motion::fixed(pose(at)?));
        let grasp = Grasp { body: name.into(), link, touch_links, from: taken, until, ..Grasp::default() };
        self.change(|scene| {
            scene.add(body)?;
            // A refused body does not stay in the scene.
            scene.grasp(robot, grasp).inspect_err(|_| drop(scene.remove(name)))
        })
    }

    /// Returns the pose of a rigid body at a time from 0 to 1, also while a robot holds it.
    fn pose_at(&self, name: &str, t: f64) -> Option<[[f64; 4]; 4]> {
        let scene = self.shared();
        let at = scene.pose_at(scene.index_of(name)?, t)?;
        Some(homogeneous(at.rotation, at.translation))
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

    fn leave_out_resting(&self, leave_out: bool) -> PyResult<()> {
        self.change(|scene| {
            scene.leave_out_resting(leave_out);
            Ok(())
        })
    }

    fn names_matching(&self, name: &str) -> PyResult<Vec<String>> {
        self.shared().names_matching(name).map_err(refused)
    }

    fn pairs_named(&self, a: &str, b: &str) -> PyResult<Vec<(String, String)>> {
        let pairs = self.shared().pairs_named(a, b).map_err(refused)?;
        Ok(pairs.into_iter().map(|[a, b]| (a, b)).collect())
    }

    fn keep_apart(&self, a: &str, b: &str, min_separation: f64) -> PyResult<()> {
        self.change(|scene| scene.keep_apart(a, b, min_separation))
    }

    fn pad(&self, name: &str, padding: f64) -> PyResult<()> {
        self.change(|scene| scene.pad(name, padding))
    }

    fn decide_by_contact(&self, a: &str, b: &str, leaf_radius: Option<f64>) -> PyResult<()> {
        self.change(|scene| scene.decide_by_contact(a, b, contact_options(leaf_radius, [true; 4])))
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
            supervised(py, |interrupt| scene.check(Ask::from(&options).control(&control(interrupt))))?
        };
        RawAnswer::of_scene(py, report.map_err(refused)?.over(duration), t_max, &scene)
    }

    /// The least distance over the whole time; none if there is no pair.
    fn clearance<'py>(
        &self,
        py: Python<'py>,
        values: OptionValues,
        duration: f64,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (options, scene) = (options_over(values, duration)?, self.shared());
        let found =
            supervised(py, |interrupt| scene.clearance(Ask::from(&options).control(&control(interrupt))))?;
        let found = found.map_err(refused)?;
        found.map(|found| questions::clearance(py, &found, duration, &*scene)).transpose()
    }

    /// The least distance at an instant.
    fn distance_at<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        values: OptionValues,
        duration: f64,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (options, scene) = (options_over(values, duration)?, self.shared());
        let at = unit_time(t, duration)?;
        let found = py.detach(|| scene.distance_at(at, &options)).map_err(refused)?;
        found.map(|found| questions::clearance(py, &found, duration, &*scene)).transpose()
    }

    /// All contacts at an instant.
    fn contacts<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        values: OptionValues,
        duration: f64,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let (options, scene) = (options_over(values, duration)?, self.shared());
        let at = unit_time(t, duration)?;
        let found =
            begun_here(py, |interrupt| scene.contacts(at, Ask::from(&options).control(&control(interrupt))))?;
        listening(py, found.map_err(refused)?, |contact| questions::contact(py, &contact, &*scene))
    }

    /// All times at which two bodies touch.
    fn overlaps(
        &self,
        py: Python<'_>,
        a: &str,
        b: &str,
        values: OptionValues,
        duration: f64,
    ) -> PyResult<Vec<OverlapTuple>> {
        let (options, scene) = (options_over(values, duration)?, self.shared());
        let found = supervised(py, |interrupt| {
            scene.overlaps(a, b, Ask::from(&options).control(&control(interrupt)))
        })?;
        let over = |(start, end, certain): OverlapTuple| {
            let outwards = |(a, b): (f64, f64)| (down(a, duration), -down(-b, duration));
            (outwards(start), outwards(end), certain)
        };
        Ok(found.map_err(refused)?.iter().map(overlap_tuple).map(over).collect())
    }

    /// The derivatives of the time of the first touch; none if nothing touches.
    fn toi_gradient<'py>(
        &self,
        py: Python<'py>,
        values: OptionValues,
        duration: f64,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (options, scene) = (options_over(values, duration)?, self.shared());
        let found = supervised(py, |interrupt| {
            let report = scene.check(Ask::from(&options).control(&control(interrupt)))?;
            let touch = report.answer.touch().filter(|_| !interrupt.is_raised());
            touch.map(|touch| Ok((touch.clone(), scene.toi_gradient(touch, &options)?))).transpose()
        })?;
        let Some((touch, gradient)) = found.map_err(refused)? else { return Ok(None) };
        let described = questions::gradient(py, &gradient, touch.bodies, duration, &*scene)?;
        described.set_item("value", touch.toi * duration)?;
        Ok(Some(described))
    }

    /// The derivatives of the least distance.
    fn clearance_gradient<'py>(
        &self,
        py: Python<'py>,
        values: OptionValues,
        duration: f64,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (options, scene) = (options_over(values, duration)?, self.shared());
        let found =
            supervised(py, |interrupt| scene.clearance(Ask::from(&options).control(&control(interrupt))))?;
        let Some(found) = found.map_err(refused)? else { return Ok(None) };
        let gradient = py.detach(|| scene.clearance_gradient(&found));
        let described = questions::gradient(py, &gradient, found.bodies, 1.0, &*scene)?;
        described.set_item("value", found.upper)?;
        Ok(Some(described))
    }

    /// Returns how far the goal of a rigid body may be moved and turned.
    fn safe_twist<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        translation: [f64; 3],
        rotation: [f64; 3],
        values: OptionValues,
        duration: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let [translation, rotation] = [translation, rotation].map(DVec3::from_array);
        self.safe_scale(py, name, &GoalChange::Twist { translation, rotation }, values, duration)
    }

    /// Returns how far the vertices of a deforming mesh may be moved at the end.
    fn safe_vertices<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        change: PyReadonlyArray2<'_, f64>,
        values: OptionValues,
        duration: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.safe_scale(py, name, &GoalChange::Vertices(points(&change, "change")?), values, duration)
    }

    /// A proof that nothing touches until the time that a check finds.
    fn certify(&self, py: Python<'_>, values: OptionValues, duration: f64) -> PyResult<RawCertificate> {
        let (options, scene) = (options_over(values, duration)?, self.shared());
        let made =
            supervised(py, |interrupt| scene.certify(Ask::from(&options).control(&control(interrupt))))?;
        made.map(RawCertificate).map_err(refused)
    }

    /// An upper bound of the depth of two bodies in each other, and the direction.
    fn penetration_at(
        &self,
        py: Python<'_>,
        a: &str,
        b: &str,
        t: f64,
        duration: f64,
    ) -> PyResult<(f64, [f64; 3])> {
        let (at, scene) = (unit_time(t, duration)?, self.shared());
        let found = py.detach(|| scene.penetration_at(a, b, at)).map_err(refused)?;
        Ok((found.upper, found.normal.to_array()))
    }
}

impl From<Scene> for RawScene {
    fn from(scene: Scene) -> RawScene {
        RawScene(Mutex::new(Arc::new(scene)))
    }
}

impl RawScene {
    fn safe_scale<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        change: &GoalChange,
        values: OptionValues,
        duration: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (options, scene) = (options_over(values, duration)?, self.shared());
        let safe = supervised(py, |interrupt| {
            scene.max_safe_scale(name, change, Ask::from(&options).control(&control(interrupt)))
        })?
        .map_err(refused)?;
        questions::safe_scale(py, &safe, duration, &*scene)
    }

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

/// Returns true if a check is certainly short.
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
    let report = supervised(py, |interrupt| scene.check(Ask::from(&options).control(&control(interrupt))))?;
    Ok(RawAnswer::of_two(report.map_err(refused)?.answer, options.t_max))
}
