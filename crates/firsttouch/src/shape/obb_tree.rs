//! A hierarchy of oriented boxes over the triangles of a mesh.
//!
//! 1. Each node has the oriented box of its triangles' corners ([`Obb`]).
//! 2. The triangles are split into two halves at the median of their centroids along the longest axis.
//! 3. The splitting ends at one triangle per leaf.
//! 4. If the convex hull of a node has few corners, the hull bounds the node instead of the box
//!    ([`NodeVolume::extent`]). The box still provides the directions to try.
//!
//! # What is built when
//! A node is built when a query first visits it: most parts of most bodies are never near another body. The upper part
//! of the tree ends at patches of at most `obb_patch::MOST_TRIANGLES` triangles, all of one depth. It is built two
//! nodes at a time: the first visit to a child divides the parent. The first visit below the root of a patch builds the
//! whole patch (`obb_patch`).
//!
//! The hulls of the upper nodes are also built on the first visit, by the rule of `node_hulls`: a node has a hull if
//! its two children have hulls that have few corners together. All vertices of a patch with few vertices form the hull
//! of its root, so the patch need not be built for this hull. A node that is proven to have many corners
//! (`many_corners`) has no hull, and neither has any node above it.
//!
//! The tree depends on the mesh alone, so no bit depends on the order of queries or on threads.
//!
//! # Why oriented boxes
//! A patch of a smooth surface of size `s` has an oriented box of thickness about `s²`: two such surfaces that touch in
//! one place are separated everywhere else after a constant number of levels. Balls and axis-aligned boxes, of
//! thickness `s`, need more nodes at each level. Measured with the tree engine on ten scenes of two bunnies, both
//! rotating (means; the same tree with other volumes; `bench --bin rigid hierarchy`):
//!
//! | volumes | 7,000 triangles: pairs of volumes, of triangles, time | 69,000 triangles |
//! |---|---|---|
//! | oriented boxes | 840, 29, 0.18 ms | 1174, 33, 0.24 ms |
//! | boxes along the body's axes | 1839, 156, 0.50 ms | 3992, 280, 1.5 ms |
//! | segments swept by balls | 2467, 276, 0.74 ms | 5802, 609, 2.6 ms |
//! | balls | 3602, 464, 1.1 ms | 8429, 814, 3.8 ms |
//!
//! In the lower part of the tree, a hull with few corners is tighter than any box and as fast to evaluate. With hulls,
//! the two bodies need 272 pairs of volumes and 8 of triangles, in half the time, and the finer bodies 462 and 7. Hulls
//! over convex patches instead of halves are no better overall; `hull_tree` has the figures.
//!
//! A pair of oriented boxes costs no more than a pair of the other volumes: it needs support functions along a few
//! directions, and the poses of the instant. Wider nodes of axis-aligned boxes would save levels, but not the leaves
//! that such boxes cannot separate.
//!
//! **Guarantee.** For every direction `n` and every corner `v` of a node's triangles, `n · v` is at most
//! [`NodeVolume::extent`]`(n)`, up to the error stated there.

use std::sync::OnceLock;

use glam::{DMat3, DVec3};

use super::many_corners::has_many_corners;
use super::median_split;
use super::node_hulls::{CornerSpan, NodeHull};
use super::obb::{Corners, Obb};
use super::obb_patch::{MOST_NODES, MOST_TRIANGLES, Patch, centroid};
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

/// The hierarchy, without the mesh that it was built over. Node 0 is the root. All values computed on first use follow
/// from that mesh.
///
/// The numbers of the upper nodes come first. Then each patch has `MOST_NODES` numbers for the nodes below its root,
/// not all of which are used.
#[derive(Debug, Clone)]
pub struct ObbTree {
    /// The centres of the triangles, computed on first use.
    centroids: OnceLock<Vec<DVec3>>,
    /// The upper nodes, built on first use: first the root, then the two children of each divided node.
    pairs: Vec<OnceLock<Pair>>,
    /// The parent of each of these pairs but the first.
    parents: Vec<u32>,
    /// The number of the first child of each upper node; 0 for a leaf.
    children: Vec<u32>,
    /// The nodes below the root of each patch, built on first use.
    patches: Vec<OnceLock<Patch>>,
    /// For each upper node, true if it is proven to have too many corners for a hull.
    large: Vec<OnceLock<bool>>,
    /// The hulls of the upper nodes, built on first use.
    hulls: Vec<OnceLock<Option<NodeHull>>>,
}

