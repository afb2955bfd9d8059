//! Inputs designed to break the mixed scenes: contacts that are known exactly by construction, at sizes from 1e-57 to
//! 1e57 and far from the origin; loose and degenerate pieces; grazing contacts; and answers that must not depend on
//! the order of bodies.

use crate::mixed_bodies;
use crate::random;

use dashu_ratio::RBig;
use firsttouch::articulated::{JointKind, LinkPart, Robot, RobotStep};
use firsttouch::deformable::Deformable;
use firsttouch::motion::{Affine, Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid, Ellipsoid, Mesh, Shape, Sphere};
use firsttouch::{Answer, Body, Mode, Options, Scene};
use glam::DVec3;
use mixed_bodies::{Kind, add, cells, distance, joint as joint_at};
use random::Random;

impl Random {
    /// Multiples of 1/8 up to 4, many of them equal.
    fn coarse(&mut self) -> DVec3 {
        let mut one = || (self.below(17) as f64 - 8.0) * if self.below(3) == 0 { 0.125 } else { 0.5 };
        DVec3::new(one(), one(), one())
    }
}

fn pose(at: DVec3) -> Pose {
    Pose::from_translation(at).unwrap()
}

/// Returns a robot that carries a shape along a straight line.
fn carried(shape: Option<Shape>, from: DVec3, to: DVec3) -> RobotStep {
    let parts = shape.into_iter().map(|shape| LinkPart { shape, pose: Pose::IDENTITY }).collect();
    let links = vec![("world".into(), vec![]), ("base".into(), parts)];
    let robot =
        Robot::new("cart", links, vec![joint_at("float", "world", "base", DVec3::ZERO, JointKind::Floating)])
            .unwrap();
    let at = |p: DVec3| vec![p.x, p.y, p.z, 0.0, 0.0, 0.0, 1.0];
    RobotStep::new(robot, Pose::IDENTITY, at(from), at(to)).unwrap()
}

/// A point on a body's surface at the time `when`, while the body moves by `way` between times 0 and 1; everything is
/// multiplied by `scale`.
#[derive(Clone, Copy)]
struct Known {
    point: DVec3,
    when: f64,
    way: DVec3,
    scale: f64,
}

