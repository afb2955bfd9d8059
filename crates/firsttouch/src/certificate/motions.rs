//! The statement of bodies and their motions.
//!
//! A motion is written as a chain of steps. Some of the engines' motions are defined by a formula with an arc tangent,
//! such as the angle between two quaternions. For these, the file has the computed number and a bound of the distance
//! of the exact motion from it: the error that the motion has for its computed poses, doubled, and the roundings of
//! this file.
//! - `linear`: the origin slides, the body turns about the computed axis by the computed angle.
//! - `screw`: the body turns about the axis through the computed centre `c` and slides along it. From `Δ⊥`, across
//!   the axis, `c − p = (Δ⊥ + cot(θ/2) u × Δ⊥) / 2`. Any `c` is a motion; that of an inexact one is off by no more
//!   than `c` is.
//! - `contact_screw`: the same, with its own timing of the shift, in two moves if the motion has two halves.
//! - `turn`: the same about the line given.
//! - `path`: the moves of its legs. `rational`, and joints along polynomials: their Bernstein coefficients.

use std::collections::HashMap;
use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::pieces::Pieces;
use super::shapes::{at, deforming, no_statement, stated};
use super::statement::{Frame, Place, StatedPart, StatedShape, StatedSolid, Statement, Step};
use crate::body::{Body, BodyKind};
use crate::ellipsoid::{AffineEllipsoid, EllipsoidMotion};
use crate::error::Result;
use crate::motion::{JointPiece, Motion, Pose, PoseAt, PoseError, Rational, RigidMotion, Spline};
use crate::numerics::bernstein::Bernstein;
use crate::numerics::bound::{largest_upper, upper_max};
use crate::numerics::portable::tangent;
use crate::numerics::rounding::UNIT;
use crate::robot::{JointKind, LinkJoint, Robot, RobotPath, RobotStep};
use crate::shape::Shape;

/// Below this angle the centre of a screw is too far away to be written.
const SMALLEST_TURN: f64 = 1e-7;

/// Moves of a frame, and bounds of its distance from them: rotation and translation.
type Moves = (Vec<(f64, Vec<Step>)>, [f64; 2]);

/// A statement that grows.
#[derive(Default)]
pub(crate) struct StatementBuilder {
    statement: Statement,
    /// Shapes that are shared, by their address.
    shared: HashMap<usize, usize>,
    /// Robots keep their shapes alive until the statement is complete.
    kept: Vec<Shape>,
}

/// The parts of a body in a statement.
pub(crate) enum StatedBody {
    Whole(usize),
    /// The link, the number of its shape, and the part.
    Robot(Vec<([usize; 2], usize)>),
    /// It is a link of a robot.
    Attached,
}

impl StatementBuilder {
    /// Adds a body with all of its parts.
    pub(crate) fn add(&mut self, body: &Body) -> Result<StatedBody> {
        let name = body.name();
        let (shape, moves) = match body.kind() {
            BodyKind::Rigid { shape, motion } => {
                let (parent, motion) = self.outer(name, motion)?;
                let mut moves = moves_of(name, motion)?;
                if shape.is_unbounded() {
                    moves.1 = [0.0; 2];
                }
                let frame = self.frame(name, parent, moves);
                let shape = self.shape(name, shape)?;
                return Ok(StatedBody::Whole(self.part(name, "", frame, shape)));
            }
            BodyKind::Affine(ellipsoid) => {
                let ball = StatedShape::Solid(StatedSolid::Sphere(1.0));
                (ball, affine_moves(name, ellipsoid)?)
            }
            BodyKind::Deforming(tree) => (deforming(tree.mesh()), (vec![(1.0, Vec::new())], [0.0; 2])),
            BodyKind::Robot(step) => {
                return Ok(StatedBody::Robot(self.robot(
                    name,
                    step.robot(),
                    step.base(),
                    &[(1.0, (**step).clone())],
                )?));
            }
            BodyKind::RobotPath(path) => {
                return Ok(StatedBody::Robot(self.robot(
                    name,
                    path.robot(),
                    path.base(),
                    &steps_of(path)?,
                )?));
            }
            BodyKind::Attached { .. } => return Ok(StatedBody::Attached),
        };
        let frame = self.frame(name, None, moves);
        let shape = self.push_shape(Arc::new(Pieces::of(shape)));
        Ok(StatedBody::Whole(self.part(name, "", frame, shape)))
    }

