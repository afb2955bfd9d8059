//! Finds all overlapping pairs among many boxes with a tree of boxes.
//!
//! 1. The boxes are split at the median of their centres, along the axis on which the centres spread the most, until
//!    few are left.
//! 2. From the leaves up, every node gets the box around its children.
//! 3. The tree is tested against itself: if the boxes of two nodes are disjoint, the pair is dropped with all pairs
//!    below it.
//!
//! Cost: `n log n` for the tree, plus roughly the number of overlapping pairs, for any distribution of the boxes. A
//! sweep along one axis visits all pairs that overlap along that axis, `n^(5/3)` in a cloud; it is faster for few
//! boxes.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 5.3, the hierarchy over swept boxes.

use std::ops::Range;

use glam::DVec3;
use smallvec::SmallVec;

use super::Aabb;
use crate::shape::median_split::{halves, longest};

/// Largest number of boxes in a leaf.
const LEAF: usize = 8;

/// Returns the pairs `[i, j]`, `i < j`, of boxes that overlap, in any order; `None` if there are more than `most`.
pub(super) fn overlapping_pairs(boxes: &[Aabb], most: usize) -> Option<Vec<[usize; 2]>> {
    let tree = BoxTree::new(boxes);
    let mut pairs = PairList { pairs: Vec::new(), most };
    WholeTree { tree: &tree, boxes }.with_itself(0, &mut pairs);
    (pairs.pairs.len() <= most).then_some(pairs.pairs)
}

/// A tree over boxes that finds the boxes that overlap a given one. The caller keeps the boxes themselves. A bound that
/// is NaN counts as infinite on its side, as it does for [`Aabb::overlaps`].
#[derive(Debug, Clone)]
pub(crate) struct BoxTree {
    nodes: Vec<Node>,
    order: Vec<usize>,
}

impl BoxTree {
    pub(crate) fn new(boxes: &[Aabb]) -> BoxTree {
        let mut order: Vec<usize> = (0..boxes.len()).collect();
        let mut nodes = Vec::new();
        build(boxes, &mut nodes, &mut order, 0..boxes.len());
        BoxTree { nodes, order }
    }

    /// Calls `visit` for every box that overlaps `bounds`, in an order that depends on the tree. `boxes` must be the
    /// boxes of the tree.
    pub(crate) fn overlapping(&self, boxes: &[Aabb], bounds: &Aabb, mut visit: impl FnMut(usize)) {
        let mut stack: SmallVec<[usize; 64]> = SmallVec::from_elem(0, 1);
        while let Some(place) = stack.pop() {
            let node = &self.nodes[place];
            if !bounds.overlaps(&node.bounds) {
                continue;
            }
            match node.right {
                Some(right) => stack.extend([right, place + 1]),
                None => {
                    let members = self.order[node.range.clone()].iter();
                    members.filter(|&&i| bounds.overlaps(&boxes[i])).for_each(|&i| visit(i));
                }
            }
        }
    }

    /// Fits the nodes to a box that has changed since the tree was built. If boxes have moved far, queries return the
    /// same boxes but take longer.
    pub(crate) fn refit(&mut self, boxes: &[Aabb], changed: usize) {
        let Some(at) = self.order.iter().position(|&i| i == changed) else { return };
        let mut path: SmallVec<[usize; 64]> = SmallVec::from_elem(0, 1);
        while let Some(right) = self.nodes[path[path.len() - 1]].right {
            let place = path[path.len() - 1];
            path.push(if at < self.nodes[right].range.start { place + 1 } else { right });
        }
        for &place in path.iter().rev() {
            let node = &self.nodes[place];
            let bounds = match node.right {
                Some(right) => self.nodes[place + 1].bounds.union(&self.nodes[right].bounds),
                None => around(boxes, &self.order[node.range.clone()]),
            };
            self.nodes[place].bounds = bounds;
        }
    }
}

/// A tree with its boxes.
struct WholeTree<'a> {
    tree: &'a BoxTree,
    boxes: &'a [Aabb],
}

/// The pairs found. The search ends when the list has one more than `most`.
struct PairList {
    pairs: Vec<[usize; 2]>,
    most: usize,
}

impl PairList {
    fn is_full(&self) -> bool {
        self.pairs.len() > self.most
    }
}

#[derive(Debug, Clone)]
struct Node {
    bounds: Aabb,
    range: Range<usize>,
    /// The right child. The left child directly follows its parent.
    right: Option<usize>,
}

fn around(boxes: &[Aabb], members: &[usize]) -> Aabb {
    let nothing = Aabb { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
    members.iter().fold(nothing, |all, &i| all.union(&boxes[i]))
}

fn build(boxes: &[Aabb], nodes: &mut Vec<Node>, order: &mut [usize], range: Range<usize>) {
    let place = nodes.len();
    let members = &mut order[range.clone()];
    nodes.push(Node { bounds: around(boxes, members), range: range.clone(), right: None });
    if range.len() <= LEAF {
        return;
    }
    let center = |i: usize, axis: usize| 0.5 * (boxes[i].low[axis] + boxes[i].high[axis]);
    let spread = |axis: usize| {
        let ends = members.iter().map(|&i| center(i, axis));
        let (low, high) =
            ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), c| (low.min(c), high.max(c))); // not a bound: chooses an axis
        high - low
    };
    let axis = longest(DVec3::new(spread(0), spread(1), spread(2)));
    let (left, _) = halves(members, |&i| (center(i, axis), i));
    let split = range.start + left.len();
    build(boxes, nodes, order, range.start..split);
    nodes[place].right = Some(nodes.len());
    build(boxes, nodes, order, split..range.end);
}

impl WholeTree<'_> {
    fn with_itself(&self, node: usize, pairs: &mut PairList) {
        let Node { range, right, .. } = &self.tree.nodes[node];
        match right {
            None => {
                let members = &self.tree.order[range.clone()];
                for (k, &i) in members.iter().enumerate() {
                    for &j in &members[k + 1..] {
                        self.compare(i, j, pairs);
                    }
                }
            }
            Some(right) => {
                self.with_itself(node + 1, pairs);
                self.with_itself(*right, pairs);
                self.with_each_other([node + 1, *right], pairs);
            }
        }
    }

    fn with_each_other(&self, [a, b]: [usize; 2], pairs: &mut PairList) {
        let (one, other) = (&self.tree.nodes[a], &self.tree.nodes[b]);
        if pairs.is_full() || !one.bounds.overlaps(&other.bounds) {
            return;
        }
        match (one.right, other.right) {
            (None, None) => {
                for &i in &self.tree.order[one.range.clone()] {
                    for &j in &self.tree.order[other.range.clone()] {
                        self.compare(i, j, pairs);
                    }
                }
            }
            (Some(right), _) if other.right.is_none() || one.range.len() >= other.range.len() => {
                self.with_each_other([a + 1, b], pairs);
                self.with_each_other([right, b], pairs);
            }
            (_, Some(right)) => {
                self.with_each_other([a, b + 1], pairs);
                self.with_each_other([a, right], pairs);
            }
            (Some(_), None) => unreachable!("handled by the arm above"),
        }
    }

    fn compare(&self, i: usize, j: usize, pairs: &mut PairList) {
        if self.boxes[i].overlaps(&self.boxes[j]) {
            pairs.pairs.push([i.min(j), i.max(j)]);
        }
    }
}
