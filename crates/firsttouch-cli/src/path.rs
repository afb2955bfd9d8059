//! `firsttouch path`: every segment of every path of a robot.

mod advice;
mod questions;

use std::path::Path as FilePath;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use firsttouch::articulated::{Checker, Grasp, Phase, Robot, SegmentDone, Trajectory};
use firsttouch::motion::Motion;
use firsttouch::{Answer, Ask, Certificate, Control, Mode, Options};
use firsttouch_io::{Interpolation, Stage, build_trajectories, prepare_folder};
use serde::Serialize;

use crate::answer::{AnswerJson, status};
use crate::args::{PathArgs, Shared};
use crate::certificate::{self, CertificateJson};
use crate::check::OverlapJson;
use crate::input::{is_standard_input, read_robot_file, read_waypoints};
use crate::leg::Leg;
use crate::output::{
    Failure, Status, bar, complain, export, median, print, print_json, print_known, print_known_json, table,
    time,
};
use crate::questions::FurtherJson;
use crate::stop::{self, StopReason};
use crate::surroundings::Surroundings;

#[derive(Serialize)]
struct PathsJson {
    paths: Vec<PathJson>,
    free: usize,
    touch: usize,
    undecided: usize,
    segments: usize,
    mean_us_per_segment: f64,
    /// Only with `--repeat`: the median of the mean times of a segment in the runs after the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    warm_us_per_segment: Option<f64>,
    seconds: SecondsJson,
    /// Only when the work was stopped, like `stopped`.
    #[serde(skip_serializing_if = "Option::is_none")]
    segments_done: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'static str>,
    /// With `--certificate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<CertificateJson>,
}

/// The wall time of each stage: reading files, building the checker, and the first check of all segments.
#[derive(Serialize)]
struct SecondsJson {
    read: f64,
    build: f64,
    check: f64,
}

#[derive(Serialize)]
struct PathJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    segment: Option<usize>,
    /// The time of the touch, or up to which the path is proven free, in the unit of the column `time`.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f64>,
    #[serde(flatten)]
    answer: AnswerJson,
    /// With `--mode all`: the first touch of each pair that is not free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<Vec<PairJson>>,
    #[serde(flatten)]
    further: FurtherJson,
}

/// The first touch of one pair of bodies along a path.
#[derive(Serialize)]
struct PairJson {
    segment: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f64>,
    #[serde(flatten)]
    answer: AnswerJson,
    /// All times at which the two touch, in the unit of the column `time`, or else in segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    overlaps: Option<Vec<OverlapJson>>,
}

/// The paths and the answers so far. The main thread prints them if the work is stopped.
struct PathProgress {
    checker: Checker,
    /// The waypoints of each path, as configurations of the robot.
    paths: Vec<Vec<Vec<f64>>>,
    /// The times of the waypoints of each path, if they are given.
    times: Vec<Option<Vec<f64>>>,
    /// The paths over time, if the joints do not move at constant rates or something else moves as well.
    trajectories: Option<Vec<Trajectory>>,
    /// The interpolation between waypoints; `None` if the file gives polynomials.
    interpolation: Option<Interpolation>,
    /// True if the robot takes things up and puts them down, and the phases of each path.
    has_grasps: bool,
    phases: Vec<Vec<Phase>>,
    /// For each path, the answer of each segment that is done. It is `None` for a segment that was skipped because an
    /// earlier one is not free.
    answers: Vec<Vec<OnceLock<Option<Answer>>>>,
    checked: AtomicUsize,
    /// The seconds that files took to read, and the checker to build.
    read_seconds: f64,
    build_seconds: f64,
    start: Instant,
    /// The seconds of the first check, once it is done.
    check_seconds: OnceLock<f64>,
    /// The mean microseconds of a segment in the runs that `--repeat` adds.
    warm_us: OnceLock<f64>,
}

