//! An ellipsoid that changes its shape, for the engines that do not use algebra: its support function at any time, and
//! proven bounds of the motion of its points over any window of time.
//!
//! A point of the unit ball, `|y| <= 1`, is at `x(t) = A(t) y + c(t)`. That is a path for every point of the ellipsoid,
//! and advancement needs bounds over all paths:
//! ```text
//! n · x    <=  |Aᵀ n| + n · c                 the support function, at a time t
//! n · x'   <=  |A'ᵀ n| + n · c'               how fast points move along n, at a time t
//! |x'|     <=  |A'| + |c'|,    |x''| <= |A''| + |c''|       over a window
//! ```
//! The second line follows from the first: the velocities are another image of the unit ball ([`BallImage`]). Over a
//! window of half width `h` about `m`, `x'` strays from `x'(m)` by at most `h` times the bound of `|x''|`, and `x` from
//! its tangent by `h²/2` times that.
//!
//! - [`Affine`](crate::motion::Affine): `A = L / w`, `c = x / w`; from `p = q w` for a quotient `q` follow
//!   `q' = (p' − q w') / w` and `q'' = (p'' − 2 q' w' − q w'') / w`. On spans of time, the Bernstein coefficients bound
//!   all polynomials and so the norms. At an instant, intervals come from values with their errors.
//! - [`AffineInterpolant`](crate::motion::AffineInterpolant): `A Aᵀ = B⁻¹` with `B = (1 − t) B_0 + t B_1`. There is a
//!   matrix `K` with `Kᵀ B_0 K = I` and `Kᵀ B_1 K = Λ`, diagonal, so `A = K D`, `D_i = s_i^(−1/2)`,
//!   `s_i = 1 − t + t λ_i`, and `D_i' = −(λ_i − 1)/2 s_i^(−3/2)`, `D_i'' = 3/4 (λ_i − 1)² s_i^(−5/2)`. `K` is computed,
//!   so intervals enclose `Kᵀ B_i K`, and the image of `A` is enlarged by their error `η`. If the eigenvalues of
//!   `S^(−1/2) Kᵀ B K S^(−1/2)` are at least `1 − η` at both ends, with `S = diag(s)`, they are so at all times,
//!   because both sides are linear in time. Then `xᵀ B x <= 1` implies that `x` is in the image under
//!   `(1 − η)^(−1/2) K D`.
//!
//! **Guarantee.** All bounds are upper bounds for the exact motion, rounding included.

use glam::{DMat3, DVec3};

use super::fit::jacobi;
use crate::answer::Feature;
use crate::broad::Aabb;
use crate::error::{Error, Result};
use crate::motion::{Affine, AffineInterpolant};
use crate::numerics::bernstein::Bernstein;
use crate::numerics::bound::{largest_upper, upper_max, upper_or_zero};
use crate::numerics::rounding::UNIT;
use crate::numerics::{Interval, Window};
use crate::pair::piece::Piece;
use crate::shape::Convex;

/// `2^-534`, more than the error of a length when squares underflow: each of up to nine squares is off by at most
/// `2^-1075`, so the root of their sum is off by at most `3 · 2^-537.5`.
const UNDERFLOW: f64 = f64::from_bits((1023 - 534) << 52);

/// An ellipsoid in an affine motion, with bounds.
///
/// ```
/// use firsttouch::ellipsoid::ChangingEllipsoid;
/// use firsttouch::motion::Affine;
/// use firsttouch::numerics::Window;
/// use glam::DVec3;
/// // A unit ball that grows to twice its size while it moves by 3 along x.
/// let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let affine = Affine::from_power_basis(DVec3::ONE, &[unit, unit], &[[0.0; 3], [3.0, 0.0, 0.0]], &[])?;
/// let ball = ChangingEllipsoid::from(affine);
/// let all = Window::new(0.0, 1.0)?;
/// assert!((ball.extent(DVec3::X, 0.5) - 3.0).abs() < 1e-12); // 1.5 from the centre, which is at 1.5
/// assert!((ball.speed_along(DVec3::X, all) - 4.0).abs() < 1e-12);
/// assert!((ball.speed_along(-DVec3::X, all) + 2.0).abs() < 1e-12); // every point moves to the right, at 2 or more
/// assert!(ball.acceleration(all) < 1e-12);
/// assert!((ball.swept_box(all).high - DVec3::new(5.0, 2.0, 2.0)).length() < 1e-12);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ChangingEllipsoid {
    path: Path,
    spans: Vec<Span>,
}

