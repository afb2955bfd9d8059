//! Whole scenes: the growth of the cost with the number of bodies, by stage.
//!
//! A crowd at one density: rigid bodies of all kinds, and a robot for every hundred of them.
//!
//! `cargo run --release -p firsttouch-lab --bin scenes [BODIES]..` takes scenes of these sizes, or of usual ones. It
//! shows three times of the broad phase: of the first query; the least time of later ones, when all boxes are known;
//! and the least time of queries before which one body in a hundred got another motion.

use std::time::Instant;

use firsttouch::motion::{Motion, Pose, RigidMotion};
use firsttouch::{Answer, Ask, Engine, Mode, Options, Scene};
use firsttouch_lab::scenes::crowd::crowd;

fn main() {
    if let Err(error) = run() {
        eprintln!("scenes: {error}");
        std::process::exit(2);
    }
}

fn run() -> firsttouch::Result<()> {
    let given: Vec<usize> = std::env::args().skip(1).filter_map(|size| size.parse().ok()).collect();
    let sizes = if given.is_empty() { vec![250, 500, 1000, 2000, 4000] } else { given };
    for (spread, what) in [(1.0, "some touch"), (1.6, "none touches")] {
        println!("{what}:");
        println!(
            "{:>7} {:>7} {:>10} {:>9} {:>10} {:>10} {:>12} {:>12}  engines, first / all",
            "bodies", "robots", "pairs", "close", "first, ms", "broad, ms", "µs a body", "1% moved, ms"
        );
        let mut points = Vec::new();
        for &bodies in &sizes {
            let robots = bodies / 100;
            let mut scene = crowd(bodies, robots, spread, 7)?;
            let start = Instant::now();
            let clock = || start.elapsed().as_secs_f64();
            let broad_phase = |scene: &Scene| {
                let report = scene
                    .check(Ask::from(&Options { mode: Mode::Any, ..Options::default() }).clock(&clock))?;
                Ok(report.seconds.unwrap_or_default().broad)
            };
            let first: f64 = broad_phase(&scene)?;
            // The shortest of a few runs excludes interruptions.
            let (mut broad, mut texts) = (f64::INFINITY, [String::new(), String::new()]);
            let mut stats = None;
            for (mode, text) in [Mode::First, Mode::All].into_iter().zip(&mut texts) {
                let options = Options { mode, ..Options::default() };
                for _ in 0..3 {
                    let report = scene.check(Ask::from(&options).clock(&clock))?;
                    let seconds = report.seconds.unwrap_or_default();
                    broad = broad.min(seconds.broad);
                    let spent = Engine::ALL.iter().zip(seconds.engines).filter(|(_, s)| *s > 0.0);
                    *text = spent.map(|(e, s)| format!("{} {:.2} ms ", e.name(), s * 1e3)).collect();
                    if report.answer == Answer::Free {
                        text.push_str("(free)");
                    }
                    stats = Some(report.stats);
                }
            }
            let moved = after_some_moved(&mut scene, broad_phase)?;
            let stats = stats.unwrap_or_default();
            let total = bodies + robots;
            println!(
                "{bodies:>7} {robots:>7} {:>10} {:>9} {:>10.3} {:>10.3} {:>12.3} {:>12.3}  {}/ {}",
                stats.pairs,
                stats.part_pairs,
                first * 1e3,
                broad * 1e3,
                broad * 1e6 / total as f64,
                moved * 1e3,
                texts[0],
                texts[1]
            );
            points.push(((total as f64).ln(), broad.ln()));
        }
        let (first, last) = (points[0], points[points.len() - 1]);
        println!("broad phase grows with exponent {:.2}\n", (last.1 - first.1) / (last.0 - first.0));
    }
    Ok(())
}

/// Returns the least time of the broad phase after one body in a hundred got another motion: at rest in its place.
fn after_some_moved(
    scene: &mut Scene,
    broad_phase: impl Fn(&Scene) -> firsttouch::Result<f64>,
) -> firsttouch::Result<f64> {
    let names: Vec<String> = scene.bodies().iter().map(|body| body.name().into()).collect();
    let mut least = f64::INFINITY;
    for round in 0..5 {
        for (k, name) in names.iter().enumerate().skip(round).step_by(100) {
            let rests = scene.bodies()[k].as_rigid().map(|(_, motion)| motion.pose_at(0.0).translation);
            if let Some(at) = rests {
                scene.set_motion(name, Motion::fixed(Pose::from_translation(at)?))?;
            }
        }
        least = least.min(broad_phase(scene)?);
    }
    Ok(least)
}
