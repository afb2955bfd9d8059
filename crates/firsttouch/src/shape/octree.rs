//! The occupied cells of an octree, as boxes along the axes, under a binary radix tree.
//!
//! 1. A cell is the cube with its low corner at `key · resolution` and sides of `2^level · resolution`. Keys are
//!    integers, so cells are compared without rounding.
//! 2. Cells are sorted by the Morton code of their keys: the bits of x, y and z in turn. A node holds a range of them
//!    and is divided where the highest bit that differs within the range changes. Three levels of this tree are one
//!    level of the octree, without its empty cells.
//! 3. The box of a node is that of its cells, in integers. So it is exact and takes half the memory of a box in `f64`.
//!    Inner nodes are stored in the order of a depth-first walk: the left child of a node follows it, and the right
//!    child comes after the left one's inner nodes, one fewer than its cells. A leaf is one cell and has no stored
//!    node.
//!
//! **Guarantee.** Corners are products of an integer and the resolution, rounded outwards.

use glam::DVec3;

use super::hierarchy::{Hierarchy, NodeBox, SmallPiece};
use super::local::{Cell, LocalSolid};
use crate::answer::Part;
use crate::error::{Error, LARGEST, Result, positive};
use crate::numerics::rounding::{TINY_LENGTH, UNIT};

/// A cube of an octree: its low corner in units of the resolution, and its level. Cells of level 0 are as large as the
/// resolution; cells of each further level are twice as large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OctreeCell {
    /// The low corner, in units of the resolution.
    pub key: [i32; 3],
    /// The side is `2^level` times the resolution.
    pub level: u8,
}

/// The solid cells of an octree. A touch names the cell by its place in [`Octree::cells`]:
/// [`Part::Piece`](crate::Part::Piece).
///
/// ```
/// use firsttouch::glam::DVec3;
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::{Octree, OctreeCell, Sphere};
/// use firsttouch::{Answer, Options, first_touch};
/// // A cell of 0.1 at the origin and one of 0.2 beside it; a ball of radius 1 comes from x = 5.3 to x = 0.3.
/// let cells = vec![OctreeCell { key: [0, 0, 0], level: 0 }, OctreeCell { key: [2, 0, 0], level: 1 }];
/// let map = Octree::new(0.1, cells)?.into();
/// let ball = Sphere::new(1.0)?.into();
/// let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.1, 0.1));
/// let flight = Motion::linear(at(5.4)?, at(0.4)?);
/// let Answer::Touch(touch) = first_touch((&map, &Motion::AT_REST), (&ball, &flight), &Options::default())? else {
///     panic!("they touch")
/// };
/// // The larger cell ends at x = 0.4: they touch when the ball is at 1.4.
/// assert!(touch.toi <= 0.8 && touch.toi > 0.8 - 1e-6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Octree {
    resolution: f64,
    /// The cells, in the order of their Morton codes.
    cells: Vec<OctreeCell>,
    nodes: Vec<Node>,
}

/// An inner node: the box of a range of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Node {
    low: [i32; 3],
    high: [i32; 3],
    first: u32,
    count: u32,
    /// The number of cells in the left child.
    left: u32,
}

/// The largest size of a key, so that keys have 21 bits.
const LARGEST_KEY: i32 = 1 << 20;

impl Octree {
    /// Creates the shape from its occupied cells, in any order; cells that are given twice count once. Returns an error
    /// for an empty list, a resolution that is not positive, and keys beyond `2^20` in size.
    pub fn new(resolution: f64, mut cells: Vec<OctreeCell>) -> Result<Octree> {
        let resolution = positive(|| "resolution of an octree".into(), resolution)?;
        if resolution > LARGEST / f64::from(2 * LARGEST_KEY) {
            return Err(Error::OutOfRange {
                what: "resolution of an octree".into(),
                expected: "at most 4e93",
                value: resolution,
            });
        }
        if cells.is_empty() {
            return Err(Error::Empty { what: "octree".into() });
        }
        for (i, cell) in cells.iter().enumerate() {
            for key in cell.key {
                let size = 1_i64.checked_shl(u32::from(cell.level)).unwrap_or(i64::MAX);
                let is_inside = key >= -LARGEST_KEY && size <= i64::from(LARGEST_KEY - key);
                if !is_inside {
                    return Err(Error::OutOfRange {
                        what: format!("key of cell {i} of an octree"),
                        expected: "between -2^20 and 2^20, with its whole cell",
                        value: f64::from(key),
                    });
                }
            }
        }
        cells.sort_by_cached_key(|cell| (morton(cell.key), cell.level));
        cells.dedup();
        let codes: Vec<u64> = cells.iter().map(|cell| morton(cell.key)).collect();
        let mut nodes = Vec::with_capacity(cells.len() - 1);
        build(&cells, &codes, 0, &mut nodes);
        Ok(Octree { resolution, cells, nodes })
    }

    /// Returns the side of a cell of level 0.
    pub fn resolution(&self) -> f64 {
        self.resolution
    }

    /// Returns the cells, in the order of their Morton codes.
    pub fn cells(&self) -> &[OctreeCell] {
        &self.cells
    }

    /// Returns a cell as a box: its centre and half its sides.
    pub fn cell_box(&self, cell: usize) -> (DVec3, DVec3) {
        let OctreeCell { key, level } = self.cells[cell];
        let size = 1_i64 << level;
        let middle = |k: usize| (2 * i64::from(key[k]) + size) as f64 * (0.5 * self.resolution);
        (DVec3::new(middle(0), middle(1), middle(2)), DVec3::splat(size as f64 * (0.5 * self.resolution)))
    }

