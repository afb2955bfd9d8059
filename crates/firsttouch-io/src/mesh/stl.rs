//! STL, binary and text.
//!
//! 1. The file is binary exactly when the triangle count at byte 80 gives the file's length. The word "solid" at the
//!    start decides nothing, because exporters write it into binary headers too. A text that passed for binary would
//!    need over 2^27 triangles, more than [`MAX_FILE_BYTES`](crate::MAX_FILE_BYTES) holds.
//! 2. Vertices that are equal as numbers become one, so that neighbours share them. No vertex moves.
//! 3. Normals are not read: they follow from the corners, and exporters write NaN there.
//!
//! Text may be in either case, with any white space, in several solids, with loops of more than three corners;
//! its numbers keep the full precision of an f64. Binary coordinates are f32 and are kept exactly.
//!
//! This reader does not use a crate. `stl_io` 0.11 refuses upper-case keywords and normals such as `-nan(ind)`, rounds
//! text to f32, reads as many triangles as the header says and leaves the rest unread.

use super::MeshData;
use super::polygon::Polygons;
use super::weld::Weld;
use crate::error::{Fault, Place, Problem, Result, malformed};
use crate::source::{finite, shown};
use glam::DVec3;
use std::path::Path;

/// Reads an STL file from memory; `name` is for messages.
///
/// ```
/// let text = b"solid s facet\nFACET NORMAL 0 0 nan\nouter loop vertex 0 0 0 vertex 1 0 0\nvertex 0 1 0\n\
///              endloop endfacet endsolid";
/// assert_eq!(firsttouch_io::read_stl(text, "s.stl")?.triangles, [[0, 1, 2]]);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_stl(bytes: &[u8], name: impl AsRef<Path>) -> Result<MeshData> {
    let count = bytes.get(80..84).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let body = bytes.len().saturating_sub(HEADER) as u64;
    let binary = count.is_some_and(|n| u64::from(n) * TRIANGLE == body);
    // A binary file that is truncated or too long is recognised by the zeros in its header or count.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let starts_as_text = text.trim_ascii_start().get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"))
        && !bytes[..bytes.len().min(HEADER)].contains(&0);
    let result = match count {
        Some(_) if binary => parse_binary(bytes),
        _ if starts_as_text => parse_text(text),
        Some(count) => Err(wrong_length(u64::from(count), body)),
        None => Err(Problem::Truncated { what: "the STL header".into() }.at(Place::Byte(bytes.len()))),
    };
    result.map_err(|fault| fault.in_file(name))
}

const HEADER: usize = 84;
const TRIANGLE: u64 = 50;

fn wrong_length(count: u64, body: u64) -> Fault {
    let at_most = body / TRIANGLE;
    let problem = if count > at_most {
        Problem::CountTooLarge { what: "triangles".into(), count, at_most }
    } else {
        let left = body - count * TRIANGLE;
        malformed(format!("the header promises {count} triangles, but {left} more bytes follow them"))
    };
    problem.at(Place::Byte(80))
}

/// The length must be that of a whole number of triangles.
fn parse_binary(bytes: &[u8]) -> Result<MeshData, Fault> {
    let mut mesh = MeshData::default();
    let mut weld = Weld::default();
    let (all, _) = bytes[HEADER..].as_chunks::<{ TRIANGLE as usize }>();
    mesh.triangles.reserve_exact(all.len());
    for (i, triangle) in all.iter().enumerate() {
        let mut ids = [0; 3];
        for (k, id) in ids.iter_mut().enumerate() {
            // The corners come after the normal.
            let from = 12 + 12 * k;
            let place = || Place::Byte(HEADER + i * TRIANGLE as usize + from);
            let (coordinates, _) = triangle[from..from + 12].as_chunks::<4>();
            let at = |axis: usize| f64::from(f32::from_le_bytes(coordinates[axis]));
            let corner = DVec3::new(at(0), at(1), at(2));
            if !corner.is_finite() {
                let value = corner.to_array().into_iter().find(|x| !x.is_finite()).unwrap_or(f64::NAN);
                let what = format!("a coordinate of triangle {i}");
                return Err(Problem::NotFinite { what, value: value.to_string() }.at(place()));
            }
            *id = weld.index(corner, &mut mesh.positions).map_err(|problem| problem.at(place()))?;
        }
        mesh.triangles.push(ids);
    }
    mesh.not_empty()
}

