//! A chessboard with 16 chessmen as high as a child: surfaces of revolution with waists and collars, and knights with a
//! bent neck.
//!
//! The board is 8 by 8, its squares 1 by 1, its top the plane z = 0; every other square lies a little lower.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 8.1 and Figure 8 (a), which shows such a board; it gives the number of
//! chessmen and of all triangles.

use std::f64::consts::{PI, TAU};

use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::Mesh;
use firsttouch::{Body, Result};
use glam::{DQuat, DVec3, dvec3};

use crate::surface::{Surface, cells};

/// The number of triangles of the paper's board with its chessmen.
pub const TRIANGLES: usize = 101_000;

/// A chessman.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chessman {
    /// 0.75 high.
    Pawn,
    /// 0.9 high, with battlements.
    Rook,
    /// 0.9 high or so, with a bent neck.
    Knight,
    /// 1.15 high.
    Bishop,
    /// 1.3 high, with a crown.
    Queen,
    /// 1.45 high, with a cross.
    King,
}

/// The chessmen and their squares.
const CHESSMEN: [(Chessman, [u8; 2]); 16] = [
    (Chessman::Rook, [0, 0]),
    (Chessman::Knight, [2, 3]),
    (Chessman::Bishop, [2, 0]),
    (Chessman::Queen, [3, 3]),
    (Chessman::King, [4, 3]),
    (Chessman::Bishop, [5, 0]),
    (Chessman::Knight, [5, 5]),
    (Chessman::Rook, [7, 0]),
    (Chessman::Pawn, [0, 6]),
    (Chessman::Pawn, [1, 5]),
    (Chessman::Pawn, [2, 7]),
    (Chessman::Pawn, [3, 4]),
    (Chessman::Pawn, [4, 7]),
    (Chessman::Pawn, [5, 2]),
    (Chessman::Pawn, [6, 7]),
    (Chessman::Pawn, [7, 5]),
];

/// Returns the board and its chessmen, 17 bodies at rest, with about the given number of triangles in all.
///
/// ```
/// let bodies = firsttouch_scenes::chessboard::bodies(8_000)?;
/// assert_eq!(bodies.len(), 17);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn bodies(triangles: usize) -> Result<Vec<Body>> {
    let each = 0.95 * triangles as f64 / CHESSMEN.len() as f64;
    let mut bodies = vec![Body::new("board", board(0.05 * triangles as f64)?, Motion::fixed(Pose::IDENTITY))];
    for (i, (man, [file, rank])) in CHESSMEN.into_iter().enumerate() {
        let at = dvec3(f64::from(file) - 3.5, f64::from(rank) - 3.5, 0.0);
        let turned = DQuat::from_rotation_z(f64::from(file) + f64::from(rank));
        let pose = Pose::new(at, turned)?;
        bodies.push(Body::new(format!("{man:?} {i}"), chessman(man, each as usize)?, Motion::fixed(pose)));
    }
    Ok(bodies)
}

