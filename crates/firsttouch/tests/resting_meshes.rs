//! Surfaces that touch at the start, with contacts at the start left out. Triangles have no inside, so a proof about
//! pairs of triangles says nothing about the bodies. Two equal boxes given as meshes, one on top of the other, were
//! free when the upper one was pressed into the lower one: their walls slid along each other, and no pair of triangles
//! became deeper. The right rule: the surfaces stay on their sides of a plane, to within the depth at the start and the
//! tolerance.

#[path = "attackers/resting.rs"]
mod attacker;
use crate::random;

use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot, RobotStep};
use firsttouch::deformable::Deformable;
use firsttouch::motion::{Affine, Motion, Pose};
use firsttouch::shape::{Cuboid, Mesh, Shape};
use firsttouch::{Answer, Body, Mode, Options, Scene, Start};
use glam::{DQuat, DVec3, dvec3};

use attacker::{box_mesh, grid, two};

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

fn moving(from: DVec3, shift: DVec3) -> Motion {
    Motion::linear(at(from), at(from + shift))
}

/// Returns a square sheet at z = 0.
fn sheet(half: f64, cells: usize) -> Mesh {
    attacker::sheet([half; 2], cells)
}

fn answer(scene: &Scene, options: &Options) -> Answer {
    scene.check(options).unwrap().answer
}

/// Asserts free in all modes when contacts at the start are left out, and touching at the start otherwise.
#[track_caller]
fn assert_free(scene: &Scene) {
    assert!(matches!(answer(scene, &Options::default()), Answer::TouchingAtStart(_)));
    assert_stays_free(scene);
}

#[track_caller]
fn assert_stays_free(scene: &Scene) {
    for mode in [Mode::First, Mode::Any, Mode::All] {
        assert_eq!(answer(scene, &Options { mode, ..IGNORE }), Answer::Free, "{mode:?}");
    }
}

/// Asserts a touch at this time or before, but not before the part `early` of it.
#[track_caller]
fn assert_touches(scene: &Scene, exact: f64, early: f64) {
    for mode in [Mode::First, Mode::Any, Mode::All] {
        match answer(scene, &Options { mode, ..IGNORE }) {
            Answer::Touch(touch) => {
                assert!(touch.free_until <= exact * (1.0 + 1e-9), "{mode:?}: {touch:?}, exact {exact}");
                assert!(touch.toi <= exact * (1.0 + 1e-9) || mode == Mode::Any, "{touch:?}, exact {exact}");
                assert!(touch.toi >= early * exact, "{mode:?}: {touch:?}, exact {exact}");
                assert!(touch.gap <= TOLERANCE, "{touch:?}");
            }
            other => panic!("{mode:?}: {other:?} instead of a touch at {exact}"),
        }
    }
}

/// The cube on which a second cube stands is at the origin. For every place and direction of the second one, the answer
/// is a touch when it is deeper by the tolerance; meshes have one or nine squares a side.
#[test]
fn cubes_pressed_into_each_other() {
    let half = DVec3::splat(0.5);
    let places = [
        ("equal footprints", half, dvec3(0.0, 0.0, 1.0)),
        ("a gap within the tolerance", half, dvec3(0.0, 0.0, 1.0 + 0.5e-6)),
        ("half of the footprint", half, dvec3(0.5, 0.0, 1.0)),
        ("a quarter of the footprint", half, dvec3(0.5, -0.5, 1.0)),
        ("one flush wall", dvec3(0.25, 0.25, 0.5), dvec3(0.25, 0.1, 1.0)),
        ("two flush walls", dvec3(0.25, 0.25, 0.5), dvec3(0.25, -0.25, 1.0)),
        ("inside the footprint", dvec3(0.25, 0.25, 0.5), dvec3(0.1, 0.0, 1.0)),
        ("a wider one on top", dvec3(0.75, 0.5, 0.5), dvec3(0.25, 0.0, 1.0)),
    ];
    let ways = [
        ("down", dvec3(0.0, 0.0, -0.25)),
        ("tilted", dvec3(0.1, 0.0, -0.25)),
        ("tilted twice", dvec3(-0.05, 0.2, -0.25)),
        ("mostly aside", dvec3(0.25, 0.25, -0.01)),
    ];
    for cells in [1, 3] {
        for (place, upper, from) in places {
            for (way, shift) in ways {
                let scene = two(
                    box_mesh(half, cells),
                    still(DVec3::ZERO),
                    box_mesh(upper, cells),
                    moving(from, shift),
                );
                println!("{cells} cells, {place}, {way}");
                assert_touches(&scene, TOLERANCE / -shift.z, 0.5);
            }
        }
    }
}

