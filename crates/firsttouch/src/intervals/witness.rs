//! A proof that two convex pieces touch throughout a span of time.
//!
//! Let `a_0`, `b_0` be points of the two pieces at the beginning and `a_1`, `b_1` at the end, each fixed to its piece.
//! In between, take the point of each piece that moves within it from the first to the second at a constant rate: a
//! convex piece contains all these points. For `r = b − a` over a span of length `w`, `|r|` is at most its larger end
//! value plus `|r''| w² / 8`. A point that moves by `D` in the frame of a body that turns at `ω`, and whose fixed
//! points accelerate by at most `A`, accelerates by at most `A + 2 ω D / w`. A point of a triangle with linearly moving
//! corners, whose weights change such that the velocities of the two places differ by `V`, accelerates by `2 V / w`. An
//! ellipsoid that changes its shape is the image of the unit ball: if its points move at most at `S` and accelerate by
//! at most `B`, then one that moves by `Y` in the ball accelerates by at most `B + 2 S Y / w`. So the pieces stay
//! within
//!
//! ```text
//! max(|r_0|, |r_1|) + Σ (A w² / 8 + ω D w / 4,  V w / 4,  or  B w² / 8 + S Y w / 4)
//! ```
//!
//! The points at the end may be chosen freely. If the pieces overlap, closest points jump from one instant to the next,
//! and a large `D`, `V` or `Y` allows short spans only. So the point of the first piece moves with its piece, and is
//! then projected onto the two pieces in turn until it lies in both. If it is already in both it stays, and then `D`,
//! `V` and `Y` are in proportion to `w`.

use glam::DVec3;

use crate::advancement::Approach;
use crate::answer::Feature;
use crate::clearance::SidePair;
use crate::convex::{ConvexPair, Moving};
use crate::distance::gjk::Gjk;
use crate::elementary::closest::vertex_triangle;
use crate::ellipsoid::BallImage;
use crate::motion::{Pose, PoseAt, RigidMotion, swept};
use crate::numerics::Window;
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::UNIT;
use crate::pair::piece::{MovingTriangle, Piece};
use crate::shape::Convex;
use crate::tree::composite::{AnyPiece, Composite};

/// Two leaves, and their witness points at the last two instants.
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
    /// A point in the frame of the body.
    Rigid(DVec3),
    /// The weights of the corners, and the resulting velocity.
    Corners { weights: DVec3, velocity: DVec3 },
    /// A point of the unit ball.
    Ball(DVec3),
}

