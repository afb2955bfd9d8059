//! The last stage: the first contact by exact arithmetic, for every input.
//!
//! The problem: the first t in `[0, t_max]` at which the four points are coplanar and the features meet in that plane.
//!
//! 1. Scale the 24 coordinates to integers. Differences are linear in time, faces and dot products quadratic, the
//!    coplanarity cubic `f` is what its name says, all with integer coefficients.
//! 2. Contact at t = 0 needs only the constant coefficients.
//! 3. `f` not identically zero: contacts are among its real roots, at most three. Each is tested by the exact signs of the
//!    quadratics at the root ([`crate::numerics::algebraic`], [`crate::numerics::coplanar`]).
//! 4. `f` identically zero: the points stay coplanar. Whether the features meet depends on signs of quadratics only,
//!    so between neighbouring roots of these nothing changes, and as the set of contact times is closed, its first is 0 or
//!    a root. Which quadratics: along an axis in which some face (edge/edge: N) does not vanish identically, the faces of
//!    that axis alone decide at all but finitely many times, and those times are among their roots too. Where there is no
//!    such axis the features stay collinear (edge/edge: parallel), and all faces and dot products take part.
//!
//! Guarantee: exact. `lo` and `hi` are exact bounds of the first contact, at most 2^-52 apart; of two candidates within
//! one bracket the earlier `lo` is reported, which bounds both.

use std::cmp::Ordering;

use glam::DVec3;
use smallvec::SmallVec;

use crate::numerics::algebraic::{Bracket, Poly, RealRoot, RealRoots};
use crate::numerics::{Int, common_exponent, coplanar};

use super::pair::Pair;

/// A bracket around the first contact in `[0, t_max]`, or none if there is no contact.
pub(crate) fn first_contact<P: Pair>(q: &P, t_max: f64) -> Option<Bracket> {
    let mut system = System::new(q);
    let f = system.cubic();
    if f.sign_at_zero().is_eq() && system.meets(|q| q.sign_at_zero()) {
        return Some(Bracket { lo: 0.0, hi: 0.0 });
    }
    if f.is_zero() {
        return system.first_while_coplanar(t_max);
    }
    if t_max == 1.0 {
        if let Some(only_at_end) = no_root_inside(&f) {
            let meets = only_at_end && system.meets(|q| q.sign_at(1.0));
            return meets.then_some(Bracket { lo: 1.0, hi: 1.0 });
        }
    }
    let mut first: Option<Bracket> = None;
    for root in RealRoots::of(&f).iter() {
        let Some(bracket) = located(&root, t_max) else { continue };
        if first.is_some_and(|b| b.lo <= bracket.lo) {
            continue;
        }
        if system.meets(|q| root.sign_of(q, Some(&bracket))) {
            first = Some(bracket);
        }
    }
    first
}

/// A bracket around the root if it lies in `(0, t_max]`.
fn located(root: &RealRoot<'_>, t_max: f64) -> Option<Bracket> {
    if root.compare(0.0).is_le() {
        return None;
    }
    match root.compare(t_max) {
        Ordering::Greater => None,
        Ordering::Equal => Some(Bracket { lo: t_max, hi: t_max }),
        Ordering::Less => Some(root.bracket(0.0, t_max)),
    }
}

/// Bernstein coefficients of one weak sign leave no root in (0, 1): then `Some`, and whether 1 is a root.
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

/// `value + slope · t`.
struct Linear {
    value: Int,
    slope: Int,
}

/// The integer polynomials of one query, made when they are first asked for.
struct System<'a, P> {
    q: &'a P,
    exponent: i32,
    /// The differences that the cubic is made of.
    differences: [[Linear; 3]; 3],
    /// Faces (index, axis) and dot products (index, 3).
    made: Vec<((usize, usize), Poly)>,
}

