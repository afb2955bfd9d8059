//! The check of a scene: one queue for everything in it.
//!
//! 1. *Broad phase.* Each part's box over the whole span of time; parts whose boxes stay apart never meet. What is left is
//!    gathered by pairs of bodies, the parts of a robot among themselves and a deforming mesh with itself included.
//! 2. *Lower bounds.* For each pair of bodies the distance of the balls around two parts at the start, divided by how fast they
//!    can close in, bounds the time of contact from below; the least of all its parts counts.
//! 3. *Narrow phase*, earliest bound first; `t_min` shrinks as touches are found and whatever lies behind it is dropped. If any touch
//!    will do, all pairs are looked at where they are at the start before any is followed in time; then the search ends with the
//!    first touch found, and what is proven free is the least of all that was proven and of the bounds of the pairs left. All pairs of parts of two bodies, and the nodes of their trees, share a queue of their own, bounded
//!    by the same `t_min`.
//!
//! The pairs are ordered by their bounds and, where those are equal, by the names of the bodies: neither the order of the
//! bodies nor the number of threads changes the answer.

use smallvec::SmallVec;

use super::Scene;
use super::body::{Body, BodyKind};
use super::candidates::{Candidate, Candidates, PairFilter};
use super::parts::{LinkShape, MovingPart, Robots, parts_with_boxes};
use super::report::{PairReport, Report, StageSeconds, Stats};
use crate::advancement::first_of_sorted;
use crate::answer::{Answer, Touch};
use crate::articulated::LinkMotion;
use crate::articulated::part_pairs::{self, describe};
use crate::control::Control;
use crate::deformable::MovingTree;
use crate::ellipsoid::{Overlap, overlaps};
use crate::error::Result;
use crate::narrow::{Dispatched, Engine, Subject, first_touch, with_itself};
use crate::numerics::Window;
use crate::numerics::bound::{lower_min, lower_or_zero};
use crate::options::{Mode, Options, Start};
use crate::pair::{Limits, PairTouch, TreeStats};
use crate::parallel::Workers;
use crate::shape::Shape;

/// Tells the time, in seconds since some moment.
type Clock<'a> = &'a (dyn Fn() -> f64 + Sync);

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
        self.check_pairs(options, None, None, &Control::default())
    }

    /// Checks the pairs of bodies that `filter` keeps; a robot or a deforming mesh is asked about with itself, too. Pairs on the
    /// allowed list are left out in any case.
    pub fn check_filtered(&self, options: &Options, filter: impl Fn(&Body, &Body) -> bool) -> Result<Report> {
        self.check_pairs(options, Some(&filter), None, &Control::default())
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
        self.check_pairs(options, None, Some(clock), &Control::default())
    }

    /// Checks the scene under the eyes of the caller, who may end it early or watch how far it is. A check that is ended is
    /// [`Answer::Undecided`], with what is proven so far.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Answer, Body, Control, Interrupt, Options, Scene};
    /// let mut scene = Scene::default();
    /// for name in ["a", "b"] {
    ///     scene.add(Body::new(name, Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
    /// }
    /// let interrupt = Interrupt::default();
    /// let control = Control { interrupt: Some(&interrupt), progress: None };
    /// interrupt.raise();
    /// let answer = scene.check_with(&Options::default(), &control)?.answer;
    /// assert!(matches!(answer, Answer::Undecided { free_until: 0.0, .. }));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn check_with(&self, options: &Options, control: &Control<'_>) -> Result<Report> {
        self.check_pairs(options, None, None, control)
    }

    fn check_pairs(
        &self,
        options: &Options,
        filter: Option<PairFilter<'_>>,
        clock: Option<Clock<'_>>,
        control: &Control<'_>,
    ) -> Result<Report> {
        options.validate()?;
        let mut stats = Stats::default();
        let mut seconds = StageSeconds::default();
        let begin = clock.map(|clock| clock());
        let window = Window::between(0.0, options.t_max);
        let (parts, boxes) = parts_with_boxes(&self.bodies, window);
        let Candidates { sorted, part_pairs } = self.candidates(&parts, boxes, options, filter, &mut stats);
        if let (Some(clock), Some(begin)) = (clock, begin) {
            seconds.broad = clock() - begin;
        }
        let query = Query { scene: self, parts: &parts, part_pairs: &part_pairs, options, clock, control };
        let (answer, pairs) = match options.mode {
            Mode::First | Mode::Any => (query.first(sorted, &mut stats, &mut seconds), Vec::new()),
            Mode::All => query.all(&sorted, &mut stats, &mut seconds),
        };
        Ok(Report { answer, pairs, stats, seconds: clock.map(|_| seconds) })
    }
}

struct Query<'a> {
    scene: &'a Scene,
    parts: &'a [MovingPart],
    part_pairs: &'a [[u32; 2]],
    options: &'a Options,
    clock: Option<Clock<'a>>,
    control: &'a Control<'a>,
}

