//! A tree of spheres over a mesh, built bottom-up from a cover of equal leaf spheres, with labels.
//!
//! **Problem.** Build a hierarchy whose leaves have the same size for every object of a scene, for triangles of any
//! size. It must detect where it repeats itself.
//!
//! **Method.**
//! 1. The surface is covered by equal spheres of a size set by the user; each lists the vertices, edges and faces, or
//!    parts of them, that it holds. See `sphere_cover`.
//! 2. Divide and conquer: the leaves are split at the median along the longest side of the box around their centres,
//!    again and again (the last few along the side that leaves the fewest labels in the halves). Each inner node is
//!    the smaller of the sphere around its two children and the one around the middle of its leaves' box.
//! 3. *Labels.* Leaves that hold the same primitives have the same label. A node whose children have the same label
//!    also has that label; any other node has its own label. A test of a pair of labels need not be repeated for
//!    another pair of nodes with the same labels.
//! 4. *Factoring.* The primitives are stored once for each label. [`SphereTree::factored`] goes further: a subtree
//!    whose root shares its label with all its leaves adds no information, and is replaced by its root.
//!
//! **Guarantee.** Every point of a primitive lies in a leaf sphere that holds the primitive, and that sphere lies in
//! all spheres above it; radii are rounded up.
//!
//! **Departures.** The paper says that labels can reduce the memory of the tree but not how; step 4 is not in the
//! paper.
//!
//! References: Redon, Kheddar, Coquillart 2001, Sec. 3.1 and 4.4; Quinlan 1994; Ruspini, Kolarov, Khatib 1997.

use std::collections::HashMap;

use glam::DVec3;
use smallvec::SmallVec;

use super::convex::bounds_of;
use super::median_split;
use super::sphere_cover::{Grid, Leaf, Primitive, cover};
use crate::error::{Error, Result, positive};
use crate::numerics::bound::{largest_upper, upper_max};
use crate::numerics::rounding::{TINY_LENGTH, UNIT};

/// A node: a sphere, and either two children or the primitives of its label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SphereNode {
    /// The centre.
    pub center: DVec3,
    /// The radius, rounded up.
    pub radius: f64,
    /// The label: nodes with the same label hold the same primitives.
    pub label: u32,
    /// The index of the first of its two consecutive children; 0, the root, for a leaf.
    children: u32,
}

impl SphereNode {
    /// Returns the two children of an inner node.
    #[inline]
    pub fn children(&self) -> Option<[u32; 2]> {
        if self.children == 0 { None } else { Some([self.children, self.children + 1]) }
    }
}

/// The primitives held by leaves with one label.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Primitives {
    /// Vertices of the mesh.
    pub vertices: Vec<u32>,
    /// Edges of the tree; see [`SphereTree::edges`].
    pub edges: Vec<u32>,
    /// Triangles of the mesh.
    pub faces: Vec<u32>,
}

/// An edge between two triangles, or at the border of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Its two ends, as vertices of the mesh, the smaller index first.
    pub ends: [u32; 2],
    /// One of its triangles.
    pub face: u32,
}

/// The size of a tree and the savings by labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SphereTreeSize {
    /// The number of nodes.
    pub nodes: usize,
    /// The number of nodes left by [`SphereTree::factored`].
    pub nodes_factored: usize,
    /// The number of primitives that would be stored if each leaf had its own list.
    pub held: usize,
    /// The number of primitives stored, once for each label.
    pub stored: usize,
}

/// The tree. Node 0 is the root.
///
/// ```
/// use firsttouch::shape::{Mesh, SphereTree};
/// use glam::DVec3;
/// // One triangle: leaves in its interior hold only the face, and share a label.
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X * 8.0, DVec3::Y * 8.0], vec![[0, 1, 2]])?;
/// let tree = SphereTree::new(&mesh, 0.5)?;
/// let leaves = tree.nodes().iter().filter(|node| node.children().is_none());
/// assert!(leaves.clone().all(|leaf| leaf.radius == tree.leaf_radius()));
/// let inside = |label: u32| tree.primitives(label).edges.is_empty();
/// let labels: std::collections::HashSet<u32> = leaves.map(|leaf| leaf.label).collect();
/// assert_eq!(labels.into_iter().filter(|&label| inside(label)).count(), 1);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SphereTree {
    nodes: Vec<SphereNode>,
    /// The primitives by label. The labels of other inner nodes come after these.
    primitives: Vec<Primitives>,
    edges: Vec<Edge>,
    /// One triangle for each vertex.
    faces_of_vertices: Vec<u32>,
    leaf_radius: f64,
    held: usize,
}

