//! Ellipsoids by algebra.

use firsttouch::Options;
use firsttouch::ellipsoid::{
    MovingEllipsoid, Posed, Relation, contact_at_time, enclosing as core_enclosing, overlaps,
};
use firsttouch::shape::{Ellipsoid, Shape};
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::answer::overlap_tuple;
use super::convert::{PoseNumbers, points, pose, pose_numbers, refused};
use super::motion::RawMotion;
use super::shape::RawShape;

fn ellipsoid<'a>(shape: &'a RawShape, what: &str) -> PyResult<&'a Ellipsoid> {
    match &shape.0 {
        Shape::Ellipsoid(ellipsoid) => Ok(ellipsoid),
        other => {
            Err(PyValueError::new_err(format!("{what} must be an ellipsoid, but is a {}", other.kind())))
        }
    }
}

/// All times of overlap: start between, end between, certain.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn overlap_intervals(
    py: Python<'_>,
    shape_a: &RawShape,
    motion_a: &RawMotion,
    shape_b: &RawShape,
    motion_b: &RawMotion,
) -> PyResult<Vec<((f64, f64), (f64, f64), bool)>> {
    let a = MovingEllipsoid { shape: ellipsoid(shape_a, "shape_a")?, motion: &motion_a.0 };
    let b = MovingEllipsoid { shape: ellipsoid(shape_b, "shape_b")?, motion: &motion_b.0 };
    let found = py.detach(|| overlaps(a, b, &Options::default())).map_err(refused)?;
    Ok(found.iter().map(overlap_tuple).collect())
}

/// "separate", "touching" or "overlapping", decided exactly.
#[pyfunction]
pub(crate) fn relation(
    shape_a: &RawShape,
    pose_a: PoseNumbers,
    shape_b: &RawShape,
    pose_b: PoseNumbers,
) -> PyResult<&'static str> {
    let a = Posed::new(ellipsoid(shape_a, "shape_a")?, &pose(pose_a)?);
    let b = Posed::new(ellipsoid(shape_b, "shape_b")?, &pose(pose_b)?);
    Ok(match a.relation(&b) {
        Relation::Separate => "separate",
        Relation::Touching => "touching",
        Relation::Overlapping => "overlapping",
    })
}

/// Point, normal and factor of scaling.
type ContactNumbers = ([f64; 3], [f64; 3], f64);

/// The contact at a time; none where the centres coincide.
#[pyfunction]
pub(crate) fn contact_at(
    shape_a: &RawShape,
    motion_a: &RawMotion,
    shape_b: &RawShape,
    motion_b: &RawMotion,
    t: f64,
) -> PyResult<Option<ContactNumbers>> {
    if !(0.0..=1.0).contains(&t) {
        return Err(PyValueError::new_err(format!("t must be from 0 to 1, but is {t}")));
    }
    let a = MovingEllipsoid { shape: ellipsoid(shape_a, "shape_a")?, motion: &motion_a.0 };
    let b = MovingEllipsoid { shape: ellipsoid(shape_b, "shape_b")?, motion: &motion_b.0 };
    let found = contact_at_time(a, b, t);
    Ok(found.map(|contact| (contact.point.to_array(), contact.normal.to_array(), contact.ratio)))
}

/// A small ellipsoid around points, and its pose.
#[pyfunction]
pub(crate) fn enclosing(
    py: Python<'_>,
    cloud: PyReadonlyArray2<'_, f64>,
) -> PyResult<(RawShape, PoseNumbers)> {
    let cloud = points(&cloud, "points")?;
    let (shape, at) = py.detach(|| core_enclosing(&cloud)).map_err(refused)?;
    Ok((RawShape(shape.into()), pose_numbers(&at)))
}
