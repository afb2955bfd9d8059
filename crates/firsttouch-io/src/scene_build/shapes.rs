//! The shapes of a scene file. A file that several bodies name is read once.

use std::path::{Path, PathBuf};

use firsttouch::ellipsoid::{CoverOptions, CoverPiece, cover};
use firsttouch::shape::{
    Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, HeightField, Hull, Mesh, Octree, PointCloud,
    Shape, SolidMesh, Sphere,
};
use glam::DVec3;

use super::{Builder, in_body, refused};
use crate::cloud::{HeightData, OctreeData};
use crate::error::{Problem, Result, malformed};
use crate::files::Files;
use crate::mesh::MeshData;
use crate::scene::{BodyFile, Pose, ShapeFile};
use crate::source::shown;

/// The memory that the hierarchy of a mesh takes, per triangle.
pub(crate) const MESH_BYTES_PER_TRIANGLE: u64 = 640;

/// The memory that a cloud, an octree or a height field and its hierarchy take, per point, cell or height.
pub(crate) const CLOUD_BYTES_PER_POINT: u64 = 140;

pub(super) fn build_shape(
    builder: &mut Builder<'_>,
    body: &BodyFile,
    shape: &ShapeFile,
) -> Result<Shape, Problem> {
    let refused = |error: firsttouch::Error| refused(body, &error);
    let Some((kind, path, numbers)) = file_of(shape) else {
        return match shape {
            ShapeFile::Compound { pieces } => {
                let piece = |(shape, pose): &(ShapeFile, Pose)| {
                    let Pose { xyz, quat } = *pose;
                    Ok((build_shape(builder, body, shape)?, quat, xyz))
                };
                let pieces = pieces.iter().map(piece).collect::<Result<Vec<_>, Problem>>()?;
                Shape::compound_of(&pieces).map_err(refused)
            }
            ShapeFile::Cover { shape, most } => {
                let covered = build_shape(builder, body, shape)?;
                let options = CoverOptions { most: *most, ..CoverOptions::default() };
                let pieces = cover(&covered, &options).map_err(refused)?;
                let piece = |piece: CoverPiece| {
                    (Shape::from(piece.shape), piece.pose.rotation(), piece.pose.translation())
                };
                Shape::compound_of(&pieces.into_iter().map(piece).collect::<Vec<_>>()).map_err(refused)
            }
            _ => primitive(shape).map_err(refused),
        };
    };
    let key = (same_file(path), kind, numbers.map(f64::to_bits));
    if let Some(known) = builder.shapes.get(&key) {
        return Ok(known.clone());
    }
    let files = builder.files;
    let keep = |bytes: u64| files.keep(bytes, &format!("body \"{}\"", shown(body.name.as_bytes())));
    let built = match shape {
        ShapeFile::Hull { scale, .. } => {
            let mesh = read_scaled(files, body, path, *scale)?;
            Hull::new(&mesh.positions).map(Shape::from)
        }
        ShapeFile::Mesh { scale, .. } | ShapeFile::SolidMesh { scale, .. } => {
            let mesh = read_scaled(files, body, path, *scale)?;
            keep(mesh.triangles.len() as u64 * MESH_BYTES_PER_TRIANGLE)?;
            files.warn_of_loose_parts(&mesh, path);
            let surface = Mesh::new(mesh.positions, mesh.triangles);
            if matches!(shape, ShapeFile::SolidMesh { .. }) {
                surface.and_then(SolidMesh::new).map(Shape::from)
            } else {
                surface.map(Shape::from)
            }
        }
        ShapeFile::Points { radius, scale, .. } => {
            let mut points = files.read_points(path).map_err(|e| in_body(body, e))?;
            points.iter_mut().for_each(|point| *point *= *scale);
            keep(points.len() as u64 * CLOUD_BYTES_PER_POINT)?;
            PointCloud::new(points, *radius).map(Shape::from)
        }
        ShapeFile::Octree { .. } => {
            let OctreeData { resolution, cells } = files.read_octree(path).map_err(|e| in_body(body, e))?;
            keep(cells.len() as u64 * CLOUD_BYTES_PER_POINT)?;
            Octree::new(resolution, cells).map(Shape::from)
        }
        ShapeFile::HeightField { size, .. } => {
            let HeightData { columns, rows, mut values } =
                files.read_heights(path).map_err(|e| in_body(body, e))?;
            values.iter_mut().for_each(|height| *height *= size.z);
            keep(values.len() as u64 * CLOUD_BYTES_PER_POINT)?;
            HeightField::new(columns, rows, size.truncate(), values).map(Shape::from)
        }
        _ => primitive(shape),
    };
    let in_file = |error: firsttouch::Error| {
        malformed(format!("body \"{}\": {}: {error}", shown(body.name.as_bytes()), path.display()))
    };
    built.inspect(|shape| drop(builder.shapes.insert(key, shape.clone()))).map_err(in_file)
}

