//! Many bodies, and the first touch among them.
//!
//! 1. *Broad phase.* Each body's box over the whole span of time; pairs whose boxes stay apart are free.
//! 2. *Lower bounds.* For each pair that is left, the distance of the balls around the two bodies at the start, divided by
//!    how fast they can close in, bounds the time of contact from below.
//! 3. *Narrow phase* through the queue, earliest bound first; `t_min` shrinks as touches are found and whatever lies
//!    behind it is dropped.
//!
//! The pairs are ordered by their bounds and, where those are equal, by the names of the bodies: neither the order of the
//! bodies nor the number of threads changes the answer.

use std::collections::HashSet;

use crate::advancement::{Queue, Step};
use crate::answer::Answer;
use crate::broad::{Aabb, overlapping_pairs, swept_box};
use crate::error::{Error, Result};
use crate::motion::{Motion, RigidMotion};
use crate::narrow::contact::ContactTests;
use crate::narrow::first_touch;
use crate::narrow::tree_tree::TreeStats;
use crate::numerics::Window;
use crate::numerics::rounding::UNIT;
use crate::options::{Mode, Options};
use crate::parallel::Workers;
use crate::shape::Shape;

/// A named shape in motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    name: String,
    shape: Shape,
    motion: Motion,
}

impl Body {
    /// A body.
    pub fn new(name: impl Into<String>, shape: impl Into<Shape>, motion: Motion) -> Body {
        Body { name: name.into(), shape: shape.into(), motion }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its motion.
    pub fn motion(&self) -> &Motion {
        &self.motion
    }

    /// A box it never leaves during the window, quickly made: that of the ball around its origin. The origin strays from the
    /// chord of its path by at most an eighth of its acceleration times the time squared.
    fn swept_ball_box(&self, window: Window) -> Aabb {
        let (center, half) = self.shape.bounds();
        let reach = center.length() + half.length();
        let width = 2.0 * window.half_width();
        let bulge = self.motion.acceleration(0.0, window) * width * width / 8.0;
        if !bulge.is_finite() {
            return self.swept_box(window);
        }
        let [a, b] = [window.t0(), window.t1()].map(|t| self.motion.pose_at(t).translation);
        let off = self.motion.pose_error().translation + 16.0 * UNIT * (reach + bulge);
        Aabb { low: a.min(b), high: a.max(b) }.inflated(reach + bulge + off)
    }

    /// The box it never leaves during the window.
    pub fn swept_box(&self, window: Window) -> Aabb {
        let (center, half) = self.shape.bounds();
        swept_box(&self.motion.enclosure(window), center, half)
    }
}

/// Bodies, and which pairs of them are not to be checked.
///
/// ```
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Answer, Body, Options, Scene};
/// use glam::DVec3;
///
/// // A ball of radius 1 flies from x = -9 to x = 11 towards another at rest in the origin: they touch at x = -2.
/// let path = Motion::linear(Pose::from_translation(DVec3::X * -9.0)?, Pose::from_translation(DVec3::X * 11.0)?);
/// let mut scene = Scene::default();
/// scene.add(Body::new("flying", Sphere::new(1.0)?, path))?;
/// scene.add(Body::new("resting", Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
/// let Answer::Touch(touch) = scene.check(&Options::default())?.answer else { panic!("they must touch") };
/// assert!(touch.toi <= 0.35 && touch.toi > 0.35 - 1e-6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    bodies: Vec<Body>,
    allowed: HashSet<[usize; 2]>,
}

/// Tells whether a pair of bodies is to be checked.
type PairFilter<'a> = &'a dyn Fn(&Body, &Body) -> bool;

/// What a check of a scene found.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The answer for the whole scene.
    pub answer: Answer,
    /// With [`Mode::All`], the answer of every pair that is not free, in the order of the scene.
    pub pairs: Vec<PairReport>,
    /// How the work was spent.
    pub stats: Stats,
}

/// The answer of one pair.
#[derive(Debug, Clone, PartialEq)]
pub struct PairReport {
    /// The two bodies.
    pub bodies: [usize; 2],
    /// What is proven of them.
    pub answer: Answer,
}

