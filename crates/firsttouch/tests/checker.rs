//! The long-lived checker: the same bits in every order, the same answers after any change as after a rebuild, contacts
//! at the start before any other, and paths.

use crate::random;

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot, RobotStep, SegmentDone};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Mesh, Shape, Sphere};
use firsttouch::{Answer, Body, Mode, Options, Scene};
use glam::{DQuat, DVec3};
use random::Random;

fn pose(random: &mut Random, size: f64) -> Pose {
    let [x, y, z, w] = [0; 4].map(|_| random.range(-1.0, 1.0));
    Pose::new(random.vector(size), DQuat::from_xyzw(x, y, z, w)).unwrap()
}

/// Returns a cube or a ball, and every third time the surface of a box.
fn shape(random: &mut Random, k: usize) -> Shape {
    let half = DVec3::new(random.range(0.05, 0.15), random.range(0.05, 0.15), random.range(0.1, 0.3));
    match k % 3 {
        0 => Cuboid::new(2.0 * half).unwrap().into(),
        1 => Sphere::new(half.x).unwrap().into(),
        _ => {
            let corner = |i: u32| {
                let side = |bit: u32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
                half * DVec3::new(side(0), side(1), side(2))
            };
            let quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
            let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
            Mesh::new((0..8).map(corner).collect(), triangles).unwrap().into()
        }
    }
}

/// Returns links and joints of a random tree; every fourth joint is fixed.
fn described(random: &mut Random, links: usize) -> (Vec<(String, Vec<LinkPart>)>, Vec<Joint>) {
    let (mut all, mut joints) = (Vec::new(), Vec::new());
    for i in 0..links {
        let parts = (0..1 + i % 2).map(|k| {
            let shape = shape(random, i + k);
            LinkPart { shape, pose: if k == 0 { Pose::IDENTITY } else { pose(random, 0.2) } }
        });
        all.push((format!("link{i}"), parts.collect()));
        if i > 0 {
            let parent = i - 1 - (random.next() % 2) as usize % i;
            let axis = random.vector(1.0) + DVec3::splat(1e-3);
            let kind = match i % 4 {
                3 => JointKind::Fixed,
                2 => JointKind::Prismatic { axis },
                _ => JointKind::Revolute { axis },
            };
            joints.push(Joint {
                name: format!("joint{i}"),
                parent: format!("link{parent}"),
                child: format!("link{i}"),
                origin: pose(random, 0.7),
                kind,
                limits: None,
                mimic: None,
            });
        }
    }
    (all, joints)
}

fn shuffle<T>(random: &mut Random, items: &mut [T]) {
    for i in (1..items.len()).rev() {
        items.swap(i, (random.next() % (i as u64 + 1)) as usize);
    }
}

fn obstacles(random: &mut Random, count: usize) -> Vec<Body> {
    (0..count)
        .map(|k| {
            let at = pose(random, 1.2);
            let motion = if k % 4 == 3 { Motion::linear(at, pose(random, 1.2)) } else { Motion::fixed(at) };
            Body::new(format!("obstacle{k}"), shape(random, k), motion)
        })
        .collect()
}

/// Returns everything in an answer, with names in place of indices, bit for bit; the sides are in the order of their
/// names.
fn bits(checker: &Checker, answer: &Answer) -> String {
    let name = |body: usize| match body.checked_sub(1) {
        None => "robot".to_string(),
        Some(k) => checker.obstacle(k).name().to_string(),
    };
    let hex = |v: DVec3| v.to_array().map(|x| x.to_bits());
    match answer {
        Answer::Free => "free".into(),
        Answer::Undecided { free_until, bodies } => {
            format!("undecided {:x} {:?}", free_until.to_bits(), bodies.map(name))
        }
        Answer::Touch(touch) | Answer::TouchingAtStart(touch) => {
            let mut sides: Vec<String> = (0..2)
                .map(|k| {
                    let part = part_name(checker, touch.bodies[k], &touch.parts[k].to_string());
                    format!(
                        "{} {part} {:?} {:?}",
                        name(touch.bodies[k]),
                        touch.features[k],
                        hex(touch.points[k])
                    )
                })
                .collect();
            sides.sort();
            format!("{:x} {:x} {sides:?}", touch.toi.to_bits(), touch.gap.to_bits())
        }
    }
}

