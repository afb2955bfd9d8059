//! Finds the usual pairs of a checker, and builds a checker of some pairs alone: for simulations, whose memory covers
//! the usual pairs.

use std::sync::Arc;

use super::{Checker, RobotPair, World};
use crate::articulated::obstacle_tree::LazyObstacleTree;
use crate::body::{Body, BodyKind};
use crate::motion::Motion;
use crate::world::PairRule;

impl Checker {
    /// Returns true if pairs of links of the robot have no separation of their own.
    pub(crate) fn is_own_usual(&self) -> bool {
        self.world.own == PairRule::default()
    }

    /// Returns the obstacles at rest that have the default rule, in order. There are none if the robot is padded.
    pub(crate) fn usual_obstacles(&self) -> Vec<usize> {
        if self.world.padding.largest() > 0.0 {
            return Vec::new();
        }
        let is_at_rest =
            |body: &Body| matches!(body.kind(), BodyKind::Rigid { motion: Motion::Fixed(_), .. });
        let obstacles = self.world.obstacles.iter().enumerate();
        let usual = obstacles
            .filter(|(_, obstacle)| is_at_rest(&obstacle.body) && obstacle.rule == PairRule::default());
        usual.map(|(k, _)| k).collect()
    }

    /// Returns this checker with some of its obstacles, in order, and with or without the pairs of two links.
    pub(crate) fn with_some(&self, own: bool, obstacles: &[usize]) -> Checker {
        let mut checker = self.clone();
        let world = checker.world.edit();
        let place = |k: &u32| obstacles.binary_search(&(*k as usize)).ok().map(|place| place as u32);
        *world = World {
            obstacles: obstacles.iter().map(|&k| Arc::clone(&world.obstacles[k])).collect(),
            by_name: world.by_name.iter().filter_map(place).collect(),
            tree: LazyObstacleTree::default(),
            ..World::clone(world)
        };
        world.find_largest();
        if !own {
            checker.allow_pairs(&[RobotPair::Robot]);
        }
        checker
    }

    /// Returns true if another checker has the very same robot, at the same place.
    pub(crate) fn has_same_robot(&self, other: &Checker) -> bool {
        Arc::ptr_eq(&self.world.robot, &other.world.robot) && self.world.base == other.world.base
    }

    /// Returns true if some obstacles are the very same as those of another checker.
    pub(crate) fn has_same_obstacles(&self, own: &[usize], other: &Checker, of_other: &[usize]) -> bool {
        own.len() == of_other.len()
            && own
                .iter()
                .zip(of_other)
                .all(|(&k, &j)| Arc::ptr_eq(&self.world.obstacles[k], &other.world.obstacles[j]))
    }
}
