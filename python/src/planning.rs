//! Paths that are searched, and proven.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use firsttouch::articulated::Checker;
use firsttouch::planning::{
    Method, MotionLimits, Outcome, Plan, PlanControl, PlanOptions, PlanStats, ProvenEdges, Roadmap, Space,
    TimedOutcome, TimedPlan, plan_in, timed as core_timed,
};
use firsttouch::{Answer, Ask, Control, Interrupt, Options};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::answer::RawAnswer;
use super::checker::RawChecker;
use super::convert::refused;
use super::options::{OptionValues, options};
use super::supervise::supervised;

/// Method, seed, max_samples, shortcuts, smoothing, reach and neighbours, in this order.
pub(crate) type PlanValues = (String, u64, usize, usize, usize, f64, usize);

/// The ranges of some variables.
pub(crate) type Ranges = Vec<(String, (f64, f64))>;

/// The time limit of a search, and a flag to improve the path until then.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    pub(crate) seconds: Option<f64>,
    pub(crate) is_anytime: bool,
}

/// Interval between two looks at the clock and for Ctrl-C.
const TICK: Duration = Duration::from_millis(5);

pub(crate) fn plan_options(values: PlanValues, check: OptionValues) -> PyResult<PlanOptions> {
    let (method, seed, max_samples, shortcuts, smoothing, reach, neighbours) = values;
    let method = match &method[..] {
        "rrt-connect" => Method::RrtConnect,
        "roadmap" => Method::Roadmap,
        other => {
            let text = format!("method must be \"rrt-connect\" or \"roadmap\", but is \"{other}\"");
            return Err(PyValueError::new_err(text));
        }
    };
    let check = options(check)?;
    // In two halves, so that an option that the core gets later has its default.
    let search = PlanOptions { method, seed, max_samples, reach, neighbours, ..PlanOptions::default() };
    Ok(PlanOptions { shortcuts, smoothing, check, ..search })
}

pub(crate) fn space(checker: &Checker, ends: [&[f64]; 2], ranges: &Ranges) -> firsttouch::Result<Space> {
    let ranges: Vec<(&str, [f64; 2])> =
        ranges.iter().map(|(name, (low, high))| (&name[..], [*low, *high])).collect();
    Space::new(checker.robot(), ends, &ranges)
}

/// A path from one configuration to another. With `is_anytime` it tries other seeds until the time is over, and the
/// shortest path counts.
pub(crate) fn plan(
    checker: &Checker,
    ends: [&[f64]; 2],
    options: &PlanOptions,
    ranges: &Ranges,
    limit: Limit,
    interrupt: &Interrupt,
) -> firsttouch::Result<Outcome> {
    let space = space(checker, ends, ranges)?;
    within(limit.seconds, interrupt, |control| {
        let mut best = plan_in(&space, checker, ends[0], ends[1], options, control)?;
        let mut seed = options.seed;
        while limit.is_anytime && !control.interrupt.is_some_and(Interrupt::is_raised) {
            // No path is shorter than the straight way.
            let is_straight = matches!(&best, Outcome::Found(plan) if plan.waypoints.len() == 2);
            if is_straight || matches!(best, Outcome::EndNotFree { .. }) {
                break;
            }
            seed = seed.wrapping_add(1);
            let found =
                plan_in(&space, checker, ends[0], ends[1], &PlanOptions { seed, ..*options }, control)?;
            best = match (best, found) {
                (Outcome::Found(old), Outcome::Found(new)) if new.length < old.length => Outcome::Found(new),
                (Outcome::NotFound { .. }, found) => found,
                (best, _) => best,
            };
        }
        Ok(best)
    })
}

