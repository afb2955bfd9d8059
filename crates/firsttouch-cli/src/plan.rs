//! `firsttouch plan`: a path of a robot, every edge of it proven free.
//!
//! Without `--out` the path goes to standard output, in the form that `firsttouch path` and `firsttouch view` read.

mod timed;

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use firsttouch::articulated::{Checker, Robot};
use firsttouch::planning::{
    Method, Outcome, Plan, PlanControl, PlanOptions, PlanStats, Space, TimedOutcome, plan_in,
};
use firsttouch::{Answer, Options};
use firsttouch_io::prepare_folder;
use serde::Serialize;

use crate::answer::{AnswerJson, status};
use crate::args::{Bounds, Shared};
use crate::input::{is_standard_input, read_robot_file};
use crate::output::{Failure, Status, clock, complain, print, print_json};
use crate::stop;
use crate::surroundings::{StanceArgs, Surroundings};
use timed::{TimedArgs, TimedJson};

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The robot; - for standard input
    #[arg(value_name = "ROBOT.urdf")]
    robot: PathBuf,
    /// The start of the path: a number per joint, or JOINT=VALUE with the other joints at zero; separated by commas or
    /// spaces
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    from: String,
    /// The end of the path, in the same form
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    to: String,
    /// The links that are not checked against each other, besides those joined by a joint
    #[arg(long, value_name = "ROBOT.srdf")]
    srdf: Option<PathBuf>,
    /// The obstacles, the bodies that the robot holds and the pairs that may touch, as a scene file; - for standard
    /// input
    #[arg(long, value_name = "OBSTACLES.toml")]
    scene: Option<PathBuf>,
    #[command(flatten)]
    stance: StanceArgs,
    /// The seed of the random samples; the same seed gives the same path
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Write the path to this file, as `firsttouch path` reads it; standard output without it
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
    /// The method of the search
    #[arg(long, value_enum, default_value_t = MethodArg::RrtConnect)]
    method: MethodArg,
    /// The range of a joint, in place of its limits; a joint that slides without limits needs one
    #[arg(long, value_name = "JOINT=LOW:HIGH", allow_hyphen_values = true)]
    range: Vec<String>,
    /// End without a path after this many random samples
    #[arg(long, value_name = "N", default_value_t = PlanOptions::default().max_samples)]
    max_samples: usize,
    /// How many shortcuts to try
    #[arg(long, value_name = "N", default_value_t = PlanOptions::default().shortcuts)]
    shortcuts: usize,
    /// How often to cut all corners; each time may double the number of waypoints
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=8))]
    smooth: u8,
    #[command(flatten)]
    timed: TimedArgs,
    #[command(flatten)]
    pub(crate) bounds: Bounds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodArg {
    /// Two trees that grow towards each other
    RrtConnect,
    /// A roadmap whose edges are proven when they are needed
    Roadmap,
}

/// A path, or why there is none. A field that does not apply is left out.
#[derive(Serialize)]
struct PlanJson {
    #[serde(flatten)]
    answer: AnswerJson,
    /// The end of the path that is not free: `from` or `to`.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    joints: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waypoints: Option<Vec<Vec<f64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edges: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    found_length: Option<f64>,
    /// Nothing on the path is closer than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    clearance: Option<f64>,
    /// True if the end touches only because the robot is padded.
    #[serde(skip_serializing_if = "Option::is_none")]
    because_of_padding: Option<bool>,
    /// With `--timed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    timed: Option<TimedJson>,
    /// The seconds from the start at which the trajectory touches, or up to which it is proven free.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f64>,
    seed: u64,
    stats: StatsJson,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'static str>,
}

#[derive(Serialize)]
struct StatsJson {
    samples: usize,
    checks: usize,
    nodes: usize,
    guesses: usize,
    refuted: usize,
}

impl From<PlanStats> for StatsJson {
    fn from(stats: PlanStats) -> StatsJson {
        let PlanStats { samples, checks, nodes, guesses, refuted, .. } = stats;
        StatsJson { samples, checks, nodes, guesses, refuted }
    }
}

