//! Table 1 of the 2001 paper: what labels and hash tables save on two near-parallel plates.

use firsttouch::contact::{ContactTests, Tables};
use firsttouch::pair::Verdict;

use super::{Bench, timed};
use crate::error::Result;
use crate::scenes::plates::Plates;

/// SS, EE, VF, FV and their sum, as printed in the paper: no table, SS, EE-VF-FV, all four.
const THEIRS: [[u64; 5]; 4] = [
    [1_213_596, 87_284, 3_963, 3_858, 1_308_701],
    [1_017_112, 61_916, 3_155, 3_098, 1_085_281],
    [1_213_596, 20_717, 2_367, 2_317, 1_238_997],
    [1_017_112, 20_717, 2_367, 2_317, 1_042_513],
];

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let plates = Plates::like_figure_3()?;
    let names = ["no table", "SS", "EE-VF-FV", "four"];
    let tables = [Tables::NONE, Tables::LABELS, Tables::PRIMITIVES, Tables::ALL];
    let mut rows = Vec::new();
    let mut ours_alone = None;
    for ((name, tables), theirs) in names.into_iter().zip(tables).zip(THEIRS) {
        bench.say(name);
        let ((tests, outcomes), micros) = timed(|| plates.follow(tables));
        for outcome in &outcomes {
            match outcome {
                Verdict::Free => bench.number(0),
                Verdict::Touch(touch) => bench.float(touch.t),
                Verdict::Undecided { free_until } => bench.float(*free_until),
            }
        }
        let ours = counts(&tests);
        let alone = *ours_alone.get_or_insert(ours[4]);
        let saved = |count: u64, of: u64| format!("{:.1} %", 100.0 * (1.0 - count as f64 / of as f64));
        let both = |k: usize| format!("{} / {}", theirs[k], ours[k]);
        let mut row = vec![name.to_string()];
        row.extend((0..5).map(both));
        row.extend([saved(theirs[4], THEIRS[0][4]), saved(ours[4], alone), format!("{:.1}", micros * 1e-3)]);
        rows.push(row);
    }
    let notes = [format!(
        "Theirs / ours. Two plates of {} triangles, {} steps; the paper does not give its object's dimensions.",
        plates.plate.triangles().len(),
        plates.path.len() - 1
    )];
    bench.table(
        "Table 1: tests of spheres and primitives, with and without tables",
        &["tables", ">SS", ">EE", ">VF", ">FV", ">total", ">saved, theirs", ">saved, ours", ">ours, ms"],
        rows,
        &notes,
    );
    Ok(())
}

fn counts(tests: &ContactTests) -> [u64; 5] {
    [tests.sphere_sphere, tests.edge_edge, tests.vertex_face, tests.face_vertex, tests.total()]
}
