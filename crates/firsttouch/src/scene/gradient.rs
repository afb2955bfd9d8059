//! The derivatives of a touch, or of a least distance, of a scene by the motions of its two bodies.
//!
//! A scene with robots on trajectories is cut in time. The closest points at an instant are those of the span before
//! it. A body that no robot moves has its own motion over the whole time. A body that a robot holds moves with the
//! robot, and with the pose at which it lay before.

use std::cell::RefCell;
use std::rc::Rc;

use glam::{DQuat, DVec3};

use super::Scene;
use super::closest::{Displacement, Level, Near};
use crate::answer::{LinkPiece, Part, Touch};
use crate::ask::Ask;
use crate::body::BodyKind;
use crate::clearance::Clearance;
use crate::deformable::Deformable;
use crate::elementary::closest::vertex_triangle;
use crate::error::Result;
use crate::gradient::{
    Degenerate, Derivatives, Gradient, MotionGradient, Parameters, PoseGradient, SAME, VertexGradient,
    Witness, derivative, difference, extrapolated, extrapolated_derivatives, turned,
};
use crate::motion::{Motion, Pose, PoseAt, RigidMotion, jumps};
use crate::options::Options;
use crate::robot::{RobotMotion, RobotStep};

/// `δ` of a least distance, as a part of it.
const NEAR: f64 = 1e-7;

/// `δ` of a contact, as a part of the distance from a body's origin to it.
const BEFORE: f64 = 1e-5;

/// So many derivatives are compared. More different places than that are too many.
const MOST: usize = 256;