/// Returns the name of a part, with the name of a link in place of its index.
fn part_name(checker: &Checker, body: usize, part: &str) -> String {
    let Some(rest) = part.strip_prefix("link ").filter(|_| body == 0) else { return part.into() };
    let end = rest.find('/').unwrap_or(rest.len());
    let link: usize = rest[..end].parse().unwrap();
    format!("{}{}", checker.robot().links()[link].name(), &rest[end..])
}

/// The lengths of all frames were once added up in the order of the links, and the sum was part of every error of a
/// relative pose; pairs were processed in the order of links and obstacles. Both changed the last bits of the answer.
#[test]
fn the_order_of_links_and_obstacles_changes_no_bit() {
    let mut kinds = [0; 3];
    for seed in 0..300 {
        let mut random = Random(seed);
        let (links, joints) = described(&mut random, 3 + (seed % 6) as usize);
        let bodies = obstacles(&mut random, (seed % 5) as usize);
        let values: Vec<[f64; 2]> = joints.iter().map(|_| [0; 2].map(|_| random.range(-1.0, 1.0))).collect();
        let mode = if seed % 3 == 0 { Mode::Any } else { Mode::First };
        let options = Options { tolerance: 1e-9, mode, ..Options::default() };
        let mut seen: Vec<String> = Vec::new();
        for _ in 0..3 {
            let (mut links, mut joints, mut bodies) = (links.clone(), joints.clone(), bodies.clone());
            shuffle(&mut random, &mut links);
            shuffle(&mut random, &mut joints);
            shuffle(&mut random, &mut bodies);
            let robot = Robot::new("robot", links, joints).unwrap();
            let at = |end: usize| -> Vec<f64> {
                let value = |name: &str| values[name[5..].parse::<usize>().unwrap() - 1][end];
                robot.variables().iter().map(|variable| value(&variable.name)).collect()
            };
            let (from, to) = (at(0), at(1));
            let checker = Checker::new(robot, Pose::IDENTITY, bodies).unwrap();
            let answer = checker.check_step(&from, &to, &options).unwrap().answer;
            kinds[match answer {
                Answer::Free => 0,
                Answer::Touch(_) => 1,
                _ => 2,
            }] += 1;
            seen.push(bits(&checker, &answer));
        }
        assert!(seen.iter().all(|other| *other == seen[0]), "seed {seed}: {seen:#?}");
    }
    assert!(kinds.iter().all(|&count| count > 60), "free, touch, start: {kinds:?}");
}

/// The same for bodies attached to a robot of a scene, in one order and in the other.
#[test]
fn the_order_of_attached_bodies_changes_no_bit() {
    let joint = |i: usize| Joint {
        name: format!("j{i}"),
        parent: format!("l{i}"),
        child: format!("l{}", i + 1),
        origin: Pose::from_translation(DVec3::new(0.3, 0.1 * i as f64, 0.2)).unwrap(),
        kind: JointKind::Revolute { axis: DVec3::new(0.2, 0.3, 1.0) },
        limits: None,
        mimic: None,
    };
    let mut random = Random(1);
    let mut touching = 0;
    for case in 0..600 {
        let poses: Vec<Pose> = (0..4).map(|_| Pose::from_translation(random.vector(0.5)).unwrap()).collect();
        let to: Vec<f64> = (0..3).map(|_| random.range(-2.0, 2.0)).collect();
        let options = Options { tolerance: 1e-12, ..Options::default() };
        let mut seen = Vec::new();
        for order in [[0, 1, 2, 3], [3, 2, 1, 0]] {
            let links = (0..4).map(|i| (format!("l{i}"), vec![])).collect();
            let robot = Robot::new("r", links, (0..3).map(joint).collect()).unwrap();
            let step =
                RobotStep::new(robot.clone(), Pose::IDENTITY, vec![0.1, 0.2, 0.3], to.clone()).unwrap();
            let mut scene = Scene::default();
            scene.add(Body::robot("r", step)).unwrap();
            let mut checker = Checker::new(robot, Pose::IDENTITY, vec![]).unwrap();
            for i in order {
                let (name, link) = (["a", "b", "c", "d"][i], ["l1", "l3", "l2", "l3"][i]);
                let shape: Shape = if i == 1 {
                    Sphere::new(0.15).unwrap().into()
                } else {
                    Cuboid::new(DVec3::splat(0.2)).unwrap().into()
                };
                scene.attach(name, shape.clone(), "r", link, poses[i], &[]).unwrap();
                checker.hold(name, shape, link, poses[i], &[]).unwrap();
            }
            let in_scene = scene.check(&options).unwrap().answer;
            let of_touch = in_scene.touch().map(|touch| [touch.toi.to_bits(), touch.gap.to_bits()]);
            let alone = checker.check_step(&[0.1, 0.2, 0.3], &to, &options).unwrap().answer;
            touching += usize::from(alone.touch().is_some());
            assert_eq!(alone.touch().is_some(), of_touch.is_some(), "case {case}");
            seen.push((of_touch, bits(&checker, &alone)));
        }
        assert_eq!(seen[0], seen[1], "case {case}");
    }
    assert!((200..1000).contains(&touching), "{touching} of 1200");
}

