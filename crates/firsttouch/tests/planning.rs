//! Planned paths: free by an independent judge, reproducible, and honest if there is no way.

use crate::random;

use std::f64::consts::PI;

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::planning::{
    Method, Outcome, Plan, PlanControl, PlanOptions, ProvenEdges, Roadmap, Space, plan, plan_in,
};
use firsttouch::shape::{Capsule, Cuboid, Sphere};
use firsttouch::{Answer, Body, Interrupt, Options};
use glam::{DQuat, DVec3, dvec3};
use random::Random;

const RADIUS: f64 = 0.04;
const BALL: f64 = 0.15;

fn joint(name: &str, parent: &str, child: &str, at: DVec3, kind: JointKind) -> Joint {
    let origin = Pose::from_translation(at).unwrap();
    Joint {
        name: name.into(),
        parent: parent.into(),
        child: child.into(),
        origin,
        kind,
        limits: None,
        mimic: None,
    }
}

/// Three capsules of length 0.4 between their centres, along x from 0.05 of each joint, 0.5 apart; all joints turn
/// about z.
fn arm() -> Robot {
    let pose = Pose::new(dvec3(0.25, 0.0, 0.0), DQuat::from_rotation_y(PI / 2.0)).unwrap();
    let (mut links, mut joints) = (vec![("link0".to_string(), vec![])], Vec::new());
    for (k, x) in [0.0, 0.5, 0.5].into_iter().enumerate() {
        let (parent, child) = (format!("link{k}"), format!("link{}", k + 1));
        links
            .push((child.clone(), vec![LinkPart { shape: Capsule::new(RADIUS, 0.4).unwrap().into(), pose }]));
        let kind = JointKind::Revolute { axis: DVec3::Z };
        joints.push(joint(&format!("joint{k}"), &parent, &child, DVec3::X * x, kind));
    }
    Robot::new("arm", links, joints).unwrap()
}

fn ball(name: String, at: DVec3) -> Body {
    Body::new(name, Sphere::new(BALL).unwrap(), Motion::fixed(Pose::from_translation(at).unwrap()))
}

/// Returns the axes of the arm's three capsules.
fn axes(q: &[f64]) -> [[DVec3; 2]; 3] {
    let (mut at, mut angle) = (DVec3::ZERO, 0.0);
    [0, 1, 2].map(|k| {
        angle += q[k];
        let along = dvec3(f64::cos(angle), f64::sin(angle), 0.0);
        let axis = [at + along * 0.05, at + along * 0.45];
        at += along * 0.5;
        axis
    })
}

