//! The corners of a convex piece that are farthest along a direction, up to a band.
//!
//! A triangle names its corners. Any other solid has only its support function: slightly tilted directions lead to the
//! corners of the farthest face. Between two tilts that lead to different corners, more tilts are tried. On a curved
//! surface every tilt leads to a different point. Points whose distance is at most the tilt times the size count as
//! one.

use glam::DVec3;

use crate::motion::PoseAt;
use crate::numerics::sin_cos;
use crate::pair::piece::Piece;
use crate::tree::composite::AnyPiece;

/// The number of tilts tried first, and of halvings of the angle between two of them.
const TILTS: usize = 8;
const HALVINGS: usize = 3;

/// Returns the corners, in world coordinates, on the surface of the piece.
pub(super) fn support_face(piece: &AnyPiece<'_>, pose: &PoseAt, normal: DVec3, band: f64) -> Vec<DVec3> {
    let shift = normal * piece.as_convex().margin();
    let corners: Vec<DVec3> = match piece {
        AnyPiece::Triangle(triangle) => triangle.corners().to_vec(),
        AnyPiece::Deforming(triangle) => triangle.solid().corners().to_vec(),
        AnyPiece::Solid(_) | AnyPiece::Local(_) | AnyPiece::Affine(_) => tilted(piece, pose, normal, band),
    };
    let corners: Vec<DVec3> = corners.iter().map(|&corner| pose.apply(corner) + shift).collect();
    let farthest = corners.iter().map(|p| p.dot(normal)).fold(f64::NEG_INFINITY, f64::max); // not a bound: measured
    corners.into_iter().filter(|p| p.dot(normal) >= farthest - band * (1.0 + 1e-9)).collect()
}

/// Returns the support points of a core along tilted directions, in the frame of the piece.
fn tilted(piece: &AnyPiece<'_>, pose: &PoseAt, normal: DVec3, band: f64) -> Vec<DVec3> {
    let solid = piece.as_convex();
    let size = solid.reach();
    // On a curved surface, a tilt of e costs e² / 2 of the radius: half of the band.
    let tilt = (band / size).sqrt().clamp(1e-7, 1e-2);
    let tilt = if tilt.is_nan() { 1e-7 } else { tilt };
    let (u, v) = normal.any_orthonormal_pair();
    let support = |turn: f64| {
        let (sin, cos) = sin_cos(turn * std::f64::consts::TAU);
        solid.support(pose.direction_to_body(normal + (u * cos + v * sin) * tilt))
    };
    let one = 8.0 * tilt * size;
    let mut found = vec![solid.support(pose.direction_to_body(normal))];
    let mut add = |p: DVec3| {
        if found.iter().all(|known| known.distance(p) > one) {
            found.push(p);
        }
    };
    let step = 1.0 / TILTS as f64;
    let mut open: Vec<(f64, DVec3, f64, DVec3, usize)> = Vec::new();
    for k in 0..TILTS {
        let (from, to) = (k as f64 * step, (k + 1) as f64 * step);
        open.push((from, support(from), to, support(to), HALVINGS));
    }
    while let Some((from, p, to, q, left)) = open.pop() {
        add(p);
        add(q);
        if left > 0 && p.distance(q) > one {
            let middle = 0.5 * (from + to);
            let r = support(middle);
            if r.distance(p) > one && r.distance(q) > one {
                open.push((from, p, middle, r, left - 1));
                open.push((middle, r, to, q, left - 1));
            }
        }
    }
    found
}