pub(crate) fn run(args: &PathArgs, shared: &Shared) -> Result<Status, Failure> {
    let inputs = [Some(&args.robot), Some(&args.waypoints), args.scene.as_ref()];
    if inputs.into_iter().flatten().filter(|path| is_standard_input(path)).count() > 1 {
        return Err(Failure::Other("only one of the files can be standard input".into()));
    }
    if let Some(target) = &args.parquet {
        return run_edges(args, shared, target);
    }
    let start = Instant::now();
    let files = args.bounds.files()?;
    args.out.as_deref().map(prepare_folder).transpose()?;
    let file = read_robot_file(&files, &args.robot)?;
    let (waypoints, waypoint_file) = read_waypoints(&files, &args.waypoints, &file)?;
    let (robot, scenery, warnings) = files.robot_and_scenery(&file, args.srdf.as_deref())?;
    for warning in warnings.iter().chain(&waypoints.warnings) {
        complain(&format!("warning: {warning}"));
    }
    let surroundings =
        Surroundings::read(&files, &file, (robot, &scenery), args.scene.as_deref(), &args.course.stance)?;
    let build_seconds = surroundings.build_seconds;
    let read_seconds = start.elapsed().as_secs_f64() - build_seconds;
    let mut options = shared.over(surroundings.options);
    options.mode = args.mode.into();
    // A path is checked to its end. The scene's `t_max` does not apply.
    options.t_max = 1.0;
    options.validate()?;

    let paths = configurations(surroundings.checker.robot(), &waypoints, &waypoint_file)?;
    if args.certificate.is_some() && paths.len() != 1 {
        return Err(certificate::several(paths.len()));
    }
    let times = waypoints.paths.iter().map(|path| path.times.clone()).collect();
    let interpolation = args.course.interpolation.into();
    if let Some(warning) = waypoints.unused_velocities(interpolation, &waypoint_file) {
        complain(&format!("warning: {warning}"));
    }
    let trajectories = trajectories(interpolation, &surroundings, &waypoints, &waypoint_file)?;
    let checker = surroundings.checker;
    if !surroundings.grasps.is_empty() {
        refuse_with_grasps(&[("--gradient", args.questions.gradient), ("--out", args.out.is_some())])?;
    }
    let interpolation =
        waypoints.paths.iter().all(|path| path.polynomials.is_none()).then_some(interpolation);
    let known = PathProgress::new(checker, paths, &surroundings.grasps)?;
    let work =
        Arc::new(PathProgress { times, trajectories, interpolation, read_seconds, build_seconds, ..known });
    let (known, json) = (Arc::clone(&work), shared.json);
    stop::when_stopped(move |why| {
        let (summary, status) = known.summary(Some(why));
        if json {
            print_known_json(&summary)?
        } else {
            print_known(&text(&summary))?
        }
        Ok(status)
    });
    work.check(&options)?;
    work.repeat(args.repeat, &options)?;
    let (mut summary, status) = work.summary(stop::reason().filter(|_| !work.is_decided()));
    if args.srdf.is_none() {
        work.advise(args, &options)?;
    }
    work.more_questions(args, &options, &mut summary)?;
    if let Some(target) = &args.certificate {
        summary.certificate = Some(certificate::written(target, &files, &options, |ask| work.certify(ask))?);
    }
    if let Some(folder) = &args.out {
        export(folder, work.stages(), &summary)?;
    }
    if shared.json {
        print_json(&summary)?
    } else {
        print(&text(&summary))?
    }
    Ok(status)
}

/// Answers the edges of a Parquet file.
#[cfg(feature = "parquet")]
fn run_edges(args: &PathArgs, shared: &Shared, target: &FilePath) -> Result<Status, Failure> {
    if args.mode == crate::args::PathModeArg::All {
        return Err(Failure::Other(
            "--mode all does not go with --parquet, which has one answer per edge".into(),
        ));
    }
    let files = args.bounds.files()?;
    let file = read_robot_file(&files, &args.robot)?;
    let (robot, scenery, warnings) = files.robot_and_scenery(&file, args.srdf.as_deref())?;
    for warning in &warnings {
        complain(&format!("warning: {warning}"));
    }
    let surroundings =
        Surroundings::read(&files, &file, (robot, &scenery), args.scene.as_deref(), &args.course.stance)?;
    if !surroundings.grasps.is_empty() {
        let text = "bodies that are taken up on the way (`at`) go with waypoints, and not with --parquet";
        return Err(Failure::Other(text.into()));
    }
    let mut options = shared.over(surroundings.options);
    options.mode = args.mode.into();
    options.t_max = 1.0;
    options.validate()?;
    crate::edges::run(&surroundings.checker, &options, &args.waypoints, target, shared.json)
}

