//! Whether few of many points are corners of their convex hull, without the hull.
//!
//! An exact hull of ten thousand points costs tens of milliseconds. Whether most of the points are inside of it can be known for less:
//! 1. Take the farthest points along some directions. Their hull is inside of that of all points.
//! 2. Points strictly inside of it are no corners. Count them until there are enough.
//!
//! Guarantee: `true` is right but for rounding, which a margin covers many times over; `false` says nothing. No proof depends on it: it steers.

use glam::DVec3;

use crate::shape::Hull;

/// A point is inside if it is so by this part of the size of all points. Rounding is smaller by orders of magnitude.
const MARGIN: f64 = 1e-9;

/// Returns true only if at most `most` of the points are corners of their convex hull.
pub(super) fn are_mostly_inside(points: &[DVec3], most: usize) -> bool {
    if points.len() <= most {
        return true;
    }
    let Ok(inner) = Hull::new(&farthest(points)) else { return false };
    if inner.dimension() < 3 || !inner.is_exact() {
        return false;
    }
    let size = points.iter().fold(0.0, |size: f64, point| size.max(point.abs().max_element())); // not a bound: it steers
    let planes: Vec<(DVec3, f64)> = inner
        .faces()
        .iter()
        .map(|face| {
            let [a, b, c] = face.map(|v| inner.vertices()[v as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            (normal, normal.dot(a) - MARGIN * size)
        })
        .collect();
    let mut needed = points.len() - most;
    for (k, point) in points.iter().enumerate() {
        needed -= usize::from(planes.iter().all(|(normal, height)| normal.dot(*point) < *height));
        if needed == 0 {
            return true;
        }
        if points.len() - 1 - k < needed {
            break;
        }
    }
    false
}

/// The farthest points along all directions with coordinates from -2 to 2.
fn farthest(points: &[DVec3]) -> Vec<DVec3> {
    let numbers = || -2..=2_i32;
    let all = numbers().flat_map(|x| numbers().flat_map(move |y| numbers().map(move |z| [x, y, z])));
    let is_first = |[x, y, z]: &[i32; 3]| {
        let is_half = [x, y, z].into_iter().any(|c| c % 2 != 0);
        // Of two opposite ones the first.
        is_half && [*x, *y, *z] > [0, 0, 0]
    };
    let mut found = Vec::new();
    for [x, y, z] in all.filter(is_first) {
        let direction = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
        let heights = points.iter().map(|point| point.dot(direction));
        let mut ends = [(f64::INFINITY, 0), (f64::NEG_INFINITY, 0)];
        for (i, height) in heights.enumerate() {
            ends[0] = if height < ends[0].0 { (height, i) } else { ends[0] };
            ends[1] = if height > ends[1].0 { (height, i) } else { ends[1] };
        }
        found.extend(ends.map(|(_, i)| points[i]));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points on a sphere, and others inside of it: it is known that the others are no corners, and nothing more is claimed.
    #[test]
    fn what_is_claimed_is_what_the_hull_says() {
        let mut state = 7_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut claimed = [0; 2];
        for round in 0..200 {
            let outside = 50 + round;
            let points: Vec<DVec3> = (0..600)
                .map(|i| {
                    let point = DVec3::new(unit(), unit(), unit()).normalize_or(DVec3::X);
                    if i < outside { point } else { point * 0.98 * unit().abs() }
                })
                .collect();
            let corners = Hull::new(&points).unwrap().vertices().len();
            for most in [corners - 1, corners, corners + 20, 400, 599, 600] {
                let is_claimed = are_mostly_inside(&points, most);
                assert!(!is_claimed || corners <= most, "{round}: {corners} {most}");
                claimed[usize::from(is_claimed)] += 1;
            }
        }
        assert!(claimed[0] > 200 && claimed[1] > 400, "{claimed:?}");
        assert!(!are_mostly_inside(&[DVec3::X; 20], 3), "a point has no inside");
    }
}
