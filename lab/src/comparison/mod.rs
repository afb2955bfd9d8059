//! Methods kept to be compared with. None of them is used by the library.
//!
//! - [`cubic`]: the usual test of two features in plain `f64`. It proves nothing, and misses touches.
//! - [`catch`]: the pipeline of the CATCH paper as a whole, stage by stage.
//! - [`HullTree`], [`Hulled`], [`convex_patches`]: the hierarchy of hulls of the CATCH paper over the convex patches of a surface, with the same
//!   answers as the library's own tree.
//!
//! One more needs so much of what belongs to the library that it stays there, behind the feature `internals`: bisection of time with plain
//! intervals, `firsttouch::articulated::comparison`.

pub mod catch;
mod cubic;
mod decomposition;
mod hull_tree;
mod hulled;

pub use cubic::{cubic, walk};
pub use decomposition::convex_patches;
pub use hull_tree::{HullNode, HullTree};
pub use hulled::Hulled;
