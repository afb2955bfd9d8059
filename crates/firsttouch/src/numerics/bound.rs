//! Maxima, minima and comparisons of bounds that round NaN to the safe side.
//!
//! `f64::max` and `f64::min` drop a NaN, and every comparison with a NaN is false. A bound that is NaN (`inf * 0`,
//! `inf - inf`) would then act as a small motion or a large distance, which leads to a false `Free`. The functions
//! here turn a NaN into the bound that claims nothing:
//!
//! - an *upper* bound (speed, reach, error, gap) that is NaN becomes `+inf`;
//! - a *lower* bound (distance, time of contact) that is NaN becomes `-inf`.
//!
//! Core code takes maxima and minima of bounds only with these functions. The test `tests/nan_safety.rs` reads the
//! sources and reports every plain `f64::max` or `f64::min` that folds over values.

use glam::DVec3;

use super::rounding::cold_path;

/// Returns the larger of two upper bounds; `+inf` if either is NaN.
///
/// ```
/// use firsttouch::numerics::bound::upper_max;
/// assert_eq!(upper_max(1.0, 2.0), 2.0);
/// assert_eq!(upper_max(f64::NAN, 2.0), f64::INFINITY);
/// ```
#[inline]
pub fn upper_max(a: f64, b: f64) -> f64 {
    // The test for NaN costs one comparison as a branch that is never taken. As a choice between three values it costs
    // four times as much, in the innermost loops of every engine.
    if a.is_nan() | b.is_nan() {
        cold_path();
        return f64::INFINITY;
    }
    if a > b { a } else { b }
}

/// Returns the largest of nonnegative upper bounds; 0 if there are none, `+inf` if one is NaN.
///
/// ```
/// use firsttouch::numerics::bound::largest_upper;
/// assert_eq!(largest_upper([1.0, 3.0]), 3.0);
/// assert_eq!(largest_upper([]), 0.0);
/// assert_eq!(largest_upper([1.0, f64::NAN]), f64::INFINITY);
/// ```
#[inline]
pub fn largest_upper(bounds: impl IntoIterator<Item = f64>) -> f64 {
    let (mut largest, mut any_nan) = (0.0, false);
    for bound in bounds {
        // A NaN is not larger, so it changes `any_nan` only.
        largest = if bound > largest { bound } else { largest };
        any_nan |= bound.is_nan();
    }
    if any_nan { f64::INFINITY } else { largest }
}

/// Returns the smaller of two lower bounds; `-inf` if either is NaN.
///
/// ```
/// use firsttouch::numerics::bound::lower_min;
/// assert_eq!(lower_min(1.0, 2.0), 1.0);
/// assert_eq!(lower_min(f64::NAN, 2.0), f64::NEG_INFINITY);
/// ```
#[inline]
pub fn lower_min(a: f64, b: f64) -> f64 {
    if a.is_nan() | b.is_nan() {
        cold_path();
        return f64::NEG_INFINITY;
    }
    if a < b { a } else { b }
}

/// Returns the smallest of lower bounds; `+inf` if there are none, `-inf` if one is NaN.
///
/// ```
/// use firsttouch::numerics::bound::smallest_lower;
/// assert_eq!(smallest_lower([1.0, 3.0]), 1.0);
/// assert_eq!(smallest_lower([1.0, f64::NAN]), f64::NEG_INFINITY);
/// ```
#[inline]
pub fn smallest_lower(bounds: impl IntoIterator<Item = f64>) -> f64 {
    let (mut smallest, mut any_nan) = (f64::INFINITY, false);
    for bound in bounds {
        smallest = if bound < smallest { bound } else { smallest };
        any_nan |= bound.is_nan();
    }
    if any_nan { f64::NEG_INFINITY } else { smallest }
}

/// Returns the low corner of a box around two points. A coordinate that is NaN in either becomes `-inf`; `DVec3::min`
/// may drop it.
///
/// ```
/// use firsttouch::numerics::bound::low_corner;
/// use glam::DVec3;
/// assert_eq!(low_corner(DVec3::new(1.0, 2.0, f64::NAN), DVec3::ONE), DVec3::new(1.0, 1.0, f64::NEG_INFINITY));
/// ```
#[inline]
pub fn low_corner(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::new(lower_min(a.x, b.x), lower_min(a.y, b.y), lower_min(a.z, b.z))
}

