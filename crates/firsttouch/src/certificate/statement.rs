//! A statement: shapes, frames, parts and rules about pairs, as a certificate writes them.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::pieces::Pieces;

/// Everything that a certificate claims, except the time until which it holds.
///
/// It is made from a world, and describes that world in numbers. `to_string` returns the lines of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Statement {
    pub(super) shapes: Vec<Arc<Pieces>>,
    pub(super) frames: Vec<Frame>,
    pub(super) parts: Vec<StatedPart>,
    /// The separation of all pairs that have none of their own.
    pub(super) separation: f64,
    /// The separations of single pairs, the lower part first.
    pub(super) separations: Vec<([usize; 2], f64)>,
    /// The pairs about which nothing is claimed, by reason.
    pub(super) unchecked: Vec<(String, Vec<[usize; 2]>)>,
}

impl Statement {
    /// Returns the number of parts: shapes that move in one piece.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }
}

/// A convex solid.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StatedSolid {
    Box(DVec3),
    Ellipsoid(DVec3),
    Sphere(f64),
    /// Radius, and half of the length.
    Capsule([f64; 2]),
    Cylinder([f64; 2]),
    Cone([f64; 2]),
    Hull(Vec<DVec3>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum StatedShape {
    Solid(StatedSolid),
    HalfSpace(DVec3, f64),
    Balls(Vec<DVec3>, f64),
    /// Centres and half side lengths.
    Boxes(Vec<[DVec3; 2]>),
    Compound(Vec<(Place, StatedSolid)>),
    Surface(Surface),
}

/// A surface, at rest or deforming. Its pieces are its triangles, then its edges, then its points.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Surface {
    pub(super) vertices: Vec<DVec3>,
    /// The positions of the vertices at the end.
    pub(super) to: Option<Vec<DVec3>>,
    /// Vertices of each piece; those of an edge or a point are repeated.
    pub(super) pieces: Vec<[u32; 3]>,
    /// Number of triangles, and of edges.
    pub(super) counts: [usize; 2],
    pub(super) solid: bool,
}

/// A place that does not change: a quaternion, and a translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) rotation: DQuat,
    pub(super) translation: DVec3,
}

/// A frame that moves in another one, or in the world.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Frame {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    /// Until when, and the steps from the outermost to the innermost.
    pub(super) moves: Vec<(f64, Vec<Step>)>,
    /// Bounds of the distance of the exact motion from the formula: rotation and translation.
    pub(super) within: [f64; 2],
}

/// One map of a move. Polynomials are in Bernstein form.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    Pose(Place),
    Turn(DVec3, Vec<f64>),
    Along(DVec3, Vec<f64>),
    /// An axis, an angle `ω` and a shift: along the axis by the shift times `tan(ω s / 2) / tan(ω / 2)`.
    Tangent(DVec3, f64, f64),
    Slide(Vec<DVec3>, Vec<f64>),
    /// Coefficients `w, x, y, z`.
    Quat(Vec<[f64; 4]>),
    /// Matrices by rows.
    Linear(Vec<[f64; 9]>, Vec<f64>),
}

/// A shape in a frame.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StatedPart {
    pub(super) body: String,
    pub(super) name: String,
    pub(super) frame: Option<usize>,
    pub(super) shape: usize,
}
