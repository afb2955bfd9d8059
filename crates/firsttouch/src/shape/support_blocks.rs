//! The point of a set that is farthest along a direction, by blocks of neighbours.
//!
//! 1. Up to 256 points are all scanned, in their order, in blocks of [`LANES`]: first for the height, then for the
//!    first point that has it.
//! 2. More points are divided in two across the longest side of their box, again and again, into blocks of at most
//!    [`LANES`].
//! 3. Along a direction, the farthest corner of the box of a block is at least as high as its points. The corner's
//!    coordinates are the lower or the upper ends, by the signs of the direction, which are the same for all blocks.
//! 4. The block with the highest corner is scanned first, then all others whose corners are not below the current best
//!    point. For a thousand points of a round body, these are a dozen of 63 blocks.
//!
//! **Guarantee.** The result is that of a scan of all points, bit for bit. A height is computed as
//! `(x n_x + y n_y) + z n_z`, for points and for corners. Rounding never reverses an order: `fl(x n_x)` of a point is
//! at most that of the corner, and so are the sums. No error bound is needed.

use fearless_simd::{Level, Simd, SimdBase, SimdMask, dispatch, f64x8};
use glam::DVec3;

use super::median_split;

/// The number of points of a block: a few registers on every machine.
const LANES: usize = 16;

/// The number of blocks whose corners are computed at a time, and the number of such groups that are compared with each
/// other.
const WIDTH: usize = 8;
const ROWS: usize = 8;

/// The most blocks that are all scanned: the boxes of this few blocks leave out too few of them.
const FEW_BLOCKS: usize = 16;

/// The largest size of a direction whose products with coordinates (at most 1e100) and their sums are finite. For
/// larger directions, and NaN, no block is left out.
const LARGEST_DIRECTION: f64 = 1e200;

/// Points that are queried for the farthest one along a direction.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SupportBlocks {
    blocks: Vec<Block>,
    /// The boxes of the blocks; empty if the blocks are few.
    boxes: Vec<BoxRow>,
}

/// The ends of the boxes of some blocks, by coordinate.
#[derive(Debug, Clone, PartialEq)]
struct BoxRow {
    low: [[f64; WIDTH]; 3],
    high: [[f64; WIDTH]; 3],
}

impl BoxRow {
    /// Boxes without a corner that is higher than any point.
    const NONE: BoxRow = BoxRow { low: [[f64::INFINITY; WIDTH]; 3], high: [[f64::NEG_INFINITY; WIDTH]; 3] };
}

/// Points by coordinate, in the order of their numbers. A block that is not full repeats its last point.
#[derive(Debug, Clone, PartialEq)]
struct Block {
    x: [f64; LANES],
    y: [f64; LANES],
    z: [f64; LANES],
    number: [u32; LANES],
}

/// The highest point found: its height, and its number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Highest {
    pub(super) height: f64,
    pub(super) number: u32,
}

impl SupportBlocks {
    pub(super) fn new(points: &[DVec3]) -> SupportBlocks {
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        if points.len() <= FEW_BLOCKS * LANES {
            let blocks = order.chunks(LANES).map(|members| Block::new(points, members)).collect();
            return SupportBlocks { blocks, boxes: Vec::new() };
        }
        let mut open = vec![order.as_mut_slice()];
        let mut blocks = Vec::with_capacity(points.len().div_ceil(LANES));
        let mut boxes: Vec<BoxRow> = Vec::new();
        while let Some(members) = open.pop() {
            let at = |&number: &u32| points[number as usize];
            let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            let ends = members.iter().fold(nothing, |(low, high), number| {
                (low.min(at(number)), high.max(at(number))) // not a bound: all are finite
            });
            if members.len() > LANES {
                let axis = median_split::longest(ends.1 - ends.0);
                // Full blocks give the least number of blocks.
                let middle = (members.len() / 2).next_multiple_of(LANES);
                let key = |number: &u32| (at(number)[axis], *number as usize);
                let (first, second) = median_split::divided(members, middle, key);
                open.extend([second, first]);
                continue;
            }
            members.sort_unstable();
            blocks.push(Block::new(points, members));
            let lane = (blocks.len() - 1) % WIDTH;
            if lane == 0 {
                boxes.push(BoxRow::NONE);
            }
            if let Some(row) = boxes.last_mut() {
                for axis in 0..3 {
                    (row.low[axis][lane], row.high[axis][lane]) = (ends.0[axis], ends.1[axis]);
                }
            }
        }
        SupportBlocks { blocks, boxes }
    }

