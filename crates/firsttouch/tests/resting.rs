//! Contacts at the start that are left out: bodies that rest on each other, slide, roll and part, and bodies that press
//! deeper.

use crate::random;

use firsttouch::articulated::{Checker, Robot};
use firsttouch::deformable::Deformable;
use firsttouch::motion::{Motion, Pose, PoseAt, Rational, RigidMotion};
use firsttouch::shape::{Capsule, Cuboid, Cylinder, Ellipsoid, Hull, Mesh, Shape, Sphere};
use firsttouch::{Answer, Ask, Body, Control, Interrupt, Mode, Options, Scene, Start};
use glam::{DQuat, DVec3, dvec3};
use random::Random;

const TOLERANCE: f64 = 1e-6;
const IGNORE: Options = Options { start: Start::Ignore, ..Options::DEFAULT };

fn at(position: DVec3) -> Pose {
    Pose::from_translation(position).unwrap()
}

fn turned(position: DVec3, axis: DVec3, angle: f64) -> Pose {
    Pose::new(position, DQuat::from_axis_angle(axis.normalize(), angle)).unwrap()
}

fn still(position: DVec3) -> Motion {
    Motion::fixed(at(position))
}

fn moving(from: DVec3, to: DVec3) -> Motion {
    Motion::linear(at(from), at(to))
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Cuboid::new(dvec3(x, y, z)).unwrap().into()
}

fn ball(radius: f64) -> Shape {
    Sphere::new(radius).unwrap().into()
}

/// Returns the surface of a box.
fn box_mesh(half: DVec3) -> Mesh {
    let corner = |k: u32| {
        let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half * dvec3(sign(0), sign(1), sign(2))
    };
    let sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new((0..8).map(corner).collect(), triangles).unwrap()
}

