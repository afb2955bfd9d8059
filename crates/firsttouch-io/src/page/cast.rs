//! The cast of a page: the bodies of a scene, or a robot among obstacles, as bodies of the document.

use std::collections::HashMap;

use firsttouch::articulated::{Robot, RobotMotion};
use firsttouch::motion::{Motion, PoseAt, RigidMotion};
use firsttouch::shape::Shape;
use firsttouch::{Answer, Body, BodyKind, Feature, Mode, Part};
use glam::{DQuat, DVec3};

use super::Caption;
use super::document::{Document, Place, Run, ShownAnswer, ShownBody, ShownShape, plain};
use super::geometry::{Geometries, corners, deforming_corners};
use super::motion::spans;
use super::told::{Told, word};
use crate::scene::ShapeFile;
use crate::urdf::{RobotVisuals, VisualFile};

/// The bodies of a document, and which of them shows which body of the query.
#[derive(Debug)]
pub(super) struct Cast {
    /// The length on the page of the query's time from 0 to 1.
    pub(super) duration: f64,
    pub(super) geometries: Geometries,
    pub(super) bodies: Vec<ShownBody>,
    /// One entry for each body of the query.
    pub(super) shown: Vec<Shown>,
}

/// The bodies of the document that show a body of the query.
#[derive(Debug)]
pub(super) enum Shown {
    One(usize),
    /// The links of a robot; `None` for a link without a shape.
    Links(Vec<Option<usize>>),
}

impl Cast {
    /// Returns a cast without bodies.
    pub(super) fn new(duration: f64) -> Cast {
        Cast { duration, geometries: Geometries::default(), bodies: Vec::new(), shown: Vec::new() }
    }

    /// Returns the bodies that show two parts.
    pub(super) fn indices(&self, bodies: [usize; 2], parts: &[Part; 2]) -> Option<[usize; 2]> {
        let [a, b] = [0, 1].map(|side| self.index(bodies[side], parts[side].link()));
        a.zip(b).map(|(a, b)| [a, b])
    }

    /// Returns the body that shows a link of a body of the query. The first link of the robot is returned for an
    /// unknown link.
    fn index(&self, body: usize, link: Option<usize>) -> Option<usize> {
        match self.shown.get(body)? {
            Shown::One(index) => Some(*index),
            Shown::Links(links) => {
                let link = link.and_then(|link| *links.get(link)?);
                link.or_else(|| links.iter().flatten().next().copied())
            }
        }
    }

    /// Adds a body that is neither a robot nor held by one.
    pub(super) fn add(&mut self, body: &Body, deforms: bool) -> usize {
        let (kind, geometry, place) = match body.kind() {
            BodyKind::Rigid { shape, motion } => {
                (shape.kind(), self.geometries.shape(shape), place_at(motion, 0.0))
            }
            BodyKind::Affine(ellipsoid) => {
                let (matrix, center) = ellipsoid.at(0.0);
                ("ellipsoid", self.geometries.ellipsoid(DVec3::ONE), Place::affine(matrix, center))
            }
            BodyKind::Deforming(tree) => {
                let over = deforms.then_some(self.duration);
                ("deforming", self.geometries.deforming(tree.mesh(), over), Place::default())
            }
            _ => {
                debug_assert!(false, "robots are added link by link");
                ("robot", self.geometries.cuboid(DVec3::ONE), Place::default())
            }
        };
        let shapes = vec![ShownShape { geometry, place: Place::default(), role: None }];
        self.push(ShownBody { name: body.name().into(), kind, group: None, shapes, place })
    }

    /// Adds the links of a robot. `held` has the names of the bodies that it holds.
    pub(super) fn add_robot(
        &mut self,
        group: &str,
        motion: &RobotMotion<'_>,
        visuals: &RobotVisuals,
        held: &HashMap<usize, &str>,
    ) -> Vec<Option<usize>> {
        let robot = motion.robot();
        let meshes: Vec<usize> = visuals.meshes.iter().map(|mesh| self.geometries.mesh_data(mesh)).collect();
        let mut links = Vec::with_capacity(robot.links().len());
        for (index, link) in robot.links().iter().enumerate() {
            let seen = visuals.of_link.get(link.name()).filter(|_| !robot.is_attached(index));
            let seen = seen.map(Vec::as_slice).unwrap_or_default();
            // Without visuals there is no choice of what to show.
            let role = (!seen.is_empty()).then_some("collision");
            let mut shapes = Vec::new();
            for part in link.parts() {
                let place = Place::rigid(part.pose.translation(), part.pose.rotation());
                shapes.push(ShownShape { geometry: self.geometries.shape(&part.shape), place, role });
            }
            for visual in seen {
                let Some(geometry) = self.visual(visual, &meshes) else { continue };
                let place = Place::rigid(visual.origin.xyz, visual.origin.quat.normalize());
                shapes.push(ShownShape { geometry, place, role: Some("visual") });
            }
            if shapes.is_empty() {
                links.push(None);
                continue;
            }
            let pose = motion.link_pose(index, 0.0);
            links.push(Some(self.push(ShownBody {
                name: held.get(&index).copied().unwrap_or(link.name()).into(),
                kind: if robot.is_attached(index) { "attached" } else { "link" },
                group: Some(group.into()),
                shapes,
                place: Place::rigid(pose.translation, DQuat::from_mat3(&pose.rotation).normalize()),
            })));
        }
        links
    }

