//! Steps of a simulation that are left to the checker.

use super::{Moved, Pending, Simulated, StepReport, variables_of};
use crate::adaptive::bounding::Bounding;
use crate::adaptive::culling::CullingWork;
use crate::adaptive::route::Route;
use crate::adaptive::transforms::Updates;
use crate::answer::Answer;
use crate::articulated::Checker;
use crate::control::Watch;
use crate::error::{Error, Result};
use crate::options::{Mode, Options};
use crate::robot::JointKind;

impl Simulated {
    /// Whether a step is left to the checker: see `route`.
    pub(super) fn is_for_checker(&mut self, moved: &[Moved], options: &Options) -> Result<bool> {
        // The two name different touches where a question for any touch has several answers.
        if self.culler.bounding() != Bounding::default() || options.mode == Mode::Any {
            return Ok(false);
        }
        options.validate_reporting_start("a simulated body")?;
        self.refuse(moved)?;
        let moving = moved.iter().filter(|moved| moved.from != moved.to);
        let mut joints: Vec<usize> =
            moving.flat_map(|moved| &self.followers[moved.variable]).copied().collect();
        joints.sort_unstable();
        joints.dedup();
        let mut route = self.route;
        let is_for_checker = route.is_for_checker(joints.len(), self.robot.links().len(), || {
            let travels = joints.iter().map(|&link| self.rough_travel(link, moved));
            travels.sum::<f64>() / self.culler.typical_radius()
        });
        self.route = route;
        if !is_for_checker {
            return Ok(false);
        }
        if self.checker.get().is_none() {
            match Checker::new(self.robot.clone(), self.base, self.obstacles.clone()) {
                Ok(checker) => drop(self.checker.set(checker)),
                // Two obstacles of one name, for example.
                Err(_) => {
                    self.route = Route::TREE_ALONE;
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// About how far a joint moves what it carries: enough to choose a route.
    fn rough_travel(&self, link: usize, moved: &[Moved]) -> f64 {
        let Some(joint) = self.robot.links()[link].joint() else { return 0.0 };
        let of = variables_of(joint);
        let (quaternion, arm) = (joint.kind.quaternion(), self.reaches.behind(link));
        let part = |moved: &Moved| {
            let way = (moved.to - moved.from).abs();
            let place = moved.variable.wrapping_sub(of.start);
            match joint.kind {
                JointKind::Fixed => 0.0,
                JointKind::Prismatic { .. } => way * joint.scale.0.abs(),
                JointKind::Revolute { .. } => way * joint.scale.0.abs() * arm,
                JointKind::Planar { .. } if place == 2 => way * arm,
                JointKind::Planar { .. } => way,
                // A unit quaternion changes by half the angle.
                JointKind::Floating | JointKind::Ball if quaternion.is_some_and(|q| place >= q) => {
                    2.0 * way * arm
                }
                JointKind::Floating | JointKind::Ball => way,
            }
        };
        moved.iter().filter(|moved| of.contains(&moved.variable)).map(part).sum()
    }

    /// The step by the checker.
    pub(super) fn step_by_checker(
        &mut self,
        moved: &[Moved],
        options: &Options,
        watch: Watch,
    ) -> Result<StepReport> {
        let Some(checker) = self.checker.get() else {
            return Err(Error::Unsupported { what: "a step of a simulation without its checker".into() });
        };
        let (mut from, mut to) = (self.configuration.clone(), self.configuration.clone());
        for &Moved { variable, from: start, to: end } in moved {
            (from[variable], to[variable]) = (start, end);
        }
        let report = checker.check_step_watched(&from, &to, options, watch)?;
        let proven_until = match &report.answer {
            Answer::Free => Some(options.t_max),
            Answer::TouchingAtStart(_) => None,
            answer => Some(answer.free_until(options.t_max)),
        };
        self.configuration.clone_from(&from);
        self.target.clone_from(&from);
        self.nearby = None;
        // Nothing is proven of the pairs at rest by the tree, and its transforms are those of another step.
        self.proofs.forget_all();
        self.stirred.clear();
        let rounding = self.rounding_of(moved);
        self.pending = Some(Pending {
            moved: moved.to_vec(),
            proven_until,
            rounding,
            rounding_covered: false,
            by_checker: Some(([from, to], options.t_max)),
        });
        Ok(StepReport {
            answer: report.answer,
            joints: self.robot.links().len(),
            bodies: 0,
            near_pairs: 0,
            close_pairs: report.close_pairs,
            measured: 0,
            transforms: Updates::default(),
            culling: CullingWork::default(),
            work: report.work,
            is_by_checker: true,
        })
    }
}
