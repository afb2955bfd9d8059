//! Two ellipsoids at rest: separate, touching or overlapping, decided exactly.
//!
//! # The exact input
//! An ellipsoid is given by f64 numbers: semi-axes, a centre and a quaternion ([`Posed::new`]), or a matrix that maps
//! the unit ball to it and a centre ([`Posed::affine`]). Those numbers are taken as exact. A quaternion of any length
//! stands for the rotation of its normalised form, so the rounding of its normalisation changes the input, not the
//! answer.
//!
//! # Method
//! 1. Two balls about each centre, inside and around the ellipsoid, decide the easy pairs.
//! 2. The characteristic quartic (`characteristic`) is computed in f64, with a bound of the error of each coefficient.
//!    A positive value proves separation; negative Bernstein coefficients prove overlap.
//! 3. If neither is proven, Sturm's sequence in exact arithmetic (`exact`) decides, and distinguishes a touch from
//!    both.
//!
//! # Error
//! With `u` the unit roundoff, `s` the largest diagonal entry of `S` and `t` that of its adjugate, which bound all
//! entries of these positive definite matrices:
//! - Rigid: the entries of the rotation matrix are off by `21u` (5 roundings, and `2·8u` for a squared length of
//!   `1 ± 8u`), so those of `S = Σ a_k² r_k r_k^T` by `2·21·√3 u s` and 5 roundings: `96u s` in all. The adjugate has
//!   the same error.
//! - Affine: with `l` the largest entry of the matrix, `S` has 3 roundings, `4u · 3 l²`. A minor is off by `4u l²` and
//!   at most `2 l²`, so the adjugate, three products of minors, by `128u l⁴`; the determinant by `36u l³`.
//! - A form `Σ x_ij d_i d_j` is at most `3 |d|²` times the largest entry and has at most 12 roundings; a trace of a
//!   product of two matrices has 9 terms; an entry of `mix` is at most 4 products.
//!
//! # Scale
//! The coefficients are of sixth order in lengths. An ellipsoid whose largest semi-axis (or matrix entry) is not within
//! `2^±40` is therefore stored in its own unit, a power of two, in which that size is between 1 and 2. Two ellipsoids
//! in different units are converted to the larger one. These scalings are exact unless they underflow, which
//! `UNDERFLOW` covers: the loss is then far below one rounding of the larger ellipsoid.
//!
//! Reference: Choi, Chang, Wang, Kim, Elber 2009, Sec. 2 and Appendix A. Departures: the quartic is that of the tangent
//! planes, and a proof with error bounds comes before Sturm's sequence, which in f64 proves nothing.

use std::borrow::Cow;

use glam::{DMat3, DVec3};

use super::characteristic::{Factors, Proof, Sym3, Terms, sign_of_maximum};
use super::exact::{self, Source};
use crate::error::{Error, Result, bounded, bounded_vector};
use crate::motion::Pose;
use crate::numerics::bound::largest_upper;
use crate::numerics::rounding::UNIT;
use crate::numerics::rounding::cold_path;
use crate::shape::Ellipsoid;

/// More than the effect of underflow on an entry of `S`, of its adjugate, or on the determinant. It keeps the errors of
/// tiny ellipsoids beside huge ones valid.
const UNDERFLOW: f64 = 1e-300;

/// The relation of two solid ellipsoids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// The two have no common point.
    Separate,
    /// The two have common points of their surfaces, but no common inner points.
    Touching,
    /// The two have common inner points.
    Overlapping,
}

