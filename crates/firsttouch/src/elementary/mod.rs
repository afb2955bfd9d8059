//! The elementary tests of two mesh features whose vertices move linearly, decided exactly.
//!
//! **Problem.** Four points move on straight lines, `p(t) = p₀ + t (p₁ − p₀)`. Find the first t in `[0, t_max]` at
//! which the vertex lies on the closed triangle, or the two closed segments meet, if there is one.
//!
//! The method is a cascade, cheapest first. Every stage either proves its answer or passes the query on:
//! 1. [`Stage::Axes`]: entry and exit times of the moving boxes along x, y, z (`axes`).
//! 2. [`Stage::Bernstein`]: at a contact the four points are coplanar, which is the root of a cubic. Bernstein
//!    coefficients of one strict sign exclude it, and so do two faces of the tetrahedron with opposite signs
//!    throughout (`coplanarity`).
//! 3. [`Stage::Float`]: roots isolated in `f64` with error bounds, and the inside test over the isolating interval.
//!    Features that grow or shrink by many orders of magnitude get a second try with relative errors (`relative`).
//! 4. [`Stage::Exact`]: integers and real algebraic numbers (`exact`).
//!
//! **Guarantee.** With `min_separation` = 0 the decision is exact for the `f64` input, without any tolerance and for
//! every input, even a degenerate one. `toi` is never after the exact first contact and at most 2^-50 before it;
//! `toi_upper` is never before it. With `min_separation` > 0 the answer comes from conservative advancement
//! (`advancement`): never late and tight within `tolerance`. Only in this case may the answer be
//! [`Verdict::Undecided`].
//!
//! This module does not select the pairs of a mesh to test. Features that share a vertex touch by this definition.
//!
//! ```
//! use firsttouch::elementary::{vertex_face, Limits, Verdict, VertexFace};
//! use glam::dvec3;
//! // A vertex falls from z = 1 to z = −3 through the triangle at rest in z = 0.
//! let q = VertexFace::new(
//!     [dvec3(0.25, 0.25, 1.0), dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0)],
//!     [dvec3(0.25, 0.25, -3.0), dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0)],
//! )?;
//! let Verdict::Touch(contact) = vertex_face(&q, &Limits::default()).outcome else { panic!() };
//! assert!(contact.toi <= 0.25 && contact.toi > 0.25 - 1e-15);
//! assert_eq!(contact.normal, dvec3(0.0, 0.0, -1.0));
//! # Ok::<(), firsttouch::Error>(())
//! ```

mod advancement;
mod axes;
mod batch;
pub mod closest;
mod columns;
pub(crate) mod contact;
mod coplanarity;
pub(crate) mod crossing;
mod exact;
mod pair;
mod polynomials;
mod relative;

pub use crate::pair::{Limits, Verdict};
pub use batch::{edge_edge_batch, vertex_face_batch};
pub use columns::{Columns, RowResult};

use glam::DVec3;

use crate::error::{Error, Result, finite};
use pair::Pair;

/// The largest accepted coordinate, so that no product of the `f64` stages overflows: they multiply three differences
/// and square the largest of them.
pub const LARGEST_COORDINATE: f64 = 1e60;

/// A moving vertex and a moving triangle: `v, f0, f1, f2` at time 0 and at time 1.
///
/// ```
/// use firsttouch::elementary::VertexFace;
/// use glam::DVec3;
/// assert!(VertexFace::new([DVec3::ZERO; 4], [DVec3::splat(f64::NAN); 4]).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VertexFace {
    /// The vertex, then the corners of the triangle, at time 0.
    pub(crate) t0: [DVec3; 4],
    /// The same points at time 1.
    pub(crate) t1: [DVec3; 4],
}

impl VertexFace {
    /// Creates the pair. Returns an error for coordinates that are not finite or beyond [`LARGEST_COORDINATE`]. A
    /// value built without this check that holds such coordinates gets an unspecified answer, but no panic.
    pub fn new(t0: [DVec3; 4], t1: [DVec3; 4]) -> Result<VertexFace> {
        validate(&t0, &t1, VertexFace::NAMES)?;
        Ok(VertexFace { t0, t1 })
    }

