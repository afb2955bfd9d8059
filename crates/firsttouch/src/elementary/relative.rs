//! Free or not in `f64`, for features that shrink to almost nothing or grow from it.
//!
//! **Problem.** `coplanarity` has one error bound for all coefficients of a polynomial, relative to the largest one.
//! The differences of the points at one end of the time may be smaller by many orders of magnitude than at the other
//! end. Then all roots lie near that end, at values far below that bound, and integers would have thousands of bits.
//!
//! 1. Compute the Bernstein coefficients of the cubic and of the faces over `[0, 1]`, each with its own error bound,
//!    relative to the magnitudes that enter this coefficient. If a coefficient has several forms, take the form with
//!    the smallest bound.
//! 2. The number of roots of the cubic is at most the number of sign changes of its coefficients (Descartes). If it is
//!    zero, the pair is free.
//! 3. The sign of the discriminant gives the number of roots. With three real roots, it is the number of sign changes.
//!    With one real root, it is one if the number of sign changes is odd, and zero if it is even.
//! 4. Write the cubic in powers of the time since the start or before the end, in a unit as long as its largest root.
//!    Enclose this number of roots ([`crate::numerics::rough`]).
//! 5. At a contact all faces are nonnegative multiples of one vector. Two faces with opposite strict signs in one
//!    component over the enclosure exclude a contact at this root. If every root is excluded, the pair is free.
//!
//! **Guarantee.** `true` is a proof of "free"; `false` claims nothing, and the exact stage decides.
//!
//! Rounding, with u = 2^-53 and second-order terms covered by rounding the constants up. A difference of two
//! coordinates is off by u of itself.
//! - A face coefficient `aᵢbⱼ − aⱼbᵢ`: inputs 2u, product u, difference u; the middle one is half the sum of two, u
//!   more: 5u S with S the same with absolute values and a plus. A cubic coefficient `Σ cₖnₖ`: 5 + 1 + 1 and two sums,
//!   9u P; the inner ones combine two and divide by 3, and twice one is exact: 11u P.
//! - The powers combine up to four of these with integer factors: products u, three sums 3u: 15u of the same
//!   combination of the P. A value costs 8u of that more, the bounds themselves 8u of themselves: 24u, raised to
//!   [`ERROR`].
//! - Underflow is counted in `coplanarity`.

use std::cmp::Ordering;

use glam::DVec3;

use crate::numerics::located::Bracket;
use crate::numerics::portable::{cube_root, power_of_two_below};
use crate::numerics::rough::Rough;

use super::coplanarity::{TINY_CUBIC, TINY_FACE, certain};
use super::pair::Pair;

/// See the header.
const ERROR: f64 = 32.0 * (f64::EPSILON / 2.0);

/// See [`enlarged`]: 2^-1074 times a scale of at most 2e200, of coefficients of size 1.
const LOST: f64 = 1e-100;

/// The least change of the differences for this stage: it gains nothing for smaller changes, which the other stages
/// decide.
const LARGE_CHANGE: f64 = 1e6;

/// The four points at time 0 and at time 1.
type Ends<'a> = [&'a [DVec3; 4]; 2];

/// Returns true only if the features do not meet in `[0, 1]`.
pub(crate) fn is_free<P: Pair>(q: &P) -> bool {
    let ends = [q.t0(), q.t1()];
    if !ends_differ_much::<P>(ends) {
        return false;
    }
    let cubic = cubic(ends);
    let mut changes = 0;
    let mut last = None;
    for coefficient in cubic {
        let Some(sign) = certain(coefficient.value, ERROR * coefficient.size + TINY_CUBIC) else {
            return false;
        };
        changes += usize::from(last.is_some_and(|last| last != sign));
        last = Some(sign);
    }
    if changes == 0 {
        return true;
    }
    // The roots are small beside the time to one of the ends. Enlarge that time, so that they are no longer small.
    let Some((before_end, f, unit)) = [false, true].into_iter().find_map(|before_end| {
        let f = powers(cubic, before_end);
        enlarged(&f).map(|(f, unit)| (before_end, f, unit))
    }) else {
        return false;
    };
    let count = match f.cubic_discriminant() {
        Some(Ordering::Greater) => changes,
        Some(Ordering::Less) => changes % 2,
        _ => return false,
    };
    let Some(spans) = f.spans(1.0, count) else { return false };
    spans.iter().all(|span| {
        let span = Bracket { lo: span.lo * unit, hi: span.hi * unit };
        is_outside::<P>(ends, before_end, &span)
    })
}

