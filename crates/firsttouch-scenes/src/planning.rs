//! Soft robots among soft obstacles: a bar that is squeezed through a gap between spheres, and a heart that is taken
//! out between lungs, liver and spine.
//!
//! The robot follows a path that is free for a line (the axis of the bar) or a point (the middle of the heart), but not
//! for its own width; the obstacles yield.
//! 1. Obstacles yield by a map of space that opens a hole of radius a about the line or point: a point at distance d
//!    moves straight away from it to distance ∛(d³ + a³). Different points go to different points, so obstacles that
//!    are apart stay apart, and none of them remains within a.
//! 2. The robot fits in the hole; inside it twists, swells and shrinks a little.
//!
//! If `yielding` is 1, the path is free; if it is less, the hole is too small by that factor, and the robot touches.
//! The map is exact for points; between vertices a triangle is a chord, so the hole is made larger than the robot. So
//! the path must be checked: it is not free by construction.
//!
//! Reference: the two scenes of Tang, Kim and Manocha 2010, Fig. 7.

use std::f64::consts::{PI, TAU};

use firsttouch::Result;
use glam::{DVec3, dvec3};

use crate::deforming::Sequence;
use crate::shapes::{potato, sphere};

/// Returns a bar of 96 triangles that falls through the gap between three spheres of 180, in `steps` steps: 636
/// triangles.
///
/// ```
/// let path = firsttouch_scenes::planning::bar_and_spheres(40, 1.0)?;
/// assert_eq!((path.triangles.len(), path.steps()), (636, 40));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn bar_and_spheres(steps: usize, yielding: f64) -> Result<Sequence> {
    // The gap is 0.6 wide between the axes of the columns, the bar 0.7.
    const WIDTH: f64 = 0.7;
    const LENGTH: f64 = 2.0;
    let centers = [dvec3(-1.3, 0.05, 2.0), dvec3(1.3, -0.05, 0.0), dvec3(-1.3, 0.0, -2.0)];
    let ball = sphere(180)?;
    let (bar, mut triangles) = bar(2, 5);
    for i in 0..centers.len() {
        let first = (bar.len() + i * ball.vertices().len()) as u32;
        triangles.extend(ball.triangles().iter().map(|ids| ids.map(|v| first + v)));
    }
    let hole = 0.5 * WIDTH * 2.0_f64.sqrt() * 1.4 * yielding;
    let frame = |k: usize| {
        let t = k as f64 / steps.max(1) as f64;
        let middle = dvec3(0.12 * (TAU * 1.5 * t).sin(), 0.0, 4.6 - 9.2 * t);
        let lean = dvec3(0.15 * (TAU * 1.5 * t).cos(), 0.1 * (TAU * t).sin(), 1.0).normalize();
        let ends = [middle - lean * (0.5 * LENGTH), middle + lean * (0.5 * LENGTH)];
        let across = DVec3::Y.cross(lean).normalize();
        let over = lean.cross(across);
        let mut out: Vec<DVec3> = bar
            .iter()
            .map(|p| {
                // The bar is twisted along its length, and breathes.
                let (sin, cos) = (0.5 * p.z * (TAU * t).sin()).sin_cos();
                let width = 0.5 * WIDTH * (0.97 + 0.03 * (TAU * 3.0 * t + 2.0 * p.z).sin());
                let (x, y) = (p.x * cos - p.y * sin, p.x * sin + p.y * cos);
                middle + across * (x * width) + over * (y * width) + lean * (0.5 * LENGTH * p.z)
            })
            .collect();
        for center in centers {
            out.extend(ball.vertices().iter().map(|&v| given_way(center + v, ends, hole)));
        }
        out
    };
    Ok(Sequence { positions: (0..=steps).map(frame).collect(), triangles })
}

