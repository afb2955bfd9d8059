//! Figure 4 of the 2008 paper: the time of a step against the number of joints that move, for its three scenes;
//! intervals beside Taylor models; and the transforms counted.

use std::collections::HashSet;

use crate::plot::{Axis, Plot};
use crate::scenes::adaptive::{AdaptiveScene, InTheLoop, falling_man, pendulum, wooden_men};
use crate::scenes::dynamics::{FirstTouch, StepRecord};
use firsttouch::adaptive::{
    Assembly, AssemblyTree, Bounding, JointUpdate, Moved, Placed, Simulated, StepReport, Transforms,
};
use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Sphere};
use firsttouch::{Answer, Body, Options};
use glam::DVec3;

use super::{Bench, Measured, timed};
use crate::error::{Error, Result};

/// Active joints, beside the floating roots.
const ACTIVE: [usize; 6] = [1, 5, 10, 15, 20, 29];

/// The number of times that the steps of a row are checked. The shortest time of each step counts.
const RUNS: usize = 5;

/// The margins of the list of near pairs that are compared, in travels of a step.
const MARGINS: [f64; 5] = [0.0, 1.0, 2.0, 4.0, 8.0];

const MEASURED: Measured = Measured {
    their_machine: "",
    runs: RUNS,
    shown: "the least of each step, the mean over the steps",
    differs: "the figures, their wood and their joints are ours, of the paper's numbers of bodies and triangles; the paper gives its figure \
              without numbers and says that the times gradually increase with the active joints",
};

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let (triangles, still, steps) = if bench.quick { (2_000, 6_000, 30) } else { (16_000, 44_000, 120) };
    let scenes = [wooden_men(triangles)?, pendulum(triangles)?, falling_man(triangles, still)?];
    let (mut figure, mut bounds, mut margins, mut refined) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut answers, mut differing, mut outside) = (0, 0, 0);
    let mut plot = Plot::new(
        "Figure 4: a step against the number of active joints",
        Axis::linear("active joints, beside floating roots"),
        Axis::log("us per step"),
    );
    for scene in &scenes {
        let quick = bench.quick;
        let mut curves = [Vec::new(), Vec::new()];
        for active in ACTIVE.into_iter().filter(|&m| !quick || m % 14 == 1) {
            bench.say(&format!("{}, {active} active joints", scene.name));
            // The steps of the simulation, from just before its first touch on.
            let records = during_collision(scene.record(active, 4 * steps)?, steps);
            let [kept, stateless] = race(scene, &records, RUNS)?;
            for answer in &kept.answers {
                bench.answer(answer);
            }
            let differ = different(&kept, &stateless);
            bench.number(differ);
            let wrong = out_of_tolerance(scene, &records, &[&kept, &stateless])?;
            bench.number(wrong);
            (answers, differing, outside) = (answers + records.len(), differing + differ, outside + wrong);
            let ([micros, culling], [stateless_micros, _]) = (kept.mean_micros(), stateless.mean_micros());
            curves[0].push((active as f64, micros));
            curves[1].push((active as f64, stateless_micros));
            figure.push(vec![
                format!("{}, {active}", scene.name),
                format!("{}", records.len()),
                format!("{}", kept.answers.iter().filter(|answer| answer.touch().is_some()).count()),
                format!("{:.1}", kept.transforms),
                format!("{:.1}", kept.volumes),
                format!("{:.1}", kept.near_pairs),
                format!("{:.1}", kept.close_pairs),
                format!("{:.1}", kept.measured),
                format!("{culling:.1}"),
                format!("{micros:.0}"),
                format!("{stateless_micros:.0}"),
                format!("{:.2}", micros / stateless_micros),
            ]);
            if active % 14 == 1 {
                let [interval, taylor] = [Bounding::Interval, Bounding::Taylor]
                    .map(|bounding| follow(scene, &records, Engine { bounding, ..Engine::default() }, RUNS));
                let ways = [interval?, taylor?, kept];
                for k in 0..2 {
                    bench.number(different(&ways[k], &ways[2]));
                }
                let mut row = vec![format!("{}, {active}", scene.name)];
                row.extend(ways.iter().map(|way| format!("{:.4}", way.width)));
                row.extend(ways.iter().map(|way| format!("{:.1}", way.close_pairs)));
                row.extend(ways.iter().map(|way| format!("{:.0}", way.mean_micros()[0])));
                bounds.push(row);
                let mut row = vec![format!("{}, {active}", scene.name)];
                for margin in MARGINS {
                    let way = follow(scene, &records, Engine { margin, ..Engine::default() }, 2)?;
                    row.push(format!("{:.0}", way.mean_micros()[0]));
                }
                margins.push(row);
                refined.push(refinement(bench, scene, &records, active)?);
            }
        }
        let last = |curve: &[(f64, f64)]| curve.last().map_or(1.0, |point| point.1);
        let first = |curve: &[(f64, f64)]| curve.first().map_or(1.0, |point| point.1);
        let mut row = vec![format!("{}, all by one", scene.name)];
        row.extend(vec![String::new(); 8]);
        row.extend(curves.iter().map(|curve| format!("{:.1} times", last(curve) / first(curve))));
        row.push(String::new());
        figure.push(row);
        let [simulated, stateless] = curves;
        plot.curve(scene.name, simulated);
        plot.law(&format!("{}, stateless", scene.name), stateless);
    }
    bench.plot("adaptive-figure-4", plot);
    let sizes = scenes.iter().map(|scene| {
        let (bodies, moving, still) = (scene.bodies(), scene.triangles(), scene.static_triangles());
        format!("{}: {bodies} bodies, {moving} triangles, {still} at rest", scene.name)
    });
    let notes = [
        format!(
            "Both engines get the same {answers} steps with the same options. Of their answers {outside} are outside of what the tolerance allows: each \
             time of touch is compared with two checks whose tolerance is 10,000 times smaller, one for the separation and one for the \
             separation and the tolerance together. {differing} times differ by more than 1e-3 of the step, all within that: the tolerance is a quarter of the \
             separation, and bodies that rest on each other cross it slowly, so that a touch may be reported anywhere in a large part of the step."
        ),
        format!("{}.", sizes.collect::<Vec<_>>().join("; ")),
        "Means per step. Each row follows the steps of a simulation with so many active \
         joints, a top part of the assembly tree chosen by the motion metric, from its first touch on; floating roots come on top. Rows of one \
         scene are different motions: more joints make other contacts."
            .to_string(),
        "near: pairs kept from step to step. close: those left to the exact stage. measured: pairs of nodes whose distance was measured in order \
         to be remembered. before exact stage: transforms, volumes and culling. stateless: the engine for robots, which keeps nothing. all by \
         one: the time with all joints active by that with one."
            .into(),
    ];
    bench.table(
        "Figure 4: the time of a step against the number of active joints",
        &[
            "scene, active joints",
            ">steps",
            ">touches",
            ">transforms",
            ">volumes",
            ">near",
            ">close",
            ">measured",
            ">before exact stage, us",
            ">ours: step, us",
            ">stateless, us",
            ">by stateless",
        ],
        figure,
        &notes,
    );
    bench.measured(MEASURED);
    bench.table(
        "Sec. 2.3: intervals, as in the paper, Taylor models, and chords on the same tree",
        &[
            "scene, active joints",
            ">width: interval",
            ">Taylor",
            ">chord",
            ">close pairs: interval",
            ">Taylor",
            ">chord",
            ">step, us: interval",
            ">Taylor",
            ">chord",
        ],
        bounds,
        &["The width is the mean of the longest sides of the bodies' boxes.".into()],
    );
    bench.measured(MEASURED);
    let names = MARGINS.map(|margin| format!(">margin {margin}, us"));
    let mut columns = vec!["scene, active joints"];
    columns.extend(names.iter().map(String::as_str));
    bench.table(
        "A parameter: the margin of the list of near pairs, in travels of a step",
        &columns,
        margins,
        &["The default, 4, was chosen before this table was measured. The answers do not depend on it."
            .into()],
    );
    bench.measured(Measured { runs: 2, ..MEASURED });
    bench.table(
        "Sec. 3.2: bounds over shorter and shorter parts of the step, on the tree",
        &[
            "scene, active joints",
            ">pairs: whole step",
            ">halves",
            ">quarters",
            ">culling, us: whole step",
            ">halves",
            ">quarters",
            ">exact stage for a pair, us",
        ],
        refined,
        &["Pairs whose boxes overlap in some part of the step, with intervals as in the paper and nothing kept. Refinement loses where it costs more \
           than the exact stage spends on the pairs that it removes. The exact stage needs no bounds over spans of time: it advances from instant to \
           instant."
            .into()],
    );
    bench.measured(Measured { runs: 1, shown: "the mean over the steps", ..MEASURED });
    count_transforms(bench)?;
    growth(bench)
}

