//! Writes a motion and its touch as files that other programs open: OBJ at one instant, GLB with the animation.
//!
//! A [`Stage`] has one actor per body, or per link of a robot: its surface, and its places at sampled times. The time
//! of the touch is one of the samples, so the OBJ file and the animation show the touch as it was found. A small
//! octahedron marks it.

mod glb;
mod surface;

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use firsttouch::articulated::{Checker, RobotMotion, RobotStep, Trajectory};
use firsttouch::deformable::Deformable;
use firsttouch::motion::{Motion, PoseAt, RigidMotion};
use firsttouch::{Answer, Body, BodyKind, Scene, Touch};
use glam::{DMat3, DVec3};

use crate::MeshData;
use crate::error::{Result, printable};
pub use surface::surface;
use surface::{append, unit_ball};

/// Samples of each segment of time.
const SAMPLES: usize = 240;

/// The radius of the mark, as a part of the size of the stage.
const MARK: f64 = 0.01;

/// Bodies with their surfaces and motions, and the touch.
///
/// ```
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Cuboid;
/// use firsttouch::{Body, Options, Scene};
/// use glam::DVec3;
/// let at = |x: f64| Pose::from_translation(DVec3::X * x);
/// let mut scene = Scene::default();
/// scene.add(Body::new("wall", Cuboid::new(DVec3::ONE)?, Motion::AT_REST))?;
/// scene.add(Body::new("box", Cuboid::new(DVec3::ONE)?, Motion::linear(at(5.0)?, at(-3.0)?)))?;
/// let answer = scene.check(&Options::default())?.answer;
/// let stage = firsttouch_io::Stage::of_scene(&scene, &answer, 1.0);
/// let mut obj = Vec::new();
/// stage.write_obj(&mut obj)?;
/// let obj = String::from_utf8(obj)?;
/// let objects: Vec<&str> = obj.lines().filter_map(|line| line.strip_prefix("o ")).collect();
/// assert_eq!(objects, ["wall", "box", "touch"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Stage {
    actors: Vec<Actor>,
    /// The samples, in the time of the answer; in a path, segment `k` lasts from `k` to `k + 1`.
    times: Vec<f64>,
    /// The duration of a unit of time in an animation.
    seconds: f64,
    /// The sample that is shown at rest: the touch, or else the last.
    shown: usize,
    touch: Option<DVec3>,
}

#[derive(Debug, Clone)]
struct Actor {
    name: String,
    surface: MeshData,
    animation: Animation,
}

/// The places of a surface's vertices at each of the times.
#[derive(Debug, Clone)]
enum Animation {
    Rigid(Vec<PoseAt>),
    /// The surface is the unit ball; these are its images.
    Affine(Vec<(DMat3, DVec3)>),
    /// Vertices move on straight lines from the surface to these positions, which they reach at time 1.
    Deforming(Vec<DVec3>),
}

/// A moment that is sampled: a segment of a path, and the time within it.
#[derive(Debug, Clone, Copy)]
struct Moment {
    segment: usize,
    t: f64,
}

impl Stage {
    /// Sets the number of seconds that a unit of time takes in an animation.
    #[must_use]
    pub fn over(self, seconds: f64) -> Stage {
        Stage { seconds, ..self }
    }

    /// Returns the stage of the bodies of a scene until `t_max`, with its answer.
    pub fn of_scene(scene: &Scene, answer: &Answer, t_max: f64) -> Stage {
        // Each segment of a robot's path has `SAMPLES` samples.
        let segments = scene.bodies().iter().map(|body| match body.kind() {
            BodyKind::RobotPath(path) => path.trajectory().segments(),
            _ => 1,
        });
        let samples = SAMPLES * segments.max().unwrap_or(1);
        let (mut stage, moments) = Stage::sampled(1, samples, t_max, answer, None);
        let mut attached: HashMap<(usize, usize), &str> = HashMap::new();
        for body in scene.bodies() {
            if let BodyKind::Attached { robot, link } = body.kind() {
                attached.insert((*robot, *link), body.name());
            }
        }
        for (index, body) in scene.bodies().iter().enumerate() {
            let name_of = |link: usize| attached.get(&(index, link)).map(|name| name.to_string());
            match body.kind() {
                BodyKind::Robot(step) => {
                    stage.add_robot(body.name(), &[step.motion()], &moments, name_of);
                }
                BodyKind::RobotPath(path) => {
                    // The constructor has built every segment.
                    let steps: Vec<RobotStep> =
                        (0..path.trajectory().segments()).filter_map(|k| path.step(k).ok()).collect();
                    let motions: Vec<RobotMotion<'_>> = steps.iter().map(RobotStep::motion).collect();
                    let own = moments.iter().map(|moment| {
                        let (segment, t) = path.segment_at(moment.t);
                        Moment { segment, t }
                    });
                    stage.add_robot(body.name(), &motions, &own.collect::<Vec<_>>(), name_of);
                }
                BodyKind::Rigid { shape, .. }
                    if scene.grasps().any(|(_, grasp)| grasp.body == body.name()) =>
                {
                    let poses = moments.iter().filter_map(|moment| scene.pose_at(index, moment.t));
                    let animation = Animation::Rigid(poses.collect());
                    stage.actors.push(Actor { name: body.name().into(), surface: surface(shape), animation });
                }
                _ => stage.add(body, &moments),
            }
        }
        stage
    }

