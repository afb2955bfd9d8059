//! Closed axis-aligned bounding boxes.

use glam::DVec3;

/// The axis-aligned box from `low` to `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// The smallest coordinates.
    pub low: DVec3,
    /// The largest coordinates.
    pub high: DVec3,
}

impl Aabb {
    /// Returns whether the two boxes have a point in common. A bound that is NaN may stand for any value, so a box
    /// with NaN bounds overlaps every box along that axis.
    ///
    /// ```
    /// use firsttouch::broad::Aabb;
    /// use glam::DVec3;
    /// let unit = Aabb { low: DVec3::ZERO, high: DVec3::ONE };
    /// assert!(unit.overlaps(&Aabb { low: DVec3::ONE, high: DVec3::splat(2.0) }));
    /// ```
    #[inline]
    pub fn overlaps(&self, other: &Aabb) -> bool {
        !(self.low.cmpgt(other.high).any() || other.low.cmpgt(self.high).any())
    }

    /// The smallest box that contains both.
    pub fn union(&self, other: &Aabb) -> Aabb {
        Aabb { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The box with every side moved outwards by `distance`, rounded outwards.
    pub fn inflated(&self, distance: f64) -> Aabb {
        Aabb {
            low: (self.low - distance).map(f64::next_down),
            high: (self.high + distance).map(f64::next_up),
        }
    }
}