/// Measures the part of Sec. 3.2 before its exact test: bounds over parts of the step.
fn refinement(
    bench: &mut Bench,
    scene: &AdaptiveScene,
    records: &[StepRecord],
    active: usize,
) -> Result<Vec<String>> {
    let (mut pairs, mut micros) = ([0.0; 3], [0.0; 3]);
    let (mut exact, mut close) = (0.0, 0.0);
    for (k, parts) in [1_u32, 2, 4].into_iter().enumerate() {
        let mut engine = in_the_loop_at(scene, &records[0].from, Engine::default().margin)?;
        let fresh = engine.simulated().clone().with_bounding(Bounding::Interval)?.with_margin(0.0);
        engine = InTheLoop::new(fresh);
        for record in records {
            let mut found = HashSet::new();
            for part in 0..parts {
                let at =
                    |i: u32| scene.linkage.between(&record.from, &record.to, f64::from(i) / f64::from(parts));
                let piece = StepRecord { from: at(part), to: at(part + 1), ..record.clone() };
                let moved = engine.moved(&piece);
                let (listed, time) = timed(|| engine.simulated_mut().close_pairs(&moved, &record.options()));
                found.extend(listed?.into_iter().map(|pair| format!("{pair:?}")));
                micros[k] += time / records.len() as f64;
            }
            pairs[k] += found.len() as f64 / records.len() as f64;
        }
        bench.number(pairs[k].to_bits());
    }
    // Measures the work of the exact stage on a pair without earlier proofs.
    let fresh = in_the_loop_at(scene, &records[0].from, 0.0)?.simulated().clone();
    let mut engine = InTheLoop::new(fresh);
    for record in records {
        let moved = engine.moved(record);
        let (listed, before) = timed(|| engine.simulated_mut().close_pairs(&moved, &record.options()));
        let (report, whole) = timed(|| engine.check(record, &record.options()));
        close += listed?.len() as f64;
        exact += (whole - before).max(0.0);
        report?;
        engine.accept(record)?;
    }
    let mut row = vec![format!("{}, {active}", scene.name)];
    row.extend(pairs.map(|pairs| format!("{pairs:.1}")));
    row.extend(micros.map(|micros| format!("{micros:.0}")));
    row.push(format!("{:.1}", exact / f64::max(close, 1.0)));
    Ok(row)
}