/// An ellipsoid at a pose, prepared for comparison with many others.
///
/// ```
/// use firsttouch::ellipsoid::{Posed, Relation};
/// use firsttouch::motion::Pose;
/// use firsttouch::shape::Ellipsoid;
/// use glam::DVec3;
/// let egg = Ellipsoid::new(DVec3::new(2.0, 1.0, 1.0))?;
/// let at = |x: f64| Ok::<_, firsttouch::Error>(Posed::new(&egg, &Pose::from_translation(DVec3::X * x)?));
/// assert_eq!(at(0.0)?.relation(&at(4.0)?), Relation::Touching); // to the last bit
/// assert_eq!(at(0.0)?.relation(&at(4.0_f64.next_up())?), Relation::Separate);
/// assert_eq!(at(0.0)?.relation(&at(4.0_f64.next_down())?), Relation::Overlapping);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Posed {
    source: Source,
    center: DVec3,
    /// The unit of length of the fields below, a power of two. One for ordinary sizes.
    unit: f64,
    factors: Factors<f64>,
    /// Bounds of the errors of the entries of `S`, of its adjugate and of the determinant.
    errors: [f64; 3],
    /// The radii of balls inside and around, rounded inwards and outwards.
    radii: [f64; 2],
}

/// The point where two ellipsoids touch, or would touch if both were scaled about their centres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint {
    /// The point.
    pub point: DVec3,
    /// The unit normal from the first to the second.
    pub normal: DVec3,
    /// The factor of scaling: below 1 if the two overlap, above 1 if they are separate.
    pub ratio: f64,
}

/// The points with `normal · x = offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// A unit vector, up to rounding.
    pub normal: DVec3,
    /// The distance from the origin.
    pub offset: f64,
}

impl Posed {
    /// Returns an ellipsoid in a pose.
    pub fn new(shape: &Ellipsoid, pose: &Pose) -> Posed {
        let given = shape.semi_axes();
        let (mut semi_axes, mut largest) = (given, given.max_element());
        let unit = unit_of(largest);
        if unit != 1.0 {
            cold_path();
            (semi_axes, largest) = (given / unit, largest / unit);
        }
        let axes = pose.at().rotation;
        let squares = semi_axes * semi_axes;
        let pairs = DVec3::new(squares.y * squares.z, squares.x * squares.z, squares.x * squares.y);
        let (s, adj) = (spectral(&axes, squares), spectral(&axes, pairs));
        let det = squares.x * pairs.x;
        Posed {
            source: Source::Rigid { semi_axes: given, rotation: pose.rotation() },
            center: pose.translation(),
            unit,
            factors: Factors { s, adj, det },
            errors: [
                96.0 * UNIT * squares.max_element() + UNDERFLOW,
                96.0 * UNIT * pairs.max_element() + UNDERFLOW,
                8.0 * UNIT * det + UNDERFLOW,
            ],
            radii: [semi_axes.min_element(), largest],
        }
    }

    /// Returns the image of the unit ball under `x ↦ linear · x + center`. Refuses a singular matrix.
    ///
    /// ```
    /// use firsttouch::ellipsoid::{Posed, Relation};
    /// use glam::{DMat3, DVec3};
    /// let sheared = DMat3::from_cols(DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Z);
    /// let a = Posed::affine(sheared, DVec3::ZERO)?;
    /// let b = Posed::affine(DMat3::IDENTITY, DVec3::Z * 2.0)?;
    /// assert_eq!(a.relation(&b), Relation::Touching);
    /// assert!(Posed::affine(DMat3::ZERO, DVec3::ZERO).is_err());
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn affine(linear: DMat3, center: DVec3) -> Result<Posed> {
        bounded_vector(|| "ellipsoid centre".into(), center)?;
        for entry in linear.to_cols_array() {
            bounded(|| "matrix of an ellipsoid".into(), entry)?;
        }
        let given = linear;
        let unit = unit_of(largest_upper(given.to_cols_array().map(f64::abs)));
        let linear = if unit == 1.0 {
            given
        } else {
            DMat3::from_cols(given.x_axis / unit, given.y_axis / unit, given.z_axis / unit)
        };
        let cofactors = DMat3::from_cols(
            linear.y_axis.cross(linear.z_axis),
            linear.z_axis.cross(linear.x_axis),
            linear.x_axis.cross(linear.y_axis),
        );
        let volume = linear.x_axis.dot(cofactors.x_axis);
        let largest = largest_upper(linear.to_cols_array().map(f64::abs));
        let square = largest * largest;
        let volume_error = 36.0 * UNIT * square * largest;
        // Exact arithmetic is used only if the rounded volume does not decide.
        if !(volume.abs() > 2.0 * volume_error || exact::is_regular(&given)) {
            return Err(Error::OutOfRange {
                what: "determinant of the matrix of an ellipsoid".into(),
                expected: "different from zero",
                value: 0.0,
            });
        }
        let det = volume * volume;
        // The radius of the ball inside is the least singular value, which would take more work.
        let outer = (linear.x_axis.length_squared()
            + linear.y_axis.length_squared()
            + linear.z_axis.length_squared())
        .sqrt();
        Ok(Posed {
            source: Source::Affine(given),
            center,
            unit,
            factors: Factors { s: spectral(&linear, DVec3::ONE), adj: spectral(&cofactors, DVec3::ONE), det },
            errors: [
                12.0 * UNIT * square + UNDERFLOW,
                128.0 * UNIT * square * square + UNDERFLOW,
                (2.0 * volume.abs() + volume_error) * volume_error + 2.0 * UNIT * det + UNDERFLOW,
            ],
            radii: [0.0, outer * (1.0 + 16.0 * UNIT)],
        })
    }

