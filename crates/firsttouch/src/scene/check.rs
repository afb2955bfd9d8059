//! The check of a scene: one queue for everything in it.
//!
//! 1. *Broad phase.* Every part has a box over the whole span of time. Parts whose boxes do not overlap never touch.
//!    The other pairs of parts are grouped by pairs of bodies, including the parts of one robot and a deforming mesh
//!    with itself.
//! 2. *Lower bounds.* For each pair of parts, the distance of the balls around them at the start, divided by their
//!    closing speed, is a lower bound of the time of contact. The least bound of all its parts is that of a pair of
//!    bodies.
//! 3. *Narrow phase.* Pairs are checked in the order of their bounds. `t_min` decreases as touches are found, and later
//!    pairs are dropped. In mode `Any`, all pairs are first checked at the start. Then the search ends with the first
//!    touch found. The scene is proven free up to the least of the proven times and of the bounds of the remaining
//!    pairs. All pairs of parts of two bodies, and the nodes of their trees, share one queue, with the same `t_min`.
//!
//! The pairs are ordered by their bounds and, where those are equal, by the names of the bodies: neither the order of
//! the bodies nor the number of threads changes the answer.

use std::ops::ControlFlow;

use super::Scene;
use super::candidates::{BroadPhase, Candidate, Candidates, FULL_LIST};
use super::pair::{Ellipsoids, PairWork};
use super::parts::{MovingPart, parts_with_boxes};
use super::report::{PairReport, Report, StageSeconds, Stats};
use crate::advancement::first_of_sorted;
use crate::answer::{Answer, Touch};
use crate::ask::{Ask, Clock};
use crate::control::Control;
use crate::error::Result;
use crate::narrow::Engine;
use crate::numerics::Window;
use crate::numerics::bound::{lower_min, lower_or_zero};
use crate::options::{Mode, Options, Start};
use crate::parallel::Workers;

impl Scene {
    /// Checks the scene.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// use glam::DVec3;
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("a", Sphere::new(1.0)?, Motion::linear(at(0.0)?, at(8.0)?)))?;
    /// scene.add(Body::new("b", Sphere::new(1.0)?, Motion::fixed(at(4.0)?)))?;
    /// let report = scene.check(&Options::default())?;
    /// // From x = 0 to x = 8 the first ball touches the second at x = 2.
    /// assert!(matches!(&report.answer, Answer::Touch(touch) if (touch.toi - 0.25).abs() < 1e-6));
    /// assert_eq!(report.stats.pairs, 1);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn check<'a>(&self, ask: impl Into<Ask<'a>>) -> Result<Report> {
        let mut pairs = Vec::new();
        let mut sink = |pair: PairReport| {
            pairs.push(pair);
            ControlFlow::Continue(())
        };
        let report = self.check_pairs(&ask.into(), FULL_LIST, &mut sink)?;
        Ok(Report { pairs, ..report })
    }

    /// Mode [`All`](Mode::All) without a list: calls `sink` for every pair that is not free, in the order of the scene,
    /// until it breaks. Memory is bounded, however many pairs touch. The report has the earliest answer and no pairs.
    /// If the sink or an interrupt ends the search, the answer is [`Answer::Undecided`], unless something is known to
    /// touch at the start.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Body, Options, Scene};
    /// // Three balls in one place are three pairs that touch.
    /// let mut scene = Scene::default();
    /// for name in ["a", "b", "c"] {
    ///     scene.add(Body::new(name, Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
    /// }
    /// let mut pairs = vec![];
    /// let mut sink = |pair: firsttouch::PairReport| {
    ///     pairs.push(pair.bodies);
    ///     ControlFlow::Continue(())
    /// };
    /// scene.check_all(&Options::default(), &mut sink)?;
    /// assert_eq!(pairs, [[0, 1], [0, 2], [1, 2]]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn check_all<'a>(
        &self,
        ask: impl Into<Ask<'a>>,
        sink: &mut dyn FnMut(PairReport) -> ControlFlow<()>,
    ) -> Result<Report> {
        let ask: Ask<'_> = ask.into();
        self.check_pairs(&ask.with(Options { mode: Mode::All, ..ask.options }), FULL_LIST, sink)
    }

    pub(super) fn check_pairs(&self, ask: &Ask<'_>, full_list: usize, sink: Sink<'_>) -> Result<Report> {
        let Ask { options, control, filter, clock } = ask;
        let (filter, clock) = (*filter, *clock);
        self.validate(options)?;
        if self.has_paths() {
            return self.check_spans(ask, sink);
        }
        let mut stats = Stats::default();
        let mut seconds = StageSeconds::default();
        let begin = clock.map(|clock| clock());
        let window = Window::between(0.0, options.t_max);
        let (parts, boxes) = parts_with_boxes(&self.bodies, window);
        let broad = BroadPhase::new(self, &parts, boxes, options, filter, full_list, &mut stats);
        if let (Some(clock), Some(begin)) = (clock, begin) {
            seconds.broad = clock() - begin;
        }
        let ellipsoids = Ellipsoids::of(&self.bodies, options);
        let query = Query { scene: self, parts: &parts, ellipsoids, options, clock, control };
        let mut counts = Counts { stats, seconds, candidates: 0, is_complete: false };
        let answer = match options.mode {
            Mode::First | Mode::Any => query.first(broad, &mut counts),
            Mode::All => query.all(broad, &mut counts, sink),
        };
        let Counts { mut stats, seconds, candidates, is_complete } = counts;
        if is_complete {
            stats.boxes_apart = stats.pairs.saturating_sub(stats.allowed + stats.resting + candidates);
        }
        let known = stats.allowed + stats.resting + stats.boxes_apart + stats.advanced;
        stats.later = stats.pairs.saturating_sub(known);
        Ok(Report { answer, pairs: Vec::new(), stats, seconds: clock.map(|_| seconds) })
    }
}

