//! Deforming meshes: the shared scenes, growth, and the saving by each part of the method.
//!
//! `cargo run --release -p firsttouch-lab --bin deform [THREADS] [REPEAT] [TABLE]...`, with the tables `headline`,
//! `steps`, `volumes`, `cones`, `features`, `advancement` and `growth`; without a table, all of them. Times are the
//! best of REPEAT runs in milliseconds; the last column is a hash of the touching pairs and their times.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::Instant;

use firsttouch::deformable::{DeformReport, Deformable, Dop, Settings, Start};
use firsttouch::{Feature, Mode, Options};
use firsttouch_lab::benches::feature_trees::FeatureTrees;
use firsttouch_lab::comparison;
use firsttouch_lab::scenes::deforming::{Frames, folded_cloth, moving_balls, twisted_rod};

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let mut number = || arguments.next_if(|a| a.parse::<usize>().is_ok()).and_then(|a| a.parse().ok());
    let threads = number().unwrap_or(2);
    let repeat = number().unwrap_or(5).max(1);
    let tables: Vec<String> = arguments.collect();
    let wanted = |name: &str| tables.is_empty() || tables.iter().any(|table| table == name);
    let mut scenes = shared_scenes();
    scenes.push(("generated cloth".into(), folded_cloth(216, 3.0)));
    scenes.push(("generated balls".into(), moving_balls(125, 16, 7)));
    scenes.push(("generated rod".into(), twisted_rod(32, 1250)));
    println!("{threads} threads, best of {repeat}\n");
    if wanted("headline") {
        headline(&scenes, threads, repeat);
    }
    if wanted("steps") {
        steps(threads, repeat);
    }
    if wanted("volumes") {
        volumes(&scenes, threads, repeat);
    }
    if wanted("cones") {
        cones(&scenes, repeat);
    }
    if wanted("features") {
        features(&scenes, repeat);
    }
    if wanted("advancement") {
        advancement(&scenes, repeat);
    }
    if wanted("growth") {
        growth(threads, repeat);
    }
}

fn shared_scenes() -> Vec<(String, Frames)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/scenes");
    let names =
        [("cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply"), ("armadillo-rollers", "326.ply", "327.ply")];
    let read = |(name, from, to): (&str, &str, &str)| {
        let a = firsttouch_io::read_mesh(&root.join(name).join(from)).ok()?;
        let b = firsttouch_io::read_mesh(&root.join(name).join(to)).ok()?;
        Some((name.to_string(), Frames { t0: a.positions, t1: b.positions, triangles: a.triangles }))
    };
    names.into_iter().filter_map(read).collect()
}

/// Returns the shortest time of a few runs, in milliseconds, and the last result.
fn best<R>(repeat: usize, f: impl FnMut() -> R) -> (f64, R) {
    let start = Instant::now();
    best_by(repeat, || start.elapsed().as_secs_f64() * 1e3, f)
}

/// Like `best`, in processor time, if the system reports it, for work on one thread. Other processes disturb it less.
fn best_alone<R>(repeat: usize, f: impl FnMut() -> R) -> (f64, R) {
    let start = Instant::now();
    let clock = || {
        let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let nanoseconds = told.and_then(|line| line.split(' ').next()?.parse::<f64>().ok());
        nanoseconds.map_or_else(|| start.elapsed().as_secs_f64() * 1e3, |time| time * 1e-6)
    };
    best_by(repeat, clock, f)
}

fn best_by<R>(repeat: usize, clock: impl Fn() -> f64, mut f: impl FnMut() -> R) -> (f64, R) {
    let mut once = || {
        let start = clock();
        let result = f();
        (clock() - start, result)
    };
    let (mut least, mut result) = once();
    for _ in 1..repeat {
        let (time, again) = once();
        least = least.min(time);
        result = again;
    }
    (least, result)
}

fn build(frames: &Frames, settings: Settings) -> Deformable {
    frames.build(settings).expect("the scenes are valid")
}

fn ask(mesh: &Deformable, mode: Mode, start: Start, threads: usize) -> DeformReport {
    mesh.check(&Options { mode, threads, ..Options::default() }, start).expect("the options are valid")
}

fn hash(report: &DeformReport) -> u64 {
    let mut hasher = DefaultHasher::new();
    for touch in &report.touches {
        touch.features.hash(&mut hasher);
        touch.toi.to_bits().hash(&mut hasher);
    }
    hasher.finish()
}

