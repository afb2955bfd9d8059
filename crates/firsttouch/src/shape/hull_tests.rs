//! Laws of the convex hull, checked exactly.

use super::*;
use std::collections::{HashMap, HashSet};

/// A small generator, so that every run draws the same points.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// Returns a number in [-1, 1).
    fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn in_cube(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    fn on_sphere(&mut self) -> DVec3 {
        loop {
            let p = self.in_cube();
            if (0.01..1.0).contains(&p.length_squared()) {
                return p.normalize();
            }
        }
    }
}

/// Checks all properties of a 3-dimensional hull, and returns it.
fn check(points: &[DVec3]) -> Hull {
    let hull = Hull::new(points).unwrap();
    assert!(hull.is_exact());
    assert_eq!(hull.dimension(), 3);
    let all: Vec<u32> = (0..points.len() as u32).collect();
    let coordinates = scaled(points, &all).unwrap();
    let ids = hull.vertex_ids();
    assert!(ids.is_sorted());
    for (vertex, &id) in hull.vertices().iter().zip(ids) {
        assert_eq!(*vertex, points[id as usize]);
    }

    // No point is outside. All faces are tested against all points if that is affordable, otherwise a sample.
    let stride = (points.len() * hull.faces().len() / 4_000_000).max(1);
    for (f, face) in hull.faces().iter().enumerate() {
        let corners = face.map(|v| ids[v as usize]);
        for i in (f % stride..points.len()).step_by(stride) {
            assert!(quickhull::height(&coordinates, corners, i as u32) <= 0.0, "point {i} outside face {f}");
        }
    }

    // A closed surface: every directed edge has its reverse. With Euler's formula it is a sphere.
    let mut directed = HashMap::new();
    for (f, [a, b, c]) in hull.faces().iter().copied().enumerate() {
        for edge in [[a, b], [b, c], [c, a]] {
            assert!(directed.insert(edge, f).is_none());
        }
    }
    assert!(directed.keys().all(|&[a, b]| directed.contains_key(&[b, a])));
    let used: HashSet<u32> = hull.faces().iter().flatten().copied().collect();
    assert_eq!(used.len(), hull.vertices().len());
    assert_eq!(used.len() + hull.faces().len(), directed.len() / 2 + 2);

    // The edges are those with a strict fold, and each vertex has at least three: it is extreme.
    let mut valence = vec![0; hull.vertices().len()];
    let edges: HashSet<[u32; 2]> = hull.edges().iter().copied().collect();
    assert_eq!(edges.len(), hull.edges().len());
    for (&[a, b], &f) in &directed {
        let opposite = hull.faces()[directed[&[b, a]]].into_iter().find(|&v| v != a && v != b).unwrap();
        let fold =
            quickhull::height(&coordinates, hull.faces()[f].map(|v| ids[v as usize]), ids[opposite as usize]);
        assert_eq!(fold < 0.0, edges.contains(&[a.min(b), a.max(b)]));
        valence[a as usize] += usize::from(fold < 0.0);
    }
    assert!(valence.iter().all(|&edges| edges >= 3));
    assert!(volume(&hull) > 0.0);
    hull
}

fn volume(hull: &Hull) -> f64 {
    let scale = hull.vertices().iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
    let at = |v: u32| hull.vertices()[v as usize] / scale - hull.vertices()[0] / scale;
    hull.faces().iter().map(|&[a, b, c]| at(a).cross(at(b)).dot(at(c))).sum::<f64>() / 6.0
}

fn vertex_set(hull: &Hull) -> Vec<[u64; 3]> {
    let mut set: Vec<_> = hull.vertices().iter().map(|v| v.to_array().map(f64::to_bits)).collect();
    set.sort_unstable();
    set
}

fn shuffled(points: &[DVec3], random: &mut Random) -> Vec<DVec3> {
    let mut points = points.to_vec();
    for i in (1..points.len()).rev() {
        points.swap(i, random.below(i as u64 + 1) as usize);
    }
    points
}

fn lattice(n: usize) -> Vec<DVec3> {
    let at = |i: usize| DVec3::new((i % n) as f64, (i / n % n) as f64, (i / n / n) as f64);
    (0..n * n * n).map(at).collect()
}

