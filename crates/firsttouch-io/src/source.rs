//! Lines and numbers from bytes, for all readers.
//!
//! Text is split as bytes, so a comment in another encoding does not stop a mesh whose numbers are plain ASCII.

use crate::error::{Fault, Place, Problem, Result};

/// The lines of a text with their numbers; `\n`, `\r\n` and a lone `\r` each end a line.
#[derive(Clone)]
pub(crate) struct Lines<'a> {
    rest: &'a [u8],
    /// The number of the line last returned.
    pub(crate) number: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Lines { rest: text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text), number: 0 }
    }

    /// Returns the bytes after the line last returned.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn place(&self) -> Place {
        Place::Line(self.number.max(1))
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        let end = self.rest.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(self.rest.len());
        let line = &self.rest[..end];
        let skip = match &self.rest[end..] {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        self.rest = &self.rest[end + skip..];
        Some(line)
    }
}

/// Returns the words of a line.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// Parses a finite number.
pub(crate) fn finite(word: &[u8], what: &str) -> Result<f64, Problem> {
    let text = std::str::from_utf8(word).ok();
    match text.and_then(|t| t.parse::<f64>().ok()) {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(Problem::NotFinite { what: what.into(), value: shown(word) }),
        None => Err(Problem::Malformed(format!("{what} cannot be read as a number: \"{}\"", shown(word)))),
    }
}

/// Parses an integer.
pub(crate) fn integer(word: &[u8]) -> Option<i64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// Returns text from a file for a message: shortened and printable for any bytes.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    let cut = &bytes[..bytes.len().min(LONGEST)];
    let mut text = String::from_utf8_lossy(cut).escape_debug().to_string();
    if bytes.len() > LONGEST {
        text.push_str("...");
    }
    text
}

/// A position in a binary file that never runs past its end.
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    pub(crate) offset: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], offset: usize) -> Self {
        Cursor { bytes, offset: offset.min(bytes.len()) }
    }

    pub(crate) fn left(&self) -> &'a [u8] {
        &self.bytes[self.offset..]
    }

    pub(crate) fn take<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Fault> {
        match self.left().first_chunk::<N>() {
            Some(chunk) => {
                self.offset += N;
                Ok(*chunk)
            }
            None => Err(Problem::Truncated { what: what.into() }.at(Place::Byte(self.offset))),
        }
    }
}
