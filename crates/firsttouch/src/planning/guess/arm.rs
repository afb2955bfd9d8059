//! A robot as balls in frames, and where they are in the configurations of a rake.
//!
//! 1. Links that do not move relative to each other share a frame. The z axis of a frame is the axis of the joint that
//!    carries it, so that a turn combines two columns.
//! 2. A link has a ball around it, and its few balls ([`Link::few_balls`](crate::robot::Link)).
//! 3. The joint values of a motion are two numbers each, a start and a difference.
//!
//! All lengths are shares of the robot's reach: then `f32` neither overflows nor runs out of digits.

use fearless_simd::Simd;
use glam::{DMat3, DVec3};

use super::lanes::{Fixed, Lanes, PoseLanes, sin_cos, splat};
use crate::articulated::Checker;
use crate::motion::PoseAt;
use crate::planning::Space;
use crate::robot::{JointKind, plane_axes};

/// The way of a frame relative to its parent.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Drive {
    Turn,
    Slide,
    Plane,
    /// A quaternion, after a translation if there is one.
    Free {
        slides: bool,
    },
}

impl Drive {
    fn values(self) -> usize {
        match self {
            Drive::Turn | Drive::Slide => 1,
            Drive::Plane => 3,
            Drive::Free { slides: true } => 7,
            Drive::Free { slides: false } => 4,
        }
    }
}

/// A frame that moves relative to its parent.
#[derive(Debug, Clone)]
struct Frame {
    /// The frame of the parent: 0 for the base, `1 + k` for frame `k`.
    parent: usize,
    /// The pose in the parent's frame where all values are zero.
    place: Fixed,
    drive: Drive,
    /// The first variable, and the factor and offset of a mimic.
    variable: usize,
    scale: [f64; 2],
    /// The most that a unit of the joint's value moves anything.
    weight: f64,
}

/// A ball of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ball {
    /// The centre in the frame.
    pub(super) center: [f32; 3],
    /// The radius towards obstacles, and towards other links.
    pub(super) radius: f32,
    pub(super) own_radius: f32,
}

/// A link with balls.
#[derive(Debug, Clone)]
pub(super) struct ArmLink {
    /// 0 for the base, `1 + k` for frame `k`.
    pub(super) frame: usize,
    /// The index in the robot.
    pub(super) index: usize,
    /// A ball around the balls.
    pub(super) center: [f32; 3],
    pub(super) radius: f32,
    pub(super) balls: Vec<Ball>,
}

/// A robot as balls.
#[derive(Debug, Clone)]
pub(super) struct Arm {
    frames: Vec<Frame>,
    pub(super) links: Vec<ArmLink>,
    /// The shares of the reach in a unit of length.
    pub(super) unit: f64,
    base: Fixed,
    /// The place of each link of the robot in its frame, unscaled.
    places: Vec<(usize, PoseAt)>,
}

/// The joint values of a motion, and the lengths that decide how finely it is sampled.
#[derive(Debug, Clone, Default)]
pub(super) struct Course {
    values: Vec<[f32; 2]>,
    /// The approximate distance that anything moves.
    pub(super) travel: f64,
    /// The most that anything on the base moves, then the same for each frame.
    pub(super) travels: Vec<f32>,
}

fn then(a: &PoseAt, b: &PoseAt) -> PoseAt {
    PoseAt { rotation: a.rotation * b.rotation, translation: a.apply(b.translation) }
}

fn scaled(pose: &PoseAt, unit: f64) -> Fixed {
    let PoseAt { rotation, translation } = pose;
    [rotation.x_axis, rotation.y_axis, rotation.z_axis, *translation * unit].map(rounded)
}

