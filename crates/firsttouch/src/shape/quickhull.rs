//! The facets of the convex hull of points in space, decided exactly.
//!
//! 1. Start with a tetrahedron. Every point that strictly sees one of its faces is assigned to one such face.
//! 2. Take a face with assigned points and the one that is farthest from it, `p`. Walk from face to face over all
//!    faces that `p` strictly sees; the edges where the walk ends are the horizon.
//! 3. Replace the faces that `p` sees by the triangles from `p` to the horizon. Assign the points of the replaced
//!    faces to the new faces they see; a point that sees none of them is inside, and is dropped.
//! 4. When no assigned points remain, join neighbouring coplanar triangles into facets, and keep the corners of each
//!    facet's convex polygon.
//!
//! **Guarantee.** Exact. "Sees" means strictly above the face's plane, by `robust::orient3d`; a coplanar face is not
//! seen. This suffices for the following reasons:
//! - No new triangle is degenerate. If `p` were on the line of a horizon edge, it would be coplanar with both
//!   faces at that edge and would see neither.
//! - The faces that `p` sees are connected and their boundary passes each vertex at most once, because they are
//!   whole facets of a convex body seen from a point.
//! - Step 3 loses no point. Suppose `q` was assigned to a replaced face and sees a face `r` that stays. The faces that
//!   `q` sees are connected, so somewhere on the horizon it sees both the replaced face `d` and the kept face `r` at
//!   one edge. The new triangle's plane there is `n = αd + βr` with `α >= 0`, `β > 0` (from `n(p) = 0`, `d(p) > 0`,
//!   `r(p) <= 0`), hence `n(q) > 0`: it also sees the new triangle.
//! - The choice of the farthest point affects only the speed.
//!
//! The predicates are exact if no operation underflows or overflows: coordinates must be below 2^300 in size, and
//! integer multiples of 2^-300. Every product of three differences is then a multiple of 2^-900 and below 2^906. The
//! error bounds inside the predicates go down to 2^-106 of such a product, still a normal number.
//!
//! # Most heights need no predicate
//! Each face keeps its normal `m`, the rounded `(b − a) × (c − a) = e × f`. The height of a point `d` is `m · (d − a)`
//! up to the following errors, all of which are multiples of `u |e| |f| W`, where `W` is the sum of the sides of the
//! box around all points: 5 for the normal (two rounded differences, a product and a sum in each coordinate), and 4 for
//! the product (a difference, a product, two sums). If the computed height is farther from 0 than `16u |e| |f| W`, its
//! sign is right. Only the others, and the heights that are compared with each other, are left to the predicate.
//!
//! **Departure from the paper.** No "thick" facets. These bound the errors of rounded predicates; exact predicates have
//! no errors.
//!
//! Reference: C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The quickhull algorithm for convex hulls", 1996;
//! J. R. Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates", 1997.

use super::monotone_chain::convex_polygon;
use crate::numerics::rounding::UNIT;
use robust::{Coord3D, orient3d};

/// Returns the facets of the hull as polygons, counter-clockwise as seen from outside, without repeated or redundant
/// corners. `simplex` names four points that are not coplanar.
pub(super) fn facets(points: &[Coord3D<f64>], simplex: [u32; 4]) -> Vec<Vec<u32>> {
    let mut hull = Triangulation::tetrahedron(points, simplex);
    while let Some(face) = hull.pending.pop() {
        let apex = hull.faces[face as usize].farthest;
        if apex != NONE {
            hull.insert(face, apex);
        }
    }
    hull.merge_coplanar()
}

/// Returns the height of `d` above the plane of the triangle `abc` (times twice its area): positive on the side from
/// which the triangle appears counter-clockwise. The sign is exact.
pub(super) fn height(points: &[Coord3D<f64>], [a, b, c]: [u32; 3], d: u32) -> f64 {
    // Neighbours share corners. An exact zero costs the predicate the most time.
    if d == a || d == b || d == c {
        return 0.0;
    }
    let [a, b, c, d] = [a, b, c, d].map(|point| points[point as usize]);
    // The parts of machines have many points in planes across an axis.
    let is_shared = |[p, q, r, s]: [f64; 4]| p == q && q == r && r == s;
    if is_shared([a.x, b.x, c.x, d.x]) || is_shared([a.y, b.y, c.y, d.y]) || is_shared([a.z, b.z, c.z, d.z]) {
        return 0.0;
    }
    -orient3d(a, b, c, d)
}

const NONE: u32 = u32::MAX;

