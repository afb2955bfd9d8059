//! What `--clearance` and `--contacts` add to a page: the least distance over time as a curve, and all contacts at the touch.

use firsttouch::articulated::Checker;
use firsttouch::{Clearance, ContactPoint, Options, PathClearance, Scene};

use super::cast::Cast;
use super::document::{ShownClearance, ShownContact, ShownLeast, plain};
use crate::output::Failure;

/// In how many places a curve is sampled.
const SAMPLES: usize = 128;

/// The least distance in a scene over its time; none if there is no pair.
pub(crate) fn scene_clearance(
    scene: &Scene,
    cast: &Cast,
    options: &Options,
) -> Result<Option<ShownClearance>, Failure> {
    let Some(least) = scene.clearance(options)? else { return Ok(None) };
    let mut curve = Curve::new(0, least);
    curve.sample(0, SAMPLES, options.t_max, |t| scene.distance_at(t, options))?;
    Ok(Some(curve.shown(cast)))
}

/// The least distance along a path, in which segment k lasts from time k to time k + 1; none if nothing is checked.
pub(crate) fn path_clearance(
    checker: &Checker,
    path: &[Vec<f64>],
    cast: &Cast,
    options: &Options,
) -> Result<Option<ShownClearance>, Failure> {
    let Some(PathClearance { segment, clearance: least, .. }) = checker.clearance(path, options)? else {
        return Ok(None);
    };
    let spans = SAMPLES.div_ceil(path.len() - 1).max(4);
    let mut curve = Curve::new(segment, least);
    for (k, ends) in path.windows(2).enumerate() {
        let distance = |t| checker.distance_at(&ends[0], &ends[1], t, options);
        curve.sample(k, spans, options.t_max, distance)?;
    }
    Ok(Some(curve.shown(cast)))
}

/// Bounds of the least distance at sampled times of a run.
///
/// Each sample is an upper bound of the least distance too. If the search has spent its budget, a sample may be less than what it found: then the
/// sample is shown as the closest approach, so that the page does not contradict its own curve.
#[derive(Debug)]
struct Curve {
    shown: ShownClearance,
    /// The segment with the least distance.
    segment: usize,
    least: Clearance,
}

impl Curve {
    fn new(segment: usize, least: Clearance) -> Curve {
        Curve { shown: ShownClearance::default(), segment, least }
    }

    /// Adds even samples of a segment, and one at the closest approach if that is in it.
    fn sample(
        &mut self,
        segment: usize,
        spans: usize,
        length: f64,
        distance: impl Fn(f64) -> firsttouch::Result<Option<Clearance>>,
    ) -> Result<(), Failure> {
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

    fn shown(self, cast: &Cast) -> ShownClearance {
        let Curve { mut shown, segment, least } = self;
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

/// Contacts as the page shows them.
pub(crate) fn shown_contacts(contacts: &[ContactPoint]) -> Vec<ShownContact> {
    let shown = contacts.iter().map(|contact| ShownContact {
        points: contact.points.map(plain),
        normal: plain(contact.normal),
        gap: contact.gap,
        features: contact.features.map(|feature| feature.to_string()),
    });
    shown.collect()
}