impl Scene {
    /// Returns how the time of a touch changes with the motions of its two bodies: the derivatives of `toi` by the poses at both ends, the
    /// joint values, or the positions of vertices. The touch must be one of this scene under these options.
    ///
    /// Without a flag ([`Gradient::degenerate`]) the derivatives exist: those to the left and to the right agree with
    /// them within 1 % of the most that a parameter of the kind changes the time, for changes that move no point by
    /// more than a few millionths of the size of the bodies.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Body, MotionGradient, Options, Scene};
    /// use glam::DVec3;
    /// // A ball of radius 1 flies from x = -9 to x = 11, and meets another at x = -2. If it starts 1 farther along, at x = -8, it takes
    /// // 19 t = 6 instead of 20 t = 7: to first order the time falls by (1 - t) / 20 = 0.0325.
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("flying", Sphere::new(1.0)?, Motion::linear(at(-9.0)?, at(11.0)?)))?;
    /// scene.add(Body::new("resting", Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
    /// let options = Options::default();
    /// let touch = scene.check(&options)?.answer.touch().cloned().expect("they touch");
    /// let gradient = scene.toi_gradient(&touch, &options)?;
    /// assert_eq!(gradient.degenerate, None);
    /// let MotionGradient::Poses { from, to } = &gradient.bodies[0] else { panic!("it is rigid") };
    /// assert!((from.translation.x + 0.0325).abs() < 1e-8 && (to.translation.x + 0.0175).abs() < 1e-8);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn toi_gradient<'a>(&self, touch: &Touch, ask: impl Into<Ask<'a>>) -> Result<Gradient> {
        let (options, _) = &ask.into().plain("the derivative of a touch")?;
        self.validate(options)?;
        let instants = Instants::new(self);
        let there = Place::of(touch);
        // What a robot holds for a time is padded then.
        let given = self.separation_of_touch(touch, options);
        let padded = touch.gap - options.tolerance;
        let separation = if padded > given { padded } else { given };
        let at_touch = instants.witness(touch, &there, separation)?;
        let flagged = |why: Degenerate, witness: &Witness| {
            let partials = extrapolated(witness, witness);
            Gradient { bodies: self.shaped(&witness.parameters, partials), degenerate: Some(why) }
        };
        if touch.toi == 0.0 {
            return Ok(flagged(Degenerate::AtStart, &at_touch));
        }
        let arms = [0, 1].map(|side| instants.arm(&there, side, touch.points[side]));
        let size = arms.map(|arm| arm.unwrap_or(0.0)).into_iter().fold(0.0, f64::max); // not a bound: measured
        let Some(samples) = instants.samples(touch, &at_touch, [separation, size], options)? else {
            let grazes = at_touch.grazes(options.tolerance, size);
            let why = if grazes { Degenerate::Grazing } else { Degenerate::SeveralFeatures };
            return Ok(flagged(why, &at_touch));
        };
        let Samples { near, far, depth, .. } = &samples;
        let partials = extrapolated(near, far);
        if self.turns_half(touch.bodies) {
            let degenerate = Some(Degenerate::HalfTurn);
            return Ok(Gradient { bodies: self.shaped(&near.parameters, partials), degenerate });
        }
        // At the end of the time, a little later is not at all.
        let is_last = touch.toi + 0.5 * depth / near.closing > options.t_max;
        let degenerate = if near.grazes(options.tolerance, size) || near.closing <= 0.0 {
            Some(Degenerate::Grazing)
        } else if is_last || self.contact_is_shared(&instants, touch, &samples, separation, options)? {
            Some(Degenerate::SeveralFeatures)
        } else {
            // At the contact itself, with the two taken apart along the normal: before it they may slide along each
            // other.
            let apart = Touch { points: touch.points, normal: near.normal, ..touch.clone() };
            let by = instants.displaced(&apart, 0.5 * depth, size, *depth)?;
            let first = near.time_derivatives();
            let differs = |found: &Option<Witness>| {
                found.as_ref().is_none_or(|found| difference(&first, &found.time_derivatives()) > SAME)
            };
            by.iter().any(differs).then_some(Degenerate::SeveralFeatures)
        };
        Ok(Gradient { bodies: self.shaped(&near.parameters, partials), degenerate })
    }

    /// Whether something else touches as early as this contact, with another derivative.
    fn contact_is_shared(
        &self,
        instants: &Instants<'_>,
        touch: &Touch,
        samples: &Samples,
        separation: f64,
        options: &Options,
    ) -> Result<bool> {
        let Samples { near, depth, touch: nearest, .. } = samples;
        if touch.bodies[0] == touch.bodies[1]
            && matches!(self.bodies[touch.bodies[0]].kind(), BodyKind::Deforming(_))
            && self.contacts(touch.toi, options)?.len() > 1
        {
            return Ok(true);
        }
        let extra = separation - self.separation_of_touch(touch, options);
        let of_touch = |found: &Touch| self.separation_of_touch(found, options) + extra;
        // As early as this contact, or later by less than it needs for half the depth.
        let latest = nearest.toi + (near.excess + 0.5 * depth) / near.closing;
        let first = near.time_derivatives();
        let before = 6.0 * depth;
        let span = [nearest.toi, nearest.toi];
        let level = Level::Beyond(options, extra + before);
        let Near { touches, is_complete } = self.near(span, &level, *depth)?;
        if !is_complete {
            return Ok(true);
        }
        let mut others: Vec<Witness> = Vec::new();
        for found in &touches {
            if others.len() > MOST {
                return Ok(true);
            }
            if !instants.is_alike(found, nearest, near.closing / near.speed) {
                others.push(instants.witness(found, &Place::of(found), of_touch(found))?);
            }
        }
        let end = if latest < 1.0 { latest } else { 1.0 };
        let level = Level::Beyond(options, extra);
        let Near { touches: after, is_complete } = self.near([touch.toi, end], &level, *depth)?;
        if !is_complete {
            return Ok(true);
        }
        let mut known: Vec<Place> = Vec::new();
        for found in after {
            let place = Place { t: nearest.toi, ..Place::of(&found) };
            let is_known = |other: &Place| {
                other.bodies == place.bodies
                    && other.parts.map(link_and_shape) == place.parts.map(link_and_shape)
            };
            if is_known(&Place::of(touch)) || known.iter().any(is_known) {
                continue;
            }
            if known.len() > MOST {
                return Ok(true);
            }
            if let Some(found) = instants.closest(&place, None)? {
                others.push(instants.witness(&found, &Place::of(&found), of_touch(&found))?);
            }
            known.push(place);
        }
        let touches_by_then = |other: &Witness| {
            let toi = nearest.toi + other.excess / other.closing;
            // Bodies that part or move along do not touch. Bodies that touch already are no part of the question.
            toi <= latest
                && other.excess > 0.0
                && other.closing > 0.0
                && difference(&first, &other.time_derivatives()) > SAME
        };
        Ok(others.iter().any(touches_by_then))
    }

    /// Returns how the least distance changes with the motions of its two bodies; see [`Scene::toi_gradient`]. It is
    /// degenerate where the two touch, and where the least distance is attained at several places or times, or nearly
    /// so: within a ten-millionth of it. The clearance must be one of this scene; if it was filtered, what is closer
    /// than its lower bound plays no part.
    ///
    /// ```
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Body, MotionGradient, Options, Scene};
    /// # use glam::DVec3;
    /// # let at = |x: f64| Pose::from_translation(DVec3::new(x, 5.0, 0.0));
    /// # let mut scene = Scene::default();
    /// # scene.add(Body::new("flying", Sphere::new(1.0)?, Motion::linear(at(-10.0)?, at(10.0)?)))?;
    /// # scene.add(Body::new("resting", Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
    /// // A ball passes another at y = 5, halfway: half of what either end is moved by along y.
    /// let clearance = scene.clearance(&Options { tolerance: 1e-12, ..Options::default() })?.expect("there is a pair");
    /// let gradient = scene.clearance_gradient(&clearance);
    /// let MotionGradient::Poses { from, to } = &gradient.bodies[0] else { panic!("it is rigid") };
    /// assert!((from.translation.y - 0.5).abs() < 1e-5 && (to.translation.y - 0.5).abs() < 1e-5);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn clearance_gradient(&self, clearance: &Clearance) -> Gradient {
        let instants = Instants::new(self);
        let given = Touch {
            toi: clearance.t,
            free_until: clearance.t,
            gap: clearance.upper,
            bodies: clearance.bodies,
            parts: clearance.parts,
            features: clearance.features,
            points: clearance.points,
            normal: clearance.normal,
        };
        let found = self.least_distance_gradient(&instants, &given, clearance);
        found.unwrap_or_else(|_| {
            let bodies = [MotionGradient::Other, MotionGradient::Other];
            Gradient { bodies, degenerate: Some(Degenerate::SeveralFeatures) }
        })
    }

    fn least_distance_gradient(
        &self,
        instants: &Instants<'_>,
        given: &Touch,
        clearance: &Clearance,
    ) -> Result<Gradient> {
        let flagged = |touch: &Touch, is_flagged: bool| -> Result<Gradient> {
            let there = Place::of(touch);
            let witness = instants.witness(touch, &there, 0.0)?;
            let degenerate = is_flagged.then_some(Degenerate::SeveralFeatures);
            Ok(Gradient { bodies: self.shaped(&witness.parameters, witness.partials), degenerate })
        };
        let place = Place::of(given);
        let arms = [0, 1].map(|side| instants.arm(&place, side, given.points[side]));
        let [first, second] = [arms[0].clone()?, arms[1].clone()?];
        let speed = instants.witness(given, &place, 0.0)?.speed;
        let size = first.max(second).max(speed); // not a bound: measured
        let far = given.points.map(DVec3::length);
        let coordinates = size.max(far[0]).max(far[1]); // not a bound: measured
        if clearance.lower <= 0.0 || given.gap <= 1e-9 * coordinates {
            return flagged(given, true);
        }
        if self.turns_half(given.bodies) {
            return Ok(Gradient { degenerate: Some(Degenerate::HalfTurn), ..flagged(given, true)? });
        }
        let delta = NEAR * given.gap.min(size) + 1e-13 * coordinates; // not a bound: a choice
        let best = instants.refined(given, clearance.until)?;
        // The closest point where it was given stays the reference if nothing better is near.
        let best = if best.gap <= given.gap + 1e-13 * coordinates { best } else { given.clone() };
        let level = best.gap + delta;
        let Near { touches, is_complete } = self.near([0.0, clearance.until], &Level::Same(level), delta)?;
        let there = Place::of(&best);
        let witness = instants.witness(&best, &there, 0.0)?;
        let mut is_flagged = !is_complete;
        // A pair that is closer than the least distance was no part of the question.
        let was_left_out = |bodies: [usize; 2]| {
            let is_closer = |touch: &Touch| touch.bodies == bodies && touch.gap < clearance.lower;
            bodies != clearance.bodies && touches.iter().any(is_closer)
        };
        let mut compared = 0;
        for touch in touches.iter().filter(|touch| !was_left_out(touch.bodies)) {
            if is_flagged || instants.is_alike(touch, &best, 1.0) {
                continue;
            }
            compared += 1;
            let other = instants.witness(touch, &Place::of(touch), 0.0)?;
            is_flagged = compared > MOST || difference(&witness.derivatives, &other.derivatives) > SAME;
        }
        if !is_flagged {
            let by = instants.displaced(&best, delta, size, 0.0)?;
            let differs = |found: &Option<Witness>| {
                found.as_ref().is_none_or(|found| difference(&witness.derivatives, &found.derivatives) > SAME)
            };
            is_flagged = by.iter().any(differs);
        }
        let degenerate = is_flagged.then_some(Degenerate::SeveralFeatures);
        Ok(Gradient { bodies: self.shaped(&witness.parameters, witness.partials), degenerate })
    }

    /// Whether one of two bodies turns by half a turn between its two poses: there the shorter way jumps to the other
    /// side.
    fn turns_half(&self, bodies: [usize; 2]) -> bool {
        /// More than the differences that give the derivatives of a pose turn it by.
        const NEARLY: f64 = 4e-3;
        let turns = |body: usize| match self.bodies[body].kind() {
            BodyKind::Rigid { motion: motion @ (Motion::Linear(_) | Motion::Screw(_)), .. } => {
                let [from, to] = [0.0, 1.0].map(|t| DQuat::from_mat3(&motion.pose_at(t).rotation));
                from.angle_between(to) > std::f64::consts::PI - NEARLY
            }
            _ => false,
        };
        bodies.into_iter().any(turns)
    }

    /// The robot that a side belongs to, as the index of its body and as its step, with the link and shape.
    fn link_of(&self, there: &Place, side: usize) -> Option<(usize, &RobotStep, usize, usize)> {
        let body = there.bodies[side];
        match (self.bodies[body].kind(), there.parts[side]) {
            (BodyKind::Robot(step), Part::Link { link, shape, .. }) => {
                Some((body, step, link as usize, shape as usize))
            }
            (BodyKind::Attached { robot, link }, _) => match self.bodies[*robot].kind() {
                BodyKind::Robot(step) => Some((*robot, step, *link, 0)),
                _ => None,
            },
            _ => None,
        }
    }

    fn pose(&self, there: &Place, side: usize) -> PoseAt {
        if let Some((_, step, link, shape)) = self.link_of(there, side) {
            return step.motion().part(link, shape).pose_at(there.t);
        }
        match self.bodies[there.bodies[side]].kind() {
            BodyKind::Rigid { motion, .. } => motion.pose_at(there.t),
            _ => Motion::AT_REST.pose_at(there.t),
        }
    }

    fn velocity(&self, there: &Place, side: usize, point: DVec3) -> DVec3 {
        let arm = point - self.pose(there, side).translation;
        if let Some((_, step, link, shape)) = self.link_of(there, side) {
            return step.motion().part(link, shape).velocity_at(there.t).of(arm);
        }
        match self.bodies[there.bodies[side]].kind() {
            BodyKind::Rigid { motion, .. } => motion.velocity_at(there.t).of(arm),
            BodyKind::Deforming(tree) => {
                let mesh = tree.mesh();
                let moved = |v: u32| mesh.frame_vertex(1, v) - mesh.frame_vertex(0, v);
                weighted(mesh, there, side, point).iter().map(|(v, weight)| moved(*v) * *weight).sum()
            }
            BodyKind::Affine(ellipsoid) => {
                // The point of the unit ball that is there.
                let (now, rate) = (ellipsoid.changing().at(there.t), ellipsoid.changing().rate(there.t));
                rate.matrix * (now.matrix.inverse() * (point - now.center)) + rate.center
            }
            BodyKind::Robot(_) | BodyKind::RobotPath(_) | BodyKind::Attached { .. } => DVec3::ZERO,
        }
    }

    /// Returns how a point moves with each parameter of the motion of its body, for a body that no robot moves.
    fn partials(&self, there: &Place, side: usize, point: DVec3) -> (Parameters, Vec<DVec3>) {
        let t = there.t;
        match self.bodies[there.bodies[side]].kind() {
            BodyKind::Rigid { motion, .. } => {
                type Between = fn(Pose, Pose) -> Motion;
                let between: Between = match motion {
                    Motion::Linear(_) => Motion::linear,
                    Motion::Screw(_) => Motion::screw,
                    _ => return (Parameters::Other, Vec::new()),
                };
                let at = self.pose(there, side).to_body(point);
                let ends = [0.0, 1.0].map(|t| motion.pose_at(t));
                let place = |end: usize, parameter: usize, by: f64| {
                    let pose = |k: usize| {
                        let PoseAt { rotation, mut translation } = ends[k];
                        let mut rotation = DQuat::from_mat3(&rotation);
                        if k == end && parameter < 3 {
                            translation[parameter] += by;
                        } else if k == end {
                            rotation = turned(rotation, parameter - 3, by);
                        }
                        Pose::new(translation, rotation)
                    };
                    match (pose(0), pose(1)) {
                        (Ok(from), Ok(to)) => between(from, to).pose_at(t).apply(at),
                        _ => point,
                    }
                };
                let each = (0..2).flat_map(|end| (0..6).map(move |parameter| (end, parameter)));
                let each = each.map(|(end, parameter)| derivative(|by| place(end, parameter, by)));
                (Parameters::Poses, each.collect())
            }
            BodyKind::Deforming(tree) => {
                let weights = weighted(tree.mesh(), there, side, point);
                let each = weights.iter().flat_map(|&(_, weight)| {
                    [1.0 - t, t]
                        .into_iter()
                        .flat_map(move |end| DVec3::AXES.map(|axis| axis * (weight * end)))
                });
                let moved = each.collect();
                (Parameters::Vertices(weights.into_iter().map(|(vertex, _)| vertex).collect()), moved)
            }
            BodyKind::Affine(_) | BodyKind::Robot(_) | BodyKind::RobotPath(_) | BodyKind::Attached { .. } => {
                (Parameters::Other, Vec::new())
            }
        }
    }

    /// Derivatives in the order of the parameters, as what they are by.
    fn shaped(&self, parameters: &[Parameters; 2], partials: [Vec<f64>; 2]) -> [MotionGradient; 2] {
        let robots = [0, 1].map(|side| match &parameters[side] {
            Parameters::Joints(robot) | Parameters::Shift(robot) => Some(*robot),
            _ => None,
        });
        if robots[0].is_some() && robots[0] == robots[1] {
            // Two parts of one robot move with the same joints.
            let sum: Vec<f64> = partials[0].iter().zip(&partials[1]).map(|(x, y)| x + y).collect();
            return [0, 1].map(|side| shaped_side(&parameters[side], &sum));
        }
        [0, 1].map(|side| shaped_side(&parameters[side], &partials[side]))
    }
}