    /// Creates a pair for each row of eight columns of points; `out` is cleared first. Returns the first row that
    /// [`VertexFace::new`] refuses, with its error. Faster than `new` row by row.
    ///
    /// ```
    /// use firsttouch::elementary::VertexFace;
    /// use glam::DVec3;
    /// let (here, there) = ([[0.0; 3]; 2], [[1.0; 3]; 2]);
    /// let mut out = Vec::new();
    /// VertexFace::from_columns([&here; 4], [&there; 4], &mut out).unwrap();
    /// assert_eq!(out, [VertexFace::new([DVec3::ZERO; 4], [DVec3::ONE; 4])?; 2]);
    ///
    /// let wrong = [[1.0; 3], [1.0, f64::NAN, 1.0]];
    /// let (row, error) = VertexFace::from_columns([&here; 4], [&there, &there, &wrong, &there], &mut out).unwrap_err();
    /// assert_eq!((row, error.to_string()), (1, "triangle corner 1 y at time 1 is not finite: NaN".into()));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn from_columns(t0: Columns<'_>, t1: Columns<'_>, out: &mut Vec<VertexFace>) -> RowResult {
        columns::pairs(t0, t1, out)
    }

    /// Returns the four points at time 0.
    pub fn t0(&self) -> &[DVec3; 4] {
        &self.t0
    }

    /// Returns the four points at time 1.
    pub fn t1(&self) -> &[DVec3; 4] {
        &self.t1
    }
}

/// Two moving segments: `ea0, ea1, eb0, eb1` at time 0 and at time 1.
///
/// ```
/// use firsttouch::elementary::EdgeEdge;
/// use glam::DVec3;
/// assert!(EdgeEdge::new([DVec3::ZERO; 4], [DVec3::splat(1e61); 4]).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeEdge {
    /// The ends of the first segment, then of the second, at time 0.
    pub(crate) t0: [DVec3; 4],
    /// The same points at time 1.
    pub(crate) t1: [DVec3; 4],
}

impl EdgeEdge {
    /// Creates the pair. Returns an error for coordinates that are not finite or beyond [`LARGEST_COORDINATE`]. A
    /// value built without this check that holds such coordinates gets an unspecified answer, but no panic.
    pub fn new(t0: [DVec3; 4], t1: [DVec3; 4]) -> Result<EdgeEdge> {
        validate(&t0, &t1, EdgeEdge::NAMES)?;
        Ok(EdgeEdge { t0, t1 })
    }

    /// Creates a pair for each row of eight columns of points, as [`VertexFace::from_columns`] does.
    ///
    /// ```
    /// use firsttouch::elementary::EdgeEdge;
    /// let mut out = Vec::new();
    /// EdgeEdge::from_columns([&[[0.0; 3]; 5]; 4], [&[[1.0; 3]; 5]; 4], &mut out).unwrap();
    /// assert_eq!(out.len(), 5);
    /// ```
    pub fn from_columns(t0: Columns<'_>, t1: Columns<'_>, out: &mut Vec<EdgeEdge>) -> RowResult {
        columns::pairs(t0, t1, out)
    }

    /// Returns the four points at time 0.
    pub fn t0(&self) -> &[DVec3; 4] {
        &self.t0
    }

    /// Returns the four points at time 1.
    pub fn t1(&self) -> &[DVec3; 4] {
        &self.t1
    }
}

fn validate(t0: &[DVec3; 4], t1: &[DVec3; 4], names: [&str; 4]) -> Result<()> {
    // Almost always all numbers are in range, which one pass without branches detects. A comparison with NaN is false.
    let is_fine = |point: &DVec3| {
        point.to_array().into_iter().fold(true, |fine, x| fine & (x.abs() <= LARGEST_COORDINATE))
    };
    if t0.iter().chain(t1).fold(true, |fine, point| fine & is_fine(point)) {
        return Ok(());
    }
    for (time, points) in [(0, t0), (1, t1)] {
        for (point, name) in points.iter().zip(names) {
            for (value, axis) in point.to_array().into_iter().zip(["x", "y", "z"]) {
                let what = || format!("{name} {axis} at time {time}");
                finite(what, value)?;
                if value.abs() > LARGEST_COORDINATE {
                    return Err(Error::OutOfRange {
                        what: what(),
                        expected: "at most 1e60 in magnitude",
                        value,
                    });
                }
            }
        }
    }
    Ok(())
}

