//! The last stage: the first contact by exact arithmetic, for every input.
//!
//! **Problem.** Find the first t in `[0, t_max]` at which the four points are coplanar and the features meet in that
//! plane.
//!
//! 1. Contact at t = 0 is decided by the predicates at rest ([`crate::numerics::predicates`]).
//! 2. Scale the 24 coordinates to integers. Differences are linear in time, faces and dot products quadratic, the
//!    coplanarity polynomial `f` is cubic. All have integer coefficients.
//! 3. If `f` is not identically zero, contacts are among its real roots, at most three. Each is tested by the exact
//!    signs of the quadratics at the root ([`crate::numerics::algebraic`], [`crate::numerics::coplanar`]). Most are
//!    excluded by signs in `f64` over an interval around the root, before any of this ([`crate::numerics::rough`]).
//! 4. If `f` is identically zero, the points stay coplanar. Contact depends only on signs of quadratics, so it does not
//!    change between neighbouring roots of these. The set of contact times is closed, so its first element is 0 or a
//!    root. The relevant quadratics are these. Along an axis in which some face (edge/edge: N) does not vanish
//!    identically, the faces of that axis alone decide at all but finitely many times, and those times are also among
//!    their roots. If there is no such axis, the features stay collinear (edge/edge: parallel), and all faces and dot
//!    products are used.
//!
//! **Guarantee.** Exact. `lo` and `hi` are exact bounds of the first contact, at most 2^-52 apart. If two candidates
//! lie within one bracket, the earlier `lo` is reported, which bounds both.

use std::cmp::Ordering;

use smallvec::SmallVec;

use crate::numerics::algebraic::{Poly, RealRoots};
use crate::numerics::coplanar;
use crate::numerics::located::{Bracket, Candidate};

use super::pair::Pair;
use super::polynomials::Polynomials;

/// Returns a bracket around the first contact in `[0, t_max]`, or `None` if there is no contact.
pub(crate) fn first_contact<P: Pair>(q: &P, t_max: f64) -> Option<Bracket> {
    if P::meet_at_rest(q.t0()) {
        return Some(Bracket { lo: 0.0, hi: 0.0 });
    }
    let mut all = Polynomials::new(q);
    let f = all.cubic();
    if f.is_zero() {
        return first_while_coplanar(&mut all, t_max);
    }
    if t_max == 1.0
        && let Some(only_at_end) = no_root_inside(&f)
    {
        let meets = only_at_end && meets(&mut all, |q| q.sign_at(1.0));
        return meets.then_some(Bracket { lo: 1.0, hi: 1.0 });
    }
    let roots = RealRoots::of(&f);
    first_meeting(&mut all, roots.candidates(t_max).collect())
}

/// Returns the bracket of the earliest candidate at which the features meet: the one with the smallest `lo`, and the
/// first in the list if several have it.
///
/// A bracket costs more than the signs that the rough position decides, so most candidates never get one.
fn first_meeting<P: Pair>(
    all: &mut Polynomials<'_, P>,
    candidates: SmallVec<[Candidate<'_>; 10]>,
) -> Option<Bracket> {
    let mut order: SmallVec<[usize; 10]> = (0..candidates.len()).collect();
    order.sort_by(|&a, &b| candidates[a].at_least().total_cmp(&candidates[b].at_least()));
    let mut first: Option<(Bracket, usize)> = None;
    for index in order {
        let candidate = &candidates[index];
        // A bracket is at most 2^-52 wide: its `lo` is beyond the known one.
        if first.is_some_and(|(known, _)| candidate.at_least() > known.lo + 2.0 * f64::EPSILON) {
            break;
        }
        let roughly = meets_roughly(all, candidate);
        if roughly == Some(false) {
            continue;
        }
        let root = candidate.locate();
        let is_known = |(known, at): (Bracket, usize)| {
            known.lo < root.bracket.lo || known.lo == root.bracket.lo && at < index
        };
        if first.is_some_and(is_known) {
            continue;
        }
        if roughly == Some(true) || meets(all, |q| root.sign_of(q)) {
            first = Some((root.bracket, index));
        }
    }
    first.map(|(bracket, _)| bracket)
}

/// Returns true if the features meet at a root, and false if they do not; `None` if its rough position does not decide
/// it.
fn meets_roughly<P: Pair>(all: &mut Polynomials<'_, P>, root: &Candidate<'_>) -> Option<bool> {
    let is_certain = std::cell::Cell::new(true);
    let meets = meets(all, |q| {
        let sign = if is_certain.get() { root.rough_sign_of(q) } else { None };
        is_certain.set(sign.is_some());
        // Any sign but zero ends the case analysis soon.
        sign.unwrap_or(Ordering::Greater)
    });
    is_certain.get().then_some(meets)
}

/// Returns `Some` if the Bernstein coefficients have one weak sign: then there is no root in (0, 1). The value is true
/// if 1 is a root.
fn no_root_inside(f: &Poly) -> Option<bool> {
    let [c0, c1, c2, c3] = &f.c;
    // Three times the inner coefficients: b1 = 3c0 + c1, b2 = 3c0 + 2c1 + c2; b3 is the sum of all.
    let b1 = &c0.scaled(3) + c1;
    let c12 = c1 + c2;
    let b2 = &b1 + &c12;
    let b3 = &(c0 + &c12) + c3;
    let signs = [c0.sign(), b1.sign(), b2.sign(), b3.sign()];
    let one_sign = signs.iter().all(|s| s.is_ge()) || signs.iter().all(|s| s.is_le());
    one_sign.then_some(signs[3].is_eq())
}

/// Returns true if the features meet at a time at which the four points are coplanar, given the signs of quadratics at
/// it.
fn meets<P: Pair>(all: &mut Polynomials<'_, P>, sign: impl Fn(&Poly) -> Ordering) -> bool {
    let all = std::cell::RefCell::new(all);
    let cross = |i: usize, axis: usize| sign(all.borrow_mut().face(i, axis));
    let dot = |i: usize| sign(all.borrow_mut().dot(i));
    if P::FACES == 3 { coplanar::point_on_triangle(cross, dot) } else { coplanar::segments_meet(cross, dot) }
}

/// Step 4 of the header.
fn first_while_coplanar<P: Pair>(all: &mut Polynomials<'_, P>, t_max: f64) -> Option<Bracket> {
    let deciding = if P::FACES == 3 { 0..3 } else { 4..5 };
    let axis = (0..3).find(|&axis| deciding.clone().any(|i| !all.face(i, axis).is_zero()));
    let mut polys: SmallVec<[Poly; 6]> = SmallVec::new();
    match axis {
        Some(axis) => {
            let count = if P::FACES == 3 { 3 } else { 5 };
            polys.extend((0..count).map(|i| all.face(i, axis).clone()));
        }
        None => {
            for i in 0..P::FACES {
                polys.push(all.dot(i).clone());
                polys.extend((0..3).map(|axis| all.face(i, axis).clone()));
            }
        }
    }
    let roots: SmallVec<[RealRoots<'_>; 6]> = polys.iter().map(RealRoots::of).collect();
    first_meeting(all, roots.iter().flat_map(|roots| roots.candidates(t_max)).collect())
}
