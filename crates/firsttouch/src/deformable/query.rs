//! Queries of a deforming mesh: its first touch, any touch, or the first touch of every pair.
//!
//! The problem: among all vertex/face and edge/edge pairs of the mesh that do not share a vertex, when does the first
//! touch happen, and which pairs touch at all?
//!
//! 1. A pair of leaves of the tree yields candidates (`traversal`), unless both leaves are in one patch that cannot
//!    touch itself (`normal_cones`, computed for the window). A candidate goes through a step of local advancement
//!    (`advancement`) and then the exact test ([`crate::elementary`]).
//! 2. **First.** All tests cover only `[0, window]`, where the window ends at the earliest known touch
//!    (`temporal_culling`).
//! 3. **Any** checks time 0 first. Then it does the same as **First**, but ends with the first round that finds a
//!    touch. What is proven free is the bound of the earliest pair of nodes whose search did not
//!    finish.
//! 4. **All** goes over all leaves. It omits the step of local advancement, since over the whole time span the first
//!    stages of the exact test are as effective. It works in rounds of bounded memory: a thread that has found
//!    [`FULL`] pairs stops, hands them over, and continues from there in the next round.
//!
//! An interrupt is polled at every pair of leaves and ends each mode with what is proven so far.
//!
//! Guarantee: no touch is missed and none is late; the set of touching pairs is exact (`min_separation` 0).
//!
//! The answer is the same for any number of threads: the division of the work is fixed. Each touch is decided again
//! over the whole step, which makes its time independent of the window in which it was found. The earliest touch is
//! the smallest by (time, features). A reported time may be 2^-50 before the exact one, so the window extends 2^-49
//! past the earliest: a pair that could be reported as early is never dropped.
//!
//! Reference: Tang, Kim and Manocha 2010, Sec. VI (global and per-triangle times of contact).

use std::cmp::Ordering;
use std::ops::ControlFlow;

use glam::DVec3;

use crate::answer::{Answer, Feature, Part, Touch};
use crate::control::{Control, Watch};
use crate::elementary::contact::place;
use crate::elementary::{self, Contact, EdgeEdge, LARGEST_COORDINATE, Limits, Verdict, VertexFace};
use crate::error::Result;
use crate::numerics::bound::{lower_min, lower_or_zero};
use crate::options::{Mode, Options};

use super::advancement::Reach;
use super::crossings;
use super::fit::Fit;
use super::hierarchy::Carrier;
use super::mesh::{Deformable, Fitted};
use super::normal_cones::Patches;
use super::report::{DeformReport, DeformStats, Start};
use super::temporal_culling;
use super::threads::{self, with_threads};
use super::traversal::{NearFeatures, leaves_near};

/// Returns whether a pair of features must be checked: a vertex and a face, or two edges.
pub type PairFilter<'a> = &'a (dyn Fn([Feature; 2]) -> bool + Sync);

/// How far the window extends past the earliest known touch. A reported time is never more than 2^-50 before the
/// exact one; this is twice that.
pub(super) const EARLY: f64 = 1.0 / (1u64 << 49) as f64;

/// The number of leaves that one thread processes at a time.
const PIECE: usize = 16;

/// The number of pieces in a round of mode `All`: enough for many threads.
const ROUND: usize = 128;

/// A piece that has found this many pairs is interrupted. With 128 pieces in a round and 128 bytes per pair, this is
/// 64 MiB.
const FULL: usize = 4096;

/// Which test has the final word about a pair of features.
#[derive(Debug, Clone, Copy)]
pub(super) enum FeatureTest {
    /// The exact test of [`crate::elementary`].
    Exact,
    /// One of the laboratory's, to compare with. Nothing is proven then.
    #[cfg(feature = "internals")]
    Foreign(ForeignTest),
}

/// Tests of features that are not those of [`crate::elementary`].
#[cfg(feature = "internals")]
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct ForeignTest {
    /// Of a vertex and a face.
    pub vertex_face: fn(&VertexFace, &Limits) -> Verdict<Contact>,
    /// Of two edges.
    pub edge_edge: fn(&EdgeEdge, &Limits) -> Verdict<Contact>,
}

