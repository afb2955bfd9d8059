//! The points that may be corners of the convex hull of many: a fast filter before steps that cost more for each point.
//!
//! Most vertices of a machine part are inside of its convex hull. They do not affect the hull or any solid around it.
//! 1. Take a sample of the points, and the farthest points of the sample along some directions. Their hull, an inner
//!    polytope, lies inside the hull of all points.
//! 2. Drop the points that are strictly inside of the inner polytope.
//!
//! # Rounding
//! Let `a`, `b`, `c` be the corners of a face, `e = b − a` and `f = c − a`, and let no point be farther from the origin
//! than `R`. Differences are off by `u` of their sizes, so each coordinate of the computed normal `m` is off from that
//! of `e × f` by `5u |e| |f|`, and the normal by `9u |e| |f|`. A computed height `m · x` is off by `4u |m| R`. A point
//! `x` is strictly below the plane if its computed height is below that of `a` by the sum of `2 · 4u |m| R` and
//! `9u |e| |f| · |x − a|`, which is at most `26u |e| |f| R`. The test requires `64u`, which also covers the roundings
//! of this product.
//!
//! **Guarantee.** A dropped point is strictly inside of the convex hull of the others. It is no corner of the hull, and
//! it is not the farthest point along any direction. The dropped points depend on the points and their order alone.

use fearless_simd::{Level, Simd, dispatch};
use glam::DVec3;

use super::hull::Hull;
use crate::numerics::rounding::UNIT;

/// The least number of points that is worth a filter: below it, the exact hull of the inner polytope costs as much as
/// the filter saves.
const FEW: usize = 1024;

/// The most points that are scanned to choose the corners of the first polytope.
const MOST_SAMPLED: usize = 2048;

/// Below this size, products of two or three lengths might underflow.
const TINY_PRODUCT: f64 = 1e-270;

/// Returns the indices of the points that may be corners of the convex hull of all of them, in order. All others are
/// strictly inside. The points must be finite.
pub(crate) fn outer_points(points: &[DVec3]) -> Vec<u32> {
    let all = || (0..points.len() as u32).collect();
    if points.len() <= FEW {
        return all();
    }
    let columns = Columns::new(points.iter().copied());
    let step = points.len().div_ceil(MOST_SAMPLED);
    match inner_faces(&Columns::new(points.iter().step_by(step).copied()), &columns) {
        Some(faces) => dispatch!(Level::new(), simd => outside(simd, &columns, &faces)),
        None => all(),
    }
}

/// A plane: a point `x` is certainly below it if the computed `normal · x` is less than `height`.
struct Face {
    normal: DVec3,
    height: f64,
}

/// Returns the faces of the hull of points of the sample, for tests of `all` points; `None` if they are flat or the
/// arithmetic might fail.
fn inner_faces(sample: &Columns, all: &Columns) -> Option<Vec<Face>> {
    let corners: Vec<DVec3> = directions().flat_map(|direction| sample.farthest(direction)).collect();
    let hull = Hull::new(&corners).ok().filter(|hull| hull.dimension() == 3 && hull.is_exact())?;
    let reach = all.reach();
    let face = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|v| hull.vertices()[v as usize]);
        let (e, f) = (b - a, c - a);
        let normal = e.cross(f);
        let area = e.length() * f.length();
        let size = area * reach;
        let height = normal.dot(a) - 64.0 * UNIT * size;
        let is_normal = area > TINY_PRODUCT && size > TINY_PRODUCT && size.is_finite();
        is_normal.then_some(Face { normal, height })
    };
    hull.faces().iter().map(face).collect()
}

/// Returns one of each two opposite directions along the axes and along the diagonals between them.
fn directions() -> impl Iterator<Item = DVec3> {
    let signs = [-1.0, 0.0, 1.0];
    let all = signs.into_iter().flat_map(move |x| {
        signs.into_iter().flat_map(move |y| signs.into_iter().map(move |z| DVec3::new(x, y, z)))
    });
    // The first half of all 27 combinations; the next one is zero.
    all.take(13)
}

/// The number of points that are processed at a time.
const LANES: usize = 8;

/// Points by coordinate. The lists are filled up to whole lanes by repeating the last point.
pub(super) struct Columns {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    len: usize,
}

/// The coordinates of one point for each lane.
type Lanes<'a> = [&'a [f64; LANES]; 3];

impl Columns {
    /// Takes at least one point.
    pub(super) fn new(points: impl ExactSizeIterator<Item = DVec3>) -> Columns {
        let len = points.len();
        let room = len.next_multiple_of(LANES);
        let [mut x, mut y, mut z] = [0; 3].map(|_| Vec::with_capacity(room));
        for point in points {
            x.push(point.x);
            y.push(point.y);
            z.push(point.z);
        }
        for list in [&mut x, &mut y, &mut z] {
            list.resize(room, list[len - 1]);
        }
        Columns { x, y, z, len }
    }

