//! Two bodies that are proven apart over a step by one direction: their separation along it at both ends of the step.
//!
//! A point `x` whose acceleration is at most `a` strays from the chord between its ends by at most `a T² / 8`
//! (`sweeps`): its *bulge*. So for a direction `n` from a solid to another one, and points `x` and `y` of the two,
//! ```text
//! n · (y − x)(t) >= min(s_0, s_1) − bulge_x − bulge_y
//! ```
//! with `s_0` and `s_1` the separations of the two solids along `n` at both ends: between the ends the chords are as
//! far apart as a mean of both. That is two support points of each solid. No frames, no instants between, and no search
//! if the direction that separated the two in the step before still does.
//!
//! The same ends tell how far a body travels: its centre from one end to the other, the turn between the ends times its
//! radius, and its bulge. A body that turns about a contact travels little there, while the sum of the travels of its
//! joints (`travel`) knows nothing of that.
//!
//! **Guarantee.** Rigorous. Heights have the errors of the poses and 64 roundings of the sizes involved, as in
//! `articulated::separation`. The direction has unit length up to a few roundings, which are included where separations
//! are compared. A NaN proves nothing.

use glam::DVec3;

use super::sweeps::Chord;
use super::transforms::{Placed, Transform};
use crate::distance::gjk::Gjk;
use crate::distance::rounded_hull::RoundedHull;
use crate::motion::PoseAt;
use crate::numerics::bound::{exceeds, lower_min};
use crate::numerics::rounding::UNIT;
use crate::shape::Convex;

/// Sums and products of less than two dozen non-negative numbers are rounded up by this factor.
const UP: f64 = 1.0 + 32.0 * UNIT;

/// `1 / √2`, rounded up.
const HALF_ROOT: f64 = 0.707_106_782;

/// A solid around a body, at both ends of a step.
pub(super) struct AtEnds<'a> {
    hull: &'a RoundedHull,
    ends: [Placed; 2],
    /// Greatest distance of a point of the body from its chord.
    bulge: f64,
    /// The error of a height at either end.
    off: [f64; 2],
}

impl<'a> AtEnds<'a> {
    /// A solid in a frame that moves.
    pub(super) fn new(hull: &'a RoundedHull, chord: &Chord) -> AtEnds<'a> {
        AtEnds::placed(hull, *chord.ends(), chord.bulge(hull.reach()) * UP)
    }

    /// A solid at rest in the world.
    pub(super) fn at_rest(hull: &'a RoundedHull) -> AtEnds<'a> {
        AtEnds::placed(hull, [Placed::identity(); 2], 0.0)
    }

    fn placed(hull: &'a RoundedHull, ends: [Placed; 2], bulge: f64) -> AtEnds<'a> {
        let off = |end: &Placed| {
            let size = end.pose.translation.abs().max_element();
            ((end.error.rotation + 64.0 * UNIT) * hull.reach() + end.error.translation + 128.0 * UNIT * size)
                * UP
        };
        AtEnds { hull, off: [off(&ends[0]), off(&ends[1])], ends, bulge }
    }

    /// The pose at the start.
    pub(super) fn start(&self) -> &PoseAt {
        &self.ends[0].pose
    }

    /// Returns the greatest distance that a point of the body moves from one end of the step to the other, and its
    /// bulge. Up to a time `t` in `[0, 1]` of the step, a point moves by no more than `t` times the first plus the
    /// second.
    pub(super) fn way(&self) -> [f64; 2] {
        let (center, _) = self.hull.bounds();
        let [start, end] = &self.ends;
        let shift = (end.pose.apply(center) - start.pose.apply(center)).length();
        // The difference of two rotations is √2 times as large in the sum of squares as in norm. That of their errors
        // is less than twice as large.
        let turned = end.pose.rotation - start.pose.rotation;
        let squares =
            turned.x_axis.length_squared() + turned.y_axis.length_squared() + turned.z_axis.length_squared();
        let turn =
            squares.sqrt() * HALF_ROOT + 2.0 * (start.error.rotation + end.error.rotation) + 16.0 * UNIT;
        [(shift + self.off[0] + self.off[1] + turn * self.hull.radius()) * UP, self.bulge]
    }

    /// Returns a direction from this solid to another one at the start: the direction between the closest points, as
    /// closely as it is found.
    pub(super) fn direction_to(&self, other: &AtEnds<'_>) -> DVec3 {
        let margins = self.hull.margin() + other.hull.margin();
        let accuracy = |distance: f64| (0.05 * (distance - margins)).max(1e-3 * margins); // not a bound: when to stop
        let poses = [self.ends[0].pose, other.ends[0].pose];
        Gjk::default().closest_points(self.hull, other.hull, &poses, accuracy).normal
    }

    /// Lower bounds of the separation of this solid and another one along a direction, at both ends.
    pub(super) fn separation(&self, other: &AtEnds<'_>, n: DVec3) -> [f64; 2] {
        [0, 1].map(|k| {
            let (here, there) = (&self.ends[k].pose, &other.ends[k].pose);
            let high = self.hull.extent(here.direction_to_body(n));
            let low = other.hull.extent(there.direction_to_body(-n));
            let apart = n.dot(there.translation) - n.dot(here.translation) - (high + low);
            // The length of the direction, and the roundings of the sum here.
            apart - 16.0 * UNIT * apart.abs() - (self.off[k] + other.off[k]) * UP
        })
    }

    /// Returns true if two solids with these separations at the ends stay farther apart than `gap` all through the
    /// step.
    pub(super) fn stay_apart(&self, other: &AtEnds<'_>, [start, end]: [f64; 2], gap: f64) -> bool {
        let least = lower_min(start, end);
        let apart = least - (self.bulge + other.bulge) * UP;
        exceeds(apart - 4.0 * UNIT * least.abs(), gap)
    }
}

#[cfg(test)]
#[path = "chords_tests.rs"]
mod tests;