/// Returns the high corner of a box around two points. A coordinate that is NaN in either becomes `+inf`; `DVec3::max`
/// may drop it.
///
/// ```
/// use firsttouch::numerics::bound::high_corner;
/// use glam::DVec3;
/// assert_eq!(high_corner(DVec3::new(1.0, 2.0, f64::NAN), DVec3::ONE), DVec3::new(1.0, 2.0, f64::INFINITY));
/// ```
#[inline]
pub fn high_corner(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::new(upper_max(a.x, b.x), upper_max(a.y, b.y), upper_max(a.z, b.z))
}

/// Returns an upper bound of a nonnegative quantity: negative values become 0, NaN becomes `+inf`.
///
/// ```
/// use firsttouch::numerics::bound::upper_or_zero;
/// assert_eq!(upper_or_zero(-1.0), 0.0);
/// assert_eq!(upper_or_zero(f64::NAN), f64::INFINITY);
/// ```
#[inline]
pub fn upper_or_zero(bound: f64) -> f64 {
    upper_max(bound, 0.0)
}

/// Returns a lower bound of a nonnegative quantity: negative values and NaN become 0.
///
/// ```
/// use firsttouch::numerics::bound::lower_or_zero;
/// assert_eq!(lower_or_zero(-1.0), 0.0);
/// assert_eq!(lower_or_zero(f64::NAN), 0.0);
/// ```
#[inline]
pub fn lower_or_zero(bound: f64) -> f64 {
    if bound > 0.0 { bound } else { 0.0 }
}

/// Returns true if a lower bound proves that a quantity is larger than `limit`. NaN proves nothing: write
/// `!exceeds(a, b)` where `a <= b` would treat NaN as large.
///
/// ```
/// use firsttouch::numerics::bound::exceeds;
/// assert!(exceeds(2.0, 1.0) && !exceeds(1.0, 1.0));
/// assert!(!exceeds(f64::NAN, 1.0) && !exceeds(2.0, f64::NAN));
/// ```
#[inline]
pub fn exceeds(lower: f64, limit: f64) -> bool {
    lower > limit
}

/// Returns `bound`, or `+inf` if it is `-inf` or NaN. It serves maxima taken with `if a > b`, which are faster than
/// ones that check for NaN at each step. If all values are NaN, such a maximum is still the initial `-inf`. A single
/// NaN among other values is not detected, so a caller must know that either all values are NaN or none is.
///
/// ```
/// use firsttouch::numerics::bound::upper_if_known;
/// assert_eq!(upper_if_known(-2.0), -2.0);
/// assert_eq!(upper_if_known(f64::NEG_INFINITY), f64::INFINITY);
/// ```
#[inline]
pub fn upper_if_known(bound: f64) -> f64 {
    if bound > f64::NEG_INFINITY { bound } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: f64 = f64::NAN;
    const INF: f64 = f64::INFINITY;

    /// All pairs and triples of these, against the definition: NaN claims nothing, otherwise the largest or the
    /// smallest.
    #[test]
    fn maxima_and_minima_follow_their_definition() {
        let values = [-INF, -1.0, -0.0, 0.0, 0.5, 2.0, INF, NAN];
        for a in values {
            for b in values {
                let is_unknown = a.is_nan() || b.is_nan();
                assert_eq!(upper_max(a, b), if is_unknown { INF } else { a.max(b) });
                assert_eq!(lower_min(a, b), if is_unknown { -INF } else { a.min(b) });
                assert_eq!(exceeds(a, b), !is_unknown && a.total_cmp(&b).is_gt() && a != b, "{a} {b}");
                for c in values {
                    let is_unknown = is_unknown || c.is_nan();
                    let largest = a.max(b).max(c).max(0.0);
                    assert_eq!(largest_upper([a, b, c]), if is_unknown { INF } else { largest });
                    let smallest = a.min(b).min(c);
                    assert_eq!(smallest_lower([a, b, c]), if is_unknown { -INF } else { smallest });
                }
            }
            assert_eq!(upper_or_zero(a), if a.is_nan() { INF } else { a.max(0.0) });
            assert_eq!(lower_or_zero(a), if a.is_nan() { 0.0 } else { a.max(0.0) });
            assert_eq!(upper_if_known(a), if a.is_nan() || a == -INF { INF } else { a });
        }
        let corner = DVec3::new(1.0, NAN, 3.0);
        assert_eq!(low_corner(corner, DVec3::splat(2.0)), DVec3::new(1.0, -INF, 2.0));
        assert_eq!(high_corner(corner, DVec3::splat(2.0)), DVec3::new(2.0, INF, 3.0));
    }
}