/// Adds a body of a kind with a known point. All numbers are binary fractions, so that nothing is rounded.
fn with_point(scene: &mut Scene, random: &mut Random, name: &str, kind: u64, known: Known) {
    let Known { point, when, way, scale } = known;
    let start = point - way * when;
    let scaled = |p: DVec3| p * scale;
    let deforming = |random: &mut Random,
                     triangles: Vec<[u32; 3]>,
                     edges: Vec<[u32; 2]>,
                     points: Vec<u32>,
                     places: Vec<DVec3>,
                     ways: Option<Vec<DVec3>>| {
        let ways = ways.unwrap_or_else(|| places.iter().map(|_| random.coarse()).collect());
        let t0 = places.iter().zip(&ways).map(|(&p, &w)| scaled(p - w * when)).collect();
        let t1 = places.iter().zip(&ways).map(|(&p, &w)| scaled(p + w * (1.0 - when))).collect();
        Body::deforming(name, Deformable::new(t0, t1, triangles, edges, points).unwrap())
    };
    let line = Motion::linear(pose(scaled(start)), pose(scaled(start + way)));
    let offset = random.coarse();
    let body = match kind {
        // A deforming triangle with the point at a quarter between the corners, each of which moves differently.
        0 => {
            let (a, b) = (random.coarse(), random.coarse());
            let corners = vec![point + a, point + b, point - (a + b) * 0.5];
            // (1/4, 1/4, 1/2)
            let order = [[0, 1, 2], [2, 0, 1], [1, 0, 2]][random.below(3) as usize];
            deforming(random, vec![order], vec![], vec![], corners, None)
        }
        // A triangle that is an edge, in every order of its corners, with the point on its edge.
        1 => {
            let a = random.coarse();
            let order = [[0, 0, 1], [0, 1, 1], [0, 1, 0], [1, 1, 0]][random.below(4) as usize];
            deforming(random, vec![order], vec![], vec![], vec![point + a, point - a], None)
        }
        // With the point at a corner.
        2 => {
            let a = random.coarse();
            let order = [[0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1]][random.below(4) as usize];
            deforming(random, vec![order], vec![], vec![], vec![point, point + a], None)
        }
        3 => {
            let a = random.coarse();
            deforming(random, vec![], vec![[0, 1]], vec![], vec![point + a, point - a], None)
        }
        4 => deforming(random, vec![], vec![], vec![0], vec![point], None),
        // A corner of a triangle, flat or not.
        5 => {
            let (a, b) = (random.coarse(), random.coarse());
            deforming(random, vec![[1, 0, 2]], vec![], vec![], vec![point, point + a, point + b], None)
        }
        6 => {
            let side = 2.0 * offset.abs().max(DVec3::splat(0.25));
            let shape = Cuboid::new(scaled(side)).unwrap();
            // A corner, or the middle of a side.
            let corner = if random.below(2) == 0 { 0.5 * side } else { DVec3::X * (0.5 * side.x) };
            let from = scaled(start - corner);
            Body::new(name, shape, Motion::linear(pose(from), pose(from + scaled(way))))
        }
        7 | 8 => {
            let axis = [DVec3::X, DVec3::Y, -DVec3::Z][random.below(3) as usize];
            let shape: Shape = if kind == 7 {
                Sphere::new(0.5 * scale).unwrap().into()
            } else {
                Ellipsoid::new(DVec3::splat(0.5 * scale)).unwrap().into()
            };
            let from = scaled(start - 0.5 * axis);
            Body::new(name, shape, Motion::linear(pose(from), pose(from + scaled(way))))
        }
        9 | 10 => {
            let (a, b) = (random.coarse(), random.coarse());
            let corners = [a, b, -(a + b) * 0.5].map(scaled).to_vec();
            let mesh = Mesh::new(corners, vec![[0, 1, 2]]).unwrap();
            if kind == 9 {
                Body::new(name, mesh, line)
            } else {
                Body::robot(name, carried(Some(mesh.into()), scaled(start), scaled(start + way)))
            }
        }
        11 => {
            let holder = format!("holder of {name}");
            let from = scaled(start - DVec3::Z * 0.75);
            scene.add(Body::robot(&holder, carried(None, from, from + scaled(way)))).unwrap();
            let shape = Capsule::new(0.25 * scale, scale).unwrap();
            scene.attach(name, shape, &holder, "base", Pose::IDENTITY, &[]).unwrap();
            return;
        }
        // A ball of radius 1/2 at the time, which grows or shrinks, with a weight that is a constant or nearly so.
        _ => {
            let weight = [1.0, 0.5, 1024.0][random.below(3) as usize] * scale;
            let growth = [-0.5, 0.0, 0.25, 1.5][random.below(4) as usize];
            let unit = |x: f64| [x, 0.0, 0.0, 0.0, x, 0.0, 0.0, 0.0, x].map(|x| x * weight);
            let center = (start - DVec3::X * 0.5) * weight;
            let linear = [unit(0.5 - growth * when), unit(growth)];
            if 0.5 - growth * when <= 0.0 || 0.5 + growth * (1.0 - when) <= 0.0 {
                return with_point(scene, random, name, 7, known);
            }
            let motion = Affine::from_power_basis(
                DVec3::ONE,
                &linear,
                &[center.to_array(), (way * weight).to_array()],
                &[weight / scale],
            )
            .unwrap();
            Body::affine(name, motion)
        }
    };
    scene.add(body).unwrap();
}

const KINDS: u64 = 13;

