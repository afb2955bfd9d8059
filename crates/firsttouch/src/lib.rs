//! firsttouch finds the first time moving things touch, and proves when they never do.

pub mod advancement;
pub mod answer;
pub mod articulated;
pub mod broad;
pub mod deformable;
pub mod distance;
pub mod elementary;
pub mod error;
pub mod motion;
pub mod narrow;
pub mod numerics;
pub mod options;
pub mod scene;
pub mod shape;

pub use answer::{Answer, Feature, Part, Touch};
pub use error::{Error, Result};
pub use options::{Mode, Options};
pub use scene::{Body, PairReport, Report, Scene, Stats};
