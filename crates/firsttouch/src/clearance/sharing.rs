//! Two leaves of one deforming mesh that share vertices, and their features that share none.
//!
//! Features that share a vertex are at distance 0 for all time, and do not count. These pairs count, by the number of
//! common vertices of two triangles:
//! - one, `(u, a, b)` and `(u, c, d)`: the edge `ab` with the second triangle, and the first with the edge `cd`;
//! - two, `(u, v, a)` and `(u, v, b)`: `a` with the second, the first with `b`, and the edges `ua` with `vb` and `va`
//!   with `ub`;
//! - three: none.
//!
//! Every pair of a vertex and a face, or of two edges, without a common vertex is part of one of these. A loose edge is
//! a triangle with a repeated corner, a loose point one with three.

use smallvec::SmallVec;

use crate::pair::piece::{MovingTriangle, Piece};
use crate::tree::composite::AnyPiece;

/// The pairs of features that count; none if the leaves share no vertex.
pub(super) type FeaturePairs<'a> = SmallVec<[[AnyPiece<'a>; 2]; 4]>;

pub(super) fn feature_pairs<'a>(a: &AnyPiece<'a>, b: &AnyPiece<'a>) -> Option<FeaturePairs<'a>> {
    let (AnyPiece::Deforming(a), AnyPiece::Deforming(b)) = (a, b) else { return None };
    let shared = |id: u32, other: &MovingTriangle| other.ids().contains(&id);
    let split = |one: &MovingTriangle, other: &MovingTriangle| {
        let mut corners: [SmallVec<[usize; 3]>; 2] = Default::default();
        for k in 0..3 {
            let is_repeated = one.ids()[..k].contains(&one.ids()[k]);
            if !is_repeated {
                corners[usize::from(shared(one.ids()[k], other))].push(k);
            }
        }
        corners
    };
    let [own_a, common_a] = split(a, b);
    let [own_b, common_b] = split(b, a);
    if common_a.is_empty() {
        return None;
    }
    let mut pairs = FeaturePairs::new();
    // The own part of each leaf, with the whole other one. A vertex and an edge are not a pair.
    let is_pair = |own: &[usize], other: usize| own.len() + other >= 4 && !own.is_empty();
    let (corners_a, corners_b) = (own_a.len() + common_a.len(), own_b.len() + common_b.len());
    if is_pair(&own_a, corners_b) || (own_a.len() == 2 && corners_b == 1) {
        pairs.push([part(a, &own_a), AnyPiece::Deforming(*b)]);
    }
    if is_pair(&own_b, corners_a) || (own_b.len() == 2 && corners_a == 1) {
        pairs.push([AnyPiece::Deforming(*a), part(b, &own_b)]);
    }
    // With two common vertices, the edges that cross over.
    if let ([u, v], [p], [q]) = (&common_a[..], &own_a[..], &own_b[..]) {
        let in_b = |k: usize| (0..3).find(|&j| b.ids()[j] == a.ids()[k]).unwrap_or(0);
        pairs.push([part(a, &[*u, *p]), part(b, &[in_b(*v), *q])]);
        pairs.push([part(a, &[*v, *p]), part(b, &[in_b(*u), *q])]);
    }
    Some(pairs)
}

/// Returns an edge or a point of a triangle.
fn part<'a>(of: &MovingTriangle, corners: &[usize]) -> AnyPiece<'a> {
    let at = |k: usize| corners[if k < corners.len() { k } else { corners.len() - 1 }];
    let [t0, t1] = of.ends();
    let places: [usize; 3] = [at(0), at(1), at(2)];
    let index = of.solid().index();
    AnyPiece::Deforming(MovingTriangle::new(
        places.map(|k| t0[k]),
        places.map(|k| t1[k]),
        places.map(|k| of.ids()[k]),
        index,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn triangle<'a>(ids: [u32; 3]) -> AnyPiece<'a> {
        let corners = ids.map(|id| DVec3::new(f64::from(id), f64::from(id * id), 0.0));
        AnyPiece::Deforming(MovingTriangle::new(corners, corners, ids, 0))
    }

    fn ids(piece: &AnyPiece<'_>) -> Vec<u32> {
        let AnyPiece::Deforming(piece) = piece else { panic!("it deforms") };
        let mut ids = piece.ids().to_vec();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Every vertex/face and edge/edge pair without a common vertex is in one of the pairs, and no pair has a common
    /// vertex.
    #[test]
    fn all_features_without_a_common_vertex_are_there() {
        for (a, b, count) in [
            ([1, 2, 3], [4, 5, 6], None),
            ([1, 2, 3], [3, 4, 5], Some(2)),
            ([1, 2, 3], [3, 2, 4], Some(4)),
            ([1, 2, 3], [2, 3, 1], Some(0)),
            ([1, 2, 3], [3, 4, 4], Some(2)),
            ([1, 2, 3], [3, 3, 3], Some(1)),
            ([1, 2, 3], [2, 3, 3], Some(0)),
            ([1, 2, 2], [2, 3, 3], Some(0)),
        ] {
            let found = feature_pairs(&triangle(a), &triangle(b));
            assert_eq!(found.as_ref().map(|pairs| pairs.len()), count, "{a:?} {b:?}");
            let Some(found) = found else { continue };
            let subsets = |of: [u32; 3]| -> Vec<Vec<u32>> {
                let mut of = of.to_vec();
                of.sort_unstable();
                of.dedup();
                (1..1_u32 << of.len())
                    .map(|m| (0..of.len()).filter(|k| m >> k & 1 == 1).map(|k| of[k]).collect())
                    .collect()
            };
            let both = |p: &[u32], q: &[u32]| {
                found.iter().any(|[x, y]| {
                    p.iter().all(|v| ids(x).contains(v)) && q.iter().all(|v| ids(y).contains(v))
                })
            };
            for p in subsets(a) {
                for q in subsets(b) {
                    let is_test = matches!((p.len(), q.len()), (1, 3) | (3, 1) | (2, 2));
                    if is_test && p.iter().all(|v| !q.contains(v)) {
                        assert!(both(&p, &q), "{a:?} {b:?}: {p:?} with {q:?}");
                    }
                }
            }
        }
    }
}
