//! Attacks on the three interfaces for robots: a `Checker`, a robot in a `Scene`, and `Simulated`.
//!
//! [`run`] makes `rounds` robots from a seed and panics with the story at the first broken promise. Each round is one
//! of:
//! - *slides*: balls on prismatic joints, some of which mimic others, past a ball at rest that they hit, miss or graze;
//!   offsets to 1e8, tolerances to 1e-18, budgets from one step. Places are rational in time, so the exact distance is
//!   compared at exact times;
//! - *arms*: trees of turning, sliding and mimicking joints with links from 1e-6 to 3 times the size of the robot,
//!   bodies held by them and obstacles around them. Free answers are sampled with textbook formulas.
//!
//! In both, the interfaces judge each other: if one of them says "within `gap` at `toi`", no other may call that
//! separation kept for longer than `toi`. If an interface calls a span free in which another has a touch, in any mode,
//! [`Way::judge_claims`] decides. Orders of obstacles and of held bodies change no bit.

use dashu_ratio::RBig;
use firsttouch::adaptive::{Moved, Simulated};
use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Mimic, Robot, RobotStep};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Mesh, Shape, Sphere};
use firsttouch::{Answer, Body, Mode, Options, Scene, Touch};
use glam::{DAffine3, DQuat, DVec3};

use super::random::Random;

/// Counts of the answers by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) robots: usize,
    pub(crate) free: usize,
    pub(crate) touch: usize,
    pub(crate) at_start: usize,
    pub(crate) undecided: usize,
    /// Slides whose exact distance was within a millionth of touching without touching.
    pub(crate) grazes: usize,
    /// Touches that were compared with another interface.
    pub(crate) judged: usize,
    /// Free spans in which another answer has a touch within the tolerance: searched again with smaller tolerances.
    pub(crate) searched: usize,
    /// The number of them that such a search proved free again.
    pub(crate) confirmed: usize,
    /// Touches of `any` that are not the first.
    pub(crate) later: usize,
    /// Rounds in another order whose answer was compared bit for bit.
    pub(crate) orders: usize,
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
        let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(round as u64));
        let name = format!("seed {seed}, round {round}");
        counts.robots += 1;
        if below(&mut random, 3) == 0 {
            slides(&mut random, &mut counts, &name);
        } else {
            arms(&mut random, &mut counts, &name);
        }
    }
    counts
}

fn below(random: &mut Random, n: usize) -> usize {
    (random.next() % n as u64) as usize
}

fn pick(random: &mut Random, values: &[f64]) -> f64 {
    values[below(random, values.len())]
}

fn rotation(random: &mut Random) -> DQuat {
    let [x, y, z, w] = [0; 4].map(|_| random.range(-1.0, 1.0));
    DQuat::from_xyzw(x, y, z, w).normalize()
}

fn options(random: &mut Random, size: f64) -> Options {
    Options {
        tolerance: size * pick(random, &[1e-3, 1e-6, 1e-6, 1e-9, 1e-12, 1e-18]),
        min_separation: size * pick(random, &[0.0, 0.0, 0.05]),
        max_iterations: [1, 2, 3, 4, 10_000, 10_000, 10_000, 10_000][below(random, 8)],
        ..Options::default()
    }
}

/// Something that a link holds.
#[derive(Clone)]
struct Held {
    name: String,
    link: String,
    part: LinkPart,
}

/// A robot in motion, with its held bodies and its surroundings.
struct Way {
    robot: Robot,
    base: Pose,
    from: Vec<f64>,
    to: Vec<f64>,
    held: Vec<Held>,
    obstacles: Vec<Body>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    Checker,
    Scene,
    Simulated,
}

const DOORS: [Door; 3] = [Door::Checker, Door::Scene, Door::Simulated];

impl Way {
    fn holding(&self) -> Robot {
        let mut robot = self.robot.clone();
        for held in &self.held {
            robot.hold(&held.link, &held.name, held.part.clone(), &[]).expect("the link is there");
        }
        robot
    }

