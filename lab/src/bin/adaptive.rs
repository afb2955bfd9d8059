//! Measures where the time of an adaptive simulation's steps goes: the work of [`Simulated`] and of the stateless
//! checker on the same steps.
//!
//! `cargo run --release -p firsttouch-lab --bin adaptive [STEPS] [M..] [scene=NAME]
//! [engine=simulated|begin|stateless] [once] [wait]`
//!
//! `wait`: waits for a line on the standard input before the steps are checked, so that a profiler can be switched on
//! there.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use firsttouch::Answer;
use firsttouch::adaptive::{Moved, Simulated};
use firsttouch::articulated::Checker;
use firsttouch::motion::Pose;
use firsttouch::tree::TreeStats;
use firsttouch_lab::scenes::adaptive::all;
use firsttouch_lab::scenes::dynamics::StepRecord;

/// Adds the work of a step to a line.
fn add(line: &mut [f64; 9], work: &TreeStats, close: u64, touches: bool) {
    line[0] += close as f64;
    line[1] += work.opened as f64;
    line[2] += work.volume_pairs as f64;
    line[3] += work.piece_pairs as f64;
    line[4] += work.iterations as f64;
    line[5] += f64::from(u8::from(touches));
}

type Failure = Box<dyn std::error::Error>;

/// An engine and its steps: the least time of each step in microseconds, and the means of counts.
struct Followed {
    name: &'static str,
    least: Vec<f64>,
    line: [f64; 9],
    /// The hash of all answers.
    answers: u64,
}

/// Returns the hash of the previous hash and an answer, with all its bits.
fn hashed(before: u64, answer: &Answer) -> u64 {
    let mut hasher = DefaultHasher::new();
    (before, format!("{answer:?}")).hash(&mut hasher);
    hasher.finish()
}

/// Returns the variables that move, and those whose value differs from the engine's.
fn moved(state: &[f64], record: &StepRecord) -> Vec<Moved> {
    let differs = |i: &usize| record.from[*i] != record.to[*i] || record.from[*i] != state[*i];
    let variables = (0..state.len()).filter(differs);
    variables.map(|i| Moved { variable: i, from: record.from[i], to: record.to[i] }).collect()
}

/// Follows the steps several times, without other work in between.
fn follow(
    name: &'static str,
    fresh: &Simulated,
    records: &[StepRecord],
    passes: usize,
    until_exact: bool,
) -> Result<Followed, Failure> {
    let mut found = Followed { name, least: vec![f64::INFINITY; records.len()], line: [0.0; 9], answers: 0 };
    for pass in 0..passes {
        let mut simulated = fresh.clone();
        for (least, record) in found.least.iter_mut().zip(records) {
            let options = record.options();
            let moved = moved(simulated.configuration(), record);
            if until_exact {
                let mut again = simulated.clone();
                let begin = Instant::now();
                again.close_pairs(&moved, &options)?;
                *least = least.min(begin.elapsed().as_secs_f64() * 1e6);
            }
            let begin = Instant::now();
            let report = simulated.step(&moved, &options)?;
            simulated.accept(record.until)?;
            if !until_exact {
                *least = least.min(begin.elapsed().as_secs_f64() * 1e6);
            }
            if pass == 0 {
                found.answers = hashed(found.answers, &report.answer);
                let touches = report.answer.touch().is_some();
                add(&mut found.line, &report.work, report.close_pairs, touches);
                found.line[6] += report.joints as f64;
                found.line[7] += report.culling.volumes as f64;
                found.line[8] += report.measured as f64;
            }
        }
    }
    Ok(found)
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<usize> = arguments.iter().filter_map(|text| text.parse().ok()).collect();
    let is_named = |prefix: &str, name: &str| {
        let mut wanted = arguments.iter().filter_map(|text| text.strip_prefix(prefix)).peekable();
        wanted.peek().is_none() || wanted.any(|wanted| name.starts_with(wanted))
    };
    let (steps, active) = match &numbers[..] {
        [steps, active @ ..] if !active.is_empty() => (*steps, active.to_vec()),
        [steps] => (*steps, vec![1, 29]),
        _ => (120, vec![1, 29]),
    };
    let passes = if arguments.iter().any(|text| text == "once") { 1 } else { 7 };
    for scene in all()?.iter().filter(|scene| is_named("scene=", scene.name)) {
        for &m in &active {
            let records = scene.record(m, 4 * steps)?;
            let first = records.iter().position(|record| record.until < 1.0).unwrap_or(records.len());
            let first = first.saturating_sub(3).min(records.len().saturating_sub(steps));
            let records = &records[first..(first + steps).min(records.len())];
            let robot = scene.linkage.robot();
            let checker = Checker::new(robot.clone(), Pose::IDENTITY, scene.obstacles.clone())?;
            let start = records[0].from.clone();
            let fresh = Simulated::new(robot.clone(), Pose::IDENTITY, scene.obstacles.clone(), start)?;
            let mut all = Vec::new();
            if arguments.iter().any(|text| text == "wait") {
                println!("ready");
                std::io::stdin().read_line(&mut String::new())?;
            }
            for (name, until_exact) in [("simulated", false), ("begin", true)] {
                if is_named("engine=", name) {
                    all.push(follow(name, &fresh, records, passes, until_exact)?);
                }
            }
            if is_named("engine=", "stateless") {
                let mut found = Followed {
                    name: "stateless",
                    least: vec![f64::INFINITY; records.len()],
                    line: [0.0; 9],
                    answers: 0,
                };
                for pass in 0..passes {
                    for (least, record) in found.least.iter_mut().zip(records) {
                        let begin = Instant::now();
                        let report = checker.check_step(&record.from, &record.to, &record.options())?;
                        *least = least.min(begin.elapsed().as_secs_f64() * 1e6);
                        if pass == 0 {
                            found.answers = hashed(found.answers, &report.answer);
                            let touches = report.answer.touch().is_some();
                            add(&mut found.line, &report.work, report.close_pairs, touches);
                        }
                    }
                }
                all.push(found);
            }
            for Followed { name, least, line, answers } in &all {
                let mean = |touching: Option<bool>| {
                    let chosen: Vec<f64> = least
                        .iter()
                        .zip(records)
                        .skip(2)
                        .filter(|(_, record)| {
                            touching.is_none_or(|touching| touching == (record.until < 1.0))
                        })
                        .map(|(least, _)| *least)
                        .collect();
                    chosen.iter().sum::<f64>() / chosen.len().max(1) as f64
                };
                let [close, opened, volumes, pieces, iterations, touches, joints, balls, measured] =
                    line.map(|sum| sum / records.len() as f64);
                println!(
                    "{:12} m {m:2} {name:9}: {:6.1} us (touching {:6.1}, free {:6.1}); close {close:.1} opened {opened:.1} nodes {volumes:.0} \
                     pieces {pieces:.1} iterations {iterations:.0} touches {touches:.2} joints {joints:.1} volumes {balls:.0} measured {measured:.1} answers {answers:016x}",
                    scene.name,
                    mean(None),
                    mean(Some(true)),
                    mean(Some(false)),
                );
            }
        }
    }
    Ok(())
}
