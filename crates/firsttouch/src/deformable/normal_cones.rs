//! Normal cones: patches of the mesh that cannot touch themselves during a time span, so that their pairs are
//! skipped.
//!
//! **Problem.** Neighbouring triangles always have overlapping volumes, and a traversal finds mostly such pairs. Prove
//! for whole nodes of the tree that no two of their features without a common vertex meet within `[0, window]`.
//!
//! 1. *Cone.* From 26 fixed directions, take the directions d along which a triangle shows its front throughout the
//!    span. Its unnormalised normal is quadratic in time, and has a positive component along d if its three Bernstein
//!    coefficients have. A set of directions is a bit mask, and the set of a node is the intersection of its triangles'
//!    sets.
//! 2. *Contour.* Projected along d, the boundary of the node (sides without a triangle of the node across) does not
//!    cross itself throughout the span. Edges with a common vertex do not fold over each other: they keep turning left,
//!    or keep turning right, or keep pointing apart. For any two other edges, one stays on one side of the other's
//!    line. All these conditions are again quadratic in time; boxes are tested first.
//! 3. *Winding.* At time 0 the boundary winds once around the points just left of each of its edges. This always
//!    holds for a single loop that visits no vertex twice. Otherwise (holes, several pieces, pieces connected by a
//!    vertex only) a ray is followed for one edge of each run between vertices where loops meet.
//! 4. From the top of the tree down, the first node on a path that passes is the top of a patch. Pairs of leaves below
//!    it are skipped. Nodes with few leaves ([`SMALLEST_PATCH`]) are not tried.
//!
//! **Proof.** Let P be the triangles of the node at a time t, projected along d; by step 1 all of them are positively
//! oriented.
//! - *Open triangles are disjoint.* The border of a triangle winds once around its inner points and not around others.
//!   Sum this over P: the number of triangles that cover a point y, on no edge, is the winding number around y of all
//!   their sides. Opposite sides cancel, so it is the winding number of the boundary. It is 0 or 1: the region of y is
//!   unbounded, or left or right of a boundary edge, where the number is 1 or one less. Step 3 shows this at time 0,
//!   and the number around a point near the middle of an edge cannot change while no other edge gets there (step 2).
//!   For a single loop, a simple polygon winds at most once. The topology of P may be arbitrary.
//! - *Around an inner vertex, or a point inside an inner edge, all directions are covered* by the triangles at that
//!   point, because their sides at it cancel.
//! - *No vertex v is on a closed triangle f of other vertices.* Let g be a triangle at v. If v were inside f, g would
//!   overlap f. If v were on an inner edge or at an inner vertex of f, g would overlap a triangle around that place, or
//!   be one of these triangles and flat. If v is an inner vertex, f would overlap a triangle around v, or be one of
//!   these. The remaining case is a boundary vertex v on a boundary edge of f or at a boundary vertex of f: two
//!   boundary edges then meet outside of a common vertex, which contradicts step 2.
//! - *Two edges without a common vertex do not meet*, and neither do an edge and a triangle. An end of one on the other
//!   is the previous case, or a flat triangle. If edges crossed, triangles beside them would overlap, because
//!   half-discs around one point do. If an edge met the inside of a triangle, a triangle beside the edge would overlap
//!   it.
//!
//! So different points of the patch stay apart in the projection, and therefore in space. Vertices and edges belong to
//! a leaf only if a triangle of that leaf has them (`hierarchy`), so features of leaves below a node are features of
//! its triangles. Two kinds of nodes are not tried: nodes with a loose edge or point, and nodes with a side that more
//! than two triangles have, or two in the same direction. The proof excludes touches but does not bound distances:
//! cones cannot be used with a `min_separation`.
//!
//! **Rounding**, u = 2^-53. All positions are relative to a vertex that moves along. A difference of positions of size
//! up to R is off by uR. At the end of the window, where it is interpolated between two differences, it is off by 8uR
//! (4 for the difference of two differences, 2 for the product, 2 for the sum).
//! - *Cone.* Sides of size up to E and F: a product is off by 16uEF and its own rounding, a component of the normal by
//!   36uEF, one of twice the middle coefficient by 76uEF, its sum of three by 252uEF: [`CONE`] = 256u. If the first
//!   coefficient and the changes bound all coefficients, the sum of three is that of the first: off by 12uEF instead of
//!   24uEF for the middle one, twice.
//! - *Contour.* Projected coordinates are sums of two: off by 18uR, at most 2R. A difference of two: 40uR, at most
//!   4R. A product: 320uR² and its own rounding. The sum or difference of two: 704uR², of four: 1472uR². [`CONTOUR`]
//!   = 1536u.
//! - *Winding.* Exact, for the rounded coordinates. The result of step 2 holds for all coordinates within the error
//!   bounds, so the rounded and the exact contour have the same winding numbers.
//!
//! **Departures.** The paper refers to others for cones. These have a contour test that holds only for one time
//! (Provot), or a cone for the whole step without a contour test. The directions here are fixed, so one instruction
//! computes a node's cone from those of its children. Pairs of adjacent nodes are not tried by themselves: their parent
//! covers both.
//!
//! Measured with `deform 1 5 cones` of the benchmarks: the share of leaves in patches, and the pairs of leaves in the
//! search for the first touch, without → with cones.
//! - Cloth-ball, which is crumpled and intersects itself: 17 %, 93,389 → 89,419.
//! - Armadillo-rollers: 30 %, 18,205 → 16,604.
//! - Generated cloth: 68 %, 71,099 → 40,633.
//! - Generated balls: 58 %, 52,414 → 40,395.
//! - Generated rod: 41 %, 81,862 → 72,294.
//!
//! Cones save time or cost almost nothing, so they are on by default.
//!
//! Reference: Provot 1997, Sec. 4.2 (cone and contour); Tang, Curtis, Yoon and Manocha 2008 (coefficients of the
//! normal); Tang, Kim and Manocha 2010, Sec. II B.

