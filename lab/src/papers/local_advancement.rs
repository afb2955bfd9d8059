//! Tables I and II of the 2010 paper on deforming meshes: local advancement against a cubic solver, first against all
//! touches.
//!
//! The scenes are ours, of the paper's sizes (`crate::scenes::{cloth, nbody, exploding, planning}`). Every method runs
//! in the same engine, on one thread, as in the paper:
//! - *cubic*: swept volumes, then a cubic solver in plain `f64` for every remaining pair, like the
//!   representative-triangle method with which the paper compares;
//! - *without*: swept volumes, then the exact test, without local advancement of volumes or features;
//! - *ours*: local advancement of volumes and features, then the exact test.
//!
//! All of them use culling by normal cones, so the comparison is about local advancement. The paper has no such cones:
//! Table II has each row once more without them, for all methods.

use std::collections::HashSet;

use crate::comparison;
use crate::scenes::cloth::{self, Cloth, Draping};
use crate::scenes::deforming::{Frames, Sequence, folded_cloth};
use crate::scenes::exploding::{self, Explosion};
use crate::scenes::nbody::{Crowd, Nbody};
use crate::scenes::planning;
use firsttouch::Feature;
use firsttouch::deformable::{DeformReport, Deformable, Settings, Start};
use firsttouch::{Answer, Mode, Options};

use super::{Bench, Measured, timed};
use crate::error::{Error, Result};
use crate::plot::{Axis, Plot};

const OURS: Settings = Settings {
    dop: firsttouch::deformable::Dop::Eight,
    switch_height: 3,
    local_advancement: true,
    advancement_in_all: false,
    normal_cones: true,
    threads: 1,
};
/// With local advancement of features in mode `All`, as in the paper.
const FEATURES: Settings = Settings { advancement_in_all: true, ..OURS };
const WITHOUT: Settings = Settings { switch_height: 0, local_advancement: false, ..OURS };

const MEASURED: Measured = Measured {
    their_machine: "Intel Core Q9450, 2.66 GHz, one thread",
    runs: 2,
    shown: "the lesser of each frame, the mean over the frames",
    differs: "the models are ours, generated, of the paper's numbers of triangles; theirs are the UNC dynamic scenes",
};

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let cloth = dynamics(bench)?;
    motion(bench, &cloth)?;
    planning_paths(bench)?;
    simulation(bench)?;
    growth(bench)
}

