//! Turned solids: closed surfaces of revolution about z, at any resolution.

use std::f64::consts::TAU;

use firsttouch::Result;
use firsttouch::shape::Mesh;
use glam::DVec3;

/// Returns the solid whose outline is given as radius and height along a line from one point of the axis to another,
/// with the solid on its left side. It has `2 · around · rings` triangles, about the given number, and `ratio` times as
/// many rings as corners around.
///
/// ```
/// use std::f64::consts::PI;
/// // A ball: the outline is half a circle, from the south pole to the north pole.
/// let ball = firsttouch_scenes::turned::turned(544, 1.0, |v| ((PI * v).sin(), -(PI * v).cos()))?;
/// assert_eq!(ball.triangles().len(), 2 * 16 * 17);
/// let volume = firsttouch_scenes::mass::MassProperties::new(&ball, 1.0)?.mass;
/// assert!((volume / (4.0 * PI / 3.0) - 1.0).abs() < 0.05);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn turned(triangles: usize, ratio: f64, outline: impl Fn(f64) -> (f64, f64)) -> Result<Mesh> {
    let half = triangles as f64 / 2.0;
    let around = ((half / ratio).sqrt().floor() as u32).max(3);
    let rings = ((half / f64::from(around)).round() as u32).max(2);
    let point = |ring: u32, k: u32| {
        let (radius, z) = outline(f64::from(ring) / f64::from(rings + 1));
        let (sin, cos) = (TAU * f64::from(k) / f64::from(around)).sin_cos();
        DVec3::new(radius * cos, radius * sin, z)
    };
    let pole = |v: f64| DVec3::new(0.0, 0.0, outline(v).1);
    let mut vertices: Vec<DVec3> = (1..=rings)
        .flat_map(|ring| (0..around).map(move |k| (ring, k)))
        .map(|(ring, k)| point(ring, k))
        .collect();
    let (first, last) = (vertices.len() as u32, vertices.len() as u32 + 1);
    vertices.extend([pole(0.0), pole(1.0)]);
    let at = |ring: u32, k: u32| (ring - 1) * around + k % around;
    let mut faces = Vec::with_capacity(2 * (around * rings) as usize);
    for k in 0..around {
        faces.push([first, at(1, k + 1), at(1, k)]);
        for ring in 1..rings {
            faces.push([at(ring, k), at(ring, k + 1), at(ring + 1, k + 1)]);
            faces.push([at(ring, k), at(ring + 1, k + 1), at(ring + 1, k)]);
        }
        faces.push([at(rings, k), at(rings, k + 1), last]);
    }
    Mesh::new(vertices, faces)
}

/// Returns the point of a polyline at a fraction of its length.
pub(crate) fn along(line: &[(f64, f64)], part: f64) -> (f64, f64) {
    let length = |i: usize| (line[i + 1].0 - line[i].0).hypot(line[i + 1].1 - line[i].1);
    let pieces = line.len() - 1;
    let mut left = part.clamp(0.0, 1.0) * (0..pieces).map(length).sum::<f64>();
    for i in 0..pieces {
        if left <= length(i) || i + 1 == pieces {
            let t = (left / length(i)).min(1.0);
            return (
                line[i].0 + (line[i + 1].0 - line[i].0) * t,
                line[i].1 + (line[i + 1].1 - line[i].1) * t,
            );
        }
        left -= length(i);
    }
    line[pieces]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mass::{is_closed, solid_moments};

    #[test]
    fn a_turned_solid_is_closed_and_faces_outwards() {
        // A cup: radius 1, height 1, walls and bottom of 0.2.
        let line = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.8, 1.0), (0.8, 0.2), (0.0, 0.2)];
        let cup = turned(20_000, 1.0, |v| along(&line, v)).unwrap();
        assert!(is_closed(cup.triangles()));
        let exact = std::f64::consts::PI * (1.0 - 0.64 * 0.8);
        let volume = solid_moments(cup.vertices(), cup.triangles()).volume;
        assert!((volume / exact - 1.0).abs() < 0.02, "{volume} {exact}");
    }
}
