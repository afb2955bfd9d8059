//! An answer with the names of the bodies that touch.

use firsttouch::articulated::{Checker, Robot, StepReport};
use firsttouch::deformable::DeformReport;
use firsttouch::ellipsoid::{Overlap, OverlapKind};
use firsttouch::{Answer, BodyKind, Part, Report, Scene, Stats, Touch};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::convert::points_array;
use super::supervise::listening;

/// The result of a query for the Python layer.
#[pyclass(frozen, name = "Answer", module = "firsttouch._core")]
pub(crate) struct RawAnswer {
    answer: Answer,
    t_max: f64,
    names: Option<[String; 2]>,
    parts: Option<[String; 2]>,
    paths: Option<[String; 2]>,
    pairs: Vec<Py<RawAnswer>>,
    overlaps: Option<Vec<Overlap>>,
    stats: Vec<(&'static str, u64)>,
    segment: Option<usize>,
}

/// The word for an answer.
pub(crate) fn kind(answer: &Answer) -> &'static str {
    match answer {
        Answer::Free => "free",
        Answer::Touch(_) => "touch",
        Answer::TouchingAtStart(_) => "touching_at_start",
        Answer::Undecided { .. } => "undecided",
    }
}

#[pymethods]
impl RawAnswer {
    #[getter]
    fn kind(&self) -> &'static str {
        kind(&self.answer)
    }

    #[getter]
    fn toi(&self) -> Option<f64> {
        self.touch().map(|touch| touch.toi)
    }

    #[getter]
    fn free_until(&self) -> f64 {
        self.answer.free_until(self.t_max)
    }

    #[getter]
    fn gap(&self) -> Option<f64> {
        self.touch().map(|touch| touch.gap)
    }

    #[getter]
    fn names(&self) -> Option<(String, String)> {
        two(&self.names)
    }

    #[getter]
    fn parts(&self) -> Option<(String, String)> {
        two(&self.parts)
    }

    #[getter]
    fn part_paths(&self) -> Option<(String, String)> {
        two(&self.paths)
    }

    #[getter]
    fn features(&self) -> Option<(String, String)> {
        self.touch().map(|touch| (touch.features[0].to_string(), touch.features[1].to_string()))
    }

    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<f64>>> {
        self.touch().map(|touch| points_array(py, &touch.points))
    }

    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.touch().map(|touch| PyArray1::from_slice(py, &touch.normal.to_array()))
    }

    #[getter]
    fn pairs(&self, py: Python<'_>) -> Vec<Py<RawAnswer>> {
        self.pairs.iter().map(|pair| pair.clone_ref(py)).collect()
    }

    /// Start between, end between, certain.
    #[getter]
    fn overlaps(&self) -> Option<Vec<OverlapTuple>> {
        self.overlaps.as_ref().map(|overlaps| overlaps.iter().map(overlap_tuple).collect())
    }

    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = PyDict::new(py);
        self.stats.iter().try_for_each(|(name, count)| stats.set_item(name, count))?;
        Ok(stats)
    }

    #[getter]
    fn segment(&self) -> Option<usize> {
        self.segment
    }
}

/// Start between, end between, certain.
pub(crate) type OverlapTuple = ((f64, f64), (f64, f64), bool);

pub(crate) fn overlap_tuple(overlap: &Overlap) -> OverlapTuple {
    let Overlap { start, end, kind, .. } = overlap;
    ((start[0], start[1]), (end[0], end[1]), *kind == OverlapKind::Overlap)
}

fn two(names: &Option<[String; 2]>) -> Option<(String, String)> {
    names.as_ref().map(|[a, b]| (a.clone(), b.clone()))
}

impl RawAnswer {
    pub(crate) fn touch(&self) -> Option<&Touch> {
        self.answer.touch()
    }

    fn new(answer: Answer, t_max: f64, labels: &dyn Labels) -> RawAnswer {
        let (names, parts) = names_and_parts(&answer, labels);
        let path = |touch: &Touch| [0, 1].map(|side| labels.path(touch.bodies[side], &touch.parts[side]));
        let paths = answer.touch().map(path);
        RawAnswer {
            answer,
            t_max,
            names,
            parts,
            paths,
            pairs: Vec::new(),
            overlaps: None,
            stats: Vec::new(),
            segment: None,
        }
    }

    /// Two shapes by themselves.
    pub(crate) fn of_two(answer: Answer, t_max: f64) -> RawAnswer {
        RawAnswer::new(answer, t_max, &OneBody)
    }

    pub(crate) fn of_scene(py: Python<'_>, report: Report, t_max: f64, scene: &Scene) -> PyResult<RawAnswer> {
        let mut pairs = Vec::with_capacity(report.pairs.len());
        for pair in report.pairs {
            let overlaps = pair.overlaps;
            let mut raw = RawAnswer::new(pair.answer, t_max, scene);
            // A pair names its bodies whatever its answer.
            let [a, b] = pair.bodies;
            raw.names = scene.body(a).zip(scene.body(b)).map(|(a, b)| [a, b]);
            pairs.push(Py::new(py, RawAnswer { overlaps, ..raw })?);
        }
        let stats = scene_stats(&report.stats);
        Ok(RawAnswer { pairs, stats, ..RawAnswer::new(report.answer, t_max, scene) })
    }

    pub(crate) fn of_step(report: StepReport, t_max: f64, checker: &Checker) -> RawAnswer {
        let stats = vec![
            ("pairs", report.pairs),
            ("close_pairs", report.close_pairs),
            ("windows", report.windows[0]),
            ("window_pairs", report.windows[1]),
        ];
        RawAnswer { stats, ..RawAnswer::new(report.answer, t_max, checker) }
    }

