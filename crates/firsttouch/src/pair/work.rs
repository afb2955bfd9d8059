//! Statistics of a query.

use std::ops::AddAssign;

/// Counts of the work of the engines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeStats {
    /// Pairs whose trees were opened, because neither their volumes nor their hulls proved them free before the first
    /// touch.
    pub opened: u64,
    /// Pairs of volumes that were bounded.
    pub volume_pairs: u64,
    /// Pairs of pieces that were advanced.
    pub piece_pairs: u64,
    /// Advancement steps of pairs of pieces.
    pub iterations: u64,
    /// Pairs of pieces whose contact at the start [`Start::Ignore`](crate::Start::Ignore) cannot follow, so they are
    /// undecided from there.
    pub not_followed: u64,
    /// Tests of the contact-screw engine.
    pub contact: ContactTests,
}

impl AddAssign for TreeStats {
    fn add_assign(&mut self, other: TreeStats) {
        self.opened += other.opened;
        self.volume_pairs += other.volume_pairs;
        self.piece_pairs += other.piece_pairs;
        self.iterations += other.iterations;
        self.not_followed += other.not_followed;
        self.contact += other.contact;
    }
}

/// The number of tests of each kind in a query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContactTests {
    /// Sphere against sphere (SS).
    pub sphere_sphere: u64,
    /// Edge against edge (EE).
    pub edge_edge: u64,
    /// A moving vertex against a face (VF).
    pub vertex_face: u64,
    /// A moving face against a vertex (FV).
    pub face_vertex: u64,
    /// Candidates that advancement confirmed or refuted.
    pub confirmations: u64,
    /// Tests of primitives that ended early, because the two cannot touch before the first time known then.
    pub too_late: u64,
}

impl ContactTests {
    /// Returns the number of all tests of spheres and primitives, as Table 1 of the paper counts them.
    pub fn total(&self) -> u64 {
        self.sphere_sphere + self.edge_edge + self.vertex_face + self.face_vertex
    }
}

impl AddAssign for ContactTests {
    fn add_assign(&mut self, other: ContactTests) {
        self.sphere_sphere += other.sphere_sphere;
        self.edge_edge += other.edge_edge;
        self.vertex_face += other.vertex_face;
        self.face_vertex += other.face_vertex;
        self.confirmations += other.confirmations;
        self.too_late += other.too_late;
    }
}
