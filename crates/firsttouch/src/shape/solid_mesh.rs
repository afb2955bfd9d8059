//! A closed mesh with its inside, and an exact test of points against it.
//!
//! # Closed
//! Corners at one place are one vertex, even with different indices (an STL file has none). A mesh is closed if every
//! edge belongs to an even number of triangles; edges whose ends are one vertex do not count. Consider the rays from a
//! point that meet no edge. All of them pass through the same number of triangles, modulo 2: the *parity* of the point.
//!
//! If moreover the triangles pass every edge as often in one direction as in the other, all rays agree on a second
//! number: the triangles that they pass outwards, less the triangles that they pass inwards. This is the *winding
//! number*.
//!
//! If the mesh has winding numbers, a point is inside if its winding number is not zero. Otherwise, it is inside if its
//! parity is odd. In an overlap of two shells of one mesh, the winding number is 2 and the parity even: parity would
//! take the overlap for a hole. A shell within a shell is a hole if it is turned inside out, as it is in files that
//! describe a hole.
//!
//! # The test
//! 1. The ray from the point `q` runs along +x. A triangle is hit if its projection to the plane of y and z contains
//!    the projection of `q`.
//! 2. Degenerate positions are excluded by a symbolic move of `q` to `(y + δ, z + ε)` with infinitesimal `δ` and `ε`,
//!    `ε` much the smaller one. An edge with ends `a` and `b` passes the height of `q` if one of them is above it,
//!    where a vertex at the same height is not above. An orientation test of the lower end, the upper end and `q` tells
//!    if the edge is to the right of `q`. If it is zero, `δ` decides, in the same way for every edge. The triangle is
//!    hit if one or three of its edges are. Both answers depend on the edge alone and not on its triangle, so that
//!    triangles with a common edge agree.
//! 3. An orientation test in space tells if a triangle that is hit lies in front of `q`. If `q` is in the triangle's
//!    plane, it is on the closed triangle, because its projection is in the closed projection: it is on the surface.
//! 4. The tree of the mesh tells which triangles may be hit.
//!
//! All orientations are exact ([`predicates`](crate::numerics::predicates)), so the answer is exact for the given `f64`
//! numbers.
//!
//! Reference: Edelsbrunner, Mücke 1990 (simulation of simplicity).

use std::cmp::Ordering;
use std::collections::HashMap;

use glam::{DVec2, DVec3};
use smallvec::SmallVec;

use super::mesh::Mesh;
use crate::error::{Error, Result};
use crate::numerics::bound::exceeds;
use crate::numerics::predicates::{orient2d, orient3d, point_in_triangle};
use crate::numerics::rounding::{TINY_LENGTH, UNIT};

/// A closed mesh with its inside.
///
/// ```
/// use firsttouch::glam::DVec3;
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::{Mesh, Shape, SolidMesh, Sphere};
/// use firsttouch::{Answer, Options, first_touch};
/// // A tetrahedron of size 9, and a ball of radius 0.1 inside of it.
/// let corners = vec![DVec3::ZERO, DVec3::X * 9.0, DVec3::Y * 9.0, DVec3::Z * 9.0];
/// let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
/// let (surface, ball) = (Mesh::new(corners, faces)?, Shape::from(Sphere::new(0.1)?));
/// let inside = Motion::fixed(Pose::from_translation(DVec3::ONE)?);
/// let check = |shape: &Shape| first_touch((shape, &Motion::AT_REST), (&ball, &inside), &Options::default());
/// assert_eq!(check(&surface.clone().into())?, Answer::Free);
/// assert!(matches!(check(&SolidMesh::new(surface.clone())?.into())?, Answer::TouchingAtStart(_)));
///
/// // Without its last face the mesh has no inside.
/// let open = Mesh::new(surface.vertices().to_vec(), surface.triangles()[..3].to_vec())?;
/// let refused = SolidMesh::new(open).unwrap_err().to_string();
/// assert!(refused.contains("3 open edges") && refused.contains("from vertex 1 to vertex 2"), "{refused}");
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SolidMesh {
    mesh: Mesh,
    is_oriented: bool,
}

/// Two solid meshes are equal if their meshes are.
impl PartialEq for SolidMesh {
    fn eq(&self, other: &SolidMesh) -> bool {
        self.mesh == other.mesh
    }
}

/// The place of a point relative to a solid mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointPlace {
    /// Outside of the solid.
    Outside,
    /// On a triangle, which may be the border of the inside or lie within it.
    OnSurface,
    /// Inside.
    Inside,
}

