//! Finds all overlapping pairs among many boxes with a tree of boxes.
//!
//! 1. The boxes are split at the median of their centres, along the axis on which the centres spread the most, until
//!    few are left.
//! 2. From the leaves up, every node gets the box around its children.
//! 3. The tree is tested against itself: if the boxes of two nodes are disjoint, the pair is dropped with everything
//!    below it.
//!
//! Cost: `n log n` for the tree, plus roughly the number of overlapping pairs, whatever the distribution of the
//! boxes. A sweep along one axis visits all pairs that overlap along that axis, `n^(5/3)` of them in a cloud; it is
//! faster for few boxes.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 5.3, the hierarchy over swept boxes.

use std::ops::Range;

use glam::DVec3;

use super::Aabb;
use crate::shape::median_split::{halves, longest};

/// Largest number of boxes in a leaf.
const LEAF: usize = 8;

/// Returns the pairs `[i, j]`, `i < j`, of boxes that overlap, in any order; `None` if there are more than `most`.
pub(super) fn overlapping_pairs(boxes: &[Aabb], most: usize) -> Option<Vec<[usize; 2]>> {
    let BoxTree { tree, order } = BoxTree::new(boxes);
    let mut pairs = PairList { pairs: Vec::new(), most };
    tree.with_itself(&order, 0, &mut pairs);
    (pairs.pairs.len() <= most).then_some(pairs.pairs)
}

/// A tree over boxes, to find the boxes that overlap one of them when a list of all pairs is too long. A bound that is
/// NaN counts as infinite on its side, as it does for [`Aabb::overlaps`].
pub(crate) struct BoxTree<'a> {
    tree: Tree<'a>,
    order: Vec<usize>,
}

impl<'a> BoxTree<'a> {
    pub(crate) fn new(boxes: &'a [Aabb]) -> BoxTree<'a> {
        let mut order: Vec<usize> = (0..boxes.len()).collect();
        let mut tree = Tree { boxes, nodes: Vec::new() };
        tree.build(&mut order, 0..boxes.len());
        BoxTree { tree, order }
    }

    /// Calls `visit` for every box that overlaps box `i`, itself included, in an order that depends on the tree.
    pub(crate) fn overlapping(&self, i: usize, mut visit: impl FnMut(usize)) {
        let Tree { boxes, nodes } = &self.tree;
        let own = &boxes[i];
        let mut stack = vec![0];
        while let Some(place) = stack.pop() {
            let Node { bounds, range, right } = &nodes[place];
            if !own.overlaps(bounds) {
                continue;
            }
            match right {
                Some(right) => stack.extend([*right, place + 1]),
                None => {
                    let members = self.order[range.clone()].iter();
                    members.filter(|&&j| own.overlaps(&boxes[j])).for_each(|&j| visit(j));
                }
            }
        }
    }
}

struct Tree<'a> {
    boxes: &'a [Aabb],
    nodes: Vec<Node>,
}

/// Pairs that were found. One more than `most` are kept at most, and the search ends with it.
struct PairList {
    pairs: Vec<[usize; 2]>,
    most: usize,
}

impl PairList {
    fn is_full(&self) -> bool {
        self.pairs.len() > self.most
    }
}

struct Node {
    bounds: Aabb,
    range: Range<usize>,
    /// The right child. The left child directly follows its parent.
    right: Option<usize>,
}

impl Tree<'_> {
    fn build(&mut self, order: &mut [usize], range: Range<usize>) {
        let place = self.nodes.len();
        let around = |members: &[usize]| {
            let nothing = Aabb { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
            members.iter().fold(nothing, |all, &i| all.union(&self.boxes[i]))
        };
        let members = &mut order[range.clone()];
        let bounds = around(members);
        self.nodes.push(Node { bounds, range: range.clone(), right: None });
        if range.len() <= LEAF {
            return;
        }
        let center = |i: usize, axis: usize| 0.5 * (self.boxes[i].low[axis] + self.boxes[i].high[axis]);
        let spread = |axis: usize| {
            let ends = members.iter().map(|&i| center(i, axis));
            let (low, high) =
                ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), c| (low.min(c), high.max(c))); // not a bound: chooses an axis
            high - low
        };
        let axis = longest(DVec3::new(spread(0), spread(1), spread(2)));
        let (left, _) = halves(members, |&i| (center(i, axis), i));
        let split = range.start + left.len();
        self.build(order, range.start..split);
        self.nodes[place].right = Some(self.nodes.len());
        self.build(order, split..range.end);
    }

    fn with_itself(&self, order: &[usize], node: usize, pairs: &mut PairList) {
        let Node { range, right, .. } = &self.nodes[node];
        match right {
            None => {
                let members = &order[range.clone()];
                for (k, &i) in members.iter().enumerate() {
                    for &j in &members[k + 1..] {
                        self.compare(i, j, pairs);
                    }
                }
            }
            Some(right) => {
                self.with_itself(order, node + 1, pairs);
                self.with_itself(order, *right, pairs);
                self.with_each_other(order, [node + 1, *right], pairs);
            }
        }
    }

    fn with_each_other(&self, order: &[usize], [a, b]: [usize; 2], pairs: &mut PairList) {
        let (one, other) = (&self.nodes[a], &self.nodes[b]);
        if pairs.is_full() || !one.bounds.overlaps(&other.bounds) {
            return;
        }
        match (one.right, other.right) {
            (None, None) => {
                for &i in &order[one.range.clone()] {
                    for &j in &order[other.range.clone()] {
                        self.compare(i, j, pairs);
                    }
                }
            }
            (Some(right), _) if other.right.is_none() || one.range.len() >= other.range.len() => {
                self.with_each_other(order, [a + 1, b], pairs);
                self.with_each_other(order, [right, b], pairs);
            }
            (_, Some(right)) => {
                self.with_each_other(order, [a, b + 1], pairs);
                self.with_each_other(order, [a, right], pairs);
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