/// Two upper nodes with one parent. The root is the second node of the first pair, which has no first node.
#[derive(Debug, Clone)]
struct Pair {
    nodes: [Node; 2],
    /// The triangles of the first node, then those of the second.
    order: Box<[u32]>,
}

/// Returns the pair of an upper node, and which of the two it is.
#[inline]
fn place(upper: u32) -> (usize, usize) {
    let number = upper as usize + 1;
    (number >> 1, number & 1)
}

impl ObbTree {
    /// Creates the tree over at least one triangle, without the parts that queries build on first use.
    pub fn new(triangles: usize) -> ObbTree {
        let mut depth = 0;
        while triangles.div_ceil(1 << depth) > MOST_TRIANGLES {
            depth += 1;
        }
        let upper: usize = (2 << depth) - 1;
        let (mut parents, mut children) = (vec![0; 1 << depth], vec![0; upper]);
        // A node and the number of the first node below it: its two children come first, then all below the first
        // child, then all below the second. Patches are numbered in the same order.
        let mut open = vec![(0, 1, depth)];
        let mut patch = 0;
        while let Some((node, first, depth)) = open.pop() {
            if depth == 0 {
                children[node] = if triangles == 1 { 0 } else { (upper + patch * MOST_NODES) as u32 };
                patch += 1;
            } else {
                children[node] = first as u32;
                parents[place(first as u32).0] = node as u32;
                let below_left = (2 << (depth - 1)) - 2;
                open.push((first + 1, first + 2 + below_left, depth - 1));
                open.push((first, first + 2, depth - 1));
            }
        }
        ObbTree {
            centroids: OnceLock::new(),
            pairs: vec![OnceLock::new(); 1 << depth],
            parents,
            children,
            patches: vec![OnceLock::new(); 1 << depth],
            large: vec![OnceLock::new(); upper],
            hulls: vec![OnceLock::new(); upper],
        }
    }

    /// Returns the tree with its mesh, which must be the one that it was built over.
    #[inline]
    pub fn over<'a>(&'a self, vertices: &'a [DVec3], triangles: &'a [[u32; 3]]) -> OpenTree<'a> {
        OpenTree { tree: self, vertices, triangles }
    }
}

/// A tree with the mesh that it was built over. It grows where queries visit it.
#[derive(Debug, Clone, Copy)]
pub struct OpenTree<'a> {
    tree: &'a ObbTree,
    vertices: &'a [DVec3],
    triangles: &'a [[u32; 3]],
}

