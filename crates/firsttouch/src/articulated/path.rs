//! Many steps at once: whole paths, and batches of edges, on the number of threads that the options set.
//!
//! A path is free if every segment is. Segments after the first one that is not free are not checked. The set of
//! skipped segments depends on the threads, but the answer does not: a segment is skipped only if an earlier one of the
//! same path is not free, and the earliest segment that is not free is reported.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::checker::{Checker, StepReport};
use crate::answer::Answer;
use crate::ask::Ask;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::options::{Mode, Options};
use crate::parallel::Workers;
use crate::world::PairReport;

/// Returns the number of segments of a path. A single waypoint is one segment, because a robot at rest may touch
/// something.
pub(super) fn segments_of(waypoints: usize) -> Result<usize> {
    match waypoints {
        0 => Err(Error::Empty { what: "path".into() }),
        1 => Ok(1),
        _ => Ok(waypoints - 1),
    }
}

/// Returns the ends of a segment.
pub(super) fn segment(waypoints: &[Vec<f64>], index: usize) -> [&[f64]; 2] {
    let last = if index + 1 < waypoints.len() { index + 1 } else { index };
    [&waypoints[index], &waypoints[last]]
}

/// The result for a path.
///
/// ```
/// # use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
/// # use firsttouch::motion::{Motion, Pose};
/// # use firsttouch::shape::Sphere;
/// # use firsttouch::{Answer, Body, Options};
/// # use glam::DVec3;
/// # let slide = Joint {
/// #     name: "slide".into(),
/// #     parent: "rail".into(),
/// #     child: "ball".into(),
/// #     origin: Pose::IDENTITY,
/// #     kind: JointKind::Prismatic { axis: DVec3::X },
/// #     limits: None,
/// #     mimic: None,
/// # };
/// # let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
/// # let robot = Robot::new("slider", vec![("rail".into(), vec![]), ("ball".into(), vec![ball])], vec![slide])?;
/// # let at = |x: f64| Pose::from_translation(DVec3::X * x);
/// # let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(at(10.0)?));
/// # let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
/// // A ball of radius 1 on a rail along x, and another at rest at x = 10.
/// let report = checker.check_path(&[vec![0.0], vec![4.0], vec![12.0]], &Options::default(), |_| ())?;
/// assert_eq!((report.segments, report.segment), (2, Some(1))); // between x = 4 and x = 12
/// assert!(matches!(report.answer, Answer::Touch(touch) if (touch.toi - 0.5).abs() < 1e-6));
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PathReport {
    /// The first segment that is not free, counted from 0; `None` if all are free.
    pub segment: Option<usize>,
    /// The answer of that segment, in its own time: 0 at its first waypoint, 1 at its second. [`Answer::Free`] if all
    /// are free.
    pub answer: Answer,
    /// The number of segments.
    pub segments: usize,
    /// The number of segments that were checked. With several threads this may differ from run to run; nothing else
    /// does.
    pub checked: usize,
    /// With [`Mode::All`], the first touch of every pair of bodies that is not free, in the order of the bodies. After
    /// an interrupt the list goes as far as the first segment that was not checked to its end.
    pub by_pair: Vec<PathPair>,
}

/// The first touch of one pair of bodies along a path.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PathPair {
    /// The first segment in which the pair is not free, counted from 0.
    pub segment: usize,
    /// The answer of that segment for the pair, in the segment's own time.
    pub report: PairReport,
}

/// The result for one segment of a path, passed to the progress callback.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SegmentDone<'a> {
    /// The index of the path.
    pub path: usize,
    /// The index of the segment in its path.
    pub segment: usize,
    /// The answer; `None` if the segment was skipped because an earlier segment of its path is not free.
    pub answer: Option<&'a Answer>,
}

impl Checker {
    /// Finds the first touch along a path through waypoints, every joint moving at a constant rate from one waypoint to
    /// the next. The `t_max` of the options applies to each segment. A single waypoint is one segment, in which the
    /// robot rests; a path without waypoints is an error.
    ///
    /// With [`Mode::All`] all segments are checked, and the report has the first touch of every pair of bodies
    /// ([`PathReport::by_pair`]).
    ///
    /// `progress` is called once per segment, when it is done, from any thread. Use it for a progress bar, or to keep
    /// the answers that are known when the work is stopped.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Body, Options};
    /// # use glam::DVec3;
    /// # let slide = Joint {
    /// #     name: "slide".into(),
    /// #     parent: "rail".into(),
    /// #     child: "ball".into(),
    /// #     origin: Pose::IDENTITY,
    /// #     kind: JointKind::Prismatic { axis: DVec3::X },
    /// #     limits: None,
    /// #     mimic: None,
    /// # };
    /// # let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// # let robot = Robot::new("slider", vec![("rail".into(), vec![]), ("ball".into(), vec![ball])], vec![slide])?;
    /// # let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 10.0)?));
    /// // A ball of radius 1 on a rail along x, and a post of radius 1 at x = 10: they touch at x = 8.
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// let path = [vec![0.0], vec![4.0], vec![12.0], vec![0.0]];
    /// let report = checker.check_path(&path, &Options::default(), |_| ())?;
    /// assert_eq!(report.segment, Some(1));
    /// let toi = report.answer.touch().unwrap().toi;
    /// assert!(toi <= 0.5 && toi > 0.5 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn check_path<'a>(
        &self,
        waypoints: &[Vec<f64>],
        ask: impl Into<Ask<'a>>,
        progress: impl Fn(SegmentDone<'_>) + Sync + Send,
    ) -> Result<PathReport> {
        let mut reports = self.check_paths(&[waypoints], ask, progress)?;
        reports.pop().ok_or_else(|| Error::Empty { what: "list of paths".into() })
    }

