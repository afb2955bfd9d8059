//! Checks certificates of firsttouch: files that prove that nothing touches.
//!
//! This crate shares no code with the library that writes them, and has no dependencies. docs/certificates.md has
//! the format, the theorem and its proof. Read in this order: `proof` (the tests), `motion` and `shape` (the bounds
//! that the tests use), `interval` (rounding) and `json` (the accepted files).

mod interval;
mod json;
mod motion;
mod proof;
mod shape;
mod statement;

use std::io::{BufRead, Read};

pub use statement::Claim;

/// A longer line is refused.
const LONGEST_LINE: u64 = 1 << 28;

/// The reason for a refusal.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// It is no certificate: this line cannot be read.
    Unreadable(usize, String),
    /// Its claim is not proven by this line, or by the whole file.
    Refused(Option<usize>, String),
}

/// The result for an accepted file.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    /// What it claims.
    pub claim: Claim,
    /// The number of parts.
    pub parts: usize,
    /// The number of pairs that are proven apart.
    pub pairs: usize,
    /// Number of unchecked pairs, for each reason.
    pub unchecked: Vec<(String, usize)>,
    /// The number of nodes of all proofs.
    pub nodes: usize,
}

/// Reads a certificate and checks it.
pub fn verify(file: impl BufRead) -> Result<Verified, Refusal> {
    let mut lines = Lines { file, number: 0 };
    let first = lines.next()?.ok_or_else(|| Refusal::Unreadable(1, "the file is empty".into()))?;
    let (claim, count) = statement::header(first).map_err(|why| Refusal::Unreadable(1, why))?;
    let mut statement = statement::Statement::new(claim);
    let mut proof = None;
    while let Some(line) = lines.next()? {
        let unreadable = |why| Refusal::Unreadable(lines.number, why);
        if line.has("proof") {
            let proof = proof.get_or_insert_with(|| proof::Proof::new(&statement));
            let tree = proof::read(line).map_err(unreadable)?;
            proof.check(&mut statement, tree).map_err(|why| Refusal::Refused(Some(lines.number), why))?;
        } else if proof.is_none() {
            statement.add(line).map_err(unreadable)?;
        } else {
            return Err(unreadable("a line of the statement after a proof".into()));
        }
    }
    if lines.number != count {
        let why = format!("it has {} lines and should have {count}", lines.number);
        return Err(Refusal::Unreadable(lines.number, why));
    }
    let proof = proof.unwrap_or_else(|| proof::Proof::new(&statement));
    proof.end(&statement).map_err(|why| Refusal::Refused(None, why))
}

struct Lines<R> {
    file: R,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> Result<Option<json::Members>, Refusal> {
        self.number += 1;
        let unreadable = |why: String| Refusal::Unreadable(self.number, why);
        let mut line = Vec::new();
        let read = (&mut self.file).take(LONGEST_LINE).read_until(b'\n', &mut line);
        read.map_err(|error| unreadable(error.to_string()))?;
        if line.is_empty() {
            self.number -= 1;
            return Ok(None);
        }
        if line.pop() != Some(b'\n') {
            return Err(unreadable("the line has no end, or is too long".into()));
        }
        let text = std::str::from_utf8(&line).map_err(|error| unreadable(error.to_string()))?;
        json::read(text).and_then(json::Members::of).map(Some).map_err(unreadable)
    }
}
