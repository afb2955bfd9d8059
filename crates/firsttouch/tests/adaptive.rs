//! Adaptive simulation: the same answers as the robot checker for any motion, at a cost that follows the number of
//! moving joints.

use crate::random;

use firsttouch::adaptive::{
    Assembly, AssemblyTree, Bounding, JointUpdate, Moved, Placed, Simulated, Transforms, Updates, forest,
};
use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Mimic, Robot, RobotMotion, RobotStep};
use firsttouch::deformable::Deformable;
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Mesh, Shape, Sphere};
use firsttouch::{Answer, Body, Mode, Options, Scene};
use glam::{DAffine3, DVec3};
use random::Random;

impl Random {
    /// Returns `count` different numbers below `n`, in order.
    fn subset(&mut self, n: usize, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        for i in 0..count.min(n) {
            let j = i + self.index(n - i);
            all.swap(i, j);
        }
        all.truncate(count);
        all.sort_unstable();
        all
    }
}

fn box_mesh(half: DVec3) -> Shape {
    let corners = (0..8).map(|i| {
        let side = |bit: i32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half * DVec3::new(side(0), side(1), side(2))
    });
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new(corners.collect(), triangles).unwrap().into()
}

/// A robot of boxes, and the half sides of each link's box by the link's index.
struct Boxes {
    robot: Robot,
    half: Vec<DVec3>,
    meshes: bool,
}

/// Returns a random tree of boxes, each attached to one of the `branching` links before it.
fn random_robot(random: &mut Random, links: usize, branching: usize, meshes: bool) -> Boxes {
    let (mut described, mut joints, mut sizes) = (Vec::new(), Vec::<Joint>::new(), Vec::new());
    for i in 0..links {
        let size = DVec3::new(random.range(0.03, 0.1), random.range(0.03, 0.1), random.range(0.05, 0.2));
        let pose = if i % 3 == 0 { Pose::IDENTITY } else { random.pose(0.1) };
        let shape = if meshes { box_mesh(size) } else { Cuboid::new(2.0 * size).unwrap().into() };
        described.push((format!("link{i}"), vec![LinkPart { shape, pose }]));
        sizes.push(size);
        if i > 0 {
            let axis = random.vector(1.0) + DVec3::splat(1e-3);
            let kind = match random.next() % 8 {
                0..=3 => JointKind::Revolute { axis },
                4 => JointKind::Prismatic { axis },
                5 => JointKind::Fixed,
                6 => JointKind::Planar { normal: axis },
                _ => JointKind::Floating,
            };
            let follows = joints.iter().rev().find_map(|joint| match (joint.kind, kind) {
                (JointKind::Revolute { .. }, JointKind::Revolute { .. }) if joint.mimic.is_none() => {
                    Some(Mimic { joint: joint.name.clone(), multiplier: -0.5, offset: 0.2 })
                }
                _ => None,
            });
            joints.push(Joint {
                name: format!("joint{i}"),
                parent: format!("link{}", i - 1 - random.index(branching.min(i))),
                child: format!("link{i}"),
                origin: random.pose(0.6),
                kind,
                limits: None,
                mimic: if i % 7 == 6 { follows } else { None },
            });
        }
    }
    let robot = Robot::new("random", described, joints).unwrap();
    let index = |name: &str| name[4..].parse::<usize>().unwrap();
    let half = robot.links().iter().map(|link| sizes[index(link.name())]).collect();
    Boxes { robot, half, meshes }
}

/// Returns obstacles that are too large to fit into the box of a link, whose surface they would then not touch, and
/// that are clear of the base.
fn random_obstacles(random: &mut Random) -> Vec<(Pose, DVec3)> {
    let mut obstacles = Vec::new();
    while obstacles.len() < 5 {
        let (pose, size) = (random.pose(1.2), random.range(0.25, 0.3));
        if pose.translation().length() > 0.8 {
            obstacles.push((pose, DVec3::splat(size)));
        }
    }
    obstacles
}

fn bodies(obstacles: &[(Pose, DVec3)]) -> Vec<Body> {
    let body = |(k, (pose, half)): (usize, &(Pose, DVec3))| {
        Body::new(format!("obstacle{k}"), Cuboid::new(2.0 * *half).unwrap(), Motion::fixed(*pose))
    };
    obstacles.iter().enumerate().map(body).collect()
}

/// Returns true if two boxes overlap with room to spare, by the separating-axis test.
fn boxes_overlap(a: (&DAffine3, DVec3), b: (&DAffine3, DVec3)) -> bool {
    let axes = |m: &DAffine3| [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis];
    let (of_a, of_b) = (axes(a.0), axes(b.0));
    let mut candidates: Vec<DVec3> = of_a.into_iter().chain(of_b).collect();
    candidates.extend(of_a.iter().flat_map(|x| of_b.iter().map(move |y| x.cross(*y))));
    let extent =
        |axes: [DVec3; 3], half: DVec3, n: DVec3| (0..3).map(|k| half[k] * axes[k].dot(n).abs()).sum::<f64>();
    candidates.into_iter().filter_map(DVec3::try_normalize).all(|n| {
        let distance = (b.0.translation - a.0.translation).dot(n).abs();
        distance < extent(of_a, a.1, n) + extent(of_b, b.1, n) - 1e-9
    })
}

fn affine(pose: &Pose) -> DAffine3 {
    DAffine3::from_rotation_translation(pose.rotation(), pose.translation())
}