/// The images of the points `y` of the unit ball, `matrix · y + center`, up to a distance of `error`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BallImage {
    /// The linear part.
    pub matrix: DMat3,
    /// The image of the centre.
    pub center: DVec3,
    /// A bound of the distance of the exact image of a point from the computed one.
    pub error: f64,
}

impl BallImage {
    /// Returns an upper bound of `n · x` over the image, for a direction of any length.
    #[inline]
    pub fn extent(&self, n: DVec3) -> f64 {
        let across =
            DVec3::new(self.matrix.x_axis.dot(n), self.matrix.y_axis.dot(n), self.matrix.z_axis.dot(n));
        // Five roundings in each product, three more in the norm, one in the sum.
        let size = self.matrix.x_axis.abs() + self.matrix.y_axis.abs() + self.matrix.z_axis.abs();
        let slack = self.error + 16.0 * UNIT * (size + self.center.abs()).element_sum();
        across.length() + n.dot(self.center) + slack * n.length() * (1.0 + 8.0 * UNIT) + UNDERFLOW
    }

    /// Returns the point of the image that is farthest along `n`, up to [`BallImage::error`] and rounding. A guess to
    /// steer by.
    #[inline]
    pub fn support(&self, n: DVec3) -> DVec3 {
        let across =
            DVec3::new(self.matrix.x_axis.dot(n), self.matrix.y_axis.dot(n), self.matrix.z_axis.dot(n));
        self.matrix * across.normalize_or_zero() + self.center
    }

    /// Returns an upper bound of `|x|` over the image.
    pub fn reach(&self) -> f64 {
        (spectral_bound(&self.matrix) + self.center.length() + self.error) * (1.0 + 16.0 * UNIT) + UNDERFLOW
    }

    /// Returns the image of the midpoints of enclosures, with a bound of their error.
    fn from_intervals(matrix: [[Interval; 3]; 3], center: [Interval; 3]) -> BallImage {
        let column = |j: usize| DVec3::from_array([0, 1, 2].map(|i| matrix[i][j].mid()));
        let radius = |row: &[Interval]| row.iter().map(|entry| entry.radius()).sum::<f64>();
        // The sum of all entries' errors is more than the norm of the matrix of errors.
        let error = matrix.iter().map(|row| radius(row)).sum::<f64>() + radius(&center);
        BallImage {
            matrix: DMat3::from_cols(column(0), column(1), column(2)),
            center: DVec3::from_array(center.map(Interval::mid)),
            error: error * (1.0 + 16.0 * UNIT),
        }
    }
}

/// Its surface is face 0.
impl Convex for BallImage {
    fn support(&self, direction: DVec3) -> DVec3 {
        BallImage::support(self, direction)
    }

    fn extent(&self, direction: DVec3) -> f64 {
        BallImage::extent(self, direction)
    }

    fn reach(&self) -> f64 {
        BallImage::reach(self)
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        let side = |axis: DVec3| {
            upper_max(BallImage::extent(self, axis), -self.center.dot(axis)) - self.center.dot(axis)
        };
        let half = DVec3::new(side(DVec3::X), side(DVec3::Y), side(DVec3::Z));
        (self.center, half * (1.0 + 4.0 * UNIT) + self.center.abs() * (4.0 * UNIT))
    }

    fn feature(&self, _point: DVec3, _normal: DVec3) -> Feature {
        Feature::Face(0)
    }
}

/// A changing ellipsoid as a piece for advancement, in the world's frame.
///
/// ```
/// use firsttouch::ellipsoid::{ChangingEllipsoid, ChangingPiece};
/// use firsttouch::motion::Affine;
/// use firsttouch::pair::piece::Piece;
/// use firsttouch::shape::Convex;
/// use glam::DVec3;
/// let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let growing = ChangingEllipsoid::from(Affine::from_power_basis(DVec3::ONE, &[unit, unit], &[], &[])?);
/// let mut piece = ChangingPiece::new(&growing);
/// assert!(piece.look_at(0.5));
/// assert!((piece.solid().extent(DVec3::Z) - 1.5).abs() < 1e-12);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ChangingPiece<'a> {
    ellipsoid: &'a ChangingEllipsoid,
    t: f64,
    now: BallImage,
    reach: f64,
}

