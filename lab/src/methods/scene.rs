//! CONTACT and the algebra of ellipsoids on the pairs of a scene.
//!
//! CONTACT knows two poses of a pair and chooses the motion in between (Sec. 2): the contact screw of the first body in
//! the frame of the second. The product also gets this motion, also if the scene has another one. The algebra takes
//! the motions as they are, and only rational ones.
//!
//! References: Redon, Kheddar, Coquillart 2001; Choi, Chang, Wang, Kim, Elber 2009.

use std::path::Path;
use std::sync::Arc;

use firsttouch::ellipsoid::{EllipsoidMotion, Equation, FirstContact, overlaps};
use firsttouch::motion::{ContactScrew, Motion, Pose, RigidMotion};
use firsttouch::pair::TreeStats;
use firsttouch::shape::{Ellipsoid, Mesh, Shape};
use firsttouch::{Body, BodyKind, Options, Scene, ScrewPair, ScrewPairOptions, Start};
use firsttouch_io::{build_scene_with_warnings, read_scene, surface};
use glam::{DQuat, DVec3};

use super::{Comparison, Decided, Outcome, Result, Row, judge, shortest};

/// A scene and its options.
#[derive(Debug)]
pub struct SceneInput {
    scene: Scene,
    options: Options,
    warnings: Vec<String>,
}

impl SceneInput {
    /// Reads the scene.
    pub fn read(path: &Path) -> Result<SceneInput> {
        let file = read_scene(path)?;
        let options = file.options();
        if options.start != Start::Report {
            let what = "the papers' methods report contacts at the start: remove the key `start`";
            return Err(format!("{}: {what}", path.display()).into());
        }
        let (scene, warnings) = build_scene_with_warnings(&file, path)?;
        Ok(SceneInput { scene, options, warnings: warnings.iter().map(ToString::to_string).collect() })
    }

    /// Returns the pairs that the scene does not allow to touch and of which at least one body moves, each with its
    /// minimum separation.
    fn pairs(&self) -> Vec<([&Body; 2], Options)> {
        let (bodies, allowed) = (self.scene.bodies(), self.scene.allowed_pairs());
        let rests = |body: &Body| matches!(body.as_rigid(), Some((_, Motion::Fixed(_))));
        let separations = self.scene.separations();
        let mut pairs = Vec::new();
        for i in 0..bodies.len() {
            for j in i + 1..bodies.len() {
                let is_at_rest = rests(&bodies[i]) && rests(&bodies[j]);
                if !is_at_rest && !allowed.contains(&[i, j]) {
                    let own = separations.iter().find(|(pair, _)| *pair == [i, j]);
                    let min_separation = own.map_or(self.options.min_separation, |(_, own)| *own);
                    pairs.push(([&bodies[i], &bodies[j]], Options { min_separation, ..self.options }));
                }
            }
        }
        pairs
    }

    /// Runs CONTACT: sphere trees and the cubics of a contact screw.
    pub(super) fn contact(&self, out: &mut Comparison) -> Result<()> {
        out.notes.extend(self.warnings.iter().cloned());
        let mut is_replaced = false;
        let before = out.rows.len();
        for ([a, b], options) in self.pairs() {
            let named = format!("{} and {}", a.name(), b.name());
            let sides = [a, b].map(|body| {
                let Some((shape, motion)) = body.as_rigid() else {
                    return Err(
                        format!("\"{}\" ({}) is not a rigid body", body.name(), body.kind_name()).into()
                    );
                };
                let ends = [0.0, options.t_max].map(|t| motion.pose_at(t));
                let [from, to] = ends.map(|at| Pose::new(at.translation, DQuat::from_mat3(&at.rotation)));
                meshed(body.name(), shape).and_then(|(mesh, is_new)| Ok((mesh, is_new, [from?, to?])))
            });
            let [(mesh_a, new_a, ends_a), (mesh_b, new_b, ends_b)] = match sides {
                [Ok(a), Ok(b)] => [a, b],
                [Err(why), _] | [_, Err(why)] => {
                    let why: super::Failure = why;
                    out.leave_out(format!("contact: {why}"));
                    continue;
                }
            };
            is_replaced |= new_a || new_b;
            let (Shape::Mesh(first), Shape::Mesh(second)) = (&mesh_a, &mesh_b) else { continue };
            let options = Options { t_max: 1.0, ..options };
            let screw = ContactScrew::relative(ends_a, ends_b)?;
            let pair = ScrewPair::new(Arc::clone(first), Arc::clone(second), ScrewPairOptions::default())?;
            let run = || {
                let mut work = TreeStats::default();
                pair.check_counting(&screw, Pose::IDENTITY, &options, &mut work).map(|answer| (answer, work))
            };
            let (found, micros) = shortest(run);
            let (answer, work) = found?;
            let tests = work.contact;
            let counts = format!(
                "spheres {}, primitives {}",
                tests.sphere_sphere,
                tests.total() - tests.sphere_sphere
            );
            let paper = Decided { outcome: Outcome::from(&answer), micros, counts };
            let bodies = [
                Body::new(a.name(), mesh_a.clone(), Motion::ContactScrew(screw)),
                Body::new(b.name(), mesh_b.clone(), Motion::AT_REST),
            ];
            out.rows.push(row("contact", named, paper, bodies, &options)?);
        }
        if is_replaced {
            out.notes.push("contact: solids are replaced by meshes of their surfaces, for both sides".into());
        }
        if out.rows.len() > before {
            out.notes.push(
                "contact: each pair moves on the contact screw between its first and last relative poses, for both sides, whatever motion the \
                 scene gives"
                    .into(),
            );
            return Ok(());
        }
        Err("no pair of rigid bodies with surfaces".into())
    }

