//! The contact-screw engine: against the general engine, against dense sampling with exact triangle tests, and with
//! any of its tables left out.

use firsttouch::advancement::{Limits, Verdict};
use firsttouch::contact::{self, ContactPair, Covered, FaceTouch, Tables};
use firsttouch::motion::{ContactScrew, Motion, Pose, RigidMotion};
use firsttouch::narrow::Pieces;
use firsttouch::pair::Side;
use firsttouch::shape::{Cuboid, Mesh, SphereTree};
use firsttouch::tree::{self, LeafTouch, TreeStats};
use firsttouch::{
    Answer, Ask, Body, ContactTables, Mode, Options, Scene, ScrewPair, ScrewPairOptions, Start,
};
use glam::{DQuat, DVec3};
use robust::{Coord3D, orient3d};

/// A multiplicative generator that discards its low bits.
struct Random(u64);

impl Random {
    /// Uniform in `[-1, 1)`.
    fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        ((x ^ (x >> 33)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.draw(), self.draw(), self.draw())
    }

    fn quaternion(&mut self) -> DQuat {
        DQuat::from_xyzw(self.draw(), self.draw(), self.draw(), self.draw() + 1e-3).normalize()
    }
}

fn soup(random: &mut Random, count: usize, size: f64) -> Mesh {
    let mut vertices = Vec::new();
    for _ in 0..count {
        let center = random.vector();
        vertices.extend([0; 3].map(|_| center + random.vector() * size));
    }
    Mesh::new(vertices, (0..count as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap()
}

/// Triangles, segments, points and slivers.
fn degenerate_soup(random: &mut Random, count: usize) -> Mesh {
    let mut vertices = Vec::new();
    for i in 0..count {
        let center = random.vector();
        let [p, q, r] = [0; 3].map(|_| center + random.vector() * 0.6);
        vertices.extend(match i % 5 {
            0 => [p, p, p],
            1 => [p, q, q],
            2 => [p, q, p.lerp(q, 0.3)],
            3 => [p, q, p.lerp(q, 0.5) + random.vector() * 1e-12],
            _ => [p, q, r],
        });
    }
    Mesh::new(vertices, (0..count as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap()
}

/// Returns a sphere of radius 1 as a grid of about `2 n²` triangles.
fn ball(n: u32) -> Mesh {
    let mut vertices = vec![DVec3::Z, -DVec3::Z];
    for i in 1..n {
        for j in 0..n {
            let (theta, phi) = (f64::from(i) / f64::from(n), 2.0 * f64::from(j) / f64::from(n));
            let (s, c) = (theta * std::f64::consts::PI).sin_cos();
            let (t, d) = (phi * std::f64::consts::PI).sin_cos();
            vertices.push(DVec3::new(s * d, s * t, c));
        }
    }
    let at = |i: u32, j: u32| match i {
        0 => 0,
        i if i == n => 1,
        i => 2 + (i - 1) * n + j % n,
    };
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..n {
            if i > 0 {
                triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
            }
            if i + 1 < n {
                triangles.push([at(i, j + 1), at(i + 1, j), at(i + 1, j + 1)]);
            }
        }
    }
    Mesh::new(vertices, triangles).unwrap()
}

/// Returns a box with these half sides, 12 triangles.
fn cuboid(half: DVec3) -> Mesh {
    let corner = |k: u32| {
        let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half * DVec3::new(sign(0), sign(1), sign(2))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new((0..8).map(corner).collect(), triangles).unwrap()
}

fn mesh(random: &mut Random, kind: usize) -> Mesh {
    match kind % 6 {
        5 => degenerate_soup(random, 12),
        0 => soup(random, 8, 0.5),
        1 => ball(5 + (random.draw().abs() * 6.0) as u32),
        2 => cuboid(DVec3::new(0.8, 0.5, 0.3)),
        3 => cuboid(DVec3::new(1.0, 1.0, 1e-4)),
        _ => soup(random, 30, 0.15),
    }
}

/// Returns a screw from one random placement to another, of all kinds: no rotation, very little, some, nearly half a
/// turn, no shift.
fn screw(random: &mut Random, case: usize) -> ContactScrew {
    let half = [0.0, 1e-9, 1e-7, 1e-4, 0.1, 0.4, 0.9, 1.1, 1.5, std::f64::consts::FRAC_PI_2][case % 10];
    let start = random.quaternion();
    let axis = random.vector().normalize();
    let turn = DQuat::from_xyzw(
        axis.x * f64::sin(half),
        axis.y * f64::sin(half),
        axis.z * f64::sin(half),
        f64::cos(half),
    );
    let far = random.vector().normalize() * (2.2 + 0.8 * random.draw());
    let from = Pose::new(far, start).unwrap();
    let to = match case % 4 {
        // A pure rotation about an axis through a random point.
        0 if half > 1e-3 => {
            let center = random.vector();
            Pose::new(center + turn * (far - center), turn * from.rotation()).unwrap()
        }
        _ => Pose::new(-far * 0.7 + random.vector() * 1.2, turn * from.rotation()).unwrap(),
    };
    ContactScrew::new(from, to)
}

const OPTIONS: Options = Options { max_iterations: 100_000, ..Options::DEFAULT };

fn limits(options: &Options) -> Limits {
    Limits::new(options).unwrap()
}

fn by_contact(pair: &ContactPair<'_>, limits: &Limits, tables: Tables) -> (Verdict<FaceTouch>, TreeStats) {
    let mut work = TreeStats::default();
    let outcome = contact::first_touch(pair, limits, false, tables, &mut work);
    (outcome, work)
}

/// Runs the general engine, in pieces where the velocity jumps.
fn by_advancement(pair: &ContactPair<'_>, limits: &Limits) -> Verdict<LeafTouch> {
    let at_rest = Motion::Fixed(pair.at_rest);
    let pieces = f64::from(pair.motion.pace().pieces());
    let mut outcome = Verdict::Free;
    let mut t_start = 0.0;
    while t_start < limits.t_end() && outcome == Verdict::Free {
        let t_end = (t_start + 1.0 / pieces).min(limits.t_end());
        let limits = limits.within(t_start, t_end).unwrap();
        let moving = Side { pieces: Pieces::Mesh(pair.moving.mesh), motion: pair.motion };
        let resting = Side { pieces: Pieces::Mesh(pair.resting.mesh), motion: &at_rest };
        let mut work = TreeStats::default();
        outcome = tree::first_touch(&[[moving, resting]], &limits, false, &mut work).verdict;
        t_start = t_end;
    }
    outcome
}

fn time_of(outcome: &Verdict<FaceTouch>) -> Option<f64> {
    match outcome {
        Verdict::Free => None,
        Verdict::Touch(touch) => Some(touch.t),
        Verdict::Undecided { .. } => panic!("undecided"),
    }
}

/// Returns true if the meshes cross or touch at `t`, by exact orientation tests on the computed positions.
fn cross_at(pair: &ContactPair<'_>, t: f64) -> bool {
    let pose = pair.motion.pose_at(t);
    let a: Vec<DVec3> = pair.moving.mesh.vertices().iter().map(|&v| pose.apply(v)).collect();
    let b: Vec<DVec3> = pair.resting.mesh.vertices().iter().map(|&v| pair.at_rest.at().apply(v)).collect();
    pair.moving.mesh.triangles().iter().any(|s| {
        let s = s.map(|v| a[v as usize]);
        let (low, high) = (s[0].min(s[1]).min(s[2]), s[0].max(s[1]).max(s[2]));
        pair.resting.mesh.triangles().iter().any(|t| {
            let t = t.map(|v| b[v as usize]);
            let apart = t[0].max(t[1]).max(t[2]).cmplt(low) | t[0].min(t[1]).min(t[2]).cmpgt(high);
            !apart.any() && (pierces(&s, &t) || pierces(&t, &s))
        })
    })
}

/// Returns true if an edge of the first triangle properly pierces the second, decided exactly. Coplanar triangles do
/// not count.
fn pierces(s: &[DVec3; 3], t: &[DVec3; 3]) -> bool {
    let side = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| {
        let point = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
        orient3d(point(a), point(b), point(c), point(d))
    };
    let [a, b, c] = *t;
    [(0, 1), (1, 2), (2, 0)].into_iter().any(|(i, j)| {
        let (p, q) = (s[i], s[j]);
        let (over, under) = (side(a, b, c, p), side(a, b, c, q));
        if over * under >= 0.0 {
            return false;
        }
        let (u, v, w) = (side(p, q, a, b), side(p, q, b, c), side(p, q, c, a));
        u > 0.0 && v > 0.0 && w > 0.0 || u < 0.0 && v < 0.0 && w < 0.0
    })
}

#[test]
fn exact_triangle_test_knows_a_crossing() {
    let flat = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let upright = [DVec3::new(0.2, 0.2, -1.0), DVec3::new(0.2, 0.2, 1.0), DVec3::new(5.0, 0.2, 0.5)];
    assert!(pierces(&upright, &flat) && !pierces(&upright.map(|p| p + DVec3::Z * 2.0), &flat));
}

#[test]
fn agrees_with_the_general_engine_and_is_never_later_than_sampling() {
    let mut random = Random(1);
    let (mut free, mut touched, mut at_start, mut sampled) = (0, 0, 0, 0);
    for case in 0..600 {
        let (a, b) = (mesh(&mut random, case), mesh(&mut random, case / 6));
        let motion = screw(&mut random, case / 3);
        let at_rest = Pose::new(random.vector() * 0.2, random.quaternion()).unwrap().into();
        let pair = ContactPair {
            moving: Covered::natural(&a),
            motion: &motion,
            resting: Covered::natural(&b),
            at_rest,
        };
        let options = Options {
            min_separation: if case % 6 == 5 { 0.05 } else { 0.0 },
            t_max: if case % 7 == 6 { 0.63 } else { 1.0 },
            ..OPTIONS
        };
        let limits = limits(&options);
        let (ours, _) = by_contact(&pair, &limits, Tables::ALL);
        let theirs = by_advancement(&pair, &limits);
        let ours_at = time_of(&ours);
        if let Verdict::Touch(touch) = ours {
            assert!(touch.separation.upper <= options.min_separation + options.tolerance);
            assert!((0.0..=limits.t_end()).contains(&touch.t));
        }
        // The other engine's gap at our time must be small as well, and vice versa: two times at which both find a
        // gap within the tolerance may differ by as long as the gap stays there.
        let within = |t: f64| {
            let slack = options.min_separation + 2.0 * options.tolerance;
            let near =
                Limits::new(&Options { min_separation: slack, ..options }).unwrap().within(t, t).unwrap();
            let at_rest = Motion::Fixed(at_rest);
            let moving = Side { pieces: Pieces::Mesh(&a), motion: &motion };
            let resting = Side { pieces: Pieces::Mesh(&b), motion: &at_rest };
            let found = tree::first_touch(&[[moving, resting]], &near, true, &mut TreeStats::default());
            !found.verdict.is_free()
        };
        match (ours_at, &theirs) {
            (None, Verdict::Free) => free += 1,
            (Some(t), Verdict::Touch(other)) => {
                if t == 0.0 {
                    at_start += 1
                } else {
                    touched += 1
                }
                assert!(
                    (t - other.t).abs() < 1e-5 || within(t) && within(other.t),
                    "{case}: {t} and {}",
                    other.t
                );
            }
            (None, Verdict::Touch(other)) => assert!(within(other.t), "{case}: missed at {}", other.t),
            (Some(t), Verdict::Free) => assert!(within(t), "{case}: false alarm at {t}"),
            (_, Verdict::Undecided { .. }) => panic!("{case}: undecided"),
        }
        let end = ours_at.unwrap_or(limits.t_end());
        for k in 0..if end > 0.0 { 60 } else { 0 } {
            let t = end * f64::from(k) / 60.0;
            assert!(!cross_at(&pair, t), "{case}: crossing at {t} before {end}");
        }
        // Soon after the touch, something crosses in most cases, which shows that the samples can detect it.
        sampled +=
            usize::from(ours_at.is_some() && (1..=20).any(|k| cross_at(&pair, end + 0.004 * f64::from(k))));
    }
    assert!(free > 60 && touched > 250 && at_start < 100, "{free} {touched} {at_start}");
    assert!(sampled > 200, "{sampled}");
}

#[test]
fn tables_trees_and_order_do_not_change_the_answer() {
    let mut random = Random(2);
    let (mut touched, mut saved) = (0, 0);
    for case in 0..120 {
        let (a, b) = (mesh(&mut random, case), mesh(&mut random, case / 6));
        let motion = screw(&mut random, case);
        let at_rest = Pose::new(random.vector() * 0.2, random.quaternion()).unwrap().into();
        let radius = [0.1, 0.3, 1.0][case % 3];
        let trees = [&a, &b].map(|mesh| SphereTree::new(mesh, radius).unwrap());
        let factored = [&trees[0], &trees[1]].map(SphereTree::factored);
        let with = |trees: [&SphereTree; 2], tables: Tables| {
            let pair = ContactPair {
                moving: Covered { mesh: &a, tree: trees[0] },
                motion: &motion,
                resting: Covered { mesh: &b, tree: trees[1] },
                at_rest,
            };
            by_contact(&pair, &limits(&OPTIONS), tables)
        };
        let (all, few) = with([&trees[0], &trees[1]], Tables::ALL);
        for tables in [Tables::NONE, Tables::LABELS, Tables::PRIMITIVES] {
            let (outcome, work) = with([&trees[0], &trees[1]], tables);
            assert_eq!(outcome, all, "{case}");
            assert!(work.contact.total() >= few.contact.total());
            saved += usize::from(work.contact.total() > few.contact.total());
        }
        let (outcome, _) = with([&factored[0], &factored[1]], Tables::ALL);
        // Fewer and larger leaves test the primitives in another order: among equal times another may be reported.
        assert_eq!(time_of(&outcome), time_of(&all), "{case}");
        let natural = [a.spheres(), b.spheres()];
        assert_eq!(time_of(&with(natural, Tables::ALL).0), time_of(&all), "{case}");
        touched += usize::from(time_of(&all).is_some_and(|t| t > 0.0));
    }
    assert!(touched > 40 && saved > 60, "{touched} {saved}");
}

/// A floor of two triangles used to get spheres of its own size, 14.1, and the bodies that fell on it got spheres of
/// 0.03. So nearly all of these met the same sphere of the floor: a step took 14 ms instead of 0.1 ms. The paper wants
/// leaves of one size for both (Sec. 4.4).
#[test]
fn leaves_have_one_size_and_their_number_is_bounded() {
    let floor = |half: f64| {
        let corner = |x: f64, y: f64| DVec3::new(x * half, y * half, 0.0);
        let corners = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        Mesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
    };
    let small = ball(24);
    for half in [1.0, 20.0, 1e6] {
        let large = floor(half);
        for meshes in [[&small, &large], [&large, &small]] {
            let trees = SphereTree::for_both(meshes, None).unwrap();
            // Each is enlarged by the slack of its own cells, parts in a billion.
            let [a, b] = trees.each_ref().map(SphereTree::leaf_radius);
            assert!((a - b).abs() < 1e-8 * a, "{a} {b}");
            let nodes: usize = trees.iter().map(|tree| tree.nodes().len()).sum();
            let triangles: usize = meshes.iter().map(|mesh| mesh.triangles().len()).sum();
            assert!(nodes < 40 * triangles, "{half}: {nodes} nodes for {triangles} triangles");
        }
    }
    // The floor is covered by spheres that are small compared with the ball, which falls on it and rises again.
    let large = floor(5.0);
    let pair = ScrewPair::new(small.clone(), large.clone(), ScrewPairOptions::default()).unwrap();
    assert!(pair.leaf_radius() < 0.3, "{}", pair.leaf_radius());
    let natural = |mesh: &Mesh| mesh.spheres().leaf_radius();
    assert!(natural(&large) > 3.0 && natural(&small) < 0.2);
    let at = |height: f64| Pose::from_translation(DVec3::new(0.3, 0.2, height)).unwrap();
    let motion = ContactScrew::new(at(1.3), at(1.02));
    let mut work = TreeStats::default();
    let answer = pair.check_counting(&motion, Pose::IDENTITY, &OPTIONS, &mut work).unwrap();
    assert_eq!(answer, Answer::Free);
    let own_sizes = ContactPair {
        moving: Covered::natural(&small),
        motion: &motion,
        resting: Covered::natural(&large),
        at_rest: Pose::IDENTITY.into(),
    };
    let (outcome, before) = by_contact(&own_sizes, &limits(&OPTIONS), Tables::ALL);
    assert_eq!(outcome, Verdict::Free);
    let (now, before) = (work.contact.total(), before.contact.total());
    assert!(4 * now < before, "{now} tests, {before} with leaves of two sizes");
}

/// A scene takes CONTACT for the pairs that ask for it, from both sides: the answer is that of the `ScrewPair`, and the
/// tests are counted.
#[test]
fn a_scene_decides_a_pair_by_contact() {
    let mut random = Random(31);
    let (mut touched, mut free) = (0, 0);
    for case in 0..60 {
        let (a, b) = (mesh(&mut random, case), mesh(&mut random, case / 6));
        let moved = screw(&mut random, case);
        let placed = Pose::new(random.vector() * 0.2, random.quaternion()).unwrap();
        let bodies = [
            Body::new("moving", a.clone(), Motion::ContactScrew(moved)),
            Body::new("resting", b.clone(), Motion::fixed(placed)),
        ];
        let settings = ScrewPairOptions {
            leaf_radius: [None, Some(0.2)][case % 2],
            tables: [ContactTables::ALL, ContactTables::NONE][case / 2 % 2],
        };
        let scene = |order: [usize; 2]| {
            let mut scene = Scene::default();
            for k in order {
                scene.add(bodies[k].clone()).unwrap();
            }
            scene.decide_by_contact("resting", "moving", settings).unwrap();
            assert_eq!(scene.pairs_by_contact(), [([0, 1], settings)]);
            scene
        };
        let options = Options { mode: [Mode::First, Mode::All][case % 2], ..OPTIONS };
        let (there, back) = (scene([0, 1]), scene([1, 0]));
        let (there, back) = (there.check(&options).unwrap(), back.check(&options).unwrap());
        assert_eq!(there.stats.contact, back.stats.contact);
        let pair = ScrewPair::new(a, b, settings).unwrap();
        let mut work = TreeStats::default();
        let alone = pair.check_counting(&moved, placed, &OPTIONS, &mut work).unwrap();
        assert_eq!(there.answer, alone, "{case}");
        match (&there.answer, &back.answer) {
            (Answer::Touch(x), Answer::Touch(y))
            | (Answer::TouchingAtStart(x), Answer::TouchingAtStart(y)) => {
                touched += usize::from(x.toi > 0.0);
                let mut swapped = y.clone().swapped();
                swapped.bodies = [0, 1];
                assert_eq!(*x, swapped);
            }
            (x, y) => {
                free += usize::from(*x == Answer::Free);
                assert_eq!(x, y);
            }
        }
        // Boxes that stay apart are free without any test.
        assert!(there.stats.contact == work.contact || there.stats.boxes_apart == 1);
    }
    assert!(touched > 20 && free > 5, "{touched} {free}");
}

/// A pair that CONTACT cannot decide is refused by name, and never given to another engine in silence: neither when the
/// scene is assembled nor after a body has changed.
#[test]
fn contact_is_refused_where_it_does_not_apply() {
    let plate = cuboid(DVec3::new(1.0, 1.0, 0.1));
    let at = |z: f64| Pose::from_translation(DVec3::Z * z).unwrap();
    let screw = |from: f64, to: f64| Motion::ContactScrew(ContactScrew::new(at(from), at(to)));
    let mut scene = Scene::default();
    scene.add(Body::new("plate", plate.clone(), screw(3.0, 1.0))).unwrap();
    scene.add(Body::new("floor", plate.clone(), Motion::fixed(at(0.0)))).unwrap();
    scene.add(Body::new("ball", Cuboid::new(DVec3::ONE).unwrap(), Motion::fixed(at(9.0)))).unwrap();
    let options = ScrewPairOptions::default();
    let text = |result: firsttouch::Result<()>| result.unwrap_err().to_string();
    let refused = text(scene.decide_by_contact("plate", "ball", options));
    assert!(refused.contains("\"plate\" (mesh)") && refused.contains("\"ball\" (box)"), "{refused}");
    assert!(text(scene.decide_by_contact("plate", "plate", options)).contains("two meshes"));
    assert!(text(scene.decide_by_contact("plate", "wall", options)).contains("wall"));
    let wrong = ScrewPairOptions { leaf_radius: Some(-1.0), ..options };
    assert!(text(scene.decide_by_contact("plate", "floor", wrong)).contains("leaf radius"));

    scene.decide_by_contact("plate", "floor", options).unwrap();
    let check = |scene: &Scene, options: &Options| scene.check(options).map(|report| report.answer);
    assert_eq!(check(&scene, &OPTIONS).unwrap(), Answer::Free);
    let ignoring = check(&scene, &Options { start: Start::Ignore, ..OPTIONS }).unwrap_err().to_string();
    assert!(ignoring.contains("\"plate\"") && ignoring.contains("ignore"), "{ignoring}");
    // Another motion.
    scene.set_motion("plate", Motion::linear(at(3.0), at(-3.0))).unwrap();
    let refused = check(&scene, &OPTIONS).unwrap_err().to_string();
    assert!(refused.contains("\"plate\" (linear)") && refused.contains("\"floor\" (fixed)"), "{refused}");
    // A step of a simulation, down onto the floor: at 0.5 of it if the plate is as thick as the floor, and at 0.6 with
    // one of a fifth.
    scene.set_motion("plate", screw(1.2, -0.8)).unwrap();
    let toi = |scene: &Scene| check(scene, &OPTIONS).unwrap().touch().unwrap().toi;
    assert!((toi(&scene) - 0.5).abs() < 1e-5);
    // Another shape: the spheres of the previous one are not used again.
    scene.replace_shape("plate", cuboid(DVec3::new(1.0, 1.0, 0.02))).unwrap();
    assert!((toi(&scene) - 0.54).abs() < 1e-5, "{}", toi(&scene));
    scene.replace_shape("plate", Cuboid::new(DVec3::ONE).unwrap()).unwrap();
    assert!(check(&scene, &OPTIONS).unwrap_err().to_string().contains("\"plate\" (box)"));
    // An allowed pair is not checked, whatever its method.
    scene.allow("plate", "floor").unwrap();
    assert!(check(&scene, &OPTIONS).is_ok());
    scene.remove("plate").unwrap();
    assert!(scene.pairs_by_contact().is_empty());
}

/// Contact screws are not decided exactly: a pass within the tolerance is a touch, in both engines.
#[test]
fn a_pass_within_the_tolerance_touches() {
    let triangle = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    for (gap, touches) in [(5e-7, true), (9e-7, true), (2e-6, false)] {
        let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.1, gap)).unwrap();
        let motion = ContactScrew::new(at(-3.0), at(3.0));
        let pair = ScrewPair::new(triangle.clone(), triangle.clone(), ScrewPairOptions::default()).unwrap();
        let by_contact = pair.check(&motion, Pose::IDENTITY, &OPTIONS).unwrap();
        assert_eq!(by_contact.touch().is_some(), touches, "{gap}");
        let mut scene = Scene::default();
        scene.add(Body::new("a", triangle.clone(), Motion::ContactScrew(motion))).unwrap();
        scene.add(Body::new("b", triangle.clone(), Motion::AT_REST)).unwrap();
        assert_eq!(scene.check(&OPTIONS).unwrap().answer.touch().is_some(), touches, "{gap}");
    }
}

/// An interrupted query reports the interrupt.
#[test]
fn contact_stops_when_it_is_interrupted() {
    let (a, b) = (ball(40), ball(40));
    let at = |z: f64| Pose::from_translation(DVec3::Z * z).unwrap();
    let mut scene = Scene::default();
    let motion = Motion::ContactScrew(ContactScrew::new(at(2.5), at(2.001)));
    scene.add(Body::new("a", a, motion)).unwrap();
    scene.add(Body::new("b", b, Motion::AT_REST)).unwrap();
    scene.decide_by_contact("a", "b", ScrewPairOptions::default()).unwrap();
    let interrupt = firsttouch::Interrupt::default();
    interrupt.raise();
    let control = firsttouch::Control { interrupt: Some(&interrupt), progress: None };
    let answer = scene.check(Ask::from(&OPTIONS).control(&control)).unwrap().answer;
    assert!(matches!(answer, Answer::Undecided { free_until: 0.0, .. }), "{answer:?}");
}

/// Scenes take the general engine for contact screws, because it is faster, from both sides. CONTACT itself, as a
/// `ScrewPair`, agrees: neither is late, so each is free up to the other's time, less the time that the tolerance
/// allows.
#[test]
fn scenes_and_screw_pairs_agree() {
    let mut random = Random(3);
    let mut touched = 0;
    for case in 0..60 {
        let (a, b) = (mesh(&mut random, case), mesh(&mut random, case / 6));
        let moved = screw(&mut random, case);
        let motion = Motion::ContactScrew(moved);
        let placed = Pose::new(random.vector() * 0.2, random.quaternion()).unwrap();
        let at_rest = Motion::fixed(placed);
        let check = |first: Body, second: Body| {
            let mut scene = Scene::default();
            scene.add(first).unwrap();
            scene.add(second).unwrap();
            scene.check(&Options::default()).unwrap()
        };
        let moving = Body::new("moving", a.clone(), motion.clone());
        let resting = Body::new("resting", b.clone(), at_rest.clone());
        let (ab, ba) = (check(moving.clone(), resting.clone()), check(resting.clone(), moving.clone()));
        assert_eq!(ab.stats.contact, ba.stats.contact);
        assert_eq!(ab.stats.contact.sphere_sphere, 0);
        let pair = ScrewPair::new(a.clone(), b.clone(), ScrewPairOptions::default()).unwrap();
        let mut work = TreeStats::default();
        let by_contact = pair.check_counting(&moved, placed, &Options::default(), &mut work).unwrap();
        match (&ab.answer, &by_contact) {
            (Answer::Touch(x), Answer::Touch(y)) => {
                assert!(work.contact.sphere_sphere > 0 && y.gap <= 1e-6);
                assert!((x.toi - y.toi).abs() < 1e-3, "{} {}", x.toi, y.toi);
            }
            (x, y) => assert_eq!(std::mem::discriminant(x), std::mem::discriminant(y), "{x:?} {y:?}"),
        }
        match (ab.answer, ba.answer) {
            (Answer::Touch(x), Answer::Touch(y)) => {
                touched += 1;
                let mut swapped = y.swapped();
                swapped.bodies = [0, 1];
                assert_eq!(x, swapped);
                assert!(x.gap <= 1e-6 && (x.points[0] - x.points[1]).length() < 2e-6);
            }
            (Answer::TouchingAtStart(x), Answer::TouchingAtStart(y)) => assert_eq!(x.toi, y.toi),
            (x, y) => assert_eq!(x, y),
        }
        // Against a solid, and against a mesh that moves, the general engine is used.
        let solid = Body::new("solid", Cuboid::new(DVec3::splat(0.5)).unwrap(), at_rest.clone());
        assert_eq!(check(moving.clone(), solid).stats.contact.sphere_sphere, 0);
        let drifting = Motion::linear(Pose::IDENTITY, Pose::from_translation(DVec3::X * 0.1).unwrap());
        let drifting = Body::new("drifting", b, drifting);
        assert_eq!(check(moving, drifting).stats.contact.sphere_sphere, 0);
    }
    assert!(touched > 20, "{touched}");
}

/// Degenerate equations: a plate slides in its own plane towards another, with parallel edges all the way, and stops
/// short of it, touches it, or passes just above it.
#[test]
fn sliding_plates() {
    let plate = Mesh::new(
        vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y],
        vec![[0, 1, 2], [0, 2, 3]],
    )
    .unwrap();
    for (height, end, expected) in [
        (0.0, 0.5, Some(2.0 / 2.5)),
        (0.0, 1.01, None),
        (1e-3, 0.5, None),
        (1e-7, 0.5, Some(2.0 / 2.5)),
        (0.0, 1.0, Some(1.0)),
    ] {
        let pose = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, height)).unwrap();
        let motion = ContactScrew::new(pose(3.0), pose(end));
        let side = Covered::natural(&plate);
        let pair =
            ContactPair { moving: side, motion: &motion, resting: side, at_rest: Pose::IDENTITY.into() };
        let (outcome, _) = by_contact(&pair, &limits(&OPTIONS), Tables::ALL);
        match (time_of(&outcome), expected) {
            (None, None) => {}
            (Some(t), Some(exact)) => assert!(t <= exact && exact - t < 1e-5, "{height} {end}: {t}"),
            (found, _) => panic!("{height} {end}: {found:?}"),
        }
    }
}

