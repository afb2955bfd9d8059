//! Other methods that answer for a robot. The laboratory has some, and runs the tests that ask for them again: this
//! file has none.

use firsttouch::articulated::Checker;
use firsttouch::{Answer, Options, Result};

/// Returns the answers to a step by culling with boxes, and whether the method takes the input; by name.
pub(super) fn by_boxes(_: &Checker, _: [&[f64]; 2], _: &Options) -> Vec<(&'static str, Result<Answer>)> {
    Vec::new()
}

/// Returns the answer to a step by bisection of time.
pub(super) fn by_bisection(_: &Checker, _: [&[f64]; 2], _: &Options) -> Vec<(&'static str, Result<Answer>)> {
    Vec::new()
}