use std::ops::Range;

use fearless_simd::{Level, dispatch};
use glam::{DVec2, DVec3};

use crate::numerics::predicates::orient2d;
use crate::numerics::rounding::{TINY, UNIT};

use super::hierarchy::{MANY, Tree};
use crate::parallel;

/// The rounding of a normal's component along a direction, relative to the lengths of two sides. See the header.
const CONE: f64 = 256.0 * UNIT;
/// The rounding of a cross or dot product in the projection, relative to the square of the patch's radius.
const CONTOUR: f64 = 1536.0 * UNIT;
/// The rounding of a projected coordinate relative to the radius, 18u, the rounding of adding this to it, 2u, and a
/// reserve.
const BOX: f64 = 24.0 * UNIT;

/// If the normal of a triangle changes by less than this part of its size, its cone is that of the first coefficient,
/// less the change. This is faster, and loses almost nothing.
const SLOW: f64 = 1.0 / 1024.0;

/// The least leaves of a tried node: a proof for fewer leaves saves less than it costs.
const SMALLEST_PATCH: usize = 4;

/// The most leaves of a tried node, so that several threads can share the work.
const LARGEST_PATCH: usize = 256;

/// The most loops of a tried contour, and the most runs between vertices where loops meet.
const MOST_RUNS: usize = 12;

/// The leaves that belong to patches that do not touch themselves.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Patches {
    /// The top of each leaf's patch, or 0. If empty, no leaf belongs to a patch.
    tops: Vec<u32>,
}

impl Patches {
    /// Returns no patches.
    pub(crate) fn none() -> Patches {
        Patches { tops: vec![] }
    }

    /// Proves patches over `[0, window]`, for vertices that move between these positions in `[0, 1]`.
    pub(crate) fn new(tree: &Tree, frames: (&[DVec3], &[DVec3]), window: f64, parallel: bool) -> Patches {
        let leaves = tree.leaves;
        let smallest = leaves.min(SMALLEST_PATCH);
        let groups = leaves / smallest;
        let mut nodes = vec![Cone::NOTHING; 2 * groups];
        let level = Level::new();
        parallel::fill(parallel, &mut nodes[groups..], |group| {
            let leaves = group * smallest..(group + 1) * smallest;
            dispatch!(level, _ => Cone::of_leaves(tree, leaves, frames, window))
        });
        for k in (1..groups).rev() {
            nodes[k] = nodes[2 * k].and(&nodes[2 * k + 1]);
        }
        let below = leaves.min(LARGEST_PATCH);
        let roots: Vec<usize> = (leaves / below..2 * (leaves / below)).collect();
        let tops = parallel::map(parallel, &roots, |&root| {
            let mut tops = vec![0; below];
            let mut contour = Contour::default();
            let mut stack = vec![root];
            while let Some(node) = stack.pop() {
                let height = leaves.ilog2() - node.ilog2();
                let first = (node << height) - leaves;
                let range = first..first + (1 << height);
                let proven = nodes[node]
                    .best()
                    .is_some_and(|d| contour.encloses_once(tree, range.clone(), d, frames, window));
                if proven {
                    let offset = first % below;
                    tops[offset..offset + range.len()].fill(node as u32);
                } else if node < groups {
                    stack.extend([2 * node, 2 * node + 1]);
                }
            }
            tops
        });
        Patches { tops: tops.concat() }
    }

