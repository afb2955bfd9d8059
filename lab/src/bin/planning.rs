//! A planner on a file of problems: how many it solves, how long it takes, and how long its paths are.
//!
//! `cargo run --release -p firsttouch-lab --bin planning -- FILE` plans each problem of the file and prints a row per
//! family. The file is in the format of the shared planning problems: `problem FAMILY INDEX`, `start` and `goal` with a
//! number per joint, obstacles (`box X Y Z`, `cylinder LENGTH RADIUS`, `sphere RADIUS`, each followed by its position
//! and its quaternion `w x y z`), `end`.
//!
//! - `--robot ROBOT.urdf`, `--srdf ROBOT.srdf`: the robot; without them, the panda of the shared robots beside the
//!   file.
//! - `--only FAMILY`, `--limit N`: some problems only. `--seed N`, `--samples N`: the options of the planner.
//! - `--repeat N`: plans N times and takes the shortest time of each problem.
//! - `--list`: a line per problem. `--write FOLDER`: the path of each problem as a file of waypoints.
//! - `--timed A,A,..`: each path also becomes a trajectory within the robot's limits of velocity and these
//!   accelerations; `--jerk J,J,..`. A second table has its time, its duration and the duration with a stop at every
//!   waypoint. `--write` writes its rows beside the path.
//! - `--quiet`: nothing but planning, for a profiler.
//!
//! The robot is known and the world is new: a checker of the robot alone is cloned and gets the obstacles, which is not
//! part of the time. Each path is proven once more by `Checker::check_path`, outside of the time. `length` is the
//! 2-norm of the joint values. `clearance` is the mean of the least clearance of each path, in millimetres.
//! Instructions are counted where `measured` runs:
//!
//! ```text
//! valgrind --tool=callgrind --collect-atstart=no --toggle-collect='*measured*' target/release/planning FILE --quiet
//! ```

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use firsttouch::articulated::Checker;
use firsttouch::motion::{Motion, Pose};
use firsttouch::planning::{
    MotionLimits, Outcome, Plan, PlanControl, PlanOptions, PlanStats, TimedOutcome, TimedPlan, plan, timed,
};
use firsttouch::shape::{Cuboid, Cylinder, Shape, Sphere};
use firsttouch::{Answer, Body, Options};
use firsttouch_io::read_robot;
use glam::{DQuat, DVec3, dvec3};

type Failure = Box<dyn std::error::Error>;

/// The options of the command line.
#[derive(Default)]
struct Arguments {
    file: PathBuf,
    robot: Option<PathBuf>,
    srdf: Option<PathBuf>,
    only: Option<String>,
    limit: Option<usize>,
    seed: u64,
    samples: Option<usize>,
    repeat: usize,
    list: bool,
    write: Option<PathBuf>,
    timed: Option<Vec<f64>>,
    jerk: Option<Vec<f64>>,
    quiet: bool,
}

/// A problem of the file.
struct Problem {
    family: String,
    index: String,
    start: Vec<f64>,
    goal: Vec<f64>,
    obstacles: Vec<Body>,
}

/// The sums over the problems of a family.
#[derive(Default)]
struct Row {
    problems: usize,
    solved: usize,
    /// In milliseconds, of each problem.
    times: Vec<f64>,
    stats: Vec<PlanStats>,
    lengths: Vec<f64>,
    clearances: Vec<f64>,
    waypoints: usize,
    hash: DefaultHasher,
    trajectories: Trajectories,
}

/// The sums over the trajectories of a family.
#[derive(Default)]
struct Trajectories {
    /// In milliseconds, of each trajectory.
    times: Vec<f64>,
    /// In seconds.
    durations: Vec<f64>,
    /// The same with a stop at every waypoint.
    with_stops: Vec<f64>,
    stops: usize,
    pieces: usize,
    checks: usize,
    not_proven: usize,
}

