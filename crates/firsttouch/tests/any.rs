//! The guarantees of the mode `any`: a time at which something touches, and a separate time before which everything
//! is free.

use firsttouch::deformable::{Deformable, Start};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid, Ellipsoid, Mesh, Shape, Sphere};
use firsttouch::{Answer, Body, Mode, Options, Scene};
use glam::{DQuat, DVec3, dvec3};

const ANY: Options = Options { mode: Mode::Any, ..Options::DEFAULT };

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(dvec3(x, y, z)).unwrap()
}

/// Returns a corner mesh of two triangles.
fn roof(size: f64) -> Mesh {
    let v =
        vec![dvec3(-size, 0.0, 0.0), dvec3(size, 0.0, 0.0), dvec3(0.0, size, size), dvec3(0.0, -size, size)];
    Mesh::new(v, vec![[0, 1, 2], [0, 1, 3]]).unwrap()
}

/// A pair that overlaps at time 0 and a pair that touches later were both checked over the whole time. If the later
/// touch was found first, it was reported, and all the time before it was called free. Contacts at the start come
/// first.
#[test]
fn an_overlap_at_the_start_is_found_first() {
    for (thing, other) in [
        (Shape::from(Sphere::new(1.0).unwrap()), Shape::from(Cuboid::new(DVec3::ONE).unwrap())),
        (roof(1.0).into(), roof(1.0).into()),
        (Ellipsoid::new(dvec3(1.0, 2.0, 1.0)).unwrap().into(), Ellipsoid::new(DVec3::ONE).unwrap().into()),
    ] {
        let mut scene = Scene::default();
        // Touches at about 0.4; all other balls are close at the start.
        for k in 0..6 {
            let y = 40.0 + 10.0 * f64::from(k);
            let path = Motion::linear(at(-3.0, y, 0.0), at(3.0, y, 0.0));
            scene.add(Body::new(format!("a{k}"), Sphere::new(1.0).unwrap(), path)).unwrap();
            let post = Motion::fixed(at(0.0, y, 0.0));
            scene.add(Body::new(format!("b{k}"), Sphere::new(1.0).unwrap(), post)).unwrap();
        }
        let away = Motion::linear(at(0.25, 0.5, 0.0), at(-20.0, 0.5, 9.0));
        scene.add(Body::new("y", thing, away)).unwrap();
        scene.add(Body::new("z", other, Motion::fixed(Pose::IDENTITY))).unwrap();
        for threads in [1, 2] {
            let answer = scene.check(&Options { threads, ..ANY }).unwrap().answer;
            assert!(
                matches!(&answer, Answer::TouchingAtStart(touch) if touch.free_until == 0.0),
                "{answer:?}"
            );
            assert_eq!(answer.free_until(1.0), 0.0);
        }
    }
}

/// A mesh with many triangles, one of which overlaps at the start: advancement of another pair of triangles used to end
/// the search.
#[test]
fn one_triangle_overlaps_at_the_start() {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for k in 0..40 {
        let (x, z) = (3.0 * f64::from(k), if k == 17 { 0.1 } else { -0.5 });
        let n = vertices.len() as u32;
        vertices.extend([dvec3(x, 0.0, z), dvec3(x + 1.0, 0.0, z), dvec3(x, 1.0, z)]);
        triangles.push([n, n + 1, n + 2]);
    }
    let comb = Mesh::new(vertices, triangles).unwrap();
    let floor = Cuboid::new(dvec3(1000.0, 1000.0, 2.0)).unwrap();
    let mut scene = Scene::default();
    scene.add(Body::new("comb", comb, Motion::linear(Pose::IDENTITY, at(0.0, 0.0, 1.0)))).unwrap();
    scene.add(Body::new("floor", floor, Motion::fixed(at(0.0, 0.0, 1.05)))).unwrap();
    assert!(matches!(scene.check(&ANY).unwrap().answer, Answer::TouchingAtStart(_)));
}

