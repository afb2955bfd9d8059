//! A path of a robot in legs: parts during which the robot holds the same things, each of which is one question to one
//! checker.
//!
//! A path on which nothing is taken up is one leg. Segments are counted over the whole path.

use std::ops::Range;

use firsttouch::articulated::{Checker, PathPair, PathReport, Phase, SegmentDone, Trajectory};
use firsttouch::{Answer, Ask, Clearance, ContactPoint, Options, PathClearance, Result};

/// A leg of a path.
pub(crate) struct Leg<'a> {
    pub(crate) segments: Range<usize>,
    /// The checker of this leg: the robot with the bodies that it holds, among all other bodies.
    pub(crate) checker: &'a Checker,
    waypoints: &'a [Vec<f64>],
    /// The leg over time, if the joints do not move at constant rates or something else moves as well.
    trajectory: Option<Trajectory>,
}

impl<'a> Leg<'a> {
    /// Returns the legs of a path, in order.
    pub(crate) fn of_path(
        path: &'a [Vec<f64>],
        trajectory: Option<&Trajectory>,
        phases: &'a [Phase],
    ) -> Result<Vec<Leg<'a>>> {
        let leg = |Phase { segments, checker, .. }: &'a Phase| {
            Ok(Leg {
                segments: segments.clone(),
                checker,
                waypoints: &path[segments.start..=segments.end],
                trajectory: trajectory.map(|whole| whole.part(segments.clone())).transpose()?,
            })
        };
        phases.iter().map(leg).collect()
    }

    /// Returns the first touch; `each` is called for every segment, as by `Checker::check_paths`.
    pub(crate) fn check(
        &self,
        ask: Ask<'_>,
        each: impl Fn(usize, Option<&Answer>) + Sync + Send,
    ) -> Result<PathReport> {
        let each = |done: SegmentDone<'_>| each(self.segments.start + done.segment, done.answer);
        let mut report = match &self.trajectory {
            Some(trajectory) => self.checker.check_trajectory(trajectory, ask, each)?,
            None => self.checker.check_path(self.waypoints, ask, each)?,
        };
        let by_pair = report.by_pair.iter_mut().map(|PathPair { segment, .. }| segment);
        report.segment.iter_mut().chain(by_pair).for_each(|segment| *segment += self.segments.start);
        Ok(report)
    }

    /// Returns the least distance.
    fn clearance(&self, ask: Ask<'_>) -> Result<Option<PathClearance>> {
        let mut found = match &self.trajectory {
            Some(trajectory) => self.checker.clearance_along(trajectory, ask)?,
            None => self.checker.clearance(self.waypoints, ask)?,
        };
        found.iter_mut().for_each(|found| found.segment += self.segments.start);
        Ok(found)
    }

    /// Returns the least distance at a time within a segment.
    pub(crate) fn distance_at(&self, segment: usize, t: f64, ask: Ask<'_>) -> Result<Option<Clearance>> {
        let own = segment - self.segments.start;
        match &self.trajectory {
            Some(trajectory) => self.checker.distance_along(trajectory, own, t, ask),
            None => self.checker.distance_at(&self.waypoints[own], &self.waypoints[own + 1], t, ask),
        }
    }

    /// Returns all contacts at a time within a segment.
    pub(crate) fn contacts(&self, segment: usize, t: f64, ask: Ask<'_>) -> Result<Vec<ContactPoint>> {
        let own = segment - self.segments.start;
        match &self.trajectory {
            Some(trajectory) => self.checker.contacts_along(trajectory, own, t, ask),
            None => self.checker.contacts(&self.waypoints[own], &self.waypoints[own + 1], t, ask),
        }
    }
}

/// Returns the leg of a segment.
pub(crate) fn leg_of<'l, 'a>(legs: &'l [Leg<'a>], segment: usize) -> Option<&'l Leg<'a>> {
    legs.iter().find(|leg| leg.segments.contains(&segment))
}

/// Returns the least distance along all legs, and the checker of the leg that has it.
pub(crate) fn least<'a>(legs: &[Leg<'a>], options: &Options) -> Result<Option<(&'a Checker, PathClearance)>> {
    let mut least: Option<(&Checker, PathClearance)> = None;
    for leg in legs {
        let Some(found) = leg.clearance(options.into())? else { continue };
        least = Some(match least {
            None => (leg.checker, found),
            Some((checker, known)) => {
                let nearer =
                    if found.clearance.upper < known.clearance.upper { leg.checker } else { checker };
                (nearer, known.nearer(found, options.tolerance))
            }
        });
    }
    Ok(least)
}
