//! The shapes of a statement, with trees over their pieces.
//!
//! The pieces are written in the order of a tree: a range is divided in its middle. Node `k` has the children `2k`
//! and `2k + 1`, the root is 1. Each has a box, the largest distance of its points from the origin, and how far they
//! move. A support is found by going down to the boxes that reach the furthest.

use glam::{DMat3, DVec3};

use super::statement::{StatedShape, StatedSolid, Surface};
use crate::answer::Feature;
use crate::shape::Convex;

/// Ranges of this many pieces have no boxes below them.
const LEAF: usize = 8;

/// Some pieces of a shape: a range, and its node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pick {
    pub(super) start: usize,
    pub(super) end: usize,
    node: usize,
}

impl Pick {
    pub(super) fn len(&self) -> usize {
        self.end - self.start
    }

    pub(super) fn middle(&self) -> usize {
        self.start + self.len() / 2
    }

    pub(super) fn halves(&self) -> [Pick; 2] {
        let Pick { start, end, node } = *self;
        let middle = self.middle();
        [Pick { start, end: middle, node: 2 * node }, Pick { start: middle, end, node: 2 * node + 1 }]
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    /// Corners of the box at time 0 and at time 1; the same unless vertices move.
    corners: [[DVec3; 2]; 2],
    reach: f64,
    moved: f64,
}

impl Node {
    const NONE: Node = Node { corners: [[DVec3::INFINITY, DVec3::NEG_INFINITY]; 2], reach: 0.0, moved: 0.0 };

    fn with(&self, other: &Node) -> Node {
        let corner = |end: usize| {
            let [[a, b], [c, d]] = [self.corners[end], other.corners[end]];
            [a.min(c), b.max(d)]
        };
        Node {
            corners: [corner(0), corner(1)],
            reach: f64::max(self.reach, other.reach),
            moved: f64::max(self.moved, other.moved),
        }
    }

    fn support(&self, u: DVec3, t: f64) -> f64 {
        let of = |[low, high]: [DVec3; 2]| 0.5 * (u.dot(low + high) + u.abs().dot(high - low));
        let [at_start, at_end] = self.corners.map(of);
        at_start * (1.0 - t) + at_end * t
    }
}

/// A shape and the tree over its pieces.
#[derive(Debug, PartialEq)]
pub(crate) struct Pieces {
    pub(super) shape: StatedShape,
    nodes: Vec<Node>,
    /// The centre of the box around all, and half its sides; infinite for a half-space.
    pub(super) bounds: [DVec3; 2],
}

/// Returns the farthest point of a solid along a direction, of its core if it has a margin.
fn solid_support(solid: &StatedSolid, u: DVec3) -> DVec3 {
    let across = DVec3::new(u.x, u.y, 0.0).normalize_or_zero();
    match solid {
        StatedSolid::Box(half) => half.copysign(u),
        StatedSolid::Ellipsoid(axes) => *axes * (*axes * u).normalize_or_zero(),
        StatedSolid::Sphere(_) => DVec3::ZERO,
        StatedSolid::Capsule([_, h]) => DVec3::Z * h.copysign(u.z),
        StatedSolid::Cylinder([r, h]) => across * *r + DVec3::Z * h.copysign(u.z),
        StatedSolid::Cone([r, h]) => {
            let base = across * *r - DVec3::Z * *h;
            if h * u.z >= u.dot(base) { DVec3::Z * *h } else { base }
        }
        StatedSolid::Hull(points) => farthest(points.iter().copied(), u),
    }
}

fn farthest(points: impl Iterator<Item = DVec3>, u: DVec3) -> DVec3 {
    let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
    for point in points {
        let along = u.dot(point);
        if along > best.0 {
            best = (along, point);
        }
    }
    best.1
}

fn margin(solid: &StatedSolid) -> f64 {
    match solid {
        StatedSolid::Sphere(r) | StatedSolid::Capsule([r, _]) => *r,
        _ => 0.0,
    }
}

fn solid_reach(solid: &StatedSolid) -> f64 {
    match solid {
        StatedSolid::Box(half) => half.length(),
        StatedSolid::Ellipsoid(axes) => axes.max_element(),
        StatedSolid::Sphere(r) => *r,
        StatedSolid::Capsule([r, h]) => r + h,
        StatedSolid::Cylinder([r, h]) | StatedSolid::Cone([r, h]) => (r * r + h * h).sqrt(),
        StatedSolid::Hull(points) => points.iter().fold(0.0, |most: f64, point| most.max(point.length())),
    }
}

fn solid_bounds(solid: &StatedSolid) -> [DVec3; 2] {
    match solid {
        StatedSolid::Box(half) => [DVec3::ZERO, *half],
        StatedSolid::Ellipsoid(axes) => [DVec3::ZERO, *axes],
        StatedSolid::Sphere(r) => [DVec3::ZERO, DVec3::splat(*r)],
        StatedSolid::Capsule([r, h]) => [DVec3::ZERO, DVec3::new(*r, *r, r + h)],
        StatedSolid::Cylinder([r, h]) | StatedSolid::Cone([r, h]) => [DVec3::ZERO, DVec3::new(*r, *r, *h)],
        StatedSolid::Hull(points) => {
            let low = points.iter().fold(DVec3::INFINITY, |low, point| low.min(*point));
            let high = points.iter().fold(DVec3::NEG_INFINITY, |high, point| high.max(*point));
            [0.5 * (low + high), 0.5 * (high - low)]
        }
    }
}

impl Pieces {
    pub(super) fn of(shape: StatedShape) -> Pieces {
        let mut pieces = Pieces { shape, nodes: Vec::new(), bounds: [DVec3::ZERO, DVec3::INFINITY] };
        match &pieces.shape {
            StatedShape::HalfSpace(..) => {}
            StatedShape::Solid(solid) => pieces.bounds = solid_bounds(solid),
            _ => {
                pieces.nodes = vec![Node::NONE; 2 * (pieces.all().len() / LEAF + 1).next_power_of_two() * 2];
                let root = pieces.build(pieces.all());
                let corners = [0, 1].map(|end| root.corners[end]);
                let (low, high) = (corners[0][0].min(corners[1][0]), corners[0][1].max(corners[1][1]));
                pieces.bounds = [0.5 * (low + high), 0.5 * (high - low)];
            }
        }
        pieces
    }