impl SphereTree {
    /// Builds the tree over a mesh with leaf spheres of `leaf_radius`. Returns an error for a radius so small that
    /// there would be more than about 50 million leaves.
    ///
    /// ```
    /// use firsttouch::shape::{Mesh, SphereTree};
    /// use glam::DVec3;
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// assert!(SphereTree::new(&mesh, 1e-5).is_err());
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn new(mesh: &super::Mesh, leaf_radius: f64) -> Result<SphereTree> {
        let radius = positive(|| "leaf radius".into(), leaf_radius)?;
        let leaves = estimated_leaves(mesh.vertices(), mesh.triangles(), radius);
        if leaves > MOST_LEAVES {
            return Err(Error::OutOfRange {
                what: "leaf radius".into(),
                expected: "large enough for at most 5e7 leaves",
                value: leaf_radius,
            });
        }
        Ok(SphereTree::over(mesh.vertices(), mesh.triangles(), radius))
    }

    /// Builds the trees of two meshes with leaves of one size, as the paper requires (Sec. 4.4 and Fig. 1). The spheres
    /// of a floor must be about as small as those of a falling body, or every sphere of the body meets the same sphere
    /// of the floor. Without a `leaf_radius`, the radius is that of the mesh with the smaller triangles, doubled until
    /// there are at most [`LEAVES_PER_TRIANGLE`] leaves for each triangle of both. The trees are not
    /// [factored](SphereTree::factored): large spheres in the place of small ones let more pairs of nodes through.
    /// Measured on a floor: 8,000 triangles with leaves of half their size take 31 us a step by plain trees and 710 us
    /// by factored ones, with twice their size 41 and 120.
    pub fn for_both(meshes: [&super::Mesh; 2], leaf_radius: Option<f64>) -> Result<[SphereTree; 2]> {
        let radius = leaf_radius.unwrap_or_else(|| radius_for_both(meshes));
        Ok([SphereTree::new(meshes[0], radius)?, SphereTree::new(meshes[1], radius)?])
    }

    /// Builds the tree with leaves of about the size of the triangles.
    pub(super) fn natural(vertices: &[DVec3], triangles: &[[u32; 3]]) -> SphereTree {
        SphereTree::over(vertices, triangles, natural_radius(vertices, triangles))
    }

    fn over(vertices: &[DVec3], triangles: &[[u32; 3]], radius: f64) -> SphereTree {
        let mut faces_of_vertices = vec![u32::MAX; vertices.len()];
        let mut edges = Vec::with_capacity(3 * triangles.len());
        for (i, &[a, b, c]) in triangles.iter().enumerate() {
            for v in [a, b, c] {
                let face = &mut faces_of_vertices[v as usize];
                *face = (*face).min(i as u32);
            }
            for (p, q) in [(a, b), (b, c), (c, a)] {
                // An edge without length is a vertex, which is already covered.
                if p != q {
                    edges.push(Edge { ends: [p.min(q), p.max(q)], face: i as u32 });
                }
            }
        }
        edges.sort_unstable_by_key(|edge| (edge.ends, edge.face));
        edges.dedup_by_key(|edge| edge.ends);

        let (center, half) = bounds_of_triangles(vertices, triangles);
        let grid = Grid::new(center - half, center + half, radius);
        let used = (0..vertices.len() as u32).filter(|&v| faces_of_vertices[v as usize] != u32::MAX);
        let leaves = cover(&grid, vertices, used, edges.iter().map(|edge| edge.ends), triangles);

        let held = leaves.iter().map(|leaf| leaf.holds.len()).sum();
        let (labels, primitives) = label(&leaves);
        let mut tree = SphereTree {
            nodes: Vec::with_capacity(2 * leaves.len()),
            primitives,
            edges,
            faces_of_vertices,
            leaf_radius: grid.radius(),
            held,
        };
        tree.grow(&leaves, &labels);
        tree
    }

