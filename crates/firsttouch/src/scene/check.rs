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
use super::body::{Body, BodyKind};
use super::parts::{LinkShape, MovingPart, Robots, parts_with_boxes};
use super::report::{PairReport, Report, StageSeconds, Stats};
use crate::advancement::{Queue, Step};
use crate::answer::{Answer, Touch};
use crate::articulated::LinkMotion;
use crate::articulated::part_pairs::{self, describe};
use crate::broad::{Aabb, overlapping_pairs};
use crate::deformable::MovingTree;
use crate::ellipsoid::{Overlap, overlaps};
use crate::error::Result;
use crate::motion::RigidMotion;
use crate::narrow::tree_tree::TreeStats;
use crate::narrow::{Dispatched, Engine, Subject, first_touch, with_itself};
use crate::numerics::Window;
use crate::numerics::rounding::UNIT;
use crate::options::{Mode, Options};
use crate::pair::{Limits, PairTouch};
use crate::parallel::Workers;
use crate::shape::Shape;

/// Tells whether a pair of bodies is to be checked.
type PairFilter<'a> = &'a dyn Fn(&Body, &Body) -> bool;

/// Tells the time, in seconds since some moment.
type Clock<'a> = &'a (dyn Fn() -> f64 + Sync);

/// Two bodies that may meet, and which of their parts.
struct Candidate {
    lower: f64,
    bodies: [usize; 2],
    parts: SmallVec<[[u32; 2]; 1]>,
    /// The answer, if it is known.
    settled: Option<Answer>,
}

impl Candidate {
    /// Whether it is a body with itself.
    fn is_with_itself(&self) -> bool {
        self.bodies[0] == self.bodies[1]
    }
}

/// What became of a candidate.
struct PairWork {
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
        parts: &[MovingPart],
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
        let with_itself = |body: &Body| matches!(body.kind, BodyKind::Robot(_) | BodyKind::Deforming(_));
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
            if let BodyKind::Deforming(_) = self.bodies[i].kind
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
            candidates.push(Candidate { lower, bodies, parts, settled: None });
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
    fn one_robot_allows(&self, a: &MovingPart, b: &MovingPart) -> bool {
        let (Some(a), Some(b)) = (a.link, b.link) else { return false };
        if a.robot != b.robot {
            return false;
        }
        let BodyKind::Robot(step) = &self.bodies[a.robot as usize].kind else { return false };
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
    parts: &'a [MovingPart],
    options: &'a Options,
    clock: Option<Clock<'a>>,
}

impl Query<'_> {
    fn first(&self, mut candidates: Vec<Candidate>, stats: &mut Stats, seconds: &mut StageSeconds) -> Answer {
        let any = self.options.mode == Mode::Any;
        let workers = Workers::new(if candidates.len() > 1 { self.options.threads } else { 1 });
        if any && let Some(answer) = self.at_start(&mut candidates, &workers, stats, seconds) {
            return answer;
        }
        let mut queue = Queue::default();
        for candidate in candidates.into_iter().rev() {
            queue.push(candidate.lower, candidate);
        }
        // A pair that ran out of steps says nothing of the others.
        let enough = |answer: &Answer| any && answer.touch().is_some();
        // Before this time all pairs that were worked on are free.
        let mut free_until = self.options.t_max;
        let first = queue.first_in_rounds(self.options.t_max, enough, |batch, t_min| {
            let results = workers.map(&batch, |candidate| self.pair(candidate, t_min));
            let steps = results.into_iter().map(|done| {
                stats.add(&done, seconds);
                free_until = free_until.min(done.answer.free_until(t_min));
                match done.answer {
                    Answer::Free => Step::Free,
                    Answer::Touch(touch) => Step::Event { t: touch.toi, what: Answer::Touch(touch) },
                    answer => Step::Event { t: answer.free_until(t_min), what: answer },
                }
            });
            steps.collect()
        });
        stats.advanced = first.opened;
        stats.later = first.dropped;
        let proven = free_until.min(first.rest);
        match first.event {
            None => Answer::Free,
            Some((_, Answer::Touch(touch))) if any => Answer::Touch(Touch { free_until: proven, ..touch }),
            Some((_, answer)) => answer,
        }
    }