    /// Returns the top of the patch of a leaf.
    #[inline]
    pub(crate) fn top(&self, leaf: usize) -> Option<usize> {
        self.tops.get(leaf).filter(|top| **top != 0).map(|top| *top as usize)
    }

    /// Returns true if a leaf and all leaves below a node are in one patch.
    #[inline]
    pub(crate) fn holds(&self, leaf: usize, node: usize) -> bool {
        self.top(leaf).is_some_and(|top| top <= node && node >> (node.ilog2() - top.ilog2()) == top)
    }

    /// Returns the number of leaves that belong to a patch.
    pub(crate) fn leaves(&self) -> u64 {
        self.tops.iter().filter(|top| **top != 0).count() as u64
    }
}

/// The directions up to their sign; [`heights`] uses the same order.
const DIRECTIONS: [[f64; 3]; 13] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, 1.0],
    [0.0, 1.0, -1.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [1.0, -1.0, -1.0],
];

#[inline(always)]
fn heights(n: DVec3) -> [f64; 13] {
    let DVec3 { x, y, z } = n;
    let (p, m) = (x + y, x - y);
    [x, y, z, p, m, x + z, x - z, y + z, y - z, p + z, p - z, m + z, m - z]
}

/// The directions along which a set of triangles shows its front throughout the span.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cone {
    /// Bit 2k is direction k, bit 2k + 1 its opposite.
    directions: u32,
    /// The sum of the normals at time 0, used to choose among the directions.
    normal: DVec3,
}

impl Cone {
    const NOTHING: Cone = Cone { directions: 0, normal: DVec3::ZERO };

    fn and(&self, other: &Cone) -> Cone {
        Cone { directions: self.directions & other.directions, normal: self.normal + other.normal }
    }

    /// Returns the cone of some leaves. It is compiled for every level of vector instructions; all levels compute the
    /// same bits, because no operation is reordered or fused.
    #[inline(always)]
    fn of_leaves(tree: &Tree, mut leaves: Range<usize>, (t0, t1): (&[DVec3], &[DVec3]), window: f64) -> Cone {
        let range = tree.face_start[leaves.start] as usize..tree.face_start[leaves.end] as usize;
        if range.is_empty() || leaves.any(|leaf| tree.has_loose(leaf)) {
            return Cone::NOTHING;
        }
        let mut all = Cone { directions: u32::MAX, normal: DVec3::ZERO };
        for f in range {
            if tree.across[f].contains(&MANY) {
                return Cone::NOTHING;
            }
            let corners = tree.faces[f].vertices;
            let at = |frame: &[DVec3]| corners.map(|v| frame[v as usize]);
            all = all.and(&Cone::of_triangle(at(t0), at(t1), window));
            if all.directions == 0 {
                return Cone::NOTHING;
            }
        }
        all
    }

