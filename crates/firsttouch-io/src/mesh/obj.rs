//! Wavefront OBJ.
//!
//! Reads `v`, `f`, `l` and `p`; names, groups, materials, normals and texture coordinates are ignored and
//! do not affect the faces. Faces may have any number of corners, may count backwards
//! (`-1` is the vertex last given), may carry texture and normal indices, and may come before their vertices.
//! A backslash continues a line. Free-form curves and surfaces, and statements that are not in the format, are
//! refused: dropping them would drop geometry.
//!
//! This reader does not use a crate. `tobj` 4.0 returns every `l` as a degenerate triangle (1,327 triangles instead of
//! 1,308 for the Franka Panda's link 6). It lets NaN pass, ignores free-form geometry, does not know continued lines,
//! fans concave faces, and reports neither file nor line.

use super::polygon::Polygons;
use super::{MeshData, index_u32};
use crate::error::{Fault, Place, Problem, Result, malformed};
use crate::parts::Treatment::{Ignored, Read, Refused};
use crate::parts::{Parts, unknown_part};
use crate::source::{Lines, finite, integer, shown, words};
use glam::DVec3;
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

/// Reads an OBJ file from memory; `name` is for messages.
///
/// ```
/// let mesh = firsttouch_io::read_obj(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2//7 3/1/2\n", "a.obj")?;
/// assert_eq!(mesh.triangles, [[0, 1, 2]]);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_obj(bytes: &[u8], name: impl AsRef<Path>) -> Result<MeshData> {
    parse(bytes).map_err(|fault| fault.in_file(name))
}

