//! The mass, the centre of mass and the inertia of a solid of constant density, from its surface.
//!
//! A closed, oriented surface cuts the solid into tetrahedra with a corner in the origin, some of them with negative
//! volume. For a tetrahedron with corners `0, a, b, c` and `d = a · (b × c)` the volume is `d / 6`, the first moment
//! `d / 24 (a + b + c)` and the second moment `d / 120 (s sᵀ + a aᵀ + b bᵀ + c cᵀ)` with `s = a + b + c`. A surface
//! that is not closed has no inside; its convex hull is then used as the solid.
//!
//! Plain f64: the results are for simulations and prove nothing.

use std::collections::HashSet;

use firsttouch::Result;
use firsttouch::shape::{Hull, Mesh};
use glam::{DMat3, DVec3};

/// The mass properties of a rigid body.
///
/// ```
/// use firsttouch_scenes::{mass::MassProperties, shapes::box_surface};
/// use glam::dvec3;
/// let cube = MassProperties::new(&box_surface(dvec3(1.0, 2.0, 3.0))?, 2.0)?;
/// assert!((cube.mass - 12.0).abs() < 1e-12);
/// // m / 12 (y² + z²) about x.
/// assert!((cube.inertia.x_axis.x - 13.0).abs() < 1e-12);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// The mass.
    pub mass: f64,
    /// The centre of mass.
    pub center: DVec3,
    /// The inertia about the centre of mass, in the axes of the mesh.
    pub inertia: DMat3,
}

impl MassProperties {
    /// Computes the properties of the solid inside the mesh, if it is closed and faces outwards, or else of its convex
    /// hull. A hull without volume is refused.
    pub fn new(mesh: &Mesh, density: f64) -> Result<MassProperties> {
        let mut moments = Moments::default();
        if is_closed(mesh.triangles()) {
            moments = solid_moments(mesh.vertices(), mesh.triangles());
        }
        if moments.volume <= 0.0 {
            let hull = Hull::new(mesh.vertices())?;
            moments = solid_moments(hull.vertices(), hull.faces());
        }
        let mass = density * moments.volume;
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(firsttouch::Error::OutOfRange {
                what: "mass".into(),
                expected: "positive",
                value: mass,
            });
        }
        let center = moments.first / moments.volume;
        // The inertia about the centre from the second moments C: tr(C) 1 - C, shifted.
        let outer = DMat3::from_cols(center * center.x, center * center.y, center * center.z);
        let about_center = moments.second - outer * moments.volume;
        let trace = about_center.x_axis.x + about_center.y_axis.y + about_center.z_axis.z;
        let inertia = (DMat3::from_diagonal(DVec3::splat(trace)) - about_center) * density;
        Ok(MassProperties { mass, center, inertia })
    }
}

/// The integrals of 1, `x` and `x xᵀ` over a solid.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Moments {
    pub(crate) volume: f64,
    first: DVec3,
    second: DMat3,
}

/// Returns the moments of the solid inside a closed surface.
pub(crate) fn solid_moments(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Moments {
    let mut moments = Moments { second: DMat3::ZERO, ..Moments::default() };
    for corners in triangles {
        let [a, b, c] = corners.map(|i| vertices[i as usize]);
        let (d, s) = (a.dot(b.cross(c)), a + b + c);
        moments.volume += d / 6.0;
        moments.first += s * (d / 24.0);
        for v in [a, b, c, s] {
            moments.second += DMat3::from_cols(v * v.x, v * v.y, v * v.z) * (d / 120.0);
        }
    }
    moments
}

/// Returns true if every edge appears exactly once in each direction.
pub(crate) fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let mut edges = HashSet::new();
    let once = triangles
        .iter()
        .all(|&[a, b, c]| [[a, b], [b, c], [c, a]].into_iter().all(|edge| edges.insert(edge)));
    once && edges.iter().all(|&[from, to]| edges.contains(&[to, from]))
}
