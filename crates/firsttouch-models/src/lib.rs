//! The demo and benchmark scenes of the papers, generated, at any resolution.

pub mod ellipsoids;