fn main() -> Result<(), Failure> {
    let arguments = arguments()?;
    let beside = arguments.file.parent().unwrap_or(Path::new(".")).join("../robots/panda");
    let urdf = arguments.robot.clone().unwrap_or_else(|| beside.join("panda.urdf"));
    let srdf =
        arguments.srdf.clone().or_else(|| arguments.robot.is_none().then(|| beside.join("panda.srdf")));
    let (robot, _) = read_robot(&urdf, srdf.as_deref())?;
    let alone = Checker::new(robot, Pose::IDENTITY, vec![])?;
    let mut problems = problems(&std::fs::read_to_string(&arguments.file)?)?;
    problems.retain(|problem| arguments.only.as_ref().is_none_or(|only| *only == problem.family));
    problems.truncate(arguments.limit.unwrap_or(usize::MAX));

    let defaults = PlanOptions::default();
    let options = PlanOptions {
        seed: arguments.seed,
        max_samples: arguments.samples.unwrap_or(defaults.max_samples),
        ..defaults
    };
    // The first plan includes the work that is done once for a robot.
    if let Some(Problem { start, goal, obstacles, .. }) = problems.first() {
        let mut checker = alone.clone();
        checker.set_obstacles(obstacles.clone())?;
        plan(&checker, start, goal, &options, &PlanControl::default())?;
    }
    if !arguments.quiet {
        println!(
            "family               solved  median    mean     p95 ms |   worst  prepared us | samples   nodes  checks guesses refuted | \
             waypoints length clearance mm  hash"
        );
    }
    let limits =
        arguments.timed.as_ref().map(|acceleration| limits(&alone, acceleration, &arguments)).transpose()?;
    let (mut rows, mut all): (Vec<(String, Row)>, Row) = (Vec::new(), Row::default());
    let mut preparing = 0.0;
    for problem in &problems {
        let mut best = f64::INFINITY;
        let mut outcome = None;
        let mut checker = alone.clone();
        for _ in 0..arguments.repeat.max(1) {
            let start = Instant::now();
            checker = alone.clone();
            checker.set_obstacles(problem.obstacles.clone())?;
            preparing += 1e6 * start.elapsed().as_secs_f64();
            let start = Instant::now();
            outcome = Some(measured(&checker, problem, &options)?);
            best = best.min(1e3 * start.elapsed().as_secs_f64());
        }
        if arguments.quiet {
            continue;
        }
        let Some(outcome) = outcome else { continue };
        if rows.last().is_none_or(|(family, _)| *family != problem.family) {
            rows.push((problem.family.clone(), Row::default()));
        }
        if arguments.list {
            println!("{} {}: {best:.3} ms, {}", problem.family, problem.index, described(&outcome));
        }
        if let (Outcome::Found(plan), Some(folder)) = (&outcome, &arguments.write) {
            write(folder, problem, &alone, &plan.waypoints)?;
        }
        if let (Outcome::Found(plan), Some(limits)) = (&outcome, &limits) {
            let mut best = f64::INFINITY;
            let mut outcome = None;
            for _ in 0..arguments.repeat.max(1) {
                let start = Instant::now();
                outcome = Some(measured_timed(&checker, plan, limits)?);
                best = best.min(1e3 * start.elapsed().as_secs_f64());
            }
            let stopping = stopping(&alone, &plan.waypoints, limits)?;
            if let (Some(TimedOutcome::Proven(timed)), Some(folder)) = (&outcome, &arguments.write) {
                write_timed(folder, problem, &alone, timed)?;
            }
            for row in rows.last_mut().map(|(_, row)| row).into_iter().chain([&mut all]) {
                row.trajectories.add(outcome.as_ref(), best, stopping);
            }
        }
        if let Some((_, row)) = rows.last_mut() {
            row.add(&checker, &outcome, best)?;
            all.add(&checker, &outcome, best)?;
        }
    }
    if !arguments.quiet {
        preparing /= (problems.len() * arguments.repeat.max(1)) as f64;
        rows.push(("all".into(), all));
        rows.iter_mut().for_each(|(family, row)| row.print(family, preparing));
        if limits.is_some() {
            println!(
                "trajectory         proven  median    mean     p95 ms |   worst | pieces checks stops | seconds  with stops"
            );
            rows.iter_mut().for_each(|(family, row)| row.trajectories.print(family));
        }
    }
    Ok(())
}

#[inline(never)]
fn measured(checker: &Checker, problem: &Problem, options: &PlanOptions) -> firsttouch::Result<Outcome> {
    plan(checker, &problem.start, &problem.goal, options, &PlanControl::default())
}

#[inline(never)]
fn measured_timed(checker: &Checker, plan: &Plan, limits: &MotionLimits) -> firsttouch::Result<TimedOutcome> {
    plan.timed(checker, limits, &Options::default())
}

fn limits(robot: &Checker, acceleration: &[f64], arguments: &Arguments) -> Result<MotionLimits, Failure> {
    let velocities = robot.robot().variables().iter().map(|variable| variable.velocity);
    let velocities: Option<Vec<f64>> = velocities.collect();
    let velocities = velocities.ok_or("the robot has a joint without a limit of velocity")?;
    let mut limits = MotionLimits::new(velocities, acceleration.to_vec());
    limits.jerk.clone_from(&arguments.jerk);
    Ok(limits)
}