/// How many pairs each stage removed, and how many steps the rest took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// All pairs of bodies.
    pub pairs: u64,
    /// Pairs on the allowed list or filtered out.
    pub allowed: u64,
    /// Pairs whose boxes over time stay apart.
    pub boxes_apart: u64,
    /// Pairs that advancement worked on.
    pub advanced: u64,
    /// Pairs dropped because they cannot touch before the first touch.
    pub later: u64,
    /// Pairs of bounding volumes, of trees, that were bounded in time.
    pub volume_pairs: u64,
    /// Pairs of convex pieces that were advanced.
    pub piece_pairs: u64,
    /// Advancement steps of all pairs together.
    pub iterations: u64,
    /// Tests of spheres and primitives for meshes on contact screws.
    pub contact: ContactTests,
}

impl Scene {
    /// Adds a body and returns its index. Names are unique.
    pub fn add(&mut self, body: Body) -> Result<usize> {
        if self.index_of(&body.name).is_some() {
            return Err(Error::DuplicateName { name: body.name });
        }
        self.bodies.push(body);
        Ok(self.bodies.len() - 1)
    }

    /// Leaves a pair of bodies out of every check.
    pub fn allow(&mut self, a: &str, b: &str) -> Result<()> {
        let index = |name: &str| self.index_of(name).ok_or_else(|| Error::UnknownName { name: name.into() });
        let (a, b) = (index(a)?, index(b)?);
        self.allowed.insert([a.min(b), a.max(b)]);
        Ok(())
    }

    /// The bodies, in the order they were added.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The index of the body with this name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|body| body.name == name)
    }

    /// Checks the scene.
    pub fn check(&self, options: &Options) -> Result<Report> {
        self.check_pairs(options, None)
    }

    /// Checks the pairs of bodies that `filter` keeps. Pairs on the allowed list are left out in any case.
    pub fn check_filtered(&self, options: &Options, filter: impl Fn(&Body, &Body) -> bool) -> Result<Report> {
        self.check_pairs(options, Some(&filter))
    }

    fn check_pairs(&self, options: &Options, filter: Option<PairFilter<'_>>) -> Result<Report> {
        options.validate()?;
        let n = self.bodies.len() as u64;
        let mut stats = Stats { pairs: n * n.saturating_sub(1) / 2, ..Stats::default() };
        let candidates = self.candidates(options, filter, &mut stats);
        let (answer, pairs) = match options.mode {
            Mode::First | Mode::Any => (self.first(candidates, options, &mut stats), Vec::new()),
            Mode::All => self.all(candidates, options, &mut stats),
        };
        Ok(Report { answer, pairs, stats })
    }

    /// The pairs whose boxes meet, each with a lower bound of its time of contact, in an order that does not depend on
    /// the order of the bodies.
    fn candidates(
        &self,
        options: &Options,
        filter: Option<PairFilter<'_>>,
        stats: &mut Stats,
    ) -> Vec<(f64, [usize; 2])> {
        let window = Window::between(0.0, options.t_max);
        // Also what is only within the tolerance counts as touching at the start.
        let apart = 0.5 * (options.min_separation + options.tolerance);
        // With few bodies tight boxes cost more than the pairs that they remove.
        const FEW: usize = 8;
        let swept = if self.bodies.len() <= FEW { Body::swept_ball_box } else { Body::swept_box };
        let boxes: Vec<Aabb> = self.bodies.iter().map(|body| swept(body, window).inflated(apart)).collect();
        let unwanted = |&[i, j]: &[usize; 2]| {
            self.allowed.contains(&[i, j])
                || filter.is_some_and(|wanted| !wanted(&self.bodies[i], &self.bodies[j]))
        };
        stats.allowed = match filter {
            None => self.allowed.len() as u64,
            Some(_) => {
                let n = self.bodies.len();
                let all = (0..n).flat_map(|i| (i + 1..n).map(move |j| [i, j]));
                all.filter(unwanted).count() as u64
            }
        };
        let mut candidates: Vec<(f64, [usize; 2])> = overlapping_pairs(&boxes)
            .into_iter()
            .filter(|pair| !unwanted(pair))
            .map(|[i, j]| {
                (earliest_contact(&self.bodies[i], &self.bodies[j], options.min_separation, window), [i, j])
            })
            .collect();
        stats.boxes_apart = stats.pairs - stats.allowed - candidates.len() as u64;
        let names = |[i, j]: [usize; 2]| {
            let (a, b) = (self.bodies[i].name(), self.bodies[j].name());
            if a < b { (a, b) } else { (b, a) }
        };
        candidates.sort_by(|x, y| x.0.total_cmp(&y.0).then_with(|| names(x.1).cmp(&names(y.1))));
        candidates
    }

    fn first(&self, candidates: Vec<(f64, [usize; 2])>, options: &Options, stats: &mut Stats) -> Answer {
        let mut queue = Queue::default();
        for (lower, pair) in candidates.into_iter().rev() {
            queue.push(lower, pair);
        }
        let any = options.mode == Mode::Any;
        let workers = Workers::new(if queue.len() > 1 { options.threads } else { 1 });
        let mut work = TreeStats::default();
        let first = queue.first_in_rounds(options.t_max, any, |batch, t_min| {
            let results = workers.map(&batch, |&pair| self.pair(pair, t_min, options));
            let steps = results.into_iter().map(|(answer, spent)| {
                work += spent;
                match answer {
                    Answer::Free => Step::Free,
                    answer => Step::Event { t: answer.free_until(t_min), what: answer },
                }
            });
            steps.collect()
        });
        stats.advanced = first.opened;
        stats.later = first.dropped;
        stats.add(work);
        first.event.map_or(Answer::Free, |(_, answer)| answer)
    }

    fn all(
        &self,
        mut candidates: Vec<(f64, [usize; 2])>,
        options: &Options,
        stats: &mut Stats,
    ) -> (Answer, Vec<PairReport>) {
        stats.advanced = candidates.len() as u64;
        let results = Workers::new(options.threads)
            .map(&candidates, |&(_, pair)| self.pair(pair, options.t_max, options));
        let mut earliest = Answer::Free;
        let mut pairs = Vec::new();
        for ((_, bodies), (answer, spent)) in candidates.drain(..).zip(results) {
            stats.add(spent);
            if answer == Answer::Free {
                continue;
            }
            if earliest == Answer::Free
                || answer.free_until(options.t_max) < earliest.free_until(options.t_max)
            {
                earliest = answer.clone();
            }
            pairs.push(PairReport { bodies, answer });
        }
        pairs.sort_by_key(|pair| pair.bodies);
        (earliest, pairs)
    }

    /// The answer of one pair, and the work it took.
    fn pair(&self, [i, j]: [usize; 2], t_end: f64, options: &Options) -> (Answer, TreeStats) {
        let mut work = TreeStats::default();
        let answer = first_touch(&self.bodies[i], &self.bodies[j], [i, j], t_end, options, &mut work);
        (answer, work)
    }
}

