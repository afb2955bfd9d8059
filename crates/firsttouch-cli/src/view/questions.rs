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
    let mut curve = Curve::default();
    curve.sample(0.0, SAMPLES, options.t_max, Some(least.t), |t| scene.distance_at(t, options))?;
    Ok(Some(curve.shown(0, &least, cast)))
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
    let mut curve = Curve::default();
    for (k, ends) in path.windows(2).enumerate() {
        let exact = (k == segment).then_some(least.t);
        let distance = |t| checker.distance_at(&ends[0], &ends[1], t, options);
        curve.sample(k as f64, spans, options.t_max, exact, distance)?;
    }
    Ok(Some(curve.shown(segment, &least, cast)))
}

/// Bounds of the least distance at sampled times of a run.
#[derive(Debug, Default)]
struct Curve(ShownClearance);

impl Curve {
    /// Adds even samples of a window that begins at `from`, and one at `exact`.
    fn sample(
        &mut self,
        from: f64,
        spans: usize,
        length: f64,
        exact: Option<f64>,
        distance: impl Fn(f64) -> firsttouch::Result<Option<Clearance>>,
    ) -> Result<(), Failure> {
        let mut times: Vec<f64> = (0..=spans).map(|k| length * (k as f64 / spans as f64)).collect();
        times.extend(exact);
        times.sort_by(f64::total_cmp);
        times.dedup();
        for t in times {
            let Some(Clearance { lower, upper, .. }) = distance(t)? else { continue };
            self.0.times.push(from + t);
            self.0.lower.push(lower);
            self.0.upper.push(upper);
        }
        Ok(())
    }

    fn shown(self, segment: usize, least: &Clearance, cast: &Cast) -> ShownClearance {
        let mut shown = self.0;
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
