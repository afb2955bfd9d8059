//! Geometry at rest: the convex solids and the triangle mesh. A shape does not depend on motions or queries.

pub mod capsule;
pub mod convex;
pub mod cuboid;
pub mod cylinder;
pub mod decomposition;
pub mod ellipsoid;
pub mod hull;
pub mod hull_tree;
pub mod mesh;
mod monotone_chain;
mod node_hulls;
pub mod obb_tree;
mod quickhull;
pub mod sphere;
mod sphere_cover;
pub mod sphere_tree;
pub mod triangle;

pub use capsule::Capsule;
pub use convex::Convex;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use ellipsoid::Ellipsoid;
pub use hull::Hull;
pub use hull_tree::HullTree;
pub use mesh::Mesh;
pub use obb_tree::{Obb, ObbTree};
pub use sphere::Sphere;
pub use sphere_tree::SphereTree;
pub use triangle::Triangle;

use std::sync::Arc;

/// Any shape, in its own frame. Meshes and hulls are shared, so that cloning a shape is cheap.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// A solid box.
    Box(Cuboid),
    /// A solid ball.
    Sphere(Sphere),
    /// A solid capsule along z.
    Capsule(Capsule),
    /// A solid cylinder along z.
    Cylinder(Cylinder),
    /// A solid ellipsoid.
    Ellipsoid(Ellipsoid),
    /// The solid convex hull of points.
    Hull(Arc<Hull>),
    /// A triangle soup.
    Mesh(Arc<Mesh>),
}

impl Shape {
    /// Returns the name of the kind, in one word, as in scene files.
    pub fn kind(&self) -> &'static str {
        match self {
            Shape::Box(_) => "box",
            Shape::Sphere(_) => "sphere",
            Shape::Capsule(_) => "capsule",
            Shape::Cylinder(_) => "cylinder",
            Shape::Ellipsoid(_) => "ellipsoid",
            Shape::Hull(_) => "hull",
            Shape::Mesh(_) => "mesh",
        }
    }

    /// Returns the centre of the box around the shape, in its own frame, and half its side lengths, rounded up.
    pub fn bounds(&self) -> (glam::DVec3, glam::DVec3) {
        match self {
            Shape::Mesh(mesh) => mesh.bounds(),
            Shape::Box(shape) => shape.bounds(),
            Shape::Sphere(shape) => shape.bounds(),
            Shape::Capsule(shape) => shape.bounds(),
            Shape::Cylinder(shape) => shape.bounds(),
            Shape::Ellipsoid(shape) => shape.bounds(),
            Shape::Hull(shape) => shape.bounds(),
        }
    }

    /// Returns the shape as a convex solid, if it is one.
    pub fn as_convex(&self) -> Option<&(dyn Convex + Sync)> {
        Some(match self {
            Shape::Box(shape) => shape,
            Shape::Sphere(shape) => shape,
            Shape::Capsule(shape) => shape,
            Shape::Cylinder(shape) => shape,
            Shape::Ellipsoid(shape) => shape,
            Shape::Hull(shape) => shape.as_ref(),
            Shape::Mesh(_) => return None,
        })
    }
}

macro_rules! from_shape {
    ($($shape:ty => $variant:ident),* $(,)?) => {$(
        impl From<$shape> for Shape {
            fn from(shape: $shape) -> Shape {
                Shape::$variant(shape)
            }
        }
    )*};
}

from_shape!(Cuboid => Box, Sphere => Sphere, Capsule => Capsule, Cylinder => Cylinder, Ellipsoid => Ellipsoid, Arc<Mesh> => Mesh, Arc<Hull> => Hull);

impl From<Mesh> for Shape {
    fn from(mesh: Mesh) -> Shape {
        Shape::Mesh(Arc::new(mesh))
    }
}

impl From<Hull> for Shape {
    fn from(hull: Hull) -> Shape {
        Shape::Hull(Arc::new(hull))
    }
}