    pub(super) fn all(&self) -> Pick {
        let len = match &self.shape {
            StatedShape::Solid(_) | StatedShape::HalfSpace(..) => 1,
            StatedShape::Balls(points, _) => points.len(),
            StatedShape::Boxes(boxes) => boxes.len(),
            StatedShape::Compound(solids) => solids.len(),
            StatedShape::Surface(surface) => surface.pieces.len(),
        };
        Pick { start: 0, end: len, node: 1 }
    }

    pub(super) fn half_space(&self) -> Option<(DVec3, f64)> {
        if let StatedShape::HalfSpace(normal, offset) = &self.shape { Some((*normal, *offset)) } else { None }
    }

    pub(super) fn is_solid_mesh(&self) -> bool {
        matches!(&self.shape, StatedShape::Surface(Surface { solid: true, .. }))
    }

    fn build(&mut self, some: Pick) -> Node {
        let node = if some.len() <= LEAF {
            (some.start..some.end).fold(Node::NONE, |all, piece| all.with(&self.piece(piece)))
        } else {
            let [a, b] = some.halves();
            let (a, b) = (self.build(a), self.build(b));
            a.with(&b)
        };
        if let Some(place) = self.nodes.get_mut(some.node) {
            *place = node;
        }
        node
    }

    fn piece(&self, piece: usize) -> Node {
        let still = |[center, half]: [DVec3; 2], reach: f64| Node {
            corners: [[center - half, center + half]; 2],
            reach,
            moved: 0.0,
        };
        match &self.shape {
            StatedShape::Solid(_) | StatedShape::HalfSpace(..) => Node::NONE,
            StatedShape::Balls(points, r) => still([points[piece], DVec3::ZERO], points[piece].length() + r),
            StatedShape::Boxes(boxes) => {
                let [center, half] = boxes[piece];
                still(boxes[piece], center.length() + half.length())
            }
            StatedShape::Compound(solids) => {
                let (place, solid) = &solids[piece];
                let [center, half] = solid_bounds(solid);
                let turn = DMat3::from_quat(place.rotation);
                let half =
                    turn.x_axis.abs() * half.x + turn.y_axis.abs() * half.y + turn.z_axis.abs() * half.z;
                still(
                    [turn * center + place.translation, half],
                    place.translation.length() + solid_reach(solid),
                )
            }
            StatedShape::Surface(surface) => {
                let to = surface.to.as_ref().unwrap_or(&surface.vertices);
                surface.pieces[piece].iter().fold(Node::NONE, |all, &vertex| {
                    let [a, b] = [surface.vertices[vertex as usize], to[vertex as usize]];
                    let reach = a.length().max(b.length());
                    all.with(&Node { corners: [[a; 2], [b; 2]], reach, moved: a.distance(b) })
                })
            }
        }
    }

