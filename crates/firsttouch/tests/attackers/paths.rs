//! Attacks on robots along whole paths: trajectories, grasped bodies, scans around them, and proofs that are kept from
//! one segment to the next.
//!
//! [`run`] makes `rounds` scenes from a seed and panics with the story at the first broken promise. An arm of balls,
//! bars and sheets follows waypoints among balls, meshes, clouds, octrees and height fields; it may take one of the
//! balls along. Sizes go from 1e-60 to 1e60, offsets to 1e6 sizes, tolerances to 1e-15, budgets from one step; some
//! waypoints differ in a single joint, in the last bits, or not at all.
//!
//! There are three routes: the scene as it is, the scene with proofs that are kept (`RobotPath::adaptive`), and a
//! `Checker` for each phase and segment. They judge each other: if one of them says "within `gap` at `toi`", no other
//! may call that separation kept for longer. Balls are also sampled with textbook formulas, and so are the points of a
//! cloud.
//!
//! A third of the rounds are *walks*: many steps of a `Simulated` robot, accepted at any time, in part or not at all,
//! with jumps and with other separations, tolerances and modes from step to step. A `Checker`, which remembers nothing,
//! judges each step, and vice versa.

use firsttouch::adaptive::{Moved, Simulated};
use firsttouch::articulated::{Checker, Grasp, Joint, JointKind, LinkPart, Robot, RobotPath, Trajectory};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, HeightField, Mesh, Octree, OctreeCell, PointCloud, Shape, Sphere};
use firsttouch::{Answer, Body, Mode, Options, Scene};
use glam::{DAffine3, DVec2, DVec3};

use super::random::Random;

/// Counts of the answers by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) scenes: usize,
    pub(crate) free: usize,
    pub(crate) touch: usize,
    pub(crate) at_start: usize,
    pub(crate) undecided: usize,
    /// Touches that were compared with another route.
    pub(crate) judged: usize,
    /// Scenes with a grasped body, and touches of it.
    pub(crate) grasps: usize,
    pub(crate) of_load: usize,
    /// Scenes with a scan, and touches of a scan.
    pub(crate) scans: usize,
    pub(crate) of_scan: usize,
    /// Scenes with a smooth trajectory, and scenes that were also asked in phases while something else moves.
    pub(crate) smooth: usize,
    pub(crate) moving: usize,
    /// Instants at which balls were sampled, and those at which they were in touch.
    pub(crate) sampled: usize,
    pub(crate) in_touch: usize,
    /// Steps of walks, and steps whose touch was compared with the other.
    pub(crate) steps: usize,
    pub(crate) shown: usize,
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
        let mut random = Random(seed.wrapping_mul(0x9e6c_63d0_876a_3f00).wrapping_add(round as u64));
        counts.scenes += 1;
        let name = format!("seed {seed}, round {round}");
        if round % 3 == 2 {
            walk(&mut random, &mut counts, &name);
        } else {
            attack(&mut random, &mut counts, &name);
        }
    }
    counts
}

fn pick(random: &mut Random, values: &[f64]) -> f64 {
    values[random.index(values.len())]
}

/// A ball known to the sampling: its place in a link, and its radius.
#[derive(Clone, Copy)]
struct Ball {
    link: usize,
    at: DVec3,
    radius: f64,
}

struct Arm {
    robot: Robot,
    joints: Vec<Joint>,
    balls: Vec<Ball>,
}

