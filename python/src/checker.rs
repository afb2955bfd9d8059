//! A robot among obstacles.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use firsttouch::articulated::{Checker, StepGradient, StepReport};
use firsttouch::{Answer, Ask, Clearance, Interrupt, MotionGradient, Options};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::answer::{NamesAndParts, OverlapTuple, RawAnswer, names_and_parts, overlap_tuple};
use super::certificate::RawCertificate;
use super::convert::{PoseNumbers, pose, refused};
use super::options::{OptionValues, options};
use super::planning::{self, Limit, LimitValues, PlanValues, Ranges, TimedRows};
use super::questions::{self, StepColumns};
use super::robot::{RawRobot, base};
use super::scene::RawScene;
use super::shape::RawShape;
use super::supervise::{begun_here, control, listening, supervised};
use super::threads::spread;
use super::trajectory::RawTrajectory;

/// A checker of the core. A query works on the checker as it was when it began.
#[pyclass(frozen, name = "Checker", module = "firsttouch._core")]
pub(crate) struct RawChecker(Mutex<Arc<Checker>>);

/// Of each edge: the code of its answer, its time of impact or NaN, the time up to which it is proven free, and the
/// index of its pair in the list that follows, or -1.
type Columns<'py> = (
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i32>>,
    Vec<NamesAndParts>,
);

/// The derivatives along a trajectory: the segment, the time of contact in it, by a shift, and why they do not exist.
type ShiftColumns<'py> = (usize, f64, Bound<'py, PyArray1<f64>>, Option<&'static str>);

