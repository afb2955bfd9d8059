//! The convex hull of a set of points, as a solid.
//!
//! 1. Reject input that is empty, not finite or beyond [`LARGEST`](crate::error::LARGEST); sort, and drop repeated
//!    points.
//! 2. Multiply by a power of two so that the predicates can neither underflow nor overflow.
//! 3. Find the dimension exactly: two different points, a third that is not collinear, a fourth that is not coplanar,
//!    each the farthest one.
//! 4. Build a point, a segment, a polygon (`monotone_chain`) or a polytope (`quickhull`).
//!
//! **Guarantee.** The kept vertices are precisely the extreme points of the input, so every input point lies in their
//! hull; no input point is strictly above the plane of any face. Both are exact statements about the `f64` coordinates
//! as given, not up to a tolerance: points that are almost coplanar give a thin polytope, points that are exactly
//! coplanar a polygon. The result does not depend on the order of the input, except for [`Hull::vertex_ids`], where the
//! first of several equal points is named.
//!
//! Limit: the predicates need the range from the largest coordinate down to the last bit of the smallest one to be at
//! most 2^600 (180 decimal orders of magnitude). If it is wider, all distinct points are kept as vertices, without
//! faces or edges, and [`Hull::is_exact`] is false. The support function needs the vertices alone, so such a hull is
//! the same solid, only slower.

use glam::DVec3;
use robust::Coord3D;

use super::convex::{Convex, bounds_of};
use super::outer_points::outer_points;
use super::support_blocks::SupportBlocks;
use super::{monotone_chain, quickhull};
use crate::answer::Feature;
use crate::error::{Error, Result, bounded_vector};
use crate::numerics::bound::{largest_upper, upper_if_known};
use crate::numerics::portable::power_of_two;
use crate::numerics::rounding::{TINY_LENGTH, UNIT, up};

/// The convex hull of a set of points.
///
/// ```
/// use firsttouch::shape::Hull;
/// use glam::DVec3;
///
/// let mut points: Vec<DVec3> =
///     (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)).collect();
/// points.push(DVec3::splat(0.5));
/// let cube = Hull::new(&points)?;
/// assert_eq!(cube.dimension(), 3);
/// assert_eq!(cube.vertex_ids(), [0, 1, 2, 3, 4, 5, 6, 7]); // not the centre
/// assert_eq!(cube.edges().len(), 12);
/// assert_eq!(cube.faces().len(), 12); // two triangles a side
/// assert_eq!(cube.support_vertex(DVec3::ONE), 7);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Hull {
    vertices: Vec<DVec3>,
    vertex_ids: Vec<u32>,
    faces: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    dimension: usize,
    exact: bool,
    reach: f64,
    bounds: (DVec3, DVec3),
    blocks: SupportBlocks,
}

impl Hull {
    /// Creates the hull of at least one point. Returns an error that names the first point that is not finite or too
    /// far out.
    pub fn new(points: &[DVec3]) -> Result<Hull> {
        // Most of many points are strictly inside: they are no vertices, and no step of the construction chooses one of
        // them.
        let (ids, exact, boundary) = bounded_by(points, outer_points)?;
        Ok(Hull::assemble(points, &ids, exact, boundary))
    }

    /// Returns the indices of the extreme points alone, in order: the [`vertex_ids`](Hull::vertex_ids) of the hull.
    pub(crate) fn extreme_points(points: &[DVec3]) -> Result<Vec<u32>> {
        let (ids, _, boundary) = bounded_by(points, |points| (0..points.len() as u32).collect())?;
        let mut extreme: Vec<u32> = boundary.corners.iter().map(|&corner| ids[corner as usize]).collect();
        extreme.sort_unstable();
        Ok(extreme)
    }

    /// Returns the extreme points, in the order of the input.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Returns for each vertex its index in the input; the lowest one if the point was repeated.
    pub fn vertex_ids(&self) -> &[u32] {
        &self.vertex_ids
    }

    /// Returns triangles of vertices, counter-clockwise as seen from outside, that cover the boundary of a
    /// 3-dimensional hull; a facet with more corners is a fan. Empty for a flat hull.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// Returns the edges of the solid, each once, lower vertex first. The diagonals of a fan are not included.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// Returns 0 for a point, 1 for a segment, 2 for a polygon, 3 for a polytope. This is exact, but only an upper
    /// bound if the hull is not [exact](Hull::is_exact).
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns false if the coordinates span more orders of magnitude than the predicates support. Then all distinct
    /// points are vertices, and there are no faces or edges.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Returns the vertex with the largest product with `direction`, in floating point; the lowest one in a tie.
    pub fn support_vertex(&self, direction: DVec3) -> usize {
        // A NaN direction finds no vertex, and vertex 0 is as good as any.
        self.blocks.highest(direction).number as usize
    }

