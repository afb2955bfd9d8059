//! Which feature pairs may touch: pairs of leaves whose volumes meet in the window, then pairs of features in them.
//!
//! 1. A leaf is paired with itself and with the leaves after it: going up from it, whenever it comes from the left, the
//!    subtree on the right holds only later leaves and is searched from its top.
//! 2. A subtree is left alone when its swept volume does not meet the leaf's or, in the lower layer, when the moving volumes
//!    do not meet before the end of the window, which may shrink during the search.
//! 3. In a pair of leaves, the features of each that do not meet the volume of the other leaf are dropped first; what is
//!    left is paired.
//!
//! Guarantee: every pair of features whose swept volumes meet, and no pair twice.

use super::fit::Fit;
use super::hierarchy::Tree;
use super::volume::{Volume, entry};

/// Calls `visit` for every later leaf, and the leaf itself, that may touch it within `window()`; a negative window ends
/// the search.
pub(crate) fn leaves_near<const N: usize, V>(
    fit: &Fit<N>,
    leaf: usize,
    state: &mut V,
    window: impl Fn(&V) -> f64,
    mut visit: impl FnMut(&mut V, usize),
) {
    let leaves = fit.nodes.len() / 2;
    let own = &fit.nodes[leaves + leaf];
    visit(state, leaf);
    let mut stack = [0u32; 64];
    let mut up = leaves + leaf;
    while up > 1 {
        let from_left = up & 1 == 0;
        up >>= 1;
        if !from_left {
            continue;
        }
        stack[0] = (2 * up + 1) as u32;
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let node = stack[depth] as usize;
            if !own.overlaps(&fit.nodes[node]) {
                continue;
            }
            if node >= fit.first_moving {
                let (a, b) = (leaves + leaf - fit.first_moving, node - fit.first_moving);
                let limit = window(state);
                if !entry(&fit.moving[a], &fit.moving[b]).is_some_and(|t| t <= limit) {
                    continue;
                }
            }
            if node >= leaves {
                if window(state) < 0.0 {
                    return;
                }
                visit(state, node - leaves);
            } else {
                stack[depth] = (2 * node + 1) as u32;
                stack[depth + 1] = (2 * node) as u32;
                depth += 2;
            }
        }
    }
}

/// Room for the features of two leaves that may touch.
#[derive(Debug)]
pub(crate) struct Near<const N: usize> {
    first: Vec<(Volume<N>, u32)>,
    second: Vec<(Volume<N>, u32)>,
}

impl<const N: usize> Near<N> {
    pub(crate) fn new() -> Near<N> {
        Near { first: vec![], second: vec![] }
    }

    /// Every vertex/face and edge/edge pair of two leaves, or of one with itself, with meeting volumes, in the numbers of the
    /// tree. Vertex/face: the vertex first.
    #[inline]
    pub(crate) fn pairs<V>(
        &mut self,
        (tree, fit): (&Tree, &Fit<N>),
        (a, b): (usize, usize),
        state: &mut V,
        mut vertex_face: impl FnMut(&mut V, usize, usize),
        mut edge_edge: impl FnMut(&mut V, usize, usize),
    ) {
        let Near { first, second } = self;
        let leaf = |i: usize| &fit.nodes[fit.nodes.len() / 2 + i];
        let first_edges = collect(first, &fit.edges, &tree.edge_start, a, leaf(b));
        if a == b {
            for (k, (volume, i)) in first_edges.iter().enumerate() {
                each(&[(*volume, *i)], &first_edges[k + 1..], |i, j| edge_edge(state, i, j));
            }
        } else {
            let second_edges = collect(second, &fit.edges, &tree.edge_start, b, leaf(a));
            each(first_edges, second_edges, |i, j| edge_edge(state, i, j));
        }
        for (a, b) in [(a, b), (b, a)] {
            let vertices = collect(first, &fit.vertices, &tree.vertex_start, a, leaf(b));
            if !vertices.is_empty() {
                let faces = collect(second, &fit.faces, &tree.face_start, b, leaf(a));
                each(vertices, faces, |v, f| vertex_face(state, v, f));
            }
            if a == b {
                break;
            }
        }
    }

    /// Every edge/face pair of two leaves, or of one with itself, with meeting volumes; the edge first.
    pub(crate) fn edge_face_pairs(
        &mut self,
        (tree, fit): (&Tree, &Fit<N>),
        (a, b): (usize, usize),
        mut edge_face: impl FnMut(usize, usize),
    ) {
        let Near { first, second } = self;
        let leaf = |i: usize| &fit.nodes[fit.nodes.len() / 2 + i];
        for (a, b) in [(a, b), (b, a)] {
            let edges = collect(first, &fit.edges, &tree.edge_start, a, leaf(b));
            let faces = collect(second, &fit.faces, &tree.face_start, b, leaf(a));
            each(edges, faces, &mut edge_face);
            if a == b {
                break;
            }
        }
    }
}

/// The features of a leaf that meet the volume of another leaf.
#[inline(always)]
fn collect<'a, const N: usize>(
    room: &'a mut Vec<(Volume<N>, u32)>,
    volumes: &[Volume<N>],
    start: &[u32],
    leaf: usize,
    other: &Volume<N>,
) -> &'a [(Volume<N>, u32)] {
    let start = start[leaf] as usize..start[leaf + 1] as usize;
    room.clear();
    for (i, volume) in (start.start as u32..).zip(&volumes[start]) {
        if volume.overlaps(other) {
            room.push((*volume, i));
        }
    }
    room
}

#[inline(always)]
fn each<const N: usize>(
    first: &[(Volume<N>, u32)],
    second: &[(Volume<N>, u32)],
    mut f: impl FnMut(usize, usize),
) {
    for (volume, i) in first {
        for (other, j) in second {
            if volume.overlaps(other) {
                f(*i as usize, *j as usize);
            }
        }
    }
}
