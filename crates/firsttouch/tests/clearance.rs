//! The least distance over time: every kind of body against every other, robots and deforming meshes with themselves,
//! against dense sampling with refinement; also cases that can be computed by hand.

use crate::mixed_bodies;
use crate::random;

use std::sync::Arc;

use firsttouch::articulated::Checker;
use firsttouch::deformable::Deformable;
use firsttouch::elementary::closest::{segment_segment, vertex_triangle};
use firsttouch::motion::{
    By, Leg, Motion, Path, Pose, PoseAt, PoseError, RigidMotion, VelocityBounds, Window,
};
use firsttouch::shape::{Cuboid, Mesh, PointCloud, Shape, Sphere};
use firsttouch::{Answer, Ask, Body, Clearance, Control, Interrupt, Options, Scene, Start};
use glam::{DQuat, DVec3};
use mixed_bodies::{KINDS, add, cells, deforming, distance, robot};
use random::Random;

/// Returns the least of a function over `[0, 1]`, from samples that are refined around the three least ones.
fn least_sampled(samples: usize, at: impl Fn(f64) -> f64) -> f64 {
    let values: Vec<f64> = (0..=samples).map(|i| at(i as f64 / samples as f64)).collect();
    let mut order: Vec<usize> = (0..=samples).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut least = values[order[0]];
    for &i in order.iter().take(3) {
        let width = 1.0 / samples as f64;
        let (mut low, mut high) = ((i as f64 * width - width).max(0.0), (i as f64 * width + width).min(1.0));
        for _ in 0..18 {
            let third = (high - low) / 3.0;
            let (x, y) = (at(low + third), at(high - third));
            least = least.min(x).min(y);
            if x < y {
                high -= third;
            } else {
                low += third;
            }
        }
    }
    least
}

/// Checks both bounds against the sampled least distance, which is not below the exact one. Refined samples are within
/// 1e-6 of it: a third of a window of 1/40, eighteen times, at speeds of a few lengths.
fn judge(found: &Clearance, sampled: f64, options: &Options, what: &str) {
    let sampled = sampled.max(0.0);
    assert!(found.is_tight && found.upper - found.lower <= options.tolerance, "{what}: {found:?}");
    assert!(found.lower <= sampled + 1e-12, "{what}: {found:?}, sampled {sampled}");
    assert!(found.upper >= sampled - 2e-5, "{what}: {found:?}, sampled {sampled}");
    assert!((0.0..=options.t_max).contains(&found.t), "{what}: {found:?}");
    assert!((found.normal.length() - 1.0).abs() < 1e-9, "{what}: {found:?}");
    if found.upper > 1e-6 {
        let apart = found.points[0].distance(found.points[1]);
        assert!((apart - found.upper).abs() < 1e-9, "{what}: {found:?}, points {apart} apart");
    }
}

