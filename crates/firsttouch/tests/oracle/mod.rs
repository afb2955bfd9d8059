//! The exact first contact of a moving vertex and triangle, or of two moving edges, by brute algebra.
//!
//! Written independently of the library and differently: no f64 arithmetic, no error bounds, no stages. It judges the
//! elementary tests, so it is meant to be obviously right rather than fast.
//!
//! 1. The 24 coordinates are scaled by one power of two to integers; every position is then a vector of
//!    polynomials of degree 1 in t with integer coefficients.
//! 2. Contact at a time t is a formula in the signs of polynomials at t, one face of the simplex after another:
//!    - vertex v and triangle, with a, b, c the corners as seen from v: v is on the edge ab if `a × b = 0` and
//!      `a · b <= 0` (corners included), and in the same way on bc and ca. Or v is inside, off the edges, if
//!      `det(a, b, c) = 0` and the three vectors `a × b`, `b × c`, `c × a`, which are then parallel, point the same
//!      way: their products two by two are positive. (A triangle without area satisfies none of this: the three add up
//!      to twice its area vector, zero, so they cannot all point the same way.)
//!    - edges p and q: an end of one is on the other, as above; or they cross properly: coplanar, the ends of q
//!      strictly on either side of the line p, and the ends of p strictly on either side of the line q.
//! 3. Contact implies that the determinant D(t), of degree 3, is zero. If D is not identically zero, the formula is
//!    evaluated at its roots in ascending order, exactly. If it is, everything stays coplanar. The set of contact times
//!    is closed, and a proper contact persists for a while on both sides. So the first contact is t = 0 or the first
//!    time an end or corner lies on an edge, which is a common root of `a × b`, or a root of `a · b` where `a × b`
//!    vanishes throughout.
//!
//! The companion test `oracle_itself.rs` compares this with hand-computed cases, a version of step 3 that tries the
//! roots of all polynomials, and dense sampling in rational arithmetic with another contact test.

// Each test crate that includes this module uses a part of it.
#![allow(dead_code)]

pub(crate) mod polynomial;
pub(crate) mod root;
pub(crate) mod separation;

use std::fmt;

use glam::DVec3;

use polynomial::{Dyadic, Poly, Vector, common_integers};
use root::{Root, roots_in_unit_interval};

/// The two elementary tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    VertexFace,
    EdgeEdge,
}

/// Four points at time 0 and at time 1: v, f0, f1, f2, or ea0, ea1, eb0, eb1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Query {
    pub(crate) kind: Kind,
    pub(crate) t0: [DVec3; 4],
    pub(crate) t1: [DVec3; 4],
}

/// Formats the query as Rust, every coordinate exact, to be pasted as a regression case.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let points = |points: &[DVec3; 4]| {
            let list: Vec<_> =
                points.iter().map(|p| format!("dvec3({:?}, {:?}, {:?})", p.x, p.y, p.z)).collect();
            list.join(", ")
        };
        write!(f, "{:?}::new([{}], [{}])", self.kind, points(&self.t0), points(&self.t1))
    }
}

/// The first contact in `[0, 1]`.
#[derive(Debug, Clone)]
pub(crate) struct FirstContact {
    pub(crate) time: Root,
    /// The time is a simple root of the coplanarity determinant.
    pub(crate) simple: bool,
}

/// Returns the exact first contact in `[0, 1]`. For a shorter step compare the time with its end.
pub(crate) fn first_contact(query: &Query) -> Option<FirstContact> {
    if apart_along_an_axis(query) {
        return None;
    }
    let formula = Formula::of(query);
    if formula.determinant.is_zero() {
        return formula.first_coplanar();
    }
    let roots = roots_in_unit_interval(&formula.determinant);
    if roots.is_empty() {
        return None;
    }
    let sides = formula.sides();
    roots
        .into_iter()
        .find_map(|mut r| formula.holds(&mut r.root, &sides).then_some((r.root, r.simple)))
        .map(|(time, simple)| FirstContact { time, simple })
}

/// Returns true if one side is strictly below the other along a coordinate axis at both ends of the step, and so
/// throughout. Comparing f64s is exact.
fn apart_along_an_axis(query: &Query) -> bool {
    let first = match query.kind {
        Kind::VertexFace => 1,
        Kind::EdgeEdge => 2,
    };
    (0..3).any(|axis| {
        let extent = |points: &[DVec3]| {
            points.iter().fold((f64::MAX, f64::MIN), |(lo, hi), p| (lo.min(p[axis]), hi.max(p[axis])))
        };
        let [a0, a1, b0, b1] =
            [&query.t0[..first], &query.t1[..first], &query.t0[first..], &query.t1[first..]].map(extent);
        (a0.1 < b0.0 && a1.1 < b1.0) || (b0.1 < a0.0 && b1.1 < a1.0)
    })
}

