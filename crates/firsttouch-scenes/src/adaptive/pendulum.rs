//! The pendulum: a chain of balls that swings under gravity, folds up and runs into itself.

use std::f64::consts::PI;

use firsttouch::Result;
use firsttouch::articulated::JointKind;
use glam::DVec3;

use super::{AdaptiveScene, Assembly, WOOD, not_free};
use crate::dynamics::Setup;
use crate::dynamics::linkage::JointLaw;
use crate::random::Random;
use crate::turned::turned;

const BALLS: usize = 30;
/// The distance from centre to centre; each ball hangs on the centre of the previous one.
const SPACING: f64 = 0.1;
const RADIUS: f64 = 0.045;

/// Returns a chain of 30 balls on a fixed point, with `triangles` triangles in all. The axes of its joints lie across
/// the chain, every other one turned by a right angle. It starts wound up.
///
/// ```
/// let scene = firsttouch_scenes::adaptive::pendulum(16_400)?;
/// assert_eq!((scene.bodies(), scene.triangles()), (30, 16_320));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn pendulum(triangles: usize) -> Result<AdaptiveScene> {
    let mut chain = Assembly::new();
    for i in 0..BALLS {
        let ball = turned(triangles / BALLS, 1.0, |v| {
            (RADIUS * (PI * v).sin(), -SPACING - RADIUS * (PI * v).cos())
        })?;
        let axis = if i % 2 == 0 { DVec3::Y } else { DVec3::X };
        let (parent, at) = match i {
            0 => ("world".to_string(), DVec3::ZERO),
            _ => (format!("ball {}", i - 1), DVec3::Z * -SPACING),
        };
        chain.add(&format!("ball {i}"), &parent, at, JointKind::Revolute { axis }, ball)?;
    }
    let mut linkage = chain.build("pendulum", WOOD)?;
    linkage.set_law(JointLaw { damping: 2e-4, ..JointLaw::default() })?;
    let mut scene = AdaptiveScene {
        name: "pendulum",
        start: linkage.robot().zero(),
        linkage,
        springs: vec![],
        setup: Setup::default(),
        obstacles: vec![],
    };
    // The chain is wound up in a spiral of radius ρ whose turns are 0.15 apart, ρ² = 0.4² − 0.15 s / π after the length
    // s. The spiral is not quite flat: the turns fall on each other before it swings. Every other joint turns in the
    // plane of the spiral.
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let turn = |i: usize| 2.0 * SPACING / (0.16 - 0.15 * SPACING * i as f64 / PI).sqrt();
        let start: Vec<f64> = (0..BALLS)
            .map(|i| if i % 2 == 0 { turn(i) } else { 0.0 } + random.between(-0.05, 0.05))
            .collect();
        if scene.is_free(&start, 0.005)? {
            scene.start = start;
            return Ok(scene);
        }
    }
    Err(not_free("a pendulum"))
}
