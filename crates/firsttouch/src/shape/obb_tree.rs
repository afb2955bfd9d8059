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

use glam::{DMat3, DVec3};

use super::median_split;
use super::node_hulls::{Below, NodeHulls};
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::{TINY_LENGTH, UNIT};

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
    pub fn around(points: impl Iterator<Item = DVec3> + Clone) -> Obb {
        let axes = principal_axes(points.clone());
        let (mut low, mut high, mut reach) = (DVec3::INFINITY, DVec3::NEG_INFINITY, 0.0_f64);
        for point in points {
            let along = DVec3::new(axes.x_axis.dot(point), axes.y_axis.dot(point), axes.z_axis.dot(point));
            low = low.min(along);
            high = high.max(along);
            reach = upper_max(reach, point.length_squared());
        }
        let reach = reach.sqrt() * (1.0 + 8.0 * UNIT) + TINY_LENGTH;
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
    /// Builds the tree over at least one triangle whose indices are in range.
    pub fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> ObbTree {
        let corners = |i: u32| triangles[i as usize].map(|v| vertices[v as usize]);
        let centroids: Vec<DVec3> =
            (0..triangles.len() as u32).map(|i| corners(i).into_iter().sum::<DVec3>() / 3.0).collect();
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let fit = |members: &[u32]| Obb::around(members.iter().flat_map(|&i| corners(i)));
        let mut nodes = Vec::with_capacity(2 * triangles.len());
        nodes.push(Node { volume: fit(&order), children: 0, triangle: 0 });
        median_split::grow(&mut order, |node, members, first| {
            if let [single] = members {
                nodes[node].triangle = *single;
                return None;
            }
            let axis = nodes[node].volume.axes.x_axis;
            let along = |&i: &u32| (centroids[i as usize].dot(axis), i as usize);
            let (left, right) = median_split::halves(members, along);
            nodes[node].children = first as u32;
            nodes.push(Node { volume: fit(left), children: 0, triangle: 0 });
            nodes.push(Node { volume: fit(right), children: 0, triangle: 0 });
            Some(left.len())
        });
        let below = |index: u32| {
            let node = &nodes[index as usize];
            node.children().map_or(Below::Triangle(node.triangle), Below::Children)
        };
        let hulls = NodeHulls::new(vertices, triangles, nodes.len(), below);
        ObbTree { nodes, hulls }
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

/// Returns the eigenvectors of the points' covariance, as columns of a rotation, by Jacobi's method.
fn principal_axes(points: impl Iterator<Item = DVec3> + Clone) -> DMat3 {
    let (mut count, mut mean) = (0.0, DVec3::ZERO);
    for point in points.clone() {
        count += 1.0;
        mean += point;
    }
    mean /= count;
    let mut m = [[0.0_f64; 3]; 3];
    for point in points {
        let d = (point - mean).to_array();
        for i in 0..3 {
            for j in i..3 {
                m[i][j] += d[i] * d[j];
            }
        }
    }
    let mut axes = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..12 {
        let off = m[0][1].abs() + m[0][2].abs() + m[1][2].abs();
        if off <= 1e-14 * (m[0][0] + m[1][1] + m[2][2]) {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            let r = 3 - p - q;
            let at = |i: usize, j: usize| (i.min(j), i.max(j));
            let (rp, rq) = (at(r, p), at(r, q));
            let (mrp, mrq, mpq) = (m[rp.0][rp.1], m[rq.0][rq.1], m[p][q]);
            m[p][p] -= t * mpq;
            m[q][q] += t * mpq;
            m[p][q] = 0.0;
            m[rp.0][rp.1] = c * mrp - s * mrq;
            m[rq.0][rq.1] = s * mrp + c * mrq;
            (axes[p], axes[q]) = (axes[p] * c - axes[q] * s, axes[p] * s + axes[q] * c);
        }
    }
    // Orthonormal to the last bits, whatever the result of the iteration; the axes of the frame if it failed.
    let x = axes[0].normalize_or(DVec3::X);
    let y = (axes[1] - x * x.dot(axes[1])).normalize_or(x.any_orthonormal_vector());
    let z = x.cross(y);
    if x.is_finite() && y.is_finite() { DMat3::from_cols(x, y, z) } else { DMat3::IDENTITY }
}