/// A thin plate passes at high speed through another: the samples on both sides detect nothing.
#[test]
fn no_tunnelling() {
    let plate = cuboid(DVec3::new(1.0, 1.0, 1e-6));
    let from = Pose::from_translation(DVec3::new(0.3, 0.1, 1000.0)).unwrap();
    let quarter = DQuat::from_xyzw(0.0, 0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt());
    let to = Pose::new(DVec3::new(-0.2, 0.2, -1000.0), quarter).unwrap();
    let motion = ContactScrew::new(from, to);
    let side = Covered::natural(&plate);
    let pair = ContactPair { moving: side, motion: &motion, resting: side, at_rest: Pose::IDENTITY.into() };
    let (outcome, _) = by_contact(&pair, &limits(&OPTIONS), Tables::ALL);
    // The height is 1000 − 2000 tan(t π/4), zero where the tangent is one half.
    let exact = 0.5_f64.atan() / std::f64::consts::FRAC_PI_4;
    let t = time_of(&outcome).unwrap();
    assert!(t <= exact && exact - t < 1e-8, "{t} {exact}");
}

/// A law: relative to the moving body, the body at rest makes the opposite screw with the same timing. Vertices and
/// faces exchange their roles; the time of contact stays.
#[test]
fn seen_from_the_moving_body_nothing_changes() {
    let mut random = Random(4);
    let (mut touched, mut free) = (0, 0);
    for case in 0..150 {
        let (a, b) = (mesh(&mut random, case), mesh(&mut random, case / 6));
        let turn = random.quaternion();
        let far = random.vector().normalize() * (2.5 + 0.5 * random.draw());
        let from = Pose::new(far, random.quaternion()).unwrap();
        let to = Pose::new(-far * 0.7 + random.vector() * 0.5, turn).unwrap();
        let resting = Pose::new(random.vector() * 0.2, random.quaternion()).unwrap();
        let seen = |from: &Pose| {
            let back = from.rotation().conjugate();
            let offset = back * (resting.translation() - from.translation());
            Pose::new(offset, back * resting.rotation()).unwrap()
        };
        let (motion, opposite) = (ContactScrew::new(from, to), ContactScrew::new(seen(&from), seen(&to)));
        let (covered_a, covered_b) = (Covered::natural(&a), Covered::natural(&b));
        let here =
            ContactPair { moving: covered_a, motion: &motion, resting: covered_b, at_rest: resting.into() };
        let there = ContactPair {
            moving: covered_b,
            motion: &opposite,
            resting: covered_a,
            at_rest: Pose::IDENTITY.into(),
        };
        let times = [here, there].map(|pair| time_of(&by_contact(&pair, &limits(&OPTIONS), Tables::ALL).0));
        match times {
            [Some(t), Some(other)] => {
                touched += 1;
                assert!((t - other).abs() < 1e-4, "{case}: {t} {other}");
            }
            [None, None] => free += 1,
            other => panic!("{case}: {other:?}"),
        }
        // Any touch is found if and only if there is a first one.
        let any =
            contact::first_touch(&here, &limits(&OPTIONS), true, Tables::ALL, &mut TreeStats::default());
        assert_eq!(time_of(&any).is_some(), times[0].is_some());
        assert!(time_of(&any) >= times[0]);
    }
    assert!(touched > 60 && free > 10, "{touched} {free}");
}

