//! `firsttouch demo`: the built-in scenes, as a table.

use std::time::{Duration, Instant};

use firsttouch::{Options, Report, Scene};
use firsttouch_models::Model;
use serde::Serialize;

use crate::answer::{AnswerJson, StatsJson};
use crate::args::{DemoArgs, Shared};
use crate::output::{Failure, Status, bar, median, print, print_json, table, time};

/// A scene is run this often, or for this long, whichever comes first; but at least once.
const MOST_RUNS: usize = 101;
const LONGEST: Duration = Duration::from_millis(300);

#[derive(Serialize)]
struct List {
    scenes: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    scene: &'static str,
    about: &'static str,
    moves: &'static str,
}

#[derive(Serialize)]
struct DemoJson<'a> {
    scenes: Vec<RowJson<'a>>,
}

#[derive(Serialize)]
struct RowJson<'a> {
    scene: &'static str,
    moves: &'static str,
    #[serde(flatten)]
    answer: AnswerJson<'a>,
    stats: StatsJson,
    median_us: f64,
}

struct Row {
    model: &'static Model,
    scene: Scene,
    report: Report,
    median_us: f64,
}

pub(crate) fn run(args: &DemoArgs, shared: &Shared) -> Result<Status, Failure> {
    if args.list {
        return list(shared.json);
    }
    let models: Vec<&'static Model> = match &args.name {
        None => firsttouch_models::all().iter().collect(),
        Some(name) => vec![firsttouch_models::named(name).ok_or_else(|| {
            Failure::Other(format!(
                "there is no scene called \"{name}\"; `firsttouch demo --list` names them all"
            ))
        })?],
    };
    let options = shared.over(Options::default());
    let progress = bar(models.len(), "scenes");
    let mut rows = Vec::new();
    for model in models {
        rows.push(row(model, &options)?);
        progress.inc(1);
    }
    progress.finish_and_clear();
    if shared.json {
        let scenes = rows.iter().map(|row| RowJson {
            scene: row.model.name,
            moves: row.model.moves,
            answer: AnswerJson::new(&row.report.answer, &row.scene),
            stats: row.report.stats.into(),
            median_us: row.median_us,
        });
        print_json(&DemoJson { scenes: scenes.collect() })?;
    } else {
        let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
        print(&table(
            &["scene", "what moves", "answer", ">toi", ">time", ">pairs culled", "between"],
            &cells,
        ))?;
    }
    Ok(Status::Free)
}

fn list(json: bool) -> Result<Status, Failure> {
    let models = firsttouch_models::all();
    if json {
        let listed = |model: &Model| Listed { scene: model.name, about: model.about, moves: model.moves };
        print_json(&List { scenes: models.iter().map(listed).collect() })?;
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
    Ok(Row { model, scene, report, median_us: median(times).unwrap_or_default() })
}

fn cells(row: &Row) -> Vec<String> {
    let stats = row.report.stats;
    let culled = stats.boxes_apart + stats.later;
    let touch = row.report.answer.touch();
    let name = |index: usize| row.scene.bodies()[index].name();
    vec![
        row.model.name.into(),
        row.model.moves.into(),
        crate::answer::word(&row.report.answer).into(),
        touch.map_or("-".into(), |touch| format!("{:.9}", touch.toi)),
        time(row.median_us),
        format!("{culled} of {}", stats.pairs),
        touch.map_or("-".into(), |touch| {
            let [a, b] = touch.bodies.map(name);
            format!("{a} ({}), {b} ({})", touch.features[0], touch.features[1])
        }),
    ]
}
