//! How far a motion may be changed and stays free: conservative advancement over the size of the change.
//!
//! Let the goal of a motion be changed by `s` times something given, for `s` from 0 to 1. If nothing moves relative to anything else by more
//! than `L` per unit of `s`, at any time, and the motion at `s` keeps a distance of `d` beyond the separation, then all motions from `s` up to
//! `s + d / L` are free. From there the least distance is measured again. The steps end at 1, or where the distance is within the
//! tolerance of the separation.
//!
//! Guarantee: every motion from 0 to the scale returned is free. Least distances are lower bounds, and `L` is an upper bound.

use crate::clearance::Clearance;
use crate::control::Control;
use crate::error::Result;
use crate::numerics::bound::exceeds;
use crate::numerics::rounding::UNIT;
use crate::options::Options;

/// How far a change of a motion is proven safe.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SafeScale {
    /// The motion is free for every change from 0 up to, and including, this part of the one given; 0 if it is not free without one.
    pub scale: f64,
    /// The least distance at that scale; none if there is nothing to measure.
    pub clearance: Option<Clearance>,
    /// Whether the motion without a change is proven free.
    pub is_free: bool,
    /// How many motions were measured.
    pub steps: usize,
}

/// Steps from 0 to 1. `speed` is an upper bound of `L`, and `measure` returns the least distance at a scale. After an interrupt the scale is the
/// one proven before.
pub(crate) fn max_safe_scale(
    speed: f64,
    options: &Options,
    control: &Control<'_>,
    mut measure: impl FnMut(f64) -> Result<Option<Clearance>>,
) -> Result<SafeScale> {
    let mut safe = SafeScale { scale: 0.0, clearance: None, is_free: false, steps: 0 };
    let mut scale = 0.0;
    while safe.steps < options.max_iterations {
        safe.steps += 1;
        let found = measure(scale)?;
        if control.is_interrupted() {
            return Ok(safe);
        }
        let lower = found.as_ref().map_or(f64::INFINITY, |found| found.lower);
        let margin = lower - options.min_separation;
        if !exceeds(margin, 0.0) {
            return Ok(safe);
        }
        (safe.scale, safe.clearance, safe.is_free) = (scale, found, true);
        // Two roundings in the quotient, one in the sum.
        let next = (scale + margin / speed * (1.0 - 8.0 * UNIT)).next_down();
        if scale >= 1.0 || margin <= options.tolerance || next.is_nan() || next <= scale {
            return Ok(safe);
        }
        scale = if next < 1.0 { next } else { 1.0 };
    }
    Ok(safe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Interrupt;

    #[test]
    fn nothing_to_measure_is_safe() {
        let safe = max_safe_scale(3.0, &Options::default(), &Control::default(), |_| Ok(None)).unwrap();
        assert_eq!((safe.scale, safe.is_free, safe.steps), (1.0, true, 2));
    }

    /// What is interrupted measures nothing, which must not read as nothing to measure.
    #[test]
    fn an_interrupt_proves_no_step() {
        let interrupt = Interrupt::default();
        let control = Control { interrupt: Some(&interrupt), ..Control::default() };
        let safe = max_safe_scale(3.0, &Options::default(), &control, |scale| {
            if scale > 0.0 {
                interrupt.raise();
            }
            Ok(None)
        });
        assert_eq!(safe.map(|safe| (safe.scale, safe.is_free)), Ok((0.0, true)));
    }

    #[test]
    fn a_speed_that_is_not_known_proves_no_step() {
        let safe = max_safe_scale(f64::NAN, &Options::default(), &Control::default(), |_| Ok(None)).unwrap();
        assert_eq!((safe.scale, safe.is_free), (0.0, true));
    }
}
