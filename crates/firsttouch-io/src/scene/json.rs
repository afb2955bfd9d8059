//! Scene files in JSON: rewritten as TOML, so that one reader checks both.
//!
//! 1. `serde_json` looks for mistakes of syntax and gives their lines.
//! 2. The text is copied. The braces of the outermost object become spaces, its commas line breaks, colons equals signs, and all other
//!    line breaks spaces: `{"a": 1, "b": {"c": []}}` becomes ` "a"= 1↵ "b"= {"c"= []} `, which is TOML.
//! 3. Strings stay as they are, unless they use what TOML has not (`\/` and surrogates), and are then written again. Where that moves
//!    the rest of the text, the place is noted, so that messages name lines of the JSON file.
//!
//! `null` is refused: a key that has no value is left out.

use super::{SceneFile, check};
use crate::error::{Fault, Place, Result, malformed};
use std::fmt::Write as _;
use std::path::Path;

/// Whether a scene is in JSON, by its name or by its first character, which no TOML file begins with.
pub(super) fn is_json(text: &str, path: &Path) -> bool {
    let named = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    named || text.trim_start().starts_with('{')
}

/// Reads a scene from JSON; paths in it are relative to `folder`.
pub(super) fn scene(text: &str, folder: &Path, robot: Option<&str>) -> Result<SceneFile, Fault> {
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
        // The text ends with the place, which the fault has already.
        let what = error.to_string();
        let what = what.rsplit_once(" at line ").map_or(&what[..], |(what, _)| what);
        let line = if error.line() == 0 { 1 } else { error.line() };
        return Err(malformed(what).at(Place::Line(line)));
    }
    if !text.trim_start().starts_with('{') {
        return Err(malformed("a scene in JSON is one object").at(Place::Line(1)));
    }
    let (toml, origins) = as_toml(text)?;
    check::rewritten_scene(&toml, origins, text, folder, robot)
}

/// The same document in TOML, and where places in it are in the original: pairs of offsets from which on the two texts run alike.
fn as_toml(text: &str) -> Result<(String, Vec<(usize, usize)>), Fault> {
    let mut out = String::with_capacity(text.len());
    let mut origins = Vec::new();
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(c) = text[at..].chars().next() {
        if c == '"' {
            let string = &text[at..at + string_length(&text[at..])];
            at += string.len();
            match rewritten(string) {
                None => out.push_str(string),
                Some(other) => {
                    out.push_str(&other);
                    origins.push((out.len(), at));
                }
            }
            continue;
        }
        match c {
            '{' | '[' => {
                out.push(if depth == 0 { ' ' } else { c });
                depth += 1;
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                out.push(if depth == 0 { ' ' } else { c });
            }
            ',' if depth == 1 => out.push('\n'),
            ':' => out.push('='),
            '\n' | '\r' => out.push(' '),
            'n' => {
                let line = 1 + text[..at].matches('\n').count();
                let what = "null has no meaning here: leave the key out";
                return Err(malformed(what).at(Place::Line(line)));
            }
            _ => out.push(c),
        }
        at += c.len_utf8();
    }
    Ok((out, origins))
}

/// The length of a string with its quotes. The text is known to be valid JSON.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A JSON string as one of TOML, if it must change: TOML has no `\/`, no surrogates, and no bare delete character.
fn rewritten(string: &str) -> Option<String> {
    if !string.contains("\\/") && !string.contains("\\u") && !string.contains('\u{7f}') {
        return None;
    }
    let plain: String = serde_json::from_str(string).ok()?;
    let mut out = String::from("\"");
    for c in plain.chars() {
        if c.is_control() || matches!(c, '"' | '\\') {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out.push('"');
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rewritten_text_is_toml_with_the_same_values() {
        let text = "{\"a\": 1,\n \"b\": {\"c\": [1e3,\n -2.5],\n \"d\": \"x\\/\\ud83d\\ude00\\u0041\"}, \"e\": [{}, {\"f\": true}]}";
        let (rewritten, origins) = as_toml(text).unwrap();
        let ours: toml::Value = toml::from_str(&rewritten).unwrap_or_else(|e| panic!("{e}: {rewritten}"));
        let theirs: toml::Value = serde_json::from_str(text).unwrap();
        assert_eq!(ours, theirs);
        assert_eq!(origins.len(), 1);
        let (out, original) = origins[0];
        assert_eq!(rewritten[out..].len(), text[original..].len());
    }
}
