//! The derivatives of a touch, or of a least distance, of a scene by the motions of its two bodies.

use glam::DVec3;

use super::Scene;
use crate::answer::{LinkPiece, Part, Touch};
use crate::body::{Body, BodyKind};
use crate::clearance::Clearance;
use crate::control::Control;
use crate::deformable::Deformable;
use crate::elementary::closest::vertex_triangle;
use crate::error::Result;
use crate::gradient::{
    Degenerate, Gradient, MotionGradient, PoseGradient, VertexGradient, Witness, derivative, extrapolated,
    turned,
};
use crate::motion::{Motion, Pose, PoseAt, RigidMotion};
use crate::options::Options;
use crate::robot::{RobotMotion, RobotStep};

impl Scene {
    /// Returns how the time of a touch changes with the motions of its two bodies: the derivatives of `toi` by the poses at both ends, the
    /// joint values, or the positions of vertices. The touch must be one of this scene under these options.
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
    pub fn toi_gradient(&self, touch: &Touch, options: &Options) -> Result<Gradient> {
        self.validate(options)?;
        if self.has_paths() {
            return self.gradient_in_span(touch, options);
        }
        let separation = self.separation(touch.bodies, options);
        let there = Place { bodies: touch.bodies, parts: touch.parts, t: touch.toi };
        let at_touch = self.witness(&there, touch.points, touch.normal, touch.gap - separation);
        // The two earlier instants.
        let arms = [0, 1].map(|side| self.arm(&there, side, touch.points[side]));
        let size = if arms[0] > arms[1] { arms[0] } else { arms[1] };
        let grazes = at_touch.grazes(options.tolerance, size);
        let reach = 1e-5 * size;
        let mut wanted = if reach > 8.0 * options.tolerance { reach } else { 8.0 * options.tolerance };
        let mut samples = None;
        if !grazes && touch.toi > 0.0 {
            for _ in 0..20 {
                let earlier = |excess: f64| touch.toi - (excess - at_touch.excess) / at_touch.closing;
                if earlier(2.0 * wanted) > 0.0 && wanted > at_touch.excess {
                    samples = self.witness_at(touch, earlier(wanted), separation).zip(self.witness_at(
                        touch,
                        earlier(2.0 * wanted),
                        separation,
                    ));
                    break;
                }
                wanted *= 0.5;
            }
        }
        let (near, far) = samples.unwrap_or_else(|| (at_touch.clone(), at_touch.clone()));
        let (partials, mut degenerate) = extrapolated(&near, &far);
        if touch.toi == 0.0 {
            degenerate = Some(Degenerate::AtStart);
        } else if grazes {
            degenerate = Some(Degenerate::Grazing);
        } else if degenerate.is_none() && self.contacts(touch.toi, options)?.len() > 1 {
            degenerate = Some(Degenerate::SeveralFeatures);
        }
        let [a, b] = partials;
        Ok(Gradient { bodies: self.shaped(&there, [a, b]), degenerate })
    }

