//! A scene as a document: what `firsttouch check` answers, shown.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use firsttouch::articulated::{RobotMotion, RobotPath, RobotStep};
use firsttouch::ellipsoid::{Overlap, OverlapKind};
use firsttouch::motion::{Motion, RigidMotion};
use firsttouch::{Answer, BodyKind, Mode, Options, PairReport, Scene, Stats};
use firsttouch_io::{BodyKind as FileKind, Files, RobotVisuals, SceneFile, ShapeFile};
use glam::DVec3;

use super::cast::{Cast, Shown, body_corners, link_corners, placed_corners, rigid_spans, robot_spans};
use super::document::{Run, ShownAnswer, ShownMotion, ShownOverlap, ShownPair};
use super::motion::{Moment, Track, moments};
use super::questions::{scene_clearance, shown_contacts};
use super::{Made, document, robot_files};
use crate::args::QuestionArgs;
use crate::output::{Failure, complain};

/// More pairs than these are not listed; the totals count them all.
const MOST_PAIRS: usize = 2000;
/// So many of them have all their times of overlap, which take longer to find than the first touch: as many as the page opens with.
const MOST_OVERLAPS: usize = 200;

/// The document of a scene file, with the files that it is made of.
pub(crate) fn of_file(
    files: &Files,
    file: &SceneFile,
    path: &Path,
    options: &Options,
    questions: QuestionArgs,
    title: &str,
    command: &str,
) -> Result<Made, Failure> {
    let (mut scene, warnings) = files.build_scene(file, path)?;
    firsttouch_io::leave_out_resting(&mut scene);
    for warning in warnings {
        complain(&format!("warning: {warning}"));
    }
    let mut watched = vec![path.to_path_buf()];
    let mut visuals: HashMap<&str, RobotVisuals> = HashMap::new();
    for body in &file.bodies {
        match &body.kind {
            FileKind::Rigid { shape, .. } | FileKind::Attached { shape, .. } => {
                watched.extend(files_of(shape));
            }
            FileKind::Deformable { from, to } => watched.extend([from.clone(), to.clone()]),
            FileKind::Robot { urdf, srdf, path, .. } => {
                watched.extend(srdf.clone());
                watched.extend(path.as_ref().map(|path| path.file.clone()));
                visuals.insert(&body.name, robot_files(files, urdf, &mut watched)?);
            }
        }
    }
    let shown = Asked { duration: file.duration.unwrap_or(1.0), questions };
    let mut made = of_scene(&scene, &visuals, options, &shown, title, command)?;
    made.watched = watched;
    Ok(made)
}

/// The files of a shape.
fn files_of(shape: &ShapeFile) -> Vec<PathBuf> {
    match shape {
        ShapeFile::Mesh { path, .. }
        | ShapeFile::Hull { path, .. }
        | ShapeFile::SolidMesh { path, .. }
        | ShapeFile::Points { path, .. }
        | ShapeFile::Octree { path }
        | ShapeFile::HeightField { path, .. } => vec![path.clone()],
        ShapeFile::Compound { pieces } => pieces.iter().flat_map(|(shape, _)| files_of(shape)).collect(),
        ShapeFile::Cover { shape, .. } => files_of(shape),
        _ => Vec::new(),
    }
}

/// What is shown besides the answer, and on which clock.
pub(crate) struct Asked {
    /// How long the time from 0 to 1 is.
    pub(crate) duration: f64,
    pub(crate) questions: QuestionArgs,
}