/// Returns a beating heart that leaves the chest between two breathing lungs, above a liver, in front of a spine with
/// ligaments. There are about 14 thousand triangles for a `fineness` of 1, and `fineness²` times as many for others.
///
/// ```
/// let path = firsttouch_scenes::planning::organs(1.0, 30, 1.0)?;
/// assert!((13_500..14_500).contains(&path.triangles.len()));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn organs(fineness: f64, steps: usize, yielding: f64) -> Result<Sequence> {
    let count = |triangles: f64| (triangles * fineness * fineness) as usize;
    let heart = potato(count(3_920.0), 5)?;
    let lungs = [potato(count(2_420.0), 11)?, potato(count(2_420.0), 12)?];
    let liver = potato(count(2_880.0), 7)?;
    let vertebra = potato(count(320.0), 3)?;
    let (around, along) =
        ((8.0 * fineness).round().max(3.0) as u32, (20.0 * fineness).round().max(3.0) as u32);
    let mut triangles = Vec::new();
    let mut first = 0;
    let mut add = |ids: &[[u32; 3]], vertices: usize| {
        triangles.extend(ids.iter().map(|ids| ids.map(|v| first + v)));
        first += vertices as u32;
    };
    add(heart.triangles(), heart.vertices().len());
    for lung in &lungs {
        add(lung.triangles(), lung.vertices().len());
    }
    add(liver.triangles(), liver.vertices().len());
    const VERTEBRAE: usize = 6;
    for _ in 0..VERTEBRAE {
        add(vertebra.triangles(), vertebra.vertices().len());
    }
    let tube_triangles = tube_triangles(around, along);
    for _ in 0..2 {
        add(&tube_triangles, (around * (along + 1)) as usize);
    }
    // Lumps are up to 1.35 in radius: the heart stays within 0.4 · 1.35 · 1.05 = 0.57.
    const HEART: f64 = 0.4;
    let frame = |k: usize| {
        let t = k as f64 / steps.max(1) as f64;
        // The path goes forward, then up and out.
        let middle = dvec3(0.05 * (TAU * t).sin(), -0.1 - 2.6 * t, 0.1 + 0.9 * t * t);
        // The heart starts in the middle of the organs. They yield fully, and within the first third this drops to
        // `yielding`.
        let hole = 0.57 * 1.1 * (1.0 - (1.0 - yielding) * (3.0 * t).min(1.0));
        let beat = 0.05 * (TAU * 4.0 * t).sin();
        let stretch = dvec3(1.0 + beat, 1.0 - beat, 1.0 + beat) * HEART;
        let mut out: Vec<DVec3> = heart.vertices().iter().map(|&v| middle + v * stretch).collect();
        let breath = 1.0 + 0.02 * (TAU * 2.0 * t).sin();
        let mut give_way = |p: DVec3| out.push(given_way(p, [middle; 2], hole));
        for (lung, side) in lungs.iter().zip([-1.0, 1.0]) {
            let stretch = dvec3(0.5, 0.7, 1.0) * breath;
            lung.vertices().iter().for_each(|&v| give_way(dvec3(0.75 * side, -0.4, 0.3) + v * stretch));
        }
        liver.vertices().iter().for_each(|&v| give_way(dvec3(0.1, -0.5, -1.85) + v * dvec3(1.1, 0.6, 0.35)));
        for i in 0..VERTEBRAE {
            let center = dvec3(0.0, 1.15, -1.9 + 0.76 * i as f64);
            vertebra.vertices().iter().for_each(|&v| give_way(center + v * dvec3(0.28, 0.28, 0.25)));
        }
        for side in [-1.0, 1.0] {
            for j in 0..=along {
                let s = f64::from(j) / f64::from(along);
                let center =
                    dvec3(side * (0.5 + 0.15 * (PI * s).sin()), 1.2 - 0.15 * (PI * s).sin(), -1.5 + 3.0 * s);
                for i in 0..around {
                    let (sin, cos) = (TAU * f64::from(i) / f64::from(around)).sin_cos();
                    give_way(center + dvec3(cos, sin, 0.0) * 0.05);
                }
            }
        }
        out
    };
    Ok(Sequence { positions: (0..=steps).map(frame).collect(), triangles })
}

