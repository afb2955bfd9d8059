//! A short run of the attackers of mixed scenes. Any seed and any number of rounds will do.

#[path = "attackers/mixed.rs"]
mod attacker;
use crate::mixed_bodies;

#[test]
fn scenes_of_all_kinds_hold() {
    let counts = attacker::run(1, 150);
    let rate = |n: usize| n as f64 / counts.scenes as f64;
    assert!(rate(counts.free) > 0.2 && rate(counts.touch) > 0.08, "{counts:?}");
    assert!(rate(counts.at_start) > 0.06 && rate(counts.undecided) > 0.1, "{counts:?}");
    assert!(counts.judged > 25 && counts.later > 3 && counts.pairs > 80, "{counts:?}");
    assert!(counts.sampled > 50 && counts.undecided_any > 0, "{counts:?}");
}
