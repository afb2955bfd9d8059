//! A scene at an instant, as one soup of triangles, which the demo writes and viewers show.
//!
//! Meshes keep their triangles; solids are drawn by [`firsttouch_io::surface`].

use firsttouch::articulated::{LinkPart, Robot, RobotStep};
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
    /// Returns the whole scene at `t`.
    ///
    /// ```
    /// use firsttouch_scenes::{Frame, named};
    /// let frame = Frame::of(&named("tumbling_boxes").unwrap().build()?, 0.0);
    /// assert_eq!(frame.triangles.len(), 24);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn of(scene: &Scene, t: f64) -> Frame {
        let mut frame = Frame::default();
        let unit_ball = Ellipsoid::new(DVec3::ONE).map(|ball| surface(&ball.into())).unwrap_or_default();
        for (index, body) in scene.bodies().iter().enumerate() {
            match body.kind() {
                BodyKind::Rigid { shape, motion } => {
                    // A robot may carry it.
                    frame.add_shape(shape, &scene.pose_at(index, t).unwrap_or_else(|| motion.pose_at(t)));
                }
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
                BodyKind::Robot(step) => frame.add_robot(step, t),
                BodyKind::RobotPath(path) => {
                    let (segment, t) = path.segment_at(t);
                    // The path was checked, so its steps can be built.
                    path.step(segment).iter().for_each(|step| frame.add_robot(step, t));
                }
                // Its robot has this link.
                BodyKind::Attached { .. } => {}
                // A kind that cannot be drawn yet.
                _ => {}
            }
        }
        frame
    }

    fn add_robot(&mut self, step: &RobotStep, t: f64) {
        let motion = step.motion();
        for (link, described) in step.robot().links().iter().enumerate() {
            for (part, LinkPart { shape, .. }) in described.parts().iter().enumerate() {
                self.add_shape(shape, &motion.part(link, part).pose_at(t));
            }
        }
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

/// Returns the number of triangles of a scene's meshes, including links and deforming ones. Solids have none.
///
/// ```
/// let scene = firsttouch_scenes::named("bouncing").unwrap().build()?;
/// assert!(firsttouch_scenes::triangles(&scene) > 9_000);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn triangles(scene: &Scene) -> usize {
    let of = |shape: &Shape| if let Shape::Mesh(mesh) = shape { mesh.triangles().len() } else { 0 };
    let of_robot = |robot: &Robot| -> usize {
        robot.links().iter().flat_map(|link| link.parts()).map(|part| of(&part.shape)).sum()
    };
    let of_body = |kind: &BodyKind| match kind {
        BodyKind::Rigid { shape, .. } => of(shape),
        BodyKind::Deforming(tree) => tree.mesh().triangles().len(),
        BodyKind::Robot(step) => of_robot(step.robot()),
        BodyKind::RobotPath(path) => of_robot(path.robot()),
        // All others have none.
        _ => 0,
    };
    scene.bodies().iter().map(|body| of_body(body.kind())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workplace;

    /// The part is in the hand halfway over the fence, and the gantry is drawn: its hand and two fingers, 12 triangles
    /// each, beside four boxes.
    #[test]
    fn a_robot_on_its_path_and_what_it_carries() {
        let scene = workplace::pick_and_place().unwrap();
        let frame = Frame::of(&scene, 4.5 / 9.0);
        assert_eq!(frame.triangles.len(), 7 * 12);
        let part = DVec3::new(0.55, 0.0, 0.4);
        let corners =
            frame.positions.iter().filter(|v| ((**v - part).abs() - 0.04).abs().max_element() < 1e-9);
        assert_eq!(corners.count(), 8);
    }
}
