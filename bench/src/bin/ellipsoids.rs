//! Tables 1 and 2 of the 2009 paper on ellipsoids, theirs and ours.

use std::hint::black_box;
use std::time::Instant;

use firsttouch::ellipsoid::Posed;
use firsttouch::motion::Pose;
use firsttouch::shape::Ellipsoid;
use glam::{DQuat, DVec3};

fn main() {
    stationary();
}

/// A number in `[0, 1)`, the same in every run.
fn unit(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

fn stationary() {
    let mut state = 1;
    let mut pairs = Vec::new();
    for _ in 0..4096 {
        let mut one = |center: DVec3| {
            let axes = DVec3::new(0.2 + unit(&mut state), 0.2 + unit(&mut state), 0.2 + unit(&mut state));
            let q = [0; 4].map(|_| unit(&mut state) - 0.5);
            (Ellipsoid::new(axes).unwrap(), Pose::new(center, DQuat::from_array(q)).unwrap())
        };
        let (a, b) = (one(DVec3::ZERO), one(DVec3::X));
        // Close to contact: the balls cannot tell.
        let distance = 0.5 * (a.0.semi_axes() + b.0.semi_axes()).element_sum() / 1.5;
        let b = (b.0, Pose::new(DVec3::X * distance, b.1.rotation()).unwrap());
        pairs.push((a, b));
    }
    let mut counts = [0_u32; 3];
    let rounds = 100;
    let start = Instant::now();
    for _ in 0..rounds {
        for (a, b) in black_box(&pairs) {
            let relation = Posed::new(&a.0, &a.1).relation(&Posed::new(&b.0, &b.1));
            counts[relation as usize] += 1;
        }
    }
    let each = start.elapsed().as_nanos() as f64 / (rounds * pairs.len()) as f64;
    println!("static test       theirs   700 ns   ours {each:8.1} ns   (separate, touching, overlapping: {counts:?})");
}
