//! Two shapes at rest: their distance, intersection and contacts, against pieces measured one by one and against
//! scenes.

use firsttouch::motion::{Motion, Pose, RigidMotion};
use firsttouch::shape::{Cuboid, HalfSpace, Shape, SolidMesh, Sphere};
use firsttouch::{Body, Error, Options, Scene, contacts, distance, intersects};
use glam::DVec3;

use crate::mixed_bodies::{cells_of, distance as of_cells, lump, mesh, solid};
use crate::random::Random;

fn shape(random: &mut Random) -> Shape {
    if random.below(3) == 0 { mesh(random, 1.0).into() } else { solid(random, 1.0) }
}

fn scene(shapes: [&Shape; 2], poses: [Pose; 2]) -> Scene {
    let mut scene = Scene::default();
    for (name, (shape, pose)) in ["a", "b"].into_iter().zip(shapes.into_iter().zip(poses)) {
        scene.add(Body::new(name, shape.clone(), Motion::fixed(pose))).unwrap();
    }
    scene
}

#[test]
fn distances_agree_with_their_pieces() {
    let mut random = Random(11);
    let options = Options::default();
    let (mut apart, mut touching) = (0, 0);
    for _ in 0..400 {
        let shapes = [shape(&mut random), shape(&mut random)];
        let reach = random.range(0.5, 3.0);
        let poses = [random.pose(0.5), random.pose(reach)];
        let [a, b] = [(&shapes[0], &poses[0]), (&shapes[1], &poses[1])];
        let found = distance(a, b, &options).unwrap();
        let cells = [a, b].map(|(shape, pose)| cells_of(shape, Motion::fixed(*pose).pose_at(0.0)));
        let exact = of_cells(&cells[0], &cells[1]).max(0.0);
        assert!(found.lower <= exact + 1e-12 && found.upper >= exact - 1e-12, "{found:?}, {exact}");
        assert!(found.is_tight && found.bodies == [0, 1], "{found:?}");

        let is_touching = intersects(a, b, &options).unwrap();
        // Between the tolerance and rounding either is right.
        assert!(if is_touching { exact <= 1.1e-6 } else { exact > 0.0 }, "{exact}");
        assert_eq!(is_touching, intersects(b, a, &options).unwrap());
        assert_eq!(!contacts(a, b, &options).unwrap().is_empty(), is_touching);
        (apart, touching) = (apart + usize::from(!is_touching), touching + usize::from(is_touching));

        // A separation is kept, and a scene gives the same bits.
        let wide = Options { min_separation: exact + 1e-3, ..options };
        let found_wide = contacts(a, b, &wide).unwrap();
        assert!(intersects(a, b, &wide).unwrap() && !found_wide.is_empty());
        let scene = scene([&shapes[0], &shapes[1]], poses);
        assert_eq!(Some(found), scene.distance_at(0.0, &options).unwrap());
        assert_eq!(found_wide, scene.contacts(0.0, &wide).unwrap());
    }
    assert!(apart > 100 && touching > 100, "{apart} {touching}");
}

/// What lies inside a solid mesh touches it, and a half-space takes part.
#[test]
fn insides_and_half_spaces() {
    let options = Options::default();
    let (vertices, triangles) = lump(&mut Random(3), 3, 2.0);
    let surface = firsttouch::shape::Mesh::new(vertices, triangles).unwrap();
    let ball: Shape = Sphere::new(0.1).unwrap().into();
    let here = Pose::IDENTITY;
    let hollow: Shape = surface.clone().into();
    assert!(!intersects((&ball, &here), (&hollow, &here), &options).unwrap());
    if let Ok(solid) = SolidMesh::new(surface) {
        let solid: Shape = solid.into();
        assert!(intersects((&ball, &here), (&solid, &here), &options).unwrap());
        assert_eq!(distance((&ball, &here), (&solid, &here), &options).unwrap().upper, 0.0);
    }

    let ground: Shape = HalfSpace::new(DVec3::Z, 0.0).unwrap().into();
    let cube: Shape = Cuboid::new(DVec3::ONE).unwrap().into();
    let high = Pose::from_translation(DVec3::Z * 2.5).unwrap();
    let found = distance((&cube, &high), (&ground, &here), &options).unwrap();
    assert!(found.lower <= 2.0 && 2.0 <= found.upper && found.upper - found.lower < 1e-12);
    let standing = Pose::from_translation(DVec3::Z * 0.5).unwrap();
    assert_eq!(contacts((&cube, &standing), (&ground, &here), &options).unwrap().len(), 4);

    let both = [(&ground, &here), (&ground, &high)];
    let refused = |error: Error| assert_eq!(error.to_string(), "not supported: two half-spaces");
    refused(distance(both[0], both[1], &options).unwrap_err());
    refused(intersects(both[0], both[1], &options).unwrap_err());
    refused(contacts(both[0], both[1], &options).unwrap_err());
    let wrong = Options { tolerance: -1.0, ..options };
    assert!(distance((&cube, &here), (&ground, &here), &wrong).is_err());
    assert!(contacts((&cube, &here), (&ground, &here), &wrong).is_err());
}

/// A budget of one step ends the search of a distance early, and both bounds still hold.
#[test]
fn without_a_budget_the_bounds_hold() {
    let mut random = Random(5);
    let mut loose = 0;
    for _ in 0..50 {
        let shapes: [Shape; 2] = [mesh(&mut random, 1.0).into(), mesh(&mut random, 1.0).into()];
        let poses = [random.pose(0.1), Pose::from_translation(DVec3::X * random.range(2.1, 3.0)).unwrap()];
        let ask =
            |options: &Options| distance((&shapes[0], &poses[0]), (&shapes[1], &poses[1]), options).unwrap();
        let (exact, short) =
            (ask(&Options::default()), ask(&Options { max_iterations: 1, ..Options::default() }));
        assert!(short.lower <= exact.upper && short.upper >= exact.lower);
        loose += usize::from(!short.is_tight);
    }
    assert!(loose > 0, "a budget of one step is spent at times");
}
