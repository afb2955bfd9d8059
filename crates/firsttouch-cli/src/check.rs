//! `firsttouch check`: the first touch in a scene file.

use std::time::Instant;

use firsttouch::Mode;
use firsttouch_io::{build_scene, read_scene};
use serde::Serialize;

use crate::answer::{AnswerJson, StatsJson, pairs_table, status, text};
use crate::args::{CheckArgs, Shared};
use crate::output::{Failure, Status, bar, clock, median, print, print_json, time};

#[derive(Serialize)]
struct CheckJson<'a> {
    #[serde(flatten)]
    answer: AnswerJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<Vec<AnswerJson<'a>>>,
    stats: StatsJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    median_us: Option<f64>,
}

pub(crate) fn run(args: &CheckArgs, shared: &Shared) -> Result<Status, Failure> {
    let file = read_scene(&args.scene)?;
    let scene = build_scene(&file, &args.scene)?;
    let mut options = shared.over(file.options());
    options.mode = args.mode.into();

    let progress = match args.repeat {
        None => clock(format!("checking {} bodies", scene.bodies().len())),
        Some(count) => bar(count as usize, "checking"),
    };
    let mut times = Vec::new();
    let mut timed = || {
        let start = Instant::now();
        let report = scene.check(&options);
        times.push(start.elapsed().as_secs_f64() * 1e6);
        progress.inc(1);
        report
    };
    let report = timed()?;
    for _ in 1..args.repeat.unwrap_or(1) {
        let again = timed()?;
        debug_assert_eq!(report, again, "the same question has the same answer");
    }
    progress.finish_and_clear();
    let median_us = args.repeat.and_then(|_| median(times));

    if shared.json {
        let pairs = report.pairs.iter().map(|pair| AnswerJson::new(&pair.answer, &scene));
        print_json(&CheckJson {
            answer: AnswerJson::new(&report.answer, &scene),
            pairs: (options.mode == Mode::All).then(|| pairs.collect()),
            stats: report.stats.into(),
            median_us,
        })?;
        return Ok(status(&report.answer));
    }
    let mut out = text(&report.answer, options.t_max, &scene);
    if !report.pairs.is_empty() {
        out += &format!("\n{}\n", pairs_table(report.pairs.iter().map(|pair| &pair.answer), &scene));
    }
    let stats = report.stats;
    out += &format!(
        "  {:<9}{}: {} allowed, {} with boxes apart, {} later than the touch, {} advanced in {} steps\n",
        "pairs", stats.pairs, stats.allowed, stats.boxes_apart, stats.later, stats.advanced, stats.iterations
    );
    if let (Some(median_us), Some(count)) = (median_us, args.repeat) {
        out += &format!("  {:<9}{}, median of {count}\n", "time", time(median_us));
    }
    print(&out)?;
    Ok(status(&report.answer))
}
