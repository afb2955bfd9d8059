//! Object manipulation: a body follows a recorded path of placements near a fixed one and stops at the first touch.
//!
//! 1. Between two placements of the path the body makes one motion: the contact screw of the paper, a plain screw or a
//!    linear one.
//! 2. Each motion is checked as a whole: the body cannot jump over an obstacle between two frames.
//! 3. At the first touch the body stops. The placement that it did not reach, in which it may be deep inside the other
//!    body, is also reported.
//!
//! Reference: Redon, Kheddar, Coquillart 2001, Sec. 5.1, Figures 4 and 5.

use std::f64::consts::TAU;

use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Mesh, Shape};
use firsttouch::{Answer, Body, Options, Result, Scene, Stats, Touch};
use glam::{DQuat, dvec3};

use crate::bouncing::pose_at;
use crate::{Frame, shapes};

/// The motion of the body from one placement to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InBetween {
    /// The paper's motion: a screw at the pace for which contacts are roots of cubics.
    #[default]
    ContactScrew,
    /// One constant-speed screw.
    Screw,
    /// The origin on a line, turning at a constant rate.
    Linear,
}

impl InBetween {
    pub(crate) fn motion(self, from: Pose, to: Pose) -> Motion {
        match self {
            InBetween::ContactScrew => Motion::contact_screw(from, to),
            InBetween::Screw => Motion::screw(from, to),
            InBetween::Linear => Motion::linear(from, to),
        }
    }
}

/// The result of following a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The placements of the body: those of the path up to the touch, and the one at the touch.
    pub frames: Vec<Pose>,
    /// The touch that ended it.
    pub stop: Option<Stop>,
    /// The work of all steps together.
    pub stats: Stats,
}

/// The reason why the body stopped.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    /// The step: from placement `step` of the path to the next.
    pub step: usize,
    /// The touch, or the time up to which the step is free if it is undecided.
    pub answer: Answer,
    /// The placement of the body if there were no touch.
    pub intended: Pose,
}

impl Stop {
    /// Returns the touch.
    pub fn touch(&self) -> Option<&Touch> {
        self.answer.touch()
    }
}

/// Moves `body` along the path until it touches `fixed`.
///
/// ```
/// use firsttouch::{motion::Pose, shape::Sphere, Options};
/// use firsttouch_scenes::manipulation::{follow, InBetween};
/// use glam::DVec3;
/// let at = |x: f64| Pose::from_translation(DVec3::X * x);
/// // A ball of radius 1 jumps in steps of 5 over another one: it is stopped between, at x = -2.
/// let path = [at(-9.0)?, at(-4.0)?, at(4.0)?];
/// let run = follow(&Sphere::new(1.0)?.into(), &Sphere::new(1.0)?.into(), &path, InBetween::Screw, &Options::default())?;
/// assert_eq!((run.frames.len(), run.stop.unwrap().step), (3, 1));
/// assert!((run.frames[2].translation().x + 2.0).abs() < 1e-6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn follow(
    body: &Shape,
    fixed: &Shape,
    path: &[Pose],
    between: InBetween,
    options: &Options,
) -> Result<Run> {
    let mut run =
        Run { frames: path.first().copied().into_iter().collect(), stop: None, stats: Stats::default() };
    for (step, placements) in path.windows(2).enumerate() {
        let motion = between.motion(placements[0], placements[1]);
        let mut scene = Scene::default();
        scene.add(Body::new("body", body.clone(), motion.clone()))?;
        scene.add(Body::new("fixed", fixed.clone(), Motion::fixed(Pose::IDENTITY)))?;
        let report = scene.check(options)?;
        run.stats.advanced += report.stats.advanced;
        run.stats.volume_pairs += report.stats.volume_pairs;
        run.stats.piece_pairs += report.stats.piece_pairs;
        run.stats.iterations += report.stats.iterations;
        if report.answer == Answer::Free {
            run.frames.push(placements[1]);
            continue;
        }
        let until = report.answer.free_until(options.t_max);
        if until > 0.0 {
            run.frames.push(pose_at(&motion, until));
        }
        run.stop = Some(Stop { step, answer: report.answer, intended: placements[1] });
        break;
    }
    Ok(run)
}

