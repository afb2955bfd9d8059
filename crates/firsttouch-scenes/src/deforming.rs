//! Deforming meshes at any resolution: a sheet of cloth that waves and folds over, a crowd of balls, and a rod that is
//! twisted into a coil.
//!
//! Each is a pair of frames whose vertices move linearly from the first to the second, like the output of a simulator.

use firsttouch::Result;
use firsttouch::deformable::{Deformable, Settings};
use glam::DVec3;

use crate::Frame;
use crate::random::Random;

/// Two frames of one triangle mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Frames {
    /// The vertices at time 0.
    pub t0: Vec<DVec3>,
    /// The vertices at time 1.
    pub t1: Vec<DVec3>,
    /// The corners of the triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl Frames {
    /// Builds the mesh, ready for queries.
    pub fn build(&self, settings: Settings) -> Result<Deformable> {
        Deformable::with_settings(
            self.t0.clone(),
            self.t1.clone(),
            self.triangles.clone(),
            vec![],
            vec![],
            settings,
        )
    }
}

/// A mesh that deforms from frame to frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    /// The vertices by frame, the same number in each.
    pub positions: Vec<Vec<DVec3>>,
    /// The corners of the triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl Sequence {
    /// Returns the step from frame `k` to the next, or `None` if there is no next frame.
    pub fn step(&self, k: usize) -> Option<Frames> {
        let [t0, t1] = self.positions.get(k..k + 2)? else { return None };
        Some(Frames { t0: t0.clone(), t1: t1.clone(), triangles: self.triangles.clone() })
    }

    /// Returns the number of steps from frame to frame.
    pub fn steps(&self) -> usize {
        self.positions.len().saturating_sub(1)
    }

    /// Returns the frames as soups.
    pub fn frames(&self) -> Vec<Frame> {
        let frame = |positions: &Vec<DVec3>| Frame {
            positions: positions.clone(),
            triangles: self.triangles.clone(),
        };
        self.positions.iter().map(frame).collect()
    }
}

/// Returns a square sheet of `2 (side − 1)²` triangles. It is folded over itself in layers, a little apart, and waves
/// by up to `motion` times the gap between the layers. Below about 1/2 there is no touch, above 1 there are many.
///
/// ```
/// use firsttouch::deformable::Start;
/// use firsttouch::{Answer, Options};
/// let calm = firsttouch_scenes::deforming::folded_cloth(40, 0.2).build(Default::default())?;
/// assert_eq!(calm.check(&Options::default(), Start::Report)?.answer, Answer::Free);
/// let wild = firsttouch_scenes::deforming::folded_cloth(40, 3.0).build(Default::default())?;
/// assert!(matches!(wild.check(&Options::default(), Start::Report)?.answer, Answer::Touch(_)));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn folded_cloth(side: usize, motion: f64) -> Frames {
    const LAYERS: f64 = 6.0;
    let gap = 0.02;
    let mut random = Random::new(side as u64);
    let side = side.max(2);
    let (mut t0, mut t1) = (Vec::new(), Vec::new());
    for i in 0..side {
        for j in 0..side {
            let (u, v) = (i as f64 / (side - 1) as f64, j as f64 / (side - 1) as f64);
            // Along u the sheet goes back and forth, and rises by one gap per layer.
            let along = LAYERS * u;
            let turn = along.rem_euclid(2.0);
            let x = if turn <= 1.0 { turn } else { 2.0 - turn };
            let ripple = 0.1 * gap * (7.0 * v + 5.0 * x).sin();
            // A little noise, well within the gap and within a triangle, so that no part is exactly flat.
            let noise = random.vector(0.02 * gap.min(1.0 / side as f64));
            let start = DVec3::new(x, v, gap * along + ripple) + noise;
            let wave = motion * gap * (9.0 * v + 3.0 * along).sin() * (4.0 * x).cos();
            t0.push(start);
            t1.push(start + DVec3::new(0.2 * wave, 0.1 * wave, wave));
        }
    }
    let at = |i: usize, j: usize| (i * side + j) as u32;
    let mut triangles = Vec::with_capacity(2 * (side - 1) * (side - 1));
    for i in 0..side - 1 {
        for j in 0..side - 1 {
            triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
            triangles.push([at(i + 1, j + 1), at(i, j + 1), at(i + 1, j)]);
        }
    }
    Frames { t0, t1, triangles }
}

