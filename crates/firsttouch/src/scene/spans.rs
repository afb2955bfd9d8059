//! A scene with robots on trajectories: one span of time after another.
//!
//! **Problem.** The engines know robots between two configurations. A robot on a
//! [`Trajectory`](crate::articulated::Trajectory) has many segments, and the other bodies move on the same clock.
//!
//! **Method.** The time is cut at every waypoint of every robot. Between two cuts each robot is one step, and
//! everything else moves as it does in that span ([`Motion::during`](crate::motion::Motion::during)): a scene over its
//! own time from 0 to 1.
//! 1. *The first touch* is that of the first span which is not free. A touch at the start of a later span is one at the
//!    time of the cut.
//! 2. *All touches*: of each pair, the first span in which it is not free. A robot on an adaptive path is checked with
//!    the proofs of earlier spans (`simulated_robot`).
//! 3. *The least distance* is the least one of all spans; the times of overlap are collected from all spans, and joined
//!    where a certain overlap goes on across a cut.
//!
//! **Guarantee.** That of the engines. The time `t_0 + w s` of an answer has three roundings, of the width, the product
//! and the sum. Times before which something is proven free are rounded down by more than that, the ends of overlaps
//! up. A pair that is free up to the end of a span and from the start of the next is free all through.

use std::ops::ControlFlow;

use std::collections::BTreeMap;

use super::check::Sink;
use super::report::{PairReport, Report, StageSeconds, Stats};
use super::simulated_robot::SimulatedRobot;
use super::{Body, BodyKind, Scene};
use crate::answer::{Answer, Touch};
use crate::ask::{Ask, PairFilter};
use crate::clearance::Clearance;
use crate::control::Control;
use crate::ellipsoid::{Overlap, OverlapKind};
use crate::error::Result;
use crate::numerics::bound::lower_min;
use crate::numerics::error_free::{two_product, two_sum};
use crate::numerics::rounding::UNIT;
use crate::options::{Mode, Options, Start};
use crate::pair::TreeStats;
use crate::questions::{Level, Near};
use crate::world::both;

/// A span of time between two cuts, with everything as it moves then.
pub(super) struct Span {
    times: SpanTimes,
    scene: Scene,
}

/// The times at which a span begins and ends on the clock.
#[derive(Debug, Clone, Copy)]
struct SpanTimes {
    start: f64,
    end: f64,
}

/// The counts and the pairs of all spans that were checked.
#[derive(Default)]
struct SoFar {
    stats: Stats,
    seconds: StageSeconds,
    /// The first answer of each pair that is not free, on the clock.
    pairs: BTreeMap<[usize; 2], Answer>,
    /// The counts of a span in which simulations check all pairs that are to be checked.
    all_simulated: Option<Stats>,
}

impl Scene {
    /// Returns true if a robot follows a trajectory, so that the scene must be cut in time.
    pub(super) fn has_paths(&self) -> bool {
        self.bodies.iter().any(|body| matches!(body.kind(), BodyKind::RobotPath(_)))
    }

    /// Returns the times from 0 to `t_max` at which the scene is cut, both included.
    fn cuts(&self, t_max: f64) -> Vec<f64> {
        let mut cuts = vec![0.0, t_max];
        for body in &self.bodies {
            if let BodyKind::RobotPath(path) = body.kind() {
                cuts.extend(path.times().filter(|&t| 0.0 < t && t < t_max));
            }
        }
        cuts.sort_unstable_by(f64::total_cmp);
        cuts.dedup();
        cuts
    }

    /// Returns the scene between two cuts.
    fn span(&self, start: f64, end: f64) -> Result<Span> {
        let bodies: Vec<Body> =
            self.bodies.iter().map(|body| body.during(start, end)).collect::<Result<_>>()?;
        let mut scene = Scene {
            bodies,
            directory: self.directory.clone(),
            rules: self.rules.clone(),
            contacts: self.contacts.clone(),
            attached: self.attached.clone(),
            leaves_out_resting: self.leaves_out_resting,
            grasps: Vec::new(),
        };
        self.hold_in_span(&mut scene, [start, end])?;
        Ok(Span { times: SpanTimes { start, end }, scene })
    }

