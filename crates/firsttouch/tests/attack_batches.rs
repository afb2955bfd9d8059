//! A short run of the attackers of batches. Any seed and any number of rounds will do.

#[path = "attackers/batches.rs"]
mod attacker;
use crate::random;

#[test]
fn a_motion_in_a_batch_is_a_motion_alone() {
    let counts = attacker::run(1, 15);
    println!("{counts:?}");
    let rate = |n: usize| n as f64 / counts.motions as f64;
    assert!(counts.motions > 10_000, "{counts:?}");
    assert!(
        rate(counts.free) > 0.1 && rate(counts.touch) > 0.1 && rate(counts.at_start) > 0.02,
        "{counts:?}"
    );
    assert!(counts.batches > 100 && counts.edits >= 45, "{counts:?}");
    assert!(counts.questions > 100 && counts.scenes > 100 && counts.steps > 50, "{counts:?}");
}
