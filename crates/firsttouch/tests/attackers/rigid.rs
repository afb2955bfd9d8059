//! Attacks on the rigid engines: hard inputs, judged by exact arithmetic or by construction.
//!
//! [`run`] creates `rounds` scenes from a seed and panics with the scene at the first broken guarantee. The tests run
//! it briefly; with other seeds it may run for any time. Each round is one of:
//! - *balls*: two balls on polynomial paths, spinning or not, that meet, miss or graze to high order, at offsets up to
//!   1e8, tolerances down to 1e-18 and budgets from one step. The exact distance is compared at exact rational times;
//! - *needles*: a mesh without area (collinear, or a single point) whose tip is in a triangle, or on the face of a box.
//!   The time is known exactly, in any motion and at any scale from 2^-300 to 2^300;
//! - *scales*: the same scene in two units of length that differ by a power of two;
//! - *modes*: the first touch against any touch, in the engines that support both;
//! - *scenes*: several bodies in the modes `first`, `any` and `all`. Each touch is compared with the other modes, with
//!   its gap as the separation: none may call that separation kept for longer.

use dashu_ratio::RBig;
use firsttouch::contact::{self, ContactPair, Covered, Tables};
use firsttouch::motion::{ContactScrew, Motion, Pose, Rational};
use firsttouch::narrow::Pieces;
use firsttouch::pair::{Limits, Side, Verdict};
use firsttouch::shape::{Capsule, Cuboid, Mesh, Shape, Sphere};
use firsttouch::tree::{self, TreeStats};
use firsttouch::{Answer, Body, Mode, Options, Scene};
use glam::{DQuat, DVec3};

use super::random::Random;

/// Counts of the rounds by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) free: usize,
    pub(crate) touch: usize,
    pub(crate) at_start: usize,
    pub(crate) undecided: usize,
    /// Motions that a constructor rejected.
    pub(crate) refused: usize,
    /// Balls whose exact distance was within a millionth of touching without touching.
    pub(crate) grazes: usize,
    /// Rounds in which any touch differed from the first one.
    pub(crate) later: usize,
    /// Touches of scenes that were compared with another mode.
    pub(crate) judged: usize,
    /// Pairs that the mode `all` reports.
    pub(crate) pairs: usize,
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

    pub(crate) fn total(&self) -> usize {
        self.free + self.touch + self.at_start + self.undecided + self.refused
    }
}

/// Runs `rounds` attacks.
pub(crate) fn run(seed: u64, rounds: usize) -> Counts {
    let mut random = Random(seed);
    let mut counts = Counts::default();
    for _ in 0..rounds {
        match random.next() % 5 {
            0 => balls(&mut random, &mut counts),
            1 => needles(&mut random, &mut counts),
            2 => scales(&mut random, &mut counts),
            3 => scenes(&mut random, &mut counts),
            _ => modes(&mut random, &mut counts),
        }
    }
    counts
}

impl Random {
    /// Returns a multiple of 1/64, so that sums and products with few other numbers are exact.
    fn dyadic(&mut self, size: f64) -> f64 {
        (self.range(-size, size) * 64.0).round() / 64.0
    }

    fn turn(&mut self) -> DQuat {
        let [x, y, z, w] = [0; 4].map(|_| self.range(-1.0, 1.0));
        DQuat::from_xyzw(x, y, z, w)
    }

    fn budget(&mut self) -> usize {
        [1, 2, 3, 4, 10_000, 10_000, 10_000, 10_000][self.below(8) as usize]
    }
}

fn exact(x: f64) -> RBig {
    RBig::try_from(x).expect("the number is finite")
}

fn check(a: Body, b: Body, options: &Options) -> Answer {
    let mut scene = Scene::default();
    scene.add(a).expect("the names differ");
    scene.add(b).expect("the names differ");
    scene.check(options).expect("the options are valid").answer
}

/// A path given by coefficients of `1, t, t², ...` over a weight, exactly.
struct Path {
    xyz: Vec<[f64; 3]>,
    weight: Vec<f64>,
}

