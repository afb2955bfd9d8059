//! `firsttouch queries`: sets of elementary queries against their ground truth.
//!
//! The time covers the queries, not the reading of files. The exact first contact comes from the `.toi` file beside a
//! set, rounded to f64. `early` is the exact time minus the reported time. `late` counts the reported times that are
//! after the exact time.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ScopedJoinHandle;
use std::time::Instant;

use firsttouch::elementary::{
    Decision, EdgeEdge, Limits, Stage, Verdict, VertexFace, edge_edge_batch, vertex_face_batch,
};
use firsttouch::{Options, Result};
use firsttouch_io::{Query, QueryKind, QuerySet, read_queries};
use glam::DVec3;
use serde::Serialize;

use crate::args::{KindArg, QueriesArgs, Shared};
use crate::output::{Failure, Status, bar, median, print, print_json, print_known, print_known_json, table};
use crate::stop;

#[derive(Serialize)]
struct QueriesJson {
    #[serde(flatten)]
    total: Score,
    files: Vec<FileJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'static str>,
}

#[derive(Serialize, Clone)]
struct FileJson {
    file: String,
    #[serde(flatten)]
    score: Score,
}

/// The comparison of one set, or of all of them, with the truth.
#[derive(Serialize, Default, Clone)]
struct Score {
    queries: u64,
    positives: u64,
    false_negatives: u64,
    false_positives: u64,
    late: u64,
    undecided: u64,
    /// `None` if no exact times are known.
    max_early: Option<f64>,
    median_early: Option<f64>,
    mean_ns: f64,
    stages: Stages,
}

/// The number of queries that each stage of the cascade decided.
#[derive(Serialize, Default, Clone)]
struct Stages {
    axes: u64,
    bernstein: u64,
    float: u64,
    exact: u64,
    advancement: u64,
}

/// The sums and lists from which [`Tally::finish`] computes a score.
#[derive(Default, Clone)]
struct Tally {
    score: Score,
    early: Vec<f64>,
    nanos: f64,
}

pub(crate) fn run(args: &QueriesArgs, shared: &Shared) -> Result<Status, Failure> {
    let options = shared.over(Options::default());
    options.validate()?;
    let files = csv_files(&args.files)?;
    let kind = args.kind.map(|kind| match kind {
        KindArg::Vf => QueryKind::VertexFace,
        KindArg::Ee => QueryKind::EdgeEdge,
    });
    let progress = bar(files.len(), "sets");
    // The sum and the scores of the finished sets. The main thread prints them if the work is stopped.
    let sums = Arc::new(Mutex::new((Tally::default(), Vec::new())));
    let (known, json) = (Arc::clone(&sums), shared.json);
    stop::when_stopped(move |why| {
        let (total, files) = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let total = total.finish();
        let status = status(&total);
        if json {
            print_known_json(&QueriesJson { total, files, stopped: Some(why.word()) })?;
        } else {
            print_known(&format!(
                "{}stopped ({}) after {} sets\n",
                text(&total, &files),
                why.word(),
                files.len()
            ))?;
        }
        Ok(status)
    });
    for file in &files {
        let set = read_queries(file, kind)?;
        let mut tally = Tally::default();
        let (decisions, nanos) = decide(&set, &options).map_err(|(index, error)| {
            Failure::Other(format!("{}: query {index}: {error}", file.display()))
        })?;
        tally.nanos = nanos;
        for (query, decision) in set.queries.iter().zip(&decisions) {
            tally.count(query, decision);
        }
        let mut sums = sums.lock().unwrap_or_else(PoisonError::into_inner);
        sums.0.add(&tally);
        sums.1.push(FileJson { file: file.display().to_string(), score: tally.finish() });
        progress.inc(1);
    }
    progress.finish_and_clear();
    let (total, scores) = std::mem::take(&mut *sums.lock().unwrap_or_else(PoisonError::into_inner));
    let total = total.finish();
    let status = status(&total);
    if shared.json {
        print_json(&QueriesJson { total, files: scores, stopped: None })?;
    } else {
        print(&text(&total, &scores))?;
    }
    Ok(status)
}

/// Returns the decisions in the order of the set, and the time they took.
fn decide(set: &QuerySet, options: &Options) -> Result<(Vec<Decision>, f64), (usize, firsttouch::Error)> {
    let params = Limits::new(options).map_err(|error| (0, error))?;
    // More threads than a few per core only use memory.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = match options.threads {
        0 => cores,
        threads => threads.min(4 * cores),
    };
    Ok(match set.kind {
        QueryKind::VertexFace => {
            let queries = checked(set, VertexFace::new)?;
            in_chunks(&queries, threads, |chunk, out| vertex_face_batch(chunk, &params, out))
        }
        QueryKind::EdgeEdge => {
            let queries = checked(set, EdgeEdge::new)?;
            in_chunks(&queries, threads, |chunk, out| edge_edge_batch(chunk, &params, out))
        }
    })
}

fn checked<T>(
    set: &QuerySet,
    new: impl Fn([DVec3; 4], [DVec3; 4]) -> Result<T>,
) -> Result<Vec<T>, (usize, firsttouch::Error)> {
    let build = |(index, query): (usize, &Query)| {
        new(query.points_t0, query.points_t1).map_err(|error| (index, error))
    };
    set.queries.iter().enumerate().map(build).collect()
}

/// Starting a thread takes as long as a few hundred queries.
const SMALLEST_CHUNK: usize = 512;

