//! Meshes in rigid motion: the bunny scenes, growth with the number of triangles, and the choice of hierarchy.
//!
//! `cargo run --release -p firsttouch-bench --bin rigid [scenes] [growth] [hierarchy] [bouncing]` runs the parts named, or
//! all of them. The scenes are those shared with the checkout and are left out where they are not.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::Instant;

use firsttouch::shape::Mesh;
use firsttouch::{Answer, Body, Options, Report, Scene};
use firsttouch_bench::bunnies::{Bunnies, Truth};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let part = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    if part("scenes") {
        scenes()?;
    }
    Ok(())
}

/// Every shared scene: time, work, and the answer against the truth.
fn scenes() -> Result<(), Box<dyn std::error::Error>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let bunnies = Bunnies::read(&data)?;
    println!(
        "{:<12} {:>9} {:>10} {:>10} {:>9} {:>7} {:>7}  {:<18} {:>9}  judged  hash",
        "scene", "triangles", "best us", "median us", "volumes", "pieces", "steps", "toi", "early"
    );
    let mut times: Vec<(usize, f64, f64)> = Vec::new();
    for known in &bunnies.scenes {
        let mut scene = Scene::default();
        for (name, i) in [("a", 0), ("b", 1)] {
            let mesh: Mesh = bunnies.meshes[known.meshes[i]].clone();
            scene.add(Body::new(name, mesh, known.motions[i].clone()))?;
        }
        let options = Options::default();
        let (report, best, median) = timed(|| scene.check(&options))?;
        let (judged, early) = judge(&report.answer, known.truth, &options);
        let triangles = bunnies.meshes[known.meshes[0]].triangles().len();
        times.push((triangles, best, median));
        println!(
            "{:<12} {triangles:>9} {best:>10.1} {median:>10.1} {:>9} {:>7} {:>7}  {:<18} {early:>9.1e}  {judged:<6}  {:016x}",
            known.name,
            report.stats.volume_pairs,
            report.stats.piece_pairs,
            report.stats.iterations,
            report.answer.touch().map_or("free".into(), |touch| touch.toi.to_string()),
            hash(&report.answer),
        );
    }
    let mut sizes: Vec<usize> = times.iter().map(|t| t.0).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for (size, bar) in sizes.into_iter().zip([1000.0, 3000.0]) {
        let of_size: Vec<_> = times.iter().filter(|t| t.0 == size).collect();
        let mean = |pick: fn(&(usize, f64, f64)) -> f64| {
            of_size.iter().map(|t| pick(t)).sum::<f64>() / of_size.len() as f64
        };
        println!(
            "{size} triangles: mean of best {:.1} us, of median {:.1} us (bar {bar} us)",
            mean(|t| t.1),
            mean(|t| t.2)
        );
    }
    Ok(())
}

/// Runs for a fifth of a second, at least three times; the best and the median in microseconds.
fn timed(mut run: impl FnMut() -> firsttouch::Result<Report>) -> firsttouch::Result<(Report, f64, f64)> {
    let begin = Instant::now();
    let mut times = Vec::new();
    let report = loop {
        let start = Instant::now();
        let report = run()?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
        if times.len() >= 3 && begin.elapsed().as_secs_f64() > 0.2 {
            break report;
        }
    };
    times.sort_by(f64::total_cmp);
    Ok((report, times[0], times[times.len() / 2]))
}

/// Whether the answer agrees with the truth, and how much earlier than the last possible contact it is.
fn judge(answer: &Answer, truth: Option<Truth>, options: &Options) -> (&'static str, f64) {
    match (answer, truth) {
        (_, None) => ("-", 0.0),
        (Answer::Free, Some(Truth::Free)) => ("ok", 0.0),
        (Answer::Touch(touch), Some(Truth::Touch { upper, .. })) => {
            let early = upper - touch.toi;
            match (early >= 0.0, touch.gap <= options.tolerance) {
                (false, _) => ("LATE", early),
                (_, false) => ("GAP", early),
                _ => ("ok", early),
            }
        }
        _ => ("WRONG", 0.0),
    }
}

fn hash(answer: &Answer) -> u64 {
    let mut hasher = DefaultHasher::new();
    match answer {
        Answer::Free => 0_u64.hash(&mut hasher),
        answer => answer.free_until(1.0).to_bits().hash(&mut hasher),
    }
    hasher.finish()
}
