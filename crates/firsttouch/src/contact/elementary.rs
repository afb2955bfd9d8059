//! Contact of a moving primitive with one at rest: vertex/face, face/vertex and edge/edge, by polynomials of degree 3.
//!
//! **Problem.** In the screw's frame, find the first `x` at which two primitives may come within a distance `D`.
//!
//! **Method.** Let `R` be the rotation at `x` and `z` the third axis.
//! 1. *Vertex/face.* A point within `D` of a triangle is within `D` of its plane: `|n · (p(x) − q)| <= |n| D`, for the
//!    normal `n` and a corner `q`. With `a = n_x p_x + n_y p_y`, `b = n_y p_x − n_x p_y` and `h = n_z p_z − n · q`, the
//!    left side times `1 + x²` is `(a + h) + (2b + n_z σ) x + (h − a) x² + n_z σ x³`.
//! 2. *Face/vertex.* Relative to the moving face, the vertex makes the opposite motion, which is that of `−x`.
//! 3. *Edge/edge.* With the edges `p + λ e` (moving) and `q + μ f`, `T(x) = (q − p(x)) · (Re × f)` vanishes when the
//!    two lines meet, and `|T| <= |e| |f| D` when the edges are within `D`.
//!    `T = Re · (f × q) − f · R(p × e) − σx Re · (f × z)`: the first two terms are linear in `R`, the last in its
//!    first two rows only, so `(1 + x²) T` is of degree 3.
//! 4. The parts of the window in which the polynomial may be that small are isolated ([`near_zero`]). Each part gets
//!    the inside test: take the primitives at the middle of the part, and the directions that bound them (across the
//!    sides of the face, or across the edges). If the primitives are apart along one of these by more than `D` plus
//!    their largest motion in the part, then the part holds no contact. The first remaining part is the candidate.
//!
//! Without a rotation all polynomials are linear, with the same method.
//!
//! **Guarantee.** Before the candidate, the exact primitives are farther apart than `D` minus the frame's
//! uncertainty. The uncertainty of the coefficients widens the band: a degenerate equation yields the whole window as
//! its part, and advancement decides afterwards.
//!
//! **Rounding.** With `u` the unit roundoff and `S` a bound of all coordinates (positions are at most `S`, as is the
//! rise):
//! - face: every term of the coefficients is at most `|n| S (1 + X²)` at any `x` up to `X`, through at most 12
//!   roundings: `64u |n| S (1 + X²)`. The computed normal is used unchanged: for any `n`, the points of the face have
//!   `n · y` within `max |n · side|` of `n · q`. This deviation is computed and added, with `16u |n|` of the longer
//!   side for its rounding.
//! - edge: the same count with `|e| |f| S`, and the two cross products: `128u`.
//! - inside test: positions and projections through at most 24 roundings of at most `S |m|`: `64u S |m|`.
//!
//! **Scale.** The polynomials and the inside test are products of up to four lengths, whose squares are computed. At
//! sizes of 1e-53 these squares underflow to zero, and comparisons with them become meaningless. Every direction is
//! therefore multiplied, as soon as it is computed, by the power of two that gives it a length of about one; this is
//! exact. The remaining quantities are linear in lengths.
//!
//! **Departures.** The paper solves the equations and tests the roots, without a tolerance. Here the band and the
//! inside test are conservative, and they support a minimum separation.
//!
//! Reference: Redon, Kheddar, Coquillart 2001, Sec. 2; equations re-derived.

use glam::DVec3;

use super::cubic::near_zero;
use super::frame::{Frame, Path};
use crate::numerics::bound::{largest_upper, lower_min, upper_max};
use crate::numerics::rounding::UNIT;

/// Settings for the test of two primitives in the frame: the distance to reach, and the window.
#[derive(Debug, Clone, Copy)]
pub struct Elementary<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// Primitives within this distance, in the frame, count as touching.
    pub distance: f64,
    /// The excess distance allowed at a candidate.
    pub slack: f64,
    /// The end of the window.
    pub x_end: f64,
}

