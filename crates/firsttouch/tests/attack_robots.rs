//! A short run of the attackers of the public functions for robots. Any seed and any number of rounds will do.

#[path = "attackers/robots.rs"]
mod attacker;
use crate::random;

#[test]
fn the_doors_for_robots_hold() {
    let counts = attacker::run(1, 300);
    let answers = counts.free + counts.touch + counts.at_start + counts.undecided;
    let rate = |n: usize| n as f64 / answers as f64;
    assert!(counts.robots == 300 && counts.orders == 300 && answers == 1800, "{counts:?}");
    assert!(rate(counts.free) > 0.3 && rate(counts.touch) > 0.06, "{counts:?}");
    assert!(rate(counts.at_start) > 0.1 && rate(counts.undecided) > 0.1, "{counts:?}");
    assert!(counts.judged > 80 && counts.grazes > 3 && counts.later > 8, "{counts:?}");
}
