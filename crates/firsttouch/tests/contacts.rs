//! All contacts at an instant: faces on faces, lying cylinders, stacks, and a mesh on a plane counted by brute force.

#[allow(dead_code)]
use crate::mixed_bodies;
#[allow(dead_code)]
use crate::random;

use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid, Cylinder, Ellipsoid, Hull, Mesh, Shape, Sphere};
use firsttouch::{Body, ContactPoint, Options, Scene};
use glam::{DQuat, DVec3};
use mixed_bodies::lump;
use random::Random;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn floor() -> Body {
    Body::new("floor", Cuboid::new(DVec3::new(50.0, 50.0, 1.0)).unwrap(), Motion::fixed(at(0.0, 0.0, -0.5)))
}

/// Returns the contacts of a shape, turned, that falls onto the floor, at the time of the first touch. `lowest` is how
/// far below its origin it reaches.
fn on_the_floor(shape: impl Into<Shape>, turned: DQuat, lowest: f64) -> Vec<ContactPoint> {
    let pose = |z: f64| Pose::new(DVec3::new(0.3, -0.2, z), turned).unwrap();
    let mut scene = Scene::default();
    scene.add(Body::new("falling", shape, Motion::linear(pose(lowest + 3.0), pose(lowest - 1.0)))).unwrap();
    scene.add(floor()).unwrap();
    let options = Options::default();
    let report = scene.check(&options).unwrap();
    let touch = report.answer.touch().expect("it falls onto the floor").clone();
    let contacts = scene.contacts(touch.toi, &options).unwrap();
    assert_eq!(contacts, scene.contacts(touch.toi, &options).unwrap());
    for contact in &contacts {
        assert!((contact.normal + DVec3::Z).length() < 1e-5, "{contact:?}");
        assert!(contact.gap <= options.tolerance * (1.0 + 1e-6), "{contact:?}");
        assert!(contact.points[1].z.abs() < 1e-9 && contact.points[0].z.abs() < 2e-6, "{contact:?}");
        assert_eq!(contact.bodies, [0, 1]);
    }
    contacts
}

/// Each of the places is that of a contact on the falling body, and there are no others.
fn check(contacts: &[ContactPoint], places: &[[f64; 2]], what: &str) {
    assert_eq!(contacts.len(), places.len(), "{what}: {contacts:?}");
    for place in places {
        let near = |contact: &&ContactPoint| {
            let from = contact.points[0] - DVec3::new(0.3 + place[0], place[1] - 0.2, 0.0);
            from.length() < 5e-3
        };
        assert!(contacts.iter().any(|contact| near(&contact)), "{what}: {place:?} in {contacts:?}");
    }
}

#[test]
fn solids_on_a_floor() {
    let turned = |z: f64| DQuat::from_rotation_z(z);
    let lying = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let square = [[-1.0, -0.5], [-1.0, 0.5], [1.0, 0.5], [1.0, -0.5]];
    let cuboid = || Cuboid::new(DVec3::new(2.0, 1.0, 0.5)).unwrap();
    check(&on_the_floor(cuboid(), turned(0.0), 0.25), &square, "a box");
    let (sin, cos) = 0.7_f64.sin_cos();
    let rotated = square.map(|[x, y]| [x * cos - y * sin, x * sin + y * cos]);
    check(&on_the_floor(cuboid(), turned(0.7), 0.25), &rotated, "a box, turned");
    check(&on_the_floor(Sphere::new(0.7).unwrap(), turned(0.3), 0.7), &[[0.0, 0.0]], "a ball");
    check(
        &on_the_floor(Capsule::new(0.3, 2.0).unwrap(), lying, 0.3),
        &[[0.0, -1.0], [0.0, 1.0]],
        "a lying capsule",
    );
    check(
        &on_the_floor(Capsule::new(0.3, 2.0).unwrap(), turned(0.0), 1.3),
        &[[0.0, 0.0]],
        "a standing capsule",
    );
    check(
        &on_the_floor(Cylinder::new(0.3, 2.0).unwrap(), lying, 0.3),
        &[[0.0, -1.0], [0.0, 1.0]],
        "a lying cylinder",
    );
    let axes = DVec3::new(0.5, 0.7, 0.3);
    check(&on_the_floor(Ellipsoid::new(axes).unwrap(), turned(0.4), 0.3), &[[0.0, 0.0]], "an ellipsoid");
    // A standing cylinder stands on its rim.
    let standing = on_the_floor(Cylinder::new(0.5, 2.0).unwrap(), turned(0.0), 1.0);
    assert!(standing.len() >= 4);
    for contact in &standing {
        let from = contact.points[0] - DVec3::new(0.3, -0.2, 0.0);
        assert!((from.truncate().length() - 0.5).abs() < 1e-6, "{contact:?}");
    }
    // A pyramid upside down and the right way up.
    let base = [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]];
    let points: Vec<DVec3> = base.iter().map(|&[x, y]| DVec3::new(x, y, 0.0)).chain([DVec3::Z]).collect();
    check(&on_the_floor(Hull::new(&points).unwrap(), turned(0.0), 0.0), &base, "a pyramid");
    let upside_down = DQuat::from_rotation_x(std::f64::consts::PI);
    check(
        &on_the_floor(Hull::new(&points).unwrap(), upside_down, 1.0),
        &[[0.0, 0.0]],
        "a pyramid on its tip",
    );
    // On an edge.
    let on_edge = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
    let low = 0.5_f64.sqrt() * 0.75;
    check(
        &on_the_floor(cuboid(), on_edge, low),
        &[[-1.0, cornered()], [1.0, cornered()]],
        "a box on an edge",
    );
}