    /// Returns the centre.
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// Returns the relation of the two, decided exactly.
    pub fn relation(&self, other: &Posed) -> Relation {
        self.rounded_relation(other)
            .unwrap_or_else(|| exact::relation((&self.source, self.center), (&other.source, other.center)))
    }

    /// Returns the relation, if rounded arithmetic can prove it.
    pub(crate) fn rounded_relation(&self, other: &Posed) -> Option<Relation> {
        let d = other.center - self.center;
        let scaled;
        let (a, b, d) = if self.unit == 1.0 && other.unit == 1.0 {
            (self, other, d)
        } else {
            cold_path();
            let unit = self.unit.max(other.unit); // not a bound: a unit
            scaled = [self.in_unit(unit), other.in_unit(unit)];
            (&*scaled[0], &*scaled[1], d / unit)
        };
        a.relation_at(b, d)
    }

    /// Returns the relation at a distance of `d` in the unit of both, if rounded arithmetic can prove it.
    #[inline]
    fn relation_at(&self, other: &Posed, d: DVec3) -> Option<Relation> {
        let square = d.length_squared();
        // Each coordinate has one rounding, the square and the sums 4 more; as many for the square of the radii.
        let outer = self.radii[1] + other.radii[1];
        if square * (1.0 - 16.0 * UNIT) > outer * outer {
            return Some(Relation::Separate);
        }
        let inner = self.radii[0] + other.radii[0];
        if square * (1.0 + 16.0 * UNIT) < inner * inner {
            return Some(Relation::Overlapping);
        }
        let terms = Terms::new(&self.factors, &other.factors, &d.to_array());
        let c = terms.coefficients();
        let errors = coefficient_errors(self, other, square);
        if (0..5).all(|i| -c[i] > errors[i]) {
            return Some(Relation::Overlapping);
        }
        match sign_of_maximum(&terms, &c, &errors, self.guess(other, d)) {
            Proof::Positive(_) => Some(Relation::Separate),
            Proof::Negative(_) => Some(Relation::Overlapping),
            Proof::Unknown(_) => None,
        }
    }