impl<'a> ChangingPiece<'a> {
    /// Returns the ellipsoid at time 0.
    pub fn new(ellipsoid: &'a ChangingEllipsoid) -> ChangingPiece<'a> {
        let reach = ellipsoid.reach(Window::between(0.0, 1.0));
        ChangingPiece { ellipsoid, t: 0.0, now: ellipsoid.at(0.0), reach }
    }

    /// Returns a bound, over all times, of the distance of the exact image of a point of the unit ball outside the
    /// ellipsoid.
    pub(crate) fn excess(&self) -> f64 {
        match &self.ellipsoid.path {
            Path::Rational(_) => 0.0,
            Path::Interpolant(spread) => spread.excess * self.reach * (1.0 + 4.0 * UNIT),
        }
    }
}

impl Piece for ChangingPiece<'_> {
    type Solid = BallImage;

    fn solid(&self) -> &BallImage {
        &self.now
    }

    fn look_at(&mut self, t: f64) -> bool {
        let is_new = t != self.t;
        if is_new {
            (self.t, self.now) = (t, self.ellipsoid.at(t));
        }
        is_new
    }

    fn reach(&self) -> f64 {
        self.reach
    }

    fn deform_speed_along(&self, n: DVec3, window: Window) -> f64 {
        self.ellipsoid.speed_along(n, window)
    }

    fn deform_speed(&self, window: Window) -> f64 {
        self.ellipsoid.speed(window)
    }

    fn deform_acceleration(&self, window: Window) -> f64 {
        self.ellipsoid.acceleration(window)
    }

    fn uncertainty(&self) -> f64 {
        self.now.error
    }

    fn deform_velocity_guess(&self, point: DVec3) -> DVec3 {
        let rate = self.ellipsoid.rate(self.t);
        rate.matrix * (self.now.matrix.inverse() * (point - self.now.center)) + rate.center
    }
}

/// Upper bounds over a part of the time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    start: f64,
    end: f64,
    /// `|x|`, `|x'|`, `|x''|` for all points.
    norms: [f64; 3],
}

#[derive(Debug, Clone, PartialEq)]
enum Path {
    /// Each polynomial with its first and second derivatives.
    Rational(Box<Polynomials>),
    Interpolant(Box<Spread>),
}

/// The initial number of spans of time.
const SPANS: usize = 8;
/// The number of times that a span is halved to bound the weight away from zero. The constructor of the motion halves
/// as often.
const DEPTH: u32 = 26;

impl ChangingEllipsoid {
    /// Returns the images of the points of the unit ball at `t`.
    pub fn at(&self, t: f64) -> BallImage {
        match &self.path {
            Path::Rational(polynomials) => polynomials.images(t)[0],
            Path::Interpolant(spread) => spread.images(t)[0],
        }
    }

    /// Returns the velocities of the points of the unit ball at `t`.
    pub fn rate(&self, t: f64) -> BallImage {
        match &self.path {
            Path::Rational(polynomials) => polynomials.images(t)[1],
            Path::Interpolant(spread) => spread.images(t)[1],
        }
    }

    /// Returns an upper bound of `n · x` at `t`.
    pub fn extent(&self, n: DVec3, t: f64) -> f64 {
        self.at(t).extent(n)
    }

    /// Returns an upper bound of `n · x'` for all points and times of the window. Negative when every point certainly
    /// moves against `n`.
    pub fn speed_along(&self, n: DVec3, window: Window) -> f64 {
        let spread = window.half_width() * self.acceleration(window) * n.length();
        self.rate(window.mid()).extent(n) + spread * (1.0 + 16.0 * UNIT)
    }

    /// Returns an upper bound of `|x'|` for all points and times of the window.
    pub fn speed(&self, window: Window) -> f64 {
        let near_middle = self.rate(window.mid()).reach() + window.half_width() * self.acceleration(window);
        self.largest(window, 1).min(near_middle * (1.0 + 16.0 * UNIT)) // not a bound: either holds alone
    }

    /// Returns an upper bound of `|x''|` for all points and times of the window.
    pub fn acceleration(&self, window: Window) -> f64 {
        self.largest(window, 2)
    }

    /// Returns an upper bound of `|x|` for all points and times of the window.
    pub fn reach(&self, window: Window) -> f64 {
        self.largest(window, 0)
    }