/// Returns a scene of these bodies on a floor whose top is at z = 0.
fn on_a_floor(bodies: impl IntoIterator<Item = (&'static str, Shape, Motion)>) -> Scene {
    let mut scene = Scene::default();
    scene.add(Body::new("floor", cuboid(20.0, 20.0, 1.0), still(dvec3(0.0, 0.0, -0.5)))).unwrap();
    for (name, shape, motion) in bodies {
        scene.add(Body::new(name, shape, motion)).unwrap();
    }
    scene
}

fn answer(scene: &Scene, options: &Options) -> Answer {
    scene.check(options).unwrap().answer
}

/// Asserts free in all modes when contacts at the start are left out, and touching at the start otherwise.
#[track_caller]
fn assert_rests(scene: &Scene) {
    assert!(matches!(answer(scene, &Options::default()), Answer::TouchingAtStart(_)));
    for mode in [Mode::First, Mode::Any, Mode::All] {
        assert_eq!(answer(scene, &Options { mode, ..IGNORE }), Answer::Free, "{mode:?}");
    }
}

/// Asserts a touch at this time, or up to `early` before it.
#[track_caller]
fn assert_touches(scene: &Scene, exact: f64, early: f64) {
    for mode in [Mode::First, Mode::All] {
        match answer(scene, &Options { mode, ..IGNORE }) {
            Answer::Touch(touch) => {
                assert!(touch.toi <= exact && touch.toi > exact - early, "{} instead of {exact}", touch.toi)
            }
            other => panic!("{other:?} instead of a touch at {exact}"),
        }
    }
}

#[test]
fn a_box_rests_on_a_floor() {
    assert_rests(&on_a_floor([("box", cuboid(1.0, 1.0, 1.0), still(dvec3(0.3, 0.2, 0.5)))]));
}

#[test]
fn a_stack_of_five() {
    let names = ["1", "2", "3", "4", "5"];
    let place = |k: usize| dvec3(0.1 * k as f64, 0.03 * k as f64, k as f64 + 0.5);
    let boxes = (0..5).map(|k| (names[k], cuboid(1.0, 1.0, 1.0), still(place(k))));
    assert_rests(&on_a_floor(boxes));
    // Everything is moved at once, as on a belt.
    let belt = (0..5).map(|k| (names[k], cuboid(1.0, 1.0, 1.0), moving(place(k), place(k) + DVec3::X)));
    assert_rests(&on_a_floor(belt));
}

#[test]
fn a_ball_leaves_the_floor() {
    let from = dvec3(0.0, 0.0, 1.0 + 0.5e-6);
    assert_rests(&on_a_floor([("ball", ball(1.0), moving(from, from + DVec3::Z))]));
    // Slowly, over less than the tolerance in all.
    assert_rests(&on_a_floor([("ball", ball(1.0), moving(from, from + 0.2e-6 * DVec3::Z))]));
}

#[test]
fn a_ball_is_pressed_into_the_floor() {
    // It is the tolerance deeper after that part of its way.
    let from = dvec3(0.0, 0.0, 1.0);
    let scene = on_a_floor([("ball", ball(1.0), moving(from, from - 0.5 * DVec3::Z))]);
    assert_touches(&scene, TOLERANCE / 0.5, 0.5 * TOLERANCE);
    // From a gap within the tolerance, and from a deep overlap.
    for height in [1.0 + 0.5e-6, 0.9] {
        let from = dvec3(0.0, 0.0, height);
        let scene = on_a_floor([("ball", ball(1.0), moving(from, from - 0.5 * DVec3::Z))]);
        assert_touches(&scene, TOLERANCE / 0.5 + 1e-12, 0.5 * TOLERANCE);
    }
}

/// The box slides from x = 0 to 4; its side, half a unit ahead, meets the wall at x = 3.
#[test]
fn sliding_into_a_wall() {
    let slide = moving(dvec3(0.0, 0.0, 0.5), dvec3(4.0, 0.0, 0.5));
    let wall = ("wall", cuboid(0.2, 4.0, 2.0), still(dvec3(3.1, 0.0, 1.0)));
    let scene = on_a_floor([("box", cuboid(1.0, 1.0, 1.0), slide), wall]);
    assert_touches(&scene, 2.5 / 4.0, 1e-6);
    let Answer::Touch(touch) = answer(&scene, &IGNORE) else { panic!() };
    assert_eq!(touch.bodies, [1, 2]);
}

#[test]
fn rolling() {
    let roll = |height: f64| {
        Motion::linear(at(dvec3(0.0, 0.0, height)), turned(dvec3(3.0, 0.0, height), DVec3::Y, 3.0))
    };
    assert_rests(&on_a_floor([("ball", ball(1.0), roll(1.0))]));
    // A cylinder lies on its side and rolls about its own axis.
    let lying = |x: f64, angle: f64| {
        let turn = DQuat::from_rotation_y(angle) * DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        Pose::new(dvec3(x, 0.0, 1.0), turn).unwrap()
    };
    let motion = Motion::linear(lying(0.0, 0.0), lying(1.0, 1.0));
    let cylinder: Shape = Cylinder::new(1.0, 2.0).unwrap().into();
    assert_rests(&on_a_floor([("cylinder", cylinder, motion)]));
}

/// A single pair may take long: with this tolerance a cylinder rolls in a million steps. An interrupt used to be
/// checked only between pairs; now it ends the pair, with the proof up to then.
#[test]
fn a_long_contact_is_interrupted() {
    let lying = |angle: f64| {
        let turn = DQuat::from_rotation_y(angle) * DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        Pose::new(dvec3(0.0, 0.0, 1.0), turn).unwrap()
    };
    let cylinder: Shape = Cylinder::new(1.0, 2.0).unwrap().into();
    let scene = on_a_floor([("cylinder", cylinder, Motion::linear(lying(0.0), lying(3.0)))]);
    let options = Options { tolerance: 1e-12, max_iterations: usize::MAX, ..IGNORE };
    let interrupt = Interrupt::default();
    let found = std::thread::scope(|threads| {
        threads.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            interrupt.raise();
        });
        let control = Control { interrupt: Some(&interrupt), progress: None };
        scene.check(Ask::from(&options).control(&control)).unwrap().answer
    });
    assert!(matches!(found, Answer::Undecided { free_until, .. } if free_until < 1.0), "{found:?}");
}

