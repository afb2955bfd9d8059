//! The feature pairs of two leaves that may touch: those whose volumes overlap in the window.
//!
//! **Problem.** A pair of leaves has hundreds of pairs of features, of which a few overlap. Find these with a few
//! instructions each.
//!
//! 1. The volumes of the features of a leaf are computed when a traversal reaches it (`leaf_block`). Neighbouring
//!    leaves meet the same leaves, so the blocks of the last leaves are kept.
//! 2. Blocks are compared sixteen volumes at a time.
//! 3. In a fit with a lower layer, pairs whose moving volumes do not overlap before the end of the window are dropped:
//!    in the blocks if features move far ([`Fit::sweeps_far`]), and one by one otherwise.
//!
//! **Guarantee.** Every pair of features of the two leaves that share no vertex and whose volumes overlap is visited
//! exactly once. A [`FeaturePairs`] belongs to one tree and one fit. Blocks carry the mark of their fit, so they never
//! belong to other volumes.

use std::sync::Mutex;

use fearless_simd::Level;

use super::fit::Fit;
use super::hierarchy::Tree;
use super::leaf_block::{LeafBlock, LocalPairs};
use super::volume::{Volume, entry};

/// The number of leaves whose blocks are kept: the leaves of two nodes of a task (`temporal_culling`).
const KEPT: usize = 64;

/// Finds the pairs of features of pairs of leaves of one fit.
#[derive(Debug)]
pub(crate) struct FeaturePairs<'a, const N: usize> {
    tree: &'a Tree,
    fit: &'a Fit<N>,
    level: Level,
    /// The pool to which the memory returns.
    spare: &'a Spare<N>,
    buffers: Buffers<N>,
}

/// Memory for the threads of a query, so that it is not allocated in every round.
#[derive(Debug)]
pub(crate) struct Spare<const N: usize>(Mutex<Vec<Buffers<N>>>);

