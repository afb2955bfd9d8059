//! A scene with its answer as a document.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use firsttouch::articulated::{RobotMotion, RobotPath, RobotStep};
use firsttouch::ellipsoid::{Overlap, OverlapKind};
use firsttouch::motion::{Motion, RigidMotion};
use firsttouch::{BodyKind, ContactPoint, Feature, Options, Part, Report, Result, Scene, Stats};
use glam::DVec3;

use super::Caption;
use super::cast::{Cast, Shown, body_corners, link_corners, placed_corners, rigid_spans, robot_spans};
use super::document::{Document, Run, ShownMotion, ShownOverlap, ShownPair};
use super::motion::{Moment, Track, moments};
use super::questions::{ClearanceCurve, shown_contacts};
use super::told::Told;
use crate::urdf::RobotVisuals;

/// More pairs than these are not listed; the totals count them all.
const MOST_PAIRS: usize = 2000;
/// The number of pairs whose times of overlap are all computed, which takes longer than the first touch: the number of
/// rows with which the page opens.
const MOST_OVERLAPS: usize = 200;

/// A row of the timeline.
#[derive(Debug, Clone)]
pub struct ToldPair {
    /// The answer for the pair. A pair without bodies is not shown.
    pub answer: Told,
    /// All times at which the two touch, if they are known.
    pub overlaps: Option<Vec<ToldSpan>>,
}

/// A span of time in which two bodies touch, within `[0, 1]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ToldSpan {
    /// They are separate just before this time.
    pub from: f64,
    /// They are separate just after this time.
    pub to: f64,
    /// True if they certainly touch.
    pub certain: bool,
}

impl From<&Overlap> for ToldSpan {
    fn from(Overlap { start, end, kind, .. }: &Overlap) -> ToldSpan {
        ToldSpan { from: start[0], to: end[1], certain: *kind == OverlapKind::Overlap }
    }
}

impl ToldPair {
    /// Tells the pairs of a report, with all times of overlap for the first of them.
    pub fn of_report(scene: &Scene, report: &Report, options: &Options) -> Result<Vec<ToldPair>> {
        let mut told = Vec::new();
        for (row, pair) in report.pairs.iter().take(MOST_PAIRS).enumerate() {
            let answer = Told::new(&pair.answer, scene);
            if answer.bodies.is_none() {
                continue;
            }
            let overlaps = match &pair.overlaps {
                None if row < MOST_OVERLAPS => {
                    let [a, b] = pair.bodies.map(|i| scene.bodies()[i].name());
                    Some(scene.overlaps(a, b, options)?.iter().map(ToldSpan::from).collect())
                }
                known => known.as_ref().map(|known| known.iter().map(ToldSpan::from).collect()),
            };
            told.push(ToldPair { answer, overlaps });
        }
        Ok(told)
    }
}

/// A scene and the things that a page shows of it.
#[derive(Debug)]
pub struct ScenePage<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// The answer.
    pub answer: Told,
    /// The end of the checked time, where 1 is the whole time.
    pub t_max: f64,
    /// The length of the time from 0 to 1.
    pub duration: f64,
    /// The visuals of robots, by the names of their bodies.
    pub visuals: HashMap<&'a str, RobotVisuals>,
    /// The rows of the timeline, if it is shown.
    pub pairs: Option<Vec<ToldPair>>,
    /// The least distance over time.
    pub clearance: Option<ClearanceCurve>,
    /// All contacts at the touch.
    pub contacts: Option<Vec<ContactPoint>>,
    /// Totals by name.
    pub stats: BTreeMap<String, u64>,
}

