//! Many queries at once: the first stage processes several queries per instruction, the other stages one at a time.
//!
//! **Problem.** In a simulation nearly all candidate pairs stay far apart, so most time is spent on proving this.
//!
//! 1. Take [`LANES`] queries, one in each lane of a vector, and compute the overlaps of `axes` at both ends, axis by
//!    axis. The code uses the best vector instructions of the processor at run time (`fearless_simd` dispatches;
//!    elsewhere it is plain scalar code).
//! 2. Pairs with a negative overlap at both times are done. If any pair remains, compute entry and exit times for
//!    all.
//! 3. The remaining pairs go through the other stages as single queries do.
//!
//! **Guarantee.** The answers are bit for bit those of single queries. The arithmetic consists of the same IEEE
//! operations in the same order (vector instructions round alike, and no multiplication is fused with an addition).

use fearless_simd::{Level, Simd, dispatch, f64x4, mask64x4, prelude::*};

use super::pair::Pair;
use super::{Decision, EdgeEdge, Limits, Stage, Verdict, VertexFace, axes, decide, decide_near};

/// The number of queries side by side: one AVX register of `f64`.
const LANES: usize = 4;
/// The number of queries per dispatch: enough to make its cost negligible.
const GROUP: usize = 256;

/// Calls [`super::vertex_face`] for every query, in order; `out` is cleared first.
///
/// ```
/// use firsttouch::elementary::{vertex_face, vertex_face_batch, Limits, VertexFace};
/// use glam::DVec3;
/// let q = VertexFace::new([DVec3::ZERO; 4], [DVec3::ONE; 4])?;
/// let mut out = Vec::new();
/// vertex_face_batch(&[q, q, q], &Limits::default(), &mut out);
/// assert_eq!(out, [vertex_face(&q, &Limits::default()); 3]);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn vertex_face_batch(q: &[VertexFace], p: &Limits, out: &mut Vec<Decision>) {
    batch(q, p, out);
}

/// Calls [`super::edge_edge`] for every query, in order; `out` is cleared first.
///
/// ```
/// use firsttouch::elementary::{edge_edge, edge_edge_batch, EdgeEdge, Limits};
/// use glam::DVec3;
/// let q = EdgeEdge::new([DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE], [DVec3::ZERO; 4])?;
/// let mut out = Vec::new();
/// edge_edge_batch(&[q, q], &Limits::default(), &mut out);
/// assert_eq!(out, [edge_edge(&q, &Limits::default()); 2]);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn edge_edge_batch(q: &[EdgeEdge], p: &Limits, out: &mut Vec<Decision>) {
    batch(q, p, out);
}

const FREE: Decision = Decision { outcome: Verdict::Free, stage: Stage::Axes };

fn batch<P: Pair>(q: &[P], p: &Limits, out: &mut Vec<Decision>) {
    out.clear();
    out.reserve(q.len());
    if p.min_separation > 0.0 {
        out.extend(q.iter().map(|q| decide(q, p)));
        return;
    }
    let t_max = p.t_end;
    let level = Level::new();
    for group in q.chunks(GROUP) {
        let (blocks, rest) = group.as_chunks::<LANES>();
        let mut apart = [0; GROUP / LANES];
        dispatch!(level, simd => apart_blocks(simd, blocks, t_max, &mut apart));
        out.extend(blocks.as_flattened().iter().enumerate().map(|(i, q)| {
            if apart[i / LANES] & (1 << (i % LANES)) != 0 { FREE } else { decide_near(q, t_max) }
        }));
        out.extend(rest.iter().map(|q| decide(q, p)));
    }
}

/// Computes `axes::apart` for each query of each block, one bit each.
#[inline(always)]
fn apart_blocks<S: Simd, P: Pair>(simd: S, blocks: &[[P; LANES]], t_max: f64, apart: &mut [u64]) {
    for (block, apart) in blocks.iter().zip(apart) {
        *apart = apart_block(simd, block, t_max);
    }
}

#[inline(always)]
fn apart_block<S: Simd, P: Pair>(simd: S, block: &[P; LANES], t_max: f64) -> u64 {
    let zero = f64x4::splat(simd, 0.0);
    let mut apart = mask64x4::splat(simd, false);
    let mut overlaps = [[zero; 4]; 3];
    for (axis, overlap) in overlaps.iter_mut().enumerate() {
        let [up0, down0] = overlaps_along::<S, P, 0>(simd, block, axis);
        let [up1, down1] = overlaps_along::<S, P, 1>(simd, block, axis);
        // Both are negative if the larger one is.
        apart |= up0.max(up1).simd_lt(zero) | down0.max(down1).simd_lt(zero);
        *overlap = [up0, up1, down0, down1];
    }
    if apart.all_true() {
        return apart.to_bitmask();
    }
    // The rest is `axes::narrowed` and `axes::never`, lane by lane.
    let mut enter = zero;
    let mut exit = f64x4::splat(simd, 1.0);
    for side in [0, 2] {
        for overlap in &overlaps {
            let (x0, x1) = (overlap[side], overlap[side + 1]);
            let crossing = x0 / (x0 - x1);
            enter = (x0.simd_lt(zero) & crossing.simd_gt(enter)).select(crossing, enter);
            exit = (x1.simd_lt(zero) & crossing.simd_lt(exit)).select(crossing, exit);
        }
    }
    let enter = enter * f64x4::splat(simd, axes::BELOW);
    let tiny = f64x4::splat(simd, axes::TINY);
    let last = f64x4::splat(simd, t_max) + tiny;
    apart |= enter.simd_gt(exit * f64x4::splat(simd, axes::ABOVE) + tiny) | enter.simd_gt(last);
    apart.to_bitmask()
}

/// Returns the overlaps along one axis at one end of the motion, from either side.
#[inline(always)]
fn overlaps_along<S: Simd, P: Pair, const END: usize>(
    simd: S,
    block: &[P; LANES],
    axis: usize,
) -> [f64x4<S>; 2] {
    let p0 = lanes::<S, P, END>(simd, block, 0, axis);
    let p1 = lanes::<S, P, END>(simd, block, 1, axis);
    let p2 = lanes::<S, P, END>(simd, block, 2, axis);
    let p3 = lanes::<S, P, END>(simd, block, 3, axis);
    if P::SPLIT == 1 {
        [p1.max(p2).max(p3) - p0, p0 - p1.min(p2).min(p3)]
    } else {
        [p2.max(p3) - p0.min(p1), p0.max(p1) - p2.min(p3)]
    }
}

/// Returns one coordinate of one point of all queries.
#[inline(always)]
fn lanes<S: Simd, P: Pair, const END: usize>(simd: S, block: &[P; LANES], i: usize, axis: usize) -> f64x4<S> {
    let [q0, q1, q2, q3] = block;
    let x = [
        at::<P, END>(q0, i, axis),
        at::<P, END>(q1, i, axis),
        at::<P, END>(q2, i, axis),
        at::<P, END>(q3, i, axis),
    ];
    f64x4::simd_from(simd, x)
}

#[inline(always)]
fn at<P: Pair, const END: usize>(q: &P, i: usize, axis: usize) -> f64 {
    if END == 0 { q.t0()[i][axis] } else { q.t1()[i][axis] }
}
