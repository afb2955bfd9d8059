//! The largest change of a body's goal with which everything stays free: conservative advancement over the size of the
//! change.
//!
//! Let the goal of a motion be changed by `s` times a given change, for `s` from 0 to 1. If no two points move relative
//! to each other by more than `L` per unit of `s`, at any time, and the motion at `s` keeps a distance of `d` beyond
//! the separation, then all motions from `s` up to `s + d / L` are free. From there the least distance is measured
//! again. The steps end at 1, or where the distance is within the tolerance of the separation.
//!
//! Pairs keep different distances if rules or paddings say so. Then the least distance is measured once for each such
//! distance, and `d` is the least one of all.
//!
//! Guarantee: every motion from 0 to the scale returned is free. Least distances are lower bounds, and `L` is an upper
//! bound.

use glam::{DQuat, DVec3};

use crate::body::{Body, BodyKind};
use crate::clearance::Clearance;
use crate::control::Control;
use crate::deformable::Deformable;
use crate::error::{Error, Result};
use crate::motion::{Motion, Pose, RigidMotion};
use crate::numerics::bound::{exceeds, largest_upper, lower_min, upper_max};
use crate::numerics::portable::{rotation_between, rotation_by};
use crate::numerics::rounding::UNIT;
use crate::options::Options;
use crate::robot::{JointKind, RobotStep};
use crate::shape::Shape;

/// The part of a change of a motion that is proven safe.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SafeScale {
    /// The motion is free for every change from 0 up to, and including, this part of the one given; 0 if it is not free
    /// without one.
    pub scale: f64,
    /// The least distance at that scale; none if there is nothing to measure.
    pub clearance: Option<Clearance>,
    /// True if the motion without a change is proven free.
    pub is_free: bool,
    /// The number of motions that were measured.
    pub steps: usize,
}

/// A change of a body's place at time 1.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum GoalChange {
    /// A rigid body in a linear motion, or at rest: by a translation, and by a rotation vector in radians about its
    /// origin and the axes of the world.
    Twist {
        /// The translation.
        translation: DVec3,
        /// The rotation vector.
        rotation: DVec3,
    },
    /// A deforming mesh: one vector for each vertex.
    Vertices(Vec<DVec3>),
    /// A robot between two configurations: one number for each variable. Floating and ball joints are refused.
    Joints(Vec<f64>),
}

/// The least distance of a motion.
pub(crate) struct Margin {
    /// A lower bound of the distance of every pair less its separation; infinite if there is no pair.
    pub(crate) beyond: f64,
    /// The least distance; `None` if there is no pair.
    pub(crate) clearance: Option<Clearance>,
}

impl Margin {
    /// Measures the pairs of each separation by themselves.
    pub(crate) fn of_separations(
        separations: &[f64],
        tolerance: f64,
        mut measure: impl FnMut(f64) -> Result<Option<Clearance>>,
    ) -> Result<Margin> {
        let mut margin = Margin { beyond: f64::INFINITY, clearance: None };
        for &separation in separations {
            let Some(found) = measure(separation)? else { continue };
            margin.beyond = lower_min(margin.beyond, found.lower - separation);
            margin.clearance = Some(match margin.clearance {
                None => found,
                Some(known) => known.nearer(found, tolerance),
            });
        }
        Ok(margin)
    }
}

/// Returns how far the goal of a body may be changed. `measure` is given the changed body.
pub(crate) fn max_safe_scale(
    body: &Body,
    change: &GoalChange,
    options: &Options,
    control: &Control<'_>,
    mut measure: impl FnMut(Body) -> Result<Margin>,
) -> Result<SafeScale> {
    let name = body.name();
    let refused = || Error::Unsupported { what: format!("this change of the goal of \"{name}\"") };
    match (body.kind(), change) {
        (BodyKind::Rigid { shape, motion }, GoalChange::Twist { translation, rotation }) => {
            if !matches!(motion, Motion::Fixed(_) | Motion::Linear(_)) {
                return Err(refused());
            }
            let ends = [0.0, 1.0].map(|t| motion.pose_at(t));
            let [start, goal] = ends.map(|pose| DQuat::from_mat3(&pose.rotation));
            let angle = rotation_between(start, goal) + rotation.length();
            // Beyond half a turn, the shorter way jumps to the other side.
            let is_less = angle < std::f64::consts::PI - 1e-6;
            if !is_less || !translation.is_finite() {
                return Err(refused());
            }
            // A change of the end turns the poses in between by no more than the end, up to half a turn.
            let speed = (translation.length() + rotation.length() * reach(shape)) * (1.0 + 16.0 * UNIT);
            advance(speed, options, control, |scale| {
                let from = Pose::new(ends[0].translation, start)?;
                let turned = rotation_by(*rotation * scale) * goal;
                let to = Pose::new(ends[1].translation + *translation * scale, turned)?;
                measure(Body::new(name, shape.clone(), Motion::linear(from, to)))
            })
        }
        (BodyKind::Deforming(tree), GoalChange::Vertices(field)) => {
            let mesh = tree.mesh();
            if field.len() != mesh.vertices() {
                return Err(refused());
            }
            // Two features of the mesh may move against each other.
            let speed = 2.0 * largest_upper(field.iter().map(|v| v.length())) * (1.0 + 16.0 * UNIT);
            advance(speed, options, control, |scale| {
                let to: Vec<DVec3> =
                    mesh.frame(1).iter().zip(field).map(|(p, by)| *p + *by * scale).collect();
                let mut changed = Deformable::clone(mesh);
                changed.set_frames(&mesh.frame(0), &to)?;
                measure(Body::deforming(name, changed))
            })
        }
        (BodyKind::Robot(step), GoalChange::Joints(change)) if step.driven_at(0.0).is_none() => {
            let speed = change_speed(step, change)?;
            advance(speed, options, control, |scale| {
                let goal: Vec<f64> = step.to().iter().zip(change).map(|(q, by)| q + scale * by).collect();
                measure(Body::robot(name, step.between(step.from(), &goal)?))
            })
        }
        _ => Err(refused()),
    }
}

