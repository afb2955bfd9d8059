//! A robot on a path that is checked with the proofs of earlier spans of time.
//!
//! **Problem.** A robot follows a path, few of its joints at a time. Checked span by span, as `spans` does, every pair
//! is proven again in each span, also those that rest.
//!
//! **Method.** For a robot with [`RobotPath::adaptive`], [`Simulated`] checks the robot with itself and with the bodies
//! at rest, one span after the other. All other pairs of the scene are checked as usual: those with bodies that move,
//! and pairs with a separation of their own. A span that is not a whole segment of the path is checked as usual too;
//! after it the simulation continues where the path is then.
//!
//! **Guarantee.** That of `adaptive`. Every pair is checked by one of the two.
//!
//! Some cases are checked as usual: robots that hold something, the parts of a robot if they have a separation of their
//! own, scenes in which something is taken up, and mode `All`.

use std::collections::HashSet;

use super::Scene;
use crate::adaptive::{Moved, Simulated};
use crate::answer::{Answer, Touch};
use crate::ask::PairFilter;
use crate::body::{Body, BodyKind};
use crate::control::Control;
use crate::error::Result;
use crate::options::{Mode, Options};
use crate::pair::TreeStats;
use crate::robot::RobotPath;

/// A robot in a simulation, among bodies at rest.
pub(super) struct SimulatedRobot<'a> {
    simulated: Simulated,
    path: &'a RobotPath,
    /// The index of the robot's body.
    robot: usize,
    name: &'a str,
    /// The indices of the bodies at rest, in the order of the simulation's obstacles.
    obstacles: Vec<usize>,
    obstacle_names: HashSet<&'a str>,
    /// The segment that is checked next.
    segment: usize,
    /// True if the simulation has checked the current span.
    is_done: bool,
}

impl<'a> SimulatedRobot<'a> {
    /// Returns the robots of a scene that are checked in this way.
    pub(super) fn all_of(
        scene: &'a Scene,
        options: &Options,
        filter: Option<PairFilter<'_>>,
    ) -> Result<Vec<SimulatedRobot<'a>>> {
        let mut robots = Vec::new();
        // A body that is taken up rests only until then.
        if options.mode == Mode::All || scene.grasps().next().is_some() {
            return Ok(robots);
        }
        for (robot, body) in scene.bodies.iter().enumerate() {
            let BodyKind::RobotPath(path) = body.kind() else { continue };
            let is_usual = |other: usize| {
                let pair = [robot.min(other), robot.max(other)];
                let bodies = pair.map(|i| &scene.bodies[i]);
                scene.is_usual(pair) && filter.is_none_or(|wanted| wanted(bodies[0], bodies[1]))
            };
            let holds =
                |body: &Body| matches!(*body.kind(), BodyKind::Attached { robot: of, .. } if of == robot);
            if !path.is_adaptive() || !is_usual(robot) || scene.bodies.iter().any(holds) {
                continue;
            }
            let obstacles: Vec<usize> =
                (0..scene.bodies.len()).filter(|&i| scene.bodies[i].is_at_rest() && is_usual(i)).collect();
            let bodies = obstacles.iter().map(|&i| scene.bodies[i].clone()).collect();
            let start = path.trajectory().waypoint(0);
            robots.push(SimulatedRobot {
                simulated: Simulated::new(path.robot().clone(), path.base(), bodies, start)?,
                path,
                robot,
                name: body.name(),
                obstacle_names: obstacles.iter().map(|&i| scene.bodies[i].name()).collect(),
                obstacles,
                segment: 0,
                is_done: false,
            });
        }
        Ok(robots)
    }

    /// Returns the index of the robot's body.
    pub(super) fn body(&self) -> usize {
        self.robot
    }

    /// Returns true if the simulation checks a pair in the current span.
    pub(super) fn checks(&self, a: &Body, b: &Body) -> bool {
        let [a, b] = [a.name(), b.name()];
        let is_other = |name: &str| name == self.name || self.obstacle_names.contains(name);
        self.is_done && (a == self.name && is_other(b) || b == self.name && is_other(a))
    }

    /// Returns the number of pairs of bodies that the simulation checks in the current span.
    pub(super) fn pairs(&self) -> u64 {
        if self.is_done { 1 + self.obstacles.len() as u64 } else { 0 }
    }

    /// Checks a span and goes to its end. Returns `None` if the span is left to others. Spans come in the order of
    /// time.
    pub(super) fn step(
        &mut self,
        start: f64,
        end: f64,
        options: &Options,
        control: &Control<'_>,
        work: &mut TreeStats,
    ) -> Result<Option<Answer>> {
        let Some([from, to]) = self.ends(start, end) else {
            self.is_done = false;
            return Ok(None);
        };
        self.is_done = true;
        let state = self.simulated.configuration();
        let moves = |&i: &usize| from[i] != to[i] || from[i] != state[i];
        let moved = (0..state.len()).filter(moves);
        let moved: Vec<Moved> = moved.map(|i| Moved { variable: i, from: from[i], to: to[i] }).collect();
        let report = self.simulated.step_watched(&moved, options, control.watch())?;
        self.simulated.accept(1.0)?;
        work.volume_pairs += report.work.volume_pairs;
        work.piece_pairs += report.work.piece_pairs;
        work.iterations += report.work.iterations;
        Ok(Some(self.in_scene(report.answer)))
    }

    /// Returns the configurations at the ends of a span, if the span is a segment of the path, before it, or after it.
    fn ends(&mut self, start: f64, end: f64) -> Option<[Vec<f64>; 2]> {
        let trajectory = self.path.trajectory();
        let last = trajectory.segments() - 1;
        if end <= trajectory.span(0)[0] {
            return Some([0, 0].map(|k| trajectory.waypoint(k)));
        }
        if start >= trajectory.span(last)[1] {
            return Some([last + 1, last + 1].map(|k| trajectory.waypoint(k)));
        }
        while self.segment < last && trajectory.span(self.segment)[1] <= start {
            self.segment += 1;
        }
        // Joints move at constant rates between waypoints: `adaptive` refuses other trajectories.
        let is_whole = trajectory.span(self.segment) == [start, end];
        is_whole.then(|| [self.segment, self.segment + 1].map(|k| trajectory.waypoint(k)))
    }

    /// Returns an answer of the simulation with the bodies of the scene, the lower index first.
    fn in_scene(&self, answer: Answer) -> Answer {
        let body = |i: usize| if i == 0 { self.robot } else { self.obstacles[i - 1] };
        let in_order = |touch: Touch| {
            let touch = Touch { bodies: touch.bodies.map(body), ..touch };
            if touch.bodies[0] > touch.bodies[1] { touch.swapped() } else { touch }
        };
        match answer {
            Answer::Free => Answer::Free,
            Answer::Touch(touch) => Answer::Touch(in_order(touch)),
            Answer::TouchingAtStart(touch) => Answer::TouchingAtStart(in_order(touch)),
            Answer::Undecided { free_until, bodies } => {
                let [a, b] = bodies.map(body);
                Answer::Undecided { free_until, bodies: [a.min(b), a.max(b)] }
            }
        }
    }
}
