//! Tables 1 and 2 and Figures 5 and 12 of the 2007 paper: times per step, what culling leaves, how wide the boxes of Taylor
//! models and intervals are, and the whole pipeline against intervals and bisection.

use crate::scenes::construction::{self, Task};
use crate::scenes::play::RobotScenario;
use crate::scenes::{chessboard, mannequin, trains};
use firsttouch::articulated::comparison::first_touch_by_bisection;
use firsttouch::articulated::{Checker, Culling, RobotMotion, StepReport};
use firsttouch::motion::Pose;
use firsttouch::{Answer, Mode, Options};
use glam::DVec3;

use super::{Bench, timed};
use crate::error::{Error, Result};

/// The threshold of the paper.
const TOLERANCE: f64 = 1e-3;

/// A benchmark of the paper.
struct Scene {
    name: &'static str,
    scenario: RobotScenario,
    /// Built once, because it prepares every mesh.
    checker: Checker,
    mode: Mode,
    /// Table 1, in ms: all steps, free ones, touching ones, the worst.
    times: [f64; 4],
    /// Table 2: pairs before, after spatial and after temporal culling.
    pairs: Option<[f64; 3]>,
}

impl Scene {
    fn options(&self) -> Options {
        Options { mode: self.mode, tolerance: TOLERANCE, ..Options::default() }
    }
}

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    bench.say("scenes");
    let scenes = scenes(bench.quick)?;
    table_1(bench, &scenes)?;
    table_2(bench, &scenes)?;
    figure_5(bench, &scenes)?;
    figure_12(bench, &scenes[0])?;
    drop(scenes);
    super::planning::run(bench)
}

/// The scenes, in the order of Table 1. The quick ones have a tenth of the triangles and every fifth step.
fn scenes(quick: bool) -> Result<Vec<Scene>> {
    let size = |triangles: usize| if quick { triangles / 10 } else { triangles };
    let yard = construction::site(size(construction::SITE_TRIANGLES))?;
    let excavator = |task: Task| {
        construction::excavator_scenario(task, size(construction::EXCAVATOR_TRIANGLES), yard.clone(), 100)
    };
    let crane =
        |task: Task| construction::crane_scenario(task, construction::CRANE_TRIANGLES, yard.clone(), 100);
    let every = if quick { 5 } else { 1 };
    let scene = |name: &'static str, scenario: RobotScenario, times: [f64; 4], pairs: Option<[f64; 3]>| {
        let checker = scenario.checker()?;
        let scenario =
            RobotScenario { steps: scenario.steps.into_iter().step_by(every).collect(), ..scenario };
        // A planner needs to know only whether a path is free.
        let mode = if pairs.is_none() { Mode::Any } else { Mode::First };
        Ok::<Scene, Error>(Scene { name, scenario, checker, mode, times, pairs })
    };
    Ok(vec![
        scene(
            "walk",
            mannequin::walk([size(mannequin::TRIANGLES), size(chessboard::TRIANGLES)], 500)?,
            [1.22, 0.67, 3.63, 7.64],
            Some([229.0, 8.4, 0.11]),
        )?,
        scene(
            "exercise",
            mannequin::exercise(size(mannequin::TRIANGLES), 400)?,
            [0.38, 0.28, 1.69, 4.54],
            Some([81.0, 3.0, 0.086]),
        )?,
        scene("excavator, travel", excavator(Task::Travel)?, [780.0, 150.0, 820.0, 3400.0], None)?,
        scene("excavator, load", excavator(Task::Load)?, [100.0, 75.0, 120.0, 980.0], None)?,
        scene("crane, travel", crane(Task::Travel)?, [5.66, 1.32, 11.1, 134.0], None)?,
        scene("crane, load", crane(Task::Load)?, [15.1, 2.90, 27.3, 211.0], None)?,
        scene(
            "four trains",
            trains::four_trains(size(trains::TRIANGLES), 200)?,
            [535.0, 454.0, 2600.0, 4300.0],
            Some([179_574.0, 34.5, 3.3]),
        )?,
        scene(
            "falling train",
            trains::falling_train([size(trains::FALLING_TRIANGLES), size(trains::MOUNTAIN_TRIANGLES)], 200)?,
            [274.0, 259.0, 294.0, 1300.0],
            Some([137.0, 18.2, 11.3]),
        )?,
    ])
}

/// The method that checks a step.
type Method = fn(&Checker, &[f64], &[f64], &Options) -> firsttouch::Result<StepReport>;

/// Every step of a scenario with its time in milliseconds: the shortest of a few runs, which excludes other
/// work on the machine.
fn measured(
    bench: &mut Bench,
    scenario: &RobotScenario,
    checker: &Checker,
    options: &Options,
    method: Method,
) -> Result<Vec<(StepReport, f64)>> {
    let mut measured = Vec::with_capacity(scenario.steps.len());
    for [from, to] in &scenario.steps {
        let (report, mut micros) = timed(|| method(checker, from, to, options));
        let report = report?;
        // Long steps vary less, so fewer runs are enough.
        let again = if micros < 1e4 { 4 } else { 1 };
        for _ in 0..again {
            micros = micros.min(timed(|| method(checker, from, to, options)).1);
        }
        bench.answer(&report.answer);
        measured.push((report, micros * 1e-3));
    }
    Ok(measured)
}

