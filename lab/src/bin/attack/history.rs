//! State that outlives a query.

use super::random;

#[path = "../../../../crates/firsttouch/tests/attackers/history.rs"]
pub(crate) mod attacker;
