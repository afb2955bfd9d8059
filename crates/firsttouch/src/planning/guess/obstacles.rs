//! Obstacles in a form that eight points are compared with at once.
//!
//! 1. Boxes, balls and capsules are boxes swept by a ball; cylinders and half-spaces are as they are.
//! 2. Other convex solids are the intersection of slabs along [`SLABS`] directions.
//! 3. Meshes, clouds, octrees, height fields and compounds keep their hierarchies. Their leaves count as full boxes.
//!
//! A guess may be wrong both ways: slabs and boxes stick out of the shape that they stand for, and a surface has no
//! inside.

use fearless_simd::{Simd, SimdBase, SimdFloat, SimdMask, mask32x8};
use glam::{DMat3, DVec3};
use smallvec::SmallVec;

use super::arm::rounded;
use super::lanes::{Point, dot, minus, splat, splat_all};
use crate::shape::hierarchy::{Hierarchy, NodeBox};
use crate::shape::{Convex, Mesh, Shape};

/// The directions of the slabs about a convex solid, in its own frame: those of the faces and edges of a cube.
const SLABS: usize = 9;

/// A solid, or several under a hierarchy, placed among the arm's lengths.
pub(super) struct Item<'a> {
    /// The place in the list of obstacles.
    pub(super) obstacle: usize,
    center: [f32; 3],
    /// The axes of its frame: the rows of the rotation from the world.
    axes: [[f32; 3]; 3],
    kind: Kind<'a>,
}

/// The shape of an item, in its frame about its centre.
enum Kind<'a> {
    /// Everything within a radius of a box.
    Rounded {
        half: [f32; 3],
        radius: f32,
    },
    /// Along z.
    Cylinder {
        radius: f32,
        half: f32,
    },
    /// Everything with a height along z below zero.
    HalfSpace,
    Slabs(Box<[Slab; SLABS]>),
    Boxes {
        tree: Tree<'a>,
        margin: f32,
        shift: DVec3,
        unit: f64,
    },
}

#[derive(Clone, Copy)]
struct Slab {
    normal: [f32; 3],
    middle: f32,
    half: f32,
}

/// The hierarchy of a shape.
#[derive(Clone, Copy)]
enum Tree<'a> {
    Mesh(&'a Mesh),
    Small(&'a dyn Hierarchy),
}

/// The pose of a shape relative to the base of the robot, and the unit of length of the arm.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) rotation: DMat3,
    /// Relative to the base of the robot, unscaled.
    pub(super) at: DVec3,
    pub(super) unit: f64,
}

impl Frame {
    fn then(&self, rotation: DMat3, translation: DVec3) -> Frame {
        Frame {
            rotation: self.rotation * rotation,
            at: self.at + self.rotation * translation,
            unit: self.unit,
        }
    }

    fn item<'a>(&self, obstacle: usize, center: DVec3, kind: Kind<'a>) -> Item<'a> {
        let center = rounded((self.at + self.rotation * center) * self.unit);
        let axes = [self.rotation.x_axis, self.rotation.y_axis, self.rotation.z_axis].map(rounded);
        Item { obstacle, center, axes, kind }
    }
}

/// Adds the items of a shape.
pub(super) fn add<'a>(items: &mut Vec<Item<'a>>, obstacle: usize, shape: &'a Shape, frame: &Frame) {
    let unit = frame.unit;
    let length = |x: f64| (x * unit) as f32;
    let rounded_box =
        |half: DVec3, radius: f64| Kind::Rounded { half: rounded(half * unit), radius: length(radius) };
    let boxes = |tree: Tree<'a>, margin: f64, center: DVec3| {
        frame.item(obstacle, center, Kind::Boxes { tree, margin: length(margin), shift: center, unit })
    };
    let item = match shape {
        Shape::Box(cuboid) => frame.item(obstacle, DVec3::ZERO, rounded_box(cuboid.half(), 0.0)),
        Shape::Sphere(sphere) => frame.item(obstacle, DVec3::ZERO, rounded_box(DVec3::ZERO, sphere.radius())),
        Shape::Capsule(capsule) => {
            let half = DVec3::Z * (0.5 * capsule.length());
            frame.item(obstacle, DVec3::ZERO, rounded_box(half, capsule.radius()))
        }
        Shape::Cylinder(cylinder) => {
            let kind =
                Kind::Cylinder { radius: length(cylinder.radius()), half: length(0.5 * cylinder.length()) };
            frame.item(obstacle, DVec3::ZERO, kind)
        }
        Shape::HalfSpace(space) => {
            let n = space.normal();
            let (x, y) = n.any_orthonormal_pair();
            let turned = frame.then(DMat3::from_cols(x, y, n), n * space.offset());
            turned.item(obstacle, DVec3::ZERO, Kind::HalfSpace)
        }
        Shape::Mesh(mesh) => boxes(Tree::Mesh(mesh), 0.0, mesh.bounds().0),
        Shape::SolidMesh(solid) => boxes(Tree::Mesh(solid.mesh()), 0.0, solid.mesh().bounds().0),
        Shape::PointCloud(cloud) => boxes(Tree::Small(cloud.as_ref()), cloud.margin(), cloud.bounds().0),
        Shape::Octree(tree) => boxes(Tree::Small(tree.as_ref()), tree.margin(), tree.bounds().0),
        Shape::HeightField(field) => boxes(Tree::Small(field.as_ref()), field.margin(), field.bounds().0),
        Shape::Compound(compound) => {
            for k in 0..compound.len() {
                add_piece(items, obstacle, compound.piece(k), frame);
            }
            return;
        }
        Shape::Ellipsoid(_) | Shape::Hull(_) | Shape::Custom(_) | Shape::Cone(_) => {
            let Some(solid) = shape.as_convex() else { return };
            slabs(obstacle, solid, frame)
        }
    };
    items.push(item);
}

