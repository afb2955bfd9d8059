//! The paths of a robot among obstacles as a document. Each path is a run, in which segment k lasts from time k to time
//! k + 1.

use std::collections::{BTreeMap, HashMap};

use firsttouch::articulated::{Checker, Phase, RobotMotion, RobotStep, Trajectory};
use firsttouch::motion::{PoseAt, RigidMotion};
use firsttouch::{BodyKind, ContactPoint, Part, Result};

use super::Caption;
use super::cast::{Cast, Shown, body_corners, link_corners, rigid_spans, robot_spans};
use super::document::{Document, Run, ShownMotion};
use super::motion::{Moment, Track, moments};
use super::questions::{ClearanceCurve, shown_contacts};
use super::told::Told;
use crate::urdf::RobotVisuals;

/// A robot among obstacles, and its paths.
#[derive(Debug)]
pub struct PathPage<'a> {
    /// The robot and everything around it.
    pub checker: &'a Checker,
    /// The visuals of the robot.
    pub visuals: &'a RobotVisuals,
    /// The paths.
    pub runs: Vec<PathRun<'a>>,
}

/// A path and the things that a page shows of it.
#[derive(Debug)]
pub struct PathRun<'a> {
    /// The configurations at the waypoints.
    pub path: &'a [Vec<f64>],
    /// The path over time, if the joints do not move at constant rates or something else moves as well.
    pub trajectory: Option<&'a Trajectory>,
    /// The phases of the path, if the robot takes up bodies and puts them down.
    pub phases: &'a [Phase],
    /// The answer of the first segment that is not free, in the time of that segment; the names are those of the
    /// checker of its phase.
    pub answer: Told,
    /// The index of that segment.
    pub segment: Option<usize>,
    /// The least distance over time.
    pub clearance: Option<ClearanceCurve>,
    /// All contacts at the touch.
    pub contacts: Option<Vec<ContactPoint>>,
    /// Totals by name.
    pub stats: BTreeMap<String, u64>,
}

impl<'a> PathRun<'a> {
    /// Creates a path along which joints move at constant rates, with its answer and no extras.
    pub fn new(path: &'a [Vec<f64>], answer: Told, segment: Option<usize>) -> PathRun<'a> {
        PathRun {
            path,
            trajectory: None,
            phases: &[],
            answer,
            segment,
            clearance: None,
            contacts: None,
            stats: BTreeMap::new(),
        }
    }
}

impl PathPage<'_> {
    /// Returns the document. Refuses a path that is not one of the robot.
    pub fn document(self, caption: &Caption<'_>) -> Result<Document> {
        let PathPage { checker, visuals, runs } = self;
        let mut cast = Cast::new(1.0);
        let robot = checker.robot();
        let zero = robot.zero();
        let start = runs.first().and_then(|run| run.path.first()).unwrap_or(&zero);
        let group = if robot.name().is_empty() { "robot" } else { robot.name() };
        let resting = RobotMotion::new(robot, checker.base(), start, start)?;
        let links = cast.add_robot(group, &resting, visuals, &HashMap::new());
        cast.shown.push(Shown::Links(links));
        // The frames of a deforming obstacle are those of a run of one segment; in a longer run it would jump back.
        let deforms = runs.len() == 1 && runs[0].path.len() == 2;
        for obstacle in checker.obstacles() {
            let index = cast.add(obstacle, deforms);
            cast.shown.push(Shown::One(index));
        }
        let mut shown = Vec::with_capacity(runs.len());
        for (index, run) in runs.into_iter().enumerate() {
            shown.push(shown_run(checker, &mut cast, index, run)?);
        }
        Ok(cast.document(shown, caption))
    }
}

fn shown_run(checker: &Checker, cast: &mut Cast, index: usize, run: PathRun<'_>) -> Result<Run> {
    let PathRun { path, trajectory, phases, .. } = run;
    let count = path.len().saturating_sub(1);
    let steps = trajectory.map(|trajectory| {
        let step = |k| trajectory.step(checker.robot().clone(), checker.base(), k);
        (0..count).map(step).collect::<Result<Vec<RobotStep>>>()
    });
    let steps = steps.transpose()?;
    let segments = (0..count).map(|k| {
        let phase = phases.iter().find(|phase| phase.segments.contains(&k));
        let checker = phase.map_or(checker, |phase| &phase.checker);
        let (from, to) = (&path[k], &path[k + 1]);
        let way: f64 = from.iter().zip(to).map(|(a, b)| (b - a).abs()).sum();
        Ok(match (&steps, trajectory) {
            // A curve through waypoints may go beyond them.
            (Some(steps), Some(trajectory)) => {
                Segment { checker, motion: steps[k].motion(), span: trajectory.span(k), way: 3.0 * way }
            }
            _ => {
                let motion = RobotMotion::new(checker.robot(), checker.base(), from, to)?;
                Segment { checker, motion, span: [0.0, 1.0], way }
            }
        })
    });
    let segments = segments.collect::<Result<Vec<Segment<'_>>>>()?;
    let at = run.segment.and_then(|segment| segments.get(segment));
    let there = at.map_or(checker, |segment| segment.checker);
    let corners = |body: usize, part: &Part, feature, t| match (body.checked_sub(1), at) {
        (Some(obstacle), at) => {
            let clock = at.map_or(t, |segment| segment.clock(t));
            body_corners(there.obstacle(obstacle), part, feature, clock)
        }
        (None, Some(segment)) => {
            let link = part.link().unwrap_or_default();
            link_corners(&segment.motion, link, part, feature, t)
        }
        (None, None) => Vec::new(),
    };
    let answer = in_phase(cast, checker, there, |cast| cast.answer(&run.answer, run.segment, corners));
    let motions = motions(checker, cast, &segments, &run);
    let clearance = run.clearance.map(|curve| {
        let there = segments.get(curve.segment()).map_or(checker, |segment| segment.checker);
        in_phase(cast, checker, there, |cast| curve.shown(cast))
    });
    Ok(Run {
        name: Some(format!("path {index}")),
        duration: count as f64,
        segments: Some((0..=count).map(|k| k as f64).collect()),
        answer,
        clearance,
        contacts: run.contacts.map(|contacts| shown_contacts(&contacts)),
        stats: run.stats,
        motions,
        ..Run::default()
    })
}

