//! Enclosures of rigid motions: vectors, rotations and transforms made of intervals or of Taylor models.
//!
//! **Problem.** Bound the path of a point of a link during a time window, when the link is at the end of a chain of
//! joints that all move at once.
//!
//! **Method.**
//! 1. [`Enclosure`] has the operations of both kinds of numbers: [`Interval`] (order 0) and [`TaylorModel`] (order
//!    3).
//! 2. Vectors, matrices and transforms are written once for both, so that their widths can be compared.
//! 3. A joint that rotates at a constant rate about an axis `n` is Rodrigues' formula
//!    `R = n n^T + cos(phi + w t) (I - n n^T) + sin(phi + w t) [n]x`. The axis is an interval vector that contains
//!    the exact unit vector: rounding in its normalisation is enclosed, not ignored.
//! 4. Along a chain, [`EnclosureTransform::compose`] multiplies; [`EnclosureTransform::apply`] moves a point, and
//!    [`EnclosureVec3::range`] is the box that contains its path.
//!
//! **Guarantee.** All entries contain the exact ones at every time of the window. Since the entries of a matrix
//! are enclosed one by one, a product loses the fact that rotations keep lengths; intervals lose it
//! exponentially with depth, Taylor models only in their remainders.
//!
//! Reference: X. Zhang, S. Redon, M. Lee, Y. J. Kim, ACM TOG 26(3) (2007), Sec. 5.2.

use std::ops::{Add, Mul, Neg, Sub};

use glam::{DQuat, DVec3};

use super::bound::largest_upper;
use super::interval::Interval;
use super::taylor::{TaylorModel, Window};
use crate::error::{Error, Result, finite};

/// A number that encloses a function of time over a window.
///
/// ```
/// use firsttouch::numerics::{Enclosure, Interval, TaylorModel, Window};
/// fn width<E: Enclosure>() -> f64 {
///     let window = Window::new(0.0, 1.0).unwrap();
///     let t = E::affine(Interval::ZERO, Interval::ONE, &window);
///     (t - t).range().width()
/// }
/// assert_eq!((width::<Interval>(), width::<TaylorModel>()), (2.0, 0.0));
/// ```
pub trait Enclosure:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Returns a constant number.
    fn constant(value: Interval) -> Self;
    /// Returns `a + b t`.
    fn affine(a: Interval, b: Interval, window: &Window) -> Self;
    /// Returns `sin(phi + w t)` and `cos(phi + w t)`.
    fn sin_cos_affine(phi: Interval, w: Interval, window: &Window) -> (Self, Self);
    /// Returns the product with a constant.
    fn scale_by(self, factor: Interval) -> Self;
    /// Returns the range of all values over the window.
    fn range(self) -> Interval;
}

impl Enclosure for Interval {
    fn constant(value: Interval) -> Self {
        value
    }
    fn affine(a: Interval, b: Interval, window: &Window) -> Self {
        a + b * window.span()
    }
    fn sin_cos_affine(phi: Interval, w: Interval, window: &Window) -> (Self, Self) {
        (phi + w * window.span()).sin_cos()
    }
    fn scale_by(self, factor: Interval) -> Self {
        self * factor
    }
    fn range(self) -> Interval {
        self
    }
}

impl Enclosure for TaylorModel {
    fn constant(value: Interval) -> Self {
        TaylorModel::constant(value)
    }
    fn affine(a: Interval, b: Interval, window: &Window) -> Self {
        TaylorModel::affine(a, b, window)
    }
    fn sin_cos_affine(phi: Interval, w: Interval, window: &Window) -> (Self, Self) {
        TaylorModel::sin_cos_affine(phi, w, window)
    }
    fn scale_by(self, factor: Interval) -> Self {
        TaylorModel::scale_by(&self, factor)
    }
    fn range(self) -> Interval {
        TaylorModel::range(&self)
    }
}

/// A vector that encloses a point moving over a window.
///
/// ```
/// use firsttouch::numerics::{TaylorVec3, Window};
/// use glam::DVec3;
/// let window = Window::new(0.0, 1.0).unwrap();
/// let path = TaylorVec3::linear(DVec3::ZERO, DVec3::new(1.0, -2.0, 0.0), &window);
/// let [x, y, z] = path.range();
/// assert_eq!((x.lo(), x.hi(), y.lo(), y.hi(), z.width()), (0.0, 1.0, -2.0, 0.0, 0.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnclosureVec3<E>(pub [E; 3]);

/// A box of three intervals.
pub type IntervalVec3 = EnclosureVec3<Interval>;
/// A vector of three Taylor models.
pub type TaylorVec3 = EnclosureVec3<TaylorModel>;

