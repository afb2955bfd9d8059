//! The paths of a robot as a document: what `firsttouch path` answers, shown. Each path is a run, in which segment k lasts from
//! time k to time k + 1.

use std::collections::{BTreeMap, HashMap};
use std::path::Path as FilePath;

use firsttouch::articulated::{Checker, PathReport, Phase, RobotMotion, RobotStep};
use firsttouch::motion::{PoseAt, RigidMotion};
use firsttouch::{Answer, BodyKind, Options, Part};
use firsttouch_io::Files;

use super::cast::{Cast, Shown, body_corners, link_corners, rigid_spans, robot_spans};
use super::document::{Run, ShownMotion};
use super::motion::{Moment, Track, moments};
use super::questions::{path_clearance, shown_contacts};
use super::{Made, document, robot_files};
use crate::args::ViewArgs;
use crate::input::{is_standard_input, read_robot_file, read_waypoints};
use crate::output::{Failure, complain};
use crate::path::{RobotNames, configurations, refuse_together, trajectories};
use crate::plan::shown_waypoints;
use crate::surroundings::Surroundings;

/// The document of a robot file and its waypoints; without waypoints, of the path that is planned from `--from` to `--to`.
pub(crate) fn of_files(
    files: &Files,
    robot: &FilePath,
    waypoints: Option<&FilePath>,
    args: &ViewArgs,
    over: &dyn Fn(Options) -> Options,
    title: &str,
    command: &str,
) -> Result<Made, Failure> {
    let file = read_robot_file(files, robot)?;
    let rows = waypoints.map(|waypoints| read_waypoints(files, waypoints, &file)).transpose()?;
    let mut watched = vec![robot.to_path_buf()];
    watched.extend(waypoints.map(FilePath::to_path_buf));
    watched.extend(args.srdf.iter().chain(&args.scene).cloned());
    let visuals =
        if is_standard_input(robot) { Default::default() } else { robot_files(files, robot, &mut watched)? };
    let (built, scenery, warnings) = files.robot_and_scenery(&file, args.srdf.as_deref())?;
    for warning in warnings.iter().chain(rows.iter().flat_map(|(rows, _)| &rows.warnings)) {
        complain(&format!("warning: {warning}"));
    }
    let surroundings =
        Surroundings::read(files, &file, (built, &scenery), args.scene.as_deref(), &args.course.stance)?;
    // A path goes to its end, whatever the scene says about its own time.
    let options = Options { t_max: 1.0, ..over(surroundings.options) };
    options.validate()?;
    if let Some((rows, file)) = &rows
        && let Some(warning) = rows.unused_velocities(args.course.interpolation.into(), file)
    {
        complain(&format!("warning: {warning}"));
    }
    let (paths, trajectories) = match rows {
        Some((rows, file)) => (
            configurations(surroundings.checker.robot(), &rows, &file)?,
            trajectories(args.course.interpolation.into(), &surroundings, &rows, &file)?,
        ),
        None => {
            let ends = [&args.from, &args.to].map(|end| end.as_deref().unwrap_or_default());
            (vec![shown_waypoints(&surroundings.checker, ends, args.seed, options)?], None)
        }
    };
    let Surroundings { checker, grasps, .. } = surroundings;
    refuse_together(args.questions, &[], trajectories.is_some(), !grasps.is_empty())?;
    if trajectories.is_some() && (args.questions.clearance || args.questions.contacts) {
        let text = "--clearance and --contacts are shown with --interpolation linear only, and not with times beside moving obstacles";
        return Err(Failure::Other(text.into()));
    }

    let mut cast = Cast::new(1.0);
    let robot = checker.robot();
    let zero = robot.zero();
    let start = paths.first().and_then(|path| path.first()).unwrap_or(&zero);
    let group = if robot.name().is_empty() { "robot" } else { robot.name() };
    let resting = RobotMotion::new(robot, checker.base(), start, start)?;
    let links = cast.add_robot(group, &resting, &visuals, &HashMap::new());
    cast.shown.push(Shown::Links(links));
    // The frames of a deforming obstacle are those of a run of one segment; in any other it would jump back.
    let deforms = paths.len() == 1 && paths[0].len() == 2;
    for obstacle in checker.obstacles() {
        let index = cast.add(obstacle, deforms);
        cast.shown.push(Shown::One(index));
    }
    let mut runs = Vec::new();
    let mut answers = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let trajectory = trajectories.as_ref().map(|all| &all[index]);
        let phases = if grasps.is_empty() { Vec::new() } else { checker.phases(path, &grasps)? };
        let found = match trajectory {
            Some(trajectory) => checker.check_trajectory(trajectory, &options, |_| ())?.into(),
            None if phases.is_empty() => checker.check_path(path, &options, |_| ())?.into(),
            None => check_phases(&phases, path, &options)?,
        };
        let count = path.len().saturating_sub(1);
        let steps = trajectory.map(|trajectory| {
            let step = |k| trajectory.step(checker.robot().clone(), checker.base(), k);
            (0..count).map(step).collect::<firsttouch::Result<Vec<RobotStep>>>()
        });
        let steps = steps.transpose()?;
        let segments = (0..count).map(|k| {
            let phase = phases.iter().find(|phase| phase.segments.contains(&k));
            let checker = phase.map_or(&checker, |phase| &phase.checker);
            let (from, to) = (&path[k], &path[k + 1]);
            let way: f64 = from.iter().zip(to).map(|(a, b)| (b - a).abs()).sum();
            Ok(match (&steps, trajectory) {
                // A curve through waypoints may go beyond them.
                (Some(steps), Some(trajectory)) => {
                    Segment { checker, motion: steps[k].motion(), span: trajectory.span(k), way: 3.0 * way }
                }
                _ => {
                    let motion = RobotMotion::new(checker.robot(), checker.base(), from, to)?;
                    Segment { checker, motion, span: [0.0, 1.0], way }
                }
            })
        });
        let segments = segments.collect::<Result<Vec<Segment<'_>>, Failure>>()?;
        let mut run = run(&checker, &mut cast, index, &segments, &found);
        if args.questions.clearance {
            run.clearance = path_clearance(&checker, path, &cast, &options)?;
        }
        if let (true, Some(segment), Some(touch)) =
            (args.questions.contacts, found.segment, found.answer.touch())
        {
            let found = checker.contacts(&path[segment], &path[segment + 1], touch.toi, &options)?;
            run.contacts = Some(shown_contacts(&found));
        }
        runs.push(run);
        answers.push(found.answer);
    }
    Ok(Made { document: document(cast, runs, &options, title, command)?, watched, answers })
}