    pub(crate) fn of_simulated(
        report: firsttouch::adaptive::StepReport,
        t_max: f64,
        world: &Checker,
    ) -> RawAnswer {
        let stats = vec![
            ("joints", report.joints as u64),
            ("bodies", report.bodies as u64),
            ("near_pairs", report.near_pairs),
            ("close_pairs", report.close_pairs),
            ("measured", report.measured),
        ];
        RawAnswer { stats, ..RawAnswer::new(report.answer, t_max, world) }
    }

    pub(crate) fn of_segment(
        answer: Answer,
        t_max: f64,
        segment: Option<usize>,
        segments: usize,
        checker: &Checker,
    ) -> RawAnswer {
        let stats = vec![("segments", segments as u64)];
        RawAnswer { segment, stats, ..RawAnswer::new(answer, t_max, checker) }
    }

    pub(crate) fn of_deforming(py: Python<'_>, report: DeformReport, t_max: f64) -> PyResult<RawAnswer> {
        let one = |touch: Touch| {
            let at_start = touch.toi == 0.0 && touch.free_until == 0.0;
            let answer = if at_start { Answer::TouchingAtStart(touch) } else { Answer::Touch(touch) };
            Py::new(py, RawAnswer::new(answer, t_max, &OneBody))
        };
        let pairs = listening(py, report.touches, one)?;
        let mut stats = vec![
            ("vf_candidates", report.stats.vf_candidates),
            ("ee_candidates", report.stats.ee_candidates),
            ("vf_tested", report.stats.vf_tested),
            ("ee_tested", report.stats.ee_tested),
            ("vf_touching", report.vf_touching),
            ("ee_touching", report.ee_touching),
        ];
        stats.extend(report.crossings_at_start.map(|count| ("crossings_at_start", count)));
        Ok(RawAnswer { pairs, stats, ..RawAnswer::new(report.answer, t_max, &OneBody) })
    }
}

/// Two names, and two names of parts, where there are any.
pub(crate) type NamesAndParts = (Option<[String; 2]>, Option<[String; 2]>);

/// The bodies that an answer is about, and the parts that touch.
pub(crate) fn names_and_parts(answer: &Answer, labels: &dyn Labels) -> NamesAndParts {
    let bodies = match answer {
        Answer::Free => None,
        Answer::Touch(touch) | Answer::TouchingAtStart(touch) => Some(touch.bodies),
        Answer::Undecided { bodies, .. } => Some(*bodies),
    };
    let names = bodies.and_then(|[a, b]| Some([labels.body(a)?, labels.body(b)?]));
    let part = |touch: &Touch| [0, 1].map(|side| labels.part(touch.bodies[side], &touch.parts[side]));
    (names, answer.touch().map(part))
}

fn scene_stats(stats: &Stats) -> Vec<(&'static str, u64)> {
    vec![
        ("pairs", stats.pairs),
        ("allowed", stats.allowed),
        ("boxes_apart", stats.boxes_apart),
        ("advanced", stats.advanced),
        ("later", stats.later),
        ("parts", stats.parts),
        ("part_pairs", stats.part_pairs),
        ("volume_pairs", stats.volume_pairs),
        ("piece_pairs", stats.piece_pairs),
        ("iterations", stats.iterations),
    ]
}

/// The names of bodies and of their parts.
pub(crate) trait Labels {
    fn body(&self, index: usize) -> Option<String>;
    fn part(&self, body: usize, part: &Part) -> String;
    fn path(&self, body: usize, part: &Part) -> String;
}

/// Labels of a body without names.
struct OneBody;

impl Labels for OneBody {
    fn body(&self, _index: usize) -> Option<String> {
        None
    }

    fn part(&self, _body: usize, part: &Part) -> String {
        part.to_string()
    }

    fn path(&self, _body: usize, part: &Part) -> String {
        part.to_string()
    }
}

fn link_name(robot: &Robot, part: &Part) -> String {
    let link = part.link().and_then(|link| robot.links().get(link));
    link.map_or_else(|| part.to_string(), |link| link.name().to_string())
}

fn robot_of(scene: &Scene, body: usize) -> Option<&Robot> {
    let body = scene.bodies().get(body)?;
    match body.kind() {
        BodyKind::Attached { robot, .. } => scene.bodies().get(*robot)?.as_robot(),
        _ => body.as_robot(),
    }
}

impl Labels for Scene {
    fn body(&self, index: usize) -> Option<String> {
        self.bodies().get(index).map(|body| body.name().to_string())
    }

    fn part(&self, body: usize, part: &Part) -> String {
        robot_of(self, body).map_or_else(|| part.to_string(), |robot| link_name(robot, part))
    }

    fn path(&self, body: usize, part: &Part) -> String {
        robot_of(self, body).map_or_else(|| part.to_string(), |robot| robot.part_path(part))
    }
}

impl Labels for Checker {
    fn body(&self, index: usize) -> Option<String> {
        match index.checked_sub(1) {
            None => Some(self.robot().name().to_string()),
            Some(obstacle) => self.obstacles().nth(obstacle).map(|body| body.name().to_string()),
        }
    }

    fn part(&self, body: usize, part: &Part) -> String {
        if body == 0 { link_name(self.robot(), part) } else { part.to_string() }
    }

    fn path(&self, body: usize, part: &Part) -> String {
        if body == 0 { self.robot().part_path(part) } else { part.to_string() }
    }
}