/// The document of a scene.
pub(crate) fn of_scene(
    scene: &Scene,
    visuals: &HashMap<&str, RobotVisuals>,
    options: &Options,
    asked: &Asked,
    title: &str,
    command: &str,
) -> Result<Made, Failure> {
    let report = scene.check(options)?;
    let mut cast = cast(scene, visuals, asked.duration);
    let corners = |body: usize, part: &firsttouch::Part, feature, t| {
        let bodies = scene.bodies();
        match bodies[body].kind() {
            BodyKind::Robot(step) => part
                .link()
                .map(|link| link_corners(&step.motion(), link, part, feature, t))
                .unwrap_or_default(),
            BodyKind::RobotPath(path) => {
                part.link().map(|link| path_corners(path, link, part, feature, t)).unwrap_or_default()
            }
            BodyKind::Attached { robot, link } => match bodies[*robot].kind() {
                BodyKind::Robot(step) => link_corners(&step.motion(), *link, part, feature, t),
                BodyKind::RobotPath(path) => path_corners(path, *link, part, feature, t),
                _ => Vec::new(),
            },
            // A robot may carry it.
            BodyKind::Rigid { shape, .. } => scene
                .pose_at(body, t)
                .map(|pose| placed_corners(shape, &pose, part, feature))
                .unwrap_or_default(),
            _ => body_corners(&bodies[body], part, feature, t),
        }
    };
    let answer = cast.answer(&report.answer, None, scene, corners);
    let pairs = match options.mode {
        Mode::All => Some(shown_pairs(scene, &report.pairs, options, asked.duration, &|pair| {
            cast.answer(&pair.answer, None, scene, corners)
        })?),
        _ => None,
    };
    let motions = motions(scene, &mut cast, &report.answer, &report.pairs, options.t_max);
    let clearance = match asked.questions.clearance {
        true => scene_clearance(scene, &cast, options)?,
        false => None,
    };
    let contacts = match (asked.questions.contacts, report.answer.touch()) {
        (true, Some(touch)) => Some(shown_contacts(&scene.contacts(touch.toi, options)?)),
        _ => None,
    };
    let run = Run {
        duration: options.t_max * asked.duration,
        answer,
        pairs,
        clearance,
        contacts,
        stats: stats(report.stats),
        motions,
        ..Run::default()
    };
    let answer = report.answer.over(asked.duration);
    Ok(Made {
        document: document(cast, vec![run], options, title, command)?,
        watched: Vec::new(),
        answers: vec![answer],
    })
}

/// The rows of the timeline, with all times of overlap for the first of them.
fn shown_pairs(
    scene: &Scene,
    pairs: &[PairReport],
    options: &Options,
    duration: f64,
    answer: &dyn Fn(&PairReport) -> ShownAnswer,
) -> Result<Vec<ShownPair>, Failure> {
    let mut shown = Vec::new();
    for (row, pair) in pairs.iter().take(MOST_PAIRS).enumerate() {
        let answer = answer(pair);
        // Without bodies there is no row.
        if answer.bodies.is_none() {
            continue;
        }
        let overlaps = match &pair.overlaps {
            Some(overlaps) => Some(overlaps.clone()),
            None if row < MOST_OVERLAPS => {
                let [a, b] = pair.bodies.map(|i| scene.bodies()[i].name());
                Some(scene.overlaps(a, b, options)?)
            }
            None => None,
        };
        shown.push(ShownPair {
            answer,
            overlaps: overlaps.map(|overlaps| {
                overlaps.iter().map(|overlap| ShownOverlap::new(overlap, duration)).collect()
            }),
        });
    }
    Ok(shown)
}

impl ShownOverlap {
    fn new(overlap: &Overlap, duration: f64) -> ShownOverlap {
        ShownOverlap {
            from: overlap.start[0] * duration,
            to: overlap.end[1] * duration,
            certain: overlap.kind == OverlapKind::Overlap,
        }
    }
}

fn cast(scene: &Scene, visuals: &HashMap<&str, RobotVisuals>, duration: f64) -> Cast {
    let mut cast = Cast::new(duration);
    let none = RobotVisuals::default();
    let mut held: HashMap<usize, HashMap<usize, &str>> = HashMap::new();
    for body in scene.bodies() {
        if let BodyKind::Attached { robot, link } = body.kind() {
            held.entry(*robot).or_default().insert(*link, body.name());
        }
    }
    let mut attached = HashMap::new();
    for (index, body) in scene.bodies().iter().enumerate() {
        let first_step = match body.kind() {
            BodyKind::Robot(step) => Some(RobotStep::clone(step)),
            BodyKind::RobotPath(path) => path.step(0).ok(),
            _ => None,
        };
        let shown = match (first_step, body.kind()) {
            (Some(step), _) => {
                let held = held.remove(&index).unwrap_or_default();
                let visuals = visuals.get(body.name()).unwrap_or(&none);
                let links = cast.add_robot(body.name(), &step.motion(), visuals, &held);
                for &link in held.keys() {
                    attached.insert((index, link), links[link]);
                }
                Shown::Links(links)
            }
            // A robot comes before what it holds.
            (None, BodyKind::Attached { robot, link }) => {
                Shown::Links(vec![attached.get(&(*robot, *link)).copied().flatten()])
            }
            _ => Shown::One(cast.add(body, true)),
        };
        cast.shown.push(shown);
    }
    cast
}