impl Path {
    fn at(&self, t: &RBig) -> [RBig; 3] {
        let horner = |c: &mut dyn DoubleEndedIterator<Item = f64>| {
            c.rev().fold(RBig::ZERO, |sum, c| sum * t + exact(c))
        };
        let weight =
            if self.weight.is_empty() { RBig::ONE } else { horner(&mut self.weight.iter().copied()) };
        [0, 1, 2].map(|k| horner(&mut self.xyz.iter().map(|row| row[k])) / &weight)
    }
}

/// Two balls: one at rest, one on a path past it or into it.
fn balls(random: &mut Random, counts: &mut Counts) {
    let radii = [0.5, 1.0, 0.25].map(|r| r * [1.0, 1e-3, 1e3][random.below(3) as usize]);
    let radius = [radii[random.below(3) as usize], radii[random.below(3) as usize]];
    let sum = radius[0] + radius[1];
    let offset = DVec3::new(1.0, -1.0, 0.5) * [0.0, 1.0, 1e4, 1e8][random.below(4) as usize];
    // At t = 1/2 it passes the resting ball at a distance of `sum + miss`, along a curve of order 2 or 4.
    let miss = sum * [0.0, 1e-18, 1e-12, -1e-12, 1e-9, -1e-6, 1e-3, -0.5, 2.0][random.below(9) as usize];
    let length = sum * random.range(0.5, 20.0);
    let high = sum + miss;
    let bend = if random.below(2) == 0 { 0.0 } else { sum * random.range(0.0, 4.0) };
    let path = match random.below(3) {
        0 => {
            let x = [-0.5 * length, length];
            Path { xyz: vec![[offset.x + x[0], offset.y + high, offset.z], [x[1], 0.0, 0.0]], weight: vec![] }
        }
        // y = high + bend (2t − 1)^4, x = 0: it comes down to the graze and leaves the same way, or stays.
        1 => Path {
            xyz: vec![
                [offset.x, offset.y + high + bend, offset.z],
                [0.0, -8.0 * bend, 0.0],
                [0.0, 24.0 * bend, 0.0],
                [0.0, -32.0 * bend, 0.0],
                [0.0, 16.0 * bend, 0.0],
            ],
            weight: vec![],
        },
        // Over a weight that nearly vanishes at t = 1/2: the ball shoots out and returns.
        _ => {
            let least = [0.25, 1e-3, 1e-9, 1e-15, 1e-30, 1e-101][random.below(6) as usize];
            Path {
                xyz: vec![[-length, high * least, 0.0], [2.0 * length, 0.0, 0.0]],
                weight: vec![0.25 + least, -1.0, 1.0],
            }
        }
    };
    let quat = match random.below(3) {
        0 => vec![],
        1 => vec![[1.0, 0.0, 0.0, 0.0], [0.0, 0.3, 1.0, -2.0]],
        _ => vec![[1e-60, 0.0, 0.0, 0.0], [0.0, 1e100, 0.0, 0.0]],
    };
    let Ok(motion) = Rational::from_power_basis(&quat, &path.xyz, &path.weight) else {
        counts.refused += 1;
        return;
    };
    let is_line = path.xyz.len() == 2 && path.weight.is_empty();
    let (motion, path) = if is_line && random.below(2) == 0 {
        // The same line as poses, which spin.
        let from = DVec3::from_array(path.xyz[0]);
        let to = from + DVec3::from_array(path.xyz[1]);
        let pose = |at: DVec3, random: &mut Random| Pose::new(at, random.turn()).expect("it is a pose");
        let step = [0, 1, 2].map(|k| exact(to[k]) - exact(from[k]));
        let as_f64 = step.map(|x| x.to_f64().value());
        if (0..3).any(|k| exact(as_f64[k]) != exact(to[k]) - exact(from[k])) {
            counts.refused += 1;
            return;
        }
        let motion = Motion::linear(pose(from, random), pose(to, random));
        (motion, Path { xyz: vec![path.xyz[0], as_f64], weight: vec![] })
    } else {
        (Motion::from(motion), path)
    };
    let center = if path.weight.is_empty() { offset } else { DVec3::ZERO };
    let options = Options {
        tolerance: [1e-6, 1e-9, 1e-12, 1e-18][random.below(4) as usize] * sum,
        min_separation: [0.0, 0.0, 0.125 * sum][random.below(3) as usize],
        max_iterations: random.budget(),
        ..Options::default()
    };
    let balls = radius.map(|r| Sphere::new(r).expect("the radius is positive"));
    let resting = Motion::fixed(Pose::from_translation(center).expect("it is near"));
    let answer =
        check(Body::new("flying", balls[0], motion), Body::new("resting", balls[1], resting), &options);
    counts.add(&answer);

    let squared_distance = |t: &RBig| {
        let at = path.at(t);
        (0..3).fold(RBig::ZERO, |sum, k| {
            let d = &at[k] - exact(center[k]);
            sum + &d * &d
        })
    };
    let near = exact(radius[0]) + exact(radius[1]) + exact(options.min_separation);
    let free_until = exact(answer.free_until(1.0));
    let story = || format!("{radius:?} {offset} {miss:e} {bend} {quat:?} {options:?}: {answer:?}");
    for k in 0..=64 {
        let t = RBig::from(k) / RBig::from(64);
        let here = squared_distance(&t);
        if t < free_until || matches!(answer, Answer::Free) {
            assert!(here > &near * &near, "touches at {k}/64 before {free_until}: {}", story());
            let off = (&here / (&near * &near)).to_f64().value() - 1.0;
            counts.grazes += usize::from(k == 32 && off < 2e-6);
        }
    }
    if let Answer::Touch(touch) | Answer::TouchingAtStart(touch) = &answer {
        let reach = exact(radius[0]) + exact(radius[1]) + exact(touch.gap);
        let here = squared_distance(&exact(touch.toi));
        assert!(here <= &reach * &reach, "the gap is too small: {}", story());
        assert!(touch.gap <= options.min_separation + options.tolerance, "too early: {}", story());
        assert!(touch.points.iter().all(|p| p.is_finite()), "{}", story());
    }
}