/// Every pair of kinds has a point in common at a known time: in every case no answer may be free at that time.
#[test]
fn built_contacts_are_never_missed() {
    let mut random = Random(1);
    let (mut undecided, mut early, mut count) = (0, 0, 0);
    let powers = [0, 0, 0, 20, -20, 188, -188];
    for round in 0..28 {
        for one in 0..KINDS {
            for other in one..KINDS {
                let scale = 2.0_f64.powi(powers[round % powers.len()]);
                let when = [0.5, 0.25, 1.0, 0.0, 0.875][random.below(5) as usize];
                let away =
                    [0.0, 0.0, 256.0, if scale > 1e50 { 512.0 } else { 1048576.0 }][random.below(4) as usize];
                let point = random.coarse() + DVec3::new(away, 0.0, -away);
                let mut scene = Scene::default();
                let ways =
                    [random.coarse(), if random.below(4) == 0 { DVec3::ZERO } else { random.coarse() }];
                let names = if random.below(2) == 0 { ["a", "b"] } else { ["b", "a"] };
                with_point(
                    &mut scene,
                    &mut random,
                    names[0],
                    one,
                    Known { point, when, way: ways[0], scale },
                );
                // At that time they are no farther apart than allowed.
                let min_separation = if random.below(4) == 0 { 0.125 } else { 0.0 };
                let beside =
                    point + min_separation * [DVec3::X, -DVec3::Y, DVec3::Z][random.below(3) as usize];
                with_point(
                    &mut scene,
                    &mut random,
                    names[1],
                    other,
                    Known { point: beside, when, way: ways[1], scale },
                );
                for name in names {
                    scene.allow(name, name).unwrap();
                }
                let options = Options {
                    tolerance: [1e-6, 1e-9, 1e-12, 1e-16][random.below(4) as usize] * scale,
                    t_max: if when > 0.0 && random.below(2) == 0 { when } else { 1.0 },
                    min_separation: min_separation * scale,
                    max_iterations: 500,
                    mode: if random.below(4) == 0 { Mode::Any } else { Mode::First },
                    ..Options::default()
                };
                let answer = scene.check(&options).unwrap().answer;
                let what =
                    format!("{round}: {one} and {other} at {when}, {away} away, {options:?}: {answer:?}");
                assert!(answer != Answer::Free, "{what}");
                count += 1;
                if options.mode != Mode::Any {
                    assert!(answer.free_until(2.0) <= when, "{what}");
                    early += usize::from(answer.free_until(2.0) < 0.99 * when);
                }
                undecided += usize::from(matches!(answer, Answer::Undecided { .. }));
            }
        }
    }
    println!("{count} contacts, {early} of them earlier than built, {undecided} undecided");
    assert!(early < count * 3 / 4 && undecided < count / 3, "{early} {undecided} {count}");
}

/// The order in which two bodies are named or added changes nothing.
#[test]
fn the_order_of_bodies_changes_no_bit() {
    let mut random = Random(5);
    let mut hits = 0;
    for n in 0..40 {
        let arm = |random: &mut Random| {
            let part = |random: &mut Random| LinkPart {
                shape: if random.below(2) == 0 {
                    Sphere::new(0.3).unwrap().into()
                } else {
                    Cuboid::new(DVec3::splat(0.5)).unwrap().into()
                },
                pose: Pose::new(random.vector(0.4), random.rotation()).unwrap(),
            };
            let names = ["world", "one", "two", "three"];
            let links: Vec<_> = names
                .iter()
                .map(|name| {
                    (
                        name.to_string(),
                        if *name == "world" { vec![] } else { vec![part(random), part(random)] },
                    )
                })
                .collect();
            let kinds = [
                JointKind::Floating,
                JointKind::Revolute { axis: random.vector(1.0) },
                JointKind::Revolute { axis: random.vector(1.0) },
            ];
            let joints = kinds
                .into_iter()
                .enumerate()
                .map(|(i, kind)| {
                    let at = if i == 0 { DVec3::ZERO } else { random.vector(0.6) };
                    joint_at(&format!("j{i}"), names[i], names[i + 1], at, kind)
                })
                .collect();
            let robot = Robot::new("arm", links, joints).unwrap();
            let configuration = |random: &mut Random, x: f64| {
                let q = random.rotation();
                vec![
                    x,
                    random.range(-2.0, 2.0),
                    random.range(-1.5, 1.5),
                    q.x,
                    q.y,
                    q.z,
                    q.w,
                    random.range(-2.0, 2.0),
                    random.range(-2.0, 2.0),
                ]
            };
            (
                robot,
                [configuration(random, -2.5), configuration(random, 1.0)],
                [configuration(random, 2.5), configuration(random, -1.0)],
            )
        };
        let ((robot_a, [a0, a1], _), (robot_b, _, [b0, b1])) = (arm(&mut random), arm(&mut random));
        let make = |order: [usize; 2]| {
            let mut scene = Scene::default();
            for i in order {
                let (name, robot, from, to) =
                    [("left", &robot_a, &a0, &a1), ("right", &robot_b, &b0, &b1)][i];
                scene
                    .add(Body::robot(
                        name,
                        RobotStep::new(robot.clone(), Pose::IDENTITY, from.clone(), to.clone()).unwrap(),
                    ))
                    .unwrap();
                scene
                    .attach(
                        &format!("of {name}"),
                        Sphere::new(0.3).unwrap(),
                        name,
                        "three",
                        pose(DVec3::X * 0.5),
                        &[],
                    )
                    .unwrap();
                scene.allow(name, name).unwrap();
                scene.allow(name, &format!("of {name}")).unwrap();
            }
            scene
        };
        for mode in [Mode::First, Mode::Any, Mode::All] {
            let options = Options { mode, ..Options::default() };
            let (scene, mirrored) = (make([0, 1]), make([1, 0]));
            let [one, other] = [&scene, &mirrored].map(|scene| scene.check(&options).unwrap().answer);
            let Some((p, q)) = one.touch().zip(other.touch()) else {
                assert_eq!(one == Answer::Free, other == Answer::Free, "{n}");
                continue;
            };
            hits += 1;
            assert_eq!(p.toi.to_bits(), q.toi.to_bits(), "{n} {mode:?}: {p:?} {q:?}");
            let names =
                |scene: &Scene, bodies: [usize; 2]| bodies.map(|i| scene.bodies()[i].name().to_string());
            let (of_p, of_q) = (names(&scene, p.bodies), names(&mirrored, q.bodies));
            let q = if of_p == of_q { q.clone() } else { q.clone().swapped() };
            assert_eq!(
                (p.parts, p.points, p.normal, p.gap),
                (q.parts, q.points, q.normal, q.gap),
                "{n} {mode:?}"
            );
        }
    }
    assert!((30..100).contains(&hits), "{hits}");
}

