//! Ellipsoids by algebra.

#[path = "../../../../crates/firsttouch/tests/attackers/ellipsoids.rs"]
pub(crate) mod attacker;
