//! How far the goal of one body of a scene may be changed.

use glam::{DQuat, DVec3};

use super::Scene;
use crate::articulated::shape_reach;
use crate::ask::Ask;
use crate::body::{Body, BodyKind};
use crate::control::Control;
use crate::deformable::Deformable;
use crate::error::{Error, Result};
use crate::motion::{Motion, Pose, RigidMotion};
use crate::numerics::bound::largest_upper;
use crate::numerics::rounding::UNIT;
use crate::options::Options;
use crate::safe_scale::{SafeScale, max_safe_scale};

/// A change of where a body is at time 1.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum GoalChange {
    /// A rigid body in a linear motion, or at rest: by a translation, and by a rotation vector in radians about its origin and the
    /// axes of the world.
    Twist {
        /// The translation.
        translation: DVec3,
        /// The rotation vector.
        rotation: DVec3,
    },
    /// A deforming mesh: one vector for each vertex.
    Vertices(Vec<DVec3>),
}

impl Scene {
    /// Returns how far the goal of a body may be changed such that nothing touches: for every fraction of the change from 0 to
    /// [`SafeScale::scale`] the scene is proven free. For robots see [`Checker::max_safe_scale`](crate::articulated::Checker::max_safe_scale).
    ///
    /// Returns an error for a change of another kind of body or motion, and for a rotation by half a turn or more.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::{Cuboid, Sphere};
    /// use firsttouch::{Body, GoalChange, Options, Scene};
    /// use glam::DVec3;
    /// // A ball of radius 1 that rests 4 above a floor may be let down by 3, three quarters of a change by 4.
    /// let at = |z: f64| Pose::from_translation(DVec3::Z * z);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("ball", Sphere::new(1.0)?, Motion::fixed(at(4.0)?)))?;
    /// scene.add(Body::new("floor", Cuboid::new(DVec3::new(9.0, 9.0, 1.0))?, Motion::fixed(at(-0.5)?)))?;
    /// let down = GoalChange::Twist { translation: DVec3::Z * -4.0, rotation: DVec3::ZERO };
    /// let safe = scene.max_safe_scale("ball", &down, &Options::default())?;
    /// assert!(safe.is_free && safe.scale < 0.75 && safe.scale > 0.75 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn max_safe_scale<'a>(
        &self,
        name: &str,
        change: &GoalChange,
        ask: impl Into<Ask<'a>>,
    ) -> Result<SafeScale> {
        self.safe_scale_asked(name, change, &ask.into().plain("a safe scale")?)
    }

    fn safe_scale_asked(
        &self,
        name: &str,
        change: &GoalChange,
        (options, control): &(Options, Control<'_>),
    ) -> Result<SafeScale> {
        self.validate(options)?;
        let place = self.index_of(name).ok_or_else(|| Error::UnknownName { name: name.into() })?;
        let refused = || Error::Unsupported { what: format!("this change of the goal of \"{name}\"") };
        match (self.bodies[place].kind(), change) {
            (BodyKind::Rigid { shape, motion }, GoalChange::Twist { translation, rotation }) => {
                if !matches!(motion, Motion::Fixed(_) | Motion::Linear(_)) {
                    return Err(refused());
                }
                let ends = [0.0, 1.0].map(|t| motion.pose_at(t));
                let [start, goal] = ends.map(|pose| DQuat::from_mat3(&pose.rotation));
                let angle = start.angle_between(goal) + rotation.length();
                // Beyond half a turn, the shorter way jumps to the other side.
                let is_less = angle < std::f64::consts::PI - 1e-6;
                if !is_less || !translation.is_finite() {
                    return Err(refused());
                }
                // A change of the end turns what is between by no more than the end, up to half a turn.
                let speed =
                    (translation.length() + rotation.length() * shape_reach(shape)) * (1.0 + 16.0 * UNIT);
                let moved = |scale: f64| -> Result<Body> {
                    let from = Pose::new(ends[0].translation, start)?;
                    let turned = DQuat::from_scaled_axis(*rotation * scale) * goal;
                    let to = Pose::new(ends[1].translation + *translation * scale, turned)?;
                    Ok(Body::new(name, shape.clone(), Motion::linear(from, to)))
                };
                max_safe_scale(speed, options, control, |scale| {
                    self.with_body(place, moved(scale)?).clearance(Ask::from(options).control(control))
                })
            }
            (BodyKind::Deforming(tree), GoalChange::Vertices(field)) => {
                let mesh = tree.mesh();
                if field.len() != mesh.vertices() {
                    return Err(refused());
                }
                // Two features of the mesh may move against each other.
                let speed = 2.0 * largest_upper(field.iter().map(|v| v.length())) * (1.0 + 16.0 * UNIT);
                let moved = |scale: f64| -> Result<Body> {
                    let to: Vec<DVec3> =
                        mesh.frame(1).iter().zip(field).map(|(p, by)| *p + *by * scale).collect();
                    let mut changed = Deformable::clone(mesh);
                    changed.set_frames(&mesh.frame(0), &to)?;
                    Ok(Body::deforming(name, changed))
                };
                max_safe_scale(speed, options, control, |scale| {
                    self.with_body(place, moved(scale)?).clearance(Ask::from(options).control(control))
                })
            }
            _ => Err(refused()),
        }
    }

    /// The scene with another body in the place of one.
    fn with_body(&self, place: usize, body: Body) -> Scene {
        let mut scene = self.clone();
        scene.bodies[place] = body;
        scene
    }
}
