//! The statement of a shape.
//!
//! The pieces of a shape are written in the order of a tree over them: each half of a list is divided at its middle,
//! along the longest side of the box around its centres. So a proof divides them by a number.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::pieces::Pieces;
use super::statement::{Place, StatedShape, StatedSolid, Surface};
use crate::deformable::Deformable;
use crate::error::{Error, Result};
use crate::shape::median_split::{halves, longest};
use crate::shape::{Compound, Mesh, Shape};

/// The statement of a mesh as a surface, and as a solid. A mesh keeps one of them.
struct AsSurface(Arc<Pieces>);
struct AsSolid(Arc<Pieces>);

/// Returns the statement of a shape of a body with this name. Meshes keep theirs.
pub(super) fn stated(name: &str, shape: &Shape) -> Result<Arc<Pieces>> {
    Ok(match shape {
        Shape::Mesh(mesh) => {
            let make = || AsSurface(Arc::new(Pieces::of(StatedShape::Surface(surface(mesh, false)))));
            Arc::clone(&mesh.stated(make).0)
        }
        Shape::SolidMesh(solid) => {
            let mesh = solid.mesh();
            let make = || AsSolid(Arc::new(Pieces::of(StatedShape::Surface(surface(mesh, true)))));
            Arc::clone(&mesh.stated(make).0)
        }
        other => Arc::new(Pieces::of(stated_shape(name, other)?)),
    })
}

fn stated_shape(name: &str, shape: &Shape) -> Result<StatedShape> {
    if let Some(solid) = stated_solid(shape) {
        return Ok(StatedShape::Solid(solid));
    }
    Ok(match shape {
        Shape::HalfSpace(shape) => StatedShape::HalfSpace(shape.normal(), shape.offset()),
        Shape::PointCloud(cloud) => {
            let mut points: Vec<DVec3> = cloud.points().map(|(_, point)| point).collect();
            order(&mut points, |point| *point);
            StatedShape::Balls(points, cloud.radius())
        }
        Shape::Octree(tree) => {
            let cell = |cell: usize| {
                let (center, half) = tree.cell_box(cell);
                [center, half]
            };
            let mut boxes: Vec<[DVec3; 2]> = (0..tree.cells().len()).map(cell).collect();
            order(&mut boxes, |one| one[0]);
            StatedShape::Boxes(boxes)
        }
        Shape::Compound(compound) => StatedShape::Compound(stated_compound(name, compound)?),
        Shape::Mesh(mesh) => StatedShape::Surface(surface(mesh, false)),
        Shape::SolidMesh(solid) => StatedShape::Surface(surface(solid.mesh(), true)),
        Shape::HeightField(field) => StatedShape::Surface(surface(&field.to_mesh(), false)),
        Shape::Custom(_)
        | Shape::Box(_)
        | Shape::Sphere(_)
        | Shape::Capsule(_)
        | Shape::Cylinder(_)
        | Shape::Ellipsoid(_)
        | Shape::Hull(_)
        | Shape::Cone(_) => return Err(no_statement(name, "a shape of the user's own")),
    })
}

/// Returns the error for a shape or motion that has no closed form in a certificate.
pub(super) fn no_statement(name: &str, what: &str) -> Error {
    Error::Unsupported { what: format!("a certificate with \"{name}\": {what}") }
}

fn stated_solid(shape: &Shape) -> Option<StatedSolid> {
    Some(match shape {
        Shape::Box(shape) => StatedSolid::Box(shape.half()),
        Shape::Sphere(shape) => StatedSolid::Sphere(shape.radius()),
        Shape::Capsule(shape) => StatedSolid::Capsule([shape.radius(), 0.5 * shape.length()]),
        Shape::Cylinder(shape) => StatedSolid::Cylinder([shape.radius(), 0.5 * shape.length()]),
        Shape::Cone(shape) => StatedSolid::Cone([shape.radius(), 0.5 * shape.length()]),
        Shape::Ellipsoid(shape) => StatedSolid::Ellipsoid(shape.semi_axes()),
        Shape::Hull(shape) => StatedSolid::Hull(shape.vertices().to_vec()),
        _ => return None,
    })
}

fn stated_compound(name: &str, compound: &Arc<Compound>) -> Result<Vec<(Place, StatedSolid)>> {
    let piece = |k: usize| {
        let placed = compound.piece(k).as_placed();
        let solid = placed.and_then(|placed| Some((placed, stated_solid(placed.shape())?)));
        let (placed, solid) = solid.ok_or_else(|| no_statement(name, "a piece of the user's own"))?;
        let place = Place { rotation: placed.rotation(), translation: placed.translation() };
        Ok((place, solid))
    };
    let mut pieces = (0..compound.len()).map(piece).collect::<Result<Vec<_>>>()?;
    order(&mut pieces, |(place, _)| place.translation);
    Ok(pieces)
}

fn surface(mesh: &Mesh, solid: bool) -> Surface {
    let (vertices, mut pieces) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
    order(&mut pieces, |piece| middle(&vertices, piece));
    let counts = [pieces.len(), 0];
    Surface { vertices, to: None, pieces, counts, solid }
}

/// Returns the statement of a deforming mesh.
pub(super) fn deforming(mesh: &Deformable) -> StatedShape {
    let [vertices, to] = [0, 1].map(|end| mesh.frame(end));
    let mut triangles = mesh.triangles().to_vec();
    order(&mut triangles, |piece| middle(&vertices, piece));
    let edges: Vec<[u32; 3]> = mesh.topology.loose_edges.iter().map(|&[a, b]| [a, b, b]).collect();
    let loose: Vec<[u32; 3]> = mesh.topology.loose_points.iter().map(|&point| [point; 3]).collect();
    let counts = [triangles.len(), edges.len()];
    let pieces = [triangles, edges, loose].concat();
    StatedShape::Surface(Surface { vertices, to: Some(to), pieces, counts, solid: false })
}

fn middle(vertices: &[DVec3], piece: &[u32; 3]) -> DVec3 {
    piece.iter().map(|&vertex| vertices[vertex as usize]).sum::<DVec3>() / 3.0
}

/// Puts pieces into the order of a tree: see the header.
pub(super) fn order<P>(pieces: &mut [P], center: impl Fn(&P) -> DVec3 + Copy) {
    let mut open = vec![pieces];
    while let Some(some) = open.pop() {
        if some.len() <= 2 {
            continue;
        }
        let centers = || some.iter().map(center);
        let low = centers().fold(DVec3::INFINITY, DVec3::min); // not a bound: any order is right
        let high = centers().fold(DVec3::NEG_INFINITY, DVec3::max); // not a bound: any order is right
        let axis = longest(high - low);
        let (first, second) = halves(some, |piece| (center(piece)[axis], 0));
        open.push(first);
        open.push(second);
    }
}

impl From<crate::motion::Pose> for Place {
    fn from(pose: crate::motion::Pose) -> Place {
        Place { rotation: pose.rotation(), translation: pose.translation() }
    }
}

/// Returns a place without a rotation.
pub(super) fn at(translation: DVec3) -> Place {
    Place { rotation: DQuat::IDENTITY, translation }
}
