//! The one error type of the crate. It holds the file, the place in it, and the problem.
//!
//! Readers work on bytes and know only a place in them. The caller adds the file's name. The text has the format of
//! compiler messages, so that editors can jump to the place:
//! `arm.obj:12: vertex index 9 is out of range: there are only 8`.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// The reason why a file was refused.
///
/// ```
/// let error = firsttouch_io::read_obj(b"v 0 0 0\nf 1 2 3\n", "arm.obj").unwrap_err();
/// assert_eq!(error.to_string(), "arm.obj:2: vertex index 3 is out of range: there are only 1");
/// ```
///
/// The text quotes the file. Control characters, and characters that change the direction of text, are
/// escaped, so that a name cannot forge a line of output or send commands to a terminal.
#[derive(Debug, thiserror::Error)]
#[error("{}", printable(&format!("{}{place}: {problem}", .file.display())))]
pub struct Error {
    /// The file, as named by the caller.
    pub file: PathBuf,
    /// The place in the file.
    pub place: Place,
    /// The problem.
    pub problem: Problem,
}

/// The place of a problem in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of a text file, counted from 1.
    Line(usize),
    /// An offset into a binary file.
    Byte(usize),
    /// A named part of a structured file, for example `meshes[2].primitives[0]`.
    Item(String),
}

/// The problem with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system could not read or write it.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The file is larger than [`MAX_FILE_BYTES`](crate::MAX_FILE_BYTES), or describes something that is.
    #[error("{what} is too large: the limit is {limit}")]
    TooLarge {
        /// The file, or the thing that it describes.
        what: String,
        /// The limit that it exceeds.
        limit: u64,
    },
    /// The contents that the file describes would take more memory than [`Files`](crate::Files) may use.
    #[error("{what} needs more memory than the limit of {}", bytes_text(*.limit))]
    OutOfMemory {
        /// The data that does not fit.
        what: String,
        /// The limit, in bytes.
        limit: u64,
    },
    /// A folder, a device, a pipe or a socket in the place of a file. Reading one may never end.
    #[error("not a regular file: {0}")]
    NotRegular(&'static str),
    /// The file is outside the only folder that may be read.
    #[error("outside the folder {}, the only one that may be read", .0.display())]
    Outside(PathBuf),
    /// The extension is not that of a known format.
    #[error("unknown file format: the name must end in {expected}{advice}")]
    UnknownFormat {
        /// The extensions that are known.
        expected: &'static str,
        /// Advice on how to convert this file to a known format, as the end of the message; empty if there is none.
        advice: &'static str,
    },
    /// The file ends too early.
    #[error("the file ends in the middle of {what}")]
    Truncated {
        /// The part that is not complete.
        what: String,
    },
    /// The text or bytes do not follow the format.
    #[error("{0}")]
    Malformed(String),
    /// A coordinate is NaN, infinite, or too large for an f64.
    #[error("{what} is not a finite number: {value}")]
    NotFinite {
        /// The quantity.
        what: String,
        /// As written in the file.
        value: String,
    },
    /// An index points past the end of its list.
    #[error("{what} {index} is out of range: there are only {len}")]
    IndexOutOfRange {
        /// The purpose of the index.
        what: String,
        /// The index as written in the file.
        index: i64,
        /// The number of entries in the list.
        len: usize,
    },
    /// A count in a header is larger than the rest of the file can hold.
    #[error("the header promises {count} {what}, but the file can hold at most {at_most}")]
    CountTooLarge {
        /// What is counted.
        what: String,
        /// The count in the header.
        count: u64,
        /// The number that fits in the bytes that follow.
        at_most: u64,
    },
    /// The file is empty, or a required list in it is.
    #[error("there are no {what}")]
    Empty {
        /// What is missing.
        what: &'static str,
    },
    /// A file that this one names was refused.
    #[error("{}", brief(format!("{context}{error}")))]
    Named {
        /// The part that names it, for example `body "bunny": `; may be empty.
        context: String,
        /// The problem with it.
        error: Box<Error>,
    },
    /// The file is valid but uses a feature that is not supported.
    #[error("not supported: {0}")]
    Unsupported(String),
}

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Returns the line in the file, if it is known.
    pub fn line(&self) -> Option<usize> {
        match self.place {
            Place::Line(line) => Some(line),
            Place::File | Place::Byte(_) | Place::Item(_) => None,
        }
    }

    /// Returns the kind of problem in one word, for programs. It stays the same when the text of a message changes.
    ///
    /// ```
    /// let error = firsttouch_io::read_obj(b"v 0 0 0\nf 1 2 3\n", "arm.obj").unwrap_err();
    /// assert_eq!((error.code(), error.line()), ("index_out_of_range", Some(2)));
    /// ```
    pub fn code(&self) -> &'static str {
        match &self.problem {
            Problem::Io(error) if error.kind() == std::io::ErrorKind::NotFound => "not_found",
            Problem::Io(_) => "io",
            Problem::TooLarge { .. } => "too_large",
            Problem::OutOfMemory { .. } => "out_of_memory",
            Problem::NotRegular(_) => "not_a_regular_file",
            Problem::Outside(_) => "outside_root",
            Problem::UnknownFormat { .. } => "unknown_format",
            Problem::Truncated { .. } => "truncated",
            Problem::Malformed(_) => "malformed",
            Problem::NotFinite { .. } => "not_finite",
            Problem::IndexOutOfRange { .. } => "index_out_of_range",
            Problem::CountTooLarge { .. } => "count_too_large",
            Problem::Empty { .. } => "empty",
            Problem::Named { error, .. } => error.code(),
            Problem::Unsupported(_) => "unsupported",
        }
    }
}

