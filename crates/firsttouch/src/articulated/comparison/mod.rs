//! Methods kept for comparison: a step of a robot by intervals and bisection, and by boxes of several kinds.

mod bisection;
mod by_boxes;

pub use bisection::first_touch_by_bisection;
pub use by_boxes::{Bounds, check_step_by_boxes, swept_boxes};