    fn assemble(points: &[DVec3], ids: &[u32], exact: bool, boundary: Boundary) -> Hull {
        // `distinct` sorts the points lexicographically; the vertices return to the order of the input.
        let mut corners = boundary.corners;
        corners.sort_unstable_by_key(|&corner| ids[corner as usize]);
        let mut vertex_of = vec![u32::MAX; ids.len()];
        for (vertex, &corner) in corners.iter().enumerate() {
            vertex_of[corner as usize] = vertex as u32;
        }
        let vertex_ids: Vec<u32> = corners.iter().map(|&corner| ids[corner as usize]).collect();
        let vertices: Vec<DVec3> = vertex_ids.iter().map(|&id| points[id as usize]).collect();

        let mut faces = Vec::new();
        let mut edges = Vec::new();
        for polygon in &boundary.polygons {
            let vertex = |k: usize| vertex_of[polygon[k % polygon.len()] as usize];
            for k in 0..polygon.len() {
                // A polytope has each edge twice, once in each direction; a polygon or a segment only once.
                let (from, to) = (vertex(k), vertex(k + 1));
                if from < to || boundary.dimension == 2 {
                    edges.push([from.min(to), from.max(to)]);
                }
            }
            if boundary.dimension == 3 {
                faces.extend((2..polygon.len()).map(|k| [vertex(0), vertex(k - 1), vertex(k)]));
            }
        }
        let (bounds, blocks) = (bounds_of(&vertices), SupportBlocks::new(&vertices));
        // Five roundings in the squared length and one in the root.
        let farthest = largest_upper(vertices.iter().map(|v| v.length()));
        let reach = farthest * (1.0 + 8.0 * UNIT) + TINY_LENGTH;
        let dimension = boundary.dimension;
        Hull { vertices, vertex_ids, faces, edges, dimension, exact, reach: up(reach), bounds, blocks }
    }
}

/// Vertices are numbered as in the input, edges and faces as in [`Hull::edges`] and [`Hull::faces`].
impl Convex for Hull {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.vertices[self.support_vertex(direction)]
    }

    fn extent(&self, direction: DVec3) -> f64 {
        upper_if_known(self.blocks.height(direction))
    }

    /// Returns the height of the highest vertex, by the same products and sums as in `support_blocks`.
    fn extent_with(&self, direction: DVec3, support: DVec3) -> f64 {
        upper_if_known(support.dot(direction))
    }

    fn reach(&self) -> f64 {
        self.reach
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        self.bounds
    }

    fn feature(&self, _point: DVec3, normal: DVec3) -> Feature {
        // The vertices that are as far out as the farthest, up to the error of closest points. Only the label depends
        // on the slack.
        let slack = 1e-9 * self.reach;
        let highest = self.blocks.highest(normal);
        let top = upper_if_known(highest.height);
        let vertex = Feature::Vertex(self.vertex_ids[highest.number as usize]);
        // Usually there is only one, and the faces and edges need not be scanned.
        if self.blocks.is_at_most_one_above(normal, top - slack) {
            return vertex;
        }
        let on_top = |&i: &u32| self.vertices[i as usize].dot(normal) >= top - slack;
        let count = (0..self.vertices.len() as u32).filter(on_top).count();
        let faces: &[[u32; 3]] = if count >= 3 { &self.faces } else { &[] };
        let edges: &[[u32; 2]] = if count >= 2 { &self.edges } else { &[] };
        if let Some(face) = faces.iter().position(|face| face.iter().all(on_top)) {
            Feature::Face(face as u32)
        } else if let Some(edge) = edges.iter().position(|edge| edge.iter().all(on_top)) {
            Feature::Edge(edge as u32)
        } else {
            vertex
        }
    }
}

/// Returns the lowest index of each distinct point, true if the predicates are exact for them, and the boundary of
/// their hull. Only the points that `choose` returns are examined; the others must be strictly inside.
fn bounded_by(points: &[DVec3], choose: impl Fn(&[DVec3]) -> Vec<u32>) -> Result<(Vec<u32>, bool, Boundary)> {
    if points.is_empty() {
        return Err(Error::Empty { what: "point set of a convex hull".into() });
    }
    if points.len() >= u32::MAX as usize {
        return Err(Error::OutOfRange {
            what: "number of points of a convex hull".into(),
            expected: "less than 2^32 - 1",
            value: points.len() as f64,
        });
    }
    for (i, point) in points.iter().enumerate() {
        bounded_vector(|| format!("hull point {i}"), *point)?;
    }

    let ids = distinct(points, choose(points));
    let (exact, boundary) = match scaled(points, &ids) {
        Some(scaled) => (true, Boundary::new(&scaled)),
        None => (false, Boundary::unknown(ids.len())),
    };
    Ok((ids, exact, boundary))
}

/// Returns the indices of the distinct ones of some points, in lexicographic order; the lowest index of equal ones.
fn distinct(points: &[DVec3], chosen: Vec<u32>) -> Vec<u32> {
    // Integers in the order of the numbers: adding zero turns -0 into +0, and the bits of negative numbers are in
    // reverse order.
    let rank = |x: f64| {
        let bits = (x + 0.0).to_bits() as i64;
        bits ^ ((bits >> 63) as u64 >> 1) as i64
    };
    // The first coordinate decides most comparisons without access to the points.
    let mut sorted: Vec<(i64, u32)> = chosen.into_iter().map(|i| (rank(points[i as usize].x), i)).collect();
    sorted.sort_unstable_by(|(x, i), (other, j)| {
        x.cmp(other).then_with(|| {
            let (p, q) = (points[*i as usize], points[*j as usize]);
            rank(p.y).cmp(&rank(q.y)).then(rank(p.z).cmp(&rank(q.z))).then(i.cmp(j))
        })
    });
    sorted.dedup_by(|(_, next), (_, kept)| points[*next as usize] == points[*kept as usize]);
    sorted.into_iter().map(|(_, i)| i).collect()
}