impl Deformable {
    /// Checks the mesh over `[0, options.t_max]` in the mode `options.mode`. Returns an error only for options out of
    /// range.
    ///
    /// With `min_separation` 0 the answer is exact and does not depend on the tolerance.
    ///
    /// ```
    /// use firsttouch::deformable::{Deformable, Start};
    /// use firsttouch::{Mode, Options};
    /// use glam::dvec3;
    /// // One edge falls onto two others, at times 1/4 and 3/4.
    /// let at = |z| vec![
    ///     dvec3(-1.0, 0.0, z), dvec3(1.0, 0.0, z),
    ///     dvec3(0.0, -1.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.0, -1.0, -2.0), dvec3(0.0, 1.0, -2.0),
    /// ];
    /// let mesh = Deformable::new(at(1.0), at(-3.0), vec![], vec![[0, 1], [2, 3], [4, 5]], vec![])?;
    /// let report = mesh.check(&Options { mode: Mode::All, ..Default::default() }, Start::Report)?;
    /// let times: Vec<f64> = report.touches.iter().map(|touch| touch.toi).collect();
    /// assert!((times[0] - 0.25).abs() < 1e-15 && (times[1] - 0.75).abs() < 1e-15);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn check(&self, options: &Options, start: Start) -> Result<DeformReport> {
        self.check_filtered(options, start, &|_| true)
    }

    /// Like [`check`](Deformable::check), for the pairs of features that the filter accepts. For crossings at the
    /// start, the filter receives an edge and a face.
    pub fn check_filtered(
        &self,
        options: &Options,
        start: Start,
        filter: PairFilter<'_>,
    ) -> Result<DeformReport> {
        self.check_by_test(options, start, filter, FeatureTest::Exact, Watch::NONE)
    }

    /// Like [`check`](Deformable::check), under the control of the caller, who may end it early. A check that is ended is
    /// [`Answer::Undecided`], with what is proven so far.
    ///
    /// ```
    /// use firsttouch::deformable::{Deformable, Start};
    /// use firsttouch::{Answer, Control, Interrupt, Options};
    /// use glam::dvec3;
    /// let at = |z| vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.25, 0.25, z)];
    /// let mesh = Deformable::new(at(1.0), at(-1.0), vec![[0, 1, 2]], vec![], vec![3])?;
    /// let interrupt = Interrupt::default();
    /// interrupt.raise();
    /// let control = Control { interrupt: Some(&interrupt), progress: None };
    /// let report = mesh.check_with(&Options::default(), Start::Report, &control)?;
    /// assert!(matches!(report.answer, Answer::Undecided { free_until: 0.0, .. }));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn check_with(&self, options: &Options, start: Start, control: &Control<'_>) -> Result<DeformReport> {
        self.check_watched(options, start, control.watch())
    }

    /// Like [`check`](Deformable::check), for a caller that is interrupted itself.
    pub(crate) fn check_watched(
        &self,
        options: &Options,
        start: Start,
        watch: Watch,
    ) -> Result<DeformReport> {
        self.check_by_test(options, start, &|_| true, FeatureTest::Exact, watch)
    }

    /// Mode `All` without a list: calls `sink` for every touching pair once it is proven and, with a
    /// `min_separation`, for every pair whose budget ran out, until it breaks. Memory is bounded, however many pairs
    /// touch. The order is the same for any number of threads but otherwise unspecified. The report has the counts and
    /// the earliest touch. If the sink or an interrupt ends the search, the counts are those of the pairs found so far and
    /// the answer is [`Answer::Undecided`], unless something touches at the start.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use firsttouch::{Control, Options};
    /// use firsttouch::deformable::{Deformable, FoundPair, Start};
    /// use glam::dvec3;
    /// // A loose point falls through two triangles.
    /// let at = |z| vec![
    ///     dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0),
    ///     dvec3(0.0, 0.0, -1.0), dvec3(1.0, 0.0, -1.0), dvec3(0.0, 1.0, -1.0), dvec3(0.25, 0.25, z),
    /// ];
    /// let mesh = Deformable::new(at(1.0), at(-3.0), vec![[0, 1, 2], [3, 4, 5]], vec![], vec![6])?;
    /// let mut times = vec![];
    /// let mut sink = |pair: FoundPair<'_>| {
    ///     times.push(pair.time());
    ///     ControlFlow::Continue(())
    /// };
    /// let report = mesh.check_all(&Options::default(), Start::Report, &Control::default(), &mut sink)?;
    /// times.sort_by(f64::total_cmp);
    /// assert!((times[0] - 0.25).abs() < 1e-15 && (times[1] - 0.5).abs() < 1e-15);
    /// assert!(report.touches.is_empty() && (report.vf_touching, report.ee_touching) == (2, 0));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn check_all(
        &self,
        options: &Options,
        start: Start,
        control: &Control<'_>,
        sink: &mut (dyn FnMut(FoundPair<'_>) -> ControlFlow<()> + Send),
    ) -> Result<DeformReport> {
        let options = &Options { mode: Mode::All, ..*options };
        options.validate()?;
        let watch = control.watch();
        Ok(with_threads(options.threads, |parallel| {
            let test = FeatureTest::Exact;
            let query = Query { mesh: self, options, start, filter: &|_| true, test, watch, parallel };
            query.run_fitted(&mut |event| sink(FoundPair { query: &query, event: &event }))
        }))
    }

    /// Like [`check`](Deformable::check), with other tests of features, which prove nothing: to compare with.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn check_by(&self, options: &Options, start: Start, test: ForeignTest) -> Result<DeformReport> {
        self.check_by_test(options, start, &|_| true, FeatureTest::Foreign(test), Watch::NONE)
    }

    fn check_by_test(
        &self,
        options: &Options,
        start: Start,
        filter: PairFilter<'_>,
        test: FeatureTest,
        watch: Watch,
    ) -> Result<DeformReport> {
        options.validate()?;
        Ok(with_threads(options.threads, |parallel| {
            let query = Query { mesh: self, options, start, filter, test, watch, parallel };
            let mut events = Vec::new();
            let mut report = query.run_fitted(&mut |event| {
                events.push(event);
                ControlFlow::Continue(())
            });
            query.list(&events, &mut report);
            report
        }))
    }

    /// Calls `visit` for every pair of features that do not share a vertex and whose volumes overlap during the step,
    /// for simulators with tests of their own. Each pair, a vertex and a face or two edges, is visited once.
    ///
    /// ```
    /// use firsttouch::deformable::Deformable;
    /// use glam::dvec3;
    /// let at = |z| vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.25, 0.25, z)];
    /// let mesh = Deformable::new(at(1.0), at(-1.0), vec![[0, 1, 2]], vec![], vec![3])?;
    /// let mut pairs = vec![];
    /// mesh.candidates(|pair| pairs.push(pair.map(|feature| feature.to_string())));
    /// assert_eq!(pairs[0], ["vertex 3", "face 0"]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn candidates(&self, visit: impl FnMut([Feature; 2])) {
        match &self.fitted {
            Fitted::One(fit) => self.candidates_of(fit, visit),
            Fitted::Three(fit) => self.candidates_of(fit, visit),
            Fitted::Four(fit) => self.candidates_of(fit, visit),
        }
    }

    /// Like [`candidates`](Deformable::candidates), for features that may come within `separation` of each other, for
    /// example to compute repulsion between close features.
    ///
    /// ```
    /// use firsttouch::deformable::Deformable;
    /// use glam::dvec3;
    /// // A point rests half a unit above a triangle.
    /// let at = vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.25, 0.25, 0.5)];
    /// let mesh = Deformable::new(at.clone(), at, vec![[0, 1, 2]], vec![], vec![3])?;
    /// let count = |separation: f64| {
    ///     let mut count = 0;
    ///     mesh.candidates_within(separation, |_| count += 1);
    ///     count
    /// };
    /// assert!(count(0.1) == 0 && count(0.6) > 0);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn candidates_within(&self, separation: f64, visit: impl FnMut([Feature; 2])) {
        let separation = if separation > 0.0 { separation.min(LARGEST_COORDINATE) } else { 0.0 };
        match &self.fitted {
            Fitted::One(_) => self.candidates_of(&self.fit::<1>(1.0, separation, false), visit),
            Fitted::Three(_) => self.candidates_of(&self.fit::<3>(1.0, separation, false), visit),
            Fitted::Four(_) => self.candidates_of(&self.fit::<4>(1.0, separation, false), visit),
        }
    }

    fn candidates_of<const N: usize>(&self, fit: &Fit<N>, mut visit: impl FnMut([Feature; 2])) {
        let tree = &self.tree;
        let mut near = NearFeatures::<N>::new();
        for a in 0..tree.leaves {
            leaves_near(
                fit,
                &Patches::none(),
                (1, a),
                &mut visit,
                |_| 1.0,
                |visit, b| {
                    near.pairs(
                        (tree, fit),
                        (a, b),
                        1.0,
                        visit,
                        |visit, v, f| {
                            if !tree.faces[f].vertices.contains(&(v as u32)) {
                                visit([Feature::Vertex(tree.vertex_id[v]), Feature::Face(tree.faces[f].id)]);
                            }
                        },
                        |visit, i, j| {
                            let (a, b) = (&tree.edges[i], &tree.edges[j]);
                            if !a.vertices.iter().any(|v| b.vertices.contains(v)) {
                                visit([Feature::Edge(a.id), Feature::Edge(b.id)]);
                            }
                        },
                    );
                },
            );
        }
    }

    /// Returns how far a simulator may advance: the largest time proven free, multiplied by `factor` if something
    /// touches after it. `factor` is clamped to `[0, 1]`. The result is below the first touch if `factor` is below 1.
    /// It is 0 if something touches at the start, and `t_max` if nothing touches.
    ///
    /// ```
    /// use firsttouch::Options;
    /// use firsttouch::deformable::{Deformable, Start};
    /// use glam::dvec3;
    /// let at = |z| vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.25, 0.25, z)];
    /// let mesh = Deformable::new(at(1.0), at(-1.0), vec![[0, 1, 2]], vec![], vec![3])?;
    /// let step = mesh.safe_step(&Options::default(), Start::Ignore, 0.8)?;
    /// assert!((step - 0.4).abs() < 1e-15);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn safe_step(&self, options: &Options, start: Start, factor: f64) -> Result<f64> {
        let options = Options { mode: Mode::First, ..*options };
        let factor = if factor > 0.0 { factor.min(1.0) } else { 0.0 }; // not a bound: NaN takes the other branch
        Ok(match self.check(&options, start)?.answer {
            Answer::Free => options.t_max,
            answer => answer.free_until(options.t_max) * factor,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    VertexFace,
    EdgeEdge,
}

/// A touch, or a pair whose budget ran out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    pub(super) time: f64,
    /// `None` if the pair is undecided.
    pub(super) contact: Option<Contact>,
    kind: Kind,
    /// The user's indices.
    ids: [u32; 2],
    /// The tree's indices, in the same order.
    own: [u32; 2],
}

