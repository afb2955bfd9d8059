//! One touch of a pair, without the bodies.

use glam::DVec3;

use super::Verdict;
use crate::answer::{Answer, Feature, Part, Touch};

/// A touch of two sides. The caller knows the bodies that they belong to.
#[derive(Debug, Clone, PartialEq)]
pub struct PairTouch {
    /// The time of the touch.
    pub toi: f64,
    /// The pair is farther apart than `min_separation` before this time: `toi`, or less in a search for any touch.
    pub free_until: f64,
    /// An upper bound of the gap at `toi`; 0 when the two overlap.
    pub gap: f64,
    /// The part of each side that touches.
    pub parts: [Part; 2],
    /// The feature of each part that touches.
    pub features: [Feature; 2],
    /// The closest point on each side at `toi`, in the frame of the motions.
    pub points: [DVec3; 2],
    /// The unit normal from the first side to the second.
    pub normal: DVec3,
}

impl PairTouch {
    /// Returns the same touch with the two sides swapped.
    pub fn swapped(mut self) -> PairTouch {
        self.parts.swap(0, 1);
        self.features.swap(0, 1);
        self.points.swap(0, 1);
        self.normal = -self.normal;
        self
    }

    /// Returns the touch as one of these two bodies.
    pub fn between(self, bodies: [usize; 2]) -> Touch {
        let PairTouch { toi, free_until, gap, parts, features, points, normal } = self;
        Touch { toi, free_until, gap, bodies, parts, features, points, normal }
    }
}

impl From<Touch> for PairTouch {
    fn from(touch: Touch) -> PairTouch {
        let Touch { toi, free_until, gap, bodies: _, parts, features, points, normal } = touch;
        PairTouch { toi, free_until, gap, parts, features, points, normal }
    }
}

impl Verdict<PairTouch> {
    /// Returns the answer for these two bodies. The limits must start at time 0.
    pub fn answer(self, bodies: [usize; 2]) -> Answer {
        match self {
            Verdict::Free => Answer::Free,
            Verdict::Touch(touch) if touch.toi == 0.0 => Answer::TouchingAtStart(touch.between(bodies)),
            Verdict::Touch(touch) => Answer::Touch(touch.between(bodies)),
            Verdict::Undecided { free_until } => Answer::Undecided { free_until, bodies },
        }
    }
}
