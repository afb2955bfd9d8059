//! Attacks on batches: many motions of one robot, each answer compared bit for bit with that of the motion alone.
//!
//! [`run`] makes `rounds` worlds from a seed and panics with the story at the first broken promise. A world has 1, 400
//! or 4,000 motions. Each is checked alone, by a checker without a history, in the order in which they were made. Then
//! checkers that are used more and more answer:
//! - *batches*: in order and shuffled, on 1 and 8 threads, cut into batches of any size;
//! - *paths*: each motion as a path and as a trajectory of one segment, all paths in one call;
//! - *edits*: the world changes, answers, and changes back; a copy of it changes and is dropped;
//! - *questions*: distances, contacts, derivatives and safe scales, before and after everything else;
//! - *scenes*: the robot and all bodies, added in another order, with a body that comes and goes, on 1 and 8 threads;
//! - *simulations*: copies of one that has not moved yet, in any order.
//!
//! Reports are compared whole where the doors count alike: windows and pairs of nodes must not depend on the history
//! either.

use firsttouch::adaptive::{Moved, Simulated};
use firsttouch::articulated::{
    Checker, Joint, JointKind, LinkPart, Robot, RobotStep, StepReport, Trajectory,
};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid, Mesh, Shape, Sphere};
use firsttouch::{Answer, Body, Mode, Options, Scene};
use glam::DVec3;

use super::random::Random;

/// The number of answers of each kind, and the number of questions at each door.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) motions: usize,
    pub(crate) free: usize,
    pub(crate) touch: usize,
    pub(crate) at_start: usize,
    pub(crate) undecided: usize,
    pub(crate) batches: usize,
    pub(crate) edits: usize,
    pub(crate) questions: usize,
    pub(crate) scenes: usize,
    pub(crate) steps: usize,
}

/// Attacks `rounds` times.
pub(crate) fn run(seed: u64, rounds: usize) -> Counts {
    let mut counts = Counts::default();
    for round in 0..rounds {
        let mut random = Random(seed.wrapping_mul(0x9e6c_63d0_676a_9a99).wrapping_add(round as u64));
        let count = [1, 400, 1, 400, 4_000][round % 5];
        let attack = Attack::new(&mut random, count, format!("seed {seed}, round {round}"));
        attack.batches(&mut random, &mut counts);
        attack.paths(&mut random, &mut counts);
        attack.scenes(&mut random, &mut counts);
        attack.simulations(&mut random, &mut counts);
    }
    counts
}

fn pick<T: Copy>(random: &mut Random, values: &[T]) -> T {
    values[random.index(values.len())]
}

fn shuffled(random: &mut Random, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        order.swap(i, random.index(i + 1));
    }
    order
}

