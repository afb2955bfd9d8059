//! Whole scenes: how the cost grows with the number of bodies, by stage.
//!
//! A crowd at one density: rigid bodies of all kinds, and a robot for every hundred of them.

use std::time::Instant;

use firsttouch::{Answer, Engine, Mode, Options};
use firsttouch_lab::scenes::crowd::crowd;

fn main() {
    if let Err(error) = run() {
        eprintln!("scenes: {error}");
        std::process::exit(2);
    }
}

fn run() -> firsttouch::Result<()> {
    for (spread, what) in [(1.0, "some touch"), (1.6, "none touches")] {
        println!("{what}:");
        println!(
            "{:>7} {:>7} {:>10} {:>9} {:>10} {:>12}  engines, first / all",
            "bodies", "robots", "pairs", "close", "broad, ms", "µs a body"
        );
        let mut points = Vec::new();
        for bodies in [250, 500, 1000, 2000, 4000] {
            let robots = bodies / 100;
            let scene = crowd(bodies, robots, spread, 7)?;
            let start = Instant::now();
            let clock = || start.elapsed().as_secs_f64();
            // The shortest of a few runs excludes interruptions.
            let (mut broad, mut texts) = (f64::INFINITY, [String::new(), String::new()]);
            let mut stats = None;
            for (mode, text) in [Mode::First, Mode::All].into_iter().zip(&mut texts) {
                let options = Options { mode, ..Options::default() };
                for _ in 0..3 {
                    let report = scene.check_clocked(&options, &clock)?;
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
            let stats = stats.unwrap_or_default();
            let total = bodies + robots;
            println!(
                "{bodies:>7} {robots:>7} {:>10} {:>9} {:>10.3} {:>12.3}  {}/ {}",
                stats.pairs,
                stats.part_pairs,
                broad * 1e3,
                broad * 1e6 / total as f64,
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