#[test]
fn every_kind_against_every_other() {
    let mut random = Random(1717);
    let (mut apart, mut touching, mut inside) = (0, 0, 0);
    for (i, &one) in KINDS.iter().enumerate() {
        for &other in &KINDS[i..] {
            for n in 0..5 {
                let mut scene = Scene::default();
                let (start, end) = (DVec3::new(-1.8, 0.0, 0.0), DVec3::new(0.7, 0.0, 0.0));
                add(&mut scene, &mut random, "left", one, start, end);
                let aside = DVec3::Y * random.range(0.5, 4.0);
                add(&mut scene, &mut random, "right", other, -start, -end + aside);
                let [a, b] = ["left", "right"].map(|name| scene.index_of(name).unwrap());
                let tolerance = [1e-6, 1e-4, 1e-8][n % 3];
                let options = Options { tolerance, ..Options::default() };
                let what = format!("{one:?} and {other:?}, {n}");
                let found = scene.clearance(&options).unwrap().unwrap();
                assert_eq!(found.bodies, [a, b], "{what}");
                let at = |t: f64| distance(&cells(&scene, a, t), &cells(&scene, b, t));
                judge(&found, least_sampled(40, at), &options, &what);
                // The first touch agrees about zero.
                let answer = scene.check(&options).unwrap().answer;
                if found.lower > 0.0 {
                    let safe = Options { min_separation: 0.9 * found.lower, ..options };
                    assert_eq!(scene.check(&safe).unwrap().answer, Answer::Free, "{what}: {found:?}");
                    apart += 1;
                    inside += usize::from(found.t > 0.0 && found.t < 1.0);
                } else {
                    assert!(found.upper > 0.0 || answer != Answer::Free, "{what}: {found:?}");
                    touching += 1;
                }
                // At the time of the least distance.
                let there = scene.distance_at(found.t, &options).unwrap().unwrap();
                assert!(
                    there.lower <= found.upper && there.upper >= found.lower,
                    "{what}: {there:?}, {found:?}"
                );
                let exact = at(found.t).max(0.0);
                assert!(
                    there.lower <= exact + 1e-12 && there.upper >= exact - 1e-12,
                    "{what}: {there:?}, {exact}"
                );
            }
        }
    }
    println!("{apart} apart, {inside} of them least inside, {touching} touching");
    assert!(
        apart >= 60 && inside >= 30 && touching >= 20,
        "{apart} apart, {inside} inside, {touching} touching"
    );
}

#[test]
fn several_bodies_in_any_order() {
    let mut random = Random(4);
    for n in 0..6 {
        let mut places: Vec<(DVec3, DVec3)> = Vec::new();
        for k in 0..4 {
            let at = DVec3::new(3.0 * k as f64, 0.0, 0.0);
            places.push((at + random.vector(1.0), at + random.vector(1.0)));
        }
        let kinds = [0; 4].map(|_| KINDS[(random.next() % 4) as usize]);
        let seeds = [0; 4].map(|_| random.next());
        let scene_of = |order: [usize; 4]| {
            let mut scene = Scene::default();
            for k in order {
                let name = ["a", "b", "c", "d"][k];
                add(&mut scene, &mut Random(seeds[k]), name, kinds[k], places[k].0, places[k].1);
            }
            scene
        };
        let (scene, other) = (scene_of([0, 1, 2, 3]), scene_of([2, 0, 3, 1]));
        let found = scene.clearance(&Options::default()).unwrap().unwrap();
        let again = other.clearance(&Options::default()).unwrap().unwrap();
        assert_eq!((found.lower, found.upper, found.t), (again.lower, again.upper, again.t), "{n}");
        let least = |t: f64| {
            let mut least = f64::INFINITY;
            for i in 0..4 {
                for j in i + 1..4 {
                    least = least.min(distance(&cells(&scene, i, t), &cells(&scene, j, t)));
                }
            }
            least
        };
        judge(&found, least_sampled(40, least), &Options::default(), &format!("{n}"));
        // Only the pairs that are kept count; without them there are none.
        let some = scene.clearance(
            Ask::from(&Options::default()).filter(&|a: &Body, b: &Body| a.name() == "a" && b.name() == "d"),
        );
        assert_eq!(some.unwrap().unwrap().bodies, [0, 3]);
        assert_eq!(
            scene.clearance(Ask::from(&Options::default()).filter(&|_: &Body, _: &Body| false)).unwrap(),
            None
        );
    }
}

/// Returns the distance of the features of a mesh that share no vertex.
fn distance_with_itself(positions: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.iter_mut().for_each(|edge| edge.sort_unstable());
    edges.sort_unstable();
    edges.dedup();
    let at = |v: u32| positions[v as usize];
    let mut least = f64::INFINITY;
    for t in triangles {
        for v in (0..positions.len() as u32).filter(|v| !t.contains(v)) {
            let found = vertex_triangle(at(v), t.map(at));
            least = least.min(found.a.distance(found.b));
        }
    }
    for (i, e) in edges.iter().enumerate() {
        for f in &edges[i + 1..] {
            if e.iter().all(|v| !f.contains(v)) {
                let found = segment_segment(e.map(at), f.map(at));
                least = least.min(found.a.distance(found.b));
            }
        }
    }
    least
}