#[derive(Debug, Default)]
struct Buffers<const N: usize> {
    /// The fit of the blocks.
    fit: Option<u64>,
    /// The leaf of each block, or [`NO_LEAF`]. Leaf i has block i modulo [`KEPT`]; the last block serves if two leaves
    /// have the same.
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
        if buffers.fit != Some(fit.id()) {
            buffers.leaves.clear();
        }
        buffers.fit = Some(fit.id());
        buffers.leaves.resize(KEPT + 1, NO_LEAF);
        buffers.blocks.resize_with(KEPT + 1, LeafBlock::default);
        FeaturePairs { tree, fit, level: Level::new(), spare, buffers }
    }

    /// Visits every vertex/face and edge/edge pair of two leaves, or of one leaf with itself, that shares no vertex and
    /// whose volumes overlap before the time `limit`. Features have the tree's indices; the vertex comes before the
    /// face. If `prove` is set, pairs of edges whose swept volumes prove that they are apart are left out
    /// (`corner_lanes`). Returns the number of these.
    #[inline]
    pub(crate) fn visit<V>(
        &mut self,
        (a, b): (usize, usize),
        (limit, prove): (f64, bool),
        state: &mut V,
        mut vertex_face: impl FnMut(&mut V, usize, usize),
        mut edge_edge: impl FnMut(&mut V, usize, usize),
    ) -> u64 {
        let slots = self.load((a, b));
        let FeaturePairs { tree, fit, level, buffers: Buffers { blocks, pairs, .. }, .. } = self;
        let around = [fit.around_leaf(a), fit.around_leaf(b)];
        // The limit as a fraction of the window, rounded up.
        let limit = if fit.window > 0.0 { limit / fit.window * (1.0 + 1e-6) } else { 1.0 };
        let entry_limit = limit as f32 + f32::MIN_POSITIVE;
        let bound = prove.then(|| fit.bound(a, b));
        LeafBlock::features(*level, slots.map(|slot| &blocks[slot]), around, (entry_limit, bound), pairs);
        // If the blocks hold swept volumes of a fit with a lower layer, times are compared here.
        let moving = fit.is_moving() && !fit.sweeps_far;
        let at = |v: u32| &fit.vertex_pairs[v as usize];
        let later = |x: &[Volume<N>; 2], y: &[Volume<N>; 2]| entry(x, y).is_none_or(|t| t > limit);
        let union = Volume::union_of_pairs;
        let [edges, first, second] = pairs;
        for [i, j] in edges.iter([a, b].map(|leaf| tree.edge_start[leaf])) {
            let ([a, b], [c, d]) = (tree.edges[i].vertices, tree.edges[j].vertices);
            if !(moving && later(&union(at(a), at(b)), &union(at(c), at(d)))) {
                edge_edge(state, i, j);
            }
        }
        for (pairs, v, f) in [(first, a, b), (second, b, a)] {
            for [v, f] in pairs.iter([tree.vertex_start[v], tree.face_start[f]]) {
                let (vertex, [a, b, c]) = (v as u32, tree.faces[f].vertices);
                if !(moving && later(at(vertex), &union(&union(at(a), at(b)), at(c)))) {
                    vertex_face(state, v, f);
                }
            }
        }
        edges.proven()
    }

    /// Visits every edge/face pair of two leaves, or of one leaf with itself, that shares no vertex and whose volumes
    /// overlap; the edge comes first. If `prove` is set, pairs whose volumes prove that they are apart are left out
    /// (`corner_lanes`).
    pub(crate) fn edge_face_pairs(
        &mut self,
        (a, b): (usize, usize),
        prove: bool,
        mut edge_face: impl FnMut(usize, usize),
    ) {
        let slots = self.load((a, b));
        let FeaturePairs { tree, fit, level, buffers: Buffers { blocks, pairs: [pairs, ..], .. }, .. } = self;
        if prove {
            blocks[slots[0]].load_corners(tree, fit, a);
            blocks[slots[1]].load_corners(tree, fit, b);
        }
        let bound = prove.then(|| fit.bound(a, b));
        let [of_a, of_b] = slots.map(|slot| &blocks[slot]);
        for (edges, e, faces, f) in [(of_a, a, of_b, b), (of_b, b, of_a, a)] {
            edges.edges_and_faces(*level, faces, [e, f].map(|leaf| fit.around_leaf(leaf)), bound, pairs);
            for [e, f] in pairs.iter([tree.edge_start[e], tree.face_start[f]]) {
                edge_face(e, f);
            }
            if a == b {
                return;
            }
        }
    }

    /// Returns the places of the blocks of two leaves, and computes missing ones.
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
    use crate::numerics::predicates::segment_triangle_touch;
    use glam::{DVec3, dvec3};

    /// Returns a soup of small triangles, loose edges and loose points, with more leaves than blocks.
    fn soup(dop: Dop, motion: f64, switch_height: u32) -> Deformable {
        let mut state = 9_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut point = |scale: f64| dvec3(unit(), unit(), unit()) * scale;
        let centers: Vec<DVec3> = (0..1400).map(|_| point(4.0)).collect();
        let t0: Vec<DVec3> =
            centers.iter().flat_map(|c| [*c + point(1.0), *c + point(1.0), *c + point(1.0)]).collect();
        let t1: Vec<DVec3> = t0.iter().map(|p| *p + point(motion)).collect();
        let triangles = (0..1200).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let edges = (1200..1300).flat_map(|i| [[3 * i, 3 * i + 1], [3 * i + 1, 3 * i + 2]]).collect();
        let settings = Settings { dop, switch_height, ..Settings::default() };
        Deformable::with_settings(t0, t1, triangles, edges, (3900..4200).collect(), settings).unwrap()
    }

    type Found = Vec<[usize; 2]>;

    /// Returns all vertex/face, edge/edge and edge/face pairs that are visited, in order. The first leaf is the last
    /// one of the previous run, whose block is then still there.
    fn visited<const N: usize>(mesh: &Deformable, near: &mut FeaturePairs<'_, N>, limit: f64) -> [Found; 3] {
        let mut found = [vec![], vec![], vec![]];
        for a in (0..mesh.tree.leaves).rev() {
            for b in a..mesh.tree.leaves {
                near.visit(
                    (a, b),
                    (limit, false),
                    &mut found,
                    |out, v, f| out[0].push([v, f]),
                    |out, i, j| out[1].push([i, j]),
                );
                near.edge_face_pairs((a, b), false, |e, f| found[2].push([e, f]));
            }
        }
        found
    }

    /// Checks that a proof leaves out only edges and faces that do not intersect. Returns the number of pairs left out,
    /// and the number of pairs that intersect.
    fn crossing_pairs<const N: usize>(
        mesh: &Deformable,
        near: &mut FeaturePairs<'_, N>,
        overlapping: &[[usize; 2]],
    ) -> [usize; 2] {
        let tree = &mesh.tree;
        let mut kept = std::collections::HashSet::new();
        for a in (0..tree.leaves).rev() {
            for b in a..tree.leaves {
                near.edge_face_pairs((a, b), true, |e, f| assert!(kept.insert([e, f])));
            }
        }
        let at = |v: u32| mesh.t0[v as usize];
        let crosses = |[e, f]: &&[usize; 2]| {
            segment_triangle_touch(tree.edges[*e].vertices.map(at), tree.faces[*f].vertices.map(at))
        };
        let crossing: Vec<&[usize; 2]> = overlapping.iter().filter(crosses).collect();
        assert!(crossing.iter().all(|pair| kept.contains(*pair)));
        [overlapping.len() - kept.len(), crossing.len()]
    }

    fn against_brute_force<const N: usize>(dop: Dop) {
        let mesh = soup(dop, 0.2, 0);
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
            let face_has = |f: usize, v: u32| tree.faces[f].vertices.contains(&v);
            let ends = |e: usize| tree.edges[e].vertices;
            expected[0].retain(|[v, f]| !face_has(*f, *v as u32));
            expected[1].retain(|[i, j]| i < j && !ends(*i).iter().any(|v| ends(*j).contains(v)));
            expected[2].retain(|[e, f]| !ends(*e).iter().any(|v| face_has(*f, *v)));
            let mut near = FeaturePairs::new((tree, &fit), &spare);
            let found = visited(&mesh, &mut near, 1.0);
            let [left_out, crossing] = crossing_pairs(&mesh, &mut near, &found[2]);
            assert!(left_out > 300 && crossing > 1_000, "{dop:?} {window}: {left_out} {crossing}");
            near.level = Level::baseline();
            near.buffers.leaves.fill(NO_LEAF);
            assert!(visited(&mesh, &mut near, 1.0) == found, "{dop:?}: the order depends on the level");
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

    /// The vertices of a feature, and its volumes at both ends of the window.
    type Moving<const N: usize> = (Vec<u32>, [Volume<N>; 2]);

    /// Returns all pairs that share no vertex and overlap, each with the time at which the overlap begins.
    fn entries<const N: usize>(rows: &[Moving<N>], columns: &[Moving<N>]) -> Vec<([usize; 2], f64)> {
        let mut found = vec![];
        for (i, (row, x)) in rows.iter().enumerate() {
            for (j, (column, y)) in columns.iter().enumerate() {
                if !row.iter().any(|v| column.contains(v)) {
                    found.extend(entry(x, y).map(|t| ([i, j], t)));
                }
            }
        }
        found
    }

    /// Moving volumes in blocks, and one by one: the pairs are those that overlap before the limit, up to its rounding.
    fn moving_against_brute_force<const N: usize>(dop: Dop, motion: f64) {
        let mesh = soup(dop, motion, 3);
        let tree = &mesh.tree;
        let spare = Spare::new();
        let fit = mesh.fit::<N>(1.0, 0.0, false);
        assert_eq!(fit.sweeps_far, motion > 1.0);
        let pair = |vertices: &[u32]| {
            let pairs = vertices.iter().map(|v| &fit.vertex_pairs[*v as usize]);
            pairs.fold([Volume::EMPTY; 2], |all, pair| Volume::union_of_pairs(&all, pair))
        };
        let with_volumes = |features: Vec<Vec<u32>>| -> Vec<Moving<N>> {
            features.into_iter().map(|vertices| (vertices.clone(), pair(&vertices))).collect()
        };
        let vertices = with_volumes((0..tree.used_vertices() as u32).map(|v| vec![v]).collect());
        let edges = with_volumes(tree.edges.iter().map(|edge| edge.vertices.to_vec()).collect());
        let faces = with_volumes(tree.faces.iter().map(|face| face.vertices.to_vec()).collect());
        let mut of_edges = entries(&edges, &edges);
        of_edges.retain(|([i, j], _)| i < j);
        let expected = [entries(&vertices, &faces), of_edges];
        for limit in [1.0, 0.3, 1e-3] {
            let mut near = FeaturePairs::new((tree, &fit), &spare);
            let [vf, ee, _] = visited(&mesh, &mut near, limit);
            near.level = Level::baseline();
            near.buffers.leaves.fill(NO_LEAF);
            let again = visited(&mesh, &mut near, limit);
            assert!(again[0] == vf && again[1] == ee, "{dop:?}: the order depends on the level");
            for (mut found, expected) in [vf, ee].into_iter().zip(&expected) {
                let count = found.len();
                found.sort_unstable();
                found.dedup();
                assert_eq!(count, found.len(), "{dop:?}: a pair was visited twice");
                let (mut needed, mut allowed) = (0, 0);
                for (pair, t) in expected {
                    let visited = found.binary_search(pair).is_ok();
                    assert!(visited || *t > limit, "{dop:?} {limit}: {pair:?} at {t} is missing");
                    needed += (*t <= limit) as usize;
                    allowed += (visited && *t <= limit * (1.0 + 1e-5) + 1e-30) as usize;
                }
                assert_eq!(allowed, count, "{dop:?} {limit}: pairs that overlap later");
                assert!(needed > 400, "{needed}");
            }
        }
    }

    #[test]
    fn moving_pairs_that_overlap_in_time_are_visited_once() {
        for motion in [0.2, 3.0] {
            moving_against_brute_force::<1>(Dop::Eight, motion);
            moving_against_brute_force::<3>(Dop::Eighteen, motion);
        }
    }

    /// Infinite volumes overlap all volumes, but not the unused places beside the last features of a leaf.
    #[test]
    fn infinite_volumes_overlap_features_only() {
        let at = |i: u32| dvec3(i as f64, (i * i % 7) as f64, (i * 5 % 11) as f64);
        let places: Vec<DVec3> = (0..60).map(at).collect();
        let triangles = (0..20).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = Deformable::new(places.clone(), places, triangles, vec![], vec![]).unwrap();
        let fit = mesh.fit::<1>(0.01, 1e60, false);
        assert!(fit.vertices.iter().all(|volume| volume.size() == f64::INFINITY));
        let spare = Spare::new();
        let found = visited(&mesh, &mut FeaturePairs::new((&mesh.tree, &fit), &spare), 1.0);
        assert_eq!(found.map(|pairs| pairs.len()), [60 * 19, 60 * 57 / 2, 60 * 19]);
    }

    #[test]
    fn all_pairs_that_overlap_are_visited_once() {
        against_brute_force::<1>(Dop::Six);
        against_brute_force::<1>(Dop::Eight);
        against_brute_force::<3>(Dop::Eighteen);
        against_brute_force::<4>(Dop::TwentySix);
    }
}
