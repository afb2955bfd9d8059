//! A coarse outer bound of a convex hull: few corners, swept by a ball.
//!
//! The hull of a robot link has hundreds or thousands of corners, but nearly every query only needs to know that the
//! link is well away from another body. A few dozen corners are enough for that, if the margin accounts for the other
//! corners.
//! 1. The core starts with the points that are farthest along the axes and along the diagonals between them.
//! 2. The point farthest from the core is added to it, until no point is farther than the requested accuracy or the
//!    core has enough corners. Distances only shrink while the core grows, so earlier distances are upper bounds. A
//!    heap holds them, and most points are evaluated only a few times.
//! 3. The margin is the largest remaining distance. The core swept by a ball of that radius contains every point, and
//!    therefore their hull.
//!
//! Each point may be a ball with its own radius.
//!
//! **Guarantee.** The input lies within [`RoundedHull`], up to the rounding that [`Convex`] states for every solid. A
//! distance is that of a convex combination of corners (GJK's upper bound), so it is never too small, even if the
//! search has not converged. Its rounding is added to the margin.

use std::collections::BinaryHeap;

use fearless_simd::{Level, Simd, dispatch};
use glam::{DMat3, DVec3};

use super::gjk::Gjk;
use crate::answer::Feature;
use crate::motion::PoseAt;
use crate::numerics::bound::{largest_upper, smallest_lower, upper_if_known, upper_max, upper_or_zero};
use crate::numerics::rounding::{TINY_LENGTH, UNIT, up};
use crate::shape::Convex;
use crate::shape::convex::bounds_of;

/// A ball that a [`RoundedHull`] must contain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ball {
    pub(crate) center: DVec3,
    pub(crate) radius: f64,
}

/// A convex solid with few corners, swept by a ball.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RoundedHull {
    blocks: Vec<Block>,
    margin: f64,
    core_reach: f64,
    reach: f64,
    bounds: (DVec3, DVec3),
    radius: f64,
}

impl RoundedHull {
    /// Builds the hull around `balls`, which must not be empty. It has at most `most` corners (but at least eight), and
    /// no more corners than a margin of `accuracy` needs.
    pub(crate) fn new(balls: &[Ball], most: usize, accuracy: f64) -> RoundedHull {
        RoundedHull::around(balls, balls, most, accuracy)
    }

    /// Returns the same hull, for `contents` that lie in the convex hull of `balls`. Its box and its bounding ball are
    /// those of the contents.
    pub(crate) fn around(balls: &[Ball], contents: &[Ball], most: usize, accuracy: f64) -> RoundedHull {
        let reach = largest_upper(balls.iter().map(|b| b.center.length())) * (1.0 + 8.0 * UNIT) + TINY_LENGTH;
        let mut core = Core::default();
        let centers = Centers::of(balls);
        for direction in directions() {
            if let Some(ball) = centers.farthest(direction)
                && !core.corners.contains(&balls[ball].center)
                && core.corners.len() < most
            {
                core.push(balls[ball].center);
            }
        }
        // In the first round, balls come in the order of their numbers, and neighbours have close numbers: the simplex
        // of one is a good start for the next. They enter the heap with the distance of this round.
        let mut unseen = 0..balls.len();
        let mut open: BinaryHeap<UncoveredBall> = BinaryHeap::with_capacity(balls.len());
        let rounding = 64.0 * UNIT * reach;
        let mut search = Gjk::default();
        let margin = loop {
            let next = unseen.next().or_else(|| open.pop().map(|uncovered| uncovered.ball));
            let Some(ball) = next else { break 0.0 };
            let Ball { center, radius } = balls[ball];
            let distance = core.distance(center, reach, &mut search) + radius;
            let is_first_round = !unseen.is_empty() && distance < f64::INFINITY;
            if is_first_round || open.peek().is_some_and(|next| next.distance > distance) {
                open.push(UncoveredBall { distance, ball });
            } else if distance - radius <= accuracy.max(rounding) || core.corners.len() >= most.max(8) {
                // The earlier distances of all other balls are upper bounds, and no distance is larger.
                break upper_or_zero(distance);
            } else {
                // The centre is covered now; the rest of the ball may not be.
                core.push(center);
                open.push(UncoveredBall { distance: f64::INFINITY, ball });
            }
        };
        let inner =
            largest_upper(contents.iter().map(|b| b.center.length())) * (1.0 + 8.0 * UNIT) + TINY_LENGTH;
        let whole: Vec<DVec3> = contents
            .iter()
            .flat_map(|ball| {
                [ball.center - DVec3::splat(ball.radius), ball.center + DVec3::splat(ball.radius)]
            })
            .collect();
        let bounds = bounds_of(&whole);
        let radius = largest_upper(contents.iter().map(|b| (b.center - bounds.0).length() + b.radius));
        RoundedHull {
            blocks: core.blocks,
            margin: up(margin),
            core_reach: up(reach),
            reach: up(up(reach) + margin),
            // The corners of the boxes of the balls may have been rounded inwards once.
            bounds: (bounds.0, bounds.1 + DVec3::splat(4.0 * UNIT * (inner + margin))),
            radius: radius * (1.0 + 16.0 * UNIT) + 16.0 * UNIT * inner,
        }
    }