impl Event {
    pub(super) fn order(&self, other: &Event) -> Ordering {
        // A touch at the start comes before one whose time is rounded to 0.
        let key = |e: &Event| (!e.at_start(), e.contact.is_none(), e.kind, e.ids);
        self.time.total_cmp(&other.time).then_with(|| key(self).cmp(&key(other)))
    }

    /// Returns whether the pair touches at time 0. A time of 0 may be the result of rounding; its upper bound is 0
    /// only if the time is exactly 0.
    fn at_start(&self) -> bool {
        self.contact.is_some_and(|contact| contact.toi_upper == 0.0)
    }

    fn features(&self) -> [Feature; 2] {
        match self.kind {
            Kind::VertexFace => [Feature::Vertex(self.ids[0]), Feature::Face(self.ids[1])],
            Kind::EdgeEdge => self.ids.map(Feature::Edge),
        }
    }
}

/// A pair that touches, or whose budget ran out.
#[derive(Clone, Copy)]
pub struct FoundPair<'a> {
    query: &'a Query<'a>,
    event: &'a Event,
}

impl FoundPair<'_> {
    /// Returns a vertex and a face, or two edges with the smaller index first.
    pub fn features(&self) -> [Feature; 2] {
        self.event.features()
    }

    /// Returns the time of the touch, or the time up to which an undecided pair is free.
    pub fn time(&self) -> f64 {
        self.event.time
    }

    /// Returns what is proven about the pair: a touch, at the start or later, or undecided.
    pub fn answer(&self) -> Answer {
        self.query.answer(self.event)
    }

    /// Returns the details of the touch; `None` if the budget of the pair ran out.
    pub fn touch(&self) -> Option<Touch> {
        self.event.contact.map(|contact| self.query.touch(self.event, &contact))
    }
}

