//! The convex polygon spanned by points that lie exactly in one plane.
//!
//! 1. Drop the coordinate along which the plane's normal is largest. Dropping a coordinate is exact, and a plane that
//!    is not parallel to the dropped axis is mapped one to one, so the hull of the projection is the projection of
//!    the hull.
//! 2. Sort the projected points lexicographically and build the lower and the upper chain (Andrew's monotone chain),
//!    popping every middle point that is not a strict left turn.
//!
//! **Guarantee.** Exact. All turns are decided by `robust::orient2d`; points inside an edge or equal to a corner are
//! dropped, so only the extreme points remain. The caller keeps the coordinates in the range in which the predicates
//! are exact (see `quickhull`).
//!
//! Reference: A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979.

use robust::{Coord, Coord3D, orient2d};

/// Returns the corners of the hull of `members`, counter-clockwise as seen from the side from which the corners of
/// `triangle` run counter-clockwise. All of `members` must lie in the plane of `triangle`, which must not be
/// degenerate.
pub(super) fn convex_polygon(points: &[Coord3D<f64>], triangle: [u32; 3], members: &mut [u32]) -> Vec<u32> {
    let shadows = triangle_shadows(triangle.map(|i| points[i as usize]));
    let axis =
        (1..3).fold(0, |best, axis| if shadows[axis].abs() > shadows[best].abs() { axis } else { best });
    let shadow = |i: u32| drop_axis(points[i as usize], axis);

    members.sort_unstable_by(|&i, &j| {
        let (p, q) = (shadow(i), shadow(j));
        p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y))
    });
    let mut polygon: Vec<u32> = Vec::with_capacity(members.len() + 1);
    let push = |polygon: &mut Vec<u32>, floor: usize, i: u32| {
        while let [.., a, b] = polygon[floor..]
            && orient2d(shadow(a), shadow(b), shadow(i)) <= 0.0
        {
            polygon.pop();
        }
        polygon.push(i);
    };
    for &i in members.iter() {
        push(&mut polygon, 0, i);
    }
    let floor = polygon.len() - 1;
    for &i in members.iter().rev().skip(1) {
        push(&mut polygon, floor, i);
    }
    polygon.pop(); // the first point once more
    if shadows[axis] < 0.0 {
        polygon.reverse();
    }
    polygon
}

/// Returns twice the signed areas of the triangle's projections along x, y and z. All three are zero exactly if the
/// three points are collinear; a positive one preserves the orientation of the triangle.
pub(super) fn triangle_shadows([a, b, c]: [Coord3D<f64>; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| orient2d(drop_axis(a, axis), drop_axis(b, axis), drop_axis(c, axis)))
}

/// Returns the projection along one axis, in cyclic order so that it preserves the orientation.
fn drop_axis(p: Coord3D<f64>, axis: usize) -> Coord<f64> {
    match axis {
        0 => Coord { x: p.y, y: p.z },
        1 => Coord { x: p.z, y: p.x },
        _ => Coord { x: p.x, y: p.y },
    }
}