/// The most open edges that the error names.
const MOST_NAMED: usize = 4;

impl SolidMesh {
    /// Creates a solid from a closed mesh. Returns an error that names the open edges of any other.
    pub fn new(mesh: Mesh) -> Result<SolidMesh> {
        let mut known: HashMap<[u64; 3], u32> = HashMap::new();
        // -0.0 and 0.0 are one place.
        let place = |v: DVec3| v.to_array().map(|x| if x == 0.0 { 0 } else { x.to_bits() });
        let welded: Vec<u32> = (0_u32..)
            .zip(mesh.vertices())
            .map(|(k, &vertex)| *known.entry(place(vertex)).or_insert(k))
            .collect();
        // For every edge, from its lower end to its upper one: the number of triangles that pass it upwards, and
        // downwards.
        let mut edges: HashMap<[u32; 2], [u32; 2]> = HashMap::new();
        for triangle in mesh.triangles() {
            let corners = triangle.map(|v| welded[v as usize]);
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                match a.cmp(&b) {
                    Ordering::Less => edges.entry([a, b]).or_default()[0] += 1,
                    Ordering::Greater => edges.entry([b, a]).or_default()[1] += 1,
                    Ordering::Equal => {}
                }
            }
        }
        let mut open: Vec<[u32; 2]> =
            edges.iter().filter(|(_, [up, down])| (up + down) % 2 == 1).map(|(edge, _)| *edge).collect();
        if !open.is_empty() {
            open.sort_unstable();
            return Err(Error::Unsupported { what: refusal(&mesh, &open) });
        }
        let is_oriented = edges.values().all(|[up, down]| up == down);
        Ok(SolidMesh { mesh, is_oriented })
    }

    /// Returns the surface.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Returns the place of a point, decided exactly.
    ///
    /// ```
    /// use firsttouch::shape::{Mesh, PointPlace, SolidMesh};
    /// use glam::DVec3;
    /// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let solid = SolidMesh::new(Mesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?)?;
    /// assert_eq!(solid.place_of(DVec3::splat(0.25)), PointPlace::Inside);
    /// assert_eq!(solid.place_of(DVec3::splat(0.34)), PointPlace::Outside);
    /// assert_eq!(solid.place_of(DVec3::X), PointPlace::OnSurface);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn place_of(&self, point: DVec3) -> PointPlace {
        self.located(point).0
    }

    /// Returns the place of a point, and a leaf of the tree: a triangle that the point is on, or else one that the ray
    /// from it hits.
    pub(crate) fn located(&self, point: DVec3) -> (PointPlace, u32) {
        if !point.is_finite() {
            return (PointPlace::OnSurface, self.first_leaf());
        }
        let tree = self.mesh.tree();
        let (mut winding, mut parity, mut hit) = (0_i64, 0_u64, None);
        let mut open: SmallVec<[u32; 64]> = SmallVec::new();
        open.push(0);
        while let Some(node) = open.pop() {
            if self.is_beside_ray(node, point) {
                continue;
            }
            match tree.node(node).children() {
                Some(children) => open.extend(children),
                None => {
                    let corners = *self.mesh.triangle(tree.node(node).triangle()).corners();
                    match crossing(corners, point) {
                        Crossing::None => {}
                        Crossing::OnTriangle => return (PointPlace::OnSurface, node),
                        Crossing::Through(direction) => {
                            (winding, parity) = (winding + direction, parity + 1);
                            hit = Some(node);
                        }
                    }
                }
            }
        }
        let is_inside = if self.is_oriented { winding != 0 } else { parity % 2 == 1 };
        let place = if is_inside { PointPlace::Inside } else { PointPlace::Outside };
        (place, hit.unwrap_or_else(|| self.first_leaf()))
    }

    fn first_leaf(&self) -> u32 {
        let mut node = 0;
        while let Some([left, _]) = self.mesh.tree().node(node).children() {
            node = left;
        }
        node
    }

    /// Returns true if the box of a node is certainly beside the ray or behind its point.
    fn is_beside_ray(&self, node: u32, q: DVec3) -> bool {
        let volume = self.mesh.tree().volume(node);
        // The support function of a node is off by at most 16u of its reach.
        let off = 32.0 * UNIT * volume.bounds().reach + TINY_LENGTH;
        let beyond = |direction: DVec3, at: f64| exceeds(at - volume.extent(direction), off);
        beyond(DVec3::X, q.x)
            || beyond(DVec3::Y, q.y)
            || beyond(DVec3::NEG_Y, -q.y)
            || beyond(DVec3::Z, q.z)
            || beyond(DVec3::NEG_Z, -q.z)
    }

    /// Returns true if a ball certainly does not meet the surface.
    pub(crate) fn is_clear(&self, center: DVec3, radius: f64) -> bool {
        let tree = self.mesh.tree();
        let mut open: SmallVec<[u32; 64]> = SmallVec::new();
        open.push(0);
        while let Some(node) = open.pop() {
            let volume = tree.volume(node);
            let away = volume.bounds().way_out(center).normalize_or_zero();
            // A lower bound of the distance for any unit vector: 64u of the sizes cover the roundings of `convex`.
            let off = 64.0 * UNIT * (volume.bounds().reach + center.length() + radius) + TINY_LENGTH;
            let distance = away.dot(center) - volume.extent(away) - off;
            if away != DVec3::ZERO && exceeds(distance, radius) {
                continue;
            }
            match tree.node(node).children() {
                Some(children) => open.extend(children),
                None => return false,
            }
        }
        true
    }
}

