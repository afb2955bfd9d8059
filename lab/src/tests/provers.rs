//! Other methods that answer for a robot, for the tests of the core that run here again.

use firsttouch::articulated::Checker;
use firsttouch::{Answer, Options, Result};

use crate::comparison::{Bounds, check_step_by_boxes, first_touch_by_bisection};

/// Returns the answers to a step by culling with boxes, and whether the method takes the input; by name.
pub(super) fn by_boxes(
    checker: &Checker,
    way: [&[f64]; 2],
    options: &Options,
) -> Vec<(&'static str, Result<Answer>)> {
    let by = |bounds| check_step_by_boxes(checker, way, options, bounds).map(|report| report.answer);
    vec![("chord", by(Bounds::Chord)), ("taylor", by(Bounds::Taylor)), ("interval", by(Bounds::Interval))]
}

/// Returns the answer to a step by bisection of time.
pub(super) fn by_bisection(
    checker: &Checker,
    [from, to]: [&[f64]; 2],
    options: &Options,
) -> Vec<(&'static str, Result<Answer>)> {
    vec![("bisection", first_touch_by_bisection(checker, from, to, options).map(|report| report.answer))]
}