impl Query<'_> {
    fn first(&self, mut candidates: Vec<Candidate>, stats: &mut Stats, seconds: &mut StageSeconds) -> Answer {
        let any = self.options.mode == Mode::Any;
        let workers = Workers::new(if candidates.len() > 1 { self.options.threads } else { 1 });
        if any
            && self.options.start == Start::Report
            && let Some(answer) = self.at_start(&mut candidates, &workers, stats, seconds)
        {
            return answer;
        }
        // A pair that ran out of steps says nothing of the others.
        let enough = |answer: &Answer| any && answer.touch().is_some();
        // Before this time all pairs that were worked on are free.
        let mut free_until = self.options.t_max;
        // With any touch wanted, the first one found. It may be later than where another pair ran out of steps.
        let mut found: Option<Touch> = None;
        let mut done = 0;
        let lower = |candidate: &Candidate| candidate.lower;
        let first = first_of_sorted(&candidates, lower, self.options.t_max, enough, |batch, t_min| {
            let results = workers.map(batch, |candidate| self.pair(candidate, t_min));
            done += batch.len() as u64;
            self.control.report(done, candidates.len() as u64);
            let events = results.into_iter().map(|work| {
                stats.add(&work, seconds);
                free_until = lower_min(free_until, work.answer.free_until(t_min));
                if any && found.is_none() {
                    found = work.answer.touch().cloned();
                }
                match work.answer {
                    Answer::Free => None,
                    Answer::Touch(touch) => Some((touch.toi, Answer::Touch(touch))),
                    answer => Some((answer.free_until(t_min), answer)),
                }
            });
            events.collect()
        });
        stats.advanced = first.opened;
        stats.later = first.dropped;
        let proven = lower_min(free_until, first.free_until);
        match (first.event, found) {
            (None, _) => Answer::Free,
            (Some((_, answer @ Answer::TouchingAtStart(_))), _) => answer,
            (Some(_), Some(touch)) if touch.toi == 0.0 => Answer::TouchingAtStart(touch),
            (Some(_), Some(touch)) => Answer::Touch(Touch { free_until: proven, ..touch }),
            // What another pair has proven may be less.
            (Some((_, Answer::Undecided { bodies, .. })), None) if any => {
                Answer::Undecided { free_until: proven, bodies }
            }
            (Some((_, answer)), None) => answer,
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
            let end = near.min(done + size); // not a bound: an index
            let round = &mut candidates[done..end];
            let results = workers.map(round, |candidate| self.pair_at_start(candidate));
            let mut found = None;
            for (candidate, work) in round.iter_mut().zip(results) {
                stats.add(&work, seconds);
                if let Answer::TouchingAtStart(_) = work.answer {
                    found = found.or(Some(work.answer));
                } else if candidate.is_with_itself() {
                    candidate.settled = Some(Box::new(work.answer));
                }
            }
            if found.is_some() {
                stats.advanced = end as u64;
                stats.later = (candidates.len() - end) as u64;
                return found;
            }
            (done, size) = (end, (2 * size).min(LARGEST_ROUND)); // not a bound: a count
        }
        None
    }

    fn all(
        &self,
        candidates: &[Candidate],
        stats: &mut Stats,
        seconds: &mut StageSeconds,
    ) -> (Answer, Vec<PairReport>) {
        /// So many answers are kept at a time; most pairs are free, and theirs are dropped.
        const ROUND: usize = 4096;
        stats.advanced = candidates.len() as u64;
        let t_max = self.options.t_max;
        let workers = Workers::new(self.options.threads);
        let mut earliest = Answer::Free;
        let mut pairs = Vec::new();
        let mut done = 0;
        for round in candidates.chunks(ROUND) {
            let results = workers.map(round, |candidate| self.pair(candidate, t_max));
            done += round.len() as u64;
            self.control.report(done, candidates.len() as u64);
            for (candidate, work) in round.iter().zip(results) {
                stats.add(&work, seconds);
                let answer = work.answer;
                if answer == Answer::Free {
                    continue;
                }
                if earliest == Answer::Free || answer.free_until(t_max) < earliest.free_until(t_max) {
                    earliest = answer.clone();
                }
                let bodies = candidate.bodies();
                pairs.push(PairReport { bodies, answer, overlaps: self.overlaps(bodies) });
            }
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
        let mut work = TreeStats::default();
        if self.control.is_interrupted() {
            let free_until = lower_min(lower_or_zero(candidate.lower), t_end);
            let answer = Answer::Undecided { free_until, bodies: candidate.bodies() };
            return PairWork { answer, work, engine: Engine::Trees, seconds: 0.0 };
        }
        let begin = self.clock.map(|clock| clock());
        let (answer, engine) = match (&candidate.settled, self.deforming_with_itself(candidate)) {
            (Some(answer), _) => (Answer::clone(answer), Engine::Deforming),
            (None, Some(tree)) => {
                let min_separation = self.scene.separation(candidate.bodies(), self.options);
                let options = Options { t_max: t_end, min_separation, ..*self.options };
                let Dispatched { verdict, engine, .. } = with_itself(tree, &options, &mut work);
                (verdict.answer(candidate.bodies()), engine)
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
        match &self.scene.bodies[candidate.bodies()[0]].kind {
            BodyKind::Deforming(tree) if candidate.is_with_itself() => Some(tree),
            _ => None,
        }
    }

    /// The answer of the parts of two bodies, or of those of one robot.
    fn parts_of(&self, candidate: &Candidate, t_end: f64, work: &mut TreeStats) -> (Answer, Engine) {
        let bodies = &self.scene.bodies;
        let [i, j] = candidate.bodies();
        let swapped = bodies[j].name() < bodies[i].name();
        let ordered = |[p, q]: [u32; 2]| if swapped { [q, p] } else { [p, q] };
        let limits = Limits {
            t_end,
            min_separation: self.scene.separation(candidate.bodies(), self.options),
            watch: self.control.watch(),
            ..Limits::of_valid(self.options)
        };
        let robots = Robots::of(bodies, candidate.bodies());
        // In an order that does not depend on that of the bodies, either: the parts of each are in its own.
        let [from, to] = candidate.parts;
        let mut parts: SmallVec<[[u32; 2]; 1]> =
            self.part_pairs[from..to].iter().copied().map(ordered).collect();
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
        (verdict.answer(candidate.bodies()), engine)
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
