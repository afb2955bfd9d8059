use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::super::fit::level;
use super::*;
use crate::shape::{Capsule, Cuboid, Cylinder, Mesh, Sphere};

fn options(most: usize) -> CoverOptions {
    CoverOptions { most, ..CoverOptions::default() }
}

fn volume(pieces: &[CoverPiece]) -> f64 {
    pieces.iter().map(|piece| piece.shape.semi_axes().element_product()).sum()
}

/// Returns true if a point is inside for certain, by intervals.
fn is_inside(piece: &CoverPiece, point: DVec3) -> bool {
    let rotation = IntervalMat3::from_quat(piece.pose.rotation()).unwrap();
    level(point, 0.0, &rotation, piece.shape.semi_axes(), piece.pose).hi() <= 1.0
}

/// Returns a tube of radius 0.2 along three quarters of a circle of radius 2.
fn bent_tube() -> Mesh {
    let (rings, sides) = (60_u32, 12_u32);
    let mut vertices = Vec::new();
    for i in 0..=rings {
        let along = 1.5 * std::f64::consts::PI * f64::from(i) / f64::from(rings);
        let out = DVec3::new(along.cos(), along.sin(), 0.0);
        for k in 0..sides {
            let around = 2.0 * std::f64::consts::PI * f64::from(k) / f64::from(sides);
            vertices.push(out * (2.0 + 0.2 * around.cos()) + DVec3::Z * (0.2 * around.sin()));
        }
    }
    let mut triangles = Vec::new();
    for i in 0..rings {
        for k in 0..sides {
            let at = |i: u32, k: u32| i * sides + k % sides;
            triangles.push([at(i, k), at(i + 1, k), at(i + 1, k + 1)]);
            triangles.push([at(i, k), at(i + 1, k + 1), at(i, k + 1)]);
        }
    }
    Mesh::new(vertices, triangles).unwrap()
}

#[test]
fn every_triangle_is_inside_of_its_ellipsoid_and_volumes_shrink() {
    let mesh = Arc::new(bent_tube());
    let mut last = f64::INFINITY;
    for most in [1, 2, 4, 8, 16] {
        let pieces = cover(&Shape::Mesh(mesh.clone()), &options(most)).unwrap();
        assert!(pieces.len() == most || most > 8, "{} of {most}", pieces.len());
        let mut seen = vec![0; mesh.triangles().len()];
        for piece in &pieces {
            for &triangle in &piece.triangles {
                seen[triangle as usize] += 1;
                for corner in mesh.triangle(triangle).corners() {
                    assert!(is_inside(piece, *corner), "{most} ellipsoids, triangle {triangle}");
                }
            }
        }
        assert!(seen.iter().all(|&times| times == 1), "each triangle in one piece");
        let total = volume(&pieces);
        assert!(total < last, "{most} ellipsoids: {total} after {last}");
        last = total;
    }
    // A tube of 3π length and radius 0.2 has a volume of 1.18; in units of 4π/3 that is 0.28.
    assert!(last < 0.7, "16 ellipsoids: {last}");
}

