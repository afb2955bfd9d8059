//! `firsttouch path`: every segment of every path of a robot.

use std::collections::HashMap;
use std::path::Path as FilePath;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use firsttouch::articulated::{Checker, Robot, RobotMotion};
use firsttouch::motion::Pose;
use firsttouch::parallel::Workers;
use firsttouch::{Answer, Options, Part};
use firsttouch_io::{Place, Problem};
use serde::Serialize;

use crate::answer::{AnswerJson, Names};
use crate::args::{PathArgs, Shared};
use crate::input::{is_standard_input, read_scene, read_urdf, read_waypoints};
use crate::output::{
    Failure, Status, bar, complain, print, print_json, print_known, print_known_json, table, time,
};
use crate::stop::{self, Why};

#[derive(Serialize)]
struct PathsJson {
    paths: Vec<PathJson>,
    free: usize,
    touch: usize,
    undecided: usize,
    segments: usize,
    mean_us_per_segment: f64,
    /// Only when the work was stopped, like `stopped`.
    #[serde(skip_serializing_if = "Option::is_none")]
    segments_done: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'static str>,
}

#[derive(Serialize)]
struct PathJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    segment: Option<usize>,
    #[serde(flatten)]
    answer: AnswerJson,
}

/// One segment: which path, which of its segments, the two configurations, and their lines in the file.
struct Segment {
    path: usize,
    index: usize,
    from: Vec<f64>,
    to: Vec<f64>,
    lines: [usize; 2],
}

/// A query in progress. It is shared with the thread that prints what is known when the work is stopped.
struct Work {
    checker: Checker,
    segments: Vec<Segment>,
    paths: usize,
    /// The answer of each segment, once it is there. None of a segment that was left out: an earlier one of its path touches.
    answers: Vec<OnceLock<Option<Answer>>>,
    checked: AtomicUsize,
    start: Instant,
}

pub(crate) fn run(args: &PathArgs, shared: &Shared) -> Result<Status, Failure> {
    let inputs = [Some(&args.robot), Some(&args.waypoints), args.scene.as_ref()];
    if inputs.into_iter().flatten().filter(|path| is_standard_input(path)).count() > 1 {
        return Err(Failure::Other("only one of the files can be standard input".into()));
    }
    let files = args.bounds.files()?;
    let file = read_urdf(&files, &args.robot)?;
    let (waypoints, waypoint_file) = read_waypoints(&files, &args.waypoints, &file)?;
    let (robot, warnings) = files.robot_of(&file, args.srdf.as_deref())?;
    for warning in warnings.iter().chain(&waypoints.warnings) {
        complain(&format!("warning: {warning}"));
    }
    let (obstacles, options) = match &args.scene {
        None => (Vec::new(), Options::default()),
        Some(path) => {
            let (file, path) = read_scene(&files, path)?;
            (files.build_scene(&file, path)?.0.bodies().to_vec(), file.options())
        }
    };
    let mut options = shared.over(options);
    options.mode = args.mode.into();
    // A path goes to its end, whatever the scene says about its own time.
    options.t_max = 1.0;
    options.validate()?;

    let segments = segments(&robot, &waypoints, &waypoint_file)?;
    refuse_too_many_pairs(&robot, obstacles.len(), args)?;
    let work = Arc::new(Work {
        checker: Checker::new(robot, Pose::IDENTITY, obstacles)?,
        answers: segments.iter().map(|_| OnceLock::new()).collect(),
        segments,
        paths: waypoints.paths.len(),
        checked: AtomicUsize::new(0),
        start: Instant::now(),
    });
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
    work.check(&options, &waypoint_file)?;
    let (summary, status) = work.summary(None);
    if shared.json {
        print_json(&summary)?
    } else {
        print(&text(&summary))?
    }
    Ok(status)
}

/// The memory that a pair of parts takes in a [`Checker`].
const BYTES_PER_PAIR: u64 = 240;

