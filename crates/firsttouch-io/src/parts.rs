//! The parts that file formats define, and how the readers treat each of them.
//!
//! A reader has a table of the keys, elements or words of its format. The table says which of them are read and which
//! change neither shape nor motion. It also says which give a warning or an error, because the result would be wrong
//! without them. A name that is in no table gives a warning with the name that it resembles, because a misspelt key
//! must not remove a piece of a mesh in silence.
//!
//! The tables are printed in `docs/scene-files.md`; a test compares the two.

use crate::error::{Fault, Place, Problem, malformed};
use crate::files::Files;
use crate::source::shown;
use crate::spelling::meant;
use std::cell::RefCell;
use std::collections::HashSet;
use std::path::Path;

/// The treatment of a part of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Treatment {
    /// It is used, or the reader itself explains why not.
    Read,
    /// It changes neither shape nor motion: looks, names and data for other programs.
    Ignored,
    /// It is left out with a warning, which has this reason.
    Warned(&'static str),
    /// Reading ends with an error, which has this reason.
    Refused(&'static str),
}

/// The parts that may stand in one place of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts {
    /// The place, as in the documentation: an element, a key, or a name for the parts.
    pub(crate) within: &'static str,
    /// The word for a part in messages: key, element, property.
    pub(crate) kind: &'static str,
    /// Names and their treatment. A star at the end of a name stands for any characters.
    pub(crate) list: &'static [(&'static [&'static str], Treatment)],
}

impl Parts {
    /// Returns the treatment of a name; `None` if it is in no row of the table.
    pub(crate) fn treatment(&self, name: &str) -> Option<Treatment> {
        let is_named = |known: &str| match known.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == known,
        };
        let row = self.list.iter().find(|(names, _)| names.iter().any(|known| is_named(known)))?;
        Some(row.1)
    }

    /// Returns the name of the table that a name resembles, as the end of a message; empty if there is none.
    pub(crate) fn suggestion(&self, name: &str) -> String {
        let names = self.list.iter().flat_map(|(names, _)| names.iter().copied());
        suggestion(name, names.filter(|known| !known.ends_with('*')))
    }
}

/// Returns `; did you mean "mesh"?`, if one of the names differs from `name` by a few letters.
pub(crate) fn suggestion<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    let meant = meant(name, names);
    meant.map_or_else(String::new, |known| format!("; did you mean \"{known}\"?"))
}

/// The warnings of one reader about one file. A part that appears several times gives one warning, with its first
/// place.
pub(crate) struct Doubts<'f> {
    files: &'f Files,
    file: &'f Path,
    known: RefCell<HashSet<String>>,
}

impl<'f> Doubts<'f> {
    pub(crate) fn new(files: &'f Files, file: &'f Path) -> Doubts<'f> {
        Doubts { files, file, known: RefCell::default() }
    }

    /// Adds a warning, once for each text.
    pub(crate) fn warn(&self, place: Place, text: impl Into<String>) {
        let text = text.into();
        if self.is_new(&text) {
            self.files.warn(self.file, place, text);
        }
    }

    fn is_new(&self, subject: &str) -> bool {
        let mut known = self.known.borrow_mut();
        // A hostile file must not fill the memory with its names.
        known.len() < 10_000 && known.insert(subject.to_string())
    }

    /// Treats a part as its table says. Returns true if it is read.
    pub(crate) fn meet(
        &self,
        parts: &Parts,
        name: &str,
        place: impl FnOnce() -> Place,
    ) -> Result<bool, Fault> {
        let treatment = parts.treatment(name);
        match treatment {
            Some(Treatment::Read) => return Ok(true),
            Some(Treatment::Ignored) => return Ok(false),
            Some(Treatment::Refused(reason)) => {
                let what = format!("the {} \"{}\": {reason}", parts.kind, shown(name.as_bytes()));
                return Err(Problem::Unsupported(what).at(place()));
            }
            Some(Treatment::Warned(_)) | None => {}
        }
        if self.is_new(&format!("{} {name}", parts.within)) {
            let reason = match treatment {
                Some(Treatment::Warned(reason)) => format!(": {reason}"),
                _ => format!(" is not known here and is not read{}", parts.suggestion(name)),
            };
            let text = format!("the {} \"{}\"{reason}", parts.kind, shown(name.as_bytes()));
            self.files.warn(self.file, place(), text);
        }
        Ok(false)
    }
}

/// Returns an error about a part that is in no table, for formats that allow no others.
pub(crate) fn unknown_part(parts: &Parts, name: &str, format: &str) -> Problem {
    let (kind, shown) = (parts.kind, shown(name.as_bytes()));
    malformed(format!("\"{shown}\" is no {kind} of {format}{}", parts.suggestion(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions() {
        let of = |name: &str| suggestion(name, ["mesh", "matrix", "translation"]);
        assert_eq!(of("transaltion"), "; did you mean \"translation\"?");
        assert_eq!(of("weights"), "");
    }

    /// The documentation has a row for each table, with a column for each treatment.
    #[test]
    fn the_documentation_has_the_same_tables() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scene-files.md");
        let docs = std::fs::read_to_string(path).unwrap();
        let named = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
        let (mut count, mut missing) = (0, String::new());
        let tables = crate::mesh::TABLES.iter().chain(&crate::cloud::TABLES);
        for parts in tables.flat_map(|tables| tables.iter()) {
            let mut cells = [const { Vec::new() }; 4];
            let mut lines = Vec::new();
            for (names, treatment) in parts.list {
                let cell = match treatment {
                    Treatment::Read => 0,
                    Treatment::Ignored => 1,
                    Treatment::Warned(_) => 2,
                    Treatment::Refused(_) => 3,
                };
                cells[cell].extend(named(names));
                if let Treatment::Warned(reason) | Treatment::Refused(reason) = treatment {
                    lines.push(format!("- {}: {reason}.", named(names).join(", ")));
                }
            }
            let row = cells
                .map(|cell| if cell.is_empty() { String::new() } else { format!(" {}", cell.join(", ")) });
            lines.insert(0, format!("| {} |{} |", parts.within, row.join(" |")));
            for line in lines.iter().filter(|line| !docs.contains(&format!("\n{line}\n"))) {
                missing += &format!("{line}\n");
            }
            count += 1;
        }
        assert!(missing.is_empty(), "docs/scene-files.md lacks these lines:\n{missing}");
        assert!(count > 30, "{count}");
    }
}