/// Writes an OBJ file. The shortest decimals that give the same f64 are used.
///
/// ```
/// let mut out = Vec::new();
/// let mesh = firsttouch_io::MeshData { positions: vec![glam::DVec3::new(0.1, 0.0, 1e300)], ..Default::default() };
/// firsttouch_io::write_obj(&mut out, &mesh)?;
/// assert_eq!(out, b"v 0.1 0.0 1e300\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_obj(out: &mut impl Write, mesh: &MeshData) -> std::io::Result<()> {
    for p in &mesh.positions {
        writeln!(out, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    for [a, b, c] in mesh.triangles.iter().map(|t| t.map(|i| u64::from(i) + 1)) {
        writeln!(out, "f {a} {b} {c}")?;
    }
    for [a, b] in mesh.edges.iter().map(|e| e.map(|i| u64::from(i) + 1)) {
        writeln!(out, "l {a} {b}")?;
    }
    for &point in &mesh.points {
        writeln!(out, "p {}", u64::from(point) + 1)?;
    }
    Ok(())
}

/// Names and settings. A backslash does not continue these lines, because it may be the end of a Windows path.
const NAMES: [&str; 16] = [
    "g",
    "o",
    "s",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "ctech",
    "stech",
];

/// The statements.
pub(super) const TABLES: [Parts; 1] = [Parts {
    within: "statements",
    kind: "statement",
    list: &[
        (&["v", "f", "l", "p"], Read),
        (&["vn", "vt", "vp"], Ignored),
        (&NAMES, Ignored),
        (
            &[
                "cstype", "curv", "curv2", "surf", "deg", "bmat", "step", "parm", "trim", "hole", "scrv",
                "sp", "con", "end", "bsp", "bzp", "cdc", "cdp", "res",
            ],
            Refused("free-form geometry is not read; export polygons"),
        ),
        (&["call", "csh"], Refused("other files are not run; put all of the mesh into one file")),
    ],
}];

fn parse(bytes: &[u8]) -> Result<MeshData, Fault> {
    let mut mesh = MeshData::default();
    let mut polygons = Polygons::default();
    let mut largest = Largest::default();
    let mut corners = Vec::new();
    let mut lines = Lines::new(bytes);
    while let Some(line) = lines.next() {
        let place = lines.place();
        let fail = |problem: Problem| problem.at(place.clone());
        let line = continued(line, &mut lines);
        let content = line.split(|&b| b == b'#').next().unwrap_or_default();
        let mut words = words(content);
        let Some(keyword) = words.next() else { continue };
        match keyword {
            b"v" => {
                let mut p = [0.0; 3];
                for (x, axis) in p.iter_mut().zip(["vertex x", "vertex y", "vertex z"]) {
                    let word =
                        words.next().ok_or_else(|| fail(malformed("a vertex needs three coordinates")))?;
                    *x = finite(word, axis).map_err(fail)?;
                }
                // A weight or a colour may follow; neither moves a vertex of a polygon.
                mesh.positions.push(DVec3::from_array(p));
            }
            b"f" | b"l" | b"p" => {
                corners.clear();
                for word in words {
                    corners.push(largest.note(word, mesh.positions.len(), &place).map_err(fail)?);
                }
                match (keyword, corners.len()) {
                    (b"f", 3..) => polygons.push(&corners),
                    (b"f", n) => return Err(fail(malformed(format!("a face needs three corners, not {n}")))),
                    (b"l", 2..) => mesh.edges.extend(corners.windows(2).map(|w| [w[0], w[1]])),
                    (b"l", n) => return Err(fail(malformed(format!("a line needs two ends, not {n}")))),
                    (_, 1..) => mesh.points.extend_from_slice(&corners),
                    (_, _) => return Err(fail(malformed("a point needs a vertex"))),
                }
            }
            _ => {
                let name = String::from_utf8_lossy(keyword);
                match TABLES[0].treatment(&name) {
                    Some(Refused(reason)) => {
                        let what = format!("the statement \"{}\": {reason}", shown(keyword));
                        return Err(fail(Problem::Unsupported(what)));
                    }
                    Some(_) => {}
                    None => return Err(fail(unknown_part(&TABLES[0], &name, "OBJ"))),
                }
            }
        }
    }
    largest.check(mesh.positions.len())?;
    mesh.triangles = polygons.triangulate(&mesh.positions);
    mesh.not_empty()
}

/// Returns the line, joined with the following lines while a backslash ends it.
fn continued<'a>(line: &'a [u8], lines: &mut Lines<'a>) -> Cow<'a, [u8]> {
    let goes_on = |line: &[u8]| line.trim_ascii_end().ends_with(b"\\") && !line.contains(&b'#');
    let keyword = words(line).next().unwrap_or_default();
    if !goes_on(line) || NAMES.iter().any(|name| name.as_bytes() == keyword) {
        return Cow::Borrowed(line);
    }
    let mut whole = line.to_vec();
    loop {
        whole.truncate(whole.trim_ascii_end().len() - 1);
        whole.push(b' ');
        let Some(next) = lines.next() else { break };
        whole.extend_from_slice(next);
        if !goes_on(next) {
            break;
        }
    }
    Cow::Owned(whole)
}

/// Positive indices may point forward, so they are checked once all vertices are known. It is enough to check the
/// largest.
#[derive(Default)]
struct Largest {
    index: u32,
    line: Option<Place>,
}

impl Largest {
    /// Records the index of a corner `v`, `v/t`, `v//n` or `v/t/n`, counted from 0.
    fn note(&mut self, word: &[u8], vertices: usize, place: &Place) -> Result<u32, Problem> {
        let bad = || malformed(format!("\"{}\" is not a vertex index", shown(word)));
        let mut parts = word.split(|&b| b == b'/');
        let first = integer(parts.next().unwrap_or_default()).ok_or_else(bad)?;
        let extra_is_sound = parts.by_ref().take(2).all(|part| part.is_empty() || integer(part).is_some())
            && parts.next().is_none();
        if !extra_is_sound {
            return Err(bad());
        }
        let index = match first {
            0 => return Err(malformed("vertex index 0: OBJ counts from 1")),
            1.. => first - 1,
            _ => vertices as i64 + first,
        };
        if index < 0 {
            return Err(Problem::IndexOutOfRange {
                what: "vertex index".into(),
                index: first,
                len: vertices,
            });
        }
        let index = index_u32(index as usize)?;
        if self.line.is_none() || index > self.index {
            (self.index, self.line) = (index, Some(place.clone()));
        }
        Ok(index)
    }

    fn check(self, vertices: usize) -> Result<(), Fault> {
        match self.line {
            Some(place) if self.index as usize >= vertices => {
                let index = i64::from(self.index) + 1;
                Err(Problem::IndexOutOfRange { what: "vertex index".into(), index, len: vertices }.at(place))
            }
            _ => Ok(()),
        }
    }
}
