//! Shapes.

use firsttouch::glam::DVec3;
use firsttouch::shape::{Capsule, Cuboid, Cylinder, Ellipsoid, Hull, Mesh, Shape, Sphere};
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;

use super::convert::{indices, indices_array, points, points_array, refused};
use super::threads::spread;

/// A shape of the core; shared, so that copies cost nothing.
#[pyclass(frozen, name = "Shape", module = "firsttouch._core")]
pub(crate) struct RawShape(pub(crate) Shape);

#[pymethods]
impl RawShape {
    #[staticmethod]
    fn cuboid(sides: [f64; 3]) -> PyResult<RawShape> {
        Cuboid::new(DVec3::from_array(sides)).map(RawShape::from).map_err(refused)
    }

    #[staticmethod]
    fn sphere(radius: f64) -> PyResult<RawShape> {
        Sphere::new(radius).map(RawShape::from).map_err(refused)
    }

    #[staticmethod]
    fn capsule(radius: f64, length: f64) -> PyResult<RawShape> {
        Capsule::new(radius, length).map(RawShape::from).map_err(refused)
    }

    #[staticmethod]
    fn cylinder(radius: f64, length: f64) -> PyResult<RawShape> {
        Cylinder::new(radius, length).map(RawShape::from).map_err(refused)
    }

    #[staticmethod]
    fn ellipsoid(semi_axes: [f64; 3]) -> PyResult<RawShape> {
        Ellipsoid::new(DVec3::from_array(semi_axes)).map(RawShape::from).map_err(refused)
    }

    #[staticmethod]
    fn hull(py: Python<'_>, vertices: PyReadonlyArray2<'_, f64>) -> PyResult<RawShape> {
        let vertices = points(&vertices, "points")?;
        py.detach(|| Hull::new(&vertices)).map(RawShape::from).map_err(refused)
    }

    #[staticmethod]
    fn mesh(
        py: Python<'_>,
        vertices: PyReadonlyArray2<'_, f64>,
        faces: PyReadonlyArray2<'_, i64>,
    ) -> PyResult<RawShape> {
        let (vertices, faces) = (points(&vertices, "vertices")?, indices(&faces, "face")?);
        py.detach(|| Mesh::new(vertices, faces)).map(RawShape::from).map_err(refused)
    }

    /// Many meshes, over threads.
    #[staticmethod]
    fn meshes(
        py: Python<'_>,
        given: Vec<(PyReadonlyArray2<'_, f64>, PyReadonlyArray2<'_, i64>)>,
    ) -> PyResult<Vec<RawShape>> {
        let given = given
            .iter()
            .map(|(vertices, faces)| Ok((points(vertices, "vertices")?, indices(faces, "face")?)))
            .collect::<PyResult<Vec<_>>>()?;
        let mesh = |k: usize| Mesh::new(given[k].0.clone(), given[k].1.clone());
        let built = py.detach(|| spread(given.len(), 0, mesh));
        built.into_iter().map(|mesh| mesh.map(RawShape::from).map_err(refused)).collect()
    }

    /// Two shapes of the same address share their memory; none for shapes that are but a few numbers.
    #[getter]
    fn address(&self) -> Option<usize> {
        match &self.0 {
            Shape::Mesh(mesh) => Some(std::sync::Arc::as_ptr(mesh).addr()),
            Shape::Hull(hull) => Some(std::sync::Arc::as_ptr(hull).addr()),
            _ => None,
        }
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// What the constructor of a solid with a formula takes; empty for others.
    #[getter]
    fn parameters(&self) -> Vec<f64> {
        match &self.0 {
            Shape::Box(shape) => (shape.half() * 2.0).to_array().into(),
            Shape::Sphere(shape) => vec![shape.radius()],
            Shape::Capsule(shape) => vec![shape.radius(), shape.length()],
            Shape::Cylinder(shape) => vec![shape.radius(), shape.length()],
            Shape::Ellipsoid(shape) => shape.semi_axes().to_array().into(),
            _ => Vec::new(),
        }
    }

    /// The vertices of a mesh or a hull.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<f64>>> {
        match &self.0 {
            Shape::Mesh(mesh) => Some(points_array(py, mesh.vertices())),
            Shape::Hull(hull) => Some(points_array(py, hull.vertices())),
            _ => None,
        }
    }

    /// The triangles of a mesh or a hull.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<u32>>> {
        match &self.0 {
            Shape::Mesh(mesh) => Some(indices_array(py, mesh.triangles())),
            Shape::Hull(hull) => Some(indices_array(py, hull.faces())),
            _ => None,
        }
    }

    /// How many vertices and triangles, without copying them.
    #[getter]
    fn counts(&self) -> (usize, usize) {
        match &self.0 {
            Shape::Mesh(mesh) => (mesh.vertices().len(), mesh.triangles().len()),
            Shape::Hull(hull) => (hull.vertices().len(), hull.faces().len()),
            _ => (0, 0),
        }
    }

    /// The lower and the upper corner of the box around it.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let (center, half) = self.0.bounds();
        points_array(py, &[center - half, center + half])
    }
}

impl<S: Into<Shape>> From<S> for RawShape {
    fn from(shape: S) -> RawShape {
        RawShape(shape.into())
    }
}

/// How many convex pieces a shape has: what a query on it may cost at most.
pub(crate) fn pieces(shape: &Shape) -> usize {
    match shape {
        Shape::Mesh(mesh) => mesh.triangles().len(),
        _ => 1,
    }
}