    /// Returns the centre of the box around the cells and half its side lengths, rounded up.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let NodeBox { center, half } = self.node_box(0);
        (center, half)
    }

    /// Returns the cell of a leaf.
    fn leaf(&self, leaf: u32) -> usize {
        leaf as usize - self.nodes.len()
    }
}

/// Returns the bits of three keys in turn, x first.
fn morton(key: [i32; 3]) -> u64 {
    // Each step doubles the gaps between groups of bits, until there are two zeros after each bit.
    let spread = |key: i32| {
        let mut bits = (key + LARGEST_KEY) as u64;
        bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
        bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
        bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
        bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
        (bits | bits << 2) & 0x1249_2492_4924_9249
    };
    spread(key[0]) << 2 | spread(key[1]) << 1 | spread(key[2])
}

/// Adds the inner nodes of some cells, which begin at `first`, and returns the box around them.
fn build(cells: &[OctreeCell], codes: &[u64], first: u32, nodes: &mut Vec<Node>) -> [[i32; 3]; 2] {
    if let [OctreeCell { key, level }] = cells {
        return [*key, key.map(|k| k + (1 << level))];
    }
    let differing = codes[0] ^ codes[codes.len() - 1];
    let left = if differing == 0 {
        // Nested cells that begin at one corner.
        codes.len() / 2
    } else {
        let highest = 63 - differing.leading_zeros();
        codes.partition_point(|code| code >> highest & 1 == 0)
    };
    let index = nodes.len();
    let (count, left_count) = (cells.len() as u32, left as u32);
    nodes.push(Node { low: [0; 3], high: [0; 3], first, count, left: left_count });
    let [low_a, high_a] = build(&cells[..left], &codes[..left], first, nodes);
    let [low_b, high_b] = build(&cells[left..], &codes[left..], first + left_count, nodes);
    let low = [0, 1, 2].map(|k| low_a[k].min(low_b[k]));
    let high = [0, 1, 2].map(|k| high_a[k].max(high_b[k]));
    (nodes[index].low, nodes[index].high) = (low, high);
    [low, high]
}

impl Hierarchy for Octree {
    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        let &Node { first, count, left, .. } = self.nodes.get(node as usize)?;
        let id = |inner: u32, first: u32, count: u32| {
            if count == 1 { self.nodes.len() as u32 + first } else { inner }
        };
        Some([id(node + 1, first, left), id(node + left, first + left, count - left)])
    }

    #[inline]
    fn node_box(&self, node: u32) -> NodeBox {
        let (low, high) = match self.nodes.get(node as usize) {
            Some(inner) => (inner.low, inner.high),
            None => {
                let OctreeCell { key, level } = self.cells[self.leaf(node)];
                (key, key.map(|k| k + (1 << level)))
            }
        };
        let scale = 0.5 * self.resolution;
        let times = |keys: [i32; 3]| DVec3::from_array(keys.map(f64::from)) * scale;
        let center = times([0, 1, 2].map(|k| low[k] + high[k]));
        let half = times([0, 1, 2].map(|k| high[k] - low[k]));
        // Sums of keys are exact, so both have one rounding; the half sides cover both, and their own.
        let off = center.abs() * (4.0 * UNIT) + DVec3::splat(TINY_LENGTH);
        NodeBox { center, half: half * (1.0 + 8.0 * UNIT) + off }
    }

    fn piece(&self, leaf: u32) -> SmallPiece {
        let (center, half) = self.cell_box(self.leaf(leaf));
        SmallPiece::Solid(LocalSolid::Cell(Cell { center, half }))
    }

    fn part(&self, leaf: u32) -> Part {
        Part::Piece(self.leaf(leaf) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn morton_codes_interleave_the_bits() {
        for key in [[0, 0, 0], [1, 2, 3], [-5, 77, -1_048_576], [1_048_575, -1, 4096]] {
            let mut expected = 0_u64;
            for bit in 0..21 {
                for (axis, k) in key.iter().enumerate() {
                    let is_set = ((k + LARGEST_KEY) >> bit & 1) as u64;
                    expected |= is_set << (3 * bit + 2 - axis);
                }
            }
            assert_eq!(morton(key), expected, "{key:?}");
        }
    }

    /// Every cell is in one leaf and in the boxes of all nodes above it.
    #[test]
    fn nodes_contain_their_cells() {
        let mut state = 5_u64;
        let mut draw = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % n) as i32
        };
        for count in [1, 2, 3, 10, 300] {
            let mut cells = Vec::new();
            for _ in 0..count {
                let level = draw(3) as u8;
                let key = [0; 3].map(|_| (draw(60) - 30) << level);
                cells.push(OctreeCell { key, level });
            }
            let tree = Octree::new(0.3, cells.clone()).unwrap();
            cells.sort();
            cells.dedup();
            assert_eq!(tree.cells().len(), cells.len());
            assert_eq!(tree.nodes.len(), cells.len() - 1);
            let mut seen = vec![0; cells.len()];
            let mut open = vec![(0, Vec::<NodeBox>::new())];
            while let Some((node, mut above)) = open.pop() {
                above.push(tree.node_box(node));
                match tree.children(node) {
                    Some(children) => open.extend(children.map(|child| (child, above.clone()))),
                    None => {
                        let Part::Piece(cell) = tree.part(node) else { panic!("a cell") };
                        seen[cell as usize] += 1;
                        let OctreeCell { key, level } = tree.cells()[cell as usize];
                        for k in 0..3 {
                            let low = f64::from(key[k]) * 0.3;
                            let high = f64::from(key[k] + (1 << level)) * 0.3;
                            for NodeBox { center, half } in &above {
                                assert!(center[k] - half[k] <= low && high <= center[k] + half[k]);
                            }
                        }
                    }
                }
            }
            assert!(seen.iter().all(|&times| times == 1), "{count}");
        }
    }
}
