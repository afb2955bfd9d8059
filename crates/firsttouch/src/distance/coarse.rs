//! Coarse outer bounds of shapes: a solid with few corners around the whole shape, and further solids around its
//! halves, quarters, and so on.
//!
//! 1. The convex hull of a shape lies in a [`RoundedHull`] with few corners.
//! 2. A mesh is cut in the middle of its box, across the longest side. Each half gets its own solid, and the halves are
//!    cut again. The halves follow concave parts that the convex hull fills in: the inside of a bent pipe is far from
//!    most parts.
//!
//! 3. A cloud, an octree or a height field has its own boxes; the tree uses the upper ones.
//!
//! The tree is in the frame of the shape and is built once. [`CoarseTree::placed`] transforms it to another frame. The
//! solid around the whole is built at once, every other solid on first use. The other solids cost much more, and most
//! shapes never come close enough to another one to need them. A solid depends only on the shape and on the cuts above
//! it, so its bits do not depend on when it is built.
//!
//! **Guarantee.** Every solid contains its part of the shape, and two halves contain their whole. The corners of a cut
//! are rounded, and so are corners in another frame; both errors are added to the margins.

use std::sync::{Arc, OnceLock};

use glam::DVec3;
use smallvec::SmallVec;

use super::mesh_cuts::{Cut, PartTriangles, corners_within};
use super::rounded_hull::{Ball, RoundedHull};
use crate::motion::PoseAt;
use crate::numerics::bound::largest_upper;
use crate::numerics::rounding::UNIT;
use crate::shape::hierarchy::NodeBox;
use crate::shape::outer_points::outer_points;
use crate::shape::{Convex, Hull, Mesh, Shape, median_split};

/// The most corners of a solid. More corners make a test of two solids more expensive and the margin smaller.
/// Measured on the shared robots, 32 is the best of 16, 32, 48 and 64; the others are within a tenth.
const MOST_CORNERS: usize = 32;

/// The margin that is small enough, as a fraction of the solid's size.
const ACCURACY: f64 = 2e-3;

/// The same fraction for halves. They are smaller, so a larger fraction is enough.
const HALF_ACCURACY: f64 = 5e-3;

/// The number of times that meshes are halved. With fewer, the solids still cover the inside of a bent pipe.
const DEEPEST_HALVES: u32 = 5;

/// The number of triangles above which meshes are halved only twice, because every level processes all triangles.
const MANY_TRIANGLES: usize = 5_000;

/// The number of times that the boxes of a cloud are opened: a scanned room then has boxes of a few decimetres.
const DEEPEST_BOXES: u32 = 8;

/// Coarse solids around a shape and its halves, which follow from the shape and its place. Node 0 is the whole shape;
/// the halves of node `i` are the nodes `2 i + 1` and `2 i + 2`.
#[derive(Debug, Clone)]
pub(crate) struct CoarseTree {
    whole: RoundedHull,
    /// The tree in the frame of the shape and its place, if this tree is in another frame.
    place: Option<(Arc<CoarseTree>, Placement)>,
    /// The vertices of a mesh that may be corners of its hull, in the frame of the mesh; empty in another frame.
    outer: Box<[DVec3]>,
    /// The division of the whole, and the other nodes, computed when a half is first needed.
    parts: OnceLock<Parts>,
}

#[derive(Debug, Clone)]
struct Parts {
    division: Division,
    /// The largest distance from the origin of a corner of a mesh that is cut.
    reach: f64,
    nodes: Box<[OnceLock<CoarseNode>]>,
}

/// The division of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Division {
    Undivided,
    /// A mesh is cut across an axis. `size` is the diagonal of the box that is cut.
    Cut {
        axis: usize,
        middle: f64,
        size: f64,
    },
    /// The children of a node of a hierarchy.
    Boxes([u32; 2]),
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

/// A coarse solid around a part of a shape.
#[derive(Debug, Clone, PartialEq)]
struct CoarseNode {
    hull: RoundedHull,
    division: Division,
    /// The triangles of a part of a mesh that is divided further.
    triangles: Option<PartTriangles>,
}