/// Returns text for a line of output. Control characters, invisible characters and those that change the direction of
/// text are escaped. All other characters stay.
///
/// ```
/// assert_eq!(firsttouch_io::printable("caf\u{e9}\u{1b}[2J\n"), "caf\u{e9}\\u{1b}[2J\\n");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hidden(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Formats a number for a message: in full if that is short, otherwise with an exponent.
pub(crate) fn number_text(value: f64) -> String {
    if value == 0.0 || !value.is_finite() || (1e-6..1e16).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// Formats a number of bytes with a suitable unit.
pub(crate) fn bytes_text(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1_000),
        10_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{:.1} GB", bytes as f64 * 1e-9),
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => Ok(()),
            Place::Line(line) => write!(f, ":{line}"),
            Place::Byte(offset) => write!(f, ": byte {offset}"),
            Place::Item(item) => write!(f, ": {item}"),
        }
    }
}

/// An error whose file is not known yet. The readers use it internally.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) place: Place,
    pub(crate) problem: Problem,
}

impl Fault {
    pub(crate) fn in_file(self, file: impl AsRef<Path>) -> Error {
        Error { file: file.as_ref().to_path_buf(), place: self.place, problem: self.problem }
    }
}

impl Problem {
    pub(crate) fn at(self, place: Place) -> Fault {
        Fault { place, problem: self }
    }
}

/// Builds the most frequent problem.
pub(crate) fn malformed(text: impl Into<String>) -> Problem {
    Problem::Malformed(brief(printable(&text.into()).into_owned()))
}

/// Shortens a message: parsers quote unexpected text of any length. Only the middle of a long message is left out: its
/// start names the problem, and its end names the expected text.
fn brief(text: String) -> String {
    const LONGEST: usize = 400;
    const KEPT: usize = 150;
    if text.chars().nth(LONGEST).is_none() {
        return text;
    }
    let head: String = text.chars().take(KEPT).collect();
    let tail_start = text.char_indices().rev().nth(KEPT - 1).map_or(0, |(at, _)| at);
    format!("{head} ... {}", &text[tail_start..])
}
