//! Meshes in rigid motion: the bunny scenes, the time to build a mesh, and the choice of hierarchy.
//!
//! `cargo run --release -p firsttouch-lab --bin rigid [scenes] [build] [hierarchy] [bouncing]` runs the parts named, or
//! all of them. The scenes are read from the shared data beside the checkout, and left out if it is missing.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::Instant;

use firsttouch::advancement::{Limits, Verdict};
use firsttouch::motion::Motion;
use firsttouch::pair::Side;
use firsttouch::shape::Mesh;
use firsttouch::tree::composite::Composite;
use firsttouch::tree::{TreeStats, first_touch};
use firsttouch::{Answer, Body, Options, Report, Scene};
use firsttouch_lab::benches::bunnies::{Bunnies, Truth};
use firsttouch_lab::benches::growth::crossing_paths;
use firsttouch_lab::benches::hierarchies::{AxisBox, Ball, BoxesOnly, OtherVolume, SweptBall, VolumeTree};
use firsttouch_lab::scenes::bouncing::{Bouncing, Setup};
use firsttouch_lab::scenes::shapes;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let part = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    let bunnies = if part("scenes") || part("hierarchy") {
        Bunnies::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"))?
    } else {
        Bunnies::default()
    };
    if part("scenes") {
        scenes(&bunnies)?;
    }
    if part("build") {
        build()?;
    }
    if part("hierarchy") {
        hierarchies(&bunnies)?;
    }
    if part("bouncing") {
        bouncing()?;
    }
    Ok(())
}

