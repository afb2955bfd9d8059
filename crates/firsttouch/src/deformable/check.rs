//! The queries of a deforming mesh: its first touch, any touch, the first touch of every pair, and a safe step.
//!
//! Each method here validates the options, chooses the threads and runs a `query`.

use std::ops::ControlFlow;

use crate::answer::{Answer, Feature};
use crate::control::{Control, Watch};
use crate::error::Result;
use crate::options::{Mode, Options};

use super::event::FoundPair;
use super::mesh::Deformable;
use super::query::Query;
use super::report::{DeformReport, Start};
use super::search::FeatureTest;
#[cfg(feature = "internals")]
use super::search::ForeignTest;
use crate::parallel::with_threads;

/// A filter that returns true if a pair of features must be checked: a vertex and a face, or two edges.
pub type PairFilter<'a> = &'a (dyn Fn([Feature; 2]) -> bool + Sync);

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
        self.check_watched(options, start, Watch::NONE)
    }

    /// Like [`check`](Deformable::check), for the pairs of features that the filter accepts. For crossings at the
    /// start, the filter receives an edge and a face.
    pub fn check_filtered(
        &self,
        options: &Options,
        start: Start,
        filter: PairFilter<'_>,
    ) -> Result<DeformReport> {
        // The filter identifies edges by their numbers.
        self.edge_numbers();
        self.check_by_test(options, start, Some(filter), FeatureTest::Exact, Watch::NONE)
    }

    /// Like [`check`](Deformable::check), under the control of the caller, who may end it early. An interrupted check
    /// returns [`Answer::Undecided`], with the time that it has proven free, unless there is a touch at the start. In
    /// mode `All` it then lists no touches, because describing many takes long; [`check_all`](Deformable::check_all)
    /// passes on each touch when it is found.
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

    /// Like [`check`](Deformable::check), for a caller that may itself be interrupted.
    pub(crate) fn check_watched(
        &self,
        options: &Options,
        start: Start,
        watch: Watch,
    ) -> Result<DeformReport> {
        self.check_by_test(options, start, None, FeatureTest::Exact, watch)
    }

    /// Runs mode `All` without a list: calls `sink` for every touching pair once it is proven and, with a
    /// `min_separation`, for every pair whose budget ran out, until it breaks. Memory is bounded for any number of
    /// touching pairs. The order is the same for any number of threads but otherwise unspecified. The report has the
    /// counts and the earliest touch. [`Control::progress`] is called after each round with the number of finished
    /// leaves of the hierarchy, and the number of all leaves. If the sink or an interrupt ends the search, the counts
    /// include only the pairs found until then, and the answer is [`Answer::Undecided`], unless there is a touch at the
    /// start.
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
            let (until, progress) = (options.t_max, control.progress);
            let query =
                Query { mesh: self, options, start, filter: None, test, watch, progress, parallel, until };
            query.run_fitted(&mut |event| sink(FoundPair { query: &query, event: &event }))
        }))
    }

    /// Like [`check`](Deformable::check), with other tests of features for comparison. These prove nothing.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn check_by(&self, options: &Options, start: Start, test: ForeignTest) -> Result<DeformReport> {
        self.check_by_test(options, start, None, FeatureTest::Foreign(test), Watch::NONE)
    }

    fn check_by_test(
        &self,
        options: &Options,
        start: Start,
        filter: Option<PairFilter<'_>>,
        test: FeatureTest,
        watch: Watch,
    ) -> Result<DeformReport> {
        options.validate()?;
        Ok(with_threads(options.threads, |parallel| {
            let (until, progress) = (options.t_max, None);
            let query = Query { mesh: self, options, start, filter, test, watch, progress, parallel, until };
            let mut events = Vec::new();
            let mut report = query.run_fitted(&mut |event| {
                events.push(event);
                ControlFlow::Continue(())
            });
            query.list(&events, &mut report);
            if watch.is_raised() && !events.is_empty() {
                // The lists are not complete, and the answer must show that.
                (report.touches, report.undecided) = (vec![], vec![]);
                if !matches!(report.answer, Answer::TouchingAtStart(_)) {
                    let free_until = report.answer.free_until(options.t_max);
                    report.answer = Answer::Undecided { free_until, bodies: [0, 0] };
                }
            }
            report
        }))
    }

    /// Returns the time up to which a simulator may advance: the largest time proven free, multiplied by `factor` if
    /// there is a touch after it. `factor` is clamped to `[0, 1]`. The result is below the first touch if `factor` is
    /// below 1. It is 0 if there is a touch at the start, and `t_max` if there is no touch.
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
