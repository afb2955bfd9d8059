//! Scenes of bodies of all kinds.

#[path = "../../../../crates/firsttouch/tests/attackers/mixed.rs"]
pub(crate) mod attacker;
#[path = "../../../../crates/firsttouch/tests/mixed_bodies/mod.rs"]
mod mixed_bodies;
