//! What is returned: the least distance with its time and place.

use glam::DVec3;

use crate::answer::{Feature, Part};
use crate::numerics::bound::lower_min;
use crate::pair::PairTouch;

/// The least distance over a span of time, bounded from both sides.
///
/// The exact least distance lies between [`lower`](Clearance::lower) and [`upper`](Clearance::upper). Both are 0 if something
/// overlaps. If something comes within the tolerance and is not proven to overlap, `lower` may be 0 while `upper` is positive.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Clearance {
    /// Nothing is ever closer than this.
    pub lower: f64,
    /// At `t` the two bodies are at most this far apart.
    pub upper: f64,
    /// Whether `upper - lower` is at most the tolerance. If it is not, the budget was spent, or rounding hides the distance; both
    /// bounds hold all the same.
    pub is_tight: bool,
    /// A time at which the distance is at most `upper`.
    pub t: f64,
    /// The two bodies, in the order of the scene; the same one twice for its own parts.
    pub bodies: [usize; 2],
    /// The parts that are closest.
    pub parts: [Part; 2],
    /// The features that are closest.
    pub features: [Feature; 2],
    /// The closest point on each side, in world coordinates at `t`.
    pub points: [DVec3; 2],
    /// The unit normal from the first body to the second.
    pub normal: DVec3,
    /// The end of the time in question.
    pub(crate) until: f64,
}

impl Clearance {
    pub(crate) fn new(lower: f64, nearest: PairTouch, bodies: [usize; 2], tolerance: f64) -> Clearance {
        let PairTouch { toi: t, gap: upper, parts, features, points, normal, .. } = nearest;
        Clearance {
            lower,
            upper,
            is_tight: upper - lower <= tolerance,
            t,
            bodies,
            parts,
            features,
            points,
            normal,
            until: 1.0,
        }
    }

    /// The least distance of this and another, each of other pairs.
    pub(crate) fn nearer(self, other: Clearance, tolerance: f64) -> Clearance {
        let lower = lower_min(self.lower, other.lower);
        let nearer = if other.upper < self.upper { other } else { self };
        Clearance { lower, is_tight: nearer.upper - lower <= tolerance, ..nearer }
    }

    /// The same, of a question about the time up to `until`.
    pub(crate) fn until(self, until: f64) -> Clearance {
        Clearance { until, ..self }
    }
}

/// The least distance along a path of several segments.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PathClearance {
    /// The segment in which the least distance is attained, counted from 0.
    pub segment: usize,
    /// The least distance of all segments; its time is that of the segment.
    pub clearance: Clearance,
}
