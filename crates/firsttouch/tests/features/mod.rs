//! Distances of bodies by brute force over their features, for judging the library: points, segments and triangles,
//! each with a radius, and motions by their own formulas. It uses none of the library's geometry: no support functions,
//! no trees, no poses.
//!
//! Every candidate distance is that of two points of the bodies, so a wrong parameter makes it larger only to second
//! order.

// Each test crate that includes this module uses a part of it.
#![allow(dead_code)]

use glam::{DQuat, DVec3};

/// The features of a body at an instant: triangles (with two or three equal corners for segments and points) with a
/// common radius.
#[derive(Clone, Default)]
pub(crate) struct Features {
    pub(crate) triangles: Vec<([DVec3; 3], f64)>,
    /// Convex solids, each as a range of triangles that bound it.
    pub(crate) solids: Vec<std::ops::Range<usize>>,
}

impl Features {
    pub(crate) fn surface(corners: &[DVec3], faces: &[[u32; 3]], radius: f64, solid: bool) -> Features {
        let triangles: Vec<_> =
            faces.iter().map(|face| (face.map(|v| corners[v as usize]), radius)).collect();
        let solids = if solid { std::iter::once(0..triangles.len()).collect() } else { vec![] };
        Features { triangles, solids }
    }

    pub(crate) fn moved(&self, place: impl Fn(DVec3) -> DVec3) -> Features {
        let triangles = self.triangles.iter().map(|(t, radius)| (t.map(&place), *radius)).collect();
        Features { triangles, solids: self.solids.clone() }
    }

    pub(crate) fn join(&mut self, other: Features) {
        let first = self.triangles.len();
        self.solids.extend(other.solids.iter().map(|range| first + range.start..first + range.end));
        self.triangles.extend(other.triangles);
    }

    /// Returns true if a point is in one of the solids.
    fn contains(&self, p: DVec3) -> bool {
        self.solids.iter().any(|range| {
            let faces = &self.triangles[range.clone()];
            let middle =
                faces.iter().map(|(t, _)| (t[0] + t[1] + t[2]) / 3.0).sum::<DVec3>() / faces.len() as f64;
            faces.iter().all(|(t, _)| {
                let n = (t[1] - t[0]).cross(t[2] - t[0]);
                n.dot(p - t[0]) * n.dot(middle - t[0]) >= 0.0
            })
        })
    }
}

/// Returns the distance of two bodies; 0 if they overlap.
pub(crate) fn distance(a: &Features, b: &Features) -> f64 {
    let any = |f: &Features| f.triangles.iter().map(|(t, _)| t[0]).collect::<Vec<_>>();
    if any(a).into_iter().any(|p| b.contains(p)) || any(b).into_iter().any(|p| a.contains(p)) {
        return 0.0;
    }
    let ball = |t: &[DVec3; 3]| {
        let center = (t[0] + t[1] + t[2]) / 3.0;
        (center, t.iter().map(|p| p.distance(center)).fold(0.0, f64::max))
    };
    let balls: Vec<_> = b.triangles.iter().map(|(t, _)| ball(t)).collect();
    let mut least = f64::INFINITY;
    for (t, r) in &a.triangles {
        let (center, reach) = ball(t);
        for ((u, s), (other, far)) in b.triangles.iter().zip(&balls) {
            if center.distance(*other) - reach - far - r - s >= least {
                continue;
            }
            least = least.min(triangle_triangle(t, u) - r - s);
        }
    }
    least.max(0.0)
}

pub(crate) fn triangle_triangle(t: &[DVec3; 3], u: &[DVec3; 3]) -> f64 {
    let mut least = f64::INFINITY;
    for (x, y) in [(t, u), (u, t)] {
        for k in 0..3 {
            if pierces([x[k], x[(k + 1) % 3]], y) {
                return 0.0;
            }
            least = least.min(point_triangle(x[k], y));
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            least = least.min(segment_segment([t[i], t[(i + 1) % 3]], [u[j], u[(j + 1) % 3]]));
        }
    }
    least
}