/// Returns a chain of joints; each link has a ball, and some a bar or a sheet as well.
fn arm(random: &mut Random, size: f64) -> Arm {
    let most = if random.index(4) == 0 { 16 } else { 6 };
    let links = 3 + random.index(most);
    let (mut described, mut joints, mut balls) = (Vec::new(), Vec::new(), Vec::new());
    for link in 0..links {
        let radius = size * pick(random, &[0.1, 0.1, 0.05, 1e-3]);
        let at = random.vector(0.1 * size);
        balls.push(Ball { link, at, radius });
        let pose = Pose::from_translation(at).expect("a place");
        let mut parts = vec![LinkPart { shape: Sphere::new(radius).expect("a radius").into(), pose }];
        if random.index(3) == 0 {
            let sides = DVec3::new(0.05, 0.1, random.range(0.1, 0.4)) * size;
            let pose = Pose::new(random.vector(0.2 * size), random.rotation()).expect("a place");
            parts.push(LinkPart { shape: Cuboid::new(sides).expect("sides").into(), pose });
        }
        if random.index(4) == 0 {
            parts.push(LinkPart { shape: sheet(random, 0.3 * size).into(), pose: Pose::IDENTITY });
        }
        described.push((format!("link{link}"), parts));
        if link > 0 {
            let axis = [DVec3::Z, DVec3::X, random.vector(1.0) + DVec3::splat(1e-3)][random.index(3)];
            let kind = match random.index(5) {
                0 => JointKind::Prismatic { axis },
                _ => JointKind::Revolute { axis },
            };
            joints.push(Joint {
                name: format!("joint{link}"),
                parent: format!("link{}", link - 1),
                child: format!("link{link}"),
                origin: Pose::new(random.vector(0.5 * size), random.rotation()).expect("a place"),
                kind,
                limits: None,
                mimic: None,
            });
        }
    }
    let mut robot = Robot::new("arm", described, joints.clone()).expect("a robot");
    // Otherwise most of them would touch themselves at once.
    for a in 0..links {
        for b in a + 1..links {
            if b - a < 3 || random.index(8) > 0 {
                robot.allow(&format!("link{a}"), &format!("link{b}")).expect("both are there");
            }
        }
    }
    Arm { robot, joints, balls }
}

impl Arm {
    /// Lets all links touch each other if they do at the start: otherwise that touch would hide all others.
    fn allow_contacts_at(&mut self, base: &Pose, start: &[f64]) {
        if self.is_clear(base, start, vec![], 0.0) {
            return;
        }
        let links = self.balls.len();
        for a in 0..links {
            for b in a + 1..links {
                self.robot.allow(&format!("link{a}"), &format!("link{b}")).expect("both are there");
            }
        }
    }

    /// Returns true if no pair is within a distance at the start.
    fn is_clear(&self, base: &Pose, start: &[f64], obstacles: Vec<Body>, apart: f64) -> bool {
        let checker = Checker::new(self.robot.clone(), *base, obstacles).expect("obstacles");
        let tolerance = 1e-3 * self.balls[0].radius;
        let options = Options { min_separation: apart, tolerance, ..Options::default() };
        checker.check_state(start, &options).expect("valid values").answer == Answer::Free
    }

    /// Returns the balls in the world, with their radii.
    fn placed(&self, base: &Pose, values: &[f64]) -> Vec<(DVec3, f64)> {
        let places = self.places(base, values);
        self.balls.iter().map(|ball| (places[ball.link].transform_point3(ball.at), ball.radius)).collect()
    }

    fn places(&self, base: &Pose, values: &[f64]) -> Vec<DAffine3> {
        let mut places = vec![affine(base)];
        for (joint, &value) in self.joints.iter().zip(values) {
            let local = match joint.kind {
                JointKind::Revolute { axis } => DAffine3::from_axis_angle(axis.normalize(), value),
                JointKind::Prismatic { axis } => DAffine3::from_translation(axis.normalize() * value),
                _ => DAffine3::IDENTITY,
            };
            places.push(places[places.len() - 1] * affine(&joint.origin) * local);
        }
        places
    }
}

fn affine(pose: &Pose) -> DAffine3 {
    DAffine3::from_rotation_translation(pose.rotation(), pose.translation())
}

/// Returns a bent sheet with enough triangles to be halved by coarse solids.
fn sheet(random: &mut Random, size: f64) -> Mesh {
    let n = 5;
    let bend = random.range(-1.0, 1.0);
    let vertex = |k: usize| {
        let (x, y) = ((k % n) as f64 / (n - 1) as f64 - 0.5, (k / n) as f64 / (n - 1) as f64 - 0.5);
        DVec3::new(x, y, bend * (x * x - 0.5 * y)) * size
    };
    let vertices = (0..n * n).map(vertex).collect();
    let cells = (0..(n - 1) * (n - 1)).map(|k| k / (n - 1) * n + k % (n - 1));
    let triangles = cells.flat_map(|k| [[k, k + 1, k + n + 1], [k, k + n + 1, k + n]]);
    Mesh::new(vertices, triangles.map(|t| t.map(|v| v as u32)).collect()).expect("a mesh")
}

