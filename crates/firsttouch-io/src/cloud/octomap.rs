//! OctoMap: `.bt`, whose cells are occupied or free, and `.ot`, whose cells have a probability.
//!
//! A file begins with lines of text (`id`, `size`, `res`) up to the line `data`. The nodes of an octree of 16 levels
//! follow, each before its children, in the order of their bits: x is the lowest, z the highest.
//! - `.bt`: two bytes per inner node, two bits per child: unknown, free, occupied, or a further inner node.
//! - `.ot`: per node the logarithm of the odds as a float, the colour in a `ColorOcTree`, and a byte with a bit per
//!   child.
//!
//! Leaves with at least even odds are occupied, which is OctoMap's default. Larger leaves are cells of a higher level.
//! Unknown cells count as free, as in OctoMap.

use crate::error::{Fault, Place, Problem, Result, malformed};
use crate::files::Files;
use crate::parts::Treatment::{Ignored, Read};
use crate::parts::{Parts, unknown_part};
use crate::source::{Cursor, Lines, finite, shown, words};
use firsttouch::shape::OctreeCell;
use std::path::Path;

/// The occupied cells of an octree file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OctreeData {
    /// The side of the smallest cells.
    pub resolution: f64,
    /// The occupied cells, in the order of the file.
    pub cells: Vec<OctreeCell>,
}

/// Reads an OctoMap file from memory; `name` is for messages.
///
/// ```
/// // The child 7 of the root is occupied: an eighth of the whole space.
/// let file = b"# Octomap OcTree binary file\nid OcTree\nsize 2\nres 0.5\ndata\n\x00\x80";
/// let map = firsttouch_io::read_octomap(file, "map.bt")?;
/// assert_eq!((map.resolution, map.cells.len()), (0.5, 1));
/// assert_eq!((map.cells[0].key, map.cells[0].level), ([0, 0, 0], 15));
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_octomap(bytes: &[u8], name: impl AsRef<Path>) -> Result<OctreeData> {
    read(bytes, &Files::default()).map_err(|fault| fault.in_file(name))
}

/// The keys of the header.
pub(super) const TABLES: [Parts; 1] = [Parts {
    within: "the header of an octree",
    kind: "key",
    list: &[(&["id", "res", "data"], Read), (&["size"], Ignored)],
}];

/// The levels of every OctoMap file; keys begin at `-2^15`.
const LEVELS: u8 = 16;

pub(super) fn read(bytes: &[u8], files: &Files) -> Result<OctreeData, Fault> {
    let mut lines = Lines::new(bytes);
    let first = lines.next().unwrap_or_default();
    let is_binary = first.starts_with(b"# Octomap OcTree binary file");
    if !is_binary && !first.starts_with(b"# Octomap OcTree file") {
        return Err(malformed("the first line is not that of an OctoMap file").at(Place::Line(1)));
    }
    let (mut id, mut resolution): (&[u8], _) = (b"OcTree", None);
    loop {
        let Some(line) = lines.next() else {
            return Err(Problem::Truncated { what: "the OctoMap header".into() }.at(lines.place()));
        };
        let place = lines.place();
        let mut rest = words(line);
        match (rest.next(), rest.next()) {
            (None, _) => {}
            (Some(b"data"), None) => break,
            (Some(b"id"), Some(value)) => id = value,
            (Some(b"res"), Some(value)) => {
                let value = finite(value, "res").map_err(|problem| problem.at(place.clone()))?;
                if value <= 0.0 {
                    return Err(malformed("res must be positive").at(place));
                }
                resolution = Some(value);
            }
            // The number of nodes follows from the nodes.
            (Some(b"size"), Some(_)) => {}
            (Some(word), _) if word.starts_with(b"#") => {}
            (Some(word), _) => {
                let name = String::from_utf8_lossy(word);
                return Err(unknown_part(&TABLES[0], &name, "an OctoMap header").at(place));
            }
        }
    }
    let resolution = resolution.ok_or_else(|| malformed("the header has no res").at(lines.place()))?;
    let colour = match (id, is_binary) {
        (b"OcTree" | b"1", _) => 0,
        (b"ColorOcTree", true) => 0,
        (b"ColorOcTree", false) => 3,
        _ => {
            let text = format!("a tree of type \"{}\": use OcTree or ColorOcTree", shown(id));
            return Err(Problem::Unsupported(text).at(lines.place()));
        }
    };
    let mut cursor = Cursor::new(bytes, bytes.len() - lines.rest().len());
    let low = -(1 << (LEVELS - 1));
    let root = OctreeCell { key: [low; 3], level: LEVELS };
    let (mut cells, mut checked) = (Vec::new(), 0);
    // The entries that are still to be read, the next one last.
    let mut open = vec![root];
    while let Some(cell) = open.pop() {
        let place = Place::Byte(cursor.offset);
        if cells.len() >= checked {
            // Two bytes may describe eight cells.
            checked = 2 * cells.len() + 1024;
            let bytes = (checked * size_of::<OctreeCell>()) as u64;
            files.fits(bytes, "the octree").map_err(|problem| problem.at(place.clone()))?;
        }
        if is_binary {
            let bits = u16::from_le_bytes(cursor.take("a node")?);
            // The children of a node come after it, those of the first child first.
            let mut inner = Vec::new();
            for child in 0..8 {
                match bits >> (2 * child) & 3 {
                    2 => cells.push(child_of(&cell, child).ok_or_else(|| too_deep(place.clone()))?),
                    3 => inner.push(child_of(&cell, child).ok_or_else(|| too_deep(place.clone()))?),
                    _ => {}
                }
            }
            open.extend(inner.into_iter().rev());
        } else {
            let odds = f32::from_le_bytes(cursor.take("a node")?);
            if colour == 3 {
                cursor.take::<3>("the colour of a node")?;
            }
            let [children] = cursor.take::<1>("the children of a node")?;
            if odds.is_nan() {
                let what = "the odds of a node".into();
                return Err(Problem::NotFinite { what, value: odds.to_string() }.at(place));
            }
            if children == 0 && odds >= 0.0 {
                cells.push(cell);
            }
            for child in (0..8).rev().filter(|child| children >> child & 1 == 1) {
                open.push(child_of(&cell, child).ok_or_else(|| too_deep(place.clone()))?);
            }
        }
    }
    if !cursor.left().iter().all(u8::is_ascii_whitespace) {
        return Err(malformed("more bytes follow the last node").at(Place::Byte(cursor.offset)));
    }
    if cells.is_empty() {
        return Err(Problem::Empty { what: "occupied cells" }.at(Place::File));
    }
    Ok(OctreeData { resolution, cells })
}

fn child_of(cell: &OctreeCell, child: u32) -> Option<OctreeCell> {
    let level = cell.level.checked_sub(1)?;
    let side = |axis: u32| (child >> axis & 1) as i32 * (1 << level);
    Some(OctreeCell { key: [cell.key[0] + side(0), cell.key[1] + side(1), cell.key[2] + side(2)], level })
}

fn too_deep(place: Place) -> Fault {
    malformed(format!("the tree is deeper than {LEVELS} levels")).at(place)
}