/// `free_until` holds in every mode: a pair that ran out of steps proves nothing about pairs that were not checked.
#[test]
fn any_claims_nothing_about_unchecked_pairs() {
    let mut random = Random(9);
    let (mut touching, mut undecided) = (0, 0);
    for n in 0..200 {
        let mut scene = Scene::default();
        for i in 0..6 {
            let shape = Cuboid::new(DVec3::new(0.2, 0.7, 1.0)).unwrap();
            let ends = [0; 2].map(|_| Pose::new(random.vector(2.0), random.rotation()).unwrap());
            scene.add(Body::new(format!("{i}"), shape, Motion::linear(ends[0], ends[1]))).unwrap();
        }
        let exact = scene.check(&Options::default()).unwrap().answer;
        let options = Options { max_iterations: 2, mode: Mode::Any, ..Options::default() };
        let any = scene.check(&options).unwrap().answer;
        match any {
            Answer::Undecided { free_until, .. } => {
                undecided += 1;
                assert!(free_until <= exact.free_until(2.0), "{n}: free until {free_until}, but {exact:?}");
            }
            Answer::Free => assert_eq!(exact, Answer::Free),
            Answer::Touch(_) | Answer::TouchingAtStart(_) => {
                touching += 1;
                assert!(exact != Answer::Free);
            }
        }
    }
    assert!(touching > 20 && undecided > 20, "{touching} {undecided}");
}