/// Receives the pairs of mode `All` that are not free.
pub(super) type Sink<'a> = &'a mut dyn FnMut(PairReport) -> ControlFlow<()>;

/// The counts and times of a search.
struct Counts {
    stats: Stats,
    seconds: StageSeconds,
    /// The number of candidates in all lists up to now.
    candidates: u64,
    /// True if all lists were made.
    is_complete: bool,
}

impl Counts {
    fn add_list(&mut self, list: &Candidates) {
        self.candidates += list.sorted.len() as u64;
        self.stats.part_pairs += list.part_pairs.len() as u64;
        self.is_complete = list.is_last;
    }
}

/// The order of events. If two happen at the same time, the one with the lower bound is reported, and for equal bounds
/// the one whose names come first.
#[derive(Debug, Clone, Copy, PartialEq)]
struct EventKey {
    t: f64,
    lower: f64,
    bodies: [usize; 2],
}

impl EventKey {
    fn is_before(&self, other: &EventKey, broad: &BroadPhase<'_>) -> bool {
        let by_time = self.t.total_cmp(&other.t).then_with(|| self.lower.total_cmp(&other.lower));
        by_time.then_with(|| broad.names(self.bodies).cmp(&broad.names(other.bodies))).is_lt()
    }
}

pub(super) struct Query<'a> {
    pub(super) scene: &'a Scene,
    pub(super) parts: &'a [MovingPart],
    pub(super) ellipsoids: Ellipsoids<'a>,
    pub(super) options: &'a Options,
    pub(super) clock: Option<Clock<'a>>,
    pub(super) control: &'a Control<'a>,
}

