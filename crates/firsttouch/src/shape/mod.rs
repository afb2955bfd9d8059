//! Geometry at rest: convex solids, meshes, and shapes of very many small pieces.
//!
//! - [`Convex`] is the interface of a convex solid for the engines: support points for the search, extents for the
//!   proofs. It states the obligations.
//! - [`Shape`] is any of the shapes of this crate, or a convex solid of the user's. The constructors of the single
//!   shapes check their input.
//!
//! A shape does not depend on motions or queries. Meshes and height fields are surfaces; all other shapes are solid.

mod along_z;
mod capsule;
mod compound;
mod cone;
pub(crate) mod convex;
mod cuboid;
mod custom;
mod cylinder;
mod ellipsoid;
mod half_space;
mod height_field;
pub(crate) mod hierarchy;
mod hull;
mod jacobi_lanes;
mod known_solid;
pub(crate) mod local;
mod many_corners;
pub(crate) mod median_split;
mod mesh;
mod monotone_chain;
mod obb;
mod obb_lanes;
mod obb_patch;
mod octree;
pub(crate) mod outer_points;
mod placed;
mod point_cloud;
mod quickhull;
mod solid_mesh;
mod sphere;
mod sphere_cover;
mod support_blocks;
mod triangle;

// The hierarchies over meshes: public for the laboratory and the tests only.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod node_hulls;
#[cfg(not(feature = "internals"))]
mod node_hulls;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod obb_tree;
#[cfg(not(feature = "internals"))]
mod obb_tree;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod sphere_tree;
#[cfg(not(feature = "internals"))]
mod sphere_tree;

pub use capsule::Capsule;
pub use compound::Compound;
pub(crate) use compound::{Content as CompoundContent, Node as CompoundNode};
pub use cone::Cone;
pub use convex::{Convex, EXTENT_ERROR, SURFACE_ERROR};
pub use cuboid::Cuboid;
pub use custom::CustomShape;
pub use cylinder::Cylinder;
pub use ellipsoid::Ellipsoid;
pub use half_space::HalfSpace;
pub use height_field::HeightField;
pub use hull::Hull;
pub(crate) use known_solid::KnownSolid;
pub use mesh::Mesh;
#[doc(hidden)]
pub use obb::Obb;
#[doc(hidden)]
pub use obb_tree::{NodeVolume, ObbTree};
pub use octree::{Octree, OctreeCell};
pub use placed::Placed;
pub use point_cloud::PointCloud;
pub use solid_mesh::{PointPlace, SolidMesh};
pub use sphere::Sphere;
#[doc(hidden)]
pub use sphere_tree::SphereTree;
pub use triangle::Triangle;

use std::sync::Arc;

use crate::error::Result;

/// Any shape, in its own frame. Meshes and hulls are shared, so that cloning a shape is cheap.
///
/// ```
/// use firsttouch::shape::{Cuboid, Shape};
/// use glam::DVec3;
/// let shape = Shape::from(Cuboid::new(DVec3::new(2.0, 4.0, 6.0))?); // full side lengths
/// assert_eq!((shape.kind(), shape.bounds().1), ("box", DVec3::new(1.0, 2.0, 3.0)));
/// # Ok::<(), firsttouch::Error>(())
/// ```
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
    /// A custom convex solid.
    Custom(CustomShape),
    /// Several convex solids that form one shape.
    Compound(Arc<Compound>),
    /// A solid cone along z.
    Cone(Cone),
    /// All points on one side of a plane.
    HalfSpace(HalfSpace),
    /// A closed mesh with its inside.
    SolidMesh(Arc<SolidMesh>),
    /// A ball about each of many points.
    PointCloud(Arc<PointCloud>),
    /// The occupied cells of an octree.
    Octree(Arc<Octree>),
    /// A surface over a grid.
    HeightField(Arc<HeightField>),
}