/// A law: another unit of length does not change the time, bit for bit if the unit is a power of two.
#[test]
fn units_do_not_matter() {
    let mut random = Random(5);
    let mut touched = 0;
    for case in 0..60 {
        let meshes = [mesh(&mut random, case), mesh(&mut random, case / 6)];
        let far = random.vector().normalize() * 2.8;
        let placements = [
            (far, random.quaternion()),
            (-far * 0.7 + random.vector() * 0.5, random.quaternion()),
            (random.vector() * 0.2, random.quaternion()),
        ];
        let times = [1.0, 1024.0, 2.0_f64.powi(-20)].map(|unit| {
            let [a, b] = [&meshes[0], &meshes[1]].map(|mesh| {
                let vertices = mesh.vertices().iter().map(|&v| v * unit).collect();
                Mesh::new(vertices, mesh.triangles().to_vec()).unwrap()
            });
            let [from, to, resting] = placements.map(|(x, turn)| Pose::new(x * unit, turn).unwrap());
            let motion = ContactScrew::new(from, to);
            let pair = ContactPair {
                moving: Covered::natural(&a),
                motion: &motion,
                resting: Covered::natural(&b),
                at_rest: resting.into(),
            };
            let limits = limits(&Options { tolerance: OPTIONS.tolerance * unit, ..OPTIONS });
            time_of(&by_contact(&pair, &limits, Tables::ALL).0)
        });
        assert!(times[0] == times[1] && times[0] == times[2], "{case}: {times:?}");
        touched += usize::from(times[0].is_some());
    }
    assert!(touched > 20, "{touched}");
}