    /// Returns the point where they touch, for touching ellipsoids; see [`ContactPoint`] for others. `None` for equal
    /// centres.
    ///
    /// ```
    /// use firsttouch::ellipsoid::Posed;
    /// use glam::{DMat3, DVec3};
    /// let ball = Posed::affine(DMat3::IDENTITY, DVec3::ZERO)?;
    /// let contact = ball.contact(&Posed::affine(DMat3::IDENTITY, DVec3::X * 2.0)?).unwrap();
    /// assert!((contact.point - DVec3::X).length() < 1e-12 && (contact.ratio - 1.0).abs() < 1e-12);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn contact(&self, other: &Posed) -> Option<ContactPoint> {
        let unit = self.unit.max(other.unit); // not a bound: a unit
        let d = (other.center - self.center) / unit;
        let (a, b) = (self.in_unit(unit), other.in_unit(unit));
        let terms = Terms::new(&a.factors, &b.factors, &d.to_array());
        let u = terms.best_u(a.guess(&b, d));
        let contact = contact_at(u, DVec3::ZERO, &a.factors.s, &b.factors.s, d)?;
        Some(ContactPoint { point: self.center + contact.point * unit, ..contact })
    }

    /// Returns the same ellipsoid measured in a larger unit.
    fn in_unit(&self, unit: f64) -> Cow<'_, Posed> {
        if unit == self.unit {
            return Cow::Borrowed(self);
        }
        // A power of two; 0 if it underflows.
        let by = self.unit / unit;
        let (two, four) = (by * by, (by * by) * (by * by));
        let Factors { s, adj, det } = &self.factors;
        let [es, et, ed] = self.errors;
        Cow::Owned(Posed {
            unit,
            factors: Factors { s: s.map(|x| x * two), adj: adj.map(|x| x * four), det: det * (four * two) },
            errors: [es * two + UNDERFLOW, et * four + UNDERFLOW, ed * (four * two) + UNDERFLOW],
            // Rounded inwards and outwards, in case they underflow.
            radii: [
                self.radii[0] * by * (1.0 - 4.0 * UNIT),
                self.radii[1] * by * (1.0 + 4.0 * UNIT) + UNDERFLOW,
            ],
            ..self.clone()
        })
    }

    /// Returns a plane with the first on its negative side and the second on its positive side. `None` if they touch or
    /// overlap, or if their distance is of the order of the rounding.
    ///
    /// ```
    /// use firsttouch::ellipsoid::Posed;
    /// use glam::{DMat3, DVec3};
    /// let ball = Posed::affine(DMat3::IDENTITY, DVec3::ZERO)?;
    /// let plane = ball.separating_plane(&Posed::affine(DMat3::IDENTITY, DVec3::X * 4.0)?).unwrap();
    /// assert!((plane.normal - DVec3::X).length() < 1e-12 && (plane.offset - 2.0).abs() < 1e-12);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn separating_plane(&self, other: &Posed) -> Option<Plane> {
        let normal = self.contact(other)?.normal;
        let [low, high] = [(self, 1.0), (other, -1.0)].map(|(side, sign)| {
            let spread = quadratic(&side.factors.s, normal) + 8.0 * side.errors[0];
            let size = side.center.length() + side.radii[1] * side.unit;
            normal.dot(side.center) + sign * (spread.sqrt() * side.unit + 16.0 * UNIT * size)
        });
        (low < high).then_some(Plane { normal, offset: 0.5 * (low + high) })
    }

    /// Returns a guess of the place of the maximum, exact for balls.
    #[inline]
    fn guess(&self, other: &Posed, d: DVec3) -> f64 {
        let (a, b) = (quadratic(&self.factors.s, d), quadratic(&other.factors.s, d));
        1.0 / (1.0 + (a / b).sqrt())
    }

    /// Returns the largest entries of `S` and of its adjugate.
    #[inline]
    fn sizes(&self) -> [f64; 2] {
        // Positive up to their errors, unless one is NaN: then another entry of the same matrix is infinite, or its
        // error is.
        let largest = |m: &Sym3<f64>| m[0].max(m[1]).max(m[2]); // not a bound: said above
        [largest(&self.factors.s) + self.errors[0], largest(&self.factors.adj) + self.errors[1]]
    }
}

