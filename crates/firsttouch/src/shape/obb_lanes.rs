//! Eight oriented boxes at once, each around a set of points of about the same number: one set in each lane of vector
//! registers.
//!
//! 1. The points of the eight sets are stored in rows: the first of each, the second of each, and so on, by coordinate.
//! 2. Covariances, axes (`jacobi_lanes`) and extents take the steps of [`Obb::around`] in every lane.
//!
//! **Guarantee.** The guarantee of `obb`, because the bits are the same. No operation is reordered or fused:
//! - A sum has the order of its points. Rows that a set does not reach are left out of its sums by a mask.
//! - `obb` finds the least of several projections in four interleaved parts, the last of which is filled up with the
//!   last point. So does this file. The choice between two equal numbers matters only for the sign of zero. Beyond
//!   that, a set repeats its point of four rows before, which is already in the same part, so the result does not
//!   change.

use fearless_simd::{Level, Select, Simd, SimdBase, SimdFloat, SimdFrom, SimdMask, dispatch, f64x8};
use glam::{DMat3, DVec3};

use super::jacobi_lanes;
use super::obb::{Extents, Obb, orthonormal};

/// The number of sets.
pub(super) const SETS: usize = 8;

/// One point of each set, by coordinate.
type Row = [[f64; SETS]; 3];

/// Eight sets of points, none of them empty.
#[derive(Debug, Default)]
pub(super) struct EightSets {
    rows: Vec<Row>,
    lengths: [usize; SETS],
}

impl EightSets {
    /// Makes room for sets of these lengths. All their points must then be [set](EightSets::set).
    pub(super) fn begin(&mut self, lengths: [usize; SETS]) {
        self.lengths = lengths;
        let longest = lengths.into_iter().max().unwrap_or(0);
        self.rows.resize(longest.next_multiple_of(4), [[0.0; SETS]; 3]);
    }

    /// Sets the points of a triangle: `place` is that of the first in its set.
    #[inline(always)]
    pub(super) fn set(&mut self, set: usize, place: usize, corners: &[DVec3; 3]) {
        for (row, corner) in self.rows[place..place + 3].iter_mut().zip(corners) {
            for (coordinate, value) in row.iter_mut().zip(corner.to_array()) {
                coordinate[set] = value;
            }
        }
    }

    /// Returns the boxes.
    pub(super) fn boxes(&mut self) -> [Obb; SETS] {
        // The rows that a set does not reach; see the header.
        for (set, &length) in self.lengths.iter().enumerate() {
            let filled = length.next_multiple_of(4);
            for row in length..self.rows.len() {
                let from = if row < filled { length - 1 } else { row - 4 };
                let point = self.rows[from].map(|coordinate| coordinate[set]);
                for (coordinate, value) in self.rows[row].iter_mut().zip(point) {
                    coordinate[set] = value;
                }
            }
        }
        let sets = &*self;
        dispatch!(Level::new(), simd => boxes(simd, &sets.rows, &sets.lengths))
    }
}

/// Returns [`EightSets::boxes`], compiled for every level of vector instructions.
#[inline(always)]
fn boxes<S: Simd>(simd: S, rows: &[Row], lengths: &[usize; SETS]) -> [Obb; SETS] {
    let along = axes(simd, jacobi_lanes::eigenvectors(simd, covariances(simd, rows, lengths)));
    let extents = extents(simd, rows, &along);
    let mut axes = [DMat3::IDENTITY; SETS];
    for (axis, of_axis) in along.iter().enumerate() {
        for (coordinate, lanes) in of_axis.iter().enumerate() {
            for (axes, value) in axes.iter_mut().zip(lanes.as_slice()) {
                axes.col_mut(axis)[coordinate] = *value;
            }
        }
    }
    let mut boxes = [Obb { center: DVec3::ZERO, axes: DMat3::IDENTITY, half: DVec3::ZERO, reach: 0.0 }; SETS];
    for (k, obb) in boxes.iter_mut().enumerate() {
        *obb = Obb::with_extents(axes[k], &extents[k]);
    }
    boxes
}