/// The answer of a path: that of its first segment that is not free.
struct Found {
    answer: Answer,
    segment: Option<usize>,
    checked: usize,
}

impl From<PathReport> for Found {
    fn from(PathReport { answer, segment, checked, .. }: PathReport) -> Found {
        Found { answer, segment, checked }
    }
}

/// One phase after the other, up to the first that is not free.
fn check_phases(phases: &[Phase], path: &[Vec<f64>], options: &Options) -> Result<Found, Failure> {
    let mut checked = 0;
    for Phase { segments, checker, .. } in phases {
        let report = checker.check_path(&path[segments.start..=segments.end], options, |_| ())?;
        checked += report.checked;
        if let Some(segment) = report.segment {
            return Ok(Found { answer: report.answer, segment: Some(segments.start + segment), checked });
        }
    }
    Ok(Found { answer: Answer::Free, segment: None, checked })
}

/// The robot on a segment of a path, among what surrounds it there.
struct Segment<'a> {
    checker: &'a Checker,
    motion: RobotMotion<'a>,
    /// The time of obstacles that move by themselves, at the beginning and at the end.
    span: [f64; 2],
    /// At least how far all joints go together, to sample them often enough.
    way: f64,
}

impl Segment<'_> {
    /// The time of what moves by itself.
    fn clock(&self, t: f64) -> f64 {
        self.span[0] + (self.span[1] - self.span[0]) * t
    }

    /// The pose of a rigid body that stands or moves by itself, or is held by the robot.
    fn pose(&self, name: &str, t: f64) -> Option<PoseAt> {
        if let Some(index) = self.checker.index_of(name) {
            let (_, motion) = self.checker.obstacle(index).as_rigid()?;
            return Some(motion.pose_at(self.clock(t)));
        }
        let link = self.checker.robot().link(name)?;
        let (outer, part) =
            (self.motion.link_pose(link, t), self.checker.robot().links()[link].parts().first()?);
        let inner = part.pose.at();
        Some(PoseAt {
            rotation: outer.rotation * inner.rotation,
            translation: outer.apply(inner.translation),
        })
    }
}

/// What shows the bodies of a checker in which the robot holds other things than in the one that the cast is of.
fn shown_in(cast: &Cast, whole: &Checker, checker: &Checker) -> Vec<Shown> {
    let by_name = |name: &str| match cast.shown.get(whole.index_of(name)? + 1)? {
        Shown::One(index) => Some(*index),
        Shown::Links(_) => None,
    };
    let own = match cast.shown.first() {
        Some(Shown::Links(links)) => &links[..],
        _ => &[],
    };
    let links = checker.robot().links().iter().enumerate();
    let links = links.map(|(k, link)| own.get(k).copied().unwrap_or_else(|| by_name(link.name()))).collect();
    let obstacles = checker.obstacles().map(|obstacle| Shown::One(by_name(obstacle.name()).unwrap_or(0)));
    [Shown::Links(links)].into_iter().chain(obstacles).collect()
}

