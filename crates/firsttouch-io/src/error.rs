//! The one error type of the crate: which file, where in it, and what is wrong.
//!
//! Readers work on bytes and know only a place; the file's name is put in front where the bytes were named.
//! The text follows the compilers' habit so that editors can jump to it: `arm.obj:12: vertex index 9 is out
//! of range: there are only 8`.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a file was refused.
///
/// ```
/// let error = firsttouch_io::read_obj(b"v 0 0 0\nf 1 2 3\n", "arm.obj").unwrap_err();
/// assert_eq!(error.to_string(), "arm.obj:2: vertex index 3 is out of range: there are only 1");
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{}{place}: {problem}", .file.display())]
pub struct Error {
    /// The file, as it was named by the caller.
    pub file: PathBuf,
    /// Where in the file.
    pub place: Place,
    /// What is wrong there.
    pub problem: Problem,
}

/// Where in a file something is wrong.
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

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system could not read or write it.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The file is larger than [`MAX_FILE_BYTES`](crate::MAX_FILE_BYTES), or describes something that is.
    #[error("{what} is too large: the limit is {limit}")]
    TooLarge {
        /// The file, or what it describes.
        what: String,
        /// The limit that it exceeds.
        limit: u64,
    },
    /// The name has no extension that stands for a known format.
    #[error("unknown file format: the name must end in {expected}")]
    UnknownFormat {
        /// The extensions that are known.
        expected: &'static str,
    },
    /// The file ends too early.
    #[error("the file ends in the middle of {what}")]
    Truncated {
        /// What is not complete.
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
    /// An index points past the end of what it indexes.
    #[error("{what} {index} is out of range: there are only {len}")]
    IndexOutOfRange {
        /// What the index is for.
        what: String,
        /// The index as written in the file.
        index: i64,
        /// How many there are.
        len: usize,
    },
    /// A count in a header promises more than the rest of the file can hold.
    #[error("the header promises {count} {what}, but the file can hold at most {at_most}")]
    CountTooLarge {
        /// What is counted.
        what: String,
        /// The promise.
        count: u64,
        /// What fits in the bytes that follow.
        at_most: u64,
    },
    /// There is nothing in the file.
    #[error("there are no {what}")]
    Empty {
        /// What is missing.
        what: &'static str,
    },
    /// The file is sound but uses something that cannot be read here.
    #[error("not supported: {0}")]
    Unsupported(String),
}

/// The result of everything in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

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

/// An error whose file is not known yet: what the readers return inside.
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

/// Shorthand for the most frequent problem.
pub(crate) fn malformed(text: impl Into<String>) -> Problem {
    Problem::Malformed(text.into())
}