#[cfg(not(feature = "parquet"))]
fn run_edges(_: &PathArgs, _: &Shared, _: &FilePath) -> Result<Status, Failure> {
    let text = "this command was built without Parquet; `cargo install --path crates/firsttouch-cli --features parquet` builds it with it";
    Err(Failure::Other(text.into()))
}

impl PathProgress {
    fn new(checker: Checker, paths: Vec<Vec<Vec<f64>>>, grasps: &[Grasp]) -> Result<PathProgress, Failure> {
        let segments = |path: &Vec<Vec<f64>>| path.windows(2).map(|_| OnceLock::new()).collect();
        let answers = paths.iter().map(segments).collect();
        let phases = paths.iter().map(|path| checker.phases(path, grasps));
        let phases = phases.collect::<firsttouch::Result<Vec<_>>>()?;
        Ok(PathProgress {
            checker,
            times: vec![None; paths.len()],
            paths,
            trajectories: None,
            interpolation: Some(Interpolation::Linear),
            has_grasps: !grasps.is_empty(),
            phases,
            answers,
            checked: AtomicUsize::new(0),
            read_seconds: 0.0,
            build_seconds: 0.0,
            start: Instant::now(),
            check_seconds: OnceLock::new(),
            warm_us: OnceLock::new(),
        })
    }

    /// Returns the robot and its surroundings on a segment.
    fn checker_of(&self, path: usize, segment: usize) -> &Checker {
        let phase = self.phases[path].iter().find(|phase| phase.segments.contains(&segment));
        phase.map_or(&self.checker, |phase| &phase.checker)
    }

