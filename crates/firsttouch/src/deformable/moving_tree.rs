//! A deforming mesh for the tree engine: moving boxes over its triangles, loose edges and loose points.
//!
//! The mesh's own hierarchy tests its features against each other, by volumes over the whole step. Against another
//! body, such as a robot or a rigid mesh, the tree engine needs support functions at an instant instead.
//! 1. The carriers are in the order of the mesh's own tree, which groups close ones. They are split down to single
//!    carriers. Nodes are in depth-first order, the left child directly after its parent.
//! 2. A node has the box around its carriers at time 0 and the one at time 1. Every vertex moves linearly between a
//!    point of the first box and a point of the second. At time t it is therefore in the interpolated box, whose lower
//!    faces are at `low(t) = (1 − t) low_0 + t low_1`; the upper faces are the same for `high`.
//! 3. Along a fixed direction `d` that box extends to `Σ d_k high_k(t)`, or `low_k` where `d_k < 0`. This is linear
//!    in time: its rate is the difference of both ends, and its acceleration is zero.
//!
//! # Rounding
//! A face at `t` has three roundings, a product one, the sum two more: `6u |d_k| |x_k|` per term, and `Σ |d_k| |x_k|`
//! is at most `|d|` times the reach. `EXTENT_ERROR` allows 16. The rate is rounded up by twice as much of the reach.

use std::sync::Arc;

use glam::DVec3;

use crate::answer::{Feature, Part};
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::{UNIT, up};
use crate::pair::piece::MovingTriangle;
use crate::shape::Convex;
use crate::tree::composite::{AnyPiece, Composite, Volume};

use super::hierarchy::Carrier;
use super::mesh::Deformable;

/// The moving boxes of a deforming mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct MovingTree {
    mesh: Arc<Deformable>,
    nodes: Vec<MovingBox>,
    pieces: Vec<Piece>,
}

/// A node: a box whose faces move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovingBox {
    /// The box at time 0 and at time 1.
    low: [DVec3; 2],
    high: [DVec3; 2],
    /// The right child; for a leaf, its piece with the highest bit set.
    right: u32,
}

const LEAF: u32 = 1 << 31;

/// A triangle, a loose edge or a loose point: its vertices by the tree's indices, some repeated.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    carrier: Carrier,
    vertices: [u32; 3],
}

impl MovingTree {
    /// Builds the tree of a mesh between its two frames.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use firsttouch::deformable::{Deformable, MovingTree};
    /// use firsttouch::tree::composite::{Composite, Volume};
    /// use glam::DVec3;
    /// let at = |z: f64| [DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| p + z * DVec3::Z).to_vec();
    /// let mesh = Deformable::new(at(0.0), at(2.0), vec![[0, 1, 2]], vec![], vec![])?;
    /// let tree = MovingTree::new(Arc::new(mesh));
    /// assert_eq!(tree.volume(0).extent_at(DVec3::Z, 0.5), 1.0);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn new(mesh: Arc<Deformable>) -> MovingTree {
        let tree = &mesh.tree;
        let mut pieces = Vec::with_capacity(tree.faces.len());
        for leaf in 0..tree.leaves {
            let range = |start: &[u32]| start[leaf] as usize..start[leaf + 1] as usize;
            for face in &tree.faces[range(&tree.face_start)] {
                pieces.push(Piece { carrier: Carrier::Triangle(face.id), vertices: face.vertices });
            }
            let edges = range(&tree.edge_start);
            for (edge, &carrier) in tree.edges[edges.clone()].iter().zip(&tree.edge_carrier[edges]) {
                let [a, b] = edge.vertices;
                match mesh.topology.carrier(carrier) {
                    // The triangle already covers this edge.
                    Carrier::Triangle(_) => {}
                    carrier => pieces.push(Piece { carrier, vertices: [a, b, b] }),
                }
            }
        }
        let mut nodes = Vec::with_capacity(2 * pieces.len());
        build(&mesh, &pieces, 0..pieces.len(), &mut nodes);
        MovingTree { mesh, nodes, pieces }
    }

    /// Returns the mesh.
    pub fn mesh(&self) -> &Arc<Deformable> {
        &self.mesh
    }

    /// Returns the box around the mesh at all times.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let MovingBox { low, high, .. } = &self.nodes[0];
        (low[0].min(low[1]), high[0].max(high[1]))
    }

    fn node(&self, node: u32) -> &MovingBox {
        &self.nodes[node as usize]
    }

    fn piece_of(&self, leaf: u32) -> &Piece {
        &self.pieces[(self.node(leaf).right & !LEAF) as usize]
    }
}

fn build(mesh: &Deformable, pieces: &[Piece], range: std::ops::Range<usize>, nodes: &mut Vec<MovingBox>) {
    let place = nodes.len();
    let (low, high) = ([DVec3::INFINITY; 2], [DVec3::NEG_INFINITY; 2]);
    nodes.push(MovingBox { low, high, right: LEAF | range.start as u32 });
    if range.len() == 1 {
        let node = &mut nodes[place];
        for (k, frame) in [&mesh.t0, &mesh.t1].into_iter().enumerate() {
            for v in pieces[range.start].vertices {
                node.low[k] = node.low[k].min(frame[v as usize]);
                node.high[k] = node.high[k].max(frame[v as usize]);
            }
        }
        return;
    }
    let middle = range.start + range.len() / 2;
    build(mesh, pieces, range.start..middle, nodes);
    let right = nodes.len();
    build(mesh, pieces, middle..range.end, nodes);
    let (a, b) = (nodes[place + 1], nodes[right]);
    nodes[place] = MovingBox {
        low: [a.low[0].min(b.low[0]), a.low[1].min(b.low[1])],
        high: [a.high[0].max(b.high[0]), a.high[1].max(b.high[1])],
        right: right as u32,
    };
}