    /// Returns a solid around the images of all corners under at least one affine map. The images are swept by the
    /// margin and by `off`.
    pub(crate) fn images(&self, maps: &[PoseAt], off: f64) -> RoundedHull {
        let mut blocks = Vec::with_capacity(maps.len() * self.blocks.len());
        for map in maps {
            blocks.extend(self.blocks.iter().map(|block| block.image(map)));
        }
        let coordinates = |of: fn(&Block) -> &[f64; LANES]| blocks.iter().flat_map(of).copied();
        let box_of = |of: fn(&Block) -> &[f64; LANES]| {
            (smallest_lower(coordinates(of)), -smallest_lower(coordinates(of).map(|c| -c)))
        };
        let (x, y, z) = (box_of(|block| &block.x), box_of(|block| &block.y), box_of(|block| &block.z));
        let (low, high) = (DVec3::new(x.0, y.0, z.0), DVec3::new(x.1, y.1, z.1));
        let (margin, reach) = (up(self.margin + off), largest_upper(coordinates(|block| &block.length)));
        let rounding = 16.0 * UNIT * (reach + margin);
        let half = 0.5 * (high - low) + DVec3::splat(margin + rounding);
        RoundedHull {
            blocks,
            margin,
            core_reach: up(reach),
            reach: up(up(reach) + margin),
            bounds: (0.5 * low + 0.5 * high, half),
            radius: half.length() * (1.0 + 16.0 * UNIT),
        }
    }

    /// Returns the same solid in another frame, given the pose of this frame in it. `off` bounds the position error of
    /// its placed points.
    pub(crate) fn placed(&self, pose: &PoseAt, off: f64) -> RoundedHull {
        let mut blocks = self.blocks.clone();
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let mut most = 0.0_f64;
        for block in &mut blocks {
            for (i, corner) in block.corners().into_iter().enumerate() {
                let corner = pose.apply(corner);
                block.set(i..i + 1, corner);
                (low, high) = (low.min(corner), high.max(corner));
                most = upper_max(most, block.length[i]);
            }
        }
        let margin = up(self.margin + off);
        let center = 0.5 * low + 0.5 * high;
        // The smaller of two bounding balls is used: the old one, moved with the solid, and the one around the corners
        // swept by the margin.
        let moved = (pose.apply(self.bounds.0) - center).length() + self.radius + off;
        let corners = blocks.iter().flat_map(Block::corners);
        let around = largest_upper(corners.map(|corner| (corner - center).length())) + margin;
        let rounding = 16.0 * UNIT * (most + margin);
        RoundedHull {
            blocks,
            margin,
            core_reach: up(most),
            reach: up(up(most) + margin),
            bounds: (center, 0.5 * (high - low) + DVec3::splat(margin + rounding)),
            radius: moved.min(around) * (1.0 + 16.0 * UNIT) + rounding,
        }
    }

