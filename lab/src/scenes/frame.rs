//! A scene at an instant, as one soup of triangles: what the demo writes, and viewers show.
//!
//! Meshes keep their triangles. Curved solids get enough facets to look round. No decision is based on them.

use std::f64::consts::{PI, TAU};

use firsttouch::articulated::LinkPart;
use firsttouch::motion::{Pose, PoseAt, RigidMotion};
use firsttouch::shape::{Mesh, Shape};
use firsttouch::{BodyKind, Scene};
use glam::DVec3;

/// The bodies of a scene at an instant, as one soup.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// The vertices of all bodies.
    pub positions: Vec<DVec3>,
    /// Their triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl Frame {
    /// The whole scene at `t`.
    ///
    /// ```
    /// use firsttouch_lab::scenes::{Frame, named};
    /// let frame = Frame::of(&named("tumbling_boxes").unwrap().build()?, 0.0);
    /// assert_eq!(frame.triangles.len(), 24);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn of(scene: &Scene, t: f64) -> Frame {
        let mut frame = Frame::default();
        let unit_ball = round(DVec3::ONE);
        for body in scene.bodies() {
            match body.kind() {
                BodyKind::Rigid { shape, motion } => frame.add_shape(shape, &motion.pose_at(t)),
                BodyKind::Affine(ellipsoid) => {
                    let now = ellipsoid.changing().at(t);
                    let pose = PoseAt { rotation: now.matrix, translation: now.center };
                    frame.append(unit_ball.0.iter().map(|&v| pose.apply(v)), &unit_ball.1);
                }
                BodyKind::Deforming(tree) => {
                    let mesh = tree.mesh();
                    let (from, to) = (mesh.frame(0), mesh.frame(1));
                    let positions = from.iter().zip(&to).map(|(a, b)| a.lerp(*b, t));
                    frame.append(positions, mesh.triangles());
                }
                BodyKind::Robot(step) => {
                    let motion = step.motion();
                    for (link, described) in step.robot().links().iter().enumerate() {
                        for (part, LinkPart { shape, .. }) in described.parts().iter().enumerate() {
                            frame.add_shape(shape, &motion.part(link, part).pose_at(t));
                        }
                    }
                }
                // Its robot has it.
                BodyKind::Attached { .. } => {}
                // A kind that cannot be drawn yet.
                _ => {}
            }
        }
        frame
    }

    /// Adds a mesh, placed.
    pub fn add(&mut self, mesh: &Mesh, pose: &Pose) {
        let pose = pose.at();
        self.append(mesh.vertices().iter().map(|&v| pose.apply(v)), mesh.triangles());
    }

    /// Adds the surface of a shape, placed.
    pub fn add_shape(&mut self, shape: &Shape, pose: &PoseAt) {
        if let Shape::Mesh(mesh) = shape {
            return self.append(mesh.vertices().iter().map(|&v| pose.apply(v)), mesh.triangles());
        }
        let (vertices, triangles) = surface(shape);
        self.append(vertices.into_iter().map(|v| pose.apply(v)), &triangles);
    }

    fn append(&mut self, positions: impl Iterator<Item = DVec3>, triangles: &[[u32; 3]]) {
        let first = self.positions.len() as u32;
        self.positions.extend(positions);
        self.triangles.extend(triangles.iter().map(|ids| ids.map(|i| first + i)));
    }
}

/// How many triangles the meshes of a scene have, links and deforming ones included. Solids have none.
///
/// ```
/// let scene = firsttouch_lab::scenes::named("bouncing").unwrap().build()?;
/// assert!(firsttouch_lab::scenes::triangles(&scene) > 9_000);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn triangles(scene: &Scene) -> usize {
    let of = |shape: &Shape| if let Shape::Mesh(mesh) = shape { mesh.triangles().len() } else { 0 };
    let of_body = |kind: &BodyKind| match kind {
        BodyKind::Rigid { shape, .. } => of(shape),
        BodyKind::Deforming(tree) => tree.mesh().triangles().len(),
        BodyKind::Robot(step) => {
            step.robot().links().iter().flat_map(|link| link.parts()).map(|part| of(&part.shape)).sum()
        }
        // The rest has none.
        _ => 0,
    };
    scene.bodies().iter().map(|body| of_body(body.kind())).sum()
}

