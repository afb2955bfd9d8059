//! Robots: the shared motion checks of real arms against their reference answers, and how the cost grows with the links.
//!
//! `cargo run --release -p firsttouch-lab --bin robots [sets] [chains] [panda] [ur5] [N]` runs the parts named, or all of
//! them; a number limits the problems of each robot. The sets are read from the shared data beside the checkout; if it is missing, the program says so and leaves them out.
//!
//! - *sets*: every segment of every problem, in both modes. A checker is built for each problem, and its segments are
//!   checked in several passes. `mean` is the mean of the first pass, as on the command line; `median` and `worst` are
//!   of the shortest time of each segment. Answers are compared with the sampled reference: missed touches, late touches, and
//!   touches where the distance is proven to be positive.
//! - *chains*: an arm of 10 to 80 links, spread out among obstacles that are not near. The exponent is that of the cost
//!   from one size to the next.

use std::path::{Path, PathBuf};
use std::time::Instant;

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Sphere};
use firsttouch::{Answer, Body, Mode, Options};
use firsttouch_io::{build_scene, read_robot, read_scene, read_urdf, read_waypoints};
use glam::{DQuat, DVec3};

type Failure = Box<dyn std::error::Error>;

/// The number of passes over the segments of a problem.
const PASSES: usize = 3;

fn main() -> Result<(), Failure> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let named = |name: &str| wanted.iter().any(|w| w == name);
    let robots: Vec<&str> = ["panda", "ur5"].into_iter().filter(|robot| named(robot)).collect();
    if wanted.is_empty() || named("sets") || !robots.is_empty() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
        if data.join("robots").is_dir() {
            let most = wanted.iter().find_map(|w| w.parse().ok()).unwrap_or(usize::MAX);
            sets(&data, if robots.is_empty() { &["panda", "ur5"] } else { &robots }, most)?;
        } else {
            println!("no shared/data/robots beside the checkout: the sets are left out");
        }
    }
    if wanted.is_empty() || named("chains") {
        chains()?;
    }
    Ok(())
}

/// The reference answer of a segment.
struct Truth {
    hit: bool,
    /// The first sample that touches.
    t_hit: f64,
    /// A proven lower bound of the distance; 0 where there is none.
    distance: f64,
}

/// The results of one robot's segments in one mode.
#[derive(Default)]
struct Tally {
    segments: usize,
    touching: usize,
    undecided: usize,
    missed: usize,
    late: usize,
    false_touches: usize,
    /// In microseconds: the first pass, and the shortest of all.
    first_pass: f64,
    best: Vec<f64>,
    close_pairs: u64,
    windows: [u64; 2],
    volumes: u64,
    pieces: u64,
    steps: u64,
}

fn sets(data: &Path, robots: &[&str], most: usize) -> Result<(), Failure> {
    println!(
        "{:<6} {:<5} {:>8} {:>8} {:>9} {:>6} {:>4} {:>5} | {:>8} {:>9} {:>9} {:>9} | {:>7} {:>6} {:>6} {:>8} {:>7} {:>6}",
        "robot",
        "mode",
        "segments",
        "touching",
        "undecided",
        "missed",
        "late",
        "false",
        "mean us",
        "best us",
        "median us",
        "worst us",
        "windows",
        "solids",
        "pairs",
        "volumes",
        "pieces",
        "steps"
    );
    for robot in robots {
        let folder = data.join("robots").join(robot);
        let urdf = folder.join(format!("{robot}.urdf"));
        let (described, _) = read_robot(&urdf, Some(&folder.join(format!("{robot}.srdf"))))?;
        let file = read_urdf(&urdf)?;
        let mut tallies = [(Mode::Any, Tally::default()), (Mode::First, Tally::default())];
        let mut building = 0.0;
        let mut problems = problems(&folder)?;
        problems.truncate(most);
        for problem in &problems {
            let scene = problem.with_extension("toml");
            let obstacles = build_scene(&read_scene(&scene)?, &scene)?.bodies().to_vec();
            let start = Instant::now();
            let checker = Checker::new(described.clone(), Pose::IDENTITY, obstacles)?;
            building += start.elapsed().as_secs_f64();
            let waypoints = read_waypoints(problem, &file)?;
            let columns: Vec<Option<usize>> =
                waypoints.joints.iter().map(|joint| described.variable(joint)).collect();
            let configuration = |row: &[f64]| {
                let mut values = described.zero();
                for (column, value) in columns.iter().zip(row) {
                    if let Some(column) = column {
                        values[*column] = *value;
                    }
                }
                values
            };
            let mut segments = Vec::new();
            for path in &waypoints.paths {
                let rows: Vec<Vec<f64>> = path.rows.iter().map(|row| configuration(row)).collect();
                segments.extend(rows.windows(2).map(|ends| [ends[0].clone(), ends[1].clone()]));
            }
            let name = problem.strip_prefix(data)?.with_extension("json");
            let truth = truth(&std::fs::read_to_string(data.join("truth").join(name))?);
            for (mode, tally) in &mut tallies {
                tally.add(&checker, &segments, &truth, *mode)?;
            }
        }
        for (mode, tally) in &mut tallies {
            tally.print(robot, *mode);
        }
        println!("{robot}: {:.1} ms to build a checker", 1e3 * building / problems.len() as f64);
    }
    Ok(())
}

