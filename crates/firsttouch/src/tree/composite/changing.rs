//! An ellipsoid in an affine motion.

use glam::DVec3;

use super::{AnyPiece, Composite, Volume};
use crate::answer::Part;
use crate::ellipsoid::{ChangingEllipsoid, ChangingPiece};
use crate::numerics::Window;
use crate::shape::Convex;

/// An ellipsoid that changes its shape, as its own only piece and volume.
impl Composite for ChangingEllipsoid {
    type Volume<'a> = &'a ChangingEllipsoid;

    fn children(&self, _node: u32) -> Option<[u32; 2]> {
        None
    }

    fn volume(&self, _node: u32) -> &ChangingEllipsoid {
        self
    }

    fn piece(&self, _leaf: u32) -> AnyPiece<'_> {
        AnyPiece::Affine(ChangingPiece::new(self))
    }

    fn part(&self, _leaf: u32) -> Part {
        Part::Solid
    }

    fn hull(&self) -> Option<&dyn Convex> {
        None
    }
}

impl Volume for &ChangingEllipsoid {
    fn extent(&self, direction: DVec3) -> f64 {
        Volume::reach(self) * direction.length()
    }

    fn center(&self) -> DVec3 {
        self.center_at(0.5)
    }

    fn reach(&self) -> f64 {
        ChangingEllipsoid::reach(self, Window::between(0.0, 1.0))
    }

    fn size(&self) -> f64 {
        0.0
    }

    fn way_out(&self, point: DVec3) -> DVec3 {
        self.way_out_at(point, 0.5)
    }

    fn extent_at(&self, direction: DVec3, t: f64) -> f64 {
        ChangingEllipsoid::extent(self, direction, t)
    }

    fn extent_speed(&self, direction: DVec3, off: f64, t: f64) -> f64 {
        let rate = self.rate(t);
        rate.extent(direction) + off * rate.reach()
    }

    fn extent_acceleration(&self) -> f64 {
        ChangingEllipsoid::acceleration(self, Window::between(0.0, 1.0))
    }

    fn center_at(&self, t: f64) -> DVec3 {
        self.at(t).center
    }

    fn way_out_at(&self, point: DVec3, t: f64) -> DVec3 {
        // The vector out of the box around it.
        let now = self.at(t);
        let rows = now.matrix.transpose();
        let half = DVec3::new(rows.x_axis.length(), rows.y_axis.length(), rows.z_axis.length());
        let from = point - now.center;
        from - from.clamp(-half, half)
    }
}
