//! The edges of a tree, and the sides of its faces that are the same edge.
//!
//! **Problem.** Find the distinct sides of all triangles and the loose edges in the order of the leaves, in linear time
//! and little memory.
//!
//! 1. In the order of the leaves, each side is looked up among the edges already found. These are in lists by their
//!    smaller vertex, by the tree's indices. A vertex has few edges, and neighbours in the mesh are close in memory.
//! 2. A side that is not there is a new edge of this leaf. Otherwise it lies across the first side that is the same
//!    edge.
//! 3. A vertex with very many edges has a long list. If all lookups together take too many steps, they begin again with
//!    lists by a hash of both ends.

use super::edges::sides;
use super::hierarchy::{Carrier, Edge, Face, MANY, NONE, Topology, Tree, bounds, keep_first};

/// The edges of a tree, and the sides of faces that are the same edge: fields of [`Tree`].
pub(crate) struct Links {
    pub(super) edge_start: Vec<u32>,
    pub(super) edges: Vec<Edge>,
    pub(super) edge_carrier: Vec<u32>,
    pub(super) across: Vec<[u32; 3]>,
}

/// The data of an edge while edges are collected.
#[derive(Clone, Copy)]
struct Known {
    /// The edge before it in the same bucket, or [`NONE`].
    before: u32,
    /// The first side of a face that is this edge, or [`LOOSE`] if only a loose edge or point has it.
    first_side: u32,
}

/// The steps of lookups for each carrier that are worth the better locality. A closed mesh needs about three.
const STEPS: u64 = 32;

/// See [`Known::first_side`].
const LOOSE: u32 = MANY;

