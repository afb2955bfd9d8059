//! Standard output, tables, progress bars, and the exit status.

use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

/// What the exit status says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Free = 0,
    Touch = 1,
    Error = 2,
    Undecided = 3,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// Why a command could not answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    File(#[from] firsttouch_io::Error),
    #[error(transparent)]
    Query(#[from] firsttouch::Error),
    #[error(transparent)]
    Lab(#[from] firsttouch_lab::Error),
    #[error("standard output: {0}")]
    Output(std::io::Error),
    #[error("{0}")]
    Other(String),
}

/// Writes text to standard output. A reader that has gone away (`firsttouch ... | head`) is no error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(()),
    }
}

/// Writes one JSON object and a newline. Numbers are written so that reading them back gives the same f64.
pub(crate) fn print_json(object: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(object).map_err(|error| Failure::Output(error.into()))?;
    print(&(text + "\n"))
}

/// Writes a line to standard error, if anyone listens.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Rows under a header, columns aligned. Columns whose header starts with `>` are aligned to the right.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let titles: Vec<&str> = header.iter().map(|title| title.trim_start_matches('>')).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([titles[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: &[&str]| {
        let aligned = cells.iter().zip(&widths).zip(header).map(|((cell, width), title)| {
            if title.starts_with('>') { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
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

/// A time span with a unit that suits it.
pub(crate) fn time(micros: f64) -> String {
    match micros {
        m if m < 1.0 => format!("{:.0} ns", m * 1e3),
        m if m < 1e3 => format!("{m:.1} µs"),
        m if m < 1e6 => format!("{:.1} ms", m * 1e-3),
        m => format!("{:.1} s", m * 1e-6),
    }
}

/// A bar for `count` pieces of work. It shows on standard error, and only if that is a terminal.
pub(crate) fn bar(count: usize, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(count as u64);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar.with_message(what)
}

/// A clock that runs while one piece of work does. It shows on standard error, and only if that is a terminal.
pub(crate) fn clock(what: String) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let clock = ProgressBar::new_spinner().with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        clock.set_style(style);
    }
    clock.enable_steady_tick(Duration::from_millis(100));
    clock
}

/// The median, or nothing of nothing.
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
