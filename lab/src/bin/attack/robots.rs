//! The public functions for robots.

use super::random;

#[path = "../../../../crates/firsttouch/tests/attackers/robots.rs"]
pub(crate) mod attacker;
