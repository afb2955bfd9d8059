//! Crossings at the start: which edges meet which triangles at time 0, exactly.
//!
//! The problem: real frames often cross themselves. How many pairs of an edge and a triangle without a common vertex have a
//! point in common at rest?
//!
//! The tree with volumes at time 0, pairs of leaves that are not in one patch (`normal_cones`) as in a query, and the exact test of a segment and a triangle
//! ([`crate::numerics::predicates`]) for every edge and face whose volumes meet. A separation does not count here: crossing is
//! crossing.
//!
//! Guarantee: the count is exact. Features that touch without an edge and a triangle that do (loose edges and points
//! among themselves) are found by the query itself.

use glam::DVec3;

use crate::answer::{Feature, Part, Touch};
use crate::numerics::predicates::segment_triangle_touch;

use super::fit::Fit;
use super::hierarchy::Carrier;
use super::mesh::Deformable;
use super::query::PairFilter;
use super::threads;
use super::traversal::{Near, leaves_near};

/// How many edge/face pairs meet at time 0, and the first of them by (edge, face).
pub(crate) fn at_start<const N: usize>(
    mesh: &Deformable,
    filter: PairFilter<'_>,
    parallel: bool,
) -> (u64, Option<Touch>) {
    let fit: Fit<N> = mesh.fit(0.0, 0.0, parallel);
    let tree = &mesh.tree;
    let patches = mesh.patches(0.0, parallel);
    let leaves: Vec<usize> = (0..tree.leaves).collect();
    let pieces: Vec<&[usize]> = leaves.chunks(16).collect();
    let found = threads::map(parallel, &pieces, |leaves| {
        let mut near = Near::<N>::new();
        // How many, and the first as (edge, face) in the user's numbers and in the tree's.
        let mut state = (0_u64, None::<([u32; 2], [usize; 2])>);
        for &a in *leaves {
            leaves_near(
                &fit,
                &patches,
                (1, a),
                &mut state,
                |_| 1.0,
                |state, b| {
                    near.edge_face_pairs((tree, &fit), (a, b), |e, f| {
                        let (edge, face) = (&tree.edges[e], &tree.faces[f]);
                        if edge.vertices.iter().any(|v| face.vertices.contains(v))
                            || !segment_triangle_touch(
                                edge.vertices.map(|v| mesh.t0[v as usize]),
                                face.vertices.map(|v| mesh.t0[v as usize]),
                            )
                            || !filter([Feature::Edge(edge.id), Feature::Face(face.id)])
                        {
                            return;
                        }
                        state.0 += 1;
                        let ids = [edge.id, face.id];
                        if state.1.is_none_or(|(known, _)| ids < known) {
                            state.1 = Some((ids, [e, f]));
                        }
                    });
                },
            );
        }
        state
    });
    let count = found.iter().map(|(count, _)| count).sum();
    let first = found.into_iter().filter_map(|(_, first)| first).min_by_key(|(ids, _)| *ids);
    (count, first.map(|(ids, own)| touch(mesh, ids, own)))
}

fn touch(mesh: &Deformable, [edge, face]: [u32; 2], [e, f]: [usize; 2]) -> Touch {
    let at = |v: u32| mesh.t0[v as usize];
    let [p, q] = mesh.tree.edges[e].vertices.map(at);
    let [a, b, c] = mesh.tree.faces[f].vertices.map(at);
    let normal = (b - a).cross(c - a);
    let (hp, hq) = (normal.dot(p - a), normal.dot(q - a));
    let s = if hp == hq { 0.5 } else { (hp / (hp - hq)).clamp(0.0, 1.0) };
    let point = p + (q - p) * s;
    let part = match mesh.topology.carrier(mesh.tree.edge_carrier[e]) {
        Carrier::Triangle(i) => Part::Triangle(i),
        Carrier::Edge(i) => Part::LooseEdge(i),
        Carrier::Point(i) => Part::LoosePoint(i),
    };
    let length = normal.length();
    let unit = if length > 0.0 && length.is_finite() { normal / length } else { DVec3::Z };
    Touch {
        toi: 0.0,
        free_until: 0.0,
        gap: 0.0,
        bodies: [0, 0],
        parts: [part, Part::Triangle(face)],
        features: [Feature::Edge(edge), Feature::Face(face)],
        points: [point; 2],
        normal: unit,
    }
}
