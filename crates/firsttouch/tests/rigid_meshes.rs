//! Meshes in rigid motion: never a miss, never late, and tight, against sampling with exact triangle tests.

use crate::random;

use std::sync::atomic::{AtomicUsize, Ordering};

use firsttouch::motion::{Motion, Pose, RigidMotion};
use firsttouch::shape::{Capsule, Cuboid, Cylinder, Ellipsoid, Hull, Mesh, Shape, Sphere};
use firsttouch::{Answer, Body, Options, Scene};
use glam::{DQuat, DVec3};
use random::Random;
use robust::{Coord3D, orient3d};

impl Random {
    fn motion(&mut self, distance: f64) -> Motion {
        let (from, to) = (self.pose(distance), self.pose(distance));
        match self.next() % 3 {
            0 => Motion::linear(from, to),
            1 => Motion::screw(from, to),
            _ => Motion::linear(from, Pose::new(to.translation(), from.rotation()).unwrap()),
        }
    }
}

fn soup(random: &mut Random, triangles: usize, size: f64) -> Mesh {
    let mut vertices = Vec::new();
    for _ in 0..triangles {
        let at = random.vector(1.0);
        vertices.extend([0; 3].map(|_| at + random.vector(size)));
    }
    let triangles = (0..triangles as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(vertices, triangles).unwrap()
}

fn placed(mesh: &Mesh, motion: &Motion, t: f64) -> Vec<[DVec3; 3]> {
    let pose = motion.pose_at(t);
    let world: Vec<DVec3> = mesh.vertices().iter().map(|&v| pose.apply(v)).collect();
    mesh.triangles().iter().map(|ids| ids.map(|i| world[i as usize])).collect()
}

/// Returns true if an edge of one triangle certainly passes through the inside of the other.
fn cross([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let sign = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| {
        let at = |v: DVec3| Coord3D { x: v.x, y: v.y, z: v.z };
        orient3d(at(a), at(b), at(c), at(d))
    };
    if sign(a, b, c, p) * sign(a, b, c, q) >= 0.0 {
        return false;
    }
    let sides = [sign(p, q, a, b), sign(p, q, b, c), sign(p, q, c, a)];
    sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0)
}

fn triangles_cross(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    let (min, max) = (|t: &[DVec3; 3]| t[0].min(t[1]).min(t[2]), |t: &[DVec3; 3]| t[0].max(t[1]).max(t[2]));
    if !(min(a).cmple(max(b)).all() && min(b).cmple(max(a)).all()) {
        return false;
    }
    (0..3).any(|i| cross([a[i], a[(i + 1) % 3]], *b) || cross([b[i], b[(i + 1) % 3]], *a))
}

fn meshes_cross(a: &[[DVec3; 3]], b: &[[DVec3; 3]]) -> bool {
    a.iter().any(|x| b.iter().any(|y| triangles_cross(x, y)))
}

/// Returns the distance of two triangles that do not cross, from vertex/face and edge/edge distances.
fn distance(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let mut best = f64::INFINITY;
    for (x, y) in [(a, b), (b, a)] {
        for &v in x {
            best = best.min(vertex_face(v, y));
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            best = best.min(edge_edge([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]));
        }
    }
    best
}

fn vertex_face(v: DVec3, [a, b, c]: &[DVec3; 3]) -> f64 {
    let normal = (*b - *a).cross(*c - *a);
    let inside = [(a, b), (b, c), (c, a)].iter().all(|&(p, q)| (*q - *p).cross(v - *p).dot(normal) >= 0.0);
    if inside && normal.length() > 0.0 { (v - *a).dot(normal).abs() / normal.length() } else { f64::INFINITY }
}

fn edge_edge([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> f64 {
    let point_segment = |x: DVec3, a: DVec3, b: DVec3| {
        let t = ((x - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        (x - a - (b - a) * t).length()
    };
    let mut best = point_segment(p, r, s)
        .min(point_segment(q, r, s))
        .min(point_segment(r, p, q))
        .min(point_segment(s, p, q));
    let (u, v, w) = (q - p, s - r, r - p);
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let det = uu * vv - uv * uv;
    if det > 0.0 {
        let (x, y) = ((uw * vv - vw * uv) / det, (uw * uv - vw * uu) / det);
        if (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y) {
            best = best.min((p + u * x - r - v * y).length());
        }
    }
    best
}

fn check(a: (&Shape, &Motion), b: (&Shape, &Motion), options: &Options) -> Answer {
    let body_a = Body::new("a", a.0.clone(), a.1.clone());
    let body_b = Body::new("b", b.0.clone(), b.1.clone());
    let [answer, swapped] = [[&body_a, &body_b], [&body_b, &body_a]].map(|bodies| {
        let mut scene = Scene::default();
        for body in bodies {
            scene.add(body.clone()).unwrap();
        }
        scene.check(options).unwrap().answer
    });
    match (&answer, swapped.touch()) {
        (Answer::Touch(touch) | Answer::TouchingAtStart(touch), Some(swapped)) => {
            let mut mirrored = swapped.clone().swapped();
            mirrored.bodies = touch.bodies;
            assert_eq!(*touch, mirrored, "swapping the sides");
        }
        _ => assert_eq!(answer, swapped, "swapping the sides"),
    }
    answer
}

/// Asserts the contract for two meshes, and returns true if they touch.
fn judge(a: (&Mesh, &Motion), b: (&Mesh, &Motion), samples: usize, story: &str) -> bool {
    let options = Options::default();
    let shapes = (Shape::from(a.0.clone()), Shape::from(b.0.clone()));
    let answer = check((&shapes.0, a.1), (&shapes.1, b.1), &options);
    let free_until = match &answer {
        Answer::Undecided { .. } => panic!("{story}: undecided"),
        answer => answer.free_until(1.0),
    };
    for i in 0..=samples {
        let t = i as f64 / samples as f64;
        if t < free_until || answer == Answer::Free {
            let crossing = meshes_cross(&placed(a.0, a.1, t), &placed(b.0, b.1, t));
            assert!(!crossing, "{story}: they cross at {t}, but the answer is {answer:?}");
        }
    }
    let Some(touch) = answer.touch() else { return false };
    let (world_a, world_b) = (placed(a.0, a.1, touch.toi), placed(b.0, b.1, touch.toi));
    let nearest = world_a
        .iter()
        .flat_map(|x| world_b.iter().map(move |y| if triangles_cross(x, y) { 0.0 } else { distance(x, y) }))
        .fold(f64::INFINITY, f64::min);
    assert!(nearest <= options.tolerance * (1.0 + 1e-6), "{story}: at the touch the gap is {nearest}");
    assert!(
        touch.gap <= options.tolerance && touch.gap >= nearest - 1e-12,
        "{story}: {} {nearest}",
        touch.gap
    );
    assert!((touch.normal.length() - 1.0).abs() < 1e-12);
    if touch.gap > 1e-9 {
        let between = (touch.points[1] - touch.points[0]).length();
        assert!((between - touch.gap).abs() < 1e-9, "{story}: points {between} apart, gap {}", touch.gap);
    }
    true
}

/// Runs `work` for every index, on all cores.
fn in_parallel(count: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, |n| n.get()) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= count {
                        break;
                    }
                    work(i);
                }
            });
        }
    });
}

