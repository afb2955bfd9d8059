//! PCD, of the Point Cloud Library: text, binary, and compressed binary.
//!
//! 1. The header names the fields of a point, their sizes and types. `x`, `y` and `z` are read, as floats of 4 or 8
//!    bytes (or, in text, as any number); the others are skipped. Like the Point Cloud Library, the reader does not
//!    apply the viewpoint; one that is not at the origin gives a warning.
//! 2. *Binary*: one point after the other. *Compressed*: two sizes, then LZF, which gives one field after the other.
//! 3. A point whose coordinates are NaN is a pixel of an organized cloud that was not measured. It has no position and
//!    is left out; infinite coordinates are refused.
//!
//! LZF is a list of runs and of copies of what came before, at most 264 bytes each for 3 bytes of input. The size that
//! a file promises must be that of its points. It is refused if the input is too short to produce it.

use super::not_empty;
use crate::error::{Fault, Place, Problem, Result, malformed};
use crate::files::{Files, try_reserve};
use crate::parts::Treatment::{Ignored, Read, Warned};
use crate::parts::{Doubts, Parts, unknown_part};
use crate::source::{Cursor, Lines, finite, integer, shown, words};
use glam::DVec3;
use std::path::Path;

/// Reads a PCD file from memory; `name` is for messages.
///
/// ```
/// let text = b"VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\nPOINTS 2\nDATA ascii\n\
///     0 0 1\n0.5 2 nan\n";
/// assert_eq!(firsttouch_io::read_pcd(text, "a.pcd")?.len(), 1);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_pcd(bytes: &[u8], name: impl AsRef<Path>) -> Result<Vec<DVec3>> {
    read(bytes, name.as_ref(), &Files::default())
}

/// Reads a PCD file within limits.
pub(super) fn read(bytes: &[u8], name: &Path, files: &Files) -> Result<Vec<DVec3>> {
    parse(bytes, files, &Doubts::new(files, name)).map_err(|fault| fault.in_file(name))
}

const NOT_A_SIZE: &str =
    "points have no size of their own; the `radius` of a body of points is the same for all";

/// The keys of the header, and the fields of a point.
pub(super) const TABLES: [Parts; 2] = [
    Parts {
        within: "the header",
        kind: "key",
        list: &[
            (
                &[
                    "FIELDS",
                    "COLUMNS",
                    "SIZE",
                    "TYPE",
                    "COUNT",
                    "WIDTH",
                    "HEIGHT",
                    "POINTS",
                    "DATA",
                    "VIEWPOINT",
                ],
                Read,
            ),
            (&["VERSION"], Ignored),
        ],
    },
    Parts {
        within: "`FIELDS`",
        kind: "field",
        list: &[
            (&["x", "y", "z"], Read),
            (
                &[
                    "rgb",
                    "rgba",
                    "r",
                    "g",
                    "b",
                    "a",
                    "intensity",
                    "reflectivity",
                    "normal_*",
                    "nx",
                    "ny",
                    "nz",
                    "curvature",
                    "label",
                    "object",
                    "ring",
                    "t",
                    "time",
                    "timestamp",
                    "stamp",
                    "range",
                    "ambient",
                    "noise",
                    "vp_*",
                    "segment",
                    "imX",
                    "imY",
                    "_",
                    "padding*",
                ],
                Ignored,
            ),
            (&["radius"], Warned(NOT_A_SIZE)),
            (&["w"], Warned("coordinates are not divided by it; write x, y and z alone")),
        ],
    },
];

