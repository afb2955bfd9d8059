//! Clouds, octrees and height fields around a robot: proven apart by the boxes of their own hierarchies.
//!
//! A scan of a room surrounds the robot. As a whole it is close to every link, which says nothing, and none of its
//! millions of pieces is close to any. So a part of the robot goes down the hierarchy of the scan by itself, before
//! anything else is tried:
//! 1. A node whose box does not meet the box that the part never leaves in the window is done. Most nodes end here,
//!    after six comparisons.
//! 2. A node of about the size of the part is done if a direction separates the two over the whole window: the rule of
//!    `separation`, with the box as the first solid. The direction is the one out of the box towards the centre of the
//!    part in the middle of the window, or the one that separated the node before.
//! 3. A node is opened otherwise. The test ends without a proof if a leaf is not proven apart, or a small box within
//!    that of the part is not, or too many nodes were examined. The windows then go on as for any obstacle.
//!
//! # Guarantee
//! Rigorous. The box of a node swept by the margin contains its pieces without error. The support function of a box has
//! 8 roundings of terms that are no larger than its reach (`tree::composite`); the frames of obstacles at rest are
//! rounded once. Everything else is as in `separation`.

use glam::DVec3;
use smallvec::SmallVec;

use super::outline::Obstacle;
use super::separation::{Placed, error, stray};
use super::sieve::Sieve;
use crate::broad::Aabb;
use crate::distance::rounded_hull::RoundedHull;
use crate::motion::{Motion, PoseAt, RigidMotion};
use crate::numerics::rounding::UNIT;
use crate::robot::LinkBounds;
use crate::shape::Convex;
use crate::shape::hierarchy::{Hierarchy, NodeBox};

/// The most nodes that are examined for one part in one window. For a part that is close to a scan, further nodes would
/// prove nothing.
const MOST_NODES: usize = 400;

impl Sieve<'_> {
    /// Returns true if a scan is proven apart from another solid over the window. The link of that solid must be
    /// placed. Returns `false` if the first solid is no scan at rest.
    pub(super) fn is_clear_of_scan(&self, scan: usize, part: usize, half: f64) -> bool {
        let Some(obstacle) = self.obstacle_of(scan) else { return false };
        let obstacle = &self.around.obstacles[obstacle];
        let Some(tree) = obstacle.shape().and_then(|shape| shape.as_hierarchy()) else { return false };
        let Some((_, motion @ Motion::Fixed(_))) = obstacle.body.as_rigid() else { return false };
        let Some(link) = self.frame(part as u32) else { return false };
        let bounds = self.boxes[part].inflated(self.min_separation);
        let apart = self.min_separation + tree.margin();
        let part = MovingPart::new(self.solids[part].whole(), self.placed(link), half, apart);
        Scan { tree, pose: motion.pose_at(0.0) }.is_clear_of(&part, &bounds, MOST_NODES)
    }
}

impl Obstacle {
    /// Returns a lower bound of the distance of a scan at rest from a solid that is fixed to the base: the largest of a
    /// few numbers that is proven. It is computed once; without it such a pair would go to the exact stage of every
    /// query. `None` if this is no scan, or nothing is proven.
    pub(super) fn distance_of_scan(&self, solid: &RoundedHull, base: &PoseAt) -> Option<f64> {
        let tree = self.shape().and_then(|shape| shape.as_hierarchy())?;
        let (_, motion @ Motion::Fixed(_)) = self.body.as_rigid()? else { return None };
        let placed = Placed::new([*base; 3], LinkBounds::AT_REST);
        let center = base.apply(solid.bounds().0);
        // The base has the error of a matrix, `40u`, and a product and a sum.
        let off = 256.0 * UNIT * (solid.reach() + base.translation.abs().element_sum());
        let is_apart = |&distance: &f64| {
            let apart = distance + off;
            let reach = DVec3::splat(solid.radius());
            let bounds = Aabb { low: center - reach, high: center + reach }.inflated(apart);
            let part = MovingPart::new(solid, &placed, 0.0, apart + tree.margin());
            let scan = Scan { tree, pose: motion.pose_at(0.0) };
            scan.is_clear_of(&part, &bounds, 100 * MOST_NODES)
        };
        [1.0, 0.1, 1e-2, 1e-3, 1e-4].into_iter().find(is_apart)
    }
}