    /// Returns balls whose convex hull is the solid.
    pub(crate) fn balls(&self) -> impl Iterator<Item = Ball> + '_ {
        let corners = self.blocks.iter().flat_map(Block::corners);
        corners.map(|center| Ball { center, radius: self.margin })
    }

    /// Returns the radius of a ball that contains the contents of the solid, centred at the centre of the box of
    /// [`Convex::bounds`].
    pub(crate) fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns a lower bound of heights that are known at three instants, minimised over the corners `v`. At instant
    /// `k` the height of `v` is `f_k = along[k] · v + offset[k]`. The bound is
    /// `min(f_0, f_1, f_2) − max(0, f_0 − 2 f_1 + f_2) / 8 − stray |v|`, less the margin. It is a concave function of
    /// `v`, so it holds for the whole solid. It is `-inf` if an argument is infinite, NaN, or so large that a height
    /// might overflow.
    pub(crate) fn lowest(&self, along: &[DVec3; 3], offset: &[f64; 3], stray: f64) -> f64 {
        // A sum of sizes is at least each of them, and NaN if one of them is.
        let size = (along[0].abs() + along[1].abs() + along[2].abs()).element_sum()
            + (offset[0].abs() + offset[1].abs() + offset[2].abs())
            + stray.abs();
        if size.is_nan() || size > LARGEST_ARGUMENT {
            return f64::NEG_INFINITY;
        }
        dispatch!(Level::new(), simd => lowest(simd, &self.blocks, along, offset, stray)) - self.margin
    }
}

impl Convex for RoundedHull {
    fn support(&self, direction: DVec3) -> DVec3 {
        support(&self.blocks, direction)
    }

    fn extent(&self, direction: DVec3) -> f64 {
        upper_if_known(dispatch!(Level::new(), simd => highest(simd, &self.blocks, direction))) + self.margin
    }

    fn margin(&self) -> f64 {
        self.margin
    }

    fn reach(&self) -> f64 {
        self.reach
    }

    fn core_reach(&self) -> f64 {
        self.core_reach
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        self.bounds
    }

    /// Returns face 0: a rounded hull represents another solid and has no features.
    fn feature(&self, _point: DVec3, _normal: DVec3) -> Feature {
        Feature::Face(0)
    }
}

/// The centres of balls, stored by coordinate.
struct Centers {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
}

impl Centers {
    fn of(balls: &[Ball]) -> Centers {
        let column = |axis: usize| balls.iter().map(|ball| ball.center[axis]).collect();
        Centers { x: column(0), y: column(1), z: column(2) }
    }

    /// Returns the ball whose centre is farthest along a direction, the last one of several. Heights are compared as
    /// integers in the order of [`f64::total_cmp`].
    fn farthest(&self, direction: DVec3) -> Option<usize> {
        dispatch!(Level::new(), simd => farthest(simd, self, direction))
    }
}

/// Runs the loop of [`Centers::farthest`]. It computes the same bits for every level of vector instructions.
#[inline(always)]
fn farthest<S: Simd>(_: S, Centers { x, y, z }: &Centers, direction: DVec3) -> Option<usize> {
    let height = |x: f64, y: f64, z: f64| rank(x * direction.x + y * direction.y + z * direction.z);
    // Each lane keeps its highest rank and the last index that has it.
    let (mut most, mut at) = ([i64::MIN; LANES], [0_i64; LANES]);
    let mut indices: [i64; LANES] = std::array::from_fn(|i| i as i64);
    let (x_blocks, x_rest) = x.as_chunks::<LANES>();
    let (y_blocks, y_rest) = y.as_chunks::<LANES>();
    let (z_blocks, z_rest) = z.as_chunks::<LANES>();
    for ((x, y), z) in x_blocks.iter().zip(y_blocks).zip(z_blocks) {
        for i in 0..LANES {
            let rank = height(x[i], y[i], z[i]);
            let is_lower = most[i] > rank;
            most[i] = if is_lower { most[i] } else { rank };
            at[i] = if is_lower { at[i] } else { indices[i] };
            indices[i] += LANES as i64;
        }
    }
    // not a bound: indices
    let mut best = if x_blocks.is_empty() { None } else { most.into_iter().zip(at).max() };
    let first = (x.len() - x_rest.len()) as i64;
    for (((index, x), y), z) in (first..).zip(x_rest).zip(y_rest).zip(z_rest) {
        let found = (height(*x, *y, *z), index);
        best = Some(best.map_or(found, |best| best.max(found))); // not a bound: indices
    }
    best.map(|(_, index)| index as usize)
}

