//! A robot in a simulation. A simulation of the core stays on one thread: another thread gets an error, and a step
//! keeps the GIL.

use std::cell::RefCell;
use std::sync::Arc;

use firsttouch::Ask;
use firsttouch::adaptive::{Moved, Simulated};
use firsttouch::articulated::Checker;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::answer::RawAnswer;
use super::checker::RawChecker;
use super::convert::refused;
use super::options::{OptionValues, options};

/// A simulation of the core, and its world, which has the names.
#[pyclass(frozen, unsendable, name = "Simulated", module = "firsttouch._core")]
pub(crate) struct RawSimulated(RefCell<(Simulated, Arc<Checker>)>);

#[pymethods]
impl RawSimulated {
    #[new]
    fn new(checker: &RawChecker, q: Vec<f64>) -> PyResult<RawSimulated> {
        let world = checker.shared();
        let simulated = Simulated::among(Checker::clone(&world), q).map_err(refused)?;
        Ok(RawSimulated(RefCell::new((simulated, world))))
    }

    fn copy(&self) -> RawSimulated {
        RawSimulated(self.0.clone())
    }

    /// The configuration at the start of the next step.
    #[getter]
    fn configuration(&self) -> Vec<f64> {
        self.0.borrow().0.configuration().to_vec()
    }

    /// The first touch on the way to a configuration. Values that do not change are not passed on.
    fn step(&self, to: Vec<f64>, values: OptionValues) -> PyResult<RawAnswer> {
        let options = options(values)?;
        let (simulated, world) = &mut *self.0.borrow_mut();
        let from = simulated.configuration();
        let changes = from.iter().zip(&to).enumerate().filter(|(_, (from, to))| from != to);
        let moved: Vec<Moved> =
            changes.map(|(variable, (&from, &to))| Moved { variable, from, to }).collect();
        let report = simulated.step(&moved, Ask::from(&options)).map_err(refused)?;
        Ok(RawAnswer::of_simulated(report, options.t_max, world))
    }

    /// Moves to a time of the last step.
    fn accept(&self, t: f64) -> PyResult<()> {
        self.0.borrow_mut().0.accept(t).map_err(refused)
    }

    /// Replaces the world. Proofs that still hold are kept.
    fn change(&self, checker: &RawChecker) -> PyResult<()> {
        let changed = checker.shared();
        let (simulated, world) = &mut *self.0.borrow_mut();
        if changed.robot().variables().len() != world.robot().variables().len() {
            return Err(PyValueError::new_err("the robot of a simulation must keep its joints"));
        }
        let edit = |known: &mut Checker| {
            known.clone_from(&changed);
            Ok(())
        };
        simulated.edit(edit).map_err(refused)?;
        *world = changed;
        Ok(())
    }
}
