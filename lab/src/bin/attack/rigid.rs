//! Rigid bodies, with a generator of their own, to which the attacker adds methods.

#[path = "../../../../crates/firsttouch/tests/attackers/rigid.rs"]
pub(crate) mod attacker;
#[path = "../../../../crates/firsttouch/tests/random/mod.rs"]
mod random;