/// Waypoints. Some joints rest, some move by their last bits.
fn waypoints(random: &mut Random, arm: &Arm, size: f64, by: f64) -> Vec<Vec<f64>> {
    let unit = |k: usize| match arm.joints[k].kind {
        JointKind::Prismatic { .. } => 0.3 * size,
        _ => 1.0,
    };
    let mut at: Vec<f64> =
        (0..arm.joints.len()).map(|k| random.range(-1.5, 1.5) * unit(k)).collect::<Vec<f64>>();
    let mut points = vec![at.clone()];
    for _ in 0..2 + random.index(5) {
        let style = random.index(5);
        for (k, value) in at.iter_mut().enumerate() {
            match style {
                0 if random.index(4) > 0 => {}
                1 => *value = if random.index(2) == 0 { value.next_up() } else { *value },
                2 => {}
                _ => *value += random.range(-by, by) * unit(k),
            }
        }
        points.push(at.clone());
    }
    points
}

/// Returns a scan, a place in the middle of it, and its pieces as balls, if they are balls.
fn scan(random: &mut Random, size: f64) -> (Shape, DVec3, Vec<(DVec3, f64)>) {
    match random.index(3) {
        0 => {
            let radius = size * pick(random, &[0.02, 1e-3, 1e-6]);
            let stray = size * pick(random, &[2.0, 2.0, 1e5]);
            let normal = (random.vector(1.0) + DVec3::splat(1e-3)).normalize();
            let (u, v) = normal.any_orthonormal_pair();
            let away = normal * (size * random.range(0.2, 1.0));
            let mut points: Vec<DVec3> = (0..300)
                .map(|_| away + (u * random.range(-1.0, 1.0) + v * random.range(-1.0, 1.0)) * size)
                .collect();
            points.push(random.vector(stray));
            let balls = points.iter().map(|&point| (point, radius)).collect();
            (PointCloud::new(points, radius).expect("points").into(), away, balls)
        }
        1 => {
            let cells = (0..200).map(|_| {
                let key = [40, 40, 2].map(|n| random.index(n) as i32 - n as i32 / 2);
                OctreeCell { key, level: random.index(2) as u8 }
            });
            (Octree::new(0.05 * size, cells.collect()).expect("cells").into(), DVec3::ZERO, vec![])
        }
        _ => {
            let low = random.range(0.1, 0.8);
            let heights = (0..20 * 20).map(|_| size * (random.range(0.0, 0.2) - low)).collect();
            let field = HeightField::new(20, 20, DVec2::splat(2.0 * size), heights).expect("heights");
            (field.into(), DVec3::Z * (size * (0.1 - low)), vec![])
        }
    }
}

/// Returns an obstacle that is not in the way at the start, if a few tries find one.
fn clear_of<T>(
    random: &mut Random,
    arm: &Arm,
    base: &Pose,
    start: &[f64],
    mut made: impl FnMut(&mut Random) -> (T, Body),
) -> (T, Body) {
    let tries = if random.index(8) == 0 { 0 } else { 12 };
    for _ in 0..tries {
        let (found, body) = made(random);
        let apart = arm.balls[0].radius * 0.1;
        if arm.is_clear(base, start, vec![body.clone()], apart) {
            return (found, body);
        }
    }
    made(random)
}

/// Everything about a path.
struct Course {
    arm: Arm,
    base: Pose,
    way: Trajectory,
    is_linear: bool,
    points: Vec<Vec<f64>>,
    obstacles: Vec<Body>,
    moving: Option<Body>,
    grasp: Option<Grasp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    Scene,
    Adaptive,
    Phases,
}

impl Course {
    fn doors(&self) -> Vec<Door> {
        let mut doors = vec![Door::Scene];
        doors.extend(self.is_linear.then_some(Door::Adaptive));
        // The phases do not cover the time before the path begins, nor bodies that come to a robot that waits at its
        // end.
        let (start, end) = (self.way.span(0)[0], self.way.span(self.way.segments() - 1)[1]);
        let is_known = start == 0.0 && (end == 1.0 || self.moving.is_none());
        doors.extend(is_known.then_some(Door::Phases));
        doors
    }