/// Panics if any pair overlaps at a sampled time before `free_until`.
fn sample(boxes: &Boxes, obstacles: &[(Pose, DVec3)], from: &[f64], to: &[f64], free_until: f64, what: &str) {
    let robot = &boxes.robot;
    let motion = RobotMotion::new(robot, Pose::IDENTITY, from, to).unwrap();
    for i in 0..=60 {
        // The last sample is just before the end.
        let t = free_until * (1.0 - 1e-9) * f64::from(i) / 60.0;
        let place = |link: usize| {
            let pose = motion.link_pose(link, t);
            let placed = DAffine3::from_mat3_translation(pose.rotation, pose.translation);
            placed * affine(&robot.links()[link].parts()[0].pose)
        };
        let places: Vec<DAffine3> = (0..robot.links().len()).map(place).collect();
        for (link, first) in places.iter().enumerate() {
            let first = (first, boxes.half[link]);
            for (pose, half) in obstacles {
                assert!(!boxes_overlap(first, (&affine(pose), *half)), "{what} t {t}: missed an obstacle");
            }
            // Surfaces that contain one another do not touch, so only solids are tested.
            for other in (0..link).filter(|&other| !boxes.meshes && !robot.is_allowed(link, other)) {
                let second = (&places[other], boxes.half[other]);
                assert!(!boxes_overlap(first, second), "{what} t {t}: missed links {link} and {other}");
            }
        }
    }
}

/// Returns a configuration without contact, if one is found soon.
fn free_start(random: &mut Random, checker: &Checker) -> Vec<f64> {
    let mut start = Vec::new();
    for _ in 0..40 {
        start = checker.robot().variables().iter().map(|v| random.range(-1.5, 1.5) + v.zero).collect();
        if checker.check_step(&start, &start, &Options::default()).unwrap().answer == Answer::Free {
            break;
        }
    }
    start
}

/// Asserts that two engines agree about one motion, except for the point within the last tolerance at which each of
/// them stops.
fn agree(a: &Answer, b: &Answer, what: &str) -> f64 {
    let kind = |answer: &Answer| match answer {
        Answer::Free => 0,
        // Practically at the start.
        Answer::Touch(touch) if touch.toi < 1e-9 => 2,
        Answer::Touch(_) => 1,
        Answer::TouchingAtStart(_) => 2,
        Answer::Undecided { .. } => 3,
    };
    assert_eq!(kind(a), kind(b), "{what}: {a:?} and {b:?}");
    let apart = (a.free_until(1.0) - b.free_until(1.0)).abs();
    assert!(apart < 1e-4, "{what}: {a:?} and {b:?}");
    // At the start each may name a different touching pair.
    if let (Answer::Touch(a), Answer::Touch(b)) = (a, b)
        && apart < 1e-7
    {
        assert_eq!(a.bodies, b.bodies, "{what}");
    }
    apart
}

fn moved(from: &[f64], to: &[f64]) -> Vec<Moved> {
    let changes = from.iter().zip(to).enumerate().filter(|(_, (from, to))| from != to);
    changes.map(|(variable, (&from, &to))| Moved { variable, from, to }).collect()
}

/// Random branched robots of solids and of meshes among obstacles, with every number of moving variables. The answers
/// are those of the checker, never late and never a miss by dense sampling; they are the same with any kind of bounds
/// and with a tree built by hand.
#[test]
fn the_same_answers_as_the_checker_whatever_moves() {
    let options = Options::default();
    let (mut queries, mut touches, mut own, mut at_start, mut farthest) = (0, 0, 0, 0, 0.0_f64);
    for seed in 0..120 {
        let mut random = Random(seed);
        let links = 2 + (seed % 11) as usize;
        let boxes = random_robot(&mut random, links, 1 + (seed % 3) as usize, seed % 2 == 0);
        let robot = &boxes.robot;
        let obstacles = random_obstacles(&mut random);
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, bodies(&obstacles)).unwrap();
        let from = free_start(&mut random, &checker);
        let variables = from.len();
        for m in 0..=variables {
            if variables > 8 && m > 4 && m % 5 != 0 && m != variables {
                continue;
            }
            let what = format!("seed {seed} m {m} of {variables}");
            let mut to = from.clone();
            for i in random.subset(variables, m) {
                to[i] += random.range(-1.5, 1.5);
            }
            let expected = checker.check_step(&from, &to, &options).unwrap().answer;
            let start =
                Simulated::new(robot.clone(), Pose::IDENTITY, bodies(&obstacles), from.clone()).unwrap();
            let answer = start.clone().step(&moved(&from, &to), &options).unwrap().answer;
            farthest = farthest.max(agree(&answer, &expected, &what));
            if !matches!(answer, Answer::TouchingAtStart(_)) {
                sample(&boxes, &obstacles, &from, &to, answer.free_until(1.0), &what);
            }

            for bounding in [Bounding::Taylor, Bounding::Interval] {
                let mut other = start.clone().with_bounding(bounding).unwrap();
                agree(&other.step(&moved(&from, &to), &options).unwrap().answer, &answer, &what);
            }
            let order: Vec<usize> =
                if seed % 2 == 0 { (1..links).collect() } else { (1..links).rev().collect() };
            let mut by_hand = start.with_order(&order).unwrap();
            agree(&by_hand.step(&moved(&from, &to), &options).unwrap().answer, &answer, &what);

            queries += 1;
            at_start += usize::from(matches!(answer, Answer::TouchingAtStart(_)));
            touches += usize::from(answer.touch().is_some());
            if let Some(touch) = answer.touch() {
                own += usize::from(touch.bodies == [0, 0]);
                assert!(touch.gap <= options.tolerance, "{what}");
                let gap = (touch.points[1] - touch.points[0]).length();
                assert!(touch.gap < 1e-9 || (gap - touch.gap).abs() < 1e-8, "{what}");
            }
        }
    }
    println!(
        "{queries} queries: {touches} touches, {own} of them with itself, {at_start} at the start; farthest apart {farthest:e}"
    );
    let rate = f64::from(touches as u32) / f64::from(queries);
    assert!((0.2..0.8).contains(&rate) && own > 20 && at_start * 5 < queries as usize, "hit rate {rate}");
}

