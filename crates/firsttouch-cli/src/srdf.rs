//! `firsttouch srdf`: the pairs of a robot's links that need no check, and the reasons, as an SRDF file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use firsttouch::articulated::{LinkPair, PairFinding, Robot, SurveyOptions};
use firsttouch_io::{DisabledPair, save, write_srdf};
use serde::Serialize;

use crate::args::{Bounds, Shared};
use crate::input::read_robot_file;
use crate::output::{Failure, Status, complain, print, print_json};

#[derive(Debug, Args)]
pub(crate) struct SrdfArgs {
    /// The robot: URDF or MJCF
    #[arg(value_name = "ROBOT.urdf")]
    pub(crate) robot: PathBuf,
    /// Write the SRDF to this file; standard output without it
    #[arg(long, value_name = "FILE.srdf")]
    pub(crate) out: Option<PathBuf>,
    /// Where the random configurations start; the same number gives the same file
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// The number of random configurations
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) samples: u32,
    /// How many boxes of joint values the proof of one pair may look at
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(..=10_000_000))]
    pub(crate) boxes: u32,
    /// Leave out the pairs that only samples say never touch
    #[arg(long)]
    pub(crate) proven_only: bool,
    #[command(flatten)]
    pub(crate) bounds: Bounds,
}

#[derive(Serialize)]
struct SrdfJson {
    robot: String,
    /// The number of pairs of each finding.
    counts: BTreeMap<&'static str, usize>,
    pairs: Vec<PairJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<String>,
}

#[derive(Serialize)]
struct PairJson {
    links: [String; 2],
    finding: &'static str,
    disabled: bool,
}

pub(crate) fn run(args: &SrdfArgs, shared: &Shared) -> Result<Status, Failure> {
    let files = args.bounds.files()?;
    let file = read_robot_file(&files, &args.robot)?;
    // The file is about pairs of links, so the surroundings of the robot have no effect.
    let (robot, _, warnings) = files.robot_and_scenery(&file, None)?;
    for warning in &warnings {
        complain(&format!("warning: {warning}"));
    }
    let survey =
        SurveyOptions { samples: args.samples as usize, seed: args.seed, boxes: args.boxes as usize };
    let found = robot.survey_pairs(&survey)?;
    let text = document(&robot, &found, args);
    if let Some(out) = &args.out {
        save(out, |file| file.write_all(&text))?;
    }
    let mut counts = BTreeMap::new();
    for pair in &found {
        *counts.entry(word(pair.finding)).or_insert(0) += 1;
    }
    if shared.json {
        let name = |link: usize| robot.links()[link].name().to_string();
        let pairs = found.iter().map(|pair| PairJson {
            links: pair.links.map(name),
            finding: word(pair.finding),
            disabled: reason(pair.finding, args.proven_only).is_some(),
        });
        let pairs = pairs.collect();
        let out = args.out.as_ref().map(|out| out.display().to_string());
        print_json(&SrdfJson { robot: robot.name().into(), counts, pairs, out })?;
    } else if args.out.is_some() {
        let lines: Vec<String> = counts.iter().map(|(word, count)| format!("{count:5}  {word}\n")).collect();
        print(&lines.concat())?;
    } else {
        print(&String::from_utf8_lossy(&text))?;
    }
    Ok(Status::Free)
}

/// Returns the finding for a pair, in words.
fn word(finding: PairFinding) -> &'static str {
    match finding {
        PairFinding::Adjacent => "adjacent",
        PairFinding::RigidTouching => "joined by fixed joints, touching",
        PairFinding::RigidApart => "joined by fixed joints, apart",
        PairFinding::AlwaysSeen => "always touching in the samples",
        PairFinding::NeverProven => "never touching, proven",
        PairFinding::NeverSeen => "never touching in the samples, not proven",
        _ => "sometimes touching",
    }
}

/// Returns the reason in the file, for pairs that need no check.
fn reason(finding: PairFinding, proven_only: bool) -> Option<&'static str> {
    match finding {
        PairFinding::Adjacent => Some("Adjacent"),
        PairFinding::RigidTouching | PairFinding::AlwaysSeen => Some("Always"),
        PairFinding::RigidApart | PairFinding::NeverProven => Some("Never"),
        PairFinding::NeverSeen if !proven_only => Some("Never"),
        _ => None,
    }
}

fn document(robot: &Robot, found: &[LinkPair], args: &SrdfArgs) -> Vec<u8> {
    let name = |link: usize| robot.links()[link].name();
    let pairs: Vec<DisabledPair<'_>> = found
        .iter()
        .filter_map(|pair| {
            let reason = reason(pair.finding, args.proven_only)?;
            let note = match pair.finding {
                PairFinding::NeverSeen => Some("seen in samples only, not proven"),
                PairFinding::NeverProven => Some("proven within the joint limits"),
                PairFinding::RigidApart => Some("joined by fixed joints, apart"),
                PairFinding::RigidTouching => Some("joined by fixed joints, touching"),
                _ => None,
            };
            Some(DisabledPair { links: pair.links.map(name), reason, note })
        })
        .collect();
    let header = format!("{} samples, seed {}", args.samples, args.seed);
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = write_srdf(&mut text, robot.name(), &header, &pairs);
    text
}