    fn ask(&self, door: Door, options: &Options) -> Answer {
        match door {
            Door::Checker => {
                let checker = Checker::new(self.holding(), self.base, self.obstacles.clone());
                let checker = checker.expect("obstacles at rest");
                checker.check_step(&self.from, &self.to, options).expect("valid values").answer
            }
            Door::Scene => {
                let step = RobotStep::new(self.robot.clone(), self.base, self.from.clone(), self.to.clone());
                let mut scene = Scene::default();
                scene.add(Body::robot("robot", step.expect("valid values"))).expect("a body");
                for Held { name, link, part } in &self.held {
                    let attached = scene.attach(name, part.shape.clone(), "robot", link, part.pose, &[]);
                    attached.expect("the link is there");
                }
                for (k, body) in self.obstacles.iter().enumerate() {
                    scene.add(body.clone()).expect("a body");
                    for other in &self.obstacles[..k] {
                        scene.allow(body.name(), other.name()).expect("both are there");
                    }
                }
                scene.check(options).expect("valid options").answer
            }
            Door::Simulated => {
                let simulated =
                    Simulated::new(self.holding(), self.base, self.obstacles.clone(), self.from.clone());
                let values = self.from.iter().zip(&self.to).enumerate();
                let moved: Vec<Moved> =
                    values.map(|(variable, (&from, &to))| Moved { variable, from, to }).collect();
                simulated.expect("obstacles at rest").step(&moved, options).expect("valid values").answer
            }
        }
    }

    /// Returns the answers of all interfaces in the modes `first` and `any`, compared with each other.
    fn answers(
        &self,
        random: &mut Random,
        counts: &mut Counts,
        options: &Options,
        name: &str,
    ) -> Vec<(Door, Answer)> {
        let mut answers = Vec::new();
        for door in DOORS {
            let [first, any] =
                [Mode::First, Mode::Any].map(|mode| self.ask(door, &Options { mode, ..*options }));
            if let (Answer::Touch(first), Answer::Touch(any)) = (&first, &any) {
                counts.later += usize::from(any.toi > first.toi);
            }
            for answer in [first, any] {
                counts.add(&answer);
                if let Some(touch) = answer.touch() {
                    let near = options.min_separation + options.tolerance;
                    assert!(touch.gap <= near, "{name}, {door:?} {options:?}: too early {touch:?}");
                    assert!(touch.points.iter().all(|p| p.is_finite()), "{name}: {touch:?}");
                }
                answers.push((door, answer));
            }
        }
        self.judge_claims(counts, &answers, options, name);
        // One of the touches is compared with one of the interfaces, with its gap as the separation.
        let touches: Vec<&Touch> = answers.iter().filter_map(|(_, answer)| answer.touch()).collect();
        if !touches.is_empty() {
            let touch = touches[below(random, touches.len())];
            let door = DOORS[below(random, 3)];
            let mode = if below(random, 2) == 0 { Mode::First } else { Mode::Any };
            let gap = touch.gap.max(options.min_separation);
            let judge = Options { min_separation: gap * (1.0 + 1e-12), mode, ..*options };
            let answer = self.ask(door, &judge);
            counts.judged += 1;
            assert!(
                answer.free_until(1.0) <= touch.toi,
                "{name}, {options:?}: {touch:?}, but {door:?} with {judge:?} says {answer:?}"
            );
        }
        answers
    }

    /// Compares free spans with touches, by the rules of the contract.
    ///
    /// A touch before the end of a free span refutes it only if its gap is at most the separation. A gap within the
    /// tolerance above it may stand beside a proof that continues, in every mode and with every budget of steps.
    /// Searches with ever smaller tolerances decide if the bodies come closer then: one of them proves as much, or
    /// shows a gap that refutes it. The longest of the free spans stands for all of them.
    fn judge_claims(&self, counts: &mut Counts, answers: &[(Door, Answer)], options: &Options, name: &str) {
        // `Free` includes the end.
        let until = |answer: &Answer| {
            if *answer == Answer::Free { f64::INFINITY } else { answer.free_until(1.0) }
        };
        let longest = answers.iter().max_by(|(_, a), (_, b)| until(a).total_cmp(&until(b)));
        let (door, claim) = longest.expect("every door answers");
        let refute = |touch: &Touch| {
            let is_refuted = touch.toi < until(claim) && touch.gap <= options.min_separation;
            assert!(!is_refuted, "{name}, {options:?}: {door:?} says {claim:?}, but there is {touch:?}");
        };
        let touches = || answers.iter().filter_map(|(_, answer)| answer.touch());
        touches().for_each(refute);
        if touches().all(|touch| touch.toi >= until(claim)) {
            return;
        }
        counts.searched += 1;
        let mode = Mode::First;
        let max_iterations = Options::default().max_iterations;
        for finer in [1e-2, 1e-4, 1e-6] {
            let tolerance = finer * options.tolerance;
            let answer = self.ask(*door, &Options { mode, tolerance, max_iterations, ..*options });
            if let Some(touch) = answer.touch() {
                refute(touch);
            }
            if until(&answer) >= until(claim) {
                counts.confirmed += 1;
                return;
            }
        }
    }

