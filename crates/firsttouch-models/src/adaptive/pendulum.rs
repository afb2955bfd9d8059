//! The pendulum: a chain of balls that swings under gravity, folds up and runs into itself.

use std::f64::consts::PI;

use firsttouch::Result;
use firsttouch::articulated::JointKind;
use glam::DVec3;

use super::{AdaptiveScene, Assembly, WOOD};
use crate::dynamics::Setup;
use crate::dynamics::linkage::JointLaw;
use crate::random::Random;
use crate::turned::turned;

const BALLS: usize = 30;
/// From centre to centre; each ball hangs on the centre of the one before.
const SPACING: f64 = 0.1;
const RADIUS: f64 = 0.045;

/// A chain of 30 balls on a fixed point, with so many triangles in all: the axes of its joints lie across the chain, every
/// other one turned by a right angle. It starts level and a little crumpled.
///
/// ```
/// let scene = firsttouch_models::adaptive::pendulum(16_400)?;
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
    // Upright, and bent a little here and there: it collapses on itself before it swings.
    let mut random = Random::new(30);
    let start = (0..BALLS).map(|i| if i == 0 { -2.9 } else { random.between(-0.15, 0.15) }).collect();
    Ok(AdaptiveScene {
        name: "pendulum",
        linkage,
        start,
        springs: vec![],
        setup: Setup::default(),
        obstacles: vec![],
    })
}