fn parse_text(bytes: &[u8]) -> Result<MeshData, Fault> {
    let mut mesh = MeshData::default();
    let mut weld = Weld::default();
    let mut polygons = Polygons::default();
    let mut words = Words { rest: bytes, line: 1 };
    let mut corners = Vec::new();
    while !words.at_end() {
        words.expect("solid")?;
        words.skip_line();
        while words.one_of(["facet", "endsolid"])? {
            words.expect("normal")?;
            for _ in 0..3 {
                words.next("a normal")?;
            }
            words.expect("outer")?;
            words.expect("loop")?;
            corners.clear();
            let start = words.place();
            while words.one_of(["vertex", "endloop"])? {
                let mut p = [0.0; 3];
                for x in &mut p {
                    let word = words.next("a vertex")?;
                    *x = finite(word, "a vertex coordinate").map_err(|e| e.at(words.place()))?;
                }
                let index = weld.index(DVec3::from_array(p), &mut mesh.positions);
                corners.push(index.map_err(|e| e.at(words.place()))?);
            }
            if corners.len() < 3 {
                return Err(malformed(format!("a loop needs three corners, not {}", corners.len())).at(start));
            }
            polygons.push(&corners);
            words.expect("endfacet")?;
        }
        words.skip_line();
    }
    mesh.triangles = polygons.triangulate(&mesh.positions);
    mesh.not_empty()
}

/// The words of a text, with any white space between them, and their line.
struct Words<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> Words<'a> {
    fn place(&self) -> Place {
        Place::Line(self.line)
    }

    fn at_end(&mut self) -> bool {
        let skipped = self.rest.len() - self.rest.trim_ascii_start().len();
        self.advance(skipped);
        self.rest.is_empty()
    }

    fn next(&mut self, what: &str) -> Result<&'a [u8], Fault> {
        if self.at_end() {
            return Err(Problem::Truncated { what: what.into() }.at(self.place()));
        }
        let end = self.rest.iter().position(u8::is_ascii_whitespace).unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        self.advance(end);
        Ok(word)
    }

    fn expect(&mut self, keyword: &str) -> Result<(), Fault> {
        let word = self.next("a solid")?;
        if word.eq_ignore_ascii_case(keyword.as_bytes()) {
            Ok(())
        } else {
            let text = format!("expected \"{keyword}\", found \"{}\"", shown(word));
            Err(malformed(text).at(self.place()))
        }
    }

    /// Returns true for the first of two keywords, false for the second.
    fn one_of(&mut self, [first, second]: [&str; 2]) -> Result<bool, Fault> {
        let word = self.next("a solid")?;
        if word.eq_ignore_ascii_case(first.as_bytes()) {
            Ok(true)
        } else if word.eq_ignore_ascii_case(second.as_bytes()) {
            Ok(false)
        } else {
            let text = format!("expected \"{first}\" or \"{second}\", found \"{}\"", shown(word));
            Err(malformed(text).at(self.place()))
        }
    }

    /// Skips a name, which may contain spaces and anything else.
    fn skip_line(&mut self) {
        let end = self.rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(self.rest.len());
        self.advance(end);
    }

    fn advance(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        let breaks =
            |i: usize| passed[i] == b'\n' || (passed[i] == b'\r' && passed.get(i + 1) != Some(&b'\n'));
        self.line += (0..bytes).filter(|&i| breaks(i)).count();
        self.rest = rest;
    }
}