/// Runs the batch on one slice per thread, and concatenates the answers in order.
fn in_chunks<T: Sync>(
    queries: &[T],
    threads: usize,
    batch: impl Fn(&[T], &mut Vec<Decision>) + Sync,
) -> (Vec<Decision>, f64) {
    let run = |chunk: &[T]| {
        let mut out = Vec::with_capacity(chunk.len());
        batch(chunk, &mut out);
        out
    };
    let start = Instant::now();
    let decisions = if threads <= 1 {
        run(queries)
    } else {
        let size = queries.len().div_ceil(threads).max(SMALLEST_CHUNK);
        std::thread::scope(|scope| {
            let run = &run;
            let spawn = |chunk| (chunk, std::thread::Builder::new().spawn_scoped(scope, move || run(chunk)));
            let workers: Vec<_> = queries.chunks(size).map(spawn).collect();
            // If a thread cannot be started, this one does its work. The answers are the same.
            let join =
                |(chunk, worker): (_, std::io::Result<ScopedJoinHandle<'_, Vec<Decision>>>)| match worker {
                    Ok(worker) => worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                    Err(_) => run(chunk),
                };
            workers.into_iter().flat_map(join).collect()
        })
    };
    (decisions, start.elapsed().as_secs_f64() * 1e9)
}

impl Tally {
    fn count(&mut self, query: &Query, decision: &Decision) {
        let score = &mut self.score;
        score.queries += 1;
        score.positives += u64::from(query.truth);
        match decision.outcome {
            Verdict::Free => score.false_negatives += u64::from(query.truth),
            Verdict::Undecided { .. } => score.undecided += 1,
            Verdict::Touch(contact) => {
                score.false_positives += u64::from(!query.truth);
                if let Some(exact) = &query.contact {
                    let early = exact.nearest - contact.toi;
                    score.late += u64::from(early < 0.0);
                    self.early.push(early);
                }
            }
        }
        *match decision.stage {
            Stage::Axes => &mut score.stages.axes,
            Stage::Bernstein => &mut score.stages.bernstein,
            Stage::Float => &mut score.stages.float,
            Stage::Exact => &mut score.stages.exact,
            Stage::Advancement => &mut score.stages.advancement,
        } += 1;
    }

    fn add(&mut self, other: &Tally) {
        let (sum, score) = (&mut self.score, &other.score);
        sum.queries += score.queries;
        sum.positives += score.positives;
        sum.false_negatives += score.false_negatives;
        sum.false_positives += score.false_positives;
        sum.late += score.late;
        sum.undecided += score.undecided;
        sum.stages.axes += score.stages.axes;
        sum.stages.bernstein += score.stages.bernstein;
        sum.stages.float += score.stages.float;
        sum.stages.exact += score.stages.exact;
        sum.stages.advancement += score.stages.advancement;
        self.early.extend(&other.early);
        self.nanos += other.nanos;
    }

    fn finish(mut self) -> Score {
        self.score.max_early = self.early.iter().copied().max_by(f64::total_cmp);
        self.score.median_early = median(self.early);
        self.score.mean_ns = self.nanos / self.score.queries.max(1) as f64;
        self.score
    }
}

/// `Touch` if an answer disagrees with the truth, otherwise `Undecided` if a query is undecided.
fn status(total: &Score) -> Status {
    if total.false_negatives + total.false_positives + total.late > 0 {
        Status::Touch
    } else if total.undecided > 0 {
        Status::Undecided
    } else {
        Status::Free
    }
}

/// Returns the files given, and all `.csv` files in the folders given and below, ordered by name.
fn csv_files(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for argument in arguments {
        if !argument.is_dir() {
            files.push(argument.clone());
            continue;
        }
        let before = files.len();
        search(argument, &mut files)?;
        if files.len() == before {
            return Err(Failure::Other(format!(
                "{}: there is no .csv file in this folder",
                argument.display()
            )));
        }
    }
    Ok(files)
}

fn search(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let fail = |error: std::io::Error| Failure::Other(format!("{}: {error}", folder.display()));
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        entries.push((entry.path(), entry.file_type().map_err(fail)?));
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    for (path, kind) in entries {
        // Links to folders are not followed, because they can form a cycle.
        if kind.is_dir() {
            search(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
            && path.is_file()
        {
            files.push(path);
        }
    }
    Ok(())
}

fn text(total: &Score, scores: &[FileJson]) -> String {
    let row = |name: &str, score: &Score| {
        let count = |n: u64| n.to_string();
        vec![
            name.to_string(),
            count(score.queries),
            count(score.positives),
            count(score.false_negatives),
            count(score.false_positives),
            count(score.late),
            count(score.undecided),
            score.max_early.map_or("-".into(), |early| format!("{early:.1e}")),
            format!("{:.0}", score.mean_ns),
        ]
    };
    let mut rows: Vec<Vec<String>> = scores.iter().map(|file| row(&file.file, &file.score)).collect();
    if scores.len() > 1 {
        rows.push(row("all", total));
    }
    let header = [
        "set",
        ">queries",
        ">positives",
        ">missed",
        ">false alarms",
        ">late",
        ">undecided",
        ">max early",
        ">mean ns",
    ];
    let mut text = table(&header, &rows);
    let stages = &total.stages;
    let decided = [
        ("axes", stages.axes),
        ("bernstein", stages.bernstein),
        ("float", stages.float),
        ("exact", stages.exact),
        ("advancement", stages.advancement),
    ];
    let share = |count: u64| 100.0 * count as f64 / total.queries.max(1) as f64;
    let shares =
        decided.iter().filter(|(_, count)| *count > 0).map(|(name, n)| format!("{name} {:.1} %", share(*n)));
    text += &format!("decided by: {}\n", shares.collect::<Vec<_>>().join(", "));
    text
}
