//! The check of a scene: one queue for everything in it.
//!
//! 1. *Broad phase.* Each part's box over the whole span of time; parts whose boxes stay apart never meet. What is left is
//!    gathered by pairs of bodies, the parts of a robot among themselves and a deforming mesh with itself included.
//! 2. *Lower bounds.* For each pair of bodies the distance of the balls around two parts at the start, divided by how fast they
//!    can close in, bounds the time of contact from below; the least of all its parts counts.
//! 3. *Narrow phase* through the queue, earliest bound first; `t_min` shrinks as touches are found and whatever lies
//!    behind it is dropped. All pairs of parts of two bodies, and the nodes of their trees, share a queue of their own, bounded
//!    by the same `t_min`.
//!
//! The pairs are ordered by their bounds and, where those are equal, by the names of the bodies: neither the order of the
//! bodies nor the number of threads changes the answer.

use smallvec::SmallVec;

use super::Scene;
use super::body::{Body, Matter};
use super::parts::{OfRobot, Part, Robots, parts_with_boxes};
use crate::advancement::{Queue, Step};
use crate::answer::{self, Answer};
use crate::articulated::LinkMotion;
use crate::broad::{Aabb, overlapping_pairs};
use crate::ellipsoid::{Overlap, overlaps};
use crate::error::Result;
use crate::motion::{Motion, RigidMotion};
use crate::narrow::composite::Pieces;
use crate::narrow::contact::ContactTests;
use crate::narrow::tree_tree::{Mover, TreeStats};
use crate::narrow::{Meeting, first_touch};
use crate::numerics::Window;
use crate::numerics::rounding::UNIT;
use crate::options::{Mode, Options};
use crate::parallel::Workers;
use crate::shape::Shape;

/// Tells whether a pair of bodies is to be checked.
type PairFilter<'a> = &'a dyn Fn(&Body, &Body) -> bool;

/// Tells the time, in seconds since some moment.
type Clock<'a> = &'a (dyn Fn() -> f64 + Sync);

/// What a check of a scene found.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The answer for the whole scene.
    pub answer: Answer,
    /// With [`Mode::All`], the answer of every pair that is not free, in the order of the scene.
    pub pairs: Vec<PairReport>,
    /// How the work was spent.
    pub stats: Stats,
    /// Where the time went, if a clock was given.
    pub seconds: Option<StageSeconds>,
}

/// The answer of one pair.
#[derive(Debug, Clone, PartialEq)]
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
pub struct Stats {
    /// All pairs of bodies, and every robot or deforming mesh with itself.
    pub pairs: u64,
    /// Pairs on the allowed list or filtered out.
    pub allowed: u64,
    /// Pairs whose boxes over time stay apart.
    pub boxes_apart: u64,
    /// Pairs that were worked on.
    pub advanced: u64,
    /// Pairs dropped because they cannot touch before the first touch.
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

/// What works on a pair of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Two convex solids.
    Solids,
    /// Two ellipsoids, by algebra.
    Ellipsoids,
    /// Trees of boxes: meshes, links, deforming meshes.
    Trees,
    /// Contact screws.
    Contact,
    /// A deforming mesh with itself.
    Deforming,
}

impl Engine {
    /// All of them.
    pub const ALL: [Engine; 5] =
        [Engine::Solids, Engine::Ellipsoids, Engine::Trees, Engine::Contact, Engine::Deforming];

    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Solids => "solids",
            Engine::Ellipsoids => "ellipsoids",
            Engine::Trees => "trees",
            Engine::Contact => "contact",
            Engine::Deforming => "deforming",
        }
    }
}

/// Where the time went. That of the engines is summed over threads.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StageSeconds {
    /// Boxes, pairs and lower bounds.
    pub broad: f64,
    /// Each engine, in the order of [`Engine::ALL`].
    pub engines: [f64; 5],
}

/// Two bodies that may meet, and which of their parts.
struct Candidate {
    lower: f64,
    bodies: [usize; 2],
    parts: SmallVec<[[u32; 2]; 1]>,
}

/// What became of a candidate.
struct Worked {
    answer: Answer,
    work: TreeStats,
    engine: Engine,
    seconds: f64,
}

impl Scene {
    /// Checks the scene.
    pub fn check(&self, options: &Options) -> Result<Report> {
        self.check_pairs(options, None, None)
    }