/// Returns an integer for each number, in the order of [`f64::total_cmp`].
#[inline]
fn rank(number: f64) -> i64 {
    let bits = number.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// Returns the axes first, then the diagonals of three axes, then those of two.
fn directions() -> impl Iterator<Item = DVec3> {
    let signs = [-1.0, 0.0, 1.0];
    let all = signs.into_iter().flat_map(move |x| {
        signs.into_iter().flat_map(move |y| signs.into_iter().map(move |z| DVec3::new(x, y, z)))
    });
    [1.0, 3.0, 2.0]
        .into_iter()
        .flat_map(move |squares| all.clone().filter(move |d| d.length_squared() == squares))
}

/// The largest size of an argument whose products with coordinates (at most 1e100), and a few sums of these, are
/// finite.
const LARGEST_ARGUMENT: f64 = 1e200;

/// The number of corners that are processed at a time.
const LANES: usize = 8;

/// Corners stored by coordinate, with upper bounds of their distances from the origin. A block that is not full
/// repeats its first corner.
#[derive(Debug, Clone, PartialEq)]
struct Block {
    x: [f64; LANES],
    y: [f64; LANES],
    z: [f64; LANES],
    length: [f64; LANES],
}

impl Block {
    #[inline(always)]
    fn heights(&self, direction: DVec3) -> [f64; LANES] {
        std::array::from_fn(|i| self.x[i] * direction.x + self.y[i] * direction.y + self.z[i] * direction.z)
    }

    fn corners(&self) -> [DVec3; LANES] {
        std::array::from_fn(|i| DVec3::new(self.x[i], self.y[i], self.z[i]))
    }

    /// Returns the same block under an affine map.
    fn image(&self, PoseAt { rotation, translation }: &PoseAt) -> Block {
        let none = [0.0; LANES];
        let mut image = Block { x: none, y: none, z: none, length: none };
        let DMat3 { x_axis: a, y_axis: b, z_axis: c } = rotation;
        for i in 0..LANES {
            let (x, y, z) = (self.x[i], self.y[i], self.z[i]);
            image.x[i] = a.x * x + b.x * y + c.x * z + translation.x;
            image.y[i] = a.y * x + b.y * y + c.y * z + translation.y;
            image.z[i] = a.z * x + b.z * y + c.z * z + translation.z;
            let square = image.x[i] * image.x[i] + image.y[i] * image.y[i] + image.z[i] * image.z[i];
            image.length[i] = square.sqrt() * (1.0 + 16.0 * UNIT) + TINY_LENGTH;
        }
        image
    }

    fn set(&mut self, lanes: std::ops::Range<usize>, corner: DVec3) {
        for i in lanes {
            (self.x[i], self.y[i], self.z[i]) = corner.into();
            self.length[i] = up(corner.length() * (1.0 + 8.0 * UNIT)) + TINY_LENGTH;
        }
    }
}

/// Runs the loop of [`RoundedHull::lowest`], without the margin. It is compiled for every level of vector instructions;
/// all levels compute the same bits, because no operation is reordered or fused.
#[inline(always)]
fn lowest<S: Simd>(_: S, blocks: &[Block], along: &[DVec3; 3], offset: &[f64; 3], stray: f64) -> f64 {
    let mut lowest = [f64::INFINITY; LANES];
    for block in blocks {
        for (i, lowest) in lowest.iter_mut().enumerate() {
            let (x, y, z) = (block.x[i], block.y[i], block.z[i]);
            let height = |k: usize| along[k].x * x + along[k].y * y + along[k].z * z + offset[k];
            let (f_0, f_1, f_2) = (height(0), height(1), height(2));
            let bend = (f_0 + f_2) - (f_1 + f_1);
            let bend = if bend > 0.0 { bend } else { 0.0 };
            let ends = if f_0 < f_2 { f_0 } else { f_2 };
            let least = if f_1 < ends { f_1 } else { ends };
            let low = least - (0.125 * bend + stray * block.length[i]);
            *lowest = if low < *lowest { low } else { *lowest };
        }
    }
    // No comparison with a NaN is true, so no NaN is in here. The choice between equal values does not matter.
    halved(lowest, |low, least| if low < least { low } else { least })
}

/// Returns the largest height of the corners along a direction; `-inf` if all are NaN.
#[inline(always)]
fn highest<S: Simd>(_: S, blocks: &[Block], direction: DVec3) -> f64 {
    let mut most = [f64::NEG_INFINITY; LANES];
    for block in blocks {
        let heights = block.heights(direction);
        for (most, height) in most.iter_mut().zip(heights) {
            *most = if height > *most { height } else { *most };
        }
    }
    halved(most, |height, most| if height > most { height } else { most })
}

/// Returns one of the lanes, by choosing between pairs of them: halving keeps the choices independent.
#[inline(always)]
fn halved(mut lanes: [f64; LANES], choose: impl Fn(f64, f64) -> f64) -> f64 {
    let mut half = LANES / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] = choose(lanes[i + half], lanes[i]);
        }
        half /= 2;
    }
    lanes[0]
}