#[test]
fn random_clouds() {
    let mut random = Random(1);
    for n in (4..60).chain([300, 2000]) {
        let points: Vec<DVec3> = (0..n).map(|_| random.in_cube()).collect();
        let hull = check(&points);
        assert_eq!(vertex_set(&hull), vertex_set(&check(&shuffled(&points, &mut random))));
    }
}

#[test]
fn small_integer_clouds_are_as_degenerate_as_it_gets() {
    let mut random = Random(2);
    let mut by_dimension = [0; 4];
    for _ in 0..20_000 {
        let n = 1 + random.below(12) as usize;
        let mut coordinate = || random.below(3) as f64;
        let points: Vec<DVec3> =
            (0..n).map(|_| DVec3::new(coordinate(), coordinate(), coordinate())).collect();
        let hull = Hull::new(&points).unwrap();
        by_dimension[hull.dimension()] += 1;
        if hull.dimension() == 3 {
            check(&points);
        }
        // A point is extreme exactly if it is not in the hull of the others: adding it changes the vertex set.
        for &id in hull.vertex_ids() {
            let others: Vec<DVec3> = points.iter().copied().filter(|&p| p != points[id as usize]).collect();
            if let Ok(smaller) = Hull::new(&others) {
                assert!(!vertex_set(&smaller).contains(&points[id as usize].to_array().map(f64::to_bits)));
                assert_ne!(vertex_set(&smaller), vertex_set(&hull));
            }
        }
        // And the hull of the vertices has the same vertices.
        assert_eq!(vertex_set(&Hull::new(hull.vertices()).unwrap()), vertex_set(&hull));
        assert_eq!(vertex_set(&Hull::new(&shuffled(&points, &mut random)).unwrap()), vertex_set(&hull));
    }
    assert!(by_dimension.iter().all(|&count| count > 300), "{by_dimension:?}");
}

#[test]
fn lattices() {
    let mut random = Random(3);
    for n in [2, 3, 4, 9, 20] {
        for points in [lattice(n), shuffled(&lattice(n), &mut random)] {
            let hull = check(&points);
            assert_eq!((hull.vertices().len(), hull.edges().len(), hull.faces().len()), (8, 12, 12));
        }
    }
    // A lattice rotated by a rounded rotation: nearly coplanar everywhere.
    let turn = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 0.7, -1.1);
    check(&lattice(9).iter().map(|&p| turn * p).collect::<Vec<_>>());
}

#[test]
fn flat_inputs() {
    let mut random = Random(4);
    let ids = |points: &[DVec3]| {
        let hull = Hull::new(points).unwrap();
        (hull.dimension(), hull.vertex_ids().to_vec(), hull.edges().to_vec(), hull.faces().len())
    };
    let p = DVec3::new(0.1, -0.2, 0.3);
    assert_eq!(ids(&[p]), (0, vec![0], vec![], 0));
    assert_eq!(ids(&[p, p, p]), (0, vec![0], vec![], 0));
    assert_eq!(ids(&[DVec3::ZERO, -DVec3::ZERO]), (0, vec![0], vec![], 0));
    assert_eq!(ids(&[p, p, DVec3::ONE]), (1, vec![0, 2], vec![[0, 1]], 0));
    let line: Vec<DVec3> = [2.0, 0.0, 3.0, 1.0, 3.0].map(|t| t * DVec3::new(1.0, -2.0, 0.5)).to_vec();
    assert_eq!(ids(&line), (1, vec![1, 2], vec![[0, 1]], 0));
    for _ in 0..1000 {
        // Integer combinations of two integer vectors: exactly coplanar.
        let mut small = || random.below(9) as f64 - 4.0;
        let (u, v) = (DVec3::new(small(), small(), small()), DVec3::new(small(), small(), small()));
        let points: Vec<DVec3> = (0..25).map(|_| small() * u + small() * v).collect();
        let hull = Hull::new(&points).unwrap();
        assert!(hull.dimension() <= 2 && hull.faces().is_empty());
        if hull.dimension() == 2 {
            assert_eq!(hull.edges().len(), hull.vertices().len());
            // Every point on the inner side of every edge, in the plane: the side is the same for all of them.
            let normal = u.cross(v);
            for &[a, b] in hull.edges() {
                let (a, b) = (hull.vertices()[a as usize], hull.vertices()[b as usize]);
                let sides: Vec<f64> = points.iter().map(|&p| (b - a).cross(p - a).dot(normal)).collect();
                assert!(sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0));
                // Strict corners: no other point beyond the segment on its line.
                for (&p, _) in points.iter().zip(&sides).filter(|&(_, &s)| s == 0.0) {
                    assert!((p - a).dot(p - b) <= 0.0);
                }
            }
        }
    }
}

