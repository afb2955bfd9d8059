//! Robots: the shared motion checks of real arms against their reference answers, and generated robots of many links.
//!
//! `cargo run --release -p firsttouch-lab --bin robots [sets] [machines] [panda] [ur5] [N]` runs the parts named, or
//! all of them; a number limits the problems of each robot. The sets are read from the shared data beside the checkout;
//! if it is missing, the program says so and leaves them out.
//!
//! - *sets*: every segment of every problem, in both modes. A checker is built for each problem, and its segments are
//!   checked in several passes. `mean` is the mean of the first pass, as on the command line; `median` and `worst` are
//!   those of the shortest time of each segment. Answers are compared with the sampled reference: missed touches, late
//!   touches, and touches where the distance is proven to be positive.
//! - *machines*: generated robots of many links, a mobile manipulator among furniture and a humanoid against itself, in
//!   the same columns. There is no reference for these; the hash of the answers is printed instead.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Instant;

use firsttouch::articulated::Checker;
use firsttouch::motion::Pose;
use firsttouch::{Answer, Mode, Options};
use firsttouch_io::{build_scene, read_robot, read_scene, read_urdf, read_waypoints};
use firsttouch_lab::scenes::machines::{self, MachineProblem};

type Failure = Box<dyn std::error::Error>;

/// The number of passes over the segments of a problem.
const PASSES: usize = 3;

const HEADER: &str = "robot  mode  segments touching undecided missed  late false |  mean us   best us median us  worst us | \
                      windows solids  pairs  volumes  pieces  steps";

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
    if wanted.is_empty() || named("machines") {
        println!("{HEADER}");
        for (name, problem) in [
            ("mobile", machines::mobile_manipulator as fn(usize) -> firsttouch::Result<MachineProblem>),
            ("human", machines::humanoid),
        ] {
            let MachineProblem { checker, segments } = problem(300)?;
            let start = Instant::now();
            // The meshes are known; `checker` in the benchmark of that name measures unknown ones.
            let bodies = checker.obstacles().cloned().collect();
            let again = Checker::new(checker.robot().clone(), Pose::IDENTITY, bodies)?;
            let building = 1e3 * start.elapsed().as_secs_f64();
            for mode in [Mode::Any, Mode::First] {
                let mut tally = Tally::default();
                tally.add(&again, &segments, None, mode)?;
                tally.print(name, mode);
                println!("{name}: answers {:016x}", tally.answers.finish());
            }
            println!("{name}: {building:.1} ms to build a checker again");
        }
    }
    Ok(())
}

/// The reference answer of a segment.
struct Truth {
    hit: bool,
    /// The first sample that touches.
    t_hit: f64,
    /// A proven lower bound of the distance; 0 if there is none.
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
    /// Times in microseconds: the first pass, and the shortest of all.
    first_pass: f64,
    best: Vec<f64>,
    close_pairs: u64,
    windows: [u64; 2],
    volumes: u64,
    pieces: u64,
    steps: u64,
    answers: DefaultHasher,
}

fn sets(data: &Path, robots: &[&str], most: usize) -> Result<(), Failure> {
    println!("{HEADER}");
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
                tally.add(&checker, &segments, Some(&truth), *mode)?;
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
        truth: Option<&[Truth]>,
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
                let unknown = Truth { hit: false, t_hit: f64::INFINITY, distance: 0.0 };
                let known = match truth {
                    Some(truth) => truth.get(k).ok_or("a segment without its truth")?,
                    None => &unknown,
                };
                let (toi, gap) = report.answer.touch().map_or((2.0, 0.0), |touch| (touch.toi, touch.gap));
                (toi.to_bits(), gap.to_bits()).hash(&mut self.answers);
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

/// Returns the waypoint files below a robot's folder.
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

/// Returns the records of a truth file, one in braces per segment.
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