fn parse(bytes: &[u8], files: &Files, doubts: &Doubts<'_>) -> Result<Vec<DVec3>, Fault> {
    let mut lines = Lines::new(bytes);
    let (header, data) = header(&mut lines, doubts)?;
    let points = match data {
        Data::Text => text(&mut lines, &header)?,
        Data::Binary => {
            let start = bytes.len() - lines.rest().len();
            let data = lines.rest();
            let at_most = (data.len() / header.stride) as u64;
            if header.points > at_most {
                let problem = Problem::CountTooLarge { what: "points".into(), count: header.points, at_most };
                return Err(problem.at(Place::Byte(start)));
            }
            let more = data.len() - header.points as usize * header.stride;
            doubt_what_follows(more, bytes.len() - more, doubts);
            let place = |point: usize, axis: usize| point * header.stride + header.axes[axis].offset;
            binary(data, &header, place, start)?
        }
        Data::Compressed => {
            let start = bytes.len() - lines.rest().len();
            let (data, more) = unpacked(lines.rest(), &header, files, start)?;
            doubt_what_follows(more, bytes.len() - more, doubts);
            // All values of a field follow each other.
            let count = header.points as usize;
            let place = |point: usize, axis: usize| {
                let Axis { offset, size } = header.axes[axis];
                offset * count + point * size
            };
            binary(&data, &header, place, start)?
        }
    };
    not_empty(points)
}

fn doubt_what_follows(more: usize, end: usize, doubts: &Doubts<'_>) {
    if more > 0 {
        let text = format!("{more} more bytes follow the points that the header announces, and are not read");
        doubts.warn(Place::Byte(end), text);
    }
}

struct Header {
    points: u64,
    /// The size of a point.
    stride: usize,
    axes: [Axis; 3],
    /// The number of words of a line of text, and which are x, y and z.
    columns: usize,
    axis_columns: [usize; 3],
}

#[derive(Clone, Copy, Default)]
struct Axis {
    offset: usize,
    size: usize,
}

#[derive(Clone, Copy)]
enum Data {
    Text,
    Binary,
    Compressed,
}

/// No real file has more bytes per point than this, and their sums would overflow.
const LARGEST_POINT: usize = 1 << 20;