/// Only an edge or a corner of each touches. Along the diagonal the depth grows by the shorter way out.
#[test]
fn cubes_with_common_edges_and_corners() {
    let half = DVec3::splat(0.5);
    let pressed = [
        (dvec3(1.0, 0.0, 1.0), dvec3(-0.25, 0.0, -0.25)),
        (dvec3(1.0, 0.3, 1.0), dvec3(-0.1, 0.1, -0.25)),
        (dvec3(1.0, 1.0, 1.0), dvec3(-0.25, -0.25, -0.25)),
        (dvec3(-1.0, 1.0, 1.0), dvec3(0.1, -0.2, -0.3)),
    ];
    for cells in [1, 2] {
        for (from, shift) in pressed {
            let scene =
                two(box_mesh(half, cells), still(DVec3::ZERO), box_mesh(half, cells), moving(from, shift));
            // The box of the overlap is that deep.
            let way = (0..3)
                .filter(|&k| from[k].abs() == 1.0)
                .map(|k| shift[k].abs())
                .fold(f64::INFINITY, f64::min);
            assert_touches(&scene, TOLERANCE / way, 0.3);
        }
        // Around the edge: first aside on top, which is sliding.
        for shift in
            [dvec3(-0.5, 0.0, 0.0), dvec3(0.0, 0.0, -0.5), dvec3(0.5, 0.0, 0.5), dvec3(0.0, 1.0, 0.0)]
        {
            let from = dvec3(1.0, 0.0, 1.0);
            let scene =
                two(box_mesh(half, cells), still(DVec3::ZERO), box_mesh(half, cells), moving(from, shift));
            assert_free(&scene);
        }
    }
}

/// Slides, turns and leaves: none of these becomes deeper, and a mesh may slide onto triangles that it did not touch
/// before.
#[test]
fn what_slides_and_parts_is_free() {
    let half = DVec3::splat(0.5);
    let floor = dvec3(3.0, 3.0, 0.5);
    let place = dvec3(0.1, 0.3, 1.0);
    for cells in [1, 5] {
        for (lower, from) in [(half, DVec3::Z), (floor, place)] {
            for gap in [0.0, 0.5e-6] {
                let from = from + gap * DVec3::Z;
                for shift in [
                    DVec3::ZERO,
                    dvec3(1.5, 0.0, 0.0),
                    dvec3(0.3, -0.7, 0.0),
                    dvec3(0.2, 0.3, 0.5),
                    0.5e-6 * DVec3::Z,
                    DVec3::Z,
                    dvec3(1.0, 0.0, 1e-9),
                ] {
                    let motion = moving(from, shift);
                    assert_free(&two(
                        box_mesh(lower, cells),
                        still(DVec3::ZERO),
                        box_mesh(half, cells),
                        motion,
                    ));
                }
                let spin = Motion::linear(at(from), turned(from, DVec3::Z, 2.5));
                assert_free(&two(box_mesh(lower, cells), still(DVec3::ZERO), box_mesh(half, cells), spin));
            }
        }
    }
}

/// Cubes on cubes, moved together and separately, also on a table that turns.
#[test]
fn a_stack_of_meshes() {
    let half = DVec3::splat(0.5);
    let stack = |motion: &dyn Fn(DVec3) -> Motion| {
        let mut scene = Scene::default();
        for (k, name) in ["1", "2", "3", "4"].into_iter().enumerate() {
            scene.add(Body::new(name, box_mesh(half, 2), motion(k as f64 * DVec3::Z))).unwrap();
        }
        scene
    };
    assert_free(&stack(&still));
    assert_free(&stack(&|place| moving(place, dvec3(2.0, 1.0, 0.5))));
    assert_free(&stack(&|place| moving(place, dvec3(0.1 * place.z, -0.2 * place.z, 0.0))));
    assert_free(&stack(&|place| Motion::linear(at(place), turned(place, DVec3::Z, 1.0))));
    assert_free(&stack(&|place| {
        Motion::screw(turned(place, DVec3::Z, 0.0), turned(place + DVec3::X, DVec3::Z, 1.0))
    }));
    // The third one sinks.
    let sinks =
        stack(&|place| moving(place, if place.z == 2.0 { dvec3(0.0, 0.0, -0.1) } else { DVec3::ZERO }));
    assert_touches(&sinks, 10.0 * TOLERANCE, 0.5);
}