    /// Returns how the least distance changes with the motions of its two bodies; see [`Scene::toi_gradient`]. It is degenerate where the two touch.
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
        let there = Place { bodies: clearance.bodies, parts: clearance.parts, t: clearance.t };
        let witness = self.witness(&there, clearance.points, clearance.normal, clearance.upper);
        let degenerate = (clearance.lower <= 0.0).then_some(Degenerate::SeveralFeatures);
        Gradient { bodies: self.shaped(&there, witness.partials), degenerate }
    }

    /// The witness of the two bodies of a touch at an earlier time.
    fn witness_at(&self, touch: &Touch, t: f64, separation: f64) -> Option<Witness> {
        let exact = Options { tolerance: f64::MIN_POSITIVE, ..Options::default() };
        let names = touch.bodies.map(|body| self.bodies[body].name());
        let both = |a: &Body, b: &Body| [a.name(), b.name()] == names;
        let found = self.least([t, t], &exact, Some(&both), &Control::default()).ok()??;
        if found.parts.map(|part| part.link()) != touch.parts.map(|part| part.link()) {
            // Another link is closer: its nearest points say nothing about this touch.
            return None;
        }
        // Triangles that share the closest feature may take turns; the derivatives are by the vertices of one.
        let part = |side: usize| match self.bodies[touch.bodies[side]].kind() {
            BodyKind::Deforming(_) => touch.parts[side],
            _ => found.parts[side],
        };
        let there = Place { bodies: found.bodies, parts: [part(0), part(1)], t };
        Some(self.witness(&there, found.points, found.normal, found.upper - separation))
    }

    fn witness(&self, there: &Place, points: [DVec3; 2], normal: DVec3, excess: f64) -> Witness {
        let motions = [0, 1].map(|side| self.velocity(there, side, points[side]));
        let relative = motions[0] - motions[1];
        let partials = [0, 1].map(|side| {
            let along = if side == 0 { -normal } else { normal };
            self.partials(there, side, points[side]).iter().map(|moved| along.dot(*moved)).collect()
        });
        Witness { excess, normal, closing: normal.dot(relative), speed: relative.length(), partials }
    }

    /// The robot that a side belongs to, with the link and shape.
    fn link_of(&self, there: &Place, side: usize) -> Option<(&RobotStep, usize, usize)> {
        match (self.bodies[there.bodies[side]].kind(), there.parts[side]) {
            (BodyKind::Robot(step), Part::Link { link, shape, .. }) => {
                Some((step, link as usize, shape as usize))
            }
            (BodyKind::Attached { robot, link }, _) => match self.bodies[*robot].kind() {
                BodyKind::Robot(step) => Some((step, *link, 0)),
                _ => None,
            },
            _ => None,
        }
    }

    fn pose(&self, there: &Place, side: usize) -> PoseAt {
        if let Some((step, link, shape)) = self.link_of(there, side) {
            return step.motion().part(link, shape).pose_at(there.t);
        }
        match self.bodies[there.bodies[side]].kind() {
            BodyKind::Rigid { motion, .. } => motion.pose_at(there.t),
            _ => Motion::AT_REST.pose_at(there.t),
        }
    }

    /// The distance of a point from the origin of its body.
    fn arm(&self, there: &Place, side: usize, point: DVec3) -> f64 {
        point.distance(self.pose(there, side).translation)
    }

    fn velocity(&self, there: &Place, side: usize, point: DVec3) -> DVec3 {
        let arm = point - self.pose(there, side).translation;
        if let Some((step, link, shape)) = self.link_of(there, side) {
            return step.motion().part(link, shape).velocity_at(there.t).of(arm);
        }
        match self.bodies[there.bodies[side]].kind() {
            BodyKind::Rigid { motion, .. } => motion.velocity_at(there.t).of(arm),
            BodyKind::Deforming(tree) => {
                let mesh = tree.mesh();
                let moved = |v: u32| mesh.frame_vertex(1, v) - mesh.frame_vertex(0, v);
                weighted(mesh, there, side, point).iter().map(|(v, weight)| moved(*v) * *weight).sum()
            }
            BodyKind::Affine(_) | BodyKind::Robot(_) | BodyKind::RobotPath(_) | BodyKind::Attached { .. } => {
                DVec3::ZERO
            }
        }
    }

    /// How the point moves with each parameter of the motion of its body.
    fn partials(&self, there: &Place, side: usize, point: DVec3) -> Vec<DVec3> {
        let at = self.pose(there, side).to_body(point);
        let t = there.t;
        if let Some((step, link, shape)) = self.link_of(there, side) {
            let ends = [step.from(), step.to()];
            if let Some(now) = step.driven_at(t) {
                // Its ends do not say how it moves: by a shift of where it is.
                let place = |variable: usize, by: f64| {
                    let mut moved = now.clone();
                    moved[variable] += by;
                    let motion = RobotMotion::new(step.robot(), step.base(), &moved, &moved);
                    motion.map_or(point, |motion| motion.part(link, shape).pose_at(0.0).apply(at))
                };
                return (0..now.len()).map(|variable| derivative(|by| place(variable, by))).collect();
            }
            let place = |end: usize, variable: usize, by: f64| {
                let mut moved = ends.map(<[f64]>::to_vec);
                moved[end][variable] += by;
                let motion = RobotMotion::new(step.robot(), step.base(), &moved[0], &moved[1]);
                motion.map_or(point, |motion| motion.part(link, shape).pose_at(t).apply(at))
            };
            let variables = step.from().len();
            let each = (0..2).flat_map(|end| (0..variables).map(move |variable| (end, variable)));
            return each.map(|(end, variable)| derivative(|by| place(end, variable, by))).collect();
        }
        match self.bodies[there.bodies[side]].kind() {
            BodyKind::Rigid { motion, .. } => {
                type Between = fn(Pose, Pose) -> Motion;
                let between: Between = match motion {
                    Motion::Fixed(_) | Motion::Linear(_) => Motion::linear,
                    Motion::Screw(_) => Motion::screw,
                    _ => return Vec::new(),
                };
                let ends = [0.0, 1.0].map(|t| motion.pose_at(t));
                let place = |end: usize, parameter: usize, by: f64| {
                    let pose = |k: usize| {
                        let PoseAt { rotation, mut translation } = ends[k];
                        let mut rotation = glam::DQuat::from_mat3(&rotation);
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
                each.map(|(end, parameter)| derivative(|by| place(end, parameter, by))).collect()
            }
            BodyKind::Deforming(tree) => {
                let weights = weighted(tree.mesh(), there, side, point);
                let each = weights.into_iter().flat_map(|(_, weight)| {
                    [1.0 - t, t]
                        .into_iter()
                        .flat_map(move |end| DVec3::AXES.map(|axis| axis * (weight * end)))
                });
                each.collect()
            }
            BodyKind::Affine(_) | BodyKind::Robot(_) | BodyKind::RobotPath(_) | BodyKind::Attached { .. } => {
                Vec::new()
            }
        }
    }

    /// Derivatives in the order of `partials`, as what they are by.
    fn shaped(&self, there: &Place, partials: [Vec<f64>; 2]) -> [MotionGradient; 2] {
        let mut shaped = [0, 1].map(|side| self.shaped_side(there, side, &partials[side]));
        let robots = [0, 1].map(|side| self.link_of(there, side).map(|(step, ..)| std::ptr::from_ref(step)));
        if robots[0].is_some() && robots[0] == robots[1] {
            // Two parts of one robot move with the same joints.
            let sum: Vec<f64> = partials[0].iter().zip(&partials[1]).map(|(x, y)| x + y).collect();
            shaped = [0, 1].map(|side| self.shaped_side(there, side, &sum));
        }
        shaped
    }

    fn shaped_side(&self, there: &Place, side: usize, partials: &[f64]) -> MotionGradient {
        if let Some((step, ..)) = self.link_of(there, side) {
            if step.is_driven() {
                return MotionGradient::Shift(partials.to_vec());
            }
            let (from, to) = partials.split_at(step.from().len());
            return MotionGradient::Joints { from: from.to_vec(), to: to.to_vec() };
        }
        let vector = |k: usize| DVec3::from_slice(&partials[3 * k..]);
        match self.bodies[there.bodies[side]].kind() {
            BodyKind::Rigid { .. } if partials.len() == 12 => MotionGradient::Poses {
                from: PoseGradient { translation: vector(0), rotation: vector(1) },
                to: PoseGradient { translation: vector(2), rotation: vector(3) },
            },
            BodyKind::Deforming(tree) => {
                let corners = corners(tree.mesh(), there.parts[side]);
                let each = corners.into_iter().enumerate();
                MotionGradient::Vertices(
                    each.map(|(k, vertex)| VertexGradient {
                        vertex,
                        from: vector(2 * k),
                        to: vector(2 * k + 1),
                    })
                    .collect(),
                )
            }
            _ => MotionGradient::Other,
        }
    }
}

impl Scene {
    /// [`Scene::toi_gradient`] for a scene with robots on trajectories: that of the span of time in which the touch is, on the clock of the scene.
    fn gradient_in_span(&self, touch: &Touch, options: &Options) -> Result<Gradient> {
        let ([start, end], scene) = self.span_before(touch.toi)?;
        let width = end - start;
        let own = Touch { toi: ((touch.toi - start) / width).clamp(0.0, 1.0), ..touch.clone() };
        let mut gradient = scene.toi_gradient(&own, options)?;
        for (side, body) in gradient.bodies.iter_mut().enumerate() {
            let rests = self.bodies[touch.bodies[side]].is_at_rest();
            *body = match std::mem::replace(body, MotionGradient::Other) {
                // The ends of the span are no waypoints: both together are a shift.
                MotionGradient::Joints { from, to } => {
                    MotionGradient::Shift(from.iter().zip(&to).map(|(x, y)| (x + y) * width).collect())
                }
                MotionGradient::Shift(by) => MotionGradient::Shift(by.iter().map(|x| x * width).collect()),
                MotionGradient::Poses { from, to } if rests => {
                    MotionGradient::Poses { from: from.scaled(width), to: to.scaled(width) }
                }
                // The motion of another body during the span is not the one that was given.
                _ => MotionGradient::Other,
            };
        }
        Ok(gradient)
    }
}

/// Which parts of which bodies, and when.
struct Place {
    bodies: [usize; 2],
    parts: [Part; 2],
    t: f64,
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
