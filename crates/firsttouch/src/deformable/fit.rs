//! The volumes of the tree for a span of time, in two layers.
//!
//! The problem: bound every feature and every node of the tree over `[0, window]`, again and again as the mesh moves on and
//! as a query narrows its window.
//!
//! 1. Each vertex gets the volume that it sweeps; those of edges and faces are unions of two and three.
//! 2. Leaves are unions of their features, nodes of their children: swept volumes throughout.
//! 3. In the lowest layers, below the switch height, nodes also carry the pair of volumes at times 0 and 1, which tells
//!    when two nodes meet at the earliest and separates what moves along together. Swept volumes above: near the root the
//!    pairs nearly always overlap, and cost twice the memory.
//!
//! Guarantee: the volumes hold what they should for all rounding (`volume`).
//!
//! Departures from the paper: its upper layer replaces pairs by swept volumes, here the lower layer has both, since the
//! swept test is the cheaper of the two and mostly enough. For a window shorter than the step the swept volumes shrink with
//! it, and no pairs are kept: they have next to nothing to add.
//!
//! Reference: Tang, Kim and Manocha 2010, Sec. VI, Fig. 5.

use glam::DVec3;

use super::hierarchy::Tree;
use super::threads;
use super::volume::{Frame, Volume};

/// All volumes for one window.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fit<const N: usize> {
    /// The end of the span `[0, window]`.
    pub(crate) window: f64,
    pub(crate) vertices: Vec<Volume<N>>,
    pub(crate) edges: Vec<Volume<N>>,
    pub(crate) faces: Vec<Volume<N>>,
    /// Swept, by node; entry 0 is unused.
    pub(crate) nodes: Vec<Volume<N>>,
    /// The pairs of the lower layer: node k has entry `k − first_moving`.
    pub(crate) moving: Vec<[Volume<N>; 2]>,
    pub(crate) first_moving: usize,
}

impl<const N: usize> Fit<N> {
    /// The volumes over `[0, window]`, for a tree whose vertices are at these places.
    pub(crate) fn new(
        tree: &Tree,
        (t0, t1): (&[DVec3], &[DVec3]),
        frame: &Frame<N>,
        window: f64,
        switch_height: u32,
        parallel: bool,
    ) -> Fit<N> {
        let used = tree.used_vertices();
        let numbers: Vec<usize> = (0..used).collect();
        let empty = Volume::EMPTY;
        let vertices = threads::table(parallel, &numbers, empty, |&v| frame.swept(t0[v], t1[v], window));
        let edges = threads::table(parallel, &tree.edges, empty, |edge| {
            let [a, b] = edge.vertices.map(|v| &vertices[v as usize]);
            a.union(b)
        });
        let faces = threads::table(parallel, &tree.faces, empty, |face| {
            let [a, b, c] = face.vertices.map(|v| &vertices[v as usize]);
            a.union(b).union(c)
        });
        let leaves = tree.leaves;
        let mut nodes = vec![empty; 2 * leaves];
        for leaf in 0..leaves {
            let mut all = empty;
            for (volumes, start) in
                [(&vertices, &tree.vertex_start), (&edges, &tree.edge_start), (&faces, &tree.face_start)]
            {
                for volume in &volumes[start[leaf] as usize..start[leaf + 1] as usize] {
                    all = all.union(volume);
                }
            }
            nodes[leaves + leaf] = all;
        }
        for k in (1..leaves).rev() {
            nodes[k] = nodes[2 * k].union(&nodes[2 * k + 1]);
        }
        let mut fit =
            Fit { window, vertices, edges, faces, nodes, moving: Vec::new(), first_moving: usize::MAX };
        if switch_height > 0 {
            fit.add_pairs(tree, (t0, t1), frame, switch_height, parallel);
        }
        fit
    }

    /// Step 3 of the header.
    fn add_pairs(
        &mut self,
        tree: &Tree,
        (t0, t1): (&[DVec3], &[DVec3]),
        frame: &Frame<N>,
        switch_height: u32,
        parallel: bool,
    ) {
        let leaves = tree.leaves;
        let numbers: Vec<usize> = (0..leaves).collect();
        let empty = [Volume::EMPTY; 2];
        let pairs = threads::table(parallel, &numbers, empty, |&leaf| {
            let mut pair = empty;
            let mut add = |v: u32| {
                let v = v as usize;
                pair[0] = pair[0].union(&frame.at(t0[v]));
                pair[1] = pair[1].union(&frame.at(t1[v]));
            };
            let range = |start: &[u32]| start[leaf] as usize..start[leaf + 1] as usize;
            range(&tree.vertex_start).for_each(|v| add(v as u32));
            let own = range(&tree.vertex_start);
            let foreign = |v: &u32| !own.contains(&(*v as usize));
            tree.edges[range(&tree.edge_start)]
                .iter()
                .flat_map(|e| e.vertices)
                .filter(foreign)
                .for_each(&mut add);
            tree.faces[range(&tree.face_start)]
                .iter()
                .flat_map(|f| f.vertices)
                .filter(foreign)
                .for_each(&mut add);
            pair
        });
        let top = switch_height.min(leaves.trailing_zeros() + 1);
        let first = leaves >> (top - 1);
        let mut moving = vec![empty; 2 * leaves - first];
        moving[leaves - first..].copy_from_slice(&pairs);
        for k in (first..leaves).rev() {
            let [a, b] = [moving[2 * k - first], moving[2 * k + 1 - first]];
            moving[k - first] = [a[0].union(&b[0]), a[1].union(&b[1])];
        }
        self.moving = moving;
        self.first_moving = first;
    }

    /// How large the leaves are, together: grows as the tree degrades.
    pub(crate) fn size(&self) -> f64 {
        self.nodes[self.nodes.len() / 2..].iter().map(Volume::size).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        let volumes =
            self.vertices.capacity() + self.edges.capacity() + self.faces.capacity() + self.nodes.capacity();
        (volumes + 2 * self.moving.capacity()) * size_of::<Volume<N>>()
    }
}
