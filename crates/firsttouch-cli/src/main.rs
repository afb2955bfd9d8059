//! The command `firsttouch`.
//!
//! It reads files, asks the library and prints: no geometry is computed here. One file per command, and:
//! - `args`: what the command line may say, and the help.
//! - `answer`: an answer with the names of its bodies, as text and as JSON.
//! - `papers`: the tables that `bench papers` makes, a file per paper.
//! - `output`: standard output, tables, progress bars, and the exit status.

mod answer;
mod args;
mod bench;
mod check;
mod deform;
mod demo;
mod output;
mod path;
mod queries;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use serde::Serialize;

use args::{Cli, Command};
use output::{Failure, Status, complain, print, print_json};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match run(&cli) {
        Ok(status) => status.into(),
        Err(failure) => {
            let text = failure.to_string();
            complain(&format!("error: {text}"));
            if cli.shared.json {
                report_error(text);
            }
            Status::Error.into()
        }
    }
}

fn run(cli: &Cli) -> Result<Status, Failure> {
    match &cli.command {
        Command::Check(args) => check::run(args, &cli.shared),
        Command::Path(args) => path::run(args, &cli.shared),
        Command::Deform(args) => deform::run(args, &cli.shared),
        Command::Demo(args) => demo::run(args, &cli.shared),
        Command::Queries(args) => queries::run(args, &cli.shared),
        Command::Bench(args) => bench::run(args, &cli.shared),
        Command::Completions { shell } => completions(*shell, cli.shared.json),
    }
}

/// The script is made in memory first: the generator would panic if it could not write.
fn completions(shell: clap_complete::Shell, json: bool) -> Result<Status, Failure> {
    #[derive(Serialize)]
    struct Completions {
        shell: String,
        script: String,
    }
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "firsttouch", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    if json {
        print_json(&Completions { shell: shell.to_string(), script })?
    } else {
        print(&script)?
    }
    Ok(Status::Free)
}

/// Help, the version, or what is wrong with the command line.
fn usage(error: &clap::Error) -> ExitCode {
    // A closed pipe is no reason to complain.
    let _ = error.print();
    if !error.use_stderr() {
        return Status::Free.into();
    }
    if std::env::args_os().any(|arg| arg == "--json") {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        report_error(first.strip_prefix("error: ").unwrap_or(first).to_string());
    }
    Status::Error.into()
}

/// With `--json`, an error too is one object on standard output.
fn report_error(error: String) {
    #[derive(Serialize)]
    struct Report {
        error: String,
    }
    // If standard output is gone as well, the exit status still tells.
    let _ = print_json(&Report { error });
}
