//! Coarse outer bounds of shapes: a solid with few corners around the whole shape, and further solids around its
//! halves, their halves, and so on.
//!
//! 1. The convex hull of a shape lies in a [`RoundedHull`] with few corners.
//! 2. A mesh is cut in the middle of its box, across the longest side. Each half gets a solid of its own, and the
//!    halves are cut again. The halves follow concave parts that the convex hull fills in: the inside of a bent pipe
//!    is far from most of them.
//!
//! 3. A cloud, an octree or a height field has boxes of its own; the upper ones are taken.
//!
//! The tree is in the frame of the shape and is built once. [`CoarseTree::placed`] transforms it to another frame. The halves are
//! built when one of them is needed: they cost much more than the solid around the whole, and most shapes never come
//! so close to another one.
//!
//! Guarantee: every solid contains its part of the shape. The corners of a cut are rounded, and so are corners in
//! another frame; both errors are added to the margins.

use std::sync::{Arc, OnceLock};

use glam::DVec3;
use smallvec::SmallVec;

use super::rounded_hull::{Ball, RoundedHull};
use crate::motion::PoseAt;
use crate::numerics::bound::largest_upper;
use crate::numerics::rounding::UNIT;
use crate::shape::hierarchy::NodeBox;
use crate::shape::{Convex, Mesh, Shape};

/// The most corners of a solid. More corners make a test of two solids more expensive and the margin smaller.
/// Measured on the shared robots, 32 is the best of 16, 32, 48 and 64; the others are within a tenth.
const MOST_CORNERS: usize = 32;

/// A margin of this fraction of the solid's size is small enough.
const ACCURACY: f64 = 2e-3;

/// The same for halves. They are smaller, so a larger fraction is enough.
const HALF_ACCURACY: f64 = 5e-3;

/// Meshes are halved this many times. With fewer, the solids still cover the inside of a bent pipe.
const DEEPEST_HALVES: u32 = 5;

/// Meshes with more triangles than this are halved only twice, because every level goes through all triangles.
const MANY_TRIANGLES: usize = 5_000;

/// The boxes of a cloud are opened this many times: a scanned room then has boxes of a few decimetres.
const DEEPEST_BOXES: u32 = 8;

/// Coarse solids around a shape and its halves. Node 0 is the whole shape.
#[derive(Debug, Clone)]
pub(crate) struct CoarseTree {
    whole: RoundedHull,
    /// Where the tree is if not in the frame of the shape.
    place: Option<Placement>,
    /// All nodes, once the halves were needed.
    nodes: OnceLock<Vec<CoarseNode>>,
}

/// The pose of a frame in another one, and the error of points that it places.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placement {
    pub(crate) pose: PoseAt,
    /// A point at distance `r` from the origin is off by at most `relative · (r + length)`.
    pub(crate) relative: f64,
    pub(crate) length: f64,
}

impl Placement {
    fn place(&self, hull: &RoundedHull) -> RoundedHull {
        hull.placed(&self.pose, self.relative * (hull.reach() + self.length) * (1.0 + 64.0 * UNIT))
    }
}

/// A coarse solid around the whole shape or a part of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CoarseNode {
    pub(crate) hull: RoundedHull,
    /// The first of two consecutive nodes that together contain everything this node contains.
    pub(crate) halves: Option<u32>,
}

impl CoarseTree {
    /// Builds the tree around a shape, in the frame of the shape. A mesh caches its tree.
    pub(crate) fn of_shape(shape: &Shape) -> Arc<CoarseTree> {
        match shape {
            Shape::Mesh(mesh) => mesh.derived(|| CoarseTree::around(&points(mesh.hull().vertices(), 0.0))),
            _ => Arc::new(CoarseTree::around(&balls_of(shape))),
        }
    }

    /// Builds a tree of one node around balls.
    pub(crate) fn around(balls: &[Ball]) -> CoarseTree {
        let (low, high) = box_of(balls.iter().map(|ball| &ball.center));
        let whole = RoundedHull::new(balls, MOST_CORNERS, ACCURACY * (high - low).length());
        CoarseTree { whole, place: None, nodes: OnceLock::new() }
    }

    /// Returns the solid around the whole shape.
    #[inline]
    pub(crate) fn whole(&self) -> &RoundedHull {
        &self.whole
    }