    /// Compares the same in another order.
    fn compare_orders(&mut self, random: &mut Random, counts: &mut Counts, options: &Options, name: &str) {
        let door = DOORS[below(random, 3)];
        let mode = if below(random, 2) == 0 { Mode::First } else { Mode::Any };
        let options = Options { mode, ..*options };
        let one = self.ask(door, &options);
        for list in 0..2 {
            let len = if list == 0 { self.obstacles.len() } else { self.held.len() };
            for i in (1..len).rev() {
                let j = below(random, i + 1);
                if list == 0 { self.obstacles.swap(i, j) } else { self.held.swap(i, j) }
            }
        }
        let other = self.ask(door, &options);
        counts.orders += 1;
        let story = || format!("{name}, {door:?} {options:?}: {one:?} and {other:?}");
        assert_eq!(std::mem::discriminant(&one), std::mem::discriminant(&other), "{}", story());
        assert_eq!(one.free_until(1.0).to_bits(), other.free_until(1.0).to_bits(), "{}", story());
        if let (Some(p), Some(q)) = (one.touch(), other.touch()) {
            let bits = |t: &Touch| [t.toi.to_bits(), t.gap.to_bits()];
            assert_eq!(bits(p), bits(q), "{}", story());
            let swapped = q.clone().swapped();
            let is_same = |q: &Touch| (p.points, p.normal) == (q.points, q.normal);
            assert!(is_same(q) || is_same(&swapped), "{}", story());
        }
    }
}

fn exact(x: f64) -> RBig {
    RBig::try_from(x).expect("the number is finite")
}

