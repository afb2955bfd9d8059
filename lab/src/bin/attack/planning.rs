//! The planner.

use super::random;

#[path = "../../../../crates/firsttouch/tests/attackers/planning.rs"]
pub(crate) mod attacker;
