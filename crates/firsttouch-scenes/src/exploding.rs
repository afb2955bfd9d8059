//! A bumpy creature with limbs and spikes that a falling lump breaks into fragments, which fly apart over a floor.
//!
//! 1. The creature is a geodesic sphere pushed out: a body, lobes for legs, neck, tail and wings, and small bumps; then
//!    twisted about its long axis. It is star-shaped before the twist, so it does not cross itself.
//! 2. Fragments: every triangle belongs to the nearest of some sites on the surface. Fragments share no vertices.
//! 3. A fragment is rigid: it flies from its place with the speed of the blow, spins, falls, and bounces off the floor.
//!    Fragments do not push each other: where spinning neighbours catch, frames cross, as they do in recorded
//!    explosions.
//!
//! Reference: the exploding dragon of Tang, Kim and Manocha 2010, Fig. 6 (a).

use std::f64::consts::TAU;

use firsttouch::Result;
use glam::{DQuat, DVec3, dvec3};

use crate::deforming::Sequence;
use crate::random::Random;
use crate::shapes::{potato, sphere};

/// Sizes and numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Explosion {
    /// The approximate number of triangles of the creature.
    pub triangles: usize,
    /// The approximate number of triangles of the lump that falls on it.
    pub lump_triangles: usize,
    /// The number of fragments of the creature.
    pub fragments: usize,
    /// The seconds from one frame to the next.
    pub step: f64,
    /// The seed for sites and spins.
    pub seed: u64,
}

impl Default for Explosion {
    /// As many triangles as in the paper, 252 thousand.
    fn default() -> Explosion {
        Explosion { triangles: 224_720, lump_triangles: 27_380, fragments: 80, step: 1.0 / 60.0, seed: 2010 }
    }
}

/// Directions, lengths and sharpness of the lobes: four legs, neck, tail, two wings, spikes along the back.
const LOBES: [(DVec3, f64, f64); 11] = [
    (dvec3(0.5, 0.45, -0.7), 0.9, 18.0),
    (dvec3(0.5, -0.45, -0.7), 0.9, 18.0),
    (dvec3(-0.5, 0.45, -0.7), 0.9, 18.0),
    (dvec3(-0.5, -0.45, -0.7), 0.9, 18.0),
    (dvec3(0.9, 0.0, 0.4), 1.3, 14.0),
    (dvec3(-1.0, 0.0, -0.1), 1.8, 22.0),
    (dvec3(0.0, 0.9, 0.45), 1.1, 10.0),
    (dvec3(0.0, -0.9, 0.45), 1.1, 10.0),
    (dvec3(0.3, 0.0, 1.0), 0.3, 60.0),
    (dvec3(0.0, 0.0, 1.0), 0.35, 60.0),
    (dvec3(-0.3, 0.0, 1.0), 0.3, 60.0),
];
const FLOOR: f64 = -2.2;
/// At time 0 of the explosion, fragments are moved out by this part of their distance from the centre, which separates
/// them.
const CRACK: f64 = 0.01;

/// Returns the frames from the moment it breaks.
///
/// ```
/// use firsttouch_scenes::exploding::{Explosion, sequence};
/// let small = Explosion { triangles: 500, lump_triangles: 80, fragments: 12, ..Explosion::default() };
/// let frames = sequence(small, 4)?;
/// assert_eq!((frames.triangles.len(), frames.steps()), (500 + 80 + 2, 3));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn sequence(explosion: Explosion, frames: usize) -> Result<Sequence> {
    let scene = Scene::new(explosion)?;
    let positions = (0..frames).map(|k| scene.at(k as f64 * explosion.step)).collect();
    Ok(Sequence { positions, triangles: scene.triangles })
}

struct Scene {
    /// Rigid pieces, in the order of their vertices: fragments, then the lump.
    pieces: Vec<Piece>,
    triangles: Vec<[u32; 3]>,
}

struct Piece {
    center: DVec3,
    /// The place relative to the centre, in the first frame.
    vertices: Vec<DVec3>,
    velocity: DVec3,
    axis: DVec3,
    spin: f64,
    radius: f64,
}

impl Scene {
    fn new(explosion: Explosion) -> Result<Scene> {
        let (vertices, faces) = creature(explosion)?;
        let mut random = Random::new(explosion.seed);
        let count = explosion.fragments.max(1);
        let sites: Vec<DVec3> =
            (0..count).map(|_| vertices[random.below(vertices.len() as u64) as usize]).collect();
        let nearest = |p: DVec3| {
            let better = |a: &usize, b: &usize| {
                p.distance_squared(sites[*a]).total_cmp(&p.distance_squared(sites[*b]))
            };
            (0..count).min_by(better).unwrap_or(0)
        };
        let mut groups: Vec<Vec<[u32; 3]>> = vec![Vec::new(); count];
        for ids in &faces {
            let [a, b, c] = ids.map(|v| vertices[v as usize]);
            groups[nearest((a + b + c) / 3.0)].push(*ids);
        }
        let mut scene = Scene { pieces: Vec::new(), triangles: Vec::new() };
        let mut first = 0;
        for (group, site) in groups.into_iter().zip(&sites) {
            // The vertices of the group, once each, in the order of their numbers.
            let mut used: Vec<u32> = group.iter().flatten().copied().collect();
            used.sort_unstable();
            used.dedup();
            let own = |v: u32| first + used.binary_search(&v).unwrap_or(0) as u32;
            scene.triangles.extend(group.iter().map(|ids| ids.map(own)));
            first += used.len() as u32;
            let points: Vec<DVec3> = used.iter().map(|&v| vertices[v as usize]).collect();
            let center = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
            // The blow comes from above: fragments fly outwards, and up if they are not below the blow.
            let velocity = *site * random.between(1.5, 2.5) + DVec3::Z * random.between(0.0, 1.5);
            let axis = random.vector(1.0).try_normalize().unwrap_or(DVec3::X);
            scene.pieces.push(piece(center, points, velocity, axis, random.between(0.0, 3.0), *site * CRACK));
        }
        let lump = potato(explosion.lump_triangles, explosion.seed)?;
        scene.triangles.extend(lump.triangles().iter().map(|ids| ids.map(|v| first + v)));
        first += lump.vertices().len() as u32;
        let start = dvec3(0.1, 0.0, 2.0);
        let points = lump.vertices().iter().map(|&v| v * 0.45 + start).collect();
        scene.pieces.push(piece(start, points, dvec3(0.0, 0.0, -6.0), DVec3::Y, 1.0, DVec3::ZERO));
        // The floor.
        scene.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        Ok(scene)
    }