/// Measures Table I. Returns a step of the cloth for [`motion`].
fn dynamics(bench: &mut Bench) -> Result<Option<Frames>> {
    // Triangles; R-Tri, all and global in ms.
    const THEIRS: [(&str, &str, f64, f64, f64); 3] = [
        ("exploding dragon", "252K", 938.0, 792.0, 717.0),
        ("cloth simulation", "92K", 350.0, 286.0, 274.0),
        ("N-body simulation", "146K", 1131.0, 720.0, 669.0),
    ];
    let scenes = [explosion_steps, cloth_steps, crowd_steps];
    let (mut times, mut wrong, mut pays) = (Vec::new(), Vec::new(), Vec::new());
    let mut cloth = None;
    for ((name, size, their_cubic, their_all, their_first), steps) in THEIRS.into_iter().zip(scenes) {
        bench.say(name);
        let (steps, made) = timed(|| steps(bench.quick));
        let steps = steps?;
        bench.say(&format!("{name}, queries"));
        let methods = [
            (exact(OURS), Mode::All, 1),
            (exact(OURS), Mode::First, 1),
            (exact(WITHOUT), Mode::All, 1),
            (exact(WITHOUT), Mode::First, 1),
            (cubic(WITHOUT), Mode::All, 1),
            (cubic(OURS), Mode::All, 1),
            (exact(OURS), Mode::All, bench.threads),
            (exact(FEATURES), Mode::All, 1),
            (exact(OURS), Mode::Any, 1),
            (cubic(WITHOUT), Mode::First, 1),
        ];
        let [all, first, without_all, without_first, cubic, advanced, threaded, features, any, cubic_first] =
            measure(&steps, methods)?;
        if features.reports.iter().zip(&all.reports).any(|(a, b)| a.touches != b.touches) {
            return Err(Error::Other(format!("{name}: the touches depend on local advancement")));
        }
        for (all, first) in all.reports.iter().zip(&first.reports) {
            bench.number(all.vertex_face_touches() as u64);
            bench.number(all.edge_edge_touches() as u64);
            bench.answer(&first.answer);
        }
        // The results of the threads, so that the digest shows if their number matters.
        for report in &threaded.reports {
            bench.answer(&report.answer);
            for touch in &report.touches {
                bench.float(touch.toi);
                bench.float(touch.gap);
                touch.points.iter().for_each(|point| bench.float(point.element_sum()));
            }
        }
        for (own, other) in first.reports.iter().zip(&without_first.reports) {
            if own.answer != other.answer {
                return Err(Error::Other(format!("{name}: the answer depends on local advancement")));
            }
        }
        let triangles = steps[0].triangles.len();
        let tested = |of: &MethodTimes| {
            of.reports.iter().map(|r| r.stats.vf_tested + r.stats.ee_tested).sum::<u64>().to_string()
        };
        times.push(vec![
            name.to_string(),
            size.to_string(),
            thousands(triangles),
            format!("{their_cubic:.0}"),
            format!("{:.1}", cubic.query),
            format!("{their_all:.0}"),
            format!("{:.1}", all.query),
            format!("{their_first:.0}"),
            format!("{:.1}", first.query),
            format!("{:.1}", any.query),
            format!("{:.1}", all.refit),
            format!("{:.2}", their_cubic / their_all),
            format!("{:.2}", cubic.query / all.query),
            format!("{:.2}", (cubic.query + cubic.refit) / (all.query + all.refit)),
            format!("{:.2}", their_cubic / their_first),
            format!("{:.2}", cubic_first.query / first.query),
            format!("{:.1}", threaded.query),
        ]);
        pays.push(vec![
            name.to_string(),
            format!("{:.2}", without_all.query / all.query),
            format!("{:.2}", features.query / all.query),
            format!("{:.2}", {
                let sum = |of: &dyn Fn(&DeformReport) -> u64| all.reports.iter().map(of).sum::<u64>() as f64;
                sum(&|r| r.stats.vf_candidates + r.stats.ee_candidates) / sum(&|r| r.stats.leaf_pairs)
            }),
            tested(&all),
            tested(&features),
            format!("{:.2}", without_first.query / first.query),
            format!("{:.2}", advanced.query / cubic.query),
        ]);
        if name == "cloth simulation" {
            cloth = steps.last().cloned();
        }
        let (missed, false_alarms) = difference(&all.reports, &cubic.reports);
        bench.number(missed);
        let count = |of: &dyn Fn(&DeformReport) -> u64| all.reports.iter().map(of).sum::<u64>();
        wrong.push(vec![
            name.to_string(),
            steps.len().to_string(),
            count(&|r| r.vertex_face_touches() as u64).to_string(),
            count(&|r| r.edge_edge_touches() as u64).to_string(),
            missed.to_string(),
            false_alarms.to_string(),
            count(&|r| r.stats.vf_candidates + r.stats.ee_candidates).to_string(),
            cubic.reports.iter().map(|r| r.stats.vf_tested + r.stats.ee_tested).sum::<u64>().to_string(),
            format!("{:.1}", made * 1e-6),
        ]);
    }
    let threaded = format!(">all, {}, ms", threads(bench.threads));
    bench.table(
        "Table I: dynamics, all touches, the first, and whether there is one",
        &[
            "scene",
            ">theirs: triangles",
            ">ours: triangles",
            ">theirs: cubic, ms",
            ">ours: cubic, ms",
            ">theirs: all, ms",
            ">ours: all, ms",
            ">theirs: first, ms",
            ">ours: first, ms",
            ">any, ms",
            ">refit, ms",
            ">theirs: cubic/all",
            ">ours: cubic/all",
            ">cubic/all, with refit",
            ">theirs: cubic/first",
            ">ours: cubic/first",
            &threaded,
        ],
        times,
        &[
            "Every frame of the scene, one thread. Times of different scenes are not compared: each ratio is of two methods on one machine and one \
             scene."
                .into(),
            "cubic: swept volumes and a cubic solver in f64, in the same engine, as the representative-triangle method; it decides nothing exactly. refit: \
             moving to the next frame. The cloth takes its solver's own steps."
                .into(),
        ],
    );
    bench.measured(MEASURED);
    bench.table(
        "Table I, what local advancement contributes",
        &[
            "scene",
            ">all: without volumes/ours",
            ">all: with features/ours",
            ">near pairs of features for a pair of leaves",
            ">pairs tested, ours",
            ">pairs tested, with features",
            ">first: without/ours",
            ">cubic: with volumes/without",
        ],
        pays,
        &[
            "Ratios of times: more than 1 says that ours is faster. without volumes: swept volumes alone. with features: Lemmas 2 and 3 before each \
             exact test in mode `all`, too, as in the paper."
                .into(),
            "Local advancement of volumes removes most pairs in all modes. That of features is on for the first touch and for any; for all touches it \
             is off, because the first stage of the exact test costs as little and decides more: a second proof in front of it is paid for by every \
             pair, and most pairs that get so far are not removed."
                .into(),
            "near pairs of features: those without a common vertex whose volumes overlap, before any test. Lemma 1, for two triangles, is not used: the tree goes from a pair of leaves, of 8 to 16 \
             triangles each, to the pairs of features whose volumes overlap, and never comes to a pair of triangles."
                .into(),
        ],
    );
    bench.measured(MEASURED);
    bench.table(
        "Table I, the answers: misses and false alarms of a cubic solver",
        &[
            "scene",
            ">steps",
            ">vf touches",
            ">ee touches",
            ">cubic missed",
            ">cubic false",
            ">pairs tested",
            ">by cubic",
            ">generation, s",
        ],
        wrong,
        &["Over all steps. Proposed motions: where things would go before contacts are resolved.".into()],
    );
    Ok(cloth)
}