/// The robot on a segment of a path, among what surrounds it there.
struct Segment<'a> {
    checker: &'a Checker,
    motion: RobotMotion<'a>,
    /// The time of obstacles that move by themselves, at the beginning and at the end.
    span: [f64; 2],
    /// An estimate from above of the total way of all joints, to sample them often enough.
    way: f64,
}

impl Segment<'_> {
    /// Returns the time of bodies that move by themselves.
    fn clock(&self, t: f64) -> f64 {
        self.span[0] + (self.span[1] - self.span[0]) * t
    }

    /// Returns the pose of a rigid body that stands or moves by itself, or is held by the robot.
    fn pose(&self, name: &str, t: f64) -> Option<PoseAt> {
        if let Some(index) = self.checker.index_of(name) {
            let (_, motion) = self.checker.obstacle(index).as_rigid()?;
            return Some(motion.pose_at(self.clock(t)));
        }
        let link = self.checker.robot().link(name)?;
        let (outer, part) =
            (self.motion.link_pose(link, t), self.checker.robot().links()[link].parts().first()?);
        let inner = part.pose.at();
        Some(PoseAt {
            rotation: outer.rotation * inner.rotation,
            translation: outer.apply(inner.translation),
        })
    }
}

/// Returns the cast of a checker in which the robot holds other things than in the one that `self` is for.
fn shown_in(cast: &Cast, whole: &Checker, checker: &Checker) -> Vec<Shown> {
    let by_name = |name: &str| match cast.shown.get(whole.index_of(name)? + 1)? {
        Shown::One(index) => Some(*index),
        Shown::Links(_) => None,
    };
    let own = match cast.shown.first() {
        Some(Shown::Links(links)) => &links[..],
        _ => &[],
    };
    let links = checker.robot().links().iter().enumerate();
    let links = links.map(|(k, link)| own.get(k).copied().unwrap_or_else(|| by_name(link.name()))).collect();
    let obstacles = checker.obstacles().map(|obstacle| Shown::One(by_name(obstacle.name()).unwrap_or(0)));
    [Shown::Links(links)].into_iter().chain(obstacles).collect()
}

/// Shows something that names the bodies of the checker of a phase.
fn in_phase<T>(cast: &mut Cast, whole: &Checker, checker: &Checker, show: impl FnOnce(&mut Cast) -> T) -> T {
    let own = shown_in(cast, whole, checker);
    let before = std::mem::replace(&mut cast.shown, own);
    let shown = show(cast);
    cast.shown = before;
    shown
}

/// Samples everything at the same moments. Waypoints appear twice, as the end of one segment and the beginning of the
/// next: the robot's motion has kinks there, and moving obstacles begin again.
fn motions(
    checker: &Checker,
    cast: &mut Cast,
    segments: &[Segment<'_>],
    shown: &PathRun<'_>,
) -> Vec<ShownMotion> {
    let whole = [0.0, 1.0];
    let obstacle_spans = checker.obstacles().map(|obstacle| match obstacle.kind() {
        BodyKind::Rigid { motion, .. } => rigid_spans(motion, whole),
        BodyKind::Affine(_) => 32,
        _ => 1,
    });
    let least = obstacle_spans.max().unwrap_or(1);
    let mut all: Vec<Moment> = Vec::new();
    for (k, segment) in segments.iter().enumerate() {
        let exact: Vec<f64> = shown.answer.toi.filter(|_| shown.segment == Some(k)).into_iter().collect();
        let spans = robot_spans(&segment.motion, segment.way, whole).max(least);
        all.extend(moments(k, whole, spans, &exact));
    }
    let pack = &mut cast.geometries.pack;
    let times = pack.f64(all.iter().map(|moment| moment.time));
    let mut list = Vec::new();
    for (body, by) in cast.shown.iter().enumerate() {
        match by {
            Shown::Links(links) => {
                for (link, index) in links.iter().enumerate() {
                    let Some(index) = index else { continue };
                    let mut track = Track::default();
                    for moment in &all {
                        let pose = segments[moment.segment].motion.link_pose(link, moment.t);
                        track.rigid(pose.translation, pose.rotation);
                    }
                    // Without this motion the body would rest at the beginning of another path.
                    list.push(track.always(*index, times, pack));
                }
            }
            Shown::One(index) => {
                let mut track = Track::default();
                let obstacle = checker.obstacle(body - 1);
                match obstacle.kind() {
                    BodyKind::Rigid { .. } => {
                        for moment in &all {
                            let Some(pose) = segments[moment.segment].pose(obstacle.name(), moment.t) else {
                                continue;
                            };
                            track.rigid(pose.translation, pose.rotation);
                        }
                    }
                    BodyKind::Affine(ellipsoid) => {
                        for moment in &all {
                            let clock = segments[moment.segment].clock(moment.t);
                            let (matrix, center) = ellipsoid.at(clock);
                            track.affine(center, matrix);
                        }
                    }
                    _ => continue,
                }
                list.extend(track.shown(*index, times, pack));
            }
        }
    }
    list
}