/// Returns a recorded path for a body of about the size of the fixed one, both of radius 1.5 or less. It comes from far
/// away, circles around while it turns over, and then goes through the middle.
///
/// ```
/// use firsttouch_scenes::manipulation::recorded_path;
/// let path = recorded_path(60)?;
/// assert_eq!(path.len(), 60);
/// assert!(path[0].translation().length() > 5.0 && path[59].translation().length() < 1e-12);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn recorded_path(placements: usize) -> Result<Vec<Pose>> {
    let last = placements.saturating_sub(1).max(1) as f64;
    (0..placements)
        .map(|i| {
            let s = i as f64 / last;
            // From distance 6 to 3.2 in the first third, at 3.2 in the second, and to the middle in the last.
            let distance = if s < 1.0 / 3.0 {
                6.0 - 2.8 * (3.0 * s)
            } else if s < 2.0 / 3.0 {
                3.2
            } else {
                3.2 * (3.0 - 3.0 * s)
            };
            let angle = 0.8 * TAU * s;
            let at = dvec3(angle.cos(), angle.sin(), 0.3 * (2.0 * angle).sin()) * distance;
            let turn = DQuat::from_axis_angle(dvec3(1.0, 2.0, 2.0) / 3.0, 1.1 * TAU * s);
            Pose::new(at, turn)
        })
        .collect()
}

/// The number of placements of the path of the demo.
const PLACEMENTS: usize = 60;

/// Returns the step in which the teapot of the demo is stopped, as a scene.
pub(crate) fn teapot_stops() -> Result<Scene> {
    let (pot, lump, run) = teapot_run()?;
    let path = recorded_path(PLACEMENTS)?;
    let step = run.stop.map_or(PLACEMENTS - 2, |stop| stop.step);
    let mut scene = Scene::default();
    scene.add(Body::new("teapot", pot, InBetween::default().motion(path[step], path[step + 1])))?;
    scene.add(Body::new("potato", lump, Motion::fixed(Pose::IDENTITY)))?;
    Ok(scene)
}

/// Returns the frames of the demo, up to the touch.
pub(crate) fn teapot_frames() -> Result<Vec<Frame>> {
    let (pot, lump, run) = teapot_run()?;
    let frames = run.frames.iter().map(|pose| {
        let mut frame = Frame::default();
        frame.add(&pot, pose);
        frame.add(&lump, &Pose::IDENTITY);
        frame
    });
    Ok(frames.collect())
}

fn teapot_run() -> Result<(Mesh, Mesh, Run)> {
    let (pot, lump) = (shapes::teapot(4_000)?, shapes::potato(4_000, 1)?);
    let (body, fixed) = (Shape::from(pot.clone()), Shape::from(lump.clone()));
    let run = follow(&body, &fixed, &recorded_path(PLACEMENTS)?, InBetween::default(), &Options::default())?;
    Ok((pot, lump, run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::{potato, teapot};

    /// The teapot touches the potato somewhere on its way in. At no frame, and at no time between frames, are they
    /// nearer than allowed; at the path's next placement they are.
    #[test]
    fn the_teapot_stops_at_the_first_touch() {
        let (pot, lump) = (Shape::from(teapot(2_000).unwrap()), Shape::from(potato(2_000, 1).unwrap()));
        for between in [InBetween::ContactScrew, InBetween::Screw, InBetween::Linear] {
            // A short path jumps far: the last step ends in the middle of the other body.
            for count in [8, 60, 300] {
                let path = recorded_path(count).unwrap();
                let run = follow(&pot, &lump, &path, between, &Options::default()).unwrap();
                let stop = run.stop.expect("the path leads through the middle");
                let touch = stop.touch().expect("decided");
                assert!(touch.gap <= 1e-6, "{}", touch.gap);
                assert_eq!(run.frames.len(), stop.step + 2);
                assert_eq!(run.frames[..=stop.step], path[..=stop.step]);
                assert!(stop.step as f64 / count as f64 > 0.6, "{} of {count}", stop.step);
                // At rest in the last frame they touch.
                let again =
                    follow(&pot, &lump, &[run.frames[stop.step + 1]; 2], between, &Options::default());
                assert!(matches!(again.unwrap().stop.unwrap().answer, Answer::TouchingAtStart(_)));
            }
        }
    }

    #[test]
    fn paths_without_steps() {
        let lump = Shape::from(potato(20, 1).unwrap());
        for count in [0, 1] {
            let path = recorded_path(count).unwrap();
            let run = follow(&lump, &lump, &path, InBetween::Screw, &Options::default()).unwrap();
            assert_eq!((run.frames.len(), run.stop), (count, None));
        }
    }
}