/// Returns the unit for a largest length: 1 for ordinary ones, else the power of two at or below it.
#[inline]
pub(super) fn unit_of(largest: f64) -> f64 {
    const SMALL: f64 = 1.0 / LARGE;
    const LARGE: f64 = (1_u64 << 40) as f64;
    if (SMALL..=LARGE).contains(&largest) {
        return 1.0;
    }
    cold_path();
    if largest == 0.0 {
        return 1.0;
    }
    // Only the exponent; for a subnormal number, only the highest bit.
    let bits = largest.to_bits();
    let exponent = bits & 0x7ff0_0000_0000_0000;
    f64::from_bits(if exponent > 0 { exponent } else { 1 << bits.ilog2() })
}

/// Returns the point and normal at a given `u`, from the header of `characteristic`. `None` if there is no direction.
pub(crate) fn contact_at(
    u: f64,
    center: DVec3,
    s_a: &Sym3<f64>,
    s_b: &Sym3<f64>,
    d: DVec3,
) -> Option<ContactPoint> {
    let q: Sym3<f64> = [0, 1, 2, 3, 4, 5].map(|k| u * s_a[k] + (1.0 - u) * s_b[k]);
    let adj: Sym3<f64> = super::characteristic::MIX.map(|([i, j], [k, l])| q[i] * q[j] - q[k] * q[l]);
    let det = q[0] * adj[0] + q[5] * adj[5] + q[4] * adj[4];
    let y = apply(&adj, d) / det;
    let normal = y.try_normalize()?;
    let point = center + u * apply(s_a, y);
    Some(ContactPoint { point, normal, ratio: (u * (1.0 - u) * d.dot(y)).max(0.0).sqrt() }) // not a bound: a guess
}

/// Returns `Σ weights_k c_k c_k^T` for the columns `c_k`.
#[inline]
pub(crate) fn spectral(columns: &DMat3, weights: DVec3) -> Sym3<f64> {
    let [x, y, z] = [0, 1, 2].map(|i| DVec3::new(columns.x_axis[i], columns.y_axis[i], columns.z_axis[i]));
    let (wx, wy, wz) = (x * weights, y * weights, z * weights);
    [wx.dot(x), wy.dot(y), wz.dot(z), wy.dot(z), wx.dot(z), wx.dot(y)]
}

/// Returns `S x`.
#[inline]
pub(crate) fn apply(s: &Sym3<f64>, x: DVec3) -> DVec3 {
    DVec3::new(
        s[0] * x.x + s[5] * x.y + s[4] * x.z,
        s[5] * x.x + s[1] * x.y + s[3] * x.z,
        s[4] * x.x + s[3] * x.y + s[2] * x.z,
    )
}

/// Returns `x^T S x`.
#[inline]
pub(crate) fn quadratic(s: &Sym3<f64>, x: DVec3) -> f64 {
    x.dot(apply(s, x))
}

/// Returns bounds of the errors of the five coefficients; see the header.
#[inline]
fn coefficient_errors(a: &Posed, b: &Posed, square: f64) -> [f64; 5] {
    let ([s_a, t_a], [s_b, t_b]) = (a.sizes(), b.sizes());
    let ([es_a, et_a, ed_a], [es_b, et_b, ed_b]) = (a.errors, b.errors);
    let d = 3.0 * square * (1.0 + 8.0 * UNIT);
    let alpha = d * (et_a + 14.0 * UNIT * t_a);
    let gamma = d * (et_b + 14.0 * UNIT * t_b);
    let beta = 4.0 * d * (s_a * es_b + es_a * s_b + es_a * es_b + 18.0 * UNIT * s_a * s_b + UNDERFLOW);
    let p2 = 9.0 * (t_a * es_b + et_a * s_b + et_a * es_b + 12.0 * UNIT * t_a * s_b);
    let p1 = 9.0 * (s_a * et_b + es_a * t_b + es_a * et_b + 12.0 * UNIT * s_a * t_b);
    // Two more roundings in each sum, of terms no larger than those whose errors are added here.
    [ed_b, gamma + p1 + ed_b, beta + p1 + p2, alpha + p2 + ed_a, ed_a].map(|e| 1.25 * e + UNDERFLOW)
}
