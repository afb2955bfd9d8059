//! A short run of the attackers of least distances. Any seed and any number of rounds will do.

#[path = "attackers/clearances.rs"]
mod attacker;

#[test]
fn least_distances_hold() {
    let counts = attacker::run(1, 300);
    let rate = |n: usize| n as f64 / counts.pairs as f64;
    assert!(rate(counts.apart) > 0.2 && rate(counts.overlapping) > 0.04, "{counts:?}");
    assert!(
        rate(counts.tight) > 0.3 && rate(counts.inside) > 0.2 && rate(counts.robots) > 0.15,
        "{counts:?}"
    );
    assert!(counts.instants == 24 * counts.pairs && counts.touches > 200, "{counts:?}");
}
