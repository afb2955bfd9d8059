//! Conservative advancement and the temporal-culling queue, shared by all engines.

mod conservative;
mod queue;
mod resting;

pub use crate::pair::{Limits, Verdict};
pub(crate) use conservative::angle_between;
pub use conservative::{Approach, PieceTouch, RelativeBounds, Separation, advance, round_instant};
pub use queue::{Queue, Replacements, Step, first_of_sorted};
pub use resting::{Rest, Resting, Tie, advance_resting, direction_at_start, rest_of_hulls, touches_at_start};
