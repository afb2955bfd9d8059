//! The options of a query, from the keywords of a call.

use firsttouch::{Mode, Options, Start};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Mode, tolerance, min_separation, t_max, max_iterations, threads and start, in this order.
pub(crate) type OptionValues = (String, f64, f64, f64, usize, usize, String);

pub(crate) fn options(values: OptionValues) -> PyResult<Options> {
    let (mode, tolerance, min_separation, t_max, max_iterations, threads, start) = values;
    let options = Options {
        mode: mode_of(&mode)?,
        tolerance,
        min_separation,
        t_max,
        max_iterations,
        threads,
        start: start_of(&start)?,
    };
    options.validate().map_err(super::convert::refused)?;
    Ok(options)
}

/// The options of a query whose times run from 0 to a duration. The end of the time is rounded up, so that what is proven covers `t_max`.
pub(crate) fn options_over(mut values: OptionValues, duration: f64) -> PyResult<Options> {
    let t_max = values.3;
    if duration != 1.0 {
        if !(t_max > 0.0 && t_max <= duration) {
            return Err(PyValueError::new_err(format!("t_max must be in (0, {duration}], but is {t_max}")));
        }
        let quotient = t_max / duration;
        let is_below = quotient.mul_add(duration, -t_max) < 0.0;
        values.3 = if is_below { quotient.next_up() } else { quotient }.min(1.0);
    }
    options(values)
}

fn mode_of(word: &str) -> PyResult<Mode> {
    match word {
        "first" => Ok(Mode::First),
        "any" => Ok(Mode::Any),
        "all" => Ok(Mode::All),
        other => Err(PyValueError::new_err(format!(
            "mode must be \"first\", \"any\" or \"all\", but is \"{other}\""
        ))),
    }
}

pub(crate) fn start_of(word: &str) -> PyResult<Start> {
    match word {
        "report" => Ok(Start::Report),
        "ignore" => Ok(Start::Ignore),
        other => {
            Err(PyValueError::new_err(format!("start must be \"report\" or \"ignore\", but is \"{other}\"")))
        }
    }
}
