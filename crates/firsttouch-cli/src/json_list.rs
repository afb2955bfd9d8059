//! A JSON object whose first field is a list that may not fit into memory: it is written while it grows.
//!
//! Entries are written whole. If the work is stopped, the thread that prints instead closes the list first, so the
//! output is always one valid object.

use std::io::{self, ErrorKind};
use std::ops::ControlFlow;

use serde::Serialize;

use crate::output::{self, Failure};

/// Entries are collected up to this many bytes before they are written.
const BUFFER: usize = 1 << 16;

/// The list `pairs` of the JSON output.
pub(crate) struct JsonList {
    /// The largest number of listed entries.
    most: u64,
    listed: u64,
    truncated: bool,
    buffer: String,
    failed: Option<io::Error>,
}

impl JsonList {
    pub(crate) fn new(most: u64) -> JsonList {
        JsonList { most, listed: 0, truncated: false, buffer: String::new(), failed: None }
    }

    /// Returns true if there were more entries than are listed.
    pub(crate) fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Returns true if the list is full. Further entries are only counted.
    pub(crate) fn is_full(&self) -> bool {
        self.listed >= self.most
    }

    /// Adds an entry. It breaks if writing is no longer possible.
    pub(crate) fn add(&mut self, entry: &impl Serialize) -> ControlFlow<()> {
        if self.is_full() {
            self.truncated = true;
            return ControlFlow::Continue(());
        }
        let entry = match serde_json::to_string(entry) {
            Ok(entry) => entry,
            Err(error) => {
                self.failed = Some(error.into());
                return ControlFlow::Break(());
            }
        };
        self.buffer += if self.listed == 0 { "{\"pairs\":[" } else { "," };
        self.buffer += &entry;
        self.listed += 1;
        if self.buffer.len() < BUFFER {
            return ControlFlow::Continue(());
        }
        let written = output::print_list(&self.buffer);
        self.buffer.clear();
        match written {
            Ok(true) => ControlFlow::Continue(()),
            Ok(false) => ControlFlow::Break(()),
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Writes the rest of the list and the other fields of the object. A closed pipe is not an error.
    pub(crate) fn finish(self, rest: &impl Serialize) -> Result<(), Failure> {
        match self.failed {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => return Err(Failure::Output(error)),
            _ => {}
        }
        let rest = serde_json::to_string(rest).map_err(|error| Failure::Output(error.into()))?;
        let end = if self.listed == 0 { "{\"pairs\":[]" } else { "]" };
        let fields = rest.strip_prefix('{').unwrap_or(&rest);
        output::print(&format!("{}{end},{fields}\n", self.buffer))
    }
}