#[test]
fn ten_thousand_random_soups() {
    let (touches, count) = (AtomicUsize::new(0), 10_000);
    in_parallel(count, |seed| {
        let mut random = Random(seed as u64);
        let n = 1 + (random.next() % 8) as usize;
        let size = random.range(0.1, 1.0);
        let (a, b) = (soup(&mut random, n, size), soup(&mut random, n, size));
        let (move_a, move_b) = (random.motion(2.5), random.motion(2.5));
        if judge((&a, &move_a), (&b, &move_b), 100, &format!("soup {seed}")) {
            touches.fetch_add(1, Ordering::Relaxed);
        }
    });
    let rate = touches.into_inner() as f64 / count as f64;
    assert!((0.2..0.8).contains(&rate), "hit rate {rate}");
}

/// Returns a box as a surface.
fn box_mesh(half: DVec3) -> Mesh {
    let corners = (0..8).map(|i| {
        let side = |bit: i32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half * DVec3::new(side(0), side(1), side(2))
    });
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new(corners.collect(), triangles).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

/// Two plates a micrometre thick pass through each other in a thousandth of the step.
#[test]
fn thin_plates_at_high_speed() {
    let plate = box_mesh(DVec3::new(1.0, 1.0, 1e-6));
    let tilt = Pose::new(DVec3::new(0.1, 0.2, -500.0), DQuat::from_rotation_x(0.3)).unwrap();
    let end = Pose::new(DVec3::new(0.1, 0.2, 500.0), DQuat::from_rotation_x(0.3)).unwrap();
    let fast = Motion::linear(tilt, end);
    assert!(judge((&plate, &fast), (&plate, &Motion::fixed(Pose::IDENTITY)), 100, "plates"));
    let missing = Motion::linear(at(2.1, 0.0, -500.0), at(2.1, 0.0, 500.0));
    assert!(!judge((&plate, &missing), (&plate, &Motion::fixed(Pose::IDENTITY)), 100, "plates that miss"));
}

/// A rod rotates by almost half a turn about its middle and sweeps over a small obstacle near its end. If the
/// obstacle is slightly further out, the rod does not reach it.
#[test]
fn rod_spinning_almost_half_a_turn() {
    let rod = box_mesh(DVec3::new(2.0, 0.01, 0.01));
    let post = box_mesh(DVec3::splat(0.02));
    let angle = std::f64::consts::PI - 1e-6;
    let spin = Motion::linear(Pose::IDENTITY, Pose::new(DVec3::ZERO, DQuat::from_rotation_z(angle)).unwrap());
    let near = Motion::fixed(at(0.0, 1.9, 0.0));
    assert!(judge((&rod, &spin), (&post, &near), 2000, "rod"));
    let far = Motion::fixed(at(0.0, 2.03, 0.0));
    assert!(!judge((&rod, &spin), (&post, &far), 2000, "rod that misses"));
}

/// Returns a surface of revolution about z: `n` meridians through the points `(radius, z)`.
fn revolved(profile: &[(f64, f64)], n: u32, closed: bool) -> Mesh {
    let m = profile.len() as u32;
    let mut vertices = Vec::new();
    for i in 0..n {
        let angle = std::f64::consts::TAU * f64::from(i) / f64::from(n);
        vertices.extend(profile.iter().map(|&(r, z)| DVec3::new(r * angle.cos(), r * angle.sin(), z)));
    }
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..if closed { m } else { m - 1 } {
            let at = |i: u32, j: u32| (i % n) * m + j % m;
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    Mesh::new(vertices, triangles).unwrap()
}

/// A bolt rotates through a ring whose hole is one per cent wider: proven free. A bolt one per cent wider than the
/// hole touches it.
#[test]
fn screw_through_a_ring_with_one_per_cent_clearance() {
    let ring_profile: Vec<(f64, f64)> = (0..12)
        .map(|i| {
            let a = std::f64::consts::TAU * f64::from(i) / 12.0;
            (1.2 + 0.2 * a.cos(), 0.2 * a.sin())
        })
        .collect();
    let ring = revolved(&ring_profile, 48, true);
    // The narrowest radius of the hole is 1, less the flattening of the 48 chords: cos(π/48) = 0.9979.
    let bolt = |radius: f64| revolved(&[(0.0, -1.0), (radius, -1.0), (radius, 1.0), (0.0, 1.0)], 48, false);
    let turn = DQuat::from_rotation_z(3.0);
    let through = Motion::screw(at(0.0, 0.0, -1.5), Pose::new(DVec3::new(0.0, 0.0, 1.5), turn).unwrap());
    let ring_at_rest = Motion::fixed(Pose::IDENTITY);
    assert!(!judge((&bolt(0.9879), &through), (&ring, &ring_at_rest), 100, "bolt"));
    assert!(judge((&bolt(1.01), &through), (&ring, &ring_at_rest), 100, "wide bolt"));
}

/// Soups against solids. A point of a triangle inside a solid proves that they overlap.
#[test]
fn soups_against_every_solid() {
    let (touches, count) = (AtomicUsize::new(0), 3_000);
    in_parallel(count, |seed| {
        let mut random = Random(77_000 + seed as u64);
        let mesh = soup(&mut random, 6, 0.5);
        let sizes = DVec3::new(random.range(0.1, 1.5), random.range(0.1, 1.5), random.range(0.1, 1.5));
        let cloud: Vec<DVec3> = (0..12).map(|_| random.vector(1.0)).collect();
        let solid: Shape = match seed % 6 {
            0 => Cuboid::new(sizes).unwrap().into(),
            1 => Sphere::new(sizes.x).unwrap().into(),
            2 => Capsule::new(0.5 * sizes.x, sizes.y).unwrap().into(),
            3 => Cylinder::new(sizes.x, sizes.y).unwrap().into(),
            4 => Ellipsoid::new(sizes).unwrap().into(),
            _ => Hull::new(&cloud).unwrap().into(),
        };
        let inside = |p: DVec3| match &solid {
            Shape::Box(b) => p.abs().cmplt(b.half()).all(),
            Shape::Sphere(s) => p.length() < s.radius(),
            Shape::Capsule(c) => {
                let z = p.z.clamp(-0.5 * c.length(), 0.5 * c.length());
                (p - DVec3::Z * z).length() < c.radius()
            }
            Shape::Cylinder(c) => p.truncate().length() < c.radius() && p.z.abs() < 0.5 * c.length(),
            Shape::Ellipsoid(e) => (p / e.semi_axes()).length() < 1.0,
            Shape::Hull(h) => h.faces().iter().all(|face| {
                let [a, b, c] = face.map(|i| h.vertices()[i as usize]);
                (b - a).cross(c - a).dot(p - a) < -1e-12
            }),
            Shape::Mesh(_) => unreachable!("only solids are made here"),
            _ => panic!("a new solid needs its own test"),
        };
        let (move_a, move_b) = (random.motion(2.5), random.motion(2.5));
        let shape = Shape::from(mesh.clone());
        let options = Options::default();
        let answer = check((&shape, &move_a), (&solid, &move_b), &options);
        assert!(!matches!(answer, Answer::Undecided { .. }), "seed {seed}: {answer:?}");
        for i in 0..=100 {
            let t = f64::from(i) / 100.0;
            if t >= answer.free_until(1.0) && answer != Answer::Free {
                break;
            }
            let pose = move_b.pose_at(t);
            for [a, b, c] in placed(&mesh, &move_a, t) {
                for (u, v) in
                    [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.3, 0.3), (0.5, 0.5), (0.5, 0.0), (0.0, 0.5)]
                {
                    let p = a + (b - a) * u + (c - a) * v;
                    assert!(
                        !inside(pose.to_body(p)),
                        "{} seed {seed}: inside at {t}, {answer:?}",
                        solid.kind()
                    );
                }
            }
        }
        if let Some(touch) = answer.touch() {
            touches.fetch_add(1, Ordering::Relaxed);
            assert!(touch.gap <= options.tolerance);
        }
    });
    let rate = touches.into_inner() as f64 / count as f64;
    assert!((0.2..0.8).contains(&rate), "hit rate {rate}");
}

/// From outside, a solid box and its surface are the same.
#[test]
fn a_box_and_its_surface_agree() {
    let (mut random, options) = (Random(5), Options::default());
    let (mut touches, count) = (0, 500);
    for _ in 0..count {
        let half = DVec3::new(random.range(0.1, 1.0), random.range(0.1, 1.0), random.range(0.1, 1.0));
        let solid: Shape = Cuboid::new(2.0 * half).unwrap().into();
        let surface: Shape = box_mesh(half).into();
        let (move_a, move_b) = (random.motion(2.5), random.motion(2.5));
        let answers = [&solid, &surface].map(|shape| check((shape, &move_a), (shape, &move_b), &options));
        match &answers {
            [Answer::Touch(a), Answer::Touch(b)] => {
                touches += 1;
                // Both are within the tolerance of the contact; the difference in time depends on the closing speed.
                assert!((a.toi - b.toi).abs() < 1e-4, "{} {}", a.toi, b.toi);
            }
            [Answer::TouchingAtStart(_), _] => {}
            [a, b] => assert_eq!(a, b),
        }
    }
    assert!(touches > count / 5 && touches < 4 * count / 5, "{touches}");
}
