//! Tasks for a motion planner: a robot among obstacles at rest, a start and a goal, with the straight way between them
//! blocked.
//!
//! - *Excavator* and *crane*: the machines of the [construction site](super::construction), from one end of the yard to
//!   the other, or from a heap to a truck and into a pipe.
//! - *Two mannequins* who change places: both are planned as one robot, and each is in the other's way.
//! - *An instrument among organs*: a shaft through a fixed point of entry, with a wrist, from one side of the heart to
//!   the other.
//!
//! References: Zhang, Redon, Lee, Kim 2007, Sec. 8.1, Figures 1, 9 and 10; Tang, Kim, Manocha 2010, Fig. 7, for the
//! organs. The papers' models are not published; these have their numbers of triangles.

use std::f64::consts::PI;

use firsttouch::adaptive::forest;
use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::planning::Space;
use firsttouch::shape::{Capsule, Mesh};
use firsttouch::{Answer, Body, Mode, Options, Result};
use glam::{DQuat, DVec3, dvec3};

use crate::scenes::construction::{self, Task};
use crate::scenes::play::joint;
use crate::scenes::random::Random;
use crate::scenes::shapes::potato;
use crate::scenes::{chessboard, mannequin};

/// A task for a planner.
#[derive(Debug, Clone)]
pub struct PlanningTask {
    /// Its name.
    pub name: &'static str,
    /// The robot among the obstacles.
    pub checker: Checker,
    /// The ranges of the joints.
    pub space: Space,
    /// The configuration at the start.
    pub from: Vec<f64>,
    /// The configuration at the goal.
    pub to: Vec<f64>,
}

/// Returns all tasks. `share` is the part of the paper's triangles that the scenes have, up to 1.
///
/// ```
/// let tasks = firsttouch_lab::scenes::tasks::all(0.02)?;
/// assert_eq!(tasks.len(), 6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn all(share: f64) -> Result<Vec<PlanningTask>> {
    let site = construction::site((share * construction::SITE_TRIANGLES as f64) as usize)?;
    Ok(vec![
        excavator("excavator, travel", Task::Travel, share, site.clone())?,
        excavator("excavator, load", Task::Load, share, site.clone())?,
        crane("crane, travel", Task::Travel, site.clone())?,
        crane("crane, load", Task::Load, site)?,
        two_mannequins(share)?,
        instrument(share)?,
    ])
}

fn excavator(name: &'static str, task: Task, share: f64, site: Vec<Body>) -> Result<PlanningTask> {
    let robot = construction::excavator((share * construction::EXCAVATOR_TRIANGLES as f64) as usize)?;
    let (from, to) = match task {
        Task::Travel => ([-14.0, -8.0, 0.2, 0.0, -0.6, 0.9, 0.6], [15.0, 4.0, 1.2, 0.3, -0.5, 1.0, 0.4]),
        Task::Load => ([9.5, 2.5, 0.0, -1.3, -0.45, 1.2, 0.8], [9.5, 2.5, 0.0, 1.5, -0.6, 0.9, -0.2]),
    };
    let ranges = [
        ("tracks/x", [-18.0, 18.0]),
        ("tracks/y", [-18.0, 18.0]),
        ("tracks/theta", [-PI, PI]),
        ("house", [-PI, PI]),
        ("boom", [-1.1, 0.3]),
        ("stick", [0.0, 2.0]),
        ("bucket", [-1.0, 1.5]),
    ];
    task_of(name, robot, site, [&from, &to], &ranges, 0.3)
}

fn crane(name: &'static str, task: Task, site: Vec<Body>) -> Result<PlanningTask> {
    let robot = construction::crane(construction::CRANE_TRIANGLES)?;
    let (from, to) = match task {
        Task::Travel => ([-9.0, -0.6, 6.0, 9.0], [9.0, 2.6, 11.0, 9.5]),
        Task::Load => ([2.0, 1.9, 7.0, 12.0], [2.0, 2.536, 7.9, 12.5]),
    };
    let ranges =
        [("rails", [-10.0, 10.0]), ("jib", [-PI, PI]), ("trolley", [2.0, 12.5]), ("hook", [1.0, 13.8])];
    task_of(name, robot, site, [&from, &to], &ranges, 0.3)
}

