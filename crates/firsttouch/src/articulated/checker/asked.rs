//! A checker of the pairs that a question is about.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Checker, RobotPair};
use crate::ask::Ask;
use crate::body::Body;
use crate::error::Result;
use crate::robot::RobotStep;

impl Checker {
    /// Returns the checker for a question whose stages are not timed, and the question without its filter: all pairs
    /// that the filter leaves out are allowed to touch. Obstacles keep their indices. The filter is given the robot at
    /// rest, in the configuration of zeros; attached bodies are a part of the robot.
    pub(crate) fn asked<'a>(&self, ask: Ask<'a>, question: &str) -> Result<(Cow<'_, Checker>, Ask<'a>)> {
        let ask = ask.without_clock(question)?;
        let Some(filter) = ask.filter else { return Ok((Cow::Borrowed(self), ask)) };
        let (robot, base) = (Arc::clone(&self.world.robot), self.world.base);
        let zero = robot.zero();
        let body = Body::robot(robot.name(), RobotStep::new(Arc::clone(&robot), base, zero.clone(), zero)?);
        let mut checker = self.clone();
        let world = checker.world.edit();
        for obstacle in world.obstacles.iter_mut().filter(|obstacle| !filter(&body, &obstacle.body)) {
            Arc::make_mut(obstacle).rule.allow([None, None]);
        }
        if !filter(&body, &body) {
            checker.allow_pairs(&[RobotPair::Robot]);
        }
        Ok((Cow::Owned(checker), Ask { filter: None, ..ask }))
    }
}
