//! Triangles under construction: grids, surfaces of revolution, bars and boxes, put together into one mesh.
//!
//! Parts are appended to the mesh. Parts that run through each other are not joined. The closed parts
//! ([`Surface::revolved`], [`Surface::bar`], [`Surface::panelled_box`]) face outwards.

use std::f64::consts::TAU;

use firsttouch::Result;
use firsttouch::motion::Pose;
use firsttouch::shape::Mesh;
use glam::{DMat3, DVec3, dvec3};

/// A mesh under construction.
#[derive(Debug, Clone, Default)]
pub struct Surface {
    /// The vertices of all parts.
    pub vertices: Vec<DVec3>,
    /// The triangles of all parts.
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// Adds a grid of `m` by `n` cells over the unit square, mapped into space. If it is `closed`, the last row is the
    /// first.
    pub fn grid(&mut self, m: u32, n: u32, closed: [bool; 2], map: impl Fn(f64, f64) -> DVec3) {
        let first = self.vertices.len() as u32;
        let count = |cells: u32, closed: bool| if closed { cells } else { cells + 1 };
        let (rows, columns) = (count(m, closed[0]), count(n, closed[1]));
        for i in 0..rows {
            for j in 0..columns {
                self.vertices.push(map(f64::from(i) / f64::from(m), f64::from(j) / f64::from(n)));
            }
        }
        let at = |i: u32, j: u32| first + (i % rows) * columns + j % columns;
        for i in 0..m {
            for j in 0..n {
                self.triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                self.triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }

    /// Adds a closed surface around the z axis, from its lower pole (`v = 0`) to its upper (`v = 1`): `radius(u, v)`
    /// and the height of each point. It has `2 · around · (along − 1)` triangles.
    pub fn revolved(&mut self, around: u32, along: u32, profile: impl Fn(f64, f64) -> (f64, f64)) {
        let (around, along) = (around.max(3), along.max(2));
        let first = self.vertices.len() as u32;
        let [bottom, top] = [0.0, 1.0].map(|v| DVec3::Z * profile(0.0, v).1);
        self.vertices.push(bottom);
        for j in 1..along {
            for i in 0..around {
                let (u, v) = (f64::from(i) / f64::from(around), f64::from(j) / f64::from(along));
                let (radius, z) = profile(u, v);
                let (sin, cos) = (u * TAU).sin_cos();
                self.vertices.push(dvec3(radius * cos, radius * sin, z));
            }
        }
        self.vertices.push(top);
        let last = self.vertices.len() as u32 - 1;
        let at = |i: u32, j: u32| first + 1 + (j - 1) * around + i % around;
        for i in 0..around {
            self.triangles.push([first, at(i + 1, 1), at(i, 1)]);
            for j in 1..along - 1 {
                self.triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                self.triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
            self.triangles.push([at(i, along - 1), at(i + 1, along - 1), last]);
        }
    }

    /// Adds a square bar of the given thickness from one point to another: 12 triangles.
    pub fn bar(&mut self, from: DVec3, to: DVec3, thickness: f64) {
        let along = to - from;
        let z = along.try_normalize().unwrap_or(DVec3::Z);
        // Upright bars stand along the axes; others have a level side.
        let x = DVec3::Z.cross(z).try_normalize().unwrap_or(DVec3::X);
        let frame = DMat3::from_cols(x, z.cross(x), z);
        let half = dvec3(0.5 * thickness, 0.5 * thickness, 0.5 * along.length());
        self.cuboid(0.5 * (from + to), frame, half);
    }

    /// Adds a box with its sides along the axes, from corner to corner: 12 triangles.
    pub fn block(&mut self, low: DVec3, high: DVec3) {
        self.cuboid(0.5 * (low + high), DMat3::IDENTITY, 0.5 * (high - low));
    }

    fn cuboid(&mut self, center: DVec3, frame: DMat3, half: DVec3) {
        let first = self.vertices.len() as u32;
        for i in 0..8 {
            let side = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            self.vertices.push(center + frame * (half * dvec3(side(0), side(1), side(2))));
        }
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
        self.triangles.extend(triangles.map(|ids| ids.map(|i: u32| first + i)));
    }

    /// Adds a box from corner to corner whose six faces are grids of `n` by `n` cells, pressed in by up to `depth` in
    /// the middle of every panel; each face has `panels` by `panels` of them. It has `12 n²` triangles.
    pub fn panelled_box(&mut self, low: DVec3, high: DVec3, n: u32, panels: u32, depth: f64) {
        let n = n.max(1);
        for axis in 0..3 {
            let (x, y) = ((axis + 1) % 3, (axis + 2) % 3);
            for side in [false, true] {
                self.grid(n, n, [false, false], |u, v| {
                    // Pressed in where both waves are high; the rims stay in place.
                    let wave = |s: f64| (s * TAU / 2.0 * f64::from(panels)).sin().powi(2);
                    let pressed = depth * (2.0 * wave(u) * wave(v)).min(1.0);
                    // The corners of the grid go around the outward normal.
                    let (u, v) = if side { (u, v) } else { (v, u) };
                    let mut point = DVec3::ZERO;
                    point[x] = low[x] + (high[x] - low[x]) * u;
                    point[y] = low[y] + (high[y] - low[y]) * v;
                    point[axis] = if side { high[axis] - pressed } else { low[axis] + pressed };
                    point
                });
            }
        }
    }

    /// Adds another surface, placed.
    pub fn add(&mut self, other: &Surface, pose: &Pose) {
        let (first, pose) = (self.vertices.len() as u32, pose.at());
        self.vertices.extend(other.vertices.iter().map(|&v| pose.apply(v)));
        self.triangles.extend(other.triangles.iter().map(|ids| ids.map(|i| first + i)));
    }

    /// Returns the surface with every vertex moved.
    pub fn moved(mut self, to: impl Fn(DVec3) -> DVec3) -> Surface {
        self.vertices.iter_mut().for_each(|v| *v = to(*v));
        self
    }

    /// Returns the mesh of all parts.
    pub fn mesh(self) -> Result<Mesh> {
        Mesh::new(self.vertices, self.triangles)
    }
}

/// Returns the numbers of cells around and along a surface of revolution with about this number of triangles; there are
/// `ratio` times as many cells around as along.
pub fn cells(triangles: f64, ratio: f64) -> (u32, u32) {
    let along = ((triangles / 2.0 / ratio).sqrt().round()).max(3.0);
    let around = (triangles / 2.0 / (along - 1.0)).round().max(6.0);
    (around as u32, along as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mass::{is_closed, solid_moments};

    #[test]
    fn closed_and_facing_outwards() {
        let volume = |surface: &Surface| solid_moments(&surface.vertices, &surface.triangles).volume;
        let mut round = Surface::default();
        round.revolved(40, 40, |_, v| ((v * TAU / 2.0).sin(), -(v * TAU / 2.0).cos()));
        assert_eq!(round.triangles.len(), 2 * 40 * 39);
        assert!(is_closed(&round.triangles));
        assert!((volume(&round) / (2.0 * TAU / 3.0) - 1.0).abs() < 0.02, "{}", volume(&round));
        let mut bar = Surface::default();
        bar.bar(DVec3::ZERO, dvec3(1.0, 2.0, 2.0), 0.5);
        assert!((volume(&bar) - 0.75).abs() < 1e-12);
        let mut panels = Surface::default();
        panels.panelled_box(DVec3::ZERO, DVec3::ONE, 8, 2, 0.0);
        // Its faces do not share their vertices, but all of them are present.
        assert_eq!(panels.triangles.len(), 12 * 64);
        assert!((volume(&panels) - 1.0).abs() < 1e-12);
        let mut pressed = Surface::default();
        pressed.panelled_box(DVec3::ZERO, DVec3::ONE, 8, 2, 0.1);
        assert!(volume(&pressed) < 0.95 && volume(&pressed) > 0.6);
    }
}
