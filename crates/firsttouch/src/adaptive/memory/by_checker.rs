//! Steps of a simulation that are left to the checker.

use super::{Memory, Moved, Pending, StepReport, moving_variables};
use crate::adaptive::bounding::Bounding;
use crate::adaptive::culling::CullingWork;
use crate::adaptive::route::Route;
use crate::adaptive::transforms::Updates;
use crate::answer::Answer;
use crate::control::Watch;
use crate::error::Result;
use crate::options::{Mode, Options};

impl Memory {
    /// Whether a step is left to the checker: see `route`.
    pub(super) fn is_for_checker(&mut self, moved: &[Moved], options: &Options) -> Result<bool> {
        // The two name different touches where a question for any touch has several answers.
        if self.culler.bounding() != Bounding::default() || options.mode == Mode::Any {
            return Ok(false);
        }
        options.validate_reporting_start("a simulated body")?;
        self.refuse(moved)?;
        if !self.route.is_for_checker(self.robot.links().len(), moving_variables(moved)) {
            return Ok(false);
        }
        if self.checker().is_err() {
            // Two obstacles of one name, for example.
            self.route = Route::TREE_ALONE;
            return Ok(false);
        }
        Ok(true)
    }

    /// The step by the checker.
    pub(super) fn step_by_checker(
        &mut self,
        moved: &[Moved],
        options: &Options,
        watch: Watch,
    ) -> Result<StepReport> {
        let [from, to] = self.ends(moved)?;
        let report = self.checker()?.check_step_watched(&from, &to, options, watch)?;
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
