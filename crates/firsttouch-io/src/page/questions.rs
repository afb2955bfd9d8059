//! The least distance over time as a curve, and all contacts at the touch: extras of a page beside the answer.

use firsttouch::{Clearance, ContactPoint, Options, PathClearance, Result, Scene};

use super::cast::Cast;
use super::document::{ShownClearance, ShownContact, ShownLeast, plain};

/// The number of times at which a curve is sampled.
const SAMPLES: usize = 128;

/// The least distance over the time of a run: the closest approach, and bounds at sampled times.
///
/// Each sample is also an upper bound of the least distance. If the search has spent its budget, a sample may be below
/// its result. Then the sample is shown as the closest approach, so that the page does not contradict its own curve.
#[derive(Debug)]
pub struct ClearanceCurve {
    shown: ShownClearance,
    /// The segment with the least distance.
    segment: usize,
    least: Clearance,
}

impl ClearanceCurve {
    /// Computes the least distance in a scene over its time. Returns `None` if there is no pair.
    pub fn of_scene(scene: &Scene, options: &Options) -> Result<Option<ClearanceCurve>> {
        let Some(least) = scene.clearance(options)? else { return Ok(None) };
        let mut curve = ClearanceCurve::new(0, least);
        curve.sample(0, SAMPLES, options.t_max, |t| scene.distance_at(t, options))?;
        Ok(Some(curve))
    }

    /// Samples the least distance along a path whose closest approach is known. Segment k lasts from time k to time
    /// k + 1; `distance` takes a segment and a time in it, up to `length`.
    pub fn of_path(
        found: PathClearance,
        segments: usize,
        length: f64,
        distance: impl Fn(usize, f64) -> Result<Option<Clearance>>,
    ) -> Result<ClearanceCurve> {
        let spans = SAMPLES.div_ceil(segments).max(4);
        let mut curve = ClearanceCurve::new(found.segment, found.clearance);
        for k in 0..segments {
            curve.sample(k, spans, length, |t| distance(k, t))?;
        }
        Ok(curve)
    }

    fn new(segment: usize, least: Clearance) -> ClearanceCurve {
        ClearanceCurve { shown: ShownClearance::default(), segment, least }
    }

    /// Adds even samples of a segment, and one at the closest approach if that is in it.
    fn sample(
        &mut self,
        segment: usize,
        spans: usize,
        length: f64,
        distance: impl Fn(f64) -> Result<Option<Clearance>>,
    ) -> Result<()> {
        let mut times: Vec<f64> = (0..=spans).map(|k| length * (k as f64 / spans as f64)).collect();
        times.extend((segment == self.segment).then_some(self.least.t));
        times.sort_by(f64::total_cmp);
        times.dedup();
        for t in times {
            let Some(sample) = distance(t)? else { continue };
            self.shown.times.push(segment as f64 + t);
            self.shown.lower.push(sample.lower);
            self.shown.upper.push(sample.upper);
            if sample.upper < self.least.upper && !self.least.is_tight {
                let lower = self.least.lower.min(sample.lower);
                self.segment = segment;
                self.least = sample;
                (self.least.lower, self.least.is_tight) = (lower, false);
            }
        }
        Ok(())
    }

    /// Returns the segment with the least distance.
    pub(super) fn segment(&self) -> usize {
        self.segment
    }

    pub(super) fn shown(self, cast: &Cast) -> ShownClearance {
        let ClearanceCurve { mut shown, segment, least } = self;
        shown.times.iter_mut().for_each(|time| *time *= cast.duration);
        shown.least = Some(ShownLeast {
            time: (segment as f64 + least.t) * cast.duration,
            lower: least.lower,
            upper: least.upper,
            bodies: cast.indices(least.bodies, &least.parts),
            points: least.points.map(plain),
        });
        shown
    }
}

/// Returns contacts as the page shows them.
pub(super) fn shown_contacts(contacts: &[ContactPoint]) -> Vec<ShownContact> {
    let shown = contacts.iter().map(|contact| ShownContact {
        points: contact.points.map(plain),
        normal: plain(contact.normal),
        gap: contact.gap,
        features: contact.features.map(|feature| feature.to_string()),
    });
    shown.collect()
}
