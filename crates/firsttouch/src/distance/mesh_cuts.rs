//! The corners of a part of a mesh: its triangles, cut by planes across the axes.
//!
//! 1. A triangle with all corners on the kept side of every plane is kept. A triangle beyond one of the planes is
//!    dropped. Most triangles are of one of these kinds.
//! 2. The others are cut by one plane after the other. The side of a corner is decided exactly; the corner where an
//!    edge crosses a plane is rounded, and stays within the box of the edge.
//! 3. A part stores the triangles that it keeps and those that it cuts. A further plane examines only these: further
//!    planes never restore a dropped triangle, and a cut triangle stays cut.
//!
//! **Guarantee.** Let a further plane divide a part in two. Every point of the part, as its rounded corners span it, is
//! in one of the two halves, up to the rounding of the new corners. So if each of many cuts is off by `e`, a point of
//! the mesh is within `e` times the number of cuts of one of the parts. For this, rule 1 must drop only triangles of
//! which rule 2 would leave no part. It does: corners stay within the box of their triangle, so the corners of a
//! triangle beyond a plane are also beyond it.

use glam::DVec3;
use smallvec::SmallVec;

use crate::shape::Mesh;

/// One side of a plane across an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cut {
    pub(super) axis: usize,
    pub(super) middle: f64,
    /// 1 for the side below `middle`, -1 for the side above it. The plane belongs to both.
    pub(super) sign: f64,
}

impl Cut {
    #[inline]
    fn keeps(&self, point: DVec3) -> bool {
        self.sign * point[self.axis] <= self.sign * self.middle
    }
}

/// The triangles of a part of a mesh, in the order of the mesh.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PartTriangles {
    /// The triangles that no plane cuts.
    whole: Box<[u32]>,
    /// The triangles that at least one plane cuts. Some of them may have no part left.
    cut: Box<[u32]>,
}

impl PartTriangles {
    /// Returns all triangles of a mesh, before any cut.
    pub(super) fn all(mesh: &Mesh) -> PartTriangles {
        PartTriangles { whole: (0..mesh.triangles().len() as u32).collect(), cut: Box::default() }
    }

    /// Returns the triangles of the part on one side of a further plane.
    pub(super) fn divided(&self, mesh: &Mesh, cut: &Cut) -> PartTriangles {
        let kept = |triangle: u32| {
            let corners = mesh.triangles()[triangle as usize];
            corners.map(|v| usize::from(cut.keeps(mesh.vertices()[v as usize]))).into_iter().sum::<usize>()
        };
        let (mut whole, mut partly) = (Vec::new(), Vec::new());
        for &triangle in &self.whole {
            match kept(triangle) {
                0 => {}
                3 => whole.push(triangle),
                _ => partly.push(triangle),
            }
        }
        partly.extend(self.cut.iter().copied().filter(|&triangle| kept(triangle) > 0));
        PartTriangles { whole: whole.into(), cut: partly.into() }
    }
}

/// Returns the corners of a part of a mesh, each corner once: vertices first, then corners of the cuts. The triangles
/// must be those that the cuts leave.
pub(super) fn corners_within(mesh: &Mesh, triangles: &PartTriangles, cuts: &[Cut]) -> Vec<DVec3> {
    let mut is_within = vec![false; mesh.vertices().len()];
    let mut crossings: Vec<DVec3> = Vec::new();
    for &triangle in &triangles.whole {
        mesh.triangles()[triangle as usize].iter().for_each(|&v| is_within[v as usize] = true);
    }
    for &triangle in &triangles.cut {
        let corner = |v: u32| PolygonCorner { at: mesh.vertices()[v as usize], vertex: Some(v) };
        let mut polygon: Polygon = mesh.triangles()[triangle as usize].map(corner).into_iter().collect();
        for cut in cuts {
            // Most planes cut few of the triangles.
            if !polygon.iter().all(|corner| cut.keeps(corner.at)) {
                polygon = divided(&polygon, cut);
            }
        }
        for PolygonCorner { at, vertex } in polygon {
            match vertex {
                Some(vertex) => is_within[vertex as usize] = true,
                None => crossings.push(at),
            }
        }
    }
    crossings.sort_unstable_by(|p, q| {
        p.x.total_cmp(&q.x).then_with(|| p.y.total_cmp(&q.y)).then_with(|| p.z.total_cmp(&q.z))
    });
    crossings.dedup();
    let vertices = mesh.vertices().iter().zip(&is_within).filter(|(_, is_within)| **is_within);
    vertices.map(|(vertex, _)| *vertex).chain(crossings).collect()
}

/// A triangle, or a part cut from one.
type Polygon = SmallVec<[PolygonCorner; 5]>;

/// A corner of a polygon, and its vertex, unless it is the corner of a cut.
#[derive(Debug, Clone, Copy)]
struct PolygonCorner {
    at: DVec3,
    vertex: Option<u32>,
}

/// Returns the part of a convex polygon on one side of a plane.
fn divided(polygon: &Polygon, cut: &Cut) -> Polygon {
    let mut part = Polygon::new();
    for (i, corner) in polygon.iter().enumerate() {
        let next = &polygon[(i + 1) % polygon.len()];
        if cut.keeps(corner.at) {
            part.push(*corner);
        }
        if cut.keeps(corner.at) != cut.keeps(next.at) {
            part.push(PolygonCorner { at: crossing([corner.at, next.at], cut), vertex: None });
        }
    }
    part
}

