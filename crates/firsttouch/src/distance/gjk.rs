//! Closest points of two convex solids at rest, by the algorithm of Gilbert, Johnson and Keerthi.
//!
//! 1. The differences `a − b` of points of the two cores form a convex set. Its point closest to the origin is the
//!    answer.
//! 2. The search keeps a simplex of support points. The point `v` of the simplex closest to the origin gives the next
//!    search direction `−v`. The new support point `w` proves that the distance is at least `v · w / |v|`.
//! 3. The search ends when this lower bound agrees with `|v|` within the requested accuracy, or when a tetrahedron
//!    contains the origin.
//! 4. If rounding stops the progress earlier, the search restarts from the current simplex, with all differences taken
//!    relative to the closest points. A rounding error of the size of the bodies' coordinates is then the same in all
//!    corners: it shifts the simplex and no longer distorts it. Near a contact the simplices of curved solids are tiny,
//!    and this restart resolves solids a million times larger than the requested accuracy. The best direction is kept.
//!
//! **Guarantee.** The search alone proves nothing. The returned points lie on the cores up to rounding, so their
//! distance is an upper bound. The caller proves the lower bound: it evaluates the separation along
//! [`ClosestPoints::normal`] with [`Convex::extent`], which is a bound even if the search has not converged.
//!
//! The simplex computes fourth powers of lengths. Far from the usual sizes of bodies, all differences are multiplied
//! by a power of two, so that these powers neither overflow nor underflow.
//!
//! The simplex is kept between calls, in body coordinates: it is nearly right at the next instant.
//!
//! Reference: Gilbert, Johnson, Keerthi, *A fast procedure for computing the distance between complex objects in
//! three-dimensional space*, 1988.

use fearless_simd::Simd;
use glam::DVec3;

use super::frame::{Frame, FrameLanes};
use super::simplex::{INSIDE, closest_to_origin, weights};
use crate::motion::PoseAt;
use crate::shape::Convex;

/// The limit that ensures that the search ends. Rounding ends it long before.
const MAX_ITERATIONS: usize = 100;

/// A support point of each core, in its body's frame.
type Support = [DVec3; 2];

/// The search, and the simplex with which the last call ended.
#[derive(Debug, Clone, Default)]
pub struct Gjk {
    simplex: [Support; 4],
    count: usize,
}

/// The closest points that the search found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosestPoints {
    /// The unit vector from the first core to the second; the last good direction if they overlap.
    pub normal: DVec3,
    /// A point of each core, in world coordinates: the closest points, up to the convergence of the search. If the
    /// cores overlap, the two points are equal up to rounding.
    pub points: [DVec3; 2],
    /// The support points that the search found along `normal`; `None` if `normal` is a guess.
    pub seen: Option<Seen>,
}

/// The support points along a direction, each in its body's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// The direction in each frame, outwards.
    pub directions: [DVec3; 2],
    /// The support point of each core along it.
    pub supports: [DVec3; 2],
}

/// One step of the search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Progress {
    /// The unit vector from the first core to the second.
    pub(crate) direction: DVec3,
    /// The distance of two points of the cores.
    pub(crate) distance: f64,
    /// The approximate separation of the cores along the direction.
    pub(crate) proven: f64,
}

impl Gjk {
    /// Finds the closest points of the cores of `a` and `b`. `accuracy(distance)` is the accepted error of the
    /// distance when its current value is `distance`.
    #[inline(always)]
    pub fn closest_points(
        &mut self,
        a: &(impl Convex + ?Sized),
        b: &(impl Convex + ?Sized),
        poses: &[PoseAt; 2],
        accuracy: impl Fn(f64) -> f64,
    ) -> ClosestPoints {
        self.closest_points_unless(a, b, poses, accuracy, DVec3::ZERO, |_| false)
    }

    /// Runs the same search, with the same bits, in a function that is compiled for vector instructions.
    #[inline(always)]
    pub(crate) fn closest_points_in_lanes<S: Simd>(
        &mut self,
        simd: S,
        a: &(impl Convex + ?Sized),
        b: &(impl Convex + ?Sized),
        poses: &[PoseAt; 2],
        accuracy: impl Fn(f64) -> f64,
    ) -> ClosestPoints {
        let offset = poses[0].translation - poses[1].translation;
        let frames = [FrameLanes::new(simd, &poses[0]), FrameLanes::new(simd, &poses[1])];
        self.search(a, b, &frames, offset, accuracy, DVec3::ZERO, |_| false)
    }

    /// Runs the same search, which ends early if `is_enough` returns true. It begins with the support points along
    /// `towards`, a direction from the first core to the second, unless that is zero or the simplex of the last call
    /// exists.
    #[inline(always)]
    pub(crate) fn closest_points_unless(
        &mut self,
        a: &(impl Convex + ?Sized),
        b: &(impl Convex + ?Sized),
        poses: &[PoseAt; 2],
        accuracy: impl Fn(f64) -> f64,
        towards: DVec3,
        is_enough: impl FnMut(&Progress) -> bool,
    ) -> ClosestPoints {
        let offset = poses[0].translation - poses[1].translation;
        self.search(a, b, poses, offset, accuracy, towards, is_enough)
    }