/// Attacks a body without volume whose tip is in a surface at a time that is known exactly.
fn needles(random: &mut Random, counts: &mut Counts) {
    let scale = 2f64.powi(random.below(601) as i32 - 300);
    let offset = DVec3::new(random.dyadic(1.0), random.dyadic(1.0), 0.0)
        * [0.0, 1.0, f64::from(1 << 26)][random.below(3) as usize];
    let tail = [DVec3::new(0.0, 0.0, 2.0), DVec3::new(0.25, 0.5, 1.0), DVec3::ZERO][random.below(3) as usize];
    let thin = [0.0, 0.0, 1e-12, 1e-60][random.below(4) as usize];
    let corners = [DVec3::ZERO, tail, tail * 2.0 + DVec3::X * thin];
    // Other triangles of the needle's mesh that never touch, one of them far away.
    let far = DVec3::new(0.0, 0.0, [3.0, 50.0, 1e9][random.below(3) as usize]);
    let mut vertices: Vec<DVec3> = corners.into_iter().chain(corners.map(|v| v + far)).collect();
    vertices.push(DVec3::new(1e9, 1e9, 1e9)); // used by nothing
    let place = |v: DVec3| v * scale;
    let needle = Mesh::new(vertices.into_iter().map(place).collect(), vec![[0, 1, 2], [3, 4, 5]]).unwrap();

    let height = [1.0, 2.0, 16.0][random.below(3) as usize];
    let fall = height * [1.0, 2.0, 4.0][random.below(3) as usize];
    let first = height / fall;
    let at = |z: f64| place(offset + DVec3::Z * z);
    let spin = random.below(3);
    let kind = random.below(4);
    let turned = |z: f64, turn: DQuat| Pose::new(at(z), turn).expect("it is a pose");
    let about_z = |angle: f64| DQuat::from_xyzw(0.0, 0.0, f64::sin(0.5 * angle), f64::cos(0.5 * angle));
    let [from, to] = match spin {
        0 => [DQuat::IDENTITY; 2],
        1 => [DQuat::IDENTITY, about_z(random.range(-3.0, 3.0))],
        _ => [random.turn(), random.turn()],
    }
    .map(|turn| {
        if kind == 0 {
            turn
        } else if spin == 2 {
            DQuat::IDENTITY
        } else {
            turn
        }
    });
    let (from, to) = (turned(height, from), turned(height - fall, to));
    // The tip is the body's origin: a rotation does not move it if the origin moves on a straight line, which is the
    // case for `linear`, and for screws about the direction of the fall. A contact screw that rotates has another
    // timing.
    let (motion, known) = match kind {
        0 => (Motion::linear(from, to), true),
        1 => (Motion::screw(from, to), true),
        2 => (Motion::contact_screw(from, to), from.rotation() == to.rotation()),
        _ => (Motion::rational(from, to), true),
    };
    let floor: Shape = if random.below(2) == 0 {
        let corners = [DVec3::new(-2.0, -2.0, 0.0), DVec3::new(3.0, -1.0, 0.0), DVec3::new(0.0, 3.0, 0.0)];
        Mesh::new(corners.map(place).to_vec(), vec![[0, 1, 2]]).expect("it is a mesh").into()
    } else {
        Cuboid::new(place(DVec3::new(4.0, 4.0, 0.5))).expect("it is a box").into()
    };
    let under = if matches!(floor, Shape::Box(_)) { -0.25 } else { 0.0 };
    let resting = Motion::fixed(turned(under, DQuat::IDENTITY));
    let options = Options {
        tolerance: [1e-3, 1e-6, 1e-9][random.below(3) as usize] * scale,
        max_iterations: random.budget(),
        ..Options::default()
    };
    let answer =
        check(Body::new("needle", needle, motion.clone()), Body::new("floor", floor, resting), &options);
    counts.add(&answer);
    let story = || {
        format!("{scale:e} {offset} {tail} {thin:e} {far} {height} {fall} {motion:?} {options:?}: {answer:?}")
    };
    assert!(!matches!(answer, Answer::Free), "the tip is in the floor: {}", story());
    if known {
        // Poses that rotate have unit quaternions up to rounding, which leaves the line exact.
        assert!(answer.free_until(1.0) <= first, "late for {first}: {}", story());
    }
}