/// Returns the number of answers that differ by more than the tolerance explains.
fn different(a: &StepTimes, b: &StepTimes) -> u64 {
    let differ = |(a, b): &(&Answer, &Answer)| (a.free_until(1.0) - b.free_until(1.0)).abs() > 1e-3;
    a.answers.iter().zip(&b.answers).filter(differ).count() as u64
}

/// Returns the number of answers that the tolerance does not allow. A touch must not be after the time at which the gap
/// is the separation, and not before the time at which it is the separation plus the tolerance. Two checks with their
/// own small tolerance bound these times, the first from above and the second from below.
fn out_of_tolerance(scene: &AdaptiveScene, records: &[StepRecord], runs: &[&StepTimes]) -> Result<u64> {
    let checker = Checker::new(scene.linkage.robot().clone(), Pose::IDENTITY, scene.obstacles.clone())?;
    let mut wrong = 0;
    for (i, record) in records.iter().enumerate() {
        let options = record.options();
        let small = 1e-4 * options.tolerance;
        let free_until = |min_separation: f64| -> Result<f64> {
            let options = Options { min_separation, tolerance: small, ..options };
            Ok(checker.check_step(&record.from, &record.to, &options)?.answer.free_until(1.0))
        };
        let latest = free_until(options.min_separation - small)?;
        let earliest = free_until(options.min_separation + options.tolerance)?;
        let is_wrong = |run: &&&StepTimes| !(earliest..=latest).contains(&run.answers[i].free_until(1.0));
        wrong += runs.iter().filter(is_wrong).count() as u64;
    }
    Ok(wrong)
}

/// The parameters of the engine that checks the steps.
#[derive(Clone, Copy, PartialEq)]
struct Engine {
    bounding: Bounding,
    margin: f64,
}

