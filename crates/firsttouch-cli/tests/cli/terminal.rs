//! Colours and widths: the output for a pipe, and for a terminal.

use std::process::{Command, Stdio};

use crate::command;

const CHECK: [&str; 4] = ["check", "many.toml", "--mode", "all"];

fn printed(variables: &[(&str, &str)]) -> String {
    let mut command = command(&CHECK);
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").envs(variables.iter().copied());
    String::from_utf8(command.stdin(Stdio::null()).output().unwrap().stdout).unwrap()
}

/// Returns the output on a terminal with this number of columns, or `None` if there is no `script`, which makes a
/// terminal.
fn on_terminal(columns: usize, variables: &[(&str, &str)]) -> Option<String> {
    let words = [&[env!("CARGO_BIN_EXE_firsttouch")], &CHECK[..]].concat().join(" ");
    let mut script = Command::new("script");
    script
        .args(["-qec", &format!("stty cols {columns} rows 50; {words} 2> /dev/null"), "/dev/null"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/scenes"))
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env("TERM", "xterm")
        .envs(variables.iter().copied());
    match script.stdin(Stdio::null()).output() {
        Ok(output) => Some(String::from_utf8(output.stdout).unwrap().replace('\r', "")),
        Err(error) => {
            eprintln!("NOT RUN: there is no `script`, so nothing was seen on a terminal: {error}");
            None
        }
    }
}

const RED: &str = "\u{1b}[31m";

#[test]
fn colours_are_for_terminals_that_want_them() {
    let plain = printed(&[]);
    assert!(plain.contains("touch at t = ") && !plain.contains('\u{1b}'), "{plain}");
    assert!(printed(&[("CLICOLOR_FORCE", "1")]).contains(RED));
    // NO_COLOR overrides the others; if it is empty, it counts as not set.
    assert_eq!(printed(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), plain);
    assert!(printed(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")]).contains(RED));
    let Some(coloured) = on_terminal(80, &[]) else { return };
    assert!(coloured.contains(RED), "{coloured}");
    for variables in [[("NO_COLOR", "1")], [("TERM", "dumb")]] {
        let plain = on_terminal(80, &variables).unwrap();
        assert!(plain.contains("touch at t = ") && !plain.contains('\u{1b}'), "{variables:?}: {plain}");
    }
}

/// A table is at most as wide as the terminal: names and features are shortened, numbers never. A pipe gets everything.
#[test]
fn a_table_fits_the_terminal() {
    let rows = |text: &str| -> Vec<String> {
        let lines = text.lines().skip_while(|line| !line.starts_with("answer"));
        lines.take_while(|line| !line.is_empty()).map(str::to_string).collect()
    };
    let whole = rows(&printed(&[]));
    let widest = whole.iter().map(|line| line.chars().count()).max().unwrap();
    assert!(widest > 60 && whole.len() == 6, "{whole:?}");
    for columns in [56, 60, 200] {
        let Some(text) = on_terminal(columns, &[("NO_COLOR", "1")]) else { return };
        let table = rows(&text);
        assert_eq!(table.len(), whole.len());
        for (line, whole) in table.iter().zip(&whole) {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
            assert!(columns < widest || line == whole, "{columns}: {line}");
        }
        // The times are not shortened.
        assert!(table.iter().any(|line| line.contains("0.231687595")), "{text}");
    }
}
