//! Standard output, tables, progress bars, and the exit status.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use firsttouch_io::{Stage, printable};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::terminal;

/// The exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Free = 0,
    Touch = 1,
    Error = 2,
    Undecided = 3,
    /// Ended by Ctrl-C: 128 plus the signal's number, as in shells.
    Interrupted = 130,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// The reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    File(#[from] firsttouch_io::Error),
    #[error(transparent)]
    Query(#[from] firsttouch::Error),
    #[error("standard output: {0}")]
    Output(std::io::Error),
    #[error("more memory is in use than the limit of {} MB", .limit / 1_000_000)]
    Memory { limit: u64 },
    #[error("the system refused memory")]
    Refused,
    #[error("internal error, please report it: {0}")]
    Internal(String),
    #[error("{0}")]
    Other(String),
}

impl Failure {
    /// Returns the kind of failure in one word, for programs.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Failure::File(error) => error.code(),
            Failure::Query(_) | Failure::Other(_) => "invalid",
            Failure::Output(_) => "output",
            Failure::Memory { .. } | Failure::Refused => "out_of_memory",
            Failure::Internal(_) => "internal",
        }
    }

    /// Returns the file and the line of the error, if they are known.
    pub(crate) fn place(&self) -> (Option<String>, Option<usize>) {
        match self {
            Failure::File(error) => (Some(error.file.display().to_string()), error.line()),
            _ => (None, None),
        }
    }

    /// Returns the message, with advice if there is any.
    pub(crate) fn advice(&self) -> String {
        let more = match self {
            Failure::Refused => "; its limit (ulimit -v) is too low for this input",
            _ if self.code() == "out_of_memory" => "; --max-memory raises it",
            _ => "",
        };
        format!("{self}{more}")
    }
}

/// The state of standard output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Output {
    /// The answer was not printed, or only a part of it.
    Open,
    /// The answer was printed.
    Printed,
    /// The work was stopped. Its output is no longer written.
    TakenOver,
}

static OUTPUT: Mutex<Output> = Mutex::new(Output::Open);

/// True if the output ends within a list of JSON.
static IN_LIST: AtomicBool = AtomicBool::new(false);
static PROGRESS: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Stops the work from printing. Returns false if its answer was already printed.
pub(crate) fn take_over() -> bool {
    let mut output = OUTPUT.lock().unwrap_or_else(PoisonError::into_inner);
    if *output == Output::Printed {
        return false;
    }
    *output = Output::TakenOver;
    if let Some(progress) = PROGRESS.lock().unwrap_or_else(PoisonError::into_inner).take() {
        progress.finish_and_clear();
    }
    true
}

/// Writes the answer to standard output. A closed pipe (`firsttouch ... | head`) is not an error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_as(text, Output::Printed)
}

/// Writes a part of the answer. More parts follow.
pub(crate) fn print_piece(text: &str) -> Result<(), Failure> {
    print_as(text, Output::Open)
}

/// Writes the current results in place of an answer, also after [`take_over`].
pub(crate) fn print_known(text: &str) -> Result<(), Failure> {
    write_out(text)
}

/// Writes the current results as one JSON object, also after [`take_over`]. If a part of an object was written, these
/// are its other fields.
pub(crate) fn print_known_json(object: &impl Serialize) -> Result<(), Failure> {
    let line = json_line(object)?;
    match line.strip_prefix('{') {
        Some(fields) if IN_LIST.load(Ordering::Relaxed) => write_out(&format!("],{fields}")),
        _ => write_out(&line),
    }
}

/// Writes whole entries of a list of JSON. Returns false if writing is no longer possible: the pipe is closed, or the
/// work was stopped.
pub(crate) fn print_list(entries: &str) -> std::io::Result<bool> {
    let output = OUTPUT.lock().unwrap_or_else(PoisonError::into_inner);
    if *output == Output::TakenOver {
        return Ok(false);
    }
    IN_LIST.store(true, Ordering::Relaxed);
    let mut out = std::io::stdout().lock();
    match out.write_all(entries.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        written => written.map(|()| true),
    }
}

fn print_as(text: &str, then: Output) -> Result<(), Failure> {
    let mut output = OUTPUT.lock().unwrap_or_else(PoisonError::into_inner);
    if *output == Output::TakenOver {
        return Ok(());
    }
    *output = then;
    write_out(text)
}

fn write_out(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(()),
    }
}

