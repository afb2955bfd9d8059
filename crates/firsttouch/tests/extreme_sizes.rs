//! Meshes at the ends of the range of coordinates: no panic, and the same answers as at unit size.

use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::Mesh;
use firsttouch::{Answer, Body, Options, Scene};
use glam::{DQuat, DVec3};

fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

#[test]
fn answers_do_not_depend_on_the_unit_of_length() {
    let mut state = 21;
    let mut touches = 0;
    for _ in 0..60 {
        let mut vector = || DVec3::from_array([0; 3].map(|_| random(&mut state)));
        let corners: Vec<[DVec3; 2]> = (0..12).map(|_| [vector(), vector()]).collect();
        let places = [vector() * 3.0, vector() * 3.0, vector() * 3.0];
        let turns = [vector(), vector(), vector()].map(|v| DQuat::from_xyzw(v.x, v.y, v.z, 0.5));
        // Powers of two, so that the numbers are the same.
        let answers = [1.0, 2f64.powi(300), 2f64.powi(-300)].map(|size| {
            let mesh = |side: usize| {
                let vertices = corners.iter().map(|both| both[side] * size).collect();
                Mesh::new(vertices, (0..4).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect()).unwrap()
            };
            let pose = |k: usize| Pose::new(places[k] * size, turns[k]).unwrap();
            let mut scene = Scene::default();
            scene.add(Body::new("a", mesh(0), Motion::linear(pose(0), pose(1)))).unwrap();
            scene.add(Body::new("b", mesh(1), Motion::fixed(pose(2)))).unwrap();
            let options = Options { tolerance: 1e-6 * size, ..Options::default() };
            scene.check(&options).unwrap().answer
        });
        for answer in &answers[1..] {
            let (expected, found) = (answers[0].free_until(1.0), answer.free_until(1.0));
            assert_eq!(std::mem::discriminant(&answers[0]), std::mem::discriminant(answer), "{answers:?}");
            assert!((expected - found).abs() < 1e-5, "{expected} {found}");
        }
        touches += usize::from(matches!(answers[0], Answer::Touch(_)));
    }
    assert!(touches > 10, "{touches}");
}