impl std::fmt::Debug for FoundPair<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.event.fmt(f)
    }
}

pub(super) struct Query<'a> {
    pub(super) mesh: &'a Deformable,
    pub(super) options: &'a Options,
    start: Start,
    filter: PairFilter<'a>,
    test: FeatureTest,
    pub(super) watch: Watch,
    pub(super) parallel: bool,
}

/// Receives the events of mode `All`.
type Visit<'a> = &'a mut (dyn FnMut(Event) -> ControlFlow<()> + Send);

/// The result of a search in time.
pub(super) struct Found {
    /// The earliest event, or (mode `Any`) the first touch that was found.
    pub(super) event: Option<Event>,
    /// Nothing but the event touches before this time.
    pub(super) free_until: f64,
    /// Whether the search ended before everything was decided.
    pub(super) is_cut: bool,
}

/// A search that was ended before it had a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interrupted;

impl Query<'_> {
    fn run_fitted(&self, visit: Visit<'_>) -> DeformReport {
        match &self.mesh.fitted {
            Fitted::One(fit) => self.run(fit, visit),
            Fitted::Three(fit) => self.run(fit, visit),
            Fitted::Four(fit) => self.run(fit, visit),
        }
    }

    fn run<const N: usize>(&self, fit: &Fit<N>, visit: Visit<'_>) -> DeformReport {
        let Options { mode, t_max, min_separation, .. } = *self.options;
        let mut report = DeformReport {
            answer: Answer::Free,
            crossings_at_start: None,
            touches: vec![],
            undecided: vec![],
            vf_touching: 0,
            ee_touching: 0,
            stats: DeformStats::default(),
        };
        if self.start == Start::Report {
            match self.at_start::<N>(&mut report) {
                Ok(None) => {}
                Ok(Some(touch)) => {
                    report.answer = Answer::TouchingAtStart(touch);
                    if mode != Mode::All {
                        return report;
                    }
                }
                Err(Interrupted) => {
                    report.answer = Answer::Undecided { free_until: 0.0, bodies: [0, 0] };
                    return report;
                }
            }
        }
        let own;
        let fit = if t_max == 1.0 && min_separation == 0.0 {
            fit
        } else {
            own = self.mesh.fit(t_max, self.separation(), self.parallel);
            &own
        };
        let found = match mode {
            Mode::First | Mode::Any => temporal_culling::first(self, fit, &mut report.stats),
            Mode::All => self.all(fit, &mut report, visit),
        };
        if report.answer == Answer::Free {
            report.answer = self.answer_of(&found);
        }
        report
    }

    fn answer_of(&self, found: &Found) -> Answer {
        let any = self.options.mode == Mode::Any;
        let Found { event, free_until, is_cut } = found;
        let free_until = lower_or_zero(*free_until);
        match event.as_ref().map(|event| (event, self.answer(event))) {
            // Nothing is earlier than the start.
            Some((_, answer @ Answer::TouchingAtStart(_))) => answer,
            // The search ended with the first touch it found.
            Some((_, Answer::Touch(touch))) if any => {
                Answer::Touch(Touch { free_until: lower_min(free_until, touch.toi), ..touch })
            }
            Some((event, _)) if *is_cut => {
                Answer::Undecided { free_until: lower_min(free_until, event.time), bodies: [0, 0] }
            }
            None if *is_cut => Answer::Undecided { free_until, bodies: [0, 0] },
            None => Answer::Free,
            Some((_, answer)) => answer,
        }
    }

    /// Returns a touch at time 0, before anything else is checked. Mode `Any` must test all features at time 0,
    /// because it may otherwise end with a later touch. The other modes find them in any case.
    fn at_start<const N: usize>(
        &self,
        report: &mut DeformReport,
    ) -> std::result::Result<Option<Touch>, Interrupted> {
        if self.options.mode != Mode::Any {
            let (count, first) = crossings::at_start::<N>(self.mesh, self.filter, self.watch, self.parallel)?;
            report.crossings_at_start = count;
            return Ok(first);
        }
        let crossing = crossings::any_at_start::<N>(self.mesh, self.filter, self.watch, self.parallel)?;
        if crossing.is_some() {
            return Ok(crossing);
        }
        let options = &Options { mode: Mode::First, t_max: 0.0, ..*self.options };
        let query = Query { options, ..*self };
        let fit = self.mesh.fit::<N>(0.0, self.separation(), self.parallel);
        let Found { event, is_cut, .. } = temporal_culling::first(&query, &fit, &mut report.stats);
        let at_start = event.filter(Event::at_start);
        match at_start.and_then(|event| event.contact.map(|contact| self.touch(&event, &contact))) {
            None if is_cut => Err(Interrupted),
            touch => Ok(touch),
        }
    }

    /// Runs mode `All`, in rounds.
    fn all<const N: usize>(&self, fit: &Fit<N>, report: &mut DeformReport, visit: Visit<'_>) -> Found {
        let patches = self.patches(self.options.t_max, &mut report.stats);
        let leaves = self.mesh.tree.leaves;
        let mut begun = 0;
        let mut round: Vec<Piece> = Vec::new();
        let mut first: Option<Event> = None;
        loop {
            while round.len() < ROUND && begun < leaves {
                let end = (begun + PIECE).min(leaves);
                round.push(Piece { leaf: begun, end, done: 0 });
                begun = end;
            }
            if round.is_empty() {
                return Found { event: first, free_until: self.options.t_max, is_cut: false };
            }
            let found = threads::map(self.parallel, &round, |piece| {
                let mut search = Search::new(self, None);
                let rest = search.piece(fit, &patches, *piece);
                (search.events, search.stats, rest, search.is_cut)
            });
            round.clear();
            let (mut is_cut, mut is_enough) = (false, false);
            for (events, work, rest, was_cut) in found {
                report.stats += work;
                round.extend(rest);
                is_cut |= was_cut;
                for event in events {
                    if first.is_none_or(|first| event.order(&first).is_lt()) {
                        first = Some(event);
                    }
                    if !is_enough {
                        match (event.contact, event.kind) {
                            (None, _) => {}
                            (Some(_), Kind::VertexFace) => report.vf_touching += 1,
                            (Some(_), Kind::EdgeEdge) => report.ee_touching += 1,
                        }
                        is_enough = visit(event).is_break();
                    }
                }
            }
            if is_cut || is_enough {
                return Found { event: first, free_until: 0.0, is_cut: true };
            }
        }
    }

    /// Sorts the events of mode `All` into the report.
    fn list(&self, events: &[Event], report: &mut DeformReport) {
        // Keys are sorted instead of events, which are many times larger.
        let mut order: Vec<(Kind, [u32; 2], u32)> =
            events.iter().zip(0..).map(|(event, place)| (event.kind, event.ids, place)).collect();
        order.sort_unstable();
        let event = |&(_, _, place): &(Kind, [u32; 2], u32)| &events[place as usize];
        let undecided = order.iter().map(event).filter(|event| event.contact.is_none());
        report.undecided = undecided.map(|event| (event.features(), event.time)).collect();
        let touch = |key: &(Kind, [u32; 2], u32)| {
            let event = event(key);
            event.contact.map(|contact| self.touch(event, &contact))
        };
        if report.undecided.is_empty() {
            report.touches = threads::map(self.parallel, &order, touch).into_iter().flatten().collect();
        } else {
            report.touches = order.iter().filter_map(touch).collect();
        }
    }

    /// Returns the patches that cannot touch themselves in the window. With a `min_separation` nothing is proven
    /// about patches.
    pub(super) fn patches(&self, window: f64, stats: &mut DeformStats) -> Patches {
        if self.options.min_separation > 0.0 {
            return Patches::none();
        }
        let patches = self.mesh.patches(window, self.parallel);
        stats.patch_leaves = patches.leaves();
        patches
    }

    /// Returns the end of the time span that still matters.
    pub(super) fn window(&self, best: &Option<Event>) -> f64 {
        let t_max = self.options.t_max;
        match best {
            Some(event) if self.options.mode == Mode::First => (event.time + EARLY).min(t_max),
            _ => t_max,
        }
    }

    /// Returns the distance beyond which a pair is dropped: the largest distance at which the elementary test may
    /// report a touch.
    pub(super) fn separation(&self) -> f64 {
        let Options { min_separation, tolerance, .. } = *self.options;
        if min_separation > 0.0 { min_separation + tolerance } else { 0.0 }
    }

    fn answer(&self, event: &Event) -> Answer {
        match &event.contact {
            None => Answer::Undecided { free_until: event.time, bodies: [0, 0] },
            Some(contact) => {
                let touch = self.touch(event, contact);
                if event.at_start() { Answer::TouchingAtStart(touch) } else { Answer::Touch(touch) }
            }
        }
    }

    fn touch(&self, event: &Event, contact: &Contact) -> Touch {
        let mesh = self.mesh;
        let tree = &mesh.tree;
        let [i, j] = event.own.map(|i| i as usize);
        let wanted = self.options.min_separation + self.options.tolerance;
        let (placed, carriers) = match event.kind {
            Kind::VertexFace => {
                let face = &tree.faces[j];
                let [a, b, c] = face.vertices;
                let at =
                    |frame: &[DVec3]| [frame[i], frame[a as usize], frame[b as usize], frame[c as usize]];
                let pair = VertexFace { t0: at(&mesh.t0), t1: at(&mesh.t1) };
                let placed = place(&pair, contact.toi, contact.parameters, wanted);
                (placed, [tree.vertex_carrier[i], face.id])
            }
            Kind::EdgeEdge => {
                let ([a, b], [c, d]) = (tree.edges[i].vertices, tree.edges[j].vertices);
                let at = |frame: &[DVec3]| {
                    [frame[a as usize], frame[b as usize], frame[c as usize], frame[d as usize]]
                };
                let pair = EdgeEdge { t0: at(&mesh.t0), t1: at(&mesh.t1) };
                let placed = place(&pair, contact.toi, contact.parameters, wanted);
                (placed, [tree.edge_carrier[i], tree.edge_carrier[j]])
            }
        };
        let part = |carrier: u32| match mesh.topology.carrier(carrier) {
            Carrier::Triangle(i) => Part::Triangle(i),
            Carrier::Edge(i) => Part::LooseEdge(i),
            Carrier::Point(i) => Part::LoosePoint(i),
        };
        Touch {
            toi: contact.toi,
            free_until: contact.toi,
            gap: placed.gap,
            bodies: [0, 0],
            parts: carriers.map(part),
            features: event.features(),
            points: placed.points,
            normal: contact.normal,
        }
    }
}

