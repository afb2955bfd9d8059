//! Shapes.

use firsttouch::glam::{DQuat, DVec2, DVec3};
use firsttouch::shape::{
    Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, HeightField, Hull, Mesh, Octree, OctreeCell,
    PointCloud, Shape, SolidMesh, Sphere,
};
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::convert::{
    PoseNumbers, array_of_rows, indices, indices_array, points, points_array, refused, rows,
};
use super::threads::spread;

/// A shape of the core; shared, so that copies cost nothing.
#[pyclass(frozen, name = "Shape", module = "firsttouch._core")]
pub(crate) struct RawShape(pub(crate) Shape);

/// A piece of a compound and its place in it.
type PlacedPiece = (Py<RawShape>, PoseNumbers);

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

    /// A closed mesh with its inside.
    #[staticmethod]
    fn solid_mesh(
        py: Python<'_>,
        vertices: PyReadonlyArray2<'_, f64>,
        faces: PyReadonlyArray2<'_, i64>,
    ) -> PyResult<RawShape> {
        let (vertices, faces) = (points(&vertices, "vertices")?, indices(&faces, "face")?);
        let built = py.detach(|| Mesh::new(vertices, faces).and_then(SolidMesh::new));
        built.map(RawShape::from).map_err(refused)
    }

    #[staticmethod]
    fn cone(radius: f64, length: f64) -> PyResult<RawShape> {
        Cone::new(radius, length).map(RawShape::from).map_err(refused)
    }

    #[staticmethod]
    fn half_space(normal: [f64; 3], offset: f64) -> PyResult<RawShape> {
        HalfSpace::new(DVec3::from_array(normal), offset).map(RawShape::from).map_err(refused)
    }

    #[staticmethod]
    fn point_cloud(py: Python<'_>, cloud: PyReadonlyArray2<'_, f64>, radius: f64) -> PyResult<RawShape> {
        let cloud = points(&cloud, "points")?;
        py.detach(|| PointCloud::new(cloud, radius)).map(RawShape::from).map_err(refused)
    }

    /// Each cell is its low corner, in units of the resolution, and its level.
    #[staticmethod]
    fn octree(py: Python<'_>, resolution: f64, cells: PyReadonlyArray2<'_, i64>) -> PyResult<RawShape> {
        let cells = octree_cells(&cells)?;
        py.detach(|| Octree::new(resolution, cells)).map(RawShape::from).map_err(refused)
    }

    /// Heights row by row, from low y to high y.
    #[staticmethod]
    fn height_field(
        py: Python<'_>,
        heights: PyReadonlyArray2<'_, f64>,
        size: [f64; 2],
    ) -> PyResult<RawShape> {
        let (rows, columns) = heights.as_array().dim();
        let heights: Vec<f64> = heights.as_array().iter().copied().collect();
        let built = py.detach(|| HeightField::new(columns, rows, DVec2::from_array(size), heights));
        built.map(RawShape::from).map_err(refused)
    }

    /// Several convex shapes, each at its own place.
    #[staticmethod]
    fn compound(pieces: Vec<PlacedPiece>) -> PyResult<RawShape> {
        let piece = |(shape, [x, y, z, w, i, j, k]): &PlacedPiece| {
            (shape.get().0.clone(), DQuat::from_xyzw(*i, *j, *k, *w), DVec3::new(*x, *y, *z))
        };
        let pieces: Vec<_> = pieces.iter().map(piece).collect();
        Shape::compound_of(&pieces).map(RawShape).map_err(refused)
    }

    /// The pieces of a compound, as its constructor takes them; none for other shapes, and for pieces that are not
    /// placed shapes.
    #[getter]
    fn pieces(&self, py: Python<'_>) -> PyResult<Option<Vec<PlacedPiece>>> {
        let Shape::Compound(compound) = &self.0 else { return Ok(None) };
        let mut list = Vec::with_capacity(compound.len());
        for index in 0..compound.len() {
            let Some(piece) = compound.piece(index).as_placed() else { return Ok(None) };
            let (at, turned) = (piece.translation(), piece.given_rotation());
            let pose = [at.x, at.y, at.z, turned.w, turned.x, turned.y, turned.z];
            list.push((Py::new(py, RawShape(piece.shape().clone()))?, pose));
        }
        Ok(Some(list))
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
            Shape::Compound(compound) => Some(std::sync::Arc::as_ptr(compound).addr()),
            _ => None,
        }
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// The arguments of the constructor of a solid with a formula; empty for others.
    #[getter]
    fn parameters(&self) -> Vec<f64> {
        match &self.0 {
            Shape::Box(shape) => (shape.half() * 2.0).to_array().into(),
            Shape::Sphere(shape) => vec![shape.radius()],
            Shape::Capsule(shape) => vec![shape.radius(), shape.length()],
            Shape::Cylinder(shape) => vec![shape.radius(), shape.length()],
            Shape::Ellipsoid(shape) => shape.semi_axes().to_array().into(),
            Shape::Cone(shape) => vec![shape.radius(), shape.length()],
            Shape::HalfSpace(shape) => {
                let normal = shape.normal();
                vec![normal.x, normal.y, normal.z, shape.offset()]
            }
            Shape::PointCloud(shape) => vec![shape.radius()],
            Shape::Octree(shape) => vec![shape.resolution()],
            Shape::HeightField(shape) => {
                // Centred about the origin, and half of a number is exact.
                let corner = shape.vertex(0, 0);
                vec![-2.0 * corner.x, -2.0 * corner.y]
            }
            _ => Vec::new(),
        }
    }

    /// The vertices of a mesh or a hull.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<f64>>> {
        match &self.0 {
            Shape::Mesh(mesh) => Some(points_array(py, mesh.vertices())),
            Shape::SolidMesh(solid) => Some(points_array(py, solid.mesh().vertices())),
            Shape::Hull(hull) => Some(points_array(py, hull.vertices())),
            Shape::PointCloud(cloud) => {
                let mut points: Vec<(usize, DVec3)> = cloud.points().collect();
                points.sort_unstable_by_key(|(place, _)| *place);
                Some(points_array(py, &points.into_iter().map(|(_, point)| point).collect::<Vec<_>>()))
            }
            _ => None,
        }
    }

    /// The triangles of a mesh or a hull.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<u32>>> {
        match &self.0 {
            Shape::Mesh(mesh) => Some(indices_array(py, mesh.triangles())),
            Shape::SolidMesh(solid) => Some(indices_array(py, solid.mesh().triangles())),
            Shape::Hull(hull) => Some(indices_array(py, hull.faces())),
            _ => None,
        }
    }

    /// The numbers of vertices and triangles, without a copy.
    #[getter]
    fn counts(&self) -> (usize, usize) {
        match &self.0 {
            Shape::Mesh(mesh) => (mesh.vertices().len(), mesh.triangles().len()),
            Shape::SolidMesh(solid) => (solid.mesh().vertices().len(), solid.mesh().triangles().len()),
            Shape::PointCloud(cloud) => (cloud.len(), 0),
            Shape::Octree(octree) => (0, octree.cells().len()),
            Shape::HeightField(field) => (field.columns() * field.rows(), pieces(&self.0)),
            Shape::Compound(compound) => (0, compound.len()),
            Shape::Hull(hull) => (hull.vertices().len(), hull.faces().len()),
            _ => (0, 0),
        }
    }

    /// The cells of an octree, as its constructor takes them.
    #[getter]
    fn cells<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<i64>>> {
        let Shape::Octree(octree) = &self.0 else { return None };
        let row = |cell: &OctreeCell| {
            let [x, y, z] = cell.key.map(i64::from);
            [x, y, z, i64::from(cell.level)]
        };
        let rows: Vec<[i64; 4]> = octree.cells().iter().map(row).collect();
        Some(array_of_rows(py, &rows))
    }

    /// The heights of a height field, as its constructor takes them.
    #[getter]
    fn heights<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<f64>>> {
        let Shape::HeightField(field) = &self.0 else { return None };
        let all = (0..field.rows()).flat_map(|row| (0..field.columns()).map(move |column| (column, row)));
        let heights: Vec<f64> = all.map(|(column, row)| field.vertex(column, row).z).collect();
        Some(rows(heights.into_pyarray(py), field.rows(), field.columns()))
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

/// Returns the number of convex pieces of a shape, which bounds the cost of a query on it.
pub(crate) fn pieces(shape: &Shape) -> usize {
    match shape {
        Shape::Mesh(mesh) => mesh.triangles().len(),
        Shape::SolidMesh(solid) => solid.mesh().triangles().len(),
        Shape::PointCloud(cloud) => cloud.len(),
        Shape::Octree(octree) => octree.cells().len(),
        Shape::HeightField(field) => 2 * (field.columns() - 1) * (field.rows() - 1),
        Shape::Compound(compound) => compound.len(),
        _ => 1,
    }
}

/// The rows of an array of shape (N, 4): a key and a level each.
fn octree_cells(cells: &PyReadonlyArray2<'_, i64>) -> PyResult<Vec<OctreeCell>> {
    let view = cells.as_array();
    if view.ncols() != 4 {
        let text = format!("cells must have the shape (N, 4), but have {:?}", view.dim());
        return Err(PyValueError::new_err(text));
    }
    let cell = |(number, row): (usize, numpy::ndarray::ArrayView1<'_, i64>)| {
        let wrong = || PyValueError::new_err(format!("cell {number} of an octree is out of range: {row}"));
        let key = |axis: usize| i32::try_from(row[axis]).map_err(|_| wrong());
        let level = u8::try_from(row[3]).map_err(|_| wrong())?;
        Ok(OctreeCell { key: [key(0)?, key(1)?, key(2)?], level })
    };
    view.rows().into_iter().enumerate().map(cell).collect()
}