/// Balls on prismatic joints, judged exactly.
fn slides(random: &mut Random, counts: &mut Counts, name: &str) {
    let size = pick(random, &[1.0, 1.0, 1e-60, 1e-6, 1e6, 1e60]);
    let base = DVec3::new(1.0, -0.5, 0.25) * size * pick(random, &[0.0, 1.0, 1e4, 1e8]);
    let length = size * random.range(1.0, 10.0);
    let joints = 1 + below(random, 4);
    let mut robot_joints: Vec<Joint> = Vec::new();
    let mut origins = Vec::new();
    // The places of the links: a constant, and the factor of the one variable that all of them follow.
    let mut places = vec![(base.to_array().map(exact), [RBig::ZERO, RBig::ZERO, RBig::ZERO])];
    for i in 0..joints {
        let origin = random.vector(size);
        origins.push(origin);
        let axis = if i == 0 { 0 } else { below(random, 3) };
        let (multiplier, offset) =
            if i == 0 { (1.0, 0.0) } else { (random.range(-2.0, 2.0), size * random.range(-1.0, 1.0)) };
        let mimic = Mimic { joint: "joint0".into(), multiplier, offset };
        robot_joints.push(Joint {
            name: format!("joint{i}"),
            parent: format!("link{i}"),
            child: format!("link{}", i + 1),
            origin: Pose::from_translation(origin).expect("a place"),
            kind: JointKind::Prismatic { axis: DVec3::AXES[axis] },
            limits: None,
            mimic: (i > 0).then_some(mimic),
        });
        let (mut constant, mut factor) = places[i].clone();
        for k in 0..3 {
            constant[k] += exact(origin[k]);
        }
        constant[axis] += exact(offset);
        factor[axis] += exact(multiplier);
        places.push((constant, factor));
    }
    let radius = [size * pick(random, &[0.5, 1e-3, 1e-6]), size * pick(random, &[0.5, 0.01])];
    let sum = radius[0] + radius[1];
    let ball = |r: f64| Shape::from(Sphere::new(r).expect("a radius"));
    let links = (0..=joints).map(|i| {
        let part = LinkPart { shape: ball(radius[0]), pose: Pose::IDENTITY };
        (format!("link{i}"), if i == joints { vec![part] } else { vec![] })
    });
    let robot = Robot::new("slides", links.collect(), robot_joints).expect("a robot");
    let (from, to) = (-0.5 * length, 0.5 * length);
    let last = places[joints].clone();
    let at = |t: &RBig| -> [RBig; 3] {
        let value = exact(from) + (exact(to) - exact(from)) * t;
        std::array::from_fn(|k| &last.0[k] + &last.1[k] * &value)
    };
    // The middle of the ball's way, and a place slightly beside it, across the direction of travel.
    let half = at(&(RBig::ONE / RBig::from(2)));
    let way = DVec3::from_array(std::array::from_fn(|k| last.1[k].to_f64().value()));
    let across = way.any_orthogonal_vector().normalize_or(DVec3::Y);
    let miss = sum * pick(random, &[0.0, 1e-12, -1e-12, 1e-9, -1e-6, 1e-3, -0.5, 2.0]);
    let options = options(random, size);
    let aside = across * (sum + options.min_separation + miss);
    let post = DVec3::from_array(std::array::from_fn(|k| half[k].to_f64().value())) + aside;
    let far = post + DVec3::splat(1e3 * size);
    let fixed = |at: DVec3| Motion::fixed(Pose::from_translation(at).expect("a place"));
    let mut way = Way {
        robot,
        base: Pose::from_translation(base).expect("a place"),
        from: vec![from],
        to: vec![to],
        held: vec![],
        obstacles: vec![
            Body::new("post", ball(radius[1]), fixed(post)),
            Body::new("far", ball(size), fixed(far)),
        ],
    };
    let squared = |t: &RBig| {
        let at = at(t);
        (0..3).fold(RBig::ZERO, |sum, k| {
            let d = &at[k] - exact(post[k]);
            sum + &d * &d
        })
    };
    let sum = exact(radius[0]) + exact(radius[1]);
    let near = &sum + exact(options.min_separation);
    let near = &near * &near;
    let mut samples: Vec<(RBig, RBig)> = (0..=64)
        .map(|k| RBig::from(k) / RBig::from(64))
        .map(|t| {
            let distance = squared(&t);
            (t, distance)
        })
        .collect();
    let answers = way.answers(random, counts, &options, name);
    let touches = answers.iter().filter_map(|(_, answer)| answer.touch()).map(|touch| exact(touch.toi));
    samples.extend(touches.map(|t| {
        let distance = squared(&t);
        (t, distance)
    }));
    for (door, answer) in answers {
        let free_until = exact(answer.free_until(1.0));
        let story = || format!("{name}, {door:?} {options:?}: {answer:?}");
        for (t, distance) in &samples {
            if *t < free_until || answer == Answer::Free {
                assert!(*distance > near, "touches at {}: {}", t.to_f64().value(), story());
                let is_graze = (distance / &near).to_f64().value() < 1.0 + 2e-6;
                counts.grazes += usize::from(is_graze);
            }
        }
        if let Some(touch) = answer.touch() {
            let reach = &sum + exact(touch.gap);
            assert!(squared(&exact(touch.toi)) <= &reach * &reach, "the gap is too small: {}", story());
        }
    }
    way.compare_orders(random, counts, &options, name);
}

/// Segments with a radius: the description of a shape for the sampling.
#[derive(Clone)]
struct Sticks {
    ends: Vec<[DVec3; 2]>,
    radius: f64,
}

impl Sticks {
    fn placed(&self, place: &DAffine3) -> Sticks {
        let ends = self.ends.iter().map(|ends| ends.map(|p| place.transform_point3(p))).collect();
        Sticks { ends, radius: self.radius }
    }

    /// Returns a lower bound of how deep they overlap; negative if they are apart, as far as the segments tell.
    fn depth(&self, other: &Sticks) -> f64 {
        let mut least = f64::INFINITY;
        for one in &self.ends {
            for two in &other.ends {
                least = least.min(segment_distance(*one, *two));
            }
        }
        self.radius + other.radius - least
    }
}