    /// With any touch wanted, those at the start are looked at first. Returns one, if there is one.
    fn at_start(
        &self,
        candidates: &mut [Candidate],
        workers: &Workers,
        stats: &mut Stats,
        seconds: &mut StageSeconds,
    ) -> Option<Answer> {
        const LARGEST_ROUND: usize = 64;
        let near = candidates.iter().take_while(|candidate| candidate.lower <= 0.0).count();
        let (mut done, mut size) = (0, 1);
        while done < near {
            let end = near.min(done + size);
            let round = &mut candidates[done..end];
            let results = workers.map(round, |candidate| self.pair_at_start(candidate));
            let mut found = None;
            for (candidate, work) in round.iter_mut().zip(results) {
                stats.add(&work, seconds);
                if let Answer::TouchingAtStart(_) = work.answer {
                    found = found.or(Some(work.answer));
                } else if candidate.is_with_itself() {
                    candidate.settled = Some(work.answer);
                }
            }
            if found.is_some() {
                stats.advanced = end as u64;
                stats.later = (candidates.len() - end) as u64;
                return found;
            }
            (done, size) = (end, (2 * size).min(LARGEST_ROUND));
        }
        None
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
        for (Candidate { bodies, .. }, done) in candidates.into_iter().zip(results) {
            stats.add(&done, seconds);
            let answer = done.answer;
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
        let [a, b] = pair.map(|i| self.scene.bodies[i].as_subject());
        let options = Options { min_separation: self.scene.separation(pair, self.options), ..*self.options };
        overlaps(a?.as_ellipsoid()?, b?.as_ellipsoid()?, &options).ok()
    }

    /// The answer of one pair at the start; of a body with itself, over the whole time.
    fn pair_at_start(&self, candidate: &Candidate) -> PairWork {
        self.pair(candidate, if candidate.is_with_itself() { self.options.t_max } else { 0.0 })
    }

    /// The answer of one pair up to `t_end`, and the work it took. The sides are taken in the order of the bodies' names, whatever
    /// their order in the scene: swapping them mirrors the answer and changes no bit of it.
    fn pair(&self, candidate: &Candidate, t_end: f64) -> PairWork {
        let begin = self.clock.map(|clock| clock());
        let mut work = TreeStats::default();
        let (answer, engine) = match (&candidate.settled, self.deforming_with_itself(candidate)) {
            (Some(answer), _) => (answer.clone(), Engine::Deforming),
            (None, Some(tree)) => {
                let min_separation = self.scene.separation(candidate.bodies, self.options);
                let options = Options { t_max: t_end, min_separation, ..*self.options };
                let Dispatched { verdict, engine, .. } = with_itself(tree, &options, &mut work);
                (verdict.answer(candidate.bodies), engine)
            }
            (None, None) => self.parts_of(candidate, t_end, &mut work),
        };
        let seconds = match (self.clock, begin) {
            (Some(clock), Some(begin)) => clock() - begin,
            _ => 0.0,
        };
        PairWork { answer, work, engine, seconds }
    }

    /// The mesh, if the candidate is a deforming mesh with itself.
    fn deforming_with_itself(&self, candidate: &Candidate) -> Option<&MovingTree> {
        match &self.scene.bodies[candidate.bodies[0]].kind {
            BodyKind::Deforming(tree) if candidate.is_with_itself() => Some(tree),
            _ => None,
        }
    }

    /// The answer of the parts of two bodies, or of those of one robot.
    fn parts_of(&self, candidate: &Candidate, t_end: f64, work: &mut TreeStats) -> (Answer, Engine) {
        let bodies = &self.scene.bodies;
        let [i, j] = candidate.bodies;
        let swapped = bodies[j].name() < bodies[i].name();
        let ordered = |[p, q]: [u32; 2]| if swapped { [q, p] } else { [p, q] };
        let limits = Limits {
            t_end,
            min_separation: self.scene.separation(candidate.bodies, self.options),
            ..Limits::of_valid(self.options)
        };
        let robots = Robots::of(bodies, candidate.bodies);
        // In an order that does not depend on that of the bodies, either: the parts of each are in its own.
        let mut parts: SmallVec<[[u32; 2]; 1]> = candidate.parts.iter().copied().map(ordered).collect();
        parts.sort_unstable();
        let pairs: SmallVec<[PartPair<'_>; 1]> =
            parts.into_iter().map(|pair| self.part_pair(&robots, pair)).collect();
        let subjects: SmallVec<[[Subject<'_>; 2]; 1]> = pairs.iter().map(PartPair::subjects).collect();
        let any = self.options.mode == Mode::Any;
        let Dispatched { verdict, pair, engine } = first_touch(&subjects, &limits, any, work);
        let verdict = verdict.map(|mut touch| {
            pairs[pair].describe(&robots, &mut touch);
            if swapped { touch.swapped() } else { touch }
        });
        (verdict.answer(candidate.bodies), engine)
    }

    /// Two parts that may meet, with their motions: relative to the last link that both hang on if they are of one robot.
    fn part_pair<'a>(&'a self, robots: &'a Robots<'_>, pair: [u32; 2]) -> PartPair<'a> {
        let [a, b] = pair.map(|part| self.parts[part as usize]);
        let shape_of = |of: LinkShape| (of.link as usize, of.shape as usize);
        match (a.link, b.link) {
            (Some(la), Some(lb)) if la.robot == lb.robot => {
                let (step, motion) = robots.get(la.robot);
                let [ma, mb] = motion.relative(shape_of(la), shape_of(lb));
                let base = step.robot().common_ancestor(la.link as usize, lb.link as usize);
                PartPair {
                    sides: [link_side(a, la, ma, robots), link_side(b, lb, mb, robots)],
                    frame: Some((la.robot, base)),
                }
            }
            _ => {
                let side = |part: MovingPart| match part.link {
                    None => {
                        let whole = self.scene.bodies[part.body as usize].as_subject();
                        PartSide::Whole(whole.expect("parts of robots say so"))
                    }
                    Some(link) => {
                        let (_, motion) = robots.get(link.robot);
                        let (l, p) = shape_of(link);
                        link_side(part, link, motion.part(l, p), robots)
                    }
                };
                PartPair { sides: [side(a), side(b)], frame: None }
            }
        }
    }
}

fn link_side<'a>(
    part: MovingPart,
    of: LinkShape,
    motion: LinkMotion<'a>,
    robots: &Robots<'a>,
) -> PartSide<'a> {
    let (step, _) = robots.get(of.robot);
    let shape = &step.robot().links()[of.link as usize].parts()[of.shape as usize].shape;
    // What is attached is called by its own parts.
    let is_own = part.body == of.robot;
    let name = is_own.then_some(part_pairs::LinkShape { link: of.link, shape: of.shape });
    PartSide::Link { shape, motion, name }
}