/// Bodies within the tolerance at the start touch at the start, for the checker. Simulations once culled by
/// `min_separation` alone, and skipped resting pairs after a step that proved no more than `min_separation`: they
/// answered free, although the checker reports a touch. The test makes steps of one or two variables one after the
/// other, with a tolerance so large that it matters.
#[test]
fn within_the_tolerance_at_the_start_is_touching() {
    let options = Options { tolerance: 0.05, ..Options::default() };
    let (mut steps, mut at_start, mut at_rest) = (0, 0, 0);
    for seed in 0..40 {
        let mut random = Random(600 + seed);
        let links = 3 + (seed % 6) as usize;
        let boxes = random_robot(&mut random, links, 1 + (seed % 3) as usize, seed % 2 == 0);
        let obstacles = random_obstacles(&mut random);
        let checker = Checker::new(boxes.robot.clone(), Pose::IDENTITY, bodies(&obstacles)).unwrap();
        let from = free_start(&mut random, &checker);
        let mut simulated =
            Simulated::new(boxes.robot.clone(), Pose::IDENTITY, bodies(&obstacles), from).unwrap();
        for step in 0..25 {
            let from = simulated.configuration().to_vec();
            let mut to = from.clone();
            for i in random.subset(from.len(), (1 + step % 2).min(from.len())) {
                to[i] += random.range(-0.3, 0.3);
            }
            let what = format!("seed {seed} step {step}");
            let expected = checker.check_step(&from, &to, &options).unwrap().answer;
            let answer = simulated.step(&moved(&from, &to), &options).unwrap().answer;
            let starts = |answer: &Answer| matches!(answer, Answer::TouchingAtStart(_));
            assert_eq!(starts(&answer), starts(&expected), "{what}: {answer:?} and {expected:?}");
            steps += 1;
            at_start += usize::from(starts(&answer));
            // To the touch, or to the end; a contact is left by accepting the whole step.
            let until = answer.free_until(1.0);
            simulated.accept(if until > 0.0 { until } else { 1.0 }).unwrap();
            // Nothing moves: the known state.
            let state = simulated.configuration().to_vec();
            let still = simulated.step(&[], &options).unwrap().answer;
            let of_state = checker.check_state(&state, &options).unwrap().answer;
            assert_eq!(starts(&still), starts(&of_state), "{what}: {still:?} and {of_state:?}");
            at_rest += usize::from(starts(&still));
        }
    }
    assert!(
        at_start > steps / 20 && at_start < steps * 19 / 20 && at_rest > steps / 20,
        "{at_start}, {at_rest} of {steps}"
    );
}

/// A hundred steps of one state each, some of which go too far and are undone, with separations that change. At every
/// step the answer is that of the checker for the same motion, which knows nothing about earlier steps.
#[test]
fn steps_one_after_the_other() {
    let (mut touches, mut at_start, mut known, mut steps) = (0, 0, 0, 0);
    for seed in 0..16 {
        let mut random = Random(1_000 + seed);
        let links = 6 + (seed % 7) as usize;
        let boxes = random_robot(&mut random, links, 2, seed % 2 == 0);
        let robot = &boxes.robot;
        let obstacles = random_obstacles(&mut random);
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, bodies(&obstacles)).unwrap();
        let start = free_start(&mut random, &checker);
        let mut simulated =
            Simulated::new(robot.clone(), Pose::IDENTITY, bodies(&obstacles), start.clone()).unwrap();
        let mut taken_back = None;
        for step in 0..100 {
            let what = format!("seed {seed} step {step}");
            let from = taken_back.take().unwrap_or_else(|| simulated.configuration().to_vec());
            let mut to = from.clone();
            let count = random.index(4) + usize::from(step % 20 == 0) * 10;
            for i in random.subset(to.len(), count) {
                to[i] += random.range(-0.8, 0.8);
            }
            // All variables that differ from the state, moving or not.
            let moved: Vec<Moved> = (0..to.len())
                .filter(|&i| to[i] != from[i] || from[i] != simulated.configuration()[i])
                .map(|variable| Moved { variable, from: from[variable], to: to[variable] })
                .collect();
            let separation = [0.0, 0.0, 0.01, 0.03][random.index(4)];
            let options = Options { min_separation: separation, ..Options::default() };
            let answer = simulated.step(&moved, &options).unwrap().answer;
            let expected = checker.check_step(&from, &to, &options).unwrap().answer;
            steps += 1;
            // For an engine that does not know that a pair was proven apart, a pair within the tolerance at the start
            // is a touch.
            match expected.touch().filter(|touch| touch.toi == 0.0 && answer.free_until(1.0) > 0.0) {
                Some(touch) => {
                    known += 1;
                    assert!(touch.gap > separation, "{what}: {expected:?} and {answer:?}");
                }
                None => _ = agree(&answer, &expected, &what),
            }
            let reached = match (&answer, step % 7) {
                (Answer::Free, 3) => 0.37,
                (Answer::Free, _) => 1.0,
                // Sometimes through the obstacle.
                (_, 5) => 1.0,
                (Answer::Touch(touch), k) => {
                    touches += 1;
                    if k == 0 { touch.toi } else { 0.9 * touch.toi }
                }
                _ => {
                    at_start += 1;
                    taken_back = Some(start.clone());
                    0.0
                }
            };
            simulated.accept(reached).unwrap();
            if reached == 1.0 {
                assert_eq!(simulated.configuration(), to, "{what}");
            }
            let motion = RobotMotion::new(robot, Pose::IDENTITY, &from, &to).unwrap();
            let state = simulated.configuration();
            let at_rest = RobotMotion::new(robot, Pose::IDENTITY, state, state).unwrap();
            for link in 0..links {
                let [a, b] = [motion.link_pose(link, reached), at_rest.link_pose(link, 0.0)];
                assert!((a.apply(DVec3::ONE) - b.apply(DVec3::ONE)).length() < 1e-12, "{what}: link {link}");
            }
        }
    }
    println!(
        "{steps} steps: {touches} touches on the way, {at_start} at the start, {known} known to be none"
    );
    assert!(touches > 50 && at_start > 50, "{touches} touches, {at_start} at the start");
}