    fn ask(&self, door: Door, options: &Options) -> Answer {
        if door == Door::Phases {
            return self.phases(options);
        }
        let path = RobotPath::new(self.arm.robot.clone(), self.base, self.way.clone()).expect("a path");
        let path = if door == Door::Adaptive { path.adaptive().expect("it is linear") } else { path };
        let mut scene = Scene::default();
        scene.leave_out_resting(true);
        scene.add(Body::robot_along("arm", path)).expect("a robot");
        for body in self.obstacles.iter().chain(&self.moving) {
            scene.add(body.clone()).expect("a body");
        }
        if let Some(moving) = &self.moving {
            for other in &self.obstacles {
                scene.allow(moving.name(), other.name()).expect("both are there");
            }
        }
        if let Some(grasp) = &self.grasp {
            scene.grasp("arm", grasp.clone()).expect("a grasp");
        }
        scene.check(options).expect("valid options").answer
    }

    /// Checks one segment after the other, by the checkers of the phases.
    fn phases(&self, options: &Options) -> Answer {
        let bodies = self.obstacles.iter().chain(&self.moving).cloned().collect();
        let checker = Checker::new(self.arm.robot.clone(), self.base, bodies).expect("obstacles");
        // In the scene, a body that moves by itself may touch all but the robot.
        let may_touch: Vec<String> = self.moving.iter().map(|body| body.name().into()).collect();
        let grasps = self.grasp.iter().cloned().map(|grasp| Grasp { may_touch: may_touch.clone(), ..grasp });
        let grasps: Vec<Grasp> = grasps.collect();
        for phase in checker.phases(&self.points, &grasps).expect("phases") {
            let way = self.way.part(phase.segments.clone()).expect("segments of it");
            let report = phase.checker.check_trajectory(&way, options, |_| ()).expect("valid values");
            let Some(segment) = report.segment.map(|segment| phase.segments.start + segment) else {
                continue;
            };
            let [start, end] = self.way.span(segment);
            let time = |s: f64| start + (end - start) * s;
            return match report.answer {
                Answer::TouchingAtStart(touch) if segment == 0 => Answer::TouchingAtStart(touch),
                Answer::Touch(mut touch) | Answer::TouchingAtStart(mut touch) => {
                    (touch.toi, touch.free_until) = (time(touch.toi), time(touch.free_until));
                    Answer::Touch(touch)
                }
                Answer::Undecided { free_until, bodies } => {
                    Answer::Undecided { free_until: time(free_until), bodies }
                }
                Answer::Free => unreachable!("a segment with an answer is not free"),
            };
        }
        Answer::Free
    }

    /// Returns the robot's variables at a time, by the course of its segment.
    fn values(&self, t: f64) -> Vec<f64> {
        let segments = self.way.segments();
        let segment = (0..segments - 1).find(|&k| t < self.way.span(k)[1]).unwrap_or(segments - 1);
        let [start, end] = self.way.span(segment);
        let s = ((t - start) / (end - start)).clamp(0.0, 1.0);
        if self.is_linear {
            let ends = self.points[segment].iter().zip(&self.points[segment + 1]);
            return ends.map(|(from, to)| from + (to - from) * s).collect();
        }
        let [first, last] = [self.way.knots()[segment], self.way.knots()[segment + 1]];
        self.way.at(first + (last - first) * s)
    }
}

