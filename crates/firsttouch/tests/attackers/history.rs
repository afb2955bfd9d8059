//! Attacks on state that outlives a query: random queries of long-lived objects, each answer compared with that of new
//! ones.
//!
//! [`run`] makes `rounds` long lives from a seed and panics with the story at the first broken promise. Between two
//! queries the options change (separation, tolerance, `t_max`, mode), and so does the world: bodies come, go, move, are
//! held, released, allowed and padded. The objects:
//! - *simulated*: a `Simulated` against a `Checker` with the same edits. At the start the kinds are the same, unless
//!   the gap is the largest touching gap up to rounding. Later, a touch is within the tolerance, and every free answer
//!   is true. In some lives pairs have their own separations and the robot is padded: there, every free answer is true;
//! - *checker*, *scene*, *screw pair*: against ones that are built again from the description. All bits;
//! - *roadmap*: a found path keeps its separation in the current world. Another space is an error;
//! - *deforming*: a mesh that gets frame after frame, against a new one. All bits if the decision is exact.

use std::panic::{AssertUnwindSafe, catch_unwind};

use firsttouch::adaptive::{Moved, Simulated};
use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::deformable::{Deformable, Start as DeformStart};
use firsttouch::motion::{ContactScrew, Motion, Pose};
use firsttouch::planning::{Outcome, PlanControl, PlanOptions, ProvenEdges, Roadmap, Space};
use firsttouch::shape::{Capsule, Cuboid, Cylinder, Ellipsoid, Mesh, Shape, Sphere};
use firsttouch::{Answer, Body, Mode, Options, Scene, ScrewPair, ScrewPairOptions};
use glam::{DVec3, dvec3};

use super::random::Random;

/// Counts of the answers by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) free: usize,
    pub(crate) touch: usize,
    pub(crate) at_start: usize,
    pub(crate) undecided: usize,
    /// Answers of a simulation that differ from those of the checker in some bit.
    pub(crate) other_bits: usize,
    /// The number of them with another kind, or with a time that differs by more than a thousandth: judged by
    /// distances.
    pub(crate) judged: usize,
    /// The number of these in which one answer has a touch after the start and the other does not: passes within the
    /// tolerance.
    pub(crate) passes: usize,
    /// Edits of worlds.
    pub(crate) edits: usize,
    /// Edits of simulations, and answers of simulations in which pairs have their own rules.
    pub(crate) in_steps: usize,
    pub(crate) ruled: usize,
    /// Paths found by a roadmap that had known another world or other options.
    pub(crate) found: usize,
    /// Plans that were refused for another space.
    pub(crate) refused: usize,
    /// Frames of deforming meshes.
    pub(crate) frames: usize,
}

impl Counts {
    fn add(&mut self, answer: &Answer) {
        match answer {
            Answer::Free => self.free += 1,
            Answer::Touch(_) => self.touch += 1,
            Answer::TouchingAtStart(_) => self.at_start += 1,
            Answer::Undecided { .. } => self.undecided += 1,
        }
    }
}

/// Attacks `rounds` times.
pub(crate) fn run(seed: u64, rounds: usize) -> Counts {
    let mut counts = Counts::default();
    for round in 0..rounds {
        let mut random = Random(seed.wrapping_mul(0x9e6c_63d0_676a_9a99).wrapping_add(round as u64));
        let name = format!("seed {seed}, round {round}");
        match round % 8 {
            0..=2 => simulated(&mut random, &mut counts, &name),
            3 => checker(&mut random, &mut counts, &name),
            4 => scene(&mut random, &mut counts, &name),
            5 => roadmap(&mut random, &mut counts, &name),
            6 => deforming(&mut random, &mut counts, &name),
            _ => screw_pair(&mut random, &mut counts, &name),
        }
    }
    counts
}

fn pick<T: Copy>(random: &mut Random, values: &[T]) -> T {
    values[random.index(values.len())]
}

