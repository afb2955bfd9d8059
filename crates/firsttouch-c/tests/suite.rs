//! All tests of the crate, as one program: each file is a module of it. Run one file with
//! `cargo test -p firsttouch-c --test suite header::`.

mod compiling;
mod header;
mod programs;
mod questions;