#[test]
fn a_deforming_mesh_with_itself() {
    let mut random = Random(8);
    let mut inside = 0;
    for n in 0..8 {
        let mesh = deforming(&mut random, DVec3::ZERO, DVec3::X);
        // The poles of the surface are vertices that share a place, at distance 0, so a plain patch is used instead.
        let keep = |t: &&[u32; 3]| t.iter().all(|&v| (4..16).contains(&v));
        let triangles: Vec<[u32; 3]> = mesh.triangles().iter().filter(keep).copied().collect();
        let frames = [mesh.frame(0), mesh.frame(1)]
            .map(|frame| frame.iter().map(|&v| v + random.vector(0.1)).collect::<Vec<_>>());
        let patch =
            Deformable::new(frames[0].clone(), frames[1].clone(), triangles.clone(), vec![], vec![]).unwrap();
        let mut scene = Scene::default();
        scene.add(Body::deforming("cloth", patch)).unwrap();
        let found = scene.clearance(&Options::default()).unwrap().unwrap();
        let at = |t: f64| {
            let now: Vec<DVec3> = frames[0].iter().zip(&frames[1]).map(|(p, q)| p.lerp(*q, t)).collect();
            let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
            used.sort_unstable();
            used.dedup();
            let place = |v: u32| used.binary_search(&v).unwrap() as u32;
            let own: Vec<DVec3> = used.iter().map(|&v| now[v as usize]).collect();
            let renamed: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(place)).collect();
            distance_with_itself(&own, &renamed)
        };
        let sampled = least_sampled(60, at);
        let crosses = scene.check(&Options::default()).unwrap().answer != Answer::Free;
        if !crosses {
            judge(&found, sampled, &Options::default(), &format!("{n}"));
            inside += 1;
        }
    }
    assert!(inside >= 3, "{inside}");
}

#[test]
fn a_robot_on_one_step() {
    let mut random = Random(5);
    let mut own = 0;
    for n in 0..12 {
        let step = robot(&mut random, DVec3::ZERO, DVec3::X, false);
        let mut scene = Scene::default();
        let ball = Body::new(
            "ball",
            Sphere::new(0.3).unwrap(),
            Motion::fixed(random.pose_near(DVec3::Y * 1.5, 0.2)),
        );
        scene.add(Body::robot("arm", step.clone())).unwrap();
        scene.add(ball.clone()).unwrap();
        let in_scene = scene.clearance(&Options::default()).unwrap().unwrap();
        let checker = Checker::new(step.robot().clone(), step.base(), vec![ball]).unwrap();
        let path = [step.from().to_vec(), step.to().to_vec()];
        let found = checker.clearance(&path, &Options::default()).unwrap().unwrap();
        assert_eq!(found.segment, 0);
        assert!(found.clearance.lower <= in_scene.upper && in_scene.lower <= found.clearance.upper, "{n}");
        assert!(found.clearance.is_tight && in_scene.is_tight);
        own += usize::from(in_scene.bodies == [0, 0]);
        if found.clearance.bodies == [0, 1] {
            let at = |t: f64| distance(&cells(&scene, 0, t), &cells(&scene, 1, t));
            judge(&found.clearance, least_sampled(40, at), &Options::default(), &format!("{n}"));
        }
        // Standing at the start.
        let standing = checker.distance(step.from(), &Options::default()).unwrap().unwrap();
        let at_start = scene.distance_at(0.0, &Options::default()).unwrap().unwrap();
        assert!(standing.lower <= at_start.upper && at_start.lower <= standing.upper, "{n}");
    }
    assert!((1..=11).contains(&own), "{own}");
}