impl Shape {
    /// Creates a shape from a convex solid of your own. [`Convex`] states its obligations, and
    /// [`check_convex`](crate::testing::check_convex) tests it by sampling. Refuses a solid whose reach, margin or
    /// bounds are negative, NaN or infinite.
    ///
    /// ```
    /// use firsttouch::glam::DVec3;
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::{Convex, Shape, Sphere};
    /// use firsttouch::{Answer, Feature, Options, first_touch, testing::check_convex};
    /// use std::sync::Arc;
    ///
    /// /// The octahedron |x| + |y| + |z| <= 1.
    /// struct Octahedron;
    ///
    /// impl Convex for Octahedron {
    ///     fn support(&self, d: DVec3) -> DVec3 {
    ///         let axis = d.abs().max_position();
    ///         DVec3::AXES[axis] * 1.0_f64.copysign(d[axis])
    ///     }
    ///     fn extent(&self, d: DVec3) -> f64 {
    ///         d.abs().max_element()
    ///     }
    ///     fn reach(&self) -> f64 {
    ///         1.0
    ///     }
    ///     fn bounds(&self) -> (DVec3, DVec3) {
    ///         (DVec3::ZERO, DVec3::ONE)
    ///     }
    ///     fn feature(&self, point: DVec3, _normal: DVec3) -> Feature {
    ///         Feature::Face(point.is_negative_bitmask())
    ///     }
    /// }
    /// assert!(check_convex(&Octahedron, 1).is_ok());
    ///
    /// // A ball of radius 1 falls from z = 10 to z = 0 onto the upper corner at z = 1: they touch when it is at z = 2.
    /// let at = |z: f64| Pose::from_translation(DVec3::Z * z);
    /// let octahedron = Shape::custom(Arc::new(Octahedron))?;
    /// let ball = Sphere::new(1.0)?.into();
    /// let falling = Motion::linear(at(10.0)?, at(0.0)?);
    /// let answer = first_touch((&octahedron, &Motion::AT_REST), (&ball, &falling), &Options::default())?;
    /// let Answer::Touch(touch) = answer else { panic!("they touch") };
    /// assert!(touch.toi <= 0.8 && touch.toi > 0.8 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn custom(solid: Arc<dyn Convex + Send + Sync>) -> Result<Shape> {
        Ok(Shape::Custom(CustomShape::new(solid)?))
    }

    /// Creates a shape from several convex solids that move as one, all in the frame of the shape. They may overlap,
    /// and they need not touch: the space between them is empty. Each must keep the obligations of [`Convex`], as in
    /// [`Shape::custom`]. A touch names the piece by its place in the list: [`Part::Piece`](crate::Part::Piece).
    ///
    /// ```
    /// use firsttouch::glam::DVec3;
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::{Convex, Hull, Shape, Sphere};
    /// use firsttouch::{Answer, Options, Part, first_touch};
    /// use std::sync::Arc;
    /// // Two boards with a gap of 2 between them.
    /// let board = |x: f64| {
    ///     let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|k: i32| {
    ///         DVec3::new(x + f64::from(k & 1), f64::from(k & 2) - 1.0, 0.5 * f64::from(k & 4) - 1.0)
    ///     });
    ///     Hull::new(&corners)
    /// };
    /// let boards: Vec<Arc<dyn Convex + Send + Sync>> = vec![Arc::new(board(-2.0)?), Arc::new(board(1.0)?)];
    /// let boards = Shape::compound(boards)?;
    /// let ball = Sphere::new(0.5)?.into();
    /// let path = |x: f64| -> firsttouch::Result<Motion> {
    ///     let at = |z: f64| Pose::from_translation(DVec3::new(x, 0.0, z));
    ///     Ok(Motion::linear(at(4.0)?, at(-4.0)?))
    /// };
    /// // The ball flies through the gap, and onto the second board, whose top is at z = 1.
    /// let check = |path: &Motion| first_touch((&boards, &Motion::AT_REST), (&ball, path), &Options::default());
    /// assert_eq!(check(&path(0.0)?)?, Answer::Free);
    /// let Answer::Touch(touch) = check(&path(1.5)?)? else { panic!("they touch") };
    /// assert_eq!(touch.parts, [Part::Piece(1), Part::Solid]);
    /// assert!(touch.toi <= 0.3125 && touch.toi > 0.3125 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn compound(pieces: Vec<Arc<dyn Convex + Send + Sync>>) -> Result<Shape> {
        let pieces = pieces.into_iter().map(CustomShape::new).collect::<Result<_>>()?;
        Ok(Shape::Compound(Arc::new(Compound::new(pieces)?)))
    }

    /// Returns the kind, one word, as in scene files.
    pub fn kind(&self) -> &'static str {
        match self {
            Shape::Box(_) => "box",
            Shape::Sphere(_) => "sphere",
            Shape::Capsule(_) => "capsule",
            Shape::Cylinder(_) => "cylinder",
            Shape::Ellipsoid(_) => "ellipsoid",
            Shape::Hull(_) => "hull",
            Shape::Mesh(_) => "mesh",
            Shape::Custom(_) => "custom",
            Shape::Compound(_) => "compound",
            Shape::Cone(_) => "cone",
            Shape::HalfSpace(_) => "half_space",
            Shape::SolidMesh(_) => "solid mesh",
            Shape::PointCloud(_) => "points",
            Shape::Octree(_) => "octree",
            Shape::HeightField(_) => "height_field",
        }
    }

    /// Returns true if the shape has no end, as a half-space. Then its [`Shape::bounds`] are infinite, and robots
    /// cannot carry it.
    pub fn is_unbounded(&self) -> bool {
        matches!(self, Shape::HalfSpace(_))
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
            Shape::Custom(shape) => shape.get().bounds(),
            Shape::Compound(shape) => shape.bounds(),
            Shape::Cone(shape) => shape.bounds(),
            Shape::HalfSpace(_) => (glam::DVec3::ZERO, glam::DVec3::INFINITY),
            Shape::SolidMesh(shape) => shape.mesh().bounds(),
            Shape::PointCloud(shape) => shape.bounds(),
            Shape::Octree(shape) => shape.bounds(),
            Shape::HeightField(shape) => shape.bounds(),
        }
    }

    /// Returns the shape as many small pieces under boxes, if it is of that kind.
    pub(crate) fn as_hierarchy(&self) -> Option<&dyn hierarchy::Hierarchy> {
        match self {
            Shape::PointCloud(cloud) => Some(cloud.as_ref()),
            Shape::Octree(tree) => Some(tree.as_ref()),
            Shape::HeightField(field) => Some(field.as_ref()),
            _ => None,
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
            Shape::Custom(shape) => shape.get(),
            Shape::Cone(shape) => shape,
            Shape::Mesh(_)
            | Shape::Compound(_)
            | Shape::HalfSpace(_)
            | Shape::SolidMesh(_)
            | Shape::PointCloud(_)
            | Shape::Octree(_)
            | Shape::HeightField(_) => return None,
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

from_shape!(Cuboid => Box, Sphere => Sphere, Capsule => Capsule, Cylinder => Cylinder, Ellipsoid => Ellipsoid, Arc<Mesh> => Mesh, Arc<Hull> => Hull,
    Cone => Cone, HalfSpace => HalfSpace, Arc<SolidMesh> => SolidMesh, Arc<PointCloud> => PointCloud, Arc<Octree> => Octree,
    Arc<HeightField> => HeightField);

macro_rules! from_shared {
    ($($shape:ty => $variant:ident),* $(,)?) => {$(
        impl From<$shape> for Shape {
            fn from(shape: $shape) -> Shape {
                Shape::$variant(Arc::new(shape))
            }
        }
    )*};
}

from_shared!(SolidMesh => SolidMesh, PointCloud => PointCloud, Octree => Octree, HeightField => HeightField);

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