fn headline(scenes: &[(String, Frames)], threads: usize, repeat: usize) {
    println!(
        "{:<18} {:>9} {:>7} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8} {:>9} {:>24}  hash",
        "scene",
        "triangles",
        "build",
        "first",
        "any",
        "all",
        "report",
        "vf",
        "ee",
        "crossings",
        "first touch"
    );
    for (name, frames) in scenes {
        let settings = Settings { threads, ..Settings::default() };
        // This excludes the copies that `build` makes of the frames, which belong to the caller.
        let (copy, _) = best(repeat, || frames.clone());
        let (build_time, mesh) = best(repeat, || build(frames, settings));
        let (first_time, first) = best(repeat, || ask(&mesh, Mode::First, Start::Ignore, threads));
        let (any_time, _) = best(repeat, || ask(&mesh, Mode::Any, Start::Ignore, threads));
        let (all_time, all) = best(repeat, || ask(&mesh, Mode::All, Start::Ignore, threads));
        let (report_time, report) = best(repeat, || ask(&mesh, Mode::First, Start::Report, threads));
        println!(
            "{name:<18} {:>9} {:>7.1} {first_time:>7.1} {any_time:>7.1} {all_time:>7.1} {report_time:>7.1} {:>8} {:>8} {:>9} {:>24e}  {:016x}",
            frames.triangles.len(),
            (build_time - copy).max(0.0),
            all.vertex_face_touches(),
            all.edge_edge_touches(),
            report.crossings_at_start.unwrap_or(0),
            first.answer.free_until(1.0),
            hash(&all)
        );
    }
}

/// Measures a simulation: new frames and their first touch, step after step, on 100,000 triangles of folded cloth. The
/// calm one stays free; in the other one the layers pass through each other. Times are means over the steps.
fn steps(threads: usize, repeat: usize) {
    const STEPS: usize = 10;
    println!("\n{:<18} {:>9} {:>7} {:>7} {:>7}  hash", "steps", "triangles", "frames", "first", "touches");
    for (name, strength, end) in [("calm cloth", 0.3, 0.8), ("cloth in contact", 1.5, 1.0)] {
        let whole = folded_cloth(224, strength);
        let at = |k: usize| -> Vec<_> {
            let t = end * k as f64 / STEPS as f64;
            whole.t0.iter().zip(&whole.t1).map(|(a, b)| *a + (*b - *a) * t).collect()
        };
        let frames: Vec<Vec<_>> = (0..=STEPS).map(at).collect();
        let mut mesh = build(&whole, Settings { threads, ..Settings::default() });
        let mut least = [f64::INFINITY; 2];
        let (mut touches, mut answers) = (0, DefaultHasher::new());
        for _ in 0..repeat {
            let mut sum = [0.0; 2];
            (touches, answers) = (0, DefaultHasher::new());
            for step in frames.windows(2) {
                let (time, _) = best(1, || mesh.set_frames(&step[0], &step[1]).expect("valid frames"));
                let (first_time, first) = best(1, || ask(&mesh, Mode::First, Start::Ignore, threads));
                sum = [sum[0] + time, sum[1] + first_time];
                let free_until = first.answer.free_until(1.0);
                touches += u32::from(free_until < 1.0);
                free_until.to_bits().hash(&mut answers);
            }
            if sum[0] + sum[1] < least[0] + least[1] {
                least = sum;
            }
        }
        println!(
            "{name:<18} {:>9} {:>7.1} {:>7.1} {touches:>7}  {:016x}",
            whole.triangles.len(),
            least[0] / STEPS as f64,
            least[1] / STEPS as f64,
            answers.finish()
        );
    }
}