impl Default for Engine {
    fn default() -> Engine {
        Engine { bounding: Bounding::Chord, margin: 4.0 }
    }
}

/// The time of each step and the means of counts.
#[derive(Default)]
struct StepTimes {
    answers: Vec<Answer>,
    /// Times in microseconds: the whole step, and the part before the exact stage.
    times: Vec<[f64; 2]>,
    transforms: f64,
    volumes: f64,
    near_pairs: f64,
    close_pairs: f64,
    measured: f64,
    width: f64,
}

/// Returns the part of a simulation from just before its first touch on, or its end if there is none.
fn during_collision(records: Vec<StepRecord>, count: usize) -> Vec<StepRecord> {
    let first = records.iter().position(|record| record.until < 1.0).unwrap_or(records.len());
    let first = first.saturating_sub(3).min(records.len().saturating_sub(count));
    records.into_iter().skip(first).take(count).collect()
}

/// The first steps bring the state up to date and do not count.
const WARM_UP: usize = 2;

/// Returns the engine at a configuration of a scene, with this margin of its list of near pairs.
pub fn in_the_loop_at(scene: &AdaptiveScene, start: &[f64], margin: f64) -> Result<InTheLoop> {
    Ok(InTheLoop::new(scene.in_the_loop_at(start)?.simulated().clone().with_margin(margin)))
}

/// Returns the engine before the first step.
fn fresh(scene: &AdaptiveScene, records: &[StepRecord], engine: Engine) -> Result<InTheLoop> {
    let start = records.first().map_or(&scene.start, |record| &record.from);
    let mut run = in_the_loop_at(scene, start, engine.margin)?;
    if engine.bounding != Bounding::Chord {
        run = InTheLoop::new(run.simulated().clone().with_bounding(engine.bounding)?);
    }
    Ok(run)
}

/// Checks the steps of a simulation, without other work in between, and measures their times, including the work when
/// the engine accepts a step.
fn time_once(scene: &AdaptiveScene, records: &[StepRecord], engine: Engine) -> Result<Vec<f64>> {
    let mut run = fresh(scene, records, engine)?;
    let mut times = Vec::with_capacity(records.len());
    for record in records {
        let options = record.options();
        let (done, micros) = timed(|| -> firsttouch::Result<()> {
            run.check(record, &options)?;
            run.accept(record)
        });
        done?;
        times.push(micros);
    }
    Ok(times.split_off(WARM_UP.min(records.len())))
}

/// Checks the steps of a simulation, and counts.
fn count_once(scene: &AdaptiveScene, records: &[StepRecord], engine: Engine) -> Result<StepTimes> {
    let mut run = fresh(scene, records, engine)?;
    let mut measured = StepTimes::default();
    let warm = records.len().saturating_sub(WARM_UP).max(1) as f64;
    for (i, record) in records.iter().enumerate() {
        let options = record.options();
        // The same state once more, only up to the exact stage.
        let (mut again, moved) = (run.simulated().clone(), run.moved(record));
        let (close, culling_micros) = timed(|| again.close_pairs(&moved, &options));
        close?;
        let report = run.check(record, &options)?;
        let StepReport { answer, transforms, culling, near_pairs, close_pairs, measured: looks, .. } = report;
        if i >= WARM_UP {
            measured.times.push([f64::INFINITY, culling_micros]);
            measured.transforms += transforms.total() as f64 / warm;
            measured.volumes += culling.volumes as f64 / warm;
            measured.near_pairs += near_pairs as f64 / warm;
            measured.close_pairs += close_pairs as f64 / warm;
            measured.measured += looks as f64 / warm;
            let boxes = run.simulated_mut().swept_boxes();
            let widths = boxes.iter().map(|bounds| (bounds.high - bounds.low).max_element());
            measured.width += widths.sum::<f64>() / boxes.len() as f64 / warm;
        }
        measured.answers.push(answer);
        run.accept(record)?;
    }
    Ok(measured)
}

impl StepTimes {
    /// Returns the mean times of the whole step and of the part before its exact stage.
    fn mean_micros(&self) -> [f64; 2] {
        [0, 1].map(|k| self.times.iter().map(|times| times[k]).sum::<f64>() / self.times.len().max(1) as f64)
    }

    /// Keeps the shortest time of each step.
    fn shorten(&mut self, again: &[f64]) {
        for (times, again) in self.times.iter_mut().zip(again) {
            times[0] = times[0].min(*again);
        }
    }

