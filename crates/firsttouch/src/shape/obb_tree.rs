//! A hierarchy of oriented boxes over the triangles of a mesh.
//!
//! 1. The box of a node has the axes of the covariance of its triangles' corners, thinnest last. (Areas are not used
//!    as weights: for a soup of slivers it is the corners that must be covered.)
//! 2. The triangles are split into two halves at the median of their centroids along the longest axis.
//! 3. The splitting ends at one triangle per leaf.
//! 4. If the convex hull of a node has few corners, the hull bounds the node instead of the box
//!    ([`ObbTree::extent`]). The box still provides the directions to try.
//!
//! # Why oriented boxes
//! A patch of a smooth surface of size `s` has an oriented box of thickness about `s²`: two such surfaces that touch
//! in one place are separated everywhere else after a constant number of levels. Balls and axis-aligned boxes, of
//! thickness `s`, need ever more nodes. Measured with the tree engine on ten scenes of two bunnies, both rotating
//! (means; the same tree with other volumes; `bench --bin rigid hierarchy`):
//!
//! | volumes | 7,000 triangles: pairs of volumes, of triangles, time | 69,000 triangles |
//! |---|---|---|
//! | oriented boxes | 840, 29, 0.18 ms | 1174, 33, 0.24 ms |
//! | boxes along the body's axes | 1839, 156, 0.50 ms | 3992, 280, 1.5 ms |
//! | segments swept by balls | 2467, 276, 0.74 ms | 5802, 609, 2.6 ms |
//! | balls | 3602, 464, 1.1 ms | 8429, 814, 3.8 ms |
//!
//! In the lower part of the tree, a hull with few corners is tighter than any box and as fast to evaluate. With
//! hulls, the two bodies need 272 pairs of volumes and 8 of triangles, in half the time, and the finer ones 462
//! and 7. Hulls over convex patches instead of halves are no better on the whole; `hull_tree` has the figures.
//!
//! A pair of oriented boxes costs no more than a pair of the other volumes: it needs support functions along a few
//! directions, and the poses of the instant. Wider nodes of axis-aligned boxes would save levels, but not the leaves
//! that such boxes cannot separate.
//!
//! Guarantee: for every direction `n` and every corner `v` of a node's triangles, `n · v` is at most
//! [`Obb::extent`]`(n)`, up to the error stated there. The half sides are enlarged by the rounding of their
//! computation and by the deviation of the axes from orthonormality.

use fearless_simd::{Level, Simd, dispatch};
use glam::{DMat3, DVec3};

use super::median_split;
use super::node_hulls::{HullsBelow, NodeHulls};
use crate::numerics::rounding::{TINY_LENGTH, UNIT};
use crate::parallel;

/// An oriented box in the frame of its mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Obb {
    /// The centre.
    pub center: DVec3,
    /// Unit vectors, up to rounding; the box is longest along the first and thinnest along the last.
    pub axes: DMat3,
    /// Half the side lengths.
    pub half: DVec3,
    /// An upper bound of the distance from the frame's origin to any point around which the box was fitted.
    pub reach: f64,
}

impl Obb {
    /// Returns the largest `direction · x` over the box, for a direction of any length, within
    /// `16 UNIT · |direction| · reach` of the exact value for the box.
    #[inline]
    pub fn extent(&self, direction: DVec3) -> f64 {
        let along = DVec3::new(
            self.axes.x_axis.dot(direction),
            self.axes.y_axis.dot(direction),
            self.axes.z_axis.dot(direction),
        );
        self.center.dot(direction) + self.half.dot(along.abs())
    }

    /// Returns the vector from the closest point of the box to `point`; zero if it is inside.
    #[inline]
    pub fn way_out(&self, point: DVec3) -> DVec3 {
        let from = point - self.center;
        let along =
            DVec3::new(self.axes.x_axis.dot(from), self.axes.y_axis.dot(from), self.axes.z_axis.dot(from));
        self.axes * (along - along.clamp(-self.half, self.half))
    }