    /// Performs steps 2 and 3 of the header.
    fn grow(&mut self, leaves: &[Leaf], labels: &[u32]) {
        let leaf_radius = self.leaf_radius;
        let empty = SphereNode { center: DVec3::ZERO, radius: 0.0, label: 0, children: 0 };
        let mut order: Vec<u32> = (0..leaves.len() as u32).collect();
        let center_of = |i: u32| leaves[i as usize].center;
        self.nodes.push(empty);
        median_split::grow(&mut order, |node, members, first| {
            if let [single] = members {
                let (center, label) = (center_of(*single), labels[*single as usize]);
                self.nodes[node] = SphereNode { center, radius: leaf_radius, label, children: 0 };
                return None;
            }
            let (low, high) =
                members.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &i| {
                    (low.min(center_of(i)), high.max(center_of(i)))
                }); // not a bound: where to look for the centre
            let middle = 0.5 * (low + high);
            let farthest = largest_upper(members.iter().map(|&i| (center_of(i) - middle).length()));
            let longest = median_split::longest(high - low);
            let along = |axis: usize| move |&i: &u32| (center_of(i)[axis], i as usize);
            let mut axis = longest;
            if members.len() <= FEW {
                let mut fewest = usize::MAX;
                for candidate in [longest, (longest + 1) % 3, (longest + 2) % 3] {
                    let (left, right) = median_split::halves(members, along(candidate));
                    let count = kinds(left, labels) + kinds(right, labels);
                    if count < fewest {
                        (fewest, axis) = (count, candidate);
                    }
                }
            }
            let (left, _) = median_split::halves(members, along(axis));
            // Three roundings in the difference and its length, one in the sum.
            let radius = (farthest + leaf_radius) * (1.0 + 16.0 * UNIT) + TINY_LENGTH;
            self.nodes[node] = SphereNode { center: middle, radius, label: 0, children: first as u32 };
            self.nodes.extend([empty, empty]);
            Some(left.len())
        });
        // Children come after their parents, so in reverse order all nodes below a node are complete.
        let mut next_label = self.primitives.len() as u32;
        for i in (0..self.nodes.len()).rev() {
            let Some(children) = self.nodes[i].children() else { continue };
            let [a, b] = children.map(|child| self.nodes[child as usize]);
            let around = sphere_around(&a, &b);
            let node = &mut self.nodes[i];
            if around.1 < node.radius {
                (node.center, node.radius) = around;
            }
            node.label = if a.label == b.label {
                a.label
            } else {
                next_label += 1;
                next_label - 1
            };
        }
    }

    /// Returns the tree without the nodes below those that share their label with all their leaves. It holds the same
    /// primitives in fewer and larger leaves.
    pub fn factored(&self) -> SphereTree {
        let mut nodes = vec![self.nodes[0]];
        let mut next = 0;
        while next < nodes.len() {
            if let Some(children) = nodes[next].children() {
                nodes[next].children = 0;
                if nodes[next].label as usize >= self.primitives.len() {
                    nodes[next].children = nodes.len() as u32;
                    nodes.extend(children.map(|child| self.nodes[child as usize]));
                }
            }
            next += 1;
        }
        let held = nodes
            .iter()
            .filter(|node| node.children == 0)
            .map(|leaf| {
                let Primitives { vertices, edges, faces } = self.primitives(leaf.label);
                vertices.len() + edges.len() + faces.len()
            })
            .sum();
        SphereTree { nodes, held, ..self.clone() }
    }

    /// Returns the nodes.
    pub fn nodes(&self) -> &[SphereNode] {
        &self.nodes
    }

    /// Returns one node.
    #[inline]
    pub fn node(&self, index: u32) -> &SphereNode {
        &self.nodes[index as usize]
    }

    /// Returns the primitives of the leaves with a label; empty for a label that no leaf has.
    #[inline]
    pub fn primitives(&self, label: u32) -> &Primitives {
        const NONE: &Primitives = &Primitives { vertices: Vec::new(), edges: Vec::new(), faces: Vec::new() };
        self.primitives.get(label as usize).unwrap_or(NONE)
    }

    /// Returns the edges of the mesh, each once.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns a triangle that has the vertex as a corner; `u32::MAX` for a vertex that no triangle has.
    pub fn face_of_vertex(&self, vertex: u32) -> u32 {
        self.faces_of_vertices[vertex as usize]
    }

    /// Returns the radius of the leaf spheres: the requested one, enlarged by a few parts in a billion.
    pub fn leaf_radius(&self) -> f64 {
        self.leaf_radius
    }

    /// Returns the size of the tree and the savings by labels.
    pub fn size(&self) -> SphereTreeSize {
        let stored = self.primitives.iter().map(|p| p.vertices.len() + p.edges.len() + p.faces.len()).sum();
        let nodes_factored = self.factored().nodes.len();
        SphereTreeSize { nodes: self.nodes.len(), nodes_factored, held: self.held, stored }
    }
}

