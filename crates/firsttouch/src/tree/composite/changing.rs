//! An ellipsoid in an affine motion.

use glam::DVec3;

use super::{AnyPiece, Composite};
use crate::answer::Part;
use crate::ellipsoid::{ChangingEllipsoid, ChangingPiece};
use crate::numerics::Window;
use crate::shape::Convex;

/// An ellipsoid that changes its shape, as its own only piece.
impl Composite for ChangingEllipsoid {
    fn children(&self, _node: u32) -> Option<[u32; 2]> {
        None
    }

    fn extent(&self, node: u32, direction: DVec3) -> f64 {
        Composite::reach(self, node) * direction.length()
    }

    fn center(&self, node: u32) -> DVec3 {
        self.center_at(node, 0.5)
    }

    fn reach(&self, _node: u32) -> f64 {
        ChangingEllipsoid::reach(self, Window::between(0.0, 1.0))
    }

    fn size(&self, _node: u32) -> f64 {
        0.0
    }

    fn way_out(&self, node: u32, point: DVec3) -> DVec3 {
        self.way_out_at(node, point, 0.5)
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

    fn extent_at(&self, _node: u32, direction: DVec3, t: f64) -> f64 {
        ChangingEllipsoid::extent(self, direction, t)
    }

    fn extent_speed(&self, _node: u32, direction: DVec3, off: f64, t: f64) -> f64 {
        let rate = self.rate(t);
        rate.extent(direction) + off * rate.reach()
    }

    fn extent_acceleration(&self, _node: u32) -> f64 {
        ChangingEllipsoid::acceleration(self, Window::between(0.0, 1.0))
    }

    fn center_at(&self, _node: u32, t: f64) -> DVec3 {
        self.at(t).center
    }

    fn way_out_at(&self, _node: u32, point: DVec3, t: f64) -> DVec3 {
        // The way out of the box around it.
        let now = self.at(t);
        let rows = now.matrix.transpose();
        let half = DVec3::new(rows.x_axis.length(), rows.y_axis.length(), rows.z_axis.length());
        let from = point - now.center;
        from - from.clamp(-half, half)
    }
}