    fn at(&self, i: usize) -> DVec3 {
        DVec3::new(self.x[i], self.y[i], self.z[i])
    }

    /// Returns the largest distance from the origin, up to rounding, or more.
    fn reach(&self) -> f64 {
        let most =
            |list: &[f64]| list.iter().fold(0.0, |most: f64, c| if c.abs() > most { c.abs() } else { most });
        DVec3::new(most(&self.x), most(&self.y), most(&self.z)).length()
    }

    /// Returns the points that are farthest along a direction and along the opposite one.
    fn farthest(&self, direction: DVec3) -> [DVec3; 2] {
        dispatch!(Level::new(), simd => ends(simd, self, direction)).map(|i| self.at(i))
    }

    /// Returns the largest height along a direction, the next largest, and the number of the highest point.
    pub(super) fn two_highest(&self, direction: DVec3) -> (f64, f64, usize) {
        dispatch!(Level::new(), simd => two_highest(simd, self, direction))
    }

    /// Returns the number of points that are not below a range of heights along a direction, and the number of points
    /// that are not above it. A NaN counts as neither below nor above.
    pub(super) fn counts(&self, direction: DVec3, range: [f64; 2]) -> [usize; 2] {
        dispatch!(Level::new(), simd => counts(simd, self, direction, range))
    }

    #[inline(always)]
    fn lanes(&self) -> impl Iterator<Item = Lanes<'_>> {
        let [x, y, z] = [&self.x, &self.y, &self.z].map(|list| list.as_chunks::<LANES>().0);
        x.iter().zip(y).zip(z).map(
            #[inline(always)]
            |((x, y), z)| [x, y, z],
        )
    }
}

// The functions below are compiled for every level of vector instructions. All levels compute the same bits: no
// operation is reordered or fused. `if` instead of `f64::max` compiles to one instruction.

#[inline(always)]
fn heights([x, y, z]: Lanes<'_>, direction: DVec3) -> [f64; LANES] {
    let mut heights = [0.0; LANES];
    for i in 0..LANES {
        heights[i] = x[i] * direction.x + y[i] * direction.y + z[i] * direction.z;
    }
    heights
}

/// Returns the places of the lowest and the highest point along a direction.
#[inline(always)]
fn ends<S: Simd>(_: S, points: &Columns, direction: DVec3) -> [usize; 2] {
    let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    // Numbers of points are exact in floating point.
    let (mut low_at, mut high_at) = ([0.0; LANES], [0.0; LANES]);
    let mut first = 0.0;
    for lanes in points.lanes() {
        let heights = heights(lanes, direction);
        for i in 0..LANES {
            let (is_lower, is_higher) = (heights[i] < low[i], heights[i] > high[i]);
            low[i] = if is_lower { heights[i] } else { low[i] };
            low_at[i] = if is_lower { first } else { low_at[i] };
            high[i] = if is_higher { heights[i] } else { high[i] };
            high_at[i] = if is_higher { first } else { high_at[i] };
        }
        first += LANES as f64;
    }
    let lowest = (1..LANES).fold(0, |best, i| if low[i] < low[best] { i } else { best });
    let highest = (1..LANES).fold(0, |best, i| if high[i] > high[best] { i } else { best });
    [low_at[lowest] as usize + lowest, high_at[highest] as usize + highest]
}

/// Returns the points that are not below all faces.
#[inline(always)]
fn outside<S: Simd>(_: S, points: &Columns, faces: &[Face]) -> Vec<u32> {
    let mut kept = Vec::with_capacity(points.len);
    for (block, lanes) in points.lanes().enumerate() {
        let mut above = [f64::NEG_INFINITY; LANES];
        for face in faces {
            let heights = heights(lanes, face.normal);
            for i in 0..LANES {
                let height = heights[i] - face.height;
                above[i] = if height > above[i] { height } else { above[i] };
            }
        }
        // A difference is negative only if the first number is the smaller one.
        for (i, above) in above.iter().enumerate().take(points.len - block * LANES) {
            if *above >= 0.0 {
                kept.push((block * LANES + i) as u32);
            }
        }
    }
    kept
}