    /// Returns the highest point along a direction, the one with the lowest number of several. If all heights are NaN,
    /// the number is 0 and the height negative infinity.
    #[inline]
    pub(super) fn highest(&self, direction: DVec3) -> Highest {
        if self.boxes.is_empty() {
            dispatch!(Level::new(), simd => highest_of_few(simd, &self.blocks, direction))
        } else {
            dispatch!(Level::new(), simd => highest(simd, self, direction))
        }
    }

    /// Returns true if no more than one point is at least this high. It may return false for one point: a block that is
    /// not full repeats its last.
    #[inline]
    pub(super) fn is_at_most_one_above(&self, direction: DVec3, height: f64) -> bool {
        dispatch!(Level::new(), simd => is_at_most_one_above(simd, &self.blocks, direction, height))
    }

    /// Returns the height of the highest point.
    #[inline]
    pub(super) fn height(&self, direction: DVec3) -> f64 {
        if self.boxes.is_empty() {
            dispatch!(Level::new(), simd => height_of_few(simd, &self.blocks, direction))
        } else {
            self.highest(direction).height
        }
    }
}

/// Returns [`SupportBlocks::highest`] of blocks in the order of their numbers: first the height, then the first point
/// of that height. Computing the heights twice costs less than storing them, or than storing the number of the highest
/// point of each lane.
#[inline(always)]
fn highest_of_few<S: Simd>(simd: S, blocks: &[Block], direction: DVec3) -> Highest {
    let height = height_of_few(simd, blocks, direction);
    for block in blocks {
        let lanes = block.lanes_at(simd, direction, height);
        if lanes != 0 {
            return Highest { height, number: block.number[lanes.trailing_zeros() as usize] };
        }
    }
    Highest { height, number: 0 }
}

/// Returns the height alone.
#[allow(clippy::needless_range_loop, reason = "the same lane of several arrays")]
#[inline(always)]
fn height_of_few<S: Simd>(_: S, blocks: &[Block], direction: DVec3) -> f64 {
    let mut most = [f64::NEG_INFINITY; LANES];
    for block in blocks {
        let heights = block.heights(direction);
        for i in 0..LANES {
            // Not for NaN.
            most[i] = if heights[i] > most[i] { heights[i] } else { most[i] };
        }
    }
    halved(most, |a, b| if b > a { b } else { a })
}

/// Returns [`SupportBlocks::is_at_most_one_above`].
#[allow(clippy::needless_range_loop, reason = "the same lane of several arrays")]
#[inline(always)]
fn is_at_most_one_above<S: Simd>(_: S, blocks: &[Block], direction: DVec3, height: f64) -> bool {
    // Small integers are exact in floating point, in which they stay in the lanes of the heights.
    let mut counts = [0.0; LANES];
    for block in blocks {
        let heights = block.heights(direction);
        for i in 0..LANES {
            counts[i] += if heights[i] >= height { 1.0 } else { 0.0 };
        }
    }
    halved(counts, |a, b| a + b) <= 1.0
}

