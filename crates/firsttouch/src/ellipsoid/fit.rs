//! The smallest ellipsoid around a set of points, with a proof that they are inside.
//!
//! 1. *Frame.* The points are taken about the middle of their box, in units of a power of two near its size, and turned
//!    into the principal axes of their moments. There each coordinate is divided by its own half width, so that needles
//!    and plates look like cubes and no matrix below is close to singular. A half width of less than a millionth of the
//!    largest is raised to that value: an ellipsoid has no axis of length zero.
//! 2. Khachiyan's algorithm in the form of Todd and Yıldırım: weights `w_i` on the points lifted to `(p_i, 1)`. In the
//!    metric of the weighted moments, the farthest point gets more weight, or the nearest one less, by the step that
//!    maximises the determinant. This converges to the ellipsoid of least volume; here it stops at one part in `10^4`.
//! 3. Its shape is `S = 3 (Σ w_i p_i p_i^T − c c^T)` with `c = Σ w_i p_i`, times the half widths. Jacobi's rotations
//!    give its axes, and a quaternion is computed from these. From here on, that quaternion and the semi-axes define
//!    the ellipsoid exactly, so no earlier rounding matters.
//! 4. Each point is brought into the frame of the quaternion with intervals, and the semi-axes are scaled until the
//!    upper bound of `Σ (x_k / a_k)²` is at most one for all points: that is the proof.
//!
//! Every set that has an ellipsoid is accepted. A set smaller than the least accepted semi-axis gets an ellipsoid of
//! that size. A flat, collinear or even single-point set gets a thickness of a millionth of its size. Only a set whose
//! ellipsoid would be larger than `1e100` is refused.
//!
//! References: L. G. Khachiyan, "Rounding of polytopes in the real number model of computation", 1996; M. J. Todd and
//! E. A. Yıldırım, "On Khachiyan's algorithm for the computation of minimum-volume enclosing ellipsoids", 2007.

use glam::{DMat3, DQuat, DVec3};

use crate::error::{Error, LARGEST, Result, SMALLEST, bounded_vector};
use crate::motion::Pose;
use crate::numerics::bound::largest_upper;
use crate::numerics::{Interval, IntervalMat3};
use crate::shape::Ellipsoid;

/// The accuracy of the volume, relative to the least one and the dimension.
const ACCURACY: f64 = 1e-4;
/// The largest number of steps; the fit is an enclosure after any number.
const MAX_STEPS: usize = 10_000;
/// The least half width, relative to the largest: the rounding of a rotation, about 1e-15 of the size, is negligible
/// beside it.
const THINNEST: f64 = 1e-6;

/// Returns an ellipsoid around all points, of nearly the least volume, and its pose. Refuses an empty set, points that
/// are not finite, and sets whose ellipsoid would be larger than `1e100`.
///
/// ```
/// use firsttouch::ellipsoid::enclosing;
/// use glam::DVec3;
/// // The corners of a box of sides 2, 4 and 6: the semi-axes are sqrt(3) times 1, 2 and 3.
/// let corner = |k: u32| DVec3::from_array([0, 1, 2].map(|i| (i + 1) as f64 * if k >> i & 1 == 1 { 1.0 } else { -1.0 }));
/// let corners: Vec<DVec3> = (0..8).map(corner).collect();
/// let (shape, pose) = enclosing(&corners)?;
/// let volume: f64 = shape.semi_axes().element_product();
/// assert!((volume / 6.0 / 3.0_f64.powf(1.5) - 1.0).abs() < 1e-3);
/// assert!(pose.translation().length() < 1e-3);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn enclosing(points: &[DVec3]) -> Result<(Ellipsoid, Pose)> {
    enclosing_padded(points, 0.0)
}

