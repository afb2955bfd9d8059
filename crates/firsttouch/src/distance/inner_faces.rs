//! Upper bounds of the distances of many points from the convex hull of a few of them, the corners.
//!
//! A coarse solid is around hundreds or thousands of points, of which only the few that are farthest from its corners decide how large it is. A
//! search for the closest point of each costs more than everything else. Here each point gets an upper bound that takes a tenth of the time:
//! 1. Triangles between corners form a closed surface, which is built as convex hulls are: from a tetrahedron on, the triangles that a further corner is above
//!    are replaced by those between the corner and their border. This is done in floating point, so the surface need not be convex.
//! 2. A point that is below all triangles is inside, at distance 0.
//! 3. For any other point, the triangle is chosen that it is highest above. The bound is the distance to the closest point of that triangle.
//!
//! # Guarantee
//! - Rule 2 needs no convex surface. Let a point `x` be strictly below all triangles. Then all of these have, as seen from `x`, solid angles of one sign. Their
//!   sum is not 0, so the surface, in which every edge has its reverse, winds around `x`. It could not if `x` were outside of the convex hull of the
//!   corners: the whole surface is in that hull, and would shrink to a point in it without passing `x`.
//! - The surface stays closed: what replaces some triangles is bordered by the same edges. If one of the new triangles is almost a segment, nothing is
//!   replaced.
//! - A point counts as strictly below a plane by the margin that `shape::outer_points` derives: `64u |e| |f| R` for a triangle with edges `e` and `f`, where no
//!   point is farther from the origin than `R`.
//! - Rule 3: any point of any triangle is one of the hull of its corners, so its distance is an upper bound, however badly triangle and point were
//!   chosen. The computed point is `p + (q - p) s`, or `a + e v + f w`, with `s`, `v`, `w` and `v + w` in `[0, 1]`, of which only `v + w` is rounded: it
//!   differs from a point of the triangle by `2u R` for that, and by `12u R` for two differences, two products and two sums. The distance adds 4 roundings
//!   of sizes up to `2R`. We add `64u R`.

use fearless_simd::{Level, Simd, dispatch};
use glam::DVec3;

use crate::numerics::rounding::UNIT;

/// Below this size, products of two or three lengths might underflow.
const TINY_PRODUCT: f64 = 1e-270;

/// The sine of the angle between two edges of a triangle that is almost a segment. The planes of narrower triangles say little.
const NARROW: f64 = 1e-6;

/// Corners that are above a triangle by less than this fraction of the size leave it as it is. It steers.
const FLAT: f64 = 1e-9;

/// Points that are processed at a time.
const LANES: usize = 8;

/// A closed surface of triangles between corners.
pub(super) struct InnerFaces {
    faces: Vec<Face>,
    reach: f64,
    /// The length of the first tetrahedron. It steers.
    size: f64,
    /// The number of the next triangle.
    next: u32,
}

struct Face {
    number: u32,
    corners: [DVec3; 3],
    normal: DVec3,
    /// A point `x` is below the plane for certain if `normal · x` is computed to be less than this.
    height: f64,
    /// About one over the length of the normal. It steers.
    scale: f64,
}

impl InnerFaces {
    /// Returns a surface between corners, for points no farther from the origin than `reach`. Returns `None` if the corners are almost in one plane, or so
    /// close or so far that the arithmetic might fail.
    pub(super) fn between(corners: &[DVec3], reach: f64) -> Option<InnerFaces> {
        // The choices only steer.
        let farthest = |far: &dyn Fn(DVec3) -> f64| {
            corners.iter().copied().max_by(|p, q| far(*p).total_cmp(&far(*q))) // not a bound: it steers
        };
        let a = *corners.first()?;
        let b = farthest(&|p| (p - a).length_squared())?;
        let c = farthest(&|p| (b - a).cross(p - a).length_squared())?;
        let normal = (b - a).cross(c - a);
        let d = farthest(&|p| normal.dot(p - a).abs())?;
        let size = (b - a).length();
        let is_solid = normal.dot(d - a).abs() > NARROW * normal.length() * size;
        if !is_solid {
            return None;
        }
        let (b, c) = if normal.dot(d - a) > 0.0 { (c, b) } else { (b, c) };
        let mut surface = InnerFaces { faces: Vec::new(), reach, size, next: 0 };
        for corners in [[a, b, c], [a, d, b], [b, d, c], [c, d, a]] {
            let face = surface.face(corners)?;
            surface.push(face);
        }
        for corner in corners {
            surface.add(*corner);
        }
        Some(surface)
    }