/// Two robots in a forest move as they do alone, with their mimic joints and the pairs that are not checked.
#[test]
fn robots_in_a_forest() {
    let mut random = Random(5);
    let mut one = |name: &str| {
        let robot = random_robot(&mut random, 15, 2, false).robot;
        (name.to_string(), robot, random.pose(1.0))
    };
    let (first, second) = (one("first"), one("second"));
    // Named again, because the generator gives all its robots the same name.
    let named = |name: &str, robot: &Robot| forest(name, &[(robot.clone(), Pose::IDENTITY)]).unwrap();
    let robots = [&first, &second].map(|(name, robot, base)| (named(name, robot), *base));
    let both = forest("both", &robots).unwrap();
    let values: Vec<f64> = both.variables().iter().map(|v| random.range(-1.0, 1.0) + v.zero).collect();
    let end: Vec<f64> = values.iter().map(|v| v + random.range(-0.5, 0.5)).collect();
    let together = RobotMotion::new(&both, Pose::IDENTITY, &values, &end).unwrap();
    let (mut first_variable, mut compared) = (0, 0);
    for ((_, robot, base), (wrapped, _)) in [&first, &second].into_iter().zip(&robots) {
        let own = first_variable..first_variable + robot.variables().len();
        first_variable = own.end;
        let alone = RobotMotion::new(robot, *base, &values[own.clone()], &end[own]).unwrap();
        let prefix = format!("{}/random", wrapped.name());
        for (i, link) in robot.links().iter().enumerate() {
            let there = both.link(&format!("{prefix}/{}", link.name())).unwrap();
            let [a, b] = [alone.link_pose(i, 0.7), together.link_pose(there, 0.7)];
            assert!((a.apply(DVec3::ONE) - b.apply(DVec3::ONE)).length() < 1e-12, "{}", link.name());
            for (j, other) in robot.links().iter().enumerate() {
                let other = both.link(&format!("{prefix}/{}", other.name())).unwrap();
                assert_eq!(robot.is_allowed(i, j), both.is_allowed(there, other));
                compared += 1;
            }
        }
    }
    assert_eq!((first_variable, compared), (values.len(), 450));
}

/// After a thousand steps the bounds are those of a new state, bit for bit: there is no drift.
#[test]
fn nothing_drifts() {
    let mut random = Random(77);
    let boxes = random_robot(&mut random, 40, 2, false);
    let zero = boxes.robot.zero();
    let options = Options { t_max: 0.5, ..Options::default() };
    let mut old = Simulated::new(boxes.robot.clone(), Pose::IDENTITY, vec![], zero).unwrap();
    for step in 0..1000 {
        let from = old.configuration().to_vec();
        let mut to = from.clone();
        let count = 1 + random.index(3);
        for i in random.subset(to.len(), count) {
            to[i] += random.range(-0.2, 0.2);
        }
        old.step(&moved(&from, &to), &options).unwrap();
        if step % 100 == 99 {
            let mut new = Simulated::new(boxes.robot.clone(), Pose::IDENTITY, vec![], from.clone()).unwrap();
            new.step(&moved(&from, &to), &options).unwrap();
            assert_eq!(old.swept_boxes(), new.swept_boxes(), "step {step}");
        }
        old.accept(if step % 3 == 0 { 0.25 } else { 1.0 }).unwrap();
    }
}

/// Returns a robot without parts whose link `i` is attached to one of the `branching` links before it.
fn bare_robot(random: &mut Random, links: usize, branching: usize) -> Robot {
    let joints = (1..links).map(|i| Joint {
        name: format!("joint{i}"),
        parent: format!("link{}", i - 1 - random.index(branching.min(i))),
        child: format!("link{i}"),
        origin: Pose::from_translation(DVec3::X).unwrap(),
        kind: JointKind::Revolute { axis: DVec3::Z },
        limits: None,
        mimic: None,
    });
    let joints = joints.collect();
    Robot::new("bare", (0..links).map(|i| (format!("link{i}"), vec![])).collect(), joints).unwrap()
}

