//! A short run of the attackers of robots along paths. Any seed and any number of rounds will do.

#[path = "attackers/paths.rs"]
mod attacker;
use crate::random;

#[test]
fn paths_hold() {
    let counts = attacker::run(1, 300);
    println!("{counts:?}");
    let answers = counts.free + counts.touch + counts.at_start + counts.undecided;
    let rate = |n: usize| n as f64 / answers as f64;
    assert!(counts.scenes == 300 && counts.steps == 2400 && counts.sampled == 8000, "{counts:?}");
    assert!(rate(counts.free) > 0.3 && rate(counts.touch) > 0.05, "{counts:?}");
    assert!(rate(counts.at_start) > 0.1 && rate(counts.undecided) > 0.02, "{counts:?}");
    assert!(counts.judged > 150 && counts.in_touch > 500 && counts.shown > 800, "{counts:?}");
    assert!(counts.grasps > 30 && counts.of_load > 3 && counts.smooth > 30, "{counts:?}");
    assert!(counts.moving > 20, "{counts:?}");
    assert!(counts.scans > 60 && counts.of_scan > 5, "{counts:?}");
}