/// Measures k-DOPs against boxes, and the height of the layer of moving volumes.
fn volumes(scenes: &[(String, Frames)], threads: usize, repeat: usize) {
    println!(
        "\n{:<18} {:>10} {:>6} {:>7} {:>7} {:>7} {:>10} {:>10} {:>10} {:>10} {:>6}  hash",
        "volumes",
        "dop",
        "height",
        "build",
        "first",
        "all",
        "vf first",
        "ee first",
        "vf all",
        "ee all",
        "B/tri"
    );
    for (name, frames) in scenes {
        let dops = [Dop::Six, Dop::Eight, Dop::Eighteen, Dop::TwentyFour, Dop::TwentySix];
        let heights = [0, 1, 6].map(|height| (Dop::Eight, height));
        for (dop, switch_height) in dops.map(|dop| (dop, 3)).into_iter().chain(heights) {
            let settings = Settings { dop, switch_height, threads, ..Settings::default() };
            let (build_time, mesh) = best(repeat, || build(frames, settings));
            let (first_time, first) = best(repeat, || ask(&mesh, Mode::First, Start::Ignore, threads));
            let (all_time, all) = best(repeat.min(2), || ask(&mesh, Mode::All, Start::Ignore, threads));
            println!(
                "{name:<18} {:>10} {switch_height:>6} {build_time:>7.1} {first_time:>7.1} {all_time:>7.1} {:>10} {:>10} {:>10} {:>10} {:>6.0}  {:016x}",
                format!("{dop:?}"),
                first.stats.vf_candidates,
                first.stats.ee_candidates,
                all.stats.vf_candidates,
                all.stats.ee_candidates,
                mesh.bytes() as f64 / frames.triangles.len() as f64,
                hash(&all)
            );
        }
    }
}

/// Measures normal cones on and off: the number of leaves in patches, the number of pairs left to test, and the time on
/// one thread.
fn cones(scenes: &[(String, Frames)], repeat: usize) {
    println!(
        "\n{:<18} {:>6} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8} {:>10} {:>10} {:>10} {:>10}  hash",
        "normal cones",
        "",
        "build",
        "first",
        "all",
        "report",
        "% first",
        "% all",
        "pairs 1st",
        "cand. 1st",
        "pairs all",
        "cand. all"
    );
    for (name, frames) in scenes {
        for normal_cones in [false, true] {
            let settings = Settings { normal_cones, ..Settings::default() };
            let (build_time, mesh) = best_alone(repeat, || build(frames, settings));
            let (first_time, first) = best_alone(repeat, || ask(&mesh, Mode::First, Start::Ignore, 1));
            let (all_time, all) = best_alone(repeat, || ask(&mesh, Mode::All, Start::Ignore, 1));
            let (report_time, _) = best_alone(repeat, || ask(&mesh, Mode::First, Start::Report, 1));
            let leaves = (frames.triangles.len() as f64 / 8.0).log2().floor().exp2();
            let share = |report: &DeformReport| 100.0 * report.stats.patch_leaves as f64 / leaves;
            let candidates = |report: &DeformReport| report.stats.vf_candidates + report.stats.ee_candidates;
            println!(
                "{name:<18} {:>6} {build_time:>7.1} {first_time:>7.1} {all_time:>7.1} {report_time:>7.1} {:>8.1} {:>8.1} {:>10} {:>10} {:>10} {:>10}  {:016x}",
                if normal_cones { "on" } else { "off" },
                share(&first),
                share(&all),
                first.stats.leaf_pairs,
                candidates(&first),
                all.stats.leaf_pairs,
                candidates(&all),
                hash(&all)
            );
        }
    }
}

/// Measures one tree with each feature in one leaf (representative triangles) against trees of vertices, of edges and
/// of faces: swept boxes, one thread, the pairs without a common vertex whose boxes meet.
fn features(scenes: &[(String, Frames)], repeat: usize) {
    println!("\n{:<18} {:<9} {:>7} {:>7} {:>10} {:>10}", "features", "trees", "build", "pairs", "vf", "ee");
    for (name, frames) in scenes {
        let line = |trees: &str, build_time: f64, time: f64, [vf, ee]: [u64; 2]| {
            println!("{name:<18} {trees:<9} {build_time:>7.1} {time:>7.1} {vf:>10} {ee:>10}");
        };
        let settings = Settings { dop: Dop::Six, switch_height: 0, ..Settings::default() };
        let (build_time, mesh) = best_alone(repeat, || build(frames, settings));
        let (time, pairs) = best_alone(repeat, || {
            let mut pairs = [0; 2];
            mesh.candidates(|pair| pairs[matches!(pair[0], Feature::Edge(_)) as usize] += 1);
            pairs
        });
        line("one", build_time, time, pairs);
        let edges = mesh.edges();
        let (build_time, trees) =
            best_alone(repeat, || FeatureTrees::new(&frames.t0, &frames.t1, edges, &frames.triangles));
        let (time, pairs) = best_alone(repeat, || {
            let mut pairs = [0; 2];
            trees.vertex_face(|v, f| pairs[0] += !frames.triangles[f as usize].contains(&v) as u64);
            trees.edge_edge(|i, j| {
                let (a, b) = (edges[i as usize], edges[j as usize]);
                pairs[1] += !a.iter().any(|v| b.contains(v)) as u64;
            });
            pairs
        });
        line("separate", build_time, time, pairs);
    }
}

