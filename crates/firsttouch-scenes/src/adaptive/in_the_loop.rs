//! The assembly tree inside a simulation: [`Simulated`] answers every step, and follows the simulation.

use firsttouch::adaptive::{Moved, Simulated, StepReport};
use firsttouch::{Answer, Options, Result};

use crate::dynamics::{FirstTouch, StepRecord};

/// The engine of the 2008 paper as the check of a simulation, with the work of all its steps.
#[derive(Debug, Clone)]
pub struct InTheLoop {
    simulated: Simulated,
    /// The number of checked steps, and the number of steps that touch.
    pub steps: usize,
    /// The number of steps with a touch, at the start or later.
    pub touches: usize,
    /// The transforms that were computed.
    pub transforms: u64,
    /// The pairs that were left to the exact stage.
    pub close_pairs: u64,
}

impl InTheLoop {
    /// Creates the check for a simulation that has not begun.
    pub fn new(simulated: Simulated) -> InTheLoop {
        InTheLoop { simulated, steps: 0, touches: 0, transforms: 0, close_pairs: 0 }
    }

    /// Returns the state of the engine.
    pub fn simulated(&self) -> &Simulated {
        &self.simulated
    }

    /// Returns the state of the engine, to be changed.
    pub fn simulated_mut(&mut self) -> &mut Simulated {
        &mut self.simulated
    }

    /// Checks a step.
    pub fn check(&mut self, step: &StepRecord, options: &Options) -> Result<StepReport> {
        let moved = self.moved(step);
        self.simulated.step(&moved, options)
    }

    /// Returns the variables that move, and those whose value differs from the engine's: both sides round values inside
    /// a step, each in its own way.
    pub fn moved(&self, step: &StepRecord) -> Vec<Moved> {
        let state = self.simulated.configuration();
        (0..state.len())
            .filter(|&i| step.from[i] != step.to[i] || step.from[i] != state[i])
            .map(|variable| Moved { variable, from: step.from[variable], to: step.to[variable] })
            .collect()
    }
}

impl FirstTouch for InTheLoop {
    fn first_touch(&mut self, step: &StepRecord, options: &Options) -> Result<Answer> {
        let report = self.check(step, options)?;
        self.steps += 1;
        self.touches += usize::from(report.answer.touch().is_some());
        self.transforms += report.transforms.total();
        self.close_pairs += report.close_pairs;
        Ok(report.answer)
    }

    fn accept(&mut self, step: &StepRecord) -> Result<()> {
        self.simulated.accept(step.until)
    }
}