/// A scan at rest in the world.
struct Scan<'a> {
    tree: &'a dyn Hierarchy,
    pose: PoseAt,
}

impl Scan<'_> {
    /// Returns true if all boxes stay apart from a part that never leaves the `bounds`, which include the distance to
    /// be kept.
    fn is_clear_of(&self, part: &MovingPart<'_>, bounds: &Aabb, most_nodes: usize) -> bool {
        let Scan { tree, pose } = self;
        // The box of the part in the frame of the scan. The matrix has an error of `40u`, and there are a dozen
        // roundings.
        let (center, half) = (0.5 * (bounds.low + bounds.high), 0.5 * (bounds.high - bounds.low));
        let from = center - pose.translation;
        let turned = pose.rotation.transpose();
        // All boxes are within that of the root, so this also covers the rounding of their differences below.
        let root = tree.node_box(0);
        let size = center.abs().element_sum()
            + pose.translation.abs().element_sum()
            + half.element_sum()
            + (root.center.abs() + root.half).element_sum();
        let off = 128.0 * UNIT * size + tree.margin();
        let sides = DVec3::new(
            turned.row(0).abs().dot(half),
            turned.row(1).abs().dot(half),
            turned.row(2).abs().dot(half),
        );
        let around = NodeBox { center: turned * from, half: sides + DVec3::splat(off) };
        let mut open: SmallVec<[u32; 64]> = SmallVec::from_elem(0, 1);
        let mut last = DVec3::ZERO;
        let mut looked_at = 0;
        while let Some(node) = open.pop() {
            looked_at += 1;
            if looked_at > most_nodes {
                return false;
            }
            let volume = tree.node_box(node);
            let apart = (volume.center - around.center).abs() - volume.half;
            // A NaN is not apart.
            if apart.cmpgt(around.half).any() {
                continue;
            }
            if volume.half.max_element() < part.size && part.is_separated(&volume, pose, &mut last) {
                continue;
            }
            // A much smaller box that is not separated has pieces that are not, either.
            let is_small = volume.half.max_element() < SMALL * part.size;
            match tree.children(node) {
                Some(children) if !is_small => open.extend(children),
                _ => return false,
            }
        }
        true
    }
}

/// A box that is smaller than this part of a solid, and is not separated from it, is not opened.
const SMALL: f64 = 0.05;

/// A coarse solid of the robot in a window.
struct MovingPart<'a> {
    hull: &'a RoundedHull,
    poses: &'a [PoseAt; 3],
    /// The additional stray of a point at distance 1 from the link's origin.
    turning: f64,
    /// The distance that must be left between it and a box.
    needed: f64,
    /// The position of its centre in the middle of the window.
    center: DVec3,
    size: f64,
}

