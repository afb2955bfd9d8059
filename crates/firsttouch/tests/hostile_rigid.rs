//! Inputs that once broke a guarantee of the rigid engines, each with its story and the right answer.

use std::mem::discriminant;

use dashu_ratio::RBig;
use firsttouch::contact::{ContactPair, Covered, Tables, first_touch};
use firsttouch::motion::{ContactScrew, Motion, Pose, Rational, RigidMotion};
use firsttouch::pair::{Limits, Verdict};
use firsttouch::shape::{Capsule, Cuboid, Ellipsoid, Mesh, Shape, Sphere};
use firsttouch::{Answer, Body, Mode, Options, Report, Scene, Touch};
use glam::{DQuat, DVec3};

fn check(
    a: impl Into<Shape>,
    motion: Motion,
    b: impl Into<Shape>,
    resting: Pose,
    options: &Options,
) -> Report {
    let mut scene = Scene::default();
    scene.add(Body::new("a", a, motion)).unwrap();
    scene.add(Body::new("b", b, Motion::fixed(resting))).unwrap();
    scene.check(options).unwrap()
}

fn at(v: DVec3) -> Pose {
    Pose::from_translation(v).unwrap()
}

fn ball(radius: f64) -> Sphere {
    Sphere::new(radius).unwrap()
}

/// A ball flies out to y = 40 and back within [0, 1/128], right through another. Its quaternion makes half a turn so
/// fast that the bound of the angular acceleration overflows. That bound times the distance of the centre from the
/// axis, zero, was NaN; the maximum of all bounds dropped it, and the box around the path became that of its chord:
/// free.
#[test]
fn an_infinite_angular_acceleration_does_not_hide_the_path() {
    let (t_max, k) = (1.0 / 128.0, 128.0);
    let xyz = [[0.0; 3], [0.0, 160.0 * k, 0.0], [0.0, -160.0 * k * k, 0.0]];
    let quat = [[1e-60, 0.0, 0.0, 0.0], [0.0, 1e100, 0.0, 0.0]];
    let motion = Motion::from(Rational::from_power_basis(&quat, &xyz, &[]).unwrap());
    let options = Options { t_max, ..Options::default() };
    let report = check(ball(1.0), motion.clone(), ball(1.0), at(DVec3::Y * 30.0), &options);
    let Answer::Touch(touch) = report.answer else { panic!("{report:?}") };
    // 160 s (1 − s) = 28 for s = t / t_max.
    let exact = t_max * (0.5 - (0.25 - 28.0 / 160.0_f64).sqrt());
    assert!(touch.toi <= exact && touch.toi > exact - 1e-6, "{} {exact}", touch.toi);
    // A body that rotates has no bound: there is no proof, and no claim.
    let cube = Cuboid::new(DVec3::splat(1.0)).unwrap();
    let report = check(cube, motion, ball(1.0), at(DVec3::Y * 30.0), &options);
    assert!(!matches!(report.answer, Answer::Free) && report.answer.free_until(1.0) <= exact, "{report:?}");
}

/// Two tips, one above the other, approach along a contact screw. Directions are products of three lengths. Below
/// sizes of about 1e-53 the squares of these underflow, the inside test found every pair apart, and the touch became
/// late or was missed.
#[test]
fn contact_screws_do_not_depend_on_the_unit_of_length() {
    let tip = |size: f64, up: f64| {
        let corners = [
            DVec3::ZERO,
            DVec3::new(1.0, 0.1, 2.0 * up),
            DVec3::new(-0.6, 0.8, 2.0 * up),
            DVec3::new(-0.5, -0.9, 2.0 * up),
        ];
        let faces = vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];
        Mesh::new(corners.map(|p| p * size).to_vec(), faces).unwrap()
    };
    for turn in [DQuat::IDENTITY, DQuat::from_xyzw(0.0, 0.0, 0.25, 1.0)] {
        let found = [0, -150, -180, -200, -250, -305, 150, 250, 320].map(|e| {
            let s = 2f64.powi(e);
            let to = Pose::new(DVec3::Z * -s, turn).unwrap();
            let motion = Motion::contact_screw(at(DVec3::Z * 3.0 * s), to);
            let resting = at(DVec3::new(0.01, 0.02, 0.0) * s);
            let options = Options { tolerance: 1e-6 * s, min_separation: 0.5 * s, ..Options::default() };
            let report = check(tip(s, 1.0), motion, tip(s, -1.0), resting, &options);
            assert!(matches!(report.answer, Answer::Touch(_)), "2^{e}: {report:?}");
            report.answer.free_until(1.0)
        });
        assert!(found.iter().all(|t| (t - found[0]).abs() < 1e-9), "{found:?}");
        // Without a rotation they touch at z = 1/2: the tips are 0.0224 apart horizontally.
        assert!(turn != DQuat::IDENTITY || (found[0] - 0.6251).abs() < 1e-4, "{found:?}");
    }
}