    /// Returns the statement, with rules about its pairs.
    pub(crate) fn end(
        self,
        separation: f64,
        separations: Vec<([usize; 2], f64)>,
        unchecked: Vec<(String, Vec<[usize; 2]>)>,
    ) -> Statement {
        let unchecked = unchecked.into_iter().filter(|(_, pairs)| !pairs.is_empty()).collect();
        Statement { separation, separations, unchecked, ..self.statement }.sorted()
    }

    fn part(&mut self, body: &str, name: &str, frame: Option<usize>, shape: usize) -> usize {
        self.statement.parts.push(StatedPart { body: body.into(), name: name.into(), frame, shape });
        self.statement.parts.len() - 1
    }

    /// Adds a frame, and returns it. Returns the parent if the moves are the identity.
    fn frame(&mut self, name: &str, parent: Option<usize>, (moves, within): Moves) -> Option<usize> {
        let is_same = |steps: &Vec<Step>| steps.iter().all(|step| *step == Step::Pose(at(DVec3::ZERO)));
        if within == [0.0; 2] && moves.iter().all(|(_, steps)| is_same(steps)) {
            return parent;
        }
        self.statement.frames.push(Frame { name: name.into(), parent, moves, within });
        Some(self.statement.frames.len() - 1)
    }

    fn push_shape(&mut self, shape: Arc<Pieces>) -> usize {
        self.statement.shapes.push(shape);
        self.statement.shapes.len() - 1
    }

    fn shape(&mut self, name: &str, shape: &Shape) -> Result<usize> {
        let address = match shape {
            Shape::Mesh(shape) => Arc::as_ptr(shape) as usize,
            Shape::Hull(shape) => Arc::as_ptr(shape) as usize,
            Shape::Compound(shape) => Arc::as_ptr(shape) as usize,
            Shape::SolidMesh(shape) => Arc::as_ptr(shape) as usize,
            Shape::PointCloud(shape) => Arc::as_ptr(shape) as usize,
            Shape::Octree(shape) => Arc::as_ptr(shape) as usize,
            Shape::HeightField(shape) => Arc::as_ptr(shape) as usize,
            _ => 0,
        };
        if let Some(&known) = self.shared.get(&address) {
            return Ok(known);
        }
        let index = self.push_shape(stated(name, shape)?);
        if address != 0 {
            self.shared.insert(address, index);
            self.kept.push(shape.clone());
        }
        Ok(index)
    }

    /// Adds the frames that a motion is in. Returns the innermost one, and the motion in it.
    fn outer<'a>(&mut self, name: &str, motion: &'a Motion) -> Result<(Option<usize>, &'a Motion)> {
        let Motion::Within(within) = motion else { return Ok((None, motion)) };
        let (parent, own) = self.outer(name, within.frame())?;
        let frame = self.frame(&format!("frame of {name}"), parent, moves_of(name, own)?);
        // A motion within a frame may itself be one.
        match within.motion() {
            inner @ Motion::Within(_) => {
                let (nested, own) = self.outer_in(name, frame, inner)?;
                Ok((nested, own))
            }
            inner => Ok((frame, inner)),
        }
    }

    fn outer_in<'a>(
        &mut self,
        name: &str,
        base: Option<usize>,
        motion: &'a Motion,
    ) -> Result<(Option<usize>, &'a Motion)> {
        let Motion::Within(within) = motion else { return Ok((base, motion)) };
        let (parent, own) = self.outer_in(name, base, within.frame())?;
        let frame = self.frame(&format!("frame of {name}"), parent, moves_of(name, own)?);
        self.outer_in(name, frame, within.motion())
    }

    fn robot(
        &mut self,
        name: &str,
        robot: &Robot,
        base: Pose,
        steps: &[(f64, RobotStep)],
    ) -> Result<Vec<([usize; 2], usize)>> {
        let base = self.frame(name, None, (vec![(1.0, vec![Step::Pose(base.into())])], [0.0; 2]));
        let (mut frames, mut parts) = (Vec::with_capacity(robot.links().len()), Vec::new());
        for (number, link) in robot.links().iter().enumerate() {
            let frame = match link.joint() {
                None => base,
                Some(joint) => {
                    let mut within = [0.0_f64; 2];
                    let mut moves = Vec::with_capacity(steps.len());
                    for (until, step) in steps {
                        let mut own = vec![Step::Pose(joint.origin.into())];
                        let error = joint_steps(name, joint, step, &mut own)?;
                        within = [upper_max(within[0], error[0]), upper_max(within[1], error[1])];
                        moves.push((*until, own));
                    }
                    let rests = moves.iter().all(|(_, own)| *own == moves[0].1);
                    if rests {
                        moves = vec![(1.0, moves.swap_remove(0).1)];
                    }
                    self.frame(link.name(), frames[joint.parent], (moves, within))
                }
            };
            frames.push(frame);
            for (k, part) in link.parts().iter().enumerate() {
                let place = (vec![(1.0, vec![Step::Pose(part.pose.into())])], [0.0; 2]);
                let own = self.frame(link.name(), frame, place);
                let shape = self.shape(name, &part.shape)?;
                let label = if link.parts().len() > 1 {
                    format!("{}/shape {k}", link.name())
                } else {
                    link.name().into()
                };
                parts.push(([number, k], self.part(name, &label, own, shape)));
            }
        }
        Ok(parts)
    }
}

