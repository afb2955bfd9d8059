//! A cover of a triangle soup by equal spheres, each with the vertices, edges and faces that it holds.
//!
//! **Problem.** Cover a surface by spheres of one given radius, for triangles of any size, and list for each sphere the
//! primitives, or parts of them, that are inside.
//!
//! **Method.**
//! 1. Space is divided into cubic cells whose circumscribed spheres have the given radius: side `h = 2r / √3`.
//! 2. The cells that a face, an edge or a vertex intersects are found by dividing blocks of cells in two, keeping the
//!    halves that the primitive intersects. The test is that of separating axes: the three of the cell, the normal of
//!    the triangle, and the nine products of their edges. An edge is a triangle with two equal corners.
//! 3. Every intersected cell becomes a leaf sphere with the primitives that intersect the cell.
//!
//! **Guarantee.** Every point of every primitive lies in a leaf sphere that holds the primitive. Cells are enlarged
//! by [`SLACK`] of their size and by the rounding of coordinates. A cell is left out only if it is farther from the
//! primitive than the rounding of the test. Spheres are circumscribed around the enlarged cells.
//!
//! **Departures.** Quinlan tiles each triangle by itself. Here cells are shared between triangles, so that small
//! triangles do not get a sphere each.
//!
//! References: Quinlan 1994; Ruspini, Kolarov, Khatib 1997; Akenine-Möller 2001 for the triangle/box test.

use glam::DVec3;

use crate::numerics::rounding::{TINY, UNIT};

/// The enlargement of a cell relative to its size. It is far above rounding and far below any length that matters.
const SLACK: f64 = 1e-9;

/// A primitive of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Primitive {
    Vertex(u32),
    Edge(u32),
    Face(u32),
}

/// One leaf sphere.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leaf {
    pub(super) center: DVec3,
    /// The primitives, sorted.
    pub(super) holds: Vec<Primitive>,
}

/// The cells of a grid.
pub(super) struct Grid {
    origin: DVec3,
    side: f64,
    /// The enlargement of a cell.
    slack: f64,
}

impl Grid {
    /// Creates the grid whose cells have circumscribed spheres of `radius`, for points in the box from `low` to
    /// `high`. The radius is increased if a coordinate would span more than a billion cells, or if cells would not be
    /// large compared to the rounding of coordinates.
    pub(super) fn new(low: DVec3, high: DVec3, radius: f64) -> Grid {
        let wanted = radius * (2.0 / 3.0_f64.sqrt());
        let scale = low.abs().max(high.abs()).max_element();
        let side = wanted.max((high - low).max_element() * 1e-9).max(scale * 1e-12);
        // The origin is half a cell further out, so that a flat axis-aligned side passes through the middle of its
        // spheres.
        let origin = low - DVec3::splat(0.5 * side);
        Grid { origin, side, slack: SLACK * side + 16.0 * UNIT * scale }
    }

    /// Returns the radius of the spheres around the enlarged cells, rounded up.
    pub(super) fn radius(&self) -> f64 {
        // √3 times half the enlarged side; the rounding of the centre is a small part of the slack.
        (0.5 * self.side + 2.0 * self.slack) * (3.0_f64.sqrt() * (1.0 + 8.0 * UNIT))
    }

    fn center(&self, cell: [i32; 3]) -> DVec3 {
        self.origin + DVec3::from_array(cell.map(|k| (f64::from(k) + 0.5) * self.side))
    }

    /// Returns the cell that contains a point, up to the slack.
    fn cell_of(&self, point: DVec3) -> [i32; 3] {
        ((point - self.origin) / self.side).to_array().map(|k| k.floor() as i32)
    }

    /// Calls `meet` for every cell that the triangle intersects.
    pub(super) fn cells_of(&self, corners: [DVec3; 3], mut meet: impl FnMut([i32; 3])) {
        let [a, b, c] = corners;
        let pad = DVec3::splat(self.slack);
        let first = self.cell_of(a.min(b).min(c) - pad);
        let last = self.cell_of(a.max(b).max(c) + pad);
        let mut open = vec![(first, last)];
        while let Some((first, last)) = open.pop() {
            let (low, high) = (self.center(first), self.center(last));
            let center = 0.5 * (low + high);
            let half = 0.5 * (high - low) + DVec3::splat(0.5 * self.side + self.slack);
            if apart(corners, center, half) {
                continue;
            }
            let lengths = [0, 1, 2].map(|k| last[k] - first[k]);
            let longest = (0..3).max_by_key(|&k| lengths[k]).unwrap_or(0);
            if lengths[longest] == 0 {
                meet(first);
                continue;
            }
            let middle = first[longest] + lengths[longest] / 2;
            let (mut end, mut start) = (last, first);
            (end[longest], start[longest]) = (middle, middle + 1);
            open.push((start, last));
            open.push((first, end));
        }
    }
}

/// Returns the leaf spheres of a mesh: the cells of its grid that hold a primitive, in order.
pub(super) fn cover(
    grid: &Grid,
    vertices: &[DVec3],
    used: impl Iterator<Item = u32>,
    edges: impl Iterator<Item = [u32; 2]>,
    triangles: &[[u32; 3]],
) -> Vec<Leaf> {
    let at = |v: u32| vertices[v as usize];
    let mut entries: Vec<([i32; 3], Primitive)> = Vec::new();
    for v in used {
        // A point needs only one sphere.
        entries.push((grid.cell_of(at(v)), Primitive::Vertex(v)));
    }
    for (i, [p, q]) in edges.enumerate() {
        grid.cells_of([at(p), at(q), at(q)], |cell| entries.push((cell, Primitive::Edge(i as u32))));
    }
    for (i, corners) in triangles.iter().enumerate() {
        grid.cells_of(corners.map(at), |cell| entries.push((cell, Primitive::Face(i as u32))));
    }
    entries.sort_unstable();
    entries
        .chunk_by(|x, y| x.0 == y.0)
        .map(|chunk| Leaf {
            center: grid.center(chunk[0].0),
            holds: chunk.iter().map(|&(_, primitive)| primitive).collect(),
        })
        .collect()
}

/// Returns true if a triangle and a box certainly have no point in common.
fn apart(corners: [DVec3; 3], center: DVec3, half: DVec3) -> bool {
    let [a, b, c] = corners.map(|corner| corner - center);
    let size = a.abs().max(b.abs()).max(c.abs()).max_element() + half.max_element();
    let separates = |axis: DVec3| {
        let (a, b, c) = (a.dot(axis), b.dot(axis), c.dot(axis));
        let reach = half.dot(axis.abs());
        // Ten roundings of terms that are at most `size · |axis|₁` each; the slack of the cell covers those of the
        // corners. Products of three lengths may underflow.
        let rounding = 32.0 * UNIT * size * axis.abs().element_sum() + TINY;
        a.min(b).min(c) - reach > rounding || a.max(b).max(c) + reach < -rounding
    };
    let edges = [b - a, c - b, a - c];
    [DVec3::X, DVec3::Y, DVec3::Z].into_iter().any(separates)
        || separates(edges[0].cross(edges[1]))
        || edges.into_iter().any(|e| {
            // The products of the edge with x, y and z.
            [DVec3::new(0.0, -e.z, e.y), DVec3::new(e.z, 0.0, -e.x), DVec3::new(-e.y, e.x, 0.0)]
                .into_iter()
                .any(separates)
        })
}
