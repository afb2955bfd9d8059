//! A fast proof that the convex hull of some triangles has too many corners to be of use.
//!
//! 1. A point that is strictly farther along some direction than all other points is a corner of their hull. Points
//!    that are inside of the hull of the others (`outer_points`) need not be compared.
//! 2. A vertex of a round patch is farthest along the sum of its triangles' normals, or along the opposite direction.
//!    Small patches are tested along these, and large ones along directions spread all around, relative to the sides of
//!    their box.
//! 3. A computed height is off by `6u` of the sizes of point and direction: three products and two sums; the direction
//!    counts as exact. A vertex whose height exceeds all others by more than twice that is strictly farthest.
//!
//! **Guarantee.** [`has_many_corners`] is true only if the hull has more than [`MOST_CORNERS`] corners. False claims
//! nothing.

use glam::DVec3;

use super::node_hulls::MOST_CORNERS;
use super::outer_points::{Columns, outer_points};
use crate::numerics::rounding::UNIT;

/// The most triangles that are tested along their normals: the time of this test grows with the square of their number.
const MOST_WITH_NORMALS: usize = 256;

/// The number of normals after which it is clear if a patch is round. The first normals belong to vertices whose
/// numbers are [`SPREAD`] apart.
const FIRST_TRIED: usize = 24;
const SPREAD: usize = 8;

/// The number of directions along which a round part shows more corners than [`MOST_CORNERS`].
const MOST_DIRECTIONS: usize = 256;

/// Returns true only if the hull of these triangles has more than [`MOST_CORNERS`] corners; see the header.
pub(super) fn has_many_corners(vertices: &[DVec3], triangles: &[[u32; 3]], members: &[u32]) -> bool {
    let ids = distinct_vertices(vertices.len(), triangles, members);
    if ids.len() <= MOST_CORNERS {
        false
    } else if members.len() <= MOST_WITH_NORMALS {
        has_many_along_normals(vertices, triangles, members, &ids)
    } else {
        let points: Vec<DVec3> = ids.iter().map(|&v| vertices[v as usize]).collect();
        has_many_all_around(&points)
    }
}

/// Returns the vertices of some triangles of a mesh with this number of vertices, each once, in order.
pub(super) fn distinct_vertices(vertices: usize, triangles: &[[u32; 3]], members: &[u32]) -> Vec<u32> {
    let corners = members.iter().flat_map(|&id| triangles[id as usize]);
    // Marking all vertices takes less time than sorting many of them.
    if members.len() > vertices / 8 {
        let mut is_used = vec![false; vertices];
        corners.for_each(|v| is_used[v as usize] = true);
        return (0..vertices as u32).filter(|&v| is_used[v as usize]).collect();
    }
    let mut ids: Vec<u32> = corners.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Returns true only if directions spread all around show too many corners. The directions only steer.
fn has_many_all_around(points: &[DVec3]) -> bool {
    let outer = outer_points(points);
    if outer.len() <= MOST_CORNERS {
        return false;
    }
    let mut outer: Vec<DVec3> = outer.into_iter().map(|i| points[i as usize]).collect();
    // Some files repeat a vertex in each of its triangles.
    outer.sort_unstable_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z)));
    outer.dedup();
    let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = outer.iter().fold(nothing, |(low, high), p| (low.min(*p), high.max(*p))); // not a bound: steers
    let sides = high - low;
    let reach = low.abs().max(high.abs()).element_sum(); // not a bound: finite points
    let columns = Columns::new(outer.iter().copied());
    let mut is_found = vec![false; outer.len()];
    let mut found = 0;
    for k in 1..=MOST_DIRECTIONS {
        // A sequence that fills a cube evenly.
        let part = |factor: f64| 2.0 * (factor * k as f64).fract() - 1.0;
        let around = DVec3::new(part(0.819_172_513_396), part(0.671_043_606_704), part(0.549_700_477_902));
        let direction = around / sides;
        if !direction.is_finite() {
            return false;
        }
        let (most, second, at) = columns.two_highest(direction);
        // Twice `6u` of both heights, generously: the sum of the sizes of coordinates is at least the length.
        if most - second > 32.0 * UNIT * direction.abs().element_sum() * reach && !is_found[at] {
            is_found[at] = true;
            found += 1;
            if found > MOST_CORNERS {
                return true;
            }
        }
        // After a quarter of the directions, this few corners leave little hope.
        if k == MOST_DIRECTIONS / 4 && found < MOST_CORNERS / 2 {
            return false;
        }
    }
    false
}