/// Returns the points times the power of two that puts the largest coordinate just below 2^300. Returns `None` if the
/// last bit of some coordinate would then be below 2^-300, where the predicates are no longer exact.
fn scaled(points: &[DVec3], ids: &[u32]) -> Option<Vec<Coord3D<f64>>> {
    let coordinates = || ids.iter().flat_map(|&id| points[id as usize].to_array()).filter(|&x| x != 0.0);
    let highest = coordinates().map(first_bit).max().unwrap_or(0);
    let lowest = coordinates().map(last_bit).min().unwrap_or(0);
    let shift = 299 - highest;
    if lowest + shift < -300 {
        return None;
    }
    // `shift` can be up to 299 + 1074, beyond the largest power of two, so the scaling takes two steps. Both are
    // exact: either they grow the number or, for coordinates above 2^300, they shrink it by at most 2^34, with the
    // last bit at 2^-300 or above.
    let half = power_of_two(shift / 2);
    let rest = power_of_two(shift - shift / 2);
    let scale = |x: f64| x * half * rest;
    let point = |&id: &u32| {
        let p = points[id as usize] + DVec3::ZERO;
        Coord3D { x: scale(p.x), y: scale(p.y), z: scale(p.z) }
    };
    Some(ids.iter().map(point).collect())
}

/// Returns the exponents of the highest and of the lowest set bit of a nonzero number.
fn first_bit(x: f64) -> i32 {
    let (exponent, mantissa) = decompose(x);
    exponent + 63 - mantissa.leading_zeros() as i32
}

fn last_bit(x: f64) -> i32 {
    let (exponent, mantissa) = decompose(x);
    exponent + mantissa.trailing_zeros() as i32
}

/// Returns exponent and mantissa, with `|x| = mantissa * 2^exponent`.
fn decompose(x: f64) -> (i32, u64) {
    let bits = x.to_bits();
    let (biased, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    if biased == 0 { (-1074, fraction) } else { (biased - 1075, fraction | 1 << 52) }
}

/// The extreme points of distinct, lexicographically sorted points, and the polygons that bound them.
struct Boundary {
    dimension: usize,
    corners: Vec<u32>,
    polygons: Vec<Vec<u32>>,
}

impl Boundary {
    fn new(points: &[Coord3D<f64>]) -> Boundary {
        let others = || 1..points.len() as u32;
        // The first point in lexicographic order is extreme.
        let a = 0;
        if points.len() == 1 {
            return Boundary { dimension: 0, corners: vec![a], polygons: vec![] };
        }
        let at = |i: u32| points[i as usize];
        let reach = |i: u32| {
            let (p, q) = (at(a), at(i));
            largest([p.x - q.x, p.y - q.y, p.z - q.z])
        };
        let b = farthest(others(), reach);
        let area = |i: u32| largest(monotone_chain::triangle_shadows([at(a), at(b), at(i)]));
        let c = farthest(others(), area);
        if area(c) == 0.0 {
            // On a line, the lexicographic order is the order along it.
            let segment = vec![a, points.len() as u32 - 1];
            return Boundary { dimension: 1, corners: segment.clone(), polygons: vec![segment] };
        }
        let volume = |i: u32| quickhull::height(points, [a, b, c], i).abs();
        let d = farthest(others(), volume);
        if volume(d) == 0.0 {
            let mut all: Vec<u32> = (0..points.len() as u32).collect();
            let polygon = monotone_chain::convex_polygon(points, [a, b, c], &mut all);
            return Boundary { dimension: 2, corners: polygon.clone(), polygons: vec![polygon] };
        }
        let polygons = quickhull::facets(points, [a, b, c, d]);
        let mut corners = polygons.concat();
        corners.sort_unstable();
        corners.dedup();
        Boundary { dimension: 3, corners, polygons }
    }

    /// Returns a boundary with all points as corners and no polygons.
    fn unknown(len: usize) -> Boundary {
        Boundary { dimension: 3.min(len - 1), corners: (0..len as u32).collect(), polygons: vec![] }
    }
}

fn farthest(candidates: impl Iterator<Item = u32>, measure: impl Fn(u32) -> f64) -> u32 {
    let mut best = (0, -1.0);
    for i in candidates {
        let value = measure(i);
        if value > best.1 {
            best = (i, value);
        }
    }
    best.0
}

fn largest(values: [f64; 3]) -> f64 {
    largest_upper(values.map(f64::abs))
}

#[cfg(test)]
#[path = "hull_tests.rs"]
mod tests;
