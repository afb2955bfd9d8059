//! The four hash tables of pairs that have been tested.
//!
//! A large face is covered by many leaf spheres. If two such faces of two objects are close, every pair of leaves that
//! meet would test the same pair of faces again. Four tables prevent that, and each can be left out: one for pairs of
//! labels of tree nodes, and one each for pairs of edges, of a vertex and a face, and of a face and a vertex.
//! Primitives are tested as a whole, over the whole window, so a second test would find the same result: the answer
//! does not depend on the tables in use.
//!
//! Reference: Redon, Kheddar, Coquillart 2001, Sec. 4.4 and Table 1.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// The tables to use.
///
/// ```
/// use firsttouch::contact::Tables;
/// assert!(Tables::ALL.labels && !Tables::PRIMITIVES.labels);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tables {
    /// Pairs of labels (SS).
    pub labels: bool,
    /// Pairs of edges (EE).
    pub edge_edge: bool,
    /// Pairs of a vertex and a face (VF).
    pub vertex_face: bool,
    /// Pairs of a face and a vertex (FV).
    pub face_vertex: bool,
}

impl Tables {
    /// All four tables.
    pub const ALL: Tables = Tables { labels: true, edge_edge: true, vertex_face: true, face_vertex: true };
    /// No tables.
    pub const NONE: Tables =
        Tables { labels: false, edge_edge: false, vertex_face: false, face_vertex: false };
    /// The table of labels only.
    pub const LABELS: Tables = Tables { labels: true, ..Tables::NONE };
    /// The tables of primitives only.
    pub const PRIMITIVES: Tables = Tables { labels: false, ..Tables::ALL };
}

impl Default for Tables {
    fn default() -> Tables {
        Tables::ALL
    }
}

/// A set of pairs; `None` if the table is not used.
#[derive(Debug, Default)]
pub(super) struct TestedPairs(Option<HashSet<u64, BuildHasherDefault<PairHasher>>>);

impl TestedPairs {
    pub(super) fn new(used: bool) -> TestedPairs {
        TestedPairs(used.then(HashSet::default))
    }

    /// Returns true if the pair is known to be tested.
    #[inline]
    pub(super) fn contains(&self, a: u32, b: u32) -> bool {
        self.0.as_ref().is_some_and(|set| set.contains(&key(a, b)))
    }

    /// Marks the pair as tested. Returns false if it was already marked.
    #[inline]
    pub(super) fn insert(&mut self, a: u32, b: u32) -> bool {
        self.0.as_mut().is_none_or(|set| set.insert(key(a, b)))
    }
}

#[inline]
fn key(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// Multiplies by an odd constant and folds the high bits onto the low ones. This is enough for a pair of small
/// integers.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, x: u64) {
        // 2^64 divided by the golden ratio.
        self.0 = (self.0.rotate_left(5) ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
