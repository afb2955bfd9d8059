//! Elementary queries and deforming meshes.

#[path = "../../../../crates/firsttouch/tests/attackers/deforming.rs"]
pub(crate) mod attacker;
