//! Bézier shoots: the time up to which a fixed `u` proves that two moving ellipsoids are separate.
//!
//! 1. At a time `t` at which the ellipsoids are separate, take the `u` for which the ratio of `characteristic` is
//!    largest.
//! 2. `h(s) = F(u, s)` is a polynomial of time alone, positive at `t`. While it stays positive, the ellipsoids stay
//!    separate. Newton's iteration guesses its first root. Positive Bernstein coefficients on the part just short of
//!    the guess prove that there is no root before. If they are not positive, a quarter of the part is tried, and the
//!    proven part is kept.
//! 3. From there, the search repeats with the best `u`. Towards a contact in which the ellipsoids really enter each
//!    other, the times converge quadratically (Appendix C of the paper): four or five shoots reach the last digits.
//!
//! **Guarantee.** Every time before the returned one is proven separate, including the errors of the coefficients and
//! all rounding. Times are f64 numbers, taken as exact. The proportions in which they divide a span are rounded, and
//! the errors of the parts include that. If errors leave no proof, the shoot stops early, never late.
//!
//! **Departure.** The paper clips with the convex hull of the control polygon. Newton and one proof at the end take
//! fewer subdivisions, and the proof is the same convex hull property.
//!
//! Reference: Choi, Chang, Wang, Kim, Elber 2009, Sec. 3.2 (BézierShoot), Sec. 3.3 and Appendix C.

use super::characteristic::{Proof, monomials, sign_of_maximum};
use super::equation::Equation;
use super::form::Numbers;
use crate::numerics::binomial::binomials;
use crate::numerics::bound::largest_upper;
use crate::numerics::rounding::{TINY, UNIT};

/// The result of shooting from the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FirstContact {
    /// Separate on `[0, t_end]`.
    None,
    /// Separate on `[0, t)`. At `t` the errors are too large to decide: there is a contact, or almost one.
    At {
        /// The time.
        t: f64,
        /// The place of the largest ratio at that time.
        u: f64,
        /// True if it is certain that the ellipsoids overlap at `t`.
        overlap: bool,
    },
}

/// The largest number of shoots: a grazing pass converges linearly, and for it the time reached is good enough.
const MAX_SHOOTS: usize = 48;

impl Equation {
    /// Shoots from time 0 to the first contact, or to `t_end`, which is in `(0, 1]`.
    ///
    /// ```
    /// use firsttouch::ellipsoid::{Equation, FirstContact, Track};
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Ellipsoid;
    /// use glam::DVec3;
    /// // An egg of half length 2 moves along x from −10 to 10 towards another at rest: they touch at x = −4.
    /// let egg = Ellipsoid::new(DVec3::new(2.0, 1.0, 1.0))?;
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// let moving = Track::new(&egg, &Motion::rational(at(-10.0)?, at(10.0)?)).unwrap();
    /// let resting = Track::new(&egg, &Motion::fixed(Pose::IDENTITY)).unwrap();
    /// let FirstContact::At { t, .. } = Equation::new(&moving, &resting).first_contact(1.0) else { panic!() };
    /// assert!(t <= 0.3 && t > 0.3 - 1e-12);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn first_contact(&self, t_end: f64) -> FirstContact {
        let mut t = 0.0;
        let mut u = 0.5;
        for _ in 0..MAX_SHOOTS {
            let proof = self.state(t, u);
            match proof {
                Proof::Positive(best) => u = best,
                Proof::Negative(u) => return FirstContact::At { t, u, overlap: true },
                Proof::Unknown(u) => return FirstContact::At { t, u, overlap: false },
            }
            let next = self.shoot(u, t, t_end);
            if next >= t_end {
                return FirstContact::None;
            }
            // Steps shrink like their squares: the next one would be lost in the rounding of the time.
            if next - t <= 1e-11 {
                return FirstContact::At { t: next, u, overlap: false };
            }
            t = next;
        }
        FirstContact::At { t, u, overlap: false }
    }

    /// Returns the state of the two at `t`: `Positive` if they are separate, `Negative` if they overlap.
    pub(super) fn state(&self, t: f64, start: f64) -> Proof {
        let (c, errors, terms) = self.at(t);
        let start = terms.best_u(start);
        sign_of_maximum(&terms, &c, &errors, start)
    }

    /// Returns the time, from `from` towards `to`, up to which `F(u, ·)` is proven positive; `to` for the whole span.
    pub(super) fn shoot(&self, u: f64, from: f64, to: f64) -> f64 {
        let mut line = self.line(u);
        line.restrict(from.min(to), from.max(to));
        if to < from {
            line.numbers.reverse();
        }
        line.positive_until(from, to)
    }

    /// Returns `F(u, ·)`.
    fn line(&self, u: f64) -> Line {
        let weights = monomials(u);
        let mut numbers: Numbers = smallvec::smallvec![0.0; self.degree + 1];
        let mut error = TINY;
        for ((row, weight), (size, row_error)) in
            self.rows.iter().zip(weights).zip(self.sizes.iter().zip(self.errors))
        {
            for (sum, c) in numbers[..].iter_mut().zip(&row[..]) {
                *sum += weight * c;
            }
            // As in `is_positive_at`: 7 roundings in a weight, 6 in its use.
            error += weight * (row_error + 16.0 * UNIT * size);
        }
        Line { numbers, error: error * (1.0 + 64.0 * UNIT) }
    }
}

/// A polynomial of time over some span, in Bernstein form, all coefficients of which may be off by `error`.
struct Line {
    numbers: Numbers,
    error: f64,
}

impl Line {
    fn is_positive(&self) -> bool {
        self.numbers.iter().all(|&c| c > self.error)
    }