/// Returns an ellipsoid around the boxes with half sides `pad` about all points.
pub(super) fn enclosing_padded(points: &[DVec3], pad: f64) -> Result<(Ellipsoid, Pose)> {
    if points.is_empty() {
        return Err(Error::Empty { what: "set of points to enclose".into() });
    }
    for (i, &point) in points.iter().enumerate() {
        bounded_vector(|| format!("point {i} to enclose"), point)?;
    }
    let (low, high) = points.iter().fold((points[0], points[0]), |(l, h), &p| (l.min(p), h.max(p))); // not a bound: a guess
    let middle = 0.5 * low + 0.5 * high;
    // A power of two at or below the largest half width: dividing by it is exact.
    let half = largest_upper((0.5 * high - 0.5 * low).to_array()) + pad;
    let size = f64::from_bits(half.max(SMALLEST).to_bits() & 0x7ff0_0000_0000_0000); // not a bound: a unit
    let scaled: Vec<DVec3> = points.iter().map(|&p| (p - middle) / size).collect();
    let even = vec![1.0 / scaled.len() as f64; scaled.len()];
    let (_, frame) = jacobi(moments(&scaled, &even).1);
    let local: Vec<DVec3> = scaled.iter().map(|&p| frame.transpose() * p).collect();
    let (low, high) = local.iter().fold((local[0], local[0]), |(l, h), &p| (l.min(p), h.max(p))); // not a bound: a guess
    let widths = 0.5 * (high - low) + DVec3::splat(pad / size);
    // The least accepted semi-axis, with room for the last scaling.
    let thinnest = (THINNEST * widths.max_element()).max(2.0 * SMALLEST / size); // not a bound: a guess, `prove` checks
    let (local_middle, half) = (0.5 * (low + high), widths.max(DVec3::splat(thinnest))); // not a bound: a guess
    let mut cube: Vec<DVec3> = local.iter().map(|&p| (p - local_middle) / half).collect();
    // A direction without width would have no best weights, so all points get a copy on either side.
    for (k, axis) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
        if widths[k] <= thinnest {
            cube = cube.iter().flat_map(|&p| [p - axis, p + axis]).collect();
        }
    }
    let (center, spread) = khachiyan(&cube);
    let graded = DMat3::from_cols(
        spread.x_axis * half * half.x,
        spread.y_axis * half * half.y,
        spread.z_axis * half * half.z,
    );
    let (squares, axes) = jacobi(graded);
    let center = middle + frame * (local_middle + center * half) * size;
    let pose = Pose::new(center, DQuat::from_mat3(&(frame * axes)))?;
    // Rounding may reduce the thinnest direction below its half width, so the half width bounds it.
    let axes = squares.map(|square| size * square.max(0.0).sqrt().max(thinnest)); // not a bound: a guess
    prove(points, pad, axes, pose)
}

/// Scales the semi-axes up until all points, and all places within `pad` of each coordinate, are proven inside.
fn prove(points: &[DVec3], pad: f64, axes: DVec3, pose: Pose) -> Result<(Ellipsoid, Pose)> {
    let rotation = IntervalMat3::from_quat(pose.rotation())?;
    let highest = |axes: DVec3| {
        largest_upper(points.iter().map(|&point| level(point, pad, &rotation, axes, pose).hi()))
    };
    // No point may be farther out along an axis than the ellipsoid reaches. A thin direction is wider than planned if
    // the points are close together at large coordinates, because the centre is rounded. With these semi-axes the sum
    // of three squares is at most 3, so in every case the ellipsoid is less than twice too large.
    let width = |k: usize| {
        largest_upper(points.iter().map(|&point| coordinate(point, pad, &rotation, pose, k).mag()))
    };
    let widths = DVec3::new(width(0), width(1), width(2));
    // Scales down first, if there is room.
    let shrunk = axes * (highest(axes).sqrt().clamp(0.5, 1.0) * (1.0 + 1e-14));
    let mut axes = shrunk.max(widths).max(DVec3::splat(SMALLEST)); // not a bound: a guess
    let mut margin = 1e-14;
    while axes.max_element() <= LARGEST {
        let most = highest(axes);
        if most <= 1.0 {
            return Ok((Ellipsoid::new(axes)?, pose));
        }
        // By a little more than the root, so that the next bound is below one. The margin grows if rounding uses it up.
        axes *= (most.sqrt() * (1.0 + margin)).min(1e60); // not a bound: a guess
        margin *= 2.0;
    }
    Err(Error::OutOfRange {
        what: "semi-axis of the ellipsoid around a set of points".into(),
        expected: "at most 1e100",
        value: axes.max_element(),
    })
}

