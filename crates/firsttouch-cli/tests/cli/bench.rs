//! `bench papers`: all five papers, files, and a hash of the answers that stays the same.

use crate::firsttouch;

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
    let hash = json["answers"].as_str().unwrap();
    assert_eq!(hash.len(), 16);
    let markdown = std::fs::read_to_string(folder.join("papers.md")).unwrap();
    assert!(markdown.contains("Table 1") && markdown.contains(hash));
    let csv = std::fs::read_to_string(folder.join("papers.csv")).unwrap();
    assert!(csv.starts_with("paper,table,row,column,value\n") && csv.lines().count() > 100);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_same_answers_with_any_number_of_threads() {
    let answers = |paper: &str, threads: &str| {
        let run =
            firsttouch(&["bench", "papers", "--quick", "--only", paper, "--json", "--threads", threads]);
        run.json()["answers"].as_str().unwrap().to_string()
    };
    for paper in ["contact", "ellipsoids", "local-advancement"] {
        assert_eq!(answers(paper, "1"), answers(paper, "2"), "{paper}");
    }
}

#[test]
fn unknown_paper() {
    let run = firsttouch(&["bench", "papers", "--only", "nothing"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.starts_with("error: there is no paper called \"nothing\"; they are contact, "));
}