#[test]
fn one_ulp_off_the_plane_is_a_polytope() {
    let mut points: Vec<DVec3> = lattice(5).into_iter().filter(|p| p.z == 1.0).collect();
    points[12].z = 1.0f64.next_up();
    let hull = check(&points);
    assert_eq!((hull.vertices().len(), hull.edges().len()), (5, 8)); // a pyramid
}

#[test]
fn every_scale() {
    let mut random = Random(5);
    let cloud: Vec<DVec3> = (0..200).map(|_| random.in_cube()).collect();
    let ids = check(&cloud).vertex_ids().to_vec();
    for exponent in [-900, -500, 50, 300] {
        let scale = power_of_two(exponent);
        let scaled: Vec<DVec3> = cloud.iter().map(|&p| p * scale).collect();
        assert_eq!(check(&scaled).vertex_ids(), ids);
    }
    for scale in [1e-300, 1e-308, 1e-315, 1e-322, 1e90] {
        let scaled: Vec<DVec3> = cloud.iter().map(|&p| p * scale).collect();
        let hull = Hull::new(&scaled).unwrap();
        assert!(hull.is_exact());
        if hull.dimension() == 3 {
            check(&scaled);
        }
    }
    // Long and thin.
    check(&cloud.iter().map(|&p| p * DVec3::new(1e9, 1.0, 1e-9)).collect::<Vec<_>>());
    check(&cloud.iter().map(|&p| p * DVec3::new(1e60, 1.0, 1e-60)).collect::<Vec<_>>());
    check(&cloud.iter().map(|&p| p * 1e-3 + DVec3::new(1e12, -3e11, 0.7)).collect::<Vec<_>>());
}

#[test]
fn too_wide_a_range_keeps_every_point() {
    let mut random = Random(6);
    let mut points: Vec<DVec3> = (0..50).map(|_| random.in_cube() * DVec3::new(1.0, 1e-200, 1.0)).collect();
    points.push(points[7]);
    let hull = Hull::new(&points).unwrap();
    assert!(!hull.is_exact());
    assert_eq!(hull.vertices(), &points[..50]);
    assert!(hull.faces().is_empty() && hull.edges().is_empty());
}

#[test]
fn bad_input_is_rejected() {
    let good = DVec3::ONE;
    assert!(matches!(Hull::new(&[]), Err(Error::Empty { .. })));
    let message = |p| Hull::new(&[good, p]).unwrap_err().to_string();
    assert_eq!(message(DVec3::new(0.0, f64::NAN, 0.0)), "hull point 1 y is not finite: NaN");
    assert_eq!(message(DVec3::new(0.0, 0.0, f64::INFINITY)), "hull point 1 z is not finite: inf");
    assert!(message(DVec3::new(-2e100, 0.0, 0.0)).starts_with("hull point 1 x must be at most 1e100"));
}

#[test]
fn support_is_the_first_best_of_all() {
    let mut random = Random(7);
    for n in [1, 2, 3, 15, 16, 17, 33, 200] {
        let points: Vec<DVec3> = (0..n).map(|_| random.on_sphere()).collect();
        let hull = Hull::new(&points).unwrap();
        for _ in 0..200 {
            let d = random.in_cube();
            let height = |v: &DVec3| v.x * d.x + v.y * d.y + v.z * d.z;
            let best = hull.vertices().iter().map(height).fold(f64::NEG_INFINITY, f64::max);
            let expected = hull.vertices().iter().position(|v| height(v) == best).unwrap();
            assert_eq!(hull.support_vertex(d), expected);
        }
        assert_eq!(hull.support_vertex(DVec3::ZERO), 0);
        assert_eq!(hull.support_vertex(DVec3::NAN), 0);
    }
    let cube = Hull::new(&lattice(2)).unwrap();
    assert_eq!(cube.support_vertex(DVec3::X), 1); // of 1, 3, 5 and 7
}