struct Face {
    corners: [u32; 3],
    plane: Plane,
    /// The faces across the edges from corner 0 to 1, 1 to 2 and 2 to 0.
    across: [u32; 3],
    /// The assigned points as a list threaded through [`Triangulation::next`], and the farthest of these points.
    first: u32,
    farthest: u32,
    farthest_height: f64,
    alive: bool,
    /// The last walk that visited this face, and true if the face was seen.
    walk: u32,
    seen: bool,
}

/// The plane of a face in floating point; see the header.
#[derive(Clone, Copy)]
struct Plane {
    corner: [f64; 3],
    normal: [f64; 3],
    error: f64,
}

impl Plane {
    fn new(points: &[Coord3D<f64>], corners: [u32; 3], width: f64) -> Plane {
        let [a, b, c] = corners.map(|corner| array(points[corner as usize]));
        let (e, f): ([f64; 3], [f64; 3]) =
            (std::array::from_fn(|i| b[i] - a[i]), std::array::from_fn(|i| c[i] - a[i]));
        let normal = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
        // A sum of sizes is at least the length. The difference from 9 to 16 covers the few roundings here.
        let size = |v: [f64; 3]| v[0].abs() + v[1].abs() + v[2].abs();
        Plane { corner: a, normal, error: 16.0 * UNIT * size(e) * size(f) * width }
    }

    /// Returns the sign of a point's height, if it is certain.
    #[inline]
    fn side(&self, point: Coord3D<f64>) -> Option<bool> {
        let d = array(point);
        let [x, y, z] = std::array::from_fn(|i| (d[i] - self.corner[i]) * self.normal[i]);
        let height: f64 = x + y + z;
        if height.abs() > self.error { Some(height > 0.0) } else { None }
    }
}

#[inline]
fn array(point: Coord3D<f64>) -> [f64; 3] {
    [point.x, point.y, point.z]
}

/// A triangulated sphere, weakly convex at every edge.
struct Triangulation<'a> {
    points: &'a [Coord3D<f64>],
    /// The sum of the sides of the box around the points, or more.
    width: f64,
    faces: Vec<Face>,
    /// Removed faces, whose slots are reused.
    free: Vec<u32>,
    /// Faces that may have assigned points.
    pending: Vec<u32>,
    /// The next assigned point after this one.
    next: Vec<u32>,
    /// For each horizon vertex, the new face whose horizon edge starts there.
    starts: Vec<u32>,
    walk: u32,
    replaced: Vec<u32>,
    horizon: Vec<([u32; 2], u32)>,
    created: Vec<u32>,
}

impl<'a> Triangulation<'a> {
    fn tetrahedron(points: &'a [Coord3D<f64>], [a, b, c, d]: [u32; 4]) -> Self {
        let (b, c) = if height(points, [a, b, c], d) > 0.0 { (c, b) } else { (b, c) };
        let range = |of: fn(&Coord3D<f64>) -> f64| {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for x in points.iter().map(of) {
                low = if x < low { x } else { low };
                high = if x > high { x } else { high };
            }
            high - low
        };
        let mut hull = Triangulation {
            points,
            width: (range(|p| p.x) + range(|p| p.y) + range(|p| p.z)) * (1.0 + 8.0 * UNIT),
            faces: Vec::new(),
            free: Vec::new(),
            pending: Vec::new(),
            next: vec![NONE; points.len()],
            starts: vec![NONE; points.len()],
            walk: 0,
            replaced: Vec::new(),
            horizon: Vec::new(),
            created: Vec::new(),
        };
        // Face 0 is opposite d, face 1 opposite c, face 2 opposite a, face 3 opposite b.
        hull.add([a, b, c], [1, 2, 3]);
        hull.add([a, d, b], [3, 2, 0]);
        hull.add([b, d, c], [1, 3, 0]);
        hull.add([c, d, a], [2, 1, 0]);
        hull.created.extend([0, 1, 2, 3]);
        for point in 0..points.len() as u32 {
            hull.assign(point);
        }
        hull.pending.extend([0, 1, 2, 3]);
        hull
    }

    fn add(&mut self, corners: [u32; 3], across: [u32; 3]) -> u32 {
        let face = Face {
            corners,
            plane: Plane::new(self.points, corners, self.width),
            across,
            first: NONE,
            farthest: NONE,
            farthest_height: 0.0,
            alive: true,
            walk: 0,
            seen: false,
        };
        match self.free.pop() {
            Some(slot) => {
                self.faces[slot as usize] = face;
                slot
            }
            None => {
                self.faces.push(face);
                self.faces.len() as u32 - 1
            }
        }
    }