    /// Does the same for the part before the exact stage.
    fn shorten_culling(&mut self, again: &StepTimes) {
        for (times, again) in self.times.iter_mut().zip(&again.times) {
            times[1] = times[1].min(again[1]);
        }
    }
}

/// Checks the steps several times and keeps the shortest time of each.
fn follow(scene: &AdaptiveScene, records: &[StepRecord], engine: Engine, runs: usize) -> Result<StepTimes> {
    let mut measured = count_once(scene, records, engine)?;
    for _ in 0..runs {
        measured.shorten(&time_once(scene, records, engine)?);
    }
    Ok(measured)
}

/// Runs the steps by the engine and by the engine for robots. The two take turns, so that other work on the machine
/// affects both.
fn race(scene: &AdaptiveScene, records: &[StepRecord], runs: usize) -> Result<[StepTimes; 2]> {
    let mut kept = count_once(scene, records, Engine::default())?;
    let checker = Checker::new(scene.linkage.robot().clone(), Pose::IDENTITY, scene.obstacles.clone())?;
    let times = vec![[f64::INFINITY, 0.0]; kept.times.len()];
    let mut stateless = StepTimes { times, ..StepTimes::default() };
    for _ in 0..runs {
        kept.shorten(&time_once(scene, records, Engine::default())?);
        kept.shorten_culling(&count_once(scene, records, Engine::default())?);
        let mut times = Vec::with_capacity(records.len());
        stateless.answers.clear();
        for record in records {
            let (report, micros) = timed(|| checker.check_step(&record.from, &record.to, &record.options()));
            stateless.answers.push(report?.answer);
            times.push(micros);
        }
        stateless.shorten(&times[WARM_UP.min(records.len())..]);
    }
    Ok([kept, stateless])
}

/// Counts the transforms that are made when `m` of `n` joints move, a top part of the tree as adaptive dynamics chooses
/// it, and `k` bodies are queried.
fn count_transforms(bench: &mut Bench) -> Result<()> {
    let mut rows = Vec::new();
    for n in [30, 100, 300, 1000] {
        let tree = AssemblyTree::balanced(&chain(n)?);
        let at = Placed::from(Pose::IDENTITY);
        let mut transforms = Transforms::new(&tree, at, |_| Ok::<Placed, Error>(at))?;
        let mut row = vec![format!("{n}")];
        for (m, k) in [(1, 1), (10, 1), (1, 10), (10, 10), (n, n)] {
            let joints = top_joints(&tree, m);
            let given: Vec<JointUpdate<Placed>> =
                joints.iter().map(|&joint| JointUpdate { joint, transform: at, moves: true }).collect();
            // One step brings everything up to date.
            let mut before = transforms.counts();
            for _ in 0..2 {
                before = transforms.counts();
                transforms.update(&tree, &given);
                for i in 0..k {
                    transforms.world(&tree, tree.leaf(n - i * (n / k)));
                }
            }
            let made = (transforms.counts() - before).total();
            let rest: Vec<JointUpdate<Placed>> =
                given.into_iter().map(|given| JointUpdate { moves: false, ..given }).collect();
            transforms.update(&tree, &rest);
            bench.number(made);
            row.push(format!("{made}"));
        }
        rows.push(row);
    }
    bench.table(
        "Sec. 3.2: transforms computed, O(m + k log n) in the paper",
        &["n", ">m 1, k 1", ">m 10, k 1", ">m 1, k 10", ">m 10, k 10", ">m n, k n"],
        rows,
        &["A chain of n joints, m of which move; k bodies are queried.".into()],
    );
    Ok(())
}

