//! Real arms in real planning scenes, if the shared data lies beside the checkout: through a checker and through a
//! scene.

use firsttouch::articulated::{Checker, Robot, RobotStep};
use firsttouch::motion::Pose;
use firsttouch::{Body, Mode, Options, Scene};

use super::checkers::pin_steps;
use super::{Pin, compare};
use crate::benches::shared_arms;

#[test]
fn shared_arms() {
    let mut pins = Vec::new();
    for (name, file) in
        [("panda", "bookshelf_small/3.csv"), ("panda", "table_pick/3.csv"), ("ur5", "table_pick/3.csv")]
    {
        let Some(folder) = shared_arms::folder(name) else {
            use std::io::Write;
            let text = "SKIPPED shared_arms: there is no ../shared/data beside the checkout";
            let _ = writeln!(std::io::stderr(), "{text}");
            return;
        };
        let robot = shared_arms::robot(&folder).unwrap();
        let problem = shared_arms::problem(&folder, &robot, &folder.join(file)).unwrap();
        let name = format!("{name} {}", file.trim_end_matches(".csv"));
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, problem.obstacles.clone()).unwrap();
        pin_steps(&name, &checker, &problem.motions, &mut pins);
        pin_in_scenes(&name, &robot, &problem.obstacles, &problem.motions, &mut pins);
    }
    compare("shared_arms", &pins);
}

/// Pins the same segments, each with the robot as a body of a scene.
fn pin_in_scenes(
    name: &str,
    robot: &Robot,
    obstacles: &[Body],
    segments: &[[Vec<f64>; 2]],
    pins: &mut Vec<Pin>,
) {
    for (k, [from, to]) in segments.iter().enumerate() {
        let mut scene = Scene::default();
        let step = RobotStep::new(robot.clone(), Pose::IDENTITY, from.clone(), to.clone()).unwrap();
        scene.add(Body::robot("robot", step)).unwrap();
        obstacles.iter().for_each(|body| scene.add(body.clone()).map(|_| ()).unwrap());
        scene.leave_out_resting(true);
        let names: Vec<&str> = scene.bodies().iter().map(|body| body.name()).collect();
        for (mode_name, mode) in [("first", Mode::First), ("any", Mode::Any)] {
            let report = scene.check(&Options { mode, ..Options::default() }).unwrap();
            let counters = format!(
                "{} {} {} {}",
                report.stats.advanced,
                report.stats.volume_pairs,
                report.stats.piece_pairs,
                report.stats.iterations
            );
            let question = format!("{name} {k} in a scene {mode_name}");
            pins.push(Pin::of_answer(question, &report.answer, &names, counters));
        }
    }
}