/// Work whose search ends at a time limit, and all of which ends when `interrupt` is raised.
fn within<T>(seconds: Option<f64>, interrupt: &Interrupt, work: impl FnOnce(&PlanControl<'_>) -> T) -> T {
    let Some(seconds) = seconds else {
        let control =
            PlanControl { interrupt: Some(interrupt), last_interrupt: Some(interrupt), progress: None };
        return work(&control);
    };
    let search = Interrupt::default();
    // A limit that is too long for the clock is none.
    let end = Duration::try_from_secs_f64(seconds).ok().and_then(|time| Instant::now().checked_add(time));
    std::thread::scope(|scope| {
        let (alive, ended) = channel::<()>();
        scope.spawn(|| {
            let ended = ended;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(TICK) {
                if interrupt.is_raised() || end.is_some_and(|end| Instant::now() >= end) {
                    search.raise();
                    return;
                }
            }
        });
        let control =
            PlanControl { interrupt: Some(&search), last_interrupt: Some(interrupt), progress: None };
        let result = work(&control);
        drop(alive);
        result
    })
}

/// Returns the values from which the Python layer makes a `Plan`.
pub(crate) fn describe<'py>(
    py: Python<'py>,
    outcome: Outcome,
    checker: &Checker,
) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    let set_stats = |stats: PlanStats| {
        let counts = PyDict::new(py);
        counts.set_item("samples", stats.samples)?;
        counts.set_item("checks", stats.checks)?;
        counts.set_item("nodes", stats.nodes)?;
        counts.set_item("guesses", stats.guesses)?;
        counts.set_item("refuted", stats.refuted)?;
        described.set_item("stats", counts)
    };
    match outcome {
        Outcome::Found(Plan { waypoints, length, found_length, stats, .. }) => {
            let segments = waypoints.len() - 1;
            described.set_item("kind", "found")?;
            described.set_item("waypoints", waypoints)?;
            described.set_item("length", length)?;
            described.set_item("found_length", found_length)?;
            described
                .set_item("answer", RawAnswer::of_segment(Answer::Free, 1.0, None, segments, checker))?;
            set_stats(stats)?;
        }
        Outcome::EndNotFree { end, answer } => {
            described.set_item("kind", "end_not_free")?;
            described.set_item("end", ["start", "goal"][end.min(1)])?;
            described.set_item("answer", RawAnswer::of_segment(answer, 1.0, None, 0, checker))?;
            set_stats(PlanStats::default())?;
        }
        Outcome::NotFound { is_interrupted, stats } => {
            described.set_item("kind", "not_found")?;
            described.set_item("is_interrupted", is_interrupted)?;
            set_stats(stats)?;
        }
        _ => return Err(PyValueError::new_err("the planner gave an outcome that is unknown here")),
    }
    Ok(described)
}

/// A roadmap of the core, and the space that it is in once there was a query.
#[pyclass(frozen, name = "Roadmap", module = "firsttouch._core")]
pub(crate) struct RawRoadmap(Mutex<(Roadmap, Option<Space>)>);

#[pymethods]
impl RawRoadmap {
    #[new]
    fn new() -> RawRoadmap {
        RawRoadmap(Mutex::default())
    }

    #[getter]
    fn nodes(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.nodes()
    }

    #[getter]
    fn proven_edges(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.proven_edges()
    }

    /// A path, whose every edge is proven once more at the end, in the direction of travel.
    #[allow(clippy::too_many_arguments)]
    fn plan<'py>(
        &self,
        py: Python<'py>,
        checker: &RawChecker,
        q0: Vec<f64>,
        q1: Vec<f64>,
        values: PlanValues,
        check: OptionValues,
        ranges: Ranges,
        seconds: Option<f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (options, checker) = (plan_options(values, check)?, checker.shared());
        let found = supervised(py, |interrupt| {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let (roadmap, space) = &mut *known;
            search(roadmap, space, &checker, [&q0, &q1], &options, &ranges, seconds, interrupt)
        })?;
        describe(py, found.map_err(refused)?, &checker)
    }
}

