//! The long-lived checker: the cost of building, cloning and changing it, and of a query after a change.
//!
//! `cargo run --release -p firsttouch-lab --bin checker` takes an arm of 14 moving links, each a mesh of a few hundred
//! triangles, among 50 obstacles: boxes, and meshes of a thousand triangles. Every row is the median of many runs. The
//! hash covers the answers after the change. It must be the same on every machine.
//!
//! Bars: moving one of 50 obstacles 50 µs at most, a clone 10 µs at most.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use firsttouch::adaptive::forest;
use firsttouch::articulated::{Checker, Robot};
use firsttouch::motion::Pose;
use firsttouch::shape::Cuboid;
use firsttouch::{Answer, Body, Mode, Options};
use firsttouch_lab::benches::arm::{LINKS, OBSTACLES, configuration, obstacle, place, robot};
use glam::DVec3;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let robot = robot()?;
    let bodies: Vec<Body> = (0..OBSTACLES).map(obstacle).collect::<firsttouch::Result<_>>()?;
    println!("{:<44} {:>12} {:>17}", "", "median us", "hash of answers");

    let start = Instant::now();
    let checker = Checker::new(robot.clone(), Pose::IDENTITY, bodies.clone())?;
    row("build, meshes seen for the first time", vec![micros(start)], &checker)?;
    let again = timed(20, || Ok(Checker::new(robot.clone(), Pose::IDENTITY, bodies.clone())?))?;
    row("build again, meshes known", again.0, &again.1)?;
    let clone = timed(1_000, || Ok(checker.clone()))?;
    row("clone (bar: 10)", clone.0, &clone.1)?;

    let mut changed = checker.clone();
    let times = times(1_000, |k| Ok(changed.move_obstacle("obstacle0", place(k)?)?))?;
    row("move a box (bar: 50)", times, &changed)?;
    let times = self::times(1_000, |k| Ok(changed.move_obstacle("obstacle1", place(k)?)?))?;
    row("move a mesh (bar: 50)", times, &changed)?;
    let mut changed = checker.clone();
    let times = self::times(200, |_| {
        changed.remove_obstacle("obstacle7")?;
        Ok(changed.add_obstacle(obstacle(7)?).map(|_| ())?)
    })?;
    row("remove a mesh and add a new one", times, &changed)?;
    let mut changed = checker.clone();
    let cube = || Cuboid::new(DVec3::splat(0.05));
    let times = self::times(200, |_| {
        changed.hold("part", cube()?, "link14", Pose::IDENTITY, &["link13"])?;
        Ok(changed.release("part")?)
    })?;
    row("hold and release a box", times, &changed)?;
    changed.hold("part", cube()?, "link14", Pose::from_translation(DVec3::X * 0.3)?, &["link13"])?;
    row("... while it is held", vec![], &changed)?;
    let mut changed = checker.clone();
    let times = self::times(200, |k| {
        changed.set_base(Pose::from_translation(DVec3::Z * (k % 7) as f64 * 1e-3)?);
        Ok(())
    })?;
    row("set the base", times, &changed)?;
    let mut changed = checker.clone();
    row(
        "allow a link and an obstacle",
        self::times(200, |_| Ok(changed.allow("link14", "obstacle0")?))?,
        &changed,
    )?;
    row("allow two links", self::times(200, |_| Ok(changed.allow("link3", "link14")?))?, &changed)?;
    let times = self::times(20, |_| Ok(changed.set_obstacles(bodies.clone())?))?;
    row("set all 50 obstacles", times, &changed)?;

    let edges: Vec<[Vec<f64>; 2]> = (0..200).map(|k| [configuration(k), configuration(k + 1)]).collect();
    for (name, mode) in [("any", Mode::Any), ("first", Mode::First)] {
        let options = Options { mode, ..Options::default() };
        let steps = self::times(200, |k| {
            checker.check_step(&edges[k][0], &edges[k][1], &options).map(|_| ()).map_err(Failure::from)
        })?;
        row(&format!("query: an edge, {name}"), steps, &checker)?;
    }
    let states =
        self::times(200, |k| Ok(checker.check_state(&edges[k][0], &Options::default()).map(|_| ())?))?;
    row("query: a state", states, &checker)?;
    two_arms(&robot, bodies)
}

