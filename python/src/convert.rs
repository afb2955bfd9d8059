//! Between numpy and the core: points, faces, poses, and errors.

use std::ffi::CString;

use firsttouch::glam::{DMat3, DQuat, DVec3};
use firsttouch::motion::Pose;
use firsttouch_io::{Files, Problem};
use numpy::ndarray::ArrayView2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::exceptions::{PyOSError, PyUserWarning, PyValueError};
use pyo3::prelude::*;

/// A pose as it crosses the border: x, y, z of the origin, then w, x, y, z of the quaternion.
pub(crate) type PoseNumbers = [f64; 7];

/// Turns a refusal of the core into a `ValueError`.
pub(crate) fn refused(error: firsttouch::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Turns an error in a file into an `OSError`, and a missing file into a `FileNotFoundError`.
pub(crate) fn file_refused(error: firsttouch_io::Error) -> PyErr {
    let text = error.to_string();
    match os_error(&error.problem) {
        Some(code) => PyOSError::new_err((code, text)),
        None => PyOSError::new_err(text),
    }
}

fn os_error(problem: &Problem) -> Option<i32> {
    match problem {
        Problem::Io(error) => error.raw_os_error(),
        Problem::Named { error, .. } => os_error(&error.problem),
        _ => None,
    }
}

/// The rows of an array of shape (N, 3).
pub(crate) fn points(array: &PyReadonlyArray2<'_, f64>, what: &str) -> PyResult<Vec<DVec3>> {
    let view = columns::<f64, 3>(array.as_array(), what)?;
    Ok(match view.as_slice() {
        Some(flat) => flat.as_chunks::<3>().0.iter().map(|&row| DVec3::from_array(row)).collect(),
        None => view.rows().into_iter().map(|row| DVec3::new(row[0], row[1], row[2])).collect(),
    })
}

/// The rows of an array of indices of shape (N, K).
pub(crate) fn indices<const K: usize>(
    array: &PyReadonlyArray2<'_, i64>,
    what: &str,
) -> PyResult<Vec<[u32; K]>> {
    let view = columns::<i64, K>(array.as_array(), what)?;
    let mut rows = Vec::with_capacity(view.nrows());
    for (number, row) in view.rows().into_iter().enumerate() {
        let mut indices = [0; K];
        for (index, &value) in indices.iter_mut().zip(row) {
            *index = u32::try_from(value).map_err(|_| {
                PyValueError::new_err(format!("{what} {number} has the index {value}, which is out of range"))
            })?;
        }
        rows.push(indices);
    }
    Ok(rows)
}

fn columns<'a, T, const K: usize>(view: ArrayView2<'a, T>, what: &str) -> PyResult<ArrayView2<'a, T>> {
    if view.ncols() == K {
        return Ok(view);
    }
    let (rows, columns) = view.dim();
    Err(PyValueError::new_err(format!("{what} must have the shape (N, {K}), but has ({rows}, {columns})")))
}

/// An array of shape (N, 3).
pub(crate) fn points_array<'py>(py: Python<'py>, points: &[DVec3]) -> Bound<'py, PyArray2<f64>> {
    let flat: Vec<f64> = points.iter().flat_map(|point| point.to_array()).collect();
    rows(flat.into_pyarray(py), points.len(), 3)
}

/// An array of shape (N, K).
pub(crate) fn indices_array<'py, const K: usize>(
    py: Python<'py>,
    faces: &[[u32; K]],
) -> Bound<'py, PyArray2<u32>> {
    array_of_rows(py, faces)
}

/// An array of shape (N, K).
pub(crate) fn array_of_rows<'py, T: numpy::Element + Copy, const K: usize>(
    py: Python<'py>,
    all: &[[T; K]],
) -> Bound<'py, PyArray2<T>> {
    rows(all.as_flattened().to_vec().into_pyarray(py), all.len(), K)
}

/// A flat array as one of shape (n, k).
pub(crate) fn rows<'py, T: numpy::Element>(
    flat: Bound<'py, PyArray1<T>>,
    n: usize,
    k: usize,
) -> Bound<'py, PyArray2<T>> {
    use numpy::PyArrayMethods;
    flat.reshape([n, k]).expect("the array has n times k entries")
}

pub(crate) fn pose(numbers: PoseNumbers) -> PyResult<Pose> {
    let [x, y, z, w, i, j, k] = numbers;
    Pose::new(DVec3::new(x, y, z), DQuat::from_xyzw(i, j, k, w)).map_err(refused)
}

pub(crate) fn pose_numbers(pose: &Pose) -> PoseNumbers {
    let (p, q) = (pose.translation(), pose.rotation());
    [p.x, p.y, p.z, q.w, q.x, q.y, q.z]
}

/// A file's pose, which is validated when it is used.
pub(crate) fn raw_pose(pose: &firsttouch_io::Pose) -> PoseNumbers {
    let (p, q) = (pose.xyz, pose.quat);
    [p.x, p.y, p.z, q.w, q.x, q.y, q.z]
}

/// Greatest distance of a matrix from a rotation. Matrices that went through float32 are off by 1e-7.
const ROTATION_TOLERANCE: f64 = 1e-5;