fn support(blocks: &[Block], direction: DVec3) -> DVec3 {
    dispatch!(Level::new(), simd => support_of(simd, blocks, direction))
}

/// Returns the corner with the largest height, the first one of several.
#[allow(clippy::needless_range_loop, reason = "the same lane of several arrays")]
#[inline(always)]
fn support_of<S: Simd>(_: S, blocks: &[Block], direction: DVec3) -> DVec3 {
    // Each lane keeps its largest height and the first block that has it; numbers of corners are exact in floating
    // point.
    let (mut most, mut at) = ([f64::NEG_INFINITY; LANES], [0.0; LANES]);
    let mut first = 0.0;
    for block in blocks {
        let heights = block.heights(direction);
        for i in 0..LANES {
            // `if` compiles to one instruction, because it need not treat NaN separately.
            let is_higher = heights[i] > most[i];
            most[i] = if is_higher { heights[i] } else { most[i] };
            at[i] = if is_higher { first } else { at[i] };
        }
        first += LANES as f64;
    }
    let highest = halved(most, |height, most| if height > most { height } else { most });
    let mut corner = [0.0; LANES];
    for i in 0..LANES {
        corner[i] = if most[i] == highest { at[i] + i as f64 } else { f64::INFINITY };
    }
    let corner = halved(corner, |other, corner| if other < corner { other } else { corner }) as usize;
    let (block, i) = (&blocks[corner / LANES], corner % LANES);
    DVec3::new(block.x[i], block.y[i], block.z[i])
}

/// The corners while they are being chosen.
#[derive(Debug, Default)]
struct Core {
    corners: Vec<DVec3>,
    blocks: Vec<Block>,
    /// The largest distance of a corner from the origin.
    farthest: f64,
}

impl Core {
    fn push(&mut self, corner: DVec3) {
        let lane = self.corners.len() % LANES;
        if lane == 0 {
            let none = [0.0; LANES];
            self.blocks.push(Block { x: none, y: none, z: none, length: none });
        }
        self.corners.push(corner);
        self.farthest = upper_max(self.farthest, corner.length());
        if let Some(block) = self.blocks.last_mut() {
            // The first corner fills the whole block; each later one overwrites its own lane.
            block.set(if lane == 0 { 0..LANES } else { lane..lane + 1 }, corner);
        }
    }

    /// Returns an upper bound of the distance from a point to the core. The point must be no farther from the origin
    /// than `reach`.
    fn distance(&self, point: DVec3, reach: f64, search: &mut Gjk) -> f64 {
        if self.corners.contains(&point) {
            return 0.0;
        }
        let here = PoseAt { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };
        // The point is the origin of its own frame, so a simplex of the search stays one for another point.
        let there = PoseAt { translation: point, ..here };
        let found = search.closest_points(self, &PointSolid, &[here, there], |distance| 0.05 * distance);
        let [on_core, _] = found.points;
        // The weights of the combination add up to 1 within 8 roundings; its three sums and the difference add as
        // many; the length has 6. All are relative to sizes of at most `reach`.
        (on_core - point).length() + 64.0 * UNIT * reach
    }
}