    fn at(&self, time: f64) -> Vec<DVec3> {
        let mut out = Vec::new();
        for piece in &self.pieces {
            let turn = DQuat::from_axis_angle(piece.axis, piece.spin * time);
            let mut center = piece.center + piece.velocity * time;
            center.z = bounced(piece.center.z, piece.velocity.z, FLOOR + piece.radius, time);
            out.extend(piece.vertices.iter().map(|&v| center + turn * v));
        }
        out.extend(
            [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                .map(|(x, y)| dvec3(12.0 * x, 12.0 * y, FLOOR - 0.01)),
        );
        out
    }
}

fn piece(center: DVec3, points: Vec<DVec3>, velocity: DVec3, axis: DVec3, spin: f64, shift: DVec3) -> Piece {
    let radius = points.iter().map(|p| p.distance(center)).fold(0.0, f64::max);
    let vertices = points.into_iter().map(|p| p - center).collect();
    Piece { center: center + shift, vertices, velocity, axis, spin, radius }
}

/// Returns the height at a time of a body that is thrown up from a height, and bounces at `least` with half its speed.
fn bounced(from: f64, speed: f64, least: f64, time: f64) -> f64 {
    const G: f64 = 9.8;
    // A body that starts below rises as if it lay there.
    let least = least.min(from);
    let (mut height, mut speed, mut left) = (from, speed, time);
    for _ in 0..8 {
        // height + speed t − G t²/2 = least
        let hit = (speed + (speed * speed + 2.0 * G * (height - least)).max(0.0).sqrt()) / G;
        if left <= hit {
            return height + speed * left - 0.5 * G * left * left;
        }
        left -= hit;
        height = least;
        speed = 0.5 * (G * hit - speed);
    }
    least
}

/// Takes step 1 of the header.
fn creature(explosion: Explosion) -> Result<(Vec<DVec3>, Vec<[u32; 3]>)> {
    let mesh = sphere(explosion.triangles)?;
    let lobes = LOBES.map(|(direction, length, sharpness)| {
        (direction.try_normalize().unwrap_or(DVec3::Z), length, sharpness)
    });
    let place = |&u: &DVec3| {
        let limbs: f64 =
            lobes.iter().map(|(d, length, sharpness)| length * (sharpness * (d.dot(u) - 1.0)).exp()).sum();
        let bumps = 0.015 * (23.0 * u.x).sin() * (21.0 * u.y).sin() * (22.0 * u.z).sin()
            + 0.03 * (7.0 * u.x + 1.0).sin() * (6.0 * u.y).cos();
        let p = u * (0.55 + limbs + bumps);
        let (sin, cos) = (0.08 * TAU * p.x).sin_cos();
        dvec3(p.x, p.y * cos - p.z * sin, p.y * sin + p.z * cos)
    };
    Ok((mesh.vertices().iter().map(place).collect(), mesh.triangles().to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use firsttouch::deformable::{Deformable, Settings, Start};
    use firsttouch::{Mode, Options};

    #[test]
    fn a_bounce_by_hand() {
        // From 4.9 down to 0 takes a second; then half the speed, 4.9, up: 0.5 s later 4.9/2 − 4.9/4 above.
        assert!((bounced(4.9, 0.0, 0.0, 1.0)).abs() < 1e-12);
        assert!((bounced(4.9, 0.0, 0.0, 1.5) - 1.225).abs() < 1e-12);
    }

    #[test]
    fn fragments_fly_apart() {
        let small =
            Explosion { triangles: 8_000, lump_triangles: 720, fragments: 40, ..Explosion::default() };
        let (vertices, faces) = creature(small).unwrap();
        let whole = Deformable::new(vertices.clone(), vertices, faces.clone(), vec![], vec![]).unwrap();
        let whole = whole.check(&Options::default(), Start::Report).unwrap();
        assert_eq!(whole.crossings_at_start, Some(0), "the creature does not cross itself");
        let frames = sequence(small, 40).unwrap();
        assert_eq!(frames.triangles.len(), faces.len() + 720 + 2);
        let mut touches = Vec::new();
        for k in [0, 2, 5, 10, 20, 38] {
            let mesh = frames.step(k).unwrap().build(Settings::default()).unwrap();
            let all = Options { mode: Mode::All, ..Options::default() };
            let report = mesh.check(&all, Start::Report).unwrap();
            touches.push((report.crossings_at_start.unwrap(), report.touches.len()));
        }
        // Fragments start apart, except for a few that their neighbours hold, and are soon far from each other.
        assert!(touches[0].0 < 100, "{touches:?}");
        assert!(touches.iter().any(|t| t.1 > 100));
        let spread = |k: usize| frames.positions[k].iter().take(4_000).map(|p| p.length()).sum::<f64>();
        assert!(spread(39) > 1.3 * spread(0));
    }
}