    /// Restricts the line from `[0, 1]` to `[a, b]` by two cuts, the second in proportion to the rest of the first,
    /// which is at least half.
    fn restrict(&mut self, a: f64, b: f64) {
        if a <= 0.5 {
            if a > 0.0 {
                self.keep_after(1.0 - a, a);
            }
            if b < 1.0 {
                self.keep_before((1.0 - b) / (1.0 - a), (b - a) / (1.0 - a));
            }
        } else {
            if b < 1.0 {
                self.keep_before(1.0 - b, b);
            }
            self.keep_after((b - a) / b, a / b);
        }
    }

    fn keep_before(&mut self, near: f64, far: f64) {
        self.numbers.reverse();
        self.keep_after(far, near);
        self.numbers.reverse();
    }

    /// Keeps the part after the point with these weights, by de Casteljau's algorithm. It has up to 5 roundings at each
    /// level, including those of the weights; averages of the coefficients are at most the largest coefficient.
    fn keep_after(&mut self, near: f64, far: f64) {
        let size = largest_upper(self.numbers.iter().map(|c| c.abs()));
        cut(&mut self.numbers, near, far);
        let roundings = 5 * (self.numbers.len() - 1);
        self.error = (self.error + 1.01 * UNIT * roundings as f64 * size) * (1.0 + 16.0 * UNIT) + TINY;
    }

    /// Returns true if the part up to the point with these weights is proven positive.
    fn is_positive_before(&self, near: f64, far: f64) -> bool {
        let mut part = Line { numbers: self.numbers.clone(), error: self.error };
        part.keep_before(near, far);
        part.is_positive()
    }

    /// Returns the time up to which the line is proven positive. The line is over the span from `from` to `to`, in that
    /// order.
    fn positive_until(mut self, from: f64, to: f64) -> f64 {
        if self.is_positive() {
            return to;
        }
        let mut from = from;
        for _ in 0..MAX_PARTS {
            // A shoot ends where the line is four times its error; another shoot from there is not worth its cost.
            if self.numbers[0] <= 6.0 * self.error || self.numbers[0].is_nan() {
                return from;
            }
            let mut x = self.guess() * (1.0 - 2.0 * f64::EPSILON);
            let mut proven = from;
            let (mut near, mut far) = (1.0, 0.0);
            for attempt in 0..MAX_QUARTERS {
                let t = from + x * (to - from);
                (near, far) = ((to - t) / (to - from), (t - from) / (to - from));
                if t == from {
                    return from;
                }
                if self.is_positive_before(near, far) {
                    proven = t;
                    // The guess was right, and there is provably no root before it.
                    if attempt == 0 {
                        return t;
                    }
                    break;
                }
                x *= 0.25;
            }
            if proven == from {
                return from;
            }
            self.keep_after(near, far);
            from = proven;
            if self.is_positive() {
                return to;
            }
        }
        from
    }

    /// Returns a guess of the place where the line first falls to four times its error, as a part of the span, without
    /// proof. The line begins above that, and does not stay above its error.
    fn guess(&self) -> f64 {
        let numbers: Numbers = self.numbers.iter().map(|c| c - 4.0 * self.error).collect();
        let numbers: &[f64] = &numbers;
        let degree = numbers.len() - 1;
        // The first crossing of zero by the control polygon.
        let Some(i) = (1..=degree).find(|&i| numbers[i] <= 0.0) else { return 1.0 };
        let (above, below) = (numbers[i - 1], numbers[i]);
        let mut x = ((i - 1) as f64 + above / (above - below)) / degree as f64;
        let (binomials, _) = binomials(degree);
        let scaled: Numbers = numbers.iter().zip(binomials.iter()).map(|(c, b)| c * b).collect();
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..MAX_NEWTON {
            let (ratio, value_sign) = newton_step(&scaled, x);
            if value_sign > 0.0 {
                low = x;
            } else {
                high = x;
            }
            let next = x - ratio;
            if ratio.abs() <= 1e-14 * x {
                break;
            }
            x = if low < next && next < high { next } else { 0.5 * (low + high) };
        }
        x
    }
}

/// The number of further tries of the rest after a proven part within one shoot. The next shoot has a better `u`.
const MAX_PARTS: usize = 3;
/// The number of times that a part is reduced to a quarter until it is proven.
const MAX_QUARTERS: usize = 16;
const MAX_NEWTON: usize = 12;

/// Keeps the part of the polynomial after the point with these weights.
pub(super) fn cut(numbers: &mut [f64], near: f64, far: f64) {
    let mut len = numbers.len();
    while len > 1 {
        let active = &mut numbers[..len];
        for i in 0..active.len() - 1 {
            active[i] = near * active[i] + far * active[i + 1];
        }
        len -= 1;
    }
}

/// Returns `p / p'` and the sign of `p` at `x`, for Bernstein coefficients times binomials: Horner's rule in
/// `x / (1 − x)`, or in its inverse beyond the middle. With `p = (1 − x)^n h(y)`,
/// `p' = (1 − x)^(n−2) (h' − n (1 − x) h)`.
fn newton_step(scaled: &[f64], x: f64) -> (f64, f64) {
    let n = (scaled.len() - 1) as f64;
    let (mut h, mut h1) = (0.0, 0.0);
    let mut step = |c: f64, y: f64| {
        h1 = h1 * y + h;
        h = h * y + c;
    };
    let (near, sign) = if x <= 0.5 {
        let y = x / (1.0 - x);
        scaled.iter().rev().for_each(|&c| step(c, y));
        (1.0 - x, 1.0)
    } else {
        let y = (1.0 - x) / x;
        scaled.iter().for_each(|&c| step(c, y));
        (x, -1.0)
    };
    let rate = sign * (h1 - n * near * h);
    (near * near * h / rate, h)
}