/// How a point of a link moves with the variables of its robot: with each at both ends of the step, or with a shift at
/// the time where the ends do not say how it moves.
fn link_partials(
    (step, link, shape): (&RobotStep, usize, usize),
    t: f64,
    point: DVec3,
) -> (bool, Vec<DVec3>) {
    let at = step.motion().part(link, shape).pose_at(t).to_body(point);
    if let Some(now) = step.driven_at(t) {
        let place = |variable: usize, by: f64| {
            let mut moved = now.clone();
            moved[variable] += by;
            let motion = RobotMotion::new(step.robot(), step.base(), &moved, &moved);
            motion.map_or(point, |motion| motion.part(link, shape).pose_at(0.0).apply(at))
        };
        return (true, (0..now.len()).map(|variable| derivative(|by| place(variable, by))).collect());
    }
    let ends = [step.from(), step.to()];
    let place = |end: usize, variable: usize, by: f64| {
        let mut moved = ends.map(<[f64]>::to_vec);
        moved[end][variable] += by;
        let motion = RobotMotion::new(step.robot(), step.base(), &moved[0], &moved[1]);
        motion.map_or(point, |motion| motion.part(link, shape).pose_at(t).apply(at))
    };
    let variables = step.from().len();
    let each = (0..2).flat_map(|end| (0..variables).map(move |variable| (end, variable)));
    (false, each.map(|(end, variable)| derivative(|by| place(end, variable, by))).collect())
}