/// Returns the segments of a robot's path on the common clock. Before the path and after it the robot rests.
fn steps_of(path: &RobotPath) -> Result<Vec<(f64, RobotStep)>> {
    let times: Vec<f64> = path.times().collect();
    let last = times.len() - 2;
    let mut steps = Vec::new();
    if times[0] > 0.0 {
        steps.push((times[0], path.step(0)?.resting_at(0.0)?));
    }
    for segment in 0..=last {
        steps.push((times[segment + 1], path.step(segment)?));
    }
    if times[last + 1] < 1.0 {
        steps.push((1.0, path.step(last)?.resting_at(1.0)?));
    }
    Ok(steps)
}

/// Adds the steps of a joint. Returns bounds of its distance from them: rotation and translation.
fn joint_steps(name: &str, joint: &LinkJoint, step: &RobotStep, own: &mut Vec<Step>) -> Result<[f64; 2]> {
    // The Bernstein coefficients of a variable, and their error.
    let variable = |k: usize| -> (Vec<f64>, f64) {
        let at = joint.variable + k;
        match step.pieces() {
            Some(pieces) => (pieces[at].coefficients().to_vec(), error_of(&pieces[at])),
            None => (line(step.from()[at], step.to()[at]), 0.0),
        }
    };
    // The same for a joint that may follow another one.
    let value = || {
        let (multiplier, offset) = joint.scale;
        let (mut coefficients, error) = variable(0);
        if (multiplier, offset) == (1.0, 0.0) {
            return (coefficients, error);
        }
        let size = largest_upper(coefficients.iter().map(|c| (c * multiplier).abs()));
        coefficients.iter_mut().for_each(|c| *c = *c * multiplier + offset);
        (coefficients, error * multiplier.abs() + 8.0 * UNIT * (size + offset.abs()))
    };
    Ok(match joint.kind {
        JointKind::Fixed => [0.0; 2],
        JointKind::Revolute { axis } => {
            let (angle, error) = value();
            own.push(Step::Turn(axis, angle));
            [error, 0.0]
        }
        JointKind::Prismatic { axis } => {
            let (distance, error) = value();
            own.push(Step::Along(axis, distance));
            [0.0, error]
        }
        JointKind::Planar { normal } => {
            let [x, y, angle] = [0, 1, 2].map(variable);
            let (along_x, along_y) = crate::robot::plane_axes(normal.normalize());
            let size = largest_upper([&x, &y].into_iter().flat_map(|(c, _)| c.iter().map(|c| c.abs())));
            own.extend([Step::Along(along_x, x.0), Step::Along(along_y, y.0), Step::Turn(normal, angle.0)]);
            [angle.1, x.1 + y.1 + 256.0 * UNIT * size]
        }
        JointKind::Floating | JointKind::Ball => {
            let first = joint.kind.quaternion().unwrap_or(0);
            let place = |end: &[f64]| joint.placement(end);
            let (start, end) = (place(step.from())?, place(step.to())?);
            if step.pieces().is_some()
                && (0..4).any(|k| variable(first + k).0.iter().any(|c| *c != variable(first + k).0[0]))
            {
                return Err(no_statement(name, "an orientation along polynomials"));
            }
            let mut error = 0.0;
            if first > 0 {
                let columns = [0, 1, 2].map(variable);
                let degree = columns.iter().map(|(c, _)| c.len()).fold(1, usize::max);
                let at = |k: usize| {
                    DVec3::from_array([0, 1, 2].map(|j| columns[j].0[k.min(columns[j].0.len() - 1)]))
                }; // not a bound: an index
                if columns.iter().any(|(c, _)| c.len() != degree && c.len() != 1) {
                    return Err(no_statement(
                        name,
                        "a floating joint along polynomials of different degrees",
                    ));
                }
                own.push(Step::Slide((0..degree).map(at).collect(), Vec::new()));
                error = columns.iter().map(|(_, error)| error).sum::<f64>();
            }
            let (moves, within) = moves_of(name, &Motion::linear(turned(start), turned(end)))?;
            own.extend(moves.into_iter().flat_map(|(_, steps)| steps));
            [within[0], within[1] + error * (1.0 + 8.0 * UNIT)]
        }
    })
}