    #[inline(always)]
    fn of_triangle([a0, b0, c0]: [DVec3; 3], [a1, b1, c1]: [DVec3; 3], window: f64) -> Cone {
        let (e0, f0, e1, f1) = (b0 - a0, c0 - a0, b1 - a1, c1 - a1);
        let size = |p: DVec3, q: DVec3| p.abs().max(q.abs()).max_element();
        let error = CONE * size(e0, e1) * size(f0, f1) + TINY;
        let (e1, f1) = (at_end(e0, e1, window), at_end(f0, f1, window));
        let normal = e0.cross(f0);
        let (middle, last) = (e0.cross(f1) + e1.cross(f0), e1.cross(f1));
        // The largest distance of the coefficients from the first one, along any direction: no component of a direction
        // is above 1.
        let sum = |v: DVec3| v.abs().element_sum();
        let change = (0.5 * sum(middle - 2.0 * normal)).max(sum(last - normal)) * (1.0 + 1e-12); // not a bound: finite
        let mut directions = 0;
        if change < sum(normal) * SLOW {
            let bound = error + change;
            for (k, height) in heights(normal).into_iter().enumerate() {
                directions |=
                    ((height > bound) as u32) << (2 * k) | ((height < -bound) as u32) << (2 * k + 1);
            }
            return Cone { directions, normal };
        }
        let [first, middle, last] = [normal, middle, last].map(heights);
        for k in 0..13 {
            let least = first[k].min(middle[k]).min(last[k]);
            let most = first[k].max(middle[k]).max(last[k]);
            directions |= ((least > error) as u32) << (2 * k) | ((most < -error) as u32) << (2 * k + 1);
        }
        Cone { directions, normal }
    }

    /// Returns the direction of the cone that is nearest to the normals.
    fn best(&self) -> Option<DVec3> {
        let mut left = self.directions & ((1 << 26) - 1);
        let mut best: Option<(f64, DVec3)> = None;
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            let towards = DVec3::from_array(DIRECTIONS[bit as usize / 2]);
            let d = if bit & 1 == 0 { towards } else { -towards };
            let height = self.normal.dot(d) / d.length();
            if best.is_none_or(|(highest, _)| height > highest) {
                best = Some((height, d));
            }
        }
        best.map(|(_, d)| d)
    }
}

/// Returns the position at the end of the window of a point that moves from `p` to `q` in `[0, 1]`.
#[inline(always)]
fn at_end(p: DVec3, q: DVec3, window: f64) -> DVec3 {
    if window == 1.0 { q } else { p + (q - p) * window }
}

/// A point in the projection, at the start and at the end of the window.
type Moving = [DVec2; 2];

/// The boundary of a patch, and buffers for its test.
#[derive(Debug, Default)]
struct Contour {
    /// The state of each side of a face, starting with the first side of the patch.
    sides: Vec<Side>,
    /// The corners, loop by loop. The fields below are indexed by corner, or by the edge that starts there.
    vertices: Vec<u32>,
    next: Vec<usize>,
    points: Vec<Moving>,
    /// True if the loops visit this corner more than once, or a loop starts there.
    special: Vec<bool>,
    edges: Vec<Edge>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    Inner,
    Boundary,
    Followed,
}

/// The box of an edge of the contour, from point `from` to the next.
#[derive(Debug, Clone, Copy)]
struct Edge {
    low: DVec2,
    high: DVec2,
    from: usize,
}

impl Contour {
    /// Performs steps 2 and 3 of the header, for the faces of these leaves.
    fn encloses_once(
        &mut self,
        tree: &Tree,
        leaves: Range<usize>,
        d: DVec3,
        frames: (&[DVec3], &[DVec3]),
        window: f64,
    ) -> bool {
        self.follow(tree, tree.face_start[leaves.start]..tree.face_start[leaves.end]);
        if self.special.iter().filter(|special| **special).count() > MOST_RUNS {
            return false;
        }
        let radius = self.project(d, frames, window);
        self.edges_part(BOX * radius, CONTOUR * radius * radius + TINY) && self.winds_once()
    }

    /// Collects the boundary of a range of faces, loop by loop.
    fn follow(&mut self, tree: &Tree, faces: Range<u32>) {
        let inside = |side: u32| faces.contains(&(side / 3));
        let across = |side: u32| tree.across[side as usize / 3][side as usize % 3];
        let next = |side: u32| if side % 3 == 2 { side - 2 } else { side + 1 };
        let base = 3 * faces.start;
        self.sides.clear();
        for opposite in tree.across[faces.start as usize..faces.end as usize].as_flattened() {
            self.sides.push(if inside(*opposite) { Side::Inner } else { Side::Boundary });
        }
        self.vertices.clear();
        self.next.clear();
        self.special.clear();
        for first in base..3 * faces.end {
            if self.sides[(first - base) as usize] != Side::Boundary {
                continue;
            }
            let start = self.vertices.len();
            let mut side = first;
            // Turning around a vertex from side to side is one-to-one, so the walk returns to its start.
            while self.sides[(side - base) as usize] == Side::Boundary {
                self.sides[(side - base) as usize] = Side::Followed;
                self.vertices.push(tree.faces[side as usize / 3].vertices[side as usize % 3]);
                self.next.push(self.vertices.len());
                self.special.push(side == first && start > 0);
                side = next(side);
                while inside(across(side)) {
                    side = next(across(side));
                }
            }
            if let Some(last) = self.next.last_mut() {
                *last = start;
            }
        }
        // A single loop needs no further test; the first of several loops does.
        if self.special.contains(&true) {
            self.special[0] = true;
        }
    }

