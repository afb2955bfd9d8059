//! The command `firsttouch`.
fn main() {}
