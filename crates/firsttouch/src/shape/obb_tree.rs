//! A hierarchy of oriented boxes over the triangles of a mesh.
//!
//! 1. Each node has the oriented box of its triangles' corners ([`Obb`]).
//! 2. The triangles are split into two halves at the median of their centroids along the longest axis.
//! 3. The splitting ends at one triangle per leaf.
//! 4. If the convex hull of a node has few corners, the hull bounds the node instead of the box
//!    ([`OpenTree::extent`]). The box still provides the directions to try.
//!
//! # What is built when
//! The tree is built down to patches of at most `obb_patch::MOST_TRIANGLES` triangles, all of one depth. What is below
//! the root of a patch is built when a query first looks there (`obb_patch`): most patches of most bodies are never near anything.
//!
//! So are the hulls of the upper nodes, of which `node_hulls` has the rule: a node has a hull if its two children have
//! hulls that have few corners together. A patch with few vertices has all of them; it need not be built for that. One node that is
//! proven to have many corners is enough to know that none above it has a hull.
//!
//! Everything depends on the mesh alone, so no bit depends on the order of queries or on threads.
//!
//! # Why oriented boxes
//! A patch of a smooth surface of size `s` has an oriented box of thickness about `s²`: two such surfaces that touch
//! in one place are separated everywhere else after a constant number of levels. Balls and axis-aligned boxes, of
//! thickness `s`, need ever more nodes. Measured with the tree engine on ten scenes of two bunnies, both rotating
//! (means; the same tree with other volumes; `bench --bin rigid hierarchy`):
//!
//! | volumes | 7,000 triangles: pairs of volumes, of triangles, time | 69,000 triangles |
//! |---|---|---|
//! | oriented boxes | 840, 29, 0.18 ms | 1174, 33, 0.24 ms |
//! | boxes along the body's axes | 1839, 156, 0.50 ms | 3992, 280, 1.5 ms |
//! | segments swept by balls | 2467, 276, 0.74 ms | 5802, 609, 2.6 ms |
//! | balls | 3602, 464, 1.1 ms | 8429, 814, 3.8 ms |
//!
//! In the lower part of the tree, a hull with few corners is tighter than any box and as fast to evaluate. With
//! hulls, the two bodies need 272 pairs of volumes and 8 of triangles, in half the time, and the finer ones 462
//! and 7. Hulls over convex patches instead of halves are no better on the whole; `hull_tree` has the figures.
//!
//! A pair of oriented boxes costs no more than a pair of the other volumes: it needs support functions along a few
//! directions, and the poses of the instant. Wider nodes of axis-aligned boxes would save levels, but not the leaves
//! that such boxes cannot separate.
//!
//! Guarantee: for every direction `n` and every corner `v` of a node's triangles, `n · v` is at most
//! [`OpenTree::extent`]`(n)`, up to the error stated there.

use std::ops::Range;
use std::sync::OnceLock;

use glam::{DMat3, DVec3};

use super::median_split;
use super::node_hulls::NodeHull;
use super::obb::{Corners, Obb};
use super::obb_patch::{MOST_NODES, MOST_TRIANGLES, Patch, centroid, has_many_corners};
use crate::parallel;

/// A node: a box, and either two children or a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// The box around its triangles.
    pub volume: Obb,
    /// The number of the first of its two consecutive children; 0, the root, for a leaf.
    pub(super) children: u32,
    /// The triangle of a leaf.
    pub(super) triangle: u32,
}

impl Node {
    pub(super) const EMPTY: Node = Node {
        volume: Obb { center: DVec3::ZERO, axes: DMat3::IDENTITY, half: DVec3::ZERO, reach: 0.0 },
        children: 0,
        triangle: 0,
    };

    /// Returns the two children of an inner node.
    #[inline]
    pub fn children(&self) -> Option<[u32; 2]> {
        if self.children == 0 { None } else { Some([self.children, self.children + 1]) }
    }

    /// Returns the triangle of a leaf.
    #[inline]
    pub fn triangle(&self) -> u32 {
        self.triangle
    }
}

/// The hierarchy, without the mesh that it was built over. Node 0 is the root.
///
/// The numbers of the upper nodes come first. Then each patch has `MOST_NODES` numbers for the nodes below its root, not all of which are
/// used.
#[derive(Debug, Clone)]
pub struct ObbTree {
    upper: Vec<Node>,
    /// The triangles, patch by patch.
    order: Vec<u32>,
    /// The part of the order that each upper node has.
    ranges: Vec<Range<u32>>,
    /// The root of each patch, and what is below it once that was needed.
    patches: Vec<(u32, OnceLock<Patch>)>,
    /// Whether an upper node is proven to have too many corners for a hull.
    large: Vec<OnceLock<bool>>,
    /// The hulls of the upper nodes, once they were needed.
    hulls: Vec<OnceLock<Option<NodeHull>>>,
}