    /// Computes the projected points and returns the radius R of the header.
    fn project(&mut self, d: DVec3, (t0, t1): (&[DVec3], &[DVec3]), window: f64) -> f64 {
        // Along an axis k for which d has a component, the other coordinates are moved into the plane. Then u × v =
        // (e × f) · d / d_k.
        let d = d.to_array();
        let k = (0..3).find(|&k| d[k] != 0.0).unwrap_or(0);
        let (mut i, mut j) = ((k + 1) % 3, (k + 2) % 3);
        if d[k] < 0.0 {
            (i, j) = (j, i);
        }
        let (di, dj) = (d[i] * d[k], d[j] * d[k]);
        let plane = |p: DVec3| {
            let p = p.to_array();
            DVec2::new(p[i] - di * p[k], p[j] - dj * p[k])
        };
        let mut radius = DVec3::ZERO;
        self.points.clear();
        if let Some(&base) = self.vertices.first() {
            for &v in &self.vertices {
                let p = t0[v as usize] - t0[base as usize];
                let q = t1[v as usize] - t1[base as usize];
                radius = radius.max(p.abs()).max(q.abs());
                self.points.push([plane(p), plane(at_end(p, q, window))]);
            }
        }
        radius.max_element()
    }

    /// Returns true if edges meet only in common vertices. Marks the vertices where more than two edges meet.
    fn edges_part(&mut self, margin: f64, error: f64) -> bool {
        let Contour { vertices, next, points, special, edges, .. } = self;
        edges.clear();
        let margin = DVec2::splat(margin);
        for (from, [a, b]) in points.iter().enumerate() {
            let [c, d] = points[next[from]];
            let (low, high) = (a.min(*b).min(c).min(d) - margin, a.max(*b).max(c).max(d) + margin);
            edges.push(Edge { low, high, from });
        }
        edges.sort_unstable_by(|a, b| a.low.x.total_cmp(&b.low.x).then(a.from.cmp(&b.from)));
        for (place, one) in edges.iter().enumerate() {
            for other in &edges[place + 1..] {
                if other.low.x > one.high.x {
                    break;
                }
                if other.low.y > one.high.y || one.low.y > other.high.y {
                    continue;
                }
                let ([a, b], [c, d]) = ([one.from, next[one.from]], [other.from, next[other.from]]);
                let apart = if b == c || vertices[b] == vertices[c] {
                    fan_out(&points[b], &points[a], &points[d], error)
                } else if d == a || vertices[d] == vertices[a] {
                    fan_out(&points[a], &points[b], &points[c], error)
                } else if vertices[a] == vertices[c] {
                    fan_out(&points[a], &points[b], &points[d], error)
                } else if vertices[b] == vertices[d] {
                    fan_out(&points[b], &points[a], &points[c], error)
                } else {
                    let (one, other) = ((&points[a], &points[b]), (&points[c], &points[d]));
                    on_one_side(one, other, error) || on_one_side(other, one, error)
                };
                if !apart {
                    return false;
                }
                for (i, j) in [(a, c), (a, d), (b, c), (b, d)] {
                    if i != j && vertices[i] == vertices[j] {
                        special[i] = true;
                        special[j] = true;
                    }
                }
            }
        }
        true
    }