    /// A box around points. What it is enlarged by depends on these points alone: an outlier elsewhere in the mesh makes no other box
    /// larger.
    pub fn around(points: &[DVec3]) -> Obb {
        let [axes] = eigenvectors([covariance(points)]);
        Obb::along(axes, points)
    }

    /// The same for two sets of points.
    fn around_both(points: [&[DVec3]; 2]) -> [Obb; 2] {
        let [a, b] = eigenvectors(points.map(covariance));
        [Obb::along(a, points[0]), Obb::along(b, points[1])]
    }

    /// A box around points along these axes.
    fn along(axes: DMat3, points: &[DVec3]) -> Obb {
        let Extents { low, high, squared } = if points.len() <= 4 {
            Extents::new(points, &axes)
        } else {
            dispatch!(Level::new(), simd => Extents::in_lanes(simd, points, &axes))
        };
        let reach = squared.sqrt() * (1.0 + 8.0 * UNIT) + TINY_LENGTH;
        let center = axes * (0.5 * (low + high));
        // Projections are off by 6 roundings of at most the reach, the centre by as many; axes that are orthonormal
        // up to 8 roundings per entry leave a point short by `24u |v - c|` in each direction. The sum is below `64u`
        // of the reach.
        let half = 0.5 * (high - low) + DVec3::splat(64.0 * UNIT * reach);
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| half[j].total_cmp(&half[i]));
        Obb {
            center,
            axes: DMat3::from_cols(axes.col(order[0]), axes.col(order[1]), axes.col(order[2])),
            half: DVec3::new(half[order[0]], half[order[1]], half[order[2]]),
            reach,
        }
    }
}

/// How far finite points reach along three axes, and the largest square of their lengths.
struct Extents {
    low: DVec3,
    high: DVec3,
    squared: f64,
}

impl Extents {
    /// Four points at a time, each in the same steps as alone.
    #[inline(always)]
    fn new(points: &[DVec3], axes: &DMat3) -> Extents {
        let axes = [axes.x_axis, axes.y_axis, axes.z_axis];
        let (mut low, mut high) = ([[f64::INFINITY; 4]; 3], [[f64::NEG_INFINITY; 4]; 3]);
        let mut squared = [0.0_f64; 4];
        // `if` instead of `f64::max` compiles to one instruction. Coordinates are finite, so nothing is NaN.
        let less = |a: f64, b: f64| if a < b { a } else { b };
        let more = |a: f64, b: f64| if a > b { a } else { b };
        for four in points.chunks(4) {
            // Missing ones repeat the last.
            let lane = |i: usize| four[i.min(four.len() - 1)];
            let x: [f64; 4] = std::array::from_fn(|i| lane(i).x);
            let y: [f64; 4] = std::array::from_fn(|i| lane(i).y);
            let z: [f64; 4] = std::array::from_fn(|i| lane(i).z);
            for (k, axis) in axes.iter().enumerate() {
                for i in 0..4 {
                    let along = axis.x * x[i] + axis.y * y[i] + axis.z * z[i];
                    low[k][i] = less(along, low[k][i]);
                    high[k][i] = more(along, high[k][i]);
                }
            }
            for i in 0..4 {
                squared[i] = more(x[i] * x[i] + y[i] * y[i] + z[i] * z[i], squared[i]);
            }
        }
        let least = |of: [f64; 4]| less(less(of[0], of[1]), less(of[2], of[3]));
        let most = |of: [f64; 4]| more(more(of[0], of[1]), more(of[2], of[3]));
        Extents {
            low: DVec3::from_array(low.map(least)),
            high: DVec3::from_array(high.map(most)),
            squared: most(squared),
        }
    }

    /// The same, compiled for every level of vector instructions. All of them compute the same bits: nothing is reordered or fused.
    #[inline(always)]
    fn in_lanes<S: Simd>(_: S, points: &[DVec3], axes: &DMat3) -> Extents {
        Extents::new(points, axes)
    }
}