impl CoarseTree {
    /// Builds the tree around a shape, in the frame of the shape. A mesh caches its tree.
    pub(crate) fn of_shape(shape: &Shape) -> Arc<CoarseTree> {
        match shape {
            Shape::Mesh(mesh) => mesh.derived(|| {
                let all = used_corners(mesh);
                let outer = outer(&all);
                let tree = CoarseTree::around_contents(&points(&outer, 0.0), &points(&all, 0.0));
                CoarseTree { outer: outer.into(), ..tree }
            }),
            _ => Arc::new(CoarseTree::around(&balls_of(shape))),
        }
    }

    /// Builds a tree of one node around balls.
    pub(crate) fn around(balls: &[Ball]) -> CoarseTree {
        CoarseTree::around_contents(balls, balls)
    }

    /// Returns the same tree, for `contents` that lie in the convex hull of `balls`. If there are fewer balls than
    /// contents, this takes less time, and the box of the contents is smaller than that of the balls.
    pub(crate) fn around_contents(balls: &[Ball], contents: &[Ball]) -> CoarseTree {
        let (low, high) = box_of(balls.iter().map(|ball| &ball.center));
        let accuracy = ACCURACY * (high - low).length();
        let whole = RoundedHull::around(balls, contents, MOST_CORNERS, accuracy);
        CoarseTree { whole, place: None, outer: Box::default(), parts: OnceLock::new() }
    }

    /// Returns the solid around the whole shape.
    #[inline]
    pub(crate) fn whole(&self) -> &RoundedHull {
        &self.whole
    }

    /// Returns the solid of a node. A tree of a shape must be the tree of `shape`. The node must be 0 or one of two
    /// halves.
    #[inline]
    pub(crate) fn hull(&self, shape: Option<&Shape>, node: u32) -> &RoundedHull {
        if node == 0 { &self.whole } else { &self.node(shape, node).hull }
    }

    /// Returns the first of the two halves of a node, which together contain the node's part of the shape; `None` if
    /// the node is not divided.
    pub(crate) fn halves(&self, shape: Option<&Shape>, node: u32) -> Option<u32> {
        let division = if node == 0 { self.parts(shape).division } else { self.node(shape, node).division };
        (division != Division::Undivided).then_some(2 * node + 1)
    }

    fn parts(&self, shape: Option<&Shape>) -> &Parts {
        self.parts.get_or_init(|| {
            let (division, deepest) = match (&self.place, shape) {
                (_, None) => (Division::Undivided, 0),
                (Some((own, _)), shape) => {
                    let Parts { division, nodes, .. } = own.parts(shape);
                    let nodes = vec![OnceLock::new(); nodes.len()].into();
                    return Parts { division: *division, reach: 0.0, nodes };
                }
                (None, Some(Shape::Mesh(mesh))) => match deepest_of(mesh, &self.outer) {
                    0 => (Division::Undivided, 0),
                    deepest => {
                        let division = division_of(used_vertices(mesh));
                        let reach = largest_upper(used_vertices(mesh).map(|vertex| vertex.length()));
                        return Parts { division, reach, nodes: empty_nodes(deepest) };
                    }
                },
                (None, Some(shape)) => match shape.as_hierarchy() {
                    None => (Division::Undivided, 0),
                    Some(tree) => (Division::of_boxes(tree.children(0)), DEEPEST_BOXES),
                },
            };
            Parts { division, reach: 0.0, nodes: empty_nodes(deepest) }
        })
    }

    fn node(&self, shape: Option<&Shape>, node: u32) -> &CoarseNode {
        let nodes = &self.parts(shape).nodes;
        nodes[node as usize - 1].get_or_init(|| match (&self.place, shape) {
            (Some((own, place)), _) => {
                let CoarseNode { hull, division, .. } = own.node(shape, node);
                CoarseNode { hull: place.place(hull), division: *division, triangles: None }
            }
            (None, Some(Shape::Mesh(mesh))) => self.half(mesh, node),
            (None, shape) => self.opened_box(shape, node, nodes.len()),
        })
    }

    /// Returns the division of the node above another one, the index of the lower one among its halves, and the depth
    /// of the upper one.
    fn above(&self, shape: Option<&Shape>, node: u32) -> (Division, usize, u32) {
        let parent = (node - 1) / 2;
        let division =
            if parent == 0 { self.parts(shape).division } else { self.node(shape, parent).division };
        (division, (node as usize - 1) % 2, (parent + 1).ilog2())
    }

