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

/// The options of a query whose times run from 0 to a duration. The end of the time is rounded up, so that the proof
/// covers `t_max`.
pub(crate) fn options_over(mut values: OptionValues, duration: f64) -> PyResult<Options> {
    let t_max = values.3;
    if duration != 1.0 {
        if !(t_max > 0.0 && t_max <= duration) {
            return Err(PyValueError::new_err(format!("t_max must be in (0, {duration}], but is {t_max}")));
        }
        values.3 = share(t_max, duration);
    }
    options(values)
}

/// The time `t` of `[0, duration]` as one of `[0, 1]`.
pub(crate) fn unit_time(t: f64, duration: f64) -> PyResult<f64> {
    if !(0.0..=duration).contains(&t) {
        return Err(PyValueError::new_err(format!("t must be from 0 to {duration}, but is {t}")));
    }
    Ok(share(t, duration))
}

/// A product, rounded down.
pub(crate) fn down(t: f64, duration: f64) -> f64 {
    let product = t * duration;
    if t.mul_add(duration, -product) < 0.0 { product.next_down() } else { product }
}

/// A quotient, rounded up, but not beyond 1.
fn share(t: f64, duration: f64) -> f64 {
    let quotient = t / duration;
    let is_below = quotient.mul_add(duration, -t) < 0.0;
    if is_below { quotient.next_up() } else { quotient }.min(1.0)
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
