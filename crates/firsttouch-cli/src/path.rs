//! `firsttouch path`: every segment of every path of a robot.

use std::path::Path as FilePath;
use std::time::Instant;

use firsttouch::articulated::{Checker, PathReport, Robot};
use firsttouch::motion::Pose;
use firsttouch::{Options, Part};
use firsttouch_io::{build_scene, read_robot, read_scene, read_urdf, read_waypoints};
use serde::Serialize;

use crate::answer::{AnswerJson, Names, status};
use crate::args::{PathArgs, Shared};
use crate::output::{Failure, Status, bar, complain, print, print_json, table, time};

#[derive(Serialize)]
struct PathsJson {
    paths: Vec<PathJson>,
    free: usize,
    touch: usize,
    undecided: usize,
    segments: usize,
    mean_us_per_segment: f64,
}

#[derive(Serialize)]
struct PathJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    segment: Option<usize>,
    #[serde(flatten)]
    answer: AnswerJson,
}

pub(crate) fn run(args: &PathArgs, shared: &Shared) -> Result<Status, Failure> {
    let (robot, warnings) = read_robot(&args.robot, args.srdf.as_deref())?;
    let waypoints = read_waypoints(&args.waypoints, &read_urdf(&args.robot)?)?;
    for warning in warnings.iter().chain(&waypoints.warnings) {
        complain(&format!("warning: {warning}"));
    }
    let (obstacles, options) = match &args.scene {
        None => (Vec::new(), Options::default()),
        Some(path) => {
            let file = read_scene(path)?;
            (build_scene(&file, path)?.bodies().to_vec(), file.options())
        }
    };
    let mut options = shared.over(options);
    options.mode = args.mode.into();
    // A path goes to its end, whatever the scene says about its own time.
    options.t_max = 1.0;
    options.validate()?;

    let paths = configurations(&robot, &waypoints, &args.waypoints)?;
    let checker = Checker::new(robot, Pose::IDENTITY, obstacles)?;
    let segments = paths.iter().map(|path| path.len().saturating_sub(1)).sum();
    let progress = bar(segments, "checking");
    let start = Instant::now();
    let reports = checker.check_paths(&paths, &options, |_| progress.inc(1));
    let elapsed = start.elapsed().as_secs_f64() * 1e6;
    progress.finish_and_clear();
    let reports = reports?;

    let names = RobotNames { checker: &checker };
    let json = |PathReport { segment, answer, .. }: &PathReport| PathJson {
        segment: *segment,
        answer: AnswerJson::new(answer, &names),
    };
    let worst = reports.iter().map(|report| status(&report.answer)).max_by_key(|status| match status {
        Status::Free => 0,
        Status::Undecided => 1,
        Status::Touch | Status::Error => 2,
    });
    let how_many = |wanted: Status| reports.iter().filter(|report| status(&report.answer) == wanted).count();
    let checked: usize = reports.iter().map(|report| report.checked).sum();
    let summary = PathsJson {
        free: how_many(Status::Free),
        touch: how_many(Status::Touch),
        undecided: how_many(Status::Undecided),
        segments,
        mean_us_per_segment: if checked == 0 { 0.0 } else { elapsed / checked as f64 },
        paths: reports.iter().map(json).collect(),
    };
    if shared.json {
        print_json(&summary)?
    } else {
        print(&text(&summary))?
    }
    Ok(worst.unwrap_or(Status::Free))
}

/// The waypoints of each path as configurations of the robot.
fn configurations(
    robot: &Robot,
    waypoints: &firsttouch_io::Waypoints,
    file: &FilePath,
) -> Result<Vec<Vec<Vec<f64>>>, Failure> {
    let mut columns = Vec::with_capacity(waypoints.joints.len());
    for joint in &waypoints.joints {
        let missing =
            || Failure::Other(format!("{}:1: \"{joint}\" is no joint that can be moved", file.display()));
        columns.push(robot.variable(joint).ok_or_else(missing)?);
    }
    let configuration = |row: &Vec<f64>| {
        let mut values = robot.zero();
        for (&column, &value) in columns.iter().zip(row) {
            values[column] = value;
        }
        values
    };
    Ok(waypoints.paths.iter().map(|path| path.rows.iter().map(configuration).collect()).collect())
}

/// Body 0 is the robot, the others are the obstacles; links have names.
struct RobotNames<'a> {
    checker: &'a Checker,
}

impl Names for RobotNames<'_> {
    fn bodies(&self, indices: [usize; 2]) -> Option<[String; 2]> {
        Some(indices.map(|index| match index.checked_sub(1) {
            None => self.checker.robot().name().to_string(),
            Some(obstacle) => self.checker.obstacle(obstacle).name().to_string(),
        }))
    }

    fn part(&self, _body: usize, part: &Part) -> String {
        match part.link() {
            Some(link) => self.checker.robot().links()[link].name().to_string(),
            None => part.to_string(),
        }
    }

    fn part_path(&self, _body: usize, part: &Part) -> String {
        self.checker.robot().part_path(part)
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
    text
}