/// The place of the lowest edge of the box above, in y: the corner (0.5, -0.25) turned by 45 degrees.
fn cornered() -> f64 {
    let (y, z) = (-0.5, -0.25);
    0.5_f64.sqrt() * (y - z)
}

/// Boxes of one size on top of each other, with gaps of half the tolerance: four contacts between each two.
#[test]
fn a_stack() {
    let mut scene = Scene::default();
    scene.add(floor()).unwrap();
    for k in 0..3 {
        let z = 0.5 + f64::from(k) * (1.0 + 5e-7) + 5e-7;
        scene
            .add(Body::new(
                format!("box {k}"),
                Cuboid::new(DVec3::ONE).unwrap(),
                Motion::fixed(at(0.0, 0.0, z)),
            ))
            .unwrap();
    }
    let contacts = scene.contacts(0.0, &Options::default()).unwrap();
    let between: Vec<[usize; 2]> = contacts.iter().map(|contact| contact.bodies).collect();
    assert_eq!(between, [[0, 1]; 4].into_iter().chain([[1, 2]; 4]).chain([[2, 3]; 4]).collect::<Vec<_>>());
    for contact in &contacts {
        assert!((contact.normal - DVec3::Z).length() < 1e-6 && contact.gap < 6e-7, "{contact:?}");
    }
}

/// A bumpy mesh whose lower part is cut flat: all vertices within the tolerance of the floor are contacts, each once,
/// and there are no others.
#[test]
fn a_mesh_on_a_plane() {
    let mut random = Random(12);
    for (n, floor_is_mesh) in [(4, false), (8, false), (6, true)] {
        let (mut vertices, triangles) = lump(&mut random, n, 1.0);
        for (i, v) in vertices.iter_mut().enumerate() {
            if v.z < -0.5 {
                // Some exactly on the plane, some within the tolerance, some not.
                v.z = -0.5 + [0.0, 2e-7, 6e-7, 5e-6, 0.0][i % 5];
                v.x += 1e-3 * i as f64;
            }
        }
        let options = Options { tolerance: 1e-6, ..Options::default() };
        let gap = 3e-7;
        let used = |k: u32| triangles.iter().any(|t: &[u32; 3]| t.contains(&k) && is_proper(t, &vertices));
        let expected: Vec<DVec3> = vertices
            .iter()
            .enumerate()
            .filter(|(k, v)| v.z + 0.5 + gap <= options.tolerance && used(*k as u32))
            .map(|(_, v)| *v)
            .collect();
        let mut scene = Scene::default();
        let mesh = Mesh::new(vertices.clone(), triangles.clone()).unwrap();
        scene.add(Body::new("mesh", mesh, Motion::fixed(at(0.0, 0.0, 0.5 + gap)))).unwrap();
        if floor_is_mesh {
            let corners = [[-9.0, -9.0], [9.0, -9.0], [0.0, 30.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
            let floor = Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
            scene.add(Body::new("floor", floor, Motion::fixed(Pose::IDENTITY))).unwrap();
        } else {
            scene.add(floor()).unwrap();
        }
        let contacts = scene.contacts(0.0, &options).unwrap();
        assert_eq!(contacts.len(), expected.len(), "{n}");
        assert!(expected.len() >= 4, "{n}: {}", expected.len());
        for v in &expected {
            let place = *v + DVec3::Z * (0.5 + gap);
            let found = contacts.iter().filter(|contact| contact.points[0].distance(place) < 1e-9).count();
            assert_eq!(found, 1, "{n}: {v}");
        }
        for contact in &contacts {
            assert!((contact.gap - contact.points[0].z).abs() < 1e-9, "{contact:?}");
            assert!((contact.normal + DVec3::Z).length() < 1e-6, "{contact:?}");
        }
    }
}

fn is_proper(t: &[u32; 3], vertices: &[DVec3]) -> bool {
    t.iter().all(|&v| vertices[v as usize].is_finite())
}

#[test]
fn what_is_farther_apart_is_no_contact() {
    let mut scene = Scene::default();
    scene.add(floor()).unwrap();
    scene.add(Body::new("ball", Sphere::new(1.0).unwrap(), Motion::fixed(at(0.0, 0.0, 1.1)))).unwrap();
    let options = Options::default();
    assert!(scene.contacts(0.5, &options).unwrap().is_empty());
    let wary = Options { min_separation: 0.2, ..options };
    let contacts = scene.contacts(0.5, &wary).unwrap();
    assert!(contacts.len() == 1 && (contacts[0].gap - 0.1).abs() < 1e-12, "{contacts:?}");
    scene.allow("floor", "ball").unwrap();
    assert!(scene.contacts(0.5, &wary).unwrap().is_empty());
    assert!(scene.contacts(1.5, &options).is_err() && scene.contacts(f64::NAN, &options).is_err());
}
