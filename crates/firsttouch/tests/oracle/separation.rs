//! The exact first time at which the two features are within a distance d > 0 of each other.
//!
//! The distance of two closed features is the smallest of three kinds of distances. The first is between two corners,
//! the second between a corner and the inside of an edge it projects onto. The third is between a vertex and the inside
//! of the face it projects onto, or between the insides of two edges that have a common perpendicular. Each "within d"
//! is a polynomial inequality `excess(t) <= 0` of degree 2, 4 or 6, under side conditions that say that the projection
//! falls inside.
//!
//! The distance is continuous, so at a first time t > 0 it equals d and the excess of the nearest pair is zero: the
//! candidates are t = 0 and the roots of all excesses. An excess that vanishes throughout adds none: it takes effect
//! when a projection crosses the border of a face or an end of an edge, and there the excess of that edge or corner
//! vanishes too.

use super::polynomial::{Dyadic, Poly, Vector, common_integers};
use super::root::{Root, roots_in_unit_interval};
use super::{Kind, Query, points_from};

/// The distance as a union of conditions, for one query and one d.
pub(crate) struct Separation {
    terms: Vec<Term>,
}

/// Within d where the excess is not positive, nothing in `inside` is negative, and `regular` is positive.
struct Term {
    excess: Poly,
    inside: Vec<Poly>,
    regular: Option<Poly>,
}

impl Separation {
    pub(crate) fn new(query: &Query, distance: f64) -> Separation {
        assert!(distance > 0.0);
        let numbers: Vec<f64> = query
            .t0
            .iter()
            .chain(&query.t1)
            .flat_map(|p| p.to_array())
            .chain(std::iter::once(distance))
            .collect();
        let integers = common_integers(&numbers);
        let p = points_from(&integers);
        let square = Poly::constant(&integers[24] * &integers[24]);
        let mut terms = Vec::new();
        let corners: &[(usize, usize)] = match query.kind {
            Kind::VertexFace => &[(0, 1), (0, 2), (0, 3)],
            Kind::EdgeEdge => &[(0, 2), (0, 3), (1, 2), (1, 3)],
        };
        for &(i, j) in corners {
            let a = p[j].minus(&p[i]);
            terms.push(Term { excess: &a.dot(&a) - &square, inside: Vec::new(), regular: None });
        }
        let edges: &[(usize, usize, usize)] = match query.kind {
            Kind::VertexFace => &[(0, 1, 2), (0, 2, 3), (0, 3, 1)],
            Kind::EdgeEdge => &[(0, 2, 3), (1, 2, 3), (2, 0, 1), (3, 0, 1)],
        };
        for &(i, j, k) in edges {
            terms.push(point_and_line(&p[j].minus(&p[i]), &p[k].minus(&p[i]), &square));
        }
        terms.push(match query.kind {
            Kind::VertexFace => point_and_plane(&p, &square),
            Kind::EdgeEdge => two_lines(&p, &square),
        });
        Separation { terms }
    }

    /// Returns true if the features are within d at this time.
    pub(crate) fn within(&self, time: &Dyadic) -> bool {
        let mut time = Root::at(time.clone());
        self.terms.iter().any(|term| time.sign(&term.excess) <= 0 && term.applies(&mut time))
    }

    /// Returns the first time in `[0, 1]` at which the features are within d.
    pub(crate) fn first(&self) -> Option<Root> {
        if self.within(&Dyadic::zero()) {
            return Some(Root::at(Dyadic::zero()));
        }
        let mut first: Option<Root> = None;
        for term in self.terms.iter().filter(|term| !term.excess.is_zero()) {
            for mut candidate in roots_in_unit_interval(&term.excess).into_iter().map(|r| r.root) {
                if first.as_mut().is_some_and(|f| candidate.compare_root(f).is_ge()) {
                    break;
                }
                if term.applies(&mut candidate) {
                    first = Some(candidate);
                    break;
                }
            }
        }
        first
    }
}

impl Term {
    fn applies(&self, time: &mut Root) -> bool {
        self.regular.as_ref().is_none_or(|r| time.sign(r) > 0)
            && self.inside.iter().all(|s| time.sign(s) >= 0)
    }
}

/// Returns the condition for the origin and the line through a and b: |a × b|² <= d² |b - a|².
fn point_and_line(a: &Vector, b: &Vector, square: &Poly) -> Term {
    let (area, along) = (a.cross(b), b.minus(a));
    let length = along.dot(&along);
    Term {
        excess: &area.dot(&area) - &(square * &length),
        inside: vec![b.dot(&along), a.dot(&along).negated()],
        regular: Some(length),
    }
}

/// Returns the condition for the vertex and the plane of the triangle with normal n: (a · n)² <= d² n².
fn point_and_plane(p: &[Vector; 4], square: &Poly) -> Term {
    let [a, b, c] = [1, 2, 3].map(|i| p[i].minus(&p[0]));
    let areas = [a.cross(&b), b.cross(&c), c.cross(&a)];
    let n = b.minus(&a).cross(&c.minus(&a));
    let (height, length) = (a.dot(&n), n.dot(&n));
    Term {
        excess: &(&height * &height) - &(square * &length),
        inside: areas.iter().map(|area| area.dot(&n)).collect(),
        regular: Some(length),
    }
}

/// Returns the condition for the lines p0 + s u and q0 + r w with n = u × w and e = q0 - p0: (e · n)² <= d² n², where
/// the feet of the common perpendicular are at `s n² = (e × w) · n` and `r n² = (e × u) · n`.
fn two_lines(p: &[Vector; 4], square: &Poly) -> Term {
    let (u, w, e) = (p[1].minus(&p[0]), p[3].minus(&p[2]), p[2].minus(&p[0]));
    let n = u.cross(&w);
    let (height, length) = (e.dot(&n), n.dot(&n));
    let (s, r) = (e.cross(&w).dot(&n), e.cross(&u).dot(&n));
    Term {
        excess: &(&height * &height) - &(square * &length),
        inside: vec![&length - &s, &length - &r, s, r],
        regular: Some(length),
    }
}