    /// Returns the tree in another frame, given the place of this frame in it.
    pub(crate) fn placed(self: &Arc<CoarseTree>, place: Placement) -> CoarseTree {
        CoarseTree {
            whole: place.place(&self.whole),
            place: Some((Arc::clone(self), place)),
            outer: Box::default(),
            parts: OnceLock::new(),
        }
    }

    /// Builds a part of a mesh. The triangles are cut: a machine part has long triangles, so halves made of whole
    /// triangles would overlap.
    fn half(&self, mesh: &Arc<Mesh>, node: u32) -> CoarseNode {
        let shape = Shape::Mesh(Arc::clone(mesh));
        let (_, _, depth) = self.above(Some(&shape), node);
        let mut cuts: SmallVec<[Cut; 8]> = SmallVec::new();
        let (mut upper, mut coarseness) = (node, 0.0);
        while upper != 0 {
            if let (Division::Cut { axis, middle, size }, side, _) = self.above(Some(&shape), upper) {
                cuts.push(Cut { axis, middle, sign: if side == 0 { 1.0 } else { -1.0 } });
                coarseness = if upper == node { HALF_ACCURACY * size } else { coarseness };
            }
            upper = (upper - 1) / 2;
        }
        cuts.reverse();
        let parent = (node - 1) / 2;
        let above = if parent == 0 { None } else { self.node(Some(&shape), parent).triangles.as_ref() };
        let triangles = match (above, cuts.last()) {
            (Some(above), Some(last)) => above.divided(mesh, last),
            // The parent is the whole mesh.
            _ => cuts.iter().fold(PartTriangles::all(mesh), |all, cut| all.divided(mesh, cut)),
        };
        let corners = corners_within(mesh, &triangles, &cuts);
        // Every cut adds at most 16 roundings to the coordinates of its new corners.
        let off = 32.0 * UNIT * f64::from(depth + 1) * self.parts(Some(&shape)).reach;
        let (balls, contents) = (points(&outer(&corners), off), points(&corners, off));
        let hull = RoundedHull::around(&balls, &contents, MOST_CORNERS, coarseness);
        let is_deepest = 2 * node as usize + 2 > self.parts(Some(&shape)).nodes.len();
        let division = if is_deepest { Division::Undivided } else { division_of(corners.iter()) };
        CoarseNode { hull, division, triangles: (!is_deepest).then_some(triangles) }
    }

    /// Builds a box of a shape that has a hierarchy of boxes. A shape without a hierarchy has no such nodes.
    fn opened_box(&self, shape: Option<&Shape>, node: u32, nodes: usize) -> CoarseNode {
        let tree = shape.and_then(Shape::as_hierarchy);
        let (Some(tree), (Division::Boxes(children), side, _)) = (tree, self.above(shape, node)) else {
            return CoarseNode { hull: self.whole.clone(), division: Division::Undivided, triangles: None };
        };
        let NodeBox { center, half } = tree.node_box(children[side]);
        let mut balls = box_corners(center, half);
        balls.iter_mut().for_each(|ball| ball.radius = (ball.radius + tree.margin()).next_up());
        let hull = RoundedHull::new(&balls, MOST_CORNERS, HALF_ACCURACY * half.length());
        let is_deepest = 2 * node as usize + 2 > nodes;
        let further = tree.children(children[side]).filter(|_| !is_deepest);
        CoarseNode { hull, division: Division::of_boxes(further), triangles: None }
    }
}

impl Division {
    fn of_boxes(children: Option<[u32; 2]>) -> Division {
        children.map_or(Division::Undivided, Division::Boxes)
    }
}

/// Returns room for all nodes below the whole, down to a depth.
fn empty_nodes(deepest: u32) -> Box<[OnceLock<CoarseNode>]> {
    vec![OnceLock::new(); (2 << deepest) - 2].into()
}

/// Returns the number of times that a mesh is halved, given the vertices that may be corners of its hull.
fn deepest_of(mesh: &Mesh, outer: &[DVec3]) -> u32 {
    // A closed surface has half as many corners as triangles. If most of them are on the hull, the hull fills in
    // little. In most large machine parts too few vertices can be on the hull, and the hull need not be computed.
    let most = mesh.triangles().len() * 3 / 8;
    let is_convex =
        outer.len() > most && Hull::extreme_points(outer).is_ok_and(|corners| corners.len() > most);
    if is_convex {
        0
    } else if mesh.triangles().len() > MANY_TRIANGLES {
        2
    } else {
        DEEPEST_HALVES
    }
}

