//! `firsttouch demo`: the built-in scenes, as a table.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use firsttouch::{Options, Part, Report, Scene};
use firsttouch_io::MeshData;
use firsttouch_scenes::{Frame, Model, Run};
use serde::Serialize;

use crate::answer::{AnswerJson, Names, StatsJson};
use crate::args::{DemoArgs, Shared};
use crate::output::{
    Failure, Status, bar, median, print, print_json, print_known, print_known_json, table, time,
};
use crate::stop;

/// A scene runs at least once, then until it has run `MOST_RUNS` times or for `LONGEST`.
const MOST_RUNS: usize = 101;
const LONGEST: Duration = Duration::from_millis(300);

#[derive(Serialize)]
struct SceneList {
    scenes: Vec<SceneEntry>,
}

#[derive(Serialize)]
struct SceneEntry {
    scene: &'static str,
    about: &'static str,
    moves: &'static str,
}

#[derive(Serialize)]
struct DemoJson {
    scenes: Vec<RowJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'static str>,
}

#[derive(Serialize)]
struct RowJson {
    scene: &'static str,
    moves: &'static str,
    triangles: usize,
    #[serde(flatten)]
    answer: AnswerJson,
    stats: StatsJson,
    median_us: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    simulation: Vec<RunJson>,
}

/// A run of the simulation behind a scene.
#[derive(Serialize)]
struct RunJson {
    active_joints: usize,
    joints: usize,
    frames: usize,
    steps: usize,
    touches: usize,
    transforms_per_step: f64,
    close_pairs_per_step: f64,
    energy_lost: f64,
}

struct Row {
    model: &'static Model,
    scene: Scene,
    report: Report,
    median_us: f64,
    /// Runs of the simulation behind the scene.
    runs: Vec<Run>,
}

pub(crate) fn run(args: &DemoArgs, shared: &Shared) -> Result<Status, Failure> {
    if args.list {
        return list(shared.json);
    }
    let models: Vec<&'static Model> = match &args.name {
        None => firsttouch_scenes::all().iter().collect(),
        Some(name) => vec![firsttouch_scenes::named(name).ok_or_else(|| {
            Failure::Other(format!(
                "there is no scene called \"{name}\"; `firsttouch demo --list` names them all"
            ))
        })?],
    };
    let options = shared.over(Options::default());
    if let Some(folder) = &args.out {
        // A folder that cannot be written is reported before the work, not after it.
        firsttouch_io::prepare_folder(folder)?;
    }
    let progress = bar(models.len(), "scenes");
    // The finished scenes. The main thread prints them if the work is stopped.
    let rows = Arc::new(Mutex::new(Vec::new()));
    let (known, json) = (Arc::clone(&rows), shared.json);
    stop::when_stopped(move |why| {
        let rows = known.lock().unwrap_or_else(PoisonError::into_inner);
        if json {
            let scenes = rows.iter().map(Row::json).collect();
            print_known_json(&DemoJson { scenes, stopped: Some(why.word()) })?;
        } else {
            print_known(&format!("{}stopped ({}) after {} scenes\n", text(&rows), why.word(), rows.len()))?;
        }
        Ok(Status::Free)
    });
    for model in models {
        let mut row = row(model, &options)?;
        if args.name.is_some() {
            row.runs = firsttouch_scenes::runs(model.name).transpose()?.unwrap_or_default();
        }
        if let Some(folder) = &args.out {
            write(&row, folder)?;
        }
        rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
        progress.inc(1);
    }
    progress.finish_and_clear();
    let rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
    if shared.json {
        print_json(&DemoJson { scenes: rows.iter().map(Row::json).collect(), stopped: None })?;
    } else {
        print(&text(&rows))?;
    }
    Ok(Status::Free)
}

fn text(rows: &[Row]) -> String {
    let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let shown = table(
        &["scene", "what moves", ">triangles", "answer", ">toi", ">time", ">pairs culled", "between"],
        &cells,
    );
    let runs: Vec<Vec<String>> = rows.iter().flat_map(|row| &row.runs).map(run_cells).collect();
    if runs.is_empty() {
        return shown;
    }
    let header = [
        ">active joints",
        ">frames",
        ">steps",
        ">touches answered",
        ">transforms a step",
        ">pairs checked a step",
        ">energy lost, J",
    ];
    format!("{shown}\nThe simulation, every step checked by the assembly tree:\n\n{}", table(&header, &runs))
}

