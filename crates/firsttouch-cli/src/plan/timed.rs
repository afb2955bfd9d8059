//! `firsttouch plan --timed`: the path as a trajectory within limits, proven free as a whole.
//!
//! The rows that are written are the trajectory that is proven: `firsttouch path --interpolation cubic` reads them as
//! the same numbers.

use clap::Args;
use firsttouch::articulated::{Checker, Robot};
use firsttouch::motion::Motion;
use firsttouch::planning::{MotionLimits, Plan, TimedOutcome, TimedPlan};
use firsttouch::{Ask, Control, Error, Interrupt, Options};
use serde::Serialize;

use crate::output::Failure;

#[derive(Debug, Args)]
pub(super) struct TimedArgs {
    /// Make the path a trajectory within limits, with blends at the corners, and prove that it is free; obstacles may
    /// move, on the clock of the scene
    #[arg(long)]
    pub(super) timed: bool,
    /// The largest velocity, per second: a number for all joints, a number per joint, or JOINT=VALUE; the limits of the
    /// robot file without it
    #[arg(long, value_name = "LIMITS", requires = "timed")]
    velocity: Option<String>,
    /// The largest acceleration, per second squared, in the same form; robot files have none
    #[arg(long, value_name = "LIMITS", requires = "timed")]
    acceleration: Option<String>,
    /// The largest jerk, per second cubed, in the same form; the acceleration jumps without it
    #[arg(long, value_name = "LIMITS", requires = "timed")]
    jerk: Option<String>,
}

/// A trajectory: cubics through rows of times, configurations and velocities.
#[derive(Serialize)]
pub(super) struct TimedJson {
    /// In seconds.
    duration: f64,
    pieces: usize,
    /// The waypoints at which the robot stops on its way.
    stops: usize,
    checks: usize,
    seconds: f64,
    times: Vec<f64>,
    waypoints: Vec<Vec<f64>>,
    velocities: Vec<Vec<f64>>,
}

impl TimedJson {
    pub(super) fn new(timed: TimedPlan, seconds: f64) -> TimedJson {
        let (duration, pieces) = (timed.duration(), timed.times.len() - 1);
        let TimedPlan { times, waypoints, velocities, stops, checks, .. } = timed;
        TimedJson { duration, pieces, stops, checks, seconds, times, waypoints, velocities }
    }

    /// The result in a line.
    pub(super) fn text(&self) -> String {
        let TimedJson { duration, pieces, stops, checks, seconds, .. } = self;
        format!(
            "a trajectory of {duration:.4} s, proven free; {pieces} pieces, {stops} stops on the way; {checks} checks, {seconds:.4} s"
        )
    }

    /// The trajectory as a file of waypoints with times and velocities.
    pub(super) fn csv(&self, joints: &[String]) -> String {
        let velocities = joints.iter().map(|joint| format!("{joint}/velocity"));
        let names: Vec<String> =
            ["time".to_string()].into_iter().chain(joints.iter().cloned()).chain(velocities).collect();
        let mut csv = names.join(",") + "\n";
        for ((time, waypoint), velocity) in self.times.iter().zip(&self.waypoints).zip(&self.velocities) {
            // The shortest digits that are read back as the same number.
            let row: Vec<String> =
                [time].into_iter().chain(waypoint).chain(velocity).map(f64::to_string).collect();
            csv += &(row.join(",") + "\n");
        }
        csv
    }
}

/// The limits from the command line and the robot file; `None` without `--timed`. Obstacles that move take the
/// `duration` of their scene.
pub(super) fn limits(
    robot: &Robot,
    args: &TimedArgs,
    duration: f64,
) -> Result<Option<MotionLimits>, Failure> {
    if !args.timed {
        return Ok(None);
    }
    let own: Vec<Option<f64>> = robot.variables().iter().map(|variable| variable.velocity).collect();
    let none = vec![None; own.len()];
    let velocity = limits_of(robot, args.velocity.as_deref(), own, "--velocity")?;
    let acceleration = limits_of(robot, args.acceleration.as_deref(), none.clone(), "--acceleration")?;
    let mut limits = MotionLimits::new(velocity, acceleration);
    limits.jerk = match &args.jerk {
        None => None,
        Some(text) => Some(limits_of(robot, Some(text), none, "--jerk")?),
    };
    limits.clock = Some(duration);
    Ok(Some(limits))
}

/// Returns a limit for each variable: that of an option, or else the known one.
fn limits_of(
    robot: &Robot,
    text: Option<&str>,
    mut limits: Vec<Option<f64>>,
    option: &str,
) -> Result<Vec<f64>, Failure> {
    let wrong = |what: String| Failure::Other(format!("{option}: {what}"));
    let number = |text: &str| match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(Some(value)),
        _ => Err(wrong(format!("\"{text}\" is not a positive number"))),
    };
    let words: Vec<&str> =
        text.unwrap_or_default().split([',', ' ']).map(str::trim).filter(|word| !word.is_empty()).collect();
    match &words[..] {
        [word] if !word.contains('=') => {
            let limit = number(word)?;
            limits.fill(limit);
        }
        words if words.iter().any(|word| word.contains('=')) => {
            for word in words {
                let (name, value) = word
                    .split_once('=')
                    .ok_or_else(|| wrong(format!("\"{word}\" has no joint: JOINT=VALUE")))?;
                let unknown = || wrong(format!("there is no joint called \"{name}\""));
                limits[robot.variable(name).ok_or_else(unknown)?] = number(value)?;
            }
        }
        words if words.len() == limits.len() => {
            for (limit, word) in limits.iter_mut().zip(words) {
                *limit = number(word)?;
            }
        }
        [] => {}
        words => return Err(wrong(format!("{} values for {} joints", words.len(), limits.len()))),
    }
    let missing: Vec<&str> = robot
        .variables()
        .iter()
        .zip(&limits)
        .filter_map(|(variable, limit)| limit.is_none().then_some(variable.name.as_str()))
        .collect();
    if missing.is_empty() {
        return Ok(limits.into_iter().flatten().collect());
    }
    Err(wrong(format!(
        "--timed needs a limit for {}: a number for all joints, or JOINT=VALUE",
        missing.join(", ")
    )))
}

/// The checker without the obstacles that move: a path has no times.
pub(super) fn at_rest(checker: &Checker) -> Result<Checker, Failure> {
    let mut resting = checker.clone();
    let moves = |body: &&firsttouch::Body| !matches!(body.as_rigid(), Some((_, Motion::Fixed(_))));
    for body in checker.obstacles().filter(moves) {
        resting.remove_obstacle(body.name())?;
    }
    Ok(resting)
}

pub(super) fn timed(
    plan: &Plan,
    checker: &Checker,
    limits: &MotionLimits,
    check: &Options,
    interrupt: &Interrupt,
) -> Result<TimedOutcome, Failure> {
    let control = Control { interrupt: Some(interrupt), progress: None };
    plan.timed(checker, limits, Ask::from(check).control(&control)).map_err(|error| match error {
        Error::OutOfRange { what, value, .. } if what == "duration of a trajectory" => Failure::Other(format!(
            "the trajectory takes {value} s, but the obstacles of the scene move for {} s: set its `duration`",
            limits.clock.unwrap_or_default()
        )),
        error => Failure::Query(error),
    })
}