/// Leaves whose pairs remain to be visited. The first `done` partners of the first leaf are already visited.
#[derive(Debug, Clone, Copy)]
struct Piece {
    leaf: usize,
    end: usize,
    done: usize,
}

/// The work of one thread in a round.
pub(super) struct Search<'a, 'q> {
    pub(super) query: &'a Query<'q>,
    pub(super) window: f64,
    pub(super) best: Option<Event>,
    /// Pairs whose budget ran out are free up to this time.
    pub(super) undecided: f64,
    /// Whether an interrupt ended the search.
    pub(super) is_cut: bool,
    events: Vec<Event>,
    pub(super) stats: DeformStats,
    reach: Reach,
    /// Whether a step of local advancement comes before the exact test.
    advances: bool,
    params: Limits,
}

impl<'a, 'q> Search<'a, 'q> {
    pub(super) fn new(query: &'a Query<'q>, best: Option<Event>) -> Search<'a, 'q> {
        let options = query.options;
        let window = query.window(&best);
        Search {
            query,
            window,
            best,
            undecided: f64::INFINITY,
            is_cut: false,
            events: Vec::new(),
            stats: DeformStats::default(),
            reach: query.mesh.reach.with_separation(query.separation()),
            advances: query.mesh.settings.local_advancement
                && (options.mode != Mode::All || options.min_separation > 0.0),
            params: Limits { t_end: window, ..Limits::of_valid(options) },
        }
    }