impl IntervalVec3 {
    /// Returns an enclosure of `v / |v|`, exactly normalised. Returns an error for NaN, infinities and the zero
    /// vector.
    ///
    /// ```
    /// use firsttouch::numerics::{Interval, IntervalVec3};
    /// use glam::DVec3;
    /// let unit = IntervalVec3::unit(DVec3::new(0.0, 3.0, 4.0)).unwrap();
    /// assert!(unit.0[0] == Interval::ZERO && unit.0[1].contains(0.6) && unit.0[2].contains(0.8));
    /// assert!(IntervalVec3::unit(DVec3::ZERO).is_err());
    /// ```
    pub fn unit(v: DVec3) -> Result<IntervalVec3> {
        for x in v.to_array() {
            finite(|| "rotation axis".into(), x)?;
        }
        // Dividing by the largest component prevents overflow and underflow of the squares. It is an interval
        // division, so its error is enclosed.
        let largest = v.abs().max_element();
        if largest == 0.0 {
            let (what, expected) = ("length of the rotation axis".into(), "positive");
            return Err(Error::OutOfRange { what, expected, value: 0.0 });
        }
        let v = IntervalVec3::constant(v);
        let v = if (1e-100..1e100).contains(&largest) { v } else { EnclosureVec3(v.0.map(|x| x / largest)) };
        let [x, y, z] = v.0;
        let length = (x.sqr() + y.sqr() + z.sqr()).sqrt();
        if length == Interval::ONE {
            return Ok(v);
        }
        Ok(EnclosureVec3(v.0.map(|x| (x / length).max(-Interval::ONE).min(Interval::ONE)))) // not a bound: intervals
    }
}

impl<E: Enclosure> EnclosureVec3<E> {
    /// Returns a point at rest.
    pub fn constant(v: DVec3) -> Self {
        EnclosureVec3(v.to_array().map(|x| E::constant(Interval::point(x))))
    }

    /// Returns the point `start + velocity t`.
    pub fn linear(start: DVec3, velocity: DVec3, window: &Window) -> Self {
        EnclosureVec3(
            [0, 1, 2].map(|i| E::affine(Interval::point(start[i]), Interval::point(velocity[i]), window)),
        )
    }

    /// Returns the dot product with a constant vector.
    ///
    /// ```
    /// use firsttouch::numerics::IntervalVec3;
    /// use glam::DVec3;
    /// let v = IntervalVec3::constant(DVec3::new(1.0, 2.0, 3.0));
    /// assert_eq!(v.dot(DVec3::new(1.0, 0.0, 2.0)).mid(), 7.0);
    /// ```
    pub fn dot(&self, v: DVec3) -> E {
        let term = |i: usize| self.0[i].scale_by(Interval::point(v[i]));
        term(0) + term(1) + term(2)
    }

    /// Returns the box that contains the path.
    pub fn range(&self) -> [Interval; 3] {
        self.0.map(E::range)
    }
}

impl<E: Enclosure> Add for EnclosureVec3<E> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        EnclosureVec3([0, 1, 2].map(|i| self.0[i] + other.0[i]))
    }
}

impl<E: Enclosure> Sub for EnclosureVec3<E> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        EnclosureVec3([0, 1, 2].map(|i| self.0[i] - other.0[i]))
    }
}

/// A matrix, by rows, that encloses a rotation over a window.
///
/// ```
/// use firsttouch::numerics::{Interval, IntervalVec3, TaylorMat3, TaylorVec3, Window};
/// use glam::DVec3;
/// // A quarter turn about z, from x to y: cos t + sin t stays in [1, sqrt 2].
/// let window = Window::new(0.0, 1.0).unwrap();
/// let axis = IntervalVec3::unit(DVec3::Z).unwrap();
/// let quarter = Interval::point(std::f64::consts::FRAC_PI_2);
/// let turn = TaylorMat3::rotation(axis, Interval::ZERO, quarter, &window);
/// let path = turn * TaylorVec3::constant(DVec3::X);
/// let sum = path.dot(DVec3::ONE).range();
/// assert!(sum.lo() > 0.99 && sum.hi() < 1.42);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnclosureMat3<E>(pub [[E; 3]; 3]);

/// A matrix of nine intervals.
pub type IntervalMat3 = EnclosureMat3<Interval>;
/// A matrix of nine Taylor models.
pub type TaylorMat3 = EnclosureMat3<TaylorModel>;