    /// Returns a box that contains the ellipsoid at all times of the window.
    pub fn swept_box(&self, window: Window) -> Aabb {
        let width = window.t1() - window.t0();
        // In half the window, the term of second order is a quarter of its value.
        let count = ((width * SPANS as f64).ceil() as usize).clamp(1, SPANS);
        let mut swept = Aabb { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
        for k in 0..count {
            let at = |k: usize| {
                if k == count { window.t1() } else { window.t0() + width * (k as f64 / count as f64) }
            };
            let part = Window::between(at(k), at(k + 1).max(at(k))); // not a bound: times are finite
            let (image, rate) = (self.at(part.mid()), self.rate(part.mid()));
            let half = part.half_width();
            let side = |n: DVec3| {
                let moved = half * upper_or_zero(upper_max(rate.extent(n), rate.extent(-n)));
                let bent = 0.5 * half * half * self.acceleration(part);
                let extent = image.extent(n);
                extent + (moved + bent) * (1.0 + 16.0 * UNIT) + 4.0 * UNIT * extent.abs()
            };
            let high = DVec3::new(side(DVec3::X), side(DVec3::Y), side(DVec3::Z));
            let low = -DVec3::new(side(-DVec3::X), side(-DVec3::Y), side(-DVec3::Z));
            swept = swept.union(&Aabb { low, high });
        }
        swept
    }

    /// Returns the largest value of a bound over the spans that overlap the window.
    fn largest(&self, window: Window, order: usize) -> f64 {
        let meets = |span: &&Span| span.end >= window.t0() && span.start <= window.t1();
        let first = largest_upper(self.spans.iter().filter(meets).map(|span| span.norms[order]));
        // Times outside [0, 1] count as its ends.
        if window.t1() < 0.0 || window.t0() > 1.0 { f64::INFINITY } else { first }
    }
}

impl From<Affine> for ChangingEllipsoid {
    fn from(motion: Affine) -> ChangingEllipsoid {
        let polynomials = Polynomials::new(&motion);
        let mut spans = Vec::with_capacity(SPANS);
        for k in 0..SPANS {
            let at = |k: usize| k as f64 / SPANS as f64;
            polynomials.bound(at(k), at(k + 1), DEPTH, &mut spans);
        }
        ChangingEllipsoid { path: Path::Rational(Box::new(polynomials)), spans }
    }
}

impl TryFrom<AffineInterpolant> for ChangingEllipsoid {
    type Error = Error;

    /// Returns an error if the two ellipsoids differ so much that f64 cannot resolve their common axes.
    fn try_from(motion: AffineInterpolant) -> Result<ChangingEllipsoid> {
        let spread = Spread::new(&motion)?;
        let spans = (0..SPANS)
            .map(|k| {
                let (start, end) = (k as f64 / SPANS as f64, (k + 1) as f64 / SPANS as f64);
                Span { start, end, norms: spread.norms(start, end) }
            })
            .collect();
        Ok(ChangingEllipsoid { path: Path::Interpolant(Box::new(spread)), spans })
    }
}

/// Returns the largest factor by which a matrix stretches a vector: at most the Frobenius norm, and at most the root of
/// the largest sum of a row times that of a column.
fn spectral_bound(m: &DMat3) -> f64 {
    let columns = [m.x_axis, m.y_axis, m.z_axis].map(DVec3::abs);
    let column = largest_upper(columns.iter().map(|c| c.element_sum()));
    let row = largest_upper((columns[0] + columns[1] + columns[2]).to_array());
    let frobenius = columns.iter().map(|c| c.length_squared()).sum::<f64>().sqrt();
    // If the sum of squares overflows to NaN, the other bound is infinite.
    frobenius.min((row * column).sqrt()) * (1.0 + 16.0 * UNIT) + UNDERFLOW // not a bound: either holds alone
}

/// `L`, `x` and `w` with their derivatives.
#[derive(Debug, Clone, PartialEq)]
struct Polynomials {
    linear: [[[Bernstein; 3]; 3]; 3],
    xyz: [[Bernstein; 3]; 3],
    weight: [Bernstein; 3],
}

impl Polynomials {
    fn new(motion: &Affine) -> Polynomials {
        let rate = |row: &[Bernstein; 3]| row.each_ref().map(Bernstein::derivative);
        let rates = |m: &[[Bernstein; 3]; 3]| m.each_ref().map(rate);
        let (linear, xyz, weight) = (motion.linear().clone(), motion.xyz().clone(), motion.weight().clone());
        let (linear_1, xyz_1, weight_1) = (rates(&linear), rate(&xyz), weight.derivative());
        let (linear_2, xyz_2, weight_2) = (rates(&linear_1), rate(&xyz_1), weight_1.derivative());
        Polynomials {
            linear: [linear, linear_1, linear_2],
            xyz: [xyz, xyz_1, xyz_2],
            weight: [weight, weight_1, weight_2],
        }
    }

