//! Figure 4 of the 2008 paper: the time of a step against the number of joints that move, for its three scenes; intervals beside
//! Taylor models; and the transforms counted.

use crate::scenes::adaptive::{AdaptiveScene, falling_man, pendulum, wooden_men};
use crate::scenes::dynamics::StepRecord;
use firsttouch::adaptive::{
    Assembly, AssemblyTree, Bounding, JointUpdate, Moved, Placed, Simulated, StepReport, Transforms,
};
use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::Pose;
use firsttouch::shape::Cuboid;
use firsttouch::{Answer, Options};
use glam::DVec3;

use super::{Bench, timed};
use crate::error::{Error, Result};

/// Active joints, beside the floating roots.
const ACTIVE: [usize; 6] = [1, 5, 10, 15, 20, 29];

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let (triangles, still, steps) = if bench.quick { (2_000, 6_000, 30) } else { (16_000, 44_000, 120) };
    let scenes = [wooden_men(triangles)?, pendulum(triangles)?, falling_man(triangles, still)?];
    let (mut figure, mut bounds) = (Vec::new(), Vec::new());
    let (mut answers, mut differing) = (0, 0);
    for scene in &scenes {
        let quick = bench.quick;
        for active in ACTIVE.into_iter().filter(|&m| !quick || m % 14 == 1) {
            bench.say(&format!("{}, {active} active joints", scene.name));
            // The steps of the simulation from just before its first touch on.
            let records = during_collision(scene.record(active, 4 * steps)?, steps);
            let chord = follow(scene, &records, Engine::Adaptive(Bounding::Chord))?;
            let anew = follow(scene, &records, Engine::Anew)?;
            for answer in &chord.answers {
                bench.answer(answer);
            }
            let differ = different(&chord, &anew);
            bench.number(differ);
            (answers, differing) = (answers + records.len(), differing + differ);
            let ([micros, culling], [anew_micros, _]) = (chord.mean_micros(), anew.mean_micros());
            figure.push(vec![
                format!("{}, {active}", scene.name),
                format!("{}", records.len()),
                format!("{}", chord.answers.iter().filter(|answer| answer.touch().is_some()).count()),
                format!("{:.1}", chord.transforms),
                format!("{:.1}", chord.volumes),
                format!("{:.1}", chord.close_pairs),
                format!("{culling:.1}"),
                format!("{micros:.0}"),
                format!("{anew_micros:.0}"),
            ]);
            if active % 14 == 1 {
                let [interval, taylor] = [Bounding::Interval, Bounding::Taylor]
                    .map(|bounding| follow(scene, &records, Engine::Adaptive(bounding)));
                let ways = [interval?, taylor?, chord];
                for k in 0..2 {
                    bench.number(different(&ways[k], &ways[2]));
                }
                let mut row = vec![format!("{}, {active}", scene.name)];
                row.extend(ways.iter().map(|way| format!("{:.4}", way.width)));
                row.extend(ways.iter().map(|way| format!("{:.1}", way.close_pairs)));
                row.extend(ways.iter().map(|way| format!("{:.0}", way.mean_micros()[0])));
                bounds.push(row);
            }
        }
    }
    let sizes = scenes.iter().map(|scene| {
        let (bodies, moving, still) = (scene.bodies(), scene.triangles(), scene.static_triangles());
        format!("{}: {bodies} bodies, {moving} triangles, {still} at rest", scene.name)
    });
    let notes = [
        format!(
            "Of {answers} answers {differing} differ from those of the engine for robots by more than 1e-3 in time: touches \
             within the tolerance, which one of the two proves to be none or to be later."
        ),
        format!("{}.", sizes.collect::<Vec<_>>().join("; ")),
        "Means per step. Each row follows the steps of a simulation with so many active \
         joints, from its first touch on; floating roots come on top."
            .to_string(),
        "The paper gives its figure without numbers: the times \"gradually increase\" with the active joints.".into(),
        "before exact stage: transforms, volumes and culling. anew: the engine for robots, which keeps nothing from step to \
         step."
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
            ">close pairs",
            ">before exact stage, us",
            ">step, us",
            ">anew, us",
        ],
        figure,
        &notes,
    );
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
    count_transforms(bench)?;
    one_of_many(bench)
}

/// How many answers differ by more than the tolerance explains.
fn different(a: &StepTimes, b: &StepTimes) -> u64 {
    let differ = |(a, b): &(&Answer, &Answer)| (a.free_until(1.0) - b.free_until(1.0)).abs() > 1e-3;
    a.answers.iter().zip(&b.answers).filter(differ).count() as u64
}

/// The method that checks the steps.
#[derive(Clone, Copy, PartialEq)]
enum Engine {
    Adaptive(Bounding),
    Anew,
}

/// The time of each step and the means of counts.
#[derive(Default)]
struct StepTimes {
    answers: Vec<Answer>,
    /// In microseconds: the whole step, and the part before the exact stage.
    times: Vec<[f64; 2]>,
    transforms: f64,
    volumes: f64,
    close_pairs: f64,
    width: f64,
}

/// The part of a simulation from just before its first touch on; its end if there is none.
fn during_collision(records: Vec<StepRecord>, count: usize) -> Vec<StepRecord> {
    let first = records.iter().position(|record| record.until < 1.0).unwrap_or(records.len());
    let first = first.saturating_sub(3).min(records.len().saturating_sub(count));
    records.into_iter().skip(first).take(count).collect()
}

