//! Robots along paths.

use super::random;

#[path = "../../../../crates/firsttouch/tests/attackers/paths.rs"]
pub(crate) mod attacker;
