//! No bound of the core is taken with `f64::max` or `f64::min`, which drop a NaN.
//!
//! A bound that could not be computed (`inf · 0`, `inf − inf`) is NaN, and a maximum that drops it reads as a small
//! motion: the result is a false `Free`. `numerics::bound` has maxima, minima and comparisons that send NaN to the safe
//! side. This test reads the sources, without their tests and comments, and finds
//! - folds in which `max` or `min` stands;
//! - `f64::max` and `f64::min` as functions;
//! - `max` and `min` with a number written out, such as `.max(0.0)`;
//! - `max` and `min` of any other values, including component-wise ones of vectors, outside of [`FINITE`]. Two indices
//!   that are put in order, `[i.min(j), i.max(j)]`, are allowed.
//!
//! If the values are not bounds (a guess that steers, times that are known to be finite), the line says so:
//! `// not a bound: why`. Files in which all are safe for one reason stand in [`SAFE`].

use std::fs;
use std::path::{Path, PathBuf};

/// Files, and the reason why no NaN is lost in them.
const SAFE: [(&str, &str); 5] = [
    ("certificate/certifier.rs", "what is searched there is proven by a verifier of its own"),
    ("certificate/frames.rs", "a verifier computes its own bounds of motions"),
    ("certificate/pieces.rs", "a verifier computes its own supports"),
    ("numerics/bound.rs", "it is where NaN is taken care of"),
    (
        "numerics/interval.rs",
        "the ends of an interval are never NaN, and its header says how products see to that",
    ),
];

/// Folders that work on numbers which constructors have checked to be finite and small enough for their products. The
/// first three searches still hold there.
const FINITE: [&str; 4] = ["deformable/", "distance/", "elementary/", "shape/"];

const MARK: &str = "// not a bound:";

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the source without its tests; comments become spaces, except for marks.
fn code_of(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or("");
    let mut code = String::new();
    for line in text.lines() {
        match line.find("//") {
            Some(start) if !line[start..].starts_with(MARK) => code.push_str(&line[..start]),
            _ => code.push_str(line),
        }
        code.push('\n');
    }
    code
}

/// Returns the text in the brackets that open at `open`, which is just after the bracket.
fn bracketed(code: &str, open: usize) -> &str {
    let mut depth = 1;
    for (i, c) in code[open..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &code[open..open + i];
        }
    }
    &code[open..]
}

fn starts(code: &str, pattern: &str) -> Vec<usize> {
    code.match_indices(pattern).map(|(i, _)| i).collect()
}

/// Returns the offsets of maxima and minima that drop a NaN.
fn suspects(code: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for start in starts(code, "fold(") {
        let inside = bracketed(code, start + "fold(".len());
        if [".max(", ".min(", "f64::max", "f64::min"].iter().any(|pattern| inside.contains(pattern)) {
            found.push(start);
        }
    }
    found.extend(starts(code, "f64::max").into_iter().chain(starts(code, "f64::min")));
    for start in starts(code, ".max(").into_iter().chain(starts(code, ".min(")) {
        let inside = bracketed(code, start + ".max(".len());
        let number = inside.strip_prefix('-').unwrap_or(inside);
        if number.starts_with(|c: char| c.is_ascii_digit()) && number.contains(['.', 'e']) {
            found.push(start);
        }
    }
    found
}

/// Returns the offsets of `max` or `min` of two values, other than to put two of them in order.
fn plain(code: &str) -> Vec<usize> {
    let calls = starts(code, ".max(").into_iter().chain(starts(code, ".min("));
    calls
        .filter(|&start| !bracketed(code, start + ".max(".len()).is_empty() && !is_order(code, start))
        .collect()
}

/// Returns true if the call is half of `i.min(j), i.max(j)`.
fn is_order(code: &str, start: usize) -> bool {
    let name = |c: char| c.is_alphanumeric() || c == '_';
    let before = &code[..start];
    let receiver = &before[before.trim_end_matches(name).len()..];
    let argument = bracketed(code, start + ".max(".len());
    let halves = format!("{receiver}.min({argument}), {receiver}.max({argument})");
    let from = code[..start].rfind('\n').map_or(0, |i| i + 1);
    let to = code[start..].find('\n').map_or(code.len(), |i| start + i);
    !receiver.is_empty() && code[from..to].contains(&halves)
}

/// Returns true if the lines from the one that holds `start` to the end of its statement carry a mark.
fn is_marked(code: &str, start: usize) -> bool {
    let line = code[..start].rfind('\n').map_or(0, |i| i + 1);
    let end = code[start..].find(';').map_or(code.len(), |i| start + i);
    let end = code[end..].find('\n').map_or(code.len(), |i| end + i);
    code[line..end].contains(MARK)
}

#[test]
fn no_bound_is_taken_with_a_maximum_that_drops_nan() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    assert!(files.len() > 50, "{} files", files.len());
    let mut complaints = Vec::new();
    let mut marks = 0;
    for file in files {
        let name = file.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        if name.ends_with("_tests.rs") || SAFE.iter().any(|(safe, _)| *safe == name) {
            continue;
        }
        let code = code_of(&fs::read_to_string(&file).unwrap());
        marks += code.matches(MARK).count();
        let mut found = suspects(&code);
        if !FINITE.iter().any(|folder| name.starts_with(folder)) {
            found.extend(plain(&code));
        }
        for start in found.into_iter().filter(|&start| !is_marked(&code, start)) {
            let line = code[..start].matches('\n').count() + 1;
            complaints
                .push(format!("src/{name}:{line}: {}", code.lines().nth(line - 1).unwrap_or("").trim()));
        }
    }
    complaints.sort();
    complaints.dedup();
    println!("{marks} marked as no bounds");
    assert!(complaints.is_empty(), "{} of them:\n{}", complaints.len(), complaints.join("\n"));
}

/// Texts that the search finds, and texts that it leaves alone.
#[test]
fn the_search_finds_what_it_is_for() {
    let found = |code: &str| {
        let code = code_of(code);
        suspects(&code).into_iter().filter(|&start| !is_marked(&code, start)).count()
    };
    assert_eq!(found("let a = v.iter().fold(0.0, f64::max);"), 2);
    assert_eq!(found("let a = v.iter().fold(0.0_f64, |m, x| {\n    m.max(x.abs())\n});"), 1);
    assert_eq!(found("let a = gap.max(0.0);"), 1);
    assert_eq!(found("let a = gap.min(-1e-9);"), 1);
    assert_eq!(found("let a = gap.max(0.0); // not a bound: steers"), 0);
    assert_eq!(found("let a = i.max(1) + upper_max(x, y); // fold(0.0, f64::max)"), 0);
    let found_plain = |code: &str| plain(&code_of(code)).len();
    assert_eq!(found_plain("let a = reach.max(other.reach());"), 1);
    assert_eq!(found_plain("let low = low.min(p.abs());"), 1);
    assert_eq!(found_plain("let pair = [i.min(j), i.max(j)]; let most = depths.into_iter().max();"), 0);
    assert_eq!(found("#[cfg(test)]\nmod tests { fn f() { x.max(0.0); } }"), 0);
}
