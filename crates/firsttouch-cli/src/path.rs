//! `firsttouch path`: every segment of every path of a robot.

use std::path::Path as FilePath;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use firsttouch::articulated::{Checker, Robot, StepReport};
use firsttouch::motion::Pose;
use firsttouch::parallel::Workers;
use firsttouch::{Answer, Options, Part};
use firsttouch_io::{build_scene, read_robot, read_scene, read_urdf, read_waypoints};
use serde::Serialize;

use crate::answer::{AnswerJson, Names, status, word};
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

/// One segment: which path, which of its segments, and the two configurations.
struct Segment {
    path: usize,
    index: usize,
    from: Vec<f64>,
    to: Vec<f64>,
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

    let segments = segments(&robot, &waypoints, &args.waypoints)?;
    let count = waypoints.paths.len();
    let checker = Checker::new(robot, Pose::IDENTITY, obstacles)?;
    let progress = bar(segments.len(), "checking");
    // What comes after the first touch of a path need not be looked at. Which segments are left out depends on the
    // threads, the answer does not.
    let first_touch: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(usize::MAX)).collect();
    let checked = AtomicUsize::new(0);
    let start = Instant::now();
    let reports = Workers::new(options.threads).map(&segments, |segment| {
        progress.inc(1);
        if first_touch[segment.path].load(Ordering::Relaxed) < segment.index {
            return Ok(None);
        }
        checked.fetch_add(1, Ordering::Relaxed);
        let report = checker.check_step(&segment.from, &segment.to, &options)?;
        if report.answer != Answer::Free {
            first_touch[segment.path].fetch_min(segment.index, Ordering::Relaxed);
        }
        Ok(Some(report))
    });
    let elapsed = start.elapsed().as_secs_f64() * 1e6;
    progress.finish_and_clear();
    let reports = reports.into_iter().collect::<Result<Vec<Option<StepReport>>, Failure>>()?;
    let checked = checked.into_inner();

    // The first segment of each path that is not free, if there is one.
    let mut found: Vec<Option<(usize, Answer)>> = vec![None; count];
    for (segment, report) in segments.iter().zip(reports) {
        let slot = &mut found[segment.path];
        if let (None, Some(report)) = (&slot, report)
            && report.answer != Answer::Free
        {
            *slot = Some((segment.index, report.answer));
        }
    }
    let names = RobotNames { checker: &checker };
    let paths: Vec<PathJson> = found
        .iter()
        .map(|found| match found {
            None => PathJson { segment: None, answer: AnswerJson::new(&Answer::Free, &names) },
            Some((segment, answer)) => {
                PathJson { segment: Some(*segment), answer: AnswerJson::new(answer, &names) }
            }
        })
        .collect();
    let worst = found
        .iter()
        .map(|found| found.as_ref().map_or(Status::Free, |(_, answer)| status(answer)))
        .max_by_key(|status| match status {
            Status::Free => 0,
            Status::Undecided => 1,
            Status::Touch | Status::Error => 2,
        })
        .unwrap_or(Status::Free);
    let how_many = |wanted: &[&str]| paths.iter().filter(|path| wanted.contains(&path.answer.answer)).count();
    let summary = PathsJson {
        free: how_many(&["free"]),
        touch: how_many(&["touch", "touching_at_start"]),
        undecided: how_many(&["undecided"]),
        segments: segments.len(),
        mean_us_per_segment: if checked == 0 { 0.0 } else { elapsed / checked as f64 },
        paths,
    };
    if shared.json {
        print_json(&summary)?
    } else {
        print(&text(&summary, &found))?
    }
    Ok(worst)
}

fn segments(
    robot: &Robot,
    waypoints: &firsttouch_io::Waypoints,
    file: &FilePath,
) -> Result<Vec<Segment>, Failure> {
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
    let of_path = |(path, rows): (usize, &firsttouch_io::WaypointPath)| {
        let rows: Vec<Vec<f64>> = rows.rows.iter().map(configuration).collect();
        let steps = rows.windows(2).enumerate();
        steps
            .map(|(index, ends)| Segment { path, index, from: ends[0].clone(), to: ends[1].clone() })
            .collect::<Vec<_>>()
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

fn text(summary: &PathsJson, found: &[Option<(usize, Answer)>]) -> String {
    let rows: Vec<Vec<String>> = summary
        .paths
        .iter()
        .zip(found)
        .enumerate()
        .map(|(i, (path, found))| {
            let answer = &path.answer;
            let parts = answer.parts.clone().unwrap_or_default();
            let bodies = answer.bodies.clone().unwrap_or_default();
            let side = |k: usize| [bodies[k].as_str(), parts[k].as_str()].join(" ").trim().to_string();
            let word = found.as_ref().map_or("free", |(_, answer)| word(answer));
            let number = |value: Option<f64>| value.map(|t| format!("{t:.6}")).unwrap_or_default();
            let segment = path.segment.map(|segment| segment.to_string()).unwrap_or_default();
            let t = number(answer.toi.or(answer.free_until));
            vec![i.to_string(), word.to_string(), segment, t, side(0), side(1)]
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
