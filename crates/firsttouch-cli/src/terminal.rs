//! The form of standard output on a terminal: colours on answers, and tables that fit the width.
//!
//! A file or a pipe gets plain text. `NO_COLOR`, if set and not empty, turns colours off; so does `TERM=dumb`.
//! `CLICOLOR_FORCE`, if set and not `0`, turns them on everywhere.

use std::io::IsTerminal;

use console::Style;

/// Returns the columns of the terminal; `None` if standard output is not a terminal.
pub(crate) fn columns() -> Option<usize> {
    let out = std::io::stdout();
    if !out.is_terminal() {
        return None;
    }
    console::Term::stdout()
        .size_checked()
        .map(|(_, columns)| usize::from(columns))
        .filter(|&columns| columns > 0)
}

/// Returns true if colours are printed, judged by the terminal and the environment.
fn colours() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if set("NO_COLOR").is_some() {
        return false;
    }
    if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    std::io::stdout().is_terminal() && set("TERM").is_some_and(|term| term != "dumb")
}

/// Colours an answer: a text that is an answer, or starts with the words of one. Any other text stays as it is.
pub(crate) fn paint_answer(text: &str) -> String {
    if !colours() {
        return text.into();
    }
    painted(text)
}

fn painted(text: &str) -> String {
    let first = text.find([' ', ':', '_', '\n']).map_or(text, |end| &text[..end]);
    let style = match first {
        "free" => Style::new().green(),
        "touch" | "touching" => Style::new().red(),
        "undecided" => Style::new().yellow(),
        _ => return text.into(),
    };
    // The headline only: the details below it are for reading.
    let end = text.find('\n').unwrap_or(text.len());
    let (line, rest) = text.split_at(end);
    format!("{}{rest}", style.bold().force_styling(true).apply_to(line))
}

/// Shortens a cell to a width of at least one, with an ellipsis for the omitted text.
pub(crate) fn shortened(cell: &str, width: usize) -> String {
    if cell.chars().count() <= width {
        return cell.into();
    }
    cell.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Narrows the columns of a table until a line fits: the widest of the columns that may be narrowed shrinks first, down
/// to `least`.
pub(crate) fn fitted(
    mut widths: Vec<usize>,
    narrows: &[bool],
    gap: usize,
    columns: usize,
    least: usize,
) -> Vec<usize> {
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + gap * widths.len().saturating_sub(1);
    while total(&widths) > columns {
        let candidates = (0..widths.len()).filter(|&k| narrows[k] && widths[k] > least);
        let Some(widest) = candidates.max_by_key(|&k| widths[k]) else { break };
        widths[widest] -= 1;
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_of_an_answer_is_coloured() {
        assert_eq!(
            painted("free: nothing touches in [0, 1]\n"),
            "\u{1b}[32m\u{1b}[1mfree: nothing touches in [0, 1]\u{1b}[0m\n"
        );
        assert_eq!(painted("touching_at_start"), "\u{1b}[31m\u{1b}[1mtouching_at_start\u{1b}[0m");
        assert!(painted("undecided").starts_with("\u{1b}[33m"));
        assert_eq!(painted("freedom"), "freedom");
        assert_eq!(
            painted("touch at t = 0.5\n  gap\n"),
            "\u{1b}[31m\u{1b}[1mtouch at t = 0.5\u{1b}[0m\n  gap\n"
        );
    }

    #[test]
    fn wide_columns_give_way_first() {
        assert_eq!(fitted(vec![4, 30, 20], &[false, true, true], 2, 40, 8), [4, 16, 16]);
        // Numbers are never cut, so a line may still be too long.
        assert_eq!(fitted(vec![30, 30], &[false, true], 2, 20, 8), [30, 8]);
        assert_eq!(shortened("long name", 5), "long…");
        assert_eq!(shortened("name", 5), "name");
    }
}