/// Returns `count` balls of `4 rings²` triangles each, in the cells of a grid, that move about and swell or shrink.
///
/// ```
/// let frames = firsttouch_scenes::deforming::moving_balls(27, 8, 1);
/// assert_eq!(frames.triangles.len(), 27 * (4 * 8 * 8 - 4 * 8));
/// ```
pub fn moving_balls(count: usize, rings: usize, seed: u64) -> Frames {
    let rings = rings.max(2);
    let mut random = Random::new(seed);
    let edge = (1..).find(|e| e * e * e >= count).unwrap_or(1);
    let mut out = Frames { t0: vec![], t1: vec![], triangles: vec![] };
    for ball in 0..count {
        let cell = DVec3::new((ball % edge) as f64, (ball / edge % edge) as f64, (ball / edge / edge) as f64);
        let (from, to) = (cell + random.vector(0.05), cell + random.vector(0.2));
        let (small, large) = (random.between(0.3, 0.4), random.between(0.3, 0.45));
        let turn = random.between(0.0, 0.3);
        let base = out.t0.len() as u32;
        let around = 2 * rings;
        // Rings between the poles, then the poles.
        for i in 1..rings {
            for j in 0..around {
                let polar = std::f64::consts::PI * i as f64 / rings as f64;
                let point = |shift: f64| {
                    let angle = std::f64::consts::TAU * j as f64 / around as f64 + shift;
                    DVec3::new(polar.sin() * angle.cos(), polar.sin() * angle.sin(), polar.cos())
                };
                out.t0.push(from + point(0.0) * small);
                out.t1.push(to + point(turn) * large);
            }
        }
        for pole in [DVec3::Z, -DVec3::Z] {
            out.t0.push(from + pole * small);
            out.t1.push(to + pole * large);
        }
        let at = |i: usize, j: usize| base + ((i - 1) * around + j % around) as u32;
        let north = base + ((rings - 1) * around) as u32;
        for j in 0..around {
            out.triangles.push([north, at(1, j), at(1, j + 1)]);
            out.triangles.push([north + 1, at(rings - 1, j + 1), at(rings - 1, j)]);
            for i in 1..rings - 1 {
                out.triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                out.triangles.push([at(i + 1, j + 1), at(i, j + 1), at(i + 1, j)]);
            }
        }
    }
    out
}

/// Returns a rod of `2 around along` triangles that is wound into a coil of ten turns and twisted further, until its
/// turns touch.
///
/// ```
/// use firsttouch::deformable::Start;
/// use firsttouch::{Answer, Options};
/// let mesh = firsttouch_scenes::deforming::twisted_rod(12, 300).build(Default::default())?;
/// assert!(matches!(mesh.check(&Options::default(), Start::Report)?.answer, Answer::Touch(_)));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn twisted_rod(around: usize, along: usize) -> Frames {
    use std::f64::consts::TAU;
    const TURNS: f64 = 10.0;
    let (around, along) = (around.max(3), along.max(1));
    let (coil, radius) = (1.0, 0.3);
    // The centres of neighbouring turns are slightly farther apart than the rod's thickness, and then slightly nearer.
    // The whole rod is twisted by some degrees.
    let frame = |pitch: f64, twist: f64, further: f64| -> Vec<DVec3> {
        let mut points = Vec::with_capacity(around * (along + 1));
        for i in 0..=along {
            let s = i as f64 / along as f64;
            let angle = TAU * TURNS * s * (1.0 + further);
            let (sin, cos) = angle.sin_cos();
            let outwards = DVec3::new(cos, sin, 0.0);
            let forwards = DVec3::new(-coil * sin, coil * cos, pitch / TAU).normalize();
            let upwards = outwards.cross(forwards);
            let center = outwards * coil + DVec3::Z * (pitch * TURNS * s);
            for j in 0..around {
                let turn = TAU * (j as f64 / around as f64 + twist * s);
                // Ridges: the rod is not round, so a twist moves them.
                let r = radius * (1.0 + 0.05 * (5.0 * TAU * j as f64 / around as f64).cos());
                points.push(center + (outwards * turn.cos() + upwards * turn.sin()) * r);
            }
        }
        points
    };
    let (t0, t1) = (frame(2.15 * radius, 3.0, 0.0), frame(1.9 * radius, 3.5, 0.002));
    let at = |i: usize, j: usize| (i * around + j % around) as u32;
    let mut triangles = Vec::with_capacity(2 * around * along);
    for i in 0..along {
        for j in 0..around {
            triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
            triangles.push([at(i + 1, j + 1), at(i, j + 1), at(i + 1, j)]);
        }
    }
    Frames { t0, t1, triangles }
}