/// The pose of a homogeneous matrix of shape (4, 4).
///
/// The rotation becomes a unit quaternion, rounded to float64. Later proofs hold for that quaternion.
#[pyfunction]
pub(crate) fn pose_from_matrix(matrix: PyReadonlyArray2<'_, f64>) -> PyResult<PoseNumbers> {
    let m = matrix.as_array();
    if m.dim() != (4, 4) {
        let (rows, columns) = m.dim();
        return Err(PyValueError::new_err(format!(
            "a pose must have the shape (4, 4), but has ({rows}, {columns})"
        )));
    }
    if let Some(value) = m.iter().find(|value| !value.is_finite()) {
        return Err(PyValueError::new_err(format!("a pose has the entry {value}, which is not finite")));
    }
    let last = [m[[3, 0]], m[[3, 1]], m[[3, 2]], m[[3, 3]]];
    if last != [0.0, 0.0, 0.0, 1.0] {
        return Err(PyValueError::new_err(format!(
            "the last row of a pose must be 0, 0, 0, 1, but is {last:?}"
        )));
    }
    let column = |j: usize| DVec3::new(m[[0, j]], m[[1, j]], m[[2, j]]);
    let rotation = DMat3::from_cols(column(0), column(1), column(2));
    let off = rotation.transpose() * rotation - DMat3::IDENTITY;
    let largest = off.to_cols_array().into_iter().fold(0.0, |worst: f64, x| worst.max(x.abs()));
    if largest.is_nan() || largest > ROTATION_TOLERANCE {
        return Err(PyValueError::new_err(format!(
            "the upper left part of a pose must be a rotation, but it scales or shears by {largest:.1e}"
        )));
    }
    if rotation.determinant() < 0.0 {
        return Err(PyValueError::new_err(
            "the upper left part of a pose must be a rotation, but it mirrors",
        ));
    }
    let q = DQuat::from_mat3(&rotation);
    pose([m[[0, 3]], m[[1, 3]], m[[2, 3]], q.w, q.x, q.y, q.z]).map(|pose| pose_numbers(&pose))
}

/// The homogeneous matrix, row by row.
#[pyfunction]
pub(crate) fn matrix_from_pose(numbers: PoseNumbers) -> PyResult<[[f64; 4]; 4]> {
    let at = pose(numbers)?.at();
    Ok(homogeneous(at.rotation, at.translation))
}

pub(crate) fn homogeneous(rotation: DMat3, p: DVec3) -> [[f64; 4]; 4] {
    let [a, b, c] = [rotation.row(0), rotation.row(1), rotation.row(2)];
    [[a.x, a.y, a.z, p.x], [b.x, b.y, b.z, p.y], [c.x, c.y, c.z, p.z], [0.0, 0.0, 0.0, 1.0]]
}

/// Reads a file, and gives the warnings about it to Python. The place of a warning is the call of the function that
/// called this package.
fn read_with_warnings<T: Send>(
    py: Python<'_>,
    read: impl FnOnce(&Files) -> firsttouch_io::Result<T> + Send,
) -> PyResult<T> {
    let files = Files::default();
    let read = py.detach(|| read(&files)).map_err(file_refused)?;
    for warning in files.take_warnings() {
        // The text has no zero bytes: they are escaped.
        let text = CString::new(warning.to_string()).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 2)?;
    }
    Ok(read)
}

/// A file of points: PLY, PCD, XYZ or NPY.
#[pyfunction]
pub(crate) fn read_points<'py>(
    py: Python<'py>,
    path: std::path::PathBuf,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let points = read_with_warnings(py, |files| files.read_points(&path))?;
    Ok(points_array(py, &points))
}

/// An OctoMap file: the side of its smallest cells, and the occupied ones, each with its key and its level.
#[pyfunction]
pub(crate) fn read_octree<'py>(
    py: Python<'py>,
    path: std::path::PathBuf,
) -> PyResult<(f64, Bound<'py, PyArray2<i64>>)> {
    let data = read_with_warnings(py, |files| files.read_octree(&path))?;
    let row = |cell: &firsttouch::shape::OctreeCell| {
        let [x, y, z] = cell.key.map(i64::from);
        [x, y, z, i64::from(cell.level)]
    };
    Ok((data.resolution, array_of_rows(py, &data.cells.iter().map(row).collect::<Vec<_>>())))
}

/// The heights in a PNG file, from 0 to 1, row by row from low y to high y.
#[pyfunction]
pub(crate) fn read_heights<'py>(
    py: Python<'py>,
    path: std::path::PathBuf,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let data = read_with_warnings(py, |files| files.read_heights(&path))?;
    Ok(rows(data.values.into_pyarray(py), data.rows, data.columns))
}

/// A mesh file: vertices and triangles. Loose edges and points give a warning.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn read_mesh<'py>(
    py: Python<'py>,
    path: std::path::PathBuf,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<u32>>)> {
    let mesh = read_with_warnings(py, |files| {
        let mesh = files.read_mesh(&path)?;
        files.warn_of_loose_parts(&mesh, &path);
        Ok(mesh)
    })?;
    Ok((points_array(py, &mesh.positions), indices_array(py, &mesh.triangles)))
}
