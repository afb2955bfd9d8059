//! The C interface of firsttouch: one header, opaque handles, status codes. C++ programs use `firsttouch.hpp`, which wraps it.
//!
//! What is here converts and forwards. The header `include/firsttouch.h` is made from these files by cbindgen, committed, and compared
//! by a test (`tests/header.rs`), which also writes it.
//!
//! - `border`: status codes, the last error, how pointers become references. Panics end there.
//! - `values`: plain data: poses, options, answers.
//! - `shape`, `motion`, `robot`, `deformable`: handles to things. `scene`, `screw_pair`, `checker`: handles to things
//!   that are queried.
//! - `questions`: the least distance, all contacts, all times of overlap, derivatives.
//! - `report`: what a query of a scene or a deforming mesh returns in full. `elementary`, `ellipsoid`: functions without handles.
//!
//! Types and functions have the names that C programs see, with the prefix `ft_`.

#![allow(non_camel_case_types)]
// What a caller of the exported functions must see to is said once, at the top of the header: pointers that are not NULL point to as much
// memory as the function's description says. "The caller's promise" is that one.
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