pub(crate) fn run(args: &PlanArgs, shared: &Shared) -> Result<Status, Failure> {
    let inputs = [Some(&args.robot), args.scene.as_ref()];
    if inputs.into_iter().flatten().filter(|path| is_standard_input(path)).count() > 1 {
        return Err(Failure::Other("only one of the files can be standard input".into()));
    }
    let files = args.bounds.files()?;
    if let Some(folder) = args.out.as_deref().and_then(|file| file.parent()) {
        prepare_folder(if folder.as_os_str().is_empty() { ".".as_ref() } else { folder })?;
    }
    let file = read_robot_file(&files, &args.robot)?;
    let (robot, scenery, warnings) = files.robot_and_scenery(&file, args.srdf.as_deref())?;
    warnings.iter().for_each(|warning| complain(&format!("warning: {warning}")));
    let [from, to] = [configuration(&robot, &args.from, "--from")?, configuration(&robot, &args.to, "--to")?];
    let ranges = args.range.iter().map(|text| range(&robot, text)).collect::<Result<Vec<_>, _>>()?;
    let space = Space::new(&robot, [&from, &to], &ranges).map_err(with_advice)?;
    // Attached bodies and allowed pairs are read as `firsttouch path` reads them.
    let Surroundings { checker, grasps, options, duration, .. } =
        Surroundings::read(&files, &file, (robot, &scenery), args.scene.as_deref(), &args.stance)?;
    if let Some(grasp) = grasps.first() {
        return Err(Failure::Other(format!(
            "\"{}\" is taken up on the way (`at`): plan the path up to there, and the path from there on with the body attached",
            grasp.body
        )));
    }
    let options = PlanOptions {
        method: match args.method {
            MethodArg::RrtConnect => Method::RrtConnect,
            MethodArg::Roadmap => Method::Roadmap,
        },
        seed: args.seed,
        max_samples: args.max_samples,
        shortcuts: args.shortcuts,
        smoothing: usize::from(args.smooth),
        check: shared.over(options),
        ..PlanOptions::default()
    };

    let limits = timed::limits(checker.robot(), &args.timed, duration)?;
    // A path has no times: obstacles that move come in when it gets them.
    let (all, checker) = match &limits {
        None => (None, checker),
        Some(_) => {
            let resting = timed::at_rest(&checker)?;
            (Some(checker), resting)
        }
    };
    let progress = clock("planning".into());
    let shown = |stats: PlanStats| {
        let PlanStats { samples, guesses, checks, .. } = stats;
        progress.set_message(format!("planning, {samples} samples, {guesses} guesses, {checks} checks"));
    };
    let (interrupt, start) = (stop::interrupt(), Instant::now());
    // A path that is known when the work is stopped is still proven: that takes a few checks.
    let control =
        PlanControl { interrupt: Some(&interrupt), progress: Some(&shown), ..PlanControl::default() };
    let outcome = plan_in(&space, &checker, &from, &to, &options, &control)?;
    progress.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    let clearance = match &outcome {
        Outcome::Found(plan) if shared.json => plan.clearance(&checker, &options.check)?,
        _ => None,
    };
    let is_padding_alone = match &outcome {
        Outcome::EndNotFree { end, answer } => {
            answer.touch().is_some() && is_free_without_padding(&checker, [&from, &to][*end], &options.check)?
        }
        _ => false,
    };
    let start = Instant::now();
    let timed = match (&outcome, &limits, &all) {
        (Outcome::Found(plan), Some(limits), Some(all)) => {
            Some(timed::timed(plan, all, limits, &options.check, &interrupt)?)
        }
        _ => None,
    };
    let timed_seconds = start.elapsed().as_secs_f64();
    let (mut json, mut exit) = answer(&checker, outcome, args.seed, seconds);
    match (timed, &all) {
        (Some(TimedOutcome::Proven(timed)), _) => json.timed = Some(TimedJson::new(timed, timed_seconds)),
        (Some(TimedOutcome::NotProven { answer, time, is_interrupted, .. }), Some(all)) => {
            exit = status(&answer);
            json.answer = AnswerJson::new(&answer, all);
            (json.reason, json.time) = (Some("timed"), Some(time));
            json.stopped = stop::reason().filter(|_| is_interrupted).map(stop::StopReason::word);
        }
        _ => {}
    }
    json.clearance = clearance.map(|least| least.clearance.lower);
    json.because_of_padding = is_padding_alone.then_some(true);
    let csv = match (&json.timed, &json.waypoints) {
        (Some(timed), _) => Some(timed.csv(&json.joints)),
        (None, Some(waypoints)) if json.time.is_none() => Some(csv(&json, waypoints)),
        _ => None,
    };
    if let (Some(file), Some(csv)) = (&args.out, &csv) {
        firsttouch_io::save(file, |out| out.write_all(csv.as_bytes()))?;
    }
    match (shared.json, csv) {
        (true, _) => print_json(&json)?,
        (false, Some(csv)) if args.out.is_none() => print(&csv)?,
        (false, _) => print(&(text(&json) + "\n"))?,
    }
    Ok(exit)
}