/// Returns true only if the normals show too many corners. The normals only steer.
fn has_many_along_normals(vertices: &[DVec3], triangles: &[[u32; 3]], members: &[u32], ids: &[u32]) -> bool {
    let mut normals = vec![DVec3::ZERO; ids.len()];
    for &id in members {
        let [a, b, c] = triangles[id as usize].map(|v| vertices[v as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for v in triangles[id as usize] {
            normals[ids.partition_point(|&id| id < v)] += normal;
        }
    }
    let points = ids.iter().map(|&v| vertices[v as usize]);
    let reach = points.clone().fold(0.0, |reach: f64, point| reach.max(point.abs().element_sum())); // not a bound: finite points
    let points = Columns::new(points);
    let (mut found, mut tried) = (0, 0);
    // Neighbours often have close numbers: the first ones are spread over the patch.
    let spread = (0..SPREAD).flat_map(|first| (first..ids.len()).step_by(SPREAD));
    for i in spread {
        let normal = normals[i];
        // Twice `6u` of both heights, generously: the sum of the sizes of coordinates is at least the length.
        let margin = 32.0 * UNIT * normal.abs().element_sum() * reach;
        let height = vertices[ids[i] as usize].dot(normal);
        let [not_below, not_above] = points.counts(normal, [height - margin, height + margin]);
        // The only such point is the vertex itself. A direction of zero has all points at one height.
        found += usize::from(not_below == 1 || not_above == 1);
        tried += 1;
        if found > MOST_CORNERS {
            return true;
        }
        // The remaining vertices are too few, or will be if they are like the others.
        let is_unlikely = tried >= FIRST_TRIED && found * ids.len() < tried * MOST_CORNERS * 3 / 4;
        if is_unlikely || found + (ids.len() - tried) <= MOST_CORNERS {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Hull;

    fn unit(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// The proof for a large part agrees with its hull. The parts are balls and blocks with as many corners as the
    /// limit, a few more and a few fewer, with points inside and on their sides, some of them repeated. Others are
    /// almost round, with corners that stand out by roundings only.
    #[test]
    fn many_corners_all_around_are_proven() {
        let state = &mut 19;
        let (mut proven, mut large) = (0, 0);
        for round in 0..120 {
            let corners = [MOST_CORNERS - 8, MOST_CORNERS, MOST_CORNERS + 1, 90, 200, 400][round % 6];
            let bulge = [1.0, 1e-3, 1e-8, 1e-14, 1e-16][round / 6 % 5];
            let stretch = DVec3::new(1.0, [1.0, 0.01][round / 30 % 2], 1.0);
            let mut points: Vec<DVec3> = (0..corners)
                .map(|_| {
                    let p = DVec3::new(unit(state), unit(state), unit(state)).normalize_or(DVec3::X);
                    // On the sides of a cube, pushed out a little.
                    let on_cube = p / p.abs().max_element();
                    on_cube.lerp(p * 3.0_f64.sqrt(), bulge) * stretch
                })
                .collect();
            let ends = points.clone();
            points.extend((0..400).map(|i| ends[i % corners].lerp(ends[(7 * i + 3) % corners], 0.5)));
            points.extend(&ends[..corners / 3]);
            let exact = Hull::extreme_points(&points).unwrap().len();
            let is_proven = has_many_all_around(&points);
            assert!(!is_proven || exact > MOST_CORNERS, "round {round}: {exact}");
            proven += usize::from(is_proven);
            large += usize::from(exact > MOST_CORNERS);
        }
        assert!(proven >= 10 && large < 115, "{proven} of {large}");
    }

    /// Marked or sorted, the vertices are the same.
    #[test]
    fn distinct_vertices_of_few_and_of_many() {
        let state = &mut 23;
        let mut index = |count: f64| (unit(state).abs() * count) as u32;
        let triangles: Vec<[u32; 3]> = (0..400).map(|_| [index(500.0), index(500.0), index(500.0)]).collect();
        for count in [1, 20, 62, 63, 400] {
            let members: Vec<u32> = (0..count).collect();
            let mut expected = triangles[..count as usize].as_flattened().to_vec();
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(distinct_vertices(500, &triangles, &members), expected);
        }
    }
}
