//! Decomposes the surface of a mesh into convex patches: connected triangles that lie on the boundary of their own
//! convex hull.
//!
//! A triangle is on the boundary of the hull of a patch exactly if all corners of the patch are on one side of its
//! plane, or in it. No orientation is needed: a bowl is convex from both sides. The hull of a patch adds only a lid, so
//! it bounds the patch as closely as any convex set can.
//!
//! 1. *Grow.* From the first triangle without a patch, visit neighbours across shared edges, nearest first. A
//!    triangle is added if all corners of the patch are on one side of its plane, and its new corners are on the same
//!    side of all planes of the patch as the patch itself. A rejected triangle stays rejected, because a patch only
//!    grows.
//! 2. *Stop* at [`MOST_TRIANGLES`]: growing by one compares with all, so the cost grows with the square of the size.
//!    A large convex body then has several patches, whose union is a node of the tree above them.
//! 3. *Repeat* until every triangle has a patch. In the worst case each triangle is its own patch.
//!
//! Guarantee: exact, by the sign of determinants: patches are convex without any tolerance, for any triangles, whether
//! closed, oriented, connected or not. Corners that coincide count as one corner, so a soup of triangles has neighbours
//! too. Triangles without area lie in no plane, or in all; they fit into any patch.
//!
//! Departure: the reference of the paper also prevents patches from covering each other's lids, because it uses hulls
//! as the surface. Here hulls are only bounds, and contacts are decided on triangles, so no patch is split for that.
//!
//! References: S. A. Ehmann and M. C. Lin, "Accurate and fast proximity queries between polyhedra using convex surface
//! decomposition", 2001, Sec. 3; Zhang, Redon, Lee, Kim 2007, Sec. 4.

use std::cmp::Ordering;
use std::collections::VecDeque;

use firsttouch::numerics::predicates::orient3d;
use firsttouch::shape::Mesh;

/// The largest number of triangles of a patch.
const MOST_TRIANGLES: usize = 128;

/// Returns the triangles of each patch, in the order in which they were added.
///
/// ```
/// use firsttouch::shape::Mesh;
/// use firsttouch_lab::comparison::convex_patches;
/// use glam::DVec3;
/// // A roof of two faces is convex; with a third that goes up again it is not.
/// let corner = |x: f64, z: f64| [DVec3::new(x, 0.0, z), DVec3::new(x, 1.0, z)];
/// let vertices = [corner(0.0, 0.0), corner(1.0, 1.0), corner(2.0, 0.0), corner(3.0, 1.0)].concat();
/// let strip = |k: u32| [[k, k + 2, k + 3], [k, k + 3, k + 1]];
/// let zigzag = Mesh::new(vertices, [strip(0), strip(2), strip(4)].concat())?;
/// let patches = convex_patches(&zigzag);
/// assert_eq!(patches.iter().map(Vec::len).collect::<Vec<_>>(), [4, 2]);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn convex_patches(mesh: &Mesh) -> Vec<Vec<u32>> {
    let corners = welded(mesh);
    let neighbours = Neighbours::new(&corners);
    let count = corners.len();
    let mut is_taken = vec![false; count];
    // The last patch that rejected each triangle, and the last patch to which each corner belongs.
    let mut refused_by = vec![usize::MAX; count];
    let mut corner_of = vec![usize::MAX; mesh.vertices().len()];
    let mut patches = Vec::new();
    let mut open = VecDeque::new();
    for seed in 0..count as u32 {
        if is_taken[seed as usize] {
            continue;
        }
        let id = patches.len();
        let mut patch = Patch::default();
        open.clear();
        open.push_back(seed);
        while let Some(next) = open.pop_front() {
            let t = next as usize;
            if is_taken[t] || refused_by[t] == id {
                continue;
            }
            if !patch.take_in(mesh, corners[t], |v| corner_of[v as usize] == id) {
                refused_by[t] = id;
                continue;
            }
            is_taken[t] = true;
            for v in corners[t] {
                corner_of[v as usize] = id;
            }
            patch.members.push(next);
            if patch.members.len() >= MOST_TRIANGLES {
                break;
            }
            open.extend(neighbours.of(next).filter(|&other| !is_taken[other as usize]));
        }
        patches.push(patch.members);
    }
    patches
}