fn add_piece<'a>(items: &mut Vec<Item<'a>>, obstacle: usize, piece: &'a dyn Convex, frame: &Frame) {
    match piece.as_placed() {
        Some(placed) => {
            let placed_frame = frame.then(DMat3::from_quat(placed.rotation()), placed.translation());
            add(items, obstacle, placed.shape(), &placed_frame);
        }
        None => items.push(slabs(obstacle, piece, frame)),
    }
}

fn slabs<'a>(obstacle: usize, solid: &dyn Convex, frame: &Frame) -> Item<'a> {
    let (center, _) = solid.bounds();
    let directions: [DVec3; SLABS] = [
        DVec3::X,
        DVec3::Y,
        DVec3::Z,
        DVec3::new(1.0, 1.0, 0.0),
        DVec3::new(1.0, -1.0, 0.0),
        DVec3::new(1.0, 0.0, 1.0),
        DVec3::new(1.0, 0.0, -1.0),
        DVec3::new(0.0, 1.0, 1.0),
        DVec3::new(0.0, 1.0, -1.0),
    ];
    let found = directions.map(|n| {
        let n = n.normalize();
        let (low, high) = (-solid.extent(-n), solid.extent(n));
        Slab {
            normal: rounded(n),
            middle: ((0.5 * (low + high) - n.dot(center)) * frame.unit) as f32,
            half: (0.5 * (high - low) * frame.unit) as f32,
        }
    });
    frame.item(obstacle, center, Kind::Slabs(Box::new(found)))
}

impl Item<'_> {
    /// Returns the configurations in which a point is within a distance.
    #[inline(always)]
    pub(super) fn within<S: Simd>(&self, simd: S, point: &Point<S>, reach: f32) -> mask32x8<S> {
        let local = turned(simd, &self.axes, &minus(point, &splat_all(simd, self.center)));
        match &self.kind {
            Kind::Rounded { half, radius } => within_box(simd, &local, *half, reach + radius),
            Kind::Cylinder { radius, half } => {
                let zero = splat(simd, 0.0);
                let across = (local[0] * local[0] + local[1] * local[1]).sqrt() - splat(simd, *radius);
                let (across, along) = (across.max(zero), (local[2].abs() - splat(simd, *half)).max(zero)); // not a bound: a guess
                (across * across + along * along).simd_le(splat(simd, reach * reach))
            }
            Kind::HalfSpace => local[2].simd_le(splat(simd, reach)),
            Kind::Slabs(slabs) => {
                let mut highest = splat(simd, f32::NEG_INFINITY);
                for Slab { normal, middle, half } in slabs.iter() {
                    let height = dot(&local, &splat_all(simd, *normal)) - splat(simd, *middle);
                    highest = highest.max(height.abs() - splat(simd, *half)); // not a bound: a guess
                }
                highest.simd_le(splat(simd, reach))
            }
            Kind::Boxes { tree, margin, shift, unit } => {
                tree.within(simd, &local, (*shift, *unit), reach + margin)
            }
        }
    }
}

/// Returns a vector in the frame of these axes.
#[inline(always)]
fn turned<S: Simd>(simd: S, [a, b, c]: &[[f32; 3]; 3], vector: &Point<S>) -> Point<S> {
    [dot(vector, &splat_all(simd, *a)), dot(vector, &splat_all(simd, *b)), dot(vector, &splat_all(simd, *c))]
}

#[inline(always)]
fn within_box<S: Simd>(simd: S, [x, y, z]: &Point<S>, [a, b, c]: [f32; 3], reach: f32) -> mask32x8<S> {
    let zero = splat(simd, 0.0);
    let x = (x.abs() - splat(simd, a)).max(zero); // not a bound: a guess
    let y = (y.abs() - splat(simd, b)).max(zero); // not a bound: a guess
    let z = (z.abs() - splat(simd, c)).max(zero); // not a bound: a guess
    (x * x + y * y + z * z).simd_le(splat(simd, reach * reach))
}

impl Tree<'_> {
    /// Returns the configurations in which a point is within a distance of a leaf. `shift` is the centre of the item in
    /// the frame of the shape.
    #[inline(always)]
    fn within<S: Simd>(
        &self,
        simd: S,
        point: &Point<S>,
        (shift, unit): (DVec3, f64),
        reach: f32,
    ) -> mask32x8<S> {
        let mut found = splat(simd, 1.0).simd_lt(splat(simd, 0.0));
        let mut open: SmallVec<[u32; 64]> = SmallVec::from_slice(&[0]);
        while let Some(node) = open.pop() {
            let (near, children) = match self {
                Tree::Mesh(mesh) => {
                    let node = mesh.tree().node(node);
                    let obb = &node.volume;
                    let center = rounded((obb.center - shift) * unit);
                    let axes = [rounded(obb.axes.x_axis), rounded(obb.axes.y_axis), rounded(obb.axes.z_axis)];
                    let local = turned(simd, &axes, &minus(point, &splat_all(simd, center)));
                    (within_box(simd, &local, rounded(obb.half * unit), reach), node.children())
                }
                Tree::Small(tree) => {
                    let NodeBox { center, half } = tree.node_box(node);
                    let local = minus(point, &splat_all(simd, rounded((center - shift) * unit)));
                    (within_box(simd, &local, rounded(half * unit), reach), tree.children(node))
                }
            };
            if (near & !found).any_true() {
                match children {
                    Some([a, b]) => {
                        open.push(a);
                        open.push(b);
                    }
                    None => found |= near,
                }
            }
        }
        found
    }
}