    /// Checks the pairs of bodies that `filter` keeps; a robot or a deforming mesh is asked about with itself, too. Pairs on the
    /// allowed list are left out in any case.
    pub fn check_filtered(&self, options: &Options, filter: impl Fn(&Body, &Body) -> bool) -> Result<Report> {
        self.check_pairs(options, Some(&filter), None)
    }

    /// Checks the scene and says where the time went. The library has no clock of its own.
    ///
    /// ```
    /// use firsttouch::{Options, Scene};
    /// let start = std::time::Instant::now();
    /// let report = Scene::default().check_clocked(&Options::default(), &|| start.elapsed().as_secs_f64())?;
    /// assert!(report.seconds.unwrap().broad >= 0.0);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn check_clocked(&self, options: &Options, clock: &(dyn Fn() -> f64 + Sync)) -> Result<Report> {
        self.check_pairs(options, None, Some(clock))
    }

    fn check_pairs(
        &self,
        options: &Options,
        filter: Option<PairFilter<'_>>,
        clock: Option<Clock<'_>>,
    ) -> Result<Report> {
        options.validate()?;
        let mut stats = Stats::default();
        let mut seconds = StageSeconds::default();
        let begin = clock.map(|clock| clock());
        let window = Window::between(0.0, options.t_max);
        let (parts, boxes) = parts_with_boxes(&self.bodies, window);
        let candidates = self.candidates(&parts, boxes, options, filter, &mut stats);
        if let (Some(clock), Some(begin)) = (clock, begin) {
            seconds.broad = clock() - begin;
        }
        let query = Query { scene: self, parts: &parts, options, clock };
        let (answer, pairs) = match options.mode {
            Mode::First | Mode::Any => (query.first(candidates, &mut stats, &mut seconds), Vec::new()),
            Mode::All => query.all(candidates, &mut stats, &mut seconds),
        };
        Ok(Report { answer, pairs, stats, seconds: clock.map(|_| seconds) })
    }

    /// The pairs of bodies with parts whose boxes meet, each with a lower bound of its time of contact, in an order that does
    /// not depend on the order of the bodies.
    fn candidates(
        &self,
        parts: &[Part],
        mut boxes: Vec<Aabb>,
        options: &Options,
        filter: Option<PairFilter<'_>>,
        stats: &mut Stats,
    ) -> Vec<Candidate> {
        let n = self.bodies.len();
        let window = Window::between(0.0, options.t_max);
        // Also what is only within the tolerance counts as touching at the start. The largest separation of any pair that a
        // body is in counts for it: half of it on each side is enough for both.
        let mut apart = vec![options.min_separation; n];
        for (pair, &separation) in &self.separations {
            for body in *pair {
                apart[body] = apart[body].max(separation);
            }
        }
        for (part, bounds) in parts.iter().zip(&mut boxes) {
            *bounds = bounds.inflated(0.5 * (apart[part.body as usize] + options.tolerance));
        }
        let with_itself = |body: &Body| matches!(body.matter, Matter::Robot(_) | Matter::Deforming(_));
        let unwanted = |[i, j]: [usize; 2]| {
            self.allowed.contains(&[i, j])
                || filter.is_some_and(|wanted| !wanted(&self.bodies[i], &self.bodies[j]))
        };
        let selves = (0..n).filter(|&i| with_itself(&self.bodies[i]));
        stats.pairs = (n * n.saturating_sub(1) / 2 + selves.clone().count()) as u64;
        stats.parts = parts.len() as u64;
        stats.allowed = match filter {
            None => {
                let counts = |&&[i, j]: &&[usize; 2]| i != j || with_itself(&self.bodies[i]);
                self.allowed.iter().filter(counts).count() as u64
            }
            Some(_) => {
                let all = (0..n).flat_map(|i| (i + 1..n).map(move |j| [i, j]));
                all.chain(selves.clone().map(|i| [i, i])).filter(|&pair| unwanted(pair)).count() as u64
            }
        };

        let mut meeting: Vec<([usize; 2], [u32; 2])> = Vec::new();
        for [p, q] in overlapping_pairs(&boxes) {
            let (part, other) = (&parts[p], &parts[q]);
            let (i, j) = (part.body as usize, other.body as usize);
            let pair = [i.min(j), i.max(j)];
            if !unwanted(pair) && !self.one_robot_allows(part, other) {
                meeting.push((pair, if i <= j { [p as u32, q as u32] } else { [q as u32, p as u32] }));
            }
        }
        for i in selves {
            if let Matter::Deforming(_) = self.bodies[i].matter
                && !unwanted([i, i])
                && let Some(part) = parts.iter().position(|part| part.body as usize == i)
            {
                meeting.push(([i, i], [part as u32; 2]));
            }
        }
        meeting.sort_unstable();
        stats.part_pairs = meeting.len() as u64;

        let mut candidates: Vec<Candidate> = Vec::new();
        for group in meeting.chunk_by(|a, b| a.0 == b.0) {
            let bodies = group[0].0;
            let parts: SmallVec<[[u32; 2]; 1]> = group.iter().map(|(_, parts)| *parts).collect();
            let lower = self.earliest_contact(bodies, self.separation(bodies, options), window);
            candidates.push(Candidate { lower, bodies, parts });
        }
        stats.boxes_apart = stats.pairs.saturating_sub(stats.allowed + candidates.len() as u64);
        let names = |[i, j]: [usize; 2]| {
            let (a, b) = (self.bodies[i].name(), self.bodies[j].name());
            if a < b { (a, b) } else { (b, a) }
        };
        candidates
            .sort_by(|x, y| x.lower.total_cmp(&y.lower).then_with(|| names(x.bodies).cmp(&names(y.bodies))));
        candidates
    }

    /// Whether two parts are of one robot that does not want them checked: of one link, or of links that may touch.
    fn one_robot_allows(&self, a: &Part, b: &Part) -> bool {
        let (Some(a), Some(b)) = (a.link, b.link) else { return false };
        if a.robot != b.robot {
            return false;
        }
        let Matter::Robot(step) = &self.bodies[a.robot as usize].matter else { return false };
        a.link == b.link || step.robot().is_allowed(a.link as usize, b.link as usize)
    }

    /// A lower bound of the time at which two bodies come within `min_separation`: for rigid ones, when the balls around
    /// their origins do.
    fn earliest_contact(&self, [i, j]: [usize; 2], min_separation: f64, window: Window) -> f64 {
        let (Some(a), Some(b)) = (self.bodies[i].as_rigid(), self.bodies[j].as_rigid()) else { return 0.0 };
        let centers = [a.1.pose_at(0.0).translation, b.1.pose_at(0.0).translation];
        let [reach_a, reach_b] = [reach(a.0), reach(b.0)];
        let errors = a.1.pose_error().translation + b.1.pose_error().translation;
        let size = centers[0].length() + centers[1].length() + (reach_a + reach_b) + min_separation;
        let gap = (centers[1] - centers[0]).length()
            - (reach_a + reach_b)
            - min_separation
            - errors
            - 16.0 * UNIT * size;
        if gap.is_nan() || gap <= 0.0 {
            return 0.0;
        }
        let [v_a, v_b] = [a.1.velocity_bounds(window), b.1.velocity_bounds(window)];
        let speed =
            (v_a.center.origin - v_b.center.origin).length() + (v_a.origin_radius + v_b.origin_radius);
        // Balls at rest relative to each other never meet, and the quotient is infinite. Velocities that overflow tell
        // nothing.
        if speed.is_nan() { 0.0 } else { gap / speed * (1.0 - 16.0 * UNIT) }
    }
}