    /// Adds a corner.
    fn add(&mut self, corner: DVec3) {
        let is_above =
            |face: &Face| (corner - face.corners[0]).dot(face.normal) * face.scale > FLAT * self.size;
        let edges_of = |[a, b, c]: [DVec3; 3]| [[a, b], [b, c], [c, a]];
        let seen: Vec<&Face> = self.faces.iter().filter(|face| is_above(face)).collect();
        let edges: Vec<[DVec3; 2]> = seen.iter().flat_map(|face| edges_of(face.corners)).collect();
        // Of an edge within what is replaced, both directions are there equally often.
        let mut border = Vec::new();
        for [p, q] in &edges {
            let count = |edge: [DVec3; 2]| edges.iter().filter(|other| **other == edge).count();
            let (there, back) = (count([*p, *q]), count([*q, *p]));
            if there > 1 || back > 1 {
                return;
            }
            if back == 0 {
                border.push([*p, *q]);
            }
        }
        // Nothing is seen. An empty surface would have every point inside.
        if border.is_empty() {
            return;
        }
        let replaced: Vec<u32> = seen.iter().map(|face| face.number).collect();
        let Some(faces) =
            border.iter().map(|[p, q]| self.face([*p, *q, corner])).collect::<Option<Vec<Face>>>()
        else {
            return;
        };
        self.faces.retain(|face| !replaced.contains(&face.number));
        faces.into_iter().for_each(|face| self.push(face));
    }

    fn push(&mut self, face: Face) {
        self.faces.push(Face { number: self.next, ..face });
        self.next += 1;
    }

    /// A triangle; `None` if it is almost a segment, or the arithmetic might fail.
    fn face(&self, corners: [DVec3; 3]) -> Option<Face> {
        let [a, b, c] = corners;
        let (e, f) = (b - a, c - a);
        let normal = e.cross(f);
        let area = e.length() * f.length();
        let size = area * self.reach;
        let height = normal.dot(a) - 64.0 * UNIT * size;
        let is_wide = normal.length() > NARROW * area;
        let is_normal = area > TINY_PRODUCT && size > TINY_PRODUCT && size.is_finite();
        (is_wide && is_normal).then(|| Face {
            number: 0,
            corners,
            normal,
            height,
            scale: normal.length().recip(),
        })
    }

    /// Returns upper bounds of the distances of points, given by coordinate, from the hull of the corners.
    pub(super) fn bounds(&self, points: [&[f64]; 3]) -> Vec<f64> {
        let count = points[0].len();
        let highest = dispatch!(Level::new(), simd => highest_faces(simd, &self.faces, points));
        let bound = |(i, highest): (usize, Option<u32>)| match highest {
            None => 0.0,
            Some(face) => {
                let point = DVec3::new(points[0][i], points[1][i], points[2][i]);
                distance_to_triangle(point, self.faces[face as usize].corners) + 64.0 * UNIT * self.reach
            }
        };
        highest.into_iter().take(count).enumerate().map(bound).collect()
    }
}

