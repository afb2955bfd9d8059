//! Surfaces of shapes, as triangles for display.
//!
//! Meshes keep their triangles. Curved solids get enough facets to look round. No decision is based on them.

use std::f64::consts::{PI, TAU};

use firsttouch::shape::{Convex, Shape};
use glam::DVec3;

use crate::MeshData;

/// Facets around a curved solid.
const AROUND: usize = 48;

/// Returns the surface of a shape in its own frame, facing outwards.
///
/// ```
/// let cube = firsttouch::shape::Cuboid::new(glam::DVec3::splat(2.0)).unwrap();
/// assert_eq!(firsttouch_io::surface(&cube.into()).triangles.len(), 12);
/// ```
pub fn surface(shape: &Shape) -> MeshData {
    match shape {
        Shape::Box(solid) => {
            let mut cube = unit_cube();
            cube.positions.iter_mut().for_each(|corner| *corner *= solid.half());
            cube
        }
        Shape::Sphere(solid) => round(|n| solid.radius() * n),
        Shape::Ellipsoid(solid) => round(|n| solid.semi_axes() * n),
        Shape::Capsule(solid) => {
            let (radius, half) = (solid.radius(), 0.5 * solid.length());
            let profile: Vec<_> = arc(-0.5 * PI, radius, -half).chain(arc(0.0, radius, half)).collect();
            turned(&profile)
        }
        Shape::Cylinder(solid) => {
            let (radius, half) = (solid.radius(), 0.5 * solid.length());
            turned(&[(0.0, -half), (radius, -half), (radius, half), (0.0, half)])
        }
        Shape::Hull(solid) => mesh(solid.vertices().to_vec(), solid.faces().to_vec()),
        Shape::Mesh(soup) => mesh(soup.vertices().to_vec(), soup.triangles().to_vec()),
        Shape::Custom(solid) => supported(solid.get()),
        Shape::Compound(solids) => {
            let mut all = MeshData::default();
            for piece in 0..solids.len() {
                append(&mut all, &supported(solids.piece(piece)), |v| v);
            }
            all
        }
        Shape::Cone(solid) => {
            let (radius, half) = (solid.radius(), 0.5 * solid.length());
            turned(&[(0.0, -half), (radius, -half), (0.0, half)])
        }
        Shape::SolidMesh(solid) => mesh(solid.mesh().vertices().to_vec(), solid.mesh().triangles().to_vec()),
        Shape::HeightField(field) => {
            let soup = field.to_mesh();
            mesh(soup.vertices().to_vec(), soup.triangles().to_vec())
        }
        // A half-space is drawn as a square of its plane.
        Shape::HalfSpace(half_space) => {
            let (foot, (u, v)) =
                (half_space.normal() * half_space.offset(), half_space.normal().any_orthonormal_pair());
            let corner = |[a, b]: [f64; 2]| foot + HALF_PLANE * (a * u + b * v);
            let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(corner);
            mesh(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]])
        }
        Shape::PointCloud(cloud) => {
            let mut all = MeshData::default();
            for (_, point) in cloud.points().step_by(cloud.len().div_ceil(MOST_SHOWN)) {
                append(&mut all, &octahedron(), |v| point + cloud.radius() * v);
            }
            all
        }
        Shape::Octree(tree) => {
            let mut all = MeshData::default();
            for cell in (0..tree.cells().len()).step_by(tree.cells().len().div_ceil(MOST_SHOWN)) {
                let (center, half) = tree.cell_box(cell);
                append(&mut all, &unit_cube(), |v| center + half * v);
            }
            all
        }
        // A shape without a surface is not drawn.
        _ => MeshData::default(),
    }
}

/// For larger clouds and octrees only every second piece is drawn, every third, and so on.
const MOST_SHOWN: usize = 20_000;

/// Half the side of the square that stands for a half-space.
const HALF_PLANE: f64 = 10.0;

/// Returns the box from -1 to 1.
fn unit_cube() -> MeshData {
    let corner = |i: u32| {
        let side = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        DVec3::new(side(0), side(1), side(2))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
    mesh((0..8).map(corner).collect(), triangles.collect())
}

/// Returns a small ball, with eight faces.
fn octahedron() -> MeshData {
    let corners = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z].to_vec();
    let faces = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    mesh(corners, faces.to_vec())
}

/// Returns the unit ball.
pub(super) fn unit_ball() -> MeshData {
    round(|n| n)
}