fn answer(checker: &Checker, outcome: Outcome, seed: u64, seconds: f64) -> (PlanJson, Status) {
    let names = checker;
    let json = |answer: AnswerJson, stats: PlanStats| PlanJson {
        answer,
        end: None,
        reason: None,
        joints: checker.robot().variables().iter().map(|variable| variable.name.clone()).collect(),
        waypoints: None,
        edges: None,
        length: None,
        found_length: None,
        clearance: None,
        because_of_padding: None,
        timed: None,
        time: None,
        seed,
        stats: stats.into(),
        seconds,
        stopped: None,
    };
    match outcome {
        Outcome::Found(Plan { waypoints, length, found_length, stats, .. }) => {
            let found = PlanJson {
                edges: Some(waypoints.len() - 1),
                waypoints: Some(waypoints),
                length: Some(length),
                found_length: Some(found_length),
                ..json(AnswerJson::new(&Answer::Free, names), stats)
            };
            (found, Status::Free)
        }
        Outcome::EndNotFree { end, answer } => {
            let end = ["from", "to"][end.min(1)];
            let blocked =
                PlanJson { end: Some(end), ..json(AnswerJson::new(&answer, names), PlanStats::default()) };
            (blocked, status(&answer))
        }
        Outcome::NotFound { is_interrupted, stats, .. } => {
            let stopped = stop::reason().filter(|_| is_interrupted).map(stop::StopReason::word);
            let reason = if is_interrupted { "stopped" } else { "samples" };
            (
                PlanJson { reason: Some(reason), stopped, ..json(AnswerJson::stopped(), stats) },
                Status::Undecided,
            )
        }
        _ => (json(AnswerJson::stopped(), PlanStats::default()), Status::Undecided),
    }
}

/// Returns true if nothing touches in a configuration without the padding of the robot.
fn is_free_without_padding(checker: &Checker, at: &[f64], check: &Options) -> Result<bool, Failure> {
    let mut bare = checker.clone();
    bare.set_padding(0.0)?;
    let robot = checker.robot();
    let own = (0..robot.links().len()).filter(|&link| !robot.is_attached(link));
    own.map(|link| robot.links()[link].name()).try_for_each(|name| bare.set_link_padding(name, 0.0))?;
    Ok(bare.check_state(at, check)?.answer == Answer::Free)
}

/// Returns the waypoints of a path between two configurations from the command line, for a page; the straight way, and
/// a complaint, if none is found.
pub(crate) fn shown_waypoints(
    checker: &Checker,
    [from, to]: [&str; 2],
    seed: u64,
    check: Options,
) -> Result<Vec<Vec<f64>>, Failure> {
    let robot = checker.robot();
    let [from, to] = [configuration(robot, from, "--from")?, configuration(robot, to, "--to")?];
    let space = Space::new(robot, [&from, &to], &[]).map_err(|error| Failure::Other(error.to_string()))?;
    let options = PlanOptions { seed, check, ..PlanOptions::default() };
    let interrupt = stop::interrupt();
    let control = PlanControl { interrupt: Some(&interrupt), ..PlanControl::default() };
    match plan_in(&space, checker, &from, &to, &options, &control)? {
        Outcome::Found(Plan { waypoints, .. }) => Ok(waypoints),
        outcome => {
            let (json, _) = answer(checker, outcome, seed, 0.0);
            complain(&format!("warning: {}; the straight way is shown", why_not(&json)));
            Ok(vec![from, to])
        }
    }
}

/// Returns the result in a line.
fn text(json: &PlanJson) -> String {
    let StatsJson { samples, checks, guesses, .. } = json.stats;
    let work = format!("{samples} samples, {guesses} guesses, {checks} checks, {:.4} s", json.seconds);
    if let (Some(edges), Some(length), Some(found)) = (json.edges, json.length, json.found_length) {
        let path =
            format!("{edges} edges, all proven free; length {length:.4}, found with {found:.4}; {work}");
        return match (&json.timed, json.time) {
            (Some(timed), _) => format!("{path}\n{}", timed.text()),
            (None, Some(time)) => format!("{path}\n{}", no_trajectory(json, time)),
            (None, None) => path,
        };
    }
    match json.end {
        Some(_) => why_not(json),
        None => format!("{}; {work}", why_not(json)),
    }
}

