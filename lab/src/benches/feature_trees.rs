//! Separate trees of vertices, edges and faces, as a comparison for the one tree of `firsttouch::deformable`.
//!
//! Three binary trees over swept boxes, halved at the median of the centres along the widest axis, with leaves of up to
//! eight features. Pairs of vertices and faces, and pairs of edges, are found by descending two trees at once, the
//! larger of two nodes first. Boxes are stored as in the other tree (single precision in the unit cube, a margin for
//! rounding), so both find the same pairs, up to the last bit of a box.

use glam::{DVec3, Vec4};

const LEAF: usize = 8;

#[derive(Clone, Copy)]
struct Box4 {
    low: Vec4,
    high: Vec4,
}

impl Box4 {
    const EMPTY: Box4 = Box4 { low: Vec4::INFINITY, high: Vec4::NEG_INFINITY };

    #[inline(always)]
    fn union(&self, other: &Box4) -> Box4 {
        Box4 { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    #[inline(always)]
    fn overlaps(&self, other: &Box4) -> bool {
        (self.low.cmple(other.high) & other.low.cmple(self.high)).bitmask() == 0b1111
    }

    fn size(&self) -> f32 {
        (self.high - self.low).truncate().element_sum()
    }
}

/// One tree: node k has the children 2k and 2k + 1, leaf i is node `leaves + i`.
struct Tree {
    leaves: usize,
    nodes: Vec<Box4>,
    /// The boxes in the order of the leaves, with the feature's number.
    features: Vec<(Box4, u32)>,
}

impl Tree {
    fn new(mut features: Vec<(Box4, u32)>) -> Tree {
        let mut leaves = 1;
        while leaves * LEAF < features.len() {
            leaves *= 2;
        }
        let total = features.len();
        halve(&mut features, 0..leaves, (leaves, total), 0);
        let mut nodes = vec![Box4::EMPTY; 2 * leaves];
        for leaf in 0..leaves {
            let range = total * leaf / leaves..total * (leaf + 1) / leaves;
            nodes[leaves + leaf] = features[range].iter().fold(Box4::EMPTY, |all, (own, _)| all.union(own));
        }
        for k in (1..leaves).rev() {
            nodes[k] = nodes[2 * k].union(&nodes[2 * k + 1]);
        }
        Tree { leaves, nodes, features }
    }

    fn leaf(&self, node: usize) -> &[(Box4, u32)] {
        let (leaf, total) = (node - self.leaves, self.features.len());
        &self.features[total * leaf / self.leaves..total * (leaf + 1) / self.leaves]
    }
}

fn halve(
    features: &mut [(Box4, u32)],
    range: std::ops::Range<usize>,
    (leaves, total): (usize, usize),
    offset: usize,
) {
    if range.len() < 2 {
        return;
    }
    let middle = range.start + range.len() / 2;
    let split = total * middle / leaves - offset;
    let center = |(own, _): &(Box4, u32)| own.low + own.high;
    let low = features.iter().fold(Vec4::INFINITY, |low, f| low.min(center(f)));
    let high = features.iter().fold(Vec4::NEG_INFINITY, |high, f| high.max(center(f)));
    let sides = high - low;
    let axis = (1..3).fold(0, |best, k| if sides[k] > sides[best] { k } else { best });
    if split < features.len() {
        features.select_nth_unstable_by(split, |a, b| center(a)[axis].total_cmp(&center(b)[axis]));
    }
    let (left, right) = features.split_at_mut(split);
    halve(left, range.start..middle, (leaves, total), offset);
    halve(right, middle..range.end, (leaves, total), offset + split);
}

/// The three trees of a mesh.
pub struct FeatureTrees {
    vertices: Tree,
    edges: Tree,
    faces: Tree,
}

impl FeatureTrees {
    /// Builds the trees for vertices that move from `t0` to `t1`.
    pub fn new(t0: &[DVec3], t1: &[DVec3], edges: &[[u32; 2]], triangles: &[[u32; 3]]) -> FeatureTrees {
        let low = t0.iter().chain(t1).fold(DVec3::INFINITY, |low, p| low.min(*p));
        let high = t0.iter().chain(t1).fold(DVec3::NEG_INFINITY, |high, p| high.max(*p));
        let (center, half) = ((low + high) * 0.5, (high - low).max_element() * 0.5);
        let margin = Vec4::splat(1.0 / 4_194_304.0);
        let of_vertex: Vec<Box4> = t0
            .iter()
            .zip(t1)
            .map(|(p, q)| {
                let at = |p: DVec3| ((p - center) / half).as_vec3().extend(0.0);
                let (p, q) = (at(*p), at(*q));
                Box4 { low: p.min(q) - margin, high: p.max(q) + margin }
            })
            .collect();
        let union =
            |corners: &[u32]| corners.iter().fold(Box4::EMPTY, |all, v| all.union(&of_vertex[*v as usize]));
        FeatureTrees {
            vertices: Tree::new(of_vertex.iter().copied().zip(0..).collect()),
            edges: Tree::new(edges.iter().map(|edge| union(edge)).zip(0..).collect()),
            faces: Tree::new(triangles.iter().map(|face| union(face)).zip(0..).collect()),
        }
    }

    /// Returns every vertex and face with overlapping boxes.
    pub fn vertex_face(&self, mut visit: impl FnMut(u32, u32)) {
        let mut stack = vec![(1, 1)];
        while let Some((a, b)) = stack.pop() {
            let (own, other) = (&self.vertices.nodes[a], &self.faces.nodes[b]);
            if !own.overlaps(other) {
                continue;
            }
            let (a_leaf, b_leaf) = (a >= self.vertices.leaves, b >= self.faces.leaves);
            if a_leaf && b_leaf {
                each(self.vertices.leaf(a), self.faces.leaf(b), &mut visit);
            } else if b_leaf || !a_leaf && own.size() > other.size() {
                stack.extend([(2 * a, b), (2 * a + 1, b)]);
            } else {
                stack.extend([(a, 2 * b), (a, 2 * b + 1)]);
            }
        }
    }

    /// Returns every two edges with overlapping boxes, once.
    pub fn edge_edge(&self, mut visit: impl FnMut(u32, u32)) {
        let tree = &self.edges;
        let mut stack = vec![(1, 1)];
        while let Some((a, b)) = stack.pop() {
            if a == b {
                if a >= tree.leaves {
                    let own = tree.leaf(a);
                    for k in 0..own.len() {
                        each(&own[k..k + 1], &own[k + 1..], &mut visit);
                    }
                } else {
                    stack.extend([(2 * a, 2 * a), (2 * a + 1, 2 * a + 1), (2 * a, 2 * a + 1)]);
                }
            } else if tree.nodes[a].overlaps(&tree.nodes[b]) {
                if a >= tree.leaves && b >= tree.leaves {
                    each(tree.leaf(a), tree.leaf(b), &mut visit);
                } else if b >= tree.leaves || a < tree.leaves && tree.nodes[a].size() > tree.nodes[b].size() {
                    stack.extend([(2 * a, b), (2 * a + 1, b)]);
                } else {
                    stack.extend([(a, 2 * b), (a, 2 * b + 1)]);
                }
            }
        }
    }
}

#[inline(always)]
fn each(a: &[(Box4, u32)], b: &[(Box4, u32)], visit: &mut impl FnMut(u32, u32)) {
    for (own, i) in a {
        for (other, j) in b {
            if own.overlaps(other) {
                visit(*i, *j);
            }
        }
    }
}
