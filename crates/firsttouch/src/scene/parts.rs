//! The parts of a scene: everything that moves in one piece, each with a box that it never leaves.
//!
//! A rigid body or a deforming mesh is one part. A robot has one part for each shape of each link. An attached body is a
//! link of its robot and belongs to another body. The broad phase knows only parts.

use std::collections::HashMap;

use glam::DVec3;

use smallvec::smallvec;

use super::chords::chord_box;
use crate::articulated::{Culling, PartBox, part_boxes, swept_boxes};
use crate::broad::{Aabb, swept_box};
use crate::deformable::MovingTree;
use crate::motion::{Motion, RigidMotion};
use crate::numerics::Window;
use crate::numerics::bound::{high_corner, low_corner};
use crate::numerics::rounding::UNIT;
use crate::robot::{RobotMotion, RobotStep};
use crate::shape::Shape;

use crate::body::{Body, BodyKind};

/// Something that moves in one piece.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MovingPart {
    /// The body it belongs to.
    pub(crate) body: u32,
    /// The link and shape, if it is a part of a robot.
    pub(crate) link: Option<LinkShape>,
}

/// A part of a robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkShape {
    /// The body that is the robot.
    pub(crate) robot: u32,
    /// The link.
    pub(crate) link: u32,
    /// The shape among those of the link.
    pub(crate) shape: u32,
}

/// All parts of the bodies, each with the box it never leaves in the window.
pub(crate) fn parts_with_boxes(bodies: &[Body], window: Window) -> (Vec<MovingPart>, Vec<Aabb>) {
    // With few bodies tight boxes cost more than the pairs that they remove.
    const FEW: usize = 8;
    let (mut parts, mut boxes) = (Vec::with_capacity(bodies.len()), Vec::with_capacity(bodies.len()));
    // For each link that is an attached body, the index of that body.
    let held: HashMap<[usize; 2], usize> = bodies
        .iter()
        .enumerate()
        .filter_map(|(i, body)| match *body.kind() {
            BodyKind::Attached { robot, link } => Some(([robot, link], i)),
            BodyKind::Rigid { .. }
            | BodyKind::Affine(_)
            | BodyKind::Deforming(_)
            | BodyKind::Robot(_)
            | BodyKind::RobotPath(_) => None,
        })
        .collect();
    for (i, body) in bodies.iter().enumerate() {
        let whole = MovingPart { body: i as u32, link: None };
        match body.kind() {
            BodyKind::Rigid { shape, motion } => {
                parts.push(whole);
                if bodies.len() <= FEW {
                    boxes.push(swept_ball_box(shape, motion, window));
                } else {
                    let compute = || smallvec![swept_shape_box(shape, motion, window)];
                    body.swept().extend(&mut boxes, window, compute);
                }
            }
            BodyKind::Affine(ellipsoid) => {
                parts.push(whole);
                boxes.push(ellipsoid.changing().swept_box(window));
            }
            BodyKind::Deforming(tree) => {
                parts.push(whole);
                boxes.push(deforming_box(tree));
            }
            BodyKind::Robot(step) => {
                let motion = step.motion();
                let of_robot = part_boxes(step.robot());
                let compute = || swept_boxes(&motion, &of_robot, window, Culling::default()).into();
                body.swept().extend(&mut boxes, window, compute);
                parts.extend(of_robot.iter().map(|&PartBox { link, part, .. }| MovingPart {
                    body: held.get(&[i, link]).copied().unwrap_or(i) as u32,
                    link: Some(LinkShape { robot: i as u32, link: link as u32, shape: part as u32 }),
                }));
            }
            // It is a part of its robot.
            BodyKind::Attached { .. } => {}
            BodyKind::RobotPath(_) => unreachable!("a scene is cut at the waypoints first"),
        }
    }
    (parts, boxes)
}

impl Body {
    /// Returns a box that the body never leaves during the window; `None` for an attached body, which is a part of its robot.
    ///
    /// ```
    /// use firsttouch::Body;
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::numerics::Window;
    /// use firsttouch::shape::Sphere;
    /// use glam::DVec3;
    /// let path = Motion::linear(Pose::IDENTITY, Pose::from_translation(DVec3::X * 4.0)?);
    /// let swept = Body::new("ball", Sphere::new(1.0)?, path).swept_box(Window::new(0.0, 0.5)?).unwrap();
    /// assert!((swept.high - DVec3::new(3.0, 1.0, 1.0)).length() < 1e-9);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn swept_box(&self, window: Window) -> Option<Aabb> {
        match self.kind() {
            BodyKind::Rigid { shape, motion } => Some(swept_shape_box(shape, motion, window)),
            BodyKind::Affine(ellipsoid) => Some(ellipsoid.changing().swept_box(window)),
            BodyKind::Deforming(tree) => Some(deforming_box(tree)),
            BodyKind::Robot(step) => {
                let boxes =
                    swept_boxes(&step.motion(), &part_boxes(step.robot()), window, Culling::default());
                boxes.into_iter().reduce(|all, other| all.union(&other))
            }
            BodyKind::RobotPath(path) => {
                let whole = Window::between(0.0, 1.0);
                let of_segment = |segment: usize| {
                    let step = path.step(segment).ok()?;
                    Body::robot(self.name(), step).swept_box(whole)
                };
                let touched = (0..path.trajectory().segments()).filter(|&segment| {
                    let [start, end] = path.trajectory().span(segment);
                    // Before its trajectory the robot rests where that begins, and after it where that ends.
                    (start <= window.t1() || segment == 0)
                        && (window.t0() <= end || segment + 1 == path.trajectory().segments())
                });
                let boxes = touched.filter_map(of_segment);
                boxes.reduce(|all, other| all.union(&other))
            }
            BodyKind::Attached { .. } => None,
        }
    }
}