impl Convex for Core {
    fn support(&self, direction: DVec3) -> DVec3 {
        support(&self.blocks, direction)
    }

    fn extent(&self, direction: DVec3) -> f64 {
        direction.dot(self.support(direction))
    }

    fn reach(&self) -> f64 {
        self.farthest * (1.0 + 8.0 * UNIT) + TINY_LENGTH
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        bounds_of(&self.corners)
    }

    fn feature(&self, _point: DVec3, _normal: DVec3) -> Feature {
        Feature::Face(0)
    }
}

/// The origin as a convex solid.
struct PointSolid;

impl Convex for PointSolid {
    fn support(&self, _direction: DVec3) -> DVec3 {
        DVec3::ZERO
    }

    fn extent(&self, _direction: DVec3) -> f64 {
        0.0
    }

    fn reach(&self) -> f64 {
        0.0
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        (DVec3::ZERO, DVec3::ZERO)
    }

    fn feature(&self, _point: DVec3, _normal: DVec3) -> Feature {
        Feature::Vertex(0)
    }
}

/// A ball that may stick out of the core, and an upper bound of the distance by which it does. The farthest ball
/// compares as the largest.
#[derive(Debug, Clone, Copy, PartialEq)]
struct UncoveredBall {
    distance: f64,
    ball: usize,
}

impl Eq for UncoveredBall {}

impl Ord for UncoveredBall {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.distance.total_cmp(&other.distance).then(other.ball.cmp(&self.ball))
    }
}

impl PartialOrd for UncoveredBall {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// In many directions, the support values of the balls are never above those of the rounded hull. The margin is
    /// as small as a round body with that many corners allows.
    #[test]
    fn the_rounded_hull_contains_its_input() {
        let state = &mut 7;
        for (count, most, radius) in
            [(1, 8, 0.0), (2, 8, 0.25), (3, 8, 0.0), (500, 24, 0.0), (2000, 64, 0.01)]
        {
            let balls: Vec<Ball> = (0..count)
                .map(|_| {
                    let v = DVec3::new(unit(state), unit(state), unit(state)).normalize();
                    Ball { center: DVec3::new(1.0, 2.0, 3.0) + v * DVec3::new(1.0, 0.5, 0.3), radius }
                })
                .collect();
            let hull = RoundedHull::new(&balls, most, 0.0);
            assert!(
                hull.margin() <= radius + if count > 8 { 0.15 } else { 1e-12 },
                "{count}: {}",
                hull.margin()
            );
            let (center, half) = hull.bounds();
            // Placed with an error, the hull has room for that error on all sides.
            let pose = PoseAt { rotation: DMat3::IDENTITY, translation: DVec3::new(0.0, -1.0, 2.0) };
            let placed = hull.placed(&pose, 0.25);
            assert!(placed.margin() >= hull.margin() + 0.25);
            let farthest =
                balls.iter().fold(0.0_f64, |most, ball| most.max(ball.center.length() + ball.radius));
            assert!(hull.reach() >= farthest - 1e-14);
            for _ in 0..1000 {
                let n = DVec3::new(unit(state), unit(state), unit(state)).normalize();
                let exact = balls.iter().fold(f64::NEG_INFINITY, |m, b| m.max(n.dot(b.center) + b.radius));
                assert!(hull.extent(n) >= exact - 1e-14);
                assert!(hull.extent(n) <= exact + hull.margin() - radius + 1e-12);
                assert!(n.dot(center) + hull.radius() >= exact - 1e-14);
                assert!(n.dot(center) + half.dot(n.abs()) >= exact - 1e-14);
                assert!(n.dot(hull.support(n)) + hull.margin() >= exact - 1e-14);
                // At rest, the bound over three instants is the height itself.
                let low = hull.lowest(&[-n; 3], &[0.0; 3], 0.0);
                assert!((low + hull.extent(n)).abs() <= 1e-13);
            }
        }
    }

