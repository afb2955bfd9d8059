//! Rigorous arithmetic: every result is a proven enclosure or an exact sign.

pub mod algebraic;
pub mod bernstein;
pub(crate) mod binomial;
pub mod bound;
mod coefficients;
pub(crate) mod coplanar;
pub mod double_double;
pub(crate) mod error_free;
mod first_root;
mod interval;
pub mod located;
pub(crate) mod portable;
pub mod predicates;
mod rigid;
pub(crate) mod rough;
pub mod rounding;
mod sin_cos;
mod taylor;
mod wide;

pub use interval::Interval;
pub use portable::atan2;
pub use rigid::{
    Enclosure, EnclosureMat3, EnclosureTransform, EnclosureVec3, IntervalMat3, IntervalTransform,
    IntervalVec3, TaylorMat3, TaylorTransform, TaylorVec3,
};
pub(crate) use sin_cos::{LANES, sin_cos_lanes};
pub use sin_cos::{sin_cos, sin_cos_enclosed};
pub use taylor::{TaylorModel, Window};
pub use wide::{Int, common_exponent};
