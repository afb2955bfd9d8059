//! Derivatives.

#[path = "../../../../crates/firsttouch/tests/attackers/derivatives.rs"]
pub(crate) mod attacker;