fn header(lines: &mut Lines<'_>, doubts: &Doubts<'_>) -> Result<(Header, Data), Fault> {
    let (mut fields, mut sizes, mut types, mut counts): (Vec<&[u8]>, _, _, _) =
        (Vec::new(), Vec::new(), Vec::new(), None);
    let (mut width, mut height, mut points) = (None, None, None);
    let (mut known, mut fields_line): (Vec<&[u8]>, usize) = (Vec::new(), 0);
    let data = loop {
        let Some(line) = lines.next() else {
            return Err(Problem::Truncated { what: "the PCD header".into() }.at(lines.place()));
        };
        let place = lines.place();
        let mut rest = words(line);
        let Some(keyword) = rest.next().filter(|word| !word.starts_with(b"#")) else { continue };
        let rest: Vec<&[u8]> = rest.collect();
        if known.contains(&keyword) {
            return Err(malformed(format!("a second {}", shown(keyword))).at(place));
        }
        known.push(keyword);
        let numbers = || -> Result<Vec<u64>, Fault> {
            let number = |word: &&[u8]| integer(word).and_then(|value| u64::try_from(value).ok());
            let numbers: Option<Vec<u64>> = rest.iter().map(number).collect();
            numbers.ok_or_else(|| {
                malformed(format!("{} needs numbers, not \"{}\"", shown(keyword), shown(line)))
                    .at(place.clone())
            })
        };
        let one = || {
            let numbers = numbers()?;
            match numbers[..] {
                [value] => Ok(Some(value)),
                _ => Err(malformed(format!("{} needs one number", shown(keyword))).at(place.clone())),
            }
        };
        match keyword {
            b"VERSION" => {}
            b"VIEWPOINT" => {
                // The translation, and the quaternion with its real part first. A viewpoint of another length or at
                // another place is not applied.
                let at: Vec<Option<f64>> = rest.iter().map(|word| finite(word, "").ok()).collect();
                if at != [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0].map(Some) {
                    let text = "the VIEWPOINT is not applied: coordinates stay as they are; give the body its pose where they are those of the \
                                sensor";
                    doubts.warn(place, text);
                }
            }
            b"FIELDS" | b"COLUMNS" => (fields, fields_line) = (rest, lines.number),
            b"SIZE" => sizes = numbers()?,
            b"TYPE" => types = rest,
            b"COUNT" => counts = Some(numbers()?),
            b"WIDTH" => width = one()?,
            b"HEIGHT" => height = one()?,
            b"POINTS" => points = one()?,
            b"DATA" => match rest[..] {
                [b"ascii"] => break Data::Text,
                [b"binary"] => break Data::Binary,
                [b"binary_compressed"] => break Data::Compressed,
                _ => {
                    let text = format!("DATA is ascii, binary or binary_compressed, not \"{}\"", shown(line));
                    return Err(malformed(text).at(place));
                }
            },
            other => {
                let name = String::from_utf8_lossy(other);
                return Err(unknown_part(&TABLES[0], &name, "a PCD header").at(place));
            }
        }
    };
    let place = lines.place();
    let counts = counts.unwrap_or_else(|| vec![1; fields.len()]);
    if fields.is_empty() || [sizes.len(), types.len(), counts.len()] != [fields.len(); 3] {
        return Err(
            malformed("FIELDS, SIZE, TYPE and COUNT do not have the same number of entries").at(place)
        );
    }
    let grid = width.and_then(|width: u64| width.checked_mul(height.unwrap_or(1)));
    if let (Some(points), Some(grid)) = (points, grid)
        && points != grid
    {
        let text = format!("POINTS is {points}, but WIDTH times HEIGHT is {grid}");
        return Err(malformed(text).at(place));
    }
    let points = points.or(grid);
    let points =
        points.ok_or_else(|| malformed("the header has neither POINTS nor WIDTH").at(place.clone()))?;
    let mut axes = [None; 3];
    let mut axis_columns = [0; 3];
    let (mut stride, mut columns) = (0_usize, 0_usize);
    for (k, &field) in fields.iter().enumerate() {
        let (size, count) = (sizes[k] as usize, counts[k] as usize);
        let bytes = size.checked_mul(count).filter(|&bytes| bytes <= LARGEST_POINT && size > 0 && size <= 8);
        let Some(bytes) = bytes else {
            let text = format!("field \"{}\" has {} values of {} bytes", shown(field), counts[k], sizes[k]);
            return Err(malformed(text).at(place));
        };
        let axis = [b"x", b"y", b"z"].into_iter().position(|name| field == name);
        if !matches!(types[k], b"I" | b"U" | b"F") {
            return Err(malformed(format!("TYPE is I, U or F, not \"{}\"", shown(types[k]))).at(place));
        }
        doubts.meet(&TABLES[1], &String::from_utf8_lossy(field), || Place::Line(fields_line))?;
        if let Some(axis) = axis {
            if axes[axis].is_some() {
                return Err(malformed(format!("a second field \"{}\"", shown(field))).at(place));
            }
            if count != 1 {
                let text = format!("field \"{}\" with {count} values: it must have one", shown(field));
                return Err(Problem::Unsupported(text).at(place));
            }
            let is_float = types[k] == b"F" && matches!(size, 4 | 8);
            if !is_float && !matches!(data, Data::Text) {
                let text = format!("field \"{}\" that is not one float of 4 or 8 bytes", shown(field));
                return Err(Problem::Unsupported(text).at(place));
            }
            axes[axis] = Some(Axis { offset: stride, size });
            axis_columns[axis] = columns;
        }
        stride += bytes;
        columns += count;
        if stride > LARGEST_POINT {
            return Err(malformed("a point has more than a million bytes").at(place));
        }
    }
    let [Some(x), Some(y), Some(z)] = axes else {
        return Err(malformed("FIELDS lacks x, y or z").at(place));
    };
    Ok((Header { points, stride, axes: [x, y, z], columns, axis_columns }, data))
}

fn text(lines: &mut Lines<'_>, header: &Header) -> Result<Vec<DVec3>, Fault> {
    let mut points = Vec::new();
    let mut count = 0;
    while let Some(line) = lines.next() {
        let row: Vec<&[u8]> = words(line).collect();
        if row.is_empty() {
            continue;
        }
        count += 1;
        let place = lines.place();
        if count > header.points {
            let text = format!("the header promises {} points, but more follow", header.points);
            return Err(malformed(text).at(place));
        }
        if row.len() != header.columns {
            let text = format!("a point has {} values, but the line has {}", header.columns, row.len());
            return Err(malformed(text).at(place));
        }
        let is_nan = |word: &[u8]| word.eq_ignore_ascii_case(b"nan") || word.eq_ignore_ascii_case(b"-nan");
        let at = header.axis_columns.map(|column| row[column]);
        if at.iter().any(|word| is_nan(word)) {
            continue;
        }
        let mut point = [0.0; 3];
        for (x, word) in point.iter_mut().zip(at) {
            *x = finite(word, "a coordinate").map_err(|problem| problem.at(place.clone()))?;
        }
        points.push(DVec3::from_array(point));
    }
    if count < header.points {
        let what = format!("the list of {} points, of which there are {count},", header.points);
        return Err(Problem::Truncated { what }.at(lines.place()));
    }
    Ok(points)
}

