//! A world over the whole time of a question.

use super::{Level, Near, Pairs, contacts, near};
use crate::answer::Touch;
use crate::body::Body;
use crate::control::Control;
use crate::error::Result;
use crate::manifold::ContactPoint;
use crate::options::Options;

/// Bodies in motion. A world that is cut in time has pairs between two cuts only.
pub(crate) trait World: Sized {
    /// The pairs of the world, if it is not cut.
    type Pairs<'a>: Pairs
    where
        Self: 'a;

    /// Returns the pairs. The world must not be cut.
    fn pairs(&self) -> Self::Pairs<'_>;

    /// Returns the body with this index.
    fn body(&self, index: usize) -> &Body;

    /// Returns the distance that the two parts of a touch keep.
    fn separation_of_touch(&self, touch: &Touch, options: &Options) -> f64;

    /// Returns the world in the span between two cuts that an instant is in, at a cut in the span that ends there, and
    /// its beginning and end; `None` if it is not cut.
    fn span_before(&self, _t: f64) -> Result<Option<([f64; 2], Self)>> {
        Ok(None)
    }

    /// Returns true if the world is cut within a span of time, both ends included.
    fn has_cut(&self, _span: [f64; 2]) -> bool {
        false
    }

    /// Returns everything that comes within a level in a span of time; see [`near`].
    fn near(
        &self,
        span: [f64; 2],
        level: &Level<'_>,
        resolution: f64,
        control: &Control<'_>,
    ) -> Result<Near> {
        Ok(near(&self.pairs(), span, level, resolution, control))
    }

    /// Returns all contacts at an instant.
    fn contacts(&self, t: f64, options: &Options, control: &Control<'_>) -> Result<Vec<ContactPoint>> {
        Ok(contacts(&self.pairs(), t, options, control))
    }
}
