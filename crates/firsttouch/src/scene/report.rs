//! The report of a check of a scene.

use crate::answer::Answer;
use crate::options::Options;
use crate::pair::ContactTests;
pub(super) use crate::world::PairReport;

/// The answer for a scene, and the statistics of the search.
///
/// ```
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Body, Mode, Options, Scene, glam::DVec3};
/// // Two balls of radius 1 fly along x, side by side, from x = 0 to x = 8. Each has a ball in its way at x = 4.
/// let at = |x: f64, y: f64| Pose::from_translation(DVec3::new(x, y, 0.0));
/// let mut scene = Scene::default();
/// for (name, y) in [("left", 0.0), ("right", 9.0)] {
///     scene.add(Body::new(name, Sphere::new(1.0)?, Motion::linear(at(0.0, y)?, at(8.0, y)?)))?;
///     scene.add(Body::new(format!("{name} post"), Sphere::new(1.0)?, Motion::fixed(at(4.0, y)?)))?;
/// }
/// let report = scene.check(&Options { mode: Mode::All, ..Options::default() })?;
/// // Of six pairs two touch, when the flying balls are at x = 2.
/// assert_eq!(report.stats.pairs, 6);
/// let touching: Vec<[usize; 2]> = report.pairs.iter().map(|pair| pair.bodies).collect();
/// assert_eq!(touching, [[0, 1], [2, 3]]);
/// assert!((report.answer.free_until(1.0) - 0.25).abs() < 1e-6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The answer for the whole scene.
    pub answer: Answer,
    /// With [`Mode::All`](crate::Mode::All), the answer of every pair that is not free, in the order of the scene. If
    /// the query was interrupted, pairs that were not checked are not listed.
    pub pairs: Vec<PairReport>,
    /// The statistics of the search.
    pub stats: Stats,
    /// The time that each stage took, if a clock was given.
    pub seconds: Option<StageSeconds>,
}

impl Report {
    /// Returns the same report with its times over `[0, duration]` instead of `[0, 1]`. Times before which something is
    /// proven free are rounded down, the ends of overlaps up.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Body, Options, Scene, glam::DVec3};
    /// let ball = Sphere::new(1.0)?;
    /// let path = Motion::linear(Pose::IDENTITY, Pose::from_translation(DVec3::X * 8.0)?);
    /// let post = Motion::fixed(Pose::from_translation(DVec3::X * 4.0)?);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("ball", ball.clone(), path))?;
    /// scene.add(Body::new("post", ball, post))?;
    /// let report = scene.check(&Options::default())?.over(60.0); // they touch after a quarter of a minute
    /// assert!((report.answer.free_until(60.0) - 15.0).abs() < 1e-4);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    #[must_use]
    pub fn over(mut self, duration: f64) -> Report {
        self.answer = self.answer.over(duration);
        self.pairs = self.pairs.into_iter().map(|pair| pair.over(duration)).collect();
        self
    }

    /// Returns why the answer is undecided; `None` if it is decided. The options must be those of the query. An
    /// interrupted query has no reason of its own: the caller knows that it was interrupted.
    pub fn reason(&self, options: &Options) -> Option<Reason> {
        let Answer::Undecided { free_until, .. } = self.answer else { return None };
        Some(if self.stats.not_followed > 0 && free_until <= 0.0 {
            Reason::ContactAtStart
        } else if self.stats.iterations < options.max_iterations as u64 {
            Reason::Precision
        } else {
            Reason::Steps
        })
    }
}

/// The reason why an answer is undecided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A pair has used up [`Options::max_iterations`].
    Steps,
    /// Two bodies touch at the start, and [`Start::Ignore`](crate::Start::Ignore) cannot follow their contact: one of
    /// them is a solid mesh, or too many triangles touch.
    ContactAtStart,
    /// The bounds of a pair cannot be made sharp enough at some time, with steps to spare.
    Precision,
}

/// The number of pairs that each stage removed, and the number of steps that the rest took. In a scene with a robot on
/// a path, pairs and parts count once for each span between two waypoints that was checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// All pairs of bodies, and every robot or deforming mesh with itself.
    pub pairs: u64,
    /// Pairs on the allowed list or filtered out.
    pub allowed: u64,
    /// Pairs of bodies at rest that are left out; see [`Scene::leave_out_resting`](crate::Scene::leave_out_resting).
    pub resting: u64,
    /// Pairs whose boxes over time stay apart. Zero if the search ended before all boxes were compared, which happens
    /// only where very many overlap.
    pub boxes_apart: u64,
    /// Pairs that were checked.
    pub advanced: u64,
    /// Pairs that were not checked, because they cannot touch before the first touch or because the search ended.
    pub later: u64,
    /// Parts: rigid bodies, deforming meshes, shapes of links.
    pub parts: u64,
    /// Pairs of parts whose boxes overlap and which are not allowed to touch.
    pub part_pairs: u64,
    /// Pairs of bounding volumes in trees that were bounded in time.
    pub volume_pairs: u64,
    /// Pairs of convex pieces, or of features, that were advanced or decided.
    pub piece_pairs: u64,
    /// Advancement steps of all pairs together.
    pub iterations: u64,
    /// Pairs of parts whose contact at the start [`Start::Ignore`](crate::Start::Ignore) cannot follow, so that they
    /// are undecided from there.
    pub not_followed: u64,
    /// Tests of spheres and primitives for meshes on contact screws.
    pub contact: ContactTests,
}

/// The time of each stage. The times of the engines are summed over threads.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct StageSeconds {
    /// Boxes, pairs and lower bounds.
    pub broad: f64,
    /// Each engine, in the order of [`Engine::ALL`](crate::Engine::ALL).
    pub engines: [f64; 5],
}