/// Returns the cut across the longest side of the box around points. Neither half is empty: some points are on the
/// sides of the box.
fn division_of<'a>(points: impl Iterator<Item = &'a DVec3>) -> Division {
    let (low, high) = box_of(points);
    let sides = high - low;
    let axis = median_split::longest(sides);
    let middle = 0.5 * (low[axis] + high[axis]);
    if low[axis] < middle && middle < high[axis] {
        Division::Cut { axis, middle, size: sides.length() }
    } else {
        Division::Undivided
    }
}

/// Returns the box of points, up to rounding: it determines the cut and the accuracy of a solid.
fn box_of<'a>(points: impl Iterator<Item = &'a DVec3>) -> (DVec3, DVec3) {
    let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    points.fold(nothing, |(low, high), p| (low.min(*p), high.max(*p))) // not a bound: steers
}

/// Returns the corners of the triangles. Vertices that no triangle uses do not belong to the surface.
fn used_vertices(mesh: &Mesh) -> impl Iterator<Item = &DVec3> {
    mesh.triangles().iter().flatten().map(|&v| &mesh.vertices()[v as usize])
}

fn points(points: &[DVec3], radius: f64) -> Vec<Ball> {
    points.iter().map(|&center| Ball { center, radius }).collect()
}

/// Returns the vertices of a mesh that belong to triangles, each once.
fn used_corners(mesh: &Mesh) -> Vec<DVec3> {
    corners_within(mesh, &PartTriangles::all(mesh), &[])
}

/// Returns the points that may be corners of their hull. The hull itself would also serve, but costs much more than the
/// coarse solid around all points.
fn outer(points: &[DVec3]) -> Vec<DVec3> {
    outer_points(points).into_iter().map(|i| points[i as usize]).collect()
}

