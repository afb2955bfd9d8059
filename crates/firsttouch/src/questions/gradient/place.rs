//! The position of a point of a part, and its derivatives by time and by each parameter of the motion of its body.

use glam::{DQuat, DVec3};

use crate::answer::{LinkPiece, Part, Touch};
use crate::body::BodyKind;
use crate::deformable::Deformable;
use crate::elementary::closest::vertex_triangle;
use crate::gradient::{Parameters, derivative, turned};
use crate::motion::{Motion, Pose, PoseAt, RigidMotion};
use crate::numerics::portable::rotation_between;
use crate::questions::World;
use crate::robot::{RobotMotion, RobotStep};

/// Returns the link and its shape, if the part belongs to a robot.
pub(super) fn link_and_shape(part: Part) -> Option<[u32; 2]> {
    match part {
        Part::Link { link, shape, .. } => Some([link, shape]),
        _ => None,
    }
}

/// Two parts, their bodies, and a time.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) bodies: [usize; 2],
    pub(super) parts: [Part; 2],
    pub(super) t: f64,
}

impl Place {
    pub(super) fn of(touch: &Touch) -> Place {
        Place { bodies: touch.bodies, parts: touch.parts, t: touch.toi }
    }
}

/// Returns true if one of two bodies turns by about half a turn between its two poses: there the shorter way jumps to
/// the other side.
pub(super) fn turns_half<W: World>(world: &W, bodies: [usize; 2]) -> bool {
    /// A larger angle than any by which the derivatives of a pose turn it for their differences.
    const NEARLY: f64 = 4e-3;
    let turns = |body: usize| match world.body(body).kind() {
        BodyKind::Rigid { motion: motion @ (Motion::Linear(_) | Motion::Screw(_)), .. } => {
            let [from, to] = [0.0, 1.0].map(|t| DQuat::from_mat3(&motion.pose_at(t).rotation));
            rotation_between(from, to) > std::f64::consts::PI - NEARLY
        }
        _ => false,
    };
    bodies.into_iter().any(turns)
}

/// Returns the robot that a side belongs to, as the index of its body and as its step, with the link and shape.
pub(super) fn link_of<'a, W: World>(
    world: &'a W,
    there: &Place,
    side: usize,
) -> Option<(usize, &'a RobotStep, usize, usize)> {
    let body = there.bodies[side];
    match (world.body(body).kind(), there.parts[side]) {
        (BodyKind::Robot(step), Part::Link { link, shape, .. }) => {
            Some((body, step, link as usize, shape as usize))
        }
        (BodyKind::Attached { robot, link }, _) => match world.body(*robot).kind() {
            BodyKind::Robot(step) => Some((*robot, step, *link, 0)),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the pose of a side.
pub(super) fn pose<W: World>(world: &W, there: &Place, side: usize) -> PoseAt {
    if let Some((_, step, link, shape)) = link_of(world, there, side) {
        return step.motion().part(link, shape).pose_at(there.t);
    }
    match world.body(there.bodies[side]).kind() {
        BodyKind::Rigid { motion, .. } => motion.pose_at(there.t),
        _ => Motion::AT_REST.pose_at(there.t),
    }
}

/// Returns the velocity of a point of a side.
pub(super) fn velocity<W: World>(world: &W, there: &Place, side: usize, point: DVec3) -> DVec3 {
    let arm = point - pose(world, there, side).translation;
    if let Some((_, step, link, shape)) = link_of(world, there, side) {
        return step.motion().part(link, shape).velocity_at(there.t).of(arm);
    }
    match world.body(there.bodies[side]).kind() {
        BodyKind::Rigid { motion, .. } => motion.velocity_at(there.t).of(arm),
        BodyKind::Deforming(tree) => {
            let mesh = tree.mesh();
            let moved = |v: u32| mesh.frame_vertex(1, v) - mesh.frame_vertex(0, v);
            weighted(mesh, there, side, point).iter().map(|(v, weight)| moved(*v) * *weight).sum()
        }
        BodyKind::Affine(ellipsoid) => {
            // The velocity of the point of the unit ball that is mapped there.
            let (now, rate) = (ellipsoid.changing().at(there.t), ellipsoid.changing().rate(there.t));
            rate.matrix * (now.matrix.inverse() * (point - now.center)) + rate.center
        }
        BodyKind::Robot(_) | BodyKind::RobotPath(_) | BodyKind::Attached { .. } => DVec3::ZERO,
    }
}

/// Returns how a point moves with each parameter of the motion of its body, for a body that no robot moves.
pub(super) fn partials<W: World>(
    world: &W,
    there: &Place,
    side: usize,
    point: DVec3,
) -> (Parameters, Vec<DVec3>) {
    let t = there.t;
    match world.body(there.bodies[side]).kind() {
        BodyKind::Rigid { motion, .. } => {
            type Between = fn(Pose, Pose) -> Motion;
            let between: Between = match motion {
                Motion::Linear(_) => Motion::linear,
                Motion::Screw(_) => Motion::screw,
                _ => return (Parameters::Other, Vec::new()),
            };
            let at = pose(world, there, side).to_body(point);
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
                [1.0 - t, t].into_iter().flat_map(move |end| DVec3::AXES.map(|axis| axis * (weight * end)))
            });
            let moved = each.collect();
            (Parameters::Vertices(weights.into_iter().map(|(vertex, _)| vertex).collect()), moved)
        }
        BodyKind::Affine(_) | BodyKind::Robot(_) | BodyKind::RobotPath(_) | BodyKind::Attached { .. } => {
            (Parameters::Other, Vec::new())
        }
    }
}

/// Returns the derivatives of a point of a link by the variables of its robot: by each at both ends of the step, or by
/// a shift at the time `t` if the ends alone do not give the motion.
pub(super) fn link_partials(
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

/// Returns the vertices of a part of a deforming mesh.
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

/// Returns the vertices of the part with the weights that make the point.
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