/// Facets around a curved solid.
const AROUND: usize = 48;

/// The surface of a solid.
fn surface(shape: &Shape) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    match shape {
        Shape::Box(solid) => {
            let half = solid.half();
            let corner = |i: u32| {
                let side = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
                half * DVec3::new(side(0), side(1), side(2))
            };
            let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
            let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
            ((0..8).map(corner).collect(), triangles.collect())
        }
        Shape::Sphere(solid) => round(DVec3::splat(solid.radius())),
        Shape::Ellipsoid(solid) => round(solid.semi_axes()),
        Shape::Capsule(solid) => {
            let (radius, half) = (solid.radius(), 0.5 * solid.length());
            let profile: Vec<_> = arc(-0.5 * PI, radius, -half).chain(arc(0.0, radius, half)).collect();
            turned(&profile, DVec3::ONE)
        }
        Shape::Cylinder(solid) => {
            let (radius, half) = (solid.radius(), 0.5 * solid.length());
            turned(&[(0.0, -half), (radius, -half), (radius, half), (0.0, half)], DVec3::ONE)
        }
        Shape::Hull(solid) => (solid.vertices().to_vec(), solid.faces().to_vec()),
        Shape::Mesh(mesh) => (mesh.vertices().to_vec(), mesh.triangles().to_vec()),
        // A shape without a surface here is not drawn.
        _ => (Vec::new(), Vec::new()),
    }
}

/// A quarter of a circle as a profile: (radius, height).
fn arc(from: f64, radius: f64, shift: f64) -> impl Iterator<Item = (f64, f64)> {
    (0..=AROUND / 4).map(move |i| {
        let angle = from + 0.5 * PI * i as f64 / (AROUND / 4) as f64;
        (radius * angle.cos(), radius * angle.sin() + shift)
    })
}

/// The unit sphere, scaled.
fn round(scale: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let profile: Vec<_> = arc(-0.5 * PI, 1.0, 0.0).chain(arc(0.0, 1.0, 0.0).skip(1)).collect();
    turned(&profile, scale)
}

/// A profile turned about z and scaled.
fn turned(profile: &[(f64, f64)], scale: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut vertices = Vec::with_capacity(profile.len() * AROUND);
    for &(radius, height) in profile {
        for j in 0..AROUND {
            let angle = TAU * j as f64 / AROUND as f64;
            vertices.push(scale * DVec3::new(radius * angle.cos(), radius * angle.sin(), height));
        }
    }
    let id = |i: usize, j: usize| (i * AROUND + j % AROUND) as u32;
    let mut triangles = Vec::new();
    for i in 0..profile.len() - 1 {
        for j in 0..AROUND {
            triangles.push([id(i, j), id(i, j + 1), id(i + 1, j + 1)]);
            triangles.push([id(i, j), id(i + 1, j + 1), id(i + 1, j)]);
        }
    }
    (vertices, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use firsttouch::shape::{Capsule, Cuboid, Cylinder, Ellipsoid, Hull, Sphere};

    /// Closed and facing outwards: the signed volume is nearly that of the solid.
    #[test]
    fn surfaces_enclose_their_solids() {
        let corners: Vec<DVec3> =
            (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
        for (shape, volume) in [
            (Shape::from(Cuboid::new(DVec3::new(1.0, 2.0, 3.0)).unwrap()), 6.0),
            (Sphere::new(2.0).unwrap().into(), 32.0 / 3.0 * PI),
            (Ellipsoid::new(DVec3::new(1.0, 2.0, 3.0)).unwrap().into(), 8.0 * PI),
            (Capsule::new(1.0, 3.0).unwrap().into(), (4.0 / 3.0 + 3.0) * PI),
            (Cylinder::new(2.0, 3.0).unwrap().into(), 12.0 * PI),
            (Hull::new(&corners).unwrap().into(), 1.0),
        ] {
            let (vertices, triangles) = surface(&shape);
            let at = |i: u32| vertices[i as usize];
            let enclosed: f64 =
                triangles.iter().map(|[a, b, c]| at(*a).dot(at(*b).cross(at(*c))) / 6.0).sum();
            assert!((enclosed / volume - 1.0).abs() < 0.01, "{}: {enclosed} for {volume}", shape.kind());
        }
    }
}