#[inline(always)]
fn two_highest<S: Simd>(_: S, points: &Columns, direction: DVec3) -> (f64, f64, usize) {
    let (mut most, mut second) = ([f64::NEG_INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let mut at = [0.0; LANES];
    let mut first = 0.0;
    // The last block may repeat a point, which must not count twice.
    for lanes in points.lanes().take(points.len / LANES) {
        let heights = heights(lanes, direction);
        for i in 0..LANES {
            let is_higher = heights[i] > most[i];
            let lower = if is_higher { most[i] } else { heights[i] };
            second[i] = if lower > second[i] { lower } else { second[i] };
            most[i] = if is_higher { heights[i] } else { most[i] };
            at[i] = if is_higher { first } else { at[i] };
        }
        first += LANES as f64;
    }
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let mut best = (f64::NEG_INFINITY, f64::NEG_INFINITY, 0);
    let mut take = |height: f64, next: f64, number: usize| {
        best = if height > best.0 {
            (height, larger(best.0, larger(best.1, next)), number)
        } else {
            (best.0, larger(height, best.1), best.2)
        };
    };
    for i in 0..LANES {
        take(most[i], second[i], at[i] as usize + i);
    }
    for i in points.len / LANES * LANES..points.len {
        let height = points.x[i] * direction.x + points.y[i] * direction.y + points.z[i] * direction.z;
        take(height, f64::NEG_INFINITY, i);
    }
    best
}

#[inline(always)]
fn counts<S: Simd>(_: S, points: &Columns, direction: DVec3, [low, high]: [f64; 2]) -> [usize; 2] {
    let (mut below, mut above) = ([0_u64; LANES], [0_u64; LANES]);
    let mut last = [0.0; LANES];
    for lanes in points.lanes() {
        last = heights(lanes, direction);
        for i in 0..LANES {
            below[i] += u64::from(last[i] < low);
            above[i] += u64::from(last[i] > high);
        }
    }
    // The points that fill up the last block are equal to its last one.
    let repeated = points.x.len() - points.len;
    let count = |lanes: [u64; LANES], is_counted: bool| {
        lanes.iter().sum::<u64>() as usize - if is_counted { repeated } else { 0 }
    };
    let [below, above] = [count(below, last[LANES - 1] < low), count(above, last[LANES - 1] > high)];
    [points.len - below, points.len - above]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// The corners of the hull are never dropped, and the outer points alone have the same hull: balls, boxes with
    /// points on and next to their sides, thin discs, far from the origin and near it, large and small.
    #[test]
    fn outer_points_have_the_same_hull() {
        let state = &mut 11;
        let (mut dropped, mut all) = (0, 0);
        for round in 0..96 {
            let size = [1.0, 1e-90, 1e90, 1e-3][round / 4 % 4];
            let offset = [0.0, 1e3][round / 16 % 2];
            let points: Vec<DVec3> = (0..1000 + 20 * round)
                .map(|_| {
                    let p = DVec3::new(unit(state), unit(state), unit(state));
                    let place = match round % 4 {
                        0 => p.normalize_or(DVec3::X) * if unit(state) > 0.0 { 1.0 } else { unit(state) },
                        1 => (p * 1.2).clamp(DVec3::NEG_ONE, DVec3::ONE),
                        2 => (p * 1.2).clamp(DVec3::NEG_ONE, DVec3::ONE) * (1.0 - 1e-15 * unit(state).abs()),
                        _ => {
                            let around = DVec3::new(p.x, p.y, 0.0).normalize_or(DVec3::X);
                            around * if unit(state) > 0.0 { 1.0 } else { p.y } + DVec3::Z * (1e-6 * p.z)
                        }
                    };
                    (place + DVec3::X * offset) * size
                })
                .collect();
            let outer = outer_points(&points);
            let some: Vec<DVec3> = outer.iter().map(|&i| points[i as usize]).collect();
            let corners = Hull::extreme_points(&points).unwrap();
            let of_outer = Hull::extreme_points(&some).unwrap();
            let of_outer: Vec<u32> = of_outer.into_iter().map(|i| outer[i as usize]).collect();
            assert_eq!(corners, of_outer, "round {round}");
            dropped += points.len() - outer.len();
            all += points.len();
        }
        assert!(dropped * 4 > all, "{dropped} of {all}");
    }

    /// Points in a plane have no inside, and points so small that products underflow are all kept.
    #[test]
    fn flat_and_tiny_points_are_kept() {
        let state = &mut 13;
        let flat: Vec<DVec3> = (0..1300).map(|_| DVec3::new(unit(state), unit(state), 0.0)).collect();
        assert_eq!(outer_points(&flat).len(), 1300);
        let tiny: Vec<DVec3> =
            (0..1300).map(|_| DVec3::new(unit(state), unit(state), unit(state)) * 1e-95).collect();
        assert_eq!(outer_points(&tiny).len(), 1300);
    }

    /// The two largest heights are those of a plain loop.
    #[test]
    fn two_highest_are_found() {
        let state = &mut 17;
        for count in 1..60 {
            let points: Vec<DVec3> =
                (0..count).map(|_| DVec3::new(unit(state), unit(state), unit(state))).collect();
            let direction = DVec3::new(unit(state), unit(state), unit(state));
            let mut heights: Vec<(f64, usize)> = points
                .iter()
                .map(|p| p.x * direction.x + p.y * direction.y + p.z * direction.z)
                .zip(0..)
                .collect();
            heights.sort_by(|p, q| q.0.total_cmp(&p.0));
            let second = heights.get(1).map_or(f64::NEG_INFINITY, |(height, _)| *height);
            let found = Columns::new(points.iter().copied()).two_highest(direction);
            assert_eq!(found, (heights[0].0, second, heights[0].1));
        }
    }
}
