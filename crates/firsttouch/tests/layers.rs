//! The modules of the core are layers: each uses only those above it in the list of ARCHITECTURE.md. Code that two
//! modules need from each other belongs in a third, above both.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers in order, as ARCHITECTURE.md draws them. Modules of one layer do not use each other.
const LAYERS: &[&[&str]] = &[
    &["error", "answer", "control", "names", "parallel"],
    &["numerics", "options"],
    &["shape"],
    &["motion"],
    &["broad"],
    &["distance", "pair", "testing"],
    &["advancement", "elementary"],
    &["convex"],
    &["ellipsoid"],
    &["tree"],
    &["contact", "deformable", "clearance"],
    &["narrow", "manifold", "gradient", "intervals"],
    &["robot", "two_shapes", "screw_pair"],
    &["body"],
    &["ask", "world"],
    &["certificate"],
    &["questions"],
    &["articulated"],
    &["adaptive", "planning"],
    &["scene"],
];

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

/// Returns the modules of the crate that a source uses: the names that follow `crate::` outside of comments.
fn used(text: &str) -> BTreeSet<String> {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap()).collect();
    let mut found = BTreeSet::new();
    let code = code.join("\n");
    for (place, _) in code.match_indices("crate::") {
        let rest = &code[place + "crate::".len()..];
        let name =
            |text: &str| text.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect::<String>();
        if let Some(list) = rest.strip_prefix('{') {
            let list = &list[..list.find("};").unwrap_or(list.len())];
            found.extend(list.split(',').map(|item| name(item.trim())));
        } else {
            found.insert(name(rest));
        }
    }
    found.remove("");
    found
}

#[test]
fn modules_use_only_the_layers_above_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let layer_of = |module: &str| LAYERS.iter().position(|layer| layer.contains(&module));
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    let (mut wrong, mut uses) = (Vec::new(), 0);
    for path in files {
        let inside = path.strip_prefix(&root).unwrap();
        let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = first.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let own = layer_of(module).unwrap_or_else(|| panic!("\"{module}\" is in no layer"));
        for other in used(&fs::read_to_string(&path).unwrap()) {
            // Items exported at the root (`crate::Options`) start with a capital letter and are not found here.
            let Some(layer) = layer_of(&other) else {
                panic!("{}: \"{other}\" is in no layer", path.display())
            };
            uses += 1;
            if other != module && layer >= own {
                wrong.push(format!("{}: {module} uses {other}", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(uses > 200, "only {uses} uses were found");
}

/// The drawing and the list agree.
#[test]
fn the_drawing_of_the_layers_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let Ok(text) = fs::read_to_string(&path) else {
        eprintln!("skipped: {} is not part of this package", path.display());
        return;
    };
    let drawn = text.split("<!-- layers -->").nth(1).expect("the layers are drawn between two marks");
    let names: Vec<Vec<&str>> = drawn
        .lines()
        .filter(|line| line.starts_with(char::is_numeric))
        .map(|line| line.split('`').skip(1).step_by(2).collect())
        .collect();
    assert_eq!(names, LAYERS.iter().map(|layer| layer.to_vec()).collect::<Vec<_>>());
}
