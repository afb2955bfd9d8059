//! XYZ: one point per line, three numbers or more.
//!
//! Numbers are separated by semicolons, or else by commas, or else by white space. An empty cell between two commas is
//! a column. A cell that has another separator in it is an error, because `0,5 1,5` may be four numbers, or two with
//! decimal commas. Without column names, the first three columns are x, y and z. Further columns (colours, intensities,
//! normals) are not read. Lines that are empty or begin with `#` or `//` are skipped.
//!
//! A first line of words names the columns. Three of them must be called x, y and z; the others are not read.

use super::not_empty;
use crate::error::{Fault, Problem, Result, malformed};
use crate::source::{Lines, finite, shown};
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
    let mut columns: Option<[usize; 3]> = None;
    while let Some(line) = lines.next() {
        let text = line.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") || text.starts_with(b"//") {
            continue;
        }
        let words = cells(text).map_err(|problem| problem.at(lines.place()))?;
        let is_name = |word: &&[u8]| !word.first().is_some_and(u8::is_ascii_digit) && !is_number(word);
        if points.is_empty() && columns.is_none() && words.iter().all(is_name) {
            let axis = |axis: &str| {
                let is_axis = |word: &&[u8]| unquoted(word).eq_ignore_ascii_case(axis.as_bytes());
                let mut found = (0..words.len()).filter(|&k| is_axis(&words[k]));
                let first = found.next();
                let second = found.next().map(|_| malformed(format!("a second column \"{axis}\"")));
                second.map_or(Ok(first), |problem| Err(problem.at(lines.place())))
            };
            let [Some(x), Some(y), Some(z)] = [axis("x")?, axis("y")?, axis("z")?] else {
                let text = "the first line names columns, but not x, y and z: rename them, or remove the line if they are the first three";
                return Err(malformed(text).at(lines.place()));
            };
            columns = Some([x, y, z]);
            continue;
        }
        let mut point = [0.0; 3];
        for (x, column) in point.iter_mut().zip(columns.unwrap_or([0, 1, 2])) {
            let place = lines.place();
            let word = words.get(column).ok_or_else(|| {
                let text = match columns {
                    None => format!("a point has three coordinates, but the line has {}", words.len()),
                    Some(_) => format!(
                        "the line has {} columns, but a coordinate is in column {}",
                        words.len(),
                        column + 1
                    ),
                };
                malformed(text).at(place.clone())
            })?;
            *x = finite(word, "a coordinate").map_err(|problem| problem.at(place))?;
        }
        points.push(DVec3::from_array(point));
    }
    not_empty(points)
}

/// Returns the cells of a line that is not blank.
fn cells(text: &[u8]) -> Result<Vec<&[u8]>, Problem> {
    let Some(separator) = [b';', b','].into_iter().find(|separator| text.contains(separator)) else {
        return Ok(text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect());
    };
    let cells: Vec<&[u8]> = text.split(|byte| *byte == separator).map(<[u8]>::trim_ascii).collect();
    let is_mixed = |cell: &&&[u8]| match [cell.starts_with(b"\""), cell.ends_with(b"\"")] {
        [true, true] => false,
        [false, false] => cell.iter().any(|byte| *byte == b',' || byte.is_ascii_whitespace()),
        // Quotes around a separator.
        _ => true,
    };
    match cells.iter().find(is_mixed) {
        None => Ok(cells),
        Some(cell) => Err(malformed(format!(
            "\"{}\" may be several numbers or one with a decimal comma: separate numbers in one way, and write decimal points",
            shown(cell)
        ))),
    }
}

fn unquoted(word: &[u8]) -> &[u8] {
    word.strip_prefix(b"\"").and_then(|word| word.strip_suffix(b"\"")).unwrap_or(word)
}

/// Returns true if a word reads as a number: `nan` and `inf` do.
fn is_number(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|text| text.parse::<f64>().is_ok())
}
