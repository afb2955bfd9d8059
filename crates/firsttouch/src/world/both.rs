//! Two answers about one motion, for two sets of pairs, put together.

use crate::answer::Answer;
use crate::numerics::bound::lower_min;
use crate::options::Mode;

/// Returns the answer for two sets of pairs in one span: the earlier one, and in mode `Any` a touch.
pub(crate) fn both(a: Answer, b: Answer, mode: Mode, t_max: f64) -> Answer {
    let (of_a, of_b) = (a.free_until(t_max), b.free_until(t_max));
    let [first, second] = match (&a, &b) {
        (Answer::Free, _) => return b,
        (_, Answer::Free) => return a,
        (_, Answer::TouchingAtStart(_)) => [b, a],
        (Answer::TouchingAtStart(_), _) => [a, b],
        (Answer::Undecided { .. }, Answer::Touch(_)) if mode == Mode::Any => [b, a],
        (Answer::Touch(_), Answer::Undecided { .. }) if mode == Mode::Any => [a, b],
        _ if of_b < of_a => [b, a],
        _ => [a, b],
    };
    match first {
        // Only in mode `Any` can the other one be proven for less time.
        Answer::Touch(mut touch) => {
            touch.free_until = lower_min(touch.free_until, second.free_until(t_max));
            Answer::Touch(touch)
        }
        first => first,
    }
}