    fn legs(&self, path: usize) -> firsttouch::Result<Vec<Leg<'_>>> {
        Leg::of_path(&self.paths[path], self.trajectory(path), &self.phases[path])
    }

    /// Returns each path with its first answer that is not free, in the form that `--out` writes.
    fn stages(&self) -> impl Iterator<Item = Result<(String, Stage), Failure>> {
        self.paths.iter().zip(&self.answers).enumerate().map(|(index, (path, answers))| {
            let found = answers.iter().enumerate().find_map(|(segment, answer)| match answer.get() {
                Some(Some(answer)) if *answer != Answer::Free => Some((segment, answer)),
                _ => None,
            });
            let (segment, answer) = found.unzip();
            let answer = answer.unwrap_or(&Answer::Free);
            let stage = match self.trajectory(index) {
                Some(trajectory) => Stage::of_trajectory(&self.checker, trajectory, answer, segment)?,
                None => Stage::of_path(&self.checker, path, answer, segment)?,
            };
            Ok((format!("path{index}"), stage))
        })
    }

    /// Returns the certificate of the only path.
    fn certify(&self, ask: Ask<'_>) -> firsttouch::Result<Certificate> {
        if self.has_grasps {
            let what = "a certificate of bodies that are taken up on the way".into();
            return Err(firsttouch::Error::Unsupported { what });
        }
        match self.trajectory(0) {
            Some(trajectory) => self.checker.certify_along(trajectory, ask),
            None => self.checker.certify_path(&self.paths[0], ask),
        }
    }

    /// Returns true if every segment has an answer that an interrupt did not change.
    fn is_decided(&self) -> bool {
        let mut answers = self.answers.iter().flatten();
        answers.all(|answer| !matches!(answer.get(), None | Some(Some(Answer::Undecided { .. }))))
    }

    fn trajectory(&self, path: usize) -> Option<&Trajectory> {
        self.trajectories.as_ref().and_then(|all| all.get(path))
    }

    /// Returns a time within a segment, in the unit of the column `time`.
    fn time(&self, path: usize, segment: usize, t: f64) -> Option<f64> {
        let times = self.times[path].as_ref()?;
        let (from, to) = (times.get(segment)?, times.get(segment + 1)?);
        Some(from + (to - from) * t)
    }

    fn segments(&self) -> usize {
        self.answers.iter().map(Vec::len).sum()
    }

    /// Checks all segments on the number of threads given by the options.
    fn check(&self, options: &Options) -> Result<(), Failure> {
        let progress = bar(self.segments(), "checking");
        let done = self.check_all(options, |path, segment, answer| {
            progress.inc(1);
            self.checked.fetch_add(usize::from(answer.is_some()), Ordering::Relaxed);
            let _ = self.answers[path][segment].set(answer.cloned());
        });
        progress.finish_and_clear();
        let _ = self.check_seconds.set(self.start.elapsed().as_secs_f64());
        done
    }

    /// Checks all segments again, `count - 1` times, and keeps the median of the mean times of a segment.
    ///
    /// The parts of a mesh are prepared when a query first needs them. So the first run gives the cost of a segment in
    /// a new process, and the further runs give the cost of each further segment.
    fn repeat(&self, count: Option<u32>, options: &Options) -> Result<(), Failure> {
        let mut times = Vec::new();
        for _ in 1..count.unwrap_or(1) {
            if stop::reason().is_some() {
                return Ok(());
            }
            let (start, checked) = (Instant::now(), AtomicUsize::new(0));
            self.check_all(options, |_, _, answer| {
                checked.fetch_add(usize::from(answer.is_some()), Ordering::Relaxed);
            })?;
            times.push(start.elapsed().as_secs_f64() * 1e6 / checked.into_inner().max(1) as f64);
        }
        if let (Some(median), None) = (median(times), stop::reason()) {
            let _ = self.warm_us.set(median);
        }
        Ok(())
    }

    fn check_all(
        &self,
        options: &Options,
        record: impl Fn(usize, usize, Option<&Answer>) + Sync + Send,
    ) -> Result<(), Failure> {
        let interrupt = stop::interrupt();
        let control = Control { interrupt: Some(&interrupt), progress: None };
        let each = |SegmentDone { path, segment, answer, .. }: SegmentDone<'_>| record(path, segment, answer);
        let ask = Ask::from(options).control(&control);
        if self.has_grasps {
            return Ok(self.check_legs(options, &control, &record)?);
        }
        // All paths share the threads.
        match &self.trajectories {
            Some(trajectories) => self.checker.check_trajectories(trajectories, ask, each)?,
            None => self.checker.check_paths(&self.paths, ask, each)?,
        };
        Ok(())
    }

    /// Checks the legs of each path one after the other, up to the first that is not free.
    fn check_legs(
        &self,
        options: &Options,
        control: &Control<'_>,
        record: impl Fn(usize, usize, Option<&Answer>) + Sync + Send,
    ) -> firsttouch::Result<()> {
        for path in 0..self.paths.len() {
            let mut is_free = true;
            for leg in self.legs(path)? {
                if is_free || options.mode == Mode::All {
                    let ask = Ask::from(options).control(control);
                    let report = leg.check(ask, |segment, answer| record(path, segment, answer))?;
                    is_free &= report.answer == Answer::Free;
                } else {
                    leg.segments.for_each(|segment| record(path, segment, None));
                }
            }
        }
        Ok(())
    }

    /// Returns the answers of all paths, and the exit status. If the work was stopped, a path with an unchecked segment
    /// is undecided from that segment on.
    fn summary(&self, stopped: Option<StopReason>) -> (PathsJson, Status) {
        // The first segment that is not free, if there is one.
        let summed_up = |(path, segments): (usize, &Vec<OnceLock<Option<Answer>>>)| {
            for (index, answer) in segments.iter().enumerate() {
                let names = self.checker_of(path, index);
                let (status, answer) = match answer.get() {
                    Some(Some(Answer::Free)) => continue,
                    Some(Some(answer @ Answer::Undecided { .. })) if stopped.is_some() => {
                        (Status::Undecided, AnswerJson::new(answer, names).without_bodies())
                    }
                    Some(Some(answer)) => (status(answer), AnswerJson::new(answer, names)),
                    Some(None) | None => (Status::Undecided, AnswerJson::stopped()),
                };
                let time = answer.toi.or(answer.free_until).and_then(|t| self.time(path, index, t));
                return (
                    status,
                    PathJson {
                        segment: Some(index),
                        time,
                        answer,
                        pairs: None,
                        further: FurtherJson::default(),
                    },
                );
            }
            let answer = AnswerJson::new(&Answer::Free, &self.checker);
            (
                Status::Free,
                PathJson { segment: None, time: None, answer, pairs: None, further: FurtherJson::default() },
            )
        };
        let (statuses, paths): (Vec<Status>, Vec<PathJson>) =
            self.answers.iter().enumerate().map(summed_up).unzip();
        let how_many = |wanted: Status| statuses.iter().filter(|&&status| status == wanted).count();
        let [free, touch, undecided] = [Status::Free, Status::Touch, Status::Undecided].map(how_many);
        let checked = self.checked.load(Ordering::Relaxed);
        let check = self.check_seconds.get().copied().unwrap_or_else(|| self.start.elapsed().as_secs_f64());
        let mean = if checked == 0 { 0.0 } else { check / checked as f64 };
        let summary = PathsJson {
            free,
            touch,
            undecided,
            segments: self.segments(),
            mean_us_per_segment: mean * 1e6,
            warm_us_per_segment: self.warm_us.get().copied(),
            seconds: SecondsJson { read: self.read_seconds, build: self.build_seconds, check },
            segments_done: stopped
                .map(|_| self.answers.iter().flatten().filter(|answer| answer.get().is_some()).count()),
            stopped: stopped.map(StopReason::word),
            certificate: None,
            paths,
        };
        let status = match (touch, undecided) {
            (1.., _) => Status::Touch,
            (0, 1..) => Status::Undecided,
            (0, 0) => Status::Free,
        };
        (summary, status)
    }
}