    /// Runs the same search with frames whose origins differ by this vector, the first less the second.
    #[allow(clippy::too_many_arguments, reason = "what the callers give, and what they prepare")]
    #[inline(always)]
    fn search<F: Frame>(
        &mut self,
        a: &(impl Convex + ?Sized),
        b: &(impl Convex + ?Sized),
        [frame_a, frame_b]: &[F; 2],
        offset: DVec3,
        accuracy: impl Fn(f64) -> f64,
        towards: DVec3,
        mut is_enough: impl FnMut(&Progress) -> bool,
    ) -> ClosestPoints {
        let frames = [frame_a, frame_b];
        let far = 1e-30 * offset.abs().max_element();
        let unit = unit(a.reach().max(b.reach()).max(far));
        // The unit is usually 1. A quotient takes longer than the comparison.
        let unscaled = |length: f64| if unit == 1.0 { length } else { length / unit };
        if self.count == 0 {
            self.simplex[0] = seen_along(
                a,
                b,
                frames,
                if towards != DVec3::ZERO {
                    towards
                } else if offset == DVec3::ZERO {
                    DVec3::X
                } else {
                    -offset
                },
            )
            .supports;
            self.count = 1;
        }
        // Differences are taken relative to a point of each core, initially the origins of the frames.
        let mut reference = [DVec3::ZERO; 2];
        let mut normal = DVec3::ZERO;
        let mut seen = None;
        let mut best_proven = f64::NEG_INFINITY;
        let mut rounds = 0;
        loop {
            let rounds_before = rounds;
            let base = if rounds_before == 0 { offset } else { F::difference(frames, offset, &reference) };
            let from = (rounds_before != 0).then_some(&reference);
            let mut w = [DVec3::ZERO; 4];
            for (w, support) in w.iter_mut().zip(&self.simplex[..self.count]) {
                *w = difference(frames, base, from, unit, support);
            }
            let mut best = f64::INFINITY;
            let stalled = loop {
                let closest = closest_to_origin(&w, self.count, best_proven > 0.0);
                if closest.kept == INSIDE {
                    break false;
                }
                let length_squared = closest.point.length_squared();
                if length_squared >= best {
                    // The search made no progress. The previous simplex is still stored, followed by the support point
                    // that did not help.
                    self.count -= 1;
                    break true;
                }
                best = length_squared;
                // The kept points stay in their old order, so none is overwritten before it is moved.
                let mut slot = 0;
                for i in 0..self.count {
                    if closest.kept >> i & 1 != 0 {
                        if i != slot {
                            self.simplex[slot] = self.simplex[i];
                            w[slot] = w[i];
                        }
                        slot += 1;
                    }
                }
                self.count = slot;
                let distance = length_squared.sqrt();
                if distance <= f64::MIN_POSITIVE.sqrt() {
                    break false;
                }
                let direction = -closest.point / distance;
                let next = seen_along(a, b, frames, direction);
                let reached = difference(frames, base, from, unit, &next.supports);
                // A lower bound: the set lies beyond `-direction · reached` along the direction.
                let proven = -direction.dot(reached);
                if proven > best_proven {
                    (best_proven, normal, seen) = (proven, direction, Some(next));
                }
                let progress = Progress { direction, distance: unscaled(distance), proven: unscaled(proven) };
                if distance - proven <= unit * accuracy(progress.distance) || is_enough(&progress) {
                    break false;
                }
                rounds += 1;
                if rounds >= MAX_ITERATIONS || w[..self.count].contains(&reached) {
                    break true;
                }
                self.simplex[self.count] = next.supports;
                w[self.count] = reached;
                self.count += 1;
            };
            let points = self.combined(&weights(&w, self.count));
            if !stalled || rounds >= MAX_ITERATIONS || reference == points {
                if normal == DVec3::ZERO {
                    normal = (-offset).try_normalize().unwrap_or(DVec3::X);
                }
                let points = [frame_a.apply(points[0]), frame_b.apply(points[1])];
                return ClosestPoints { normal, points, seen };
            }
            // A restart costs a quarter of the budget, so there are few.
            rounds += MAX_ITERATIONS / 4;
            reference = points;
        }
    }

    /// Returns the points of the two cores with these barycentric weights, each in its body's frame.
    #[inline(always)]
    fn combined(&self, weights: &[f64; 4]) -> Support {
        let mut points = [DVec3::ZERO; 2];
        for (support, weight) in self.simplex[..self.count].iter().zip(weights) {
            points[0] += support[0] * *weight;
            points[1] += support[1] * *weight;
        }
        points
    }
}

// The two functions below are not closures, because closures are not always compiled for the vector instructions of
// their surroundings.

/// Returns the support points along a world direction from the first body to the second.
#[inline(always)]
fn seen_along<F: Frame>(
    a: &(impl Convex + ?Sized),
    b: &(impl Convex + ?Sized),
    [frame_a, frame_b]: [&F; 2],
    direction: DVec3,
) -> Seen {
    let directions = [frame_a.direction_to_body(direction), frame_b.direction_to_body(-direction)];
    Seen { directions, supports: [a.support(directions[0]), b.support(directions[1])] }
}

/// Returns the scaled difference of two support points, which are taken relative to the points `from` if these are
/// given. `base` is the difference of the frames' origins, or of those points.
#[inline(always)]
fn difference<F: Frame>(
    frames: [&F; 2],
    base: DVec3,
    from: Option<&Support>,
    unit: f64,
    s: &Support,
) -> DVec3 {
    let difference = match from {
        None => F::difference(frames, base, s),
        Some(from) => F::difference(frames, base, &[s[0] - from[0], s[1] - from[1]]),
    };
    if unit == 1.0 { difference } else { unit * difference }
}

/// Returns a power of two that scales a length to about one. Returns 1 for the usual sizes of bodies and for lengths
/// out of range.
fn unit(length: f64) -> f64 {
    if (1e-40..1e40).contains(&length) || !(1e-200..1e200).contains(&length) {
        return 1.0;
    }
    let exponent = length.to_bits() >> 52;
    f64::from_bits((2046 - exponent) << 52)
}
