//! The edges of a triangle soup and their numbers.
//!
//! **Problem.** Number the distinct sides of all triangles and the loose edges in the order of (smaller, larger)
//! vertex. A side from a vertex to itself is not an edge, unless the triangle has no other side: then it is an edge of
//! length zero. Loose points are also such edges, so that a point can touch an edge.
//!
//! The tree finds the distinct sides (`hierarchy`). Numbers name edges in answers, and a query for the first touch
//! names two. Its search compares the ends of edges instead, which have the same order. So all edges are numbered only
//! if many numbers are needed.
//!
//! 1. Edges are put into buckets by their smaller vertex (a counting sort).
//! 2. Each bucket, a few edges, is sorted by the larger vertex.
//! 3. A single number is computed as the count of the edges before it.

use super::hierarchy::{Edge, Tree};

/// The numbers of all edges.
#[derive(Debug, Clone)]
pub(crate) struct EdgeNumbers {
    /// The edges by the user's indices, smaller vertex first, in lexicographic order.
    pub(crate) edges: Vec<[u32; 2]>,
    /// The number of each edge of the tree.
    pub(crate) number: Vec<u32>,
}

impl EdgeNumbers {
    pub(crate) fn new(tree: &Tree) -> EdgeNumbers {
        let ends: Vec<[u32; 2]> = tree.edges.iter().map(|edge| tree.ends_of(edge)).collect();
        let (edges, number) = unique(tree.vertex_id.len(), &ends);
        EdgeNumbers { edges, number }
    }
}

/// Returns the number of one edge.
pub(crate) fn number_of(tree: &Tree, edge: &Edge) -> u32 {
    let ends = tree.ends_of(edge);
    tree.edges.iter().filter(|other| tree.ends_of(other) < ends).count() as u32
}

/// Returns the distinct edges, smaller vertex first, in lexicographic order, and the edge of each given side.
fn unique(vertices: usize, sides: &[[u32; 2]]) -> (Vec<[u32; 2]>, Vec<u32>) {
    let mut start = vec![0u32; vertices + 1];
    for side in sides {
        start[side[0].min(side[1]) as usize + 1] += 1;
    }
    for v in 0..vertices {
        start[v + 1] += start[v];
    }
    let mut next = start.clone();
    // The larger vertex is in the high bits and the side in the low bits, so sorting a bucket sorts by the larger
    // vertex.
    let mut dealt = vec![0u64; sides.len()];
    for (i, side) in sides.iter().enumerate() {
        let slot = &mut next[side[0].min(side[1]) as usize];
        dealt[*slot as usize] = (side[0].max(side[1]) as u64) << 32 | i as u64;
        *slot += 1;
    }
    let mut edges: Vec<[u32; 2]> = Vec::with_capacity(sides.len());
    let mut edge_of = vec![0u32; sides.len()];
    for v in 0..vertices {
        let bucket = &mut dealt[start[v] as usize..start[v + 1] as usize];
        bucket.sort_unstable();
        for entry in bucket {
            let edge = [v as u32, (*entry >> 32) as u32];
            if edges.last() != Some(&edge) {
                edges.push(edge);
            }
            edge_of[(*entry & 0xffff_ffff) as usize] = edges.len() as u32 - 1;
        }
    }
    edges.shrink_to_fit();
    (edges, edge_of)
}

/// Returns the sides of a triangle that are edges; unused entries repeat the first one.
pub(crate) fn sides([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    let all = [[a, b], [b, c], [c, a]];
    // A side that is not an edge is replaced by a side that is, if there is one.
    let first = all.into_iter().find(|s| s[0] != s[1]).unwrap_or([a, a]);
    all.map(|s| if s[0] != s[1] { s } else { first })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let given: Vec<[u32; 2]> =
            [[2, 1, 0], [1, 2, 3], [3, 3, 0], [4, 4, 4]].into_iter().flat_map(sides).collect();
        let (edges, of) = unique(5, &given);
        assert_eq!(edges, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3], [4, 4]]);
        assert_eq!(of, [3, 0, 1, 3, 5, 4, 2, 2, 2, 6, 6, 6]);
    }
}