fn shaped_side(parameters: &Parameters, partials: &[f64]) -> MotionGradient {
    let vector = |k: usize| DVec3::from_slice(&partials[3 * k..]);
    let pose = |k: usize| PoseGradient { translation: vector(k), rotation: vector(k + 1) };
    match parameters {
        Parameters::Fixed | Parameters::Poses => MotionGradient::Poses { from: pose(0), to: pose(2) },
        Parameters::Joints(_) => {
            let (from, to) = partials.split_at(partials.len() / 2);
            MotionGradient::Joints { from: from.to_vec(), to: to.to_vec() }
        }
        Parameters::Shift(_) => MotionGradient::Shift(partials.to_vec()),
        Parameters::Held(_) => {
            let (shift, pose) = partials.split_at(partials.len() - 6);
            let [translation, rotation] = [0, 3].map(|k| DVec3::from_slice(&pose[k..]));
            MotionGradient::Held { shift: shift.to_vec(), pose: PoseGradient { translation, rotation } }
        }
        Parameters::Vertices(vertices) => {
            let each = vertices.iter().enumerate();
            let each = each.map(|(k, &vertex)| VertexGradient {
                vertex,
                from: vector(2 * k),
                to: vector(2 * k + 1),
            });
            MotionGradient::Vertices(each.collect())
        }
        Parameters::Other => MotionGradient::Other,
    }
}

