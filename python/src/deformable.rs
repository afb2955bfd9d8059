//! A deforming mesh, frame by frame.

use std::sync::{Mutex, PoisonError};

use firsttouch::deformable::Deformable;
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;

use super::answer::RawAnswer;
use super::convert::{indices, indices_array, points, refused};
use super::options::{OptionValues, options};
use super::supervise::{control, supervised};

/// A deforming mesh of the core.
#[pyclass(frozen, name = "Deformable", module = "firsttouch._core")]
pub(crate) struct RawDeformable(Mutex<Deformable>);

#[pymethods]
impl RawDeformable {
    #[new]
    fn new(
        py: Python<'_>,
        frame: PyReadonlyArray2<'_, f64>,
        faces: PyReadonlyArray2<'_, i64>,
        edges: PyReadonlyArray2<'_, i64>,
        loose_points: Vec<u32>,
    ) -> PyResult<RawDeformable> {
        let frame = points(&frame, "vertices")?;
        let (faces, edges) = (indices(&faces, "face")?, indices(&edges, "edge")?);
        let mesh = py.detach(|| Deformable::new(frame.clone(), frame, faces, edges, loose_points));
        Ok(RawDeformable(Mutex::new(mesh.map_err(refused)?)))
    }

    fn check(
        &self,
        py: Python<'_>,
        frame0: PyReadonlyArray2<'_, f64>,
        frame1: PyReadonlyArray2<'_, f64>,
        values: OptionValues,
    ) -> PyResult<RawAnswer> {
        let options = options(values)?;
        let (frame0, frame1) = (points(&frame0, "V0")?, points(&frame1, "V1")?);
        let report = supervised(py, |interrupt| {
            // Threads that check the same mesh take turns.
            let mut mesh = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            mesh.set_frames(&frame0, &frame1)?;
            mesh.check_with(&options, options.start, &control(interrupt))
        })?;
        RawAnswer::of_deforming(py, report.map_err(refused)?, options.t_max)
    }

    /// All edges: those of the faces, and loose ones. Answers number edges by their rows.
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        let edges = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).edges().to_vec());
        indices_array(py, &edges)
    }
}