/// Two open sheets, one on the other. Neither has an inside; one that is on the other's upper side must not end on its
/// lower side. If the distance is zero, neither side is the wrong one.
#[test]
fn sheets_do_not_go_through_each_other() {
    for cells in [1, 4] {
        for (half, aside) in
            [(1.0, DVec3::ZERO), (0.4, dvec3(0.2, 0.1, 0.0)), (1.0, dvec3(0.7, 0.9, 0.0)), (2.0, DVec3::ZERO)]
        {
            for gap in [0.3e-6, 0.9e-6] {
                let from = aside + gap * DVec3::Z;
                for way in [dvec3(0.0, 0.0, -0.5), dvec3(0.3, 0.1, -0.5)] {
                    let scene =
                        two(sheet(1.0, cells), still(DVec3::ZERO), sheet(half, cells), moving(from, way));
                    assert_touches(&scene, 2.0 * TOLERANCE, 0.5);
                }
                for way in [DVec3::Z, dvec3(0.3, 0.2, 0.0), dvec3(0.1, 0.0, 0.5e-6)] {
                    assert_free(&two(
                        sheet(1.0, cells),
                        still(DVec3::ZERO),
                        sheet(half, cells),
                        moving(from, way),
                    ));
                }
            }
            for way in [DVec3::Z, -DVec3::Z, dvec3(0.3, 0.2, 0.0)] {
                assert_free(&two(
                    sheet(1.0, cells),
                    still(DVec3::ZERO),
                    sheet(half, cells),
                    moving(aside, way),
                ));
            }
        }
        // One stands on the other, on its edge.
        let upright = |x: f64| turned(dvec3(x, 0.0, 0.5), DVec3::Y, std::f64::consts::FRAC_PI_2);
        let down = |x: f64| {
            let to = upright(x);
            Motion::linear(
                to,
                Pose::new(dvec3(x, 0.0, 0.25), DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2)).unwrap(),
            )
        };
        let scene = two(sheet(1.0, cells), still(DVec3::ZERO), sheet(0.5, cells), down(0.3));
        assert_touches(&scene, 4.0 * TOLERANCE, 0.5);
    }
}

/// A sheet exactly in the plane of a table's top, and smaller than it. The triangles in contact all lie in one plane
/// and do not show on which side the sheet is. The table as a whole does: a motion into the table is a touch. If even
/// the table does not show it, as for a table with a rim, no side is assumed.
#[test]
fn a_sheet_on_a_table() {
    let table = box_mesh(dvec3(2.0, 2.0, 0.5), 3);
    let scene = |shift: DVec3| {
        two(table.clone(), still(-0.5 * DVec3::Z), sheet(0.7, 2), moving(dvec3(0.3, 0.1, 0.0), shift))
    };
    assert_free(&scene(DVec3::ZERO));
    assert_free(&scene(DVec3::Z));
    assert_free(&scene(dvec3(0.4, 0.2, 0.0)));
    assert_touches(&scene(-0.5 * DVec3::Z), 2.0 * TOLERANCE, 0.5);
    assert_touches(&scene(dvec3(0.2, 0.1, -0.5)), 2.0 * TOLERANCE, 0.5);
    let (mut points, mut triangles) = (table.vertices().to_vec(), table.triangles().to_vec());
    for wall in [-2.0, 2.0] {
        let along = |k: usize| -2.0 + 4.0 * k as f64;
        grid(1, |i, j| dvec3(wall, along(i), 0.5 + 0.2 * j as f64), &mut points, &mut triangles);
        grid(1, |i, j| dvec3(along(i), wall, 0.5 + 0.2 * j as f64), &mut points, &mut triangles);
    }
    let table = Mesh::new(points, triangles).unwrap();
    let scene = |gap: f64, shift: DVec3| {
        let from = dvec3(0.3, 0.1, gap);
        two(table.clone(), still(-0.5 * DVec3::Z), sheet(0.7, 2), moving(from, shift))
    };
    assert_free(&scene(0.0, DVec3::ZERO));
    assert_free(&scene(0.0, 0.9e-6 * DVec3::Z));
    assert_touches(&scene(0.0, -0.5 * DVec3::Z), 2.0 * TOLERANCE, 0.0);
    // Slightly above the top, the side is known.
    assert_free(&scene(0.3e-6, DVec3::Z));
    assert_free(&scene(0.3e-6, dvec3(0.4, 0.2, 0.0)));
    assert_touches(&scene(0.3e-6, -0.5 * DVec3::Z), 2.0 * TOLERANCE, 0.5);
}

