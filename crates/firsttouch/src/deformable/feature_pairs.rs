//! The feature pairs of two leaves that may touch: those whose volumes overlap in the window.
//!
//! The problem: a pair of leaves has hundreds of pairs of features, of which a few overlap. Find these with a few
//! instructions each.
//!
//! 1. The volumes of the features of a leaf are computed when it is met (`leaf_block`). Neighbouring leaves meet the same leaves, so
//!    that the blocks of those met last are kept.
//! 2. Blocks are compared sixteen volumes at a time.
//! 3. In a fit with a lower layer, pairs whose moving volumes do not overlap before the end of the window are dropped.
//!
//! Guarantee: every pair of features of the two leaves whose swept volumes overlap is visited, and none twice. A [`FeaturePairs`] belongs to one tree
//! and one fit, so that its blocks are never those of other volumes.

use std::sync::Mutex;

use fearless_simd::Level;

use super::fit::Fit;
use super::hierarchy::Tree;
use super::leaf_block::{LeafBlock, LocalPairs};
use super::volume::{Volume, entry};

/// The number of leaves whose blocks are kept: as many as two nodes of a task have (`temporal_culling`).
const KEPT: usize = 64;

/// Finds the pairs of features of pairs of leaves of one fit.
#[derive(Debug)]
pub(crate) struct FeaturePairs<'a, const N: usize> {
    tree: &'a Tree,
    fit: &'a Fit<N>,
    level: Level,
    /// The memory is returned here.
    spare: &'a Spare<N>,
    buffers: Buffers<N>,
}

/// Memory for the threads of a query, so that it is not allocated in every round.
#[derive(Debug)]
pub(crate) struct Spare<const N: usize>(Mutex<Vec<Buffers<N>>>);

#[derive(Debug, Default)]
struct Buffers<const N: usize> {
    /// The leaf of each block, or [`NO_LEAF`]. Leaf i has block i modulo [`KEPT`]; the last block serves where two leaves have the same.
    leaves: Vec<usize>,
    blocks: Vec<LeafBlock<N>>,
    pairs: [LocalPairs; 3],
}

const NO_LEAF: usize = usize::MAX;

impl<const N: usize> Spare<N> {
    pub(crate) fn new() -> Spare<N> {
        Spare(Mutex::new(vec![]))
    }
}

impl<const N: usize> Drop for FeaturePairs<'_, N> {
    fn drop(&mut self) {
        if let Ok(mut spare) = self.spare.0.lock() {
            spare.push(std::mem::take(&mut self.buffers));
        }
    }
}