/// Attacks a scene in another unit of length.
fn scales(random: &mut Random, counts: &mut Counts) {
    let exponent = random.below(611) as i32 - 305;
    let seed = random.next();
    let [here, there] = [1.0, 2f64.powi(exponent)].map(|size| {
        let mut random = Random(seed);
        let shape = |random: &mut Random| -> Shape {
            match random.below(3) {
                0 => soup(random, size).into(),
                1 => Cuboid::new(DVec3::new(0.5, 1.0, 0.25) * size).expect("it is a box").into(),
                _ => Capsule::new(0.25 * size, size).expect("it is a capsule").into(),
            }
        };
        let (a, b) = (shape(&mut random), shape(&mut random));
        // It ends near the other body.
        let there = random.vector(2.0);
        let places = [random.vector(4.0), there + random.vector(1.0), there];
        let poses = places.map(|at| Pose::new(at * size, random.turn()).expect("it is a pose"));
        let motion = match seed % 4 {
            0 => Motion::linear(poses[0], poses[1]),
            1 => Motion::screw(poses[0], poses[1]),
            2 => Motion::contact_screw(poses[0], poses[1]),
            _ => Motion::rational(poses[0], poses[1]),
        };
        let options = Options {
            tolerance: 1e-6 * size,
            min_separation: if seed.is_multiple_of(3) { 0.125 * size } else { 0.0 },
            ..Options::default()
        };
        check(Body::new("a", a, motion), Body::new("b", b, Motion::fixed(poses[2])), &options)
    });
    counts.add(&there);
    let (t, u) = (here.free_until(1.0), there.free_until(1.0));
    let same = std::mem::discriminant(&here) == std::mem::discriminant(&there) && (t - u).abs() < 1e-5;
    assert!(same, "2^{exponent}, seed {seed}: {here:?} {there:?}");
}

fn soup(random: &mut Random, size: f64) -> Mesh {
    let mut vertices = Vec::new();
    for _ in 0..4 {
        let at = random.vector(1.0);
        vertices.extend([0; 3].map(|_| (at + random.vector(0.7)) * size));
    }
    Mesh::new(vertices, (0..4).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect()).expect("it is a mesh")
}

