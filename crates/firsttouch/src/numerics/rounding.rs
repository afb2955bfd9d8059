//! Rounding, named: the unit roundoff and steps to the neighbouring numbers.
//!
//! Every bound in this crate is written as `computed value ± k · UNIT · magnitude`, with `k` counted from
//! the operations that produced the value. IEEE 754 gives `fl(x op y) = (x op y)(1 + e)`, `|e| <= UNIT`, for
//! `+ - * / sqrt` in the default rounding mode when nothing underflows; underflow adds at most [`TINY`].

/// Half the distance from 1 to the next number: the largest relative error of one rounded operation.
pub const UNIT: f64 = f64::EPSILON / 2.0;

/// More than any absolute error that underflow can add to a few dozen operations.
pub const TINY: f64 = f64::MIN_POSITIVE;

/// More than what underflow can take from a length, the root of a sum of three squares: `sqrt(3 · 2^-1074)` is below `4e-162`. No
/// tolerance is smaller than 1e-100, so that it changes nothing but the proof.
pub const TINY_LENGTH: f64 = 1e-150;

/// A number certainly at least as large as the exact value that `x` was rounded from, by one operation.
///
/// ```
/// assert!(firsttouch::numerics::rounding::up(1.0) > 1.0);
/// ```
#[inline]
pub fn up(x: f64) -> f64 {
    x.next_up()
}

/// A number certainly at most as large as the exact value that `x` was rounded from, by one operation.
///
/// ```
/// assert!(firsttouch::numerics::rounding::down(1.0) < 1.0);
/// ```
#[inline]
pub fn down(x: f64) -> f64 {
    x.next_down()
}

/// Marks the branch in which it is called as rarely taken, so that the code for the common case stays together.
#[cold]
#[inline(never)]
pub(crate) fn cold_path() {}
