//! The facets of the convex hull of points in space, decided exactly.
//!
//! 1. Start with a tetrahedron. Every point that strictly sees one of its faces is assigned to one such face.
//! 2. Take a face with assigned points and the one that is farthest from it, `p`. Walk from face to face over all
//!    faces that `p` strictly sees; the edges where the walk ends are the horizon.
//! 3. Replace the faces that `p` sees by the triangles from `p` to the horizon. Assign the points of the replaced
//!    faces to the new faces they see; a point that sees none of them is inside, and is dropped.
//! 4. When no assigned points remain, join neighbouring coplanar triangles into facets, and keep of each facet the
//!    corners of its convex polygon.
//!
//! Guarantee: exact. "Sees" means strictly above the face's plane, by `robust::orient3d`; a coplanar face is not
//! seen. This suffices for the following reasons:
//! - No new triangle is degenerate. If `p` were on the line of a horizon edge, it would be coplanar with both
//!   faces at that edge and would see neither.
//! - The faces that `p` sees are connected and their boundary passes each vertex at most once, because they are
//!   whole facets of a convex body seen from a point.
//! - Step 3 loses no point. Suppose `q` was assigned to a replaced face and sees a face `r` that stays. The faces
//!   that `q` sees are connected, so somewhere on the horizon it sees both the replaced face `d` and the kept face
//!   `r` at one edge. The new triangle's plane there is `n = αd + βr` with `α >= 0`, `β > 0` (from `n(p) = 0`,
//!   `d(p) > 0`, `r(p) <= 0`), hence `n(q) > 0`: it sees the new triangle as well.
//! - The choice of the farthest point affects only the speed.
//!
//! The predicates are exact as long as nothing underflows or overflows: coordinates below 2^300 in size, and integer
//! multiples of 2^-300. Every product of three differences is then a multiple of 2^-900 and below 2^906. The error
//! bounds inside the predicates go down to 2^-106 of such a product, still a normal number.
//!
//! Departure from the paper: no "thick" facets. They bound the errors of rounded predicates; exact predicates have
//! none.
//!
//! Reference: C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The quickhull algorithm for convex hulls", 1996;
//! J. R. Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates", 1997.

use super::monotone_chain::convex_polygon;
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
    // Neighbours share corners. An exact zero takes the predicate the most time to find.
    if d == a || d == b || d == c {
        return 0.0;
    }
    -orient3d(points[a as usize], points[b as usize], points[c as usize], points[d as usize])
}

const NONE: u32 = u32::MAX;

struct Face {
    corners: [u32; 3],
    /// The faces across the edges from corner 0 to 1, 1 to 2 and 2 to 0.
    across: [u32; 3],
    /// The assigned points as a list threaded through [`Triangulation::next`], and the farthest among them.
    first: u32,
    farthest: u32,
    farthest_height: f64,
    alive: bool,
    /// The last walk that visited this face, and whether the face was seen.
    walk: u32,
    seen: bool,
}

/// A triangulated sphere, weakly convex at every edge.
struct Triangulation<'a> {
    points: &'a [Coord3D<f64>],
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
        let mut hull = Triangulation {
            points,
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
                    neighbour.seen = height(self.points, neighbour.corners, apex) > 0.0;
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
            let plane = self.faces[start].corners;
            members.clear();
            members.extend(plane);
            stack.push(start as u32);
            while let Some(slot) = stack.pop() {
                for neighbour in self.faces[slot as usize].across {
                    let face = &self.faces[neighbour as usize];
                    if face.alive
                        && face.corners.iter().all(|&corner| height(self.points, plane, corner) == 0.0)
                    {
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
