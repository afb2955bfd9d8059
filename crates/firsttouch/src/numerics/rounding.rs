//! Names for rounding: the unit roundoff and steps to the neighbouring numbers.
//!
//! Every bound in this crate is written as `computed value ± k · UNIT · magnitude`, with `k` counted from the
//! operations that produced the value. IEEE 754 guarantees `fl(x op y) = (x op y)(1 + e)`, `|e| <= UNIT`, for
//! `+ - * / sqrt` in the default rounding mode if the operation does not underflow; underflow adds at most [`TINY`].

/// Half the distance from 1 to the next number: the largest relative error of one rounded operation.
pub const UNIT: f64 = f64::EPSILON / 2.0;

/// More than any absolute error that underflow can add to a few dozen operations.
pub const TINY: f64 = f64::MIN_POSITIVE;

/// More than the error of a length, the root of a sum of three squares, by underflow: `sqrt(3 · 2^-1074)` is below
/// `4e-162`. No tolerance is smaller than 1e-100, so it matters only for the proof.
pub const TINY_LENGTH: f64 = 1e-150;

/// Returns a number that is at least the exact value from which `x` was rounded, by one operation.
///
/// ```
/// assert!(firsttouch::numerics::rounding::up(1.0) > 1.0);
/// ```
#[inline]
pub fn up(x: f64) -> f64 {
    x.next_up()
}

/// Returns a number that is at most the exact value from which `x` was rounded, by one operation.
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