/// For each point the face that it is highest above; `None` if it is below all of them. It is compiled for every level of vector instructions;
/// all of them compute the same bits, because nothing is reordered or fused.
#[inline(always)]
fn highest_faces<S: Simd>(_: S, faces: &[Face], [x, y, z]: [&[f64]; 3]) -> Vec<Option<u32>> {
    let mut highest = Vec::with_capacity(x.len().next_multiple_of(LANES));
    for first in (0..x.len()).step_by(LANES) {
        // The last block repeats the last point.
        let lane = |list: &[f64]| match list[first..].first_chunk::<LANES>() {
            Some(lanes) => *lanes,
            None => std::array::from_fn(|i| list[(first + i).min(list.len() - 1)]), // not a bound: indices
        };
        let (x, y, z) = (lane(x), lane(y), lane(z));
        let (mut most, mut at) = ([f64::NEG_INFINITY; LANES], [0.0; LANES]);
        let mut number = 0.0;
        for Face { normal, height, scale, .. } in faces {
            for i in 0..LANES {
                // A difference is negative only if the first number is the smaller one.
                let above = (x[i] * normal.x + y[i] * normal.y + z[i] * normal.z - height) * scale;
                let is_higher = above > most[i];
                most[i] = if is_higher { above } else { most[i] };
                at[i] = if is_higher { number } else { at[i] };
            }
            number += 1.0;
        }
        highest
            .extend(most.iter().zip(at).map(|(most, at)| if *most < 0.0 { None } else { Some(at as u32) }));
    }
    highest
}

/// Returns the distance to a point of the triangle that is as close as any, up to rounding.
fn distance_to_triangle(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let (e, f, to) = (b - a, c - a, point - a);
    let normal = e.cross(f);
    let squared = normal.length_squared();
    let (v, w) = (to.cross(f).dot(normal) / squared, e.cross(to).dot(normal) / squared);
    // Not so for NaN.
    if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
        return (a + e * v + f * w - point).length();
    }
    let to_edge = |p: DVec3, q: DVec3| {
        let along = (point - p).dot(q - p) / (q - p).length_squared();
        let along = if along > 0.0 { along } else { 0.0 };
        (p + (q - p) * if along < 1.0 { along } else { 1.0 } - point).length()
    };
    let distances = [to_edge(a, b), to_edge(b, c), to_edge(c, a)];
    // Each of them is a bound.
    distances
        .into_iter()
        .fold(f64::INFINITY, |least, distance| if distance < least { distance } else { least })
}

#[cfg(test)]
mod tests {
    use dashu_ratio::RBig;

    use super::*;
    use crate::shape::Hull;