/// Returns the point where an edge crosses a plane, in the box of the edge. The exact point is in that box, so moving a
/// rounded one into it brings them closer. Its coordinates have at most 16 roundings of the size of the edge's.
fn crossing([p, q]: [DVec3; 2], cut: &Cut) -> DVec3 {
    let along = (cut.middle - p[cut.axis]) / (q[cut.axis] - p[cut.axis]);
    let mut crossing = (p + (q - p) * along).clamp(p.min(q), p.max(q)); // not a bound: vertices are finite
    crossing[cut.axis] = cut.middle;
    crossing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Planes next to a vertex: there the rounded sum `p + (q - p)` is not `q`, and would leave the box of the edge.
    /// Take a triangle that is wholly beyond another plane by less than that rounding. It would be dropped on one side
    /// of that plane and cut on the other side, and a long piece of it would belong to neither.
    #[test]
    fn corners_of_cuts_stay_in_the_box_of_their_edge() {
        let state = &mut 29;
        let mut would_leave = 0;
        for _ in 0..2000 {
            let p = DVec3::new(unit(state), unit(state), unit(state));
            let q = DVec3::new(unit(state), unit(state), unit(state)) * 0.3;
            let middle = if q.x < p.x { q.x.next_up() } else { q.x.next_down() };
            let cut = Cut { axis: 0, middle, sign: 1.0 };
            let (low, high) = (p.min(q), p.max(q));
            let is_in_box = |point: DVec3| low.cmple(point).all() && point.cmple(high).all();
            for edge in [[p, q], [q, p]] {
                assert!(is_in_box(crossing(edge, &cut)));
            }
            let along = (middle - p.x) / (q.x - p.x);
            would_leave += usize::from(!is_in_box(p + (q - p) * along));
        }
        assert!(would_leave > 100, "{would_leave}");
    }

    /// The corners of the two sides of a plane are the corners of the whole and the corners on the plane.
    #[test]
    fn two_sides_of_a_plane() {
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(9.0, 9.0, 9.0)];
        let mesh = Mesh::new(vertices, vec![[0, 1, 2]]).unwrap();
        let corners = |cuts: &[Cut]| {
            let all = PartTriangles::all(&mesh);
            let triangles = cuts.iter().fold(all, |triangles, cut| triangles.divided(&mesh, cut));
            corners_within(&mesh, &triangles, cuts)
        };
        let side = |sign: f64| corners(&[Cut { axis: 0, middle: 0.25, sign }]);
        let on_plane = [DVec3::new(0.25, 0.0, 0.0), DVec3::new(0.25, 0.75, 0.0)];
        assert_eq!(side(1.0), [DVec3::ZERO, DVec3::Y, on_plane[0], on_plane[1]]);
        assert_eq!(side(-1.0), [DVec3::X, on_plane[0], on_plane[1]]);
        assert_eq!(corners(&[]), [DVec3::ZERO, DVec3::X, DVec3::Y]);
        assert!(corners(&[Cut { axis: 2, middle: 0.5, sign: -1.0 }]).is_empty());
    }

    /// A wall in the plane of a cut is on both sides of it. If the plane belonged to neither, the wall would be in no
    /// part of the mesh.
    #[test]
    fn what_lies_in_the_plane_is_on_both_sides() {
        let at = |x: f64, y: f64| DVec3::new(x, y, x * y);
        let vertices = vec![at(0.5, 0.0), at(0.5, 1.0), at(0.5, -1.0), at(0.0, 0.0), at(1.0, 0.0)];
        let mesh = Mesh::new(vertices, vec![[0, 1, 2], [0, 1, 3], [0, 1, 4]]).unwrap();
        for sign in [1.0, -1.0] {
            let cut = Cut { axis: 0, middle: 0.5, sign };
            let part = PartTriangles::all(&mesh).divided(&mesh, &cut);
            assert!(part.whole.contains(&0), "{part:?}");
            let corners = corners_within(&mesh, &part, &[cut]);
            assert!(mesh.vertices()[..3].iter().all(|corner| corners.contains(corner)), "{corners:?}");
        }
    }

    /// A part that is divided again has the corners that the cut by all planes together gives.
    #[test]
    fn a_part_of_a_part() {
        let state = &mut 31;
        let vertices = (0..60).map(|_| DVec3::new(unit(state), unit(state), unit(state))).collect();
        let triangles = (0..20).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = Mesh::new(vertices, triangles).unwrap();
        let cuts: Vec<Cut> = (0..4)
            .map(|k| Cut {
                axis: k % 3,
                middle: 0.3 * unit(state),
                sign: if k % 2 == 0 { 1.0 } else { -1.0 },
            })
            .collect();
        let sorted = |mut corners: Vec<DVec3>| {
            corners.sort_by(|p, q| p.to_array().partial_cmp(&q.to_array()).unwrap());
            corners.dedup();
            corners
        };
        let (mut part, mut dropped) = (PartTriangles::all(&mesh), 0);
        for depth in 1..=cuts.len() {
            part = part.divided(&mesh, &cuts[depth - 1]);
            dropped += usize::from(part.whole.len() + part.cut.len() < mesh.triangles().len());
            let mut expected = Vec::new();
            for triangle in mesh.triangles() {
                let corner = |v: u32| PolygonCorner { at: mesh.vertices()[v as usize], vertex: Some(v) };
                let whole: Polygon = triangle.map(corner).into_iter().collect();
                let left = cuts[..depth].iter().fold(whole, |polygon, cut| divided(&polygon, cut));
                expected.extend(left.iter().map(|corner| corner.at));
            }
            let corners = corners_within(&mesh, &part, &cuts[..depth]);
            assert_eq!(sorted(corners), sorted(expected), "{depth} cuts");
        }
        assert!(dropped > 1 && !part.cut.is_empty(), "{part:?}");
    }
}