/// The most leaves that are split by label. On plates, 4 finds half as many uniform subtrees, and 16 costs more in
/// larger spheres than labels save.
const FEW: usize = 8;

/// Returns the number of different labels of some leaves.
fn kinds(members: &[u32], labels: &[u32]) -> usize {
    let mut kinds: SmallVec<[u32; FEW]> = members.iter().map(|&i| labels[i as usize]).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.len()
}

/// Returns a label for each leaf, and the primitives of each label.
fn label(leaves: &[Leaf]) -> (Vec<u32>, Vec<Primitives>) {
    let mut known: HashMap<&[Primitive], u32> = HashMap::new();
    let mut primitives = Vec::new();
    let labels = leaves
        .iter()
        .map(|leaf| {
            *known.entry(&leaf.holds).or_insert_with(|| {
                let mut lists = Primitives::default();
                for &primitive in &leaf.holds {
                    match primitive {
                        Primitive::Vertex(v) => lists.vertices.push(v),
                        Primitive::Edge(e) => lists.edges.push(e),
                        Primitive::Face(f) => lists.faces.push(f),
                    }
                }
                primitives.push(lists);
                primitives.len() as u32 - 1
            })
        })
        .collect();
    (labels, primitives)
}

/// Returns the smallest sphere around two, rounded up.
fn sphere_around(a: &SphereNode, b: &SphereNode) -> (DVec3, f64) {
    let between = b.center - a.center;
    let distance = between.length();
    if distance + b.radius <= a.radius {
        return (a.center, a.radius * (1.0 + 16.0 * UNIT) + TINY_LENGTH);
    }
    if distance + a.radius <= b.radius {
        return (b.center, b.radius * (1.0 + 16.0 * UNIT) + TINY_LENGTH);
    }
    let radius = 0.5 * (distance + a.radius + b.radius);
    let center = a.center + between * ((radius - a.radius) / distance);
    // For any rounding of the centre, this radius encloses both spheres.
    let reach = |s: &SphereNode| (s.center - center).length() + s.radius;
    (center, upper_max(reach(a), reach(b)) * (1.0 + 16.0 * UNIT) + TINY_LENGTH)
}

/// The most leaves of a tree; more take more memory than they are worth.
const MOST_LEAVES: f64 = 5e7;

/// Estimates the number of leaves of a radius that the triangles need: by area, by length, and one more.
fn estimated_leaves(vertices: &[DVec3], triangles: &[[u32; 3]], radius: f64) -> f64 {
    let leaves = |&[a, b, c]: &[u32; 3]| {
        let [a, b, c] = [a, b, c].map(|v| vertices[v as usize]);
        let area = 0.5 * (b - a).cross(c - a).length();
        1.0 + longest_side([a, b, c]) / radius + area / (radius * radius)
    };
    triangles.iter().map(leaves).sum()
}

/// Returns the default leaf radius of [`SphereTree::for_both`].
fn radius_for_both(meshes: [&super::Mesh; 2]) -> f64 {
    let sides = meshes.map(|mesh| (mesh.vertices(), mesh.triangles()));
    let [a, b] = sides.map(|(vertices, triangles)| natural_radius(vertices, triangles));
    let mut radius = if a < b { a } else { b };
    let most = LEAVES_PER_TRIANGLE * (sides[0].1.len() + sides[1].1.len()) as f64 + 64.0;
    // One leaf for each triangle is estimated at least, so the radius stops growing.
    while sides.map(|(vertices, triangles)| estimated_leaves(vertices, triangles, radius)).iter().sum::<f64>()
        > most
    {
        radius *= 2.0;
    }
    radius
}

/// The most leaves for each triangle of two meshes, with the default radius.
const LEAVES_PER_TRIANGLE: f64 = 8.0;

fn longest_side([a, b, c]: [DVec3; 3]) -> f64 {
    (b - a).length().max((c - b).length()).max((a - c).length())
}

/// Returns the box around the triangles. Unused vertices are not part of the surface.
fn bounds_of_triangles(vertices: &[DVec3], triangles: &[[u32; 3]]) -> (DVec3, DVec3) {
    bounds_of(triangles.iter().flatten().map(|&v| &vertices[v as usize]))
}

