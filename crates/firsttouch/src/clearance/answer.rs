//! The answer: the least distance with its time and place.

use glam::DVec3;

use crate::answer::{Feature, Part};
use crate::numerics::bound::lower_min;
use crate::pair::PairTouch;

/// The least distance over a span of time, bounded from both sides.
///
/// The exact least distance lies between [`lower`](Clearance::lower) and [`upper`](Clearance::upper). Both are 0 if two
/// bodies overlap. If two bodies come within the tolerance and are not proven to overlap, `lower` may be 0 while
/// `upper` is positive.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Clearance {
    /// A proven lower bound: the bodies are never closer than this.
    pub lower: f64,
    /// An upper bound of the distance of the two bodies at `t`.
    pub upper: f64,
    /// True if `upper - lower` is at most the tolerance. If it is not, the budget was spent, or rounding hides the
    /// distance; both bounds still hold.
    pub is_tight: bool,
    /// A time at which the distance is at most `upper`.
    pub t: f64,
    /// The two bodies, in the order of the scene; the same body twice for two of its own parts.
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

    /// Returns the smaller of two least distances, each of other pairs.
    pub(crate) fn nearer(self, other: Clearance, tolerance: f64) -> Clearance {
        let lower = lower_min(self.lower, other.lower);
        let nearer = if other.upper < self.upper { other } else { self };
        Clearance { lower, is_tight: nearer.upper - lower <= tolerance, ..nearer }
    }

    /// Returns the same clearance for a query of the time up to `until`.
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

impl PathClearance {
    /// Returns the least distance of two parts of one path. It is tight if its bounds are at most `tolerance` apart.
    pub fn nearer(self, other: PathClearance, tolerance: f64) -> PathClearance {
        let segment = if other.clearance.upper < self.clearance.upper { other.segment } else { self.segment };
        PathClearance { segment, clearance: self.clearance.nearer(other.clearance, tolerance) }
    }
}
