//! OFF: text with vertices and polygons.
//!
//! The first word is `OFF`, with any of the prefixes for colours, normals and texture coordinates (`COFF`, `NOFF`,
//! `STOFF`), whose numbers follow the coordinates and are not read. Homogeneous coordinates (`4OFF`, `nOFF`) and binary
//! files are refused. `#` begins a comment.

use super::polygon::Polygons;
use super::{MeshData, index_u32};
use crate::error::{Fault, Problem, Result, malformed};
use crate::source::{Lines, finite, integer, shown, words};
use glam::DVec3;
use std::path::Path;

/// Reads an OFF file from memory; `name` is for messages.
///
/// ```
/// let mesh = firsttouch_io::read_off(b"OFF\n4 1 0\n0 0 0\n2 0 0\n2 2 0\n0 2 0\n4 0 1 2 3\n", "quad.off")?;
/// assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_off(bytes: &[u8], name: impl AsRef<Path>) -> Result<MeshData> {
    parse(bytes).map_err(|fault| fault.in_file(name))
}

/// Returns the next line with words, without its comment.
fn next_row<'a>(lines: &mut Lines<'a>, what: &str) -> Result<Vec<&'a [u8]>, Fault> {
    loop {
        let Some(line) = lines.next() else {
            return Err(Problem::Truncated { what: what.into() }.at(lines.place()));
        };
        let text = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let row: Vec<&[u8]> = words(text).collect();
        if !row.is_empty() {
            return Ok(row);
        }
    }
}

fn parse(bytes: &[u8]) -> Result<MeshData, Fault> {
    let mut lines = Lines::new(bytes);
    let mut row = next_row(&mut lines, "the OFF header")?;
    match row[0] {
        b"OFF" | b"COFF" | b"NOFF" | b"CNOFF" | b"STOFF" | b"STCOFF" | b"STNOFF" | b"STCNOFF" => {
            if row.contains(&&b"BINARY"[..]) {
                return Err(Problem::Unsupported("a binary OFF file".into()).at(lines.place()));
            }
            row.remove(0);
            if row.is_empty() {
                row = next_row(&mut lines, "the OFF header")?;
            }
        }
        other => {
            let text = format!("an OFF file begins with OFF, not \"{}\"", shown(other));
            return Err(malformed(text).at(lines.place()));
        }
    }
    let place = lines.place();
    let count = |k: usize| row.get(k).and_then(|word| integer(word)).and_then(|n| u64::try_from(n).ok());
    let (Some(vertices), Some(faces)) = (count(0), count(1)) else {
        return Err(malformed("the numbers of vertices and faces are missing").at(place));
    };
    let announced_edges = count(2);
    // A vertex takes at least six bytes, "0 0 0" and the end of its line; the last line may lack its end.
    let at_most = lines.rest().len() as u64 / 6 + 1;
    if vertices > at_most {
        return Err(Problem::CountTooLarge { what: "vertices".into(), count: vertices, at_most }.at(place));
    }
    let mut mesh = MeshData::default();
    for _ in 0..vertices {
        let row = next_row(&mut lines, "the list of vertices")?;
        let mut point = [0.0; 3];
        for (k, x) in point.iter_mut().enumerate() {
            let word =
                row.get(k).ok_or_else(|| malformed("a vertex has three coordinates").at(lines.place()))?;
            *x = finite(word, "a coordinate").map_err(|problem| problem.at(lines.place()))?;
        }
        index_u32(mesh.positions.len()).map_err(|problem| problem.at(lines.place()))?;
        mesh.positions.push(DVec3::from_array(point));
    }
    let mut polygons = Polygons::default();
    for _ in 0..faces {
        let row = next_row(&mut lines, "the list of faces")?;
        let place = lines.place();
        let corners = integer(row[0]).and_then(|n| usize::try_from(n).ok());
        let corners = corners.and_then(|n| row.get(1..n.checked_add(1)?));
        let corners = corners
            .ok_or_else(|| malformed("a face begins with the number of its corners").at(place.clone()))?;
        let index =
            |word: &&[u8]| {
                let index = integer(word)
                    .ok_or_else(|| malformed(format!("\"{}\" is no index", shown(word))).at(place.clone()))?;
                let len = mesh.positions.len();
                match u32::try_from(index) {
                    Ok(known) if (known as usize) < len => Ok(known),
                    _ => Err(Problem::IndexOutOfRange { what: "vertex index".into(), index, len }
                        .at(place.clone())),
                }
            };
        let corners = corners.iter().map(index).collect::<Result<Vec<u32>, Fault>>()?;
        match corners[..] {
            [] => return Err(malformed("a face has no corners").at(place)),
            [point] => mesh.points.push(point),
            [a, b] => mesh.edges.push([a, b]),
            _ => polygons.push(&corners),
        }
    }
    // Some writers list the edges as well, two indices each. The edges belong to the faces.
    let mut edges = 0_u64;
    while let Ok(row) = next_row(&mut lines, "") {
        let is_edge = row.len() == 2 && row.iter().all(|word| integer(word).is_some());
        edges += 1;
        if !is_edge || Some(edges) > announced_edges {
            let text =
                "this follows the last face that the header announces: correct the numbers in the header";
            return Err(malformed(text).at(lines.place()));
        }
    }
    mesh.triangles = polygons.triangulate(&mesh.positions);
    mesh.not_empty()
}