/// A sheet that swings through another one about an axis in both: no pair of triangles ever gains depth.
#[test]
fn a_sheet_that_turns_through_a_sheet() {
    // The hinge is the left edge of both. From 1e-7 above to far below.
    let hinged = |angle: f64| {
        let turn = DQuat::from_rotation_y(-angle);
        Pose::new(dvec3(-1.0, 0.0, 0.0) + turn * DVec3::X, turn).unwrap()
    };
    for cells in [1, 3] {
        let swing = Motion::screw(hinged(4e-7), hinged(-0.5));
        let scene = two(sheet(1.0, cells), still(DVec3::ZERO), sheet(1.0, cells), swing);
        // Its far edge is 2 from the hinge, and at 8e-7 at the start.
        assert_touches(&scene, 1.0e-6 / 2.0 / 0.5 + 1.0e-6, 0.3);
        let swing = Motion::screw(hinged(4e-7), hinged(0.5));
        assert_free(&two(sheet(1.0, cells), still(DVec3::ZERO), sheet(1.0, cells), swing));
    }
}

/// A room in one mesh: floor and walls. Its hull contains the box that slides on its floor.
#[test]
fn a_box_slides_in_a_room() {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let cells = 4;
    let along = |k: usize| -4.0 + 8.0 * k as f64 / cells as f64;
    grid(cells, |i, j| dvec3(along(i), along(j), 0.0), &mut points, &mut triangles);
    for wall in [-4.0, 4.0] {
        grid(cells, |i, j| dvec3(wall, along(i), along(j) + 4.0), &mut points, &mut triangles);
        grid(cells, |i, j| dvec3(along(i), wall, along(j) + 4.0), &mut points, &mut triangles);
    }
    let room = Mesh::new(points, triangles).unwrap();
    let place = dvec3(0.3, -0.2, 0.5);
    let half = DVec3::splat(0.5);
    let scene = |shift: DVec3| two(room.clone(), still(DVec3::ZERO), box_mesh(half, 2), moving(place, shift));
    assert_free(&scene(DVec3::ZERO));
    assert_free(&scene(dvec3(3.0, 2.0, 0.0)));
    assert_free(&scene(dvec3(0.0, 0.0, 1.0)));
    // The side of the box is at 0.8.
    assert_touches(&scene(dvec3(6.4, 0.0, 0.0)), 0.5, 1.0 - 1e-6);
    assert_touches(&scene(dvec3(1.0, 1.0, -0.1)), 10.0 * TOLERANCE, 0.5);
    // In the corner no direction is common to the floor and the walls. At rest it is free; when it presses, a touch in
    // time.
    let corner = dvec3(3.5, 3.5, 0.5);
    let scene =
        |shift: DVec3| two(room.clone(), still(DVec3::ZERO), box_mesh(half, 2), moving(corner, shift));
    assert_free(&scene(DVec3::ZERO));
    assert_free(&scene(dvec3(-0.2e-6, 0.3e-6, 0.0)));
    for shift in [dvec3(0.1, 0.0, 0.0), dvec3(0.0, 0.0, -0.1), dvec3(0.1, 0.1, -0.1), dvec3(-0.1, 0.1, 0.0)] {
        assert_touches(&scene(shift), 10.0 * TOLERANCE, 0.0);
    }
}

/// Inside a larger box, on its floor: leaving the floor is free, going through it or up to the ceiling is not.
#[test]
fn a_box_in_a_box() {
    let (outer, inner) = (DVec3::splat(2.0), DVec3::splat(0.5));
    let place = dvec3(0.3, 0.2, -1.5);
    let scene =
        |shift: DVec3| two(box_mesh(outer, 2), still(DVec3::ZERO), box_mesh(inner, 1), moving(place, shift));
    assert_free(&scene(DVec3::ZERO));
    assert_free(&scene(dvec3(1.0, 1.0, 0.5)));
    assert_free(&scene(dvec3(1.0, 1.0, 0.0)));
    assert_touches(&scene(dvec3(0.0, 0.0, -0.5)), 2.0 * TOLERANCE, 0.5);
    assert_touches(&scene(dvec3(0.0, 0.0, 6.0)), 0.5, 1.0 - 1e-6);
}

