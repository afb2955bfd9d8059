//! XYZ: one point per line, three numbers or more.
//!
//! Numbers are separated by white space, commas or semicolons. What follows the third (colours, intensities, normals) is not read. Lines
//! that are empty or begin with `#` or `//` are skipped, and so is a first line of words, the names of the columns.

use super::not_empty;
use crate::error::{Fault, Result, malformed};
use crate::source::{Lines, finite};
use glam::DVec3;
use std::path::Path;

/// Reads points from text; `name` is for messages.
///
/// ```
/// let points = firsttouch_io::read_xyz(b"# scan\n0 0 1\n0.5, 2, 1, 255\n", "scan.xyz")?;
/// assert_eq!(points[1].to_array(), [0.5, 2.0, 1.0]);
/// let error = firsttouch_io::read_xyz(b"0 0 1\n0 2\n", "scan.xyz").unwrap_err();
/// assert_eq!(error.to_string(), "scan.xyz:2: a point has three coordinates, but the line has 2");
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_xyz(bytes: &[u8], name: impl AsRef<Path>) -> Result<Vec<DVec3>> {
    parse(bytes).map_err(|fault| fault.in_file(name))
}

fn parse(bytes: &[u8]) -> Result<Vec<DVec3>, Fault> {
    let mut points = Vec::new();
    let mut lines = Lines::new(bytes);
    while let Some(line) = lines.next() {
        let text = line.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") || text.starts_with(b"//") {
            continue;
        }
        let is_separator = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b';');
        let mut words = text.split(is_separator).filter(|word| !word.is_empty());
        if points.is_empty() && words.clone().all(|word| word[0].is_ascii_alphabetic() && !is_number(word)) {
            // The names of the columns. A file that has only names is empty.
            continue;
        }
        let mut point = [0.0; 3];
        for (k, x) in point.iter_mut().enumerate() {
            let place = lines.place();
            let word = words.next().ok_or_else(|| {
                malformed(format!("a point has three coordinates, but the line has {k}")).at(place.clone())
            })?;
            *x = finite(word, "a coordinate").map_err(|problem| problem.at(place))?;
        }
        points.push(DVec3::from_array(point));
    }
    not_empty(points)
}

/// Whether a word reads as a number: `nan` and `inf` do.
fn is_number(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|text| text.parse::<f64>().is_ok())
}