/// A robot's checker does not support this, and says so.
#[test]
fn what_cannot_leave_contacts_out_refuses() {
    let robot = Robot::new("bare", vec![("base".into(), vec![])], vec![]).unwrap();
    let checker = Checker::new(robot, Pose::IDENTITY, vec![]).unwrap();
    assert!(checker.check_step(&[], &[], &Options::default()).is_ok());
    let refused = checker.check_step(&[], &[], &IGNORE).unwrap_err();
    assert_eq!(refused.to_string(), "not supported: start = ignore in a check of a robot");
    assert!(checker.check_path(&[vec![], vec![]], &IGNORE, |_| {}).is_err());
}

/// Up by half a unit and down again onto the same spot: that is a new contact.
#[test]
fn what_jumps_lands() {
    let height = 2.0; // z = 1 + 2 t (1 − t)
    let motion = Rational::from_power_basis(
        &[[1.0, 0.0, 0.0, 0.0]],
        &[[0.0, 0.0, 1.0], [0.0, 0.0, height], [0.0, 0.0, -height]],
        &[1.0],
    );
    let scene = on_a_floor([("ball", ball(1.0), motion.unwrap().into())]);
    assert_touches(&scene, 1.0, 1e-6);
    // A hundredth of a millimetre is ten times the tolerance.
    let height = 4e-5;
    let motion = Rational::from_power_basis(
        &[[1.0, 0.0, 0.0, 0.0]],
        &[[0.0, 0.0, 1.0], [0.0, 0.0, height], [0.0, 0.0, -height]],
        &[1.0],
    );
    let scene = on_a_floor([("ball", ball(1.0), motion.unwrap().into())]);
    assert!(matches!(answer(&scene, &IGNORE), Answer::Touch(touch) if touch.toi > 0.9));
}

#[test]
fn a_mesh_rests_on_a_mesh() {
    let below = box_mesh(dvec3(2.0, 2.0, 0.5));
    let scene = |motion: Motion| {
        let mut scene = Scene::default();
        scene.add(Body::new("below", below.clone(), still(DVec3::ZERO))).unwrap();
        scene.add(Body::new("above", box_mesh(dvec3(0.5, 0.5, 0.5)), motion)).unwrap();
        scene
    };
    let place = dvec3(0.1, 0.3, 1.0);
    assert_rests(&scene(still(place)));
    assert_rests(&scene(moving(place, place + DVec3::Z)));
    assert_touches(&scene(moving(place, place - 0.25 * DVec3::Z)), TOLERANCE / 0.25, TOLERANCE / 0.25);
}

#[test]
fn a_box_on_a_turning_table() {
    let quarter = std::f64::consts::FRAC_PI_2;
    let table =
        Motion::linear(turned(-0.5 * DVec3::Z, DVec3::Z, 0.0), turned(-0.5 * DVec3::Z, DVec3::Z, quarter));
    let ride = Motion::screw(
        turned(dvec3(2.0, 0.0, 0.5), DVec3::Z, 0.0),
        turned(dvec3(0.0, 2.0, 0.5), DVec3::Z, quarter),
    );
    let mut scene = Scene::default();
    scene.add(Body::new("table", Cylinder::new(4.0, 1.0).unwrap(), table)).unwrap();
    scene.add(Body::new("box", cuboid(1.0, 1.0, 1.0), ride)).unwrap();
    assert_rests(&scene);
}

/// A ball at rest for long: z = 1 − 1e-5 t⁸ is ten times the tolerance deeper at the end, and once the tolerance at t =
/// 10^(−1/8).
#[test]
fn a_contact_that_deepens_late() {
    let mut xyz = [[0.0; 3]; 9];
    xyz[0][2] = 1.0;
    xyz[8][2] = -10.0 * TOLERANCE;
    let motion = Rational::from_power_basis(&[[1.0, 0.0, 0.0, 0.0]], &xyz, &[1.0]).unwrap();
    let scene = on_a_floor([("ball", ball(1.0), motion.into())]);
    assert_touches(&scene, 0.1_f64.powf(0.125), 0.02);
}

