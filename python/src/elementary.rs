//! A vertex and a triangle, or two edges, whose vertices move linearly.

use firsttouch::elementary::{
    self, Contact, Decision, EdgeEdge, Limits, RowResult, Verdict, VertexFace, edge_edge, edge_edge_batch,
    vertex_face, vertex_face_batch,
};
use firsttouch::glam::DVec3;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::convert::refused;
use super::options::{OptionValues, options};

type Points<'py> = PyReadonlyArray2<'py, f64>;
/// For each pair, a flag that it touches, and the time, or NaN.
type Columns<'py> = (Bound<'py, PyArray1<bool>>, Bound<'py, PyArray1<f64>>);
type Corners = [[f64; 3]; 8];

/// Four points at time 0, then the same at time 1, each of shape (N, 3).
#[pyfunction]
pub(crate) fn vertex_face_many<'py>(
    py: Python<'py>,
    corners: [Points<'py>; 8],
    values: OptionValues,
) -> PyResult<Columns<'py>> {
    many(py, &corners, values, VertexFace::from_columns, vertex_face_batch)
}

/// Like `vertex_face_many`, for the two ends of each of two edges.
#[pyfunction]
pub(crate) fn edge_edge_many<'py>(
    py: Python<'py>,
    corners: [Points<'py>; 8],
    values: OptionValues,
) -> PyResult<Columns<'py>> {
    many(py, &corners, values, EdgeEdge::from_columns, edge_edge_batch)
}

#[pyfunction]
pub(crate) fn vertex_face_one(corners: Corners, values: OptionValues) -> PyResult<(bool, Option<f64>)> {
    let limits = Limits::new(&options(values)?).map_err(refused)?;
    let (t0, t1) = frames(&corners);
    let query = VertexFace::new(t0, t1).map_err(refused)?;
    Ok(hit(&vertex_face(&query, &limits)))
}

#[pyfunction]
pub(crate) fn edge_edge_one(corners: Corners, values: OptionValues) -> PyResult<(bool, Option<f64>)> {
    let limits = Limits::new(&options(values)?).map_err(refused)?;
    let (t0, t1) = frames(&corners);
    let query = EdgeEdge::new(t0, t1).map_err(refused)?;
    Ok(hit(&edge_edge(&query, &limits)))
}

fn frames(corners: &Corners) -> ([DVec3; 4], [DVec3; 4]) {
    let at = |first: usize| std::array::from_fn(|k| DVec3::from_array(corners[first + k]));
    (at(0), at(4))
}

/// Returns a flag for touching and the time. An undecided pair may touch from the end of the time that is proven free.
fn hit(decision: &Decision) -> (bool, Option<f64>) {
    match decision.outcome {
        Verdict::Free => (false, None),
        Verdict::Touch(Contact { toi, .. }) => (true, Some(toi)),
        Verdict::Undecided { free_until, .. } => (true, Some(free_until)),
    }
}

/// Number of queries that are converted and decided at a time: few enough to stay in the cache.
const GROUP: usize = 128;

/// Number of queries that are decided between two looks for Ctrl-C. The slowest take some 100 µs each.
const LISTEN: usize = 8 * GROUP;

fn many<'py, Q: Send + Sync>(
    py: Python<'py>,
    corners: &[Points<'py>; 8],
    values: OptionValues,
    convert: fn(elementary::Columns<'_>, elementary::Columns<'_>, &mut Vec<Q>) -> RowResult,
    decide: fn(&[Q], &Limits, &mut Vec<Decision>),
) -> PyResult<Columns<'py>> {
    let limits = Limits::new(&options(values)?).map_err(refused)?;
    let mut columns: [&[[f64; 3]]; 8] = [&[]; 8];
    for (column, corner) in columns.iter_mut().zip(corners) {
        let shape = corner.as_array().dim();
        let flat = corner.as_slice().map_err(|_| PyValueError::new_err("the points must be contiguous"))?;
        if shape.1 != 3 {
            return Err(PyValueError::new_err(format!(
                "points must have the shape (N, 3), but have {shape:?}"
            )));
        }
        *column = flat.as_chunks::<3>().0;
    }
    let n = columns[0].len();
    if columns.iter().any(|column| column.len() != n) {
        return Err(PyValueError::new_err("all points must have as many rows as each other"));
    }
    let (mut hits, mut times) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let (mut queries, mut decisions) = (Vec::with_capacity(GROUP.min(n)), Vec::with_capacity(GROUP.min(n)));
    for first in (0..n).step_by(GROUP) {
        if first % LISTEN == 0 {
            py.check_signals()?;
        }
        let rows = |k: usize| &columns[k][first..(first + GROUP).min(n)];
        // The arrays are read under the GIL only: another thread could change them.
        convert([0, 1, 2, 3].map(rows), [4, 5, 6, 7].map(rows), &mut queries)
            .map_err(|(row, error)| PyValueError::new_err(format!("row {}: {error}", first + row)))?;
        py.detach(|| decide(&queries, &limits, &mut decisions));
        for (is_hit, toi) in decisions.iter().map(hit) {
            hits.push(is_hit);
            times.push(toi.unwrap_or(f64::NAN));
        }
    }
    Ok((hits.into_pyarray(py), times.into_pyarray(py)))
}
