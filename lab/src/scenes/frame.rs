//! A scene at an instant, as one soup of triangles: what the demo writes, and viewers show.
//!
//! Meshes keep their triangles; solids are drawn by [`firsttouch_io::surface`].

use firsttouch::articulated::LinkPart;
use firsttouch::motion::{Pose, PoseAt, RigidMotion};
use firsttouch::shape::{Ellipsoid, Mesh, Shape};
use firsttouch::{BodyKind, Scene};
use firsttouch_io::surface;
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
        let unit_ball = Ellipsoid::new(DVec3::ONE).map(|ball| surface(&ball.into())).unwrap_or_default();
        for body in scene.bodies() {
            match body.kind() {
                BodyKind::Rigid { shape, motion } => frame.add_shape(shape, &motion.pose_at(t)),
                BodyKind::Affine(ellipsoid) => {
                    let now = ellipsoid.changing().at(t);
                    let pose = PoseAt { rotation: now.matrix, translation: now.center };
                    frame.append(unit_ball.positions.iter().map(|&v| pose.apply(v)), &unit_ball.triangles);
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
        let surface = surface(shape);
        self.append(surface.positions.into_iter().map(|v| pose.apply(v)), &surface.triangles);
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