/// After any changes a checker answers, bit for bit, like one that is built from the current state.
#[test]
fn changes_equal_a_rebuild() {
    let mut touching = 0;
    let mut held_count = 0;
    for seed in 0..60 {
        let mut random = Random(7_000 + seed);
        let (links, joints) = described(&mut random, 4 + (seed % 5) as usize);
        let names: Vec<String> = links.iter().map(|(name, _)| name.clone()).collect();
        let mut robot = Robot::new("robot", links, joints).unwrap();
        let mut bodies = obstacles(&mut random, 4);
        let mut base = Pose::IDENTITY;
        let mut allowed: Vec<[String; 2]> = Vec::new();
        let mut held: Vec<String> = Vec::new();
        let mut checker = Checker::new(robot.clone(), base, bodies.clone()).unwrap();
        for change in 0..12 {
            let shared = checker.clone();
            let any_link = |random: &mut Random| names[(random.next() as usize) % names.len()].clone();
            match random.next() % 7 {
                0 => {
                    let body = Body::new(
                        format!("added{change}"),
                        shape(&mut random, change),
                        Motion::fixed(pose(&mut random, 1.2)),
                    );
                    checker.add_obstacle(body.clone()).unwrap();
                    bodies.push(body);
                }
                1 if !bodies.is_empty() => {
                    let removed = bodies.remove((random.next() as usize) % bodies.len());
                    checker.remove_obstacle(removed.name()).unwrap();
                    allowed.retain(|pair| pair[1] != removed.name());
                }
                2 | 3 => {
                    let at_rest =
                        |body: &&mut Body| body.as_rigid().is_some_and(|(_, m)| m.kind() == "fixed");
                    if let Some(body) = bodies.iter_mut().find(at_rest) {
                        let at = pose(&mut random, 1.2);
                        checker.move_obstacle(body.name(), at).unwrap();
                        *body = Body::new(body.name(), body.as_rigid().unwrap().0.clone(), Motion::fixed(at));
                    }
                }
                4 => {
                    let (name, link) = (format!("held{change}"), any_link(&mut random));
                    let part = LinkPart { shape: shape(&mut random, change), pose: pose(&mut random, 0.3) };
                    checker.hold(&name, part.shape.clone(), &link, part.pose, &["link0"]).unwrap();
                    robot.hold(&link, &name, part, &["link0"]).unwrap();
                    held.push(name);
                    held_count += 1;
                }
                5 if !held.is_empty() => {
                    let name = held.remove((random.next() as usize) % held.len());
                    checker.release(&name).unwrap();
                    robot.release(&name).unwrap();
                }
                6 if !bodies.is_empty() => {
                    let pair = [any_link(&mut random), bodies[0].name().to_string()];
                    checker.allow(&pair[0], &pair[1]).unwrap();
                    allowed.push(pair);
                }
                _ => {
                    base = pose(&mut random, 0.3);
                    checker.set_base(base);
                }
            }
            let mut fresh = Checker::new(robot.clone(), base, bodies.clone()).unwrap();
            for [a, b] in &allowed {
                fresh.allow(b, a).unwrap();
            }
            for mode in [Mode::First, Mode::Any] {
                let options = Options { mode, ..Options::default() };
                let mut ends = [0; 2].map(|_| -> Vec<f64> {
                    robot.variables().iter().map(|_| random.range(-1.0, 1.0)).collect()
                });
                let _before = shared.check_step(&ends[0], &ends[1], &options).unwrap();
                let changed = checker.check_step(&ends[0], &ends[1], &options).unwrap();
                let built = fresh.check_step(&ends[0], &ends[1], &options).unwrap();
                touching += usize::from(matches!(changed.answer, Answer::Touch(_)));
                assert_eq!(changed.answer, built.answer, "seed {seed} change {change}");
                // A state is the start of a step.
                let state = checker.check_state(&ends[0], &options).unwrap().answer;
                let starts = matches!(changed.answer, Answer::TouchingAtStart(_));
                assert_eq!(
                    state != Answer::Free,
                    starts,
                    "seed {seed} change {change}: {:?}",
                    changed.answer
                );
                ends.reverse();
                if state == Answer::Free {
                    let still = checker.check_step(&ends[1], &ends[1], &options).unwrap().answer;
                    let moving =
                        bodies.iter().any(|body| body.as_rigid().is_none_or(|(_, m)| m.kind() != "fixed"));
                    assert!(moving || still == Answer::Free, "seed {seed} change {change}");
                }
            }
        }
    }
    assert!(touching > 100 && held_count > 30, "{touching} touch, {held_count} held");
}

