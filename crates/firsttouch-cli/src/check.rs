//! `firsttouch check`: the first touch in a scene file.

use std::ops::ControlFlow;
use std::time::Instant;

use firsttouch::ellipsoid::{Overlap, OverlapKind};
use firsttouch::{Ask, Control, Engine, Mode, Options, PairReport, Report, Scene, Start};
use firsttouch_io::{Stage, prepare_folder, printable};
use serde::Serialize;

use crate::answer::{AnswerJson, StatsJson, described, pairs_table, status, text};
use crate::args::{CheckArgs, Shared};
use crate::certificate::{self, CertificateJson};
use crate::input::read_scene;
use crate::json_list::JsonList;
use crate::output::{Failure, Status, bar, clock, complain, export, median, print, print_json, time};
use crate::questions::FurtherJson;
use crate::stop::{self, StopReason};
use crate::terminal::paint_answer;

#[derive(Serialize)]
struct CheckJson {
    #[serde(flatten)]
    answer: AnswerJson,
    /// The pairs that the answer does not cover; absent if every pair that is not allowed was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOutJson>,
    /// With `--mode all`: the number of pairs that are not free, and true if some of them are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs_not_free: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// With `--mode all`: the number of listed pairs without overlaps because the list is too long; absent if all have
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs_without_overlaps: Option<u64>,
    #[serde(flatten)]
    further: FurtherJson,
    stats: StatsJson,
    /// The reason why the answer is undecided; absent if it is decided or the work was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    median_us: Option<f64>,
    /// With `--certificate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<CertificateJson>,
}

/// Pairs that were not checked.
#[derive(Serialize)]
struct LeftOutJson {
    /// Pairs of bodies that both rest; `--resting` checks them.
    resting_pairs: u64,
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
pub(crate) struct OverlapJson {
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// False for a near miss that cannot be distinguished from a touch, and if touching is not proven all the time.
    pub(crate) certain: bool,
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
    args.out.as_deref().map(prepare_folder).transpose()?;
    let (file, path) = read_scene(&files, &args.scene)?;
    let (mut scene, warnings) = files.build_scene(&file, path)?;
    if !args.resting {
        firsttouch_io::leave_out_resting(&mut scene);
    }
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
    // A query that is repeated for its time must not give a partial answer.
    let interrupt = args.repeat.is_none().then(stop::interrupt);
    let control = Control { interrupt: interrupt.as_ref(), progress: None };
    let all = options.mode == Mode::All;
    // Times are printed as in the file: those of the answer, and the end.
    let duration = file.duration.unwrap_or(1.0);
    let t_max = file.t_max.unwrap_or(duration);
    let mut pairs = Pairs {
        duration,
        options: &options,
        control: &control,
        list: (all && shared.json).then(|| JsonList::new(args.max_pairs)),
        shown: Vec::new(),
        count: 0,
        most_overlaps: args.max_overlaps,
        without_overlaps: 0,
        failed: None,
    };
    let mut timed = || {
        let start = Instant::now();
        let report = match args.repeat {
            // Pairs are written as they are found, because the list may not fit into memory.
            None if all => {
                scene.check_all(Ask::from(&options).control(&control), &mut |pair| pairs.add(pair, &scene))
            }
            None => scene.check(Ask::from(&options).control(&control)),
            Some(_) => scene.check(Ask::from(&options).clock(&|| began.elapsed().as_secs_f64())),
        };
        times.push(start.elapsed().as_secs_f64() * 1e6);
        progress.inc(1);
        report
    };
    let report = timed()?;
    for _ in 1..args.repeat.unwrap_or(1) {
        let again = timed()?;
        debug_assert_eq!(report.answer, again.answer, "the same query has the same answer");
    }
    let about = (&scene, report.answer.touch());
    let further = FurtherJson::of_scene(args.questions, about, (&options, &control), &scene, duration)?;
    progress.finish_and_clear();
    let stopped = if all { stop::reason_of_all(&report.answer) } else { stop::reason_of(&report.answer) };
    let reason = report.reason(&options).filter(|_| stopped.is_none());
    let Report { answer: unscaled, stats, seconds, .. } = report;
    for pair in report.pairs {
        if pairs.add(pair, &scene).is_break() {
            break;
        }
    }
    if let Some(error) = pairs.failed {
        return Err(error.into());
    }
    let certificate = args.certificate.as_deref().map(|target| {
        let until = unscaled.free_until(options.t_max);
        certificate::written(target, &files, &options, |ask| scene.certify_until(until, ask))
    });
    let certificate = certificate.transpose()?;
    let answer = unscaled.clone().over(duration);
    let median_us = args.repeat.and_then(|_| median(times));

