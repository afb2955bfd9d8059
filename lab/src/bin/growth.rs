//! Measures the growth of cost with triangles, bodies, links, obstacles and the length of a step.
//!
//! `cargo run --release -p firsttouch-lab --bin growth [NAME].. [--out FILE.svg]` prints the named curves, or all of
//! them. It prints the work, which is the same on every machine and has its bounds in the tests, and the time of a
//! query, the shortest of several runs. The plot shows the work of all of them.

use std::time::Instant;

use firsttouch_lab::benches::growth::{CURVES, exponent};
use firsttouch_lab::plot::{Axis, Plot};

type Failure = Box<dyn std::error::Error>;

const RUNS: usize = 20;

fn main() {
    if let Err(error) = run() {
        eprintln!("growth: {error}");
        std::process::exit(2);
    }
}

fn run() -> Result<(), Failure> {
    let mut wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut out = None;
    if let Some(place) = wanted.iter().position(|word| word == "--out") {
        out = wanted.drain(place..).nth(1);
    }
    if let Some(word) = wanted.iter().find(|word| CURVES.iter().all(|curve| curve.name != **word)) {
        return Err(format!("no curve is called \"{word}\"").into());
    }
    let mut plot = Plot::new("Work against size", Axis::log("size"), Axis::log("work"));
    for curve in
        CURVES.iter().filter(|curve| wanted.is_empty() || wanted.iter().any(|word| word == curve.name))
    {
        println!("{}: {}", curve.name, curve.what);
        println!("{:>10} {:>10} {:>12}", "size", "work", "us a question");
        let (mut works, mut times) = (Vec::new(), Vec::new());
        for &size in curve.sizes {
            let question = (curve.question)(size)?;
            let mut found = question.ask()?;
            let mut best = f64::INFINITY;
            for _ in 0..RUNS {
                let start = Instant::now();
                found = question.ask()?;
                let spent = 1e6 * start.elapsed().as_secs_f64() / found.questions as f64;
                best = if spent < best { spent } else { best };
            }
            println!("{:>10.0} {:>10.0} {best:>12.1}", found.size, found.work);
            works.push((found.size, found.work));
            times.push((found.size, best));
        }
        println!(
            "work grows like the size to the power {:.2} (at most {:.2}), time to {:.2}\n",
            exponent(&works),
            curve.most,
            exponent(&times)
        );
        plot.curve(curve.name, works);
    }
    if let Some(out) = out {
        std::fs::write(out, plot.svg())?;
    }
    Ok(())
}
