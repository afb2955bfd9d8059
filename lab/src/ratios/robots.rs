//! CATCH, 2007: the paper's pipeline beside the product, with Taylor models and with intervals. The assembly tree,
//! 2008: with chords and with intervals, and beside the stateless checker.

use firsttouch::adaptive::Bounding;
use firsttouch::articulated::Checker;
use firsttouch::motion::Pose;
use firsttouch::{Answer, Mode, Options};

use super::{Engine, Result};
use crate::comparison::catch::{Arithmetic, Catch, CatchStats};
use crate::papers::adaptive::in_the_loop_at;
use crate::scenes::adaptive::{self, AdaptiveScene, InTheLoop};
use crate::scenes::dynamics::{FirstTouch, StepRecord};
use crate::scenes::play::RobotScenario;
use crate::scenes::{chessboard, mannequin, trains};

/// The threshold of the paper of 2007.
const TOLERANCE: f64 = 1e-3;

/// Returns the engines: the paper's pipeline with both arithmetics, and the product in modes `First` and `Any` on all
/// steps and on the free ones.
fn pipelines(scenario: RobotScenario, first_step: usize, every: usize, count: usize) -> Result<Vec<Engine>> {
    let first = Options { tolerance: TOLERANCE, ..Options::default() };
    let any = Options { mode: Mode::Any, ..first };
    let checker = scenario.checker()?;
    let free: Vec<[Vec<f64>; 2]> = scenario
        .steps
        .iter()
        .step_by(every.div_ceil(4))
        .filter(|[from, to]| {
            matches!(checker.check_step(from, to, &first), Ok(report) if report.answer == Answer::Free)
        })
        .take(count)
        .cloned()
        .collect();
    let steps: Vec<[Vec<f64>; 2]> =
        scenario.steps.iter().skip(first_step).step_by(every).take(count).cloned().collect();
    // The pipeline borrows the scenario, which lives as long as the program.
    let scenario: &'static RobotScenario = Box::leak(Box::new(scenario));
    let paper = |name, arithmetic| -> Result<Engine> {
        let catch = Catch::new(&scenario.robot, &scenario.obstacles)?;
        let steps = steps.clone();
        Ok(Engine::new(name, move || {
            for [from, to] in &steps {
                catch.check(from, to, &first, arithmetic, &mut CatchStats::default())?;
            }
            Ok(())
        }))
    };
    let product = |name, steps: &[[Vec<f64>; 2]], options: Options| {
        let (checker, steps) = (checker.clone(), steps.to_vec());
        Engine::new(name, move || {
            for [from, to] in &steps {
                checker.check_step(from, to, &options)?;
            }
            Ok(())
        })
    };
    Ok(vec![
        paper("pipeline, Taylor", Arithmetic::Taylor)?,
        paper("pipeline, intervals", Arithmetic::Intervals)?,
        product("product", &steps, first),
        product("free, first", &free, first),
        product("free, any", &free, any),
    ])
}

pub(super) fn walk() -> Result<Vec<Engine>> {
    let sizes = [mannequin::TRIANGLES / 10, chessboard::TRIANGLES / 10];
    pipelines(mannequin::walk(sizes, 500)?, 0, 50, 10)
}

pub(super) fn exercise() -> Result<Vec<Engine>> {
    pipelines(mannequin::exercise(mannequin::TRIANGLES / 10, 400)?, 0, 40, 10)
}

pub(super) fn four_trains() -> Result<Vec<Engine>> {
    pipelines(trains::four_trains(trains::TRIANGLES / 10, 200)?, 0, 80, 2)
}

pub(super) fn falling_train() -> Result<Vec<Engine>> {
    let sizes = [trains::FALLING_TRIANGLES / 10, trains::MOUNTAIN_TRIANGLES / 10];
    pipelines(trains::falling_train(sizes, 200)?, 80, 100, 1)
}

/// Returns the engines: `Simulated`, with chords and with intervals, and the stateless checker, on steps about the
/// first touch of a simulation.
fn assembly_tree(scene: AdaptiveScene, active: usize, count: usize) -> Result<Vec<Engine>> {
    let records = scene.record(active, 4 * count)?;
    let touch = records.iter().position(|record| record.until < 1.0).unwrap_or(records.len());
    let begin = touch.saturating_sub(3).min(records.len().saturating_sub(count));
    let records: Vec<StepRecord> = records.into_iter().skip(begin).take(count).collect();
    let start = records.first().map_or(&scene.start, |record| &record.from);
    let fresh = in_the_loop_at(&scene, start, 4.0)?.simulated().clone();
    let followed = |name, simulated: firsttouch::adaptive::Simulated| {
        let records = records.clone();
        // One for each time.
        let mut unused = vec![InTheLoop::new(simulated.clone()), InTheLoop::new(simulated)];
        Engine::new(name, move || {
            let mut run = unused.pop().ok_or("an engine works twice")?;
            for record in &records {
                run.check(record, &record.options())?;
                run.accept(record)?;
            }
            Ok(())
        })
    };
    let checker = Checker::new(scene.linkage.robot().clone(), Pose::IDENTITY, scene.obstacles.clone())?;
    let stateless = {
        let records = records.clone();
        Engine::new("stateless", move || {
            for record in &records {
                checker.check_step(&record.from, &record.to, &record.options())?;
            }
            Ok(())
        })
    };
    Ok(vec![
        followed("Simulated", fresh.clone()),
        followed("Simulated, intervals", fresh.with_bounding(Bounding::Interval)?),
        stateless,
    ])
}

pub(super) fn wooden_men(active: usize) -> Result<Vec<Engine>> {
    assembly_tree(adaptive::wooden_men(2_000)?, active, steps(active))
}

pub(super) fn pendulum(active: usize) -> Result<Vec<Engine>> {
    assembly_tree(adaptive::pendulum(2_000)?, active, steps(active))
}

pub(super) fn falling_man(active: usize) -> Result<Vec<Engine>> {
    assembly_tree(adaptive::falling_man(2_000, 6_000)?, active, steps(active))
}

/// Steps with more joints take longer.
fn steps(active: usize) -> usize {
    if active == 1 { 30 } else { 15 }
}