impl<'a> OpenTree<'a> {
    /// Looks a node up, with its bounding volume.
    #[inline]
    pub fn volume(&self, index: u32) -> NodeVolume<'a> {
        match (index as usize).checked_sub(self.tree.children.len()) {
            None => NodeVolume { node: self.node(index), hull: HullPlace::Upper(*self, index) },
            Some(below) => {
                let (patch, place) = (self.patch(below / MOST_NODES), below % MOST_NODES);
                NodeVolume { node: &patch.nodes[place], hull: HullPlace::Patch(patch.hull(place)) }
            }
        }
    }

    /// Returns a node.
    #[inline]
    pub fn node(&self, index: u32) -> &'a Node {
        match (index as usize).checked_sub(self.tree.children.len()) {
            None => {
                let (pair, side) = place(index);
                &self.pair(pair).nodes[side]
            }
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

    /// Builds all parts that queries would build on first use, on threads if these are available and wanted.
    pub fn build_all(&self, parallel: bool) {
        self.tree.centroids.get_or_init(|| self.centroids(parallel));
        self.build_below(0, parallel);
    }

    /// Builds an upper node and all nodes below it.
    fn build_below(&self, node: u32, parallel: bool) {
        let first = self.tree.children[node as usize];
        let build = |node: u32| self.build_below(node, parallel);
        match (first as usize).checked_sub(self.tree.children.len()) {
            Some(below) => {
                self.patch(below / MOST_NODES);
            }
            None if first != 0 => {
                self.node(first);
                let is_parallel = parallel && self.members(node).len() >= FEW;
                parallel::join(is_parallel, || build(first), || build(first + 1));
            }
            None => {
                self.node(node);
            }
        }
        self.upper_hull(node);
    }

    #[inline]
    fn pair(&self, pair: usize) -> &'a Pair {
        self.tree.pairs[pair].get_or_init(|| self.made_pair(pair))
    }

    #[cold]
    fn made_pair(&self, pair: usize) -> Pair {
        let mut corners = Corners::default();
        if pair == 0 {
            let order: Box<[u32]> = (0..self.triangles.len() as u32).collect();
            corners.gather(order.iter().map(|&id| self.corners(id)));
            let volume = Obb::around_corners(&corners.split_at(3 * order.len())[0]);
            return Pair { nodes: [Node::EMPTY, self.with_children(0, volume)], order };
        }
        let parent = self.tree.parents[pair];
        let axis = self.node(parent).volume.axes.x_axis;
        let centroids = self.tree.centroids.get_or_init(|| self.centroids(false));
        let member = |&id: &u32| Member { key: centroids[id as usize].dot(axis), id };
        let mut members: Vec<Member> = self.members(parent).iter().map(member).collect();
        let middle = median_split::halves(&mut members, |member| (member.key, member.id as usize)).0.len();
        corners.gather(members.iter().map(|member| self.corners(member.id)));
        let volumes = Obb::around_both(&corners.split_at(3 * middle));
        let first = self.tree.children[parent as usize];
        let nodes = [0, 1].map(|k| self.with_children(first + k, volumes[k as usize]));
        Pair { nodes, order: members.into_iter().map(|member| member.id).collect() }
    }

    /// Returns an upper node with this volume.
    fn with_children(&self, node: u32, volume: Obb) -> Node {
        // Only the root can be a leaf, of the only triangle.
        Node { volume, children: self.tree.children[node as usize], triangle: 0 }
    }

    /// Returns the triangles of an upper node.
    fn members(&self, upper: u32) -> &'a [u32] {
        let (pair, side) = place(upper);
        let order = &self.pair(pair).order;
        let middle = if upper == 0 { 0 } else { order.len() / 2 };
        if side == 0 { &order[..middle] } else { &order[middle..] }
    }

    #[inline]
    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|v| self.vertices[v as usize])
    }

    fn centroids(&self, parallel: bool) -> Vec<DVec3> {
        parallel::table(parallel, self.triangles.len(), |triangle| centroid(self.corners(triangle as u32)))
    }

    #[inline]
    fn patch(&self, patch: usize) -> &'a Patch {
        self.tree.patches[patch].get_or_init(|| self.grown_patch(patch))
    }

    #[cold]
    fn grown_patch(&self, patch: usize) -> Patch {
        let first = (self.tree.children.len() + patch * MOST_NODES) as u32;
        let root = self.root_of(patch);
        Patch::new(self.vertices, self.triangles, self.members(root), &self.node(root).volume, first)
    }

    /// Returns the number of the root of a patch, by the way down to it.
    fn root_of(&self, patch: usize) -> u32 {
        let mut half = self.tree.patches.len() / 2;
        let mut root = 0;
        while half > 0 {
            root = self.tree.children[root as usize] + u32::from(patch & half != 0);
            half /= 2;
        }
        root
    }

    /// Returns the hull of one of the upper nodes, if it has few corners.
    #[inline]
    fn upper_hull(&self, node: u32) -> Option<&'a NodeHull> {
        self.tree.hulls[node as usize].get_or_init(|| self.found_hull(node)).as_ref()
    }

    #[cold]
    fn found_hull(&self, node: u32) -> Option<NodeHull> {
        let first = self.tree.children[node as usize];
        if first != 0 && (first as usize) < self.tree.children.len() {
            let is_known = |child: u32| self.tree.hulls[child as usize].get().is_some();
            if !(is_known(first) && is_known(first + 1)) && (self.has_many(node) || self.is_large(node)) {
                return None;
            }
            return NodeHull::of_parent(
                self.vertices,
                [self.upper_hull(first)?, self.upper_hull(first + 1)?],
            );
        }
        // The root of a patch, or the only triangle.
        NodeHull::of_triangles(self.vertices, self.triangles, self.members(node)).or_else(|| {
            let patch = (first as usize - self.tree.children.len()) / MOST_NODES;
            self.patch(patch).root_hull.clone()
        })
    }

    /// Returns true if an upper node is proven to have too many corners for a hull.
    fn has_many(&self, node: u32) -> bool {
        *self.tree.large[node as usize]
            .get_or_init(|| has_many_corners(self.vertices, self.triangles, self.members(node)))
    }

    /// Returns true if an upper node, or one below it, is proven to have too many corners for a hull.
    fn is_large(&self, node: u32) -> bool {
        if let Some(hull) = self.tree.hulls[node as usize].get() {
            return hull.is_none();
        }
        if self.members(node).len() <= MOST_TESTED {
            return self.has_many(node);
        }
        let first = self.tree.children[node as usize];
        self.tree.large[node as usize].get() == Some(&true)
            || self.is_large(first)
            || self.is_large(first + 1)
    }
}