/// Of each edge: its time of impact or NaN, and the derivatives by both ends, row after row.
type GradientColumns<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl RawChecker {
    #[new]
    #[pyo3(signature = (robot, obstacles, at=None))]
    fn new(
        py: Python<'_>,
        robot: &RawRobot,
        obstacles: Option<&RawScene>,
        at: Option<PoseNumbers>,
    ) -> PyResult<RawChecker> {
        let (robot, base) = (Arc::clone(&robot.0), base(at)?);
        let scene = obstacles.map(RawScene::shared);
        let bodies = scene.map_or_else(Vec::new, |scene| scene.bodies().to_vec());
        let checker = py.detach(|| Checker::new(robot, base, bodies)).map_err(refused)?;
        Ok(RawChecker(Mutex::new(Arc::new(checker))))
    }

    fn copy(&self) -> RawChecker {
        RawChecker(Mutex::new(self.shared()))
    }

    fn add_obstacles(&self, scene: &RawScene) -> PyResult<()> {
        let scene = scene.shared();
        self.change(|checker| {
            // All or none.
            let mut changed = checker.clone();
            scene.bodies().iter().try_for_each(|body| changed.add_obstacle(body.clone()).map(drop))?;
            *checker = changed;
            Ok(())
        })
    }

    fn move_obstacle(&self, name: &str, at: PoseNumbers) -> PyResult<()> {
        let at = pose(at)?;
        self.change(|checker| checker.move_obstacle(name, at))
    }

    fn remove_obstacle(&self, name: &str) -> PyResult<()> {
        self.change(|checker| checker.remove_obstacle(name))
    }

    fn set_base(&self, at: PoseNumbers) -> PyResult<()> {
        let at = pose(at)?;
        self.change(|checker| {
            checker.set_base(at);
            Ok(())
        })
    }

    fn set_padding(&self, padding: f64) -> PyResult<()> {
        self.change(|checker| checker.set_padding(padding))
    }

    fn set_link_padding(&self, link: &str, padding: f64) -> PyResult<()> {
        self.change(|checker| checker.set_link_padding(link, padding))
    }

    fn allow(&self, a: &str, b: &str) -> PyResult<()> {
        self.change(|checker| checker.allow(a, b))
    }

    fn pairs_named(&self, a: &str, b: &str) -> PyResult<Vec<(String, String)>> {
        let pairs = self.shared().pairs_named(a, b).map_err(refused)?;
        Ok(pairs.into_iter().map(|[a, b]| (a, b)).collect())
    }

    fn keep_apart(&self, a: &str, b: &str, min_separation: f64) -> PyResult<()> {
        self.change(|checker| checker.keep_apart(a, b, min_separation))
    }

    fn hold(
        &self,
        name: &str,
        shape: &RawShape,
        link: &str,
        at: PoseNumbers,
        touch_links: Vec<String>,
    ) -> PyResult<()> {
        let (shape, at) = (shape.0.clone(), pose(at)?);
        let touch_links: Vec<&str> = touch_links.iter().map(String::as_str).collect();
        self.change(|checker| checker.hold(name, shape, link, at, &touch_links))
    }

    fn release(&self, name: &str) -> PyResult<()> {
        self.change(|checker| checker.release(name))
    }

    fn check_motion(
        &self,
        py: Python<'_>,
        q0: Vec<f64>,
        q1: Vec<f64>,
        values: OptionValues,
    ) -> PyResult<RawAnswer> {
        let (options, checker) = (options(values)?, self.shared());
        let report = begun_here(py, |interrupt| {
            checker.check_step(&q0, &q1, Ask::from(&options).control(&control(interrupt)))
        })?;
        let report = report.map_err(refused)?;
        Ok(RawAnswer::of_step(report, options.t_max, &checker))
    }

    fn check_state(&self, py: Python<'_>, q: Vec<f64>, values: OptionValues) -> PyResult<RawAnswer> {
        let (options, checker) = (options(values)?, self.shared());
        let report = py.detach(|| checker.check_state(&q, &options)).map_err(refused)?;
        Ok(RawAnswer::of_step(report, options.t_max, &checker))
    }

    fn check_path(
        &self,
        py: Python<'_>,
        waypoints: PyReadonlyArray2<'_, f64>,
        values: OptionValues,
    ) -> PyResult<RawAnswer> {
        let (options, checker) = (options(values)?, self.shared());
        let waypoints = Configurations::new(py, &checker, &waypoints, "waypoints")?;
        if waypoints.rows == 0 {
            return Err(PyValueError::new_err("waypoints must have at least one row"));
        }
        // A single waypoint is a segment in which the robot rests.
        let last = waypoints.rows - 1;
        let segments = if last == 0 { 1 } else { last };
        let found = supervised(py, |interrupt| {
            let edge = |k| [k, if k < last { k + 1 } else { last }].map(|row| waypoints.row(row));
            let mut found = (None, Answer::Free);
            let mut first = 0;
            in_chunks(&checker, segments, edge, &options, interrupt, |reports| {
                let not_free = reports.iter().position(|report| report.answer != Answer::Free);
                if let Some(k) = not_free {
                    found = (Some(first + k), reports[k].answer.clone());
                }
                first += reports.len();
                not_free.is_none()
            })?;
            Ok(found)
        })?;
        let (segment, answer) = found.map_err(refused)?;
        Ok(RawAnswer::of_segment(answer, options.t_max, segment, segments, &checker))
    }

    fn check_motions<'py>(
        &self,
        py: Python<'py>,
        q0: PyReadonlyArray2<'py, f64>,
        q1: PyReadonlyArray2<'py, f64>,
        values: OptionValues,
    ) -> PyResult<Columns<'py>> {
        let (options, checker) = (options(values)?, self.shared());
        let q0 = Configurations::new(py, &checker, &q0, "Q0")?;
        let q1 = Configurations::new(py, &checker, &q1, "Q1")?;
        let ends = [q0, q1];
        let rows = same_rows(&ends[0], &ends[1])?;
        let mut columns = (Vec::with_capacity(rows), Vec::with_capacity(rows), Vec::with_capacity(rows));
        let (mut pairs, mut known) = (Vec::with_capacity(rows), HashMap::<NamesAndParts, i32>::new());
        let done = supervised(py, |interrupt| {
            let edge = |k| [ends[0].row(k), ends[1].row(k)];
            in_chunks(&checker, rows, edge, &options, interrupt, |reports| {
                for report in reports {
                    columns.0.push(code(&report.answer));
                    columns.1.push(report.answer.touch().map_or(f64::NAN, |touch| touch.toi));
                    columns.2.push(report.answer.free_until(options.t_max));
                    pairs.push(match &report.answer {
                        Answer::Free => -1,
                        answer => {
                            let next = known.len() as i32;
                            *known.entry(names_and_parts(answer, &*checker)).or_insert(next)
                        }
                    });
                }
                true
            })
        })?;
        done.map_err(refused)?;
        let mut named: Vec<(NamesAndParts, i32)> = known.into_iter().collect();
        named.sort_unstable_by_key(|&(_, code)| code);
        let named = named.into_iter().map(|(pair, _)| pair).collect();
        let (codes, toi, free_until) = columns;
        let arrays = (codes.into_pyarray(py), toi.into_pyarray(py), free_until.into_pyarray(py));
        Ok((arrays.0, arrays.1, arrays.2, pairs.into_pyarray(py), named))
    }

    fn check_states<'py>(
        &self,
        py: Python<'py>,
        q: PyReadonlyArray2<'py, f64>,
        values: OptionValues,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let (options, checker) = (options(values)?, self.shared());
        let states = Configurations::new(py, &checker, &q, "Q")?;
        let of_row = |interrupt: &Interrupt, row: usize| {
            if interrupt.is_raised() {
                // All of it is dropped.
                return Ok(code(&Answer::Undecided { free_until: 0.0, bodies: [0, 0] }));
            }
            Ok(code(&checker.check_state(states.row(row), &options)?.answer))
        };
        let codes = supervised(py, |interrupt| {
            let found = spread(states.rows, options.threads, |row| of_row(interrupt, row));
            found.into_iter().collect::<firsttouch::Result<Vec<u8>>>()
        })?;
        Ok(codes.map_err(refused)?.into_pyarray(py))
    }

    /// The least distance along a path; none if there is nothing to measure.
    fn clearance<'py>(
        &self,
        py: Python<'py>,
        waypoints: PyReadonlyArray2<'py, f64>,
        values: OptionValues,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (options, checker) = (options(values)?, self.shared());
        let waypoints = Configurations::new(py, &checker, &waypoints, "Q")?.to_vec();
        let found = supervised(py, |interrupt| {
            checker.clearance(&waypoints, Ask::from(&options).control(&control(interrupt)))
        })?;
        let found = found.map_err(refused)?;
        found.map(|found| questions::path_clearance(py, &found, &checker)).transpose()
    }

    /// The least distance in one configuration.
    fn distance<'py>(
        &self,
        py: Python<'py>,
        q: Vec<f64>,
        values: OptionValues,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (options, checker) = (options(values)?, self.shared());
        let found = py.detach(|| checker.distance(&q, &options)).map_err(refused)?;
        found.map(|found| questions::clearance(py, &found, 1.0, &*checker)).transpose()
    }

    /// All contacts at a time on the way from one configuration to another.
    fn contacts<'py>(
        &self,
        py: Python<'py>,
        q0: Vec<f64>,
        q1: Vec<f64>,
        t: f64,
        values: OptionValues,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let (options, checker) = (options(values)?, self.shared());
        let found = begun_here(py, |interrupt| {
            checker.contacts(&q0, &q1, t, Ask::from(&options).control(&control(interrupt)))
        })?;
        listening(py, found.map_err(refused)?, |contact| questions::contact(py, &contact, &*checker))
    }

    /// The derivatives of the time of the first touch; none if nothing touches.
    fn toi_gradient<'py>(
        &self,
        py: Python<'py>,
        q0: Vec<f64>,
        q1: Vec<f64>,
        values: OptionValues,
    ) -> PyResult<Option<StepColumns<'py>>> {
        let (options, checker) = (options(values)?, self.shared());
        let found = py.detach(|| checker.toi_gradient(&q0, &q1, &options)).map_err(refused)?;
        Ok(found.map(|found| questions::step_gradient(py, found)))
    }

    /// The first segment of a trajectory that is not free.
    fn check_trajectory(
        &self,
        py: Python<'_>,
        way: &RawTrajectory,
        values: OptionValues,
    ) -> PyResult<RawAnswer> {
        let (options, checker) = (options(values)?, self.shared());
        let found = supervised(py, |interrupt| {
            checker.check_trajectory(&way.0, Ask::from(&options).control(&control(interrupt)), |_| ())
        })?;
        let found = found.map_err(refused)?;
        Ok(RawAnswer::of_segment(found.answer, options.t_max, found.segment, found.segments, &checker))
    }

    /// The least distance along a trajectory; none if there is nothing to measure.
    fn clearance_along<'py>(
        &self,
        py: Python<'py>,
        way: &RawTrajectory,
        values: OptionValues,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (options, checker) = (options(values)?, self.shared());
        let found = supervised(py, |interrupt| {
            checker.clearance_along(&way.0, Ask::from(&options).control(&control(interrupt)))
        })?;
        let found = found.map_err(refused)?;
        found.map(|found| questions::path_clearance(py, &found, &checker)).transpose()
    }

    /// All contacts at a time within a segment of a trajectory.
    fn contacts_along<'py>(
        &self,
        py: Python<'py>,
        way: &RawTrajectory,
        segment: usize,
        t: f64,
        values: OptionValues,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let (options, checker) = (options(values)?, self.shared());
        let found = supervised(py, |interrupt| {
            let ask = Ask::from(&options);
            checker.contacts_along(&way.0, segment, t, ask.control(&control(interrupt)))
        })?;
        listening(py, found.map_err(refused)?, |contact| questions::contact(py, &contact, &*checker))
    }

    /// All times at which the robot touches an obstacle between two configurations; without an obstacle, itself.
    #[pyo3(signature = (q0, q1, obstacle, values))]
    fn overlaps(
        &self,
        py: Python<'_>,
        q0: Vec<f64>,
        q1: Vec<f64>,
        obstacle: Option<&str>,
        values: OptionValues,
    ) -> PyResult<Vec<OverlapTuple>> {
        let (options, checker) = (options(values)?, self.shared());
        let obstacle = obstacle.map(|name| obstacle_named(&checker, name)).transpose()?;
        let found = supervised(py, |interrupt| {
            checker.overlaps(&q0, &q1, obstacle, Ask::from(&options).control(&control(interrupt)))
        })?;
        Ok(found.map_err(refused)?.iter().map(overlap_tuple).collect())
    }

    /// The same along a trajectory, on its clock from 0 to 1.
    #[pyo3(signature = (way, obstacle, values))]
    fn overlaps_along(
        &self,
        py: Python<'_>,
        way: &RawTrajectory,
        obstacle: Option<&str>,
        values: OptionValues,
    ) -> PyResult<Vec<OverlapTuple>> {
        let (options, checker) = (options(values)?, self.shared());
        let obstacle = obstacle.map(|name| obstacle_named(&checker, name)).transpose()?;
        let found = supervised(py, |interrupt| {
            checker.overlaps_along(&way.0, obstacle, Ask::from(&options).control(&control(interrupt)))
        })?;
        Ok(found.map_err(refused)?.iter().map(overlap_tuple).collect())
    }

    /// The derivatives of the time of the first touch along a trajectory; none if nothing touches.
    fn toi_gradient_along<'py>(
        &self,
        py: Python<'py>,
        way: &RawTrajectory,
        values: OptionValues,
    ) -> PyResult<Option<ShiftColumns<'py>>> {
        let (options, checker) = (options(values)?, self.shared());
        let found = supervised(py, |interrupt| {
            checker.toi_gradient_along(&way.0, Ask::from(&options).control(&control(interrupt)))
        })?;
        let found = found.map_err(refused)?;
        Ok(found.map(|found| {
            let why = found.degenerate.map(questions::degenerate);
            (found.segment, found.toi, found.shift.into_pyarray(py), why)
        }))
    }

    /// A path from one configuration to another; see `planning`.
    #[allow(clippy::too_many_arguments)]
    fn plan<'py>(
        &self,
        py: Python<'py>,
        q0: Vec<f64>,
        q1: Vec<f64>,
        values: PlanValues,
        check: OptionValues,
        ranges: Ranges,
        seconds: Option<f64>,
        is_anytime: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let limit = Limit { seconds, is_anytime };
        planning::planned(py, &self.shared(), [q0, q1], values, check, ranges, limit)
    }

    /// A path in time, within limits.
    fn timed(
        &self,
        py: Python<'_>,
        waypoints: Vec<Vec<f64>>,
        limits: LimitValues,
        check: OptionValues,
    ) -> PyResult<TimedRows> {
        planning::timed(py, &self.shared(), &waypoints, limits, check)
    }

    /// Of each edge: its time of impact or NaN, and its derivatives by both ends, which are 0 where nothing touches or
    /// none is finite.
    fn toi_gradients<'py>(
        &self,
        py: Python<'py>,
        q0: PyReadonlyArray2<'py, f64>,
        q1: PyReadonlyArray2<'py, f64>,
        values: OptionValues,
    ) -> PyResult<GradientColumns<'py>> {
        let (options, checker) = (options(values)?, self.shared());
        let ends =
            [Configurations::new(py, &checker, &q0, "Q0")?, Configurations::new(py, &checker, &q1, "Q1")?];
        let (rows, dof) = (same_rows(&ends[0], &ends[1])?, ends[0].dof);
        let found = supervised(py, |interrupt| gradients(&checker, &ends, &options, interrupt))?;
        let found = found.map_err(refused)?;
        let (mut times, mut by_q0, mut by_q1) =
            (vec![f64::NAN; rows], vec![0.0; rows * dof], vec![0.0; rows * dof]);
        for (row, step) in found.into_iter().enumerate() {
            let Some(step) = step else { continue };
            times[row] = step.toi;
            if step.from.iter().chain(&step.to).all(|x| x.is_finite()) {
                by_q0[row * dof..(row + 1) * dof].copy_from_slice(&step.from);
                by_q1[row * dof..(row + 1) * dof].copy_from_slice(&step.to);
            }
        }
        Ok((times.into_pyarray(py), by_q0.into_pyarray(py), by_q1.into_pyarray(py)))
    }

    /// The derivatives of the least distance in one configuration, or on the way to another one; none if there is
    /// nothing to measure.
    fn clearance_gradient<'py>(
        &self,
        py: Python<'py>,
        q0: Vec<f64>,
        q1: Option<Vec<f64>>,
        values: OptionValues,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (options, checker) = (options(values)?, self.shared());
        let q1 = q1.as_deref();
        let found = supervised(py, |interrupt| {
            let found = least(&checker, &q0, q1, &options, interrupt)?;
            let Some(found) = found.filter(|_| !interrupt.is_raised()) else { return Ok(None) };
            let gradient = checker.clearance_gradient(&q0, q1.unwrap_or(&q0), &found)?;
            Ok(Some((found, gradient)))
        })?;
        let Some((found, gradient)) = found.map_err(refused)? else { return Ok(None) };
        let described = questions::gradient(py, &gradient, found.bodies, 1.0, &*checker)?;
        described.set_item("value", found.upper)?;
        Ok(Some(described))
    }

    /// Of each configuration, or of each edge: its least distance or NaN, and the derivatives by both ends, which are 0
    /// where there is none.
    fn clearance_gradients<'py>(
        &self,
        py: Python<'py>,
        q0: PyReadonlyArray2<'py, f64>,
        q1: Option<PyReadonlyArray2<'py, f64>>,
        with_gradients: bool,
        values: OptionValues,
    ) -> PyResult<GradientColumns<'py>> {
        let (options, checker) = (options(values)?, self.shared());
        let starts = Configurations::new(py, &checker, &q0, "Q0")?;
        let ends = q1.map(|q1| Configurations::new(py, &checker, &q1, "Q1")).transpose()?;
        if let Some(ends) = &ends {
            same_rows(&starts, ends)?;
        }
        let (rows, dof) = (starts.rows, starts.dof);
        let of_row = |interrupt: &Interrupt, row: usize| -> firsttouch::Result<_> {
            let (from, to) = (starts.row(row), ends.as_ref().map(|ends| ends.row(row)));
            let found = least(&checker, from, to, &options, interrupt)?.filter(|_| !interrupt.is_raised());
            let Some(found) = found else { return Ok(None) };
            if !with_gradients {
                return Ok(Some((found.upper, None)));
            }
            let gradient = checker.clearance_gradient(from, to.unwrap_or(from), &found)?;
            let of_robot = gradient.bodies.into_iter().find_map(|body| match body {
                MotionGradient::Joints { from, to } => Some((from, to)),
                _ => None,
            });
            Ok(Some((found.upper, of_robot)))
        };
        let found = supervised(py, |interrupt| {
            let found = spread(rows, options.threads, |row| of_row(interrupt, row));
            found.into_iter().collect::<firsttouch::Result<Vec<_>>>()
        })?;
        let (mut least, mut by_q0, mut by_q1) =
            (vec![f64::NAN; rows], vec![0.0; rows * dof], vec![0.0; rows * dof]);
        for (row, found) in found.map_err(refused)?.into_iter().enumerate() {
            let Some((value, gradient)) = found else { continue };
            least[row] = value;
            let Some((from, to)) = gradient else { continue };
            if from.iter().chain(&to).all(|x| x.is_finite()) {
                by_q0[row * dof..(row + 1) * dof].copy_from_slice(&from);
                by_q1[row * dof..(row + 1) * dof].copy_from_slice(&to);
            }
        }
        Ok((least.into_pyarray(py), by_q0.into_pyarray(py), by_q1.into_pyarray(py)))
    }

    /// A proof that nothing touches between two configurations until the time that a check finds.
    fn certify_motion(
        &self,
        py: Python<'_>,
        q0: Vec<f64>,
        q1: Vec<f64>,
        values: OptionValues,
    ) -> PyResult<RawCertificate> {
        let (options, checker) = (options(values)?, self.shared());
        let made = supervised(py, |interrupt| {
            checker.certify_step(&q0, &q1, Ask::from(&options).control(&control(interrupt)))
        })?;
        made.map(RawCertificate).map_err(refused)
    }

    /// The same for a path, all of whose segments have to be free.
    fn certify_path(
        &self,
        py: Python<'_>,
        waypoints: PyReadonlyArray2<'_, f64>,
        values: OptionValues,
    ) -> PyResult<RawCertificate> {
        let (options, checker) = (options(values)?, self.shared());
        let waypoints = Configurations::new(py, &checker, &waypoints, "Q")?.to_vec();
        let made = supervised(py, |interrupt| {
            checker.certify_path(&waypoints, Ask::from(&options).control(&control(interrupt)))
        })?;
        made.map(RawCertificate).map_err(refused)
    }

    /// The same along a trajectory, until the time that a check finds.
    fn certify_along(
        &self,
        py: Python<'_>,
        way: &RawTrajectory,
        values: OptionValues,
    ) -> PyResult<RawCertificate> {
        let (options, checker) = (options(values)?, self.shared());
        let made = supervised(py, |interrupt| {
            checker.certify_along(&way.0, Ask::from(&options).control(&control(interrupt)))
        })?;
        made.map(RawCertificate).map_err(refused)
    }

    /// Returns how far the goal may be changed.
    fn max_safe_scale<'py>(
        &self,
        py: Python<'py>,
        q0: Vec<f64>,
        q1: Vec<f64>,
        change: Vec<f64>,
        values: OptionValues,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (options, checker) = (options(values)?, self.shared());
        let safe = supervised(py, |interrupt| {
            checker.max_safe_scale(&q0, &q1, &change, Ask::from(&options).control(&control(interrupt)))
        })?
        .map_err(refused)?;
        questions::safe_scale(py, &safe, 1.0, &*checker)
    }
}

