//! A short run of the attacker of the planner. Any seed and any number of rounds will do.

#[path = "attackers/planning.rs"]
mod attacker;
use crate::random;

#[test]
fn worlds_that_fool_guesses() {
    let counts = attacker::run(1, 60);
    println!("{counts:?}");
    assert!(counts.found >= 15 && counts.not_found >= 10, "{counts:?}");
    assert!(counts.straight >= 10 && counts.narrow >= 3, "{counts:?}");
    assert!(counts.refuted >= 3, "{counts:?}");
}
