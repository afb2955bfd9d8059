//! Batches of motions.

use super::random;

#[path = "../../../../crates/firsttouch/tests/attackers/batches.rs"]
pub(crate) mod attacker;
