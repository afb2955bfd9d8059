//! How far the goal of a robot's step may be moved in a direction.

use super::checker::Checker;
use crate::ask::Ask;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::UNIT;
use crate::options::Options;
use crate::robot::JointKind;
use crate::robot::RobotMotion;
use crate::safe_scale::{SafeScale, max_safe_scale};
use crate::shape::Shape;

impl Checker {
    /// Returns how far the goal of a step may be moved along `change`, one number per variable, such that the step stays free: for every
    /// factor from 0 to [`SafeScale::scale`], the way from `from` to `to` plus that multiple of `change` is proven free.
    ///
    /// Returns an error for a change of the variables of a floating or ball joint.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Body, Options};
    /// # use glam::DVec3;
    /// # let slide = Joint {
    /// #     name: "slide".into(),
    /// #     parent: "rail".into(),
    /// #     child: "ball".into(),
    /// #     origin: Pose::IDENTITY,
    /// #     kind: JointKind::Prismatic { axis: DVec3::X },
    /// #     limits: None,
    /// #     mimic: None,
    /// # };
    /// # let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// # let robot = Robot::new("slider", vec![("rail".into(), vec![]), ("ball".into(), vec![ball])], vec![slide])?;
    /// # let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 10.0)?));
    /// // A ball of radius 1 on a rail along x, and a post of radius 1 at x = 10: it may go up to x = 8. From the goal x = 4 that is half
    /// // of a change by 8.
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// let safe = checker.max_safe_scale(&[0.0], &[4.0], &[8.0], &Options::default())?;
    /// assert!(safe.is_free && safe.scale < 0.5 && safe.scale > 0.5 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn max_safe_scale<'a>(
        &self,
        from: &[f64],
        to: &[f64],
        change: &[f64],
        ask: impl Into<Ask<'a>>,
    ) -> Result<SafeScale> {
        self.safe_scale_asked([from, to], change, &ask.into().plain("a safe scale")?)
    }

    fn safe_scale_asked(
        &self,
        [from, to]: [&[f64]; 2],
        change: &[f64],
        (options, control): &(Options, Control<'_>),
    ) -> Result<SafeScale> {
        options.validate()?;
        for configuration in [from, to] {
            self.robot().validate(configuration)?;
        }
        if change.len() != to.len() || change.iter().any(|x| !x.is_finite()) {
            let what = format!(
                "a change of {} numbers for {} variables, or one that is not finite",
                change.len(),
                to.len()
            );
            return Err(Error::Unsupported { what });
        }
        let goal = |scale: f64| -> Vec<f64> { to.iter().zip(change).map(|(q, by)| q + scale * by).collect() };
        let speed = self.change_speed(from, to, change)?;
        max_safe_scale(speed, options, control, |scale| {
            let found = self.clearance(&[from.to_vec(), goal(scale)], Ask::from(options).control(control))?;
            Ok(found.map(|found| found.clearance))
        })
    }

    /// An upper bound of the speed at which any two points move relative to each other with the scale of a change of the goal. At the time
    /// `t` of a step each variable changes by `t` times its change, so the bounds of a step from a goal to the changed one hold. They
    /// depend on the configuration only through the slides; those of a step that starts at the beginning are added for these.
    fn change_speed(&self, from: &[f64], to: &[f64], change: &[f64]) -> Result<f64> {
        let joints = self.robot().links().iter().filter_map(|link| link.joint());
        let mut has_slides = false;
        for joint in joints {
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
        let moved = |q: &[f64]| -> Vec<f64> { q.iter().zip(change).map(|(q, by)| q + by).collect() };
        let starts: &[&[f64]] = if has_slides { &[to, from] } else { &[to] };
        let mut speed = 0.0;
        for start in starts {
            let motion = RobotMotion::new(self.robot(), self.base(), start, &moved(start))?;
            let mut fastest = 0.0;
            for part in self.parts() {
                let shape = &self.robot().links()[part.link].parts()[part.part].shape;
                fastest = upper_max(fastest, motion.part(part.link, part.part).fastest(reach(shape)));
            }
            speed += fastest;
        }
        // Two parts may move towards each other.
        Ok(2.0 * speed * (1.0 + 8.0 * UNIT))
    }
}

/// An upper bound of the distance of any point of a shape from its origin.
pub(crate) fn reach(shape: &Shape) -> f64 {
    let (center, half) = shape.bounds();
    (center.length() + half.length()) * (1.0 + 16.0 * UNIT)
}