/// Local advancement saves more or less depending on the motion per step.
fn motion(bench: &mut Bench, cloth: &Option<Frames>) -> Result<()> {
    let Some(step) = cloth else { return Ok(()) };
    let mut rows = Vec::new();
    for scale in [0.25, 0.5, 1.0, 2.0] {
        bench.say(&format!("cloth, {scale} of its motion"));
        let end = step.t0.iter().zip(&step.t1).map(|(&p, &q)| p + (q - p) * scale).collect();
        let scaled = [Frames { t1: end, ..step.clone() }];
        let methods =
            [(exact(OURS), Mode::All, 1), (exact(WITHOUT), Mode::All, 1), (cubic(WITHOUT), Mode::All, 1)];
        let [all, without, cubic] = measure(&scaled, methods)?;
        bench.number(all.reports[0].touches.len() as u64);
        let tested = |measured: &MethodTimes| {
            let stats = &measured.reports[0].stats;
            (stats.vf_tested + stats.ee_tested).to_string()
        };
        rows.push(vec![
            format!("{scale}"),
            all.reports[0].touches.len().to_string(),
            tested(&cubic),
            tested(&all),
            format!("{:.1}", cubic.query),
            format!("{:.1}", without.query),
            format!("{:.1}", all.query),
            format!("{:.2}", cubic.query / all.query),
        ]);
    }
    bench.table(
        "The ratio of Table I against the length of the step: the cloth",
        &[
            "part of the motion",
            ">touches",
            ">pairs, swept",
            ">pairs, moving",
            ">cubic, ms",
            ">without, ms",
            ">all, ms",
            ">ratio",
        ],
        rows,
        &["Pairs: left to the last test by swept volumes, and by local advancement of volumes.".into()],
    );
    Ok(())
}

