//! Measures the least distance of real arms on their way, beside the first touch: the shared motion checks of the
//! robots.
//!
//! `cargo run --release -p firsttouch-lab --bin clearance [panda] [ur5] [N]`: a number limits the problems of each
//! robot. The sets are read from the shared data beside the checkout; if it is missing, the program says so.
//!
//! Each segment is measured with three tolerances, in several passes; the shortest time counts. The ratio is that of
//! the medians, and the median of the ratios stands beside it. Every answer is compared with distances at sampled
//! instants. `wrong` counts segments whose lower bound exceeds a sampled distance. It also counts segments whose upper
//! bound is more than the tolerance below all samples minus the robot's largest motion between two samples.

use std::path::{Path, PathBuf};
use std::time::Instant;

use firsttouch::articulated::Checker;
use firsttouch::motion::Pose;
use firsttouch::{Clearance, Options};
use firsttouch_io::{build_scene, read_robot, read_scene, read_urdf, read_waypoints};

type Failure = Box<dyn std::error::Error>;

const PASSES: usize = 3;
const SAMPLES: usize = 24;

fn main() -> Result<(), Failure> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/robots");
    if !data.is_dir() {
        println!("no shared/data/robots beside the checkout: nothing to measure");
        return Ok(());
    }
    let most = wanted.iter().find_map(|word| word.parse().ok()).unwrap_or(usize::MAX);
    println!(
        "{:<6} {:>9} {:>8} {:>8} {:>6} {:>6} | {:>9} {:>12} {:>10} {:>6} {:>9}",
        "robot",
        "tolerance",
        "segments",
        "touching",
        "loose",
        "wrong",
        "first us",
        "clearance us",
        "worst us",
        "ratio",
        "of ratios"
    );
    for robot in ["panda", "ur5"] {
        let named = wanted.iter().any(|word| word == "panda" || word == "ur5");
        if !named || wanted.iter().any(|word| word == robot) {
            for tolerance in [1e-6, 1e-4, 1e-3] {
                measure(&data.join(robot), robot, tolerance, most)?;
            }
        }
    }
    Ok(())
}

fn measure(folder: &Path, robot: &str, tolerance: f64, most: usize) -> Result<(), Failure> {
    let urdf = folder.join(format!("{robot}.urdf"));
    let (described, _) = read_robot(&urdf, Some(&folder.join(format!("{robot}.srdf"))))?;
    let file = read_urdf(&urdf)?;
    let options = Options { tolerance, ..Options::default() };
    let (mut first, mut least, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let (mut touching, mut loose, mut wrong) = (0, 0, 0);
    for problem in problems(folder)?.into_iter().take(most) {
        let scene = problem.with_extension("toml");
        let obstacles = build_scene(&read_scene(&scene)?, &scene)?.bodies().to_vec();
        let checker = Checker::new(described.clone(), Pose::IDENTITY, obstacles)?;
        let waypoints = read_waypoints(&problem, &file)?;
        let columns: Vec<Option<usize>> =
            waypoints.joints.iter().map(|joint| described.variable(joint)).collect();
        for path in &waypoints.paths {
            let rows: Vec<Vec<f64>> = path
                .rows
                .iter()
                .map(|row| {
                    let mut values = described.zero();
                    for (column, value) in columns.iter().zip(row) {
                        if let Some(column) = column {
                            values[*column] = *value;
                        }
                    }
                    values
                })
                .collect();
            for ends in rows.windows(2) {
                let mut times = [f64::INFINITY; 2];
                let mut found = None;
                for _ in 0..PASSES {
                    let start = Instant::now();
                    checker.check_step(&ends[0], &ends[1], &options)?;
                    times[0] = times[0].min(start.elapsed().as_secs_f64() * 1e6);
                    let start = Instant::now();
                    found = checker.clearance(ends, &options)?;
                    times[1] = times[1].min(start.elapsed().as_secs_f64() * 1e6);
                }
                let Some(found) = found.map(|found| found.clearance) else { continue };
                touching += usize::from(found.lower == 0.0);
                loose += usize::from(!found.is_tight);
                wrong += usize::from(!agrees(&checker, ends, &found, &options)?);
                first.push(times[0]);
                least.push(times[1]);
                ratios.push(times[1] / times[0]);
            }
        }
    }
    let worst = least.iter().copied().fold(0.0, f64::max);
    let (segments, [first, least, ratio]) = (ratios.len(), [first, least, ratios].map(median));
    println!(
        "{robot:<6} {tolerance:>9.0e} {segments:>8} {touching:>8} {loose:>6} {wrong:>6} | {first:>9.1} {least:>12.1} {worst:>10.1} {:>6.1} {ratio:>9.1}",
        least / first
    );
    Ok(())
}

/// Returns true if both bounds agree with distances at instants.
fn agrees(
    checker: &Checker,
    ends: &[Vec<f64>],
    found: &Clearance,
    options: &Options,
) -> Result<bool, Failure> {
    let mut sampled = f64::INFINITY;
    for k in 0..=SAMPLES {
        let t = k as f64 / SAMPLES as f64;
        let at: Vec<f64> = ends[0].iter().zip(&ends[1]).map(|(p, q)| p + (q - p) * t).collect();
        if let Some(here) = checker.distance(&at, options)? {
            sampled = sampled.min(here.upper);
        }
    }
    // No point of these arms is farther than 2 from an axis.
    let angle: f64 = ends[0].iter().zip(&ends[1]).map(|(p, q)| (q - p).abs()).sum();
    let between = 2.0 * 2.0 * angle / SAMPLES as f64;
    Ok(found.lower <= sampled + 1e-12 && found.upper >= sampled - between - 1e-12)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns the waypoint files of all scenarios.
fn problems(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for scenario in std::fs::read_dir(folder)? {
        let scenario = scenario?.path();
        if !scenario.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(scenario)? {
            let file = file?.path();
            if file.extension().is_some_and(|extension| extension == "csv") {
                found.push(file);
            }
        }
    }
    found.sort();
    Ok(found)
}