/// The seconds with a stop at every waypoint: those of each edge alone, away from all obstacles.
fn stopping(robot: &Checker, waypoints: &[Vec<f64>], limits: &MotionLimits) -> Result<f64, Failure> {
    let mut bare = robot.clone();
    bare.allow("*", "*")?;
    let mut seconds = 0.0;
    for edge in waypoints.windows(2) {
        if let TimedOutcome::Proven(timed) = timed(&bare, edge, limits, &Options::default())? {
            seconds += timed.duration();
        }
    }
    Ok(seconds)
}

fn write_timed(
    folder: &Path,
    problem: &Problem,
    checker: &Checker,
    timed: &TimedPlan,
) -> Result<(), Failure> {
    let mut file =
        std::fs::File::create(folder.join(format!("{}-{}.timed.csv", problem.family, problem.index)))?;
    let names: Vec<&str> =
        checker.robot().variables().iter().map(|variable| variable.name.as_str()).collect();
    let velocities: Vec<String> = names.iter().map(|name| format!("{name}/velocity")).collect();
    writeln!(file, "time,{},{}", names.join(","), velocities.join(","))?;
    for ((time, waypoint), velocity) in timed.times.iter().zip(&timed.waypoints).zip(&timed.velocities) {
        let values: Vec<String> =
            [time].into_iter().chain(waypoint).chain(velocity).map(f64::to_string).collect();
        writeln!(file, "{}", values.join(","))?;
    }
    Ok(())
}

impl Trajectories {
    fn add(&mut self, outcome: Option<&TimedOutcome>, time: f64, with_stops: f64) {
        self.times.push(time);
        let Some(TimedOutcome::Proven(timed)) = outcome else {
            self.not_proven += 1;
            return;
        };
        self.durations.push(timed.duration());
        self.with_stops.push(with_stops);
        self.stops += timed.stops;
        self.pieces += timed.times.len() - 1;
        self.checks += timed.checks;
    }

    fn print(&mut self, family: &str) {
        if self.times.is_empty() {
            return;
        }
        self.times.sort_by(f64::total_cmp);
        let at = |share: f64| self.times[((self.times.len() - 1) as f64 * share).round() as usize];
        let count = self.times.len();
        let mean = |sum: f64| sum / count as f64;
        println!(
            "{family:18} {:4} of {count:3} {:7.3} {:7.3} {:7.3}    | {:7.3} | {:6.1} {:6.1} {:5.2} | {:7.4} {:11.4}",
            count - self.not_proven,
            at(0.5),
            mean(self.times.iter().sum()),
            at(0.95),
            at(1.0),
            mean(self.pieces as f64),
            mean(self.checks as f64),
            mean(self.stops as f64),
            mean(self.durations.iter().sum()),
            mean(self.with_stops.iter().sum()),
        );
    }
}

fn described(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Found(plan) => format!("{} waypoints, {:?}", plan.waypoints.len(), plan.stats),
        Outcome::NotFound { stats, .. } => format!("not found, {stats:?}"),
        Outcome::EndNotFree { end, answer } => format!("end {end} is not free: {answer:?}"),
        _ => "another outcome".into(),
    }
}

fn write(folder: &Path, problem: &Problem, checker: &Checker, waypoints: &[Vec<f64>]) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)?;
    let mut file = std::fs::File::create(folder.join(format!("{}-{}.csv", problem.family, problem.index)))?;
    let names: Vec<&str> =
        checker.robot().variables().iter().map(|variable| variable.name.as_str()).collect();
    writeln!(file, "{}", names.join(","))?;
    for waypoint in waypoints {
        let values: Vec<String> = waypoint.iter().map(f64::to_string).collect();
        writeln!(file, "{}", values.join(","))?;
    }
    Ok(())
}

impl Row {
    fn add(&mut self, checker: &Checker, outcome: &Outcome, time: f64) -> Result<(), Failure> {
        self.problems += 1;
        self.times.push(time);
        match outcome {
            Outcome::Found(plan) => {
                self.solved += 1;
                self.stats.push(plan.stats);
                let report = checker.check_path(&plan.waypoints, &Options::default(), |_| ())?;
                if report.answer != Answer::Free {
                    return Err(format!("a path that is not free: {:?}", report.answer).into());
                }
                self.waypoints += plan.waypoints.len();
                self.lengths.push(plan.waypoints.windows(2).map(|ends| norm(&ends[0], &ends[1])).sum());
                let clearance = checker.clearance(&plan.waypoints, &Options::default())?;
                self.clearances.push(1e3 * clearance.map_or(0.0, |clearance| clearance.clearance.lower));
                plan.waypoints.iter().flatten().for_each(|value| value.to_bits().hash(&mut self.hash));
            }
            Outcome::NotFound { stats, .. } => self.stats.push(*stats),
            _ => 0.hash(&mut self.hash),
        }
        Ok(())
    }

