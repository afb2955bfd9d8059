//! The parts of a scene: everything that moves in one piece, each with a box that it never leaves.
//!
//! A rigid body or a deforming mesh is one part. A robot has one part for each shape of each link. An attached body is
//! a link of its robot and belongs to another body. The broad phase knows only parts.

use std::collections::HashMap;

use glam::DVec3;

use smallvec::smallvec;

use crate::articulated::obstacle_side;
use crate::broad::{Aabb, chord_box, swept_box};
use crate::deformable::MovingTree;
use crate::motion::{Motion, RigidMotion};
use crate::narrow::Pieces;
use crate::numerics::Window;
use crate::numerics::bound::{high_corner, low_corner};
use crate::numerics::rounding::UNIT;
use crate::robot::{LinkMotion, PartBox, RobotMotion, part_boxes, swept_boxes};
use crate::shape::Shape;
use crate::world::part_pairs::{LinkShape, PartPair, PartSide};

use crate::body::{Body, BodyKind};

/// Something that moves in one piece.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MovingPart {
    /// The body it belongs to.
    pub(crate) body: u32,
    /// The robot's body, and the shape of a link, if it is a part of a robot.
    pub(crate) of_robot: Option<(u32, LinkShape)>,
}

impl MovingPart {
    /// Returns the link that it is a part of, unless the link is a body that the robot holds: that is a body of its
    /// own.
    pub(crate) fn own_link(&self) -> Option<u32> {
        self.of_robot.filter(|(robot, _)| *robot == self.body).map(|(_, of)| of.link)
    }
}

/// Returns all parts of the bodies, each with the box it never leaves in the window.
pub(crate) fn parts_with_boxes(bodies: &[Body], window: Window) -> (Vec<MovingPart>, Vec<Aabb>) {
    (moving_parts(bodies), moving_boxes(bodies, window))
}

/// Returns all parts of the bodies.
pub(crate) fn moving_parts(bodies: &[Body]) -> Vec<MovingPart> {
    let mut parts = Vec::with_capacity(bodies.len());
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
        match body.kind() {
            BodyKind::Rigid { .. } | BodyKind::Affine(_) | BodyKind::Deforming(_) => {
                parts.push(MovingPart { body: i as u32, of_robot: None });
            }
            BodyKind::Robot(step) => {
                parts.extend(part_boxes(step.robot()).iter().map(|&PartBox { link, part, .. }| MovingPart {
                    body: held.get(&[i, link]).copied().unwrap_or(i) as u32,
                    of_robot: Some((i as u32, LinkShape { link: link as u32, shape: part as u32 })),
                }));
            }
            // It is a part of its robot.
            BodyKind::Attached { .. } => {}
            BodyKind::RobotPath(_) => unreachable!("a scene is cut at the waypoints first"),
        }
    }
    parts
}

/// Returns the box that each part never leaves in the window.
pub(crate) fn moving_boxes(bodies: &[Body], window: Window) -> Vec<Aabb> {
    // With few bodies tight boxes cost more than the pairs that they remove.
    const FEW: usize = 8;
    let mut boxes = Vec::with_capacity(bodies.len());
    for body in bodies {
        match body.kind() {
            BodyKind::Rigid { shape, motion } if bodies.len() <= FEW => {
                boxes.push(swept_ball_box(shape, motion, window));
            }
            BodyKind::Rigid { shape, motion } => {
                let compute = || smallvec![swept_shape_box(shape, motion, window)];
                body.swept().extend(&mut boxes, window, compute);
            }
            BodyKind::Affine(ellipsoid) => boxes.push(ellipsoid.changing().swept_box(window)),
            BodyKind::Deforming(tree) => boxes.push(deforming_box(tree)),
            BodyKind::Robot(step) => {
                let compute = || swept_boxes(&step.motion(), &part_boxes(step.robot()), window).into();
                body.swept().extend(&mut boxes, window, compute);
            }
            // It is a part of its robot.
            BodyKind::Attached { .. } => {}
            BodyKind::RobotPath(_) => unreachable!("a scene is cut at the waypoints first"),
        }
    }
    boxes
}

