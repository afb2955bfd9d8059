//! The lower part of a hierarchy of oriented boxes: all nodes below a node of few triangles, with their convex hulls.
//!
//! Most patches of a mesh are never near another body. A patch is therefore built when a query first visits a node
//! below its root ([`ObbTree`](super::ObbTree)). It depends on its triangles and their order alone, so its bits do not
//! depend on when it is built.

use glam::DVec3;

use super::median_split;
use super::node_hulls::{CornerSpan, HullsBelow, NodeHull, NodeHulls};
use super::obb::{Corners, Obb};
use super::obb_lanes::{EightSets, SETS};
use super::obb_tree::Node;

/// The most triangles of a patch. With more, the first query near a patch takes longer; with fewer, the upper part of
/// the tree takes longer to build. A patch of this size has few enough vertices for a hull, unless its triangles share
/// almost none.
pub(super) const MOST_TRIANGLES: usize = 64;

/// The nodes below the root of one patch are fewer than this, a power of two.
pub(super) const MOST_NODES: usize = 2 * MOST_TRIANGLES;

/// The nodes below the root of a patch, and all hulls.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Patch {
    /// The nodes: the two children of the root first, then all below the first child, then all below the second.
    pub(super) nodes: Vec<Node>,
    /// The hull of the root, then the hulls of the nodes.
    hulls: NodeHulls,
    /// The hull of the root, if it has few corners.
    pub(super) root_hull: Option<NodeHull>,
}

impl Patch {
    /// Builds the nodes below a node with this volume over at least two triangles. `first` is the number of the first
    /// node below.
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
            side_by_side: EightSets::default(),
            corners,
            hulls: HullsBelow::with_room_for(members.len()),
        };
        growth.divide(&mut members, volume, &mut nodes, first);
        let (range, ranges_below) = ranges.split_first_mut().expect("that of the root");
        growth.cover(&members, range, ranges_below);
        let root_hull = growth.hulls.last_hull(vertices);
        Patch { nodes, hulls: NodeHulls::new(ranges, growth.hulls), root_hull }
    }

    /// Returns the hull of a node below the root, if it has one.
    #[inline]
    pub(super) fn hull(&self, node: usize) -> Option<CornerSpan<'_>> {
        self.hulls.hull(node as u32 + 1)
    }
}

/// Returns the mean of three corners.
pub(super) fn centroid(corners: [DVec3; 3]) -> DVec3 {
    corners.into_iter().sum::<DVec3>() / 3.0
}

/// A triangle that is being sorted into the tree.
#[derive(Clone, Copy)]
struct Member {
    /// Its coordinate along the axis of the current node.
    key: f64,
    id: u32,
    /// Its place in the lists of the patch.
    place: u32,
}

/// The growth of a patch: first all boxes, level by level, then all hulls, from the leaves up.
struct Growth<'a> {
    vertices: &'a [DVec3],
    triangles: &'a [[u32; 3]],
    corners: Vec<[DVec3; 3]>,
    centroids: Vec<DVec3>,
    gathered: Corners,
    side_by_side: EightSets,
    hulls: HullsBelow,
}

/// The number of nodes of a level that are divided together: eight boxes take little longer than one.
const AT_ONCE: usize = SETS / 2;

/// A node that must still be divided.
#[derive(Clone, Copy)]
struct Undivided {
    /// Its place among the nodes below the root; `None` for the root.
    node: Option<usize>,
    /// The first of its members, and their number.
    start: usize,
    count: usize,
    /// The axis along which it is longest.
    axis: DVec3,
    /// The place of the first node below: first its two children, then all below the first child, then all below the
    /// second.
    below: usize,
}