/// Returns the paths over time, if they are not to be checked one segment at a time at constant rates.
pub(crate) fn trajectories(
    interpolation: Interpolation,
    surroundings: &Surroundings,
    waypoints: &firsttouch_io::Waypoints,
    file: &FilePath,
) -> Result<Option<Vec<Trajectory>>, Failure> {
    let Surroundings { checker, duration, .. } = surroundings;
    let has_times = waypoints.paths.iter().any(|path| path.times.is_some());
    let is_clocked = has_times && !checker.obstacles().all(is_at_rest);
    let has_polynomials = waypoints.paths.iter().any(|path| path.polynomials.is_some());
    if interpolation == Interpolation::Linear && !is_clocked && !has_polynomials {
        return Ok(None);
    }
    let mut built = build_trajectories(checker.robot(), waypoints, interpolation, file)?;
    if is_clocked {
        for (path, trajectory) in waypoints.paths.iter().zip(&mut built) {
            let Some([first, .., last]) = path.times.as_deref() else { continue };
            if *first < 0.0 || last > duration {
                let text = format!(
                    "{}:{}: the path takes the time from {first} to {last}, but the scene lasts from 0 to {duration}: set its `duration`",
                    file.display(),
                    path.lines[0]
                );
                return Err(Failure::Other(text));
            }
            if *first > 0.0 || last < duration {
                complain(&format!(
                    "note: {}:{}: the path takes the time from {first} to {last} of 0 to {duration}; only that is checked, and not the \
                     time in which the robot waits (`check` does that, with the robot and its `path` in the scene)",
                    file.display(),
                    path.lines[0]
                ));
            }
            *trajectory = trajectory.clone().on_clock(first / duration, last / duration)?;
        }
    }
    Ok(Some(built))
}

fn is_at_rest(body: &firsttouch::Body) -> bool {
    matches!(body.as_rigid(), Some((_, Motion::Fixed(_))))
}

/// Refuses the options that do not support bodies that a robot takes up on its way.
pub(crate) fn refuse_with_grasps(asked: &[(&str, bool)]) -> Result<(), Failure> {
    match asked.iter().find(|(_, asked)| *asked) {
        None => Ok(()),
        Some((what, _)) => Err(Failure::Other(format!(
            "{what} does not go with bodies that are taken up (`at`); `check` takes them, with the robot in the scene"
        ))),
    }
}

/// Returns the waypoints of each path as configurations of the robot. An error names the line of the configuration.
pub(crate) fn configurations(
    robot: &Robot,
    waypoints: &firsttouch_io::Waypoints,
    file: &FilePath,
) -> Result<Vec<Vec<Vec<f64>>>, Failure> {
    Ok(firsttouch_io::configurations(robot, waypoints, file)?)
}

