//! All tests of the crate that use it from outside, as one program: each file is a module of it.

mod ellipsoids;
mod rigid_shared;
