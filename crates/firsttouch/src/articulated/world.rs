//! A checker and one motion of its robot, as the world of a question.

use super::checker::Checker;
use super::outline::Candidate;
use super::pairs::CheckerPairs;
use crate::answer::Touch;
use crate::body::{Body, BodyKind};
use crate::options::Options;
use crate::questions::{Pairs, World};
use crate::robot::RobotStep;

/// A checker, and its robot as a body in motion.
pub(super) struct CheckerWorld<'a> {
    checker: &'a Checker,
    robot: Body,
}

impl<'a> CheckerWorld<'a> {
    pub(super) fn new(checker: &'a Checker, step: RobotStep) -> CheckerWorld<'a> {
        let name = step.robot().name().to_string();
        CheckerWorld { checker, robot: Body::robot(name, step) }
    }
}

impl World for CheckerWorld<'_> {
    type Pairs<'b>
        = CheckerPairs<'b>
    where
        Self: 'b;

    fn pairs(&self) -> CheckerPairs<'_> {
        let BodyKind::Robot(step) = self.robot.kind() else { unreachable!("the body is the robot") };
        CheckerPairs { checker: self.checker, motion: step.motion() }
    }

    fn body(&self, index: usize) -> &Body {
        match index.checked_sub(1) {
            None => &self.robot,
            Some(obstacle) => self.checker.obstacle(obstacle),
        }
    }

    fn separation_of_touch(&self, touch: &Touch, options: &Options) -> f64 {
        let pairs = self.pairs();
        let found = pairs.pair_of(touch.bodies, touch.parts);
        let own = |pair: &Candidate| self.checker.separation_of(pair, options.min_separation);
        found.map_or(options.min_separation, |(pair, _)| own(&pair))
    }
}
