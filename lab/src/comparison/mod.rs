//! Methods that are kept for comparison. The library uses none of them.
//!
//! - [`cubic`]: the usual test of two features in plain `f64`. It proves nothing, and misses touches.
//! - [`catch`]: the pipeline of the CATCH paper as a whole, stage by stage.
//! - [`HullTree`], [`Hulled`], [`convex_patches`]: the hierarchy of hulls of the CATCH paper over the convex patches of
//!   a surface, with the same answers as the library's own tree.
//! - [`check_step_by_boxes`], [`swept_boxes`]: a step of a robot by boxes over the whole of it, of three kinds.
//! - [`first_touch_by_bisection`]: a step of a robot by bisection of time with plain intervals.

mod bisection;
mod by_boxes;
pub mod catch;
mod cell;
mod cubic;
mod decomposition;
mod hull_tree;
mod hulled;

pub use bisection::first_touch_by_bisection;
pub use by_boxes::{Bounds, check_step_by_boxes, swept_boxes};
pub use cell::Compared;
pub use cubic::{cubic, walk};
pub use decomposition::convex_patches;
pub use hull_tree::{HullNode, HullTree};
pub use hulled::Hulled;
