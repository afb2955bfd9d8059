//! Tests of the core that need the scenes of this crate, or data in files.

mod ellipsoids;
mod growth;
mod pins;
mod rigid_shared;
