//! `firsttouch deform`: two frames of one deforming mesh, self-collision included.

use std::ops::ControlFlow;
use std::time::Instant;

use firsttouch::deformable::{DeformReport, Deformable, FoundPair, Settings};
use firsttouch::{Answer, Body, Control, Mode, Options, Progress, Scene, Touch};
use firsttouch_io::{MeshData, Stage, prepare_folder};
use serde::Serialize;

use crate::answer::{AnswerJson, OneBody, coordinates, proven, status};
use crate::args::{DeformArgs, QuestionArgs, Shared};
use crate::json_list::JsonList;
use crate::output::{Failure, Status, clock, complain, export, print, print_json, time};
use crate::questions::FurtherJson;
use crate::stop::{self, StopReason};
use crate::terminal::paint_answer;

#[derive(Serialize)]
struct DeformJson {
    #[serde(flatten)]
    answer: AnswerJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    crossings_at_start: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vf_touching: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ee_touching: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ignored_at_start: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    #[serde(flatten)]
    further: FurtherJson,
    stats: StatsJson,
    seconds: SecondsJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'static str>,
}

#[derive(Serialize)]
struct StatsJson {
    vf_candidates: u64,
    ee_candidates: u64,
    vf_tested: u64,
    ee_tested: u64,
}

#[derive(Serialize)]
struct SecondsJson {
    build: f64,
    query: f64,
}

/// The pairs that `--start ignore` leaves out.
const LEFT_OUT: &str = "pairs of features that touch at time 0, for all time";

pub(crate) fn run(args: &DeformArgs, shared: &Shared) -> Result<Status, Failure> {
    let options = Options { mode: args.mode.into(), ..shared.over(Options::default()) };
    options.validate()?;
    args.out.as_deref().map(prepare_folder).transpose()?;
    let files = args.bounds.files()?;
    let [from, to] = files.read_frames(&args.from, &args.to)?;
    files.take_warnings().iter().for_each(|warning| complain(&format!("warning: {warning}")));

    let progress = clock(format!("checking {} triangles", from.triangles.len()));
    let settings = Settings { threads: options.threads, ..Settings::default() };
    let start = Instant::now();
    let MeshData { positions, triangles, edges, points, .. } = from;
    let mesh = Deformable::with_settings(positions, to.positions, triangles, edges, points, settings)
        .map_err(|error| Failure::Other(format!("{}: {error}", args.from.display())))?;
    let build = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let all = options.mode == Mode::All;
    // Pairs are written as they are found, because the list may not fit into memory.
    let mut list = (all && shared.json).then(|| JsonList::new(args.max_touches));
    let interrupt = stop::interrupt();
    let count = mesh.triangles().len();
    let show = |now: Progress| {
        progress.set_message(format!("checking {count} triangles: {} %", 100 * now.done / now.pairs.max(1)));
    };
    let control = Control { interrupt: Some(&interrupt), progress: Some(&show) };
    let report = if all {
        mesh.check_all(&options, args.start.into(), &control, &mut |pair| match &mut list {
            None => ControlFlow::Continue(()),
            Some(list) => list.add(&PairJson::new(&pair)),
        })?
    } else {
        mesh.check_with(&options, args.start.into(), &control)?
    };
    let query = start.elapsed().as_secs_f64();
    let further = more_questions(args, &mesh, &report, (&options, &control))?;
    progress.finish_and_clear();
    let stopped = if all { stop::reason_of_all(&report.answer) } else { stop::reason_of(&report.answer) };

    let stats = report.stats;
    let json = DeformJson {
        answer: AnswerJson::new(&report.answer, &OneBody),
        crossings_at_start: report.crossings_at_start,
        vf_touching: all.then_some(report.vf_touching),
        ee_touching: all.then_some(report.ee_touching),
        left_out: args.start.is_ignored().then_some(LEFT_OUT),
        ignored_at_start: report.ignored_at_start,
        truncated: list.as_ref().map(JsonList::is_truncated),
        further,
        stats: StatsJson {
            vf_candidates: stats.vf_candidates,
            ee_candidates: stats.ee_candidates,
            vf_tested: stats.vf_tested,
            ee_tested: stats.ee_tested,
        },
        seconds: SecondsJson { build, query },
        stopped: stopped.map(StopReason::word),
    };
    if let Some(folder) = &args.out {
        let name = args.from.file_stem().unwrap_or_default().to_string_lossy();
        let stage = Stage::of_frames(&name, &mesh, &report.answer, options.t_max);
        export(folder, [Ok(("mesh".into(), stage))], &json)?;
    }
    if shared.json {
        match list {
            Some(list) => list.finish(&json)?,
            None => print_json(&json)?,
        }
    } else {
        let mut out =
            paint_answer(&text(&report, &options, &mesh, [build, query], (args.start.is_ignored(), stopped)));
        out.extend(json.further.texts().into_iter().flatten());
        print(&out)?;
    }
    Ok(status(&report.answer))
}