/// A span of time of a scene with robots on trajectories.
struct Span {
    times: [f64; 2],
    scene: Scene,
}

/// A scene at instants. Spans of time are built once.
struct Instants<'a> {
    scene: &'a Scene,
    spans: RefCell<Vec<Rc<Span>>>,
}

/// A scene at an instant.
enum Instant<'a> {
    Whole(&'a Scene, f64),
    Within(Rc<Span>, f64),
}

impl Instant<'_> {
    fn scene(&self) -> &Scene {
        match self {
            Instant::Whole(scene, _) => scene,
            Instant::Within(span, _) => &span.scene,
        }
    }

    /// The instant on the clock of that scene.
    fn own(&self, there: &Place) -> Place {
        let t = match self {
            Instant::Whole(_, t) => *t,
            Instant::Within(span, t) => ((t - span.times[0]) / self.width()).clamp(0.0, 1.0),
        };
        Place { t, ..*there }
    }

    /// Returns the length of the span of time of the scene.
    fn width(&self) -> f64 {
        match self {
            Instant::Whole(..) => 1.0,
            Instant::Within(span, _) => span.times[1] - span.times[0],
        }
    }
}

/// Witnesses before a contact.
struct Samples {
    near: Witness,
    far: Witness,
    /// The closest points of `near`.
    touch: Touch,
    /// About how far the two are apart there.
    depth: f64,
}

