//! Query sets: the included sample, errors with their lines, and speed.

use firsttouch_io::{QueryKind, add_contacts, parse_queries, read_queries};
use std::path::Path;

#[test]
fn sample() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/queries/vertex-face/two.csv");
    let set = read_queries(&path, None).unwrap();
    assert_eq!(set.kind, QueryKind::VertexFace);
    assert!(set.has_contacts);
    let [hit, miss] = &set.queries[..] else { panic!() };
    assert_eq!((hit.truth, miss.truth), (true, false));
    assert_eq!(hit.points_t1[0].to_array(), [0.0, 0.0, -1.0]);
    assert_eq!(miss.points_t1[0].to_array(), [0.25, 0.0, 1.0 / 1024.0]);
    assert_eq!(hit.points_t0[2].to_array(), [2.0, -1.0, 0.0]);
    assert_eq!(hit.contact.as_ref().unwrap().text, "0.5");
    assert_eq!(miss.contact, None);
    assert_eq!(read_queries(&path, Some(QueryKind::EdgeEdge)).unwrap().kind, QueryKind::EdgeEdge);
}

#[test]
fn errors() {
    let good = "1,2,3,1,-1,4,1\n".repeat(8);
    let check = |row: &str, expected: &str| {
        let text = good.replacen("1,2,3,1,-1,4,1", row, 1);
        let error = parse_queries(text.as_bytes(), QueryKind::EdgeEdge, "q.csv").expect_err(expected);
        assert_eq!(error.to_string(), expected);
    };
    check("1,3,3,1,-1,4,1", "q.csv:1: 1/3 is not exactly an f64");
    check("9007199254740993,1,3,1,-1,4,1", "q.csv:1: 9007199254740993/1 is not exactly an f64");
    check("1,0,3,1,-1,4,1", "q.csv:1: the denominator is zero");
    check("1,-2,3,1,-1,4,1", "q.csv:1: \"-2\" is not an integer");
    check("0.5,2,3,1,-1,4,1", "q.csv:1: \"0.5\" is not an integer");
    check("1,2,3,1,-1,4", "q.csv:1: a row has 7 fields: xn,xd,yn,yd,zn,zd,truth");
    check("1,2,3,1,-1,4,1,1", "q.csv:1: a row has 7 fields, not more");
    check("1,2,3,1,-1,4,yes", "q.csv:1: the truth is 0 or 1, not \"yes\"");
    check("1,2,3,1,-1,4,0", "q.csv:2: the rows of a query differ in their truth");
    check("", "q.csv:8: the file ends in the middle of a query (7 of 8 rows)");
    let nothing = parse_queries(b"\n", QueryKind::EdgeEdge, "q.csv").unwrap_err();
    assert_eq!(nothing.to_string(), "q.csv: there are no queries");
    let no_kind = read_queries(Path::new("folder/q.csv"), None).unwrap_err();
    assert!(no_kind.to_string().starts_with("folder/q.csv: no kind is given"));

    let contacts = |toi: &str, expected: &str| {
        let mut set = parse_queries(good.as_bytes(), QueryKind::EdgeEdge, "q.csv").unwrap();
        let error = add_contacts(&mut set, toi.as_bytes(), "q.toi").expect_err(expected);
        assert_eq!(error.to_string(), expected);
    };
    contacts("", "q.toi:1: the file ends in the middle of the contact of query 0");
    contacts("\n", "q.toi:1: a contact time and the truth of query 0 contradict each other");
    contacts("1.5\n", "q.toi:1: \"1.5\" is not a time in [0, 1]");
    contacts("0.5\n0.5\n", "q.toi:1: more contact times than the 1 queries");
}

/// 10^5 queries with contacts. A time that grows with the square of the rows would be hours.
#[test]
fn a_hundred_thousand_queries() {
    let row = "-6004799503160661,36028797018963968,40564819207303,81129638414606461,1,1267650600228229401496703205376,1";
    let row = row.replace("81129638414606461", "1208925819614629174706176");
    let text = format!("{row}\n").repeat(8 * 100_000);
    let mut set = parse_queries(text.as_bytes(), QueryKind::EdgeEdge, "q.csv").unwrap();
    add_contacts(&mut set, "0.45490829576518904\n".repeat(100_000).as_bytes(), "q.toi").unwrap();
    assert_eq!(set.queries.len(), 100_000);
}