/// Returns a leaf radius of about the size of the triangles, such that there are not many more leaves than triangles.
fn natural_radius(vertices: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let n = triangles.len() as f64;
    let side = |corners: &[u32; 3]| longest_side(corners.map(|v| vertices[v as usize]));
    let mut radius = 0.5 * triangles.iter().map(side).sum::<f64>() / n;
    if radius <= crate::error::SMALLEST {
        // All triangles are points: any size works.
        let half = bounds_of_triangles(vertices, triangles).1.max_element();
        return if half > 1e-9 { half } else { 1e-9 };
    }
    while estimated_leaves(vertices, triangles, radius) > 16.0 * n + 64.0 {
        radius *= 2.0;
    }
    radius
}

#[cfg(test)]
mod tests {
    use super::super::Mesh;
    use super::*;

    fn draw(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn soup(state: &mut u64, triangles: usize, size: f64) -> Mesh {
        let mut vertices = Vec::new();
        let mut vector = |scale: f64| DVec3::new(draw(state), draw(state), draw(state)) * scale;
        for _ in 0..triangles {
            let center = vector(1.0);
            vertices.extend([center + vector(size), center + vector(size), center + vector(size)]);
        }
        let triangles = (0..triangles as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        Mesh::new(vertices, triangles).unwrap()
    }

    /// Every point of a face, by barycentric coordinates, is inside some leaf that holds the face.
    #[test]
    fn every_point_lies_in_a_leaf_that_holds_it() {
        let mut state = 3;
        for (size, radius) in [(0.5, 0.1), (0.5, 1.0), (0.02, 0.3), (1.0, 0.05)] {
            let mesh = soup(&mut state, 12, size);
            for tree in
                [SphereTree::new(&mesh, radius).unwrap(), SphereTree::new(&mesh, radius).unwrap().factored()]
            {
                assert!(tree.leaf_radius() < radius * 1.001);
                let holds = |point: DVec3, which: &dyn Fn(&Primitives) -> bool| {
                    let mut open = vec![0];
                    let mut found = false;
                    while let Some(node) = open.pop() {
                        let node = tree.node(node);
                        let inside = (node.center - point).length() <= node.radius;
                        match node.children() {
                            Some(children) if inside => open.extend(children),
                            None if inside => found |= which(tree.primitives(node.label)),
                            _ => {}
                        }
                    }
                    found
                };
                for (face, &corners) in mesh.triangles().iter().enumerate() {
                    let [a, b, c] = corners.map(|v| mesh.vertices()[v as usize]);
                    for i in 0..=20 {
                        for j in 0..=20 - i {
                            let (u, v) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                            let point = a * (1.0 - u - v) + b * u + c * v;
                            assert!(holds(point, &|p| p.faces.contains(&(face as u32))));
                        }
                    }
                }
                for (i, edge) in tree.edges().iter().enumerate() {
                    let [p, q] = edge.ends.map(|v| mesh.vertices()[v as usize]);
                    for k in 0..=40 {
                        let point = p.lerp(q, f64::from(k) / 40.0);
                        assert!(holds(point, &|p| p.edges.contains(&(i as u32))));
                    }
                }
                for (v, &point) in mesh.vertices().iter().enumerate() {
                    assert!(holds(point, &|p| p.vertices.contains(&(v as u32))));
                }
            }
        }
    }

    #[test]
    fn labels_follow_the_rule_and_save_memory() {
        let mesh = Mesh::new(
            vec![DVec3::ZERO, DVec3::X * 10.0, DVec3::new(10.0, 10.0, 1.0), DVec3::Y * 10.0],
            vec![[0, 1, 2], [0, 2, 3]],
        )
        .unwrap();
        let tree = SphereTree::new(&mesh, 0.2).unwrap();
        for node in tree.nodes() {
            if let Some([a, b]) = node.children() {
                let (a, b) = (tree.node(a), tree.node(b));
                assert_eq!(a.label == b.label, node.label == a.label);
                let mut open = vec![a, b];
                while let Some(below) = open.pop() {
                    match below.children() {
                        Some(children) => open.extend(children.map(|child| tree.node(child))),
                        None => {
                            let reach = (below.center - node.center).length() + below.radius;
                            assert!(reach <= node.radius * (1.0 + 1e-14));
                        }
                    }
                }
            }
        }
        assert_eq!(tree.edges().len(), 5);
        let size = tree.size();
        assert!(size.nodes_factored < size.nodes && size.stored < size.held / 2, "{size:?}");
        assert_eq!(tree.factored().size().nodes, size.nodes_factored);
    }
}