/// The place and time of the first touch of two features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// A time that is never after the exact first contact; 0 if they touch at time 0.
    pub toi: f64,
    /// A time that is never before the exact first contact; with `min_separation` > 0 equal to `toi`.
    pub toi_upper: f64,
    /// The midpoint of the closest points of the two features at `toi`.
    pub point: DVec3,
    /// Vertex/face: the weights of f0, f1, f2, not negative and of sum 1. Edge/edge: the parameters of the closest
    /// points on a and on b in `[0, 1]` (0 at the first end), then 0. If the closest points are not unique (parallel
    /// edges, a triangle without area), these are the parameters of one closest pair.
    pub parameters: [f64; 3],
    /// A unit vector from the first feature to the second. For an actual contact it is the normal of the triangle
    /// (vertex/face) or the common normal of both edges (edge/edge). It points in the direction in which the first
    /// feature moves relative to the second at the touching points. Without such a motion, it points to the side on
    /// which the second feature's touching point was at time 0. If that normal does not exist, it is the first existing
    /// vector of this list: the part of the relative velocity perpendicular to the longest edge, any direction
    /// perpendicular to that edge, the relative velocity, +z. With `min_separation` > 0 it is the direction between the
    /// closest points.
    pub normal: DVec3,
}

/// The stage of the cascade that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Entry and exit times along the coordinate axes.
    Axes,
    /// Signs of Bernstein coefficients over the whole time span.
    Bernstein,
    /// Certified root isolation and inside test in `f64`.
    Float,
    /// Exact arithmetic.
    Exact,
    /// Conservative advancement, for `min_separation` > 0.
    Advancement,
}

/// An answer and the stage that decided it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Decision {
    /// The answer.
    pub outcome: Verdict<Contact>,
    /// The stage that decided.
    pub stage: Stage,
}

/// Returns the first contact of a moving vertex and a moving triangle.
///
/// ```
/// use firsttouch::elementary::{vertex_face, Limits, Verdict, VertexFace};
/// use glam::{dvec3, DVec3};
/// // The vertex slides in the plane of the triangle and reaches the edge x = 0 at t = 1/2.
/// let face = [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0)];
/// let at = |x: f64| [dvec3(x, 0.5, 0.0), face[0], face[1], face[2]];
/// let q = VertexFace::new(at(-1.0), at(1.0))?;
/// let Verdict::Touch(contact) = vertex_face(&q, &Limits::default()).outcome else { panic!() };
/// assert_eq!((contact.toi, contact.toi_upper), (0.5, 0.5));
/// assert_eq!(contact.parameters, [0.5, 0.0, 0.5]);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn vertex_face(q: &VertexFace, p: &Limits) -> Decision {
    decide(q, p)
}

/// Returns the first contact of two moving segments.
///
/// ```
/// use firsttouch::elementary::{edge_edge, EdgeEdge, Limits, Verdict};
/// use glam::dvec3;
/// // One edge falls onto another, at a right angle, and they meet halfway.
/// let b = [dvec3(0.0, -1.0, 0.0), dvec3(0.0, 1.0, 0.0)];
/// let at = |z: f64| [dvec3(-1.0, 0.0, z), dvec3(1.0, 0.0, z), b[0], b[1]];
/// let q = EdgeEdge::new(at(1.0), at(-1.0))?;
/// let Verdict::Touch(contact) = edge_edge(&q, &Limits::default()).outcome else { panic!() };
/// assert!(contact.toi <= 0.5 && 0.5 <= contact.toi_upper);
/// assert_eq!(contact.parameters, [0.5, 0.5, 0.0]);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn edge_edge(q: &EdgeEdge, p: &Limits) -> Decision {
    decide(q, p)
}

fn decide<P: Pair>(q: &P, p: &Limits) -> Decision {
    if p.min_separation > 0.0 {
        return Decision { outcome: advancement::advance(q, p), stage: Stage::Advancement };
    }
    let t_max = p.t_end;
    if axes::apart(q, t_max) {
        return Decision { outcome: Verdict::Free, stage: Stage::Axes };
    }
    decide_near(q, t_max)
}