/// Adds a mesh whose vertices are moved by `place`.
pub(super) fn append(all: &mut MeshData, added: &MeshData, place: impl Fn(DVec3) -> DVec3) {
    let first = all.positions.len() as u32;
    all.positions.extend(added.positions.iter().map(|&v| place(v)));
    all.triangles.extend(added.triangles.iter().map(|ids| ids.map(|i| first + i)));
    all.edges.extend(added.edges.iter().map(|ids| ids.map(|i| first + i)));
    all.points.extend(added.points.iter().map(|&i| first + i));
}

fn mesh(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> MeshData {
    MeshData { positions, triangles, ..MeshData::default() }
}

/// Returns a quarter of a circle as a profile: (radius, height).
fn arc(from: f64, radius: f64, shift: f64) -> impl Iterator<Item = (f64, f64)> {
    (0..=AROUND / 4).map(move |i| {
        let angle = from + 0.5 * PI * i as f64 / (AROUND / 4) as f64;
        (radius * angle.cos(), radius * angle.sin() + shift)
    })
}

/// Returns the image of the unit sphere.
fn round(image: impl Fn(DVec3) -> DVec3) -> MeshData {
    let profile: Vec<_> = arc(-0.5 * PI, 1.0, 0.0).chain(arc(0.0, 1.0, 0.0).skip(1)).collect();
    let mut ball = turned(&profile);
    ball.positions.iter_mut().for_each(|n| *n = image(*n));
    ball
}

/// Returns any convex solid, from the points that are farthest along evenly spread directions.
fn supported(solid: &(dyn Convex + Send + Sync)) -> MeshData {
    round(|n| solid.support(n) + solid.margin() * n)
}

/// Returns a profile turned about z.
fn turned(profile: &[(f64, f64)]) -> MeshData {
    let mut vertices = Vec::with_capacity(profile.len() * AROUND);
    for &(radius, height) in profile {
        for j in 0..AROUND {
            let angle = TAU * j as f64 / AROUND as f64;
            vertices.push(DVec3::new(radius * angle.cos(), radius * angle.sin(), height));
        }
    }
    let id = |i: usize, j: usize| (i * AROUND + j % AROUND) as u32;
    let mut triangles = Vec::new();
    for i in 0..profile.len() - 1 {
        for j in 0..AROUND {
            triangles.push([id(i, j), id(i, j + 1), id(i + 1, j + 1)]);
            triangles.push([id(i, j), id(i + 1, j + 1), id(i + 1, j)]);
        }
    }
    mesh(vertices, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use firsttouch::shape::{
        Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Hull, Octree, OctreeCell, PointCloud, Sphere,
    };
    use std::sync::Arc;

    /// Each surface is closed and faces outwards: the signed volume is nearly that of the solid.
    #[test]
    fn surfaces_enclose_their_solids() {
        let corners: Vec<DVec3> =
            (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
        let pieces: Vec<Arc<dyn Convex + Send + Sync>> = vec![Arc::new(Sphere::new(1.0).unwrap())];
        for (shape, volume) in [
            (Shape::from(Cuboid::new(DVec3::new(1.0, 2.0, 3.0)).unwrap()), 6.0),
            (Sphere::new(2.0).unwrap().into(), 32.0 / 3.0 * PI),
            (Ellipsoid::new(DVec3::new(1.0, 2.0, 3.0)).unwrap().into(), 8.0 * PI),
            (Capsule::new(1.0, 3.0).unwrap().into(), (4.0 / 3.0 + 3.0) * PI),
            (Cylinder::new(2.0, 3.0).unwrap().into(), 12.0 * PI),
            (Hull::new(&corners).unwrap().into(), 1.0),
            (Shape::custom(Arc::new(Capsule::new(1.0, 3.0).unwrap())).unwrap(), (4.0 / 3.0 + 3.0) * PI),
            (Shape::compound(pieces).unwrap(), 4.0 / 3.0 * PI),
            (Cone::new(2.0, 3.0).unwrap().into(), 4.0 * PI),
            (Octree::new(0.5, vec![OctreeCell { key: [1, 2, 3], level: 2 }]).unwrap().into(), 8.0),
            (PointCloud::new(vec![DVec3::X * 9.0, DVec3::Y], 0.5).unwrap().into(), 8.0 / 3.0 * 0.125),
        ] {
            let MeshData { positions, triangles, .. } = surface(&shape);
            let at = |i: u32| positions[i as usize];
            let enclosed: f64 =
                triangles.iter().map(|[a, b, c]| at(*a).dot(at(*b).cross(at(*c))) / 6.0).sum();
            assert!((enclosed / volume - 1.0).abs() < 0.02, "{}: {enclosed} for {volume}", shape.kind());
        }
    }
}