    fn print(&mut self, family: &str, preparing: f64) {
        self.times.sort_by(f64::total_cmp);
        let at = |share: f64| self.times[((self.times.len() - 1) as f64 * share).round() as usize];
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let sum = |count: fn(&PlanStats) -> usize| {
            self.stats.iter().map(count).sum::<usize>() as f64 / self.stats.len().max(1) as f64
        };
        println!(
            "{family:18} {:4} of {:3} {:7.3} {:7.3} {:7.3}    | {:7.3} {:12.1} | {:7.0} {:7.0} {:7.1} {:7.1} {:7.2} | {:9.2} {:6.2} {:12.2}  {:016x}",
            self.solved,
            self.problems,
            at(0.5),
            mean(&self.times),
            at(0.95),
            at(1.0),
            preparing,
            sum(|stats| stats.samples),
            sum(|stats| stats.nodes),
            sum(|stats| stats.checks),
            sum(|stats| stats.guesses),
            sum(|stats| stats.refuted),
            self.waypoints as f64 / self.solved.max(1) as f64,
            mean(&self.lengths),
            mean(&self.clearances),
            self.hash.finish(),
        );
    }
}

fn norm(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

fn arguments() -> Result<Arguments, Failure> {
    let mut arguments = Arguments { repeat: 1, ..Arguments::default() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--robot" => arguments.robot = Some(value()?.into()),
            "--srdf" => arguments.srdf = Some(value()?.into()),
            "--only" => arguments.only = Some(value()?),
            "--limit" => arguments.limit = Some(value()?.parse()?),
            "--seed" => arguments.seed = value()?.parse()?,
            "--samples" => arguments.samples = Some(value()?.parse()?),
            "--repeat" => arguments.repeat = value()?.parse()?,
            "--write" => arguments.write = Some(value()?.into()),
            "--timed" => arguments.timed = Some(numbers(&value()?)?),
            "--jerk" => arguments.jerk = Some(numbers(&value()?)?),
            "--list" => arguments.list = true,
            "--quiet" => arguments.quiet = true,
            file if !file.starts_with('-') => arguments.file = file.into(),
            _ => return Err(format!("unknown argument {word}").into()),
        }
    }
    if arguments.file.as_os_str().is_empty() {
        return Err("planning FILE: the file of the problems is missing".into());
    }
    Ok(arguments)
}

fn numbers(text: &str) -> Result<Vec<f64>, Failure> {
    Ok(text.split(',').map(str::parse).collect::<Result<_, _>>()?)
}

fn problems(text: &str) -> Result<Vec<Problem>, Failure> {
    let mut problems = Vec::new();
    let mut open: Option<Problem> = None;
    for (number, line) in text.lines().enumerate() {
        let wrong = |what: &str| -> Failure { format!("line {}: {what}", number + 1).into() };
        let mut words = line.split_whitespace();
        let Some(key) = words.next() else { continue };
        if key == "problem" {
            let family = words.next().ok_or_else(|| wrong("a family is missing"))?.into();
            let index = words.next().unwrap_or_default().into();
            open = Some(Problem { family, index, start: vec![], goal: vec![], obstacles: vec![] });
            continue;
        }
        let problem = open.as_mut().ok_or_else(|| wrong("outside of a problem"))?;
        let values = words.map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        match (key, &values[..]) {
            ("start", _) => problem.start = values,
            ("goal", _) => problem.goal = values,
            ("end", _) => problems.extend(open.take()),
            ("box", &[x, y, z, ref pose @ ..]) => problem.add(Cuboid::new(dvec3(x, y, z))?, pose)?,
            ("cylinder", &[length, radius, ref pose @ ..]) => {
                problem.add(Cylinder::new(radius, length)?, pose)?
            }
            ("sphere", &[radius, ref pose @ ..]) => problem.add(Sphere::new(radius)?, pose)?,
            _ => return Err(wrong("it cannot be read")),
        }
    }
    Ok(problems)
}

impl Problem {
    fn add(&mut self, shape: impl Into<Shape>, pose: &[f64]) -> Result<(), Failure> {
        let &[x, y, z, qw, qx, qy, qz] = pose else { return Err("an obstacle without a pose".into()) };
        let pose = Pose::new(DVec3::new(x, y, z), DQuat::from_xyzw(qx, qy, qz, qw))?;
        let name = format!("obstacle {}", self.obstacles.len());
        self.obstacles.push(Body::new(name, shape.into(), Motion::fixed(pose)));
        Ok(())
    }
}
