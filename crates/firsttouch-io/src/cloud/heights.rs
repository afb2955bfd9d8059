//! Heights from a grey PNG picture of 8 or 16 bits, or from MuJoCo's own binary files.
//!
//! Black is 0, white is 1. The picture is seen from above: its columns run along x, and its last row is the lowest y.
//! The crate `png` decodes it row by row, so a file that promises more than it has takes no more memory than it has.
//!
//! A binary file has the number of rows and the number of columns as `i32`, then the heights as `f32`, starting at the
//! lowest y; all are little-endian.

use crate::error::{Fault, Place, Problem, Result, malformed};
use crate::files::Files;
use std::path::Path;

/// Heights on a grid, from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HeightData {
    /// The number of heights along x.
    pub columns: usize,
    /// The number of heights along y.
    pub rows: usize,
    /// The heights, row by row from low y to high y.
    pub values: Vec<f64>,
}

/// Reads heights from a PNG file in memory; `name` is for messages.
///
/// ```
/// let file = std::fs::read("../../testdata/png/ramp.png").unwrap();
/// let heights = firsttouch_io::read_png_heights(&file, "ramp.png")?;
/// assert_eq!((heights.columns, heights.rows), (3, 2));
/// assert_eq!(heights.values, [0.0, 0.5, 1.0, 0.0, 0.5, 1.0].map(|x: f64| (x * 65535.0).round() / 65535.0));
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_png_heights(bytes: &[u8], name: impl AsRef<Path>) -> Result<HeightData> {
    read(bytes, name.as_ref(), &Files::default())
}

/// Reads heights from one of MuJoCo's binary files in memory; `name` is for messages. The heights are scaled to the
/// range from 0 to 1; if they are all the same, they become 0.
///
/// ```
/// let mut file = [2_i32, 2].map(i32::to_le_bytes).concat();
/// file.extend([1.0_f32, 2.0, 3.0, 5.0].map(f32::to_le_bytes).concat());
/// let heights = firsttouch_io::read_mujoco_heights(&file, "hills.bin")?;
/// assert_eq!((heights.columns, heights.rows), (2, 2));
/// assert_eq!(heights.values, [0.0, 0.25, 0.5, 1.0]);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_mujoco_heights(bytes: &[u8], name: impl AsRef<Path>) -> Result<HeightData> {
    let fail = |problem: Problem| problem.at(Place::File).in_file(name.as_ref());
    let mut words = bytes.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
    let (Some(rows), Some(columns)) = (words.next(), words.next()) else {
        return Err(fail(Problem::Truncated { what: "the number of rows and columns".into() }));
    };
    let [rows, columns] = [rows, columns].map(i32::from_le_bytes);
    let size = usize::try_from(rows).ok().zip(usize::try_from(columns).ok());
    let Some((rows, columns)) = size.filter(|&(rows, columns)| rows > 0 && columns > 0) else {
        return Err(fail(malformed(format!("{rows} rows and {columns} columns of heights"))));
    };
    let expected = (rows as u64).saturating_mul(columns as u64).saturating_mul(4).saturating_add(8);
    if bytes.len() as u64 != expected {
        let text =
            format!("{rows} x {columns} heights take {expected} bytes, but the file has {}", bytes.len());
        return Err(fail(malformed(text)));
    }
    let mut values: Vec<f64> = words.map(|word| f64::from(f32::from_le_bytes(word))).collect();
    if let Some(at) = values.iter().position(|value| !value.is_finite()) {
        let value = values[at].to_string();
        return Err(fail(Problem::NotFinite { what: format!("height {at}"), value }));
    }
    scale_to_unit(&mut values);
    Ok(HeightData { columns, rows, values })
}

/// Shifts and scales finite numbers to the range from 0 to 1. Returns true if they differ; if not, all become 0.
/// Returns `None` if their range overflows.
pub(crate) fn scale_to_unit(values: &mut [f64]) -> Option<bool> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for &value in values.iter() {
        // Not bounds: the numbers are finite, and the two results are two of them.
        (low, high) = (low.min(value), high.max(value));
    }
    let range = high - low;
    if range == f64::INFINITY {
        return None;
    }
    let differ = range > 0.0;
    values.iter_mut().for_each(|value| *value = if differ { (*value - low) / range } else { 0.0 });
    Some(differ)
}

