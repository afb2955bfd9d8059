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

use smallvec::SmallVec;

use crate::numerics::algebraic::{Bracket, Poly, RealRoot};
use crate::numerics::{Int, common_scale, coplanar};

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
    for root in RealRoot::all(&f) {
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
fn located(root: &RealRoot, t_max: f64) -> Option<Bracket> {
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
#[derive(Clone)]
struct Linear {
    value: Int,
    slope: Int,
}

/// The integer polynomials of one query, made when they are first asked for.
struct System<P> {
    t0: [[Int; 3]; 4],
    t1: [[Int; 3]; 4],
    differences: [[Option<Linear>; 3]; 6],
    faces: [[Option<Poly>; 3]; 5],
    dots: [Option<Poly>; 4],
    pair: std::marker::PhantomData<P>,
}

impl<P: Pair> System<P> {
    fn new(q: &P) -> System<P> {
        let mut flat = [0.0; 24];
        for (i, p) in q.t0().iter().chain(q.t1()).enumerate() {
            flat[3 * i..3 * i + 3].copy_from_slice(&p.to_array());
        }
        let mut t0 = [const { [const { Int::ZERO }; 3] }; 4];
        let mut t1 = t0.clone();
        let mut slots = t0.iter_mut().chain(t1.iter_mut()).flatten();
        common_scale(&flat, |n| {
            if let Some(slot) = slots.next() {
                *slot = n;
            }
        });
        System {
            t0,
            t1,
            differences: Default::default(),
            faces: Default::default(),
            dots: Default::default(),
            pair: std::marker::PhantomData,
        }
    }

    fn difference(&mut self, index: usize, k: usize) -> &Linear {
        let (i, j) = P::DIFFERENCES[index];
        let (t0, t1) = (&self.t0, &self.t1);
        self.differences[index][k].get_or_insert_with(|| {
            let value = &t0[i][k] - &t0[j][k];
            let slope = &(&t1[i][k] - &t1[j][k]) - &value;
            Linear { value, slope }
        })
    }

    /// One component of the cross product of two differences.
    fn cross(&mut self, (a, b): (usize, usize), axis: usize) -> Poly {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let product = self.product(a, i, b, j);
        let other = self.product(a, j, b, i);
        Poly::quadratic(&product[0] - &other[0], &product[1] - &other[1], &product[2] - &other[2])
    }

    fn product(&mut self, a: usize, i: usize, b: usize, j: usize) -> [Int; 3] {
        self.difference(a, i);
        self.difference(b, j);
        match (&self.differences[a][i], &self.differences[b][j]) {
            (Some(x), Some(y)) => {
                [&x.value * &y.value, &(&x.value * &y.slope) + &(&x.slope * &y.value), &x.slope * &y.slope]
            }
            _ => [Int::ZERO, Int::ZERO, Int::ZERO],
        }
    }

    fn face(&mut self, i: usize, axis: usize) -> &Poly {
        if self.faces[i][axis].is_none() {
            self.faces[i][axis] = Some(self.cross(P::CROSS[i], axis));
        }
        self.faces[i][axis].get_or_insert_with(|| Poly::linear(Int::ZERO, Int::ZERO))
    }

    fn dot(&mut self, i: usize) -> &Poly {
        if self.dots[i].is_none() {
            let (a, b, flip) = P::DOT[i];
            let mut sum = [const { Int::ZERO }; 3];
            for k in 0..3 {
                let term = self.product(a, k, b, k);
                sum = [0, 1, 2].map(|n| if flip { &sum[n] - &term[n] } else { &sum[n] + &term[n] });
            }
            let [c0, c1, c2] = sum;
            self.dots[i] = Some(Poly::quadratic(c0, c1, c2));
        }
        self.dots[i].get_or_insert_with(|| Poly::linear(Int::ZERO, Int::ZERO))
    }

    fn cubic(&mut self) -> Poly {
        // The normal is face 0 of vertex/face and entry 4 of edge/edge: made once, used again by the inside test.
        let normal = if P::CROSS[0] == P::NORMAL { 0 } else { 4 };
        let mut c = [const { Int::ZERO }; 4];
        for k in 0..3 {
            let Linear { value, slope } = self.difference(P::THIRD, k).clone();
            let n = &self.face(normal, k).c;
            c = [
                &c[0] + &(&value * &n[0]),
                &c[1] + &(&(&value * &n[1]) + &(&slope * &n[0])),
                &c[2] + &(&(&value * &n[2]) + &(&slope * &n[1])),
                &c[3] + &(&slope * &n[2]),
            ];
        }
        Poly { c }
    }

    /// Whether the features meet at a time at which the four points are coplanar, given the signs of quadratics at it.
    fn meets(&mut self, sign: impl Fn(&Poly) -> Ordering) -> bool {
        let system = std::cell::RefCell::new(self);
        let cross = |i: usize, axis: usize| sign(system.borrow_mut().face(i, axis));
        let dot = |i: usize| sign(system.borrow_mut().dot(i));
        if P::FACES == 3 {
            coplanar::point_on_triangle(cross, dot)
        } else {
            coplanar::segments_meet(cross, dot)
        }
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
        let mut candidates: Vec<(Bracket, RealRoot)> = Vec::new();
        for poly in &polys {
            for root in RealRoot::all(poly) {
                if let Some(bracket) = located(&root, t_max) {
                    candidates.push((bracket, root));
                }
            }
        }
        candidates.sort_by(|a, b| a.0.lo.total_cmp(&b.0.lo));
        let hit = candidates.iter().find(|(bracket, root)| self.meets(|q| root.sign_of(q, Some(bracket))));
        hit.map(|(bracket, _)| *bracket)
    }
}
