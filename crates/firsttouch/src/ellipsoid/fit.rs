//! The smallest ellipsoid around a set of points, with a proof that they are inside.
//!
//! 1. Khachiyan's algorithm in the form of Todd and Yıldırım: weights `w_i` on the points lifted to `(p_i, 1)`; the point that lies
//!    farthest out in the metric of the weighted moments gets more weight, or the one farthest in less, by the step that maximises the
//!    determinant. It converges to the ellipsoid of least volume; here it stops at one part in `10^4`.
//! 2. Its shape is `S = 3 (Σ w_i p_i p_i^T − c c^T)` with `c = Σ w_i p_i`. Jacobi's rotations give its axes, a quaternion is made of
//!    them, and from here on that quaternion and the semi-axes are what is meant, without any rounding left to account for.
//! 3. Each point is brought into the frame of the quaternion with intervals, and the semi-axes are scaled until the upper
//!    bound of `Σ (x_k / a_k)²` is at most one for all points: that is the proof.
//!
//! A flat or even collinear set gets a thickness of a millionth of its size: an ellipsoid has none of zero.
//!
//! References: L. G. Khachiyan, "Rounding of polytopes in the real number model of computation", 1996; M. J. Todd and
//! E. A. Yıldırım, "On Khachiyan's algorithm for the computation of minimum-volume enclosing ellipsoids", 2007.

use glam::{DMat3, DQuat, DVec3};

use crate::error::{Error, Result, bounded_vector};
use crate::motion::Pose;
use crate::numerics::{Interval, IntervalMat3};
use crate::shape::Ellipsoid;

/// How far the volume may be from the least, as a part of the dimension.
const ACCURACY: f64 = 1e-4;
/// Steps at most; the fit is an enclosure whenever it stops.
const MAX_STEPS: usize = 10_000;
/// The least semi-axis, relative to the largest distance from the middle.
const THINNEST: f64 = 1e-6;

/// An ellipsoid around all points, of nearly the least volume, and its pose. Refuses an empty set and points that are not
/// finite.
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

/// An ellipsoid around the boxes with half sides `pad` about all points.
pub(super) fn enclosing_padded(points: &[DVec3], pad: f64) -> Result<(Ellipsoid, Pose)> {
    if points.is_empty() {
        return Err(Error::Empty { what: "set of points to enclose".into() });
    }
    for (i, &point) in points.iter().enumerate() {
        bounded_vector(|| format!("point {i} to enclose"), point)?;
    }
    let (low, high) = points.iter().fold((points[0], points[0]), |(l, h), &p| (l.min(p), h.max(p)));
    let middle = 0.5 * low + 0.5 * high;
    let size = (high - low).max_element().max(1e-60);
    // In units of its size and about its middle nothing over- or underflows.
    let mut scaled: Vec<DVec3> = points.iter().map(|&p| (p - middle) / size).collect();
    // A set without thickness in some direction gets some: without, the least volume is zero and no weights are best.
    let even = vec![1.0 / scaled.len() as f64; scaled.len()];
    let (squares, directions) = jacobi(moments(&scaled, &even).1);
    for k in 0..3 {
        if squares[k] < THINNEST * THINNEST {
            let offset = directions.col(k) * THINNEST;
            scaled = scaled.iter().flat_map(|&p| [p - offset, p + offset]).collect();
        }
    }
    let (center, s) = khachiyan(&scaled);
    let (squares, axes) = jacobi(s);
    let pose = Pose::new(middle + center * size, DQuat::from_mat3(&axes))?;
    let axes = squares.map(|square| size * square.max(0.0).sqrt().max(THINNEST));
    prove(points, pad, axes, pose)
}

/// Scales the semi-axes up until all points, with whatever is within `pad` of each coordinate, are proven inside.
fn prove(points: &[DVec3], pad: f64, axes: DVec3, pose: Pose) -> Result<(Ellipsoid, Pose)> {
    let rotation = IntervalMat3::from_quat(pose.rotation())?;
    let level = |axes: DVec3| {
        // The bounds of an interval are never NaN.
        points.iter().fold(0.0_f64, |most, &point| most.max(level(point, pad, &rotation, axes, pose).hi()))
    };
    // Up or down until the farthest point is on the surface; then only up, by a little more than the root, so that the
    // next bound is below one.
    let fitting = |axes: DVec3, highest: f64| axes * (highest.sqrt().clamp(0.5, 1e60) * (1.0 + 1e-14));
    let mut axes = fitting(axes, level(axes));
    loop {
        let shape = Ellipsoid::new(axes)?;
        let highest = level(axes);
        if highest <= 1.0 {
            return Ok((shape, pose));
        }
        axes = fitting(axes, highest);
    }
}

/// `Σ (x_k / a_k)²` for a point in the ellipsoid's frame, for all points within `pad` of each coordinate: at most 1 inside.
pub(super) fn level(point: DVec3, pad: f64, rotation: &IntervalMat3, axes: DVec3, pose: Pose) -> Interval {
    let mut sum = Interval::ZERO;
    for k in 0..3 {
        let mut coordinate = Interval::ZERO;
        for i in 0..3 {
            let offset = Interval::point(point[i]) - pose.translation()[i] + Interval::symmetric(pad);
            coordinate = coordinate + rotation.0[i][k] * offset;
        }
        sum = sum + (coordinate / axes[k]).sqr();
    }
    sum
}

/// The centre and the shape `S` of the ellipsoid around points in `[−1/2, 1/2]³`.
fn khachiyan(points: &[DVec3]) -> (DVec3, DMat3) {
    let n = points.len();
    let mut weights = vec![1.0 / n as f64; n];
    for _ in 0..MAX_STEPS {
        let (center, spread) = moments(points, &weights);
        // (p, 1)^T X⁻¹ (p, 1) = 1 + (p − c)^T V⁻¹ (p − c), with V the spread; 4 on average.
        let inverse = (spread + DMat3::from_diagonal(DVec3::splat(1e-14))).inverse();
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
        // Towards the farthest, or away from the nearest, whichever is more out of balance.
        let (i, h) = if far.1 - 4.0 >= 4.0 - near.1 { far } else { near };
        let step = (h - 4.0) / (4.0 * (h - 1.0));
        let step = step.max(-weights[i] / (1.0 - weights[i]).max(1e-300));
        weights.iter_mut().for_each(|w| *w *= 1.0 - step);
        weights[i] = (weights[i] + step).max(0.0);
    }
    let (center, spread) = moments(points, &weights);
    (center, spread * 3.0)
}

/// The weighted mean, and the weighted mean of the squared deviations from it.
fn moments(points: &[DVec3], weights: &[f64]) -> (DVec3, DMat3) {
    let center: DVec3 = points.iter().zip(weights).map(|(p, w)| *p * *w).sum();
    let mut spread = DMat3::ZERO;
    for (p, w) in points.iter().zip(weights) {
        let d = *p - center;
        spread += DMat3::from_cols(d * d.x, d * d.y, d * d.z) * *w;
    }
    (center, spread)
}

/// Eigenvalues and a rotation whose columns are the eigenvectors, by Jacobi's method.
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
