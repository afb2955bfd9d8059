//! Questions beyond the first touch: least distances, contacts, times of overlap, derivatives, how far a goal may be
//! changed.
//!
//! The answers are dictionaries, which the Python layer makes objects of.

use firsttouch::articulated::{Checker, StepGradient};
use firsttouch::glam::DVec3;
use firsttouch::{
    Clearance, ContactPoint, Degenerate, Feature, Gradient, MotionGradient, Part, PoseGradient, SafeScale,
};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::answer::Labels;
use super::convert::points_array;

/// A least distance. Its time is multiplied by the duration.
pub(crate) fn clearance<'py>(
    py: Python<'py>,
    found: &Clearance,
    duration: f64,
    labels: &dyn Labels,
) -> PyResult<Bound<'py, PyDict>> {
    let place = Place {
        bodies: found.bodies,
        parts: found.parts,
        features: found.features,
        points: found.points,
        normal: found.normal,
    };
    let described = place.describe(py, labels)?;
    described.set_item("lower", found.lower)?;
    described.set_item("upper", found.upper)?;
    described.set_item("is_tight", found.is_tight)?;
    described.set_item("t", found.t * duration)?;
    Ok(described)
}

/// One contact.
pub(crate) fn contact<'py>(
    py: Python<'py>,
    found: &ContactPoint,
    labels: &dyn Labels,
) -> PyResult<Bound<'py, PyDict>> {
    let place = Place {
        bodies: found.bodies,
        parts: found.parts,
        features: found.features,
        points: found.points,
        normal: found.normal,
    };
    let described = place.describe(py, labels)?;
    described.set_item("gap", found.gap)?;
    Ok(described)
}

/// The place at which two bodies are closest.
struct Place {
    bodies: [usize; 2],
    parts: [Part; 2],
    features: [Feature; 2],
    points: [DVec3; 2],
    normal: DVec3,
}

impl Place {
    fn describe<'py>(&self, py: Python<'py>, labels: &dyn Labels) -> PyResult<Bound<'py, PyDict>> {
        let [a, b] = self.bodies;
        let described = PyDict::new(py);
        described.set_item("names", labels.body(a).zip(labels.body(b)))?;
        let [first, second] = [0, 1].map(|side| labels.part(self.bodies[side], &self.parts[side]));
        described.set_item("parts", (first, second))?;
        let [first, second] = [0, 1].map(|side| labels.path(self.bodies[side], &self.parts[side]));
        described.set_item("part_paths", (first, second))?;
        described.set_item("features", (self.features[0].to_string(), self.features[1].to_string()))?;
        described.set_item("points", points_array(py, &self.points))?;
        described.set_item("normal", vector(py, self.normal))?;
        Ok(described)
    }
}

fn vector(py: Python<'_>, v: DVec3) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_slice(py, &v.to_array())
}

/// The derivatives by the motions of two bodies, multiplied by `scale`: the duration for those of a time, 1 for those
/// of a distance.
pub(crate) fn gradient<'py>(
    py: Python<'py>,
    found: &Gradient,
    bodies: [usize; 2],
    scale: f64,
    labels: &dyn Labels,
) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    let [a, b] = bodies;
    described.set_item("names", labels.body(a).zip(labels.body(b)))?;
    let [a, b] = &found.bodies;
    described.set_item("bodies", (motion_gradient(py, a, scale)?, motion_gradient(py, b, scale)?))?;
    described.set_item("degenerate", found.degenerate.map(degenerate))?;
    Ok(described)
}

fn motion_gradient<'py>(py: Python<'py>, found: &MotionGradient, scale: f64) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    let scaled = |values: &[f64]| values.iter().map(|x| x * scale).collect::<Vec<_>>().into_pyarray(py);
    match found {
        MotionGradient::Poses { from, to } => {
            let pose = |at: &PoseGradient| [at.translation, at.rotation].map(|v| vector(py, v * scale));
            described.set_item("start", pose(from))?;
            described.set_item("end", pose(to))?;
        }
        MotionGradient::Joints { from, to } => {
            described.set_item("q0", scaled(from))?;
            described.set_item("q1", scaled(to))?;
        }
        MotionGradient::Shift(by) => described.set_item("shift", scaled(by))?,
        MotionGradient::Held { shift, pose } => {
            described.set_item("shift", scaled(shift))?;
            described.set_item("lay", [pose.translation, pose.rotation].map(|v| vector(py, v * scale)))?;
        }
        MotionGradient::Vertices(vertices) => {
            let ends = |end: fn(&firsttouch::VertexGradient) -> DVec3| {
                vertices.iter().map(|vertex| end(vertex) * scale).collect::<Vec<_>>()
            };
            let indices = vertices.iter().map(|vertex| i64::from(vertex.vertex)).collect::<Vec<_>>();
            described.set_item("vertices", indices.into_pyarray(py))?;
            described.set_item("V0", points_array(py, &ends(|vertex| vertex.from)))?;
            described.set_item("V1", points_array(py, &ends(|vertex| vertex.to)))?;
        }
        _ => {}
    }
    Ok(described)
}

/// Returns the reason why there is no derivative, in words.
pub(crate) fn degenerate(why: Degenerate) -> &'static str {
    match why {
        Degenerate::AtStart => "at_start",
        Degenerate::Grazing => "grazing",
        Degenerate::SeveralFeatures => "several_features",
        Degenerate::HalfTurn => "half_turn",
        _ => "degenerate",
    }
}

/// The derivatives of a step of a robot: the time of contact, by both configurations, and why they do not exist.
pub(crate) type StepColumns<'py> =
    (f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Option<&'static str>);

pub(crate) fn step_gradient(py: Python<'_>, found: StepGradient) -> StepColumns<'_> {
    let StepGradient { toi, from, to, degenerate: why, .. } = found;
    (toi, from.into_pyarray(py), to.into_pyarray(py), why.map(degenerate))
}

/// Returns how far a goal may be changed.
pub(crate) fn safe_scale<'py>(
    py: Python<'py>,
    safe: &SafeScale,
    duration: f64,
    labels: &dyn Labels,
) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    described.set_item("scale", safe.scale)?;
    described.set_item("is_free", safe.is_free)?;
    described.set_item("steps", safe.steps)?;
    let least = safe.clearance.as_ref().map(|found| clearance(py, found, duration, labels));
    described.set_item("clearance", least.transpose()?)?;
    Ok(described)
}

/// The least distance of a segment of a path.
pub(crate) fn path_clearance<'py>(
    py: Python<'py>,
    found: &firsttouch::PathClearance,
    checker: &Checker,
) -> PyResult<Bound<'py, PyDict>> {
    let described = clearance(py, &found.clearance, 1.0, checker)?;
    described.set_item("segment", found.segment)?;
    Ok(described)
}
