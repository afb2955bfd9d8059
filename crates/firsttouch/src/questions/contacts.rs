//! All contacts of a world at an instant.
//!
//! 1. The search finds the pairs within the largest distance that any pair keeps, plus the tolerance.
//! 2. `manifold` finds the contacts of each. They are named, and sorted by their bodies; those of two bodies stay in
//!    the order of their places.

use super::{Measured, Pairs};
use crate::control::Control;
use crate::manifold::{ContactPoint, all_contacts};
use crate::numerics::rounding::UNIT;
use crate::options::Options;

/// Returns all contacts at `t`, under valid options.
pub(crate) fn contacts<P: Pairs>(
    world: &P,
    t: f64,
    options: &Options,
    control: &Control<'_>,
) -> Vec<ContactPoint> {
    let farthest = (world.largest_separation(options) + options.tolerance) * (1.0 + 4.0 * UNIT);
    let measured = Measured::new(world, world.within([t, t], farthest), options.min_separation);
    let found = all_contacts(&measured.sides(), t, options.tolerance, control.watch());
    let point = |(pair, touch)| ContactPoint::new(measured.described(pair, touch), measured.bodies(pair));
    let mut contacts: Vec<ContactPoint> = found.into_iter().map(point).collect();
    // Stable: the contacts of two bodies stay in their order.
    contacts.sort_by_key(|contact| contact.bodies);
    contacts
}