fn text(summary: &PathsJson) -> String {
    let rows: Vec<Vec<String>> = summary
        .paths
        .iter()
        .enumerate()
        .map(|(i, path)| {
            let answer = &path.answer;
            let parts = answer.parts.clone().unwrap_or_default();
            let bodies = answer.bodies.clone().unwrap_or_default();
            let side = |k: usize| [bodies[k].as_str(), parts[k].as_str()].join(" ").trim().to_string();
            let number = |value: Option<f64>| value.map(|t| format!("{t:.6}")).unwrap_or_default();
            let segment = path.segment.map(|segment| segment.to_string()).unwrap_or_default();
            let t = number(answer.toi.or(answer.free_until));
            vec![i.to_string(), answer.answer.to_string(), segment, t, side(0), side(1)]
        })
        .collect();
    let mut text = table(&[">path", "answer", ">segment", ">t", "first", "second"], &rows);
    for (i, path) in summary.paths.iter().enumerate() {
        for pair in path.pairs.iter().flatten() {
            let bodies = pair.answer.bodies.clone().unwrap_or_default();
            let t = pair.answer.toi.or(pair.answer.free_until).unwrap_or_default();
            text += &format!(
                "path {i}: {} and {}, {} in segment {} at {t:.6}\n",
                bodies[0], bodies[1], pair.answer.answer, pair.segment
            );
            for OverlapJson { from, to, certain } in pair.overlaps.iter().flatten() {
                let perhaps = if *certain { "" } else { ", perhaps" };
                text += &format!("        from {from:.6} to {to:.6}{perhaps}\n");
            }
        }
        let [clearance, contacts, gradient] = path.further.texts();
        for (after, answer) in [("", clearance), (":", contacts), ("\n", gradient)] {
            text.extend(answer.map(|answer| format!("path {i}{after}{answer}")));
        }
    }
    let warm = summary.warm_us_per_segment.map(|warm| format!(" ({} when repeated)", time(warm)));
    text += &format!(
        "{} free, {} touching, {} undecided; {} segments, {} each{}\n",
        summary.free,
        summary.touch,
        summary.undecided,
        summary.segments,
        time(summary.mean_us_per_segment),
        warm.unwrap_or_default()
    );
    if let (Some(why), Some(done)) = (summary.stopped, summary.segments_done) {
        text += &format!("stopped ({why}) after {done} segments\n");
    }
    text.extend(summary.certificate.as_ref().map(CertificateJson::text));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use firsttouch::motion::Pose;

    /// A path is free only if all its segments were checked. From the first that was not, it is undecided, also where a
    /// later one is known to touch.
    #[test]
    fn what_is_known_when_the_work_is_stopped() {
        let robot = Robot::new("r", vec![("base".into(), vec![])], vec![]).unwrap();
        let undecided = Answer::Undecided { free_until: 0.5, bodies: [0, 0] };
        let checker = Checker::new(robot, Pose::IDENTITY, vec![]).unwrap();
        let work = PathProgress::new(checker, vec![vec![vec![]; 3]; 3], &[]).ok().unwrap();
        let done = |path: usize, segment: usize, answer: Answer| {
            work.answers[path][segment].set(Some(answer)).unwrap();
        };
        for (path, segment) in [(0, 0), (0, 1), (1, 0)] {
            done(path, segment, Answer::Free);
        }
        done(2, 1, undecided);
        let (summary, status) = work.summary(Some(StopReason::Timeout));
        assert_eq!(status, Status::Undecided);
        let paths: Vec<_> = summary
            .paths
            .iter()
            .map(|path| (path.segment, path.answer.answer, path.answer.free_until))
            .collect();
        let expected =
            [(None, "free", None), (Some(1), "undecided", Some(0.0)), (Some(0), "undecided", Some(0.0))];
        assert_eq!(paths, expected);
        assert_eq!((summary.segments_done, summary.stopped), (Some(4), Some("timeout")));
        assert!(text(&summary).ends_with("stopped (timeout) after 4 segments\n"));
    }
}
