//! Two convex pieces that touch all through a span of time.
//!
//! Let `a_0`, `b_0` be points of the two pieces at the beginning and `a_1`, `b_1` at the end, each fixed to its piece. Between them follow the
//! points that move within their pieces from the first to the second at a constant rate: a convex piece contains them all. For
//! `r = b − a` over a span of length `w`, `|r|` is at most the larger of both ends plus `|r''| w² / 8`. A point that moves by `D` in the frame
//! of a body that turns at `ω`, and whose fixed points accelerate by at most `A`, accelerates by at most `A + 2 ω D / w`. A point of a
//! triangle with linearly moving corners, whose weights change such that the velocities of the two places differ by `V`, accelerates by
//! `2 V / w`. So the pieces stay within
//!
//! ```text
//! max(|r_0|, |r_1|) + Σ (A w² / 8 + ω D w / 4 + V w / 4)
//! ```

use glam::DVec3;

use crate::advancement::Approach;
use crate::clearance::SidePair;
use crate::convex::{ConvexPair, Moving};
use crate::elementary::closest::vertex_triangle;
use crate::motion::{PoseAt, RigidMotion, swept};
use crate::numerics::Window;
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::UNIT;
use crate::pair::piece::{MovingTriangle, Piece};
use crate::tree::composite::{AnyPiece, Composite};

/// What is known of two pieces over a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lasts {
    /// They are within the distance all the time.
    Proven,
    /// They are within the distance at both ends, and the span is too long for the proof.
    TooLong,
    /// They are within the distance at both ends, and there is no proof for such pieces.
    NoProof,
    /// At an end they are farther apart.
    Parts,
}

/// Two leaves, and what was found at the last two instants.
pub(super) struct Witnesses<'a> {
    pieces: [AnyPiece<'a>; 2],
    motions: [&'a dyn RigidMotion; 2],
    known: Option<(f64, Witness)>,
}

#[derive(Debug, Clone, Copy)]
struct Witness {
    distance: f64,
    points: [Material; 2],
}

/// A point that is fixed to its piece.
#[derive(Debug, Clone, Copy)]
enum Material {
    /// In the frame of the body.
    Rigid(DVec3),
    /// The weights of the corners, and the velocity that they make.
    Corners(DVec3),
    /// Of a piece that has no such points here.
    Unknown,
}

impl<'a> Witnesses<'a> {
    pub(super) fn new<C: Composite>(pair: &'a SidePair<'_, C>, leaves: [u32; 2]) -> Witnesses<'a> {
        let [a, b] = &pair.sides;
        let pieces = [a.pieces.piece(leaves[0]), b.pieces.piece(leaves[1])];
        Witnesses { pieces, motions: [a.motion, b.motion], known: None }
    }

    /// Whether the two stay within a distance over a span, from its first time to its second, which may be earlier.
    pub(super) fn last(&mut self, [from, to]: [f64; 2], within: f64) -> Lasts {
        let first = match self.known {
            Some((t, known)) if t == from => known,
            _ => self.at(from),
        };
        let last = self.at(to);
        self.known = Some((from, first));
        let ends = upper_max(first.distance, last.distance);
        if ends.is_nan() || ends > within {
            return Lasts::Parts;
        }
        let window = if from <= to { Window::between(from, to) } else { Window::between(to, from) };
        let width = (to - from).abs() * (1.0 + 4.0 * UNIT);
        let mut farthest = ends;
        for side in 0..2 {
            farthest += match (first.points[side], last.points[side]) {
                (Material::Rigid(p), Material::Rigid(q)) => {
                    let motion = self.motions[side];
                    let acceleration = motion.acceleration(self.pieces[side].reach(), window);
                    let bounds = motion.velocity_bounds(window);
                    let turning = bounds.center.angular.length() + bounds.angular_radius;
                    0.125 * acceleration * width * width + 0.25 * swept(turning, p.distance(q)) * width
                }
                (Material::Corners(v), Material::Corners(w)) => 0.25 * v.distance(w) * width,
                _ => f64::INFINITY,
            };
        }
        // The sums and products have a dozen roundings, all of nonnegative terms. NaN fails the comparison.
        if farthest * (1.0 + 64.0 * UNIT) <= within {
            self.known = Some((to, last));
            Lasts::Proven
        } else if first.points.iter().any(|point| matches!(point, Material::Unknown)) {
            self.known = Some((to, last));
            Lasts::NoProof
        } else {
            Lasts::TooLong
        }
    }

    fn at(&mut self, t: f64) -> Witness {
        let mut pieces = self.pieces;
        for piece in &mut pieces {
            piece.look_at(t);
        }
        let margins = pieces.map(|piece| piece.as_convex().margin());
        let [a, b] = [0, 1].map(|k| Moving { shape: self.pieces[k], motion: self.motions[k] });
        let found = ConvexPair::new(a, b, f64::INFINITY, 1e-12).separation(t);
        let poses = self.motions.map(|motion| motion.pose_at(t));
        let [mut on_a, mut on_b] = found.points;
        let gap = (on_b - on_a).dot(found.normal);
        let depth = margins[0] + margins[1];
        if depth > 0.0 && gap < 0.0 {
            // The balls around the closest points of the cores overlap. A point between the cores is in both.
            let core = on_a - found.normal * margins[0];
            let cores = gap + depth;
            on_a = core + found.normal * (upper_max(cores, 0.0) * margins[0] / depth);
            on_b = on_a;
        }
        let points = [on_a, on_b];
        let fixed = [0, 1].map(|k| material(&pieces[k], &poses[k], points[k], t));
        // The points are on their pieces up to the errors of `convex`.
        let size = pieces.iter().map(|piece| piece.reach()).sum::<f64>()
            + poses.iter().map(|pose| pose.translation.length()).sum::<f64>();
        let off = self.motions.iter().zip(&pieces).fold(256.0 * UNIT * size, |sum, (motion, piece)| {
            let error = motion.pose_error();
            sum + 4.0 * (swept(error.rotation, piece.reach()) + error.translation)
        });
        let [a, b] = [0, 1].map(|k| fixed[k].1);
        Witness { distance: (b - a).length() + off, points: fixed.map(|(point, _)| point) }
    }
}

/// The point fixed to the piece, and where it is.
fn material(piece: &AnyPiece<'_>, pose: &PoseAt, point: DVec3, t: f64) -> (Material, DVec3) {
    match piece {
        AnyPiece::Solid(_) | AnyPiece::Triangle(_) | AnyPiece::Local(_) => {
            (Material::Rigid(pose.to_body(point)), point)
        }
        AnyPiece::Deforming(triangle) => of_corners(triangle, point, t),
        AnyPiece::Affine(_) => (Material::Unknown, point),
    }
}

fn of_corners(triangle: &MovingTriangle, point: DVec3, t: f64) -> (Material, DVec3) {
    let [t0, t1] = triangle.ends();
    let found = vertex_triangle(point, [0, 1, 2].map(|k| t0[k] * (1.0 - t) + t1[k] * t));
    let velocity = (0..3).map(|k| (t1[k] - t0[k]) * found.parameters[k]).sum();
    (Material::Corners(velocity), found.b)
}