    fn visual(&mut self, visual: &VisualFile, meshes: &[usize]) -> Option<usize> {
        Some(match &visual.geometry {
            ShapeFile::Box { sides } => self.geometries.cuboid(*sides),
            ShapeFile::Sphere { radius } => self.geometries.sphere(*radius),
            ShapeFile::Capsule { radius, length } => self.geometries.capsule(*radius, *length),
            ShapeFile::Cylinder { radius, length } => self.geometries.cylinder(*radius, *length),
            ShapeFile::Ellipsoid { semi_axes } => self.geometries.ellipsoid(*semi_axes),
            ShapeFile::Mesh { .. } | ShapeFile::Hull { .. } => *meshes.get(visual.mesh?)?,
            // No file of a robot has another.
            _ => return None,
        })
    }

    /// Returns the document of these bodies.
    pub(super) fn document(self, runs: Vec<Run>, caption: &Caption<'_>) -> Document {
        let Cast { geometries, bodies, .. } = self;
        let options = caption.options;
        Document {
            format: "firsttouch-view",
            version: 1,
            title: caption.title.into(),
            command: caption.command.map(String::from),
            tolerance: options.map(|options| options.tolerance),
            min_separation: options.map(|options| options.min_separation).filter(|&least| least != 0.0),
            mode: options.map(|options| match options.mode {
                Mode::First => "first",
                Mode::Any => "any",
                Mode::All => "all",
            }),
            live: None,
            buffers: geometries.pack.buffers(),
            geometries: geometries.list,
            bodies,
            runs,
        }
    }

    fn push(&mut self, body: ShownBody) -> usize {
        self.bodies.push(body);
        self.bodies.len() - 1
    }

    /// Returns an answer with the indices of the bodies that show it; `corners` gives the corners of a feature in the
    /// world. In a path its times are those of a segment.
    pub(super) fn answer(
        &self,
        told: &Told,
        segment: Option<usize>,
        corners: impl Fn(usize, &Part, Feature, f64) -> Vec<DVec3>,
    ) -> ShownAnswer {
        let in_run = |t: f64| (segment.unwrap_or(0) as f64 + t) * self.duration;
        let [a, b] = [0, 1].map(|side| self.index(told.bodies?[side], told.links[side]));
        let marks = told.touch.as_ref().map(|touch| {
            [0, 1].map(|side| {
                let found = corners(touch.bodies[side], &touch.parts[side], touch.features[side], touch.toi);
                found.into_iter().map(plain).collect()
            })
        });
        ShownAnswer {
            answer: told.word,
            time: told.toi.map(in_run),
            toi: told.toi.filter(|_| segment.is_some()),
            segment: segment.filter(|_| told.word != word(&Answer::Free)),
            free_until: told.free_until.map(in_run),
            gap: told.gap.filter(|gap| gap.is_finite()),
            bodies: a.zip(b).map(|(a, b)| [a, b]),
            parts: told.parts.clone(),
            features: told.features.clone(),
            points: told.points.map(|points| points.map(plain)),
            normal: told.normal.map(plain),
            marks,
        }
    }
}

/// Returns the place of a rigid body.
fn place_at(motion: &Motion, t: f64) -> Place {
    let pose = motion.pose_at(t);
    Place::rigid(pose.translation, DQuat::from_mat3(&pose.rotation).normalize())
}

/// Returns the corners of a feature in the world, of something that is not a robot.
pub(super) fn body_corners(body: &Body, part: &Part, feature: Feature, t: f64) -> Vec<DVec3> {
    match body.kind() {
        BodyKind::Rigid { shape, motion } => placed_corners(shape, &motion.pose_at(t), part, feature),
        BodyKind::Deforming(tree) => deforming_corners(tree.mesh(), feature, t),
        _ => Vec::new(),
    }
}

/// Returns the corners of a feature of a shape at a place in the world.
pub(super) fn placed_corners(shape: &Shape, pose: &PoseAt, part: &Part, feature: Feature) -> Vec<DVec3> {
    corners(shape, part, feature).into_iter().map(|corner| pose.apply(corner)).collect()
}

/// Returns the corners of a feature of a link in the world.
pub(super) fn link_corners(
    motion: &RobotMotion<'_>,
    link: usize,
    part: &Part,
    feature: Feature,
    t: f64,
) -> Vec<DVec3> {
    let shape = match part {
        Part::Link { shape, .. } => *shape as usize,
        _ => 0,
    };
    let Some(piece) = motion.robot().links().get(link).and_then(|link| link.parts().get(shape)) else {
        return Vec::new();
    };
    let (inner, outer) = (piece.pose.at(), motion.link_pose(link, t));
    let found = corners(&piece.shape, part, feature).into_iter();
    found.map(|corner| outer.apply(inner.apply(corner))).collect()
}

/// Returns the number of spans between the samples of a rigid motion over a window of time.
pub(super) fn rigid_spans(motion: &Motion, window: [f64; 2]) -> usize {
    let rotation = |t: f64| DQuat::from_mat3(&motion.pose_at(t).rotation).normalize();
    match motion {
        Motion::Fixed(_) => 1,
        Motion::Linear(_) if rotation(0.0) == rotation(1.0) => 1,
        _ => spans(rotation, window, 0.0),
    }
}

/// Returns the number of spans between the samples of a robot over a window of time. No link turns further than all its
/// joints together; their sum is `way`.
pub(super) fn robot_spans(motion: &RobotMotion<'_>, way: f64, window: [f64; 2]) -> usize {
    let links = shown_links(motion.robot()).map(|link| {
        let rotation = |t: f64| DQuat::from_mat3(&motion.link_pose(link, t).rotation).normalize();
        spans(rotation, window, way * (window[1] - window[0]))
    });
    links.max().unwrap_or(1)
}

fn shown_links(robot: &Robot) -> impl Iterator<Item = usize> + '_ {
    (0..robot.links().len()).filter(|&link| !robot.links()[link].parts().is_empty())
}