/// An upper bound of how far from its origin a shape gets.
fn reach(shape: &Shape) -> f64 {
    match shape.as_convex() {
        Some(solid) => solid.reach(),
        None => {
            let (center, half) = shape.bounds();
            (center.length() + half.length()) * (1.0 + 16.0 * UNIT)
        }
    }
}

struct Query<'a> {
    scene: &'a Scene,
    parts: &'a [Part],
    options: &'a Options,
    clock: Option<Clock<'a>>,
}

impl Query<'_> {
    fn first(&self, candidates: Vec<Candidate>, stats: &mut Stats, seconds: &mut StageSeconds) -> Answer {
        let mut queue = Queue::default();
        for candidate in candidates.into_iter().rev() {
            queue.push(candidate.lower, candidate);
        }
        let any = self.options.mode == Mode::Any;
        let workers = Workers::new(if queue.len() > 1 { self.options.threads } else { 1 });
        // A pair that ran out of steps says nothing of the others.
        let enough = |answer: &Answer| any && answer.touch().is_some();
        let first = queue.first_in_rounds(self.options.t_max, enough, |batch, t_min| {
            let results = workers.map(&batch, |candidate| self.pair(candidate, t_min));
            let steps = results.into_iter().map(|worked| {
                stats.add(&worked, seconds);
                match worked.answer {
                    Answer::Free => Step::Free,
                    answer => Step::Event { t: answer.free_until(t_min), what: answer },
                }
            });
            steps.collect()
        });
        stats.advanced = first.opened;
        stats.later = first.dropped;
        first.event.map_or(Answer::Free, |(_, answer)| answer)
    }

    fn all(
        &self,
        candidates: Vec<Candidate>,
        stats: &mut Stats,
        seconds: &mut StageSeconds,
    ) -> (Answer, Vec<PairReport>) {
        stats.advanced = candidates.len() as u64;
        let t_max = self.options.t_max;
        let results =
            Workers::new(self.options.threads).map(&candidates, |candidate| self.pair(candidate, t_max));
        let mut earliest = Answer::Free;
        let mut pairs = Vec::new();
        for (Candidate { bodies, .. }, worked) in candidates.into_iter().zip(results) {
            stats.add(&worked, seconds);
            let answer = worked.answer;
            if answer == Answer::Free {
                continue;
            }
            if earliest == Answer::Free || answer.free_until(t_max) < earliest.free_until(t_max) {
                earliest = answer.clone();
            }
            let overlaps = self.overlaps(bodies);
            pairs.push(PairReport { bodies, answer, overlaps });
        }
        pairs.sort_by_key(|pair| pair.bodies);
        (earliest, pairs)
    }

    /// All times at which two ellipsoids overlap, where algebra can tell.
    fn overlaps(&self, pair: [usize; 2]) -> Option<Vec<Overlap>> {
        let [a, b] = pair.map(|i| self.scene.bodies[i].as_ellipsoid());
        let options = Options { min_separation: self.scene.separation(pair, self.options), ..*self.options };
        overlaps(a?, b?, &options).ok()
    }

    /// The answer of one pair, and the work it took. The sides are taken in the order of the bodies' names, whatever their
    /// order in the scene: swapping them mirrors the answer and changes no bit of it.
    fn pair(&self, candidate: &Candidate, t_end: f64) -> Worked {
        let begin = self.clock.map(|clock| clock());
        let bodies = &self.scene.bodies;
        let [i, j] = candidate.bodies;
        let swapped = bodies[j].name() < bodies[i].name();
        let indices = if swapped { [j, i] } else { [i, j] };
        let ordered = |[p, q]: [u32; 2]| if swapped { [q, p] } else { [p, q] };
        let options = Options {
            t_max: t_end,
            min_separation: self.scene.separation(candidate.bodies, self.options),
            ..*self.options
        };
        let robots = Robots::of(bodies, candidate.bodies);
        // In an order that does not depend on that of the bodies, either: the parts of each are in its own.
        let mut parts: SmallVec<[[u32; 2]; 1]> = candidate.parts.iter().copied().map(ordered).collect();
        parts.sort_unstable();
        let close: SmallVec<[Close<'_>; 1]> =
            parts.into_iter().map(|pair| self.close(&robots, pair)).collect();
        let movers: SmallVec<[[Mover<'_>; 2]; 1]> = close.iter().map(Close::movers).collect();
        let meeting = Meeting { bodies: indices.map(|i| &bodies[i]), parts: &movers };
        let mut work = TreeStats::default();
        let (mut answer, pair, engine) = first_touch(&meeting, &options, &mut work);
        if let Answer::Touch(touch) | Answer::TouchingAtStart(touch) = &mut answer {
            close[pair].describe(&robots, touch);
        }
        answer = match answer {
            Answer::Free => Answer::Free,
            Answer::Touch(touch) => Answer::Touch(named(touch, indices, swapped)),
            Answer::TouchingAtStart(touch) => Answer::TouchingAtStart(named(touch, indices, swapped)),
            Answer::Undecided { free_until, .. } => {
                Answer::Undecided { free_until, bodies: candidate.bodies }
            }
        };
        let seconds = match (self.clock, begin) {
            (Some(clock), Some(begin)) => clock() - begin,
            _ => 0.0,
        };
        Worked { answer, work, engine, seconds }
    }

    /// Two parts that may meet, with their motions: relative to the last link that both hang on if they are of one robot.
    fn close<'a>(&'a self, robots: &'a Robots<'_>, pair: [u32; 2]) -> Close<'a> {
        let [a, b] = pair.map(|part| self.parts[part as usize]);
        let of_link = |of: OfRobot| (of.link as usize, of.part as usize);
        match (a.link, b.link) {
            (Some(la), Some(lb)) if la.robot == lb.robot => {
                let (step, motion) = robots.get(la.robot);
                let [ma, mb] = motion.relative(of_link(la), of_link(lb));
                let base = step.robot().common_ancestor(la.link as usize, lb.link as usize);
                Close {
                    sides: [self.link_side(a, la, ma, robots), self.link_side(b, lb, mb, robots)],
                    frame: Some((la.robot, base)),
                }
            }
            _ => {
                let side = |part: Part| match part.link {
                    None => self.whole_side(part),
                    Some(link) => {
                        let (_, motion) = robots.get(link.robot);
                        let (l, p) = of_link(link);
                        self.link_side(part, link, motion.part(l, p), robots)
                    }
                };
                Close { sides: [side(a), side(b)], frame: None }
            }
        }
    }

    fn whole_side(&self, part: Part) -> Side<'_> {
        match &self.scene.bodies[part.body as usize].matter {
            Matter::Rigid { shape, motion } => {
                Side { pieces: Pieces::of(shape), moves: Moves::Whole(motion), link: None }
            }
            Matter::Affine(ellipsoid) => {
                let pieces = Pieces::Changing(ellipsoid.changing());
                Side { pieces, moves: Moves::Whole(&Motion::AT_REST), link: None }
            }
            Matter::Deforming(tree) => {
                Side { pieces: Pieces::Deforming(tree), moves: Moves::Whole(&Motion::AT_REST), link: None }
            }
            Matter::Robot(_) | Matter::Held { .. } => unreachable!("parts of robots say so"),
        }
    }

    fn link_side<'a>(
        &'a self,
        part: Part,
        of: OfRobot,
        motion: LinkMotion<'a>,
        robots: &Robots<'a>,
    ) -> Side<'a> {
        let (step, _) = robots.get(of.robot);
        let shape = &step.robot().links()[of.link as usize].parts()[of.part as usize].shape;
        // What is held is called by its own parts.
        let link = (part.body == of.robot).then_some(of.link);
        Side { pieces: Pieces::of(shape), moves: Moves::Link(motion), link }
    }
}