impl<'a> Witnesses<'a> {
    pub(super) fn new<C: Composite>(pair: &'a SidePair<'_, C>, leaves: [u32; 2]) -> Witnesses<'a> {
        let [a, b] = &pair.sides;
        let pieces = [a.pieces.piece(leaves[0]), b.pieces.piece(leaves[1])];
        Witnesses { pieces, motions: [a.motion, b.motion], known: None }
    }

    /// Proves that the two stay within a distance over a span, from its first time to its second, which may be earlier.
    /// The proof holds if the returned number is 1 or more. The number is the room left by the distance at the ends,
    /// divided by the possible growth between them; it is 0 if the ends are farther apart.
    pub(super) fn stay(&mut self, [from, to]: [f64; 2], within: f64) -> f64 {
        let first = match self.known {
            Some((t, known)) if t == from => known,
            _ => self.at(from),
        };
        let last = self.carried(&first, to, within).unwrap_or_else(|| self.at(to));
        self.known = Some((from, first));
        let ends = upper_max(first.distance, last.distance);
        if ends.is_nan() || ends > within {
            return 0.0;
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
                (Material::Corners { velocity: v, .. }, Material::Corners { velocity: w, .. }) => {
                    0.25 * v.distance(w) * width
                }
                (Material::Ball(p), Material::Ball(q)) => {
                    let piece = &self.pieces[side];
                    let (speed, acceleration) =
                        (piece.deform_speed(window), piece.deform_acceleration(window));
                    0.125 * acceleration * width * width + 0.25 * swept(speed, p.distance(q)) * width
                }
                _ => f64::INFINITY,
            };
        }
        // The sums and products have a dozen roundings, all of nonnegative terms. NaN fails the comparison.
        let is_proven = farthest * (1.0 + 64.0 * UNIT) <= within;
        if is_proven {
            self.known = Some((to, last));
        }
        let room = (within - ends) / (farthest - ends);
        // This only steers; the proof is decided above.
        match is_proven {
            true if room > 1.0 => room,
            true => 1.0,
            false if room > 0.0 && room < 0.99 => room,
            false => 0.0,
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
            // The balls around the closest points of the cores overlap, and a point between the cores is in both. If
            // the cores also overlap, the point may be outside, so it is projected.
            let core = on_a - found.normal * margins[0];
            let cores = gap + depth;
            let between = core + found.normal * (upper_max(cores, 0.0) * margins[0] / depth);
            on_a = nearest(&pieces[0], &poses[0], between);
            on_b = nearest(&pieces[1], &poses[1], on_a);
        }
        self.witness(&pieces, &poses, [on_a, on_b], t)
    }

    /// Returns points of both pieces near the place to which the first piece carries a witness, if they are well within
    /// the distance.
    fn carried(&self, witness: &Witness, t: f64, within: f64) -> Option<Witness> {
        let mut pieces = self.pieces;
        for piece in &mut pieces {
            piece.look_at(t);
        }
        let poses = self.motions.map(|motion| motion.pose_at(t));
        let mut on_a = match (witness.points[0], &pieces[0]) {
            (Material::Rigid(point), _) => poses[0].apply(point),
            (Material::Corners { weights, .. }, AnyPiece::Deforming(triangle)) => {
                let corners = corners_at(triangle, t);
                (0..3).map(|k| corners[k] * weights[k]).sum()
            }
            (Material::Ball(point), AnyPiece::Affine(ellipsoid)) => in_image(ellipsoid.solid(), point),
            _ => return None,
        };
        for _ in 0..PROJECTIONS {
            let on_b = nearest(&pieces[1], &poses[1], on_a);
            if on_b.distance(on_a) <= 0.25 * within {
                let found = self.witness(&pieces, &poses, [on_a, on_b], t);
                return (found.distance <= 0.5 * within).then_some(found);
            }
            on_a = nearest(&pieces[0], &poses[0], on_b);
        }
        None
    }

    /// Fixes points to their pieces. They are on them up to the errors of `convex`.
    fn witness(
        &self,
        pieces: &[AnyPiece<'_>; 2],
        poses: &[PoseAt; 2],
        points: [DVec3; 2],
        t: f64,
    ) -> Witness {
        let fixed = [0, 1].map(|k| material(&pieces[k], &poses[k], points[k], t));
        let size = pieces.iter().map(|piece| piece.reach()).sum::<f64>()
            + poses.iter().map(|pose| pose.translation.length()).sum::<f64>();
        let off = self.motions.iter().zip(pieces).fold(256.0 * UNIT * size, |sum, (motion, piece)| {
            let error = motion.pose_error();
            sum + 4.0 * (swept(error.rotation, piece.reach()) + error.translation) + stray(piece)
        });
        let [a, b] = [0, 1].map(|k| fixed[k].1);
        Witness { distance: (b - a).length() + off, points: fixed.map(|(point, _)| point) }
    }
}

/// The number of projections of a point. If two surfaces cross, each projection brings it nearer by a factor that
/// depends on their angle.
const PROJECTIONS: usize = 8;

/// Returns the point of a piece that is nearest to a place: a point of its core, or at most its margin from one.
fn nearest(piece: &AnyPiece<'_>, pose: &PoseAt, place: DVec3) -> DVec3 {
    let solid = piece.as_convex();
    let there = Place(place);
    let found = Gjk::default().closest_points(solid, &there, &[*pose, Pose::IDENTITY.at()], |_| 1e-12);
    let core = found.points[0];
    let (out, margin) = (place - core, solid.margin());
    let distance = out.length();
    if distance <= margin { place } else { core + out * (margin / distance) }
}

/// A point of the world.
struct Place(DVec3);

impl Convex for Place {
    fn support(&self, _direction: DVec3) -> DVec3 {
        self.0
    }

    fn extent(&self, direction: DVec3) -> f64 {
        self.0.dot(direction)
    }

    fn reach(&self) -> f64 {
        self.0.length()
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        (self.0, DVec3::ZERO)
    }

    fn feature(&self, _point: DVec3, _normal: DVec3) -> Feature {
        Feature::Vertex(0)
    }
}

/// Returns the point fixed to the piece, and its place.
fn material(piece: &AnyPiece<'_>, pose: &PoseAt, point: DVec3, t: f64) -> (Material, DVec3) {
    match piece {
        AnyPiece::Solid(_) | AnyPiece::Triangle(_) | AnyPiece::Local(_) => {
            (Material::Rigid(pose.to_body(point)), point)
        }
        AnyPiece::Deforming(triangle) => of_corners(triangle, point, t),
        AnyPiece::Affine(ellipsoid) => {
            let image = ellipsoid.solid();
            let found = image.matrix.inverse() * (point - image.center);
            // Keeps the point in the ball, including its rounding.
            let (length, most) = (found.length(), 1.0 - 8.0 * UNIT);
            let in_ball = if length > most { found * (most / length) } else { found };
            (Material::Ball(in_ball), in_image(image, in_ball))
        }
    }
}