fn table_1(bench: &mut Bench, scenes: &[Scene]) -> Result<()> {
    let mut rows = Vec::new();
    for scene in scenes {
        bench.say(scene.name);
        let steps = measured(bench, &scene.scenario, &scene.checker, &scene.options(), Checker::check_step)?;
        let of = |wanted: fn(&Answer) -> bool| {
            mean(steps.iter().filter(|(report, _)| wanted(&report.answer)).map(|(_, ms)| *ms))
        };
        let worst = steps.iter().fold(0.0_f64, |worst, (_, ms)| worst.max(*ms));
        let ours = [
            of(|_| true),
            of(|answer| *answer == Answer::Free),
            of(|answer| answer.touch().is_some()),
            Some(worst),
        ];
        let count = |wanted: fn(&Answer) -> bool| steps.iter().filter(|(r, _)| wanted(&r.answer)).count();
        let [robot, around] = scene.scenario.triangles();
        let mut row = vec![
            scene.name.to_string(),
            format!("{:.1}K + {:.1}K", robot as f64 * 1e-3, around as f64 * 1e-3),
            format!(
                "{} / {} / {}",
                steps.len(),
                count(|answer| matches!(answer, Answer::Touch(_))),
                count(|answer| matches!(answer, Answer::TouchingAtStart(_)))
            ),
        ];
        for (theirs, ours) in scene.times.into_iter().zip(ours) {
            row.push(format!("{theirs} / {}", ours.map_or("-".into(), |ms| format!("{ms:.3}"))));
        }
        row.push(ours[0].map_or("-".into(), |ms| format!("{:.0}x", scene.times[0] / ms)));
        rows.push(row);
    }
    bench.table(
        "Table 1: times per step, ms",
        &[
            "benchmark",
            ">triangles, robot + rest",
            ">steps / touch / at start",
            ">all",
            ">free",
            ">touching",
            ">worst",
            ">ratio, all",
        ],
        rows,
        &[
            "Theirs (Pentium 4, 3.6 GHz) / ours, on one thread. The scenes are ours, with the paper's numbers of links and \
             triangles; the paper's models and motions are not published."
                .into(),
            "Key-framed motions go on where they touch: such steps begin with a touch, and count as touching.".into(),
            "Each step is run up to five times; the shortest time counts.".into(),
        ],
    );
    Ok(())
}

fn table_2(bench: &mut Bench, scenes: &[Scene]) -> Result<()> {
    let mut rows = Vec::new();
    for scene in scenes {
        let Some([before, spatial, temporal]) = scene.pairs else { continue };
        rows.push(culling_row(&format!("{}, theirs", scene.name), [before, spatial, temporal]));
        for (culling, name) in [(Culling::Taylor, "Taylor"), (Culling::Chord, "chord")] {
            bench.say(&format!("culling of {}, {name}", scene.name));
            let checker = scene.checker.clone().with_culling(culling);
            let mut sums = [0.0; 3];
            for [from, to] in &scene.scenario.steps {
                let report = checker.check_step(from, to, &scene.options())?;
                for (sum, count) in
                    sums.iter_mut().zip([report.pairs, report.close_pairs, report.work.opened])
                {
                    *sum += count as f64;
                    bench.number(count);
                }
            }
            let steps = scene.scenario.steps.len().max(1) as f64;
            rows.push(culling_row(&format!("{}, {name}", scene.name), sums.map(|sum| sum / steps)));
        }
    }
    bench.table(
        "Table 2: pairs of parts before and after culling",
        &["benchmark", ">before", ">after spatial", ">rate", ">after temporal", ">rate"],
        rows,
        &["After spatial culling: pairs whose boxes over the step meet. After temporal culling: pairs whose trees of triangles \
           were opened, because neither their volumes nor their convex hulls were free before the first touch."
            .into()],
    );
    Ok(())
}

fn culling_row(name: &str, [before, spatial, temporal]: [f64; 3]) -> Vec<String> {
    let rate = |left: f64, of: f64| format!("{:.2} %", 100.0 * (1.0 - left / of));
    vec![
        name.to_string(),
        format!("{before:.0}"),
        format!("{spatial:.2}"),
        rate(spatial, before),
        format!("{temporal:.3}"),
        rate(temporal, spatial),
    ]
}

