use glam::DVec3;

use super::*;

/// Returns a ring with a bumpy tube: convex outside, saddles inside.
pub(crate) fn ring(along: u32, around: u32, bumps: f64) -> Mesh {
    let mut vertices = Vec::new();
    for i in 0..along {
        let u = 2.0 * std::f64::consts::PI * f64::from(i) / f64::from(along);
        let radius = 0.35 + bumps * (5.0 * u).sin();
        for k in 0..around {
            let v = 2.0 * std::f64::consts::PI * f64::from(k) / f64::from(around);
            let out = 1.0 + radius * v.cos();
            vertices.push(DVec3::new(out * u.cos(), out * u.sin(), radius * v.sin()));
        }
    }
    let at = |i: u32, k: u32| (i % along) * around + k % around;
    let mut triangles = Vec::new();
    for i in 0..along {
        for k in 0..around {
            triangles.push([at(i, k), at(i + 1, k), at(i + 1, k + 1)]);
            triangles.push([at(i, k), at(i + 1, k + 1), at(i, k + 1)]);
        }
    }
    Mesh::new(vertices, triangles).unwrap()
}

/// Checks that each triangle is in one patch, and that no patch has corners on both sides of one of its triangles.
fn check(mesh: &Mesh) -> usize {
    let patches = convex_patches(mesh);
    let mut seen = vec![false; mesh.triangles().len()];
    for patch in &patches {
        assert!(patch.len() <= MOST_TRIANGLES);
        for &t in patch {
            assert!(!std::mem::replace(&mut seen[t as usize], true), "triangle {t} twice");
            let [a, b, c] = *mesh.triangle(t).corners();
            let corners = patch.iter().flat_map(|&other| *mesh.triangle(other).corners());
            let sides: Vec<Ordering> = corners.map(|corner| orient3d(a, b, c, corner)).collect();
            assert!(!sides.contains(&Ordering::Less) || !sides.contains(&Ordering::Greater), "triangle {t}");
        }
    }
    assert!(seen.iter().all(|&seen| seen), "a triangle is missing");
    patches.len()
}

#[test]
fn patches_are_convex_and_cover_everything() {
    let mesh = ring(48, 20, 0.05);
    let count = check(&mesh);
    // 1,920 triangles, more than half of them on saddles, where a patch is a strip.
    assert!((20..600).contains(&count), "{count}");
}

#[test]
fn a_convex_body_is_one_patch_up_to_the_limit() {
    let cube = |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
    let quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let mesh = Mesh::new((0..8).map(cube).collect(), triangles.clone()).unwrap();
    assert_eq!(check(&mesh), 1);
    // As a soup: each triangle has its own corners, and some are flipped.
    let corners: Vec<DVec3> = triangles.iter().flatten().map(|&k| cube(k)).collect();
    let soup = (0..12_u32)
        .map(|t| if t % 3 == 0 { [3 * t + 1, 3 * t, 3 * t + 2] } else { [3 * t, 3 * t + 1, 3 * t + 2] });
    assert_eq!(check(&Mesh::new(corners, soup.collect()).unwrap()), 1);
}

#[test]
fn loose_and_degenerate_triangles() {
    let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z * 3.0, DVec3::X * 2.0];
    let mesh = Mesh::new(vertices, vec![[0, 1, 2], [3, 3, 3], [0, 1, 4], [0, 1, 2], [1, 2, 3]]).unwrap();
    assert!(check(&mesh) >= 2);
}
