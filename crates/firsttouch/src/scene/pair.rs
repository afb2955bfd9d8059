//! One candidate of a scene: two bodies, the parts of one robot, or a deforming mesh with itself.
//!
//! 1. A deforming mesh with itself goes to its own engine, and a pair that the scene gives to CONTACT to that.
//! 2. All others are pairs of parts. A body that moves as a whole is one part; a robot has one for each shape of its
//!    links. Two parts of one robot move relative to the last link that both hang on, so that the motion of the rest of
//!    the robot cancels.
//! 3. The pairs of parts share one queue. The touch gets the names of its parts and goes back to world coordinates.
//!
//! The sides are ordered by the names of the bodies: the order of the bodies in the scene changes no bit of an answer.

use std::collections::HashMap;
use std::sync::OnceLock;

use smallvec::SmallVec;

use super::candidates::Candidate;
use super::check::Query;
use super::parts::{MovingPart, Robots};
use crate::answer::Answer;
use crate::articulated::windows::{PlacedSolid, is_apart};
use crate::body::{Body, BodyKind};
use crate::convex::Moving;
use crate::deformable::MovingTree;
use crate::ellipsoid::{Overlap, PreparedEllipsoid, overlaps};
use crate::motion::Motion;
use crate::narrow::{Dispatched, Engine, first_touch_of_ellipsoids, with_itself};
use crate::numerics::bound::{lower_min, lower_or_zero};
use crate::options::{Mode, Options, Start};
use crate::pair::{Limits, TreeStats};
use crate::shape::Shape;
use crate::world::part_pairs::{LinkShape, PartPair, first_touch};

/// The answer for a candidate, and the work that it took.
pub(super) struct PairWork {
    pub(super) answer: Answer,
    pub(super) work: TreeStats,
    pub(super) engine: Engine,
    pub(super) seconds: f64,
}

/// The data that all pairs of an ellipsoid share, computed on first use and kept for one query. Empty if too few bodies
/// are ellipsoids for that to matter.
pub(super) struct Ellipsoids<'a> {
    bodies: &'a [Body],
    prepared: Vec<OnceLock<Option<PreparedEllipsoid<'a>>>>,
}

impl<'a> Ellipsoids<'a> {
    pub(super) fn of(bodies: &'a [Body], options: &Options) -> Ellipsoids<'a> {
        let is_ellipsoid = |body: &&Body| matches!(body.as_rigid(), Some((Shape::Ellipsoid(_), _)));
        // Contacts that are left out are followed by another engine.
        let are_many = options.start == Start::Report && bodies.iter().filter(is_ellipsoid).nth(2).is_some();
        let mut prepared = Vec::new();
        prepared.resize_with(if are_many { bodies.len() } else { 0 }, OnceLock::new);
        Ellipsoids { bodies, prepared }
    }

    /// Returns the ellipsoid that a body is, unless its velocity jumps.
    fn get(&self, body: usize) -> Option<&PreparedEllipsoid<'a>> {
        let prepare = || match self.bodies[body].as_rigid() {
            Some((Shape::Ellipsoid(shape), motion)) if motion.kinks().next().is_none() => {
                Some(PreparedEllipsoid::new(Moving { shape, motion }))
            }
            _ => None,
        };
        self.prepared.get(body)?.get_or_init(prepare).as_ref()
    }
}