    let json = CheckJson {
        answer: match stopped {
            Some(_) if answer.touch().is_none() => AnswerJson::new(&answer, &scene).without_bodies(),
            _ => AnswerJson::new(&answer, &scene),
        },
        left_out: Some(LeftOutJson { resting_pairs: stats.resting }).filter(|left| left.resting_pairs > 0),
        pairs_not_free: all.then_some(pairs.count),
        truncated: pairs.list.as_ref().map(JsonList::is_truncated),
        pairs_without_overlaps: Some(pairs.without_overlaps).filter(|count| *count > 0),
        further,
        stats: StatsJson::from(stats).with_seconds(seconds.filter(|_| args.repeat.is_some())),
        reason: reason.map(|reason| described(reason).0),
        stopped: stopped.map(StopReason::word),
        median_us,
        certificate,
    };
    if let Some(folder) = &args.out {
        let stage = Stage::of_scene(&scene, &unscaled, options.t_max).over(duration);
        export(folder, [Ok(("scene".into(), stage))], &json)?;
    }
    if shared.json {
        match pairs.list {
            Some(list) => list.finish(&json)?,
            None => print_json(&json)?,
        }
        return Ok(status(&answer));
    }
    let headline = match stopped {
        Some(why) if answer.touch().is_none() => format!(
            "undecided: free until t = {}, where the work was stopped ({})\n",
            answer.free_until(t_max),
            why.word()
        ),
        _ => text(&answer, reason, t_max, &scene),
    };
    let mut out = paint_answer(&headline);
    let Pairs { shown, count, without_overlaps, .. } = pairs;
    if !shown.is_empty() {
        out += &format!("\n{}", pairs_table(shown.iter().map(|pair| &pair.answer), &scene));
        match count - shown.len() as u64 {
            0 => out += "\n",
            more => out += &format!("and {more} more, which --json lists\n\n"),
        }
        out += &overlaps_text(&shown, &scene);
        if without_overlaps > 0 {
            out += &format!(
                "the overlaps of {without_overlaps} of these pairs are left out: the list is too long\n\n"
            );
        }
    }
    out.extend(json.further.texts().into_iter().flatten());
    out += &format!(
        "  {:<9}{}: {} allowed, {} with boxes apart, {} later than the touch, {} advanced in {} steps\n",
        "pairs", stats.pairs, stats.allowed, stats.boxes_apart, stats.later, stats.advanced, stats.iterations
    );
    out.extend(json.certificate.as_ref().map(CertificateJson::text));
    if stats.resting > 0 {
        out += &format!(
            "  {:<9}{} pairs of bodies that both rest; --resting checks them\n",
            "left out", stats.resting
        );
    }
    if let (Some(why), Some(_)) = (stopped, answer.touch()) {
        out += &format!("  {:<9}{}: not all pairs were checked\n", "stopped", why.word());
    }
    // Times are printed with --repeat only, so that the rest of the output is the same in every run.
    if let (Some(seconds), Some(_)) = (seconds, args.repeat) {
        let engines = Engine::ALL.iter().zip(seconds.engines).filter(|(_, seconds)| *seconds > 0.0);
        let engines = engines.map(|(engine, seconds)| format!(", {} {}", engine.name(), time(seconds * 1e6)));
        let broad = time(seconds.broad * 1e6);
        out += &format!("  {:<9}broad phase {broad}{}\n", "stages", engines.collect::<String>());
    }
    if let (Some(median_us), Some(count)) = (median_us, args.repeat) {
        out += &format!("  {:<9}{}, median of {count}\n", "time", time(median_us));
    }
    print(&out)?;
    Ok(status(&answer))
}

/// The pairs of `--mode all` that are not free.
struct Pairs<'a> {
    options: &'a Options,
    control: &'a Control<'a>,
    /// The length of the time, as in the file.
    duration: f64,
    /// In JSON, all of them.
    list: Option<JsonList>,
    /// As text, a table of the first.
    shown: Vec<PairReport>,
    count: u64,
    /// Only a limited number of pairs get their overlaps: each takes its own search.
    most_overlaps: u64,
    /// The number of listed pairs without overlaps because they come late in a long list.
    without_overlaps: u64,
    /// The reason why the overlaps of a pair could not be searched. It ends the query.
    failed: Option<firsttouch::Error>,
}

/// More rows than anyone reads.
const MOST_SHOWN: usize = 10_000;

impl Pairs<'_> {
    fn add(&mut self, pair: PairReport, scene: &Scene) -> ControlFlow<()> {
        if pair.answer.touch().is_none() && stop::reason().is_some() {
            // The pair was not reached before the stop, so its answer is not known.
            return ControlFlow::Continue(());
        }
        self.count += 1;
        match &mut self.list {
            Some(list) if list.is_full() => list.add(&()),
            Some(_) => {
                let Some(pair) = self.finished(pair, scene) else { return ControlFlow::Break(()) };
                let json = PairJson::new(&pair, scene);
                self.list.as_mut().map_or(ControlFlow::Continue(()), |list| list.add(&json))
            }
            None => {
                if self.shown.len() < MOST_SHOWN {
                    let Some(pair) = self.finished(pair, scene) else { return ControlFlow::Break(()) };
                    self.shown.push(pair);
                }
                ControlFlow::Continue(())
            }
        }
    }

    /// Adds all times of overlap to a pair, unless it has them already, and converts its times to those of the file. In
    /// a very long list only the first pairs get them; the others are counted. Returns `None` if the search failed.
    fn finished(&mut self, mut pair: PairReport, scene: &Scene) -> Option<PairReport> {
        if pair.overlaps.is_none() && self.count <= self.most_overlaps {
            let [a, b] = pair.bodies.map(|i| scene.bodies()[i].name());
            match scene.overlaps(a, b, Ask::from(self.options).control(self.control)) {
                Ok(overlaps) => pair.overlaps = Some(overlaps),
                Err(error) => {
                    self.failed = Some(error);
                    return None;
                }
            }
        }
        self.without_overlaps += u64::from(pair.overlaps.is_none());
        Some(pair.over(self.duration))
    }
}

/// Returns all overlaps, one line each.
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