/// Returns the reason why there is no path.
fn why_not(json: &PlanJson) -> String {
    if let Some(end) = json.end {
        let pair = pair(json);
        return match json.answer.answer {
            "undecided" => {
                format!("no path: whether --{end} touches is undecided{pair}; --max-iterations may help")
            }
            _ if json.because_of_padding == Some(true) => {
                format!("no path: --{end} touches because of the padding{pair}")
            }
            _ => format!("no path: --{end} touches{pair}"),
        };
    }
    match json.stopped {
        Some(why) => format!("no path found when the search was stopped ({why})"),
        None => "no path found, which proves nothing: another --seed or more --max-samples may help".into(),
    }
}

/// Returns the reason why a path has no trajectory.
fn no_trajectory(json: &PlanJson, time: f64) -> String {
    match (json.stopped, json.answer.answer) {
        (Some(why), _) => format!("no trajectory when the proof was stopped ({why})"),
        (None, "undecided") => {
            format!("no trajectory: whether it touches after {time:.4} s is undecided{}", pair(json))
        }
        (None, _) => format!("no trajectory: it touches at {time:.4} s{}", pair(json)),
    }
}

/// Returns the names of the two that touch.
fn pair(json: &PlanJson) -> String {
    let pair = json.answer.bodies.clone().map(|bodies| {
        let parts = json.answer.parts.clone().unwrap_or_default();
        let side = |k: usize| [bodies[k].as_str(), parts[k].as_str()].join(" ").trim().to_string();
        format!(": {} and {}", side(0), side(1))
    });
    pair.unwrap_or_default()
}

/// Returns the path as a file of waypoints: the names of the joints, then a row per waypoint, and nothing else, so that
/// any reader of tables takes it.
fn csv(json: &PlanJson, waypoints: &[Vec<f64>]) -> String {
    let mut csv = json.joints.join(",") + "\n";
    for row in waypoints {
        // The shortest digits that are read back as the same number.
        let row: Vec<String> = row.iter().map(f64::to_string).collect();
        csv += &(row.join(",") + "\n");
    }
    csv
}

/// Reads a configuration from the command line.
fn configuration(robot: &Robot, text: &str, option: &str) -> Result<Vec<f64>, Failure> {
    let wrong = |what: String| Failure::Other(format!("{option}: {what}"));
    let words: Vec<&str> = text.split([',', ' ']).map(str::trim).filter(|word| !word.is_empty()).collect();
    let number =
        |text: &str| text.parse().map_err(|_| wrong(format!("\"{text}\" cannot be read as a number")));
    let names =
        || robot.variables().iter().map(|variable| variable.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut values = robot.zero();
    if words.iter().any(|word| word.contains('=')) {
        for word in words {
            let (name, value) =
                word.split_once('=').ok_or_else(|| wrong(format!("\"{word}\" has no joint: JOINT=VALUE")))?;
            let unknown = || wrong(format!("there is no joint called \"{name}\"; the robot has {}", names()));
            values[robot.variable(name).ok_or_else(unknown)?] = number(value)?;
        }
    } else if words.len() == values.len() {
        for (value, word) in values.iter_mut().zip(words) {
            *value = number(word)?;
        }
    } else {
        return Err(wrong(format!("{} values for {} joints: {}", words.len(), values.len(), names())));
    }
    robot.validate(&values).map_err(|error| wrong(error.to_string()))?;
    Ok(values)
}

/// Reads a range from the command line.
fn range<'a>(robot: &Robot, text: &'a str) -> Result<(&'a str, [f64; 2]), Failure> {
    let wrong = |what: &str| Failure::Other(format!("--range {text}: {what}"));
    let (name, ends) = text.split_once('=').ok_or_else(|| wrong("JOINT=LOW:HIGH"))?;
    let (low, high) = ends.split_once(':').ok_or_else(|| wrong("JOINT=LOW:HIGH"))?;
    if robot.variable(name).is_none() {
        return Err(wrong(&format!("there is no joint called \"{name}\"")));
    }
    match (low.trim().parse(), high.trim().parse()) {
        (Ok(low), Ok(high)) if low <= high => Ok((name, [low, high])),
        _ => Err(wrong("two numbers, the lower one first")),
    }
}

fn with_advice(error: firsttouch::Error) -> Failure {
    match error {
        firsttouch::Error::Unsupported { what } => Failure::Other(format!("{what} (--range JOINT=LOW:HIGH)")),
        error => Failure::Query(error),
    }
}
