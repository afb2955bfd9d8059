//! Surfaces in contact at the start.

use super::random;

#[path = "../../../../crates/firsttouch/tests/attackers/resting.rs"]
pub(crate) mod attacker;
