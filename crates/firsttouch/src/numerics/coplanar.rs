//! Point against triangle and segment against segment for four points in one plane, from signs alone.
//!
//! **Problem.** Given that four points are coplanar, does the closed triangle contain the point, or do the closed
//! segments meet? The caller supplies signs, of numbers at rest or of polynomials at a root. This file is the case
//! analysis that covers every degeneracy.
//!
//! **Point v, triangle f0 f1 f2.** With `A, B, C` the corners relative to `v`, let `X = A×B`, `Y = B×C`, `Z = C×A`.
//! Coplanarity is `A·(B×C) = 0`, so X, Y, Z are multiples of one normal.
//! 1. Not all of X, Y, Z vanish: then A, B, C span a plane, the identity `yA + zB + xC = 0` (x, y, z the multiples) is
//!    the only linear relation, and 0 is a convex combination iff x, y, z have one weak sign. Along an axis in which
//!    the normal has a component, the signs of the components of X, Y, Z are those of x, y, z up to one common flip;
//!    along any other axis all three components vanish. So the first axis with a component that is not zero decides.
//! 2. All vanish: A, B, C lie on a line through 0, and 0 is between two of them iff a dot product is ≤ 0.
//!
//! **Segments a0 a1, b0 b1.** With `da, db`, `w = b0 − a0`, `N = da×db` and `w = s da − r db` at a meeting:
//! `O1 = w×db = sN`, `O2 = (da − w)×db = (1−s)N`, `O3 = w×da = rN`, `O4 = da×(w + db) = (1−r)N`.
//! 1. N ≠ 0: along the first axis with `N ≠ 0` the four must have one weak sign.
//! 2. N = 0: the segments are parallel or points. If they meet, an end of one lies on the other. An end P lies on a
//!    segment iff two conditions hold for the vectors from P to the segment's ends: their cross product, one of O1 to
//!    O4, vanishes, and their dot product is ≤ 0.
//!
//! **Guarantee.** Exact if the signs are.

use std::cmp::Ordering;

/// Returns true if the point lies on the triangle. `cross(i, axis)` is the sign of a component of X, Y, Z for i = 0, 1,
/// 2; `dot(i)` is the sign of A·B, B·C, C·A. Only meaningful for coplanar points.
pub(crate) fn point_on_triangle(
    mut cross: impl FnMut(usize, usize) -> Ordering,
    mut dot: impl FnMut(usize) -> Ordering,
) -> bool {
    for axis in 0..3 {
        let signs = [cross(0, axis), cross(1, axis), cross(2, axis)];
        if signs.iter().any(|s| s.is_ne()) {
            return one_weak_sign(&signs);
        }
    }
    (0..3).any(|i| dot(i).is_le())
}

/// Returns true if the segments meet. `cross(i, axis)` is the sign of a component of O1 to O4 for i = 0 to 3, and of N
/// for i = 4. `dot(i)` is the sign of the dot product of the vectors to the ends of the other segment from a0, a1, b0,
/// b1. Only meaningful for coplanar points.
pub(crate) fn segments_meet(
    mut cross: impl FnMut(usize, usize) -> Ordering,
    mut dot: impl FnMut(usize) -> Ordering,
) -> bool {
    for axis in 0..3 {
        if cross(4, axis).is_ne() {
            return one_weak_sign(&[cross(0, axis), cross(1, axis), cross(2, axis), cross(3, axis)]);
        }
    }
    (0..4).any(|i| (0..3).all(|axis| cross(i, axis).is_eq()) && dot(i).is_le())
}

fn one_weak_sign(signs: &[Ordering]) -> bool {
    signs.iter().all(|s| s.is_ge()) || signs.iter().all(|s| s.is_le())
}