/// Compares the three modes on scenes of a few bodies.
fn scenes(random: &mut Random, counts: &mut Counts) {
    let size = 2f64.powi(random.below(401) as i32 - 200);
    let offset = random.vector(1.0) * [0.0, 1.0, 1e6][random.below(3) as usize];
    let mut scene = Scene::default();
    for name in ["a", "b", "c", "d"] {
        let shape: Shape = match random.below(5) {
            0 | 1 => soup(random, size).into(),
            2 => Cuboid::new(DVec3::new(0.5, 1.0, 0.25) * size).expect("it is a box").into(),
            3 => Capsule::new(0.25 * size, size).expect("it is a capsule").into(),
            _ => Sphere::new(0.5 * size).expect("it is a ball").into(),
        };
        let [from, to] = [4.0, 4.0]
            .map(|far| Pose::new((offset + random.vector(far)) * size, random.turn()).expect("it is a pose"));
        let motion = match random.below(5) {
            0 => Motion::fixed(from),
            1 => Motion::screw(from, to),
            2 => Motion::contact_screw(from, to),
            3 => Motion::rational(from, to),
            _ => Motion::linear(from, to),
        };
        scene.add(Body::new(name, shape, motion)).expect("the names differ");
    }
    let options = Options {
        tolerance: [1e-3, 1e-6, 1e-9][random.below(3) as usize] * size,
        min_separation: [0.0, 0.0, 0.125 * size][random.below(3) as usize],
        max_iterations: random.budget(),
        t_max: [1.0, 1.0, 0.375][random.below(3) as usize],
        ..Options::default()
    };
    const MODES: [Mode; 3] = [Mode::First, Mode::Any, Mode::All];
    let [first, any, all] =
        MODES.map(|mode| scene.check(&Options { mode, ..options }).expect("the options are valid"));
    let proven = |answer: &Answer| answer.free_until(options.t_max);
    let bodies: Vec<&Body> = scene.bodies().iter().collect();
    let story = || {
        format!("{bodies:?} {options:?}: first {:?}, any {:?}, all {:?}", first.answer, any.answer, all.pairs)
    };
    counts.add(&first.answer);
    counts.pairs += all.pairs.len();
    // The answer of `all` is that of its earliest pair, and no pair is free.
    let earliest = all.pairs.iter().map(|pair| proven(&pair.answer)).fold(options.t_max, f64::min);
    assert_eq!(proven(&all.answer).to_bits(), earliest.to_bits(), "{}", story());
    assert!(all.pairs.iter().all(|pair| pair.answer != Answer::Free), "{}", story());
    assert_eq!(all.answer == Answer::Free, all.pairs.is_empty(), "{}", story());
    let is_decided = |answer: &Answer| !matches!(answer, Answer::Undecided { .. });
    if is_decided(&first.answer) && is_decided(&any.answer) {
        assert!(proven(&any.answer) <= proven(&first.answer), "any claims more: {}", story());
        let is_later =
            first.answer.touch().zip(any.answer.touch()).is_some_and(|(first, any)| any.toi > first.toi);
        counts.later += usize::from(is_later);
    }
    // A contact at the start is one in all modes.
    let at_start =
        [&first.answer, &any.answer, &all.answer].map(|answer| matches!(answer, Answer::TouchingAtStart(_)));
    let is_undecided = [&first.answer, &any.answer, &all.answer].iter().any(|answer| !is_decided(answer));
    assert!(is_undecided || at_start[0] == at_start[1] && at_start[1] == at_start[2], "{}", story());
    let mut touches = vec![first.answer.touch(), any.answer.touch()];
    touches.extend(all.pairs.iter().map(|pair| pair.answer.touch()));
    for touch in touches.into_iter().flatten() {
        let near = options.min_separation + options.tolerance;
        assert!(touch.gap <= near && touch.free_until <= touch.toi, "{touch:?}, {}", story());
        let gap = touch.gap.max(options.min_separation) * (1.0 + 1e-12);
        let mode = MODES[random.below(3) as usize];
        let judge = Options { min_separation: gap, mode, ..options };
        let answer = scene.check(&judge).expect("the options are valid").answer;
        counts.judged += 1;
        assert!(proven(&answer) <= touch.toi, "{touch:?}, but {judge:?} says {answer:?}: {}", story());
    }
}

