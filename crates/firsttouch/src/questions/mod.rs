//! The questions besides the check: distances, contacts, overlaps, derivatives, safe changes. Each is written once, for
//! scenes and checkers.
//!
//! - `pairs`: the pairs of parts that a question is about ([`Pairs`]). Scenes and checkers implement this trait.
//! - `contacts`: all contacts at an instant. `overlaps`: all times at which two bodies touch.
//! - `least`: the least distance over a span of time.
//! - `near`: everything within a distance, and the closest points of two parts, also displaced.
//! - `gradient`: the derivatives of a touch or a least distance by the motions of its bodies, in a [`World`] that may
//!   be cut in time.
//! - `safe_scale`: the largest safe change of the goal of a body.
//!
//! Bodies, pairs and parts of an answer are in the order of the bodies; the sides of a pair are in an order that does
//! not depend on it.

mod contacts;
mod gradient;
mod least;
mod near;
mod overlaps;
mod pairs;
mod safe_scale;
mod world;

pub(crate) use contacts::contacts;
pub(crate) use gradient::{clearance_gradient, toi_gradient};
pub(crate) use least::{Least, LeastPairs, LeastSearch, Nearest, least};
pub(crate) use near::{Displacement, Level, Near, closest, near};
pub(crate) use overlaps::overlaps;
pub(crate) use pairs::{Measured, Pairs};
pub use safe_scale::{GoalChange, SafeScale};
pub(crate) use safe_scale::{Margin, max_safe_scale, reach};
pub(crate) use world::World;

use crate::error::{Error, Result};

/// Checks an instant of a question.
pub(crate) fn valid_instant(t: f64) -> Result<()> {
    if (0.0..=1.0).contains(&t) {
        return Ok(());
    }
    Err(Error::OutOfRange { what: "t".into(), expected: "from 0 to 1", value: t })
}