fn explosion_steps(quick: bool) -> firsttouch::Result<Vec<Frames>> {
    let explosion = if quick {
        Explosion { triangles: 20_000, lump_triangles: 2_000, ..Explosion::default() }
    } else {
        Explosion::default()
    };
    let frames = exploding::sequence(explosion, 13)?;
    Ok((0..frames.steps()).filter_map(|k| frames.step(k)).collect())
}

fn cloth_steps(quick: bool) -> firsttouch::Result<Vec<Frames>> {
    let steps = if quick { cloth::draped(10_000, 45, 7)? } else { cloth::draped(92_000, 60, 8)? };
    Ok(steps)
}

fn crowd_steps(quick: bool) -> firsttouch::Result<Vec<Frames>> {
    let mut crowd = Nbody::new(Crowd { triangles: if quick { 80 } else { 980 }, ..Crowd::default() })?;
    let mut steps = Vec::new();
    for _ in 0..=24 {
        steps.push(crowd.step());
        crowd.advance();
    }
    Ok(steps)
}

/// Measures Table II: if a step is free, and when it ends, along a free path and along one with touches.
fn planning_paths(bench: &mut Bench) -> Result<()> {
    const THEIRS: [(&str, &str, [f64; 4]); 2] = [
        ("bar/spheres", "636", [7.2, 14.9, 3.4, 10.6]),
        ("human organs", "14K", [27.5, 2986.3, 22.5, 727.5]),
    ];
    let quick = bench.quick;
    let steps = if quick { 20 } else { 40 };
    let mut rows = Vec::new();
    for (k, (name, size, theirs)) in THEIRS.into_iter().enumerate() {
        bench.say(name);
        let path = |yielding: f64| match k {
            0 => planning::bar_and_spheres(20, yielding),
            _ => planning::organs(if quick { 0.6 } else { 1.0 }, steps / 2, yielding),
        };
        for (kind, yielding) in [("free", 1.0), ("touching", 0.4)] {
            let steps = all_steps(&path(yielding)?);
            let mut answers: Option<Vec<Answer>> = None;
            for normal_cones in [true, false] {
                let row = planning_row(&steps, normal_cones)?;
                let own: Vec<Answer> = row.answers.clone();
                own.iter().for_each(|answer| bench.answer(answer));
                if answers.get_or_insert_with(|| own.clone()) != &own {
                    return Err(Error::Other(format!("{name}, {kind}: the answer depends on normal cones")));
                }
                let is_free = kind == "free";
                let of_theirs = |text: String| if is_free { text } else { String::new() };
                let [their_cubic_any, their_cubic_first, their_any, their_first] = theirs;
                let touching = own.iter().filter(|answer| answer.touch().is_some()).count();
                let cones = if normal_cones { "" } else { ", without normal cones" };
                rows.push(vec![
                    format!("{name}, {kind}{cones}"),
                    of_theirs(size.to_string()),
                    thousands(steps[0].triangles.len()),
                    format!("{touching} of {}", steps.len()),
                    of_theirs(format!("{their_cubic_any}")),
                    format!("{:.3}", row.cubic_any),
                    of_theirs(format!("{their_cubic_first}")),
                    format!("{:.3}", row.cubic_first),
                    of_theirs(format!("{their_any}")),
                    format!("{:.3}", row.any),
                    of_theirs(format!("{their_first}")),
                    format!("{:.3}", row.first),
                    of_theirs(format!("{:.2}", their_cubic_any / their_any)),
                    format!("{:.2}", row.cubic_any / row.any),
                    of_theirs(format!("{:.2}", their_cubic_first / their_first)),
                    format!("{:.2}", row.cubic_first / row.first),
                    format!("{:.2}", row.with_refit),
                    format!("{:.2}", row.without / row.first),
                    format!("{:.3}", row.walk),
                    format!("{:.0} %", 100.0 * row.solver_share),
                    format!("{:.0}", row.tested_by_cubic),
                    format!("{:.0}", row.tested),
                    row.cubic_wrong.to_string(),
                ]);
            }
        }
    }
    bench.table(
        "Table II: planning, whether a step is free and its first touch",
        &[
            "path",
            ">theirs: triangles",
            ">ours: triangles",
            ">touching",
            ">theirs: cubic, free?, ms",
            ">ours: cubic, free?, ms",
            ">theirs: cubic, first, ms",
            ">ours: cubic, first, ms",
            ">theirs: free?, ms",
            ">ours: free?, ms",
            ">theirs: first, ms",
            ">ours: first, ms",
            ">theirs: cubic/ours, free?",
            ">ours: cubic/ours, free?",
            ">theirs: cubic/ours, first",
            ">ours: cubic/ours, first",
            ">first, with refit",
            ">without/first",
            ">walk alone, ms",
            ">solver in the cubic row",
            ">pairs tested, cubic",
            ">pairs tested, ours",
            ">cubic wrong",
        ],
        rows,
        &[
            "Every step of the path, one thread. Ratios are of two methods on one scene and one machine. ours: the default settings."
                .into(),
            "without normal cones: neither method uses them, as in the paper, which has none. The other rows have them in both methods."
                .into(),
            "cubic wrong: steps in which the cubic solver says touch for free or free for touch; it stops at a false touch. walk alone: swept volumes, and no last test. \
             solver in the cubic row: the part of the time of \"free?\" that the walk alone does not take, over the steps that the solver says are free. pairs \
             tested: in a step, by the last test of \"free?\"."
                .into(),
        ],
    );
    bench.measured(Measured {
        differs: "the paths and models are ours, of the paper's numbers of triangles; theirs came from a planner",
        ..MEASURED
    });
    Ok(())
}