impl Body {
    /// Returns a box that the body never leaves during the window; `None` for an attached body, which is a part of its
    /// robot.
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
                let boxes = swept_boxes(&step.motion(), &part_boxes(step.robot()), window);
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

/// Returns the box that a deforming mesh never leaves. Its vertices are on straight lines.
fn deforming_box(tree: &MovingTree) -> Aabb {
    let (low, high) = tree.bounds();
    Aabb { low, high }
}

/// Returns a box that a rigid body never leaves, cheap to compute: that of the ball around its origin. The origin
/// leaves the chord of its path by at most an eighth of its acceleration times the time squared.
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

/// Returns the box that a rigid body never leaves. Time is cut where the velocity jumps. If chords give no box, it
/// comes from Taylor models. A body that turns by more than half a turn gets several of them, because a single one
/// would be useless.
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

/// The motions of the robots that some bodies belong to. A motion keeps poses for one thread, so it is not part of the
/// scene.
pub(crate) struct Robots<'a> {
    bodies: &'a [Body],
    /// By the index of the robot's body, in ascending order.
    motions: Vec<(u32, RobotMotion<'a>)>,
}

impl<'a> Robots<'a> {
    /// Returns the robots among these bodies, and those that hold them.
    pub(crate) fn of(bodies: &'a [Body], some: impl IntoIterator<Item = usize>) -> Robots<'a> {
        let robot_of = |body: usize| match *bodies[body].kind() {
            BodyKind::Robot(_) => Some(body as u32),
            BodyKind::Attached { robot, .. } => Some(robot as u32),
            BodyKind::Rigid { .. }
            | BodyKind::Affine(_)
            | BodyKind::Deforming(_)
            | BodyKind::RobotPath(_) => None,
        };
        let mut robots: Vec<u32> = some.into_iter().filter_map(robot_of).collect();
        robots.sort_unstable();
        robots.dedup();
        let motion = |robot: u32| match bodies[robot as usize].kind() {
            BodyKind::Robot(step) => Some((robot, step.motion())),
            _ => None,
        };
        Robots { bodies, motions: robots.into_iter().filter_map(motion).collect() }
    }

    /// Returns true if none of the bodies belongs to a robot.
    pub(crate) fn is_empty(&self) -> bool {
        self.motions.is_empty()
    }

    /// Returns the motion of the robot that is this body.
    pub(crate) fn motion(&self, robot: u32) -> &RobotMotion<'a> {
        let place = self.motions.binary_search_by_key(&robot, |(body, _)| *body);
        &self.motions[place.expect("it is a robot of these bodies")].1
    }

    /// Returns two parts with their motions and the distance that they keep. Parts of one robot move relative to their
    /// last common ancestor.
    pub(crate) fn pair<'b>(&'b self, [a, b]: [MovingPart; 2], separation: f64) -> PartPair<'b>
    where
        'a: 'b,
    {
        let place = |of: LinkShape| (of.link as usize, of.shape as usize);
        if let (Some((robot, of_a)), Some((other, of_b))) = (a.of_robot, b.of_robot)
            && robot == other
        {
            let motion = self.motion(robot);
            let [moves_a, moves_b] = motion.relative(place(of_a), place(of_b));
            let base = motion.robot().common_ancestor(of_a.link as usize, of_b.link as usize);
            let sides = [self.link_side(a, of_a, moves_a), self.link_side(b, of_b, moves_b)];
            return PartPair { sides, frame: Some((motion, base)), separation };
        }
        let side = |part: MovingPart| match part.of_robot {
            None => obstacle_side(&self.bodies[part.body as usize]),
            Some((robot, of)) => {
                let (link, shape) = place(of);
                self.link_side(part, of, self.motion(robot).part(link, shape))
            }
        };
        PartPair { sides: [side(a), side(b)], frame: None, separation }
    }

    fn link_side<'b>(&'b self, part: MovingPart, of: LinkShape, motion: LinkMotion<'b>) -> PartSide<'b> {
        let (robot, _) = part.of_robot.expect("it is a part of a robot");
        let shape = &self.motion(robot).robot().links()[of.link as usize].parts()[of.shape as usize].shape;
        // A held body is reported by its own parts.
        let label = (part.body == robot).then_some(of);
        PartSide::Link { pieces: Pieces::of(shape), motion, label }
    }
}
