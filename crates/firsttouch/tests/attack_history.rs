//! A short run of the attackers of state that outlives a query. Any seed and any number of rounds will do.

#[path = "attackers/history.rs"]
mod attacker;
use crate::random;

#[test]
fn answers_do_not_depend_on_what_was_asked_before() {
    let counts = attacker::run(1, 200);
    println!("{counts:?}");
    let answers = counts.free + counts.touch + counts.at_start + counts.undecided;
    let rate = |n: usize| n as f64 / answers as f64;
    assert!(answers > 2000, "{counts:?}");
    assert!(
        rate(counts.free) > 0.1 && rate(counts.touch) > 0.05 && rate(counts.at_start) > 0.1,
        "{counts:?}"
    );
    assert!(rate(counts.undecided) < 0.05, "{counts:?}");
    assert!(counts.other_bits > 10, "{counts:?}");
    assert!(counts.in_steps > 200 && counts.ruled > 300, "{counts:?}");
    assert!(
        counts.edits > 300 && counts.found > 10 && counts.refused > 5 && counts.frames > 100,
        "{counts:?}"
    );
}