#[allow(clippy::too_many_arguments)]
fn search(
    roadmap: &mut Roadmap,
    known: &mut Option<Space>,
    checker: &Checker,
    ends: [&[f64]; 2],
    options: &PlanOptions,
    ranges: &Ranges,
    seconds: Option<f64>,
    interrupt: &Interrupt,
) -> firsttouch::Result<Outcome> {
    let space = match known {
        Some(space) => space,
        None => known.insert(space(checker, ends, ranges)?),
    };
    within(seconds, interrupt, |control| {
        let mut edges = ProvenEdges::new(checker, options.check, control.interrupt)?;
        let found = roadmap.plan(space, ends, options, control, &mut edges)?;
        let Outcome::Found(plan) = &found else { return Ok(found) };
        if is_proven(checker, &plan.waypoints, &options.check, control)? {
            return Ok(found);
        }
        // An edge may be free one way and touch the other way, within the tolerance. `plan_in` handles that.
        plan_in(space, checker, ends[0], ends[1], options, control)
    })
}

fn is_proven(
    checker: &Checker,
    waypoints: &[Vec<f64>],
    check: &Options,
    control: &PlanControl<'_>,
) -> firsttouch::Result<bool> {
    let proof = Control { interrupt: control.last_interrupt, progress: None };
    let options = Options { mode: firsttouch::Mode::First, t_max: 1.0, ..*check };
    let report = checker.check_path(waypoints, Ask::from(&options).control(&proof), |_| ())?;
    Ok(report.answer == Answer::Free && report.segment.is_none())
}

/// A path by a search that remembers nothing.
#[allow(clippy::too_many_arguments)]
pub(crate) fn planned<'py>(
    py: Python<'py>,
    checker: &Checker,
    ends: [Vec<f64>; 2],
    values: PlanValues,
    check: OptionValues,
    ranges: Ranges,
    limit: Limit,
) -> PyResult<Bound<'py, PyDict>> {
    let options = plan_options(values, check)?;
    let [from, to] = &ends;
    let found = supervised(py, |interrupt| plan(checker, [from, to], &options, &ranges, limit, interrupt))?;
    describe(py, found.map_err(refused)?, checker)
}

/// Limits of velocity, acceleration and jerk, one number per variable. Without those of velocity, the robot's own
/// count.
pub(crate) type LimitValues = (Option<Vec<f64>>, Vec<f64>, Option<Vec<f64>>);

/// Times, configurations and velocities of a trajectory.
pub(crate) type TimedRows = (Vec<f64>, Vec<Vec<f64>>, Vec<Vec<f64>>);

/// Returns the rows of the trajectory along a path within limits, proven free.
pub(crate) fn timed(
    py: Python<'_>,
    checker: &Checker,
    waypoints: &[Vec<f64>],
    (velocity, acceleration, jerk): LimitValues,
    check: OptionValues,
) -> PyResult<TimedRows> {
    let options = options(check)?;
    let velocity = match velocity {
        Some(given) => given,
        None => own_velocities(checker)?,
    };
    let mut limits = MotionLimits::new(velocity, acceleration);
    limits.jerk = jerk;
    let found = supervised(py, |interrupt| {
        let proof = Control { interrupt: Some(interrupt), progress: None };
        core_timed(checker, waypoints, &limits, Ask::from(&options).control(&proof))
    })?;
    match found.map_err(refused)? {
        TimedOutcome::Proven(TimedPlan { times, waypoints, velocities, .. }) => {
            Ok((times, waypoints, velocities))
        }
        TimedOutcome::NotProven { time, .. } => Err(PyRuntimeError::new_err(format!(
            "no trajectory along the path is proven free: the best one is until {time} s. More max_iterations may help"
        ))),
        _ => Err(PyValueError::new_err("the planner gave an outcome that is unknown here")),
    }
}

fn own_velocities(checker: &Checker) -> PyResult<Vec<f64>> {
    let own = checker.robot().variables().iter().map(|variable| {
        variable.velocity.ok_or_else(|| {
            let text = format!("the robot has no limit of velocity for \"{}\": give velocity", variable.name);
            PyValueError::new_err(text)
        })
    });
    own.collect()
}
