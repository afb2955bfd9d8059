//! Crossings at the start: the edges that intersect triangles at time 0, decided exactly.
//!
//! **Problem.** Real frames often intersect themselves. Count the pairs of an edge and a triangle without a common
//! vertex that have a common point at time 0.
//!
//! The search uses the tree with volumes at time 0 and visits pairs of leaves that are not in one patch
//! (`normal_cones`), as a query does. Most edges and faces whose volumes overlap are apart along the face's normal,
//! which their volumes prove (`corner_lanes`). The exact test of a segment and a triangle
//! ([`crate::numerics::predicates`]) decides the others. A `min_separation` has no effect here: only intersections
//! count.
//!
//! **Guarantee.** The count is exact. Features that touch although no edge intersects a triangle (loose edges and
//! points among themselves) are found by the query itself.

use glam::DVec3;

use crate::answer::{Feature, Part, Touch};
use crate::control::Watch;
use crate::elementary::crossing::common_point;
use crate::numerics::predicates::segment_triangle_touch;

use super::check::PairFilter;
use super::feature_pairs::{FeaturePairs, Spare};
use super::fit::Fit;
use super::hierarchy::Carrier;
use super::mesh::Deformable;
use super::query::Interrupted;
use super::traversal::leaves_near;
use crate::parallel;

/// Returns the number of edge/face pairs that intersect at time 0, and the first of them by (edge, face). If an
/// interrupt ends the search, there is no count, and the pair is any of the pairs found.
pub(crate) fn at_start<const N: usize>(
    mesh: &Deformable,
    filter: Option<PairFilter<'_>>,
    watch: Watch,
    parallel: bool,
) -> Result<(Option<u64>, Option<Touch>), Interrupted> {
    let (count, first) = search::<N>(mesh, filter, watch, parallel, u64::MAX)?;
    Ok((count, first.map(|crossing| touch(mesh, crossing))))
}

/// Returns some edge and face that intersect at time 0; the same pair for any number of threads.
pub(crate) fn any_at_start<const N: usize>(
    mesh: &Deformable,
    filter: Option<PairFilter<'_>>,
    watch: Watch,
    parallel: bool,
) -> Result<Option<Touch>, Interrupted> {
    let (_, first) = search::<N>(mesh, filter, watch, parallel, 1)?;
    Ok(first.map(|crossing| touch(mesh, crossing)))
}

/// An edge and a face, by the user's indices of the ends and of the face, and by those of the tree.
type Crossing = (([u32; 2], u32), [usize; 2]);

/// The number of leaves that one thread processes at a time, and the number of such pieces in a round.
const PIECE: usize = 16;
const ROUND: usize = 64;

/// Searches in rounds. It ends after the first round with `enough` crossings, and so does each piece. An interrupt is
/// polled at every pair of leaves. If it ends the search, the function returns one of the crossings found, without a
/// count.
fn search<const N: usize>(
    mesh: &Deformable,
    filter: Option<PairFilter<'_>>,
    watch: Watch,
    parallel: bool,
    enough: u64,
) -> Result<(Option<u64>, Option<Crossing>), Interrupted> {
    let fit: Fit<N> = mesh.fit(0.0, 0.0, parallel);
    let tree = &mesh.tree;
    let patches = mesh.patches(0.0, parallel);
    let leaves: Vec<usize> = (0..tree.leaves).collect();
    let pieces: Vec<&[usize]> = leaves.chunks(PIECE).collect();
    let (mut count, mut first) = (0, None::<Crossing>);
    let spare = Spare::new();
    for round in pieces.chunks(if enough == u64::MAX { pieces.len() } else { ROUND }) {
        let near = || FeaturePairs::new((tree, &fit), &spare);
        let found = parallel::map_with(parallel, round, near, |near, leaves| {
            let mut state = (0_u64, None::<Crossing>);
            for &a in *leaves {
                leaves_near(
                    &fit,
                    &patches,
                    (1, a),
                    &mut state,
                    |state| if state.0 < enough && !watch.is_raised() { 1.0 } else { -1.0 },
                    |state, b| {
                        if watch.is_raised() {
                            return;
                        }
                        near.edge_face_pairs((a, b), true, |e, f| {
                            let (edge, face) = (&tree.edges[e], &tree.faces[f]);
                            if state.0 >= enough
                                || !segment_triangle_touch(
                                    edge.vertices.map(|v| mesh.t0[v as usize]),
                                    face.vertices.map(|v| mesh.t0[v as usize]),
                                )
                                || filter.is_some_and(|filter| {
                                    !filter([Feature::Edge(mesh.edge_number(e)), Feature::Face(face.id)])
                                })
                            {
                                return;
                            }
                            state.0 += 1;
                            // Edges are numbered in the order of their ends.
                            let ids = (tree.ends_of(edge), face.id);
                            if state.1.is_none_or(|(known, _)| ids < known) {
                                state.1 = Some((ids, [e, f]));
                            }
                        });
                    },
                );
            }
            state
        });
        // The flag may have been raised after the last crossing was found. It is not lowered during a query.
        let is_cut = watch.is_raised();
        for (more, crossing) in found {
            count += more;
            if let Some(crossing) = crossing
                && first.is_none_or(|first| crossing.0 < first.0)
            {
                first = Some(crossing);
            }
        }
        if count >= enough {
            break;
        }
        if is_cut {
            return if first.is_some() { Ok((None, first)) } else { Err(Interrupted) };
        }
    }
    Ok((Some(count), first))
}

fn touch(mesh: &Deformable, ((_, face), [e, f]): Crossing) -> Touch {
    let at = |v: u32| mesh.t0[v as usize];
    let [p, q] = mesh.tree.edges[e].vertices.map(at);
    let [a, b, c] = mesh.tree.faces[f].vertices.map(at);
    let normal = (b - a).cross(c - a);
    let point = common_point([p, q], [a, b, c]);
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
        features: [Feature::Edge(mesh.edge_number(e)), Feature::Face(face)],
        points: [point; 2],
        normal: unit,
    }
}
