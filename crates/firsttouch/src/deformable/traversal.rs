//! The feature pairs that may touch: pairs of leaves whose volumes overlap in the window, then pairs of features in
//! them.
//!
//! 1. A leaf is paired with itself and with the leaves after it. The walk goes up from the leaf; whenever it comes
//!    from a left child, the right subtree contains only later leaves and is searched from its top. Within a patch
//!    that cannot touch itself (`normal_cones`) nothing can be found, so the walk starts at the top of the patch.
//! 2. A subtree is skipped if its swept volume does not overlap the leaf's or, in the lower layer, if the moving
//!    volumes do not overlap before the end of the window, which may shrink during the search.
//! 3. In a pair of leaves, the features of each that do not overlap the volume of the other leaf are dropped first;
//!    the remaining features are paired.
//!
//! Guarantee: every pair of features whose swept volumes overlap is visited, except pairs within a patch, and no pair
//! is visited twice.

use super::fit::Fit;
use super::hierarchy::Tree;
use super::normal_cones::Patches;
use super::volume::{Volume, entry};

/// Calls `visit` for this leaf and for every later leaf below `root` that may touch it within `window()` and is not
/// in its patch.
pub(crate) fn leaves_near<const N: usize, V>(
    fit: &Fit<N>,
    patches: &Patches,
    (root, leaf): (usize, usize),
    state: &mut V,
    window: impl Fn(&V) -> f64,
    mut visit: impl FnMut(&mut V, usize),
) {
    let mut up = match patches.top(leaf) {
        Some(top) => top,
        None => {
            visit(state, leaf);
            fit.nodes.len() / 2 + leaf
        }
    };
    while up > root {
        if up & 1 == 0 {
            leaves_below(fit, (up + 1, leaf), state, &window, &mut visit);
        }
        up >>= 1;
    }
}