    /// Returns the stage of a robot and its obstacles along one path, with its answer and the segment that the answer
    /// is about. Obstacles that move begin again with each segment.
    pub fn of_path(
        checker: &Checker,
        path: &[Vec<f64>],
        answer: &Answer,
        segment: Option<usize>,
    ) -> firsttouch::Result<Stage> {
        let robot = checker.robot();
        let ends = path.windows(2).map(|ends| RobotMotion::new(robot, checker.base(), &ends[0], &ends[1]));
        let segments = ends.collect::<firsttouch::Result<Vec<_>>>()?;
        let (mut stage, moments) = Stage::sampled(segments.len(), SAMPLES, 1.0, answer, segment);
        let name = if robot.name().is_empty() { "robot" } else { robot.name() };
        stage.add_robot(name, &segments, &moments, |_| None);
        for obstacle in checker.obstacles() {
            stage.add(obstacle, &moments);
        }
        Ok(stage)
    }

    /// Returns the stage of a robot and its obstacles along a trajectory, on one clock, with its answer and the segment
    /// that the answer is about.
    pub fn of_trajectory(
        checker: &Checker,
        trajectory: &Trajectory,
        answer: &Answer,
        segment: Option<usize>,
    ) -> firsttouch::Result<Stage> {
        let robot = checker.robot();
        let steps = (0..trajectory.segments()).map(|k| trajectory.step(robot.clone(), checker.base(), k));
        let steps = steps.collect::<firsttouch::Result<Vec<RobotStep>>>()?;
        let segments: Vec<RobotMotion<'_>> = steps.iter().map(RobotStep::motion).collect();
        let (mut stage, moments) = Stage::sampled(segments.len(), SAMPLES, 1.0, answer, segment);
        let name = if robot.name().is_empty() { "robot" } else { robot.name() };
        stage.add_robot(name, &segments, &moments, |_| None);
        let on_clock = |moment: &Moment| {
            let [start, end] = trajectory.span(moment.segment);
            Moment { segment: moment.segment, t: start + (end - start) * moment.t }
        };
        let moments: Vec<Moment> = moments.iter().map(on_clock).collect();
        for obstacle in checker.obstacles() {
            stage.add(obstacle, &moments);
        }
        Ok(stage)
    }

    /// Returns the stage of a deforming mesh until `t_max`, with its answer.
    pub fn of_frames(name: &str, mesh: &Deformable, answer: &Answer, t_max: f64) -> Stage {
        let (mut stage, _) = Stage::sampled(1, SAMPLES, t_max, answer, None);
        stage.add_deforming(name, mesh);
        stage
    }

    /// Returns an empty stage, and the moments at which everything is sampled.
    fn sampled(
        segments: usize,
        samples: usize,
        t_max: f64,
        answer: &Answer,
        segment: Option<usize>,
    ) -> (Stage, Vec<Moment>) {
        let mut moments = Vec::with_capacity(segments * samples + 2);
        moments.push(Moment { segment: 0, t: 0.0 });
        for segment in 0..segments {
            moments.extend((1..=samples).map(|k| Moment { segment, t: t_max * (k as f64 / samples as f64) }));
        }
        let time = |moment: &Moment| moment.segment as f64 + moment.t;
        let touch: Option<&Touch> = answer.touch();
        let shown = match touch {
            None => moments.len() - 1,
            Some(touch) => {
                let found = Moment { segment: segment.unwrap_or(0), t: touch.toi };
                // Times are written as f32, and no two may be equal there: the touch replaces the other sample.
                let same = |moment: &Moment| time(moment) as f32 == time(&found) as f32;
                moments.retain(|moment| !same(moment));
                let place = moments.partition_point(|moment| time(moment) < time(&found));
                moments.insert(place, found);
                place
            }
        };
        let times = moments.iter().map(time).collect();
        let touch = touch.map(|touch| 0.5 * (touch.points[0] + touch.points[1]));
        (Stage { actors: Vec::new(), times, seconds: 1.0, shown, touch }, moments)
    }