/// A node: a box, and either two children or a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// The box around its triangles.
    pub volume: Obb,
    /// The index of the first of its two consecutive children; 0, the root, for a leaf.
    children: u32,
    /// The triangle of a leaf.
    triangle: u32,
}

impl Node {
    const EMPTY: Node = Node {
        volume: Obb { center: DVec3::ZERO, axes: DMat3::IDENTITY, half: DVec3::ZERO, reach: 0.0 },
        children: 0,
        triangle: 0,
    };

    /// Returns the two children of an inner node.
    #[inline]
    pub fn children(&self) -> Option<[u32; 2]> {
        if self.children == 0 { None } else { Some([self.children, self.children + 1]) }
    }

    /// Returns the triangle of a leaf.
    #[inline]
    pub fn triangle(&self) -> u32 {
        self.triangle
    }
}

/// The hierarchy. Node 0 is the root.
#[derive(Debug, Clone, PartialEq)]
pub struct ObbTree {
    nodes: Vec<Node>,
    hulls: NodeHulls,
}

impl ObbTree {
    /// Builds the tree over at least one triangle whose indices are in range. The tree is the same with threads and without.
    pub fn new(vertices: &[DVec3], triangles: &[[u32; 3]], parallel: bool) -> ObbTree {
        let corners = |triangle: &[u32; 3]| triangle.map(|v| vertices[v as usize]);
        let centroids = parallel::table(parallel, triangles, DVec3::ZERO, |triangle| {
            corners(triangle).into_iter().sum::<DVec3>() / 3.0
        });
        let growth = Growth { vertices, triangles, centroids: &centroids, parallel };
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut nodes = vec![Node::EMPTY; 2 * triangles.len() - 1];
        let mut ranges = vec![[0, 0]; nodes.len()];
        let mut room = Room::new(triangles.len());
        let (root, below) = nodes.split_first_mut().expect("there is a triangle");
        let (range, ranges_below) = ranges.split_first_mut().expect("there is a triangle");
        root.volume = growth.fit(&order, &mut room);
        let block = Block { node: root, range, below, ranges: ranges_below, first: 1 };
        let mut hulls = HullsBelow::with_room_for(triangles.len());
        growth.grow(&mut order, block, &mut room, &mut hulls);
        ObbTree { nodes, hulls: NodeHulls::new(ranges, hulls) }
    }

    /// Returns an upper bound of `direction · x` over the triangles of a node, for a direction of any length, up to
    /// [`EXTENT_ERROR`](super::convex::EXTENT_ERROR)` · |direction|` times the node's reach. It is that of their hull
    /// if that has few corners, otherwise that of the box.
    #[inline]
    pub fn extent(&self, node: u32, direction: DVec3) -> f64 {
        self.hulls.extent(node, direction).unwrap_or_else(|| self.node(node).volume.extent(direction))
    }

    /// Returns a node.
    #[inline]
    pub fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    /// Returns the number of nodes: twice the number of triangles, less one.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always returns false: a mesh has at least one triangle.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// How a tree grows: depth first, by recursion, which halving keeps shallow.
struct Growth<'a> {
    vertices: &'a [DVec3],
    triangles: &'a [[u32; 3]],
    centroids: &'a [DVec3],
    parallel: bool,
}

/// A node, and what is below it: first its two children, then all below the first child, then all below the second.
struct Block<'a> {
    node: &'a mut Node,
    range: &'a mut [u32; 2],
    below: &'a mut [Node],
    ranges: &'a mut [[u32; 2]],
    /// The number of the first node below.
    first: usize,
}

/// Memory for one thread.
struct Room {
    corners: Vec<DVec3>,
    /// Where each triangle is along the axis of the current node.
    keys: Vec<f64>,
}

impl Room {
    fn new(triangles: usize) -> Room {
        Room { corners: Vec::new(), keys: vec![0.0; triangles] }
    }
}

/// Below this number of triangles, a thread costs more than it saves.
pub(super) const FEW: usize = 4096;