/// The clearance of a path is that of its closest segment, which it names.
#[test]
fn the_closest_segment_of_a_path() {
    let mut random = Random(50);
    for n in 0..4 {
        let steps = [0; 3].map(|_| robot(&mut Random(77), random.vector(0.5), random.vector(0.5), false));
        let ball = Body::new(
            "ball",
            Sphere::new(0.2).unwrap(),
            Motion::fixed(random.pose_near(DVec3::Y * 2.5, 0.2)),
        );
        let checker = Checker::new(steps[0].robot().clone(), Pose::IDENTITY, vec![ball]).unwrap();
        let path: Vec<Vec<f64>> = steps.iter().map(|step| step.to().to_vec()).collect();
        let whole = checker.clearance(&path, &Options::default()).unwrap().unwrap();
        let segments: Vec<Clearance> = path
            .windows(2)
            .map(|ends| checker.clearance(ends, &Options::default()).unwrap().unwrap().clearance)
            .collect();
        let least = segments.iter().map(|found| found.upper).fold(f64::INFINITY, f64::min);
        assert!(whole.clearance.lower <= least && whole.clearance.upper <= least + 1e-6, "{n}: {whole:?}");
        assert!(segments[whole.segment].lower <= whole.clearance.upper, "{n}");
        assert!(whole.clearance.is_tight);
    }
}

#[test]
fn without_a_budget_the_bounds_still_hold() {
    let mut random = Random(3);
    let mut loose = 0;
    for n in 0..20 {
        let mut scene = Scene::default();
        add(&mut scene, &mut random, "left", KINDS[3], DVec3::X * -2.0, DVec3::ZERO);
        add(&mut scene, &mut random, "right", KINDS[3], DVec3::X * 2.0, DVec3::new(0.5, 2.0, 0.0));
        let exact = scene.clearance(&Options::default()).unwrap().unwrap();
        // The least budget ends searches for this many digits.
        let spent = Options { max_iterations: 1, tolerance: 1e-13, ..Options::default() };
        let found = scene.clearance(&spent).unwrap().unwrap();
        assert!(found.lower <= exact.upper && found.upper >= exact.lower, "{n}: {found:?}, {exact:?}");
        loose += usize::from(!found.is_tight);
        let interrupt = Interrupt::default();
        interrupt.raise();
        let control = Control { interrupt: Some(&interrupt), progress: None };
        let found = scene.clearance(Ask::from(&Options::default()).control(&control)).unwrap().unwrap();
        assert!(
            found.lower <= exact.upper && found.upper >= exact.lower && found.upper.is_finite(),
            "{n}: {found:?}"
        );
    }
    assert!(loose >= 10, "{loose}");
}

/// A box turns by a right angle about z, 1 above the centre of another that rests: a corner passes at x = sqrt(2)
/// halfway. The wall is at x = 2, so that the least distance is 2 - sqrt(2), at t = 1/2.
#[test]
fn a_corner_passes_a_wall() {
    let turned = Pose::new(DVec3::ZERO, DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2)).unwrap();
    let mut scene = Scene::default();
    scene
        .add(Body::new(
            "box",
            Cuboid::new(DVec3::splat(2.0)).unwrap(),
            Motion::linear(Pose::IDENTITY, turned),
        ))
        .unwrap();
    let wall = Motion::fixed(Pose::from_translation(DVec3::X * 3.0).unwrap());
    scene.add(Body::new("wall", Cuboid::new(DVec3::new(2.0, 9.0, 9.0)).unwrap(), wall)).unwrap();
    let exact = 2.0 - 2_f64.sqrt();
    for tolerance in [1e-3, 1e-6, 1e-9, 1e-12] {
        let options = Options { tolerance, ..Options::default() };
        let found = scene.clearance(&options).unwrap().unwrap();
        assert!(found.lower <= exact && exact <= found.upper && found.is_tight, "{found:?}");
        assert!((found.t - 0.5).abs() < 10.0 * tolerance.sqrt(), "{found:?}");
    }
    // Up to a quarter of the time it moves less far: the corner is at x = sqrt(2) cos(pi / 8).
    let early = Options { t_max: 0.25, ..Options::default() };
    let found = scene.clearance(&early).unwrap().unwrap();
    let exact = 2.0 - 2_f64.sqrt() * (std::f64::consts::FRAC_PI_8).cos();
    assert!(found.lower <= exact && exact <= found.upper && found.t == 0.25, "{found:?}, {exact}");
}