/// Measures Tables I and II of the paper, on one thread: every touch and the first, beside the method it compares with
/// (swept volumes and a cubic solver for every candidate). It also measures the saving by each part: moving volumes
/// with the cubic solver, and our method without local advancement of features.
fn advancement(scenes: &[(String, Frames)], repeat: usize) {
    println!(
        "\n{:<18} {:>8} {:>8} {:>11} {:>11} {:>13} {:>12} {:>9} {:>12} {:>11}",
        "one thread",
        "all",
        "first",
        "no adv. all",
        "no adv. 1st",
        "moving, cubic",
        "swept, cubic",
        "swept/all",
        "cubic missed",
        "cubic false"
    );
    for (name, frames) in scenes {
        let repeat = repeat.min(3);
        let mesh = build(frames, Settings::default());
        let plain = build(frames, Settings { local_advancement: false, ..Settings::default() });
        let swept = Settings { switch_height: 0, local_advancement: false, ..Settings::default() };
        let swept = build(frames, swept);
        let all = Options { mode: Mode::All, ..Options::default() };
        let cubic =
            |mesh: &Deformable| comparison::cubic(mesh, &all, Start::Ignore).expect("the options are valid");
        let (all_time, all) = best(repeat, || ask(&mesh, Mode::All, Start::Ignore, 1));
        let (first_time, _) = best(repeat, || ask(&mesh, Mode::First, Start::Ignore, 1));
        let (plain_all, _) = best(repeat, || ask(&plain, Mode::All, Start::Ignore, 1));
        let (plain_first, _) = best(repeat, || ask(&plain, Mode::First, Start::Ignore, 1));
        let (moving_cubic, _) = best(repeat, || cubic(&mesh));
        let (swept_cubic, touching) = best(repeat, || cubic(&swept));
        let exact: HashSet<[Feature; 2]> = all.touches.iter().map(|touch| touch.features).collect();
        let found: HashSet<[Feature; 2]> = touching.touches.iter().map(|touch| touch.features).collect();
        println!(
            "{name:<18} {all_time:>8.1} {first_time:>8.1} {plain_all:>11.1} {plain_first:>11.1} {moving_cubic:>13.1} {swept_cubic:>12.1} {:>9.2} {:>12} {:>11}",
            swept_cubic / all_time,
            exact.difference(&found).count(),
            found.difference(&exact).count()
        );
    }
    println!(
        "(the paper, Table I: swept volumes and cubic solver over local advancement 1.2 to 1.6; Table II: 1.2 to 4.1)"
    );
}

/// Measures 10 thousand to a million triangles of folded cloth.
fn growth(threads: usize, repeat: usize) {
    println!(
        "\n{:<18} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10} {:>8}",
        "growth", "triangles", "build", "refit", "first", "free", "all", "touches", "B/tri"
    );
    let mut points = Vec::new();
    for side in [72, 160, 224, 317, 708] {
        let frames = folded_cloth(side, 1.5);
        let calm = folded_cloth(side, 0.3);
        let repeat = repeat.min(3);
        let settings = Settings { threads, ..Settings::default() };
        let (build_time, mut mesh) = best(repeat, || build(&frames, settings));
        let (first, _) = best(repeat, || ask(&mesh, Mode::First, Start::Ignore, threads));
        let (all, report) = best(1, || ask(&mesh, Mode::All, Start::Ignore, threads));
        let bytes = mesh.bytes() as f64 / frames.triangles.len() as f64;
        let (refit, _) = best(repeat, || mesh.set_frames(&calm.t0, &calm.t1).expect("valid frames"));
        let (free, _) = best(repeat, || ask(&mesh, Mode::First, Start::Ignore, threads));
        println!(
            "{:<18} {:>9} {build_time:>9.1} {refit:>9.1} {first:>9.1} {free:>9.1} {all:>9.1} {:>10} {bytes:>8.0}",
            "folded cloth",
            frames.triangles.len(),
            report.touches.len()
        );
        points.push((frames.triangles.len() as f64, build_time, first, free));
    }
    let (small, large) = (points[0], points[points.len() - 1]);
    let exponent = |a: f64, b: f64| (b / a).ln() / (large.0 / small.0).ln();
    println!(
        "exponents: build {:.2}, first {:.2}, free {:.2}",
        exponent(small.1, large.1),
        exponent(small.2, large.2),
        exponent(small.3, large.3)
    );
}
