//! Queries of a deforming mesh: its first touch, any touch, or the first touch of every pair.
//!
//! **Problem.** For all vertex/face and edge/edge pairs of the mesh that do not share a vertex, find the first touch,
//! and all pairs that touch.
//!
//! 1. A pair of leaves of the tree yields candidates, unless both leaves are in one patch that cannot touch itself
//!    (`normal_cones`, computed for the window). `search` decides them one by one.
//! 2. **First.** All tests cover only `[0, window]`, where the window ends at the earliest known touch
//!    (`temporal_culling`).
//! 3. **Any** does the same as **First** for the beginning of the step ([`BEGINNING`]), so that a touch at time 0 is
//!    never missed and some time is proven free. Then it searches the whole step, but ends with the first round that
//!    finds a touch. The time proven free is the beginning, or the bound of the earliest pair of nodes whose search did
//!    not finish.
//! 4. **All** visits all leaves, in rounds of bounded memory (`enumeration`). Its answer is that of **First**.
//!
//! An interrupt is polled at every pair of leaves, and ends each mode with its current proof.
//!
//! **Guarantee.** No touch is missed and none is late; the set of touching pairs is exact (`min_separation` 0).
//!
//! The answer is the same for any number of threads: the division of the work is fixed. Each touch is decided again
//! over the whole step, which makes its time independent of the window in which it was found. The earliest touch is
//! the smallest by (time, features). A reported time may be 2^-50 before the exact one, so the window extends 2^-49
//! past the earliest: a pair that could be reported as early is never dropped.
//!
//! Reference: Tang, Kim and Manocha 2010, Sec. VI (global and per-triangle times of contact).

use crate::answer::{Answer, Touch};
use crate::control::{OnProgress, Watch};
use crate::numerics::bound::{lower_min, lower_or_zero};
use crate::options::{Mode, Options};

use super::check::PairFilter;
use super::crossings;
use super::derived::Derived;
use super::enumeration::Visit;
use super::event::Event;
use super::fit::Fit;
use super::mesh::Deformable;
use super::normal_cones::Patches;
use super::report::{DeformReport, DeformStats, Start};
use super::search::FeatureTest;
use super::temporal_culling;
use super::volume::Groups;

/// The length by which the window extends past the earliest known touch. A reported time is never more than 2^-50
/// before the exact one; this is twice that.
pub(super) const EARLY: f64 = 1.0 / (1u64 << 49) as f64;

/// The part of the step that mode `Any` searches completely, and in which mode `First` searches first. A larger part
/// proves more and costs more. In such a short part, volumes need no lower layer ([`Deformable::fit`]), and the search
/// costs about as much as a search at time 0.
pub(super) const BEGINNING: f64 = 1.0 / 64.0;

pub(super) struct Query<'a> {
    pub(super) mesh: &'a Deformable,
    pub(super) options: &'a Options,
    pub(super) start: Start,
    pub(super) filter: Option<PairFilter<'a>>,
    pub(super) test: FeatureTest,
    pub(super) watch: Watch,
    pub(super) progress: Option<OnProgress<'a>>,
    pub(super) parallel: bool,
    /// The end of the search. Its findings are decided over the whole step.
    pub(super) until: f64,
}

/// The result of a search in time.
pub(super) struct Found {
    /// The earliest event, or (mode `Any`) the first touch found.
    pub(super) event: Option<Event>,
    /// The time before which only the event touches.
    pub(super) free_until: f64,
    /// True if the search ended before all pairs were decided.
    pub(super) is_cut: bool,
}

/// The result of the search of the beginning of the step.
enum Beginning {
    /// The answer of the query, or in mode `All` of its beginning.
    Touches(Answer),
    /// The time before which there is no touch.
    FreeUntil(f64),
}

/// The error of a search that ended before it had a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interrupted;