/// Returns the sums of the products of coordinates, from the mean on: xx, xy, xz, yy, yz, zz.
#[inline(always)]
fn covariances<S: Simd>(simd: S, rows: &[Row], lengths: &[usize; SETS]) -> [f64x8<S>; 6] {
    let mut lanes = [0.0; SETS];
    for (lane, &length) in lanes.iter_mut().zip(lengths) {
        *lane = length as f64;
    }
    let counts = f64x8::simd_from(simd, lanes);
    let zero = f64x8::splat(simd, 0.0);
    let shortest = lengths.iter().copied().min().unwrap_or(0);
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let mut sums = [zero; 3];
    for row in &rows[..shortest] {
        for (sum, coordinate) in sums.iter_mut().zip(row) {
            *sum += f64x8::simd_from(simd, *coordinate);
        }
    }
    for (place, row) in rows.iter().enumerate().take(longest).skip(shortest) {
        let is_reached = f64x8::splat(simd, place as f64).simd_lt(counts);
        for (sum, coordinate) in sums.iter_mut().zip(row) {
            *sum = is_reached.select(*sum + f64x8::simd_from(simd, *coordinate), *sum);
        }
    }
    let means = [sums[0] / counts, sums[1] / counts, sums[2] / counts];
    let mut sums = [zero; 6];
    for row in &rows[..shortest] {
        for (sum, product) in sums.iter_mut().zip(products(simd, row, &means)) {
            *sum += product;
        }
    }
    for (place, row) in rows.iter().enumerate().take(longest).skip(shortest) {
        let is_reached = f64x8::splat(simd, place as f64).simd_lt(counts);
        for (sum, product) in sums.iter_mut().zip(products(simd, row, &means)) {
            *sum = is_reached.select(*sum + product, *sum);
        }
    }
    sums
}

/// Returns the products of the coordinates of one point of each set, from the mean on.
#[inline(always)]
fn products<S: Simd>(simd: S, row: &Row, means: &[f64x8<S>; 3]) -> [f64x8<S>; 6] {
    let x = f64x8::simd_from(simd, row[0]) - means[0];
    let y = f64x8::simd_from(simd, row[1]) - means[1];
    let z = f64x8::simd_from(simd, row[2]) - means[2];
    [x * x, x * y, x * z, y * y, y * z, z * z]
}

/// The first two axes of eight frames, or all three, by coordinate.
type AxisLanes<S, const N: usize> = [[f64x8<S>; 3]; N];

/// Returns [`orthonormal`] in each lane. If a lane has no direction, which is rare, all lanes use the scalar function.
#[inline(always)]
fn axes<S: Simd>(simd: S, [first, second]: AxisLanes<S, 2>) -> AxisLanes<S, 3> {
    let (one, zero) = (f64x8::splat(simd, 1.0), f64x8::splat(simd, 0.0));
    let infinity = f64x8::splat(simd, f64::INFINITY);
    let scale = one / dot(&first, &first).sqrt();
    let x = [first[0] * scale, first[1] * scale, first[2] * scale];
    let along = dot(&x, &second);
    let across = [second[0] - x[0] * along, second[1] - x[1] * along, second[2] - x[2] * along];
    let across_scale = one / dot(&across, &across).sqrt();
    let y = [across[0] * across_scale, across[1] * across_scale, across[2] * across_scale];
    let z = [x[1] * y[2] - y[1] * x[2], x[2] * y[0] - y[2] * x[0], x[0] * y[1] - y[0] * x[1]];
    let is_usual = scale.simd_gt(zero)
        & scale.simd_lt(infinity)
        & across_scale.simd_gt(zero)
        & across_scale.simd_lt(infinity)
        & dot(&x, &x).simd_lt(infinity)
        & dot(&y, &y).simd_lt(infinity);
    if is_usual.all_true() {
        return [x, y, z];
    }
    let mut frames = [[[0.0; SETS]; 3]; 3];
    for set in 0..SETS {
        let vector = |v: &[f64x8<S>; 3]| DVec3::new(v[0][set], v[1][set], v[2][set]);
        let frame = orthonormal([vector(&first), vector(&second)]);
        for (axis, of_axis) in frames.iter_mut().enumerate() {
            for (coordinate, lanes) in of_axis.iter_mut().enumerate() {
                lanes[set] = frame.col(axis)[coordinate];
            }
        }
    }
    let mut axes = [[zero; 3]; 3];
    for (lanes, values) in axes.iter_mut().flatten().zip(frames.iter().flatten()) {
        *lanes = f64x8::simd_from(simd, *values);
    }
    axes
}

#[inline(always)]
fn dot<S: Simd>(a: &[f64x8<S>; 3], b: &[f64x8<S>; 3]) -> f64x8<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns the extents of the points of each set along its own axes.
#[inline(always)]
fn extents<S: Simd>(simd: S, rows: &[Row], along: &AxisLanes<S, 3>) -> [Extents; SETS] {
    let mut parts = [Parts::new(simd); 4];
    for (part, of_part) in parts.iter_mut().enumerate() {
        for row in rows.iter().skip(part).step_by(4) {
            of_part.take(simd, row, along);
        }
    }
    let [a, b, c, d] = &parts;
    let (mut low, mut high) = ([[0.0; SETS]; 3], [[0.0; SETS]; 3]);
    for axis in 0..3 {
        let least = less(less(a.low[axis], b.low[axis]), less(c.low[axis], d.low[axis]));
        let most = more(more(a.high[axis], b.high[axis]), more(c.high[axis], d.high[axis]));
        (low[axis], high[axis]) = (least.into(), most.into());
    }
    let squared: [f64; SETS] = more(more(a.squared, b.squared), more(c.squared, d.squared)).into();
    let mut extents = [Extents { low: DVec3::ZERO, high: DVec3::ZERO, squared: 0.0 }; SETS];
    for (set, extents) in extents.iter_mut().enumerate() {
        *extents = Extents {
            low: DVec3::new(low[0][set], low[1][set], low[2][set]),
            high: DVec3::new(high[0][set], high[1][set], high[2][set]),
            squared: squared[set],
        };
    }
    extents
}