/// The same underflow in a scene of ordinary size, with triangles of 1e-60 and less: the directions across their
/// sides were zero, and along those everything is apart.
#[test]
fn tiny_triangles_are_not_apart_from_everything() {
    for small in [1e-20, 1e-55, 1e-60, 1e-90, 1e-120, 1e-170, 0.0] {
        let corners = vec![DVec3::ZERO, DVec3::new(small, 0.0, small), DVec3::new(0.0, small, small)];
        let speck = Mesh::new(corners, vec![[0, 1, 2]]).unwrap();
        let corners = [DVec3::new(-2.0, -1.0, 0.0), DVec3::new(2.0, -1.0, 0.0), DVec3::new(0.0, 3.0, 0.0)];
        let floor = Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
        let (from, to) = (at(DVec3::Z), at(-DVec3::Z));
        for motion in [Motion::contact_screw(from, to), Motion::linear(from, to)] {
            let report = check(speck.clone(), motion, floor.clone(), Pose::IDENTITY, &Options::default());
            let Answer::Touch(touch) = report.answer else { panic!("{small:e}: {report:?}") };
            assert!(touch.toi <= 0.5 && touch.toi > 0.5 - 1e-6, "{small:e}: {}", touch.toi);
        }
    }
}

/// A body rests 1e155 away. Squares of that overflow, the distance was NaN, and `NaN.max(0.0)` is 0: a touch.
#[test]
fn a_nan_distance_is_not_a_touch() {
    let far = Rational::from_power_basis(&[], &[[1e100, 0.0, 0.0]], &[1e-55]).unwrap();
    let egg = Ellipsoid::new(DVec3::new(1e100, 1.0, 1.0)).unwrap();
    let cube = Cuboid::new(DVec3::ONE).unwrap();
    let report = check(egg, Motion::from(far), cube, Pose::IDENTITY, &Options::default());
    assert_eq!(report.answer, Answer::Free);
    // If it flies in from there, the boxes prove nothing; but no touch is reported before there is one.
    let from_far =
        Rational::from_power_basis(&[], &[[1e100, 0.0, 0.0], [-1e100, 0.0, 0.0]], &[1e-55]).unwrap();
    let report = check(ball(1.0), Motion::from(from_far), cube, Pose::IDENTITY, &Options::default());
    assert!(matches!(report.answer, Answer::Undecided { .. }), "{report:?}");
}

/// A weight of 2e-313 was accepted: positions are infinite, and a touch had points that are NaN. Weights and lengths
/// of quaternions must be proven to stay in the range of all sizes.
#[test]
fn weights_near_zero_are_rejected() {
    let far = [[-1e99; 3]; 3];
    for weight in
        [&[2.122_206_991_5e-313, 0.0][..], &[1e-101], &[-1e-200], &[1e-3, -2e-3], &[0.25, -1.0, 1.0]]
    {
        let refused = Rational::from_power_basis(&[[-1e99; 4]], &far, weight);
        assert!(refused.unwrap_err().to_string().contains("weight"), "{weight:?}");
    }
    let small = [[1e-101, 0.0, 0.0, 0.0]];
    let refused = Rational::from_power_basis(&small, &[], &[]).unwrap_err().to_string();
    assert!(refused.contains("quaternion"), "{refused}");
    assert!(Rational::from_power_basis(&[], &[[1.0; 3]], &[1e-100 * (1.0 + 1e-9)]).is_ok());
}

