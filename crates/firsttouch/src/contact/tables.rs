//! What has been tested already: the four hash tables.
//!
//! A large face is covered by many leaf spheres. When two such faces of two objects are close, every pair of leaves that
//! meet would test the same pair of faces again. Four tables keep that from happening, each of which can be left out:
//! one for pairs of labels of tree nodes, and one each for pairs of edges, of a vertex and a face, and of a face and a
//! vertex. Since primitives are tested as a whole, over the whole window, a second test could not find anything new: the
//! answer is the same whichever tables are used.
//!
//! Reference: Redon, Kheddar, Coquillart 2001, Sec. 4.4 and Table 1.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Which tables to use.
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
    /// All four.
    pub const ALL: Tables = Tables { labels: true, edge_edge: true, vertex_face: true, face_vertex: true };
    /// None.
    pub const NONE: Tables =
        Tables { labels: false, edge_edge: false, vertex_face: false, face_vertex: false };
    /// Labels only.
    pub const LABELS: Tables = Tables { labels: true, ..Tables::NONE };
    /// Primitives only.
    pub const PRIMITIVES: Tables = Tables { labels: false, ..Tables::ALL };
}

impl Default for Tables {
    fn default() -> Tables {
        Tables::ALL
    }
}

/// A set of pairs, or nothing at all.
#[derive(Debug, Default)]
pub(super) struct Tested(Option<HashSet<u64, BuildHasherDefault<PairHasher>>>);

impl Tested {
    pub(super) fn new(used: bool) -> Tested {
        Tested(used.then(HashSet::default))
    }

    /// Whether the pair is known to be tested.
    #[inline]
    pub(super) fn contains(&self, a: u32, b: u32) -> bool {
        self.0.as_ref().is_some_and(|set| set.contains(&key(a, b)))
    }

    /// Marks the pair as tested; false if it was already.
    #[inline]
    pub(super) fn insert(&mut self, a: u32, b: u32) -> bool {
        self.0.as_mut().is_none_or(|set| set.insert(key(a, b)))
    }
}

#[inline]
fn key(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// Multiplication by an odd constant, and the high bits folded onto the low ones: a pair of small integers needs no more.
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
