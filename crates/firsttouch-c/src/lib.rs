//! The C interface of firsttouch: one header, opaque handles, status codes. C++ programs use `firsttouch.hpp`, which
//! wraps it.
//!
//! This crate only converts and forwards. The header `include/firsttouch.h` is made from these files by cbindgen and
//! committed. A test (`tests/header.rs`) compares it, and also writes it.
//!
//! - `border`: status codes, the last error, the conversion of pointers to references. Panics end there.
//! - `values`: plain data: poses, options, answers.
//! - `shape`, `motion`, `robot`, `deformable`: handles to objects. `scene`, `screw_pair`, `checker`: handles to objects
//!   that are queried.
//! - `questions`: the least distance, all contacts, all times of overlap, derivatives.
//! - `report`: the complete result of a query of a scene or a deforming mesh. `elementary`, `ellipsoid`: functions
//!   without handles.
//!
//! Types and functions have the names that C programs see, with the prefix `ft_`.

#![allow(non_camel_case_types)]
// The duties of a caller of the exported functions are stated once, at the top of the header: pointers that are not
// NULL point to as much memory as the function's description says. "The caller's promise" means these duties.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

pub mod border;
pub mod checker;
pub mod deformable;
pub mod elementary;
pub mod ellipsoid;
pub mod motion;
pub mod questions;
pub mod report;
pub mod robot;
pub mod scene;
pub mod screw_pair;
pub mod shape;
pub mod values;
pub mod version;

pub use version::FT_ABI_VERSION;