impl ObbTree {
    /// Builds the tree over at least one triangle whose indices are in range. The tree is the same with threads and without.
    pub fn new(vertices: &[DVec3], triangles: &[[u32; 3]], parallel: bool) -> ObbTree {
        let centroids = parallel::table(parallel, triangles, DVec3::ZERO, |triangle| {
            centroid(triangle.map(|v| vertices[v as usize]))
        });
        let mut depth = 0;
        while triangles.len().div_ceil(1 << depth) > MOST_TRIANGLES {
            depth += 1;
        }
        let mut upper = vec![Node::EMPTY; (2 << depth) - 1];
        let growth = Growth { vertices, triangles, centroids: &centroids, nodes: upper.len(), parallel };
        let member = |id: u32| Member { key: 0.0, id };
        let mut members: Vec<Member> = (0..triangles.len() as u32).map(member).collect();
        let mut corners = Corners::default();
        let (root, below) = upper.split_first_mut().expect("there is a root");
        root.volume = growth.fit(&members, &mut corners);
        let block = Block { node: root, below, first: 1, depth, patch: 0 };
        growth.grow(&mut members, block, &mut corners);
        let mut ranges = vec![0..triangles.len() as u32; upper.len()];
        let mut patches = vec![(0, OnceLock::new()); 1 << depth];
        for (number, node) in upper.iter().enumerate() {
            let first = node.children as usize;
            if let Some(below) = first.checked_sub(upper.len()) {
                patches[below / MOST_NODES].0 = number as u32;
            } else if first != 0 {
                let Range { start, end } = ranges[number];
                let middle = start + (end - start) / 2;
                (ranges[first], ranges[first + 1]) = (start..middle, middle..end);
            }
        }
        ObbTree {
            order: members.into_iter().map(|member| member.id).collect(),
            ranges,
            patches,
            large: vec![OnceLock::new(); upper.len()],
            hulls: vec![OnceLock::new(); upper.len()],
            upper,
        }
    }

    /// Returns the tree with its mesh, which must be the one that it was built over.
    #[inline]
    pub fn over<'a>(&'a self, vertices: &'a [DVec3], triangles: &'a [[u32; 3]]) -> OpenTree<'a> {
        OpenTree { tree: self, vertices, triangles }
    }

    fn members(&self, upper: u32) -> &[u32] {
        let Range { start, end } = self.ranges[upper as usize];
        &self.order[start as usize..end as usize]
    }
}

/// A tree with the mesh that it was built over: it grows where it is looked at.
#[derive(Debug, Clone, Copy)]
pub struct OpenTree<'a> {
    tree: &'a ObbTree,
    vertices: &'a [DVec3],
    triangles: &'a [[u32; 3]],
}

impl<'a> OpenTree<'a> {
    /// Returns an upper bound of `direction · x` over the triangles of a node, for a direction of any length, up to
    /// [`EXTENT_ERROR`](super::convex::EXTENT_ERROR)` · |direction|` times the node's reach. It is that of their hull
    /// if that has few corners, otherwise that of the box.
    #[inline]
    pub fn extent(&self, node: u32, direction: DVec3) -> f64 {
        let of_hull = match (node as usize).checked_sub(self.tree.upper.len()) {
            None => self.upper_hull(node).map(|hull| hull.extent(direction)),
            Some(below) => self.patch(below / MOST_NODES).extent(below % MOST_NODES, direction),
        };
        of_hull.unwrap_or_else(|| self.node(node).volume.extent(direction))
    }

    /// Returns a node.
    #[inline]
    pub fn node(&self, index: u32) -> &'a Node {
        match (index as usize).checked_sub(self.tree.upper.len()) {
            None => &self.tree.upper[index as usize],
            Some(below) => &self.patch(below / MOST_NODES).nodes[below % MOST_NODES],
        }
    }

    /// Returns the number of nodes: twice the number of triangles, less one.
    pub fn len(&self) -> usize {
        2 * self.triangles.len() - 1
    }

    /// Always returns false: a mesh has at least one triangle.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Returns the numbers of all nodes, parents before their children.
    pub fn numbers(&self) -> Vec<u32> {
        let mut numbers = vec![0];
        let mut next = 0;
        while next < numbers.len() {
            numbers.extend(self.node(numbers[next]).children().into_iter().flatten());
            next += 1;
        }
        numbers
    }

    /// Builds everything that queries would build when they need it.
    pub fn build_all(&self) {
        for node in self.numbers() {
            self.extent(node, DVec3::X);
        }
    }

    #[inline]
    fn patch(&self, patch: usize) -> &'a Patch {
        let (root, built) = &self.tree.patches[patch];
        built.get_or_init(|| self.grown_patch(*root))
    }

    #[cold]
    fn grown_patch(&self, root: u32) -> Patch {
        let Node { volume, children, .. } = &self.tree.upper[root as usize];
        Patch::new(self.vertices, self.triangles, self.tree.members(root), volume, *children)
    }

    /// Returns the hull of one of the upper nodes, if it has few corners.
    #[inline]
    fn upper_hull(&self, node: u32) -> Option<&'a NodeHull> {
        self.tree.hulls[node as usize].get_or_init(|| self.found_hull(node)).as_ref()
    }

    #[cold]
    fn found_hull(&self, node: u32) -> Option<NodeHull> {
        let first = self.tree.upper[node as usize].children;
        if first != 0 && (first as usize) < self.tree.upper.len() {
            if self.is_large(node) {
                return None;
            }
            return NodeHull::of_parent(
                self.vertices,
                [self.upper_hull(first)?, self.upper_hull(first + 1)?],
            );
        }
        // The root of a patch, or the only triangle.
        NodeHull::of_triangles(self.vertices, self.triangles, self.tree.members(node)).or_else(|| {
            let patch = (first as usize - self.tree.upper.len()) / MOST_NODES;
            self.patch(patch).root_hull.clone()
        })
    }

    /// Returns whether an upper node, or one below it, is proven to have too many corners for a hull.
    fn is_large(&self, node: u32) -> bool {
        if let Some(hull) = self.tree.hulls[node as usize].get() {
            return hull.is_none();
        }
        let members = self.tree.members(node);
        if members.len() <= MOST_TESTED {
            return *self.tree.large[node as usize]
                .get_or_init(|| has_many_corners(self.vertices, self.triangles, members));
        }
        let first = self.tree.upper[node as usize].children;
        self.is_large(first) || self.is_large(first + 1)
    }
}

