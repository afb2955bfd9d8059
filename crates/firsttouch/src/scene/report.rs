//! What a check of a scene returns.

use crate::answer::Answer;
use crate::ellipsoid::Overlap;
use crate::pair::ContactTests;

/// What a check of a scene found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The answer for the whole scene.
    pub answer: Answer,
    /// With [`Mode::All`](crate::Mode::All), the answer of every pair that is not free, in the order of the scene. If the query was
    /// interrupted, pairs that were not looked at are not listed.
    pub pairs: Vec<PairReport>,
    /// How much work it took.
    pub stats: Stats,
    /// Where the time went, if a clock was given.
    pub seconds: Option<StageSeconds>,
}

/// The answer of one pair.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PairReport {
    /// The two bodies; the same one twice for its own parts.
    pub bodies: [usize; 2],
    /// What is proven of them.
    pub answer: Answer,
    /// Of two ellipsoids in rational motions without a separation to keep: all times at which they touch or overlap.
    pub overlaps: Option<Vec<Overlap>>,
}

/// How many pairs each stage removed, and how many steps the rest took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// All pairs of bodies, and every robot or deforming mesh with itself.
    pub pairs: u64,
    /// Pairs on the allowed list or filtered out.
    pub allowed: u64,
    /// Pairs whose boxes over time stay apart. Zero if the search ended before all boxes were compared, which happens only where
    /// very many overlap.
    pub boxes_apart: u64,
    /// Pairs that were worked on.
    pub advanced: u64,
    /// Pairs that were not worked on, because they cannot touch before the first touch or because the search ended.
    pub later: u64,
    /// Parts: rigid bodies, deforming meshes, shapes of links.
    pub parts: u64,
    /// Pairs of parts whose boxes meet, and which are to be checked.
    pub part_pairs: u64,
    /// Pairs of bounding volumes, of trees, that were bounded in time.
    pub volume_pairs: u64,
    /// Pairs of convex pieces, or of features, that were advanced or decided.
    pub piece_pairs: u64,
    /// Advancement steps of all pairs together.
    pub iterations: u64,
    /// Tests of spheres and primitives for meshes on contact screws.
    pub contact: ContactTests,
}

/// Where the time went. That of the engines is summed over threads.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct StageSeconds {
    /// Boxes, pairs and lower bounds.
    pub broad: f64,
    /// Each engine, in the order of [`Engine::ALL`](crate::Engine::ALL).
    pub engines: [f64; 5],
}