/// The values of Table II for a path: mean times in ms, and counts.
struct PlanningRow {
    answers: Vec<Answer>,
    cubic_any: f64,
    cubic_first: f64,
    any: f64,
    first: f64,
    without: f64,
    walk: f64,
    /// The ratio of the first touch, with the time of the next frame on both sides.
    with_refit: f64,
    /// The part of the cubic row outside the walk, over the steps that the solver says are free.
    solver_share: f64,
    /// The pairs that the last test of a query in mode `Any` decides in a step.
    tested_by_cubic: f64,
    tested: f64,
    /// The number of steps in which the cubic solver gives the wrong answer.
    cubic_wrong: usize,
}

fn planning_row(steps: &[Frames], normal_cones: bool) -> Result<PlanningRow> {
    let [ours, swept] = [OURS, WITHOUT].map(|settings| Settings { normal_cones, ..settings });
    let methods = [
        (cubic(swept), Mode::Any, 1),
        (cubic(swept), Mode::First, 1),
        (exact(ours), Mode::Any, 1),
        (exact(ours), Mode::First, 1),
        (exact(swept), Mode::First, 1),
        (walk(swept), Mode::Any, 1),
    ];
    let [cubic_any, cubic_first, any, first, without, walk] = measure(steps, methods)?;
    let touches = |report: &DeformReport| report.answer.touch().is_some();
    let both = first.reports.iter().zip(&cubic_first.reports);
    let through: Vec<usize> = (0..steps.len()).filter(|&k| !touches(&cubic_any.reports[k])).collect();
    let sum = |of: &MethodTimes| through.iter().map(|&k| of.queries[k]).sum::<f64>();
    let tested = |of: &MethodTimes| {
        let tested: u64 = of.reports.iter().map(|r| r.stats.vf_tested + r.stats.ee_tested).sum();
        tested as f64 / steps.len() as f64
    };
    Ok(PlanningRow {
        cubic_any: cubic_any.query,
        cubic_first: cubic_first.query,
        any: any.query,
        first: first.query,
        without: without.query,
        walk: walk.query,
        with_refit: (cubic_first.query + cubic_first.refit) / (first.query + first.refit),
        solver_share: 1.0 - sum(&walk) / sum(&cubic_any),
        tested_by_cubic: tested(&cubic_any),
        tested: tested(&any),
        cubic_wrong: both.filter(|(own, cubic)| touches(own) != touches(cubic)).count(),
        answers: first.reports.into_iter().map(|report| report.answer).collect(),
    })
}