/// Returns the answers to the further queries, of the mesh with itself.
fn more_questions(
    args: &DeformArgs,
    mesh: &Deformable,
    report: &DeformReport,
    (options, control): (&Options, &Control<'_>),
) -> Result<FurtherJson, Failure> {
    let QuestionArgs { clearance, contacts, gradient } = args.questions;
    if !(clearance || contacts || gradient) {
        return Ok(FurtherJson::default());
    }
    let mut scene = Scene::default();
    scene.add(Body::deforming("mesh", mesh.clone()))?;
    let about = (&scene, report.answer.touch());
    FurtherJson::of_scene(args.questions, about, (options, control), &OneBody, 1.0)
}

#[derive(Serialize)]
struct PairJson {
    #[serde(flatten)]
    answer: AnswerJson,
    #[serde(rename = "features", skip_serializing_if = "Option::is_none")]
    pair: Option<[String; 2]>,
}

impl PairJson {
    fn new(pair: &FoundPair<'_>) -> PairJson {
        let answer = pair.answer();
        PairJson {
            answer: AnswerJson::new(&answer, &OneBody),
            // A touch names its features itself.
            pair: answer.touch().is_none().then(|| pair.features().map(|feature| feature.to_string())),
        }
    }
}

fn text(
    report: &DeformReport,
    options: &Options,
    mesh: &Deformable,
    [build, query]: [f64; 2],
    (is_start_ignored, stopped): (bool, Option<StopReason>),
) -> String {
    let mut out = match &report.answer {
        Answer::Free => {
            let nothing = if is_start_ignored { "nothing else" } else { "nothing" };
            format!("free: {nothing} touches in [0, {}]\n", options.t_max)
        }
        Answer::Touch(touch) => {
            format!("touch at t = {}{}\n{}", touch.toi, proven(touch), details(touch))
        }
        Answer::TouchingAtStart(touch) => format!("touching at the start\n{}", details(touch)),
        Answer::Undecided { free_until, .. } => {
            let why = match stopped {
                None => "the iterations of a pair ran out".into(),
                Some(why) => format!("the work was stopped ({})", why.word()),
            };
            format!("undecided: free until t = {free_until}, where {why}\n")
        }
    };
    let mut line = |label: &str, text: String| out += &format!("  {label:<9}{text}\n");
    if let Some(crossings) = report.crossings_at_start {
        line("start", format!("{crossings} edges and triangles cross"));
    }
    if is_start_ignored {
        let count = report.ignored_at_start.map(|count| format!("{count} ")).unwrap_or_default();
        line("left out", format!("{count}{LEFT_OUT}"));
    }
    if options.mode == Mode::All {
        let (vf, ee) = (report.vf_touching, report.ee_touching);
        line("touching", format!("{vf} vertex/face and {ee} edge/edge pairs"));
    }
    let stats = report.stats;
    line(
        "pairs",
        format!(
            "{} vertex/face and {} edge/edge with overlapping volumes, {} and {} tested exactly",
            stats.vf_candidates, stats.ee_candidates, stats.vf_tested, stats.ee_tested
        ),
    );
    let (triangles, edges) = (mesh.triangles().len(), mesh.edges().len());
    line("mesh", format!("{} vertices, {edges} edges, {triangles} triangles", mesh.vertices()));
    if let (Some(why), Answer::Touch(_) | Answer::TouchingAtStart(_)) = (stopped, &report.answer) {
        line("stopped", format!("{}: not all pairs were checked", why.word()));
    }
    line("time", format!("build {}, query {}", time(build * 1e6), time(query * 1e6)));
    out
}

fn details(touch: &Touch) -> String {
    let rows = [
        ("part", touch.parts.map(|part| part.to_string())),
        ("feature", touch.features.map(|feature| feature.to_string())),
        ("point", touch.points.map(coordinates)),
    ];
    let width = rows.iter().map(|(_, [a, _])| a.chars().count()).max().unwrap_or(0);
    let mut out: String =
        rows.iter().map(|(label, [a, b])| format!("  {label:<9}{a:<width$}  {b}\n")).collect();
    out += &format!("  {:<9}{}\n", "normal", coordinates(touch.normal));
    out + &format!("  {:<9}at most {:.2e}\n", "gap", touch.gap)
}
