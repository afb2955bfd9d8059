//! Circles about an axis against points sampled over time, and the searches that these circles end.

use super::*;
use crate::motion::{By, Leg, Motion, Path, Pose};
use crate::pair::TreeStats;
use crate::shape::Mesh;
use crate::tree::{Verdict, first_touch};
use glam::{DQuat, dvec3};
use std::f64::consts::{PI, TAU};

/// Returns numbers in [-1, 1), the same on every machine.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn vector(state: &mut u64) -> DVec3 {
    dvec3(random(state), random(state), random(state))
}

/// Returns a tube of `n` facets about the z axis, of length 1, in `rings` rings, placed.
fn tube(n: u32, rings: u32, radius: f64, pose: Pose) -> Mesh {
    let corner = |k: u32| {
        let (turned, z) = (TAU * f64::from(k % n) / f64::from(n), f64::from(k / n) / f64::from(rings));
        pose.translation() + pose.rotation() * dvec3(radius * turned.cos(), radius * turned.sin(), z)
    };
    let mut triangles = Vec::new();
    for (ring, k) in (0..rings).flat_map(|ring| (0..n).map(move |k| (ring, k))) {
        let [a, b] = [ring * n + k, ring * n + (k + 1) % n];
        triangles.extend([[a, b, b + n], [a, b + n, a + n]]);
    }
    Mesh::new((0..n * (rings + 1)).map(corner).collect(), triangles).unwrap()
}

fn limits(min_separation: f64, tolerance: f64) -> Limits {
    Limits { min_separation, tolerance, ..Limits::default() }
}

fn sides<'a>(meshes: [&'a Mesh; 2], motions: [&'a Motion; 2]) -> [Side<'a, &'a Mesh>; 2] {
    [0, 1].map(|k| Side { pieces: meshes[k], motion: motions[k] as &dyn RigidMotion })
}

/// A shaft turns once in its bore, 0.001 from it all around. Without the circles, this took 18 million pairs of nodes
/// and half a minute.
#[test]
fn a_shaft_in_its_bore() {
    let n = 120;
    let place = Pose::new(dvec3(3.0, -2.0, 1.0), DQuat::from_xyzw(0.3, 0.5, -0.1, 0.8)).unwrap();
    let shaft = tube(n, 20, 1.0, Pose::IDENTITY);
    let bore = tube(n, 20, 1.001 / (PI / f64::from(n)).cos(), place);
    let axis = place.rotation() * DVec3::Z;
    let at_rest = Motion::fixed(Pose::IDENTITY);
    for turns in [1.0, 100.0] {
        let turning = Motion::turn(place, axis, place.translation() + 7.0 * axis, turns * TAU).unwrap();
        for (meshes, motions) in
            [([&shaft, &bore], [&turning, &at_rest]), ([&bore, &shaft], [&at_rest, &turning])]
        {
            let pair = sides(meshes, motions);
            let mut stats = TreeStats::default();
            let first = first_touch(&[pair], &limits(0.0, 1e-9), false, &mut stats);
            assert!(matches!(first.verdict, Verdict::Free), "{:?}", first.verdict);
            assert!(stats.volume_pairs < 3 * LONG_SEARCH, "{}", stats.volume_pairs);
            // The gap is 0.001, from a corner of the shaft to the middle of a facet of the bore.
            assert!(are_apart(&pair, &limits(9e-4, 9.9e-5)) && !are_apart(&pair, &limits(9e-4, 1.01e-4)));
        }
    }
    // A key on the bore: the facet is turned inwards, and the shaft touches it.
    let mut vertices = bore.vertices().to_vec();
    vertices[500] = place.translation() + place.rotation() * dvec3(0.0, 0.99, 0.3);
    let keyed = Mesh::new(vertices, bore.triangles().to_vec()).unwrap();
    let turning = Motion::turn(place, axis, place.translation(), TAU).unwrap();
    let pair = sides([&shaft, &keyed], [&turning, &at_rest]);
    assert!(!are_apart(&pair, &limits(0.0, 1e-9)));
    let first = first_touch(&[pair], &limits(0.0, 1e-9), false, &mut TreeStats::default());
    assert!(matches!(first.verdict, Verdict::Touch(_)));
}

/// A screw with a head, above a plate with a hole: neither the radii nor the places along the axis are apart for all
/// triangles at once.
#[test]
fn a_screw_with_a_head() {
    let at = |z: f64| Pose::from_translation(DVec3::Z * z).unwrap();
    let join = |a: &Mesh, b: &Mesh| {
        let shift = a.vertices().len() as u32;
        let more = b.triangles().iter().map(|ids| ids.map(|id| id + shift));
        let vertices = a.vertices().iter().chain(b.vertices()).copied().collect();
        Mesh::new(vertices, a.triangles().iter().copied().chain(more).collect()).unwrap()
    };
    let screw = join(&tube(24, 3, 1.0, at(0.0)), &tube(24, 2, 1.2, at(1.1)));
    let plate = join(&tube(24, 3, 1.2, at(0.0)), &tube(24, 3, 3.0, at(0.0)));
    let (turning, at_rest) =
        (Motion::turn(Pose::IDENTITY, DVec3::Z, DVec3::ZERO, 50.0).unwrap(), Motion::AT_REST);
    let pair = sides([&screw, &plate], [&turning, &at_rest]);
    assert!(are_apart(&pair, &limits(0.09, 1e-6)));
    // The head is 0.1 above the plate.
    assert!(!are_apart(&pair, &limits(0.11, 1e-6)));
}