/// Advances from 0 to 1. `speed` is an upper bound of `L`, and `measure` returns the least distance at a scale. After
/// an interrupt the scale is the one proven before.
fn advance(
    speed: f64,
    options: &Options,
    control: &Control<'_>,
    mut measure: impl FnMut(f64) -> Result<Margin>,
) -> Result<SafeScale> {
    let mut safe = SafeScale { scale: 0.0, clearance: None, is_free: false, steps: 0 };
    let mut scale = 0.0;
    while safe.steps < options.max_iterations {
        safe.steps += 1;
        let Margin { beyond, clearance } = measure(scale)?;
        if control.is_interrupted() || !exceeds(beyond, 0.0) {
            return Ok(safe);
        }
        (safe.scale, safe.clearance, safe.is_free) = (scale, clearance, true);
        // Two roundings in the quotient, one in the sum.
        let next = (scale + beyond / speed * (1.0 - 8.0 * UNIT)).next_down();
        if scale >= 1.0 || beyond <= options.tolerance || next.is_nan() || next <= scale {
            return Ok(safe);
        }
        scale = if next < 1.0 { next } else { 1.0 };
    }
    Ok(safe)
}

/// Returns an upper bound of the speed at which any two points move relative to each other with the scale of a change
/// of the goal of a robot. At the time `t` of a step each variable changes by `t` times its change, so the bounds of a
/// step from a goal to the changed one hold. They depend on the configuration only through the slides; those of a step
/// that starts at the beginning are added for these.
fn change_speed(step: &RobotStep, change: &[f64]) -> Result<f64> {
    let (from, to, robot) = (step.from(), step.to(), step.robot());
    if change.len() != to.len() || change.iter().any(|x| !x.is_finite()) {
        let (numbers, variables) = (change.len(), to.len());
        let what =
            format!("a change of {numbers} numbers for {variables} variables, or one that is not finite");
        return Err(Error::Unsupported { what });
    }
    let mut has_slides = false;
    for joint in robot.links().iter().filter_map(|link| link.joint()) {
        match joint.kind {
            JointKind::Floating | JointKind::Ball => {
                return Err(Error::Unsupported {
                    what: "a change of the goal of a robot with a floating or ball joint".into(),
                });
            }
            JointKind::Revolute { .. } | JointKind::Fixed => {}
            _ => has_slides = true,
        }
    }
    let starts: &[&[f64]] = if has_slides { &[to, from] } else { &[to] };
    let mut speed = 0.0;
    for start in starts {
        let moved: Vec<f64> = start.iter().zip(change).map(|(q, by)| q + by).collect();
        let changed = step.between(start, &moved)?;
        let (motion, mut fastest) = (changed.motion(), 0.0);
        for (k, link) in robot.links().iter().enumerate() {
            for (part, described) in link.parts().iter().enumerate() {
                fastest = upper_max(fastest, motion.part(k, part).fastest(reach(&described.shape)));
            }
        }
        speed += fastest;
    }
    // Two parts may move towards each other.
    Ok(2.0 * speed * (1.0 + 8.0 * UNIT))
}

/// Returns an upper bound of the distance of any point of a shape from its origin.
pub(crate) fn reach(shape: &Shape) -> f64 {
    let (center, half) = shape.bounds();
    (center.length() + half.length()) * (1.0 + 16.0 * UNIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Interrupt;

    const NOTHING: Margin = Margin { beyond: f64::INFINITY, clearance: None };

    #[test]
    fn nothing_to_measure_is_safe() {
        let safe = advance(3.0, &Options::default(), &Control::default(), |_| Ok(NOTHING)).unwrap();
        assert_eq!((safe.scale, safe.is_free, safe.steps), (1.0, true, 2));
    }

    /// An interrupted measurement finds nothing. That must not read as nothing to measure.
    #[test]
    fn an_interrupt_proves_no_step() {
        let interrupt = Interrupt::default();
        let control = Control { interrupt: Some(&interrupt), ..Control::default() };
        let safe = advance(3.0, &Options::default(), &control, |scale| {
            if scale > 0.0 {
                interrupt.raise();
            }
            Ok(NOTHING)
        });
        assert_eq!(safe.map(|safe| (safe.scale, safe.is_free)), Ok((0.0, true)));
    }

    #[test]
    fn a_speed_that_is_not_known_proves_no_step() {
        let safe = advance(f64::NAN, &Options::default(), &Control::default(), |_| Ok(NOTHING)).unwrap();
        assert_eq!((safe.scale, safe.is_free), (0.0, true));
    }
}