fn turned(pose: Pose) -> Pose {
    Pose::new(DVec3::ZERO, pose.rotation()).unwrap_or(Pose::IDENTITY)
}

fn error_of(piece: &JointPiece) -> f64 {
    if piece.is_constant() { 0.0 } else { piece.errors()[0] }
}

/// Returns the coefficients of a straight line.
fn line(from: f64, to: f64) -> Vec<f64> {
    if from == to { vec![from] } else { vec![from, to] }
}

fn slide(from: DVec3, to: DVec3) -> Step {
    Step::Slide(if from == to { vec![from] } else { vec![from, to] }, Vec::new())
}

/// Returns the place of a computed pose.
fn place_of(pose: PoseAt) -> Place {
    Place { rotation: DQuat::from_mat3(&pose.rotation).normalize(), translation: pose.translation }
}

/// Returns the errors of a motion that is written by its computed poses. `size` is the size of the numbers in the file,
/// `angle` the angle of the motion.
fn errors(error: PoseError, size: f64, angle: f64) -> [f64; 2] {
    [
        2.0 * error.rotation + 128.0 * UNIT * (1.0 + angle),
        2.0 * error.translation + 128.0 * UNIT * size * (1.0 + angle),
    ]
}

/// Returns the moves of a motion in the world.
fn moves_of(name: &str, motion: &Motion) -> Result<Moves> {
    let (start, error) = (motion.pose_at(0.0), motion.pose_error());
    let place = place_of(start);
    let once = |steps: Vec<Step>, within: [f64; 2]| Ok((vec![(1.0, steps)], within));
    let angular = motion.velocity_at(0.0).angular;
    let angle = angular.length();
    let turn = || Step::Turn(angular / angle, vec![0.0, angle]);
    let rotation = |place: Place| Step::Pose(Place { translation: DVec3::ZERO, ..place });
    match motion {
        Motion::Fixed(_) => {
            let is_exact = start.rotation == glam::DMat3::IDENTITY;
            let place = if is_exact { at(start.translation) } else { place };
            once(vec![Step::Pose(place)], if is_exact { [0.0; 2] } else { [128.0 * UNIT, 0.0] })
        }
        Motion::Linear(_) => {
            let to = start.translation + motion.velocity_at(0.0).origin;
            let mut steps = vec![slide(start.translation, to)];
            if angle > 0.0 {
                steps.push(turn());
            }
            if place.rotation != DQuat::IDENTITY {
                steps.push(rotation(place));
            }
            let is_exact = angle == 0.0 && start.rotation == glam::DMat3::IDENTITY;
            let size = upper_max(start.translation.length(), to.length());
            let [turned, moved] = errors(error, size, 0.0);
            once(steps, if is_exact { [0.0, moved] } else { [turned, moved] })
        }
        Motion::Screw(_) => {
            let way = motion.pose_at(1.0).translation - start.translation;
            if angle == 0.0 {
                return once(
                    vec![slide(start.translation, start.translation + way), rotation(place)],
                    errors(error, start.translation.length() + way.length(), 0.0),
                );
            }
            if angle < SMALLEST_TURN {
                return Err(no_statement(name, "a screw that hardly turns: use a linear motion"));
            }
            let axis = angular / angle;
            let along = axis * axis.dot(way);
            let across = way - along;
            let center = start.translation + 0.5 * (across + axis.cross(across) / tangent(0.5 * angle));
            let arm = start.translation - center;
            let steps =
                vec![slide(center, center + along), turn(), Step::Pose(Place { translation: arm, ..place })];
            once(steps, errors(error, center.length() + arm.length() + way.length(), angle))
        }
        Motion::Turn(turn) => {
            let Some(axis) = motion.turning_line(crate::numerics::Window::between(0.0, 1.0)) else {
                return Err(no_statement(name, "a turn without an axis"));
            };
            let arm = start.translation - axis.point;
            let steps = vec![
                Step::Pose(at(axis.point)),
                Step::Turn(axis.axis, vec![0.0, turn.angle()]),
                Step::Pose(Place { translation: arm, ..place }),
            ];
            let size = axis.point.length() + arm.length();
            let [turned, moved] = errors(error, size, turn.angle().abs());
            once(steps, [turned, moved + 2.0 * (axis.off + axis.tilt * arm.length())])
        }
        Motion::Path(path) => {
            let (mut all, mut within) = (Vec::new(), [0.0_f64; 2]);
            for (until, leg, correction) in path.legs() {
                let (moves, error) = moves_of(name, leg)?;
                let start = all.last().map_or(0.0, |(until, _): &(f64, Vec<Step>)| *until);
                let own = [error[0] + correction.rotation, error[1] + correction.translation];
                // The time in the leg has a few roundings. The motion of the body in them is covered by `16u` times its
                // speed.
                let bounds = leg.velocity_bounds(crate::numerics::Window::between(0.0, 1.0));
                let fast = [
                    bounds.center.angular.length() + bounds.angular_radius,
                    bounds.center.origin.length() + bounds.origin_radius,
                ];
                within = [0, 1]
                    .map(|k| upper_max(within[k], (own[k] + 16.0 * UNIT * fast[k]) * (1.0 + 8.0 * UNIT)));
                let one = moves.len() == 1;
                let time = |s: f64| if one || s == 1.0 { until } else { start + (until - start) * s };
                all.extend(moves.into_iter().map(|(s, steps)| (time(s), steps)));
            }
            Ok((all, within))
        }
        Motion::Spline(spline) => spline_moves(name, spline),
        Motion::Rational(rational) => once(rational_steps(rational), errors(error, 0.0, 0.0)),
        Motion::Within(_) => Err(no_statement(name, "a frame within a frame on a path")),
        Motion::ContactScrew(screw) => {
            let axis = screw.axis();
            let Some(center) = axis.point.filter(|_| axis.angle >= SMALLEST_TURN) else {
                if axis.angle > 0.0 {
                    return Err(no_statement(name, "a screw that hardly turns: use a linear motion"));
                }
                let way = screw.displacement();
                let steps = vec![slide(start.translation, start.translation + way), rotation(place)];
                return once(steps, errors(error, start.translation.length() + way.length(), 0.0));
            };
            let arm = start.translation - center;
            let inner = Step::Pose(Place { translation: arm, ..place });
            let halves = if screw.jump_after(0.0).is_some() { 2 } else { 1 };
            let (angle, shift) = (axis.angle / f64::from(halves), axis.shift / f64::from(halves));
            let moves = (0..halves).map(|k| {
                let k = f64::from(k);
                let before = Step::Pose(at(center + axis.direction * (shift * k)));
                let turn = Step::Turn(axis.direction, vec![angle * k, angle * (k + 1.0)]);
                let until = if halves == 1 { 1.0 } else { 0.5 * (k + 1.0) };
                (until, vec![before, Step::Tangent(axis.direction, angle, shift), turn, inner.clone()])
            });
            let size = center.length() + arm.length() + axis.shift.abs();
            Ok((moves.collect(), errors(error, 4.0 * size, axis.angle)))
        }
        Motion::Custom(_) => Err(no_statement(name, "a motion of the user's own")),
    }
}