fn run(checker: &Checker, cast: &mut Cast, index: usize, segments: &[Segment<'_>], found: &Found) -> Run {
    let at = found.segment.and_then(|segment| segments.get(segment));
    let there = at.map_or(checker, |segment| segment.checker);
    let corners = |body: usize, part: &Part, feature, t| match (body.checked_sub(1), at) {
        (Some(obstacle), at) => {
            let clock = at.map_or(t, |segment| segment.clock(t));
            body_corners(there.obstacle(obstacle), part, feature, clock)
        }
        (None, Some(segment)) => {
            let link = part.link().unwrap_or_default();
            link_corners(&segment.motion, link, part, feature, t)
        }
        (None, None) => Vec::new(),
    };
    let there_shown = shown_in(cast, checker, there);
    let whole = std::mem::replace(&mut cast.shown, there_shown);
    let answer = cast.answer(&found.answer, found.segment, &RobotNames { checker: there }, corners);
    cast.shown = whole;
    let (count, checked) = (segments.len() as u64, found.checked as u64);
    Run {
        name: Some(format!("path {index}")),
        duration: segments.len() as f64,
        segments: Some((0..=segments.len()).map(|k| k as f64).collect()),
        answer,
        stats: BTreeMap::from([("segments", count), ("segments_checked", checked)]),
        motions: motions(checker, cast, segments, found),
        ..Run::default()
    }
}

/// Everything is sampled at the same moments. Waypoints are there twice, as the end of one segment and the beginning of the
/// next: kinks of the robot's motion, and the moments at which obstacles that move begin again.
fn motions(checker: &Checker, cast: &mut Cast, segments: &[Segment<'_>], found: &Found) -> Vec<ShownMotion> {
    let whole = [0.0, 1.0];
    let obstacle_spans = checker.obstacles().map(|obstacle| match obstacle.kind() {
        BodyKind::Rigid { motion, .. } => rigid_spans(motion, whole),
        BodyKind::Affine(_) => 32,
        _ => 1,
    });
    let least = obstacle_spans.max().unwrap_or(1);
    let mut all: Vec<Moment> = Vec::new();
    for (k, segment) in segments.iter().enumerate() {
        let touch = found.answer.touch().filter(|_| found.segment == Some(k));
        let exact: Vec<f64> = touch.map(|touch| touch.toi).into_iter().collect();
        let spans = robot_spans(&segment.motion, segment.way, whole).max(least);
        all.extend(moments(k, whole, spans, &exact));
    }
    let pack = &mut cast.geometries.pack;
    let times = pack.f64(all.iter().map(|moment| moment.time));
    let mut list = Vec::new();
    for (body, shown) in cast.shown.iter().enumerate() {
        match shown {
            Shown::Links(links) => {
                for (link, index) in links.iter().enumerate() {
                    let Some(index) = index else { continue };
                    let mut track = Track::default();
                    for moment in &all {
                        let pose = segments[moment.segment].motion.link_pose(link, moment.t);
                        track.rigid(pose.translation, pose.rotation);
                    }
                    // At rest it would be where another path begins.
                    list.push(track.always(*index, times, pack));
                }
            }
            Shown::One(index) => {
                let mut track = Track::default();
                let obstacle = checker.obstacle(body - 1);
                match obstacle.kind() {
                    BodyKind::Rigid { .. } => {
                        for moment in &all {
                            let Some(pose) = segments[moment.segment].pose(obstacle.name(), moment.t) else {
                                continue;
                            };
                            track.rigid(pose.translation, pose.rotation);
                        }
                    }
                    BodyKind::Affine(ellipsoid) => {
                        for moment in &all {
                            let clock = segments[moment.segment].clock(moment.t);
                            let (matrix, center) = ellipsoid.at(clock);
                            track.affine(center, matrix);
                        }
                    }
                    _ => continue,
                }
                list.extend(track.shown(*index, times, pack));
            }
        }
    }
    list
}

/// Whether every path is free, for a line of text.
pub(crate) fn summary(answers: &[Answer]) -> String {
    let free = answers.iter().filter(|answer| **answer == Answer::Free).count();
    let touching = answers.iter().filter(|answer| answer.touch().is_some()).count();
    format!("{free} free, {touching} touching, {} undecided", answers.len() - free - touching)
}
