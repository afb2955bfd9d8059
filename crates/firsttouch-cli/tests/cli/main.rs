//! The command as its users run it: arguments in; exit status, standard output and standard error out.

mod certificate;
mod check;
mod deform;
mod demo;
mod export;
mod limits;
mod motions;
#[cfg(feature = "parquet")]
mod parquet;
mod path;
mod plan;
mod queries;
mod questions;
mod terminal;
mod trajectories;
mod usage;
mod view;

use std::process::{Command, Stdio};

use serde_json::Value;

/// The results of a run.
struct Run {
    status: i32,
    stdout: String,
    stderr: String,
}

impl Run {
    /// Returns standard output as the one JSON object that it must be.
    #[track_caller]
    fn json(&self) -> Value {
        assert_eq!(self.stdout.lines().count(), 1, "more than one line: {}", self.stdout);
        let value: Value = serde_json::from_str(&self.stdout).expect("standard output is JSON");
        assert!(value.is_object());
        value
    }
}

/// Runs the command in the folder of the test scenes.
fn firsttouch(arguments: &[&str]) -> Run {
    let output = command(arguments).stdin(Stdio::null()).output().expect("the command starts");
    Run {
        status: output.status.code().expect("the command was not killed"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_firsttouch"));
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/scenes")).args(arguments);
    command
}