    /// Runs the algebra: the first contact and all intervals by the equation of a pair, without balls or separating
    /// directions before it.
    pub(super) fn ellipsoids(&self, out: &mut Comparison) -> Result<()> {
        let before = out.rows.len();
        for ([a, b], options) in self.pairs() {
            let named = format!("{} and {}", a.name(), b.name());
            let shapes = [a, b].map(ellipsoid_of);
            let motions =
                [(a, &shapes[0]), (b, &shapes[1])].map(|(body, shape)| match (body.kind(), shape) {
                    (BodyKind::Affine(changing), _) => Some(changing.motion()),
                    (BodyKind::Rigid { motion, .. }, Some(shape)) => {
                        Some(EllipsoidMotion::Rigid(shape, motion))
                    }
                    _ => None,
                });
            let [Some(first), Some(second)] = motions else {
                let other = if motions[0].is_none() { a } else { b };
                let what = format!("\"{}\" ({}) is not an ellipsoid", other.name(), other.kind_name());
                out.leave_out(format!("ellipsoids: {what}"));
                continue;
            };
            // Its refusals name, in words, what algebra cannot answer.
            if let Err(why) = overlaps(first, second, &options) {
                let way = "`rational` motions and `interpolant` are what it takes";
                out.leave_out(format!("ellipsoids, {named}: {why}; {way}"));
                continue;
            }
            let run = || -> firsttouch::Result<_> {
                let equation = Equation::new(&first.track()?, &second.track()?);
                let contact = equation.first_contact(options.t_max);
                Ok((contact, equation.degree(), overlaps(first, second, &options)?.len()))
            };
            let (found, micros) = shortest(run);
            let (contact, degree, intervals) = found?;
            let outcome = match contact {
                FirstContact::None => Outcome::Free,
                FirstContact::At { t, .. } => Outcome::Touch(t),
            };
            let counts = format!("degree {degree}, intervals {intervals}");
            let paper = Decided { outcome, micros, counts };
            out.rows.push(row("ellipsoids", named, paper, [a.clone(), b.clone()], &options)?);
        }
        if out.rows.len() > before { Ok(()) } else { Err("no pair of ellipsoids in rational motions".into()) }
    }
}

/// Returns the product's answer about two bodies, beside the paper's.
fn row(
    method: &'static str,
    input: String,
    paper: Decided,
    bodies: [Body; 2],
    options: &Options,
) -> Result<Row> {
    let mut scene = Scene::default();
    scene.leave_out_resting(false);
    for body in bodies {
        scene.add(body)?;
    }
    let (report, micros) = shortest(|| scene.check(options));
    let report = report?;
    let outcome = Outcome::from(&report.answer);
    let agreement = judge([paper.outcome, outcome], options, |options| {
        Ok(scene.check(options)?.answer.free_until(options.t_max))
    })?;
    let work = report.stats;
    let counts =
        format!("volumes {}, pieces {}, steps {}", work.volume_pairs, work.piece_pairs, work.iterations);
    Ok(Row { method, input, paper, product: Decided { outcome, micros, counts }, agreement })
}

fn ellipsoid_of(body: &Body) -> Option<Ellipsoid> {
    match body.as_rigid()?.0 {
        Shape::Ellipsoid(shape) => Some(*shape),
        Shape::Sphere(ball) => Ellipsoid::new(DVec3::splat(ball.radius())).ok(),
        _ => None,
    }
}

/// Returns a mesh for a shape: its own, or that of its surface, and true if it is new. Returns an error for a shape
/// without a surface of triangles.
pub(super) fn meshed(name: &str, shape: &Shape) -> Result<(Shape, bool)> {
    match shape {
        Shape::Mesh(_) => Ok((shape.clone(), false)),
        Shape::HalfSpace(_) | Shape::PointCloud(_) | Shape::Octree(_) | Shape::Custom(_) => {
            Err(format!("\"{name}\" ({}) has no surface of triangles: give a mesh or a box", shape.kind())
                .into())
        }
        _ => {
            let soup = surface(shape);
            Ok((Mesh::new(soup.positions, soup.triangles)?.into(), true))
        }
    }
}