/// Writes one JSON object and a newline. Numbers are written so that reading them back gives the same f64.
pub(crate) fn print_json(object: &impl Serialize) -> Result<(), Failure> {
    print(&json_line(object)?)
}

fn json_line(object: &impl Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string(object).map_err(|error| Failure::Output(error.into()))? + "\n")
}

/// Writes the motion and its answer into the folder of `--out`: `NAME.obj`, `NAME.glb`, and the answer as
/// `answer.json`.
pub(crate) fn export(
    folder: &Path,
    stages: impl IntoIterator<Item = Result<(String, Stage), Failure>>,
    answer: &impl Serialize,
) -> Result<(), Failure> {
    for stage in stages {
        let (name, stage) = stage?;
        stage.save(folder, &name)?;
    }
    let text = json_line(answer)?;
    Ok(firsttouch_io::save(&folder.join("answer.json"), |out| out.write_all(text.as_bytes()))?)
}

/// Writes one line to standard error. Control characters are escaped, so that it stays one line.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", printable(text));
}

/// On a terminal, no column of text is made narrower than this, because the rest would be too short to read.
const LEAST_WIDTH: usize = 4;

/// Formats rows under a header. Columns whose header starts with `>` are aligned to the right. On a terminal, wide
/// columns of text are shortened until a line fits, and answers are coloured.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let plain = |row: &Vec<String>| row.iter().map(|cell| printable(cell).into_owned()).collect::<Vec<_>>();
    let rows: &[Vec<String>] = &rows.iter().map(plain).collect::<Vec<_>>();
    let titles: Vec<&str> = header.iter().map(|title| title.trim_start_matches('>')).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([titles[column].chars().count()]).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..header.len()).map(width).collect();
    if let Some(columns) = terminal::columns() {
        let narrows: Vec<bool> = header.iter().map(|title| !title.starts_with('>')).collect();
        widths = terminal::fitted(widths, &narrows, 2, columns, LEAST_WIDTH);
    }
    let line = |cells: &[&str]| {
        let aligned = cells.iter().zip(&widths).zip(header).map(|((cell, &width), title)| {
            if title.starts_with('>') {
                return format!("{cell:>width$}");
            }
            // Padded before it is painted: escape sequences have no width.
            let cell = format!("{:<width$}", terminal::shortened(cell, width));
            if *title == "answer" { terminal::paint_answer(&cell) } else { cell }
        });
        aligned.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    let mut text = line(&titles);
    text += &line(&rule.iter().map(String::as_str).collect::<Vec<_>>());
    for row in rows {
        text += &line(&row.iter().map(String::as_str).collect::<Vec<_>>());
    }
    text
}

/// Formats a time span with a suitable unit.
pub(crate) fn time(micros: f64) -> String {
    match micros {
        m if m < 1.0 => format!("{:.0} ns", m * 1e3),
        m if m < 1e3 => format!("{m:.1} µs"),
        m if m < 1e6 => format!("{:.1} ms", m * 1e-3),
        m => format!("{:.1} s", m * 1e-6),
    }
}

/// Returns a progress bar for `count` pieces of work. It is shown on standard error, and only on a terminal.
pub(crate) fn bar(count: usize, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(count as u64);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    shown(bar.with_message(what))
}

/// Returns a running clock for one piece of work. It is shown on standard error, and only on a terminal.
pub(crate) fn clock(what: String) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let clock = ProgressBar::new_spinner().with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        clock.set_style(style);
    }
    clock.enable_steady_tick(Duration::from_millis(100));
    shown(clock)
}

/// Keeps the progress bar, so that [`take_over`] can clear it.
fn shown(progress: ProgressBar) -> ProgressBar {
    *PROGRESS.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
    progress
}

/// Returns the median, or `None` for an empty list.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    Some(if values.len() % 2 == 1 { upper } else { 0.5 * (values[values.len() / 2 - 1] + upper) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn tables_are_aligned() {
        let rows = [vec!["a".to_string(), "1".to_string()], vec!["bb".to_string(), "22".to_string()]];
        assert_eq!(table(&["x", ">number"], &rows), "x   number\n--  ------\na        1\nbb      22\n");
    }

    #[test]
    fn times() {
        let shown: Vec<String> = [0.25, 41.26, 1500.0, 2.5e6].into_iter().map(time).collect();
        assert_eq!(shown, ["250 ns", "41.3 µs", "1.5 ms", "2.5 s"]);
    }
}