impl<'a> ScenePage<'a> {
    /// Creates the page of a scene with its answer and no extras.
    pub fn new(scene: &'a Scene, answer: Told) -> ScenePage<'a> {
        ScenePage {
            scene,
            answer,
            t_max: 1.0,
            duration: 1.0,
            visuals: HashMap::new(),
            pairs: None,
            clearance: None,
            contacts: None,
            stats: BTreeMap::new(),
        }
    }

    /// Returns the document.
    pub fn document(self, caption: &Caption<'_>) -> Document {
        let ScenePage { scene, t_max, duration, .. } = self;
        let mut cast = cast(scene, &self.visuals, duration);
        let corners = |body, part: &Part, feature, t| corners(scene, body, part, feature, t);
        let answer = cast.answer(&self.answer, None, corners);
        let told = self.pairs.as_deref().unwrap_or_default();
        let told = &told[..told.len().min(MOST_PAIRS)];
        let span = |span: &ToldSpan| ShownOverlap {
            from: span.from * duration,
            to: span.to * duration,
            certain: span.certain,
        };
        let pair = |pair: &ToldPair| ShownPair {
            answer: cast.answer(&pair.answer, None, corners),
            overlaps: pair.overlaps.as_ref().map(|spans| spans.iter().map(span).collect()),
        };
        let rows = || told.iter().map(pair).filter(|pair| pair.answer.bodies.is_some()).collect();
        let pairs = self.pairs.is_some().then(rows);
        let motions = motions(scene, &mut cast, &self.answer, told, t_max);
        let run = Run {
            duration: t_max * duration,
            answer,
            pairs,
            clearance: self.clearance.map(|curve| curve.shown(&cast)),
            contacts: self.contacts.map(|contacts| shown_contacts(&contacts)),
            stats: self.stats,
            motions,
            ..Run::default()
        };
        cast.document(vec![run], caption)
    }
}

/// Returns the corners of a feature in the world.
fn corners(scene: &Scene, body: usize, part: &Part, feature: Feature, t: f64) -> Vec<DVec3> {
    let bodies = scene.bodies();
    let of_link = |robot: usize, link: usize| match bodies[robot].kind() {
        BodyKind::Robot(step) => link_corners(&step.motion(), link, part, feature, t),
        BodyKind::RobotPath(path) => path_corners(path, link, part, feature, t),
        _ => Vec::new(),
    };
    match bodies[body].kind() {
        BodyKind::Robot(_) | BodyKind::RobotPath(_) => {
            part.link().map(|link| of_link(body, link)).unwrap_or_default()
        }
        BodyKind::Attached { robot, link } => of_link(*robot, *link),
        // A robot may carry it.
        BodyKind::Rigid { shape, .. } => {
            let pose = scene.pose_at(body, t);
            pose.map(|pose| placed_corners(shape, &pose, part, feature)).unwrap_or_default()
        }
        _ => body_corners(&bodies[body], part, feature, t),
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
            // A robot comes before the bodies that it holds.
            (None, BodyKind::Attached { robot, link }) => {
                Shown::Links(vec![attached.get(&(*robot, *link)).copied().flatten()])
            }
            _ => Shown::One(cast.add(body, true)),
        };
        cast.shown.push(shown);
    }
    cast
}

/// Returns the motion of every body, with a sample at the answer and at each touch of its own.
fn motions(
    scene: &Scene,
    cast: &mut Cast,
    answer: &Told,
    pairs: &[ToldPair],
    t_max: f64,
) -> Vec<ShownMotion> {
    let mut exact: Vec<Vec<f64>> = vec![answer.toi.into_iter().collect(); scene.bodies().len()];
    for ToldPair { answer, .. } in pairs {
        let (Some(toi), Some(bodies)) = (answer.toi, answer.bodies) else { continue };
        for body in bodies {
            exact[body].push(toi);
        }
    }
    // A body that a robot holds moves with it.
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
            // A body that a robot takes up on its path moves with it for a while.
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
            // A deforming mesh has its frames; a held body is a link of its robot.
            _ => {}
        }
    }
    list
}

/// Returns the paths of the robots that take up a body, each once.
fn carriers<'a>(scene: &'a Scene, body: &str) -> Vec<&'a RobotPath> {
    let robots: BTreeSet<&str> =
        scene.grasps().filter(|(_, grasp)| grasp.body == body).map(|(robot, _)| robot).collect();
    let path = |robot: &str| match scene.bodies()[scene.index_of(robot)?].kind() {
        BodyKind::RobotPath(path) => Some(&**path),
        _ => None,
    };
    robots.into_iter().filter_map(path).collect()
}

/// Returns the times of the samples of a robot on a path; waypoints appear twice.
fn times_along(path: &RobotPath, t_max: f64, exact: &[f64]) -> Vec<f64> {
    let steps: Vec<RobotStep> = (0..path.trajectory().segments()).filter_map(|k| path.step(k).ok()).collect();
    let segments: Vec<RobotMotion<'_>> = steps.iter().map(RobotStep::motion).collect();
    path_moments(path, &steps, &segments, t_max, exact).iter().map(|moment| moment.time).collect()
}

/// Returns the corners of a feature of a link that follows a path.
fn path_corners(path: &RobotPath, link: usize, part: &Part, feature: Feature, t: f64) -> Vec<DVec3> {
    let (segment, t) = path.segment_at(t);
    path.step(segment)
        .map_or_else(|_| Vec::new(), |step| link_corners(&step.motion(), link, part, feature, t))
}

/// Returns the total way of all joints in a step, if they move straight.
fn joint_way(step: &RobotStep) -> f64 {
    step.from().iter().zip(step.to()).map(|(a, b)| (b - a).abs()).sum()
}

/// Returns samples of a robot on a path, each in the time of its segment; there are two at a waypoint.
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

/// Returns samples of a rigid motion; there are two where its velocity jumps.
fn rigid_moments(motion: &Motion, t_max: f64, exact: &[f64]) -> Vec<Moment> {
    let ends: Vec<f64> = motion.kinks().filter(|&kink| kink < t_max).chain([t_max]).collect();
    let windows: Vec<[f64; 2]> =
        [0.0].iter().chain(&ends).zip(&ends).map(|(&from, &to)| [from, to]).collect();
    windows.into_iter().flat_map(|window| moments(0, window, rigid_spans(motion, window), exact)).collect()
}

/// Returns the totals of a query about a scene, by name.
pub fn scene_stats(stats: Stats) -> BTreeMap<String, u64> {
    let totals = [
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
    ];
    totals.map(|(name, count)| (name.to_string(), count)).into()
}
