//! The interface of a node's volume for the engines: its extent, now and over time.

use glam::DVec3;

/// The volume around a node, in the frame of the body. It contains all pieces below the node.
pub trait Volume: Copy {
    /// Returns an upper bound of `direction · x` over the volume, for a direction of any length, up to
    /// [`EXTENT_ERROR`](crate::shape::convex::EXTENT_ERROR)` · |direction| · reach()`.
    fn extent(&self, direction: DVec3) -> f64;

    /// Returns a point in the middle of the volume.
    fn center(&self) -> DVec3;

    /// Returns an upper bound of the distance from the frame's origin to any point of the volume.
    fn reach(&self) -> f64;

    /// Like [`Volume::reach`], for the cores of its pieces. A rotation moves only these.
    #[inline]
    fn core_reach(&self) -> f64 {
        self.reach()
    }

    /// Like [`Volume::extent`], for the cores of its pieces.
    #[inline]
    fn core_extent(&self, direction: DVec3) -> f64 {
        self.extent(direction)
    }

    /// Returns the size of the volume. The larger one of a pair is opened first.
    fn size(&self) -> f64;

    /// Returns the vector from roughly the closest point of the volume to `point`; zero if the point is inside. It is
    /// only a direction to try.
    fn way_out(&self, point: DVec3) -> DVec3;

    /// Like [`Volume::extent`], at time `t`.
    #[inline]
    fn extent_at(&self, direction: DVec3, _t: f64) -> f64 {
        self.extent(direction)
    }

    /// Returns an upper bound of the rate at which [`Volume::extent_at`] grows at `t`, for a constant direction that
    /// may be off by a vector of length `off`.
    #[inline]
    fn extent_speed(&self, _direction: DVec3, _off: f64, _t: f64) -> f64 {
        0.0
    }

    /// Returns an upper bound of the magnitude of the second time derivative of [`Volume::extent_at`], for a direction
    /// of unit length.
    #[inline]
    fn extent_acceleration(&self) -> f64 {
        0.0
    }

    /// Like [`Volume::center`], at `t`.
    #[inline]
    fn center_at(&self, _t: f64) -> DVec3 {
        self.center()
    }

    /// Like [`Volume::way_out`], at `t`.
    #[inline]
    fn way_out_at(&self, point: DVec3, _t: f64) -> DVec3 {
        self.way_out(point)
    }
}
