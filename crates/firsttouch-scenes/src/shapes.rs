//! Meshes generated at any resolution, the same on every run.
//!
//! - Closed and oriented outwards: [`sphere`], [`potato`], [`torus`], [`box_surface`].
//! - Soups: [`teapot`], whose parts are open and run through each other, and [`floor`].
//!
//! The number of triangles is approximate: the mesh gets the nearest number that the construction allows.

use std::collections::HashMap;
use std::f64::consts::TAU;

use firsttouch::Result;
use firsttouch::shape::Mesh;
use glam::{DVec3, dvec3};

use crate::random::Random;
use crate::surface::Surface;

/// Returns a sphere of radius 1: an icosahedron with every face cut into `f²` triangles, pushed out to the sphere. It
/// has `20 f²` triangles.
///
/// ```
/// let mesh = firsttouch_scenes::shapes::sphere(2_000)?;
/// assert_eq!(mesh.triangles().len(), 20 * 10 * 10);
/// assert!(mesh.vertices().iter().all(|v| (v.length() - 1.0).abs() < 1e-15));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn sphere(triangles: usize) -> Result<Mesh> {
    let (directions, triangles) = geodesic(triangles);
    Mesh::new(directions, triangles)
}

/// Returns a bumpy ball of radius about 1, between 0.65 and 1.35, with `20 f²` triangles. Another seed gives other
/// bumps.
///
/// ```
/// let mesh = firsttouch_scenes::shapes::potato(10_000, 1)?;
/// assert_eq!(mesh.triangles().len(), 20 * 22 * 22);
/// let radii = mesh.vertices().iter().map(|v| v.length());
/// assert!(radii.clone().fold(9.0, f64::min) > 0.65 && radii.fold(0.0, f64::max) < 1.35);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn potato(triangles: usize, seed: u64) -> Result<Mesh> {
    let mut random = Random::new(seed);
    // Waves through space, long and high or short and low; the heights add up to 0.35.
    let waves: Vec<(DVec3, f64, f64)> =
        [(2.0, 0.1), (2.5, 0.1), (4.0, 0.06), (5.0, 0.05), (9.0, 0.025), (12.0, 0.015)]
            .into_iter()
            .map(|(frequency, height)| {
                let direction = random.vector(1.0).try_normalize().unwrap_or(DVec3::X);
                (direction * frequency, height, random.between(0.0, TAU))
            })
            .collect();
    let (mut vertices, triangles) = geodesic(triangles);
    for vertex in &mut vertices {
        let bumps: f64 = waves.iter().map(|(k, height, phase)| height * (k.dot(*vertex) + phase).sin()).sum();
        *vertex *= 1.0 + bumps;
    }
    Mesh::new(vertices, triangles)
}

/// Returns a torus about z with the radii of the circle in its middle and of its tube. It has `2 · around · about`
/// triangles.
///
/// ```
/// let mesh = firsttouch_scenes::shapes::torus(1.0, 0.25, 1_000)?;
/// assert!((900..1_100).contains(&mesh.triangles().len()));
/// let (center, half) = mesh.bounds();
/// assert!((center.x + half.x - 1.25).abs() < 1e-9);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn torus(major: f64, minor: f64, triangles: usize) -> Result<Mesh> {
    // Triangles are about as long as wide: the numbers around and about are in the ratio of the radii.
    let about = ((triangles as f64 / 2.0 * minor / major).sqrt().round() as u32).max(3);
    let around = ((triangles as f64 / 2.0 / f64::from(about)).round() as u32).max(3);
    let mut surface = Surface::default();
    surface.grid(around, about, [true, true], |u, v| {
        let radius = major + minor * (v * TAU).cos();
        dvec3(radius * (u * TAU).cos(), radius * (u * TAU).sin(), minor * (v * TAU).sin())
    });
    surface.mesh()
}

