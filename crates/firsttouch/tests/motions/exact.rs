//! Poses of motions at any time, from their definitions alone, to about 30 digits.

use super::wide::{
    Mat3, Vec3, Wide, add, apply, cross, dot, exponential, logarithm, matrix, quaternion, rotation, scale,
    sub, times, transpose, unit, vector,
};
use firsttouch::motion::{Pose, Spline};
use glam::DVec3;

/// The place of a body at a time.
pub(crate) type Exact = Box<dyn Fn(Wide) -> (Mat3, Vec3)>;

pub(crate) fn fixed(pose: Pose) -> Exact {
    Box::new(move |_| (matrix(quaternion(pose.rotation())), vector(pose.translation())))
}

pub(crate) fn turn(from: Pose, axis: DVec3, point: DVec3, angle: f64) -> Exact {
    Box::new(move |t| {
        let turned = rotation(unit(vector(axis)), Wide::from(angle) * t);
        let arm = sub(vector(from.translation()), vector(point));
        (times(&turned, &matrix(quaternion(from.rotation()))), add(vector(point), apply(&turned, arm)))
    })
}

pub(crate) fn linear(from: Pose, to: Pose) -> Exact {
    let (start, end) = (quaternion(from.rotation()), quaternion(to.rotation()));
    let turned = logarithm(start, end);
    Box::new(move |t| {
        let (a, b) = (vector(from.translation()), vector(to.translation()));
        (times(&exponential(scale(turned, t)), &matrix(start)), add(a, scale(sub(b, a), t)))
    })
}

/// Returns a screw: the part of the way across the axis is on a circle about a centre, found from the half angle.
pub(crate) fn screw(from: Pose, to: Pose) -> Exact {
    let (start, end) = (quaternion(from.rotation()), quaternion(to.rotation()));
    let turned = logarithm(start, end);
    let (a, b) = (vector(from.translation()), vector(to.translation()));
    let way = sub(b, a);
    let axis = unit(turned);
    let along = scale(axis, dot(axis, way));
    let across = sub(way, along);
    let (sine, cosine) = (dot(turned, turned).sqrt() * 0.5).sin_cos();
    let center = add(scale(across, Wide::from(0.5)), scale(cross(axis, across), cosine / sine * 0.5));
    Box::new(move |t| {
        let turn = exponential(scale(turned, t));
        let place = add(center, apply(&turn, sub([Wide::from(0.0); 3], center)));
        (times(&turn, &matrix(start)), add(a, add(place, scale(along, t))))
    })
}

/// One after another: `(until, motion in its own time)`.
pub(crate) fn pieces(knots: Vec<f64>, legs: Vec<Exact>) -> Exact {
    Box::new(move |t| {
        let k = knots[1..legs.len()].partition_point(|&knot| knot <= t.f64());
        let width = Wide::from(knots[k + 1]) - Wide::from(knots[k]);
        legs[k]((t - Wide::from(knots[k])) / width)
    })
}

pub(crate) fn within(frame: Exact, motion: Exact) -> Exact {
    Box::new(move |t| {
        let ((turned, moved), (rotation, translation)) = (frame(t), motion(t));
        (times(&turned, &rotation), add(moved, apply(&turned, translation)))
    })
}

/// Returns the spline of the header, from its poses and velocities.
pub(crate) fn spline(poses: Vec<Pose>, spline: &Spline) -> Exact {
    let knots = spline.times().to_vec();
    let velocities = spline.velocities().to_vec();
    let legs = (0..poses.len() - 1).map(|k| {
        let width = Wide::from(knots[k + 1]) - Wide::from(knots[k]);
        let [p0, p1] = [k, k + 1].map(|k| vector(poses[k].translation()));
        let [v0, v1] = [k, k + 1].map(|k| scale(vector(velocities[k].origin), width));
        let [w0, w1] = [k, k + 1].map(|k| scale(vector(velocities[k].angular), width));
        let [q0, q1] = [k, k + 1].map(|k| quaternion(poses[k].rotation()));
        let step = logarithm(q0, q1);
        let slope = inverse_jacobian(step, w1);
        let leg: Exact = Box::new(move |s| {
            let position = hermite([p0, p1], [v0, v1], s);
            let turned = hermite([[Wide::from(0.0); 3], step], [w0, slope], s);
            (times(&exponential(turned), &matrix(q0)), position)
        });
        leg
    });
    let legs = legs.collect();
    pieces(knots, legs)
}

fn hermite([a, b]: [Vec3; 2], [m0, m1]: [Vec3; 2], s: Wide) -> Vec3 {
    let (s2, one) = (s * s, Wide::from(1.0));
    let s3 = s2 * s;
    let h01 = s2 * 3.0 - s3 * 2.0;
    [0, 1, 2].map(|i| a[i] * (one - h01) + b[i] * h01 + m0[i] * (s3 - s2 * 2.0 + s) + m1[i] * (s3 - s2))
}

/// Returns the Jacobian of the exponential, by its series, inverted by Cramer's rule.
fn inverse_jacobian(vector: Vec3, x: Vec3) -> Vec3 {
    let column = |k: usize| jacobian(vector, [0, 1, 2].map(|i| Wide::from(if i == k { 1.0 } else { 0.0 })));
    let [a, b, c] = [column(0), column(1), column(2)];
    let determinant = dot(a, cross(b, c));
    [dot(x, cross(b, c)), dot(a, cross(x, c)), dot(a, cross(b, x))].map(|part| part / determinant)
}

/// `Σ_k ad^k y / (k + 1)!`.
fn jacobian(vector: Vec3, y: Vec3) -> Vec3 {
    let (mut sum, mut term) = (y, y);
    for k in 1..45 {
        term = scale(cross(vector, term), Wide::from(1.0) / Wide::from(f64::from(k + 1)));
        sum = add(sum, term);
    }
    sum
}

/// Returns the difference of two rotations as a rotation vector, for small ones: the skew part of `b aᵀ`.
pub(crate) fn turned(a: &Mat3, b: &Mat3) -> Vec3 {
    let quotient = times(b, &transpose(a));
    [0, 1, 2].map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        (quotient[k][j] - quotient[j][k]) * 0.5
    })
}