fn attack(random: &mut Random, counts: &mut Counts, name: &str) {
    let size = pick(random, &[1.0, 1.0, 1.0, 1e-60, 1e-6, 1e6, 1e60]);
    let away = random.vector(1.0) * size * pick(random, &[0.0, 0.0, 1.0, 1e3, 1e6]);
    let mut arm = arm(random, size);
    let base = Pose::new(away, random.rotation()).expect("a place");
    let by = pick(random, &[1.5, 1.5, 0.8, 0.3, 0.05, 1e-3]);
    let points = waypoints(random, &arm, size, by);
    arm.allow_contacts_at(&base, &points[0]);
    let times: Vec<f64> = (0..points.len()).map(|k| k as f64 + random.range(0.0, 0.5)).collect();
    let is_linear = random.index(4) > 0;
    let way = if is_linear {
        Trajectory::linear(&arm.robot, &times, &points)
    } else {
        Trajectory::spline(&arm.robot, &times, &points)
    };
    let mut way = way.expect("waypoints");
    if random.index(3) == 0 {
        let (start, end) = (random.range(0.0, 0.3), random.range(0.7, 1.0));
        way = way.on_clock(start, end).expect("a part of the clock");
    }
    counts.smooth += usize::from(!is_linear);
    let mut obstacles: Vec<Body> = Vec::new();
    // Balls at rest known to the sampling, and their places.
    let mut still: Vec<(DVec3, f64)> = Vec::new();
    let fixed = |at: DVec3| Motion::fixed(Pose::from_translation(at).expect("a place"));
    let has_scan = random.index(2) == 0;
    let count = if has_scan { 1 } else { 2 + random.index(4) };
    for k in 0..count {
        let radius = size * pick(random, &[0.2, 0.1, 0.02]);
        let ball = Sphere::new(radius).expect("a radius");
        let (at, body) = clear_of(random, &arm, &base, &points[0], |random| {
            // Near a place of one of the balls, which it hits, misses or grazes.
            let values = &points[random.index(points.len())];
            let (near, other) = arm.placed(&base, values)[random.index(arm.balls.len())];
            let aside = (random.vector(1.0) + DVec3::splat(1e-3)).normalize();
            let gap =
                (radius + other) * pick(random, &[-0.5, 0.0, 1e-9, 1e-3]) + size * random.range(0.0, 0.05);
            let at = near + aside * (radius + other + gap);
            (at, Body::new(format!("ball{k}"), ball, fixed(at)))
        });
        still.push((at, radius));
        obstacles.push(body);
    }
    if random.index(2) == 0 {
        let body = clear_of(random, &arm, &base, &points[0], |random| {
            let at = Pose::new(away + random.vector(2.0 * size), random.rotation()).expect("a place");
            ((), Body::new("sheet", sheet(random, 0.5 * size), Motion::fixed(at)))
        });
        obstacles.push(body.1);
    }
    if has_scan {
        let (balls, body) = clear_of(random, &arm, &base, &points[0], |random| {
            let wide = size * pick(random, &[1.0, 1.5, 2.0]);
            let (shape, middle, balls) = scan(random, wide);
            // In the way of one of the balls, or beside it.
            let (near, radius) =
                arm.placed(&base, &points[random.index(points.len())])[random.index(arm.balls.len())];
            let (turn, aside) = (random.rotation(), random.vector(2.0 * radius));
            let at = Pose::new(near + aside - turn * middle, turn).expect("a place");
            let place = |&(point, radius): &(DVec3, f64)| (affine(&at).transform_point3(point), radius);
            (balls.iter().map(place).collect::<Vec<_>>(), Body::new("scan", shape, Motion::fixed(at)))
        });
        still.extend(balls);
        obstacles.push(body);
        counts.scans += 1;
    }
    let moving = (random.index(4) == 0).then(|| {
        let at =
            |random: &mut Random| Pose::from_translation(away + random.vector(2.0 * size)).expect("a place");
        let radius = Sphere::new(0.2 * size).expect("a radius");
        Body::new("moving", radius, Motion::linear(at(random), at(random)))
    });
    let last = points.len() - 1;
    let grasp = (random.index(3) == 0).then(|| {
        let from = random.index(last);
        let link = format!("link{}", 1 + random.index(arm.joints.len()));
        let until = (random.index(2) == 0).then(|| from + 1 + random.index(last - from));
        let touch_links = (0..arm.balls.len()).map(|k| format!("link{k}")).filter(|_| random.index(3) > 0);
        let touch_links = touch_links.collect();
        Grasp { body: "ball0".into(), link, touch_links, may_touch: vec![], from, until }
    });
    counts.grasps += usize::from(grasp.is_some());
    let options = Options {
        tolerance: size * pick(random, &[1e-3, 1e-6, 1e-6, 1e-9, 1e-12, 1e-15]),
        min_separation: size * pick(random, &[0.0, 0.0, 0.02]),
        max_iterations: [1, 3, 10_000, 10_000, 10_000, 10_000][random.index(6)],
        ..Options::default()
    };
    let course = Course { arm, base, way, is_linear, points, obstacles, moving, grasp };
    counts.moving += usize::from(course.moving.is_some() && course.doors().contains(&Door::Phases));
    let mut answers: Vec<(Door, Answer)> = Vec::new();
    for door in course.doors() {
        for mode in [Mode::First, Mode::Any] {
            if door == Door::Phases && mode == Mode::Any {
                continue;
            }
            let answer = course.ask(door, &Options { mode, ..options });
            counts.add(&answer);
            if let Some(touch) = answer.touch() {
                let near = options.min_separation + options.tolerance;
                assert!(touch.gap <= near, "{name}, {door:?} {options:?}: too early {touch:?}");
                assert!(touch.points.iter().all(|p| p.is_finite()), "{name}: {touch:?}");
            }
            answers.push((door, answer));
        }
    }
    judge(random, &course, &answers, &options, counts, name);
    sample(random, &course, &still, &answers, &options, counts, name);
    if let Some(touch) = answers[0].1.touch() {
        let is = |name: &str| {
            touch
                .bodies
                .iter()
                .any(|&k| k > 0 && course.obstacles.get(k - 1).is_some_and(|b| b.name() == name))
        };
        counts.of_scan += usize::from(is("scan"));
        counts.of_load += usize::from(course.grasp.is_some() && is("ball0"));
    }
}