/// Loose points and edges, and features within a separation, are not crossings of edges and faces: the mode `any`
/// missed them at the start if another pair touched later.
#[test]
fn a_deforming_mesh_that_touches_at_the_start() {
    // A point of the first triangle rests on it; another falls onto a second triangle.
    let at = |z: f64| {
        vec![
            dvec3(0.0, 0.0, 0.0),
            dvec3(1.0, 0.0, 0.0),
            dvec3(0.0, 1.0, 0.0),
            dvec3(0.25, 0.25, 0.0),
            dvec3(5.0, 0.0, 0.0),
            dvec3(6.0, 0.0, 0.0),
            dvec3(5.0, 1.0, 0.0),
            dvec3(5.25, 0.25, z),
        ]
    };
    let triangles = vec![[0, 1, 2], [4, 5, 6]];
    let mesh = Deformable::new(at(1.0), at(-1.0), triangles, vec![], vec![3, 7]).unwrap();
    let answer = mesh.check(&ANY, Start::Report).unwrap().answer;
    assert!(matches!(&answer, Answer::TouchingAtStart(touch) if touch.free_until == 0.0), "{answer:?}");
    let answer = mesh.check(&ANY, Start::Ignore).unwrap().answer;
    assert!(matches!(&answer, Answer::Touch(touch) if touch.free_until <= 0.5), "{answer:?}");
}

/// On random scenes the kinds of the answers agree, and the time that `any` proves free is free.
#[test]
fn any_is_never_free_for_longer_than_first() {
    let mut state = 5_u64;
    let mut unit = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut kinds = [0; 3];
    for case in 0..300 {
        let mut scene = Scene::default();
        for k in 0..6 {
            let shape: Shape = match (case + k) % 5 {
                0 => Sphere::new(0.2 + 0.4 * unit()).unwrap().into(),
                1 => Cuboid::new(dvec3(0.3 + unit(), 0.3 + unit(), 0.3 + unit())).unwrap().into(),
                2 => roof(0.3 + unit()).into(),
                3 => Capsule::new(0.2, 0.5 + unit()).unwrap().into(),
                _ => Ellipsoid::new(dvec3(0.3 + unit(), 0.3, 0.4)).unwrap().into(),
            };
            let mut pose = || {
                let p = 5.0 * dvec3(unit() - 0.5, unit() - 0.5, unit() - 0.5);
                Pose::new(p, DQuat::from_rotation_z(6.0 * unit()) * DQuat::from_rotation_x(6.0 * unit()))
                    .unwrap()
            };
            let (from, to) = (pose(), pose());
            let motion = match k % 3 {
                0 => Motion::fixed(from),
                1 => Motion::linear(from, to),
                _ => Motion::rational(from, to),
            };
            scene.add(Body::new(format!("{k}"), shape, motion)).unwrap();
        }
        let min_separation = if case % 4 == 3 { 0.05 } else { 0.0 };
        let ask = |mode| scene.check(&Options { mode, min_separation, ..Options::default() }).unwrap().answer;
        let (any, first) = (ask(Mode::Any), ask(Mode::First));
        assert_eq!(std::mem::discriminant(&any), std::mem::discriminant(&first), "{case}: {any:?} {first:?}");
        assert!(any.free_until(1.0) <= first.free_until(1.0), "{case}: {any:?} {first:?}");
        if let (Answer::Touch(any), Answer::Touch(first)) = (&any, &first) {
            assert_eq!(first.free_until, first.toi);
            assert!(any.toi >= first.toi, "{case}");
        }
        kinds[match first {
            Answer::Free => 0,
            Answer::Touch(_) => 1,
            Answer::TouchingAtStart(_) => 2,
            Answer::Undecided { .. } => panic!("{case}: undecided"),
        }] += 1;
    }
    assert!(kinds.iter().all(|count| *count > 20), "{kinds:?}");
}