/// Returns the number of transforms computed when `joints` move once more and `bodies` are queried, without other work
/// in between.
fn count(
    tree: &AssemblyTree,
    transforms: &mut Transforms<Placed>,
    joints: &[usize],
    bodies: &[usize],
) -> Updates {
    let pose: Placed = Pose::from_translation(DVec3::X).unwrap().into();
    let given: Vec<JointUpdate<Placed>> =
        joints.iter().map(|&joint| JointUpdate { joint, transform: pose, moves: true }).collect();
    let mut before = transforms.counts();
    for _ in 0..2 {
        before = transforms.counts();
        transforms.update(tree, &given);
        for &body in bodies {
            transforms.world(tree, tree.leaf(body));
        }
    }
    let counts = transforms.counts() - before;
    // The joints that move now rest in the next step.
    let rest: Vec<JointUpdate<Placed>> =
        given.iter().map(|&given| JointUpdate { moves: false, ..given }).collect();
    transforms.update(tree, &rest);
    counts
}

/// Returns the joints of a random top part of the tree, as adaptive dynamics chooses them: with each node, its parent
/// is included.
fn top_part(random: &mut Random, tree: &AssemblyTree, m: usize) -> Vec<usize> {
    let (mut joints, mut open) = (Vec::new(), vec![tree.root()]);
    while joints.len() < m && !open.is_empty() {
        let next = random.index(open.len());
        if let Assembly::Joined { upper, lower, joint, .. } = tree.assembly(open.swap_remove(next)) {
            joints.extend(*joint);
            open.extend([*upper, *lower]);
        }
    }
    joints
}

/// With `m` joints moving and `k` bodies queried, the number of computed transforms is `a m + b k log2 n`, for any size
/// of robot and any shape from a chain to a bush. For joints anywhere, not only at the top of the tree, the joints
/// above them are added: at most `m log2(n / m)`.
#[test]
fn transforms_follow_what_moves() {
    // Sums for the normal equations of the fit, relative to the counts.
    let (mut mm, mut mk, mut kk, mut m1, mut k1) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let mut observed: Vec<([f64; 2], f64)> = Vec::new();
    println!("    n  branching     m     k   joint  child  handle  world  total");
    for n in [30_usize, 100, 300, 1000] {
        let log = (n as f64).log2();
        for branching in [1, 3, 20] {
            let mut random = Random(n as u64 + branching as u64);
            let robot = bare_robot(&mut random, n + 1, branching);
            let tree = AssemblyTree::balanced(&robot);
            let at: Placed = Pose::IDENTITY.into();
            let mut transforms = Transforms::new(&tree, at, |_| Ok::<Placed, ()>(at)).unwrap();
            for m in [1, 3, 10, n / 3, n] {
                for k in [1, 3, 10] {
                    let (mut sum, rounds) = (Updates::default(), 20);
                    for _ in 0..rounds {
                        let joints = top_part(&mut random, &tree, m);
                        assert_eq!(joints.len(), m);
                        let bodies = random.subset(n + 1, k);
                        let counts = count(&tree, &mut transforms, &joints, &bodies);
                        let most = 3.0 * m as f64 + 1.5 * k as f64 * log;
                        assert!((counts.total() as f64) <= most, "n {n} m {m} k {k}: {counts:?}");
                        sum += counts;

                        let anywhere: Vec<usize> =
                            random.subset(n, m).into_iter().map(|joint| joint + 1).collect();
                        let counts = count(&tree, &mut transforms, &anywhere, &bodies);
                        let above = 1.0 + (n as f64 / m as f64).log2();
                        let most = 3.0 * m as f64 * above + 1.5 * k as f64 * log;
                        assert!((counts.total() as f64) <= most, "anywhere, n {n} m {m} k {k}: {counts:?}");
                    }
                    let mean = |count: u64| count as f64 / f64::from(rounds);
                    println!(
                        "{n:5} {branching:10} {m:5} {k:5} {:7.1} {:6.1} {:7.1} {:6.1} {:6.1}",
                        mean(sum.joint),
                        mean(sum.child_to_parent),
                        mean(sum.principal_to_secondary),
                        mean(sum.world),
                        mean(sum.total())
                    );
                    observed.push(([m as f64, k as f64 * log], mean(sum.total())));
                }
            }
        }
    }
    for ([m, k], total) in &observed {
        let (m, k) = (m / total, k / total);
        (mm, mk, kk, m1, k1) = (mm + m * m, mk + m * k, kk + k * k, m1 + m, k1 + k);
    }
    let determinant = mm * kk - mk * mk;
    let (a, b) = ((m1 * kk - k1 * mk) / determinant, (k1 * mm - m1 * mk) / determinant);
    let residuals: Vec<f64> =
        observed.iter().map(|([m, k], total)| (a * m + b * k - total).abs() / total).collect();
    let mean = residuals.iter().sum::<f64>() / residuals.len() as f64;
    let worst = residuals.iter().copied().fold(0.0, f64::max);
    println!(
        "{a:.2} m + {b:.2} k log2 n: off by {:.0} % in the mean, {:.0} % at worst",
        100.0 * mean,
        100.0 * worst
    );
    assert!(a > 0.0 && b > 0.0 && mean < 0.2 && worst < 0.6, "a {a} b {b}: {mean} {worst}");
}

/// Returns a chain of links along x, hinged about z and y in turn.
fn chain(links: usize) -> Robot {
    let joints = (1..links).map(|i| Joint {
        name: format!("joint{i}"),
        parent: format!("link{}", i - 1),
        child: format!("link{i}"),
        origin: Pose::from_translation(DVec3::X * 0.3).unwrap(),
        kind: JointKind::Revolute { axis: if i % 2 == 0 { DVec3::Z } else { DVec3::Y } },
        limits: None,
        mimic: None,
    });
    let part = LinkPart { shape: Cuboid::new(DVec3::splat(0.2)).unwrap().into(), pose: Pose::IDENTITY };
    let links = (0..links).map(|i| (format!("link{i}"), vec![part.clone()])).collect();
    Robot::new("chain", links, joints.collect()).unwrap()
}