#[inline(always)]
pub(super) fn rounded(v: DVec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

impl Arm {
    pub(super) fn new(checker: &Checker, space: &Space) -> Arm {
        let robot = checker.robot();
        let here = PoseAt { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };
        let mut frames: Vec<Frame> = Vec::new();
        let mut offsets: Vec<PoseAt> = Vec::new();
        let mut places: Vec<(usize, PoseAt)> = Vec::with_capacity(robot.links().len());
        for link in robot.links() {
            let Some(joint) = link.joint() else {
                places.push((0, here));
                continue;
            };
            let (parent, place) = places[joint.parent];
            let at = then(&place, &joint.origin.at());
            let axes = |n: DVec3| {
                let n = n.normalize();
                let (x, y) = plane_axes(n);
                DMat3::from_cols(x, y, n)
            };
            let (drive, turned) = match joint.kind {
                JointKind::Fixed => {
                    places.push((parent, at));
                    continue;
                }
                JointKind::Revolute { axis } => (Drive::Turn, axes(axis)),
                JointKind::Prismatic { axis } => (Drive::Slide, axes(axis)),
                JointKind::Planar { normal } => (Drive::Plane, axes(normal)),
                JointKind::Floating => (Drive::Free { slides: true }, DMat3::IDENTITY),
                JointKind::Ball => (Drive::Free { slides: false }, DMat3::IDENTITY),
            };
            let (variable, scale) = (joint.variable, [joint.scale.0, joint.scale.1]);
            offsets.push(PoseAt { rotation: at.rotation * turned, translation: at.translation });
            frames.push(Frame { parent, place: [[0.0; 3]; 4], drive, variable, scale, weight: 1.0 });
            let back = PoseAt { rotation: turned.transpose(), translation: DVec3::ZERO };
            places.push((frames.len(), back));
        }

        // The largest distance from the origin of a frame of anything in or beyond the frame.
        let mut reaches = vec![0.0_f64; frames.len() + 1];
        for (link, (frame, place)) in robot.links().iter().zip(&places) {
            for ball in link.few_balls() {
                let far = place.apply(ball.center).length() + ball.radius;
                reaches[*frame] = reaches[*frame].max(far); // not a bound: a scale
            }
        }
        for k in (0..frames.len()).rev() {
            let reach = reaches[k + 1];
            let frame = &mut frames[k];
            let farthest = |i: usize| {
                let [low, high] = space.range(frame.variable + i);
                low.abs().max(high.abs()) // not a bound: a scale
            };
            let slides = match frame.drive {
                Drive::Turn | Drive::Free { slides: false } => 0.0,
                Drive::Slide => farthest(0) * frame.scale[0].abs() + frame.scale[1].abs(),
                Drive::Plane => farthest(0) + farthest(1),
                Drive::Free { slides: true } => farthest(0) + farthest(1) + farthest(2),
            };
            frame.weight = if frame.drive == Drive::Slide { 1.0 } else { reach };
            let far = offsets[k].translation.length() + slides + reach;
            reaches[frame.parent] = reaches[frame.parent].max(far); // not a bound: a scale
        }
        let unit = if reaches[0] > 0.0 && reaches[0].is_finite() { 1.0 / reaches[0] } else { 1.0 };
        for (frame, offset) in frames.iter_mut().zip(&offsets) {
            frame.place = scaled(offset, unit);
            frame.weight *= unit;
        }
        let mut links = Vec::new();
        for (index, (link, (frame, place))) in robot.links().iter().zip(&places).enumerate() {
            let balls: Vec<Ball> = link
                .few_balls()
                .iter()
                .map(|ball| {
                    let radius = (ball.radius * unit) as f32;
                    Ball { center: rounded(place.apply(ball.center) * unit), radius, own_radius: radius }
                })
                .collect();
            if !balls.is_empty() {
                let mut link = ArmLink { frame: *frame, index, center: [0.0; 3], radius: 0.0, balls };
                link.surround();
                links.push(link);
            }
        }
        let base = scaled(&checker.base().at(), unit);
        // Lengths are taken from the base, which may be far from the origin of the world.
        let base = [base[0], base[1], base[2], [0.0; 3]];
        Arm { frames, links, unit, base, places }
    }

    /// Returns a point of the world, as seen by the arm.
    pub(super) fn seen(&self, checker: &Checker, point: DVec3) -> [f32; 3] {
        rounded((point - checker.base().translation()) * self.unit)
    }

    /// Sets out a motion.
    pub(super) fn set_out(&self, course: &mut Course, from: &[f64], to: &[f64]) {
        course.values.clear();
        course.travels.clear();
        course.travels.push(0.0);
        let mut square = 0.0;
        for frame in &self.frames {
            let mut far = 0.0;
            let Frame { variable, scale: [factor, offset], weight, .. } = *frame;
            let length = |k: usize| {
                let [a, b] = [from[variable + k], to[variable + k]];
                [a * self.unit, (b - a) * self.unit]
            };
            let angle = |k: usize, factor: f64, offset: f64| {
                let [a, b] = [from[variable + k], to[variable + k]].map(|value| value * factor + offset);
                let turns = (a * (0.5 / std::f64::consts::PI)).round();
                [a - turns * (2.0 * std::f64::consts::PI), b - a]
            };
            let mut push = |value: [f64; 2], weight: f64| {
                square += (value[1] * weight) * (value[1] * weight);
                far += (value[1] * weight).abs();
                course.values.push(value.map(|x| x as f32));
            };
            match frame.drive {
                Drive::Turn => push(angle(0, factor, offset), weight),
                Drive::Slide => {
                    push([length(0)[0] * factor + offset * self.unit, length(0)[1] * factor], 1.0)
                }
                Drive::Plane => {
                    push(length(0), 1.0);
                    push(length(1), 1.0);
                    push(angle(2, 1.0, 0.0), weight);
                }
                Drive::Free { slides } => {
                    if slides {
                        (0..3).for_each(|k| push(length(k), 1.0));
                    }
                    let first = variable + if slides { 3 } else { 0 };
                    let unit = |q: &[f64]| {
                        let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
                        [0, 1, 2, 3].map(|k| q[k] / norm)
                    };
                    let (a, b) = (unit(&from[first..first + 4]), unit(&to[first..first + 4]));
                    let cosine: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
                    let sign = if cosine < 0.0 { -1.0 } else { 1.0 };
                    // Half the angle of the turn is about the chord of the quaternions.
                    (0..4).for_each(|k| push([a[k], sign * b[k] - a[k]], 2.0 * weight));
                }
            }
            course.travels.push(course.travels[frame.parent] + far as f32);
        }
        course.travel = square.sqrt();
    }

    /// Places the frames at the times of a rake. `poses` gets the base, then the frames.
    #[inline(always)]
    pub(super) fn place<S: Simd>(
        &self,
        simd: S,
        course: &Course,
        t: Lanes<S>,
        poses: &mut Vec<PoseLanes<S>>,
    ) {
        poses.clear();
        poses.push(PoseLanes::fixed(simd, &self.base));
        let mut next = 0;
        for frame in &self.frames {
            let mut pose = poses[frame.parent].then_fixed(simd, &frame.place);
            let values = &course.values[next..];
            next += frame.drive.values();
            match frame.drive {
                Drive::Turn => {
                    let (sine, cosine) = sin_cos(simd, value(simd, values[0], t));
                    pose.turn_z(sine, cosine);
                }
                Drive::Slide => pose.slide(2, value(simd, values[0], t)),
                Drive::Plane => {
                    pose.slide(0, value(simd, values[0], t));
                    pose.slide(1, value(simd, values[1], t));
                    let (sine, cosine) = sin_cos(simd, value(simd, values[2], t));
                    pose.turn_z(sine, cosine);
                }
                Drive::Free { slides } => {
                    let mut first = 0;
                    if slides {
                        // Each slide is along an axis that the ones before do not change.
                        pose.slide(0, value(simd, values[0], t));
                        pose.slide(1, value(simd, values[1], t));
                        pose.slide(2, value(simd, values[2], t));
                        first = 3;
                    }
                    pose.turn(
                        simd,
                        value(simd, values[first], t),
                        value(simd, values[first + 1], t),
                        value(simd, values[first + 2], t),
                        value(simd, values[first + 3], t),
                    );
                }
            }
            poses.push(pose);
        }
    }

    /// Adds a ball to a link, about a point of its frame.
    pub(super) fn add_ball(&mut self, index: usize, center: [f32; 3], radius: f32) {
        let ball = Ball { center, radius, own_radius: radius };
        match self.links.iter_mut().find(|link| link.index == index) {
            Some(link) => {
                link.balls.push(ball);
                link.surround();
            }
            None => {
                let frame = self.places[index].0;
                self.links.push(ArmLink { frame, index, center, radius, balls: vec![ball] });
            }
        }
    }

    /// Returns the frame of a link of the robot.
    pub(super) fn frame_of(&self, index: usize) -> usize {
        self.places[index].0
    }
}

/// Returns the value of a joint at the times of a rake.
#[inline(always)]
fn value<S: Simd>(simd: S, [start, difference]: [f32; 2], t: Lanes<S>) -> Lanes<S> {
    splat(simd, start) + splat(simd, difference) * t
}

impl ArmLink {
    /// Finds the ball around the balls.
    pub(super) fn surround(&mut self) {
        let mut low = [f32::INFINITY; 3];
        let mut high = [f32::NEG_INFINITY; 3];
        for ball in &self.balls {
            for k in 0..3 {
                low[k] = low[k].min(ball.center[k] - ball.radius); // not a bound: a guess
                high[k] = high[k].max(ball.center[k] + ball.radius); // not a bound: a guess
            }
        }
        self.center = [0, 1, 2].map(|k| 0.5 * (low[k] + high[k]));
        self.radius = 0.0;
        for ball in &self.balls {
            let square: f32 = (0..3).map(|k| ball.center[k] - self.center[k]).map(|d| d * d).sum();
            self.radius = self.radius.max(square.sqrt() + ball.radius.max(ball.own_radius)); // not a bound: a guess
        }
    }
}