/// Measures the same for two arms beside each other, which are one robot for a checker.
fn two_arms(arm: &Robot, bodies: Vec<Body>) -> Result<(), Failure> {
    let named = |name: &str| -> Result<Robot, Failure> {
        let links = arm.links().iter().map(|link| (link.name().into(), link.parts().to_vec())).collect();
        let joints = (0..arm.links().len()).filter_map(|link| arm.joint_of(link)).collect();
        Ok(Robot::new(name, links, joints)?)
    };
    let beside = Pose::from_translation(DVec3::Y * 1.5)?;
    let both = forest("both", &[(named("left")?, Pose::IDENTITY), (named("right")?, beside)])?;
    let checker = Checker::new(both, Pose::IDENTITY, bodies)?;
    let clone = timed(1_000, || Ok(checker.clone()))?;
    row("two arms: clone (bar: 10)", clone.0, &clone.1)?;
    let mut changed = checker.clone();
    let times = times(1_000, |k| Ok(changed.move_obstacle("obstacle1", place(k)?)?))?;
    row("two arms: move a mesh (bar: 50)", times, &changed)?;
    let times = self::times(200, |_| Ok(changed.allow("left/link14", "right/link14")?))?;
    row("two arms: allow two links", times, &changed)?;
    let times = self::times(200, |_| {
        changed.hold("part", Cuboid::new(DVec3::splat(0.05))?, "left/link14", Pose::IDENTITY, &[])?;
        Ok(changed.release("part")?)
    })?;
    row("two arms: hold and release a box", times, &changed)?;
    let steps = self::times(200, |k| {
        let ends = [k, k + 1].map(|k| [configuration(k), configuration(k + 300)].concat());
        Ok(checker.check_step(&ends[0], &ends[1], &Options::default()).map(|_| ())?)
    })?;
    row("two arms: an edge, first", steps, &checker)
}

fn micros(start: Instant) -> f64 {
    1e6 * start.elapsed().as_secs_f64()
}

fn timed<T>(runs: usize, mut work: impl FnMut() -> Result<T, Failure>) -> Result<(Vec<f64>, T), Failure> {
    let mut last = work()?;
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs {
        let start = Instant::now();
        let made = work()?;
        times.push(micros(start));
        last = made;
    }
    Ok((times, last))
}

fn times(runs: usize, mut work: impl FnMut(usize) -> Result<(), Failure>) -> Result<Vec<f64>, Failure> {
    let one = |k: usize| {
        let start = Instant::now();
        work(k)?;
        Ok(micros(start))
    };
    (0..runs).map(one).collect()
}

fn row(what: &str, mut times: Vec<f64>, checker: &Checker) -> Result<(), Failure> {
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).map(|t| format!("{t:.1}")).unwrap_or_default();
    println!("{what:<44} {median:>12} {:>17}", format!("{:016x}", hash(checker)?));
    Ok(())
}

/// Returns the hash of the answers along forty edges.
fn hash(checker: &Checker) -> Result<u64, Failure> {
    let mut hasher = DefaultHasher::new();
    for k in 0..40 {
        let arms = checker.robot().variables().len() / (LINKS - 1);
        let at = |k: usize| -> Vec<f64> { (0..arms).flat_map(|arm| configuration(k + 300 * arm)).collect() };
        let (from, to) = (at(k), at(k + 1));
        let report = checker.check_step(&from, &to, &Options::default())?;
        match report.answer {
            Answer::Free => 0_u64.hash(&mut hasher),
            Answer::Undecided { free_until, bodies } => (free_until.to_bits(), bodies).hash(&mut hasher),
            Answer::Touch(touch) | Answer::TouchingAtStart(touch) => {
                (touch.toi.to_bits(), touch.gap.to_bits(), touch.bodies, touch.parts).hash(&mut hasher);
            }
        }
    }
    Ok(hasher.finish())
}