/// A table with four legs on four bumps of different heights: four regions, of one mesh each.
#[test]
fn several_regions() {
    let legs = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
    let boxes = |halves: [DVec3; 4], centers: [DVec3; 4]| {
        let (mut points, mut triangles) = (Vec::new(), Vec::new());
        for (half, center) in halves.into_iter().zip(centers) {
            let part = box_mesh(half, 1);
            let first = points.len() as u32;
            points.extend(part.vertices().iter().map(|p| *p + center));
            triangles.extend(part.triangles().iter().map(|t| t.map(|v| v + first)));
        }
        Mesh::new(points, triangles).unwrap()
    };
    let heights = [0.1, 0.2, 0.3, 0.4];
    let at_leg = |k: usize, z: f64| dvec3(legs[k].0, legs[k].1, z);
    let bumps =
        boxes([0, 1, 2, 3].map(|k| dvec3(0.3, 0.3, heights[k])), [0, 1, 2, 3].map(|k| at_leg(k, 0.0)));
    let table = boxes(
        [0, 1, 2, 3].map(|k| dvec3(0.3, 0.3, 0.5 * (2.0 - heights[k]))),
        [0, 1, 2, 3].map(|k| at_leg(k, 0.5 * (2.0 + heights[k]))),
    );
    let scene =
        |shift: DVec3| two(bumps.clone(), still(DVec3::ZERO), table.clone(), moving(DVec3::ZERO, shift));
    assert_free(&scene(DVec3::ZERO));
    assert_free(&scene(DVec3::Z));
    assert_free(&scene(dvec3(0.2, 0.1, 0.0)));
    assert_touches(&scene(dvec3(0.2, 0.1, -0.1)), 10.0 * TOLERANCE, 0.5);
    assert_touches(&scene(dvec3(0.0, 0.0, -0.1)), 10.0 * TOLERANCE, 0.5);
    // The leg at (−1, 1) hits the higher bump at (1, 1).
    assert_touches(&scene(dvec3(2.8, 0.0, 0.0)), 0.5, 1.0 - 1e-6);
}

/// Sheets that deform, on meshes and on each other.
#[test]
fn sheets_that_deform() {
    let deforming = |name: &str, from: DVec3, shift: &dyn Fn(DVec3) -> DVec3| {
        let mesh = sheet(1.0, 3);
        let t0: Vec<DVec3> = mesh.vertices().iter().map(|p| *p + from).collect();
        let t1 = t0.iter().map(|p| *p + shift(*p)).collect();
        Body::deforming(name, Deformable::new(t0, t1, mesh.triangles().to_vec(), vec![], vec![]).unwrap())
    };
    let bend = |p: DVec3| 0.1 * p.x * p.x * DVec3::Z;
    let others: [(&str, Body); 3] = [
        ("cube", Body::new("other", box_mesh(dvec3(1.0, 1.0, 0.5), 2), still(-0.5 * DVec3::Z))),
        ("sheet", Body::new("other", sheet(1.0, 2), still(DVec3::ZERO))),
        ("cloth", deforming("other", DVec3::ZERO, &|_| DVec3::ZERO)),
    ];
    for (name, other) in others {
        let scene = |from: DVec3, shift: &dyn Fn(DVec3) -> DVec3| {
            let mut scene = Scene::default();
            scene.add(other.clone()).unwrap();
            scene.add(deforming("moves", from, shift)).unwrap();
            // Neighbouring squares of these sheets touch each other.
            scene.allow("moves", "moves").unwrap();
            scene.allow("other", "other").ok();
            scene
        };
        for gap in [0.3e-6, 0.8e-6] {
            println!("{name} {gap}");
            let from = gap * DVec3::Z;
            // Two cloths within the tolerance are not in touch: that is decided exactly.
            assert_stays_free(&scene(from, &|_| DVec3::ZERO));
            assert_stays_free(&scene(from, &|_| DVec3::Z));
            assert_stays_free(&scene(from, &bend));
            assert_stays_free(&scene(from, &|p| bend(p) + dvec3(0.3, 0.2, 0.0)));
            assert_touches(&scene(from, &|_| -0.5 * DVec3::Z), 2.0 * TOLERANCE, 0.5);
            // Its middle stays and its sides pass through.
            assert_touches(&scene(from, &|p| -bend(p)), 10.0 * TOLERANCE, 0.4);
        }
    }
}

