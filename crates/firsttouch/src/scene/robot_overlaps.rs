//! All times of overlap of a checker's robot along a trajectory, as a scene.

use crate::articulated::Checker;
use crate::ask::Ask;
use crate::body::Body;
use crate::ellipsoid::Overlap;
use crate::error::Result;
use crate::robot::{RobotPath, Trajectory};

use super::Scene;

impl Checker {
    /// Returns all times at which the robot touches an obstacle along a trajectory, or itself for `None`, in order and
    /// on the clock of the trajectory, from 0 to 1; see [`Scene::overlaps`]. Obstacles that move are on the same clock.
    pub fn overlaps_along<'a>(
        &self,
        trajectory: &Trajectory,
        obstacle: Option<usize>,
        ask: impl Into<Ask<'a>>,
    ) -> Result<Vec<Overlap>> {
        let (checker, ask) = &self.asked(ask.into(), "overlaps of a robot")?;
        let path = RobotPath::new(checker.robot().clone(), checker.base(), trajectory.clone())?;
        let name = self.unused_name();
        let body = Body::robot_along(&name[..], path);
        let mut scene = Scene::default();
        scene.add(body)?;
        scene.follow_own_rules(0, checker.own_rule(), checker.padding());
        let Some(index) = obstacle else { return scene.overlaps(&name, &name, *ask) };
        let other = self.obstacle(index);
        scene.add(other.clone())?;
        scene.follow_rule([0, 1], checker.rule_of(index));
        scene.overlaps(&name, other.name(), *ask)
    }

    /// Returns a name of the robot that no obstacle has.
    fn unused_name(&self) -> String {
        let mut name = self.robot().name().to_string();
        while self.index_of(&name).is_some() {
            name.push('\'');
        }
        name
    }
}