    /// Assigns a point to the first of the created faces that it sees.
    fn assign(&mut self, point: u32) {
        for &slot in &self.created {
            let face = &mut self.faces[slot as usize];
            if face.plane.side(self.points[point as usize]) == Some(false) {
                continue;
            }
            let height = height(self.points, face.corners, point);
            if height > 0.0 {
                self.next[point as usize] = face.first;
                face.first = point;
                if height > face.farthest_height {
                    (face.farthest, face.farthest_height) = (point, height);
                }
                return;
            }
        }
    }

    fn insert(&mut self, seen_face: u32, apex: u32) {
        self.find_horizon(seen_face, apex);

        self.created.clear();
        for i in 0..self.horizon.len() {
            let ([from, to], beyond) = self.horizon[i];
            let slot = self.add([from, to, apex], [beyond, NONE, NONE]);
            let neighbour = &mut self.faces[beyond as usize];
            for edge in 0..3 {
                if neighbour.corners[edge] == to && neighbour.corners[(edge + 1) % 3] == from {
                    neighbour.across[edge] = slot;
                }
            }
            self.starts[from as usize] = slot;
            self.created.push(slot);
        }
        for i in 0..self.created.len() {
            let slot = self.created[i];
            let after = self.starts[self.faces[slot as usize].corners[1] as usize];
            self.faces[slot as usize].across[1] = after;
            self.faces[after as usize].across[2] = slot;
        }

        for i in 0..self.replaced.len() {
            let mut point = self.faces[self.replaced[i] as usize].first;
            while point != NONE {
                let next = self.next[point as usize];
                if point != apex {
                    self.assign(point);
                }
                point = next;
            }
        }
        for &slot in &self.replaced {
            let face = &mut self.faces[slot as usize];
            (face.alive, face.first, face.farthest) = (false, NONE, NONE);
        }
        self.free.append(&mut self.replaced);
        self.pending.extend(self.created.iter().filter(|&&slot| self.faces[slot as usize].first != NONE));
    }

    /// Collects the faces that `apex` sees, starting from one of them, and the edges around them with the unseen face
    /// beyond each.
    fn find_horizon(&mut self, seen_face: u32, apex: u32) {
        self.walk += 1;
        self.replaced.clear();
        self.horizon.clear();
        self.faces[seen_face as usize].walk = self.walk;
        self.faces[seen_face as usize].seen = true;
        self.replaced.push(seen_face);
        let mut done = 0;
        while done < self.replaced.len() {
            let Face { corners, across, .. } = self.faces[self.replaced[done] as usize];
            done += 1;
            for edge in 0..3 {
                let neighbour = &mut self.faces[across[edge] as usize];
                if neighbour.walk != self.walk {
                    neighbour.walk = self.walk;
                    neighbour.seen = neighbour
                        .plane
                        .side(self.points[apex as usize])
                        .unwrap_or_else(|| height(self.points, neighbour.corners, apex) > 0.0);
                    if neighbour.seen {
                        self.replaced.push(across[edge]);
                    }
                }
                if !neighbour.seen {
                    self.horizon.push(([corners[edge], corners[(edge + 1) % 3]], across[edge]));
                }
            }
        }
    }

    fn merge_coplanar(mut self) -> Vec<Vec<u32>> {
        let mut facets = Vec::new();
        let mut stack = Vec::new();
        let mut members = Vec::new();
        for start in 0..self.faces.len() {
            if !self.faces[start].alive {
                continue;
            }
            self.faces[start].alive = false;
            let Face { corners: plane, plane: rounded, .. } = self.faces[start];
            members.clear();
            members.extend(plane);
            stack.push(start as u32);
            while let Some(slot) = stack.pop() {
                for neighbour in self.faces[slot as usize].across {
                    let face = &self.faces[neighbour as usize];
                    let is_on_plane = |&corner: &u32| {
                        rounded.side(self.points[corner as usize]).is_none()
                            && height(self.points, plane, corner) == 0.0
                    };
                    if face.alive && face.corners.iter().all(is_on_plane) {
                        members.extend(face.corners);
                        self.faces[neighbour as usize].alive = false;
                        stack.push(neighbour);
                    }
                }
            }
            if members.len() == 3 {
                facets.push(plane.to_vec());
            } else {
                members.sort_unstable();
                members.dedup();
                facets.push(convex_polygon(self.points, plane, &mut members));
            }
        }
        facets
    }
}
