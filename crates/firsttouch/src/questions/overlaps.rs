//! All times at which two bodies of a world touch.

use super::{Measured, Pairs};
use crate::control::Control;
use crate::ellipsoid::Overlap;
use crate::intervals::{TouchLimits, overlap_intervals};
use crate::numerics::rounding::UNIT;
use crate::options::Options;

/// Returns all times up to `t_max` at which two bodies, lower index first, or the parts of one, touch. The options are
/// valid.
pub(crate) fn overlaps<P: Pairs>(
    world: &P,
    bodies: [usize; 2],
    options: &Options,
    control: &Control<'_>,
) -> Vec<Overlap> {
    let farthest = (world.largest_separation(options) + options.tolerance) * (1.0 + 4.0 * UNIT);
    let mut pairs = world.within([0.0, options.t_max], farthest);
    pairs.retain(|pair| world.bodies(pair) == bodies);
    let measured = Measured::new(world, pairs, options.min_separation);
    overlap_intervals(&measured.sides(), &TouchLimits::new(options, control.watch()))
}