impl MovingBox {
    /// Returns the box at `t`.
    #[inline]
    fn at(&self, t: f64) -> (DVec3, DVec3) {
        let between = |ends: &[DVec3; 2]| ends[0] * (1.0 - t) + ends[1] * t;
        (between(&self.low), between(&self.high))
    }

    /// Returns `Σ d_k high_k`, with `low_k` where `d_k < 0`.
    #[inline]
    fn extent(low: DVec3, high: DVec3, direction: DVec3) -> f64 {
        let farther = |k: usize| direction[k] * if direction[k] < 0.0 { low[k] } else { high[k] };
        farther(0) + farther(1) + farther(2)
    }

    /// Returns the same sum for the box at time 0 or at time 1.
    #[inline]
    fn extent_of_end(&self, end: usize, direction: DVec3) -> f64 {
        MovingBox::extent(self.low[end], self.high[end], direction)
    }

    /// Returns the largest distance of the box from the origin. A box interpolated between two others is not larger
    /// than the larger one.
    #[inline]
    fn reach(&self) -> f64 {
        let farthest = |k: usize| self.low[k].abs().max(self.high[k].abs()).length();
        up(upper_max(farthest(0), farthest(1)) * (1.0 + 8.0 * UNIT))
    }
}

impl Composite for MovingTree {
    type Volume<'a> = &'a MovingBox;

    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        let right = self.node(node).right;
        if right & LEAF == 0 { Some([node + 1, right]) } else { None }
    }

    #[inline]
    fn volume(&self, node: u32) -> &MovingBox {
        self.node(node)
    }

    fn piece(&self, leaf: u32) -> AnyPiece<'_> {
        let Piece { carrier, vertices } = *self.piece_of(leaf);
        let corners = |frame: &[DVec3]| vertices.map(|v| frame[v as usize]);
        let ids = vertices.map(|v| self.mesh.tree.vertex_id[v as usize]);
        let (Carrier::Triangle(index) | Carrier::Edge(index) | Carrier::Point(index)) = carrier;
        AnyPiece::Deforming(MovingTriangle::new(corners(&self.mesh.t0), corners(&self.mesh.t1), ids, index))
    }

    fn part(&self, leaf: u32) -> Part {
        match self.piece_of(leaf).carrier {
            Carrier::Triangle(i) => Part::Triangle(i),
            Carrier::Edge(i) => Part::LooseEdge(i),
            Carrier::Point(i) => Part::LoosePoint(i),
        }
    }

    /// Edges have the indices of [`Deformable::edges`].
    fn feature(&self, leaf: u32, feature: Feature) -> Feature {
        let Piece { carrier, vertices } = self.piece_of(leaf);
        let ids = vertices.map(|v| self.mesh.tree.vertex_id[v as usize]);
        let edge = |k: usize| {
            let (a, b) = (ids[k], ids[(k + 1) % 3]);
            let known = self.mesh.edges().binary_search(&[a.min(b), a.max(b)]);
            known.map_or(Feature::Vertex(a), |edge| Feature::Edge(edge as u32))
        };
        match (feature, carrier) {
            (Feature::Vertex(_), _) => feature,
            (Feature::Edge(side), Carrier::Triangle(_)) => edge((side % 3) as usize),
            (Feature::Face(_), Carrier::Triangle(_)) => feature,
            (Feature::Edge(_) | Feature::Face(_), Carrier::Edge(_)) => edge(0),
            (Feature::Edge(_) | Feature::Face(_), Carrier::Point(_)) => Feature::Vertex(ids[0]),
        }
    }

    fn hull(&self) -> Option<&dyn Convex> {
        None
    }
}

impl Volume for &MovingBox {
    fn extent(&self, direction: DVec3) -> f64 {
        upper_max(self.extent_of_end(0, direction), self.extent_of_end(1, direction))
    }

    fn center(&self) -> DVec3 {
        self.center_at(0.5)
    }

    #[inline]
    fn reach(&self) -> f64 {
        MovingBox::reach(self)
    }

    #[inline]
    fn size(&self) -> f64 {
        0.5 * (self.high[0] - self.low[0]).max(self.high[1] - self.low[1]).max_element()
    }

    fn way_out(&self, point: DVec3) -> DVec3 {
        self.way_out_at(point, 0.5)
    }

    #[inline]
    fn extent_at(&self, direction: DVec3, t: f64) -> f64 {
        let (low, high) = self.at(t);
        MovingBox::extent(low, high, direction)
    }

    #[inline]
    fn extent_speed(&self, direction: DVec3, off: f64, _t: f64) -> f64 {
        // A corner of the box moves at most from one side of the origin to the other.
        self.extent_of_end(1, direction) - self.extent_of_end(0, direction)
            + (32.0 * UNIT * direction.length() + 2.0 * off) * MovingBox::reach(self)
    }

    #[inline]
    fn center_at(&self, t: f64) -> DVec3 {
        let (low, high) = self.at(t);
        0.5 * (low + high)
    }

    #[inline]
    fn way_out_at(&self, point: DVec3, t: f64) -> DVec3 {
        let (low, high) = self.at(t);
        point - point.clamp(low, high)
    }
}