/// Returns the points of binary data that is known to contain every value.
fn binary(
    data: &[u8],
    header: &Header,
    place: impl Fn(usize, usize) -> usize,
    start: usize,
) -> Result<Vec<DVec3>, Fault> {
    let mut points = Vec::new();
    for k in 0..header.points as usize {
        let value = |axis: usize| {
            let rest = data.get(place(k, axis)..).unwrap_or_default();
            match (header.axes[axis].size, rest) {
                (4, &[a, b, c, d, ..]) => f64::from(f32::from_le_bytes([a, b, c, d])),
                (_, rest) => f64::from_le_bytes(rest.first_chunk().copied().unwrap_or([0; 8])),
            }
        };
        let point = DVec3::new(value(0), value(1), value(2));
        if point.is_nan() {
            continue;
        }
        if !point.is_finite() {
            let what = format!("a coordinate of point {k}");
            return Err(Problem::NotFinite { what, value: point.to_string() }.at(Place::Byte(start)));
        }
        points.push(point);
    }
    Ok(points)
}

/// Returns the data behind the two sizes of compressed points, and the number of bytes that follow it.
fn unpacked(bytes: &[u8], header: &Header, files: &Files, start: usize) -> Result<(Vec<u8>, usize), Fault> {
    let fault = |problem: Problem, offset: usize| problem.at(Place::Byte(start + offset));
    let mut cursor = Cursor::new(bytes, 0);
    let size = |cursor: &mut Cursor<'_>| {
        let size = cursor.take("the sizes of the compressed points");
        size.map(u32::from_le_bytes).map_err(|Fault { problem, .. }| fault(problem, bytes.len()))
    };
    let (packed, full) = (size(&mut cursor)? as usize, size(&mut cursor)? as u64);
    let needed = header.points.saturating_mul(header.stride as u64);
    if full != needed {
        let text = format!("the compressed points have {full} bytes, but the header promises {needed}");
        return Err(fault(malformed(text), 4));
    }
    let input = cursor.left().get(..packed);
    let input = input.ok_or_else(|| fault(Problem::Truncated { what: "the compressed points".into() }, 0))?;
    // Each 3 bytes give at most 264.
    if full > 88 * packed as u64 + 264 {
        return Err(fault(malformed("the compressed points are too few for the header"), 4));
    }
    files.fits(full, "the points").map_err(|problem| fault(problem, 4))?;
    let mut out: Vec<u8> = Vec::new();
    try_reserve(&mut out, full as usize, "the points").map_err(|problem| fault(problem, 4))?;
    let mut at = 0;
    let broken = |at: usize| fault(malformed("the compressed points are damaged"), 8 + at);
    while let Some(&control) = input.get(at) {
        at += 1;
        if control < 32 {
            let run = input.get(at..at + usize::from(control) + 1).ok_or_else(|| broken(at))?;
            out.extend(run);
            at += run.len();
        } else {
            let mut length = usize::from(control >> 5) + 2;
            if length == 9 {
                length += usize::from(*input.get(at).ok_or_else(|| broken(at))?);
                at += 1;
            }
            let low = usize::from(*input.get(at).ok_or_else(|| broken(at))?);
            at += 1;
            let back = (usize::from(control & 31) << 8 | low) + 1;
            let from = out.len().checked_sub(back).ok_or_else(|| broken(at))?;
            // A copy may include bytes that it is writing.
            for k in 0..length {
                out.push(out[from + k]);
            }
        }
        if out.len() as u64 > full {
            return Err(broken(at));
        }
    }
    if (out.len() as u64) < full { Err(broken(at)) } else { Ok((out, cursor.left().len() - packed)) }
}
