//! The committed header is what cbindgen makes of the sources.
//!
//! To write it: `FIRSTTOUCH_WRITE_HEADER=1 cargo test -p firsttouch-c --test suite header::`.

use std::path::Path;

/// In this order they make a header that can be read from top to bottom.
const SOURCES: [&str; 13] = [
    "version",
    "border",
    "values",
    "shape",
    "motion",
    "robot",
    "deformable",
    "report",
    "scene",
    "checker",
    "questions",
    "elementary",
    "ellipsoid",
];

#[test]
fn header_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let builder = SOURCES.iter().fold(cbindgen::Builder::new().with_config(config), |builder, name| {
        builder.with_src(root.join("src").join(name).with_extension("rs"))
    });
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let (made, path) = (String::from_utf8(made).unwrap(), root.join("include/firsttouch.h"));
    if std::env::var_os("FIRSTTOUCH_WRITE_HEADER").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let difference = made.lines().zip(committed.lines()).position(|(made, committed)| made != committed);
    assert!(
        made == committed,
        "include/firsttouch.h differs from the sources, first in line {:?}; \
         FIRSTTOUCH_WRITE_HEADER=1 cargo test -p firsttouch-c --test suite header:: writes it",
        difference.map(|line| line + 1)
    );
}

/// Every function that is exported is in the header, under the prefix.
#[test]
fn every_export_is_declared() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = std::fs::read_to_string(root.join("include/firsttouch.h")).unwrap();
    let mut exports = 0;
    for file in std::fs::read_dir(root.join("src")).unwrap() {
        let source = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for after in source.split("#[unsafe(no_mangle)]\n").skip(1) {
            let name =
                after.split("extern \"C\" fn ").nth(1).and_then(|rest| rest.split('(').next()).unwrap();
            assert!(name.starts_with("ft_"), "{name} has no prefix");
            assert!(
                header.contains(&format!(" {name}(")) || header.contains(&format!("*{name}(")),
                "{name} is not declared"
            );
            exports += 1;
        }
    }
    assert!(exports > 80, "only {exports} exports found");
}
