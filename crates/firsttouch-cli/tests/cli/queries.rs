//! `queries`: small sets with known answers, sets with a wrong truth, and the public sets if they are available.

use std::fs;
use std::path::{Path, PathBuf};

use crate::firsttouch;

/// Returns a vertex that falls onto the triangle (0,0,0), (1,0,0), (0,1,0) from z = 1 to z = `end`.
fn falling(end: i32, truth: u8) -> String {
    let row = |x: i32, y: i32, z: i32| format!("{x},4,{y},4,{z},1,{truth}\n");
    let corners = [row(0, 0, 0), row(4, 0, 0), row(0, 4, 0)].concat();
    [row(1, 1, 1), corners.clone(), row(1, 1, end), corners].concat()
}

/// Returns a new folder with a set of two queries: a touch at a quarter of the time, and none.
fn folder(name: &str, truth: [u8; 2], contacts: Option<&str>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let below = folder.join("vertex-face");
    fs::create_dir_all(&below).unwrap();
    fs::write(below.join("two.csv"), falling(-3, truth[0]) + &falling(1, truth[1])).unwrap();
    let _ = fs::remove_file(below.join("two.toi"));
    if let Some(contacts) = contacts {
        fs::write(below.join("two.toi"), contacts).unwrap();
    }
    folder
}

#[test]
fn agreement() {
    let folder = folder("agreement", [1, 0], Some("0.25\n\n"));
    let run = firsttouch(&["queries", folder.to_str().unwrap(), "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let json = run.json();
    for (key, value) in [
        ("queries", 2),
        ("positives", 1),
        ("false_negatives", 0),
        ("false_positives", 0),
        ("late", 0),
        ("undecided", 0),
    ] {
        assert_eq!(json[key], value, "{key}");
        assert_eq!(json["files"][0][key], value, "{key}");
    }
    let early = json["max_early"].as_f64().unwrap();
    assert!((0.0..=1e-9).contains(&early));
    assert_eq!(json["median_early"], json["max_early"]);
    assert!(json["mean_ns"].as_f64().unwrap() > 0.0);
    let stages = json["stages"].as_object().unwrap();
    assert_eq!(stages.values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 2);
    assert!(json["files"][0]["file"].as_str().unwrap().ends_with("two.csv"));
    let text = firsttouch(&["queries", folder.to_str().unwrap()]).stdout;
    assert!(text.contains("two.csv") && text.contains("decided by: "), "{text}");
}

#[test]
fn disagreement_is_counted_and_seen_in_the_exit_status() {
    let count = |name, truth, contacts, key| {
        let run = firsttouch(&["queries", folder(name, truth, contacts).to_str().unwrap(), "--json"]);
        (run.status, run.json()[key].as_u64().unwrap())
    };
    assert_eq!(count("missed", [1, 1], None, "false_negatives"), (1, 1));
    assert_eq!(count("alarm", [0, 0], None, "false_positives"), (1, 1));
    // The set claims a contact before the true one.
    assert_eq!(count("late", [1, 0], Some("0.125\n\n"), "late"), (1, 1));
}

#[test]
fn undecided_has_a_status_of_its_own() {
    let folder = folder("undecided", [1, 0], None);
    let arguments = ["--min-separation", "0.1", "--max-iterations", "1", "--json"];
    let run = firsttouch(&[&["queries", folder.to_str().unwrap()], &arguments[..]].concat());
    assert_eq!((run.status, run.json()["undecided"].as_u64().unwrap()), (3, 1), "{}", run.stdout);
}

#[test]
fn the_kind_comes_from_the_folder_or_the_option() {
    let set = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kindless.csv");
    fs::write(&set, falling(-3, 1)).unwrap();
    let set = set.to_str().unwrap();
    let run = firsttouch(&["queries", set]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("kindless.csv: no kind is given"), "{}", run.stderr);
    assert_eq!(firsttouch(&["queries", set, "--kind", "vf"]).status, 0);
    // As edges the same points never meet.
    let run = firsttouch(&["queries", set, "--kind", "ee", "--json"]);
    assert_eq!((run.status, run.json()["false_negatives"].as_u64()), (1, Some(1)));
}

#[test]
fn errors() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no_sets");
    fs::create_dir_all(&folder).unwrap();
    let broken = Path::new(env!("CARGO_TARGET_TMPDIR")).join("broken.csv");
    fs::write(&broken, "1,1,1,1,1,1,0\n".repeat(7)).unwrap();
    for (argument, message) in [
        (folder.to_str().unwrap(), "there is no .csv file in this folder"),
        (broken.to_str().unwrap(), "the file ends in the middle of a query (7 of 8 rows)"),
        ("missing.csv", "missing.csv: No such file"),
    ] {
        let run = firsttouch(&["queries", argument, "--kind", "vf", "--json"]);
        assert_eq!(run.status, 2);
        assert!(run.json()["error"].as_str().unwrap().contains(message), "{}", run.stdout);
    }
    assert_eq!(firsttouch(&["queries"]).status, 2);
}

/// The public sets, if the data lies beside the checkout. The tests above use sets in `testdata`.
#[test]
fn public_sets() {
    let sets = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/queries");
    if !Path::new(sets).is_dir() {
        return skipped("public_sets");
    }
    let score = |threads| {
        let run = firsttouch(&["queries", sets, "--json", "--threads", threads]);
        assert_eq!(run.status, 0, "{}", run.stdout);
        let json = run.json();
        for key in ["false_negatives", "false_positives", "late", "undecided"] {
            assert_eq!(json[key], 0, "{key}");
        }
        assert!(json["positives"].as_u64().unwrap() > 1000);
        assert!(json["max_early"].as_f64().unwrap() <= 1e-9);
        (
            json["queries"].clone(),
            json["max_early"].clone(),
            json["median_early"].clone(),
            json["stages"].clone(),
        )
    };
    assert_eq!(score("1"), score("4"));
}

/// Says on standard error that a test had nothing to test. Unlike `println!`, it is seen without any option.
fn skipped(test: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: there is no ../shared/data beside the checkout");
}