/// "Any" once reported "touch at 0.125, free until 0.5" for a robot that overlaps at time 0.
#[test]
fn any_looks_at_the_start_first() {
    let (mut at_start, mut later, mut useful) = (0, 0, 0);
    for seed in 0..400 {
        let mut random = Random(40_000 + seed);
        let (links, joints) = described(&mut random, 3 + (seed % 5) as usize);
        let robot = Robot::new("robot", links, joints).unwrap();
        let bodies = obstacles(&mut random, 1 + (seed % 4) as usize);
        let [from, to] = [0; 2]
            .map(|_| -> Vec<f64> { robot.variables().iter().map(|_| random.range(-0.7, 0.7)).collect() });
        let checker = Checker::new(robot, Pose::IDENTITY, bodies).unwrap();
        let first = checker.check_step(&from, &to, &Options::default()).unwrap().answer;
        let any_options = Options { mode: Mode::Any, ..Options::default() };
        let any = checker.check_step(&from, &to, &any_options).unwrap().answer;
        match (&first, &any) {
            (Answer::Free, Answer::Free) => {}
            (Answer::TouchingAtStart(_), Answer::TouchingAtStart(_)) => at_start += 1,
            (Answer::Touch(touch), Answer::Touch(other)) => {
                later += 1;
                assert!(other.toi >= touch.toi - 1e-6, "seed {seed}");
                let proven = any.free_until(1.0);
                assert!(proven <= other.toi && proven <= touch.toi + 1e-6, "seed {seed}: {proven}");
                useful += usize::from(proven > 0.0);
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(
        at_start > 40 && later > 40 && useful > 5,
        "{at_start} at the start, {later} later, {useful} useful"
    );
}

/// A path is as free as its segments, and the first one that is not free is reported.
#[test]
fn paths_and_batches_are_their_segments() {
    let mut found = [0; 2];
    let mut starts = [0; 2];
    for seed in 0..80 {
        let mut random = Random(90_000 + seed);
        let (links, joints) = described(&mut random, 5);
        let robot = Robot::new("robot", links, joints).unwrap();
        let bodies = obstacles(&mut random, 2);
        let waypoints: Vec<Vec<f64>> =
            (0..6).map(|_| robot.variables().iter().map(|_| random.range(-0.5, 0.5)).collect()).collect();
        let checker = Checker::new(robot, Pose::IDENTITY, bodies).unwrap();
        let options = Options { threads: 1 + (seed % 3) as usize, ..Options::default() };
        let edges: Vec<[&[f64]; 2]> = waypoints.windows(2).map(|ends| [&ends[0][..], &ends[1][..]]).collect();
        let steps: Vec<Answer> =
            edges.iter().map(|[from, to]| checker.check_step(from, to, &options).unwrap().answer).collect();
        let batch = checker.check_motions(&edges, &options).unwrap();
        assert!(batch.iter().map(|report| &report.answer).eq(&steps));
        let calls = std::sync::atomic::AtomicUsize::new(0);
        let count = |_: SegmentDone<'_>| {
            calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        };
        let report = checker.check_path(&waypoints, &options, count).unwrap();
        let first = steps.iter().position(|answer| *answer != Answer::Free);
        assert_eq!(report.segment, first);
        assert_eq!(report.answer, first.map_or(Answer::Free, |k| steps[k].clone()));
        assert_eq!((report.segments, calls.into_inner()), (5, 5));
        found[usize::from(first.is_some())] += 1;
        let mut bad = waypoints.clone();
        bad[5][0] = f64::NAN;
        assert!(checker.check_path(&bad, &options, |_| ()).is_err());
        // A path of one waypoint used to have no segment, so it was free for all contacts of the robot.
        let only = checker.check_path(&waypoints[..1], &options, |_| ()).unwrap();
        let state = checker.check_state(&waypoints[0], &options).unwrap().answer;
        assert_eq!(only.answer == Answer::Free, state == Answer::Free);
        assert_eq!((only.segments, only.segment), (1, (state != Answer::Free).then_some(0)));
        assert_eq!(
            checker.clearance(&waypoints[..1], &options).unwrap().map(|found| found.clearance.upper <= 1e-6),
            checker.distance(&waypoints[0], &options).unwrap().map(|found| found.upper <= 1e-6)
        );
        starts[usize::from(only.segment.is_some())] += 1;
        assert!(checker.check_path(&[], &options, |_| ()).is_err());
        assert!(checker.clearance(&[], &options).is_err());
    }
    assert!(starts.iter().all(|&count| count > 3), "free, not free at the start: {starts:?}");
    assert!(found.iter().all(|&count| count > 10), "free, not free: {found:?}");
}

/// Invalid input is rejected, and nothing changes.
#[test]
fn invalid_input_is_rejected() {
    let ball = |name: &str, at: Motion| Body::new(name, Sphere::new(0.1).unwrap(), at);
    let far = Motion::fixed(Pose::from_translation(DVec3::X * 9.0).unwrap());
    let part = LinkPart { shape: Sphere::new(0.1).unwrap().into(), pose: Pose::IDENTITY };
    let robot = Robot::new("r", vec![("base".into(), vec![part])], vec![]).unwrap();
    let twice = vec![ball("a", far.clone()), ball("a", far.clone())];
    assert!(Checker::new(robot.clone(), Pose::IDENTITY, twice.clone()).is_err());
    let moving = Motion::linear(Pose::IDENTITY, Pose::from_translation(DVec3::Y).unwrap());
    let bodies = vec![ball("a", far.clone()), ball("b", moving)];
    let mut checker = Checker::new(robot.clone(), Pose::IDENTITY, bodies).unwrap();
    assert!(checker.set_obstacles(twice).is_err());
    assert!(checker.add_obstacle(ball("a", far.clone())).is_err());
    let step = RobotStep::new(robot, Pose::IDENTITY, vec![], vec![]).unwrap();
    assert!(checker.add_obstacle(Body::robot("other", step)).is_err());
    assert!(checker.move_obstacle("b", Pose::IDENTITY).is_err());
    assert!(checker.move_obstacle("c", Pose::IDENTITY).is_err());
    assert!(checker.remove_obstacle("c").is_err());
    // The error quotes the wrong name. It used to name the link when the obstacle was misspelt.
    let allow = |a: &str, b: &str| checker.clone().allow(a, b).unwrap_err().to_string();
    for (a, b, wrong) in
        [("base", "c", "c"), ("c", "base", "c"), ("tip", "a", "tip"), ("a", "tip", "tip"), ("r", "c", "c")]
    {
        assert_eq!(allow(a, b), format!("nothing is called \"{wrong}\""));
    }
    assert!(allow("a", "b").contains("neither two links nor a link and an obstacle"), "{}", allow("a", "b"));
    assert!(checker.release("base").is_err() && checker.release("a").is_err());
    assert!(checker.hold("base", Sphere::new(1.0).unwrap(), "base", Pose::IDENTITY, &[]).is_err());
    assert_eq!(checker.obstacles().map(|body| body.name()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(checker.index_of("b"), Some(1));
    // The moving ball starts inside the base.
    assert!(matches!(
        checker.check_state(&[], &Options::default()).unwrap().answer,
        Answer::TouchingAtStart(_)
    ));
    checker.allow("r", "b").unwrap();
    assert_eq!(checker.check_state(&[], &Options::default()).unwrap().answer, Answer::Free);
}

/// A part that is fixed to the base, and an obstacle at rest beside it. Their distance is computed once, and compared
/// with the separation of each query.
#[test]
fn what_rests_beside_the_base_keeps_the_separation_or_touches() {
    let ball = || Sphere::new(1.0).unwrap();
    let part = LinkPart { shape: ball().into(), pose: Pose::IDENTITY };
    let robot = Robot::new("post", vec![("post".into(), vec![part])], vec![]).unwrap();
    let there = Motion::fixed(Pose::from_translation(DVec3::X * 2.1).unwrap());
    let checker = Checker::new(robot, Pose::IDENTITY, vec![Body::new("ball", ball(), there)]).unwrap();
    for (min_separation, is_free) in [(0.0, true), (0.099, true), (0.101, false), (0.5, false)] {
        let options = Options { min_separation, ..Options::default() };
        let answer = checker.check_step(&[], &[], &options).unwrap().answer;
        assert_eq!(answer == Answer::Free, is_free, "{min_separation}: {answer:?}");
    }
}
