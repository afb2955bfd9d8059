//! Heights from a grey PNG picture of 8 or 16 bits.
//!
//! Black is 0, white is 1. The picture is seen from above: its columns are x, and its last row is the lowest y. The crate `png` decodes it,
//! row by row, so that a file that promises more than it has takes no more memory than it has.

use crate::error::{Fault, Place, Problem, Result, malformed};
use crate::files::Files;
use std::path::Path;

/// Heights on a grid, from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HeightData {
    /// How many there are along x.
    pub columns: usize,
    /// How many there are along y.
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
    read(bytes, &Files::default()).map_err(|fault| fault.in_file(name))
}

pub(super) fn read(bytes: &[u8], files: &Files) -> Result<HeightData, Fault> {
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
    if info.interlaced {
        return Err(unsupported("an interlaced picture as heights"));
    }
    let is_wide = match info.bit_depth {
        png::BitDepth::Eight => false,
        png::BitDepth::Sixteen => true,
        _ => return Err(unsupported("a picture of less than 8 bits as heights")),
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
    // The first row of a picture is the highest y.
    let upwards = values.chunks_exact(columns.max(1)).rev().flatten().copied().collect();
    Ok(HeightData { columns, rows, values: upwards })
}
