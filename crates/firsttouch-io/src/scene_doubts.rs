//! Warnings about a scene after it is built, about parts that are probably mistakes and can be checked.
//!
//! - A body that begins inside a closed mesh: a mesh is a surface, so the two are apart. The winding number of the mesh
//!   about one point of the body shows that it is inside. This number is the sum of the solid angles of the triangles
//!   over `4π`.
//! - A mesh or hull without a `scale` that is a hundred times larger than another body, or larger than a robot can be:
//!   millimetres among metres.
//!
//! No answer depends on these warnings. They are computed in plain f64, and only for a limited number of triangles.

use std::collections::HashSet;
use std::f64::consts::PI;

use firsttouch::motion::{PoseAt, RigidMotion};
use firsttouch::shape::{Mesh, Shape};
use firsttouch::{Body, Scene};
use glam::DVec3;

use crate::scene::{BodyFile, BodyKind, SceneFile, ShapeFile};

/// The largest numbers of triangles and of pairs of bodies that are examined. Beyond them a larger scene gets no such
/// warnings.
const MOST_TRIANGLES: usize = 20_000_000;
const MOST_MESHES: usize = 200;

/// Returns the line and the text of each warning.
pub(crate) fn doubts(file: &SceneFile, scene: &Scene) -> Vec<(usize, String)> {
    let mut found = within_meshes(file, scene);
    found.extend(millimetres(file, scene));
    found
}

fn line_of(file: &SceneFile, name: &str) -> usize {
    file.bodies.iter().find(|body| body.name == name).map_or(1, |body| body.line)
}

/// Returns the box around a body at time 0: its lowest and its highest corner.
fn world_box(shape: &Shape, at: &PoseAt) -> [DVec3; 2] {
    let (center, half) = shape.bounds();
    let center = at.apply(center);
    let rows = [0, 1, 2].map(|i| at.rotation.row(i).abs().dot(half));
    let half = DVec3::from_array(rows);
    [center - half, center + half]
}

fn within_meshes(file: &SceneFile, scene: &Scene) -> Vec<(usize, String)> {
    let placed = |body: &Body| {
        let (shape, motion) = body.as_rigid().filter(|(shape, _)| !shape.is_unbounded())?;
        let at = motion.pose_at(0.0);
        Some((body.name().to_string(), shape.clone(), at, world_box(shape, &at)))
    };
    let bodies: Vec<_> = scene.bodies().iter().filter_map(placed).collect();
    let allowed: HashSet<[&str; 2]> =
        file.allow.iter().flat_map(|[a, b]| [[&a[..], &b[..]], [&b[..], &a[..]]]).collect();
    let mut left = MOST_TRIANGLES;
    let mut found = Vec::new();
    let meshes = bodies.iter().filter(|(_, shape, ..)| matches!(shape, Shape::Mesh(_)));
    for (name, shape, at, [low, high]) in meshes.take(MOST_MESHES) {
        let Shape::Mesh(mesh) = shape else { continue };
        for (other, inner, inner_at, [inner_low, inner_high]) in &bodies {
            let is_in_box = low.cmplt(*inner_low).all() && inner_high.cmplt(*high).all();
            if other == name || !is_in_box || allowed.contains(&[&name[..], &other[..]]) {
                continue;
            }
            if mesh.triangles().len() > left {
                return found;
            }
            left -= mesh.triangles().len();
            let point = match inner {
                Shape::Mesh(mesh) => mesh.vertices()[mesh.triangles()[0][0] as usize],
                solid => solid.bounds().0,
            };
            if winding(mesh, at.to_body(inner_at.apply(point))).abs() > 0.5 {
                let text = format!(
                    "\"{other}\" begins inside of the mesh \"{name}\": a mesh is a surface, so the two are apart there and touch where \
                     \"{other}\" meets the surface; with `solid = true` its inside belongs to it"
                );
                found.push((line_of(file, other), text));
            }
        }
    }
    found
}

/// Returns how often a closed mesh winds around a point. The solid angle of a triangle follows Van Oosterom and
/// Strackee.
fn winding(mesh: &Mesh, point: DVec3) -> f64 {
    let angle = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|k| mesh.vertices()[k as usize] - point);
        let [la, lb, lc] = [a, b, c].map(DVec3::length);
        let over = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * a.dot(b.cross(c)).atan2(over)
    };
    mesh.triangles().iter().map(angle).sum::<f64>() / (4.0 * PI)
}

fn millimetres(file: &SceneFile, scene: &Scene) -> Vec<(usize, String)> {
    let size = |body: &Body| {
        body.as_rigid()
            .filter(|(shape, _)| !shape.is_unbounded())
            .map(|(shape, _)| 2.0 * shape.bounds().1.max_element())
    };
    let sizes: Vec<(&str, f64)> =
        scene.bodies().iter().filter_map(|body| Some((body.name(), size(body)?))).collect();
    let has_robot = file.bodies.iter().any(|body| matches!(body.kind, BodyKind::Robot { .. }));
    let unscaled = |body: &&BodyFile| match &body.kind {
        BodyKind::Rigid {
            shape:
                ShapeFile::Mesh { scale, .. } | ShapeFile::SolidMesh { scale, .. } | ShapeFile::Hull { scale, .. },
            ..
        } => *scale == DVec3::ONE,
        _ => false,
    };
    let mut found = Vec::new();
    for body in file.bodies.iter().filter(unscaled) {
        let Some((_, large)) = sizes.iter().find(|(name, _)| *name == body.name) else { continue };
        // In metres this would be a house; in millimetres it is something that a robot or a person handles.
        if !(50.0..=20_000.0).contains(large) {
            continue;
        }
        let small = sizes.iter().find(|(_, small)| (0.005..=5.0).contains(small) && small * 100.0 <= *large);
        let beside = match small {
            Some((name, small)) => format!("\"{name}\", which is {small:.3} across"),
            None if has_robot => "a robot, whose file is in metres".into(),
            None => continue,
        };
        let text = format!(
            "\"{}\" is {large:.0} across, beside {beside}: if its file is in millimetres, add `scale = 0.001`",
            body.name
        );
        found.push((body.line, text));
    }
    found
}