/// Near a third of a circle, a rounded angle decided whether the motion was split. The documentation says which of
/// the two it is, and the two are far apart: the touch is at 0.640 if it is split and at 0.790 if it is not.
#[test]
fn a_third_of_a_circle_is_decided_exactly() {
    let found = |turn: DQuat| {
        let to = Pose::new(DVec3::splat(3.0), turn).unwrap();
        let motion = Motion::contact_screw(Pose::IDENTITY, to);
        let kink = motion.kink();
        let report = check(ball(0.1), motion, ball(0.1), at(DVec3::splat(2.0)), &Options::default());
        (to.rotation(), kink, report.answer.free_until(1.0))
    };
    let exact = |x: f64| RBig::try_from(x).unwrap();
    let (mut split, mut whole) = (0, 0);
    for ulps in -6..=6_i32 {
        for up in 0..3_i32 {
            let near = |ulps: i32| 1.0 + f64::from(ulps) * f64::EPSILON;
            let (q, kink, toi) = found(DQuat::from_xyzw(near(up), 1.0, 1.0, near(ulps)));
            let square = |x: f64| exact(x) * exact(x);
            let is_larger = RBig::from(3) * square(q.w) < square(q.x) + square(q.y) + square(q.z);
            assert_eq!(kink.is_some(), is_larger, "{q}");
            let expected = if is_larger { 0.6403 } else { 0.7902 };
            assert!((toi - expected).abs() < 1e-3, "{q}: {toi}");
            split += usize::from(is_larger);
            whole += usize::from(!is_larger);
        }
    }
    assert!(split > 5 && whole > 5, "{split} {whole}");
}