/// Affine motions with weights that come close to zero, and with sizes that f64 cannot hold.
#[test]
fn affine_motions_at_the_edge() {
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let (mut count, mut decided) = (0, 0);
    for k in [0, -10, -30, -60, -99, -160, -206, -207, -208, -209, -210, -300] {
        for (size, speed) in [(0, 0), (0, 60), (60, 0), (60, 99), (99, 60), (99, 99), (-60, 0), (-99, 60)] {
            let (weight, size, speed) = (10f64.powi(k), 10f64.powi(size), 10f64.powi(speed));
            let ball = unit.map(|x| x * size);
            // It passes over the origin: certainly a touch.
            for bent in [0.0, 4.0] {
                let path = [[-speed, 0.0, 0.0], [(2.0 - bent) * speed, 0.0, 0.0], [bent * speed, 0.0, 0.0]];
                let Ok(motion) = Affine::from_power_basis(DVec3::ONE, &[ball], &path, &[weight]) else {
                    continue;
                };
                for (post, crowd) in [(1e-60, 2), (1.0, 2), (1.0, 80), (1e90, 2)] {
                    let shapes: [Shape; 2] = [
                        Sphere::new(post).unwrap().into(),
                        Ellipsoid::new(DVec3::splat(post)).unwrap().into(),
                    ];
                    for (shape, min_separation) in
                        shapes.into_iter().flat_map(|s| [(s.clone(), 0.0), (s, 1.0)])
                    {
                        let mut scene = Scene::default();
                        scene.add(Body::affine("ball", motion.clone())).unwrap();
                        scene.add(Body::new("post", shape, Motion::AT_REST)).unwrap();
                        for i in 2..crowd {
                            let there = Motion::fixed(pose(DVec3::new(0.0, 3.0, 4.0 * f64::from(i)) * post));
                            scene.add(Body::new(format!("{i}"), Sphere::new(post).unwrap(), there)).unwrap();
                            scene.allow("ball", &format!("{i}")).unwrap();
                        }
                        // The resolution of f64 at this size, within the range of the options.
                        let tolerance = (1e-6 * (post + (speed + size) / weight)).clamp(1e-90, 1e90);
                        let options = Options {
                            tolerance,
                            min_separation: min_separation * post,
                            max_iterations: 300,
                            ..Options::default()
                        };
                        let answer = scene.check(&options).unwrap().answer;
                        let what = format!(
                            "{weight:e} {size:e} {speed:e} {bent} {post:e} {crowd} {min_separation}: {answer:?}"
                        );
                        assert!(answer != Answer::Free, "{what}");
                        let last = if bent == 0.0 { 0.5 } else { 0.81 };
                        assert!(answer.free_until(2.0) <= last, "{what}");
                        count += 1;
                        if let Some(touch) = answer.touch() {
                            decided += 1;
                            if touch.bodies[0] != 0 {
                                // The crowd rests, with gaps of two sizes of a post, which are within this tolerance.
                                assert!(matches!(answer, Answer::TouchingAtStart(_)), "{what}");
                                assert!(
                                    touch.gap <= options.touching() && 2.0 * post <= options.touching(),
                                    "{what}"
                                );
                                continue;
                            }
                            // If f64 can represent everything, the touch is a real one.
                            let from = (-speed
                                + (2.0 - bent) * speed * touch.toi
                                + bent * speed * touch.toi * touch.toi)
                                .abs()
                                / weight;
                            let gap = from - size / weight - post * (1.0 + min_separation);
                            assert!(
                                gap <= tolerance * 1.01 + 1e-14 * (speed / weight + post),
                                "{what}: {gap:e}"
                            );
                        }
                    }
                }
            }
        }
    }
    println!("{count} motions, {decided} decided");
    assert!(decided > count / 8, "{decided} of {count}");
}

/// `(t − c)^n + ε`: a weight that is flat near its smallest value, down to where it cannot be distinguished from zero.
/// No time is wasted on it.
#[test]
fn weights_that_are_nearly_zero() {
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let (mut refused, mut built) = (0, 0);
    for (n, center) in
        [(2, 0.5_f64), (4, 0.5), (8, 0.5), (12, 0.5), (4, 1.0 / 3.0), (8, 1.0 / 3.0), (12, 0.7)]
    {
        for step in 0..48 {
            let mut weight = vec![0.0; n + 1];
            let mut c = 1.0;
            for (k, entry) in weight.iter_mut().enumerate() {
                *entry = c * (-center).powi((n - k) as i32);
                c *= (n - k) as f64 / (k + 1) as f64;
            }
            weight[0] += 1e-11 * 0.75_f64.powi(step);
            let begin = std::time::Instant::now();
            let motion = Affine::from_power_basis(DVec3::ONE, &[unit], &[[3.0, 0.0, 0.0]], &weight);
            let Ok(motion) = motion else {
                refused += 1;
                continue;
            };
            built += 1;
            let mut scene = Scene::default();
            scene.add(Body::affine("ball", motion)).unwrap();
            scene.add(Body::new("post", Sphere::new(1.0).unwrap(), Motion::AT_REST)).unwrap();
            let answer = scene.check(&Options { max_iterations: 50, ..Options::default() }).unwrap().answer;
            assert!(begin.elapsed().as_secs_f64() < 2.0, "{n} {center} {step}: {:?}", begin.elapsed());
            // 3 / w − 1 / w − 1 is above zero at all times.
            assert!(
                matches!(answer, Answer::Free | Answer::Undecided { .. }),
                "{n} {center} {step}: {answer:?}"
            );
        }
    }
    println!("{refused} refused, {built} built");
    assert!(refused > 20 && built > 100, "{refused} refused, {built} built");
}

