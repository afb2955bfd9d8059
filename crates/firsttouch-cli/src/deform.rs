//! `firsttouch deform`: two frames of one deforming mesh, self-collision included.

use std::time::Instant;

use firsttouch::deformable::{DeformReport, Deformable, Settings};
use firsttouch::{Answer, Mode, Options, Touch};
use firsttouch_io::{MeshData, read_frames};
use serde::Serialize;

use crate::answer::{AnswerJson, OneBody, coordinates, proven, status};
use crate::args::{DeformArgs, Shared};
use crate::output::{Failure, Status, clock, print, print_json, time};

#[derive(Serialize)]
struct DeformJson {
    #[serde(flatten)]
    answer: AnswerJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    crossings_at_start: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vf_touching: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ee_touching: Option<usize>,
    stats: StatsJson,
    seconds: SecondsJson,
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

pub(crate) fn run(args: &DeformArgs, shared: &Shared) -> Result<Status, Failure> {
    let options = Options { mode: args.mode.into(), ..shared.over(Options::default()) };
    options.validate()?;
    let [from, to] = read_frames(&args.from, &args.to)?;

    let progress = clock(format!("checking {} triangles", from.triangles.len()));
    let settings = Settings { threads: options.threads, ..Settings::default() };
    let start = Instant::now();
    let MeshData { positions, triangles, edges, points, .. } = from;
    let mesh = Deformable::with_settings(positions, to.positions, triangles, edges, points, settings)
        .map_err(|error| Failure::Other(format!("{}: {error}", args.from.display())))?;
    let build = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let report = mesh.check(&options, args.start.into())?;
    let query = start.elapsed().as_secs_f64();
    progress.finish_and_clear();

    let all = options.mode == Mode::All;
    if shared.json {
        let stats = report.stats;
        print_json(&DeformJson {
            answer: AnswerJson::new(&report.answer, &OneBody),
            crossings_at_start: report.crossings_at_start,
            vf_touching: all.then(|| report.vertex_face_touches()),
            ee_touching: all.then(|| report.edge_edge_touches()),
            stats: StatsJson {
                vf_candidates: stats.vf_candidates,
                ee_candidates: stats.ee_candidates,
                vf_tested: stats.vf_tested,
                ee_tested: stats.ee_tested,
            },
            seconds: SecondsJson { build, query },
        })?;
    } else {
        print(&text(&report, &options, &mesh, [build, query]))?;
    }
    Ok(status(&report.answer))
}

fn text(report: &DeformReport, options: &Options, mesh: &Deformable, [build, query]: [f64; 2]) -> String {
    let mut out = match &report.answer {
        Answer::Free => format!("free: nothing touches in [0, {}]\n", options.t_max),
        Answer::Touch(touch) => {
            format!("touch at t = {}{}\n{}", touch.toi, proven(touch), details(touch))
        }
        Answer::TouchingAtStart(touch) => format!("touching at the start\n{}", details(touch)),
        Answer::Undecided { free_until, .. } => {
            format!("undecided: free until t = {free_until}, where the iterations of a pair ran out\n")
        }
    };
    let mut line = |label: &str, text: String| out += &format!("  {label:<9}{text}\n");
    if let Some(crossings) = report.crossings_at_start {
        line("start", format!("{crossings} edges and triangles cross"));
    }
    if options.mode == Mode::All {
        let (vf, ee) = (report.vertex_face_touches(), report.edge_edge_touches());
        line("touching", format!("{vf} vertex/face and {ee} edge/edge pairs"));
    }
    let stats = report.stats;
    line(
        "pairs",
        format!(
            "{} vertex/face and {} edge/edge with meeting volumes, {} and {} tested exactly",
            stats.vf_candidates, stats.ee_candidates, stats.vf_tested, stats.ee_tested
        ),
    );
    let (triangles, edges) = (mesh.triangles().len(), mesh.edges().len());
    line("mesh", format!("{} vertices, {edges} edges, {triangles} triangles", mesh.vertices()));
    line("time", format!("{} to build, {} to ask", time(build * 1e6), time(query * 1e6)));
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