/// Returns options that differ from query to query. Tolerances are often as large as the gaps.
fn options(random: &mut Random) -> Options {
    Options {
        min_separation: pick(random, &[0.0, 0.0, 0.02, 0.05, 0.0995, 0.1]),
        tolerance: pick(random, &[1e-9, 1e-6, 1e-6, 1e-3, 0.05]),
        t_max: pick(random, &[1.0, 1.0, 1.0, 0.5]),
        mode: pick(random, &[Mode::First, Mode::First, Mode::First, Mode::Any]),
        ..Options::default()
    }
}

/// Returns a shape, the same for the same number. It is built again each time, so no state is kept in it.
fn shape(number: u64, size: f64) -> Shape {
    let mut random = Random(number);
    match random.below(6) {
        0 => Sphere::new(0.5 * size).expect("a radius").into(),
        1 => Cuboid::new(dvec3(0.5, 0.8, 1.1) * size).expect("sides").into(),
        2 => Capsule::new(0.3 * size, 0.7 * size).expect("a size").into(),
        3 => Cylinder::new(0.3 * size, size).expect("a size").into(),
        4 => Ellipsoid::new(dvec3(0.7, 0.4, 0.3) * size).expect("axes").into(),
        _ => mesh(&mut random, size).into(),
    }
}

