//! Robots in a simulation, step by step, with the memory of previous steps.

use firsttouch::Options;

use super::{Pin, compare};
use crate::scenes::adaptive;

#[test]
fn simulations() {
    let mut pins = Vec::new();
    let scenes = [
        adaptive::wooden_men(3_000).unwrap(),
        adaptive::pendulum(3_000).unwrap(),
        adaptive::falling_man(3_000, 8_000).unwrap(),
    ];
    for scene in &scenes {
        let names: Vec<&str> =
            std::iter::once("robot").chain(scene.obstacles.iter().map(|body| body.name())).collect();
        for active in [1, 5, 29] {
            let mut engine = scene.in_the_loop().unwrap();
            for (k, step) in scene.record(active, 60).unwrap().iter().enumerate() {
                let options = Options::default();
                let report = engine.check(step, &options).unwrap();
                let counters = format!(
                    "{} {} {} {}",
                    report.transforms.total(),
                    report.close_pairs,
                    report.work.volume_pairs,
                    report.work.iterations,
                );
                let name = format!("{} {active} {k}", scene.name);
                pins.push(Pin::of_answer(name, &report.answer, &names, counters));
                engine.simulated_mut().accept(step.until).unwrap();
            }
        }
    }
    let touches = pins.iter().filter(|pin| pin.kind.starts_with("touch")).count();
    assert!(touches > 5, "{touches} of {} touch", pins.len());
    compare("simulated", &pins);
}
