//! Table 1 of the 2001 paper, theirs and ours: what labels and hash tables save on two near-parallel plates.

use std::time::Instant;

use firsttouch::narrow::contact::{ContactOutcome, ContactTests, Tables};
use firsttouch_models::plates::Plates;

/// SS, EE, VF, FV and their sum, as printed in the paper: no table, SS, EE-VF-FV, all four.
const THEIRS: [[u64; 5]; 4] = [
    [1_213_596, 87_284, 3_963, 3_858, 1_308_701],
    [1_017_112, 61_916, 3_155, 3_098, 1_085_281],
    [1_213_596, 20_717, 2_367, 2_317, 1_238_997],
    [1_017_112, 20_717, 2_367, 2_317, 1_042_513],
];

fn main() {
    if let Err(error) = run() {
        eprintln!("contact_table: {error}");
        std::process::exit(2);
    }
}

fn run() -> firsttouch::Result<()> {
    let plates = Plates::like_figure_3()?;
    let names = ["no table", "SS", "EE-VF-FV", "four"];
    let tables = [Tables::NONE, Tables::LABELS, Tables::PRIMITIVES, Tables::ALL];
    let mut ours = Vec::new();
    let mut answers: Option<Vec<ContactOutcome>> = None;
    let mut seconds = Vec::new();
    let mut same = true;
    for tables in tables {
        let start = Instant::now();
        let (tests, outcomes) = plates.follow(tables);
        seconds.push(start.elapsed().as_secs_f64());
        ours.push(counts(&tests));
        same &= answers.get_or_insert_with(|| outcomes.clone()) == &outcomes;
    }
    let size = plates.tree.size();
    println!("two plates of {} triangles, {} steps", plates.plate.triangles().len(), plates.path.len() - 1);
    println!(
        "tree: {} nodes, {} after factoring; {} primitives held by leaves, {} stored",
        size.nodes, size.nodes_factored, size.held, size.stored
    );
    println!("{:10} {:>12} {:>12} {:>12} {:>12} {:>12} {:>7}", "", "SS", "EE", "VF", "FV", "total", "saved");
    for (name, table) in [("theirs", &THEIRS[..]), ("ours", &ours[..])] {
        println!("{name}");
        for (row, counts) in names.iter().zip(table) {
            print!("{row:10}");
            for count in counts {
                print!(" {count:>12}");
            }
            println!(" {:>5.1} %", 100.0 * (1.0 - counts[4] as f64 / table[0][4] as f64));
        }
    }
    print!("ours, ms ");
    for (name, seconds) in names.iter().zip(&seconds) {
        print!("  {name}: {:.1}", 1e3 * seconds);
    }
    println!();
    println!("answers {}", if same { "identical" } else { "DIFFER" });

    // The paper does not give its object's measures; how much is saved depends on them.
    println!("\nsaved by SS and by four tables on other plates:");
    for (cells, leaf_radius) in [(1, 0.1), (2, 0.06), (4, 0.1), (4, 0.06), (8, 0.06)] {
        let plates = Plates::new(cells, leaf_radius, 60)?;
        let total = |tables: Tables| plates.follow(tables).0.total() as f64;
        let none = total(Tables::NONE);
        let saved = |tables: Tables| 100.0 * (1.0 - total(tables) / none);
        let (labels, all) = (saved(Tables::LABELS), saved(Tables::ALL));
        println!("{cells} x {cells} squares, leaf radius {leaf_radius}: {labels:4.1} %, {all:4.1} %");
    }
    Ok(())
}

fn counts(tests: &ContactTests) -> [u64; 5] {
    [tests.sphere_sphere, tests.edge_edge, tests.vertex_face, tests.face_vertex, tests.total()]
}