/// Options at their limits, on bodies of all kinds, including a deforming mesh with itself: no panic, and no miss.
#[test]
fn options_at_their_limits() {
    let mut random = Random(21);
    let mut touches = 0;
    for n in 0..60 {
        let mut scene = Scene::default();
        for (i, kind) in mixed_bodies::KINDS.into_iter().enumerate() {
            add(
                &mut scene,
                &mut random,
                &format!("{i}"),
                kind,
                DVec3::X * 4.0 * i as f64,
                DVec3::Y * 4.0 * i as f64,
            );
        }
        let corners =
            [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| p * 10f64.powi([60, -60, 0][n % 3]));
        let loose = Deformable::new(
            corners.to_vec(),
            corners.map(|p| -p).to_vec(),
            vec![[0, 1, 2]],
            vec![[3, 3]],
            vec![3],
        )
        .unwrap();
        scene.add(Body::deforming("loose", loose)).unwrap();
        scene.add(Body::robot("nothing", carried(None, DVec3::ZERO, DVec3::X))).unwrap();
        let pick = |random: &mut Random, values: &[f64]| values[random.below(values.len() as u64) as usize];
        let options = Options {
            mode: [Mode::First, Mode::Any, Mode::All][random.below(3) as usize],
            tolerance: pick(&mut random, &[1e-100, 1e-16, 1e-6, 1e100]),
            min_separation: pick(&mut random, &[0.0, 1e-100, 1.0, 1e60, 1e100]),
            t_max: pick(&mut random, &[1e-100, 1e-20, f64::EPSILON, 0.3, 1.0]),
            max_iterations: [1, 3, 200][random.below(3) as usize],
            threads: 1 + random.below(2) as usize,
            ..Options::default()
        };
        let answer = scene.check(&options).unwrap().answer;
        touches += usize::from(answer.touch().is_some());
        if options.min_separation > 100.0 {
            assert!(answer != Answer::Free && answer.free_until(2.0) == 0.0, "{n} {options:?}: {answer:?}");
        }
    }
    assert!(touches > 10, "{touches}");
    let report = Scene::default().check(&Options::default()).unwrap();
    assert_eq!((report.answer, report.stats.pairs), (Answer::Free, 0));
}

/// Returns the point of a body that is farthest along a direction at a time.
fn farthest(scene: &Scene, body: usize, direction: DVec3, t: f64) -> DVec3 {
    let places = cells(scene, body, t).into_iter().map(|cell| {
        let d = cell.pose.direction_to_body(direction);
        let margin = d.normalize_or_zero() * cell.convex().margin();
        cell.pose.apply(cell.convex().support(d) + margin)
    });
    places.max_by(|p, q| p.dot(direction).total_cmp(&q.dot(direction))).unwrap()
}

