//! The paths of a robot as a document: what `firsttouch path` answers, shown. Each path is a run, in which segment k lasts from
//! time k to time k + 1.

use std::collections::{BTreeMap, HashMap};
use std::path::Path as FilePath;

use firsttouch::articulated::{Checker, PathReport, RobotMotion};
use firsttouch::motion::{Pose, RigidMotion};
use firsttouch::{Answer, BodyKind, Options, Part};
use firsttouch_io::Files;

use super::cast::{Cast, Shown, body_corners, link_corners, rigid_spans, robot_spans};
use super::document::{Run, ShownMotion};
use super::motion::{Moment, Track, moments};
use super::questions::{path_clearance, shown_contacts};
use super::{Made, document, robot_files};
use crate::args::ViewArgs;
use crate::input::{is_standard_input, read_robot_file, read_scene, read_waypoints};
use crate::output::{Failure, complain};
use crate::path::{RobotNames, configurations};

/// The document of a robot file and its waypoints.
pub(crate) fn of_files(
    files: &Files,
    [robot, waypoints]: [&FilePath; 2],
    args: &ViewArgs,
    over: &dyn Fn(Options) -> Options,
    title: &str,
    command: &str,
) -> Result<Made, Failure> {
    let file = read_robot_file(files, robot)?;
    let (rows, waypoint_file) = read_waypoints(files, waypoints, &file)?;
    let mut watched = vec![robot.to_path_buf(), waypoints.to_path_buf()];
    watched.extend(args.srdf.iter().chain(&args.scene).cloned());
    let visuals =
        if is_standard_input(robot) { Default::default() } else { robot_files(files, robot, &mut watched)? };
    let (built, warnings) = files.robot_of(&file, args.srdf.as_deref())?;
    for warning in warnings.iter().chain(&rows.warnings) {
        complain(&format!("warning: {warning}"));
    }
    let (obstacles, options) = match &args.scene {
        None => (Vec::new(), Options::default()),
        Some(path) => {
            let (file, path) = read_scene(files, path)?;
            (files.build_scene(&file, path)?.0.bodies().to_vec(), file.options())
        }
    };
    // A path goes to its end, whatever the scene says about its own time.
    let options = Options { t_max: 1.0, ..over(options) };
    options.validate()?;
    let paths = configurations(&built, &rows, &waypoint_file)?;
    let checker = Checker::new(built, Pose::IDENTITY, obstacles)?;
    let reports = checker.check_paths(&paths, &options, |_| ())?;

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
    let runs = paths.iter().zip(&reports).enumerate();
    let runs = runs.map(|(index, (path, report))| {
        let mut run = run(&checker, &mut cast, index, path, report)?;
        if args.questions.clearance {
            run.clearance = path_clearance(&checker, path, &cast, &options)?;
        }
        if let (true, Some(segment), Some(touch)) =
            (args.questions.contacts, report.segment, report.answer.touch())
        {
            let found = checker.contacts(&path[segment], &path[segment + 1], touch.toi, &options)?;
            run.contacts = Some(shown_contacts(&found));
        }
        Ok(run)
    });
    let runs = runs.collect::<Result<Vec<Run>, Failure>>()?;
    let answers = reports.into_iter().map(|report| report.answer).collect();
    Ok(Made { document: document(cast, runs, &options, title, command)?, watched, answers })
}

fn run(
    checker: &Checker,
    cast: &mut Cast,
    index: usize,
    path: &[Vec<f64>],
    report: &PathReport,
) -> Result<Run, Failure> {
    let robot = checker.robot();
    let segments = path.windows(2).map(|ends| RobotMotion::new(robot, checker.base(), &ends[0], &ends[1]));
    let segments = segments.collect::<firsttouch::Result<Vec<_>>>()?;
    let corners = |body: usize, part: &Part, feature, t| match (body.checked_sub(1), report.segment) {
        (Some(obstacle), _) => body_corners(checker.obstacle(obstacle), part, feature, t),
        (None, Some(segment)) => {
            let link = part.link().unwrap_or_default();
            link_corners(&segments[segment], link, part, feature, t)
        }
        (None, None) => Vec::new(),
    };
    let answer = cast.answer(&report.answer, report.segment, &RobotNames { checker }, corners);
    let (count, checked) = (report.segments as u64, report.checked as u64);
    Ok(Run {
        name: Some(format!("path {index}")),
        duration: segments.len() as f64,
        segments: Some((0..=segments.len()).map(|k| k as f64).collect()),
        answer,
        stats: BTreeMap::from([("segments", count), ("segments_checked", checked)]),
        motions: motions(checker, cast, path, &segments, report),
        ..Run::default()
    })
}

/// Everything is sampled at the same moments. Waypoints are there twice, as the end of one segment and the beginning of the
/// next: kinks of the robot's motion, and the moments at which obstacles that move begin again.
fn motions(
    checker: &Checker,
    cast: &mut Cast,
    path: &[Vec<f64>],
    segments: &[RobotMotion<'_>],
    report: &PathReport,
) -> Vec<ShownMotion> {
    let whole = [0.0, 1.0];
    let obstacle_spans = checker.obstacles().map(|obstacle| match obstacle.kind() {
        BodyKind::Rigid { motion, .. } => rigid_spans(motion, whole),
        BodyKind::Affine(_) => 32,
        _ => 1,
    });
    let least = obstacle_spans.max().unwrap_or(1);
    let mut all: Vec<Moment> = Vec::new();
    for (k, (ends, motion)) in path.windows(2).zip(segments).enumerate() {
        let touch = report.answer.touch().filter(|_| report.segment == Some(k));
        let exact: Vec<f64> = touch.map(|touch| touch.toi).into_iter().collect();
        let spans = robot_spans(motion, [&ends[0], &ends[1]], whole).max(least);
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
                        let pose = segments[moment.segment].link_pose(link, moment.t);
                        track.rigid(pose.translation, pose.rotation);
                    }
                    // At rest it would be where another path begins.
                    list.push(track.always(*index, times, pack));
                }
            }
            Shown::One(index) => {
                let mut track = Track::default();
                match checker.obstacle(body - 1).kind() {
                    BodyKind::Rigid { motion, .. } => {
                        for moment in &all {
                            let pose = motion.pose_at(moment.t);
                            track.rigid(pose.translation, pose.rotation);
                        }
                    }
                    BodyKind::Affine(ellipsoid) => {
                        for moment in &all {
                            let (matrix, center) = ellipsoid.motion().at(moment.t);
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