    fn unit(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn point(state: &mut u64) -> DVec3 {
        DVec3::new(unit(state), unit(state), unit(state))
    }

    fn columns(points: &[DVec3]) -> [Vec<f64>; 3] {
        [0, 1, 2].map(|axis| points.iter().map(|point| point[axis]).collect())
    }

    fn bounds(faces: &InnerFaces, points: &[DVec3]) -> Vec<f64> {
        let [x, y, z] = columns(points);
        faces.bounds([&x, &y, &z])
    }

    /// The height of a point above a plane, in exact arithmetic: its sign times the length of the normal.
    fn is_above(point: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
        let exact = |v: DVec3| v.to_array().map(|x| RBig::try_from(x).unwrap());
        let minus = |p: DVec3, q: DVec3| {
            let ([p0, p1, p2], [q0, q1, q2]) = (exact(p), exact(q));
            [p0 - q0, p1 - q1, p2 - q2]
        };
        let ([e0, e1, e2], [f0, f1, f2], [x0, x1, x2]) = (minus(b, a), minus(c, a), minus(point, a));
        let height =
            (&e1 * &f2 - &e2 * &f1) * x0 + (&e2 * &f0 - &e0 * &f2) * x1 + (&e0 * &f1 - &e1 * &f0) * x2;
        height > RBig::ZERO
    }

    /// No bound is below the separation along any of many directions, and a bound of 0 is given only to what exact arithmetic finds inside: points all
    /// around, and points that are off the faces by roundings only, far from the origin and near it.
    #[test]
    fn bounds_are_never_too_small() {
        let state = &mut 5;
        let (mut inside, mut outside, mut tight) = (0, 0, 0);
        for round in 0..60 {
            let away = point(state) * [0.0, 1.0, 1e3][round % 3];
            let stretch = DVec3::new(1.0, [1.0, 0.01][round % 2], 1.0);
            let corners: Vec<DVec3> =
                (0..20).map(|_| away + point(state).normalize_or(DVec3::X) * stretch).collect();
            let mut points: Vec<DVec3> = (0..100).map(|_| away + point(state) * stretch).collect();
            for _ in 0..100 {
                let [i, j, k] = [0; 3].map(|_| (unit(state).abs() * 20.0) as usize);
                let on = (corners[i] + corners[j] + corners[k]) / 3.0;
                points.push(on + point(state) * [0.0, 1e-16, 1e-14][round % 3] * (1.0 + away.length()));
            }
            points.extend(&corners);
            let reach = points.iter().fold(0.0_f64, |reach, point| reach.max(point.length())) * (1.0 + 1e-12);
            // The last corners come later.
            let mut faces = InnerFaces::between(&corners[..12], reach).unwrap();
            corners[12..].iter().for_each(|corner| faces.add(*corner));
            let hull = Hull::new(&corners).unwrap();
            for (point, bound) in points.iter().zip(bounds(&faces, &points)) {
                let is_outside = hull
                    .faces()
                    .iter()
                    .any(|face| is_above(*point, face.map(|v| hull.vertices()[v as usize])));
                assert!(bound > 0.0 || !is_outside, "round {round}");
                for face in hull.faces() {
                    let [a, b, c] = face.map(|v| hull.vertices()[v as usize]);
                    let n = (b - a).cross(c - a).normalize();
                    let extent =
                        corners.iter().fold(f64::NEG_INFINITY, |most, corner| most.max(corner.dot(n)));
                    assert!(bound >= point.dot(n) - extent - 1e-15 * reach, "round {round}");
                    tight += usize::from(is_outside && bound <= 1.01 * (point.dot(n) - extent));
                }
                inside += usize::from(bound == 0.0);
                outside += usize::from(is_outside);
            }
        }
        assert!(inside > 2000 && outside > 2000 && tight > 500, "{inside} {outside} {tight}");
    }

    /// The closest point of a triangle is never beyond it, and no sampled point is closer.
    #[test]
    fn triangles_of_all_shapes() {
        let state = &mut 9;
        for round in 0..3000 {
            let mut corners = [point(state), point(state), point(state)];
            // Some are needles, and some are segments or points.
            match round % 6 {
                0 => corners[2] = corners[0].lerp(corners[1], 0.3) + point(state) * 1e-9,
                1 => corners[2] = corners[1],
                2 => corners = [corners[0]; 3],
                _ => {}
            }
            let from = point(state) * 2.0;
            let bound = distance_to_triangle(from, corners);
            let [a, b, c] = corners;
            let mut nearest = f64::INFINITY;
            for i in 0..=20 {
                for j in 0..=20 - i {
                    let (v, w) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                    nearest = nearest.min((a + (b - a) * v + (c - a) * w - from).length());
                }
            }
            assert!(
                bound <= nearest + 1e-9 || (round % 6 == 2 && bound == f64::INFINITY),
                "{round}: {bound} {nearest}"
            );
            assert!(bound >= nearest - 0.2, "{round}: {bound} {nearest}");
        }
    }

    /// The vector instructions of this machine and the least that every machine has choose the same faces. The last block need not be full.
    #[test]
    fn wider_instructions_change_no_choice() {
        let state = &mut 13;
        for count in [1, 7, 8, 9, 100] {
            let corners: Vec<DVec3> = (0..12).map(|_| point(state)).collect();
            let faces = InnerFaces::between(&corners, 4.0).unwrap();
            let points: Vec<DVec3> = (0..count).map(|_| point(state)).collect();
            let [x, y, z] = columns(&points);
            let of = |level: Level| dispatch!(level, simd => highest_faces(simd, &faces.faces, [&x, &y, &z]));
            assert_eq!(of(Level::new()), of(Level::baseline()));
            assert_eq!(bounds(&faces, &points).len(), count);
        }
        assert!(
            InnerFaces::between(
                &[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE * DVec3::new(1.0, 1.0, 0.0)],
                2.0
            )
            .is_none()
        );
    }
}
