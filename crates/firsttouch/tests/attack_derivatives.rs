//! A short run of the attackers of derivatives. Any seed and any number of rounds will do.

#[path = "attackers/derivatives.rs"]
mod attacker;

#[test]
fn derivatives_hold_or_are_flagged() {
    let counts = attacker::run(1, 240);
    let found = [counts.contacts, counts.distances].map(|of| of[0].min(of[1]));
    assert!(found[0] > 25 && found[1] > 25, "{counts:?}");
    assert!(counts.compared > 500 && counts.precise as f64 > 0.99 * counts.compared as f64, "{counts:?}");
    // A flag that is always set proves nothing. It is rare in general position and common in alignment with the axes,
    // but neither is the rule.
    let part = |flagged: [usize; 2], of: [usize; 2]| [0, 1].map(|k| flagged[k] as f64 / of[k] as f64);
    for parts in
        [part(counts.flagged_contacts, counts.contacts), part(counts.flagged_distances, counts.distances)]
    {
        assert!(parts[0] < 0.06 && parts[1] > 0.15 && parts[1] < 0.7, "{counts:?}");
    }
    assert!(
        counts.robots > 20 && counts.held > 0 && counts.deforming > 5 && counts.checkers > 4,
        "{counts:?}"
    );
}