fn run_cells(run: &Run) -> Vec<String> {
    vec![
        format!("{} of {}", run.active[0], run.active[1]),
        run.frames.to_string(),
        run.steps.to_string(),
        run.touches.to_string(),
        format!("{:.1}", run.transforms),
        format!("{:.1}", run.close_pairs),
        format!("{:.2}", run.lost),
    ]
}

impl Row {
    fn json(&self) -> RowJson {
        RowJson {
            scene: self.model.name,
            moves: self.model.moves,
            triangles: firsttouch_scenes::triangles(&self.scene),
            answer: AnswerJson::new(&self.report.answer, &self.scene),
            stats: self.report.stats.into(),
            median_us: self.median_us,
            simulation: self.runs.iter().map(run_json).collect(),
        }
    }
}

fn run_json(run: &Run) -> RunJson {
    RunJson {
        active_joints: run.active[0],
        joints: run.active[1],
        frames: run.frames,
        steps: run.steps,
        touches: run.touches,
        transforms_per_step: run.transforms,
        close_pairs_per_step: run.close_pairs,
        energy_lost: run.lost,
    }
}

/// Writes the scene at its first touch to `NAME.obj` and the answer to `NAME.json`. If the scene is part of a longer
/// simulation, its frames are written to `NAME-0000.obj`, `NAME-0001.obj` and so on.
fn write(row: &Row, folder: &Path) -> Result<(), Failure> {
    let name = row.model.name;
    let save = |file: String, Frame { positions, triangles }: Frame| {
        let mesh = MeshData { positions, triangles, ..MeshData::default() };
        firsttouch_io::write_mesh(&folder.join(file), &mesh)
    };
    let at_touch = row.report.answer.free_until(1.0);
    save(format!("{name}.obj"), Frame::of(&row.scene, at_touch))?;
    let json = serde_json::to_string_pretty(&row.json()).map_err(|error| Failure::Output(error.into()))?;
    firsttouch_io::save(&folder.join(format!("{name}.json")), |out| writeln!(out, "{json}"))?;

    let Some(frames) = firsttouch_scenes::frames(name) else { return Ok(()) };
    let frames = frames?;
    let progress = bar(frames.len(), "frames");
    for (i, frame) in frames.into_iter().enumerate() {
        save(format!("{name}-{i:04}.obj"), frame)?;
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok(())
}

fn list(json: bool) -> Result<Status, Failure> {
    let models = firsttouch_scenes::all();
    if json {
        let listed = |model: &Model| SceneEntry { scene: model.name, about: model.about, moves: model.moves };
        print_json(&SceneList { scenes: models.iter().map(listed).collect() })?;
    } else {
        let width = models.iter().map(|model| model.name.len()).max().unwrap_or(0);
        let line = |model: &Model| format!("{:<width$}  {}\n", model.name, model.about);
        print(&models.iter().map(line).collect::<String>())?;
    }
    Ok(Status::Free)
}

fn row(model: &'static Model, options: &Options) -> Result<Row, Failure> {
    let scene = model.build()?;
    let begin = Instant::now();
    let mut times = Vec::new();
    let report = loop {
        let start = Instant::now();
        let report = scene.check(options)?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
        if times.len() >= MOST_RUNS || begin.elapsed() >= LONGEST {
            break report;
        }
    };
    Ok(Row { model, scene, report, median_us: median(times).unwrap_or_default(), runs: Vec::new() })
}

fn cells(row: &Row) -> Vec<String> {
    let stats = row.report.stats;
    let culled = stats.boxes_apart + stats.later;
    let touch = row.report.answer.touch();
    let side = |touch: &firsttouch::Touch, side: usize| {
        let body = touch.bodies[side];
        let part = match touch.parts[side] {
            Part::Solid => String::new(),
            part => format!("{}, ", row.scene.part(body, &part)),
        };
        format!("{} ({part}{})", row.scene.bodies()[body].name(), touch.features[side])
    };
    vec![
        row.model.name.into(),
        row.model.moves.into(),
        firsttouch_scenes::triangles(&row.scene).to_string(),
        crate::answer::word(&row.report.answer).into(),
        touch.map_or("-".into(), |touch| format!("{:.9}", touch.toi)),
        time(row.median_us),
        format!("{culled} of {}", stats.pairs),
        touch.map_or("-".into(), |touch| format!("{}, {}", side(touch, 0), side(touch, 1))),
    ]
}