fn in_image(image: &BallImage, point: DVec3) -> DVec3 {
    image.matrix * point + image.center
}

/// Returns a bound of the distance between the image of a point of the ball and the ellipsoid, at any time.
fn stray(piece: &AnyPiece<'_>) -> f64 {
    if let AnyPiece::Affine(ellipsoid) = piece { ellipsoid.uncertainty() + ellipsoid.excess() } else { 0.0 }
}

fn corners_at(triangle: &MovingTriangle, t: f64) -> [DVec3; 3] {
    let [t0, t1] = triangle.ends();
    [0, 1, 2].map(|k| t0[k] * (1.0 - t) + t1[k] * t)
}

fn of_corners(triangle: &MovingTriangle, point: DVec3, t: f64) -> (Material, DVec3) {
    let [t0, t1] = triangle.ends();
    let found = vertex_triangle(point, corners_at(triangle, t));
    let weights = DVec3::from_array(found.parameters);
    let velocity = (0..3).map(|k| (t1[k] - t0[k]) * weights[k]).sum();
    (Material::Corners { weights, velocity }, found.b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ellipsoid::{ChangingEllipsoid, ChangingPiece};
    use crate::motion::{Affine, Motion};
    use crate::shape::Sphere;

    /// Returns the proof of two pieces over the whole time, and over a twentieth of it at the start.
    fn proven(piece: AnyPiece<'_>, motion: &Motion) -> [f64; 2] {
        let post = Sphere::new(0.1).unwrap();
        let at_rest = Motion::fixed(Pose::IDENTITY);
        [1.0, 0.05].map(|to| {
            let pieces = [piece, AnyPiece::Solid(&post)];
            let mut witnesses = Witnesses { pieces, motions: [motion, &at_rest], known: None };
            witnesses.stay([0.0, to], 0.3)
        })
    }

    /// Three bodies touch a post at the beginning and at the end of the time, and are far from it in between. One is a
    /// ball on a circle. The others are a rod that touches first with one end and last with the other: a triangle whose
    /// corners move on lines, and an ellipsoid that changes its shape. Touching at both ends proves nothing about the
    /// time between them.
    #[test]
    fn touching_at_both_ends_is_not_touching_in_between() {
        let ball = Sphere::new(0.1).unwrap();
        let around = Motion::turn(Pose::IDENTITY, DVec3::Z, DVec3::Y * 5.0, std::f64::consts::TAU).unwrap();
        let [whole, start] = proven(AnyPiece::Solid(&ball), &around);
        assert!(whole < 1.0, "{whole}");
        assert!(start < 1.0, "the ball is 1.5 away by then: {start}");

        // The rod goes from P to Q. P leaves the origin for (−2, 2), and Q comes there from (2, 2): halfway the rod is
        // at y = 1.
        let at_rest = Motion::fixed(Pose::IDENTITY);
        let (p, q) = ([DVec3::ZERO, DVec3::new(-2.0, 2.0, 0.0)], [DVec3::new(2.0, 2.0, 0.0), DVec3::ZERO]);
        let rod = MovingTriangle::new([p[0], q[0], q[0]], [p[1], q[1], q[1]], [0, 1, 1], 0);
        let [whole, start] = proven(AnyPiece::Deforming(rod), &at_rest);
        assert!(whole < 1.0 && start >= 1.0, "{whole} {start}");

        // The same rod as an ellipsoid: the image of the unit ball, with the half (1, 1 − 2 t, 0) of the rod as its
        // first column.
        let thin = 1e-3;
        let linear =
            [[1.0, 0.0, 0.0, 1.0, thin, 0.0, 0.0, 0.0, thin], [0.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0]];
        let xyz = [[1.0, 1.0, 0.0], [-2.0, 0.0, 0.0]];
        let rod = ChangingEllipsoid::from(Affine::from_power_basis(DVec3::ONE, &linear, &xyz, &[]).unwrap());
        let [whole, start] = proven(AnyPiece::Affine(ChangingPiece::new(&rod)), &at_rest);
        assert!(whole < 1.0 && start >= 1.0, "{whole} {start}");
    }
}
