//! Splits polygons into triangles.
//!
//! Problem: file formats allow faces with any number of corners. The library wants triangles whose union covers the
//! face and little more.
//!
//! Method, per polygon:
//! 1. Three corners: the triangle itself.
//! 2. Project along the largest component of the area vector (Newell's sum of cross products).
//! 3. All corners turn the same way: a fan from the first corner.
//! 4. Otherwise clip ears: a corner that turns the right way and whose triangle holds no other corner is cut
//!    off, until three corners are left.
//! 5. If no ear is left (self-crossing or collinear remains), too many ears were tried, there are more than
//!    [`LONGEST_CLIPPED`] corners, or coordinates are so large that the projection overflows: a fan over the remaining
//!    corners.
//!
//! Guarantee: the triangles cover a planar face, regardless of rounding in the tests above. Cutting the corner b off a
//! ring ..a,b,c.. splits its winding number, as a function of the point in the plane, into the winding number of the
//! triangle abc and the winding number of the ring without b. The triangles' signed windings therefore always sum to
//! the ring's; where the ring's is not zero, at least one triangle's is not zero either. A wrong test can only make a
//! triangle reach outside the face (a false touch, never a missed one).
//!
//! A face whose corners are not in one plane has no surface that the formats define; it is replaced by the
//! triangles over its corners.
//!
//! Reference: the ear-cutting theorem is Meisters, "Polygons have ears", 1975.

use glam::{DVec2, DVec3};

/// Beyond this a fan is used. Faces of CAD exports stay far below.
const LONGEST_CLIPPED: usize = 512;

/// The number of corners that are tried, per corner of the polygon, before the rest becomes a fan: real faces need two
/// or three. The limit keeps the time of a hostile file quadratic in the length of its faces instead of cubic.
const TRIES_PER_CORNER: usize = 32;

/// Polygons in the order of the file, to be split once all positions are known.
#[derive(Default)]
pub(crate) struct Polygons {
    /// The triangles before the first other polygon.
    triangles: Vec<[u32; 3]>,
    corners: Vec<u32>,
    ends: Vec<usize>,
}

impl Polygons {
    pub(crate) fn push(&mut self, corners: &[u32]) {
        match *corners {
            [a, b, c] if self.ends.is_empty() => self.triangles.push([a, b, c]),
            _ => {
                self.corners.extend_from_slice(corners);
                self.ends.push(self.corners.len());
            }
        }
    }

    /// Reserves room for this many triangles.
    pub(crate) fn reserve_triangles(&mut self, count: usize) {
        if self.ends.is_empty() {
            self.triangles.reserve(count);
        }
    }

    /// Appends the triangles, in the order of the polygons. All corners must be valid indices.
    pub(crate) fn triangulate(self, positions: &[DVec3]) -> Vec<[u32; 3]> {
        let mut triangles = self.triangles;
        triangles.reserve(self.ends.len());
        let mut start = 0;
        for &end in &self.ends {
            triangulate(&self.corners[start..end], positions, &mut triangles);
            start = end;
        }
        triangles
    }
}

/// Appends the triangles of one polygon; with fewer than three corners it has none.
pub(crate) fn triangulate(ring: &[u32], positions: &[DVec3], triangles: &mut Vec<[u32; 3]>) {
    if ring.len() <= 3 || ring.len() > LONGEST_CLIPPED {
        return fan(ring, triangles);
    }
    let corners: Vec<DVec3> = ring.iter().map(|&i| positions[i as usize]).collect();
    let flat = project(&corners);
    let n = ring.len();
    let convex = (0..n).all(|i| turn(flat[i], flat[(i + 1) % n], flat[(i + 2) % n]) >= 0.0);
    if convex {
        return fan(ring, triangles);
    }

    let mut left: Vec<usize> = (0..n).collect();
    let mut at = 0;
    let mut refused = 0;
    let mut tries = TRIES_PER_CORNER * n;
    while left.len() > 3 && refused < left.len() && tries > 0 {
        tries -= 1;
        let m = left.len();
        let (a, b, c) = (left[(at + m - 1) % m], left[at % m], left[(at + 1) % m]);
        if is_ear(a, b, c, &left, &flat) {
            triangles.push([ring[a], ring[b], ring[c]]);
            left.remove(at % m);
            at %= m - 1;
            refused = 0;
        } else {
            at = (at + 1) % m;
            refused += 1;
        }
    }
    let rest: Vec<u32> = left.iter().map(|&i| ring[i]).collect();
    fan(&rest, triangles);
}

