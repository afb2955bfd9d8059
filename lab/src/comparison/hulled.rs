//! A mesh under its tree of convex hulls, which replaces its tree of oriented boxes, as a side for the tree engine.
//! Pieces and answers are the same.

use glam::DVec3;

use super::hull_tree::HullTree;
use firsttouch::Part;
use firsttouch::shape::{Convex, Mesh};
use firsttouch::tree::composite::{AnyPiece, Composite, Volume};

/// A mesh with a hierarchy of hulls.
#[derive(Debug, Clone, Copy)]
pub struct Hulled<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Its hierarchy.
    pub tree: &'a HullTree,
}

impl<'h> Composite for Hulled<'h> {
    type Volume<'a>
        = HulledNode<'h>
    where
        Self: 'a;

    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        self.tree.node(node).children()
    }

    #[inline]
    fn volume(&self, node: u32) -> HulledNode<'h> {
        HulledNode { tree: self.tree, node }
    }

    #[inline]
    fn piece(&self, leaf: u32) -> AnyPiece<'_> {
        AnyPiece::Triangle(self.mesh.triangle(self.tree.node(leaf).triangle()))
    }

    fn part(&self, leaf: u32) -> Part {
        Part::Triangle(self.tree.node(leaf).triangle())
    }

    fn hull(&self) -> Option<&dyn Convex> {
        Composite::hull(self.mesh)
    }
}

/// A node of the hierarchy.
#[derive(Debug, Clone, Copy)]
pub struct HulledNode<'a> {
    tree: &'a HullTree,
    node: u32,
}

impl Volume for HulledNode<'_> {
    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        self.tree.extent(self.node, direction)
    }

    #[inline]
    fn center(&self) -> DVec3 {
        self.tree.node(self.node).bounds.center
    }

    #[inline]
    fn reach(&self) -> f64 {
        self.tree.node(self.node).bounds.reach
    }

    #[inline]
    fn size(&self) -> f64 {
        self.tree.node(self.node).bounds.half.x
    }

    #[inline]
    fn way_out(&self, point: DVec3) -> DVec3 {
        self.tree.node(self.node).bounds.way_out(point)
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::super::decomposition::tests::ring;
    use super::*;
    use firsttouch::motion::{Motion, Pose};
    use firsttouch::pair::Side;
    use firsttouch::tree::{TreeStats, first_touch};
    use firsttouch::{Limits, Verdict};

    /// Two rings pass each other in many ways: both hierarchies find the same touches.
    #[test]
    fn the_same_answers_as_with_boxes() {
        let (a, b) = (ring(30, 12, 0.0), ring(24, 10, 0.06));
        let (tree_a, tree_b) = (HullTree::new(&a), HullTree::new(&b));
        let limits = Limits::default();
        let mut touches = 0;
        for k in 0..24 {
            let angle = f64::from(k) * 2.4;
            let from = DVec3::new(angle.cos(), angle.sin(), 0.5 * (2.0 * angle).cos()) * 3.0;
            let aside = DVec3::new(-angle.sin(), angle.cos(), 0.8) * (0.6 * f64::from(k % 5));
            let pose = |p: DVec3, turn: f64| {
                Pose::new(p, DQuat::from_axis_angle(DVec3::new(0.3, 1.0, angle.cos()).normalize(), turn))
            };
            let still =
                Motion::linear(pose(DVec3::ZERO, angle).unwrap(), pose(DVec3::ZERO, angle + 2.0).unwrap());
            let moving =
                Motion::linear(pose(from + aside, -angle).unwrap(), pose(aside - from, 2.0).unwrap());
            let boxes = [Side { pieces: &a, motion: &still }, Side { pieces: &b, motion: &moving }];
            let hulls = [
                Side { pieces: Hulled { mesh: &a, tree: &tree_a }, motion: &still },
                Side { pieces: Hulled { mesh: &b, tree: &tree_b }, motion: &moving },
            ];
            let with_boxes = first_touch(&[boxes], &limits, false, &mut TreeStats::default()).verdict;
            let with_hulls = first_touch(&[hulls], &limits, false, &mut TreeStats::default()).verdict;
            match (with_boxes, with_hulls) {
                (Verdict::Touch(p), Verdict::Touch(q)) => {
                    touches += 1;
                    // At a speed of up to 10, the tolerance is reached within a millionth.
                    assert!((p.t - q.t).abs() < 1e-5, "{} {}", p.t, q.t);
                }
                (Verdict::Free, Verdict::Free) => {}
                other => panic!("{k}: {other:?}"),
            }
        }
        assert!((5..24).contains(&touches), "{touches} of 24 touch");
    }
}