impl Growth<'_> {
    fn fit(&self, members: &[u32], room: &mut Room) -> Obb {
        self.gather(members, room);
        Obb::around(&room.corners)
    }

    /// The boxes of the first members and of the others.
    fn fit_both(&self, members: &[u32], first: usize, room: &mut Room) -> [Obb; 2] {
        self.gather(members, room);
        Obb::around_both(room.corners.split_at(3 * first).into())
    }

    fn gather(&self, members: &[u32], room: &mut Room) {
        room.corners.clear();
        for &member in members {
            room.corners.extend(self.triangles[member as usize].map(|v| self.vertices[v as usize]));
        }
    }

    /// Grows everything below a node with these members. Its own volume is there already.
    fn grow(&self, members: &mut [u32], block: Block<'_>, room: &mut Room, hulls: &mut HullsBelow) {
        let Block { node, range, below, ranges, first } = block;
        if let [single] = members {
            node.triangle = *single;
            *range = hulls.add_triangle(self.vertices, self.triangles[*single as usize]);
            return;
        }
        let axis = node.volume.axes.x_axis;
        for &member in &*members {
            room.keys[member as usize] = self.centroids[member as usize].dot(axis);
        }
        let keys = &room.keys;
        let middle = median_split::halves(members, |&i: &u32| (keys[i as usize], i as usize)).0.len();
        let is_spread = self.parallel && middle >= FEW;
        let volumes = if is_spread { None } else { Some(self.fit_both(members, middle, room)) };
        let (left, right) = members.split_at_mut(middle);
        node.children = first as u32;
        let (pair, below) = below.split_at_mut(2);
        let (pair_ranges, ranges) = ranges.split_at_mut(2);
        let ([node_l, node_r], [range_l, range_r]) = (pair, pair_ranges) else { unreachable!("two and two") };
        if let Some([volume_l, volume_r]) = volumes {
            (node_l.volume, node_r.volume) = (volume_l, volume_r);
        }
        let below_left = 2 * (left.len() - 1);
        let (below_l, below_r) = below.split_at_mut(below_left);
        let (ranges_l, ranges_r) = ranges.split_at_mut(below_left);
        let first_right = first + 2 + below_left;
        let block_l =
            Block { node: node_l, range: range_l, below: below_l, ranges: ranges_l, first: first + 2 };
        let block_r = Block {
            node: node_r,
            range: &mut *range_r,
            below: below_r,
            ranges: &mut *ranges_r,
            first: first_right,
        };
        if is_spread {
            let grow = |members: &mut [u32], block: Block<'_>, room: &mut Room, hulls: &mut HullsBelow| {
                block.node.volume = self.fit(members, room);
                self.grow(members, block, room, hulls);
            };
            let mut other_room = Room::new(self.triangles.len());
            let mut other_hulls = HullsBelow::with_room_for(right.len());
            parallel::join(
                true,
                || grow(left, block_l, room, hulls),
                || grow(right, block_r, &mut other_room, &mut other_hulls),
            );
            let moved = hulls.append(other_hulls);
            for [from, to] in std::iter::once(range_r).chain(ranges_r).filter(|[from, to]| from != to) {
                (*from, *to) = (*from + moved, *to + moved);
            }
        } else {
            self.grow(left, block_l, room, hulls);
            self.grow(right, block_r, room, hulls);
        }
        *range = hulls.add_parent(self.vertices);
    }
}

/// Returns the sums of the products of coordinates, from the mean on: xx, xy, xz, yy, yz, zz.
fn covariance(points: &[DVec3]) -> [f64; 6] {
    let (mut count, mut mean) = (0.0, DVec3::ZERO);
    for &point in points {
        count += 1.0;
        mean += point;
    }
    mean /= count;
    let mut sums = [0.0_f64; 6];
    for &point in points {
        let d = point - mean;
        let products = [d.x * d.x, d.x * d.y, d.x * d.z, d.y * d.y, d.y * d.z, d.z * d.z];
        sums = std::array::from_fn(|i| sums[i] + products[i]);
    }
    sums
}