/// The box that a deforming mesh never leaves. Its vertices are on straight lines.
fn deforming_box(tree: &MovingTree) -> Aabb {
    let (low, high) = tree.bounds();
    Aabb { low, high }
}

/// A box that a rigid body never leaves, cheap to compute: that of the ball around its origin. The origin leaves the chord
/// of its path by at most an eighth of its acceleration times the time squared.
fn swept_ball_box(shape: &Shape, motion: &Motion, window: Window) -> Aabb {
    if shape.is_unbounded() {
        return swept_shape_box(shape, motion, window);
    }
    let (center, half) = shape.bounds();
    let reach = center.length() + half.length();
    let width = 2.0 * window.half_width();
    let bulge = motion.acceleration(0.0, window) * width * width / 8.0;
    if !bulge.is_finite() {
        return swept_shape_box(shape, motion, window);
    }
    let [a, b] = [window.t0(), window.t1()].map(|t| motion.origin_at(t));
    let off = motion.pose_error().translation + 16.0 * UNIT * (reach + bulge);
    Aabb { low: low_corner(a, b), high: high_corner(a, b) }.inflated(reach + bulge + off)
}

/// The box that a rigid body never leaves. Time is cut where the velocity jumps. Where chords do not tell, it comes from Taylor models; a body that
/// turns by more than half a turn gets several of them, because a single one would be useless.
fn swept_shape_box(shape: &Shape, motion: &Motion, window: Window) -> Aabb {
    if shape.is_unbounded() {
        return Aabb { low: DVec3::NEG_INFINITY, high: DVec3::INFINITY };
    }
    let (center, half) = shape.bounds();
    let inside = |t: &f64| window.t0() < *t && *t < window.t1();
    let mut all: Option<Aabb> = None;
    let mut start = window.t0();
    for end in motion.kinks().filter(inside).chain([window.t1()]) {
        let span = Window::between(start, end);
        start = end;
        if let Some(next) = chord_box(motion, center, half, span) {
            all = Some(all.map_or(next, |all| all.union(&next)));
            continue;
        }
        let bounds = motion.velocity_bounds(span);
        let turned = 2.0 * span.half_width() * (bounds.center.angular.length() + bounds.angular_radius);
        // No proof depends on their number. A NaN becomes one.
        let count = if turned > 4.0 { turned.min(MOST_MODELS) as u32 } else { 1 }; // not a bound: a count
        let at = |k: u32| {
            if k == count {
                span.t1()
            } else {
                span.t0() + (span.t1() - span.t0()) * f64::from(k) / f64::from(count)
            }
        };
        for k in 0..count {
            let next = swept_box(&motion.enclosure(Window::between(at(k), at(k + 1))), center, half);
            all = Some(all.map_or(next, |all| all.union(&next)));
        }
    }
    all.expect("a window has a span of time at least")
}

/// The largest number of Taylor models for one span of time.
const MOST_MODELS: f64 = 64.0;

/// The motions of the robots that two bodies belong to, computed once per pair.
pub(crate) struct Robots<'a> {
    known: Vec<(u32, &'a RobotStep, RobotMotion<'a>)>,
}

impl<'a> Robots<'a> {
    pub(crate) fn of(bodies: &'a [Body], pair: [usize; 2]) -> Robots<'a> {
        let mut known: Vec<(u32, &'a RobotStep, RobotMotion<'a>)> = Vec::new();
        for body in pair {
            let robot = match *bodies[body].kind() {
                BodyKind::Robot(_) => body,
                BodyKind::Attached { robot, .. } => robot,
                BodyKind::Rigid { .. }
                | BodyKind::Affine(_)
                | BodyKind::Deforming(_)
                | BodyKind::RobotPath(_) => continue,
            };
            if let BodyKind::Robot(step) = bodies[robot].kind()
                && known.iter().all(|(other, ..)| *other != robot as u32)
            {
                known.push((robot as u32, step, step.motion()));
            }
        }
        Robots { known }
    }

    /// Whether neither body belongs to a robot.
    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The robot with this index, which must be one of the pair.
    pub(crate) fn get(&self, robot: u32) -> (&'a RobotStep, &RobotMotion<'a>) {
        let (_, step, motion) =
            self.known.iter().find(|(other, ..)| *other == robot).expect("it is a robot of the pair");
        (step, motion)
    }
}
