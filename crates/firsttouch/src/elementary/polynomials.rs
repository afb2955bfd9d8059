//! The exact integer polynomials of one query: the coplanarity cubic, the faces and the dot products.
//!
//! **Problem.** Turn 24 `f64` coordinates into polynomials with integer coefficients, quickly and without rounding.
//!
//! 1. Scale the coordinates by a common power of two, so that all are integers. This does not change the signs that
//!    decide.
//! 2. A difference of two points is linear in time, a product of two differences quadratic, the cubic a product of
//!    three.
//! 3. Coordinates of up to 59 bits, the usual case, are kept as `i64`: differences then have at most 60 bits, their
//!    slopes 61, and the coefficients of a product at most 123, so `i128` holds them. Larger ones use [`Int`]
//!    throughout.
//! 4. Faces and dot products are computed on first use, and kept.

use glam::DVec3;
use smallvec::SmallVec;

use crate::numerics::algebraic::Poly;
use crate::numerics::portable::power_of_two;
use crate::numerics::{Int, common_exponent};

use super::pair::Pair;

/// See step 3 of the header.
const SHORT_BITS: i32 = 59;

pub(crate) struct Polynomials<'a, P> {
    q: &'a P,
    coordinates: Coordinates,
    /// Faces, keyed by (index, axis), and dot products, keyed by (index, 3).
    made: SmallVec<[((usize, usize), Poly); 16]>,
}

enum Coordinates {
    /// The coordinates at time 0 and at time 1.
    Short([[[i64; 3]; 4]; 2]),
    /// The common exponent.
    Long(i32),
}

/// `value + slope · t`.
struct Linear<T> {
    value: T,
    slope: T,
}

impl<'a, P: Pair> Polynomials<'a, P> {
    pub(crate) fn new(q: &'a P) -> Polynomials<'a, P> {
        let all = || q.t0().iter().chain(q.t1()).flat_map(|p| p.to_array());
        let exponent = common_exponent(all());
        // The range of exponents ensures that the power of two is a normal number.
        let scale = power_of_two((-exponent).clamp(-900, 900));
        // The results are integers below 2^59: scaling by a power of two and the conversion are exact.
        let is_short = |x: f64| x.abs() * scale < power_of_two(SHORT_BITS);
        let coordinates = if exponent.abs() <= 900 && all().all(is_short) {
            let short = |p: &[DVec3; 4]| p.map(|p| p.to_array().map(|x| (x * scale) as i64));
            Coordinates::Short([short(q.t0()), short(q.t1())])
        } else {
            Coordinates::Long(exponent)
        };
        Polynomials { q, coordinates, made: SmallVec::new() }
    }

    /// Returns the cubic whose roots are the times at which the four points are coplanar.
    pub(crate) fn cubic(&mut self) -> Poly {
        // The normal is face 0 of vertex/face and entry 4 of edge/edge: it is computed once and used again by the
        // inside test.
        let normal = if P::CROSS[0] == P::NORMAL { 0 } else { 4 };
        let mut c = [const { Int::ZERO }; 4];
        for k in 0..3 {
            let Linear { value, slope } = self.difference(P::THIRD, k);
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

    /// Returns one component of a face; of N for index 4 of edge/edge.
    pub(crate) fn face(&mut self, i: usize, axis: usize) -> &Poly {
        self.made((i, axis), |all| {
            let (a, b) = P::CROSS[i];
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            let product = all.product((a, i), (b, j));
            let other = all.product((a, j), (b, i));
            Poly::quadratic(&product[0] - &other[0], &product[1] - &other[1], &product[2] - &other[2])
        })
    }

    /// Returns one of the dot products.
    pub(crate) fn dot(&mut self, i: usize) -> &Poly {
        self.made((i, 3), |all| {
            let (a, b, flip) = P::DOT[i];
            let [x, y, z] = [0, 1, 2].map(|k| all.product((a, k), (b, k)));
            let [c0, c1, c2] = [0, 1, 2].map(|n| {
                let sum = &(&x[n] + &y[n]) + &z[n];
                if flip { sum.negated() } else { sum }
            });
            Poly::quadratic(c0, c1, c2)
        })
    }

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

    /// Returns the product of components of two differences, each given as (difference, component).
    fn product(&self, a: (usize, usize), b: (usize, usize)) -> [Int; 3] {
        if let Coordinates::Short(points) = &self.coordinates {
            let (x, y) = (short_difference::<P>(points, a), short_difference::<P>(points, b));
            let times = |x: i64, y: i64| x as i128 * y as i128;
            return [
                times(x.value, y.value),
                times(x.value, y.slope) + times(x.slope, y.value),
                times(x.slope, y.slope),
            ]
            .map(Int::from_product);
        }
        let (x, y) = (self.difference(a.0, a.1), self.difference(b.0, b.1));
        [&x.value * &y.value, &(&x.value * &y.slope) + &(&x.slope * &y.value), &x.slope * &y.slope]
    }

    fn difference(&self, index: usize, k: usize) -> Linear<Int> {
        match &self.coordinates {
            Coordinates::Short(points) => {
                let Linear { value, slope } = short_difference::<P>(points, (index, k));
                Linear { value: Int::shifted(value, 0), slope: Int::shifted(slope, 0) }
            }
            Coordinates::Long(exponent) => {
                let (i, j) = P::DIFFERENCES[index];
                let at = |p: &[DVec3; 4]| {
                    &Int::scaled_from(p[i][k], *exponent) - &Int::scaled_from(p[j][k], *exponent)
                };
                let value = at(self.q.t0());
                let slope = &at(self.q.t1()) - &value;
                Linear { value, slope }
            }
        }
    }
}

#[inline]
fn short_difference<P: Pair>([t0, t1]: &[[[i64; 3]; 4]; 2], (index, k): (usize, usize)) -> Linear<i64> {
    let (i, j) = P::DIFFERENCES[index];
    let value = t0[i][k] - t0[j][k];
    Linear { value, slope: (t1[i][k] - t1[j][k]) - value }
}