/// The loops of [`SupportBlocks::highest`]. They are compiled for every level of vector instructions; all levels
/// compute the same bits, because no operation is reordered or fused.
#[allow(clippy::needless_range_loop, reason = "the same lane of several arrays")]
#[inline(always)]
fn highest<S: Simd>(_: S, points: &SupportBlocks, direction: DVec3) -> Highest {
    let mut best = Highest { height: f64::NEG_INFINITY, number: u32::MAX };
    let SupportBlocks { blocks, boxes } = points;
    // A sum of sizes is NaN if one of them is.
    let is_usual = direction.x.abs() + direction.y.abs() + direction.z.abs() <= LARGEST_DIRECTION;
    if !is_usual {
        blocks.iter().for_each(|block| block.raise(direction, &mut best));
    }
    let is_up = [direction.x >= 0.0, direction.y >= 0.0, direction.z >= 0.0];
    for (rows, blocks) in boxes.chunks(ROWS).zip(blocks.chunks(ROWS * WIDTH)).filter(|_| is_usual) {
        let mut corners = [[f64::NEG_INFINITY; WIDTH]; ROWS];
        // Each lane keeps its highest corner and the row of it; such indices are exact in floating point.
        let (mut most, mut row_of) = ([f64::NEG_INFINITY; WIDTH], [0.0; WIDTH]);
        for (k, row) in rows.iter().enumerate() {
            let [x, y, z] = [0, 1, 2].map(|axis| if is_up[axis] { &row.high[axis] } else { &row.low[axis] });
            for i in 0..WIDTH {
                let corner = x[i] * direction.x + y[i] * direction.y + z[i] * direction.z;
                let is_higher = corner > most[i];
                most[i] = if is_higher { corner } else { most[i] };
                row_of[i] = if is_higher { k as f64 } else { row_of[i] };
                corners[k][i] = corner;
            }
        }
        let lane = (1..WIDTH).fold(0, |best, i| if most[i] > most[best] { i } else { best });
        let first = row_of[lane] as usize * WIDTH + lane;
        if most[lane] >= best.height {
            blocks[first].raise(direction, &mut best);
        }
        for (k, row) in corners[..rows.len()].iter().enumerate() {
            let mut is_any = false;
            for corner in row {
                is_any |= *corner >= best.height;
            }
            if is_any {
                for (i, block) in blocks[k * WIDTH..].iter().enumerate().take(WIDTH) {
                    if row[i] >= best.height && k * WIDTH + i != first {
                        block.raise(direction, &mut best);
                    }
                }
            }
        }
    }
    if best.number == u32::MAX { Highest { number: 0, ..best } } else { best }
}

impl Block {
    /// Returns the block of at least one point and at most [`LANES`], by their numbers, in order.
    fn new(points: &[DVec3], members: &[u32]) -> Block {
        let number: [u32; LANES] = std::array::from_fn(|i| members[i.min(members.len() - 1)]);
        let coordinate = |axis: usize| number.map(|number| points[number as usize][axis]);
        Block { x: coordinate(0), y: coordinate(1), z: coordinate(2), number }
    }

    /// Returns the heights of its points.
    #[allow(clippy::needless_range_loop, reason = "the same lane of several arrays")]
    #[inline(always)]
    fn heights(&self, direction: DVec3) -> [f64; LANES] {
        let mut heights = [0.0; LANES];
        for i in 0..LANES {
            heights[i] = self.x[i] * direction.x + self.y[i] * direction.y + self.z[i] * direction.z;
        }
        heights
    }

    /// Returns a bit for each point of exactly this height. The heights have the same bits as those of
    /// [`heights`](Block::heights).
    #[inline(always)]
    fn lanes_at<S: Simd>(&self, simd: S, direction: DVec3, height: f64) -> u64 {
        let x = f64x8::splat(simd, direction.x);
        let y = f64x8::splat(simd, direction.y);
        let z = f64x8::splat(simd, direction.z);
        let height = f64x8::splat(simd, height);
        let mut lanes = 0;
        for start in [0, 8] {
            let end = start + 8;
            let along_x = f64x8::from_slice(simd, &self.x[start..end]) * x;
            let along_y = f64x8::from_slice(simd, &self.y[start..end]) * y;
            let along_z = f64x8::from_slice(simd, &self.z[start..end]) * z;
            lanes |= (along_x + along_y + along_z).simd_eq(height).to_bitmask() << start;
        }
        lanes
    }

    /// Scans the points of the block.
    #[inline(always)]
    fn raise(&self, direction: DVec3, best: &mut Highest) {
        let heights = self.heights(direction);
        let most = halved(heights, |a, b| if b > a { b } else { a });
        // Not for NaN.
        if most >= best.height {
            let number = self.number[heights.iter().position(|&height| height == most).unwrap_or(0)];
            if most > best.height || number < best.number {
                *best = Highest { height: most, number };
            }
        }
    }
}

