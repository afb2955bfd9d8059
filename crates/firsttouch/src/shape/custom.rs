//! A custom convex solid.

use std::fmt;
use std::sync::Arc;

use super::convex::Convex;
use crate::error::{Error, Result, bounded_vector, positive};

/// A convex solid that this crate does not know; see [`Shape::custom`](super::Shape::custom).
///
/// Two of them are equal when they are the same object.
#[derive(Clone)]
pub struct CustomShape(Arc<dyn Convex + Send + Sync>);

impl CustomShape {
    /// Refuses a solid whose sizes are impossible. The check cannot tell if possible sizes are right:
    /// [`check_convex`](crate::testing::check_convex) tests that by sampling.
    pub(super) fn new(solid: Arc<dyn Convex + Send + Sync>) -> Result<CustomShape> {
        let reach = positive(|| "reach of a custom shape".into(), solid.reach())?;
        // Negative or NaN sizes would make bounds too sharp; a core that reaches farther than the solid is not its
        // core.
        for (what, value) in [("margin", solid.margin()), ("core_reach", solid.core_reach())] {
            if !(0.0..=reach).contains(&value) {
                let what = format!("{what} of a custom shape");
                return Err(Error::OutOfRange { what, expected: "from zero to its reach", value });
            }
        }
        let (center, half) = solid.bounds();
        bounded_vector(|| "centre of the bounds of a custom shape".into(), center)?;
        bounded_vector(|| "size of the bounds of a custom shape".into(), half)?;
        if half.min_element() < 0.0 {
            let what = "size of the bounds of a custom shape".into();
            return Err(Error::OutOfRange { what, expected: "zero or more", value: half.min_element() });
        }
        Ok(CustomShape(solid))
    }

    /// Returns the solid.
    #[inline]
    pub fn get(&self) -> &(dyn Convex + Send + Sync) {
        self.0.as_ref()
    }
}

impl PartialEq for CustomShape {
    fn eq(&self, other: &CustomShape) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for CustomShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (center, half) = self.0.bounds();
        f.debug_struct("CustomShape").field("center", &center).field("half", &half).finish_non_exhaustive()
    }
}