/// A straight motion without a known bound of the acceleration.
struct Unknown(Motion);

impl RigidMotion for Unknown {
    fn pose_at(&self, t: f64) -> PoseAt {
        self.0.pose_at(t)
    }
    fn pose_error(&self) -> PoseError {
        self.0.pose_error()
    }
    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        self.0.velocity_bounds(window)
    }
    fn acceleration(&self, _reach: f64, _window: Window) -> f64 {
        f64::INFINITY
    }
}

/// Two meshes, or a cloud and a mesh, pass each other. The first, the second or both move, without a bound of the
/// acceleration. There the bounds are of first order, and count the speeds of both sides. The two are closest at a time
/// that is not a simple fraction of the whole. A cloud has no hull, so its boxes decide.
#[test]
fn motions_of_unknown_acceleration() {
    let mut random = Random(77);
    let options = Options { tolerance: 0.02, ..Options::default() };
    for round in 0..12 {
        let at = |x: f64, y: f64| Pose::from_translation(DVec3::new(x, y, 0.0)).unwrap();
        // From −3 to 5, as seen from the second.
        let ways = [[-3.0, 5.0], [0.0, 0.0], [0.0, 0.0], [3.0, -5.0], [-1.0, 2.0], [2.0, -3.0]];
        let mut scene = Scene::default();
        for (k, name) in ["a", "b"].into_iter().enumerate() {
            let ([from, to], y) = (ways[2 * (round % 3) + k], 1.6 * k as f64);
            let motion = Motion::custom(Arc::new(Unknown(Motion::linear(at(from, y), at(to, y))))).unwrap();
            let mesh = mixed_bodies::mesh(&mut random, 0.6);
            let shape: Shape = if round >= 6 && k == round / 3 % 2 {
                PointCloud::new(mesh.vertices().to_vec(), 0.02).unwrap().into()
            } else {
                mesh.into()
            };
            scene.add(Body::new(name, shape, motion)).unwrap();
        }
        let found = scene.clearance(&options).unwrap().unwrap();
        for k in 0..=64 {
            let now = scene.distance_at(f64::from(k) / 64.0, &options).unwrap().unwrap();
            assert!(found.lower <= now.upper, "{round}: {found:?} {now:?}");
        }
        assert!(found.lower > 0.0, "{round}: {found:?}");
    }
}

/// Returns the rounded rectangle of a cover or its housing, counter-clockwise.
fn rounded(half: [f64; 2], radius: f64, steps: usize) -> Vec<[f64; 2]> {
    let [x, y] = half.map(|half| half - radius);
    let corners = [[x, y], [-x, y], [-x, -y], [x, -y]];
    let corner = |(quarter, center): (usize, [f64; 2])| {
        (0..=steps).map(move |i| {
            let angle = (quarter as f64 + i as f64 / steps as f64) * std::f64::consts::FRAC_PI_2;
            [center[0] + radius * angle.cos(), center[1] + radius * angle.sin()]
        })
    };
    corners.into_iter().enumerate().flat_map(corner).collect()
}