/// Two bodies whose farthest points along a direction coincide at a random time: half of the time they only graze.
#[test]
fn grazing_contacts_are_never_late() {
    let mut random = Random(77);
    let (mut early, mut count, mut late_most) = (0, 0, 0.0_f64);
    for (i, &one) in mixed_bodies::KINDS.iter().enumerate() {
        for &other in &mixed_bodies::KINDS[i..] {
            for n in 0..20 {
                let when = [random.range(0.02, 1.0), 0.5, 1.0][random.below(3) as usize];
                let (seed, direction) = (random.next(), random.vector(1.0).normalize());
                let away =
                    if random.below(3) == 0 { DVec3::new(3000.0, -2000.0, 1000.0) } else { DVec3::ZERO };
                // Smooth solids overlap where their farthest points pass each other; others are kept slightly apart.
                let smooth = |kind: Kind| matches!(kind, Kind::Ellipsoid | Kind::Affine);
                let algebra = smooth(one) && smooth(other);
                let (depth, min_separation) = if algebra { (1e-9, 0.0) } else { (0.0, 1e-9) };
                let build = |shift: DVec3| {
                    let (mut scene, mut random) = (Scene::default(), Random(seed));
                    let (start, end) =
                        (DVec3::new(-1.8, 0.0, 0.0), DVec3::new(0.7, random.range(-1.0, 1.0), 0.0));
                    add(&mut scene, &mut random, "left", one, start + away, end + away);
                    add(&mut scene, &mut random, "right", other, away - start + shift, away - end + shift);
                    scene
                };
                let mut shift = DVec3::ZERO;
                let mut scene = build(shift);
                let bodies = ["left", "right"].map(|name| scene.index_of(name).unwrap());
                let mut off = DVec3::INFINITY;
                for _ in 0..60 {
                    off = farthest(&scene, bodies[0], direction, when)
                        - farthest(&scene, bodies[1], -direction, when)
                        - depth * direction;
                    if off.length() < 2e-12 {
                        break;
                    }
                    shift += off;
                    scene = build(shift);
                }
                let what = format!("{one:?} and {other:?}, {n} at {when}");
                assert!(off.length() < 4e-12, "{what}: {off}");
                let options = Options {
                    min_separation,
                    tolerance: 1e-8,
                    t_max: if n % 2 == 0 { when } else { 1.0 },
                    ..Options::default()
                };
                let answer = scene.check(&options).unwrap().answer;
                assert!(answer != Answer::Free, "{what}: free");
                assert!(answer.free_until(2.0) <= when, "{what}: {answer:?}");
                count += 1;
                early += usize::from(answer.free_until(2.0) < when - 1e-3);
                if let Some(touch) = answer.touch() {
                    let gap =
                        distance(&cells(&scene, bodies[0], touch.toi), &cells(&scene, bodies[1], touch.toi));
                    assert!(gap <= min_separation + 1.01e-8, "{what}: {gap}");
                    late_most = late_most.max(gap);
                }
            }
        }
    }
    println!("{count} contacts, {early} of them earlier than built, gaps up to {late_most}");
    assert!(early < count * 9 / 10, "{early}");
}

/// Links that spin many times, next to bodies that deform.
#[test]
fn fast_spins_past_deforming_bodies() {
    let mut random = Random(123);
    let (mut early, mut count, mut undecided) = (0, 0, 0);
    for n in 0..90 {
        let partner = [Kind::Deforming, Kind::Affine, Kind::Robot][n % 3];
        let when = random.range(0.01, 1.0);
        let (seed, direction) = (random.next(), random.vector(1.0).normalize());
        let build = |shift: DVec3| {
            let (mut scene, mut random) = (Scene::default(), Random(seed));
            let shape: Shape = if n % 2 == 0 {
                Cuboid::new(DVec3::new(1.6, 0.1, 0.2)).unwrap().into()
            } else {
                mixed_bodies::mesh(&mut random, 0.8).into()
            };
            let part = LinkPart { shape, pose: random.pose_near(DVec3::X, 0.3) };
            let links = vec![("world".into(), vec![]), ("arm".into(), vec![]), ("hand".into(), vec![part])];
            let axes = [random.vector(1.0), random.vector(1.0)];
            let joints = vec![
                joint_at("a", "world", "arm", DVec3::ZERO, JointKind::Revolute { axis: axes[0] }),
                joint_at("b", "arm", "hand", DVec3::X, JointKind::Revolute { axis: axes[1] }),
            ];
            let robot = Robot::new("spinning", links, joints).unwrap();
            let from = [random.range(-3.0, 3.0), random.range(-30.0, 30.0)];
            let to = [from[0] + random.range(-12.0, 12.0), from[1] + random.range(-40.0, 40.0)];
            let step = RobotStep::new(robot, Pose::IDENTITY, from.to_vec(), to.to_vec()).unwrap();
            scene.add(Body::robot("spinning", step)).unwrap();
            let (start, end) = (random.vector(3.0), random.vector(3.0));
            add(&mut scene, &mut random, "partner", partner, start + shift, end + shift);
            scene
        };
        let mut shift = DVec3::ZERO;
        let mut scene = build(shift);
        let mut off = DVec3::INFINITY;
        for _ in 0..60 {
            off = farthest(&scene, 0, direction, when) - farthest(&scene, 1, -direction, when);
            if off.length() < 1e-13 {
                break;
            }
            shift += off;
            scene = build(shift);
        }
        assert!(off.length() < 1e-12, "{n}: {off}");
        let options = Options { min_separation: 1e-10, tolerance: 1e-8, ..Options::default() };
        let answer = scene.check(&options).unwrap().answer;
        assert!(answer.free_until(2.0) <= when, "{n}: {answer:?}, but they touch at {when}");
        count += 1;
        undecided += usize::from(matches!(answer, Answer::Undecided { .. }));
        early += usize::from(answer.free_until(2.0) < when - 1e-4);
        let free_until = answer.free_until(1.0);
        for t in (0..120).map(|k| free_until * f64::from(k) / 120.0).filter(|&t| t < free_until) {
            let d = distance(&cells(&scene, 0, t), &cells(&scene, 1, t));
            assert!(d > 0.0, "{n}: {d} at {t}, but {answer:?}");
        }
    }
    println!("{count} contacts, {early} earlier than built, {undecided} undecided");
    assert!(early < count && undecided == 0, "{early} {undecided}");
}

