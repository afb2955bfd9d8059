//! Pairs of parts that are proven apart over a whole step, window by window: the sieve of `Checker`, for scenes and
//! simulations.
//!
//! # The method
//! A pair is tested in the whole step, with coarse solids around its parts and the rule of `separation`. If no
//! direction separates the solids over a window, but they are apart in its middle, the window is halved. Otherwise, or
//! after [`MOST_TESTS`] tests, the pair stays.
//!
//! A pair that stays is checked over the whole step as if there were no sieve. A pair that goes is free, so it cannot
//! change the first touch of the others: answers have the same bits with the sieve and without it.
//!
//! `Checker` keeps the solids of a robot's parts, of their halves and of groups of links, and hands over windows. A
//! scene or a simulation keeps nothing: a mesh has its own coarse solid, which is computed once, and simple shapes get
//! theirs in a few operations. Other shapes are not sieved. The halves of a mesh cost more than a single query can win.
//!
//! # Guarantee
//! Rigorous: that of `separation`.

use std::sync::Arc;

use glam::DVec3;

use super::outline::Place;
use super::separation::{self, Finding, Placed, test};
use super::sieve::{DEEPEST, instants};
use crate::distance::coarse::CoarseTree;
use crate::distance::rounded_hull::RoundedHull;
use crate::motion::{Pose, PoseAt};
use crate::robot::{LinkPart, RobotMotion};
use crate::shape::Shape;

/// The most tests of one pair. Most free pairs need one, few more than ten.
const MOST_TESTS: u32 = 32;

/// A coarse solid around a part, and its place.
#[derive(Debug, Clone)]
pub(crate) struct PlacedSolid<'a> {
    tree: Arc<CoarseTree>,
    /// The motion of a robot, and the frame in which it is: that of a link, or another one. `None` for the world.
    frame: Option<(&'a RobotMotion<'a>, usize)>,
}

impl<'a> PlacedSolid<'a> {
    /// Returns the solid of a part of a link; `None` if it would have to be computed each time.
    pub(crate) fn of_part(
        motion: &'a RobotMotion<'a>,
        link: usize,
        part: &'a LinkPart,
    ) -> Option<PlacedSolid<'a>> {
        let pose = (part.pose != Pose::IDENTITY).then(|| part.pose.at());
        PlacedSolid::new(&part.shape, pose, Some((motion, link)))
    }

    /// Returns the solid of a shape, in the frame of the shape.
    pub(crate) fn of_shape(shape: &Shape) -> Option<PlacedSolid<'static>> {
        PlacedSolid::new(shape, None, None)
    }

    /// Returns the same solid in a frame that moves.
    pub(crate) fn in_frame<'b>(&self, motion: &'b RobotMotion<'b>, frame: usize) -> PlacedSolid<'b> {
        PlacedSolid { tree: Arc::clone(&self.tree), frame: Some((motion, frame)) }
    }

    /// Returns the solid of a shape at rest in the world.
    pub(crate) fn at_rest(shape: &Shape, pose: PoseAt) -> Option<PlacedSolid<'static>> {
        PlacedSolid::new(shape, Some(pose), None)
    }

    /// Returns the solid itself: in the frame of the part, or in the world for one at rest there.
    pub(crate) fn hull(&self) -> &RoundedHull {
        self.tree.whole()
    }

    fn new(
        shape: &Shape,
        pose: Option<PoseAt>,
        frame: Option<(&'a RobotMotion<'a>, usize)>,
    ) -> Option<PlacedSolid<'a>> {
        if !is_cheap(shape) {
            return None;
        }
        let own = CoarseTree::of_shape(shape);
        let tree = match pose {
            None => own,
            Some(pose) => Arc::new(own.placed(Place::of(pose).placement())),
        };
        Some(PlacedSolid { tree, frame })
    }
}