    /// Returns all nodes. The tree must be that of `shape`, if it is that of a shape; halves are built on the first call.
    pub(crate) fn nodes(&self, shape: Option<&Shape>) -> &[CoarseNode] {
        self.nodes.get_or_init(|| {
            let mut nodes = vec![CoarseNode { hull: self.whole.clone(), halves: None }];
            let is_halved =
                |shape: &&Shape| matches!(shape, Shape::Mesh(_)) || shape.as_hierarchy().is_some();
            if let Some(shape) = shape.filter(is_halved) {
                match (&self.place, shape) {
                    (None, Shape::Mesh(mesh)) => halve(mesh, &mut nodes),
                    (None, shape) => open_boxes(shape, &mut nodes),
                    (Some(place), shape) => {
                        let own = CoarseTree::of_shape(shape);
                        let halves = own.nodes(Some(shape)).iter();
                        nodes = halves
                            .map(|node| CoarseNode { hull: place.place(&node.hull), halves: node.halves })
                            .collect();
                    }
                }
            }
            nodes
        })
    }

    /// Returns the tree in another frame, given the place of this frame in it.
    pub(crate) fn placed(&self, place: Placement) -> CoarseTree {
        CoarseTree { whole: place.place(&self.whole), place: Some(place), nodes: OnceLock::new() }
    }
}

/// Adds the halves of the whole, their halves, and so on. The triangles are cut: a machine part has long
/// triangles, so halves made of whole triangles would overlap.
fn halve(mesh: &Mesh, nodes: &mut Vec<CoarseNode>) {
    // A closed surface has half as many corners as triangles. If most of them are on the hull, the hull fills in
    // little.
    if mesh.hull().vertices().len() * 8 > mesh.triangles().len() * 3 {
        return;
    }
    let deepest = if mesh.triangles().len() > MANY_TRIANGLES { 2 } else { DEEPEST_HALVES };
    let corners = |triangle: &[u32; 3]| triangle.map(|v| mesh.vertices()[v as usize]).into_iter().collect();
    let whole: Vec<Polygon> = mesh.triangles().iter().map(corners).collect();
    let reach = reach_of(mesh.vertices());
    let mut open = vec![(0, 0, whole)];
    while let Some((node, depth, polygons)) = open.pop() {
        let (low, high) = box_of(polygons.iter().flatten());
        let sides = high - low;
        let axis = (1..3).fold(0, |best, axis| if sides[axis] > sides[best] { axis } else { best });
        let middle = 0.5 * (low[axis] + high[axis]);
        if depth == deepest || !(low[axis] < middle && middle < high[axis]) {
            continue;
        }
        let first = nodes.len();
        nodes[node].halves = Some(first as u32);
        for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
            let half: Vec<Polygon> =
                polygons.iter().map(|p| cut(p, axis, middle, sign)).filter(|p| !p.is_empty()).collect();
            let mut corners: Vec<DVec3> = half.iter().flatten().copied().collect();
            corners.sort_unstable_by(|p, q| {
                p.x.total_cmp(&q.x).then_with(|| p.y.total_cmp(&q.y)).then_with(|| p.z.total_cmp(&q.z))
            });
            corners.dedup();
            // Every cut adds at most 16 roundings to the coordinates of its new corners.
            let off = 32.0 * UNIT * f64::from(depth + 1) * reach;
            let hull = RoundedHull::new(&points(&corners, off), MOST_CORNERS, HALF_ACCURACY * sides.length());
            nodes.push(CoarseNode { hull, halves: None });
            open.push((first + k, depth + 1, half));
        }
    }
}

/// Adds the upper boxes of a shape that has a hierarchy of boxes.
fn open_boxes(shape: &Shape, nodes: &mut Vec<CoarseNode>) {
    let Some(tree) = shape.as_hierarchy() else { return };
    let margin = tree.margin();
    let mut open = vec![(0_usize, 0_u32, 0_u32)];
    while let Some((index, node, depth)) = open.pop() {
        let Some(children) = tree.children(node).filter(|_| depth < DEEPEST_BOXES) else { continue };
        let first = nodes.len();
        nodes[index].halves = Some(first as u32);
        for (k, child) in children.into_iter().enumerate() {
            let NodeBox { center, half } = tree.node_box(child);
            let mut balls = box_corners(center, half);
            balls.iter_mut().for_each(|ball| ball.radius = (ball.radius + margin).next_up());
            let hull = RoundedHull::new(&balls, MOST_CORNERS, HALF_ACCURACY * half.length());
            nodes.push(CoarseNode { hull, halves: None });
            open.push((first + k, child, depth + 1));
        }
    }
}