/// Returns the moves of a spline that does not turn: cubics with the velocities at its poses.
fn spline_moves(name: &str, spline: &Spline) -> Result<Moves> {
    if spline.velocities().iter().any(|velocity| velocity.angular != DVec3::ZERO) {
        return Err(no_statement(name, "a spline that turns"));
    }
    let times = spline.times();
    let place = place_of(spline.pose_at(0.0));
    let (mut moves, mut size) = (Vec::new(), 0.0_f64);
    for k in 0..times.len() - 1 {
        let width = times[k + 1] - times[k];
        let [p, q] = [times[k], times[k + 1]].map(|t| spline.pose_at(t).translation);
        let [u, v] = [k, k + 1].map(|k| spline.velocities()[k].origin * (width / 3.0));
        size = largest_upper([size, p.length(), q.length(), u.length(), v.length()]);
        let rotation = Step::Pose(Place { translation: DVec3::ZERO, ..place });
        moves.push((times[k + 1], vec![Step::Slide(vec![p, p + u, q - v, q], Vec::new()), rotation]));
    }
    Ok((moves, errors(spline.pose_error(), 16.0 * size, 0.0)))
}

/// Returns rows of coefficients, all of one degree.
fn rows<const N: usize>(columns: [&Bernstein; N]) -> Vec<[f64; N]> {
    let degree = columns.iter().map(|column| column.degree()).fold(0, usize::max);
    let columns = columns.map(|column| column.elevated(degree));
    (0..=degree).map(|k| columns.each_ref().map(|column| column.coefficients()[k])).collect()
}