/// Two trees are equal if all their nodes are, and all their hulls. This builds everything.
impl PartialEq for OpenTree<'_> {
    fn eq(&self, other: &Self) -> bool {
        let hulls = || 0..self.tree.upper.len() as u32;
        // A single triangle has nothing below it.
        let patches = || (0..self.tree.patches.len()).filter(|_| self.triangles.len() > 1);
        self.tree.upper == other.tree.upper
            && self.triangles.len() == other.triangles.len()
            && hulls().all(|node| self.upper_hull(node) == other.upper_hull(node))
            && patches().all(|patch| self.patch(patch) == other.patch(patch))
    }
}

/// A triangle that is being sorted into the tree.
#[derive(Clone, Copy)]
struct Member {
    /// Where it is along the axis of the current node.
    key: f64,
    id: u32,
}

/// How the upper part of a tree grows: depth first, by recursion, which halving keeps shallow.
struct Growth<'a> {
    vertices: &'a [DVec3],
    triangles: &'a [[u32; 3]],
    centroids: &'a [DVec3],
    /// How many upper nodes there are.
    nodes: usize,
    parallel: bool,
}

/// A node, and what is below it: first its two children, then all below the first child, then all below the second.
struct Block<'a> {
    node: &'a mut Node,
    below: &'a mut [Node],
    /// The number of the first node below.
    first: usize,
    /// How many times it is halved, and the first of its patches.
    depth: u32,
    patch: usize,
}

/// Nodes of up to this many triangles, which are above all patches, are tested for many corners: a test takes a time that grows with the
/// square.
const MOST_TESTED: usize = 4 * MOST_TRIANGLES;

/// Below this number of triangles, a thread costs more than it saves.
pub(super) const FEW: usize = 4096;

impl Growth<'_> {
    fn fit(&self, members: &[Member], corners: &mut Corners) -> Obb {
        let of_member =
            |member: &Member| self.triangles[member.id as usize].map(|v| self.vertices[v as usize]);
        corners.gather(members.iter().map(of_member));
        Obb::around_corners(&corners.split_at(3 * members.len())[0])
    }

    /// Grows everything between a node with these members and the patches. Its own volume is there already.
    fn grow(&self, members: &mut [Member], block: Block<'_>, corners: &mut Corners) {
        let Block { node, below, first, depth, patch } = block;
        if let [single] = members {
            node.triangle = single.id;
            return;
        }
        if depth == 0 {
            node.children = (self.nodes + patch * MOST_NODES) as u32;
            return;
        }
        let axis = node.volume.axes.x_axis;
        for member in &mut *members {
            member.key = self.centroids[member.id as usize].dot(axis);
        }
        let (left, right) = median_split::halves(members, |member| (member.key, member.id as usize));
        node.children = first as u32;
        let (pair, below) = below.split_at_mut(2);
        let [node_l, node_r] = pair else { unreachable!("two") };
        let (below_l, below_r) = below.split_at_mut(below.len() / 2);
        let (first_l, first_r) = (first + 2, first + 2 + below_l.len());
        let depth = depth - 1;
        let block_l = Block { node: node_l, below: below_l, first: first_l, depth, patch };
        let block_r =
            Block { node: node_r, below: below_r, first: first_r, depth, patch: patch + (1 << depth) };
        let grow = |members: &mut [Member], block: Block<'_>, corners: &mut Corners| {
            block.node.volume = self.fit(members, corners);
            self.grow(members, block, corners);
        };
        if self.parallel && left.len() >= FEW {
            parallel::join(
                true,
                || grow(left, block_l, corners),
                || grow(right, block_r, &mut Corners::default()),
            );
        } else {
            grow(left, block_l, corners);
            grow(right, block_r, corners);
        }
    }
}
