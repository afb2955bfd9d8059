//! Two meshes on a contact screw, by CONTACT.

use std::sync::Arc;

use firsttouch::motion::ContactScrew;
use firsttouch::shape::{Mesh, Shape};
use firsttouch::{ContactTables, ScrewPair, ScrewPairOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::answer::RawAnswer;
use super::convert::{PoseNumbers, pose, refused};
use super::options::{OptionValues, options};
use super::shape::RawShape;

/// The trees of spheres of two meshes.
#[pyclass(frozen, name = "ScrewPair", module = "firsttouch._core")]
pub(crate) struct RawScrewPair(ScrewPair);

/// The radius of the leaves, and which tables are used: SS, EE, VF, FV.
pub(crate) fn contact_options(leaf_radius: Option<f64>, tables: [bool; 4]) -> ScrewPairOptions {
    let [labels, edge_edge, vertex_face, face_vertex] = tables;
    ScrewPairOptions { leaf_radius, tables: ContactTables { labels, edge_edge, vertex_face, face_vertex } }
}

fn mesh_of(shape: &RawShape) -> PyResult<Arc<Mesh>> {
    match &shape.0 {
        Shape::Mesh(mesh) => Ok(Arc::clone(mesh)),
        other => Err(PyValueError::new_err(format!("a ScrewPair needs two meshes, not a {}", other.kind()))),
    }
}

#[pymethods]
impl RawScrewPair {
    #[new]
    fn new(
        py: Python<'_>,
        moving: &RawShape,
        resting: &RawShape,
        leaf_radius: Option<f64>,
        tables: [bool; 4],
    ) -> PyResult<RawScrewPair> {
        let (moving, resting) = (mesh_of(moving)?, mesh_of(resting)?);
        let settings = contact_options(leaf_radius, tables);
        py.detach(|| ScrewPair::new(moving, resting, settings)).map(RawScrewPair).map_err(refused)
    }

    #[getter]
    fn leaf_radius(&self) -> f64 {
        self.0.leaf_radius()
    }

    fn check(
        &self,
        py: Python<'_>,
        start: PoseNumbers,
        end: PoseNumbers,
        at_rest: PoseNumbers,
        values: OptionValues,
    ) -> PyResult<RawAnswer> {
        let options = options(values)?;
        let (motion, at_rest) = (ContactScrew::new(pose(start)?, pose(end)?), pose(at_rest)?);
        let answer = py.detach(|| self.0.check(&motion, at_rest, &options)).map_err(refused)?;
        Ok(RawAnswer::of_two(answer, options.t_max))
    }

    /// Each mesh by its first and its last pose.
    fn check_relative(
        &self,
        py: Python<'_>,
        first: [PoseNumbers; 2],
        second: [PoseNumbers; 2],
        values: OptionValues,
    ) -> PyResult<RawAnswer> {
        let options = options(values)?;
        let poses = |[start, end]: [PoseNumbers; 2]| Ok::<_, PyErr>([pose(start)?, pose(end)?]);
        let (first, second) = (poses(first)?, poses(second)?);
        let answer = py.detach(|| self.0.check_relative(first, second, &options)).map_err(refused)?;
        Ok(RawAnswer::of_two(answer, options.t_max))
    }
}
