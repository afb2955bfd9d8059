//! Rational affine motions, for ellipsoids only: the moving body is the image of the unit ball, and may deform.
//!
//! - [`Affine`]: `x ↦ (L(t) x + c(t)) / w(t)` with polynomials `L`, `c` and `w`.
//! - [`AffineInterpolant`]: between two ellipsoids `(x − c_i)^T B_i (x − c_i) <= 1`, with `B` and `c` interpolated
//!   linearly. For the algebra this is the cheapest motion, because it leads to an equation of degree 5. It is not a
//!   rigid motion: halfway between two orientations the ellipsoid is smaller.
//!
//! Reference: Choi, Chang, Wang, Kim, Elber 2009, Appendices B and D.

use glam::{DMat3, DVec3};

use super::Pose;
use crate::error::{Error, Result, SMALLEST, bounded, bounded_vector};
use crate::numerics::bernstein::Bernstein;
use crate::numerics::portable::power_of_two;
use crate::shape::Ellipsoid;

/// A rational affine motion of the unit ball.
#[derive(Debug, Clone, PartialEq)]
pub struct Affine {
    linear: [[Bernstein; 3]; 3],
    xyz: [Bernstein; 3],
    weight: Bernstein,
}

impl Affine {
    /// Creates a motion from coefficients of `1, t, t², ...`: the matrices row by row, the vectors, and the common
    /// denominator, 1 if empty. The unit ball is mapped by the matrix times `semi_axes`, per column. Returns an error
    /// if the determinant or the denominator vanishes in `[0, 1]`, or comes too close to zero to prove that it does
    /// not.
    ///
    /// ```
    /// use firsttouch::motion::Affine;
    /// use glam::DVec3;
    /// let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    /// assert!(Affine::from_power_basis(DVec3::ONE, &[unit], &[], &[]).is_ok());
    /// let shrinking = unit.map(|x| -2.0 * x); // 1 − 2t: flat at one half
    /// assert!(Affine::from_power_basis(DVec3::ONE, &[unit, shrinking], &[], &[]).is_err());
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn from_power_basis(
        semi_axes: DVec3,
        linear: &[[f64; 9]],
        xyz: &[[f64; 3]],
        weight: &[f64],
    ) -> Result<Affine> {
        let shape = Ellipsoid::new(semi_axes)?;
        if linear.is_empty() {
            return Err(Error::Empty { what: "list of matrices of an affine motion".into() });
        }
        let zero = [[0.0; 3]];
        let xyz = if xyz.is_empty() { &zero[..] } else { xyz };
        let weight = if weight.is_empty() { &[1.0][..] } else { weight };
        let column = |numbers: Vec<f64>| {
            for &value in &numbers {
                bounded(|| "coefficient of an affine motion".into(), value)?;
            }
            let used = numbers.iter().rposition(|&c| c != 0.0).map_or(1, |last| last + 1);
            Bernstein::from_power_basis(&numbers[..used])
        };
        let entry = |i: usize, j: usize| -> Result<Bernstein> {
            let numbers = column(linear.iter().map(|m| m[3 * i + j]).collect())?;
            let axis = shape.semi_axes()[j];
            Ok(if axis == 1.0 { numbers } else { numbers.scaled(axis) })
        };
        let row = |i: usize| Ok::<_, Error>([entry(i, 0)?, entry(i, 1)?, entry(i, 2)?]);
        let linear = [row(0)?, row(1)?, row(2)?];
        let point = |k: usize| column(xyz.iter().map(|v| v[k]).collect());
        let (xyz, weight) = ([point(0)?, point(1)?, point(2)?], column(weight.to_vec())?);

        let minor = |j: usize, k: usize| {
            linear[1][j].product(&linear[2][k]).difference(&linear[1][k].product(&linear[2][j]))
        };
        let term = |j: usize, k: usize, l: usize| linear[0][j].product(&minor(k, l));
        let determinant = term(0, 1, 2).sum(&term(1, 2, 0)).sum(&term(2, 0, 1));
        reject_roots(&determinant, 0.0, "determinant of an affine motion")?;
        reject_roots(&weight, SMALLEST, "weight of an affine motion")?;
        Ok(Affine { linear, xyz, weight })
    }

    /// Returns the matrix by rows, semi-axes included, times the weight.
    #[doc(hidden)]
    pub fn linear(&self) -> &[[Bernstein; 3]; 3] {
        &self.linear
    }

    /// Returns the centre times the weight.
    #[doc(hidden)]
    pub fn xyz(&self) -> &[Bernstein; 3] {
        &self.xyz
    }

    /// Returns the denominator, without a root in `[0, 1]`.
    #[doc(hidden)]
    pub fn weight(&self) -> &Bernstein {
        &self.weight
    }

    /// Returns the matrix that maps the unit ball to the ellipsoid at `t`, and the centre, in plain f64.
    pub fn at(&self, t: f64) -> (DMat3, DVec3) {
        let weight = self.weight.eval(t).0;
        let value = |p: &Bernstein| p.eval(t).0 / weight;
        let column = |j: usize| DVec3::from_array([0, 1, 2].map(|i| value(&self.linear[i][j])));
        let center = DVec3::from_array([0, 1, 2].map(|k| value(&self.xyz[k])));
        (DMat3::from_cols(column(0), column(1), column(2)), center)
    }
}

