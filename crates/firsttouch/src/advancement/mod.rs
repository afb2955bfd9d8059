//! Conservative advancement and the temporal-culling queue: written once, used by every engine.

mod conservative;
mod queue;

pub use conservative::{Approach, Limits, Outcome, RelativeBounds, Separation, advance, round_instant};
pub use queue::{First, Queue, Step};
