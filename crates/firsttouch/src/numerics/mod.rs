//! Arithmetic that never lies: every result is a proven enclosure or an exact sign.

pub mod bernstein;
pub mod bernstein2;
mod bernstein_grid;
pub(crate) mod binomial;
mod first_root;
mod interval;
mod rigid;
pub mod rounding;
mod sin_cos;
mod taylor;

pub use interval::Interval;
pub use rigid::{
    Enclosure, EnclosureMat3, EnclosureTransform, EnclosureVec3, IntervalMat3, IntervalTransform,
    IntervalVec3, TaylorMat3, TaylorTransform, TaylorVec3,
};
pub use sin_cos::{sin_cos, sin_cos_enclosed};
pub use taylor::{TaylorModel, Window};