/// Two parts that may meet.
struct PartPair<'a> {
    sides: [PartSide<'a>; 2],
    /// The robot and its link in whose frame both are, unless that is the world.
    frame: Option<(u32, usize)>,
}

enum PartSide<'a> {
    /// A body that moves in one piece.
    Whole(Subject<'a>),
    /// A shape of a link.
    Link {
        shape: &'a Shape,
        motion: LinkMotion<'a>,
        /// The part that it is called by.
        name: Option<part_pairs::LinkShape>,
    },
}

impl PartSide<'_> {
    fn subject(&self) -> Subject<'_> {
        match self {
            PartSide::Whole(subject) => *subject,
            PartSide::Link { shape, motion, .. } => Subject::Link { shape, motion },
        }
    }
}

impl PartPair<'_> {
    fn subjects(&self) -> [Subject<'_>; 2] {
        [self.sides[0].subject(), self.sides[1].subject()]
    }

    /// Says which parts of robots touch, and takes what is in the frame of a link to the world.
    fn describe(&self, robots: &Robots<'_>, touch: &mut PairTouch) {
        let label = |side: &PartSide<'_>| match side {
            PartSide::Link { name, .. } => *name,
            PartSide::Whole(_) => None,
        };
        let frame = self.frame.map(|(robot, link)| robots.get(robot).1.link_pose(link, touch.toi));
        describe(touch, [label(&self.sides[0]), label(&self.sides[1])], frame);
    }
}

impl Stats {
    fn add(&mut self, done: &PairWork, seconds: &mut StageSeconds) {
        self.volume_pairs += done.work.volume_pairs;
        self.piece_pairs += done.work.piece_pairs;
        self.iterations += done.work.iterations;
        self.contact += done.work.contact;
        if let Some(place) = Engine::ALL.iter().position(|engine| *engine == done.engine) {
            seconds.engines[place] += done.seconds;
        }
    }
}
