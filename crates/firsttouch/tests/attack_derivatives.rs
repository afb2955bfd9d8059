//! A short run of the attackers of derivatives. Any seed and any number of rounds will do.

#[path = "attackers/derivatives.rs"]
mod attacker;

#[test]
fn derivatives_hold_or_are_flagged() {
    let counts = attacker::run(1, 240);
    println!("{counts:?}");
}