/// A triangle, or a part cut from one.
type Polygon = SmallVec<[DVec3; 5]>;

/// Returns the part of a convex polygon on one side of a plane across an axis: below `middle` for sign 1, above it
/// for sign -1. The side of each corner is decided exactly; the corner where an edge crosses the plane is rounded.
fn cut(polygon: &Polygon, axis: usize, middle: f64, sign: f64) -> Polygon {
    let is_inside = |p: &DVec3| sign * p[axis] <= sign * middle;
    let mut part = Polygon::new();
    for (i, p) in polygon.iter().enumerate() {
        let q = &polygon[(i + 1) % polygon.len()];
        if is_inside(p) {
            part.push(*p);
        }
        if is_inside(p) != is_inside(q) {
            let mut crossing = *p + (*q - *p) * ((middle - p[axis]) / (q[axis] - p[axis])).clamp(0.0, 1.0);
            crossing[axis] = middle;
            part.push(crossing);
        }
    }
    part
}

/// About the box of points: it tells where to cut and how coarse a solid may be.
fn box_of<'a>(points: impl Iterator<Item = &'a DVec3>) -> (DVec3, DVec3) {
    let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    points.fold(nothing, |(low, high), p| (low.min(*p), high.max(*p))) // not a bound: it steers
}

fn reach_of(points: &[DVec3]) -> f64 {
    largest_upper(points.iter().map(|point| point.length()))
}

fn points(points: &[DVec3], radius: f64) -> Vec<Ball> {
    points.iter().map(|&center| Ball { center, radius }).collect()
}

/// Returns balls whose convex hull contains a shape, in the frame of the shape.
pub(crate) fn balls_of(shape: &Shape) -> Vec<Ball> {
    match shape {
        Shape::Mesh(mesh) => points(mesh.hull().vertices(), 0.0),
        Shape::Hull(hull) => points(hull.vertices(), 0.0),
        Shape::Sphere(ball) => points(&[DVec3::ZERO], ball.radius()),
        Shape::Capsule(capsule) => {
            let end = DVec3::Z * (0.5 * capsule.length());
            points(&[-end, end], capsule.radius())
        }
        Shape::Cylinder(cylinder) => {
            // A prism with twelve sides around the cylinder. Its corners are at the radius over the cosine of 15
            // degrees, which is 1.03527618041...; the last digit here covers the roundings below.
            let (radius, half) = (cylinder.radius() * 1.035_276_181, 0.5 * cylinder.length());
            let (long, short) = (0.5 * 3.0_f64.sqrt(), 0.5);
            let quarter = [(1.0, 0.0), (long, short), (short, long)];
            let turned = |(x, y): (f64, f64)| [(x, y), (-y, x), (-x, -y), (y, -x)];
            let around = quarter.into_iter().flat_map(turned);
            let ends = around.flat_map(|(x, y)| [-half, half].map(|z| DVec3::new(radius * x, radius * y, z)));
            points(&ends.collect::<Vec<_>>(), 0.0)
        }
        // A ball so large that nothing is ever proven apart from it, and whose square is finite.
        Shape::HalfSpace(_) => points(&[DVec3::ZERO], 1e120),
        // No halves: these would not cover the inside.
        Shape::SolidMesh(solid) => points(solid.mesh().hull().vertices(), 0.0),
        Shape::Box(_)
        | Shape::Ellipsoid(_)
        | Shape::Custom(_)
        | Shape::Compound(_)
        | Shape::Cone(_)
        | Shape::PointCloud(_)
        | Shape::Octree(_)
        | Shape::HeightField(_) => {
            let (center, half) = shape.bounds();
            box_corners(center, half)
        }
    }
}

/// Returns the corners of a box, each as a ball that covers the rounding of its coordinates.
pub(crate) fn box_corners(center: DVec3, half: DVec3) -> Vec<Ball> {
    let radius = 4.0 * UNIT * (center.length() + half.length());
    let corner = |k: u32| {
        let side = |bit: u32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        Ball { center: center + half * DVec3::new(side(0), side(1), side(2)), radius }
    };
    (0..8).map(corner).collect()
}
