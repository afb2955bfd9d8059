//! A box that contains a moving body at all times, from Taylor models.
//!
//! 1. Each corner of the box around the shape, in the body's frame, is moved by the Taylor model of the motion over
//!    the window. The exact range of each coordinate bounds the path of the corner.
//! 2. At every instant the body lies in the convex hull of the corners, and therefore in the union of the boxes
//!    around their paths.
//!
//! **Guarantee.** Rigorous, including all rounding.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 5.2.

use glam::DVec3;

use super::Aabb;
use crate::numerics::{Enclosure, EnclosureTransform};

/// Returns a box that contains, at every time of the enclosure's window, the box around `center` with half sides
/// `half`.
///
/// ```
/// use firsttouch::broad::swept_box;
/// use firsttouch::numerics::TaylorTransform;
/// use glam::DVec3;
/// let at_rest = swept_box(&TaylorTransform::identity(), DVec3::ZERO, DVec3::ONE);
/// assert!((at_rest.high - DVec3::ONE).length() < 1e-14);
/// ```
pub fn swept_box<E: Enclosure>(motion: &EnclosureTransform<E>, center: DVec3, half: DVec3) -> Aabb {
    let mut bounds = Aabb { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
    for corner in 0..8 {
        let sign = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
        // The corner is rounded outwards, away from the centre.
        let point = DVec3::from_array([0, 1, 2].map(|k| {
            let side = sign(k as u32);
            let rounded = center[k] + side * half[k];
            if half[k] == 0.0 {
                rounded
            } else if side > 0.0 {
                rounded.next_up()
            } else {
                rounded.next_down()
            }
        }));
        let path = motion.apply(point).range();
        bounds = bounds.union(&Aabb {
            low: DVec3::from_array(path.map(|range| range.lo())),
            high: DVec3::from_array(path.map(|range| range.hi())),
        });
    }
    bounds
}