/// Compares any touch with the first one, with various budgets.
fn modes(random: &mut Random, counts: &mut Counts) {
    let size = 2f64.powi(random.below(401) as i32 - 200);
    let meshes = [soup(random, size), soup(random, size)];
    // It ends near the other one.
    let resting = random.vector(2.0);
    let places = [random.vector(4.0), resting + random.vector(1.0), resting];
    let [from, to, there] = places.map(|at| Pose::new(at * size, random.turn()).expect("it is a pose"));
    let full = Options { tolerance: 1e-6 * size, ..Options::default() };
    let short = Options {
        max_iterations: random.budget(),
        tolerance: full.tolerance * [1.0, 1e-6, 1e-12][random.below(3) as usize],
        ..full
    };
    let [full, short] = [full, short].map(|options| Limits::new(&options).expect("they are valid"));
    let motion = ContactScrew::new(from, to);
    let at_rest = Motion::fixed(there);
    let by_trees = |limits: &Limits, any: bool| {
        let movers = [
            Side { pieces: Pieces::Mesh(&meshes[0]), motion: &motion },
            Side { pieces: Pieces::Mesh(&meshes[1]), motion: &at_rest },
        ];
        let mut stats = TreeStats::default();
        // A velocity that jumps is for the caller to cut at; first order needs no cut.
        match tree::first_touch(&[movers], limits, any, &mut stats).verdict {
            Verdict::Free => (Kind::Free, 1.0, 1.0),
            Verdict::Touch(touch) => (Kind::Touch, touch.t, touch.free_until),
            Verdict::Undecided { free_until } => (Kind::Undecided, free_until, free_until),
        }
    };
    let by_contact = |limits: &Limits, any: bool| {
        let pair = ContactPair {
            moving: Covered::natural(&meshes[0]),
            motion: &motion,
            resting: Covered::natural(&meshes[1]),
            at_rest: there.into(),
        };
        match contact::first_touch(&pair, limits, any, Tables::ALL, &mut TreeStats::default()) {
            Verdict::Free => (Kind::Free, 1.0, 1.0),
            Verdict::Touch(touch) => (Kind::Touch, touch.t, touch.free_until),
            Verdict::Undecided { free_until } => (Kind::Undecided, free_until, free_until),
        }
    };
    let engines: [&Engine<'_>; 2] = [&by_trees, &by_contact];
    let (first, t_first, proven) = by_contact(&full, false);
    match first {
        Kind::Free => counts.free += 1,
        Kind::Touch => counts.touch += 1,
        Kind::Undecided => counts.undecided += 1,
    }
    let story = || format!("{from:?} {to:?} {there:?} {short:?}");
    assert!(first == Kind::Undecided || proven == t_first, "{}", story());
    for engine in engines {
        for (limits, any) in [(&full, true), (&short, false), (&short, true)] {
            let (kind, t, free_until) = engine(limits, any);
            let context = || format!("{kind:?} {t} {free_until}, first {first:?} {t_first}: {}", story());
            assert!(free_until <= t, "{}", context());
            counts.later += usize::from(kind == Kind::Touch && t > t_first + 1e-6);
            if first == Kind::Touch {
                // The surfaces come within the tolerance at `t_first`; their motion within it is not decided.
                let slack = 1e-4;
                assert!(kind != Kind::Free || limits.tolerance() < full.tolerance(), "{}", context());
                assert!(
                    free_until <= t_first + slack || limits.tolerance() < full.tolerance(),
                    "{}",
                    context()
                );
            }
            assert!(first != Kind::Free || kind != Kind::Touch, "{}", context());
        }
    }
}

/// The kind of answer, the time it names, and the time up to which everything is proven free.
type Engine<'a> = dyn Fn(&Limits, bool) -> (Kind, f64, f64) + 'a;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Free,
    Touch,
    Undecided,
}