/// Checks the steps of a simulation. The first two bring the state up to date.
fn follow_once(scene: &AdaptiveScene, records: &[StepRecord], engine: Engine) -> Result<StepTimes> {
    const WARM_UP: usize = 2;
    let robot = scene.linkage.robot();
    let start = records.first().map_or(&scene.start, |record| &record.from).clone();
    let new = || Simulated::new(robot.clone(), Pose::IDENTITY, scene.obstacles.clone(), start.clone());
    let mut simulated = match engine {
        Engine::Adaptive(bounding) => new()?.with_bounding(bounding)?,
        Engine::Anew => new()?,
    };
    let checker = Checker::new(robot.clone(), Pose::IDENTITY, scene.obstacles.clone())?;
    let (mut measured, mut times) = (StepTimes::default(), Vec::new());
    let warm = records.len().saturating_sub(WARM_UP).max(1) as f64;
    for (i, record) in records.iter().enumerate() {
        let separation = record.min_separation;
        let options =
            Options { min_separation: separation, tolerance: 0.25 * separation, ..Options::default() };
        if engine == Engine::Anew {
            let (report, micros) = timed(|| checker.check_step(&record.from, &record.to, &options));
            measured.answers.push(report?.answer);
            times.push([micros, 0.0]);
            continue;
        }
        let moved = moved(&simulated, record);
        let (report, micros) = timed(|| simulated.step(&moved, &options));
        // Once more up to the exact stage, which computes the same transforms and volumes again; then the whole step.
        let (close, culling_micros) = timed(|| simulated.close_pairs(&moved, &options));
        close?;
        simulated.step(&moved, &options)?;
        let StepReport { answer, transforms, culling, close_pairs, .. } = report?;
        if i >= WARM_UP {
            times.push([micros, culling_micros]);
            measured.transforms += transforms.total() as f64 / warm;
            measured.volumes += culling.volumes as f64 / warm;
            measured.close_pairs += close_pairs as f64 / warm;
            let boxes = simulated.swept_boxes();
            let widths = boxes.iter().map(|bounds| (bounds.high - bounds.low).max_element());
            measured.width += widths.sum::<f64>() / boxes.len() as f64 / warm;
        }
        measured.answers.push(answer);
        simulated.accept(record.until)?;
    }
    measured.times = times;
    Ok(measured)
}

/// The joints that move, and those whose value differs from the simulation's: the two round values inside a step differently.
fn moved(simulated: &Simulated, record: &StepRecord) -> Vec<Moved> {
    let state = simulated.configuration();
    (0..state.len())
        .filter(|&i| record.from[i] != record.to[i] || record.from[i] != state[i])
        .map(|variable| Moved { variable, from: record.from[variable], to: record.to[variable] })
        .collect()
}

impl StepTimes {
    /// The mean times of the whole step and of the part before its exact stage.
    fn mean_micros(&self) -> [f64; 2] {
        [0, 1].map(|k| self.times.iter().map(|times| times[k]).sum::<f64>() / self.times.len().max(1) as f64)
    }
}

/// Checks the steps three times and keeps the shortest time of each.
fn follow(scene: &AdaptiveScene, records: &[StepRecord], engine: Engine) -> Result<StepTimes> {
    let mut measured = follow_once(scene, records, engine)?;
    for _ in 0..2 {
        let again = follow_once(scene, records, engine)?;
        measured.times.iter_mut().zip(again.times).for_each(|(times, again)| {
            *times = [times[0].min(again[0]), times[1].min(again[1])];
        });
    }
    Ok(measured)
}

/// The transforms that are made when `m` of `n` joints move, a top part of the tree as adaptive dynamics chooses it, and `k`
/// bodies are queried.
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
            // Once to bring everything up to date.
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

/// One joint of a long chain moves: the time of a step with the state of the step before, and without it.
fn one_of_many(bench: &mut Bench) -> Result<()> {
    let (options, mut rows) = (Options::default(), Vec::new());
    for n in if bench.quick { vec![30, 100] } else { vec![30, 100, 300] } {
        bench.say(&format!("one joint of {n}"));
        let robot = chain(n)?;
        let mut simulated = Simulated::new(robot.clone(), Pose::IDENTITY, vec![], robot.zero())?;
        let checker = Checker::new(robot, Pose::IDENTITY, vec![])?;
        let (mut best, mut anew, mut made, joints) = (0.0, 0.0, 0, 20);
        for k in 0..joints {
            // In the first steps of a joint the one before it comes to rest.
            let mut least = [f64::INFINITY; 2];
            for i in 0..6 {
                let (variable, from) = ((2 * k + 1) * n / (2 * joints), simulated.configuration().to_vec());
                let turn = if i % 2 == 0 { 0.01 } else { 0.0 };
                let moved = [Moved { variable, from: from[variable], to: turn }];
                let (report, micros) = timed(|| simulated.step(&moved, &options));
                let report = report?;
                simulated.accept(1.0)?;
                let (again, anew_micros) =
                    timed(|| checker.check_step(&from, simulated.configuration(), &options));
                bench.answer(&report.answer);
                bench.answer(&again?.answer);
                if i > 0 {
                    least = [least[0].min(micros), least[1].min(anew_micros)];
                }
                made += if i == 5 { report.transforms.total() } else { 0 };
            }
            (best, anew) = (best + least[0] / joints as f64, anew + least[1] / joints as f64);
        }
        rows.push(vec![
            format!("{n}"),
            format!("{:.1}", made as f64 / joints as f64),
            format!("{best:.1}"),
            format!("{anew:.1}"),
            format!("{:.0}", anew / best),
        ]);
    }
    bench.table(
        "One joint of n moves",
        &["n", ">transforms", ">step, us", ">anew, us", ">times faster"],
        rows,
        &["A chain of n boxes; the mean over 20 of its joints.".into()],
    );
    Ok(())
}

/// The joints of the uppermost nodes, level by level.
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