impl Query<'_> {
    /// Returns all times at which two ellipsoids overlap, where algebra can tell.
    pub(super) fn overlaps(&self, pair: [usize; 2]) -> Option<Vec<Overlap>> {
        let [a, b] = pair.map(|i| self.scene.bodies[i].as_subject());
        let options = Options { min_separation: self.scene.separation(pair, self.options), ..*self.options };
        overlaps(a?.as_ellipsoid()?, b?.as_ellipsoid()?, &options).ok()
    }

    /// Returns the answer of one pair at the start; of a body with itself, over the whole time.
    pub(super) fn pair_at_start(&self, candidate: &Candidate, part_pairs: &[[u32; 2]]) -> PairWork {
        self.pair(candidate, part_pairs, if candidate.is_with_itself() { self.options.t_max } else { 0.0 })
    }

    /// Returns the answer of one pair up to `t_end`, and the work it took. The sides are in the order of the bodies'
    /// names, not in that of the scene. So swapping two bodies of the scene mirrors the answer and changes no bit of
    /// it.
    pub(super) fn pair(&self, candidate: &Candidate, part_pairs: &[[u32; 2]], t_end: f64) -> PairWork {
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
                let Dispatched { verdict, engine, .. } =
                    with_itself(tree, &options, self.control.watch(), &mut work);
                (verdict.answer(candidate.bodies()), engine)
            }
            (None, None) => self.parts_of(candidate, part_pairs, t_end, &mut work),
        };
        let seconds = match (self.clock, begin) {
            (Some(clock), Some(begin)) => clock() - begin,
            _ => 0.0,
        };
        PairWork { answer, work, engine, seconds }
    }

    /// Returns the mesh, if the candidate is a deforming mesh with itself.
    fn deforming_with_itself(&self, candidate: &Candidate) -> Option<&MovingTree> {
        match self.scene.bodies[candidate.bodies()[0]].kind() {
            BodyKind::Deforming(tree) if candidate.is_with_itself() => Some(tree),
            _ => None,
        }
    }

    /// Returns the answer of the parts of two bodies, or of those of one robot.
    fn parts_of(
        &self,
        candidate: &Candidate,
        part_pairs: &[[u32; 2]],
        t_end: f64,
        work: &mut TreeStats,
    ) -> (Answer, Engine) {
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
        let [first, second] = if swapped { [j, i] } else { [i, j] };
        if let (Some(a), Some(b)) = (self.ellipsoids.get(first), self.ellipsoids.get(second)) {
            let Dispatched { verdict, engine, .. } = first_touch_of_ellipsoids(a, b, &limits, work);
            let verdict = verdict.map(|touch| if swapped { touch.swapped() } else { touch });
            return (verdict.answer(candidate.bodies()), engine);
        }
        if let Some(contact) = self.scene.contact_pair(candidate.bodies()) {
            let any = self.options.mode == Mode::Any;
            let Dispatched { verdict, engine, .. } = contact.first_touch(&limits, any, work);
            return (verdict.answer(candidate.bodies()), engine);
        }
        // The order must not depend on that of the bodies. The parts of one body have an order of their own.
        let [from, to] = candidate.parts;
        let mut parts: SmallVec<[[u32; 2]; 1]> = part_pairs[from..to].iter().copied().map(ordered).collect();
        parts.sort_unstable();
        let robots = Robots::of(bodies, candidate.bodies());
        if !robots.is_empty() {
            let left = self.sieve(&robots, &parts, &limits);
            // A search for any touch ends with a time that depends on all its pairs, so it gets all of them or none.
            if self.options.mode != Mode::Any || left.is_empty() {
                parts = left;
            }
            if parts.is_empty() {
                return (Answer::Free, Engine::Trees);
            }
        }
        let pairs: SmallVec<[PartPair<'_>; 1]> =
            parts.iter().map(|pair| robots.pair(self.moving(pair), self.separation_of(pair))).collect();
        let any = self.options.mode == Mode::Any;
        let Dispatched { verdict, engine, .. } = first_touch(&pairs, &limits, any, work);
        let verdict = verdict.map(|touch| if swapped { touch.swapped() } else { touch });
        (verdict.answer(candidate.bodies()), engine)
    }

    fn moving(&self, pair: &[u32; 2]) -> [MovingPart; 2] {
        pair.map(|part| self.parts[part as usize])
    }

    /// Returns the distance that two parts keep.
    fn separation_of(&self, pair: &[u32; 2]) -> f64 {
        let [a, b] = self.moving(pair);
        self.scene.separation_of([&a, &b], self.options.min_separation)
    }

    /// Returns the pairs of parts that are not proven apart, window by window.
    fn sieve(&self, robots: &Robots<'_>, pairs: &[[u32; 2]], limits: &Limits) -> SmallVec<[[u32; 2]; 1]> {
        let mut solids: HashMap<u32, Option<PlacedSolid<'_>>> = HashMap::new();
        let may_touch = |pair: &[u32; 2]| {
            for part in *pair {
                solids.entry(part).or_insert_with(|| self.placed_solid(robots, part));
            }
            match pair.map(|part| solids[&part].as_ref()) {
                [Some(a), Some(b)] => {
                    // As in a checker: parts within the tolerance at the start touch then.
                    let apart = self.separation_of(pair) + limits.tolerance;
                    limits.watch.is_raised() || !is_apart(a, b, limits.t_end, apart)
                }
                _ => true,
            }
        };
        pairs.iter().copied().filter(may_touch).collect()
    }

    /// Returns the coarse solid of a part that is a link's, or at rest.
    fn placed_solid<'a>(&'a self, robots: &'a Robots<'_>, part: u32) -> Option<PlacedSolid<'a>> {
        let MovingPart { body, of_robot } = self.parts[part as usize];
        match of_robot {
            Some((robot, LinkShape { link, shape })) => {
                let (motion, link) = (robots.motion(robot), link as usize);
                PlacedSolid::of_part(motion, link, &motion.robot().links()[link].parts()[shape as usize])
            }
            None => match self.scene.bodies[body as usize].kind() {
                BodyKind::Rigid { shape, motion: Motion::Fixed(pose) } => {
                    PlacedSolid::at_rest(shape, pose.at())
                }
                _ => None,
            },
        }
    }
}