/// Returns one shape of each kind. It reaches from z = −0.5 to 0.5 and touches both planes on the z axis.
fn kinds() -> Vec<(&'static str, Shape)> {
    let octahedron = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|v| [0.5 * v, -0.5 * v]);
    vec![
        ("box", cuboid(1.0, 1.0, 1.0)),
        ("sphere", ball(0.5)),
        ("capsule", Capsule::new(0.2, 0.6).unwrap().into()),
        ("cylinder", Cylinder::new(0.4, 1.0).unwrap().into()),
        ("ellipsoid", Ellipsoid::new(dvec3(0.7, 0.4, 0.5)).unwrap().into()),
        ("hull", Hull::new(&octahedron.collect::<Vec<_>>()).unwrap().into()),
        ("mesh", box_mesh(DVec3::splat(0.5)).into()),
    ]
}

/// Returns a square sheet at z = 0, wider than all other bodies, that moves.
fn sheet(shift: DVec3) -> Body {
    let corners =
        [dvec3(-1.0, -1.1, 0.0), dvec3(1.2, -1.0, 0.0), dvec3(1.0, 1.3, 0.0), dvec3(-1.1, 1.0, 0.0)];
    let mesh = Deformable::new(
        corners.to_vec(),
        corners.map(|corner| corner + shift).to_vec(),
        vec![[0, 1, 2], [0, 2, 3]],
        vec![],
        vec![],
    );
    Body::deforming("sheet", mesh.unwrap())
}

/// Any two kinds, one on top of the other: bodies that stay or part are free, and bodies that press touch in time.
#[test]
fn every_two_kinds() {
    let mut pressed = 0;
    for (name_a, below) in kinds() {
        for (name_b, above) in kinds() {
            let scene = |shift: DVec3| {
                let mut scene = Scene::default();
                scene.add(Body::new("below", below.clone(), still(-0.5 * DVec3::Z))).unwrap();
                let from = dvec3(0.0, 0.0, 0.5);
                scene.add(Body::new("above", above.clone(), moving(from, from + shift))).unwrap();
                scene
            };
            for shift in [DVec3::ZERO, 0.3 * DVec3::Z, 0.5e-6 * DVec3::Z] {
                let found = answer(&scene(shift), &IGNORE);
                assert_eq!(found, Answer::Free, "{name_b} on {name_a}, {shift}");
            }
            // A solid that slides off to the side passes over other triangles of a mesh: those are other contacts.
            if (name_a == "mesh") == (name_b == "mesh") {
                let found = answer(&scene(dvec3(0.3, 0.2, 0.0)), &IGNORE);
                assert_eq!(found, Answer::Free, "{name_b} slides on {name_a}");
            }
            let exact = TOLERANCE / 0.1;
            match answer(&scene(-0.1 * DVec3::Z), &IGNORE) {
                Answer::Touch(touch) => {
                    assert!(touch.toi <= exact * (1.0 + 1e-9), "{name_b} on {name_a}: {}", touch.toi);
                    assert!(touch.toi > 0.3 * exact, "{name_b} on {name_a}: {}", touch.toi);
                    pressed += 1;
                }
                other => panic!("{name_b} on {name_a}: {other:?}"),
            }
        }
        let scene = |shift: DVec3| {
            let mut scene = Scene::default();
            scene.add(Body::new("below", below.clone(), still(-0.5 * DVec3::Z))).unwrap();
            scene.add(sheet(shift)).unwrap();
            scene
        };
        assert_eq!(answer(&scene(DVec3::ZERO), &IGNORE), Answer::Free, "a sheet on {name_a}");
        assert_eq!(answer(&scene(0.2 * DVec3::Z), &IGNORE), Answer::Free, "a sheet leaves {name_a}");
        let exact = TOLERANCE / 0.1;
        match answer(&scene(-0.1 * DVec3::Z), &IGNORE) {
            Answer::Touch(touch) => assert!(touch.toi <= exact * (1.0 + 1e-9), "a sheet on {name_a}"),
            other => panic!("a sheet on {name_a}: {other:?}"),
        }
    }
    assert_eq!(pressed, 49);
}

