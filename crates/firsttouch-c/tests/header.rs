//! The committed header equals the output of cbindgen for the sources.
//!
//! To write it: `FIRSTTOUCH_WRITE_HEADER=1 cargo test -p firsttouch-c --test suite header::`.

use std::path::Path;

/// This order makes a header that can be read from top to bottom.
const SOURCES: [&str; 14] = [
    "version",
    "border",
    "values",
    "shape",
    "motion",
    "robot",
    "deformable",
    "report",
    "scene",
    "screw_pair",
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

/// Every function of the header gets wrong arguments. One that returns a status must refuse something; one that frees
/// must ignore NULL; the others take no arguments, and are called.
#[test]
fn every_function_is_given_wrong_arguments() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = std::fs::read_to_string(root.join("include/firsttouch.h")).unwrap();
    let program = std::fs::read_to_string(root.join("tests/programs/wrong_arguments.c")).unwrap();
    let refusals = [
        "NULL_(",
        "INVALID(",
        "NOT_FOUND(",
        "UNSUPPORTED(",
        "DUPLICATE(",
        "TOO_SMALL(",
        "BAD_FILE(",
        "REFUSED(FT_STATUS_NOT_FOUND, ",
    ];
    let (_, functions) = header.split_once("extern \"C\" {").unwrap();
    let without_comments: Vec<&str> = functions.lines().filter(|line| !line.starts_with("//")).collect();
    let without_comments = without_comments.join("\n");
    let declared: Vec<(&str, &str)> = without_comments
        .split(';')
        .filter_map(|declaration| declaration.split_once('('))
        .filter_map(|(before, _)| Some((before.trim(), before.find("ft_")?)))
        .map(|(before, _)| before.rsplit_once([' ', '*']).unwrap())
        .collect();
    let exports = functions.matches("ft_status ft_").count() + functions.matches("void ft_").count();
    assert!(declared.len() > exports && exports > 100, "{} of {exports} functions read", declared.len());
    let missing: Vec<&str> = declared
        .iter()
        .filter(|(returned, name)| match *returned {
            _ if returned.ends_with("ft_status") => {
                !refusals.iter().any(|kind| program.contains(&format!("{kind}{name}(")))
            }
            _ if name.ends_with("_free") => !program.contains(&format!("{name}(NULL)")),
            _ => !program.contains(&format!("{name}()")),
        })
        .map(|(_, name)| *name)
        .collect();
    assert!(missing.is_empty(), "wrong_arguments.c has no case for {missing:?}");
}