/// The same tree with intervals, as in the paper, with Taylor models, and with chords: all contain the paths of the
/// links. Taylor models have smaller boxes than intervals, and fewer of them overlap; chords are good for short
/// steps.
#[test]
fn taylor_models_are_tighter_than_intervals() {
    println!("turn   m   widest side: Taylor  interval   chord    close pairs: Taylor  interval  chord");
    let robot = chain(30);
    for (turn, m) in [0.2, 0.02].into_iter().flat_map(|turn| [1_usize, 3, 7, 15, 29].map(|m| (turn, m))) {
        let (mut widths, mut pairs) = ([0.0; 3], [0; 3]);
        for seed in 0..10 {
            let mut random = Random(100 * m as u64 + seed);
            let from: Vec<f64> = (0..29).map(|_| random.range(-0.3, 0.3)).collect();
            let mut to = from.clone();
            for i in random.subset(29, m) {
                to[i] += random.range(-turn, turn);
            }
            let motion = RobotMotion::new(&robot, Pose::IDENTITY, &from, &to).unwrap();
            let ways = [Bounding::Taylor, Bounding::Interval, Bounding::Chord].map(|bounding| {
                let start = Simulated::new(robot.clone(), Pose::IDENTITY, vec![], from.clone()).unwrap();
                let mut simulated = start.with_bounding(bounding).unwrap();
                // The first step examines everything, the second only the moving bodies.
                simulated.step(&[], &Options::default()).unwrap();
                simulated.accept(1.0).unwrap();
                let report = simulated.step(&moved(&from, &to), &Options::default()).unwrap();
                (simulated.swept_boxes(), report.close_pairs)
            });
            for (k, (boxes, close)) in ways.iter().enumerate() {
                for (link, bounds) in boxes.iter().enumerate() {
                    for i in 0..=20 {
                        let pose = motion.link_pose(link, f64::from(i) / 20.0);
                        let corner = pose.apply(0.1 * DVec3::new(1.0, -1.0, 1.0));
                        let room = DVec3::splat(1e-12);
                        assert!(
                            corner.cmpge(bounds.low - room).all() && corner.cmple(bounds.high + room).all()
                        );
                    }
                    widths[k] += (bounds.high - bounds.low).max_element() / 300.0;
                }
                pairs[k] += close;
            }
            let sum = |k: usize| ways[k].0.iter().map(|b| (b.high - b.low).element_sum()).sum::<f64>();
            assert!(sum(0) <= sum(1) * (1.0 + 1e-12), "turn {turn} m {m} seed {seed}");
            assert!(ways[0].1 <= ways[1].1, "turn {turn} m {m} seed {seed}");
        }
        let [a, b, c] = pairs.map(|pairs| pairs as f64 * 0.1);
        println!(
            "{turn:4} {m:3} {:21.3} {:9.3} {:7.3} {a:22.1} {b:9.1} {c:6.1}",
            widths[0], widths[1], widths[2]
        );
        assert!(turn < 0.1 || m < 15 || widths[1] > 1.5 * widths[0], "m {m}: {widths:?}");
        assert!(turn > 0.1 || widths[2] < 1.1 * widths[0], "m {m}: {widths:?}");
    }
}

/// Returns a figure of 29 joints, bushier than a chain: a spine with a head, two arms and two legs.
fn figure() -> Robot {
    let mut parents: Vec<usize> = vec![0, 1, 2, 3, 4];
    for (hangs_on, length) in [(4, 6), (4, 6), (1, 6), (1, 6)] {
        let first = parents.len();
        parents.extend((0..length).map(|i| if i == 0 { hangs_on } else { first + i }));
    }
    let joints = parents.iter().enumerate().map(|(i, parent)| Joint {
        name: format!("joint{}", i + 1),
        parent: format!("link{parent}"),
        child: format!("link{}", i + 1),
        origin: Pose::from_translation(match i {
            0..5 => DVec3::Z * 0.3,
            5 => DVec3::new(0.45, 0.0, 0.0),
            11 => DVec3::new(-0.45, 0.0, 0.0),
            17 => DVec3::new(0.2, 0.0, -0.3),
            23 => DVec3::new(-0.2, 0.0, -0.3),
            _ => DVec3::Z * -0.25,
        })
        .unwrap(),
        kind: JointKind::Revolute { axis: if i % 2 == 0 { DVec3::Y } else { DVec3::X } },
        limits: None,
        mimic: None,
    });
    let joints: Vec<Joint> = joints.collect();
    let part = LinkPart { shape: box_mesh(DVec3::new(0.05, 0.05, 0.1)), pose: Pose::IDENTITY };
    let links = (0..=joints.len()).map(|i| (format!("link{i}"), vec![part.clone()])).collect();
    Robot::new("figure", links, joints).unwrap()
}

