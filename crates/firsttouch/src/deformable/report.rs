//! The settings and the report of a query of a deforming mesh.

use crate::answer::{Answer, Feature, Touch};

pub use crate::options::Start;

use super::volume::Dop;

/// The settings of the hierarchy, and the steps that are omitted for comparison. The answers do not depend on them.
///
/// ```
/// use firsttouch::deformable::{Dop, Settings};
/// assert_eq!(Settings::default().switch_height, 3);
/// assert_eq!(Settings::default().dop, Dop::Eight);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The directions of the volumes.
    pub dop: Dop,
    /// The number of levels, counted from the leaves, that carry a pair of volumes at times 0 and 1 beside the swept
    /// volume. If it is at least one, features are also compared by such pairs.
    pub switch_height: u32,
    /// True if a step of local advancement precedes the exact test (in mode `All` only with a `min_separation`, unless
    /// [`Settings::advancement_in_all`] is set).
    pub local_advancement: bool,
    /// True if it also does so in mode `All` without a `min_separation`. The first stage of the exact test is a proof
    /// of the same kind, so this is off by default. It changes no answer.
    pub advancement_in_all: bool,
    /// True if pairs of features within patches that cannot touch themselves are skipped (not with a `min_separation`).
    pub normal_cones: bool,
    /// The number of threads for building; 0 means one per core. Without the feature `parallel` it is always one.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            dop: Dop::default(),
            switch_height: 3,
            local_advancement: true,
            advancement_in_all: false,
            normal_cones: true,
            threads: 1,
        }
    }
}

/// The answer and the statistics of the search.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DeformReport {
    /// The earliest touch, or (mode `Any`) some touch. A touch at the start precedes all others.
    pub answer: Answer,
    /// With [`Start::Report`], in modes `First` and `All`: the number of pairs of an edge and a triangle without a
    /// common vertex that intersect at time 0. Mode `Any` stops at the first such pair and does not count them.
    pub crossings_at_start: Option<u64>,
    /// Mode `All`: the first touch of every touching pair, vertex/face before edge/edge, ordered by the indices of
    /// the features. For edge/edge the smaller index is first. Empty in other modes, and always empty from
    /// [`check_all`](super::Deformable::check_all).
    pub touches: Vec<Touch>,
    /// Mode `All` with a `min_separation`: pairs whose budget ran out, and the time up to which each is free. Always
    /// empty from [`check_all`](super::Deformable::check_all).
    pub undecided: Vec<([Feature; 2], f64)>,
    /// Mode `All`: the number of vertex/face pairs that touch.
    pub vf_touching: u64,
    /// Mode `All`: the number of edge/edge pairs that touch.
    pub ee_touching: u64,
    /// Mode `All` with [`Start::Ignore`]: the number of pairs of features that touch at time 0, at a distance of 0.
    /// They are left out for all time, even if they part and touch again.
    pub ignored_at_start: Option<u64>,
    /// The statistics of the search.
    pub stats: DeformStats,
}

impl DeformReport {
    /// Returns the number of vertex/face pairs that touch, in mode `All`.
    pub fn vertex_face_touches(&self) -> usize {
        self.vf_touching as usize
    }

    /// Returns the number of edge/edge pairs that touch, in mode `All`.
    pub fn edge_edge_touches(&self) -> usize {
        self.ee_touching as usize
    }
}

/// Statistics of the search. They are the same for any number of threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DeformStats {
    /// Leaves in patches proven not to touch themselves.
    pub patch_leaves: u64,
    /// Pairs of leaves whose features were tested against each other.
    pub leaf_pairs: u64,
    /// Vertex/face pairs without a common vertex whose volumes overlap in the window.
    pub vf_candidates: u64,
    /// Edge/edge pairs of that kind. Pairs whose swept volumes prove that they are apart also count, if their moving
    /// volumes overlap.
    pub ee_candidates: u64,
    /// Vertex/face pairs that local advancement did not exclude and the exact test decided.
    pub vf_tested: u64,
    /// Edge/edge pairs of that kind.
    pub ee_tested: u64,
}

impl std::ops::AddAssign for DeformStats {
    fn add_assign(&mut self, other: DeformStats) {
        self.patch_leaves += other.patch_leaves;
        self.leaf_pairs += other.leaf_pairs;
        self.vf_candidates += other.vf_candidates;
        self.ee_candidates += other.ee_candidates;
        self.vf_tested += other.vf_tested;
        self.ee_tested += other.ee_tested;
    }
}