impl Links {
    /// Collects the edges in the order of the leaves.
    pub(crate) fn new(mesh: (&Topology, &Tree), order: &[u32], own_vertex: &[u32]) -> Links {
        let by_smaller = |low: u32, _| low as usize;
        let limit = STEPS * (order.len() as u64 + STEPS);
        let (buckets, elements) = (mesh.1.used_vertices(), (order, own_vertex));
        let (links, is_complete) = Links::collect(mesh, elements, (buckets, by_smaller), limit);
        if is_complete {
            return links;
        }
        let buckets = (4 * order.len()).next_power_of_two();
        let by_both = |low: u32, high: u32| {
            let mixed = (u64::from(low) << 32 | u64::from(high)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (mixed >> 32) as usize & (buckets - 1)
        };
        Links::collect(mesh, elements, (buckets, by_both), u64::MAX).0
    }

    /// Collects the edges. The second value is true if the edges are complete: the collection ends if the lookups take
    /// more steps than the limit.
    fn collect(
        (topology, tree): (&Topology, &Tree),
        (order, own_vertex): (&[u32], &[u32]),
        (buckets, bucket): (usize, impl Fn(u32, u32) -> usize),
        limit: u64,
    ) -> (Links, bool) {
        let most = 3 * topology.triangles.len() + topology.loose_edges.len() + topology.loose_points.len();
        let mut out = Links {
            edge_start: Vec::with_capacity(tree.leaves + 1),
            edges: Vec::with_capacity(most),
            edge_carrier: Vec::with_capacity(most),
            across: vec![[NONE; 3]; tree.faces.len()],
        };
        let mut known: Vec<Known> = Vec::with_capacity(most);
        let mut latest = vec![NONE; buckets];
        let (mut face, mut steps) = (0, 0);
        for leaf in 0..tree.leaves {
            out.edge_start.push(out.edges.len() as u32);
            for &carrier in &order[bounds(leaf, tree.leaves, order.len())] {
                let own = |v: u32| own_vertex[v as usize];
                let (sides, count) = match topology.carrier(carrier) {
                    Carrier::Triangle(_) => (sides(tree.faces[face].vertices), 3),
                    Carrier::Edge(i) => ([topology.loose_edges[i as usize].map(own); 3], 1),
                    Carrier::Point(i) => ([[own(topology.loose_points[i as usize]); 2]; 3], 1),
                };
                for (k, &[a, b]) in sides[..count].iter().enumerate() {
                    let (low, high) = (a.min(b), a.max(b)); // not a bound: indices
                    let side = if count == 3 { (3 * face + k) as u32 } else { LOOSE };
                    let latest = &mut latest[bucket(low, high)];
                    let mut edge = *latest;
                    let is_same = |[a, b]: [u32; 2]| [a, b] == [low, high] || [b, a] == [low, high];
                    while edge != NONE && !is_same(out.edges[edge as usize].vertices) {
                        edge = known[edge as usize].before;
                        steps += 1;
                    }
                    if edge == NONE {
                        let is_ascending = tree.vertex_id[a as usize] < tree.vertex_id[b as usize];
                        let vertices = if is_ascending { [a, b] } else { [b, a] };
                        known.push(Known { before: *latest, first_side: side });
                        *latest = out.edges.len() as u32;
                        out.edges.push(Edge { vertices });
                        out.edge_carrier.push(carrier);
                        continue;
                    }
                    keep_first(&mut out.edge_carrier[edge as usize], carrier);
                    let first = &mut known[edge as usize].first_side;
                    if *first == LOOSE {
                        *first = side;
                    } else if side != LOOSE {
                        let first = *first;
                        out.join(&tree.faces, first, side);
                    }
                }
                face += usize::from(count == 3);
            }
            if steps > limit {
                return (out, false);
            }
        }
        out.edge_start.push(out.edges.len() as u32);
        out.edges.shrink_to_fit();
        out.edge_carrier.shrink_to_fit();
        (out, true)
    }

    /// Records that two sides are the same edge.
    fn join(&mut self, faces: &[Face], first: u32, second: u32) {
        let start = |side: u32| faces[side as usize / 3].vertices[side as usize % 3];
        let end = |side: u32| faces[side as usize / 3].vertices[(side as usize + 1) % 3];
        let known = self.across[first as usize / 3][first as usize % 3];
        let opposite = start(first) == end(second) && start(second) == end(first);
        let (to_first, to_second) = if known == NONE && opposite { (first, second) } else { (MANY, MANY) };
        let mut put = |side: u32, other: u32| self.across[side as usize / 3][side as usize % 3] = other;
        put(first, to_second);
        put(second, to_first);
        if known < MANY {
            put(known, MANY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deformable::Deformable;
    use glam::DVec3;

    /// The edges, their numbers and the sides across, against a map of all sides: soups with common vertices, flat
    /// triangles, loose edges and points, vertices without a feature, and a fan whose edges all share one vertex.
    #[test]
    fn edges_are_those_of_a_map_of_sides() {
        let mut state = 5_u64;
        let mut number = move |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32 % below
        };
        let (mut shared, mut many) = (0, 0);
        for (vertices, triangles, loose) in
            [(7, 30, 0), (40, 60, 9), (300, 500, 40), (2_000, 900, 100), (9_001, 0, 0)]
        {
            let triangles: Vec<[u32; 3]> = if triangles == 0 {
                (1..9_000).map(|i| [9_000, i, i - 1]).collect()
            } else {
                (0..triangles).map(|_| [(); 3].map(|()| number(vertices))).collect()
            };
            let loose_edges: Vec<[u32; 2]> = (0..loose).map(|_| [(); 2].map(|()| number(vertices))).collect();
            let loose_points: Vec<u32> = (0..loose).map(|_| number(vertices)).collect();
            let places: Vec<DVec3> = (0..vertices)
                .map(|_| [(); 3].map(|()| f64::from(number(1_000))))
                .map(DVec3::from_array)
                .collect();
            let given = (triangles.clone(), loose_edges.clone(), loose_points.clone());
            let mesh = Deformable::new(places.clone(), places.clone(), given.0, given.1, given.2).unwrap();
            assert_eq!(mesh.frame(0), places);
            let sorted = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
            let mut expected: Vec<[u32; 2]> = triangles.iter().flat_map(|t| sides(*t)).map(sorted).collect();
            expected.extend(loose_edges.into_iter().map(sorted));
            expected.extend(loose_points.iter().map(|&p| [p, p]));
            expected.sort_unstable();
            expected.dedup();
            let tree = &mesh.tree;
            // Single numbers, before all edges are numbered.
            for (i, edge) in tree.edges.iter().enumerate().step_by(97) {
                assert_eq!(expected[mesh.edge_number(i) as usize], tree.ends_of(edge));
            }
            assert_eq!(mesh.edges(), expected);
            let mut seen = vec![false; expected.len()];
            for (i, edge) in tree.edges.iter().enumerate() {
                let own = mesh.edge_number(i) as usize;
                assert_eq!(expected[own], tree.ends_of(edge));
                assert!(!std::mem::replace(&mut seen[own], true));
            }
            // Every edge is in the leaf of its first carrier.
            assert!(seen.into_iter().all(|seen| seen));
            for leaf in 0..tree.leaves {
                for edge in tree.edge_start[leaf]..tree.edge_start[leaf + 1] {
                    let earlier = &tree.faces[..tree.face_start[leaf] as usize];
                    let ends = tree.edges[edge as usize].vertices;
                    let has = |face: &Face| sides(face.vertices).map(sorted).contains(&sorted(ends));
                    assert!(vertices > 9_000 || !earlier.iter().any(has));
                }
            }
            let all: Vec<[u32; 2]> = tree.faces.iter().flat_map(|face| sides(face.vertices)).collect();
            let mut by_edge = std::collections::HashMap::<[u32; 2], Vec<usize>>::new();
            all.iter().enumerate().for_each(|(i, side)| by_edge.entry(sorted(*side)).or_default().push(i));
            for (i, side) in all.iter().enumerate() {
                let same = &by_edge[&sorted(*side)];
                // The corners of the face itself: a side that is not an edge represents another one.
                let corner = |side: usize, k: usize| tree.faces[side / 3].vertices[(side % 3 + k) % 3];
                let start = |side: usize| (corner(side, 0), corner(side, 1));
                let across = match same[..] {
                    [_] => NONE,
                    [a, b] if start(a) == (start(b).1, start(b).0) => (a + b - i) as u32,
                    _ => MANY,
                };
                assert_eq!(tree.across[i / 3][i % 3], across, "{vertices} {i}");
                shared += usize::from(across < MANY);
                many += usize::from(across == MANY);
            }
        }
        assert!(shared > 15_000 && many > 100, "{shared} {many}");
    }
}