/// Returns the kind of a shape that has a file, the file, and the numbers that change it.
fn file_of(shape: &ShapeFile) -> Option<(&'static str, &Path, [f64; 4])> {
    let with = |scale: &DVec3, last: f64| [scale.x, scale.y, scale.z, last];
    Some(match shape {
        ShapeFile::Hull { path, scale } => ("hull", path, with(scale, 0.0)),
        ShapeFile::Mesh { path, scale } => ("mesh", path, with(scale, 0.0)),
        ShapeFile::SolidMesh { path, scale } => ("solid mesh", path, with(scale, 0.0)),
        ShapeFile::Points { path, radius, scale } => ("points", path, with(scale, *radius)),
        ShapeFile::Octree { path } => ("octree", path, [0.0; 4]),
        ShapeFile::HeightField { path, size } => ("height field", path, with(size, 0.0)),
        ShapeFile::Box { .. }
        | ShapeFile::Sphere { .. }
        | ShapeFile::Capsule { .. }
        | ShapeFile::Cylinder { .. }
        | ShapeFile::Ellipsoid { .. }
        | ShapeFile::Compound { .. }
        | ShapeFile::Cover { .. }
        | ShapeFile::Heights { .. }
        | ShapeFile::Triangles { .. }
        | ShapeFile::HalfSpace { .. }
        | ShapeFile::Cone { .. } => return None,
    })
}

/// Returns a shape that needs no file.
pub(crate) fn primitive(shape: &ShapeFile) -> firsttouch::Result<Shape> {
    Ok(match shape {
        ShapeFile::Box { sides } => Cuboid::new(*sides)?.into(),
        ShapeFile::Sphere { radius } => Sphere::new(*radius)?.into(),
        ShapeFile::Capsule { radius, length } => Capsule::new(*radius, *length)?.into(),
        ShapeFile::Cylinder { radius, length } => Cylinder::new(*radius, *length)?.into(),
        ShapeFile::Ellipsoid { semi_axes } => Ellipsoid::new(*semi_axes)?.into(),
        ShapeFile::HalfSpace { normal, offset } => HalfSpace::new(*normal, *offset)?.into(),
        ShapeFile::Cone { radius, length } => Cone::new(*radius, *length)?.into(),
        ShapeFile::Heights { columns, rows, sides, heights } => {
            HeightField::new(*columns, *rows, *sides, heights.to_vec())?.into()
        }
        ShapeFile::Triangles { positions, triangles } => {
            Mesh::new(positions.to_vec(), triangles.to_vec())?.into()
        }
        ShapeFile::Hull { .. }
        | ShapeFile::Mesh { .. }
        | ShapeFile::SolidMesh { .. }
        | ShapeFile::Compound { .. }
        | ShapeFile::Cover { .. }
        | ShapeFile::Points { .. }
        | ShapeFile::Octree { .. }
        | ShapeFile::HeightField { .. } => {
            return Err(firsttouch::Error::Unsupported { what: "a shape with a file here".into() });
        }
    })
}

/// Reads a mesh file and scales it.
fn read_scaled(files: &Files, body: &BodyFile, path: &Path, scale: DVec3) -> Result<MeshData, Problem> {
    let mut mesh = files.read_mesh(path).map_err(|e| in_body(body, e))?;
    mesh.positions.iter_mut().for_each(|point| *point *= scale);
    Ok(mesh)
}

/// Returns the canonical path of a file, because several paths may lead to one file.
pub(super) fn same_file(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
