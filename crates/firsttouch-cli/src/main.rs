//! The command `firsttouch`.
//!
//! It reads files, calls the library and prints. It computes no geometry. Each command has a file, and beside them
//! there are:
//! - `args`: the arguments and their help texts.
//! - `answer`: an answer with the names of its bodies, as text and as JSON.
//! - `input`: input files, or standard input.
//! - `json_list`: a JSON object with a list that may not fit into memory.
//! - `output`: standard output, tables, progress bars, and the exit status.
//! - `view`: the page that shows an input, with a server and pictures.
//! - `second_process`: a refused allocation becomes an error.
//! - `terminal`: colours, and the width of tables.
//! - `stop`: time limits, Ctrl-C, limits on memory; a panic becomes an error.

mod answer;
mod args;
mod certificate;
mod check;
mod deform;
mod demo;
#[cfg(feature = "parquet")]
mod edges;
mod input;
mod json_list;
mod leg;
mod output;
mod path;
mod plan;
mod queries;
mod questions;
mod second_process;
mod srdf;
mod stop;
mod surroundings;
mod terminal;
mod view;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use serde::Serialize;

use answer::AnswerJson;
use args::{CheckArgs, Cli, Command, DeformArgs, PathArgs, StatementArgs, ViewArgs};
use output::{Failure, Status, complain, print, print_json, print_known, print_known_json};
use plan::PlanArgs;
use second_process::Ended;
use srdf::SrdfArgs;
use stop::StopReason;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let json = cli.shared.json;
    match second_process::run() {
        None => {}
        Some(Ended::Status(status)) => return status,
        Some(Ended::Failed(failure)) => return failed(&failure, json),
    }
    let bounds = match &cli.command {
        Command::Check(CheckArgs { bounds, .. })
        | Command::Path(PathArgs { bounds, .. })
        | Command::Deform(DeformArgs { bounds, .. })
        | Command::Plan(PlanArgs { bounds, .. })
        | Command::Srdf(SrdfArgs { bounds, .. })
        | Command::Statement(StatementArgs { bounds, .. })
        | Command::View(ViewArgs { bounds, .. }) => Some(bounds.clone()),
        Command::Demo(_) | Command::Queries(_) | Command::Schema | Command::Completions { .. } => None,
    };
    stop::when_stopped(move |why| print_stopped(why, json));
    match stop::supervised(bounds.as_ref(), move || run(&cli)) {
        Ok(status) => status.into(),
        Err(failure) => failed(&failure, json),
    }
}

/// Reports an error and returns the exit status.
fn failed(failure: &Failure, json: bool) -> ExitCode {
    let text = failure.advice();
    complain(&format!("error: {text}"));
    if json {
        let (file, line) = failure.place();
        report_error(&ErrorJson { error: text, code: failure.code(), file, line });
    }
    Status::Error.into()
}

/// Printed when a command is stopped before it has any results: without any proof.
fn print_stopped(why: StopReason, json: bool) -> Result<Status, Failure> {
    #[derive(Serialize)]
    struct StoppedJson {
        #[serde(flatten)]
        answer: AnswerJson,
        stopped: &'static str,
    }
    if json {
        print_known_json(&StoppedJson { answer: AnswerJson::stopped(), stopped: why.word() })?;
    } else {
        print_known(&format!("undecided: free until t = 0, where the work was stopped ({})\n", why.word()))?;
    }
    Ok(Status::Undecided)
}

fn run(cli: &Cli) -> Result<Status, Failure> {
    match &cli.command {
        Command::Check(args) => check::run(args, &cli.shared),
        Command::Schema => schema(cli.shared.json),
        Command::Path(args) => path::run(args, &cli.shared),
        Command::Plan(args) => plan::run(args, &cli.shared),
        Command::Statement(args) => certificate::run(args, &cli.shared),
        Command::Srdf(args) => srdf::run(args, &cli.shared),
        Command::Deform(args) => deform::run(args, &cli.shared),
        Command::View(args) => view::run(args, &cli.shared),
        Command::Demo(args) => demo::run(args, &cli.shared),
        Command::Queries(args) => queries::run(args, &cli.shared),
        Command::Completions { shell } => completions(*shell, cli.shared.json),
    }
}

/// Prints the schema of scene files: as it is written, or in one line.
fn schema(json: bool) -> Result<Status, Failure> {
    let text = firsttouch_io::scene_schema();
    if json {
        let schema: serde_json::Value =
            serde_json::from_str(text).map_err(|error| Failure::Other(error.to_string()))?;
        print_json(&schema)?;
    } else {
        print(text)?;
    }
    Ok(Status::Free)
}

/// Prints a completion script. It is generated in memory first, because the generator panics if it cannot write.
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

/// Prints the help, the version, or the error in the command line.
fn usage(error: &clap::Error) -> ExitCode {
    // A closed pipe is not an error.
    let _ = error.print();
    if !error.use_stderr() {
        return Status::Free.into();
    }
    if std::env::args_os().any(|arg| arg == "--json") {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        let error = first.strip_prefix("error: ").unwrap_or(first).to_string();
        report_error(&ErrorJson { error, code: "usage", file: None, line: None });
    }
    Status::Error.into()
}

/// With `--json`, an error is also one object on standard output. A field that does not apply is left out.
#[derive(Serialize)]
struct ErrorJson {
    error: String,
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

fn report_error(error: &ErrorJson) {
    // If standard output is closed as well, the exit status still reports the error.
    let _ = print_known_json(error);
}