fn weight_of(weight: &Bernstein) -> Vec<f64> {
    let coefficients = weight.coefficients();
    if coefficients.iter().all(|&c| c == 1.0) { Vec::new() } else { coefficients.to_vec() }
}

fn rational_steps(rational: &Rational) -> Vec<Step> {
    let [x, y, z] = rational.xyz();
    let xyz = rows([x, y, z]).into_iter().map(DVec3::from_array).collect();
    let [w, i, j, k] = rational.quaternion();
    vec![Step::Slide(xyz, weight_of(rational.weight())), Step::Quat(rows([w, i, j, k]))]
}

fn affine_moves(name: &str, ellipsoid: &AffineEllipsoid) -> Result<Moves> {
    let EllipsoidMotion::Affine(affine) = ellipsoid.motion() else {
        return Err(no_statement(name, "an interpolant of two ellipsoids"));
    };
    let weight = affine.weight();
    let least = weight.range().0;
    if least <= 0.0 {
        return Err(no_statement(name, "a weight that is not positive"));
    }
    let [a, b, c] = affine.linear().each_ref().map(|row| row.each_ref());
    let [x, y, z] = affine.xyz();
    let xyz: Vec<DVec3> = rows([x, y, z]).into_iter().map(DVec3::from_array).collect();
    let linear = rows([a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]]);
    // The errors of the coefficients, and of those that were elevated, over the weight; its own errors count as much
    // as the quotient is large.
    let relative = |columns: &[&Bernstein]| {
        let error = |column: &&Bernstein| {
            let size = largest_upper(column.coefficients().iter().map(|c| c.abs()));
            largest_upper(column.errors().iter().copied()) + 64.0 * UNIT * size
        };
        let size = |column: &&Bernstein| largest_upper(column.coefficients().iter().map(|c| c.abs()));
        let own = largest_upper(weight.errors().iter().copied()) / least;
        columns.iter().map(|column| (error(column) + own * size(column)) / least).sum::<f64>() * 1.001
    };
    let within = [relative(&[a, b, c].concat()), relative(&[x, y, z])];
    let weight = weight_of(weight);
    Ok((vec![(1.0, vec![Step::Slide(xyz, weight.clone()), Step::Linear(linear, weight)])], within))
}