/// The extents of every fourth point.
#[derive(Clone, Copy)]
struct Parts<S: Simd> {
    low: [f64x8<S>; 3],
    high: [f64x8<S>; 3],
    squared: f64x8<S>,
}

impl<S: Simd> Parts<S> {
    #[inline(always)]
    fn new(simd: S) -> Parts<S> {
        Parts {
            low: [f64x8::splat(simd, f64::INFINITY); 3],
            high: [f64x8::splat(simd, f64::NEG_INFINITY); 3],
            squared: f64x8::splat(simd, 0.0),
        }
    }

    #[inline(always)]
    fn take(&mut self, simd: S, row: &Row, along: &AxisLanes<S, 3>) {
        let point =
            [f64x8::simd_from(simd, row[0]), f64x8::simd_from(simd, row[1]), f64x8::simd_from(simd, row[2])];
        for (axis, of_axis) in along.iter().enumerate() {
            let projection = dot(of_axis, &point);
            self.low[axis] = less(projection, self.low[axis]);
            self.high[axis] = more(projection, self.high[axis]);
        }
        self.squared = more(dot(&point, &point), self.squared);
    }
}

#[inline(always)]
fn less<S: Simd>(a: f64x8<S>, b: f64x8<S>) -> f64x8<S> {
    a.simd_lt(b).select(a, b)
}

#[inline(always)]
fn more<S: Simd>(a: f64x8<S>, b: f64x8<S>) -> f64x8<S> {
    a.simd_gt(b).select(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn bits(obb: &Obb) -> [[u64; 3]; 6] {
        let Obb { center, axes, half, reach } = obb;
        [*center, axes.x_axis, axes.y_axis, axes.z_axis, *half, DVec3::splat(*reach)]
            .map(|v| v.to_array().map(f64::to_bits))
    }

    /// Eight boxes at once, at every level of vector instructions, and each alone: the same bits. Some sets are flat,
    /// also in a plane through the origin, where zeros of both signs are projected; some lie along an axis or are a
    /// single point, so that lanes end at different times.
    #[test]
    fn side_by_side_changes_no_bit() {
        let state = &mut 5;
        let (mut kinds, mut zeros) = ([0; 6], 0);
        let mut eight = EightSets::default();
        for case in 0..3000_usize {
            let size = 10.0_f64.powi((case % 7) as i32 - 3);
            let sets: [Vec<DVec3>; SETS] = std::array::from_fn(|k| {
                let kind = (case / 3 + k) % 6;
                kinds[kind] += 1;
                let at = DVec3::new(unit(state), unit(state), unit(state));
                let triangles = 1 + case % 5 + if case % 3 == 0 { (case / 3 + 5 * k) % 4 } else { k % 2 };
                let point = |_| {
                    let spread = DVec3::new(unit(state), unit(state), 0.1 * unit(state));
                    match kind {
                        0 => (at + spread * DVec3::new(1.0, 1.0, 0.0)) * size,
                        1 => (at + spread * DVec3::Y) * size,
                        2 => at * size,
                        3 => (at + spread) * DVec3::new(size, size, 0.0),
                        _ => (at + spread) * size,
                    }
                };
                (0..3 * triangles).map(point).collect()
            });
            eight.begin(sets.each_ref().map(Vec::len));
            for (k, set) in sets.iter().enumerate() {
                for (place, corners) in set.as_chunks::<3>().0.iter().enumerate() {
                    eight.set(k, 3 * place, corners);
                }
            }
            let together = eight.boxes();
            let plain = dispatch!(Level::baseline(), simd => boxes(simd, &eight.rows, &eight.lengths));
            for (k, set) in sets.iter().enumerate() {
                let alone = Obb::around(set);
                assert_eq!(bits(&together[k]), bits(&alone), "case {case}, set {k}");
                assert_eq!(bits(&plain[k]), bits(&alone), "case {case}, set {k}");
                zeros += usize::from(alone.center.z == 0.0);
            }
        }
        assert!(kinds.iter().all(|count| *count > 3000) && zeros > 2000, "{kinds:?} {zeros}");
    }
}