impl<'a, P: Pair> System<'a, P> {
    fn new(q: &'a P) -> System<'a, P> {
        let exponent = common_exponent(q.t0().iter().chain(q.t1()).flat_map(|p| p.to_array()));
        let differences = [0, 1, 2].map(|index| [0, 1, 2].map(|k| linear(q, exponent, index, k)));
        System { q, exponent, differences, made: Vec::with_capacity(8) }
    }

    /// One component of the cross product of two differences.
    fn cross(&self, (a, b): (usize, usize), axis: usize) -> Poly {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let product = self.product((a, i), (b, j));
        let other = self.product((a, j), (b, i));
        Poly::quadratic(&product[0] - &other[0], &product[1] - &other[1], &product[2] - &other[2])
    }

    /// The product of components of two differences, each given as (difference, component).
    fn product(&self, a: (usize, usize), b: (usize, usize)) -> [Int; 3] {
        let (mut x_room, mut y_room) = (None, None);
        let (x, y) = (self.difference(a, &mut x_room), self.difference(b, &mut y_room));
        [
            &x.value * &y.value,
            &(&x.value * &y.slope) + &(&x.slope * &y.value),
            &x.slope * &y.slope,
        ]
    }

    /// A component of a difference: kept, or made in `room`.
    fn difference<'b>(&'b self, (index, k): (usize, usize), room: &'b mut Option<Linear>) -> &'b Linear {
        if index < 3 {
            &self.differences[index][k]
        } else {
            room.insert(linear(self.q, self.exponent, index, k))
        }
    }

    /// The polynomial under this key, made if it is not there yet.
    fn made(&mut self, key: (usize, usize), make: impl FnOnce(&Self) -> Poly) -> &Poly {
        let index = match self.made.iter().position(|(k, _)| *k == key) {
            Some(index) => index,
            None => {
                let poly = make(self);
                self.made.push((key, poly));
                self.made.len() - 1
            }
        };
        &self.made[index].1
    }

    fn face(&mut self, i: usize, axis: usize) -> &Poly {
        self.made((i, axis), |system| system.cross(P::CROSS[i], axis))
    }

    fn dot(&mut self, i: usize) -> &Poly {
        self.made((i, 3), |system| {
            let (a, b, flip) = P::DOT[i];
            let [x, y, z] = [0, 1, 2].map(|k| system.product((a, k), (b, k)));
            let [c0, c1, c2] = [0, 1, 2].map(|n| {
                let sum = &(&x[n] + &y[n]) + &z[n];
                if flip { sum.negated() } else { sum }
            });
            Poly::quadratic(c0, c1, c2)
        })
    }

    fn cubic(&mut self) -> Poly {
        // The normal is face 0 of vertex/face and entry 4 of edge/edge: made once, used again by the inside test.
        let normal = if P::CROSS[0] == P::NORMAL { 0 } else { 4 };
        let mut c = [const { Int::ZERO }; 4];
        for k in 0..3 {
            let n = self.face(normal, k).c.clone();
            let Linear { value, slope } = &self.differences[P::THIRD][k];
            c = [
                &c[0] + &(value * &n[0]),
                &c[1] + &(&(value * &n[1]) + &(slope * &n[0])),
                &c[2] + &(&(value * &n[2]) + &(slope * &n[1])),
                &c[3] + &(slope * &n[2]),
            ];
        }
        Poly { c }
    }

    /// Whether the features meet at a time at which the four points are coplanar, given the signs of quadratics at it.
    fn meets(&mut self, sign: impl Fn(&Poly) -> Ordering) -> bool {
        let system = std::cell::RefCell::new(self);
        let cross = |i: usize, axis: usize| sign(system.borrow_mut().face(i, axis));
        let dot = |i: usize| sign(system.borrow_mut().dot(i));
        if P::FACES == 3 { coplanar::point_on_triangle(cross, dot) } else { coplanar::segments_meet(cross, dot) }
    }

    /// Step 4 of the header.
    fn first_while_coplanar(&mut self, t_max: f64) -> Option<Bracket> {
        let deciding = if P::FACES == 3 { 0..3 } else { 4..5 };
        let axis = (0..3).find(|&axis| deciding.clone().any(|i| !self.face(i, axis).is_zero()));
        let mut polys: SmallVec<[Poly; 6]> = SmallVec::new();
        match axis {
            Some(axis) => {
                let count = if P::FACES == 3 { 3 } else { 5 };
                polys.extend((0..count).map(|i| self.face(i, axis).clone()));
            }
            None => {
                for i in 0..P::FACES {
                    polys.push(self.dot(i).clone());
                    polys.extend((0..3).map(|axis| self.face(i, axis).clone()));
                }
            }
        }
        let roots: SmallVec<[RealRoots<'_>; 6]> = polys.iter().map(RealRoots::of).collect();
        let mut candidates: Vec<(Bracket, RealRoot<'_>)> = Vec::new();
        for root in roots.iter().flat_map(RealRoots::iter) {
            if let Some(bracket) = located(&root, t_max) {
                candidates.push((bracket, root));
            }
        }
        candidates.sort_by(|a, b| a.0.lo.total_cmp(&b.0.lo));
        let hit = candidates.iter().find(|(bracket, root)| self.meets(|q| root.sign_of(q, Some(bracket))));
        hit.map(|(bracket, _)| *bracket)
    }
}

/// One component of a difference.
fn linear<P: Pair>(q: &P, exponent: i32, index: usize, k: usize) -> Linear {
    let (i, j) = P::DIFFERENCES[index];
    let at = |p: &[DVec3; 4]| &Int::scaled_from(p[i][k], exponent) - &Int::scaled_from(p[j][k], exponent);
    let value = at(q.t0());
    let slope = &at(q.t1()) - &value;
    Linear { value, slope }
}