impl Tally {
    fn add(
        &mut self,
        checker: &Checker,
        segments: &[[Vec<f64>; 2]],
        truth: &[Truth],
        mode: Mode,
    ) -> Result<(), Failure> {
        let options = Options { mode, ..Options::default() };
        let mut best = vec![f64::INFINITY; segments.len()];
        for pass in 0..PASSES {
            for (k, [from, to]) in segments.iter().enumerate() {
                let start = Instant::now();
                let report = checker.check_step(from, to, &options)?;
                let time = 1e6 * start.elapsed().as_secs_f64();
                best[k] = best[k].min(time);
                if pass > 0 {
                    continue;
                }
                self.first_pass += time;
                self.segments += 1;
                self.close_pairs += report.close_pairs;
                self.windows[0] += report.windows[0];
                self.windows[1] += report.windows[1];
                self.volumes += report.work.volume_pairs;
                self.pieces += report.work.piece_pairs;
                self.steps += report.work.iterations;
                let Some(known) = truth.get(k) else { return Err("a segment without its truth".into()) };
                match report.answer {
                    Answer::Free => self.missed += usize::from(known.hit),
                    Answer::Undecided { .. } => self.undecided += 1,
                    Answer::Touch(touch) | Answer::TouchingAtStart(touch) => {
                        self.touching += 1;
                        self.late += usize::from(mode == Mode::First && known.hit && touch.toi > known.t_hit);
                        self.false_touches += usize::from(!known.hit && known.distance > options.tolerance);
                    }
                }
            }
        }
        self.best.append(&mut best);
        Ok(())
    }

    fn print(&mut self, robot: &str, mode: Mode) {
        self.best.sort_by(f64::total_cmp);
        let n = self.segments.max(1) as f64;
        println!(
            "{robot:<6} {:<5} {:>8} {:>8} {:>9} {:>6} {:>4} {:>5} | {:>8.1} {:>9.1} {:>9.1} {:>9.1} | {:>7.1} {:>6.1} {:>6.1} {:>8.1} {:>7.1} {:>6.1}",
            if mode == Mode::Any { "any" } else { "first" },
            self.segments,
            self.touching,
            self.undecided,
            self.missed,
            self.late,
            self.false_touches,
            self.first_pass / n,
            self.best.iter().sum::<f64>() / n,
            self.best.get(self.best.len() / 2).unwrap_or(&0.0),
            self.best.last().unwrap_or(&0.0),
            self.windows[0] as f64 / n,
            self.windows[1] as f64 / n,
            self.close_pairs as f64 / n,
            self.volumes as f64 / n,
            self.pieces as f64 / n,
            self.steps as f64 / n,
        );
    }
}