/// Two small triangles fly along x: the second hits a wall at 0.4, the first a slanted triangle at 0.773. With `any`
/// the search ended at the pair that ran out of steps, and "free until 0.773" was claimed.
#[test]
fn a_pair_without_steps_left_does_not_end_the_search() {
    let v = DVec3::new;
    let flying = [v(0.0, 0.0, 0.0), v(-0.2, 0.05, 0.1), v(-0.2, -0.05, 0.1)];
    let aside = flying.map(|p| p + DVec3::Y * 5.0);
    let moving = Mesh::new([flying, aside].concat(), vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    let wall = [v(4.0, 4.5, -0.5), v(4.0, 5.5, -0.5), v(4.0, 5.0, 0.7)];
    let slanted = [v(-6.0, 2.0, -1.0), v(-6.0, 2.0, 1.0), v(8.2, -0.1, 0.0)];
    let resting = Mesh::new([wall, slanted].concat(), vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    let motion = ContactScrew::new(Pose::IDENTITY, at(DVec3::X * 10.0));
    let pair = ContactPair {
        moving: Covered::natural(&moving),
        motion: &motion,
        resting: Covered::natural(&resting),
        at_rest: Pose::IDENTITY.into(),
    };
    for tolerance in [1e-6, 1e-12, 1e-18] {
        for max_iterations in [1, 2, 3, 4, 10_000] {
            for any in [false, true] {
                let limits =
                    Limits::new(&Options { tolerance, max_iterations, ..Options::default() }).unwrap();
                match first_touch(&pair, &limits, any, Tables::ALL, &mut Default::default()) {
                    Verdict::Free => panic!("two pairs touch"),
                    Verdict::Touch(touch) => {
                        assert!(touch.free_until <= 0.4 && touch.free_until <= touch.t, "{touch:?}");
                        assert!(any || touch.free_until == touch.t, "{touch:?}");
                    }
                    Verdict::Undecided { free_until } => assert!(free_until <= 0.4, "{free_until}"),
                }
            }
        }
    }
    // All three modes agree that something touches.
    let kinds = [Mode::First, Mode::Any, Mode::All].map(|mode| {
        let options = Options { mode, ..Options::default() };
        let motion = Motion::contact_screw(Pose::IDENTITY, at(DVec3::X * 10.0));
        discriminant(&check(moving.clone(), motion, resting.clone(), Pose::IDENTITY, &options).answer)
    });
    assert!(kinds.iter().all(|kind| *kind == kinds[0]));
}

/// Two spinning balls pass each other very closely. The bounds assumed that the surface moves with the rotation,
/// which it does not, and 10,000 steps were not enough at a tolerance of 1e-9.
#[test]
fn a_spinning_ball_does_not_move() {
    let turned = |v: DVec3, x: f64| Pose::new(v, DQuat::from_xyzw(x, 1.0, -0.5, 0.1)).unwrap();
    for miss in [1e-3, 1e-6, 3e-9, 1.5e-9] {
        let (from, to) =
            (turned(DVec3::new(-5.0, 2.0 + miss, 0.0), 0.0), turned(DVec3::new(5.0, 2.0 + miss, 0.0), 3.0));
        let options = Options { tolerance: 1e-9, ..Options::default() };
        for motion in [Motion::linear(from, to), Motion::rational(from, to)] {
            for shape in [Shape::from(ball(1.0)), Capsule::new(1.0, 1e-6).unwrap().into()] {
                let small = matches!(shape, Shape::Capsule(_));
                let report = check(shape, motion.clone(), ball(1.0), Pose::IDENTITY, &options);
                let decided = !matches!(report.answer, Answer::Undecided { .. });
                assert!(decided, "{miss:e}: {report:?}");
                assert!(small || report.answer == Answer::Free, "{miss:e}: {report:?}");
                assert!(report.stats.iterations < 200, "{miss:e}: {} steps", report.stats.iterations);
            }
        }
    }
}

fn bumpy(n: usize) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let point = |i: usize, j: usize| {
        let (a, b) =
            (std::f64::consts::PI * i as f64 / n as f64, std::f64::consts::TAU * j as f64 / n as f64);
        let radius = 1.0 + 0.2 * (3.0 * a).sin() * (2.0 * b).cos();
        DVec3::new(a.sin() * b.cos(), a.sin() * b.sin(), a.cos()) * radius
    };
    let vertices = (0..=n).flat_map(|i| (0..n).map(move |j| point(i, j))).collect();
    let id = |i: usize, j: usize| (i * n + j % n) as u32;
    let quad = |i: usize, j: usize| {
        [[id(i, j), id(i + 1, j), id(i + 1, j + 1)], [id(i, j), id(i + 1, j + 1), id(i, j + 1)]]
    };
    let triangles = (0..n).flat_map(|i| (0..n).flat_map(move |j| quad(i, j))).collect();
    (vertices, triangles)
}

/// A vertex that no triangle uses is not part of the surface, and a small triangle far away does not enlarge other
/// boxes. Both once enlarged every box by the rounding of 1e9, and every pair of nearby triangles had to be tested.
#[test]
fn outliers_do_not_destroy_culling() {
    let (vertices, triangles) = bumpy(24);
    let work = |vertices: &[DVec3], triangles: &[[u32; 3]], contact: bool| {
        let mesh = Mesh::new(vertices.to_vec(), triangles.to_vec()).unwrap();
        let other = Mesh::new(bumpy(24).0, bumpy(24).1).unwrap();
        let from = Pose::new(DVec3::new(-3.0, 0.1, 0.2), DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9)).unwrap();
        let to = Pose::new(DVec3::new(3.0, 0.1, 0.2), from.rotation()).unwrap();
        let motion = if contact { Motion::contact_screw(from, to) } else { Motion::linear(from, to) };
        let report = check(mesh, motion, other, Pose::IDENTITY, &Options::default());
        let Answer::Touch(Touch { toi, .. }) = report.answer else { panic!("{report:?}") };
        let stats = report.stats;
        (toi, stats.volume_pairs + stats.piece_pairs + stats.contact.total())
    };
    for contact in [false, true] {
        let (toi, plain) = work(&vertices, &triangles, contact);
        let with_unused = [&vertices[..], &[DVec3::splat(1e9)]].concat();
        assert_eq!(work(&with_unused, &triangles, contact), (toi, plain));
        let n = vertices.len() as u32;
        let far = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|v| v * 0.1 + DVec3::new(0.0, 0.0, 1e7));
        let with_outlier = [&vertices[..], &far].concat();
        let more = [&triangles[..], &[[n, n + 1, n + 2]]].concat();
        let (later, steps) = work(&with_outlier, &more, contact);
        assert!((toi - later).abs() < 1e-6 && steps < 3 * plain, "{toi} {later}: {plain}, {steps}");
    }
}

/// A mesh of 1e-160 has a negligible reach: squares of its coordinates are zero. It is within every tolerance of
/// itself, and free from bodies that are farther away than that.
#[test]
fn meshes_smaller_than_the_root_of_the_smallest_number() {
    for size in [1e-140, 1e-155, 1e-160, 1e-200, 1e-300] {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|v| v * size).to_vec();
        let mesh = Mesh::new(corners, vec![[0, 1, 2]]).unwrap();
        let options = Options { tolerance: 1e-100, ..Options::default() };
        let (from, to) = (at(DVec3::Z * 1e-99), at(DVec3::Z * -1e-99));
        for motion in [Motion::linear(from, to), Motion::contact_screw(from, to)] {
            let motion_at = motion.pose_at(0.5).translation;
            let report = check(mesh.clone(), motion, mesh.clone(), Pose::IDENTITY, &options);
            let Answer::Touch(touch) = report.answer else { panic!("{size:e}: {report:?}") };
            assert!(touch.toi <= 0.5 && motion_at.length() < 1e-110, "{size:e}: {}", touch.toi);
            assert!(touch.gap >= 2e-99 * (0.5 - touch.toi), "{size:e}: {}", touch.gap);
        }
    }
}
