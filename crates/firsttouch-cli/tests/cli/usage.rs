//! Help, version, completions, wrong usage, and a reader that goes away.

use std::process::Stdio;

use crate::{command, firsttouch};

#[test]
fn every_command_explains_itself_with_examples() {
    for command in ["check", "demo", "queries", "completions"] {
        let run = firsttouch(&[command, "--help"]);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.contains(&format!("Examples:\n  firsttouch {command} ")), "{}", run.stdout);
        for option in ["--json", "--tolerance", "--min-separation", "--max-iterations", "--threads"] {
            assert!(run.stdout.contains(option), "{command} has no {option}");
        }
    }
    let help = firsttouch(&["--help"]).stdout;
    assert!(help.contains("Exit status:") && help.contains("Examples:"), "{help}");
    // The scene in the help is valid.
    let help = firsttouch(&["check", "--help"]).stdout;
    let scene = help.split_once("A scene file:\n").unwrap().1;
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("help.toml");
    std::fs::write(&path, scene).unwrap();
    assert_eq!(firsttouch(&["check", path.to_str().unwrap()]).status, 1);
}

#[test]
fn version() {
    let run = firsttouch(&["--version"]);
    assert_eq!(run.stdout, format!("firsttouch {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(run.status, 0);
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = firsttouch(&["completions", shell]);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.contains("firsttouch") && run.stdout.contains("min-separation"), "{shell}");
    }
    let json = firsttouch(&["completions", "bash", "--json"]).json();
    assert!(json["script"].as_str().unwrap().contains("firsttouch"));
}

#[test]
fn wrong_usage() {
    for arguments in [
        &[][..],
        &["check"],
        &["juggle"],
        &["check", "touch.toml", "--mode", "some"],
        &["check", "touch.toml", "--tolerance", "small"],
        &["check", "touch.toml", "--threads", "-1"],
        &["check", "touch.toml", "--threads", "100000"],
        &["demo", "near_miss", "--list"],
        &["completions", "abacus"],
    ] {
        let run = firsttouch(arguments);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(!run.stderr.is_empty());
    }
    let run = firsttouch(&["check", "--json"]);
    assert_eq!(run.status, 2);
    assert!(run.json()["error"].as_str().unwrap().contains("required"), "{}", run.stdout);
}

/// `firsttouch ... | head -0`: the output has no reader, and that is no reason to panic.
#[test]
fn broken_pipe() {
    for (arguments, status) in [
        (&["check", "touch.toml"][..], 1),
        (&["check", "touch.toml", "--json"], 1),
        (&["check", "nan.toml", "--json"], 2),
        (&["demo", "near_miss"], 0),
        (&["completions", "bash"], 0),
        (&["--help"], 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{arguments:?}");
    }
}

/// Without the feature the option is known, and its error says how to get it.
#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_is_a_feature() {
    let run = firsttouch(&["path", "arm.urdf", "edges.parquet", "--parquet", "answers.parquet"]);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("--features parquet"), "{}", run.stderr);
}