impl<'a> Instants<'a> {
    fn new(scene: &'a Scene) -> Instants<'a> {
        Instants { scene, spans: RefCell::new(Vec::new()) }
    }

    /// The scene at an instant; at a waypoint as it is before.
    fn at(&self, t: f64) -> Result<Instant<'a>> {
        if !self.scene.has_paths() {
            return Ok(Instant::Whole(self.scene, t));
        }
        let is_there = |span: &&Rc<Span>| {
            let [start, end] = span.times;
            (start < t || start == 0.0) && t <= end
        };
        if let Some(known) = self.spans.borrow().iter().find(is_there) {
            return Ok(Instant::Within(Rc::clone(known), t));
        }
        let (times, scene) = self.scene.span_before(t)?;
        let span = Rc::new(Span { times, scene });
        self.spans.borrow_mut().push(Rc::clone(&span));
        Ok(Instant::Within(span, t))
    }

    /// The distance of a point from the origin of its body.
    fn arm(&self, there: &Place, side: usize, point: DVec3) -> Result<f64> {
        let instant = self.at(there.t)?;
        Ok(point.distance(instant.scene().pose(&instant.own(there), side).translation))
    }

    /// Returns the parameters of a side, and how a point moves with each.
    fn moved(&self, there: &Place, side: usize, point: DVec3) -> Result<(Parameters, Vec<DVec3>)> {
        let scene = self.scene;
        if let Some((robot, step, link, shape)) = scene.link_of(there, side) {
            let (is_shift, moved) = link_partials((step, link, shape), there.t, point);
            let parameters = if is_shift { Parameters::Shift(robot) } else { Parameters::Joints(robot) };
            return Ok((parameters, moved));
        }
        let instant = self.at(there.t)?;
        let own = instant.own(there);
        let body = there.bodies[side];
        // The six ways in which a change of the pose of a body at rest moves the point. A robot may have carried the
        // body.
        let carried = || {
            let now = instant.scene().pose(&own, side);
            let first = scene.bodies[body].as_rigid().map(|(_, motion)| motion.pose_at(0.0).rotation);
            let turn = first.map_or(glam::DMat3::IDENTITY, |first| now.rotation * first.transpose());
            let arm = point - now.translation;
            let axes = DVec3::AXES.map(|axis| turn * axis);
            [axes[0], axes[1], axes[2], axes[0].cross(arm), axes[1].cross(arm), axes[2].cross(arm)]
        };
        if let Some((robot, step, link, shape)) = instant.scene().link_of(&own, side) {
            let (is_shift, mut moved) = link_partials((step, link, shape), own.t, point);
            if !is_shift {
                // The ends of the span are no waypoints: both together are a shift.
                let variables = moved.len() / 2;
                moved = (0..variables).map(|k| moved[k] + moved[variables + k]).collect();
            }
            if !scene.bodies[body].is_at_rest() {
                return Ok((Parameters::Shift(robot), moved));
            }
            moved.extend(carried());
            return Ok((Parameters::Held(robot), moved));
        }
        if scene.bodies[body].is_at_rest() {
            let of_end = |weight: f64| carried().map(|moved| moved * weight);
            return Ok((Parameters::Fixed, [of_end(1.0 - there.t), of_end(there.t)].concat()));
        }
        Ok(scene.partials(there, side, point))
    }

    /// The witness of closest points.
    fn witness(&self, touch: &Touch, there: &Place, separation: f64) -> Result<Witness> {
        let Touch { points, normal, gap, .. } = *touch;
        let instant = self.at(there.t)?;
        let own = instant.own(there);
        let speed = |side: usize| instant.scene().velocity(&own, side, points[side]) / instant.width();
        let relative = speed(0) - speed(1);
        let (mut parameters, mut partials) = ([Parameters::Other, Parameters::Other], [vec![], vec![]]);
        let mut derivatives = Derivatives::new();
        for side in 0..2 {
            let (of_side, moved) = self.moved(there, side, points[side])?;
            let along = if side == 0 { -normal } else { normal };
            partials[side] = moved.iter().map(|moved| along.dot(*moved)).collect();
            of_side.add_to(&mut derivatives, there.bodies[side], there.t, &partials[side], &moved);
            parameters[side] = of_side;
        }
        Ok(Witness {
            excess: gap - separation,
            normal,
            closing: normal.dot(relative),
            speed: relative.length(),
            partials,
            derivatives,
            parameters,
        })
    }

    /// The closest points of two parts at an instant, with one of them displaced.
    fn closest(&self, there: &Place, by: Option<&Displacement>) -> Result<Option<Touch>> {
        let instant = self.at(there.t)?;
        let found = instant.scene().closest(there.bodies, there.parts, instant.own(there).t, by);
        Ok(found.map(|touch| Touch { toi: there.t, free_until: there.t, ..touch }))
    }