/// Returns true if the shape keeps its coarse solid, or the solid has few corners anyway.
fn is_cheap(shape: &Shape) -> bool {
    match shape {
        Shape::Mesh(_) | Shape::Box(_) | Shape::Sphere(_) | Shape::Capsule(_) | Shape::Cylinder(_) => true,
        Shape::Cone(_)
        | Shape::Ellipsoid(_)
        | Shape::Hull(_)
        | Shape::SolidMesh(_)
        | Shape::HalfSpace(_)
        | Shape::Custom(_)
        | Shape::Compound(_)
        | Shape::PointCloud(_)
        | Shape::Octree(_)
        | Shape::HeightField(_) => false,
    }
}

/// A window of time, the number of halvings that led to it, and the last direction that was found.
struct Item {
    t: [f64; 2],
    depth: u32,
    normal: DVec3,
}

/// Returns a lower bound of the distance of two parts at time 0: that of their solids along the direction between the
/// closest points. Negative infinity for parts of two robots.
pub(crate) fn distance_at_start(a: &PlacedSolid<'_>, b: &PlacedSolid<'_>) -> f64 {
    let Some((motion, frame, from)) = seen_from_first(a, b) else { return f64::NEG_INFINITY };
    let (a, b) = if b.frame.is_none() { (b, a) } else { (a, b) };
    let bounds = match from {
        None => motion.link_bounds(frame, None),
        Some(from) => motion.bounds_between(frame, from, motion.common_frame(frame, from)),
    };
    separation::distance([a.tree.whole(), b.tree.whole()], &motion.pose_between(frame, from, 0.0), &bounds)
}

/// Returns the motion of two parts and their two frames. The second frame is `None` if its part is at rest in the
/// world. Returns `None` for parts of two robots.
fn seen_from_first<'a>(
    a: &PlacedSolid<'a>,
    b: &PlacedSolid<'a>,
) -> Option<(&'a RobotMotion<'a>, usize, Option<usize>)> {
    // A solid at rest in the world comes first.
    let (a, b) = if b.frame.is_none() { (b, a) } else { (a, b) };
    let (motion, frame) = b.frame?;
    match a.frame {
        None => Some((motion, frame, None)),
        Some((other, from)) if std::ptr::eq(other, motion) => Some((motion, frame, Some(from))),
        Some(_) => None,
    }
}

/// Returns true if two parts are proven farther apart than `min_separation` from time 0 to `t_end`. Returns false for
/// parts of two robots.
pub(crate) fn is_apart(a: &PlacedSolid<'_>, b: &PlacedSolid<'_>, t_end: f64, min_separation: f64) -> bool {
    let Some((motion, frame, from)) = seen_from_first(a, b) else { return false };
    let (a, b) = if b.frame.is_none() { (b, a) } else { (a, b) };
    let hulls = [a.tree.whole(), b.tree.whole()];
    let bounds = match from {
        None => motion.link_bounds(frame, None),
        Some(from) => motion.bounds_between(frame, from, motion.common_frame(frame, from)),
    };
    let pose = |t: f64| motion.pose_between(frame, from, t);
    let depth = if t_end > 0.0 { 0 } else { DEEPEST };
    let mut open = vec![Item { t: [0.0, t_end], depth, normal: DVec3::ZERO }];
    let mut tests = 0;
    while let Some(Item { t, depth, normal }) = open.pop() {
        tests += 1;
        let (t, half) = instants(t);
        let placed = Placed::new([pose(t[0]), pose(t[1]), pose(t[2])], bounds);
        match test(hulls, &placed, half, min_separation, normal) {
            Finding::Free => {}
            Finding::Apart(normal) if depth < DEEPEST && tests < MOST_TESTS => {
                open.push(Item { t: [t[1], t[2]], depth: depth + 1, normal });
                open.push(Item { t: [t[0], t[1]], depth: depth + 1, normal });
            }
            Finding::Apart(_) | Finding::Close => return false,
        }
    }
    true
}

#[cfg(test)]
#[path = "windows_tests.rs"]
mod tests;