    /// Tests the pairs of these leaves with themselves and with all later ones.
    pub(super) fn leaves<const N: usize>(&mut self, fit: &Fit<N>, patches: &Patches, leaves: &[u32]) {
        let mut near = NearFeatures::<N>::new();
        for &leaf in leaves {
            if self.window < 0.0 {
                return;
            }
            let leaf = leaf as usize;
            leaves_near(
                fit,
                patches,
                (1, leaf),
                self,
                |search| search.window,
                |search, other| search.pair(&mut near, fit, leaf, other),
            );
        }
    }

    /// Tests the pairs of a piece, in mode `All`. Returns the rest of the piece if it is interrupted.
    fn piece<const N: usize>(&mut self, fit: &Fit<N>, patches: &Patches, piece: Piece) -> Option<Piece> {
        let mut near = NearFeatures::<N>::new();
        let mut done = piece.done;
        for leaf in piece.leaf..piece.end {
            let mut visited = 0;
            leaves_near(
                fit,
                patches,
                (1, leaf),
                self,
                |search| if search.events.len() < FULL { search.window } else { -1.0 },
                |search, other| {
                    visited += 1;
                    // The traversal is the same as before, so partners come in the same order.
                    if visited > done {
                        search.pair(&mut near, fit, leaf, other);
                    }
                },
            );
            if self.is_cut {
                return None;
            }
            if self.events.len() >= FULL {
                return Some(Piece { leaf, done: visited, ..piece });
            }
            done = 0;
        }
        None
    }