impl Elementary<'_> {
    /// Returns the first `x` at which a moving vertex may touch a face at rest.
    pub fn vertex_face(&self, vertex: DVec3, face: &[DVec3; 3]) -> Option<f64> {
        let plane = Plane::of(face);
        let polynomial = self.plane_polynomial(&plane, vertex);
        self.first(polynomial, self.plane_scale(&plane), &[vertex], face, |_| plane.sides())
    }

    /// Returns the first `x` at which a moving face may touch a vertex at rest.
    pub fn face_vertex(&self, face: &[DVec3; 3], vertex: DVec3) -> Option<f64> {
        let plane = Plane::of(face);
        let [c0, c1, c2, c3] = self.plane_polynomial(&plane, vertex);
        let scale = self.plane_scale(&plane);
        self.first([c0, -c1, c2, -c3], scale, face, &[vertex], |moved| Plane::of(moved).sides())
    }

    /// Returns the first `x` at which a moving edge may touch an edge at rest.
    pub fn edge_edge(&self, [p0, p1]: &[DVec3; 2], [q0, q1]: &[DVec3; 2]) -> Option<f64> {
        let (p, q, e, f) = (*p0, *q0, about_one(*p1 - *p0), about_one(*q1 - *q0));
        let polynomial = match self.frame.path() {
            Path::Turning { rise, .. } => {
                let (m, g) = (f.cross(q), p.cross(e));
                let (a1, b1, h1) = (e.x * m.x + e.y * m.y, e.x * m.y - e.y * m.x, e.z * m.z);
                let (a2, b2, h2) = (g.x * f.x + g.y * f.y, g.x * f.y - g.y * f.x, g.z * f.z);
                let (a3, b3) = (rise * (e.x * f.y - e.y * f.x), -rise * (e.x * f.x + e.y * f.y));
                let constant = (q - p).dot(e.cross(f));
                [constant, 2.0 * (b1 - b2) - a3, (h1 - a1) - (h2 - a2) - 2.0 * b3, a3]
            }
            Path::Straight { rise } => {
                let w = e.cross(f);
                [(q - p).dot(w), -rise * w.z, 0.0, 0.0]
            }
        };
        let lengths = e.length() * f.length();
        let scale = Scale { length: lengths, tilt: 0.0, rounding: 128.0 * UNIT * lengths * self.frame.size };
        self.first(polynomial, scale, &[*p0, *p1], &[*q0, *q1], |moved: &[DVec3; 2]| {
            let e = about_one(moved[1] - moved[0]);
            let w = about_one(e.cross(f));
            [w.cross(e), w.cross(f), e, f]
        })
    }

    /// Returns the coefficients of `(1 + x²) n · (p(x) − q)`.
    fn plane_polynomial(&self, plane: &Plane, p: DVec3) -> [f64; 4] {
        let n = plane.normal;
        let distance = n.dot(p - plane.corner);
        match self.frame.path() {
            Path::Turning { rise, .. } => {
                let (a, b) = (n.x * p.x + n.y * p.y, n.y * p.x - n.x * p.y);
                let climb = n.z * rise;
                [distance, 2.0 * b + climb, distance - 2.0 * a, climb]
            }
            Path::Straight { rise } => [distance, n.z * rise, 0.0, 0.0],
        }
    }

    fn plane_scale(&self, plane: &Plane) -> Scale {
        let length = plane.normal.length();
        Scale { length, tilt: plane.tilt, rounding: 64.0 * UNIT * length * self.frame.size }
    }

    /// Performs step 4 of the header. `directions` returns the directions that bound the primitives, given the
    /// position of the moving one.
    fn first<const A: usize, const B: usize, const N: usize>(
        &self,
        polynomial: [f64; 4],
        scale: Scale,
        moving: &[DVec3; A],
        resting: &[DVec3; B],
        directions: impl Fn(&[DVec3; A]) -> [DVec3; N],
    ) -> Option<f64> {
        let denominator = match self.frame.path() {
            Path::Turning { .. } => 1.0 + self.x_end * self.x_end,
            Path::Straight { .. } => 1.0,
        };
        let band = (scale.length * self.distance + scale.tilt + scale.rounding) * denominator;
        let parts = near_zero(&polynomial, band * (1.0 + 16.0 * UNIT), scale.length * self.slack, self.x_end);
        let radius = largest_upper(moving.iter().map(|p| p.truncate().length()));
        for [from, to] in parts {
            let moved = moving.map(|p| self.frame.moved(p, 0.5 * (from + to)));
            let swept = self.frame.speed(radius) * (0.5 * (to - from)) * (1.0 + 16.0 * UNIT);
            let margin = (self.distance + swept + 64.0 * UNIT * self.frame.size) * (1.0 + 16.0 * UNIT);
            if !directions(&moved).into_iter().any(|m| apart_along(m, &moved, resting, margin)) {
                return Some(from);
            }
        }
        None
    }
}

/// The scale of the polynomial: a distance `d` appears as `length · d`, in addition to the other two terms.
struct Scale {
    length: f64,
    tilt: f64,
    rounding: f64,
}

/// The plane of a triangle, up to rounding.
struct Plane {
    /// The normal, of a length of about one, or zero.
    normal: DVec3,
    corner: DVec3,
    edges: [DVec3; 3],
    /// The largest distance of the triangle, along the normal, from the plane through the corner.
    tilt: f64,
}

impl Plane {
    #[inline]
    fn of(&[a, b, c]: &[DVec3; 3]) -> Plane {
        let edges = [b - a, c - b, a - c];
        let normal = about_one(about_one(edges[0]).cross(-about_one(edges[2])));
        let longest = upper_max(edges[0].length(), edges[2].length());
        let tilt = upper_max(normal.dot(edges[0]).abs(), normal.dot(edges[2]).abs())
            + 16.0 * UNIT * normal.length() * longest;
        Plane { normal, corner: a, edges, tilt }
    }

    /// Returns the directions across each side, within the plane.
    fn sides(&self) -> [DVec3; 3] {
        self.edges.map(|edge| about_one(edge).cross(self.normal))
    }
}

/// Returns the vector times the power of two that makes its largest coordinate lie between 1 and 2. This is exact,
/// except for coordinates that are smaller than the largest by a factor of 2^1022.
#[inline]
fn about_one(v: DVec3) -> DVec3 {
    // A NaN may be passed over here: it stays a NaN below.
    let size = v.abs();
    let largest = if size.x > size.y { size.x } else { size.y };
    let largest = if largest > size.z { largest } else { size.z };
    let exponent = largest.to_bits() >> 52;
    // Zero and subnormal sizes stay unchanged.
    if exponent == 0 { v } else { v * f64::from_bits(2046_u64.saturating_sub(exponent) << 52) }
}

/// Returns true if two sets of points are farther apart than `margin` along a direction of about unit length.
#[inline]
fn apart_along(m: DVec3, a: &[DVec3], b: &[DVec3], margin: f64) -> bool {
    let range = |points: &[DVec3]| {
        points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| {
            let along = m.dot(*p);
            (lower_min(low, along), upper_max(high, along))
        })
    };
    let ((low_a, high_a), (low_b, high_b)) = (range(a), range(b));
    let margin = m.length() * margin;
    low_b - high_a > margin || low_a - high_b > margin
}
