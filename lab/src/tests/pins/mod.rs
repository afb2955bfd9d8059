//! Answers that must not change: each set of queries has its answers in `testdata/pins`, one line per answer.
//!
//! 1. A set runs its queries and turns each answer into three texts: its kind with the names of the touching parts, its
//!    numbers, and the counters of the search.
//! 2. Each text is one line of a separate table: `SET.kinds`, `SET.bits` and `SET.counters`. A change of the search
//!    may change the counters. A change of the numbers needs a proof that they may change. A change of a kind is an
//!    error, or a fix.
//! 3. A line that differs is shown with its old and its new text.
//!
//! `FIRSTTOUCH_PINS=write cargo test -p firsttouch-lab --lib pins` writes the tables again. The commit says why they
//! changed.
//!
//! Numbers are written so that they read back to the same f64. The points and the normal of a touch are one hash.

mod checkers;
mod deforming;
mod elementary;
mod pairs;
mod scenes;
mod shared;
mod simulated;

use std::fmt::Write as _;
use std::path::Path;

use firsttouch::{Answer, Touch};
use glam::DVec3;

/// One answer of a set.
struct Pin {
    name: String,
    kind: String,
    bits: String,
    counters: String,
}

impl Pin {
    /// Returns the pin of an answer; `names` are those of the bodies.
    fn of_answer(name: String, answer: &Answer, names: &[&str], counters: String) -> Pin {
        let pair = |bodies: [usize; 2]| format!("{}, {}", names[bodies[0]], names[bodies[1]]);
        let (kind, bits) = match answer {
            Answer::Free => ("free".into(), String::new()),
            Answer::Undecided { free_until, bodies } => {
                (format!("undecided: {}", pair(*bodies)), format!("{free_until:?}"))
            }
            Answer::Touch(touch) => (format!("touch: {}", described(touch, &pair)), bits_of(touch)),
            Answer::TouchingAtStart(touch) => {
                (format!("touching at the start: {}", described(touch, &pair)), bits_of(touch))
            }
        };
        Pin { name, kind, bits, counters }
    }
}

fn described(touch: &Touch, pair: &dyn Fn([usize; 2]) -> String) -> String {
    let [a, b] = touch.parts;
    let [of_a, of_b] = touch.features;
    format!("{}; {a}, {b}; {of_a}, {of_b}", pair(touch.bodies))
}

fn bits_of(touch: &Touch) -> String {
    let Touch { toi, free_until, gap, points, normal, .. } = touch;
    format!("{toi:?} {free_until:?} {gap:?} {:016x}", hash_of(&[points[0], points[1], *normal]))
}

/// Returns FNV-1a over the bits of the coordinates.
fn hash_of(vectors: &[DVec3]) -> u64 {
    let numbers = vectors.iter().flat_map(|v| v.to_array());
    let bytes = numbers.flat_map(|x| x.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Compares a set with its tables.
fn compare(set: &str, pins: &[Pin]) {
    assert!(!pins.is_empty(), "the set {set} asks nothing");
    let mut differences = Vec::new();
    let kinds = table(pins, |pin| &pin.kind);
    let bits = table(pins, |pin| &pin.bits);
    let counters = table(pins, |pin| &pin.counters);
    for (what, table) in [("kinds", kinds), ("bits", bits), ("counters", counters)] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/pins");
        let file = folder.join(format!("{set}.{what}"));
        if std::env::var_os("FIRSTTOUCH_PINS").is_some_and(|value| value == "write") {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &table).unwrap();
            continue;
        }
        let known = std::fs::read_to_string(&file).unwrap_or_default();
        let (known, found): (Vec<&str>, Vec<&str>) = (known.lines().collect(), table.lines().collect());
        if known.len() != found.len() {
            differences.push(format!("{set}.{what}: {} lines, {} expected", found.len(), known.len()));
        }
        let changed = known.iter().zip(&found).filter(|(known, found)| known != found);
        differences.extend(
            changed.take(10).map(|(known, found)| format!("{set}.{what}\n  was {known}\n  is  {found}")),
        );
    }
    assert!(differences.is_empty(), "answers changed:\n{}", differences.join("\n"));
}

fn table(pins: &[Pin], text: impl Fn(&Pin) -> &String) -> String {
    let mut lines = String::new();
    for pin in pins {
        writeln!(lines, "{}: {}", pin.name, text(pin)).expect("a string takes all text");
    }
    lines
}
