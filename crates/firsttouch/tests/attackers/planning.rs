//! Attacks on the planner: worlds made to fool its guesses.
//!
//! [`run`] makes `rounds` worlds from a seed and panics with the story at the first broken promise. A part slides in a
//! plane and turns, from one side of a wall to the other. The wall is
//! - *thin*: a plate that samples of a motion pass, with a slot or without;
//! - *narrow*: the slot leaves a long part a thousandth to a half of its width, less than balls about the part stick
//!   out.
//!
//! The part is a ball, a box, a board, or two balls with a gap between them that the edge of the wall fits into.
//! Judges:
//! - a path that is found is free for a checker that is built again, motion by motion, with a tolerance a thousandth of
//!   the planner's; and at 100 configurations of each motion;
//! - a straight way that is proven free is found: where guesses refuse it, proofs do not;
//! - an end that is refused is also refused by that checker.

use std::panic::{AssertUnwindSafe, catch_unwind};

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::planning::{Method, Outcome, PlanControl, PlanOptions, plan};
use firsttouch::shape::{Cuboid, Mesh, Shape, Sphere};
use firsttouch::{Answer, Body, Options};
use glam::{DVec3, dvec3};

use super::random::Random;

/// The number of worlds with each outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) found: usize,
    pub(crate) not_found: usize,
    pub(crate) end_not_free: usize,
    /// Worlds with a straight way that is free, and those of them where the way is narrower than balls about the part.
    pub(crate) straight: usize,
    pub(crate) narrow: usize,
    /// Motions that were guessed to be free and were not.
    pub(crate) refuted: usize,
}

/// Attacks the planner, with this many worlds from a seed.
pub(crate) fn run(seed: u64, rounds: usize) -> Counts {
    let mut counts = Counts::default();
    for round in 0..rounds {
        let story = format!("planning: seed {seed}, round {round}");
        let mut random = Random(seed.wrapping_mul(0x1000_0001).wrapping_add(round as u64));
        let attack = AssertUnwindSafe(|| attack(&mut random, &mut counts));
        if let Err(panic) = catch_unwind(attack) {
            eprintln!("{story}");
            std::panic::resume_unwind(panic);
        }
    }
    counts
}

/// A part that slides along x and y, and turns about z.
fn slider(part: Vec<LinkPart>) -> Robot {
    let joint = |name: &str, parent: &str, child: &str, kind: JointKind, most: f64| Joint {
        name: name.into(),
        parent: parent.into(),
        child: child.into(),
        origin: Pose::IDENTITY,
        kind,
        limits: Some([-most, most]),
        mimic: None,
    };
    let links = vec![
        ("ground".to_string(), vec![]),
        ("rail".into(), vec![]),
        ("cart".into(), vec![]),
        ("part".into(), part),
    ];
    let joints = vec![
        joint("x", "ground", "rail", JointKind::Prismatic { axis: DVec3::X }, 3.0),
        joint("y", "rail", "cart", JointKind::Prismatic { axis: DVec3::Y }, 3.0),
        joint("turn", "cart", "part", JointKind::Revolute { axis: DVec3::Z }, 3.0),
    ];
    Robot::new("slider", links, joints).unwrap()
}

fn placed(shape: impl Into<Shape>, at: DVec3) -> LinkPart {
    LinkPart { shape: shape.into(), pose: Pose::from_translation(at).unwrap() }
}

/// A box as a surface.
fn shell(half: DVec3) -> Mesh {
    let corner = |k: u32| {
        let side = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half * dvec3(side(0), side(1), side(2))
    };
    let triangles = [
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];
    Mesh::new((0..8).map(corner).collect(), triangles.into()).unwrap()
}