/// Returns the separation of two boxes, negative for the depth of an overlap, by the separating axes: normals of faces
/// and of pairs of edges.
fn separation(halves: [DVec3; 2], poses: [PoseAt; 2]) -> f64 {
    let [a, b] = poses.map(|pose| [pose.rotation.x_axis, pose.rotation.y_axis, pose.rotation.z_axis]);
    let mut axes: Vec<DVec3> = a.iter().chain(&b).copied().collect();
    for x in a {
        for y in b {
            let cross = x.cross(y);
            if cross.length() > 1e-6 {
                axes.push(cross.normalize());
            }
        }
    }
    let between = poses[1].translation - poses[0].translation;
    let along = |n: DVec3| {
        let extent =
            |frame: [DVec3; 3], half: DVec3| (0..3).map(|k| half[k] * frame[k].dot(n).abs()).sum::<f64>();
        between.dot(n).abs() - extent(a, halves[0]) - extent(b, halves[1])
    };
    axes.into_iter().map(along).fold(f64::NEG_INFINITY, f64::max)
}

/// Random boxes that touch or overlap at the start, against dense samples of their depth.
#[test]
fn random_resting_boxes() {
    let mut random = Random(71);
    let (mut free, mut touch, mut parted, mut tight) = (0, 0, 0, 0);
    for case in 0..400 {
        let halves =
            [0, 1].map(|_| dvec3(random.range(0.3, 1.0), random.range(0.3, 1.0), random.range(0.3, 1.0)));
        let axis = |random: &mut Random| random.vector(1.0) + 1e-3 * DVec3::X;
        let below = turned(DVec3::ZERO, axis(&mut random), random.range(0.0, 3.0));
        let turn_axis = axis(&mut random);
        let angle = random.range(0.0, 3.0);
        let way = axis(&mut random).normalize();
        // The depth is set by bisection.
        let wanted = [0.0, 0.5e-6, -1e-3, -0.05][case % 4];
        let fixed = |pose: Pose| Motion::fixed(pose).pose_at(0.0);
        let depth = |x: f64| separation(halves, [fixed(below), fixed(turned(x * way, turn_axis, angle))]);
        let (mut near, mut far) = (0.0, 8.0);
        for _ in 0..80 {
            let middle = 0.5 * (near + far);
            if depth(middle) < wanted { near = middle } else { far = middle }
        }
        let start = turned(near * way, turn_axis, angle);
        let size = [1e-6, 1e-3, 0.5][case / 4 % 3];
        let spin = size * random.range(0.0, 1.0);
        let end = turned(near * way + random.vector(size) + 0.3 * size * way, turn_axis, angle + spin);
        let motions = [Motion::fixed(below), Motion::linear(start, end)];
        let at_time = |t: f64| separation(halves, [motions[0].pose_at(t), motions[1].pose_at(t)]);
        let begin = at_time(0.0);
        let mut scene = Scene::default();
        for (name, half, motion) in [("a", halves[0], &motions[0]), ("b", halves[1], &motions[1])] {
            scene.add(Body::new(name, Cuboid::new(2.0 * half).unwrap(), motion.clone())).unwrap();
        }
        let found = answer(&scene, &IGNORE);
        let proven = found.free_until(1.0);
        let mut opened = false;
        for k in 0..=2000 {
            let t = f64::from(k) / 2000.0;
            if t >= proven && t > 0.0 {
                break;
            }
            let now = at_time(t);
            opened |= now > begin.max(0.0) + 4.0 * TOLERANCE;
            let least = if opened { -1e-12 } else { begin - TOLERANCE - 1e-9 };
            assert!(now >= least, "case {case}: {now:e} at {t}, {begin:e} at the start: {found:?}");
        }
        parted += usize::from(opened);
        match found {
            Answer::Free => free += 1,
            Answer::Touch(found) => {
                touch += 1;
                tight += usize::from(opened || at_time(found.toi) < begin - 0.5 * TOLERANCE);
            }
            other => panic!("case {case}: {other:?}"),
        }
    }
    assert!(free > 100 && touch > 100 && parted > 50, "{free} free, {touch} touch, {parted} part");
    assert!(tight * 100 >= touch * 95, "{tight} of {touch} are as deep as they should be");
}