#[test]
fn many_points() {
    let mut random = Random(8);
    // On a rounded sphere all points, or nearly all, are extreme.
    let sphere: Vec<DVec3> = (0..100_000).map(|_| random.on_sphere()).collect();
    assert!(check(&sphere).vertices().len() > 99_000);
    // Two large parallel polygons: long horizons, and two facets with thousands of corners.
    let ring = |i: usize| (i / 2) as f64 / 5000.0 * std::f64::consts::TAU;
    let prism: Vec<DVec3> =
        (0..10_000).map(|i| DVec3::new(ring(i).cos(), ring(i).sin(), (i % 2) as f64)).collect();
    assert!(check(&prism).vertices().len() > 9_900);
    let mut cone: Vec<DVec3> = prism.into_iter().filter(|p| p.z == 0.0).collect();
    cone.push(DVec3::new(0.1, 0.2, 3.0));
    assert!(check(&cone).edges().len() > 9_900);
}

/// With a known support point the extent has the same bits. Grids have several vertices of one height.
#[test]
fn a_known_support_point_changes_no_bit_of_the_extent() {
    let mut random = Random(41);
    for count in [4, 20, 200, 600] {
        for is_grid in [false, true] {
            let coarse = |p: DVec3| if is_grid { (p * 4.0).round() } else { p };
            let points: Vec<DVec3> = (0..count).map(|_| coarse(random.in_cube())).collect();
            let hull = Hull::new(&points).unwrap();
            for _ in 0..100 {
                let n = random.on_sphere();
                for n in [n, -n, DVec3::X, -DVec3::Z] {
                    let known = hull.extent_with(n, hull.support(n));
                    assert_eq!(known.to_bits(), hull.extent(n).to_bits(), "{n} of {count}");
                }
            }
        }
    }
}

/// The feature is the first face, edge or vertex of the hull all of whose corners are on top.
#[test]
fn features_are_those_of_a_search_through_all() {
    let mut random = Random(43);
    let mut seen = [0; 3];
    for count in [4, 8, 40, 150] {
        let points: Vec<DVec3> = (0..count).map(|_| random.on_sphere()).collect();
        let hull = Hull::new(&points).unwrap();
        let corner = |i: u32| hull.vertices()[i as usize];
        let mut normals: Vec<DVec3> = (0..50).map(|_| random.on_sphere()).collect();
        // Faces have normals outwards, and edges of round bodies are seen from outside of their middle.
        normals.extend(
            hull.faces()
                .iter()
                .map(|&[a, b, c]| (corner(b) - corner(a)).cross(corner(c) - corner(a)).normalize()),
        );
        normals.extend(hull.edges().iter().map(|&[a, b]| {
            let along = (corner(b) - corner(a)).normalize();
            let middle = corner(a) + corner(b);
            (middle - along * middle.dot(along)).normalize()
        }));
        for n in normals {
            let top = hull.extent(n) - 1e-9 * hull.reach();
            let on_top = |&i: &u32| corner(i).dot(n) >= top;
            let face = hull.faces().iter().position(|face| face.iter().all(on_top));
            let edge = hull.edges().iter().position(|edge| edge.iter().all(on_top));
            let expected = match (face, edge) {
                (Some(face), _) => Feature::Face(face as u32),
                (None, Some(edge)) => Feature::Edge(edge as u32),
                (None, None) => Feature::Vertex(hull.vertex_ids()[hull.support_vertex(n)]),
            };
            assert_eq!(hull.feature(DVec3::ZERO, n), expected, "{n}");
            seen[[face.is_some(), edge.is_some(), true].iter().position(|is| *is).unwrap()] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
}

/// Points inside are left out first. The vertices equal the vertices of the hull of all points, also where many points
/// are on the sides, and no point is above a face.
#[test]
fn points_inside_change_nothing() {
    let mut random = Random(31);
    let mut dropped = 0;
    for round in 0..12 {
        let points: Vec<DVec3> = (0..1500)
            .map(|_| match round % 3 {
                0 => random.in_cube(),
                1 => (random.in_cube() * 1.3).clamp(DVec3::NEG_ONE, DVec3::ONE),
                _ => random.on_sphere() * if random.below(3) == 0 { 1.0 } else { random.signed() },
            })
            .collect();
        let hull = check(&points);
        assert_eq!(hull.vertex_ids(), Hull::extreme_points(&points).unwrap());
        dropped += points.len() - outer_points(&points).len();
    }
    assert!(dropped > 6000, "{dropped}");
}