/// Every two parts of a robot are a pair, unless they are on links that may touch; ten thousand parts are fifty million pairs.
fn refuse_too_many_pairs(robot: &Robot, obstacles: usize, args: &PathArgs) -> Result<(), Failure> {
    let parts: u64 = robot.links().iter().map(|link| link.parts().len() as u64).sum();
    let pairs = parts * parts.saturating_sub(1) / 2 + parts * obstacles as u64;
    let limit = args.bounds.max_memory;
    if pairs.saturating_mul(BYTES_PER_PAIR) <= limit {
        return Ok(());
    }
    Err(firsttouch_io::Error {
        file: args.robot.clone(),
        place: Place::File,
        problem: Problem::OutOfMemory {
            what: format!(
                "a robot of {parts} shapes among {obstacles} obstacles, with {pairs} pairs to check,"
            ),
            limit,
        },
    }
    .into())
}

impl Work {
    /// Checks all segments, on so many threads as the options say.
    fn check(&self, options: &Options, file: &FilePath) -> Result<(), Failure> {
        let progress = bar(self.segments.len(), "checking");
        // What comes after the first touch of a path need not be looked at. Which segments are left out depends on the
        // threads, the answer does not.
        let first_touch: Vec<AtomicUsize> = (0..self.paths).map(|_| AtomicUsize::new(usize::MAX)).collect();
        let indices: Vec<usize> = (0..self.segments.len()).collect();
        let results = Workers::new(options.threads).map(&indices, |&i| {
            let segment = &self.segments[i];
            progress.inc(1);
            let mut answer = None;
            if first_touch[segment.path].load(Ordering::Relaxed) >= segment.index {
                self.checked.fetch_add(1, Ordering::Relaxed);
                let report = self.checker.check_step(&segment.from, &segment.to, options);
                let found = report.map_err(|error| self.at_line(segment, file, error))?.answer;
                if found != Answer::Free {
                    first_touch[segment.path].fetch_min(segment.index, Ordering::Relaxed);
                }
                answer = Some(found);
            }
            let _ = self.answers[i].set(answer);
            Ok(())
        });
        progress.finish_and_clear();
        results.into_iter().collect()
    }

    /// An error with the line of the configuration that it is about.
    fn at_line(&self, segment: &Segment, file: &FilePath, error: firsttouch::Error) -> Failure {
        let Segment { from, lines, .. } = segment;
        let starts_well = RobotMotion::new(self.checker.robot(), Pose::IDENTITY, from, from).is_ok();
        Failure::Line { file: file.to_path_buf(), line: lines[usize::from(starts_well)], error }
    }