fn fan(ring: &[u32], triangles: &mut Vec<[u32; 3]>) {
    triangles.extend((2..ring.len()).map(|i| [ring[0], ring[i - 1], ring[i]]));
}

/// Returns the corners in the coordinate plane most nearly parallel to the polygon, turning counterclockwise.
fn project(corners: &[DVec3]) -> Vec<DVec2> {
    let origin = corners[0];
    let area: DVec3 = corners.windows(2).map(|w| (w[0] - origin).cross(w[1] - origin)).sum();
    let size = area.abs();
    let (u, v, sign) = if size.x >= size.y && size.x >= size.z {
        (1, 2, area.x)
    } else if size.y >= size.z {
        (2, 0, area.y)
    } else {
        (0, 1, area.z)
    };
    let flip = if sign < 0.0 { -1.0 } else { 1.0 };
    corners.iter().map(|p| DVec2::new(p[u] - origin[u], flip * (p[v] - origin[v]))).collect()
}

/// Returns twice the signed area: positive for a left turn.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

fn is_ear(a: usize, b: usize, c: usize, left: &[usize], flat: &[DVec2]) -> bool {
    let (pa, pb, pc) = (flat[a], flat[b], flat[c]);
    let convex = turn(pa, pb, pc) > 0.0;
    // Corners at the very place of a, b or c (keyholes around a hole) do not spoil an ear.
    convex
        && left.iter().map(|&i| flat[i]).all(|p| {
            p == pa
                || p == pb
                || p == pc
                || turn(pa, pb, p) < 0.0
                || turn(pb, pc, p) < 0.0
                || turn(pc, pa, p) < 0.0
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the sum of the triangles' unsigned areas, which equals the polygon's only if no triangle sticks out.
    fn covered(points: &[[f64; 2]], axis: usize) -> (usize, f64) {
        let positions: Vec<DVec3> = points
            .iter()
            .map(|p| match axis {
                0 => DVec3::new(5.0, p[0], p[1]),
                1 => DVec3::new(p[1], 5.0, p[0]),
                _ => DVec3::new(p[0], p[1], 5.0),
            })
            .collect();
        let ring: Vec<u32> = (0..points.len() as u32).collect();
        let mut triangles = Vec::new();
        triangulate(&ring, &positions, &mut triangles);
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| positions[i as usize]);
            (b - a).cross(c - a).length() / 2.0
        };
        (triangles.len(), triangles.iter().map(area).sum())
    }

    #[test]
    fn area_is_kept_in_every_plane_and_orientation() {
        let check = |points: &[[f64; 2]], area: f64| {
            let reversed: Vec<_> = points.iter().rev().copied().collect();
            for axis in 0..3 {
                for start in 0..points.len() {
                    for list in [points, &reversed] {
                        let mut list = list.to_vec();
                        list.rotate_left(start);
                        assert_eq!(covered(&list, axis), (points.len() - 2, area), "axis {axis} {list:?}");
                    }
                }
            }
        };
        check(&[[0., 0.], [2., 0.], [2., 2.], [0., 2.]], 4.0);
        check(&[[0., 0.], [4., 0.], [1., 1.], [0., 4.]], 4.0); // dart: a fan from corner 0 would do, from 1 not
        check(&[[0., 0.], [4., 0.], [4., 4.], [3., 4.], [3., 1.], [1., 1.], [1., 4.], [0., 4.]], 10.0); // a U
        check(&[[0., 0.], [2., 0.], [4., 0.], [4., 4.], [2., 1.]], 6.0); // one corner on a straight side
    }

    #[test]
    fn hopeless_rings_still_give_their_triangles() {
        assert_eq!(covered(&[[0., 0.], [1., 1.], [2., 2.], [3., 3.]], 2), (2, 0.0));
        assert_eq!(covered(&[[0., 0.], [1., 1.], [1., 0.], [0., 1.]], 2).0, 2); // crosses itself
        assert_eq!(covered(&[[0., 0.], [1e308, -1e308], [-1e308, 1e308], [1e308, 1e308], [0., 1.]], 2).0, 3);
        let many: Vec<[f64; 2]> = (0..5000).map(|i| [i as f64, ((i * 7919) % 13) as f64]).collect();
        assert_eq!(covered(&many, 2).0, 4998);
    }
}