    /// Like [`Checker::check_path`], for several paths at once: threads are shared by the segments of all of them.
    pub fn check_paths<'a, P: AsRef<[Vec<f64>]>>(
        &self,
        paths: &[P],
        ask: impl Into<Ask<'a>>,
        progress: impl Fn(SegmentDone<'_>) + Sync + Send,
    ) -> Result<Vec<PathReport>> {
        let (checker, ask) = &self.asked(ask.into(), "a check of a path")?;
        let Ask { options, control, .. } = ask;
        options.validate_reporting_start("a check of a path")?;
        let mut segments = Vec::new();
        for (path, waypoints) in paths.iter().enumerate() {
            let waypoints = waypoints.as_ref();
            // All waypoints are validated first, so that the reported error does not depend on the threads.
            waypoints.iter().try_for_each(|waypoint| self.robot().validate(waypoint))?;
            segments.extend((0..segments_of(waypoints.len())?).map(|index| Segment {
                path,
                index,
                course: segment(waypoints, index),
            }));
        }
        let lengths: Vec<usize> =
            paths.iter().map(|path| segments_of(path.as_ref().len())).collect::<Result<_>>()?;
        check_segments(&segments, &lengths, options, control, progress, |segment| {
            let [from, to] = segment.course;
            checker.check_step(from, to, Ask::from(options).control(control))
        })
    }

    /// Checks many edges of a roadmap at once, each from one configuration to another. The reports are in the order
    /// given.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Robot};
    /// # use firsttouch::motion::Pose;
    /// # use firsttouch::{Answer, Options};
    /// let robot = Robot::new("post", vec![("post".into(), vec![])], vec![])?;
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![])?;
    /// let nowhere: [&[f64]; 2] = [&[], &[]];
    /// let reports = checker.check_motions(&[nowhere; 3], &Options::default())?;
    /// assert!(reports.iter().all(|report| report.answer == Answer::Free));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn check_motions<'a>(
        &self,
        edges: &[[&[f64]; 2]],
        ask: impl Into<Ask<'a>>,
    ) -> Result<Vec<StepReport>> {
        let (checker, ask) = &self.asked(ask.into(), "a check of motions")?;
        let Ask { options, control, .. } = ask;
        options.validate_reporting_start("a check of a path")?;
        edges.iter().flatten().try_for_each(|end| self.robot().validate(end))?;
        let check =
            |[from, to]: &[&[f64]; 2]| checker.check_step(from, to, Ask::from(options).control(control));
        Workers::new(options.threads, edges.len()).map(edges, check).into_iter().collect()
    }
}

/// A segment of a path, and how the robot moves on it.
pub(super) struct Segment<C> {
    pub(super) path: usize,
    pub(super) index: usize,
    pub(super) course: C,
}

/// The result for a segment.
struct Checked {
    answer: Answer,
    by_pair: Vec<PairReport>,
    /// True if no interrupt ended the check.
    is_complete: bool,
}

/// Checks the segments of paths with these numbers of segments; see the header.
pub(super) fn check_segments<C: Sync>(
    segments: &[Segment<C>],
    lengths: &[usize],
    options: &Options,
    control: &Control<'_>,
    progress: impl Fn(SegmentDone<'_>) + Sync + Send,
    check: impl Fn(&Segment<C>) -> Result<StepReport> + Sync + Send,
) -> Result<Vec<PathReport>> {
    let first: Vec<AtomicUsize> = lengths.iter().map(|_| AtomicUsize::new(usize::MAX)).collect();
    let found = Workers::new(options.threads, segments.len()).map(segments, |segment| {
        let &Segment { path, index, .. } = segment;
        if options.mode != Mode::All && first[path].load(Ordering::Relaxed) < index {
            progress(SegmentDone { path, segment: index, answer: None });
            return Ok(None);
        }
        if control.is_interrupted() {
            let answer = Answer::Undecided { free_until: 0.0, bodies: [0, 0] };
            return Ok(Some(Checked { answer, by_pair: Vec::new(), is_complete: false }));
        }
        let StepReport { answer, by_pair, .. } = check(segment)?;
        if answer != Answer::Free {
            first[path].fetch_min(index, Ordering::Relaxed);
        }
        progress(SegmentDone { path, segment: index, answer: Some(&answer) });
        Ok(Some(Checked { answer, by_pair, is_complete: !control.is_interrupted() }))
    });
    let empty = |&segments: &usize| PathReport {
        segment: None,
        answer: Answer::Free,
        segments,
        checked: 0,
        by_pair: Vec::new(),
    };
    let mut reports: Vec<PathReport> = lengths.iter().map(empty).collect();
    let mut is_known = vec![true; lengths.len()];
    for (segment, answer) in segments.iter().zip(found) {
        let report = &mut reports[segment.path];
        let Some(Checked { answer, by_pair, is_complete }) = answer? else { continue };
        report.checked += 1;
        // A pair that was not checked in a segment is not known to touch first in a later one.
        let all_known = &mut is_known[segment.path];
        for pair in by_pair.into_iter().filter(|_| *all_known) {
            if let Err(place) = report.by_pair.binary_search_by_key(&pair.bodies, |known| known.report.bodies)
            {
                report.by_pair.insert(place, PathPair { segment: segment.index, report: pair });
            }
        }
        *all_known &= is_complete;
        if report.segment.is_none() && answer != Answer::Free {
            (report.segment, report.answer) = (Some(segment.index), answer);
        }
    }
    Ok(reports)
}