/// Some triangles near each other.
fn mesh(random: &mut Random, size: f64) -> Mesh {
    let count = 1 + random.below(12) as u32;
    let corners = (0..3 * count).map(|_| random.vector(0.6 * size)).collect();
    Mesh::new(corners, (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect()).expect("a mesh")
}

/// Returns a robot with joints of a few kinds, and the sizes of its variables.
fn robot(random: &mut Random) -> (Robot, Vec<f64>) {
    let count = pick(random, &[2, 3, 5, 6, 18]);
    let size = if count > 10 { 0.35 } else { 0.6 };
    let part = |random: &mut Random| LinkPart { shape: shape(random.next(), size), pose: random.pose(0.2) };
    let mut links = vec![("link0".to_string(), vec![part(random)])];
    let mut joints = Vec::new();
    for i in 1..=count {
        let has_part = random.below(5) > 0;
        links.push((format!("link{i}"), if has_part { vec![part(random)] } else { vec![] }));
        let kind = match random.below(8) {
            0..=3 => JointKind::Revolute { axis: random.rotation() * DVec3::X },
            4..=6 => JointKind::Prismatic { axis: random.rotation() * DVec3::X },
            _ => JointKind::Fixed,
        };
        joints.push(Joint {
            name: format!("joint{i}"),
            parent: format!("link{}", i - 1 - random.index(3).min(i - 1)),
            child: format!("link{i}"),
            origin: random.pose(0.8),
            kind,
            limits: None,
            mimic: None,
        });
    }
    let mut robot = Robot::new("robot", links, joints).expect("a robot");
    // Neighbours overlap most of the time.
    for i in 1..=count {
        let parent = robot.links()[robot.link(&format!("link{i}")).expect("it is there")].parent();
        let parent = robot.links()[parent.expect("it has one")].name().to_string();
        if random.below(8) > 0 {
            robot.allow(&parent, &format!("link{i}")).expect("both are there");
        }
    }
    let start = robot.variables().iter().map(|_| random.range(-1.5, 1.5)).collect();
    (robot, start)
}

fn obstacles(random: &mut Random, size: f64) -> Vec<Body> {
    let count = 1 + random.index(4);
    (0..count)
        .map(|k| {
            let pose = random.pose(2.0);
            Body::new(format!("obstacle{k}"), shape(random.next(), size), Motion::fixed(pose))
        })
        .collect()
}

/// Runs a simulation, step by step.
fn simulated(random: &mut Random, counts: &mut Counts, name: &str) {
    let (robot, start) = robot(random);
    let obstacles = obstacles(random, 0.6);
    let base = random.pose(1.0);
    let has_rules = random.below(3) == 0;
    let mut checker = Checker::new(robot.clone(), base, obstacles.clone()).expect("obstacles at rest");
    let mut simulated = Simulated::new(robot.clone(), base, obstacles.clone(), start).expect("valid values");
    let mut asked = options(random);
    // One joint moves after the other: a touching joint rests while another one moves, and only a proof reports the
    // touch.
    let is_one_by_one = random.below(2) == 0;
    let mut is_edited = false;
    for step in 0..40 {
        let what = format!("{name}, step {step}");
        let chosen = random.index(simulated.configuration().len().max(1));
        if random.below(3) == 0 {
            asked = options(random);
        }
        if random.below(6) == 0 {
            let edit = Edit::draw(random, &checker, has_rules, step);
            edit.apply(&mut checker).unwrap_or_else(|error| panic!("{what}, {edit:?}: {error}"));
            simulated.edit(|world| edit.apply(world)).expect("what the checker takes");
            assert!(simulated.obstacles().eq(checker.obstacles()), "{what}, {edit:?}");
            counts.edits += 1;
            counts.in_steps += 1;
            is_edited = true;
        }
        let state = simulated.configuration().to_vec();
        let (mut from, mut to) = (state.clone(), state.clone());
        let (some, pace) = (random.range(0.0, 1.0), pick(random, &[0.0, 1e-12, 1e-3, 0.05, 1.0]));
        let mut moved = Vec::new();
        for i in 0..from.len() {
            let jumps = random.below(40) == 0;
            if jumps {
                from[i] += random.range(-0.3, 0.3);
            }
            let moves = if is_one_by_one { i == chosen } else { random.range(0.0, 1.0) < some };
            to[i] = if moves { from[i] + random.range(-pace, pace) } else { from[i] };
            if jumps || to[i] != from[i] || random.below(10) == 0 {
                moved.push(Moved { variable: i, from: from[i], to: to[i] });
            }
        }
        if random.below(20) == 0 {
            // The call examines the pairs, and leaves the state unchanged.
            let close = simulated.close_pairs(&moved, &options(random));
            assert!(close.is_ok() || is_edited, "{what}: {close:?}");
        }
        let report = simulated.step(&moved, &asked).expect("valid values");
        counts.ruled += usize::from(has_rules && is_edited);
        counts.add(&report.answer);
        let expected = checker.check_step(&from, &to, &asked).expect("valid values").answer;
        if report.answer != expected && has_rules {
            let exact = Options { tolerance: 1e-10, mode: Mode::First, ..asked };
            let latest = checker.check_step(&from, &to, &exact).expect("valid values").answer;
            let (ours, latest) = (report.answer.free_until(asked.t_max), latest.free_until(asked.t_max));
            assert!(ours <= latest + 1e-6, "{what}, {asked:?}: free until {ours}, at most {latest}");
        } else if report.answer != expected {
            counts.other_bits += 1;
            judge([&report.answer, &expected], &checker, [&from, &to], &asked, counts, &what);
        }
        // The state moves on, up to the touch, a part of the way, or not at all.
        match random.below(6) {
            0 => {}
            1 => simulated.accept(random.range(0.0, 1.0)).expect("a time"),
            2 => simulated.accept(1.0).expect("a time"),
            3 => simulated.accept(report.answer.free_until(asked.t_max)).expect("a time"),
            4 if is_one_by_one => simulated.accept(report.answer.free_until(asked.t_max)).expect("a time"),
            _ if report.answer == Answer::Free => simulated.accept(asked.t_max).expect("a time"),
            _ => simulated.accept(0.9 * report.answer.free_until(asked.t_max)).expect("a time"),
        }
    }
}

/// An edit of the world of a simulation.
#[derive(Debug)]
enum Edit {
    Add(Body),
    Remove(String),
    Move(String, Pose),
    Allow(String, String),
    Hold(u64, String, Pose),
    Release,
    Base(Pose),
    Apart(String, String, f64),
    Pad(f64),
}

impl Edit {
    fn draw(random: &mut Random, world: &Checker, has_rules: bool, step: usize) -> Edit {
        let link = world.robot().links()[random.index(world.robot().links().len())].name().to_string();
        let some = random.index(world.obstacles().len().max(1));
        let name = world.obstacles().nth(some).map(|body| body.name().to_string());
        let at_rest = world
            .obstacles()
            .nth(some)
            .is_some_and(|body| matches!(body.as_rigid(), Some((_, Motion::Fixed(_)))));
        match (random.below(if has_rules { 12 } else { 9 }), name) {
            (2, Some(name)) => Edit::Remove(name),
            (3, Some(name)) if at_rest => Edit::Move(name, random.pose(2.0)),
            (4, Some(name)) => Edit::Allow(link, name),
            (5 | 6, _) if world.robot().link("load").is_none() => {
                Edit::Hold(random.next(), link, random.pose(0.5))
            }
            (5..=7, _) if world.robot().link("load").is_some() => Edit::Release,
            (8, _) => Edit::Base(random.pose(1.0)),
            (9, Some(name)) => Edit::Apart(link, name, random.range(0.0, 0.1)),
            (10, _) => Edit::Apart("link0".into(), "link1".into(), random.range(0.0, 0.1)),
            (11, _) => Edit::Pad(pick(random, &[0.0, 0.03])),
            _ => {
                let from = random.pose(2.0);
                let motion = match random.below(2) {
                    0 => Motion::fixed(from),
                    _ => Motion::linear(from, random.pose(2.0)),
                };
                Edit::Add(Body::new(format!("thing {step}"), shape(random.next(), 0.6), motion))
            }
        }
    }

    fn apply(&self, world: &mut Checker) -> firsttouch::Result<()> {
        match self {
            Edit::Add(body) => world.add_obstacle(body.clone()).map(drop),
            Edit::Remove(name) => world.remove_obstacle(name),
            Edit::Move(name, pose) => world.move_obstacle(name, *pose),
            Edit::Allow(link, name) => world.allow(link, name),
            Edit::Hold(number, link, pose) => world.hold("load", shape(*number, 0.4), link, *pose, &[]),
            Edit::Release => world.release("load"),
            Edit::Base(base) => {
                world.set_base(*base);
                Ok(())
            }
            Edit::Apart(link, name, separation) => world.keep_apart(link, name, *separation),
            Edit::Pad(padding) => world.set_padding(*padding),
        }
    }
}

/// Returns true if both of two answers to one query may be right.
fn judge(
    answers: [&Answer; 2],
    checker: &Checker,
    [from, to]: [&[f64]; 2],
    options: &Options,
    counts: &mut Counts,
    what: &str,
) {
    let story = || format!("{what}, {options:?}: {:?}, fresh {:?}", answers[0], answers[1]);
    let kinds = answers.map(std::mem::discriminant);
    let times = answers.map(|answer| answer.free_until(options.t_max));
    let close = Options { tolerance: 1e-12, ..Options::default() };
    let touching = options.touching();
    if answers.iter().any(|answer| matches!(answer, Answer::Undecided { .. })) {
        // Rounding decides: the tolerance is below the provable accuracy.
        assert!(options.tolerance <= 1e-9, "{}", story());
        return;
    }
    let starts = answers.map(|answer| matches!(answer, Answer::TouchingAtStart(_)));
    if starts[0] != starts[1] {
        let gap = checker.distance(from, &close).expect("valid values").expect("there are pairs");
        let is_tie = gap.lower - 1e-11 <= touching && touching <= gap.upper + 1e-11;
        assert!(is_tie, "gap {} to {} at the start: {}", gap.lower, gap.upper, story());
        return;
    }
    if starts[0] || kinds[0] == kinds[1] && (times[0] - times[1]).abs() < 1e-3 && options.mode != Mode::Any {
        return;
    }
    counts.judged += 1;
    counts.passes += usize::from(kinds[0] != kinds[1]);
    let until = |min_separation: f64| {
        let options = Options { min_separation, tolerance: 1e-10, mode: Mode::First, ..*options };
        checker.check_step(from, to, &options).expect("valid values").answer.free_until(options.t_max)
    };
    let latest = until(options.min_separation);
    assert!(times[0] <= latest + 1e-6, "free until {latest} at most: {}", story());
    match answers[0] {
        Answer::Touch(touch) => {
            let gap = checker.distance_at(from, to, touch.toi, &close).expect("valid values");
            let gap = gap.expect("there are pairs");
            assert!(gap.lower <= touching + 1e-10, "{} apart: {}", gap.lower, story());
            if options.mode != Mode::Any {
                let earliest = until(touching + 1e-10);
                assert!(times[0] >= earliest - 1e-6, "free until {earliest} at least: {}", story());
            }
        }
        _ => assert_eq!(latest, options.t_max, "{}", story()),
    }
}

/// A robot's surroundings, as a user would describe them.
#[derive(Clone)]
struct World {
    robot: Robot,
    base: Pose,
    /// Name, number of the shape, pose.
    obstacles: Vec<(String, u64, Pose)>,
    /// Name, number of the shape, link, pose.
    held: Vec<(String, u64, String, Pose)>,
    allowed: Vec<(String, String)>,
    padding: f64,
    link_padding: f64,
}

impl World {
    fn body(&self, k: usize) -> Body {
        let (name, number, pose) = &self.obstacles[k];
        Body::new(name, shape(*number, 0.6), Motion::fixed(*pose))
    }

    fn build(&self) -> Checker {
        let bodies = (0..self.obstacles.len()).map(|k| self.body(k)).collect();
        let mut checker = Checker::new(self.robot.clone(), self.base, bodies).expect("obstacles at rest");
        for (name, number, link, pose) in &self.held {
            checker.hold(name, shape(*number, 0.4), link, *pose, &[]).expect("a link");
        }
        for (a, b) in &self.allowed {
            checker.allow(a, b).expect("both are there");
        }
        checker.set_padding(self.padding).expect("a padding");
        checker.set_link_padding("link1", self.link_padding).expect("a padding");
        checker
    }
}

/// Compares a checker whose world changes with one that is built again.
fn checker(random: &mut Random, counts: &mut Counts, name: &str) {
    let (robot, start) = robot(random);
    let mut world = World {
        robot,
        base: random.pose(1.0),
        obstacles: Vec::new(),
        held: Vec::new(),
        allowed: Vec::new(),
        padding: 0.0,
        link_padding: 0.0,
    };
    let mut checker = world.build();
    let mut state = start;
    for k in 0..40 {
        let (before, clone) = (checker.version(), checker.clone());
        let number = random.next();
        let links = checker.robot().links().len();
        let link = checker.robot().links()[random.index(links)].name().to_string();
        let some = random.index(world.obstacles.len().max(1));
        let label = world.obstacles.get(some).map(|(name, ..)| name.clone());
        let mut is_edit = true;
        match (random.below(12), label) {
            (0..=2, _) => {
                // The order of the names is not that of the additions.
                world.obstacles.push((
                    format!("thing {:03}", number % 1000 + 1000 * k),
                    number,
                    random.pose(2.0),
                ));
                checker.add_obstacle(world.body(world.obstacles.len() - 1)).expect("a new name");
            }
            (3 | 4, Some(label)) => {
                world.obstacles[some].2 = random.pose(2.0);
                checker.move_obstacle(&label, world.obstacles[some].2).expect("it is at rest");
            }
            (5, Some(label)) => {
                world.obstacles.remove(some);
                world.allowed.retain(|(a, b)| *a != label && *b != label);
                checker.remove_obstacle(&label).expect("it is there");
            }
            (6, Some(label)) if !world.held.iter().any(|(name, ..)| *name == link) => {
                checker.allow(&link, &label).expect("both are there");
                world.allowed.push((link, label));
            }
            (7, _) if world.held.is_empty() => {
                world.held.push(("load".into(), number, "link2".into(), random.pose(0.5)));
                let (name, number, link, pose) = &world.held[0];
                checker.hold(name, shape(*number, 0.4), link, *pose, &[]).expect("a link");
            }
            (8, _) if !world.held.is_empty() => {
                world.held.clear();
                checker.release("load").expect("it is held");
            }
            (9, _) => {
                world.base = random.pose(1.0);
                checker.set_base(world.base);
            }
            (10, _) => {
                (world.padding, world.link_padding) =
                    (pick(random, &[0.0, 0.03]), pick(random, &[0.0, 0.07]));
                checker.set_padding(world.padding).expect("a padding");
                checker.set_link_padding("link1", world.link_padding).expect("a padding");
            }
            _ => is_edit = false,
        }
        counts.edits += usize::from(is_edit);
        assert_eq!(checker.version() != before, is_edit, "{name}, step {k}");
        assert_eq!(clone.version(), before, "{name}, step {k}");
        let to: Vec<f64> = state.iter().map(|x| x + random.range(-0.4, 0.4)).collect();
        let options = options(random);
        let fresh = world.build();
        let [ours, theirs] = [&checker, &fresh].map(|checker| {
            let answer = checker.check_step(&state, &to, &options).expect("valid values").answer;
            let at_end = checker.check_state(&to, &options).expect("valid values").answer;
            let path = [state.clone(), to.clone(), state.clone()];
            let report = checker.check_path(&path, &options, |_| ()).expect("valid values");
            let least = (k % 4 == 0).then(|| checker.clearance(&path[..2], &options).expect("valid values"));
            (answer, at_end, report.answer, report.segment, least)
        });
        assert_eq!(ours, theirs, "{name}, step {k}, {options:?}");
        counts.add(&ours.0);
        state = to;
    }
}

/// Compares a scene whose bodies change with one that is built again.
fn scene(random: &mut Random, counts: &mut Counts, name: &str) {
    // Name, number of the shape, motion.
    let mut bodies: Vec<(String, u64, [Pose; 2])> = Vec::new();
    let mut allowed: Vec<[String; 2]> = Vec::new();
    let mut apart: Vec<([String; 2], f64)> = Vec::new();
    let motion =
        |[from, to]: [Pose; 2]| if from == to { Motion::fixed(from) } else { Motion::linear(from, to) };
    let mut scene = Scene::default();
    for step in 0..60 {
        let what = format!("{name}, step {step}");
        let number = random.next();
        let from = random.pose(1.5);
        let poses = [from, if random.below(3) == 0 { from } else { random.pose(1.5) }];
        let some = random.index(bodies.len().max(1));
        let other = random.index(bodies.len().max(1));
        counts.edits += 1;
        match random.below(9) {
            0 | 1 if bodies.len() < 8 => {
                let label = format!("body {}", number % 10_000 + 10_000 * step);
                scene.add(Body::new(&label, shape(number, 0.6), motion(poses))).expect("a new name");
                bodies.push((label, number, poses));
            }
            2..=4 if !bodies.is_empty() => {
                bodies[some].2 = poses;
                scene.set_motion(&bodies[some].0, motion(poses)).expect("it is rigid");
            }
            5 if !bodies.is_empty() => {
                bodies[some].1 = number;
                scene.replace_shape(&bodies[some].0, shape(number, 0.6)).expect("it is rigid");
            }
            6 if bodies.len() > 3 => {
                let (label, ..) = bodies.remove(some);
                scene.remove(&label).expect("it is there");
                allowed.retain(|pair| !pair.contains(&label));
                apart.retain(|(pair, _)| !pair.contains(&label));
            }
            7 if some != other => {
                let pair = [bodies[some].0.clone(), bodies[other].0.clone()];
                scene.allow(&pair[0], &pair[1]).expect("both are there");
                allowed.push(pair);
            }
            8 if some != other => {
                let pair = [bodies[some].0.clone(), bodies[other].0.clone()];
                let gap = pick(random, &[0.0, 0.03, 0.2]);
                scene.keep_apart(&pair[0], &pair[1], gap).expect("both are there");
                apart.push((pair, gap));
            }
            _ => counts.edits -= 1,
        }
        let mut fresh = Scene::default();
        for (label, number, poses) in &bodies {
            fresh.add(Body::new(label, shape(*number, 0.6), motion(*poses))).expect("a new name");
        }
        for [a, b] in &allowed {
            fresh.allow(a, b).expect("both are there");
        }
        for ([a, b], gap) in &apart {
            fresh.keep_apart(a, b, *gap).expect("both are there");
        }
        let mode = pick(random, &[Mode::First, Mode::Any, Mode::All]);
        let options = Options { mode, ..options(random) };
        let [ours, theirs] = [&scene, &fresh].map(|scene| scene.check(&options).expect("valid options"));
        assert_eq!(ours.answer, theirs.answer, "{what}, {options:?}");
        assert_eq!(ours.pairs, theirs.pairs, "{what}, {options:?}");
        counts.add(&ours.answer);
    }
}

/// Returns a ball that slides in a plane, or in space.
fn slider(dimensions: usize) -> Robot {
    let ball = LinkPart { shape: Sphere::new(0.5).expect("a radius").into(), pose: Pose::IDENTITY };
    let mut links: Vec<(String, Vec<LinkPart>)> =
        (0..=dimensions).map(|k| (format!("link{k}"), vec![])).collect();
    links[dimensions].1.push(ball);
    let joints = (0..dimensions).map(|k| Joint {
        name: format!("slide{k}"),
        parent: format!("link{k}"),
        child: format!("link{}", k + 1),
        origin: Pose::IDENTITY,
        kind: JointKind::Prismatic { axis: DVec3::AXES[k] },
        limits: Some([-5.0, 5.0]),
        mimic: None,
    });
    Robot::new("slider", links, joints.collect()).expect("a robot")
}

/// Runs a roadmap through other worlds, options and spaces.
fn roadmap(random: &mut Random, counts: &mut Counts, name: &str) {
    let post = |random: &mut Random, label: &str| {
        let place = random.vector(3.0) * dvec3(1.0, 1.0, 0.0);
        let radius = random.range(0.2, 0.8);
        let pose = Pose::from_translation(place).expect("a place");
        Body::new(label, Sphere::new(radius).expect("a radius"), Motion::fixed(pose))
    };
    let mut checker = Checker::new(slider(2), Pose::IDENTITY, vec![post(random, "post")]).expect("a world");
    let wide = Checker::new(slider(3), Pose::IDENTITY, vec![post(random, "post")]).expect("a world");
    let (low, high) = ([-4.5, -4.5], [4.5, 4.5]);
    let space = Space::new(checker.robot(), [&low, &high], &[]).expect("a space");
    let mut map = Roadmap::default();
    let mut options = options(random);
    let control = PlanControl::default();
    for step in 0..12 {
        let what = format!("{name}, step {step}");
        let is_other = step > 0 && random.below(3) > 0;
        if is_other {
            counts.edits += 1;
            match random.below(4) {
                0 => {
                    let _ = checker.remove_obstacle(&format!("post{}", random.index(step)));
                }
                1 => options = self::options(random),
                2 => checker.set_padding(pick(random, &[0.0, 0.1, 0.3])).expect("a padding"),
                _ => {
                    checker.add_obstacle(post(random, &format!("post{step}"))).expect("a new name");
                }
            }
        }
        if step > 0 && random.below(6) == 0 {
            let ends = [&[-4.5, -4.5, 0.0][..], &[4.5, 4.5, 0.0]];
            let space = Space::new(wide.robot(), ends, &[]).expect("a space");
            let mut edges = ProvenEdges::new(&wide, options, None).expect("obstacles at rest");
            let plan = catch_unwind(AssertUnwindSafe(|| {
                map.plan(&space, ends, &PlanOptions::default(), &control, &mut edges).is_err()
            }));
            assert!(matches!(plan, Ok(true)), "{what}: another space is taken");
            counts.refused += 1;
        }
        let ends = if random.below(3) == 0 {
            [0, 1].map(|_| vec![random.range(-4.5, 4.5), random.range(-4.5, 4.5)])
        } else {
            [low.to_vec(), high.to_vec()]
        };
        let shortcuts = pick(random, &[0, 0, 30]);
        let plan_options =
            PlanOptions { shortcuts, max_samples: 600, seed: random.next(), ..PlanOptions::default() };
        let mut edges = ProvenEdges::new(&checker, options, None).expect("obstacles at rest");
        let ends = [&ends[0][..], &ends[1][..]];
        let outcome = map.plan(&space, ends, &plan_options, &control, &mut edges).expect("its own space");
        match outcome {
            Outcome::Found(plan) => {
                counts.found += usize::from(is_other);
                assert_eq!(
                    [&plan.waypoints[0][..], &plan.waypoints[plan.waypoints.len() - 1]],
                    ends,
                    "{what}"
                );
                // The path keeps the separation: only a tolerance may make it touch, and this one is tiny.
                let options = Options { tolerance: 1e-12, mode: Mode::First, t_max: 1.0, ..options };
                let report = checker.check_path(&plan.waypoints, &options, |_| ()).expect("valid values");
                let is_free = matches!(report.answer, Answer::Free | Answer::Undecided { .. });
                assert!(is_free, "{what}, {options:?}: {:?} on {:?}", report.answer, plan.waypoints);
                counts.add(&report.answer);
            }
            Outcome::EndNotFree { end, answer } => {
                let options = Options { mode: Mode::Any, t_max: 1.0, ..options };
                let state = checker.check_state(ends[end], &options).expect("valid values").answer;
                assert_eq!(state, answer, "{what}");
            }
            _ => {}
        }
    }
}

/// Runs a deforming mesh, frame after frame.
fn deforming(random: &mut Random, counts: &mut Counts, name: &str) {
    let count = 2 + random.index(24);
    let corners: Vec<DVec3> = (0..3 * count).map(|_| random.vector(1.0)).collect();
    let triangles: Vec<[u32; 3]> = (0..count as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let next = |random: &mut Random, now: &[DVec3]| {
        let by = pick(random, &[0.0, 1e-3, 0.05, 0.5]);
        let far = if random.below(10) == 0 { 20.0 } else { 1.0 };
        now.iter().map(|p| *p * far + random.vector(by)).collect::<Vec<DVec3>>()
    };
    let mut t0 = corners.clone();
    let mut t1 = next(random, &t0);
    let new = |t0: &[DVec3], t1: &[DVec3]| {
        Deformable::new(t0.to_vec(), t1.to_vec(), triangles.clone(), vec![], vec![]).expect("a mesh")
    };
    let mut mesh = new(&t0, &t1);
    for step in 0..20 {
        if step > 0 {
            if random.below(4) == 0 {
                t0 = next(random, &corners);
                t1 = next(random, &t0);
                mesh.set_frames(&t0, &t1).expect("as many vertices");
            } else {
                (t0, t1) = (t1.clone(), next(random, &t1));
                mesh.step_to(&t1).expect("as many vertices");
            }
        }
        counts.frames += 1;
        let fresh = new(&t0, &t1);
        for _ in 0..1 + random.below(2) {
            let start = pick(random, &[DeformStart::Report, DeformStart::Ignore]);
            let options = Options { mode: pick(random, &[Mode::First, Mode::All]), ..options(random) };
            let [ours, theirs] =
                [&mesh, &fresh].map(|mesh| mesh.check(&options, start).expect("valid options"));
            assert_eq!(ours.answer, theirs.answer, "{name}, frame {step}, {options:?}, {start:?}");
            assert_eq!(ours.touches, theirs.touches, "{name}, frame {step}, {options:?}, {start:?}");
            counts.add(&ours.answer);
        }
    }
}

/// Two meshes by CONTACT.
fn screw_pair(random: &mut Random, counts: &mut Counts, name: &str) {
    let numbers = [random.next(), random.next()];
    let new = || {
        let [a, b] = numbers.map(|number| mesh(&mut Random(number), 0.7));
        ScrewPair::new(a, b, ScrewPairOptions::default()).expect("meshes")
    };
    let pair = new();
    for step in 0..12 {
        let motion = ContactScrew::new(random.pose(1.5), random.pose(1.5));
        let at_rest = random.pose(0.5);
        let options = options(random);
        let [ours, theirs] =
            [&pair, &new()].map(|pair| pair.check(&motion, at_rest, &options).expect("valid options"));
        assert_eq!(ours, theirs, "{name}, step {step}, {options:?}");
        counts.add(&ours);
    }
}
