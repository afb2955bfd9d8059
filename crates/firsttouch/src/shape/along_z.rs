//! The common functions of the solids of revolution about z: capsules, cylinders and cones.

use glam::DVec3;

use crate::error::{Result, positive};

/// Checks a radius and a length. Returns the radius and half of the length.
pub(super) fn checked_sizes(what: &str, radius: f64, length: f64) -> Result<[f64; 2]> {
    let radius = positive(|| format!("{what} radius"), radius)?;
    Ok([radius, 0.5 * positive(|| format!("{what} length"), length)?])
}

/// Returns the length of a direction across z.
#[inline]
pub(super) fn across(direction: DVec3) -> f64 {
    (direction.x * direction.x + direction.y * direction.y).sqrt()
}

/// Returns the point of the disc of this radius at `z` that is farthest along a direction; its centre for a direction
/// along z.
#[inline]
pub(super) fn disc_support(radius: f64, z: f64, direction: DVec3) -> DVec3 {
    let across = across(direction);
    if across > 0.0 {
        let scale = radius / across;
        DVec3::new(direction.x * scale, direction.y * scale, z)
    } else {
        DVec3::new(0.0, 0.0, z)
    }
}