    /// Returns true if the contour winds once around the points just left of every edge, at time 0. The winding number
    /// is the same from one edge to the next unless other edges meet the vertex in between.
    fn winds_once(&self) -> bool {
        let mut runs = 0;
        for begin in (0..self.special.len()).filter(|&i| self.special[i]) {
            runs += 1;
            // The edges of the run. One of them must not be horizontal.
            let mut from = begin;
            let level = loop {
                let (a, b) = (self.points[from][0], self.points[self.next[from]][0]);
                let level = a.y * 0.5 + b.y * 0.5;
                if a.y.min(b.y) < level && level < a.y.max(b.y) {
                    break Some(level);
                }
                from = self.next[from];
                if self.special[from] {
                    break None;
                }
            };
            if level.is_none_or(|level| self.winding_left_of(from, level) != 1) || runs > MOST_RUNS {
                return false;
            }
        }
        true
    }

    /// Returns the winding number of the contour around the point just left of a non-horizontal edge at this height, at
    /// time 0.
    fn winding_left_of(&self, edge: usize, level: f64) -> i32 {
        let ends = |i: usize| (self.points[i][0], self.points[self.next[i]][0]);
        let (a, b) = ends(edge);
        let up = b.y > a.y;
        // Each edge that a ray to the right crosses counts: +1 upwards, −1 downwards. The edge itself is to the right
        // if it goes up.
        let mut winding = up as i32;
        for other in 0..self.points.len() {
            let (c, d) = ends(other);
            let crossing = (d.y > level) as i32 - (c.y > level) as i32;
            if crossing == 0 || other == edge {
                continue;
            }
            let (side_c, side_d) = (orient2d(a, b, c), orient2d(a, b, d));
            let to_the_right = if side_c.is_ge() && side_d.is_ge() {
                !up
            } else if side_c.is_le() && side_d.is_le() {
                up
            } else {
                // In this case the edge is on one side of the other's line.
                let left = orient2d(c, d, a).is_ge() && orient2d(c, d, b).is_ge();
                left == (crossing > 0)
            };
            winding += if to_the_right { crossing } else { 0 };
        }
        winding
    }
}

/// Returns true if two edges with a common end, the first point, do not fold over each other: they keep turning one
/// way, or keep pointing apart.
fn fan_out(o: &Moving, p: &Moving, q: &Moving, error: f64) -> bool {
    sign(cross(o, p, q), error) != 0 || sign(dot(o, p, q), error) < 0
}

/// Returns true if the second edge stays on one side of the first edge's line.
fn on_one_side((a, b): (&Moving, &Moving), (c, d): (&Moving, &Moving), error: f64) -> bool {
    let side = sign(cross(a, b, c), error);
    side != 0 && side == sign(cross(a, b, d), error)
}

/// Returns the Bernstein coefficients of (p − o) × (q − o), with the middle one doubled.
#[inline]
fn cross(o: &Moving, p: &Moving, q: &Moving) -> [f64; 3] {
    let (e, f) = ([p[0] - o[0], p[1] - o[1]], [q[0] - o[0], q[1] - o[1]]);
    [e[0].perp_dot(f[0]), e[0].perp_dot(f[1]) + e[1].perp_dot(f[0]), e[1].perp_dot(f[1])]
}

/// Returns the Bernstein coefficients of (p − o) · (q − o), with the middle one doubled.
#[inline]
fn dot(o: &Moving, p: &Moving, q: &Moving) -> [f64; 3] {
    let (e, f) = ([p[0] - o[0], p[1] - o[1]], [q[0] - o[0], q[1] - o[1]]);
    [e[0].dot(f[0]), e[0].dot(f[1]) + e[1].dot(f[0]), e[1].dot(f[1])]
}