/// With one of 29 joints moving, a step costs less than a fifth of a step with all moving.
#[test]
fn one_of_29_joints_is_cheap() {
    let robot = figure();
    assert_eq!(robot.variables().len(), 29);
    let plates = [(Pose::from_translation(DVec3::Z * -2.4).unwrap(), DVec3::new(2.0, 2.0, 0.1))];
    let work_of = |joints: &[usize]| {
        let zero = robot.zero();
        let mut simulated =
            Simulated::new(robot.clone(), Pose::IDENTITY, bodies(&plates), zero.clone()).unwrap();
        let mut sums = [0; 4];
        for round in 0..6 {
            let from = simulated.configuration().to_vec();
            let mut to = from.clone();
            joints.iter().for_each(|&j| to[j] += 0.01);
            let report = simulated.step(&moved(&from, &to), &Options::default()).unwrap();
            assert_eq!(report.answer, Answer::Free, "{joints:?}");
            simulated.accept(1.0).unwrap();
            // The first step examines everything, and the second puts the previously examined bodies to rest.
            if round > 1 {
                let exact = report.work.volume_pairs + report.work.piece_pairs + report.work.iterations;
                sums[0] += report.transforms.total();
                sums[1] += report.culling.volumes;
                sums[2] += report.culling.comparisons;
                sums[3] += exact;
            }
        }
        sums.map(|sum| sum as f64 / 4.0)
    };
    let all = work_of(&(0..29).collect::<Vec<usize>>());
    let mut one = [0.0; 4];
    for joint in 0..29 {
        let work = work_of(&[joint]);
        (0..4).for_each(|k| one[k] += work[k] / 29.0);
    }
    println!("transforms, volumes, comparisons, exact stage: one joint {one:.1?}, all {all:.1?}");
    assert!(5.0 * one[0] <= all[0], "transforms: {one:?} {all:?}");
    // A comparison of two boxes is a hundred times cheaper than the computation of a transform or a volume.
    let work = |counts: [f64; 4]| counts[0] + counts[1] + 0.01 * counts[2] + counts[3];
    assert!(5.0 * work(one) <= work(all), "all together: {one:?} {all:?}");
}

#[test]
fn invalid_input_is_rejected() {
    let robot = chain(3);
    let new = |configuration: Vec<f64>, obstacles: Vec<Body>| {
        Simulated::new(robot.clone(), Pose::IDENTITY, obstacles, configuration)
    };
    assert!(new(vec![0.0], vec![]).is_err());
    assert!(new(vec![0.0, f64::NAN], vec![]).is_err());
    let step = RobotStep::new(robot.clone(), Pose::IDENTITY, vec![0.0; 2], vec![0.0; 2]).unwrap();
    assert!(new(vec![0.0; 2], vec![Body::robot("another", step)]).is_err());

    let mut simulated = new(vec![0.0; 2], vec![]).unwrap();
    let options = Options::default();
    assert!(simulated.accept(1.0).is_err());
    for wrong in [
        vec![Moved { variable: 2, from: 0.0, to: 1.0 }],
        vec![Moved { variable: 0, from: 0.0, to: f64::INFINITY }],
        vec![Moved { variable: 0, from: 0.0, to: 1.0 }; 2],
    ] {
        assert!(simulated.step(&wrong, &options).is_err(), "{wrong:?}");
    }
    assert_eq!(simulated.configuration(), [0.0, 0.0]);
    let fine = [Moved { variable: 0, from: 0.0, to: 0.1 }];
    assert_eq!(simulated.step(&fine, &options).unwrap().answer, Answer::Free);
    for wrong in [-0.1, 1.1, f64::NAN] {
        assert!(simulated.accept(wrong).is_err());
    }
    simulated.accept(1.0).unwrap();
    assert!(simulated.accept(1.0).is_err());
}

/// For values so large that sine and cosine give no information: no panic, and no false `Free`.
#[test]
fn huge_values_prove_nothing() {
    let mut simulated = Simulated::new(chain(8), Pose::IDENTITY, vec![], vec![1e99; 7]).unwrap();
    let moves: Vec<Moved> = (0..7).map(|variable| Moved { variable, from: 1e99, to: -1e99 }).collect();
    let few = Options { max_iterations: 10, ..Options::default() };
    assert_ne!(simulated.step(&moves, &few).unwrap().answer, Answer::Free);
    simulated.accept(0.5).unwrap();
}

/// In a scene, an adaptive body meets bodies that its own engine does not support: here a deforming sheet. A ball of
/// radius 1 moves from x = 0 to x = 16, past a sheet that moves from x = 9 to x = 1: they touch where 16 t + 1 = 9 −
/// 8 t, at t = 1/3. Without the sheet it would touch another ball at x = 10, which both queries find, at t = 1/2.
#[test]
fn a_step_as_a_body_of_a_scene() {
    let ball = LinkPart { shape: Sphere::new(1.0).unwrap().into(), pose: Pose::IDENTITY };
    let rail = |name: &str, child: &str| Joint {
        name: name.into(),
        parent: "world".into(),
        child: child.into(),
        origin: Pose::IDENTITY,
        kind: JointKind::Prismatic { axis: DVec3::X },
        limits: None,
        mimic: None,
    };
    let links = vec![("world".into(), vec![]), ("a".into(), vec![ball.clone()]), ("b".into(), vec![ball])];
    let robot = Robot::new("balls", links, vec![rail("rail a", "a"), rail("rail b", "b")]).unwrap();
    let mut balls = Simulated::new(robot, Pose::IDENTITY, vec![], vec![0.0, 10.0]).unwrap();
    let moved = [Moved { variable: 0, from: 0.0, to: 16.0 }];
    let options = Options::default();
    let mut scene = Scene::default();
    scene.add(balls.body("balls", &moved).unwrap()).unwrap();
    let alone = scene.check(&options).unwrap().answer.touch().unwrap().toi;
    let stepped = balls.step(&moved, &options).unwrap().answer.touch().unwrap().toi;
    assert!((alone - 0.5).abs() < 1e-6 && (stepped - 0.5).abs() < 1e-6, "{alone}, {stepped}");

    let at = |x: f64| [(-40.0, -40.0), (40.0, -40.0), (0.0, 40.0)].map(|(y, z)| DVec3::new(x, y, z)).to_vec();
    let sheet = Deformable::new(at(9.0), at(1.0), vec![[0, 1, 2]], vec![], vec![]).unwrap();
    scene.add(Body::deforming("sheet", sheet)).unwrap();
    let answer = scene.check(&options).unwrap().answer;
    let touch = answer.touch().unwrap();
    // The sheet starts at x = 9, where the second ball, from 9 to 11, already touches it.
    assert_eq!((touch.bodies, touch.toi), ([0, 1], 0.0));
    balls.step(&[Moved { variable: 1, from: 10.0, to: 30.0 }], &options).unwrap();
    balls.accept(1.0).unwrap();
    let mut scene = Scene::default();
    scene.add(balls.body("balls", &moved).unwrap()).unwrap();
    let sheet = Deformable::new(at(9.0), at(1.0), vec![[0, 1, 2]], vec![], vec![]).unwrap();
    scene.add(Body::deforming("sheet", sheet)).unwrap();
    let toi = scene.check(&options).unwrap().answer.touch().unwrap().toi;
    assert!(toi <= 1.0 / 3.0 && toi > 1.0 / 3.0 - 1e-6, "{toi}");
    assert!(balls.body("balls", &[Moved { variable: 7, from: 0.0, to: 1.0 }]).is_err());
}

