//! Scene files in JSON: read into the same tables as TOML, so that one reader checks both.
//!
//! 1. `serde_json` finds mistakes of syntax and gives their lines.
//! 2. The text, which is then known to be JSON, is read into a table with the place of every key and value. Objects are
//!    tables; numbers and strings without escapes are parts of the text.
//! 3. From there on the table is treated as one from TOML, and its places are those of the JSON file.
//!
//! `null` is refused: a key without a value is left out instead.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::{SceneFile, check};
use crate::error::{Fault, Place, Result, malformed};

/// Returns true if a scene is in JSON: by its name, or by its first character, with which no TOML file begins.
pub(super) fn is_json(text: &str, path: &Path) -> bool {
    let named = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    named || text.trim_start().starts_with('{')
}

/// Reads a scene from JSON; paths in it are relative to `folder`.
pub(super) fn scene(text: &str, folder: &Path, robot: Option<&str>) -> Result<SceneFile, Fault> {
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
        // The text ends with the place, which the fault already has.
        let what = error.to_string();
        let what = what.rsplit_once(" at line ").map_or(&what[..], |(what, _)| what);
        let line = if error.line() == 0 { 1 } else { error.line() };
        return Err(malformed(what).at(Place::Line(line)));
    }
    if !text.trim_start().starts_with('{') {
        return Err(malformed("a scene in JSON is one object").at(Place::Line(1)));
    }
    check::scene_of_table(table(text)?, text, folder, robot)
}

/// Reads the outermost object of a text that is JSON.
fn table(text: &str) -> Result<Spanned<DeTable<'_>>, Fault> {
    let mut reader = Reader { text, at: 0 };
    reader.next();
    let begin = reader.at;
    let table = reader.object()?;
    Ok(Spanned::new(begin..reader.at, table))
}

/// Reads values one after the other. The text must be JSON that is not nested more deeply than `serde_json` allows.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    /// Returns the next character that is not a blank.
    fn next(&mut self) -> u8 {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.text.as_bytes().get(self.at).copied().unwrap_or(b'}')
    }

    fn fault(&self, at: usize, what: &str) -> Fault {
        let line = 1 + self.text[..at].matches('\n').count();
        malformed(what).at(Place::Line(line))
    }

    fn value(&mut self) -> Result<Spanned<DeValue<'t>>, Fault> {
        let first = self.next();
        let begin = self.at;
        let value = match first {
            b'{' => DeValue::Table(self.object()?),
            b'[' => DeValue::Array(self.array()?),
            b'"' => DeValue::String(self.string()?),
            b'n' => return Err(self.fault(begin, "null has no meaning here: leave the key out")),
            _ => self.word()?,
        };
        Ok(Spanned::new(begin..self.at, value))
    }

    fn object(&mut self) -> Result<DeTable<'t>, Fault> {
        let mut table = DeTable::new();
        self.at += 1;
        loop {
            match self.next() {
                b'"' => {}
                b',' => {
                    self.at += 1;
                    continue;
                }
                _ => break,
            }
            let begin = self.at;
            let key = Spanned::new(begin..self.place_of_string().end, self.string()?);
            // Skip the colon.
            self.next();
            self.at += 1;
            let value = self.value()?;
            if table.insert(key, value).is_some() {
                return Err(self.fault(begin, "duplicate key"));
            }
        }
        self.at += 1;
        Ok(table)
    }

    fn array(&mut self) -> Result<DeArray<'t>, Fault> {
        let mut array = DeArray::new();
        self.at += 1;
        loop {
            match self.next() {
                b']' => break,
                b',' => self.at += 1,
                _ => array.push(self.value()?),
            }
        }
        self.at += 1;
        Ok(array)
    }

    /// Reads a number or a boolean. All JSON numbers and booleans are valid TOML.
    fn word(&mut self) -> Result<DeValue<'t>, Fault> {
        let begin = self.at;
        let rest = &self.text[begin..];
        let ends = |c: char| c.is_ascii_whitespace() || matches!(c, ',' | ']' | '}');
        self.at += rest.find(ends).unwrap_or(rest.len());
        match DeValue::parse(&self.text[begin..self.at]) {
            Ok(value) => Ok(value.into_inner()),
            Err(error) => Err(self.fault(begin, error.message())),
        }
    }

    /// Reads a string. Only its escapes can be wrong.
    fn string(&mut self) -> Result<Cow<'t, str>, Fault> {
        let place = self.place_of_string();
        self.at = place.end;
        let quoted = &self.text[place];
        let inner = &quoted[1..quoted.len() - 1];
        if !inner.contains('\\') {
            return Ok(Cow::Borrowed(inner));
        }
        serde_json::from_str(quoted).map(Cow::Owned).map_err(|_| {
            let what = "a string with half a surrogate pair, which is no character";
            self.fault(self.at, what)
        })
    }

    /// Returns the place of the string that begins here, with its quotes.
    fn place_of_string(&self) -> Range<usize> {
        let mut escaped = false;
        for (at, byte) in self.text.bytes().enumerate().skip(self.at + 1) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => return self.at..at + 1,
                _ => {}
            }
        }
        self.at..self.text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    const TEXT: &str = "{\"a\": 1,\n \"b\": {\"c\": [1e3,\n -2.5],\n \"d\": \"x\\/\\ud83d\\ude00\\u0041\"}, \"e\": [{}, {\"f\": true}]}";

    #[test]
    fn the_table_has_the_same_values() {
        let deserializer = toml::Deserializer::from(table(TEXT).unwrap());
        let ours = toml::Value::deserialize(deserializer).unwrap();
        let theirs: toml::Value = serde_json::from_str(TEXT).unwrap();
        assert_eq!(ours, theirs);
    }

    #[test]
    fn places_are_those_of_the_text() {
        let table = table(TEXT).unwrap();
        assert_eq!(table.span(), 0..TEXT.len());
        let DeValue::Table(inner) = table.get_ref()["b"].get_ref() else { panic!() };
        for (key, text) in [("c", "[1e3,\n -2.5]"), ("d", "\"x\\/\\ud83d\\ude00\\u0041\"")] {
            assert_eq!(&TEXT[inner[key].span()], text);
        }
    }

    /// The TOML reader refuses the same.
    #[test]
    fn what_has_no_meaning_is_refused_with_its_line() {
        for (text, what) in [
            ("{\n\"a\": null}", "null has no meaning"),
            ("{\"a\": 1,\n\"a\": 2}", "duplicate key"),
            ("{\n\"\\ud800\": 1}", "surrogate"),
        ] {
            let fault = table(text).unwrap_err();
            assert_eq!(fault.place, Place::Line(2));
            assert!(fault.problem.to_string().contains(what), "{}", fault.problem);
        }
        let fault = scene("{\"tolerance\": 1e-6,\n\"body\": [1,]}", Path::new(""), None).unwrap_err();
        assert_eq!(fault.place, Place::Line(2));
    }
}