/// Returns `Σ (x_k / a_k)²` in the ellipsoid's frame, for all points within `pad` of each coordinate: at most 1 inside.
pub(super) fn level(point: DVec3, pad: f64, rotation: &IntervalMat3, axes: DVec3, pose: Pose) -> Interval {
    (0..3).fold(Interval::ZERO, |sum, k| sum + (coordinate(point, pad, rotation, pose, k) / axes[k]).sqr())
}

/// Returns the coordinate along axis `k` of the frame of a pose, for all points within `pad` of each coordinate of a
/// point.
fn coordinate(point: DVec3, pad: f64, rotation: &IntervalMat3, pose: Pose, k: usize) -> Interval {
    (0..3).fold(Interval::ZERO, |sum, i| {
        let offset = Interval::point(point[i]) - pose.translation()[i] + Interval::symmetric(pad);
        sum + rotation.0[i][k] * offset
    })
}

/// Returns the centre and the shape `S` of the ellipsoid around points in `[−1, 1]³`, or twice that, that have width in
/// all directions.
fn khachiyan(points: &[DVec3]) -> (DVec3, DMat3) {
    let n = points.len();
    let mut weights = vec![1.0 / n as f64; n];
    for _ in 0..MAX_STEPS {
        let (center, spread) = moments(points, &weights);
        // (p, 1)^T X⁻¹ (p, 1) = 1 + (p − c)^T V⁻¹ (p − c), with V the spread; 4 on average.
        let inverse = (spread + DMat3::from_diagonal(DVec3::splat(1e-12))).inverse();
        let height = |p: &DVec3| 1.0 + (*p - center).dot(inverse * (*p - center));
        let (mut far, mut near) = ((0, 0.0), (0, f64::INFINITY));
        for (i, p) in points.iter().enumerate() {
            let h = height(p);
            if h > far.1 {
                far = (i, h);
            }
            if h < near.1 && weights[i] > 1e-12 {
                near = (i, h);
            }
        }
        if far.1 <= 4.0 * (1.0 + ACCURACY) && near.1 >= 4.0 * (1.0 - ACCURACY) {
            break;
        }
        // A step towards the farthest point, or away from the nearest, by the larger imbalance.
        let (i, h) = if far.1 - 4.0 >= 4.0 - near.1 { far } else { near };
        let step = (h - 4.0) / (4.0 * (h - 1.0));
        let step = step.max(-weights[i] / (1.0 - weights[i]).max(1e-300)); // not a bound: a guess
        weights.iter_mut().for_each(|w| *w *= 1.0 - step);
        weights[i] = (weights[i] + step).max(0.0); // not a bound: a guess
    }
    let (center, spread) = moments(points, &weights);
    (center, spread * 3.0)
}

/// Returns the weighted mean, and the weighted mean of the squared deviations from it.
fn moments(points: &[DVec3], weights: &[f64]) -> (DVec3, DMat3) {
    let center: DVec3 = points.iter().zip(weights).map(|(p, w)| *p * *w).sum();
    let mut spread = DMat3::ZERO;
    for (p, w) in points.iter().zip(weights) {
        let d = *p - center;
        spread += DMat3::from_cols(d * d.x, d * d.y, d * d.z) * *w;
    }
    (center, spread)
}

/// Returns eigenvalues and a rotation whose columns are the eigenvectors, by Jacobi's method. It finds the small
/// eigenvalues of a graded positive definite matrix as accurately as the large ones (Demmel and Veselić 1992).
pub(super) fn jacobi(mut m: DMat3) -> (DVec3, DMat3) {
    let mut axes = DMat3::IDENTITY;
    for sweep in 0..60 {
        let (i, j) = [(0, 1), (0, 2), (1, 2)][sweep % 3];
        let off = m.col(i)[j];
        if off == 0.0 {
            continue;
        }
        let theta = (m.col(j)[j] - m.col(i)[i]) / (2.0 * off);
        let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
        let c = 1.0 / (t * t + 1.0).sqrt();
        let mut turn = DMat3::IDENTITY;
        turn.col_mut(i)[i] = c;
        turn.col_mut(j)[j] = c;
        turn.col_mut(j)[i] = t * c;
        turn.col_mut(i)[j] = -t * c;
        m = turn.transpose() * m * turn;
        axes *= turn;
    }
    (DVec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z), axes)
}