/// A ball on a path whose coefficients are many times larger than the ball: its position is known far less accurately
/// than f64 could represent, and the answer must account for that. The position is checked in rational numbers.
#[test]
fn positions_with_large_errors() {
    let exact = |x: f64| RBig::try_from(x).unwrap();
    let (mut touching, mut undecided) = (0, 0);
    for degree in [6, 10, 14, 18, 21] {
        // Chebyshev's polynomial of 2t − 1.
        let (mut before, mut now) = (vec![1.0], vec![-1.0, 2.0]);
        for _ in 1..degree {
            let mut next = vec![0.0; now.len() + 1];
            for (k, c) in now.iter().enumerate() {
                next[k] -= 2.0 * c;
                next[k + 1] += 4.0 * c;
            }
            next.iter_mut().zip(&before).for_each(|(x, c)| *x -= c);
            (before, now) = (now, next);
        }
        for (tolerance, deep) in
            [(1e-3, 1.5), (1e-6, 1.5), (1e-9, 1.0001), (1e-12, 1.5), (1e-14, 1.25), (1e-6, 0.999)]
        {
            for shape in [Shape::from(Sphere::new(1.0).unwrap()), Ellipsoid::new(DVec3::ONE).unwrap().into()]
            {
                for first in [-1.0, 1.0] {
                    let path: Vec<[f64; 3]> = (0..=degree)
                        .map(|k| [first * now[k] * deep + if k == 0 { 3.0 } else { 0.0 }, 0.0, 0.0])
                        .collect();
                    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
                    let motion = Affine::from_power_basis(DVec3::ONE, &[unit], &path, &[]).unwrap();
                    let mut scene = Scene::default();
                    scene.add(Body::affine("ball", motion)).unwrap();
                    scene.add(Body::new("post", shape.clone(), Motion::AT_REST)).unwrap();
                    let answer = scene.check(&Options { tolerance, ..Options::default() }).unwrap().answer;
                    let gap = |t: f64| {
                        let place = path.iter().rev().fold(RBig::ZERO, |sum, c| sum * exact(t) + exact(c[0]));
                        (place - RBig::from(2)).to_f64().value()
                    };
                    let what = format!("degree {degree}, {tolerance:e}, {deep}, {first}: {answer:?}");
                    let free_until = answer.free_until(1.0);
                    for t in (0..500).map(|k| f64::from(k) / 500.0).filter(|&t| t < free_until) {
                        assert!(gap(t) > 0.0, "{what}: {} at {t}", gap(t));
                    }
                    undecided += usize::from(matches!(answer, Answer::Undecided { .. }));
                    if let Some(touch) = answer.touch() {
                        touching += 1;
                        assert!(gap(touch.toi) <= tolerance * 1.0001, "{what}: {:e}", gap(touch.toi));
                    }
                }
            }
        }
    }
    println!("{touching} touching, {undecided} undecided");
    assert!(touching > 20 && undecided > 1, "{touching} {undecided}");
}