/// Measures a chain of `n` links with `k` obstacles near it, of which `m` joints move: time and counts of a step.
fn growth(bench: &mut Bench) -> Result<()> {
    let sizes: &[usize] = if bench.quick { &[30, 100, 300] } else { &[30, 100, 300, 1000, 3000] };
    let mut plot = Plot::new(
        "A chain of n joints, m of which move, k pairs close",
        Axis::log("n"),
        Axis::log("us per step"),
    );
    let mut rows = Vec::new();
    for (m, k) in [(1, 1), (1, 10), (10, 10)] {
        let mut curve = Vec::new();
        for &n in sizes {
            bench.say(&format!("{m} of {n} joints, {k} pairs close"));
            let counted = chain_steps(n, m, k, 60)?;
            counted.answers.iter().for_each(|answer| bench.answer(answer));
            bench.number(counted.largest);
            curve.push((n as f64, counted.micros));
            let bound = m as f64 + k as f64 * (n as f64).log2();
            rows.push(vec![
                format!("{n}, m {m}, k {k}"),
                format!("{:.1}", counted.transforms),
                format!("{:.1}", counted.work),
                counted.largest.to_string(),
                format!("{:.2}", counted.largest as f64 / bound),
                format!("{:.1}", counted.micros),
                counted.stateless.map_or("-".into(), |micros| format!("{micros:.0}")),
            ]);
        }
        plot.curve(&format!("m {m}, k {k}"), curve);
    }
    let law = sizes.iter().map(|&n| (n as f64, 2.0 * (n as f64).log2()));
    plot.law("log n", law);
    bench.plot("adaptive-growth", plot);
    bench.table(
        "A chain of n joints: O(m + k log n) in counts and in time",
        &[
            "n, joints that move, pairs close",
            ">transforms",
            ">all work",
            ">most work",
            ">most by m + k log n",
            ">ours: step, us",
            ">stateless, us",
        ],
        rows,
        &["A chain of n boxes; boxes are 0.4 wide; k balls are 0.03 away from it. all work: transforms, volumes, comparisons of boxes and measured pairs \
           of nodes, the mean over 60 steps; most work: in one step. Stateless: the engine for robots, up to 300 joints."
            .into()],
    );
    bench.measured(Measured {
        runs: 1,
        shown: "the median over 60 steps",
        differs: "the paper has no such table",
        ..MEASURED
    });
    Ok(())
}

/// The counts of a chain's steps.
pub struct ChainCounts {
    /// The answers.
    pub answers: Vec<Answer>,
    /// The mean number of transforms of a step.
    pub transforms: f64,
    /// The mean number of transforms, volumes, comparisons and measured pairs of nodes of a step.
    pub work: f64,
    /// The same, in the step with the most.
    pub largest: u64,
    /// The median time of a step.
    pub micros: f64,
    /// The median time of the stateless checker, for short chains.
    pub stateless: Option<f64>,
}

/// In the first steps of a chain everything is proven once, and the list of near pairs is made a few times.
const FIRST: usize = 12;

/// Steps of a chain of `n` boxes in which `m` joints turn to and fro, a top part of the tree, near `k` balls.
pub fn chain_steps(n: usize, m: usize, k: usize, steps: usize) -> Result<ChainCounts> {
    let robot = chain(n)?;
    let ball = |i: usize| -> Result<Body> {
        // Boxes are 0.4 wide; between ball and box is a gap of 0.03.
        let at = DVec3::new((n - i * (n / k)) as f64, 0.33, 0.0);
        Ok(Body::new(format!("ball{i}"), Sphere::new(0.1)?, Motion::fixed(Pose::from_translation(at)?)))
    };
    let balls = (0..k).map(ball).collect::<Result<Vec<Body>>>()?;
    let tree = AssemblyTree::balanced(&robot);
    let joints = top_joints(&tree, m);
    let mut simulated = Simulated::new(robot.clone(), Pose::IDENTITY, balls.clone(), robot.zero())?;
    let options = Options::default();
    // At the end of the chain this is a tenth of the gap.
    let turn = 3e-3 / (n * m) as f64;
    let (mut answers, mut counts, mut times) = (Vec::new(), Vec::new(), Vec::new());
    let mut transforms = 0.0;
    for i in 0..steps + FIRST {
        let state = simulated.configuration();
        let moved: Vec<Moved> = joints
            .iter()
            .map(|&link| Moved {
                variable: link - 1,
                from: state[link - 1],
                to: if i % 2 == 0 { turn } else { 0.0 },
            })
            .collect();
        let (report, micros) = timed(|| simulated.step(&moved, &options));
        let report = report?;
        simulated.accept(1.0)?;
        if i >= FIRST {
            let StepReport { transforms: made, culling, measured, work, .. } = &report;
            counts.push(made.total() + culling.volumes + culling.comparisons + measured + work.volume_pairs);
            transforms += made.total() as f64 / steps as f64;
            times.push(micros);
        }
        answers.push(report.answer);
    }
    times.sort_by(f64::total_cmp);
    let stateless = if n > 300 {
        None
    } else {
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, balls)?;
        let mut to = robot.zero();
        joints.iter().for_each(|&link| to[link - 1] = turn);
        let mut times = Vec::new();
        for _ in 0..20 {
            let (report, micros) = timed(|| checker.check_step(&robot.zero(), &to, &options));
            report?;
            times.push(micros);
        }
        times.sort_by(f64::total_cmp);
        Some(times[times.len() / 2])
    };
    Ok(ChainCounts {
        answers,
        transforms,
        work: counts.iter().sum::<u64>() as f64 / counts.len().max(1) as f64,
        largest: counts.iter().copied().max().unwrap_or(0),
        micros: times[times.len() / 2],
        stateless,
    })
}