/// Returns 1 or −1 if the polynomial with these coefficients, each off by up to `error`, has this sign throughout;
/// otherwise 0.
#[inline]
fn sign(coefficients: [f64; 3], error: f64) -> i32 {
    if coefficients.iter().all(|c| *c > error) {
        1
    } else if coefficients.iter().all(|c| *c < -error) {
        -1
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::super::mesh::Deformable;
    use glam::{DVec3, dvec3};

    /// Returns the number of leaves of the mesh in patches, over `[0, window]`.
    fn proven(t0: &[DVec3], t1: &[DVec3], triangles: &[[u32; 3]], window: f64) -> u64 {
        let mesh = Deformable::new(t0.to_vec(), t1.to_vec(), triangles.to_vec(), vec![], vec![]).unwrap();
        mesh.patches(window, false).leaves()
    }

    fn flat(places: &[[f64; 2]]) -> Vec<DVec3> {
        places.iter().map(|p| dvec3(p[0], p[1], 0.0)).collect()
    }

    #[test]
    fn a_square_whose_corner_folds_over() {
        let square = flat(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        let triangles = [[0, 1, 2], [0, 2, 3]];
        let mut folded = square.clone();
        // The corner (1, 0) moves over the diagonal to (0, 1) and passes it at half time. No direction shows the
        // front of the triangle throughout.
        folded[1] = dvec3(0.0, 1.0, 0.0);
        assert_eq!(proven(&square, &square, &triangles, 1.0), 1);
        assert_eq!(proven(&square, &folded, &triangles, 0.49), 1);
        assert_eq!(proven(&square, &folded, &triangles, 0.51), 0);
        // Triangles of opposite orientation have no common cone.
        assert_eq!(proven(&square, &square, &[[0, 1, 2], [0, 3, 2]], 1.0), 0);
    }

    #[test]
    fn pieces_beside_and_above_each_other() {
        let piece = |x: f64, y: f64, z: f64, size: f64| {
            [dvec3(x, y, z), dvec3(x + size, y, z), dvec3(x, y + size, z)]
        };
        let both = |x: f64, y: f64, z: f64| [piece(0.0, 0.0, 0.0, 8.0), piece(x, y, z, 1.0)].concat();
        let triangles = [[0, 1, 2], [3, 4, 5]];
        // Beside; above (the contours do not cross, and the inner one winds twice); across the border.
        for (x, y, expected) in [(9.0, 1.0, 1), (1.0, 1.5, 0), (-0.5, 1.0, 0)] {
            let apart = both(x, y, 3.0);
            assert_eq!(proven(&apart, &apart, &triangles, 1.0), expected, "{x} {y}");
        }
        // From beside to above: it crosses the border, at x = 8 − y = 6.5, half way.
        assert_eq!(proven(&both(9.0, 1.5, 3.0), &both(4.0, 1.5, 3.0), &triangles, 0.45), 1);
        assert_eq!(proven(&both(9.0, 1.5, 3.0), &both(4.0, 1.5, 3.0), &triangles, 0.55), 0);
    }

    #[test]
    fn pieces_connected_by_a_vertex() {
        let places = [[0.0, 0.0], [2.0, -1.0], [2.0, 1.0], [-2.0, 1.0], [-2.0, -1.0]];
        let bow = [[0, 1, 2], [0, 3, 4]];
        assert_eq!(proven(&flat(&places), &flat(&places), &bow, 1.0), 1);
        // The second triangle is turned into the first: one is inside the other, with a common vertex.
        let inside = [[0.0, 0.0], [2.0, -1.0], [2.0, 1.0], [1.0, -0.25], [1.0, 0.25]];
        assert_eq!(proven(&flat(&inside), &flat(&inside), &bow, 1.0), 0);
    }

    #[test]
    fn a_ring_that_closes() {
        // A strip along a circle. Its ends are 0.3 apart at the start and meet at half time.
        let strip = |gap: f64| -> Vec<DVec3> {
            (0..=24)
                .flat_map(|i| {
                    let angle = (std::f64::consts::TAU - gap) * i as f64 / 24.0;
                    [dvec3(angle.cos(), angle.sin(), 0.0), dvec3(1.2 * angle.cos(), 1.2 * angle.sin(), 0.0)]
                })
                .collect()
        };
        let triangles: Vec<[u32; 3]> = (0..24)
            .flat_map(|i| [[2 * i, 2 * i + 1, 2 * i + 2], [2 * i + 3, 2 * i + 2, 2 * i + 1]])
            .collect();
        let leaves = proven(&strip(0.3), &strip(0.3), &triangles, 1.0);
        assert_eq!(leaves, 4);
        let mesh = Deformable::new(strip(0.3), strip(-0.3), triangles.clone(), vec![], vec![]).unwrap();
        let tops = |window: f64| {
            let patches = mesh.patches(window, false);
            (0..4).map(|leaf| patches.top(leaf)).collect::<Vec<_>>()
        };
        assert_eq!(tops(0.4), [Some(1); 4]);
        assert!(tops(0.6).iter().all(|top| *top != Some(1)));
    }
}