fn distance(point: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    let share = ((point - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    point.distance(a + (b - a) * share)
}

/// Returns the least distance of the arm to the balls, sampled along a path.
fn sampled_clearance(path: &[Vec<f64>], balls: &[DVec3]) -> f64 {
    let mut least = f64::INFINITY;
    for ends in path.windows(2) {
        for step in 0..=200 {
            let t = f64::from(step) / 200.0;
            let q: Vec<f64> = ends[0].iter().zip(&ends[1]).map(|(a, b)| a + (b - a) * t).collect();
            for axis in axes(&q) {
                for &ball in balls {
                    least = least.min(distance(ball, axis) - RADIUS - BALL);
                }
            }
        }
    }
    least
}

fn found(outcome: Outcome) -> Plan {
    match outcome {
        Outcome::Found(plan) => plan,
        other => panic!("{other:?}"),
    }
}

/// Random worlds of four balls. The straight way is blocked in many of them, a way is found in most, and every path is
/// free. The checker confirms it edge by edge in the direction of travel, and so does the judge, which uses only the
/// distance of a point and a segment.
#[test]
fn random_worlds() {
    let mut random = Random(5);
    let (mut tried, mut blocked, mut hit) = (0, 0, 0);
    for world in 0..32 {
        let balls: Vec<DVec3> = (0..4)
            .map(|_| {
                let (radius, angle) = (random.range(0.7, 1.3), random.range(-PI, PI));
                // Not all in one plane.
                dvec3(radius * angle.cos(), radius * angle.sin(), 0.0) + random.vector(0.02)
            })
            .collect();
        let bodies = balls.iter().enumerate().map(|(k, &at)| ball(format!("ball {k}"), at)).collect();
        let checker = Checker::new(arm(), Pose::IDENTITY, bodies).unwrap();
        let [from, to] =
            [0; 2].map(|_| [random.range(-PI, PI), random.range(-1.5, 1.5), random.range(-1.5, 1.5)]);
        let method = if world % 2 == 0 { Method::RrtConnect } else { Method::Roadmap };
        let options =
            PlanOptions { seed: world, method, max_samples: 2_000, smoothing: 1, ..PlanOptions::default() };
        let outcome = plan(&checker, &from, &to, &options, &PlanControl::default()).unwrap();
        let again = plan(&checker, &from, &to, &options, &PlanControl::default()).unwrap();
        assert_eq!(outcome, again, "the same seed, the same path");
        let straight = sampled_clearance(&[from.to_vec(), to.to_vec()], &balls);
        match outcome {
            Outcome::Found(plan) => {
                tried += 1;
                hit += 1;
                blocked += usize::from(straight < 0.0);
                assert!(plan.waypoints.len() > 2 || straight > 0.0, "world {world}");
                assert_eq!(
                    (&plan.waypoints[0][..], &plan.waypoints[plan.waypoints.len() - 1][..]),
                    (&from[..], &to[..])
                );
                assert!(plan.length <= plan.found_length * (1.0 + 1e-12), "{plan:?}");
                let report = checker.check_path(&plan.waypoints, &Options::default(), |_| ()).unwrap();
                assert_eq!((report.answer, report.checked), (Answer::Free, plan.waypoints.len() - 1));
                let clearance = sampled_clearance(&plan.waypoints, &balls);
                assert!(clearance > 0.0, "world {world}: {clearance}");
            }
            Outcome::EndNotFree { end, answer } => {
                let end = [from, to][end].to_vec();
                let gap = sampled_clearance(&[end.clone(), end], &balls);
                assert!(gap <= 1e-6 || answer.touch().is_some_and(|touch| touch.bodies == [0, 0]), "{gap}");
            }
            Outcome::NotFound { is_interrupted, .. } => {
                tried += 1;
                assert!(!is_interrupted);
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(tried >= 10 && hit * 10 >= tried * 8 && blocked >= 5, "{tried} {hit} {blocked}");
}

/// The separation is kept, and the path there and the path back are both found.
#[test]
fn a_separation_and_the_way_back() {
    let balls = [dvec3(0.9, 0.9, 0.0), dvec3(-0.9, 0.9, 0.0)];
    let bodies = balls.iter().enumerate().map(|(k, &at)| ball(format!("ball {k}"), at)).collect();
    let checker = Checker::new(arm(), Pose::IDENTITY, bodies).unwrap();
    let ends = [[0.0, 0.0, 0.0], [PI - 0.3, 0.4, 0.4]];
    for [from, to] in [ends, [ends[1], ends[0]]] {
        let check = Options { min_separation: 0.05, ..Options::default() };
        let options = PlanOptions { check, ..PlanOptions::default() };
        let plan = found(plan(&checker, &from, &to, &options, &PlanControl::default()).unwrap());
        let clearance = sampled_clearance(&plan.waypoints, &balls);
        assert!(clearance >= 0.05 && plan.waypoints.len() > 2, "{clearance}");
    }
}

/// An edge of a tree that grows from the goal is proven free against the direction of travel. With a coarse tolerance
/// the check of the same edge in the direction of travel may report a touch, because a touch may be reported anywhere
/// within the tolerance. The last proof then refused the path, and the planner gave up with most of its samples unused,
/// in 4 of these worlds. Now it searches again, among edges that are free both ways.
#[test]
fn a_path_within_the_tolerance_is_not_the_end() {
    let mut random = Random(3);
    let (mut found, mut given_up) = (0, 0);
    for seed in 0..400 {
        let balls: Vec<DVec3> = (0..2)
            .map(|_| {
                let (radius, angle) = (random.range(0.6, 1.5), random.range(-PI, PI));
                dvec3(radius * angle.cos(), radius * angle.sin(), 0.0)
            })
            .collect();
        let bodies = balls.iter().enumerate().map(|(k, &at)| ball(format!("ball {k}"), at)).collect();
        let checker = Checker::new(arm(), Pose::IDENTITY, bodies).unwrap();
        let [from, to] =
            [0; 2].map(|_| [random.range(-PI, PI), random.range(-1.5, 1.5), random.range(-1.5, 1.5)]);
        let check = Options { tolerance: 0.3, ..Options::default() };
        let options = PlanOptions { seed, check, max_samples: 2_000, smoothing: 1, ..PlanOptions::default() };
        match plan(&checker, &from, &to, &options, &PlanControl::default()).unwrap() {
            Outcome::Found(plan) => {
                found += 1;
                assert!(sampled_clearance(&plan.waypoints, &balls) > 0.0);
            }
            Outcome::NotFound { stats, .. } => given_up += usize::from(stats.samples < options.max_samples),
            _ => (),
        }
    }
    assert!(found >= 80, "{found}");
    assert_eq!(given_up, 0);
}

/// Returns a cart that slides in the plane, and a wall across it with or without a gap, on the link "ground".
fn cart(gap: f64) -> Checker {
    let slide = |axis| JointKind::Prismatic { axis };
    let links = vec![
        ("ground".to_string(), vec![]),
        ("rail".into(), vec![]),
        ("cart".into(), vec![LinkPart { shape: Sphere::new(0.5).unwrap().into(), pose: Pose::IDENTITY }]),
    ];
    let joints = vec![
        joint("x", "ground", "rail", DVec3::ZERO, slide(DVec3::X)),
        joint("y", "rail", "cart", DVec3::ZERO, slide(DVec3::Y)),
    ];
    // Two walls along y, at x = 0, from the gap to 10 on each side.
    let wall = |name: &str, side: f64| {
        let length = 10.0 - 0.5 * gap;
        let at = dvec3(0.0, side * (0.5 * gap + 0.5 * length), 0.0);
        let shape = Cuboid::new(dvec3(0.2, length, 2.0)).unwrap();
        Body::new(name, shape, Motion::fixed(Pose::from_translation(at).unwrap()))
    };
    let bodies = vec![wall("left", 1.0), wall("right", -1.0)];
    Checker::new(Robot::new("cart", links, joints).unwrap(), Pose::IDENTITY, bodies).unwrap()
}

const RANGES: [(&str, [f64; 2]); 2] = [("x", [-4.0, 4.0]), ("y", [-4.0, 4.0])];

/// The cart passes a gap that is wider than the cart, and never one that is narrower. A slide without limits needs a
/// range.
#[test]
fn a_gap_in_a_wall() {
    let (from, to) = ([-3.0, 3.0], [3.0, 3.0]);
    for method in [Method::RrtConnect, Method::Roadmap] {
        let options = PlanOptions { method, max_samples: 3_000, ..PlanOptions::default() };
        let control = PlanControl::default();
        for (gap, is_wide) in [(1.6, true), (0.9, false)] {
            let checker = cart(gap);
            assert!(plan(&checker, &from, &to, &options, &control).is_err());
            let space = Space::new(checker.robot(), [&from, &to], &RANGES).unwrap();
            match plan_in(&space, &checker, &from, &to, &options, &control).unwrap() {
                Outcome::Found(plan) => assert!(is_wide && plan.waypoints.len() > 2),
                Outcome::NotFound { is_interrupted, stats, .. } => {
                    // Guesses take at most half as many samples, and proven motions all of them.
                    assert!((3_000..=4_500).contains(&stats.samples), "{method:?} {stats:?}");
                    assert!(!is_wide && !is_interrupted, "{method:?} {stats:?}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// A roadmap keeps its proofs: later queries in the same world prove fewer edges.
#[test]
fn a_roadmap_remembers() {
    let checker = cart(1.6);
    let (from, to) = ([-3.0, 3.0], [3.0, 3.0]);
    let space = Space::new(checker.robot(), [&from, &to], &RANGES).unwrap();
    let (options, control) = (PlanOptions::default(), PlanControl::default());
    let mut roadmap = Roadmap::default();
    let mut checks = Vec::new();
    for ends in [[&from[..], &to[..]], [&to[..], &from[..]], [&from[..], &to[..]]] {
        let mut edges = ProvenEdges::new(&checker, Options::default(), None).unwrap();
        let plan = found(
            roadmap
                .plan(&space, ends, &PlanOptions { shortcuts: 0, ..options }, &control, &mut edges)
                .unwrap(),
        );
        let report = checker.check_path(&plan.waypoints, &Options::default(), |_| ()).unwrap();
        assert_eq!(report.answer, Answer::Free);
        checks.push(plan.stats.checks);
    }
    // Only the two ends and the straight way are checked each time.
    assert!(checks[0] > 20 && checks[1..] == [3, 3], "{checks:?}");
    assert!(roadmap.proven_edges() > 0 && roadmap.nodes() > 20);
}

/// Returns a ball of radius 1 that slides in a plane or in space, and a post of radius 1 at x = 5.
fn slider(is_in_space: bool) -> Checker {
    let slide = |name: &str, parent: &str, child: &str, axis: DVec3| Joint {
        limits: Some([-10.0, 10.0]),
        ..joint(name, parent, child, DVec3::ZERO, JointKind::Prismatic { axis })
    };
    let ball = LinkPart { shape: Sphere::new(1.0).unwrap().into(), pose: Pose::IDENTITY };
    let mut links: Vec<(String, Vec<LinkPart>)> = vec![("ground".into(), vec![]), ("cart".into(), vec![])];
    let mut joints = vec![slide("x", "ground", "cart", DVec3::X)];
    let last = if is_in_space {
        links.push(("mid".into(), vec![]));
        joints.push(slide("z", "cart", "mid", DVec3::Z));
        "mid"
    } else {
        "cart"
    };
    joints.push(slide("y", last, "ball", DVec3::Y));
    links.push(("ball".into(), vec![ball]));
    let post = Pose::from_translation(DVec3::X * 5.0).unwrap();
    let post = Body::new("post", Sphere::new(1.0).unwrap(), Motion::fixed(post));
    Checker::new(Robot::new("slider", links, joints).unwrap(), Pose::IDENTITY, vec![post]).unwrap()
}

/// A roadmap was kept while an obstacle was put on the path that it had found. Of 139 paths of the second query 122
/// were "found, every edge proven free", and led through the obstacle: proofs of edges hold in the world of that time.
/// Now such edges are proven again, also after the obstacle is removed, and after the separation or a padding has
/// changed.
#[test]
fn a_roadmap_knows_which_world_its_edges_are_free_in() {
    let (from, to, control) = ([0.0, 0.0], [9.0, 0.0], PlanControl::default());
    let space = Space::new(slider(false).robot(), [&from, &to], &[]).unwrap();
    let (mut second, mut proven_again, mut kept) = (0, 0, 0);
    for seed in 0..100 {
        let mut checker = slider(false);
        let mut roadmap = Roadmap::default();
        let shortcuts = if seed % 2 == 0 { 0 } else { 200 };
        let options = PlanOptions { seed, shortcuts, max_samples: 2_000, ..PlanOptions::default() };
        let plan = |roadmap: &mut Roadmap, checker: &Checker, check: &Options| {
            let mut edges = ProvenEdges::new(checker, *check, None).unwrap();
            let outcome = roadmap.plan(&space, [&from, &to], &options, &control, &mut edges).unwrap();
            let Outcome::Found(plan) = outcome else { return None };
            let exact = Options { tolerance: 1e-12, ..*check };
            let report = checker.check_path(&plan.waypoints, &exact, |_| ()).unwrap();
            assert_eq!(report.answer, Answer::Free, "seed {seed}: {:?}", plan.waypoints);
            Some(plan)
        };
        let check = Options::default();
        let Some(first) = plan(&mut roadmap, &checker, &check) else { continue };
        let known = roadmap.proven_edges();
        assert!(known > 0, "seed {seed}");
        let [x, y] = first.waypoints[1][..] else { panic!("two joints") };
        let pose = Pose::from_translation(dvec3(0.6 * x, 0.6 * y, 0.0)).unwrap();
        let clone = checker.clone();
        checker.add_obstacle(Body::new("new", Sphere::new(0.5).unwrap(), Motion::fixed(pose))).unwrap();
        second += usize::from(plan(&mut roadmap, &checker, &check).is_some());
        // Other options, and another padding.
        plan(&mut roadmap, &checker, &Options { min_separation: 0.3, ..check });
        checker.set_padding(0.6).unwrap();
        plan(&mut roadmap, &checker, &check);
        // An unedited clone of the first world is that world. It was not the last one, so its edges are proven again,
        // once.
        let again = plan(&mut roadmap, &clone, &check).expect("the first path is free there");
        let once_more = plan(&mut roadmap, &clone.clone(), &check).expect("it is found");
        proven_again += usize::from(again.stats.checks > once_more.stats.checks);
        kept += usize::from(shortcuts == 0 && once_more.stats.checks == 3);
    }
    assert!(second > 50 && proven_again > 50 && kept > 30, "{second}, {proven_again}, {kept}");
}

/// A roadmap of two joints that was given a space of three had an index out of range. The error names the difference,
/// and the roadmap still serves its own space.
#[test]
fn a_roadmap_refuses_another_space() {
    let (plane, space) = (slider(false), slider(true));
    let control = PlanControl::default();
    let mut roadmap = Roadmap::default();
    let ends = [[0.0, 0.0], [9.0, 0.0]];
    let own = Space::new(plane.robot(), [&ends[0], &ends[1]], &[]).unwrap();
    let options = PlanOptions::default();
    let mut edges = ProvenEdges::new(&plane, Options::default(), None).unwrap();
    found(roadmap.plan(&own, [&ends[0], &ends[1]], &options, &control, &mut edges).unwrap());
    let wide = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]];
    let other = Space::new(space.robot(), [&wide[0], &wide[1]], &[]).unwrap();
    let mut edges = ProvenEdges::new(&space, Options::default(), None).unwrap();
    let error = roadmap.plan(&other, [&wide[0], &wide[1]], &options, &control, &mut edges).unwrap_err();
    assert!(error.to_string().contains("2 variables, this has 3"), "{error}");
    let ranges = [("x", [-1.0, 10.0])];
    let other = Space::new(plane.robot(), [&ends[0], &ends[1]], &ranges).unwrap();
    let mut edges = ProvenEdges::new(&plane, Options::default(), None).unwrap();
    let error = roadmap.plan(&other, [&ends[0], &ends[1]], &options, &control, &mut edges).unwrap_err();
    assert!(error.to_string().contains("\"x\" goes from -10 to 10 there, from -1 to 10 here"), "{error}");
    let mut edges = ProvenEdges::new(&plane, Options::default(), None).unwrap();
    found(roadmap.plan(&own, [&ends[0], &ends[1]], &options, &control, &mut edges).unwrap());
}

/// Input that cannot be planned is refused, with the reason and the place.
#[test]
fn refusals() {
    let control = PlanControl::default();
    let mut checker = cart(1.6);
    let robot = checker.robot().clone();
    let error = Space::new(&robot, [&[0.0, 0.0], &[1.0, 9.0]], &RANGES).unwrap_err().to_string();
    assert!(
        error.contains("\"y\" of the goal (range -4 to 4) must be within its range, but is 9"),
        "{error}"
    );
    assert!(Space::new(&robot, [&[0.0, 0.0], &[1.0, f64::NAN]], &RANGES).is_err());
    assert!(Space::new(&robot, [&[0.0, 0.0], &[1.0, 1.0]], &[("z", [0.0, 1.0])]).is_err());
    // On the wall at the start.
    let space = Space::new(&robot, [&[0.0, 3.0], &[3.0, 3.0]], &RANGES).unwrap();
    let options = PlanOptions::default();
    let outcome = plan_in(&space, &checker, &[0.0, 3.0], &[3.0, 3.0], &options, &control).unwrap();
    assert!(
        matches!(outcome, Outcome::EndNotFree { end: 0, answer: Answer::TouchingAtStart(_) }),
        "{outcome:?}"
    );
    // Interrupted before it began.
    let interrupt = Interrupt::default();
    interrupt.raise();
    let stopped = PlanControl { interrupt: Some(&interrupt), ..control };
    let outcome = plan_in(&space, &checker, &[-3.0, 3.0], &[3.0, 3.0], &options, &stopped).unwrap();
    assert!(matches!(outcome, Outcome::NotFound { is_interrupted: true, .. }), "{outcome:?}");
    // A waypoint has no time, so obstacles must be at rest.
    let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
    checker
        .add_obstacle(Body::new("bus", Sphere::new(0.1).unwrap(), Motion::linear(at(8.0), at(9.0))))
        .unwrap();
    let error =
        plan_in(&space, &checker, &[-3.0, 3.0], &[3.0, 3.0], &options, &control).unwrap_err().to_string();
    assert!(error.contains("obstacles that move or deform, here \"bus\""), "{error}");
}

/// A floating box has to turn to get through a slot that is wider than it is thick. Orientations are sampled, measured
/// and mixed.
#[test]
fn a_turn_through_a_slot() {
    let slab = LinkPart { shape: Cuboid::new(dvec3(1.0, 1.0, 0.2)).unwrap().into(), pose: Pose::IDENTITY };
    let links = vec![("ground".to_string(), vec![]), ("slab".into(), vec![slab])];
    let joints = vec![joint("free", "ground", "slab", DVec3::ZERO, JointKind::Floating)];
    // Two walls at x = 0 with a slot of 0.6 along y between them, open above and below.
    let wall = |name: &str, side: f64| {
        let at = dvec3(0.0, side * 2.3, 0.0);
        let shape = Cuboid::new(dvec3(0.4, 4.0, 6.0)).unwrap();
        Body::new(name, shape, Motion::fixed(Pose::from_translation(at).unwrap()))
    };
    let robot = Robot::new("slab", links, joints).unwrap();
    let checker = Checker::new(robot, Pose::IDENTITY, vec![wall("left", 1.0), wall("right", -1.0)]).unwrap();
    let at = |x: f64| [x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let (from, to) = (at(-1.5), at(1.5));
    let ranges =
        [("free/trans_x", [-2.0, 2.0]), ("free/trans_y", [-1.0, 1.0]), ("free/trans_z", [-1.0, 1.0])];
    let space = Space::new(checker.robot(), [&from, &to], &ranges).unwrap();
    let options = PlanOptions { max_samples: 20_000, ..PlanOptions::default() };
    let plan = found(plan_in(&space, &checker, &from, &to, &options, &PlanControl::default()).unwrap());
    let report = checker.check_path(&plan.waypoints, &Options::default(), |_| ()).unwrap();
    assert_eq!(report.answer, Answer::Free);
    // It cannot pass upright: 1 wide in a slot of 0.6.
    let turned = plan.waypoints.iter().map(|q| q[6].abs()).fold(1.0, f64::min);
    assert!(turned < 0.95, "{turned}");
}