/// One of the touches is compared with all routes, with the gap as their separation.
fn judge(
    random: &mut Random,
    course: &Course,
    answers: &[(Door, Answer)],
    options: &Options,
    counts: &mut Counts,
    name: &str,
) {
    let touches: Vec<_> =
        answers.iter().filter_map(|(door, answer)| Some((*door, answer.touch()?))).collect();
    if touches.is_empty() {
        return;
    }
    let (by, touch) = touches[random.index(touches.len())];
    let gap = touch.gap.max(options.min_separation);
    for door in course.doors() {
        let mode = if random.index(2) == 0 { Mode::First } else { Mode::Any };
        let judge = Options { min_separation: gap * (1.0 + 1e-12), mode, ..*options };
        let answer = course.ask(door, &judge);
        counts.judged += 1;
        // Times of the clock are rounded.
        assert!(
            answer.free_until(1.0) <= touch.toi + 1e-15,
            "{name}, {options:?}: {by:?} {touch:?}, but {door:?} with {judge:?} says {answer:?}"
        );
    }
}

/// Checks that no ball of the robot, or the one that it holds, comes near one at rest before the proven time.
fn sample(
    random: &mut Random,
    course: &Course,
    still: &[(DVec3, f64)],
    answers: &[(Door, Answer)],
    options: &Options,
    counts: &mut Counts,
    name: &str,
) {
    let size = still.iter().map(|ball| ball.1).fold(0.0, f64::max);
    let until = answers.iter().map(|(_, answer)| answer.free_until(1.0)).fold(0.0, f64::max);
    for k in 0..40 {
        let t = until * if k == 0 { 1.0 - 1e-12 } else { random.range(0.0, 1.0) };
        let balls = course.arm.placed(&course.base, &course.values(t));
        // A grasped body is judged by the routes alone.
        let first = usize::from(course.grasp.is_some());
        let mut deepest = f64::NEG_INFINITY;
        for (at, radius) in &balls {
            for (other, of_other) in &still[first..] {
                let rounding = 1e-13 * (at.length() + other.length()) + 1e-10 * size;
                let apart = (*at - *other).length() - radius - of_other - options.min_separation;
                deepest = f64::max(deepest, -apart - rounding);
            }
        }
        counts.sampled += 1;
        if deepest > 0.0 {
            counts.in_touch += 1;
            for (door, answer) in answers {
                let is_free = t < answer.free_until(1.0);
                assert!(!is_free, "{name}, {door:?} {options:?}: {deepest:e} deep at {t}, {answer:?}");
            }
        }
    }
}