impl Growth<'_> {
    /// Divides the members of the root, which has this volume, until each is alone. `first` is the number of the first
    /// node.
    fn divide(&mut self, members: &mut [Member], root: &Obb, nodes: &mut [Node], first: u32) {
        let root = Undivided { node: None, start: 0, count: members.len(), axis: root.axes.x_axis, below: 0 };
        let (mut level, mut next) = (vec![root], Vec::new());
        while !level.is_empty() {
            let (fours, rest) = level.as_chunks::<AT_ONCE>();
            for four in fours {
                for open in four {
                    self.halve(members, open);
                }
                let pairs = self.boxes_of(members, four);
                for (open, volumes) in four.iter().zip(pairs.as_chunks::<2>().0) {
                    open.add_children(members, volumes, nodes, first, &mut next);
                }
            }
            for open in rest {
                self.halve(members, open);
                let own = &members[open.start..open.start + open.count];
                self.gathered.gather(own.iter().map(|member| self.corners[member.place as usize]));
                let volumes = Obb::around_both(&self.gathered.split_at(3 * (open.count / 2)));
                open.add_children(members, &volumes, nodes, first, &mut next);
            }
            level.clear();
            std::mem::swap(&mut level, &mut next);
        }
    }

    /// Orders the members of a node by halves.
    fn halve(&self, members: &mut [Member], open: &Undivided) {
        let members = &mut members[open.start..open.start + open.count];
        for member in &mut *members {
            member.key = self.centroids[member.place as usize].dot(open.axis);
        }
        median_split::halves(members, |member| (member.key, member.id as usize));
    }

    /// Returns the boxes of the halves of some nodes.
    fn boxes_of(&mut self, members: &[Member], nodes: &[Undivided; AT_ONCE]) -> [Obb; SETS] {
        let halves: [[usize; 2]; SETS] = std::array::from_fn(|k| {
            let Undivided { start, count, .. } = nodes[k / 2];
            let middle = start + count / 2;
            if k % 2 == 0 { [start, middle] } else { [middle, start + count] }
        });
        self.side_by_side.begin(halves.map(|[start, end]| 3 * (end - start)));
        for (set, [start, end]) in halves.into_iter().enumerate() {
            for (place, member) in members[start..end].iter().enumerate() {
                self.side_by_side.set(set, 3 * place, &self.corners[member.place as usize]);
            }
        }
        self.side_by_side.boxes()
    }

    /// Finds the hulls of the nodes over these members, which are divided: depth first, by recursion, which halving
    /// keeps shallow. `range` is the range of the node, `below` are the ranges of the nodes below it.
    fn cover(&mut self, members: &[Member], range: &mut [u32; 2], below: &mut [[u32; 2]]) {
        if let [single] = members {
            *range = self.hulls.add_triangle(self.vertices, self.triangles[single.id as usize]);
            return;
        }
        let (left, right) = members.split_at(members.len() / 2);
        let (pair, below) = below.split_at_mut(2);
        let [range_l, range_r] = pair else { unreachable!("two") };
        let (below_l, below_r) = below.split_at_mut(2 * (left.len() - 1));
        self.cover(left, range_l, below_l);
        self.cover(right, range_r, below_r);
        *range = self.hulls.add_parent(self.vertices);
    }
}

impl Undivided {
    /// Stores the children of a node whose members are ordered by halves. Children of more than one member are divided
    /// next.
    fn add_children(
        &self,
        members: &[Member],
        volumes: &[Obb; 2],
        nodes: &mut [Node],
        first: u32,
        next: &mut Vec<Undivided>,
    ) {
        if let Some(node) = self.node {
            nodes[node].children = first + self.below as u32;
        }
        let left = self.count / 2;
        let halves = [(self.start, left), (self.start + left, self.count - left)];
        let mut below = self.below + 2;
        for (k, (start, count)) in halves.into_iter().enumerate() {
            let node = self.below + k;
            nodes[node].volume = volumes[k];
            if count == 1 {
                nodes[node].triangle = members[start].id;
            } else {
                let axis = volumes[k].axes.x_axis;
                next.push(Undivided { node: Some(node), start, count, axis, below });
            }
            below += 2 * (count - 1);
        }
    }
}
