//! Closed axis-aligned bounding boxes.

use glam::DVec3;

use crate::numerics::bound::{high_corner, low_corner};

/// The box from `low` to `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// The smallest coordinates.
    pub low: DVec3,
    /// The largest coordinates.
    pub high: DVec3,
}

impl Aabb {
    /// Returns true if the two boxes have a point in common. A bound that is NaN may stand for any value, so a box with
    /// NaN bounds overlaps every box along that axis.
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

    /// Returns the smallest box that contains both. A coordinate that is NaN in either box becomes infinite.
    pub fn union(&self, other: &Aabb) -> Aabb {
        Aabb { low: low_corner(self.low, other.low), high: high_corner(self.high, other.high) }
    }

    /// Returns the box with every side moved outwards by `distance`, rounded outwards.
    #[inline]
    pub fn inflated(&self, distance: f64) -> Aabb {
        Aabb {
            low: (self.low - distance).map(f64::next_down),
            high: (self.high + distance).map(f64::next_up),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The union once used `DVec3::min`, which drops a NaN of its left side: the box around a part of unknown place and
    /// a part of known place was that of the known part.
    #[test]
    fn a_union_with_an_unknown_box_has_no_end() {
        let unit = Aabb { low: DVec3::ZERO, high: DVec3::ONE };
        let far = Aabb { low: DVec3::splat(9.0), high: DVec3::splat(10.0) };
        for axis in 0..3 {
            let mut unknown = unit;
            (unknown.low[axis], unknown.high[axis]) = (f64::NAN, f64::NAN);
            for both in [unknown.union(&unit), unit.union(&unknown)] {
                assert_eq!((both.low[axis], both.high[axis]), (f64::NEG_INFINITY, f64::INFINITY));
                let beside = Aabb { low: DVec3::AXES[axis] * 9.0, high: DVec3::AXES[axis] * 10.0 };
                assert!(both.overlaps(&beside) && !both.overlaps(&far));
            }
        }
    }
}
