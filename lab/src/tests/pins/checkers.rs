//! Robots among obstacles: the paper's scenarios and two machines, and an arm whose world is edited between the
//! queries.

use firsttouch::articulated::{Checker, StepReport};
use firsttouch::motion::Pose;
use firsttouch::shape::Cuboid;
use firsttouch::{Mode, Options};
use glam::DVec3;

use super::{Pin, compare, hash_of};
use crate::benches::arm;
use crate::scenes::{machines, mannequin, trains};

#[test]
fn robots() {
    let mut pins = Vec::new();
    let mut scenario = |name: &str, checker: &Checker, steps: &[[Vec<f64>; 2]]| {
        pin_steps(name, checker, steps, &mut pins);
    };
    let walk = mannequin::walk([5_000, 8_000], 60).unwrap();
    scenario("walk", &walk.checker().unwrap(), &walk.steps[20..]);
    let exercise = mannequin::exercise(5_000, 400).unwrap();
    let every: Vec<_> = exercise.steps.iter().step_by(10).cloned().collect();
    scenario("exercise", &exercise.checker().unwrap(), &every);
    let four = trains::four_trains(6_000, 60).unwrap();
    scenario("four trains", &four.checker().unwrap(), &four.steps[40..]);
    let falling = trains::falling_train([6_000, 6_000], 60).unwrap();
    scenario("falling train", &falling.checker().unwrap(), &falling.steps[30..]);
    for (name, problem) in
        [("mobile", machines::mobile_manipulator(40).unwrap()), ("humanoid", machines::humanoid(40).unwrap())]
    {
        scenario(name, &problem.checker, &problem.segments);
    }
    compare("robots", &pins);
}

/// Edits of every kind, each followed by the same edges.
#[test]
fn a_checker_that_is_edited() {
    let mut pins = Vec::new();
    let mut checker = arm::checker().unwrap();
    let edges: Vec<[Vec<f64>; 2]> =
        (0..20).map(|k| [arm::configuration(k), arm::configuration(k + 1)]).collect();
    let cube = || Cuboid::new(DVec3::splat(0.05)).unwrap();
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z)).unwrap();
    pin_steps("as built", &checker, &edges, &mut pins);
    checker.move_obstacle("obstacle0", at(2.0, 0.4, 0.1)).unwrap();
    pin_steps("moved", &checker, &edges, &mut pins);
    checker.remove_obstacle("obstacle7").unwrap();
    checker.add_obstacle(arm::obstacle(51).unwrap()).unwrap();
    pin_steps("replaced", &checker, &edges, &mut pins);
    checker.hold("part", cube(), "link14", at(0.3, 0.0, 0.0), &["link13"]).unwrap();
    pin_steps("holding", &checker, &edges, &mut pins);
    checker.set_padding(0.03).unwrap();
    checker.set_link_padding("link9", 0.02).unwrap();
    pin_steps("padded", &checker, &edges, &mut pins);
    checker.allow("link14", "obstacle0").unwrap();
    checker.allow("link3", "link14").unwrap();
    checker.set_base(at(0.0, 0.05, -0.02));
    pin_steps("allowed and moved", &checker, &edges, &mut pins);
    checker.release("part").unwrap();
    pin_steps("released", &checker, &edges, &mut pins);
    compare("edits", &pins);
}

/// Pins every step in two modes and as a state, and the clearance of every tenth.
pub(super) fn pin_steps(name: &str, checker: &Checker, steps: &[[Vec<f64>; 2]], pins: &mut Vec<Pin>) {
    let names: Vec<&str> =
        std::iter::once("robot").chain(checker.obstacles().map(|body| body.name())).collect();
    for (k, [from, to]) in steps.iter().enumerate() {
        for (mode_name, mode) in [("first", Mode::First), ("any", Mode::Any)] {
            let options = Options { mode, ..Options::default() };
            let report = checker.check_step(from, to, &options).unwrap();
            let counters = counters_of(&report);
            pins.push(Pin::of_answer(format!("{name} {k} {mode_name}"), &report.answer, &names, counters));
        }
        if k % 10 == 0 {
            pin_clearance(&format!("{name} {k}"), checker, [from, to], &names, pins);
        }
    }
    let ends: Vec<Vec<f64>> = steps.iter().take(12).map(|[_, to]| to.clone()).collect();
    for (k, to) in ends.iter().enumerate() {
        let report = checker.check_state(to, &Options::default()).unwrap();
        pins.push(Pin::of_answer(format!("{name} {k} state"), &report.answer, &names, counters_of(&report)));
    }
    // Batches answer as single queries do, on any number of threads.
    let motions: Vec<[&[f64]; 2]> = steps.iter().take(12).map(|[from, to]| [&from[..], &to[..]]).collect();
    let single: Vec<_> =
        motions.iter().map(|[a, b]| checker.check_step(a, b, &Options::default()).unwrap().answer).collect();
    for threads in [1, 8] {
        let options = Options { threads, ..Options::default() };
        let batch = checker.check_motions(&motions, &options).unwrap();
        let answers: Vec<_> = batch.into_iter().map(|report| report.answer).collect();
        assert_eq!(answers, single, "{name}: a batch on {threads} threads");
    }
}

fn counters_of(report: &StepReport) -> String {
    format!(
        "{} {} {} {} {} {} {}",
        report.pairs,
        report.close_pairs,
        report.windows[0],
        report.windows[1],
        report.work.volume_pairs,
        report.work.piece_pairs,
        report.work.iterations,
    )
}

fn pin_clearance(
    name: &str,
    checker: &Checker,
    [from, to]: [&Vec<f64>; 2],
    names: &[&str],
    pins: &mut Vec<Pin>,
) {
    let options = Options { tolerance: 1e-4, ..Options::default() };
    let Some(found) = checker.clearance(&[from.clone(), to.clone()], &options).unwrap() else { return };
    let found = found.clearance;
    let [a, b] = found.bodies.map(|i| names[i]);
    let hash = hash_of(&[found.points[0], found.points[1], found.normal]);
    pins.push(Pin {
        name: format!("{name} clearance"),
        kind: format!("{a}, {b}; tight: {}", found.is_tight),
        bits: format!("{:?} {:?} {:?} {hash:016x}", found.lower, found.upper, found.t),
        counters: String::new(),
    });
}
