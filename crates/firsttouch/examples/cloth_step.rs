//! A step that does not tunnel: how far may a solver move the vertices of a cloth?
//!
//! A cloth of 800 triangles falls onto the tip of a tent of two triangles. Both are one deforming mesh, so that the
//! cloth is checked against the tent and against itself. Run it with `cargo run -p firsttouch --example cloth_step`.

#![allow(clippy::disallowed_methods, reason = "only the library gives the same bits everywhere")]

use firsttouch::deformable::{Deformable, Start};
use firsttouch::{Answer, Options, Result};
use glam::{DVec3, dvec3};

/// The cloth has `SIDE * SIDE` vertices.
const SIDE: u32 = 21;

/// The distance that the cloth should fall in each step.
const FALL: f64 = 0.4;

fn main() -> Result<()> {
    let (cloth, mut triangles) = cloth();
    let first = cloth.len() as u32;
    // The tent stands at x = 0.3: its ridge goes from (0.3, -0.2, 0.5) to (0.3, 0.2, 0.5).
    let tent = [dvec3(0.3, -0.2, 0.5), dvec3(0.3, 0.2, 0.5), dvec3(0.1, 0.0, 0.0), dvec3(0.5, 0.0, 0.0)];
    triangles.extend([[first, first + 1, first + 2], [first, first + 1, first + 3]]);
    let mut now: Vec<DVec3> = cloth.into_iter().chain(tent).collect();

    let wanted = |now: &[DVec3]| -> Vec<DVec3> {
        let fall = |(v, &p): (usize, &DVec3)| if v < first as usize { p - DVec3::Z * FALL } else { p };
        now.iter().enumerate().map(fall).collect()
    };
    let mut mesh = Deformable::new(now.clone(), wanted(&now), triangles, vec![], vec![])?;
    let mut steps = Vec::new();
    loop {
        // 0.9 of the way to the first touch, or all of the step where nothing touches.
        let step = mesh.safe_step(&Options::default(), Start::Report, 0.9)?;
        let next = wanted(&now);
        now = now.iter().zip(&next).map(|(&from, &to)| from.lerp(to, step)).collect();
        steps.push(step);
        println!(
            "step {:2}: {step:.6} of the way, the cloth's lowest vertex is at z = {:.6}",
            steps.len(),
            lowest(&now)
        );
        if step < 1e-4 {
            break;
        }
        mesh.set_frames(&now, &wanted(&now))?;
    }

    // The cloth hangs at z = 1.5 over the tent and falls by 0.4 a step: two whole steps to z = 0.7. The ridge at z =
    // 0.5 is half a step away, of which the third step goes 0.9. Every step divides the remaining way by 10.
    assert_eq!(steps[..2], [1.0, 1.0]);
    let expected = [0.45, 0.045, 0.0045, 0.00045, 0.000045];
    assert_eq!(steps.len(), 2 + expected.len());
    assert!(steps[2..].iter().zip(expected).all(|(step, expected)| (step - expected).abs() < 1e-9));

    // Every further step touches at the ridge, which is below the cloth: the normal is vertical.
    let report = mesh.check(&Options::default(), Start::Report)?;
    let Answer::Touch(touch) = &report.answer else { panic!("the tent is in the way") };
    println!("the touch: {} and {}, normal {}", touch.features[0], touch.features[1], touch.normal);
    assert!(touch.normal.z.abs() > 0.99);
    Ok(())
}

/// A square of side 2 about the z axis. It is flat at z = 1.5, but for its rim, which hangs down by 0.1.
fn cloth() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let coordinate = |i: u32| 2.0 * f64::from(i) / f64::from(SIDE - 1) - 1.0;
    let rim = |i: u32| i == 0 || i == SIDE - 1;
    let vertex = |k: u32| {
        let (i, j) = (k % SIDE, k / SIDE);
        dvec3(coordinate(i), coordinate(j), if rim(i) || rim(j) { 1.4 } else { 1.5 })
    };
    let square = |k: u32| {
        let (i, j) = (k % (SIDE - 1), k / (SIDE - 1));
        let corner = j * SIDE + i;
        [[corner, corner + 1, corner + SIDE], [corner + 1, corner + SIDE + 1, corner + SIDE]]
    };
    ((0..SIDE * SIDE).map(vertex).collect(), (0..(SIDE - 1) * (SIDE - 1)).flat_map(square).collect())
}

fn lowest(frame: &[DVec3]) -> f64 {
    frame[..(SIDE * SIDE) as usize].iter().map(|p| p.z).fold(f64::INFINITY, f64::min)
}
