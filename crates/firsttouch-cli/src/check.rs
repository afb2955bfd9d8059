//! `firsttouch check`: the first touch in a scene file.

use std::time::Instant;

use firsttouch::ellipsoid::{Overlap, OverlapKind};
use firsttouch::{Answer, Control, Engine, Mode, PairReport, Scene, Start};
use firsttouch_io::printable;
use serde::Serialize;

use crate::answer::{AnswerJson, StatsJson, pairs_table, status, text};
use crate::args::{CheckArgs, Shared};
use crate::input::read_scene;
use crate::output::{Failure, Status, bar, clock, complain, median, print, print_json, time};
use crate::questions::{
    ClearanceJson, ContactJson, GradientJson, clearance_text, contacts_text, gradient_text,
};
use crate::stop::{self, StopReason};

#[derive(Serialize)]
struct CheckJson {
    #[serde(flatten)]
    answer: AnswerJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<Vec<PairJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clearance: Option<Option<ClearanceJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contacts: Option<Vec<ContactJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gradient: Option<GradientJson>,
    stats: StatsJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    median_us: Option<f64>,
}

/// The answer of a pair, with all its overlaps.
#[derive(Serialize)]
struct PairJson {
    #[serde(flatten)]
    answer: AnswerJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    overlaps: Option<Vec<OverlapJson>>,
}

/// A span of time in which two bodies touch or overlap; they are separate before and after it.
#[derive(Serialize)]
struct OverlapJson {
    from: f64,
    to: f64,
    /// False for a near miss that cannot be distinguished from a touch, and where touching is not proven all the time.
    certain: bool,
}

impl PairJson {
    fn new(pair: &PairReport, scene: &Scene) -> PairJson {
        let overlaps =
            pair.overlaps.as_ref().map(|overlaps| overlaps.iter().map(OverlapJson::from).collect());
        PairJson { answer: AnswerJson::new(&pair.answer, scene), overlaps }
    }
}

impl From<&Overlap> for OverlapJson {
    fn from(overlap: &Overlap) -> OverlapJson {
        OverlapJson {
            from: overlap.start[0],
            to: overlap.end[1],
            certain: overlap.kind == OverlapKind::Overlap,
        }
    }
}