    fn summed(&self, some: Pick) -> Node {
        match self.nodes.get(some.node) {
            Some(node) if some.len() > LEAF => *node,
            _ => (some.start..some.end).fold(Node::NONE, |all, piece| all.with(&self.piece(piece))),
        }
    }

    /// Returns the largest distance of points of some pieces from the origin, and how far they move in all.
    pub(super) fn sizes(&self, some: Pick) -> [f64; 2] {
        if let StatedShape::Solid(solid) = &self.shape {
            return [solid_reach(solid), 0.0];
        }
        let node = self.summed(some);
        [node.reach, node.moved]
    }

    /// Returns the diagonal of the box around some pieces.
    pub(super) fn extent(&self, some: Pick) -> f64 {
        match &self.shape {
            StatedShape::Solid(_) | StatedShape::HalfSpace(..) => 2.0 * self.bounds[1].length(),
            _ => {
                let [low, high] = self.summed(some).corners[0];
                (high - low).length()
            }
        }
    }

    /// Returns the radius of the ball that sweeps the core.
    pub(super) fn margin(&self) -> f64 {
        match &self.shape {
            StatedShape::Solid(solid) => margin(solid),
            StatedShape::Balls(_, radius) => *radius,
            _ => 0.0,
        }
    }

    /// Returns the farthest point of the core of some pieces at a time.
    pub(super) fn support(&self, some: Pick, u: DVec3, t: f64) -> DVec3 {
        if let StatedShape::Solid(solid) = &self.shape {
            return solid_support(solid, u);
        }
        let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
        self.search(some, u, t, &mut best);
        best.1
    }

    fn search(&self, some: Pick, u: DVec3, t: f64, best: &mut (f64, DVec3)) {
        if some.len() <= LEAF {
            for piece in some.start..some.end {
                let point = self.piece_support(piece, u, t);
                let along = u.dot(point);
                if along > best.0 {
                    *best = (along, point);
                }
            }
            return;
        }
        let halves = some.halves();
        // Small halves have no node.
        let bound = |half: Pick| match self.nodes.get(half.node) {
            Some(node) if half.len() > LEAF => node.support(u, t),
            _ => f64::INFINITY,
        };
        let [a, b] = halves.map(bound);
        let order = if b > a { [(b, halves[1]), (a, halves[0])] } else { [(a, halves[0]), (b, halves[1])] };
        for (bound, half) in order {
            if bound > best.0 {
                self.search(half, u, t, best);
            }
        }
    }

    fn piece_support(&self, piece: usize, u: DVec3, t: f64) -> DVec3 {
        match &self.shape {
            StatedShape::Solid(_) | StatedShape::HalfSpace(..) => DVec3::ZERO,
            StatedShape::Balls(points, _) => points[piece],
            StatedShape::Boxes(boxes) => boxes[piece][0] + boxes[piece][1].copysign(u),
            StatedShape::Compound(solids) => {
                let (place, solid) = &solids[piece];
                let own = place.rotation.inverse() * u;
                let margin = own.normalize_or_zero() * margin(solid);
                place.rotation * (solid_support(solid, own) + margin) + place.translation
            }
            StatedShape::Surface(Surface { vertices, to, pieces, .. }) => {
                let at = |&vertex: &u32| match to {
                    None => vertices[vertex as usize],
                    Some(to) => vertices[vertex as usize].lerp(to[vertex as usize], t),
                };
                farthest(pieces[piece].iter().map(at), u)
            }
        }
    }
}

/// The hull of some pieces at a time, for the search of closest points.
pub(super) struct HullOf<'a> {
    pub(super) pieces: &'a Pieces,
    pub(super) some: Pick,
    pub(super) t: f64,
    /// True if its core is swept by a ball. A frame that changes shapes also changes the shape of balls.
    pub(super) has_margin: bool,
}

impl Convex for HullOf<'_> {
    fn support(&self, direction: DVec3) -> DVec3 {
        let core = self.pieces.support(self.some, direction, self.t);
        if self.has_margin { core } else { core + self.pieces.margin() * direction.normalize_or_zero() }
    }
    fn extent(&self, direction: DVec3) -> f64 {
        direction.dot(self.support(direction)) + self.margin() * direction.length()
    }
    fn margin(&self) -> f64 {
        if self.has_margin { self.pieces.margin() } else { 0.0 }
    }
    fn reach(&self) -> f64 {
        self.pieces.sizes(self.some)[0]
    }
    fn bounds(&self) -> (DVec3, DVec3) {
        (self.pieces.bounds[0], self.pieces.bounds[1])
    }
    fn feature(&self, _point: DVec3, _normal: DVec3) -> Feature {
        Feature::Vertex(0)
    }
}