/// Calls `visit` for every leaf below `root` that may touch this one within `window()`. A negative window ends the
/// search.
pub(crate) fn leaves_below<const N: usize, V>(
    fit: &Fit<N>,
    (root, leaf): (usize, usize),
    state: &mut V,
    window: impl Fn(&V) -> f64,
    mut visit: impl FnMut(&mut V, usize),
) {
    let leaves = fit.nodes.len() / 2;
    let own = &fit.nodes[leaves + leaf];
    let mut stack = [0u32; 64];
    stack[0] = root as u32;
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
            if !entry(&fit.moving[a], &fit.moving[b]).is_some_and(|t| t * fit.window <= limit) {
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

/// Buffers for the features of two leaves that may touch.
#[derive(Debug)]
pub(crate) struct NearFeatures<const N: usize> {
    first: Side<N>,
    second: Side<N>,
}

/// Features of one leaf: swept volumes, indices and, in a fit with a lower layer, moving volumes.
#[derive(Debug)]
struct Side<const N: usize> {
    swept: Vec<(Volume<N>, u32)>,
    moving: Vec<[Volume<N>; 2]>,
}

impl<const N: usize> NearFeatures<N> {
    pub(crate) fn new() -> NearFeatures<N> {
        let side = || Side { swept: vec![], moving: vec![] };
        NearFeatures { first: side(), second: side() }
    }

    /// Visits every vertex/face and edge/edge pair of two leaves, or of one leaf with itself, whose volumes overlap
    /// before the time `limit`. Features have the tree's indices; the vertex comes before the face.
    #[inline]
    pub(crate) fn pairs<V>(
        &mut self,
        (tree, fit): (&Tree, &Fit<N>),
        (a, b): (usize, usize),
        limit: f64,
        state: &mut V,
        mut vertex_face: impl FnMut(&mut V, usize, usize),
        mut edge_edge: impl FnMut(&mut V, usize, usize),
    ) {
        let NearFeatures { first, second } = self;
        // The limit as a fraction of the window, rounded up, although `entry` already leaves more than enough room.
        let limit = if fit.window > 0.0 { limit / fit.window * (1.0 + f64::EPSILON) } else { 1.0 };
        let leaf = |i: usize| &fit.nodes[fit.nodes.len() / 2 + i];
        let pair_of_edge = |i: usize| {
            let [a, b] = tree.edges[i].vertices.map(|v| &fit.vertex_pairs[v as usize]);
            Volume::union_of_pairs(a, b)
        };
        let pair_of_face = |i: usize| {
            let [a, b, c] = tree.faces[i].vertices.map(|v| &fit.vertex_pairs[v as usize]);
            Volume::union_of_pairs(&Volume::union_of_pairs(a, b), c)
        };
        let moving = !fit.vertex_pairs.is_empty();
        first.collect(&fit.edges, &tree.edge_start, a, leaf(b), moving, pair_of_edge);
        if a == b {
            for k in 0..first.swept.len() {
                first.each_with(k, first, k + 1, limit, |i, j| edge_edge(state, i, j));
            }
        } else if !first.swept.is_empty() {
            second.collect(&fit.edges, &tree.edge_start, b, leaf(a), moving, pair_of_edge);
            first.each(second, limit, |i, j| edge_edge(state, i, j));
        }
        for (a, b) in [(a, b), (b, a)] {
            first.collect(&fit.vertices, &tree.vertex_start, a, leaf(b), moving, |i| fit.vertex_pairs[i]);
            if !first.swept.is_empty() {
                second.collect(&fit.faces, &tree.face_start, b, leaf(a), moving, pair_of_face);
                first.each(second, limit, |v, f| vertex_face(state, v, f));
            }
            if a == b {
                break;
            }
        }
    }

    /// Visits every edge/face pair of two leaves, or of one leaf with itself, whose swept volumes overlap; the edge
    /// comes first.
    pub(crate) fn edge_face_pairs(
        &mut self,
        (tree, fit): (&Tree, &Fit<N>),
        (a, b): (usize, usize),
        mut edge_face: impl FnMut(usize, usize),
    ) {
        let NearFeatures { first, second } = self;
        let leaf = |i: usize| &fit.nodes[fit.nodes.len() / 2 + i];
        let nothing = |_| [Volume::EMPTY; 2];
        for (a, b) in [(a, b), (b, a)] {
            first.collect(&fit.edges, &tree.edge_start, a, leaf(b), false, nothing);
            second.collect(&fit.faces, &tree.face_start, b, leaf(a), false, nothing);
            first.each(second, 1.0, &mut edge_face);
            if a == b {
                break;
            }
        }
    }
}

impl<const N: usize> Side<N> {
    /// Collects the features of a leaf that overlap the volume of another leaf.
    #[inline(always)]
    fn collect(
        &mut self,
        volumes: &[Volume<N>],
        start: &[u32],
        leaf: usize,
        other: &Volume<N>,
        moving: bool,
        pair: impl Fn(usize) -> [Volume<N>; 2],
    ) {
        let range = start[leaf] as usize..start[leaf + 1] as usize;
        self.swept.clear();
        self.moving.clear();
        for (i, volume) in (range.start as u32..).zip(&volumes[range]) {
            if volume.overlaps(other) {
                self.swept.push((*volume, i));
                if moving {
                    self.moving.push(pair(i as usize));
                }
            }
        }
    }

    #[inline(always)]
    fn each(&self, second: &Side<N>, limit: f64, mut f: impl FnMut(usize, usize)) {
        for k in 0..self.swept.len() {
            self.each_with(k, second, 0, limit, &mut f);
        }
    }

    /// Pairs feature k with those of the other side from `from` on.
    #[inline(always)]
    fn each_with(
        &self,
        k: usize,
        second: &Side<N>,
        from: usize,
        limit: f64,
        mut f: impl FnMut(usize, usize),
    ) {
        let (volume, i) = &self.swept[k];
        for (l, (other, j)) in second.swept.iter().enumerate().skip(from) {
            if !volume.overlaps(other) {
                continue;
            }
            if let (Some(a), Some(b)) = (self.moving.get(k), second.moving.get(l))
                && entry(a, b).is_none_or(|t| t > limit)
            {
                continue;
            }
            f(*i as usize, *j as usize);
        }
    }
}