/// Makes walls between outlines at heights, one after the other.
fn walls(outlines: &[(Vec<[f64; 2]>, f64)]) -> Mesh {
    let n = outlines[0].0.len() as u32;
    let points = outlines.iter().flat_map(|(points, z)| points.iter().map(|p| DVec3::new(p[0], p[1], *z)));
    let levels = 0..outlines.len() as u32 - 1;
    let quads = levels.flat_map(|level| {
        (0..n).flat_map(move |i| {
            let (a, b) = (level * n + i, level * n + (i + 1) % n);
            [[a, b, b + n], [a, b + n, a + n]]
        })
    });
    Mesh::new(points.collect(), quads.collect()).unwrap()
}

/// Returns the cover of a gearbox: its lip stands in the housing with a play of 2. It rests, is lifted by 25, and turns
/// by 120 degrees about a post beside it. The walls of the lip slide along those of the housing at the distance 2, so
/// that thousands of triangles are the closest ones.
fn cover_of_a_gearbox(steps: usize, rest: f64) -> Scene {
    let outline = |half, radius| rounded(half, radius, steps);
    let housing = walls(&[
        (outline([50.0, 40.0], 8.0), 0.0),
        (outline([50.0, 40.0], 8.0), 40.0),
        (outline([44.0, 34.0], 4.0), 40.0),
        (outline([44.0, 34.0], 4.0), 4.0),
    ]);
    let cover = walls(&[
        (outline([40.0, 30.0], 2.0), 35.0),
        (outline([42.0, 32.0], 3.0), 37.0),
        (outline([42.0, 32.0], 3.0), 42.0),
        (outline([50.0, 40.0], 8.0), 42.0),
        (outline([50.0, 40.0], 8.0), 47.0),
    ]);
    let lifted = Pose::from_translation(DVec3::Z * 25.0).unwrap();
    let turn = By::Turn { axis: DVec3::Z, point: DVec3::new(60.0, 50.0, 0.0), angle: 120_f64.to_radians() };
    let legs = [
        Leg { until: rest, by: By::Hold },
        Leg { until: rest + 0.5 * (1.0 - rest), by: By::Linear(lifted) },
        Leg { until: 1.0, by: turn },
    ];
    let mut scene = Scene::default();
    scene.add(Body::new("housing", housing, Motion::fixed(Pose::IDENTITY))).unwrap();
    scene.add(Body::new("cover", cover, Path::new(Pose::IDENTITY, &legs, 1.0).unwrap().into())).unwrap();
    scene
}

/// With the default options the bounds used to be "0 to 23 at the end of the lift": the budget of one pair was spent
/// after 40 milliseconds, on windows in which the cover is far away.
#[test]
fn the_cover_of_a_gearbox() {
    for (steps, rest) in [(6, 0.1), (12, 0.25)] {
        let found = cover_of_a_gearbox(steps, rest).clearance(&Options::default()).unwrap().unwrap();
        assert!(found.is_tight, "{found:?}");
        assert!(found.lower <= 2.0 && 2.0 <= found.upper, "{found:?}");
    }
    // With a very small budget the upper bound is that of the best end of a leg.
    let few = Options { max_iterations: 1, ..Options::default() };
    let found = cover_of_a_gearbox(12, 0.25).clearance(&few).unwrap().unwrap();
    assert!(found.lower <= 2.0 && (2.0..2.5).contains(&found.upper), "{found:?}");
}

/// With a separation of 2, the lip touches the housing at the start. With contacts at the start left out, a touch was
/// reported at 0.125, while both bodies rest: the last proven time was one of repeated halves of the whole.
#[test]
fn nothing_touches_while_everything_rests() {
    for rest in [0.2, 0.3, 0.7] {
        let ignore = Options { start: Start::Ignore, min_separation: 2.0, ..Options::default() };
        let report = cover_of_a_gearbox(6, rest).check(&ignore).unwrap();
        assert!(report.answer.free_until(1.0) >= rest * (1.0 - 1e-14), "{rest}: {:?}", report.answer);
    }
}
