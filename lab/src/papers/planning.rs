//! The planning queries of the 2007 paper: the queries of a motion planner in the construction site, with two
//! mannequins and among organs.

use firsttouch::planning::{Edges, Method, Outcome, PlanControl, PlanOptions, ProvenEdges, plan_with};
use firsttouch::{Answer, Mode, Options};

use super::{Bench, Measured, timed};
use crate::error::Result;
use crate::scenes::tasks::{self, PlanningTask};

/// Table 1 of the paper, in ms: all steps, free ones, touching ones, the worst.
const THEIRS: [(&str, [f64; 4]); 4] = [
    ("excavator, travel", [780.0, 150.0, 820.0, 3400.0]),
    ("excavator, load", [100.0, 75.0, 120.0, 980.0]),
    ("crane, travel", [5.66, 1.32, 11.1, 134.0]),
    ("crane, load", [15.1, 2.90, 27.3, 211.0]),
];

/// The check of edges, with the answer and the time of each.
struct Recorded<'a> {
    edges: ProvenEdges<'a>,
    log: Vec<(Answer, f64)>,
}

impl Edges for Recorded<'_> {
    fn check(&mut self, from: &[f64], to: &[f64], mode: Mode) -> firsttouch::Result<Answer> {
        let (answer, micros) = timed(|| self.edges.check(from, to, mode));
        let answer = answer?;
        // A configuration is not an edge.
        if from != to {
            self.log.push((answer.clone(), micros * 1e-3));
        }
        Ok(answer)
    }
}

/// The seeds of the planner. No seed was selected; the table shows the range over all.
const SEEDS: u64 = 5;

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    bench.say("planning tasks");
    let tasks = tasks::all(if bench.quick { 0.05 } else { 1.0 })?;
    let seeds = if bench.quick { 2 } else { SEEDS };
    let mut rows = Vec::new();
    for task in &tasks {
        for (method, name) in [(Method::RrtConnect, "RRT-Connect"), (Method::Roadmap, "roadmap")] {
            bench.say(&format!("{}, {name}", task.name));
            rows.push(row(bench, task, method, name, seeds)?);
        }
    }
    bench.table(
        "Table 1, planners: the edges that a planner checks, ms per edge",
        &[
            "task and planner",
            ">paths found",
            ">edges checked",
            ">free",
            ">theirs: all",
            ">ours: all",
            ">theirs: free",
            ">ours: free",
            ">theirs: touching",
            ">ours: touching",
            ">theirs: worst",
            ">ours: worst",
            ">whole query, ms",
            ">edges of the path",
            ">length after / before shortcuts",
        ],
        rows,
        &[
            "Theirs: Pentium 4, 3.6 GHz, MPK with lazy edges, other models of the same size. Ours: this machine, one thread, each edge once. \
             The queries are not the same, so there is no ratio."
                .into(),
            format!(
                "Mean over {seeds} seeds, with the range of the whole query in brackets. Edges of a tree are checked for the first touch, all \
                 others for any. Every edge of a path is proven free."
            ),
        ],
    );
    bench.measured(Measured {
        their_machine: "Pentium 4, 3.6 GHz",
        runs: 1,
        shown: "the mean over the edges of all seeds",
        differs: "the models, the planner and so the edges; the mannequins and the organs are not in the paper's table",
    });
    Ok(())
}

fn row(
    bench: &mut Bench,
    task: &PlanningTask,
    method: Method,
    name: &str,
    seeds: u64,
) -> Result<Vec<String>> {
    let check = Options { tolerance: 1e-3, ..Options::default() };
    let (mut log, mut whole, mut found, mut path_edges, mut shares) = (Vec::new(), Vec::new(), 0, 0, 0.0);
    for seed in 0..seeds {
        let options =
            PlanOptions { method, seed, check, max_samples: 3_000, shortcuts: 60, ..PlanOptions::default() };
        let mut edges = Recorded { edges: ProvenEdges::new(&task.checker, check, None)?, log: Vec::new() };
        let ends = [&task.from[..], &task.to[..]];
        let (outcome, micros) =
            timed(|| plan_with(&task.space, ends, &options, &PlanControl::default(), &mut edges, None));
        match outcome? {
            Outcome::Found(plan) => {
                found += 1;
                path_edges += plan.waypoints.len() - 1;
                shares += plan.length / plan.found_length;
                plan.waypoints.iter().flatten().for_each(|&value| bench.float(value));
                let report = task.checker.check_path(&plan.waypoints, &check, |_| ())?;
                bench.answer(&report.answer);
            }
            _ => bench.number(seed),
        }
        whole.push(micros * 1e-3);
        log.append(&mut edges.log);
    }
    log.iter().for_each(|(answer, _)| bench.answer(answer));
    let mean = |wanted: &dyn Fn(&Answer) -> bool| {
        let times: Vec<f64> = log.iter().filter(|(answer, _)| wanted(answer)).map(|(_, ms)| *ms).collect();
        if times.is_empty() { None } else { Some(times.iter().sum::<f64>() / times.len() as f64) }
    };
    let worst = log.iter().fold(0.0_f64, |worst, (_, ms)| worst.max(*ms));
    let ours = [
        mean(&|_| true),
        mean(&|answer| *answer == Answer::Free),
        mean(&|answer| answer.touch().is_some()),
        Some(worst),
    ];
    let theirs = THEIRS.iter().find(|(known, _)| *known == task.name).map(|(_, times)| *times);
    let free = log.iter().filter(|(answer, _)| *answer == Answer::Free).count();
    let mut row = vec![
        format!("{}, {name}", task.name),
        format!("{found} of {seeds}"),
        format!("{}", log.len() as u64 / seeds),
        format!("{:.0} %", 100.0 * free as f64 / log.len().max(1) as f64),
    ];
    for k in 0..4 {
        row.push(theirs.map_or("-".into(), |times| times[k].to_string()));
        row.push(ours[k].map_or("-".into(), |ms| format!("{ms:.3}")));
    }
    let (least, most) =
        whole.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &ms| (low.min(ms), high.max(ms)));
    row.push(format!("{:.0} ({least:.0} to {most:.0})", whole.iter().sum::<f64>() / seeds as f64));
    if found > 0 {
        row.extend([
            format!("{:.1}", path_edges as f64 / f64::from(found)),
            format!("{:.2}", shares / f64::from(found)),
        ]);
    } else {
        row.extend(["-".into(), "-".into()]);
    }
    Ok(row)
}