/// Two parts that may meet.
struct Close<'a> {
    sides: [Side<'a>; 2],
    /// The robot and its link in whose frame both are, unless that is the world.
    frame: Option<(u32, usize)>,
}

struct Side<'a> {
    pieces: Pieces<'a>,
    moves: Moves<'a>,
    /// The link that it is called by.
    link: Option<u32>,
}

enum Moves<'a> {
    Whole(&'a Motion),
    Link(LinkMotion<'a>),
}

impl Side<'_> {
    fn mover(&self) -> Mover<'_> {
        let motion: &dyn RigidMotion = match &self.moves {
            Moves::Whole(motion) => *motion,
            Moves::Link(motion) => motion,
        };
        Mover { pieces: self.pieces, motion }
    }
}

impl Close<'_> {
    fn movers(&self) -> [Mover<'_>; 2] {
        [self.sides[0].mover(), self.sides[1].mover()]
    }

    /// Says which links touch, and takes what is in the frame of a link to the world.
    fn describe(&self, robots: &Robots<'_>, touch: &mut answer::Touch) {
        for (side, part) in self.sides.iter().zip(&mut touch.parts) {
            if let Some(link) = side.link {
                *part = answer::Part::Link(link);
            }
        }
        if let Some((robot, link)) = self.frame {
            let frame = robots.get(robot).1.link_pose(link, touch.toi);
            touch.points = touch.points.map(|point| frame.apply(point));
            touch.normal = frame.rotation * touch.normal;
        }
    }
}

fn named(mut touch: answer::Touch, bodies: [usize; 2], swapped: bool) -> answer::Touch {
    touch.bodies = bodies;
    if swapped { touch.swapped() } else { touch }
}

impl Stats {
    fn add(&mut self, worked: &Worked, seconds: &mut StageSeconds) {
        self.volume_pairs += worked.work.volume_pairs;
        self.piece_pairs += worked.work.piece_pairs;
        self.iterations += worked.work.iterations;
        self.contact += worked.work.contact;
        if let Some(place) = Engine::ALL.iter().position(|engine| *engine == worked.engine) {
            seconds.engines[place] += worked.seconds;
        }
    }
}