    /// Returns positions and velocities at `t`.
    fn images(&self, t: f64) -> [BallImage; 2] {
        let value = |p: &Bernstein| {
            let (value, error) = p.eval(t);
            Interval::point(value) + Interval::symmetric(error)
        };
        let (w, w_rate) = (value(&self.weight[0]), value(&self.weight[1]));
        let quotient = |p: &Bernstein| value(p) / w;
        let rate = |p: &Bernstein, q: Interval| (value(p) - q * w_rate) / w;
        let linear = self.linear[0].each_ref().map(|row| row.each_ref().map(quotient));
        let xyz = self.xyz[0].each_ref().map(quotient);
        let linear_rate = [0, 1, 2].map(|i| [0, 1, 2].map(|j| rate(&self.linear[1][i][j], linear[i][j])));
        let xyz_rate = [0, 1, 2].map(|k| rate(&self.xyz[1][k], xyz[k]));
        [BallImage::from_intervals(linear, xyz), BallImage::from_intervals(linear_rate, xyz_rate)]
    }

    /// Computes bounds on `[start, end]`, in enough spans to keep the weight within a factor of two in each. If the
    /// weight is as small as its own errors, halving does not help, and over a flat minimum it would not end before the
    /// spacing of numbers.
    fn bound(&self, start: f64, end: f64, depth: u32, spans: &mut Vec<Span>) {
        let range = |p: &Bernstein| {
            let (low, high) = p.restrict(start, end).range();
            Interval::new(low, high).unwrap_or(Interval::ENTIRE)
        };
        let [w, w1, w2] = self.weight.each_ref().map(range);
        let varies = || {
            let weight = self.weight[0].restrict(start, end);
            let largest = |numbers: &[f64]| largest_upper(numbers.iter().map(|x| x.abs()));
            16.0 * largest(weight.errors()) < largest(weight.coefficients())
        };
        if w.mag() > 2.0 * w.mig() && depth > 0 && varies() {
            let middle = 0.5 * (start + end);
            self.bound(start, middle, depth - 1, spans);
            self.bound(middle, end, depth - 1, spans);
            return;
        }
        // From magnitudes only: |q'| <= (|p'| + |q| |w'|) / |w|. Matrices by their largest entries.
        let norms = |size: &dyn Fn(usize) -> f64| {
            let q = size(0) / w.mig();
            let q1 = (size(1) + q * w1.mag()) / w.mig();
            let q2 = (size(2) + 2.0 * q1 * w1.mag() + q * w2.mag()) / w.mig();
            [q, q1, q2]
        };
        let matrix = norms(&|order| {
            let sizes = self.linear[order].each_ref().map(|row| row.each_ref().map(|p| range(p).mag()));
            let column = |j: usize| DVec3::new(sizes[0][j], sizes[1][j], sizes[2][j]);
            spectral_bound(&DMat3::from_cols(column(0), column(1), column(2)))
        });
        let center = norms(&|order| {
            let sizes = self.xyz[order].each_ref().map(|p| range(p).mag());
            DVec3::from_array(sizes).length()
        });
        let norms = [0, 1, 2].map(|order| {
            let norm = (matrix[order] + center[order]) * (1.0 + 64.0 * UNIT) + UNDERFLOW;
            if norm.is_nan() { f64::INFINITY } else { norm }
        });
        spans.push(Span { start, end, norms });
    }
}

/// The interpolant with its common axes: `K`, enlarged by the bound of its error, and `λ`.
#[derive(Debug, Clone, PartialEq)]
struct Spread {
    k: DMat3,
    lambda: DVec3,
    centers: [DVec3; 2],
    /// A bound of the distance of the image of a point from the true ellipsoid, relative to its size.
    excess: f64,
}

impl Spread {
    fn new(motion: &AffineInterpolant) -> Result<Spread> {
        let matrices = motion.matrices().map(|[xx, yy, zz, yz, xz, xy]| {
            DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
        });
        let (first, axes) = jacobi(matrices[0]);
        let w = axes * DMat3::from_diagonal(first.map(|value| 1.0 / value.sqrt()));
        let (lambda, turn) = jacobi(w.transpose() * matrices[1] * w);
        let k = w * turn;
        // N = S^(-1/2) Kᵀ B K S^(-1/2), whose eigenvalues are within its row sums from the identity (Gershgorin).
        let mut eta = 0.0_f64;
        for (matrix, s) in matrices.iter().zip([DVec3::ONE, lambda]) {
            let product = |i: usize, j: usize| {
                let mut sum = Interval::ZERO;
                for p in 0..3 {
                    for q in 0..3 {
                        sum = sum + Interval::point(k.col(i)[p]) * matrix.col(q)[p] * k.col(j)[q];
                    }
                }
                sum
            };
            for i in 0..3 {
                let off = |j: usize| {
                    let scale = (Interval::point(s[i]) * s[j]).sqrt();
                    let entry = product(i, j) / scale - if i == j { 1.0 } else { 0.0 };
                    entry.mag()
                };
                eta = upper_max(eta, off(0) + off(1) + off(2));
            }
        }
        let eta = eta * (1.0 + 8.0 * UNIT);
        // An error that is NaN counts as infinite and is also refused.
        if !(eta < 1e-2 && lambda.min_element() > 0.0) {
            return Err(Error::OutOfRange {
                what: "error of the common axes of two ellipsoids".into(),
                expected: "less than a hundredth of their size",
                value: eta,
            });
        }
        // (1 − η)^(−1/2) <= 1 + η for η up to 1/2. The enlarged ellipsoid may be too large by the same factor, and a
        // little more.
        let k = k * ((1.0 + eta) * (1.0 + 8.0 * UNIT));
        Ok(Spread { k, lambda, centers: *motion.centers(), excess: 2.1 * eta + 16.0 * UNIT })
    }