/// Returns the polynomial in a unit of time, a power of two, in which its roots have at most the size 1; `None` if that
/// is not shorter than half of the time. The size of the roots is not proven.
///
/// Products by powers of two are exact. A value that underflows was at most 2^-1074, and is then less than [`LOST`].
fn enlarged(f: &Rough) -> Option<(Rough, f64)> {
    let [c0, c1, c2, c3] = f.c.map(f64::abs);
    // Fujiwara's bound of all roots.
    let bound = 2.0 * (c2 / c3).max((c1 / c3).sqrt()).max(cube_root(c0 / c3)); // not a bound: where to look
    if !(bound > 1e-60 && bound < 0.25) {
        return None;
    }
    let unit = 2.0 * power_of_two_below(bound);
    let powers = [1.0, unit, unit * unit, unit * unit * unit];
    let largest = (0..4).map(|i| f.c[i].abs() * powers[i]).fold(0.0, f64::max); // not a bound: a scale
    if !(largest > 1e-200 && largest < 1e200) {
        return None;
    }
    let scale = 1.0 / power_of_two_below(largest);
    let times = |c: &[f64; 4]| [0, 1, 2, 3].map(|i| c[i] * powers[i] * scale);
    Some((Rough { c: times(&f.c), error: times(&f.error).map(|error| error + LOST) }, unit))
}

fn ends_differ_much<P: Pair>(ends: Ends<'_>) -> bool {
    P::DIFFERENCES.iter().any(|&(i, j)| {
        let [a, b] = ends.map(|points| (points[i] - points[j]).abs().max_element());
        a > LARGE_CHANGE * b || b > LARGE_CHANGE * a
    })
}

/// A coefficient and the size to which its error is relative.
#[derive(Clone, Copy)]
struct Sized {
    value: f64,
    size: f64,
}

impl Sized {
    /// Returns the one of two forms of the same coefficient with the smaller error.
    fn or(self, other: Sized) -> Sized {
        if other.size < self.size { other } else { self }
    }
}

/// Returns the Bernstein coefficients of `(pᵢ − pⱼ) × (pₖ − pₗ)`, each component by itself.
fn cross(ends: Ends<'_>, [i, j]: [usize; 2], [k, l]: [usize; 2]) -> [[Sized; 3]; 3] {
    let at = |end_a: usize, end_b: usize| {
        let (a, b) = (ends[end_a][i] - ends[end_a][j], ends[end_b][k] - ends[end_b][l]);
        let (p, q) = (a.abs(), b.abs());
        let size = DVec3::new(p.y * q.z + p.z * q.y, p.z * q.x + p.x * q.z, p.x * q.y + p.y * q.x);
        (a.cross(b), size)
    };
    let (x, y) = (at(0, 1), at(1, 0));
    let middle = ((x.0 + y.0) * 0.5, (x.1 + y.1) * 0.5);
    [at(0, 0), middle, at(1, 1)]
        .map(|(value, size)| [0, 1, 2].map(|k| Sized { value: value[k], size: size[k] }))
}

/// Returns the Bernstein coefficients of a face, each component by itself.
///
/// A face is `(y − x) × (z − x)` of three points: any two sides of that triangle give the same product. The product of
/// two long sides loses digits if the third is short; the other products do not.
fn face<P: Pair>(ends: Ends<'_>, index: usize) -> [[Sized; 3]; 3] {
    let (a, b) = P::CROSS[index];
    let ((y, x), (z, _)) = (P::DIFFERENCES[a], P::DIFFERENCES[b]);
    let [p, q, r] = [cross(ends, [y, x], [z, x]), cross(ends, [z, y], [x, y]), cross(ends, [x, z], [y, z])];
    [0, 1, 2].map(|n| [0, 1, 2].map(|k| p[n][k].or(q[n][k]).or(r[n][k])))
}