/// Runs many steps of one simulation.
fn walk(random: &mut Random, counts: &mut Counts, name: &str) {
    let size = pick(random, &[1.0, 1.0, 1e-60, 1e60]);
    let away = random.vector(1.0) * size * pick(random, &[0.0, 1.0, 1e4]);
    let mut arm = arm(random, size);
    let base = Pose::new(away, random.rotation()).expect("a place");
    let start = waypoints(random, &arm, size, 0.3).swap_remove(0);
    arm.allow_contacts_at(&base, &start);
    let fixed = |at: DVec3| Motion::fixed(Pose::from_translation(at).expect("a place"));
    let mut obstacles: Vec<Body> = Vec::new();
    for k in 0..3 {
        let radius = size * pick(random, &[0.2, 0.1, 0.02]);
        let ball = Sphere::new(radius).expect("a radius");
        let body = clear_of(random, &arm, &base, &start, |random| {
            let (near, other) = arm.placed(&base, &start)[random.index(arm.balls.len())];
            let aside = (random.vector(1.0) + DVec3::splat(1e-3)).normalize();
            let at = near + aside * (radius + other + size * pick(random, &[1e-3, 0.05, 0.1, 0.3]));
            ((), Body::new(format!("ball{k}"), ball, fixed(at)))
        });
        obstacles.push(body.1);
    }
    if random.index(2) == 0 {
        let body = clear_of(random, &arm, &base, &start, |random| {
            let at = Pose::new(away + random.vector(size), random.rotation()).expect("a place");
            ((), Body::new("sheet", sheet(random, 0.5 * size), Motion::fixed(at)))
        });
        obstacles.push(body.1);
    }
    let checker = Checker::new(arm.robot.clone(), base, obstacles.clone()).expect("obstacles");
    let mut simulated = Simulated::new(arm.robot.clone(), base, obstacles, start).expect("at rest");
    let unit: Vec<f64> = arm
        .joints
        .iter()
        .map(|joint| if matches!(joint.kind, JointKind::Prismatic { .. }) { 0.3 * size } else { 1.0 })
        .collect();
    let by = pick(random, &[0.6, 0.6, 0.2, 0.05, 1e-3, 1e-6]);
    for step in 0..24 {
        let (mut from, mut to) = (simulated.configuration().to_vec(), simulated.configuration().to_vec());
        let (few, style) = (1 + random.index(4), random.index(6));
        let mut moved = Vec::new();
        for variable in 0..from.len() {
            if random.index(few) > 0 {
                continue;
            }
            if style == 5 && random.index(3) == 0 {
                from[variable] += random.range(-by, by) * unit[variable];
            }
            to[variable] = match style {
                0 => from[variable].next_up(),
                1 => from[variable],
                _ => from[variable] + random.range(-by, by) * unit[variable],
            };
            moved.push(Moved { variable, from: from[variable], to: to[variable] });
        }
        let mode = if random.index(4) == 0 { Mode::Any } else { Mode::First };
        let options = Options {
            tolerance: size * pick(random, &[1e-3, 1e-6, 1e-9, 1e-12]),
            min_separation: size * pick(random, &[0.0, 0.0, 0.0, 0.01, 0.05]),
            max_iterations: [2, 10_000, 10_000, 10_000][random.index(4)],
            mode,
            t_max: pick(random, &[1.0, 1.0, 1.0, 0.6, 1e-3]),
            ..Options::default()
        };
        let before = simulated.clone();
        let ours = simulated.step(&moved, &options).expect("valid values").answer;
        let theirs = checker.check_step(&from, &to, &options).expect("valid values").answer;
        counts.steps += 1;
        counts.add(&ours);
        let story = || format!("{name}, step {step}, {options:?}: {ours:?}, the checker {theirs:?}");
        for (touch, is_ours) in [(ours.touch(), true), (theirs.touch(), false)] {
            let Some(touch) = touch else { continue };
            assert!(touch.gap <= options.min_separation + options.tolerance, "too early: {}", story());
            let gap = touch.gap.max(options.min_separation) * (1.0 + 1e-12);
            let judge = Options { min_separation: gap, mode: Mode::First, ..options };
            let answer = if is_ours {
                checker.check_step(&from, &to, &judge).expect("valid values").answer
            } else {
                before.clone().step(&moved, &judge).expect("valid values").answer
            };
            counts.shown += 1;
            assert!(answer.free_until(options.t_max) <= touch.toi, "{}, with {gap:e} {answer:?}", story());
        }
        // A robot that touches backs off now and then. A planner may also continue through obstacles, and past the
        // checked time.
        let free = ours.free_until(options.t_max);
        let t = match random.index(6) {
            0 => continue,
            1 if random.index(6) == 0 => random.range(0.0, 1.0),
            2 => free,
            3 => free * random.range(0.0, 1.0),
            // Usually just short of the touch.
            _ => free * (1.0 - 1e-3),
        };
        simulated.accept(t).expect("a step was asked for");
    }
}