    /// Returns `D`, `D'` and `D''` for all times in an interval.
    fn diagonals(&self, t: Interval) -> [[Interval; 3]; 3] {
        let of = |lambda: f64| {
            let mu = Interval::point(lambda) - 1.0;
            let s = Interval::ONE + mu * t;
            let d = s.sqrt().recip();
            [d, mu * d / s * -0.5, mu.sqr() * d / s.sqr() * 0.75]
        };
        let axes = self.lambda.to_array().map(of);
        [0, 1, 2].map(|order| axes.map(|axis| axis[order]))
    }

    /// Returns positions and velocities at `t`.
    fn images(&self, t: f64) -> [BallImage; 2] {
        let t = Interval::point(t.clamp(0.0, 1.0));
        let [d, d1, _] = self.diagonals(t);
        let matrix =
            |d: [Interval; 3]| [0, 1, 2].map(|i| [0, 1, 2].map(|j| Interval::point(self.k.col(j)[i]) * d[j]));
        let [from, to] = self.centers;
        let step = [0, 1, 2].map(|k| Interval::point(to[k]) - from[k]);
        let center = [0, 1, 2].map(|k| Interval::point(from[k]) + step[k] * t);
        let image = BallImage::from_intervals(matrix(d), center);
        let excess = self.excess * spectral_bound(&image.matrix);
        [BallImage { error: image.error + excess, ..image }, BallImage::from_intervals(matrix(d1), step)]
    }

    /// Returns bounds of `|x|`, `|x'|`, `|x''|` for all points and times in `[start, end]`.
    fn norms(&self, start: f64, end: f64) -> [f64; 3] {
        let diagonals = self.diagonals(Interval::new(start, end).unwrap_or(Interval::ENTIRE));
        let matrix = diagonals.map(|d| {
            let column = |j: usize| self.k.col(j).abs() * d[j].mag();
            spectral_bound(&DMat3::from_cols(column(0), column(1), column(2)))
        });
        let [from, to] = self.centers;
        let center = [upper_max(from.length(), to.length()), (to - from).length(), 0.0];
        [0, 1, 2].map(|order| (matrix[order] + center[order]) * (1.0 + 64.0 * UNIT) + UNDERFLOW)
    }
}

#[cfg(test)]
#[path = "changing_tests.rs"]
mod tests;