/// Returns the four moving points, with integer coefficients.
pub(crate) fn moving_points(query: &Query) -> [Vector; 4] {
    let coordinates: Vec<f64> = query.t0.iter().chain(&query.t1).flat_map(|p| p.to_array()).collect();
    points_from(&common_integers(&coordinates))
}

/// Returns the polynomials `x0 + t (x1 - x0)` of the first 24 integers: 12 coordinates at time 0, then 12 at time 1.
fn points_from(integers: &[dashu_int::IBig]) -> [Vector; 4] {
    std::array::from_fn(|i| {
        Vector(std::array::from_fn(|axis| {
            let (x0, x1) = (&integers[3 * i + axis], &integers[12 + 3 * i + axis]);
            Poly::new(vec![x0.clone(), x1 - x0])
        }))
    })
}

/// Contact at a time as signs of polynomials at that time (step 2 above).
pub(crate) struct Formula {
    kind: Kind,
    pub(crate) determinant: Poly,
    /// Pairs of vectors: a point is on an edge when 0 is on the segment between the two.
    pub(crate) edges: Vec<[Vector; 2]>,
}

impl Formula {
    pub(crate) fn of(query: &Query) -> Formula {
        let p = moving_points(query);
        let seen_from = |i: usize, j: usize, k: usize| [p[j].minus(&p[i]), p[k].minus(&p[i])];
        match query.kind {
            Kind::VertexFace => {
                let edges = vec![seen_from(0, 1, 2), seen_from(0, 2, 3), seen_from(0, 3, 1)];
                let determinant = edges[0][0].cross(&edges[0][1]).dot(&edges[1][1]);
                Formula { kind: query.kind, determinant, edges }
            }
            Kind::EdgeEdge => {
                // The ends of q on p, then the ends of p on q.
                let edges =
                    vec![seen_from(2, 0, 1), seen_from(3, 0, 1), seen_from(0, 2, 3), seen_from(1, 2, 3)];
                let determinant = edges[2][0].cross(&edges[2][1]).dot(&p[1].minus(&p[0]));
                Formula { kind: query.kind, determinant, edges }
            }
        }
    }

    /// Returns the polynomials that are all positive at a coplanar time if and only if the contact is a proper one.
    /// In a contact of any kind at a coplanar time none of them is negative.
    pub(crate) fn sides(&self) -> Vec<Poly> {
        // Twice the area vector of each point and edge.
        let areas: Vec<Vector> = self.edges.iter().map(|[a, b]| a.cross(b)).collect();
        match self.kind {
            Kind::VertexFace => (0..3).map(|i| areas[i].dot(&areas[(i + 1) % 3])).collect(),
            Kind::EdgeEdge => (0..2).map(|i| areas[2 * i].dot(&areas[2 * i + 1]).negated()).collect(),
        }
    }

    /// Returns true if there is contact at a time at which all points are coplanar.
    fn holds(&self, time: &mut Root, sides: &[Poly]) -> bool {
        let mut proper = true;
        for side in sides {
            match time.sign(side) {
                -1 => return false,
                0 => proper = false,
                _ => {}
            }
        }
        proper || self.edges.iter().any(|edge| on_edge(edge, time))
    }

    /// Returns the first contact if all points are coplanar throughout.
    fn first_coplanar(&self) -> Option<FirstContact> {
        let mut start = Root::at(Dyadic::zero());
        if self.holds(&mut start, &self.sides()) {
            return Some(FirstContact { time: start, simple: false });
        }
        let mut first: Option<Root> = None;
        for edge in &self.edges {
            let [a, b] = edge;
            let area = a.cross(b);
            let mut decisive = area.0[0].gcd(&area.0[1]).gcd(&area.0[2]);
            if decisive.is_zero() {
                decisive = a.dot(b);
            }
            // `a · b` vanishes throughout, besides `a × b`, only if a or b is zero throughout: detected at t = 0.
            if decisive.is_zero() {
                continue;
            }
            for mut candidate in roots_in_unit_interval(&decisive).into_iter().map(|r| r.root) {
                if on_edge(edge, &mut candidate) {
                    if first.as_mut().is_none_or(|f| candidate.compare_root(f).is_lt()) {
                        first = Some(candidate);
                    }
                    break;
                }
            }
        }
        first.map(|time| FirstContact { time, simple: false })
    }
}

/// Returns true if 0 lies on the closed segment from a to b at that time: collinear, and not both on one side.
pub(crate) fn on_edge([a, b]: &[Vector; 2], time: &mut Root) -> bool {
    time.sign(&a.dot(b)) <= 0 && a.cross(b).0.iter().all(|component| time.sign(component) == 0)
}