    fn spans(&self, t_max: f64) -> impl Iterator<Item = Result<Span>> {
        let cuts = self.cuts(t_max);
        (1..cuts.len()).map(move |k| self.span(cuts[k - 1], cuts[k]))
    }

    /// Returns the span in which a time is, and the time within it. At a cut it is the span that begins there.
    pub(super) fn span_at(&self, t: f64) -> Result<(Scene, f64)> {
        let cuts = self.cuts(1.0);
        let k = cuts[1..cuts.len() - 1].partition_point(|&cut| cut <= t);
        let Span { times: SpanTimes { start, end }, scene } = self.span(cuts[k], cuts[k + 1])?;
        Ok((scene, ((t - start) / (end - start)).clamp(0.0, 1.0)))
    }

    /// Returns the span in which a time is, and its scene. At a cut it is the span that ends there.
    pub(super) fn span_before(&self, t: f64) -> Result<([f64; 2], Scene)> {
        let cuts = self.cuts(1.0);
        let k = cuts[1..cuts.len() - 1].partition_point(|&cut| cut < t);
        let Span { times: SpanTimes { start, end }, scene } = self.span(cuts[k], cuts[k + 1])?;
        Ok(([start, end], scene))
    }

    /// `near` for a scene with robots on trajectories.
    pub(super) fn near_of_spans(
        &self,
        [from, to]: [f64; 2],
        level: &Level<'_>,
        resolution: f64,
        filter: Option<PairFilter<'_>>,
        control: &Control<'_>,
    ) -> Result<Near> {
        let mut near = Near { touches: Vec::new(), is_complete: true };
        for ends in self.cuts(1.0).windows(2).filter(|ends| ends[0] <= to && from <= ends[1]) {
            let span = self.span(ends[0], ends[1])?;
            let own = [span.times.own_time(from)[0], span.times.own_time(to)[1]];
            let found = span.scene.near(own, level, resolution, filter, control)?;
            near.is_complete &= found.is_complete;
            let on_clock = |touch: Touch| Touch { toi: span.times.time(touch.toi), ..touch };
            near.touches.extend(found.touches.into_iter().map(on_clock));
        }
        Ok(near)
    }

    /// Returns true if a robot on a trajectory has a waypoint in a span of time, both ends included.
    pub(super) fn has_cut(&self, [from, to]: [f64; 2]) -> bool {
        self.cuts(1.0).iter().any(|&cut| 0.0 < cut && cut < 1.0 && from <= cut && cut <= to)
    }

    /// `check_pairs` for a scene with robots on trajectories.
    pub(super) fn check_spans(&self, ask: &Ask<'_>, sink: Sink<'_>) -> Result<Report> {
        let Ask { options, control, filter, clock } = ask;
        let filter = *filter;
        if options.start == Start::Ignore {
            options.validate_reporting_start("a scene with a robot on a path")?;
        }
        let own = Options { t_max: 1.0, ..*options };
        let mut so_far = SoFar::default();
        let mut answer = Answer::Free;
        let mut robots = SimulatedRobot::all_of(self, options, filter)?;
        let cuts = self.cuts(options.t_max);
        for ends in cuts.windows(2) {
            let times = SpanTimes { start: ends[0], end: ends[1] };
            let mut of_robots = Answer::Free;
            let mut work = TreeStats::default();
            for robot in &mut robots {
                if let Some(found) = robot.step(times.start, times.end, &own, control, &mut work)? {
                    of_robots = both(of_robots, found, options.mode, 1.0);
                }
            }
            let of_others = self.check_left(times, &Ask { options: own, ..*ask }, &robots, &mut so_far)?;
            so_far.stats.add_work(&work);
            let found = times.answer(both(of_robots, of_others, options.mode, 1.0));
            answer = match (answer, found) {
                (Answer::Free, found) => found,
                // Only in mode `Any`: another pair is known to touch.
                (Answer::Undecided { free_until, .. }, Answer::Touch(touch)) if options.mode == Mode::Any => {
                    Answer::Touch(Touch { free_until: lower_min(free_until, touch.free_until), ..touch })
                }
                (known, _) => known,
            };
            let is_done = match options.mode {
                Mode::First => answer != Answer::Free,
                Mode::Any => answer.touch().is_some(),
                Mode::All => false,
            };
            if is_done {
                break;
            }
        }
        for (bodies, answer) in so_far.pairs {
            if sink(PairReport { bodies, answer, overlaps: None }).is_break() {
                break;
            }
        }
        let SoFar { stats, seconds, .. } = so_far;
        Ok(Report { answer, pairs: Vec::new(), stats, seconds: clock.map(|_| seconds) })
    }