/// A link overlaps two obstacles at the start. The reported one used to depend on the order in which they were given.
/// Now it is the one whose name comes first.
#[test]
fn the_order_of_obstacles_changes_nothing_at_the_start() {
    let part = LinkPart { shape: Sphere::new(1.0).unwrap().into(), pose: Pose::IDENTITY };
    let slide = Joint {
        name: "slide".into(),
        parent: "rail".into(),
        child: "hand".into(),
        origin: Pose::IDENTITY,
        kind: JointKind::Prismatic { axis: DVec3::X },
        limits: None,
        mimic: None,
    };
    let robot = Robot::new("crane", vec![("rail".into(), vec![]), ("hand".into(), vec![part])], vec![slide]);
    let robot = robot.unwrap();
    let obstacle = |name: &str, y: f64| {
        let pose = Pose::from_translation(DVec3::new(0.0, y, 0.0)).unwrap();
        Body::new(name, Cuboid::new(DVec3::ONE).unwrap(), Motion::fixed(pose))
    };
    let (near, far) = (obstacle("a", 1.25), obstacle("b", -1.0));
    for mode in [Mode::First, Mode::Any] {
        for (obstacles, expected) in
            [(vec![near.clone(), far.clone()], 1), (vec![far.clone(), near.clone()], 2)]
        {
            let mut simulated = Simulated::new(robot.clone(), Pose::IDENTITY, obstacles, vec![0.0]).unwrap();
            let moved = [Moved { variable: 0, from: 0.0, to: 1.0 }];
            let answer = simulated.step(&moved, &Options { mode, ..Options::default() }).unwrap().answer;
            assert!(
                matches!(&answer, Answer::TouchingAtStart(touch) if touch.bodies == [0, expected]),
                "{answer:?}"
            );
        }
    }
}

/// A hand holds two bodies that overlap an obstacle at the start. The reported one, and the bits of the gap and the
/// points, used to depend on the order of the bodies. Now it is the one whose name comes first.
#[test]
fn the_order_of_what_is_held_changes_nothing() {
    let slide = Joint {
        name: "slide".into(),
        parent: "rail".into(),
        child: "hand".into(),
        origin: Pose::from_translation(DVec3::new(0.1, 0.2, 0.3)).unwrap(),
        kind: JointKind::Revolute { axis: DVec3::new(1.0, 2.0, 3.0) },
        limits: None,
        mimic: None,
    };
    let robot = Robot::new("crane", vec![("rail".into(), vec![]), ("hand".into(), vec![])], vec![slide]);
    let robot = robot.unwrap();
    let wall = |x: f64| {
        let pose = Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap();
        Body::new("wall", Cuboid::new(DVec3::new(1.0, 8.0, 8.0)).unwrap(), Motion::fixed(pose))
    };
    let held = [("a", 0.3), ("b", 1.3), ("c", 2.2)];
    for x in [0.5, 2.5, 4.0] {
        for mode in [Mode::First, Mode::Any] {
            let answers = [[0, 1, 2], [2, 1, 0], [1, 2, 0]].map(|order| {
                let mut robot = robot.clone();
                for k in order {
                    let (name, y) = held[k];
                    let pose = Pose::from_translation(DVec3::new(0.1, y, -0.2)).unwrap();
                    let part = LinkPart { shape: Sphere::new(0.6).unwrap().into(), pose };
                    robot.hold("hand", name, part, &[]).unwrap();
                }
                for (p, q) in [("a", "b"), ("b", "c"), ("a", "c")] {
                    robot.allow(p, q).unwrap();
                }
                let names: Vec<String> = robot.links().iter().map(|link| link.name().into()).collect();
                let mut simulated = Simulated::new(robot, Pose::IDENTITY, vec![wall(x)], vec![0.0]).unwrap();
                let moved = [Moved { variable: 0, from: 0.0, to: -3.0 }];
                let answer = simulated.step(&moved, &Options { mode, ..Options::default() }).unwrap().answer;
                let touch = answer.touch().cloned();
                let link = touch.as_ref().map(|touch| names[touch.parts[0].link().unwrap()].clone());
                let numbers = touch.map(|t| (t.toi, t.free_until, t.gap, t.points, t.normal));
                (std::mem::discriminant(&answer), link, numbers)
            });
            assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
        }
    }
}