/// A growing patch.
#[derive(Default)]
struct Patch {
    members: Vec<u32>,
    /// The corners of each member, and the side of its plane on which all other corners are; `Equal` while all corners
    /// are in it.
    planes: Vec<([u32; 3], Ordering)>,
    /// The corners, each once.
    corners: Vec<u32>,
}

impl Patch {
    /// Adds a triangle if the patch stays convex.
    fn take_in(&mut self, mesh: &Mesh, triangle: [u32; 3], is_corner: impl Fn(u32) -> bool) -> bool {
        let at = |v: u32| mesh.vertices()[v as usize];
        let side_of = |[a, b, c]: [u32; 3], v: u32| orient3d(at(a), at(b), at(c), at(v));
        let mut side = Ordering::Equal;
        for &v in &self.corners {
            if !agree(&mut side, side_of(triangle, v)) {
                return false;
            }
        }
        let new: smallvec::SmallVec<[u32; 3]> = triangle.into_iter().filter(|&v| !is_corner(v)).collect();
        let fits = |&(plane, mut side): &([u32; 3], Ordering)| {
            new.iter().all(|&v| agree(&mut side, side_of(plane, v)))
        };
        if !self.planes.iter().all(fits) {
            return false;
        }
        for (plane, side) in &mut self.planes {
            // Known sides stay; only planes that contained all previous points can change.
            if side.is_eq() {
                for &v in &new {
                    agree(side, side_of(*plane, v));
                }
            }
        }
        self.planes.push((triangle, side));
        for v in new {
            if !self.corners.contains(&v) {
                self.corners.push(v);
            }
        }
        true
    }
}

/// Returns true if a point on this side of a plane is on the same side as all previous points, and updates that side.
fn agree(side: &mut Ordering, point: Ordering) -> bool {
    if side.is_eq() {
        *side = point;
    }
    point.is_eq() || *side == point
}

/// Returns the corners of the triangles, with the same index for corners at the same position.
fn welded(mesh: &Mesh) -> Vec<[u32; 3]> {
    let vertices = mesh.vertices();
    // Adding zero turns -0 into +0.
    let key = |v: u32| (vertices[v as usize] + glam::DVec3::ZERO).to_array();
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.sort_unstable_by(|&u, &v| {
        let (p, q) = (key(u), key(v));
        p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(p[2].total_cmp(&q[2])).then(u.cmp(&v))
    });
    let mut name: Vec<u32> = (0..vertices.len() as u32).collect();
    for pair in order.windows(2) {
        if key(pair[0]) == key(pair[1]) {
            name[pair[1] as usize] = name[pair[0] as usize];
        }
    }
    mesh.triangles().iter().map(|triangle| triangle.map(|v| name[v as usize])).collect()
}

/// The triangles that share an edge.
struct Neighbours {
    /// All edges with their triangles, sorted.
    edges: Vec<([u32; 2], u32)>,
    corners: Vec<[u32; 3]>,
}

impl Neighbours {
    fn new(corners: &[[u32; 3]]) -> Neighbours {
        let mut edges = Vec::with_capacity(3 * corners.len());
        for (t, triangle) in corners.iter().enumerate() {
            edges.extend(edges_of(*triangle).map(|edge| (edge, t as u32)));
        }
        edges.sort_unstable();
        Neighbours { edges, corners: corners.to_vec() }
    }

    fn of(&self, triangle: u32) -> impl Iterator<Item = u32> + '_ {
        edges_of(self.corners[triangle as usize]).into_iter().flat_map(move |edge| {
            let start = self.edges.partition_point(|(other, _)| *other < edge);
            let same = self.edges[start..].iter().take_while(move |(other, _)| *other == edge);
            same.map(|&(_, t)| t).filter(move |&t| t != triangle)
        })
    }
}

fn edges_of([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]].map(|[u, v]| [u.min(v), u.max(v)])
}

#[cfg(test)]
#[path = "decomposition_tests.rs"]
pub(crate) mod tests;