impl<'a> MovingPart<'a> {
    fn new(hull: &'a RoundedHull, placed: &'a Placed, half: f64, apart: f64) -> MovingPart<'a> {
        let Placed { poses, link_bounds, .. } = placed;
        let origin = stray(link_bounds, 0.0, half);
        let turning = stray(&LinkBounds { jerk: 0.0, ..*link_bounds }, 1.0, half);
        let off = 2.0 * error(placed, hull.reach());
        // Directions have unit length up to the error of a matrix.
        let needed = (apart + off + origin) * (1.0 + 128.0 * UNIT);
        let center = poses[1].apply(hull.bounds().0);
        MovingPart { hull, poses, turning, needed, center, size: hull.radius() }
    }

    /// Returns true if all of it stays beyond a box over the window, along the last direction that was found, or along
    /// the one out of the box.
    fn is_separated(&self, volume: &NodeBox, pose: &PoseAt, last: &mut DVec3) -> bool {
        if *last != DVec3::ZERO && self.separates(volume, pose, *last) {
            return true;
        }
        let from = pose.to_body(self.center) - volume.center;
        let way = from - from.clamp(-volume.half, volume.half);
        let Some(n) = way.try_normalize() else { return false };
        *last = n;
        self.separates(volume, pose, n)
    }

    /// Returns true if a direction in the frame of the scan separates the two.
    fn separates(&self, volume: &NodeBox, pose: &PoseAt, local: DVec3) -> bool {
        let n = pose.rotation * local;
        let [first, middle, last] = self.poses;
        let along = [first.direction_to_body(n), middle.direction_to_body(n), last.direction_to_body(n)];
        let offset = [n.dot(first.translation), n.dot(middle.translation), n.dot(last.translation)];
        // In the world the box reaches `n · p` and its extent in its own frame. The direction there is off by the error
        // of the matrix, `40u`.
        let extent = local.dot(volume.center) + local.abs().dot(volume.half) + n.dot(pose.translation);
        let size = volume.center.abs().element_sum() + volume.half.element_sum();
        let off = 128.0 * UNIT * (size + pose.translation.abs().element_sum());
        self.hull.lowest(&along, &offset, self.turning) - extent > self.needed + off
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::rounded_hull::Ball;
    use crate::motion::Pose;
    use crate::robot::{Joint, JointKind, Robot, RobotMotion};

    /// If a direction separates a box and a part by a distance, samples at all times are at least that far apart. The
    /// part is far from the origin of a link that turns in place, or near the origin of a link that is carried around:
    /// then only one of the two terms of the stray is present. The turns are so wide that the parabolas are off.
    #[test]
    fn what_a_direction_keeps_is_kept_at_all_times() {
        let state = &mut 41_u64;
        let mut unit = move || {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut judged = 0;
        for round in 0..600 {
            let is_carried = round % 2 == 0;
            let mut vector = || DVec3::new(unit(), unit(), unit());
            let axes = [vector() + DVec3::splat(1e-3), vector() + DVec3::splat(1e-3)];
            let joint = |i: usize| Joint {
                name: format!("joint{i}"),
                parent: format!("link{i}"),
                child: format!("link{}", i + 1),
                origin: Pose::from_translation(DVec3::X * if i == 1 && is_carried { 1.0 } else { 0.0 })
                    .unwrap(),
                kind: JointKind::Revolute { axis: axes[i] },
                limits: None,
                mimic: None,
            };
            let links = (0..3).map(|i| (format!("link{i}"), vec![])).collect();
            let robot = Robot::new("arm", links, vec![joint(0), joint(1)]).unwrap();
            let center = if is_carried { 1e-3 } else { 1.0 } * vector();
            let balls: Vec<Ball> =
                (0..6).map(|_| Ball { center: center + 0.01 * vector(), radius: 0.02 }).collect();
            let hull = RoundedHull::new(&balls, 32, 0.0);
            let n = vector().normalize();
            let volume = NodeBox { center: -3.0 * n + 0.1 * vector(), half: DVec3::new(0.3, 0.2, 0.1) };
            let turns = if is_carried { [2.5, 0.0] } else { [0.0, 2.5] };
            let (from, to): (Vec<f64>, Vec<f64>) =
                turns.iter().map(|turn| (-turn + 0.3 * unit(), turn + 0.3 * unit())).unzip();
            let motion = RobotMotion::new(&robot, Pose::IDENTITY, &from, &to).unwrap();
            let placed = Placed::new(motion.poses(&[0.0, 0.5, 1.0], 2), motion.link_bounds(2, None));
            let here = Pose::IDENTITY.at();
            let keeps = |apart: f64| {
                let part = MovingPart::new(&hull, &placed, 0.5, apart);
                part.separates(&volume, &here, n)
            };
            let (mut low, mut high) = (0.0, 10.0);
            if !keeps(low) {
                continue;
            }
            for _ in 0..50 {
                let middle = 0.5 * (low + high);
                if keeps(middle) { low = middle } else { high = middle }
            }
            let extent = n.dot(volume.center) + n.abs().dot(volume.half);
            let heights = (0..=400).flat_map(|k| {
                let pose = motion.link_pose(2, f64::from(k) / 400.0);
                balls.iter().map(move |ball| n.dot(pose.apply(ball.center)) - ball.radius)
            });
            let kept = heights.fold(f64::INFINITY, f64::min) - extent;
            assert!(low <= kept + 1e-12, "{round}: {low}, but {kept}");
            judged += 1;
        }
        assert!(judged > 400, "{judged}");
    }
}