/// Returns a teapot 2 high with a spout towards +x and a handle towards -x: a soup, like the one in the paper. Body,
/// lid, knob, handle and spout are separate sheets; spout and handle run into the body, and the spout is open at its
/// tip.
///
/// ```
/// let mesh = firsttouch_scenes::shapes::teapot(4_000)?;
/// assert!((3_500..4_500).contains(&mesh.triangles().len()));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn teapot(triangles: usize) -> Result<Mesh> {
    /// Radius and height along a meridian.
    type Profile<'a> = &'a dyn Fn(f64) -> (f64, f64);
    let mut surface = Surface::default();
    // A share of the triangles for each part; a grid of m by n cells has 2 m n.
    let cells = |share: f64, ratio: f64| {
        let n = ((share * triangles as f64 / 2.0 / ratio).sqrt().round() as u32).max(3);
        (((share * triangles as f64 / 2.0 / f64::from(n)).round() as u32).max(3), n)
    };
    let revolved = |profile: Profile<'_>, u: f64, v: f64| {
        let (radius, z) = profile(v);
        dvec3(radius * (u * TAU).cos(), radius * (u * TAU).sin(), z)
    };
    // Body: a bulging wall from the foot to the rim; the bottom closes it.
    let belly = |v: f64| (0.75 + 0.45 * (v * 2.6 + 0.25).sin(), -1.0 + 1.5 * v);
    let bottom = |v: f64| (v * belly(0.0).0, -1.0);
    let lid = |v: f64| ((1.0 - v) * belly(1.0).0, 0.5 + 0.3 * (v * 1.5).sin());
    let knob = |v: f64| (0.13 * (v * TAU / 2.0).sin(), 0.78 + 0.13 * (1.0 - (v * TAU / 2.0).cos()));
    let profiles: [(f64, f64, Profile<'_>); 4] =
        [(0.42, 3.0, &belly), (0.1, 4.0, &bottom), (0.16, 4.0, &lid), (0.06, 2.0, &knob)];
    for (share, ratio, profile) in profiles {
        let (around, along) = cells(share, ratio);
        surface.grid(around, along, [true, false], |u, v| revolved(profile, u, v));
    }
    // A tube of circles about a curve in the plane of x and z; `along` is the unit tangent.
    let tube = |center: DVec3, along: DVec3, radius: f64, u: f64| {
        let across = dvec3(-along.z, 0.0, along.x);
        center + (DVec3::Y * (u * TAU).cos() + across * (u * TAU).sin()) * radius
    };
    let (around, along) = cells(0.14, 0.5);
    surface.grid(around, along, [true, false], |u, v| {
        let angle = 1.9 + v * 2.5;
        let center = dvec3(-1.0 + 0.62 * angle.cos(), 0.0, -0.25 + 0.55 * angle.sin());
        tube(center, dvec3(-angle.sin(), 0.0, angle.cos()), 0.09, u)
    });
    let (around, along) = cells(0.12, 0.7);
    surface.grid(around, along, [true, false], |u, v| {
        let center = dvec3(0.95 + 0.75 * v, 0.0, -0.55 + 0.95 * v + 0.12 * (v * TAU).sin());
        tube(center, dvec3(0.6, 0.0, 0.8), 0.26 - 0.16 * v, u)
    });
    surface.mesh()
}

/// Returns the surface of a box with the given full side lengths: 12 triangles.
///
/// ```
/// let mesh = firsttouch_scenes::shapes::box_surface(glam::DVec3::splat(2.0))?;
/// assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn box_surface(sides: DVec3) -> Result<Mesh> {
    let corner = |i: u32| {
        let side = |bit: u32| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
        sides * dvec3(side(0), side(1), side(2))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new((0..8).map(corner).collect(), triangles)
}

/// Returns a square in the plane z = 0 with the given side length, of two triangles that face up.
///
/// ```
/// assert_eq!(firsttouch_scenes::shapes::floor(10.0)?.bounds().1.x, 5.0_f64.next_up());
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn floor(side: f64) -> Result<Mesh> {
    let corner = |x: f64, y: f64| dvec3(x, y, 0.0) * (0.5 * side);
    let corners = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    Mesh::new(corners, vec![[0, 1, 2], [0, 2, 3]])
}

/// Returns the vertices and triangles of an icosahedron whose faces are cut into `f²` triangles each, on the unit
/// sphere.
fn geodesic(triangles: usize) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let f = ((triangles as f64 / 20.0).sqrt().round() as u32).max(1);
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    // The corners are those of three golden rectangles: (0, ±1, ±φ), and the same with the coordinates rotated.
    let mut corners = Vec::new();
    for axis in 0..3 {
        for (p, q) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
            let mut corner = [0.0; 3];
            corner[(axis + 1) % 3] = p;
            corner[(axis + 2) % 3] = q;
            corners.push(DVec3::from_array(corner));
        }
    }
    // Neighbours are at distance 2: three that are pairwise neighbours are a face.
    let near = |i: usize, j: usize| (corners[i].distance(corners[j]) - 2.0).abs() < 1e-9;
    let (mut vertices, mut faces, mut known) = (Vec::new(), Vec::new(), HashMap::new());
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                if !(near(i, j) && near(j, k) && near(i, k)) {
                    continue;
                }
                let outwards = (corners[j] - corners[i]).cross(corners[k] - corners[i]).dot(corners[i]) > 0.0;
                let ids = if outwards { [i, j, k] } else { [i, k, j] };
                // A vertex is given by its weights at the corners: vertices of neighbouring faces with the same weights
                // are one.
                let mut at = |weights: [u32; 3]| {
                    let mut key: Vec<(usize, u32)> =
                        ids.into_iter().zip(weights).filter(|w| w.1 > 0).collect();
                    key.sort_unstable();
                    *known.entry(key.clone()).or_insert_with(|| {
                        let point: DVec3 =
                            key.iter().map(|&(id, weight)| corners[id] * f64::from(weight)).sum();
                        vertices.push(point.normalize());
                        vertices.len() as u32 - 1
                    })
                };
                for a in 0..f {
                    for b in 0..f - a {
                        let c = f - a - b;
                        faces.push([at([c, a, b]), at([c - 1, a + 1, b]), at([c - 1, a, b + 1])]);
                        if b + a + 2 <= f {
                            faces.push([
                                at([c - 1, a + 1, b]),
                                at([c - 2, a + 1, b + 1]),
                                at([c - 1, a, b + 1]),
                            ]);
                        }
                    }
                }
            }
        }
    }
    (vertices, faces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mass::{is_closed, solid_moments};

    /// Closed and facing outwards: every edge appears once in each direction, and the volume is that of the solid.
    #[test]
    fn closed_shapes_are_closed_and_face_outwards() {
        let volume = |mesh: &Mesh| solid_moments(mesh.vertices(), mesh.triangles()).volume;
        for n in [1, 20, 500, 5_000] {
            let (ball, lump, ring) = (sphere(n).unwrap(), potato(n, 3).unwrap(), torus(1.0, 0.3, n).unwrap());
            for mesh in [&ball, &lump, &ring] {
                assert!(is_closed(mesh.triangles()), "{n}");
                assert!(volume(mesh) > 0.0);
            }
            let ratio = ball.triangles().len() as f64 / n as f64;
            assert!(n < 20 || (0.8..1.25).contains(&ratio), "{n}: {ratio}");
        }
        let exact = 4.0 / 3.0 * std::f64::consts::PI;
        assert!((volume(&sphere(20_000).unwrap()) / exact - 1.0).abs() < 1e-3);
        let exact = 2.0 * std::f64::consts::PI.powi(2) * 0.09;
        assert!((volume(&torus(1.0, 0.3, 20_000).unwrap()) / exact - 1.0).abs() < 1e-2);
        assert!((volume(&box_surface(dvec3(1.0, 2.0, 3.0)).unwrap()) - 6.0).abs() < 1e-12);
    }

    #[test]
    fn a_teapot_is_a_soup() {
        assert!(!is_closed(teapot(2_000).unwrap().triangles()));
        assert_ne!(potato(500, 1).unwrap(), potato(500, 2).unwrap());
        assert_eq!(potato(500, 1).unwrap(), potato(500, 1).unwrap());
    }
}