/// A node that was looked up.
#[derive(Debug, Clone, Copy)]
pub struct NodeVolume<'a> {
    node: &'a Node,
    hull: HullPlace<'a>,
}

/// The place of a node's hull.
#[derive(Debug, Clone, Copy)]
enum HullPlace<'a> {
    /// The hull of an upper node, built on first use.
    Upper(OpenTree<'a>, u32),
    /// The hull of a node in a patch, if it has one.
    Patch(Option<CornerSpan<'a>>),
}

impl<'a> NodeVolume<'a> {
    /// Returns an upper bound of `direction · x` over the triangles of the node, for a direction of any length, up to
    /// [`EXTENT_ERROR`](super::convex::EXTENT_ERROR)` · |direction|` times the node's reach. It is the extent of their
    /// hull if that has few corners, otherwise of the box.
    #[inline(always)]
    pub fn extent(&self, direction: DVec3) -> f64 {
        self.extent_along(direction.x, direction.y, direction.z)
    }

    /// Returns [`NodeVolume::extent`]. The direction comes in registers: written to memory by coordinate and read by
    /// vectors, it would make the processor wait.
    #[inline(never)]
    fn extent_along(&self, x: f64, y: f64, z: f64) -> f64 {
        let direction = DVec3::new(x, y, z);
        let hull = match self.hull {
            HullPlace::Patch(hull) => hull,
            HullPlace::Upper(tree, index) => tree.upper_hull(index).map(NodeHull::span),
        };
        match hull {
            Some(hull) => hull.extent(direction),
            None => self.node.volume.extent(direction),
        }
    }

    /// Returns the box around its triangles.
    #[inline]
    pub fn bounds(&self) -> &'a Obb {
        &self.node.volume
    }
}

/// Two trees are equal if all their nodes and all their hulls are equal. The comparison builds both trees completely.
impl PartialEq for OpenTree<'_> {
    fn eq(&self, other: &Self) -> bool {
        let upper = || 0..self.tree.children.len() as u32;
        // A single triangle has no nodes below it.
        let patches = || (0..self.tree.patches.len()).filter(|_| self.triangles.len() > 1);
        self.triangles.len() == other.triangles.len()
            && upper().all(|node| self.node(node) == other.node(node))
            && upper().all(|node| self.upper_hull(node) == other.upper_hull(node))
            && patches().all(|patch| self.patch(patch) == other.patch(patch))
    }
}

/// A triangle that is being sorted into the tree.
#[derive(Clone, Copy)]
struct Member {
    /// Its coordinate along the axis of the current node.
    key: f64,
    id: u32,
}

/// The most triangles of a node above the patches that is always tested for many corners. A larger node is tested only
/// if a query visits it: the nodes below it decide the other cases.
const MOST_TESTED: usize = 4 * MOST_TRIANGLES;

/// The number of triangles below which a thread costs more than it saves.
pub(super) const FEW: usize = 4096;