    /// The witnesses of two parts, with one of them turned by about a distance to four sides; none for two parts of one
    /// mesh. With a lift, all are taken apart along the normal by as much, and shifted to four sides, too.
    fn displaced(&self, touch: &Touch, distance: f64, size: f64, lift: f64) -> Result<Vec<Option<Witness>>> {
        let there = Place::of(touch);
        let is_one_mesh = touch.bodies[0] == touch.bodies[1]
            && matches!(self.scene.bodies[touch.bodies[0]].kind(), BodyKind::Deforming(_));
        if is_one_mesh {
            return Ok(Vec::new());
        }
        let (u, v) = touch.normal.any_orthonormal_pair();
        let (about, shift) = (touch.points[1], touch.normal * lift);
        let sides = [u, -u, v, -v];
        let turned = |side: DVec3| Displacement { about, turn: side * (distance / size), shift };
        let shifted = |side: DVec3| Displacement { about, turn: DVec3::ZERO, shift: shift + side * distance };
        let all = sides.map(turned).into_iter().chain(sides.map(shifted).into_iter().filter(|_| lift > 0.0));
        let mut found = Vec::new();
        for by in all {
            let closest = self.closest(&there, Some(&by))?.filter(|closest| closest.gap > 0.0);
            let witness = |found: Touch| self.witness(&found, &Place::of(&found), 0.0);
            found.push(closest.map(witness).transpose()?);
        }
        Ok(found)
    }

    /// The closest points where the distance of two parts is least, near an instant at which it nearly is.
    fn refined(&self, given: &Touch, until: f64) -> Result<Touch> {
        /// No farther away than this part of the time.
        const REACH: f64 = 0.02;
        let sample = |t: f64| -> Result<Option<(Touch, f64)>> {
            let Some(found) = self.closest(&Place { t, ..Place::of(given) }, None)? else { return Ok(None) };
            let closing = self.witness(&found, &Place::of(&found), 0.0)?.closing;
            Ok(Some((found, closing)))
        };
        let Some((first, closing)) = sample(given.toi)? else { return Ok(given.clone()) };
        let later = if closing > 0.0 { 1.0 } else { -1.0 };
        let mut step = 1e-8;
        let (mut near, mut far) = ((given.toi, closing), None);
        while step <= REACH {
            let t = (given.toi + later * step).clamp(0.0, until);
            let Some((_, closing)) = sample(t)? else { break };
            if closing * later <= 0.0 {
                far = Some((t, closing));
                break;
            }
            near = (t, closing);
            if t == 0.0 || t == until {
                break;
            }
            step *= 8.0;
        }
        let Some(mut far) = far else { return Ok(first) };
        // The secant's place, and the middle where it is near an end.
        for round in 0..50 {
            let width = far.0 - near.0;
            if width.abs() <= 1e-14 || near.1 == 0.0 {
                break;
            }
            let part = near.1 / (near.1 - far.1);
            let part = if round % 3 == 2 || part.is_nan() { 0.5 } else { part.clamp(0.01, 0.99) };
            let t = near.0 + width * part;
            let Some((_, closing)) = sample(t)? else { break };
            if closing * later > 0.0 {
                near = (t, closing);
            } else {
                far = (t, closing);
            }
        }
        let t = if near.1.abs() <= far.1.abs() { near.0 } else { far.0 };
        Ok(sample(t)?.map_or(first, |(found, _)| found))
    }

    /// Witnesses before a contact from which its derivatives are extrapolated: at the largest of several depths at
    /// which two extrapolations agree. `None` if there is no such depth.
    fn samples(
        &self,
        touch: &Touch,
        at_touch: &Witness,
        [separation, size]: [f64; 2],
        options: &Options,
    ) -> Result<Option<Samples>> {
        let shallowest = (1e-8 * size).max(8.0 * options.tolerance); // not a bound: a choice
        let mut depth = shallowest.max(BEFORE * size); // not a bound: a choice
        let guess = if at_touch.closing > 1e-3 * at_touch.speed { at_touch.closing } else { at_touch.speed };
        while depth >= shallowest {
            let mut all: Vec<(Touch, Witness)> = Vec::new();
            let mut closing = guess;
            for times in [1.0, 2.0, 4.0] {
                let wanted = times * depth;
                let mut t = touch.toi - (wanted - at_touch.excess) / closing;
                let mut found = None;
                for _ in 0..6 {
                    if t.is_nan() || t <= 0.0 || t >= touch.toi {
                        break;
                    }
                    let place = Place { t, ..Place::of(touch) };
                    let Some(closest) = self.closest(&place, None)? else { break };
                    let place = self.reported(touch, &closest);
                    let witness = self.witness(&closest, &place, separation)?;
                    if witness.excess > 0.5 * wanted && witness.excess < 1.5 * wanted {
                        closing = witness.closing;
                        found = Some((closest, witness));
                        break;
                    }
                    let by = if witness.excess > 0.0 && witness.closing > 0.0 {
                        (witness.excess - wanted) / witness.closing
                    } else {
                        -wanted / at_touch.speed
                    };
                    t += by;
                }
                all.extend(found);
            }
            if let [(nearest, near), (_, far), (_, farther)] = &all[..] {
                let after = touch.toi + depth / near.closing;
                let span = [nearest.toi.min(touch.toi - 4.0 * depth / near.closing), after]; // not a bound: where to look
                let [first, second] =
                    [extrapolated_derivatives(near, far), extrapolated_derivatives(far, farther)];
                if !self.jumps_in(touch.bodies, span) && difference(&first, &second) <= 0.25 * SAME {
                    let (near, far) = (near.clone(), far.clone());
                    return Ok(Some(Samples { near, far, touch: nearest.clone(), depth }));
                }
            }
            depth *= 0.25;
        }
        Ok(None)
    }

