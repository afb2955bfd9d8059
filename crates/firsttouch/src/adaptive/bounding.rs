//! Culling with either kind of bounds: which one is chosen at run time.

use super::assembly::AssemblyTree;
use super::culling::{Culler, ObstacleTree, Pairs, PartBox};
use super::transforms::{Placed, Updates};
use crate::articulated::{JointMotion, Robot};
use crate::broad::Aabb;
use crate::error::Result;
use crate::motion::Pose;
use crate::numerics::{Interval, TaylorModel, Window};

/// What the transforms of a step are bounded by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bounding {
    /// Taylor models of order 3.
    #[default]
    Taylor,
    /// Intervals, as in the paper. They loosen with every joint that moves.
    Interval,
}

/// Culling with either kind of bounds.
#[derive(Debug, Clone)]
pub(super) enum AnyCuller {
    Interval(Box<Culler<Interval>>),
    Taylor(Box<Culler<TaylorModel>>),
}

macro_rules! forward {
    ($self:ident, $culler:ident => $call:expr) => {
        match $self {
            AnyCuller::Interval($culler) => $call,
            AnyCuller::Taylor($culler) => $call,
        }
    };
}

impl AnyCuller {
    pub(super) fn new(
        bounding: Bounding,
        robot: &Robot,
        tree: &AssemblyTree,
        base: Pose,
        configuration: &[f64],
    ) -> Result<AnyCuller> {
        let joint = |link: usize| match robot.links()[link].joint() {
            None => Ok(JointMotion::still(base)),
            Some(joint) => JointMotion::of(joint, configuration, configuration),
        };
        Ok(match bounding {
            Bounding::Interval => AnyCuller::Interval(Box::new(Culler::new(robot, tree, base, joint)?)),
            Bounding::Taylor => AnyCuller::Taylor(Box::new(Culler::new(robot, tree, base, joint)?)),
        })
    }

    pub(super) fn bounding(&self) -> Bounding {
        match self {
            AnyCuller::Interval(_) => Bounding::Interval,
            AnyCuller::Taylor(_) => Bounding::Taylor,
        }
    }

    pub(super) fn parts(&self) -> &[PartBox] {
        forward!(self, culler => culler.parts())
    }

    pub(super) fn counts(&self) -> Updates {
        forward!(self, culler => culler.counts())
    }

    pub(super) fn arm(&self, tree: &AssemblyTree) -> f64 {
        forward!(self, culler => culler.arm(tree))
    }

    pub(super) fn update(
        &mut self,
        tree: &AssemblyTree,
        joints: &[(usize, JointMotion, bool)],
        window: Window,
    ) {
        forward!(self, culler => culler.update(tree, joints, window));
    }

    pub(super) fn pairs(
        &mut self,
        robot: &Robot,
        tree: &AssemblyTree,
        obstacles: &ObstacleTree,
        gap: f64,
    ) -> Pairs {
        forward!(self, culler => culler.pairs(robot, tree, obstacles, gap))
    }

    pub(super) fn start_of(&mut self, tree: &AssemblyTree, link: usize) -> (Placed, Option<usize>) {
        forward!(self, culler => culler.start_of(tree, link))
    }

    pub(super) fn part_box(&mut self, tree: &AssemblyTree, part: usize) -> Aabb {
        forward!(self, culler => culler.part_box(tree, part))
    }
}