    /// The answers of all paths and the exit status. When the work was stopped, a path is undecided from its first segment
    /// on that was not checked.
    fn summary(&self, stopped: Option<Why>) -> (PathsJson, Status) {
        let names = RobotNames { checker: &self.checker };
        // The first segment of each path that is not free, if there is one.
        let mut paths: Vec<Option<PathJson>> = (0..self.paths).map(|_| None).collect();
        for (segment, answer) in self.segments.iter().zip(&self.answers) {
            let slot = &mut paths[segment.path];
            if slot.is_some() {
                continue;
            }
            let answer = match answer.get() {
                Some(Some(Answer::Free)) => continue,
                Some(Some(answer)) => AnswerJson::new(answer, &names),
                Some(None) | None => AnswerJson::stopped(),
            };
            *slot = Some(PathJson { segment: Some(segment.index), answer });
        }
        let free = || PathJson { segment: None, answer: AnswerJson::new(&Answer::Free, &names) };
        let paths: Vec<PathJson> = paths.into_iter().map(|path| path.unwrap_or_else(free)).collect();
        let how_many =
            |wanted: &[&str]| paths.iter().filter(|path| wanted.contains(&path.answer.answer)).count();
        let [free, touch, undecided] =
            [&["free"][..], &["touch", "touching_at_start"], &["undecided"]].map(how_many);
        let checked = self.checked.load(Ordering::Relaxed);
        let elapsed = self.start.elapsed().as_secs_f64() * 1e6;
        let summary = PathsJson {
            free,
            touch,
            undecided,
            segments: self.segments.len(),
            mean_us_per_segment: if checked == 0 { 0.0 } else { elapsed / checked as f64 },
            segments_done: stopped
                .map(|_| self.answers.iter().filter(|answer| answer.get().is_some()).count()),
            stopped: stopped.map(Why::word),
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

fn segments(
    robot: &Robot,
    waypoints: &firsttouch_io::Waypoints,
    file: &FilePath,
) -> Result<Vec<Segment>, Failure> {
    let index_of: HashMap<&str, usize> =
        robot.variables().iter().enumerate().map(|(i, variable)| (&variable.name[..], i)).collect();
    let mut columns = Vec::with_capacity(waypoints.joints.len());
    for joint in &waypoints.joints {
        let missing =
            || Failure::Other(format!("{}:1: \"{joint}\" is no joint that can be moved", file.display()));
        columns.push(*index_of.get(&joint[..]).ok_or_else(missing)?);
    }
    let configuration = |row: &Vec<f64>| {
        let mut values = robot.zero();
        for (&column, &value) in columns.iter().zip(row) {
            values[column] = value;
        }
        values
    };
    let of_path = |(path, waypoints): (usize, &firsttouch_io::WaypointPath)| {
        let rows: Vec<Vec<f64>> = waypoints.rows.iter().map(configuration).collect();
        let steps = rows.windows(2).zip(waypoints.lines.windows(2)).enumerate();
        let segment = |(index, (ends, lines)): (usize, (&[Vec<f64>], &[usize]))| Segment {
            path,
            index,
            from: ends[0].clone(),
            to: ends[1].clone(),
            lines: [lines[0], lines[1]],
        };
        steps.map(segment).collect::<Vec<_>>()
    };
    Ok(waypoints.paths.iter().enumerate().flat_map(of_path).collect())
}

/// Body 0 is the robot, the others are the obstacles; links have names.
struct RobotNames<'a> {
    checker: &'a Checker,
}

impl Names for RobotNames<'_> {
    fn bodies(&self, indices: [usize; 2]) -> Option<[String; 2]> {
        Some(indices.map(|index| match index.checked_sub(1) {
            None => self.checker.robot().name().to_string(),
            Some(obstacle) => self.checker.obstacles()[obstacle].name().to_string(),
        }))
    }

    fn part(&self, _body: usize, part: &Part) -> String {
        match part {
            Part::Link(link) => self.checker.robot().links()[*link as usize].name().to_string(),
            part => part.to_string(),
        }
    }
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
    text += &format!(
        "{} free, {} touching, {} undecided; {} segments, {} each\n",
        summary.free,
        summary.touch,
        summary.undecided,
        summary.segments,
        time(summary.mean_us_per_segment)
    );
    if let (Some(why), Some(done)) = (summary.stopped, summary.segments_done) {
        text += &format!("stopped ({why}) after {done} segments\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path is free only if all its segments were checked. From the first that was not, it is undecided, also where a later
    /// one is known to touch.
    #[test]
    fn what_is_known_when_the_work_is_stopped() {
        let robot = Robot::new("r", vec![("base".into(), vec![])], vec![]).unwrap();
        let segment = |path, index| Segment { path, index, from: vec![], to: vec![], lines: [1, 2] };
        let undecided = Answer::Undecided { free_until: 0.5, bodies: [0, 0] };
        let done = |answer: Answer| OnceLock::from(Some(answer));
        let work = Work {
            checker: Checker::new(robot, Pose::IDENTITY, vec![]).unwrap(),
            segments: [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)].map(|(p, i)| segment(p, i)).into(),
            paths: 3,
            answers: vec![
                done(Answer::Free),
                done(Answer::Free),
                done(Answer::Free),
                OnceLock::new(),
                OnceLock::new(),
                done(undecided),
            ],
            checked: AtomicUsize::new(4),
            start: Instant::now(),
        };
        let (summary, status) = work.summary(Some(Why::Timeout));
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