pub(crate) fn run(args: &CheckArgs, shared: &Shared) -> Result<Status, Failure> {
    let files = args.bounds.files()?;
    let (file, path) = read_scene(&files, &args.scene)?;
    let (scene, warnings) = files.build_scene(&file, path)?;
    for warning in warnings {
        complain(&format!("warning: {warning}"));
    }
    let mut options = shared.over(file.options());
    options.mode = args.mode.into();
    options.start = args.start.map_or(options.start, Start::from);

    let progress = match args.repeat {
        None => clock(format!("checking {} bodies", scene.bodies().len())),
        Some(count) => bar(count as usize, "checking"),
    };
    let mut times = Vec::new();
    let began = Instant::now();
    // A query that is repeated for its time is not worth an answer in part.
    let interrupt = args.repeat.is_none().then(stop::interrupt);
    let control = Control { interrupt: interrupt.as_ref(), progress: None };
    let mut timed = || {
        let start = Instant::now();
        let report = match args.repeat {
            None => scene.check_with(&options, &control),
            Some(_) => scene.check_clocked(&options, &|| began.elapsed().as_secs_f64()),
        };
        times.push(start.elapsed().as_secs_f64() * 1e6);
        progress.inc(1);
        report
    };
    let mut report = timed()?;
    for _ in 1..args.repeat.unwrap_or(1) {
        let again = timed()?;
        debug_assert_eq!(report.answer, again.answer, "the same query has the same answer");
    }
    let clearance = match args.questions.clearance {
        true => {
            Some(scene.clearance_with(&options, &control)?.map(|found| ClearanceJson::new(&found, &scene)))
        }
        false => None,
    };
    let contacts = match args.questions.contacts {
        true => {
            let found = report.answer.touch().map(|touch| scene.contacts(touch.toi, &options)).transpose()?;
            let found = found.unwrap_or_default();
            Some(found.iter().map(|contact| ContactJson::new(contact, &scene)).collect::<Vec<_>>())
        }
        false => None,
    };
    let gradient = match (args.questions.gradient, report.answer.touch()) {
        (true, Some(touch)) => Some(GradientJson::from(&scene.toi_gradient(touch, &options)?)),
        _ => None,
    };
    if options.mode == Mode::All {
        // Ellipsoids have theirs by algebra already.
        for pair in report.pairs.iter_mut().filter(|pair| pair.overlaps.is_none()) {
            let [a, b] = pair.bodies.map(|i| scene.bodies()[i].name());
            pair.overlaps = Some(scene.overlaps_with(a, b, &options, &control)?);
        }
    }
    progress.finish_and_clear();
    let stopped = match report.answer {
        Answer::Undecided { .. } => stop::reason(),
        Answer::Free | Answer::Touch(_) | Answer::TouchingAtStart(_) => None,
    };
    if stopped.is_some() {
        // Those that were not reached are as many as there are, and nothing is known of them.
        report.pairs.retain(|pair| pair.answer.touch().is_some());
    }
    let median_us = args.repeat.and_then(|_| median(times));

    if shared.json {
        let pairs = report.pairs.iter().map(|pair| PairJson::new(pair, &scene));
        print_json(&CheckJson {
            answer: AnswerJson::new(&report.answer, &scene),
            pairs: (options.mode == Mode::All).then(|| pairs.collect()),
            clearance,
            contacts,
            gradient,
            stats: StatsJson::from(report.stats)
                .with_seconds(report.seconds.filter(|_| args.repeat.is_some())),
            stopped: stopped.map(StopReason::word),
            median_us,
        })?;
        return Ok(status(&report.answer));
    }
    let mut out = match stopped {
        None => text(&report.answer, options.t_max, &scene),
        Some(why) => format!(
            "undecided: free until t = {}, where the work was stopped ({})\n",
            report.answer.free_until(options.t_max),
            why.word()
        ),
    };
    if !report.pairs.is_empty() {
        out += &format!("\n{}\n", pairs_table(report.pairs.iter().map(|pair| &pair.answer), &scene));
        out += &overlaps_text(&report.pairs, &scene);
    }
    if let Some(clearance) = &clearance {
        out += &clearance_text(clearance);
    }
    if let Some(contacts) = &contacts {
        out += &contacts_text(contacts);
    }
    out += &gradient.as_ref().map(gradient_text).unwrap_or_default();
    let stats = report.stats;
    out += &format!(
        "  {:<9}{}: {} allowed, {} with boxes apart, {} later than the touch, {} advanced in {} steps\n",
        "pairs", stats.pairs, stats.allowed, stats.boxes_apart, stats.later, stats.advanced, stats.iterations
    );
    // Times are printed with --repeat only, so that the rest of the output is the same in every run.
    if let (Some(seconds), Some(_)) = (report.seconds, args.repeat) {
        let engines = Engine::ALL.iter().zip(seconds.engines).filter(|(_, seconds)| *seconds > 0.0);
        let engines = engines.map(|(engine, seconds)| format!(", {} {}", engine.name(), time(seconds * 1e6)));
        let broad = time(seconds.broad * 1e6);
        out += &format!("  {:<9}broad phase {broad}{}\n", "stages", engines.collect::<String>());
    }
    if let (Some(median_us), Some(count)) = (median_us, args.repeat) {
        out += &format!("  {:<9}{}, median of {count}\n", "time", time(median_us));
    }
    print(&out)?;
    Ok(status(&report.answer))
}

/// All overlaps, one line each.
fn overlaps_text(pairs: &[PairReport], scene: &Scene) -> String {
    let mut text = String::new();
    for pair in pairs {
        let [a, b] = pair.bodies.map(|i| printable(scene.bodies()[i].name()));
        for overlap in pair.overlaps.iter().flatten() {
            let word = if overlap.kind == OverlapKind::Overlap { "overlap" } else { "graze" };
            let (from, to) = (overlap.start[0], overlap.end[1]);
            text += &format!("  {word:<9}{a} and {b}, from {from:.9} to {to:.9}\n");
        }
    }
    if text.is_empty() { text } else { text + "\n" }
}