/// Returns two mannequins on a chessboard who change places.
fn two_mannequins(share: f64) -> Result<PlanningTask> {
    let triangles = (share * mannequin::TRIANGLES as f64) as usize;
    let both = ["first", "second"]
        .map(|name| mannequin::hinged(name, triangles).map(|robot| (robot, Pose::IDENTITY)));
    let [first, second] = both;
    let robot = forest("two mannequins", &[first?, second?])?;
    let board = chessboard::bodies((share * chessboard::TRIANGLES as f64) as usize)?;
    let height = mannequin::STANDING_HEIGHT;
    let (mut from, mut to) = (robot.zero(), robot.zero());
    let names: Vec<String> = robot.variables().iter().map(|variable| variable.name.clone()).collect();
    let mut ranges = Vec::new();
    for (k, name) in names.iter().enumerate() {
        let side = if name.starts_with("first") { -1.0 } else { 1.0 };
        match name.rsplit('/').next().unwrap_or_default() {
            // They walk towards each other, over a free square of the board.
            "x" => {
                (from[k], to[k]) = (0.8 * side, -0.8 * side);
                ranges.push((name.as_str(), [-1.6, 1.6]));
            }
            "y" => ranges.push((name.as_str(), [-1.2, 1.2])),
            "theta" => {
                (from[k], to[k]) = if side < 0.0 { (0.0, 0.0) } else { (PI, PI) };
                ranges.push((name.as_str(), [-PI, PI]));
            }
            _ => {}
        }
    }
    // The sole is at the height of the board.
    let raised: Vec<Body> = board
        .into_iter()
        .map(|body| match body.as_rigid() {
            Some((shape, motion)) => {
                let at = crate::scenes::bouncing::pose_at(motion, 0.0);
                let lower = Pose::new(at.translation() - DVec3::Z * height, at.rotation())?;
                Ok(Body::new(body.name(), shape.clone(), Motion::fixed(lower)))
            }
            None => Ok(body),
        })
        .collect::<Result<_>>()?;
    task_of("two mannequins", robot, raised, [&from, &to], &ranges, 0.05)
}

/// Returns an instrument that reaches into a chest: it turns about the point of entry, slides, and bends at its wrist.
fn instrument(share: f64) -> Result<PlanningTask> {
    let revolute = |axis: DVec3, low: f64, high: f64| (JointKind::Revolute { axis }, [low, high]);
    let entry = dvec3(0.0, -2.6, 0.9);
    let limited =
        |name: &str, parent: &str, at: DVec3, (kind, limits): (JointKind, [f64; 2])| -> Result<Joint> {
            Ok(Joint { limits: Some(limits), ..joint(name, parent, name, at, kind)? })
        };
    // The shaft lies along y, inwards.
    let along = DQuat::from_rotation_x(-PI / 2.0);
    let capsule = |radius: f64, length: f64, back: f64| -> Result<LinkPart> {
        let pose = Pose::new(dvec3(0.0, 0.5 * length - back, 0.0), along)?;
        Ok(LinkPart { shape: Capsule::new(radius, length)?.into(), pose })
    };
    let links = vec![
        ("table".to_string(), vec![]),
        ("pan".into(), vec![]),
        ("tilt".into(), vec![]),
        ("shaft".into(), vec![capsule(0.04, 3.0, 3.0)?]),
        ("wrist".into(), vec![capsule(0.03, 0.25, -0.06)?]),
        ("jaw".into(), vec![capsule(0.025, 0.2, -0.06)?]),
    ];
    let joints = vec![
        limited("pan", "table", entry, revolute(DVec3::Z, -0.9, 0.9))?,
        limited("tilt", "pan", DVec3::ZERO, revolute(DVec3::X, -0.9, 0.9))?,
        limited("shaft", "tilt", DVec3::ZERO, (JointKind::Prismatic { axis: DVec3::Y }, [0.2, 3.2]))?,
        limited("wrist", "shaft", DVec3::ZERO, revolute(DVec3::Z, -1.4, 1.4))?,
        limited("jaw", "wrist", dvec3(0.0, 0.37, 0.0), revolute(DVec3::X, -1.4, 1.4))?,
    ];
    let robot = Robot::new("instrument", links, joints)?;
    let count = |triangles: f64| (share * triangles).max(80.0) as usize;
    let organ = |name: &str, triangles: f64, seed: u64, at: DVec3, size: DVec3| -> Result<Body> {
        let shape = potato(count(triangles), seed)?;
        let vertices = shape.vertices().iter().map(|&v| v * size).collect();
        let mesh = Mesh::new(vertices, shape.triangles().to_vec())?;
        Ok(Body::new(name, mesh, Motion::fixed(Pose::from_translation(at)?)))
    };
    let mut organs = vec![
        organ("heart", 3_920.0, 5, dvec3(0.05, -0.1, 0.1), DVec3::splat(0.36))?,
        organ("left lung", 2_420.0, 11, dvec3(-0.95, -0.3, 0.3), dvec3(0.38, 0.6, 0.9))?,
        organ("right lung", 2_420.0, 12, dvec3(0.95, -0.3, 0.3), dvec3(0.38, 0.6, 0.9))?,
        organ("liver", 2_880.0, 7, dvec3(0.1, -0.4, -1.6), dvec3(1.0, 0.6, 0.35))?,
    ];
    for i in 0..6 {
        let at = dvec3(0.0, 1.15, -1.9 + 0.76 * f64::from(i));
        organs.push(organ(&format!("vertebra {i}"), 320.0, 3, at, dvec3(0.26, 0.26, 0.25))?);
    }
    // Beside the heart on the left, and on the right: the heart is straight across.
    let (from, to) = ([0.19, -0.38, 2.6, 0.0, 0.0], [-0.17, -0.38, 2.6, 0.0, 0.0]);
    task_of("instrument among organs", robot, organs, [&from, &to], &[], 0.02)
}