impl<E: Enclosure> EnclosureMat3<E> {
    /// Returns the identity.
    pub fn identity() -> Self {
        let entry = |i, j| E::constant(if i == j { Interval::ONE } else { Interval::ZERO });
        EnclosureMat3([0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j))))
    }

    /// Returns the rotation by `phi + w t` about a unit axis (see [`IntervalVec3::unit`]).
    pub fn rotation(axis: IntervalVec3, phi: Interval, w: Interval, window: &Window) -> Self {
        let (sin, cos) = E::sin_cos_affine(phi, w, window);
        let n = axis.0;
        let mut entries = [[cos; 3]; 3];
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            // 1 - n_i^2 is n_j^2 + n_k^2, which has no cancellation.
            entries[i][i] = E::constant(n[i].sqr()) + cos.scale_by(n[j].sqr() + n[k].sqr());
            // The other two of the cycle: n_i n_j (1 - cos) -+ n_k sin.
            let product = n[i] * n[j];
            let symmetric = E::constant(product) - cos.scale_by(product);
            let skew = sin.scale_by(n[k]);
            entries[i][j] = symmetric - skew;
            entries[j][i] = symmetric + skew;
        }
        EnclosureMat3(entries)
    }

    /// Returns the rotation of a constant quaternion, normalised exactly. Returns an error for NaN, infinities and
    /// zero.
    ///
    /// ```
    /// use firsttouch::numerics::{Interval, IntervalMat3};
    /// use glam::DQuat;
    /// // (1, 0, 0, 1): a quarter turn about z, whatever the quaternion's length.
    /// let turn = IntervalMat3::from_quat(DQuat::from_xyzw(0.0, 0.0, 3.0, 3.0)).unwrap();
    /// assert!(turn.0[0][0].contains(0.0) && turn.0[1][0].contains(1.0) && turn.0[2][2].contains(1.0));
    /// ```
    pub fn from_quat(q: DQuat) -> Result<Self> {
        let components = [q.x, q.y, q.z, q.w];
        for x in components {
            finite(|| "quaternion".into(), x)?;
        }
        let largest = largest_upper(components.iter().map(|x| x.abs()));
        if largest == 0.0 {
            let (what, expected) = ("length of the quaternion".into(), "positive");
            return Err(Error::OutOfRange { what, expected, value: 0.0 });
        }
        // As for a unit axis: a common factor keeps the squares in range, and its error is enclosed.
        let in_range = (1e-100..1e100).contains(&largest);
        let [x, y, z, w] = components.map(Interval::point).map(|c| if in_range { c } else { c / largest });
        let v = [x, y, z];
        let norm = x.sqr() + y.sqr() + z.sqr() + w.sqr();
        let part = |value: Interval| {
            let value = if norm == Interval::ONE { value } else { value / norm };
            E::constant(value.max(-Interval::ONE).min(Interval::ONE)) // not a bound: intervals
        };
        let mut entries = [[part(Interval::ZERO); 3]; 3];
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            entries[i][i] = part((w.sqr() + v[i].sqr()) - (v[j].sqr() + v[k].sqr()));
            entries[i][j] = part(2.0 * (v[i] * v[j] - w * v[k]));
            entries[j][i] = part(2.0 * (v[i] * v[j] + w * v[k]));
        }
        Ok(EnclosureMat3(entries))
    }
}

impl<E: Enclosure> Mul<EnclosureVec3<E>> for EnclosureMat3<E> {
    type Output = EnclosureVec3<E>;
    fn mul(self, v: EnclosureVec3<E>) -> EnclosureVec3<E> {
        EnclosureVec3(self.0.map(|row| row[0] * v.0[0] + row[1] * v.0[1] + row[2] * v.0[2]))
    }
}

impl<E: Enclosure> Mul for EnclosureMat3<E> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let b = &other.0;
        EnclosureMat3(
            self.0.map(|row| [0, 1, 2].map(|j| row[0] * b[0][j] + row[1] * b[1][j] + row[2] * b[2][j])),
        )
    }
}

/// A rotation and then a translation, enclosed over a window.
///
/// ```
/// use firsttouch::numerics::{IntervalTransform, IntervalMat3, IntervalVec3};
/// use glam::DVec3;
/// let shift = IntervalTransform {
///     rotation: IntervalMat3::identity(),
///     translation: IntervalVec3::constant(DVec3::X),
/// };
/// let [x, _, _] = shift.compose(&shift).apply(DVec3::X).range();
/// assert_eq!((x.lo(), x.hi()), (3.0, 3.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnclosureTransform<E> {
    /// Applied first.
    pub rotation: EnclosureMat3<E>,
    /// Applied second.
    pub translation: EnclosureVec3<E>,
}

/// A transform of intervals.
pub type IntervalTransform = EnclosureTransform<Interval>;
/// A transform of Taylor models.
pub type TaylorTransform = EnclosureTransform<TaylorModel>;

impl<E: Enclosure> EnclosureTransform<E> {
    /// Returns the identity.
    pub fn identity() -> Self {
        EnclosureTransform {
            rotation: EnclosureMat3::identity(),
            translation: EnclosureVec3::constant(DVec3::ZERO),
        }
    }

    /// Returns `self` after `inner`: from `inner`'s child frame to `self`'s parent frame.
    pub fn compose(&self, inner: &Self) -> Self {
        EnclosureTransform {
            rotation: self.rotation * inner.rotation,
            translation: self.rotation * inner.translation + self.translation,
        }
    }

    /// Returns the position in the parent frame of a point that is fixed in the child frame.
    pub fn apply(&self, point: DVec3) -> EnclosureVec3<E> {
        let row = |i: usize| EnclosureVec3(self.rotation.0[i]).dot(point) + self.translation.0[i];
        EnclosureVec3([0, 1, 2].map(row))
    }
}