    /// Points that move on parabolas in time: the bound is below every height at every time, and it is attained.
    #[test]
    fn the_bound_over_three_instants() {
        let state = &mut 3;
        for _ in 0..2000 {
            let v = DVec3::new(unit(state), unit(state), unit(state));
            let hull = RoundedHull::new(&[Ball { center: v, radius: 0.0 }], 8, 0.0);
            let along: [DVec3; 3] =
                std::array::from_fn(|_| DVec3::new(unit(state), unit(state), unit(state)));
            let f = along.map(|n| n.dot(v));
            let low = hull.lowest(&along, &[0.0; 3], 0.0);
            // The parabola through (−1, f_0), (0, f_1), (1, f_2).
            let at = |t: f64| f[1] + 0.5 * (f[2] - f[0]) * t + 0.5 * (f[0] - 2.0 * f[1] + f[2]) * t * t;
            let least = (0..=1000).map(|i| at(-1.0 + 0.002 * f64::from(i))).fold(f64::INFINITY, f64::min);
            assert!(low <= least + 1e-12);
            assert!(low >= least - 0.5 * (f[0] - 2.0 * f[1] + f[2]).abs());
        }
    }

    /// The vector instructions of this machine and the least that every machine has compute the same bits.
    #[test]
    fn wider_instructions_change_no_bit() {
        let state = &mut 11;
        for count in [1, 7, 8, 9, 40, 200] {
            let balls: Vec<Ball> = (0..count)
                .map(|_| Ball { center: DVec3::new(unit(state), unit(state), unit(state)), radius: 0.0 })
                .collect();
            let blocks = &RoundedHull::new(&balls, 32, 0.0).blocks;
            for _ in 0..200 {
                let along: [DVec3; 3] =
                    std::array::from_fn(|_| DVec3::new(unit(state), unit(state), unit(state)));
                let offset = [unit(state), unit(state), unit(state)];
                let of = |level: Level| {
                    let low = dispatch!(level, simd => lowest(simd, blocks, &along, &offset, 0.1));
                    let high = dispatch!(level, simd => highest(simd, blocks, along[0]));
                    let corner = dispatch!(level, simd => support_of(simd, blocks, along[0]));
                    [low, high, corner.x, corner.y, corner.z].map(f64::to_bits)
                };
                assert_eq!(of(Level::new()), of(Level::baseline()));
                // The support point is the first corner of the largest height.
                let heights: Vec<(f64, DVec3)> = blocks
                    .iter()
                    .flat_map(|block| block.heights(along[0]).into_iter().zip(block.corners()))
                    .collect();
                let (_, first) = heights.iter().fold((f64::NEG_INFINITY, DVec3::ZERO), |best, &next| {
                    if next.0 > best.0 { next } else { best }
                });
                assert_eq!(support(blocks, along[0]), first);
                // The largest height is that of the support point.
                let [_, high, ..] = of(Level::new());
                let corner = support(blocks, along[0]);
                let height = corner.x * along[0].x + corner.y * along[0].y + corner.z * along[0].z;
                assert_eq!(f64::from_bits(high), height);
            }
        }
    }

    /// In lanes, the farthest of several equal balls is the last one, and a height of -0 is below one of +0.
    #[test]
    fn farthest_in_lanes() {
        let state = &mut 37;
        let mut ties = 0;
        for count in (0..40).chain([100, 257]) {
            // Coordinates of few values: most directions have several farthest points.
            let mut coordinate = || (3.0 * unit(state)).round() * if unit(state) > 0.0 { 0.5 } else { -0.0 };
            let center = |_| DVec3::new(coordinate(), coordinate(), coordinate());
            let balls: Vec<Ball> =
                (0..count).map(center).map(|center| Ball { center, radius: 0.0 }).collect();
            let centers = Centers::of(&balls);
            for direction in directions() {
                let heights: Vec<f64> = balls.iter().map(|ball| direction.dot(ball.center)).collect();
                let highest = heights.iter().copied().max_by(f64::total_cmp);
                let is_highest = |height: &f64| height.to_bits() == highest.unwrap().to_bits();
                assert_eq!(centers.farthest(direction), heights.iter().rposition(is_highest), "{count}");
                ties += usize::from(heights.iter().filter(|height| is_highest(height)).count() > 1);
            }
        }
        assert!(ties > 300, "{ties}");
    }
}