    /// Returns the place at which the derivatives of closest points are reported. Triangles that share the closest
    /// feature may take turns; the derivatives are by the vertices of the one that touches.
    fn reported(&self, touch: &Touch, found: &Touch) -> Place {
        let part = |side: usize| match self.scene.bodies[touch.bodies[side]].kind() {
            BodyKind::Deforming(_) => touch.parts[side],
            _ => found.parts[side],
        };
        Place { bodies: found.bodies, parts: [part(0), part(1)], t: found.toi }
    }

    /// Whether the velocity of one of two bodies jumps in a span of time.
    fn jumps_in(&self, bodies: [usize; 2], [from, to]: [f64; 2]) -> bool {
        let jumps_in = |body: usize| match self.scene.bodies[body].kind() {
            BodyKind::Rigid { motion, .. } => jumps(motion).any(|t| from <= t && t <= to),
            _ => false,
        };
        self.scene.has_cut([from, to]) || bodies.into_iter().any(jumps_in)
    }

    /// Returns true if two instants have so nearly the same closest points that their derivatives are the same. `part`
    /// is the part of the speed at which the points close in, where derivatives are divided by it.
    fn is_alike(&self, a: &Touch, b: &Touch, part: f64) -> bool {
        let is_deforming = |body: usize| {
            matches!(self.scene.bodies[body].kind(), BodyKind::Deforming(_) | BodyKind::Affine(_))
        };
        let are_parts = if a.bodies.into_iter().any(is_deforming) {
            a.parts == b.parts
        } else {
            a.parts.map(link_and_shape) == b.parts.map(link_and_shape)
        };
        let near = 0.125 * SAME * part;
        let place = Place::of(a);
        let arms = [0, 1].map(|side| self.arm(&place, side, a.points[side]).unwrap_or(0.0));
        a.bodies == b.bodies
            && are_parts
            && (a.toi - b.toi).abs() <= near
            && a.normal.distance(b.normal) <= near
            && (0..2).all(|side| a.points[side].distance(b.points[side]) <= near * arms[side])
    }
}

/// The link and its shape, if the part belongs to a robot.
fn link_and_shape(part: Part) -> Option<[u32; 2]> {
    match part {
        Part::Link { link, shape, .. } => Some([link, shape]),
        _ => None,
    }
}

/// Which parts of which bodies, and when.
#[derive(Clone, Copy)]
struct Place {
    bodies: [usize; 2],
    parts: [Part; 2],
    t: f64,
}

impl Place {
    fn of(touch: &Touch) -> Place {
        Place { bodies: touch.bodies, parts: touch.parts, t: touch.toi }
    }
}

/// The vertices of a part of a deforming mesh.
fn corners(mesh: &Deformable, part: Part) -> Vec<u32> {
    match part {
        Part::Triangle(i) | Part::Link { piece: LinkPiece::Triangle(i), .. } => {
            mesh.triangles()[i as usize].to_vec()
        }
        Part::LooseEdge(i) => mesh.loose_edge(i).to_vec(),
        Part::LoosePoint(i) => vec![mesh.loose_point(i)],
        Part::Solid | Part::Link { .. } | Part::Piece(_) => Vec::new(),
    }
}

/// The vertices of the part with the weights that make the point.
fn weighted(mesh: &Deformable, there: &Place, side: usize, point: DVec3) -> Vec<(u32, f64)> {
    let corners = corners(mesh, there.parts[side]);
    let Some(&last) = corners.last() else { return Vec::new() };
    let id = |k: usize| corners.get(k).copied().unwrap_or(last);
    let at = |v: u32| mesh.frame_vertex(0, v).lerp(mesh.frame_vertex(1, v), there.t);
    let found = vertex_triangle(point, [0, 1, 2].map(|k| at(id(k))));
    let mut weights: Vec<(u32, f64)> = corners.iter().map(|&v| (v, 0.0)).collect();
    for (k, weight) in found.parameters.into_iter().enumerate() {
        let place = if k < weights.len() { k } else { weights.len() - 1 };
        weights[place].1 += weight;
    }
    weights
}