/// Returns the eigenvectors of symmetric matrices, each as columns of a rotation, by Jacobi's method. They are computed side by side, each in
/// the same steps as alone: quotients and square roots take the most time, and vector instructions do two of them at once.
fn eigenvectors<const N: usize>(matrices: [[f64; 6]; N]) -> [DMat3; N] {
    let lanes = |of: fn(&[f64; 6]) -> f64| -> [f64; N] { std::array::from_fn(|i| of(&matrices[i])) };
    let none = [0.0; N];
    // The upper half of each matrix.
    let mut m = [
        [lanes(|m| m[0]), lanes(|m| m[1]), lanes(|m| m[2])],
        [none, lanes(|m| m[3]), lanes(|m| m[4])],
        [none, none, lanes(|m| m[5])],
    ];
    // By coordinate, axis and matrix.
    let mut axes = [[none; 3]; 3];
    for (i, of_axes) in axes.iter_mut().enumerate() {
        of_axes[i] = [1.0; N];
    }
    let mut is_open = [true; N];
    for _ in 0..12 {
        for i in 0..N {
            let off = m[0][1][i].abs() + m[0][2][i].abs() + m[1][2][i].abs();
            let is_diagonal = off <= 1e-14 * (m[0][0][i] + m[1][1][i] + m[2][2][i]);
            is_open[i] &= !is_diagonal;
        }
        if is_open == [false; N] {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let r = 3 - p - q;
            let at = |i: usize, j: usize| (i.min(j), i.max(j));
            let (rp, rq) = (at(r, p), at(r, q));
            let (mpp, mqq, mpq) = (m[p][p], m[q][q], m[p][q]);
            let (mrp, mrq) = (m[rp.0][rp.1], m[rq.0][rq.1]);
            let (mut c, mut s, mut t) = (none, none, none);
            for i in 0..N {
                let theta = (mqq[i] - mpp[i]) / (2.0 * mpq[i]);
                t[i] = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
                c[i] = 1.0 / (t[i] * t[i] + 1.0).sqrt();
                s[i] = t[i] * c[i];
            }
            let turns: [bool; N] = std::array::from_fn(|i| is_open[i] && mpq[i] != 0.0);
            let chosen = |new: f64, old: f64, i: usize| if turns[i] { new } else { old };
            for i in 0..N {
                m[p][p][i] = chosen(mpp[i] - t[i] * mpq[i], mpp[i], i);
                m[q][q][i] = chosen(mqq[i] + t[i] * mpq[i], mqq[i], i);
                m[p][q][i] = chosen(0.0, mpq[i], i);
                m[rp.0][rp.1][i] = chosen(c[i] * mrp[i] - s[i] * mrq[i], mrp[i], i);
                m[rq.0][rq.1][i] = chosen(s[i] * mrp[i] + c[i] * mrq[i], mrq[i], i);
            }
            for of_axes in &mut axes {
                let (ap, aq) = (of_axes[p], of_axes[q]);
                for i in 0..N {
                    of_axes[p][i] = chosen(ap[i] * c[i] - aq[i] * s[i], ap[i], i);
                    of_axes[q][i] = chosen(ap[i] * s[i] + aq[i] * c[i], aq[i], i);
                }
            }
        }
    }
    // Orthonormal to the last bits, whatever the result of the iteration; the axes of the frame if it failed.
    std::array::from_fn(|i| {
        let [first, second] =
            [0, 1].map(|axis| DVec3::new(axes[0][axis][i], axes[1][axis][i], axes[2][axis][i]));
        let x = first.normalize_or(DVec3::X);
        let y = (second - x * x.dot(second)).normalize_or(x.any_orthonormal_vector());
        let z = x.cross(y);
        if x.is_finite() && y.is_finite() { DMat3::from_cols(x, y, z) } else { DMat3::IDENTITY }
    })
}
