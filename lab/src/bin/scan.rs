//! A robot among a scanned workshop: a cloud of points, an octree and a height field beside the solid boxes that they
//! were taken from.
//!
//! `cargo run --release -p firsttouch-lab --bin scan -- ROBOT.urdf [ROBOT.srdf] [POINTS]` builds a checker for each and
//! checks the same random segments with it, all of them proven free. Every row has the time to build the shape, the
//! median time of a segment, and its ratio to that of the boxes. The number of free segments must be the same in all
//! rows.
//!
//! Bars: a million points build in 1 s, and cost at most 3 times the boxes.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use firsttouch::articulated::{Checker, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{HalfSpace, HeightField, Octree, OctreeCell, PointCloud, Shape};
use firsttouch::{Answer, Body, Options};
use firsttouch_lab::scenes::scan;
use glam::{DVec2, DVec3};

type Failure = Box<dyn std::error::Error>;

const SEGMENTS: usize = 300;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [urdf, rest @ ..] = &arguments[..] else { return Err("give a URDF file".into()) };
    let srdf = rest.iter().find(|word| word.ends_with(".srdf"));
    let count = rest.iter().find_map(|word| word.parse().ok()).unwrap_or(1_000_000);
    let (robot, _) = firsttouch_io::read_robot(Path::new(urdf), srdf.map(Path::new))?;
    let segments = segments(&robot);

    let start = Instant::now();
    let workshop = scan::workshop(count)?;
    let built = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let answer = workshop.check(&Options::default())?.answer;
    let time = 1e6 * start.elapsed().as_secs_f64();
    println!("the scene of the demo: built in {built:.3} s, checked in {time:.0} us: {answer:?}\n");

    println!("{:<28} {:>10} {:>12} {:>8} {:>6}", "", "build s", "median us", "ratio", "free");
    let solid = row("20 boxes", 0.0, &robot, scan::solid_workshop(16)?, &segments, None)?;
    let points = scan::points(&scan::boxes(16), count, 1);
    let start = Instant::now();
    let cloud = PointCloud::new(points.clone(), scan::RADIUS)?;
    let built = start.elapsed().as_secs_f64();
    row(&format!("{} points", cloud.len()), built, &robot, vec![still(cloud)], &segments, Some(solid))?;

    let resolution = 0.01;
    let keys: BTreeSet<[i32; 3]> =
        points.iter().map(|p| p.to_array().map(|x| (x / resolution).floor() as i32)).collect();
    let cells: Vec<OctreeCell> = keys.into_iter().map(|key| OctreeCell { key, level: 0 }).collect();
    let start = Instant::now();
    let octree = Octree::new(resolution, cells)?;
    let built = start.elapsed().as_secs_f64();
    row(
        &format!("{} cells", octree.cells().len()),
        built,
        &robot,
        vec![still(octree)],
        &segments,
        Some(solid),
    )?;

    // A terrain under the robot instead of the boxes.
    let side = (count as f64).sqrt() as usize;
    let height = |k: usize| {
        let at = DVec2::new((k % side) as f64, (k / side) as f64) * (12.0 / side as f64);
        -0.6 + 0.05 * (at.x.sin() + at.y.cos())
    };
    let heights = (0..side * side).map(height).collect();
    let start = Instant::now();
    let field = HeightField::new(side, side, DVec2::splat(6.0), heights)?;
    let built = start.elapsed().as_secs_f64();
    row(&format!("{side} x {side} heights"), built, &robot, vec![still(field)], &segments, Some(solid))?;
    let floor = still(HalfSpace::new(DVec3::Z, -0.55)?);
    row("a half-space", 0.0, &robot, vec![floor], &segments, Some(solid))?;
    Ok(())
}

fn still(shape: impl Into<Shape>) -> Body {
    Body::new("scan", shape, Motion::AT_REST)
}

/// Segments of random joint values within their limits, of a tenth of the range.
fn segments(robot: &Robot) -> Vec<[Vec<f64>; 2]> {
    let mut state = 7_u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut all = Vec::new();
    for _ in 0..SEGMENTS {
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for variable in robot.variables() {
            let [low, high] = variable.limits.unwrap_or([-1.0, 1.0]);
            let at = low + (high - low) * draw();
            from.push(at);
            to.push((at + 0.1 * (high - low) * (draw() - 0.5)).clamp(low, high));
        }
        all.push([from, to]);
    }
    all
}

fn row(
    name: &str,
    built: f64,
    robot: &Robot,
    obstacles: Vec<Body>,
    segments: &[[Vec<f64>; 2]],
    boxes: Option<f64>,
) -> Result<f64, Failure> {
    let checker = Checker::new(robot.clone(), Pose::IDENTITY, obstacles)?;
    let (mut times, mut free) = (Vec::new(), 0);
    for round in 0..3 {
        for [from, to] in segments {
            let start = Instant::now();
            let report = checker.check_step(from, to, &Options::default())?;
            let time = 1e6 * start.elapsed().as_secs_f64();
            if report.answer == Answer::Free && round > 0 {
                times.push(time);
                free += 1;
            }
        }
    }
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or(f64::NAN);
    let ratio = median / boxes.unwrap_or(median);
    println!("{name:<28} {built:>10.3} {median:>12.1} {ratio:>8.2} {:>6}", free / 2);
    Ok(median)
}