/// Takes step 1 of the header, for the segment between two points.
fn given_way(p: DVec3, [a, b]: [DVec3; 2], hole: f64) -> DVec3 {
    let along = b - a;
    let square = along.length_squared();
    let s = if square > 0.0 { ((p - a).dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
    let nearest = a + along * s;
    let distance = p.distance(nearest);
    let away = (p - nearest).try_normalize().unwrap_or(DVec3::X);
    nearest + away * (distance.powi(3) + hole.powi(3)).cbrt()
}

/// Returns the surface of the cube `[-1, 1]³` with sides of `m` by `n` cells along z, and ends of `m` by `m`; each
/// vertex once.
fn bar(m: i32, n: i32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut known: Vec<[i32; 3]> = Vec::new();
    for z in 0..=n {
        for y in 0..=m {
            for x in 0..=m {
                if x == 0 || x == m || y == 0 || y == m || z == 0 || z == n {
                    known.push([z, y, x]);
                }
            }
        }
    }
    // The list is sorted by its order of creation.
    let at = |x: i32, y: i32, z: i32| known.binary_search(&[z, y, x]).unwrap_or(0) as u32;
    let mut triangles = Vec::new();
    let mut cell = |a: u32, b: u32, c: u32, d: u32| triangles.extend([[a, b, c], [a, c, d]]);
    for z in 0..n {
        for i in 0..m {
            cell(at(i, 0, z), at(i + 1, 0, z), at(i + 1, 0, z + 1), at(i, 0, z + 1));
            cell(at(i + 1, m, z), at(i, m, z), at(i, m, z + 1), at(i + 1, m, z + 1));
            cell(at(0, i + 1, z), at(0, i, z), at(0, i, z + 1), at(0, i + 1, z + 1));
            cell(at(m, i, z), at(m, i + 1, z), at(m, i + 1, z + 1), at(m, i, z + 1));
        }
    }
    for y in 0..m {
        for x in 0..m {
            cell(at(x, y + 1, 0), at(x + 1, y + 1, 0), at(x + 1, y, 0), at(x, y, 0));
            cell(at(x, y, n), at(x + 1, y, n), at(x + 1, y + 1, n), at(x, y + 1, n));
        }
    }
    let place = |[z, y, x]: &[i32; 3]| {
        let unit = |i: i32, cells: i32| 2.0 * f64::from(i) / f64::from(cells) - 1.0;
        dvec3(unit(*x, m), unit(*y, m), unit(*z, n))
    };
    (known.iter().map(place).collect(), triangles)
}

/// Rings of `around` vertices, `along + 1` of them.
fn tube_triangles(around: u32, along: u32) -> Vec<[u32; 3]> {
    let at = |j: u32, i: u32| j * around + i % around;
    let cells = (0..along).flat_map(|j| (0..around).map(move |i| (j, i)));
    cells
        .flat_map(|(j, i)| {
            [[at(j, i), at(j, i + 1), at(j + 1, i)], [at(j + 1, i + 1), at(j + 1, i), at(j, i + 1)]]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mass::is_closed;
    use firsttouch::deformable::{Settings, Start};
    use firsttouch::{Answer, Options};

    /// Returns the number of steps with a touch, and the first of them; at no start before that are there crossings.
    fn touching(path: &Sequence) -> (usize, Option<usize>) {
        let mut touching = (0, None);
        for k in 0..path.steps() {
            let mesh = path.step(k).unwrap().build(Settings::default()).unwrap();
            let report = mesh.check(&Options::default(), Start::Report).unwrap();
            if report.answer != Answer::Free {
                if touching.1.is_none() {
                    assert_eq!(report.crossings_at_start, Some(0), "step {k}");
                }
                touching = (touching.0 + 1, touching.1.or(Some(k)));
            }
        }
        touching
    }

    #[test]
    fn obstacles_that_give_way_leave_the_path_free() {
        assert_eq!(touching(&bar_and_spheres(60, 1.0).unwrap()), (0, None));
        let (count, first) = touching(&bar_and_spheres(60, 0.4).unwrap());
        assert!(count > 5 && first.unwrap() > 5, "{count} {first:?}");
        assert_eq!(touching(&organs(0.6, 20, 1.0).unwrap()), (0, None));
        let (count, _) = touching(&organs(0.6, 20, 0.4).unwrap());
        assert!(count > 2, "{count}");
    }

    #[test]
    fn the_map_by_hand() {
        // Distance 1, hole 1: cube root of 2. Within the segment, straight away from it.
        let ends = [dvec3(0.0, 0.0, -1.0), dvec3(0.0, 0.0, 1.0)];
        let p = given_way(dvec3(1.0, 0.0, 0.5), ends, 1.0);
        assert!((p.x - 2.0_f64.cbrt()).abs() < 1e-15 && p.z == 0.5);
        assert!(is_closed(&bar(2, 5).1) && bar(2, 5).1.len() == 96);
    }
}