fn attack(random: &mut Random, counts: &mut Counts) {
    // The width of the part across its way.
    let (part, width) = match random.index(4) {
        0 => {
            // Small ones pass a plate between two samples of a motion.
            let most = if random.index(2) == 0 { 0.03 } else { 0.4 };
            let radius = random.range(0.2 * most, most);
            (vec![placed(Sphere::new(radius).unwrap(), DVec3::ZERO)], 2.0 * radius)
        }
        1 => {
            let half = dvec3(random.range(0.2, 0.8), random.range(0.02, 0.3), random.range(0.05, 0.3));
            let shape: Shape = if random.index(2) == 0 {
                Cuboid::new(2.0 * half).unwrap().into()
            } else {
                shell(half).into()
            };
            (vec![placed(shape, DVec3::ZERO)], 2.0 * half.y)
        }
        2 => {
            // A long board, thinner than a ball about any piece of it.
            let board = Cuboid::new(dvec3(1.5, 0.02, 0.6)).unwrap();
            (vec![placed(board, DVec3::ZERO)], 0.02)
        }
        _ => {
            let at = random.range(0.15, 0.5);
            let ball = || Sphere::new(0.1).unwrap();
            (vec![placed(ball(), DVec3::Y * at), placed(ball(), DVec3::Y * -at)], 2.0 * at + 0.2)
        }
    };
    let check = Options {
        min_separation: if random.index(3) == 0 { random.range(0.0, 0.02) } else { 0.0 },
        ..Options::default()
    };
    let is_closed = random.index(4) == 0;
    let room = [1e-3, 1e-2, 0.1, 0.5][random.index(4)] * width + 2.0 * check.min_separation;
    let gap = width + room;
    let at = random.range(-0.8, 0.8);
    let thickness = if random.index(2) == 0 { 1e-4 } else { random.range(0.01, 0.6) };
    let wall = |name: &str, low: f64, high: f64| {
        let shape = Cuboid::new(dvec3(thickness, high - low, 2.0)).unwrap();
        let pose = Pose::from_translation(dvec3(0.0, 0.5 * (low + high), 0.0)).unwrap();
        Body::new(name, shape, Motion::fixed(pose))
    };
    let walls = if is_closed {
        vec![wall("wall", -9.0, 9.0)]
    } else {
        vec![wall("low", -9.0, at - 0.5 * gap), wall("high", at + 0.5 * gap, 9.0)]
    };
    let build = || Checker::new(slider(part.clone()), Pose::IDENTITY, walls.clone()).unwrap();
    let checker = build();
    // Straight through the slot, or from and to anywhere.
    let is_aligned = random.index(2) == 0;
    let mut end = |x: f64| {
        let y = if is_aligned { at } else { random.range(-2.0, 2.0) };
        vec![x, y, if is_aligned { 0.0 } else { random.range(-1.0, 1.0) }]
    };
    let (from, to) = (end(-1.5), end(1.5));
    let method = if random.index(4) == 0 { Method::Roadmap } else { Method::RrtConnect };
    let smoothing = random.index(2);
    let options = PlanOptions {
        seed: random.next(),
        method,
        smoothing,
        max_samples: 400,
        check,
        ..PlanOptions::default()
    };
    let is_straight = checker.check_step(&from, &to, &check).unwrap().answer == Answer::Free;
    counts.straight += usize::from(is_straight);
    counts.narrow += usize::from(is_straight && room < 0.05 * width);

    let judge = build();
    let exact = Options { tolerance: 1e-3 * check.tolerance, ..check };
    let outcome = plan(&checker, &from, &to, &options, &PlanControl::default()).unwrap();
    assert_eq!(
        outcome,
        plan(&checker, &from, &to, &options, &PlanControl::default()).unwrap(),
        "the same seed"
    );
    match outcome {
        Outcome::Found(plan) => {
            counts.found += 1;
            counts.refuted += plan.stats.refuted;
            assert!(!is_closed, "a path through a closed wall: {plan:?}");
            assert_eq!((&plan.waypoints[0], &plan.waypoints[plan.waypoints.len() - 1]), (&from, &to));
            for motion in plan.waypoints.windows(2) {
                let answer = judge.check_step(&motion[0], &motion[1], &exact).unwrap().answer;
                assert_eq!(answer, Answer::Free, "{motion:?}");
                for k in 0..=100 {
                    let t = f64::from(k) / 100.0;
                    let at: Vec<f64> =
                        motion[0].iter().zip(&motion[1]).map(|(a, b)| a + (b - a) * t).collect();
                    // The configuration is rounded.
                    let nearly = Options { min_separation: (exact.min_separation - 1e-9).max(0.0), ..exact };
                    assert_eq!(
                        judge.check_state(&at, &nearly).unwrap().answer,
                        Answer::Free,
                        "{motion:?} at {t}"
                    );
                }
            }
        }
        Outcome::NotFound { is_interrupted, stats, .. } => {
            counts.not_found += 1;
            counts.refuted += stats.refuted;
            assert!(!is_interrupted && !is_straight, "a straight way is lost: {stats:?}");
            // Guesses take at most half as many samples, and proven motions all of them.
            let all = options.max_samples;
            assert!((all..=all + all / 2).contains(&stats.samples), "{stats:?}");
        }
        Outcome::EndNotFree { end, .. } => {
            counts.end_not_free += 1;
            let at = [&from, &to][end];
            assert_ne!(judge.check_state(at, &check).unwrap().answer, Answer::Free);
        }
        other => panic!("{other:?}"),
    }
}