/// Returns the joints of the uppermost nodes, level by level.
fn top_joints(tree: &AssemblyTree, m: usize) -> Vec<usize> {
    let (mut joints, mut level) = (Vec::new(), vec![tree.root()]);
    while !level.is_empty() {
        let mut next = Vec::new();
        for node in level {
            if let Assembly::Joined { upper, lower, joint, .. } = tree.assembly(node) {
                joints.extend(*joint);
                next.extend([*upper, *lower]);
            }
        }
        level = next;
    }
    joints.truncate(m);
    joints
}

/// Boxes in a row.
fn chain(joints: usize) -> Result<Robot> {
    let joint = |i: usize| {
        Ok(Joint {
            name: format!("joint{i}"),
            parent: format!("link{}", i - 1),
            child: format!("link{i}"),
            origin: Pose::from_translation(DVec3::X)?,
            kind: JointKind::Revolute { axis: DVec3::Z },
            limits: None,
            mimic: None,
        })
    };
    let part = LinkPart { shape: Cuboid::new(DVec3::splat(0.4))?.into(), pose: Pose::IDENTITY };
    let links = (0..=joints).map(|i| (format!("link{i}"), vec![part.clone()])).collect();
    Ok(Robot::new("chain", links, (1..=joints).map(joint).collect::<Result<Vec<Joint>>>()?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the simulations of the paper, from their first touch on, `Simulated` and the stateless checker give answers
    /// that the tolerance allows, and most of these differ by less than a thousandth of the step. Some of the steps
    /// touch.
    #[test]
    fn answers_in_simulations_are_within_the_tolerance() {
        let scenes = [wooden_men(1000).unwrap(), pendulum(1000).unwrap(), falling_man(1000, 3000).unwrap()];
        let (mut steps, mut touches, mut differ) = (0, 0, 0);
        for scene in &scenes {
            for active in [1, 8, 29] {
                let records = during_collision(scene.record(active, 120).unwrap(), 40);
                let [kept, stateless] = race(scene, &records, 1).unwrap();
                let wrong = out_of_tolerance(scene, &records, &[&kept, &stateless]).unwrap();
                assert_eq!(wrong, 0, "{}, {active}", scene.name);
                steps += records.len();
                touches += kept.answers.iter().filter(|answer| answer.touch().is_some()).count();
                differ += different(&kept, &stateless);
            }
        }
        println!("{steps} steps, {touches} touch, {differ} differ");
        assert!(steps > 200 && touches > 50, "{steps} steps, {touches} touch");
    }

    /// With `m` of `n` joints moving and `k` balls near a chain, no step does more than a fixed multiple of
    /// `m + k log2 n`: transforms, volumes, comparisons of boxes, and pairs of nodes, all counted together. From 30 to
    /// 3,000 joints.
    #[test]
    fn a_step_costs_what_moves_and_what_is_near() {
        for (m, k) in [(1, 1), (1, 10), (10, 1), (10, 10)] {
            for n in [30, 100, 300, 1000, 3000] {
                let counted = chain_steps(n, m, k, 20).unwrap();
                assert!(counted.answers.iter().all(|answer| *answer == Answer::Free), "{n}, {m}, {k}");
                let log = (n as f64).log2();
                println!("{n}, m {m}, k {k}: {} at most, {:.1} in the mean", counted.largest, counted.work);
                let bound = 16.0 * m as f64 + 8.0 * k as f64 * log;
                assert!((counted.largest as f64) < bound, "{n}, {m}, {k}: {} of {bound}", counted.largest);
                // In most steps the list of near pairs is enough.
                assert!(counted.work < 0.5 * bound, "{n}, {m}, {k}: {} of {bound}", counted.work);
            }
        }
    }
}