#[test]
fn solids_are_inside_as_solids() {
    let pose = Pose::new(DVec3::new(0.3, -2.0, 1.1), DQuat::from_xyzw(0.1, 0.7, -0.3, 0.4)).unwrap();
    let egg: Vec<DVec3> = (0..40)
        .map(|k| {
            let (a, b) = (f64::from(k) * 2.4, f64::from(k) / 20.0 - 1.0);
            DVec3::new(a.cos() * (1.1 - b * b).sqrt(), a.sin() * (1.1 - b * b).sqrt(), 3.0 * b)
        })
        .collect();
    let wedge = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [4.0, 0.1, 0.0]];
    let shapes: [Shape; 6] = [
        Cuboid::new(DVec3::new(3.0, 1.0, 0.2)).unwrap().into(),
        Hull::new(&egg).unwrap().into(),
        Hull::new(&wedge.map(DVec3::from_array)).unwrap().into(),
        Capsule::new(0.3, 2.0).unwrap().into(),
        Cylinder::new(0.3, 2.0).unwrap().into(),
        Sphere::new(0.7).unwrap().into(),
    ];
    for shape in &shapes {
        let solid = shape.as_convex().unwrap();
        for most in [1, 2, 5] {
            let pieces = cover_all([(shape, pose)], &options(most)).unwrap();
            // The halves of a box together have its volume; those of a round shape have more.
            let is_box = matches!(shape, Shape::Box(_));
            assert!(pieces.len() <= most && (pieces.len() == most || !is_box), "{}", shape.kind());
            // Points all over the solid: between pairs of support points, including the ball.
            for k in 0..200 {
                let direction = |k: i32| {
                    let (a, z) = (f64::from(k) * 2.4, f64::from(k % 29) / 14.5 - 0.97);
                    DVec3::new(a.cos() * (1.0 - z * z).sqrt(), a.sin() * (1.0 - z * z).sqrt(), z)
                };
                let far = |k: i32| solid.support(direction(k)) + direction(k) * solid.margin();
                let point = far(k).lerp(far(7 * k + 3), f64::from(k % 10) / 9.0);
                let placed = pose.at().apply(point);
                // Points of the surface are outside the solid by a rounding or two.
                let is_in = |piece: &CoverPiece| {
                    let shrunk = pose.at().apply(point * (1.0 - 1e-12)) - piece.pose.translation();
                    let local = piece.pose.rotation().conjugate() * shrunk / piece.shape.semi_axes();
                    local.length() <= 1.0
                };
                assert!(pieces.iter().any(is_in), "{} {most} {placed}", shape.kind());
            }
        }
    }
}

#[test]
fn corners_of_a_placed_mesh_are_inside() {
    // In another frame the corners have no exact coordinates: an enclosure of each must be inside.
    let mesh = bent_tube();
    let corners = mesh.vertices().to_vec();
    let triangles = mesh.triangles().to_vec();
    let shape = Shape::from(mesh);
    let pose = Pose::new(DVec3::new(100.0, 5.0, 0.1), DQuat::from_xyzw(0.5, -0.1, 0.3, 0.8)).unwrap();
    let placement = IntervalTransform {
        rotation: IntervalMat3::from_quat(pose.rotation()).unwrap(),
        translation: IntervalVec3::constant(pose.translation()),
    };
    for piece in cover_all([(&shape, pose)], &options(6)).unwrap() {
        for &triangle in &piece.triangles {
            for v in triangles[triangle as usize] {
                let range = placement.apply(corners[v as usize]).range();
                for k in 0..8 {
                    let end = |i: usize| if k >> i & 1 == 1 { range[i].hi() } else { range[i].lo() };
                    assert!(is_inside(&piece, DVec3::new(end(0), end(1), end(2))));
                }
            }
        }
    }
}

#[test]
fn what_saves_nothing_is_not_divided() {
    let rod = Shape::from(Cuboid::new(DVec3::new(8.0, 1.0, 1.0)).unwrap());
    let strict = CoverOptions { most: 8, least_gain: 0.05 };
    assert_eq!(cover(&rod, &strict).unwrap().len(), 1);
    assert_eq!(cover(&Shape::from(bent_tube()), &CoverOptions { most: 0, ..strict }).unwrap().len(), 1);
}

#[test]
fn capsules_of_all_proportions() {
    for half in [1e-9, 1e-3, 0.1, 1.0, 10.0, 1e4, 1e9] {
        let axes = around_capsule(1.0, half);
        // The support functions at many slopes.
        for k in 0..=1000 {
            let z = f64::from(k) / 1000.0;
            let ellipsoid = (axes.x * axes.x * (1.0 - z * z) + axes.z * axes.z * z * z).sqrt();
            assert!(ellipsoid * (1.0 + 1e-14) >= 1.0 + half * z, "{half} {z}");
        }
        // At most as large as the ball around it, and not much larger than the ellipsoid around the cylinder.
        let volume = axes.element_product();
        assert!(volume <= (1.0 + half).powi(3) * (1.0 + 1e-9), "{half}");
        assert!(volume <= 1.5 * 3.0_f64.sqrt() * (half + 1.0), "{half}: {volume}");
    }
}
