//! The ends of a search: they cover its start nodes, and a search from them in another step finds the same.

use super::*;
use crate::motion::{Motion, Pose, RigidMotion};
use crate::shape::Mesh;
use glam::{DQuat, dvec3};

/// Returns numbers in [-1, 1), the same on every machine.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn vector(state: &mut u64) -> DVec3 {
    dvec3(random(state), random(state), random(state))
}

/// Returns a bumpy bowl, hollow, so that hulls overlap while surfaces are apart.
fn bowl(state: &mut u64) -> Mesh {
    const N: usize = 12;
    let mut vertices = Vec::new();
    for i in 0..=N {
        for k in 0..=N {
            let (x, y) = (2.0 * i as f64 / N as f64 - 1.0, 2.0 * k as f64 / N as f64 - 1.0);
            vertices.push(dvec3(x, y, 0.8 * (x * x + y * y) + 0.02 * random(state)));
        }
    }
    let mut triangles = Vec::new();
    for i in 0..N {
        for k in 0..N {
            let at = |i: usize, k: usize| (i * (N + 1) + k) as u32;
            triangles.push([at(i, k), at(i + 1, k), at(i + 1, k + 1)]);
            triangles.push([at(i, k), at(i + 1, k + 1), at(i, k + 1)]);
        }
    }
    Mesh::new(vertices, triangles).unwrap()
}

fn leaves_below(mesh: &Mesh, node: u32, found: &mut Vec<u32>) {
    match mesh.children(node) {
        None => found.push(node),
        Some(children) => children.iter().for_each(|&child| leaves_below(mesh, child, found)),
    }
}

/// Returns for each pair of leaves the number of these nodes above it.
fn covered(meshes: [&Mesh; 2], ends: &[StartNodes]) -> std::collections::HashMap<[u32; 2], usize> {
    let mut counts = std::collections::HashMap::new();
    for end in ends {
        let mut below = [Vec::new(), Vec::new()];
        for side in 0..2 {
            leaves_below(meshes[side], end.nodes[side], &mut below[side]);
        }
        for &a in &below[0] {
            below[1].iter().for_each(|&b| *counts.entry([a, b]).or_default() += 1);
        }
    }
    counts
}

fn time(found: &PairsVerdict) -> f64 {
    match found.verdict {
        Verdict::Free => f64::INFINITY,
        Verdict::Touch(touch) => touch.t,
        Verdict::Undecided { free_until } => panic!("undecided after {free_until}"),
    }
}

/// A bowl moves above another for several steps. Each search begins where the one before ended: its ends cover every
/// pair of leaves once, and it finds the result of a search from the roots, up to the tolerance.
#[test]
fn a_search_that_begins_at_ends_finds_what_one_from_the_roots_does() {
    let mut state = 5;
    let tolerance = 1e-3;
    let limits = Limits { tolerance, ..Limits::default() };
    let (mut touches, mut free, mut saved, mut agree, mut all_steps) = (0, 0, 0, 0, 0);
    for _ in 0..40 {
        let (lower, upper) = (bowl(&mut state), bowl(&mut state));
        let all = lower.triangles().len() * upper.triangles().len();
        let mut ends = Ends { nodes: vec![StartNodes::roots(0)], late_hulls: vec![] };
        let pose = |at: DVec3, turn: DVec3| Pose::new(at, DQuat::from_scaled_axis(turn)).unwrap();
        let mut place = (dvec3(0.0, 0.0, 0.25) + 0.1 * vector(&mut state), 0.1 * vector(&mut state));
        for _ in 0..10 {
            let next =
                (place.0 + 0.04 * vector(&mut state) - DVec3::Z * 0.01, place.1 + 0.03 * vector(&mut state));
            let motion = Motion::linear(pose(place.0, place.1), pose(next.0, next.1));
            let rest = Motion::fixed(Pose::IDENTITY);
            let sides = [[
                Side { pieces: &lower, motion: &rest as &dyn RigidMotion },
                Side { pieces: &upper, motion: &motion as &dyn RigidMotion },
            ]];
            let mut work = [TreeStats::default(), TreeStats::default()];
            let from_roots = first_touch(&sides, &limits, false, &mut work[0]);
            let starts = std::mem::take(&mut ends.nodes);
            let from_ends = first_touch_from(&sides, &starts, &limits, false, Some(&mut ends), &mut work[1]);
            let counts = covered([&lower, &upper], &ends.nodes);
            assert_eq!((counts.len(), counts.values().sum::<usize>()), (all, all));
            // Either may stop anywhere within the tolerance, or pass by within it.
            for verdict in [from_roots.verdict, from_ends.verdict] {
                if let Verdict::Touch(touch) = verdict {
                    assert!(touch.separation.upper <= tolerance, "{touch:?}");
                }
            }
            let (expected, found) = (time(&from_roots), time(&from_ends));
            // Neither is late: a search from the roots with a tiny tolerance finds the contact itself.
            let exact = Limits { tolerance: 1e-9, ..limits };
            let contact = time(&first_touch(&sides, &exact, false, &mut TreeStats::default()));
            assert!(expected <= contact && found <= contact, "{expected} and {found}, contact at {contact}");
            agree += usize::from((expected - found).abs() < 1e-2 || expected == found);
            all_steps += 1;
            touches += usize::from(found.is_finite());
            free += usize::from(found.is_infinite());
            saved += usize::from(work[1].volume_pairs < work[0].volume_pairs);
            if found == 0.0 {
                break;
            }
            let until = found.min(1.0);
            place = (place.0.lerp(next.0, until), place.1.lerp(next.1, until));
        }
    }
    assert!(
        touches > 20 && free > 20 && saved > 20,
        "{touches} touches, {free} free, {saved} with less work"
    );
    assert!(20 * agree > 19 * all_steps, "{agree} of {all_steps} agree");
}