impl Stats {
    fn add(&mut self, work: TreeStats) {
        self.volume_pairs += work.volume_pairs;
        self.piece_pairs += work.piece_pairs;
        self.iterations += work.iterations;
        self.contact += work.contact;
    }
}

/// A lower bound of the time at which the balls around the two bodies' origins come within `min_separation`.
fn earliest_contact(a: &Body, b: &Body, min_separation: f64, window: Window) -> f64 {
    let (Some(shape_a), Some(shape_b)) = (a.shape.as_convex(), b.shape.as_convex()) else { return 0.0 };
    let centers = [a.motion.pose_at(0.0).translation, b.motion.pose_at(0.0).translation];
    let (reach_a, reach_b) = (shape_a.reach(), shape_b.reach());
    let errors = a.motion.pose_error().translation + b.motion.pose_error().translation;
    let size = centers[0].length() + centers[1].length() + (reach_a + reach_b) + min_separation;
    let gap = (centers[1] - centers[0]).length()
        - (reach_a + reach_b)
        - min_separation
        - errors
        - 16.0 * UNIT * size;
    if gap <= 0.0 {
        return 0.0;
    }
    let [v_a, v_b] = [a.motion.velocity_bounds(window), b.motion.velocity_bounds(window)];
    let speed = (v_a.center.origin - v_b.center.origin).length() + (v_a.origin_radius + v_b.origin_radius);
    // Balls at rest relative to each other never meet, and the quotient is infinite. Velocities that overflow tell nothing.
    if speed.is_nan() { 0.0 } else { gap / speed * (1.0 - 16.0 * UNIT) }
}