/// Returns balls whose convex hull contains a shape, in the frame of the shape.
pub(crate) fn balls_of(shape: &Shape) -> Vec<Ball> {
    match shape {
        Shape::Mesh(mesh) => points(&used_corners(mesh), 0.0),
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
        // A ball so large that no solid is ever proven apart from it, with a finite square.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Returns a ring of a square section, which its hull fills in.
    fn ring() -> Shape {
        let around = 60;
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for i in 0..around {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / f64::from(around)).sin_cos();
            for (radius, z) in [(1.0, -0.1), (1.2, -0.1), (1.2, 0.1), (1.0, 0.1)] {
                vertices.push(DVec3::new(3.0 + radius * cos, radius * sin, z));
            }
            for k in 0..4 {
                let at = |i: u32, k: u32| 4 * (i % around) + k % 4;
                triangles.push([at(i, k), at(i + 1, k), at(i + 1, k + 1)]);
                triangles.push([at(i, k), at(i + 1, k + 1), at(i, k + 1)]);
            }
        }
        Mesh::new(vertices, triangles).unwrap().into()
    }

    fn contains(hull: &RoundedHull, point: DVec3, directions: &[DVec3]) -> bool {
        directions.iter().all(|&n| n.dot(point) <= hull.extent(n) + 1e-12)
    }

    /// Returns the nodes of one depth.
    fn level(tree: &CoarseTree, shape: &Shape, depth: u32) -> Vec<u32> {
        let mut nodes = vec![0];
        for _ in 0..depth {
            let halves =
                |node: u32| tree.halves(Some(shape), node).map_or(vec![node], |half| vec![half, half + 1]);
            nodes = nodes.into_iter().flat_map(halves).collect();
        }
        nodes
    }

    /// Every point of the surface is in a node of each depth, in the shape's frame and in another frame. The nodes of
    /// the ring do not cover its middle.
    #[test]
    fn nodes_cover_the_surface() {
        let state = &mut 23;
        let shape = ring();
        let Shape::Mesh(mesh) = &shape else { unreachable!() };
        let own = CoarseTree::of_shape(&shape);
        let pose = PoseAt {
            rotation: glam::DMat3::from_rotation_x(0.4) * glam::DMat3::from_rotation_z(1.0),
            translation: DVec3::new(0.1, -2.0, 0.5),
        };
        let placed = own.placed(Placement { pose, relative: 64.0 * UNIT, length: 3.0 });
        let directions: Vec<DVec3> =
            (0..300).map(|_| DVec3::new(unit(state), unit(state), unit(state)).normalize()).collect();
        for depth in 0..=DEEPEST_HALVES {
            let nodes = level(&own, &shape, depth);
            assert_eq!(nodes, level(&placed, &shape, depth));
            assert_eq!(nodes.len(), 1 << depth);
            for _ in 0..200 {
                let triangle = mesh.triangles()[(unit(state).abs() * mesh.triangles().len() as f64) as usize];
                let [a, b, c] = triangle.map(|v| mesh.vertices()[v as usize]);
                let (u, v) = (unit(state).abs(), unit(state).abs());
                let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
                let point = a + (b - a) * u + (c - a) * v;
                let is_in = |tree: &CoarseTree, point: DVec3| {
                    nodes.iter().any(|&node| contains(tree.hull(Some(&shape), node), point, &directions))
                };
                assert!(is_in(&own, point) && is_in(&placed, pose.apply(point)), "depth {depth}");
            }
            let middle = DVec3::X * 3.0;
            let covers = |&node: &u32| contains(own.hull(Some(&shape), node), middle, &directions);
            assert_eq!(nodes.iter().any(covers), depth < 2, "depth {depth}");
        }
    }

    /// The solid around a shape contains all of it, in every direction: also between the corners of the prism around a
    /// cylinder.
    #[test]
    fn solids_contain_their_shapes() {
        use crate::shape::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Hull, Sphere};
        let state = &mut 43;
        let points: Vec<DVec3> = (0..40).map(|_| DVec3::new(unit(state), unit(state), unit(state))).collect();
        let shapes: [Shape; 7] = [
            Cuboid::new(DVec3::new(1.0, 2.0, 0.3)).unwrap().into(),
            Sphere::new(0.7).unwrap().into(),
            Capsule::new(0.3, 2.0).unwrap().into(),
            Cylinder::new(0.8, 0.5).unwrap().into(),
            Cone::new(0.8, 1.5).unwrap().into(),
            Ellipsoid::new(DVec3::new(1.0, 0.2, 0.6)).unwrap().into(),
            Hull::new(&points).unwrap().into(),
        ];
        for shape in shapes {
            let (tree, solid) = (CoarseTree::of_shape(&shape), shape.as_convex().unwrap());
            let around = (0..720).map(|k| {
                let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 720.0).sin_cos();
                DVec3::new(cos, sin, 0.0)
            });
            let anywhere: Vec<DVec3> =
                (0..500).map(|_| DVec3::new(unit(state), unit(state), unit(state)).normalize()).collect();
            for n in around.chain(anywhere) {
                let (own, coarse) = (solid.extent(n), tree.whole().extent(n));
                assert!(coarse >= own - 1e-14, "{}: {n}, {own} {coarse}", shape.kind());
            }
        }
    }

    /// A vertex that no triangle uses, far away. A box around all vertices would be cut at an empty place, and one of
    /// the halves would be empty.
    #[test]
    fn unused_vertices_change_nothing() {
        let shape = ring();
        let Shape::Mesh(mesh) = &shape else { unreachable!() };
        let vertices = mesh.vertices().iter().copied().chain([DVec3::X * 1e3]).collect();
        let with_unused = Mesh::new(vertices, mesh.triangles().to_vec()).unwrap().into();
        let [first, second] = [&shape, &with_unused].map(CoarseTree::of_shape);
        let deepest = level(&first, &shape, DEEPEST_HALVES);
        assert_eq!(deepest, level(&second, &with_unused, DEEPEST_HALVES));
        assert_eq!(first.whole(), second.whole());
        for node in 1..=deepest[deepest.len() - 1] {
            assert_eq!(first.node(Some(&shape), node), second.node(Some(&with_unused), node));
        }
    }

    /// A node has the same bits in every order of building.
    #[test]
    fn the_order_of_building_does_not_matter() {
        let shape = ring();
        let (first, second) = (CoarseTree::of_shape(&shape), CoarseTree::of_shape(&ring()));
        let deepest = level(&first, &shape, DEEPEST_HALVES);
        let other = ring();
        for &node in deepest.iter().rev() {
            second.node(Some(&other), node);
        }
        for node in 1..=deepest[deepest.len() - 1] {
            assert_eq!(first.node(Some(&shape), node), second.node(Some(&other), node));
        }
    }
}
