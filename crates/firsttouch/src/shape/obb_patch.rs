//! The lower part of a hierarchy of oriented boxes: everything below a node of few triangles, with the convex hulls of its nodes.
//!
//! Most patches of a mesh are never near anything. A patch is therefore built when a query first looks below its root
//! ([`ObbTree`](super::ObbTree)). It depends on its triangles and their order alone, so its bits do not depend on when it is built.

use glam::DVec3;

use super::median_split;
use super::node_hulls::{CornerSpan, HullsBelow, NodeHull, NodeHulls};
use super::obb::{Corners, Obb};
use super::obb_tree::Node;

/// The most triangles of a patch. With more, the first query near a patch takes longer; with fewer, the upper part of the tree takes longer
/// to build. A patch of so many has few enough vertices for a hull, unless its triangles share hardly any.
pub(super) const MOST_TRIANGLES: usize = 64;

/// The nodes below the root of one patch are fewer than this, a power of two.
pub(super) const MOST_NODES: usize = 2 * MOST_TRIANGLES;

/// The nodes below the root of a patch, and all hulls.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Patch {
    /// A node, the two children first, then all below the first child, then all below the second.
    pub(super) nodes: Vec<Node>,
    /// First that of the root, then those of the nodes.
    hulls: NodeHulls,
    /// That of the root, if it has few corners.
    pub(super) root_hull: Option<NodeHull>,
}

impl Patch {
    /// Builds what is below a node with this volume over at least two triangles. `first` is the number of the first node below.
    pub(super) fn new(
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        members: &[u32],
        volume: &Obb,
        first: u32,
    ) -> Patch {
        let mut nodes = vec![Node::EMPTY; 2 * (members.len() - 1)];
        let mut ranges = vec![[0, 0]; nodes.len() + 1];
        let corners: Vec<[DVec3; 3]> =
            members.iter().map(|&id| triangles[id as usize].map(|v| vertices[v as usize])).collect();
        let centroids = corners.iter().map(|corners| centroid(*corners)).collect();
        let member = |(place, &id): (usize, &u32)| Member { key: 0.0, id, place: place as u32 };
        let mut members: Vec<Member> = members.iter().enumerate().map(member).collect();
        let mut growth = Growth {
            vertices,
            triangles,
            centroids,
            gathered: Corners::default(),
            corners,
            hulls: HullsBelow::with_room_for(members.len()),
        };
        let (range, ranges_below) = ranges.split_first_mut().expect("that of the root");
        let mut root = Node { volume: *volume, ..Node::EMPTY };
        let block = Block { node: &mut root, range, below: &mut nodes, ranges: ranges_below, first };
        growth.grow(&mut members, block);
        let root_hull = growth.hulls.last_hull(vertices);
        Patch { nodes, hulls: NodeHulls::new(ranges, growth.hulls), root_hull }
    }

    /// Returns the hull of a node below the root, if it has one.
    #[inline]
    pub(super) fn hull(&self, node: usize) -> Option<CornerSpan<'_>> {
        self.hulls.hull(node as u32 + 1)
    }
}

/// The mean of three corners.
pub(super) fn centroid(corners: [DVec3; 3]) -> DVec3 {
    corners.into_iter().sum::<DVec3>() / 3.0
}

/// A triangle that is being sorted into the tree.
#[derive(Clone, Copy)]
struct Member {
    /// Where it is along the axis of the current node.
    key: f64,
    id: u32,
    /// Its place in the lists of the patch.
    place: u32,
}

/// How a patch grows: depth first, by recursion, which halving keeps shallow.
struct Growth<'a> {
    vertices: &'a [DVec3],
    triangles: &'a [[u32; 3]],
    corners: Vec<[DVec3; 3]>,
    centroids: Vec<DVec3>,
    gathered: Corners,
    hulls: HullsBelow,
}

/// A node, and what is below it: first its two children, then all below the first child, then all below the second.
struct Block<'a> {
    node: &'a mut Node,
    range: &'a mut [u32; 2],
    below: &'a mut [Node],
    ranges: &'a mut [[u32; 2]],
    /// The number of the first node below.
    first: u32,
}

impl Growth<'_> {
    /// Grows everything below a node with these members. Its own volume is there already.
    fn grow(&mut self, members: &mut [Member], block: Block<'_>) {
        let Block { node, range, below, ranges, first } = block;
        if let [single] = members {
            node.triangle = single.id;
            *range = self.hulls.add_triangle(self.vertices, self.triangles[single.id as usize]);
            return;
        }
        let axis = node.volume.axes.x_axis;
        for member in &mut *members {
            member.key = self.centroids[member.place as usize].dot(axis);
        }
        let middle = median_split::halves(members, |member| (member.key, member.id as usize)).0.len();
        self.gathered.gather(members.iter().map(|member| self.corners[member.place as usize]));
        let (left, right) = members.split_at_mut(middle);
        node.children = first;
        let (pair, below) = below.split_at_mut(2);
        let (pair_ranges, ranges) = ranges.split_at_mut(2);
        let ([node_l, node_r], [range_l, range_r]) = (pair, pair_ranges) else { unreachable!("two and two") };
        [node_l.volume, node_r.volume] = Obb::around_both(&self.gathered.split_at(3 * middle));
        let below_left = 2 * (left.len() - 1);
        let (below_l, below_r) = below.split_at_mut(below_left);
        let (ranges_l, ranges_r) = ranges.split_at_mut(below_left);
        let first_right = first + 2 + below_left as u32;
        self.grow(
            left,
            Block { node: node_l, range: range_l, below: below_l, ranges: ranges_l, first: first + 2 },
        );
        self.grow(
            right,
            Block { node: node_r, range: range_r, below: below_r, ranges: ranges_r, first: first_right },
        );
        *range = self.hulls.add_parent(self.vertices);
    }
}