impl RawChecker {
    pub(crate) fn shared(&self) -> Arc<Checker> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&mut Checker) -> firsttouch::Result<()>) -> PyResult<()> {
        let mut checker = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut checker)).map_err(refused)
    }
}

fn obstacle_named(checker: &Checker, name: &str) -> PyResult<usize> {
    let unknown = || PyValueError::new_err(format!("there is no obstacle called \"{name}\""));
    checker.index_of(name).ok_or_else(unknown)
}

/// The code of an answer, in the order of `firsttouch.batch.KINDS`.
fn code(answer: &Answer) -> u8 {
    match answer {
        Answer::Free => 0,
        Answer::Touch(_) => 1,
        Answer::TouchingAtStart(_) => 2,
        Answer::Undecided { .. } => 3,
    }
}

/// Number of rows that are copied between two looks for Ctrl-C.
const LISTEN: usize = 1 << 14;

/// Configurations in a row: a copy, because another thread may change the array while the GIL is released.
struct Configurations {
    numbers: Vec<f64>,
    dof: usize,
    rows: usize,
}

impl Configurations {
    /// From an array of shape (N, dof). Each row is validated, so that an error names it.
    fn new(
        py: Python<'_>,
        checker: &Checker,
        array: &PyReadonlyArray2<'_, f64>,
        what: &str,
    ) -> PyResult<Configurations> {
        let (view, dof) = (array.as_array(), checker.robot().variables().len());
        let (rows, columns) = view.dim();
        if columns != dof {
            let text = format!("{what} must have the shape (N, {dof}), but has ({rows}, {columns})");
            return Err(PyValueError::new_err(text));
        }
        let mut numbers = Vec::with_capacity(rows * dof);
        for (row, given) in view.rows().into_iter().enumerate() {
            if row % LISTEN == 0 {
                py.check_signals()?;
            }
            numbers.extend(given);
            let valid = checker.robot().validate(&numbers[row * dof..]);
            valid.map_err(|error| PyValueError::new_err(format!("{what}[{row}]: {error}")))?;
        }
        Ok(Configurations { numbers, dof, rows })
    }