/// Returns the Bernstein coefficients of the cubic, up to one common sign.
///
/// It is the determinant of the differences to any one of the points: with the others in their order, the sign
/// alternates. Differences to the smallest point lose the fewest digits.
fn cubic(ends: Ends<'_>) -> [Sized; 4] {
    let from = |base: usize| {
        let [i, j, k] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]][base];
        let n = cross(ends, [i, base], [j, base]);
        let sign = if base.is_multiple_of(2) { 1.0 } else { -1.0 };
        let dot = |end: usize, n: &[Sized; 3]| {
            let c = (ends[end][k] - ends[end][base]) * sign;
            let (value, size) = (DVec3::from_array(n.map(|n| n.value)), DVec3::from_array(n.map(|n| n.size)));
            Sized { value: c.dot(value), size: c.abs().dot(size) }
        };
        let third = |x: Sized, twice: Sized| Sized {
            value: (x.value + 2.0 * twice.value) / 3.0,
            size: (x.size + 2.0 * twice.size) / 3.0,
        };
        [
            dot(0, &n[0]),
            third(dot(1, &n[0]), dot(0, &n[1])),
            third(dot(0, &n[2]), dot(1, &n[1])),
            dot(1, &n[2]),
        ]
    };
    let forms = [from(0), from(1), from(2), from(3)];
    [0, 1, 2, 3].map(|n| forms[0][n].or(forms[1][n]).or(forms[2][n]).or(forms[3][n]))
}

/// Returns the cubic in powers of the time since the start or before the end.
fn powers(mut b: [Sized; 4], before_end: bool) -> Rough {
    if before_end {
        b.reverse();
    }
    let [v0, v1, v2, v3] = b.map(|b| b.value);
    let [s0, s1, s2, s3] = b.map(|b| b.size);
    let c = [v0, 3.0 * (v1 - v0), 3.0 * (v2 - 2.0 * v1 + v0), v3 - 3.0 * v2 + 3.0 * v1 - v0];
    let sizes = [s0, 3.0 * (s1 + s0), 3.0 * (s2 + 2.0 * s1 + s0), s3 + 3.0 * s2 + 3.0 * s1 + s0];
    Rough { c, error: sizes.map(|size| ERROR * size + 12.0 * TINY_CUBIC) }
}

/// Returns one component of a face in powers of that time.
fn face_powers(face: &[[Sized; 3]; 3], k: usize, before_end: bool) -> Rough {
    let mut b = face.map(|coefficient| coefficient[k]);
    if before_end {
        b.reverse();
    }
    let [v0, v1, v2] = b.map(|b| b.value);
    let [s0, s1, s2] = b.map(|b| b.size);
    let c = [v0, 2.0 * (v1 - v0), v2 - 2.0 * v1 + v0, 0.0];
    let sizes = [s0, 2.0 * (s1 + s0), s2 + 2.0 * s1 + s0, 0.0];
    Rough { c, error: sizes.map(|size| ERROR * size + 4.0 * TINY_FACE) }
}

/// Step 5 of the header, over an enclosure in powers of that time.
fn is_outside<P: Pair>(ends: Ends<'_>, before_end: bool, span: &Bracket) -> bool {
    let (mut any_positive, mut any_negative) = ([false; 3], [false; 3]);
    for index in 0..P::FACES {
        let face = face::<P>(ends, index);
        for k in 0..3 {
            match face_powers(&face, k, before_end).sign_over(span) {
                Some(Ordering::Greater) => any_positive[k] = true,
                Some(Ordering::Less) => any_negative[k] = true,
                _ => {}
            }
            if any_positive[k] && any_negative[k] {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
#[path = "relative_tests.rs"]
mod tests;