impl<'a, const N: usize> FeaturePairs<'a, N> {
    pub(crate) fn new((tree, fit): (&'a Tree, &'a Fit<N>), spare: &'a Spare<N>) -> FeaturePairs<'a, N> {
        let known = spare.0.lock().ok().and_then(|mut spare| spare.pop());
        let mut buffers = known.unwrap_or_default();
        // The blocks may be those of another fit.
        buffers.leaves.clear();
        buffers.leaves.resize(KEPT + 1, NO_LEAF);
        buffers.blocks.resize_with(KEPT + 1, LeafBlock::default);
        FeaturePairs { tree, fit, level: Level::new(), spare, buffers }
    }

    /// Visits every vertex/face and edge/edge pair of two leaves, or of one leaf with itself, whose volumes overlap
    /// before the time `limit`. Features have the tree's indices; the vertex comes before the face.
    #[inline]
    pub(crate) fn visit<V>(
        &mut self,
        (a, b): (usize, usize),
        limit: f64,
        state: &mut V,
        mut vertex_face: impl FnMut(&mut V, usize, usize),
        mut edge_edge: impl FnMut(&mut V, usize, usize),
    ) {
        let slots = self.load((a, b));
        let FeaturePairs { tree, fit, level, buffers: Buffers { blocks, pairs, .. }, .. } = self;
        let around = |leaf: usize| &fit.nodes[tree.leaves + leaf];
        if a == b {
            blocks[slots[0]].features_within(*level, around(a), pairs);
        } else {
            LeafBlock::features(*level, slots.map(|slot| &blocks[slot]), [around(a), around(b)], pairs);
        }
        // The limit as a fraction of the window, rounded up, although `entry` already leaves more than enough room.
        let limit = if fit.window > 0.0 { limit / fit.window * (1.0 + f64::EPSILON) } else { 1.0 };
        let moving = !fit.vertex_pairs.is_empty();
        let pair_of = |vertices: &[u32]| {
            let pairs = vertices.iter().map(|&v| &fit.vertex_pairs[v as usize]);
            pairs.fold([Volume::EMPTY; 2], |all, pair| Volume::union_of_pairs(&all, pair))
        };
        let later =
            |x: &[u32], y: &[u32]| moving && entry(&pair_of(x), &pair_of(y)).is_none_or(|t| t > limit);
        let [edges, first, second] = pairs;
        for [i, j] in edges.iter([a, b].map(|leaf| tree.edge_start[leaf])) {
            if !later(&tree.edges[i].vertices, &tree.edges[j].vertices) {
                edge_edge(state, i, j);
            }
        }
        for (pairs, v, f) in [(first, a, b), (second, b, a)] {
            for [v, f] in pairs.iter([tree.vertex_start[v], tree.face_start[f]]) {
                if !later(&[v as u32], &tree.faces[f].vertices) {
                    vertex_face(state, v, f);
                }
            }
        }
    }

    /// Visits every edge/face pair of two leaves, or of one leaf with itself, whose swept volumes overlap; the edge
    /// comes first.
    pub(crate) fn edge_face_pairs(
        &mut self,
        (a, b): (usize, usize),
        mut edge_face: impl FnMut(usize, usize),
    ) {
        let slots = self.load((a, b));
        let FeaturePairs { tree, fit, level, buffers: Buffers { blocks, pairs: [pairs, ..], .. }, .. } = self;
        let [of_a, of_b] = slots.map(|slot| &blocks[slot]);
        for (edges, e, faces, f) in [(of_a, a, of_b, b), (of_b, b, of_a, a)] {
            edges.edges_and_faces(*level, faces, &fit.nodes[tree.leaves + f], pairs);
            pairs.iter([tree.edge_start[e], tree.face_start[f]]).for_each(|[e, f]| edge_face(e, f));
            if a == b {
                return;
            }
        }
    }

    /// Returns the places of the blocks of two leaves, which are computed if they are not there.
    #[inline]
    fn load(&mut self, (a, b): (usize, usize)) -> [usize; 2] {
        let first = a % KEPT;
        let second = if a != b && b % KEPT == first { KEPT } else { b % KEPT };
        for (slot, leaf) in [(first, a), (second, b)] {
            if self.buffers.leaves[slot] != leaf {
                self.buffers.blocks[slot].load(self.tree, self.fit, leaf);
                self.buffers.leaves[slot] = leaf;
            }
        }
        [first, second]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deformable::mesh::Deformable;
    use crate::deformable::report::Settings;
    use crate::deformable::volume::Dop;
    use glam::{DVec3, dvec3};

    /// A soup of small triangles, loose edges and loose points, with more leaves than blocks.
    fn soup(dop: Dop) -> Deformable {
        let mut state = 9_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut point = |scale: f64| dvec3(unit(), unit(), unit()) * scale;
        let centers: Vec<DVec3> = (0..1400).map(|_| point(4.0)).collect();
        let t0: Vec<DVec3> =
            centers.iter().flat_map(|c| [*c + point(0.8), *c + point(0.8), *c + point(0.8)]).collect();
        let t1: Vec<DVec3> = t0.iter().map(|p| *p + point(0.2)).collect();
        let triangles = (0..1200).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let edges = (1200..1300).flat_map(|i| [[3 * i, 3 * i + 1], [3 * i + 1, 3 * i + 2]]).collect();
        let settings = Settings { dop, switch_height: 0, ..Settings::default() };
        Deformable::with_settings(t0, t1, triangles, edges, (3900..4200).collect(), settings).unwrap()
    }

    type Found = Vec<[usize; 2]>;

    /// All vertex/face, edge/edge and edge/face pairs that are visited, in order. The first leaf is the last one of the run before, whose block
    /// is then still there.
    fn visited<const N: usize>(mesh: &Deformable, near: &mut FeaturePairs<'_, N>) -> [Found; 3] {
        let mut found = [vec![], vec![], vec![]];
        for a in (0..mesh.tree.leaves).rev() {
            for b in a..mesh.tree.leaves {
                near.visit(
                    (a, b),
                    1.0,
                    &mut found,
                    |out, v, f| out[0].push([v, f]),
                    |out, i, j| out[1].push([i, j]),
                );
                near.edge_face_pairs((a, b), |e, f| found[2].push([e, f]));
            }
        }
        found
    }

    fn against_brute_force<const N: usize>(dop: Dop) {
        let mesh = soup(dop);
        let tree = &mesh.tree;
        assert!(tree.leaves > KEPT);
        let spare = Spare::new();
        // The second fit must not see the blocks of the first.
        for window in [1.0, 0.001] {
            let fit = mesh.fit::<N>(window, 0.0, false);
            let at = |v: &u32| fit.vertices[*v as usize];
            let volume =
                |vertices: &[u32]| vertices.iter().map(at).fold(Volume::EMPTY, |all, v| all.union(&v));
            let faces: Vec<Volume<N>> = tree.faces.iter().map(|face| volume(&face.vertices)).collect();
            let edges: Vec<Volume<N>> = tree.edges.iter().map(|edge| volume(&edge.vertices)).collect();
            let all = |rows: &[Volume<N>], columns: &[Volume<N>]| -> Found {
                let of_row = |i: usize| (0..columns.len()).map(move |j| [i, j]);
                let pairs = (0..rows.len()).flat_map(of_row);
                pairs.filter(|[i, j]| rows[*i].overlaps(&columns[*j])).collect()
            };
            let mut expected = [all(&fit.vertices, &faces), all(&edges, &edges), all(&edges, &faces)];
            expected[1].retain(|[i, j]| i < j);
            let mut near = FeaturePairs::new((tree, &fit), &spare);
            let found = visited(&mesh, &mut near);
            near.level = Level::baseline();
            near.buffers.leaves.fill(NO_LEAF);
            assert!(visited(&mesh, &mut near) == found, "{dop:?}: the order depends on the level");
            for (mut found, expected) in found.into_iter().zip(expected) {
                let count = found.len();
                found.sort_unstable();
                found.dedup();
                assert_eq!(count, found.len(), "{dop:?}: a pair was visited twice");
                assert!(found == expected, "{dop:?} {window}: {count} of {}", expected.len());
                assert!(count > 1_000, "{count}");
            }
        }
    }

    /// Infinite volumes overlap everything, but not the unused places beside the last features of a leaf.
    #[test]
    fn infinite_volumes_overlap_features_only() {
        let at = |i: u32| dvec3(i as f64, (i * i % 7) as f64, (i * 5 % 11) as f64);
        let places: Vec<DVec3> = (0..60).map(at).collect();
        let triangles = (0..20).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = Deformable::new(places.clone(), places, triangles, vec![], vec![]).unwrap();
        let fit = mesh.fit::<1>(0.01, 1e60, false);
        assert!(fit.vertices.iter().all(|volume| volume.size() == f64::INFINITY));
        let spare = Spare::new();
        let found = visited(&mesh, &mut FeaturePairs::new((&mesh.tree, &fit), &spare));
        assert_eq!(found.map(|pairs| pairs.len()), [60 * 20, 60 * 59 / 2, 60 * 20]);
    }

    #[test]
    fn all_pairs_that_overlap_are_visited_once() {
        against_brute_force::<1>(Dop::Six);
        against_brute_force::<1>(Dop::Eight);
        against_brute_force::<3>(Dop::Eighteen);
        against_brute_force::<4>(Dop::TwentySix);
    }
}