/// Returns a task whose ends are free: those given, or random ones near them, at most `spread` of each range away.
fn task_of(
    name: &'static str,
    robot: Robot,
    obstacles: Vec<Body>,
    ends: [&[f64]; 2],
    ranges: &[(&str, [f64; 2])],
    spread: f64,
) -> Result<PlanningTask> {
    const ATTEMPTS: u32 = 400;
    let space = Space::new(&robot, ends, ranges)?;
    let checker = Checker::new(robot, Pose::IDENTITY, obstacles)?;
    let any = Options { mode: Mode::Any, tolerance: 1e-3, ..Options::default() };
    let mut random = Random::new(3);
    let mut free_near = |end: &[f64]| -> Result<Vec<f64>> {
        let mut near = end.to_vec();
        for attempt in 0..ATTEMPTS {
            if checker.check_state(&near, &any)?.answer == Answer::Free {
                break;
            }
            // The distance grows with the number of attempts.
            let spread = spread * f64::from(attempt + 1) / f64::from(ATTEMPTS);
            for (k, value) in near.iter_mut().enumerate() {
                let [low, high] = space.range(k);
                let off = random.between(-spread, spread) * (high - low);
                *value = (end[k] + off).clamp(low, high);
            }
        }
        Ok(near)
    };
    let (from, to) = (free_near(ends[0])?, free_near(ends[1])?);
    Ok(PlanningTask { name, checker, space, from, to })
}

#[cfg(test)]
mod tests {
    use super::*;
    use firsttouch::planning::{Method, Outcome, PlanControl, PlanOptions, plan_in};

    /// Each task has free ends, no free straight way, and a path that is proven free. A roadmap finds all of these
    /// paths, also out of the narrow pipe, because it grows from its ends. For two mannequins with 34 joints, trees
    /// need more samples than the others, and start again several times.
    #[test]
    fn every_task_needs_a_planner_and_has_a_path() {
        let mut missed = Vec::new();
        for task in all(0.02).unwrap() {
            let check = Options { tolerance: 1e-3, ..Options::default() };
            let straight = task.checker.check_step(&task.from, &task.to, &check).unwrap().answer;
            assert!(matches!(straight, Answer::Touch(_)), "{}: {straight:?}", task.name);
            for method in [Method::RrtConnect, Method::Roadmap] {
                let is_hardest = (task.name, method) == ("two mannequins", Method::RrtConnect);
                let max_samples = if is_hardest { 3_000 } else { 800 };
                let options =
                    PlanOptions { method, check, max_samples, shortcuts: 40, ..PlanOptions::default() };
                let control = PlanControl::default();
                let outcome =
                    plan_in(&task.space, &task.checker, &task.from, &task.to, &options, &control).unwrap();
                let Outcome::Found(plan) = outcome else {
                    missed.push(format!("{}, {method:?}", task.name));
                    continue;
                };
                let report = task.checker.check_path(&plan.waypoints, &check, |_| ()).unwrap();
                assert_eq!((report.answer, plan.waypoints.len() > 2), (Answer::Free, true), "{}", task.name);
            }
        }
        assert_eq!(missed, [""; 0]);
    }
}