/// Measures the time to build a mesh, with one thread and with two: the least and the median of some runs.
fn build() -> firsttouch::Result<()> {
    println!(
        "\n{:>10} {:>8} {:>10} {:>10} {:>14}",
        "triangles", "threads", "best ms", "median ms", "whole tree, ms"
    );
    for triangles in [1_000, 10_000, 100_000] {
        let mesh = shapes::potato(triangles, 1)?;
        let mut built = Vec::new();
        for threads in [1, 2] {
            let (mut times, mut whole) = (Vec::new(), Vec::new());
            for _ in 0..9 {
                let (vertices, triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
                let start = Instant::now();
                let mesh = Mesh::with_threads(vertices, triangles, threads)?;
                times.push(start.elapsed().as_secs_f64() * 1e3);
                // This builds the parts that queries would build on demand.
                mesh.tree().build_all(false);
                whole.push(start.elapsed().as_secs_f64() * 1e3);
                built.push(mesh);
            }
            times.sort_by(f64::total_cmp);
            whole.sort_by(f64::total_cmp);
            let count = mesh.triangles().len();
            println!("{count:>10} {threads:>8} {:>10.2} {:>10.2} {:>14.2}", times[0], times[4], whole[0]);
        }
        assert!(
            built.windows(2).all(|pair| pair[0].tree() == pair[1].tree()),
            "one tree, with any number of threads"
        );
    }
    Ok(())
}

/// Measures every shared scene: time, work, and the answer against the truth.
fn scenes(bunnies: &Bunnies) -> firsttouch::Result<()> {
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

/// Measures the engine over other volumes, on the shared scenes; without them, on generated bodies.
fn hierarchies(bunnies: &Bunnies) -> firsttouch::Result<()> {
    println!("\n{:<22} {:>10} {:>9} {:>7} {:>7}  hash", "volumes", "us", "volumes", "pieces", "ns each");
    if bunnies.scenes.is_empty() {
        let (a, b) = (shapes::potato(16_000, 1)?, shapes::torus(1.0, 0.35, 16_000)?);
        let paths = (0..8).map(crossing_paths).collect::<firsttouch::Result<Vec<_>>>()?;
        every_volume([&a, &b], &paths);
        return Ok(());
    }
    for (i, mesh) in bunnies.meshes.iter().enumerate() {
        let of_mesh = bunnies.scenes.iter().filter(|scene| scene.meshes == [i, i]);
        let paths: Vec<[Motion; 2]> = of_mesh.map(|scene| scene.motions.clone()).collect();
        every_volume([mesh, mesh], &paths);
    }
    Ok(())
}

fn every_volume(meshes: [&Mesh; 2], paths: &[[Motion; 2]]) {
    println!("{} and {} triangles:", meshes[0].triangles().len(), meshes[1].triangles().len());
    measure_volume("boxes and hulls", meshes, paths);
    measure_volume("oriented boxes", meshes.map(BoxesOnly).each_ref(), paths);
    other_volume::<AxisBox>(meshes, paths);
    other_volume::<SweptBall>(meshes, paths);
    other_volume::<Ball>(meshes, paths);
}

fn other_volume<V: OtherVolume>(meshes: [&Mesh; 2], paths: &[[Motion; 2]]) {
    let [a, b] = meshes.map(VolumeTree::<V>::new);
    measure_volume(V::NAME, [&a, &b], paths);
}

/// Means over the paths.
fn measure_volume<C: Composite>(name: &str, [a, b]: [&C; 2], paths: &[[Motion; 2]]) {
    let limits = Limits::DEFAULT;
    let (mut time, mut total, mut hasher) = (0.0, TreeStats::default(), DefaultHasher::new());
    for [motion_a, motion_b] in paths {
        let pair = [Side { pieces: a, motion: motion_a }, Side { pieces: b, motion: motion_b }];
        let mut best = f64::INFINITY;
        for round in 0..20 {
            let mut stats = TreeStats::default();
            let start = Instant::now();
            let outcome = first_touch(&[pair], &limits, false, &mut stats);
            best = best.min(start.elapsed().as_secs_f64() * 1e6);
            if round == 0 {
                total += stats;
                // Compared to four digits: the pieces are the same, but their advancement starts at different times.
                let toi = match outcome.verdict {
                    Verdict::Touch(touch) => (touch.t * 1e4).round() as i64,
                    Verdict::Free => -1,
                    Verdict::Undecided { .. } => -2,
                };
                toi.hash(&mut hasher);
            }
        }
        time += best;
    }
    let n = paths.len() as f64;
    println!(
        "{name:<22} {:>10.1} {:>9} {:>7} {:>7.0}  {:016x}",
        time / n,
        total.volume_pairs / paths.len() as u64,
        total.piece_pairs / paths.len() as u64,
        time * 1e3 / total.volume_pairs as f64,
        hasher.finish()
    );
}

/// Frames per second of a body that bounces for ten seconds, or until it rests: four throws.
fn bouncing() -> firsttouch::Result<()> {
    println!(
        "\n{:<10} {:>9} {:>7} {:>8} {:>10} {:>10} {:>11}",
        "body", "triangles", "frames", "touches", "Hz", "worst us", "volumes"
    );
    for (name, mesh) in [("potato", shapes::potato(10_000, 1)?), ("teapot", shapes::teapot(10_000)?)] {
        let (mut touches, mut volumes, mut seconds) = (0, 0, Vec::new());
        for seed in 0..4 {
            // The run is the same every time, so the shortest of three times per frame excludes interruptions.
            let mut frames = vec![f64::INFINITY; 600];
            for round in 0..3 {
                let mut run = Bouncing::thrown(&mesh, seed, Setup::default())?;
                let mut count = 0;
                while count < frames.len() && !run.is_asleep() {
                    let start = Instant::now();
                    let report = run.step();
                    frames[count] = frames[count].min(start.elapsed().as_secs_f64());
                    count += 1;
                    if round == 0 {
                        (touches, volumes) = (touches + report.touches, volumes + report.volume_pairs);
                    }
                }
                frames.truncate(count);
            }
            seconds.extend(frames);
        }
        println!(
            "{name:<10} {:>9} {:>7} {touches:>8} {:>10.0} {:>10.0} {:>11} (bar 2000 Hz)",
            mesh.triangles().len(),
            seconds.len(),
            seconds.len() as f64 / seconds.iter().sum::<f64>(),
            seconds.iter().fold(0.0, |a: f64, b| a.max(*b)) * 1e6,
            volumes / seconds.len() as u64,
        );
    }
    Ok(())
}

/// Runs for a fifth of a second, at least three times. Returns the shortest and the median time in microseconds.
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

/// Returns true if the answer agrees with the truth, and how much earlier than the last possible contact it is.
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