fn pierces([p, q]: [DVec3; 2], [a, b, c]: &[DVec3; 3]) -> bool {
    let n = (*b - *a).cross(*c - *a);
    let (from, to) = (n.dot(p - *a), n.dot(q - *a));
    if from * to > 0.0 || from == to {
        return false;
    }
    let x = p + (q - p) * (from / (from - to));
    [(a, b), (b, c), (c, a)].iter().all(|(e, f)| n.dot((**f - **e).cross(x - **e)) >= 0.0)
}

fn point_segment(p: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    let along = b - a;
    let x = along.dot(p - a) / along.length_squared();
    let x = if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) };
    p.distance(a + along * x)
}

pub(crate) fn point_triangle(p: DVec3, [a, b, c]: &[DVec3; 3]) -> f64 {
    let least = point_segment(p, [*a, *b]).min(point_segment(p, [*b, *c])).min(point_segment(p, [*c, *a]));
    let n = (*b - *a).cross(*c - *a).normalize_or_zero();
    let foot = p - n * n.dot(p - *a);
    let inside = n != DVec3::ZERO
        && [(a, b), (b, c), (c, a)].iter().all(|(e, f)| n.dot((**f - **e).cross(foot - **e)) >= 0.0);
    if inside { least.min(p.distance(foot)) } else { least }
}

pub(crate) fn segment_segment(s: [DVec3; 2], t: [DVec3; 2]) -> f64 {
    let ends =
        [point_segment(s[0], t), point_segment(s[1], t), point_segment(t[0], s), point_segment(t[1], s)];
    let least = ends.into_iter().fold(f64::INFINITY, f64::min);
    let (d, e, r) = (s[1] - s[0], t[1] - t[0], s[0] - t[0]);
    let (a, b, c) = (d.length_squared(), d.dot(e), e.length_squared());
    let det = a * c - b * b;
    let (x, y) = ((b * e.dot(r) - c * d.dot(r)) / det, (a * e.dot(r) - b * d.dot(r)) / det);
    if (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y) {
        return least.min((s[0] + d * x).distance(t[0] + e * y));
    }
    least
}

/// A motion by its formula: the place of a point of the body at `t`.
#[derive(Clone, Copy)]
pub(crate) enum Moves {
    /// The origin on a straight line, the body turning about an axis through it at a constant rate.
    Straight { from: DVec3, to: DVec3, start: DQuat, turn: DVec3 },
    /// Turning about an axis in space through a point.
    About { from: DVec3, start: DQuat, axis: DVec3, point: DVec3, angle: f64 },
}

impl Moves {
    pub(crate) fn place(&self, p: DVec3, t: f64) -> DVec3 {
        match *self {
            Moves::Straight { from, to, start, turn } => {
                from + (to - from) * t + turned(start * p, turn.normalize_or_zero(), turn.length() * t)
            }
            Moves::About { from, start, axis, point, angle } => {
                point + turned(start * p + from - point, axis, angle * t)
            }
        }
    }
}

/// Rodrigues' formula.
pub(crate) fn turned(v: DVec3, axis: DVec3, angle: f64) -> DVec3 {
    let (sin, cos) = angle.sin_cos();
    v * cos + axis.cross(v) * sin + axis * (axis.dot(v) * (1.0 - cos))
}

/// Returns the least of a function over `[0, 1]`: samples, refined around the least of the local minima.
pub(crate) fn least_over_time(samples: usize, at: impl Fn(f64) -> f64) -> f64 {
    let width = 1.0 / samples as f64;
    let values: Vec<f64> = (0..=samples).map(|i| at(i as f64 * width)).collect();
    let mut low: Vec<usize> = (0..=samples)
        .filter(|&i| (i == 0 || values[i - 1] >= values[i]) && (i == samples || values[i + 1] >= values[i]))
        .collect();
    low.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut least = values.iter().copied().fold(f64::INFINITY, f64::min);
    if least == 0.0 {
        return 0.0;
    }
    for &i in low.iter().take(3) {
        let (mut from, mut to) = ((i as f64 * width - width).max(0.0), (i as f64 * width + width).min(1.0));
        for _ in 0..44 {
            let third = (to - from) / 3.0;
            let (x, y) = (at(from + third), at(to - third));
            least = least.min(x).min(y);
            if x < y {
                to -= third;
            } else {
                from += third;
            }
        }
    }
    least
}
