//! Tests of the core that need the scenes or the methods of this crate, or data in files.

mod ellipsoids;
mod growth;
mod pins;
mod provers;
mod rigid_shared;
mod robots;

#[path = "../../../crates/firsttouch/tests/box_robots.rs"]
#[allow(dead_code)]
mod box_robots;
#[path = "../../../crates/firsttouch/tests/random/mod.rs"]
mod random;
#[path = "../../../crates/firsttouch/tests/robot_adversarial.rs"]
mod robot_adversarial;