    fn add(&mut self, body: &Body, moments: &[Moment]) {
        let (surface, animation) = match body.kind() {
            BodyKind::Rigid { shape, motion: motion @ Motion::Fixed(_) } => {
                (surface(shape), Animation::Rigid(vec![motion.pose_at(0.0)]))
            }
            BodyKind::Rigid { shape, motion } => {
                let poses = moments.iter().map(|moment| motion.pose_at(moment.t));
                (surface(shape), Animation::Rigid(poses.collect()))
            }
            BodyKind::Affine(ellipsoid) => {
                let images = moments.iter().map(|moment| ellipsoid.at(moment.t));
                (unit_ball(), Animation::Affine(images.collect()))
            }
            BodyKind::Deforming(tree) => return self.add_deforming(body.name(), tree.mesh()),
            // Robots are added link by link, with the bodies attached to them.
            _ => return,
        };
        self.actors.push(Actor { name: body.name().into(), surface, animation });
    }

    fn add_deforming(&mut self, name: &str, mesh: &Deformable) {
        let surface = MeshData {
            positions: mesh.frame(0).to_vec(),
            triangles: mesh.triangles().to_vec(),
            ..MeshData::default()
        };
        let animation = Animation::Deforming(mesh.frame(1).to_vec());
        self.actors.push(Actor { name: name.into(), surface, animation });
    }

    fn add_robot(
        &mut self,
        name: &str,
        segments: &[RobotMotion<'_>],
        moments: &[Moment],
        attached: impl Fn(usize) -> Option<String>,
    ) {
        let Some(first) = segments.first() else { return };
        for (index, link) in first.robot().links().iter().enumerate() {
            let mut whole = MeshData::default();
            for part in link.parts() {
                let pose = part.pose.at();
                append(&mut whole, &surface(&part.shape), |v| pose.apply(v));
            }
            if whole.positions.is_empty() {
                continue;
            }
            let poses = moments.iter().map(|moment| segments[moment.segment].link_pose(index, moment.t));
            self.actors.push(Actor {
                name: attached(index).unwrap_or_else(|| format!("{name}/{}", link.name())),
                surface: whole,
                animation: Animation::Rigid(poses.collect()),
            });
        }
    }

    /// Writes all bodies at the touch, or at the end if there is none, as one OBJ file with an object per body. The
    /// object `touch` marks the point.
    pub fn write_obj(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let mut first = 1;
        let marked = self.mark().map(|mark| ("touch".to_string(), mark));
        let bodies =
            self.actors.iter().map(|actor| (actor.name.clone(), actor.placed(self.shown, &self.times)));
        for (name, mesh) in bodies.chain(marked) {
            writeln!(out, "o {}", printable(&name))?;
            for p in &mesh.positions {
                writeln!(out, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
            }
            for [a, b, c] in mesh.triangles.iter().map(|ids| ids.map(|i| first + u64::from(i))) {
                writeln!(out, "f {a} {b} {c}")?;
            }
            first += mesh.positions.len() as u64;
        }
        Ok(())
    }

    /// Writes the animation as binary glTF, one second for each unit of time. The mark appears at the touch.
    pub fn write_glb(&self, out: &mut dyn Write) -> std::io::Result<()> {
        glb::write(self, out)
    }

    /// Writes `NAME.obj` and `NAME.glb` into a folder.
    pub fn save(&self, folder: &Path, name: &str) -> Result<()> {
        crate::save(&folder.join(format!("{name}.obj")), |out| self.write_obj(out))?;
        crate::save(&folder.join(format!("{name}.glb")), |out| self.write_glb(out))
    }

    /// Returns a small octahedron at the touch.
    fn mark(&self) -> Option<MeshData> {
        let center = self.touch?;
        let all = self.actors.iter().flat_map(|actor| actor.placed(self.shown, &self.times).positions);
        let (low, high) = all.fold((center, center), |(low, high), v| (low.min(v), high.max(v)));
        let radius = MARK * (high - low).length();
        let positions = DVec3::AXES.iter().flat_map(|&axis| [center + radius * axis, center - radius * axis]);
        let triangles = (0..8).map(|k: u32| {
            let [x, y, z] = [k & 1, 2 + (k >> 1 & 1), 4 + (k >> 2)];
            if k.count_ones().is_multiple_of(2) { [x, y, z] } else { [y, x, z] }
        });
        Some(MeshData {
            positions: positions.collect(),
            triangles: triangles.collect(),
            ..MeshData::default()
        })
    }
}

impl Actor {
    /// Returns the surface at a sample.
    fn placed(&self, sample: usize, times: &[f64]) -> MeshData {
        let mut mesh = self.surface.clone();
        match &self.animation {
            Animation::Rigid(poses) => {
                let pose = poses.get(sample).unwrap_or(&poses[0]);
                mesh.positions.iter_mut().for_each(|v| *v = pose.apply(*v));
            }
            Animation::Affine(images) => {
                let (matrix, center) = images[sample];
                mesh.positions.iter_mut().for_each(|v| *v = matrix * *v + center);
            }
            Animation::Deforming(to) => {
                let t = times[sample];
                mesh.positions.iter_mut().zip(to).for_each(|(v, to)| *v = v.lerp(*to, t));
            }
        }
        mesh
    }
}