    #[inline]
    pub(super) fn pair<const N: usize>(
        &mut self,
        near: &mut NearFeatures<N>,
        fit: &Fit<N>,
        a: usize,
        b: usize,
    ) {
        if self.query.watch.is_raised() {
            self.is_cut = true;
            self.window = -1.0;
            return;
        }
        self.stats.leaf_pairs += 1;
        let (limit, tree) = (self.window, &self.query.mesh.tree);
        near.pairs((tree, fit), (a, b), limit, self, Search::vertex_face, Search::edge_edge);
    }

    #[inline]
    fn vertex_face(&mut self, v: usize, f: usize) {
        let mesh = self.query.mesh;
        let [a, b, c] = mesh.tree.faces[f].vertices;
        let vertex = v as u32;
        if a == vertex || b == vertex || c == vertex {
            return;
        }
        self.stats.vf_candidates += 1;
        let at = |t: &[DVec3]| [t[v], t[a as usize], t[b as usize], t[c as usize]];
        let t0 = at(&mesh.t0);
        if self.advances && self.reach.vertex_face(&t0, || at(&mesh.t1), self.window) {
            return;
        }
        self.test_vertex_face(v, f, t0);
    }

    #[inline]
    fn edge_edge(&mut self, i: usize, j: usize) {
        let mesh = self.query.mesh;
        let ([a, b], [c, d]) = (mesh.tree.edges[i].vertices, mesh.tree.edges[j].vertices);
        if a == c || a == d || b == c || b == d {
            return;
        }
        self.stats.ee_candidates += 1;
        let at = |t: &[DVec3]| [t[a as usize], t[b as usize], t[c as usize], t[d as usize]];
        let t0 = at(&mesh.t0);
        if self.advances && self.reach.edge_edge(&t0, || at(&mesh.t1), self.window) {
            return;
        }
        self.test_edge_edge(i, j, t0);
    }

