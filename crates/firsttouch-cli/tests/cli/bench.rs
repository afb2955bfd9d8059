//! `bench papers`: all five papers, files, and a hash of the answers that stays the same.

use crate::firsttouch;

/// The hash of all answers of `bench papers --quick`.
const ANSWERS: &str = "3c01a84e6fd19437";

#[test]
fn all_papers_quickly() {
    let folder = std::env::temp_dir().join(format!("firsttouch-papers-{}", std::process::id()));
    let path = folder.to_string_lossy().into_owned();
    let run = firsttouch(&["bench", "papers", "--quick", "--json", "--out", &path]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let json = run.json();
    let tables = json["tables"].as_array().unwrap();
    for paper in ["contact", "catch", "adaptive", "ellipsoids", "local-advancement"] {
        assert!(tables.iter().any(|table| table["paper"] == paper), "{paper}");
    }
    for table in tables {
        let columns = table["columns"].as_array().unwrap().len();
        for row in table["rows"].as_array().unwrap() {
            assert_eq!(row.as_array().unwrap().len(), columns, "{}", table["title"]);
        }
    }
    // The hash covers every answer, bit for bit. A change that alters an answer on purpose alters it.
    let hash = json["answers"].as_str().unwrap();
    assert_eq!(hash, ANSWERS);
    let markdown = std::fs::read_to_string(folder.join("papers.md")).unwrap();
    assert!(markdown.contains("Table 1") && markdown.contains(hash));
    let csv = std::fs::read_to_string(folder.join("papers.csv")).unwrap();
    assert!(csv.starts_with("paper,table,row,quantity,theirs,ours,") && csv.lines().count() > 100);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_same_answers_with_any_number_of_threads() {
    let answers = |paper: &str, threads: &str| {
        let run =
            firsttouch(&["bench", "papers", "--quick", "--only", paper, "--json", "--threads", threads]);
        run.json()["answers"].as_str().unwrap().to_string()
    };
    // Of the papers, this one has queries that are spread over threads, and what the threads computed is in its hash.
    assert_eq!(answers("local-advancement", "1"), answers("local-advancement", "2"));
}

#[test]
fn unknown_paper() {
    let run = firsttouch(&["bench", "papers", "--only", "nothing"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.starts_with("error: there is no paper called \"nothing\"; they are contact, "));
}

/// The leaf radius and the tables of CONTACT get a row of their own, and change the work, not the times of the touches.
#[test]
fn options_of_contact() {
    let run = firsttouch(&[
        "bench",
        "papers",
        "--quick",
        "--only",
        "contact",
        "--leaf-radius",
        "0.3",
        "--tables",
        "primitives",
        "--json",
    ]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let json = run.json();
    let tables = json["tables"].as_array().unwrap();
    let rows = || tables.iter().flat_map(|table| table["rows"].as_array().unwrap());
    let named = |name: &str| rows().find(|row| row[0].as_str().unwrap().ends_with(name)).unwrap();
    let chosen = named("CONTACT, leaves of 0.3, tables EE-VF-FV");
    let natural = named("(the default)");
    assert_eq!(chosen[2], natural[2], "as many steps touch");
    assert_ne!(chosen[6], natural[6], "the tests of primitives");
    let run = firsttouch(&["bench", "papers", "--quick", "--only", "contact", "--leaf-radius", "0"]);
    assert_eq!(run.status, 2);
}