/// The motion of every body, with a sample at the answer and at each touch of its own.
fn motions(
    scene: &Scene,
    cast: &mut Cast,
    answer: &Answer,
    pairs: &[PairReport],
    t_max: f64,
) -> Vec<ShownMotion> {
    let first = answer.touch().map(|touch| touch.toi);
    let mut exact: Vec<Vec<f64>> = vec![first.into_iter().collect(); scene.bodies().len()];
    for pair in pairs.iter().take(MOST_PAIRS) {
        let Some(touch) = pair.answer.touch() else { continue };
        for body in pair.bodies {
            exact[body].push(touch.toi);
        }
    }
    // What a robot holds moves with it.
    for (index, body) in scene.bodies().iter().enumerate() {
        if let BodyKind::Attached { robot, .. } = body.kind() {
            let times = exact[index].clone();
            exact[*robot].extend(times);
        }
    }
    let mut list = Vec::new();
    for (place, (body, (shown, mut exact))) in
        scene.bodies().iter().zip(cast.shown.iter().zip(exact)).enumerate()
    {
        exact.sort_by(f64::total_cmp);
        exact.dedup();
        let pack = &mut cast.geometries.pack;
        let duration = cast.duration;
        match (body.kind(), shown) {
            // What a robot takes up on its path moves with it for a while.
            (BodyKind::Rigid { motion, .. }, Shown::One(index))
                if !carriers(scene, body.name()).is_empty() =>
            {
                let carriers = carriers(scene, body.name());
                let mut times: Vec<f64> =
                    carriers.iter().flat_map(|path| times_along(path, t_max, &exact)).collect();
                times.sort_by(f64::total_cmp);
                let mut track = Track::default();
                for &time in &times {
                    let pose = scene.pose_at(place, time).unwrap_or_else(|| motion.pose_at(time));
                    track.rigid(pose.translation, pose.rotation);
                }
                let times = pack.f64(times.into_iter().map(|time| time * duration));
                list.extend(track.shown(*index, times, pack));
            }
            (BodyKind::Rigid { motion, .. }, Shown::One(index)) => {
                let moments = rigid_moments(motion, t_max, &exact);
                let mut track = Track::default();
                for moment in &moments {
                    let pose = motion.pose_at(moment.t);
                    track.rigid(pose.translation, pose.rotation);
                }
                let times = pack.f64(moments.iter().map(|moment| moment.time * duration));
                list.extend(track.shown(*index, times, pack));
            }
            (BodyKind::Affine(ellipsoid), Shown::One(index)) => {
                let moments = moments(0, [0.0, t_max], 32, &exact);
                let mut track = Track::default();
                for moment in &moments {
                    let (matrix, center) = ellipsoid.at(moment.t);
                    track.affine(center, matrix);
                }
                let times = pack.f64(moments.iter().map(|moment| moment.time * duration));
                list.extend(track.shown(*index, times, pack));
            }
            (BodyKind::Robot(step), Shown::Links(links)) => {
                let motion = step.motion();
                let spans = robot_spans(&motion, joint_way(step), [0.0, t_max]);
                let moments = moments(0, [0.0, t_max], spans, &exact);
                let times = pack.f64(moments.iter().map(|moment| moment.time * duration));
                for (link, index) in links.iter().enumerate() {
                    let Some(index) = index else { continue };
                    let mut track = Track::default();
                    for moment in &moments {
                        let pose = motion.link_pose(link, moment.t);
                        track.rigid(pose.translation, pose.rotation);
                    }
                    list.extend(track.shown(*index, times, pack));
                }
            }
            (BodyKind::RobotPath(path), Shown::Links(links)) => {
                let steps: Vec<RobotStep> =
                    (0..path.trajectory().segments()).filter_map(|k| path.step(k).ok()).collect();
                let segments: Vec<RobotMotion<'_>> = steps.iter().map(RobotStep::motion).collect();
                let moments = path_moments(path, &steps, &segments, t_max, &exact);
                let times = pack.f64(moments.iter().map(|moment| moment.time * duration));
                for (link, index) in links.iter().enumerate() {
                    let Some(index) = index else { continue };
                    let mut track = Track::default();
                    for moment in &moments {
                        let pose = segments[moment.segment].link_pose(link, moment.t);
                        track.rigid(pose.translation, pose.rotation);
                    }
                    list.extend(track.shown(*index, times, pack));
                }
            }
            // A deforming mesh has its frames; what is held is a link of its robot.
            _ => {}
        }
    }
    list
}