fn all_steps(path: &Sequence) -> Vec<Frames> {
    (0..path.steps()).filter_map(|k| path.step(k)).collect()
}

/// Measures a cloth solver with the library in the loop.
fn simulation(bench: &mut Bench) -> Result<()> {
    bench.say("the cloth solver");
    let draping = if bench.quick {
        Draping { side: 25, ball_triangles: 720, ..Draping::default() }
    } else {
        Draping::default()
    };
    let steps = 60;
    let (run, micros) = timed(|| -> firsttouch::Result<_> {
        let mut cloth = Cloth::new(draping)?;
        let mut sums = [0; 4];
        for _ in 0..steps {
            let step = cloth.step()?;
            sums[0] += step.touches;
            sums[1] += step.checks;
            sums[2] += step.slowed;
            sums[3] += usize::from(step.done < 1.0);
        }
        Ok((cloth, sums))
    });
    let (cloth, [touches, checks, slowed, cut]) = run?;
    bench.number(touches as u64);
    bench.float(cloth.lowest());
    bench.table(
        "The cloth of Fig. 6 (b), simulated: every accepted step is proven free",
        &[
            "triangles",
            ">steps",
            ">ms per step",
            ">exact checks",
            ">touches proposed",
            ">vertices slowed",
            ">steps cut short",
            ">lowest point",
        ],
        vec![vec![
            thousands(cloth.triangles().len()),
            steps.to_string(),
            format!("{:.1}", micros * 1e-3 / f64::from(steps)),
            checks.to_string(),
            touches.to_string(),
            slowed.to_string(),
            cut.to_string(),
            format!("{:.3}", cloth.lowest()),
        ]],
        &["The ball has radius 1 and its centre at height 0; all cores.".into()],
    );
    Ok(())
}

/// Measures ten thousand to a million triangles.
fn growth(bench: &mut Bench) -> Result<()> {
    let sides: &[usize] = if bench.quick { &[72, 160] } else { &[72, 160, 317, 708] };
    let (mut rows, mut points) = (Vec::new(), Vec::new());
    for &side in sides {
        let frames = [folded_cloth(side, 1.5), folded_cloth(side, 0.3)];
        let count = frames[0].triangles.len();
        bench.say(&format!("growth, {} triangles", thousands(count)));
        let (mesh, build) = timed(|| frames[0].build(OURS));
        let bytes = mesh?.bytes() as f64 / count as f64;
        let [first] = measure(&frames[..1], [(exact(OURS), Mode::First, 1)])?;
        let [free] = measure(&frames[1..], [(exact(OURS), Mode::First, 1)])?;
        bench.answer(&first.reports[0].answer);
        bench.answer(&free.reports[0].answer);
        let ms = [build * 1e-3, first.refit, first.query, free.query];
        let mut row = vec![thousands(count)];
        row.extend(ms.map(|ms| format!("{ms:.1}")));
        row.push(format!("{bytes:.0}"));
        rows.push(row);
        points.push((count as f64, ms));
    }
    if let [small, .., large] = &points[..] {
        let exponent = |k: usize| format!("{:.2}", (large.1[k] / small.1[k]).ln() / (large.0 / small.0).ln());
        let mut row = vec!["exponent".to_string()];
        row.extend((0..4).map(exponent));
        row.push("(at most 400)".into());
        rows.push(row);
    }
    let mut plot = Plot::new("A folded cloth", Axis::log("triangles"), Axis::log("ms"));
    for (k, name) in ["build", "refit", "first touch", "proven free"].into_iter().enumerate() {
        plot.curve(name, points.iter().map(|(count, ms)| (*count, ms[k])));
    }
    plot.law("linear", points.iter().map(|(count, _)| (*count, count / 1e3)));
    bench.plot("local-advancement-growth", plot);
    bench.table(
        "Growth: folded cloth from ten thousand triangles",
        &[
            "triangles",
            ">build, ms",
            ">refit, ms",
            ">first touch, ms",
            ">proven free, ms",
            ">bytes per triangle",
        ],
        rows,
        &["One thread.".into()],
    );
    Ok(())
}