/// A shape, the same for the same number. It is built again each time, so that nothing is kept in it.
fn shape(number: u64, size: f64) -> Shape {
    let mut random = Random(number);
    match random.below(5) {
        0 => Sphere::new(0.5 * size).expect("a radius").into(),
        1 => Cuboid::new(DVec3::new(0.5, 0.8, 1.1) * size).expect("sides").into(),
        2 => Capsule::new(0.3 * size, 0.7 * size).expect("a size").into(),
        _ => {
            let count = 4 + random.below(60) as u32;
            let corners = (0..3 * count).map(|_| random.vector(0.6 * size)).collect();
            Mesh::new(corners, (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect())
                .expect("a mesh")
                .into()
        }
    }
}

/// The description of a robot with turning and sliding joints, some of them with a part that is fixed to the base.
fn robot(random: &mut Random) -> (Vec<(String, u64, Pose)>, Vec<Joint>) {
    let count = pick(random, &[2, 4, 6, 9]);
    let (mut parts, mut joints) = (vec![("link0".to_string(), random.next(), random.pose(0.2))], Vec::new());
    for i in 1..=count {
        parts.push((format!("link{i}"), random.next(), random.pose(0.2)));
        let axis = random.rotation() * DVec3::X;
        let kind = match random.below(6) {
            0..=3 => JointKind::Revolute { axis },
            4 => JointKind::Prismatic { axis },
            _ => JointKind::Fixed,
        };
        joints.push(Joint {
            name: format!("joint{i}"),
            parent: format!("link{}", i - 1 - random.index(2).min(i - 1)),
            child: format!("link{i}"),
            origin: random.pose(0.7),
            kind,
            limits: None,
            mimic: None,
        });
    }
    (parts, joints)
}

/// A world, motions in it, and the answer of each alone.
struct Attack {
    parts: Vec<(String, u64, Pose)>,
    joints: Vec<Joint>,
    allowed: Vec<[String; 2]>,
    base: Pose,
    /// Name, number of the shape, pose, and the pose at the end if it moves.
    obstacles: Vec<(String, u64, Pose, Option<Pose>)>,
    motions: Vec<[Vec<f64>; 2]>,
    options: Options,
    alone: Vec<StepReport>,
    name: String,
}

impl Attack {
    fn new(random: &mut Random, count: usize, name: String) -> Attack {
        let (parts, joints) = robot(random);
        let obstacles = (0..1 + random.index(6)).map(|k| {
            let to = (random.below(4) == 0).then(|| random.pose(2.5));
            (format!("body{k}"), random.next(), random.pose(2.5), to)
        });
        let obstacles = obstacles.collect();
        let options = Options {
            min_separation: pick(random, &[0.0, 0.0, 0.02]),
            tolerance: pick(random, &[1e-3, 1e-6, 1e-9]),
            mode: pick(random, &[Mode::First, Mode::First, Mode::Any, Mode::All]),
            max_iterations: pick(random, &[3, 10_000, 10_000, 10_000]),
            ..Options::default()
        };
        let base = random.pose(0.5);
        let (allowed, motions, alone) = (Vec::new(), Vec::new(), Vec::new());
        let mut attack = Attack { parts, joints, allowed, base, obstacles, motions, options, alone, name };
        // Pairs that touch in the middle of all motions are not checked: else every motion begins with a touch.
        let robot = attack.robot();
        let middle: Vec<f64> = robot.variables().iter().map(|_| random.range(-1.0, 1.0)).collect();
        let checker = Checker::new(robot.clone(), base, vec![]).expect("no obstacles");
        let found = checker.contacts(&middle, &middle, 0.0, &Options::default()).expect("valid values");
        for contact in found {
            let link = |k: usize| contact.parts[k].link().expect("a part of the robot");
            attack.allowed.push([0, 1].map(|k| robot.links()[link(k)].name().to_string()));
        }
        let pace = pick(random, &[0.05, 0.3, 1.0]);
        let mut near =
            |of: &[f64], by: f64| of.iter().map(|q| q + random.range(-by, by)).collect::<Vec<f64>>();
        for _ in 0..count {
            let from = near(&middle, 0.4);
            let to = near(&from, pace);
            attack.motions.push([from, to]);
        }
        let fresh = attack.checker();
        let ask =
            |[from, to]: &[Vec<f64>; 2]| fresh.check_step(from, to, &attack.options).expect("valid values");
        attack.alone = attack.motions.iter().map(ask).collect();
        attack
    }

    fn robot(&self) -> Robot {
        let part = |&(_, number, pose): &(String, u64, Pose)| LinkPart { shape: shape(number, 0.5), pose };
        let links = self.parts.iter().map(|of_link| (of_link.0.clone(), vec![part(of_link)])).collect();
        let mut robot = Robot::new("robot", links, self.joints.clone()).expect("a robot");
        self.allowed.iter().for_each(|[a, b]| robot.allow(a, b).expect("two links"));
        robot
    }

    fn body(&self, k: usize) -> Body {
        let (name, number, from, to) = &self.obstacles[k];
        let motion = to.map_or_else(|| Motion::fixed(*from), |to| Motion::linear(*from, to));
        Body::new(name, shape(*number, 0.6), motion)
    }

    /// Without a history.
    fn checker(&self) -> Checker {
        let bodies = (0..self.obstacles.len()).map(|k| self.body(k)).collect();
        Checker::new(self.robot(), self.base, bodies).expect("obstacles")
    }

    fn ends(&self, k: usize) -> [&[f64]; 2] {
        let [from, to] = &self.motions[k];
        [from, to]
    }

    /// Asks a checker about motions in this order, in batches, and compares with the answers alone.
    fn compare(&self, random: &mut Random, checker: &Checker, order: &[usize], what: &str) -> usize {
        let mut batches = 0;
        let mut left = order;
        while !left.is_empty() {
            let size = pick(random, &[1, 7, 400, 4_000, 4_000]).min(left.len());
            let (batch, later) = left.split_at(size);
            left = later;
            let edges: Vec<[&[f64]; 2]> = batch.iter().map(|&k| self.ends(k)).collect();
            for threads in if size < 100 { vec![8] } else { vec![1, 8] } {
                let options = Options { threads, ..self.options };
                let found = checker.check_motions(&edges, &options).expect("valid values");
                for (&k, report) in batch.iter().zip(&found) {
                    assert_eq!(
                        *report, self.alone[k],
                        "{}, {what}, motion {k}, {threads} threads",
                        self.name
                    );
                }
                batches += 1;
            }
        }
        batches
    }

    fn batches(&self, random: &mut Random, counts: &mut Counts) {
        counts.motions += self.motions.len();
        for StepReport { answer, .. } in &self.alone {
            match answer {
                Answer::Free => counts.free += 1,
                Answer::Touch(_) => counts.touch += 1,
                Answer::TouchingAtStart(_) => counts.at_start += 1,
                Answer::Undecided { .. } => counts.undecided += 1,
            }
        }
        let mut checker = self.checker();
        let before = self.questions(random, &checker, counts);
        let order: Vec<usize> = (0..self.motions.len()).collect();
        counts.batches += self.compare(random, &self.checker(), &order, "in order");
        let mixed = shuffled(random, order.len());
        counts.batches += self.compare(random, &self.checker(), &mixed, "shuffled");
        for _ in 0..3 {
            self.edit_and_back(random, &mut checker);
            counts.edits += 1;
            let order = shuffled(random, order.len());
            counts.batches +=
                self.compare(random, &checker, &order[..order.len().min(400)], "edited and back");
        }
        assert_eq!(self.questions(&mut Random(0), &checker, counts), before, "{}: questions", self.name);
    }

    /// Changes the world, asks something, and takes the change back.
    fn edit_and_back(&self, random: &mut Random, checker: &mut Checker) {
        let ask = |checker: &Checker, random: &mut Random| {
            for _ in 0..3 {
                let [from, to] = self.ends(random.index(self.motions.len()));
                checker.check_step(from, to, &self.options).expect("valid values");
            }
        };
        // A copy that changes changes nothing here.
        let mut copy = checker.clone();
        copy.allow("link0", "body0").expect("both are there");
        copy.keep_apart("link1", "body0", 0.1).expect("both are there");
        copy.set_obstacles(vec![]).expect("none");
        ask(&copy, random);
        let (name, _, at, to) = &self.obstacles[random.index(self.obstacles.len())];
        match (random.below(5), to) {
            (0, None) => {
                checker.move_obstacle(name, random.pose(2.0)).expect("it is at rest");
                ask(checker, random);
                checker.move_obstacle(name, *at).expect("it is at rest");
            }
            (0 | 1, _) => {
                let body = Body::new("guest", shape(random.next(), 0.6), Motion::fixed(random.pose(2.0)));
                checker.add_obstacle(body).expect("a new name");
                ask(checker, random);
                checker.remove_obstacle("guest").expect("it is there");
            }
            (2, _) => {
                checker
                    .hold("load", shape(random.next(), 0.4), "link2", random.pose(0.5), &[])
                    .expect("a link");
                ask(checker, random);
                checker.release("load").expect("it is held");
            }
            (3, _) => {
                checker.set_padding(0.05).expect("a padding");
                ask(checker, random);
                checker.set_padding(0.0).expect("a padding");
            }
            _ => {
                checker.set_base(random.pose(1.0));
                ask(checker, random);
                checker.set_base(self.base);
            }
        }
    }

    /// The answers to all other questions about some motions, always the same ones, as text: in any order.
    fn questions(&self, random: &mut Random, checker: &Checker, counts: &mut Counts) -> Vec<String> {
        let options = Options { mode: Mode::First, ..self.options };
        let count = self.motions.len().min(5);
        let mut found = vec![String::new(); count];
        for k in shuffled(random, count) {
            let [from, to] = self.ends(k);
            let change = vec![0.1; from.len()];
            let least = checker.clearance(&self.motions[k], &options).expect("valid values");
            let at = checker.distance_at(from, to, 0.5, &options).expect("valid values");
            let contacts = checker.contacts(from, to, 0.25, &options).expect("valid values");
            let gradient = checker.toi_gradient(from, to, &options).expect("valid values");
            let safe = checker.max_safe_scale(from, to, &change, &options).expect("valid values");
            found[k] = format!("{least:?} {at:?} {contacts:?} {gradient:?} {safe:?}");
            counts.questions += 5;
        }
        found
    }

    /// Every motion as a path of one segment.
    fn paths(&self, random: &mut Random, counts: &mut Counts) {
        let order = shuffled(random, self.motions.len().min(400));
        let checker = self.checker();
        let paths: Vec<Vec<Vec<f64>>> = order.iter().map(|&k| self.motions[k].to_vec()).collect();
        let ways: Vec<Trajectory> = paths
            .iter()
            .map(|path| Trajectory::linear(checker.robot(), &[0.0, 1.0], path).expect("two waypoints"))
            .collect();
        for threads in [1, 8] {
            let options = Options { threads, ..self.options };
            let of_paths = checker.check_paths(&paths, &options, |_| ()).expect("valid values");
            let of_ways = checker.check_trajectories(&ways, &options, |_| ()).expect("valid values");
            counts.batches += 2;
            for ((&k, by_path), by_way) in order.iter().zip(of_paths).zip(of_ways) {
                let expected = &self.alone[k];
                for report in [by_path, by_way] {
                    let what = format!("{}, path of motion {k}, {threads} threads", self.name);
                    assert_eq!(report.answer, expected.answer, "{what}");
                    let pairs: Vec<_> = report.by_pair.into_iter().map(|pair| pair.report).collect();
                    assert_eq!(pairs, expected.by_pair, "{what}");
                }
            }
        }
    }

    /// Some motions as scenes: a new one for each, and one that has had other motions and bodies before.
    fn scenes(&self, random: &mut Random, counts: &mut Counts) {
        let robot = |k: usize| {
            let [from, to] = self.motions[k].clone();
            Body::robot("robot", RobotStep::new(self.robot(), self.base, from, to).expect("a motion"))
        };
        let mut used = Scene::default();
        for k in shuffled(random, self.obstacles.len()) {
            used.add(self.body(k)).expect("a new name");
        }
        for k in shuffled(random, self.motions.len().min(8)) {
            let mut alone = Scene::default();
            alone.add(robot(k)).expect("a new name");
            for k in 0..self.obstacles.len() {
                alone.add(self.body(k)).expect("a new name");
            }
            used.add(robot(k)).expect("a new name");
            let guest = Body::new("guest", shape(random.next(), 0.6), Motion::fixed(random.pose(2.0)));
            used.add(guest).expect("a new name");
            used.check(&self.options).expect("valid options");
            used.remove("guest").expect("it is there");
            for threads in [1, 8] {
                let options = Options { threads, ..self.options };
                let found = [&alone, &used].map(|scene| by_names(scene, &options));
                assert_eq!(found[0], found[1], "{}, scene of motion {k}, {threads} threads", self.name);
                counts.scenes += 1;
            }
            used.remove("robot").expect("it is there");
        }
    }

    /// Some motions as first steps of a simulation that stands where they begin.
    fn simulations(&self, random: &mut Random, counts: &mut Counts) {
        let count = self.motions.len().min(8);
        let bodies = || (0..self.obstacles.len()).map(|k| self.body(k)).collect::<Vec<_>>();
        let zero = self.robot().zero();
        let first = Simulated::new(self.robot(), self.base, bodies(), zero.clone()).expect("valid values");
        let step = |simulated: &Simulated, k: usize| {
            let [from, to] = self.ends(k);
            let moved: Vec<Moved> =
                (0..from.len()).map(|i| Moved { variable: i, from: from[i], to: to[i] }).collect();
            simulated.clone().step(&moved, &self.options).expect("valid values").answer
        };
        let alone: Vec<Answer> = (0..count)
            .map(|k| {
                let fresh = Simulated::new(self.robot(), self.base, bodies(), zero.clone());
                step(&fresh.expect("valid values"), k)
            })
            .collect();
        for k in shuffled(random, count) {
            assert_eq!(step(&first, k), alone[k], "{}, step of motion {k}", self.name);
            counts.steps += 1;
        }
    }
}

/// The answers of a scene, with names instead of indices.
fn by_names(scene: &Scene, options: &Options) -> Vec<String> {
    let name = |body: usize| scene.bodies()[body].name();
    let text = |answer: &Answer| match answer {
        Answer::Free => "free".to_string(),
        Answer::Undecided { free_until, bodies } => format!("{free_until:?} {:?}", bodies.map(name)),
        Answer::Touch(touch) | Answer::TouchingAtStart(touch) => {
            // The sides of a touch come in the order of their indices.
            let mut touch = touch.clone();
            if name(touch.bodies[1]) < name(touch.bodies[0]) {
                touch = touch.swapped();
            }
            let bodies = touch.bodies.map(name);
            touch.bodies = [0, 0];
            format!("{bodies:?} {touch:?}")
        }
    };
    let report = scene.check(options).expect("valid options");
    let mut found = vec![text(&report.answer)];
    found.extend(report.pairs.iter().map(|pair| text(&pair.answer)));
    found[1..].sort();
    found
}
