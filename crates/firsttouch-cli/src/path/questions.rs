//! The questions about each path besides its first touch: the least distance, the contacts, derivatives, and the
//! touches and times of overlap of each pair.

use firsttouch::articulated::{PathPair, Trajectory};
use firsttouch::ellipsoid::{Overlap, OverlapKind};
use firsttouch::{Ask, Control, Mode, Options};
use firsttouch_io::waypoint_weights;

use super::{PairJson, PathProgress, PathsJson, is_at_rest};
use crate::answer::AnswerJson;
use crate::args::{PathArgs, PathModeArg};
use crate::check::OverlapJson;
use crate::leg::{least, leg_of};
use crate::output::Failure;
use crate::questions::{ClearanceJson, ContactJson, GradientJson};
use crate::stop;

impl PathProgress {
    /// Adds the least distance along each path, and the contacts where it touches.
    pub(super) fn more_questions(
        &self,
        args: &PathArgs,
        options: &Options,
        summary: &mut PathsJson,
    ) -> Result<(), Failure> {
        for (index, (waypoints, path)) in self.paths.iter().zip(&mut summary.paths).enumerate() {
            let (trajectory, legs) = (self.trajectory(index), self.legs(index)?);
            if args.mode == PathModeArg::All {
                path.pairs = Some(self.pairs(index, options)?);
            }
            if args.questions.clearance {
                let found = least(&legs, options)?;
                path.further.clearance = Some(found.map(|(names, found)| {
                    ClearanceJson::new(&found.clearance, names).of_segment(found.segment)
                }));
            }
            if let (true, Some(segment), Some(_)) = (args.questions.gradient, path.segment, path.answer.toi) {
                let [from, to] = [&waypoints[segment], &waypoints[segment + 1]];
                path.further.gradient = match trajectory {
                    Some(trajectory) => self.gradient_along(index, trajectory, options)?,
                    None => self.checker.toi_gradient(from, to, options)?.map(GradientJson::from),
                };
            }
            if args.questions.contacts {
                let touch = path.segment.zip(path.answer.toi);
                let touch = touch.and_then(|(segment, toi)| Some((leg_of(&legs, segment)?, segment, toi)));
                path.further.contacts = Some(match touch {
                    Some((leg, segment, toi)) => {
                        let found = leg.contacts(segment, toi, options.into())?;
                        found.iter().map(|contact| ContactJson::new(contact, leg.checker)).collect()
                    }
                    None => Vec::new(),
                });
            }
        }
        Ok(())
    }

    /// Returns the derivatives of the time of the first touch by the waypoints of a smooth course.
    fn gradient_along(
        &self,
        path: usize,
        trajectory: &Trajectory,
        options: &Options,
    ) -> Result<Option<GradientJson>, Failure> {
        let Some(found) = self.checker.toi_gradient_along(trajectory, options)? else { return Ok(None) };
        let Some(interpolation) = self.interpolation else {
            return Ok(Some(GradientJson::of_course(found, None)));
        };
        let equal: Vec<f64> = (0..self.paths[path].len()).map(|k| k as f64).collect();
        let times = self.times[path].as_deref().unwrap_or(&equal);
        let [start, end] = [found.segment, found.segment + 1].map(|k| trajectory.knots()[k]);
        let weights = waypoint_weights(times, interpolation, start + (end - start) * found.toi)?;
        Ok(Some(GradientJson::of_course(found, Some(&weights))))
    }

    /// Returns the first touch of each pair along a path: the robot with itself, and with each obstacle.
    fn pairs(&self, path: usize, options: &Options) -> Result<Vec<PairJson>, Failure> {
        let interrupt = stop::interrupt();
        let control = Control { interrupt: Some(&interrupt), progress: None };
        let all = Options { mode: Mode::All, ..*options };
        let ask = Ask::from(&all).control(&control);
        let mut found: Vec<PairJson> = Vec::new();
        for leg in self.legs(path)? {
            for PathPair { segment, report, .. } in leg.check(ask, |_, _| ())?.by_pair {
                let answer = AnswerJson::new(&report.answer, leg.checker);
                // In an earlier leg the same pair has touched already.
                if found.iter().any(|known| known.answer.bodies == answer.bodies) {
                    continue;
                }
                let time = answer.toi.or(answer.free_until).and_then(|t| self.time(path, segment, t));
                let obstacle = report.bodies[1].checked_sub(1);
                let overlaps =
                    if self.has_grasps { None } else { self.overlaps(path, obstacle, options, &control)? };
                found.push(PairJson { segment, time, answer, overlaps });
            }
        }
        Ok(found)
    }

    /// Returns all times at which the robot touches an obstacle, or itself, along a path. `None` without a clock that
    /// obstacles and the robot share, and where the library has none: where an orientation changes.
    fn overlaps(
        &self,
        path: usize,
        obstacle: Option<usize>,
        options: &Options,
        control: &Control<'_>,
    ) -> Result<Option<Vec<OverlapJson>>, Failure> {
        let times = self.times[path].as_deref();
        let segments = self.answers[path].len() as f64;
        let equal: Vec<f64> = (0..self.paths[path].len()).map(|k| k as f64).collect();
        let (whole, [first, last]) = match (self.trajectory(path), times) {
            (Some(trajectory), Some(&[first, .., last])) => (Ok(trajectory.clone()), [first, last]),
            (Some(trajectory), _) => (Ok(trajectory.clone()), [0.0, segments]),
            (None, _) if !self.checker.obstacles().all(is_at_rest) => return Ok(None),
            (None, times) => {
                let on = times.unwrap_or(&equal);
                let whole = Trajectory::linear(self.checker.robot(), on, &self.paths[path]);
                (whole, [on[0], on[on.len() - 1]])
            }
        };
        let found = whole.and_then(|whole| {
            let ends = [whole.span(0)[0], whole.span(whole.segments() - 1)[1]];
            Ok((ends, self.checker.overlaps_along(&whole, obstacle, Ask::from(options).control(control))?))
        });
        let ([start, end], found) = match found {
            Err(firsttouch::Error::Unsupported { .. }) => return Ok(None),
            found => found?,
        };
        // The clock runs from 0 to 1, of which the path may take a part: before it and after it the robot waits, and
        // that is no part of the path.
        let time = |t: f64| first + (last - first) * ((t - start) / (end - start));
        // A few roundings, outwards.
        let off = 16.0 * f64::EPSILON * (first.abs() + last.abs());
        let shown = |overlap: &Overlap| OverlapJson {
            from: if overlap.start[0] <= start { first } else { first.max(time(overlap.start[0]) - off) },
            to: if overlap.end[1] >= end { last } else { last.min(time(overlap.end[1]) + off) },
            certain: overlap.kind == OverlapKind::Overlap,
        };
        let is_on_path = |overlap: &&Overlap| overlap.start[0] <= end && overlap.end[1] >= start;
        Ok(Some(found.iter().filter(is_on_path).map(shown).collect()))
    }
}