/// Reads heights from a PNG file within limits.
pub(super) fn read(bytes: &[u8], name: &Path, files: &Files) -> Result<HeightData> {
    parse(bytes, name, files).map_err(|fault| fault.in_file(name))
}

fn parse(bytes: &[u8], name: &Path, files: &Files) -> Result<HeightData, Fault> {
    let broken = |error: png::DecodingError| {
        let problem = match error {
            png::DecodingError::IoError(_) => Problem::Truncated { what: "the picture".into() },
            other => malformed(other.to_string()),
        };
        problem.at(Place::File)
    };
    let unsupported = |text: &str| Problem::Unsupported(text.into()).at(Place::File);
    let limits = png::Limits { bytes: 1 << 26 };
    let decoder = png::Decoder::new_with_limits(std::io::Cursor::new(bytes), limits);
    let mut reader = decoder.read_info().map_err(broken)?;
    let info = reader.info();
    let (columns, rows) = (info.width as usize, info.height as usize);
    if info.color_type != png::ColorType::Grayscale {
        return Err(unsupported("a picture with colours or transparency as heights: save it as grey"));
    }
    if info.animation_control.is_some() {
        files.warn(name, Place::File, "the picture is animated; its first frame is read");
    }
    if info.trns.is_some() {
        files.warn(
            name,
            Place::File,
            "the picture has a transparent grey, whose height is read like all others",
        );
    }
    if info.interlaced {
        return Err(unsupported("an interlaced picture as heights: save it without interlacing"));
    }
    let is_wide = match info.bit_depth {
        png::BitDepth::Eight => false,
        png::BitDepth::Sixteen => true,
        _ => return Err(unsupported("a picture of less than 8 bits as heights: save it with 8 or 16")),
    };
    let needed = (columns as u64).saturating_mul(rows as u64).saturating_mul(2 * size_of::<f64>() as u64);
    files.fits(needed, "the heights").map_err(|problem| problem.at(Place::File))?;
    let mut values: Vec<f64> = Vec::new();
    while let Some(row) = reader.next_row().map_err(broken)? {
        let data = row.data();
        if is_wide {
            let value = |pair: &[u8]| f64::from(u16::from_be_bytes([pair[0], pair[1]])) / 65535.0;
            values.extend(data.chunks_exact(2).map(value));
        } else {
            values.extend(data.iter().map(|&grey| f64::from(grey) / 255.0));
        }
    }
    if values.len() != columns * rows {
        return Err(Problem::Truncated { what: "the picture".into() }.at(Place::File));
    }
    // The orientation may stand behind the picture. An error there changes no height.
    let _ = reader.finish();
    let is_turned = |exif: &[u8]| exif_orientation(exif).is_none_or(|orientation| orientation > 1);
    if reader.info().exif_metadata.as_deref().is_some_and(is_turned) {
        files.warn(
            name,
            Place::File,
            "the picture says in its EXIF data that it is to be turned or mirrored, which is not done; save it as it is to be seen",
        );
    }
    // The first row of a picture is the highest y.
    let upwards = values.chunks_exact(columns.max(1)).rev().flatten().copied().collect();
    Ok(HeightData { columns, rows, values: upwards })
}

/// Returns the orientation in EXIF data: 1 if the picture is shown as it is stored, or if the data does not say.
/// Returns `None` if it cannot be read.
fn exif_orientation(exif: &[u8]) -> Option<u16> {
    const ORIENTATION: u16 = 0x0112;
    let is_little = exif.starts_with(b"II");
    let short = |at: usize| {
        let bytes = exif.get(at..at + 2)?.try_into().ok()?;
        Some(if is_little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    };
    let bytes = exif.get(4..8)?.try_into().ok()?;
    let list = if is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) };
    let list = usize::try_from(list).ok().filter(|list| *list <= exif.len())?;
    for k in 0..usize::from(short(list)?) {
        let entry = list + 2 + 12 * k;
        if short(entry)? == ORIENTATION {
            return short(entry + 8);
        }
    }
    Some(1)
}