/// A method: the construction of the mesh and its last test, the mode of the query, and the number of threads.
type Method = (Engine, Mode, usize);

#[derive(Clone, Copy)]
struct Engine {
    settings: Settings,
    last: LastTest,
}

/// The method that makes the final decision about a pair of features.
#[derive(Clone, Copy)]
enum LastTest {
    Exact,
    Cubic,
    /// No method: the walk through the trees alone.
    Nothing,
}

fn exact(settings: Settings) -> Engine {
    Engine { settings, last: LastTest::Exact }
}

fn cubic(settings: Settings) -> Engine {
    Engine { settings, last: LastTest::Cubic }
}

fn walk(settings: Settings) -> Engine {
    Engine { settings, last: LastTest::Nothing }
}

/// The mean times of a method in ms, and its report for every step.
struct MethodTimes {
    refit: f64,
    query: f64,
    /// The time of each step.
    queries: Vec<f64>,
    reports: Vec<DeformReport>,
}

/// Runs all methods at every step in turn, so that other work on the machine affects all alike. The shorter of two
/// times counts.
fn measure<const N: usize>(steps: &[Frames], methods: [Method; N]) -> Result<[MethodTimes; N]> {
    let mut meshes: Vec<Deformable> = methods
        .iter()
        .map(|(engine, ..)| steps[0].build(engine.settings))
        .collect::<firsttouch::Result<_>>()?;
    let mut measured =
        methods.map(|_| MethodTimes { refit: 0.0, query: 0.0, queries: Vec::new(), reports: Vec::new() });
    let share = 1e-3 / steps.len() as f64;
    for step in steps {
        let mut best = [(f64::INFINITY, f64::INFINITY); N];
        for turn in 0..2 {
            for (k, mesh) in meshes.iter_mut().enumerate() {
                let options = Options { mode: methods[k].1, threads: methods[k].2, ..Options::default() };
                let (refitted, refit) = timed(|| mesh.set_frames(&step.t0, &step.t1));
                refitted?;
                let (report, query) = timed(|| match methods[k].0.last {
                    LastTest::Exact => mesh.check(&options, Start::Ignore),
                    LastTest::Cubic => comparison::cubic(mesh, &options, Start::Ignore),
                    LastTest::Nothing => comparison::walk(mesh, &options, Start::Ignore),
                });
                best[k] = (best[k].0.min(refit), best[k].1.min(query));
                if turn == 0 {
                    measured[k].reports.push(report?);
                }
            }
        }
        for (measured, best) in measured.iter_mut().zip(best) {
            measured.refit += best.0 * share;
            measured.query += best.1 * share;
            measured.queries.push(best.1);
        }
    }
    Ok(measured)
}

/// Returns the number of touching pairs that are missing in the second reports, and the number of extra ones.
fn difference(exact: &[DeformReport], other: &[DeformReport]) -> (u64, u64) {
    let pairs = |report: &DeformReport| -> HashSet<[Feature; 2]> {
        report.touches.iter().map(|touch| touch.features).collect()
    };
    let mut out = (0, 0);
    for (exact, other) in exact.iter().zip(other) {
        let (exact, other) = (pairs(exact), pairs(other));
        out.0 += exact.difference(&other).count() as u64;
        out.1 += other.difference(&exact).count() as u64;
    }
    out
}

fn threads(count: usize) -> String {
    match count {
        0 => "all cores".into(),
        1 => "1 thread".into(),
        _ => format!("{count} threads"),
    }
}

fn thousands(count: usize) -> String {
    if count < 10_000 { count.to_string() } else { format!("{}K", (count as f64 / 1e3).round()) }
}