/// Runs the stages after the axes.
fn decide_near<P: Pair>(q: &P, t_max: f64) -> Decision {
    let (stage, span) = match coplanarity::decide(q, t_max) {
        coplanarity::Verdict::Free(stage) => return Decision { outcome: Verdict::Free, stage },
        coplanarity::Verdict::Touch(span) => (Stage::Float, Some(span)),
        coplanarity::Verdict::Unknown if t_max == 1.0 && relative::is_free(q) => {
            return Decision { outcome: Verdict::Free, stage: Stage::Float };
        }
        coplanarity::Verdict::Unknown => (Stage::Exact, exact::first_contact(q, t_max)),
    };
    let outcome = match span {
        None => Verdict::Free,
        Some(span) => Verdict::Touch(contact::describe(q, span)),
    };
    Decision { outcome, stage }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Random(u64);

    impl Random {
        fn unit(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / 2f64.powi(53)
        }

        fn point(&mut self) -> DVec3 {
            DVec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5) * 2.0
        }

        /// Queries that are difficult for `f64`, each kind for a different reason.
        fn query(&mut self, kind: usize) -> ([DVec3; 4], [DVec3; 4]) {
            let mut t0 = [0; 4].map(|_| self.point());
            let mut t1 = [0; 4].map(|_| self.point());
            match kind % 6 {
                // Arbitrary points.
                0 => {}
                // A vertex aimed at a point of an edge or a corner, so that contact depends on the last bits.
                1 => {
                    let (s, t) = (if self.unit() < 0.3 { 0.0 } else { self.unit() }, self.unit());
                    let at = |a: DVec3, b: DVec3| a + (b - a) * t;
                    let (c, d) = (at(t0[1], t1[1]), at(t0[2], t1[2]));
                    let target = c + (d - c) * s;
                    t1[0] = t0[0] + (target - t0[0]) / t;
                }
                // Nearly flat.
                2 => {
                    for p in t0.iter_mut().chain(&mut t1) {
                        p.z *= 1e-15;
                    }
                }
                // Nearly one translation: slow relative motion.
                3 => {
                    let shift = self.point();
                    for i in 0..4 {
                        t1[i] = t0[i] + shift + t1[i] * 1e-9;
                    }
                }
                // A far offset: differences of few bits.
                4 => {
                    for p in t0.iter_mut().chain(&mut t1) {
                        *p += DVec3::splat(2f64.powi(46));
                    }
                }
                // Long and thin.
                _ => {
                    t0[2] = t0[1] + (t0[2] - t0[1]) * 1e-12;
                    t1[2] = t1[1] + (t1[2] - t1[1]) * 1e-12;
                }
            }
            (t0, t1)
        }
    }

    /// Compares every stage with the exact one, and counts the decisions of each.
    fn compare<P: Pair>(make: fn([DVec3; 4], [DVec3; 4]) -> P) {
        let mut random = Random(17);
        let mut stages = [0; 4];
        let mut touches = 0;
        for kind in 0..120_000 {
            let (t0, t1) = random.query(kind);
            let q = make(t0, t1);
            let t_max = if kind % 7 == 0 { random.unit() } else { 1.0 };
            let decision = decide(&q, &Limits { t_end: t_max, ..Limits::default() });
            stages[decision.stage as usize] += 1;
            let exact = exact::first_contact(&q, t_max);
            match (decision.outcome, exact) {
                (Verdict::Free, None) => {}
                (Verdict::Touch(c), Some(b)) => {
                    touches += 1;
                    assert!(c.toi <= b.hi && b.lo <= c.toi_upper, "{t0:?} {t1:?} {c:?} {b:?}");
                    assert!(c.toi_upper - c.toi <= 4.0 * f64::EPSILON && b.hi - b.lo <= f64::EPSILON);
                    assert!(c.toi_upper <= t_max);
                }
                (got, exact) => panic!("{t0:?} {t1:?} {got:?} {exact:?}"),
            }
        }
        assert!(stages.iter().all(|&n| n > 1000), "{stages:?}");
        assert!(touches > 5000, "{touches}");
    }

    #[test]
    fn vertex_face_stages_agree_with_the_exact_one() {
        compare(|t0, t1| VertexFace { t0, t1 });
    }

    #[test]
    fn edge_edge_stages_agree_with_the_exact_one() {
        compare(|t0, t1| EdgeEdge { t0, t1 });
    }

    #[test]
    fn input_that_was_never_validated_does_not_panic() {
        let mut random = Random(5);
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 5e-324, -0.0];
        for round in 0..2000 {
            let (mut t0, mut t1) = random.query(round);
            for _ in 0..3 {
                let p = if random.unit() < 0.5 { &mut t0 } else { &mut t1 };
                p[(random.unit() * 4.0) as usize][(random.unit() * 3.0) as usize] =
                    odd[(random.unit() * 6.0) as usize];
            }
            for min_separation in [0.0, 0.1] {
                let params = Limits { min_separation, max_iterations: 100, ..Limits::default() };
                vertex_face(&VertexFace { t0, t1 }, &params);
                edge_edge(&EdgeEdge { t0, t1 }, &params);
            }
        }
    }
}

#[cfg(test)]
mod bounds_tests;