    fn to_vec(&self) -> Vec<Vec<f64>> {
        (0..self.rows).map(|row| self.row(row).to_vec()).collect()
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.dof..(row + 1) * self.dof]
    }
}

/// The least distance in one configuration, or on the way to another one.
fn least(
    checker: &Checker,
    from: &[f64],
    to: Option<&[f64]>,
    options: &Options,
    interrupt: &Interrupt,
) -> firsttouch::Result<Option<Clearance>> {
    let (control, ask) = (control(interrupt), Ask::from(options));
    let Some(to) = to else { return checker.distance(from, ask.control(&control)) };
    let found = checker.clearance(&[from.to_vec(), to.to_vec()], ask.control(&control))?;
    Ok(found.map(|found| found.clearance))
}

/// The number of rows of both.
fn same_rows(q0: &Configurations, q1: &Configurations) -> PyResult<usize> {
    if q0.rows == q1.rows {
        return Ok(q0.rows);
    }
    let text =
        format!("Q0 and Q1 must have as many rows as each other, but have {} and {}", q0.rows, q1.rows);
    Err(PyValueError::new_err(text))
}

/// The derivatives of each edge, over threads; none where nothing touches, and after an interrupt.
fn gradients(
    checker: &Checker,
    ends: &[Configurations; 2],
    options: &Options,
    interrupt: &Interrupt,
) -> firsttouch::Result<Vec<Option<StepGradient>>> {
    let of_row = |row: usize| {
        if interrupt.is_raised() {
            return Ok(None);
        }
        checker.toi_gradient(ends[0].row(row), ends[1].row(row), options)
    };
    spread(ends[0].rows, options.threads, of_row).into_iter().collect()
}

/// Time that a chunk of a batch should take: an interrupt is seen after it.
const CHUNK: Duration = Duration::from_millis(30);

/// A batch in pieces, as long as `take` wants more and nothing interrupts. Pieces grow until each takes about
/// [`CHUNK`].
fn in_chunks<'a>(
    checker: &Checker,
    count: usize,
    edge: impl Fn(usize) -> [&'a [f64]; 2],
    options: &Options,
    interrupt: &Interrupt,
    mut take: impl FnMut(&[StepReport]) -> bool,
) -> firsttouch::Result<()> {
    let mut edges = Vec::new();
    let (mut first, mut size) = (0, 256);
    while first < count && !interrupt.is_raised() {
        let last = count.min(first + size);
        edges.clear();
        edges.extend((first..last).map(&edge));
        first = last;
        let begin = Instant::now();
        if !take(&checker.check_motions(&edges, Ask::from(options).control(&control(interrupt)))?) {
            break;
        }
        let ratio = CHUNK.as_secs_f64() / begin.elapsed().as_secs_f64().max(1e-6);
        size = ((size as f64 * ratio.clamp(0.25, 4.0)) as usize).max(1);
    }
    Ok(())
}