/// Reduces all values to one by `choose`, pair by pair. Halving keeps the choices independent of each other. A choice
/// with `if` instead of `f64::max` compiles to one instruction, because it need not treat NaN separately.
#[inline(always)]
fn halved(mut values: [f64; LANES], choose: impl Fn(f64, f64) -> f64) -> f64 {
    let mut half = LANES / 2;
    while half > 0 {
        for i in 0..half {
            values[i] = choose(values[i], values[i + half]);
        }
        half /= 2;
    }
    values[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn plain(points: &[DVec3], n: DVec3) -> Highest {
        let mut best = Highest { height: f64::NEG_INFINITY, number: 0 };
        for (number, p) in points.iter().enumerate() {
            let height = p.x * n.x + p.y * n.y + p.z * n.z;
            if height > best.height {
                best = Highest { height, number: number as u32 };
            }
        }
        best
    }

    /// All points one by one, and the blocks: the same bits, on every level of vector instructions. Grids have many
    /// points of one height.
    #[test]
    fn blocks_change_no_bit() {
        let state = &mut 31;
        let (mut ties, mut alone) = (0, 0);
        for (count, is_grid) in [
            (1, false),
            (15, true),
            (17, false),
            (33, true),
            (250, true),
            (500, false),
            (1500, true),
            (5000, false),
        ] {
            let coarse = |x: f64| if is_grid { (3.0 * x).round() } else { x };
            let points: Vec<DVec3> = (0..count)
                .map(|_| DVec3::new(coarse(unit(state)), coarse(unit(state)), coarse(unit(state))))
                .collect();
            let blocks = SupportBlocks::new(&points);
            for k in 0..200 {
                let n = match k % 4 {
                    0 => [DVec3::X, -DVec3::Y, DVec3::Z, -DVec3::X][k / 4 % 4],
                    1 => DVec3::new(unit(state), 0.0, -0.0),
                    _ => DVec3::new(unit(state), unit(state), unit(state)),
                };
                let found = plain(&points, n);
                assert_eq!(blocks.highest(n), found);
                assert_eq!(blocks.height(n).to_bits(), found.height.to_bits());
                let without_vectors = if blocks.boxes.is_empty() {
                    dispatch!(Level::baseline(), simd => highest_of_few(simd, &blocks.blocks, n))
                } else {
                    dispatch!(Level::baseline(), simd => highest(simd, &blocks, n))
                };
                assert_eq!(without_vectors, found);
                let height = |p: &DVec3| p.x * n.x + p.y * n.y + p.z * n.z;
                let slack = 0.1 * unit(state).abs();
                let above = points.iter().filter(|p| height(p) >= found.height - slack).count();
                let is_alone = blocks.is_at_most_one_above(n, found.height - slack);
                assert!(above == 1 || !is_alone);
                alone += usize::from(is_alone);
                ties += usize::from(points.iter().filter(|p| height(p) == found.height).count() > 1);
            }
        }
        assert!(ties > 200 && alone > 200, "{ties} {alone}");
    }

    /// Directions that are infinite, NaN or so large that products overflow.
    #[test]
    fn no_direction_panics() {
        let state = &mut 37;
        let points: Vec<DVec3> =
            (0..300).map(|_| DVec3::new(unit(state), unit(state), unit(state)) * 1e100).collect();
        for points in [&points[..], &points[..100]] {
            no_direction_panics_for(points);
        }
    }

    fn no_direction_panics_for(points: &[DVec3]) {
        let blocks = SupportBlocks::new(points);
        assert_eq!(blocks.highest(DVec3::NAN), Highest { height: f64::NEG_INFINITY, number: 0 });
        for n in [DVec3::new(f64::INFINITY, 1.0, 0.0), DVec3::new(1e250, -1e250, 1.0), DVec3::splat(1e199)] {
            assert_eq!(blocks.highest(n), plain(points, n));
        }
    }
}
