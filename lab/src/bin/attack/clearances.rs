//! Least distances.

#[path = "../../../../crates/firsttouch/tests/attackers/clearances.rs"]
pub(crate) mod attacker;