/// The waypoint files below a robot's folder.
fn problems(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for scenario in std::fs::read_dir(folder)? {
        let scenario = scenario?.path();
        if scenario.is_dir() {
            for file in std::fs::read_dir(scenario)? {
                let file = file?.path();
                if file.extension().is_some_and(|extension| extension == "csv") {
                    found.push(file);
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The records of a truth file, one in braces per segment.
fn truth(text: &str) -> Vec<Truth> {
    let record = |record: &str| {
        let field = |name: &str| {
            let (_, rest) = record.split_once(&format!("\"{name}\": "))?;
            Some(rest.split([',', '}']).next()?.trim())
        };
        let number = |name: &str, otherwise: f64| {
            field(name).and_then(|value| value.parse().ok()).unwrap_or(otherwise)
        };
        Truth {
            hit: field("hit") == Some("true"),
            t_hit: number("t_hit", f64::INFINITY),
            distance: number("min_distance_lower", 0.0),
        }
    };
    text.split('{').skip(1).map(record).collect()
}

fn chains() -> Result<(), Failure> {
    println!("{:>5} {:>9} {:>7} {:>9} {:>9} {:>9}", "links", "pairs", "close", "volumes", "us", "exponent");
    let mut before: Option<(usize, f64)> = None;
    for links in [10, 20, 40, 80] {
        let checker = Checker::new(chain(links)?, Pose::IDENTITY, scattered(links)?)?;
        // The joints bend a little in alternating directions, so that the arm stays spread out.
        let bend = |size: f64| -> Vec<f64> {
            (0..links - 1).map(|i| if i % 2 == 0 { size } else { -size }).collect()
        };
        let (from, to) = (bend(0.1), bend(0.15));
        let options = Options { mode: Mode::Any, ..Options::default() };
        let mut best = f64::INFINITY;
        let mut report = checker.check_step(&from, &to, &options)?;
        for _ in 0..200 {
            let start = Instant::now();
            report = checker.check_step(&from, &to, &options)?;
            best = best.min(1e6 * start.elapsed().as_secs_f64());
        }
        if report.answer != Answer::Free {
            return Err(format!("a chain of {links} links should be free: {:?}", report.answer).into());
        }
        let exponent = before.map(|(n, time)| (best / time).ln() / (links as f64 / n as f64).ln());
        println!(
            "{links:>5} {:>9} {:>7} {:>9} {best:>9.1} {:>9}",
            report.pairs,
            report.close_pairs,
            report.work.volume_pairs,
            exponent.map(|e| format!("{e:.2}")).unwrap_or_default(),
        );
        before = Some((links, best));
    }
    Ok(())
}

/// An arm of capsules in a row, each turning about an axis across it.
fn chain(links: usize) -> Result<Robot, Failure> {
    let along_x = DQuat::from_rotation_y(0.5 * std::f64::consts::PI);
    let part = || -> Result<LinkPart, Failure> {
        let pose = Pose::new(DVec3::X * 0.15, along_x)?;
        Ok(LinkPart { shape: Capsule::new(0.03, 0.2)?.into(), pose })
    };
    let mut described = Vec::new();
    let mut joints = Vec::new();
    for i in 0..links {
        described.push((format!("link{i}"), vec![part()?]));
        if i > 0 {
            joints.push(Joint {
                name: format!("joint{i}"),
                parent: format!("link{}", i - 1),
                child: format!("link{i}"),
                origin: Pose::from_translation(DVec3::X * 0.3)?,
                kind: JointKind::Revolute { axis: DVec3::Z },
                limits: None,
                mimic: None,
            });
        }
    }
    Ok(Robot::new("chain", described, joints)?)
}

/// As many balls as there are links, beside the arm and well away from it.
fn scattered(links: usize) -> Result<Vec<Body>, Failure> {
    (0..links)
        .map(|i| {
            let place = Pose::from_translation(DVec3::new(0.3 * i as f64, 0.0, 1.0))?;
            Ok(Body::new(format!("ball{i}"), Sphere::new(0.1)?, Motion::fixed(place)))
        })
        .collect()
}
