//! One triangle as a convex piece, for advancement at the leaves of a mesh's tree.

use glam::DVec3;

use super::convex::{Convex, bounds_of};
use crate::answer::Feature;
use crate::numerics::bound::{largest_upper, upper_max};
use crate::numerics::rounding::{TINY_LENGTH, UNIT, up};

/// A triangle, possibly without area, in the frame of its mesh.
///
/// Its features have the indices of the mesh: a vertex its own, the face that of the triangle, and the edge from
/// corner `k` to corner `k + 1` of triangle `i` the index `3 i + k`.
///
/// ```
/// use firsttouch::shape::{Convex, Triangle};
/// use glam::DVec3;
/// let triangle = Triangle::new([DVec3::ZERO, DVec3::X, DVec3::Y], [10, 11, 12], 7);
/// assert_eq!(triangle.extent(DVec3::Y), 1.0);
/// assert_eq!(triangle.feature(DVec3::Y, DVec3::Y), firsttouch::Feature::Vertex(12));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangle {
    corners: [DVec3; 3],
    ids: [u32; 3],
    index: u32,
    reach: f64,
}

impl Triangle {
    /// Creates the triangle with these corners, their indices in the mesh and its own.
    #[inline]
    pub fn new(corners: [DVec3; 3], ids: [u32; 3], index: u32) -> Triangle {
        let farthest = largest_upper(corners.iter().map(|c| c.length_squared()));
        // Five roundings in the squared length and one in the root.
        let reach = up(farthest.sqrt() * (1.0 + 8.0 * UNIT)) + TINY_LENGTH;
        Triangle { corners, ids, index, reach }
    }

    /// Returns the corners.
    pub fn corners(&self) -> &[DVec3; 3] {
        &self.corners
    }

    /// Returns the index in the mesh.
    pub fn index(&self) -> u32 {
        self.index
    }
}

impl Convex for Triangle {
    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        let [a, b, c] = self.corners;
        let (ha, hb, hc) = (a.dot(direction), b.dot(direction), c.dot(direction));
        if ha >= hb {
            if ha >= hc { a } else { c }
        } else if hb >= hc {
            b
        } else {
            c
        }
    }

    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        let [a, b, c] = self.corners.map(|corner| corner.dot(direction));
        upper_max(upper_max(a, b), c)
    }

    #[inline]
    fn reach(&self) -> f64 {
        self.reach
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        bounds_of(&self.corners)
    }

    fn across(&self) -> Option<DVec3> {
        let [a, b, c] = self.corners;
        Some((b - a).cross(c - a))
    }

    fn feature(&self, point: DVec3, _normal: DVec3) -> Feature {
        // Barycentric coordinates of the point, by areas against the normal; for a triangle without area the longest
        // edge is used instead. Only the label depends on the slack.
        const SLACK: f64 = 1e-9;
        let [a, b, c] = self.corners;
        let normal = (b - a).cross(c - a);
        let area = normal.length_squared();
        let weights = if area > 0.0 {
            [b, c, a].map(|from| {
                let to = if from == b {
                    c
                } else if from == c {
                    a
                } else {
                    b
                };
                (to - from).cross(point - from).dot(normal) / area
            })
        } else {
            [1.0 / 3.0; 3]
        };
        let zero = weights.map(|w| w <= SLACK);
        match zero {
            [false, true, true] => Feature::Vertex(self.ids[0]),
            [true, false, true] => Feature::Vertex(self.ids[1]),
            [true, true, false] => Feature::Vertex(self.ids[2]),
            [false, false, true] => Feature::Edge(3 * self.index),
            [true, false, false] => Feature::Edge(3 * self.index + 1),
            [false, true, false] => Feature::Edge(3 * self.index + 2),
            [false, false, false] | [true, true, true] => Feature::Face(self.index),
        }
    }
}