    /// Checks the pairs in a span that simulations leave. The answer is in the span's own time.
    fn check_left(
        &self,
        times: SpanTimes,
        ask: &Ask<'_>,
        robots: &[SimulatedRobot<'_>],
        so_far: &mut SoFar,
    ) -> Result<Answer> {
        let SoFar { stats, seconds, pairs, all_simulated } = so_far;
        let simulated: u64 = robots.iter().map(SimulatedRobot::pairs).sum();
        let answer = match all_simulated {
            Some(counts) if robots.iter().all(|robot| robot.pairs() > 0) => {
                stats.add_span(counts);
                Answer::Free
            }
            _ => {
                let mut of_span = |pair: PairReport| {
                    pairs.entry(pair.bodies).or_insert_with(|| times.answer(pair.answer));
                    ControlFlow::Continue(())
                };
                let is_left = |a: &Body, b: &Body| {
                    ask.filter.is_none_or(|wanted| wanted(a, b))
                        && !robots.iter().any(|robot| robot.checks(a, b))
                };
                let filter = if simulated > 0 { Some(&is_left as PairFilter<'_>) } else { ask.filter };
                let of_left = Ask { filter, ..*ask };
                let span = self.span(times.start, times.end)?;
                let report = span.scene.check_pairs(&of_left, super::candidates::FULL_LIST, &mut of_span)?;
                // The filter leaves out the pairs of the simulations.
                let mut counts = report.stats;
                counts.allowed = counts.allowed.saturating_sub(simulated);
                counts.advanced += simulated;
                if self.rests_but_for(robots) && counts.pairs == counts.allowed + counts.resting + simulated {
                    *all_simulated = Some(Stats { parts: counts.parts, ..counts });
                }
                stats.add_span(&counts);
                if let Some(of_span) = report.seconds {
                    seconds.broad += of_span.broad;
                    (0..seconds.engines.len()).for_each(|k| seconds.engines[k] += of_span.engines[k]);
                }
                report.answer
            }
        };
        // If simulations prove everything without an exact stage, nothing else sees an interrupt.
        Ok(match answer {
            Answer::Free if !robots.is_empty() && ask.control.is_interrupted() => {
                Answer::Undecided { free_until: 0.0, bodies: [0, 0] }
            }
            other => other,
        })
    }

    /// Returns true if all bodies are at rest, except these robots.
    fn rests_but_for(&self, robots: &[SimulatedRobot<'_>]) -> bool {
        let is_simulated = |i: usize| robots.iter().any(|robot| robot.body() == i);
        (0..self.bodies.len()).all(|i| self.bodies[i].is_at_rest() || is_simulated(i))
    }

    /// `least` for a scene with robots on trajectories.
    pub(super) fn least_of_spans(
        &self,
        [from, to]: [f64; 2],
        options: &Options,
        filter: Option<PairFilter<'_>>,
        control: &Control<'_>,
    ) -> Result<Option<Clearance>> {
        let mut least: Option<Clearance> = None;
        let cuts = self.cuts(1.0);
        // At a cut, an instant is in both spans and the same in both. Otherwise a span that is only touched adds
        // nothing.
        let overlaps = |ends: &&[f64]| ends[0] < to && from < ends[1] || from == to && ends[0] == from;
        let last = |ends: &&[f64]| from == to && to == 1.0 && ends[1] == 1.0;
        for ends in cuts.windows(2).filter(|ends| overlaps(ends) || last(ends)) {
            let span = self.span(ends[0], ends[1])?;
            let own = [span.times.own_time(from), span.times.own_time(to)];
            let own = [own[0][0], own[1][1]];
            let Some(found) = span.scene.least(own, options, filter, control)? else { continue };
            let found = Clearance { t: span.times.time(found.t), until: to, ..found };
            least = Some(match least {
                None => found,
                Some(known) => known.nearer(found, options.tolerance),
            });
        }
        Ok(least)
    }

    /// `overlaps` for a scene with robots on trajectories.
    pub(super) fn overlaps_of_spans(
        &self,
        pair: [usize; 2],
        options: &Options,
        control: &Control<'_>,
    ) -> Result<Vec<Overlap>> {
        let own = Options { t_max: 1.0, ..*options };
        let mut all: Vec<Overlap> = Vec::new();
        for span in self.spans(options.t_max) {
            let Span { times, scene } = span?;
            for found in scene.overlaps_asked(pair, &own, control)? {
                let start = [times.time(found.start[0]), times.time_up(found.start[1])];
                let end = [times.time(found.end[0]), times.time_up(found.end[1])];
                let goes_on = |before: &&mut Overlap| {
                    before.kind == OverlapKind::Overlap
                        && found.kind == OverlapKind::Overlap
                        && before.end[0] == times.start
                        && start[1] == times.start
                };
                match all.last_mut().filter(goes_on) {
                    Some(before) => before.end = end,
                    None => all.push(Overlap::between(start, end, found.kind)),
                }
            }
        }
        Ok(all)
    }
}

impl SpanTimes {
    /// Returns the span's own time at a time of the clock, rounded down and up; both are the same if it is exact. Times
    /// outside are at the ends.
    fn own_time(&self, t: f64) -> [f64; 2] {
        if t <= self.start {
            return [0.0; 2];
        }
        if t >= self.end {
            return [1.0; 2];
        }
        let (width, width_error) = two_sum(self.end, -self.start);
        let s = (t - self.start) / width;
        let (product, product_error) = two_product(s, width);
        let (sum, sum_error) = two_sum(self.start, product);
        if sum == t && [width_error, product_error, sum_error] == [0.0; 3] {
            return [s; 2];
        }
        // Three roundings.
        [s * (1.0 - 8.0 * UNIT), (s * (1.0 + 8.0 * UNIT)).clamp(0.0, 1.0)]
    }

    /// Returns a time of the span on the clock, rounded down.
    fn time(&self, s: f64) -> f64 {
        if s >= 1.0 {
            return self.end;
        }
        let t = self.start + (self.end - self.start) * s;
        // The terms are at most 1, and there are three roundings.
        let t = if s <= 0.0 { self.start } else { t - 4.0 * UNIT * t };
        t.clamp(self.start, self.end)
    }

    /// Returns a time of the span on the clock, rounded up.
    fn time_up(&self, s: f64) -> f64 {
        if s <= 0.0 {
            return self.start;
        }
        let t = self.start + (self.end - self.start) * s;
        if s >= 1.0 { self.end } else { (t + 4.0 * UNIT * t).clamp(self.start, self.end) }
    }

    /// Returns an answer on the clock. Everything before the span is free.
    fn answer(&self, answer: Answer) -> Answer {
        let on_clock = |touch: Touch| Touch {
            toi: self.time(touch.toi),
            free_until: self.time(touch.free_until),
            ..touch
        };
        match answer {
            Answer::Free => Answer::Free,
            Answer::TouchingAtStart(touch) if self.start == 0.0 => Answer::TouchingAtStart(touch),
            Answer::Touch(touch) | Answer::TouchingAtStart(touch) => Answer::Touch(on_clock(touch)),
            Answer::Undecided { free_until, bodies } => {
                Answer::Undecided { free_until: self.time(free_until), bodies }
            }
        }
    }
}

impl Stats {
    /// Pairs and parts count once for each span. The number of pairs at rest that are left out is the same in all
    /// spans.
    fn add_span(&mut self, of_span: &Stats) {
        self.pairs += of_span.pairs;
        self.allowed += of_span.allowed;
        self.resting = of_span.resting;
        self.boxes_apart += of_span.boxes_apart;
        self.advanced += of_span.advanced;
        self.later += of_span.later;
        self.parts += of_span.parts;
        self.part_pairs += of_span.part_pairs;
        self.volume_pairs += of_span.volume_pairs;
        self.piece_pairs += of_span.piece_pairs;
        self.iterations += of_span.iterations;
        self.not_followed += of_span.not_followed;
        self.contact += of_span.contact;
    }

    fn add_work(&mut self, work: &TreeStats) {
        self.volume_pairs += work.volume_pairs;
        self.piece_pairs += work.piece_pairs;
        self.iterations += work.iterations;
        self.not_followed += work.not_followed;
    }
}