/// Random triangles about random lines: pairs proven apart are apart at all sampled times.
#[test]
fn against_sampled_points() {
    let (mut state, mut proven) = (5, 0);
    for _ in 0..400 {
        let triangle = |state: &mut u64, size: f64, at: DVec3| {
            Mesh::new([0; 3].map(|_| at + size * vector(state)).to_vec(), vec![[0, 1, 2]]).unwrap()
        };
        let meshes = [(0.7, DVec3::ZERO), (0.7, 1.5 * vector(&mut state))]
            .map(|(size, at)| triangle(&mut state, size, at));
        let from = Pose::new(
            vector(&mut state),
            DQuat::from_xyzw(random(&mut state), random(&mut state), 0.5, 1.0).normalize(),
        )
        .unwrap();
        let (axis, point) = (vector(&mut state), vector(&mut state));
        let to =
            Pose::new(from.translation(), DQuat::from_axis_angle(axis.normalize(), 2.0) * from.rotation());
        let by = By::Turn { axis, point, angle: 9.0 };
        let turn = Motion::turn(from, axis, point, 7.0 * random(&mut state)).unwrap();
        let spin = Motion::linear(from, to.unwrap());
        let path = Path::new(from, &[Leg { until: 1.0, by }], 2.0).unwrap();
        let at_rest = Motion::fixed(Pose::from_translation(vector(&mut state)).unwrap());
        for (moving, t_end) in [(turn, 1.0), (spin, 1.0), (Motion::Path(path.into()), 0.5)] {
            let pair = sides([&meshes[0], &meshes[1]], [&moving, &at_rest]);
            let distance = 0.3 * (1.0 + random(&mut state));
            if !are_apart(&pair, &Limits { t_end, ..limits(distance, 0.0) }) {
                continue;
            }
            proven += 1;
            let points = |mesh: &Mesh| -> Vec<DVec3> {
                let [a, b, c] = mesh.triangles()[0].map(|id| mesh.vertices()[id as usize]);
                let steps =
                    (0..=8).flat_map(|i| (0..=8 - i).map(move |k| (f64::from(i) / 8.0, f64::from(k) / 8.0)));
                steps.map(|(u, v)| a + u * (b - a) + v * (c - a)).collect()
            };
            let still: Vec<DVec3> =
                points(&meshes[1]).into_iter().map(|x| at_rest.pose_at(0.0).apply(x)).collect();
            for i in 0..=100 {
                let pose = moving.pose_at(t_end * f64::from(i) / 100.0);
                for x in points(&meshes[0]) {
                    let least = still.iter().map(|y| y.distance(pose.apply(x)));
                    assert!(least.into_iter().all(|d| d > distance), "{axis} {point} {distance}");
                }
            }
        }
    }
    assert!(proven > 100, "{proven}");
}

/// Only a motion that is a pure turn has a line, and its points stay on their circles.
#[test]
fn lines_of_motions() {
    let mut state = 11;
    let whole = Window::between(0.0, 1.0);
    for _ in 0..200 {
        let from = Pose::new(100.0 * vector(&mut state), DQuat::from_rotation_x(random(&mut state))).unwrap();
        let (axis, point) = (vector(&mut state), 100.0 * vector(&mut state));
        let turn = Motion::turn(from, axis, point, 20.0 * random(&mut state)).unwrap();
        let line = turn.turning_line(whole).unwrap();
        let (x, exact) = (vector(&mut state), axis.normalize());
        assert!((line.point - point).reject_from(exact).length() <= line.off + 1e-13);
        let place = |t: f64| {
            let v = turn.pose_at(t).apply(x) - line.point;
            (v.reject_from(exact).length(), v.dot(exact))
        };
        let (r, z) = place(0.0);
        for i in 0..20 {
            let (later_r, later_z) = place(f64::from(i) / 19.0);
            assert!((later_r - r).abs() < 1e-11 && (later_z - z).abs() < 1e-11);
        }
        // A turn with a translation has none, and neither has a body at rest, a screw, or a window over two legs.
        let beside = Pose::new(from.translation() + DVec3::X, from.rotation()).unwrap();
        let by = By::Turn { axis, point, angle: 1.0 };
        let legs = [Leg { until: 1.0, by: by.clone() }, Leg { until: 2.0, by }];
        let path = Motion::Path(Path::new(from, &legs, 2.0).unwrap().into());
        let others =
            [Motion::linear(from, beside), Motion::linear(from, from), Motion::fixed(from), path.clone()];
        assert!(others.iter().all(|motion| motion.turning_line(whole).is_none()));
        assert!(path.turning_line(Window::between(0.5, 1.0)).is_some());
    }
}