/// A link of a robot, a mesh on a contact screw: the same surfaces by other routes.
#[test]
fn links_and_contact_screws() {
    let half = DVec3::splat(0.5);
    let cube = || box_mesh(half, 2);
    let lift = |to: f64| {
        let part = LinkPart { shape: cube().into(), pose: at(DVec3::Z) };
        let links = vec![("base".into(), vec![]), ("hand".into(), vec![part])];
        let joint = Joint {
            name: "lift".into(),
            parent: "base".into(),
            child: "hand".into(),
            origin: Pose::IDENTITY,
            kind: JointKind::Prismatic { axis: DVec3::Z },
            limits: None,
            mimic: None,
        };
        let robot = Robot::new("lift", links, vec![joint]).unwrap();
        let mut scene = Scene::default();
        scene.add(Body::new("a", cube(), still(DVec3::ZERO))).unwrap();
        let step = RobotStep::new(robot, Pose::IDENTITY, vec![0.0], vec![to]).unwrap();
        scene.add(Body::robot("b", step)).unwrap();
        scene
    };
    assert_free(&lift(0.0));
    assert_free(&lift(0.5));
    assert_touches(&lift(-0.5), 2.0 * TOLERANCE, 0.5);

    let screw = |to: Pose| two(cube(), still(DVec3::ZERO), cube(), Motion::contact_screw(at(DVec3::Z), to));
    assert_free(&screw(at(dvec3(0.3, 0.0, 1.0))));
    assert_free(&screw(turned(DVec3::Z, DVec3::Z, 1.0)));
    assert_free(&screw(turned(2.0 * DVec3::Z, DVec3::Z, 1.0)));
    assert_touches(&screw(at(dvec3(0.0, 0.0, 0.5))), 2.0 * TOLERANCE, 0.5);
}

/// An ellipsoid that changes its shape on a box and on a mesh: it may become flatter, and not thicker.
#[test]
fn affine_ellipsoids() {
    let growing = |from: f64, to: f64| {
        // Half as high as it is wide; its lowest point is at z = 0 at the start.
        let linear = [
            [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, from],
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, to - from],
        ];
        Affine::from_power_basis(DVec3::ONE, &linear, &[[0.0, 0.0, from]], &[]).unwrap()
    };
    let floors: [Shape; 3] = [
        Cuboid::new(dvec3(4.0, 4.0, 1.0)).unwrap().into(),
        box_mesh(dvec3(2.0, 2.0, 0.5), 2).into(),
        sheet(2.0, 2).into(),
    ];
    for (k, floor) in floors.into_iter().enumerate() {
        let place = if k == 2 { DVec3::ZERO } else { -0.5 * DVec3::Z };
        let scene = |from: f64, to: f64| {
            let mut scene = Scene::default();
            scene.add(Body::new("a", floor.clone(), still(place))).unwrap();
            scene.add(Body::affine("b", growing(from, to))).unwrap();
            scene
        };
        assert_free(&scene(0.5, 0.5));
        assert_free(&scene(0.5, 0.25));
        assert_touches(&scene(0.5, 1.0), 2.0 * TOLERANCE, 0.3);
    }
}

/// A plate thinner than the tolerance is never deeper in a sheet than half of its thickness, but must still not pass
/// through.
#[test]
fn a_thin_plate_does_not_go_through() {
    let thick = 0.4e-6;
    let plate: Shape = Cuboid::new(dvec3(1.0, 1.0, thick)).unwrap().into();
    let place = 0.5 * thick * DVec3::Z;
    for other in [sheet(2.0, 2).into(), Shape::from(Cuboid::new(dvec3(4.0, 4.0, thick)).unwrap())] {
        let from = if matches!(other, Shape::Mesh(_)) { place } else { 2.0 * place };
        let scene = |shift: DVec3| two(other.clone(), still(DVec3::ZERO), plate.clone(), moving(from, shift));
        assert_free(&scene(DVec3::Z));
        assert_free(&scene(dvec3(0.4, 0.2, 0.0)));
        assert_touches(&scene(dvec3(0.0, 0.0, -0.5)), 2.0 * TOLERANCE, 0.5);
    }
}

/// A short run of the attacker: random boxes and sheets against their known depth.
#[test]
fn random_surfaces_at_rest() {
    let counts = attacker::run(7, 1000);
    println!("{counts:?}");
    assert!(counts.free > 400 && counts.touch > 150 && counts.parted > 100, "{counts:?}");
    assert!(counts.flush > 300 && counts.sheets[1] > 30 && counts.sheets[2] > 100, "{counts:?}");
    assert!(counts.polytopes[0] > 100 && counts.polytopes[1] > 30, "{counts:?}");
    assert!(counts.undecided == 0 && counts.tight * 100 >= counts.pressed * 95, "{counts:?}");
}