/// The paths of the robots that take up a body, each once.
fn carriers<'a>(scene: &'a Scene, body: &str) -> Vec<&'a RobotPath> {
    let robots: BTreeSet<&str> =
        scene.grasps().filter(|(_, grasp)| grasp.body == body).map(|(robot, _)| robot).collect();
    let path = |robot: &str| match scene.bodies()[scene.index_of(robot)?].kind() {
        BodyKind::RobotPath(path) => Some(&**path),
        _ => None,
    };
    robots.into_iter().filter_map(path).collect()
}

/// The times of the samples of a robot on a path; waypoints are there twice.
fn times_along(path: &RobotPath, t_max: f64, exact: &[f64]) -> Vec<f64> {
    let steps: Vec<RobotStep> = (0..path.trajectory().segments()).filter_map(|k| path.step(k).ok()).collect();
    let segments: Vec<RobotMotion<'_>> = steps.iter().map(RobotStep::motion).collect();
    path_moments(path, &steps, &segments, t_max, exact).iter().map(|moment| moment.time).collect()
}

/// The corners of a feature of a link that follows a path.
fn path_corners(
    path: &RobotPath,
    link: usize,
    part: &firsttouch::Part,
    feature: firsttouch::Feature,
    t: f64,
) -> Vec<DVec3> {
    let (segment, t) = path.segment_at(t);
    path.step(segment)
        .map_or_else(|_| Vec::new(), |step| link_corners(&step.motion(), link, part, feature, t))
}

/// How far all joints of a step go together, on the straight way.
fn joint_way(step: &RobotStep) -> f64 {
    step.from().iter().zip(step.to()).map(|(a, b)| (b - a).abs()).sum()
}

/// Samples of a robot on a path, each in the time of its segment; at a waypoint there are two.
fn path_moments(
    path: &RobotPath,
    steps: &[RobotStep],
    segments: &[RobotMotion<'_>],
    t_max: f64,
    exact: &[f64],
) -> Vec<Moment> {
    let mut all: Vec<Moment> = Vec::new();
    for (segment, (step, motion)) in steps.iter().zip(segments).enumerate() {
        let [start, end] = path.trajectory().span(segment);
        if start >= t_max {
            break;
        }
        if segment == 0 && start > 0.0 {
            all.push(Moment { time: 0.0, segment, t: 0.0 });
        }
        // A curve through waypoints may go beyond them.
        let count = robot_spans(motion, 3.0 * joint_way(step), [0.0, 1.0]);
        all.extend(moments(0, [start, if end < t_max { end } else { t_max }], count, exact).into_iter().map(
            |Moment { time, t, .. }| Moment {
                time,
                segment,
                t: ((t - start) / (end - start)).clamp(0.0, 1.0),
            },
        ));
        if segment + 1 == steps.len() && end < t_max {
            all.push(Moment { time: t_max, segment, t: 1.0 });
        }
    }
    if all.is_empty() {
        all.extend([0.0, t_max].map(|time| Moment { time, segment: 0, t: 0.0 }));
    }
    all
}

/// Samples of a rigid motion; where its velocity jumps there are two.
fn rigid_moments(motion: &Motion, t_max: f64, exact: &[f64]) -> Vec<Moment> {
    let ends: Vec<f64> = motion.kinks().filter(|&kink| kink < t_max).chain([t_max]).collect();
    let windows: Vec<[f64; 2]> =
        [0.0].iter().chain(&ends).zip(&ends).map(|(&from, &to)| [from, to]).collect();
    windows.into_iter().flat_map(|window| moments(0, window, rigid_spans(motion, window), exact)).collect()
}

fn stats(stats: Stats) -> BTreeMap<&'static str, u64> {
    BTreeMap::from([
        ("pairs", stats.pairs),
        ("allowed", stats.allowed),
        ("boxes_apart", stats.boxes_apart),
        ("later", stats.later),
        ("advanced", stats.advanced),
        ("parts", stats.parts),
        ("part_pairs", stats.part_pairs),
        ("volume_pairs", stats.volume_pairs),
        ("piece_pairs", stats.piece_pairs),
        ("iterations", stats.iterations),
    ])
}

/// The file that a scene is read from, and what to call it.
pub(crate) fn name_of(path: &Path) -> String {
    let name: PathBuf = path.file_name().map(PathBuf::from).unwrap_or_else(|| path.to_path_buf());
    name.display().to_string()
}