/// Returns a chessman of about the given number of triangles, on the plane z = 0.
///
/// ```
/// use firsttouch_scenes::chessboard::{Chessman, chessman};
/// let (center, half) = chessman(Chessman::King, 2_000)?.bounds();
/// assert!((center.z + half.z - 1.45).abs() < 1e-9);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn chessman(man: Chessman, triangles: usize) -> Result<Mesh> {
    let triangles = triangles as f64;
    let mut surface = Surface::default();
    // The profiles are heights and radii, joined by smooth arcs.
    let mut turned = |share: f64, profile: &[(f64, f64)], flutes: f64| {
        let (around, along) = cells(share * triangles, 0.75);
        surface.revolved(around, along, |u, v| {
            let (z, radius) = along_profile(profile, v);
            let upper = (4.0 * v - 3.0).max(0.0);
            (radius * (1.0 + 0.12 * upper * flutes.min(1.0) * (flutes * u * TAU).cos()), z)
        });
    };
    const FOOT: [(f64, f64); 4] = [(0.0, 0.0), (0.0, 0.27), (0.09, 0.27), (0.16, 0.2)];
    match man {
        Chessman::Pawn => {
            let rest = [
                (0.3, 0.1),
                (0.45, 0.09),
                (0.48, 0.17),
                (0.52, 0.1),
                (0.64, 0.13),
                (0.73, 0.07),
                (0.75, 0.0),
            ];
            turned(1.0, &[&FOOT[..], &rest].concat(), 0.0);
        }
        Chessman::Rook => {
            let rest =
                [(0.4, 0.14), (0.65, 0.13), (0.7, 0.2), (0.9, 0.2), (0.9, 0.14), (0.78, 0.13), (0.78, 0.0)];
            turned(1.0, &[&FOOT[..], &rest].concat(), 6.0);
        }
        Chessman::Knight => {
            let rest = [(0.3, 0.13), (0.4, 0.15), (0.42, 0.0)];
            turned(0.4, &[&FOOT[..], &rest].concat(), 0.0);
            let (around, along) = cells(0.6 * triangles, 0.9);
            let mut neck = Surface::default();
            neck.revolved(around, along, |_, v| ((v * PI).sin().powf(0.6) * (0.14 - 0.06 * v), v));
            // The straight spindle is bent forward: up along an arc, and down to the muzzle.
            surface.add(&neck.moved(bent), &Pose::IDENTITY);
        }
        Chessman::Bishop => {
            let rest =
                [(0.4, 0.1), (0.75, 0.08), (0.8, 0.16), (0.84, 0.09), (0.98, 0.13), (1.1, 0.05), (1.15, 0.0)];
            turned(1.0, &[&FOOT[..], &rest].concat(), 0.0);
        }
        Chessman::Queen => {
            let rest =
                [(0.4, 0.12), (0.9, 0.08), (0.95, 0.18), (1.0, 0.1), (1.22, 0.17), (1.16, 0.1), (1.3, 0.0)];
            turned(1.0, &[&FOOT[..], &rest].concat(), 8.0);
        }
        Chessman::King => {
            let rest = [(0.4, 0.13), (1.0, 0.09), (1.05, 0.19), (1.1, 0.1), (1.25, 0.15), (1.3, 0.0)];
            turned(1.0, &[&FOOT[..], &rest].concat(), 0.0);
            surface.bar(DVec3::Z * 1.27, DVec3::Z * 1.45, 0.04);
            surface.bar(dvec3(-0.06, 0.0, 1.38), dvec3(0.06, 0.0, 1.38), 0.04);
        }
    }
    surface.mesh()
}

/// Returns the knight's neck and head from a spindle along z of length 1.
fn bent(p: DVec3) -> DVec3 {
    // The middle line is 0.35 of a circle's arc beyond the upright, of radius 0.25.
    let angle = 2.6 * p.z;
    let (sin, cos) = angle.sin_cos();
    let center = dvec3(0.22 * (1.0 - cos) - 0.1, 0.0, 0.4 + 0.42 * sin.max(0.0) + 0.08 * sin.min(0.0));
    center + dvec3(p.x * cos, 0.8 * p.y, -p.x * sin + 0.0)
}

/// Returns the point of a profile at `v` in `[0, 1]`, by smooth steps from each point to the next.
fn along_profile(profile: &[(f64, f64)], v: f64) -> (f64, f64) {
    let s = v * (profile.len() - 1) as f64;
    let k = (s.floor() as usize).min(profile.len() - 2);
    let (a, b) = (profile[k], profile[k + 1]);
    let part = s - k as f64;
    let eased = part * part * (3.0 - 2.0 * part);
    (a.0 + (b.0 - a.0) * part, a.1 + (b.1 - a.1) * eased)
}

/// Returns a board of 8 by 8 squares and a rim around.
fn board(triangles: f64) -> Result<Mesh> {
    let mut surface = Surface::default();
    // Each square is a small sheet; half of them are 4 mm lower, with a groove around them.
    let n = ((triangles / 64.0 / 2.0).sqrt().round()).max(1.0) as u32;
    for file in 0..8 {
        for rank in 0..8 {
            let depth = if (file + rank) % 2 == 0 { 0.004 } else { 0.0 };
            let corner = dvec3(f64::from(file) - 4.0, f64::from(rank) - 4.0, -depth);
            surface.grid(n, n, [false, false], |u, v| corner + dvec3(u, v, 0.0));
        }
    }
    surface.block(dvec3(-4.3, -4.3, -0.3), dvec3(4.3, 4.3, -0.02));
    surface.mesh()
}

#[cfg(test)]
mod tests {
    use super::*;
    use firsttouch::shape::Shape;
    use firsttouch::{Answer, Options, Scene};

    #[test]
    fn the_papers_size() {
        let bodies = bodies(TRIANGLES).unwrap();
        let of = |body: &Body| match body.as_rigid() {
            Some((Shape::Mesh(mesh), _)) => mesh.triangles().len(),
            _ => 0,
        };
        let triangles: usize = bodies.iter().map(of).sum();
        assert!((98_000..104_000).contains(&triangles), "{triangles}");
    }

    /// The chessmen do not touch each other.
    #[test]
    fn nobody_is_in_the_way_of_another() {
        let mut scene = Scene::default();
        for body in bodies(20_000).unwrap().into_iter().filter(|body| body.name() != "board") {
            scene.add(body).unwrap();
        }
        assert_eq!(scene.check(&Options::default()).unwrap().answer, Answer::Free);
    }
}