/// The boxes of the cars of the falling train, by how far down the chain they are.
fn figure_5(bench: &mut Bench, scenes: &[Scene]) -> Result<()> {
    let Some(scene) = scenes.last() else { return Ok(()) };
    bench.say("widths of boxes");
    let scenario = &scene.scenario;
    let ways = [Culling::Chord, Culling::Taylor, Culling::Interval];
    let checkers = ways.map(|culling| scene.checker.clone().with_culling(culling));
    let parts: Vec<(usize, DVec3, DVec3)> = scenario
        .robot
        .links()
        .iter()
        .enumerate()
        .flat_map(|(i, link)| link.parts().iter().map(move |part| (i, part.shape.bounds())))
        .map(|(i, (center, half))| (i, center, half))
        .collect();
    let mut widths = vec![[0.0; 3]; parts.len()];
    let every = scenario.steps.iter().step_by(5);
    let count = every.len().max(1) as f64;
    for [from, to] in every {
        let motion = RobotMotion::new(&scenario.robot, Pose::IDENTITY, from, to)?;
        let boxes =
            checkers.iter().map(|checker| checker.swept_boxes(from, to)).collect::<Result<Vec<_>, _>>()?;
        for (k, (link, center, half)) in parts.iter().enumerate() {
            let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            for i in 0..=16 {
                let at = motion.link_pose(*link, f64::from(i) / 16.0);
                for corner in 0..8 {
                    let side = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
                    let x = at.apply(*center + *half * DVec3::new(side(0), side(1), side(2)));
                    (low, high) = (low.min(x), high.max(x));
                }
            }
            for (width, boxes) in widths[k].iter_mut().zip(&boxes) {
                let ratio = (boxes[k].high - boxes[k].low).max_element() / (high - low).max_element();
                bench.float(ratio);
                *width += ratio / count;
            }
        }
    }
    let rows = widths
        .iter()
        .enumerate()
        .filter(|(depth, _)| depth % 2 == 0)
        .map(|(depth, width)| {
            let mut row = vec![format!("{}", depth + 1)];
            row.extend(width.iter().map(|ratio| format!("{ratio:.3}")));
            row
        })
        .collect();
    bench.table(
        "Figure 5: boxes over a step against the path itself, by depth",
        &["car", ">chord", ">Taylor", ">interval"],
        rows,
        &["The widest side of the box, divided by that of the box of the path sampled at 17 instants; means over the steps \
           of the falling train. The paper gives a picture."
            .into()],
    );
    Ok(())
}

fn figure_12(bench: &mut Bench, walk: &Scene) -> Result<()> {
    let mut scenario = walk.scenario.clone();
    // Without self-collisions, as in the paper.
    let names: Vec<String> = scenario.robot.links().iter().map(|link| link.name().to_string()).collect();
    for (i, a) in names.iter().enumerate() {
        for b in &names[..i] {
            scenario.robot.allow(a, b)?;
        }
    }
    // Half of the steps are enough.
    let keep = scenario.steps.len().div_ceil(2);
    scenario.steps.truncate(keep);
    let (options, checker) = (walk.options(), scenario.checker()?);
    let methods: [(&str, Option<Culling>, Method); 3] = [
        ("Taylor models, advancement", Some(Culling::Taylor), Checker::check_step),
        ("the default", None, Checker::check_step),
        ("intervals, bisection", None, first_touch_by_bisection),
    ];
    let mut found = Vec::new();
    for (name, culling, method) in methods {
        bench.say(&format!("Figure 12, {name}"));
        let checker = match culling {
            Some(culling) => checker.clone().with_culling(culling),
            None => checker.clone(),
        };
        found.push((name, measured(bench, &scenario, &checker, &options, method)?));
    }
    let of = |steps: &[(StepReport, f64)], touching: bool| {
        let wanted = steps.iter().filter(|(report, _)| !touching || report.answer.touch().is_some());
        mean(wanted.map(|(_, ms)| *ms)).unwrap_or(f64::NAN)
    };
    let slow: [f64; 2] = [false, true].map(|touching| of(&found[2].1, touching));
    let mut rows = vec![
        vec!["theirs, CATCH".into(), "0.26".into(), "15.1x".into(), "3.1".into(), "18.2x".into()],
        vec!["theirs, ARTICULATE".into(), "3.92".into(), "1x".into(), "56.44".into(), "1x".into()],
    ];
    for (name, steps) in &found {
        let times = [false, true].map(|touching| of(steps, touching));
        let mut row = vec![format!("ours, {name}")];
        for (ms, slow) in times.into_iter().zip(slow) {
            row.extend([format!("{ms:.3}"), format!("{:.1}x", slow / ms)]);
        }
        rows.push(row);
    }
    let kinds = |k: usize| found[k].1.iter().map(|(report, _)| report.answer.touch().is_some());
    let same = kinds(0).zip(kinds(2)).filter(|(a, b)| a == b).count();
    bench.table(
        "Figure 12: the pipeline against intervals and bisection, walk without self-collisions",
        &["method", ">all, ms", ">ratio", ">touching, ms", ">ratio"],
        rows,
        &[format!(
            "Ratios to intervals and bisection. Both say the same of {same} of {} steps. The paper compares with another \
             program, ARTICULATE.",
            scenario.steps.len()
        )],
    );
    Ok(())
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}