impl Query<'_> {
    fn first(&self, mut broad: BroadPhase<'_>, counts: &mut Counts) -> Answer {
        let any = self.options.mode == Mode::Any;
        // If a list was not made, a touch of its pairs is possible at any time.
        let nothing = || Answer::Undecided { free_until: 0.0, bodies: [0, 0] };
        let mut workers = None;
        if any && self.options.start == Start::Report {
            let at_start = broad.each_list(self.control, nothing, |_, list| {
                counts.add_list(list);
                let workers = workers.get_or_insert_with(|| self.workers(list));
                match self.at_start(list, workers, counts) {
                    Some(answer) => ControlFlow::Break(answer),
                    None => ControlFlow::Continue(()),
                }
            });
            if let Some(answer) = at_start {
                return answer;
            }
        }
        (counts.candidates, counts.stats.part_pairs) = (0, 0);
        // A pair that ran out of steps proves nothing about the others.
        let enough = |(answer, _): &(Answer, EventKey)| any && answer.touch().is_some();
        // Before this time all pairs that were checked are free.
        let mut free_until = self.options.t_max;
        // In mode `Any`, the first touch found. Another pair may have run out of steps at an earlier time.
        let mut found: Option<Touch> = None;
        let mut done = 0;
        let mut earliest: Option<(Answer, EventKey)> = None;
        let stopped = broad.each_list(
            self.control,
            || Some(nothing()),
            |broad, list| {
                counts.add_list(list);
                let workers = workers.get_or_insert_with(|| self.workers(list));
                let Candidates { sorted, part_pairs, is_last } = list;
                let lower = |candidate: &Candidate| candidate.lower;
                let t_max = earliest.as_ref().map_or(self.options.t_max, |(_, key)| key.t);
                let first = first_of_sorted(sorted, lower, t_max, enough, |batch, t_min| {
                    let results = workers.map(batch, |candidate| self.pair(candidate, part_pairs, t_min));
                    done += batch.len() as u64;
                    self.control.report(done, counts.candidates);
                    let events = batch.iter().zip(results).map(|(candidate, work)| {
                        counts.stats.add(&work, &mut counts.seconds);
                        free_until = lower_min(free_until, work.answer.free_until(t_min));
                        if any && found.is_none() {
                            found = work.answer.touch().cloned();
                        }
                        let t = match &work.answer {
                            Answer::Free => return None,
                            Answer::Touch(touch) => touch.toi,
                            answer => answer.free_until(t_min),
                        };
                        let key = EventKey { t, lower: candidate.lower, bodies: candidate.bodies() };
                        Some((t, (work.answer, key)))
                    });
                    events.collect()
                });
                counts.stats.advanced += first.opened;
                free_until = lower_min(free_until, first.free_until);
                if let Some((_, event)) = first.event
                    && (enough(&event)
                        || earliest.as_ref().is_none_or(|known| event.1.is_before(&known.1, broad)))
                {
                    earliest = Some(event);
                }
                match &earliest {
                    Some(_) if found.is_some() => {
                        if !*is_last {
                            free_until = 0.0;
                        }
                        ControlFlow::Break(None)
                    }
                    // Later lists have later names, and nothing is before the start.
                    Some((_, key)) if key.t <= 0.0 => ControlFlow::Break(None),
                    _ => ControlFlow::Continue(()),
                }
            },
        );
        if let Some(nothing) = stopped.flatten() {
            return nothing;
        }
        match (earliest, found) {
            (None, _) => Answer::Free,
            (Some((answer @ Answer::TouchingAtStart(_), _)), _) => answer,
            (Some(_), Some(touch)) if touch.toi == 0.0 => Answer::TouchingAtStart(touch),
            (Some(_), Some(touch)) => {
                Answer::Touch(Touch { free_until: lower_min(free_until, touch.toi), ..touch })
            }
            // Another pair may be proven free for less time.
            (Some((Answer::Undecided { bodies, .. }, _)), None) if any => {
                Answer::Undecided { free_until, bodies }
            }
            (Some((answer, _)), None) => answer,
        }
    }

    /// Threads, unless there is nothing to share.
    fn workers(&self, list: &Candidates) -> Workers {
        let is_alone = list.is_last && list.sorted.len() <= 1;
        Workers::new(self.options.threads, if is_alone { 1 } else { usize::MAX })
    }

    /// In mode `Any`, checks for contacts at the start first. Returns one if it exists.
    fn at_start(&self, list: &mut Candidates, workers: &Workers, counts: &mut Counts) -> Option<Answer> {
        const LARGEST_ROUND: usize = 64;
        let Candidates { sorted: candidates, part_pairs, .. } = list;
        let near = candidates.iter().take_while(|candidate| candidate.lower <= 0.0).count();
        let (mut done, mut size) = (0, 1);
        while done < near {
            let end = near.min(done + size); // not a bound: an index
            let round = &mut candidates[done..end];
            let results = workers.map(round, |candidate| self.pair_at_start(candidate, part_pairs));
            let mut found = None;
            for (candidate, work) in round.iter_mut().zip(results) {
                counts.stats.add(&work, &mut counts.seconds);
                if let Answer::TouchingAtStart(_) = work.answer {
                    found = found.or(Some(work.answer));
                } else if candidate.is_with_itself() {
                    candidate.settled = Some(Box::new(work.answer));
                }
            }
            if found.is_some() {
                counts.stats.advanced += end as u64;
                return found;
            }
            (done, size) = (end, (2 * size).min(LARGEST_ROUND)); // not a bound: a count
        }
        None
    }

    fn all(&self, mut broad: BroadPhase<'_>, counts: &mut Counts, sink: Sink<'_>) -> Answer {
        /// The most answers that are kept at a time. Most pairs are free; their answers are dropped.
        const ROUND: usize = 4096;
        let t_max = self.options.t_max;
        let mut workers = None;
        let mut earliest: Option<(Answer, EventKey)> = None;
        // If the search is stopped: a lower bound of the time of contact of the pairs that were not checked.
        let stopped = broad.each_list(
            self.control,
            || 0.0,
            |broad, list| {
                counts.add_list(list);
                let workers = workers.get_or_insert_with(|| self.workers(list));
                let Candidates { sorted, part_pairs, is_last } = list;
                let mut done = 0;
                let left = |done: usize| match is_last {
                    true => sorted[done..].iter().fold(t_max, |bound, left| lower_min(bound, left.lower)),
                    false => 0.0,
                };
                for round in sorted.chunks(ROUND) {
                    if self.control.is_interrupted() {
                        return ControlFlow::Break(left(done));
                    }
                    let results = workers.map(round, |candidate| self.pair(candidate, part_pairs, t_max));
                    counts.stats.advanced += round.len() as u64;
                    self.control.report(counts.stats.advanced, counts.candidates);
                    for (candidate, work) in round.iter().zip(results) {
                        done += 1;
                        counts.stats.add(&work, &mut counts.seconds);
                        let answer = work.answer;
                        if answer == Answer::Free {
                            continue;
                        }
                        let bodies = candidate.bodies();
                        let t = answer.free_until(t_max);
                        let key = EventKey { t, lower: candidate.lower, bodies };
                        if earliest.as_ref().is_none_or(|(_, known)| key.is_before(known, broad)) {
                            earliest = Some((answer.clone(), key));
                        }
                        let pair = PairReport { bodies, answer, overlaps: self.overlaps(bodies) };
                        if sink(pair).is_break() {
                            return ControlFlow::Break(left(done));
                        }
                    }
                }
                ControlFlow::Continue(())
            },
        );
        match (stopped, earliest) {
            (None, earliest) => earliest.map_or(Answer::Free, |(answer, _)| answer),
            // No touch is earlier than this one, so the pairs that were not checked do not matter.
            (Some(_), Some((answer @ Answer::TouchingAtStart(_), _))) => answer,
            (Some(left), earliest) => {
                let known = earliest.map_or(t_max, |(_, key)| key.t);
                Answer::Undecided { free_until: lower_or_zero(lower_min(left, known)), bodies: [0, 0] }
            }
        }
    }
}

impl Stats {
    fn add(&mut self, done: &PairWork, seconds: &mut StageSeconds) {
        self.volume_pairs += done.work.volume_pairs;
        self.piece_pairs += done.work.piece_pairs;
        self.iterations += done.work.iterations;
        self.not_followed += done.work.not_followed;
        self.contact += done.work.contact;
        if let Some(place) = Engine::ALL.iter().position(|engine| *engine == done.engine) {
            seconds.engines[place] += done.seconds;
        }
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