    #[inline(never)]
    fn test_vertex_face(&mut self, v: usize, f: usize, t0: [DVec3; 4]) {
        self.stats.vf_tested += 1;
        let mesh = self.query.mesh;
        let tree = &mesh.tree;
        let [a, b, c] = tree.faces[f].vertices.map(|i| mesh.t1[i as usize]);
        let q = VertexFace { t0, t1: [mesh.t1[v], a, b, c] };
        let ids = [tree.vertex_id[v], tree.faces[f].id];
        if !(self.query.filter)([Feature::Vertex(ids[0]), Feature::Face(ids[1])]) {
            return;
        }
        let test = self.query.test;
        self.settle(Kind::VertexFace, ids, [v as u32, f as u32], |p| match test {
            FeatureTest::Exact => elementary::vertex_face(&q, p).outcome,
            #[cfg(feature = "internals")]
            FeatureTest::Foreign(test) => (test.vertex_face)(&q, p),
        });
    }

    #[inline(never)]
    fn test_edge_edge(&mut self, i: usize, j: usize, t0: [DVec3; 4]) {
        self.stats.ee_tested += 1;
        let mesh = self.query.mesh;
        let tree = &mesh.tree;
        let (mut ids, mut own) = ([tree.edges[i].id, tree.edges[j].id], [i as u32, j as u32]);
        let ends = |edge: usize| tree.edges[edge].vertices.map(|i| mesh.t1[i as usize]);
        let ([a, b], [c, d]) = (ends(i), ends(j));
        let mut q = EdgeEdge { t0, t1: [a, b, c, d] };
        // The smaller index comes first, whatever the order in the tree.
        if ids[0] > ids[1] {
            ids.swap(0, 1);
            own.swap(0, 1);
            let swapped = |p: [DVec3; 4]| [p[2], p[3], p[0], p[1]];
            q = EdgeEdge { t0: swapped(q.t0), t1: swapped(q.t1) };
        }
        if !(self.query.filter)(ids.map(Feature::Edge)) {
            return;
        }
        let test = self.query.test;
        self.settle(Kind::EdgeEdge, ids, own, |p| match test {
            FeatureTest::Exact => elementary::edge_edge(&q, p).outcome,
            #[cfg(feature = "internals")]
            FeatureTest::Foreign(test) => (test.edge_edge)(&q, p),
        });
    }

    fn settle(
        &mut self,
        kind: Kind,
        ids: [u32; 2],
        own: [u32; 2],
        test: impl Fn(&Limits) -> Verdict<Contact>,
    ) {
        let mut outcome = test(&self.params);
        let t_max = self.query.options.t_max;
        if outcome != Verdict::Free && self.params.t_end != t_max {
            outcome = test(&Limits { t_end: t_max, ..self.params });
        }
        let event = match outcome {
            Verdict::Free => return,
            Verdict::Touch(contact) => {
                let event = Event { time: contact.toi, contact: Some(contact), kind, ids, own };
                if self.query.start == Start::Ignore && event.at_start() {
                    return;
                }
                event
            }
            Verdict::Undecided { free_until } => {
                self.undecided = lower_min(self.undecided, free_until);
                Event { time: free_until, contact: None, kind, ids, own }
            }
        };
        match self.query.options.mode {
            Mode::All => self.events.push(event),
            Mode::First => {
                if self.best.as_ref().is_none_or(|best| event.order(best).is_lt()) {
                    self.best = Some(event);
                    self.window = self.query.window(&self.best);
                    self.params.t_end = self.window;
                }
            }
            Mode::Any => {
                if event.contact.is_some() {
                    self.best = Some(event);
                    self.window = -1.0;
                    self.params.t_end = 0.0;
                } else if self.best.is_none_or(|best| event.order(&best).is_lt()) {
                    self.best = Some(event);
                }
            }
        }
    }
}
