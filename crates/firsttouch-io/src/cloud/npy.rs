//! NPY: one array of numpy, of `(N, 3)` or more columns, in `float32` or `float64`.
//!
//! Both byte orders and both orders of rows and columns are read. Columns after the third are not, nor is a second
//! array in the file; both give a warning.

use super::not_empty;
use crate::error::{Fault, Place, Problem, Result, malformed};
use crate::files::Files;
use crate::parts::Doubts;
use crate::source::{Cursor, shown};
use glam::DVec3;
use std::path::Path;

/// Reads points from a NPY file in memory; `name` is for messages.
///
/// ```
/// let mut file = b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }".to_vec();
/// file.resize(10 + 0x46, b' ');
/// for x in [1.0_f32, 2.0, 3.0] {
///     file.extend(x.to_le_bytes());
/// }
/// assert_eq!(firsttouch_io::read_npy(&file, "a.npy")?[0].to_array(), [1.0, 2.0, 3.0]);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_npy(bytes: &[u8], name: impl AsRef<Path>) -> Result<Vec<DVec3>> {
    read(&Files::default(), bytes, name.as_ref())
}

/// Reads a NPY file within limits.
pub(super) fn read(files: &Files, bytes: &[u8], name: &Path) -> Result<Vec<DVec3>> {
    parse(bytes, &Doubts::new(files, name)).map_err(|fault| fault.in_file(name))
}

/// The contents of the header.
struct Header {
    size: usize,
    is_little: bool,
    by_columns: bool,
    rows: usize,
    columns: usize,
}

fn parse(bytes: &[u8], doubts: &Doubts<'_>) -> Result<Vec<DVec3>, Fault> {
    let mut cursor = Cursor::new(bytes, 0);
    if cursor.take::<6>("the NPY header")? != *b"\x93NUMPY" {
        return Err(malformed("a NPY file begins with \\x93NUMPY").at(Place::Byte(0)));
    }
    let [major, _] = cursor.take::<2>("the NPY header")?;
    let length = match major {
        1 => usize::from(u16::from_le_bytes(cursor.take("the NPY header")?)),
        2 | 3 => u32::from_le_bytes(cursor.take("the NPY header")?) as usize,
        _ => return Err(Problem::Unsupported(format!("NPY version {major}")).at(Place::Byte(6))),
    };
    let start = cursor.offset;
    let text = cursor.left().get(..length);
    let text =
        text.ok_or_else(|| Problem::Truncated { what: "the NPY header".into() }.at(Place::Byte(start)))?;
    let header = header(text).map_err(|problem| problem.at(Place::Byte(start)))?;
    let data = &bytes[start + length..];
    let Header { size, is_little, by_columns, rows, columns } = header;
    let needed = rows.checked_mul(columns).and_then(|count| count.checked_mul(size));
    if needed.is_none_or(|needed| needed > data.len()) {
        let at_most = (data.len() / (size * columns)) as u64;
        let problem = Problem::CountTooLarge { what: "points".into(), count: rows as u64, at_most };
        return Err(problem.at(Place::Byte(start)));
    }
    if columns > 3 {
        let text = format!("the array has {columns} columns, and those after the third are not read");
        doubts.warn(Place::Byte(start), text);
    }
    let more = data.len() - needed.unwrap_or_default();
    if more > 0 {
        let text = format!("{more} more bytes follow the array, and are not read");
        doubts.warn(Place::Byte(bytes.len() - more), text);
    }
    let number = |row: usize, column: usize| {
        let index = if by_columns { column * rows + row } else { row * columns + column };
        let place = index * size;
        let value = match (size, is_little) {
            (4, true) => f64::from(f32::from_le_bytes(fixed(data, place))),
            (4, false) => f64::from(f32::from_be_bytes(fixed(data, place))),
            (_, true) => f64::from_le_bytes(fixed(data, place)),
            (_, false) => f64::from_be_bytes(fixed(data, place)),
        };
        if value.is_finite() {
            return Ok(value);
        }
        let what = format!("a coordinate of point {row}");
        Err(Problem::NotFinite { what, value: value.to_string() }.at(Place::Byte(start + length + place)))
    };
    let point = |row: usize| Ok(DVec3::new(number(row, 0)?, number(row, 1)?, number(row, 2)?));
    not_empty((0..rows).map(point).collect::<Result<_, Fault>>()?)
}

fn fixed<const N: usize>(data: &[u8], place: usize) -> [u8; N] {
    // The length of the data was checked.
    data.get(place..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
}

/// Returns the dictionary of the header: three keys in any order.
fn header(text: &[u8]) -> Result<Header, Problem> {
    let text = std::str::from_utf8(text).map_err(|_| malformed("the NPY header is not text"))?;
    let value = |key: &str| {
        let after = text.split_once(&format!("'{key}'")).map(|(_, after)| after.trim_start());
        let value = after.and_then(|after| after.strip_prefix(':')).map(str::trim_start);
        value.ok_or_else(|| malformed(format!("the NPY header has no '{key}'")))
    };
    let descr = value("descr")?;
    let descr = descr.strip_prefix('\'').and_then(|rest| rest.split_once('\'')).map(|(kind, _)| kind);
    let (size, is_little) = match descr {
        Some("<f4") => (4, true),
        Some(">f4") => (4, false),
        Some("<f8") => (8, true),
        Some(">f8") => (8, false),
        other => {
            let found = shown(other.unwrap_or("a structure").as_bytes());
            return Err(Problem::Unsupported(format!("an array of {found}: use float32 or float64")));
        }
    };
    let by_columns = match value("fortran_order")? {
        rest if rest.starts_with("True") => true,
        rest if rest.starts_with("False") => false,
        _ => return Err(malformed("fortran_order is neither True nor False")),
    };
    let shape = value("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let (shape, _) = shape.ok_or_else(|| malformed("the shape is not a tuple"))?;
    let sides: Option<Vec<usize>> = shape
        .split(',')
        .map(str::trim)
        .filter(|side| !side.is_empty())
        .map(|side| side.parse().ok())
        .collect();
    match sides.as_deref() {
        Some(&[rows, columns]) if columns >= 3 => Ok(Header { size, is_little, by_columns, rows, columns }),
        _ => Err(malformed(format!(
            "an array of points has the shape (N, 3), but this has ({})",
            shown(shape.as_bytes())
        ))),
    }
}