fn refusal(mesh: &Mesh, open: &[[u32; 2]]) -> String {
    let name = |&[a, b]: &[u32; 2]| {
        let at = |v: u32| {
            let [x, y, z] = mesh.vertices()[v as usize].to_array();
            format!("vertex {v} ({x}, {y}, {z})")
        };
        // Both ends, first by their numbers for lookup, then by their places.
        format!("from vertex {a} to vertex {b}, that is {} to {}", at(a), at(b))
    };
    let named: Vec<String> = open.iter().take(MOST_NAMED).map(name).collect();
    let rest = if open.len() > MOST_NAMED { ", ..." } else { "" };
    let edges = if open.len() == 1 { "edge" } else { "edges" };
    format!(
        "a mesh that is not closed as a solid; it has {} open {edges}: {}{rest}",
        open.len(),
        named.join("; ")
    )
}

enum Crossing {
    None,
    OnTriangle,
    /// Outwards, 1, or inwards, -1, by the order of the corners.
    Through(i64),
}

/// Returns the passage of the ray from `q` along +x through a triangle.
fn crossing([a, b, c]: [DVec3; 3], q: DVec3) -> Crossing {
    let crosses = |p: DVec3, r: DVec3| {
        if (p.z > q.z) == (r.z > q.z) {
            return false;
        }
        let (low, high) = if p.z > q.z { (r, p) } else { (p, r) };
        let [low, high, at] = [low, high, q].map(|v| DVec2::new(v.y, v.z));
        // Counterclockwise: the edge is to the right of the point, that is at larger y. A point that is on the edge
        // moves to larger y by δ, and then the edge is to its left.
        orient2d(low, high, at).is_gt()
    };
    // A point on the outline of the projection is on the triangle and need not be hit.
    let (low, high) = (a.min(b).min(c), a.max(b).max(c)); // coordinates are finite
    if q.cmpge(low).all() && q.cmple(high).all() && point_in_triangle(q, [a, b, c]) {
        return Crossing::OnTriangle;
    }
    if !(crosses(a, b) ^ crosses(b, c) ^ crosses(c, a)) {
        return Crossing::None;
    }
    // The projection has an area, since it contains a point in general position.
    let facing = orient2d(DVec2::new(a.y, a.z), DVec2::new(b.y, b.z), DVec2::new(c.y, c.z));
    let side = orient3d(a, b, c, q);
    // `orient3d` is positive for a point below the plane of a, b, c, seen such that they turn counterclockwise. If they
    // turn so in the plane of y and z, seen from +x, "below" means smaller x: the triangle is in front of the point.
    match (side, facing) {
        // The closed projection of the triangle contains that of the point.
        (Ordering::Equal, _) => Crossing::OnTriangle,
        (Ordering::Greater, Ordering::Greater) => Crossing::Through(1),
        (Ordering::Less, Ordering::Less) => Crossing::Through(-1),
        _ => Crossing::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a box from one corner to another, as 12 triangles, outwards.
    fn cuboid(low: DVec3, high: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let corner = |k: u32| {
            let side = |bit: usize| if k >> bit & 1 == 1 { high[bit] } else { low[bit] };
            DVec3::new(side(0), side(1), side(2))
        };
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        ((0..8).map(corner).collect(), triangles)
    }

    fn joined(parts: &[(Vec<DVec3>, Vec<[u32; 3]>)]) -> Mesh {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (of_part, faces) in parts {
            let first = vertices.len() as u32;
            vertices.extend(of_part);
            triangles.extend(faces.iter().map(|face| face.map(|v| v + first)));
        }
        Mesh::new(vertices, triangles).unwrap()
    }

    fn turned((vertices, triangles): (Vec<DVec3>, Vec<[u32; 3]>)) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        (vertices, triangles.iter().map(|&[a, b, c]| [a, c, b]).collect())
    }

    /// All points of a grid, many of them level with edges and vertices or on them, against the definition of a box.
    #[test]
    fn a_box_contains_what_is_between_its_sides() {
        let solid = SolidMesh::new(joined(&[cuboid(DVec3::ZERO, DVec3::new(4.0, 2.0, 3.0))])).unwrap();
        let mut counts = [0; 3];
        for x in -2..=10 {
            for y in -2..=6 {
                for z in -2..=8 {
                    let q = 0.5 * DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                    let high = DVec3::new(4.0, 2.0, 3.0);
                    let expected = if q.cmpgt(DVec3::ZERO).all() && q.cmplt(high).all() {
                        PointPlace::Inside
                    } else if q.cmpge(DVec3::ZERO).all() && q.cmple(high).all() {
                        PointPlace::OnSurface
                    } else {
                        PointPlace::Outside
                    };
                    assert_eq!(solid.place_of(q), expected, "{q}");
                    counts[expected as usize] += 1;
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 90), "{counts:?}");
    }

    /// One ulp inside and outside of each face.
    #[test]
    fn one_rounding_decides() {
        let (low, high) = (DVec3::new(0.1, 0.2, 0.3), DVec3::new(0.7, 0.9, 1.1));
        let solid = SolidMesh::new(joined(&[cuboid(low, high)])).unwrap();
        let middle = 0.5 * (low + high);
        for axis in 0..3 {
            for (face, inward) in [(low[axis], 1.0), (high[axis], -1.0)] {
                let mut q = middle;
                let next = |up: bool| if up { face.next_up() } else { face.next_down() };
                q[axis] = face;
                assert_eq!(solid.place_of(q), PointPlace::OnSurface);
                q[axis] = next(inward > 0.0);
                assert_eq!(solid.place_of(q), PointPlace::Inside);
                q[axis] = next(inward < 0.0);
                assert_eq!(solid.place_of(q), PointPlace::Outside);
            }
        }
    }

    /// Two boxes that overlap are full where they do; a box within another that is turned inside out is a hole; and a
    /// mesh without an orientation has its parity.
    #[test]
    fn shells_overlap_and_enclose() {
        let big = || cuboid(DVec3::ZERO, DVec3::splat(4.0));
        let small = || cuboid(DVec3::ONE, DVec3::splat(3.0));
        let beside = || cuboid(DVec3::splat(3.0), DVec3::splat(6.0));
        let middle = DVec3::splat(2.1);
        let place = |parts: &[_], q: DVec3| SolidMesh::new(joined(parts)).unwrap().place_of(q);
        assert_eq!(place(&[big(), beside()], DVec3::splat(3.5)), PointPlace::Inside);
        assert_eq!(place(&[big(), turned(small())], middle), PointPlace::Outside);
        assert_eq!(place(&[big(), small()], middle), PointPlace::Inside);
        assert_eq!(place(&[big(), turned(small())], DVec3::splat(0.5)), PointPlace::Inside);
        // One face turned: no orientation, so parity.
        let mut twisted = big();
        twisted.1[0].swap(1, 2);
        assert_eq!(place(&[twisted.clone()], middle), PointPlace::Inside);
        assert_eq!(place(&[twisted, small()], middle), PointPlace::Outside);
    }

    /// Corners are given once per triangle, as in an STL file, with zeros of both signs.
    #[test]
    fn corners_at_one_place_are_one() {
        let (vertices, triangles) = cuboid(DVec3::ZERO, DVec3::ONE);
        let mut loose: Vec<DVec3> = triangles.iter().flatten().map(|&v| vertices[v as usize]).collect();
        for vertex in loose.iter_mut().step_by(2) {
            *vertex = vertex.map(|x| if x == 0.0 { -0.0 } else { x });
        }
        let triangles = (0..12).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let solid = SolidMesh::new(Mesh::new(loose, triangles).unwrap()).unwrap();
        assert!(solid.is_oriented);
        assert_eq!(solid.place_of(DVec3::splat(0.5)), PointPlace::Inside);
    }
}