impl Query<'_> {
    pub(super) fn run_fitted(&self, visit: Visit<'_>) -> DeformReport {
        let Deformable { fitted, beginning, .. } = self.mesh;
        match self.mesh.settings.dop.groups() {
            Groups::One => self.run((&fitted.one, &beginning.one), visit),
            Groups::Three => self.run((&fitted.three, &beginning.three), visit),
            Groups::Four => self.run((&fitted.four, &beginning.four), visit),
        }
    }

    fn run<const N: usize>(
        &self,
        (known, early): (&Derived<Fit<N>>, &Derived<Fit<N>>),
        visit: Visit<'_>,
    ) -> DeformReport {
        let Options { mode, t_max, min_separation, .. } = *self.options;
        let mut report = DeformReport {
            answer: Answer::Free,
            crossings_at_start: None,
            touches: vec![],
            undecided: vec![],
            vf_touching: 0,
            ee_touching: 0,
            ignored_at_start: None,
            stats: DeformStats::default(),
        };
        let mut beginning = 0.0;
        if self.start == Start::Report {
            match self.beginning(early, &mut report) {
                Ok(Beginning::FreeUntil(t)) => beginning = t,
                Ok(Beginning::Touches(answer)) => {
                    report.answer = answer;
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
        let own = Derived::new();
        let whole = || {
            if t_max == 1.0 && min_separation == 0.0 {
                self.mesh.whole_step(known, self.parallel)
            } else {
                own.get(|| self.mesh.fit(t_max, self.separation(), self.parallel))
            }
        };
        let mut found = match mode {
            Mode::First | Mode::Any => temporal_culling::first(self, early, whole, &mut report.stats),
            Mode::All => {
                let found = self.all(whole(), &mut report, visit);
                self.earliest_of_all((early, whole()), found, &mut report.stats)
            }
        };
        if beginning > found.free_until {
            found.free_until = beginning;
        }
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
            // A touch at the start is the earliest possible.
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

    /// Returns the answer of mode `All`. If the earliest event is a pair whose budget ran out, mode `First` may prove
    /// more: in its shorter window a volume or a step of local advancement often proves that pair free. Its answer also
    /// holds here, so both modes answer the same.
    fn earliest_of_all<const N: usize>(
        &self,
        (early, fit): (&Derived<Fit<N>>, &Fit<N>),
        found: Found,
        stats: &mut DeformStats,
    ) -> Found {
        if found.is_cut || found.event.is_none_or(|event| event.contact.is_some()) {
            return found;
        }
        let options = &Options { mode: Mode::First, ..*self.options };
        let first = temporal_culling::first(&Query { options, ..*self }, early, || fit, stats);
        if first.is_cut { found } else { first }
    }

    /// Searches the beginning of the step: the crossings at time 0 and, in mode `Any`, all pairs of features from time
    /// 0 to the end of the beginning. The other modes find these touches in any case.
    fn beginning<const N: usize>(
        &self,
        early: &Derived<Fit<N>>,
        report: &mut DeformReport,
    ) -> std::result::Result<Beginning, Interrupted> {
        let at_start = |touch: Touch| Beginning::Touches(Answer::TouchingAtStart(touch));
        if self.options.mode != Mode::Any {
            let (count, first) = crossings::at_start::<N>(self.mesh, self.filter, self.watch, self.parallel)?;
            report.crossings_at_start = count;
            return Ok(first.map_or(Beginning::FreeUntil(0.0), at_start));
        }
        let crossing = crossings::any_at_start::<N>(self.mesh, self.filter, self.watch, self.parallel)?;
        if let Some(touch) = crossing {
            return Ok(at_start(touch));
        }
        let Options { t_max, min_separation, .. } = *self.options;
        // With a `min_separation` a budget may end, and a longer search may prove less than a shorter one.
        let until = if min_separation > 0.0 { 0.0 } else { BEGINNING * t_max };
        let options = &Options { mode: Mode::First, ..*self.options };
        let query = Query { options, until, ..*self };
        let own = Derived::new();
        let fit = || {
            if until == BEGINNING && self.mesh.looks_early() {
                self.mesh.beginning_of_step(early, self.parallel)
            } else {
                own.get(|| self.mesh.fit(until, self.separation(), self.parallel))
            }
        };
        let Found { event, is_cut, .. } = temporal_culling::first(&query, early, fit, &mut report.stats);
        match event.filter(|event| event.contact.is_some()) {
            Some(event) if event.at_start() || !is_cut => Ok(Beginning::Touches(self.answer(&event))),
            _ if is_cut => Err(Interrupted),
            // The time that is reported for a later touch may be slightly before the exact one.
            _ => Ok(Beginning::FreeUntil(lower_or_zero(until - EARLY))),
        }
    }

    /// Returns the patches that cannot touch themselves in the window. With a `min_separation` there are no proofs of
    /// patches.
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
        match best {
            Some(event) if self.options.mode == Mode::First => (event.time + EARLY).min(self.until),
            _ => self.until,
        }
    }

    /// Returns the distance beyond which a pair is dropped: the largest distance at which the elementary test may
    /// report a touch.
    pub(super) fn separation(&self) -> f64 {
        let Options { min_separation, tolerance, .. } = *self.options;
        if min_separation > 0.0 { min_separation + tolerance } else { 0.0 }
    }
}