/// Returns the distance of points of two segments, close to the least: an upper bound of it, up to rounding.
fn segment_distance([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> f64 {
    let closest = |x: DVec3, a: DVec3, b: DVec3| {
        let along = b - a;
        let square = along.length_squared();
        let t = if square > 0.0 { ((x - a).dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
        a + along * t
    };
    let mut x = 0.5 * (p + q);
    let mut y = closest(x, r, s);
    for _ in 0..8 {
        x = closest(y, p, q);
        y = closest(x, r, s);
    }
    (x - y).length()
}

fn random_shape(random: &mut Random, size: f64) -> (Shape, Sticks) {
    match below(random, 4) {
        0 => {
            let shape = Sphere::new(0.5 * size).expect("a radius");
            (shape.into(), Sticks { ends: vec![[DVec3::ZERO; 2]], radius: 0.5 * size })
        }
        1 | 2 => {
            let shape = Capsule::new(0.3 * size, size).expect("a size");
            let end = DVec3::Z * (0.5 * size);
            (shape.into(), Sticks { ends: vec![[-end, end]], radius: 0.3 * size })
        }
        _ => {
            let corners: Vec<DVec3> = (0..6).map(|_| random.vector(0.6 * size)).collect();
            let triangles = [[0, 1, 2], [3, 4, 5]];
            let ends =
                triangles.iter().flat_map(|t| [0, 1, 2].map(|k| [corners[t[k]], corners[t[(k + 1) % 3]]]));
            let sticks = Sticks { ends: ends.collect(), radius: 0.0 };
            let mesh = Mesh::new(corners, triangles.map(|t| t.map(|v| v as u32)).to_vec());
            (mesh.expect("a mesh").into(), sticks)
        }
    }
}

fn affine(pose: &Pose) -> DAffine3 {
    DAffine3::from_rotation_translation(pose.rotation(), pose.translation())
}

/// Trees of joints among obstacles, sampled.
fn arms(random: &mut Random, counts: &mut Counts, name: &str) {
    let size = pick(random, &[1.0, 1.0, 1.0, 1e-60, 1e-6, 1e6, 1e60]);
    let far = size * pick(random, &[0.0, 0.0, 1.0, 1e4, 1e8]);
    let away = random.vector(far);
    let links = 2 + below(random, 6);
    let part = |random: &mut Random| {
        let part = size * pick(random, &[0.3, 0.2, 0.2, 0.1, 0.1, 0.1, 0.05, 0.05, 1e-3, 1e-3, 1e-6, 3.0]);
        let (shape, sticks) = random_shape(random, part);
        let pose = Pose::new(random.vector(0.2 * size), rotation(random)).expect("a place");
        (LinkPart { shape, pose }, sticks)
    };
    let mut sticks: Vec<Vec<(Sticks, DAffine3)>> = Vec::new();
    let (mut described, mut joints) = (Vec::new(), Vec::<Joint>::new());
    let mut parents = vec![0];
    for i in 0..links {
        let parts: Vec<(LinkPart, Sticks)> = (0..below(random, 3)).map(|_| part(random)).collect();
        sticks.push(parts.iter().map(|(part, sticks)| (sticks.clone(), affine(&part.pose))).collect());
        described.push((format!("link{i}"), parts.into_iter().map(|(part, _)| part).collect()));
        if i == 0 {
            continue;
        }
        let axis = [DVec3::Z, random.vector(1.0) + DVec3::splat(1e-3), DVec3::X * 1e-9][below(random, 3)];
        let kind = match below(random, 8) {
            0..=4 => JointKind::Revolute { axis },
            5 | 6 => JointKind::Prismatic { axis },
            _ => JointKind::Fixed,
        };
        let is_alike = |joint: &&Joint| {
            joint.mimic.is_none() && std::mem::discriminant(&joint.kind) == std::mem::discriminant(&kind)
        };
        let is_slide = matches!(kind, JointKind::Prismatic { .. });
        let unit = if is_slide { size } else { 1.0 };
        let mimic =
            joints.iter().find(is_alike).filter(|_| !matches!(kind, JointKind::Fixed)).map(|joint| Mimic {
                joint: joint.name.clone(),
                multiplier: random.range(-3.0, 3.0),
                offset: unit * random.range(-1.0, 1.0),
            });
        let reach = if below(random, 12) == 0 { 1e8 } else { 0.6 };
        let parent = i - 1 - below(random, 2).min(i - 1);
        parents.push(parent);
        joints.push(Joint {
            name: format!("joint{i}"),
            parent: format!("link{parent}"),
            child: format!("link{i}"),
            origin: Pose::new(random.vector(reach * size), rotation(random)).expect("a place"),
            kind,
            limits: None,
            mimic: mimic.filter(|_| below(random, 3) == 0),
        });
    }
    let robot = Robot::new("arms", described, joints.clone()).expect("a robot");
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for variable in robot.variables() {
        let joint = joints.iter().find(|joint| joint.name == variable.name).expect("one variable each");
        let is_slide = matches!(joint.kind, JointKind::Prismatic { .. });
        let unit = if is_slide { 0.5 * size } else { 2.0 };
        from.push(random.range(-unit, unit));
        let is_still = below(random, 4) == 0;
        to.push(if is_still { from[from.len() - 1] } else { random.range(-unit, unit) });
    }
    let held: Vec<(Held, Sticks)> = (0..below(random, 4))
        .map(|k| {
            let (part, sticks) = part(random);
            (Held { name: format!("held{k}"), link: format!("link{}", below(random, links)), part }, sticks)
        })
        .collect();
    let obstacles: Vec<(Body, Sticks)> = (0..1 + below(random, 4))
        .map(|k| {
            let obstacle = size * pick(random, &[0.5, 0.3, 0.1, 1e-6]);
            let (shape, sticks) = random_shape(random, obstacle);
            let pose = Pose::new(away + random.vector(2.0 * size), rotation(random)).expect("a place");
            (Body::new(format!("obstacle{k}"), shape, Motion::fixed(pose)), sticks.placed(&affine(&pose)))
        })
        .collect();
    let base = Pose::new(away, rotation(random)).expect("a place");
    let mut way = Way {
        robot,
        base,
        from,
        to,
        held: held.iter().map(|(held, _)| held.clone()).collect(),
        obstacles: obstacles.iter().map(|(body, _)| body.clone()).collect(),
    };
    // Returns everything on the robot at a time, with the number of its link.
    let placed = |way: &Way, t: f64| -> Vec<(usize, Sticks)> {
        let mut places = vec![affine(&base)];
        for (i, joint) in joints.iter().enumerate() {
            let (followed, scale, shift) = match &joint.mimic {
                Some(mimic) => (&mimic.joint, mimic.multiplier, mimic.offset),
                None => (&joint.name, 1.0, 0.0),
            };
            let value = way.robot.variable(followed).map_or(0.0, |v| {
                let end = |x: f64| x * scale + shift;
                end(way.from[v]) + (end(way.to[v]) - end(way.from[v])) * t
            });
            let local = match joint.kind {
                JointKind::Revolute { axis } => DAffine3::from_axis_angle(axis.normalize(), value),
                JointKind::Prismatic { axis } => DAffine3::from_translation(axis.normalize() * value),
                _ => DAffine3::IDENTITY,
            };
            places.push(places[parents[i + 1]] * affine(&joint.origin) * local);
        }
        let on_links = sticks.iter().enumerate().flat_map(|(link, parts)| {
            let places = &places;
            parts.iter().map(move |(sticks, pose)| (link, sticks.placed(&(places[link] * *pose))))
        });
        let on_held = held.iter().map(|(held, sticks)| {
            let link: usize = held.link[4..].parse().expect("a number");
            (usize::MAX, sticks.placed(&(places[link] * affine(&held.part.pose))))
        });
        on_links.chain(on_held).collect()
    };
    let options = options(random, size);
    let answers = way.answers(random, counts, &options, name);
    let until = answers.iter().map(|(_, answer)| answer.free_until(1.0)).fold(0.0, f64::max);
    let is_allowed = |a: usize, b: usize| {
        let index = |link: usize| way.robot.link(&format!("link{link}")).expect("it is there");
        a == b || way.robot.is_allowed(index(a), index(b))
    };
    let touches = answers.iter().filter_map(|(_, answer)| answer.touch()).map(|touch| touch.toi);
    let drawn = (0..24).map(|k| until * (1.0 - 1e-9) * if k == 0 { 1.0 } else { random.range(0.0, 1.0) });
    let times: Vec<f64> = touches.chain(drawn).collect();
    for t in times {
        let things = placed(&way, t);
        let far =
            |sticks: &Sticks| sticks.ends.iter().flatten().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let mut deepest = f64::NEG_INFINITY;
        for (n, (link, thing)) in things.iter().enumerate() {
            // The formulas above are good to a few roundings for each joint.
            let rounding = 1e-13 * (far(thing) + away.abs().max_element()) + 1e-9 * size;
            for (_, obstacle) in &obstacles {
                deepest = f64::max(deepest, thing.depth(obstacle) - rounding);
            }
            for (other, another) in &things[..n] {
                // A held body may touch its own link; other links' bodies are left to the obstacles.
                if *link != usize::MAX && *other != usize::MAX && !is_allowed(*link, *other) {
                    deepest = f64::max(deepest, thing.depth(another) - rounding - 1e-13 * far(another));
                }
            }
        }
        if deepest > 0.0 {
            for (door, answer) in &answers {
                let is_free = t < answer.free_until(1.0);
                assert!(!is_free, "{name}, {door:?} {options:?}: {deepest:e} deep at {t}, {answer:?}");
            }
        }
    }
    way.compare_orders(random, counts, &options, name);
}