/// Returns an error unless the polynomial is proven to have one sign, and to be larger than `least` in size, on
/// `[0, 1]`.
fn reject_roots(p: &Bernstein, least: f64, what: &str) -> Result<()> {
    let mut parts = vec![(p.clone(), 0.0, 24)];
    let sign = p.coefficients()[0] > 0.0;
    while let Some((part, start, depth)) = parts.pop() {
        let (low, high) = part.range();
        if if sign { low > least } else { high < -least } {
            continue;
        }
        let ends = [part.coefficients()[0], part.coefficients()[part.degree()]];
        if depth == 0 || ends.iter().any(|&end| end.abs() <= least || (end > 0.0) != sign) {
            return Err(Error::OutOfRange {
                what: format!("{what} near t = {start}"),
                expected: "different from zero on all of [0, 1]",
                value: 0.0,
            });
        }
        let (before, after) = part.subdivide(0.5);
        parts.push((after, start + power_of_two(depth - 25), depth - 1));
        parts.push((before, start, depth - 1));
    }
    Ok(())
}

/// An ellipsoid that deforms into another: `B(t)` and `c(t)` are linear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AffineInterpolant {
    matrices: [[f64; 6]; 2],
    centers: [DVec3; 2],
}

impl AffineInterpolant {
    /// Creates the motion between the two ellipsoids `(x − c)^T B (x − c) <= 1`; the entries of `B` are xx, yy, zz,
    /// yz, xz, xy. Returns an error for a matrix that is not safely positive definite. The linear interpolation of
    /// two positive definite matrices is positive definite.
    ///
    /// ```
    /// use firsttouch::motion::AffineInterpolant;
    /// use glam::DVec3;
    /// let unit = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    /// assert!(AffineInterpolant::new([unit, unit], [DVec3::ZERO, DVec3::X]).is_ok());
    /// assert!(AffineInterpolant::new([unit, [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]], [DVec3::ZERO; 2]).is_err());
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn new(matrices: [[f64; 6]; 2], centers: [DVec3; 2]) -> Result<AffineInterpolant> {
        for center in centers {
            bounded_vector(|| "centre of an ellipsoid".into(), center)?;
        }
        for [xx, yy, zz, yz, xz, xy] in matrices {
            for value in [xx, yy, zz, yz, xz, xy] {
                bounded(|| "matrix of an ellipsoid".into(), value)?;
            }
            // Sylvester's criterion. The determinant has at most 6 roundings in each of its terms.
            let minor = xx * yy - xy * xy;
            let det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
            let size = xx.abs().max(yy.abs()).max(zz.abs()); // not a bound: checked to be finite
            let is_positive = xx > 0.0
                && minor > 8.0 * f64::EPSILON * xx * yy
                && det > 16.0 * f64::EPSILON * size * size * size;
            if !is_positive {
                return Err(Error::OutOfRange {
                    what: "determinant of the matrix of an ellipsoid".into(),
                    expected: "positive, with a positive definite matrix",
                    value: det,
                });
            }
        }
        Ok(AffineInterpolant { matrices, centers })
    }

    /// Creates the motion between two placements of one ellipsoid. The matrices are rounded; the motion is defined by
    /// the rounded ones.
    pub fn between(shape: &Ellipsoid, from: Pose, to: Pose) -> Result<AffineInterpolant> {
        AffineInterpolant::to(shape, from, shape, to)
    }

    /// Creates the motion from one ellipsoid to another, each with its pose. The matrices are rounded; the motion is
    /// defined by the rounded ones.
    ///
    /// ```
    /// use firsttouch::motion::{AffineInterpolant, Pose};
    /// use firsttouch::shape::Ellipsoid;
    /// use glam::DVec3;
    /// let ball = |radius: f64| Ellipsoid::new(DVec3::splat(radius));
    /// let shrinking = AffineInterpolant::to(&ball(1.0)?, Pose::IDENTITY, &ball(0.5)?, Pose::IDENTITY)?;
    /// assert_eq!(shrinking.matrices().map(|b| b[0]), [1.0, 4.0]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn to(first: &Ellipsoid, from: Pose, last: &Ellipsoid, to: Pose) -> Result<AffineInterpolant> {
        let inverse = |shape: &Ellipsoid, pose: Pose| {
            let axes = pose.at().rotation;
            let weights = (shape.semi_axes() * shape.semi_axes()).recip();
            let rows = [0, 1, 2].map(|i| DVec3::new(axes.x_axis[i], axes.y_axis[i], axes.z_axis[i]));
            let entry = |i: usize, j: usize| (rows[i] * weights).dot(rows[j]);
            [entry(0, 0), entry(1, 1), entry(2, 2), entry(1, 2), entry(0, 2), entry(0, 1)]
        };
        AffineInterpolant::new(
            [inverse(first, from), inverse(last, to)],
            [from.translation(), to.translation()],
        )
    }

    /// Returns `B` at time 0 and at time 1.
    pub fn matrices(&self) -> &[[f64; 6]; 2] {
        &self.matrices
    }

    /// Returns the centres at time 0 and at time 1.
    pub fn centers(&self) -> &[DVec3; 2] {
        &self.centers
    }
}
